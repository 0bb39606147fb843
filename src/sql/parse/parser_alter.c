/* ALTER TABLE, ALTER VIEW, ALTER DATABASE. */
#include "sql/parse/parser_internal.h"

/* Flink has no words for a field alone. */
static int refuse_field(weir_parser *parser)
{
    if (weir_parser_at_name(parser) && weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_DOT) {
        return weir_parser_fail(parser, &weir_parser_peek(parser, 1)->position,
                                "fields of a ROW are added, dropped and changed by MODIFY of the whole column with its "
                                "new type");
    }
    return WEIR_OK;
}

/* (a, b) or a single one. */
static int parse_column_names(weir_parser *parser, weir_ast_names *out)
{
    if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        return weir_parser_name_list(parser, "a column's name", out);
    }
    weir_ast_part name;
    WEIR_TRY(refuse_field(parser));
    WEIR_TRY(weir_parser_part(parser, "a column's name", &name));
    WEIR_PARSER_APPEND(parser, out->items, out->count, name);
    return WEIR_OK;
}

static int parse_column_place(weir_parser *parser, weir_ast_column *column)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FIRST)) {
        column->place = 1;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_AFTER)) {
        column->place = 2;
        return weir_parser_part(parser, "the name of the column before it", &column->after);
    }
    return WEIR_OK;
}

/* One column, key or watermark of ADD and MODIFY. */
static int parse_element(weir_parser *parser, weir_ast_alter *alter)
{
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_CONSTRAINT) ||
        weir_parser_at_keywords(parser, WEIR_KEYWORD_PRIMARY, WEIR_KEYWORD_KEY)) {
        alter->has_primary_key = true;
        return weir_parser_primary_key(parser, &alter->primary_key);
    }
    if (weir_parser_at_keywords(parser, WEIR_KEYWORD_WATERMARK, WEIR_KEYWORD_FOR)) {
        return weir_parser_watermark(parser, &alter->watermark);
    }
    weir_ast_column column;
    weir_parser_accept_keyword(parser, WEIR_KEYWORD_COLUMN);
    WEIR_TRY(refuse_field(parser));
    WEIR_TRY(weir_parser_column(parser, &column));
    WEIR_TRY(parse_column_place(parser, &column));
    WEIR_PARSER_APPEND(parser, alter->columns, alter->column_count, column);
    return WEIR_OK;
}

static int parse_elements(weir_parser *parser, weir_ast_alter *alter)
{
    if (!weir_parser_accept(parser, WEIR_TOKEN_LEFT_PARENTHESIS)) {
        return parse_element(parser, alter);
    }
    do {
        WEIR_TRY(parse_element(parser, alter));
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

static int parse_partitions(weir_parser *parser, weir_ast_alter *alter)
{
    while (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PARTITION)) {
        weir_ast_options partition;
        WEIR_TRY(weir_parser_partition(parser, &partition));
        WEIR_PARSER_APPEND(parser, alter->partitions, alter->partition_count, partition);
        weir_parser_accept(parser, WEIR_TOKEN_COMMA);
    }
    return WEIR_OK;
}

static int parse_add(weir_parser *parser, weir_ast_alter *alter)
{
    size_t before = parser->index;
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_NOT)) {
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_EXISTS));
        alter->if_not_exists = true;
    }
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_PARTITION)) {
        alter->kind = WEIR_AST_ALTER_ADD_PARTITIONS;
        return parse_partitions(parser, alter);
    }
    parser->index = before;
    alter->kind = WEIR_AST_ALTER_ADD;
    return parse_elements(parser, alter);
}

static int parse_drop(weir_parser *parser, weir_ast_alter *alter)
{
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_PRIMARY, WEIR_KEYWORD_KEY)) {
        alter->kind = WEIR_AST_ALTER_DROP_PRIMARY_KEY;
        return WEIR_OK;
    }
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_WATERMARK) &&
        weir_parser_peek(parser, 1)->kind != WEIR_TOKEN_COMMA) {
        weir_parser_take(parser);
        alter->kind = WEIR_AST_ALTER_DROP_WATERMARK;
        return WEIR_OK;
    }
    size_t before = parser->index;
    alter->if_exists = weir_parser_accept_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_EXISTS) || alter->if_exists;
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_PARTITION)) {
        alter->kind = WEIR_AST_ALTER_DROP_PARTITIONS;
        return parse_partitions(parser, alter);
    }
    parser->index = before;
    alter->kind = WEIR_AST_ALTER_DROP_COLUMNS;
    weir_parser_accept_keyword(parser, WEIR_KEYWORD_COLUMN);
    return parse_column_names(parser, &alter->names);
}

