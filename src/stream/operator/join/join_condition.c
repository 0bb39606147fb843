/* Taking a join's condition apart: equalities of one side with the other become keys, by which state is kept; what
 * names one side alone says whether a row can match at all; the rest is tested pair by pair.
 *
 * Keys are compared as bytes. So that equal values have equal bytes, -0.0 becomes 0.0, and NaN, which equals nothing,
 * counts as a key that can't match. */
#include "stream/operator/join/join_condition.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/type.h"

/* --- taking apart ------------------------------------------------------------------------------------------------ */

static int32_t count_conjuncts(const weir_expression *condition)
{
    int32_t count = condition->kind == WEIR_EXPRESSION_AND ? 0 : 1;
    for (int32_t i = 0; condition->kind == WEIR_EXPRESSION_AND && i < condition->argument_count; i++) {
        count += count_conjuncts(condition->arguments[i]);
    }
    return count;
}

static void list_conjuncts(weir_expression *condition, weir_expression **list, int32_t *count)
{
    if (condition->kind != WEIR_EXPRESSION_AND) {
        list[(*count)++] = condition;
        return;
    }
    for (int32_t i = 0; i < condition->argument_count; i++) {
        list_conjuncts(condition->arguments[i], list, count);
    }
}

/* An expression over both inputs as one over the second. */
static weir_expression *shifted(weir_arena *arena, const weir_expression *expression, int32_t by)
{
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    if (copy->kind == WEIR_EXPRESSION_COLUMN) {
        copy->column -= by;
    }
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, copy->argument_count + 1);
    for (int32_t i = 0; i < copy->argument_count; i++) {
        copy->arguments[i] = shifted(arena, expression->arguments[i], by);
    }
    return copy;
}

/* Bits of the sides that an expression names columns of: 1 the first, 2 the second. */
static int sides_of(const weir_expression *expression, int32_t split)
{
    int sides = expression->kind != WEIR_EXPRESSION_COLUMN ? 0 : expression->column < split ? 1 : 2;
    for (int32_t i = 0; i < expression->argument_count; i++) {
        sides |= sides_of(expression->arguments[i], split);
    }
    return sides;
}

/* Whether equal values of both types have equal bytes as keys. */
static bool have_equal_keys(const weir_type *a, const weir_type *b)
{
    bool texts = weir_type_is_text(a) && weir_type_is_text(b);
    bool bytes = weir_type_is_bytes(a) && weir_type_is_bytes(b);
    bool same = a->id == b->id && (a->id != WEIR_DECIMAL || a->scale == b->scale);
    return !weir_type_is_nested(a) && !weir_type_is_nested(b) && weir_layout_of(a) == weir_layout_of(b) &&
           weir_layout_of(a) != WEIR_LAYOUT_NONE && (texts || bytes || same);
}

static bool add_key(weir_join_condition *self, weir_arena *arena, const weir_expression *condition, int32_t split)
{
    bool null_safe = condition->kind == WEIR_EXPRESSION_NOT_DISTINCT;
    if (condition->kind != WEIR_EXPRESSION_EQUAL && !null_safe) {
        return false;
    }
    const weir_expression *a = condition->arguments[0], *b = condition->arguments[1];
    int sides_a = sides_of(a, split), sides_b = sides_of(b, split);
    if (sides_a == 0 || sides_b == 0 || (sides_a | sides_b) != 3 || sides_a == sides_b ||
        !have_equal_keys(a->type, b->type) || weir_expression_is_volatile(condition)) {
        return false;
    }
    self->keys[0][self->key_count] = shifted(arena, sides_a == 1 ? a : b, 0);
    self->keys[1][self->key_count] = shifted(arena, sides_a == 1 ? b : a, split);
    self->null_safe[self->key_count++] = null_safe;
    return true;
}

void weir_join_condition_split(const weir_plan *plan, weir_arena *arena, weir_join_condition *out)
{
    int32_t split = plan->inputs[0]->field_count;
    int32_t count = plan->predicate == NULL ? 0 : count_conjuncts(plan->predicate);
    weir_expression **conjuncts = WEIR_NEW_ARRAY(arena, weir_expression *, count + 1);
    *out = (weir_join_condition){.null_safe = WEIR_NEW_ARRAY(arena, bool, count + 1),
                                 .rest = WEIR_NEW_ARRAY(arena, weir_expression *, count + 1)};
    for (int side = 0; side < 2; side++) {
        out->keys[side] = WEIR_NEW_ARRAY(arena, weir_expression *, count + 1);
        out->own[side] = WEIR_NEW_ARRAY(arena, weir_expression *, count + 1);
    }
    count = 0;
    if (plan->predicate != NULL) {
        list_conjuncts(plan->predicate, conjuncts, &count);
    }
    for (int32_t i = 0; i < count; i++) {
        int sides = sides_of(conjuncts[i], split);
        if (add_key(out, arena, conjuncts[i], split)) {
            continue;
        }
        if (sides == 3 || weir_expression_is_volatile(conjuncts[i])) {
            out->rest[out->rest_count++] = conjuncts[i];
        } else {
            int side = sides == 2 ? 1 : 0;
            out->own[side][out->own_count[side]++] = shifted(arena, conjuncts[i], side == 0 ? 0 : split);
        }
    }
}

