/* table: a lake table as a whole: planning, reading, streaming, writing, committing, expiring.
 *
 *   table.h       opening a table, with dynamic options (this file)
 *   scan/         from a snapshot (or tag, time, range) to splits, with pruning; the changes of a table, snapshot after
 *                 snapshot; counts and bounds without reading
 *   read/         from a split to batches; what readers of this process still need
 *   lookup/       rows by their keys
 *   write/        rows to the writers of their buckets, to be committed; dedicated compaction, beside those who write
 *   commit/       commit messages to snapshots
 *   maintenance/  expiring, tags, branches, rolling back, orphans, marking partitions as complete, statistics
 *   system/       what a table tells about itself, as rows
 *
 * Threading: an opened table is shared by threads; scans, reads and writes made from it belong to one thread each. */
#ifndef WEIR_TABLE_H
#define WEIR_TABLE_H

#include "file/file.h"
#include "meta/meta.h"
#include "vector/bucket.h"

typedef struct weir_table {
    weir_arena arena;
    weir_table_context context;
    const char *path;           /* the table's folder */
    const char *branch;         /* NULL: main */
    const weir_schema *schema;  /* the schema in use, dynamic options merged in; the same as context.schema */
    int64_t latest_schema_id;
} weir_table;

typedef struct weir_table_open_options {
    const weir_options *dynamic_options; /* of a hint or --option; NULL: none. They take precedence */
    const char *branch;                  /* NULL: main */
    bool for_stream;                     /* scan.* options say where a stream starts; the schema stays the latest */
    weir_pool *pool;                     /* NULL: single-threaded */
    weir_budget *budget;                 /* NULL: unbounded */
    weir_table_metrics *metrics;         /* what the table does is counted here; NULL: nowhere. Borrowed */
} weir_table_open_options;

/* Opens the table in the folder `path` of `fs`. WEIR_NOT_FOUND when there is none. Dynamic options are checked; those
 * that would change how data lie (bucket, primary-key, file layout) are refused. When the options ask for an older
 * snapshot or tag (scan.snapshot-id, scan.tag-name, …), the schema in use is that snapshot's. */
int weir_table_open(weir_fs *fs, const char *path, const weir_table_open_options *options, weir_table **out,
                    weir_error *err);
void weir_table_close(weir_table *table);

static inline bool weir_table_has_primary_key(const weir_table *table)
{
    return table->schema->primary_key_count > 0;
}

/* Number of buckets by the option: > 0 fixed, -1 unaware (append) or dynamic (primary key), -2 postponed. */
int weir_table_bucket_count(const weir_table *table, int32_t *out, weir_error *err);

/* How a bucket follows from its columns: bucket-function.type. */
int weir_table_bucket_function(const weir_table *table, weir_bucket_function *out, weir_error *err);

/* Columns that decide the bucket: bucket-key, or the trimmed primary key. Positions in schema->fields; they live in
 * `arena` or are the schema's own. */
int weir_table_bucket_columns(const weir_table *table, weir_arena *arena, const int32_t **out, int32_t *out_count,
                              weir_error *err);

#endif
