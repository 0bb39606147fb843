/* Reading BinaryRow: serialized rows into literals, and rows into batches with values of any type.
 *
 * The bytes come from files and are trusted in nothing: every offset, size and count is checked against the section
 * it stands in before it is followed. Nesting is as deep as the type, not as the bytes say. Writing is in
 * binary_row_write.c. */
#include "vector/binary_row.h"

#include "vector/binary_row_layout.h"

__extension__ typedef unsigned __int128 unsigned_int128;

/* A row or an array being read. */
typedef struct section {
    weir_slice bytes; /* the whole of it; offsets in slots count from its start */
    size_t null_bits; /* position of the byte with the first null bit */
    uint32_t first_bit;
    size_t slots; /* position of slot 0 */
    size_t slot_bytes;
    const char *what; /* names the row in messages */
} section;

static int open_row(weir_slice bytes, int32_t arity, const char *what, section *out, weir_error *err)
{
    size_t fixed = weir_row_fixed_bytes(arity);
    if (bytes.size < fixed) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a row of %" PRId32 " fields needs %zu bytes, there are %zu", what,
                         arity, fixed, bytes.size);
    }
    *out = (section){bytes, 0, WEIR_ROW_HEADER_BITS, weir_row_null_bytes(arity), 8, what};
    return WEIR_OK;
}

static int open_array(weir_slice bytes, const weir_type *element, const char *what, section *out, size_t *count,
                      weir_error *err)
{
    if (bytes.size < 4) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes are too few for an array", what, bytes.size);
    }
    size_t element_bytes = weir_array_element_bytes(element);
    *count = weir_load_le32(bytes.data);
    size_t header = weir_array_header_bytes(*count);
    if (*count > INT32_MAX || header > bytes.size || *count > (bytes.size - header) / element_bytes) {
        return weir_fail(err, WEIR_CORRUPT, "%s: an array of %zu elements does not fit into its %zu bytes", what,
                         *count, bytes.size);
    }
    *out = (section){bytes, 4, 0, header, element_bytes, what};
    return WEIR_OK;
}

static const uint8_t *slot_of(const section *from, size_t position)
{
    return from->bytes.data + from->slots + position * from->slot_bytes;
}

static bool is_null(const section *from, size_t position)
{
    size_t bit = position + from->first_bit;
    return (from->bytes.data[from->null_bits + bit / 8] >> (bit & 7)) & 1;
}

/* The `size` bytes at the offset in the upper half of a slot. */
static int variable_part(const section *from, uint64_t slot, size_t size, const uint8_t **out, weir_error *err)
{
    size_t offset = (size_t)(slot >> 32);
    if (offset > from->bytes.size || size > from->bytes.size - offset) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a value of %zu bytes at offset %zu lies outside of its row of %zu",
                         from->what, size, offset, from->bytes.size);
    }
    *out = from->bytes.data + offset;
    return WEIR_OK;
}

static int read_bytes(const section *from, size_t position, weir_slice *out, weir_error *err)
{
    const uint8_t *slot = slot_of(from, position);
    if (slot[7] & WEIR_INLINE_MARK) {
        size_t size = slot[7] & ~WEIR_INLINE_MARK;
        if (size > WEIR_INLINE_BYTES) {
            return weir_fail(err, WEIR_CORRUPT, "%s: a value inside of its slot cannot have %zu bytes", from->what,
                             size);
        }
        *out = weir_slice_of(slot, size);
        return WEIR_OK;
    }
    uint64_t word = weir_load_le64(slot);
    const uint8_t *data = NULL;
    WEIR_TRY(variable_part(from, word, (uint32_t)word, &data, err));
    *out = weir_slice_of(data, (uint32_t)word);
    return WEIR_OK;
}

static int read_decimal(const section *from, size_t position, weir_int128 *out, weir_error *err)
{
    uint64_t slot = weir_load_le64(slot_of(from, position));
    size_t size = (uint32_t)slot;
    if (size == 0 || size > 16) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a decimal has 1 to 16 bytes, not %zu", from->what, size);
    }
    const uint8_t *data = NULL;
    WEIR_TRY(variable_part(from, slot, size, &data, err));
    uint8_t all[16];
    memset(all, data[0] & 0x80 ? 0xff : 0x00, sizeof all);
    memcpy(all + 16 - size, data, size);
    *out = (weir_int128)((unsigned_int128)weir_load_be64(all) << 64 | weir_load_be64(all + 8));
    return WEIR_OK;
}

