/* Plans of reads, and their splits as Arrow streams. Used by the files of this room. */
#ifndef WEIR_API_READ_PLAN_H
#define WEIR_API_READ_PLAN_H

#include "api/lake_table.h"
#include "api/read_request.h"

struct weir_read_plan {
    _Atomic int32_t references;
    weir_lake_table *table; /* a reference */
    weir_arena arena;
    weir_resolved_request request;
    weir_table_plan *plan;
};

/* A plan without splits yet; the caller sets `plan->plan`. */
int weir_read_plan_new(const weir_lake_table *table, const weir_read_request *request, weir_read_plan **out,
                       weir_error *err);
weir_read_plan *weir_read_plan_retain(const weir_read_plan *plan);
void weir_read_plan_release(weir_read_plan *plan); /* NULL is fine */

/* Rows of splits first .. end - 1, one after the other. The stream holds the plan. */
void weir_read_stream_init(const weir_read_plan *plan, size_t first, size_t end, struct ArrowArrayStream *out);

#endif
