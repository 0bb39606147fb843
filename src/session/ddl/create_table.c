/* CREATE TABLE: a Paimon table in its catalog, or a definition that the session keeps. LIKE and AS SELECT are in
 * create_like.c and create_as.c.
 *
 * Everything that can be wrong is found here, before anything is written, and shown where it stands. */
#include "session/ddl/create_table.h"

#include "base/log.h"
#include "connect/source.h"
#include "session/catalog/schema_options.h"
#include "session/catalog/table_draft.h"
#include "sql/type.h"
#include "vector/cast.h"

static const weir_ast_option *find_option(const weir_ast_create_table *create, const char *key)
{
    for (int32_t i = create->options.count - 1; i >= 0; i--) {
        if (strcmp(create->options.items[i].key, key) == 0) {
            return &create->options.items[i];
        }
    }
    return NULL;
}

/* ---- Paimon tables ---- */

bool weir_option_is_kept(const char *key)
{
    if (weir_fs_is_setting(key)) {
        weir_log(WEIR_LOG_WARN,
                 "'%s' says how a store is reached: it is not kept with the table, whose readers would all see it; say "
                 "it in CREATE CATALOG",
                 key);
        return false;
    }
    return true;
}

void weir_tell_successor(const char *key)
{
    const char *today = weir_option_successor(key);
    if (today != NULL) {
        weir_log(WEIR_LOG_WARN, "'%s' is an option of earlier versions: it is kept and has no effect; today %s", key,
                 today);
    }
}

static int check_paimon_options(const weir_ast_create_table *create, weir_error *err)
{
    for (int32_t i = 0; i < create->options.count; i++) {
        const weir_ast_option *pair = &create->options.items[i];
        if (strcmp(pair->key, "connector") == 0) {
            continue;
        }
        int code = weir_option_check(pair->key, pair->value, err);
        if (code != WEIR_OK) {
            return weir_error_at(err, code,
                                 weir_option_find(pair->key) == NULL ? pair->position : pair->value_position);
        }
        weir_tell_successor(pair->key);
    }
    return WEIR_OK;
}

static int check_paimon_columns(const weir_ast_create_table *create, weir_error *err)
{
    for (int32_t i = 0; i < create->column_count; i++) {
        const weir_ast_column *column = &create->columns[i];
        if (column->kind == WEIR_AST_METADATA_COLUMN) {
            return weir_fail_at(err, WEIR_INVALID, column->name.position.line, column->name.position.column,
                                "column '%s' is METADATA, and Paimon tables have none", column->name.text);
        }
    }
    return WEIR_OK;
}

/* With a number of buckets a row is looked for in one partition, so that a key which misses a partition column could be
 * in several. Without one, an index tells where it is. */
static int check_paimon_key(const weir_ast_create_table *create, const char *bucket, weir_error *err)
{
    bool is_fixed = bucket != NULL && bucket[0] != '-';
    for (int32_t i = 0; is_fixed && create->has_primary_key && i < create->partitioned_by.count; i++) {
        const char *name = create->partitioned_by.items[i].text;
        if (!weir_names_hold(&create->primary_key, name)) {
            return weir_fail_at(err, WEIR_INVALID, create->primary_key_position.line,
                                create->primary_key_position.column,
                                "the PRIMARY KEY must contain the partition column '%s', for the number of buckets is "
                                "fixed; add it to the key, or leave out 'bucket'",
                                name);
        }
    }
    return WEIR_OK;
}

/* 'table-default.k' of the catalog, below what the statement says. DISTRIBUTED BY becomes bucket and bucket-key. */
static void collect_options(const weir_session_catalog *catalog, const weir_ast_create_table *create, weir_arena *arena,
                            weir_options *out)
{
    static const char prefix[] = "table-default.";
    for (size_t i = 0; i < catalog->options.count; i++) {
        if (strncmp(catalog->options.keys[i], prefix, sizeof prefix - 1) == 0) {
            weir_options_set(out, arena, catalog->options.keys[i] + sizeof prefix - 1, catalog->options.values[i]);
        }
    }
    if (create->distributed && create->bucket_count > 0) {
        weir_options_set(out, arena, "bucket", weir_arena_format(arena, "%d", create->bucket_count));
    }
    if (create->distributed && create->distributed_by.count > 0) {
        weir_buffer key = {0};
        for (int32_t i = 0; i < create->distributed_by.count; i++) {
            weir_buffer_append_format(&key, "%s%s", i == 0 ? "" : ",", create->distributed_by.items[i].text);
        }
        weir_options_set(out, arena, "bucket-key", weir_buffer_text(&key));
        weir_buffer_free(&key);
    }
    weir_options_of_ast(&create->options, arena, out);
    weir_options_unset(out, "connector");
    for (size_t i = out->count; i > 0; i--) {
        if (!weir_option_is_kept(out->keys[i - 1])) {
            weir_options_unset(out, out->keys[i - 1]);
        }
    }
}

