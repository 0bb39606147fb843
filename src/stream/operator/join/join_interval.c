/* Joins of rows near each other in time: the watermark says when a row can match no more, and it is forgotten.
 *
 * The join itself is join_tested.c, by whose condition the times lie in the interval. Here is only what time does:
 * beside their join's state, rows wait in a queue for the moment from which on nothing near them comes, and, as in
 * Flink, for half of the interval more: rows that are a little late still match. Then those of an outer side that have
 * matched nothing are given beside NULLs, so that all that come out are inserts. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/byte_keys.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/join/join_rows.h"
#include "stream/operator/join/join_tested.h"
#include "stream/operator/window/window_clock.h"

typedef struct interval_join {
    weir_operator base;
    weir_arena arena;
    weir_stream_interval interval;
    int64_t patience; /* half of the interval */
    weir_operator *tested;
    weir_time_queue *waiting[2];
    weir_sort_keys keys; /* of rows that are forgotten */
    int64_t watermark;
} interval_join;

/* How long a row of this time is kept: until the last time of the other side that is near it, and a little longer. */
static int64_t last_moment(const interval_join *self, int32_t side, int64_t time)
{
    int64_t by = (side == 0 ? self->interval.high : -self->interval.low) + self->patience, last;
    return __builtin_add_overflow(time, by, &last) ? INT64_MAX - 1 : last;
}

static int wait_for_time(interval_join *self, int32_t side, const weir_batch *batch, weir_error *err)
{
    const uint8_t *kept;
    const weir_sort_keys *keys = weir_join_tested_keys(self->tested, &kept);
    const weir_vector *times = &batch->columns[side == 0 ? self->interval.left : self->interval.right];
    for (int64_t row = 0; row < batch->length; row++) {
        uint8_t space[8];
        if (kept[row]) {
            weir_slice key = weir_join_key_bytes(keys, row, space);
            int64_t last = last_moment(self, side, weir_time_millis(times, row));
            WEIR_TRY(weir_time_queue_put_row(self->waiting[side], last, key, batch, row, err));
        }
    }
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    interval_join *self = (interval_join *)base;
    self->tested->output = base->output;
    WEIR_TRY(weir_operator_process(self->tested, input, batch, err));
    return wait_for_time(self, input, batch, err);
}

/* Rows of a side whose last moment lies before the watermark. */
static int forget(interval_join *self, int32_t side, int64_t watermark, weir_error *err)
{
    int64_t last = watermark == WEIR_WATERMARK_END ? watermark : watermark - 1, count;
    const weir_time_entry *entries;
    for (;;) {
        WEIR_TRY(weir_time_queue_take(self->waiting[side], last, &entries, &count, err));
        if (count == 0) {
            return WEIR_OK;
        }
        weir_sort_keys_clear(&self->keys);
        for (int64_t i = 0; i < count; i++) {
            weir_byte_keys_add(&self->keys, weir_time_entry_row_key(&entries[i]));
        }
        WEIR_TRY(weir_join_tested_forget(self->tested, side, &self->keys, entries, err));
    }
}

/* What comes out may be as old as what still waits. */
static int64_t held_back(const interval_join *self, int64_t watermark)
{
    int64_t low = -self->interval.low, held;
    int64_t delay = (self->interval.high > low ? self->interval.high : low) + self->patience;
    if (watermark == WEIR_WATERMARK_END || delay < 0) {
        return watermark;
    }
    return __builtin_sub_overflow(watermark, delay, &held) ? WEIR_WATERMARK_NONE : held;
}

static int take_watermark(weir_operator *base, int32_t input, int64_t watermark, weir_error *err)
{
    interval_join *self = (interval_join *)base;
    watermark = weir_operator_note_watermark(base, input, watermark);
    if (watermark > self->watermark) {
        self->watermark = watermark;
        self->tested->output = base->output;
        WEIR_TRY(forget(self, 0, watermark, err));
        WEIR_TRY(forget(self, 1, watermark, err));
    }
    return weir_output_watermark(base, held_back(self, watermark), err);
}

static void close_join(weir_operator *base)
{
    interval_join *self = (interval_join *)base;
    weir_operator_close(self->tested);
    weir_time_queue_close(self->waiting[0]);
    weir_time_queue_close(self->waiting[1]);
    weir_sort_keys_free(&self->keys);
    weir_arena_free(&self->arena);
    free(self);
}

static weir_expression *new_expression(weir_arena *arena, weir_expression_kind kind, const weir_type *type,
                                       int32_t argument_count)
{
    weir_expression *expression = WEIR_NEW(arena, weir_expression);
    expression->kind = kind;
    expression->type = type;
    expression->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, argument_count + 1);
    expression->argument_count = argument_count;
    return expression;
}

static weir_expression *has_time(weir_arena *arena, int32_t column, const weir_type *type)
{
    weir_expression *test =
        new_expression(arena, WEIR_EXPRESSION_IS_NOT_NULL, weir_type_simple(WEIR_BOOLEAN, false), 1);
    test->arguments[0] = new_expression(arena, WEIR_EXPRESSION_COLUMN, type, 0);
    test->arguments[0]->column = column;
    return test;
}

/* The join's plan, whose condition also says that rows without a time match nothing: for these no time would come. */
static weir_plan *with_times(weir_arena *arena, const weir_plan *plan, const weir_stream_interval *interval)
{
    const weir_plan *left = plan->inputs[0], *right = plan->inputs[1];
    weir_plan *copy = weir_arena_copy(arena, plan, sizeof *plan);
    copy->state_ttls_ms = NULL; /* time itself makes rows go */
    copy->predicate = new_expression(arena, WEIR_EXPRESSION_AND, weir_type_simple(WEIR_BOOLEAN, true), 3);
    copy->predicate->arguments[0] = plan->predicate;
    copy->predicate->arguments[1] = has_time(arena, interval->left, left->fields[interval->left].type);
    copy->predicate->arguments[2] =
        has_time(arena, left->field_count + interval->right, right->fields[interval->right].type);
    return copy;
}

int weir_join_interval_create(const weir_operator_context *context, const weir_stream_node *node,
                              const weir_stream_interval *interval, weir_operator **out, weir_error *err)
{
    interval_join *self = weir_alloc_zeroed(1, sizeof *self);
    weir_stream_node inner = *node;
    weir_operator_context without_ttl = *context;
    without_ttl.state_ttl_ms = 0;
    self->base.process = process;
    self->base.watermark = take_watermark;
    self->base.close = close_join;
    self->interval = *interval;
    self->patience = (interval->high - interval->low) / 2;
    self->watermark = WEIR_WATERMARK_NONE;
    weir_arena_init(&self->arena);
    weir_operator_init(&self->base, "IntervalJoin", 2);
    inner.plan = with_times(&self->arena, node->plan, interval);
    int code = weir_join_tested_create(&without_ttl, &inner, &self->tested, err);
    if (code == WEIR_OK) {
        weir_join_tested_defer(self->tested);
        code = weir_time_queue_open(&without_ttl, node->uid, "left times", &self->waiting[0], err);
    }
    code =
        code != WEIR_OK ? code : weir_time_queue_open(&without_ttl, node->uid, "right times", &self->waiting[1], err);
    return weir_operator_created(&self->base, code, out);
}
