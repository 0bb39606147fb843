/* Opening both sides of a join, and beginning a batch of one of them. */
#include "stream/operator/join/join_sides.h"

void weir_join_sides_init(weir_join_sides *self, weir_operator *owner, const weir_plan *plan)
{
    weir_arena_init(&self->arena);
    weir_join_condition_split(plan, &self->arena, &self->condition);
    weir_join_output_init(&self->output, owner, plan);
}

int weir_join_sides_open(weir_join_sides *self, const weir_operator_context *context, const weir_stream_node *node,
                         weir_error *err)
{
    for (int i = 0; i < 2; i++) {
        WEIR_TRY(
            weir_join_keys_create(context->engine, &self->condition, i, node->plan->inputs[i], &self->keys[i], err));
    }
    return weir_join_rows_open_pair(self->rows, context, node, err);
}

void weir_join_sides_free(weir_join_sides *self)
{
    weir_join_keys_free(self->keys[0]);
    weir_join_keys_free(self->keys[1]);
    weir_join_rows_close_pair(self->rows);
    weir_encoded_rows_free(&self->encoded);
    weir_join_output_free(&self->output);
    weir_arena_free(&self->arena);
}

int weir_join_sides_begin(weir_join_sides *self, int32_t input, const weir_batch *batch, weir_error *err)
{
    self->side = input;
    weir_join_output_begin(&self->output, input, batch);
    WEIR_TRY(weir_join_keys_run(self->keys[input], batch, &self->batch_keys, &self->can_match, err));
    return weir_join_rows_fetch_pair(self->rows, self->batch_keys, err);
}
