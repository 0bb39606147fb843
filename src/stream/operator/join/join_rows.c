/* Rows of joins in map state: of one side, or of both with | side: 1 | before the row.
 *
 * An entry is two numbers of seven bits a byte, low bits first, the top bit saying that more follow: how often the row
 * is there, and its matches (left out when 0). So most entries take one byte. */
#include "stream/operator/join/join_rows.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "stream/state/row_codec.h"

#define ENTRY_BYTES 20

int weir_join_rows_open(weir_join_rows *self, const weir_operator_context *context, const char *uid, const char *name,
                        weir_error *err)
{
    weir_state_options options = {.uid = uid, .name = name, .ttl_ms = context->state_ttl_ms};
    return weir_map_state_open(context->state, &options, &self->map, err);
}

int weir_join_rows_open_pair(weir_join_rows pair[2], const weir_operator_context *context, const weir_stream_node *node,
                             weir_error *err)
{
    const int64_t *hinted = node->plan->state_ttls_ms;
    weir_operator_context sides[2] = {*context, *context};
    for (int i = 0; i < 2 && hinted != NULL; i++) {
        sides[i].state_ttl_ms = hinted[i] >= 0 ? hinted[i] : context->state_ttl_ms;
    }
    WEIR_TRY(weir_join_rows_open(&pair[0], &sides[0], node->uid, "rows", err));
    if (sides[0].state_ttl_ms != sides[1].state_ttl_ms) {
        return weir_join_rows_open(&pair[1], &sides[1], node->uid, "right rows", err);
    }
    pair[1].map = pair[0].map;
    pair[0].is_pair = pair[1].is_pair = true;
    pair[1].side = 1;
    return WEIR_OK;
}

void weir_join_rows_close(weir_join_rows *self)
{
    if (self->map != NULL) {
        weir_map_state_close(self->map);
    }
    free(self->slots);
    weir_buffer_free(&self->subkey);
}

void weir_join_rows_close_pair(weir_join_rows pair[2])
{
    if (pair[1].is_pair) {
        weir_buffer_free(&pair[1].subkey);
    } else {
        weir_join_rows_close(&pair[1]);
    }
    weir_join_rows_close(&pair[0]);
}

int weir_join_rows_fetch(weir_join_rows *self, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_GROW(self->slots, self->capacity, keys->length);
    return weir_map_state_fetch(self->map, keys, self->slots, err);
}

int weir_join_rows_fetch_pair(weir_join_rows pair[2], const weir_sort_keys *keys, weir_error *err)
{
    WEIR_TRY(weir_join_rows_fetch(&pair[0], keys, err));
    if (!pair[1].is_pair) {
        return weir_join_rows_fetch(&pair[1], keys, err);
    }
    pair[1].slots = pair[0].slots;
    return WEIR_OK;
}

static weir_slice subkey_of(weir_join_rows *self, weir_slice row)
{
    if (!self->is_pair) {
        return row;
    }
    weir_buffer_clear(&self->subkey);
    weir_buffer_append_byte(&self->subkey, self->side);
    weir_buffer_append(&self->subkey, row.data, row.size);
    return weir_buffer_slice(&self->subkey);
}

/* --- entries ----------------------------------------------------------------------------------------------------- */

static size_t put_number(uint8_t *to, uint64_t number)
{
    size_t size = 0;
    while (number >= 0x80) {
        to[size++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    to[size++] = (uint8_t)number;
    return size;
}

static bool take_number(weir_slice *from, uint64_t *out)
{
    *out = 0;
    for (int shift = 0; shift < 64 && from->size > 0; shift += 7) {
        uint8_t byte = from->data[0];
        *from = weir_slice_of(from->data + 1, from->size - 1);
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return true;
        }
    }
    return false;
}

int weir_join_entry_decode(weir_slice value, weir_join_entry *out, weir_error *err)
{
    *out = (weir_join_entry){0};
    if (!take_number(&value, &out->count) || (value.size > 0 && !take_number(&value, &out->matches)) ||
        value.size > 0) {
        return weir_fail(err, WEIR_CORRUPT, "the state of a join holds a row whose count can't be read");
    }
    return WEIR_OK;
}

int weir_join_rows_get(weir_join_rows *self, weir_state_slot slot, weir_slice row, weir_join_entry *out,
                       weir_error *err)
{
    bool found;
    weir_slice value;
    *out = (weir_join_entry){0};
    WEIR_TRY(weir_map_state_get(self->map, slot, subkey_of(self, row), &found, &value, err));
    return found ? weir_join_entry_decode(value, out, err) : WEIR_OK;
}

int weir_join_rows_set(weir_join_rows *self, weir_state_slot slot, weir_slice row, const weir_join_entry *entry,
                       weir_error *err)
{
    uint8_t bytes[ENTRY_BYTES];
    if (entry->count == 0) {
        return weir_map_state_remove(self->map, slot, subkey_of(self, row), err);
    }
    size_t size = put_number(bytes, entry->count);
    size += entry->matches == 0 ? 0 : put_number(bytes + size, entry->matches);
    return weir_map_state_put(self->map, slot, subkey_of(self, row), weir_slice_of(bytes, size), err);
}

int weir_join_rows_add(weir_join_rows *self, weir_state_slot slot, weir_slice row, uint64_t matches, weir_error *err)
{
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(self, slot, row, &entry, err));
    entry.count++;
    entry.matches = matches;
    return weir_join_rows_set(self, slot, row, &entry, err);
}

