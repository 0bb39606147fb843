/* DuckDB's vectors into ours. Slots of NULLs become zeros, as our vectors promise. */
#include "sql/engine/bridge.h"
#include "sql/function/carried.h"
#include "vector/time_text.h"

static bool is_valid(const uint64_t *validity, int64_t row)
{
    return validity == NULL || ((validity[row >> 6] >> (row & 63)) & 1);
}

static bool all_valid(const uint64_t *validity, int64_t count)
{
    if (validity == NULL) {
        return true;
    }
    for (int64_t i = 0; i < count / 64; i++) {
        if (validity[i] != UINT64_MAX) {
            return false;
        }
    }
    uint64_t rest = (UINT64_C(1) << (count & 63)) - 1;
    return (count & 63) == 0 || (validity[count >> 6] & rest) == rest;
}

/* --- Fixed width ---------------------------------------------------------------------------------------------------
 */

/* A value as our layout has it. */
static void convert_value(const weir_type *type, const void *carried, void *out, size_t width)
{
    weir_literal literal = weir_carried_to_literal(type, carried, NULL);
    switch (type->id) {
    case WEIR_DECIMAL:
        memcpy(out, type->precision <= 18 ? (const void *)&literal.integer : (const void *)&literal.decimal, width);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        memcpy(out, type->precision <= 6 ? (const void *)&literal.integer : (const void *)&literal.nanos, width);
        break;
    default:
        memcpy(out, carried, width);
        break;
    }
}

static bool laid_out_alike(const weir_type *type)
{
    switch (type->id) {
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision > 3 && type->precision <= 6;
    case WEIR_DECIMAL:
        return type->precision > 9;
    default:
        return true;
    }
}

static int append_fixed(const uint8_t *data, const uint64_t *validity, int64_t count, weir_vector *to, weir_error *err)
{
    size_t width = weir_layout_width(to->layout);
    size_t carried_width = weir_carried_width(to->type);
    bool alike = laid_out_alike(to->type);
    WEIR_TRY(weir_vector_reserve(to, count, err));
    if (alike && all_valid(validity, count) && to->null_count == 0) {
        memcpy(to->data + (size_t)to->length * width, data, (size_t)count * width);
        to->length += count;
        return WEIR_OK;
    }
    _Alignas(16) uint8_t value[16];
    for (int64_t i = 0; i < count; i++) {
        if (!is_valid(validity, i)) {
            WEIR_TRY(weir_vector_append_nulls(to, 1, err));
            continue;
        }
        convert_value(to->type, data + (size_t)i * carried_width, value, width);
        WEIR_TRY(weir_vector_append_raw(to, value, width, err));
    }
    return WEIR_OK;
}

static int append_bits(const uint8_t *data, const uint64_t *validity, int64_t count, weir_vector *to, weir_error *err)
{
    WEIR_TRY(weir_vector_reserve(to, count, err));
    for (int64_t i = 0; i < count; i++) {
        uint8_t bit = data[i] != 0;
        WEIR_TRY(is_valid(validity, i) ? weir_vector_append_raw(to, &bit, 1, err)
                                       : weir_vector_append_nulls(to, 1, err));
    }
    return WEIR_OK;
}

/* --- Text ----------------------------------------------------------------------------------------------------------
 */

static weir_slice text_at(const weir_carried_text *texts, int64_t row)
{
    const weir_carried_text *text = &texts[row];
    return text->inlined.size <= sizeof text->inlined.bytes ? weir_slice_of(text->inlined.bytes, text->inlined.size)
                                                            : weir_slice_of(text->pointer.bytes, text->pointer.size);
}

static int append_text(const weir_carried_text *texts, const uint64_t *validity, int64_t count, weir_vector *to,
                       weir_error *err)
{
    size_t bytes = 0;
    for (int64_t i = 0; i < count; i++) {
        bytes += is_valid(validity, i) ? texts[i].inlined.size : 0;
    }
    WEIR_TRY(weir_vector_reserve(to, count, err));
    WEIR_TRY(weir_vector_reserve_bytes(to, bytes, err));
    for (int64_t i = 0; i < count; i++) {
        if (!is_valid(validity, i)) {
            WEIR_TRY(weir_vector_append_nulls(to, 1, err));
            continue;
        }
        weir_slice text = text_at(texts, i);
        WEIR_TRY(weir_vector_append_raw(to, text.data, text.size, err));
    }
    return WEIR_OK;
}

