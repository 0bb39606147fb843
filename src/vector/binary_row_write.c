/* Writing BinaryRow: rows of a batch with values of any type, and serialized rows of literals.
 *
 * A row, an array and the two arrays of a map are "sections": a fixed part with null bits and slots, after which the
 * variable part grows. Nested sections are written in place at the end of the buffer, so nothing is copied twice.
 * Offsets in slots count from the start of the section. Reading is in binary_row_read.c. */
#include "vector/binary_row.h"

#include "vector/binary_row_layout.h"

/* One section being written; positions count from the start of the buffer, which may move while it grows. */
typedef struct section {
    weir_buffer *out;
    size_t base;        /* where the section begins */
    size_t null_bits;   /* position of the byte with the first null bit */
    uint32_t first_bit; /* of element 0 in it */
    size_t slots;       /* position of slot 0 */
    size_t slot_bytes;
} section;

static section begin_row(weir_buffer *out, int32_t arity)
{
    size_t base = out->size;
    weir_buffer_append_zeros(out, weir_row_fixed_bytes(arity));
    return (section){out, base, base, WEIR_ROW_HEADER_BITS, base + weir_row_null_bytes(arity), 8};
}

static section begin_array(weir_buffer *out, size_t count, size_t element_bytes)
{
    size_t base = out->size;
    size_t header = weir_array_header_bytes(count);
    weir_buffer_append_zeros(out, weir_round_to_word(header + count * element_bytes));
    weir_store_le32(out->data + base, (uint32_t)count);
    return (section){out, base, base + 4, 0, base + header, element_bytes};
}

static uint8_t *slot_of(const section *into, size_t position)
{
    return into->out->data + into->slots + position * into->slot_bytes;
}

static void set_null(const section *into, size_t position)
{
    size_t bit = position + into->first_bit;
    into->out->data[into->null_bits + bit / 8] |= (uint8_t)(1u << (bit & 7));
}

/* Points a slot at the variable part that begins at `start`. */
static void set_slot(const section *into, size_t position, size_t start, uint32_t size)
{
    weir_store_le64(slot_of(into, position), (uint64_t)(start - into->base) << 32 | size);
}

/* Pads what was written since `start` to whole words and points the slot at it. */
static void end_variable(const section *into, size_t position, size_t start)
{
    size_t size = into->out->size - start;
    weir_buffer_append_zeros(into->out, weir_round_to_word(size) - size);
    set_slot(into, position, start, (uint32_t)size);
}

static void write_bytes(const section *into, size_t position, weir_slice bytes)
{
    if (bytes.size <= WEIR_INLINE_BYTES) {
        uint8_t *slot = slot_of(into, position);
        if (bytes.size > 0) {
            memcpy(slot, bytes.data, bytes.size);
        }
        slot[7] = (uint8_t)(WEIR_INLINE_MARK | bytes.size);
        return;
    }
    size_t start = into->out->size;
    weir_buffer_append(into->out, bytes.data, bytes.size);
    end_variable(into, position, start);
}

/* The fewest bytes of big-endian two's complement, as BigInteger.toByteArray gives them. */
static uint32_t minimal_big_endian(weir_int128 value, uint8_t out[16])
{
    uint8_t all[16];
    weir_store_be64(all, (uint64_t)(value >> 64));
    weir_store_be64(all + 8, (uint64_t)value);
    uint32_t first = 0;
    uint8_t sign = value < 0 ? 0xff : 0x00;
    while (first < 15 && all[first] == sign && (all[first + 1] & 0x80) == (sign & 0x80)) {
        first++;
    }
    memcpy(out, all + first, 16 - first);
    return 16 - first;
}

static void write_decimal(const section *into, size_t position, weir_int128 value)
{
    size_t start = into->out->size;
    weir_buffer_append_zeros(into->out, 16);
    uint32_t size = minimal_big_endian(value, into->out->data + start);
    set_slot(into, position, start, size);
}

static void write_timestamp(const section *into, size_t position, int64_t millis, uint32_t nanos_of_milli)
{
    size_t start = into->out->size;
    weir_buffer_append_zeros(into->out, 8);
    weir_store_le64(into->out->data + start, (uint64_t)millis);
    set_slot(into, position, start, nanos_of_milli);
}

static void write_timestamp_literal(const section *into, size_t position, const weir_type *type,
                                    const weir_literal *value)
{
    if (type->precision <= 3) {
        weir_store_le64(slot_of(into, position), (uint64_t)value->integer);
    } else if (type->precision <= 6) {
        int64_t micros = value->integer % 1000;
        int64_t before = micros < 0 ? 1 : 0; /* milliseconds are rounded down */
        write_timestamp(into, position, value->integer / 1000 - before, (uint32_t)(micros + before * 1000) * 1000);
    } else {
        write_timestamp(into, position, value->nanos.millis, (uint32_t)value->nanos.nanos_of_milli);
    }
}

