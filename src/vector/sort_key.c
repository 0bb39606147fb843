/* Building memcmp-comparable keys, a column at a time.
 *
 *   | column 1 | column 2 | ... |       each: | 1 when not NULL, 0 when NULL: 1, if the type is nullable | value |
 *
 *   integers, dates, times, decimals    big-endian with the sign bit flipped
 *   FLOAT, DOUBLE                       their bits, all flipped when negative, else the sign bit; one NaN, the greatest
 *   text and bytes                      as they are when last; else 00 becomes 00 FF and 00 00 ends the value
 *
 * A NULL has zeros for a fixed-width value and nothing for text. Sorting is in sort_order.c. */
#include "vector/sort_key.h"

#include <stdlib.h>

#include "vector/float_order.h"

#define BLOCK_ROWS  1024
#define SLACK_BYTES 8 /* after the last key, so that a prefix is one load */

/* Bytes of a value of this type in a key; 0: as many as it has. */
static uint32_t key_width(const weir_vector *column)
{
    switch (column->layout) {
    case WEIR_LAYOUT_BIT:
    case WEIR_LAYOUT_8:
        return 1;
    case WEIR_LAYOUT_16:
        return 2;
    case WEIR_LAYOUT_32:
        return 4;
    case WEIR_LAYOUT_64:
        return 8;
    case WEIR_LAYOUT_128:
        return column->type->id == WEIR_DECIMAL ? 16 : 12;
    default:
        return 0;
    }
}

static uint32_t null_width(const weir_vector *column) { return column->type->nullable ? 1 : 0; }

/* Values first .. first + count - 1 as unsigned numbers of the column's width, in the order of the values. */
static void order_numbers(const weir_vector *column, int64_t first, int64_t count, uint64_t *out)
{
    if (column->type->id == WEIR_FLOAT) {
        for (int64_t i = 0; i < count; i++) {
            out[i] = (uint32_t)weir_float_rank(WEIR_VALUES(column, float)[first + i]) ^ 0x80000000u;
        }
        return;
    }
    if (column->type->id == WEIR_DOUBLE) {
        for (int64_t i = 0; i < count; i++) {
            out[i] = (uint64_t)weir_double_rank(WEIR_VALUES(column, double)[first + i]) ^ (uint64_t)1 << 63;
        }
        return;
    }
    switch (column->layout) {
    case WEIR_LAYOUT_BIT:
        for (int64_t i = 0; i < count; i++) {
            out[i] = weir_bit_get(column->data, first + i);
        }
        break;
    case WEIR_LAYOUT_8:
        for (int64_t i = 0; i < count; i++) {
            out[i] = column->data[first + i] ^ 0x80u;
        }
        break;
    case WEIR_LAYOUT_16:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(column, uint16_t)[first + i] ^ 0x8000u;
        }
        break;
    case WEIR_LAYOUT_32:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(column, uint32_t)[first + i] ^ 0x80000000u;
        }
        break;
    default:
        for (int64_t i = 0; i < count; i++) {
            out[i] = WEIR_VALUES(column, uint64_t)[first + i] ^ (uint64_t)1 << 63;
        }
        break;
    }
}

static int64_t rows_of_block(int64_t first, int64_t end) { return end - first < BLOCK_ROWS ? end - first : BLOCK_ROWS; }

/* --- keys that are whole in their prefix --- */

static void append_to_prefixes(const weir_vector *column, int64_t first, int64_t count, uint64_t *prefixes)
{
    uint64_t numbers[BLOCK_ROWS];
    order_numbers(column, first, count, numbers);
    uint32_t bits = key_width(column) * 8 % 64; /* a column of 64 bits is alone, and its prefix 0 until now */
    if (null_width(column) == 0) {
        for (int64_t i = 0; i < count; i++) {
            prefixes[i] = prefixes[i] << bits | numbers[i];
        }
        return;
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t valid = !weir_vector_is_null(column, first + i);
        prefixes[i] = (prefixes[i] << 8 | valid) << bits | (numbers[i] & (0 - valid));
    }
}

