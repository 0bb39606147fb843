/* Files for tests of the Parquet writer: written to memory, read back whole. */
#ifndef WEIR_TESTS_FORMAT_PARQUET_FIXTURE_H
#define WEIR_TESTS_FORMAT_PARQUET_FIXTURE_H

#include "format/format.h"
#include "vector/compare.h"
#include "vector/rows.h"

typedef struct test_file {
    weir_fs *fs;
    test_rows *rows; /* whose fields it has */
    weir_output *output;
    weir_format_writer *writer;
    weir_written_stats stats[MAX_TEST_COLUMNS];
} test_file;

static inline void file_start(test_file *file, test_rows *rows, const weir_format_write_options *options)
{
    weir_error err;
    *file = (test_file){.fs = weir_fs_memory(), .rows = rows};
    check_ok(weir_fs_create(file->fs, "/f.parquet", &file->output, &err), &err);
    check_ok(weir_format_open_writer("parquet", file->output, rows->fields, rows->column_count, options, &file->writer,
                                     &err),
             &err);
}

static inline void file_append(test_file *file, int32_t column, int64_t first, int64_t count)
{
    weir_error err;
    check_ok(file->writer->ops->append(file->writer, column, &file->rows->batch.columns[column], first, count, &err),
             &err);
}

static inline void file_append_all(test_file *file)
{
    for (int32_t column = 0; column < file->rows->column_count; column++) {
        file_append(file, column, 0, file->rows->batch.length);
    }
}

static inline void file_flush(test_file *file)
{
    weir_error err;
    check_ok(file->writer->ops->flush(file->writer, &err), &err);
}

static inline void file_finish(test_file *file)
{
    weir_error err;
    check_ok(file->writer->ops->finish(file->writer, false, file->stats, &err), &err);
}

static inline weir_format_reader *file_open(test_file *file)
{
    weir_error err;
    weir_file *input = NULL;
    weir_format_reader *reader = NULL;
    check_ok(weir_fs_open_file(file->fs, "/f.parquet", &input, &err), &err);
    check_ok(weir_format_open_reader("parquet", input, file->rows->fields, file->rows->column_count, NULL, NULL,
                                     &reader, &err),
             &err);
    return reader;
}

/* Reads the finished file and compares it with what was written, `times` times the rows. */
static inline void file_check(test_file *file, int64_t times)
{
    weir_error err;
    weir_format_reader *reader = file_open(file);
    int64_t length = file->rows->batch.length;
    assert_int_equal(reader->row_count, times * length);
    for (int32_t column = 0; column < file->rows->column_count; column++) {
        const weir_vector *wanted = &file->rows->batch.columns[column];
        weir_vector found;
        weir_vector_init(&found, wanted->type);
        check_ok(reader->ops->read(reader, column, 0, reader->row_count, &found, &err), &err);
        assert_int_equal(found.length, reader->row_count);
        for (int64_t row = 0; row < found.length; row++) {
            if (!weir_vector_values_equal(wanted, row % length, &found, row)) {
                fail_msg("column %d (%s), row %" PRId64 ": %s", column,
                         weir_type_text(&file->rows->arena, wanted->type), row, json_text(&found, row));
            }
        }
        weir_vector_free(&found);
    }
    reader->ops->close(reader);
}

static inline void file_free(test_file *file)
{
    file->writer->ops->close(file->writer);
    weir_fs_close(file->fs);
}

#endif
