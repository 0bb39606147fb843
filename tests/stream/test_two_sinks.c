/* Two jobs that write rows of one bucket at the same time: the changelog that they make together is one of the table,
 * whichever way their checkpoints interlock. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/map.h"
#include "stream/ends_fixture.h"

/* ---- a reader that checks ---- */

typedef struct replayed {
    weir_map rows; /* key → its row, malloc'd */
} replayed;

static void replay_row(replayed *replay, const weir_batch *batch, int64_t row, const char *what)
{
    weir_buffer key = {0}, line = {0};
    int8_t kind = weir_batch_kind(batch, row);
    weir_value_to_json(&batch->columns[0], row, &key);
    row_to_json(batch, row, -1, false, &line);
    weir_slice name = weir_buffer_slice(&key);
    char *present = weir_map_get(&replay->rows, name);
    bool fits = weir_row_kind_is_retract(kind) ? present != NULL && strcmp(present, weir_buffer_text(&line)) == 0
                                               : present == NULL;
    if (!fits) {
        fail_msg("%s: %s%s, but the row is %s", what, weir_row_kind_text(kind), weir_buffer_text(&line),
                 present != NULL ? present : "absent");
    }
    weir_map_remove(&replay->rows, name);
    free(present);
    if (!weir_row_kind_is_retract(kind)) {
        weir_map_put(&replay->rows, name, weir_strdup(weir_buffer_text(&line)));
    }
    weir_buffer_free(&key);
    weir_buffer_free(&line);
}

/* Each -U and -D takes back a row that is there, each +I and +U puts one where none is; the end is the table. */
static void check_changelog(fixture *table, const char *what)
{
    weir_error err = {0};
    replayed replay = {0};
    source_end source;
    lines rows = {0};
    int code;
    source_end_open(table->fs, "scan.mode=from-snapshot;scan.snapshot-id=1", 0, &source);
    while ((code = source.source->next(source.source, &source.batch, &err)) == WEIR_OK) {
        for (int64_t row = 0; row < source.batch.length; row++) {
            replay_row(&replay, &source.batch, row, what);
        }
    }
    assert_int_equal(code, WEIR_IDLE);
    source_end_close(&source);
    for (size_t i = 0; i < replay.rows.entry_count; i++) {
        char *line = replay.rows.entries[i].value;
        if (line != NULL) {
            lines_add(&rows, line, strlen(line));
            free(line);
        }
    }
    weir_map_free(&replay.rows);
    lines_sort(&rows);
    weir_buffer text = {0};
    for (size_t i = 0; i < rows.count; i++) {
        weir_buffer_append_format(&text, "%s%s", i > 0 ? " " : "", rows.items[i]);
    }
    if (strcmp(weir_buffer_text(&text), fixture_rows(table, "")) != 0) {
        fail_msg("%s: the changes give %s, the table has %s", what, weir_buffer_text(&text), fixture_rows(table, ""));
    }
    weir_buffer_free(&text);
    lines_free(&rows);
}

/* ---- writers ---- */

enum { KEYS = 7, ROWS = 4, STEPS = 3 };

typedef struct job_writer {
    sink_end end;
    char name;
    int64_t checkpoint;
    int step; /* of the checkpoint: written, prepared, committed */
    uint64_t random;
    weir_buffer prepared;
} job_writer;

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Some rows of keys that the other writes too; some are deleted. Now and then there are none. */
static void write_rows(job_writer *writer)
{
    uint32_t rows = draw(&writer->random, ROWS + 1);
    for (uint32_t i = 0; i < rows; i++) {
        char row[64];
        snprintf(row, sizeof row, "[[%d, \"%c%d.%d\"]]", (int)draw(&writer->random, KEYS), writer->name,
                 (int)writer->checkpoint, (int)i);
        sink_end_write(&writer->end, row, draw(&writer->random, 4) == 0 ? "-D" : "+U");
    }
}

