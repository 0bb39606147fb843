/* The keys of a moment lie one after the other in chunks, which are value state; the moments are a queue.
 *
 *   value   moment: 8 | number of the chunk: 4 -> | size: 4 | key | size: 4 | key | …
 *   queue   moment -> number of the last chunk: 4 */
#include "stream/operator/window/due_list.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/time_queue.h"

enum { chunk_size = 32768, size_bytes = 4, taken_bytes = 262144 };

/* What came for a moment since the last flush. */
typedef struct moment_keys {
    int64_t due;
    weir_buffer keys;
} moment_keys;

struct weir_due_list {
    weir_value_state *chunks;
    weir_time_queue *moments;
    moment_keys *added;
    int32_t added_count;
    size_t added_capacity;
    int32_t last_added;
    /* the moment that is being taken */
    int64_t due;
    uint32_t chunk, last_chunk;
    bool taking;
    weir_buffer taken;
    weir_slice *keys;
    size_t keys_capacity;
};

int weir_due_list_open(const weir_operator_context *context, const char *uid, weir_due_list **out, weir_error *err)
{
    weir_due_list *list = weir_alloc_zeroed(1, sizeof *list);
    const weir_state_options chunks = {.uid = uid, .name = "due"};
    int code = weir_value_state_open(context->state, &chunks, &list->chunks, err);
    if (code == WEIR_OK) {
        code = weir_time_queue_open(context, uid, "moments", &list->moments, err);
    }
    if (code != WEIR_OK) {
        weir_due_list_close(list);
        return code;
    }
    *out = list;
    return WEIR_OK;
}

void weir_due_list_close(weir_due_list *list)
{
    if (list == NULL) {
        return;
    }
    if (list->chunks != NULL) {
        weir_value_state_close(list->chunks);
    }
    weir_time_queue_close(list->moments);
    for (size_t i = 0; i < list->added_capacity; i++) {
        weir_buffer_free(&list->added[i].keys);
    }
    weir_buffer_free(&list->taken);
    free(list->added);
    free(list->keys);
    free(list);
}

/* --- Adding ---------------------------------------------------------------------------------------------------- */

/* The keys that wait for a moment: few moments are met in one batch, mostly the same as for the key before. */
static moment_keys *find_moment(weir_due_list *list, int64_t due)
{
    if (list->last_added < list->added_count && list->added[list->last_added].due == due) {
        return &list->added[list->last_added];
    }
    for (int32_t i = list->added_count - 1; i >= 0; i--) {
        if (list->added[i].due == due) {
            list->last_added = i;
            return &list->added[i];
        }
    }
    if ((size_t)list->added_count == list->added_capacity) {
        size_t capacity = list->added_capacity == 0 ? 8 : list->added_capacity * 2;
        list->added = weir_realloc(list->added, capacity * sizeof *list->added);
        memset(list->added + list->added_capacity, 0, (capacity - list->added_capacity) * sizeof *list->added);
        list->added_capacity = capacity;
    }
    list->last_added = list->added_count++;
    list->added[list->last_added].due = due;
    return &list->added[list->last_added];
}

void weir_due_list_add(weir_due_list *list, int64_t due, weir_slice key)
{
    uint8_t size[size_bytes];
    weir_buffer *keys = &find_moment(list, due)->keys;
    weir_store_le32(size, (uint32_t)key.size);
    weir_buffer_append(keys, size, sizeof size);
    weir_buffer_append(keys, key.data, key.size);
}

static int fetch_chunk(weir_due_list *list, int64_t due, uint32_t chunk, weir_state_slot *out, weir_error *err)
{
    uint8_t bytes[12];
    weir_sort_keys key = {0};
    weir_store_be64(bytes, (uint64_t)due);
    weir_store_be32(bytes + 8, chunk);
    weir_byte_keys_add(&key, weir_slice_of(bytes, sizeof bytes));
    int code = weir_value_state_fetch(list->chunks, &key, out, err);
    weir_sort_keys_free(&key);
    return code;
}

