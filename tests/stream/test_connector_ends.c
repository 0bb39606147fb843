/* Connectors at the ends of a job: columns asked for, positions, files exactly once, printed rows at least once. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/clock.h"
#include "connect/connect_fixture.h"
#include "stream/sink/connector_sink.h"
#include "stream/source/connector_source.h"

/* ---- sources ---- */

static void a_source_gives_the_columns_asked_for_in_their_order(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    char *folder = folder_start();
    files_start(&table, folder, "a INT, b STRING, c INT", "format=csv", "");
    write_file(folder, "x", "1,one,10\n2,two,20\n");
    weir_source_options inner = source_options(&table, 0);
    const weir_field metadata[] = {{.id = 0, .name = "file.name", .type = weir_type_simple(WEIR_VARCHAR, false)}};
    inner.metadata = metadata;
    inner.metadata_count = 1;
    const int32_t columns[] = {3, 2, 0};
    const weir_field fields[] = {metadata[0], table.columns.fields[2], table.columns.fields[0]};
    weir_connector_source_options options = {.source = &inner, .columns = columns, .column_count = 3};
    weir_stream_source *source = NULL;
    check_ok(weir_connector_source_open(&options, &source, &err), &err);
    assert_true(source->is_bounded);
    weir_batch batch;
    weir_buffer text = {0}, position = {0};
    weir_batch_init(&batch, fields, 3);
    check_ok(source->next(source, &batch, &err), &err);
    append_rows_as_text(&batch, &text);
    assert_string_equal(weir_buffer_text(&text), "+I[\"x\",10,1]\n+I[\"x\",20,2]\n");
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    check_ok(weir_connector_source_open(&options, &source, &err), &err);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    assert_int_equal(source->next(source, &batch, &err), WEIR_END);
    source->close(source);
    weir_buffer_free(&text);
    weir_buffer_free(&position);
    weir_batch_free(&batch);
    table_end(&table);
    folder_end(folder);
}

static void kinds_of_change_events_come_along(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    char *folder = folder_start();
    files_start(&table, folder, "a INT, b STRING", "format=debezium-json", "");
    write_file(folder, "x",
               "{\"before\":null,\"after\":{\"a\":1,\"b\":\"x\"},\"op\":\"c\"}\n"
               "{\"before\":{\"a\":1,\"b\":\"x\"},\"after\":{\"a\":1,\"b\":\"y\"},\"op\":\"u\"}\n"
               "{\"before\":{\"a\":1,\"b\":\"y\"},\"after\":null,\"op\":\"d\"}\n");
    weir_source_options inner = source_options(&table, 0);
    const int32_t columns[] = {1};
    weir_connector_source_options options = {.source = &inner, .columns = columns, .column_count = 1};
    weir_stream_source *source = NULL;
    weir_batch batch;
    weir_buffer text = {0};
    check_ok(weir_connector_source_open(&options, &source, &err), &err);
    weir_batch_init(&batch, &table.columns.fields[1], 1);
    check_ok(source->next(source, &batch, &err), &err);
    append_rows_as_text(&batch, &text);
    assert_string_equal(weir_buffer_text(&text), "+I[\"x\"]\n-U[\"x\"]\n+U[\"y\"]\n-D[\"y\"]\n");
    source->close(source);
    weir_buffer_free(&text);
    weir_batch_free(&batch);
    table_end(&table);
    folder_end(folder);
}

static void an_update_without_the_row_before_it_is_an_error_where_it_would_be_counted_twice(void **state)
{
    (void)state;
    for (int whole = 0; whole <= 1; whole++) {
        test_table table;
        weir_error err = {0};
        const char *const keys[] = {"a"};
        char *folder = folder_start();
        files_start(&table, folder, "a INT, b STRING", "format=debezium-json", "");
        write_file(folder, "x", "{\"before\":null,\"after\":{\"a\":1,\"b\":\"y\"},\"op\":\"u\"}\n");
        weir_source_options options = source_options(&table, 0);
        options.primary_keys = keys;
        options.primary_key_count = 1;
        options.whole_changes = whole == 1;
        weir_source *source = NULL;
        weir_batch batch;
        weir_batch_init(&batch, table.columns.fields, table.columns.count);
        check_ok(weir_source_open(&options, &source, &err), &err);
        assert_int_equal(source->next(source, &batch, &err), whole == 1 ? WEIR_CORRUPT : WEIR_OK);
        assert_int_equal(strstr(err.message, "REPLICA IDENTITY") != NULL, whole == 1);
        source->close(source);
        weir_batch_free(&batch);
        table_end(&table);
        folder_end(folder);
    }
}

