/* CALL: the procedure is found by its name, its arguments are bound by position or by name, and its table is opened. */
#include "session/procedure/procedure.h"

#include "base/clock.h"
#include "base/text.h"

/* ---- which procedure ---- */

static int no_such_procedure(const weir_ast_name *name, weir_error *err)
{
    const char *names[64];
    const weir_ast_part *part = &name->parts[name->count - 1];
    size_t count = weir_procedure_count < 64 ? weir_procedure_count : 64;
    for (size_t i = 0; i < count; i++) {
        names[i] = weir_procedures[i].name;
    }
    const char *meant = weir_suggest(part->text, names, count);
    return weir_fail_at(err, WEIR_NOT_FOUND, part->position.line, part->position.column,
                        "there is no procedure '%s'; %s%s%s", part->text,
                        meant != NULL ? "did you mean '" : "SHOW PROCEDURES lists them", meant != NULL ? meant : "",
                        meant != NULL ? "'?" : "");
}

/* [catalog.]sys.name: a procedure of a Paimon catalog. */
static int find_procedure(weir_session *session, const weir_ast_name *name, weir_session_catalog **out_catalog,
                          const weir_procedure **out, weir_error *err)
{
    const weir_ast_part *database = name->count > 1 ? &name->parts[name->count - 2] : NULL;
    *out_catalog = weir_catalogs_find(&session->catalogs, session->catalogs.current_catalog);
    if (name->count == 3) {
        WEIR_TRY(weir_catalogs_get(&session->catalogs, &name->parts[0], out_catalog, err));
    }
    if (database == NULL || strcmp(database->text, "sys") != 0) {
        return weir_fail_at(err, WEIR_NOT_FOUND, name->position.line, name->position.column,
                            "procedures stand in the database 'sys': CALL sys.%s(…)",
                            name->parts[name->count - 1].text);
    }
    if ((*out_catalog)->paimon == NULL) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "procedures work on Paimon catalogs, and '%s' is none; USE CATALOG one of them, or name it "
                            "before sys",
                            (*out_catalog)->name);
    }
    for (size_t i = 0; i < weir_procedure_count; i++) {
        if (strcmp(weir_procedures[i].name, name->parts[name->count - 1].text) == 0) {
            *out = &weir_procedures[i];
            return WEIR_OK;
        }
    }
    return no_such_procedure(name, err);
}

/* ---- arguments ---- */

static int fail_signature(const weir_procedure_call *call, const weir_position *position, const char *what,
                          weir_error *err)
{
    weir_buffer signature = {0};
    for (int32_t i = 0; i < call->procedure->argument_count; i++) {
        const weir_procedure_argument *argument = &call->procedure->arguments[i];
        if (!argument->refused) {
            weir_buffer_append_format(&signature, "%s%s%s%s", i == 0 ? "" : ", ", argument->optional ? "[" : "",
                                      argument->name, argument->optional ? "]" : "");
        }
    }
    weir_fail_at(err, WEIR_INVALID, position->line, position->column, "%s%s it is called as %s(%s)", what,
                 what[strlen(what) - 1] == '?' ? "" : ";", call->procedure->name, weir_buffer_text(&signature));
    weir_buffer_free(&signature);
    return WEIR_INVALID;
}

static int find_argument(const weir_procedure_call *call, const weir_ast_expression *named, int32_t *out,
                         weir_error *err)
{
    const char *names[WEIR_MOST_PROCEDURE_ARGUMENTS];
    for (int32_t i = 0; i < call->procedure->argument_count; i++) {
        names[i] = call->procedure->arguments[i].name;
        if (strcmp(names[i], named->text) == 0) {
            *out = i;
            return WEIR_OK;
        }
    }
    const char *meant = weir_suggest(named->text, names, (size_t)call->procedure->argument_count);
    const char *what = weir_arena_format(call->arena, "procedure '%s' has no argument '%s'%s%s%s",
                                         call->procedure->name, named->text, meant != NULL ? "; did you mean '" : "",
                                         meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    return fail_signature(call, &named->position, what, err);
}

static int set_argument(weir_procedure_call *call, const weir_bind_context *context, int32_t number,
                        const weir_ast_expression *value, weir_error *err)
{
    const weir_procedure_argument *argument = &call->procedure->arguments[number];
    const weir_type *type = NULL;
    call->value_positions[number] = value->position;
    int code = weir_bind_constant(context, value, argument->type, call->arena, &type, &call->values[number], err);
    if (code != WEIR_OK) {
        return weir_error_context(err, code, "argument '%s' of %s", argument->name, call->procedure->name);
    }
    call->given[number] = !call->values[number].is_null;
    if (argument->refused && call->given[number]) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, value->position.line, value->position.column,
                            "argument '%s' of %s is not offered by this version (%s)", argument->name,
                            call->procedure->name, argument->text);
    }
    return WEIR_OK;
}

