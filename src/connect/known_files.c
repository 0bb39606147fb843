/* Files by the hashes of their names, and the part of them that a position keeps:
 *
 *   | version: 1 | settled before: 8 | files: 4 | each: hash: 8, offset: 8, line: 8, state: 1, modified: 8, flags: 1 |
 *   | settled files: 4 | each: hash: 8 |
 *
 * Numbers little-endian. Files that are not read yet are found anew. */
#include "connect/known_files.h"

#include <stdlib.h>

#include "base/byte_reader.h"
#include "base/map.h"

#define VERSION     3 /* 1 is that of a folder that is not followed */
#define ENTRY_BYTES 34

enum { FLAG_THROUGH = 1, FLAG_OPEN = 2, FLAG_CUT = 4 };

void weir_known_files_free(weir_known_files *files)
{
    free(files->slots);
    *files = (weir_known_files){0};
}

uint64_t weir_known_file_hash(const char *name)
{
    uint64_t hash = weir_hash_bytes(weir_slice_text(name));
    return hash != 0 ? hash : 1;
}

/* The slot of the hash, or the free one where it belongs. */
static weir_known_file *slot_of(const weir_known_files *files, uint64_t hash)
{
    size_t mask = files->slot_count - 1;
    size_t at = hash & mask;
    while (files->slots[at].hash != 0 && files->slots[at].hash != hash) {
        at = (at + 1) & mask;
    }
    return &files->slots[at];
}

weir_known_file *weir_known_files_find(const weir_known_files *files, uint64_t hash)
{
    weir_known_file *slot = files->slot_count > 0 ? slot_of(files, hash) : NULL;
    return slot != NULL && slot->hash != 0 ? slot : NULL;
}

/* Moves all files, or those of one generation, to a table of `slot_count` slots. */
static void rebuild(weir_known_files *files, size_t slot_count, bool by_generation, uint32_t generation)
{
    weir_known_files rebuilt = {.slots = weir_alloc_zeroed(slot_count, sizeof *rebuilt.slots),
                                .slot_count = slot_count,
                                .settled_before_ms = files->settled_before_ms};
    for (size_t i = 0; i < files->slot_count; i++) {
        const weir_known_file *file = &files->slots[i];
        if (file->hash != 0 && (!by_generation || file->generation == generation)) {
            *slot_of(&rebuilt, file->hash) = *file;
            rebuilt.count++;
        }
    }
    free(files->slots);
    *files = rebuilt;
}

weir_known_file *weir_known_files_add(weir_known_files *files, uint64_t hash)
{
    if ((files->count + 1) * 4 > files->slot_count * 3) {
        rebuild(files, files->slot_count > 0 ? files->slot_count * 2 : 64, false, 0);
    }
    weir_known_file *slot = slot_of(files, hash);
    if (slot->hash == 0) {
        files->count++;
        *slot = (weir_known_file){.hash = hash, .position = WEIR_FILE_START};
    }
    return slot;
}

void weir_known_files_forget(weir_known_files *files, uint32_t generation)
{
    if (files->slot_count > 0) {
        rebuild(files, files->slot_count, true, generation);
    }
}

/* ---- positions ---- */

static int compare_newest_first(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left < right) - (left > right);
}

static bool is_settled(const weir_known_files *files, const weir_known_file *file)
{
    return file->is_through && !file->is_open && file->modified_ms < files->settled_before_ms;
}

static bool is_to_be_settled(const weir_known_files *files, const weir_known_file *file)
{
    return file->hash != 0 && file->is_through && !is_settled(files, file);
}

/* Lets `settled_before_ms` ascend when too many files that are through are newer than it. */
static void settle(weir_known_files *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->slot_count; i++) {
        count += is_to_be_settled(files, &files->slots[i]);
    }
    if (count <= (size_t)2 * WEIR_KNOWN_FILES_KEPT) {
        return;
    }
    int64_t *times = weir_alloc(count * sizeof *times);
    size_t next = 0;
    for (size_t i = 0; i < files->slot_count; i++) {
        if (is_to_be_settled(files, &files->slots[i])) {
            times[next++] = files->slots[i].modified_ms;
        }
    }
    qsort(times, count, sizeof *times, compare_newest_first);
    files->settled_before_ms = times[WEIR_KNOWN_FILES_KEPT - 1];
    free(times);
}

static void encode_settled(const weir_known_files *files, weir_buffer *out)
{
    uint32_t count = 0;
    size_t count_at = out->size;
    weir_put_u32(out, 0);
    for (size_t i = 0; i < files->slot_count; i++) {
        if (files->slots[i].hash != 0 && is_settled(files, &files->slots[i])) {
            weir_put_u64(out, files->slots[i].hash);
            count++;
        }
    }
    weir_store_le32(out->data + count_at, count);
}

void weir_known_files_encode(weir_known_files *files, weir_buffer *out)
{
    uint32_t count = 0;
    settle(files);
    weir_put_u8(out, VERSION);
    weir_put_u64(out, (uint64_t)files->settled_before_ms);
    size_t count_at = out->size;
    weir_put_u32(out, 0);
    for (size_t i = 0; i < files->slot_count; i++) {
        const weir_known_file *file = &files->slots[i];
        bool is_unread = !file->is_through && !file->is_open && file->position.offset == 0;
        if (file->hash == 0 || is_settled(files, file) || is_unread) {
            continue;
        }
        weir_put_u64(out, file->hash);
        weir_put_u64(out, file->position.offset);
        weir_put_u64(out, (uint64_t)file->position.line);
        weir_put_u8(out, file->position.state);
        weir_put_u64(out, (uint64_t)file->modified_ms);
        weir_put_u8(out, (uint8_t)((file->is_through ? FLAG_THROUGH : 0) | (file->is_open ? FLAG_OPEN : 0) |
                                   (file->is_cut ? FLAG_CUT : 0)));
        count++;
    }
    weir_store_le32(out->data + count_at, count);
    encode_settled(files, out);
}

static void decode_settled(weir_byte_reader *reader, weir_known_files *files)
{
    uint32_t count = weir_take_count(reader, sizeof(uint64_t));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = weir_take_u64(reader);
        weir_known_file *file = weir_known_files_add(files, hash != 0 ? hash : 1);
        file->is_through = file->is_settled = true;
        file->modified_ms = INT64_MIN;
    }
}

int weir_known_files_decode(weir_slice bytes, weir_known_files *files, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    if (weir_take_u8(&reader) != VERSION) {
        return weir_fail(err, WEIR_CORRUPT, "the stored position is of another version, or of a folder that was not "
                                            "followed");
    }
    files->settled_before_ms = weir_take_i64(&reader);
    uint32_t count = weir_take_count(&reader, ENTRY_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t hash = weir_take_u64(&reader);
        weir_known_file *file = weir_known_files_add(files, hash != 0 ? hash : 1);
        file->position.offset = weir_take_u64(&reader);
        file->position.line = weir_take_i64(&reader);
        file->position.state = weir_take_u8(&reader);
        file->modified_ms = weir_take_i64(&reader);
        uint8_t flags = weir_take_u8(&reader);
        file->is_through = flags & FLAG_THROUGH;
        file->is_open = flags & FLAG_OPEN;
        file->is_cut = flags & FLAG_CUT;
    }
    decode_settled(&reader, files);
    if (!weir_byte_reader_is_done(&reader)) {
        weir_known_files_free(files);
        return weir_fail(err, WEIR_CORRUPT, "the stored position is damaged");
    }
    return WEIR_OK;
}
