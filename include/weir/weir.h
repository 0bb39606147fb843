/* libweir: read and write Apache Paimon tables from C.
 *
 * This is the one public header of the library. Data go in and out through the Arrow C data and stream
 * interfaces; everything else is small opaque handles.
 *
 *   Tables        weir_lake_table_open, _close, _schema, _describe, _latest_snapshot, _create
 *   Reading       weir_lake_table_read; weir_read_plan_make, _split_count, _split, _read, _free
 *   Changes       weir_change_stream_open, _next, _position, _restore, _stop_after, _close
 *   Writing       weir_writer_open, _write, _write_stream, _prepare, _commit, _replay, _overwrite, _verify, _abort,
 *                 _close; weir_prepared_is_empty, _save, _load, _free
 *   Maintenance   weir_lake_table_compact, _expire
 *
 * Conventions
 *   - Every fallible function returns a weir_code and fills the caller's weir_error, which may be NULL.
 *   - Out-parameters come last before the error, are set only on success, and the caller owns them.
 *   - weir_x_free(x) and weir_x_close(x) take NULL.
 *   - A handle is used by one thread at a time, unless it says otherwise; different handles may be used by different
 *     threads.
 *   - Structs that the caller fills may be zeroed: every member then has its default. Text is UTF-8.
 *
 * examples/c/read_write.c is a program that uses all of it; examples/python/read_table.py reads a table through ctypes.
 */
#ifndef WEIR_WEIR_H
#define WEIR_WEIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WEIR_API __attribute__((visibility("default")))
#else
#define WEIR_API
#endif

/* The Arrow C data interface: columns in memory, handed over with a function that releases them. The layout is fixed by
 * https://arrow.apache.org/docs/format/CDataInterface.html; a program may have these definitions from elsewhere. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE           2
#define ARROW_FLAG_MAP_KEYS_SORTED    4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif

/* The Arrow C stream interface: https://arrow.apache.org/docs/format/CStreamInterface.html. */
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif

/* What went wrong, in as few kinds as a caller can act upon. */
typedef enum weir_code {
    WEIR_OK = 0,
    WEIR_INVALID,     /* the request itself is wrong: SQL, an option, an argument */
    WEIR_NOT_FOUND,   /* a file, table, snapshot or name that does not exist */
    WEIR_EXISTS,      /* it exists already */
    WEIR_CORRUPT,     /* bytes on disk are not what the format says */
    WEIR_CONFLICT,    /* somebody else committed something that excludes this change */
    WEIR_RETRY,       /* may succeed when tried again */
    WEIR_DENIED,      /* no permission */
    WEIR_NO_MEMORY,   /* the memory budget does not allow it */
    WEIR_UNSUPPORTED, /* valid, but not offered by this version */
    WEIR_IO,          /* the operating system or the store failed */
    WEIR_CANCELLED,   /* stopped by the user */
    WEIR_END,         /* not an error: nothing more will come */
    WEIR_IDLE         /* not an error: nothing now, ask again later */
} weir_code;

#define WEIR_ERROR_MESSAGE_SIZE 1024

/* The reason for a failure, owned by the caller. The message says what is wrong, where, and what to do. */
typedef struct weir_error {
    weir_code code;
    int32_t line;   /* position in the SQL text, from 1; 0 when there is none */
    int32_t column; /* in characters, from 1; 0 when there is none */
    char message[WEIR_ERROR_MESSAGE_SIZE];
} weir_error;

/* The version of the library, such as "0.1.0". Static memory. */
WEIR_API const char *weir_version(void);

/* The name of a code, such as "not found". Static memory. */
WEIR_API const char *weir_code_name(int code);

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

/* A table option, or a setting of one call: keys as Paimon names them ("bucket", "scan.snapshot-id"). */
typedef struct weir_property {
    const char *key;
    const char *value;
} weir_property;

/* An opened table: its schema as of the moment it was opened, its threads and its memory.
 *
 * What is made from a table (plans, streams, writers) keeps what it needs of it: a table may be closed before them.
 * Threading: an opened table may be used by several threads at a time. */
typedef struct weir_lake_table weir_lake_table;

