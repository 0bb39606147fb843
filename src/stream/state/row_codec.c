/* Rows as bytes: making them. Reading them back is in row_decode.c.
 *
 * Plain columns go in two passes, a column at a time: sizes first, then bytes, with nothing decided per row. Rows with
 * nested columns are made value by value. The entries of a map stand in the order of their keys' bytes, so that maps
 * with equal entries have equal bytes. */
#include "stream/state/row_codec.h"

#include <stdlib.h>

#include "stream/state/row_layout.h"

/* --- one value after the other ----------------------------------------------------------------------------------- */

static int append_value(const weir_vector *vector, int64_t row, weir_buffer *out, weir_error *err);

static void append_length(weir_buffer *out, uint32_t length)
{
    weir_buffer_reserve(out, WEIR_ROW_MAX_LENGTH_BYTES);
    out->size = (size_t)(weir_row_put_length(out->data + out->size, length) - out->data);
}

/* Null bits of the values at `rows`, then those that are not NULL. */
static int append_values(const weir_vector *vector, const int64_t *rows, int64_t count, weir_buffer *out,
                         weir_error *err)
{
    size_t bits = out->size;
    weir_buffer_append_zeros(out, ((size_t)count + 7) / 8);
    for (int64_t i = 0; i < count; i++) {
        if (weir_vector_is_null(vector, rows[i])) {
            weir_bit_set(out->data + bits, i);
        }
    }
    for (int64_t i = 0; i < count; i++) {
        if (!weir_vector_is_null(vector, rows[i])) {
            WEIR_TRY(append_value(vector, rows[i], out, err));
        }
    }
    return WEIR_OK;
}

typedef struct map_entry {
    weir_slice key;
    int64_t row;
} map_entry;

static int compare_entries(const void *a, const void *b)
{
    const map_entry *first = a;
    const map_entry *second = b;
    int order = weir_slice_compare(first->key, second->key);
    return order != 0 ? order : (first->row > second->row) - (first->row < second->row);
}

/* Puts the entries of a map into the order of their keys' bytes. */
static int order_entries(const weir_vector *keys, int64_t *rows, int64_t count, weir_error *err)
{
    int code = WEIR_OK;
    weir_buffer bytes = {0};
    size_t *ends = weir_alloc((size_t)count * sizeof *ends);
    map_entry *entries = weir_alloc((size_t)count * sizeof *entries);
    for (int64_t i = 0; i < count; i++) {
        weir_buffer_append_byte(&bytes, weir_vector_is_null(keys, rows[i]));
        if (!weir_vector_is_null(keys, rows[i])) {
            WEIR_GO(append_value(keys, rows[i], &bytes, err));
        }
        ends[i] = bytes.size;
    }
    for (int64_t i = 0; i < count; i++) {
        size_t begin = i == 0 ? 0 : ends[i - 1];
        entries[i] = (map_entry){weir_slice_of(bytes.data + begin, ends[i] - begin), rows[i]};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = entries[i].row;
    }
done:
    free(entries);
    free(ends);
    weir_buffer_free(&bytes);
    return code;
}

static int append_list(const weir_vector *vector, int64_t row, weir_buffer *out, weir_error *err)
{
    int code = WEIR_OK;
    int64_t first = vector->offsets[row];
    int64_t count = vector->offsets[row + 1] - first;
    append_length(out, (uint32_t)count);
    int64_t *rows = weir_alloc((size_t)(count + 1) * sizeof *rows);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = first + i;
    }
    if (vector->child_count == 2 && count > 1) {
        WEIR_GO(order_entries(&vector->children[0], rows, count, err));
    }
    for (int32_t c = 0; c < vector->child_count; c++) {
        WEIR_GO(append_values(&vector->children[c], rows, count, out, err));
    }
done:
    free(rows);
    return code;
}

