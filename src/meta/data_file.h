/* The description of one data file, as a manifest entry holds it. */
#ifndef WEIR_META_DATA_FILE_H
#define WEIR_META_DATA_FILE_H

#include "vector/binary_row.h"

/* Statistics rows as stored: serialized BinaryRows and null counts (-1: unknown), decoded when needed. */
typedef struct weir_stats_row {
    weir_slice min_values;
    weir_slice max_values;
    int64_t *null_counts; /* NULL when there are none */
    int32_t null_count_length;
} weir_stats_row;

typedef enum weir_file_source { WEIR_FILE_SOURCE_APPEND = 0, WEIR_FILE_SOURCE_COMPACT = 1 } weir_file_source;

/* Where the deletion vector of a file lies. */
typedef struct weir_deletion {
    const char *path; /* of the index file */
    int64_t offset;
    int32_t length;
    int64_t cardinality; /* of the rows that are gone; -1: not given */
} weir_deletion;

typedef struct weir_data_file {
    const char *name;
    int64_t size_bytes;
    int64_t row_count;  /* physical, deletes included */
    weir_slice min_key; /* serialized BinaryRow of the trimmed primary key; arity 0 for append tables */
    weir_slice max_key;
    weir_stats_row key_stats;
    weir_stats_row value_stats;
    int64_t min_sequence_number;
    int64_t max_sequence_number;
    int64_t schema_id;
    int32_t level;
    const char **extra_files;
    int32_t extra_file_count;
    int64_t creation_time_ms; /* the writer's local wall clock read as UTC; INT64_MIN: not given */
    int64_t delete_row_count; /* -1: not given */
    bool has_embedded_index;
    weir_slice embedded_index;
    int32_t file_source; /* weir_file_source; -1: not given */
    bool has_value_stats_columns;
    const char **value_stats_columns; /* value_stats covers these columns only, in this order */
    int32_t value_stats_column_count;
    const char *external_path; /* NULL: none */
    int64_t first_row_id;      /* -1: not given */
    bool has_write_columns;
    const char **write_columns;
    int32_t write_column_count;
    /* Not in the manifest: what a snapshot's index files say of it. NULL: all rows are there. Those who read the file
     * see the others only (data_file_reader.h). */
    const weir_deletion *deletion;
} weir_data_file;

/* Deep copy. */
weir_data_file *weir_data_file_copy(weir_arena *arena, const weir_data_file *file);

#endif
