/* Values without nulls, in the few forms that the encodings know.
 *
 * Where nothing is left out or widened the values stay where they are in the vector; otherwise they are gathered into
 * the scratch. The loops are plain and one for each pair of types, so that the compiler can vectorize them. */
#include "format/parquet/dense_values.h"

#include <stdlib.h>

#include "vector/bits.h"

void weir_dense_scratch_free(weir_dense_scratch *scratch)
{
    weir_buffer_free(&scratch->fixed);
    free(scratch->refs);
    *scratch = (weir_dense_scratch){0};
}

weir_value_form weir_value_form_of(const weir_write_leaf *leaf)
{
    switch (leaf->physical) {
    case WEIR_PARQUET_BOOLEAN:
        return WEIR_FORM_BOOLEAN;
    case WEIR_PARQUET_INT32:
        return WEIR_FORM_INT32;
    case WEIR_PARQUET_INT64:
        return WEIR_FORM_INT64;
    case WEIR_PARQUET_INT96:
        return WEIR_FORM_NANOS;
    case WEIR_PARQUET_FLOAT:
        return WEIR_FORM_FLOAT;
    case WEIR_PARQUET_DOUBLE:
        return WEIR_FORM_DOUBLE;
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        return WEIR_FORM_INT128;
    case WEIR_PARQUET_BYTE_ARRAY:
        break;
    }
    return WEIR_FORM_BYTES;
}

size_t weir_value_form_width(weir_value_form form)
{
    static const size_t widths[] = {
        [WEIR_FORM_BOOLEAN] = 0, [WEIR_FORM_INT32] = 4,   [WEIR_FORM_INT64] = 8,  [WEIR_FORM_FLOAT] = 4,
        [WEIR_FORM_DOUBLE] = 8,  [WEIR_FORM_INT128] = 16, [WEIR_FORM_NANOS] = 16, [WEIR_FORM_BYTES] = 0,
    };
    return widths[form];
}

size_t weir_value_plain_width(const weir_write_leaf *leaf)
{
    switch (leaf->physical) {
    case WEIR_PARQUET_INT96:
        return 12;
    case WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY:
        return (size_t)leaf->type_length;
    default:
        return weir_value_form_width(weir_value_form_of(leaf));
    }
}

#define GATHER(name, from_type, to_type)                                                                               \
    static void name(const from_type *values, const uint32_t *rows, size_t count, to_type *out)                        \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            out[i] = (to_type)values[rows[i]];                                                                         \
        }                                                                                                              \
    }
#define CONVERT(name, from_type, to_type)                                                                              \
    static void name(const from_type *values, size_t count, to_type *out)                                              \
    {                                                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                                           \
            out[i] = (to_type)values[i];                                                                               \
        }                                                                                                              \
    }

GATHER(gather_8_to_32, int8_t, int32_t)
GATHER(gather_16_to_32, int16_t, int32_t)
GATHER(gather_64_to_32, int64_t, int32_t)
GATHER(gather_32, int32_t, int32_t)
GATHER(gather_64, int64_t, int64_t)
GATHER(gather_128, weir_int128, weir_int128)
CONVERT(convert_8_to_32, int8_t, int32_t)
CONVERT(convert_16_to_32, int16_t, int32_t)
CONVERT(convert_64_to_32, int64_t, int32_t)

/* Into the scratch, by the width in the vector and the width of the form. */
static void gather_fixed(const weir_vector *vector, const uint32_t *rows, size_t count, size_t width, void *out)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_8:
        gather_8_to_32(WEIR_VALUES(vector, int8_t), rows, count, out);
        break;
    case WEIR_LAYOUT_16:
        gather_16_to_32(WEIR_VALUES(vector, int16_t), rows, count, out);
        break;
    case WEIR_LAYOUT_32:
        gather_32(WEIR_VALUES(vector, int32_t), rows, count, out);
        break;
    case WEIR_LAYOUT_64:
        if (width == 4) {
            gather_64_to_32(WEIR_VALUES(vector, int64_t), rows, count, out);
        } else {
            gather_64(WEIR_VALUES(vector, int64_t), rows, count, out);
        }
        break;
    default:
        gather_128(WEIR_VALUES(vector, weir_int128), rows, count, out);
        break;
    }
}

