/* The buckets of keys, partition by partition (org.apache.paimon.index.HashBucketAssigner and PartitionIndex).
 *
 * In memory there is only a map from hashes to buckets. A bucket's index file is written anew from the one before and
 * the hashes that were added since.
 *
 * With dynamic-bucket.initial-buckets = n there are n sequences of buckets, of the numbers i, i + n, i + 2n …, and the
 * hash of a key chooses one: what n parallel assigners do in Java. */
#include "table/write/bucket_assigner.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/map.h"
#include "index/hash_index.h"
#include "table/commit/commit_indexes.h"
#include "vector/bucket.h"

typedef struct bucket_keys {
    bool exists;
    bool has_rows; /* since the last prepare */
    int64_t key_count;
    weir_index_file file; /* the index file as of the last prepare, its texts owned; its name NULL: none */
    weir_buffer added;    /* hashes since then, as a file holds them */
} bucket_keys;

/* Where a sequence of buckets has come to: all before are full, or taken. */
typedef struct bucket_sequence {
    int32_t first_open;
    int32_t first_free;
} bucket_sequence;

typedef struct partition_index {
    weir_slice partition; /* serialized, owned */
    weir_hash_buckets map;
    bucket_keys *buckets; /* by number */
    size_t bucket_capacity;
    int32_t bucket_limit; /* all that exist are below */
    bucket_sequence *sequences;
    bool accessed; /* since the last prepare */
} partition_index;

struct weir_bucket_assigner {
    const weir_table *table;
    bool overwrite;
    int64_t target_rows;
    int32_t max_buckets; /* -1: as many as there can be */
    int32_t sequence_count;
    weir_map partitions; /* serialized → partition_index */
    weir_buffer key;     /* scratch: the partition of a row */
    int32_t *hashes;     /* of the batch at hand */
    size_t hash_capacity;
    char uuid[WEIR_UUID_SIZE]; /* of index files */
    int64_t file_count;
    /* The index files of the latest snapshot, read once for the partitions that come up between two prepares. */
    weir_arena entries_arena;
    weir_index_entries entries;
    bool has_entries;
};

static int read_count(const weir_table *table, const char *key, int64_t otherwise, int64_t *out, weir_error *err)
{
    *out = otherwise;
    return weir_options_get(&table->schema->options, key) == NULL
               ? WEIR_OK
               : weir_options_int(&table->schema->options, key, out, err);
}

static int read_options(weir_bucket_assigner *assigner, weir_error *err)
{
    const weir_options *set = &assigner->table->schema->options;
    int64_t most = -1, parallelism = 1, sequences = 1;
    WEIR_TRY(weir_options_int(set, "dynamic-bucket.target-row-num", &assigner->target_rows, err));
    WEIR_TRY(weir_options_int(set, "dynamic-bucket.max-buckets", &most, err));
    WEIR_TRY(read_count(assigner->table, "dynamic-bucket.assigner-parallelism", 1, &parallelism, err));
    WEIR_TRY(read_count(assigner->table, "dynamic-bucket.initial-buckets", parallelism, &sequences, err));
    bool fits = assigner->target_rows > 0 && (most == -1 || most > 0) && sequences > 0;
    if (!fits) {
        return weir_fail(err, WEIR_INVALID,
                         "'dynamic-bucket.target-row-num', 'dynamic-bucket.initial-buckets' and "
                         "'dynamic-bucket.assigner-parallelism' must be greater than 0, 'dynamic-bucket.max-buckets' "
                         "too, or -1");
    }
    most = most > WEIR_MOST_DYNAMIC_BUCKETS ? WEIR_MOST_DYNAMIC_BUCKETS : most;
    int64_t limit = most > 0 ? most : WEIR_MOST_DYNAMIC_BUCKETS;
    assigner->max_buckets = (int32_t)most;
    assigner->sequence_count = (int32_t)(sequences < limit ? sequences : limit);
    return WEIR_OK;
}

int weir_bucket_assigner_open(const weir_table *table, bool overwrite, weir_bucket_assigner **out, weir_error *err)
{
    weir_bucket_assigner *assigner = weir_alloc_zeroed(1, sizeof *assigner);
    assigner->table = table;
    assigner->overwrite = overwrite;
    weir_arena_init(&assigner->entries_arena);
    weir_uuid(assigner->uuid);
    int code = read_options(assigner, err);
    if (code != WEIR_OK) {
        weir_bucket_assigner_close(assigner);
        return code;
    }
    *out = assigner;
    return WEIR_OK;
}

