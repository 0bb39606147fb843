/* Pairs laid out as one batch, of which only the columns that the condition names are copied. */
#include "stream/operator/join/join_pair_test.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_join_pair_test_init(weir_join_pair_test *self, const weir_plan *join)
{
    *self = (weir_join_pair_test){0};
    weir_batch_init(&self->nothing, NULL, 0);
    for (int i = 0; i < 2; i++) {
        weir_batch_init(&self->own[i], join->inputs[i]->fields, join->inputs[i]->field_count);
    }
}

int weir_join_pair_test_open(weir_join_pair_test *self, weir_sql_engine *engine, const weir_plan *join,
                             const weir_join_condition *condition, weir_arena *arena, weir_error *err)
{
    int32_t split = join->inputs[0]->field_count, count = split + join->inputs[1]->field_count;
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, count + 1);
    self->tested_columns = WEIR_NEW_ARRAY(arena, bool, count + 1);
    self->pairs.columns = WEIR_NEW_ARRAY(arena, weir_vector, count + 1);
    self->pairs.column_count = count;
    for (int32_t i = 0; i < count; i++) {
        fields[i] = i < split ? join->inputs[0]->fields[i] : join->inputs[1]->fields[i - split];
    }
    for (int32_t i = 0; i < condition->rest_count; i++) {
        weir_expression_mark(condition->rest[i], self->tested_columns);
    }
    weir_sql_compute_options options = {.fields = fields,
                                        .field_count = count,
                                        .conditions = condition->rest,
                                        .condition_count = condition->rest_count};
    return weir_sql_compute_create(engine, &options, &self->compute, err);
}

void weir_join_pair_test_free(weir_join_pair_test *self)
{
    weir_sql_compute_free(self->compute);
    weir_batch_free(&self->own[0]);
    weir_batch_free(&self->own[1]);
    weir_batch_free(&self->nothing);
    free(self->rows);
    free(self->passes);
}

void weir_join_pair_test_pair(weir_join_pair_test *self, uint32_t decoded, int64_t row)
{
    WEIR_GROW(self->rows, self->rows_capacity, decoded + 1);
    self->rows[decoded] = (uint32_t)row;
}

static int lay_out_pairs(weir_join_pair_test *self, const weir_join_output *output, weir_error *err)
{
    const weir_batch *others = &output->others[1 - output->side];
    weir_batch *own = &self->own[output->side];
    int32_t split = self->own[0].column_count;
    weir_batch_clear(own);
    for (int32_t i = 0; i < self->pairs.column_count; i++) {
        int32_t side = i < split ? 0 : 1;
        int32_t column = i - side * split;
        if (side == output->side && self->tested_columns[i]) {
            WEIR_TRY(weir_vector_append_rows(&own->columns[column], &output->own->columns[column], self->rows,
                                             others->length, err));
        }
        self->pairs.columns[i] = side == output->side ? own->columns[column] : others->columns[column];
    }
    self->pairs.length = others->length;
    return WEIR_OK;
}

int weir_join_pair_test_run(weir_join_pair_test *self, const weir_join_output *output, weir_error *err)
{
    const uint32_t *rows;
    WEIR_TRY(lay_out_pairs(self, output, err));
    WEIR_TRY(weir_sql_compute_run(self->compute, &self->pairs, &self->nothing, &rows, err));
    WEIR_GROW(self->passes, self->passes_capacity, self->pairs.length);
    memset(self->passes, 0, (size_t)self->pairs.length);
    for (int64_t i = 0; i < self->nothing.length; i++) {
        self->passes[rows[i]] = 1;
    }
    return WEIR_OK;
}
