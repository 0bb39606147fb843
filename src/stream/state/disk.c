/* RocksDB: opening it with bounded memory, reading sorted keys, and what its errors mean for the person.
 *
 * Writing is in disk_write.c. The log is read up to its first damaged record: everything is written in synced steps, so
 * what comes after is a step that did not end. */
#include "stream/state/disk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fs/fs.h"
#include "stream/state/disk_internal.h"

#define GET_KEYS        128 /* in one call: each value pins a block of the cache until the call's end */
#define BLOCK_BYTES     4096
#define LOG_HEADER_ONLY 5
#define BLOOM_BITS      10
#define OPEN_FILES      256
#define XXH3_CHECKSUM   4
#define RECORD_PLAIN    1
#define RECORD_TIMED    2

/* --- errors ------------------------------------------------------------------------------------------------------ */

int weir_state_disk_fail(const weir_state_disk *disk, char *message, weir_error *err)
{
    int code = WEIR_IO;
    if (strstr(message, "lock hold by current process") != NULL || strstr(message, "While lock file") != NULL) {
        code = weir_fail(err, WEIR_CONFLICT,
                         "state in %s: another job has it open; wait until it ends, or give this "
                         "one a folder of its own (--state)",
                         disk->folder);
    } else if (strstr(message, "No space left") != NULL) {
        code = weir_fail(err, WEIR_IO,
                         "state in %s: the disk is full; make room and start again, which goes on from "
                         "the last checkpoint",
                         disk->folder);
    } else if (strncmp(message, "Corruption", 10) == 0 || strstr(message, "Checksum mismatch") != NULL ||
               strstr(message, "No such file or directory") != NULL ||
               strncmp(message, "Invalid argument", 16) == 0) {
        code = weir_fail(err, WEIR_CORRUPT, "state in %s is damaged (%s); --fresh starts over without it", disk->folder,
                         message);
    } else {
        code = weir_fail(err, WEIR_IO, "state in %s: %s", disk->folder, message);
    }
    rocksdb_free(message);
    return code;
}

/* --- opening ----------------------------------------------------------------------------------------------------- */

static unsigned char is_over(void *state, int level, const char *key, size_t key_size, const char *value,
                             size_t value_size, char **new_value, size_t *new_size, unsigned char *changed)
{
    (void)level;
    (void)new_value;
    (void)new_size;
    *changed = 0;
    weir_state_disk *disk = state;
    if (key_size < 4 || value_size < 9 || value[0] != RECORD_TIMED) {
        return 0;
    }
    uint32_t table = weir_load_be32(key);
    int64_t ttl_ms =
        table < WEIR_STATE_TABLE_LIMIT ? atomic_load_explicit(&disk->ttls[table], memory_order_relaxed) : 0;
    int64_t now_ms = atomic_load_explicit(&disk->now_ms, memory_order_relaxed);
    return ttl_ms > 0 && now_ms - (int64_t)weir_load_le64(value + 1) >= ttl_ms;
}

static const char *filter_name(void *state)
{
    (void)state;
    return "weir.ttl";
}

static void keep_state(void *state) { (void)state; }

static void set_table_format(weir_state_disk *disk, int64_t cache_bytes)
{
    rocksdb_lru_cache_options_t *cache = rocksdb_lru_cache_options_create();
    rocksdb_lru_cache_options_set_capacity(cache, (size_t)cache_bytes);
    rocksdb_lru_cache_options_set_num_shard_bits(cache, 0); /* shards have a share each, and one thread reads */
    disk->cache = rocksdb_cache_create_lru_opts(cache);
    rocksdb_lru_cache_options_destroy(cache);
    rocksdb_block_based_table_options_t *table = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(table, disk->cache);
    rocksdb_block_based_options_set_block_size(table, BLOCK_BYTES);
    rocksdb_block_based_options_set_format_version(table, 5);
    rocksdb_block_based_options_set_checksum(table, XXH3_CHECKSUM); /* Debian's RocksDB has a slow CRC */
    rocksdb_block_based_options_set_filter_policy(table, rocksdb_filterpolicy_create_bloom_full(BLOOM_BITS));
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(table, 1);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(table, 1);
    rocksdb_block_based_options_set_data_block_index_type(
        table, rocksdb_block_based_table_data_block_index_type_binary_search_and_hash);
    rocksdb_options_set_block_based_table_factory(disk->options, table);
    rocksdb_block_based_options_destroy(table);
}

