/* Allocation.
 *
 * Two kinds, and the difference matters:
 *   - Small pieces whose size the program itself decides: weir_alloc and friends never return NULL. When the machine
 *     has no memory left for a hundred bytes the process ends with a message, as the kernel would have ended it.
 *   - Sizes that come from data (a file, a row, a user): weir_alloc_checked, which fails with WEIR_NO_MEMORY, after
 *     the caller has checked the size against what the bytes can hold. */
#ifndef WEIR_BASE_ALLOC_H
#define WEIR_BASE_ALLOC_H

#include <stddef.h>

#include "base/error.h"

void *weir_alloc(size_t size);                      /* uninitialized; size 0 gives a pointer to free */
void *weir_alloc_zeroed(size_t count, size_t size); /* checks count * size for overflow */
void *weir_realloc(void *pointer, size_t size);
char *weir_strdup(const char *text);
char *weir_strndup(const char *text, size_t size); /* NUL-terminated copy of `size` bytes */
char *weir_format(const char *format, ...) __attribute__((format(printf, 1, 2))); /* malloc'd text */

/* Memory for `count` elements of `size` bytes, 64-byte aligned; freed with free(). */
int weir_alloc_checked(size_t count, size_t size, void **out, weir_error *err);

/* For programs, at their start: a process that takes about what its budgets allow. Libraries leave the allocator alone.
 */
void weir_alloc_tune(void);

/* Grows an array so that it holds at least `needed` elements, doubling: WEIR_GROW(list->items, list->capacity, n). */
#define WEIR_GROW(array, capacity, needed)                                                                             \
    do {                                                                                                               \
        if ((size_t)(needed) > (size_t)(capacity)) {                                                                   \
            size_t grown_ = (size_t)(capacity) ? (size_t)(capacity) * 2 : 8;                                           \
            while (grown_ < (size_t)(needed)) {                                                                        \
                grown_ *= 2;                                                                                           \
            }                                                                                                          \
            (array) = weir_realloc((array), grown_ * sizeof *(array));                                                 \
            (capacity) = grown_;                                                                                       \
        }                                                                                                              \
    } while (0)

#endif