static int bind_arguments(weir_procedure_call *call, const weir_ast_expressions *arguments, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(call->session, &resolver);
    bool seen[WEIR_MOST_PROCEDURE_ARGUMENTS] = {false};
    for (int32_t i = 0; i < arguments->count; i++) {
        const weir_ast_expression *argument = arguments->items[i];
        const weir_ast_expression *value = argument;
        int32_t number = i;
        if (argument->kind == WEIR_AST_NAMED) {
            WEIR_TRY(find_argument(call, argument, &number, err));
            value = argument->arguments[0];
        } else if (i > 0 && arguments->items[i - 1]->kind == WEIR_AST_NAMED) {
            return fail_signature(call, &argument->position, "after a named argument all are named", err);
        }
        if (number >= call->procedure->argument_count) {
            return fail_signature(call, &argument->position, "too many arguments", err);
        }
        if (seen[number]) {
            const char *what =
                weir_arena_format(call->arena, "argument '%s' is given twice", call->procedure->arguments[number].name);
            return fail_signature(call, &argument->position, what, err);
        }
        seen[number] = true;
        WEIR_TRY(set_argument(call, &context, number, value, err));
    }
    for (int32_t i = 0; i < call->procedure->argument_count; i++) {
        if (!call->given[i] && !call->procedure->arguments[i].optional) {
            const char *what =
                weir_arena_format(call->arena, "argument '%s' is missing", call->procedure->arguments[i].name);
            return fail_signature(call, &call->position, what, err);
        }
    }
    return WEIR_OK;
}

/* ---- the table ---- */

/* 'database.table' or 'table' as a name in the catalog. */
static weir_ast_name table_name(const weir_procedure_call *call, const weir_session_catalog *catalog)
{
    weir_ast_part *parts = WEIR_NEW_ARRAY(call->arena, weir_ast_part, 3);
    const char *text = weir_call_text(call, 0);
    const char *dot = strchr(text, '.');
    const char *database = call->session->catalogs.current_database;
    if (dot != NULL) {
        database = weir_arena_strndup(call->arena, text, (size_t)(dot - text));
        text = dot + 1;
    } else if (strcmp(catalog->name, call->session->catalogs.current_catalog) != 0) {
        database = catalog->default_database;
    }
    const char *const texts[] = {catalog->name, database, text};
    for (int i = 0; i < 3; i++) {
        parts[i] = (weir_ast_part){.text = texts[i], .position = call->value_positions[0]};
    }
    return (weir_ast_name){.position = call->value_positions[0], .parts = parts, .count = 3};
}

/* Options of the statement ('a=b,c=d') as those of a hint. */
static int option_pairs(const weir_procedure_call *call, weir_ast_options *out, weir_error *err)
{
    *out = (weir_ast_options){.items = WEIR_NEW_ARRAY(call->arena, weir_ast_option, 1)};
    if (call->procedure->run == weir_procedure_compact) { /* what write-only tables wait for, expiry included */
        out->items[out->count++] = (weir_ast_option){.key = "write-only", .value = "false"};
    }
    for (int32_t i = 0; i < call->procedure->argument_count; i++) {
        if (strcmp(call->procedure->arguments[i].name, "options") != 0 || !call->given[i]) {
            continue;
        }
        int32_t count = 0;
        const char **list = weir_call_list(call, i, &count);
        weir_ast_option *items = WEIR_NEW_ARRAY(call->arena, weir_ast_option, out->count + count + 1);
        memcpy(items, out->items, (size_t)out->count * sizeof *items);
        out->items = items;
        for (int32_t k = 0; k < count; k++) {
            const char *equals = strchr(list[k], '=');
            if (equals == NULL) {
                return weir_call_error(call, i, err,
                                       weir_fail(err, WEIR_INVALID, "'%s' is no option; write key=value", list[k]));
            }
            out->items[out->count++] =
                (weir_ast_option){.key = weir_arena_strndup(call->arena, list[k], (size_t)(equals - list[k])),
                                  .value = equals + 1,
                                  .position = call->value_positions[i],
                                  .value_position = call->value_positions[i]};
        }
    }
    return WEIR_OK;
}

