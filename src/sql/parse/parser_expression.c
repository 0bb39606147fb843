/* Expressions by precedence, loosest first, as Flink's parser has it:
 *
 *   OR · AND · NOT · IS … · = <> < <= > >= · BETWEEN IN LIKE · + - · * / % || · unary + - · [ ] and .field
 *
 * Literals, constructors and names are here; calls with a syntax of their own are in parser_call.c. */
#include "sql/parse/parser_internal.h"

static weir_ast_expression **two(weir_parser *parser, weir_ast_expression *a, weir_ast_expression *b)
{
    weir_ast_expression **arguments = WEIR_NEW_ARRAY(parser->arena, weir_ast_expression *, 2);
    arguments[0] = a;
    arguments[1] = b;
    return arguments;
}

static weir_ast_expression *new_binary(weir_parser *parser, const weir_token *sign, weir_ast_operator operation,
                                       weir_ast_expression *left, weir_ast_expression *right)
{
    weir_ast_expression *binary = weir_parser_new_expression(parser, WEIR_AST_BINARY, &sign->position);
    binary->position.begin = left->position.begin;
    binary->position.end = right->position.end;
    binary->operation = operation;
    binary->arguments = two(parser, left, right);
    binary->argument_count = 2;
    return binary;
}

static void append_argument(weir_parser *parser, weir_ast_expression *node, weir_ast_expression *argument)
{
    WEIR_PARSER_APPEND(parser, node->arguments, node->argument_count, argument);
}

/* --- Primary expressions -------------------------------------------------------------------------------------------
 */

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

static int parse_list(weir_parser *parser, weir_token_kind close, const char *closing, weir_ast_expression *node)
{
    if (!weir_parser_at(parser, close)) {
        do {
            weir_ast_expression *element;
            WEIR_TRY(weir_parser_expression(parser, &element));
            append_argument(parser, node, element);
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
        return parse_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", node);
    }
    if (kind == WEIR_AST_ARRAY && weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_query(parser, &node->query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
        node->position = weir_parser_since(parser, &begin.position);
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_BRACKET, "["));
    return parse_list(parser, WEIR_TOKEN_RIGHT_BRACKET, "] or a comma", node);
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
        append_argument(parser, row, first);
        *out = row;
        return parse_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", row);
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    first->parenthesized = true;
    *out = first;
    return WEIR_OK;
}

static int parse_case(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_CASE, &begin.position);
    weir_ast_expression *part;
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_WHEN)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        append_argument(parser, node, part);
        node->operation |= WEIR_AST_CASE_OPERAND;
    }
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_WHEN)) {
        return weir_parser_expect_keyword(parser, WEIR_KEYWORD_WHEN);
    }
    while (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WHEN)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        append_argument(parser, node, part);
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_THEN));
        WEIR_TRY(weir_parser_expression(parser, &part));
        append_argument(parser, node, part);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ELSE)) {
        WEIR_TRY(weir_parser_expression(parser, &part));
        append_argument(parser, node, part);
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

/* --- Operators -----------------------------------------------------------------------------------------------------
 */

/* value[index], value.field */
static int parse_postfix(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *node;
    WEIR_TRY(weir_parser_primary(parser, &node));
    for (;;) {
        weir_token sign = *weir_parser_peek(parser, 0);
        if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_BRACKET)) {
            weir_ast_expression *index;
            WEIR_TRY(weir_parser_expression(parser, &index));
            WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_BRACKET, "]"));
            weir_ast_expression *item = weir_parser_new_expression(parser, WEIR_AST_ITEM, &node->position);
            item->arguments = two(parser, node, index);
            item->argument_count = 2;
            item->position = weir_parser_since(parser, &node->position);
            node = item;
        } else if (sign.kind == WEIR_TOKEN_DOT && node->kind != WEIR_AST_STAR) {
            weir_parser_take(parser);
            const weir_token *name = weir_parser_peek(parser, 0);
            if (name->kind != WEIR_TOKEN_WORD && name->kind != WEIR_TOKEN_QUOTED) {
                return weir_parser_unexpected(parser, "a field's name after the dot");
            }
            weir_ast_expression *field = weir_parser_new_expression(parser, WEIR_AST_FIELD, &name->position);
            field->text = weir_parser_take(parser).text;
            append_argument(parser, field, node);
            field->position.begin = node->position.begin;
            node = field;
        } else {
            *out = node;
            return WEIR_OK;
        }
    }
}

