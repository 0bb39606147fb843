/* INTERSECT and EXCEPT, with and without ALL: each row is a key, with its number in both inputs.
 *
 *   INTERSECT      once, while both have it            INTERSECT ALL   as often as the one with fewer
 *   EXCEPT         once, while only the first has it   EXCEPT ALL      as often as the first has it more than the
 * second
 *
 * What a change makes of that number is given as rows that come or go. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/operators.h"

typedef struct row_counts {
    uint64_t of[2];
} row_counts;

typedef struct set_operator {
    weir_operator base;
    bool all, except;
    weir_value_state *counts;
    weir_sort_keys keys;
    int32_t *numbers; /* 0, 1, … */
    weir_vector *columns;
    int32_t column_count;
    const weir_type **types; /* nullable, so that both inputs' keys look alike */
    weir_arena arena;
    weir_state_slot *slots;
    size_t slot_capacity;
    uint32_t *rows; /* of the input's batch that are given, with their kinds */
    int8_t *kinds;
    size_t length, row_capacity, kind_capacity;
    weir_batch output;
} set_operator;

static uint64_t times(const set_operator *self, const row_counts *counts)
{
    uint64_t left = counts->of[0], right = counts->of[1];
    if (self->except) {
        return self->all ? (left > right ? left - right : 0) : left > 0 && right == 0;
    }
    return self->all ? (left < right ? left : right) : left > 0 && right > 0;
}

static int change(set_operator *self, int32_t input, bool comes, weir_state_slot slot, row_counts *before,
                  row_counts *after, weir_error *err)
{
    weir_slice bytes = weir_value_state_get(self->counts, slot);
    uint8_t *to;
    *before = (row_counts){{0, 0}};
    if (bytes.size == sizeof *before) {
        memcpy(before, bytes.data, sizeof *before);
    }
    *after = *before;
    if (comes) {
        after->of[input]++;
    } else if (after->of[input] > 0) { /* with a time to live it may be forgotten */
        after->of[input]--;
    }
    if (after->of[0] == 0 && after->of[1] == 0) {
        weir_value_state_remove(self->counts, slot);
        return WEIR_OK;
    }
    WEIR_TRY(weir_value_state_edit(self->counts, slot, sizeof *after, &to, err));
    memcpy(to, after, sizeof *after);
    return WEIR_OK;
}

static void give(set_operator *self, uint32_t row, int8_t kind)
{
    WEIR_GROW(self->rows, self->row_capacity, self->length + 1);
    WEIR_GROW(self->kinds, self->kind_capacity, self->length + 1);
    self->rows[self->length] = row;
    self->kinds[self->length++] = kind;
}

/* One row more or less changes the number by one at most. */
static int apply(set_operator *self, int32_t input, const weir_batch *batch, int64_t row, weir_error *err)
{
    bool comes = !weir_row_kind_is_retract(weir_batch_kind(batch, row));
    row_counts before, after;
    WEIR_TRY(change(self, input, comes, self->slots[row], &before, &after, err));
    uint64_t then = times(self, &before), now = times(self, &after);
    if (then != now) {
        give(self, (uint32_t)row, then < now ? WEIR_INSERT : WEIR_DELETE);
    }
    return WEIR_OK;
}

static int fetch(set_operator *self, const weir_batch *batch, weir_error *err)
{
    for (int32_t i = 0; i < self->column_count; i++) {
        self->columns[i] = batch->columns[i];
        self->columns[i].type = self->types[i];
    }
    weir_batch view = {.length = batch->length, .columns = self->columns, .column_count = self->column_count};
    weir_sort_keys_clear(&self->keys);
    WEIR_TRY(weir_state_keys_append(&self->keys, &view, self->numbers, self->column_count, err));
    WEIR_GROW(self->slots, self->slot_capacity, batch->length);
    return weir_value_state_fetch(self->counts, &self->keys, self->slots, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    set_operator *self = (set_operator *)base;
    self->length = 0;
    WEIR_TRY(fetch(self, batch, err));
    for (int64_t row = 0; row < batch->length; row++) {
        WEIR_TRY(apply(self, input, batch, row, err));
    }
    weir_batch *output = &self->output;
    weir_batch_clear(output);
    for (int32_t i = 0; i < self->column_count; i++) {
        WEIR_TRY(
            weir_vector_append_rows(&output->columns[i], &batch->columns[i], self->rows, (int64_t)self->length, err));
    }
    weir_batch_reserve_kinds(output, (int64_t)self->length);
    if (self->length > 0) {
        memcpy(output->kinds, self->kinds, self->length);
    }
    output->length = (int64_t)self->length;
    return weir_output_send(base, output, err);
}

static void close_operator(weir_operator *base)
{
    set_operator *self = (set_operator *)base;
    if (self->counts != NULL) {
        weir_value_state_close(self->counts);
    }
    weir_sort_keys_free(&self->keys);
    weir_batch_free(&self->output);
    free(self->slots);
    free(self->rows);
    free(self->kinds);
    weir_arena_free(&self->arena);
    free(self);
}

int weir_set_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                             weir_error *err)
{
    const weir_plan *plan = node->plan;
    set_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_operator;
    self->all = plan->all;
    self->except = plan->kind == WEIR_PLAN_EXCEPT;
    self->column_count = plan->field_count;
    weir_arena_init(&self->arena);
    self->numbers = WEIR_NEW_ARRAY(&self->arena, int32_t, plan->field_count + 1);
    self->columns = WEIR_NEW_ARRAY(&self->arena, weir_vector, plan->field_count + 1);
    self->types = WEIR_NEW_ARRAY(&self->arena, const weir_type *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        self->numbers[i] = i;
        self->types[i] = weir_type_nullable(&self->arena, plan->fields[i].type, true);
    }
    weir_operator_init(&self->base, self->except ? "Except" : "Intersect", 2);
    weir_batch_init(&self->output, plan->fields, plan->field_count);
    weir_state_options options = {.uid = node->uid, .name = "counts", .ttl_ms = context->state_ttl_ms};
    int code = weir_value_state_open(context->state, &options, &self->counts, err);
    return weir_operator_created(&self->base, code, out);
}
