/* Primary expressions: literals, names, constructors, CASE, what stands in parentheses. Calls with a syntax of their
 * own are in parser_call.c, operators in parser_expression.c. */
#include "sql/parse/parser_internal.h"

bool weir_parser_interval_unit(weir_parser *parser, const char **out)
{
    static const char *const units[] = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR", "MINUTE", "SECOND"};
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind != WEIR_TOKEN_WORD) {
        return false;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t size = strlen(units[i]);
        bool plural = token->text_size == size + 1 && (token->text[size] | 0x20) == 's';
        if ((token->text_size == size || plural) && strncasecmp(token->text, units[i], size) == 0) {
            *out = units[i];
            weir_parser_take(parser);
            return true;
        }
    }
    return false;
}

int weir_parser_interval_units(weir_parser *parser, weir_ast_interval *out)
{
    weir_ast_interval units = {.leading_precision = -1, .fraction_precision = -1};
    if (!weir_parser_interval_unit(parser, &units.from)) {
        return weir_parser_unexpected(parser, "a unit such as DAY, HOUR, MINUTE or SECOND");
    }
    if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_integer(parser, "the precision", &units.leading_precision));
        if (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
            WEIR_TRY(weir_parser_integer(parser, "the precision of the fraction", &units.fraction_precision));
        }
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TO)) {
        if (!weir_parser_interval_unit(parser, &units.to)) {
            return weir_parser_unexpected(parser, "the unit after TO");
        }
        if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
            WEIR_TRY(weir_parser_integer(parser, "the precision of the fraction", &units.fraction_precision));
            WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
        }
    }
    *out = units;
    return WEIR_OK;
}

static int parse_interval(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *interval = weir_parser_new_expression(parser, WEIR_AST_INTERVAL, &begin.position);
    interval->negated = weir_parser_accept(parser, WEIR_TOKEN_MINUS);
    if (!interval->negated) {
        weir_parser_accept(parser, WEIR_TOKEN_PLUS);
    }
    if (weir_parser_at(parser, WEIR_TOKEN_NUMBER)) {
        return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                                "an interval's number is written in quotes: INTERVAL '%s' …",
                                weir_parser_peek(parser, 0)->text);
    }
    WEIR_TRY(weir_parser_string(parser, "the interval as a 'string'", &interval->text));
    interval->text_size = strlen(interval->text);
    WEIR_TRY(weir_parser_interval_units(parser, &interval->interval));
    interval->position = weir_parser_since(parser, &begin.position);
    *out = interval;
    return WEIR_OK;
}

/* A name, a name with a star, or a call. */
static int parse_name_or_call(weir_parser *parser, weir_ast_expression **out)
{
    if (weir_parser_at_special_call(parser)) {
        return weir_parser_call(parser, out);
    }
    if (weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS) {
        return weir_parser_call(parser, out);
    }
    weir_token begin = *weir_parser_peek(parser, 0);
    weir_ast_expression *column = weir_parser_new_expression(parser, WEIR_AST_COLUMN, &begin.position);
    WEIR_TRY(weir_parser_name(parser, "an expression", &column->name));
    if (weir_parser_at(parser, WEIR_TOKEN_DOT)) { /* a dot that weir_parser_name left stands before a star */
        weir_parser_take(parser);
        weir_parser_take(parser);
        column->kind = WEIR_AST_STAR;
    } else if (column->name.count > 1 && weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        parser->index--;
        return weir_parser_fail(parser, &begin.position, "functions of catalogs are not offered; call a built-in one");
    }
    column->position = weir_parser_since(parser, &begin.position);
    *out = column;
    return WEIR_OK;
}

int weir_parser_list(weir_parser *parser, weir_token_kind close, const char *closing, weir_ast_expression *node)
{
    if (!weir_parser_at(parser, close)) {
        do {
            weir_ast_expression *element;
            WEIR_TRY(weir_parser_expression(parser, &element));
            weir_parser_append(parser, node, element);
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    WEIR_TRY(weir_parser_expect(parser, close, closing));
    node->position = weir_parser_since(parser, &node->position);
    return WEIR_OK;
}

/* ARRAY[…], MAP[…], MULTISET[…], ARRAY(query), ROW(…). */
static int parse_constructor(weir_parser *parser, weir_ast_expression_kind kind, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *node = weir_parser_new_expression(parser, kind, &begin.position);
    *out = node;
    if (kind == WEIR_AST_ROW) {
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
        return weir_parser_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", node);
    }
    if (kind == WEIR_AST_ARRAY && weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_query(parser, &node->query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
        node->position = weir_parser_since(parser, &begin.position);
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_BRACKET, "["));
    return weir_parser_list(parser, WEIR_TOKEN_RIGHT_BRACKET, "] or a comma", node);
}

/* The unit behind (a - b), which makes the difference of two times an interval. */
static int parse_difference_unit(weir_parser *parser, weir_ast_expression *difference)
{
    size_t before = parser->index;
    const char *unit;
    if (difference->kind != WEIR_AST_BINARY || difference->operation != WEIR_AST_MINUS ||
        !weir_parser_interval_unit(parser, &unit)) {
        return WEIR_OK;
    }
    parser->index = before;
    WEIR_TRY(weir_parser_interval_units(parser, &difference->interval));
    difference->position.end = weir_parser_since(parser, &difference->position).end;
    return WEIR_OK;
}

/* (expression), (a, b) as a row, or (query) as a scalar. */
static int parse_parenthesized(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    if (weir_parser_at_query(parser)) {
        weir_ast_expression *subquery = weir_parser_new_expression(parser, WEIR_AST_SUBQUERY, &begin.position);
        WEIR_TRY(weir_parser_query(parser, &subquery->query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
        subquery->position = weir_parser_since(parser, &begin.position);
        *out = subquery;
        return WEIR_OK;
    }
    weir_ast_expression *first;
    WEIR_TRY(weir_parser_expression(parser, &first));
    if (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
        weir_ast_expression *row = weir_parser_new_expression(parser, WEIR_AST_ROW, &begin.position);
        weir_parser_append(parser, row, first);
        *out = row;
        return weir_parser_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", row);
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    first->parenthesized = true;
    *out = first;
    return parse_difference_unit(parser, first);
}

static int parse_case(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_CASE, &begin.position);
    weir_ast_expression *part;
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_WHEN)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        weir_parser_append(parser, node, part);
        node->operation |= WEIR_AST_CASE_OPERAND;
    }
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_WHEN)) {
        return weir_parser_expect_keyword(parser, WEIR_KEYWORD_WHEN);
    }
    while (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WHEN)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        weir_parser_append(parser, node, part);
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_THEN));
        WEIR_TRY(weir_parser_expression(parser, &part));
        weir_parser_append(parser, node, part);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ELSE)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        weir_parser_append(parser, node, part);
        node->operation |= WEIR_AST_CASE_ELSE;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_END));
    node->position = weir_parser_since(parser, &begin.position);
    *out = node;
    return WEIR_OK;
}

