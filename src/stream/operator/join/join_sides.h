/* What joins of two streams have in common: the keys of both inputs' rows, the rows that are kept of both, and what is
 * given. Which rows match, and what a change of one side makes of the other side's rows, each kind says for itself. */
#ifndef WEIR_STREAM_JOIN_SIDES_H
#define WEIR_STREAM_JOIN_SIDES_H

#include "stream/operator/join/join_condition.h"
#include "stream/operator/join/join_output.h"

typedef struct weir_join_sides {
    weir_arena arena; /* of the condition */
    weir_join_condition condition;
    weir_join_keys *keys[2];
    weir_join_rows rows[2];
    weir_join_output output;

    int32_t side;                     /* which input the batch at hand came in by */
    const weir_sort_keys *batch_keys; /* of its rows */
    const uint8_t *can_match;         /* whether they can match anything */
    weir_encoded_rows encoded;        /* its rows as bytes, where the join has asked for them */
} weir_join_sides;

/* Takes the condition of `plan` apart and makes the output of `owner`, which is to outlive `self`; the plan is
 * borrowed. */
void weir_join_sides_init(weir_join_sides *self, weir_operator *owner, const weir_plan *plan);

/* Opens keys and kept rows. What is open when it fails goes with the rest of `self`. */
int weir_join_sides_open(weir_join_sides *self, const weir_operator_context *context, const weir_stream_node *node,
                         weir_error *err);

void weir_join_sides_free(weir_join_sides *self);

/* Makes `batch` the batch at hand, until the next one: its keys, and the places of both sides' rows of these keys. Its
 * rows are turned into bytes by weir_encoded_rows_fill alone. */
int weir_join_sides_begin(weir_join_sides *self, int32_t input, const weir_batch *batch, weir_error *err);

/* The change of the batch at hand that begins at row *row, which is advanced past it. */
static inline weir_join_change weir_join_sides_next_change(const weir_join_sides *self, const weir_batch *batch,
                                                           int64_t *row)
{
    return weir_join_next_change(batch, self->batch_keys, self->can_match, row);
}

#endif
