/* Parquet files by others, read in every order; requested types; what is read from the file, and when. */
#include "parquet_files.h"

/* Files of one set of rows share the rows' file: the name up to the first '-'. */
static const struct {
    const char *parquet;
    const char *rows;
} fixtures[] = {
    {"flat-dictionary-v1-snappy", "flat"},
    {"flat-dictionary-overflow-v2-lz4", "flat"},
    {"flat-plain-v2-zstd-index", "flat"},
    {"flat-delta-v1-none", "flat"},
    {"flat-delta-v2-gzip", "flat"},
    {"flat-split-v1-brotli", "flat"},
    {"flat-split-v2-none-groups", "flat"},
    {"sparse-dictionary-v1-none", "sparse"},
    {"sparse-delta-v2-none", "sparse"},
    {"nested-dictionary-v1-none", "nested"},
    {"nested-plain-v2-zstd", "nested"},
    {"nested-plain-v1-snappy-index", "nested"},
    {"old-lists", "old-lists"},
    {"old-levels", "old-levels"},
    {"rows-across-pages", "rows-across-pages"},
    {"lz4-both", "lz4-both"},
    {"old-dictionary", "old-dictionary"},
};
#define FIXTURE_COUNT (sizeof fixtures / sizeof *fixtures)

static void open_fixture(size_t i, open_file *file, test_lines *wanted)
{
    char name[128];
    snprintf(name, sizeof name, "%s.parquet", fixtures[i].parquet);
    open_path(file, fixture_path(name));
    snprintf(name, sizeof name, "%s.jsonl", fixtures[i].rows);
    read_lines(wanted, fixture_path(name));
    assert_int_equal(file->reader->row_count, wanted->count);
}

static void check_batch(const open_file *file, const test_lines *wanted, int64_t first, size_t fixture)
{
    for (int64_t row = 0; row < file->batch.length; row++) {
        check_line(&file->batch, row, wanted, first + row, fixtures[fixture].parquet);
    }
}

/* --- order ------------------------------------------------------------------------------------------------------- */

static void rows_come_back_whatever_the_size_of_the_batches(void **state)
{
    (void)state;
    static const int64_t sizes[] = {1, 3, 7, 20, 1000};
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        open_file file;
        test_lines wanted;
        open_fixture(i, &file, &wanted);
        for (size_t size = 0; size < sizeof sizes / sizeof *sizes; size++) {
            for (int64_t first = 0; first < wanted.count; first += sizes[size]) {
                int64_t left = wanted.count - first;
                read_rows_of(&file, first, left < sizes[size] ? left : sizes[size]);
                check_batch(&file, &wanted, first, i);
            }
        }
        free_lines(&wanted);
        close_parquet(&file);
    }
}

static void ranges_may_be_read_in_any_order(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        open_file file;
        test_lines wanted;
        open_fixture(i, &file, &wanted);
        for (int round = 0; round < 60; round++) {
            int64_t first = (int64_t)random_below(&random, (uint64_t)wanted.count);
            int64_t count = (int64_t)random_below(&random, (uint64_t)(wanted.count - first)) + 1;
            read_rows_of(&file, first, count);
            check_batch(&file, &wanted, first, i);
        }
        free_lines(&wanted);
        close_parquet(&file);
    }
}

static void gathered_rows_are_those_asked_for(void **state)
{
    (void)state;
    random_state random = random_start();
    uint32_t rows[64];
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        open_file file;
        test_lines wanted;
        open_fixture(i, &file, &wanted);
        for (int round = 0; round < 60; round++) {
            int64_t base = (int64_t)random_below(&random, (uint64_t)wanted.count);
            uint64_t density = 1 + random_below(&random, 12);
            int64_t count = 0;
            for (int64_t row = 0; row < wanted.count - base; row++) {
                if (random_below(&random, density) == 0) {
                    rows[count++] = (uint32_t)row;
                }
            }
            gather_rows_of(&file, base, rows, count);
            for (int64_t row = 0; row < count; row++) {
                check_line(&file.batch, row, &wanted, base + rows[row], fixtures[i].parquet);
            }
        }
        free_lines(&wanted);
        close_parquet(&file);
    }
}

