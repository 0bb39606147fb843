/* Calls: the plain form f(a, b), and those whose arguments are told apart by words: CAST(x AS t), EXTRACT(unit FROM x),
 * TRIM(BOTH c FROM s), JSON_VALUE(… RETURNING t … ON EMPTY) and their like; then DISTINCT, FILTER, WITHIN GROUP, OVER.
 *
 * Special forms become plain calls whose words are UNIT arguments, in the order of the text. */
#include "base/text.h"
#include "sql/parse/parser_internal.h"

static void add_unit(weir_parser *parser, weir_ast_expression *call, const weir_position *position, const char *text)
{
    weir_ast_expression *unit = weir_parser_new_expression(parser, WEIR_AST_UNIT, position);
    unit->text = text;
    unit->text_size = strlen(text);
    weir_parser_append(parser, call, unit);
}

static int add_expression(weir_parser *parser, weir_ast_expression *call)
{
    weir_ast_expression *argument;
    WEIR_TRY(weir_parser_expression(parser, &argument));
    weir_parser_append(parser, call, argument);
    return WEIR_OK;
}

static int expect_close(weir_parser *parser)
{
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

bool weir_parser_at_special_call(weir_parser *parser)
{
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind != WEIR_TOKEN_WORD) {
        return false;
    }
    switch (token->keyword) {
    case WEIR_KEYWORD_CURRENT_DATE:
    case WEIR_KEYWORD_CURRENT_TIME:
    case WEIR_KEYWORD_CURRENT_TIMESTAMP:
    case WEIR_KEYWORD_LOCALTIME:
    case WEIR_KEYWORD_LOCALTIMESTAMP:
        return true;
    default:
        return false;
    }
}

/* --- Time ------------------------------------------------------------------------------------------------------ */

/* Units of EXTRACT, FLOOR, TIMESTAMPADD and TIMESTAMPDIFF. SQL_TSI_ in front means nothing. */
static bool accept_unit(weir_parser *parser, const char **out)
{
    static const char *const units[] = {"MILLENNIUM", "CENTURY",     "DECADE",      "YEAR",       "QUARTER",
                                        "MONTH",      "WEEK",        "DAY",         "HOUR",       "MINUTE",
                                        "SECOND",     "MILLISECOND", "MICROSECOND", "NANOSECOND", "EPOCH",
                                        "DOW",        "ISODOW",      "DOY",         "ISOYEAR"};
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind != WEIR_TOKEN_WORD) {
        return false;
    }
    const char *text = strncasecmp(token->text, "SQL_TSI_", 8) == 0 ? token->text + 8 : token->text;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (weir_text_equal_ignore_case(text, units[i])) {
            *out = units[i];
            weir_parser_take(parser);
            return true;
        }
    }
    return false;
}

static int parse_extract(weir_parser *parser, weir_ast_expression *call)
{
    weir_position position = weir_parser_peek(parser, 0)->position;
    const char *unit;
    if (!accept_unit(parser, &unit)) {
        return weir_parser_unexpected(parser, "a unit such as YEAR, MONTH, DAY or HOUR");
    }
    add_unit(parser, call, &position, unit);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_FROM));
    return add_expression(parser, call);
}

/* CEIL(x), FLOOR(x TO DAY). */
static int parse_rounding(weir_parser *parser, weir_ast_expression *call)
{
    WEIR_TRY(add_expression(parser, call));
    while (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
        WEIR_TRY(add_expression(parser, call));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TO)) {
        weir_position position = weir_parser_peek(parser, 0)->position;
        const char *unit;
        if (!accept_unit(parser, &unit)) {
            return weir_parser_unexpected(parser, "a unit such as YEAR, MONTH, DAY or HOUR");
        }
        add_unit(parser, call, &position, unit);
    }
    return WEIR_OK;
}

/* TIMESTAMPADD(unit, n, t), TIMESTAMPDIFF(unit, a, b). */
static int parse_timestamp_call(weir_parser *parser, weir_ast_expression *call)
{
    weir_position position = weir_parser_peek(parser, 0)->position;
    const char *unit;
    if (!accept_unit(parser, &unit)) {
        return weir_parser_unexpected(parser, "a unit such as SECOND, MINUTE, HOUR, DAY or MONTH");
    }
    add_unit(parser, call, &position, unit);
    while (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
        WEIR_TRY(add_expression(parser, call));
    }
    return WEIR_OK;
}

/* --- Text ------------------------------------------------------------------------------------------------------ */