static bool quotes(const char *message, const char *text)
{
    char quoted[128];
    snprintf(quoted, sizeof quoted, "'%.100s'", text);
    return text[0] != '\0' && strstr(message, quoted) != NULL;
}

/* An error of the table as a whole that quotes an option's key or value is shown there. */
static int place_option_error(const weir_ast_create_table *create, int code, weir_error *err)
{
    if (code == WEIR_OK || err == NULL) {
        return code;
    }
    for (int32_t i = 0; i < create->options.count; i++) {
        if (quotes(err->message, create->options.items[i].key)) {
            return weir_error_at(err, code, create->options.items[i].position);
        }
    }
    for (int32_t i = 0; i < create->options.count; i++) {
        if (quotes(err->message, create->options.items[i].value)) {
            return weir_error_at(err, code, create->options.items[i].value_position);
        }
    }
    return weir_error_at(err, code, create->name.position);
}

/* SHOW CREATE TABLE prints the folder as an option, which says nothing new when the table is made again. Another folder
 * is not the catalog's. */
static int take_folder(const weir_object_path *path, const weir_ast_create_table *create, weir_arena *arena,
                       weir_options *options, weir_error *err)
{
    const weir_ast_option *said = find_option(create, "path");
    weir_catalog *catalog = path->catalog->paimon;
    const char *folder = NULL;
    const char *own = NULL;
    weir_fs *fs = NULL;
    weir_fs_settings settings = weir_options_fs_settings(&path->catalog->options);
    if (said == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(catalog->ops->table_path(catalog, path->database, path->name, arena, &own, err));
    WEIR_TRY(weir_error_at(err, weir_fs_open(said->value, &settings, arena, &fs, &folder, err), said->value_position));
    weir_fs_close(fs);
    weir_options_unset(options, "path");
    if (strcmp(folder, own) == 0) {
        return WEIR_OK;
    }
    return weir_fail_at(err, WEIR_INVALID, said->value_position.line, said->value_position.column,
                        "tables of catalog '%s' lie in its warehouse, this one in '%s'; leave 'path' out, or make it a "
                        "TEMPORARY TABLE with 'connector' = 'paimon'",
                        path->catalog->name, own);
}

static bool same_text(const char *a, const char *b) { return strcmp(a == NULL ? "" : a, b == NULL ? "" : b) == 0; }

static bool same_names(const char *const *a, int32_t count_a, const char *const *b, int32_t count_b)
{
    bool same = count_a == count_b;
    for (int32_t i = 0; i < count_a && same; i++) {
        same = strcmp(a[i], b[i]) == 0;
    }
    return same;
}

/* All but where the table lies, which follows from its name, and how its store is reached, which is not kept. */
static bool has_options(const weir_options *options, const weir_options *others)
{
    bool all = true;
    for (size_t i = 0; i < others->count && all; i++) {
        const char *value = weir_options_get(options, others->keys[i]);
        all = strcmp(others->keys[i], "path") == 0 || weir_fs_is_setting(others->keys[i]) ||
              (value != NULL && strcmp(value, others->values[i]) == 0);
    }
    return all;
}

static bool same_schema(const weir_schema *a, const weir_schema *b)
{
    bool same = a->field_count == b->field_count && same_text(a->comment, b->comment) &&
                same_names(a->primary_keys, a->primary_key_count, b->primary_keys, b->primary_key_count) &&
                same_names(a->partition_keys, a->partition_key_count, b->partition_keys, b->partition_key_count) &&
                has_options(&a->options, &b->options) && has_options(&b->options, &a->options);
    for (int32_t i = 0; i < a->field_count && same; i++) {
        same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
               weir_type_equal(a->fields[i].type, b->fields[i].type, false) &&
               same_text(a->fields[i].description, b->fields[i].description);
    }
    return same;
}

/* A run that goes on finds what it has made before. */
static int check_same(const weir_object_path *path, const weir_schema *wanted, weir_arena *arena, weir_error *err)
{
    weir_catalog *catalog = path->catalog->paimon;
    weir_schema *found = NULL;
    WEIR_TRY(catalog->ops->read_schema(catalog, path->database, path->name, arena, &found, err));
    return same_schema(wanted, found)
               ? WEIR_OK
               : weir_fail_at(err, WEIR_EXISTS, path->position.line, path->position.column,
                              "there is a table '%s' in %s.%s already, with another definition than this one",
                              path->name, path->catalog->name, path->database);
}

static int create_paimon(const weir_object_path *path, const weir_ast_create_table *create, bool exists,
                         const weir_description *description, weir_arena *arena, weir_error *err)
{
    const weir_bound_columns *columns = &description->columns;
    weir_catalog *catalog = path->catalog->paimon;
    weir_options options = {0};
    weir_schema *schema = NULL;
    int32_t count = 0;
    WEIR_TRY(check_paimon_columns(create, err));
    collect_options(path->catalog, create, arena, &options);
    WEIR_TRY(check_paimon_key(create, weir_options_get(&options, "bucket"), err));
    WEIR_TRY(check_paimon_options(create, err));
    WEIR_TRY(take_folder(path, create, arena, &options, err));
    weir_schema_options_write(columns, arena, &options);
    const weir_field *fields = weir_description_fields(description, arena, &count);
    int code = weir_schema_create(
        arena, fields, count,
        weir_description_names(description, columns->primary_key, columns->primary_key_count, arena),
        columns->primary_key_count,
        weir_description_names(description, columns->partition_keys, columns->partition_key_count, arena),
        columns->partition_key_count, &options, create->comment, &schema, err);
    WEIR_TRY(place_option_error(create, code, err));
    if (exists) {
        return check_same(path, schema, arena, err);
    }
    return weir_error_at(err, catalog->ops->create_table(catalog, path->database, path->name, schema, err),
                         path->position);
}

/* ---- definitions of the session ---- */

int weir_check_metadata(const weir_ast_create_table *create, const weir_description *description, weir_arena *arena,
                        weir_error *err)
{
    for (int32_t i = 0; i < create->column_count; i++) {
        const weir_ast_column *column = &create->columns[i];
        const weir_type *type = NULL;
        if (column->kind != WEIR_AST_METADATA_COLUMN) {
            continue;
        }
        const char *key = column->metadata_key != NULL ? column->metadata_key : column->name.text;
        bool casts = false;
        int code = weir_connector_metadata(&description->options, key, &type, &casts, err);
        WEIR_TRY(weir_error_at(err, code, column->name.position));
        bool is_given = type->id == WEIR_TIMESTAMP_LTZ ? column->type->id == WEIR_TIMESTAMP_LTZ
                        : casts                        ? weir_cast_allowed(type, column->type)
                        : weir_type_is_text(type)      ? weir_type_is_text(column->type)
                                                       : weir_type_equal(type, column->type, true);
        if (!is_given) {
            return weir_fail_at(err, WEIR_INVALID, column->type_position.line, column->type_position.column,
                                "METADATA '%s' is %s and cannot be given as %s", key, weir_sql_type_text(arena, type),
                                weir_sql_type_text(arena, column->type));
        }
    }
    return WEIR_OK;
}

static int check_connector(const weir_object_path *path, const weir_ast_create_table *create,
                           const weir_description *description, weir_arena *arena, weir_error *err)
{
    const weir_ast_option *connector = find_option(create, "connector"), *bucket = find_option(create, "bucket");
    if (connector == NULL) {
        return weir_fail_at(err, WEIR_INVALID, create->name.position.line, create->name.position.column,
                            "a table that is not of a Paimon catalog needs WITH ('connector' = …)");
    }
    if (strcmp(connector->value, "paimon") == 0) {
        if (find_option(create, "path") == NULL) {
            return weir_fail_at(err, WEIR_INVALID, connector->position.line, connector->position.column,
                                "'connector' = 'paimon' needs 'path', the folder of the table");
        }
        WEIR_TRY(check_paimon_columns(create, err));
        WEIR_TRY(check_paimon_key(create, bucket != NULL ? bucket->value : NULL, err));
        return check_paimon_options(create, err);
    }
    const weir_connector_schema schema =
        weir_description_connector_schema(description, weir_object_path_text(path, arena), arena);
    WEIR_TRY(place_option_error(create, weir_connector_check(&description->options, &schema, err), err));
    return weir_check_metadata(create, description, arena, err);
}

static int define(weir_session *session, const weir_object_path *path, const weir_ast_create_table *create,
                  weir_definition *definition, weir_error *err)
{
    weir_description *description = &definition->description;
    weir_options_of_ast(&create->options, &definition->arena, &description->options);
    WEIR_TRY(check_connector(path, create, description, &definition->arena, err));
    if (create->temporary) {
        weir_catalogs_put_temporary(&session->catalogs, path, definition);
    } else {
        weir_memory_catalog_put(&path->catalog->memory, path->database, definition);
    }
    return WEIR_OK;
}

/* ---- the statement ---- */

static int check_free(weir_session *session, const weir_object_path *path, const weir_ast_create_table *create,
                      bool *out_exists, weir_error *err)
{
    if (create->temporary) {
        *out_exists = weir_catalogs_temporary(&session->catalogs, path) != NULL;
    } else {
        WEIR_TRY(weir_catalogs_check_database(path, err));
        WEIR_TRY(weir_session_catalog_has_table(path->catalog, path->database, path->name, out_exists, err));
    }
    bool may_be_same = !create->temporary && path->catalog->paimon != NULL && weir_session_goes_on(session);
    if (*out_exists && !create->if_not_exists && !may_be_same) {
        return weir_fail_at(err, WEIR_EXISTS, path->position.line, path->position.column,
                            "there is a table '%s' in %s.%s already", path->name, path->catalog->name, path->database);
    }
    return WEIR_OK;
}

static int check_kind(const weir_object_path *path, const weir_ast_create_table *create, weir_error *err)
{
    const weir_ast_option *connector = find_option(create, "connector");
    if (path->catalog->paimon != NULL && !create->temporary && connector != NULL &&
        strcmp(connector->value, "paimon") != 0) {
        return weir_fail_at(err, WEIR_INVALID, connector->value_position.line, connector->value_position.column,
                            "catalog '%s' keeps Paimon tables only; a table of the connector '%s' must be CREATE "
                            "TEMPORARY TABLE",
                            path->catalog->name, connector->value);
    }
    return WEIR_OK;
}

/* Without LIKE (any more). The name is free, or must be that of an equal Paimon table. */
static int create_plain(weir_session *session, const weir_object_path *path, const weir_ast_create_table *create,
                        bool exists, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_definition *definition = weir_definition_create(path->name);
    weir_description *description = &definition->description;
    bool is_kept = path->catalog->paimon == NULL || create->temporary;
    int code = WEIR_OK;
    WEIR_GO(check_kind(path, create, err));
    WEIR_GO(weir_bind_create_table(&context, create, session->text, &definition->arena, &description->columns, err));
    weir_definition_keep_columns(definition);
    description->comment = weir_arena_strdup(&definition->arena, create->comment);
    if (is_kept) {
        WEIR_GO(define(session, path, create, definition, err));
    } else {
        WEIR_GO(create_paimon(path, create, exists, description, &definition->arena, err));
    }
done:
    if (code != WEIR_OK || !is_kept) {
        weir_definition_free(definition);
    }
    return code;
}

int weir_create_table(weir_session *session, const weir_ast_create_table *create, bool *out_exists, weir_error *err)
{
    weir_object_path path;
    weir_arena arena;
    WEIR_TRY(weir_catalogs_table_path(&session->catalogs, &create->name, &path, err));
    WEIR_TRY(check_free(session, &path, create, out_exists, err));
    if (*out_exists && create->if_not_exists) {
        return WEIR_OK;
    }
    if (create->like == NULL) {
        return create_plain(session, &path, create, *out_exists, err);
    }
    bool is_kept = path.catalog->paimon == NULL || create->temporary;
    weir_ast_create_table *merged = NULL;
    weir_arena_init(&arena);
    int code = weir_create_like(session, create, is_kept, &arena, &merged, err);
    if (code == WEIR_OK) {
        code = create_plain(session, &path, merged, *out_exists, err);
    }
    weir_arena_free(&arena);
    return code;
}

int weir_session_create_table(weir_session *session, const weir_ast_create_table *create, weir_result **out,
                              weir_error *err)
{
    bool exists = false;
    const char *name = create->name.parts[create->name.count - 1].text;
    if (create->query != NULL) {
        return weir_create_as(session, create, out, err);
    }
    if (create->or_replace) {
        return weir_fail_at(err, WEIR_INVALID, create->name.position.line, create->name.position.column,
                            "OR REPLACE goes with AS SELECT; without it DROP the table first");
    }
    WEIR_TRY(weir_create_table(session, create, &exists, err));
    *out = exists ? weir_result_done("Table '%s' exists already", name)
                  : weir_result_done("Created %stable '%s'", create->temporary ? "temporary " : "", name);
    return WEIR_OK;
}