static void set_file(bucket_keys *keys, const weir_index_file *file)
{
    free((void *)keys->file.name);
    free((void *)keys->file.external_path);
    keys->file = (weir_index_file){0};
    if (file != NULL) {
        keys->file =
            (weir_index_file){.type = WEIR_HASH_INDEX, .size_bytes = file->size_bytes, .row_count = file->row_count};
        keys->file.name = weir_strdup(file->name);
        keys->file.external_path = file->external_path != NULL ? weir_strdup(file->external_path) : NULL;
    }
}

static void free_partition(partition_index *index)
{
    for (int32_t i = 0; i < index->bucket_limit; i++) {
        weir_buffer_free(&index->buckets[i].added);
        set_file(&index->buckets[i], NULL);
    }
    free(index->buckets);
    free(index->sequences);
    weir_hash_buckets_free(&index->map);
    free((void *)index->partition.data);
    free(index);
}

static void forget_entries(weir_bucket_assigner *assigner)
{
    weir_index_entries_free(&assigner->entries);
    weir_arena_free(&assigner->entries_arena);
    assigner->has_entries = false;
}

void weir_bucket_assigner_reset(weir_bucket_assigner *assigner)
{
    for (size_t i = 0; i < assigner->partitions.entry_count; i++) {
        if (assigner->partitions.entries[i].value != NULL) {
            free_partition(assigner->partitions.entries[i].value);
        }
    }
    weir_map_free(&assigner->partitions);
    forget_entries(assigner);
}

void weir_bucket_assigner_close(weir_bucket_assigner *assigner)
{
    if (assigner == NULL) {
        return;
    }
    weir_bucket_assigner_reset(assigner);
    weir_buffer_free(&assigner->key);
    free(assigner->hashes);
    free(assigner);
}

/* ---- the index of a partition ---- */

static bucket_keys *bucket_at(partition_index *index, int32_t bucket)
{
    if (bucket >= index->bucket_limit) {
        WEIR_GROW(index->buckets, index->bucket_capacity, bucket + 1);
        memset(index->buckets + index->bucket_limit, 0,
               sizeof *index->buckets * (size_t)(bucket + 1 - index->bucket_limit));
        index->bucket_limit = bucket + 1;
    }
    return &index->buckets[bucket];
}

static int read_entries(weir_bucket_assigner *assigner, weir_error *err)
{
    const weir_table_context *context = &assigner->table->context;
    weir_snapshot *snapshot = NULL;
    int64_t latest = 0;
    if (assigner->has_entries || assigner->overwrite) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (latest > 0) {
        WEIR_TRY(
            weir_snapshot_read(context->fs, context->paths.root, latest, &assigner->entries_arena, &snapshot, err));
        WEIR_TRY(weir_snapshot_indexes(assigner->table, snapshot, &assigner->entries_arena, &assigner->entries, err));
    }
    assigner->has_entries = true;
    return WEIR_OK;
}

static int load_file(weir_bucket_assigner *assigner, partition_index *index, const weir_index_entry *entry,
                     weir_error *err)
{
    const weir_table_context *context = &assigner->table->context;
    const char *path = NULL;
    weir_buffer hashes = {0};
    int code;
    if (entry->bucket < 0 || entry->bucket >= WEIR_MOST_DYNAMIC_BUCKETS) {
        return weir_fail(err, WEIR_CORRUPT, "%s: index file %s is of bucket %d", assigner->table->path,
                         entry->file->name, entry->bucket);
    }
    WEIR_GO(weir_index_file_path(&assigner->entries_arena, &context->paths, context->schema, entry, &path, err));
    WEIR_GO(weir_hash_index_read(context->fs, path, &hashes, err));
    bucket_keys *keys = bucket_at(index, entry->bucket);
    keys->exists = true;
    set_file(keys, entry->file);
    for (size_t at = 0; at < hashes.size; at += sizeof(int32_t)) {
        int32_t hash = (int32_t)weir_load_be32(hashes.data + at);
        WEIR_GO(weir_hash_buckets_add(&index->map, hash, entry->bucket, err));
    }
    keys->key_count = (int64_t)(hashes.size / sizeof(int32_t));
done:
    weir_buffer_free(&hashes);
    return code;
}

