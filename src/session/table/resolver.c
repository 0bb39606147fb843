/* Names to tables: temporary tables first, then the catalog's; options of hints checked where they stand. */
#include "base/text.h"
#include "merge/merge_engine.h"
#include "session/table/sql_table.h"

/* ---- hints ---- */

/* Each pair by the table of Paimon's options: an unknown key, or one that reads do not follow, is an error at the key,
 * a bad value at the value. */
static int check_paimon_hints(const weir_ast_options *hints, weir_error *err)
{
    for (int32_t i = 0; i < hints->count; i++) {
        const weir_ast_option *pair = &hints->items[i];
        int code = weir_option_check(pair->key, pair->value, err);
        if (code != WEIR_OK) {
            return weir_error_at(err, code,
                                 weir_option_find(pair->key) == NULL ? pair->position : pair->value_position);
        }
        code = weir_option_check_readable(pair->key, pair->value, err);
        if (code != WEIR_OK) {
            return weir_error_at(err, code, pair->position);
        }
    }
    return WEIR_OK;
}

static int check_hints_allowed(const weir_session *session, const weir_ast_options *hints, weir_error *err)
{
    if (hints->count > 0 && !weir_settings_bool(&session->settings, "table.dynamic-table-options.enabled")) {
        return weir_fail_at(err, WEIR_INVALID, hints->items[0].position.line, hints->items[0].position.column,
                            "OPTIONS hints are not allowed while 'table.dynamic-table-options.enabled' is 'false'");
    }
    return WEIR_OK;
}

/* The pairs as options, with the branch apart: it says which table is opened. */
static void split_branch(const weir_ast_options *hints, weir_arena *arena, weir_options *options, const char **branch)
{
    weir_options_of_ast(hints, arena, options);
    const char *named = weir_options_get(options, "branch");
    if (named != NULL) {
        *branch = weir_arena_strdup(arena, named);
        weir_options_unset(options, "branch");
    }
}

/* ---- tables of a Paimon catalog ---- */

static int open_catalog_table(weir_session *session, const weir_object_path *path, const weir_ast_options *hints,
                              weir_arena *arena, weir_session_table **out, weir_error *err)
{
    weir_catalog *catalog = path->catalog->paimon;
    weir_options options = {0};
    bool exists = false;
    weir_paimon_open open = {.fs = catalog->fs, .options = &options};
    weir_object_path base = *path;
    WEIR_TRY(weir_paimon_name_parse(path, arena, &open.name, err));
    base.name = open.name.table;
    WEIR_TRY(check_paimon_hints(hints, err));
    split_branch(hints, arena, &options, &open.name.branch);
    WEIR_TRY(catalog->ops->table_path(catalog, path->database, base.name, arena, &open.folder, err));
    int code = weir_paimon_table_open(session, path, &open, out, err);
    if (code == WEIR_NOT_FOUND) { /* the table itself, or a snapshot, tag or branch of it */
        WEIR_TRY(catalog->ops->table_exists(catalog, path->database, base.name, &exists, NULL));
        return exists ? code : weir_catalogs_no_table(&session->catalogs, &base, err);
    }
    return code;
}

/* ---- 'connector' = 'paimon' with a path ---- */

/* "name TYPE"; "nothing" behind the last column. */
static void append_column(const char *name, const weir_type *type, weir_buffer *out)
{
    if (name == NULL) {
        weir_buffer_append_text(out, "nothing");
        return;
    }
    weir_buffer_append_format(out, "%s ", name);
    weir_type_format(type, out);
}

static int check_declared_columns(const weir_description *declared, const weir_schema *schema,
                                  const weir_object_path *path, weir_error *err)
{
    const weir_bound_columns *columns = &declared->columns;
    int32_t same = 0; /* so many columns from the first on */
    while (same < columns->column_count && same < schema->field_count &&
           strcmp(columns->columns[same].name, schema->fields[same].name) == 0 &&
           weir_type_equal(columns->columns[same].type, schema->fields[same].type, true)) {
        same++;
    }
    if (same == columns->column_count && same == schema->field_count) {
        return WEIR_OK;
    }
    bool declares = same < columns->column_count, has = same < schema->field_count;
    weir_buffer difference = {0};
    weir_buffer_append_format(&difference, "as column %d there is ", same + 1);
    append_column(has ? schema->fields[same].name : NULL, has ? schema->fields[same].type : NULL, &difference);
    weir_buffer_append_text(&difference, ", declared is ");
    append_column(declares ? columns->columns[same].name : NULL, declares ? columns->columns[same].type : NULL,
                  &difference);
    weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                 "table '%s' is declared with other columns than the Paimon table in '%s' has: %s", path->name,
                 weir_options_get(&declared->options, "path"), weir_buffer_text(&difference));
    weir_buffer_free(&difference);
    return WEIR_INVALID;
}

