/* Random operations on a table and on a plain model of it: no difference at the latest and at retained snapshots, in
 * batch and through the streaming reader. Half of the tables see crashes; in the folders of the others no file may be
 * left that no snapshot needs.
 *
 * Each seed makes a table with random options; every fourth has threads, as any program has, and what it does then
 * depends on their pace too. WEIR_SEED runs one seed again; WEIR_MODEL_SEEDS says how many to run. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "support/table_files.h"
#include "table/model.h"
#include "table/replay.h"

#define OPERATIONS 200

static void commit(table_model *model, bool wait)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    bool prepared = false;
    model_must(model_commit(model, wait, &arena, &messages, &prepared, &err), &err, "committing");
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
}

static void write_some(table_model *model)
{
    weir_error err = {0};
    model_must(model_write(model, &err), &err, "writing");
}

/* Rows that were not committed are gone. */
static void reopen(table_model *model)
{
    model_close(model);
    model->pending = model->committed;
    model_open(model);
}

static void compact(table_model *model, bool full)
{
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    commit(model, true);
    model_must(weir_table_compact(model->table, full, NULL, &arena, &messages, &err), &err, "compacting");
    weir_committable committable = {
        .identifier = model->next_identifier++, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    model_must(weir_table_commit_run(model->commit, &committable, &snapshot_id, &err), &err, "committing a compaction");
    if (snapshot_id > 0) {
        model_remember(model, snapshot_id, true);
    }
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    weir_table_write_reset(model->write);
}

static void expire(table_model *model)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 2, .retain_max = 4, .older_than_ms = INT64_MIN};
    model_must(weir_table_expire(model->table, &options, &expired, &err), &err, "expiring");
}

