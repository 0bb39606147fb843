/* GROUP BY: plain groups, GROUPING SETS, ROLLUP and CUBE as sets of groups, and the functions that tell about them. */
#include "base/text.h"
#include "sql/bind/binder_internal.h"

enum { most_groups = 63, most_sets = 4096 };

/* --- Groups ---------------------------------------------------------------------------------------------------- */

/* Names of the select list are no columns yet: says so, rather than that there is no such column. */
static int refuse_alias(weir_binder *binder, const weir_ast_select *select, const weir_ast_expression *group)
{
    if (group->kind != WEIR_AST_COLUMN || group->name.count != 1) {
        return WEIR_OK;
    }
    const char *name = group->name.parts[0].text;
    for (int32_t i = 0; binder->scope != NULL && i < binder->scope->count; i++) {
        if (strcmp(binder->scope->columns[i].name, name) == 0) {
            return WEIR_OK;
        }
    }
    for (int32_t i = 0; i < select->item_count; i++) {
        if (select->items[i].alias.text != NULL && strcmp(select->items[i].alias.text, name) == 0) {
            return weir_binder_fail(binder, &group->position,
                                    "unknown column '%s' in GROUP BY: the select list gives that name only afterwards; "
                                    "repeat its expression, or group around a subquery",
                                    name);
        }
    }
    return WEIR_OK;
}

/* The number of a group, one that is there already or a new one. */
static int32_t place_group(weir_binder *binder, weir_grouping *grouping, weir_expression *group)
{
    for (int32_t i = 0; i < grouping->group_count; i++) {
        if (weir_expression_equal(grouping->groups[i], group)) {
            return i;
        }
    }
    weir_expression **groups = WEIR_NEW_ARRAY(binder->arena, weir_expression *, grouping->group_count + 1);
    if (grouping->group_count > 0) {
        memcpy(groups, grouping->groups, sizeof *groups * (size_t)grouping->group_count);
    }
    groups[grouping->group_count] = group;
    grouping->groups = groups;
    return grouping->group_count++;
}

/* The set of one group; without sets nobody asks for the bits of more than fit. */
static uint64_t group_bit(int32_t index) { return index < most_groups ? UINT64_C(1) << index : 0; }

static int add_window(weir_binder *binder, const weir_ast_expression *ast, weir_grouping *grouping, weir_plan **plan,
                      uint64_t *out)
{
    weir_expression *bounds[3];
    weir_group_window *window = &grouping->window;
    WEIR_TRY(weir_bind_group_window(binder, ast, window, plan, bounds));
    window->start = place_group(binder, grouping, bounds[0]);
    window->end = place_group(binder, grouping, bounds[1]);
    window->last = -1;
    *out = group_bit(window->start) | group_bit(window->end);
    if (binder->context->streaming) {
        window->last = place_group(binder, grouping, bounds[2]);
        *out |= group_bit(window->last);
    }
    return WEIR_OK;
}

/* A group as a set of one (of a window: what it is told by). */
static int add_group(weir_binder *binder, const weir_ast_select *select, const weir_ast_expression *ast,
                     weir_grouping *grouping, weir_plan **plan, uint64_t *out)
{
    if (weir_ast_is_group_window(ast)) {
        return add_window(binder, ast, grouping, plan, out);
    }
    WEIR_TRY(refuse_alias(binder, select, ast));
    weir_expression *group;
    binder->clause = "GROUP BY";
    int code = weir_bind_expression(binder, ast, &group);
    binder->clause = NULL;
    WEIR_TRY(code);
    WEIR_TRY(weir_binder_typed(binder, group));
    int32_t index = place_group(binder, grouping, group);
    *out = group_bit(index);
    return WEIR_OK;
}

/* --- Sets of groups -------------------------------------------------------------------------------------------- */

typedef struct group_sets {
    uint64_t *items;
    int32_t count;
} group_sets;

typedef struct group_state {
    weir_binder *binder;
    const weir_ast_select *select;
    weir_grouping *grouping;
    weir_plan **plan;
} group_state;

static int too_many(group_state *state, const weir_ast_grouping *ast)
{
    return weir_binder_fail(state->binder, &ast->position, "GROUP BY makes more than %d grouping sets", most_sets);
}