/* TRIM([BOTH|LEADING|TRAILING] [characters FROM] text): a UNIT, then the characters (if given), then the text. */
static int parse_trim(weir_parser *parser, weir_ast_expression *call)
{
    weir_position position = weir_parser_peek(parser, 0)->position;
    const char *side = "BOTH";
    bool said = true;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_LEADING)) {
        side = "LEADING";
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TRAILING)) {
        side = "TRAILING";
    } else {
        said = weir_parser_accept_keyword(parser, WEIR_KEYWORD_BOTH);
    }
    add_unit(parser, call, &position, side);
    if (said && weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        return add_expression(parser, call);
    }
    WEIR_TRY(add_expression(parser, call));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        return add_expression(parser, call);
    }
    return WEIR_OK;
}

/* POSITION(x IN s). The IN belongs to the call: x is parsed below the level of IN by being a primary. */
static int parse_position(weir_parser *parser, weir_ast_expression *call)
{
    weir_ast_expression *searched;
    WEIR_TRY(weir_parser_primary(parser, &searched));
    weir_parser_append(parser, call, searched);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_IN));
    WEIR_TRY(add_expression(parser, call));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        return add_expression(parser, call);
    }
    return WEIR_OK;
}

/* SUBSTRING(s FROM p FOR n) and SUBSTRING(s, p, n); OVERLAY(s PLACING r FROM p FOR n). */
static int parse_substring(weir_parser *parser, weir_ast_expression *call)
{
    WEIR_TRY(add_expression(parser, call));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PLACING)) {
        WEIR_TRY(add_expression(parser, call));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        WEIR_TRY(add_expression(parser, call));
        return weir_parser_accept_keyword(parser, WEIR_KEYWORD_FOR) ? add_expression(parser, call) : WEIR_OK;
    }
    while (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
        WEIR_TRY(add_expression(parser, call));
    }
    return WEIR_OK;
}

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static int parse_json_behaviour(weir_parser *parser, weir_ast_json_behaviour *out, weir_ast_expression **value)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_NULL)) {
        *out = WEIR_AST_JSON_NULL;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ERROR)) {
        *out = WEIR_AST_JSON_ERROR;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TRUE)) {
        *out = WEIR_AST_JSON_TRUE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FALSE)) {
        *out = WEIR_AST_JSON_FALSE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_UNKNOWN)) {
        *out = WEIR_AST_JSON_UNKNOWN;
    } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_EMPTY, WEIR_KEYWORD_ARRAY)) {
        *out = WEIR_AST_JSON_EMPTY_ARRAY;
    } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_EMPTY, WEIR_KEYWORD_OBJECT)) {
        *out = WEIR_AST_JSON_EMPTY_OBJECT;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DEFAULT)) {
        *out = WEIR_AST_JSON_DEFAULT;
        return weir_parser_expression(parser, value);
    } else {
        return weir_parser_unexpected(parser, "NULL, ERROR, DEFAULT or EMPTY, then ON EMPTY or ON ERROR");
    }
    return WEIR_OK;
}

/* [RETURNING type] [wrapper] [… ON EMPTY] [… ON ERROR], as far as they are there. */
static int parse_json_clauses(weir_parser *parser, weir_ast_call *call)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RETURNING)) {
        WEIR_TRY(weir_parser_type(parser, &call->returning));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITHOUT)) {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ARRAY);
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_WRAPPER));
        call->wrapper = 1;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH)) {
        call->wrapper = weir_parser_accept_keyword(parser, WEIR_KEYWORD_CONDITIONAL) ? 3 : 2;
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_UNCONDITIONAL);
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ARRAY);
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_WRAPPER));
    }
    while (!weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        weir_ast_json_behaviour behaviour;
        weir_ast_expression *value = NULL;
        WEIR_TRY(parse_json_behaviour(parser, &behaviour, &value));
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_ON));
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_EMPTY)) {
            call->on_empty = behaviour;
            call->empty_default = value;
        } else {
            WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_ERROR));
            call->on_error = behaviour;
            call->error_default = value;
        }
    }
    return WEIR_OK;
}

/* JSON_VALUE(document, path …), JSON_QUERY and JSON_EXISTS alike. */
static int parse_json_path(weir_parser *parser, weir_ast_expression *call)
{
    WEIR_TRY(add_expression(parser, call));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_COMMA, "a comma and the JSON path"));
    WEIR_TRY(add_expression(parser, call));
    return parse_json_clauses(parser, call->call);
}

