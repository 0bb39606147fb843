/* A table beside a plain model of it: random operations on both, then comparisons. Used by the model test and by the
 * crash tests.
 *
 * The table lies in a memory file system under a fault-injecting one. Its rows are (p INT, k BIGINT, v STRING, n INT,
 * t TIMESTAMP(6)), its key is k, or (p, k) where it is partitioned by p. */
#ifndef WEIR_TESTS_MODEL_H
#define WEIR_TESTS_MODEL_H

#include "fs/fault.h"
#include "random.h"
#include "support/table_rows.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

#define MODEL_PARTITIONS 3
#define MODEL_KEYS       60
#define MODEL_PATH       "/warehouse/db.db/t"
#define MODEL_USER       "model"

/* The value of a key; version 0: the key is absent. Columns follow from the version alone. */
typedef struct model_rows {
    int64_t versions[MODEL_PARTITIONS][MODEL_KEYS];
} model_rows;

/* The state after each commit, by snapshot id. */
typedef struct model_history {
    model_rows *states; /* states[id] */
    bool *has_changes;  /* whether a stream gets to this state by changes (not by an overwrite) */
    size_t count;
    size_t capacity;
} model_history;

typedef struct table_model {
    random_state random;
    weir_fs *memory;
    weir_fs *fs;     /* with faults, over memory */
    weir_pool *pool; /* NULL: all is done in one thread, always in the same way */
    bool partitioned;
    const char *producer;
    bool dynamic_buckets;
    bool leaves_compaction; /* to somebody else: set before model_open */
    weir_table *table;
    weir_table_write *write;
    weir_table_commit *commit;
    int64_t next_identifier;
    int64_t next_version;
    model_rows committed;
    model_rows pending; /* with the rows written since the last commit */
    model_history history;
} table_model;

static inline void model_must(int code, const weir_error *err, const char *what)
{
    if (code != WEIR_OK) {
        fail_msg("%s: %s", what, err->message);
    }
}

#define MODEL_LONG_TEXT 400

/* Texts follow from the version. Every other one is long and does not compress, so that old data outweigh new ones and
 * compactions leave the lowest level alone. */
static inline size_t model_text(int64_t version, char *out)
{
    if (version % 2 != 0) {
        return (size_t)snprintf(out, MODEL_LONG_TEXT, version % 5 == 0 ? "%lld" : "value %lld of a longer kind",
                                (long long)version);
    }
    random_state random = {(uint64_t)version};
    for (int i = 0; i < MODEL_LONG_TEXT; i++) {
        out[i] = (char)(' ' + random_below(&random, 95));
    }
    return MODEL_LONG_TEXT;
}

/* Columns of a row: nulls now and then, texts short and long, times before 1970 too. */
static inline void model_append_row(weir_batch *batch, int32_t partition, int64_t key, int64_t version, int8_t kind)
{
    weir_error err = {0};
    char text[MODEL_LONG_TEXT];
    size_t text_size = model_text(version, text);
    int32_t number = (int32_t)(version * 7);
    int64_t time = (version - 500) * 86400000123LL;
    int code = weir_vector_append_raw(&batch->columns[0], &partition, sizeof partition, &err);
    code |= weir_vector_append_raw(&batch->columns[1], &key, sizeof key, &err);
    code |= version % 11 == 0 ? weir_vector_append_nulls(&batch->columns[2], 1, &err)
                              : weir_vector_append_raw(&batch->columns[2], text, text_size, &err);
    code |= version % 7 == 0 ? weir_vector_append_nulls(&batch->columns[3], 1, &err)
                             : weir_vector_append_raw(&batch->columns[3], &number, sizeof number, &err);
    code |= version % 13 == 0 ? weir_vector_append_nulls(&batch->columns[4], 1, &err)
                              : weir_vector_append_raw(&batch->columns[4], &time, sizeof time, &err);
    model_must(code, &err, "making a row");
    weir_batch_reserve_kinds(batch, batch->length + 1);
    batch->kinds[batch->length++] = kind;
}

static inline void model_open(table_model *model)
{
    weir_error err = {0};
    weir_table_write_options options = {.commit_user = MODEL_USER, .ignore_compaction = model->leaves_compaction};
    weir_table_open_options open = {.pool = model->pool};
    model_must(weir_table_open(model->fs, MODEL_PATH, &open, &model->table, &err), &err, "opening the table");
    model_must(weir_table_write_open(model->table, &options, &model->write, &err), &err, "opening the writer");
    model_must(weir_table_commit_open(model->table, MODEL_USER, &model->commit, &err), &err, "opening the committer");
}

static inline void model_close(table_model *model)
{
    weir_table_write_close(model->write);
    weir_table_commit_close(model->commit);
    weir_table_close(model->table);
    model->write = NULL;
    model->commit = NULL;
    model->table = NULL;
}