static void reading_appends_to_what_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        weir_error err = {0};
        open_file file;
        test_lines wanted;
        open_fixture(i, &file, &wanted);
        uint32_t last = (uint32_t)wanted.count - 1;
        for (int32_t column = 0; column < file.field_count; column++) {
            weir_vector *out = column_of(&file, column);
            check_ok(weir_vector_append_nulls(out, 1, &err), &err);
            check_ok(file.reader->ops->read(file.reader, column, 0, wanted.count, out, &err), &err);
            check_ok(file.reader->ops->gather(file.reader, column, 0, &last, 1, out, &err), &err);
            assert_true(weir_vector_is_null(out, 0));
        }
        file.batch.length = wanted.count + 2;
        for (int64_t row = 0; row < wanted.count; row++) {
            check_line(&file.batch, row + 1, &wanted, row, fixtures[i].parquet);
        }
        check_line(&file.batch, wanted.count + 1, &wanted, last, fixtures[i].parquet);
        free_lines(&wanted);
        close_parquet(&file);
    }
}

static void rows_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    open_file file;
    weir_error err = {0};
    open_path(&file, fixture_path("flat-delta-v1-none.parquet"));
    const weir_format_reader_ops *ops = file.reader->ops;
    uint32_t beyond = 48;
    assert_int_equal(ops->read(file.reader, 0, 40, 9, column_of(&file, 0), &err), WEIR_INVALID);
    assert_int_equal(ops->read(file.reader, 0, -1, 1, column_of(&file, 0), &err), WEIR_INVALID);
    assert_int_equal(ops->read(file.reader, 99, 0, 1, column_of(&file, 0), &err), WEIR_INVALID);
    assert_int_equal(ops->gather(file.reader, 0, 0, &beyond, 1, column_of(&file, 0), &err), WEIR_INVALID);
    close_parquet(&file);
}

/* --- requested types --------------------------------------------------------------------------------------------- */

typedef struct requested {
    const char *file;
    const char *column;
    const char *type;
    int64_t row;
    const char *json; /* NULL: cannot be read so */
} requested;

static const requested requests[] = {
    {"flat-delta-v2-gzip", "i8", "BIGINT", 1, "127"},
    {"flat-delta-v2-gzip", "i64", "INT", 0, NULL},
    {"flat-delta-v2-gzip", "u32", "BIGINT", 5, "4294967295"},
    {"flat-delta-v2-gzip", "u32", "INT", 5, NULL},
    {"flat-delta-v2-gzip", "u64", "DECIMAL(20, 0)", 4, "\"18446744073709551615\""},
    {"flat-delta-v2-gzip", "u64", "BIGINT", 4, NULL},
    {"flat-delta-v2-gzip", "f32", "DOUBLE", 3, "21.875"},
    {"flat-delta-v2-gzip", "f64", "FLOAT", 3, NULL},
    {"flat-delta-v2-gzip", "s", "BYTES", 0, "\"677265656e\""},
    {"flat-delta-v2-gzip", "s", "INT", 0, NULL},
    {"flat-delta-v2-gzip", "d18", "DECIMAL(30, 4)", 5, "\"0.0088\""},
    {"flat-delta-v2-gzip", "d18", "DECIMAL(18, 3)", 0, NULL},
    {"flat-delta-v2-gzip", "t3", "TIMESTAMP(6)", 0, "\"2406-12-23 21:58:42.137000\""},
    {"flat-delta-v2-gzip", "t3", "TIMESTAMP(9)", 0, "\"2406-12-23 21:58:42.137000000\""},
    {"flat-delta-v2-gzip", "t6", "TIMESTAMP(3)", 1, "\"1742-06-26 22:22:09.144\""},
    {"flat-delta-v2-gzip", "t6", "TIMESTAMP(9)", 1, "\"1742-06-26 22:22:09.144571000\""},
    {"flat-delta-v2-gzip", "t9", "TIMESTAMP(3)", 1, "\"1690-11-19 14:12:38.260\""},
    {"flat-delta-v2-gzip", "t9", "TIMESTAMP(6)", 1, "\"1690-11-19 14:12:38.260683\""},
    {"flat-delta-v2-gzip", "tu", "TIME(3)", 1, "\"08:43:33.994\""},
    {"old-dictionary", "time", "TIMESTAMP(9)", 1, "\"1969-12-31 23:59:59.999999999\""},
    {"old-dictionary", "time", "TIMESTAMP(6)", 1, "\"1969-12-31 23:59:59.999999\""},
    {"old-dictionary", "time", "TIMESTAMP(3)", 1, "\"1969-12-31 23:59:59.999\""},
    {"old-dictionary", "time", "TIMESTAMP_LTZ(3)", 4, "\"1970-01-02 12:00:00.000Z\""},
    {"old-dictionary", "time", "BIGINT", 0, NULL},
    {"old-dictionary", "colour", "BYTES", 0, "\"677265656e\""},
    {"old-lists", "two", "ARRAY<BIGINT>", 0, "[1,2]"},
    {"old-lists", "two", "INT", 0, NULL},
    {"old-lists", "two", "ROW<array ARRAY<INT>>", 0, "[[1,2]]"},
    {"old-lists", "tuple", "ARRAY<ROW<y STRING>>", 0, "[[\"a\"],[null]]"},
    {"old-lists", "tuple", "ARRAY<ROW<z STRING>>", 0, NULL},
    {"old-lists", "map", "MULTISET<STRING>", 3, "[[\"m\",3]]"},
    {"old-lists", "bare", "INT", 0, NULL},
};