static void set_options(weir_state_disk *disk, const weir_state_disk_options *options)
{
    disk->options = rocksdb_options_create();
    rocksdb_options_set_create_if_missing(disk->options, 1);
    rocksdb_options_set_db_write_buffer_size(disk->options, (size_t)options->write_buffer_bytes);
    rocksdb_options_set_write_buffer_size(disk->options, (size_t)options->write_buffer_bytes / 2);
    rocksdb_options_set_max_write_buffer_number(disk->options, 2);
    rocksdb_options_set_target_file_size_base(disk->options, (uint64_t)16 << 20);
    rocksdb_options_set_max_bytes_for_level_base(disk->options, (uint64_t)64 << 20);
    rocksdb_options_set_level_compaction_dynamic_level_bytes(disk->options, 1);
    rocksdb_options_set_max_background_jobs(disk->options, 2);
    rocksdb_options_set_max_open_files(disk->options, OPEN_FILES);
    rocksdb_options_set_compression(disk->options, rocksdb_lz4_compression);
    rocksdb_options_set_wal_recovery_mode(disk->options, rocksdb_point_in_time_recovery);
    rocksdb_options_set_bytes_per_sync(disk->options, (uint64_t)1 << 20);
    rocksdb_options_set_keep_log_file_num(disk->options, 2);
    /* Only its header: where the disk is full, RocksDB 7.8 aborts when it writes to its log once more. */
    rocksdb_options_set_info_log_level(disk->options, LOG_HEADER_ONLY);
    rocksdb_options_set_max_manifest_file_size(disk->options, (size_t)4 << 20);
    rocksdb_options_set_skip_stats_update_on_db_open(disk->options, 1);
    rocksdb_options_set_stats_dump_period_sec(disk->options, 0);
    disk->filter = rocksdb_compactionfilter_create(disk, keep_state, is_over, filter_name);
    rocksdb_options_set_compaction_filter(disk->options, disk->filter);
    set_table_format(disk, options->cache_bytes);
}

/* Durable with all folders above it: what is in it would be lost with its name. */
static int make_folder(const char *folder, weir_error *err)
{
    int code = weir_fs_make_directories(weir_fs_local(), folder, err);
    return code == WEIR_OK ? code : weir_error_context(err, code, "making a folder for state");
}

static bool ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), end_size = strlen(end);
    return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

/* Whether a file shows that the database has been open: its first manifest is there before CURRENT is, when it is made. */
static bool is_of_use(const char *name)
{
    bool is_manifest = strncmp(name, "MANIFEST-", 9) == 0;
    return (is_manifest && strcmp(name, "MANIFEST-000001") != 0) || ends_with(name, ".sst") || ends_with(name, ".log");
}

/* RocksDB would make a new database where the file that names the manifest is gone. It does so rightly where the program
 * was killed while the database was being made. */
static int check_whole(const weir_state_disk *disk, weir_error *err)
{
    bool was_in_use = false;
    bool has_current = false;
    DIR *listing = opendir(disk->folder);
    if (listing == NULL) {
        return weir_fail_errno(err, errno, "cannot list this folder for state", disk->folder);
    }
    for (const struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        was_in_use = was_in_use || is_of_use(entry->d_name);
        has_current = has_current || strcmp(entry->d_name, "CURRENT") == 0;
    }
    closedir(listing);
    if (was_in_use && !has_current) {
        return weir_fail(err, WEIR_CORRUPT,
                         "state in %s is damaged (there is no file CURRENT); --fresh starts over without "
                         "it",
                         disk->folder);
    }
    return WEIR_OK;
}

