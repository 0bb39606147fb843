/* Dictionaries by open addressing.
 *
 * A slot holds 32 bits of the hash beside the number, so that text is compared only where it is very likely equal. The
 * table is made large enough before a batch of values is added, so that the loops need not look.
 *
 * Costs 2-4 ns a value while the table stays in the cache; it does, because large dictionaries are given up. */
#include "format/parquet/dictionary_builder.h"

#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "format/parquet/encoding_writer.h"

#define LEAST_SLOTS ((size_t)1 << 13)
#define MULTIPLIER  UINT64_C(0x9E3779B97F4A7C15)

void weir_dictionary_free(weir_dictionary *dictionary)
{
    weir_buffer_free(&dictionary->values);
    free(dictionary->offsets);
    free(dictionary->slots);
    *dictionary = (weir_dictionary){0};
}

void weir_dictionary_clear(weir_dictionary *dictionary)
{
    weir_buffer_clear(&dictionary->values);
    dictionary->count = 0;
    if (dictionary->slot_count > LEAST_SLOTS) {
        free(dictionary->slots);
        dictionary->slots = NULL;
        dictionary->slot_count = 0;
    } else if (dictionary->slots != NULL) {
        memset(dictionary->slots, 0, dictionary->slot_count * sizeof *dictionary->slots);
    }
}

/* --- the hash table ------------------------------------------------------------------------------------------------
 */

static inline uint32_t hash_4(uint32_t value) { return (uint32_t)(value * MULTIPLIER >> 32); }
static inline uint32_t hash_8(uint64_t value) { return (uint32_t)(value * MULTIPLIER >> 32); }

static inline uint32_t hash_16(uint64_t low, uint64_t high) { return hash_8(low ^ (high * MULTIPLIER + (high >> 32))); }

static inline uint64_t slot_of(uint32_t hash, size_t number) { return (uint64_t)hash << 32 | (number + 1); }
static inline uint32_t slot_number(uint64_t slot) { return (uint32_t)slot - 1; }

/* The high bits of the hash choose the slot: they are those of a product that all bits of the value reach. */
static inline size_t slot_index(uint32_t hash, int shift) { return hash >> shift; }

static int slot_shift(size_t slot_count) { return 32 - __builtin_ctzll(slot_count); }

/* Makes the table so large that it stays half empty with `extra` more values. */
static void reserve_slots(weir_dictionary *dictionary, size_t extra)
{
    size_t needed = 2 * (dictionary->count + extra);
    if (needed <= dictionary->slot_count) {
        return;
    }
    size_t slot_count = LEAST_SLOTS;
    while (slot_count < needed) {
        slot_count *= 2;
    }
    uint64_t *slots = weir_alloc_zeroed(slot_count, sizeof *slots);
    int shift = slot_shift(slot_count);
    for (size_t i = 0; i < dictionary->slot_count; i++) {
        uint64_t slot = dictionary->slots[i];
        if (slot == 0) {
            continue;
        }
        size_t at = slot_index((uint32_t)(slot >> 32), shift);
        while (slots[at] != 0) {
            at = (at + 1) & (slot_count - 1);
        }
        slots[at] = slot;
    }
    free(dictionary->slots);
    dictionary->slots = slots;
    dictionary->slot_count = slot_count;
}

/* --- adding --------------------------------------------------------------------------------------------------------
 */

/* Numbers of fixed-width values; `known` has room for all of them to be new. Returns how many are known then. */
#define ADD_FIXED(name, type, hash_expression)                                                                         \
    static size_t name(uint64_t *slots, size_t slot_count, type *known, size_t known_count, const type *values,        \
                       size_t count, uint32_t *numbers)                                                                \
    {                                                                                                                  \
        int shift = slot_shift(slot_count);                                                                            \
        for (size_t i = 0; i < count; i++) {                                                                           \
            type value = values[i];                                                                                    \
            uint32_t hash = hash_expression;                                                                           \
            size_t at = slot_index(hash, shift);                                                                       \
            while (slots[at] != 0 && known[slot_number(slots[at])] != value) {                                         \
                at = (at + 1) & (slot_count - 1);                                                                      \
            }                                                                                                          \
            if (slots[at] == 0) {                                                                                      \
                slots[at] = slot_of(hash, known_count);                                                                \
                known[known_count++] = value;                                                                          \
            }                                                                                                          \
            numbers[i] = slot_number(slots[at]);                                                                       \
        }                                                                                                              \
        return known_count;                                                                                            \
    }

__extension__ typedef unsigned __int128 uint128;

ADD_FIXED(add_4, uint32_t, hash_4(value))
ADD_FIXED(add_8, uint64_t, hash_8(value))
ADD_FIXED(add_16, uint128, hash_16((uint64_t)value, (uint64_t)(value >> 64)))

static void add_fixed(weir_dictionary *dictionary, const weir_dense_values *values, uint32_t *numbers)
{
    size_t width = weir_value_form_width(values->form);
    weir_buffer_reserve(&dictionary->values, values->count * width);
    void *known = dictionary->values.data;
    uint64_t *slots = dictionary->slots;
    size_t slot_count = dictionary->slot_count;
    size_t count = dictionary->count;
    if (width == 4) {
        count = add_4(slots, slot_count, known, count, values->fixed, values->count, numbers);
    } else if (width == 8) {
        count = add_8(slots, slot_count, known, count, values->fixed, values->count, numbers);
    } else {
        count = add_16(slots, slot_count, known, count, values->fixed, values->count, numbers);
    }
    dictionary->count = count;
    dictionary->values.size = count * width;
}

