/* Joins: which of the kinds a node asks for. */
#include "stream/operator/join/join_condition.h"
#include "stream/operator/join/join_kinds.h"
#include "stream/operator/operators.h"
#include "stream/plan/times.h"

/* FOR SYSTEM_TIME AS OF a column of the first input. */
static int create_as_of(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                        weir_error *err)
{
    const weir_expression *as_of = node->plan->as_of;
    int line = (int)as_of->position.line, column = (int)as_of->position.column;
    switch (node->inputs[0]->times[as_of->column]) {
    case WEIR_TIME_PROCTIME:
        return weir_lookup_join_create(context, node, out, err);
    case WEIR_TIME_ROWTIME:
        return weir_join_temporal_create(context, node, out, err);
    default:
        return weir_fail_at(err, WEIR_INVALID, line, column,
                            "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time "
                            "attribute field: a column that is PROCTIME(), or for which the table has a WATERMARK");
    }
}

int weir_join_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                              weir_error *err)
{
    weir_arena arena;
    weir_join_condition condition;
    weir_stream_interval interval;
    if (node->plan->as_of != NULL) {
        return create_as_of(context, node, out, err);
    }
    if (weir_stream_interval_of(node->plan, node->inputs[0], node->inputs[1], &interval)) {
        return weir_join_interval_create(context, node, &interval, out, err);
    }
    if (weir_stream_is_window_join(node->plan, node->inputs[0], node->inputs[1]) &&
        node->plan->join != WEIR_JOIN_INNER && node->plan->join != WEIR_JOIN_SEMI) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, (int)node->plan->position.line, (int)node->plan->position.column,
                            "an outer or anti join of windows on their bounds is not supported yet in streams");
    }
    weir_arena_init(&arena);
    weir_join_condition_split(node->plan, &arena, &condition);
    bool has_rest = condition.rest_count > 0;
    weir_arena_free(&arena);
    if (node->plan->join == WEIR_JOIN_ANTI_NULL_AWARE) {
        return weir_join_not_in_create(context, node, out, err);
    }
    if (has_rest) {
        return weir_join_tested_create(context, node, out, err);
    }
    return weir_join_keeps_both(node->plan->join) ? weir_join_pairs_create(context, node, out, err)
                                                  : weir_join_semi_create(context, node, out, err);
}
