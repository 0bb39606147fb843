/* The order of Java's hash tables (java.util.HashMap), which is the order of what Java collects in them. */
#include <stdlib.h>

#include "merge/aggregate_fold.h"

#define LEAST_SLOTS 16

typedef struct java_slot {
    uint32_t slot;
    uint32_t position;
    uint32_t item;
} java_slot;

static int compare_slots(const void *left, const void *right)
{
    const java_slot *a = left;
    const java_slot *b = right;
    if (a->slot != b->slot) {
        return a->slot < b->slot ? -1 : 1;
    }
    return a->position < b->position ? -1 : a->position > b->position;
}

void weir_order_as_java(const uint32_t *hashes, uint32_t *items, size_t count)
{
    uint32_t slot_count = LEAST_SLOTS;
    if (count < 2) {
        return;
    }
    while (count > slot_count / 4 * 3) {
        slot_count *= 2;
    }
    java_slot *slots = weir_alloc(count * sizeof *slots);
    for (size_t i = 0; i < count; i++) {
        slots[i] = (java_slot){(hashes[i] ^ hashes[i] >> 16) & (slot_count - 1), (uint32_t)i, items[i]};
    }
    qsort(slots, count, sizeof *slots, compare_slots);
    for (size_t i = 0; i < count; i++) {
        items[i] = slots[i].item;
    }
    free(slots);
}
