/* Folding manifest entries: what is left of a sequence of additions and deletions. */
#include <stdlib.h>
#include <xxhash.h>

#include "meta/manifest.h"

/* An open-addressed table of positions of entries; slot 0 is empty, position i is stored as i + 1. */
typedef struct slot_table {
    uint32_t *slots;
    size_t mask;
} slot_table;

static bool same_file(const weir_manifest_entry *a, const weir_manifest_entry *b)
{
    return a->bucket == b->bucket && a->file->level == b->file->level && strcmp(a->file->name, b->file->name) == 0 &&
           weir_slice_equal(a->partition, b->partition);
}

/* The slot of an equal entry, or the empty one where it would be. */
static uint32_t *find_slot(const slot_table *table, const weir_manifest_entries *entries,
                           const weir_manifest_entry *entry)
{
    /* Names hold a UUID: with the level they tell nearly everything apart. */
    size_t i = (size_t)XXH3_64bits_withSeed(entry->file->name, strlen(entry->file->name), (uint64_t)entry->file->level);
    for (;; i++) {
        uint32_t *slot = &table->slots[i & table->mask];
        if (*slot == 0 || same_file(&entries->items[*slot - 1], entry)) {
            return slot;
        }
    }
}

/* Marks in `gone` what cancels out. */
static int fold(weir_manifest_entries *entries, const slot_table *table, bool keep_deletes, bool *gone, weir_error *err)
{
    for (size_t i = 0; i < entries->count; i++) {
        weir_manifest_entry *entry = &entries->items[i];
        uint32_t *slot = find_slot(table, entries, entry);
        if (*slot == 0 || gone[*slot - 1]) {
            if (entry->kind == WEIR_FILE_DELETE && !keep_deletes) {
                return weir_fail(err, WEIR_CORRUPT,
                                 "the manifests delete the file %s (bucket %d, level %d), which they "
                                 "never added",
                                 entry->file->name, entry->bucket, entry->file->level);
            }
            *slot = (uint32_t)i + 1;
        } else if (entry->kind == WEIR_FILE_DELETE && entries->items[*slot - 1].kind == WEIR_FILE_ADD) {
            gone[*slot - 1] = true;
            gone[i] = true;
        } else {
            return weir_fail(err, WEIR_CORRUPT, "the manifests %s the file %s (bucket %d, level %d) twice",
                             entry->kind == WEIR_FILE_ADD ? "add" : "delete", entry->file->name, entry->bucket,
                             entry->file->level);
        }
    }
    return WEIR_OK;
}

int weir_manifest_entries_fold(weir_manifest_entries *entries, bool keep_deletes, weir_error *err)
{
    if (entries->count == 0) {
        return WEIR_OK;
    }
    if (entries->count > UINT32_MAX / 4) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%zu manifest entries are too many for one snapshot", entries->count);
    }
    slot_table table = {.mask = 15};
    while (table.mask < entries->count * 2) {
        table.mask = table.mask * 2 + 1;
    }
    table.slots = weir_alloc_zeroed(table.mask + 1, sizeof *table.slots);
    bool *gone = weir_alloc_zeroed(entries->count, sizeof *gone);
    int code = fold(entries, &table, keep_deletes, gone, err);
    size_t kept = 0;
    for (size_t i = 0; code == WEIR_OK && i < entries->count; i++) {
        if (!gone[i]) {
            entries->items[kept++] = entries->items[i];
        }
    }
    if (code == WEIR_OK) {
        entries->count = kept;
    }
    free(gone);
    free(table.slots);
    return code;
}
