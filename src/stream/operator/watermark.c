/* WATERMARK: passes rows on, and after them the moment that no earlier row is expected from.
 *
 * A watermark moves with every row. Sent with every row it would cut batches to pieces, and it need not be: whether a
 * row is late matters only for one that is not after the watermark of the rows before it. So a batch is cut before such
 * rows alone, and what comes of it is what comes of a watermark after each row.
 *
 * Rows of a table's snapshot came together and lie in the order of their keys: none of them makes another one late. So
 * over a table the watermark is sent when all rows of a snapshot have been (weir_stream_source.moment).
 *
 * The watermark outlives the job: what was late before a restart is late after it. */
#include <stdlib.h>

#include "sql/function/kernels.h"
#include "stream/operator/closed_watermark.h"
#include "stream/operator/operators.h"

typedef struct watermark {
    weir_operator base;
    const weir_operator_context *context;
    const char *uid;
    int32_t time_column;
    bool simple; /* the time column less a constant: */
    int64_t distance;
    weir_sql_compute *compute; /* what is not simple */
    weir_batch computed;
    weir_batch part;
    int64_t current;       /* of the rows so far */
    const int64_t *moment; /* the source's; NULL: rows come in their order */
    int64_t seen;          /* the moment whose rows came last */
    int64_t given;         /* over moments: what has been sent */
    char *given_uid;
} watermark;

/* --- Watermarks of rows ---------------------------------------------------------------------------------------- */

/* The column of which watermarks are made, of the batch or computed. */
static int watermark_column(watermark *self, const weir_batch *batch, const weir_vector **out, weir_error *err)
{
    if (self->simple) {
        *out = &batch->columns[self->time_column];
        return WEIR_OK;
    }
    WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->computed, NULL, err));
    *out = &self->computed.columns[0];
    return WEIR_OK;
}

static int check_times(const weir_vector *times, weir_error *err)
{
    return times->null_count == 0
               ? WEIR_OK
               : weir_fail(err, WEIR_INVALID,
                           "RowTime field should not be null, please convert it to a non-null long value.");
}

/* Sends rows first .. end - 1 and what the watermark is after them. */
static int send_part(watermark *self, const weir_batch *batch, int64_t first, int64_t end, weir_error *err)
{
    if (first == 0 && end == batch->length) {
        WEIR_TRY(weir_output_send(&self->base, batch, err));
    } else if (end > first) {
        weir_batch_clear(&self->part);
        WEIR_TRY(weir_batch_append_range(&self->part, batch, first, end - first, err));
        WEIR_TRY(weir_output_send(&self->base, &self->part, err));
    }
    return weir_output_watermark(&self->base, self->current, err);
}

static bool ends_update(const weir_batch *batch, int64_t row)
{
    return batch->kinds != NULL && row > 0 && batch->kinds[row] == WEIR_UPDATE_AFTER &&
           batch->kinds[row - 1] == WEIR_UPDATE_BEFORE;
}

static int take_whole(watermark *self, const weir_batch *batch, const weir_vector *watermarks, weir_error *err)
{
    const int64_t *moment = WEIR_VALUES(watermarks, int64_t);
    for (int64_t row = 0; row < batch->length; row++) {
        if (!weir_vector_is_null(watermarks, row) && moment[row] - self->distance > self->current) {
            self->current = moment[row] - self->distance;
        }
    }
    return weir_output_send(&self->base, batch, err);
}

/* Sends the watermark of a moment that is over. */
static int end_moment(watermark *self, weir_error *err)
{
    if (*self->moment != self->seen) {
        self->seen = *self->moment;
        self->given = self->current;
    }
    return weir_output_watermark(&self->base, self->given, err);
}

static int tick(weir_operator *base, int64_t now_ms, weir_error *err)
{
    (void)now_ms;
    return end_moment((watermark *)base, err);
}

