/* Folding the rows of each key into one, column by column: partial-update and aggregation.
 *
 *   weir_fold_init(&fold, engine);
 *   WEIR_TRY(weir_fold_groups(&fold, groups, rows, err));   // a window: fold.kinds, fold.sequence_numbers
 *   weir_fold_keep(&fold, groups, positions, count);        // only some of the groups: those that are wanted
 *   WEIR_TRY(weir_fold_column(&fold, groups, rows, column, &vector, err)); // any columns, in any order
 *
 * The groups belong to the caller: the window of a merge of runs, or, for a write buffer, its rows in the order of
 * their keys, the oldest first within a key (by sequence.field, then by arrival), with levels NULL or 0.
 *
 * What a row does (weir_fold_step) is worked out once for all columns outside of sequence groups, and once for each
 * sequence group that a column is asked of, whose version columns are read for it. */
#ifndef WEIR_MERGE_GROUP_FOLD_H
#define WEIR_MERGE_GROUP_FOLD_H

#include "merge/merge_engine.h"

/* The values of the groups' rows. */
typedef struct weir_group_rows {
    /* Appends column `column` of the schema of all rows of the groups, in their order. */
    int (*read)(void *context, int32_t column, weir_vector *out, weir_error *err);
    void *context;
} weir_group_rows;

typedef struct weir_fold {
    const weir_merge_engine *engine;
    bool folds_lone_rows; /* a group of a single row is folded as any other; set after init */
    /* Of each group, its row's: */
    int8_t *kinds; /* +I or -D; a group of a single row keeps its kind, unless it is folded too */
    int64_t *sequence_numbers;
    size_t group_capacity;
    /* What the groups' rows do: to columns outside of sequence groups, then to those of each sequence group. */
    struct weir_step_list *lists;
    int32_t list_count;
    uint8_t *resets; /* of each row: a sequence group's -D, with which the key begins anew; NULL where there are none */
    weir_vector values; /* of the column being folded */
} weir_fold;

void weir_fold_init(weir_fold *fold, const weir_merge_engine *engine); /* the engine is borrowed */
void weir_fold_free(weir_fold *fold);

/* Works out what the rows do. WEIR_INVALID where the engine takes no -U and -D. */
int weir_fold_groups(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows, weir_error *err);

/* Leaves only the groups at `positions` (ascending), in `groups` as in the fold. */
void weir_fold_keep(weir_fold *fold, weir_merge_groups *groups, const uint32_t *positions, int64_t count);

/* Appends column `column` of the schema, one value a group. */
int weir_fold_column(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows, int32_t column,
                     weir_vector *out, weir_error *err);

#endif
