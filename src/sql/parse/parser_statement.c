/* Statements: which one it is, and those that are no DDL: INSERT, DELETE, UPDATE, USE, EXPLAIN, CALL, ANALYZE, jobs. */
#include "sql/parse/parser_internal.h"

/* --- INSERT, DELETE, UPDATE ------------------------------------------------------------------------------------ */

static int parse_insert_partition(weir_parser *parser, weir_ast_insert *insert)
{
    int32_t value_count = 0;
    insert->has_partition = true;
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "( before the partition"));
    do {
        weir_ast_part column;
        weir_ast_expression *value = NULL;
        WEIR_TRY(weir_parser_part(parser, "a partition column's name", &column));
        if (weir_parser_accept(parser, WEIR_TOKEN_EQUAL)) {
            WEIR_TRY(weir_parser_expression(parser, &value));
        }
        WEIR_PARSER_APPEND(parser, insert->partition_columns, insert->partition_count, column);
        WEIR_PARSER_APPEND(parser, insert->partition_values, value_count, value);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

static int parse_insert(weir_parser *parser, weir_ast_insert **out)
{
    weir_ast_insert *insert = WEIR_NEW(parser->arena, weir_ast_insert);
    weir_position begin = weir_parser_peek(parser, 0)->position;
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_INSERT));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_OVERWRITE)) {
        insert->overwrite = true;
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_INTO);
    } else if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_INTO)) {
        static const char *const words[] = {"INTO", "OVERWRITE"};
        return weir_parser_unexpected_of(parser, "INTO or OVERWRITE", words, 2);
    }
    weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE);
    WEIR_TRY(weir_parser_name(parser, "the name of the table to insert into", &insert->table));
    WEIR_TRY(weir_parser_hints(parser, &insert->hints));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PARTITION)) {
        WEIR_TRY(parse_insert_partition(parser, insert));
    }
    if (weir_parser_at(parser, WEIR_TOKEN_LEFT_PARENTHESIS) && !weir_parser_at_query(parser)) {
        insert->has_columns = true;
        WEIR_TRY(weir_parser_name_list(parser, "a column's name", &insert->columns));
    }
    WEIR_TRY(weir_parser_query(parser, &insert->query));
    insert->position = weir_parser_since(parser, &begin);
    *out = insert;
    return WEIR_OK;
}

static int parse_delete(weir_parser *parser, weir_ast_modify **out)
{
    weir_ast_modify *modify = WEIR_NEW(parser->arena, weir_ast_modify);
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_FROM));
    WEIR_TRY(weir_parser_name(parser, "the name of the table to delete from", &modify->table));
    WEIR_TRY(weir_parser_hints(parser, &modify->hints));
    WEIR_TRY(weir_parser_alias(parser, &modify->alias));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WHERE)) {
        WEIR_TRY(weir_parser_expression(parser, &modify->where));
    }
    *out = modify;
    return WEIR_OK;
}

static int parse_update(weir_parser *parser, weir_ast_modify **out)
{
    weir_ast_modify *modify = WEIR_NEW(parser->arena, weir_ast_modify);
    int32_t value_count = 0;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_name(parser, "the name of the table to update", &modify->table));
    WEIR_TRY(weir_parser_hints(parser, &modify->hints));
    if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_SET)) {
        WEIR_TRY(weir_parser_alias(parser, &modify->alias));
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SET));
    do {
        weir_ast_part column;
        weir_ast_expression *value;
        WEIR_TRY(weir_parser_part(parser, "the name of the column to set", &column));
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_EQUAL, "="));
        WEIR_TRY(weir_parser_expression(parser, &value));
        WEIR_PARSER_APPEND(parser, modify->columns, modify->column_count, column);
        WEIR_PARSER_APPEND(parser, modify->values, value_count, value);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WHERE)) {
        WEIR_TRY(weir_parser_expression(parser, &modify->where));
    }
    *out = modify;
    return WEIR_OK;
}

/* --- Statement sets -------------------------------------------------------------------------------------------- */