static int parse_rename(weir_parser *parser, weir_ast_alter *alter)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TO)) {
        alter->kind = WEIR_AST_ALTER_RENAME_TABLE;
        return weir_parser_name(parser, "the new name", &alter->new_name);
    }
    alter->kind = WEIR_AST_ALTER_RENAME_COLUMN;
    weir_parser_accept_keyword(parser, WEIR_KEYWORD_COLUMN);
    weir_ast_part name;
    WEIR_TRY(refuse_field(parser));
    WEIR_TRY(weir_parser_part(parser, "TO, or a column's name", &name));
    WEIR_PARSER_APPEND(parser, alter->names.items, alter->names.count, name);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_TO));
    return weir_parser_name(parser, "the column's new name", &alter->new_name);
}

/* ('k', 'k2') */
static int parse_keys(weir_parser *parser, weir_ast_names *out)
{
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    do {
        weir_ast_part key = {.position = weir_parser_peek(parser, 0)->position};
        WEIR_TRY(weir_parser_string(parser, "an option's key as a 'string'", &key.text));
        WEIR_PARSER_APPEND(parser, out->items, out->count, key);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

static int parse_table_change(weir_parser *parser, weir_ast_alter *alter)
{
    static const char *const words[] = {"SET", "RESET", "ADD", "MODIFY", "DROP", "RENAME"};
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_SET)) {
        alter->kind = WEIR_AST_ALTER_SET_OPTIONS;
        return weir_parser_options(parser, &alter->options);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RESET)) {
        alter->kind = WEIR_AST_ALTER_RESET_OPTIONS;
        return parse_keys(parser, &alter->names);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_ADD)) {
        return parse_add(parser, alter);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_MODIFY)) {
        alter->kind = WEIR_AST_ALTER_MODIFY;
        return parse_elements(parser, alter);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DROP)) {
        return parse_drop(parser, alter);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RENAME)) {
        return parse_rename(parser, alter);
    }
    return weir_parser_unexpected_of(parser, "SET, RESET, ADD, MODIFY, DROP or RENAME", words,
                                     sizeof words / sizeof words[0]);
}

static int parse_view_change(weir_parser *parser, weir_ast_alter *alter)
{
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_RENAME)) {
        alter->kind = WEIR_AST_ALTER_RENAME_TABLE;
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_TO));
        return weir_parser_name(parser, "the new name", &alter->new_name);
    }
    alter->kind = WEIR_AST_ALTER_AS;
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_AS));
    weir_position begin = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_query(parser, &alter->query));
    alter->query_position = weir_parser_since(parser, &begin);
    return WEIR_OK;
}

int weir_parser_alter(weir_parser *parser, weir_ast_statement *out)
{
    weir_ast_alter *alter = WEIR_NEW(parser->arena, weir_ast_alter);
    out->alter = alter;
    weir_parser_take(parser);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE)) {
        out->kind = WEIR_AST_ALTER_TABLE;
        alter->if_exists = weir_parser_accept_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_EXISTS);
        WEIR_TRY(weir_parser_name(parser, "a table's name", &alter->name));
        return parse_table_change(parser, alter);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_VIEW)) {
        out->kind = WEIR_AST_ALTER_VIEW;
        WEIR_TRY(weir_parser_name(parser, "a view's name", &alter->name));
        return parse_view_change(parser, alter);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DATABASE)) {
        out->kind = WEIR_AST_ALTER_DATABASE;
        alter->kind = WEIR_AST_ALTER_SET_OPTIONS;
        WEIR_TRY(weir_parser_name(parser, "a database's name", &alter->name));
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SET));
        return weir_parser_options(parser, &alter->options);
    }
    static const char *const objects[] = {"TABLE", "VIEW", "DATABASE"};
    return weir_parser_unexpected_of(parser, "TABLE, VIEW or DATABASE", objects, 3);
}
