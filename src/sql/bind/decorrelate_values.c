/* Taking the columns of the query around out of a subquery's plan, the way that always works: the distinct values of
 * these columns are joined in at the leaves, and every node keeps them beside its own fields, so that it computes its
 * result once for each of them. (T. Neumann and A. Kemper, "Unnesting Arbitrary Queries", 2015.)
 *
 * It reads the query around once more for these values; decorrelate.c does without where it can. */
#include "sql/bind/subquery.h"

typedef struct value_set {
    weir_binder *binder;
    int32_t *columns; /* of the query around */
    const weir_type **types;
    int32_t count;
    weir_hole *holes;
} value_set;

/* Gives a plan of the same fields, and after them the values. */
static int spread(value_set *self, weir_plan *plan, weir_plan **out);

/* --- The values ------------------------------------------------------------------------------------------------ */

static weir_expression *note_column(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    value_set *self = *(value_set *const *)state;
    if (leaf->kind == WEIR_EXPRESSION_OUTER && leaf->level == 1) {
        int32_t place = 0;
        while (place < self->count && self->columns[place] != leaf->column) {
            place++;
        }
        if (place == self->count) {
            int32_t *columns = WEIR_NEW_ARRAY(binder->arena, int32_t, place + 1);
            const weir_type **types = WEIR_NEW_ARRAY(binder->arena, const weir_type *, place + 1);
            if (place > 0) {
                memcpy(columns, self->columns, sizeof *columns * (size_t)place);
                memcpy(types, self->types, sizeof *types * (size_t)place);
            }
            columns[place] = leaf->column;
            types[place] = leaf->type;
            self->columns = columns;
            self->types = types;
            self->count++;
        }
    }
    return (weir_expression *)leaf;
}

/* SELECT DISTINCT of the columns around, whose plan is put in when the subquery is joined to it. */
static weir_plan *new_values(value_set *self, const weir_position *at)
{
    weir_binder *binder = self->binder;
    weir_plan *project = weir_plan_new(binder, WEIR_PLAN_PROJECT, at, NULL);
    project->inputs = WEIR_NEW_ARRAY(binder->arena, weir_plan *, 1);
    project->input_count = 1;
    project->expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, self->count + 1);
    project->expression_count = self->count;
    project->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, self->count + 1);
    project->field_count = self->count;
    for (int32_t i = 0; i < self->count; i++) {
        project->expressions[i] = weir_expression_column(binder, self->columns[i], self->types[i], at);
        project->fields[i] =
            (weir_field){.id = -1, .name = weir_arena_format(binder->arena, "outer%d", i), .type = self->types[i]};
    }
    weir_hole *hole = WEIR_NEW(binder->arena, weir_hole);
    *hole = (weir_hole){project, self->holes};
    self->holes = hole;
    return weir_plan_new(binder, WEIR_PLAN_DISTINCT, at, project);
}

typedef struct value_places {
    const value_set *values;
    int32_t first; /* position of the values among the input's columns */
} value_places;

static weir_expression *value_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const value_places *places = state;
    if (leaf->kind != WEIR_EXPRESSION_OUTER || leaf->level != 1) {
        return (weir_expression *)leaf;
    }
    int32_t place = 0;
    while (places->values->columns[place] != leaf->column) {
        place++;
    }
    return weir_expression_column(binder, places->first + place, leaf->type, &leaf->position);
}

/* An expression over a node's input as one over the input with the values. */
static weir_expression *with_values(value_set *self, const weir_expression *expression, int32_t first)
{
    value_places places = {self, first};
    return weir_expression_rewrite(self->binder, expression, value_leaf, &places);
}

/* a.value = b.value of all values, NULLs alike. */
static weir_expression *equate_values(value_set *self, int32_t a, int32_t b, weir_expression *more,
                                      const weir_position *at)
{
    weir_binder *binder = self->binder;
    weir_expression **conjuncts = WEIR_NEW_ARRAY(binder->arena, weir_expression *, self->count + 1);
    for (int32_t i = 0; i < self->count; i++) {
        conjuncts[i] = weir_expression_two(binder, WEIR_EXPRESSION_NOT_DISTINCT, weir_binder_boolean(false), at,
                                           weir_expression_column(binder, a + i, self->types[i], at),
                                           weir_expression_column(binder, b + i, self->types[i], at));
    }
    conjuncts[self->count] = more;
    return weir_and(binder, conjuncts, self->count + (more != NULL), at);
}

/* --- Nodes ----------------------------------------------------------------------------------------------------- */

