/* How the memory of a session is split.
 *
 * The shares of DuckDB and of jobs count only once they are there: statements that move rows without expressions never
 * open DuckDB, and then tables have its part. What no share names is for the program itself: code, stacks, metadata,
 * the allocator's slack, and blocks that libraries hold. */
#include "session/memory.h"

#include <stdio.h>
#include <unistd.h>

typedef enum consumer { CONSUMER_ENGINE, CONSUMER_TABLES, CONSUMER_SOURCES, CONSUMER_JOBS, CONSUMER_COUNT } consumer;

/* In percent: with neither, with DuckDB, with jobs, with both. */
static const int shares[CONSUMER_COUNT][4] = {
    [CONSUMER_ENGINE] = {0, 45, 0, 18},
    [CONSUMER_TABLES] = {75, 35, 22, 18},
    [CONSUMER_SOURCES] = {10, 5, 5, 5},
    [CONSUMER_JOBS] = {0, 0, 65, 55},
};

static int64_t share_of(const weir_memory *memory, consumer who)
{
    return memory->total_bytes / 100 * shares[who][memory->with_engine + 2 * memory->with_jobs];
}

static void set_limits(weir_memory *memory)
{
    memory->tables.limit_bytes = share_of(memory, CONSUMER_TABLES);
    memory->sources.limit_bytes = share_of(memory, CONSUMER_SOURCES);
    memory->jobs.limit_bytes = share_of(memory, CONSUMER_JOBS);
}

/* The limit of a control group (version 2); -1: none. */
static int64_t control_group_limit(void)
{
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "r");
    long long limit = -1;
    if (file != NULL) {
        if (fscanf(file, "%lld", &limit) != 1) {
            limit = -1; /* "max" */
        }
        fclose(file);
    }
    return limit;
}

static int64_t machine_bytes(void)
{
    int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    int64_t limit = control_group_limit();
    return limit > 0 && limit < bytes ? limit : bytes;
}

void weir_memory_init(weir_memory *memory, int64_t total_bytes)
{
    *memory = (weir_memory){.total_bytes = total_bytes > 0 ? total_bytes : machine_bytes() / 2};
    weir_budget_init(&memory->all, "the session (--memory)", NULL, memory->total_bytes);
    weir_budget_init(&memory->tables, "tables (a part of --memory)", &memory->all, INT64_MAX);
    weir_budget_init(&memory->sources, "sources (a part of --memory)", &memory->all, INT64_MAX);
    weir_budget_init(&memory->jobs, "jobs (a part of --memory)", &memory->all, INT64_MAX);
    set_limits(memory);
}

int64_t weir_memory_share_with_engine(weir_memory *memory)
{
    memory->with_engine = true;
    set_limits(memory);
    return share_of(memory, CONSUMER_ENGINE);
}

int64_t weir_memory_share_with_jobs(weir_memory *memory)
{
    memory->with_jobs = true;
    set_limits(memory);
    return share_of(memory, CONSUMER_JOBS);
}
