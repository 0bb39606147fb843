/* Moving conditions to where they drop rows earliest, in plans with joins: those over one side of a join below it,
 * those over both into its predicate, so that an equality in WHERE joins as one in ON does. What follows of conditions
 * by equal keys is added: of a.k = b.k and a.k = 5 comes b.k = 5. Outer joins whose missing rows a condition drops
 * become inner ones. */
#include "sql/bind/conjuncts.h"
#include "sql/bind/subquery.h"

static weir_plan *sink(weir_binder *binder, weir_plan *plan, weir_conjuncts *conditions);

static bool has_join(const weir_plan *plan)
{
    bool found = plan->kind == WEIR_PLAN_JOIN || plan->kind == WEIR_PLAN_UNNEST;
    for (int32_t i = 0; i < plan->input_count && !found; i++) {
        found = has_join(plan->inputs[i]);
    }
    return found;
}

static weir_plan *filtered(weir_binder *binder, weir_plan *plan, const weir_conjuncts *conditions)
{
    weir_expression *predicate = weir_conjuncts_join(binder, conditions);
    return predicate == NULL ? plan : weir_plan_filter(binder, plan, predicate);
}

static void sink_inputs(weir_binder *binder, weir_plan *plan)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_conjuncts none = {0};
        plan->inputs[i] = sink(binder, plan->inputs[i], &none);
    }
}

/* --- Through nodes with one input ------------------------------------------------------------------------------ */

static weir_expression *input_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    (void)binder;
    weir_expression *const *expressions = state;
    return expressions[leaf->column];
}

/* Whether a condition names only the first columns of a node, none of them volatile. */
static bool passes(const weir_expression *condition, weir_expression *const *expressions, int32_t count)
{
    if (condition->kind == WEIR_EXPRESSION_COLUMN) {
        return condition->column < count && !weir_expression_is_volatile(expressions[condition->column]);
    }
    for (int32_t i = 0; i < condition->argument_count; i++) {
        if (!passes(condition->arguments[i], expressions, count)) {
            return false;
        }
    }
    return true;
}

/* PROJECT, and AGGREGATE by its groups: conditions over expressions hold for the rows below. */
static weir_plan *sink_through(weir_binder *binder, weir_plan *plan, const weir_conjuncts *conditions)
{
    weir_conjuncts below = {0};
    weir_conjuncts above = {0};
    bool none = plan->kind == WEIR_PLAN_AGGREGATE && (plan->global || plan->grouping_sets != NULL);
    for (int32_t i = 0; i < conditions->count; i++) {
        weir_expression *condition = conditions->items[i];
        if (none || weir_expression_is_volatile(condition) || weir_expression_constant(condition) ||
            !passes(condition, plan->expressions, plan->expression_count)) {
            weir_conjuncts_add(binder, &above, condition);
        } else {
            weir_conjuncts_add(binder, &below,
                               weir_expression_rewrite(binder, condition, input_leaf, plan->expressions));
        }
    }
    plan->inputs[0] = sink(binder, plan->inputs[0], &below);
    return filtered(binder, plan, &above);
}

/* UNNEST: conditions on what was there before it. */
static weir_plan *sink_below_unnest(weir_binder *binder, weir_plan *plan, const weir_conjuncts *conditions)
{
    weir_conjuncts below = {0};
    weir_conjuncts above = {0};
    for (int32_t i = 0; i < conditions->count; i++) {
        bool fits = weir_expression_sides(conditions->items[i], plan->inputs[0]->field_count) == WEIR_SIDE_LEFT &&
                    !weir_expression_is_volatile(conditions->items[i]);
        weir_conjuncts_add(binder, fits ? &below : &above, conditions->items[i]);
    }
    plan->inputs[0] = sink(binder, plan->inputs[0], &below);
    return filtered(binder, plan, &above);
}

/* DISTINCT, ORDER BY and set operations: a row stays or goes whatever the others are. */
static weir_plan *sink_into_all(weir_binder *binder, weir_plan *plan, const weir_conjuncts *conditions)
{
    weir_conjuncts below = {0};
    weir_conjuncts above = {0};
    for (int32_t i = 0; i < conditions->count; i++) {
        weir_conjuncts_add(binder, weir_expression_is_volatile(conditions->items[i]) ? &above : &below,
                           conditions->items[i]);
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_conjuncts copy = below; /* which grows by other conditions in each input */
        copy.items = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 2 * below.count + 1);
        if (below.count > 0) {
            memcpy(copy.items, below.items, sizeof *below.items * (size_t)below.count);
        }
        plan->inputs[i] = sink(binder, plan->inputs[i], &copy);
    }
    return filtered(binder, plan, &above);
}

