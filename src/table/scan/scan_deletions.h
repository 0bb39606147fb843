/* What a snapshot's index files say of the rows of its data files. Used by the files of scanning. */
#ifndef WEIR_TABLE_SCAN_DELETIONS_H
#define WEIR_TABLE_SCAN_DELETIONS_H

#include "table/table.h"

/* Gives the files of entries their deletion vectors, where the table has such; in `arena`. */
int weir_scan_set_deletions(const weir_table *table, const weir_snapshot *snapshot, weir_arena *arena,
                            weir_manifest_entries *entries, weir_error *err);

/* Rows of a file that are not deleted; -1: the index manifest does not tell. */
static inline int64_t weir_live_row_count(const weir_data_file *file)
{
    if (file->deletion == NULL) {
        return file->row_count;
    }
    return file->deletion->cardinality < 0 ? -1 : file->row_count - file->deletion->cardinality;
}

#endif