/* Reads one column as the type; the code of opening when that fails. */
static int read_as(const requested *request, const char *type_text, weir_buffer *out, weir_error *err)
{
    char name[128];
    weir_arena arena;
    weir_file *input = NULL;
    weir_format_reader *reader;
    weir_vector values;
    weir_arena_init(&arena);
    weir_field field = {.name = request->column, .type = parse_type(&arena, type_text)};
    snprintf(name, sizeof name, "%s.parquet", request->file);
    check_ok(weir_fs_open_file(weir_fs_local(), fixture_path(name), &input, err), err);
    int code = weir_parquet_open_reader(input, &field, 1, NULL, NULL, &reader, err);
    if (code != WEIR_OK) {
        weir_file_close(input);
        weir_arena_free(&arena);
        return code;
    }
    weir_vector_init(&values, field.type);
    check_ok(reader->ops->read(reader, 0, 0, reader->row_count, &values, err), err);
    weir_value_to_json(&values, request->row, out);
    weir_vector_free(&values);
    reader->ops->close(reader);
    weir_arena_free(&arena);
    return WEIR_OK;
}

static void columns_are_read_as_the_requested_type_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        weir_error err = {0};
        weir_buffer json = {0};
        int code = read_as(&requests[i], requests[i].type, &json, &err);
        if (requests[i].json == NULL) {
            if (code != WEIR_UNSUPPORTED && code != WEIR_CORRUPT) {
                fail_msg("%s as %s: %s", requests[i].column, requests[i].type, weir_buffer_text(&json));
            }
            assert_non_null(strstr(err.message, requests[i].column));
        } else {
            check_ok(code, &err);
            assert_string_equal(weir_buffer_text(&json), requests[i].json);
        }
        weir_buffer_free(&json);
    }
}

static void a_missing_column_is_named(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer json = {0};
    requested request = {.file = "old-levels", .column = "nowhere"};
    assert_int_equal(read_as(&request, "INT", &json, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "nowhere"));
    assert_non_null(strstr(err.message, "old-levels.parquet"));
}

/* --- files by others -----------------------------------------------------------------------------------------------
 */

static int compare_slices(const void *a, const void *b)
{
    return weir_slice_compare(*(const weir_slice *)a, *(const weir_slice *)b);
}

/* The case's rows have blanks, and text for the floats that JSON lacks. */
static void normalize(weir_buffer *text)
{
    size_t to = 0;
    for (size_t i = 0; i < text->size; i++) {
        if (text->data[i] != ' ') {
            text->data[to++] = text->data[i];
        }
    }
    text->size = to;
    for (char *at; (at = strstr(weir_buffer_text(text), "\"-0.0\"")) != NULL;) {
        size_t offset = (size_t)(at - (char *)text->data);
        memmove(at, at + 1, 4);
        memmove(at + 4, at + 6, text->size - offset - 6);
        text->size -= 2;
    }
}