static int load_partition(weir_bucket_assigner *assigner, partition_index *index, weir_error *err)
{
    WEIR_TRY(read_entries(assigner, err));
    for (size_t i = 0; i < assigner->entries.count; i++) {
        const weir_index_entry *entry = &assigner->entries.items[i];
        if (strcmp(entry->file->type, WEIR_HASH_INDEX) == 0 && weir_slice_equal(entry->partition, index->partition)) {
            WEIR_TRY(load_file(assigner, index, entry, err));
        }
    }
    return WEIR_OK;
}

/* The index of the partition in assigner->key. */
static int find_partition(weir_bucket_assigner *assigner, partition_index **out, weir_error *err)
{
    partition_index *index = weir_map_get(&assigner->partitions, weir_buffer_slice(&assigner->key));
    if (index == NULL) {
        index = weir_alloc_zeroed(1, sizeof *index);
        uint8_t *partition = weir_alloc(assigner->key.size);
        memcpy(partition, assigner->key.data, assigner->key.size);
        index->partition = weir_slice_of(partition, assigner->key.size);
        index->map.budget = assigner->table->context.budget;
        index->sequences = weir_alloc_zeroed((size_t)assigner->sequence_count, sizeof *index->sequences);
        for (int32_t i = 0; i < assigner->sequence_count; i++) {
            index->sequences[i] = (bucket_sequence){i, i};
        }
        int code = load_partition(assigner, index, err);
        if (code != WEIR_OK) {
            free_partition(index);
            return code;
        }
        weir_map_put(&assigner->partitions, index->partition, index);
    }
    index->accessed = true;
    *out = index;
    return WEIR_OK;
}

/* ---- assigning ---- */

/* A bucket of the sequence that takes one more key; -1: there is none. Cursors only go forward, for keys only come. */
static int32_t find_open(const weir_bucket_assigner *assigner, partition_index *index, bucket_sequence *sequence)
{
    while (sequence->first_open < index->bucket_limit) {
        const bucket_keys *keys = &index->buckets[sequence->first_open];
        if (keys->exists && keys->key_count < assigner->target_rows) {
            return sequence->first_open;
        }
        sequence->first_open += assigner->sequence_count;
    }
    return -1;
}

static int32_t find_free(const weir_bucket_assigner *assigner, partition_index *index, bucket_sequence *sequence)
{
    int32_t limit = assigner->max_buckets > 0 ? assigner->max_buckets : WEIR_MOST_DYNAMIC_BUCKETS;
    while (sequence->first_free < index->bucket_limit && index->buckets[sequence->first_free].exists) {
        sequence->first_free += assigner->sequence_count;
    }
    if (sequence->first_free >= limit) {
        return -1;
    }
    if (sequence->first_free < sequence->first_open) {
        sequence->first_open = sequence->first_free;
    }
    return sequence->first_free;
}

/* All buckets that there may be are full: one of those that exist, by the hash. */
static int32_t choose_full(const partition_index *index, int32_t hash)
{
    int32_t count = 0;
    for (int32_t i = 0; i < index->bucket_limit; i++) {
        count += index->buckets[i].exists;
    }
    int32_t chosen = (int32_t)((uint32_t)hash / 7 % (uint32_t)count);
    for (int32_t i = 0; i < index->bucket_limit; i++) {
        if (index->buckets[i].exists && chosen-- == 0) {
            return i;
        }
    }
    return 0;
}

static int choose_bucket(const weir_bucket_assigner *assigner, partition_index *index, int32_t hash, int32_t *out,
                         weir_error *err)
{
    bucket_sequence *sequence = &index->sequences[abs(hash % assigner->sequence_count)];
    *out = find_open(assigner, index, sequence);
    if (*out < 0) {
        *out = find_free(assigner, index, sequence);
    }
    if (*out < 0 && assigner->max_buckets < 0) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: a partition would have more than %d buckets; use a greater "
                         "'dynamic-bucket.target-row-num' than %" PRId64,
                         assigner->table->path, WEIR_MOST_DYNAMIC_BUCKETS, assigner->target_rows);
    }
    if (*out < 0) {
        *out = choose_full(index, hash);
    }
    return WEIR_OK;
}