static int spread_project(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_plan *input;
    int32_t first = plan->inputs[0]->field_count;
    WEIR_TRY(spread(self, plan->inputs[0], &input));
    int32_t count = plan->expression_count + self->count;
    weir_expression **expressions = WEIR_NEW_ARRAY(self->binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(self->binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t value = i - plan->expression_count;
        fields[i] = value < 0 ? plan->fields[i] : input->fields[first + value];
        expressions[i] = value < 0
                             ? with_values(self, plan->expressions[i], first)
                             : weir_expression_column(self->binder, first + value, fields[i].type, &plan->position);
    }
    *out = weir_plan_project(self->binder, input, expressions, fields, count);
    return WEIR_OK;
}

/* A global aggregate gives a row for every value, also where it has no input. */
static weir_plan *pad_groups(value_set *self, const weir_plan *plan, weir_plan *grouped)
{
    weir_binder *binder = self->binder;
    weir_plan *values = new_values(self, &plan->position);
    weir_plan *join = weir_plan_join(binder, WEIR_JOIN_LEFT, &plan->position, values, grouped,
                                     equate_values(self, 0, self->count, NULL, &plan->position));
    int32_t count = plan->aggregate_count + self->count;
    weir_expression **expressions = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(binder->arena, weir_field, count + 1);
    for (int32_t i = 0; i < count; i++) {
        bool aggregate = i < plan->aggregate_count;
        int32_t place = aggregate ? 2 * self->count + i : i - plan->aggregate_count;
        const weir_type *type = aggregate ? plan->aggregates[i].type : values->fields[place].type;
        expressions[i] = weir_or_empty(binder, weir_expression_column(binder, place, type, &plan->position));
        if (!aggregate) {
            expressions[i] = weir_expression_column(binder, place, type, &plan->position);
        }
        fields[i] = (weir_field){.id = -1, .name = join->fields[place].name, .type = type};
    }
    return weir_plan_project(binder, join, expressions, fields, count);
}

static int spread_aggregate(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_binder *binder = self->binder;
    weir_plan *input;
    int32_t first = plan->inputs[0]->field_count;
    int32_t groups = plan->expression_count;
    WEIR_TRY(spread(self, plan->inputs[0], &input));
    weir_expression **list = WEIR_NEW_ARRAY(binder->arena, weir_expression *, groups + self->count + 1);
    for (int32_t i = 0; i < groups + self->count; i++) {
        list[i] = i < groups
                      ? with_values(self, plan->expressions[i], first)
                      : weir_expression_column(binder, first + i - groups, self->types[i - groups], &plan->position);
    }
    weir_plan *grouped =
        weir_plan_grouped(binder, input, list, groups + self->count, plan->aggregates, plan->aggregate_count);
    if (!weir_plan_take_sets(binder, plan, grouped)) {
        return weir_binder_unsupported(binder, &plan->position, "so many groups in a correlated subquery");
    }
    value_places places = {self, first};
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_aggregate_rewrite(binder, &grouped->aggregates[i], value_leaf, &places);
        if (plan->global && !weir_aggregate_has_empty(&grouped->aggregates[i])) {
            return weir_binder_unsupported(
                binder, &plan->aggregates[i].position,
                weir_arena_format(binder->arena, "%s in a correlated subquery", plan->aggregates[i].function->name));
        }
    }
    if (plan->global) {
        *out = pad_groups(self, plan, grouped);
        return WEIR_OK;
    }
    int32_t *columns = WEIR_NEW_ARRAY(binder->arena, int32_t, grouped->field_count + 1);
    for (int32_t i = 0; i < grouped->field_count; i++) {
        bool value = i >= plan->field_count;
        columns[i] = value ? groups + i - plan->field_count : i < groups ? i : i + self->count;
    }
    *out = weir_plan_columns(binder, grouped, columns, grouped->field_count);
    return WEIR_OK;
}

/* The fields of both sides, and then the values of one of them. */
static weir_plan *reorder_join(value_set *self, weir_plan *join, int32_t left, int32_t right, bool values_on_right)
{
    int32_t left_width = join->inputs[0]->field_count;
    int32_t right_kept = weir_join_keeps_both(join->join) ? right : 0;
    int32_t first = values_on_right ? left_width + right : left;
    int32_t count = left + right_kept + self->count;
    int32_t *columns = WEIR_NEW_ARRAY(self->binder->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = i < left ? i : i < left + right_kept ? left_width + i - left : first + i - left - right_kept;
    }
    return weir_plan_columns(self->binder, join, columns, count);
}

typedef struct join_shift {
    int32_t split;
    int32_t by;
} join_shift;

