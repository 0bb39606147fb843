/* The lookup changelog: for each key with a row in level 0, what became of its older value. Used by
 * compaction_piece.c only. */
#ifndef WEIR_LSM_LOOKUP_CHANGELOG_H
#define WEIR_LSM_LOOKUP_CHANGELOG_H

#include "lsm/compaction_piece.h"
#include "merge/merge_reader.h"

typedef struct weir_lookup_changelog {
    const weir_compaction_piece *piece;
    weir_merge_reader *merge;
    weir_lookup *lookup; /* NULL: nothing older below */
    weir_batch rows;     /* the window's rows, all columns */
    weir_batch changes;  /* the changelog of the window, with kinds */
    int64_t *sequence_numbers; /* of the changes */
    size_t sequence_capacity;
    /* Older values: those the merge met first, then those that were looked up. */
    weir_batch older;
    int64_t *older_of; /* row of the window → row of `older`, or -1 */
    size_t older_of_capacity;
    uint32_t *wanted; /* rows of the window to be looked up */
    size_t wanted_capacity;
    bool *found;
    size_t found_capacity;
    /* Of each row of the window: a higher level holds one of its key that is no older, so it is not to be written. */
    bool *outdated;
    size_t outdated_capacity;
    bool *ignored; /* of each column: does not count as a change */
} weir_lookup_changelog;

int weir_lookup_changelog_init(weir_lookup_changelog *changelog, const weir_compaction_piece *piece,
                               weir_merge_reader *merge, weir_error *err);
void weir_lookup_changelog_free(weir_lookup_changelog *changelog);

/* Fills `rows`, `outdated` and `changes` from the merge's current window. */
int weir_lookup_changelog_make(weir_lookup_changelog *changelog, weir_error *err);

#endif