/* How to open a table. Zeroed: the main branch as it is now, unbounded memory, one thread a processor. */
typedef struct weir_open_settings {
    /* Options for this use of the table, on top of those that are stored with it. They say which state is read
     * (scan.snapshot-id, scan.tag-name, scan.timestamp-millis, incremental-between, …) or where a change stream starts
     * (scan.mode, …), and tune writing (write-only, write-buffer-size, …). docs/options.md lists all. And how the store
     * is reached that the table lies in (s3.endpoint, s3.access-key, s3.secret-key, …): these are not shown by
     * weir_lake_table_describe. */
    const weir_property *options;
    int32_t option_count;
    const char *branch;   /* NULL: main */
    int64_t memory_bytes; /* that readers and writers of this table may take together; 0: unbounded */
    int32_t threads;      /* for manifests and compactions; 0: one a processor; 1: only the caller's own */
    /* The scan.* options are meant for change streams alone: the snapshot that they name need not exist (any more, or
     * yet), and the columns are the newest ones. */
    bool for_changes;
} weir_open_settings;

/* Opens the table in the folder `path`: a local path such as "/lake/shop.db/orders", or a URI (file://, s3://, …).
 *
 *   settings   borrowed during the call; NULL: the defaults
 *   out        the caller closes it with weir_lake_table_close
 *
 * WEIR_NOT_FOUND: there is no table, or no such snapshot, tag or branch. WEIR_INVALID: an option is unknown, malformed,
 * or cannot be set for one use. */
WEIR_API int weir_lake_table_open(const char *path, const weir_open_settings *settings, weir_lake_table **out,
                                  weir_error *err);

WEIR_API void weir_lake_table_close(weir_lake_table *table);

/* The columns as the fields of a struct; the caller releases it (out->release(out)).
 *
 * Types: DECIMAL is decimal128; TIMESTAMP(0..3) timestamp[ms], (4..6) [us], (7..9) [ns]; those with local time zone
 * have the zone UTC; TIME is time32[ms]; MULTISET map<element, int32>; VARIANT struct<value, metadata>. */
WEIR_API int weir_lake_table_schema(const weir_lake_table *table, struct ArrowSchema *out, weir_error *err);

/* What a table is, beside its columns. */
typedef struct weir_lake_table_info {
    const char *path;
    const char *comment; /* NULL: none */
    int64_t schema_id;
    const char *const *primary_keys;
    int32_t primary_key_count;
    const char *const *partition_keys;
    int32_t partition_key_count;
    const weir_property *options; /* stored ones, with those of the open settings on top */
    int32_t option_count;
} weir_lake_table_info;

/* Fills `out`; its contents are borrowed until the table is closed. */
WEIR_API void weir_lake_table_describe(const weir_lake_table *table, weir_lake_table_info *out);

/* The newest snapshot now; 0: nothing has been committed yet. */
WEIR_API int weir_lake_table_latest_snapshot(const weir_lake_table *table, int64_t *out_snapshot_id, weir_error *err);

/* A table to be created. Zeroed members: none. */
typedef struct weir_create_request {
    /* A struct of the columns. Formats: booleans, signed integers, floats, decimal128, utf8, binary (w:N is BINARY(N)),
     * date32, time32, timestamps of any unit (with a zone: TIMESTAMP WITH LOCAL TIME ZONE), lists, maps, structs.
     * Columns without ARROW_FLAG_NULLABLE are NOT NULL. */
    const struct ArrowSchema *columns;
    const char *const *primary_keys;
    int32_t primary_key_count;
    const char *const *partition_keys;
    int32_t partition_key_count;
    const weir_property *options;
    int32_t option_count;
    const char *comment;
} weir_create_request;

/* Creates a table in the folder `path`; the request is borrowed during the call. Everything that can be wrong is
 * checked before anything is written. Options that say how the store is reached (s3.endpoint, …) are not kept with the
 * table.
 *
 * WEIR_EXISTS: there is a table already. WEIR_INVALID: names, keys, types or options are wrong. WEIR_UNSUPPORTED: such
 * a table could be read but not written by this version. */
WEIR_API int weir_lake_table_create(const char *path, const weir_create_request *request, weir_error *err);

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

typedef enum weir_condition_kind {
    WEIR_CONDITION_EQUAL,
    WEIR_CONDITION_NOT_EQUAL,
    WEIR_CONDITION_LESS,
    WEIR_CONDITION_LESS_OR_EQUAL,
    WEIR_CONDITION_GREATER,
    WEIR_CONDITION_GREATER_OR_EQUAL,
    WEIR_CONDITION_IN,          /* any number of values */
    WEIR_CONDITION_IS_NULL,     /* no value */
    WEIR_CONDITION_IS_NOT_NULL, /* no value */
    WEIR_CONDITION_STARTS_WITH  /* of text */
} weir_condition_kind;

