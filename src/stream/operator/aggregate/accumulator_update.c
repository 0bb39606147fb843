/* What is done with a set of accumulators, a batch of keys at a time: the rows of the keys come to hand, each once;
 * cells are applied one after the other, over arrays; tails that changed go back.
 *
 * A row whose count comes to zero is gone, and what came before in the same batch with it: its later values begin anew.
 * So it does not matter how changes are cut into batches. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator_value.h"

/* Arrays of the call at hand, kept for the next one. */
typedef struct weir_update {
    weir_state_slot *slots; /* of the given keys */
    uint32_t *rows;         /* of the given keys: which row at hand each has */
    size_t slots_capacity, rows_capacity;

    /* of the rows at hand */
    weir_accumulator_rows at_hand;
    weir_state_slot *row_slots;
    uint32_t *entries; /* the first key of each */
    int64_t *counts;   /* rows behind each: only where the set counts them */
    uint32_t *begins;  /* keys before this one make no difference to the row */
    bool *before, *after, *reset;
    size_t row_slots_capacity, entries_capacity, counts_capacity, begins_capacity;
    size_t before_capacity, after_capacity, reset_capacity;

    uint32_t *table; /* a hash table from slots to rows, + 1 */
    size_t table_capacity;
    weir_sort_keys row_keys; /* of the rows at hand, for maps */
    weir_sort_keys both_keys;
    weir_buffer tail_bytes;
    uint8_t *no_row; /* a row of no rows */
    weir_batch values;
    weir_field *value_fields;
} weir_update;

void weir_update_free(weir_update *update)
{
    if (update == NULL) {
        return;
    }
    free(update->slots);
    free(update->rows);
    free(update->at_hand.bytes);
    free(update->at_hand.tails);
    free(update->at_hand.map_slots);
    weir_buffer_free(&update->at_hand.scratch);
    free(update->row_slots);
    free(update->entries);
    free(update->counts);
    free(update->begins);
    free(update->before);
    free(update->after);
    free(update->reset);
    free(update->table);
    weir_sort_keys_free(&update->row_keys);
    weir_sort_keys_free(&update->both_keys);
    weir_buffer_free(&update->tail_bytes);
    free(update->no_row);
    weir_batch_free(&update->values);
    free(update->value_fields);
    free(update);
}

static weir_update *update_of(weir_accumulators *self)
{
    if (self->update == NULL) {
        weir_update *update = weir_alloc_zeroed(1, sizeof *update);
        size_t count = (size_t)self->options.aggregate_count;
        update->no_row = weir_alloc_zeroed((size_t)self->layout.fixed_size, 1);
        update->value_fields = weir_alloc_zeroed(count + 1, sizeof *update->value_fields);
        for (size_t i = 0; i < count; i++) {
            update->value_fields[i].type = self->options.aggregates[i].type;
        }
        weir_batch_init(&update->values, update->value_fields, (int32_t)count);
        update->at_hand.layout = &self->layout;
        self->update = update;
    }
    return self->update;
}

/* --- Tails ----------------------------------------------------------------------------------------------------- */

static uint32_t tail_size(const weir_row_layout *layout, const uint8_t *row, int32_t tail)
{
    return weir_load_le32(row + layout->lengths_offset + 4 * (ptrdiff_t)tail);
}

weir_slice weir_tail_get(const weir_accumulator_rows *rows, int64_t row, int32_t tail)
{
    const weir_row_layout *layout = rows->layout;
    const weir_new_tail *changed = &rows->tails[row * layout->tail_count + tail];
    if (changed->is_set) {
        return weir_slice_of(rows->scratch.data + changed->offset, changed->size);
    }
    const uint8_t *bytes = rows->bytes[row];
    size_t at = (size_t)layout->fixed_size;
    for (int32_t i = 0; i < tail; i++) {
        at += tail_size(layout, bytes, i);
    }
    return weir_slice_of(bytes + at, tail_size(layout, bytes, tail));
}

