/* Tables whose primary key lacks a partition column: a key is in one partition at a time. */
#include "cmocka_all.h"

#include "random.h"
#include "table/table_fixture.h"
#include "table/write/key_router.h"

#define COLUMNS "k INT NOT NULL, p INT, v STRING"
#define KEYS    40
#define MOST_P  4

static void create(fixture *table, const char *options) { fixture_create(table, COLUMNS, "k", "p", options); }

static void a_row_with_another_partition_moves_there(void **state)
{
    (void)state;
    fixture table;
    create(&table, "dynamic-bucket.target-row-num=2");
    fixture_commit(&table, "[[1, 1, \"a\"], [2, 1, \"a\"], [3, 1, \"a\"], [4, null, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, 2, \"b\"], [4, 1, \"b\"], [2, null, \"b\"], [3, 1, \"b\"]]", "+I");
    assert_string_equal(fixture_rows(&table, ""), "[1,2,\"b\"] [2,null,\"b\"] [3,1,\"b\"] [4,1,\"b\"]");
    fixture_free(&table);
}

static void rows_of_one_batch_move_one_after_the_other(void **state)
{
    (void)state;
    fixture table;
    create(&table, "");
    fixture_commit(&table, "[[1, 1, \"a\"], [1, 2, \"b\"], [1, 3, \"c\"], [1, 2, \"d\"], [2, 2, \"e\"], [1, 2, \"f\"]]",
                   "+I");
    assert_string_equal(fixture_rows(&table, ""), "[1,2,\"f\"] [2,2,\"e\"]");
    assert_int_equal(weir_table_write_row_count(table.write), 6);
    fixture_free(&table);
}

static void keys_are_known_again_to_the_next_writer(void **state)
{
    (void)state;
    fixture table;
    create(&table, "dynamic-bucket.target-row-num=2");
    for (int round = 0; round < 4; round++) {
        char rows[200];
        snprintf(rows, sizeof rows, "[[1, %d, \"r\"], [2, %d, \"r\"], [3, 1, \"r\"]]", round, 9 - round);
        fixture_commit(&table, rows, "+I");
        fixture_close(&table);
        fixture_open(&table);
    }
    fixture_commit(&table, "[[2, 7, null]]", "-D");
    assert_string_equal(fixture_rows(&table, ""), "[1,3,\"r\"] [3,1,\"r\"]");
    fixture_free(&table);
}

static void buckets_take_new_keys_where_others_have_left(void **state)
{
    (void)state;
    fixture table;
    create(&table, "dynamic-bucket.target-row-num=2;write-only=true");
    fixture_commit(&table, "[[1, 1, \"a\"], [2, 1, \"a\"], [3, 1, \"a\"]]", "+I");
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-0"), 1);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-1"), 1);
    fixture_commit(&table, "[[1, 2, \"b\"]]", "+I");
    fixture_commit(&table, "[[4, 1, \"b\"], [5, 1, \"b\"]]", "+I"); /* one for each bucket */
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-0"), 3);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1/bucket-1"), 2);
    assert_int_equal(fixture_count_files(&table, FIXTURE_PATH "/p=1"), 5);
    fixture_free(&table);
}

static void a_move_shows_in_the_changelog_of_the_input(void **state)
{
    (void)state;
    fixture table;
    create(&table, "changelog-producer=input");
    fixture_commit(&table, "[[1, 1, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, 2, \"b\"]]", "+U");
    weir_stream_scan *scan = NULL;
    assert_string_equal(fixture_stream(&table, &scan, "scan.mode=from-snapshot;scan.snapshot-id=1"),
                        "[1,\"+I\",1,1,\"a\"] [2,\"+U\",1,2,\"b\"] [2,\"-D\",1,1,\"b\"]");
    fixture_free(&table);
}

/* ---- merge engines ---- */

/* What a router makes of rows after others: "+I[…]@bucket …". Arena text. */
static const char *route(fixture *table, const char *before, const char *rows, uint8_t dropped_kinds)
{
    weir_error err = {0};
    weir_key_router *router = NULL;
    weir_key_router_options options = {.dropped_kinds = dropped_kinds};
    weir_buffer text = {0}, line = {0};
    must(weir_key_router_open(table->table, &options, &router, &err), &err, "opening a router");
    for (int i = 0; i < 2; i++) {
        weir_batch batch;
        const weir_batch *routed = NULL;
        const int32_t *buckets = NULL;
        fixture_batch(table, i == 0 ? before : rows, "+I", &batch);
        must(weir_key_router_route(router, &batch, &routed, &buckets, &err), &err, "routing");
        for (int64_t r = 0; r < routed->length && i == 1; r++) {
            row_to_json(routed, r, -1, true, &line);
            weir_buffer_append_format(&text, "%s%s@%d", r > 0 ? " " : "", weir_buffer_text(&line), buckets[r]);
        }
        weir_batch_free(&batch);
    }
    const char *result = weir_arena_strdup(&table->arena, text.size > 0 ? weir_buffer_text(&text) : "");
    weir_buffer_free(&text);
    weir_buffer_free(&line);
    weir_key_router_close(router);
    return result;
}

