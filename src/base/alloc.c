/* Allocation: the kind that ends the process and the kind that reports. */
#include "base/alloc.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#define DATA_ALIGNMENT 64 /* a cache line, and as wide as any vector register */

static void *must(void *pointer, size_t size)
{
    if (!pointer) {
        fprintf(stderr, "weir: the machine has no memory left (%zu bytes were asked for)\n", size);
        abort();
    }
    return pointer;
}

void *weir_alloc(size_t size) { return must(malloc(size ? size : 1), size); }

void *weir_alloc_zeroed(size_t count, size_t size)
{
    bool empty = count == 0 || size == 0;
    return must(empty ? calloc(1, 1) : calloc(count, size), count * size);
}

void *weir_realloc(void *pointer, size_t size) { return must(realloc(pointer, size ? size : 1), size); }

char *weir_strdup(const char *text) { return weir_strndup(text, strlen(text)); }

char *weir_strndup(const char *text, size_t size)
{
    char *copy = weir_alloc(size + 1);
    if (size > 0) {
        memcpy(copy, text, size);
    }
    copy[size] = 0;
    return copy;
}

char *weir_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int size = vasprintf(&text, format, arguments);
    va_end(arguments);
    return must(size < 0 ? NULL : text, strlen(format));
}

int weir_alloc_checked(size_t count, size_t size, void **out, weir_error *err)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX - DATA_ALIGNMENT) {
        return weir_fail(err, WEIR_NO_MEMORY, "%zu elements of %zu bytes are more than any memory holds", count, size);
    }
    size_t rounded = bytes ? (bytes + DATA_ALIGNMENT - 1) & ~(size_t)(DATA_ALIGNMENT - 1) : DATA_ALIGNMENT;
    void *memory = aligned_alloc(DATA_ALIGNMENT, rounded);
    if (!memory) {
        return weir_fail(err, WEIR_NO_MEMORY, "the machine has no %zu bytes of memory left", bytes);
    }
    *out = memory;
    return WEIR_OK;
}

/* glibc would raise the limit from which memory is mapped by itself, up to 32 MB, and keep what was freed below it; a
 * second arena doubles that. Mapped memory goes back at once, and grows without being copied. */
void weir_alloc_tune(void)
{
    mallopt(M_ARENA_MAX, 2);
    mallopt(M_MMAP_THRESHOLD, 512 << 10);
    mallopt(M_TRIM_THRESHOLD, 8 << 20);
    mallopt(M_TOP_PAD, 1 << 20);
}