/* BEGIN insert; insert; … END, after STATEMENT SET. */
static int parse_statement_set(weir_parser *parser, bool begin_follows, weir_ast_statement *out)
{
    out->kind = WEIR_AST_STATEMENT_SET;
    if (begin_follows) {
        WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_BEGIN));
    } else {
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_SEMICOLON, "; after BEGIN STATEMENT SET"));
    }
    while (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_END)) {
        weir_ast_insert *insert;
        if (!weir_parser_at_keyword(parser, WEIR_KEYWORD_INSERT)) {
            static const char *const words[] = {"INSERT", "END"};
            return weir_parser_unexpected_of(parser, "INSERT, or END after the last one", words, 2);
        }
        WEIR_TRY(parse_insert(parser, &insert));
        WEIR_PARSER_APPEND(parser, out->statement_set.items, out->statement_set.count, insert);
        WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_SEMICOLON, "; after the INSERT"));
    }
    if (out->statement_set.count == 0) {
        parser->index--;
        return weir_parser_unexpected(parser, "at least one INSERT before END");
    }
    return WEIR_OK;
}

static int parse_execute(weir_parser *parser, weir_ast_statement *out)
{
    weir_parser_take(parser);
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_STATEMENT, WEIR_KEYWORD_SET)) {
        return parse_statement_set(parser, true, out);
    }
    weir_ast_statement *inner; /* EXECUTE INSERT …, EXECUTE SELECT … mean what they would without EXECUTE */
    WEIR_TRY(weir_parser_statement(parser, &inner));
    *out = *inner;
    return WEIR_OK;
}

static int parse_begin(weir_parser *parser, weir_ast_statement *out)
{
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_STATEMENT));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SET));
    return parse_statement_set(parser, false, out);
}

/* --- EXPLAIN, USE, CALL, ANALYZE, jobs ------------------------------------------------------------------------- */

static int parse_explain(weir_parser *parser, weir_ast_statement *out)
{
    static const char *const details[] = {"ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE"};
    out->kind = WEIR_AST_EXPLAIN;
    weir_parser_take(parser);
    const weir_token *token = weir_parser_peek(parser, 0);
    bool named = token->kind == WEIR_TOKEN_WORD && token->keyword == WEIR_KEYWORD_NONE;
    while (named) {
        bool known = false;
        token = weir_parser_peek(parser, 0);
        for (size_t i = 0; i < sizeof details / sizeof details[0]; i++) {
            known = known || strcasecmp(token->text, details[i]) == 0;
        }
        if (!known) {
            return weir_parser_unexpected_of(parser, "a statement to explain", details,
                                             sizeof details / sizeof details[0]);
        }
        weir_ast_part part = {token->position, token->text, false};
        weir_parser_take(parser);
        WEIR_PARSER_APPEND(parser, out->explain.details.items, out->explain.details.count, part);
        named = weir_parser_accept(parser, WEIR_TOKEN_COMMA);
    }
    if (weir_parser_at_keyword(parser, WEIR_KEYWORD_FOR)) { /* EXPLAIN PLAN FOR, the old form: PLAN was refused above */
        weir_parser_take(parser);
    }
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_STATEMENT, WEIR_KEYWORD_SET)) {
        weir_ast_statement *set = WEIR_NEW(parser->arena, weir_ast_statement);
        set->position = weir_parser_peek(parser, 0)->position;
        out->explain.statement = set;
        return parse_statement_set(parser, true, set);
    }
    return weir_parser_statement(parser, &out->explain.statement);
}

static int parse_use(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_USE;
    weir_parser_take(parser);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        out->use.object = WEIR_AST_OBJECT_CATALOG;
        return weir_parser_name(parser, "a catalog's name", &out->use.name);
    }
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_MODULES)) {
        out->use.object = WEIR_AST_OBJECT_MODULES;
        do {
            weir_ast_part module;
            WEIR_TRY(weir_parser_part(parser, "a module's name", &module));
            WEIR_PARSER_APPEND(parser, out->use.modules.items, out->use.modules.count, module);
        } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
        return WEIR_OK;
    }
    out->use.object = WEIR_AST_OBJECT_DATABASE;
    return weir_parser_name(parser, "CATALOG or a database's name", &out->use.name);
}

static int parse_call_statement(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_CALL_PROCEDURE;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_name(parser, "a procedure's name, such as sys.compact", &out->call.name));
    WEIR_TRY(weir_parser_expect(parser, WEIR_TOKEN_LEFT_PARENTHESIS, "("));
    if (weir_parser_accept(parser, WEIR_TOKEN_RIGHT_PARENTHESIS)) {
        return WEIR_OK;
    }
    do {
        weir_ast_expression *argument;
        const weir_token *name = weir_parser_peek(parser, 0);
        bool word = name->kind == WEIR_TOKEN_WORD || name->kind == WEIR_TOKEN_QUOTED;
        if (word && weir_parser_peek(parser, 1)->kind == WEIR_TOKEN_ARROW) {
            weir_token taken = weir_parser_take(parser);
            weir_parser_take(parser);
            argument = weir_parser_new_expression(parser, WEIR_AST_NAMED, &taken.position);
            argument->text = taken.text;
            weir_ast_expression *value;
            WEIR_TRY(weir_parser_expression(parser, &value));
            WEIR_PARSER_APPEND(parser, argument->arguments, argument->argument_count, value);
            argument->position = weir_parser_since(parser, &taken.position);
        } else {
            WEIR_TRY(weir_parser_expression(parser, &argument));
        }
        WEIR_PARSER_APPEND(parser, out->call.arguments.items, out->call.arguments.count, argument);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return weir_parser_expect(parser, WEIR_TOKEN_RIGHT_PARENTHESIS, ") or a comma");
}

