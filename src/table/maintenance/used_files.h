/* Every file that anything of a table names: all snapshots, tags and decoupled changelogs of all branches. Used where
 * files are looked for that nobody needs. */
#ifndef WEIR_TABLE_USED_FILES_H
#define WEIR_TABLE_USED_FILES_H

#include "base/map.h"
#include "table/table.h"

typedef struct weir_used_files {
    weir_map names; /* of data files, their extra files, index files, manifests, lists, statistics */
} weir_used_files;

/* Names of entries count whether a manifest adds or deletes the file. A snapshot that expires meanwhile is passed over;
 * one whose manifests cannot be read is an error, for then nothing tells what is used. */
int weir_used_files_read(const weir_table *table, weir_used_files *out, weir_error *err);

/* Only what streams read of the decoupled changelogs of the table's own line. */
int weir_used_files_of_changelogs(const weir_table *table, weir_used_files *out, weir_error *err);

void weir_used_files_free(weir_used_files *used);

static inline bool weir_used_files_have(const weir_used_files *used, const char *name)
{
    return weir_map_get(&used->names, weir_slice_text(name)) != NULL;
}

#endif
