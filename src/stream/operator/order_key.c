/* Building keys of ORDER BY, from the ascending keys of single columns (vector/sort_key.h):
 *
 *   | 1, or 0 when NULL (2 with NULLS LAST), if the type is nullable | value |     and again for the next column
 *
 * Text is ended by 00 00, its own 00 being 00 FF. What is descending has all its bits flipped; NULLS FIRST is then 00.
 */
#include "stream/operator/order_key.h"

#include <stdlib.h>

#include "base/alloc.h"

#define NULL_LAST 2

static void append_escaped(weir_buffer *out, const uint8_t *bytes, size_t size)
{
    static const uint8_t zero[] = {0x00, 0xff}, end[] = {0x00, 0x00};
    while (size > 0) {
        const uint8_t *at = memchr(bytes, 0, size);
        size_t plain = at == NULL ? size : (size_t)(at - bytes);
        weir_buffer_append(out, bytes, plain);
        if (at == NULL) {
            break;
        }
        weir_buffer_append(out, zero, sizeof zero);
        bytes += plain + 1;
        size -= plain + 1;
    }
    weir_buffer_append(out, end, sizeof end);
}

static void append_value(weir_buffer *out, const weir_vector *column, const weir_sort_keys *keys, int64_t row)
{
    uint8_t whole[8];
    if (keys->whole) {
        weir_store_be64(whole, keys->prefixes[row]);
        weir_buffer_append(out, whole, sizeof whole);
        return;
    }
    const uint8_t *bytes = keys->bytes + keys->offsets[row];
    size_t size = (size_t)(keys->offsets[row + 1] - keys->offsets[row]);
    size_t marker = column->type->nullable ? 1 : 0;
    if (column->layout != WEIR_LAYOUT_BYTES) {
        weir_buffer_append(out, bytes, size);
        return;
    }
    weir_buffer_append(out, bytes, marker);
    if (!weir_vector_is_null(column, row)) {
        append_escaped(out, bytes + marker, size - marker);
    }
}

static void append_key(weir_buffer *out, const weir_vector *column, const weir_sort_keys *keys, int64_t row,
                       const weir_sort_key *sort_key)
{
    size_t from = out->size;
    append_value(out, column, keys, row);
    if (sort_key->descending) {
        for (size_t i = from; i < out->size; i++) {
            out->data[i] = (uint8_t)~out->data[i];
        }
    }
    if (weir_vector_is_null(column, row) && sort_key->nulls_first == sort_key->descending) {
        out->data[from] = sort_key->descending ? 0 : NULL_LAST;
    }
}

/* A column of keys is made at a time, but the keys of a row stand together: so all columns' keys are kept meanwhile. */
static int append_rows(weir_order_keys *keys, const weir_sort_keys *columns, const weir_batch *batch,
                       int32_t first_column, const weir_sort_key *sort_keys, int32_t sort_key_count, weir_error *err)
{
    for (int64_t row = 0; row < batch->length; row++) {
        for (int32_t c = 0; c < sort_key_count; c++) {
            append_key(&keys->bytes, &batch->columns[first_column + c], &columns[c], row, &sort_keys[c]);
        }
        if (keys->bytes.size > UINT32_MAX) {
            return weir_fail(err, WEIR_UNSUPPORTED, "the ORDER BY keys of one batch take more than 4 GB");
        }
        keys->offsets[row + 1] = (uint32_t)keys->bytes.size;
    }
    return WEIR_OK;
}

int weir_order_keys_build(weir_order_keys *keys, const weir_batch *batch, int32_t first_column,
                          const weir_sort_key *sort_keys, int32_t sort_key_count, weir_error *err)
{
    int code = WEIR_OK;
    weir_sort_keys *columns = weir_alloc_zeroed((size_t)sort_key_count + 1, sizeof *columns);
    if (batch->length + 1 > keys->capacity) {
        keys->capacity = batch->length + 1;
        keys->offsets = weir_realloc(keys->offsets, (size_t)keys->capacity * sizeof *keys->offsets);
    }
    weir_buffer_clear(&keys->bytes);
    keys->offsets[0] = 0;
    for (int32_t c = 0; c < sort_key_count && code == WEIR_OK; c++) {
        int32_t column = first_column + c;
        code = weir_sort_keys_append(&columns[c], batch, &column, 1, err);
    }
    if (code == WEIR_OK) {
        code = append_rows(keys, columns, batch, first_column, sort_keys, sort_key_count, err);
    }
    for (int32_t c = 0; c < sort_key_count; c++) {
        weir_sort_keys_free(&columns[c]);
    }
    free(columns);
    return code;
}

void weir_order_keys_free(weir_order_keys *keys)
{
    weir_buffer_free(&keys->bytes);
    free(keys->offsets);
    *keys = (weir_order_keys){0};
}
