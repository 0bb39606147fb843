/* The open sessions of a key are a map of state, and wait in a queue to be closed:
 *
 *   map     start, ascending as bytes: 8 -> end: 8 | number: 8
 *   queue   when it was due when it began to wait | number: 8 | key -> nothing
 *
 * A session waits once. Where it is longer than it was when it began to wait, it waits again; where it became part of
 * another, which waits as well, it is passed over. A number is the start that a session began with: no other one of the
 * key can begin there while it lasts. */
#include "stream/operator/window/sessions.h"

#include <stdlib.h>

#include "base/alloc.h"

enum { entry_size = 16 };

struct weir_sessions {
    weir_map_state *open;
    weir_time_queue *waiting;
    const weir_zone *zone;
    int64_t gap_ms;
    int64_t *merged;
    size_t merged_capacity;
    weir_session_window *touched;
    size_t touched_capacity;
    weir_buffer key;
    weir_closed_session *closed;
    size_t closed_capacity;
};

int weir_sessions_open(const weir_sessions_options *options, weir_sessions **out, weir_error *err)
{
    weir_sessions *self = weir_alloc_zeroed(1, sizeof *self);
    const weir_state_options open = {.uid = options->uid, .name = "sessions"};
    self->gap_ms = options->gap_ms;
    self->zone = options->zone;
    int code = weir_map_state_open(options->context->state, &open, &self->open, err);
    if (code == WEIR_OK) {
        code = weir_time_queue_open(options->context, options->uid, "waiting", &self->waiting, err);
    }
    if (code != WEIR_OK) {
        weir_sessions_close(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_sessions_close(weir_sessions *self)
{
    if (self == NULL) {
        return;
    }
    weir_map_state_close(self->open);
    weir_time_queue_close(self->waiting);
    weir_buffer_free(&self->key);
    free(self->merged);
    free(self->touched);
    free(self->closed);
    free(self);
}

/* --- Bytes ----------------------------------------------------------------------------------------------------- */

static weir_slice start_bytes(int64_t start, uint8_t bytes[8])
{
    weir_store_be64(bytes, (uint64_t)start ^ (UINT64_C(1) << 63));
    return weir_slice_of(bytes, 8);
}

static weir_session_window load_window(weir_slice subkey, weir_slice value)
{
    return (weir_session_window){.start = (int64_t)(weir_load_be64(subkey.data) ^ (UINT64_C(1) << 63)),
                                 .end = (int64_t)weir_load_le64(value.data),
                                 .number = (int64_t)weir_load_le64(value.data + 8)};
}

static int put_window(weir_sessions *self, weir_state_slot slot, const weir_session_window *window, weir_error *err)
{
    uint8_t start[8];
    uint8_t entry[entry_size];
    weir_store_le64(entry, (uint64_t)window->end);
    weir_store_le64(entry + 8, (uint64_t)window->number);
    return weir_map_state_put(self->open, slot, start_bytes(window->start, start), weir_slice_of(entry, sizeof entry),
                              err);
}

static int remove_window(weir_sessions *self, weir_state_slot slot, int64_t start, weir_error *err)
{
    uint8_t bytes[8];
    return weir_map_state_remove(self->open, slot, start_bytes(start, bytes), err);
}

static int wait(weir_sessions *self, weir_slice key, const weir_session_window *window, weir_error *err)
{
    uint8_t number[8];
    weir_store_le64(number, (uint64_t)window->number);
    weir_buffer_clear(&self->key);
    weir_buffer_append(&self->key, number, sizeof number);
    weir_buffer_append(&self->key, key.data, key.size);
    return weir_time_queue_put(self->waiting, weir_window_due(self->zone, window->end - 1),
                               weir_buffer_slice(&self->key), weir_slice_of(NULL, 0), err);
}

/* --- Rows that come -------------------------------------------------------------------------------------------- */

/* The sessions of a key that a row at a time belongs to, in the order of their starts. */
static int find_touched(weir_sessions *self, weir_state_slot slot, int64_t time, int32_t *out_count, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    int32_t count = 0;
    int code;
    WEIR_TRY(weir_map_cursor_open(self->open, slot, weir_slice_of(NULL, 0), &cursor, err));
    while ((code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        weir_session_window window = load_window(subkey, value);
        if (window.start > time + self->gap_ms) {
            break;
        }
        if (window.end >= time) {
            WEIR_GROW(self->touched, self->touched_capacity, count + 1);
            self->touched[count++] = window;
        }
    }
    weir_map_cursor_close(cursor);
    *out_count = count;
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_sessions_add(weir_sessions *self, weir_slice key, int64_t time, int64_t closed, bool *out_late,
                      weir_session_window *out, const int64_t **merged, int32_t *out_merged, weir_error *err)
{
    weir_state_slot slot;
    int32_t count;
    weir_session_window window = {time, time + self->gap_ms, time};
    *out_merged = 0;
    *out_late = false;
    WEIR_TRY(weir_map_state_fetch_one(self->open, key, &slot, err));
    WEIR_TRY(find_touched(self, slot, time, &count, err));
    if (count == 0 && weir_window_due(self->zone, window.end - 1) <= closed) {
        *out_late = true;
        return WEIR_OK;
    }
    WEIR_GROW(self->merged, self->merged_capacity, count);
    bool same = count == 1 && self->touched[0].start <= window.start && self->touched[0].end >= window.end;
    for (int32_t i = 0; i < count; i++) {
        const weir_session_window *other = &self->touched[i];
        window.start = other->start < window.start ? other->start : window.start;
        window.end = other->end > window.end ? other->end : window.end;
        if (i == 0) {
            window.number = other->number;
        } else {
            self->merged[(*out_merged)++] = other->number;
        }
        if (!same && (i > 0 || other->start != window.start)) {
            WEIR_TRY(remove_window(self, slot, other->start, err));
        }
    }
    *merged = self->merged;
    *out = window;
    WEIR_TRY(same ? WEIR_OK : put_window(self, slot, &window, err));
    return count == 0 ? wait(self, key, &window, err) : WEIR_OK;
}

/* --- Sessions that close --------------------------------------------------------------------------------------- */

/* The session of a number, if it is still there. */
static int find_number(weir_sessions *self, weir_slice key, int64_t number, weir_state_slot *out_slot, bool *out_found,
                       weir_session_window *out, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    int code;
    *out_found = false;
    WEIR_TRY(weir_map_state_fetch_one(self->open, key, out_slot, err));
    WEIR_TRY(weir_map_cursor_open(self->open, *out_slot, weir_slice_of(NULL, 0), &cursor, err));
    while (!*out_found && (code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK) {
        *out = load_window(subkey, value);
        *out_found = out->number == number;
    }
    weir_map_cursor_close(cursor);
    return *out_found || code == WEIR_END ? WEIR_OK : code;
}

/* Closes the session of an entry, lets it wait on, or passes it over. */
static int close_entry(weir_sessions *self, const weir_time_entry *entry, int64_t *count, weir_error *err)
{
    weir_slice key = weir_slice_of(entry->key.data + 8, entry->key.size - 8);
    weir_state_slot slot;
    weir_session_window window;
    bool found;
    WEIR_TRY(find_number(self, key, (int64_t)weir_load_le64(entry->key.data), &slot, &found, &window, err));
    if (!found) {
        return WEIR_OK;
    }
    if (weir_window_due(self->zone, window.end - 1) > entry->time) {
        return wait(self, key, &window, err);
    }
    WEIR_GROW(self->closed, self->closed_capacity, *count + 1);
    self->closed[(*count)++] = (weir_closed_session){key, window};
    return remove_window(self, slot, window.start, err);
}

int weir_sessions_take(weir_sessions *self, int64_t moment, const weir_closed_session **out, int64_t *out_count,
                       weir_error *err)
{
    const weir_time_entry *entries;
    int64_t due = 0;
    *out_count = 0;
    do {
        WEIR_TRY(weir_time_queue_take(self->waiting, moment, &entries, &due, err));
        for (int64_t i = 0; i < due; i++) {
            WEIR_TRY(close_entry(self, &entries[i], out_count, err));
        }
    } while (due > 0 && *out_count == 0);
    *out = self->closed;
    return WEIR_OK;
}
