/* Index manifests: which index files a snapshot has. A snapshot names one, which is complete: a commit that changes
 * index files writes a new one, the others carry it on.
 *
 * Format: spec "Index manifest record"; source of truth org.apache.paimon.manifest.IndexManifestEntry. */
#ifndef WEIR_META_INDEX_MANIFEST_H
#define WEIR_META_INDEX_MANIFEST_H

#include "meta/manifest.h"

#define WEIR_HASH_INDEX             "HASH"
#define WEIR_DELETION_VECTORS_INDEX "DELETION_VECTORS"

/* Where the deletion vector of a data file lies in an index file. */
typedef struct weir_deletion_range {
    const char *data_file;
    int32_t offset;
    int32_t length;
    int64_t cardinality; /* -1: not given */
} weir_deletion_range;

/* What an index over a whole table tells of itself. */
typedef struct weir_global_index {
    int64_t row_range_start;
    int64_t row_range_end;
    int32_t field_id;
    bool has_extra_fields;
    int32_t *extra_fields;
    int32_t extra_field_count;
    bool has_meta;
    weir_slice meta;
    bool has_source; /* tells what it was made from, as later Paimon does: such an entry is not written again */
} weir_global_index;

typedef struct weir_index_file {
    const char *type; /* WEIR_HASH_INDEX, WEIR_DELETION_VECTORS_INDEX, or one that is only carried on */
    const char *name;
    int64_t size_bytes;
    int64_t row_count;
    bool has_ranges;
    weir_deletion_range *ranges;
    int32_t range_count;
    const char *external_path; /* NULL: none */
    weir_global_index *global; /* NULL: none */
} weir_index_file;

typedef struct weir_index_entry {
    weir_file_kind kind;
    weir_slice partition; /* serialized BinaryRow */
    int32_t bucket;
    const weir_index_file *file;
} weir_index_entry;

typedef struct weir_index_entries {
    weir_index_entry *items;
    size_t count;
    size_t capacity;
} weir_index_entries; /* the array is malloc'd, what it points to lives in an arena */

/* Appends an entry; what it points to is borrowed. */
void weir_index_entries_append(weir_index_entries *entries, weir_index_entry entry);
void weir_index_entries_free(weir_index_entries *entries);

/* Deep copy. */
weir_index_file *weir_index_file_copy(weir_arena *arena, const weir_index_file *file);

/* Where an index file lies: beside the data files of its bucket where the table keeps them there. */
int weir_index_file_path(weir_arena *arena, const weir_table_paths *paths, const weir_schema *schema,
                         const weir_index_entry *entry, const char **out, weir_error *err);

/* Appends the entries of an index manifest; all are ADD. */
int weir_index_manifest_read(weir_fs *fs, const weir_table_paths *paths, const char *name, weir_arena *arena,
                             weir_index_entries *out, weir_error *err);

/* Writes one, named "index-manifest-<uuid>-0". WEIR_UNSUPPORTED with an entry that would lose something by it. */
int weir_manifest_writer_write_index(weir_manifest_writer *writer, const weir_index_entries *entries,
                                     const char **out_name, weir_error *err);

#endif
