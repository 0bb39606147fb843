/* Folders of tables as wholes. Used by the files of this room. */
#ifndef WEIR_CATALOG_TABLE_FOLDER_H
#define WEIR_CATALOG_TABLE_FOLDER_H

#include "fs/fs.h"

/* Whether a folder is a table: it has a schema folder with something in it. */
int weir_catalog_is_table(weir_fs *fs, const char *path, weir_arena *arena, bool *out, weir_error *err);

/* What the table has first, its schemas last: a table that could not be removed whole can be dropped again, and none
 * that is created in its place finds snapshots. */
int weir_catalog_remove_table(weir_fs *fs, const char *path, weir_arena *arena, weir_error *err);

/* Renames a table where that copies every file. WEIR_EXISTS: there is a table already; WEIR_INVALID: other files lie
 * there. Whoever was stopped on the way may do it again. */
int weir_catalog_move_table(weir_fs *fs, const char *from, const char *to, weir_arena *arena, weir_error *err);

#endif
