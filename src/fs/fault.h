/* A file system that fails on purpose, over another one. For crash tests.
 *
 * Operations that change something (create, write, finish, publish, replace, remove, rename, make_directories, sync)
 * are counted from 1. At operation `stop_at` the machine "dies": that operation does not happen (or, for a write, only
 * a first part of it when `torn`), it and every later call fail with WEIR_IO "simulated crash". */
#ifndef WEIR_FS_FAULT_H
#define WEIR_FS_FAULT_H

#include "fs/fs.h"

typedef struct weir_fault_options {
    uint64_t stop_at;    /* 0: never */
    bool torn;           /* the write at stop_at leaves a first part of its bytes */
    bool fail_once;      /* only operation stop_at fails; the later ones work (a passing I/O error) */
    bool answer_lost;    /* publish at stop_at happens, but fails all the same */
    bool reads_count;    /* opens, reads, stats and lists are counted too */
} weir_fault_options;

/* `inner` stays the caller's. */
weir_fs *weir_fs_fault(weir_fs *inner, weir_fault_options options);
uint64_t weir_fs_fault_operations(const weir_fs *fs); /* counted so far */
void weir_fs_fault_set_options(weir_fs *fs, weir_fault_options options); /* and starts counting anew */

/* Power loss: everything in this memory file system that was not synced is dropped (bytes after the last sync of a
 * file; names of files, removals and renames in folders that were not synced since). publish() and making folders are
 * durable by themselves. */
void weir_fs_memory_lose_unsynced(weir_fs *memory);

#endif
