/* The RocksDB database under a backend, as sorted bytes.
 *
 *   key:    | table: 4, big-endian | key group: 1 | key |            entries of tables; 0 is the backend's own
 *   value:  | 1 | bytes |  or  | 2 | time of the last write: 8 | bytes |
 *
 * What is written between begin and commit is there after a crash as a whole or not at all. Little is written as one
 * synced batch; much as one table file that is sorted and linked in, which needs no memory and no log.
 *
 * Threading: one thread; RocksDB has some of its own, for flushing and compaction. */
#ifndef WEIR_STREAM_DISK_H
#define WEIR_STREAM_DISK_H

#include "base/base.h"

typedef struct weir_state_disk weir_state_disk;

typedef struct weir_state_disk_options {
    const char *folder;
    bool temporary;
    int64_t cache_bytes;        /* of blocks, indexes and filters */
    int64_t write_buffer_bytes; /* of all memtables */
} weir_state_disk_options;

/* Opens the database in a folder, which is made where it is missing. */
int weir_state_disk_open(const weir_state_disk_options *options, weir_state_disk **out, weir_error *err);
void weir_state_disk_close(weir_state_disk *disk);
int64_t weir_state_disk_bytes(const weir_state_disk *disk); /* about */

/* Entries of a table that were not written for so long may be left out by compactions from now on; what time it is. */
void weir_state_disk_set_ttl(weir_state_disk *disk, uint32_t table, int64_t ttl_ms);
void weir_state_disk_set_time(weir_state_disk *disk, int64_t now_ms);

/* --- reading --- */

/* `value` is borrowed during the call. */
typedef int (*weir_state_disk_found)(void *owner, size_t index, weir_slice value, weir_error *err);

/* Calls `found` for each of the keys, which ascend, that is there. */
int weir_state_disk_get(weir_state_disk *disk, const weir_slice *keys, size_t count, weir_state_disk_found found,
                        void *owner, weir_error *err);

typedef struct weir_state_scan weir_state_scan;
/* Entries from `from` on whose keys begin with `prefix`. */
int weir_state_scan_open(weir_state_disk *disk, weir_slice from, weir_slice prefix, weir_state_scan **out,
                         weir_error *err);
int weir_state_scan_next(weir_state_scan *scan, weir_slice *out_key, weir_slice *out_value, weir_error *err);
void weir_state_scan_close(weir_state_scan *scan);

/* --- writing --- */

/* Begins what commit makes lasting at once; between them come put and remove, whose keys ascend. */
int weir_state_disk_begin(weir_state_disk *disk, weir_error *err);
int weir_state_disk_put(weir_state_disk *disk, weir_slice key, weir_slice value, weir_error *err); /* keys ascend */
int weir_state_disk_remove(weir_state_disk *disk, weir_slice key, weir_error *err);
int weir_state_disk_commit(weir_state_disk *disk, weir_error *err);
void weir_state_disk_abandon(weir_state_disk *disk); /* what was begun, if anything */

/* --- values --- */

typedef struct weir_state_record {
    bool has_time;
    int64_t time;
    weir_slice bytes;
} weir_state_record;

/* Takes a value apart; its bytes are borrowed. WEIR_CORRUPT: it is no value of this version. */
int weir_state_record_read(weir_slice value, weir_state_record *out, weir_error *err);
/* Appends the header; bytes follow. */
void weir_state_record_begin(weir_buffer *out, bool has_time, int64_t time);

#endif