static weir_expression *join_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const join_shift *shift = state;
    if (leaf->kind != WEIR_EXPRESSION_COLUMN || leaf->column < shift->split) {
        return (weir_expression *)leaf;
    }
    return weir_expression_column(binder, leaf->column + shift->by, leaf->type, &leaf->position);
}

/* x NOT IN (…) with values beside it is an anti join in which unknown counts as a match. */
static weir_expression *or_unknown(weir_binder *binder, weir_expression *equality)
{
    weir_expression *either = weir_expression_new(binder, WEIR_EXPRESSION_OR, equality->type, &equality->position, 3);
    either->arguments[0] = equality;
    for (int32_t i = 0; i < 2; i++) {
        either->arguments[i + 1] =
            weir_expression_new(binder, WEIR_EXPRESSION_IS_NULL, weir_binder_boolean(false), &equality->position, 1);
        either->arguments[i + 1]->arguments[0] = equality->arguments[i];
    }
    return either;
}

static int spread_join(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_binder *binder = self->binder;
    weir_plan *left = plan->inputs[0];
    weir_plan *right = plan->inputs[1];
    int32_t left_count = left->field_count;
    int32_t right_count = right->field_count;
    bool named = plan->predicate != NULL && weir_expression_uses_outer(plan->predicate);
    bool padded_left = plan->join == WEIR_JOIN_RIGHT || plan->join == WEIR_JOIN_FULL;
    bool spreads_right = weir_plan_uses_outer(right) || padded_left;
    bool spreads_left =
        !spreads_right || padded_left || named || weir_plan_uses_outer(left) || plan->join != WEIR_JOIN_INNER;
    if (plan->join == WEIR_JOIN_FULL) {
        return weir_binder_unsupported(binder, &plan->position, "FULL JOIN in a subquery that names columns around it");
    }
    if (plan->as_of != NULL) {
        return weir_binder_unsupported(
            binder, &plan->as_of->position,
            "a join FOR SYSTEM_TIME AS OF a column in a subquery that names columns around it");
    }
    if (spreads_left) {
        WEIR_TRY(spread(self, left, &left));
    }
    if (spreads_right) {
        WEIR_TRY(spread(self, right, &right));
    }
    join_shift shift = {left_count, spreads_left ? self->count : 0};
    weir_join_kind kind = plan->join;
    weir_expression *predicate = plan->predicate;
    if (kind == WEIR_JOIN_ANTI_NULL_AWARE) {
        predicate = or_unknown(binder, predicate);
        kind = WEIR_JOIN_ANTI;
    }
    if (predicate != NULL) {
        predicate = weir_expression_rewrite(binder, predicate, join_leaf, &shift);
        predicate = with_values(self, predicate, spreads_left ? left_count : left->field_count + right_count);
    }
    if (spreads_left && spreads_right) {
        predicate = equate_values(self, left_count, left->field_count + right_count, predicate, &plan->position);
    }
    weir_plan *join = weir_plan_join(binder, kind, &plan->position, left, right, predicate);
    *out = reorder_join(self, join, left_count, right_count, !spreads_left || plan->join == WEIR_JOIN_RIGHT);
    return WEIR_OK;
}

/* Adds the values to a list of partition keys. */
static weir_expression **also_by_values(value_set *self, weir_expression *const *keys, int32_t count, int32_t first,
                                        const weir_position *at)
{
    weir_expression **all = WEIR_NEW_ARRAY(self->binder->arena, weir_expression *, count + self->count + 1);
    for (int32_t i = 0; i < count + self->count; i++) {
        all[i] =
            i < count ? keys[i] : weir_expression_column(self->binder, first + i - count, self->types[i - count], at);
    }
    return all;
}

/* The input's fields, what a node adds to them, and then the values, which stand between. */
static weir_plan *values_last(value_set *self, weir_plan *plan, int32_t before)
{
    int32_t added = plan->field_count - before - self->count;
    int32_t *columns = WEIR_NEW_ARRAY(self->binder->arena, int32_t, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        columns[i] = i < before ? i : i < before + added ? i + self->count : i - added;
    }
    return weir_plan_columns(self->binder, plan, columns, plan->field_count);
}

