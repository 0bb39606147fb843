/* Tables in folders: which files are read in which order, positions, partitions, and what a sink leaves behind. */
#include "connect/connect_fixture.h"

#define LONG_ROWS 3000

/* ---- reading ---- */

static void files_are_read_by_name_and_hidden_ones_are_not(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    write_file(folder, "b.json", "{\"a\":3}\n{\"a\":4}");
    write_file(folder, "a.json", "{\"a\":1}\n{\"a\":2}\n");
    write_file(folder, "deep/c.json", "{\"a\":5}");
    write_file(folder, "empty.json", "");
    write_file(folder, ".hidden.json", "no JSON");
    write_file(folder, "_SUCCESS", "no JSON");
    write_file(folder, "_temporary/x.json", "no JSON");
    files_start(&table, folder, "a INT", "format=json", "");
    check_table(&table, "+I[1]\n+I[2]\n+I[3]\n+I[4]\n+I[5]\n");
    weir_options_set(&table.options, &table.arena, "source.path.regex-pattern", ".*/[bc]\\.json");
    check_table(&table, "+I[3]\n+I[4]\n+I[5]\n");
    table_end(&table);
    char *file = weir_format("%s/b.json", folder);
    files_start(&table, file, "a INT", "format=json", "");
    check_table(&table, "+I[3]\n+I[4]\n");
    table_end(&table);
    free(file);
    folder_end(folder);
}

static void an_empty_folder_has_no_rows_and_a_missing_one_is_an_error(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    files_start(&table, folder, "a INT", "format=json", "");
    check_table(&table, "");
    table_end(&table);
    char *missing = weir_format("%s/nowhere", folder);
    files_start(&table, missing, "a INT", "format=json", "");
    check_source_fails(&table, WEIR_NOT_FOUND, "option 'path'");
    table_end(&table);
    free(missing);
    folder_end(folder);
}

static void partition_values_come_from_the_names_of_folders(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    write_file(folder, "dt=2024-02-29/city=K%C3%B6ln %2F x/f.csv", "1\n2\n");
    write_file(folder, "dt=2024-03-01/city=__DEFAULT_PARTITION__/f.csv", "3\n");
    files_start(&table, folder, "city STRING, a INT, dt DATE", "format=csv", "dt,city");
    check_table(&table, "+I[\"K\xc3\xb6ln / x\",1,\"2024-02-29\"]\n+I[\"K\xc3\xb6ln / x\",2,\"2024-02-29\"]\n"
                        "+I[null,3,\"2024-03-01\"]\n");
    write_file(folder, "dt=2024-03-02/f.csv", "4\n");
    check_source_fails(&table, WEIR_INVALID, "the file does not lie in a folder 'city=…'");
    table_end(&table);
    folder_end(folder);
    folder = folder_start();
    write_file(folder, "dt=yesterday/f.csv", "1\n");
    files_start(&table, folder, "a INT, dt DATE", "format=csv", "dt");
    check_source_fails(&table, WEIR_INVALID, "dt=yesterday/f.csv: partition key 'dt'");
    table_end(&table);
    folder_end(folder);
}

static void change_events_come_with_their_kinds(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    write_file(folder, "1.json",
               "{\"after\":{\"a\":1},\"op\":\"c\"}\n{\"before\":{\"a\":1},\"after\":{\"a\":2},\"op\":\"u\"}\n");
    write_file(folder, "2.json", "{\"before\":{\"a\":2},\"op\":\"d\"}\nnull\n");
    files_start(&table, folder, "a INT", "format=debezium-json", "");
    char *rows = read_table(&table, 0);
    assert_string_equal(rows, "+I[1]\n-U[1]\n+U[2]\n-D[2]\n");
    free(rows);
    table_end(&table);
    folder_end(folder);
}

static void an_error_names_the_file_and_the_line(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    weir_buffer text = {0};
    for (int i = 0; i < 200000; i++) {
        weir_buffer_append_text(&text, "{\"a\":1}\n");
    }
    weir_buffer_append_text(&text, "{\"a\":x}\n");
    write_file(folder, "1.json", "{\"a\":1}\n");
    write_file(folder, "2.json", weir_buffer_text(&text));
    files_start(&table, folder, "a INT", "format=json", "");
    check_source_fails(&table, WEIR_CORRUPT, "/2.json: line 200001, column 6: expected a value");
    weir_buffer_free(&text);
    table_end(&table);
    folder_end(folder);
}

