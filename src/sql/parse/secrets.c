/* SQL text without the values of secret options, to be shown and kept: 'key' = 'value', wherever its parts stand.
 *
 * Texts that are wrong are shown most of all, so that nothing is taken for granted here: what follows a secret's key
 * and '=' or ':' is hidden up to the next comma, parenthesis, semicolon or, after a value, line; a quote that was
 * forgotten hides too much rather than too little. */
#include <ctype.h>

#include "meta/options.h"
#include "sql/parser.h"

typedef enum mask_state {
    MASK_NOTHING,
    MASK_KEY,    /* a secret's key: '=' or a text may follow */
    MASK_HIDING, /* its value may follow */
    MASK_HIDDEN  /* some of it did */
} mask_state;

typedef struct masker {
    weir_slice text;
    bool keeps_places;  /* a star for each character, so that lines and columns stay */
    bool after_set;     /* the word before was SET: a key may follow without quotes */
    bool after_opening; /* …, WITH or OPTIONS: a list of options may follow */
    bool in_options;    /* in such a list a key may stand without quotes, or in those of names */
    mask_state state;
    weir_buffer *out;
} masker;

/* ---- pieces of text ---- */

typedef enum quote_kind { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE } quote_kind;

/* The quotation mark at `at`, plain or typographic, and its size. */
static quote_kind quote_at(weir_slice text, size_t at, size_t *out_size)
{
    static const struct {
        const char *bytes;
        quote_kind kind;
    } marks[] = {{"'", QUOTE_SINGLE},
                 {"\"", QUOTE_DOUBLE},
                 {"\xE2\x80\x98", QUOTE_SINGLE},
                 {"\xE2\x80\x99", QUOTE_SINGLE},
                 {"\xE2\x80\x9A", QUOTE_SINGLE},
                 {"\xE2\x80\x9B", QUOTE_SINGLE},
                 {"\xE2\x80\xB2", QUOTE_SINGLE},
                 {"\xEF\xBC\x87", QUOTE_SINGLE},
                 {"\xC2\xB4", QUOTE_SINGLE},
                 {"\xEF\xBC\x82", QUOTE_DOUBLE},
                 {"\xE2\x80\x9C", QUOTE_DOUBLE},
                 {"\xE2\x80\x9D", QUOTE_DOUBLE},
                 {"\xE2\x80\x9E", QUOTE_DOUBLE}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t size = strlen(marks[i].bytes);
        if (at + size <= text.size && memcmp(text.data + at, marks[i].bytes, size) == 0) {
            *out_size = size;
            return marks[i].kind;
        }
    }
    *out_size = 0;
    return QUOTE_NONE;
}

/* Where the text that begins at `from`, after its mark, ends: a plain mark is closed by a plain one. */
static size_t end_of_string(weir_slice text, size_t from, quote_kind kind, bool is_plain)
{
    size_t at = from;
    for (size_t size; at < text.size; at++) {
        if (quote_at(text, at, &size) == kind && (!is_plain || size == 1)) {
            break;
        }
    }
    return at;
}

static bool begins(weir_slice text, size_t at, const char *with)
{
    size_t size = strlen(with);
    return at + size <= text.size && memcmp(text.data + at, with, size) == 0;
}

/* Where the comment at `at` ends, which a carriage return does, too; `at` itself: there is none. A hint is none. */
static size_t end_of_comment(weir_slice text, size_t at)
{
    if (begins(text, at, "--")) {
        while (at < text.size && text.data[at] != '\n' && text.data[at] != '\r') {
            at++;
        }
        return at;
    }
    if (!begins(text, at, "/*") || begins(text, at, "/*+")) {
        return at;
    }
    const uint8_t *end = memmem(text.data + at + 2, text.size - at - 2, "*/", 2);
    return end == NULL ? text.size : (size_t)(end + 2 - text.data);
}

/* The end of a word such as s3.secret-key. */
static size_t end_of_word(weir_slice text, size_t at)
{
    while (at < text.size && (isalnum(text.data[at]) || strchr("_.-", text.data[at]) != NULL) && text.data[at] != 0 &&
           !begins(text, at, "--")) {
        at++;
    }
    return at;
}

/* ---- hiding ---- */

static void append(masker *self, size_t from, size_t to)
{
    weir_buffer_append(self->out, self->text.data + from, to - from);
}

static void hide(masker *self, size_t from, size_t to)
{
    if (!self->keeps_places && self->state == MASK_HIDING) {
        weir_buffer_append_text(self->out, "******");
    }
    for (size_t i = from; i < to && self->keeps_places; i++) {
        uint8_t byte = self->text.data[i];
        if ((byte & 0xC0) != 0x80) {
            weir_buffer_append_byte(self->out, byte == '\n' ? '\n' : '*');
        }
    }
    self->state = MASK_HIDDEN;
}