static int open_table(weir_procedure_call *call, const weir_session_catalog *catalog, weir_error *err)
{
    weir_session_resolver resolver;
    weir_ast_name name = table_name(call, catalog);
    weir_ast_options pairs;
    weir_sql_table *table = NULL;
    const char *view = NULL;
    WEIR_TRY(option_pairs(call, &pairs, err));
    weir_session_resolver_init(&resolver, call->session);
    WEIR_TRY(resolver.base.resolve(&resolver.base, &name, &pairs, call->arena, &table, &view, err));
    call->opened = view == NULL ? table->owner : NULL;
    if (call->opened == NULL || !weir_session_table_is_plain(call->opened)) {
        return weir_fail_at(err, WEIR_INVALID, name.position.line, name.position.column,
                            "procedures work on Paimon tables, and '%s' is none", weir_call_text(call, 0));
    }
    call->table = call->opened->table;
    return WEIR_OK;
}

int weir_session_call(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_session_catalog *catalog = NULL;
    weir_procedure_call call = {.session = session, .arena = &arena, .position = statement->call.name.position};
    int code;
    weir_arena_init(&arena);
    WEIR_GO(find_procedure(session, &statement->call.name, &catalog, &call.procedure, err));
    WEIR_GO(bind_arguments(&call, &statement->call.arguments, err));
    call.catalog = catalog;
    if (!call.procedure->without_table) {
        WEIR_GO(open_table(&call, catalog, err));
    }
    WEIR_GO(call.procedure->run(&call, out, err));
done:
    if (call.opened != NULL) {
        call.opened->base.close(&call.opened->base);
    }
    weir_arena_free(&arena);
    return weir_error_at(err, code, call.position);
}

/* ---- what procedures use ---- */

const char *weir_call_text(const weir_procedure_call *call, int32_t argument)
{
    weir_slice bytes = call->values[argument].bytes;
    return call->given[argument] ? weir_arena_strndup(call->arena, (const char *)bytes.data, bytes.size) : NULL;
}

int64_t weir_call_integer(const weir_procedure_call *call, int32_t argument, int64_t fallback)
{
    return call->given[argument] ? call->values[argument].integer : fallback;
}

bool weir_call_boolean(const weir_procedure_call *call, int32_t argument, bool fallback)
{
    return call->given[argument] ? call->values[argument].boolean : fallback;
}

int weir_call_error(const weir_procedure_call *call, int32_t argument, weir_error *err, int code)
{
    return weir_error_at(err, code, call->value_positions[argument]);
}

int weir_call_duration(const weir_procedure_call *call, int32_t argument, int64_t fallback, int64_t *out,
                       weir_error *err)
{
    const char *text = weir_call_text(call, argument);
    *out = fallback;
    if (text == NULL || weir_parse_duration(text, out)) {
        return WEIR_OK;
    }
    return weir_call_error(call, argument, err,
                           weir_fail(err, WEIR_INVALID, "'%s' is no duration; write such as '1 d' or '90 s'", text));
}

int weir_call_time(const weir_procedure_call *call, int32_t argument, int64_t fallback, int64_t *out, weir_error *err)
{
    static const weir_type time = {.id = WEIR_TIMESTAMP, .precision = 3};
    const char *text = weir_call_text(call, argument);
    weir_literal value;
    *out = fallback;
    if (text == NULL) {
        return WEIR_OK;
    }
    if (weir_literal_parse(&time, weir_slice_text(text), call->arena, &value, NULL) != WEIR_OK) {
        return weir_call_error(
            call, argument, err,
            weir_fail(err, WEIR_INVALID, "'%s' is no time; write such as '2024-02-29 12:00:00'", text));
    }
    *out = weir_utc_ms(value.integer);
    return WEIR_OK;
}