static void compressed_text_is_refused_by_its_name(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    write_file(folder, "1.json.gz", "\x1f\x8b");
    files_start(&table, folder, "a INT", "format=json", "");
    check_source_fails(&table, WEIR_UNSUPPORTED, "/1.json.gz: compressed text is not read by this version");
    table_end(&table);
    folder_end(folder);
}

static void records_longer_than_a_block_are_read(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    weir_buffer text = {0};
    weir_buffer_append_text(&text, "{\"a\":1,\"s\":\"");
    for (int i = 0; i < 5000000; i++) {
        weir_buffer_append_byte(&text, 'x');
    }
    weir_buffer_append_text(&text, "\"}\n{\"a\":2}");
    write_file(folder, "f.json", weir_buffer_text(&text));
    files_start(&table, folder, "a INT", "format=json", "");
    check_table(&table, "+I[1]\n+I[2]\n");
    weir_buffer_free(&text);
    table_end(&table);
    folder_end(folder);
}

/* ---- positions ---- */

static void write_long_files(const char *folder, bool as_array)
{
    int value = 0;
    for (int file = 0; file < 3; file++) {
        char name[32];
        weir_buffer text = {0};
        weir_buffer_append_text(&text, as_array ? "[" : "");
        for (int i = 0; i < LONG_ROWS; i++) {
            weir_buffer_append_format(&text, "{\"a\":%d}%s\n", value++, as_array && i + 1 < LONG_ROWS ? "," : "");
        }
        weir_buffer_append_text(&text, as_array ? "]" : "");
        snprintf(name, sizeof name, "%d.json", file);
        write_file(folder, name, weir_buffer_text(&text));
        weir_buffer_free(&text);
    }
}

/* Reads `batches` batches with one source, then the rest with another one that was given its position. */
static char *read_with_a_stop(const test_table *table, int64_t batch_rows, int batches, bool add_file)
{
    weir_error err;
    weir_buffer rows = {0};
    weir_buffer position = {0};
    weir_source *source = open_source(table, batch_rows);
    for (int i = 0; i < batches && next_rows(source, table, &rows); i++) {
    }
    check_ok(source->position(source, &position, &err), &err);
    int64_t done_bytes = source->done_bytes;
    source->close(source);
    if (add_file) {
        write_file(table->folder, "0a.json", "{\"a\":-1}\n");
    }
    source = open_source(table, batch_rows);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    assert_int_equal(source->done_bytes, done_bytes);
    while (next_rows(source, table, &rows)) {
    }
    source->close(source);
    char *text = weir_strdup(weir_buffer_text(&rows));
    weir_buffer_free(&position);
    weir_buffer_free(&rows);
    return text;
}

static void a_source_goes_on_from_any_position(void **state)
{
    (void)state;
    for (int as_array = 0; as_array < 2; as_array++) {
        char *folder = folder_start();
        test_table table;
        write_long_files(folder, as_array == 1);
        files_start(&table, folder, "a INT", "format=json", "");
        char *expected = read_table(&table, 0);
        for (int batches = 0; batches < 13; batches++) {
            char *rows = read_with_a_stop(&table, 777, batches, false);
            assert_string_equal(rows, expected);
            free(rows);
        }
        free(expected);
        table_end(&table);
        folder_end(folder);
    }
}

static void a_position_holds_when_files_come_in_between(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    write_long_files(folder, false);
    files_start(&table, folder, "a INT", "format=json", "");
    char *rows = read_with_a_stop(&table, 1000, 5, true); /* in the second file when 0a.json appears before it */
    int lines = 0;
    for (const char *next = rows; (next = strchr(next, '\n')) != NULL; next++) {
        lines++;
    }
    assert_int_equal(lines, 3 * LONG_ROWS + 1);
    assert_non_null(strstr(rows, "+I[-1]\n"));
    free(rows);
    table_end(&table);
    folder_end(folder);
}

static void damaged_positions_are_errors(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    weir_error err;
    weir_buffer position = {0};
    weir_buffer rows = {0};
    write_long_files(folder, false);
    files_start(&table, folder, "a INT", "format=json", "");
    weir_source *source = open_source(&table, 5000);
    assert_true(next_rows(source, &table, &rows));
    check_ok(source->position(source, &position, &err), &err);
    for (size_t size = 0; size < position.size; size++) {
        assert_int_equal(source->restore(source, weir_slice_of(position.data, size), &err), WEIR_CORRUPT);
    }
    source->close(source);
    char *path = weir_format("%s/1.json", folder);
    check_ok(weir_fs_remove(weir_fs_local(), path, &err), &err);
    source = open_source(&table, 5000);
    assert_int_equal(source->restore(source, weir_buffer_slice(&position), &err), WEIR_NOT_FOUND);
    source->close(source);
    write_file(folder, "1.json", "{\"a\":1}");
    source = open_source(&table, 5000);
    assert_int_equal(source->restore(source, weir_buffer_slice(&position), &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "was it written anew?"));
    source->close(source);
    free(path);
    weir_buffer_free(&position);
    weir_buffer_free(&rows);
    table_end(&table);
    folder_end(folder);
}

