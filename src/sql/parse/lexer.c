/* Text to tokens, on demand: names, strings, numbers, operators; comments are left out.
 *
 * What people paste from documents and web pages (pasted.h) is taken for what it can only mean, and else gets an error
 * that says what to write. What a token means is the parser's business. */
#include "sql/parse/lexer.h"

#include <ctype.h>

#include "base/text.h"
#include "sql/parse/pasted.h"

void weir_lexer_init(weir_lexer *lexer, const char *text, size_t size, weir_arena *arena)
{
    *lexer = (weir_lexer){.text = text, .size = size, .line = 1, .column = 1, .arena = arena};
}

static char char_at(const weir_lexer *lexer, size_t ahead)
{
    size_t offset = lexer->offset + ahead;
    return offset < lexer->size ? lexer->text[offset] : '\0';
}

static weir_slice rest_of(const weir_lexer *lexer, size_t offset)
{
    return weir_slice_of(lexer->text + offset, lexer->size - offset);
}

void weir_lexer_advance(weir_lexer *lexer, size_t offset)
{
    while (lexer->offset < offset && lexer->offset < lexer->size) {
        char c = lexer->text[lexer->offset++];
        if (c == '\n') {
            lexer->line++;
            lexer->column = 1;
        } else if (((unsigned char)c & 0xC0) != 0x80) {
            lexer->column++;
        }
    }
}

/* --- Blanks and comments --------------------------------------------------------------------------------------- */

static size_t blank_size(const weir_lexer *lexer, size_t ahead)
{
    unsigned char c = (unsigned char)char_at(lexer, ahead);
    if (c == ' ' || (c >= '\t' && c <= '\r')) {
        return 1;
    }
    return c < 0x80 ? 0 : weir_pasted_blank(rest_of(lexer, lexer->offset + ahead));
}

/* Where the line ends that the lexer is in; a lone carriage return ends one, too, as in Flink. */
static size_t end_of_line(const weir_lexer *lexer)
{
    size_t at = lexer->offset;
    while (at < lexer->size && lexer->text[at] != '\n' && lexer->text[at] != '\r') {
        at++;
    }
    return at;
}

static int fail_token(weir_lexer *lexer, const weir_position *at, const char *message)
{
    return weir_fail_at(&lexer->error, WEIR_INVALID, at->line, at->column, "%s", message);
}

/* En dash and em dash, into which word processors turn "--". */
#define DASH_BYTES 3

static bool is_dash(const weir_lexer *lexer)
{
    unsigned char last = (unsigned char)char_at(lexer, 2);
    return (unsigned char)char_at(lexer, 0) == 0xE2 && (unsigned char)char_at(lexer, 1) == 0x80 &&
           (last == 0x93 || last == 0x94);
}

/* A dash right before an operand is a minus sign, unless a statement would begin with it. */
static bool dash_is_minus(const weir_lexer *lexer)
{
    unsigned char next = (unsigned char)char_at(lexer, DASH_BYTES);
    return lexer->in_statement && next < 0x80 &&
           (isalnum(next) || next == '_' || next == '(' || next == '.' || next == '`');
}

/* What else follows a dash is a comment, where no operand stands before it: behind one it may as well have been a minus
 * sign. */
static bool begins_comment(const weir_lexer *lexer)
{
    return (char_at(lexer, 0) == '-' && char_at(lexer, 1) == '-') ||
           (is_dash(lexer) && !lexer->after_operand && !dash_is_minus(lexer));
}

/* Moves over blanks and comments (not hints). False when a comment has no end. */
static bool skip_blanks(weir_lexer *lexer)
{
    for (;;) {
        size_t blank = blank_size(lexer, 0);
        if (blank > 0 && lexer->offset < lexer->size) {
            weir_lexer_advance(lexer, lexer->offset + blank);
        } else if (begins_comment(lexer)) {
            weir_lexer_advance(lexer, end_of_line(lexer));
        } else if (char_at(lexer, 0) == '/' && char_at(lexer, 1) == '*' && char_at(lexer, 2) != '+') {
            const char *from = lexer->text + lexer->offset + 2;
            const char *end = memmem(from, lexer->size - lexer->offset - 2, "*/", 2);
            if (end == NULL) {
                weir_position here = {.line = lexer->line, .column = lexer->column};
                fail_token(lexer, &here, "this comment has no end; close it with */");
                lexer->unterminated = true;
                return false;
            }
            weir_lexer_advance(lexer, (size_t)(end - lexer->text) + 2);
        } else {
            return true;
        }
    }
}

