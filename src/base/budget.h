/* Memory budgets: a tree of counters with limits.
 *
 * A large consumer takes bytes before it allocates them and gives them back after. A child's bytes count in all its
 * ancestors. Thread-safe. */
#ifndef WEIR_BASE_BUDGET_H
#define WEIR_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

typedef struct weir_budget {
    const char *name; /* static memory; named in the error */
    struct weir_budget *parent;
    _Atomic int64_t limit_bytes; /* INT64_MAX: unlimited */
    _Atomic int64_t used_bytes;
    _Atomic int64_t peak_bytes;
} weir_budget;

void weir_budget_init(weir_budget *budget, const char *name, weir_budget *parent, int64_t limit_bytes);

/* Takes `bytes` or fails with WEIR_NO_MEMORY, saying which budget is full. A NULL budget always allows. */
int weir_budget_take(weir_budget *budget, int64_t bytes, weir_error *err);

/* The same without a message: true when taken. */
bool weir_budget_try_take(weir_budget *budget, int64_t bytes);

/* Gives back what was taken, up to the root. */
void weir_budget_give(weir_budget *budget, int64_t bytes);

/* The least limit of a budget and its ancestors; INT64_MAX: unlimited. */
int64_t weir_budget_limit(const weir_budget *budget);

/* Bytes that could still be taken here, as far as this budget and its ancestors allow now. */
int64_t weir_budget_left(const weir_budget *budget);

#endif
