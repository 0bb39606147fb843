/* Opening a table: its schema, its options, and what its readers and writers share. */
#include "table/table.h"

#include <stdlib.h>

#include "base/text.h"
#include "table/scan/scan.h"

/* Options that say how data lie on disk: changing them for one statement would write what the table does not promise. */
static const char *const layout_options[] = {
    "bucket",      "bucket-key",      "bucket-function.type",       "primary-key",          "partition",
    "merge-engine", "partition.default-name", "partition.legacy-name", "data-file.path-directory", "branch",
};

static int check_dynamic_options(const weir_options *stored, const weir_options *dynamic, weir_error *err)
{
    for (size_t i = 0; i < dynamic->count; i++) {
        WEIR_TRY(weir_option_check(dynamic->keys[i], dynamic->values[i], err));
        for (size_t j = 0; j < sizeof layout_options / sizeof *layout_options; j++) {
            if (strcmp(dynamic->keys[i], layout_options[j]) != 0) {
                continue;
            }
            const char *current = weir_options_get(stored, dynamic->keys[i]);
            if (current == NULL || strcmp(current, dynamic->values[i]) != 0) {
                return weir_fail(err, WEIR_INVALID,
                                 "option '%s' decides how the table's data lie and cannot be set for one statement; "
                                 "change it with ALTER TABLE … SET",
                                 dynamic->keys[i]);
            }
        }
    }
    return WEIR_OK;
}

/* The stored schema with the dynamic options on top. */
static const weir_schema *with_options(weir_table *table, const weir_schema *stored, const weir_options *dynamic)
{
    if (dynamic == NULL || dynamic->count == 0) {
        return stored;
    }
    weir_schema *schema = weir_arena_copy(&table->arena, stored, sizeof *schema);
    weir_options_merge(&table->arena, &stored->options, dynamic, &schema->options);
    return schema;
}

/* A table asked for at an older snapshot or tag is read with the schema of that time. */
static int use_schema_of_snapshot(weir_table *table, weir_error *err)
{
    static const char *const travel_options[] = {"scan.snapshot-id", "scan.tag-name",  "scan.timestamp-millis",
                                                 "scan.timestamp",   "scan.watermark", "scan.version"};
    bool travels = false;
    for (size_t i = 0; i < sizeof travel_options / sizeof *travel_options; i++) {
        travels |= weir_options_get(&table->schema->options, travel_options[i]) != NULL;
    }
    if (!travels) {
        return WEIR_OK;
    }
    weir_snapshot *snapshot = NULL;
    WEIR_TRY(weir_scan_snapshot(table, &table->arena, &snapshot, err));
    if (snapshot == NULL || snapshot->schema_id == table->schema->id) {
        return WEIR_OK;
    }
    const weir_schema *older = NULL;
    WEIR_TRY(weir_schema_cache_get(table->context.schemas, snapshot->schema_id, &older, err));
    /* Options are today's: only the columns travel. */
    weir_schema *schema = weir_arena_copy(&table->arena, older, sizeof *schema);
    schema->options = table->schema->options;
    table->schema = schema;
    table->context.schema = schema;
    return WEIR_OK;
}

