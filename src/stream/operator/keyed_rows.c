/* Rows as bytes, by key (keyed_rows.h). */
#include "stream/operator/keyed_rows.h"

#include <stdlib.h>

#include "base/alloc.h"

int weir_keyed_rows_open(weir_keyed_rows *rows, weir_state_backend *backend, const weir_state_options *options,
                         const int32_t *key, int32_t key_count, weir_error *err)
{
    rows->key = weir_alloc((size_t)key_count * sizeof *key);
    memcpy(rows->key, key, (size_t)key_count * sizeof *key);
    rows->key_count = key_count;
    return weir_value_state_open(backend, options, &rows->state, err);
}

int weir_keyed_rows_take(weir_keyed_rows *rows, const weir_batch *batch, weir_error *err)
{
    size_t room = rows->capacity;
    WEIR_GROW(rows->slots, rows->capacity, batch->length + 1);
    if (rows->capacity != room) {
        rows->offsets = weir_realloc(rows->offsets, rows->capacity * sizeof *rows->offsets);
    }
    weir_sort_keys_clear(&rows->keys);
    weir_buffer_clear(&rows->bytes);
    WEIR_TRY(weir_state_keys_append(&rows->keys, batch, rows->key, rows->key_count, err));
    WEIR_TRY(weir_value_state_fetch(rows->state, &rows->keys, rows->slots, err));
    return weir_rows_encode(batch, NULL, batch->column_count, &rows->bytes, rows->offsets, err);
}

void weir_keyed_rows_free(weir_keyed_rows *rows)
{
    if (rows->state != NULL) {
        weir_value_state_close(rows->state);
    }
    free(rows->key);
    weir_sort_keys_free(&rows->keys);
    weir_buffer_free(&rows->bytes);
    free(rows->slots);
    free(rows->offsets);
    *rows = (weir_keyed_rows){0};
}

int weir_batch_append_encoded(weir_batch *batch, weir_slice row, int8_t kind, weir_error *err)
{
    WEIR_TRY(weir_row_decode(row, batch, 0, batch->column_count, err));
    weir_batch_reserve_kinds(batch, batch->length + 1);
    batch->kinds[batch->length++] = kind;
    return WEIR_OK;
}