static int open_database(weir_state_disk *disk, weir_error *err)
{
    char *message = NULL;
    const char *family = "default";
    const rocksdb_options_t *options = disk->options;
    disk->database =
        rocksdb_open_column_families(disk->options, disk->folder, 1, &family, &options, &disk->family, &message);
    return message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err);
}

int weir_state_disk_open(const weir_state_disk_options *options, weir_state_disk **out, weir_error *err)
{
    int code = WEIR_OK;
    char *message = NULL;
    WEIR_TRY(make_folder(options->folder, err));
    weir_state_disk *disk = weir_alloc_zeroed(1, sizeof *disk);
    disk->folder = weir_strdup(options->folder);
    disk->file = weir_format("%s/checkpoint.tmp", options->folder);
    disk->temporary = options->temporary;
    set_options(disk, options);
    disk->read = rocksdb_readoptions_create();
    disk->write = rocksdb_writeoptions_create();
    rocksdb_writeoptions_set_sync(disk->write, !disk->temporary);
    rocksdb_writeoptions_disable_WAL(disk->write, disk->temporary);
    if (disk->temporary) {
        rocksdb_destroy_db(disk->options, disk->folder, &message);
        WEIR_GO(message == NULL ? WEIR_OK : weir_state_disk_fail(disk, message, err));
        WEIR_GO(make_folder(disk->folder, err));
    }
    WEIR_GO(check_whole(disk, err));
    WEIR_GO(open_database(disk, err));
    unlink(disk->file);
    *out = disk;
    disk = NULL;
done:
    weir_state_disk_close(disk);
    return code;
}

void weir_state_disk_close(weir_state_disk *disk)
{
    if (disk == NULL) {
        return;
    }
    char *message = NULL;
    weir_state_disk_abandon(disk);
    if (disk->database != NULL) {
        rocksdb_cancel_all_background_work(disk->database, 1);
        rocksdb_column_family_handle_destroy(disk->family);
        rocksdb_close(disk->database);
        if (disk->temporary) {
            rocksdb_destroy_db(disk->options, disk->folder, &message);
            rocksdb_free(message);
        }
    }
    rocksdb_readoptions_destroy(disk->read);
    rocksdb_writeoptions_destroy(disk->write);
    rocksdb_options_destroy(disk->options);
    rocksdb_compactionfilter_destroy(disk->filter);
    rocksdb_cache_destroy(disk->cache);
    free(disk->folder);
    free(disk->file);
    free(disk);
}

int64_t weir_state_disk_bytes(const weir_state_disk *disk)
{
    uint64_t bytes = 0;
    rocksdb_property_int(disk->database, "rocksdb.total-sst-files-size", &bytes);
    return (int64_t)bytes;
}

void weir_state_disk_set_ttl(weir_state_disk *disk, uint32_t table, int64_t ttl_ms)
{
    if (table < WEIR_STATE_TABLE_LIMIT) {
        atomic_store_explicit(&disk->ttls[table], ttl_ms, memory_order_relaxed);
    }
}

void weir_state_disk_set_time(weir_state_disk *disk, int64_t now_ms)
{
    atomic_store_explicit(&disk->now_ms, now_ms, memory_order_relaxed);
}

/* --- reading ----------------------------------------------------------------------------------------------------- */

/* Up to GET_KEYS keys. */
static int get_some(weir_state_disk *disk, const weir_slice *keys, size_t first, size_t count,
                    weir_state_disk_found found, void *owner, weir_error *err)
{
    const char *bytes[GET_KEYS];
    size_t sizes[GET_KEYS];
    rocksdb_pinnableslice_t *values[GET_KEYS] = {0};
    char *messages[GET_KEYS] = {0};
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (const char *)keys[first + i].data;
        sizes[i] = keys[first + i].size;
    }
    rocksdb_batched_multi_get_cf(disk->database, disk->read, disk->family, count, bytes, sizes, values, messages, true);
    int code = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        if (messages[i] != NULL && code == WEIR_OK) {
            code = weir_state_disk_fail(disk, messages[i], err);
        } else if (messages[i] != NULL) {
            rocksdb_free(messages[i]);
        } else if (values[i] != NULL && code == WEIR_OK) {
            size_t size = 0;
            const char *value = rocksdb_pinnableslice_value(values[i], &size);
            code = found(owner, first + i, weir_slice_of(value, size), err);
        }
        rocksdb_pinnableslice_destroy(values[i]);
    }
    return code;
}

