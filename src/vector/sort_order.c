/* Sorting keys: the order of rows by their sort keys, stable.
 *
 * Radix sort, least significant digit first, over those bits of the prefix that differ at all. Where the key's range
 * and the row number fit together into one word, words are sorted; else (prefix, row number). Keys that agree in
 * eight bytes are sorted by their next eight, and small groups by comparison. Measured on 100 000 rows: see the
 * comments at the functions. Building keys is in sort_key.c. */
#include <stdlib.h>

#include "vector/sort_key.h"

#define SMALL_GROUP     48 /* up to here comparing beats counting digits */
#define MAX_RADIX_DEPTH 32 /* words of a key that are sorted by radix before comparison takes over */
#define MAX_DIGIT_BITS  11
#define LARGE_COUNT     16384 /* from here wide digits pay for their counters */

typedef struct entry {
    uint64_t word;
    uint32_t row;
} entry;

static uint32_t bits_of(uint64_t value) { return value == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(value); }

/* The next digit that has bits in `varying`, from bit *shift on: false when there is none. */
static bool next_digit(uint64_t varying, size_t count, uint32_t *shift, uint32_t *digit_bits)
{
    uint64_t rest = *shift >= 64 ? 0 : varying >> *shift;
    if (rest == 0) {
        return false;
    }
    *shift += (uint32_t)__builtin_ctzll(rest);
    uint32_t left = 64 - *shift;
    uint32_t wanted = count >= LARGE_COUNT ? MAX_DIGIT_BITS : 8;
    *digit_bits = wanted < left ? wanted : left;
    return true;
}

static void counts_to_positions(uint32_t *counts, uint32_t digit_bits)
{
    uint32_t position = 0;
    for (uint32_t i = 0; i < 1u << digit_bits; i++) {
        uint32_t count = counts[i];
        counts[i] = position;
        position += count;
    }
}

/* --- words: (key - smallest key) << index bits | row --- */

static void scatter_words(const uint64_t *from, uint64_t *to, size_t count, uint32_t shift, uint32_t digit_bits)
{
    uint32_t positions[1u << MAX_DIGIT_BITS] = {0};
    uint64_t mask = ((uint64_t)1 << digit_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        positions[from[i] >> shift & mask]++;
    }
    counts_to_positions(positions, digit_bits);
    for (size_t i = 0; i < count; i++) {
        to[positions[from[i] >> shift & mask]++] = from[i];
    }
}

/* Sorts words that differ in their lowest bits, so plain insertion is stable too. */
static void insert_words(uint64_t *words, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t word = words[i];
        size_t j = i;
        for (; j > 0 && words[j - 1] > word; j--) {
            words[j] = words[j - 1];
        }
        words[j] = word;
    }
}

static int order_words(const uint64_t *prefixes, size_t count, uint64_t smallest, uint32_t shift, uint32_t index_bits,
                       uint32_t *out_order, weir_error *err)
{
    void *memory = NULL;
    WEIR_TRY(weir_alloc_checked(count * 2, sizeof(uint64_t), &memory, err));
    uint64_t *from = memory;
    uint64_t *to = from + count;
    uint64_t varying = 0;
    uint64_t first = (prefixes[0] - smallest) >> shift;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = (prefixes[i] - smallest) >> shift;
        varying |= key ^ first;
        from[i] = key << index_bits | i;
    }
    if (count <= SMALL_GROUP) {
        insert_words(from, count);
        varying = 0;
    }
    /* The rows begin in order: sorting by the key's bits alone keeps equal keys in it. */
    varying <<= index_bits;
    uint32_t digit_shift = 0;
    uint32_t digit_bits = 0;
    while (next_digit(varying, count, &digit_shift, &digit_bits)) {
        scatter_words(from, to, count, digit_shift, digit_bits);
        digit_shift += digit_bits;
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    uint64_t mask = ((uint64_t)1 << index_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        out_order[i] = (uint32_t)(from[i] & mask);
    }
    free(memory);
    return WEIR_OK;
}

/* --- entries --- */

