/* Which tags an expiry has to look at. Used by expire_keep.c and by committers, which keep what they know of tags from one
 * expiry to the next. */
#ifndef WEIR_TABLE_EXPIRE_TAGS_H
#define WEIR_TABLE_EXPIRE_TAGS_H

#include "base/map.h"
#include "table/table.h"

/* The snapshots that tags stand for, so that a tag's file is not read with every commit. Zero-initialized is empty. */
typedef struct weir_tag_ids {
    weir_map tags; /* tag file's name → what was seen */
} weir_tag_ids;

void weir_tag_ids_free(weir_tag_ids *known);

/* The tags under `root` that hold all that any tag holds of snapshots first … end - 1: one for each of these snapshots
 * that has tags, and the last before them. In `arena`. */
int weir_tags_of_expiry(weir_tag_ids *known, const weir_table *table, const char *root, int64_t first, int64_t end,
                        weir_arena *arena, weir_snapshot ***out, size_t *out_count, weir_error *err);

#endif
