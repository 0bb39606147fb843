/* Merging in two phases; see merge.h.
 *
 *   weir_merge_open(context, partition, bucket, runs, …, &merge, err);
 *   while ((code = weir_merge_next(merge, 65536, err)) == WEIR_OK) {
 *       merge->row_count rows: kinds, sequence_numbers, has_previous …
 *       weir_merge_column(merge, 3, &vector, err);   // any columns, in any order, also none
 *   }                                                // WEIR_END when through
 */
#ifndef WEIR_MERGE_READER_H
#define WEIR_MERGE_READER_H

#include "merge/sorted_run.h"
#include "vector/sort_key.h"

/* Rows of older levels that the runs of a compaction do not reach down to. */
typedef struct weir_merge_older {
    void *context;
    /* Looks up keys (ascending positions into `keys`, which are in order): those of a window that have a row in level 0
     * and none above it. found[i] tells whether there is a row of key wanted[i], of any kind; of those found, in order,
     * kinds and sequence numbers. */
    int (*find)(void *context, const weir_sort_keys *keys, const uint32_t *wanted, int64_t count, bool *found,
                int8_t *out_kinds, int64_t *out_sequence_numbers, weir_error *err);
    /* Appends column `column` of the schema of the rows that the last find found, in order. */
    int (*column)(void *context, int32_t column, weir_vector *out, weir_error *err);
} weir_merge_older;

typedef struct weir_merge_options {
    bool keep_deletes; /* rows whose kind is -U or -D come out too, with that kind */
    /* For changelogs: tell for each key that has a row below previous_level (0: as 1) what its row in that level or
     * above was, of several the newest. Keys without a row below it come out as well, with
     * from_level_zero false. The changelog producer lookup wants 1, full-compaction the top level. */
    bool want_previous;
    int32_t previous_level;
    /* A key of a single row is folded as any other, rather than left as it is: compactions of level 0 that look older
     * rows up do so. */
    bool folds_lone_rows;
    /* Compactions leave out rows that are older than record-level.expire-time, before anything is merged. */
    bool drop_expired;
    /* Where rows that older levels have of the window's keys are looked up; NULL: nowhere. They take part in the merge
     * as if they were rows of one more run. Borrowed. */
    const struct weir_merge_older *older;
    /* Only keys in [lower, upper), as sort keys (memcmp order); an empty slice does not bound. Borrowed. Of keys that
     * are whole in their prefix the bound is the prefix as eight big-endian bytes. */
    weir_slice lower_key;
    weir_slice upper_key;
    /* A predicate over positions in `columns`; only what it says of key columns counts. Of keys that do not match, any
     * version or none may come out, so the reader must filter what it gets by this predicate. */
    const weir_predicate *key_predicate;
    /* At most so many runs are merged at a time (0: all at once), the others before, into temporary files: for those
     * who found that memory is short. */
    int32_t max_runs;
} weir_merge_options;

typedef struct weir_merge_reader {
    /* The current window. */
    int64_t row_count;
    int64_t *sequence_numbers;
    int8_t *kinds;
    /* With want_previous, of each row's key (level 0 standing for all below previous_level): */
    bool *from_level_zero;      /* it has a row in level 0 */
    bool *met_above_level_zero; /* it has a row above level 0, of any kind, looked up or not */
    bool *has_previous;         /* it has one that is no delete (only told for keys with a row in level 0) */
    /* Sort keys of the window's rows (for lookups of older values); valid until the next window. */
    weir_sort_keys keys;
} weir_merge_reader;

/* `columns` are positions in the context's schema. What becomes of the rows of one key is told in merge_engine.h. Of
 * two the newer is that with the greater values of sequence.field, where the table has one (NULL before all), then with
 * the greater sequence number, then that of the run that stands later in `runs`. Two rows of one key in one run are
 * WEIR_CORRUPT. Runs are borrowed. */
int weir_merge_open(const weir_table_context *context, weir_slice partition, int32_t bucket,
                    const weir_sorted_run *runs, int32_t run_count, const int32_t *columns, int32_t column_count,
                    const weir_merge_options *options, weir_merge_reader **out, weir_error *err);
int weir_merge_next(weir_merge_reader *merge, int64_t max_rows, weir_error *err);
/* Leaves only some of the window's rows (ascending), for those who need no more of it; not with want_previous, and of
 * what the window tells of its rows only row_count, kinds and columns hold from then on. */
int weir_merge_keep(weir_merge_reader *merge, const uint32_t *rows, int64_t count, weir_error *err);
/* Appends column `column` (a position in `columns`) of the window's rows. */
int weir_merge_column(weir_merge_reader *merge, int32_t column, weir_vector *out, weir_error *err);
/* The same of the previous rows: one value for each row of the window that has_previous, in order. */
int weir_merge_previous_column(weir_merge_reader *merge, int32_t column, weir_vector *out, weir_error *err);
void weir_merge_close(weir_merge_reader *merge);

/* Cuts the keys of some runs into about `parts` ranges of equal weight, by sampled keys: `out_bounds` gets parts - 1 or
 * fewer bounds for lower_key and upper_key, ascending, in `arena`. */
int weir_merge_split_keys(const weir_table_context *context, weir_slice partition, int32_t bucket,
                          const weir_sorted_run *runs, int32_t run_count, int32_t parts, weir_arena *arena,
                          weir_slice **out_bounds, int32_t *out_count, weir_error *err);

#endif
