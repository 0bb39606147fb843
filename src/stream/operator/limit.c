/* LIMIT and OFFSET without an order, over inserts alone: rows are counted as they come, and none is kept. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/operators.h"

typedef struct limit {
    weir_operator base;
    int64_t first, last;
    weir_state_backend *backend;
    char name[96]; /* of the counter */
    int64_t seen;
    weir_batch result;
} limit;

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    limit *self = (limit *)base;
    (void)input;
    int64_t from = self->first - 1 - self->seen, to = self->last - self->seen;
    from = from < 0 ? 0 : from;
    to = to > batch->length ? batch->length : to;
    self->seen += self->seen < self->last ? batch->length : 0;
    if (from == 0 && to == batch->length) {
        return weir_output_send(base, batch, err);
    }
    if (from >= to) {
        return WEIR_OK;
    }
    weir_batch_clear(&self->result);
    WEIR_TRY(weir_batch_append_range(&self->result, batch, from, to - from, err));
    return weir_output_send(base, &self->result, err);
}

static int barrier(weir_operator *base, weir_error *err)
{
    limit *self = (limit *)base;
    return weir_state_backend_put(self->backend, self->name, weir_slice_of(&self->seen, sizeof self->seen), err);
}

static void close_limit(weir_operator *base)
{
    limit *self = (limit *)base;
    weir_batch_free(&self->result);
    free(self);
}

static int restore(limit *self, weir_error *err)
{
    weir_buffer seen = {0};
    int code = weir_state_backend_get(self->backend, self->name, &seen, err);
    if (code == WEIR_OK && seen.size == sizeof self->seen) {
        memcpy(&self->seen, seen.data, sizeof self->seen);
    }
    weir_buffer_free(&seen);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

int weir_limit_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                               const weir_rank *what, weir_operator **out, weir_error *err)
{
    limit *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.barrier = barrier;
    self->base.close = close_limit;
    weir_operator_init(&self->base, "Limit", 1);
    self->first = what->first;
    self->last = what->last;
    self->backend = context->state;
    snprintf(self->name, sizeof self->name, "%s.seen", node->uid);
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    int code = restore(self, err);
    return weir_operator_created(&self->base, code, out);
}
