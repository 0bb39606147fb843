/* Keys of state: sort keys, or where columns are nested, rows as bytes. */
#include <stdlib.h>

#include "stream/state/row_codec.h"
#include "stream/state/state.h"

#define SLACK_BYTES 8 /* after the last key, as sort_key.h has it, so that a prefix is one load */

static bool has_sort_key(const weir_vector *column)
{
    return !weir_type_is_nested(column->type) && column->layout != WEIR_LAYOUT_NONE;
}

static int grow(void **array, size_t used, size_t wanted, size_t element_size, weir_error *err)
{
    void *grown = NULL;
    WEIR_TRY(weir_alloc_checked(wanted, element_size, &grown, err));
    if (used > 0) {
        memcpy(grown, *array, used * element_size);
    }
    free(*array);
    *array = grown;
    return WEIR_OK;
}

static int reserve(weir_sort_keys *keys, size_t rows, size_t bytes, weir_error *err)
{
    size_t used = (size_t)keys->length;
    if (used + rows > keys->length_capacity || keys->offsets == NULL) {
        size_t wanted = used + rows > keys->length_capacity * 2 ? used + rows : keys->length_capacity * 2;
        bool is_first = keys->offsets == NULL;
        WEIR_TRY(grow((void **)&keys->prefixes, used, wanted, sizeof *keys->prefixes, err));
        WEIR_TRY(grow((void **)&keys->offsets, is_first ? 0 : used + 1, wanted + 1, sizeof *keys->offsets, err));
        keys->offsets[used] = is_first ? 0 : keys->offsets[used];
        keys->length_capacity = wanted;
    }
    size_t used_bytes = (size_t)keys->offsets[used];
    if (used_bytes + bytes + SLACK_BYTES > keys->bytes_capacity) {
        size_t wanted = used_bytes + bytes + SLACK_BYTES;
        wanted = wanted > keys->bytes_capacity * 2 ? wanted : keys->bytes_capacity * 2;
        WEIR_TRY(grow((void **)&keys->bytes, used_bytes, wanted, 1, err));
        keys->bytes_capacity = wanted;
    }
    return WEIR_OK;
}

static int append_rows(weir_sort_keys *keys, weir_slice rows, const uint32_t *offsets, int64_t count, weir_error *err)
{
    WEIR_TRY(reserve(keys, (size_t)count, rows.size, err));
    uint64_t *key_offsets = keys->offsets + keys->length;
    uint8_t *bytes = keys->bytes + key_offsets[0];
    memcpy(bytes, rows.data, rows.size);
    memset(bytes + rows.size, 0, SLACK_BYTES);
    for (int64_t i = 0; i < count; i++) {
        key_offsets[i + 1] = key_offsets[0] + offsets[i + 1];
        uint32_t size = offsets[i + 1] - offsets[i];
        uint64_t mask = size >= 8 ? UINT64_MAX : UINT64_MAX << (64 - size * 8);
        keys->prefixes[keys->length + i] = weir_load_be64(bytes + offsets[i]) & mask;
    }
    keys->length += count;
    return WEIR_OK;
}

int weir_state_keys_append(weir_sort_keys *keys, const weir_batch *batch, const int32_t *columns, int32_t column_count,
                           weir_error *err)
{
    bool plain = true;
    for (int32_t c = 0; c < column_count; c++) {
        plain = plain && has_sort_key(&batch->columns[columns[c]]);
    }
    if (plain) {
        return weir_sort_keys_append(keys, batch, columns, column_count, err);
    }
    if (keys->whole && keys->length > 0) {
        return weir_fail(err, WEIR_INVALID, "rows with other key columns cannot be added to these keys");
    }
    if (keys->whole) {
        weir_sort_keys_free(keys);
    }
    if (batch->length == 0) {
        return WEIR_OK;
    }
    int code = WEIR_OK;
    weir_buffer rows = {0};
    uint32_t *offsets = weir_alloc(((size_t)batch->length + 1) * sizeof *offsets);
    WEIR_GO(weir_rows_encode(batch, columns, column_count, &rows, offsets, err));
    WEIR_GO(append_rows(keys, weir_buffer_slice(&rows), offsets, batch->length, err));
done:
    free(offsets);
    weir_buffer_free(&rows);
    return code;
}
