/* The arena in which a bucket's writer keeps the descriptions of files. Files come and go, and an arena frees nothing:
 * so now and then the descriptions that are still needed move to a new one. */
#ifndef WEIR_LSM_FILE_ARENA_H
#define WEIR_LSM_FILE_ARENA_H

#include "lsm/commit_message.h"

typedef struct weir_file_arena {
    weir_arena *arena; /* allocated by itself, so that it keeps its address when the writer moves on to another one */
    size_t shed_at;    /* bytes at which it is worth looking for descriptions of files that are gone */
} weir_file_arena;

void weir_file_arena_init(weir_file_arena *self);
void weir_file_arena_free(weir_file_arena *self);

/* Where the arena has grown large since the last time, copies the descriptions that `lists` name into a new one, and
 * frees the old one: nothing else may point into it. */
void weir_file_arena_shed(weir_file_arena *self, weir_file_list *lists, int32_t list_count);

#endif
