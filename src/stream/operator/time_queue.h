/* What waits for its moment: bytes in state, in the order of their times and then of their keys. Windows that are to
 * close, rows that are to come in order. */
#ifndef WEIR_STREAM_TIME_QUEUE_H
#define WEIR_STREAM_TIME_QUEUE_H

#include "stream/operator/operator.h"

typedef struct weir_time_queue weir_time_queue;

typedef struct weir_time_entry {
    int64_t time;
    weir_slice key;
    weir_slice value;
} weir_time_entry;

/* `name`: which queue of the operator. */
int weir_time_queue_open(const weir_operator_context *context, const char *uid, const char *name, weir_time_queue **out,
                         weir_error *err);
void weir_time_queue_close(weir_time_queue *queue); /* NULL is fine */

/* Adds an entry; it replaces one of the same time and key. */
int weir_time_queue_put(weir_time_queue *queue, int64_t time, weir_slice key, weir_slice value, weir_error *err);

/* The value of an entry, good until the queue is changed; and taking one out. */
int weir_time_queue_get(weir_time_queue *queue, int64_t time, weir_slice key, bool *out_found, weir_slice *out,
                        weir_error *err);
int weir_time_queue_remove(weir_time_queue *queue, int64_t time, weir_slice key, weir_error *err);

/* Adds a row of a batch (as row_codec.h has it). Rows of one time and key wait in the order in which they came. */
int weir_time_queue_put_row(weir_time_queue *queue, int64_t time, weir_slice key, const weir_batch *batch, int64_t row,
                            weir_error *err);

/* The first time there is, if it is not after `last`; INT64_MAX otherwise. */
int weir_time_queue_first(weir_time_queue *queue, int64_t last, int64_t *out, weir_error *err);

/* Takes the first entries out of those up to `last`, some at a time, but all of one time together; none: there are no
 * more. They are good until the next take. */
int weir_time_queue_take(weir_time_queue *queue, int64_t last, const weir_time_entry **out, int64_t *out_count,
                         weir_error *err);

/* Of an entry of put_row: its key without what keeps rows apart. */
static inline weir_slice weir_time_entry_row_key(const weir_time_entry *entry)
{
    return weir_slice_of(entry->key.data, entry->key.size - 8);
}

#endif
