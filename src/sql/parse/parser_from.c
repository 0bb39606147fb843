/* FROM: tables, subqueries, table functions, UNNEST, and joins of them. */
#include "sql/parse/parser_internal.h"

/* Words that are no reserved ones and yet begin what may follow a table. */
static bool at_alias(weir_parser *parser)
{
    if (!weir_parser_at_name(parser)) {
        return false;
    }
    return !weir_parser_at_keyword(parser, WEIR_KEYWORD_MATCH_RECOGNIZE);
}

int weir_parser_alias(weir_parser *parser, weir_ast_alias *out)
{
    bool as = weir_parser_accept_keyword(parser, WEIR_KEYWORD_AS);
    if (!as && !at_alias(parser)) {
        return WEIR_OK;
    }
    weir_ast_part name;
    WEIR_TRY(weir_parser_part(parser, "a name after AS", &name));
    out->position = name.position;
    out->name = name.text;
    if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_name_list(parser, "a column's name", &out->columns));
    }
    return WEIR_OK;
}

static int parse_system_time(weir_parser *parser, weir_ast_from *from)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_FOR)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SYSTEM_TIME));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_OF));
    return weir_parser_expression(parser, &from->system_time);
}

static int parse_table(weir_parser *parser, weir_ast_from *from)
{
    from->kind = WEIR_AST_FROM_TABLE;
    WEIR_TRY(weir_parser_name(parser, "a table's name", &from->name));
    WEIR_TRY(weir_parser_hints(parser, &from->hints));
    return parse_system_time(parser, from);
}

/* TABLE(f(…)), with or without LATERAL. */
static int parse_table_function(weir_parser *parser, weir_ast_from *from)
{
    from->kind = WEIR_AST_FROM_FUNCTION;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    if (!weir_parser_at(parser, WEIR_TOKEN_WORD) && !weir_parser_at(parser, WEIR_TOKEN_QUOTED)) {
        return weir_parser_unexpected(parser, "a table function's call");
    }
    WEIR_TRY(weir_parser_primary(parser, &from->expression));
    if (from->expression->kind != WEIR_AST_CALL) {
        return weir_parser_fail(parser, &from->expression->position,
                                "TABLE(…) takes the call of a table function, such as TUMBLE(TABLE t, …)");
    }
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")");
}

static int parse_unnest(weir_parser *parser, weir_ast_from *from)
{
    from->kind = WEIR_AST_FROM_UNNEST;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    WEIR_TRY(weir_parser_expression(parser, &from->expression));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    from->ordinality = weir_parser_accept_keywords(parser, WEIR_KEYWORD_WITH, WEIR_KEYWORD_ORDINALITY);
    return WEIR_OK;
}

static int parse_parenthesized_from(weir_parser *parser, weir_ast_from **from)
{
    if (weir_parser_at_query(parser)) {
        /* (query), or ((query) …) which may also be a join in parentheses: the query is tried first. */
        (*from)->kind = WEIR_AST_FROM_QUERY;
        weir_parser_take(parser);
        WEIR_TRY(weir_parser_query(parser, &(*from)->query));
        return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") after the query");
    }
    bool lateral = (*from)->lateral;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_from(parser, from));
    (*from)->lateral = (*from)->lateral || lateral;
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")");
}

static int parse_sample(weir_parser *parser, weir_ast_from *from)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLESAMPLE)) {
        return WEIR_OK;
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_BERNOULLI)) {
        from->sample = "BERNOULLI";
    } else {
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SYSTEM));
        from->sample = "SYSTEM";
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    WEIR_TRY(weir_parser_expression(parser, &from->sample_percent));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")");
}

/* MATCH_RECOGNIZE ( … ): its pattern language is not read, only its extent. */
static int parse_match(weir_parser *parser, weir_ast_from **from)
{
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_MATCH_RECOGNIZE)) {
        return WEIR_OK;
    }
    weir_ast_from *match = WEIR_NEW(parser->arena, weir_ast_from);
    match->kind = WEIR_AST_FROM_MATCH;
    match->position = weir_parser_take(parser).position;
    match->left = *from;
    *from = match;
    return weir_parser_fail(parser, &match->position, "MATCH_RECOGNIZE is not supported");
}

