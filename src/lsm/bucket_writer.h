/* The writer of one bucket: rows in, a commit message out.
 *
 * Three kinds: merge_tree_writer.c for tables with a primary key, append_writer.c for those without, and
 * postpone_writer.c for rows with a key that wait for their bucket. */
#ifndef WEIR_LSM_BUCKET_WRITER_H
#define WEIR_LSM_BUCKET_WRITER_H

#include "file/file.h"
#include "lsm/commit_message.h"

typedef struct weir_bucket_writer weir_bucket_writer;

/* After an error of write, flush, compact or prepare_commit rows may be lost: the writer can only be closed then. */
typedef struct weir_bucket_writer_ops {
    /* Takes the rows of `batch` (the schema's columns, with kinds) at `rows`, in that order; `rows` NULL: all. */
    int (*write)(weir_bucket_writer *writer, const weir_batch *batch, const uint32_t *rows, int64_t count,
                 weir_error *err);
    /* Writes what is in memory to files (to free memory before the commit comes). */
    int (*flush)(weir_bucket_writer *writer, weir_error *err);
    /* Asks for a compaction: `full` of everything into the highest level, otherwise as the picking rule says. Returns
     * at once; the work is done by prepare_commit at the latest when it waits. */
    int (*compact)(weir_bucket_writer *writer, bool full, weir_error *err);
    /* Flushes and moves all increments since the last call into `out` (deep in `arena`). `wait`: running compactions
     * are finished first and their results included (always so for the lookup changelog with lookup-wait). */
    int (*prepare_commit)(weir_bucket_writer *writer, bool wait, weir_arena *arena, weir_commit_message *out,
                          weir_error *err);
    /* Whether a compaction was dropped because files that it was to read are gone: another job has compacted them, and
     * they have expired. No other begins before `reload`. NULL: never. */
    bool (*is_outdated)(const weir_bucket_writer *writer);
    /* Whether a compaction runs or its result waits for the next prepare_commit. */
    bool (*is_busy)(const weir_bucket_writer *writer);
    /* Bytes of rows that are in no file yet. */
    int64_t (*memory_bytes)(const weir_bucket_writer *writer);
    /* Starts from these files (the bucket's in the latest snapshot) instead of those it knew: after a compaction of its
     * was dropped. Rows and files that were not handed out yet stay, compactions are forgotten. */
    void (*reload)(weir_bucket_writer *writer, weir_data_file *const *files, size_t count);
    /* Waits for running compactions; files of increments that were never handed out are removed. */
    void (*close)(weir_bucket_writer *writer);
} weir_bucket_writer_ops;

struct weir_bucket_writer {
    const weir_bucket_writer_ops *ops;
};

/* Compactions of a writer that were dropped one after the other because files were gone. Where reading the bucket anew
 * does not help, the table itself names files that are not there. */
typedef struct weir_lost_compactions {
    bool may_drop; /* otherwise they are errors */
    int count;
    bool is_outdated;
} weir_lost_compactions;

/* After a compaction that came to `code`: WEIR_OK where it may be dropped, which is noted then. */
int weir_lost_compactions_take(weir_lost_compactions *lost, int code, const char *bucket_path, weir_error *err);

typedef struct weir_bucket_writer_options {
    weir_slice partition; /* copied */
    int32_t bucket;
    int32_t total_buckets;
    /* The bucket's files in the latest snapshot (deep copies are taken); the next sequence number follows from them.
     * None for INSERT OVERWRITE. */
    weir_data_file *const *restored_files;
    size_t restored_file_count;
    bool write_only;            /* no compaction */
    bool bears_lost_files;      /* a compaction whose files are gone is dropped, and `reload` called (is_outdated) */
    int64_t write_buffer_bytes; /* this bucket flushes at this size */
} weir_bucket_writer_options;

int weir_merge_tree_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                                  weir_bucket_writer **out, weir_error *err);
int weir_append_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                              weir_bucket_writer **out, weir_error *err);

/* Into WEIR_POSTPONED_BUCKET, whatever bucket the options say. */
int weir_postpone_writer_create(const weir_table_context *context, const weir_bucket_writer_options *options,
                                const char *commit_user, weir_bucket_writer **out, weir_error *err);

#endif
