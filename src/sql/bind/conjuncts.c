/* Taking conditions apart, and finding out what else they say. */
#include "sql/bind/conjuncts.h"

#include "sql/bind/subquery.h"

/* --- Lists ------------------------------------------------------------------------------------------------------ */

void weir_conjuncts_add(weir_binder *binder, weir_conjuncts *list, weir_expression *conjunct)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (weir_expression_equal(list->items[i], conjunct)) {
            return;
        }
    }
    if ((list->count & (list->count - 1)) == 0) {
        weir_expression **grown =
            WEIR_NEW_ARRAY(binder->arena, weir_expression *, list->count == 0 ? 1 : list->count * 2);
        if (list->count > 0) {
            memcpy(grown, list->items, sizeof *grown * (size_t)list->count);
        }
        list->items = grown;
    }
    list->items[list->count++] = conjunct;
}

weir_expression *weir_conjuncts_join(weir_binder *binder, const weir_conjuncts *list)
{
    return list->count == 0 ? NULL : weir_and(binder, list->items, list->count, &list->items[0]->position);
}

static bool contains(const weir_conjuncts *list, const weir_expression *conjunct)
{
    for (int32_t i = 0; i < list->count; i++) {
        if (weir_expression_equal(list->items[i], conjunct)) {
            return true;
        }
    }
    return false;
}

/* --- OR --------------------------------------------------------------------------------------------------------- */

static void split_and(weir_binder *binder, weir_expression *condition, weir_conjuncts *out)
{
    if (condition->kind != WEIR_EXPRESSION_AND) {
        weir_conjuncts_add(binder, out, condition);
        return;
    }
    for (int32_t i = 0; i < condition->argument_count; i++) {
        split_and(binder, condition->arguments[i], out);
    }
}

static weir_expression *make_or(weir_binder *binder, weir_expression *const *branches, int32_t count,
                                const weir_expression *like)
{
    weir_expression *either = weir_expression_new(binder, WEIR_EXPRESSION_OR, like->type, &like->position, count);
    memcpy(either->arguments, branches, sizeof *branches * (size_t)count);
    return either;
}

/* (k AND a) OR (k AND b) is k AND (a OR b), so that an equality in all branches can join. */
static void split_or(weir_binder *binder, weir_expression *either, weir_conjuncts *out)
{
    int32_t count = either->argument_count;
    weir_conjuncts *branches = WEIR_NEW_ARRAY(binder->arena, weir_conjuncts, count + 1);
    weir_conjuncts shared = {0};
    for (int32_t i = 0; i < count; i++) {
        split_and(binder, either->arguments[i], &branches[i]);
    }
    for (int32_t i = 0; i < branches[0].count; i++) {
        bool everywhere = !weir_expression_is_volatile(branches[0].items[i]);
        for (int32_t j = 1; j < count && everywhere; j++) {
            everywhere = contains(&branches[j], branches[0].items[i]);
        }
        if (everywhere) {
            weir_conjuncts_add(binder, &shared, branches[0].items[i]);
        }
    }
    weir_expression **rests = WEIR_NEW_ARRAY(binder->arena, weir_expression *, count + 1);
    bool implied = false; /* a branch that says no more than all others do */
    for (int32_t i = 0; i < count; i++) {
        weir_conjuncts rest = {0};
        for (int32_t j = 0; j < branches[i].count; j++) {
            if (!contains(&shared, branches[i].items[j])) {
                weir_conjuncts_add(binder, &rest, branches[i].items[j]);
            }
        }
        rests[i] = weir_conjuncts_join(binder, &rest);
        implied = implied || rests[i] == NULL;
    }
    for (int32_t i = 0; i < shared.count; i++) {
        weir_conjuncts_add(binder, out, shared.items[i]);
    }
    if (!implied) {
        weir_conjuncts_add(binder, out, shared.count == 0 ? either : make_or(binder, rests, count, either));
    }
}

void weir_conjuncts_split(weir_binder *binder, weir_expression *condition, weir_conjuncts *out)
{
    weir_conjuncts parts = {0};
    if (condition == NULL) {
        return;
    }
    split_and(binder, condition, &parts);
    for (int32_t i = 0; i < parts.count; i++) {
        if (parts.items[i]->kind == WEIR_EXPRESSION_OR) {
            split_or(binder, parts.items[i], out);
        } else {
            weir_conjuncts_add(binder, out, parts.items[i]);
        }
    }
}

weir_expression *weir_conjunct_of_side(weir_binder *binder, weir_expression *conjunct, int side, int32_t split)
{
    if (conjunct->kind != WEIR_EXPRESSION_OR || weir_expression_is_volatile(conjunct)) {
        return NULL;
    }
    weir_expression **branches = WEIR_NEW_ARRAY(binder->arena, weir_expression *, conjunct->argument_count + 1);
    for (int32_t i = 0; i < conjunct->argument_count; i++) {
        weir_conjuncts all = {0};
        weir_conjuncts kept = {0};
        split_and(binder, conjunct->arguments[i], &all);
        for (int32_t j = 0; j < all.count; j++) {
            if (weir_expression_sides(all.items[j], split) == side) {
                weir_conjuncts_add(binder, &kept, all.items[j]);
            }
        }
        if (kept.count == 0) {
            return NULL;
        }
        branches[i] = weir_conjuncts_join(binder, &kept);
    }
    return make_or(binder, branches, conjunct->argument_count, conjunct);
}

/* --- Columns ---------------------------------------------------------------------------------------------------- */

