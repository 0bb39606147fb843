/* Leaving the descriptions of files behind that are gone. */
#include "lsm/file_arena.h"

#include <stdlib.h>

#include "base/alloc.h"

/* It is left alone until it is this large, and twice what the live descriptions took. */
#define LEAST_BYTES ((size_t)1 << 20)

void weir_file_arena_init(weir_file_arena *self)
{
    self->arena = weir_alloc(sizeof *self->arena);
    weir_arena_init(self->arena);
    self->shed_at = LEAST_BYTES;
}

void weir_file_arena_free(weir_file_arena *self)
{
    weir_arena_free(self->arena);
    free(self->arena);
}

void weir_file_arena_shed(weir_file_arena *self, weir_file_list *lists, int32_t list_count)
{
    weir_file_arena fresh;
    if (self->arena->total_bytes < self->shed_at) {
        return;
    }
    weir_file_arena_init(&fresh);
    for (int32_t i = 0; i < list_count; i++) {
        weir_file_list_copy_to(&lists[i], fresh.arena);
    }
    if (fresh.arena->total_bytes * 2 > LEAST_BYTES) {
        fresh.shed_at = fresh.arena->total_bytes * 2;
    }
    weir_file_arena_free(self);
    *self = fresh;
}