/* The parts of `text` at `separator`, without blanks around them and empty ones. */
static const char **split(const weir_procedure_call *call, const char *text, char separator, int32_t *out_count)
{
    const char **parts = WEIR_NEW_ARRAY(call->arena, const char *, strlen(text) + 1);
    int32_t count = 0;
    while (*text != '\0') {
        const char *end = strchr(text, separator);
        size_t size = end != NULL ? (size_t)(end - text) : strlen(text);
        const char *next = text + size + (end != NULL);
        for (; size > 0 && *text == ' '; text++, size--) {
        }
        for (; size > 0 && text[size - 1] == ' '; size--) {
        }
        if (size > 0) {
            parts[count++] = weir_arena_strndup(call->arena, text, size);
        }
        text = next;
    }
    *out_count = count;
    return parts;
}

const char **weir_call_list(const weir_procedure_call *call, int32_t argument, int32_t *out_count)
{
    return split(call, weir_call_text(call, argument), ',', out_count);
}

static int set_partition_value(const weir_procedure_call *call, const char *pair, const weir_literal **values,
                               weir_error *err)
{
    const weir_schema *schema = call->table->schema;
    const char *equals = strchr(pair, '=');
    const char *default_name = NULL;
    if (equals == NULL) {
        return weir_fail(err, WEIR_INVALID,
                         "'%s' names no partition; write key=value, pairs separated by commas, "
                         "partitions by semicolons",
                         pair);
    }
    const char *key = weir_arena_strndup(call->arena, pair, (size_t)(equals - pair));
    for (int32_t i = 0; i < schema->partition_key_count; i++) {
        if (strcmp(schema->partition_keys[i], key) == 0) {
            weir_literal *value = WEIR_NEW(call->arena, weir_literal);
            values[i] = value;
            WEIR_TRY(weir_options_text(&schema->options, "partition.default-name", &default_name, err));
            if (strcmp(equals + 1, default_name) == 0) {
                value->is_null = true;
                return WEIR_OK;
            }
            return weir_literal_parse(schema->fields[schema->partition_columns[i]].type, weir_slice_text(equals + 1),
                                      call->arena, value, err);
        }
    }
    const char *meant = weir_suggest(key, schema->partition_keys, (size_t)schema->partition_key_count);
    return weir_fail(err, WEIR_INVALID, "'%s' is no partition key of the table%s%s%s", key,
                     meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "", meant != NULL ? "'?" : "");
}

static int read_partitions(const weir_procedure_call *call, int32_t argument, const weir_literal ***out,
                           int32_t *out_count, weir_error *err)
{
    const weir_schema *schema = call->table->schema;
    int32_t count = 0;
    if (schema->partition_key_count == 0) {
        return weir_fail(err, WEIR_INVALID, "the table has no partitions");
    }
    const char **texts = split(call, weir_call_text(call, argument), ';', &count);
    for (int32_t i = 0; i < count; i++) {
        int32_t pair_count = 0;
        const char **pairs = split(call, texts[i], ',', &pair_count);
        const weir_literal **values = WEIR_NEW_ARRAY(call->arena, const weir_literal *, schema->partition_key_count);
        for (int32_t p = 0; p < pair_count; p++) {
            WEIR_TRY(set_partition_value(call, pairs[p], values, err));
        }
        out[i] = values;
    }
    *out_count = count;
    return count > 0 ? WEIR_OK : weir_fail(err, WEIR_INVALID, "no partition is named");
}

int weir_call_partitions(const weir_procedure_call *call, int32_t argument, const weir_literal *const *const **out,
                         int32_t *out_count, weir_error *err)
{
    const weir_literal ***specs =
        WEIR_NEW_ARRAY(call->arena, const weir_literal **, strlen(weir_call_text(call, argument)) + 1);
    int code = read_partitions(call, argument, specs, out_count, err);
    *out = (const weir_literal *const *const *)specs;
    return weir_call_error(call, argument, err, code);
}

int weir_call_text_result(const char *text, weir_result **out, weir_error *err)
{
    static const char *const names[] = {"result"};
    weir_memory_result *result = weir_text_result_create(names, 1);
    int code = weir_text_result_add(result, &text, err);
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

int weir_call_success(weir_result **out, weir_error *err) { return weir_call_text_result("Success", out, err); }
