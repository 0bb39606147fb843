/* Planning reads. */
#include "api/read_plan.h"

#include <stdlib.h>

#include "table/scan/split_divide.h"

int weir_read_plan_new(const weir_lake_table *table, const weir_read_request *request, weir_read_plan **out,
                       weir_error *err)
{
    weir_read_plan *plan = weir_alloc_zeroed(1, sizeof *plan);
    atomic_init(&plan->references, 1);
    plan->table = weir_lake_table_retain(table);
    weir_arena_init(&plan->arena);
    int code = weir_read_request_resolve(table->table->schema, request, &plan->arena, &plan->request, err);
    if (code != WEIR_OK) {
        weir_read_plan_release(plan);
        return weir_error_context(err, code, "%s", table->table->path);
    }
    *out = plan;
    return WEIR_OK;
}

weir_read_plan *weir_read_plan_retain(const weir_read_plan *plan)
{
    weir_read_plan *shared = (weir_read_plan *)plan; /* only the count changes */
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

void weir_read_plan_release(weir_read_plan *plan)
{
    if (plan != NULL && atomic_fetch_sub_explicit(&plan->references, 1, memory_order_acq_rel) == 1) {
        weir_table_plan_free(plan->plan);
        weir_lake_table_release(plan->table);
        weir_arena_free(&plan->arena);
        free(plan);
    }
}

void weir_read_plan_free(weir_read_plan *plan) { weir_read_plan_release(plan); }

/* `threads`: that will read splits side by side. */
static int make_plan(const weir_lake_table *table, const weir_read_request *request, int threads, weir_read_plan **out,
                     weir_error *err)
{
    weir_read_plan *plan = NULL;
    WEIR_TRY(weir_read_plan_new(table, request, &plan, err));
    weir_scan_options options = {
        .predicate = plan->request.predicate,
        .limit = -1,
        .with_kinds = plan->request.with_kinds,
    };
    int code = weir_scan_plan(table->table, &options, &plan->plan, err);
    if (code == WEIR_OK) {
        code = weir_table_plan_divide(table->table, options.predicate, threads, plan->plan, err);
    }
    if (code != WEIR_OK) {
        weir_read_plan_release(plan);
        return code;
    }
    *out = plan;
    return WEIR_OK;
}

int weir_read_plan_make(const weir_lake_table *table, const weir_read_request *request, weir_read_plan **out,
                        weir_error *err)
{
    const weir_pool *pool = table->resources->pool;
    return make_plan(table, request, pool == NULL ? 1 : weir_pool_threads(pool), out, err);
}

int64_t weir_read_plan_snapshot(const weir_read_plan *plan) { return plan->plan->snapshot_id; }

int64_t weir_read_plan_row_count(const weir_read_plan *plan) { return plan->plan->exact_row_count; }

int64_t weir_read_plan_split_count(const weir_read_plan *plan) { return (int64_t)plan->plan->split_count; }

static int check_number(const weir_read_plan *plan, int64_t number, weir_error *err)
{
    if (number < 0 || (uint64_t)number >= plan->plan->split_count) {
        return weir_fail(err, WEIR_INVALID, "there is no split %" PRId64 ": the plan has %zu, from 0", number,
                         plan->plan->split_count);
    }
    return WEIR_OK;
}

static int32_t files_of(const weir_sorted_run *runs, int32_t count)
{
    int32_t files = 0;
    for (int32_t i = 0; i < count; i++) {
        files += runs[i].file_count;
    }
    return files;
}

int weir_read_plan_split(const weir_read_plan *plan, int64_t number, weir_split_info *out, weir_error *err)
{
    WEIR_TRY(check_number(plan, number, err));
    const weir_split *split = &plan->plan->splits[number];
    *out = (weir_split_info){
        .row_count = split->row_count,
        .size_bytes = split->size_bytes,
        .file_count =
            split->file_count + files_of(split->runs, split->run_count) + files_of(split->before, split->before_count),
        .bucket = split->bucket,
        .merges = split->kind == WEIR_SPLIT_MERGE || split->kind == WEIR_SPLIT_DIFF,
    };
    return WEIR_OK;
}

int weir_read_plan_read(const weir_read_plan *plan, int64_t number, struct ArrowArrayStream *out, weir_error *err)
{
    WEIR_TRY(check_number(plan, number, err));
    weir_read_stream_init(plan, (size_t)number, (size_t)number + 1, out);
    return WEIR_OK;
}

int weir_lake_table_read(const weir_lake_table *table, const weir_read_request *request, struct ArrowArrayStream *out,
                         weir_error *err)
{
    weir_read_plan *plan = NULL;
    WEIR_TRY(make_plan(table, request, 1, &plan, err));
    weir_read_stream_init(plan, 0, plan->plan->split_count, out);
    weir_read_plan_release(plan);
    return WEIR_OK;
}