static int append_struct(const weir_vector *vector, int64_t row, weir_buffer *out, weir_error *err)
{
    size_t bits = out->size;
    weir_buffer_append_zeros(out, ((size_t)vector->child_count + 7) / 8);
    for (int32_t c = 0; c < vector->child_count; c++) {
        if (weir_vector_is_null(&vector->children[c], row)) {
            weir_bit_set(out->data + bits, c);
        } else {
            WEIR_TRY(append_value(&vector->children[c], row, out, err));
        }
    }
    return WEIR_OK;
}

static int append_value(const weir_vector *vector, int64_t row, weir_buffer *out, weir_error *err)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BYTES: {
        weir_slice text = weir_vector_bytes(vector, row);
        append_length(out, (uint32_t)text.size);
        weir_buffer_append(out, text.data, text.size);
        return WEIR_OK;
    }
    case WEIR_LAYOUT_LIST:
        return append_list(vector, row, out, err);
    case WEIR_LAYOUT_STRUCT:
        return append_struct(vector, row, out, err);
    case WEIR_LAYOUT_NONE:
        return WEIR_OK;
    default: {
        uint32_t width = weir_row_value_width(vector);
        weir_buffer_reserve(out, width);
        weir_row_put_fixed(out->data + out->size, vector, row);
        out->size += width;
        return WEIR_OK;
    }
    }
}

/* --- a row ------------------------------------------------------------------------------------------------------- */

static int32_t column_at(const int32_t *columns, int32_t i) { return columns == NULL ? i : columns[i]; }

int weir_row_encode(const weir_batch *batch, const int32_t *columns, int32_t column_count, int64_t row,
                    weir_buffer *out, weir_error *err)
{
    int32_t count = columns == NULL ? batch->column_count : column_count;
    weir_buffer_append_byte(out, WEIR_ROW_FORMAT_VERSION);
    size_t bits = out->size;
    weir_buffer_append_zeros(out, ((size_t)count + 7) / 8);
    for (int32_t c = 0; c < count; c++) {
        const weir_vector *column = &batch->columns[column_at(columns, c)];
        if (weir_vector_is_null(column, row)) {
            weir_bit_set(out->data + bits, c);
        } else {
            WEIR_TRY(append_value(column, row, out, err));
        }
    }
    return WEIR_OK;
}

/* --- all rows of plain columns ----------------------------------------------------------------------------------- */

static void add_sizes(const weir_vector *column, int64_t length, uint32_t *sizes)
{
    if (column->layout == WEIR_LAYOUT_BYTES) {
        for (int64_t i = 0; i < length; i++) {
            uint32_t size = (uint32_t)(column->offsets[i + 1] - column->offsets[i]);
            sizes[i] += weir_vector_is_null(column, i) ? 0 : size + weir_row_length_bytes(size);
        }
        return;
    }
    uint32_t width = weir_row_value_width(column);
    for (int64_t i = 0; i < length; i++) {
        sizes[i] += width;
    }
    for (int64_t i = 0; column->validity != NULL && i < length; i++) {
        sizes[i] -= weir_bit_get(column->validity, i) ? 0 : width;
    }
}

#define DEFINE_PUT(name, ctype)                                                                                        \
    static void name(const ctype *values, int64_t length, uint8_t *bytes, uint32_t *cursors)                           \
    {                                                                                                                  \
        for (int64_t i = 0; i < length; i++) {                                                                         \
            memcpy(bytes + cursors[i], &values[i], sizeof(ctype));                                                     \
            cursors[i] += (uint32_t)sizeof(ctype);                                                                     \
        }                                                                                                              \
    }
DEFINE_PUT(put_32, uint32_t)
DEFINE_PUT(put_64, uint64_t)