static int take_literal(weir_parser *parser, weir_ast_expression_kind kind, weir_ast_expression **out)
{
    weir_token token = weir_parser_take(parser);
    weir_ast_expression *literal = weir_parser_new_expression(parser, kind, &token.position);
    literal->text = token.text;
    literal->text_size = token.text_size;
    *out = literal;
    return WEIR_OK;
}

/* DATE '…', TIME '…', TIMESTAMP '…'. */
static int parse_time_literal(weir_parser *parser, weir_ast_expression_kind kind, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    WEIR_TRY(take_literal(parser, kind, out));
    (*out)->position = weir_parser_since(parser, &begin.position);
    return WEIR_OK;
}

static int parse_word(weir_parser *parser, weir_ast_expression **out)
{
    weir_keyword keyword = weir_parser_peek(parser, 0)->keyword;
    weir_token_kind next = weir_parser_peek(parser, 1)->kind;
    switch (keyword) {
    case WEIR_KEYWORD_NULL:
        return take_literal(parser, WEIR_AST_NULL, out);
    case WEIR_KEYWORD_TRUE:
    case WEIR_KEYWORD_FALSE:
        WEIR_TRY(take_literal(parser, WEIR_AST_BOOLEAN, out));
        (*out)->operation = keyword == WEIR_KEYWORD_TRUE;
        return WEIR_OK;
    case WEIR_KEYWORD_UNKNOWN:
        return take_literal(parser, WEIR_AST_NULL, out);
    case WEIR_KEYWORD_INTERVAL:
        return parse_interval(parser, out);
    case WEIR_KEYWORD_CASE:
        return parse_case(parser, out);
    case WEIR_KEYWORD_ROW:
        return parse_constructor(parser, WEIR_AST_ROW, out);
    case WEIR_KEYWORD_ARRAY:
        return parse_constructor(parser, WEIR_AST_ARRAY, out);
    case WEIR_KEYWORD_DATE:
        if (next == WEIR_TOKEN_STRING) {
            return parse_time_literal(parser, WEIR_AST_DATE, out);
        }
        break;
    case WEIR_KEYWORD_TIME:
        if (next == WEIR_TOKEN_STRING) {
            return parse_time_literal(parser, WEIR_AST_TIME, out);
        }
        break;
    case WEIR_KEYWORD_TIMESTAMP:
        if (next == WEIR_TOKEN_STRING) {
            return parse_time_literal(parser, WEIR_AST_TIMESTAMP, out);
        }
        break;
    case WEIR_KEYWORD_MAP:
        if (next == WEIR_TOKEN_LEFT_BRACKET) {
            return parse_constructor(parser, WEIR_AST_MAP, out);
        }
        break;
    case WEIR_KEYWORD_MULTISET:
        if (next == WEIR_TOKEN_LEFT_BRACKET) {
            return parse_constructor(parser, WEIR_AST_MULTISET, out);
        }
        break;
    default:
        break;
    }
    if (weir_keyword_reserved(keyword) && !weir_parser_at_special_call(parser) && next != WEIR_TOKEN_LEFT_PARENTHESIS) {
        return weir_parser_unexpected(parser, "an expression or a column's name");
    }
    return parse_name_or_call(parser, out);
}

int weir_parser_primary(weir_parser *parser, weir_ast_expression **out)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    switch (token->kind) {
    case WEIR_TOKEN_NUMBER:
        return take_literal(parser, WEIR_AST_NUMBER, out);
    case WEIR_TOKEN_STRING: {
        WEIR_TRY(take_literal(parser, WEIR_AST_STRING, out));
        weir_ast_expression *text = *out; /* 'a' 'b' on two lines is one string */
        while (weir_parser_at(parser, WEIR_TOKEN_STRING)) {
            weir_token more = weir_parser_take(parser);
            text->text = weir_arena_format(parser->arena, "%s%s", text->text, more.text);
            text->text_size += more.text_size;
            text->position = weir_parser_since(parser, &text->position);
        }
        return WEIR_OK;
    }
    case WEIR_TOKEN_BYTES:
        return take_literal(parser, WEIR_AST_BYTES, out);
    case WEIR_TOKEN_QUOTED:
        return parse_name_or_call(parser, out);
    case WEIR_TOKEN_WORD:
        return parse_word(parser, out);
    case WEIR_TOKEN_LEFT_PARENTHESIS:
        return parse_parenthesized(parser, out);
    default:
        return weir_parser_unexpected(parser, "an expression");
    }
}
