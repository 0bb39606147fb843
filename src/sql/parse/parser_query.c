/* Queries: SELECT with all its clauses, VALUES, set operations, WITH, ORDER BY, LIMIT. FROM is in parser_from.c. */
#include "sql/parse/parser_internal.h"

bool weir_parser_at_query(weir_parser *parser)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind == WEIR_TOKEN_WORD) {
        return token->keyword == WEIR_KEYWORD_SELECT || token->keyword == WEIR_KEYWORD_VALUES ||
               token->keyword == WEIR_KEYWORD_WITH;
    }
    size_t ahead = 0; /* ((SELECT … */
    while (weir_parser_peek(parser, ahead)->kind == WEIR_TOKEN_LEFT_PARENTHESIS) {
        ahead++;
    }
    weir_keyword keyword = weir_parser_peek(parser, ahead)->keyword;
    return ahead > 0 && weir_parser_peek(parser, ahead)->kind == WEIR_TOKEN_WORD &&
           (keyword == WEIR_KEYWORD_SELECT || keyword == WEIR_KEYWORD_VALUES || keyword == WEIR_KEYWORD_WITH);
}

int weir_parser_sort_keys(weir_parser *parser, weir_ast_sort_keys *out)
{
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_ORDER));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_BY));
    do {
        weir_ast_sort_key key = {0};
        WEIR_TRY(weir_parser_expression(parser, &key.expression));
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DESC)) {
            key.descending = true;
        } else {
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_ASC);
        }
        if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_NULLS, WEIR_KEYWORD_FIRST)) {
            key.nulls = 1;
        } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_NULLS, WEIR_KEYWORD_LAST)) {
            key.nulls = 2;
        }
        WEIR_PARSER_APPEND(parser, out->items, out->count, key);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

/* --- SELECT ---------------------------------------------------------------------------------------------------- */

static int parse_item(weir_parser *parser, weir_ast_item *out)
{
    weir_ast_item item = {0};
    if (weir_parser_at(parser, WEIR_TOKEN_STAR)) {
        weir_token star = weir_parser_take(parser);
        item.expression = weir_parser_new_expression(parser, WEIR_AST_STAR, &star.position);
        *out = item;
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expression(parser, &item.expression));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_AS)) {
        WEIR_TRY(weir_parser_part(parser, "a name after AS", &item.alias));
    } else if (weir_parser_at_name(parser)) {
        WEIR_TRY(weir_parser_part(parser, "a name", &item.alias));
    }
    *out = item;
    return WEIR_OK;
}

static int parse_grouping(weir_parser *parser, weir_ast_grouping *out);

static int parse_grouping_elements(weir_parser *parser, weir_ast_grouping *out)
{
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    do {
        weir_ast_grouping element;
        WEIR_TRY(parse_grouping(parser, &element));
        WEIR_PARSER_APPEND(parser, out->elements, out->element_count, element);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

/* () or (a, b): a list; but (a) + 1 and (a, b) = c are expressions, so what follows the parenthesis decides. */
static int parse_grouping_list(weir_parser *parser, weir_ast_grouping *out, bool *found)
{
    size_t before = parser->index;
    weir_parser_take(parser);
    *found = true;
    if (weir_parser_accept(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        out->kind = WEIR_AST_GROUP_LIST;
        return WEIR_OK;
    }
    weir_ast_expressions list;
    WEIR_TRY(weir_parser_expressions(parser, &list));
    *found = list.count > 1 && weir_parser_accept(parser, WEIR_TOKEN_RIGHT_PARENTHESIS);
    if (*found) {
        out->kind = WEIR_AST_GROUP_LIST;
        out->expressions = list;
    } else {
        parser->index = before;
    }
    return WEIR_OK;
}

static int parse_grouping_inner(weir_parser *parser, weir_ast_grouping *out)
{
    weir_ast_grouping grouping = {.position = weir_parser_peek(parser, 0)->position};
    bool found = true;
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_GROUPING, WEIR_KEYWORD_SETS)) {
        grouping.kind = WEIR_AST_GROUP_SETS;
        WEIR_TRY(parse_grouping_elements(parser, &grouping));
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROLLUP)) {
        grouping.kind = WEIR_AST_GROUP_ROLLUP;
        WEIR_TRY(parse_grouping_elements(parser, &grouping));
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CUBE)) {
        grouping.kind = WEIR_AST_GROUP_CUBE;
        WEIR_TRY(parse_grouping_elements(parser, &grouping));
    } else if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(parse_grouping_list(parser, &grouping, &found));
    } else {
        found = false;
    }
    if (!found) {
        weir_ast_expression *expression;
        grouping.kind = WEIR_AST_GROUP_EXPRESSION;
        WEIR_TRY(weir_parser_expression(parser, &expression));
        WEIR_PARSER_APPEND(parser, grouping.expressions.items, grouping.expressions.count, expression);
    }
    grouping.position = weir_parser_since(parser, &grouping.position);
    *out = grouping;
    return WEIR_OK;
}

