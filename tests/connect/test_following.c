/* Following a folder: new files, growing ones, and going on from a position whatever has happened meanwhile. */
#include "cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "connect/connect_fixture.h"
#include "connect/known_files.h"

static void append_text(const char *folder, const char *name, const char *text)
{
    char *path = weir_format("%s/%s", folder, name);
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
    free(path);
}

static void set_age(const char *folder, const char *name, int64_t seconds)
{
    char *path = weir_format("%s/%s", folder, name);
    struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
    free(path);
}

static void remove_file(const char *folder, const char *name)
{
    char *path = weir_format("%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void write_anew(const char *folder, const char *name, const char *text)
{
    char *path = weir_format("%s/%s", folder, name);
    assert_int_equal(truncate(path, 0), 0);
    append_text(folder, name, text);
    free(path);
}

static void follow(test_table *table, const char *folder, const char *columns, const char *format, const char *keys)
{
    char *options = weir_format("source.monitor-interval=1 ms;format=%s", format);
    files_start(table, folder, columns, options, keys);
    free(options);
}

/* What comes until nothing has come for a while; blanks instead of ends of lines; to be freed. */
static char *rows_for_now(weir_source *source, const test_table *table)
{
    weir_buffer rows = {0};
    weir_batch batch;
    weir_error err = {0};
    weir_batch_init(&batch, table->columns.fields, table->columns.count);
    int64_t quiet_since = weir_monotonic_ns();
    while (weir_monotonic_ns() - quiet_since < 100 * 1000000) {
        int code = source->next(source, &batch, &err);
        if (code == WEIR_IDLE) {
            weir_sleep_ms(1);
            continue;
        }
        if (code != WEIR_OK) {
            weir_buffer_append_text(&rows, err.message);
            break;
        }
        append_rows_as_text(&batch, &rows);
        quiet_since = weir_monotonic_ns();
    }
    weir_batch_free(&batch);
    char *text = weir_strdup(weir_buffer_text(&rows));
    for (char *at = text; *at != '\0'; at++) {
        *at = *at == '\n' ? ' ' : *at;
    }
    weir_buffer_free(&rows);
    return text;
}

static void check_rows(weir_source *source, const test_table *table, const char *expected)
{
    char *rows = rows_for_now(source, table);
    assert_string_equal(rows, expected);
    free(rows);
}

static weir_source *reopen(weir_source *source, const test_table *table)
{
    weir_error err = {0};
    weir_buffer position = {0};
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    source = open_source(table, 0);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    weir_buffer_free(&position);
    return source;
}

/* ---- */

static void files_are_read_once_in_the_order_of_their_times(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "3\n");
    write_file(folder, "b", "1\n");
    write_file(folder, "c", "2\n");
    write_file(folder, ".hidden", "9\n");
    set_age(folder, "b", 200);
    set_age(folder, "c", 100);
    weir_source *source = open_source(&table, 0);
    assert_false(source->is_bounded);
    check_rows(source, &table, "+I[1] +I[2] +I[3] ");
    write_file(folder, "d", "4\n");
    check_rows(source, &table, "+I[4] ");
    write_file(folder, "0", "5\n6\n");
    set_age(folder, "0", 1000);
    check_rows(source, &table, "+I[5] +I[6] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void lines_that_are_added_to_a_file_are_read(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n");
    write_file(folder, "empty", "");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] ");
    append_text(folder, "a", "2\n3\n");
    append_text(folder, "empty", "4\n");
    check_rows(source, &table, "+I[2] +I[3] +I[4] ");
    source = reopen(source, &table);
    check_rows(source, &table, "");
    append_text(folder, "a", "5\n");
    check_rows(source, &table, "+I[5] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_line_waits_for_its_end(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n23");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] ");
    append_text(folder, "a", "4\n5\n");
    check_rows(source, &table, "+I[234] +I[5] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_last_line_without_an_end_is_taken_when_the_file_is_left_alone(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n2");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] ");
    weir_sleep_ms(1100);
    check_rows(source, &table, "+I[2] ");
    append_text(folder, "a", "\n3\n");
    check_rows(source, &table, "+I[3] ");
    append_text(folder, "a", "4");
    check_rows(source, &table, "");
    weir_sleep_ms(1100);
    check_rows(source, &table, "+I[4] ");
    append_text(folder, "a", "5\n");
    char *rows = rows_for_now(source, &table);
    assert_non_null(strstr(rows, "line 4 goes on"));
    free(rows);
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_file_that_was_left_alone_long_ago_is_read_to_its_end_at_once(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n2");
    set_age(folder, "a", 5);
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] +I[2] ");
    append_text(folder, "a", "\n3\n");
    check_rows(source, &table, "+I[3] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_source_goes_on_after_any_batch_with_what_has_come_meanwhile(void **state)
{
    (void)state;
    for (int64_t batch_rows = 1; batch_rows <= 3; batch_rows++) {
        test_table table;
        weir_buffer rows = {0}, position = {0};
        weir_error err = {0};
        char *folder = folder_start();
        follow(&table, folder, "a INT", "json", "");
        write_file(folder, "a", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n{\"a\":4}\n");
        write_file(folder, "b", "{\"a\":5}\n{\"a\":6}\n{\"a\":7}\n");
        set_age(folder, "a", 20);
        set_age(folder, "b", 10);
        for (int step = 0; step < 12; step++) {
            weir_batch batch;
            weir_source *source = open_source(&table, batch_rows);
            weir_batch_init(&batch, table.columns.fields, table.columns.count);
            if (position.size > 0) {
                check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
            }
            int code = source->next(source, &batch, &err);
            if (code == WEIR_OK) {
                append_rows_as_text(&batch, &rows);
            } else {
                assert_int_equal(code, WEIR_IDLE);
            }
            weir_buffer_clear(&position);
            check_ok(source->position(source, &position, &err), &err);
            weir_batch_free(&batch);
            source->close(source);
            if (step == 2) {
                write_file(folder, "c", "{\"a\":8}\n");
                append_text(folder, "a", "{\"a\":9}\n");
            }
        }
        int64_t sum = 0, count = 0;
        for (const char *at = weir_buffer_text(&rows); (at = strstr(at, "+I[")) != NULL; at += 3) {
            sum += atoi(at + 3);
            count++;
        }
        assert_int_equal(count, 9);
        assert_int_equal(sum, 45);
        weir_buffer_free(&rows);
        weir_buffer_free(&position);
        table_end(&table);
        folder_end(folder);
    }
}

static void check_error(weir_source *source, const test_table *table, const char *expected)
{
    char *rows = rows_for_now(source, table);
    if (strstr(rows, expected) == NULL) {
        fail_msg("expected '%s', got '%s'", expected, rows);
    }
    free(rows);
}

static void values_of_json_need_no_lines(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "json", "");
    write_file(folder, "a", "{\"a\":1}");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] ");
    append_text(folder, "a", "\n{\"a\":2} {\"a\":3} ");
    check_rows(source, &table, "+I[2] +I[3] ");
    append_text(folder, "a", "{\"a\":4}\n");
    check_rows(source, &table, "+I[4] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_file_that_becomes_shorter_is_an_error(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n22\n333\n");
    write_file(folder, "b", "1\n");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] +I[22] +I[333] +I[1] ");
    write_anew(folder, "a", "");
    check_error(source, &table, "/a: its first 9 bytes were read, and now that it has 0 they are others");
    source = reopen(source, &table);
    check_error(source, &table, "/a: its first 9 bytes were read");
    source = reopen(source, &table);
    remove_file(folder, "a");
    append_text(folder, "b", "2\n");
    check_rows(source, &table, "+I[2] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_file_that_is_written_anew_is_an_error_where_it_shows(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n22\n333\n");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] +I[22] +I[333] ");
    write_anew(folder, "a", "4444\n5555\n6666\n");
    check_error(source, &table, "/a: its first 9 bytes were read, and now that it has 15 they are others");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void a_file_that_is_gone_in_the_midst_of_reading_is_an_error(void **state)
{
    (void)state;
    test_table table;
    weir_buffer position = {0};
    weir_error err = {0};
    weir_batch batch;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n2\n3\n");
    weir_source *source = open_source(&table, 1);
    weir_batch_init(&batch, table.columns.fields, table.columns.count);
    check_ok(source->next(source, &batch, &err), &err);
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    remove_file(folder, "a");
    source = open_source(&table, 1);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    assert_int_equal(source->next(source, &batch, &err), WEIR_NOT_FOUND);
    source->close(source);
    weir_batch_free(&batch);
    weir_buffer_free(&position);
    table_end(&table);
    folder_end(folder);
}