int weir_state_disk_get(weir_state_disk *disk, const weir_slice *keys, size_t count, weir_state_disk_found found,
                        void *owner, weir_error *err)
{
    for (size_t first = 0; first < count; first += GET_KEYS) {
        size_t some = count - first < GET_KEYS ? count - first : GET_KEYS;
        WEIR_TRY(get_some(disk, keys, first, some, found, owner, err));
    }
    return WEIR_OK;
}

struct weir_state_scan {
    weir_state_disk *disk;
    rocksdb_iterator_t *iterator;
    weir_buffer prefix;
    bool begun;
};

int weir_state_scan_open(weir_state_disk *disk, weir_slice from, weir_slice prefix, weir_state_scan **out,
                         weir_error *err)
{
    (void)err;
    weir_state_scan *scan = weir_alloc_zeroed(1, sizeof *scan);
    scan->disk = disk;
    weir_buffer_append(&scan->prefix, prefix.data, prefix.size);
    scan->iterator = rocksdb_create_iterator(disk->database, disk->read);
    rocksdb_iter_seek(scan->iterator, (const char *)from.data, from.size);
    *out = scan;
    return WEIR_OK;
}

int weir_state_scan_next(weir_state_scan *scan, weir_slice *out_key, weir_slice *out_value, weir_error *err)
{
    char *message = NULL;
    if (scan->begun && rocksdb_iter_valid(scan->iterator)) {
        rocksdb_iter_next(scan->iterator);
    }
    scan->begun = true;
    if (!rocksdb_iter_valid(scan->iterator)) {
        rocksdb_iter_get_error(scan->iterator, &message);
        return message == NULL ? WEIR_END : weir_state_disk_fail(scan->disk, message, err);
    }
    size_t key_size = 0;
    size_t value_size = 0;
    const char *key = rocksdb_iter_key(scan->iterator, &key_size);
    if (key_size < scan->prefix.size || memcmp(key, scan->prefix.data, scan->prefix.size) != 0) {
        return WEIR_END;
    }
    const char *value = rocksdb_iter_value(scan->iterator, &value_size);
    *out_key = weir_slice_of(key, key_size);
    *out_value = weir_slice_of(value, value_size);
    return WEIR_OK;
}

void weir_state_scan_close(weir_state_scan *scan)
{
    if (scan != NULL) {
        rocksdb_iter_destroy(scan->iterator);
        weir_buffer_free(&scan->prefix);
        free(scan);
    }
}

/* --- values ------------------------------------------------------------------------------------------------------ */

int weir_state_record_read(weir_slice value, weir_state_record *out, weir_error *err)
{
    if (value.size >= 1 && value.data[0] == RECORD_PLAIN) {
        *out = (weir_state_record){.bytes = weir_slice_of(value.data + 1, value.size - 1)};
        return WEIR_OK;
    }
    if (value.size >= 9 && value.data[0] == RECORD_TIMED) {
        *out = (weir_state_record){true, (int64_t)weir_load_le64(value.data + 1),
                                   weir_slice_of(value.data + 9, value.size - 9)};
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_CORRUPT, "an entry in state has format version %d; this program knows 1 and 2",
                     value.size == 0 ? -1 : value.data[0]);
}

void weir_state_record_begin(weir_buffer *out, bool has_time, int64_t time)
{
    weir_buffer_append_byte(out, has_time ? RECORD_TIMED : RECORD_PLAIN);
    if (has_time) {
        uint8_t bytes[8];
        weir_store_le64(bytes, (uint64_t)time);
        weir_buffer_append(out, bytes, sizeof bytes);
    }
}
