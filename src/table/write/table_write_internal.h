/* The insides of a table's writer. Used by the files of writing: table_write.c, write_targets.c, write_rows.c and
 * write_compactions.c. */
#ifndef WEIR_TABLE_WRITE_INTERNAL_H
#define WEIR_TABLE_WRITE_INTERNAL_H

#include "base/map.h"
#include "table/commit/bucket_files.h"
#include "table/write/bucket_assigner.h"
#include "table/write/default_values.h"
#include "table/write/full_compaction.h"
#include "table/write/key_router.h"
#include "table/write/row_kinds.h"
#include "table/write/table_write.h"

/* The writer of one bucket of one partition. */
typedef struct weir_write_target {
    weir_slice partition; /* owned */
    int32_t bucket;
    weir_bucket_writer *writer;
    int64_t memory_bytes; /* of the writer, as far as they are counted in the write's */
    bool written;         /* since the last prepare */
    int32_t total_buckets;
    bool awaits_full_compaction; /* written since the last one, where full-compaction.delta-commits asks for them */
    uint32_t *rows;              /* of the batch being cut */
    int64_t row_count;
    size_t row_capacity;
} weir_write_target;

struct weir_table_write {
    const weir_table *table;
    weir_table_write_options options;
    weir_arena arena;
    int32_t bucket_count;           /* by the option: -1 unaware, or dynamic */
    weir_bucket_assigner *assigner; /* of dynamic buckets; NULL: there are none */
    weir_key_router *router;        /* of keys that may move between partitions; NULL: they may not */
    bool postpones;                 /* rows wait for their bucket */
    bool settles;                   /* … or, in a table of such, get one */
    const int32_t *bucket_columns;
    int32_t bucket_column_count;
    weir_bucket_function bucket_function;
    weir_default_values defaults;
    weir_row_kinds kinds;
    bool write_only;
    weir_full_compaction full; /* when it is due, and buckets that await it without having a target */
    bool full_is_due;          /* with the next prepare */
    bool looks_up; /* compactions look at what the levels hold, and so go on from what others have made of them */
    bool fully;    /* changelog-producer = full-compaction */
    int64_t known_snapshot;  /* up to this one the bucket writers know all files; -1: there are none yet */
    int64_t buffer_bytes;    /* that all buckets together may take */
    int64_t held_bytes;      /* taken from the budget for them */
    int64_t memory_bytes;    /* that they take */
    int64_t row_count;       /* taken so far */
    bool failed;             /* rows may have been lost */
    weir_map targets;        /* partition and bucket → weir_write_target */
    weir_bucket_files files; /* for the writers that are opened */
    weir_buffer key;         /* scratch: bucket and partition of a row */
    /* Of the batch being cut. */
    int32_t *buckets;
    size_t bucket_capacity;
    weir_write_target **touched;
    size_t touched_count;
    size_t touched_capacity;
    weir_write_target **neighbours; /* one a bucket: targets of the partition of the row before */
    size_t neighbour_capacity;
};

/* ---- the writer as a whole (table_write.c) ---- */

/* WEIR_INVALID when an earlier error may have lost rows. */
int weir_write_check(const weir_table_write *write, weir_error *err);
void weir_write_report_buffers(const weir_table_write *write);

/* ---- targets (write_targets.c) ---- */

/* Puts the name of a target into write->key. */
void weir_write_key_set(weir_table_write *write, weir_slice partition, int32_t bucket);
/* The target that write->key names; opened on the latest snapshot's files where there is none yet. */
int weir_write_target_find(weir_table_write *write, weir_write_target **out, weir_error *err);
/* Brings the count of memory up to date after something was done with a writer. */
void weir_write_target_measure(weir_table_write *write, weir_write_target *target);
void weir_write_target_close(weir_table_write *write, weir_write_target *target);

/* Gives every writer the files of the latest snapshot. */
int weir_write_targets_reload(weir_table_write *write, weir_error *err);
/* Gives those theirs that have found files gone which they knew. */
int weir_write_targets_reload_outdated(weir_table_write *write, weir_error *err);
/* Gives every writer theirs, where compactions look at the levels and somebody else has committed since the writers were opened. */
int weir_write_targets_follow_others(weir_table_write *write, weir_error *err);

/* ---- compactions (write_compactions.c) ---- */

/* Where a full compaction is due, asks for that of the buckets written since the last one. */
int weir_write_compact_fully(weir_table_write *write, weir_error *err);

#endif
