/* What the two halves of the database layer share: disk.c reads, disk_write.c writes. */
#ifndef WEIR_STREAM_DISK_INTERNAL_H
#define WEIR_STREAM_DISK_INTERNAL_H

#include <rocksdb/c.h>
#include <stdatomic.h>

#include "stream/state/disk.h"

#define WEIR_STATE_TABLE_LIMIT 4096 /* tables with a TTL that compactions know */

struct weir_state_disk {
    char *folder;
    char *file; /* where a large checkpoint is written */
    bool temporary;
    rocksdb_t *database;
    rocksdb_column_family_handle_t *family;
    rocksdb_options_t *options;
    rocksdb_readoptions_t *read;
    rocksdb_writeoptions_t *write;
    rocksdb_cache_t *cache;
    rocksdb_compactionfilter_t *filter;
    rocksdb_writebatch_t *batch;       /* what was begun: one of these, */
    rocksdb_sstfilewriter_t *writer;   /* the second when it is much */
    rocksdb_envoptions_t *environment; /* of the writer */
    size_t batch_bytes;
    char *copy_error; /* the first one, while a batch is copied to a file */
    _Atomic int64_t now_ms;
    _Atomic int64_t ttls[WEIR_STATE_TABLE_LIMIT];
};

/* Fails with what a message of RocksDB means, and frees it. */
int weir_state_disk_fail(const weir_state_disk *disk, char *message, weir_error *err);

#endif
