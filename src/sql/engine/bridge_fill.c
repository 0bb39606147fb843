/* Our vectors into DuckDB's: plain copies where the layouts agree (they mostly do), about 0.3 ns a value and byte
 * width; texts by reference. */
#include "sql/engine/bridge.h"
#include "sql/function/kernel.h"
#include "vector/time_text.h"

/* --- NULLs ----------------------------------------------------------------------------------------------------- */

/* Bits first … first + count - 1 of ours to DuckDB's words; the same order of bits, so that whole bytes shift over. */
static void copy_validity(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to)
{
    duckdb_vector_ensure_validity_writable(to);
    uint64_t *words = duckdb_vector_get_validity(to);
    if ((first & 7) == 0) {
        memcpy(words, from->validity + (first >> 3), (size_t)((count + 7) / 8));
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t bit = UINT64_C(1) << (i & 63);
        if (weir_bit_get(from->validity, first + i)) {
            words[i >> 6] |= bit;
        } else {
            words[i >> 6] &= ~bit;
        }
    }
}

static void set_all_null(int64_t count, duckdb_vector to)
{
    duckdb_vector_ensure_validity_writable(to);
    memset(duckdb_vector_get_validity(to), 0, (size_t)((count + 63) / 64) * 8);
}

/* --- Values that lie otherwise --------------------------------------------------------------------------------- */

static void fill_bits(const weir_vector *from, int64_t first, int64_t count, uint8_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = weir_bit_get(from->data, first + i);
    }
}

static void fill_millis(const int64_t *from, int64_t count, int64_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int64_t)((uint64_t)from[i] * 1000);
    }
}

static void fill_nanos(const weir_timestamp_nanos *from, int64_t count, void *to)
{
    for (int64_t i = 0; i < count; i++) {
        weir_int128 value = (weir_int128)from[i].millis * 1000000 + from[i].nanos_of_milli;
        memcpy((char *)to + i * 16, &value, 16);
    }
}

/* DuckDB keeps DECIMAL(1..4) in 16 bits and (5..9) in 32; ours are 64 bits wide. */
static void fill_decimal16(const int64_t *from, int64_t count, int16_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int16_t)from[i];
    }
}

static void fill_decimal32(const int64_t *from, int64_t count, int32_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = (int32_t)from[i];
    }
}

static void fill_text(const weir_vector *from, int64_t first, int64_t count, weir_carried_text *to)
{
    const int32_t *offsets = from->offsets + first;
    for (int64_t i = 0; i < count; i++) {
        const char *bytes = (const char *)from->data + offsets[i];
        uint32_t size = (uint32_t)(offsets[i + 1] - offsets[i]);
        weir_carried_text text = {.inlined = {.size = size}};
        if (size <= sizeof text.inlined.bytes) {
            if (size > 0) {
                memcpy(text.inlined.bytes, bytes, size);
            }
        } else {
            memcpy(text.pointer.prefix, bytes, sizeof text.pointer.prefix);
            text.pointer.bytes = bytes;
        }
        to[i] = text;
    }
}

/* --- Nested ---------------------------------------------------------------------------------------------------- */

static int fill_list(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to, weir_error *err)
{
    int64_t begin = from->offsets[first];
    int64_t length = from->offsets[first + count] - begin;
    if (duckdb_list_vector_reserve(to, (idx_t)length) != DuckDBSuccess ||
        duckdb_list_vector_set_size(to, (idx_t)length) != DuckDBSuccess) {
        return weir_fail(err, WEIR_NO_MEMORY, "a list of %" PRId64 " elements does not fit into memory", length);
    }
    duckdb_list_entry *entries = duckdb_vector_get_data(to);
    for (int64_t i = 0; i < count; i++) {
        entries[i].offset = (uint64_t)(from->offsets[first + i] - begin);
        entries[i].length = (uint64_t)(from->offsets[first + i + 1] - from->offsets[first + i]);
    }
    duckdb_vector child = duckdb_list_vector_get_child(to);
    if (from->type->id == WEIR_ARRAY) {
        return weir_bridge_fill(&from->children[0], begin, length, child, err);
    }
    WEIR_TRY(weir_bridge_fill(&from->children[0], begin, length, duckdb_struct_vector_get_child(child, 0), err));
    return weir_bridge_fill(&from->children[1], begin, length, duckdb_struct_vector_get_child(child, 1), err);
}

static int fill_struct(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to, weir_error *err)
{
    for (int32_t i = 0; i < from->child_count; i++) {
        WEIR_TRY(weir_bridge_fill(&from->children[i], first, count, duckdb_struct_vector_get_child(to, (idx_t)i), err));
    }
    return WEIR_OK;
}

/* --- All of it ------------------------------------------------------------------------------------------------- */

static void fill_fixed(const weir_vector *from, int64_t first, int64_t count, void *to)
{
    const weir_type *type = from->type;
    bool timestamp = type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
    if (timestamp && type->precision <= 3) {
        fill_millis(WEIR_VALUES(from, int64_t) + first, count, to);
    } else if (timestamp && type->precision > 6) {
        fill_nanos(WEIR_VALUES(from, weir_timestamp_nanos) + first, count, to);
    } else if (type->id == WEIR_DECIMAL && type->precision <= 4) {
        fill_decimal16(WEIR_VALUES(from, int64_t) + first, count, to);
    } else if (type->id == WEIR_DECIMAL && type->precision <= 9) {
        fill_decimal32(WEIR_VALUES(from, int64_t) + first, count, to);
    } else {
        size_t width = weir_layout_width(from->layout);
        memcpy(to, from->data + (size_t)first * width, (size_t)count * width);
    }
}

int weir_bridge_fill(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to, weir_error *err)
{
    if (from->layout == WEIR_LAYOUT_NONE) {
        set_all_null(count, to);
        return WEIR_OK;
    }
    if (count == 0 && from->layout != WEIR_LAYOUT_LIST) {
        return WEIR_OK;
    }
    if (from->validity != NULL && from->null_count > 0) {
        copy_validity(from, first, count, to);
    }
    switch (from->layout) {
    case WEIR_LAYOUT_BIT:
        fill_bits(from, first, count, duckdb_vector_get_data(to));
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES:
        fill_text(from, first, count, duckdb_vector_get_data(to));
        return WEIR_OK;
    case WEIR_LAYOUT_LIST:
        if (from->offsets == NULL) {
            return WEIR_OK; /* no rows yet */
        }
        return fill_list(from, first, count, to, err);
    case WEIR_LAYOUT_STRUCT:
        return fill_struct(from, first, count, to, err);
    default:
        fill_fixed(from, first, count, duckdb_vector_get_data(to));
        return WEIR_OK;
    }
}
