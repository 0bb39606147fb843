/* Manifests: which files were added and deleted; manifest lists: which manifests make a snapshot.
 *
 * Format: spec "Manifest list, manifest, index manifest"; source of truth org.apache.paimon.manifest.*. Avro container
 * files; the table's manifest.compression decides the codec. */
#ifndef WEIR_META_MANIFEST_H
#define WEIR_META_MANIFEST_H

#include "meta/data_file.h"
#include "meta/path.h"
#include "meta/snapshot.h"
#include "vector/predicate.h"

typedef enum weir_file_kind { WEIR_FILE_ADD = 0, WEIR_FILE_DELETE = 1 } weir_file_kind;

typedef struct weir_manifest_entry {
    weir_file_kind kind;
    weir_slice partition; /* serialized BinaryRow */
    int32_t bucket;
    int32_t total_buckets;
    weir_data_file *file;
} weir_manifest_entry;

typedef struct weir_manifest_entries {
    weir_manifest_entry *items;
    size_t count;
    size_t capacity;
} weir_manifest_entries; /* the array is malloc'd, what it points to lives in an arena */

/* Appends an entry; what it points to is borrowed. */
void weir_manifest_entries_append(weir_manifest_entries *entries, weir_manifest_entry entry);
void weir_manifest_entries_free(weir_manifest_entries *entries);

/* By partition and bucket, the files of a bucket by age. */
void weir_manifest_entries_sort(weir_manifest_entries *entries);
/* By partition and bucket alone; those of a bucket stay in the order in which they were committed. */
void weir_manifest_entries_group(weir_manifest_entries *entries);

/* One manifest, as a manifest list holds it. */
typedef struct weir_manifest_file {
    const char *name;
    int64_t size_bytes;
    int64_t added_files;
    int64_t deleted_files;
    weir_stats_row partition_stats;
    int64_t schema_id;
    int32_t min_bucket, max_bucket; /* -1: not given (real buckets are >= 0, or -2 postponed: has_buckets says) */
    int32_t min_level, max_level;
    bool has_buckets;
    bool has_levels;
    int64_t min_row_id, max_row_id; /* -1: not given */
} weir_manifest_file;

typedef struct weir_manifest_files {
    weir_manifest_file *items;
    size_t count;
    size_t capacity;
} weir_manifest_files;

/* Appends a description; what it points to is borrowed. */
void weir_manifest_files_append(weir_manifest_files *files, weir_manifest_file file);
void weir_manifest_files_free(weir_manifest_files *files);

/* What weir_snapshot_files found, for people. */
typedef struct weir_manifest_counts {
    int64_t manifests;      /* of the snapshot */
    int64_t manifests_read; /* the others cannot hold what was asked for */
    int64_t files;          /* live ones of the snapshot, by what its manifest lists tell */
} weir_manifest_counts;

/* What to read from manifests: NULL members and negative numbers ask for everything. Entries that are left out by
 * partition or bucket are not decoded any further. Many threads may ask at a time. */
typedef struct weir_manifest_filter {
    int32_t bucket; /* -1: any */
    int32_t
        total_buckets; /* `bucket` is one of so many, entries of partitions with another number pass; 0: any number */
    int32_t min_level; /* -1: any */
    bool (*partition_matches)(void *context, weir_slice partition);
    /* Whether a manifest may hold such a partition, by its bounds: a column for each partition key. It is not read
     * otherwise. Asked by weir_snapshot_files alone. */
    bool (*manifest_matches)(void *context, const weir_column_stats *partitions);
    void *partition_context;      /* of both */
    bool without_stats;           /* value statistics are not needed */
    weir_manifest_counts *counts; /* to be added to by weir_snapshot_files; NULL: not wanted */
} weir_manifest_filter;

/* Appends to `out`. */
int weir_manifest_list_read(weir_fs *fs, const weir_table_paths *paths, const char *name, weir_arena *arena,
                            weir_manifest_files *out, weir_error *err);
int weir_manifest_read(weir_fs *fs, const weir_table_paths *paths, const char *name, const weir_manifest_filter *filter,
                       weir_arena *arena, weir_manifest_entries *out, weir_error *err);

/* Writes manifests of one commit. Names are "manifest-<uuid>-<n>" and "manifest-list-<uuid>-<n>"; everything written is
 * remembered, so that a failed attempt can be cleaned up. */
typedef struct weir_manifest_writer {
    weir_fs *fs;
    const weir_table_paths *paths;
    const weir_schema *schema;
    weir_arena *arena;
    char manifest_uuid[37];
    char list_uuid[37];
    int32_t manifest_count;
    int32_t list_count;
    const char **written; /* paths */
    size_t written_count;
    size_t written_capacity;
} weir_manifest_writer;

void weir_manifest_writer_init(weir_manifest_writer *writer, weir_fs *fs, const weir_table_paths *paths,
                               const weir_schema *schema, weir_arena *arena);
void weir_manifest_writer_free(weir_manifest_writer *writer);

/* Writes entries as one or more manifests (rolled at manifest.target-file-size) and appends their descriptions. */
int weir_manifest_writer_write(weir_manifest_writer *writer, const weir_manifest_entry *entries, size_t count,
                               weir_manifest_files *out, weir_error *err);
int weir_manifest_writer_write_list(weir_manifest_writer *writer, const weir_manifest_files *files,
                                    const char **out_name, int64_t *out_size, weir_error *err);
/* Removes everything written so far (best effort). */
void weir_manifest_writer_abandon(weir_manifest_writer *writer);
/* Syncs the manifest folder. */
int weir_manifest_writer_sync(weir_manifest_writer *writer, weir_error *err);

/* Folds entries in order: an ADD cancelled by a later DELETE of the same file (partition, bucket, level, name)
 * vanishes; what remains is compacted in place. A DELETE without its ADD stays (`keep_deletes`) or is WEIR_CORRUPT. */
int weir_manifest_entries_fold(weir_manifest_entries *entries, bool keep_deletes, weir_error *err);

/* The manifests of the next snapshot's base list: the previous base and delta manifests, merged as
 * manifest.target-file-size, manifest.merge-min-count and manifest.full-compaction-threshold-size ask. */
int weir_manifest_merge(weir_manifest_writer *writer, const weir_manifest_files *previous, weir_manifest_files *out,
                        weir_error *err);

/* All live files of a snapshot: base and delta folded, filtered. Manifests are read in parallel where `pool` is given.
 * Entries live in `arena`. */
struct weir_pool;
int weir_snapshot_files(weir_fs *fs, const weir_table_paths *paths, const weir_schema *schema,
                        const weir_snapshot *snapshot, const weir_manifest_filter *filter, struct weir_pool *pool,
                        weir_arena *arena, weir_manifest_entries *out, weir_error *err);

#endif