static int parse_grouping(weir_parser *parser, weir_ast_grouping *out)
{
    WEIR_TRY(weir_parser_enter(parser));
    int code = parse_grouping_inner(parser, out);
    weir_parser_leave(parser);
    return code;
}

static int parse_group_by(weir_parser *parser, weir_ast_select *select)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_GROUP)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_BY));
    select->grouped = true;
    select->group_distinct = weir_parser_accept_keyword(parser, WEIR_KEYWORD_DISTINCT);
    do {
        weir_ast_grouping grouping;
        WEIR_TRY(parse_grouping(parser, &grouping));
        WEIR_PARSER_APPEND(parser, select->groups, select->group_count, grouping);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

static int parse_windows(weir_parser *parser, weir_ast_select *select)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_WINDOW)) {
        return WEIR_OK;
    }
    do {
        weir_ast_part name;
        weir_ast_named_window window = {0};
        WEIR_TRY(weir_parser_part(parser, "a window's name", &name));
        window.name = name.text;
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
        WEIR_TRY(weir_parser_window(parser, &window.window));
        WEIR_PARSER_APPEND(parser, select->windows, select->window_count, window);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

static int parse_select(weir_parser *parser, weir_ast_query *query)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_select *select = WEIR_NEW(parser->arena, weir_ast_select);
    query->kind = WEIR_AST_SELECT;
    query->select = select;
    WEIR_TRY(weir_parser_hints(parser, &select->hints));
    select->distinct = weir_parser_accept_keyword(parser, WEIR_KEYWORD_DISTINCT);
    if (!select->distinct) {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ALL);
    }
    do {
        weir_ast_item item;
        WEIR_TRY(parse_item(parser, &item));
        WEIR_PARSER_APPEND(parser, select->items, select->item_count, item);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        WEIR_TRY(weir_parser_from(parser, &select->from));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WHERE)) {
        WEIR_TRY(weir_parser_expression(parser, &select->where));
    }
    WEIR_TRY(parse_group_by(parser, select));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_HAVING)) {
        WEIR_TRY(weir_parser_expression(parser, &select->having));
    }
    WEIR_TRY(parse_windows(parser, select));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_QUALIFY)) {
        WEIR_TRY(weir_parser_expression(parser, &select->qualify));
    }
    select->position = weir_parser_since(parser, &begin.position);
    return WEIR_OK;
}

/* --- VALUES, set operations, WITH ------------------------------------------------------------------------------ */

static int parse_values(weir_parser *parser, weir_ast_query *query)
{
    weir_parser_take(parser);
    query->kind = WEIR_AST_VALUES;
    do {
        weir_ast_expressions row = {0};
        weir_ast_expression *value;
        bool row_word = weir_parser_at_keyword(parser, WEIR_KEYWORD_ROW) &&
                        weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS;
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROW);
        if (row_word || weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
            weir_parser_take(parser);
            WEIR_TRY(weir_parser_expressions(parser, &row));
            WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma"));
        } else { /* VALUES 1, 2 */
            WEIR_TRY(weir_parser_expression(parser, &value));
            WEIR_PARSER_APPEND(parser, row.items, row.count, value);
        }
        WEIR_PARSER_APPEND(parser, query->rows, query->row_count, row);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

/* One operand of a set operation. */
static int parse_query_term(weir_parser *parser, weir_ast_query **out)
{
    weir_position begin = weir_parser_peek(parser, 0)->position;
    weir_ast_query *query = WEIR_NEW(parser->arena, weir_ast_query);
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_SELECT)) {
        WEIR_TRY(parse_select(parser, query));
    } else if (weir_parser_at_keyword(parser, WEIR_KEYWORD_VALUES)) {
        WEIR_TRY(parse_values(parser, query));
    } else if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        query->kind = WEIR_AST_NESTED;
        WEIR_TRY(weir_parser_query(parser, &query->left));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    } else {
        static const char *const words[] = {"SELECT", "VALUES", "WITH"};
        return weir_parser_unexpected_of(parser, "SELECT, VALUES or a query in parentheses", words, 3);
    }
    query->position = weir_parser_since(parser, &begin);
    *out = query;
    return WEIR_OK;
}

static bool accept_set_operator(weir_parser *parser, bool intersect, weir_ast_set_operator *out)
{
    if (intersect) {
        *out = WEIR_AST_INTERSECT;
        return weir_parser_accept_keyword(parser, WEIR_KEYWORD_INTERSECT);
    }
    *out = WEIR_AST_UNION;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_UNION)) {
        return true;
    }
    *out = WEIR_AST_EXCEPT;
    return weir_parser_accept_keyword(parser, WEIR_KEYWORD_EXCEPT) ||
           weir_parser_accept_keyword(parser, WEIR_KEYWORD_MINUS);
}

