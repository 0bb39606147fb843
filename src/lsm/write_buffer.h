/* Rows of one bucket in memory: taken in the order of arrival, sorted and merged when they are flushed.
 *
 * Where spilling is on, rows that do not fit any longer go sorted into files of a local temporary folder; the flush
 * merges them, so that one commit still makes one level-0 run. Raw rows are needed for the input changelog, and engines
 * that make a row of several would make others of rows merged in another order; so there nothing is spilled: the buffer
 * is flushed to level 0 instead. */
#ifndef WEIR_LSM_WRITE_BUFFER_H
#define WEIR_LSM_WRITE_BUFFER_H

#include "lsm/buffer_merge.h"
#include "lsm/commit_message.h"
#include "merge/spill.h"

typedef struct weir_write_buffer {
    const weir_table_context *context;
    weir_batch rows; /* the schema's columns, kinds always there */
    int64_t *sequence_numbers;
    size_t sequence_capacity;
    weir_spill *spill; /* NULL: nothing spilled */
    weir_buffer_merge merge;
} weir_write_buffer;

/* WEIR_INVALID for merging options that contradict each other; the buffer is only good for freeing then. */
int weir_write_buffer_init(weir_write_buffer *buffer, const weir_table_context *context, weir_error *err);
void weir_write_buffer_free(weir_write_buffer *buffer); /* removes spilled files */

/* Takes the rows at `rows` (NULL: all) and numbers them from *next_sequence on, which is advanced. */
int weir_write_buffer_append(weir_write_buffer *buffer, const weir_batch *batch, const uint32_t *rows, int64_t count,
                             int64_t *next_sequence, weir_error *err);

/* Numbers the rows in memory anew from *next_sequence on, which is advanced: what others have written meanwhile is
 * older than what is still to be. */
void weir_write_buffer_renumber(weir_write_buffer *buffer, int64_t *next_sequence);

/* Whether it holds no rows, in memory or spilled. */
bool weir_write_buffer_is_empty(const weir_write_buffer *buffer);
/* What its rows take. Memory that it keeps for the rows to come is not counted: it would look full for ever. */
int64_t weir_write_buffer_bytes(const weir_write_buffer *buffer);
/* Gives back the memory of an empty buffer. */
void weir_write_buffer_release(weir_write_buffer *buffer);

/* Whether rows may be set aside. */
bool weir_write_buffer_can_spill(const weir_write_buffer *buffer);
/* Moves the rows in memory into a sorted file of the temporary folder. */
int weir_write_buffer_spill(weir_write_buffer *buffer, weir_error *err);

/* Writes one row a key to `data` in key order, and every row, in the order of keys and age, to `changelog` (NULL: none;
 * not after a spill). The buffer keeps its rows until they are safe: weir_write_buffer_clear.
 */
int weir_write_buffer_flush(weir_write_buffer *buffer, weir_data_file_writer *data, weir_data_file_writer *changelog,
                            weir_error *err);
void weir_write_buffer_clear(weir_write_buffer *buffer); /* forgets its rows; their memory is kept for others */

#endif
