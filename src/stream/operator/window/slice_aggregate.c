/* AGGREGATE by the windows of a HOP or CUMULATE right below it, as one. Time is cut into slices of a step, of which all
 * windows are made: a row comes to one slice, whatever the number of its windows, and when a window closes its slices
 * are put together.
 *
 *   HOP        the slices of a window come to accumulators that last as long as it is told of. A slice goes with the
 *              last window that it is part of
 *   CUMULATE   each slice comes to those of the windows that began together, and goes
 *
 * Accumulators stand under | 's' slice, 'w' window or 'c' windows that began together: 1 | its end, or their start,
 * ascending: 8 | key |. Late rows are those of which the last window has closed; a row that comes after its first
 * window counts for the others. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/aggregate/existing_rows.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/operators.h"
#include "stream/operator/window/due_list.h"
#include "stream/operator/window/window_groups.h"
#include "stream/operator/window/window_operator.h"
#include "stream/state/row_codec.h"

enum { prefix_size = 9 };

typedef struct slice_aggregate {
    weir_window_operator window;   /* first */
    weir_operator_context context; /* without table.exec.state.ttl: windows go when they close */
    const weir_plan *plan;
    const weir_assigner *assigner;
    bool cumulates;
    weir_window_groups groups;
    weir_accumulators *accumulators;
    weir_due_list *waiting;  /* | end of a window: 8 | key | */
    weir_value_state *known; /* a byte for each slice that has accumulators, and for each window that waits */
    weir_sort_keys keys;     /* slices of the rows at hand */
    uint32_t *rows;
    int64_t *first_ends, *last_ends; /* of their windows that are open */
    size_t rows_capacity, first_capacity, last_capacity;
    weir_sort_keys windows;              /* that the new slices are part of */
    weir_sort_keys candidates, from, to; /* slices of windows that close */
    weir_state_slot *slots;
    size_t slots_capacity;
    weir_batch result;
    weir_existing_rows existing;
    weir_buffer key, bytes;
} slice_aggregate;

/* --- Keys ------------------------------------------------------------------------------------------------------ */

static void add_key(slice_aggregate *self, weir_sort_keys *keys, char kind, int64_t moment, weir_slice key)
{
    uint8_t prefix[prefix_size] = {(uint8_t)kind};
    weir_store_be64(prefix + 1, (uint64_t)moment ^ (UINT64_C(1) << 63));
    weir_buffer_clear(&self->bytes);
    weir_buffer_append(&self->bytes, prefix, sizeof prefix);
    weir_buffer_append(&self->bytes, key.data, key.size);
    weir_byte_keys_add(keys, weir_buffer_slice(&self->bytes));
}

static weir_slice key_of(const weir_sort_keys *keys, int64_t i)
{
    weir_slice whole = weir_byte_key(keys, i);
    return weir_slice_of(whole.data + prefix_size, whole.size - prefix_size);
}

static int64_t due_of(const slice_aggregate *self, int64_t end) { return weir_window_due(self->groups.zone, end - 1); }

static bool has_closed(const slice_aggregate *self, int64_t end)
{
    return !self->window.by_clock && due_of(self, end) <= self->window.closed;
}

static int64_t start_of(const slice_aggregate *self, int64_t end)
{
    return self->cumulates ? weir_window_start(end - 1, self->assigner->size, self->assigner->offset)
                           : end - self->assigner->size;
}

/* --- Rows that come -------------------------------------------------------------------------------------------- */

/* Puts a row to its slice; false: it is late. What comes to CUMULATE after its first window belongs to the first slice
 * that no window has taken up yet. */
static bool place_row(slice_aggregate *self, int64_t row, int64_t time)
{
    const weir_assigner *assigner = self->assigner;
    int64_t slice = weir_window_start(time, assigner->step, assigner->offset) + assigner->step;
    int64_t last = self->cumulates ? weir_window_start(time, assigner->size, assigner->offset) + assigner->size
                                   : slice + assigner->size - assigner->step;
    int64_t first = slice;
    if (has_closed(self, last)) {
        return false;
    }
    while (has_closed(self, first)) {
        first += assigner->step;
    }
    int64_t at = self->keys.length;
    WEIR_GROW(self->rows, self->rows_capacity, at + 1);
    WEIR_GROW(self->first_ends, self->first_capacity, at + 1);
    WEIR_GROW(self->last_ends, self->last_capacity, at + 1);
    self->rows[at] = (uint32_t)row;
    self->first_ends[at] = first;
    self->last_ends[at] = last;
    add_key(self, &self->keys, 's', self->cumulates ? first : slice, weir_buffer_slice(&self->key));
    return true;
}

/* Marks keys as known, and calls `found_new` for those that were not. */
static int mark(slice_aggregate *self, const weir_sort_keys *keys,
                void (*found_new)(slice_aggregate *self, int64_t index), weir_error *err)
{
    WEIR_GROW(self->slots, self->slots_capacity, keys->length);
    WEIR_TRY(weir_value_state_fetch(self->known, keys, self->slots, err));
    for (int64_t i = 0; i < keys->length; i++) {
        uint8_t *byte;
        if (weir_value_state_get(self->known, self->slots[i]).size > 0) {
            continue;
        }
        WEIR_TRY(weir_value_state_edit(self->known, self->slots[i], 1, &byte, err));
        *byte = 1;
        found_new(self, i);
    }
    return WEIR_OK;
}

