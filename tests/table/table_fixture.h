/* A table in memory, made and filled in a few words: for tests of planning, streaming and expiry.
 *
 *   fixture table;
 *   fixture_create(&table, "p INT NOT NULL, k BIGINT NOT NULL, v STRING", "p,k", "p", "bucket=2");
 *   fixture_commit(&table, "[[1, 10, \"a\"]]", "+I");
 */
#ifndef WEIR_TESTS_TABLE_FIXTURE_H
#define WEIR_TESTS_TABLE_FIXTURE_H

#include "support/table_rows.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

#define FIXTURE_PATH "/w/db.db/t"

typedef struct fixture {
    weir_arena arena;
    weir_fs *fs;
    weir_table *table;
    weir_table_write *write;
    weir_table_commit *commit;
    int64_t identifier;
} fixture;

static inline void must(int code, const weir_error *err, const char *what)
{
    if (code != WEIR_OK) {
        fail_msg("%s: %s", what, err->message);
    }
}

/* "a=1;b=2" into options. */
static inline void fixture_options(weir_arena *arena, const char *text, weir_options *out)
{
    while (*text != '\0') {
        size_t size = strcspn(text, ";");
        const char *equals = memchr(text, '=', size);
        weir_options_set(out, arena, weir_arena_strndup(arena, text, (size_t)(equals - text)),
                         weir_arena_strndup(arena, equals + 1, size - (size_t)(equals - text) - 1));
        text += size + (text[size] == ';');
    }
}

/* "a,b" into names; returns their number. */
static inline int32_t fixture_names(weir_arena *arena, const char *text, const char **out)
{
    int32_t count = 0;
    while (*text != '\0') {
        size_t size = strcspn(text, ",");
        out[count++] = weir_arena_strndup(arena, text, size);
        text += size + (text[size] == ',');
    }
    return count;
}

static inline void fixture_open(fixture *table)
{
    weir_error err = {0};
    must(weir_table_open(table->fs, FIXTURE_PATH, NULL, &table->table, &err), &err, "opening");
    must(weir_table_write_open(table->table, NULL, &table->write, &err), &err, "opening to write");
    must(weir_table_commit_open(table->table, "fixture", &table->commit, &err), &err, "opening to commit");
}

static inline void fixture_close(fixture *table)
{
    weir_table_write_close(table->write);
    weir_table_commit_close(table->commit);
    weir_table_close(table->table);
}

/* On a file system that is the fixture's from then on. */
static inline void fixture_create_on(fixture *created, weir_fs *fs, const char *columns, const char *primary_key,
                                     const char *partitions, const char *option_text)
{
    weir_error err = {0};
    *created = (fixture){.fs = fs};
    weir_arena *arena = &created->arena;
    weir_arena_init(arena);
    const char *keys[16], *partition_keys[16];
    int32_t key_count = fixture_names(arena, primary_key, keys);
    int32_t partition_count = fixture_names(arena, partitions, partition_keys);
    const weir_type *row = NULL;
    weir_options options = {0};
    weir_schema *schema = NULL;
    must(weir_type_parse(weir_arena_format(arena, "ROW<%s>", columns), arena, &row, &err), &err, "columns");
    fixture_options(arena, option_text, &options);
    must(weir_schema_create(arena, row->fields, row->field_count, keys, key_count, partition_keys, partition_count,
                            &options, NULL, &schema, &err),
         &err, "schema");
    must(weir_schema_publish(created->fs, FIXTURE_PATH, schema, &err), &err, "publishing");
    fixture_open(created);
}

static inline void fixture_create(fixture *created, const char *columns, const char *primary_key,
                                  const char *partitions, const char *option_text)
{
    fixture_create_on(created, weir_fs_memory(), columns, primary_key, partitions, option_text);
}