int weir_expression_sides(const weir_expression *expression, int32_t split)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return expression->column < split ? WEIR_SIDE_LEFT : WEIR_SIDE_RIGHT;
    }
    int sides = 0;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        sides |= weir_expression_sides(expression->arguments[i], split);
    }
    return sides;
}

static weir_expression *shift_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    return weir_expression_column(binder, leaf->column + *(const int32_t *)state, leaf->type, &leaf->position);
}

weir_expression *weir_expression_shift(weir_binder *binder, const weir_expression *expression, int32_t by)
{
    return weir_expression_rewrite(binder, expression, shift_leaf, &by);
}

/* The one column that an expression names; -1: none, -2: several. */
static int32_t only_column(const weir_expression *expression)
{
    int32_t found = expression->kind == WEIR_EXPRESSION_COLUMN ? expression->column : -1;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        int32_t column = only_column(expression->arguments[i]);
        found = column == -1 ? found : found == -1 || found == column ? column : -2;
    }
    return found;
}

static bool equates_columns(const weir_expression *conjunct)
{
    return conjunct->kind == WEIR_EXPRESSION_EQUAL && conjunct->arguments[0]->kind == WEIR_EXPRESSION_COLUMN &&
           conjunct->arguments[1]->kind == WEIR_EXPRESSION_COLUMN &&
           !weir_type_is_approximate(conjunct->arguments[0]->type) &&
           weir_sql_type_equal(conjunct->arguments[0]->type, conjunct->arguments[1]->type, true);
}

/* --- What follows ----------------------------------------------------------------------------------------------- */

static weir_expression *other_leaf(weir_binder *binder, const weir_expression *leaf, const void *state)
{
    const weir_expression *other = state;
    return weir_expression_column(binder, other->column, other->type, &leaf->position);
}

/* A condition on one column, said of another. */
static weir_expression *said_of(weir_binder *binder, const weir_expression *condition, const weir_expression *column)
{
    return weir_expression_rewrite(binder, condition, other_leaf, column);
}

void weir_conjuncts_derive(weir_binder *binder, weir_conjuncts *list)
{
    enum { most = 200 }; /* of conditions: what comes of many is not worth its time */
    bool grew = true;
    while (grew && list->count < most) {
        int32_t count = list->count;
        for (int32_t i = 0; i < count; i++) {
            if (!equates_columns(list->items[i])) {
                continue;
            }
            for (int32_t j = 0; j < count; j++) {
                int32_t column = only_column(list->items[j]);
                for (int side = 0; side < 2 && column >= 0 && !weir_expression_is_volatile(list->items[j]); side++) {
                    if (list->items[i]->arguments[side]->column == column) {
                        weir_conjuncts_add(binder, list,
                                           said_of(binder, list->items[j], list->items[i]->arguments[!side]));
                    }
                }
            }
        }
        grew = list->count > count;
    }
}

void weir_conjuncts_carry_over(weir_binder *binder, const weir_conjuncts *keys, int32_t split, int from,
                               const weir_conjuncts *conditions, weir_conjuncts *out)
{
    for (int32_t i = 0; i < keys->count; i++) {
        if (!equates_columns(keys->items[i]) || weir_expression_sides(keys->items[i], split) != WEIR_SIDE_BOTH) {
            continue;
        }
        bool swapped = weir_expression_sides(keys->items[i]->arguments[0], split) != from;
        const weir_expression *known = keys->items[i]->arguments[swapped];
        for (int32_t j = 0; j < conditions->count; j++) {
            weir_expression *condition = conditions->items[j];
            if (only_column(condition) == known->column && !weir_expression_is_volatile(condition)) {
                weir_conjuncts_add(binder, out, said_of(binder, condition, keys->items[i]->arguments[!swapped]));
            }
        }
    }
}

/* --- NULLs ------------------------------------------------------------------------------------------------------ */

/* Whether an expression is NULL when all columns of a side are. */
static bool null_with(const weir_expression *expression, int side, int32_t split)
{
    switch (expression->kind) {
    case WEIR_EXPRESSION_COLUMN:
        return weir_expression_sides(expression, split) == side;
    case WEIR_EXPRESSION_IN:
        return null_with(expression->arguments[0], side, split);
    case WEIR_EXPRESSION_CALL:
        if (expression->kernel->sees_nulls) {
            return false;
        }
        break;
    case WEIR_EXPRESSION_EQUAL:
    case WEIR_EXPRESSION_NOT_EQUAL:
    case WEIR_EXPRESSION_LESS:
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
    case WEIR_EXPRESSION_GREATER:
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
    case WEIR_EXPRESSION_NOT:
    case WEIR_EXPRESSION_SAME:
        break;
    default:
        return false;
    }
    for (int32_t i = 0; i < expression->argument_count; i++) {
        if (null_with(expression->arguments[i], side, split)) {
            return true;
        }
    }
    return false;
}

bool weir_conjunct_rejects_nulls(const weir_expression *conjunct, int side, int32_t split)
{
    bool is_or = conjunct->kind == WEIR_EXPRESSION_OR;
    if (is_or || conjunct->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < conjunct->argument_count; i++) {
            if (weir_conjunct_rejects_nulls(conjunct->arguments[i], side, split) != is_or) {
                return !is_or;
            }
        }
        return is_or;
    }
    bool tests = conjunct->kind == WEIR_EXPRESSION_IS_NOT_NULL || conjunct->kind == WEIR_EXPRESSION_IS_TRUE;
    return null_with(tests ? conjunct->arguments[0] : conjunct, side, split);
}
