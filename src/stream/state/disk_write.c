/* Writing to RocksDB in one step: a synced batch, or a table file that is linked in when there is much.
 *
 * A batch would be in memory three times, with the entries themselves and RocksDB's memtable, and on disk twice. A file
 * is written as it comes, and becomes part of the database by one synced change of its manifest. */
#include <stdlib.h>
#include <unistd.h>

#include "stream/state/disk_internal.h"

#define BATCH_BYTES ((size_t)4 << 20)

int weir_state_disk_begin(weir_state_disk *disk, weir_error *err)
{
    (void)err;
    disk->batch = rocksdb_writebatch_create();
    disk->batch_bytes = 0;
    return WEIR_OK;
}

static void copy_put(void *state, const char *key, size_t key_size, const char *value, size_t value_size)
{
    weir_state_disk *disk = state;
    char *message = NULL;
    rocksdb_sstfilewriter_put(disk->writer, key, key_size, value, value_size, &message);
    if (message != NULL && disk->copy_error == NULL) {
        disk->copy_error = message;
    } else {
        rocksdb_free(message);
    }
}

static void copy_remove(void *state, const char *key, size_t key_size)
{
    weir_state_disk *disk = state;
    char *message = NULL;
    rocksdb_sstfilewriter_delete(disk->writer, key, key_size, &message);
    if (message != NULL && disk->copy_error == NULL) {
        disk->copy_error = message;
    } else {
        rocksdb_free(message);
    }
}

/* Goes on in a file with what the batch holds. */
static int begin_file(weir_state_disk *disk, weir_error *err)
{
    char *message = NULL;
    unlink(disk->file);
    disk->environment = rocksdb_envoptions_create();
    disk->writer = rocksdb_sstfilewriter_create(disk->environment, disk->options);
    rocksdb_sstfilewriter_open(disk->writer, disk->file, &message);
    if (message != NULL) {
        return weir_state_disk_fail(disk, message, err);
    }
    disk->copy_error = NULL;
    rocksdb_writebatch_iterate(disk->batch, disk, copy_put, copy_remove);
    rocksdb_writebatch_destroy(disk->batch);
    disk->batch = NULL;
    if (disk->copy_error != NULL) {
        message = disk->copy_error;
        disk->copy_error = NULL;
        return weir_state_disk_fail(disk, message, err);
    }
    return WEIR_OK;
}

int weir_state_disk_put(weir_state_disk *disk, weir_slice key, weir_slice value, weir_error *err)
{
    if (disk->batch != NULL) {
        disk->batch_bytes += key.size + value.size;
        rocksdb_writebatch_put(disk->batch, (const char *)key.data, key.size, (const char *)value.data, value.size);
        return disk->batch_bytes > BATCH_BYTES ? begin_file(disk, err) : WEIR_OK;
    }
    char *message = NULL;
    rocksdb_sstfilewriter_put(disk->writer, (const char *)key.data, key.size, (const char *)value.data, value.size,
                              &message);
    return message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err);
}

int weir_state_disk_remove(weir_state_disk *disk, weir_slice key, weir_error *err)
{
    if (disk->batch != NULL) {
        disk->batch_bytes += key.size;
        rocksdb_writebatch_delete(disk->batch, (const char *)key.data, key.size);
        return disk->batch_bytes > BATCH_BYTES ? begin_file(disk, err) : WEIR_OK;
    }
    char *message = NULL;
    rocksdb_sstfilewriter_delete(disk->writer, (const char *)key.data, key.size, &message);
    return message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err);
}

static int link_file(weir_state_disk *disk, weir_error *err)
{
    char *message = NULL;
    rocksdb_sstfilewriter_finish(disk->writer, &message);
    if (message != NULL) {
        return weir_state_disk_fail(disk, message, err);
    }
    const char *file = disk->file;
    rocksdb_ingestexternalfileoptions_t *options = rocksdb_ingestexternalfileoptions_create();
    rocksdb_ingestexternalfileoptions_set_move_files(options, 1);
    rocksdb_ingestexternalfileoptions_set_snapshot_consistency(options, 0); /* nobody holds a snapshot */
    rocksdb_ingest_external_file(disk->database, &file, 1, options, &message);
    rocksdb_ingestexternalfileoptions_destroy(options);
    return message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err);
}

int weir_state_disk_commit(weir_state_disk *disk, weir_error *err)
{
    int code = WEIR_OK;
    if (disk->batch != NULL) {
        char *message = NULL;
        rocksdb_write(disk->database, disk->write, disk->batch, &message);
        code = message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err);
    } else {
        code = link_file(disk, err);
    }
    weir_state_disk_abandon(disk);
    return code;
}

void weir_state_disk_abandon(weir_state_disk *disk)
{
    if (disk->batch != NULL) {
        rocksdb_writebatch_destroy(disk->batch);
        disk->batch = NULL;
    }
    if (disk->writer != NULL) {
        rocksdb_sstfilewriter_destroy(disk->writer);
        rocksdb_envoptions_destroy(disk->environment);
        disk->writer = NULL;
        unlink(disk->file);
    }
}
