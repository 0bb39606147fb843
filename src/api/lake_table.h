/* Opened tables with counted references. Used by the files of this room. */
#ifndef WEIR_API_LAKE_TABLE_H
#define WEIR_API_LAKE_TABLE_H

#include <stdatomic.h>

#include "base/budget.h"
#include "base/pool.h"
#include "table/table.h"

/* What all uses of one opened table share. */
typedef struct weir_lake_resources {
    _Atomic int32_t references;
    weir_arena arena;
    weir_fs *fs;
    const char *path;
    const char *branch;
    weir_options options;
    weir_pool *pool; /* NULL: everything in the calling thread */
    weir_budget budget;
} weir_lake_resources;

struct weir_lake_table {
    _Atomic int32_t references;
    weir_lake_resources *resources;
    weir_table *table;
    weir_property *options; /* of the schema, in the public form; in the table's arena */
};

weir_lake_table *weir_lake_table_retain(const weir_lake_table *table);
void weir_lake_table_release(weir_lake_table *table); /* NULL is fine */

/* The same table opened again for streaming or writing: with its newest schema, whatever state the options travel to.
 */
int weir_lake_table_reopen_latest(const weir_lake_table *table, weir_lake_table **out, weir_error *err);

/* Pairs as options in an arena. WEIR_INVALID: a pair without key or value. */
int weir_options_from_properties(const weir_property *properties, int32_t count, weir_arena *arena, weir_options *out,
                                 weir_error *err);

#endif
