/* A Paimon table as the source of a job: where it starts, what it gives, and going on from any place. */
#include "cmocka_all.h"

#include <stdio.h>

#include "meta/consumer.h"
#include "stream/ends_fixture.h"

static void create(fixture *table, const char *options)
{
    fixture_create(table, "k BIGINT NOT NULL, v STRING", "k", "", options);
}

static void expire_all_but_last(fixture *table)
{
    weir_error err = {0};
    int64_t expired = 0;
    weir_expire_options options = {.retain_min = 1, .retain_max = 1, .older_than_ms = INT64_MIN};
    must(weir_table_expire(table->table, &options, &expired, &err), &err, "expiring");
}

/* ---- starting ---- */

static void each_mode_starts_where_it_should(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *before; /* given before the last commit */
        const char *after;
    } cases[] = {
        {"", "+I[1,\"a\"] +I[2,\"b\"]", "+I[3,\"c\"]"},
        {"scan.mode=latest-full", "+I[1,\"a\"] +I[2,\"b\"]", "+I[3,\"c\"]"},
        {"scan.mode=latest", "", "+I[3,\"c\"]"},
        {"scan.mode=from-snapshot;scan.snapshot-id=2", "+I[2,\"b\"]", "+I[3,\"c\"]"},
        {"scan.mode=from-snapshot-full;scan.snapshot-id=1", "+I[1,\"a\"] +I[2,\"b\"]", "+I[3,\"c\"]"},
        {"scan.mode=from-timestamp;scan.timestamp-millis=1", "+I[1,\"a\"] +I[2,\"b\"]", "+I[3,\"c\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        source_end end;
        create(&table, "bucket=1;write-only=true");
        fixture_commit(&table, "[[1, \"a\"]]", "+I");
        fixture_commit(&table, "[[2, \"b\"]]", "+I");
        source_end_open(table.fs, cases[i].options, 0, &end);
        assert_string_equal(source_end_rows(&end), cases[i].before);
        fixture_commit(&table, "[[3, \"c\"]]", "+I");
        assert_string_equal(source_end_rows(&end), cases[i].after);
        assert_string_equal(source_end_rows(&end), "");
        source_end_close(&end);
        fixture_free(&table);
    }
}

static void a_table_without_snapshots_is_waited_for(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    create(&table, "bucket=1");
    source_end_open(table.fs, "", 0, &end);
    assert_string_equal(source_end_rows(&end), "");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"]");
    source_end_close(&end);
    fixture_free(&table);
}

static void the_compacted_state_can_be_the_start(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    create(&table, "bucket=1;full-compaction.delta-commits=2");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    fixture_commit(&table, "[[3, \"c\"]]", "+I");
    source_end_open(table.fs, "scan.mode=compacted-full", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"] +I[2,\"b\"] +I[3,\"c\"]");
    fixture_commit(&table, "[[4, \"d\"]]", "+I");
    assert_string_equal(source_end_rows(&end), "+I[4,\"d\"]");
    source_end_close(&end);
    fixture_free(&table);
}

/* ---- changes ---- */

static void what_a_table_gives_follows_from_its_key_and_producer(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *options;
        bool has_row_kinds, has_upserts, is_bounded;
    } cases[] = {
        {"", "bucket=-1", false, false, false},
        {"k", "bucket=1", true, true, false},
        {"k", "bucket=1;changelog-producer=input", true, false, false},
        {"k", "bucket=1;changelog-producer=lookup", true, false, false},
        {"k", "bucket=1;scan.bounded.watermark=5", true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        weir_error err = {0};
        weir_paimon_changes changes;
        fixture_create(&table, "k BIGINT NOT NULL, v STRING", cases[i].key, "", cases[i].options);
        must(weir_paimon_changes_of(table.table, &changes, &err), &err, "asking for changes");
        assert_int_equal(changes.has_row_kinds, cases[i].has_row_kinds);
        assert_int_equal(changes.has_upserts, cases[i].has_upserts);
        assert_int_equal(changes.is_bounded, cases[i].is_bounded);
        fixture_free(&table);
    }
}

