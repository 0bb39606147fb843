/* The parser's ground: the token window, errors with suggestions, names, options and hints. The grammar is in the
 * parser_*.c files beside it; script.c begins and ends a parse. */
#include "base/text.h"
#include "sql/parse/parser_internal.h"
#include "sql/parser.h"

/* --- Tokens ---------------------------------------------------------------------------------------------------- */

/* Nothing is lexed after an error, a semicolon or the end: those tokens repeat themselves. */
static void lex_one(weir_parser *parser)
{
    WEIR_GROW(parser->tokens, parser->token_capacity, parser->token_count + 1);
    if (parser->token_count > 0) {
        weir_token last = parser->tokens[parser->token_count - 1];
        if (last.kind == WEIR_TOKEN_END || last.kind == WEIR_TOKEN_ERROR) {
            parser->tokens[parser->token_count++] = last;
            return;
        }
    }
    parser->tokens[parser->token_count] = weir_lexer_next(&parser->lexer);
    parser->token_count++;
}

const weir_token *weir_parser_peek(weir_parser *parser, size_t ahead)
{
    while (parser->index + ahead >= parser->token_count) {
        lex_one(parser);
    }
    return &parser->tokens[parser->index + ahead];
}

weir_token weir_parser_take(weir_parser *parser)
{
    weir_token token = *weir_parser_peek(parser, 0);
    parser->index++;
    return token;
}

bool weir_parser_at(weir_parser *parser, weir_token_kind kind) { return weir_parser_peek(parser, 0)->kind == kind; }

bool weir_parser_at_keyword(weir_parser *parser, weir_keyword keyword)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    return token->kind == WEIR_TOKEN_WORD && token->keyword == keyword;
}

bool weir_parser_at_keywords(weir_parser *parser, weir_keyword first, weir_keyword second)
{
    if (!weir_parser_at_keyword(parser, first)) {
        return false;
    }
    const weir_token *token = weir_parser_peek(parser, 1);
    return token->kind == WEIR_TOKEN_WORD && token->keyword == second;
}

bool weir_parser_accept(weir_parser *parser, weir_token_kind kind)
{
    bool at = weir_parser_at(parser, kind);
    parser->index += at;
    return at;
}

bool weir_parser_accept_keyword(weir_parser *parser, weir_keyword keyword)
{
    bool at = weir_parser_at_keyword(parser, keyword);
    parser->index += at;
    return at;
}

bool weir_parser_accept_keywords(weir_parser *parser, weir_keyword first, weir_keyword second)
{
    bool at = weir_parser_at_keywords(parser, first, second);
    parser->index += at ? 2 : 0;
    return at;
}

int weir_parser_expect(weir_parser *parser, weir_token_kind kind, const char *what)
{
    return weir_parser_accept(parser, kind) ? WEIR_OK : weir_parser_unexpected(parser, what);
}

int weir_parser_expect_keyword(weir_parser *parser, weir_keyword keyword)
{
    if (weir_parser_accept_keyword(parser, keyword)) {
        return WEIR_OK;
    }
    const char *text = weir_keyword_text(keyword);
    return weir_parser_unexpected_of(parser, text, &text, 1);
}

/* --- Errors ---------------------------------------------------------------------------------------------------- */

