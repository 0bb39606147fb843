/* A data file's rows in a local file that is made for finding single rows: the keys in order, beside each its row as
 * bytes. Parquet would have to decode a page for every row.
 *
 *   header | prefixes: 8 × rows | places of records: 8 × (rows + 1) | deletes: a bit a row | records
 *   record = [size of the key: 4 | key] | BinaryRow of the wanted columns
 *
 * Keys are sort keys (vector/sort_key.h); where they are whole in their prefixes records have none. The file has no
 * name: it goes with the process, however that ends. It is mapped, so the kernel keeps in memory what is in use.
 *
 * Threading: a lookup file may be searched by many threads at a time. */
#ifndef WEIR_LSM_LOOKUP_FILE_H
#define WEIR_LSM_LOOKUP_FILE_H

#include "file/file.h"
#include "vector/sort_key.h"

typedef struct weir_lookup_file weir_lookup_file;

/* Makes it from a data file in the folder `folder`, with these columns of the context's schema. WEIR_IO also for a full
 * disk. */
int weir_lookup_file_build(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                           const int32_t *columns, int32_t column_count, const char *folder, weir_lookup_file **out,
                           weir_error *err);

/* What it takes on disk. */
int64_t weir_lookup_file_bytes(const weir_lookup_file *file);

typedef enum weir_lookup_answer {
    WEIR_LOOKUP_NOTHING, /* the file says nothing of the key */
    WEIR_LOOKUP_DELETED,
    WEIR_LOOKUP_ROW
} weir_lookup_answer;

/* What the file says of key `k`; *out_row is its row, a BinaryRow, as long as the file is open. */
weir_lookup_answer weir_lookup_file_find(const weir_lookup_file *file, const weir_sort_keys *keys, int64_t k,
                                         weir_slice *out_row);

void weir_lookup_file_close(weir_lookup_file *file); /* NULL is fine */

#endif
