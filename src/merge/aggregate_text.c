/* listagg: texts one behind the other, with a delimiter between them; with `distinct` each piece between delimiters
 * once. */
#include "merge/aggregate_fold.h"

/* The next piece of a text from *at on; false: there is none any more. */
static bool next_piece(weir_slice text, weir_slice delimiter, size_t *at, weir_slice *out)
{
    if (*at >= text.size) {
        return false;
    }
    const uint8_t *start = text.data + *at;
    const uint8_t *found = memmem(start, text.size - *at, delimiter.data, delimiter.size);
    size_t size = found != NULL ? (size_t)(found - start) : text.size - *at;
    *out = weir_slice_of(start, size);
    *at += size + (found != NULL ? delimiter.size : 0);
    return true;
}

static bool has_piece(weir_slice text, weir_slice delimiter, weir_slice wanted)
{
    weir_slice piece;
    for (size_t at = 0; next_piece(text, delimiter, &at, &piece);) {
        if (weir_slice_equal(piece, wanted)) {
            return true;
        }
    }
    return false;
}

static void append_piece(const weir_field_aggregate *aggregate, weir_buffer *list, weir_slice piece)
{
    weir_buffer_append(list, aggregate->delimiter.data, aggregate->delimiter.size);
    weir_buffer_append(list, piece.data, piece.size);
}

/* Puts a text behind the list, neither being empty. */
static void append_text(const weir_field_aggregate *aggregate, weir_buffer *list, weir_slice text)
{
    if (!aggregate->distinct) {
        append_piece(aggregate, list, text);
        return;
    }
    /* An empty delimiter parts at blanks. */
    weir_slice delimiter = aggregate->delimiter.size > 0 ? aggregate->delimiter : weir_slice_text(" ");
    weir_slice piece;
    for (size_t at = 0; next_piece(text, delimiter, &at, &piece);) {
        if (piece.size > 0 && !has_piece(weir_slice_of(list->data, list->size), delimiter, piece)) {
            append_piece(aggregate, list, piece);
        }
    }
}

static void add_text(const weir_field_aggregate *aggregate, const weir_vector *values, int64_t row,
                     weir_fold_bytes *list)
{
    if (weir_vector_is_null(values, row)) {
        return;
    }
    weir_slice text = weir_vector_bytes(values, row);
    if (!list->has_value || (list->bytes.size == 0 && text.size > 0)) {
        weir_fold_bytes_set(list, values, row);
    } else if (text.size > 0) {
        append_text(aggregate, &list->bytes, text);
    }
}

/* The row's text comes before the list. */
static void add_older(const weir_field_aggregate *aggregate, const weir_vector *values, int64_t row,
                      weir_fold_bytes *list, weir_buffer *scratch)
{
    if (weir_vector_is_null(values, row)) {
        return;
    }
    weir_slice text = weir_vector_bytes(values, row);
    if (!list->has_value || list->bytes.size == 0) {
        weir_fold_bytes_set(list, values, row);
    } else if (text.size > 0) {
        scratch->size = 0;
        weir_buffer_append(scratch, text.data, text.size);
        append_text(aggregate, scratch, weir_slice_of(list->bytes.data, list->bytes.size));
        weir_buffer swap = list->bytes;
        list->bytes = *scratch;
        *scratch = swap;
    }
}

static int take_step(const weir_field_aggregate *aggregate, weir_fold_step step, const weir_vector *values, int64_t row,
                     weir_fold_bytes *list, weir_buffer *scratch, weir_error *err)
{
    switch (step) {
    case WEIR_STEP_NONE:
        return WEIR_OK;
    case WEIR_STEP_ADD:
        add_text(aggregate, values, row, list);
        return WEIR_OK;
    case WEIR_STEP_ADD_OLDER:
        add_older(aggregate, values, row, list, scratch);
        return WEIR_OK;
    case WEIR_STEP_SET:
    case WEIR_STEP_SET_RETRACT:
        weir_fold_bytes_set(list, values, row);
        break;
    default:
        break;
    }
    return step == WEIR_STEP_SET || aggregate->ignore_retract ? WEIR_OK
                                                              : weir_field_aggregate_fail_retraction(aggregate, err);
}

int weir_field_aggregate_fold_texts(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                    const weir_vector *values, weir_vector *out, weir_error *err)
{
    weir_fold_bytes list = {0};
    weir_buffer scratch = {0};
    int code = WEIR_OK;
    WEIR_GO(weir_vector_reserve(out, rows->group_count, err));
    for (int64_t g = 0; g < rows->group_count; g++) {
        weir_fold_bytes_clear(&list);
        for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {
            WEIR_GO(take_step(aggregate, weir_fold_step_of(rows, g, row), values, row, &list, &scratch, err));
        }
        WEIR_GO(weir_fold_bytes_append_to(&list, out, err));
    }
done:
    weir_buffer_free(&list.bytes);
    weir_buffer_free(&scratch);
    return code;
}