static bool is_listed(const int32_t *list, int32_t count, int32_t number)
{
    bool found = false;
    for (int32_t i = 0; i < count && !found; i++) {
        found = list[i] == number;
    }
    return found;
}

void weir_join_condition_keep_keys(weir_join_condition *self, weir_arena *arena, int32_t split, const int32_t *kept,
                                   int32_t count)
{
    weir_join_condition old = *self;
    self->rest = WEIR_NEW_ARRAY(arena, weir_expression *, old.rest_count + old.key_count + 1);
    memcpy(self->rest, old.rest, sizeof *old.rest * (size_t)old.rest_count);
    for (int32_t i = 0; i < old.key_count; i++) {
        if (!is_listed(kept, count, i)) {
            weir_expression *equal = WEIR_NEW(arena, weir_expression);
            equal->kind = old.null_safe[i] ? WEIR_EXPRESSION_NOT_DISTINCT : WEIR_EXPRESSION_EQUAL;
            equal->type = weir_type_simple(WEIR_BOOLEAN, !old.null_safe[i]);
            equal->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, 2);
            equal->arguments[0] = old.keys[0][i];
            equal->arguments[1] = shifted(arena, old.keys[1][i], -split);
            equal->argument_count = 2;
            self->rest[self->rest_count++] = equal;
        }
    }
    self->null_safe = WEIR_NEW_ARRAY(arena, bool, count + 1);
    for (int side = 0; side < 2; side++) {
        self->keys[side] = WEIR_NEW_ARRAY(arena, weir_expression *, count + 1);
        for (int32_t i = 0; i < count; i++) {
            self->keys[side][i] = old.keys[side][kept[i]];
            self->null_safe[i] = old.null_safe[kept[i]];
        }
    }
    self->key_count = count;
}

/* --- keys -------------------------------------------------------------------------------------------------------- */

struct weir_join_keys {
    weir_arena arena;
    int32_t count;
    weir_expression *const *expressions;
    const bool *null_safe;
    const weir_type **types; /* nullable, so that both sides' keys look alike */
    int32_t *computed;       /* column of `values` that holds a key; -1: the input's column is it */
    weir_sql_compute *compute;
    weir_batch values;
    weir_sql_compute *own; /* of the side's own conditions; NULL: none */
    weir_batch nothing;
    weir_vector *floats; /* keys of floats with one zero; others unused */
    weir_vector *columns;
    int32_t *numbers; /* 0, 1, … */
    weir_sort_keys keys;
    uint8_t *can_match;
    size_t capacity;
    int64_t length; /* of the last run's batch */
};

static const weir_expression *bare_column(const weir_expression *expression)
{
    expression = weir_expression_bare(expression);
    return expression->kind == WEIR_EXPRESSION_COLUMN ? expression : NULL;
}

/* A computation of those keys that are more than columns. */
static int prepare_values(weir_join_keys *self, weir_sql_engine *engine, const weir_plan *input, weir_error *err)
{
    weir_expression **list = WEIR_NEW_ARRAY(&self->arena, weir_expression *, self->count + 1);
    weir_field *fields = WEIR_NEW_ARRAY(&self->arena, weir_field, self->count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < self->count; i++) {
        self->computed[i] = -1;
        if (bare_column(self->expressions[i]) == NULL) {
            fields[count] = (weir_field){.id = -1, .name = "key", .type = self->expressions[i]->type};
            self->computed[i] = count;
            list[count++] = self->expressions[i];
        }
    }
    weir_batch_init(&self->values, fields, count);
    weir_sql_compute_options options = {
        .fields = input->fields, .field_count = input->field_count, .expressions = list, .expression_count = count};
    return count == 0 ? WEIR_OK : weir_sql_compute_create(engine, &options, &self->compute, err);
}

static int prepare_own(weir_join_keys *self, weir_sql_engine *engine, const weir_join_condition *condition,
                       int32_t side, const weir_plan *input, weir_error *err)
{
    weir_sql_compute_options options = {.fields = input->fields,
                                        .field_count = input->field_count,
                                        .conditions = condition->own[side],
                                        .condition_count = condition->own_count[side]};
    weir_batch_init(&self->nothing, NULL, 0);
    return options.condition_count == 0 ? WEIR_OK : weir_sql_compute_create(engine, &options, &self->own, err);
}