static void files_that_are_removed_after_they_were_read_are_no_matter(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    follow(&table, folder, "a INT", "csv", "");
    write_file(folder, "a", "1\n");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[1] ");
    remove_file(folder, "a");
    check_rows(source, &table, "");
    source = reopen(source, &table);
    write_file(folder, "b", "2\n");
    check_rows(source, &table, "+I[2] ");
    source->close(source);
    table_end(&table);
    folder_end(folder);
}

static void new_folders_of_partitions_are_found(void **state)
{
    (void)state;
    test_table table;
    char *folder = folder_start();
    char *other = weir_format("%s/p=y", folder);
    follow(&table, folder, "a INT, p STRING", "csv", "p");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "");
    assert_int_equal(mkdir(other, 0700), 0);
    write_file(other, "a", "1\n");
    check_rows(source, &table, "+I[1,\"y\"] ");
    write_file(other, "b", "2\n");
    check_rows(source, &table, "+I[2,\"y\"] ");
    source->close(source);
    free(other);
    table_end(&table);
    folder_end(folder);
}

static void a_parquet_file_is_read_when_it_is_complete(void **state)
{
    (void)state;
    test_table table, written;
    weir_error err = {0};
    char *folder = folder_start(), *elsewhere = folder_start();
    files_start(&written, elsewhere, "a INT", "format=parquet", "");
    weir_sink *sink = open_sink(&written, NULL, false);
    write_rows(sink, &written, "[[1], [2]]", NULL);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
    weir_arena arena;
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    check_ok(weir_fs_list(weir_fs_local(), elsewhere, &arena, &entries, &count, &err), &err);
    assert_int_equal(count, 1);
    weir_buffer bytes = {0};
    check_ok(weir_fs_read_all(weir_fs_local(), weir_arena_format(&arena, "%s/%s", elsewhere, entries[0].name), &bytes,
                              &err),
             &err);
    follow(&table, folder, "a INT", "parquet", "");
    weir_source *source = open_source(&table, 0);
    FILE *file = fopen(weir_arena_format(&arena, "%s/a.parquet", folder), "w");
    assert_int_equal(fwrite(bytes.data, 1, bytes.size / 2, file), bytes.size / 2);
    fflush(file);
    check_rows(source, &table, "");
    source = reopen(source, &table);
    check_rows(source, &table, "");
    assert_int_equal(fwrite(bytes.data + bytes.size / 2, 1, bytes.size - bytes.size / 2, file),
                     bytes.size - bytes.size / 2);
    fclose(file);
    check_rows(source, &table, "+I[1] +I[2] ");
    source = reopen(source, &table);
    check_rows(source, &table, "");
    source->close(source);
    weir_buffer_free(&bytes);
    weir_arena_free(&arena);
    table_end(&table);
    table_end(&written);
    folder_end(folder);
    folder_end(elsewhere);
}

