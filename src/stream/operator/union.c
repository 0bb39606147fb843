/* UNION ALL: what comes in on any input goes out. */
#include <stdlib.h>

#include "stream/operator/operators.h"

static int process(weir_operator *self, int32_t input, const weir_batch *batch, weir_error *err)
{
    (void)input;
    return weir_output_send(self, batch, err);
}

static void close_union(weir_operator *self) { free(self); }

int weir_union_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                               weir_error *err)
{
    (void)context;
    (void)err;
    weir_operator *self = weir_alloc_zeroed(1, sizeof *self);
    self->process = process;
    self->close = close_union;
    weir_operator_init(self, "Union", node->plan->input_count);
    *out = self;
    return WEIR_OK;
}
