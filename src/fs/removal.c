/* Gathering files that are to be removed. */
#include "fs/removal.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/log.h"

#define MOST_GATHERED 1000 /* what S3 takes by one request */

void weir_removal_init(weir_removal *removal, weir_fs *fs)
{
    *removal = (weir_removal){.fs = fs};
    weir_arena_init(&removal->arena);
}

void weir_removal_add(weir_removal *removal, const char *path)
{
    WEIR_GROW(removal->paths, removal->capacity, removal->count + 1);
    removal->paths[removal->count++] = weir_arena_strdup(&removal->arena, path);
    if (removal->count == MOST_GATHERED) {
        weir_removal_run(removal);
    }
}

void weir_removal_run(weir_removal *removal)
{
    weir_error err;
    if (weir_fs_remove_many(removal->fs, removal->paths, removal->count, &err) != WEIR_OK) {
        weir_log(WEIR_LOG_WARN, "files that are not needed any more stay until orphans are removed: %s", err.message);
    }
    removal->count = 0;
    weir_arena_free(&removal->arena);
}

void weir_removal_free(weir_removal *removal)
{
    free(removal->paths);
    weir_arena_free(&removal->arena);
    removal->paths = NULL;
    removal->count = removal->capacity = 0;
}
