/* Compacting a table that others may be writing to. */
#ifndef WEIR_TABLE_COMPACT_H
#define WEIR_TABLE_COMPACT_H

#include "table/table_write.h"

/* Some partitions of a table. */
typedef struct weir_compact_choice {
    bool (*takes)(void *context, weir_slice partition);
    void *context;
} weir_compact_choice;

/* Compacts every bucket (or small files of an append table) of the partitions chosen (NULL: of all) and gives the
 * messages to commit. `full`: each bucket into one sorted run; otherwise as writers would do by themselves. On failure
 * there are none. */
int weir_table_compact(const weir_table *table, bool full, const weir_compact_choice *choice, weir_arena *arena,
                       weir_commit_messages *out, weir_error *err);

#endif
