/* Files that are numbered by their names: schema-0, snapshot-7, expired-3. */
#ifndef WEIR_META_NUMBERED_H
#define WEIR_META_NUMBERED_H

#include "fs/fs.h"

/* The numbers of the files <prefix><number> in a folder, ascending; in `arena`. A folder that is missing has none. */
int weir_numbered_list(weir_fs *fs, const char *folder, const char *prefix, weir_arena *arena, int64_t **out,
                       size_t *out_count, weir_error *err);

#endif