static int parse_analyze(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_ANALYZE;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_TABLE));
    WEIR_TRY(weir_parser_name(parser, "a table's name", &out->analyze.table));
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_PARTITION)) {
        out->analyze.has_partition = true;
        WEIR_TRY(weir_parser_partition(parser, &out->analyze.partition));
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_COMPUTE));
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_STATISTICS));
    if (!weir_parser_accept_keyword(parser, WEIR_KEYWORD_FOR)) {
        return WEIR_OK;
    }
    if (weir_parser_accept_keywords(parser, WEIR_KEYWORD_ALL, WEIR_KEYWORD_COLUMNS)) {
        out->analyze.all_columns = true;
        return WEIR_OK;
    }
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_COLUMNS));
    do {
        weir_ast_part column;
        WEIR_TRY(weir_parser_part(parser, "a column's name", &column));
        WEIR_PARSER_APPEND(parser, out->analyze.columns.items, out->analyze.columns.count, column);
    } while (weir_parser_accept(parser, WEIR_TOKEN_COMMA));
    return WEIR_OK;
}

static int parse_truncate(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_TRUNCATE;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_TABLE));
    return weir_parser_name(parser, "a table's name", &out->truncate);
}

static int parse_stop_job(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_STOP_JOB;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_JOB));
    WEIR_TRY(weir_parser_string(parser, "the job's id as a 'string'", &out->job.id));
    while (weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH)) {
        if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DRAIN)) {
            out->job.with_drain = true;
        } else {
            WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_SAVEPOINT));
            out->job.with_savepoint = true;
        }
    }
    return WEIR_OK;
}

static int parse_drop(weir_parser *parser, weir_ast_statement *out)
{
    static const char *const objects[] = {"TABLE", "VIEW", "DATABASE", "CATALOG", "FUNCTION"};
    weir_ast_drop *drop = WEIR_NEW(parser->arena, weir_ast_drop);
    out->kind = WEIR_AST_DROP;
    out->drop = drop;
    weir_parser_take(parser);
    drop->temporary = weir_parser_accept_keyword(parser, WEIR_KEYWORD_TEMPORARY);
    weir_parser_accept_keyword(parser, WEIR_KEYWORD_SYSTEM);
    if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_TABLE)) {
        drop->object = WEIR_AST_OBJECT_TABLE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_VIEW)) {
        drop->object = WEIR_AST_OBJECT_VIEW;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_DATABASE)) {
        drop->object = WEIR_AST_OBJECT_DATABASE;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_CATALOG)) {
        drop->object = WEIR_AST_OBJECT_CATALOG;
    } else if (weir_parser_accept_keyword(parser, WEIR_KEYWORD_FUNCTION)) {
        drop->object = WEIR_AST_OBJECT_FUNCTION;
    } else {
        return weir_parser_unexpected_of(parser, "TABLE, VIEW, DATABASE, CATALOG or FUNCTION", objects, 5);
    }
    drop->if_exists = weir_parser_accept_keywords(parser, WEIR_KEYWORD_IF, WEIR_KEYWORD_EXISTS);
    WEIR_TRY(weir_parser_name(parser, "the name of what to drop", &drop->name));
    drop->cascade = weir_parser_accept_keyword(parser, WEIR_KEYWORD_CASCADE);
    if (!drop->cascade) {
        weir_parser_accept_keyword(parser, WEIR_KEYWORD_RESTRICT);
    }
    return WEIR_OK;
}

static int parse_jar(weir_parser *parser, weir_ast_statement *out)
{
    out->kind = WEIR_AST_ADD_JAR;
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_expect_keyword(parser, WEIR_KEYWORD_JAR));
    return weir_parser_string(parser, "the path of the JAR as a 'string'", &out->jar);
}

static bool at_word(weir_parser *parser, size_t ahead, const char *word)
{
    const weir_token *token = weir_parser_peek(parser, ahead);
    return token->kind == WEIR_TOKEN_WORD && strcasecmp(token->text, word) == 0;
}

