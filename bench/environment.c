/* Opening the table of a benchmark, with threads and memory as the command line asks. */
#include "bench/bench.h"

/* The part of --memory that budgets count; the rest is for code, stacks, metadata and the allocator's slack. */
#define COUNTED_PERCENT 75

int bench_environment_open(const bench_arguments *arguments, bench_environment *out, weir_error *err)
{
    *out = (bench_environment){0};
    weir_arena_init(&out->arena);
    int64_t limit = arguments->memory_bytes > 0 ? arguments->memory_bytes / 100 * COUNTED_PERCENT : INT64_MAX;
    weir_budget_init(&out->budget, "weir-bench", NULL, limit);
    WEIR_TRY(weir_fs_open(arguments->path, NULL, &out->arena, &out->fs, &out->path, err));
    return weir_pool_create((int)arguments->threads, "bench", &out->pool, err);
}

int bench_environment_open_table(const bench_arguments *arguments, const weir_options *options,
                                 bench_environment *environment, weir_error *err)
{
    weir_table_close(environment->table);
    environment->table = NULL;
    weir_options dynamic = {0};
    weir_options_merge(&environment->arena, &arguments->options, options, &dynamic);
    weir_table_open_options open = {
        .dynamic_options = &dynamic,
        .pool = environment->pool,
        .budget = arguments->memory_bytes > 0 ? &environment->budget : NULL,
    };
    return weir_table_open(environment->fs, environment->path, &open, &environment->table, err);
}

void bench_environment_close(bench_environment *environment)
{
    weir_table_close(environment->table);
    weir_pool_free(environment->pool);
    weir_fs_close(environment->fs);
    weir_arena_free(&environment->arena);
}