static int put_last_chunk(weir_due_list *list, int64_t due, uint32_t chunk, weir_error *err)
{
    uint8_t bytes[4];
    weir_store_le32(bytes, chunk);
    return weir_time_queue_put(list->moments, due, weir_slice_of(NULL, 0), weir_slice_of(bytes, sizeof bytes), err);
}

static int append_keys(weir_due_list *list, const moment_keys *added, weir_error *err)
{
    bool found;
    weir_slice value;
    weir_state_slot slot;
    uint8_t *bytes;
    WEIR_TRY(weir_time_queue_get(list->moments, added->due, weir_slice_of(NULL, 0), &found, &value, err));
    uint32_t last = found ? weir_load_le32(value.data) : 0;
    WEIR_TRY(fetch_chunk(list, added->due, last, &slot, err));
    size_t used = weir_value_state_get(list->chunks, slot).size;
    if (used >= chunk_size) {
        WEIR_TRY(fetch_chunk(list, added->due, ++last, &slot, err));
        used = 0;
    }
    WEIR_TRY(weir_value_state_edit(list->chunks, slot, used + added->keys.size, &bytes, err));
    memcpy(bytes + used, added->keys.data, added->keys.size);
    return found && used > 0 ? WEIR_OK : put_last_chunk(list, added->due, last, err);
}

int weir_due_list_flush(weir_due_list *list, weir_error *err)
{
    int code = WEIR_OK;
    for (int32_t i = 0; i < list->added_count && code == WEIR_OK; i++) {
        code = append_keys(list, &list->added[i], err);
        weir_buffer_clear(&list->added[i].keys);
    }
    list->added_count = 0;
    return code;
}

/* --- Taking ---------------------------------------------------------------------------------------------------- */

static int take_chunk(weir_due_list *list, weir_error *err)
{
    weir_state_slot slot;
    WEIR_TRY(fetch_chunk(list, list->due, list->chunk, &slot, err));
    weir_slice bytes = weir_value_state_get(list->chunks, slot);
    weir_buffer_append(&list->taken, bytes.data, bytes.size);
    weir_value_state_remove(list->chunks, slot);
    list->taking = list->chunk++ < list->last_chunk;
    return WEIR_OK;
}

static int next_moment(weir_due_list *list, int64_t moment, bool *out_found, weir_error *err)
{
    int64_t due;
    weir_slice value;
    WEIR_TRY(weir_time_queue_first(list->moments, moment, &due, err));
    *out_found = due != INT64_MAX;
    if (!*out_found) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_time_queue_get(list->moments, due, weir_slice_of(NULL, 0), out_found, &value, err));
    list->due = due;
    list->chunk = 0;
    list->last_chunk = weir_load_le32(value.data);
    list->taking = true;
    return weir_time_queue_remove(list->moments, due, weir_slice_of(NULL, 0), err);
}

static int64_t list_keys(weir_due_list *list)
{
    int64_t count = 0;
    for (size_t at = 0; at < list->taken.size;) {
        size_t size = weir_load_le32(list->taken.data + at);
        WEIR_GROW(list->keys, list->keys_capacity, count + 1);
        list->keys[count++] = weir_slice_of(list->taken.data + at + size_bytes, size);
        at += size_bytes + size;
    }
    return count;
}

int weir_due_list_take(weir_due_list *list, int64_t moment, const weir_slice **out, int64_t *out_count, weir_error *err)
{
    bool more = true;
    weir_buffer_clear(&list->taken);
    while (more && list->taken.size < taken_bytes) {
        if (!list->taking) {
            WEIR_TRY(next_moment(list, moment, &more, err));
        }
        if (more) {
            WEIR_TRY(take_chunk(list, err));
        }
    }
    *out_count = list_keys(list);
    *out = list->keys;
    return WEIR_OK;
}
