/* The changes of one snapshot to be, and whether they go together with a table's current files. Used by the files of
 * committing. */
#ifndef WEIR_TABLE_COMMIT_CHANGES_H
#define WEIR_TABLE_COMMIT_CHANGES_H

#include "lsm/commit_message.h"
#include "table/table.h"

/* The levels of a bucket that a compaction has told the changes of (weir_commit_message.seen_levels). */
typedef struct weir_seen_levels {
    weir_slice partition;
    int32_t bucket;
    uint64_t fingerprint;
} weir_seen_levels;

typedef struct weir_commit_changes {
    weir_commit_kind kind;
    weir_manifest_entries files;     /* ADD and DELETE, in order */
    weir_manifest_entries changelog; /* ADD only */
    weir_index_entries indexes;      /* DELETE and ADD */
    weir_index_entries relied;       /* index files whose keys must stand */
    weir_seen_levels *seen;
    size_t seen_count;
    size_t seen_capacity;
    bool places_keys; /* as in weir_commit_message */
    int64_t keys_as_of;
} weir_commit_changes;

void weir_commit_changes_free(weir_commit_changes *changes);
void weir_commit_changes_add_seen(weir_commit_changes *changes, weir_seen_levels seen);

/* Adds to `out` what `from` has, but for the levels seen, which hold at one moment only. What the entries point to is
 * copied into `arena`; NULL: it is shared. */
void weir_commit_changes_copy(const weir_commit_changes *from, weir_arena *arena, weir_commit_changes *out);
/* The same of single lists. */
void weir_commit_changes_copy_files(const weir_manifest_entries *from, weir_arena *arena, weir_manifest_entries *out);
void weir_commit_changes_copy_indexes(const weir_index_entries *from, weir_arena *arena, weir_index_entries *out);

/* The APPEND half and the COMPACT half of some messages. An APPEND half that deletes files is an OVERWRITE. */
void weir_commit_changes_append(const weir_commit_messages *messages, weir_commit_changes *out);
void weir_commit_changes_compact(const weir_commit_messages *messages, weir_commit_changes *out);

/* Removes the files that are added, except those that are in the table already, under another level. */
void weir_commit_changes_remove_files(const weir_table *table, const weir_commit_changes *changes);
/* The same of both halves of some messages. */
void weir_commit_changes_remove_files_of(const weir_table *table, const weir_commit_messages *messages);

static inline bool weir_commit_changes_are_empty(const weir_commit_changes *changes)
{
    return changes->files.count == 0 && changes->changelog.count == 0 && changes->indexes.count == 0;
}

/* Fails with WEIR_CONFLICT when the changes do not fit the files of `latest` (NULL: an empty table): a file to be
 * deleted that is not there, another number of buckets in a partition, overlapping key ranges in a level above 0, other
 * levels of a bucket than those whose changes were told, keys that somebody other than `commit_user` may have moved. */
int weir_commit_changes_check(const weir_table *table, const char *commit_user, const weir_snapshot *latest,
                              const weir_commit_changes *changes, weir_error *err);

#endif
