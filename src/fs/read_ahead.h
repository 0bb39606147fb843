/* Reading ahead of those who read a file on a server piece by piece.
 *
 * A reader of columns goes through several parts of a file at a time, each in order: here each is a stream. Where a
 * piece begins at which an earlier one ended, more than it is fetched, twice as much each time, and the part after that
 * while the reader is at work. Hints (weir_file_expect) say where streams end. Used by the files of this room.
 *
 * Threading: thread-safe; reads that are ahead of nothing run side by side. */
#ifndef WEIR_FS_READ_AHEAD_H
#define WEIR_FS_READ_AHEAD_H

#include "fs/fs.h"

/* How bytes are fetched. `pending` is what `start` gave; `wait` and `cancel` free it. */
typedef struct weir_read_ahead_ops {
    int (*start)(void *context, uint64_t offset, size_t size, uint8_t *into, void **out_pending, weir_error *err);
    int (*wait)(void *context, void *pending, weir_error *err);
    void (*cancel)(void *context, void *pending);
} weir_read_ahead_ops;

typedef struct weir_read_ahead weir_read_ahead;

/* `size_bytes`: of the file. */
weir_read_ahead *weir_read_ahead_create(const weir_read_ahead_ops *ops, void *context, uint64_t size_bytes);
void weir_read_ahead_free(weir_read_ahead *ahead);

/* One piece, which lies in the file. */
int weir_read_ahead_read(weir_read_ahead *ahead, const weir_read_range *range, weir_error *err);
void weir_read_ahead_expect(weir_read_ahead *ahead, uint64_t offset, uint64_t size);

#endif
