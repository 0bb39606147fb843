/* Text to tokens, on demand: names, strings, numbers, operators; comments are left out.
 *
 * What people paste from documents and web pages (typographic quotes, dashes, full-width punctuation) gets an error
 * that says what to write instead. What a token means is the parser's business. */
#include "sql/parse/lexer.h"

#include "base/text.h"

void weir_lexer_init(weir_lexer *lexer, const char *text, size_t size, weir_arena *arena)
{
    *lexer = (weir_lexer){.text = text, .size = size, .line = 1, .column = 1, .arena = arena};
}

static char char_at(const weir_lexer *lexer, size_t ahead)
{
    size_t offset = lexer->offset + ahead;
    return offset < lexer->size ? lexer->text[offset] : '\0';
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
    if (c == 0xC2 && (unsigned char)char_at(lexer, ahead + 1) == 0xA0) {
        return 2; /* no-break space */
    }
    if (c == 0xE3 && (unsigned char)char_at(lexer, ahead + 1) == 0x80 &&
        (unsigned char)char_at(lexer, ahead + 2) == 0x80) {
        return 3; /* ideographic space */
    }
    if (c == 0xEF && (unsigned char)char_at(lexer, ahead + 1) == 0xBB &&
        (unsigned char)char_at(lexer, ahead + 2) == 0xBF) {
        return 3; /* byte order mark */
    }
    return 0;
}

static int fail_token(weir_lexer *lexer, const weir_position *at, const char *message)
{
    return weir_fail_at(&lexer->error, WEIR_INVALID, at->line, at->column, "%s", message);
}

bool weir_lexer_skip_blanks(weir_lexer *lexer)
{
    for (;;) {
        size_t blank = blank_size(lexer, 0);
        if (blank > 0 && lexer->offset < lexer->size) {
            weir_lexer_advance(lexer, lexer->offset + blank);
        } else if (char_at(lexer, 0) == '-' && char_at(lexer, 1) == '-') {
            const char *end = memchr(lexer->text + lexer->offset, '\n', lexer->size - lexer->offset);
            weir_lexer_advance(lexer, end == NULL ? lexer->size : (size_t)(end - lexer->text));
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

/* Characters that look like punctuation of SQL and are not. */
typedef struct lookalike {
    const char *text;
    const char *message;
} lookalike;

static const lookalike lookalikes[] = {
    {"\xE2\x80\x98", "the typographic quote \xE2\x80\x98 doesn't begin a string; write ' instead"},
    {"\xE2\x80\x99", "the typographic quote \xE2\x80\x99 doesn't begin a string; write ' instead"},
    {"\xE2\x80\x9A", "the typographic quote \xE2\x80\x9A doesn't begin a string; write ' instead"},
    {"\xE2\x80\xB2", "the prime \xE2\x80\xB2 doesn't begin a string; write ' instead"},
    {"\xC2\xB4", "the accent \xC2\xB4 doesn't begin a string; write ' (or ` around a name) instead"},
    {"\xEF\xBC\x87", "the full-width quote \xEF\xBC\x87 doesn't begin a string; write ' instead"},
    {"\xE2\x80\x9C", "the typographic quote \xE2\x80\x9C is no quote of SQL; write ' around text, ` around a name"},
    {"\xE2\x80\x9D", "the typographic quote \xE2\x80\x9D is no quote of SQL; write ' around text, ` around a name"},
    {"\xEF\xBC\x82", "the full-width quote \xEF\xBC\x82 is no quote of SQL; write ' around text, ` around a name"},
    {"\xE2\x80\x90", "the typographic hyphen \xE2\x80\x90 is no minus sign; write - instead"},
    {"\xE2\x80\x91", "the typographic hyphen \xE2\x80\x91 is no minus sign; write - instead"},
    {"\xE2\x80\x93", "the typographic dash \xE2\x80\x93 is no minus sign; write - instead (-- begins a comment)"},
    {"\xE2\x80\x94", "the typographic dash \xE2\x80\x94 is no minus sign; write - instead (-- begins a comment)"},
    {"\xE2\x88\x92", "the typographic minus \xE2\x88\x92 is no minus sign of SQL; write - instead"},
    {"\xEF\xBC\x8C", "the full-width comma \xEF\xBC\x8C is no comma of SQL; write , instead"},
    {"\xEF\xBC\x9B", "the full-width semicolon \xEF\xBC\x9B doesn't end a statement; write ; instead"},
    {"\xEF\xBC\x88", "the full-width parenthesis \xEF\xBC\x88 is none of SQL; write ( instead"},
    {"\xEF\xBC\x89", "the full-width parenthesis \xEF\xBC\x89 is none of SQL; write ) instead"},
    {"\xEF\xBC\x9D", "the full-width sign \xEF\xBC\x9D is none of SQL; write = instead"},
};

static const lookalike *find_lookalike(const weir_lexer *lexer, size_t offset)
{
    for (size_t i = 0; i < sizeof lookalikes / sizeof lookalikes[0]; i++) {
        size_t size = strlen(lookalikes[i].text);
        if (lexer->size - offset >= size && memcmp(lexer->text + offset, lookalikes[i].text, size) == 0) {
            return &lookalikes[i];
        }
    }
    return NULL;
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
        if (wide && (blank_size(lexer, end - lexer->offset) > 0 || find_lookalike(lexer, end) != NULL)) {
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
    if (starts_word((unsigned char)char_at(lexer, 0))) {
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

static void lex_operator(weir_lexer *lexer, weir_token *token)
{
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t size = strlen(operators[i].text);
        if (lexer->size - lexer->offset >= size && memcmp(lexer->text + lexer->offset, operators[i].text, size) == 0) {
            take_text(lexer, token, lexer->offset + size);
            token->kind = operators[i].kind;
            return;
        }
    }
    char c = char_at(lexer, 0);
    const char *message = "this character means nothing in SQL";
    if (c == '"') {
        message = "double quotes are no quotes of Flink SQL; write ' around text, ` around a name";
    } else if (c == '!') {
        message = "a lone ! means nothing in SQL; write NOT, or <> for 'not equal'";
    }
    fail_token(lexer, &token->position, message);
    token->kind = WEIR_TOKEN_ERROR;
    take_text(lexer, token, lexer->offset + 1);
}

static void lex_token(weir_lexer *lexer, weir_token *token)
{
    unsigned char c = (unsigned char)char_at(lexer, 0);
    char next = char_at(lexer, 1);
    const lookalike *similar = c >= 0xC2 ? find_lookalike(lexer, lexer->offset) : NULL;
    if (similar != NULL) {
        fail_token(lexer, &token->position, similar->message);
        token->kind = WEIR_TOKEN_ERROR;
        take_text(lexer, token, lexer->offset + strlen(similar->text));
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

weir_token weir_lexer_next(weir_lexer *lexer)
{
    weir_token token = {.kind = WEIR_TOKEN_END, .text = ""};
    bool complete = weir_lexer_skip_blanks(lexer);
    token.position = (weir_position){lexer->line, lexer->column, (uint32_t)lexer->offset, (uint32_t)lexer->offset};
    if (!complete) {
        token.kind = WEIR_TOKEN_ERROR;
        weir_lexer_advance(lexer, lexer->size);
    } else if (lexer->offset < lexer->size) {
        lex_token(lexer, &token);
    }
    token.position.end = (uint32_t)lexer->offset;
    return token;
}
