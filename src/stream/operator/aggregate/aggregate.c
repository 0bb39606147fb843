/* AGGREGATE and DISTINCT: a row for each group, which follows the rows of the input.
 *
 * What a batch does to a group is told at once: +I where it is new, -U and +U where its row has changed, -D where its
 * last row has gone, nothing otherwise. Accumulators keep the groups (accumulator.h). Grouping sets go one after the
 * other over the same batch, each with its own groups: the number of the set stands before the key. Over no rows there
 * is no row, not even without GROUP BY: as in Flink it comes with the first row of the input. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/operators.h"
#include "vector/compare.h"

typedef struct aggregate {
    weir_operator base;
    weir_arena arena;
    const weir_plan *plan;
    int32_t group_count;
    int32_t set_count; /* 1 without grouping sets */
    weir_accumulators *accumulators;
    weir_sort_keys *keys; /* of each set */
    weir_vector set_number;
    weir_vector *key_columns; /* borrowed: the number of the set, then groups */
    int32_t *key_numbers;
    weir_batch result;
    uint32_t *rows; /* of `values` and of computed groups: what goes out */
    uint32_t *value_rows;
    size_t rows_capacity, value_rows_capacity;
} aggregate;

static bool set_has(const aggregate *self, int32_t set, int32_t group)
{
    return self->plan->grouping_sets == NULL || (self->plan->grouping_sets[set] >> group & 1) != 0;
}

/* --- Keys ------------------------------------------------------------------------------------------------------ */

static int number_rows(aggregate *self, int64_t length, int32_t set, weir_error *err)
{
    weir_vector_clear(&self->set_number);
    WEIR_TRY(weir_vector_reserve(&self->set_number, length, err));
    for (int64_t i = 0; i < length; i++) {
        WEIR_VALUES(&self->set_number, int32_t)[i] = set;
    }
    self->set_number.length = length;
    return WEIR_OK;
}

/* The keys of all rows. Without groups, and with several sets, they begin with the number of the set. */
static int make_keys(aggregate *self, const weir_batch *computed, int32_t set, weir_error *err)
{
    int32_t count = 0;
    if (self->group_count == 0 || self->plan->grouping_sets != NULL) {
        WEIR_TRY(number_rows(self, computed->length, set, err));
        self->key_columns[count++] = self->set_number;
    }
    for (int32_t i = 0; i < self->group_count; i++) {
        if (set_has(self, set, i)) {
            self->key_columns[count++] = computed->columns[i];
        }
    }
    weir_batch batch = {.length = computed->length, .columns = self->key_columns, .column_count = count};
    weir_sort_keys_clear(&self->keys[set]);
    return weir_state_keys_append(&self->keys[set], &batch, self->key_numbers, count, err);
}

/* --- What goes out --------------------------------------------------------------------------------------------- */

static void add_row(aggregate *self, int64_t group_row, int64_t value_row, int8_t kind)
{
    int64_t at = self->result.length++;
    self->rows[at] = (uint32_t)group_row;
    self->value_rows[at] = (uint32_t)value_row;
    self->result.kinds[at] = kind;
}

/* changed[i]: whether the aggregates of row i differ. A column at a time. */
static void find_changed(const weir_accumulator_changes *changes, bool *changed)
{
    int64_t count = changes->count;
    memset(changed, 0, (size_t)count * sizeof *changed);
    for (int32_t i = 0; i < changes->values->column_count; i++) {
        const weir_vector *column = &changes->values->columns[i];
        if (column->layout == WEIR_LAYOUT_64 && column->validity == NULL) {
            const int64_t *values = WEIR_VALUES(column, int64_t);
            for (int64_t j = 0; j < count; j++) {
                changed[j] |= values[j] != values[count + j];
            }
            continue;
        }
        for (int64_t j = 0; j < count; j++) {
            changed[j] = changed[j] || !weir_vector_values_equal(column, j, column, count + j);
        }
    }
}

static void choose_rows(aggregate *self, const weir_accumulator_changes *changes, const bool *changed)
{
    for (int64_t i = 0; i < changes->count; i++) {
        uint32_t group = changes->entries[i];
        if (!changes->before[i] && changes->after[i]) {
            add_row(self, group, changes->count + i, WEIR_INSERT);
        } else if (changes->before[i] && !changes->after[i]) {
            add_row(self, group, i, WEIR_DELETE);
        } else if (changes->before[i] && changed[i]) {
            add_row(self, group, i, WEIR_UPDATE_BEFORE);
            add_row(self, group, changes->count + i, WEIR_UPDATE_AFTER);
        }
    }
}

