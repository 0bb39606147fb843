/* When full compactions are due, and which buckets wait for one that nobody writes to just now. Used by the files of
 * writing and, to tell which snapshots came with one, by snapshot_choice.c. */
#ifndef WEIR_TABLE_FULL_COMPACTION_H
#define WEIR_TABLE_FULL_COMPACTION_H

#include "lsm/commit_message.h"

typedef struct weir_full_compaction {
    int64_t delta_commits; /* from one to the next; 0: none by number */
    int64_t interval_ms;   /* the same as a time; 0: none by time */
    int64_t last_ns;       /* when the last one was due, by the clock that only goes forward */
    weir_commit_messages waiting; /* messages without files */
    weir_arena arena;             /* their partitions */
} weir_full_compaction;

/* From the table's options. The changelog of full compactions needs one with every commit unless it is told otherwise.
 */
int weir_full_compaction_read(const weir_schema *schema, weir_full_compaction *out, weir_error *err);
void weir_full_compaction_free(weir_full_compaction *full);

bool weir_full_compaction_is_made(const weir_full_compaction *full);
/* Whether a commit of this identifier may have come with one. */
bool weir_full_compaction_divides(const weir_full_compaction *full, int64_t identifier);
/* Whether the commit of this identifier is to come with one. True by time starts the next interval. */
bool weir_full_compaction_is_due(weir_full_compaction *full, int64_t identifier);

void weir_full_compaction_await(weir_full_compaction *full, weir_slice partition, int32_t bucket);
void weir_full_compaction_forget(weir_full_compaction *full); /* the buckets */

#endif