static void damaged_positions_and_those_of_bounded_reading_are_refused(void **state)
{
    (void)state;
    test_table table, bounded;
    weir_buffer position = {0};
    weir_error err = {0};
    char *folder = folder_start();
    write_file(folder, "a", "1\n");
    follow(&table, folder, "a INT", "csv", "");
    files_start(&bounded, folder, "a INT", "format=csv", "");
    weir_source *source = open_source(&bounded, 0);
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    source = open_source(&table, 0);
    assert_int_equal(source->restore(source, weir_buffer_slice(&position), &err), WEIR_CORRUPT);
    check_rows(source, &table, "+I[1] ");
    weir_buffer_clear(&position);
    check_ok(source->position(source, &position, &err), &err);
    for (size_t size = 0; size < position.size; size++) {
        weir_slice part = weir_slice_of(position.data, size);
        assert_int_equal(source->restore(source, part, &err), WEIR_CORRUPT);
    }
    source->close(source);
    weir_buffer_free(&position);
    table_end(&table);
    table_end(&bounded);
    folder_end(folder);
}

/* ---- */

static void a_position_stays_small_however_many_files_there_are(void **state)
{
    (void)state;
    enum { FILES = 300000, OLD_UNREAD = 5 };
    weir_known_files files = {0}, again = {0};
    weir_buffer position = {0};
    weir_error err = {0};
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "file-%d", i);
        weir_known_file *file = weir_known_files_add(&files, weir_known_file_hash(name));
        file->modified_ms = 1000 + i;
        file->is_through = i >= OLD_UNREAD;
        file->position.offset = file->is_through ? 10 : 0;
    }
    assert_int_equal(files.count, FILES);
    weir_known_files_encode(&files, &position);
    assert_true(position.size < 2 * WEIR_KNOWN_FILES_KEPT * 40 + FILES * sizeof(uint64_t));
    check_ok(weir_known_files_decode(weir_buffer_slice(&position), &again, &err), &err);
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "file-%d", i);
        const weir_known_file *file = weir_known_files_find(&again, weir_known_file_hash(name));
        assert_int_equal(file != NULL && file->is_through, i >= OLD_UNREAD);
    }
    weir_buffer position_again = {0};
    weir_known_files_encode(&again, &position_again);
    assert_int_equal(position_again.size, position.size);
    weir_known_files_free(&files);
    weir_known_files_free(&again);
    weir_buffer_free(&position);
    weir_buffer_free(&position_again);
}