static int parse_from_item(weir_parser *parser, weir_ast_from **out)
{
    weir_ast_from *from = WEIR_NEW(parser->arena, weir_ast_from);
    weir_position begin = weir_parser_peek(parser, 0)->position;
    from->lateral = weir_parser_accept_keyword(parser, WEIR_KEYWORD_LATERAL);
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_TABLE) &&
        weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS) {
        WEIR_TRY(parse_table_function(parser, from));
    } else if (weir_parser_at_keyword(parser, WEIR_KEYWORD_UNNEST)) {
        WEIR_TRY(parse_unnest(parser, from));
    } else if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(parse_parenthesized_from(parser, &from));
    } else {
        WEIR_TRY(parse_table(parser, from));
    }
    from->position = weir_parser_since(parser, &begin);
    if (from->kind != WEIR_AST_FROM_JOIN) {
        WEIR_TRY(parse_sample(parser, from));
        WEIR_TRY(weir_parser_alias(parser, &from->alias));
        if (from->kind == WEIR_AST_FROM_TABLE && from->hints.count == 0) {
            WEIR_TRY(weir_parser_hints(parser, &from->hints)); /* Flink takes them before the alias; after it, we too */
        }
    }
    WEIR_TRY(parse_match(parser, &from));
    *out = from;
    return WEIR_OK;
}

/* The words of a join; false when there is none. */
static int accept_join(weir_parser *parser, weir_ast_from *join, bool *found)
{
    *found = true;
    if (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
        join->join = WEIR_AST_JOIN_CROSS;
        return WEIR_OK;
    }
    join->natural = weir_parser_accept_keyword(parser, WEIR_KEYWORD_NATURAL);
    bool word = true;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_INNER)) {
        join->join = WEIR_AST_JOIN_INNER;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CROSS)) {
        join->join = WEIR_AST_JOIN_CROSS;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_LEFT)) {
        join->join = WEIR_AST_JOIN_LEFT;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RIGHT)) {
        join->join = WEIR_AST_JOIN_RIGHT;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FULL)) {
        join->join = WEIR_AST_JOIN_FULL;
    } else {
        word = join->natural;
    }
    if (!word && !weir_parser_at_keyword(parser, WEIR_KEYWORD_JOIN)) {
        *found = false;
        return WEIR_OK;
    }
    if (join->join == WEIR_AST_JOIN_LEFT || join->join == WEIR_AST_JOIN_RIGHT || join->join == WEIR_AST_JOIN_FULL) {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_OUTER);
    }
    return weir_parser_expect_keyword(parser, WEIR_KEYWORD_JOIN);
}

static int parse_join_condition(weir_parser *parser, weir_ast_from *join)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ON)) {
        return weir_parser_expression(parser, &join->condition);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_USING)) {
        return weir_parser_name_list(parser, "a column's name", &join->using);
    }
    if (join->join == WEIR_AST_JOIN_CROSS || join->natural) {
        return WEIR_OK;
    }
    static const char *const words[] = {"ON", "USING"};
    return weir_parser_unexpected_of(parser, "ON and the join's condition, or USING", words, 2);
}

static int parse_joins(weir_parser *parser, weir_ast_from **out)
{
    weir_ast_from *left;
    WEIR_TRY(parse_from_item(parser, &left));
    for (int32_t length = 0;; length++) {
        weir_ast_from *join = WEIR_NEW(parser->arena, weir_ast_from);
        join->kind = WEIR_AST_FROM_JOIN;
        join->position = weir_parser_peek(parser, 0)->position;
        bool found;
        WEIR_TRY(accept_join(parser, join, &found));
        if (!found) {
            *out = left;
            return WEIR_OK;
        }
        if (length >= 500) {
            return weir_parser_fail(parser, &join->position, "more than 500 joins in a row; take the query apart");
        }
        join->left = left;
        WEIR_TRY(parse_from_item(parser, &join->right));
        WEIR_TRY(parse_join_condition(parser, join));
        join->position.end = weir_parser_since(parser, &join->position).end;
        left = join;
    }
}

int weir_parser_from(weir_parser *parser, weir_ast_from **out)
{
    WEIR_TRY(weir_parser_enter(parser));
    int code = parse_joins(parser, out);
    weir_parser_leave(parser);
    return code;
}
