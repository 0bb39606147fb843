/* Expressions by precedence, loosest first, as Flink's parser has it:
 *
 *   OR · AND · NOT · IS … · = <> < <= > >= · BETWEEN IN LIKE · + - · * / % || · unary + - · [ ] and .field
 *
 * What operators stand between is in parser_primary.c. */
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
            weir_parser_append(parser, field, node);
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
    weir_parser_append(parser, node, operand);
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
    int code = weir_parser_list(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma", node);
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
    weir_parser_append(parser, node, bound);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AND));
    WEIR_TRY(parse_additive(parser, &bound));
    weir_parser_append(parser, node, bound);
    return WEIR_OK;
}

static int parse_like(weir_parser *parser, weir_ast_expression *node)
{
    weir_ast_expression *argument;
    WEIR_TRY(parse_additive(parser, &argument));
    weir_parser_append(parser, node, argument);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ESCAPE)) {
        WEIR_TRY(parse_additive(parser, &argument));
        weir_parser_append(parser, node, argument);
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
    weir_parser_append(parser, node, left);
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

/* value > ALL (query). = ANY is IN, and <> ALL is NOT IN. */
static int parse_quantified(weir_parser *parser, const weir_token *sign, weir_ast_operator operation,
                            weir_ast_expression **value)
{
    bool all = weir_parser_at_keyword(parser, WEIR_KEYWORD_ALL);
    bool in = operation == (all ? WEIR_AST_NOT_EQUAL : WEIR_AST_EQUAL);
    weir_ast_expression *node =
        weir_parser_new_expression(parser, in ? WEIR_AST_IN : WEIR_AST_QUANTIFIED, &sign->position);
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( and a query"));
    if (!weir_parser_at_query(parser)) {
        return weir_parser_unexpected(parser, "a query, as ALL and ANY take");
    }
    weir_parser_append(parser, node, *value);
    node->operation = operation;
    node->negated = all;
    WEIR_TRY(weir_parser_query(parser, &node->query));
    *value = node;
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")");
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
            WEIR_TRY(parse_quantified(parser, &sign, operation, &left));
            continue;
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
        weir_parser_append(parser, node, right);
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
        weir_parser_append(parser, node, left);
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
    weir_parser_append(parser, node, operand);
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
    weir_parser_append(parser, chain, first);
    while (weir_parser_accept_keyword(parser, keyword)) {
        weir_ast_expression *next;
        WEIR_TRY(parse_operand(parser, &next));
        weir_parser_append(parser, chain, next);
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