static int gather(aggregate *self, const weir_batch *computed, const weir_batch *values, int32_t set, weir_error *err)
{
    weir_batch *result = &self->result;
    for (int32_t i = 0; i < self->group_count; i++) {
        WEIR_TRY(set_has(self, set, i) ? weir_vector_append_rows(&result->columns[i], &computed->columns[i], self->rows,
                                                                 result->length, err)
                                       : weir_vector_append_nulls(&result->columns[i], result->length, err));
    }
    for (int32_t i = 0; i < values->column_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&result->columns[self->group_count + i], &values->columns[i], self->value_rows,
                                         result->length, err));
    }
    return WEIR_OK;
}

static int send_changes(aggregate *self, const weir_batch *computed, const weir_accumulator_changes *changes,
                        int32_t set, weir_error *err)
{
    weir_batch_clear(&self->result);
    weir_batch_reserve_kinds(&self->result, 2 * changes->count + 1);
    WEIR_GROW(self->rows, self->rows_capacity, 2 * changes->count + 1);
    WEIR_GROW(self->value_rows, self->value_rows_capacity, 2 * changes->count + 1);
    bool *changed = weir_alloc_zeroed((size_t)changes->count + 1, sizeof *changed);
    find_changed(changes, changed);
    choose_rows(self, changes, changed);
    free(changed);
    WEIR_TRY(gather(self, computed, changes->values, set, err));
    return weir_output_send(&self->base, &self->result, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    aggregate *self = (aggregate *)base;
    const weir_batch *computed;
    (void)input;
    WEIR_TRY(weir_accumulators_compute(self->accumulators, batch, &computed, err));
    for (int32_t set = 0; set < self->set_count; set++) {
        weir_accumulator_changes changes;
        if (self->plan->grouping_sets != NULL) {
            weir_accumulators_use_set(self->accumulators, self->plan, set);
        }
        WEIR_TRY(make_keys(self, computed, set, err));
        WEIR_TRY(weir_accumulators_update(self->accumulators, &self->keys[set], NULL, &changes, err));
        WEIR_TRY(send_changes(self, computed, &changes, set, err));
    }
    return WEIR_OK;
}

/* --- Making one ------------------------------------------------------------------------------------------------ */

static void close_aggregate(weir_operator *base)
{
    aggregate *self = (aggregate *)base;
    weir_accumulators_free(self->accumulators);
    for (int32_t i = 0; i < self->set_count; i++) {
        weir_sort_keys_free(&self->keys[i]);
    }
    weir_vector_free(&self->set_number);
    weir_batch_free(&self->result);
    free(self->rows);
    free(self->value_rows);
    weir_arena_free(&self->arena);
    free(self);
}

/* The groups of DISTINCT: all columns. */
static weir_expression **all_columns(weir_arena *arena, const weir_plan *plan)
{
    weir_expression **columns = WEIR_NEW_ARRAY(arena, weir_expression *, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        columns[i] = WEIR_NEW(arena, weir_expression);
        *columns[i] = (weir_expression){
            .kind = WEIR_EXPRESSION_COLUMN, .position = plan->position, .type = plan->fields[i].type, .column = i};
    }
    return columns;
}

static int open_accumulators(aggregate *self, const weir_operator_context *context, const weir_stream_node *node,
                             weir_error *err)
{
    const weir_plan *plan = node->plan;
    bool distinct = plan->kind == WEIR_PLAN_DISTINCT;
    const weir_accumulators_options options = {.context = context,
                                               .uid = weir_arena_strdup(&self->arena, node->uid),
                                               .fields = plan->inputs[0]->fields,
                                               .field_count = plan->inputs[0]->field_count,
                                               .expressions =
                                                   distinct ? all_columns(&self->arena, plan) : plan->expressions,
                                               .expression_count = self->group_count,
                                               .aggregates = distinct ? NULL : plan->aggregates,
                                               .aggregate_count = distinct ? 0 : plan->aggregate_count,
                                               .retracts = node->inputs[0]->updates || node->inputs[0]->deletes};
    return weir_accumulators_create(&options, &self->accumulators, err);
}

int weir_aggregate_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                   weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    aggregate *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_aggregate;
    weir_operator_init(&self->base, "GroupAggregate", 1);
    weir_arena_init(&self->arena);
    self->plan = plan;
    self->group_count = plan->kind == WEIR_PLAN_DISTINCT ? plan->field_count : plan->expression_count;
    self->set_count = plan->grouping_sets == NULL ? 1 : plan->grouping_set_count;
    self->keys = WEIR_NEW_ARRAY(&self->arena, weir_sort_keys, self->set_count);
    self->key_columns = WEIR_NEW_ARRAY(&self->arena, weir_vector, self->group_count + 1);
    self->key_numbers = WEIR_NEW_ARRAY(&self->arena, int32_t, self->group_count + 1);
    for (int32_t i = 0; i <= self->group_count; i++) {
        self->key_numbers[i] = i;
    }
    weir_vector_init(&self->set_number, weir_type_simple(WEIR_INT, false));
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    int code = open_accumulators(self, context, node, err);
    return weir_operator_created(&self->base, code, out);
}
