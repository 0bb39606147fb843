/* Flink's type syntax: DECIMAL(10, 2) NOT NULL, ARRAY<ROW<a INT 'comment'>>, TIMESTAMP(3) WITH LOCAL TIME ZONE,
 * INTERVAL DAY TO SECOND, INT ARRAY. The types themselves are the vector room's. */
#include "sql/parse/parser_internal.h"
#include "sql/type.h"

static const char *const type_names[] = {"ARRAY", "BIGINT",    "BINARY",        "BOOLEAN", "BYTES",     "CHAR",
                                         "DATE",  "DECIMAL",   "DOUBLE",        "FLOAT",   "INT",       "INTEGER",
                                         "MAP",   "MULTISET",  "NUMERIC",       "ROW",     "SMALLINT",  "STRING",
                                         "TIME",  "TIMESTAMP", "TIMESTAMP_LTZ", "TINYINT", "VARBINARY", "VARCHAR"};

/* (n), if it is there. */
static int parse_parameter(weir_parser *parser, const char *what, int32_t minimum, int32_t maximum, int32_t *out)
{
    if (!weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        return WEIR_OK;
    }
    weir_position position = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_integer(parser, what, out));
    if (*out < minimum || *out > maximum) {
        return weir_parser_fail(parser, &position, "%s is %d; it must lie between %d and %d", what, *out, minimum,
                                maximum);
    }
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")");
}

static int parse_with_length(weir_parser *parser, weir_type_id id, int32_t length, const weir_type **out)
{
    WEIR_TRY(parse_parameter(parser, "the length", 1, WEIR_MAX_LENGTH, &length));
    *out = weir_type_with_length(parser->arena, id, length, true);
    return WEIR_OK;
}

static int parse_decimal(weir_parser *parser, const weir_type **out)
{
    int32_t precision = 10;
    int32_t scale = 0;
    if (weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        weir_position position = weir_parser_peek(parser, 0)->position;
        WEIR_TRY(weir_parser_integer(parser, "the precision", &precision));
        if (precision < 1 || precision > 38) {
            return weir_parser_fail(parser, &position, "the precision is %d; it must lie between 1 and 38", precision);
        }
        if (weir_parser_accept(parser, WEIR_TOKEN_COMMA)) {
            position = weir_parser_peek(parser, 0)->position;
            WEIR_TRY(weir_parser_integer(parser, "the scale", &scale));
            if (scale > precision) {
                return weir_parser_fail(
                    parser, &position, "the scale is %d; it must lie between 0 and the precision %d", scale, precision);
            }
        }
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ")"));
    }
    *out = weir_type_decimal(parser->arena, precision, scale, true);
    return WEIR_OK;
}

/* WITH or WITHOUT [LOCAL] TIME ZONE, if it is there. */
static int parse_time_zone(weir_parser *parser, bool *local)
{
    *local = false;
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_WITHOUT)) {
        weir_parser_take(parser);
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_LOCAL);
    } else if (weir_parser_at_keywords(parser, WEIR_KEYWORD_WITH, WEIR_KEYWORD_LOCAL)) {
        weir_parser_accept_keywords(parser, WEIR_KEYWORD_WITH, WEIR_KEYWORD_LOCAL);
        *local = true;
    } else if (weir_parser_at_keywords(parser, WEIR_KEYWORD_WITH, WEIR_KEYWORD_TIME)) {
        return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                                "TIMESTAMP WITH TIME ZONE does not exist; use TIMESTAMP_LTZ");
    } else {
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_TIME));
    return weir_parser_expect_keyword(parser, WEIR_KEYWORD_ZONE);
}

static int parse_timestamp(weir_parser *parser, weir_type_id id, const weir_type **out)
{
    int32_t precision = id == WEIR_TIME ? 0 : 6;
    WEIR_TRY(parse_parameter(parser, "the precision", 0, 9, &precision));
    bool local = false;
    if (id != WEIR_TIMESTAMP_LTZ) {
        WEIR_TRY(parse_time_zone(parser, &local));
    }
    *out =
        weir_type_with_length(parser->arena, local && id == WEIR_TIMESTAMP ? WEIR_TIMESTAMP_LTZ : id, precision, true);
    return WEIR_OK;
}