static int spread_window(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_binder *binder = self->binder;
    int32_t before = plan->inputs[0]->field_count;
    value_places places = {self, before};
    weir_plan *input;
    WEIR_TRY(spread(self, plan->inputs[0], &input));
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_aggregate *call = &plan->aggregates[i];
        weir_aggregate_rewrite(binder, call, value_leaf, &places);
        weir_window *window = weir_arena_copy(binder->arena, call->window, sizeof *window);
        window->partition_keys =
            also_by_values(self, window->partition_keys, window->partition_key_count, before, &plan->position);
        window->partition_key_count += self->count;
        call->window = window;
    }
    weir_windowing windowing = {.calls = plan->aggregates, .call_count = plan->aggregate_count};
    *out = values_last(self, weir_plan_window(binder, &windowing, &plan->position, input), before);
    return WEIR_OK;
}

static int spread_unnest(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_arena *arena = self->binder->arena;
    int32_t before = plan->inputs[0]->field_count;
    int32_t added = plan->field_count - before;
    weir_plan *unnest = weir_arena_copy(arena, plan, sizeof *plan);
    unnest->inputs = WEIR_NEW_ARRAY(arena, weir_plan *, 1);
    WEIR_TRY(spread(self, plan->inputs[0], &unnest->inputs[0]));
    unnest->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, 1);
    unnest->expressions[0] = with_values(self, plan->expressions[0], before);
    unnest->field_count = unnest->inputs[0]->field_count + added;
    unnest->fields = WEIR_NEW_ARRAY(arena, weir_field, unnest->field_count + 1);
    for (int32_t i = 0; i < unnest->field_count; i++) {
        int32_t own = i - unnest->inputs[0]->field_count;
        unnest->fields[i] = own < 0 ? unnest->inputs[0]->fields[i] : plan->fields[before + own];
    }
    *out = values_last(self, unnest, before);
    return WEIR_OK;
}

static weir_plan *compare_number(value_set *self, weir_plan *plan, weir_expression_kind kind, int64_t number)
{
    weir_binder *binder = self->binder;
    const weir_type *bigint = weir_type_simple(WEIR_BIGINT, false);
    weir_expression *condition = weir_expression_two(
        binder, kind, weir_binder_boolean(false), &plan->position,
        weir_expression_column(binder, plan->field_count - 1, bigint, &plan->position),
        weir_expression_literal(binder, bigint, (weir_literal){.integer = number}, &plan->position));
    return weir_plan_filter(binder, plan, condition);
}

/* LIMIT for each of the values: rows are numbered, and the numbers compared. */
static int spread_limit(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_binder *binder = self->binder;
    int32_t width = plan->field_count;
    weir_plan *rows;
    WEIR_TRY(spread(self, plan->inputs[0], &rows));
    weir_window *window = WEIR_NEW(binder->arena, weir_window);
    window->partition_keys = also_by_values(self, NULL, 0, width, &plan->position);
    window->partition_key_count = self->count;
    window->sort_keys = plan->sort_keys;
    window->sort_key_count = plan->sort_key_count;
    window->rows = true;
    window->upper.kind = WEIR_AST_CURRENT_ROW;
    weir_aggregate *number = WEIR_NEW(binder->arena, weir_aggregate);
    *number = (weir_aggregate){.function = weir_function_find("ROW_NUMBER"),
                               .position = plan->position,
                               .type = weir_type_simple(WEIR_BIGINT, false),
                               .arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, 1),
                               .window = window};
    weir_windowing windowing = {.calls = number, .call_count = 1};
    rows = weir_plan_window(binder, &windowing, &plan->position, rows);
    rows = plan->offset > 0 ? compare_number(self, rows, WEIR_EXPRESSION_GREATER, plan->offset) : rows;
    if (plan->limit >= 0 && plan->limit <= INT64_MAX - plan->offset) {
        rows = compare_number(self, rows, WEIR_EXPRESSION_LESS_OR_EQUAL, plan->offset + plan->limit);
    }
    int32_t *columns = WEIR_NEW_ARRAY(binder->arena, int32_t, rows->field_count);
    for (int32_t i = 0; i < rows->field_count; i++) {
        columns[i] = i;
    }
    *out = weir_plan_columns(binder, rows, columns, rows->field_count - 1);
    return WEIR_OK;
}

/* UNION and its like: each side for each value. */
static int spread_set(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_plan *set = weir_arena_copy(self->binder->arena, plan, sizeof *plan);
    set->inputs = WEIR_NEW_ARRAY(self->binder->arena, weir_plan *, plan->input_count + 1);
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(spread(self, plan->inputs[i], &set->inputs[i]));
    }
    int32_t count = plan->field_count + self->count;
    set->fields = WEIR_NEW_ARRAY(self->binder->arena, weir_field, count + 1);
    set->field_count = count;
    for (int32_t i = 0; i < count; i++) {
        set->fields[i] = i < plan->field_count ? plan->fields[i] : set->inputs[0]->fields[i];
    }
    *out = set;
    return WEIR_OK;
}

