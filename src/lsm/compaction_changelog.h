/* The changelog that a compaction makes: for each key with a new row, what became of its older one. With the lookup
 * producer what lies in level 0 is new, with full-compaction all that lies below the highest level. Used by
 * compaction_piece.c only. */
#ifndef WEIR_LSM_COMPACTION_CHANGELOG_H
#define WEIR_LSM_COMPACTION_CHANGELOG_H

#include "lsm/lsm_options.h"
#include "merge/merge_reader.h"

typedef struct weir_compaction_changelog {
    const weir_lsm_options *options;
    weir_merge_reader *merge;
    weir_batch rows;    /* the window's rows, all columns */
    weir_batch changes; /* the changelog of the window, with kinds */
    int64_t *sequence_numbers; /* of the changes */
    size_t sequence_capacity;
    weir_batch older; /* of the window's rows that have a previous one, that */
    bool *ignored;    /* of each column: does not count as a change */
} weir_compaction_changelog;

/* Of a merge of all columns that tells of previous rows. */
void weir_compaction_changelog_init(weir_compaction_changelog *changelog, const weir_schema *schema,
                                    const weir_lsm_options *options, weir_merge_reader *merge);
void weir_compaction_changelog_free(weir_compaction_changelog *changelog);

/* Fills `rows` and `changes` from the merge's current window. */
int weir_compaction_changelog_make(weir_compaction_changelog *changelog, weir_error *err);

#endif