int weir_parser_fail(weir_parser *parser, const weir_position *position, const char *format, ...)
{
    char message[WEIR_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return weir_fail_at(parser->err, WEIR_INVALID, position->line, position->column, "%s", message);
}

/* Whether a token stands in the value of an option that is a secret: 'password' = 'it's'. A text in a line before is
 * such a value, and the comma after it was forgotten. */
static bool may_be_secret(const weir_parser *parser, const weir_token *shown)
{
    for (size_t i = parser->index; i > 0; i--) {
        const weir_token *token = &parser->tokens[i - 1];
        if (token->kind == WEIR_TOKEN_COMMA || token->kind == WEIR_TOKEN_LEFT_PARENTHESIS ||
            token->kind == WEIR_TOKEN_SEMICOLON) {
            return false;
        }
        bool is_text = token->kind == WEIR_TOKEN_STRING;
        if (is_text && weir_sql_is_secret_key(weir_slice_text(token->text))) {
            return true;
        }
        if (is_text && token->position.line < shown->position.line) {
            return false;
        }
    }
    return false;
}

/* What stands at a token, as an error quotes it. */
static const char *describe_token(weir_parser *parser, const weir_token *token)
{
    if (token->kind == WEIR_TOKEN_END) {
        return "end of the text";
    }
    if (may_be_secret(parser, token)) {
        return "a part of what may be a secret";
    }
    size_t size = token->position.end - token->position.begin;
    const char *source = parser->lexer.text + token->position.begin;
    size_t shown = weir_utf8_prefix(weir_slice_of(source, size), 40);
    const char *quote = token->kind == WEIR_TOKEN_STRING || token->kind == WEIR_TOKEN_QUOTED ? "" : "'";
    return weir_arena_format(parser->arena, "%s%.*s%s%s", quote, (int)shown, source, shown < size ? "…" : "", quote);
}

int weir_parser_unexpected_of(weir_parser *parser, const char *what, const char *const *candidates, size_t count)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind == WEIR_TOKEN_ERROR) {
        if (parser->err != NULL) {
            *parser->err = parser->lexer.error;
        }
        return parser->lexer.error.code;
    }
    if (token->kind == WEIR_TOKEN_COLON) {
        return weir_parser_fail(parser, &token->position,
                                "a colon means nothing in Flink SQL; for a cast write CAST(value AS type)");
    }
    const char *found = describe_token(parser, token);
    const char *meant = token->kind == WEIR_TOKEN_WORD ? weir_suggest(token->text, candidates, count) : NULL;
    if (meant != NULL && !weir_text_equal_ignore_case(meant, token->text)) {
        return weir_parser_fail(parser, &token->position, "unexpected %s; did you mean %s?", found, meant);
    }
    bool reserved = token->kind == WEIR_TOKEN_WORD && weir_keyword_reserved(token->keyword) &&
                    token->keyword != WEIR_KEYWORD_FROM && token->keyword != WEIR_KEYWORD_WHERE;
    if (reserved && strstr(what, "name") != NULL) {
        return weir_parser_fail(parser, &token->position,
                                "unexpected %s; expected %s (%s is a reserved word: as a name write `%s`)", found, what,
                                weir_keyword_text(token->keyword), token->text);
    }
    return weir_parser_fail(parser, &token->position, "unexpected %s; expected %s", found, what);
}

int weir_parser_unexpected(weir_parser *parser, const char *what)
{
    return weir_parser_unexpected_of(parser, what, NULL, 0);
}

int weir_parser_enter(weir_parser *parser)
{
    enum { deepest = 250 };
    if (parser->depth >= deepest) {
        return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                                "nested more than %d levels deep; use views or WITH to take it apart", deepest);
    }
    parser->depth++;
    return WEIR_OK;
}

void weir_parser_leave(weir_parser *parser) { parser->depth--; }

weir_position weir_parser_since(const weir_parser *parser, const weir_position *begin)
{
    weir_position position = *begin;
    if (parser->index > 0) {
        position.end = parser->tokens[parser->index - 1].position.end;
    }
    return position;
}

void *weir_parser_grow(weir_arena *arena, void *items, int32_t count, size_t size)
{
    bool full = (count & (count - 1)) == 0; /* capacities are powers of two */
    if (!full) {
        return items;
    }
    void *grown = weir_arena_alloc(arena, size * (count == 0 ? 1 : (size_t)count * 2));
    if (count > 0) {
        memcpy(grown, items, size * (size_t)count);
    }
    return grown;
}

/* --- Names and strings ----------------------------------------------------------------------------------------- */

