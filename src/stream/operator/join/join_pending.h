/* Changes of one side of a join on their way to a test of pairs (join_pair_test.h).
 *
 * For each change the rows of the other side that it may match are gathered as candidates; when there is no room for
 * more, or the batch ends, all pairs are tested together and the changes settled in the order in which they came. A
 * change with more candidates than there is room for is settled part by part. */
#ifndef WEIR_STREAM_JOIN_PENDING_H
#define WEIR_STREAM_JOIN_PENDING_H

#include "stream/operator/join/join_pair_test.h"

/* A row of the other side that a change may match. */
typedef struct weir_join_candidate {
    uint32_t pair;      /* number of its pair with the change's first row, of those that are tested */
    size_t begin, size; /* the row's bytes, in candidate_bytes */
    uint64_t count;     /* how often the row is there */
} weir_join_candidate;

typedef struct weir_pending_change {
    weir_join_change rows;
    size_t candidates_end; /* in `candidates`; they begin where those of the change before end */
    bool is_whole;         /* all its candidates are there */
    bool has_begun;        /* some of them are settled */

    /* For those who settle it. How many rows match its two rows; the latter so far. */
    uint64_t matches_before, matches_after;
    /* Rows that are held back until it is known whether they make an update, and what stands beside them: the number of
     * a decoded row, or WEIR_JOIN_NO_ROW. */
    bool holds_before, holds_after;
    uint32_t beside_before, beside_after;
} weir_pending_change;

typedef struct weir_join_pending {
    weir_join_pair_test test;
    weir_pending_change *changes;
    size_t change_count, change_capacity;
    weir_join_candidate *candidates;
    size_t candidate_count, candidate_capacity;
    weir_buffer candidate_bytes;
} weir_join_pending; /* zeroed, with `test` initialized, it is empty */

/* Settles the candidates of a change from number `first` up to its candidates_end: `test` has said which pass. */
typedef int (*weir_join_settle)(void *owner, weir_pending_change *change, size_t first, weir_error *err);

void weir_join_pending_free(weir_join_pending *self);

/* Adds a change without candidates; it is good until the next one is added, or all are settled. */
weir_pending_change *weir_join_pending_add(weir_join_pending *self, const weir_join_change *rows);

/* Adds a candidate of the last change, with a pair for each of `rows`: the change's, or of these alone that which is
 * tested. `output` is to have room for so many rows. `row`: the other side's, copied. */
int weir_join_pending_add_candidate(weir_join_pending *self, weir_join_output *output, const weir_join_change *rows,
                                    weir_slice row, uint64_t count, weir_error *err);

/* The candidates of the last change are there: all of them, or as many as there was room for. */
void weir_join_pending_end_candidates(weir_join_pending *self, bool is_whole);

/* Tests all pairs, settles all changes in order, and sends what `output` has. Of the changes only a last one that is
 * not whole is left, without candidates. */
int weir_join_pending_settle(weir_join_pending *self, weir_join_output *output, weir_join_settle settle, void *owner,
                             weir_error *err);

static inline weir_slice weir_join_candidate_row(const weir_join_pending *self, const weir_join_candidate *candidate)
{
    return weir_slice_of(self->candidate_bytes.data + candidate->begin, candidate->size);
}

#endif