static void each_merge_engine_has_its_rule(void **state)
{
    (void)state;
    static const struct {
        const char *engine;
        const char *rows;
    } cases[] = {
        {"deduplicate", "[\"-D\",1,1,\"b\"]@0 [\"+I\",1,2,\"b\"]@0 [\"+I\",3,2,\"c\"]@0"},
        {"partial-update", "[\"+I\",1,1,\"b\"]@0 [\"+I\",3,2,\"c\"]@0"},
        {"aggregation", "[\"+I\",1,1,\"b\"]@0 [\"+I\",3,2,\"c\"]@0"},
        {"first-row", "[\"+I\",3,2,\"c\"]@0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        create(&table, "");
        weir_schema *schema = weir_arena_copy(&table.arena, table.table->schema, sizeof *table.table->schema);
        weir_options_set(&schema->options, &table.arena, "merge-engine", cases[i].engine);
        table.table->schema = schema;
        assert_string_equal(route(&table, "[[1, 1, \"a\"]]", "[[1, 2, \"b\"], [3, 2, \"c\"]]", 0), cases[i].rows);
        fixture_free(&table);
    }
}

static void rows_cannot_move_where_deletes_are_ignored(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_table *altered = NULL;
    weir_table_write *write = NULL;
    fixture table;
    create(&table, "");
    fixture_set_option(&table, "ignore-delete", "true");
    must(weir_table_open(table.fs, FIXTURE_PATH, NULL, &altered, &err), &err, "opening");
    assert_int_equal(weir_table_write_open(altered, NULL, &write, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "ignore-delete"));
    weir_table_close(altered);
    fixture_free(&table);
}

/* ---- what must not be ---- */

/* Another writer of the table, whose commits are known for its own. */
static void open_as(const fixture *table, const char *user, fixture *out)
{
    weir_error err = {0};
    *out = (fixture){.fs = table->fs, .identifier = 100};
    weir_arena_init(&out->arena);
    fixture_open(out);
    weir_table_write_close(out->write);
    weir_table_commit_close(out->commit);
    weir_table_write_options options = {.commit_user = user};
    must(weir_table_write_open(out->table, &options, &out->write, &err), &err, "opening to write");
    must(weir_table_commit_open(out->table, user, &out->commit, &err), &err, "opening to commit");
}

static void close_other(fixture *other)
{
    fixture_close(other);
    weir_arena_free(&other->arena);
}

static void two_writers_at_a_time_are_found_out(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table, other;
    fixture_prepared prepared;
    create(&table, "");
    open_as(&table, "other", &other);
    fixture_write(&table, "[[1, 1, \"a\"]]", "+I");
    fixture_write(&other, "[[1, 2, \"b\"]]", "+I");
    fixture_prepare(&table, &prepared);
    fixture_commit_prepared(&table, &prepared);
    assert_int_equal(fixture_try_prepare(&other, &prepared, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "one writing job at a time"));
    fixture_prepared_free(&prepared);
    weir_table_write_reset(other.write);
    fixture_commit(&other, "[[1, 2, \"b\"]]", "+I");
    assert_string_equal(fixture_rows(&table, ""), "[1,2,\"b\"]");
    close_other(&other);
    fixture_free(&table);
}

/* A commit without rows has looked at nothing that others did. */
static void a_commit_without_rows_hides_nobody_else(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table, other;
    fixture_prepared empty, prepared;
    create(&table, "commit.force-create-snapshot=true");
    open_as(&table, "other", &other);
    fixture_commit(&other, "[[1, 1, \"a\"]]", "+I");
    fixture_prepare(&other, &empty);
    fixture_commit(&table, "[[1, 2, \"b\"]]", "+I");
    fixture_commit_prepared(&other, &empty);
    fixture_write(&other, "[[1, 3, \"c\"]]", "+I");
    assert_int_equal(fixture_try_prepare(&other, &prepared, &err), WEIR_CONFLICT);
    fixture_prepared_free(&prepared);
    close_other(&other);
    fixture_free(&table);
}

/* A writer that goes step by step: rows, prepared, committed. One that is refused begins its checkpoint anew. */
typedef struct stepper {
    fixture end;
    fixture_prepared prepared;
    int step;
    int version;
    int commits;
} stepper;

enum { STEPS = 3 };

static void refused(stepper *writer, int code, const weir_error *err)
{
    assert_int_equal(code, WEIR_CONFLICT);
    assert_non_null(strstr(err->message, "one writing job at a time"));
    must(weir_table_commit_abort(writer->end.commit, &writer->prepared.messages, NULL), err, "aborting");
    fixture_prepared_free(&writer->prepared);
    weir_table_write_reset(writer->end.write);
    writer->step = 0;
}

static void commit_step(stepper *writer)
{
    weir_error err = {0};
    weir_committable committable = fixture_committable(&writer->prepared);
    int code = weir_table_commit_run(writer->end.commit, &committable, NULL, &err);
    if (code != WEIR_OK) {
        refused(writer, code, &err);
        return;
    }
    weir_table_write_committed(writer->end.write, weir_table_commit_rows_snapshot(writer->end.commit));
    fixture_prepared_free(&writer->prepared);
    writer->commits++;
    writer->step = 0;
}

/* Its rows go to other partitions each time, and to others than the other writer's. */
static void take_step(stepper *writer, int number)
{
    weir_error err = {0};
    char rows[100];
    int code = WEIR_OK;
    switch (writer->step++) {
    case 0:
        snprintf(rows, sizeof rows, "[[1, %d, \"r\"], [%d, 0, \"r\"]]", 10 * number + writer->version++, number);
        fixture_write(&writer->end, rows, "+I");
        break;
    case 1:
        code = fixture_try_prepare(&writer->end, &writer->prepared, &err);
        if (code != WEIR_OK) {
            refused(writer, code, &err);
        }
        break;
    default:
        commit_step(writer);
    }
}

/* Each key is in one place: a new writer can read them all. */
static void check_keys(const fixture *table)
{
    fixture other;
    open_as(table, "check", &other);
    fixture_write(&other, "[[1, 99, \"r\"]]", "+I");
    close_other(&other);
}

static void run_turns(uint32_t turns)
{
    fixture table;
    stepper writers[2] = {0};
    create(&table, "write-only=true");
    open_as(&table, "a", &writers[0].end);
    open_as(&table, "b", &writers[1].end);
    for (int i = 0; i < 4 * STEPS; i++) {
        int turn = turns >> i & 1;
        take_step(&writers[turn], turn + 2);
    }
    for (int w = 0; w < 2; w++) {
        while (writers[w].step != 0) {
            take_step(&writers[w], w + 2);
        }
    }
    assert_true(writers[0].commits + writers[1].commits > 0);
    check_keys(&table);
    close_other(&writers[0].end);
    close_other(&writers[1].end);
    fixture_free(&table);
}

static void two_writers_leave_a_key_in_one_place_however_they_interlock(void **state)
{
    (void)state;
    for (uint32_t turns = 0; turns < 1U << 4 * STEPS; turns++) {
        if (__builtin_popcount(turns) == 2 * STEPS) {
            run_turns(turns);
        }
    }
}

/* Where a bucket has more than one file they are compacted, and no more than the last snapshot is kept. */
#define FLEETING "snapshot.num-retained.min=1;snapshot.num-retained.max=1;num-sorted-run.compaction-trigger=1"

/* What cannot be looked at any more may have been anybody's. */
static void a_commit_of_another_that_has_expired_is_not_taken_for_an_own_one(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table, other;
    fixture_prepared prepared;
    create(&table, FLEETING);
    open_as(&table, "other", &other);
    fixture_write(&other, "[[1, 2, \"b\"]]", "+I");
    fixture_commit(&table, "[[1, 1, \"a\"]]", "+I");
    assert_int_equal(fixture_commit(&table, "[[1, 1, \"c\"]]", "+I"), 3); /* a compaction is all that is left */
    assert_int_equal(fixture_try_prepare(&other, &prepared, &err), WEIR_CONFLICT);
    fixture_prepared_free(&prepared);
    close_other(&other);
    fixture_free(&table);
}

static void own_commits_may_expire_at_once(void **state)
{
    (void)state;
    fixture table, own;
    create(&table, FLEETING);
    open_as(&table, "own", &own);
    for (int round = 0; round < 5; round++) {
        char rows[60];
        snprintf(rows, sizeof rows, "[[1, %d, \"r\"], [%d, 1, \"r\"]]", round, 10 + round);
        fixture_commit(&own, rows, "+I");
    }
    assert_string_equal(fixture_rows(&table, ""),
                        "[1,4,\"r\"] [10,1,\"r\"] [11,1,\"r\"] [12,1,\"r\"] [13,1,\"r\"] [14,1,\"r\"]");
    close_other(&own);
    fixture_free(&table);
}

static void a_partition_is_not_overwritten_by_itself(void **state)
{
    (void)state;
    weir_error err = {0};
    fixture table;
    fixture_prepared prepared;
    int64_t snapshot_id = 0;
    create(&table, "");
    fixture_write(&table, "[[1, 1, \"a\"]]", "+I");
    fixture_prepare(&table, &prepared);
    weir_committable committable = fixture_committable(&prepared);
    assert_int_equal(weir_table_commit_overwrite(table.commit, &committable, NULL, &snapshot_id, &err),
                     WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "overwrite the whole table"));
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

/* ---- against a model ---- */

typedef struct place {
    int partition;
    int version; /* 0: the key is not there */
} place;

static void compare(fixture *table, const place *model)
{
    lines expected = {0}, found = {0};
    weir_error err = {0};
    for (int k = 0; k < KEYS; k++) {
        char line[64];
        int size = snprintf(line, sizeof line, "[%d,%d,\"%d\"]", k, model[k].partition, model[k].version);
        if (model[k].version != 0) {
            lines_add(&expected, line, (size_t)size);
        }
    }
    lines_sort(&expected);
    must(table_rows(table->fs, FIXTURE_PATH, NULL, NULL, false, &found, &err), &err, "reading");
    const char *difference = lines_difference(&expected, &found);
    if (difference != NULL) {
        fail_msg("%s", difference);
    }
    lines_free(&expected);
    lines_free(&found);
}

/* One row a batch entry, upserts and deletes mixed. */
static void write_random(fixture *table, random_state *random, place *model, int *version)
{
    weir_error err = {0};
    weir_batch batch;
    weir_buffer rows = {0}, kinds = {0};
    uint64_t count = 1 + random_below(random, 20);
    weir_buffer_append_byte(&rows, '[');
    for (uint64_t i = 0; i < count; i++) {
        int k = (int)random_below(random, KEYS), p = (int)random_below(random, MOST_P);
        bool deletes = random_below(random, 4) == 0;
        p = deletes && model[k].version != 0 ? model[k].partition : p;
        model[k] = (place){p, deletes ? 0 : ++*version};
        weir_buffer_append_format(&rows, "%s[%d, %d, \"%d\"]", i > 0 ? ", " : "", k, p, *version);
        weir_buffer_append_byte(&kinds, deletes ? WEIR_DELETE : WEIR_INSERT);
    }
    weir_buffer_append_byte(&rows, ']');
    fixture_batch(table, weir_buffer_text(&rows), "+I", &batch);
    memcpy(batch.kinds, kinds.data, kinds.size);
    must(weir_table_write_batch(table->write, &batch, &err), &err, "writing");
    weir_batch_free(&batch);
    weir_buffer_free(&rows);
    weir_buffer_free(&kinds);
}

static void a_table_equals_its_model(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int seed = 0; seed < 8; seed++) {
        fixture table;
        place model[KEYS] = {0};
        int version = 0;
        create(&table, seed % 2 == 0 ? "dynamic-bucket.target-row-num=3;num-sorted-run.compaction-trigger=3"
                                     : "dynamic-bucket.target-row-num=5;changelog-producer=lookup");
        for (int round = 0; round < 25; round++) {
            fixture_prepared prepared;
            write_random(&table, &random, model, &version);
            write_random(&table, &random, model, &version);
            fixture_prepare(&table, &prepared);
            fixture_commit_prepared(&table, &prepared);
            compare(&table, model);
            if (random_below(&random, 4) == 0) {
                fixture_close(&table);
                fixture_open(&table);
            }
        }
        fixture_free(&table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_with_another_partition_moves_there),
        cmocka_unit_test(rows_of_one_batch_move_one_after_the_other),
        cmocka_unit_test(keys_are_known_again_to_the_next_writer),
        cmocka_unit_test(buckets_take_new_keys_where_others_have_left),
        cmocka_unit_test(a_move_shows_in_the_changelog_of_the_input),
        cmocka_unit_test(each_merge_engine_has_its_rule),
        cmocka_unit_test(rows_cannot_move_where_deletes_are_ignored),
        cmocka_unit_test(two_writers_at_a_time_are_found_out),
        cmocka_unit_test(a_commit_without_rows_hides_nobody_else),
        cmocka_unit_test(two_writers_leave_a_key_in_one_place_however_they_interlock),
        cmocka_unit_test(a_commit_of_another_that_has_expired_is_not_taken_for_an_own_one),
        cmocka_unit_test(own_commits_may_expire_at_once),
        cmocka_unit_test(a_partition_is_not_overwritten_by_itself),
        cmocka_unit_test(a_table_equals_its_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