static bool token_is_name(const weir_token *token)
{
    return token->kind == WEIR_TOKEN_QUOTED ||
           (token->kind == WEIR_TOKEN_WORD && !weir_keyword_reserved(token->keyword));
}

bool weir_parser_at_name(weir_parser *parser) { return token_is_name(weir_parser_peek(parser, 0)); }

int weir_parser_part(weir_parser *parser, const char *what, weir_ast_part *out)
{
    if (!weir_parser_at_name(parser)) {
        return weir_parser_unexpected(parser, what);
    }
    weir_token token = weir_parser_take(parser);
    *out = (weir_ast_part){token.position, token.text, token.kind == WEIR_TOKEN_QUOTED};
    return WEIR_OK;
}

/* After a dot any word is a name. */
static int part_after_dot(weir_parser *parser, weir_ast_part *out)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind != WEIR_TOKEN_WORD && token->kind != WEIR_TOKEN_QUOTED) {
        return weir_parser_unexpected(parser, "a name after the dot");
    }
    weir_token taken = weir_parser_take(parser);
    *out = (weir_ast_part){taken.position, taken.text, taken.kind == WEIR_TOKEN_QUOTED};
    return WEIR_OK;
}

int weir_parser_name(weir_parser *parser, const char *what, weir_ast_name *out)
{
    weir_ast_name name = {0};
    weir_ast_part part;
    WEIR_TRY(weir_parser_part(parser, what, &part));
    WEIR_PARSER_APPEND(parser, name.parts, name.count, part);
    while (weir_parser_at(parser, WEIR_TOKEN_DOT) && weir_parser_peek(parser, 1)->kind != WEIR_TOKEN_STAR) {
        weir_parser_take(parser);
        WEIR_TRY(part_after_dot(parser, &part));
        WEIR_PARSER_APPEND(parser, name.parts, name.count, part);
    }
    name.position = weir_parser_since(parser, &name.parts[0].position);
    *out = name;
    return WEIR_OK;
}

int weir_parser_name_list(weir_parser *parser, const char *what, weir_ast_names *out)
{
    weir_ast_names names = {0};
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    do {
        weir_ast_part part;
        WEIR_TRY(weir_parser_part(parser, what, &part));
        WEIR_PARSER_APPEND(parser, names.items, names.count, part);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma"));
    *out = names;
    return WEIR_OK;
}

int weir_parser_string(weir_parser *parser, const char *what, const char **out)
{
    if (!weir_parser_at(parser, WEIR_TOKEN_STRING)) {
        return weir_parser_unexpected(parser, what);
    }
    *out = weir_parser_take(parser).text;
    return WEIR_OK;
}

int weir_parser_comment(weir_parser *parser, const char **out)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_COMMENT)) {
        return weir_parser_string(parser, "the comment as a 'string'", out);
    }
    return WEIR_OK;
}

int weir_parser_integer(weir_parser *parser, const char *what, int32_t *out)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    int64_t value = 0;
    if (token->kind != WEIR_TOKEN_NUMBER || !weir_parse_int64(weir_slice_of(token->text, token->text_size), &value) ||
        value > INT32_MAX) {
        return weir_parser_unexpected(parser, what);
    }
    weir_parser_take(parser);
    *out = (int32_t)value;
    return WEIR_OK;
}

/* --- Options and hints ----------------------------------------------------------------------------------------- */

static int parse_option(weir_parser *parser, weir_ast_option *out)
{
    weir_ast_option option = {.position = weir_parser_peek(parser, 0)->position};
    WEIR_TRY(weir_parser_string(parser, "an option's key as a 'string'", &option.key));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_EQUAL, "= after the option's key"));
    option.value_position = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_string(parser, "the option's value as a 'string'", &option.value));
    *out = option;
    return WEIR_OK;
}

