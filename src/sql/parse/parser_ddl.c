/* CREATE: catalogs, databases, tables with all that Flink lets stand in them, views, functions. */
#include "sql/parse/parser_internal.h"

static bool accept_if_not_exists(weir_parser *parser)
{
    if (!weir_parser_at_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_NOT)) {
        return false;
    }
    size_t before = parser->index;
    weir_parser_accept_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_NOT);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_EXISTS)) {
        return true;
    }
    parser->index = before;
    return false;
}

/* --- Columns and constraints ----------------------------------------------------------------------------------- */

/* NOT ENFORCED, which must be said: nobody checks keys when rows come in. */
static int parse_not_enforced(weir_parser *parser)
{
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_NOT, WEIR_KEYWORD_ENFORCED)) {
        return WEIR_OK;
    }
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind == WEIR_TOKEN_ERROR) {
        return weir_parser_unexpected(parser, "NOT ENFORCED");
    }
    return weir_parser_fail(parser, &token->position, "a PRIMARY KEY must be written with NOT ENFORCED after it");
}

int weir_parser_primary_key(weir_parser *parser, weir_ast_names *out)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CONSTRAINT)) {
        weir_ast_part name;
        WEIR_TRY(weir_parser_part(parser, "the constraint's name", &name));
    }
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind == WEIR_TOKEN_WORD && strcasecmp(token->text, "UNIQUE") == 0) {
        return weir_parser_fail(parser, &token->position, "UNIQUE constraints are not supported; use a PRIMARY KEY");
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_PRIMARY));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_KEY));
    WEIR_TRY(weir_parser_name_list(parser, "a key column's name", out));
    return parse_not_enforced(parser);
}

int weir_parser_watermark(weir_parser *parser, weir_ast_watermark **out)
{
    weir_ast_watermark *watermark = WEIR_NEW(parser->arena, weir_ast_watermark);
    watermark->position = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_WATERMARK));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_FOR));
    WEIR_TRY(weir_parser_name(parser, "the name of the time column", &watermark->column));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    WEIR_TRY(weir_parser_expression(parser, &watermark->expression));
    watermark->position = weir_parser_since(parser, &watermark->position);
    *out = watermark;
    return WEIR_OK;
}

static int parse_metadata(weir_parser *parser, weir_ast_column *column)
{
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_METADATA)) {
        return WEIR_OK;
    }
    column->kind = WEIR_AST_METADATA_COLUMN;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FROM)) {
        WEIR_TRY(weir_parser_string(parser, "the metadata's key as a 'string'", &column->metadata_key));
    }
    column->is_virtual = weir_parser_accept_keyword(parser, WEIR_KEYWORD_VIRTUAL);
    return WEIR_OK;
}

/* name type [METADATA …] [PRIMARY KEY NOT ENFORCED] [COMMENT …], or name AS expression [COMMENT …]. */
int weir_parser_column(weir_parser *parser, weir_ast_column *out)
{
    weir_ast_column column = {0};
    WEIR_TRY(weir_parser_part(parser, "a column's name", &column.name));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_AS)) {
        column.kind = WEIR_AST_COMPUTED_COLUMN;
        WEIR_TRY(weir_parser_expression(parser, &column.expression));
    } else {
        column.type_position = weir_parser_peek(parser, 0)->position;
        WEIR_TRY(weir_parser_type(parser, &column.type));
        column.type_position = weir_parser_since(parser, &column.type_position);
        WEIR_TRY(parse_metadata(parser, &column));
        if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_PRIMARY, WEIR_KEYWORD_KEY)) {
            column.primary_key = true;
            WEIR_TRY(parse_not_enforced(parser));
        }
    }
    WEIR_TRY(weir_parser_comment(parser, &column.comment));
    *out = column;
    return WEIR_OK;
}

/* In CREATE TABLE AS the list may hold names alone; their types are the query's. */
static bool at_bare_name(weir_parser *parser)
{
    weir_token_kind next = weir_parser_peek(parser, 1)->kind;
    return weir_parser_at_name(parser) && (next == WEIR_TOKEN_COMMA || next == WEIR_TOKEN_RIGHT_PARENTHESIS);
}

