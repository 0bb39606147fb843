/* A fixed course of writes, compactions, commits and expiries, stopped at every single I/O operation in turn, by the
 * death of the process and by a power loss. After each the table opens with exactly the committed rows, a replay of the
 * commit changes nothing twice, and work goes on. The number of crash points is printed.
 *
 * WEIR_CRASH_STEP = n takes every n-th point only, from a random one on (WEIR_SEED): for runs under sanitizers. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "table/model.h"
#include "table/replay.h"

#define COMMITS 6

/* What a checkpoint would have stored when the crash came. */
typedef struct checkpoint {
    weir_arena arena;
    weir_commit_messages messages;
    bool prepared;
} checkpoint;

static void clear_checkpoint(checkpoint *stored)
{
    weir_commit_messages_free(&stored->messages);
    weir_arena_free(&stored->arena);
    *stored = (checkpoint){0};
    weir_arena_init(&stored->arena);
}

/* The course of events; returns the code of what failed first. */
static int run_course(table_model *model, checkpoint *stored, weir_error *err)
{
    for (int i = 0; i < COMMITS; i++) {
        WEIR_TRY(model_write(model, err));
        if (i % 4 == 3) {
            WEIR_TRY(weir_table_write_compact_written(model->write, err));
        }
        WEIR_TRY(model_commit(model, i % 2 == 0, &stored->arena, &stored->messages, &stored->prepared, err));
        clear_checkpoint(stored); /* committed: forgotten */
    }
    return WEIR_OK;
}

typedef struct crash_course {
    const char *producer;
    bool dynamic_buckets;
} crash_course;

static void create(table_model *model, const crash_course *course, uint64_t seed)
{
    do { /* random options but for those that the course names */
        model_create(model, (random_state){seed});
        if (strcmp(model->producer, course->producer) == 0 && model->dynamic_buckets == course->dynamic_buckets) {
            return;
        }
        model_free(model);
        seed++;
    } while (true);
}

static int64_t latest_of(const table_model *model)
{
    weir_error err = {0};
    int64_t id = 0;
    model_must(weir_snapshot_latest_id(model->memory, MODEL_PATH, &id, &err), &err, "latest");
    return id;
}

static void compact_fully(table_model *model)
{
    weir_error err = {0};
    weir_arena arena;
    weir_commit_messages messages = {0};
    int64_t snapshot_id = 0;
    weir_arena_init(&arena);
    model_must(weir_table_compact(model->table, true, NULL, &arena, &messages, &err), &err, "compacting");
    weir_committable committable = {
        .identifier = model->next_identifier++, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    model_must(weir_table_commit_run(model->commit, &committable, &snapshot_id, &err), &err, "committing a compaction");
    model_remember(model, latest_of(model), true);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
}

static void replay_checkpoint(table_model *model, const checkpoint *stored)
{
    weir_error err = {0};
    int64_t snapshot_id = 0;
    weir_committable committable = {
        .identifier = model->next_identifier, .watermark = WEIR_NO_WATERMARK, .messages = &stored->messages};
    model_must(weir_table_commit_replay(model->commit, &committable, &snapshot_id, &err), &err, "replaying");
    int64_t latest = latest_of(model);
    model_must(weir_table_commit_replay(model->commit, &committable, &snapshot_id, &err), &err, "replaying again");
    assert_int_equal(latest_of(model), latest);
    model->committed = model->pending;
}

/* The changes since the earliest snapshot lead to the latest state, each told once. Where full compactions tell them,
 * rows may still wait for one. */
static void check_changes(table_model *model)
{
    weir_error err = {0};
    int64_t earliest = 0;
    if (strcmp(model->producer, "full-compaction") == 0) {
        compact_fully(model);
    }
    model_must(weir_snapshot_earliest_id(model->memory, MODEL_PATH, &earliest, &err), &err, "earliest");
    model_check_stream(model, earliest, latest_of(model));
}

static void restart(table_model *model, checkpoint *stored, bool power_loss)
{
    weir_error err = {0};
    model_close(model);
    weir_fs_fault_set_options(model->fs, (weir_fault_options){0});
    if (power_loss) {
        weir_fs_memory_lose_unsynced(model->memory);
    }
    model_open(model);
    if (stored->prepared) {
        replay_checkpoint(model, stored);
    }
    model->pending = model->committed;
    model->next_identifier++;
    model_remember(model, latest_of(model), true);
    model_check_snapshots(model);

    /* And on: the table takes rows as if nothing had happened. */
    clear_checkpoint(stored);
    model_must(model_write(model, &err), &err, "writing after the restart");
    model_must(model_commit(model, true, &stored->arena, &stored->messages, &stored->prepared, &err), &err,
               "committing after the restart");
    model_check_snapshots(model);
    check_changes(model);
}

/* Returns false when the course ended before the crash point came. */
static bool crash_at(uint64_t point, const crash_course *course, uint64_t seed, bool power_loss)
{
    weir_error err = {0};
    table_model model;
    checkpoint stored = {0};
    weir_arena_init(&stored.arena);
    create(&model, course, seed);
    weir_fs_fault_set_options(model.fs, (weir_fault_options){.stop_at = point, .torn = point % 2 == 0});
    int code = run_course(&model, &stored, &err);
    /* An expiry that fails does not fail the commit it follows: the crash may still be waiting to be noticed. */
    bool crashed = code != WEIR_OK || weir_fs_fault_operations(model.fs) >= point;
    if (crashed) {
        restart(&model, &stored, power_loss);
    }
    model_free(&model);
    clear_checkpoint(&stored);
    weir_arena_free(&stored.arena);
    return crashed;
}

static void a_crash_at_any_operation_loses_and_doubles_nothing(void **state)
{
    (void)state;
    static const crash_course courses[] = {
        {"none", false}, {"input", false}, {"lookup", false}, {"lookup", true}, {"full-compaction", false}};
    weir_log_set_level(WEIR_LOG_ERROR);
    const char *wanted = getenv("WEIR_CRASH_STEP");
    uint64_t step = wanted != NULL ? strtoull(wanted, NULL, 10) : 1;
    uint64_t points = 0;
    random_state random = random_start();
    assert_true(step > 0);
    for (size_t p = 0; p < sizeof courses / sizeof *courses; p++) {
        for (int power_loss = 0; power_loss < 2; power_loss++) {
            uint64_t count = 0;
            uint64_t first = 1 + random_below(&random, step);
            while (crash_at(first + count * step, &courses[p], 100 + (uint64_t)power_loss, power_loss)) {
                count++;
            }
            points += count;
            printf("changelog-producer %s%s, %s: %llu crash points\n", courses[p].producer,
                   courses[p].dynamic_buckets ? ", dynamic buckets" : "", power_loss ? "power loss" : "process death",
                   (unsigned long long)count);
        }
    }
    printf("%llu crash points\n", (unsigned long long)points);
    assert_true(points >= 2000 / step);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_crash_at_any_operation_loses_and_doubles_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