int weir_join_keys_create(weir_sql_engine *engine, const weir_join_condition *condition, int32_t side,
                          const weir_plan *input, weir_join_keys **out, weir_error *err)
{
    weir_join_keys *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    self->count = condition->key_count;
    self->expressions = condition->keys[side];
    self->null_safe = condition->null_safe;
    self->types = WEIR_NEW_ARRAY(&self->arena, const weir_type *, self->count + 1);
    self->computed = WEIR_NEW_ARRAY(&self->arena, int32_t, self->count + 1);
    self->floats = WEIR_NEW_ARRAY(&self->arena, weir_vector, self->count + 1);
    self->columns = WEIR_NEW_ARRAY(&self->arena, weir_vector, self->count + 1);
    self->numbers = WEIR_NEW_ARRAY(&self->arena, int32_t, self->count + 1);
    for (int32_t i = 0; i < self->count; i++) {
        self->types[i] = weir_type_nullable(&self->arena, self->expressions[i]->type, true);
        self->numbers[i] = i;
        weir_vector_init(&self->floats[i], self->types[i]);
    }
    int code = prepare_values(self, engine, input, err);
    code = code != WEIR_OK ? code : prepare_own(self, engine, condition, side, input, err);
    if (code != WEIR_OK) {
        weir_join_keys_free(self);
        return code;
    }
    *out = self;
    return WEIR_OK;
}

void weir_join_keys_free(weir_join_keys *self)
{
    if (self == NULL) {
        return;
    }
    for (int32_t i = 0; i < self->count; i++) {
        weir_vector_free(&self->floats[i]);
    }
    weir_sql_compute_free(self->compute);
    weir_sql_compute_free(self->own);
    weir_batch_free(&self->values);
    weir_batch_free(&self->nothing);
    weir_sort_keys_free(&self->keys);
    free(self->can_match);
    weir_arena_free(&self->arena);
    free(self);
}

static void rule_out_nulls(const weir_vector *column, int64_t length, uint8_t *can_match)
{
    if (column->null_count == 0 && column->layout != WEIR_LAYOUT_NONE) {
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        can_match[i] &= !weir_vector_is_null(column, i);
    }
}

/* One zero, and no NaN. Adding 0.0 makes -0.0 into 0.0 and leaves the rest. */
static int settle_floats(weir_vector *floats, const weir_vector *column, uint8_t *can_match, weir_error *err)
{
    weir_vector_clear(floats);
    WEIR_TRY(weir_vector_append_range(floats, column, 0, column->length, err));
    if (floats->type->id == WEIR_FLOAT) {
        float *values = WEIR_VALUES(floats, float);
        for (int64_t i = 0; i < floats->length; i++) {
            values[i] += 0.0F;
            can_match[i] &= values[i] == values[i];
        }
        return WEIR_OK;
    }
    double *values = WEIR_VALUES(floats, double);
    for (int64_t i = 0; i < floats->length; i++) {
        values[i] += 0.0;
        can_match[i] &= values[i] == values[i];
    }
    return WEIR_OK;
}

static int settle_key(weir_join_keys *self, int32_t key, const weir_batch *batch, weir_error *err)
{
    const weir_expression *bare = bare_column(self->expressions[key]);
    const weir_vector *column =
        bare != NULL ? &batch->columns[bare->column] : &self->values.columns[self->computed[key]];
    if (!self->null_safe[key]) {
        rule_out_nulls(column, batch->length, self->can_match);
    }
    if (weir_type_is_approximate(self->types[key])) {
        WEIR_TRY(settle_floats(&self->floats[key], column, self->can_match, err));
        column = &self->floats[key];
    }
    self->columns[key] = *column;
    self->columns[key].type = self->types[key];
    return WEIR_OK;
}

static int test_own(weir_join_keys *self, const weir_batch *batch, weir_error *err)
{
    const uint32_t *rows;
    WEIR_TRY(weir_sql_compute_run(self->own, batch, &self->nothing, &rows, err));
    memset(self->can_match, 0, (size_t)batch->length);
    for (int64_t i = 0; i < self->nothing.length; i++) {
        self->can_match[rows[i]] = 1;
    }
    return WEIR_OK;
}

int weir_join_keys_run(weir_join_keys *self, const weir_batch *batch, const weir_sort_keys **out_keys,
                       const uint8_t **out_can_match, weir_error *err)
{
    WEIR_GROW(self->can_match, self->capacity, batch->length);
    self->length = batch->length;
    memset(self->can_match, 1, (size_t)batch->length);
    if (self->own != NULL) {
        WEIR_TRY(test_own(self, batch, err));
    }
    if (self->compute != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->values, NULL, err));
    }
    for (int32_t i = 0; i < self->count; i++) {
        WEIR_TRY(settle_key(self, i, batch, err));
    }
    weir_batch view = {.length = batch->length, .columns = self->columns, .column_count = self->count};
    weir_sort_keys_clear(&self->keys);
    WEIR_TRY(weir_state_keys_append(&self->keys, &view, self->numbers, self->count, err));
    *out_keys = &self->keys;
    *out_can_match = self->can_match;
    return WEIR_OK;
}

weir_batch weir_join_keys_columns(const weir_join_keys *self)
{
    return (weir_batch){.length = self->length, .columns = self->columns, .column_count = self->count};
}