static int parse_unary(weir_parser *parser, weir_ast_expression **out)
{
    weir_token sign = *weir_parser_peek(parser, 0);
    if (sign.kind != WEIR_TOKEN_MINUS && sign.kind != WEIR_TOKEN_PLUS) {
        return parse_postfix(parser, out);
    }
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_enter(parser));
    weir_ast_expression *operand;
    int code = parse_unary(parser, &operand);
    weir_parser_leave(parser);
    WEIR_TRY(code);
    weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_UNARY, &sign.position);
    node->operation = sign.kind == WEIR_TOKEN_MINUS ? WEIR_AST_MINUS : WEIR_AST_PLUS;
    append_argument(parser, node, operand);
    node->position.end = operand->position.end;
    *out = node;
    return WEIR_OK;
}

/* Chains of operators of one level make trees that lean left; their length is bounded because later stages recurse. */
static int check_chain(weir_parser *parser, int32_t length)
{
    enum { longest = 2000 };
    if (length < longest) {
        return WEIR_OK;
    }
    return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                            "more than %d operators in a row; take the expression apart", longest);
}

static int parse_multiplicative(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *left;
    WEIR_TRY(parse_unary(parser, &left));
    for (int32_t length = 0;; length++) {
        weir_token sign = *weir_parser_peek(parser, 0);
        weir_ast_operator operation;
        switch (sign.kind) {
        case WEIR_TOKEN_STAR:
            operation = WEIR_AST_MULTIPLY;
            break;
        case WEIR_TOKEN_SLASH:
            operation = WEIR_AST_DIVIDE;
            break;
        case WEIR_TOKEN_PERCENT:
            operation = WEIR_AST_MODULO;
            break;
        case WEIR_TOKEN_CONCAT:
            operation = WEIR_AST_CONCAT;
            break;
        default:
            *out = left;
            return WEIR_OK;
        }
        WEIR_TRY(check_chain(parser, length));
        weir_parser_take(parser);
        weir_ast_expression *right;
        WEIR_TRY(parse_unary(parser, &right));
        left = new_binary(parser, &sign, operation, left, right);
    }
}

static int parse_additive(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *left;
    WEIR_TRY(parse_multiplicative(parser, &left));
    for (int32_t length = 0;; length++) {
        weir_token sign = *weir_parser_peek(parser, 0);
        if (sign.kind != WEIR_TOKEN_PLUS && sign.kind != WEIR_TOKEN_MINUS) {
            *out = left;
            return WEIR_OK;
        }
        WEIR_TRY(check_chain(parser, length));
        weir_parser_take(parser);
        weir_ast_expression *right;
        WEIR_TRY(parse_multiplicative(parser, &right));
        left = new_binary(parser, &sign, sign.kind == WEIR_TOKEN_PLUS ? WEIR_AST_PLUS : WEIR_AST_MINUS, left, right);
    }
}

static int parse_in(weir_parser *parser, weir_ast_expression *node)
{
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( after IN"));
    if (weir_parser_at_query(parser)) {
        WEIR_TRY(weir_parser_query(parser, &node->query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
        return WEIR_OK;
    }
    if (weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        return weir_parser_unexpected(parser, "at least one value in the list of IN");
    }
    weir_position position = node->position;
    int code = parse_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", node);
    node->position = position;
    return code;
}

static int parse_between(weir_parser *parser, weir_ast_expression *node)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_SYMMETRIC)) {
        node->operation = 1;
    } else {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ASYMMETRIC);
    }
    weir_ast_expression *bound;
    WEIR_TRY(parse_additive(parser, &bound));
    append_argument(parser, node, bound);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AND));
    WEIR_TRY(parse_additive(parser, &bound));
    append_argument(parser, node, bound);
    return WEIR_OK;
}

static int parse_like(weir_parser *parser, weir_ast_expression *node)
{
    weir_ast_expression *argument;
    WEIR_TRY(parse_additive(parser, &argument));
    append_argument(parser, node, argument);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ESCAPE)) {
        WEIR_TRY(parse_additive(parser, &argument));
        append_argument(parser, node, argument);
    }
    return WEIR_OK;
}