static int no_branch(const weir_table *table, weir_error *err)
{
    weir_arena arena;
    const char **names = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    int code = weir_branch_list(table->context.fs, table->path, &arena, &names, &count, err);
    if (code == WEIR_OK) {
        const char *near = weir_suggest(table->branch, names, count);
        code = weir_fail(err, WEIR_NOT_FOUND, "%s has no branch '%s'%s%s%s", table->path, table->branch,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    weir_arena_free(&arena);
    return code;
}

static int open_schema(weir_table *table, const weir_table_open_options *options, weir_error *err)
{
    const weir_options *dynamic = options->dynamic_options;
    weir_schema *stored = NULL;
    int code = weir_schema_read_latest(table->context.fs, table->context.paths.root, &table->arena, &stored, err);
    if (code == WEIR_NOT_FOUND && table->branch != NULL) {
        return no_branch(table, err);
    }
    if (code == WEIR_NOT_FOUND) {
        return weir_fail(err, WEIR_NOT_FOUND, "%s: no table here (no schema/schema-N below it)",
                         table->context.paths.root);
    }
    WEIR_TRY(code);
    table->latest_schema_id = stored->id;
    if (dynamic != NULL) {
        WEIR_TRY(check_dynamic_options(&stored->options, dynamic, err));
    }
    table->schema = with_options(table, stored, dynamic);
    table->context.schema = table->schema;
    return options->for_stream ? WEIR_OK : use_schema_of_snapshot(table, err);
}

int weir_table_open(weir_fs *fs, const char *path, const weir_table_open_options *options, weir_table **out,
                    weir_error *err)
{
    weir_table_open_options none = {0};
    options = options != NULL ? options : &none;
    weir_table *table = weir_alloc_zeroed(1, sizeof *table);
    weir_arena_init(&table->arena);
    size_t size = strlen(path);
    while (size > 1 && path[size - 1] == '/') {
        size--;
    }
    table->path = weir_arena_strndup(&table->arena, path, size);
    if (options->branch != NULL && strcmp(options->branch, "main") != 0) {
        table->branch = weir_arena_strdup(&table->arena, options->branch);
    }
    table->context.fs = fs;
    table->context.paths = weir_table_paths_of(&table->arena, table->path, table->branch);
    table->context.schemas = weir_schema_cache_create(fs, table->context.paths.root);
    table->context.pool = options->pool;
    table->context.budget = options->budget;
    table->context.metrics = options->metrics;
    int code = open_schema(table, options, err);
    if (code != WEIR_OK) {
        weir_table_close(table);
        return code;
    }
    *out = table;
    return WEIR_OK;
}

void weir_table_close(weir_table *table)
{
    if (table == NULL) {
        return;
    }
    weir_schema_cache_free(table->context.schemas);
    weir_arena_free(&table->arena);
    free(table);
}

int weir_table_bucket_count(const weir_table *table, int32_t *out, weir_error *err)
{
    int64_t count = -1;
    WEIR_TRY(weir_options_int(&table->schema->options, "bucket", &count, err));
    *out = (int32_t)count;
    return WEIR_OK;
}

/* bucket-key lists columns, separated by commas. */
static int parse_bucket_key(const weir_table *table, const char *text, int32_t *columns, int32_t *out_count,
                            weir_error *err)
{
    const weir_schema *schema = table->schema;
    int32_t count = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        const char *name = text;
        size_t name_size = size;
        while (name_size > 0 && *name == ' ') {
            name++;
            name_size--;
        }
        while (name_size > 0 && name[name_size - 1] == ' ') {
            name_size--;
        }
        int32_t column = -1;
        for (int32_t i = 0; i < schema->field_count; i++) {
            if (strlen(schema->fields[i].name) == name_size && memcmp(schema->fields[i].name, name, name_size) == 0) {
                column = i;
            }
        }
        if (column < 0 || count == schema->field_count) {
            return weir_fail(err, WEIR_INVALID, "%s: bucket-key names '%.*s', which is no column", table->path,
                             (int)name_size, name);
        }
        columns[count++] = column;
        text += size + (text[size] == ',');
    }
    *out_count = count;
    return WEIR_OK;
}

int weir_table_bucket_function(const weir_table *table, weir_bucket_function *out, weir_error *err)
{
    const char *function = NULL;
    WEIR_TRY(weir_options_text(&table->schema->options, "bucket-function.type", &function, err));
    *out = function == NULL                ? WEIR_BUCKET_DEFAULT
           : strcmp(function, "mod") == 0  ? WEIR_BUCKET_MOD
           : strcmp(function, "hive") == 0 ? WEIR_BUCKET_HIVE
                                           : WEIR_BUCKET_DEFAULT;
    return WEIR_OK;
}

int weir_table_bucket_columns(const weir_table *table, weir_arena *arena, const int32_t **out, int32_t *out_count,
                              weir_error *err)
{
    const char *bucket_key = weir_options_get(&table->schema->options, "bucket-key");
    if (bucket_key == NULL) {
        *out = table->schema->key_columns;
        *out_count = table->schema->key_column_count;
        return WEIR_OK;
    }
    int32_t *columns = WEIR_NEW_ARRAY(arena, int32_t, table->schema->field_count);
    WEIR_TRY(parse_bucket_key(table, bucket_key, columns, out_count, err));
    *out = columns;
    return WEIR_OK;
}