int weir_join_rows_remove(weir_join_rows *self, weir_state_slot slot, weir_slice row, weir_error *err)
{
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(self, slot, row, &entry, err));
    if (entry.count == 0) {
        return WEIR_OK;
    }
    entry.count--;
    return weir_join_rows_set(self, slot, row, &entry, err);
}

int weir_join_rows_apply(weir_join_rows *self, weir_state_slot slot, const weir_join_change *change,
                         const weir_encoded_rows *encoded, weir_error *err)
{
    if (change->before >= 0) {
        WEIR_TRY(weir_join_rows_remove(self, slot, weir_encoded_row(encoded, change->before), err));
    }
    return change->after < 0 ? WEIR_OK
                             : weir_join_rows_add(self, slot, weir_encoded_row(encoded, change->after), 0, err);
}

int weir_join_rows_count(weir_join_rows *self, weir_state_slot slot, uint64_t *out, weir_error *err)
{
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(self, slot, (weir_slice){0}, &entry, err));
    *out = entry.count;
    return WEIR_OK;
}

int weir_join_rows_count_change(weir_join_rows *self, weir_state_slot slot, bool comes, uint64_t *out_before,
                                uint64_t *out_after, weir_error *err)
{
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_get(self, slot, (weir_slice){0}, &entry, err));
    *out_before = entry.count;
    entry.count += comes ? 1 : 0;
    entry.count -= !comes && entry.count > 0 ? 1 : 0;
    *out_after = entry.count;
    return weir_join_rows_set(self, slot, (weir_slice){0}, &entry, err);
}

int weir_join_rows_walk(weir_join_rows *self, weir_state_slot slot, weir_slice from, weir_map_cursor **out,
                        weir_error *err)
{
    return weir_map_cursor_open(self->map, slot, subkey_of(self, from), out, err);
}

int weir_join_rows_next(const weir_join_rows *self, weir_map_cursor *cursor, weir_slice *out_row,
                        weir_join_entry *out_entry, weir_error *err)
{
    weir_slice subkey, value;
    WEIR_TRY(weir_map_cursor_next(cursor, &subkey, &value, err));
    if (self->is_pair) {
        if (subkey.size == 0 || subkey.data[0] != self->side) {
            return WEIR_END;
        }
        subkey = weir_slice_of(subkey.data + 1, subkey.size - 1);
    }
    *out_row = subkey;
    return weir_join_entry_decode(value, out_entry, err);
}

int weir_join_rows_is_empty(weir_join_rows *self, weir_state_slot slot, bool *out, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice row;
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_walk(self, slot, (weir_slice){0}, &cursor, err));
    int code = weir_join_rows_next(self, cursor, &row, &entry, err);
    weir_map_cursor_close(cursor);
    *out = code == WEIR_END;
    return code == WEIR_END ? WEIR_OK : code;
}

/* --- rows as bytes ----------------------------------------------------------------------------------------------- */

int weir_encoded_rows_fill(weir_encoded_rows *self, const weir_batch *batch, weir_error *err)
{
    WEIR_GROW(self->offsets, self->capacity, batch->length + 1);
    weir_buffer_clear(&self->bytes);
    return weir_rows_encode(batch, NULL, 0, &self->bytes, self->offsets, err);
}

void weir_encoded_rows_free(weir_encoded_rows *self)
{
    weir_buffer_free(&self->bytes);
    free(self->offsets);
}

weir_join_change weir_join_next_change(const weir_batch *batch, const weir_sort_keys *keys, const uint8_t *can_match,
                                       int64_t *row)
{
    int64_t first = *row, next = first + 1;
    *row = next;
    if (!weir_row_kind_is_retract(weir_batch_kind(batch, first))) {
        return (weir_join_change){-1, first};
    }
    bool pair = weir_batch_kind(batch, first) == WEIR_UPDATE_BEFORE && next < batch->length &&
                weir_batch_kind(batch, next) == WEIR_UPDATE_AFTER && can_match[first] == can_match[next] &&
                (!can_match[first] || weir_sort_keys_compare(keys, first, keys, next) == 0);
    *row = pair ? next + 1 : next;
    return (weir_join_change){first, pair ? next : -1};
}