static int create_missing(weir_fs *fs, const char *folder, const weir_description *declared, weir_arena *arena,
                          weir_error *err)
{
    const weir_bound_columns *columns = &declared->columns;
    weir_options options = {0};
    weir_options settings = {0};
    weir_schema *schema = NULL;
    int32_t count = 0;
    weir_options_merge(arena, &declared->options, NULL, &options);
    weir_options_split_settings(&options, arena, &settings);
    weir_options_unset(&options, "connector");
    weir_options_unset(&options, "path");
    weir_options_unset(&options, "auto-create");
    const weir_field *fields = weir_description_fields(declared, arena, &count);
    WEIR_TRY(weir_schema_create(
        arena, fields, count, weir_description_names(declared, columns->primary_key, columns->primary_key_count, arena),
        columns->primary_key_count,
        weir_description_names(declared, columns->partition_keys, columns->partition_key_count, arena),
        columns->partition_key_count, &options, declared->comment, &schema, err));
    WEIR_TRY(weir_merge_check_options(schema, err));
    int code = weir_schema_publish(fs, folder, schema, err);
    return code == WEIR_EXISTS ? WEIR_OK : code; /* somebody else was faster */
}

static int ensure_table(weir_fs *fs, const char *folder, const weir_description *declared, weir_arena *arena,
                        weir_schema **out, weir_error *err)
{
    int code = weir_schema_read_latest(fs, folder, arena, out, err);
    const char *auto_create = weir_options_get(&declared->options, "auto-create");
    if (code != WEIR_NOT_FOUND) {
        return code;
    }
    if (auto_create == NULL || !weir_text_equal_ignore_case(auto_create, "true")) {
        return weir_fail(err, WEIR_NOT_FOUND,
                         "there is no Paimon table in '%s'; create it there first, or set 'auto-create' = 'true'",
                         folder);
    }
    WEIR_TRY(create_missing(fs, folder, declared, arena, err));
    return weir_schema_read_latest(fs, folder, arena, out, err);
}

/* What the declaration says of reading, where no hint says otherwise. How the data lie, the table itself says. */
static void add_declared_reading(const weir_options *declared, weir_arena *arena, weir_options *options)
{
    for (size_t i = 0; i < declared->count; i++) {
        const weir_option *option = weir_option_find(declared->keys[i]);
        bool reads =
            option != NULL && (strncmp(option->key, "scan.", 5) == 0 || strncmp(option->key, "incremental-", 12) == 0 ||
                               option->support == WEIR_OPTION_UNREAD);
        if (reads && weir_options_get(options, declared->keys[i]) == NULL) {
            weir_options_set(options, arena, declared->keys[i], declared->values[i]);
        }
    }
}

static int open_path_table(weir_session *session, const weir_object_path *path, const weir_description *declared,
                           const weir_ast_options *hints, weir_arena *arena, weir_session_table **out, weir_error *err)
{
    weir_options options = {0};
    weir_schema *schema = NULL;
    weir_paimon_open open = {.options = &options, .owns_fs = true};
    WEIR_TRY(check_paimon_hints(hints, err));
    split_branch(hints, arena, &options, &open.name.branch);
    add_declared_reading(&declared->options, arena, &options);
    weir_fs_settings settings = weir_options_fs_settings(&declared->options);
    const char *folder = weir_options_get(&declared->options, "path");
    WEIR_TRY(weir_error_at(err, weir_fs_open(folder, &settings, arena, &open.fs, &open.folder, err), path->position));
    int code = ensure_table(open.fs, open.folder, declared, arena, &schema, err);
    if (code == WEIR_OK) {
        code = check_declared_columns(declared, schema, path, err);
    }
    if (code != WEIR_OK) {
        weir_fs_close(open.fs);
        return weir_error_at(err, code, path->position);
    }
    return weir_paimon_table_open(session, path, &open, out, err);
}

/* ---- resolving ---- */

static int open_definition(weir_session *session, const weir_object_path *path, weir_definition *definition,
                           const weir_ast_options *hints, weir_arena *arena, weir_session_table **out, weir_error *err)
{
    const weir_description *description = &definition->description;
    const char *connector = weir_options_get(&description->options, "connector");
    if (connector != NULL && strcmp(connector, "paimon") == 0) {
        return open_path_table(session, path, description, hints, arena, out, err);
    }
    weir_options options = {0};
    weir_options_of_ast(hints, arena, &options);
    if (weir_options_get(&options, "scan.timestamp-millis") != NULL) {
        return weir_fail_at(err, WEIR_INVALID, path->position.line, path->position.column,
                            "only Paimon tables keep older states, and '%s' is none", path->name);
    }
    return weir_connector_table_open(session, path, definition, &options, out, err);
}

static weir_definition *find_definition(const weir_session *session, const weir_object_path *path)
{
    weir_definition *definition = weir_catalogs_temporary(&session->catalogs, path);
    if (definition == NULL && path->catalog->paimon == NULL) {
        definition = weir_memory_catalog_find(&path->catalog->memory, path->database, path->name);
    }
    return definition;
}

static int check_no_hints(const weir_object_path *path, const weir_ast_options *hints, weir_error *err)
{
    if (hints->count > 0) {
        return weir_fail_at(err, WEIR_INVALID, hints->items[0].position.line, hints->items[0].position.column,
                            "'%s' is a view, and OPTIONS hints are for tables; write them into the view's query",
                            path->name);
    }
    return WEIR_OK;
}

