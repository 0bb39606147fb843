/* The rows of a batch as bytes, each with the slot of its key in value state: for operators that remember rows by key.
 */
#ifndef WEIR_STREAM_KEYED_ROWS_H
#define WEIR_STREAM_KEYED_ROWS_H

#include "stream/state/row_codec.h"
#include "stream/state/state.h"

typedef struct weir_keyed_rows {
    weir_value_state *state; /* key -> what the operator keeps of it */
    int32_t *key;            /* columns */
    int32_t key_count;
    weir_sort_keys keys;
    weir_state_slot *slots; /* of the batch's rows */
    uint32_t *offsets;      /* of rows, in `bytes` */
    size_t capacity;
    weir_buffer bytes;
} weir_keyed_rows; /* zero-initialized is empty */

/* Opens value state by the columns `key`, which are copied. What is open when it fails goes with weir_keyed_rows_free.
 */
int weir_keyed_rows_open(weir_keyed_rows *rows, weir_state_backend *backend, const weir_state_options *options,
                         const int32_t *key, int32_t key_count, weir_error *err);
void weir_keyed_rows_free(weir_keyed_rows *rows);

/* Takes the rows of `batch` instead of those before: their bytes, and the slots of their keys in `state`, good until
 * the next batch. */
int weir_keyed_rows_take(weir_keyed_rows *rows, const weir_batch *batch, weir_error *err);

static inline weir_slice weir_keyed_row(const weir_keyed_rows *rows, int64_t row)
{
    return weir_slice_of(rows->bytes.data + rows->offsets[row], rows->offsets[row + 1] - rows->offsets[row]);
}

/* Whether a row is a -U whose +U, of the same key, comes right behind it. */
static inline bool weir_keyed_rows_is_first_half(const weir_keyed_rows *rows, const weir_batch *batch, int64_t row)
{
    return weir_batch_kind(batch, row) == WEIR_UPDATE_BEFORE && row + 1 < batch->length &&
           weir_batch_kind(batch, row + 1) == WEIR_UPDATE_AFTER && rows->slots[row] == rows->slots[row + 1];
}

/* Appends a row that was kept as bytes. */
int weir_batch_append_encoded(weir_batch *batch, weir_slice row, int8_t kind, weir_error *err);

#endif
