/* Arenas: memory handed out by bumping a pointer and freed as a whole.
 *
 * For metadata, plans and parse trees: everything that lives as long as one snapshot, one query or one call. */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct weir_arena_block;

typedef struct weir_arena {
    struct weir_arena_block *blocks; /* newest first */
    uint8_t *next;
    size_t left;
    size_t total_bytes;
} weir_arena;

void weir_arena_init(weir_arena *arena);
void weir_arena_free(weir_arena *arena); /* frees all of it; the arena is as after init */

/* Zeroed memory, 16-byte aligned. Never NULL (see alloc.h); callers bound sizes that come from data. */
void *weir_arena_alloc(weir_arena *arena, size_t size);
char *weir_arena_strdup(weir_arena *arena, const char *text); /* NULL gives NULL */
char *weir_arena_strndup(weir_arena *arena, const char *text, size_t size);
void *weir_arena_copy(weir_arena *arena, const void *data, size_t size);
char *weir_arena_format(weir_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define WEIR_NEW(arena, type) ((type *)weir_arena_alloc((arena), sizeof(type)))
#define WEIR_NEW_ARRAY(arena, type, count) ((type *)weir_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#endif