/* --- Joins ----------------------------------------------------------------------------------------------------- */

/* Takes the conditions of inner joins, and of filters between them, out of the tree; `first` is where the node's
 * columns stand among those of the whole. */
static weir_plan *gather(weir_binder *binder, weir_plan *plan, int32_t first, weir_conjuncts *out)
{
    if (plan->kind == WEIR_PLAN_FILTER || (plan->kind == WEIR_PLAN_JOIN && plan->join == WEIR_JOIN_INNER)) {
        if (plan->predicate != NULL) {
            weir_conjuncts_split(binder, weir_expression_shift(binder, plan->predicate, first), out);
        }
        plan->predicate = NULL;
        if (plan->kind == WEIR_PLAN_FILTER) {
            return gather(binder, plan->inputs[0], first, out);
        }
        int32_t split = plan->inputs[0]->field_count;
        plan->inputs[0] = gather(binder, plan->inputs[0], first, out);
        plan->inputs[1] = gather(binder, plan->inputs[1], first + split, out);
        return plan;
    }
    bool left_passes = plan->kind == WEIR_PLAN_JOIN && plan->join != WEIR_JOIN_RIGHT && plan->join != WEIR_JOIN_FULL;
    if (left_passes) {
        plan->inputs[0] = gather(binder, plan->inputs[0], first, out);
    }
    return plan;
}

/* What a condition on rows of the join makes of the join. */
static weir_join_kind without_nulls(weir_join_kind kind, const weir_conjuncts *conditions, int32_t split)
{
    bool left = false;
    bool right = false;
    for (int32_t i = 0; i < conditions->count && weir_join_keeps_both(kind); i++) {
        left = left || weir_conjunct_rejects_nulls(conditions->items[i], WEIR_SIDE_LEFT, split);
        right = right || weir_conjunct_rejects_nulls(conditions->items[i], WEIR_SIDE_RIGHT, split);
    }
    switch (kind) {
    case WEIR_JOIN_LEFT:
        return right ? WEIR_JOIN_INNER : WEIR_JOIN_LEFT;
    case WEIR_JOIN_RIGHT:
        return left ? WEIR_JOIN_INNER : WEIR_JOIN_RIGHT;
    case WEIR_JOIN_FULL:
        return left && right ? WEIR_JOIN_INNER : left ? WEIR_JOIN_LEFT : right ? WEIR_JOIN_RIGHT : WEIR_JOIN_FULL;
    default:
        return kind;
    }
}

typedef struct join_parts {
    weir_conjuncts left, right; /* go below; over the join's columns */
    weir_conjuncts on;
    weir_conjuncts above;
} join_parts;

/* Which sides a condition of ON, and one on the join's rows, may go below to. */
static int open_below_on(weir_join_kind kind)
{
    static const int open[] = {WEIR_SIDE_BOTH, WEIR_SIDE_RIGHT, WEIR_SIDE_LEFT, 0, WEIR_SIDE_BOTH, WEIR_SIDE_RIGHT, 0};
    return open[kind];
}

static int open_below_rows(weir_join_kind kind)
{
    static const int open[] = {WEIR_SIDE_BOTH, WEIR_SIDE_LEFT, WEIR_SIDE_RIGHT, 0,
                               WEIR_SIDE_LEFT, WEIR_SIDE_LEFT, WEIR_SIDE_LEFT};
    return open[kind];
}

static void place(weir_binder *binder, weir_expression *condition, int open, int32_t split, join_parts *parts,
                  weir_conjuncts *otherwise)
{
    int sides = weir_expression_sides(condition, split);
    bool fits = !weir_expression_is_volatile(condition);
    if (fits && sides == WEIR_SIDE_LEFT && (open & WEIR_SIDE_LEFT)) {
        weir_conjuncts_add(binder, &parts->left, condition);
    } else if (fits && sides == WEIR_SIDE_RIGHT && (open & WEIR_SIDE_RIGHT)) {
        weir_conjuncts_add(binder, &parts->right, condition);
    } else {
        weir_conjuncts_add(binder, otherwise, condition);
    }
    for (int side = WEIR_SIDE_LEFT; side <= WEIR_SIDE_RIGHT && sides == WEIR_SIDE_BOTH; side++) {
        weir_expression *part = (open & side) ? weir_conjunct_of_side(binder, condition, side, split) : NULL;
        if (part != NULL) {
            weir_conjuncts_add(binder, side == WEIR_SIDE_LEFT ? &parts->left : &parts->right, part);
        }
    }
}

