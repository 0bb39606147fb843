/* SORT by the time of events first: rows wait until the watermark says that none will come before them, and come out in
 * their order. Rows up to the time of the last one that has come out are late, and dropped. */
#include <stdlib.h>

#include "stream/operator/closed_watermark.h"
#include "stream/operator/operators.h"
#include "stream/operator/order_key.h"
#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"
#include "stream/state/row_codec.h"

typedef struct time_sort {
    weir_operator base;
    const weir_operator_context *context;
    const char *uid;
    const weir_plan *plan;
    int32_t time_column;
    weir_sql_compute *compute; /* the sort keys after the time; NULL: there are none */
    weir_batch rest;
    weir_order_keys order;
    weir_time_queue *waiting;
    int64_t came_out;
    weir_batch result;
} time_sort;

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    time_sort *self = (time_sort *)base;
    const weir_vector *times = &batch->columns[self->time_column];
    int32_t rest = self->plan->sort_key_count - 1;
    int64_t late = 0;
    (void)input;
    if (self->compute != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->rest, NULL, err));
        WEIR_TRY(weir_order_keys_build(&self->order, &self->rest, 0, self->plan->sort_keys + 1, rest, err));
    }
    for (int64_t row = 0; row < batch->length; row++) {
        int64_t time = weir_vector_is_null(times, row) ? INT64_MIN : weir_time_millis(times, row);
        if (time <= self->came_out) {
            late++;
            continue;
        }
        weir_slice key = self->compute == NULL ? weir_slice_of(NULL, 0) : weir_order_key(&self->order, row);
        WEIR_TRY(weir_time_queue_put_row(self->waiting, time, key, batch, row, err));
    }
    atomic_fetch_add(self->context->late_rows, late);
    return WEIR_OK;
}

static int take_watermark(weir_operator *base, int32_t input, int64_t moment, weir_error *err)
{
    time_sort *self = (time_sort *)base;
    const weir_time_entry *entries;
    int64_t count;
    moment = weir_operator_note_watermark(base, input, moment);
    do {
        WEIR_TRY(weir_time_queue_take(self->waiting, moment, &entries, &count, err));
        weir_batch_clear(&self->result);
        for (int64_t i = 0; i < count; i++) {
            WEIR_TRY(weir_row_decode(entries[i].value, &self->result, 0, self->result.column_count, err));
            self->came_out = entries[i].time;
        }
        self->result.length = count;
        WEIR_TRY(weir_output_send(base, &self->result, err));
    } while (count > 0);
    return weir_output_watermark(base, moment, err);
}

static int barrier(weir_operator *base, weir_error *err)
{
    time_sort *self = (time_sort *)base;
    return weir_closed_watermark_keep(self->context, self->uid, self->came_out, err);
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    time_sort *self = (time_sort *)base;
    weir_sql_compute_free(self->compute);
    weir_batch_free(&self->rest);
    weir_batch_free(&self->result);
    weir_order_keys_free(&self->order);
    weir_time_queue_close(self->waiting);
    free(self);
}

static int check_order(const weir_stream_node *node, int32_t *out_column, weir_error *err)
{
    const weir_plan *plan = node->plan;
    const weir_sort_key *first = &plan->sort_keys[0];
    const weir_expression *bare = weir_expression_bare(first->expression);
    if (bare->kind != WEIR_EXPRESSION_COLUMN || first->descending ||
        node->inputs[0]->times[bare->column] != WEIR_TIME_ROWTIME) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, first->expression->position.line, first->expression->position.column,
                            "Sort on a non-time-attribute field is not supported.");
    }
    *out_column = bare->column;
    return WEIR_OK;
}

static int open_order(time_sort *self, weir_error *err)
{
    const weir_plan *plan = self->plan;
    int32_t count = plan->sort_key_count - 1;
    weir_field *fields = weir_alloc_zeroed((size_t)count + 1, sizeof *fields);
    weir_expression **expressions = weir_alloc_zeroed((size_t)count + 1, sizeof(weir_expression *));
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = plan->sort_keys[i + 1].expression;
        fields[i].type = expressions[i]->type;
    }
    const weir_sql_compute_options options = {.fields = plan->fields,
                                              .field_count = plan->field_count,
                                              .expressions = expressions,
                                              .expression_count = count};
    weir_batch_init(&self->rest, fields, count);
    int code = count == 0 ? WEIR_OK : weir_sql_compute_create(self->context->engine, &options, &self->compute, err);
    free(expressions);
    free(fields);
    return code;
}

int weir_sort_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err)
{
    int code = WEIR_OK;
    int32_t time_column;
    WEIR_TRY(check_order(node, &time_column, err));
    time_sort *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.watermark = take_watermark;
    self->base.barrier = barrier;
    self->base.close = close_operator;
    weir_operator_init(&self->base, "TemporalSort", 1);
    self->context = context;
    self->uid = node->uid;
    self->plan = node->plan;
    self->time_column = time_column;
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    WEIR_GO(open_order(self, err));
    WEIR_GO(weir_time_queue_open(context, node->uid, "waiting", &self->waiting, err));
    WEIR_GO(weir_closed_watermark_restore(context, node->uid, &self->came_out, err));
done:
    return weir_operator_created(&self->base, code, out);
}