static void updates_come_as_the_producer_makes_them(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *changes;
    } cases[] = {
        {"bucket=1", "+I[1,\"b\"] -D[1,\"b\"]"},
        {"bucket=1;changelog-producer=lookup", "-U[1,\"a\"] +U[1,\"b\"] -D[1,\"b\"]"},
        {"bucket=1;changelog-producer=input", "+I[1,\"b\"] -D[1,\"b\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        source_end end;
        create(&table, cases[i].options);
        fixture_commit(&table, "[[1, \"a\"]]", "+I");
        source_end_open(table.fs, "scan.mode=latest", 0, &end);
        assert_string_equal(source_end_rows(&end), "");
        fixture_commit(&table, "[[1, \"b\"]]", "+I");
        fixture_commit(&table, "[[1, \"b\"]]", "-D");
        assert_string_equal(source_end_rows(&end), cases[i].changes);
        source_end_close(&end);
        fixture_free(&table);
    }
}

static void a_stream_ends_with_the_first_snapshot_above_the_bounding_watermark(void **state)
{
    (void)state;
    fixture table;
    sink_end sink;
    source_end end;
    create(&table, "bucket=1");
    sink_end_open(table.fs, &sink);
    source_end_open(table.fs, "scan.bounded.watermark=20;scan.mode=latest", 0, &end);
    assert_true(end.source->is_bounded);
    assert_string_equal(source_end_rows(&end), "");
    for (int64_t i = 1; i <= 3; i++) {
        char rows[32];
        snprintf(rows, sizeof rows, "[[%d, \"x\"]]", (int)i);
        sink.sink->watermark = i * 10;
        sink_end_checkpoint(&sink, i, rows, "+I");
    }
    assert_string_equal(source_end_rows(&end), "+I[1,\"x\"] +I[2,\"x\"] end");
    sink_end_close(&sink);
    source_end_close(&end);
    fixture_free(&table);
}

static void a_state_above_the_bounding_watermark_is_all_there_is(void **state)
{
    (void)state;
    fixture table;
    sink_end sink;
    source_end end;
    create(&table, "bucket=1");
    sink_end_open(table.fs, &sink);
    sink.sink->watermark = 30;
    sink_end_checkpoint(&sink, 1, "[[1, \"x\"]]", "+I");
    source_end_open(table.fs, "scan.bounded.watermark=20", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"x\"] end");
    sink_end_close(&sink);
    source_end_close(&end);
    fixture_free(&table);
}

static void a_column_that_is_added_meanwhile_does_not_disturb_a_stream(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    create(&table, "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    source_end_open(table.fs, "", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"]");
    fixture_add_column(&table, "w");
    fixture_close(&table);
    fixture_open(&table);
    fixture_commit(&table, "[[2, \"b\", 5]]", "+I");
    assert_string_equal(source_end_rows(&end), "+I[2,\"b\"]");
    source_end_close(&end);
    source_end_open(table.fs, "", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\",null] +I[2,\"b\",5]");
    source_end_close(&end);
    fixture_free(&table);
}

static void an_audit_log_has_kinds_as_values(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    const int32_t columns[] = {1, WEIR_KIND_COLUMN};
    const weir_paimon_source_options options = {.columns = columns, .column_count = 2, .audit_log = true};
    weir_stream_source *source = NULL;
    weir_buffer text = {0};
    weir_batch batch;
    create(&table, "bucket=1;changelog-producer=lookup");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, \"b\"]]", "+I");
    const weir_field fields[] = {table.table->schema->fields[1],
                                 {.name = "rowkind", .type = weir_type_simple(WEIR_VARCHAR, true)}};
    weir_batch_init(&batch, fields, 2);
    must(weir_paimon_source_open(table.table, &options, &source, &err), &err, "opening");
    for (int i = 0; i < 2; i++) {
        must(source->next(source, &batch, &err), &err, "reading");
        for (int64_t row = 0; row < batch.length; row++) {
            assert_int_equal(weir_batch_kind(&batch, row), WEIR_INSERT);
            weir_value_to_json(&batch.columns[1], row, &text);
            weir_value_to_json(&batch.columns[0], row, &text);
        }
        fixture_commit(&table, "[[1, \"b\"]]", "-D");
    }
    assert_string_equal(weir_buffer_text(&text), "\"+I\"\"b\"\"-D\"\"b\"");
    source->close(source);
    weir_batch_free(&batch);
    weir_buffer_free(&text);
    fixture_free(&table);
}

