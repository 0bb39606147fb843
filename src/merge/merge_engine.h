/* Merge engines: what becomes of the rows of one key.
 *
 * Phase one of a merge leaves groups: the rows of each key from the oldest to the newest. An engine picks from them.
 * All that is here so far is `deduplicate` (the newest row stands for the key); engines that build a row from several
 * rows pick per column over the same groups. */
#ifndef WEIR_MERGE_MERGE_ENGINE_H
#define WEIR_MERGE_MERGE_ENGINE_H

#include "meta/schema.h"

/* The rows of a window of keys, in key order; those of one key stand together, the oldest first. */
typedef struct weir_merge_groups {
    int64_t group_count;
    int64_t *group_starts; /* group_count + 1 */
    size_t group_capacity;
    int64_t row_count;
    uint16_t *runs;
    int64_t *rows; /* counted through all files of the run */
    int64_t *sequence_numbers;
    int8_t *kinds;
    bool *in_level_zero; /* NULL when nobody wants to know */
    size_t row_capacity;
} weir_merge_groups;

typedef struct weir_merge_engine weir_merge_engine;

struct weir_merge_engine {
    const char *name;
    /* For each group the position of the row that stands for it, or -1: none does. */
    void (*pick)(const weir_merge_engine *engine, const weir_merge_groups *groups, int64_t *out_picks);
    bool ignore_delete; /* rows of kind -U and -D count as if they were not there */
};

/* The engine that the table's options ask for; WEIR_UNSUPPORTED names one that is not there. */
int weir_merge_engine_of(const weir_schema *schema, weir_merge_engine *out, weir_error *err);

#endif
