/* Small files that never change, kept so that a store need not be asked again: manifests, which every commit and every
 * query reads. Used by the files of this room.
 *
 * Threading: thread-safe. */
#ifndef WEIR_FS_CACHE_H
#define WEIR_FS_CACHE_H

#include "base/buffer.h"

typedef struct weir_fs_cache weir_fs_cache;

/* Keeps up to `most_bytes`; files that were not asked for longest go first. */
weir_fs_cache *weir_fs_cache_create(size_t most_bytes);
void weir_fs_cache_free(weir_fs_cache *cache);

/* Appends the file to `out`; false: it is not here. */
bool weir_fs_cache_get(weir_fs_cache *cache, const char *path, weir_buffer *out);
/* Keeps a copy, if the file is small against all. */
void weir_fs_cache_put(weir_fs_cache *cache, const char *path, weir_slice bytes);

#endif
