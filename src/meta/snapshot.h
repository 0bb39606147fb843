/* Snapshots, tags and decoupled changelogs: JSON files under snapshot/, tag/ and changelog/.
 *
 * Format: spec "Snapshot JSON", version 3; source of truth org.apache.paimon.Snapshot. */
#ifndef WEIR_META_SNAPSHOT_H
#define WEIR_META_SNAPSHOT_H

#include "fs/fs.h"

typedef enum weir_commit_kind {
    WEIR_COMMIT_APPEND,
    WEIR_COMMIT_COMPACT,
    WEIR_COMMIT_OVERWRITE,
    WEIR_COMMIT_ANALYZE
} weir_commit_kind;

const char *weir_commit_kind_name(weir_commit_kind kind); /* "APPEND", … */

#define WEIR_BATCH_COMMIT_IDENTIFIER INT64_MAX
#define WEIR_NO_WATERMARK            INT64_MIN

typedef struct weir_snapshot {
    int64_t id;
    int64_t schema_id;
    const char *base_manifest_list;
    int64_t base_manifest_list_size; /* -1: not given */
    const char *delta_manifest_list;
    int64_t delta_manifest_list_size;
    const char *changelog_manifest_list; /* NULL: none */
    int64_t changelog_manifest_list_size;
    const char *index_manifest; /* NULL: none */
    const char *commit_user;
    int64_t commit_identifier;
    weir_commit_kind commit_kind;
    int64_t time_ms;
    int64_t total_record_count;
    int64_t delta_record_count;
    int64_t changelog_record_count; /* -1: not given */
    int64_t watermark;              /* WEIR_NO_WATERMARK: none */
    bool has_watermark;
    const char *statistics; /* NULL: none */
    const char **property_keys;
    const char **property_values;
    int32_t property_count;
    int64_t next_row_id; /* -1: not given */
} weir_snapshot;

/* Reads the JSON of a snapshot into `arena`; `path` is for messages. WEIR_CORRUPT: it is none. And appends the JSON
 * that Paimon would write. */
int weir_snapshot_parse(weir_slice text, const char *path, weir_arena *arena, weir_snapshot **out, weir_error *err);
void weir_snapshot_format(const weir_snapshot *snapshot, weir_buffer *out);

/* `root` is the table's or branch's folder. WEIR_NOT_FOUND when the snapshot does not exist (any more). */
int weir_snapshot_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_snapshot **out,
                       weir_error *err);
/* Ids of the newest and oldest snapshot, by hint file and, where it is stale or absent, by listing. 0: none. */
int weir_snapshot_latest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err);
int weir_snapshot_earliest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err);

/* Makes the snapshot visible: WEIR_EXISTS when its id is taken (somebody else's commit; compare contents to find out
 * whether it was one's own). Then updates the hint. */
int weir_snapshot_publish(weir_fs *fs, const char *root, const weir_snapshot *snapshot, weir_error *err);
int weir_snapshot_write_hint(weir_fs *fs, const char *root, const char *hint /* "LATEST", "EARLIEST" */, int64_t id,
                             weir_error *err);

/* A tag is a snapshot under a name. */
int weir_tag_read(weir_fs *fs, const char *root, const char *name, weir_arena *arena, weir_snapshot **out,
                  weir_error *err);
int weir_tag_list(weir_fs *fs, const char *root, weir_arena *arena, const char ***out_names, size_t *out_count,
                  weir_error *err);

/* The branches of the table in `table_path`, in byte order. */
int weir_branch_list(weir_fs *fs, const char *table_path, weir_arena *arena, const char ***out_names, size_t *out_count,
                     weir_error *err);

/* The greatest id that the folder has, whatever the hint says; 0: none. */
int weir_snapshot_greatest_id(weir_fs *fs, const char *root, int64_t *out, weir_error *err);
/* Takes a snapshot back that was just published behind others, of which `greatest` is the last, and with it the hint. */
void weir_snapshot_withdraw(weir_fs *fs, const char *root, int64_t id, int64_t greatest);

/* The latest snapshot whose time is at or before `time_ms`, or (`later`) the earliest one after it. *out NULL: none. */
int weir_snapshot_at_time(weir_fs *fs, const char *root, int64_t time_ms, bool later, weir_arena *arena,
                          weir_snapshot **out, weir_error *err);

/* changelog/changelog-<id> of a table whose changelogs outlive its snapshots. */
int weir_changelog_read(weir_fs *fs, const char *root, int64_t id, weir_arena *arena, weir_snapshot **out,
                        weir_error *err);

#endif
