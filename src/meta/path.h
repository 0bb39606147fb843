/* Where things lie under a table's folder. All results are arena text. */
#ifndef WEIR_META_PATH_H
#define WEIR_META_PATH_H

#include "meta/data_file.h"
#include "meta/schema.h"

/* The bucket of rows that wait for their real one. */
#define WEIR_POSTPONED_BUCKET (-2)

/* Paths of one table (or branch): `root` holds schemas, snapshots and tags; manifests and data lie under `table`, which
 * is the same folder for the main branch. */
typedef struct weir_table_paths {
    const char *table;
    const char *root;
} weir_table_paths;

weir_table_paths weir_table_paths_of(weir_arena *arena, const char *table_path, const char *branch /* NULL: main */);

/* The path of a manifest, manifest list or index manifest by its name; in `arena`. */
const char *weir_manifest_path(weir_arena *arena, const weir_table_paths *paths, const char *name);

/* The folder of a bucket, with its partition and data-file.path-directory. */
int weir_bucket_path(weir_arena *arena, const weir_table_paths *paths, const weir_schema *schema, weir_slice partition,
                     int32_t bucket, const char **out, weir_error *err);

/* A data file in its bucket, or where its external path says. */
const char *weir_data_file_path(weir_arena *arena, const char *bucket_path, const weir_data_file *file);

/* The name of a new file: "<prefix><uuid>-<n>.<format>", or with the compression in it where the options ask for it. */
const char *weir_data_file_name(weir_arena *arena, const weir_schema *schema, const char *prefix, const char *uuid,
                                int64_t n, const char *format, const char *compression);

/* The format of a data file by its name ("parquet", "avro", …). */
const char *weir_data_file_format(const char *name);

#endif
