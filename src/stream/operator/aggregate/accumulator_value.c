/* Values as cells keep them: in a place of the row, and in maps as bytes in the values' order.
 *
 * Bytes in order:   numbers, times     big-endian, the sign bit flipped; floats by their rank (vector/float_order.h)
 *                   texts              00 becomes 00 FF, and 00 00 ends them
 * all bits flipped when the order is to be the other way round. No such value is the beginning of another, so they can
 * be put one after the other. */
#include "stream/operator/aggregate/accumulator_value.h"

#include <stdlib.h>

#include "stream/state/row_codec.h"
#include "vector/bits.h"
#include "vector/float_order.h"

/* --- Places ---------------------------------------------------------------------------------------------------- */

bool weir_place_is_set(const weir_accumulator_rows *rows, int64_t row, const weir_place *place)
{
    return rows->bytes[row][place->flag] != 0;
}

void weir_place_clear(weir_accumulator_rows *rows, int64_t row, const weir_place *place)
{
    rows->bytes[row][place->flag] = 0;
    if (place->tail >= 0) {
        weir_tail_set(rows, row, place->tail, (weir_slice){0});
    } else {
        memset(rows->bytes[row] + place->offset, 0, (size_t)place->width);
    }
}

weir_slice weir_place_get(const weir_accumulator_rows *rows, int64_t row, const weir_place *place)
{
    return place->tail >= 0 ? weir_tail_get(rows, row, place->tail)
                            : weir_slice_of(rows->bytes[row] + place->offset, (size_t)place->width);
}

void weir_place_set(weir_accumulator_rows *rows, int64_t row, const weir_place *place, weir_slice bytes)
{
    rows->bytes[row][place->flag] = 1;
    if (place->tail >= 0) {
        weir_tail_set(rows, row, place->tail, bytes);
    } else {
        memcpy(rows->bytes[row] + place->offset, bytes.data, (size_t)place->width);
    }
}

int weir_place_bytes(const weir_batch *computed, int32_t column, uint32_t row, weir_buffer *scratch, weir_slice *out,
                     weir_error *err)
{
    const weir_vector *vector = &computed->columns[column];
    size_t width = weir_layout_width(vector->layout);
    if (width > 0) {
        *out = weir_slice_of(vector->data + width * row, width);
    } else if (vector->layout == WEIR_LAYOUT_BYTES) {
        *out = weir_vector_bytes(vector, row);
    } else if (vector->layout == WEIR_LAYOUT_BIT) {
        weir_buffer_clear(scratch);
        weir_buffer_append_byte(scratch, weir_bit_get(vector->data, row));
        *out = weir_buffer_slice(scratch);
    } else {
        weir_buffer_clear(scratch);
        WEIR_TRY(weir_row_encode(computed, &column, 1, row, scratch, err));
        *out = weir_buffer_slice(scratch);
    }
    return WEIR_OK;
}

int weir_given_open(weir_vector *out, int64_t count, weir_error *err)
{
    WEIR_TRY(weir_vector_reserve_validity(out, count, err));
    weir_bits_fill(out->validity, out->length, count, true);
    return WEIR_OK;
}

void weir_given_close(weir_vector *out, int64_t count)
{
    out->length += count;
    if (out->null_count == 0) {
        weir_vector_drop_validity(out);
    }
}

static int append_place(const weir_aggregate_output *output, const weir_accumulator_rows *rows, int64_t row,
                        weir_vector *out, weir_error *err)
{
    const weir_place *place = &output->cell->place;
    if (!weir_place_is_set(rows, row, place)) {
        return weir_vector_append_nulls(out, 1, err);
    }
    weir_slice bytes = weir_place_get(rows, row, place);
    if (out->layout == WEIR_LAYOUT_LIST || out->layout == WEIR_LAYOUT_STRUCT) {
        weir_batch as_batch = {.columns = out, .column_count = 1};
        return weir_row_decode(bytes, &as_batch, 0, 1, err);
    }
    return weir_vector_append_raw(out, bytes.data, bytes.size, err);
}

int weir_give_place(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                    weir_error *err)
{
    const weir_place *place = &output->cell->place;
    size_t width = weir_layout_width(out->layout);
    for (int64_t i = 0; i < rows->count && width == 0; i++) {
        WEIR_TRY(append_place(output, rows, i, out, err));
    }
    if (width == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_given_open(out, rows->count, err));
    uint8_t *to = out->data + width * (size_t)out->length;
    for (int64_t i = 0; i < rows->count; i++) {
        if (weir_place_is_set(rows, i, place)) {
            memcpy(to + width * (size_t)i, rows->bytes[i] + place->offset, width);
        } else {
            weir_given_null(out, i);
        }
    }
    weir_given_close(out, rows->count);
    return WEIR_OK;
}