/* A value that is neither NULL nor nested. */
static void write_literal(const section *into, size_t position, const weir_type *type, const weir_literal *value)
{
    uint8_t *slot = slot_of(into, position);
    switch (type->id) {
    case WEIR_BOOLEAN:
        slot[0] = value->boolean ? 1 : 0;
        break;
    case WEIR_TINYINT:
        slot[0] = (uint8_t)value->integer;
        break;
    case WEIR_SMALLINT:
        weir_store_le16(slot, (uint16_t)value->integer);
        break;
    case WEIR_INT:
    case WEIR_DATE:
    case WEIR_TIME:
        weir_store_le32(slot, (uint32_t)value->integer);
        break;
    case WEIR_BIGINT:
        weir_store_le64(slot, (uint64_t)value->integer);
        break;
    case WEIR_FLOAT:
        weir_store_le32(slot, weir_row_float_bits(value->float32));
        break;
    case WEIR_DOUBLE:
        weir_store_le64(slot, weir_row_double_bits(value->float64));
        break;
    case WEIR_DECIMAL:
        if (type->precision <= 18) {
            weir_store_le64(slot, (uint64_t)value->integer);
        } else {
            write_decimal(into, position, value->decimal);
        }
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        write_timestamp_literal(into, position, type, value);
        break;
    default:
        write_bytes(into, position, value->bytes);
        break;
    }
}

/* A NULL in a row. Unlike array elements, wide decimals and timestamps keep their place in the variable part. */
static void write_null_field(const section *into, size_t position, const weir_type *type)
{
    set_null(into, position);
    size_t reserved = weir_row_reserved_bytes(type);
    if (reserved > 0) {
        size_t start = into->out->size;
        weir_buffer_append_zeros(into->out, reserved);
        set_slot(into, position, start, 0);
    }
}

static void write_value(const section *into, size_t position, const weir_vector *vector, int64_t row);

static void write_array(weir_buffer *out, const weir_vector *elements, int64_t first, int64_t count)
{
    section array = begin_array(out, (size_t)count, weir_array_element_bytes(elements->type));
    for (int64_t i = 0; i < count; i++) {
        if (weir_vector_is_null(elements, first + i)) {
            set_null(&array, (size_t)i);
        } else {
            write_value(&array, (size_t)i, elements, first + i);
        }
    }
}

static void write_map(weir_buffer *out, const weir_vector *map, int64_t first, int64_t count)
{
    size_t start = out->size;
    weir_buffer_append_zeros(out, 4);
    write_array(out, &map->children[0], first, count);
    weir_store_le32(out->data + start, (uint32_t)(out->size - start - 4));
    write_array(out, &map->children[1], first, count);
}

static void write_variant(weir_buffer *out, const weir_vector *variant, int64_t row)
{
    weir_slice value = weir_vector_bytes(&variant->children[0], row);
    weir_slice metadata = weir_vector_bytes(&variant->children[1], row);
    size_t start = out->size;
    weir_buffer_append_zeros(out, 4);
    weir_store_le32(out->data + start, (uint32_t)value.size);
    weir_buffer_append(out, value.data, value.size);
    weir_buffer_append(out, metadata.data, metadata.size);
}

static void write_row(weir_buffer *out, const weir_vector *fields, const int32_t *columns, int32_t arity, int64_t row)
{
    section into = begin_row(out, arity);
    for (int32_t i = 0; i < arity; i++) {
        const weir_vector *field = &fields[columns == NULL ? i : columns[i]];
        if (weir_vector_is_null(field, row)) {
            write_null_field(&into, (size_t)i, field->type);
        } else {
            write_value(&into, (size_t)i, field, row);
        }
    }
}

/* A value that is not NULL, of any type. */
static void write_value(const section *into, size_t position, const weir_vector *vector, int64_t row)
{
    if (!weir_type_is_nested(vector->type)) {
        weir_literal value = weir_literal_of(vector, row);
        write_literal(into, position, vector->type, &value);
        return;
    }
    size_t start = into->out->size;
    if (vector->type->id == WEIR_VARIANT) {
        write_variant(into->out, vector, row);
    } else if (vector->type->id == WEIR_ROW) {
        write_row(into->out, vector->children, NULL, vector->child_count, row);
    } else {
        int64_t first = vector->offsets[row];
        int64_t count = vector->offsets[row + 1] - first;
        if (vector->type->id == WEIR_ARRAY) {
            write_array(into->out, &vector->children[0], first, count);
        } else {
            write_map(into->out, vector, first, count);
        }
    }
    end_variable(into, position, start);
}

int weir_binary_row_write(const weir_batch *batch, const int32_t *columns, int32_t column_count, int64_t row,
                          weir_buffer *out, weir_error *err)
{
    size_t start = out->size;
    write_row(out, batch->columns, columns, column_count, row);
    /* Offsets are 31 bits wide; one that wrapped belongs to a row that is refused here. */
    if (out->size - start > INT32_MAX) {
        size_t size = out->size - start;
        out->size = start;
        return weir_fail(err, WEIR_INVALID, "a row of %zu bytes is too large: keys and binary rows end at 2 GB", size);
    }
    return WEIR_OK;
}

void weir_binary_row_serialize(const weir_type *const *types, const weir_literal *values, int32_t count,
                               weir_buffer *out)
{
    uint8_t arity[4];
    weir_store_be32(arity, (uint32_t)count);
    weir_buffer_append(out, arity, sizeof arity);
    section into = begin_row(out, count);
    for (int32_t i = 0; i < count; i++) {
        if (values[i].is_null || weir_type_is_nested(types[i])) {
            write_null_field(&into, (size_t)i, types[i]);
        } else {
            write_literal(&into, (size_t)i, types[i], &values[i]);
        }
    }
}
