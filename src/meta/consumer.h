/* Consumers: readers by name, and the next snapshot that each of them still needs (consumer/consumer-<id>). */
#ifndef WEIR_META_CONSUMER_H
#define WEIR_META_CONSUMER_H

#include "fs/fs.h"

typedef struct weir_consumer {
    const char *id;
    int64_t next_snapshot;
} weir_consumer;

/* In byte order of their ids, in `arena`. `root` is the table's or branch's folder. */
int weir_consumer_list(weir_fs *fs, const char *root, weir_arena *arena, weir_consumer **out, size_t *out_count,
                       weir_error *err);

/* The least of all of them, or -1. */
int weir_consumer_least_next_snapshot(weir_fs *fs, const char *root, int64_t *out, weir_error *err);

/* Writes which snapshot a consumer reads next, in the place of what was there. */
int weir_consumer_write(weir_fs *fs, const char *root, const char *id, int64_t next_snapshot, weir_error *err);
int weir_consumer_remove(weir_fs *fs, const char *root, const char *id, weir_error *err); /* absent is OK */

#endif