static void build_prefixes(const weir_batch *batch, const int32_t *columns, int32_t column_count, uint64_t *prefixes)
{
    uint32_t used = 0;
    for (int32_t c = 0; c < column_count; c++) {
        used += null_width(&batch->columns[columns[c]]) + key_width(&batch->columns[columns[c]]);
    }
    memset(prefixes, 0, (size_t)batch->length * sizeof *prefixes);
    for (int64_t first = 0; first < batch->length; first += BLOCK_ROWS) {
        int64_t count = rows_of_block(first, batch->length);
        for (int32_t c = 0; c < column_count; c++) {
            append_to_prefixes(&batch->columns[columns[c]], first, count, prefixes + first);
        }
        for (int64_t i = 0; i < count; i++) {
            prefixes[first + i] <<= (8 - used) * 8 % 64;
        }
    }
}

/* --- keys with bytes --- */

static size_t count_zeros(weir_slice text)
{
    size_t zeros = 0;
    for (size_t i = 0; i < text.size; i++) {
        zeros += text.data[i] == 0;
    }
    return zeros;
}

static void add_sizes(const weir_vector *column, bool is_last, int64_t length, uint64_t *sizes)
{
    uint32_t fixed = null_width(column) + key_width(column);
    for (int64_t i = 0; i < length; i++) {
        sizes[i] += fixed;
    }
    if (column->layout != WEIR_LAYOUT_BYTES) {
        return;
    }
    for (int64_t i = 0; i < length; i++) {
        if (!weir_vector_is_null(column, i)) {
            weir_slice text = weir_vector_bytes(column, i);
            sizes[i] += text.size + (is_last ? 0 : 2 + count_zeros(text));
        }
    }
}

static uint8_t *put_number(uint8_t *to, uint64_t number, uint32_t width)
{
    switch (width) {
    case 1:
        to[0] = (uint8_t)number;
        break;
    case 2:
        weir_store_be16(to, (uint16_t)number);
        break;
    case 4:
        weir_store_be32(to, (uint32_t)number);
        break;
    default:
        weir_store_be64(to, number);
        break;
    }
    return to + width;
}

static uint8_t *put_wide(uint8_t *to, const weir_vector *column, int64_t row)
{
    if (column->type->id == WEIR_DECIMAL) {
        weir_int128 value = WEIR_VALUES(column, weir_int128)[row];
        weir_store_be64(to, (uint64_t)(value >> 64) ^ (uint64_t)1 << 63);
        weir_store_be64(to + 8, (uint64_t)value);
        return to + 16;
    }
    weir_timestamp_nanos value = WEIR_VALUES(column, weir_timestamp_nanos)[row];
    weir_store_be64(to, (uint64_t)value.millis ^ (uint64_t)1 << 63);
    weir_store_be32(to + 8, (uint32_t)value.nanos_of_milli);
    return to + 12;
}

static uint8_t *put_escaped(uint8_t *to, weir_slice text)
{
    while (text.size > 0) {
        const uint8_t *zero = memchr(text.data, 0, text.size);
        size_t plain = zero == NULL ? text.size : (size_t)(zero - text.data);
        memcpy(to, text.data, plain);
        to += plain;
        if (zero == NULL) {
            break;
        }
        *to++ = 0x00;
        *to++ = 0xff;
        text = weir_slice_of(zero + 1, text.size - plain - 1);
    }
    *to++ = 0x00;
    *to++ = 0x00;
    return to;
}