/* ---- writing ---- */

static size_t count_files(const char *folder, bool hidden)
{
    weir_arena arena;
    weir_error err;
    weir_file_info *entries = NULL;
    size_t count = 0;
    size_t found = 0;
    weir_arena_init(&arena);
    check_ok(weir_fs_list(weir_fs_local(), folder, &arena, &entries, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        found += !entries[i].is_directory && (entries[i].name[0] == '.') == hidden;
    }
    weir_arena_free(&arena);
    return found;
}

static void commit(weir_sink *sink)
{
    weir_error err;
    check_ok(weir_sink_show(sink, &err), &err);
}

static void rows_are_seen_when_they_are_committed(void **state)
{
    (void)state;
    static const char *const formats[] = {"json", "csv", "parquet", "avro"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *folder = folder_start();
        test_table table;
        char *path = weir_format("%s/new/table", folder);
        files_start(&table, path, "a INT, s STRING, d DECIMAL(10, 2), t TIMESTAMP(6)", "", "");
        weir_options_set(&table.options, &table.arena, "format", formats[i]);
        if (strcmp(formats[i], "csv") == 0) {
            weir_options_set(&table.options, &table.arena, "csv.null-literal", "NULL");
        }
        weir_sink *sink = open_sink(&table, NULL, false);
        write_rows(sink, &table, "[[1, 'x', '1.50', '2024-02-29 12:34:56.000001'], [2, 'y', null, null]]", NULL);
        assert_int_equal(count_files(path, false), 0);
        commit(sink);
        assert_int_equal(count_files(path, false), 1);
        check_table(&table, "+I[1,\"x\",\"1.50\",\"2024-02-29 12:34:56.000001\"]\n+I[2,\"y\",null,null]\n");
        write_rows(sink, &table, "[[3, 'z', '0.00', null]]", NULL);
        commit(sink);
        commit(sink);
        write_rows(sink, &table, "[[4, 'dropped', null, null]]", NULL);
        sink->close(sink);
        assert_int_equal(count_files(path, false), 2);
        assert_int_equal(count_files(path, true), 0);
        free(path);
        table_end(&table);
        folder_end(folder);
    }
}

static void partitions_go_to_folders_and_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        char *folder = folder_start();
        test_table table;
        files_start(&table, folder, "city STRING, a INT, dt DATE",
                    i == 0 ? "format=json;sink.partition-commit.policy.kind=success-file" : "format=parquet",
                    "dt,city");
        weir_sink *sink = open_sink(&table, NULL, false);
        write_rows(
            sink, &table,
            "[['A/b', 1, '2024-02-29'], ['A/b', 2, '2024-02-29'], [null, 3, '2024-02-29'], ['', 4, '2024-02-29'], "
            "['A/b', 5, '2024-02-29'], ['A/b', 6, '2024-03-01']]",
            NULL);
        commit(sink);
        sink->close(sink);
        check_table(&table, "+I[\"A/b\",1,\"2024-02-29\"]\n+I[\"A/b\",2,\"2024-02-29\"]\n+I[\"A/b\",5,\"2024-02-29\"]\n"
                            "+I[null,3,\"2024-02-29\"]\n+I[null,4,\"2024-02-29\"]\n+I[\"A/b\",6,\"2024-03-01\"]\n");
        char *partition = weir_format("%s/dt=2024-02-29/city=A%%2Fb", folder);
        assert_int_equal(count_files(partition, false), i == 0 ? 2 : 1);
        free(partition);
        table_end(&table);
        folder_end(folder);
    }
}