/* ALTER TABLE ADD `name` INT: a new schema, which opened tables do not know. */
static inline void fixture_add_column(fixture *table, const char *name)
{
    weir_error err = {0};
    weir_arena *arena = &table->arena;
    weir_schema *altered = NULL;
    must(weir_schema_read_latest(table->fs, FIXTURE_PATH, arena, &altered, &err), &err, "reading the schema");
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, altered->field_count + 1);
    memcpy(fields, altered->fields, sizeof(weir_field) * (size_t)altered->field_count);
    fields[altered->field_count++] =
        (weir_field){.id = ++altered->highest_field_id, .name = name, .type = weir_type_simple(WEIR_INT, true)};
    altered->fields = fields;
    altered->id++;
    must(weir_schema_publish(table->fs, FIXTURE_PATH, altered, &err), &err, "altering");
}

/* ALTER TABLE SET `key` = `value`. */
static inline void fixture_set_option(fixture *table, const char *key, const char *value)
{
    weir_error err = {0};
    weir_schema *altered = NULL;
    must(weir_schema_read_latest(table->fs, FIXTURE_PATH, &table->arena, &altered, &err), &err, "reading the schema");
    weir_options_set(&altered->options, &table->arena, key, value);
    altered->id++;
    must(weir_schema_publish(table->fs, FIXTURE_PATH, altered, &err), &err, "altering");
}

static inline void fixture_free(fixture *table)
{
    fixture_close(table);
    weir_fs_close(table->fs);
    weir_arena_free(&table->arena);
}

/* Rows given as JSON, all of one kind; the caller frees the batch. */
static inline void fixture_batch(const fixture *table, const char *json_rows, const char *kind, weir_batch *out)
{
    weir_error err = {0};
    json_error_t reason;
    json_t *rows = json_loads(json_rows, 0, &reason);
    assert_non_null(rows);
    weir_batch_init(out, table->table->schema->fields, table->table->schema->field_count);
    for (size_t r = 0; r < json_array_size(rows); r++) {
        int8_t row_kind = 0;
        assert_true(weir_row_kind_parse(weir_slice_text(kind), &row_kind));
        for (int32_t c = 0; c < out->column_count; c++) {
            must(weir_vector_append_json(&out->columns[c], json_array_get(json_array_get(rows, r), (size_t)c), &err),
                 &err, "a value");
        }
        weir_batch_reserve_kinds(out, out->length + 1);
        out->kinds[out->length++] = row_kind;
    }
    json_decref(rows);
}

static inline int fixture_try_write(fixture *table, const char *json_rows, const char *kind, weir_error *err)
{
    weir_batch batch;
    fixture_batch(table, json_rows, kind, &batch);
    int code = weir_table_write_batch(table->write, &batch, err);
    weir_batch_free(&batch);
    return code;
}

static inline void fixture_write(fixture *table, const char *json_rows, const char *kind)
{
    weir_error err = {0};
    must(fixture_try_write(table, json_rows, kind, &err), &err, "writing");
}

/* What was prepared, as a checkpoint would keep it. */
typedef struct fixture_prepared {
    weir_arena arena;
    weir_commit_messages messages;
    int64_t identifier;
} fixture_prepared;

static inline int fixture_try_prepare(fixture *table, fixture_prepared *out, weir_error *err)
{
    *out = (fixture_prepared){.identifier = ++table->identifier};
    weir_arena_init(&out->arena);
    weir_table_write_compact_due(table->write, out->identifier);
    return weir_table_write_prepare(table->write, true, &out->arena, &out->messages, err);
}

static inline void fixture_prepare(fixture *table, fixture_prepared *out)
{
    weir_error err = {0};
    must(fixture_try_prepare(table, out, &err), &err, "preparing");
}

static inline void fixture_prepared_free(fixture_prepared *prepared)
{
    weir_commit_messages_free(&prepared->messages);
    weir_arena_free(&prepared->arena);
}

static inline weir_committable fixture_committable(const fixture_prepared *prepared)
{
    return (weir_committable){
        .identifier = prepared->identifier, .watermark = WEIR_NO_WATERMARK, .messages = &prepared->messages};
}

