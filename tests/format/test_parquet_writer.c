/* What the Parquet writer writes, the reader reads back. */
#include "format/parquet/parquet.h"
#include "parquet_fixture.h"

#define EVERY_TYPE                                                                                                     \
    "INT NOT NULL, BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(5, 2), DECIMAL(18, 4), "            \
    "DECIMAL(19, 0), DECIMAL(38, 10), CHAR(3), VARCHAR(30), STRING, BINARY(4), VARBINARY(30), BYTES, DATE, TIME(3), "  \
    "TIMESTAMP(0), TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP(9), TIMESTAMP_LTZ(3), TIMESTAMP_LTZ(6), TIMESTAMP_LTZ(9)"

#define EVERY_NESTING                                                                                                  \
    "ARRAY<INT>, ARRAY<STRING NOT NULL> NOT NULL, MAP<STRING NOT NULL, INT>, MAP<INT NOT NULL, ARRAY<STRING>>, "       \
    "ROW<x INT, y STRING, z DECIMAL(30, 2)>, ROW<x INT NOT NULL> NOT NULL, ARRAY<ARRAY<BIGINT>>, "                     \
    "ARRAY<ROW<p BOOLEAN, q ROW<s STRING, t TIMESTAMP(9)>>>, ROW<a ARRAY<INT>, m MAP<STRING NOT NULL, ROW<u INT>>>, "  \
    "MULTISET<STRING NOT NULL>, ARRAY<MAP<INT NOT NULL, DOUBLE>>"

static void one_round(test_rows *rows, const weir_format_write_options *options)
{
    test_file file;
    file_start(&file, rows, options);
    file_append_all(&file);
    file_finish(&file);
    file_check(&file, 1);
    file_free(&file);
}

static void extremes_of_every_type_come_back(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, EVERY_TYPE);
    rows_add(&rows,
             "[[1, true, -128, -32768, -2147483648, -9223372036854775808, 'NaN', '-Infinity', '-999.99', "
             "'99999999999999.9999', '-9999999999999999999', '-9999999999999999999999999999.9999999999', 'abc', '', "
             "'\u00fc', '00000000', '', 'ff', '0001-01-01', '23:59:59.999', '0001-01-01 00:00:00', "
             "'9999-12-31 23:59:59.999', '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999999', "
             "'1970-01-01 00:00:00.000Z', '9999-12-31 23:59:59.999999Z', '0001-01-01 00:00:00.000000001Z'], "
             "[2, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, "
             "null, null, null, null, null, null, null, null, null, null], "
             "[3, false, 127, 32767, 2147483647, 9223372036854775807, 3.4028235E38, 4.9E-324, '999.99', "
             "'-99999999999999.9999', '9999999999999999999', '9999999999999999999999999999.9999999999', '', "
             "'text of more than sixteen', 'a', '01020304', 'aabb', '', '9999-12-31', '00:00:00.000', "
             "'9999-12-31 23:59:59', '0001-01-01 00:00:00.000', '0001-01-01 00:00:00.000000', "
             "'9999-12-31 23:59:59.999999999', '1969-12-31 23:59:59.999Z', '0001-01-01 00:00:00.000001Z', "
             "'1970-01-01 00:00:00.000000000Z']]");
    one_round(&rows, NULL);
    rows_free(&rows);
}

static void nulls_and_empty_lists_on_every_level_come_back(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, EVERY_NESTING);
    rows_add(&rows, "[[null, [], null, null, null, [1], null, null, null, null, null], "
                    "[[], [''], [], [], [null, null, null], [2], [], [], [null, null], [], []], "
                    "[[null], ['a', 'b'], [['k', null]], [[1, null]], [1, 'y', '1.25'], [3], [null], [null], "
                    "[[], []], [['e', 2]], [null]], "
                    "[[1, null, 3], ['c'], [['k', 1], ['l', null]], [[1, []], [2, [null, 'x']]], [null, '', null], "
                    "[4], [[], [null, 5], null, [6]], [[null, null], [true, [null, null]], [false, ['s', "
                    "'1970-01-01 00:00:00.000000001']]], [[null, 7], [['k', null], ['l', [8]]]], [['e', 1], ['f', 3]], "
                    "[[], [[1, 0.5], [2, null]]]]]");
    one_round(&rows, NULL);
    rows_free(&rows);
}