/* LOAD MODULE name [WITH (…)] and UNLOAD MODULE name. These words begin nothing else, and are names elsewhere. */
static int parse_module(weir_parser *parser, weir_ast_statement *out)
{
    weir_ast_options ignored;
    out->kind = at_word(parser, 0, "LOAD") ? WEIR_AST_LOAD_MODULE : WEIR_AST_UNLOAD_MODULE;
    weir_parser_take(parser);
    weir_parser_take(parser);
    WEIR_TRY(weir_parser_part(parser, "a module's name", &out->module));
    return weir_parser_accept_keyword(parser, WEIR_KEYWORD_WITH) ? weir_parser_options(parser, &ignored) : WEIR_OK;
}

/* --- Which statement ------------------------------------------------------------------------------------------- */

static int parse_statement_of(weir_parser *parser, weir_keyword keyword, weir_ast_statement *out)
{
    static const char *const beginnings[] = {
        "SELECT", "INSERT", "CREATE", "DROP",   "ALTER",    "USE",  "SHOW",    "DESCRIBE", "DESC",  "SET",    "RESET",
        "WITH",   "VALUES", "DELETE", "UPDATE", "TRUNCATE", "CALL", "EXPLAIN", "EXECUTE",  "BEGIN", "ANALYZE"};
    switch (keyword) {
    case WEIR_KEYWORD_INSERT:
        out->kind = WEIR_AST_INSERT;
        return parse_insert(parser, &out->insert);
    case WEIR_KEYWORD_DELETE:
        out->kind = WEIR_AST_DELETE;
        return parse_delete(parser, &out->modify);
    case WEIR_KEYWORD_UPDATE:
        out->kind = WEIR_AST_UPDATE;
        return parse_update(parser, &out->modify);
    case WEIR_KEYWORD_CREATE:
        return weir_parser_create(parser, out);
    case WEIR_KEYWORD_DROP:
        return parse_drop(parser, out);
    case WEIR_KEYWORD_ALTER:
        return weir_parser_alter(parser, out);
    case WEIR_KEYWORD_USE:
        return parse_use(parser, out);
    case WEIR_KEYWORD_SHOW:
    case WEIR_KEYWORD_DESCRIBE:
    case WEIR_KEYWORD_DESC:
        return weir_parser_show(parser, out);
    case WEIR_KEYWORD_SET:
    case WEIR_KEYWORD_RESET:
        return weir_parser_set(parser, out);
    case WEIR_KEYWORD_EXPLAIN:
        return parse_explain(parser, out);
    case WEIR_KEYWORD_EXECUTE:
        return parse_execute(parser, out);
    case WEIR_KEYWORD_BEGIN:
        return parse_begin(parser, out);
    case WEIR_KEYWORD_CALL:
        return parse_call_statement(parser, out);
    case WEIR_KEYWORD_ANALYZE:
        return parse_analyze(parser, out);
    case WEIR_KEYWORD_TRUNCATE:
        return parse_truncate(parser, out);
    case WEIR_KEYWORD_STOP:
        return parse_stop_job(parser, out);
    case WEIR_KEYWORD_ADD:
    case WEIR_KEYWORD_REMOVE:
        return parse_jar(parser, out);
    default:
        break;
    }
    if ((at_word(parser, 0, "LOAD") || at_word(parser, 0, "UNLOAD")) && at_word(parser, 1, "MODULE")) {
        return parse_module(parser, out);
    }
    if (weir_parser_at_query(parser)) {
        out->kind = WEIR_AST_QUERY;
        return weir_parser_query(parser, &out->query);
    }
    return weir_parser_unexpected_of(parser, "a statement such as SELECT, INSERT or CREATE TABLE", beginnings,
                                     sizeof beginnings / sizeof beginnings[0]);
}

int weir_parser_statement(weir_parser *parser, weir_ast_statement **out)
{
    WEIR_TRY(weir_parser_enter(parser));
    const weir_token *first = weir_parser_peek(parser, 0);
    weir_position begin = first->position;
    weir_keyword keyword = first->kind == WEIR_TOKEN_WORD ? first->keyword : WEIR_KEYWORD_NONE;
    weir_ast_statement *statement = WEIR_NEW(parser->arena, weir_ast_statement);
    int code = parse_statement_of(parser, keyword, statement);
    statement->position = weir_parser_since(parser, &begin);
    weir_parser_leave(parser);
    *out = statement;
    return code;
}