static int spread_values(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_plan row = {.position = plan->position, .kind = WEIR_PLAN_VALUES, .row_count = 1};
    weir_plan *all = weir_plan_new(self->binder, WEIR_PLAN_UNION, &plan->position, NULL);
    all->inputs = WEIR_NEW_ARRAY(self->binder->arena, weir_plan *, plan->row_count + 1);
    for (int64_t i = 0; i < plan->row_count; i++) {
        weir_plan project = *plan;
        weir_plan *input = &row;
        project.kind = WEIR_PLAN_PROJECT;
        project.inputs = &input;
        project.expressions = plan->expressions + i * plan->field_count;
        project.expression_count = plan->field_count;
        WEIR_TRY(spread_project(self, &project, &all->inputs[all->input_count++]));
    }
    all->fields = all->inputs[0]->fields;
    all->field_count = all->inputs[0]->field_count;
    *out = plan->row_count == 1 ? all->inputs[0] : all;
    return WEIR_OK;
}

static int spread(value_set *self, weir_plan *plan, weir_plan **out)
{
    weir_binder *binder = self->binder;
    if (!weir_plan_uses_outer(plan)) {
        bool empty = plan->kind == WEIR_PLAN_VALUES && plan->field_count == 0 && plan->row_count == 1;
        weir_plan *values = new_values(self, &plan->position);
        *out = empty ? values : weir_plan_join(binder, WEIR_JOIN_INNER, &plan->position, plan, values, NULL);
        return WEIR_OK;
    }
    weir_plan *input;
    switch (plan->kind) {
    case WEIR_PLAN_FILTER:
        WEIR_TRY(spread(self, plan->inputs[0], &input));
        *out = weir_plan_filter(binder, input, with_values(self, plan->predicate, plan->field_count));
        return WEIR_OK;
    case WEIR_PLAN_PROJECT:
        return spread_project(self, plan, out);
    case WEIR_PLAN_AGGREGATE:
        return spread_aggregate(self, plan, out);
    case WEIR_PLAN_DISTINCT:
        WEIR_TRY(spread(self, plan->inputs[0], &input));
        *out = weir_plan_new(binder, WEIR_PLAN_DISTINCT, &plan->position, input);
        return WEIR_OK;
    case WEIR_PLAN_SORT:
        return plan->limit >= 0 || plan->offset > 0 ? spread_limit(self, plan, out)
                                                    : spread(self, plan->inputs[0], out);
    case WEIR_PLAN_WINDOW:
        return spread_window(self, plan, out);
    case WEIR_PLAN_UNNEST:
        return spread_unnest(self, plan, out);
    case WEIR_PLAN_JOIN:
        return spread_join(self, plan, out);
    case WEIR_PLAN_VALUES:
        return spread_values(self, plan, out);
    case WEIR_PLAN_UNION:
    case WEIR_PLAN_INTERSECT:
    case WEIR_PLAN_EXCEPT:
        return spread_set(self, plan, out);
    default:
        return weir_binder_unsupported(binder, &plan->position,
                                       "this part of a subquery that names columns of the query around it");
    }
}

int weir_decorrelate_by_values(weir_binder *binder, weir_plan *plan, weir_decorrelated *out)
{
    value_set self = {.binder = binder};
    value_set *state = &self;
    weir_plan_rewrite(binder, plan, note_column, &state);
    *out = (weir_decorrelated){0};
    WEIR_TRY(spread(&self, plan, &out->plan));
    int32_t width = plan->field_count;
    out->outputs = WEIR_NEW_ARRAY(binder->arena, weir_expression *, width + 1);
    for (int32_t i = 0; i < width; i++) {
        out->outputs[i] = weir_expression_column(binder, i, plan->fields[i].type, &plan->position);
    }
    out->conjuncts = WEIR_NEW_ARRAY(binder->arena, weir_expression *, self.count + 1);
    out->conjunct_count = self.count;
    for (int32_t i = 0; i < self.count; i++) {
        weir_expression *outer = weir_expression_new(binder, WEIR_EXPRESSION_OUTER, self.types[i], &plan->position, 0);
        outer->column = self.columns[i];
        outer->level = 1;
        out->conjuncts[i] =
            weir_expression_two(binder, WEIR_EXPRESSION_NOT_DISTINCT, weir_binder_boolean(false), &plan->position,
                                weir_expression_column(binder, width + i, self.types[i], &plan->position), outer);
    }
    out->holes = self.holes;
    return WEIR_OK;
}
