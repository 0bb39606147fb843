/* The live files of the latest snapshot, bucket by bucket: what bucket writers start from. Used by the
 * files of writing and compact.c. */
#ifndef WEIR_TABLE_BUCKET_FILES_H
#define WEIR_TABLE_BUCKET_FILES_H

#include "lsm/commit_message.h"
#include "table/table.h"

typedef struct weir_bucket_files {
    const weir_table *table;
    weir_arena arena;
    weir_manifest_entries entries; /* by partition and bucket */
    int64_t snapshot_id;           /* -1: not read */
} weir_bucket_files;

void weir_bucket_files_init(weir_bucket_files *files, const weir_table *table);
void weir_bucket_files_free(weir_bucket_files *files);

/* Reads them, unless they have been read of the latest snapshot already. */
int weir_bucket_files_read(weir_bucket_files *files, weir_error *err);
/* Lets go of what was read: it takes memory, and the next commit makes it stale. */
void weir_bucket_files_forget(weir_bucket_files *files);

/* Appends the files of one bucket (borrowed). WEIR_CONFLICT when the partition was written with another number of
 * buckets than `bucket_count` (<= 0: not looked at). */
int weir_bucket_files_of(const weir_bucket_files *files, weir_slice partition, int32_t bucket, int32_t bucket_count,
                         weir_file_list *out, weir_error *err);

/* The number of buckets of a partition, as its files in real buckets say; 0: it has none. */
int32_t weir_bucket_files_total(const weir_bucket_files *files, weir_slice partition);

#endif
