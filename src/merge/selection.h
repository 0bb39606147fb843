/* Phase two of a merge: the values of the rows that phase one selected, one column at a time.
 *
 * A selection says for each output row which run it comes from, and for each run which rows of which files are
 * needed, ascending. A column is gathered run by run, so that each file is read forward, and then interleaved. */
#ifndef WEIR_MERGE_SELECTION_H
#define WEIR_MERGE_SELECTION_H

#include "merge/older_rows.h"

/* Rows of one file. */
typedef struct weir_selection_piece {
    weir_run_file *file;
    int64_t base;  /* the first row, in the file */
    int64_t first; /* in `rows` */
    int64_t count;
    bool is_dense; /* every row from `base` on: no gap */
} weir_selection_piece;

typedef struct weir_selection {
    int64_t count;
    size_t capacity;
    uint16_t *runs;         /* of each output row */
    int64_t *run_rows;      /* of each output row: its row in the run */
    uint32_t *rows;         /* run after run, relative to the base of their piece */
    int32_t run_count;      /* with one more for rows that were looked up, where there are */
    weir_older_rows *older; /* they are those of the last run; NULL: none */
    int64_t *run_starts;    /* into rows, run_count + 1 */
    size_t *piece_starts;   /* into pieces, run_count + 1 */
    weir_selection_piece *pieces;
    size_t piece_count;
    size_t piece_capacity;
    weir_vector *scratch; /* one a run */
    const weir_type *scratch_type;
} weir_selection;

/* `older` (NULL: none) is borrowed. */
void weir_selection_init(weir_selection *selection, int32_t run_count, weir_older_rows *older);
void weir_selection_free(weir_selection *selection);
/* Makes room for `count` rows in runs and run_rows. */
int weir_selection_reserve(weir_selection *selection, int64_t count, weir_error *err);
/* After runs, run_rows and count were set: sorts the rows out by run and file. */
void weir_selection_build(weir_selection *selection, const weir_run_cursor *cursors);
/* Appends value field `column` of the selected rows, in order. */
int weir_selection_gather(weir_selection *selection, const weir_merge_source *source, int32_t column, weir_vector *out,
                          weir_error *err);

#endif