/* One of [NOT] BETWEEN, IN, LIKE, SIMILAR TO; OVERLAPS. False when the token begins none. */
static int parse_range_operator(weir_parser *parser, weir_ast_expression *left, weir_ast_expression **out, bool *found)
{
    size_t before = parser->index;
    weir_token sign = *weir_parser_peek(parser, 0);
    weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_IN, &sign.position);
    node->position.begin = left->position.begin;
    node->negated = weir_parser_accept_keyword(parser, WEIR_KEYWORD_NOT);
    append_argument(parser, node, left);
    *found = true;
    *out = node;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_IN)) {
        WEIR_TRY(parse_in(parser, node));
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_BETWEEN)) {
        node->kind = WEIR_AST_BETWEEN;
        WEIR_TRY(parse_between(parser, node));
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_LIKE)) {
        node->kind = WEIR_AST_LIKE;
        node->operation = WEIR_AST_LIKE_OPERATOR;
        WEIR_TRY(parse_like(parser, node));
    } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_SIMILAR, WEIR_KEYWORD_TO)) {
        node->kind = WEIR_AST_LIKE;
        node->operation = WEIR_AST_SIMILAR;
        WEIR_TRY(parse_like(parser, node));
    } else if (!node->negated && weir_parser_accept_keyword(parser, WEIR_KEYWORD_OVERLAPS)) {
        weir_ast_expression *right;
        WEIR_TRY(parse_additive(parser, &right));
        *out = new_binary(parser, &sign, WEIR_AST_OVERLAPS, left, right);
        return WEIR_OK;
    } else {
        *found = false;
        parser->index = before;
        return WEIR_OK;
    }
    node->position.end = weir_parser_since(parser, &node->position).end;
    return WEIR_OK;
}

static int parse_range(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *left;
    WEIR_TRY(parse_additive(parser, &left));
    for (int32_t length = 0;; length++) {
        bool found;
        weir_ast_expression *node;
        WEIR_TRY(parse_range_operator(parser, left, &node, &found));
        if (!found) {
            *out = left;
            return WEIR_OK;
        }
        WEIR_TRY(check_chain(parser, length));
        left = node;
    }
}

static int parse_comparison(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *left;
    WEIR_TRY(parse_range(parser, &left));
    for (int32_t length = 0;; length++) {
        weir_token sign = *weir_parser_peek(parser, 0);
        weir_ast_operator operation;
        switch (sign.kind) {
        case WEIR_TOKEN_EQUAL:
            operation = WEIR_AST_EQUAL;
            break;
        case WEIR_TOKEN_NOT_EQUAL:
            operation = WEIR_AST_NOT_EQUAL;
            break;
        case WEIR_TOKEN_LESS:
            operation = WEIR_AST_LESS;
            break;
        case WEIR_TOKEN_LESS_OR_EQUAL:
            operation = WEIR_AST_LESS_OR_EQUAL;
            break;
        case WEIR_TOKEN_GREATER:
            operation = WEIR_AST_GREATER;
            break;
        case WEIR_TOKEN_GREATER_OR_EQUAL:
            operation = WEIR_AST_GREATER_OR_EQUAL;
            break;
        default:
            *out = left;
            return WEIR_OK;
        }
        WEIR_TRY(check_chain(parser, length));
        weir_parser_take(parser);
        if (weir_parser_at_keyword(parser, WEIR_KEYWORD_ALL) || weir_parser_at_keyword(parser, WEIR_KEYWORD_ANY) ||
            weir_parser_at_keyword(parser, WEIR_KEYWORD_SOME)) {
            return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                                    "comparing with ALL, ANY or SOME is not supported; use IN, EXISTS or MIN and MAX");
        }
        weir_ast_expression *right;
        WEIR_TRY(parse_range(parser, &right));
        left = new_binary(parser, &sign, operation, left, right);
    }
}