static inline void model_remember(table_model *model, int64_t snapshot_id, bool has_changes)
{
    size_t capacity = model->history.capacity;
    WEIR_GROW(model->history.states, capacity, snapshot_id + 1);
    capacity = model->history.capacity;
    WEIR_GROW(model->history.has_changes, capacity, snapshot_id + 1);
    model->history.capacity = capacity;
    for (size_t id = model->history.count; id <= (size_t)snapshot_id; id++) {
        model->history.states[id] = model->committed;
        model->history.has_changes[id] = has_changes;
    }
    if ((size_t)snapshot_id + 1 > model->history.count) {
        model->history.count = (size_t)snapshot_id + 1;
    }
}

/* A table with random options on an empty file system. The pool, if there is one, is the model's. */
static inline void model_create_in_pool(table_model *model, random_state random, weir_pool *pool)
{
    static const char *const producers[] = {"none", "input", "lookup", "full-compaction"};
    static const char *const formats[] = {"parquet", "parquet", "avro"};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err = {0};
    *model = (table_model){.random = random, .pool = pool, .next_identifier = 1, .next_version = 1};
    model->memory = weir_fs_memory();
    model->fs = weir_fs_fault(model->memory, (weir_fault_options){0});
    model->partitioned = random_below(&model->random, 2) == 0;
    model->producer = producers[random_below(&model->random, 4)];

    const weir_field fields[] = {
        {.name = "p", .type = weir_type_simple(WEIR_INT, false)},
        {.name = "k", .type = weir_type_simple(WEIR_BIGINT, false)},
        {.name = "v", .type = weir_type_simple(WEIR_VARCHAR, true)},
        {.name = "n", .type = weir_type_simple(WEIR_INT, true)},
        {.name = "t", .type = weir_type_simple(WEIR_TIMESTAMP, true)},
    };
    static const char *const keys[] = {"p", "k"};
    weir_options options = {0};
    int buckets = (int)random_below(&model->random, 4);
    model->dynamic_buckets = buckets == 0;
    weir_options_set(&options, &arena, "bucket", weir_arena_format(&arena, "%d", buckets == 0 ? -1 : buckets));
    weir_options_set(&options, &arena, "dynamic-bucket.target-row-num", "13");
    weir_options_set(&options, &arena, "dynamic-bucket.initial-buckets",
                     weir_arena_format(&arena, "%d", 1 + (int)random_below(&model->random, 2)));
    weir_options_set(&options, &arena, "changelog-producer", model->producer);
    if (strcmp(model->producer, "full-compaction") == 0) {
        weir_options_set(&options, &arena, "full-compaction.delta-commits",
                         weir_arena_format(&arena, "%d", 1 + (int)random_below(&model->random, 4)));
    }
    weir_options_set(&options, &arena, "file.format", formats[random_below(&model->random, 3)]);
    weir_options_set(&options, &arena, "num-sorted-run.compaction-trigger",
                     weir_arena_format(&arena, "%d", 2 + (int)random_below(&model->random, 4)));
    weir_options_set(&options, &arena, "target-file-size", random_below(&model->random, 2) ? "2 kb" : "128 mb");
    weir_options_set(&options, &arena, "snapshot.num-retained.min", "4");
    weir_options_set(&options, &arena, "snapshot.num-retained.max", "8");
    weir_options_set(&options, &arena, "manifest.merge-min-count", "3");
    if (random_below(&model->random, 4) == 0) {
        weir_options_set(&options, &arena, "write-buffer-size", "4 kb");
    }
    weir_schema *schema = NULL;
    model_must(
        weir_schema_create(&arena, fields, 5, keys, 2, keys, model->partitioned ? 1 : 0, &options, NULL, &schema, &err),
        &err, "making the schema");
    model_must(weir_schema_publish(model->memory, MODEL_PATH, schema, &err), &err, "publishing the schema");
    weir_arena_free(&arena);
    model_remember(model, 0, true);
    model_open(model);
}

static inline void model_create(table_model *model, random_state random) { model_create_in_pool(model, random, NULL); }

static inline void model_free(table_model *model)
{
    model_close(model);
    weir_pool_free(model->pool);
    weir_fs_close(model->fs);
    weir_fs_close(model->memory);
    free(model->history.states);
    free(model->history.has_changes);
}