static void a_variant_comes_back(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "VARIANT, ARRAY<VARIANT>");
    weir_vector *variants = &rows.batch.columns[0];
    weir_vector *arrays = &rows.batch.columns[1];
    weir_error err;
    for (int i = 0; i < 10; i++) {
        weir_vector *targets[] = {variants, &arrays->children[0]};
        for (int target = 0; target < 2; target++) {
            if (i % 3 == target) {
                check_ok(weir_vector_append_nulls(targets[target], 1, &err), &err);
                continue;
            }
            uint8_t value[] = {0x0C, (uint8_t)i};
            check_ok(weir_vector_append_raw(&targets[target]->children[0], value, 2, &err), &err);
            check_ok(weir_vector_append_raw(&targets[target]->children[1], "\x01\0\0", 3, &err), &err);
            check_ok(weir_vector_append_struct(targets[target], &err), &err);
        }
        check_ok(weir_vector_append_list(arrays, &err), &err);
    }
    rows.batch.length = 10;
    one_round(&rows, NULL);
    rows_free(&rows);
}

static void random_rows_come_back_from_many_pages_and_row_groups(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 12; round++) {
        test_rows rows;
        rows_start(&rows, round % 2 == 0 ? EVERY_TYPE : EVERY_NESTING);
        rows_add_random(&rows, &random, 1 + (int64_t)random_below(&random, 400));
        weir_format_write_options options = {.no_dictionary = random_below(&random, 3) == 0};
        if (round % 3 != 0) { /* otherwise pages with many thousands of levels */
            options.page_rows = 1 + (int32_t)random_below(&random, 300);
            options.page_bytes = 1 + (int64_t)random_below(&random, 4000);
        }
        test_file file;
        file_start(&file, &rows, &options);
        int64_t times = 1 + (int64_t)random_below(&random, 4);
        for (int64_t group = 0; group < times; group++) {
            for (int32_t column = rows.column_count; column-- > 0;) {
                for (int64_t row = 0; row < rows.batch.length;) {
                    int64_t piece = 1 + (int64_t)random_below(&random, (uint64_t)(rows.batch.length - row));
                    file_append(&file, column, row, piece);
                    row += piece;
                }
            }
            if (random_below(&random, 2) == 0) {
                file_flush(&file);
            }
        }
        file_finish(&file);
        file_check(&file, times);
        file_free(&file);
        rows_free(&rows);
    }
}

static void every_codec_comes_back(void **state)
{
    (void)state;
    static const char *const codecs[] = {"zstd", "none", "snappy", "lz4", "lz4_raw", "gzip", "brotli", "ZSTD"};
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, "BIGINT, STRING, BOOLEAN, ARRAY<INT>");
    rows_add_random(&rows, &random, 3000);
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        one_round(&rows, &(weir_format_write_options){.compression = codecs[i]});
    }
    rows_free(&rows);
}

static void an_unknown_codec_is_unsupported(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err;
    weir_fs *fs = weir_fs_memory();
    weir_output *output = NULL;
    weir_format_writer *writer = NULL;
    rows_start(&rows, "INT");
    check_ok(weir_fs_create(fs, "/f", &output, &err), &err);
    weir_format_write_options options = {.compression = "lzo"};
    assert_int_equal(weir_parquet_open_writer(output, rows.fields, 1, &options, &writer, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "'lzo'"));
    assert_int_equal(weir_format_open_writer("orc", output, rows.fields, 1, NULL, &writer, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "'orc'"));
    assert_non_null(strstr(err.message, "parquet, avro"));
    weir_output_abandon(output);
    weir_fs_close(fs);
    rows_free(&rows);
}

