/* What must not be removed: the names of files and manifests that a remaining snapshot, a tag or a branch needs; and
 * removing what is not among them. Used where snapshots and tags go. Names carry UUIDs, so that a name alone tells a
 * file. */
#ifndef WEIR_TABLE_EXPIRE_KEEP_H
#define WEIR_TABLE_EXPIRE_KEEP_H

#include "base/map.h"
#include "fs/removal.h"
#include "table/maintenance/expire_tags.h"

typedef struct weir_expire_keep {
    weir_map names;
} weir_expire_keep;

/* Manifests of snapshot `end`, the first that stays (younger ones only add to them); data files and manifests of tags
 * and branches. */
int weir_expire_keep_read(const weir_table *table, int64_t end, weir_expire_keep *out, weir_error *err);
/* The same for an expiry of snapshots first … end - 1, which need not look at all of the table's own tags. */
int weir_expire_keep_read_for(const weir_table *table, int64_t first, int64_t end, weir_tag_ids *known,
                              weir_expire_keep *out, weir_error *err);
/* Adds the data files of a snapshot's state. */
int weir_expire_keep_data(const weir_table *table, int64_t snapshot_id, weir_expire_keep *keep, weir_error *err);
void weir_expire_keep_free(weir_expire_keep *keep);

/* Gathers the file of an entry with its extra files, unless they are kept. */
void weir_expire_remove_file(const weir_table *table, const weir_expire_keep *keep, const weir_manifest_entry *entry,
                             weir_removal *removal);
/* Removes what is gathered, then what a snapshot's manifest lists name, then the lists, unless they are kept: what
 * names files goes after them, so that whoever is stopped can find them again. */
int weir_expire_remove_lists(const weir_table *table, const weir_expire_keep *keep, const weir_snapshot *snapshot,
                             weir_removal *removal, weir_error *err);

#endif
