/* What is needed to touch the files of one table. Made once per opened table and shared by its readers and writers. */
#ifndef WEIR_FILE_TABLE_CONTEXT_H
#define WEIR_FILE_TABLE_CONTEXT_H

#include "base/budget.h"
#include "base/pool.h"
#include "file/table_metrics.h"
#include "meta/meta.h"

/* Every schema version of a table that was needed so far. Thread-safe. */
typedef struct weir_schema_cache weir_schema_cache;

weir_schema_cache *weir_schema_cache_create(weir_fs *fs, const char *root);
void weir_schema_cache_free(weir_schema_cache *cache);
/* Borrowed until the cache is freed. */
int weir_schema_cache_get(weir_schema_cache *cache, int64_t id, const weir_schema **out, weir_error *err);

typedef struct weir_table_context {
    weir_fs *fs;
    weir_table_paths paths;
    const weir_schema *schema; /* the schema to read and write with, dynamic options merged into its options */
    weir_schema_cache *schemas;
    weir_pool *pool;     /* for reading and compacting; NULL: everything in the calling thread */
    weir_budget *budget; /* NULL: unbounded */
    weir_table_metrics *metrics; /* NULL: nobody wants to know. Borrowed */
} weir_table_context;

/* The schema of version `id`: the context's own, or one from the cache. Borrowed from the context. */
int weir_table_context_schema(const weir_table_context *context, int64_t id, const weir_schema **out, weir_error *err);

/* Removes a data file that no snapshot names, as well as it can: what stays behind is an orphan, not an error. */
void weir_table_context_remove_file(const weir_table_context *context, const char *bucket_path,
                                    const weir_data_file *file);

#endif