void weir_tail_set(weir_accumulator_rows *rows, int64_t row, int32_t tail, weir_slice bytes)
{
    weir_new_tail *changed = &rows->tails[row * rows->layout->tail_count + tail];
    *changed = (weir_new_tail){rows->scratch.size, (uint32_t)bytes.size, true};
    weir_buffer_append(&rows->scratch, bytes.data, bytes.size);
}

static bool has_new_tail(const weir_accumulator_rows *rows, int64_t row)
{
    const weir_new_tail *tails = rows->tails + row * rows->layout->tail_count;
    for (int32_t i = 0; i < rows->layout->tail_count; i++) {
        if (tails[i].is_set) {
            return true;
        }
    }
    return false;
}

/* All tails of a row become bytes of its state. */
static int store_tails(weir_accumulators *self, weir_update *update, int64_t row, weir_error *err)
{
    weir_accumulator_rows *rows = &update->at_hand;
    const weir_row_layout *layout = rows->layout;
    weir_buffer *all = &update->tail_bytes;
    weir_buffer_clear(all);
    weir_buffer_append_zeros(all, 4 * (size_t)layout->tail_count);
    for (int32_t i = 0; i < layout->tail_count; i++) {
        weir_slice tail = weir_tail_get(rows, row, i);
        weir_store_le32(all->data + 4 * (ptrdiff_t)i, (uint32_t)tail.size);
        weir_buffer_append(all, tail.data, tail.size);
    }
    size_t lengths = 4 * (size_t)layout->tail_count;
    size_t size = (size_t)layout->fixed_size + all->size - lengths;
    WEIR_TRY(weir_value_state_edit(self->state, update->row_slots[row], size, &rows->bytes[row], err));
    memcpy(rows->bytes[row] + layout->lengths_offset, all->data, lengths);
    memcpy(rows->bytes[row] + layout->fixed_size, all->data + lengths, all->size - lengths);
    memset(rows->tails + row * layout->tail_count, 0, (size_t)layout->tail_count * sizeof *rows->tails);
    return WEIR_OK;
}

static int store_all_tails(weir_accumulators *self, weir_update *update, weir_error *err)
{
    for (int64_t i = 0; i < update->at_hand.count && self->layout.tail_count > 0; i++) {
        if (has_new_tail(&update->at_hand, i)) {
            WEIR_TRY(store_tails(self, update, i, err));
        }
    }
    return WEIR_OK;
}

/* --- Rows at hand ---------------------------------------------------------------------------------------------- */

static void grow_rows(const weir_accumulators *self, weir_update *update, int64_t count)
{
    weir_accumulator_rows *rows = &update->at_hand;
    WEIR_GROW(rows->bytes, rows->bytes_capacity, count + 1);
    WEIR_GROW(rows->tails, rows->tails_capacity, count * self->layout.tail_count + 1);
    WEIR_GROW(rows->map_slots, rows->map_slots_capacity, count * self->map_count + 1);
    WEIR_GROW(update->row_slots, update->row_slots_capacity, count + 1);
    WEIR_GROW(update->entries, update->entries_capacity, count + 1);
    WEIR_GROW(update->counts, update->counts_capacity, count + 1);
    WEIR_GROW(update->begins, update->begins_capacity, count + 1);
    WEIR_GROW(update->before, update->before_capacity, count + 1);
    WEIR_GROW(update->after, update->after_capacity, count + 1);
    WEIR_GROW(update->reset, update->reset_capacity, count + 1);
}

/* Numbers the different slots by a hash table that is half empty, so that chains are short. */
static int64_t number_rows(weir_update *update, int64_t length)
{
    int bits = 4;
    while (((int64_t)1 << bits) < 2 * length) {
        bits++;
    }
    WEIR_GROW(update->table, update->table_capacity, (size_t)1 << bits);
    memset(update->table, 0, sizeof *update->table << bits);
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint32_t count = 0;
    for (int64_t i = 0; i < length; i++) {
        weir_state_slot slot = update->slots[i];
        uint32_t place = (slot * 0x9E3779B1u) >> (32 - bits);
        while (update->table[place] != 0 && update->row_slots[update->table[place] - 1] != slot) {
            place = (place + 1) & mask;
        }
        if (update->table[place] == 0) {
            update->row_slots[count] = slot;
            update->entries[count] = (uint32_t)i;
            update->table[place] = ++count;
        }
        update->rows[i] = update->table[place] - 1;
    }
    return count;
}