static void a_file_without_rows_has_its_columns(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, EVERY_TYPE ", " EVERY_NESTING);
    test_file file;
    file_start(&file, &rows, NULL);
    file_flush(&file);
    file_finish(&file);
    file_check(&file, 1);
    assert_false(file.stats[0].has_min_max);
    assert_int_equal(file.stats[0].null_count, 0);
    file_free(&file);
    rows_free(&rows);
}

/* --- dictionaries --- */

static void add_text(test_rows *rows, const char *text)
{
    weir_error err;
    check_ok(weir_vector_append_raw(&rows->batch.columns[0], text, strlen(text), &err), &err);
    rows->batch.length++;
}

/* Few distinct values first, so that the dictionary is used, then so many that it is given up: finished pages keep
 * their numbers and the others are plain. */
static void a_dictionary_that_grows_too_large_is_given_up_between_pages(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "STRING");
    char text[128];
    for (int i = 0; i < 45000; i++) {
        snprintf(text, sizeof text, "%0100d", i < 10000 || i % 3 == 0 ? i % 7 : i);
        add_text(&rows, text);
    }
    one_round(&rows, NULL);
    one_round(&rows, &(weir_format_write_options){.page_rows = 5000});
    rows_free(&rows);
}

/* 2000 different values, each twice: the page would be far too large in plain. */
static void large_values_that_repeat_stay_in_the_dictionary(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "STRING");
    char *text = weir_alloc(100001);
    for (int i = 0; i < 60; i++) {
        memset(text, 'a' + i % 8, 100000);
        text[100000] = '\0';
        add_text(&rows, text);
    }
    free(text);
    one_round(&rows, NULL);
    rows_free(&rows);
}

static void a_value_larger_than_a_page_has_a_page_of_its_own(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "STRING");
    char *text = weir_alloc(3000001);
    for (int i = 0; i < 6; i++) {
        size_t size = i % 2 == 0 ? 3000000 : 10;
        memset(text, 'a' + i, size);
        text[size] = '\0';
        add_text(&rows, text);
    }
    free(text);
    one_round(&rows, NULL);
    one_round(&rows, &(weir_format_write_options){.no_dictionary = true});
    rows_free(&rows);
}

static void columns_of_nulls_take_a_few_bytes(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "STRING, INT, ARRAY<INT>, ROW<a BIGINT>");
    weir_error err;
    for (int32_t column = 0; column < rows.column_count; column++) {
        check_ok(weir_vector_append_nulls(&rows.batch.columns[column], 50000, &err), &err);
    }
    rows.batch.length = 50000;
    test_file file;
    file_start(&file, &rows, NULL);
    file_append_all(&file);
    file_finish(&file);
    file_check(&file, 1);
    assert_int_equal(file.stats[2].null_count, 50000);
    assert_true(file.writer->ops->size(file.writer) < 3000);
    file_free(&file);
    rows_free(&rows);
}

/* --- statistics --- */

static void check_stats(const test_file *file, int32_t column, const char *min, const char *max, int64_t null_count)
{
    weir_error err;
    const weir_written_stats *stats = &file->stats[column];
    weir_vector values;
    weir_vector_init(&values, file->rows->fields[column].type);
    assert_int_equal(stats->null_count, null_count);
    assert_int_equal(stats->has_min_max, min != NULL);
    if (min != NULL) {
        check_ok(weir_vector_append_literal(&values, &stats->min, &err), &err);
        check_ok(weir_vector_append_literal(&values, &stats->max, &err), &err);
        assert_string_equal(json_text(&values, 0), min);
        assert_string_equal(json_text(&values, 1), max);
    }
    weir_vector_free(&values);
}

