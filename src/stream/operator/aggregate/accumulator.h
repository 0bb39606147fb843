/* Accumulators: what is kept of the rows of a group so that its aggregates can be told, and rows taken back again.
 *
 * A set of accumulators is made for the aggregates of one operator. Under each key (a group; a window and a group) it
 * keeps one row of accumulators in value state, and in map state what does not fit there: different values of DISTINCT,
 * and, where rows may be retracted, the values that MIN, MAX, FIRST_VALUE and LAST_VALUE choose from. Everything is
 * given and asked for by keys, a batch at a time:
 *
 *   compute    arguments and filters of a batch of input, and other expressions such as the groups
 *   update     rows of it come to the accumulators of their keys, or are taken back, in order
 *   values     the aggregates of keys
 *   merge      the accumulators of keys come to those of others: sessions that meet, slices of a window
 *   remove
 *
 * What the aggregates give is what batch gives over the rows that are left (sql/generate/generate_aggregate.c). Where
 * order matters (FIRST_VALUE, LISTAGG, ARRAY_AGG …) it is that of arrival. A row of a key is made by its first row, and
 * gone with its last one. */
#ifndef WEIR_STREAM_ACCUMULATOR_H
#define WEIR_STREAM_ACCUMULATOR_H

#include "stream/operator/operator.h"

typedef struct weir_accumulators weir_accumulators;

/* All of it outlives the accumulators. */
typedef struct weir_accumulators_options {
    const weir_operator_context *context;
    const char *uid;          /* of the state */
    const weir_field *fields; /* of the input */
    int32_t field_count;
    weir_expression *const *expressions; /* to be computed with the arguments */
    int32_t expression_count;
    const weir_aggregate *aggregates;
    int32_t aggregate_count;
    bool retracts; /* the input may hold -U and -D */
    bool merges;   /* weir_accumulators_merge will be called */
} weir_accumulators_options;

/* WEIR_UNSUPPORTED, with its position, for an aggregate that cannot be kept up to date. */
int weir_accumulators_create(const weir_accumulators_options *options, weir_accumulators **out, weir_error *err);
void weir_accumulators_free(weir_accumulators *accumulators); /* NULL is fine */

/* The rows of `in` become what the next updates take. *out_computed has a column for each of options.expressions (and
 * more), and rows and kinds as `in` has them; it is good until the next compute. */
int weir_accumulators_compute(weir_accumulators *accumulators, const weir_batch *in, const weir_batch **out_computed,
                              weir_error *err);

/* What an update did, key by key. Good until the next call. */
typedef struct weir_accumulator_changes {
    int64_t count;           /* of different keys */
    const uint32_t *entries; /* where in the given keys each was first */
    const bool *before;      /* whether it had rows, */
    const bool *after;       /* and has now */
    /* The aggregates, in their order: row i before, row count + i after; as over no rows where there were none. */
    const weir_batch *values;
} weir_accumulator_changes;

/* Rows of the computed batch go to their keys: row rows[i] (NULL: row i) to key i. A row may come to several keys. A
 * retraction for a key without rows is passed over. `out` NULL: what changed is not asked for, which costs less. */
int weir_accumulators_update(weir_accumulators *accumulators, const weir_sort_keys *keys, const uint32_t *rows,
                             weir_accumulator_changes *out, weir_error *err);

/* Appends the aggregates of keys to the columns `first` … of `out`, whose length is left alone. out_exists[i] (NULL:
 * not asked for) tells whether key i has rows; without, its aggregates are those of no rows. */
int weir_accumulators_values(weir_accumulators *accumulators, const weir_sort_keys *keys, weir_batch *out,
                             int32_t first, bool *out_exists, weir_error *err);

/* What key from[i] has comes to key to[i] too, after what that has already. No key may stand on both sides. */
int weir_accumulators_merge(weir_accumulators *accumulators, const weir_sort_keys *from, const weir_sort_keys *to,
                            weir_error *err);

int weir_accumulators_remove(weir_accumulators *accumulators, const weir_sort_keys *keys, weir_error *err);

/* Which of the grouping sets of an AGGREGATE the keys of the calls that follow are of: what GROUPING and GROUP_ID give.
 */
void weir_accumulators_use_set(weir_accumulators *accumulators, const weir_plan *aggregate, int32_t set);

#endif
