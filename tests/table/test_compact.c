/* A compactor beside a writer: no row is lost, every change is told once, whoever is faster, and whenever the compactor
 * dies.
 *
 * WEIR_SEED runs one seed again. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "table/model.h"
#include "table/replay.h"

#define STEPS 60

/* What a checkpoint of the writer holds between its steps. */
typedef struct writer_steps {
    weir_arena arena;
    weir_commit_messages messages;
    bool prepared;
} writer_steps;

static void prepare(table_model *model, writer_steps *steps)
{
    weir_error err = {0};
    weir_arena_init(&steps->arena);
    weir_table_write_compact_due(model->write, model->next_identifier);
    model_must(weir_table_write_prepare(model->write, true, &steps->arena, &steps->messages, &err), &err, "preparing");
    steps->prepared = true;
}

static void commit(table_model *model, writer_steps *steps)
{
    weir_error err = {0};
    int64_t snapshot_id = 0;
    weir_committable committable = {
        .identifier = model->next_identifier++, .watermark = WEIR_NO_WATERMARK, .messages = &steps->messages};
    model_must(weir_table_commit_run(model->commit, &committable, &snapshot_id, &err), &err, "committing");
    model->committed = model->pending;
    if (snapshot_id > 0) {
        model_remember(model, snapshot_id, true);
    }
    if (weir_table_commit_dropped_compaction(model->commit)) {
        model_must(weir_table_write_reload(model->write, &err), &err, "reloading");
    }
    weir_commit_messages_free(&steps->messages);
    weir_arena_free(&steps->arena);
    *steps = (writer_steps){0};
}

/* The writer's next step: rows, or the two halves of a commit, between which others may come. */
static void step(table_model *model, writer_steps *steps)
{
    weir_error err = {0};
    if (steps->prepared) {
        commit(model, steps);
    } else if (random_below(&model->random, 2) == 0) {
        prepare(model, steps);
    } else {
        model_must(model_write(model, &err), &err, "writing");
    }
}

static void run_compactor(table_model *model, weir_compactor *compactor)
{
    weir_error err = {0};
    weir_compactor_round round;
    model_must(weir_compactor_run(compactor, &round, &err), &err, "compacting");
    if (round.snapshot_id > 0) {
        model_remember(model, round.snapshot_id, true);
    }
}

static weir_compactor *open_compactor(table_model *model, bool full)
{
    weir_error err = {0};
    weir_compactor *compactor = NULL;
    const weir_compactor_options options = {.full = full};
    model_must(weir_compactor_open(model->table, &options, &compactor, &err), &err, "opening a compactor");
    return compactor;
}

static void compact_fully(table_model *model)
{
    weir_compactor *compactor = open_compactor(model, true);
    run_compactor(model, compactor);
    weir_compactor_close(compactor);
}

static void check_all(table_model *model)
{
    weir_error err = {0};
    int64_t earliest = 0, latest = 0;
    compact_fully(model);
    model_check_snapshots(model);
    model_must(weir_snapshot_earliest_id(model->memory, MODEL_PATH, &earliest, &err), &err, "earliest");
    model_must(weir_snapshot_latest_id(model->memory, MODEL_PATH, &latest, &err), &err, "latest");
    if (latest > 0) {
        model_check_stream(model, earliest, latest);
    }
}

static void create(table_model *model, uint64_t seed, bool leaves_compaction, weir_pool *pool)
{
    model_create_in_pool(model, (random_state){seed}, pool);
    model->leaves_compaction = leaves_compaction;
    model_close(model);
    model_open(model);
}

/* ---- the tests ---- */

static void run_seed(uint64_t seed, bool leaves_compaction)
{
    table_model model;
    writer_steps steps = {0};
    weir_pool *pool = NULL;
    weir_error err = {0};
    if (seed % 4 == 0) {
        model_must(weir_pool_create(2, "compact", &pool, &err), &err, "starting threads");
    }
    create(&model, seed, leaves_compaction, pool);
    weir_compactor *compactor = open_compactor(&model, seed % 3 == 0);
    for (int i = 0; i < STEPS; i++) {
        if (random_below(&model.random, 3) == 0) {
            run_compactor(&model, compactor);
        } else {
            step(&model, &steps);
        }
    }
    if (!steps.prepared) {
        prepare(&model, &steps);
    }
    commit(&model, &steps);
    weir_compactor_close(compactor);
    check_all(&model);
    model_free(&model);
}