/* A slice that was not there is part of these windows. */
static void list_windows(slice_aggregate *self, int64_t index)
{
    for (int64_t end = self->first_ends[index]; end <= self->last_ends[index]; end += self->assigner->step) {
        add_key(self, &self->windows, 'w', end, key_of(&self->keys, index));
    }
}

static int64_t moment_of(const weir_sort_keys *keys, int64_t index)
{
    return (int64_t)(weir_load_be64(weir_byte_key(keys, index).data + 1) ^ (UINT64_C(1) << 63));
}

static void let_wait(slice_aggregate *self, int64_t index)
{
    weir_slice whole = weir_byte_key(&self->windows, index);
    weir_due_list_add(self->waiting, due_of(self, moment_of(&self->windows, index)),
                      weir_slice_of(whole.data + 1, whole.size - 1));
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    slice_aggregate *self = (slice_aggregate *)base;
    const weir_vector *times = &batch->columns[self->assigner->column];
    const weir_batch *computed;
    int64_t now = self->window.by_clock ? self->context.clock_ms() : 0;
    int64_t late = 0;
    (void)input;
    weir_sort_keys_clear(&self->keys);
    weir_sort_keys_clear(&self->windows);
    WEIR_TRY(weir_accumulators_compute(self->accumulators, batch, &computed, err));
    for (int64_t row = 0; row < batch->length; row++) {
        if (!self->window.by_clock && weir_vector_is_null(times, row)) {
            continue;
        }
        weir_buffer_clear(&self->key);
        WEIR_TRY(weir_row_encode(computed, self->groups.key_columns, self->groups.key_count, row, &self->key, err));
        int64_t instant = self->window.by_clock ? now : weir_time_millis(times, row);
        late += !place_row(self, row, weir_window_local(self->groups.zone, instant));
    }
    atomic_fetch_add(self->context.late_rows, late);
    if (self->keys.length == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_accumulators_update(self->accumulators, &self->keys, self->rows, NULL, err));
    WEIR_TRY(mark(self, &self->keys, list_windows, err));
    WEIR_TRY(mark(self, &self->windows, let_wait, err));
    return weir_due_list_flush(self->waiting, err);
}

/* --- Windows that close ---------------------------------------------------------------------------------------- */

static int forget_known(slice_aggregate *self, const weir_sort_keys *keys, weir_error *err)
{
    WEIR_GROW(self->slots, self->slots_capacity, keys->length);
    WEIR_TRY(weir_value_state_fetch(self->known, keys, self->slots, err));
    for (int64_t i = 0; i < keys->length; i++) {
        weir_value_state_remove(self->known, self->slots[i]);
    }
    return WEIR_OK;
}

/* Puts the slices of the windows that end at `end` together, those that are there: a window has `slice_count`, one
 * after the other among the candidates. self->windows: what the windows are told of by. */
static int merge_slices(slice_aggregate *self, int64_t slice_count, weir_error *err)
{
    weir_sort_keys_clear(&self->from);
    weir_sort_keys_clear(&self->to);
    WEIR_GROW(self->slots, self->slots_capacity, self->candidates.length);
    WEIR_TRY(weir_value_state_fetch(self->known, &self->candidates, self->slots, err));
    for (int64_t i = 0; i < self->candidates.length; i++) {
        if (weir_value_state_get(self->known, self->slots[i]).size > 0) {
            weir_byte_keys_add(&self->from, weir_byte_key(&self->candidates, i));
            weir_byte_keys_add(&self->to, weir_byte_key(&self->windows, i / slice_count));
        }
    }
    return self->from.length == 0 ? WEIR_OK : weir_accumulators_merge(self->accumulators, &self->from, &self->to, err);
}

static int gather_slices(slice_aggregate *self, const weir_slice *waited, int64_t count, int64_t end, weir_error *err)
{
    int64_t start = start_of(self, end);
    int64_t first = self->cumulates ? end : start + self->assigner->step;
    weir_sort_keys_clear(&self->windows);
    weir_sort_keys_clear(&self->candidates);
    for (int64_t i = 0; i < count; i++) {
        weir_slice key = weir_slice_of(waited[i].data + 8, waited[i].size - 8);
        add_key(self, &self->windows, self->cumulates ? 'c' : 'w', self->cumulates ? start : end, key);
        for (int64_t slice = first; slice <= end; slice += self->assigner->step) {
            add_key(self, &self->candidates, 's', slice, key);
        }
    }
    return merge_slices(self, (end - first) / self->assigner->step + 1, err);
}