/* A condition on one column. Values are text that is read as the column's type: "42", "2024-02-29",
 * "2024-02-29 12:00:00.5", "true"; text itself as it is, bytes likewise. A NULL in the column satisfies IS_NULL only.
 */
typedef struct weir_condition {
    const char *column;
    weir_condition_kind kind;
    const char *const *values;
    int32_t value_count; /* one, but for IN, IS_NULL and IS_NOT_NULL */
} weir_condition;

/* What to read. Zeroed: all columns of all rows. Borrowed during the call that it is given to. */
typedef struct weir_read_request {
    const char *const *columns; /* names, in the order wanted; NULL: all */
    int32_t column_count;
    const weir_condition *conditions; /* rows that satisfy all of them come out, and no others */
    int32_t condition_count;
    /* Adds a last column _ROW_KIND of int8: 0 is +I, 1 -U, 2 +U, 3 -D. With incremental-between it shows the changes
     * between two snapshots; the rows of a state are +I, or +U where they were written so. Without it rows that are
     * deletions are left out. */
    bool with_kinds;
    int64_t batch_rows; /* of a batch at most; 0: 16 384 */
} weir_read_request;

/* Reads all rows as one stream: what weir_read_plan_make and reading split after split do.
 *
 * `out` is the caller's to release, before or after the table is closed. Its get_next reads; it returns an errno value
 * on failure (EINVAL, ENOENT, EIO, ENOMEM, ENOTSUP) and get_last_error says why. One thread at a time. */
WEIR_API int weir_lake_table_read(const weir_lake_table *table, const weir_read_request *request,
                                  struct ArrowArrayStream *out, weir_error *err);

/* Which splits a read consists of. Each can be read on its own, in any order, by different threads at the same time;
 * together they give every row once. There are enough of them for the table's threads where there are enough rows. A
 * plan does not change: it speaks of one snapshot. */
typedef struct weir_read_plan weir_read_plan;

/* Plans a read; `request` NULL: everything. Free it with weir_read_plan_free.
 *
 * WEIR_NOT_FOUND: an unknown column. WEIR_INVALID: a value that its column's type cannot take. */
WEIR_API int weir_read_plan_make(const weir_lake_table *table, const weir_read_request *request, weir_read_plan **out,
                                 weir_error *err);
WEIR_API void weir_read_plan_free(weir_read_plan *plan);

/* The snapshot that is read; 0: the table is empty, or the read is an incremental one. */
WEIR_API int64_t weir_read_plan_snapshot(const weir_read_plan *plan);

/* The number of rows, where it is known without reading them; otherwise -1. */
WEIR_API int64_t weir_read_plan_row_count(const weir_read_plan *plan);

typedef struct weir_split_info {
    int64_t row_count; /* in its files, or in its share of them: at most about so many come out */
    int64_t size_bytes;
    int32_t file_count;
    int32_t bucket;
    bool merges; /* rows of one key are in several files and are merged on reading */
} weir_split_info;

WEIR_API int64_t weir_read_plan_split_count(const weir_read_plan *plan);

/* Describes split `number`, from 0. WEIR_INVALID: there is no such split. */
WEIR_API int weir_read_plan_split(const weir_read_plan *plan, int64_t number, weir_split_info *out, weir_error *err);

/* The rows of split `number`. `out` is as with weir_lake_table_read; the plan may be freed before it. */
WEIR_API int weir_read_plan_read(const weir_read_plan *plan, int64_t number, struct ArrowArrayStream *out,
                                 weir_error *err);

/* ---- Changes ---------------------------------------------------------------------------------------------------- */

/* The changes of a table, snapshot after snapshot, each row with its kind in a last column _ROW_KIND of int8.
 *
 * Where it starts follows from the options that the table was opened with: by default (scan.mode = latest-full) with
 * the whole state as +I rows. What changes there are follows from the table's changelog-producer; with `none` they are
 * the rows that were written. Threading: one thread at a time. */
typedef struct weir_change_stream weir_change_stream;