static int read_timestamp(const section *from, size_t position, const weir_type *type, weir_literal *out,
                          weir_error *err)
{
    uint64_t slot = weir_load_le64(slot_of(from, position));
    if (type->precision <= 3) {
        out->integer = (int64_t)slot;
        return WEIR_OK;
    }
    const uint8_t *data = NULL;
    WEIR_TRY(variable_part(from, slot, 8, &data, err));
    int64_t millis = (int64_t)weir_load_le64(data);
    uint32_t nanos = (uint32_t)slot;
    if (nanos > 999999) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %" PRIu32 " nanoseconds of a millisecond", from->what, nanos);
    }
    if (type->precision > 6) {
        out->nanos = (weir_timestamp_nanos){millis, (int32_t)nanos, 0};
    } else if (__builtin_mul_overflow(millis, 1000, &out->integer) ||
               __builtin_add_overflow(out->integer, (int64_t)nanos / 1000, &out->integer)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %" PRId64 " milliseconds are too many for a TIMESTAMP(%d)", from->what,
                         millis, type->precision);
    }
    return WEIR_OK;
}

/* A value that is neither NULL nor nested; bytes stay where they are. */
static int read_literal(const section *from, size_t position, const weir_type *type, weir_literal *out, weir_error *err)
{
    const uint8_t *slot = slot_of(from, position);
    switch (type->id) {
    case WEIR_BOOLEAN:
        out->boolean = slot[0] != 0;
        return WEIR_OK;
    case WEIR_TINYINT:
        out->integer = (int8_t)slot[0];
        return WEIR_OK;
    case WEIR_SMALLINT:
        out->integer = (int16_t)weir_load_le16(slot);
        return WEIR_OK;
    case WEIR_INT:
    case WEIR_DATE:
    case WEIR_TIME:
        out->integer = (int32_t)weir_load_le32(slot);
        return WEIR_OK;
    case WEIR_BIGINT:
        out->integer = (int64_t)weir_load_le64(slot);
        return WEIR_OK;
    case WEIR_FLOAT:
        memcpy(&out->float32, slot, sizeof out->float32);
        return WEIR_OK;
    case WEIR_DOUBLE:
        memcpy(&out->float64, slot, sizeof out->float64);
        return WEIR_OK;
    case WEIR_DECIMAL:
        if (type->precision <= 18) {
            out->integer = (int64_t)weir_load_le64(slot);
            return WEIR_OK;
        }
        return read_decimal(from, position, &out->decimal, err);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return read_timestamp(from, position, type, out, err);
    default:
        return read_bytes(from, position, &out->bytes, err);
    }
}

static int read_value(const section *from, size_t position, weir_vector *out, weir_error *err);

static int read_elements(weir_slice bytes, const char *what, weir_vector *out, size_t *count, weir_error *err)
{
    section array = {0};
    WEIR_TRY(open_array(bytes, out->type, what, &array, count, err));
    for (size_t i = 0; i < *count; i++) {
        WEIR_TRY(read_value(&array, i, out, err));
    }
    return WEIR_OK;
}

static int read_map(weir_slice bytes, const char *what, weir_vector *out, weir_error *err)
{
    size_t key_bytes = bytes.size < 4 ? 0 : weir_load_le32(bytes.data);
    if (bytes.size < 4 || key_bytes > bytes.size - 4) {
        return weir_fail(err, WEIR_CORRUPT, "%s: keys of %zu bytes in a map of %zu", what, key_bytes, bytes.size);
    }
    size_t key_count = 0;
    size_t value_count = 0;
    weir_slice keys = weir_slice_of(bytes.data + 4, key_bytes);
    weir_slice values = weir_slice_of(bytes.data + 4 + key_bytes, bytes.size - 4 - key_bytes);
    WEIR_TRY(read_elements(keys, what, &out->children[0], &key_count, err));
    WEIR_TRY(read_elements(values, what, &out->children[1], &value_count, err));
    if (key_count != value_count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a map of %zu keys and %zu values", what, key_count, value_count);
    }
    return weir_vector_append_list(out, err);
}

