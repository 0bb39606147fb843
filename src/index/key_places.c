/* A hash table of fixed slots over mapped memory or a mapped file.
 *
 * The slot of a key follows from the first bits of its fingerprint, so that the slots of a larger table come in the
 * same order: growing reads and writes both from the front to the back, which matters on a disk. */
#include "index/key_places.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#define FIRST_SLOT_BITS 10
#define DISK_ACCESSES                                                                                                  \
    (1 << 18) /* after so many, pages of a mapped file are let go of: the system keeps them as it can */

/* bucket is one more than the number; 0: a free slot, as fresh memory is. */
typedef struct place_slot {
    uint64_t high;
    uint64_t low;
    int32_t partition;
    int32_t bucket;
} place_slot;

typedef struct slot_table {
    place_slot *slots;
    uint32_t bits;
    bool on_disk;
} slot_table;

struct weir_key_places {
    weir_budget *budget;
    slot_table table;
    int64_t count;
    uint32_t accesses;
};

weir_key_fingerprint weir_key_fingerprint_of(weir_slice key)
{
    XXH128_hash_t hash = XXH3_128bits(key.data, key.size);
    return (weir_key_fingerprint){.high = hash.high64, .low = hash.low64};
}

static size_t table_bytes(uint32_t bits) { return sizeof(place_slot) << bits; }

static const char *temporary_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL && folder[0] == '/' ? folder : "/tmp";
}

/* A file that has no name any more, with all its bytes there: a full disk is an error now, not a crash later. */
static int open_file(size_t bytes, int *out, weir_error *err)
{
    char path[4096];
    int written = snprintf(path, sizeof path, "%s/weir-keys-XXXXXX", temporary_folder());
    if (written < 0 || (size_t)written >= sizeof path) {
        return weir_fail(err, WEIR_INVALID, "TMPDIR names too long a folder");
    }
    int file = mkstemp(path);
    if (file < 0) {
        return weir_fail(err, WEIR_IO, "making a file for the index of keys: %s: %s", path, strerror(errno));
    }
    unlink(path);
    int code = posix_fallocate(file, 0, (off_t)bytes);
    if (code != 0) {
        close(file);
        return weir_fail(err, WEIR_IO, "%zu bytes for the index of keys in %s (TMPDIR): %s", bytes, temporary_folder(),
                         strerror(code));
    }
    *out = file;
    return WEIR_OK;
}

static int map_file(uint32_t bits, slot_table *out, weir_error *err)
{
    int file = -1;
    WEIR_TRY(open_file(table_bytes(bits), &file, err));
    void *memory = mmap(NULL, table_bytes(bits), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) {
        return weir_fail(err, WEIR_IO, "mapping the index of keys: %s", strerror(errno));
    }
    *out = (slot_table){.slots = memory, .bits = bits, .on_disk = true};
    return WEIR_OK;
}

static int make_table(weir_key_places *places, uint32_t bits, slot_table *out, weir_error *err)
{
    bool fits = !places->table.on_disk && weir_budget_try_take(places->budget, (int64_t)table_bytes(bits));
    if (!fits) {
        return map_file(bits, out, err);
    }
    void *memory =
        mmap(NULL, table_bytes(bits), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        weir_budget_give(places->budget, (int64_t)table_bytes(bits));
        return map_file(bits, out, err);
    }
    *out = (slot_table){.slots = memory, .bits = bits};
    return WEIR_OK;
}

static void free_table(weir_key_places *places)
{
    slot_table *table = &places->table;
    if (table->slots == NULL) {
        return;
    }
    munmap(table->slots, table_bytes(table->bits));
    if (!table->on_disk) {
        weir_budget_give(places->budget, (int64_t)table_bytes(table->bits));
    }
    *table = (slot_table){0};
}

weir_key_places *weir_key_places_create(weir_budget *budget)
{
    weir_key_places *places = weir_alloc_zeroed(1, sizeof *places);
    places->budget = budget;
    return places;
}

void weir_key_places_free(weir_key_places *places)
{
    if (places != NULL) {
        free_table(places);
        free(places);
    }
}

int64_t weir_key_places_count(const weir_key_places *places) { return places->count; }
bool weir_key_places_on_disk(const weir_key_places *places) { return places->table.on_disk; }

/* The slot of a key, or the free one where it would be. */
static place_slot *find_slot(const slot_table *table, weir_key_fingerprint key)
{
    uint64_t mask = (UINT64_C(1) << table->bits) - 1;
    uint64_t at = key.high >> (64 - table->bits);
    while (table->slots[at].bucket != 0 && (table->slots[at].high != key.high || table->slots[at].low != key.low)) {
        at = (at + 1) & mask;
    }
    return &table->slots[at];
}

static int grow(weir_key_places *places, weir_error *err)
{
    slot_table larger;
    uint32_t bits = places->table.slots == NULL ? FIRST_SLOT_BITS : places->table.bits + 1;
    WEIR_TRY(make_table(places, bits, &larger, err));
    for (uint64_t i = 0; places->table.slots != NULL && i < UINT64_C(1) << places->table.bits; i++) {
        const place_slot *slot = &places->table.slots[i];
        if (slot->bucket != 0) {
            *find_slot(&larger, (weir_key_fingerprint){slot->high, slot->low}) = *slot;
        }
    }
    free_table(places);
    places->table = larger;
    return WEIR_OK;
}

/* What is mapped from a file counts as the process's memory until it is let go of. */
static void count_access(weir_key_places *places)
{
    if (places->table.on_disk && ++places->accesses >= DISK_ACCESSES) {
        places->accesses = 0;
        (void)madvise(places->table.slots, table_bytes(places->table.bits), MADV_DONTNEED);
    }
}

bool weir_key_places_get(weir_key_places *places, weir_key_fingerprint key, int32_t *out_partition, int32_t *out_bucket)
{
    if (places->table.slots == NULL) {
        return false;
    }
    const place_slot *slot = find_slot(&places->table, key);
    bool found = slot->bucket != 0;
    if (found) {
        *out_partition = slot->partition;
        *out_bucket = slot->bucket - 1;
    }
    count_access(places);
    return found;
}

int weir_key_places_put(weir_key_places *places, weir_key_fingerprint key, int32_t partition, int32_t bucket,
                        weir_error *err)
{
    uint64_t slots = places->table.slots == NULL ? 0 : UINT64_C(1) << places->table.bits;
    if ((uint64_t)places->count + 1 > slots - slots / 3) {
        WEIR_TRY(grow(places, err));
    }
    place_slot *slot = find_slot(&places->table, key);
    places->count += slot->bucket == 0;
    *slot = (place_slot){.high = key.high, .low = key.low, .partition = partition, .bucket = bucket + 1};
    count_access(places);
    return WEIR_OK;
}