static int parse_is_what(weir_parser *parser, weir_ast_expression *node)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_NULL)) {
        node->operation = WEIR_AST_IS_NULL;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TRUE)) {
        node->operation = WEIR_AST_IS_TRUE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FALSE)) {
        node->operation = WEIR_AST_IS_FALSE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_UNKNOWN)) {
        node->operation = WEIR_AST_IS_UNKNOWN;
    } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_DISTINCT, WEIR_KEYWORD_FROM)) {
        node->operation = WEIR_AST_IS_DISTINCT_FROM;
        weir_ast_expression *right;
        WEIR_TRY(parse_comparison(parser, &right));
        append_argument(parser, node, right);
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_JSON)) {
        node->operation = WEIR_AST_IS_JSON;
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_OBJECT)) {
            node->operation = WEIR_AST_IS_JSON_OBJECT;
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ARRAY)) {
            node->operation = WEIR_AST_IS_JSON_ARRAY;
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_SCALAR)) {
            node->operation = WEIR_AST_IS_JSON_SCALAR;
        } else {
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_VALUE);
        }
    } else {
        return weir_parser_unexpected(parser, "NULL, TRUE, FALSE, UNKNOWN, DISTINCT FROM or JSON after IS");
    }
    return WEIR_OK;
}

static int parse_is(weir_parser *parser, weir_ast_expression **out)
{
    weir_ast_expression *left;
    WEIR_TRY(parse_comparison(parser, &left));
    for (int32_t length = 0; weir_parser_at_keyword(parser, WEIR_KEYWORD_IS); length++) {
        WEIR_TRY(check_chain(parser, length));
        weir_token sign = weir_parser_take(parser);
        weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_IS, &sign.position);
        node->position.begin = left->position.begin;
        node->negated = weir_parser_accept_keyword(parser, WEIR_KEYWORD_NOT);
        append_argument(parser, node, left);
        WEIR_TRY(parse_is_what(parser, node));
        node->position.end = weir_parser_since(parser, &sign.position).end;
        left = node;
    }
    *out = left;
    return WEIR_OK;
}

static int parse_not(weir_parser *parser, weir_ast_expression **out)
{
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_NOT)) {
        return parse_is(parser, out);
    }
    weir_token sign = weir_parser_take(parser);
    WEIR_TRY(weir_parser_enter(parser));
    weir_ast_expression *operand;
    int code = parse_not(parser, &operand);
    weir_parser_leave(parser);
    WEIR_TRY(code);
    weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_UNARY, &sign.position);
    node->operation = WEIR_AST_NOT;
    append_argument(parser, node, operand);
    node->position.end = operand->position.end;
    *out = node;
    return WEIR_OK;
}

/* AND and OR hold all operands of a chain in one node, so that long filters stay flat. */
static int parse_chain(weir_parser *parser, weir_keyword keyword, weir_ast_operator operation,
                       int (*parse_operand)(weir_parser *, weir_ast_expression **), weir_ast_expression **out)
{
    weir_ast_expression *first;
    WEIR_TRY(parse_operand(parser, &first));
    if (!weir_parser_at_keyword(parser, keyword)) {
        *out = first;
        return WEIR_OK;
    }
    weir_position position = weir_parser_peek(parser, 0)->position;
    weir_ast_expression *chain = weir_parser_new_expression(parser, WEIR_AST_BINARY, &position);
    chain->operation = operation;
    append_argument(parser, chain, first);
    while (weir_parser_accept_keyword(parser, keyword)) {
        weir_ast_expression *next;
        WEIR_TRY(parse_operand(parser, &next));
        append_argument(parser, chain, next);
    }
    chain->position.begin = first->position.begin;
    chain->position.end = chain->arguments[chain->argument_count - 1]->position.end;
    *out = chain;
    return WEIR_OK;
}

static int parse_and(weir_parser *parser, weir_ast_expression **out)
{
    return parse_chain(parser, WEIR_KEYWORD_AND, WEIR_AST_AND, parse_not, out);
}

int weir_parser_expression(weir_parser *parser, weir_ast_expression **out)
{
    WEIR_TRY(weir_parser_enter(parser));
    int code = parse_chain(parser, WEIR_KEYWORD_OR, WEIR_AST_OR, parse_and, out);
    weir_parser_leave(parser);
    return code;
}

int weir_parser_expressions(weir_parser *parser, weir_ast_expressions *out)
{
    weir_ast_expressions list = {0};
    do {
        weir_ast_expression *expression;
        WEIR_TRY(weir_parser_expression(parser, &expression));
        WEIR_PARSER_APPEND(parser, list.items, list.count, expression);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    *out = list;
    return WEIR_OK;
}
