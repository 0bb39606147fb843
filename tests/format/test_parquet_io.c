/* How much of a large Parquet file is read, and in how many calls. */
#include "parquet_files.h"
#include "parquet_fixture.h"

/* A file far larger than the tail that opening reads: random numbers in pages of 2 000 rows. */
#define LARGE_ROWS      40000
#define LARGE_PAGE_ROWS 2000

static void write_large(test_file *file, test_rows *rows, const char *compression)
{
    weir_error err;
    random_state random = random_start();
    weir_format_write_options options = {
        .compression = compression, .page_rows = LARGE_PAGE_ROWS, .no_dictionary = true};
    rows_start(rows, "BIGINT NOT NULL, BIGINT, STRING");
    for (int i = 0; i < LARGE_ROWS; i++) {
        uint64_t number = random_next(&random);
        char text[24];
        snprintf(text, sizeof text, "%016" PRIx64, number);
        check_ok(weir_vector_append_raw(&rows->batch.columns[0], &number, sizeof number, &err), &err);
        if (number % 10 == 0) {
            check_ok(weir_vector_append_nulls(&rows->batch.columns[1], 1, &err), &err);
        } else {
            check_ok(weir_vector_append_raw(&rows->batch.columns[1], &number, sizeof number, &err), &err);
        }
        check_ok(weir_vector_append_raw(&rows->batch.columns[2], text, strlen(text), &err), &err);
    }
    rows->batch.length = LARGE_ROWS;
    file_start(file, rows, &options);
    file_append_all(file);
    file_finish(file);
}

static weir_format_reader *open_large(test_file *file, counting_file *counter)
{
    weir_error err;
    weir_file *input = NULL;
    weir_format_reader *reader = NULL;
    check_ok(weir_fs_open_file(file->fs, "/f.parquet", &input, &err), &err);
    check_ok(weir_format_open_reader("parquet", count_reads(counter, input), file->rows->fields,
                                     file->rows->column_count, NULL, NULL, &reader, &err),
             &err);
    counter->bytes_read = counter->calls = 0;
    return reader;
}

static void check_column(weir_format_reader *reader, test_rows *rows, int32_t column, int64_t first, int64_t count)
{
    weir_error err;
    weir_vector found;
    weir_vector_init(&found, rows->fields[column].type);
    check_ok(reader->ops->read(reader, column, first, count, &found, &err), &err);
    assert_int_equal(found.length, count);
    for (int64_t row = 0; row < count; row++) {
        assert_true(weir_vector_values_equal(&rows->batch.columns[column], first + row, &found, row));
    }
    weir_vector_free(&found);
}

static void a_prefetch_reads_all_columns_in_one_go(void **state)
{
    (void)state;
    static const char *const compressions[] = {"zstd", "none"};
    for (size_t i = 0; i < 2; i++) {
        weir_error err;
        test_rows rows;
        test_file file;
        counting_file counter;
        write_large(&file, &rows, compressions[i]);
        weir_format_reader *reader = open_large(&file, &counter);
        for (int64_t first = 500; first < LARGE_ROWS - 5000; first += 5000) {
            check_ok(reader->ops->prefetch(reader, first, 5000, &err), &err);
            uint64_t calls = counter.calls;
            for (int64_t row = first; row < first + 5000; row += 1000) {
                for (int32_t column = 0; column < 3; column++) {
                    check_column(reader, &rows, column, row, 1000);
                }
            }
            assert_int_equal(counter.calls, calls);
        }
        assert_true(counter.calls <= LARGE_ROWS / 5000);
        reader->ops->close(reader);
        file_free(&file);
        rows_free(&rows);
    }
}

static void gathering_reads_only_pages_with_a_wanted_row(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    test_file file;
    counting_file counter;
    write_large(&file, &rows, "zstd");
    weir_format_reader *reader = open_large(&file, &counter);
    const uint32_t wanted[] = {4100, 4150, 5000, 21000};
    for (int32_t column = 0; column < 3; column++) {
        weir_vector found;
        weir_vector_init(&found, rows.fields[column].type);
        check_ok(reader->ops->gather(reader, column, 10, wanted, 4, &found, &err), &err);
        for (int64_t row = 0; row < 4; row++) {
            assert_true(weir_vector_values_equal(&rows.batch.columns[column], wanted[row] + 10, &found, row));
        }
        weir_vector_free(&found);
    }
    /* Two of twenty pages, and what little the page indexes take. */
    assert_true(counter.bytes_read < counter.base.size / 9);
    reader->ops->close(reader);
    file_free(&file);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefetch_reads_all_columns_in_one_go),
        cmocka_unit_test(gathering_reads_only_pages_with_a_wanted_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