static void part_join(weir_binder *binder, weir_plan *join, const weir_conjuncts *conditions, join_parts *parts)
{
    int32_t split = join->inputs[0]->field_count;
    weir_conjuncts on = {0};
    weir_conjuncts_split(binder, join->predicate, &on);
    if (join->join == WEIR_JOIN_ANTI_NULL_AWARE) {
        parts->on = on;
    }
    for (int32_t i = 0; i < on.count && join->join != WEIR_JOIN_ANTI_NULL_AWARE; i++) {
        place(binder, on.items[i], open_below_on(join->join), split, parts, &parts->on);
    }
    bool inner = join->join == WEIR_JOIN_INNER;
    for (int32_t i = 0; i < conditions->count; i++) {
        bool constant = weir_expression_sides(conditions->items[i], split) == 0;
        place(binder, conditions->items[i], open_below_rows(join->join), split, parts,
              inner && !constant ? &parts->on : &parts->above);
    }
    bool carries_right =
        inner || join->join == WEIR_JOIN_LEFT || join->join == WEIR_JOIN_SEMI || join->join == WEIR_JOIN_ANTI;
    bool carries_left = inner || join->join == WEIR_JOIN_RIGHT || join->join == WEIR_JOIN_SEMI;
    const join_parts before = *parts;
    if (carries_right) {
        weir_conjuncts_carry_over(binder, &parts->on, split, WEIR_SIDE_LEFT, &before.left, &parts->right);
    }
    if (carries_left) {
        weir_conjuncts_carry_over(binder, &parts->on, split, WEIR_SIDE_RIGHT, &before.right, &parts->left);
    }
}

static weir_plan *sink_join(weir_binder *binder, weir_plan *join, weir_conjuncts *conditions)
{
    int32_t split = join->inputs[0]->field_count;
    join_parts parts = {0};
    join->join = without_nulls(join->join, conditions, split);
    gather(binder, join, 0, conditions);
    weir_conjuncts_derive(binder, conditions);
    part_join(binder, join, conditions, &parts);
    for (int32_t i = 0; i < parts.right.count; i++) {
        parts.right.items[i] = weir_expression_shift(binder, parts.right.items[i], -split);
    }
    join->predicate = weir_conjuncts_join(binder, &parts.on);
    join->inputs[0] = sink(binder, join->inputs[0], &parts.left);
    join->inputs[1] = sink(binder, join->inputs[1], &parts.right);
    return filtered(binder, join, &parts.above);
}

/* --- All nodes ------------------------------------------------------------------------------------------------- */

static weir_plan *sink(weir_binder *binder, weir_plan *plan, weir_conjuncts *conditions)
{
    if (!has_join(plan)) {
        return filtered(binder, plan, conditions);
    }
    switch (plan->kind) {
    case WEIR_PLAN_FILTER:
        weir_conjuncts_split(binder, plan->predicate, conditions);
        return sink(binder, plan->inputs[0], conditions);
    case WEIR_PLAN_JOIN:
        return sink_join(binder, plan, conditions);
    case WEIR_PLAN_PROJECT:
    case WEIR_PLAN_AGGREGATE:
        return sink_through(binder, plan, conditions);
    case WEIR_PLAN_UNNEST:
        return sink_below_unnest(binder, plan, conditions);
    case WEIR_PLAN_SORT:
        if (plan->limit >= 0 || plan->offset > 0) {
            break;
        }
        return sink_into_all(binder, plan, conditions);
    case WEIR_PLAN_DISTINCT:
    case WEIR_PLAN_UNION:
    case WEIR_PLAN_INTERSECT:
    case WEIR_PLAN_EXCEPT:
        return sink_into_all(binder, plan, conditions);
    default:
        break;
    }
    sink_inputs(binder, plan);
    return filtered(binder, plan, conditions);
}

weir_plan *weir_move_filters(weir_binder *binder, weir_plan *plan)
{
    weir_conjuncts none = {0};
    return sink(binder, plan, &none);
}