static int parse_table_element(weir_parser *parser, weir_ast_create_table *create)
{
    bool key = weir_parser_at_keyword(parser, WEIR_KEYWORD_CONSTRAINT) ||
               weir_parser_at_keywords(parser, WEIR_KEYWORD_PRIMARY, WEIR_KEYWORD_KEY);
    weir_position position = weir_parser_peek(parser, 0)->position;
    if (key) {
        if (create->has_primary_key) {
            return weir_parser_fail(parser, &position, "a table has one PRIMARY KEY; this is the second");
        }
        create->has_primary_key = true;
        WEIR_TRY(weir_parser_primary_key(parser, &create->primary_key));
        create->primary_key_position = weir_parser_since(parser, &position);
        return WEIR_OK;
    }
    if (weir_parser_at_keywords(parser, WEIR_KEYWORD_WATERMARK, WEIR_KEYWORD_FOR)) {
        if (create->watermark != NULL) {
            return weir_parser_fail(parser, &position, "a table has one WATERMARK; this is the second");
        }
        return weir_parser_watermark(parser, &create->watermark);
    }
    weir_ast_column column = {0};
    if (at_bare_name(parser)) {
        WEIR_TRY(weir_parser_part(parser, "a column's name", &column.name));
    } else {
        WEIR_TRY(weir_parser_column(parser, &column));
    }
    if (column.primary_key) {
        if (create->has_primary_key) {
            return weir_parser_fail(parser, &position, "a table has one PRIMARY KEY; this is the second");
        }
        create->has_primary_key = true;
        create->primary_key_position = position;
        WEIR_PARSER_APPEND(parser, create->primary_key.items, create->primary_key.count, column.name);
    }
    WEIR_PARSER_APPEND(parser, create->columns, create->column_count, column);
    return WEIR_OK;
}

static int parse_table_elements(weir_parser *parser, weir_ast_create_table *create)
{
    if (!weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        return WEIR_OK;
    }
    if (weir_parser_accept(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        return WEIR_OK;
    }
    do {
        if (weir_parser_at(parser, WEIR_TOKEN_RIGHT_PARENTHESIS) && create->column_count > 0) {
            return weir_parser_unexpected(parser, "another column after the comma");
        }
        WEIR_TRY(parse_table_element(parser, create));
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ", or ) after the column");
}

/* --- What follows the columns ---------------------------------------------------------------------------------- */

/* DISTRIBUTED [BY [HASH|RANGE](a, b)] INTO n BUCKETS */
static int parse_distribution(weir_parser *parser, weir_ast_create_table *create)
{
    create->distributed = true;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_BY)) {
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_HASH)) {
            create->distribution = "HASH";
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RANGE)) {
            create->distribution = "RANGE";
        }
        WEIR_TRY(weir_parser_name_list(parser, "a column's name", &create->distributed_by));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_INTO)) {
        WEIR_TRY(weir_parser_integer(parser, "the number of buckets", &create->bucket_count));
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_BUCKETS));
    }
    return WEIR_OK;
}

static int parse_like_choice(weir_parser *parser, weir_ast_part *out)
{
    weir_position position = weir_parser_peek(parser, 0)->position;
    const char *how;
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_INCLUDING)) {
        how = "INCLUDING";
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_EXCLUDING)) {
        how = "EXCLUDING";
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_OVERWRITING)) {
        how = "OVERWRITING";
    } else {
        return weir_parser_unexpected(parser, "INCLUDING, EXCLUDING or OVERWRITING");
    }
    static const weir_keyword what[] = {WEIR_KEYWORD_ALL,       WEIR_KEYWORD_CONSTRAINTS, WEIR_KEYWORD_DISTRIBUTION,
                                        WEIR_KEYWORD_GENERATED, WEIR_KEYWORD_METADATA,    WEIR_KEYWORD_OPTIONS,
                                        WEIR_KEYWORD_PARTITIONS};
    for (size_t i = 0; i < sizeof what / sizeof what[0]; i++) {
        if (weir_parser_accept_keyword(parser, what[i])) {
            *out = (weir_ast_part){position, weir_arena_format(parser->arena, "%s %s", how, weir_keyword_text(what[i])),
                                   false};
            return WEIR_OK;
        }
    }
    const weir_token *token = weir_parser_peek(parser, 0);
    if (token->kind == WEIR_TOKEN_WORD && strcasecmp(token->text, "WATERMARKS") == 0) {
        weir_parser_take(parser);
        *out = (weir_ast_part){position, weir_arena_format(parser->arena, "%s WATERMARKS", how), false};
        return WEIR_OK;
    }
    return weir_parser_unexpected(parser, "ALL, CONSTRAINTS, GENERATED, METADATA, OPTIONS, PARTITIONS or WATERMARKS");
}

static int parse_like(weir_parser *parser, weir_ast_create_table *create)
{
    weir_ast_like *like = WEIR_NEW(parser->arena, weir_ast_like);
    create->like = like;
    WEIR_TRY(weir_parser_name(parser, "the name of the table to copy", &like->name));
    if (!weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        return WEIR_OK;
    }
    while (!weir_parser_accept(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        weir_ast_part choice;
        WEIR_TRY(parse_like_choice(parser, &choice));
        WEIR_PARSER_APPEND(parser, like->choices.items, like->choices.count, choice);
    }
    return WEIR_OK;
}

static int parse_table_clauses(weir_parser *parser, weir_ast_create_table *create)
{
    WEIR_TRY(weir_parser_comment(parser, &create->comment));
    for (;;) {
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DISTRIBUTED)) {
            WEIR_TRY(parse_distribution(parser, create));
        } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PARTITIONED)) {
            WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_BY));
            WEIR_TRY(weir_parser_name_list(parser, "a partition column's name", &create->partitioned_by));
        } else {
            break;
        }
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH)) {
        WEIR_TRY(weir_parser_options(parser, &create->options));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_LIKE)) {
        return parse_like(parser, create);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_AS)) {
        return weir_parser_query(parser, &create->query);
    }
    return WEIR_OK;
}