/* Replaces all rows. */
static void overwrite(fixture *table, const char *rows)
{
    weir_error err = {0};
    fixture other = *table;
    fixture_prepared prepared;
    weir_table_write_options options = {.overwrite = true};
    must(weir_table_write_open(table->table, &options, &other.write, &err), &err, "opening to overwrite");
    fixture_write(&other, rows, "+I");
    fixture_prepare(&other, &prepared);
    weir_committable committable = fixture_committable(&prepared);
    must(weir_table_commit_overwrite(table->commit, &committable, NULL, NULL, &err), &err, "overwriting");
    table->identifier = other.identifier;
    fixture_prepared_free(&prepared);
    weir_table_write_close(other.write);
    weir_table_write_reset(table->write);
}

static void overwrites_are_changes_where_they_are_asked_for(void **state)
{
    (void)state;
    static const struct {
        const char *key;
        const char *table;
        const char *stream;
        const char *changes;
    } cases[] = {
        {"k", "bucket=1", "", ""},
        {"k", "bucket=1", "streaming-read-overwrite=true", "-D[1,\"a\"] +I[2,\"x\"] +I[4,\"d\"]"},
        {"k", "bucket=1;changelog-producer=lookup", "streaming-read-overwrite=true",
         "-D[1,\"a\"] -U[2,\"b\"] +U[2,\"x\"] +I[4,\"d\"]"},
        {"", "bucket=-1", "", ""},
        {"", "bucket=-1", "streaming-read-append-overwrite=true", "+I[2,\"x\"] +I[3,\"c\"] +I[4,\"d\"]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        source_end end;
        char options[100];
        fixture_create(&table, "k BIGINT NOT NULL, v STRING", cases[i].key, "", cases[i].table);
        fixture_commit(&table, "[[1, \"a\"], [2, \"b\"], [3, \"c\"]]", "+I");
        snprintf(options, sizeof options, "scan.mode=latest;%s", cases[i].stream);
        source_end_open(table.fs, options, 0, &end);
        assert_string_equal(source_end_rows(&end), "");
        overwrite(&table, "[[2, \"x\"], [3, \"c\"], [4, \"d\"]]");
        assert_string_equal(source_end_rows(&end), cases[i].changes);
        fixture_commit(&table, "[[5, \"e\"]]", "+I");
        assert_string_equal(source_end_rows(&end), "+I[5,\"e\"]");
        source_end_close(&end);
        fixture_free(&table);
    }
}

static void an_append_table_that_would_give_deletes_is_refused(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_error err = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "", "", "bucket=-1");
    assert_int_equal(source_end_try_open(table.fs, "streaming-read-overwrite=true", 0, &end, &err), WEIR_UNSUPPORTED);
    source_end_close(&end);
    fixture_free(&table);
}

/* ---- positions ---- */

enum { STATE_ROWS = 40 };

/* Several buckets and files of several rows, then changes. */
static void fill(fixture *table)
{
    weir_buffer rows = {0};
    weir_buffer_append_byte(&rows, '[');
    for (int i = 0; i < STATE_ROWS; i++) {
        weir_buffer_append_format(&rows, "%s[%d, \"v%d\"]", i > 0 ? "," : "", i, i);
    }
    weir_buffer_append_byte(&rows, ']');
    fixture_commit(table, weir_buffer_text(&rows), "+I");
    fixture_commit(table, "[[1, \"x\"], [2, \"x\"], [50, \"x\"]]", "+I");
    weir_buffer_free(&rows);
}

static void change(fixture *table)
{
    fixture_commit(table, "[[3, \"y\"], [4, \"y\"], [5, \"y\"], [6, \"y\"]]", "+I");
    fixture_commit(table, "[[7, \"y\"], [8, \"y\"]]", "-D");
}