/* --- Words ----------------------------------------------------------------------------------------------------- */

static bool starts_word(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool continues_word(unsigned char c) { return starts_word(c) || (c >= '0' && c <= '9') || c == '$'; }

/* Whether a blank or a punctuation mark stands at `offset` that comes from elsewhere: a word ends before it. */
static bool is_pasted(const weir_lexer *lexer, size_t offset)
{
    return weir_pasted_blank(rest_of(lexer, offset)) > 0 || weir_pasted_lookalike(rest_of(lexer, offset)) != NULL;
}

static void take_text(weir_lexer *lexer, weir_token *token, size_t end)
{
    token->text_size = end - lexer->offset;
    token->text = weir_arena_strndup(lexer->arena, lexer->text + lexer->offset, token->text_size);
    weir_lexer_advance(lexer, end);
}

static void lex_word(weir_lexer *lexer, weir_token *token)
{
    size_t end = lexer->offset;
    while (end < lexer->size && continues_word((unsigned char)lexer->text[end])) {
        bool wide = (unsigned char)lexer->text[end] >= 0xC2;
        if (wide && is_pasted(lexer, end)) {
            break;
        }
        end++;
    }
    take_text(lexer, token, end);
    token->kind = WEIR_TOKEN_WORD;
    token->keyword = weir_keyword_find(token->text, token->text_size);
}

/* --- Numbers --------------------------------------------------------------------------------------------------- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void lex_number(weir_lexer *lexer, weir_token *token)
{
    size_t i = 0;
    while (is_digit(char_at(lexer, i))) {
        i++;
    }
    if (char_at(lexer, i) == '.') {
        i++;
        while (is_digit(char_at(lexer, i))) {
            i++;
        }
    }
    char exponent = char_at(lexer, i);
    if (exponent == 'e' || exponent == 'E') {
        size_t sign = char_at(lexer, i + 1) == '+' || char_at(lexer, i + 1) == '-' ? 1 : 0;
        if (is_digit(char_at(lexer, i + 1 + sign))) {
            i += 1 + sign;
            while (is_digit(char_at(lexer, i))) {
                i++;
            }
        }
    }
    take_text(lexer, token, lexer->offset + i);
    token->kind = WEIR_TOKEN_NUMBER;
    if (starts_word((unsigned char)char_at(lexer, 0)) && !is_pasted(lexer, lexer->offset)) {
        fail_token(lexer, &token->position,
                   "a name can't begin with a digit; put it in backquotes, or a blank after the number");
        token->kind = WEIR_TOKEN_ERROR;
    }
}

/* --- Strings --------------------------------------------------------------------------------------------------- */

/* Text between quotes, a doubled quote standing for one. */
static bool lex_quoted(weir_lexer *lexer, weir_token *token, char quote, const char *unterminated)
{
    size_t i = lexer->offset + 1;
    weir_buffer text = {0};
    while (i < lexer->size) {
        const char *end = memchr(lexer->text + i, quote, lexer->size - i);
        if (end == NULL) {
            break;
        }
        size_t at = (size_t)(end - lexer->text);
        weir_buffer_append(&text, lexer->text + i, at - i);
        if (at + 1 < lexer->size && lexer->text[at + 1] == quote) {
            weir_buffer_append_byte(&text, (uint8_t)quote);
            i = at + 2;
            continue;
        }
        token->text_size = text.size;
        token->text = weir_arena_strndup(lexer->arena, weir_buffer_text(&text), text.size);
        weir_buffer_free(&text);
        weir_lexer_advance(lexer, at + 1);
        return true;
    }
    weir_buffer_free(&text);
    fail_token(lexer, &token->position, unterminated);
    lexer->unterminated = true;
    token->kind = WEIR_TOKEN_ERROR;
    weir_lexer_advance(lexer, lexer->size);
    return false;
}

static const char *const unterminated_string = "this string has no end; close it with ' (a quote inside is written '')";

static void lex_string(weir_lexer *lexer, weir_token *token)
{
    if (!lex_quoted(lexer, token, '\'', unterminated_string)) {
        return;
    }
    token->kind = WEIR_TOKEN_STRING;
    if (!weir_utf8_valid(weir_slice_of(token->text, token->text_size))) {
        fail_token(lexer, &token->position, "this string is no valid UTF-8; save the script as UTF-8");
        token->kind = WEIR_TOKEN_ERROR;
    } else if (strlen(token->text) != token->text_size) {
        fail_token(lexer, &token->position, "this string holds a NUL character, which text can't hold here");
        token->kind = WEIR_TOKEN_ERROR;
    }
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static void lex_bytes(weir_lexer *lexer, weir_token *token)
{
    weir_lexer_advance(lexer, lexer->offset + 1);
    if (!lex_quoted(lexer, token, '\'', unterminated_string)) {
        return;
    }
    char *bytes = weir_arena_alloc(lexer->arena, token->text_size / 2 + 1);
    bool valid = token->text_size % 2 == 0;
    for (size_t i = 0; valid && i < token->text_size; i += 2) {
        int high = hex_value(token->text[i]);
        int low = hex_value(token->text[i + 1]);
        valid = high >= 0 && low >= 0;
        bytes[i / 2] = (char)(high * 16 + low);
    }
    if (!valid) {
        fail_token(lexer, &token->position, "a binary literal holds pairs of hexadecimal digits, such as x'0AFF'");
        token->kind = WEIR_TOKEN_ERROR;
        return;
    }
    token->kind = WEIR_TOKEN_BYTES;
    token->text = bytes;
    token->text_size /= 2;
}

static void append_code_point(weir_buffer *out, uint32_t code)
{
    if (code < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)code);
    } else if (code < 0x800) {
        weir_buffer_append_byte(out, (uint8_t)(0xC0 | (code >> 6)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        weir_buffer_append_byte(out, (uint8_t)(0xE0 | (code >> 12)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | ((code >> 6) & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else {
        weir_buffer_append_byte(out, (uint8_t)(0xF0 | (code >> 18)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | ((code >> 12) & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | ((code >> 6) & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    }
}

/* U&'\4E2D': four hexadecimal digits of UTF-16 after each backslash, a doubled backslash for one. */
static bool decode_unicode_escapes(const char *text, size_t size, weir_buffer *out)
{
    uint32_t high_surrogate = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] != '\\') {
            weir_buffer_append_byte(out, (uint8_t)text[i]);
            continue;
        }
        if (i + 1 < size && text[i + 1] == '\\') {
            weir_buffer_append_byte(out, '\\');
            i++;
            continue;
        }
        uint32_t code = 0;
        for (size_t digit = 1; digit <= 4; digit++) {
            int value = i + digit < size ? hex_value(text[i + digit]) : -1;
            if (value < 0) {
                return false;
            }
            code = code * 16 + (uint32_t)value;
        }
        i += 4;
        if (code >= 0xD800 && code < 0xDC00) {
            high_surrogate = code;
            continue;
        }
        if (code >= 0xDC00 && code < 0xE000) {
            code = 0x10000 + ((high_surrogate & 0x3FF) << 10) + (code & 0x3FF);
        }
        append_code_point(out, code);
    }
    return true;
}

static void lex_unicode_string(weir_lexer *lexer, weir_token *token)
{
    weir_lexer_advance(lexer, lexer->offset + 2);
    lex_string(lexer, token);
    if (token->kind != WEIR_TOKEN_STRING) {
        return;
    }
    weir_buffer decoded = {0};
    bool valid = decode_unicode_escapes(token->text, token->text_size, &decoded) &&
                 weir_utf8_valid(weir_buffer_slice(&decoded)) &&
                 memchr(weir_buffer_text(&decoded), 0, decoded.size) == NULL;
    if (valid) {
        token->text = weir_arena_strndup(lexer->arena, weir_buffer_text(&decoded), decoded.size);
        token->text_size = decoded.size;
    } else {
        fail_token(lexer, &token->position, "a U&'…' string needs four hexadecimal digits after each backslash");
        token->kind = WEIR_TOKEN_ERROR;
    }
    weir_buffer_free(&decoded);
}

/* --- Operators and all else ------------------------------------------------------------------------------------ */

typedef struct operator_row {
    char text[4];
    weir_token_kind kind;
} operator_row;

/* The longer ones first. */
static const operator_row operators[] = {
    {"/*+", WEIR_TOKEN_HINT},
    {"*/", WEIR_TOKEN_HINT_END},
    {"<>", WEIR_TOKEN_NOT_EQUAL},
    {"!=", WEIR_TOKEN_NOT_EQUAL},
    {"<=", WEIR_TOKEN_LESS_OR_EQUAL},
    {">=", WEIR_TOKEN_GREATER_OR_EQUAL},
    {"=>", WEIR_TOKEN_ARROW},
    {"||", WEIR_TOKEN_CONCAT},
    {";", WEIR_TOKEN_SEMICOLON},
    {"(", WEIR_TOKEN_LEFT_PARENTHESIS},
    {")", WEIR_TOKEN_RIGHT_PARENTHESIS},
    {"[", WEIR_TOKEN_LEFT_BRACKET},
    {"]", WEIR_TOKEN_RIGHT_BRACKET},
    {",", WEIR_TOKEN_COMMA},
    {".", WEIR_TOKEN_DOT},
    {"=", WEIR_TOKEN_EQUAL},
    {"<", WEIR_TOKEN_LESS},
    {">", WEIR_TOKEN_GREATER},
    {"+", WEIR_TOKEN_PLUS},
    {"-", WEIR_TOKEN_MINUS},
    {"*", WEIR_TOKEN_STAR},
    {"/", WEIR_TOKEN_SLASH},
    {"%", WEIR_TOKEN_PERCENT},
    {":", WEIR_TOKEN_COLON},
};

static bool stands_here(const weir_lexer *lexer, const char *text)
{
    size_t size = strlen(text);
    return lexer->size - lexer->offset >= size && memcmp(lexer->text + lexer->offset, text, size) == 0;
}

static void fail_operator(weir_lexer *lexer, weir_token *token, size_t size, const char *message)
{
    fail_token(lexer, &token->position, message);
    token->kind = WEIR_TOKEN_ERROR;
    take_text(lexer, token, lexer->offset + size);
}

static void lex_operator(weir_lexer *lexer, weir_token *token)
{
    const weir_foreign_operator *foreign = weir_pasted_operator(rest_of(lexer, lexer->offset));
    if (foreign != NULL) {
        fail_operator(lexer, token, strlen(foreign->text), foreign->message);
        return;
    }
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        if (stands_here(lexer, operators[i].text)) {
            take_text(lexer, token, lexer->offset + strlen(operators[i].text));
            token->kind = operators[i].kind;
            return;
        }
    }
    unsigned char c = (unsigned char)char_at(lexer, 0);
    const char *message = c == '!'              ? "a lone ! means nothing in SQL; write NOT, or <> for 'not equal'"
                          : c > ' ' && c < 0x7F ? "the character %c means nothing in SQL"
                                                : "here stands the byte 0x%02X, which no text of SQL holds; remove it";
    fail_operator(lexer, token, 1, weir_arena_format(lexer->arena, message, c));
}

/* Where a string that a typographic quote opened ends: at the next single quote of any kind behind which no word goes
 * on, so that an apostrophe within may be one. lexer->size: nowhere on this line. */
static size_t find_closing_quote(const weir_lexer *lexer, size_t from, size_t *out_width)
{
    for (size_t i = from; i < lexer->size && lexer->text[i] != '\n'; i++) {
        unsigned char c = (unsigned char)lexer->text[i];
        const weir_lookalike *similar = c >= 0xC2 ? weir_pasted_lookalike(rest_of(lexer, i)) : NULL;
        bool is_typographic = similar != NULL && similar->kind == WEIR_LOOKALIKE_QUOTE;
        size_t width = is_typographic ? strlen(similar->text) : 1;
        unsigned char next = i + width < lexer->size ? (unsigned char)lexer->text[i + width] : ' ';
        bool word_goes_on = next < 0x80 && continues_word(next);
        if ((c == '\'' || is_typographic) && !word_goes_on) {
            *out_width = width;
            return i;
        }
    }
    return lexer->size;
}

static void lex_typographic_string(weir_lexer *lexer, weir_token *token, size_t opening)
{
    size_t from = lexer->offset + opening;
    size_t width = 0;
    size_t end = find_closing_quote(lexer, from, &width);
    if (end == lexer->size) {
        fail_token(lexer, &token->position,
                   "this typographic quote opens a string that has no end in its line; write ' around the text");
        token->kind = WEIR_TOKEN_ERROR;
        take_text(lexer, token, from);
        return;
    }
    token->kind = WEIR_TOKEN_STRING;
    token->text_size = end - from;
    token->text = weir_arena_strndup(lexer->arena, lexer->text + from, token->text_size);
    weir_lexer_advance(lexer, end + width);
    if (!weir_utf8_valid(weir_slice_of(token->text, token->text_size)) || strlen(token->text) != token->text_size) {
        fail_token(lexer, &token->position, "this string is no valid UTF-8; save the script as UTF-8");
        token->kind = WEIR_TOKEN_ERROR;
    }
}

static void lex_lookalike(weir_lexer *lexer, weir_token *token, const weir_lookalike *similar)
{
    size_t width = strlen(similar->text);
    if (similar->kind == WEIR_LOOKALIKE_QUOTE) {
        lex_typographic_string(lexer, token, width);
        return;
    }
    bool is_understood =
        similar->kind == WEIR_LOOKALIKE_OPERATOR || (similar->kind == WEIR_LOOKALIKE_DASH && dash_is_minus(lexer));
    if (!is_understood) {
        fail_token(lexer, &token->position, similar->message);
    }
    token->kind = is_understood ? similar->plain : WEIR_TOKEN_ERROR;
    take_text(lexer, token, lexer->offset + width);
}

static void lex_token(weir_lexer *lexer, weir_token *token)
{
    unsigned char c = (unsigned char)char_at(lexer, 0);
    char next = char_at(lexer, 1);
    const weir_lookalike *similar = c >= 0xC2 ? weir_pasted_lookalike(rest_of(lexer, lexer->offset)) : NULL;
    if (similar != NULL) {
        lex_lookalike(lexer, token, similar);
    } else if (c == '\'') {
        lex_string(lexer, token);
    } else if ((c == 'x' || c == 'X') && next == '\'') {
        lex_bytes(lexer, token);
    } else if ((c == 'u' || c == 'U') && next == '&' && char_at(lexer, 2) == '\'') {
        lex_unicode_string(lexer, token);
    } else if (c == '`') {
        if (lex_quoted(lexer, token, '`', "this name has no end; close it with `")) {
            token->kind = WEIR_TOKEN_QUOTED;
            if (token->text_size == 0 || strlen(token->text) != token->text_size) {
                fail_token(lexer, &token->position, "a name between backquotes can't be empty or hold NUL");
                token->kind = WEIR_TOKEN_ERROR;
            }
        }
    } else if (is_digit((char)c) || (c == '.' && is_digit(next))) {
        lex_number(lexer, token);
    } else if (starts_word(c)) {
        lex_word(lexer, token);
    } else {
        lex_operator(lexer, token);
    }
}

/* Whether what was read so far may be the left side of a minus sign. Of names only the end of NOT ENFORCED may not be:
 * documents put comments behind it. */
static void note_token(weir_lexer *lexer, const weir_token *token)
{
    bool after_not = lexer->after_not;
    lexer->after_not = token->kind == WEIR_TOKEN_WORD && token->keyword == WEIR_KEYWORD_NOT;
    lexer->in_statement = token->kind != WEIR_TOKEN_SEMICOLON;
    switch (token->kind) {
    case WEIR_TOKEN_WORD:
        lexer->after_operand = !(after_not && token->keyword == WEIR_KEYWORD_ENFORCED);
        break;
    case WEIR_TOKEN_QUOTED:
    case WEIR_TOKEN_STRING:
    case WEIR_TOKEN_BYTES:
    case WEIR_TOKEN_NUMBER:
    case WEIR_TOKEN_RIGHT_PARENTHESIS:
    case WEIR_TOKEN_RIGHT_BRACKET:
        lexer->after_operand = true;
        break;
    default:
        lexer->after_operand = false;
        break;
    }
}

weir_token weir_lexer_next(weir_lexer *lexer)
{
    weir_token token = {.kind = WEIR_TOKEN_END, .text = ""};
    bool complete = skip_blanks(lexer);
    token.position = (weir_position){lexer->line, lexer->column, (uint32_t)lexer->offset, (uint32_t)lexer->offset};
    if (!complete) {
        token.kind = WEIR_TOKEN_ERROR;
        weir_lexer_advance(lexer, lexer->size);
    } else if (lexer->offset < lexer->size) {
        lex_token(lexer, &token);
    }
    token.position.end = (uint32_t)lexer->offset;
    note_token(lexer, &token);
    return token;
}