/* INSERT OVERWRITE of one partition, or of the whole table. */
static void overwrite(table_model *model)
{
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_table_write *write = NULL;
    weir_table_write_options options = {.commit_user = MODEL_USER, .overwrite = true};
    int32_t partition = (int32_t)random_below(&model->random, MODEL_PARTITIONS);
    weir_literal value = {.integer = partition};
    const weir_literal *values[] = {&value};
    weir_batch batch;
    int64_t snapshot_id = 0;
    commit(model, true);
    model_close(model);
    model_open(model);
    weir_batch_init(&batch, model->table->schema->fields, model->table->schema->field_count);
    for (int32_t p = 0; p < MODEL_PARTITIONS; p++) {
        if (!model->partitioned || p == partition) {
            memset(model->pending.versions[p], 0, sizeof model->pending.versions[p]);
        }
    }
    for (int i = 0; i < 5; i++) {
        int64_t k = (int64_t)random_below(&model->random, MODEL_KEYS);
        if (model->pending.versions[partition][k] == 0) {
            model->pending.versions[partition][k] = model->next_version++;
            model_append_row(&batch, partition, k, model->pending.versions[partition][k], WEIR_INSERT);
        }
    }
    model_must(weir_table_write_open(model->table, &options, &write, &err), &err, "opening for overwrite");
    model_must(weir_table_write_batch(write, &batch, &err), &err, "writing for overwrite");
    model_must(weir_table_write_prepare(write, true, &arena, &messages, &err), &err, "preparing an overwrite");
    weir_committable committable = {
        .identifier = model->next_identifier++, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    model_must(weir_table_commit_overwrite(model->commit, &committable, model->partitioned ? values : NULL,
                                           &snapshot_id, &err),
               &err, "overwriting");
    model->committed = model->pending;
    model_remember(model, snapshot_id, false);
    weir_batch_free(&batch);
    weir_table_write_close(write);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    reopen(model);
}

/* The process dies at some operation of a write and commit; sometimes the power fails too. After the restart the
 * checkpoint's messages are replayed, if there were any. */
static void crash(table_model *model)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    bool prepared = false, appended = false, compacted = false;
    weir_fault_options fault = {.stop_at = 1 + random_below(&model->random, 60), .torn = true};
    weir_fs_fault_set_options(model->fs, fault);
    int code = model_write(model, &err);
    if (code == WEIR_OK) {
        code = model_commit(model, random_below(&model->random, 2) == 0, &arena, &messages, &prepared, &err);
    }
    model_close(model);
    weir_fs_fault_set_options(model->fs, (weir_fault_options){0});
    if (random_below(&model->random, 2) == 0) {
        weir_fs_memory_lose_unsynced(model->memory);
    }
    model_open(model);
    if (code == WEIR_OK) { /* it was over before the crash came */
        model->pending = model->committed;
        weir_commit_messages_free(&messages);
        weir_arena_free(&arena);
        return;
    }
    int64_t snapshot_id = 0;
    if (prepared) {
        weir_committable committable = {
            .identifier = model->next_identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
        model_must(weir_table_commit_replay(model->commit, &committable, &snapshot_id, &err), &err, "replaying");
        model->committed = model->pending;
    }
    model_must(weir_table_commit_find(model->commit, model->next_identifier, &appended, &compacted, &err), &err,
               "finding the commit");
    assert_true(!prepared || appended || messages.count == 0);
    model->next_identifier++;
    model->pending = model->committed;
    model_must(weir_snapshot_latest_id(model->memory, MODEL_PATH, &snapshot_id, &err), &err, "latest");
    model_remember(model, snapshot_id, true);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    weir_table_write_reset(model->write);
}

/* Commits everything; where changes are told by full compactions alone, with one. */
static void tell_everything(table_model *model)
{
    if (strcmp(model->producer, "full-compaction") == 0) {
        compact(model, true);
    } else {
        commit(model, true);
    }
}

/* From a random retained snapshot after which no overwrite came. */
static void check_stream(const table_model *model)
{
    weir_error err = {0};
    int64_t earliest = 0, latest = 0;
    model_must(weir_snapshot_earliest_id(model->memory, MODEL_PATH, &earliest, &err), &err, "earliest");
    model_must(weir_snapshot_latest_id(model->memory, MODEL_PATH, &latest, &err), &err, "latest");
    int64_t start = latest;
    while (start > earliest && model->history.has_changes[start]) {
        start--;
    }
    if (latest > 0) {
        model_check_stream(model, start, latest);
    }
}

static void step(table_model *model, bool crashes)
{
    uint64_t choice = random_below(&model->random, 100);
    if (choice < 45 || (choice >= 87 && !crashes)) {
        write_some(model);
    } else if (choice < 70) {
        commit(model, random_below(&model->random, 2) == 0);
    } else if (choice < 76) {
        compact(model, random_below(&model->random, 2) == 0);
    } else if (choice < 80) {
        reopen(model);
    } else if (choice < 84) {
        expire(model);
    } else if (choice < 87) {
        overwrite(model);
    } else {
        crash(model);
    }
}

static void run_seed(uint64_t seed)
{
    table_model model;
    weir_pool *pool = NULL;
    weir_error err = {0};
    if (seed % 4 == 0) {
        model_must(weir_pool_create(3, "model", &pool, &err), &err, "starting threads");
    }
    model_create_in_pool(&model, (random_state){seed}, pool);
    bool crashes = random_below(&model.random, 2) == 0;
    for (int i = 0; i < OPERATIONS; i++) {
        step(&model, crashes);
        if (i % 25 == 24) {
            tell_everything(&model);
            model_check_snapshots(&model);
            check_stream(&model);
            if (!crashes) {
                check_no_file_is_left_over(model.memory, MODEL_PATH, model.table->schema);
            }
        }
    }
    model_free(&model);
}

static void a_table_equals_its_model_after_random_operations(void **state)
{
    (void)state;
    weir_log_set_level(WEIR_LOG_ERROR); /* crashes make expiry complain, as it should */
    const char *wanted = getenv("WEIR_MODEL_SEEDS");
    long seeds = wanted != NULL ? atol(wanted) : 300;
    random_state random = random_start();
    if (getenv("WEIR_SEED") != NULL) {
        run_seed(random.state);
        return;
    }
    for (long i = 0; i < seeds; i++) {
        uint64_t seed = random_next(&random);
        printf("\rseed %ld of %ld: WEIR_SEED=%llu   ", i + 1, seeds, (unsigned long long)seed);
        fflush(stdout);
        run_seed(seed);
    }
    printf("\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_table_equals_its_model_after_random_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
