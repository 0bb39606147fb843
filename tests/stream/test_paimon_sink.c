/* A Paimon table as the sink of a job: what is committed, and what recovery makes of every way to die. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "fs/fault.h"
#include "stream/ends_fixture.h"

static void create(fixture *table, const char *options)
{
    fixture_create(table, "k BIGINT NOT NULL, v STRING", "k", "", options);
}

static int64_t latest_snapshot(const fixture *table)
{
    weir_error err = {0};
    int64_t id = 0;
    must(weir_snapshot_latest_id(table->fs, FIXTURE_PATH, &id, &err), &err, "latest");
    return id;
}

static weir_snapshot *read_snapshot(fixture *table, int64_t id)
{
    weir_error err = {0};
    weir_snapshot *snapshot = NULL;
    must(weir_snapshot_read(table->fs, FIXTURE_PATH, id, &table->arena, &snapshot, &err), &err, "a snapshot");
    return snapshot;
}

/* ---- ordinary days ---- */

static void rows_appear_with_the_commit_and_not_before(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"], [2, \"b\"]]", "+I");
    sink_end_prepare(&end, 7, &prepared);
    assert_string_equal(fixture_rows(&table, ""), "");
    sink_end_commit(&end, 7, &prepared);
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    assert_int_equal(end.sink->summary.rows, 2);
    assert_int_equal(end.sink->summary.commits, 1);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_snapshot_says_which_checkpoint_of_which_job_made_it(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    end.sink->watermark = 1234;
    sink_end_checkpoint(&end, 7, "[[1, \"a\"]]", "+I");
    const weir_snapshot *snapshot = read_snapshot(&table, 1);
    assert_int_equal(snapshot->commit_identifier, 7);
    assert_int_equal(snapshot->watermark, 1234);
    assert_int_equal(snapshot->property_count, 2);
    assert_string_equal(snapshot->property_keys[0], "weir.checkpoint");
    assert_string_equal(snapshot->property_values[0], "7");
    assert_string_equal(snapshot->property_keys[1], "weir.job");
    assert_string_equal(snapshot->property_values[1], "job");
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_checkpoint_without_rows_makes_no_snapshot(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[]", "+I");
    sink_end_checkpoint(&end, 2, "[]", "+I");
    assert_int_equal(latest_snapshot(&table), 0);
    sink_end_close(&end);
    fixture_free(&table);
}

static void what_a_table_takes_follows_from_its_key_and_producer(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *options;
        weir_sink_changes takes;
    } cases[] = {
        {"", "bucket=-1", WEIR_SINK_INSERTS},
        {"k", "bucket=1", WEIR_SINK_UPSERTS},
        {"k", "bucket=1;changelog-producer=lookup", WEIR_SINK_UPSERTS},
        {"k", "bucket=1;changelog-producer=input", WEIR_SINK_ALL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        sink_end end;
        fixture_create(&table, "k BIGINT NOT NULL, v STRING", cases[i].key, "", cases[i].options);
        sink_end_open(table.fs, &end);
        assert_int_equal(end.sink->takes, cases[i].takes);
        assert_int_equal(end.sink->key_count, strlen(cases[i].key));
        sink_end_close(&end);
        fixture_free(&table);
    }
}

static void rows_before_updates_are_kept_only_where_the_input_is_the_changelog(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *changes;
    } cases[] = {
        {"bucket=1", "[1,\"+I\",1,\"a\"] [2,\"+U\",1,\"b\"]"},
        {"bucket=1;changelog-producer=input", "[1,\"+I\",1,\"a\"] [2,\"-U\",1,\"a\"] [2,\"+U\",1,\"b\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        sink_end end;
        lines rows = {0};
        weir_error err = {0};
        weir_buffer text = {0}, prepared = {0};
        create(&table, cases[i].options);
        sink_end_open(table.fs, &end);
        sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
        sink_end_write(&end, "[[1, \"a\"]]", "-U");
        sink_end_write(&end, "[[1, \"b\"]]", "+U");
        sink_end_prepare(&end, 2, &prepared);
        sink_end_commit(&end, 2, &prepared);
        must(table_stream(table.fs, FIXTURE_PATH, 1, &rows, &err), &err, "streaming");
        size_t count = 0;
        for (size_t r = 0; r < rows.count; r++) {
            count += strstr(cases[i].changes, rows.items[r]) != NULL;
        }
        assert_int_equal(count, rows.count);
        assert_int_equal(rows.count, i == 0 ? 2 : 3);
        lines_free(&rows);
        weir_buffer_free(&text);
        weir_buffer_free(&prepared);
        sink_end_close(&end);
        fixture_free(&table);
    }
}

/* ---- recovery ---- */

static void what_was_prepared_and_not_committed_is_committed_by_the_next_run(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
    sink_end_write(&end, "[[2, \"b\"]]", "+I");
    sink_end_prepare(&end, 2, &prepared);
    sink_end_close(&end);
    const char *user = read_snapshot(&table, 1)->commit_user;
    sink_end_open(table.fs, &end);
    must(sink_end_recover(&end, 2, &prepared, &err), &err, "recovering");
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    sink_end_checkpoint(&end, 3, "[[3, \"c\"]]", "+I");
    assert_string_equal(read_snapshot(&table, latest_snapshot(&table))->commit_user, user);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void what_was_committed_is_not_committed_again(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_commit(&end, 1, &prepared);
    sink_end_close(&end);
    int64_t before = latest_snapshot(&table);
    sink_end_open(table.fs, &end);
    must(sink_end_recover(&end, 1, &prepared, &err), &err, "recovering");
    assert_int_equal(latest_snapshot(&table), before);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_compaction_that_was_lost_is_committed_after_the_rows_that_were_not(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;changelog-producer=lookup");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
    sink_end_write(&end, "[[1, \"b\"]]", "+U");
    sink_end_prepare(&end, 2, &prepared);
    sink_end_close(&end);
    int64_t before = latest_snapshot(&table);
    sink_end_open(table.fs, &end);
    must(sink_end_recover(&end, 2, &prepared, &err), &err, "recovering");
    assert_int_equal(latest_snapshot(&table), before + 2);
    assert_int_equal(read_snapshot(&table, before + 1)->commit_kind, WEIR_COMMIT_APPEND);
    assert_int_equal(read_snapshot(&table, before + 2)->commit_kind, WEIR_COMMIT_COMPACT);
    must(sink_end_recover(&end, 2, &prepared, &err), &err, "recovering twice");
    assert_int_equal(latest_snapshot(&table), before + 2);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void an_old_copy_of_the_state_is_refused(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_commit(&end, 1, &prepared);
    sink_end_checkpoint(&end, 2, "[[2, \"b\"]]", "+I");
    sink_end_close(&end);
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 1, &prepared, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "it is an old copy"));
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

/* Its rows lie in a bucket that they may not have any more. */
static void keys_that_another_job_has_added_meanwhile_are_a_reason_to_start_over(void **state)
{
    (void)state;
    fixture table;
    sink_end end, other;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=-1");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_close(&end);
    sink_end_open(table.fs, &other);
    sink_end_checkpoint(&other, 1, "[[2, \"b\"]]", "+I");
    sink_end_close(&other);
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 1, &prepared, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "start over"));
    assert_non_null(strstr(err.message, "one writing job at a time"));
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void an_old_copy_of_a_checkpoint_without_rows_is_refused_as_well(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_prepare(&end, 1, &prepared);
    sink_end_commit(&end, 1, &prepared);
    sink_end_checkpoint(&end, 2, "[[2, \"b\"]]", "+I");
    sink_end_close(&end);
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 1, &prepared, &err), WEIR_CONFLICT);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_table_that_was_rolled_back_is_refused(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
    sink_end_checkpoint(&end, 2, "[[2, \"b\"]]", "+I");
    sink_end_prepare(&end, 3, &prepared);
    sink_end_close(&end);
    must(weir_fs_remove(table.fs, FIXTURE_PATH "/snapshot/snapshot-2", &err), &err, "removing");
    must(weir_fs_remove(table.fs, FIXTURE_PATH "/snapshot/LATEST", &err), &err, "removing");
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 3, &prepared, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "rolled back"));
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

