/* overwrite-upgrade: files that an overwrite put into level 0 go to the highest level where they do not overlap. Used by
 * commit.c only. */
#ifndef WEIR_TABLE_OVERWRITE_UPGRADE_H
#define WEIR_TABLE_OVERWRITE_UPGRADE_H

#include "table/commit/commit_changes.h"

/* `added` are the files of an overwrite without compactions. Their descriptions are replaced by copies in `arena`. */
int weir_overwrite_upgrade(const weir_table *table, weir_commit_changes *added, weir_arena *arena, weir_error *err);

#endif