static void add_set(group_state *state, group_sets *sets, uint64_t set)
{
    if ((sets->count & (sets->count - 1)) == 0) {
        uint64_t *grown =
            WEIR_NEW_ARRAY(state->binder->arena, uint64_t, sets->count == 0 ? 1 : (size_t)sets->count * 2);
        if (sets->count > 0) {
            memcpy(grown, sets->items, sizeof *grown * (size_t)sets->count);
        }
        sets->items = grown;
    }
    sets->items[sets->count++] = set;
}

/* All expressions of an element as one set: a, (a, b) or (). */
static int one_set(group_state *state, const weir_ast_grouping *ast, uint64_t *out)
{
    uint64_t all = 0;
    for (int32_t i = 0; i < ast->expressions.count; i++) {
        uint64_t group;
        WEIR_TRY(
            add_group(state->binder, state->select, ast->expressions.items[i], state->grouping, state->plan, &group));
        all |= group;
    }
    *out = all;
    return WEIR_OK;
}

static int element_sets(group_state *state, const weir_ast_grouping *ast, group_sets *out);

/* ROLLUP(a, b): (a, b), (a), (). */
static int rollup_sets(group_state *state, const weir_ast_grouping *ast, group_sets *out)
{
    uint64_t *prefixes = WEIR_NEW_ARRAY(state->binder->arena, uint64_t, ast->element_count + 1);
    for (int32_t i = 0; i < ast->element_count; i++) {
        uint64_t set;
        WEIR_TRY(one_set(state, &ast->elements[i], &set));
        prefixes[i + 1] = prefixes[i] | set;
    }
    for (int32_t i = ast->element_count; i >= 0; i--) {
        add_set(state, out, prefixes[i]);
    }
    return WEIR_OK;
}

/* CUBE(a, b): (a, b), (a), (b), (). */
static int cube_sets(group_state *state, const weir_ast_grouping *ast, group_sets *out)
{
    int32_t count = ast->element_count;
    uint64_t *elements = WEIR_NEW_ARRAY(state->binder->arena, uint64_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(one_set(state, &ast->elements[i], &elements[i]));
    }
    if (count >= 13) {
        return too_many(state, ast);
    }
    for (int32_t left_out = 0; left_out < 1 << count; left_out++) {
        uint64_t set = 0;
        for (int32_t i = 0; i < count; i++) {
            set |= (left_out >> (count - 1 - i)) & 1 ? 0 : elements[i];
        }
        add_set(state, out, set);
    }
    return WEIR_OK;
}

static int element_sets(group_state *state, const weir_ast_grouping *ast, group_sets *out)
{
    uint64_t set;
    switch (ast->kind) {
    case WEIR_AST_GROUP_ROLLUP:
        return rollup_sets(state, ast, out);
    case WEIR_AST_GROUP_CUBE:
        return cube_sets(state, ast, out);
    case WEIR_AST_GROUP_SETS:
        for (int32_t i = 0; i < ast->element_count; i++) {
            WEIR_TRY(element_sets(state, &ast->elements[i], out));
        }
        return WEIR_OK;
    default:
        WEIR_TRY(one_set(state, ast, &set));
        add_set(state, out, set);
        return WEIR_OK;
    }
}

/* GROUP BY x, y: every set of x together with every set of y. */
static int multiply_sets(group_state *state, const weir_ast_grouping *ast, group_sets *all)
{
    group_sets more = {0};
    group_sets product = {0};
    WEIR_TRY(element_sets(state, ast, &more));
    if ((int64_t)all->count * more.count > most_sets) {
        return too_many(state, ast);
    }
    for (int32_t i = 0; i < all->count; i++) {
        for (int32_t j = 0; j < more.count; j++) {
            add_set(state, &product, all->items[i] | more.items[j]);
        }
    }
    *all = product;
    return WEIR_OK;
}

static void drop_repeated(group_sets *sets)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < sets->count; i++) {
        bool seen = false;
        for (int32_t j = 0; j < kept && !seen; j++) {
            seen = sets->items[j] == sets->items[i];
        }
        if (!seen) {
            sets->items[kept++] = sets->items[i];
        }
    }
    sets->count = kept;
}