/* Another job commits, and all snapshots but the last expire. */
static void bury(fixture *table, const char *rows)
{
    weir_error err = {0};
    for (int i = 0; i < 3; i++) {
        fixture_commit(table, rows, "+U");
    }
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MIN};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
    assert_true(expired > 0);
}

static void a_file_in_the_table_proves_a_commit_whose_snapshot_has_expired(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_commit(&end, 1, &prepared);
    sink_end_close(&end);
    bury(&table, "[[2, \"b\"]]");
    int64_t before = latest_snapshot(&table);
    sink_end_open(table.fs, &end);
    must(sink_end_recover(&end, 1, &prepared, &err), &err, "recovering");
    assert_int_equal(latest_snapshot(&table), before);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_file_that_no_snapshot_names_is_not_committed_when_snapshots_were_lost(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_close(&end);
    bury(&table, "[[2, \"b\"]]");
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 1, &prepared, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "cannot be told"));
    assert_string_equal(fixture_rows(&table, ""), "[2,\"b\"]");
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void a_file_that_is_gone_stops_recovery(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_close(&end);
    must(weir_fs_remove_recursively(table.fs, FIXTURE_PATH "/bucket-0", &err), &err, "removing");
    bury(&table, "[[2, \"b\"]]");
    sink_end_open(table.fs, &end);
    assert_int_equal(sink_end_recover(&end, 1, &prepared, &err), WEIR_NOT_FOUND);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void commits_of_others_do_not_matter_to_recovery(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    sink_end_close(&end);
    for (int i = 0; i < 3; i++) {
        fixture_commit(&table, "[[2, \"b\"]]", "+U");
    }
    sink_end_open(table.fs, &end);
    must(sink_end_recover(&end, 1, &prepared, &err), &err, "recovering");
    assert_string_equal(fixture_rows(&table, ""), "[1,\"a\"] [2,\"b\"]");
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

/* A foreign compactor rewrites what the job's own compaction has read, checkpoint after checkpoint. */
static void a_compactor_beside_the_job_costs_it_only_its_compactions(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_error err = {0};
    create(&table, "bucket=1;num-sorted-run.compaction-trigger=2");
    sink_end_open(table.fs, &end);
    for (int64_t checkpoint = 1; checkpoint <= 12; checkpoint++) {
        char rows[64];
        weir_buffer prepared = {0};
        snprintf(rows, sizeof rows, "[[%d, \"v%d\"], [0, \"v%d\"]]", (int)checkpoint, (int)checkpoint, (int)checkpoint);
        sink_end_write(&end, rows, "+U");
        must(end.sink->prepare(end.sink, checkpoint, true, &prepared, &err), &err, "preparing");
        weir_arena arena;
        weir_commit_messages messages = {0};
        weir_arena_init(&arena);
        must(weir_table_compact(table.table, true, NULL, &arena, &messages, &err), &err, "compacting");
        weir_committable committable = {
            .identifier = checkpoint, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
        must(weir_table_commit_run(table.commit, &committable, NULL, &err), &err, "committing a compaction");
        weir_commit_messages_free(&messages);
        weir_arena_free(&arena);
        sink_end_commit(&end, checkpoint, &prepared);
        weir_buffer_free(&prepared);
    }
    assert_string_equal(fixture_rows(&table, ""),
                        "[0,\"v12\"] [1,\"v1\"] [10,\"v10\"] [11,\"v11\"] [12,\"v12\"] [2,\"v2\"] [3,\"v3\"] "
                        "[4,\"v4\"] [5,\"v5\"] [6,\"v6\"] [7,\"v7\"] [8,\"v8\"] [9,\"v9\"]");
    sink_end_close(&end);
    fixture_free(&table);
}

/* What a compaction works out of rows must come though it was dropped and no further row comes. */
static void check_changes_after_a_dropped_compaction(bool dies)
{
    fixture table;
    sink_end end;
    source_end source;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;changelog-producer=lookup;num-levels=2");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"], [2, \"b\"]]", "+I");
    sink_end_write(&end, "[[1, \"c\"], [3, \"e\"]]", "+U");
    must(end.sink->prepare(end.sink, 2, true, &prepared, &err), &err, "preparing");
    if (dies) {
        sink_end_close(&end);
    }
    fixture_commit(&table, "[[2, \"d\"]]", "+U"); /* compacts what the prepared compaction has read */
    if (dies) {
        sink_end_open(table.fs, &end);
        must(sink_end_recover(&end, 2, &prepared, &err), &err, "recovering");
    } else {
        sink_end_commit(&end, 2, &prepared);
    }
    source_end_open(table.fs, "scan.mode=from-snapshot;scan.snapshot-id=1", 0, &source);
    assert_string_equal(source_end_rows(&source), "+I[1,\"a\"] +I[2,\"b\"] -U[2,\"b\"] +U[2,\"d\"] "
                                                  "-U[1,\"a\"] +U[1,\"c\"] +I[3,\"e\"]");
    source_end_close(&source);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

static void changes_come_though_the_compaction_that_made_them_was_dropped(void **state)
{
    (void)state;
    check_changes_after_a_dropped_compaction(false);
}

static void recovery_makes_the_changes_whose_compaction_was_dropped(void **state)
{
    (void)state;
    check_changes_after_a_dropped_compaction(true);
}

/* ---- full compactions ---- */

/* The snapshots as "A1 C1 A2": APPEND or COMPACT, and the checkpoint. */
static const char *history_of(fixture *table)
{
    weir_buffer text = {0};
    for (int64_t id = 1; id <= latest_snapshot(table); id++) {
        const weir_snapshot *snapshot = read_snapshot(table, id);
        weir_buffer_append_format(&text, "%s%c%d", id > 1 ? " " : "",
                                  snapshot->commit_kind == WEIR_COMMIT_COMPACT ? 'C' : 'A',
                                  (int)snapshot->commit_identifier);
    }
    const char *copy = weir_arena_strdup(&table->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return copy;
}

static void full_compactions_come_with_every_so_many_checkpoints(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *history; /* of six checkpoints */
    } cases[] = {
        {"changelog-producer=full-compaction;full-compaction.delta-commits=3", "A1 A2 A3 C3 A4 A5 A6 C6"},
        {"changelog-producer=full-compaction", "A1 C1 A2 C2 A3 C3 A4 C4 A5 C5 A6 C6"},
        {"full-compaction.delta-commits=3", "A1 A2 A3 C3 A4 A5 A6 C6"},
        {"changelog-producer=full-compaction;changelog-producer.compaction-interval=1 h", "A1 A2 A3 A4 A5 A6"},
        {"full-compaction.delta-commits=3;write-only=true", "A1 A2 A3 A4 A5 A6"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        sink_end end;
        char options[160];
        snprintf(options, sizeof options, "bucket=1;num-sorted-run.compaction-trigger=9;%s", cases[i].options);
        create(&table, options);
        sink_end_open(table.fs, &end);
        for (int64_t checkpoint = 1; checkpoint <= 6; checkpoint++) {
            char rows[64];
            snprintf(rows, sizeof rows, "[[1, \"v%d\"]]", (int)checkpoint);
            sink_end_checkpoint(&end, checkpoint, rows, "+U");
        }
        assert_string_equal(history_of(&table), cases[i].history);
        sink_end_close(&end);
        fixture_free(&table);
    }
}

static void the_last_checkpoint_comes_with_a_full_compaction(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1;changelog-producer=full-compaction;full-compaction.delta-commits=5");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
    must(end.sink->prepare(end.sink, 2, true, &prepared, &err), &err, "preparing");
    sink_end_commit(&end, 2, &prepared);
    assert_string_equal(history_of(&table), "A1 C2");
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

/* A bucket that nobody writes to any more still gets its full compaction, over several restarts. */
static void buckets_await_their_full_compaction_over_restarts(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    source_end source;
    weir_error err = {0};
    create(&table, "bucket=1;changelog-producer=full-compaction;full-compaction.delta-commits=4");
    source_end_open(table.fs, "scan.mode=from-snapshot;scan.snapshot-id=1", 0, &source);
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"]]", "+I");
    for (int64_t checkpoint = 1; checkpoint < 4; checkpoint++) {
        weir_buffer prepared = {0};
        sink_end_prepare(&end, checkpoint, &prepared);
        if (checkpoint == 2) {
            sink_end_commit(&end, checkpoint, &prepared);
        }
        sink_end_close(&end); /* killed */
        sink_end_open(table.fs, &end);
        must(sink_end_recover(&end, checkpoint, &prepared, &err), &err, "recovering");
        weir_buffer_free(&prepared);
    }
    assert_string_equal(source_end_rows(&source), "");
    sink_end_checkpoint(&end, 4, "[]", "+I");
    assert_string_equal(history_of(&table), "A1 C4");
    assert_string_equal(source_end_rows(&source), "+I[1,\"a\"]");
    source_end_close(&source);
    sink_end_close(&end);
    fixture_free(&table);
}

static void damaged_bytes_are_refused(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_write(&end, "[[1, \"a\"], [2, null]]", "+I");
    sink_end_prepare(&end, 1, &prepared);
    for (size_t size = 0; size < prepared.size; size++) {
        weir_slice part = weir_slice_of(prepared.data, size);
        assert_int_equal(end.sink->commit(end.sink, 1, part, &err), WEIR_CORRUPT);
    }
    assert_int_equal(latest_snapshot(&table), 0);
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    fixture_free(&table);
}

/* ---- a table that goes away ---- */

static void a_table_that_was_dropped_is_not_made_again(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    bool exists = true;
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    sink_end_checkpoint(&end, 1, "[[1, \"a\"]]", "+I");
    must(weir_fs_remove_recursively(table.fs, FIXTURE_PATH, &err), &err, "dropping");
    sink_end_write(&end, "[[2, \"b\"]]", "+I");
    assert_int_equal(end.sink->prepare(end.sink, 2, true, &prepared, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "was dropped while a job was writing it"));
    sink_end_close(&end);
    must(weir_fs_exists(table.fs, FIXTURE_PATH, &exists, &err), &err, "looking");
    assert_false(exists);
    weir_buffer_free(&prepared);
    fixture_free(&table);
}

static void a_table_that_was_made_anew_is_not_written(void **state)
{
    (void)state;
    fixture table;
    sink_end end;
    weir_buffer prepared = {0};
    weir_error err = {0};
    create(&table, "bucket=1");
    sink_end_open(table.fs, &end);
    weir_schema again = *table.table->schema;
    must(weir_fs_remove_recursively(table.fs, FIXTURE_PATH, &err), &err, "dropping");
    again.time_ms++;
    must(weir_schema_publish(table.fs, FIXTURE_PATH, &again, &err), &err, "making it anew");
    sink_end_write(&end, "[[2, \"b\"]]", "+I");
    assert_int_equal(end.sink->prepare(end.sink, 1, true, &prepared, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "made anew"));
    sink_end_close(&end);
    weir_buffer_free(&prepared);
    fixture_free(&table);
}

/* ---- dying anywhere ---- */

enum { CHECKPOINTS = 5 };

/* What outlives a job: its last checkpoint. */
typedef struct kept_state {
    int64_t checkpoint;
    weir_buffer prepared;
} kept_state;

static int run_job(weir_fs *fs, kept_state *kept, weir_error *err)
{
    sink_end end;
    weir_buffer prepared = {0};
    int code = sink_end_try_open(fs, &end, err);
    if (code == WEIR_OK && kept->checkpoint > 0) {
        code = sink_end_recover(&end, kept->checkpoint, &kept->prepared, err);
    }
    for (int64_t checkpoint = kept->checkpoint + 1; code == WEIR_OK && checkpoint <= CHECKPOINTS; checkpoint++) {
        char rows[96];
        snprintf(rows, sizeof rows, "[[%d, \"new\"], [0, \"v%d\"], [1, \"w%d\"]]", (int)checkpoint + 1, (int)checkpoint,
                 (int)checkpoint);
        code = sink_end_try_write(&end, rows, "+U", err);
        weir_buffer_clear(&prepared);
        if (code == WEIR_OK) {
            code = end.sink->prepare(end.sink, checkpoint, true, &prepared, err);
        }
        if (code == WEIR_OK) {
            kept->checkpoint = checkpoint;
            weir_buffer_clear(&kept->prepared);
            weir_buffer_append(&kept->prepared, prepared.data, prepared.size);
            code = end.sink->commit(end.sink, checkpoint, weir_buffer_slice(&prepared), err);
        }
    }
    weir_buffer_free(&prepared);
    sink_end_close(&end);
    return code;
}

/* Two deaths, each at some operation, with the loss of what was not synced; then the job comes to its end. */
static void die_twice(uint64_t first, uint64_t second, const char *expected)
{
    fixture table;
    kept_state kept = {0};
    weir_error err = {0};
    create(&table, "bucket=1;changelog-producer=lookup;num-sorted-run.compaction-trigger=2;snapshot.num-retained.max=3;"
                   "snapshot.num-retained.min=1");
    const uint64_t stops[] = {first, second, 0};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) {
        weir_fs *faulty = weir_fs_fault(table.fs, (weir_fault_options){.stop_at = stops[i]});
        int code = run_job(faulty, &kept, &err);
        if (stops[i] == 0) {
            must(code, &err, "the last run");
        }
        weir_fs_close(faulty);
        weir_fs_memory_lose_unsynced(table.fs);
    }
    const char *rows = fixture_rows(&table, "");
    if (strcmp(rows, expected) != 0) {
        fail_msg("stopped at %d and %d: %s", (int)first, (int)second, rows);
    }
    weir_buffer_free(&kept.prepared);
    fixture_free(&table);
}

static void a_job_that_dies_anywhere_leaves_the_table_as_if_it_had_not(void **state)
{
    (void)state;
    const char *expected = "[0,\"v5\"] [1,\"w5\"] [2,\"new\"] [3,\"new\"] [4,\"new\"] [5,\"new\"] [6,\"new\"]";
    uint64_t operations = 0;
    {
        fixture table;
        kept_state kept = {0};
        weir_error err = {0};
        create(&table, "bucket=1;changelog-producer=lookup;num-sorted-run.compaction-trigger=2");
        weir_fs *counting = weir_fs_fault(table.fs, (weir_fault_options){0});
        must(run_job(counting, &kept, &err), &err, "an undisturbed run");
        operations = weir_fs_fault_operations(counting);
        assert_string_equal(fixture_rows(&table, ""), expected);
        weir_fs_close(counting);
        weir_buffer_free(&kept.prepared);
        fixture_free(&table);
    }
    weir_log_set_level(WEIR_LOG_ERROR); /* expiry complains of what it cannot do, as it should */
    for (uint64_t stop = 1; stop <= operations; stop += 1) {
        die_twice(stop, stop % 37 + 1, expected);
    }
    weir_log_set_level(WEIR_LOG_WARN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_appear_with_the_commit_and_not_before),
        cmocka_unit_test(a_snapshot_says_which_checkpoint_of_which_job_made_it),
        cmocka_unit_test(a_checkpoint_without_rows_makes_no_snapshot),
        cmocka_unit_test(what_a_table_takes_follows_from_its_key_and_producer),
        cmocka_unit_test(rows_before_updates_are_kept_only_where_the_input_is_the_changelog),
        cmocka_unit_test(what_was_prepared_and_not_committed_is_committed_by_the_next_run),
        cmocka_unit_test(what_was_committed_is_not_committed_again),
        cmocka_unit_test(a_compaction_that_was_lost_is_committed_after_the_rows_that_were_not),
        cmocka_unit_test(an_old_copy_of_the_state_is_refused),
        cmocka_unit_test(keys_that_another_job_has_added_meanwhile_are_a_reason_to_start_over),
        cmocka_unit_test(an_old_copy_of_a_checkpoint_without_rows_is_refused_as_well),
        cmocka_unit_test(a_table_that_was_rolled_back_is_refused),
        cmocka_unit_test(a_file_in_the_table_proves_a_commit_whose_snapshot_has_expired),
        cmocka_unit_test(a_file_that_no_snapshot_names_is_not_committed_when_snapshots_were_lost),
        cmocka_unit_test(a_file_that_is_gone_stops_recovery),
        cmocka_unit_test(commits_of_others_do_not_matter_to_recovery),
        cmocka_unit_test(a_compactor_beside_the_job_costs_it_only_its_compactions),
        cmocka_unit_test(changes_come_though_the_compaction_that_made_them_was_dropped),
        cmocka_unit_test(recovery_makes_the_changes_whose_compaction_was_dropped),
        cmocka_unit_test(full_compactions_come_with_every_so_many_checkpoints),
        cmocka_unit_test(the_last_checkpoint_comes_with_a_full_compaction),
        cmocka_unit_test(buckets_await_their_full_compaction_over_restarts),
        cmocka_unit_test(damaged_bytes_are_refused),
        cmocka_unit_test(a_table_that_was_dropped_is_not_made_again),
        cmocka_unit_test(a_table_that_was_made_anew_is_not_written),
        cmocka_unit_test(a_job_that_dies_anywhere_leaves_the_table_as_if_it_had_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
