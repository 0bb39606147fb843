/* Rolling writers of data files.
 *
 * A writer makes as many files as target-file-size asks for and describes each in a weir_data_file (key range, sequence
 * numbers, statistics, delete count). Rows must come in the order in which they shall stand in the file.
 *
 * Format: spec "Key-value data files"; source of truth org.apache.paimon.io.KeyValueDataFileWriter and
 * RowDataFileWriter. */
#ifndef WEIR_FILE_DATA_FILE_WRITER_H
#define WEIR_FILE_DATA_FILE_WRITER_H

#include "file/table_context.h"
#include "format/format.h"

typedef struct weir_data_file_writer weir_data_file_writer;

typedef enum weir_data_file_kind {
    WEIR_DATA_FILE_KEY_VALUE, /* _KEY_*, _SEQUENCE_NUMBER, _VALUE_KIND, columns */
    WEIR_DATA_FILE_CHANGELOG, /* the same columns, changelog-file.* options; not in key order */
    WEIR_DATA_FILE_APPEND     /* columns only */
} weir_data_file_kind;

typedef struct weir_data_file_writer_options {
    weir_data_file_kind kind;
    weir_slice partition; /* serialized; borrowed */
    int32_t bucket;
    int32_t level;
    weir_file_source source;
} weir_data_file_writer_options;

/* Gives column `column` of the context's schema for the rows being written: appends exactly that many values to `out`.
 */
typedef int (*weir_column_source)(void *argument, int32_t column, weir_vector *out, weir_error *err);

int weir_data_file_writer_create(const weir_table_context *context, const weir_data_file_writer_options *options,
                                 weir_data_file_writer **out, weir_error *err);

/* Writes `count` rows whose columns come one after the other from `source`, so that only one column need be in memory.
 * A file ends between two calls only: who has much to write makes several calls (of 65 536 rows, say).
 * `sequence_numbers` and `kinds` may be NULL for append files (sequence numbers then count on from
 * weir_data_file_writer_set_sequence). */
int weir_data_file_writer_write_columns(weir_data_file_writer *writer, int64_t count, const int64_t *sequence_numbers,
                                        const int8_t *kinds, weir_column_source source, void *argument,
                                        weir_error *err);

/* The same for rows that stand in a batch (with the schema's columns): rows `first` .. `first + count - 1`. */
int weir_data_file_writer_write_batch(weir_data_file_writer *writer, const weir_batch *batch, int64_t first,
                                      int64_t count, const int64_t *sequence_numbers, const int8_t *kinds,
                                      weir_error *err);

/* Bytes that wait for the end of their row group. */
int64_t weir_data_file_writer_memory(const weir_data_file_writer *writer);

/* The sequence number of the next row of an append file. */
void weir_data_file_writer_set_sequence(weir_data_file_writer *writer, int64_t next);

/* Ends the last file, synced, and appends the descriptions of all files to *files (deep in `arena`; the array is grown
 * with WEIR_GROW). The writer can only be closed after it. The bucket's folder is synced too. */
int weir_data_file_writer_finish(weir_data_file_writer *writer, weir_arena *arena, weir_data_file ***files,
                                 size_t *file_count, size_t *file_capacity, weir_error *err);

/* Without finish before it, removes everything that was written. NULL is fine. */
void weir_data_file_writer_close(weir_data_file_writer *writer);

#endif