/* A group that some set leaves out is NULL there. */
static void type_groups(weir_binder *binder, weir_grouping *grouping)
{
    grouping->types = WEIR_NEW_ARRAY(binder->arena, const weir_type *, grouping->group_count + 1);
    for (int32_t i = 0; i < grouping->group_count; i++) {
        bool left_out = false;
        for (int32_t j = 0; j < grouping->set_count; j++) {
            left_out = left_out || (grouping->sets[j] >> i & 1) == 0;
        }
        const weir_type *type = grouping->groups[i]->type;
        grouping->types[i] = left_out ? weir_binder_nullable(binder, type, true) : type;
    }
}

/* The other groups are what sessions are kept apart by. */
static int finish_window(weir_binder *binder, const weir_grouping *grouping, weir_plan *assign)
{
    weir_assigner *assigner = assign->assigner;
    if (assigner->kind != WEIR_ASSIGN_SESSION) {
        return WEIR_OK;
    }
    if (grouping->sets != NULL) {
        return weir_binder_unsupported(binder, &assign->position, "SESSION(…) with GROUPING SETS, ROLLUP or CUBE");
    }
    assigner->partition_keys = WEIR_NEW_ARRAY(binder->arena, weir_expression *, grouping->group_count);
    for (int32_t i = 0; i < grouping->group_count; i++) {
        if (i != grouping->window.start && i != grouping->window.end && i != grouping->window.last) {
            assigner->partition_keys[assigner->partition_key_count++] = grouping->groups[i];
        }
    }
    return WEIR_OK;
}

int weir_bind_groups(weir_binder *binder, const weir_ast_select *select, weir_grouping *grouping, weir_plan **plan)
{
    group_state state = {binder, select, grouping, plan};
    group_sets sets = {0};
    add_set(&state, &sets, 0);
    for (int32_t i = 0; i < select->group_count; i++) {
        WEIR_TRY(multiply_sets(&state, &select->groups[i], &sets));
    }
    if (select->group_distinct) {
        drop_repeated(&sets);
    }
    if (sets.count > 1 && grouping->group_count > most_groups) {
        return weir_binder_fail(binder, &select->groups[0].position,
                                "GROUPING SETS, ROLLUP and CUBE take at most %d expressions", most_groups);
    }
    if (sets.count > 1) {
        grouping->sets = sets.items;
        grouping->set_count = sets.count;
    }
    if (grouping->window.time != NULL) {
        WEIR_TRY(finish_window(binder, grouping, *plan));
    }
    type_groups(binder, grouping);
    return WEIR_OK;
}

/* --- The plan node, once all aggregates are known -------------------------------------------------------------- */

weir_plan *weir_plan_aggregate(weir_binder *binder, const weir_grouping *grouping, const weir_position *at,
                               weir_plan *input)
{
    weir_plan *plan = weir_plan_new(binder, WEIR_PLAN_AGGREGATE, at, input);
    plan->expressions = grouping->groups;
    plan->expression_count = grouping->group_count;
    plan->aggregates = grouping->aggregates;
    plan->aggregate_count = grouping->aggregate_count;
    plan->global = grouping->group_count == 0 && grouping->sets == NULL;
    plan->grouping_sets = grouping->sets;
    plan->grouping_set_count = grouping->set_count;
    plan->field_count = grouping->group_count + grouping->aggregate_count;
    plan->fields = WEIR_NEW_ARRAY(binder->arena, weir_field, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        bool group = i < grouping->group_count;
        const weir_type *type = group ? grouping->types[i] : grouping->aggregates[i - grouping->group_count].type;
        const char *name = weir_arena_format(binder->arena, group ? "group%d" : "aggregate%d", i);
        plan->fields[i] = (weir_field){.id = -1, .name = name, .type = type};
    }
    return plan;
}

bool weir_plan_take_sets(weir_binder *binder, const weir_plan *from, weir_plan *to)
{
    uint64_t added = 0;
    if (from->grouping_sets == NULL) {
        return true;
    }
    if (to->expression_count > most_groups) {
        return false;
    }
    for (int32_t i = from->expression_count; i < to->expression_count; i++) {
        added |= UINT64_C(1) << i;
    }
    to->global = false;
    to->grouping_set_count = from->grouping_set_count;
    to->grouping_sets = WEIR_NEW_ARRAY(binder->arena, uint64_t, from->grouping_set_count);
    for (int32_t i = 0; i < from->grouping_set_count; i++) {
        to->grouping_sets[i] = from->grouping_sets[i] | added;
    }
    for (int32_t i = 0; i < from->expression_count; i++) {
        to->fields[i].type = from->fields[i].type;
    }
    return true;
}