static void which_tables_never_end_is_known_from_their_options(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        bool never_ends;
    } cases[] = {
        {"connector=datagen", true},
        {"connector=datagen;number-of-rows=5", false},
        {"connector=datagen;fields.a.kind=sequence;fields.a.start=1;fields.a.end=2", false},
        {"connector=filesystem;path=/tmp;format=csv", false},
        {"connector=filesystem;path=/tmp;format=csv;source.monitor-interval=1 s", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_table table;
        table_start(&table, "a INT", cases[i].options, "");
        assert_int_equal(weir_source_never_ends(&table.options), cases[i].never_ends);
        table_end(&table);
    }
}

/* ---- sinks ---- */

static weir_stream_sink *open_stream_sink(const test_table *table, FILE *print_to, weir_connector_sink_options *options)
{
    weir_error err = {0};
    weir_stream_sink *sink = NULL;
    *options = (weir_connector_sink_options){.sink = {
                                                 .options = &table->options,
                                                 .fields = table->columns.fields,
                                                 .field_count = table->columns.count,
                                                 .partition_keys = table->partition_keys,
                                                 .partition_key_count = table->partition_key_count,
                                                 .print_to = print_to,
                                             }};
    check_ok(weir_connector_sink_open(options, &sink, &err), &err);
    return sink;
}

static void write_json(weir_stream_sink *sink, const test_table *table, const char *rows)
{
    weir_error err = {0};
    weir_batch batch;
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    json_t *json = parse_json(rows);
    for (size_t i = 0; i < json_array_size(json); i++) {
        for (int32_t c = 0; c < batch.column_count; c++) {
            append_json(&batch.columns[c], json_array_get(json_array_get(json, i), (size_t)c));
        }
        batch.length++;
    }
    json_decref(json);
    check_ok(sink->write(sink, &batch, &err), &err);
    weir_batch_free(&batch);
}

static void check_content(const test_table *table, const char *expected)
{
    char *rows = read_table(table, 0);
    assert_string_equal(rows, expected);
    free(rows);
}

static size_t count_files(const char *folder)
{
    weir_arena arena;
    weir_error err = {0};
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    check_ok(weir_fs_list(weir_fs_local(), folder, &arena, &entries, &count, &err), &err);
    weir_arena_free(&arena);
    return count;
}

static void files_appear_with_the_commit(void **state)
{
    (void)state;
    static const char *const formats[] = {"csv", "json", "parquet", "avro"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        test_table table;
        weir_error err = {0};
        weir_connector_sink_options options;
        weir_buffer prepared = {0};
        char *folder = folder_start();
        char *format = weir_format("format=%s", formats[i]);
        files_start(&table, folder, "a INT", format, "");
        weir_stream_sink *sink = open_stream_sink(&table, NULL, &options);
        assert_int_equal(sink->takes, WEIR_SINK_INSERTS);
        write_json(sink, &table, "[[1], [2]]");
        check_ok(sink->prepare(sink, 1, false, &prepared, &err), &err);
        check_content(&table, "");
        check_ok(sink->commit(sink, 1, weir_buffer_slice(&prepared), &err), &err);
        check_content(&table, "+I[1]\n+I[2]\n");
        write_json(sink, &table, "[[3]]");
        sink->close(sink);
        assert_int_equal(count_files(folder), 1);
        weir_buffer_free(&prepared);
        free(format);
        table_end(&table);
        folder_end(folder);
    }
}

/* Makes the file that a run which died would have left beside one that it prepared or committed. */
static char *left_over_of(const char *folder)
{
    weir_arena arena;
    weir_error err = {0};
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    const char *partition = weir_arena_format(&arena, "%s/p=x", folder);
    check_ok(weir_fs_list(weir_fs_local(), partition, &arena, &entries, &count, &err), &err);
    const char *part = strstr(entries[count - 1].name, "part-"); /* behind _SUCCESS */
    assert_non_null(part);
    const int uuid_end = (int)strlen("part-") + WEIR_UUID_SIZE - 1;
    char *name = weir_format(".%.*s-99.inprogress", uuid_end, part);
    write_file(partition, name, "7\n");
    char *path = weir_format("%s/%s", partition, name);
    free(name);
    weir_arena_free(&arena);
    return path;
}

