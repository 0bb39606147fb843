/* Decoding the values of a page: beginning, numbers, booleans, and the way to each encoding of byte strings
 * (values_bytes.c). */
#include "format/parquet/values.h"

#include <stdlib.h>

#include "format/parquet/values_internal.h"
#include "vector/bits.h"

void weir_parquet_values_free(weir_parquet_values *values)
{
    free(values->front);
    values->front = NULL;
    if (values->source != NULL) {
        weir_parquet_scratch_free(values->source, &values->assembled);
    }
}

int weir_parquet_values_too_short(const weir_parquet_values *values, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: a page of column %s is damaged or ends too early", values->source->path,
                     values->leaf->name);
}

static int wrong_encoding(const weir_parquet_values *values, weir_parquet_encoding encoding, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: a page of column %s has encoding %d, which its type cannot have",
                     values->source->path, values->leaf->name, (int)encoding);
}

/* --- beginning a page ------------------------------------------------------------------------------------------- */

static int begin_split(weir_parquet_values *values, weir_slice bytes, weir_error *err)
{
    size_t width = (size_t)values->leaf->width;
    if (width == 0 || values->leaf->physical == WEIR_PARQUET_INT96) {
        return wrong_encoding(values, WEIR_PARQUET_BYTE_STREAM_SPLIT, err);
    }
    values->count = (int64_t)(bytes.size / width);
    return bytes.size % width == 0 ? WEIR_OK : weir_parquet_values_too_short(values, err);
}

static int begin_rle_booleans(weir_parquet_values *values, weir_slice bytes, weir_error *err)
{
    if (values->leaf->physical != WEIR_PARQUET_BOOLEAN) {
        return wrong_encoding(values, WEIR_PARQUET_RLE, err);
    }
    if (bytes.size < 4 || weir_load_le32(bytes.data) > bytes.size - 4) {
        return weir_parquet_values_too_short(values, err);
    }
    weir_parquet_rle_init(&values->rle, weir_slice_of(bytes.data + 4, weir_load_le32(bytes.data)), 1);
    return WEIR_OK;
}

static int begin_delta(weir_parquet_values *values, weir_slice bytes, weir_error *err)
{
    if (values->leaf->physical != WEIR_PARQUET_INT32 && values->leaf->physical != WEIR_PARQUET_INT64) {
        return wrong_encoding(values, WEIR_PARQUET_DELTA_BINARY_PACKED, err);
    }
    return weir_parquet_delta_init(&values->delta, bytes) ? WEIR_OK : weir_parquet_values_too_short(values, err);
}

int weir_parquet_values_begin(weir_parquet_values *values, weir_parquet_encoding encoding, weir_slice bytes,
                              weir_error *err)
{
    bool is_bytes = weir_parquet_leaf_is_bytes(values->leaf);
    values->encoding = encoding;
    values->next = bytes.data;
    values->end = bytes.data + bytes.size;
    values->position = 0;
    switch (encoding) {
    case WEIR_PARQUET_PLAIN:
        values->count = (int64_t)bytes.size * 8;
        return WEIR_OK;
    case WEIR_PARQUET_RLE:
        return begin_rle_booleans(values, bytes, err);
    case WEIR_PARQUET_DELTA_BINARY_PACKED:
        return begin_delta(values, bytes, err);
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        return begin_split(values, bytes, err);
    case WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return is_bytes ? weir_parquet_begin_delta_length(values, bytes, err) : wrong_encoding(values, encoding, err);
    case WEIR_PARQUET_DELTA_BYTE_ARRAY:
        return is_bytes ? weir_parquet_begin_front_coding(values, bytes, err) : wrong_encoding(values, encoding, err);
    case WEIR_PARQUET_PLAIN_DICTIONARY:
    case WEIR_PARQUET_RLE_DICTIONARY:
    case WEIR_PARQUET_BIT_PACKED:
        break;
    }
    return wrong_encoding(values, encoding, err);
}

/* --- numbers ---------------------------------------------------------------------------------------------------- */

static void join_streams_4(const uint8_t *streams, int64_t stride, int64_t count, uint8_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *at = streams + i;
        weir_store_le32(out + i * 4, (uint32_t)at[0] | (uint32_t)at[stride] << 8 | (uint32_t)at[2 * stride] << 16 |
                                         (uint32_t)at[3 * stride] << 24);
    }
}