static int parse_json_on_null(weir_parser *parser, weir_ast_call *call)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_NULL)) {
        call->on_null = 1;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ABSENT)) {
        call->on_null = 2;
    } else {
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_ON));
    return weir_parser_expect_keyword(parser, WEIR_KEYWORD_NULL);
}

/* JSON_OBJECT([KEY] k VALUE v, k: v, … [NULL ON NULL]): key, value, key, value. */
static int parse_json_object(weir_parser *parser, weir_ast_expression *call)
{
    if (!weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS) && !weir_parser_at_keyword(parser, WEIR_KEYWORD_NULL) &&
        !weir_parser_at_keyword(parser, WEIR_KEYWORD_ABSENT)) {
        do {
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_KEY);
            WEIR_TRY(add_expression(parser, call));
            if (!weir_parser_accept(parser, WEIR_TOKEN_COLON)) {
                WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_VALUE));
            }
            WEIR_TRY(add_expression(parser, call));
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    return parse_json_on_null(parser, call->call);
}

static int parse_json_array(weir_parser *parser, weir_ast_expression *call)
{
    bool empty = weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS) ||
                 weir_parser_at_keywords(parser, WEIR_KEYWORD_NULL, WEIR_KEYWORD_ON) ||
                 weir_parser_at_keywords(parser, WEIR_KEYWORD_ABSENT, WEIR_KEYWORD_ON);
    if (!empty) {
        do {
            WEIR_TRY(add_expression(parser, call));
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    return parse_json_on_null(parser, call->call);
}

/* --- Arguments ------------------------------------------------------------------------------------------------- */

static int parse_descriptor(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *descriptor = weir_parser_new_expression(parser, WEIR_AST_DESCRIPTOR, &begin.position);
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    do {
        weir_position position = weir_parser_peek(parser, 0)->position;
        weir_ast_expression *column = weir_parser_new_expression(parser, WEIR_AST_COLUMN, &position);
        WEIR_TRY(weir_parser_name(parser, "a column's name", &column->name));
        column->position = column->name.position;
        weir_parser_append(parser, descriptor, column);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    WEIR_TRY(expect_close(parser));
    descriptor->position = weir_parser_since(parser, &begin.position);
    *out = descriptor;
    return WEIR_OK;
}

/* TABLE t, TABLE (query), with PARTITION BY. */
static int parse_table_argument(weir_parser *parser, weir_ast_expression **out)
{
    weir_token begin = weir_parser_take(parser);
    weir_ast_expression *table = weir_parser_new_expression(parser, WEIR_AST_TABLE, &begin.position);
    table->call = WEIR_NEW(parser->arena, weir_ast_call);
    if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_query(parser, &table->query));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    } else {
        WEIR_TRY(weir_parser_name(parser, "a table's name", &table->name));
    }
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_PARTITION, WEIR_KEYWORD_BY)) {
        bool parenthesis = weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS);
        if (parenthesis) {
            WEIR_TRY(weir_parser_expressions(parser, &table->call->partition_by));
            WEIR_TRY(expect_close(parser));
        } else {
            weir_ast_expression *key;
            WEIR_TRY(weir_parser_expression(parser, &key));
            WEIR_PARSER_APPEND(parser, table->call->partition_by.items, table->call->partition_by.count, key);
        }
    }
    table->position = weir_parser_since(parser, &begin.position);
    *out = table;
    return WEIR_OK;
}

static int parse_argument(weir_parser *parser, weir_ast_expression **out)
{
    bool named = weir_parser_at_name(parser) && weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_ARROW;
    if (named) {
        weir_token name = weir_parser_take(parser);
        weir_parser_take(parser);
        weir_ast_expression *node = weir_parser_new_expression(parser, WEIR_AST_NAMED, &name.position);
        node->text = name.text;
        weir_ast_expression *value;
        WEIR_TRY(parse_argument(parser, &value));
        weir_parser_append(parser, node, value);
        node->position = weir_parser_since(parser, &name.position);
        *out = node;
        return WEIR_OK;
    }
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_DESCRIPTOR) &&
        weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS) {
        return parse_descriptor(parser, out);
    }
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_TABLE)) {
        return parse_table_argument(parser, out);
    }
    return weir_parser_expression(parser, out);
}

static int parse_plain_arguments(weir_parser *parser, weir_ast_expression *call)
{
    if (weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        return WEIR_OK;
    }
    if (weir_parser_accept(parser, WEIR_TOKEN_STAR)) {
        call->call->star = true;
        return WEIR_OK;
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DISTINCT)) {
        call->call->distinct = true;
    } else {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_ALL);
    }
    do {
        weir_ast_expression *argument;
        WEIR_TRY(parse_argument(parser, &argument));
        weir_parser_append(parser, call, argument);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    if (weir_parser_at_keywords(parser, WEIR_KEYWORD_ORDER, WEIR_KEYWORD_BY)) { /* means the same as WITHIN GROUP */
        return weir_parser_sort_keys(parser, &call->call->within_group);
    }
    return WEIR_OK;
}