static inline bool equal_bytes(const uint8_t *a, const uint8_t *b, size_t size)
{
    if (size >= 8) {
        for (size_t i = 0; i + 8 < size; i += 8) {
            if (weir_load_le64(a + i) != weir_load_le64(b + i)) {
                return false;
            }
        }
        return weir_load_le64(a + size - 8) == weir_load_le64(b + size - 8);
    }
    if (size >= 4) {
        return weir_load_le32(a) == weir_load_le32(b) && weir_load_le32(a + size - 4) == weir_load_le32(b + size - 4);
    }
    return size == 0 || (a[0] == b[0] && a[size / 2] == b[size / 2] && a[size - 1] == b[size - 1]);
}

/* Whether value `number` is these bytes. */
static inline bool is_value(const weir_dictionary *dictionary, uint32_t number, const uint8_t *bytes, uint32_t size)
{
    const uint8_t *value = dictionary->values.data + dictionary->offsets[number];
    return weir_load_le32(value) == size && equal_bytes(value + sizeof(uint32_t), bytes, size);
}

static void add_bytes(weir_dictionary *dictionary, const weir_dense_values *values, uint32_t *numbers)
{
    weir_buffer_reserve(&dictionary->values, values->plain_size);
    WEIR_GROW(dictionary->offsets, dictionary->offset_capacity, dictionary->count + values->count);
    uint64_t *slots = dictionary->slots;
    size_t slot_count = dictionary->slot_count;
    int shift = slot_shift(slot_count);
    for (size_t i = 0; i < values->count; i++) {
        const uint8_t *bytes = values->bytes + values->refs[i].from;
        uint32_t size = values->refs[i].size;
        uint32_t hash = (uint32_t)(XXH3_64bits(bytes, size) >> 32);
        size_t at = slot_index(hash, shift);
        while (slots[at] != 0 &&
               ((uint32_t)(slots[at] >> 32) != hash || !is_value(dictionary, slot_number(slots[at]), bytes, size))) {
            at = (at + 1) & (slot_count - 1);
        }
        if (slots[at] == 0) {
            slots[at] = slot_of(hash, dictionary->count);
            weir_buffer *known = &dictionary->values;
            dictionary->offsets[dictionary->count++] = (uint32_t)known->size;
            weir_store_le32(known->data + known->size, size);
            memcpy(known->data + known->size + sizeof size, bytes, size);
            known->size += sizeof size + size;
        }
        numbers[i] = slot_number(slots[at]);
    }
}

void weir_dictionary_add(weir_dictionary *dictionary, const weir_dense_values *values, weir_buffer *numbers)
{
    if (values->count == 0) {
        return;
    }
    reserve_slots(dictionary, values->count);
    weir_buffer_reserve(numbers, values->count * sizeof(uint32_t));
    uint32_t *end = (uint32_t *)(void *)(numbers->data + numbers->size);
    if (values->form == WEIR_FORM_BYTES) {
        add_bytes(dictionary, values, end);
    } else {
        add_fixed(dictionary, values, end);
    }
    numbers->size += values->count * sizeof(uint32_t);
}

/* --- writing -------------------------------------------------------------------------------------------------------
 */

#define TAKE(name, type)                                                                                               \
    static void name(const type *known, const uint32_t *numbers, size_t count, type *out)                              \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            out[i] = known[numbers[i]];                                                                                \
        }                                                                                                              \
    }

TAKE(take_4, uint32_t)
TAKE(take_8, uint64_t)
TAKE(take_16, uint128)

static void expand_fixed(const weir_dictionary *dictionary, const weir_write_leaf *leaf, const uint32_t *numbers,
                         size_t count, weir_dense_scratch *scratch, weir_buffer *out)
{
    weir_value_form form = weir_value_form_of(leaf);
    size_t width = weir_value_form_width(form);
    weir_buffer_clear(&scratch->fixed);
    weir_buffer_reserve(&scratch->fixed, count * width);
    const void *known = dictionary->values.data;
    void *room = scratch->fixed.data;
    if (width == 4) {
        take_4(known, numbers, count, room);
    } else if (width == 8) {
        take_8(known, numbers, count, room);
    } else {
        take_16(known, numbers, count, room);
    }
    weir_dense_values values = {
        .form = form, .count = count, .fixed = room, .plain_size = count * weir_value_plain_width(leaf)};
    weir_plain_append(leaf, &values, 0, out);
}

static void expand_bytes(const weir_dictionary *dictionary, const uint32_t *numbers, size_t count, weir_buffer *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint8_t *value = dictionary->values.data + dictionary->offsets[numbers[i]];
        weir_buffer_append(out, value, sizeof(uint32_t) + weir_load_le32(value));
    }
}

void weir_dictionary_expand(const weir_dictionary *dictionary, const weir_write_leaf *leaf, const uint32_t *numbers,
                            size_t count, weir_dense_scratch *scratch, weir_buffer *out)
{
    if (count == 0) {
        return;
    }
    if (leaf->physical == WEIR_PARQUET_BYTE_ARRAY) {
        expand_bytes(dictionary, numbers, count, out);
    } else {
        expand_fixed(dictionary, leaf, numbers, count, scratch, out);
    }
}

void weir_dictionary_write(const weir_dictionary *dictionary, const weir_write_leaf *leaf, weir_buffer *out)
{
    if (leaf->physical == WEIR_PARQUET_BYTE_ARRAY) {
        weir_buffer_append(out, dictionary->values.data, dictionary->values.size);
        return;
    }
    weir_dense_values values = {.form = weir_value_form_of(leaf),
                                .count = dictionary->count,
                                .fixed = dictionary->values.data,
                                .plain_size = dictionary->count * weir_value_plain_width(leaf)};
    weir_plain_append(leaf, &values, 0, out);
}
