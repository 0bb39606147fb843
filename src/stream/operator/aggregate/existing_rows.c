/* Mostly all rows exist, and the result is sent as it is. */
#include "stream/operator/aggregate/existing_rows.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_existing_rows_init(weir_existing_rows *self, const weir_plan *plan)
{
    weir_batch_init(&self->chosen, plan->fields, plan->field_count);
}

void weir_existing_rows_free(weir_existing_rows *self)
{
    weir_batch_free(&self->chosen);
    free(self->exists);
    free(self->rows);
}

void weir_existing_rows_reserve(weir_existing_rows *self, int64_t count)
{
    WEIR_GROW(self->exists, self->exists_capacity, count);
    WEIR_GROW(self->rows, self->rows_capacity, count);
}

int weir_existing_rows_send(weir_existing_rows *self, weir_operator *from, const weir_batch *result, weir_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < result->length; i++) {
        self->rows[count] = (uint32_t)i;
        count += self->exists[i];
    }
    if (count == result->length) {
        return weir_output_send(from, result, err);
    }
    weir_batch_clear(&self->chosen);
    WEIR_TRY(weir_batch_append_rows(&self->chosen, result, self->rows, count, err));
    return weir_output_send(from, &self->chosen, err);
}
