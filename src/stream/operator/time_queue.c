/* A queue is one map of state:
 *
 *   | time, ascending as bytes: 8 | key | of rows: number: 8 | -> value
 *
 * Most of the time nothing is due: the first time is remembered, so that asking costs nothing. */
#include "stream/operator/time_queue.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "stream/state/row_codec.h"

struct weir_time_queue {
    weir_map_state *state;
    weir_state_slot slot; /* of the one map, by find_map() */
    int64_t first;   /* no entry is before it */
    uint64_t number; /* of the next row */
    weir_buffer subkey;
    weir_buffer bytes; /* of the entries that were taken: subkeys and values */
    weir_buffer row;
    weir_time_entry *entries;
    size_t capacity;
};

enum { time_size = 8, number_size = 8, most_taken = 4096 };

int weir_time_queue_open(const weir_operator_context *context, const char *uid, const char *name, weir_time_queue **out,
                         weir_error *err)
{
    weir_time_queue *queue = weir_alloc_zeroed(1, sizeof *queue);
    const weir_state_options options = {.uid = uid, .name = name};
    int code = weir_map_state_open(context->state, &options, &queue->state, err);
    if (code != WEIR_OK) {
        weir_time_queue_close(queue);
        return code;
    }
    queue->first = INT64_MIN;
    /* above all numbers of earlier runs, which ended with a later checkpoint than they began with */
    queue->number = (uint64_t)weir_state_backend_last_checkpoint(context->state) << 32;
    *out = queue;
    return WEIR_OK;
}

void weir_time_queue_close(weir_time_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    weir_map_state_close(queue->state);
    weir_buffer_free(&queue->subkey);
    weir_buffer_free(&queue->bytes);
    weir_buffer_free(&queue->row);
    free(queue->entries);
    free(queue);
}

/* Before each use: between batches state may let go of the map, or move it. */
static int find_map(weir_time_queue *queue, weir_error *err)
{
    return weir_map_state_fetch_one(queue->state, weir_slice_of(NULL, 0), &queue->slot, err);
}

static void append_time(weir_buffer *out, int64_t time)
{
    uint8_t bytes[time_size];
    weir_store_be64(bytes, (uint64_t)time ^ (UINT64_C(1) << 63));
    weir_buffer_append(out, bytes, sizeof bytes);
}

static int64_t load_time(const uint8_t *bytes) { return (int64_t)(weir_load_be64(bytes) ^ (UINT64_C(1) << 63)); }

static void build_subkey(weir_time_queue *queue, int64_t time, weir_slice key)
{
    weir_buffer_clear(&queue->subkey);
    append_time(&queue->subkey, time);
    weir_buffer_append(&queue->subkey, key.data, key.size);
}

static int put_subkey(weir_time_queue *queue, int64_t time, weir_slice value, weir_error *err)
{
    queue->first = time < queue->first ? time : queue->first;
    WEIR_TRY(find_map(queue, err));
    return weir_map_state_put(queue->state, queue->slot, weir_buffer_slice(&queue->subkey), value, err);
}

int weir_time_queue_put(weir_time_queue *queue, int64_t time, weir_slice key, weir_slice value, weir_error *err)
{
    build_subkey(queue, time, key);
    return put_subkey(queue, time, value, err);
}

int weir_time_queue_get(weir_time_queue *queue, int64_t time, weir_slice key, bool *out_found, weir_slice *out,
                        weir_error *err)
{
    build_subkey(queue, time, key);
    WEIR_TRY(find_map(queue, err));
    return weir_map_state_get(queue->state, queue->slot, weir_buffer_slice(&queue->subkey), out_found, out, err);
}

int weir_time_queue_remove(weir_time_queue *queue, int64_t time, weir_slice key, weir_error *err)
{
    build_subkey(queue, time, key);
    WEIR_TRY(find_map(queue, err));
    return weir_map_state_remove(queue->state, queue->slot, weir_buffer_slice(&queue->subkey), err);
}

int weir_time_queue_put_row(weir_time_queue *queue, int64_t time, weir_slice key, const weir_batch *batch, int64_t row,
                            weir_error *err)
{
    uint8_t number[number_size];
    weir_buffer_clear(&queue->row);
    WEIR_TRY(weir_row_encode(batch, NULL, 0, row, &queue->row, err));
    weir_store_be64(number, queue->number++);
    build_subkey(queue, time, key);
    weir_buffer_append(&queue->subkey, number, sizeof number);
    return put_subkey(queue, time, weir_buffer_slice(&queue->row), err);
}

int weir_time_queue_first(weir_time_queue *queue, int64_t last, int64_t *out, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    *out = INT64_MAX;
    if (queue->first > last || queue->first == INT64_MAX) {
        return WEIR_OK;
    }
    WEIR_TRY(find_map(queue, err));
    WEIR_TRY(weir_map_cursor_open(queue->state, queue->slot, weir_slice_of(NULL, 0), &cursor, err));
    int code = weir_map_cursor_next(cursor, &subkey, &value, err);
    if (code == WEIR_OK || code == WEIR_END) {
        queue->first = code == WEIR_END ? INT64_MAX : load_time(subkey.data);
        *out = queue->first > last ? INT64_MAX : queue->first;
    }
    weir_map_cursor_close(cursor);
    return code == WEIR_END ? WEIR_OK : code;
}

/* Notes an entry; its bytes get their place once all are there. */
static void note(weir_time_queue *queue, int64_t index, weir_slice subkey, weir_slice value)
{
    weir_time_entry *entry = &queue->entries[index];
    entry->time = load_time(subkey.data);
    entry->key.size = subkey.size - time_size;
    entry->value.size = value.size;
    weir_buffer_append(&queue->bytes, subkey.data, subkey.size);
    weir_buffer_append(&queue->bytes, value.data, value.size);
}

/* Copies what is due, since a map may not be changed while it is walked. */
static int gather(weir_time_queue *queue, int64_t last, int64_t *out_count, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    int64_t count = 0;
    int code;
    WEIR_TRY(find_map(queue, err));
    WEIR_TRY(weir_map_cursor_open(queue->state, queue->slot, weir_slice_of(NULL, 0), &cursor, err));
    while ((code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        queue->first = load_time(subkey.data);
        if (queue->first > last || (count >= most_taken && queue->first > queue->entries[count - 1].time)) {
            break;
        }
        WEIR_GROW(queue->entries, queue->capacity, count + 1);
        note(queue, count++, subkey, value);
    }
    weir_map_cursor_close(cursor);
    if (code == WEIR_END) {
        queue->first = INT64_MAX;
    }
    *out_count = count;
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_time_queue_take(weir_time_queue *queue, int64_t last, const weir_time_entry **out, int64_t *out_count,
                         weir_error *err)
{
    *out = queue->entries;
    *out_count = 0;
    if (queue->first > last || queue->first == INT64_MAX) {
        return WEIR_OK;
    }
    int64_t count = 0;
    weir_buffer_clear(&queue->bytes);
    WEIR_TRY(gather(queue, last, &count, err));
    const uint8_t *bytes = queue->bytes.data;
    for (int64_t i = 0; i < count; i++) {
        weir_time_entry *entry = &queue->entries[i];
        weir_slice subkey = weir_slice_of(bytes, time_size + entry->key.size);
        entry->key.data = bytes + time_size;
        entry->value.data = bytes + subkey.size;
        bytes += subkey.size + entry->value.size;
        WEIR_TRY(weir_map_state_remove(queue->state, queue->slot, subkey, err));
    }
    *out = queue->entries;
    *out_count = count;
    return WEIR_OK;
}