/* --- Bytes in order -------------------------------------------------------------------------------------------- */

/* A number as an unsigned one of its width, in the order of the numbers. */
static uint64_t ordered_number(const weir_vector *vector, int64_t row)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        return weir_bit_get(vector->data, row);
    case WEIR_LAYOUT_8:
        return vector->data[row] ^ 0x80u;
    case WEIR_LAYOUT_16:
        return WEIR_VALUES(vector, uint16_t)[row] ^ 0x8000u;
    case WEIR_LAYOUT_32:
        return vector->type->id == WEIR_FLOAT ? (uint32_t)weir_float_rank(WEIR_VALUES(vector, float)[row]) ^ 0x80000000u
                                              : WEIR_VALUES(vector, uint32_t)[row] ^ 0x80000000u;
    default:
        return (vector->type->id == WEIR_DOUBLE ? (uint64_t)weir_double_rank(WEIR_VALUES(vector, double)[row])
                                                : WEIR_VALUES(vector, uint64_t)[row]) ^
               (uint64_t)1 << 63;
    }
}

static void append_number(weir_buffer *out, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    weir_store_be64(bytes, number << (64 - width * 8));
    weir_buffer_append(out, bytes, width);
}

static void append_wide(weir_buffer *out, const weir_vector *vector, int64_t row)
{
    if (vector->type->id == WEIR_DECIMAL) {
        weir_int128 value = WEIR_VALUES(vector, weir_int128)[row];
        append_number(out, (uint64_t)(value >> 64) ^ (uint64_t)1 << 63, 8);
        append_number(out, (uint64_t)value, 8);
    } else {
        weir_timestamp_nanos value = WEIR_VALUES(vector, weir_timestamp_nanos)[row];
        append_number(out, (uint64_t)value.millis ^ (uint64_t)1 << 63, 8);
        append_number(out, (uint32_t)value.nanos_of_milli, 4);
    }
}

static void append_text(weir_buffer *out, weir_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        weir_buffer_append_byte(out, text.data[i]);
        if (text.data[i] == 0) {
            weir_buffer_append_byte(out, 0xff);
        }
    }
    weir_buffer_append(out, "\0", 2);
}

static void flip_bits(weir_buffer *out, size_t first)
{
    for (size_t i = first; i < out->size; i++) {
        out->data[i] = (uint8_t)~out->data[i];
    }
}

void weir_ordered_append(const weir_vector *vector, int64_t row, bool descending, weir_buffer *out)
{
    size_t first = out->size;
    if (vector->layout == WEIR_LAYOUT_BYTES) {
        append_text(out, weir_vector_bytes(vector, row));
    } else if (vector->layout == WEIR_LAYOUT_128) {
        append_wide(out, vector, row);
    } else {
        size_t width = vector->layout == WEIR_LAYOUT_BIT ? 1 : weir_layout_width(vector->layout);
        append_number(out, ordered_number(vector, row), width);
    }
    if (descending) {
        flip_bits(out, first);
    }
}

void weir_order_key_append(const weir_cell *cell, const weir_batch *computed, int64_t row, weir_buffer *out)
{
    for (int32_t i = 0; i < cell->order_count; i++) {
        const weir_vector *vector = &computed->columns[cell->order_column + i];
        bool is_null = weir_vector_is_null(vector, row);
        weir_buffer_append_byte(out, !is_null ? 1 : cell->order[i].nulls_first ? 0 : 2);
        if (!is_null) {
            weir_ordered_append(vector, row, cell->order[i].descending, out);
        }
    }
}

/* --- And back -------------------------------------------------------------------------------------------------- */

static uint64_t read_number(const uint8_t *from, size_t width)
{
    uint8_t bytes[8] = {0};
    memcpy(bytes, from, width);
    return weir_load_be64(bytes) >> (64 - width * 8);
}

static void unorder_64(const weir_type *type, const uint8_t *from, weir_buffer *out)
{
    size_t width = type->id == WEIR_BOOLEAN ? 1 : weir_layout_width(weir_layout_of(type));
    uint64_t number = read_number(from, width);
    if (type->id != WEIR_BOOLEAN) {
        number ^= (uint64_t)1 << (width * 8 - 1);
    }
    if (type->id == WEIR_FLOAT) {
        float value = weir_float_of_rank((int32_t)number);
        weir_buffer_append(out, &value, sizeof value);
    } else if (type->id == WEIR_DOUBLE) {
        double value = weir_double_of_rank((int64_t)number);
        weir_buffer_append(out, &value, sizeof value);
    } else {
        weir_buffer_append(out, &number, width); /* little-endian: the low bytes come first */
    }
}