static void statistics_span_all_row_groups(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT, STRING, DOUBLE, DECIMAL(20, 1), BOOLEAN, TIMESTAMP(9), ARRAY<INT>, BYTES, FLOAT, INT");
    rows_add(&rows,
             "[[5, 'prefix_long_b', -0.0, '-1.5', true, '1969-12-31 23:59:59.999999999', [1], '80', 'NaN', null], "
             "[null, 'prefix_long_aa', 0.0, '99999999999999.0', null, '1970-01-01 00:00:00.000000001', null, "
             "'7f', -1.5, null], "
             "[-7, 'prefix_long_', 0.0, '2.0', true, '1970-01-01 00:00:00.000000000', [], '', 2.5, null]]");
    test_file file;
    file_start(&file, &rows, NULL);
    for (int64_t row = 0; row < 3; row++) {
        for (int32_t column = 0; column < rows.column_count; column++) {
            file_append(&file, column, row, 1);
        }
        file_flush(&file);
    }
    file_finish(&file);
    file_check(&file, 1);
    check_stats(&file, 0, "-7", "5", 1);
    check_stats(&file, 1, "\"prefix_long_\"", "\"prefix_long_b\"", 0);
    check_stats(&file, 2, "-0.0", "0.0", 0);
    check_stats(&file, 3, "\"-1.5\"", "\"99999999999999.0\"", 0);
    check_stats(&file, 4, "true", "true", 1);
    check_stats(&file, 5, "\"1969-12-31 23:59:59.999999999\"", "\"1970-01-01 00:00:00.000000001\"", 0);
    check_stats(&file, 6, NULL, NULL, 1);
    check_stats(&file, 7, "\"\"", "\"80\"", 0);
    check_stats(&file, 8, "-1.5", "\"NaN\"", 0);
    check_stats(&file, 9, NULL, NULL, 3);
    file_free(&file);
    rows_free(&rows);
}

static void statistics_agree_with_comparing_each_value(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, EVERY_TYPE);
    rows_add_random(&rows, &random, 5000);
    test_file file;
    file_start(&file, &rows, NULL);
    file_append_all(&file);
    file_finish(&file);
    for (int32_t column = 0; column < rows.column_count; column++) {
        weir_literal min;
        weir_literal max;
        bool has_value = false;
        int64_t null_count = 0;
        const weir_type *type = rows.fields[column].type;
        weir_vector_min_max(&rows.batch.columns[column], 0, 5000, &min, &max, &has_value, &null_count);
        assert_true(has_value && file.stats[column].has_min_max);
        assert_int_equal(file.stats[column].null_count, null_count);
        assert_int_equal(weir_literal_compare(type, &file.stats[column].min, &min), 0);
        assert_int_equal(weir_literal_compare(type, &file.stats[column].max, &max), 0);
    }
    file_free(&file);
    rows_free(&rows);
}

static void no_statistics_are_given_when_none_are_wanted(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT");
    rows_add(&rows, "[[5], [null]]");
    test_file file;
    file_start(&file, &rows, &(weir_format_write_options){.no_stats = true});
    file_append_all(&file);
    file_finish(&file);
    check_stats(&file, 0, NULL, NULL, 1);
    file_free(&file);
    rows_free(&rows);
}

static int64_t rows_that_may_match(test_file *file, weir_predicate_kind kind, weir_literal literal)
{
    weir_error err;
    weir_format_reader *reader = file_open(file);
    weir_row_ranges ranges = {0};
    const weir_predicate *predicate =
        weir_predicate_leaf(&file->rows->arena, kind, 0, file->rows->fields[0].type, &literal, 1);
    check_ok(reader->ops->prune(reader, predicate, &ranges, &err), &err);
    int64_t count = 0;
    for (size_t i = 0; i < ranges.count; i++) {
        count += ranges.ranges[i].count;
    }
    weir_row_ranges_free(&ranges);
    reader->ops->close(reader);
    return count;
}