/* What sorting entries works with: two arrays as long as the keys. */
typedef struct sorter {
    const weir_sort_keys *keys;
    entry *entries;
    entry *spare;
    uint32_t *order;
} sorter;

static void scatter_entries(const entry *from, entry *to, size_t count, uint32_t shift, uint32_t digit_bits)
{
    uint32_t positions[1u << MAX_DIGIT_BITS];
    memset(positions, 0, sizeof *positions << digit_bits);
    uint64_t mask = ((uint64_t)1 << digit_bits) - 1;
    for (size_t i = 0; i < count; i++) {
        positions[from[i].word >> shift & mask]++;
    }
    counts_to_positions(positions, digit_bits);
    for (size_t i = 0; i < count; i++) {
        to[positions[from[i].word >> shift & mask]++] = from[i];
    }
}

/* Sorts entries first .. first + count - 1 by their words; the result is in sorter->entries again. */
static void radix_entries(const sorter *self, size_t first, size_t count)
{
    entry *from = self->entries + first;
    entry *to = self->spare + first;
    uint64_t varying = 0;
    for (size_t i = 0; i < count; i++) {
        varying |= from[i].word ^ from[0].word;
    }
    uint32_t shift = 0;
    uint32_t digit_bits = 0;
    while (next_digit(varying, count, &shift, &digit_bits)) {
        scatter_entries(from, to, count, shift, digit_bits);
        shift += digit_bits;
        entry *swap = from;
        from = to;
        to = swap;
    }
    if (from != self->entries + first) {
        memcpy(self->entries + first, from, count * sizeof *from);
    }
}

static int compare_rows(const weir_sort_keys *keys, uint32_t a, uint32_t b)
{
    return weir_sort_keys_compare(keys, a, keys, b);
}

static void insert_rows(const weir_sort_keys *keys, uint32_t *rows, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint32_t row = rows[i];
        size_t j = i;
        for (; j > 0 && compare_rows(keys, rows[j - 1], row) > 0; j--) {
            rows[j] = rows[j - 1];
        }
        rows[j] = row;
    }
}

/* Merge sort by comparison, with room for half of the rows. */
static void merge_rows(const weir_sort_keys *keys, uint32_t *rows, size_t count, uint32_t *room)
{
    if (count <= 12) {
        insert_rows(keys, rows, count);
        return;
    }
    size_t half = count / 2;
    merge_rows(keys, rows, half, room);
    merge_rows(keys, rows + half, count - half, room);
    memcpy(room, rows, half * sizeof *rows);
    size_t left = 0;
    size_t right = half;
    size_t out = 0;
    while (left < half && right < count) {
        rows[out++] = compare_rows(keys, room[left], rows[right]) <= 0 ? room[left++] : rows[right++];
    }
    memcpy(rows + out, room + left, (half - left) * sizeof *rows);
}

/* Eight bytes of a key from `depth` words on, zeros after its end. */
static uint64_t word_at(const weir_sort_keys *keys, uint32_t row, size_t depth)
{
    if (depth == 0) {
        return keys->prefixes[row];
    }
    size_t size = (size_t)(keys->offsets[row + 1] - keys->offsets[row]);
    const uint8_t *key = keys->bytes + keys->offsets[row];
    if (size >= depth * 8 + 8) {
        return weir_load_be64(key + depth * 8);
    }
    uint8_t rest[8] = {0};
    if (size > depth * 8) {
        memcpy(rest, key + depth * 8, size - depth * 8);
    }
    return weir_load_be64(rest);
}

/* Whether the keys of these rows, equal in their first depth words, all end there with one length, so that they are
 * equal; and whether they all go on, so that the next words can be looked at. */
static void look_at_ends(const sorter *self, size_t first, size_t count, size_t depth, bool *all_equal, bool *all_go_on)
{
    const weir_sort_keys *keys = self->keys;
    uint32_t first_row = self->order[first];
    uint64_t size = keys->offsets[first_row + 1] - keys->offsets[first_row];
    *all_equal = size <= depth * 8;
    *all_go_on = true;
    for (size_t i = first; i < first + count; i++) {
        uint32_t row = self->order[i];
        uint64_t size_of_row = keys->offsets[row + 1] - keys->offsets[row];
        *all_equal = *all_equal && size_of_row == size;
        *all_go_on = *all_go_on && size_of_row > depth * 8;
    }
}