/* Forgets the windows, and the slice that no later one needs. */
static int forget(slice_aggregate *self, const weir_slice *waited, int64_t count, int64_t end, weir_error *err)
{
    int64_t start = start_of(self, end);
    bool last = !self->cumulates || end == start + self->assigner->size;
    WEIR_TRY(last ? weir_accumulators_remove(self->accumulators, &self->windows, err) : WEIR_OK);
    weir_sort_keys_clear(&self->from);
    weir_sort_keys_clear(&self->to);
    for (int64_t i = 0; i < count; i++) {
        weir_slice key = weir_slice_of(waited[i].data + 8, waited[i].size - 8);
        add_key(self, &self->from, 's', self->cumulates ? end : start + self->assigner->step, key);
        add_key(self, &self->to, 'w', end, key);
    }
    WEIR_TRY(weir_accumulators_remove(self->accumulators, &self->from, err));
    WEIR_TRY(forget_known(self, &self->from, err));
    return forget_known(self, &self->to, err);
}

/* Closes windows that end together. */
static int close_windows(slice_aggregate *self, const weir_slice *waited, int64_t count, int64_t end, weir_error *err)
{
    WEIR_TRY(gather_slices(self, waited, count, end, err));
    weir_batch_clear(&self->result);
    weir_window_groups_clear(&self->groups);
    for (int64_t i = 0; i < count; i++) {
        weir_slice key = weir_slice_of(waited[i].data + 8, waited[i].size - 8);
        WEIR_TRY(weir_window_groups_add(&self->groups, key, start_of(self, end), end, &self->result, err));
    }
    WEIR_TRY(weir_window_groups_finish(&self->groups, &self->result, err));
    self->result.length = count;
    weir_existing_rows_reserve(&self->existing, count);
    WEIR_TRY(weir_accumulators_values(self->accumulators, &self->windows, &self->result, self->groups.group_count,
                                      self->existing.exists, err));
    WEIR_TRY(weir_existing_rows_send(&self->existing, &self->window.base, &self->result, err));
    return forget(self, waited, count, end, err);
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    slice_aggregate *self = (slice_aggregate *)base;
    const weir_slice *waited;
    int64_t count;
    do {
        WEIR_TRY(weir_due_list_take(self->waiting, moment, &waited, &count, err));
        for (int64_t first = 0; first < count;) {
            int64_t end = first + 1;
            while (end < count && memcmp(waited[end].data, waited[first].data, 8) == 0) {
                end++;
            }
            int64_t window_end = (int64_t)(weir_load_be64(waited[first].data) ^ (UINT64_C(1) << 63));
            WEIR_TRY(close_windows(self, waited + first, end - first, window_end, err));
            first = end;
        }
    } while (count > 0);
    return WEIR_OK;
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

bool weir_plan_is_slice_aggregate(const weir_plan *plan)
{
    if (!weir_window_groups_fit(plan)) {
        return false;
    }
    const weir_assigner *assigner = plan->inputs[0]->assigner;
    return (assigner->kind == WEIR_ASSIGN_HOP || assigner->kind == WEIR_ASSIGN_CUMULATE) &&
           assigner->size % assigner->step == 0;
}

static void close_operator(weir_operator *base)
{
    slice_aggregate *self = (slice_aggregate *)base;
    weir_accumulators_free(self->accumulators);
    weir_due_list_close(self->waiting);
    if (self->known != NULL) {
        weir_value_state_close(self->known);
    }
    weir_window_groups_free(&self->groups);
    weir_sort_keys_free(&self->keys);
    weir_sort_keys_free(&self->windows);
    weir_sort_keys_free(&self->candidates);
    weir_sort_keys_free(&self->from);
    weir_sort_keys_free(&self->to);
    weir_batch_free(&self->result);
    weir_existing_rows_free(&self->existing);
    weir_buffer_free(&self->key);
    weir_buffer_free(&self->bytes);
    free(self->rows);
    free(self->first_ends);
    free(self->last_ends);
    free(self->slots);
    free(self);
}

static int open_state(slice_aggregate *self, const weir_stream_node *node, weir_error *err)
{
    const weir_state_options known = {.uid = node->uid, .name = "known"};
    WEIR_TRY(weir_window_groups_accumulators(&self->groups, &self->context, node, &self->accumulators, err));
    WEIR_TRY(weir_value_state_open(self->context.state, &known, &self->known, err));
    WEIR_TRY(weir_due_list_open(&self->context, node->uid, &self->waiting, err));
    return weir_window_operator_restore(&self->window, err);
}

int weir_slice_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                         weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    slice_aggregate *self = weir_alloc_zeroed(1, sizeof *self);
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "WindowAggregate", 1, context, node->uid, node->inputs[0]->window_clock);
    self->context = *context;
    self->context.state_ttl_ms = 0;
    self->plan = plan;
    self->assigner = plan->inputs[0]->assigner;
    self->cumulates = self->assigner->kind == WEIR_ASSIGN_CUMULATE;
    weir_window_groups_init(&self->groups, plan);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    weir_existing_rows_init(&self->existing, plan);
    int code = open_state(self, node, err);
    return weir_operator_created(&self->window.base, code, out);
}