/* The keys of the rows at hand: keys[entries[i]]. */
static int pick_keys(const weir_sort_keys *keys, const uint32_t *entries, int64_t count, weir_sort_keys *out,
                     weir_error *err)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < count && !keys->whole; i++) {
        bytes += keys->offsets[entries[i] + 1] - keys->offsets[entries[i]];
    }
    weir_sort_keys_free(out);
    *out = (weir_sort_keys){.length = count, .whole = keys->whole, .length_capacity = (size_t)count + 1};
    WEIR_TRY(weir_alloc_checked((size_t)count + 1, sizeof *out->prefixes, (void **)&out->prefixes, err));
    for (int64_t i = 0; i < count; i++) {
        out->prefixes[i] = keys->prefixes[entries[i]];
    }
    if (keys->whole) {
        return WEIR_OK;
    }
    out->bytes_capacity = bytes + 16;
    WEIR_TRY(weir_alloc_checked((size_t)count + 1, sizeof *out->offsets, (void **)&out->offsets, err));
    WEIR_TRY(weir_alloc_checked(out->bytes_capacity, 1, (void **)&out->bytes, err));
    out->offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t from = keys->offsets[entries[i]];
        uint64_t size = keys->offsets[entries[i] + 1] - from;
        memcpy(out->bytes + out->offsets[i], keys->bytes + from, size);
        out->offsets[i + 1] = out->offsets[i] + size;
    }
    memset(out->bytes + out->offsets[count], 0, 8); /* a prefix is one load */
    return WEIR_OK;
}

