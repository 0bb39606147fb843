/* The kinds of rows to write: where they come from, which are left out, and which a table does not take. */
#ifndef WEIR_TABLE_ROW_KINDS_H
#define WEIR_TABLE_ROW_KINDS_H

#include "merge/merge_engine.h"
#include "table/table.h"

typedef struct weir_row_kinds {
    const weir_table *table;
    weir_merge_engine engine; /* of a table with a primary key */
    uint8_t dropped;          /* a bit a kind that is not written */
    int32_t column;           /* rowkind.field, or -1 */
    bool moves_keys;          /* -U are dropped where the +U after them has their key; others are deletes */
    int32_t *key;             /* columns of the primary key */
    int8_t *kinds;            /* of the batch at hand, where they are not those that it came with */
    size_t capacity;
} weir_row_kinds;

/* `changes`: the rows are those of a changelog, of which -U says nothing to tables that know rows by their key, unless
 * the row has moved to another key. */
int weir_row_kinds_init(const weir_table *table, bool changes, weir_arena *arena, weir_row_kinds *out, weir_error *err);
void weir_row_kinds_free(weir_row_kinds *kinds);

/* Gives the batch the kinds that rowkind.field tells, where there is one, and those of rows that have moved to another
 * key; they are valid until the next call. Kinds
 * that the table does not take are WEIR_INVALID. */
int weir_row_kinds_settle(weir_row_kinds *kinds, weir_batch *batch, weir_error *err);

static inline bool weir_row_kinds_drop(const weir_row_kinds *kinds, const weir_batch *batch, int64_t row)
{
    return kinds->dropped != 0 && (kinds->dropped >> weir_batch_kind(batch, row) & 1) != 0;
}

#endif
