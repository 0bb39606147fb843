/* Rows of system tables, appended value after value. Used by the system_*.c files only. */
#ifndef WEIR_TABLE_SYSTEM_ROWS_H
#define WEIR_TABLE_SYSTEM_ROWS_H

#include "table/system/system_table.h"

/* The types of their columns. */
extern const weir_type weir_system_bigint, weir_system_bigint_null, weir_system_int, weir_system_text,
    weir_system_text_null, weir_system_time, weir_system_time_null, weir_system_texts_null;

typedef struct weir_system_rows {
    weir_batch *batch;
    int32_t column; /* that comes next */
    int code;       /* of the first value that could not be appended */
    weir_error *err;
} weir_system_rows;

static inline weir_system_rows weir_system_rows_of(weir_batch *batch, weir_error *err)
{
    return (weir_system_rows){.batch = batch, .code = WEIR_OK, .err = err};
}

/* Append the next column's value to the row at hand: texts are copied, times are milliseconds since 1970. What fails is
 * told by weir_system_end_row. */
void weir_system_put_null(weir_system_rows *rows);
void weir_system_put_bigint(weir_system_rows *rows, int64_t value);
void weir_system_put_count(weir_system_rows *rows, int64_t value); /* NULL when negative */
void weir_system_put_int(weir_system_rows *rows, int32_t value);
void weir_system_put_text(weir_system_rows *rows, const char *value); /* NULL gives NULL */
void weir_system_put_buffer(weir_system_rows *rows, const weir_buffer *value);
void weir_system_put_time(weir_system_rows *rows, int64_t ms);
void weir_system_put_texts(weir_system_rows *rows, const char *const *values, int32_t count);
/* Ends the row; the code of the first failure so far. */
int weir_system_end_row(weir_system_rows *rows);

/* What the files define, for the list in system_table.c. */
extern const weir_field weir_snapshot_columns[14], weir_tag_columns[7], weir_branch_columns[2],
    weir_consumer_columns[2], weir_statistics_columns[5], weir_schema_columns[7], weir_option_columns[2],
    weir_aggregation_columns[5], weir_file_columns[20], weir_partition_columns[9], weir_bucket_columns[6],
    weir_manifest_columns[9];

/* Append all rows of a table's system table of that name to `out`, which has the columns above. */
int weir_system_read_snapshots(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_tags(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_branches(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_consumers(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_statistics(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_schemas(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_options(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_aggregation_fields(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_files(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_partitions(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_buckets(const weir_table *table, weir_batch *out, weir_error *err);
int weir_system_read_manifests(const weir_table *table, weir_batch *out, weir_error *err);

#endif
