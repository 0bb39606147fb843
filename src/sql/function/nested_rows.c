/* Going over rows of nested values, and sets of values by their hashes. */
#include "sql/function/nested_rows.h"

#include <stdlib.h>
#include <xxhash.h>

/* --- Hashes ---------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * UINT64_C(0x9E3779B97F4A7C15) + (more >> 29);
}

static uint64_t hash_range(const weir_vector *vector, int64_t first, int64_t count, uint64_t hash);

/* NaN has many bit patterns and is one value. */
static uint64_t hash_fixed(const weir_vector *vector, int64_t row)
{
    static const float nan32 = 0.0f / 0.0f;
    static const double nan64 = 0.0 / 0.0;
    size_t width = weir_layout_width(vector->layout);
    const void *value = vector->data + (size_t)row * width;
    if (vector->type->id == WEIR_FLOAT && *(const float *)value != *(const float *)value) {
        value = &nan32;
    } else if (vector->type->id == WEIR_DOUBLE && *(const double *)value != *(const double *)value) {
        value = &nan64;
    }
    return XXH3_64bits(value, width);
}

static uint64_t hash_value(const weir_vector *vector, int64_t row)
{
    if (weir_vector_is_null(vector, row)) {
        return 1;
    }
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        return 2 + (uint64_t)weir_bit_get(vector->data, row);
    case WEIR_LAYOUT_BYTES: {
        weir_slice bytes = weir_vector_bytes(vector, row);
        return XXH3_64bits(bytes.data, bytes.size);
    }
    case WEIR_LAYOUT_LIST: {
        weir_list_span span = weir_list_at(vector, row);
        uint64_t hash = (uint64_t)span.count;
        for (int32_t i = 0; i < vector->child_count; i++) {
            hash = hash_range(&vector->children[i], span.first, span.count, hash);
        }
        return hash;
    }
    case WEIR_LAYOUT_STRUCT: {
        uint64_t hash = 5;
        for (int32_t i = 0; i < vector->child_count; i++) {
            hash = hash_range(&vector->children[i], row, 1, hash);
        }
        return hash;
    }
    default:
        return hash_fixed(vector, row);
    }
}

static uint64_t hash_range(const weir_vector *vector, int64_t first, int64_t count, uint64_t hash)
{
    for (int64_t i = first; i < first + count; i++) {
        hash = mix(hash, hash_value(vector, i));
    }
    return hash;
}

/* --- Sets ------------------------------------------------------------------------------------------------------ */

/* The slot of a value: its own, or the free one where it belongs. */
static size_t find_slot(const weir_value_set *set, const weir_vector *vector, int64_t row, uint64_t hash)
{
    size_t mask = set->slot_count - 1;
    size_t slot = (size_t)hash & mask;
    while (set->slots[slot] != 0) {
        const weir_value_entry *entry = &set->entries[set->slots[slot] - 1];
        if (entry->hash == hash && weir_vector_values_equal(entry->vector, entry->row, vector, row)) {
            return slot;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

/* At most half of the slots are taken. */
static void grow(weir_value_set *set)
{
    if (set->count == set->capacity) {
        set->capacity = set->capacity == 0 ? 16 : set->capacity * 2;
        set->entries = weir_realloc(set->entries, set->capacity * sizeof *set->entries);
    }
    if ((set->count + 1) * 2 <= set->slot_count) {
        return;
    }
    set->slot_count = set->slot_count == 0 ? 32 : set->slot_count * 2;
    free(set->slots);
    set->slots = weir_alloc_zeroed(set->slot_count, sizeof *set->slots);
    for (size_t i = 0; i < set->count; i++) {
        size_t slot = (size_t)set->entries[i].hash & (set->slot_count - 1);
        while (set->slots[slot] != 0) {
            slot = (slot + 1) & (set->slot_count - 1);
        }
        set->slots[slot] = (uint32_t)i + 1;
    }
}

size_t weir_value_set_add(weir_value_set *set, const weir_vector *vector, int64_t row)
{
    grow(set);
    uint64_t hash = hash_value(vector, row);
    size_t slot = find_slot(set, vector, row, hash);
    if (set->slots[slot] == 0) {
        set->entries[set->count] = (weir_value_entry){vector, row, hash};
        set->slots[slot] = (uint32_t)++set->count;
    }
    return set->slots[slot] - 1;
}

bool weir_value_set_has(const weir_value_set *set, const weir_vector *vector, int64_t row)
{
    return set->count > 0 && set->slots[find_slot(set, vector, row, hash_value(vector, row))] != 0;
}

void weir_value_set_clear(weir_value_set *set)
{
    if (set->count > 0) {
        memset(set->slots, 0, set->slot_count * sizeof *set->slots);
    }
    set->count = 0;
}

void weir_value_set_free(weir_value_set *set)
{
    free(set->entries);
    free(set->slots);
    *set = (weir_value_set){0};
}

/* --- Rows ------------------------------------------------------------------------------------------------------ */

static bool has_null(const weir_nested_rows *rows, int64_t row, uint32_t welcome_nulls)
{
    for (int32_t i = 0; i < rows->call->argument_count; i++) {
        bool welcome = i < 32 && ((welcome_nulls >> i) & 1);
        if (!welcome && weir_vector_is_null(&rows->arguments[i], row)) {
            return true;
        }
    }
    return false;
}

int weir_nested_run_with(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out,
                         uint32_t welcome_nulls, weir_nested_row one, void (*finish)(weir_nested_rows *rows),
                         weir_error *err)
{
    weir_nested_rows rows = {.call = call, .arguments = arguments, .out = out};
    int code = WEIR_OK;
    for (int64_t row = 0; row < call->length && code == WEIR_OK; row++) {
        code = has_null(&rows, row, welcome_nulls) ? weir_vector_append_nulls(out, 1, err) : one(&rows, row, err);
    }
    if (finish != NULL) {
        finish(&rows);
    }
    weir_value_set_free(&rows.set);
    weir_value_set_free(&rows.other);
    weir_buffer_free(&rows.text);
    return code;
}

int weir_nested_run(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out,
                    uint32_t welcome_nulls, weir_nested_row one, weir_error *err)
{
    return weir_nested_run_with(call, arguments, out, welcome_nulls, one, NULL, err);
}