static size_t take_string(masker *self, size_t at, quote_kind kind, size_t quote_size)
{
    size_t from = at + quote_size, end_quote;
    size_t end = end_of_string(self->text, from, kind, quote_size == 1);
    weir_slice inside = weir_slice_of(self->text.data + from, end - from);
    quote_at(self->text, end, &end_quote);
    if (self->state == MASK_NOTHING) {
        append(self, at, end + end_quote);
        self->state = weir_sql_is_secret_key(inside) ? MASK_KEY : MASK_NOTHING;
        return end + end_quote;
    }
    bool is_first = self->state != MASK_HIDDEN;
    self->state = is_first ? MASK_HIDING : self->state;
    if (is_first || self->keeps_places) {
        append(self, at, from);
    }
    hide(self, from, end);
    if (is_first || self->keeps_places) {
        append(self, end, end + end_quote);
    }
    return end + end_quote;
}

static bool is_word(weir_slice word, const char *expected)
{
    return word.size == strlen(expected) && strncasecmp((const char *)word.data, expected, word.size) == 0;
}

static size_t take_word(masker *self, size_t at, size_t end)
{
    weir_slice word = weir_slice_of(self->text.data + at, end - at);
    if (self->state == MASK_HIDING || self->state == MASK_HIDDEN) {
        hide(self, at, end);
        return end;
    }
    size_t next = end;
    while (next < self->text.size && isspace(self->text.data[next])) {
        next++;
    }
    bool may_be_key = self->after_set || self->in_options || begins(self->text, next, "=>");
    append(self, at, end);
    self->state = may_be_key && weir_sql_is_secret_key(word) ? MASK_KEY : MASK_NOTHING;
    self->after_set = is_word(word, "SET");
    self->after_opening = self->after_set || is_word(word, "WITH") || is_word(word, "OPTIONS");
    return end;
}

static size_t take_symbol(masker *self, size_t at)
{
    uint8_t byte = self->text.data[at];
    bool ends = byte == ',' || byte == '(' || byte == ')' || byte == ';';
    if (byte == '`' && self->in_options && self->state != MASK_HIDDEN) {
        append(self, at, at + 1);
        return at + 1;
    }
    self->in_options = (self->in_options && byte != ')' && byte != ';') || (self->after_opening && byte == '(');
    self->after_set = self->after_opening = false;
    if (self->state == MASK_KEY && byte >= 0x80) { /* a blank that is none of ASCII, or a full-width '=' */
        size_t size = 1;
        while (at + size < self->text.size && (self->text.data[at + size] & 0xC0) == 0x80) {
            size++;
        }
        self->state = begins(self->text, at, "\xEF\xBC\x9D") ? MASK_HIDING : MASK_KEY;
        append(self, at, at + size);
        return at + size;
    }
    if (ends) {
        self->state = MASK_NOTHING;
    } else if (self->state == MASK_KEY) {
        self->state = byte == '=' || byte == ':' ? MASK_HIDING : MASK_NOTHING;
    } else if (self->state == MASK_HIDDEN || (self->state == MASK_HIDING && byte != '>')) {
        hide(self, at, at + 1);
        return at + 1;
    }
    append(self, at, at + 1);
    return at + 1;
}

/* `is_comment`: the inside of one, where no other begins. */
static void mask(weir_slice text, bool keeps_places, bool is_comment, weir_buffer *out)
{
    masker self = {.text = text, .keeps_places = keeps_places, .out = out};
    for (size_t at = 0; at < text.size;) {
        size_t quote_size;
        size_t comment = is_comment ? at : end_of_comment(text, at);
        quote_kind quote = quote_at(text, at, &quote_size);
        size_t word = end_of_word(text, at);
        if (comment > at) { /* an option that is commented out has its secret, too */
            append(&self, at, at + 2);
            mask(weir_slice_of(text.data + at + 2, comment - at - 2), keeps_places, true, out);
            at = comment;
        } else if (quote != QUOTE_NONE) {
            at = take_string(&self, at, quote, quote_size);
        } else if (word > at) {
            at = take_word(&self, at, word);
        } else if (isspace(text.data[at])) {
            bool ends = text.data[at] == '\n' && self.state == MASK_HIDDEN; /* a comma was forgotten */
            self.state = ends ? MASK_NOTHING : self.state;
            append(&self, at, at + 1);
            at++;
        } else {
            at = take_symbol(&self, at);
        }
    }
}

void weir_sql_append_without_secrets(weir_slice text, bool keeps_places, weir_buffer *out)
{
    mask(text, keeps_places, false, out);
}

bool weir_sql_is_secret_key(weir_slice key)
{
    char text[128];
    size_t size = key.size < sizeof text ? key.size : sizeof text - 1;
    memcpy(text, key.data, size);
    text[size] = '\0';
    return strcmp(weir_option_shown(text, ""), "") != 0;
}