/* INTERSECT binds tighter than UNION and EXCEPT. */
static int parse_set_operations(weir_parser *parser, bool intersect, weir_ast_query **out)
{
    weir_ast_query *left;
    WEIR_TRY(intersect ? parse_query_term(parser, &left) : parse_set_operations(parser, true, &left));
    weir_ast_set_operator operation;
    for (int32_t length = 0;; length++) {
        weir_position position = weir_parser_peek(parser, 0)->position;
        if (!accept_set_operator(parser, intersect, &operation)) {
            *out = left;
            return WEIR_OK;
        }
        if (length >= 500) {
            return weir_parser_fail(parser, &position, "more than 500 set operations in a row; take the query apart");
        }
        weir_ast_query *node = WEIR_NEW(parser->arena, weir_ast_query);
        node->kind = WEIR_AST_SET_OPERATION;
        node->set_operator = operation;
        node->all = weir_parser_accept_keyword(parser, WEIR_KEYWORD_ALL);
        if (!node->all) {
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_DISTINCT);
        }
        node->left = left;
        WEIR_TRY(intersect ? parse_query_term(parser, &node->right) : parse_set_operations(parser, true, &node->right));
        node->position = weir_parser_since(parser, &position);
        node->position.begin = left->position.begin;
        left = node;
    }
}

static int parse_with(weir_parser *parser, weir_ast_cte **ctes, int32_t *count)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH)) {
        return WEIR_OK;
    }
    do {
        weir_ast_cte cte = {0};
        WEIR_TRY(weir_parser_part(parser, "the name of a query after WITH", &cte.name));
        if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
            WEIR_TRY(weir_parser_name_list(parser, "a column's name", &cte.columns));
        }
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( and the query"));
        WEIR_TRY(weir_parser_query(parser, &cte.query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") after the query"));
        WEIR_PARSER_APPEND(parser, *ctes, *count, cte);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

/* [LIMIT n] [OFFSET m [ROWS]] [FETCH FIRST n ROWS ONLY], LIMIT ALL. */
static int parse_limit(weir_parser *parser, weir_ast_query *query)
{
    for (;;) {
        if (query->limit == NULL && weir_parser_accept_keyword(parser, WEIR_KEYWORD_LIMIT)) {
            if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ALL)) {
                continue;
            }
            WEIR_TRY(weir_parser_expression(parser, &query->limit));
        } else if (query->offset == NULL && weir_parser_accept_keyword(parser, WEIR_KEYWORD_OFFSET)) {
            WEIR_TRY(weir_parser_primary(parser, &query->offset));
            if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROWS)) {
                weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROW);
            }
        } else if (query->limit == NULL && weir_parser_accept_keyword(parser, WEIR_KEYWORD_FETCH)) {
            if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_FIRST)) {
                WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_NEXT));
            }
            WEIR_TRY(weir_parser_primary(parser, &query->limit));
            if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROWS)) {
                WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_ROW));
            }
            const weir_token *only = weir_parser_peek(parser, 0);
            if (only->kind != WEIR_TOKEN_WORD || strcasecmp(only->text, "ONLY") != 0) {
                return weir_parser_unexpected(parser, "ONLY");
            }
            weir_parser_take(parser);
        } else {
            return WEIR_OK;
        }
    }
}

static int parse_whole_query(weir_parser *parser, weir_ast_query **out)
{
    weir_position begin = weir_parser_peek(parser, 0)->position;
    weir_ast_cte *ctes = NULL;
    int32_t cte_count = 0;
    WEIR_TRY(parse_with(parser, &ctes, &cte_count));
    weir_ast_query *query;
    WEIR_TRY(parse_set_operations(parser, false, &query));
    query->ctes = ctes;
    query->cte_count = cte_count;
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_ORDER)) {
        WEIR_TRY(weir_parser_sort_keys(parser, &query->order_by));
    }
    WEIR_TRY(parse_limit(parser, query));
    weir_position all = weir_parser_since(parser, &begin);
    if (query->kind == WEIR_AST_SET_OPERATION) { /* line and column stay those of the operator */
        query->position.begin = all.begin;
        query->position.end = all.end;
    } else {
        query->position = all;
    }
    *out = query;
    return WEIR_OK;
}

int weir_parser_query(weir_parser *parser, weir_ast_query **out)
{
    WEIR_TRY(weir_parser_enter(parser));
    int code = parse_whole_query(parser, out);
    weir_parser_leave(parser);
    return code;
}