/* Dies after preparing, having shown none or all of the files. */
static void recovery_shows_what_was_prepared_once(void **state)
{
    (void)state;
    for (int commits = 0; commits <= 1; commits++) {
        test_table table;
        weir_error err = {0};
        weir_connector_sink_options options;
        weir_buffer prepared = {0};
        char *folder = folder_start();
        files_start(&table, folder, "a INT, p STRING",
                    "format=csv;sink.partition-commit.policy.kind=success-file", "p");
        weir_stream_sink *sink = open_stream_sink(&table, NULL, &options);
        write_json(sink, &table, "[[1, \"x\"], [2, \"y\"], [3, \"x\"]]");
        check_ok(sink->prepare(sink, 1, false, &prepared, &err), &err);
        if (commits == 1) {
            check_ok(sink->commit(sink, 1, weir_buffer_slice(&prepared), &err), &err);
        }
        char *left_over = left_over_of(folder);
        sink->close(sink);
        for (int i = 0; i < 2; i++) {
            sink = open_stream_sink(&table, NULL, &options);
            check_ok(sink->recover(sink, 1, weir_buffer_slice(&prepared), &err), &err);
            sink->close(sink);
            check_content(&table, "+I[1,\"x\"]\n+I[3,\"x\"]\n+I[2,\"y\"]\n");
        }
        bool marked = false, remains = true;
        check_ok(weir_fs_exists(weir_fs_local(), left_over, &remains, &err), &err);
        assert_false(remains);
        free(left_over);
        char *marker = weir_format("%s/p=x/_SUCCESS", folder);
        check_ok(weir_fs_exists(weir_fs_local(), marker, &marked, &err), &err);
        assert_true(marked);
        free(marker);
        weir_buffer_free(&prepared);
        table_end(&table);
        folder_end(folder);
    }
}

static void marks_that_would_come_too_early_are_refused(void **state)
{
    (void)state;
    static const char *const options[] = {"sink.partition-commit.trigger=partition-time",
                                          "sink.partition-commit.delay=1 h"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        test_table table;
        weir_error err = {0};
        weir_stream_sink *sink = NULL;
        char *folder = folder_start();
        char *all = weir_format("format=csv;sink.partition-commit.policy.kind=success-file;%s", options[i]);
        files_start(&table, folder, "a INT, p STRING", all, "p");
        weir_connector_sink_options open = {.sink = {.options = &table.options,
                                                     .fields = table.columns.fields,
                                                     .field_count = table.columns.count,
                                                     .partition_keys = table.partition_keys,
                                                     .partition_key_count = table.partition_key_count}};
        assert_int_equal(weir_connector_sink_open(&open, &sink, &err), WEIR_UNSUPPORTED);
        free(all);
        table_end(&table);
        folder_end(folder);
    }
}

static void damaged_bytes_show_nothing_that_was_not_prepared(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_connector_sink_options options;
    weir_buffer prepared = {0};
    char *folder = folder_start();
    files_start(&table, folder, "a INT", "format=csv", "");
    weir_stream_sink *sink = open_stream_sink(&table, NULL, &options);
    write_json(sink, &table, "[[1]]");
    check_ok(sink->prepare(sink, 1, false, &prepared, &err), &err);
    for (size_t size = 1; size < prepared.size; size++) {
        weir_slice part = weir_slice_of(prepared.data, size);
        assert_int_equal(sink->recover(sink, 1, part, &err), WEIR_CORRUPT);
    }
    sink->close(sink);
    weir_buffer_free(&prepared);
    table_end(&table);
    folder_end(folder);
}

static void printed_rows_wait_for_the_commit_and_come_again_after_a_crash(void **state)
{
    (void)state;
    test_table table;
    weir_error err = {0};
    weir_connector_sink_options options;
    weir_buffer prepared = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    table_start(&table, "a INT", "connector=print;print-identifier=p", "");
    weir_stream_sink *sink = open_stream_sink(&table, out, &options);
    assert_int_equal(sink->takes, WEIR_SINK_ALL);
    write_json(sink, &table, "[[1], [2]]");
    fflush(out);
    assert_int_equal(size, 0);
    check_ok(sink->prepare(sink, 1, false, &prepared, &err), &err);
    check_ok(sink->commit(sink, 1, weir_buffer_slice(&prepared), &err), &err);
    assert_string_equal(text, "p> +I[1]\np> +I[2]\n");
    check_ok(sink->recover(sink, 1, weir_buffer_slice(&prepared), &err), &err);
    assert_string_equal(text, "p> +I[1]\np> +I[2]\np> +I[1]\np> +I[2]\n");
    assert_false(sink->is_full(sink));
    for (int i = 0; i < 300000 && !sink->is_full(sink); i++) {
        write_json(sink, &table, "[[1], [2], [3], [4], [5], [6], [7], [8], [9]]");
    }
    assert_true(sink->is_full(sink));
    sink->close(sink);
    fclose(out);
    free(text);
    weir_buffer_free(&prepared);
    table_end(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_source_gives_the_columns_asked_for_in_their_order),
        cmocka_unit_test(kinds_of_change_events_come_along),
        cmocka_unit_test(an_update_without_the_row_before_it_is_an_error_where_it_would_be_counted_twice),
        cmocka_unit_test(which_tables_never_end_is_known_from_their_options),
        cmocka_unit_test(files_appear_with_the_commit),
        cmocka_unit_test(recovery_shows_what_was_prepared_once),
        cmocka_unit_test(marks_that_would_come_too_early_are_refused),
        cmocka_unit_test(damaged_bytes_show_nothing_that_was_not_prepared),
        cmocka_unit_test(printed_rows_wait_for_the_commit_and_come_again_after_a_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
