/* One sorted run in a merge: its files, opened when they are reached, and the keys of its rows in blocks.
 *
 * A block holds what phase one needs of some thousand rows: sort keys, sequence numbers, kinds, and the values of the
 * table's sequence.field. Rows are counted through all files of the run ("run rows"). Files stay open after their last
 * key was read, because phase two still gathers from them; weir_run_cursor_release lets go of those. */
#ifndef WEIR_MERGE_RUN_CURSOR_H
#define WEIR_MERGE_RUN_CURSOR_H

#include "merge/loser_tree.h"
#include "merge/sorted_run.h"
#include "vector/sort_key.h"

/* What all runs of a merge share. The fields asked of every file are, in this order:
 *
 *   key columns | _SEQUENCE_NUMBER | _VALUE_KIND | columns of sequence.field | columns that were asked for */
typedef struct weir_merge_source {
    const weir_table_context *context;
    const char *bucket_path;
    const weir_field *fields;
    int32_t field_count;
    int32_t key_count;
    int32_t order_count; /* columns of sequence.field */
    int32_t *identity;   /* 0, 1, 2, …: positions of key columns in a batch of keys */
    int64_t block_rows;
    weir_slice lower_key; /* [lower, upper); empty: unbounded */
    weir_slice upper_key;
    const weir_predicate *predicate; /* over positions in `fields`; NULL: none */
} weir_merge_source;

static inline int32_t weir_merge_source_order_field(const weir_merge_source *source) { return source->key_count + 2; }
static inline int32_t weir_merge_source_value_field(const weir_merge_source *source)
{
    return source->key_count + 2 + source->order_count;
}

typedef struct weir_open_run_file {
    weir_format_reader *reader;
    int64_t first_row; /* the run row of its first row */
} weir_open_run_file;

typedef struct weir_run_cursor {
    const weir_merge_source *source;
    const weir_sorted_run *run;
    uint32_t number; /* of the run in the merge */

    weir_open_run_file *files; /* open ones, in order; keys are read from the last */
    size_t file_count;
    size_t file_capacity;
    int32_t next_file;     /* the next of the run's files to open */
    int64_t next_file_row; /* its first run row */
    weir_row_ranges ranges; /* rows of the last open file that may matter */
    size_t range;           /* being read */
    int64_t range_done;     /* rows of it that were read */
    bool in_level_zero;     /* the last open file */

    /* The block. */
    weir_batch key_columns;
    weir_sort_keys keys;
    uint64_t *tails; /* of keys that are not whole: bytes 8 to 13, and the number of the run */
    size_t tail_capacity;
    weir_vector sequence_numbers;
    weir_vector kinds;
    weir_batch order_columns;
    int64_t first_row; /* the run row of the block's first row */
    int64_t length;
    int64_t position;
    bool past_upper; /* no row after this block is below the upper bound */
    bool has_last_prefix;
    uint64_t last_prefix; /* of the last key of the block before */
    int64_t held_bytes;   /* taken from the budget */
} weir_run_cursor;

void weir_run_cursor_init(weir_run_cursor *cursor, const weir_merge_source *source, const weir_sorted_run *run,
                          uint32_t number);
/* Loads the next block that has rows, at position 0; WEIR_END when the run is through. */
int weir_run_cursor_next_block(weir_run_cursor *cursor, weir_error *err);
/* Closes the files that lie before the one whose keys are being read. */
void weir_run_cursor_release(weir_run_cursor *cursor);
void weir_run_cursor_close(weir_run_cursor *cursor);

/* The entry of the current row in the loser tree. */
static inline weir_loser_entry weir_run_cursor_entry(const weir_run_cursor *cursor, bool whole)
{
    uint64_t tail = whole ? cursor->number : cursor->tails[cursor->position];
    return (weir_loser_entry)cursor->keys.prefixes[cursor->position] << 64 | tail;
}

#endif
