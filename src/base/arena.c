/* Arenas: a list of zeroed blocks, the newest of which is being handed out.
 *
 * Blocks grow with the arena, so that a small one costs a page and a large one few calls. A piece too large for its
 * share of a block gets one of its own, put behind the newest so that what is left there stays in use. */
#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

#define ALIGNMENT      ((size_t)16)
#define FIRST_BLOCK    ((size_t)4096)
#define LARGEST_BLOCK  ((size_t)1 << 20)
#define WHOLE_BLOCK(n) ((n) - sizeof(struct weir_arena_block))

struct weir_arena_block {
    struct weir_arena_block *next;
    size_t size; /* of data */
    _Alignas(16) uint8_t data[];
};

void weir_arena_init(weir_arena *arena) { *arena = (weir_arena){0}; }

void weir_arena_free(weir_arena *arena)
{
    struct weir_arena_block *block = arena->blocks;
    while (block) {
        struct weir_arena_block *next = block->next;
        free(block);
        block = next;
    }
    weir_arena_init(arena);
}

static struct weir_arena_block *new_block(weir_arena *arena, size_t size)
{
    struct weir_arena_block *block = weir_alloc_zeroed(1, sizeof *block + size);
    block->size = size;
    arena->total_bytes += sizeof *block + size;
    return block;
}

static void *alloc_own_block(weir_arena *arena, size_t size)
{
    struct weir_arena_block *block = new_block(arena, size);
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        arena->blocks = block;
    }
    return block->data;
}

static size_t next_block_size(const weir_arena *arena)
{
    size_t size = FIRST_BLOCK;
    while (size < arena->total_bytes && size < LARGEST_BLOCK) {
        size *= 2;
    }
    return WHOLE_BLOCK(size);
}

static void *alloc_from_new_block(weir_arena *arena, size_t size)
{
    size_t block_size = next_block_size(arena);
    if (size > block_size / 4) {
        return alloc_own_block(arena, size);
    }
    struct weir_arena_block *block = new_block(arena, block_size);
    block->next = arena->blocks;
    arena->blocks = block;
    arena->next = block->data + size;
    arena->left = block_size - size;
    return block->data;
}

void *weir_arena_alloc(weir_arena *arena, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return weir_alloc(size); /* ends the process: no memory is that large */
    }
    size_t rounded = size ? (size + ALIGNMENT - 1) & ~(ALIGNMENT - 1) : ALIGNMENT;
    if (rounded > arena->left) {
        return alloc_from_new_block(arena, rounded);
    }
    void *piece = arena->next;
    arena->next += rounded;
    arena->left -= rounded;
    return piece;
}

char *weir_arena_strdup(weir_arena *arena, const char *text)
{
    return text ? weir_arena_strndup(arena, text, strlen(text)) : NULL;
}

char *weir_arena_strndup(weir_arena *arena, const char *text, size_t size)
{
    char *copy = weir_arena_alloc(arena, size + 1);
    if (size > 0) {
        memcpy(copy, text, size);
    }
    return copy;
}

void *weir_arena_copy(weir_arena *arena, const void *data, size_t size)
{
    void *copy = weir_arena_alloc(arena, size);
    if (size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

char *weir_arena_format(weir_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = weir_arena_alloc(arena, size < 0 ? 1 : (size_t)size + 1);
    if (size > 0) {
        vsnprintf(text, (size_t)size + 1, format, again);
    }
    va_end(again);
    return text;
}