/* Commits what was prepared and frees it; returns the last snapshot made. */
static inline int64_t fixture_commit_prepared(fixture *table, fixture_prepared *prepared)
{
    weir_error err = {0};
    int64_t snapshot_id = 0;
    weir_committable committable = fixture_committable(prepared);
    must(weir_table_commit_run(table->commit, &committable, &snapshot_id, &err), &err, "committing");
    weir_table_write_committed(table->write, weir_table_commit_rows_snapshot(table->commit));
    fixture_prepared_free(prepared);
    return snapshot_id;
}

/* Writes rows given as JSON, all of one kind, and commits them; returns the last snapshot made. */
static inline int64_t fixture_commit(fixture *table, const char *json_rows, const char *kind)
{
    fixture_prepared prepared;
    fixture_write(table, json_rows, kind);
    fixture_prepare(table, &prepared);
    return fixture_commit_prepared(table, &prepared);
}

/* Files below a folder, those in its folders included. */
static inline size_t fixture_count_files(const fixture *table, const char *folder)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0, files = 0;
    weir_error err = {0};
    must(weir_fs_list(table->fs, folder, &arena, &entries, &count, &err), &err, "listing");
    for (size_t i = 0; i < count; i++) {
        const char *path = weir_arena_format(&arena, "%s/%s", folder, entries[i].name);
        files += entries[i].is_directory ? fixture_count_files(table, path) : 1;
    }
    weir_arena_free(&arena);
    return files;
}

/* Files that the latest snapshot is made of. */
static inline int64_t fixture_live_files(fixture *table)
{
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    must(weir_scan_plan(table->table, NULL, &plan, &err), &err, "planning");
    int64_t files = plan->files_total;
    weir_table_plan_free(plan);
    return files;
}

/* The rows of a batch read with dynamic options, sorted and joined by blanks; arena text. */
static inline const char *fixture_rows(fixture *table, const char *option_text)
{
    weir_error err = {0};
    weir_options options = {0};
    lines rows = {0};
    weir_buffer text = {0};
    fixture_options(&table->arena, option_text, &options);
    int code = table_rows(table->fs, FIXTURE_PATH, NULL, &options, false, &rows, &err);
    if (code != WEIR_OK) {
        lines_free(&rows);
        return weir_arena_format(&table->arena, "error: %s", err.message);
    }
    for (size_t i = 0; i < rows.count; i++) {
        weir_buffer_append_format(&text, "%s%s", i > 0 ? " " : "", rows.items[i]);
    }
    const char *joined = weir_arena_strdup(&table->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    lines_free(&rows);
    return joined;
}

/* The changes that a stream with these options gives until it has to wait: "1:+I[…] 2:-D[…]", sorted within a plan. */
static inline const char *fixture_stream(fixture *of, weir_stream_scan **scan, const char *option_text)
{
    weir_error err = {0};
    weir_options options = {0};
    weir_buffer text = {0};
    weir_table *table = NULL;
    fixture_options(&of->arena, option_text, &options);
    weir_table_open_options open_options = {.dynamic_options = &options, .for_stream = true};
    must(weir_table_open(of->fs, FIXTURE_PATH, &open_options, &table, &err), &err, "opening for a stream");
    must(weir_stream_scan_open(table, NULL, scan, &err), &err, "opening a stream");
    int code = WEIR_OK;
    while (code == WEIR_OK) {
        weir_table_plan *plan = NULL;
        weir_read_options read_options = {.with_kinds = true};
        lines rows = {0};
        code = weir_stream_scan_next(*scan, &plan, &err);
        if (code == WEIR_OK) {
            must(plan_rows(table, plan, &read_options, true, &rows, &err), &err, "reading");
            lines_sort(&rows);
        }
        for (size_t i = 0; i < rows.count; i++) {
            weir_buffer_append_format(&text, "%s%s", text.size > 0 ? " " : "", rows.items[i]);
        }
        lines_free(&rows);
        weir_table_plan_free(plan);
    }
    const char *joined =
        weir_arena_strdup(&of->arena, code == WEIR_IDLE || code == WEIR_END ? weir_buffer_text(&text) : err.message);
    weir_buffer_free(&text);
    weir_stream_scan_close(*scan);
    *scan = NULL;
    weir_table_close(table);
    return joined;
}

#endif