static int assign(const weir_bucket_assigner *assigner, partition_index *index, int32_t hash, int32_t *out,
                  weir_error *err)
{
    uint8_t encoded[sizeof(int32_t)];
    *out = weir_hash_buckets_get(&index->map, hash);
    if (*out >= 0) {
        index->buckets[*out].has_rows = true;
        return WEIR_OK;
    }
    WEIR_TRY(choose_bucket(assigner, index, hash, out, err));
    WEIR_TRY(weir_hash_buckets_add(&index->map, hash, *out, err));
    bucket_keys *keys = bucket_at(index, *out);
    weir_store_be32(encoded, (uint32_t)hash);
    weir_buffer_append(&keys->added, encoded, sizeof encoded);
    keys->exists = true;
    keys->key_count++;
    return WEIR_OK;
}

/* Neighbouring rows are mostly of one partition. */
int weir_bucket_assigner_assign(weir_bucket_assigner *assigner, const weir_batch *batch, uint8_t dropped_kinds,
                                int32_t *out_buckets, weir_error *err)
{
    const weir_schema *schema = assigner->table->schema;
    partition_index *index = NULL;
    int64_t before = -1;
    WEIR_GROW(assigner->hashes, assigner->hash_capacity, batch->length + 1);
    WEIR_TRY(weir_batch_hash(batch, schema->key_columns, schema->key_column_count, assigner->hashes, err));
    for (int64_t i = 0; i < batch->length; i++) {
        if (dropped_kinds >> weir_batch_kind(batch, i) & 1) {
            out_buckets[i] = 0;
            continue;
        }
        if (before < 0 || !weir_partition_rows_equal(schema, batch, before, i)) {
            weir_buffer_clear(&assigner->key);
            WEIR_TRY(weir_partition_append_row(schema, batch, i, &assigner->key, err));
            WEIR_TRY(find_partition(assigner, &index, err));
        }
        before = i;
        WEIR_TRY(assign(assigner, index, assigner->hashes[i], &out_buckets[i], err));
    }
    return WEIR_OK;
}

/* ---- index files ---- */

/* The messages of a prepare, by bucket and partition. */
typedef struct message_list {
    weir_commit_messages *messages;
    weir_arena *arena;
    weir_map places; /* position + 1 */
    weir_buffer key;
} message_list;

static weir_slice message_key(message_list *list, weir_slice partition, int32_t bucket)
{
    weir_buffer_clear(&list->key);
    weir_buffer_append(&list->key, &bucket, sizeof bucket);
    weir_buffer_append(&list->key, partition.data, partition.size);
    return weir_buffer_slice(&list->key);
}

static void open_list(weir_commit_messages *messages, size_t first, weir_arena *arena, message_list *out)
{
    *out = (message_list){.messages = messages, .arena = arena};
    for (size_t i = first; i < messages->count; i++) {
        const weir_commit_message *message = &messages->items[i];
        weir_map_put(&out->places, message_key(out, message->partition, message->bucket), (void *)(uintptr_t)(i + 1));
    }
}

static void close_list(message_list *list)
{
    weir_map_free(&list->places);
    weir_buffer_free(&list->key);
}

/* Valid until the next call. */
static weir_commit_message *find_message(message_list *list, const partition_index *index, int32_t bucket)
{
    weir_slice key = message_key(list, index->partition, bucket);
    uintptr_t place = (uintptr_t)weir_map_get(&list->places, key);
    if (place > 0) {
        return &list->messages->items[place - 1];
    }
    const void *partition = weir_arena_copy(list->arena, index->partition.data, index->partition.size);
    weir_map_put(&list->places, key, (void *)(uintptr_t)(list->messages->count + 1));
    return weir_commit_messages_add(list->messages, weir_slice_of(partition, index->partition.size), bucket, -1);
}