static void join_streams_8(const uint8_t *streams, int64_t stride, int64_t count, uint8_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        const uint8_t *at = streams + i;
        uint64_t value = 0;
        for (int byte = 0; byte < 8; byte++) {
            value |= (uint64_t)at[byte * stride] << (8 * byte);
        }
        weir_store_le64(out + i * 8, value);
    }
}

/* Byte b of value i is at b * count + i. */
int weir_parquet_join_streams(weir_parquet_values *values, int64_t count, uint8_t *out, weir_error *err)
{
    if (count > values->count - values->position) {
        return weir_parquet_values_too_short(values, err);
    }
    const uint8_t *streams = values->next + values->position;
    int32_t width = values->leaf->width;
    if (width == 4) {
        join_streams_4(streams, values->count, count, out);
    } else if (width == 8) {
        join_streams_8(streams, values->count, count, out);
    } else {
        for (int32_t byte = 0; byte < width; byte++) {
            for (int64_t i = 0; i < count; i++) {
                out[i * width + byte] = streams[byte * values->count + i];
            }
        }
    }
    values->position += count;
    return WEIR_OK;
}

int weir_parquet_values_numbers(weir_parquet_values *values, int64_t count, uint8_t *out, weir_error *err)
{
    size_t bytes = (size_t)count * (size_t)values->leaf->width;
    if (bytes == 0) {
        return WEIR_OK; /* a page of nulls has no values, and `out` may be nowhere */
    }
    switch (values->encoding) {
    case WEIR_PARQUET_PLAIN:
        if (bytes > (size_t)(values->end - values->next)) {
            return weir_parquet_values_too_short(values, err);
        }
        memcpy(out, values->next, bytes);
        values->next += bytes;
        return WEIR_OK;
    case WEIR_PARQUET_DELTA_BINARY_PACKED: {
        bool done = values->leaf->width == 4
                        ? weir_parquet_delta_read_32(&values->delta, count, (uint32_t *)(void *)out)
                        : weir_parquet_delta_read(&values->delta, count, (uint64_t *)(void *)out);
        return done ? WEIR_OK : weir_parquet_values_too_short(values, err);
    }
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        return weir_parquet_join_streams(values, count, out, err);
    default:
        return wrong_encoding(values, values->encoding, err);
    }
}

/* --- booleans --------------------------------------------------------------------------------------------------- */

int weir_parquet_values_bits(weir_parquet_values *values, int64_t count, uint8_t *bits, int64_t first, weir_error *err)
{
    int64_t ones = 0;
    if (values->encoding == WEIR_PARQUET_RLE) {
        return weir_parquet_rle_read_bits(&values->rle, count, bits, first, &ones)
                   ? WEIR_OK
                   : weir_parquet_values_too_short(values, err);
    }
    if (count > values->count - values->position) {
        return weir_parquet_values_too_short(values, err);
    }
    weir_bits_copy(bits, first, values->next, values->position, count);
    values->position += count;
    return WEIR_OK;
}

/* --- skipping --------------------------------------------------------------------------------------------------- */

static int skip_counted(weir_parquet_values *values, int64_t count, weir_error *err)
{
    if (count > values->count - values->position) {
        return weir_parquet_values_too_short(values, err);
    }
    values->position += count;
    return WEIR_OK;
}

static int skip_plain_numbers(weir_parquet_values *values, int64_t count, weir_error *err)
{
    size_t width = (size_t)values->leaf->width;
    if ((size_t)count > (size_t)(values->end - values->next) / width) {
        return weir_parquet_values_too_short(values, err);
    }
    values->next += (size_t)count * width;
    return WEIR_OK;
}

int weir_parquet_values_skip(weir_parquet_values *values, int64_t count, weir_error *err)
{
    bool done = true;
    switch (values->encoding) {
    case WEIR_PARQUET_PLAIN:
        if (values->leaf->physical == WEIR_PARQUET_BOOLEAN) {
            return skip_counted(values, count, err);
        }
        return values->leaf->width > 0 ? skip_plain_numbers(values, count, err)
                                       : weir_parquet_skip_plain_bytes(values, count, err);
    case WEIR_PARQUET_RLE:
        done = weir_parquet_rle_skip(&values->rle, count);
        break;
    case WEIR_PARQUET_DELTA_BINARY_PACKED:
        done = weir_parquet_delta_skip(&values->delta, count);
        break;
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        return skip_counted(values, count, err);
    default:
        return weir_parquet_skip_views(values, count, err);
    }
    return done ? WEIR_OK : weir_parquet_values_too_short(values, err);
}
