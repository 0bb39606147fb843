/* Memory: one number, split by one table. */
#ifndef WEIR_SESSION_MEMORY_H
#define WEIR_SESSION_MEMORY_H

#include "base/budget.h"

#define WEIR_LEAST_MEMORY (16 << 20) /* less would leave no room for a page of each column */

typedef struct weir_memory {
    int64_t total_bytes;
    weir_budget all;     /* what is counted: the sum of the next three */
    weir_budget tables;  /* write buffers, flushes, compactions and readers of Paimon tables */
    weir_budget sources; /* buffers of sources and what they parse */
    weir_budget jobs;    /* state and expressions of jobs */
    bool with_engine;
    bool with_jobs;
} weir_memory;

/* `total_bytes` 0: half of the machine, or of the control group that the process is in. */
void weir_memory_init(weir_memory *memory, int64_t total_bytes);

/* The SQL engine takes its share, which the others had until then; returns it. Tables that are opened later see their
 * smaller share. */
int64_t weir_memory_share_with_engine(weir_memory *memory);

/* The same for jobs: the share of all of them. */
int64_t weir_memory_share_with_jobs(weir_memory *memory);

#endif