/* The bucket's file from before with the new hashes after it, under a new name. */
static int write_file(weir_bucket_assigner *assigner, partition_index *index, int32_t bucket, weir_arena *arena,
                      weir_index_file *file, weir_error *err)
{
    const weir_table_context *context = &assigner->table->context;
    bucket_keys *keys = &index->buckets[bucket];
    weir_index_entry entry = {.partition = index->partition, .bucket = bucket, .file = &keys->file};
    weir_buffer hashes = {0};
    const char *path = NULL;
    int code;
    if (keys->file.name != NULL) {
        WEIR_GO(weir_index_file_path(arena, &context->paths, context->schema, &entry, &path, err));
        WEIR_GO(weir_hash_index_read(context->fs, path, &hashes, err));
    }
    weir_buffer_append(&hashes, keys->added.data, keys->added.size);
    file->size_bytes = (int64_t)hashes.size;
    file->row_count = (int64_t)(hashes.size / sizeof(int32_t));
    entry.file = file;
    WEIR_GO(weir_index_file_path(arena, &context->paths, context->schema, &entry, &path, err));
    WEIR_GO(weir_hash_index_write(context->fs, path, weir_buffer_slice(&hashes), err));
done:
    weir_buffer_free(&hashes);
    return code;
}

static int prepare_bucket(weir_bucket_assigner *assigner, partition_index *index, int32_t bucket, message_list *list,
                          weir_error *err)
{
    weir_arena *arena = list->arena;
    bucket_keys *keys = &index->buckets[bucket];
    weir_index_file file = {.type = WEIR_HASH_INDEX};
    file.name = weir_arena_format(arena, "index-%s-%" PRId64, assigner->uuid, assigner->file_count++);
    WEIR_TRY(write_file(assigner, index, bucket, arena, &file, err));
    weir_commit_message *message = find_message(list, index, bucket);
    weir_index_list_append(&message->new_index_files, weir_index_file_copy(arena, &file));
    if (keys->file.name != NULL) {
        weir_index_list_append(&message->deleted_index_files, weir_index_file_copy(arena, &keys->file));
    }
    set_file(keys, &file);
    weir_buffer_free(&keys->added);
    return WEIR_OK;
}

/* A known key is where the index of its bucket says, a new one in none of those that the partition has. */
static void name_relied(const partition_index *index, int32_t bucket, message_list *list)
{
    weir_commit_message *message = find_message(list, index, bucket);
    weir_index_list_append(&message->relied_index_files,
                           weir_index_file_copy(list->arena, &index->buckets[bucket].file));
}

static int prepare_partition(weir_bucket_assigner *assigner, partition_index *index, message_list *list,
                             bool *out_wrote, weir_error *err)
{
    bool has_new = false;
    for (int32_t i = 0; i < index->bucket_limit; i++) {
        has_new |= index->buckets[i].added.size > 0;
    }
    for (int32_t i = 0; i < index->bucket_limit; i++) {
        bucket_keys *keys = &index->buckets[i];
        if (keys->added.size > 0) {
            WEIR_TRY(prepare_bucket(assigner, index, i, list, err));
        } else if (keys->file.name != NULL && (has_new || keys->has_rows)) {
            name_relied(index, i, list);
        }
        keys->has_rows = false;
    }
    *out_wrote |= has_new;
    return WEIR_OK;
}

static int sync_folder(const weir_bucket_assigner *assigner, weir_arena *arena, weir_error *err)
{
    const weir_table_context *context = &assigner->table->context;
    return weir_fs_sync_directory(context->fs, weir_arena_format(arena, "%s/index", context->paths.table), err);
}

int weir_bucket_assigner_prepare(weir_bucket_assigner *assigner, weir_arena *arena, weir_commit_messages *messages,
                                 size_t first, weir_error *err)
{
    bool wrote = false;
    message_list list;
    int code = WEIR_OK;
    open_list(messages, first, arena, &list);
    for (size_t i = 0; i < assigner->partitions.entry_count; i++) {
        partition_index *index = assigner->partitions.entries[i].value;
        if (index != NULL && index->accessed) {
            WEIR_GO(prepare_partition(assigner, index, &list, &wrote, err));
            index->accessed = false;
        } else if (index != NULL) {
            weir_map_remove(&assigner->partitions, assigner->partitions.entries[i].key);
            free_partition(index);
        }
    }
    forget_entries(assigner);
    code = wrote ? sync_folder(assigner, arena, err) : WEIR_OK;
done:
    close_list(&list);
    return code;
}
