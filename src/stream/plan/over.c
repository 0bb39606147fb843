/* What Flink asks of OVER in streams: one window, in the order of a time, up to the current row. That rows only come is
 * asked for by traits.c. */
#include "stream/plan/over.h"

#include "sql/function/function.h"
#include "sql/type.h"

static int refuse(const weir_plan *plan, weir_error *err, const char *message)
{
    const weir_position *at = &plan->aggregates[0].position;
    return weir_fail_at(err, WEIR_UNSUPPORTED, at->line, at->column, "%s", message);
}

bool weir_over_is_place(const weir_aggregate *call)
{
    weir_aggregate_kind kind = call->function->aggregate;
    return (kind >= WEIR_AGGREGATE_ROW_NUMBER && kind <= WEIR_AGGREGATE_DENSE_RANK) || kind == WEIR_AGGREGATE_LAG;
}

static bool same_keys(const weir_window *a, const weir_window *b)
{
    bool same = a->partition_key_count == b->partition_key_count && a->sort_key_count == b->sort_key_count;
    for (int32_t i = 0; i < a->partition_key_count && same; i++) {
        same = weir_expression_equal(a->partition_keys[i], b->partition_keys[i]);
    }
    for (int32_t i = 0; i < a->sort_key_count && same; i++) {
        same = a->sort_keys[i].descending == b->sort_keys[i].descending &&
               weir_expression_equal(a->sort_keys[i].expression, b->sort_keys[i].expression);
    }
    return same;
}

static int64_t distance_of(const weir_frame_bound *bound)
{
    return bound->distance == NULL ? -1 : bound->distance->literal.integer;
}

/* The frame of a call: of those that look at places it is that of all rows before. */
static bool same_frame(const weir_aggregate *a, const weir_aggregate *b)
{
    bool rows[2];
    weir_ast_bound_kind kinds[2];
    const weir_aggregate *calls[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        bool place = weir_over_is_place(calls[i]);
        rows[i] = place || calls[i]->window->rows;
        kinds[i] = place ? WEIR_AST_UNBOUNDED_PRECEDING : calls[i]->window->lower.kind;
    }
    bool places = weir_over_is_place(a) || weir_over_is_place(b);
    return rows[0] == rows[1] && kinds[0] == kinds[1] &&
           (places || (a->window->upper.kind == b->window->upper.kind &&
                       distance_of(&a->window->lower) == distance_of(&b->window->lower)));
}

static int check_calls(const weir_plan *plan, weir_error *err)
{
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        const weir_aggregate *call = &plan->aggregates[i];
        if (call->function->kind == WEIR_FUNCTION_WINDOW && !weir_over_is_place(call)) {
            return weir_fail_at(err, WEIR_UNSUPPORTED, call->position.line, call->position.column,
                                "%s looks at rows that a stream has not seen yet", call->function->name);
        }
        if (call->function->aggregate == WEIR_AGGREGATE_LAG && call->ignore_nulls) {
            return weir_fail_at(err, WEIR_UNSUPPORTED, call->position.line, call->position.column,
                                "LAG … IGNORE NULLS does not run as a stream in this version");
        }
        if (!same_keys(call->window, plan->aggregates[0].window) || !same_frame(call, &plan->aggregates[0])) {
            return refuse(plan, err,
                          "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same "
                          "window. please re-check the over window statement.");
        }
    }
    return WEIR_OK;
}

static int read_order(const weir_plan *plan, const weir_stream_traits *input, weir_over *out, weir_error *err)
{
    const weir_window *window = out->window;
    if (window->sort_key_count != 1) {
        return refuse(plan, err, "The window can only be ordered by a single time column.");
    }
    if (window->sort_keys[0].descending) {
        return refuse(plan, err, "The window can only be ordered in ASCENDING mode.");
    }
    const weir_expression *key = weir_expression_bare(window->sort_keys[0].expression);
    if (key->kind != WEIR_EXPRESSION_COLUMN || input->times[key->column] == WEIR_TIME_NONE) {
        return refuse(plan, err, "OVER windows' ordering in stream mode must be defined on a time attribute.");
    }
    out->time_column = key->column;
    out->by_clock = input->times[key->column] == WEIR_TIME_PROCTIME;
    return WEIR_OK;
}

static int read_frame(const weir_plan *plan, weir_over *out, weir_error *err)
{
    const weir_window *window = out->window;
    bool place = weir_over_is_place(&plan->aggregates[0]);
    out->row_by_row = window->rows || place || out->by_clock;
    out->frame = WEIR_OVER_ALL_BEFORE;
    if (place) {
        return WEIR_OK;
    }
    if (window->upper.kind > WEIR_AST_CURRENT_ROW) {
        return refuse(plan, err,
                      window->rows ? "OVER ROWS FOLLOWING windows are not supported yet."
                                   : "OVER RANGE FOLLOWING windows are not supported yet.");
    }
    if (window->upper.kind != WEIR_AST_CURRENT_ROW) {
        return refuse(plan, err, "OVER windows of streams end with CURRENT ROW.");
    }
    if (window->lower.kind == WEIR_AST_UNBOUNDED_PRECEDING) {
        return WEIR_OK;
    }
    if (!window->rows && window->lower.distance != NULL && window->lower.distance->type->id == WEIR_INTERVAL_MONTHS) {
        return refuse(plan, err, "OVER windows of streams reach back by days or less: months differ in length.");
    }
    out->frame = window->rows ? WEIR_OVER_ROWS : WEIR_OVER_TIME;
    out->distance = window->lower.distance == NULL ? 0 : window->lower.distance->literal.integer;
    return WEIR_OK;
}

int weir_over_of(const weir_plan *plan, const weir_stream_traits *input, weir_over *out, weir_error *err)
{
    *out = (weir_over){.window = plan->aggregates[0].window};
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        out->window = weir_over_is_place(&plan->aggregates[i]) ? out->window : plan->aggregates[i].window;
    }
    WEIR_TRY(check_calls(plan, err));
    WEIR_TRY(read_order(plan, input, out, err));
    return read_frame(plan, out, err);
}