static void pages_by_other_writers_are_read_exactly(void **state)
{
    (void)state;
    static const char *const parts[] = {"part-a", "part-b", "part-c", "part-empty"};
    char path[4096];
    test_lines wanted = {0};
    test_lines found = {0};
    if (!golden_available()) {
        return;
    }
    snprintf(path, sizeof path, "%s/../cases/18-parquet-pages-by-others/expected.jsonl", golden_root());
    if (!golden_read(path, &wanted.text)) {
        printf("skipped: no %s\n", path);
        return;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        open_file file;
        snprintf(path, sizeof path, "%s/../cases/18-parquet-pages-by-others/%s.parquet", golden_root(), parts[i]);
        open_path(&file, path);
        read_rows_of(&file, 0, file.reader->row_count);
        for (int64_t row = 0; row < file.batch.length; row++) {
            append_line(&file.batch, row, &found.text);
        }
        close_parquet(&file);
    }
    normalize(&wanted.text);
    split_lines(&wanted);
    split_lines(&found);
    assert_int_equal(found.count, wanted.count);
    qsort(found.lines, (size_t)found.count, sizeof *found.lines, compare_slices);
    qsort(wanted.lines, (size_t)wanted.count, sizeof *wanted.lines, compare_slices);
    for (int64_t i = 0; i < found.count; i++) {
        if (!weir_slice_equal(found.lines[i], wanted.lines[i])) {
            fail_msg("found  %.*sshould %.*s", (int)found.lines[i].size, (const char *)found.lines[i].data,
                     (int)wanted.lines[i].size, (const char *)wanted.lines[i].data);
        }
    }
    free_lines(&found);
    free_lines(&wanted);
}

static void read_whole_file(const char *path, void *context)
{
    int *count = context;
    size_t size = strlen(path);
    if (size < 8 || strcmp(path + size - 8, ".parquet") != 0) {
        return;
    }
    open_file file;
    open_path(&file, path);
    read_rows_of(&file, 0, file.reader->row_count);
    close_parquet(&file);
    ++*count;
}

static void every_file_of_java_can_be_read(void **state)
{
    (void)state;
    int count = 0;
    if (golden_available()) {
        golden_walk(golden_root(), "", read_whole_file, &count);
        printf("%d files\n", count);
    }
}

/* --- what is read, and when ----------------------------------------------------------------------------------------
 */

static void open_counted(open_file *file, counting_file *counter, const char *fixture)
{
    weir_error err = {0};
    weir_file *input = NULL;
    check_ok(weir_fs_open_file(weir_fs_local(), fixture_path(fixture), &input, &err), &err);
    check_ok(open_parquet(file, count_reads(counter, input), INT64_MAX, &err), &err);
    counter->bytes_read = counter->calls = 0;
}

static void small_batches_in_order_read_no_byte_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        open_file file;
        counting_file counter;
        char name[128];
        snprintf(name, sizeof name, "%s.parquet", fixtures[i].parquet);
        open_counted(&file, &counter, name);
        for (int64_t row = 0; row < file.reader->row_count; row++) {
            read_rows_of(&file, row, 1);
        }
        if (counter.bytes_read > counter.base.size) {
            fail_msg("%s: read %" PRIu64 " bytes of %" PRIu64, name, counter.bytes_read, counter.base.size);
        }
        close_parquet(&file);
    }
}

/* --- memory and damage ------------------------------------------------------------------------------------------- */

static void a_full_budget_is_an_error_and_not_a_leak(void **state)
{
    (void)state;
    weir_error err = {0};
    for (int64_t limit = 0; limit < 120000; limit += 1500) {
        open_file file;
        weir_file *input = NULL;
        check_ok(weir_fs_open_file(weir_fs_local(), fixture_path("nested-plain-v2-zstd.parquet"), &input, &err), &err);
        int code = open_parquet(&file, input, limit, &err);
        if (code != WEIR_OK) {
            assert_int_equal(code, WEIR_NO_MEMORY);
            continue;
        }
        for (int32_t i = 0; i < file.field_count && code == WEIR_OK; i++) {
            code = file.reader->ops->read(file.reader, i, 0, file.reader->row_count, column_of(&file, i), &err);
        }
        assert_true(code == WEIR_OK || code == WEIR_NO_MEMORY);
        close_parquet(&file);
    }
}