static void run_seeds(bool leaves_compaction, long seeds)
{
    random_state random = random_start();
    weir_log_set_level(WEIR_LOG_ERROR); /* compactions are dropped, as they should */
    if (getenv("WEIR_SEED") != NULL) {
        run_seed(random.state, leaves_compaction);
        return;
    }
    for (long i = 0; i < seeds; i++) {
        uint64_t seed = random_next(&random);
        printf("\rWEIR_SEED=%llu   ", (unsigned long long)seed);
        fflush(stdout);
        run_seed(seed, leaves_compaction);
    }
    printf("\n");
}

static void a_compactor_and_a_write_only_writer_lose_and_double_nothing(void **state)
{
    (void)state;
    run_seeds(true, 60);
}

/* Both compact: whose compaction comes second is dropped. */
static void a_compactor_beside_a_writer_that_compacts_loses_no_row(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int i = 0; i < 30; i++) {
        table_model model;
        writer_steps steps = {0};
        create(&model, random_next(&random), false, NULL);
        weir_compactor *compactor = open_compactor(&model, i % 2 == 0);
        for (int s = 0; s < STEPS; s++) {
            if (random_below(&model.random, 4) == 0) {
                run_compactor(&model, compactor);
            } else {
                step(&model, &steps);
            }
        }
        if (steps.prepared) {
            commit(&model, &steps);
        }
        weir_compactor_close(compactor);
        compact_fully(&model);
        model_check_snapshots(&model);
        model_free(&model);
    }
}

/* Stops the compactor at every operation of the file system, and starts another one. */
static bool dies_at(uint64_t point, uint64_t seed, bool power_loss)
{
    table_model model;
    writer_steps steps = {0};
    weir_error err = {0};
    weir_compactor_round round;
    create(&model, seed, true, NULL);
    for (int i = 0; i < 4; i++) {
        model_must(model_write(&model, &err), &err, "writing");
        prepare(&model, &steps);
        commit(&model, &steps);
    }
    compact_fully(&model);
    for (int i = 0; i < 3; i++) {
        model_must(model_write(&model, &err), &err, "writing");
        prepare(&model, &steps);
        commit(&model, &steps);
    }
    weir_compactor *compactor = open_compactor(&model, false);
    weir_fs_fault_set_options(model.fs, (weir_fault_options){.stop_at = point, .torn = point % 2 == 0});
    int code = weir_compactor_run(compactor, &round, &err);
    bool died = code != WEIR_OK || weir_fs_fault_operations(model.fs) >= point;
    weir_compactor_close(compactor);
    model_close(&model);
    weir_fs_fault_set_options(model.fs, (weir_fault_options){0});
    if (power_loss) {
        weir_fs_memory_lose_unsynced(model.memory);
    }
    model_open(&model);
    int64_t latest = 0;
    model_must(weir_snapshot_latest_id(model.memory, MODEL_PATH, &latest, &err), &err, "latest");
    model_remember(&model, latest, true);
    model_must(model_write(&model, &err), &err, "writing after the restart");
    prepare(&model, &steps);
    commit(&model, &steps);
    check_all(&model);
    model_free(&model);
    return died;
}

static void a_compactor_that_dies_anywhere_leaves_the_table_whole(void **state)
{
    (void)state;
    const char *wanted = getenv("WEIR_CRASH_STEP");
    uint64_t step_size = wanted != NULL ? strtoull(wanted, NULL, 10) : 1, points = 0;
    weir_log_set_level(WEIR_LOG_ERROR);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t point = 1;
        while (dies_at(point, seed, seed % 2 == 0)) {
            point += step_size;
            points++;
        }
    }
    printf("%llu crash points\n", (unsigned long long)points);
    assert_true(points > 100 / step_size);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_compactor_and_a_write_only_writer_lose_and_double_nothing),
        cmocka_unit_test(a_compactor_beside_a_writer_that_compacts_loses_no_row),
        cmocka_unit_test(a_compactor_that_dies_anywhere_leaves_the_table_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
