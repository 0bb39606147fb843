/* Tables in which a key may move from one partition to another, because the primary key lacks a partition column: where
 * each row goes, and what has to go elsewhere because of it. Used by the files of writing.
 *
 * The places of all keys are read from the table before the first row. What becomes of a row whose key is in another
 * partition depends on the merge engine: deduplicate deletes it there and inserts it here; partial-update and
 * aggregation merge it into the row that is there; first-row leaves it out. */
#ifndef WEIR_TABLE_KEY_ROUTER_H
#define WEIR_TABLE_KEY_ROUTER_H

#include "lsm/commit_message.h"
#include "table/table.h"

typedef struct weir_key_router weir_key_router;

typedef struct weir_key_router_options {
    bool overwrite;          /* of the whole table: earlier keys are not looked at */
    uint8_t dropped_kinds;   /* a bit a row kind that is not written */
    const char *commit_user; /* whose commits are this writer's own; NULL: others are not looked for */
} weir_key_router_options;

int weir_key_router_open(const weir_table *table, const weir_key_router_options *options, weir_key_router **out,
                         weir_error *err);

/* The rows to be written for those of `batch`, and the bucket of each; valid until the next call. *out may be `batch`
 * itself. */
int weir_key_router_route(weir_key_router *router, const weir_batch *batch, const weir_batch **out,
                          const int32_t **out_buckets, weir_error *err);

/* Before a commit is prepared: WEIR_CONFLICT when somebody else has written to the table since the keys were read. Who
 * comes between this and the commit is found out then, by what the messages from `first` on are stamped with. */
int weir_key_router_check(weir_key_router *router, weir_error *err);
void weir_key_router_stamp(const weir_key_router *router, weir_commit_messages *messages, size_t first);
/* The rows up to the last stamp are in this snapshot (0: there were none), and up to it nobody else has written. */
void weir_key_router_committed(weir_key_router *router, int64_t snapshot_id);

/* Forgets all keys; they are read again before the next row. */
void weir_key_router_reset(weir_key_router *router);
void weir_key_router_close(weir_key_router *router);

#endif
