/* Rows of a looked-up table by its primary key, fetched when they are asked for: for tables that are too large to be
 * taken in whole (lookup_table.h). */
#ifndef WEIR_STREAM_LOOKUP_ON_DEMAND_H
#define WEIR_STREAM_LOOKUP_ON_DEMAND_H

#include "stream/operator/join/join_condition.h"
#include "stream/operator/join/join_rows.h"

typedef struct weir_lookup_on_demand {
    weir_sql_lookup *lookup;
    weir_sql_compute *compute; /* from the scan's fields to the plan's; borrowed */
    weir_batch found;
    weir_batch projected;
    weir_encoded_rows encoded;
    int64_t *found_of; /* of each key: its row in `found`, or -1 */
    size_t key_capacity;
    int64_t *projected_of; /* of each row of `found`: its row in `projected`, or -1 */
    size_t found_capacity;
} weir_lookup_on_demand;

/* Opens it where the table offers it; otherwise, or where the join's keys are of other types than the table's,
 * self->lookup stays NULL. `plan`: of what the join sees of the table, flattened in `flat`. `condition`: its keys are
 * the primary key, in order. */
int weir_lookup_on_demand_open(weir_lookup_on_demand *self, const weir_plan *plan, const weir_flat_plan *flat,
                               const weir_join_condition *condition, weir_sql_compute *compute, const char *folder,
                               weir_error *err);
void weir_lookup_on_demand_close(weir_lookup_on_demand *self);

/* Finds the rows of these keys. */
int weir_lookup_on_demand_fetch(weir_lookup_on_demand *self, const weir_batch *keys, weir_error *err);

/* The row of key `i` of the last fetch, as bytes, of the plan's fields; false: there is none. */
bool weir_lookup_on_demand_row(const weir_lookup_on_demand *self, int64_t i, weir_slice *out);

#endif
