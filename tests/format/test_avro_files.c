/* Avro data files behind the interfaces of format.h: windows of blocks, and writers fed column by column. */
#include "avro_fixture.h"

typedef struct avro_file {
    weir_fs *fs;
    test_rows rows;
    weir_written_stats stats[MAX_TEST_COLUMNS];
    weir_format_writer *writer;
} avro_file;

static void start(avro_file *file, const char *types, const weir_format_write_options *options)
{
    weir_error err;
    weir_output *output = NULL;
    file->fs = weir_fs_memory();
    rows_start(&file->rows, types);
    check_ok(weir_fs_create(file->fs, "/f.avro", &output, &err), &err);
    check_ok(weir_avro_open_writer(output, file->rows.fields, file->rows.column_count, options, &file->writer, &err),
             &err);
}

static void append(avro_file *file, int32_t column, int64_t first, int64_t count)
{
    weir_error err;
    check_ok(file->writer->ops->append(file->writer, column, &file->rows.batch.columns[column], first, count, &err),
             &err);
}

static void finish(avro_file *file)
{
    weir_error err;
    check_ok(file->writer->ops->finish(file->writer, true, file->stats, &err), &err);
}

static weir_format_reader *open_file(avro_file *file, weir_budget *budget)
{
    weir_error err;
    weir_file *input = NULL;
    weir_format_reader *reader = NULL;
    check_ok(weir_fs_open_file(file->fs, "/f.avro", &input, &err), &err);
    check_ok(weir_avro_open_reader(input, file->rows.fields, file->rows.column_count, NULL, budget, &reader, &err),
             &err);
    return reader;
}

static void end(avro_file *file)
{
    file->writer->ops->close(file->writer);
    rows_free(&file->rows);
    weir_fs_close(file->fs);
}

/* Writes `count` random rows, all at once. */
static void write_random(avro_file *file, const char *types, const char *compression, random_state *random,
                         int64_t count)
{
    weir_format_write_options options = {.compression = compression};
    start(file, types, &options);
    rows_add_random(&file->rows, random, count);
    for (int32_t column = 0; column < file->rows.column_count; column++) {
        append(file, column, 0, count);
    }
    finish(file);
}

static void check_read(avro_file *file, weir_format_reader *reader, int32_t column, int64_t first, int64_t count)
{
    weir_error err;
    weir_vector out;
    weir_vector_init(&out, file->rows.fields[column].type);
    check_ok(reader->ops->read(reader, column, first, count, &out, &err), &err);
    assert_int_equal(out.length, count);
    for (int64_t i = 0; i < count; i++) {
        assert_true(weir_vector_values_equal(&out, i, &file->rows.batch.columns[column], first + i));
    }
    weir_vector_free(&out);
}

static void check_gather(avro_file *file, weir_format_reader *reader, int32_t column, int64_t base,
                         random_state *random)
{
    weir_error err;
    weir_vector out;
    uint32_t rows[300];
    int64_t count = 0;
    uint32_t next = (uint32_t)random_below(random, 50);
    for (; count < 300 && base + next < reader->row_count; next += 1 + (uint32_t)random_below(random, 40)) {
        rows[count++] = next;
    }
    weir_vector_init(&out, file->rows.fields[column].type);
    check_ok(reader->ops->gather(reader, column, base, rows, count, &out, &err), &err);
    assert_int_equal(out.length, count);
    for (int64_t i = 0; i < count; i++) {
        assert_true(weir_vector_values_equal(&out, i, &file->rows.batch.columns[column], base + rows[i]));
    }
    weir_vector_free(&out);
}

#define MIXED_TYPES "BIGINT NOT NULL, STRING, ARRAY<STRING>, ROW<a INT, b DOUBLE>, DECIMAL(20, 2)"

