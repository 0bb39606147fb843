/* VALUES as a source: its rows come once, in batches, and a job that goes on knows how many it has given. */
#include <stdlib.h>

#include "stream/source/values_source.h"

enum { BATCH_ROWS = 4096 };

typedef struct values_source {
    weir_stream_source base;
    weir_sql_engine *engine;
    const weir_plan *plan;
    int64_t given;
    weir_batch one; /* a row without columns, which the expressions are computed over */
    weir_batch row;
} values_source;

static bool all_literals(weir_expression *const *row, int32_t count)
{
    bool literal = true;
    for (int32_t i = 0; i < count && literal; i++) {
        literal = row[i]->kind == WEIR_EXPRESSION_LITERAL;
    }
    return literal;
}

static int append_literals(weir_expression *const *row, int32_t count, weir_batch *out, weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(row[i]->literal.is_null ? weir_vector_append_nulls(&out->columns[i], 1, err)
                                         : weir_vector_append_literal(&out->columns[i], &row[i]->literal, err));
    }
    out->length++;
    return WEIR_OK;
}

static int append_computed(values_source *self, weir_expression *const *row, weir_batch *out, weir_error *err)
{
    weir_sql_compute *compute = NULL;
    const weir_sql_compute_options options = {.expressions = row, .expression_count = self->plan->field_count};
    WEIR_TRY(weir_sql_compute_create(self->engine, &options, &compute, err));
    int code = weir_sql_compute_run(compute, &self->one, &self->row, NULL, err);
    if (code == WEIR_OK) {
        code = weir_batch_append_range(out, &self->row, 0, self->row.length, err);
    }
    weir_sql_compute_free(compute);
    return code;
}

static int next(weir_stream_source *base, weir_batch *out, weir_error *err)
{
    values_source *self = (values_source *)base;
    int32_t width = self->plan->field_count;
    weir_batch_clear(out);
    if (self->given >= self->plan->row_count) {
        return WEIR_END;
    }
    while (self->given < self->plan->row_count && out->length < BATCH_ROWS) {
        weir_expression *const *row = self->plan->expressions + self->given * width;
        WEIR_TRY(all_literals(row, width) ? append_literals(row, width, out, err)
                                          : append_computed(self, row, out, err));
        self->given++;
    }
    return WEIR_OK;
}

static int position(weir_stream_source *base, weir_buffer *out, weir_error *err)
{
    uint8_t bytes[8];
    (void)err;
    weir_store_le64(bytes, (uint64_t)((values_source *)base)->given);
    weir_buffer_append(out, bytes, sizeof bytes);
    return WEIR_OK;
}

static int restore(weir_stream_source *base, weir_slice bytes, weir_error *err)
{
    if (bytes.size != 8) {
        return weir_fail(err, WEIR_CORRUPT, "a position in VALUES of %zu bytes", bytes.size);
    }
    ((values_source *)base)->given = (int64_t)weir_load_le64(bytes.data);
    return WEIR_OK;
}

static void close_values(weir_stream_source *base)
{
    values_source *self = (values_source *)base;
    weir_batch_free(&self->one);
    weir_batch_free(&self->row);
    free(self);
}

weir_stream_source *weir_values_source_create(weir_sql_engine *engine, const weir_plan *plan)
{
    values_source *self = weir_alloc_zeroed(1, sizeof *self);
    self->base = (weir_stream_source){.next = next,
                                      .position = position,
                                      .restore = restore,
                                      .close = close_values,
                                      .is_bounded = true,
                                      .description = "VALUES"};
    self->engine = engine;
    self->plan = plan;
    weir_batch_init(&self->one, NULL, 0);
    self->one.length = 1;
    weir_batch_init(&self->row, plan->fields, plan->field_count);
    return &self->base;
}