/* Runs until nothing comes, and restarts after every `lives` batches; batches of at most `batch_rows`. */
static const char *rows_with_restarts(fixture *table, const char *options, int64_t batch_rows, int lives)
{
    weir_buffer text = {0}, position = {0};
    weir_error err = {0};
    int code = WEIR_OK;
    while (code == WEIR_OK) {
        source_end end;
        source_end_open(table->fs, options, batch_rows, &end);
        if (position.size > 0) {
            must(source_end_restore(&end, &position, &err), &err, "restoring");
        }
        for (int i = 0; i < lives && code == WEIR_OK; i++) {
            code = source_end_next(&end, &text, &err);
        }
        source_end_position(&end, &position);
        source_end_close(&end);
    }
    assert_int_equal(code, WEIR_IDLE);
    const char *rows = weir_arena_strdup(&table->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    weir_buffer_free(&position);
    return rows;
}

static void a_stream_goes_on_from_any_place(void **state)
{
    (void)state;
    static const char *const tables[] = {
        "bucket=3;write-only=true",
        "bucket=3;changelog-producer=lookup",
        "bucket=3;changelog-producer=input;write-only=true",
    };
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        fixture table;
        create(&table, tables[t]);
        fill(&table);
        weir_error err = {0};
        int64_t latest = 0;
        must(weir_snapshot_latest_id(table.fs, FIXTURE_PATH, &latest, &err), &err, "latest");
        change(&table);
        char options[100];
        snprintf(options, sizeof options, "scan.mode=from-snapshot-full;scan.snapshot-id=%d", (int)latest);
        const char *expected = rows_with_restarts(&table, options, 0, 1000);
        for (int64_t batch_rows = 1; batch_rows <= 7; batch_rows += 2) {
            for (int lives = 1; lives <= 3; lives++) {
                assert_string_equal(rows_with_restarts(&table, options, batch_rows, lives), expected);
            }
        }
        fixture_free(&table);
    }
}

static void a_place_is_kept_when_it_is_asked_for_twice_without_rows_between(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer first = {0}, second = {0}, text = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fill(&table);
    source_end_open(table.fs, "", 3, &end);
    must(source_end_next(&end, &text, &err), &err, "reading");
    source_end_position(&end, &first);
    source_end_close(&end);
    source_end_open(table.fs, "", 3, &end);
    must(source_end_restore(&end, &first, &err), &err, "restoring");
    source_end_position(&end, &second);
    assert_true(weir_slice_equal(weir_buffer_slice(&first), weir_buffer_slice(&second)));
    source_end_close(&end);
    weir_buffer_free(&first);
    weir_buffer_free(&second);
    weir_buffer_free(&text);
    fixture_free(&table);
}

static void a_snapshot_that_is_cut_otherwise_than_before_is_refused(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0}, text = {0};
    weir_error err = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "", "", "bucket=-1;write-only=true");
    fill(&table);
    source_end_open(table.fs, "", 3, &end);
    must(source_end_next(&end, &text, &err), &err, "reading");
    source_end_position(&end, &position);
    source_end_close(&end);
    source_end_open(table.fs, "source.split.target-size=1b;source.split.open-file-cost=1b", 3, &end);
    assert_int_equal(source_end_restore(&end, &position, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "in other pieces"));
    source_end_close(&end);
    weir_buffer_free(&position);
    weir_buffer_free(&text);
    fixture_free(&table);
}

static void damaged_positions_are_refused(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0}, text = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fill(&table);
    source_end_open(table.fs, "", 3, &end);
    must(source_end_next(&end, &text, &err), &err, "reading");
    source_end_position(&end, &position);
    for (size_t size = 0; size < position.size; size++) {
        weir_slice part = weir_slice_of(position.data, size);
        assert_int_equal(end.source->restore(end.source, part, &err), WEIR_CORRUPT);
    }
    source_end_close(&end);
    weir_buffer_free(&position);
    weir_buffer_free(&text);
    fixture_free(&table);
}

/* ---- expiry and consumers ---- */

static void snapshots_that_expired_while_a_job_was_down_are_an_error_that_names_the_way_out(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    source_end_open(table.fs, "", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"]");
    source_end_position(&end, &position);
    source_end_close(&end);
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    fixture_commit(&table, "[[3, \"c\"]]", "+I");
    expire_all_but_last(&table);
    source_end_open(table.fs, "", 0, &end);
    must(source_end_restore(&end, &position, &err), &err, "restoring");
    const char *rows = source_end_rows(&end);
    assert_non_null(strstr(rows, "snapshot 2 has expired"));
    assert_non_null(strstr(rows, "consumer-id"));
    source_end_close(&end);
    weir_buffer_free(&position);
    fixture_free(&table);
}

static void a_state_that_expired_in_the_midst_of_reading_it_is_an_error_that_names_the_way_out(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0}, text = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fill(&table);
    source_end_open(table.fs, "", 3, &end);
    must(source_end_next(&end, &text, &err), &err, "reading");
    source_end_position(&end, &position);
    source_end_close(&end);
    fixture_commit(&table, "[[3, \"c\"]]", "+I");
    expire_all_but_last(&table);
    source_end_open(table.fs, "", 3, &end);
    assert_int_equal(source_end_restore(&end, &position, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "consumer-id"));
    source_end_close(&end);
    weir_buffer_free(&position);
    weir_buffer_free(&text);
    fixture_free(&table);
}