/* < or ( in front of nested types, and what closes them. */
static int parse_open(weir_parser *parser, bool parenthesis_allowed, weir_token_kind *close)
{
    if (weir_parser_accept(parser, WEIR_TOKEN_LESS)) {
        *close = WEIR_TOKEN_GREATER;
        return WEIR_OK;
    }
    if (parenthesis_allowed && weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        *close = WEIR_TOKEN_RIGHT_PARENTHESIS;
        return WEIR_OK;
    }
    return weir_parser_unexpected(parser, "< and the type inside");
}

static int parse_close(weir_parser *parser, weir_token_kind close)
{
    return weir_parser_expect(parser, close, close == WEIR_TOKEN_GREATER ? "> after the type" : ") after the type");
}

static int parse_collection(weir_parser *parser, weir_type_id id, const weir_type **out)
{
    weir_token_kind close;
    const weir_type *element;
    WEIR_TRY(parse_open(parser, false, &close));
    WEIR_TRY(weir_parser_type(parser, &element));
    if (id == WEIR_MAP) {
        const weir_type *value;
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_COMMA, "a comma and the type of the map's values"));
        WEIR_TRY(weir_parser_type(parser, &value));
        *out = weir_type_map(parser->arena, element, value, true);
    } else if (id == WEIR_ARRAY) {
        *out = weir_type_array(parser->arena, element, true);
    } else {
        *out = weir_type_multiset(parser->arena, element, true);
    }
    return parse_close(parser, close);
}