/* More files than a position tells the times of; one with an old time comes while nobody looks. */
static void an_old_file_that_comes_late_is_read_however_many_there_are(void **state)
{
    (void)state;
    enum { FILES = 2 * WEIR_KNOWN_FILES_KEPT + 100 };
    test_table table;
    weir_error err = {0};
    weir_buffer position = {0};
    char *folder = folder_start();
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d", i);
        write_file(folder, name, i == 0 ? "0\n" : "");
        set_age(folder, name, 100000 - i);
    }
    follow(&table, folder, "a INT", "csv", "");
    weir_source *source = open_source(&table, 0);
    check_rows(source, &table, "+I[0] ");
    check_ok(source->position(source, &position, &err), &err);
    source->close(source);
    write_file(folder, "late", "1\n");
    set_age(folder, "late", 200000);
    source = open_source(&table, 0);
    check_ok(source->restore(source, weir_buffer_slice(&position), &err), &err);
    check_rows(source, &table, "+I[1] ");
    source->close(source);
    weir_buffer_free(&position);
    table_end(&table);
    folder_end(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_read_once_in_the_order_of_their_times),
        cmocka_unit_test(lines_that_are_added_to_a_file_are_read),
        cmocka_unit_test(a_line_waits_for_its_end),
        cmocka_unit_test(a_last_line_without_an_end_is_taken_when_the_file_is_left_alone),
        cmocka_unit_test(a_file_that_was_left_alone_long_ago_is_read_to_its_end_at_once),
        cmocka_unit_test(a_source_goes_on_after_any_batch_with_what_has_come_meanwhile),
        cmocka_unit_test(values_of_json_need_no_lines),
        cmocka_unit_test(a_file_that_becomes_shorter_is_an_error),
        cmocka_unit_test(a_file_that_is_written_anew_is_an_error_where_it_shows),
        cmocka_unit_test(a_file_that_is_gone_in_the_midst_of_reading_is_an_error),
        cmocka_unit_test(files_that_are_removed_after_they_were_read_are_no_matter),
        cmocka_unit_test(new_folders_of_partitions_are_found),
        cmocka_unit_test(a_parquet_file_is_read_when_it_is_complete),
        cmocka_unit_test(damaged_positions_and_those_of_bounded_reading_are_refused),
        cmocka_unit_test(an_old_file_that_comes_late_is_read_however_many_there_are),
        cmocka_unit_test(a_position_stays_small_however_many_files_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
