/* Encoding rows of vectors as Avro records. The schema they follow is written by schema_write.c. */
#include "format/avro/encode.h"

static int encode_value(const weir_type *type, const weir_vector *vector, int64_t row, const char *path,
                        weir_buffer *out, weir_error *err);

/* Room for the bytes of any number. */
static inline void make_room(weir_buffer *out)
{
    if (out->capacity - out->size < 16) {
        weir_buffer_reserve(out, 16);
    }
}

static inline void put_byte(weir_buffer *out, uint8_t byte)
{
    make_room(out);
    out->data[out->size++] = byte;
}

/* FLOAT and DOUBLE are written as they lie in memory. */
static inline void put_fixed(weir_buffer *out, const uint8_t *value, size_t size)
{
    make_room(out);
    memcpy(out->data + out->size, value, size);
    out->size += size;
}

void weir_avro_put_long(weir_buffer *out, int64_t value)
{
    uint64_t rest = ((uint64_t)value << 1) ^ (uint64_t)(value >> 63);
    make_room(out);
    uint8_t *next = out->data + out->size;
    while (rest >= 0x80) {
        *next++ = (uint8_t)(rest | 0x80);
        rest >>= 7;
    }
    *next++ = (uint8_t)rest;
    out->size = (size_t)(next - out->data);
}

void weir_avro_put_bytes(weir_buffer *out, weir_slice value)
{
    weir_avro_put_long(out, (int64_t)value.size);
    weir_buffer_append(out, value.data, value.size);
}

/* As BigInteger.toByteArray: big-endian two's complement in as few bytes as hold the sign. */
static void put_decimal(weir_buffer *out, weir_int128 value)
{
    uint8_t bytes[16];
    for (int i = 15; i >= 0; i--) {
        bytes[i] = (uint8_t)value;
        value >>= 8;
    }
    size_t first = 0;
    while (first < 15 &&
           ((bytes[first] == 0 && bytes[first + 1] < 0x80) || (bytes[first] == 0xFF && bytes[first + 1] >= 0x80))) {
        first++;
    }
    weir_avro_put_bytes(out, weir_slice_of(bytes + first, 16 - first));
}

static int encode_list(const weir_type *type, const weir_vector *vector, int64_t row, const char *path,
                       weir_buffer *out, weir_error *err)
{
    int32_t first = vector->offsets[row];
    int32_t end = vector->offsets[row + 1];
    if (end > first) {
        weir_avro_put_long(out, end - first);
    }
    /* A multiset's counts are nullable in Avro though not in memory: that is how Java declares them. */
    const weir_type *element = type->id == WEIR_MULTISET ? weir_type_simple(WEIR_INT, true) : type->element;
    bool text_keys = type->key != NULL && weir_type_is_text(type->key);
    for (int32_t i = first; i < end; i++) {
        if (type->id == WEIR_ARRAY) {
            WEIR_TRY(encode_value(element, &vector->children[0], i, path, out, err));
            continue;
        }
        if (text_keys && weir_vector_is_null(&vector->children[0], i)) {
            return weir_fail(err, WEIR_INVALID, "%s: Avro files cannot hold a map with a NULL key", path);
        }
        if (text_keys) {
            weir_avro_put_bytes(out, weir_vector_bytes(&vector->children[0], i));
        } else {
            WEIR_TRY(encode_value(type->key, &vector->children[0], i, path, out, err));
        }
        WEIR_TRY(encode_value(element, &vector->children[1], i, path, out, err));
    }
    weir_avro_put_long(out, 0);
    return WEIR_OK;
}

static int encode_present(const weir_type *type, const weir_vector *vector, int64_t row, const char *path,
                          weir_buffer *out, weir_error *err)
{
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        put_byte(out, weir_bit_get(vector->data, row));
        return WEIR_OK;
    case WEIR_LAYOUT_8:
        weir_avro_put_long(out, WEIR_VALUES(vector, int8_t)[row]);
        return WEIR_OK;
    case WEIR_LAYOUT_16:
        weir_avro_put_long(out, WEIR_VALUES(vector, int16_t)[row]);
        return WEIR_OK;
    case WEIR_LAYOUT_32:
        if (type->id == WEIR_FLOAT) {
            put_fixed(out, vector->data + row * 4, 4);
        } else {
            weir_avro_put_long(out, WEIR_VALUES(vector, int32_t)[row]);
        }
        return WEIR_OK;
    case WEIR_LAYOUT_64:
        if (type->id == WEIR_DOUBLE) {
            put_fixed(out, vector->data + row * 8, 8);
        } else if (type->id == WEIR_DECIMAL) {
            put_decimal(out, WEIR_VALUES(vector, int64_t)[row]);
        } else {
            weir_avro_put_long(out, WEIR_VALUES(vector, int64_t)[row]);
        }
        return WEIR_OK;
    case WEIR_LAYOUT_128: /* decimals alone: nanosecond timestamps are refused with the schema */
        put_decimal(out, WEIR_VALUES(vector, weir_int128)[row]);
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES:
        weir_avro_put_bytes(out, weir_vector_bytes(vector, row));
        return WEIR_OK;
    case WEIR_LAYOUT_LIST:
        return encode_list(type, vector, row, path, out, err);
    case WEIR_LAYOUT_STRUCT:
        return weir_avro_encode_row(type->fields, vector->children, type->field_count, row, path, out, err);
    case WEIR_LAYOUT_NONE:
        break;
    }
    return weir_fail(err, WEIR_INVALID, "%s: a column without a type cannot be written", path);
}

/* Nullable types are unions of null and the type itself, in this order. */
static int encode_value(const weir_type *type, const weir_vector *vector, int64_t row, const char *path,
                        weir_buffer *out, weir_error *err)
{
    bool is_null = weir_vector_is_null(vector, row);
    if (type->nullable) {
        put_byte(out, is_null ? 0 : 2);
        return is_null ? WEIR_OK : encode_present(type, vector, row, path, out, err);
    }
    if (is_null) {
        return weir_fail(err, WEIR_INVALID, "%s: a NULL in a value that is NOT NULL", path);
    }
    return encode_present(type, vector, row, path, out, err);
}

int weir_avro_encode_row(const weir_field *fields, const weir_vector *columns, int32_t count, int64_t row,
                         const char *path, weir_buffer *out, weir_error *err)
{
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY_CTX(encode_value(fields[i].type, &columns[i], row, path, out, err), err, "writing column '%s'",
                     fields[i].name);
    }
    return WEIR_OK;
}
