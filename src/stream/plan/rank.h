/* Top-N in plans: a WINDOW of ROW_NUMBER whose numbers are held to a range by the filter above, and a SORT with LIMIT.
 * With one row a partition and an order by time, Top-N is deduplication: the first or the last row is kept. */
#ifndef WEIR_STREAM_RANK_H
#define WEIR_STREAM_RANK_H

#include "sql/plan.h"
#include "stream/plan/traits.h"

typedef struct weir_rank {
    const weir_plan *plan; /* the WINDOW or the SORT */
    weir_expression **partition_keys;
    int32_t partition_key_count;
    const weir_sort_key *sort_keys;
    int32_t sort_key_count;
    int64_t first, last;     /* which rows, counted from 1; last < first: none */
    bool gives_number;       /* …and somebody looks at their numbers */
    bool later_first;        /* of rows that are equal in order, the one that came last */
    weir_field_time by_time; /* deduplication: the order is one time attribute and `last` is 1 */
} weir_rank;

/* The Top-N that a run of PROJECT and FILTER over a WINDOW stands for. *out_found false: it is none, but perhaps an
 * OVER aggregate. WEIR_UNSUPPORTED where Flink refuses it. `input`: of the WINDOW's input. */
int weir_rank_of_window(const weir_flat_plan *flat, const weir_stream_traits *input, weir_rank *out, bool *out_found,
                        weir_error *err);

/* Of a SORT. *out_found false: there is no LIMIT. */
int weir_rank_of_sort(const weir_plan *sort, weir_rank *out, bool *out_found, weir_error *err);

/* The Top-N at the bottom of a run of PROJECT and FILTER, or the SORT where that is given, with what changes it gives.
 * *out_found false: it is none. */
int weir_stream_rank_of(const weir_flat_plan *flat, const weir_plan *sort, weir_arena *arena, weir_rank *out,
                        bool *out_found, const weir_stream_traits **out_traits, weir_error *err);

/* Whether it never takes back a row over inserts: rows that come first stay. */
bool weir_rank_only_inserts(const weir_rank *rank);

#endif