static void any_range_can_be_read_in_any_order(void **state)
{
    (void)state;
    random_state random = random_start();
    avro_file file;
    write_random(&file, MIXED_TYPES, "zstd", &random, 9000);
    weir_format_reader *reader = open_file(&file, NULL);
    assert_int_equal(reader->row_count, 9000);
    for (int round = 0; round < 200; round++) {
        int64_t first = (int64_t)random_below(&random, 9000);
        int64_t count = (int64_t)random_below(&random, 9001 - (uint64_t)first);
        int32_t column = (int32_t)random_below(&random, 5);
        if (round % 2 == 0) {
            check_read(&file, reader, column, first, count % 700);
        } else {
            check_gather(&file, reader, column, first, &random);
        }
    }
    reader->ops->close(reader);
    end(&file);
}

static void going_through_a_file_in_pieces_reads_every_row_once(void **state)
{
    (void)state;
    random_state random = random_start();
    avro_file file;
    write_random(&file, MIXED_TYPES, "null", &random, 20000);
    weir_format_reader *reader = open_file(&file, NULL);
    for (int64_t first = 0; first < 20000; first += 1900) {
        int64_t count = first + 1900 > 20000 ? 20000 - first : 1900;
        for (int32_t column = 0; column < 5; column++) {
            check_read(&file, reader, column, first, count);
        }
    }
    reader->ops->close(reader);
    end(&file);
}

static void a_large_file_is_read_block_by_block(void **state)
{
    (void)state;
    random_state random = random_start();
    avro_file file;
    weir_format_write_options options = {.compression = "null"};
    start(&file, "BIGINT NOT NULL, STRING", &options);
    rows_add_random(&file.rows, &random, 1000);
    for (int i = 0; i < 400; i++) { /* some 6 MB: more than is read when a file is opened */
        append(&file, 0, 0, 1000);
        append(&file, 1, 0, 1000);
    }
    finish(&file);
    weir_format_reader *reader = open_file(&file, NULL);
    assert_int_equal(reader->row_count, 400000);
    weir_error err;
    weir_vector out;
    weir_vector_init(&out, file.rows.fields[1].type);
    check_ok(reader->ops->read(reader, 1, 399000, 1000, &out, &err), &err);
    check_ok(reader->ops->read(reader, 1, 123000, 1000, &out, &err), &err);
    for (int64_t i = 0; i < 2000; i++) {
        assert_true(weir_vector_values_equal(&out, i, &file.rows.batch.columns[1], i % 1000));
    }
    weir_vector_free(&out);
    reader->ops->close(reader);
    end(&file);
}

static void columns_may_come_in_pieces_of_any_size(void **state)
{
    (void)state;
    random_state random = random_start();
    avro_file file;
    start(&file, MIXED_TYPES, NULL);
    rows_add_random(&file.rows, &random, 5000);
    for (int64_t first = 0; first < 5000; first += 1250) {
        for (int32_t column = 4; column >= 0; column--) {
            append(&file, column, first, 1000);
            append(&file, column, first + 1000, 250);
        }
        if (first == 2500) {
            weir_error err;
            check_ok(file.writer->ops->flush(file.writer, &err), &err);
        }
    }
    uint64_t estimate = file.writer->ops->size(file.writer);
    finish(&file);
    assert_true(file.writer->ops->size(file.writer) >= estimate / 4);
    weir_format_reader *reader = open_file(&file, NULL);
    for (int32_t column = 0; column < 5; column++) {
        check_read(&file, reader, column, 0, 5000);
    }
    reader->ops->close(reader);
    end(&file);
}

static void uneven_columns_are_refused(void **state)
{
    (void)state;
    weir_error err;
    avro_file file;
    start(&file, "INT, INT", NULL);
    rows_add(&file.rows, "[[1, 2], [3, 4]]");
    append(&file, 0, 0, 2);
    append(&file, 1, 0, 1);
    assert_int_equal(file.writer->ops->finish(file.writer, false, file.stats, &err), WEIR_INVALID);
    end(&file);
}

