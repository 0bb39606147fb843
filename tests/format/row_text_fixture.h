/* Readers of rows in text, for tests: text in pieces of any size, rows as lines `+I[1,"a"]` of JSON values. */
#ifndef WEIR_TESTS_FORMAT_ROW_TEXT_FIXTURE_H
#define WEIR_TESTS_FORMAT_ROW_TEXT_FIXTURE_H

#include "format/row_text.h"
#include "vector/rows.h"

/* Columns given as the fields of a ROW: "id INT, `a b` STRING". */
typedef struct test_columns {
    weir_arena arena;
    const weir_field *fields;
    int32_t count;
} test_columns;

static inline void columns_start(test_columns *columns, const char *text)
{
    weir_arena_init(&columns->arena);
    const weir_type *row = parse_type(&columns->arena, weir_arena_format(&columns->arena, "ROW<%s>", text));
    columns->fields = row->fields;
    columns->count = row->field_count;
}

static inline void append_rows_as_text(const weir_batch *batch, weir_buffer *out)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_append_text(out, weir_row_kind_text(weir_batch_kind(batch, row)));
        for (int32_t i = 0; i < batch->column_count; i++) {
            weir_buffer_append_byte(out, i == 0 ? '[' : ',');
            weir_value_to_json(&batch->columns[i], row, out);
        }
        weir_buffer_append_text(out, "]\n");
    }
}

/* The unread text in memory of exactly its size and the padding, so that sanitizers see every byte too many. */
static inline uint8_t *padded_copy(const char *text, size_t size)
{
    uint8_t *copy = weir_alloc_zeroed(1, size + WEIR_ROW_TEXT_PADDING);
    memcpy(copy, text, size);
    return copy;
}

static inline void check_batch(const weir_batch *batch)
{
    for (int32_t i = 0; i < batch->column_count; i++) {
        assert_int_equal(batch->columns[i].length, batch->length);
    }
}

/* Reads all of `text`, which comes in pieces of `step` bytes, in batches of at most `most_rows`. Appends the rows. */
static inline int read_text(weir_row_reader *reader, const test_columns *columns, weir_slice text, size_t step,
                            int64_t most_rows, weir_buffer *out, weir_error *err)
{
    weir_batch batch;
    weir_batch_init(&batch, columns->fields, columns->count);
    size_t start = 0;
    size_t end = 0;
    int64_t line = 1;
    int code = WEIR_OK;
    reader->state = 0;
    while (code == WEIR_OK && (start < text.size || end < text.size)) {
        end = end + step < text.size ? end + step : text.size;
        uint8_t *copy = padded_copy((const char *)text.data + start, end - start);
        weir_row_text piece = {
            .path = "in.json", .data = copy, .size = end - start, .first_line = line, .is_end = end == text.size};
        size_t used = 0;
        weir_batch_clear(&batch);
        code = reader->read(reader, &piece, most_rows, &batch, &used, err);
        if (code == WEIR_OK) {
            check_batch(&batch);
            assert_true(used <= piece.size);
            for (size_t i = 0; i < used; i++) {
                line += copy[i] == '\n';
            }
            start += used;
            append_rows_as_text(&batch, out);
            if (piece.is_end && batch.length < most_rows) {
                assert_int_equal(start, text.size);
            }
        }
        free(copy);
    }
    weir_batch_free(&batch);
    return code;
}

/* Sizes of pieces that are tried for every text: all at once, byte by byte, and some in between. */
static const size_t test_steps[] = {SIZE_MAX / 4, 1, 7, 64};

/* Reads `text` in pieces of every size of test_steps: the rows must be `expected`, or, when `error` is not NULL, the
 * message must hold it. */
static inline void check_text(weir_row_reader *reader, const test_columns *columns, const char *text,
                              const char *expected, const char *error)
{
    for (size_t i = 0; i < sizeof test_steps / sizeof *test_steps; i++) {
        weir_buffer rows = {0};
        weir_error err = {0};
        int code = read_text(reader, columns, weir_slice_text(text), test_steps[i], i == 2 ? 1 : 1000, &rows, &err);
        if (error != NULL) {
            bool is_whole = i == 0; /* otherwise the message may show less of the text */
            if (code == WEIR_OK || (is_whole && strstr(err.message, error) == NULL)) {
                fail_msg("%s\ngives %d: %s\n%s\nnot %s", text, code, err.message, weir_buffer_text(&rows), error);
            }
            assert_true(code == WEIR_CORRUPT || code == WEIR_INVALID);
        } else if (code != WEIR_OK || strcmp(weir_buffer_text(&rows), expected) != 0) {
            fail_msg("%s\nin pieces of %zu gives %d: %s\n%s\nnot\n%s", text, test_steps[i], code, err.message,
                     weir_buffer_text(&rows), expected);
        }
        weir_buffer_free(&rows);
    }
}

#endif