static int fetch_maps(weir_accumulators *self, weir_update *update, const weir_sort_keys *keys, weir_error *err)
{
    weir_accumulator_rows *rows = &update->at_hand;
    if (self->map_count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(pick_keys(keys, update->entries, rows->count, &update->row_keys, err));
    for (int32_t i = 0; i < self->map_count; i++) {
        WEIR_TRY(
            weir_map_state_fetch(self->maps[i], &update->row_keys, rows->map_slots + (int64_t)i * rows->count, err));
    }
    return WEIR_OK;
}

static bool is_there(const weir_accumulators *self, const uint8_t *bytes)
{
    return self->row_count_offset < 0 || (int64_t)weir_load_le64(bytes + self->row_count_offset) > 0;
}

/* Whether bytes of the state are a row as this set lays it out. */
static int check_row(const weir_row_layout *layout, weir_slice bytes, weir_error *err)
{
    size_t size = (size_t)layout->fixed_size;
    for (int32_t i = 0; i < layout->tail_count && bytes.size >= (size_t)layout->fixed_size; i++) {
        size += tail_size(layout, bytes.data, i);
    }
    return bytes.size == size
               ? WEIR_OK
               : weir_fail(err, WEIR_CORRUPT, "state of an aggregate: a row of %zu bytes, not %zu", bytes.size, size);
}

static int fetch_slots(weir_accumulators *self, const weir_sort_keys *keys, weir_error *err)
{
    weir_update *update = update_of(self);
    WEIR_GROW(update->slots, update->slots_capacity, keys->length + 1);
    WEIR_GROW(update->rows, update->rows_capacity, keys->length + 1);
    grow_rows(self, update, keys->length);
    return weir_value_state_fetch(self->state, keys, update->slots, err);
}

/* Takes `count` rows to hand, those of row_slots, for reading. */
static int load_rows(weir_accumulators *self, int64_t count, weir_error *err)
{
    weir_update *update = self->update;
    weir_accumulator_rows *rows = &update->at_hand;
    rows->count = count;
    weir_buffer_clear(&rows->scratch);
    memset(rows->tails, 0, (size_t)(count * self->layout.tail_count) * sizeof *rows->tails);
    for (int64_t i = 0; i < count; i++) {
        weir_slice bytes = weir_value_state_get(self->state, update->row_slots[i]);
        if (bytes.size > 0) {
            WEIR_TRY(check_row(&self->layout, bytes, err));
        }
        update->before[i] = bytes.size > 0 && is_there(self, bytes.data);
        rows->bytes[i] = update->before[i] ? (uint8_t *)bytes.data : update->no_row;
    }
    return WEIR_OK;
}

/* Takes the row of each key to hand, each once. */
static int take_rows(weir_accumulators *self, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_TRY(fetch_slots(self, keys, err));
    return load_rows(self, number_rows(self->update, keys->length), err);
}

static int clear_maps(weir_accumulators *self, const weir_accumulator_rows *rows, int64_t row, weir_error *err)
{
    for (int32_t i = 0; i < self->map_count; i++) {
        WEIR_TRY(weir_map_clear(self->maps[i], rows->map_slots[(int64_t)i * rows->count + row], err));
    }
    return WEIR_OK;
}

/* Makes a row's bytes ones to write to, zeros where it begins anew. What other rows of the map may have outlived it
 * by their time to live. */
static int open_row(weir_accumulators *self, weir_update *update, int64_t row, weir_error *err)
{
    weir_accumulator_rows *rows = &update->at_hand;
    bool fresh = !update->before[row] || update->reset[row];
    size_t size = (size_t)self->layout.fixed_size;
    if (!fresh) {
        size = weir_value_state_get(self->state, update->row_slots[row]).size;
    }
    WEIR_TRY(weir_value_state_edit(self->state, update->row_slots[row], size, &rows->bytes[row], err));
    if (fresh) {
        memset(rows->bytes[row], 0, size);
    }
    bool leftovers = update->reset[row] || (fresh && self->options.context->state_ttl_ms > 0);
    return leftovers ? clear_maps(self, rows, row, err) : WEIR_OK;
}

static int close_row(weir_accumulators *self, weir_update *update, int64_t row, weir_error *err)
{
    if (update->before[row] || update->reset[row]) {
        WEIR_TRY(clear_maps(self, &update->at_hand, row, err));
    }
    weir_value_state_remove(self->state, update->row_slots[row]);
    update->at_hand.bytes[row] = update->no_row;
    return WEIR_OK;
}

/* --- Update ---------------------------------------------------------------------------------------------------- */

/* Follows the counts of rows. A retraction of no rows is passed over (its key's row becomes UINT32_MAX); where a count
 * comes to zero the row begins anew. */
static void follow_counts(const weir_accumulators *self, weir_update *update, const uint32_t *rows, int64_t length)
{
    const weir_batch *computed = &self->computed;
    for (int64_t i = 0; i < update->at_hand.count; i++) {
        update->counts[i] = (int64_t)weir_load_le64(update->at_hand.bytes[i] + self->row_count_offset);
        update->begins[i] = 0;
    }
    for (int64_t i = 0; i < length; i++) {
        uint32_t row = update->rows[i];
        if (!weir_row_kind_is_retract(weir_batch_kind(computed, rows == NULL ? i : (int64_t)rows[i]))) {
            update->counts[row]++;
        } else if (update->counts[row] == 0) {
            update->rows[i] = UINT32_MAX;
        } else if (--update->counts[row] == 0) {
            update->begins[row] = (uint32_t)i + 1;
            update->reset[row] = true;
        }
    }
}

/* View 0 of keys that are all insertions. */
static void view_insertions(weir_view *view, const weir_update *update, const uint32_t *rows, int64_t length)
{
    WEIR_GROW(view->values, view->values_capacity, length + 1);
    for (int64_t i = 0; i < length; i++) {
        view->values[i] = rows == NULL ? (uint32_t)i : rows[i];
    }
    view->entries = (weir_entries){length, view->values, update->rows, NULL};
}

/* View 0 of what makes a difference. */
static void view_changes(const weir_accumulators *self, weir_view *view, const weir_update *update,
                         const uint32_t *rows, int64_t length)
{
    int64_t count = 0;
    WEIR_GROW(view->values, view->values_capacity, length + 1);
    WEIR_GROW(view->rows, view->rows_capacity, length + 1);
    WEIR_GROW(view->signs, view->signs_capacity, length + 1);
    for (int64_t i = 0; i < length; i++) {
        uint32_t row = update->rows[i];
        uint32_t value = rows == NULL ? (uint32_t)i : rows[i];
        if (row != UINT32_MAX && i >= update->begins[row]) {
            view->values[count] = value;
            view->rows[count] = row;
            view->signs[count++] = weir_row_kind_is_retract(weir_batch_kind(&self->computed, value)) ? -1 : 1;
        }
    }
    view->entries = (weir_entries){count, view->values, view->rows, view->signs};
}

static int apply_cells(weir_accumulators *self, weir_update *update, weir_error *err)
{
    weir_accumulator_rows *rows = &update->at_hand;
    WEIR_TRY(weir_views_fill(self, rows, err));
    for (int32_t i = 0; i < self->cell_count; i++) {
        weir_cell *cell = self->cells[i];
        const weir_entries *entries = &self->views[cell->view].entries;
        if (entries->count > 0) {
            WEIR_TRY(cell->kind->apply(cell, rows, entries, &self->computed, err));
        }
    }
    return store_all_tails(self, update, err);
}

static int note_arrivals(weir_accumulators *self, int64_t count, weir_error *err)
{
    if (!self->keeps_arrivals) {
        return WEIR_OK;
    }
    self->arrivals += count;
    return weir_state_backend_put(self->options.context->state, self->arrivals_name,
                                  weir_slice_of(&self->arrivals, sizeof self->arrivals), err);
}

static int give_values(const weir_accumulators *self, const weir_accumulator_rows *rows, weir_batch *out, int32_t first,
                       weir_error *err)
{
    for (int32_t i = 0; i < self->options.aggregate_count; i++) {
        WEIR_TRY(self->outputs[i].give(&self->outputs[i], rows, &out->columns[first + i], err));
    }
    return WEIR_OK;
}

static int change_rows(weir_accumulators *self, weir_update *update, const uint32_t *rows, int64_t length,
                       weir_error *err)
{
    weir_accumulator_rows *at_hand = &update->at_hand;
    bool retracts = self->row_count_offset >= 0 && self->options.retracts && self->computed.kinds != NULL;
    memset(update->reset, 0, (size_t)at_hand->count * sizeof *update->reset);
    if (retracts) {
        follow_counts(self, update, rows, length);
        view_changes(self, &self->views[0], update, rows, length);
    } else {
        view_insertions(&self->views[0], update, rows, length);
    }
    for (int64_t i = 0; i < at_hand->count; i++) {
        update->after[i] = !retracts || update->counts[i] > 0;
        WEIR_TRY(update->after[i] ? open_row(self, update, i, err) : close_row(self, update, i, err));
    }
    WEIR_TRY(apply_cells(self, update, err));
    return note_arrivals(self, length, err);
}

int weir_accumulators_update(weir_accumulators *self, const weir_sort_keys *keys, const uint32_t *rows,
                             weir_accumulator_changes *out, weir_error *err)
{
    WEIR_TRY(take_rows(self, keys, err));
    weir_update *update = self->update;
    WEIR_TRY(fetch_maps(self, update, keys, err));
    weir_batch_clear(&update->values);
    if (out != NULL) {
        WEIR_TRY(give_values(self, &update->at_hand, &update->values, 0, err));
    }
    WEIR_TRY(change_rows(self, update, rows, keys->length, err));
    if (out != NULL) {
        WEIR_TRY(give_values(self, &update->at_hand, &update->values, 0, err));
        update->values.length = 2 * update->at_hand.count;
        *out = (weir_accumulator_changes){update->at_hand.count, update->entries, update->before, update->after,
                                          &update->values};
    }
    return WEIR_OK;
}

/* --- Values, merging, removing --------------------------------------------------------------------------------- */

/* Every key has a row of its own here, in the order of the keys. */
int weir_accumulators_values(weir_accumulators *self, const weir_sort_keys *keys, weir_batch *out, int32_t first,
                             bool *out_exists, weir_error *err)
{
    WEIR_TRY(fetch_slots(self, keys, err));
    weir_update *update = self->update;
    memcpy(update->row_slots, update->slots, (size_t)keys->length * sizeof *update->slots);
    WEIR_TRY(load_rows(self, keys->length, err));
    if (out_exists != NULL) {
        memcpy(out_exists, update->before, (size_t)keys->length * sizeof *out_exists);
    }
    return give_values(self, &update->at_hand, out, first, err);
}

/* All keys of both, those of `first` before. */
static int join_keys(const weir_sort_keys *first, const weir_sort_keys *second, weir_sort_keys *out, weir_error *err)
{
    weir_sort_keys_free(out);
    *out = (weir_sort_keys){.length = first->length + second->length, .whole = first->whole};
    out->length_capacity = (size_t)out->length + 1;
    WEIR_TRY(weir_alloc_checked(out->length_capacity, sizeof *out->prefixes, (void **)&out->prefixes, err));
    memcpy(out->prefixes, first->prefixes, (size_t)first->length * sizeof *out->prefixes);
    memcpy(out->prefixes + first->length, second->prefixes, (size_t)second->length * sizeof *out->prefixes);
    if (first->whole) {
        return WEIR_OK;
    }
    uint64_t middle = first->offsets[first->length] - first->offsets[0];
    uint64_t end = middle + second->offsets[second->length] - second->offsets[0];
    out->bytes_capacity = end + 16;
    WEIR_TRY(weir_alloc_checked(out->length_capacity, sizeof *out->offsets, (void **)&out->offsets, err));
    WEIR_TRY(weir_alloc_checked(out->bytes_capacity, 1, (void **)&out->bytes, err));
    for (int64_t i = 0; i <= first->length; i++) {
        out->offsets[i] = first->offsets[i] - first->offsets[0];
    }
    for (int64_t i = 0; i <= second->length; i++) {
        out->offsets[first->length + i] = middle + second->offsets[i] - second->offsets[0];
    }
    memcpy(out->bytes, first->bytes + first->offsets[0], middle);
    memcpy(out->bytes + middle, second->bytes + second->offsets[0], end - middle);
    memset(out->bytes + end, 0, 8);
    return WEIR_OK;
}

static int merge_row(weir_accumulators *self, weir_update *update, int64_t from, int64_t to, weir_error *err)
{
    weir_accumulator_rows *rows = &update->at_hand;
    for (int32_t i = 0; i < self->cell_count; i++) {
        weir_cell *cell = self->cells[i];
        if (self->views[cell->view].distinct < 0) {
            WEIR_TRY(cell->kind->merge(cell, rows, from, to, err));
        }
    }
    return weir_views_merge(self, rows, from, to, err);
}

int weir_accumulators_merge(weir_accumulators *self, const weir_sort_keys *from, const weir_sort_keys *to,
                            weir_error *err)
{
    weir_update *update = update_of(self);
    WEIR_TRY(join_keys(from, to, &update->both_keys, err));
    WEIR_TRY(take_rows(self, &update->both_keys, err));
    WEIR_TRY(fetch_maps(self, update, &update->both_keys, err));
    memset(update->reset, 0, (size_t)update->at_hand.count * sizeof *update->reset);
    memset(update->after, 0, (size_t)update->at_hand.count * sizeof *update->after);
    for (int64_t i = 0; i < from->length; i++) {
        uint32_t source = update->rows[i];
        uint32_t target = update->rows[from->length + i];
        if (!update->before[source]) {
            continue;
        }
        if (!update->after[target]) {
            WEIR_TRY(open_row(self, update, target, err));
            update->after[target] = true;
        }
        WEIR_TRY(merge_row(self, update, source, target, err));
    }
    WEIR_TRY(store_all_tails(self, update, err));
    return note_arrivals(self, 0, err);
}

int weir_accumulators_remove(weir_accumulators *self, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_TRY(take_rows(self, keys, err));
    weir_update *update = self->update;
    WEIR_TRY(fetch_maps(self, update, keys, err));
    for (int64_t i = 0; i < update->at_hand.count; i++) {
        if (update->before[i]) {
            WEIR_TRY(clear_maps(self, &update->at_hand, i, err));
            weir_value_state_remove(self->state, update->row_slots[i]);
        }
    }
    return WEIR_OK;
}