static int resolve(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints, weir_arena *arena,
                   weir_sql_table **out, const char **out_view, weir_error *err)
{
    weir_session *session = ((weir_session_resolver *)self)->session;
    weir_session_table *table = NULL;
    weir_object_path path;
    *out_view = NULL;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, name, &path, err));
    WEIR_TRY(check_hints_allowed(session, hints, err));
    weir_definition *definition = find_definition(session, &path);
    if (definition != NULL && definition->description.view_text != NULL) {
        *out = NULL;
        *out_view = weir_arena_strdup(arena, definition->description.view_text);
        return check_no_hints(&path, hints, err);
    }
    if (definition != NULL) {
        WEIR_TRY(open_definition(session, &path, definition, hints, arena, &table, err));
    } else if (path.catalog->paimon != NULL) {
        WEIR_TRY(open_catalog_table(session, &path, hints, arena, &table, err));
    } else {
        return weir_catalogs_no_table(&session->catalogs, &path, err);
    }
    *out = &table->base;
    return WEIR_OK;
}

void weir_session_resolver_init(weir_session_resolver *resolver, weir_session *session)
{
    resolver->base.resolve = resolve;
    resolver->session = session;
}

weir_bind_context weir_session_bind_context(weir_session *session, weir_session_resolver *resolver)
{
    weir_session_resolver_init(resolver, session);
    return (weir_bind_context){
        .resolver = &resolver->base,
        .time_zone = weir_session_setting(session, "table.local-time-zone"),
        .current_catalog = session->catalogs.current_catalog,
        .current_database = session->catalogs.current_database,
        .streaming = session->streams,
    };
}

int weir_session_open_table(weir_session *session, const weir_ast_name *name, weir_arena *arena, weir_sql_table **out,
                            weir_error *err)
{
    weir_session_resolver resolver;
    weir_ast_options none = {0};
    weir_sql_table *table = NULL;
    const char *view = NULL;
    weir_session_resolver_init(&resolver, session);
    WEIR_TRY(resolve(&resolver.base, name, &none, arena, &table, &view, err));
    if (view != NULL) {
        return weir_fail_at(err, WEIR_INVALID, name->position.line, name->position.column,
                            "'%s' is a view; a table is expected here", name->parts[name->count - 1].text);
    }
    *out = table;
    return WEIR_OK;
}

/* Columns of t$snapshots and its like, which are known when it is open. */
static int describe_system_table(weir_session *session, const weir_ast_name *name, weir_arena *arena,
                                 weir_description *out, weir_error *err)
{
    weir_sql_table *table = NULL;
    WEIR_TRY(weir_session_open_table(session, name, arena, &table, err));
    weir_bound_columns *columns = &out->columns;
    *out = (weir_description){.columns = {.watermark_column = -1, .column_count = table->column_count}};
    columns->columns = WEIR_NEW_ARRAY(arena, weir_sql_column, table->column_count);
    for (int32_t i = 0; i < table->column_count; i++) {
        const weir_sql_column *column = &table->columns[i];
        columns->columns[i] = (weir_sql_column){.kind = column->kind,
                                                .name = weir_arena_strdup(arena, column->name),
                                                .type = weir_type_copy(arena, column->type),
                                                .comment = weir_arena_strdup(arena, column->comment),
                                                .expression = weir_arena_strdup(arena, column->expression),
                                                .is_virtual = column->is_virtual};
    }
    table->close(table);
    return WEIR_OK;
}

int weir_session_describe(weir_session *session, const weir_ast_name *name, weir_arena *arena, weir_description *out,
                          weir_object_path *out_path, bool *out_temporary, const char **out_table_path, weir_error *err)
{
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, name, out_path, err));
    weir_definition *definition = find_definition(session, out_path);
    *out_temporary = definition != NULL && weir_catalogs_temporary(&session->catalogs, out_path) == definition;
    if (out_table_path != NULL) {
        *out_table_path = NULL;
    }
    if (definition != NULL) {
        *out = definition->description;
        return WEIR_OK;
    }
    weir_catalog *catalog = out_path->catalog->paimon;
    bool exists = false;
    if (catalog != NULL && strchr(out_path->name, '$') != NULL) {
        return describe_system_table(session, name, arena, out, err);
    }
    if (catalog != NULL) {
        WEIR_TRY(catalog->ops->table_exists(catalog, out_path->database, out_path->name, &exists, err));
    }
    if (!exists) {
        return weir_catalogs_no_table(&session->catalogs, out_path, err);
    }
    weir_schema *schema = NULL;
    WEIR_TRY(catalog->ops->read_schema(catalog, out_path->database, out_path->name, arena, &schema, err));
    WEIR_TRY(weir_description_of_schema(schema, arena, out, err));
    if (out_table_path != NULL) {
        WEIR_TRY(catalog->ops->table_path(catalog, out_path->database, out_path->name, arena, out_table_path, err));
    }
    return WEIR_OK;
}