static void overwriting_replaces_what_it_writes_to(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    files_start(&table, folder, "a INT, p INT", "format=csv", "p");
    weir_sink *sink = open_sink(&table, NULL, false);
    write_rows(sink, &table, "[[1, 1], [2, 2]]", NULL);
    commit(sink);
    sink->close(sink);
    sink = open_sink(&table, NULL, true);
    write_rows(sink, &table, "[[3, 2]]", NULL);
    check_table(&table, "+I[1,1]\n+I[2,2]\n");
    commit(sink);
    write_rows(sink, &table, "[[4, 2]]", NULL);
    commit(sink);
    sink->close(sink);
    char *rows = read_table(&table, 0);
    assert_non_null(strstr(rows, "+I[1,1]\n"));
    assert_non_null(strstr(rows, "+I[3,2]\n"));
    assert_non_null(strstr(rows, "+I[4,2]\n"));
    assert_null(strstr(rows, "+I[2,2]\n"));
    free(rows);
    table_end(&table);
    files_start(&table, folder, "a INT", "format=csv", "");
    sink = open_sink(&table, NULL, true);
    commit(sink);
    sink->close(sink);
    check_table(&table, "");
    table_end(&table);
    folder_end(folder);
}

static void a_file_ends_at_the_size_of_the_rolling_policy(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    files_start(&table, folder, "a INT", "format=json;sink.rolling-policy.file-size=20 b", "");
    weir_sink *sink = open_sink(&table, NULL, false);
    for (int i = 0; i < 4; i++) {
        write_rows(sink, &table, "[[1], [2], [3]]", NULL);
    }
    commit(sink);
    sink->close(sink);
    assert_int_equal(count_files(folder, false), 4);
    table_end(&table);
    folder_end(folder);
}

static void only_formats_of_change_events_take_changes(void **state)
{
    (void)state;
    static const int8_t kinds[] = {WEIR_INSERT, WEIR_UPDATE_BEFORE, WEIR_UPDATE_AFTER, WEIR_DELETE};
    char *folder = folder_start();
    test_table table;
    files_start(&table, folder, "a INT", "format=json", "");
    weir_sink *sink = open_sink(&table, NULL, false);
    assert_false(sink->takes_changes);
    sink->close(sink);
    weir_options_set(&table.options, &table.arena, "format", "canal-json");
    sink = open_sink(&table, NULL, false);
    assert_true(sink->takes_changes);
    write_rows(sink, &table, "[[1], [2], [3], [4]]", kinds);
    commit(sink);
    sink->close(sink);
    check_table(&table, "+I[1]\n-D[2]\n+I[3]\n-D[4]\n");
    table_end(&table);
    folder_end(folder);
}

static void parquet_files_may_lack_columns_and_have_other_types(void **state)
{
    (void)state;
    char *folder = folder_start();
    test_table table;
    files_start(&table, folder, "a INT, b DECIMAL(10, 2), x ROW<u INT>", "format=parquet", "");
    weir_sink *sink = open_sink(&table, NULL, false);
    write_rows(sink, &table, "[[1, '1.25', [7]], [null, null, null]]", NULL);
    commit(sink);
    sink->close(sink);
    table_end(&table);
    files_start(&table, folder, "c STRING, b DECIMAL(12, 3), a BIGINT, x ROW<u INT>", "format=parquet", "");
    check_table(&table, "+I[null,\"1.250\",1,[7]]\n+I[null,null,null,null]\n");
    table_end(&table);
    files_start(&table, folder, "a BYTES", "format=parquet", "");
    check_source_fails(&table, WEIR_INVALID, "column 'a' is INT in the file, which cannot be read as BYTES");
    table_end(&table);
    folder_end(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_by_name_and_hidden_ones_are_not),
        cmocka_unit_test(an_empty_folder_has_no_rows_and_a_missing_one_is_an_error),
        cmocka_unit_test(partition_values_come_from_the_names_of_folders),
        cmocka_unit_test(change_events_come_with_their_kinds),
        cmocka_unit_test(an_error_names_the_file_and_the_line),
        cmocka_unit_test(compressed_text_is_refused_by_its_name),
        cmocka_unit_test(records_longer_than_a_block_are_read),
        cmocka_unit_test(a_source_goes_on_from_any_position),
        cmocka_unit_test(a_position_holds_when_files_come_in_between),
        cmocka_unit_test(damaged_positions_are_errors),
        cmocka_unit_test(rows_are_seen_when_they_are_committed),
        cmocka_unit_test(partitions_go_to_folders_and_come_back),
        cmocka_unit_test(overwriting_replaces_what_it_writes_to),
        cmocka_unit_test(a_file_ends_at_the_size_of_the_rolling_policy),
        cmocka_unit_test(only_formats_of_change_events_take_changes),
        cmocka_unit_test(parquet_files_may_lack_columns_and_have_other_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
