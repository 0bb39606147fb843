/* What the fuzzers of rows in text share: reading all rows of a text, whole or in pieces, must give the same. */
#ifndef WEIR_TESTS_ROW_TEXT_H
#define WEIR_TESTS_ROW_TEXT_H

#include <stdio.h>
#include <stdlib.h>

#include "format/row_text.h"
#include "vector/literal.h"

#define ROW_TEXT_MOST_CALLS 100000

static inline void row_text_print(const weir_batch *batch, weir_buffer *out)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_append_text(out, weir_row_kind_text(weir_batch_kind(batch, row)));
        for (int32_t column = 0; column < batch->column_count; column++) {
            weir_buffer_append_byte(out, ' ');
            weir_value_to_json(&batch->columns[column], row, out);
        }
        weir_buffer_append_byte(out, '\n');
    }
}

/* Reads `text` from *offset on, in calls of at most `most_rows` rows, and advances it by what was used up. */
static inline int row_text_read_part(weir_row_reader *reader, weir_slice text, bool is_end, int64_t most_rows,
                                     weir_batch *batch, size_t *offset, weir_buffer *out, weir_error *err)
{
    for (int calls = 0;; calls++) {
        size_t used = 0;
        weir_row_text part = {"fuzz", text.data + *offset, text.size - *offset, 1, is_end};
        weir_batch_clear(batch);
        WEIR_TRY(reader->read(reader, &part, most_rows, batch, &used, err));
        row_text_print(batch, out);
        if (used > part.size || calls > ROW_TEXT_MOST_CALLS) {
            abort();
        }
        *offset += used;
        if (used == 0 && batch->length == 0) {
            return WEIR_OK;
        }
    }
}

/* The text of size `text.size`, with its padding, handed over as far as `first_piece` first. */
static inline int row_text_read(weir_row_reader *reader, const weir_field *fields, int32_t field_count, weir_slice text,
                                size_t first_piece, int64_t most_rows, weir_buffer *out, weir_error *err)
{
    weir_batch batch;
    size_t offset = 0;
    uint8_t *padded = weir_alloc_zeroed(1, first_piece + WEIR_ROW_TEXT_PADDING);
    int code = WEIR_OK;
    reader->state = 0;
    weir_batch_init(&batch, fields, field_count);
    if (first_piece > 0) {
        memcpy(padded, text.data, first_piece);
        code =
            row_text_read_part(reader, weir_slice_of(padded, first_piece), false, most_rows, &batch, &offset, out, err);
    }
    free(padded);
    padded = weir_alloc_zeroed(1, text.size + WEIR_ROW_TEXT_PADDING);
    memcpy(padded, text.data, text.size);
    if (code == WEIR_OK) {
        code = row_text_read_part(reader, weir_slice_of(padded, text.size), true, most_rows, &batch, &offset, out, err);
    }
    free(padded);
    weir_batch_free(&batch);
    return code;
}

static inline void row_text_check(weir_row_reader *reader, const weir_field *fields, int32_t field_count,
                                  weir_slice text)
{
    weir_buffer whole = {0};
    weir_buffer pieces = {0};
    weir_error err = {0};
    weir_error piece_err = {0};
    int code = row_text_read(reader, fields, field_count, text, 0, 1000, &whole, &err);
    int piece_code = row_text_read(reader, fields, field_count, text, text.size / 2, 3, &pieces, &piece_err);
    if (code != piece_code ||
        (code == WEIR_OK && !weir_slice_equal(weir_buffer_slice(&whole), weir_buffer_slice(&pieces)))) {
        fprintf(stderr, "whole (%s):\n%s\nin pieces (%s):\n%s\n", err.message, weir_buffer_text(&whole),
                piece_err.message, weir_buffer_text(&pieces));
        abort();
    }
    weir_buffer_free(&whole);
    weir_buffer_free(&pieces);
}

#endif