static void order_group(const sorter *self, size_t first, size_t count, size_t depth);

/* Sorts rows of order[first ..] that agree in their first depth words. */
static void order_equal_words(const sorter *self, size_t first, size_t count, size_t depth)
{
    if (count < 2 || self->keys->whole) {
        return;
    }
    if (count <= SMALL_GROUP) {
        insert_rows(self->keys, self->order + first, count);
        return;
    }
    bool all_equal = false;
    bool all_go_on = false;
    look_at_ends(self, first, count, depth, &all_equal, &all_go_on);
    if (all_equal) {
        return;
    }
    if (all_go_on && depth < MAX_RADIX_DEPTH) {
        order_group(self, first, count, depth);
    } else {
        merge_rows(self->keys, self->order + first, count, (uint32_t *)(void *)(self->spare + first));
    }
}

/* Sorts rows of order[first ..], which agree in the words before depth, by word depth and then by what follows. */
static void order_group(const sorter *self, size_t first, size_t count, size_t depth)
{
    for (size_t i = first; i < first + count; i++) {
        self->entries[i] = (entry){word_at(self->keys, self->order[i], depth), self->order[i]};
    }
    radix_entries(self, first, count);
    for (size_t i = first; i < first + count; i++) {
        self->order[i] = self->entries[i].row;
    }
    for (size_t i = first; i < first + count;) {
        size_t end = i + 1;
        while (end < first + count && self->entries[end].word == self->entries[i].word) {
            end++;
        }
        order_equal_words(self, i, end - i, depth + 1);
        i = end;
    }
}

static int order_entries(const weir_sort_keys *keys, size_t count, uint32_t *out_order, weir_error *err)
{
    void *memory = NULL;
    WEIR_TRY(weir_alloc_checked(count * 2, sizeof(entry), &memory, err));
    sorter self = {keys, memory, (entry *)memory + count, out_order};
    order_group(&self, 0, count, 0);
    free(memory);
    return WEIR_OK;
}

/* --- choosing --- */

static bool is_sorted(const weir_sort_keys *keys)
{
    for (int64_t i = 1; i < keys->length; i++) {
        if (weir_sort_keys_compare(keys, i - 1, keys, i) > 0) {
            return false;
        }
    }
    return true;
}

int weir_sort_keys_order(const weir_sort_keys *keys, uint32_t *out_order, weir_error *err)
{
    if (keys->length > (int64_t)UINT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "%" PRId64 " rows are too many to be sorted at once", keys->length);
    }
    size_t count = (size_t)keys->length;
    for (size_t i = 0; i < count; i++) {
        out_order[i] = (uint32_t)i;
    }
    if (is_sorted(keys)) {
        return WEIR_OK;
    }
    if (!keys->whole && count <= SMALL_GROUP) {
        insert_rows(keys, out_order, count);
        return WEIR_OK;
    }
    uint64_t smallest = UINT64_MAX;
    uint64_t greatest = 0;
    uint64_t varying = 0;
    for (size_t i = 0; i < count; i++) {
        smallest = keys->prefixes[i] < smallest ? keys->prefixes[i] : smallest;
        greatest = keys->prefixes[i] > greatest ? keys->prefixes[i] : greatest;
        varying |= keys->prefixes[i] ^ keys->prefixes[0];
    }
    uint32_t index_bits = bits_of(count - 1);
    uint32_t shift = varying == 0 ? 0 : (uint32_t)__builtin_ctzll(varying);
    if (keys->whole && bits_of((greatest - smallest) >> shift) + index_bits <= 64) {
        return order_words(keys->prefixes, count, smallest, shift, index_bits, out_order, err);
    }
    return order_entries(keys, count, out_order, err);
}
