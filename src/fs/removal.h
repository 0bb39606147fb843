/* Files that nothing needs any more, gathered so that a store removes many by one request.
 *
 * What must be gone before something else goes is removed before that is gathered (weir_removal_run): within what is
 * gathered there is no order. Files that cannot be removed stay, in nobody's way; a line of the log tells of them.
 *
 * Used by one thread at a time. */
#ifndef WEIR_FS_REMOVAL_H
#define WEIR_FS_REMOVAL_H

#include "fs/fs.h"

typedef struct weir_removal {
    weir_fs *fs;
    weir_arena arena;
    const char **paths;
    size_t count;
    size_t capacity;
} weir_removal;

void weir_removal_init(weir_removal *removal, weir_fs *fs);

/* Gathers a file, and removes what is gathered when that is much. `path` is copied. */
void weir_removal_add(weir_removal *removal, const char *path);

/* Removes what is gathered; it is gone when this returns. */
void weir_removal_run(weir_removal *removal);

void weir_removal_free(weir_removal *removal); /* what is gathered stays where it is */

#endif