static int read_variant(weir_slice bytes, const char *what, weir_vector *out, weir_error *err)
{
    size_t value_bytes = bytes.size < 4 ? 0 : weir_load_le32(bytes.data);
    if (bytes.size < 4 || value_bytes > bytes.size - 4) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a value of %zu bytes in a variant of %zu", what, value_bytes,
                         bytes.size);
    }
    const uint8_t *value = bytes.data + 4;
    WEIR_TRY(weir_vector_append_raw(&out->children[0], value, value_bytes, err));
    WEIR_TRY(weir_vector_append_raw(&out->children[1], value + value_bytes, bytes.size - 4 - value_bytes, err));
    return weir_vector_append_struct(out, err);
}

static int read_fields(weir_slice bytes, const char *what, weir_vector *columns, int32_t count, weir_error *err)
{
    section row = {0};
    WEIR_TRY(open_row(bytes, count, what, &row, err));
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(read_value(&row, (size_t)i, &columns[i], err));
    }
    return WEIR_OK;
}

static int read_nested(const section *from, size_t position, weir_vector *out, weir_error *err)
{
    uint64_t slot = weir_load_le64(slot_of(from, position));
    const uint8_t *data = NULL;
    WEIR_TRY(variable_part(from, slot, (uint32_t)slot, &data, err));
    weir_slice bytes = weir_slice_of(data, (uint32_t)slot);
    size_t count = 0;
    switch (out->type->id) {
    case WEIR_ARRAY:
        WEIR_TRY(read_elements(bytes, from->what, &out->children[0], &count, err));
        return weir_vector_append_list(out, err);
    case WEIR_ROW:
        WEIR_TRY(read_fields(bytes, from->what, out->children, out->child_count, err));
        return weir_vector_append_struct(out, err);
    case WEIR_VARIANT:
        return read_variant(bytes, from->what, out, err);
    default:
        return read_map(bytes, from->what, out, err);
    }
}

/* Appends a value of any type to a vector. */
static int read_value(const section *from, size_t position, weir_vector *out, weir_error *err)
{
    if (is_null(from, position) || out->type->id == WEIR_NULL) {
        return weir_vector_append_nulls(out, 1, err);
    }
    if (weir_type_is_nested(out->type)) {
        return read_nested(from, position, out, err);
    }
    weir_literal value = {0};
    WEIR_TRY(read_literal(from, position, out->type, &value, err));
    return weir_vector_append_literal(out, &value, err);
}

int weir_binary_row_deserialize(weir_slice bytes, const weir_type *const *types, int32_t count, const char *what,
                                weir_arena *arena, weir_literal *out, weir_error *err)
{
    if (bytes.size < 4) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes are too few for a serialized row", what, bytes.size);
    }
    uint32_t arity = weir_load_be32(bytes.data);
    if (arity != (uint32_t)count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a row of %" PRIu32 " fields where %" PRId32 " were expected", what,
                         arity, count);
    }
    section row = {0};
    WEIR_TRY(open_row(weir_slice_of(bytes.data + 4, bytes.size - 4), count, what, &row, err));
    for (int32_t i = 0; i < count; i++) {
        weir_literal value = {.is_null = true};
        bool wanted = types[i] != NULL && !weir_type_is_nested(types[i]) && types[i]->id != WEIR_NULL;
        if (wanted && !is_null(&row, (size_t)i)) {
            value.is_null = false;
            WEIR_TRY(read_literal(&row, (size_t)i, types[i], &value, err));
            value = weir_literal_copy(arena, types[i], &value);
        }
        out[i] = value;
    }
    return WEIR_OK;
}

int weir_binary_row_read(weir_slice bytes, weir_batch *out, const char *what, weir_error *err)
{
    WEIR_TRY(read_fields(bytes, what, out->columns, out->column_count, err));
    uint8_t kind = bytes.data[0];
    if (kind > WEIR_DELETE) {
        return weir_fail(err, WEIR_CORRUPT, "%s: no row kind has the number %u", what, kind);
    }
    out->length++;
    if (kind != WEIR_INSERT || out->kinds != NULL) {
        weir_batch_reserve_kinds(out, out->length);
        out->kinds[out->length - 1] = (int8_t)kind;
    }
    return WEIR_OK;
}