/* Returns the values where they lie when their width is that of the form. */
static const void *convert_fixed(const weir_vector *vector, int64_t first, size_t count, size_t width, void *out)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_8:
        convert_8_to_32(WEIR_VALUES(vector, int8_t) + first, count, out);
        return out;
    case WEIR_LAYOUT_16:
        convert_16_to_32(WEIR_VALUES(vector, int16_t) + first, count, out);
        return out;
    case WEIR_LAYOUT_64:
        if (width == 4) {
            convert_64_to_32(WEIR_VALUES(vector, int64_t) + first, count, out);
            return out;
        }
        break;
    default:
        break;
    }
    return vector->data + (size_t)first * width;
}

static void *scratch_bytes(weir_dense_scratch *scratch, size_t size)
{
    weir_buffer_clear(&scratch->fixed);
    weir_buffer_reserve(&scratch->fixed, size);
    return scratch->fixed.data;
}

static void take_fixed(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first, const uint32_t *rows,
                       weir_dense_scratch *scratch, weir_dense_values *out)
{
    size_t width = weir_value_form_width(out->form);
    void *room = scratch_bytes(scratch, out->count * width);
    if (rows == NULL) {
        out->fixed = convert_fixed(vector, first, out->count, width, room);
    } else {
        gather_fixed(vector, rows, out->count, width, room);
        out->fixed = room;
    }
    out->plain_size = out->count * weir_value_plain_width(leaf);
}

static void take_bits(const weir_vector *vector, int64_t first, const uint32_t *rows, weir_dense_scratch *scratch,
                      weir_dense_values *out)
{
    int64_t count = (int64_t)out->count;
    uint8_t *bits = scratch_bytes(scratch, weir_bits_size(count) + 1);
    memset(bits, 0, weir_bits_size(count) + 1);
    if (rows == NULL) {
        weir_bits_copy(bits, 0, vector->data, first, count);
        out->true_count = weir_bits_count(bits, 0, count);
    } else {
        out->true_count = weir_bits_gather(bits, 0, vector->data, rows, count);
    }
    out->fixed = bits;
}

static size_t refs_of_range(const int32_t *offsets, size_t count, weir_bytes_ref *out)
{
    for (size_t i = 0; i < count; i++) {
        out[i].from = (uint32_t)offsets[i];
        out[i].size = (uint32_t)(offsets[i + 1] - offsets[i]);
    }
    return (size_t)(offsets[count] - offsets[0]);
}

static size_t refs_of_rows(const int32_t *offsets, const uint32_t *rows, size_t count, weir_bytes_ref *out)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t row = rows[i];
        out[i].from = (uint32_t)offsets[row];
        out[i].size = (uint32_t)(offsets[row + 1] - offsets[row]);
        bytes += out[i].size;
    }
    return bytes;
}

static void take_bytes(const weir_vector *vector, int64_t first, const uint32_t *rows, weir_dense_scratch *scratch,
                       weir_dense_values *out)
{
    WEIR_GROW(scratch->refs, scratch->ref_capacity, out->count);
    size_t bytes = rows == NULL ? refs_of_range(vector->offsets + first, out->count, scratch->refs)
                                : refs_of_rows(vector->offsets, rows, out->count, scratch->refs);
    out->refs = scratch->refs;
    out->bytes = vector->data != NULL ? vector->data : (const uint8_t *)""; /* NULL when all are empty */
    out->bytes_size = (size_t)vector->offsets[vector->length];
    out->plain_size = bytes + sizeof(uint32_t) * out->count;
}

void weir_dense_values_take(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first, const uint32_t *rows,
                            size_t count, weir_dense_scratch *scratch, weir_dense_values *out)
{
    *out = (weir_dense_values){.form = weir_value_form_of(leaf), .count = count};
    if (count == 0) {
        return;
    }
    if (out->form == WEIR_FORM_BYTES) {
        take_bytes(vector, first, rows, scratch, out);
    } else if (out->form == WEIR_FORM_BOOLEAN) {
        take_bits(vector, first, rows, scratch, out);
    } else {
        take_fixed(leaf, vector, first, rows, scratch, out);
    }
}