static int parse_row(weir_parser *parser, const weir_type **out)
{
    weir_token_kind close;
    WEIR_TRY(parse_open(parser, true, &close));
    weir_field *fields = NULL;
    int32_t count = 0;
    if (!weir_parser_at(parser, close) && !weir_parser_at(parser, WEIR_TOKEN_NOT_EQUAL)) {
        do {
            weir_ast_part name;
            weir_field field = {.id = -1};
            WEIR_TRY(weir_parser_part(parser, "a field's name", &name));
            field.name = name.text;
            WEIR_TRY(weir_parser_type(parser, &field.type));
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_COMMENT);
            if (weir_parser_at(parser, WEIR_TOKEN_STRING)) {
                field.description = weir_parser_take(parser).text;
            }
            WEIR_PARSER_APPEND(parser, fields, count, field);
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    *out = weir_type_row(parser->arena, fields, count, true);
    return parse_close(parser, close);
}

static int parse_interval_type(weir_parser *parser, const weir_type **out)
{
    weir_ast_interval units;
    WEIR_TRY(weir_parser_interval_units(parser, &units));
    bool months =
        strcmp(units.from, "YEAR") == 0 || strcmp(units.from, "MONTH") == 0 || strcmp(units.from, "QUARTER") == 0;
    weir_type *type = weir_type_new(parser->arena, months ? WEIR_INT : WEIR_BIGINT, true);
    type->id = months ? WEIR_INTERVAL_MONTHS : WEIR_INTERVAL_MILLIS;
    type->precision = 2;
    type->scale = 3;
    *out = type;
    return WEIR_OK;
}

/* The type of a word that stands for one alone. */
static const weir_type *simple_type(weir_keyword keyword)
{
    static const struct {
        weir_keyword keyword;
        weir_type_id id;
    } simple_types[] = {
        {WEIR_KEYWORD_BOOLEAN, WEIR_BOOLEAN},   {WEIR_KEYWORD_TINYINT, WEIR_TINYINT},
        {WEIR_KEYWORD_SMALLINT, WEIR_SMALLINT}, {WEIR_KEYWORD_INT, WEIR_INT},
        {WEIR_KEYWORD_INTEGER, WEIR_INT},       {WEIR_KEYWORD_BIGINT, WEIR_BIGINT},
        {WEIR_KEYWORD_REAL, WEIR_FLOAT},        {WEIR_KEYWORD_FLOAT, WEIR_FLOAT},
        {WEIR_KEYWORD_DOUBLE, WEIR_DOUBLE},     {WEIR_KEYWORD_STRING, WEIR_VARCHAR},
        {WEIR_KEYWORD_BYTES, WEIR_VARBINARY},   {WEIR_KEYWORD_DATE, WEIR_DATE},
    };
    for (size_t i = 0; i < sizeof simple_types / sizeof simple_types[0]; i++) {
        if (simple_types[i].keyword == keyword) {
            return weir_type_simple(simple_types[i].id, true);
        }
    }
    return NULL;
}

static int parse_named_type(weir_parser *parser, weir_keyword keyword, const weir_type **out)
{
    const weir_type *simple = simple_type(keyword);
    bool varying = false;
    if (simple != NULL) {
        if (keyword == WEIR_KEYWORD_DOUBLE) {
            weir_parser_accept_keyword(parser, WEIR_KEYWORD_PRECISION);
        }
        *out = simple;
        return WEIR_OK;
    }
    switch (keyword) {
    case WEIR_KEYWORD_DEC:
    case WEIR_KEYWORD_DECIMAL:
    case WEIR_KEYWORD_NUMERIC:
        return parse_decimal(parser, out);
    case WEIR_KEYWORD_CHARACTER:
    case WEIR_KEYWORD_CHAR:
        varying = weir_parser_accept_keyword(parser, WEIR_KEYWORD_VARYING);
        return parse_with_length(parser, varying ? WEIR_VARCHAR : WEIR_CHAR, varying ? WEIR_MAX_LENGTH : 1, out);
    case WEIR_KEYWORD_VARCHAR:
        return parse_with_length(parser, WEIR_VARCHAR, WEIR_MAX_LENGTH, out);
    case WEIR_KEYWORD_BINARY:
        varying = weir_parser_accept_keyword(parser, WEIR_KEYWORD_VARYING);
        return parse_with_length(parser, varying ? WEIR_VARBINARY : WEIR_BINARY, varying ? WEIR_MAX_LENGTH : 1, out);
    case WEIR_KEYWORD_VARBINARY:
        return parse_with_length(parser, WEIR_VARBINARY, WEIR_MAX_LENGTH, out);
    case WEIR_KEYWORD_TIME:
        return parse_timestamp(parser, WEIR_TIME, out);
    case WEIR_KEYWORD_TIMESTAMP:
        return parse_timestamp(parser, WEIR_TIMESTAMP, out);
    case WEIR_KEYWORD_TIMESTAMP_LTZ:
        return parse_timestamp(parser, WEIR_TIMESTAMP_LTZ, out);
    case WEIR_KEYWORD_ARRAY:
        return parse_collection(parser, WEIR_ARRAY, out);
    case WEIR_KEYWORD_MAP:
        return parse_collection(parser, WEIR_MAP, out);
    case WEIR_KEYWORD_MULTISET:
        return parse_collection(parser, WEIR_MULTISET, out);
    case WEIR_KEYWORD_ROW:
        return parse_row(parser, out);
    case WEIR_KEYWORD_VARIANT:
        *out = weir_type_new(parser->arena, WEIR_VARIANT, true);
        return WEIR_OK;
    case WEIR_KEYWORD_INTERVAL:
        return parse_interval_type(parser, out);
    default:
        break;
    }
    parser->index--;
    return weir_parser_unexpected_of(parser, "a type", type_names, sizeof type_names / sizeof type_names[0]);
}

/* What may follow a type: NULL, NOT NULL, and ARRAY or MULTISET around it. */
static int parse_suffixes(weir_parser *parser, const weir_type **type)
{
    for (;;) {
        if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_NOT, WEIR_KEYWORD_NULL)) {
            weir_type *strict = weir_arena_copy(parser->arena, *type, sizeof **type);
            strict->nullable = false;
            *type = strict;
        } else if (weir_parser_at_keyword(parser, WEIR_KEYWORD_NULL) &&
                   !weir_parser_at_keywords(parser, WEIR_KEYWORD_NULL, WEIR_KEYWORD_ON)) { /* NULL ON EMPTY */
            weir_parser_take(parser);
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ARRAY)) {
            *type = weir_type_array(parser->arena, *type, true);
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_MULTISET)) {
            *type = weir_type_multiset(parser->arena, *type, true);
        } else {
            return WEIR_OK;
        }
    }
}

int weir_parser_type(weir_parser *parser, const weir_type **out)
{
    if (!weir_parser_at(parser, WEIR_TOKEN_WORD)) {
        return weir_parser_unexpected(parser, "a type");
    }
    WEIR_TRY(weir_parser_enter(parser));
    const weir_type *type = NULL;
    weir_token token = weir_parser_take(parser);
    int code = parse_named_type(parser, token.keyword, &type);
    if (code == WEIR_OK) {
        code = parse_suffixes(parser, &type);
    }
    weir_parser_leave(parser);
    *out = type;
    return code;
}
