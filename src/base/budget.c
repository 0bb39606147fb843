/* Memory budgets: counters that are raised from the consumer up to the root, or not at all. */
#include "base/budget.h"

#include <assert.h>

void weir_budget_init(weir_budget *budget, const char *name, weir_budget *parent, int64_t limit_bytes)
{
    budget->name = name;
    budget->parent = parent;
    budget->limit_bytes = limit_bytes;
    atomic_init(&budget->used_bytes, 0);
    atomic_init(&budget->peak_bytes, 0);
}

static void raise_peak(weir_budget *budget, int64_t used)
{
    int64_t peak = atomic_load_explicit(&budget->peak_bytes, memory_order_relaxed);
    while (used > peak && !atomic_compare_exchange_weak_explicit(&budget->peak_bytes, &peak, used, memory_order_relaxed,
                                                                 memory_order_relaxed)) {
    }
}

/* Takes from this one budget, without its ancestors. */
static bool take_alone(weir_budget *budget, int64_t bytes)
{
    int64_t used = atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
    do {
        if (bytes > budget->limit_bytes - used) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&budget->used_bytes, &used, used + bytes, memory_order_relaxed,
                                                    memory_order_relaxed));
    return true;
}

static void give_up_to(weir_budget *budget, const weir_budget *end, int64_t bytes)
{
    for (; budget != end; budget = budget->parent) {
        int64_t before = atomic_fetch_sub_explicit(&budget->used_bytes, bytes, memory_order_relaxed);
        assert(before >= bytes);
        (void)before;
    }
}

/* NULL when taken everywhere, else the budget that is full. */
static weir_budget *take_or_find_full(weir_budget *budget, int64_t bytes)
{
    assert(bytes >= 0);
    for (weir_budget *at = budget; at; at = at->parent) {
        if (!take_alone(at, bytes)) {
            give_up_to(budget, at, bytes);
            return at;
        }
    }
    for (weir_budget *at = budget; at; at = at->parent) {
        raise_peak(at, atomic_load_explicit(&at->used_bytes, memory_order_relaxed));
    }
    return NULL;
}

int weir_budget_take(weir_budget *budget, int64_t bytes, weir_error *err)
{
    const weir_budget *full = take_or_find_full(budget, bytes);
    if (!full) {
        return WEIR_OK;
    }
    int64_t used = atomic_load_explicit(&full->used_bytes, memory_order_relaxed);
    return weir_fail(err, WEIR_NO_MEMORY,
                     "the memory budget '%s' of %" PRId64 " bytes has %" PRId64 " in use and cannot give %" PRId64
                     " more; raise the memory limit or do less at a time",
                     full->name, full->limit_bytes, used, bytes);
}

bool weir_budget_try_take(weir_budget *budget, int64_t bytes) { return !take_or_find_full(budget, bytes); }

void weir_budget_give(weir_budget *budget, int64_t bytes) { give_up_to(budget, NULL, bytes); }

int64_t weir_budget_limit(const weir_budget *budget)
{
    int64_t limit = INT64_MAX;
    for (; budget; budget = budget->parent) {
        limit = budget->limit_bytes < limit ? budget->limit_bytes : limit;
    }
    return limit;
}

int64_t weir_budget_left(const weir_budget *budget)
{
    int64_t left = INT64_MAX;
    for (; budget; budget = budget->parent) {
        int64_t here = budget->limit_bytes - atomic_load_explicit(&budget->used_bytes, memory_order_relaxed);
        left = here < left ? here : left;
    }
    return left > 0 ? left : 0;
}