static void put_column(const weir_vector *column, int64_t length, uint8_t *bytes, uint32_t *cursors)
{
    bool is_float = column->type->id == WEIR_FLOAT || column->type->id == WEIR_DOUBLE;
    if (column->layout == WEIR_LAYOUT_32 && !is_float && column->validity == NULL) {
        put_32(WEIR_VALUES(column, uint32_t), length, bytes, cursors);
        return;
    }
    if (column->layout == WEIR_LAYOUT_64 && !is_float && column->validity == NULL) {
        put_64(WEIR_VALUES(column, uint64_t), length, bytes, cursors);
        return;
    }
    uint32_t width = weir_row_value_width(column);
    for (int64_t i = 0; i < length; i++) {
        if (weir_vector_is_null(column, i)) {
            continue;
        }
        uint8_t *to = bytes + cursors[i];
        if (column->layout != WEIR_LAYOUT_BYTES) {
            weir_row_put_fixed(to, column, i);
            cursors[i] += width;
            continue;
        }
        weir_slice text = weir_vector_bytes(column, i);
        to = weir_row_put_length(to, (uint32_t)text.size);
        if (text.size > 0) {
            memcpy(to, text.data, text.size);
        }
        cursors[i] = (uint32_t)(to + text.size - bytes);
    }
}

static void put_null_bits(const weir_vector *column, int32_t bit, int64_t length, uint8_t *bytes,
                          const uint32_t *offsets)
{
    bool all = column->layout == WEIR_LAYOUT_NONE;
    for (int64_t i = 0; (all || column->validity != NULL) && i < length; i++) {
        if (all || !weir_bit_get(column->validity, i)) {
            weir_bit_set(bytes + offsets[i] + 1, bit);
        }
    }
}

static int encode_plain(const weir_batch *batch, const int32_t *columns, int32_t count, weir_buffer *out,
                        uint32_t *offsets, weir_error *err)
{
    uint32_t header = 1 + ((uint32_t)count + 7) / 8;
    int64_t length = batch->length;
    uint32_t *cursors = weir_alloc(((size_t)length + 1) * sizeof *cursors);
    for (int64_t i = 0; i < length; i++) {
        cursors[i] = header;
    }
    for (int32_t c = 0; c < count; c++) {
        add_sizes(&batch->columns[column_at(columns, c)], length, cursors);
    }
    uint64_t end = out->size;
    for (int64_t i = 0; i < length; i++) {
        offsets[i] = (uint32_t)end;
        end += cursors[i];
        cursors[i] = offsets[i] + header;
    }
    if (end > UINT32_MAX) {
        free(cursors);
        return weir_fail(err, WEIR_INVALID, "the rows of one batch take %" PRIu64 " bytes; use smaller batches", end);
    }
    offsets[length] = (uint32_t)end;
    weir_buffer_reserve(out, (size_t)(end - out->size));
    for (int64_t i = 0; i < length; i++) {
        out->data[offsets[i]] = WEIR_ROW_FORMAT_VERSION;
        memset(out->data + offsets[i] + 1, 0, header - 1);
    }
    for (int32_t c = 0; c < count; c++) {
        const weir_vector *column = &batch->columns[column_at(columns, c)];
        put_null_bits(column, c, length, out->data, offsets);
        put_column(column, length, out->data, cursors);
    }
    out->size = (size_t)end;
    free(cursors);
    return WEIR_OK;
}

static bool is_nested(const weir_vector *column)
{
    return column->layout == WEIR_LAYOUT_LIST || column->layout == WEIR_LAYOUT_STRUCT;
}

int weir_rows_encode(const weir_batch *batch, const int32_t *columns, int32_t column_count, weir_buffer *out,
                     uint32_t *offsets, weir_error *err)
{
    int32_t count = columns == NULL ? batch->column_count : column_count;
    bool nested = false;
    for (int32_t c = 0; c < count; c++) {
        nested = nested || is_nested(&batch->columns[column_at(columns, c)]);
    }
    if (!nested) {
        return encode_plain(batch, columns, count, out, offsets, err);
    }
    offsets[0] = (uint32_t)out->size;
    for (int64_t row = 0; row < batch->length; row++) {
        WEIR_TRY(weir_row_encode(batch, columns, column_count, row, out, err));
        if (out->size > UINT32_MAX) {
            return weir_fail(err, WEIR_INVALID, "the rows of one batch take more than 4 GB; use smaller batches");
        }
        offsets[row + 1] = (uint32_t)out->size;
    }
    return WEIR_OK;
}
