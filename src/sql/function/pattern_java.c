/* Java's notation of regular expressions as PCRE2's. They differ in
 *
 *   \uXXXX, \0ooo                         other notations of a code point
 *   \p{Alpha}, \p{IsLatin}, \p{javaLowerCase}   names of character classes
 *   [a[bc]], [a-z&&[^x]]                  unions and intersections of classes: alternatives and look-aheads here
 *   (?d) (?u) (?U)                        flags that PCRE2 lacks or reads otherwise
 *   (?P<n>…), (?R), (*VERB), \K, \g …     things that only PCRE2 has */
#include "sql/function/pattern.h"

#include <stdio.h>

#include "base/text.h"

enum { deepest = 50 };

typedef struct translation {
    const uint8_t *at;
    const uint8_t *end;
    weir_buffer *out;
    int depth;
    bool valid;
    const char *unsupported;
} translation;

static bool at_text(const translation *t, const char *text)
{
    size_t size = strlen(text);
    return (size_t)(t->end - t->at) >= size && memcmp(t->at, text, size) == 0;
}

static void copy(translation *t, size_t count)
{
    size_t left = (size_t)(t->end - t->at);
    count = count < left ? count : left;
    weir_buffer_append(t->out, t->at, count);
    t->at += count;
}

static void reject(translation *t)
{
    t->valid = false;
    t->at = t->end;
}

static void refuse(translation *t, const char *what)
{
    t->unsupported = what;
    t->at = t->end;
}

/* --- Escapes --------------------------------------------------------------------------------------------------- */

static bool read_hex(const uint8_t *at, const uint8_t *end, uint32_t *out)
{
    *out = 0;
    if (end - at < 4) {
        return false;
    }
    for (int i = 0; i < 4; i++) {
        uint8_t lower = at[i] | 0x20;
        bool digit = at[i] >= '0' && at[i] <= '9';
        if (!digit && (lower < 'a' || lower > 'f')) {
            return false;
        }
        *out = *out * 16 + (digit ? at[i] - (uint32_t)'0' : lower - (uint32_t)'a' + 10);
    }
    return true;
}

/* \uXXXX; two of them make one code point when they are halves of it. */
static void translate_unicode(translation *t)
{
    uint32_t code;
    uint32_t low;
    if (!read_hex(t->at + 2, t->end, &code)) {
        reject(t);
        return;
    }
    t->at += 6;
    bool high = code >= 0xD800 && code < 0xDC00;
    if (high && at_text(t, "\\u") && read_hex(t->at + 2, t->end, &low) && low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        t->at += 6;
    }
    weir_buffer_append_format(t->out, "\\x{%X}", code);
}

/* \0o, \0oo, \0ooo */
static void translate_octal(translation *t)
{
    t->at += 2;
    unsigned value = 0;
    int digits = 0;
    while (digits < 3 && t->at < t->end && *t->at >= '0' && *t->at <= '7' && value * 8 + (*t->at - '0') <= 0377) {
        value = value * 8 + (*t->at++ - '0');
        digits++;
    }
    if (digits == 0) {
        reject(t);
        return;
    }
    weir_buffer_append_format(t->out, "\\x{%X}", value);
}

/* Java's classes of ASCII, as the inside of brackets. */
static const char *ascii_class(weir_slice name)
{
    static const struct {
        const char *name;
        const char *inside;
    } classes[] = {
        {"Lower", "a-z"},          {"Upper", "A-Z"},       {"ASCII", "\\x00-\\x7F"},      {"Alpha", "a-zA-Z"},
        {"Digit", "0-9"},          {"Alnum", "a-zA-Z0-9"}, {"Punct", "!-/:-@\\[-`{-~"},   {"Graph", "!-~"},
        {"Print", "\\x20-~"},      {"Blank", "\\x20\\t"},  {"Cntrl", "\\x00-\\x1F\\x7F"}, {"XDigit", "0-9a-fA-F"},
        {"Space", "\\x20\\t-\\r"},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (weir_slice_equal(name, weir_slice_text(classes[i].name))) {
            return classes[i].inside;
        }
    }
    return NULL;
}