/* --- CAST and EXISTS ------------------------------------------------------------------------------------------- */

static int parse_cast(weir_parser *parser, const weir_token *name, bool try_cast, weir_ast_expression **out)
{
    weir_ast_expression *cast = weir_parser_new_expression(parser, WEIR_AST_CAST, &name->position);
    cast->operation = try_cast;
    WEIR_TRY(add_expression(parser, cast));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    weir_position type_position = weir_parser_peek(parser, 0)->position;
    size_t before = parser->index;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_INTERVAL)) { /* its type forgets the unit */
        WEIR_TRY(weir_parser_interval_units(parser, &cast->interval));
        parser->index = before;
    }
    WEIR_TRY(weir_parser_type(parser, &cast->type));
    cast->type_position = weir_parser_since(parser, &type_position);
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") after the type"));
    cast->position = weir_parser_since(parser, &name->position);
    *out = cast;
    return WEIR_OK;
}

static int parse_exists(weir_parser *parser, const weir_token *name, weir_ast_expression **out)
{
    weir_ast_expression *exists = weir_parser_new_expression(parser, WEIR_AST_EXISTS, &name->position);
    WEIR_TRY(weir_parser_query(parser, &exists->query));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    exists->position = weir_parser_since(parser, &name->position);
    *out = exists;
    return WEIR_OK;
}

/* --- What follows the parenthesis ------------------------------------------------------------------------------ */

static int parse_frame_bound(weir_parser *parser, weir_ast_bound_kind *kind, weir_ast_expression **value)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_UNBOUNDED)) {
        *kind = WEIR_AST_UNBOUNDED_FOLLOWING;
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PRECEDING)) {
            *kind = WEIR_AST_UNBOUNDED_PRECEDING;
            return WEIR_OK;
        }
        return weir_parser_expect_keyword(parser, WEIR_KEYWORD_FOLLOWING);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CURRENT)) {
        *kind = WEIR_AST_CURRENT_ROW;
        return weir_parser_expect_keyword(parser, WEIR_KEYWORD_ROW);
    }
    WEIR_TRY(weir_parser_expression(parser, value));
    *kind = WEIR_AST_FOLLOWING;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PRECEDING)) {
        *kind = WEIR_AST_PRECEDING;
        return WEIR_OK;
    }
    return weir_parser_expect_keyword(parser, WEIR_KEYWORD_FOLLOWING);
}

static int parse_frame(weir_parser *parser, weir_ast_window *window)
{
    window->rows = weir_parser_accept_keyword(parser, WEIR_KEYWORD_ROWS);
    if (!window->rows && !weir_parser_accept_keyword(parser, WEIR_KEYWORD_RANGE)) {
        return WEIR_OK;
    }
    window->has_frame = true;
    window->upper = WEIR_AST_CURRENT_ROW;
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_BETWEEN)) {
        return parse_frame_bound(parser, &window->lower, &window->lower_value);
    }
    /* BETWEEN's AND would be taken for the operator: bounds are plain values, read as primaries by their units. */
    WEIR_TRY(parse_frame_bound(parser, &window->lower, &window->lower_value));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AND));
    return parse_frame_bound(parser, &window->upper, &window->upper_value);
}

/* (… PARTITION BY … ORDER BY … frame), or the name of a window. */
int weir_parser_window(weir_parser *parser, weir_ast_window **out)
{
    weir_ast_window *window = WEIR_NEW(parser->arena, weir_ast_window);
    window->position = weir_parser_peek(parser, 0)->position;
    *out = window;
    if (!weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        weir_ast_part name;
        WEIR_TRY(weir_parser_part(parser, "( or a window's name", &name));
        window->reference = name.text;
        return WEIR_OK;
    }
    if (weir_parser_at_name(parser) && !weir_parser_at_keyword(parser, WEIR_KEYWORD_ORDER)) {
        window->reference = weir_parser_take(parser).text;
    }
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_PARTITION, WEIR_KEYWORD_BY)) {
        WEIR_TRY(weir_parser_expressions(parser, &window->partition_by));
    }
    if (weir_parser_at_keywords(parser, WEIR_KEYWORD_ORDER, WEIR_KEYWORD_BY)) {
        WEIR_TRY(weir_parser_sort_keys(parser, &window->order_by));
    }
    WEIR_TRY(parse_frame(parser, window));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") after the window"));
    window->position = weir_parser_since(parser, &window->position);
    return WEIR_OK;
}