/* Opens a change stream; `request` NULL: all columns. The table may be closed before it. Close it with
 * weir_change_stream_close. */
WEIR_API int weir_change_stream_open(const weir_lake_table *table, const weir_read_request *request,
                                     weir_change_stream **out, weir_error *err);
WEIR_API void weir_change_stream_close(weir_change_stream *stream);

/* The changes of the next snapshot that has any, and its id (`out_snapshot_id` may be NULL). `out` is the caller's to
 * release; it may be read while the stream goes on.
 *
 * WEIR_IDLE: nothing new yet, ask again later. WEIR_END: the snapshot of weir_change_stream_stop_after has been given.
 * WEIR_NOT_FOUND: a snapshot expired before it was read. */
WEIR_API int weir_change_stream_next(weir_change_stream *stream, struct ArrowArrayStream *out, int64_t *out_snapshot_id,
                                     weir_error *err);

/* The snapshot that is read next; -1: the start has not been decided yet. Whoever stores it after having read all rows
 * of what weir_change_stream_next gave, and restores it later, misses no change and sees none twice. */
WEIR_API int64_t weir_change_stream_position(const weir_change_stream *stream);

/* Goes on from a position. -1 starts anew. */
WEIR_API int weir_change_stream_restore(weir_change_stream *stream, int64_t position, weir_error *err);

/* Ends the stream with this snapshot: what comes after it is WEIR_END. */
WEIR_API void weir_change_stream_stop_after(weir_change_stream *stream, int64_t snapshot_id);

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

/* A writer takes rows, prepares them as files, and commits these. Nothing is visible to readers before a commit, and
 * all of it after. Threading: one thread at a time. Several writers, in one process or in many, may write one table:
 * commits are optimistic and are checked against each other.
 *
 *   weir_writer_write …             any number of times
 *   weir_writer_prepare             rows are files now, durably; nobody sees them
 *   weir_prepared_save              optional: keep it with whatever else must go together with this commit
 *   weir_writer_commit              a snapshot
 *
 * After a crash between the last two, a new writer of the same commit user loads what was saved and calls
 * weir_writer_replay, which commits it unless that has happened. */
typedef struct weir_writer weir_writer;

/* Opens a writer, with the table's newest schema.
 *
 *   commit_user   who commits: the same name over restarts makes replays harmless; copied. NULL: a random one
 *   overwrite     what is written will replace rows (weir_writer_overwrite): older files are not looked at
 *   out           the caller closes it with weir_writer_close; the table may be closed before it
 *
 * WEIR_UNSUPPORTED names the option of the table that this version cannot honour when writing. */
WEIR_API int weir_writer_open(const weir_lake_table *table, const char *commit_user, bool overwrite, weir_writer **out,
                              weir_error *err);

/* Closes a writer. Rows that were not prepared are lost; prepared ones can still be committed by another writer. */
WEIR_API void weir_writer_close(weir_writer *writer);

/* Takes the rows of a struct array. Both stay the caller's, unchanged, and may be released after the call.
 *
 * Columns are found by name, in any order; a nullable column may be missing. A column _ROW_KIND of int8 says what each
 * row is (0 +I, 1 -U, 2 +U, 3 -D); without it all are +I. Tables without a primary key take +I only. Types are those of
 * weir_lake_table_schema; other time units, large offsets and fixed-size binary are taken where nothing is lost.
 *
 * WEIR_INVALID: a column is unknown, missing or of another type, or NULL where the table says NOT NULL. No row of the
 * batch has been taken then. After any other error the writer must be closed. */
WEIR_API int weir_writer_write(weir_writer *writer, const struct ArrowSchema *schema, const struct ArrowArray *array,
                               weir_error *err);

/* Takes all rows of a stream, batch by batch, and releases it, on failure as well. */
WEIR_API int weir_writer_write_stream(weir_writer *writer, struct ArrowArrayStream *stream, weir_error *err);

/* Files that were written and not committed. Immutable. */
typedef struct weir_prepared weir_prepared;

/* Writes out all rows taken so far.
 *
 *   wait_compaction   true: compactions that run are waited for and become part of it (before the last commit);
 *                     false: those that are not done stay for a later one
 *   out               the caller frees it with weir_prepared_free */
WEIR_API int weir_writer_prepare(weir_writer *writer, bool wait_compaction, weir_prepared **out, weir_error *err);
WEIR_API void weir_prepared_free(weir_prepared *prepared);