/* Changes of some keys as a batch; a strict changelog, since the input producer hands it on as it is. */
static inline void model_make_batch(table_model *model, weir_batch *batch)
{
    bool with_before = strcmp(model->producer, "input") == 0;
    uint64_t count = 1 + random_below(&model->random, random_below(&model->random, 8) == 0 ? 120 : 15);
    for (uint64_t i = 0; i < count; i++) {
        int32_t p = (int32_t)random_below(&model->random, MODEL_PARTITIONS);
        int64_t k = (int64_t)random_below(&model->random, MODEL_KEYS);
        int64_t *version = &model->pending.versions[p][k];
        bool deletes = random_below(&model->random, 4) == 0;
        if (*version != 0 && deletes) {
            model_append_row(batch, p, k, *version, WEIR_DELETE);
            *version = 0;
        } else if (deletes && !with_before) {
            model_append_row(batch, p, k, 1, WEIR_DELETE); /* of a key that is not there */
        } else {
            if (*version != 0 && with_before) {
                model_append_row(batch, p, k, *version, WEIR_UPDATE_BEFORE);
            }
            int64_t next = model->next_version++;
            model_append_row(batch, p, k, next, *version != 0 ? WEIR_UPDATE_AFTER : WEIR_INSERT);
            *version = next;
        }
    }
}

/* Writes some changes. The pending state follows even when the write fails: a crash ends in a restart anyway. */
static inline int model_write(table_model *model, weir_error *err)
{
    weir_batch batch;
    weir_batch_init(&batch, model->table->schema->fields, model->table->schema->field_count);
    model_make_batch(model, &batch);
    int code = weir_table_write_batch(model->write, &batch, err);
    weir_batch_free(&batch);
    return code;
}

/* Prepares and commits. The messages are kept by the caller, as a checkpoint would keep them. */
static inline int model_commit(table_model *model, bool wait, weir_arena *arena, weir_commit_messages *messages,
                               bool *prepared, weir_error *err)
{
    int64_t snapshot_id = 0;
    weir_table_write_compact_due(model->write, model->next_identifier);
    WEIR_TRY(weir_table_write_prepare(model->write, wait, arena, messages, err));
    *prepared = true;
    weir_committable committable = {
        .identifier = model->next_identifier, .watermark = WEIR_NO_WATERMARK, .messages = messages};
    WEIR_TRY(weir_table_commit_run(model->commit, &committable, &snapshot_id, err));
    model->committed = model->pending;
    if (snapshot_id > 0) {
        model_remember(model, snapshot_id, true);
    }
    model->next_identifier++;
    if (weir_table_commit_dropped_compaction(model->commit)) {
        (void)weir_table_write_reload(model->write, NULL); /* the commit stands; a failure comes with the next write */
    }
    return WEIR_OK;
}

static inline void model_lines(const table_model *model, const model_rows *rows, lines *out)
{
    weir_batch batch;
    weir_buffer text = {0};
    weir_batch_init(&batch, model->table->schema->fields, model->table->schema->field_count);
    for (int32_t p = 0; p < MODEL_PARTITIONS; p++) {
        for (int64_t k = 0; k < MODEL_KEYS; k++) {
            if (rows->versions[p][k] != 0) {
                model_append_row(&batch, p, k, rows->versions[p][k], WEIR_INSERT);
                row_to_json(&batch, batch.length - 1, -1, false, &text);
                lines_add(out, (const char *)text.data, text.size);
            }
        }
    }
    weir_buffer_free(&text);
    weir_batch_free(&batch);
    lines_sort(out);
}

static inline void model_compare(const table_model *model, const model_rows *rows, lines *actual, const char *what)
{
    lines expected = {0};
    model_lines(model, rows, &expected);
    const char *difference = lines_difference(&expected, actual);
    if (difference != NULL) {
        fail_msg("%s: %s", what, difference);
    }
    lines_free(&expected);
}

/* The latest state, and that of every retained snapshot. */
static inline void model_check_snapshots(const table_model *model)
{
    weir_error err = {0};
    int64_t earliest = 0, latest = 0;
    model_must(weir_snapshot_earliest_id(model->memory, MODEL_PATH, &earliest, &err), &err, "earliest");
    model_must(weir_snapshot_latest_id(model->memory, MODEL_PATH, &latest, &err), &err, "latest");
    for (int64_t id = earliest; id > 0 && id <= latest; id++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_options options = {0};
        lines actual = {0};
        weir_options_set(&options, &arena, "scan.snapshot-id", weir_arena_format(&arena, "%lld", (long long)id));
        const char *what = weir_arena_format(&arena, "snapshot %lld", (long long)id);
        model_must(table_rows(model->memory, MODEL_PATH, NULL, &options, false, &actual, &err), &err, what);
        model_compare(model, &model->history.states[id], &actual, what);
        lines_free(&actual);
        weir_arena_free(&arena);
    }
    lines actual = {0};
    model_must(table_rows(model->memory, MODEL_PATH, NULL, NULL, false, &actual, &err), &err, "latest");
    model_compare(model, &model->committed, &actual, "the latest state");
    lines_free(&actual);
}

#endif