static void unorder_wide(const weir_type *type, const uint8_t *from, weir_buffer *out)
{
    uint64_t high = read_number(from, 8) ^ (uint64_t)1 << 63;
    if (type->id == WEIR_DECIMAL) {
        uint64_t low = read_number(from + 8, 8);
        weir_buffer_append(out, &low, sizeof low);
        weir_buffer_append(out, &high, sizeof high);
    } else {
        weir_timestamp_nanos value = {(int64_t)high, (int32_t)read_number(from + 8, 4), 0};
        weir_buffer_append(out, &value, sizeof value);
    }
}

static void unorder_text(weir_slice bytes, weir_buffer *out)
{
    for (size_t i = 0; i + 2 < bytes.size; i++) {
        weir_buffer_append_byte(out, bytes.data[i]);
        i += bytes.data[i] == 0; /* the FF after it */
    }
}

/* Bytes that a value of the type takes; 0: as many as it has. */
static size_t ordered_width(const weir_type *type)
{
    switch (weir_layout_of(type)) {
    case WEIR_LAYOUT_BYTES:
        return 0;
    case WEIR_LAYOUT_BIT:
        return 1;
    case WEIR_LAYOUT_128:
        return type->id == WEIR_DECIMAL ? 16 : 12;
    default:
        return weir_layout_width(weir_layout_of(type));
    }
}

int weir_ordered_read(const weir_type *type, weir_slice bytes, bool descending, weir_buffer *out, weir_error *err)
{
    size_t width = ordered_width(type);
    weir_buffer plain = {0};
    if (width == 0 ? bytes.size < 2 : bytes.size != width) {
        return weir_fail(err, WEIR_CORRUPT, "state of an aggregate: %zu bytes are no value of its type", bytes.size);
    }
    weir_buffer_append(&plain, bytes.data, bytes.size);
    if (descending) {
        flip_bits(&plain, 0);
    }
    weir_buffer_clear(out);
    if (width == 0) {
        unorder_text(weir_buffer_slice(&plain), out);
    } else if (weir_layout_of(type) == WEIR_LAYOUT_128) {
        unorder_wide(type, plain.data, out);
    } else {
        unorder_64(type, plain.data, out);
    }
    weir_buffer_free(&plain);
    return WEIR_OK;
}

/* --- Maps ------------------------------------------------------------------------------------------------------ */

int weir_map_count(weir_slice value, int64_t *out, weir_error *err)
{
    if (value.size != sizeof *out) {
        return weir_fail(err, WEIR_CORRUPT, "state of an aggregate: a count of %zu bytes", value.size);
    }
    memcpy(out, value.data, sizeof *out);
    return WEIR_OK;
}

static void copy_entry(weir_map_copy *copy, weir_slice key, weir_slice value)
{
    WEIR_GROW(copy->offsets, copy->offsets_capacity, 2 * copy->count + 3);
    copy->offsets[2 * copy->count] = copy->bytes.size;
    weir_buffer_append(&copy->bytes, key.data, key.size);
    copy->offsets[2 * copy->count + 1] = copy->bytes.size;
    weir_buffer_append(&copy->bytes, value.data, value.size);
    copy->offsets[2 * copy->count + 2] = copy->bytes.size;
    copy->count++;
}

int weir_map_copy_read(weir_map_state *map, weir_state_slot slot, weir_map_copy *out, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice key;
    weir_slice value;
    WEIR_TRY(weir_map_cursor_open(map, slot, (weir_slice){0}, &cursor, err));
    int code = weir_map_cursor_next(cursor, &key, &value, err);
    while (code == WEIR_OK) {
        copy_entry(out, key, value);
        code = weir_map_cursor_next(cursor, &key, &value, err);
    }
    weir_map_cursor_close(cursor);
    return code == WEIR_END ? WEIR_OK : code;
}

static weir_slice copied(const weir_map_copy *copy, size_t i)
{
    return weir_slice_of(copy->bytes.data + copy->offsets[i], copy->offsets[i + 1] - copy->offsets[i]);
}

weir_slice weir_map_copy_key(const weir_map_copy *copy, size_t i) { return copied(copy, 2 * i); }
weir_slice weir_map_copy_value(const weir_map_copy *copy, size_t i) { return copied(copy, 2 * i + 1); }

void weir_map_copy_free(weir_map_copy *copy)
{
    weir_buffer_free(&copy->bytes);
    free(copy->offsets);
}

int weir_map_clear(weir_map_state *map, weir_state_slot slot, weir_error *err)
{
    weir_map_copy copy = {0};
    int code = weir_map_copy_read(map, slot, &copy, err);
    for (size_t i = 0; i < copy.count && code == WEIR_OK; i++) {
        code = weir_map_state_remove(map, slot, weir_map_copy_key(&copy, i), err);
    }
    weir_map_copy_free(&copy);
    return code;
}
