/* One sorted run in a merge: its files, opened when they are reached, and the keys of its rows in blocks.
 *
 * A block holds what phase one needs of some thousand rows: sort keys, sequence numbers, kinds, and the values of the
 * table's sequence.field. Rows are counted through all files of the run ("run rows").
 *
 * Each file is opened twice, for keys and, when phase two first asks, for values: the two phases stand at different
 * rows, and a reader likes to go forward. Files are kept until phase two is through with them. */
#ifndef WEIR_MERGE_RUN_CURSOR_H
#define WEIR_MERGE_RUN_CURSOR_H

#include "merge/age_order.h"
#include "merge/loser_tree.h"
#include "merge/sorted_run.h"
#include "vector/sort_key.h"

/* What all runs of a merge share. */
typedef struct weir_merge_source {
    const weir_table_context *context;
    const char *bucket_path;
    const weir_field *key_fields; /* key columns | _SEQUENCE_NUMBER | _VALUE_KIND | columns of sequence.field */
    int32_t key_field_count;
    int32_t key_count;
    weir_age_order order;           /* sequence.field */
    const weir_field *value_fields; /* the columns that were asked for, and those that merging needs beside them */
    const int32_t *value_columns;   /* their positions in the schema */
    int32_t value_field_count;
    int32_t *identity; /* 0, 1, 2, …: positions of key columns in a batch of keys */
    int64_t block_rows;
    weir_slice lower_key; /* [lower, upper); empty: unbounded */
    weir_slice upper_key;
    const weir_predicate *predicate; /* over key columns, by their positions in `key_fields`; NULL: none */
    /* Bytes that all keys begin with (as sort keys that are not whole). Entries in the loser tree are made of what
     * follows. */
    const uint8_t *shared;
    size_t shared_size;
} weir_merge_source;

static inline const weir_field *weir_merge_source_order_fields(const weir_merge_source *source)
{
    return source->key_fields + source->key_count + 2;
}

/* A file of a run that phase one has come to. */
typedef struct weir_run_file {
    const weir_data_file *file;
    int64_t first_row;          /* the run row of its first row */
    weir_format_reader *values; /* NULL until it is asked for */
} weir_run_file;

/* The reader of the file's values. */
int weir_run_file_values(const weir_merge_source *source, weir_run_file *file, weir_format_reader **out,
                         weir_error *err);

typedef struct weir_run_cursor {
    const weir_merge_source *source;
    const weir_sorted_run *run;
    uint32_t number; /* of the run in the merge */

    weir_run_file *files; /* in order; keys are read from the last */
    size_t file_count;
    size_t file_capacity;
    int32_t next_file;              /* the next of the run's files to come to */
    int64_t next_file_row;          /* its first run row */
    weir_format_reader *key_reader; /* of the last file */
    weir_row_ranges ranges;         /* rows of the last file that may matter */
    size_t range;                   /* being read */
    int64_t range_done;             /* rows of it that were read */
    int32_t level;                  /* of the last file */

    /* The block. */
    weir_batch key_columns;
    weir_sort_keys keys;
    weir_loser_entry *entries; /* of keys that are not whole */
    size_t entry_capacity;
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
/* Lets go of the files that lie before the one whose keys are being read. */
void weir_run_cursor_release(weir_run_cursor *cursor);
void weir_run_cursor_close(weir_run_cursor *cursor);

/* The entry of the current row in the loser tree. */
static inline weir_loser_entry weir_run_cursor_entry(const weir_run_cursor *cursor, bool whole)
{
    return whole ? (weir_loser_entry)cursor->keys.prefixes[cursor->position] << 64 | cursor->number
                 : cursor->entries[cursor->position];
}

/* Compares the current keys of two runs beyond the 14 bytes that their entries have in common. */
int weir_run_cursor_compare_rest(const weir_run_cursor *a, const weir_run_cursor *b);

#endif