static void pages_tell_what_they_hold(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT");
    weir_error err;
    for (int32_t i = 0; i < 10000; i++) {
        check_ok(weir_vector_append_raw(&rows.batch.columns[0], &i, sizeof i, &err), &err);
    }
    rows.batch.length = 10000;
    test_file file;
    file_start(&file, &rows, &(weir_format_write_options){.page_rows = 100});
    file_append_all(&file);
    file_finish(&file);
    assert_int_equal(rows_that_may_match(&file, WEIR_PREDICATE_EQUAL, (weir_literal){.integer = 250}), 100);
    assert_int_equal(rows_that_may_match(&file, WEIR_PREDICATE_LESS, (weir_literal){.integer = 200}), 200);
    assert_int_equal(rows_that_may_match(&file, WEIR_PREDICATE_GREATER, (weir_literal){.integer = 20000}), 0);
    file_free(&file);
    rows_free(&rows);
}

/* Readers disagree on what a NaN does to a bound, so a column with one has none. */
static void a_nan_keeps_its_rows_from_being_left_out(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "DOUBLE");
    rows_add(&rows, "[[1.0], ['NaN'], [2.0]]");
    test_file file;
    file_start(&file, &rows, NULL);
    file_append_all(&file);
    file_finish(&file);
    assert_int_equal(rows_that_may_match(&file, WEIR_PREDICATE_GREATER, (weir_literal){.float64 = 100}), 3);
    file_free(&file);
    rows_free(&rows);
}

/* --- how it is called --- */

static void columns_of_different_length_are_an_error(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err;
    rows_start(&rows, "INT, INT");
    rows_add(&rows, "[[1, 2], [3, 4]]");
    test_file file;
    file_start(&file, &rows, NULL);
    file_append(&file, 0, 0, 2);
    file_append(&file, 1, 0, 1);
    assert_int_equal(file.writer->ops->flush(file.writer, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "column c0 was given 2 rows and column c1 1"));
    file_free(&file);
    rows_free(&rows);
}

static void a_null_where_none_may_be_is_an_error(void **state)
{
    (void)state;
    static const struct {
        const char *declared;
        const char *given;
        const char *row;
        const char *message;
    } cases[] = {
        {"INT NOT NULL", "INT", "[[null]]", "column c0: a NULL"},
        {"ARRAY<INT NOT NULL>", "ARRAY<INT>", "[[[1, null]]]", "column c0.list.element: a NULL"},
        {"ROW<a INT NOT NULL>", "ROW<a INT>", "[[[null]]]", "column c0.a: a NULL"},
        {"MAP<INT, INT NOT NULL>", "MAP<INT, INT>", "[[[[1, null]]]]", "column c0.key_value.value: a NULL"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_rows declared;
        test_rows given;
        weir_error err;
        rows_start(&declared, cases[i].declared);
        rows_start(&given, cases[i].given);
        rows_add(&given, cases[i].row);
        test_file file;
        file_start(&file, &declared, NULL);
        assert_int_equal(file.writer->ops->append(file.writer, 0, &given.batch.columns[0], 0, 1, &err), WEIR_INVALID);
        if (strstr(err.message, cases[i].message) == NULL) {
            fail_msg("%s", err.message);
        }
        file_free(&file);
        rows_free(&given);
        rows_free(&declared);
    }
}

static void values_of_another_type_are_an_error(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err;
    rows_start(&rows, "INT, ROW<a ARRAY<INT>>, ROW<a ARRAY<STRING>>, BIGINT");
    test_file file;
    file_start(&file, &rows, NULL);
    const weir_vector *columns = rows.batch.columns;
    assert_int_equal(file.writer->ops->append(file.writer, 0, &columns[3], 0, 0, &err), WEIR_INVALID);
    assert_int_equal(file.writer->ops->append(file.writer, 1, &columns[2], 0, 0, &err), WEIR_INVALID);
    assert_int_equal(file.writer->ops->append(file.writer, 2, &columns[2], 0, 0, &err), WEIR_OK);
    file_free(&file);
    rows_free(&rows);
}

static void closing_without_finish_leaves_no_file(void **state)
{
    (void)state;
    test_rows rows;
    weir_error err;
    bool exists = true;
    rows_start(&rows, "INT");
    rows_add(&rows, "[[1]]");
    test_file file;
    file_start(&file, &rows, NULL);
    file_append_all(&file);
    file_flush(&file);
    file.writer->ops->close(file.writer);
    check_ok(weir_fs_exists(file.fs, "/f.parquet", &exists, &err), &err);
    assert_false(exists);
    weir_fs_close(file.fs);
    rows_free(&rows);
}

static void the_size_is_known_before_the_file_is_finished(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, "BIGINT, STRING, DOUBLE");
    rows_add_random(&rows, &random, 20000);
    test_file file;
    file_start(&file, &rows, &(weir_format_write_options){.page_rows = 3000});
    uint64_t last = file.writer->ops->size(file.writer);
    for (int i = 0; i < 4; i++) {
        file_append_all(&file);
        uint64_t size = file.writer->ops->size(file.writer);
        assert_true(size > last);
        last = size;
    }
    file_finish(&file);
    weir_file_info info;
    weir_error err;
    check_ok(weir_fs_stat(file.fs, "/f.parquet", &info, &err), &err);
    assert_int_equal(file.writer->ops->size(file.writer), info.size_bytes);
    assert_true(last > info.size_bytes / 2 && last < info.size_bytes * 2);
    file_free(&file);
    rows_free(&rows);
}

