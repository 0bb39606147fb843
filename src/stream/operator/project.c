/* PROJECT and FILTER: each row by itself, without state.
 *
 * A filter looks at both halves of an update alone. Where one of them is dropped, the other becomes an insert or a
 * delete, so that what goes out is a changelog again. */
#include <stdlib.h>

#include "stream/operator/operators.h"

typedef struct project {
    weir_operator base;
    weir_sql_compute *compute;
    weir_batch result;
    bool filters;
    bool open_update; /* the last row so far was a -U; its +U, if one comes, has lost it */
} project;

/* --- Updates that lose a half ---------------------------------------------------------------------------------- */

/* rows[i]: where row i of `out` was in `in`. A half is whole again when the rows were neighbours before and are so
 * now. */
static void mend_updates(project *self, const weir_batch *in, const uint32_t *rows, weir_batch *out)
{
    for (int64_t i = 0; i < out->length; i++) {
        int64_t row = rows[i];
        if (out->kinds[i] == WEIR_UPDATE_BEFORE) {
            bool last = row + 1 == in->length;
            bool has_after = !last && in->kinds[row + 1] == WEIR_UPDATE_AFTER;
            bool keeps_after = i + 1 < out->length && (int64_t)rows[i + 1] == row + 1;
            if (last || (has_after && !keeps_after)) {
                out->kinds[i] = WEIR_DELETE;
            }
        } else if (out->kinds[i] == WEIR_UPDATE_AFTER) {
            bool had_before = row == 0 ? self->open_update : in->kinds[row - 1] == WEIR_UPDATE_BEFORE;
            bool keeps_before = row > 0 && i > 0 && (int64_t)rows[i - 1] == row - 1;
            if (had_before && !keeps_before) {
                out->kinds[i] = WEIR_INSERT;
            }
        }
    }
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    project *self = (project *)base;
    const uint32_t *rows;
    (void)input;
    WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->result, &rows, err));
    if (self->filters && batch->length > 0) {
        if (self->result.kinds != NULL && batch->kinds != NULL) {
            mend_updates(self, batch, rows, &self->result);
        }
        self->open_update = weir_batch_kind(batch, batch->length - 1) == WEIR_UPDATE_BEFORE;
    }
    return weir_output_send(base, &self->result, err);
}

static void close_project(weir_operator *base)
{
    project *self = (project *)base;
    weir_sql_compute_free(self->compute);
    weir_batch_free(&self->result);
    free(self);
}

int weir_project_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                 const weir_flat_plan *flat, weir_operator **out, weir_error *err)
{
    project *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_project;
    weir_operator_init(&self->base, "Calc", 1);
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    self->filters = flat->condition_count > 0;
    const weir_sql_compute_options options = {.fields = flat->bottom->fields,
                                              .field_count = flat->bottom->field_count,
                                              .conditions = flat->conditions,
                                              .condition_count = flat->condition_count,
                                              .expressions = flat->expressions,
                                              .expression_count = flat->expression_count};
    int code = weir_sql_compute_create(context->engine, &options, &self->compute, err);
    return weir_operator_created(&self->base, code, out);
}