static void step(job_writer *writer)
{
    switch (writer->step) {
    case 0:
        write_rows(writer);
        break;
    case 1:
        weir_buffer_clear(&writer->prepared);
        sink_end_prepare(&writer->end, writer->checkpoint, &writer->prepared);
        break;
    default:
        sink_end_commit(&writer->end, writer->checkpoint++, &writer->prepared);
    }
    writer->step = (writer->step + 1) % STEPS;
}

static void writer_open(fixture *table, char name, uint64_t seed, job_writer *out)
{
    *out = (job_writer){.name = name, .checkpoint = 1, .random = seed * 2 + (uint64_t)name};
    sink_end_open(table->fs, &out->end);
}

static void writer_close(job_writer *writer)
{
    sink_end_close(&writer->end);
    weir_buffer_free(&writer->prepared);
}

/* Where full compactions tell the changes, what was written since the last one is still to be told. */
static void compact_fully(fixture *table)
{
    weir_error err = {0};
    weir_compactor *compactor = NULL;
    weir_compactor_round round;
    weir_compactor_options options = {.full = true};
    must(weir_compactor_open(table->table, &options, &compactor, &err), &err, "opening to compact");
    must(weir_compactor_run(compactor, &round, &err), &err, "compacting");
    weir_compactor_close(compactor);
}

/* `turns`: who makes the next step, a bit each; `steps` in all. Both finish their last checkpoints. */
static void run_turns(const char *options, uint64_t turns, int steps, uint64_t seed)
{
    fixture table;
    job_writer writers[2];
    char what[128];
    snprintf(what, sizeof what, "%s, turns %llx, seed %llu", options, (unsigned long long)turns,
             (unsigned long long)seed);
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", options);
    writer_open(&table, 'a', seed, &writers[0]);
    writer_open(&table, 'b', seed, &writers[1]);
    for (int i = 0; i < steps; i++) {
        step(&writers[turns >> i & 1]);
    }
    for (int w = 0; w < 2; w++) {
        while (writers[w].step != 0) {
            step(&writers[w]);
        }
    }
    if (strstr(options, "full-compaction") != NULL) {
        compact_fully(&table);
    }
    check_changelog(&table, what);
    writer_close(&writers[0]);
    writer_close(&writers[1]);
    fixture_free(&table);
}

/* ---- the tests ---- */

