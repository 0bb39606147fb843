/* The records of manifests and manifest lists as columns.
 *
 * Two layouts of the same records: the one that is written (all fields of Java 1.4, NOT NULL where Java says so), and
 * the one that is asked for when reading (later fields nullable, statistics left out when nobody needs them). */
#ifndef WEIR_META_MANIFEST_RECORD_H
#define WEIR_META_MANIFEST_RECORD_H

#include "format/avro/avro.h"
#include "format/format.h"
#include "meta/manifest.h"

/* Fields of a manifest entry and of its `_FILE`, in order; positions are those of the columns. */
typedef enum weir_entry_column {
    WEIR_ENTRY_VERSION,
    WEIR_ENTRY_KIND,
    WEIR_ENTRY_PARTITION,
    WEIR_ENTRY_BUCKET,
    WEIR_ENTRY_TOTAL_BUCKETS,
    WEIR_ENTRY_FILE,
    WEIR_ENTRY_COLUMNS
} weir_entry_column;

typedef enum weir_file_column {
    WEIR_FILE_NAME,
    WEIR_FILE_SIZE,
    WEIR_FILE_ROW_COUNT,
    WEIR_FILE_MIN_KEY,
    WEIR_FILE_MAX_KEY,
    WEIR_FILE_KEY_STATS,
    WEIR_FILE_VALUE_STATS,
    WEIR_FILE_MIN_SEQUENCE,
    WEIR_FILE_MAX_SEQUENCE,
    WEIR_FILE_SCHEMA_ID,
    WEIR_FILE_LEVEL,
    WEIR_FILE_EXTRA_FILES,
    WEIR_FILE_CREATION_TIME,
    WEIR_FILE_DELETE_ROW_COUNT,
    WEIR_FILE_EMBEDDED_INDEX,
    WEIR_FILE_SOURCE,
    WEIR_FILE_VALUE_STATS_COLUMNS,
    WEIR_FILE_EXTERNAL_PATH,
    WEIR_FILE_FIRST_ROW_ID,
    WEIR_FILE_WRITE_COLUMNS,
    WEIR_FILE_COLUMNS
} weir_file_column;

typedef enum weir_list_column {
    WEIR_LIST_VERSION,
    WEIR_LIST_FILE_NAME,
    WEIR_LIST_FILE_SIZE,
    WEIR_LIST_ADDED_FILES,
    WEIR_LIST_DELETED_FILES,
    WEIR_LIST_PARTITION_STATS,
    WEIR_LIST_SCHEMA_ID,
    WEIR_LIST_MIN_BUCKET,
    WEIR_LIST_MAX_BUCKET,
    WEIR_LIST_MIN_LEVEL,
    WEIR_LIST_MAX_LEVEL,
    WEIR_LIST_MIN_ROW_ID,
    WEIR_LIST_MAX_ROW_ID,
    WEIR_LIST_COLUMNS
} weir_list_column;

enum { WEIR_MANIFEST_VERSION = 2 };

extern const weir_field weir_entry_fields[WEIR_ENTRY_COLUMNS];
extern const weir_field weir_list_fields[WEIR_LIST_COLUMNS];

/* The fields to ask for when reading entries. */
const weir_field *weir_entry_fields_to_read(bool without_stats);

/* The hash of a key names another bucket where a partition has another number of them. */
static inline bool weir_manifest_filter_bucket_passes(const weir_manifest_filter *filter, int32_t bucket,
                                                      int32_t total_buckets)
{
    return filter->bucket < 0 || bucket == filter->bucket ||
           (filter->total_buckets > 0 && total_buckets != filter->total_buckets);
}

/* Appends the rows of a decoded batch that `filter` lets pass, copied into `arena`. */
int weir_entries_from_batch(const weir_batch *batch, const weir_manifest_filter *filter, const char *path,
                            weir_arena *arena, weir_manifest_entries *out, weir_error *err);
int weir_manifest_files_from_batch(const weir_batch *batch, const char *path, weir_arena *arena,
                                   weir_manifest_files *out, weir_error *err);

/* Appends rows to a batch of the written layout. */
int weir_entry_append(const weir_manifest_entry *entry, weir_batch *batch, weir_error *err);
int weir_manifest_file_append(const weir_manifest_file *file, weir_batch *batch, weir_error *err);

/* Starts a file of records under `path`, which the writer remembers; and appends rows to it. */
int weir_manifest_writer_open_records(weir_manifest_writer *writer, const char *path, const weir_field *fields,
                                      int32_t field_count, weir_format_writer **out, weir_error *err);
int weir_manifest_records_append(weir_format_writer *records, const weir_batch *batch, weir_error *err);

/* Appends the records of a manifest, Avro or ORC, that `choice` keeps (NULL: all) to `out`, a batch of the given
 * fields. */
int weir_manifest_records_read(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                               const weir_avro_choice *choice, weir_batch *out, weir_error *err);

#endif