/* --- GROUPING, GROUP_ID, TUMBLE_START and their like ----------------------------------------------------------- */

/* GROUPING's arguments are groups, as they stand in GROUP BY. */
static int bind_grouping_argument(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out)
{
    weir_grouping *grouping = binder->grouping;
    binder->grouping = NULL;
    int code = weir_bind_expression(binder, ast, out);
    binder->grouping = grouping;
    WEIR_TRY(code);
    for (int32_t i = 0; i < grouping->group_count; i++) {
        if (weir_expression_equal(grouping->groups[i], *out)) {
            return WEIR_OK;
        }
    }
    return weir_binder_fail(binder, &ast->position, "GROUPING takes what stands in GROUP BY; this does not");
}

static int bind_grouping(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                         weir_expression **out)
{
    weir_aggregate aggregate = {.function = function,
                                .position = ast->position,
                                .type = weir_type_simple(WEIR_BIGINT, false),
                                .argument_count = ast->argument_count};
    aggregate.arguments = WEIR_NEW_ARRAY(binder->arena, weir_expression *, ast->argument_count + 1);
    for (int32_t i = 0; i < ast->argument_count; i++) {
        WEIR_TRY(bind_grouping_argument(binder, ast->arguments[i], &aggregate.arguments[i]));
    }
    if (binder->grouping->sets == NULL) { /* every group is in the one set there is */
        *out = weir_expression_literal(binder, aggregate.type, (weir_literal){.integer = 0}, &ast->position);
        return WEIR_OK;
    }
    *out = weir_add_aggregate(binder, &aggregate);
    return WEIR_OK;
}

/* TUMBLE_START(time, size) of the window that GROUP BY TUMBLE(time, size) has made. */
static int bind_window_bound(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                             weir_expression **out)
{
    const weir_grouping *grouping = binder->grouping;
    const weir_group_window *window = &grouping->window;
    bool start = strstr(function->name, "_START") != NULL;
    bool bound = start || strstr(function->name, "_END") != NULL;
    int32_t group = start ? window->start : bound || window->last < 0 ? window->end : window->last;
    if (strstr(function->name, "_PROCTIME") != NULL && window->last < 0) {
        return weir_binder_fail(binder, &ast->position,
                                "%s is for windows over PROCTIME(); this query reads what is there", function->name);
    }
    *out = weir_expression_column(binder, group, grouping->types[group], &ast->position);
    return bound || window->last >= 0 ? WEIR_OK
                                      : weir_bind_window_time(binder, *out, window->time->type, &ast->position, out);
}

static int bind_window_function(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                                weir_expression **out)
{
    const weir_grouping *grouping = binder->grouping;
    const char *rest = strchr(function->name, '_');
    int size = rest == NULL ? (int)strlen(function->name) : (int)(rest - function->name);
    if (rest == NULL) {
        return weir_binder_fail(binder, &ast->position,
                                "%s(…) stands by itself in GROUP BY; %s_START(…) and %s_END(…) give its bounds",
                                function->name, function->name, function->name);
    }
    bool same = false;
    if (grouping != NULL && !grouping->binding_argument && grouping->window.time != NULL) {
        WEIR_TRY(weir_is_group_window(binder, ast, &grouping->window, &same));
    }
    return same ? bind_window_bound(binder, ast, function, out)
                : weir_binder_fail(binder, &ast->position, "%s needs GROUP BY %.*s(…) with the same arguments",
                                   function->name, size, function->name);
}

int weir_bind_group_function(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                             weir_expression **out)
{
    weir_grouping *grouping = binder->grouping;
    if (!weir_function_takes(function->parameters, ast->argument_count)) {
        return weir_binder_fail(binder, &ast->position, "%s does not take %d argument%s; it is %s", function->name,
                                ast->argument_count, ast->argument_count == 1 ? "" : "s", function->signature);
    }
    if (function->aggregate == WEIR_AGGREGATE_NONE) {
        return bind_window_function(binder, ast, function, out);
    }
    bool grouped = grouping != NULL && (grouping->group_count > 0 || grouping->sets != NULL);
    if (!grouped || grouping->binding_argument) {
        return weir_binder_fail(binder, &ast->position, "%s tells of groups; there is no GROUP BY here",
                                function->name);
    }
    return bind_grouping(binder, ast, function, out);
}
