/* What expiry must not remove: the names of files and manifests that a remaining snapshot, a tag or a branch needs. Used by
 * expire.c only. Names carry UUIDs, so that a name alone tells a file. */
#ifndef WEIR_TABLE_EXPIRE_KEEP_H
#define WEIR_TABLE_EXPIRE_KEEP_H

#include "base/map.h"
#include "table/table.h"

typedef struct weir_expire_keep {
    weir_map names;
} weir_expire_keep;

/* Manifests of snapshot `end`, the first that stays (younger ones only add to them); data files and manifests of tags and
 * branches. */
int weir_expire_keep_read(const weir_table *table, int64_t end, weir_expire_keep *out, weir_error *err);
void weir_expire_keep_free(weir_expire_keep *keep);
bool weir_expire_keeps(const weir_expire_keep *keep, const char *name);

#endif
