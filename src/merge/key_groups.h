/* Phase one of a merge: the rows of all runs in key order, grouped by key. */
#ifndef WEIR_MERGE_KEY_GROUPS_H
#define WEIR_MERGE_KEY_GROUPS_H

#include "merge/merge_engine.h"
#include "merge/run_cursor.h"

typedef struct weir_key_groups {
    const weir_merge_source *source;
    weir_run_cursor *cursors;
    int32_t run_count;
    bool want_levels;  /* fill levels */
    int64_t most_rows; /* a window ends with the key that reaches so many rows; 0: by its keys alone */
    bool started;
    bool whole; /* keys are whole in their prefixes */
    weir_loser_tree tree;

    /* The window. */
    weir_merge_groups groups;
    weir_sort_keys keys; /* one a group */

    /* With sequence.field, where the values of the current group's rows are: a row of the run's block, or -1 - i for
     * row i of `order_copies`, which keep the values of blocks that are gone. */
    int64_t *order_rows;
    size_t order_row_capacity;
    weir_batch order_copies;
} weir_key_groups;

void weir_key_groups_init(weir_key_groups *groups, const weir_merge_source *source, weir_run_cursor *cursors,
                          int32_t run_count);
void weir_key_groups_free(weir_key_groups *groups);
/* The next window of at most `max_groups` keys; WEIR_END when there are no more. */
int weir_key_groups_next(weir_key_groups *groups, int64_t max_groups, weir_error *err);

#endif