static void types_that_parquet_lacks_are_unsupported(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_memory();
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *deep = weir_type_simple(WEIR_INT, true);
    for (int i = 0; i < 200; i++) {
        deep = weir_type_array(&arena, deep, true);
    }
    const weir_type *types[] = {weir_type_new(&arena, WEIR_NULL, true), weir_type_row(&arena, NULL, 0, true), deep};
    for (int i = 0; i < 3; i++) {
        weir_error err;
        weir_output *output = NULL;
        weir_format_writer *writer = NULL;
        weir_field field = {.name = "odd", .type = types[i]};
        check_ok(weir_fs_create(fs, "/f", &output, &err), &err);
        assert_int_equal(weir_parquet_open_writer(output, &field, 1, NULL, &writer, &err), WEIR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "column odd"));
        weir_output_abandon(output);
    }
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extremes_of_every_type_come_back),
        cmocka_unit_test(nulls_and_empty_lists_on_every_level_come_back),
        cmocka_unit_test(a_variant_comes_back),
        cmocka_unit_test(random_rows_come_back_from_many_pages_and_row_groups),
        cmocka_unit_test(every_codec_comes_back),
        cmocka_unit_test(an_unknown_codec_is_unsupported),
        cmocka_unit_test(a_file_without_rows_has_its_columns),
        cmocka_unit_test(a_dictionary_that_grows_too_large_is_given_up_between_pages),
        cmocka_unit_test(large_values_that_repeat_stay_in_the_dictionary),
        cmocka_unit_test(a_value_larger_than_a_page_has_a_page_of_its_own),
        cmocka_unit_test(columns_of_nulls_take_a_few_bytes),
        cmocka_unit_test(statistics_span_all_row_groups),
        cmocka_unit_test(statistics_agree_with_comparing_each_value),
        cmocka_unit_test(no_statistics_are_given_when_none_are_wanted),
        cmocka_unit_test(pages_tell_what_they_hold),
        cmocka_unit_test(a_nan_keeps_its_rows_from_being_left_out),
        cmocka_unit_test(columns_of_different_length_are_an_error),
        cmocka_unit_test(a_null_where_none_may_be_is_an_error),
        cmocka_unit_test(values_of_another_type_are_an_error),
        cmocka_unit_test(closing_without_finish_leaves_no_file),
        cmocka_unit_test(the_size_is_known_before_the_file_is_finished),
        cmocka_unit_test(types_that_parquet_lacks_are_unsupported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