/* --- Nested --------------------------------------------------------------------------------------------------------
 */

/* Rows of a child in any order, as lists ask for them: a run at a time. */
static int append_run(duckdb_vector from, int64_t first, int64_t count, weir_vector *to, weir_error *err);

static int append_list(duckdb_vector from, int64_t first, int64_t count, weir_vector *to, weir_error *err)
{
    const duckdb_list_entry *entries = duckdb_vector_get_data(from);
    const uint64_t *validity = duckdb_vector_get_validity(from);
    duckdb_vector child = duckdb_list_vector_get_child(from);
    for (int64_t i = first; i < first + count; i++) {
        if (!is_valid(validity, i)) {
            WEIR_TRY(weir_vector_append_nulls(to, 1, err));
            continue;
        }
        int64_t offset = (int64_t)entries[i].offset;
        int64_t length = (int64_t)entries[i].length;
        if (to->type->id == WEIR_ARRAY) {
            WEIR_TRY(append_run(child, offset, length, &to->children[0], err));
        } else {
            WEIR_TRY(append_run(duckdb_struct_vector_get_child(child, 0), offset, length, &to->children[0], err));
            WEIR_TRY(append_run(duckdb_struct_vector_get_child(child, 1), offset, length, &to->children[1], err));
        }
        WEIR_TRY(weir_vector_append_list(to, err));
    }
    return WEIR_OK;
}

static int append_struct(duckdb_vector from, int64_t first, int64_t count, weir_vector *to, weir_error *err)
{
    const uint64_t *validity = duckdb_vector_get_validity(from);
    for (int64_t i = first; i < first + count; i++) {
        if (!is_valid(validity, i)) {
            WEIR_TRY(weir_vector_append_nulls(to, 1, err));
            continue;
        }
        for (int32_t j = 0; j < to->child_count; j++) {
            WEIR_TRY(append_run(duckdb_struct_vector_get_child(from, (idx_t)j), i, 1, &to->children[j], err));
        }
        WEIR_TRY(weir_vector_append_struct(to, err));
    }
    return WEIR_OK;
}

/* Validity words for rows from `first` on; shifted into `shifted` when they don't begin at a word. */
static const uint64_t *validity_from(const uint64_t *validity, int64_t first, int64_t count, weir_buffer *shifted)
{
    if (validity == NULL || (first & 63) == 0) {
        return validity == NULL ? NULL : validity + (first >> 6);
    }
    size_t words = (size_t)((count + 63) / 64) + 1;
    weir_buffer_append_zeros(shifted, words * 8);
    uint64_t *out = (uint64_t *)(void *)shifted->data;
    for (int64_t i = 0; i < count; i++) {
        out[i >> 6] |= (uint64_t)is_valid(validity, first + i) << (i & 63);
    }
    return out;
}

static int append_run(duckdb_vector from, int64_t first, int64_t count, weir_vector *to, weir_error *err)
{
    if (to->layout == WEIR_LAYOUT_NONE) {
        return weir_vector_append_nulls(to, count, err);
    }
    if (count == 0) {
        return WEIR_OK;
    }
    if (to->layout == WEIR_LAYOUT_LIST) {
        return append_list(from, first, count, to, err);
    }
    if (to->layout == WEIR_LAYOUT_STRUCT) {
        return append_struct(from, first, count, to, err);
    }
    const uint8_t *data = duckdb_vector_get_data(from);
    weir_buffer shifted = {0};
    const uint64_t *validity = validity_from(duckdb_vector_get_validity(from), first, count, &shifted);
    data += (size_t)first * weir_carried_width(to->type);
    int code;
    if (to->layout == WEIR_LAYOUT_BIT) {
        code = append_bits(data, validity, count, to, err);
    } else if (to->layout == WEIR_LAYOUT_BYTES) {
        code = append_text((const weir_carried_text *)(const void *)data, validity, count, to, err);
    } else {
        code = append_fixed(data, validity, count, to, err);
    }
    weir_buffer_free(&shifted);
    return code;
}

int weir_bridge_append(duckdb_vector from, int64_t count, weir_vector *to, weir_error *err)
{
    return append_run(from, 0, count, to, err);
}