static void a_consumer_keeps_what_a_job_still_has_to_read(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    source_end_open(table.fs, "consumer-id=c", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"]");
    source_end_position(&end, &position);
    must(end.source->committed(end.source, weir_buffer_slice(&position), &err), &err, "telling");
    source_end_close(&end);
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    fixture_commit(&table, "[[3, \"c\"]]", "+I");
    expire_all_but_last(&table);
    source_end_open(table.fs, "consumer-id=c", 0, &end);
    must(source_end_restore(&end, &position, &err), &err, "restoring");
    assert_string_equal(source_end_rows(&end), "+I[2,\"b\"] +I[3,\"c\"]");
    source_end_close(&end);
    weir_buffer_free(&position);
    fixture_free(&table);
}

static void writers_of_the_same_process_keep_what_a_job_still_has_to_read(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_buffer position = {0};
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    source_end_open(table.fs, "", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"]");
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    fixture_commit(&table, "[[3, \"c\"]]", "+I");
    expire_all_but_last(&table);
    assert_string_equal(source_end_rows(&end), "+I[2,\"b\"] +I[3,\"c\"]");
    int64_t earliest = 0;
    must(weir_snapshot_earliest_id(table.fs, FIXTURE_PATH, &earliest, &err), &err, "earliest");
    assert_int_equal(earliest, 1);
    source_end_position(&end, &position);
    must(end.source->committed(end.source, weir_buffer_slice(&position), &err), &err, "telling");
    fixture_commit(&table, "[[4, \"d\"]]", "+I");
    expire_all_but_last(&table);
    must(weir_snapshot_earliest_id(table.fs, FIXTURE_PATH, &earliest, &err), &err, "earliest");
    assert_int_equal(earliest, 4);
    source_end_close(&end);
    weir_buffer_free(&position);
    fixture_free(&table);
}

static void a_new_job_starts_where_its_consumer_has_come_to(void **state)
{
    (void)state;
    fixture table;
    source_end end;
    weir_error err = {0};
    create(&table, "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    must(weir_consumer_write(table.fs, FIXTURE_PATH, "c", 2, &err), &err, "a consumer");
    source_end_open(table.fs, "consumer-id=c", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[2,\"b\"]");
    source_end_close(&end);
    source_end_open(table.fs, "consumer-id=c;consumer.ignore-progress=true", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"] +I[2,\"b\"]");
    source_end_close(&end);
    source_end_open(table.fs, "consumer-id=d", 0, &end);
    assert_string_equal(source_end_rows(&end), "+I[1,\"a\"] +I[2,\"b\"]");
    source_end_close(&end);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_mode_starts_where_it_should),
        cmocka_unit_test(a_table_without_snapshots_is_waited_for),
        cmocka_unit_test(the_compacted_state_can_be_the_start),
        cmocka_unit_test(what_a_table_gives_follows_from_its_key_and_producer),
        cmocka_unit_test(updates_come_as_the_producer_makes_them),
        cmocka_unit_test(a_stream_ends_with_the_first_snapshot_above_the_bounding_watermark),
        cmocka_unit_test(a_state_above_the_bounding_watermark_is_all_there_is),
        cmocka_unit_test(a_column_that_is_added_meanwhile_does_not_disturb_a_stream),
        cmocka_unit_test(an_audit_log_has_kinds_as_values),
        cmocka_unit_test(overwrites_are_changes_where_they_are_asked_for),
        cmocka_unit_test(an_append_table_that_would_give_deletes_is_refused),
        cmocka_unit_test(a_stream_goes_on_from_any_place),
        cmocka_unit_test(a_place_is_kept_when_it_is_asked_for_twice_without_rows_between),
        cmocka_unit_test(a_snapshot_that_is_cut_otherwise_than_before_is_refused),
        cmocka_unit_test(damaged_positions_are_refused),
        cmocka_unit_test(snapshots_that_expired_while_a_job_was_down_are_an_error_that_names_the_way_out),
        cmocka_unit_test(a_state_that_expired_in_the_midst_of_reading_it_is_an_error_that_names_the_way_out),
        cmocka_unit_test(a_consumer_keeps_what_a_job_still_has_to_read),
        cmocka_unit_test(writers_of_the_same_process_keep_what_a_job_still_has_to_read),
        cmocka_unit_test(a_new_job_starts_where_its_consumer_has_come_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