/* Sanitizers make each run ten times as long, or more. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { EVERY = 23, RANDOM_RUNS = 7 };
#else
enum { EVERY = 1, RANDOM_RUNS = 84 };
#endif

static void two_checkpoints_of_two_jobs_interlock_in_every_way(void **state)
{
    (void)state;
    static const char *const options[] = {
        "bucket=1;changelog-producer=lookup;num-levels=4",
        "bucket=1;changelog-producer=lookup;merge-engine=first-row;ignore-delete=true;num-levels=4",
    };
    int ways = 0;
    for (uint64_t turns = 0; turns < UINT64_C(1) << 4 * STEPS; turns++) {
        for (int i = 0; i < 2 && __builtin_popcountll(turns) == 2 * STEPS; i++) {
            if (ways++ % EVERY == 0) {
                run_turns(options[i], turns, 4 * STEPS, turns);
            }
        }
    }
}

static void many_checkpoints_interlock_at_random(void **state)
{
    (void)state;
    static const char *const options[] = {
        "bucket=1;changelog-producer=lookup",
        "bucket=2;changelog-producer=lookup;num-sorted-run.compaction-trigger=2",
        "bucket=1;changelog-producer=lookup;num-levels=8;num-sorted-run.compaction-trigger=3;target-file-size=1 b",
        "bucket=1;changelog-producer=lookup;lookup-wait=false",
        "bucket=1;changelog-producer=lookup;merge-engine=partial-update;ignore-delete=true",
        "bucket=1;changelog-producer=lookup;merge-engine=aggregation;ignore-delete=true;"
        "fields.v.aggregate-function=max",
        "bucket=1;changelog-producer=lookup;merge-engine=first-row;ignore-delete=true",
        "bucket=2;changelog-producer=lookup;merge-engine=first-row;ignore-delete=true;"
        "num-sorted-run.compaction-trigger=2;lookup-wait=false",
        "bucket=1;changelog-producer=full-compaction",
        "bucket=1;changelog-producer=full-compaction;full-compaction.delta-commits=2;merge-engine=partial-update;"
        "ignore-delete=true",
        "bucket=2;changelog-producer=full-compaction;full-compaction.delta-commits=3;merge-engine=aggregation;"
        "ignore-delete=true;fields.v.aggregate-function=max",
    };
    const char *given = getenv("WEIR_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    print_message("WEIR_SEED=%llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < RANDOM_RUNS; i++) {
        uint64_t random = seed + i;
        uint64_t turns = (uint64_t)draw(&random, 1U << 30) << 30 | draw(&random, 1U << 30);
        run_turns(options[i % (sizeof options / sizeof *options)], turns, 60, seed + i);
    }
}

/* Sequence numbers are the writers' own; still a row that is committed later is newer. */
static void the_row_that_is_committed_last_stays(void **state)
{
    (void)state;
    fixture table;
    sink_end slow, fast;
    weir_buffer prepared = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1;changelog-producer=lookup");
    sink_end_open(table.fs, &slow);
    sink_end_open(table.fs, &fast);
    sink_end_checkpoint(&slow, 1, "[[0, \"slow\"]]", "+U");
    sink_end_checkpoint(&fast, 1, "[[1, \"fast\"], [2, \"fast\"], [3, \"fast\"]]", "+U");
    sink_end_write(&slow, "[[3, \"slow\"]]", "+U");
    sink_end_checkpoint(&fast, 2, "[[1, \"fast\"], [2, \"fast\"], [3, \"fast\"]]", "+U");
    sink_end_prepare(&slow, 2, &prepared);
    sink_end_commit(&slow, 2, &prepared);
    check_changelog(&table, "the last row");
    assert_string_equal(fixture_rows(&table, ""), "[0,\"slow\"] [1,\"fast\"] [2,\"fast\"] [3,\"slow\"]");
    weir_buffer_free(&prepared);
    sink_end_close(&slow);
    sink_end_close(&fast);
    fixture_free(&table);
}

/* The other way round where the first row of a key is kept: what has been told stays, whatever its number. */
static void check_first_row(const char *options)
{
    fixture table;
    sink_end slow, fast;
    weir_buffer prepared = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", options);
    sink_end_open(table.fs, &slow);
    sink_end_open(table.fs, &fast);
    sink_end_write(&slow, "[[3, \"slow\"], [4, \"slow\"]]", "+I");
    sink_end_prepare(&slow, 1, &prepared);
    sink_end_checkpoint(&fast, 1, "[[1, \"fast\"], [2, \"fast\"], [3, \"fast\"]]", "+I");
    sink_end_commit(&slow, 1, &prepared);
    if (strstr(options, "changelog-producer") != NULL) {
        check_changelog(&table, options);
    }
    compact_fully(&table);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"fast\"] [2,\"fast\"] [3,\"fast\"] [4,\"slow\"]");
    weir_buffer_free(&prepared);
    sink_end_close(&slow);
    sink_end_close(&fast);
    fixture_free(&table);
}

static void the_first_row_that_was_committed_stays(void **state)
{
    (void)state;
    check_first_row("bucket=1;merge-engine=first-row;changelog-producer=lookup");
    check_first_row("bucket=1;merge-engine=first-row;changelog-producer=lookup;num-sorted-run.compaction-trigger=1");
    check_first_row("bucket=1;merge-engine=first-row");
    check_first_row("bucket=1;merge-engine=first-row;num-sorted-run.compaction-trigger=1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_checkpoints_of_two_jobs_interlock_in_every_way),
        cmocka_unit_test(the_row_that_is_committed_last_stays),
        cmocka_unit_test(the_first_row_that_was_committed_stays),
        cmocka_unit_test(many_checkpoints_interlock_at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
