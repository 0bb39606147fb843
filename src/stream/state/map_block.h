/* Small maps as bytes: what the hash table has as the value of a map's key, and the database too.
 *
 *   | kind 1: 1 | entries in the order of their subkeys |
 *
 *   entry: | subkey size: 1..5 | value size: 1..5 | [time of the last write: 8, with a TTL] | subkey | value |
 *
 * Sizes as in row_layout.h. An entry is looked for from the begin on: blocks are kept small. */
#ifndef WEIR_STREAM_MAP_BLOCK_H
#define WEIR_STREAM_MAP_BLOCK_H

#include "base/base.h"

#define WEIR_MAP_BLOCK_KIND 1

typedef struct weir_map_block_entry {
    size_t begin, end; /* of all of it, in the block */
    int64_t time;      /* 0 without TTL */
    weir_slice subkey;
    weir_slice value;
} weir_map_block_entry;

/* The entry at `at` (1: the first). WEIR_END after the last. */
int weir_map_block_read(weir_slice block, size_t at, bool has_time, weir_map_block_entry *out, weir_error *err);

/* The first entry that is not below the subkey; *out_equal: it is that subkey's. WEIR_END when there is none; begin and
 * end are then the block's end (1 for an empty block). */
int weir_map_block_find(weir_slice block, weir_slice subkey, bool has_time, weir_map_block_entry *out, bool *out_equal,
                        weir_error *err);

size_t weir_map_block_entry_bytes(weir_slice subkey, weir_slice value, bool has_time);
void weir_map_block_write(uint8_t *to, weir_slice subkey, weir_slice value, bool has_time, int64_t time);

#endif