static void a_null_where_none_may_be_is_refused_by_name(void **state)
{
    (void)state;
    weir_error err;
    avro_file file;
    start(&file, "INT NOT NULL", NULL);
    check_ok(weir_vector_append_nulls(&file.rows.batch.columns[0], 1, &err), &err);
    append(&file, 0, 0, 1);
    assert_int_equal(file.writer->ops->finish(file.writer, false, file.stats, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "'c0'"));
    end(&file);
}

static void a_writer_that_is_closed_unfinished_leaves_no_file(void **state)
{
    (void)state;
    weir_error err;
    bool exists = true;
    avro_file file;
    start(&file, "INT", NULL);
    file.writer->ops->close(file.writer);
    check_ok(weir_fs_exists(file.fs, "/f.avro", &exists, &err), &err);
    assert_false(exists);
    rows_free(&file.rows);
    weir_fs_close(file.fs);
}

static void statistics_outlive_the_vectors_they_were_taken_from(void **state)
{
    (void)state;
    avro_file file;
    start(&file, "STRING, INT, ARRAY<INT>, DOUBLE", NULL);
    rows_add(&file.rows, "[['m', 5, [1], 1.5], [null, null, null, null], ['z', -7, [], 0.5]]");
    for (int32_t column = 0; column < 4; column++) {
        append(&file, column, 0, 3);
    }
    weir_batch_clear(&file.rows.batch);
    rows_add(&file.rows, "[['a', 6, [1], 9.5], ['b', 6, null, null]]");
    for (int32_t column = 0; column < 4; column++) {
        append(&file, column, 0, 2);
    }
    weir_batch_clear(&file.rows.batch);
    finish(&file);
    assert_true(weir_slice_equal(file.stats[0].min.bytes, weir_slice_text("a")));
    assert_true(weir_slice_equal(file.stats[0].max.bytes, weir_slice_text("z")));
    assert_int_equal(file.stats[0].null_count, 1);
    assert_int_equal(file.stats[1].min.integer, -7);
    assert_int_equal(file.stats[1].max.integer, 6);
    assert_false(file.stats[2].has_min_max);
    assert_int_equal(file.stats[2].null_count, 2);
    assert_true(file.stats[3].max.float64 == 9.5);
    end(&file);
}

static void the_budget_is_given_back(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_budget budget;
    avro_file file;
    weir_budget_init(&budget, "test", NULL, 64 << 20);
    write_random(&file, MIXED_TYPES, "zstd", &random, 3000);
    weir_format_reader *reader = open_file(&file, &budget);
    check_read(&file, reader, 1, 0, 3000);
    assert_true(budget.used_bytes > 0);
    reader->ops->close(reader);
    assert_int_equal(budget.used_bytes, 0);
    weir_budget small;
    weir_budget_init(&small, "small", NULL, 100);
    weir_error err;
    weir_file *input = NULL;
    check_ok(weir_fs_open_file(file.fs, "/f.avro", &input, &err), &err);
    assert_int_equal(weir_avro_open_reader(input, file.rows.fields, 5, NULL, &small, &reader, &err), WEIR_NO_MEMORY);
    assert_int_equal(small.used_bytes, 0);
    weir_file_close(input);
    end(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_range_can_be_read_in_any_order),
        cmocka_unit_test(going_through_a_file_in_pieces_reads_every_row_once),
        cmocka_unit_test(a_large_file_is_read_block_by_block),
        cmocka_unit_test(columns_may_come_in_pieces_of_any_size),
        cmocka_unit_test(uneven_columns_are_refused),
        cmocka_unit_test(a_null_where_none_may_be_is_refused_by_name),
        cmocka_unit_test(a_writer_that_is_closed_unfinished_leaves_no_file),
        cmocka_unit_test(statistics_outlive_the_vectors_they_were_taken_from),
        cmocka_unit_test(the_budget_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