/* Whether there is nothing to commit. */
WEIR_API bool weir_prepared_is_empty(const weir_prepared *prepared);

/* The prepared files as bytes, to be kept over a restart or sent to the process that commits; the caller frees them
 * with free(). And back: WEIR_CORRUPT when the bytes are not what weir_prepared_save gave. */
WEIR_API int weir_prepared_save(const weir_prepared *prepared, void **out_bytes, size_t *out_size, weir_error *err);
WEIR_API int weir_prepared_load(const void *bytes, size_t size, weir_prepared **out, weir_error *err);

/* The identifier of commits that are not numbered: batches that are never replayed. */
#define WEIR_BATCH_COMMIT_IDENTIFIER INT64_MAX

/* Commits what was prepared: one snapshot for the rows, and a second one where compactions were done. Where another
 * writer has compacted the same buckets meanwhile, and compactions tell the changes of rows (changelog-producer), they
 * are done once more, unless rows have been written since the prepare: then the next commit does it.
 *
 *   identifier        ascends from commit to commit of one commit user
 *   out_snapshot_id   the last snapshot made; 0: there was nothing to commit. May be NULL
 *
 * WEIR_CONFLICT: another writer replaced or compacted files that this commit builds on; nothing was committed, and the
 * writer takes nothing more: call weir_writer_abort, close the writer and write the rows again. WEIR_IO: it is not known whether the snapshot became
 * visible: weir_writer_replay finds out. */
WEIR_API int weir_writer_commit(weir_writer *writer, const weir_prepared *prepared, int64_t identifier,
                                int64_t *out_snapshot_id, weir_error *err);

/* Commits what was prepared, unless this commit user has committed this identifier (or a later one) already. The number
 * of calls does not matter. *out_snapshot_id is 0 when nothing was left to do. */
WEIR_API int weir_writer_replay(weir_writer *writer, const weir_prepared *prepared, int64_t identifier,
                                int64_t *out_snapshot_id, weir_error *err);

/* Commits what was prepared in place of what is there. The writer must have been opened with `overwrite`.
 *
 *   partition_values   one text a partition key (of weir_lake_table_info), as in conditions; NULL entries stand for all
 *                      values. NULL: the partitions that the new rows lie in, or, with dynamic-partition-overwrite =
 *                      false and for tables without partitions, the whole table */
WEIR_API int weir_writer_overwrite(weir_writer *writer, const weir_prepared *prepared, int64_t identifier,
                                   const char *const *partition_values, int64_t *out_snapshot_id, weir_error *err);

/* Looks whether the writer's last commit still stands, and makes it again if not: programs that do not publish
 * snapshots atomically (others on local disks and S3) may have written over it. Every commit does this for the one
 * before it; call it once at the end, where such programs write to the same table. */
WEIR_API int weir_writer_verify(weir_writer *writer, weir_error *err);

/* Removes the files of something prepared that will never be committed. Not after WEIR_IO from a commit, which may have
 * succeeded. */
WEIR_API int weir_writer_abort(weir_writer *writer, const weir_prepared *prepared, weir_error *err);

/* ---- Maintenance ------------------------------------------------------------------------------------------------ */

/* Compacts the table and commits the result: of a primary-key table every bucket (`full`: into one sorted run,
 * otherwise what Paimon's rules pick), of an append table its small files. *out_snapshot_id (may be NULL) is 0 when
 * there was nothing to do. WEIR_CONFLICT: another writer compacted the same files meanwhile; nothing is lost. */
WEIR_API int weir_lake_table_compact(const weir_lake_table *table, bool full, int64_t *out_snapshot_id,
                                     weir_error *err);

/* Drops snapshots that nobody needs, and the files that only they need: keeps at least `retain_min` and at most
 * `retain_max` snapshots, and in between those younger than `older_than_ms` (milliseconds since 1970-01-01 UTC). -1, or
 * INT64_MIN for the time: what the table's options say. Tags, branches and consumers keep what they need.
 * *out_count (may be NULL): how many went. */
WEIR_API int weir_lake_table_expire(const weir_lake_table *table, int64_t retain_min, int64_t retain_max,
                                    int64_t older_than_ms, int64_t *out_count, weir_error *err);

#ifdef __cplusplus
}
#endif

#endif