/* The name of a Unicode property in PCRE2's terms; NULL: it has none. */
static const char *unicode_class(weir_slice name, char *buffer, size_t size)
{
    static const struct {
        const char *prefix;
        const char *replacement;
    } prefixes[] = {{"javaLowerCase", "Ll"},
                    {"javaUpperCase", "Lu"},
                    {"javaAlphabetic", "Alphabetic"},
                    {"Is", ""},
                    {"script=", ""},
                    {"sc=", ""},
                    {"general_category=", ""},
                    {"gc=", ""},
                    {"LC", "L&"}};
    if (name.size == 0 || name.size + 2 > size || (name.size >= 2 && memcmp(name.data, "In", 2) == 0) ||
        memchr(name.data, '}', name.size) != NULL) {
        return NULL;
    }
    const char *replacement = "";
    size_t skipped = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && skipped == 0; i++) {
        size_t length = strlen(prefixes[i].prefix);
        if (name.size >= length && memcmp(name.data, prefixes[i].prefix, length) == 0) {
            replacement = prefixes[i].replacement;
            skipped = *replacement == '\0' ? length : name.size;
        }
    }
    if (skipped == 0 && name.size >= 4 && memcmp(name.data, "java", 4) == 0) {
        return NULL;
    }
    snprintf(buffer, size, "%s%.*s", replacement, (int)(name.size - skipped), (const char *)name.data + skipped);
    return buffer;
}

/* \p{Name}, \P{Name}, \pL. Inside of brackets a negated class of ASCII can't be written: it goes to `nested`. */
static void translate_property(translation *t, bool in_class, weir_buffer *nested)
{
    bool negated = t->at[1] == 'P';
    weir_slice name;
    t->at += 2;
    if (t->at < t->end && *t->at == '{') {
        const uint8_t *close = memchr(t->at, '}', (size_t)(t->end - t->at));
        if (close == NULL) {
            reject(t);
            return;
        }
        name = weir_slice_of(t->at + 1, (size_t)(close - t->at - 1));
        t->at = close + 1;
    } else if (t->at < t->end) {
        name = weir_slice_of(t->at++, 1);
    } else {
        reject(t);
        return;
    }
    const char *inside = ascii_class(name);
    char buffer[64];
    if (inside != NULL && in_class && !negated) {
        weir_buffer_append_text(t->out, inside);
    } else if (inside != NULL) {
        weir_buffer *out = in_class ? nested : t->out;
        weir_buffer_append_format(out, "%s[%s%s]", in_class ? "|" : "", negated ? "^" : "", inside);
    } else if (unicode_class(name, buffer, sizeof buffer) != NULL) {
        weir_buffer_append_format(t->out, "\\%c{%s}", negated ? 'P' : 'p', buffer);
    } else {
        refuse(t, "this class of characters");
    }
}

static void translate_escape(translation *t, bool in_class, weir_buffer *nested)
{
    if (t->end - t->at < 2) {
        reject(t);
        return;
    }
    uint8_t letter = t->at[1];
    switch (letter) {
    case 'u':
        translate_unicode(t);
        break;
    case '0':
        translate_octal(t);
        break;
    case 'p':
    case 'P':
        translate_property(t, in_class, nested);
        break;
    case 'Q': {
        const uint8_t *close = memmem(t->at, (size_t)(t->end - t->at), "\\E", 2);
        copy(t, close == NULL ? (size_t)(t->end - t->at) : (size_t)(close - t->at) + 2);
        break;
    }
    case 'N':
        refuse(t, "\\N");
        break;
    case 'K': /* what PCRE2 alone has */
    case 'g':
    case 'o':
    case 'C':
    case 'l':
    case 'L':
    case 'U':
    case 'E':
        reject(t);
        break;
    default:
        copy(t, 2);
        break;
    }
}

/* --- Classes --------------------------------------------------------------------------------------------------- */

static void translate_class(translation *t);

/* One operand of && as an expression for one character: [abc], or (?:[abc]|[x]|…) with nested classes. */
static void read_operand(translation *t, bool first, weir_buffer *out)
{
    weir_buffer inside = {0};
    weir_buffer nested = {0};
    weir_buffer *target = t->out;
    while (t->at < t->end && !at_text(t, "&&") && !(*t->at == ']' && (!first || inside.size + nested.size > 0))) {
        if (*t->at == '[') {
            weir_buffer_append_byte(&nested, '|');
            t->out = &nested;
            translate_class(t);
        } else if (*t->at == '\\') {
            t->out = &inside;
            translate_escape(t, true, &nested);
        } else {
            if (*t->at == ']' || (*t->at == '^' && inside.size == 0)) {
                weir_buffer_append_byte(&inside, '\\');
            }
            t->out = &inside;
            copy(t, 1);
        }
    }
    t->out = target;
    if (nested.size == 0) {
        weir_buffer_append_format(out, "[%.*s]", (int)inside.size, (const char *)inside.data);
    } else {
        bool plain = inside.size > 0;
        weir_buffer_append_format(out, plain ? "(?:[%.*s]" : "(?:%.*s", (int)inside.size, (const char *)inside.data);
        size_t skipped = plain ? 0 : 1; /* the first | */
        weir_buffer_append(out, nested.data + skipped, nested.size - skipped);
        weir_buffer_append_byte(out, ')');
    }
    if (inside.size == 0 && nested.size == 0) {
        out->size -= 2; /* nothing stands here, as behind a last && */
    }
    weir_buffer_free(&inside);
    weir_buffer_free(&nested);
}