static weir_file *memory_file(weir_fs *fs, const uint8_t *bytes, size_t size)
{
    weir_error err = {0};
    weir_output *output = NULL;
    weir_file *input = NULL;
    check_ok(weir_fs_remove(fs, "/f", &err), &err);
    check_ok(weir_fs_create(fs, "/f", &output, &err), &err);
    check_ok(weir_output_write(output, bytes, size, &err), &err);
    check_ok(weir_output_finish(output, false, &err), &err);
    check_ok(weir_fs_open_file(fs, "/f", &input, &err), &err);
    return input;
}

/* Reads what can be read; only crashes and lies about lengths fail. */
static void read_damaged(weir_fs *fs, const uint8_t *bytes, size_t size)
{
    weir_error err = {0};
    open_file file;
    if (open_parquet(&file, memory_file(fs, bytes, size), 16 << 20, &err) != WEIR_OK) {
        return;
    }
    int64_t count = file.reader->row_count < 100 ? file.reader->row_count : 100;
    for (int32_t i = 0; i < file.field_count; i++) {
        weir_vector *out = column_of(&file, i);
        if (file.reader->ops->read(file.reader, i, 0, count, out, &err) == WEIR_OK) {
            assert_int_equal(out->length, count);
        }
        weir_vector_clear(out);
        uint32_t last = (uint32_t)count - 1;
        if (count > 0) {
            file.reader->ops->gather(file.reader, i, 0, &last, 1, out, &err);
        }
    }
    close_parquet(&file);
}

static void damaged_files_give_errors(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_fs *fs = weir_fs_memory();
    for (size_t i = 0; i < FIXTURE_COUNT; i++) {
        char name[128];
        weir_buffer bytes = {0};
        snprintf(name, sizeof name, "%s.parquet", fixtures[i].parquet);
        assert_true(golden_read(fixture_path(name), &bytes));
        for (int round = 0; round < 150; round++) {
            weir_buffer damaged = {0};
            weir_buffer_append(&damaged, bytes.data, bytes.size);
            for (uint64_t change = random_below(&random, 4); change < 4; change++) {
                damaged.data[random_below(&random, damaged.size)] = (uint8_t)random_next(&random);
            }
            read_damaged(fs, damaged.data, damaged.size);
            weir_buffer_free(&damaged);
        }
        weir_buffer_free(&bytes);
    }
    weir_fs_close(fs);
}

static void files_cut_short_are_no_parquet_files(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_memory();
    weir_buffer bytes = {0};
    assert_true(golden_read(fixture_path("old-lists.parquet"), &bytes));
    for (size_t size = 0; size < bytes.size; size++) {
        open_file file;
        weir_error err = {0};
        assert_int_equal(open_parquet(&file, memory_file(fs, bytes.data, size), INT64_MAX, &err), WEIR_CORRUPT);
        assert_non_null(strstr(err.message, "/f"));
    }
    weir_buffer_free(&bytes);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_whatever_the_size_of_the_batches),
        cmocka_unit_test(ranges_may_be_read_in_any_order),
        cmocka_unit_test(gathered_rows_are_those_asked_for),
        cmocka_unit_test(reading_appends_to_what_is_there),
        cmocka_unit_test(rows_that_do_not_exist_are_refused),
        cmocka_unit_test(columns_are_read_as_the_requested_type_or_refused),
        cmocka_unit_test(a_missing_column_is_named),
        cmocka_unit_test(pages_by_other_writers_are_read_exactly),
        cmocka_unit_test(every_file_of_java_can_be_read),
        cmocka_unit_test(small_batches_in_order_read_no_byte_twice),
        cmocka_unit_test(a_full_budget_is_an_error_and_not_a_leak),
        cmocka_unit_test(damaged_files_give_errors),
        cmocka_unit_test(files_cut_short_are_no_parquet_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