/* The milliseconds of both columns lie side by side: watermarks are of times to the millisecond. */
static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    watermark *self = (watermark *)base;
    const weir_vector *times = &batch->columns[self->time_column];
    const weir_vector *watermarks;
    int64_t first = 0;
    (void)input;
    WEIR_TRY(check_times(times, err));
    WEIR_TRY(watermark_column(self, batch, &watermarks, err));
    if (self->moment != NULL) {
        WEIR_TRY(end_moment(self, err));
        return take_whole(self, batch, watermarks, err);
    }
    WEIR_TRY(weir_output_watermark(base, self->current, err)); /* of an earlier run */
    const int64_t *time = WEIR_VALUES(times, int64_t);
    const int64_t *moment = WEIR_VALUES(watermarks, int64_t);
    for (int64_t row = 0; row < batch->length; row++) {
        if (time[row] <= self->current && self->current > base->output_watermark && !ends_update(batch, row)) {
            WEIR_TRY(send_part(self, batch, first, row, err));
            first = row;
        }
        if (moment[row] - self->distance > self->current && !weir_vector_is_null(watermarks, row)) {
            self->current = moment[row] - self->distance;
        }
    }
    return send_part(self, batch, first, batch->length, err);
}

/* What comes from below: the source has ended. Its own watermarks are of rows that this operator has seen. */
static int take_watermark(weir_operator *base, int32_t input, int64_t moment, weir_error *err)
{
    weir_operator_note_watermark(base, input, moment);
    return moment == WEIR_WATERMARK_END ? weir_output_watermark(base, moment, err) : WEIR_OK;
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static int barrier(weir_operator *base, weir_error *err)
{
    watermark *self = (watermark *)base;
    WEIR_TRY(weir_closed_watermark_keep(self->context, self->uid, self->current, err));
    return self->moment == NULL ? WEIR_OK
                                : weir_closed_watermark_keep(self->context, self->given_uid, self->given, err);
}

static void close_watermark(weir_operator *base)
{
    watermark *self = (watermark *)base;
    weir_sql_compute_free(self->compute);
    weir_batch_free(&self->computed);
    weir_batch_free(&self->part);
    free(self->given_uid);
    free(self);
}

/* `time`, or `time` plus a constant, which is what nearly all watermarks are. */
static bool is_simple(const weir_plan *plan, int64_t *out_distance)
{
    const weir_expression *expression = weir_expression_bare(plan->expressions[0]);
    *out_distance = 0;
    if (expression->kind == WEIR_EXPRESSION_CALL && expression->kernel == &weir_kernel_add_millis &&
        expression->arguments[1]->kind == WEIR_EXPRESSION_LITERAL && !expression->arguments[1]->literal.is_null) {
        *out_distance = -expression->arguments[1]->literal.integer;
        expression = weir_expression_bare(expression->arguments[0]);
    }
    return expression->kind == WEIR_EXPRESSION_COLUMN && expression->column == plan->time_column;
}

int weir_watermark_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    int code = WEIR_OK;
    watermark *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.watermark = take_watermark;
    self->base.barrier = barrier;
    self->base.close = close_watermark;
    weir_operator_init(&self->base, "WatermarkAssigner", 1);
    weir_batch_init(&self->part, plan->fields, plan->field_count);
    self->context = context;
    self->uid = node->uid;
    self->given_uid = weir_format("%s.given", node->uid);
    self->moment = context->moment;
    self->seen = context->moment != NULL ? *context->moment : 0;
    self->base.tick = context->moment != NULL ? tick : NULL;
    self->time_column = plan->time_column;
    self->simple = is_simple(plan, &self->distance);
    weir_field computed = {.name = "watermark", .type = plan->expressions[0]->type};
    weir_batch_init(&self->computed, &computed, 1);
    if (!self->simple) {
        const weir_sql_compute_options options = {.fields = plan->inputs[0]->fields,
                                                  .field_count = plan->inputs[0]->field_count,
                                                  .expressions = plan->expressions,
                                                  .expression_count = 1};
        WEIR_GO(weir_sql_compute_create(context->engine, &options, &self->compute, err));
    }
    WEIR_GO(weir_closed_watermark_restore(context, node->uid, &self->current, err));
    WEIR_GO(weir_closed_watermark_restore(context, self->given_uid, &self->given, err));
done:
    return weir_operator_created(&self->base, code, out);
}