int weir_parser_options(weir_parser *parser, weir_ast_options *out)
{
    weir_ast_options options = {0};
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( before the options"));
    if (!weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        do {
            weir_ast_option option;
            WEIR_TRY(parse_option(parser, &option));
            WEIR_PARSER_APPEND(parser, options.items, options.count, option);
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma after the option"));
    *out = options;
    return WEIR_OK;
}

static int parse_partition_value(weir_parser *parser, const char **out)
{
    const char *sign = weir_parser_accept(parser, WEIR_TOKEN_MINUS) ? "-" : "";
    const weir_token *token = weir_parser_peek(parser, 0);
    bool literal_word = token->keyword == WEIR_KEYWORD_DATE || token->keyword == WEIR_KEYWORD_TIMESTAMP;
    if (literal_word && weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_STRING) {
        weir_parser_take(parser);
        token = weir_parser_peek(parser, 0);
    }
    bool word = token->keyword == WEIR_KEYWORD_TRUE || token->keyword == WEIR_KEYWORD_FALSE ||
                token->keyword == WEIR_KEYWORD_NULL;
    if (token->kind != WEIR_TOKEN_STRING && token->kind != WEIR_TOKEN_NUMBER && !word) {
        return weir_parser_unexpected(parser, "a literal as the partition's value");
    }
    *out = weir_arena_format(parser->arena, "%s%s", sign, weir_parser_take(parser).text);
    return WEIR_OK;
}

int weir_parser_partition(weir_parser *parser, weir_ast_options *out)
{
    weir_ast_options options = {0};
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( before the partition"));
    do {
        weir_ast_part column;
        WEIR_TRY(weir_parser_part(parser, "a partition column's name", &column));
        weir_ast_option option = {.position = column.position, .key = column.text};
        if (weir_parser_accept(parser, WEIR_TOKEN_EQUAL)) {
            option.value_position = weir_parser_peek(parser, 0)->position;
            WEIR_TRY(parse_partition_value(parser, &option.value));
        }
        WEIR_PARSER_APPEND(parser, options.items, options.count, option);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma"));
    *out = options;
    return WEIR_OK;
}

static const char *upper_case(weir_arena *arena, const char *text)
{
    char *copy = weir_arena_strdup(arena, text);
    for (char *c = copy; *c != '\0'; c++) {
        if (*c >= 'a' && *c <= 'z') {
            *c = (char)(*c - 'a' + 'A');
        }
    }
    return copy;
}

static int parse_hint(weir_parser *parser, weir_ast_hint *out)
{
    weir_ast_part name;
    WEIR_TRY(weir_parser_part(parser, "a hint's name", &name));
    weir_ast_hint hint = {.position = name.position, .name = upper_case(parser->arena, name.text)};
    bool pairs = weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS) &&
                 (weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_STRING ||
                  weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_RIGHT_PARENTHESIS);
    if (pairs) {
        WEIR_TRY(weir_parser_options(parser, &hint.options));
    } else if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_name_list(parser, "a table's name", &hint.arguments));
    }
    *out = hint;
    return WEIR_OK;
}

int weir_parser_hints(weir_parser *parser, weir_ast_hints *out)
{
    while (weir_parser_accept(parser, WEIR_TOKEN_HINT)) {
        do {
            weir_ast_hint hint;
            WEIR_TRY(parse_hint(parser, &hint));
            WEIR_PARSER_APPEND(parser, out->items, out->count, hint);
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA) || !weir_parser_at(parser, WEIR_TOKEN_HINT_END));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_HINT_END, "*/ after the hint"));
    }
    return WEIR_OK;
}

weir_ast_expression *weir_parser_new_expression(weir_parser *parser, weir_ast_expression_kind kind,
                                                const weir_position *begin)
{
    weir_ast_expression *expression = WEIR_NEW(parser->arena, weir_ast_expression);
    expression->kind = kind;
    expression->position = *begin;
    return expression;
}

void weir_parser_append(weir_parser *parser, weir_ast_expression *node, weir_ast_expression *argument)
{
    WEIR_PARSER_APPEND(parser, node->arguments, node->argument_count, argument);
}
