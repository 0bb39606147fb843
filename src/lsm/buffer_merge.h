/* Merging the rows of a write buffer by the table's engine: of each key one row. Used by write_buffer.c only.
 *
 * Rows are sorted by key and arrival before. What is merged here is merged again with what other files hold; so deletes
 * stay, and a key of a single row keeps that row as it is. */
#ifndef WEIR_LSM_BUFFER_MERGE_H
#define WEIR_LSM_BUFFER_MERGE_H

#include "file/file.h"
#include "merge/age_order.h"
#include "merge/group_fold.h"
#include "vector/sort_key.h"

typedef struct weir_buffer_merge {
    weir_arena arena;
    weir_merge_engine engine;
    weir_age_order order;
    weir_fold fold;
} weir_buffer_merge;

/* WEIR_INVALID for options that contradict each other. The schema is borrowed. */
int weir_buffer_merge_init(weir_buffer_merge *merge, const weir_schema *schema, weir_error *err);
void weir_buffer_merge_free(weir_buffer_merge *merge);

/* Whether of each key the row that came last is all that stays. */
bool weir_buffer_merge_keeps_last(const weir_buffer_merge *merge);

/* The rows of a buffer, and their keys; `sorted` are positions of rows in key order. */
typedef struct weir_sorted_buffer {
    const weir_batch *rows;
    const int64_t *sequence_numbers;
    const weir_sort_keys *keys;
    uint32_t *sorted;
    int64_t count;
} weir_sorted_buffer;

/* Puts the rows of each key into the order of their age: by sequence.field where the table has one. */
void weir_buffer_merge_order(const weir_buffer_merge *merge, const weir_sorted_buffer *buffer);

/* Writes the row that comes of each key. WEIR_INVALID when the engine takes no deletes, and there are some. */
int weir_buffer_merge_write(weir_buffer_merge *merge, const weir_sorted_buffer *buffer, weir_data_file_writer *writer,
                            weir_error *err);

#endif