static int parse_call_clauses(weir_parser *parser, weir_ast_call *call)
{
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_WITHIN, WEIR_KEYWORD_GROUP)) {
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
        WEIR_TRY(weir_parser_sort_keys(parser, &call->within_group));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    }
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_IGNORE, WEIR_KEYWORD_NULLS)) {
        call->nulls = 1;
    } else if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_RESPECT, WEIR_KEYWORD_NULLS)) {
        call->nulls = 2;
    }
    bool filter = weir_parser_at_keyword(parser, WEIR_KEYWORD_FILTER) &&
                  weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS;
    if (filter) {
        weir_parser_take(parser);
        weir_parser_take(parser);
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_WHERE));
        WEIR_TRY(weir_parser_expression(parser, &call->filter));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    }
    bool over = weir_parser_at_keyword(parser, WEIR_KEYWORD_OVER) &&
                (weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_LEFT_PARENTHESIS ||
                 weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_WORD);
    if (over) {
        weir_parser_take(parser);
        WEIR_TRY(weir_parser_window(parser, &call->over));
    }
    return WEIR_OK;
}

/* --- The call -------------------------------------------------------------------------------------------------- */

typedef struct special_form {
    const char *name;
    int (*parse)(weir_parser *parser, weir_ast_expression *call);
} special_form;

static const special_form special_forms[] = {
    {"EXTRACT", parse_extract},
    {"CEIL", parse_rounding},
    {"CEILING", parse_rounding},
    {"FLOOR", parse_rounding},
    {"TIMESTAMPADD", parse_timestamp_call},
    {"TIMESTAMPDIFF", parse_timestamp_call},
    {"TRIM", parse_trim},
    {"POSITION", parse_position},
    {"SUBSTRING", parse_substring},
    {"OVERLAY", parse_substring},
    {"JSON_VALUE", parse_json_path},
    {"JSON_QUERY", parse_json_path},
    {"JSON_EXISTS", parse_json_path},
    {"JSON_OBJECT", parse_json_object},
    {"JSON_OBJECTAGG", parse_json_object},
    {"JSON_ARRAY", parse_json_array},
    {"JSON_ARRAYAGG", parse_json_array},
};

static int parse_arguments(weir_parser *parser, weir_ast_expression *call)
{
    for (size_t i = 0; i < sizeof special_forms / sizeof special_forms[0]; i++) {
        if (weir_text_equal_ignore_case(call->text, special_forms[i].name)) {
            return special_forms[i].parse(parser, call);
        }
    }
    return parse_plain_arguments(parser, call);
}

int weir_parser_call(weir_parser *parser, weir_ast_expression **out)
{
    bool special = weir_parser_at_special_call(parser);
    weir_token name = weir_parser_take(parser);
    bool allowed = name.kind == WEIR_TOKEN_QUOTED || !weir_keyword_reserved(name.keyword) ||
                   name.keyword == WEIR_KEYWORD_LEFT || name.keyword == WEIR_KEYWORD_RIGHT ||
                   name.keyword == WEIR_KEYWORD_EXISTS || name.keyword == WEIR_KEYWORD_CAST ||
                   name.keyword == WEIR_KEYWORD_GROUPING;
    if (!allowed) {
        parser->index--;
        return weir_parser_unexpected(parser, "an expression");
    }
    weir_ast_expression *call = weir_parser_new_expression(parser, WEIR_AST_CALL, &name.position);
    call->text = name.text;
    call->call = WEIR_NEW(parser->arena, weir_ast_call);
    *out = call;
    if (special && !weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        call->call->no_parentheses = true;
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    if (name.kind == WEIR_TOKEN_WORD) {
        switch (name.keyword) {
        case WEIR_KEYWORD_CAST:
            return parse_cast(parser, &name, false, out);
        case WEIR_KEYWORD_TRY_CAST:
            return parse_cast(parser, &name, true, out);
        case WEIR_KEYWORD_EXISTS:
            return parse_exists(parser, &name, out);
        default:
            break;
        }
    }
    WEIR_TRY(parse_arguments(parser, call));
    WEIR_TRY(expect_close(parser));
    WEIR_TRY(parse_call_clauses(parser, call->call));
    call->position = weir_parser_since(parser, &name.position);
    *out = call;
    return WEIR_OK;
}