/* `cursors` say where in `bytes` each key goes on, and are advanced. */
static void put_fixed(const weir_vector *column, int64_t first, int64_t count, uint8_t *bytes, uint64_t *cursors)
{
    uint32_t width = key_width(column);
    uint64_t numbers[BLOCK_ROWS];
    if (width <= 8) {
        order_numbers(column, first, count, numbers);
    }
    for (int64_t i = 0; i < count; i++) {
        uint8_t *to = bytes + cursors[i];
        bool is_null = weir_vector_is_null(column, first + i);
        if (null_width(column) > 0) {
            *to++ = !is_null;
        }
        if (is_null) {
            memset(to, 0, width);
            to += width;
        } else {
            to = width <= 8 ? put_number(to, numbers[i], width) : put_wide(to, column, first + i);
        }
        cursors[i] = (uint64_t)(to - bytes);
    }
}

static void put_texts(const weir_vector *column, bool is_last, int64_t first, int64_t count, uint8_t *bytes,
                      uint64_t *cursors)
{
    for (int64_t i = 0; i < count; i++) {
        uint8_t *to = bytes + cursors[i];
        bool is_null = weir_vector_is_null(column, first + i);
        if (null_width(column) > 0) {
            *to++ = !is_null;
        }
        weir_slice text = is_null ? (weir_slice){0} : weir_vector_bytes(column, first + i);
        if (!is_null && !is_last) {
            to = put_escaped(to, text);
        } else if (text.size > 0) {
            memcpy(to, text.data, text.size);
            to += text.size;
        }
        cursors[i] = (uint64_t)(to - bytes);
    }
}

static void load_prefixes(const weir_sort_keys *keys, int64_t first, int64_t count)
{
    for (int64_t i = first; i < first + count; i++) {
        uint64_t size = keys->offsets[i + 1] - keys->offsets[i];
        uint64_t word = weir_load_be64(keys->bytes + keys->offsets[i]);
        uint64_t mask = size >= 8 ? UINT64_MAX : size == 0 ? 0 : UINT64_MAX << (64 - size * 8);
        keys->prefixes[i] = word & mask;
    }
}

/* --- memory --- */

static int grow(void **array, size_t used, size_t wanted, size_t element_size, weir_error *err)
{
    void *grown = NULL;
    WEIR_TRY(weir_alloc_checked(wanted, element_size, &grown, err));
    if (*array != NULL) {
        memcpy(grown, *array, used * element_size);
    }
    free(*array);
    *array = grown;
    return WEIR_OK;
}

static int reserve_rows(weir_sort_keys *keys, size_t rows, weir_error *err)
{
    size_t used = (size_t)keys->length;
    if (used + rows <= keys->length_capacity) {
        return WEIR_OK;
    }
    size_t wanted = used + rows > keys->length_capacity * 2 ? used + rows : keys->length_capacity * 2;
    WEIR_TRY(grow((void **)&keys->prefixes, used, wanted, sizeof *keys->prefixes, err));
    if (!keys->whole) {
        bool is_first = keys->offsets == NULL;
        WEIR_TRY(grow((void **)&keys->offsets, is_first ? 0 : used + 1, wanted + 1, sizeof *keys->offsets, err));
        keys->offsets[used] = is_first ? 0 : keys->offsets[used];
    }
    keys->length_capacity = wanted;
    return WEIR_OK;
}

static int reserve_bytes(weir_sort_keys *keys, size_t used, size_t size, weir_error *err)
{
    if (used + size + SLACK_BYTES <= keys->bytes_capacity) {
        return WEIR_OK;
    }
    size_t wanted = used + size + SLACK_BYTES;
    wanted = wanted > keys->bytes_capacity * 2 ? wanted : keys->bytes_capacity * 2;
    WEIR_TRY(grow((void **)&keys->bytes, used, wanted, 1, err));
    keys->bytes_capacity = wanted;
    return WEIR_OK;
}

/* --- appending --- */