static int parse_create_table(weir_parser *parser, bool temporary, bool or_replace, weir_ast_statement *out)
{
    weir_ast_create_table *create = WEIR_NEW(parser->arena, weir_ast_create_table);
    out->kind = WEIR_AST_CREATE_TABLE;
    out->create_table = create;
    create->temporary = temporary;
    create->or_replace = or_replace;
    create->if_not_exists = accept_if_not_exists(parser);
    WEIR_TRY(weir_parser_name(parser, "the table's name", &create->name));
    WEIR_TRY(parse_table_elements(parser, create));
    WEIR_TRY(parse_table_clauses(parser, create));
    for (int32_t i = 0; i < create->column_count && create->query == NULL; i++) {
        const weir_ast_column *column = &create->columns[i];
        if (column->type == NULL && column->expression == NULL) {
            return weir_parser_fail(parser, &column->name.position, "column '%s' has no type", column->name.text);
        }
    }
    return WEIR_OK;
}

/* --- Catalogs, databases, views, functions --------------------------------------------------------------------- */

static int parse_create_named(weir_parser *parser, weir_ast_statement_kind kind, const char *what,
                              weir_ast_create *create, weir_ast_statement *out)
{
    out->kind = kind;
    out->create = create;
    create->if_not_exists = accept_if_not_exists(parser);
    WEIR_TRY(weir_parser_name(parser, what, &create->name));
    WEIR_TRY(weir_parser_comment(parser, &create->comment));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH)) {
        WEIR_TRY(weir_parser_options(parser, &create->options));
    }
    return WEIR_OK;
}

static int parse_create_view(weir_parser *parser, weir_ast_create *create, weir_ast_statement *out)
{
    out->kind = WEIR_AST_CREATE_VIEW;
    out->create = create;
    create->if_not_exists = accept_if_not_exists(parser);
    WEIR_TRY(weir_parser_name(parser, "the view's name", &create->name));
    if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        WEIR_TRY(weir_parser_name_list(parser, "a column's name", &create->columns));
    }
    WEIR_TRY(weir_parser_comment(parser, &create->comment));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    weir_position begin = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_query(parser, &create->query));
    create->query_position = weir_parser_since(parser, &begin);
    return WEIR_OK;
}

static int parse_create_function(weir_parser *parser, weir_ast_create *create, weir_ast_statement *out)
{
    out->kind = WEIR_AST_CREATE_FUNCTION;
    out->create = create;
    create->if_not_exists = accept_if_not_exists(parser);
    WEIR_TRY(weir_parser_name(parser, "the function's name", &create->name));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    WEIR_TRY(weir_parser_string(parser, "the function's class as a 'string'", &create->class_name));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_LANGUAGE)) {
        weir_ast_part language;
        WEIR_TRY(weir_parser_part(parser, "a language's name", &language));
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_USING)) {
        do {
            const char *path;
            WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_JAR));
            WEIR_TRY(weir_parser_string(parser, "the path of the JAR as a 'string'", &path));
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    }
    return WEIR_OK;
}

int weir_parser_create(weir_parser *parser, weir_ast_statement *out)
{
    static const char *const objects[] = {"TABLE", "CATALOG", "DATABASE", "VIEW", "TEMPORARY", "FUNCTION"};
    weir_parser_take(parser);
    weir_ast_create *create = WEIR_NEW(parser->arena, weir_ast_create);
    create->or_replace = weir_parser_accept_keywords(parser, WEIR_KEYWORD_OR, WEIR_KEYWORD_REPLACE);
    create->temporary = weir_parser_accept_keyword(parser, WEIR_KEYWORD_TEMPORARY);
    create->system = weir_parser_accept_keyword(parser, WEIR_KEYWORD_SYSTEM);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE)) {
        return parse_create_table(parser, create->temporary, create->or_replace, out);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        return parse_create_named(parser, WEIR_AST_CREATE_CATALOG, "the catalog's name", create, out);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DATABASE)) {
        return parse_create_named(parser, WEIR_AST_CREATE_DATABASE, "the database's name", create, out);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_VIEW)) {
        return parse_create_view(parser, create, out);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FUNCTION)) {
        return parse_create_function(parser, create, out);
    }
    if (weir_parser_at_keywords(parser, WEIR_KEYWORD_MATERIALIZED, WEIR_KEYWORD_TABLE)) {
        return weir_parser_fail(parser, &weir_parser_peek(parser, 0)->position,
                                "materialized tables are not supported; use CREATE TABLE and INSERT INTO");
    }
    return weir_parser_unexpected_of(parser, "TABLE, CATALOG, DATABASE, VIEW or FUNCTION", objects,
                                     sizeof objects / sizeof objects[0]);
}