/* From [ to its ]. */
static void translate_class(translation *t)
{
    if (++t->depth > deepest) {
        reject(t);
        return;
    }
    t->at++;
    bool negated = t->at < t->end && *t->at == '^';
    t->at += negated;
    weir_buffer operands[2] = {{0}, {0}}; /* look-aheads of those before, and the last one */
    for (bool first = true;; first = false) {
        weir_buffer operand = {0};
        read_operand(t, first, &operand);
        if (operand.size > 0) {
            if (operands[1].size > 0) {
                weir_buffer_append_format(&operands[0], "(?=%.*s)", (int)operands[1].size,
                                          (const char *)operands[1].data);
            }
            weir_buffer_free(&operands[1]);
            operands[1] = operand;
        } else {
            weir_buffer_free(&operand);
        }
        if (!at_text(t, "&&")) {
            break;
        }
        t->at += 2;
    }
    if (t->at == t->end || operands[1].size == 0) {
        reject(t);
    } else {
        t->at++;
        bool simple = operands[0].size == 0 && operands[1].data[0] == '[';
        const char *ahead = (const char *)operands[0].data;
        const char *last = (const char *)operands[1].data;
        if (simple) {
            weir_buffer_append_format(t->out, "[%s%.*s", negated ? "^" : "", (int)operands[1].size - 1, last + 1);
        } else {
            weir_buffer_append_format(t->out, "(?:%s%.*s%.*s%s)", negated ? "(?!" : "", (int)operands[0].size,
                                      ahead == NULL ? "" : ahead, (int)operands[1].size, last,
                                      negated ? ")(?s:.)" : "");
        }
    }
    weir_buffer_free(&operands[0]);
    weir_buffer_free(&operands[1]);
    t->depth--;
}

/* --- Groups ---------------------------------------------------------------------------------------------------- */

/* (?flags-flags) and (?flags: without those that mean nothing to PCRE2. */
static void translate_flags(translation *t)
{
    copy(t, 2);
    bool on = true;
    for (; t->at < t->end && *t->at != ')' && *t->at != ':'; t->at++) {
        switch (*t->at) {
        case 'i':
        case 'm':
        case 's':
        case 'x':
        case '-':
            on = on && *t->at != '-';
            weir_buffer_append_byte(t->out, *t->at);
            break;
        case 'd':
        case 'u':
            break;
        case 'U':
            if (on) {
                refuse(t, "(?U)");
                return;
            }
            break;
        default:
            reject(t);
            return;
        }
    }
    copy(t, 1);
}

static void translate_group(translation *t)
{
    static const char *const openings[] = {"(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>"};
    if (at_text(t, "(*")) {
        reject(t);
        return;
    }
    if (!at_text(t, "(?")) {
        copy(t, 1);
        return;
    }
    for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
        if (at_text(t, openings[i])) {
            copy(t, strlen(openings[i]));
            return;
        }
    }
    if (at_text(t, "(?<")) {
        copy(t, 3);
        return;
    }
    translate_flags(t);
}

int weir_pattern_from_java(weir_slice java, weir_buffer *out, bool *out_valid, weir_error *err)
{
    translation t = {.at = java.data, .end = java.data + java.size, .out = out, .valid = true};
    while (t.at < t.end) {
        switch (*t.at) {
        case '\\':
            translate_escape(&t, false, NULL);
            break;
        case '[':
            translate_class(&t);
            break;
        case '(':
            translate_group(&t);
            break;
        default:
            copy(&t, 1);
            break;
        }
    }
    *out_valid = t.valid;
    if (t.unsupported != NULL) {
        return weir_fail(err, WEIR_UNSUPPORTED, "the regular expression '%.*s' has %s, which is not supported",
                         (int)weir_utf8_prefix(java, 60), (const char *)java.data, t.unsupported);
    }
    return WEIR_OK;
}
