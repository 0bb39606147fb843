/* Rows of a looked-up table as they are asked for: see lookup_on_demand.h. */
#include "stream/operator/join/lookup_on_demand.h"

#include <stdlib.h>

#include "base/alloc.h"

/* The table's rows are found by the bytes of their keys: those of the join must be made in the same way. */
static bool has_types_of_key(const weir_flat_plan *flat, const weir_join_condition *condition)
{
    const weir_sql_table *table = flat->bottom->table;
    for (int32_t i = 0; i < condition->key_count; i++) {
        const weir_type *type = table->columns[table->primary_key[i]].type;
        if (!weir_type_equal(condition->keys[WEIR_JOIN_LEFT_SIDE][i]->type, type, true)) {
            return false;
        }
    }
    return condition->key_count == table->primary_key_count;
}

int weir_lookup_on_demand_open(weir_lookup_on_demand *self, const weir_plan *plan, const weir_flat_plan *flat,
                               const weir_join_condition *condition, weir_sql_compute *compute, const char *folder,
                               weir_error *err)
{
    const weir_plan *scan = flat->bottom;
    const weir_scan_request request = {.columns = scan->columns, .column_count = scan->field_count, .limit = -1};
    self->compute = compute;
    weir_batch_init(&self->found, scan->fields, scan->field_count);
    weir_batch_init(&self->projected, plan->fields, plan->field_count);
    if (folder == NULL || scan->table->open_lookup == NULL || !has_types_of_key(flat, condition)) {
        return WEIR_OK;
    }
    return scan->table->open_lookup(scan->table, &request, folder, &self->lookup, err);
}

void weir_lookup_on_demand_close(weir_lookup_on_demand *self)
{
    if (self->lookup != NULL) {
        self->lookup->close(self->lookup);
    }
    weir_batch_free(&self->found);
    weir_batch_free(&self->projected);
    weir_encoded_rows_free(&self->encoded);
    free(self->found_of);
    free(self->projected_of);
}

int weir_lookup_on_demand_fetch(weir_lookup_on_demand *self, const weir_batch *keys, weir_error *err)
{
    const uint32_t *rows;
    WEIR_GROW(self->found_of, self->key_capacity, keys->length + 1);
    WEIR_TRY(self->lookup->find(self->lookup, keys, self->found_of, &self->found, err));
    WEIR_TRY(weir_sql_compute_run(self->compute, &self->found, &self->projected, &rows, err));
    WEIR_GROW(self->projected_of, self->found_capacity, self->found.length + 1);
    for (int64_t i = 0; i < self->found.length; i++) {
        self->projected_of[i] = -1; /* a filter drops it */
    }
    for (int64_t i = 0; i < self->projected.length; i++) {
        self->projected_of[rows[i]] = i;
    }
    return weir_encoded_rows_fill(&self->encoded, &self->projected, err);
}

bool weir_lookup_on_demand_row(const weir_lookup_on_demand *self, int64_t i, weir_slice *out)
{
    int64_t row = self->found_of[i] < 0 ? -1 : self->projected_of[self->found_of[i]];
    if (row >= 0) {
        *out = weir_encoded_row(&self->encoded, row);
    }
    return row >= 0;
}