static int append_bytes(weir_sort_keys *keys, const weir_batch *batch, const int32_t *columns, int32_t column_count,
                        weir_error *err)
{
    /* offsets[i + 1] is first the size of key i, then where key i goes on, and so in the end where it ends. */
    uint64_t *sizes = keys->offsets + keys->length + 1;
    memset(sizes, 0, (size_t)batch->length * sizeof *sizes);
    for (int32_t c = 0; c < column_count; c++) {
        add_sizes(&batch->columns[columns[c]], c == column_count - 1, batch->length, sizes);
    }
    uint64_t used = keys->offsets[keys->length];
    uint64_t end = used;
    for (int64_t i = 0; i < batch->length; i++) {
        uint64_t size = sizes[i];
        sizes[i] = end;
        end += size;
    }
    WEIR_TRY(reserve_bytes(keys, used, end - used, err));
    for (int32_t c = 0; c < column_count; c++) {
        const weir_vector *column = &batch->columns[columns[c]];
        for (int64_t first = 0; first < batch->length; first += BLOCK_ROWS) {
            int64_t count = rows_of_block(first, batch->length);
            if (column->layout == WEIR_LAYOUT_BYTES) {
                put_texts(column, c == column_count - 1, first, count, keys->bytes, sizes + first);
            } else {
                put_fixed(column, first, count, keys->bytes, sizes + first);
            }
        }
    }
    memset(keys->bytes + end, 0, SLACK_BYTES);
    load_prefixes(keys, keys->length, batch->length);
    return WEIR_OK;
}

/* Checks the columns, and says whether their keys fit into eight bytes. */
static int inspect(const weir_batch *batch, const int32_t *columns, int32_t column_count, bool *out_whole,
                   weir_error *err)
{
    uint32_t width = 0;
    bool has_text = false;
    for (int32_t c = 0; c < column_count; c++) {
        const weir_vector *column = &batch->columns[columns[c]];
        if (weir_type_is_nested(column->type) || column->layout == WEIR_LAYOUT_NONE) {
            return weir_fail(err, WEIR_INVALID,
                             "key column %" PRId32 " is an array, map, row or NULL; only plain values can be sorted by",
                             c + 1);
        }
        if (!column->type->nullable && column->null_count > 0) {
            return weir_fail(err, WEIR_INVALID, "key column %" PRId32 " is NOT NULL and holds %" PRId64 " NULLs", c + 1,
                             column->null_count);
        }
        has_text = has_text || column->layout == WEIR_LAYOUT_BYTES;
        width += null_width(column) + key_width(column);
    }
    *out_whole = !has_text && width <= 8;
    return WEIR_OK;
}

int weir_sort_keys_append(weir_sort_keys *keys, const weir_batch *batch, const int32_t *columns, int32_t column_count,
                          weir_error *err)
{
    bool whole = false;
    WEIR_TRY(inspect(batch, columns, column_count, &whole, err));
    if (keys->length == 0 && keys->whole != whole) {
        weir_sort_keys_free(keys);
        keys->whole = whole;
    } else if (keys->whole != whole) {
        return weir_fail(err, WEIR_INVALID, "rows with other key columns cannot be added to these sort keys");
    }
    if (batch->length == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(reserve_rows(keys, (size_t)batch->length, err));
    if (whole) {
        build_prefixes(batch, columns, column_count, keys->prefixes + keys->length);
    } else {
        WEIR_TRY(append_bytes(keys, batch, columns, column_count, err));
    }
    keys->length += batch->length;
    return WEIR_OK;
}

void weir_sort_keys_clear(weir_sort_keys *keys) { keys->length = 0; }

void weir_sort_keys_free(weir_sort_keys *keys)
{
    free(keys->prefixes);
    free(keys->offsets);
    free(keys->bytes);
    *keys = (weir_sort_keys){0};
}

size_t weir_sort_keys_memory(const weir_sort_keys *keys)
{
    size_t offsets = keys->offsets == NULL ? 0 : (keys->length_capacity + 1) * sizeof *keys->offsets;
    return keys->length_capacity * sizeof *keys->prefixes + offsets + keys->bytes_capacity;
}
