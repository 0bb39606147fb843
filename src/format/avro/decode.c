/* Running a resolution program over the records of a block: bytes in, vectors out.
 *
 * Values go straight into the vectors' memory while it has room; the general append of vector.h takes over when it has
 * not, or when the first NULL makes a vector need its validity bits. */
#include "format/avro/cursor.h"
#include "format/avro/resolve.h"

__extension__ typedef unsigned __int128 unsigned_int128;

static int decode_value(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err);
static int skip_value(const weir_avro_type *type, weir_avro_cursor *cursor, weir_error *err);

static int corrupt(const weir_avro_cursor *cursor, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: a block of records is damaged (%s)", cursor->path, what);
}

/* Whether one more value fits into the validity bits, where there are any. */
static inline bool validity_fits(const weir_vector *vector)
{
    return vector->validity == NULL || (size_t)(vector->length >> 3) < vector->validity_capacity;
}

static inline void mark_valid(weir_vector *vector)
{
    if (vector->validity != NULL) {
        weir_bit_set(vector->validity, vector->length);
    }
}

/* Appends one fixed-width value. */
#define DEFINE_PUT(name, ctype)                                                                                        \
    static inline int name(weir_vector *vector, ctype value, weir_error *err)                                          \
    {                                                                                                                  \
        if (((size_t)vector->length + 1) * sizeof value > vector->data_capacity || !validity_fits(vector)) {           \
            return weir_vector_append_raw(vector, &value, sizeof value, err);                                          \
        }                                                                                                              \
        memcpy(vector->data + (size_t)vector->length * sizeof value, &value, sizeof value);                            \
        mark_valid(vector);                                                                                            \
        vector->length++;                                                                                              \
        return WEIR_OK;                                                                                                \
    }

DEFINE_PUT(put_8, int8_t)
DEFINE_PUT(put_16, int16_t)
DEFINE_PUT(put_32, int32_t)
DEFINE_PUT(put_64, int64_t)
DEFINE_PUT(put_128, weir_int128)
DEFINE_PUT(put_float, float)
DEFINE_PUT(put_double, double)
DEFINE_PUT(put_nanos, weir_timestamp_nanos)

static inline int put_bytes(weir_vector *vector, weir_slice value, weir_error *err)
{
    size_t end = vector->offsets == NULL ? 0 : (size_t)vector->offsets[vector->length];
    if (((size_t)vector->length + 2) * sizeof(int32_t) > vector->offsets_capacity ||
        value.size >= vector->data_capacity - end || end + value.size > INT32_MAX || !validity_fits(vector)) {
        return weir_vector_append_raw(vector, value.data, value.size, err);
    }
    if (value.size > 0) {
        memcpy(vector->data + end, value.data, value.size);
    }
    mark_valid(vector);
    vector->length++;
    vector->offsets[vector->length] = (int32_t)(end + value.size);
    return WEIR_OK;
}

static int decode_integer(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    int64_t value;
    if (!weir_avro_read_long(cursor, &value)) {
        return corrupt(cursor, "a number is cut off", err);
    }
    switch (node->op) {
    case WEIR_AVRO_OP_INT64:
        return put_64(out, value, err);
    case WEIR_AVRO_OP_INT32:
        if (value == (int32_t)value) {
            return put_32(out, (int32_t)value, err);
        }
        break;
    case WEIR_AVRO_OP_INT16:
        if (value == (int16_t)value) {
            return put_16(out, (int16_t)value, err);
        }
        break;
    default:
        if (value == (int8_t)value) {
            return put_8(out, (int8_t)value, err);
        }
        break;
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: column '%s' holds %" PRId64 ", which does not fit its type", cursor->path,
                     node->column_name, value);
}

static inline int64_t floor_divide(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;
    return value % divisor < 0 ? quotient - 1 : quotient;
}

/* Longs that mean something else in the column: times of another unit, floating-point numbers. */
static int decode_converted(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    int64_t value;
    if (!weir_avro_read_long(cursor, &value)) {
        return corrupt(cursor, "a number is cut off", err);
    }
    int64_t product;
    switch (node->op) {
    case WEIR_AVRO_OP_FLOAT_FROM_LONG:
        return put_float(out, (float)value, err);
    case WEIR_AVRO_OP_DOUBLE_FROM_LONG:
        return put_double(out, (double)value, err);
    case WEIR_AVRO_OP_MULTIPLY:
        if (__builtin_mul_overflow(value, node->factor, &product)) {
            return weir_fail(err, WEIR_CORRUPT,
                             "%s: column '%s' holds the timestamp %" PRId64 ", which is out of range", cursor->path,
                             node->column_name, value);
        }
        return put_64(out, product, err);
    case WEIR_AVRO_OP_DIVIDE:
        return put_64(out, floor_divide(value, node->factor), err);
    case WEIR_AVRO_OP_TIME:
        return put_32(out, (int32_t)(value / node->factor), err);
    default: {
        int64_t millis = floor_divide(value, node->factor);
        int64_t rest = value - millis * node->factor;
        weir_timestamp_nanos nanos = {millis, (int32_t)(rest * (1000000 / node->factor)), 0};
        return put_nanos(out, nanos, err);
    }
    }
}

static int decode_floating(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    const uint8_t *bytes = cursor->next;
    if (!weir_avro_skip(cursor, node->op == WEIR_AVRO_OP_DOUBLE ? 8 : 4)) {
        return corrupt(cursor, "a number is cut off", err);
    }
    if (node->op == WEIR_AVRO_OP_DOUBLE) {
        double value;
        memcpy(&value, bytes, sizeof value);
        return put_double(out, value, err);
    }
    float value;
    memcpy(&value, bytes, sizeof value);
    return node->op == WEIR_AVRO_OP_FLOAT ? put_float(out, value, err) : put_double(out, (double)value, err);
}

static int decode_boolean(weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    const uint8_t *byte = cursor->next;
    if (!weir_avro_skip(cursor, 1) || *byte > 1) {
        return corrupt(cursor, "a boolean is neither 0 nor 1", err);
    }
    return weir_vector_append_raw(out, byte, 1, err);
}

/* The bytes of BYTES, STRING or FIXED, borrowed. */
static int read_bytes(const weir_avro_node *node, weir_avro_cursor *cursor, weir_slice *out, weir_error *err)
{
    if (node->type->kind == WEIR_AVRO_FIXED) {
        *out = weir_slice_of(cursor->next, (size_t)node->type->size);
        return weir_avro_skip(cursor, out->size) ? WEIR_OK : corrupt(cursor, "a fixed value is cut off", err);
    }
    return weir_avro_read_bytes(cursor, out) ? WEIR_OK : corrupt(cursor, "bytes are cut off", err);
}

static int decode_decimal(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    weir_slice bytes;
    WEIR_TRY(read_bytes(node, cursor, &bytes, err));
    size_t width = node->op == WEIR_AVRO_OP_DECIMAL64 ? 8 : 16;
    uint8_t sign = bytes.size > 0 && bytes.data[0] >= 0x80 ? 0xFF : 0;
    size_t first = 0; /* leading bytes may repeat the sign: fixed ones do */
    while (bytes.size - first > width && bytes.data[first] == sign) {
        first++;
    }
    if (bytes.size - first > width || (first > 0 && (bytes.data[first] ^ sign) >= 0x80)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: column '%s' holds a decimal of %zu bytes, which does not fit its type",
                         cursor->path, node->column_name, bytes.size);
    }
    unsigned_int128 value = sign != 0 ? ~(unsigned_int128)0 : 0;
    for (size_t i = first; i < bytes.size; i++) {
        value = value << 8 | bytes.data[i];
    }
    return width == 8 ? put_64(out, (int64_t)value, err) : put_128(out, (weir_int128)value, err);
}

static int decode_enum(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    int64_t symbol;
    if (!weir_avro_read_long(cursor, &symbol) || symbol < 0 || symbol >= node->type->count) {
        return corrupt(cursor, "an enum has no such symbol", err);
    }
    return put_bytes(out, weir_slice_text(node->type->names[symbol]), err);
}

static int read_branch(const weir_avro_type *type, weir_avro_cursor *cursor, int64_t *out, weir_error *err)
{
    if (!weir_avro_read_long(cursor, out) || *out < 0 || *out >= type->count) {
        return corrupt(cursor, "a union has no such branch", err);
    }
    return WEIR_OK;
}

/* Reads the head of one block of list items: how many follow, 0 at the end of the list. */
static int read_items(weir_avro_cursor *cursor, const weir_avro_type *item, int64_t *out, weir_error *err)
{
    int64_t count;
    if (!weir_avro_read_long(cursor, &count)) {
        return corrupt(cursor, "a list is cut off", err);
    }
    if (count < 0) { /* its size in bytes follows, for those who skip */
        int64_t size;
        if (count == INT64_MIN || !weir_avro_read_long(cursor, &size)) {
            return corrupt(cursor, "a list is cut off", err);
        }
        count = -count;
    }
    uint64_t least = item->min_bytes > 0 ? item->min_bytes : 1;
    if ((uint64_t)count > weir_avro_left(cursor) / least) {
        return corrupt(cursor, "a list is longer than its block", err);
    }
    *out = count;
    return WEIR_OK;
}

static int decode_list(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    const weir_avro_type *item = node->type->children[0];
    for (;;) {
        int64_t count = 0;
        WEIR_TRY(read_items(cursor, item, &count, err));
        if (count == 0) {
            return weir_vector_append_list(out, err);
        }
        for (int64_t i = 0; i < count; i++) {
            if (node->op == WEIR_AVRO_OP_ARRAY) {
                WEIR_TRY(decode_value(node->children[0], cursor, &out->children[0], err));
            } else if (node->op == WEIR_AVRO_OP_MAP_ENTRIES) {
                WEIR_TRY(decode_value(node->children[0], cursor, &out->children[0], err));
                WEIR_TRY(decode_value(node->children[1], cursor, &out->children[1], err));
            } else {
                weir_slice key;
                if (!weir_avro_read_bytes(cursor, &key)) {
                    return corrupt(cursor, "the key of a map is cut off", err);
                }
                WEIR_TRY(put_bytes(&out->children[0], key, err));
                WEIR_TRY(decode_value(node->children[0], cursor, &out->children[1], err));
            }
        }
    }
}

/* The fields from number `first` on. */
static int decode_steps(const weir_avro_node *node, int32_t first, weir_avro_cursor *cursor, weir_vector *columns,
                        weir_error *err)
{
    for (int32_t i = first; i < node->step_count; i++) {
        const weir_avro_step *step = &node->steps[i];
        if (step->node != NULL) {
            WEIR_TRY(decode_value(step->node, cursor, &columns[step->column], err));
        } else {
            WEIR_TRY(skip_value(step->type, cursor, err));
        }
    }
    return WEIR_OK;
}

static int decode_row(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    WEIR_TRY(decode_steps(node, 0, cursor, out->children, err));
    for (int32_t i = 0; i < node->missing_count; i++) {
        WEIR_TRY(weir_vector_append_nulls(&out->children[node->missing[i]], 1, err));
    }
    return weir_vector_append_struct(out, err);
}

static int decode_value(const weir_avro_node *node, weir_avro_cursor *cursor, weir_vector *out, weir_error *err)
{
    int64_t branch;
    weir_slice bytes;
    switch (node->op) {
    case WEIR_AVRO_OP_OPTIONAL:
        WEIR_TRY(read_branch(node->type, cursor, &branch, err));
        if (branch == node->null_branch) {
            return weir_vector_append_nulls(out, 1, err);
        }
        return decode_value(node->children[0], cursor, out, err);
    case WEIR_AVRO_OP_UNION:
        WEIR_TRY(read_branch(node->type, cursor, &branch, err));
        return decode_value(node->children[branch], cursor, out, err);
    case WEIR_AVRO_OP_NULL:
        return weir_vector_append_nulls(out, 1, err);
    case WEIR_AVRO_OP_BOOLEAN:
        return decode_boolean(cursor, out, err);
    case WEIR_AVRO_OP_INT8:
    case WEIR_AVRO_OP_INT16:
    case WEIR_AVRO_OP_INT32:
    case WEIR_AVRO_OP_INT64:
        return decode_integer(node, cursor, out, err);
    case WEIR_AVRO_OP_FLOAT:
    case WEIR_AVRO_OP_DOUBLE:
    case WEIR_AVRO_OP_DOUBLE_FROM_FLOAT:
        return decode_floating(node, cursor, out, err);
    case WEIR_AVRO_OP_FLOAT_FROM_LONG:
    case WEIR_AVRO_OP_DOUBLE_FROM_LONG:
    case WEIR_AVRO_OP_TIME:
    case WEIR_AVRO_OP_MULTIPLY:
    case WEIR_AVRO_OP_DIVIDE:
    case WEIR_AVRO_OP_NANOS:
        return decode_converted(node, cursor, out, err);
    case WEIR_AVRO_OP_BYTES:
    case WEIR_AVRO_OP_FIXED:
        WEIR_TRY(read_bytes(node, cursor, &bytes, err));
        return put_bytes(out, bytes, err);
    case WEIR_AVRO_OP_ENUM:
        return decode_enum(node, cursor, out, err);
    case WEIR_AVRO_OP_DECIMAL64:
    case WEIR_AVRO_OP_DECIMAL128:
        return decode_decimal(node, cursor, out, err);
    case WEIR_AVRO_OP_ARRAY:
    case WEIR_AVRO_OP_MAP:
    case WEIR_AVRO_OP_MAP_ENTRIES:
        return decode_list(node, cursor, out, err);
    case WEIR_AVRO_OP_ROW:
        return decode_row(node, cursor, out, err);
    case WEIR_AVRO_OP_UNREADABLE:
        break;
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: column '%s' holds an Avro %s, which does not fit its type", cursor->path,
                     node->column_name, weir_avro_kind_name(node->type->kind));
}

static int skip_list(const weir_avro_type *type, weir_avro_cursor *cursor, weir_error *err)
{
    const weir_avro_type *item = type->children[0];
    for (;;) {
        int64_t count;
        int64_t size;
        if (!weir_avro_read_long(cursor, &count)) {
            return corrupt(cursor, "a list is cut off", err);
        }
        if (count == 0) {
            return WEIR_OK;
        }
        if (count < 0) {
            if (!weir_avro_read_long(cursor, &size) || size < 0 || !weir_avro_skip(cursor, (size_t)size)) {
                return corrupt(cursor, "a list is cut off", err);
            }
            continue;
        }
        if ((uint64_t)count > weir_avro_left(cursor)) {
            return corrupt(cursor, "a list is longer than its block", err);
        }
        for (int64_t i = 0; i < count; i++) {
            weir_slice key;
            if (type->kind == WEIR_AVRO_MAP && !weir_avro_read_bytes(cursor, &key)) {
                return corrupt(cursor, "the key of a map is cut off", err);
            }
            WEIR_TRY(skip_value(item, cursor, err));
        }
    }
}

static int skip_value(const weir_avro_type *type, weir_avro_cursor *cursor, weir_error *err)
{
    int64_t number;
    weir_slice bytes;
    bool complete = true;
    switch (type->kind) {
    case WEIR_AVRO_NULL:
        break;
    case WEIR_AVRO_BOOLEAN:
    case WEIR_AVRO_FLOAT:
    case WEIR_AVRO_DOUBLE:
    case WEIR_AVRO_FIXED:
        complete = weir_avro_skip(cursor, (size_t)type->min_bytes);
        break;
    case WEIR_AVRO_INT:
    case WEIR_AVRO_LONG:
    case WEIR_AVRO_ENUM:
        complete = weir_avro_read_long(cursor, &number);
        break;
    case WEIR_AVRO_BYTES:
    case WEIR_AVRO_STRING:
        complete = weir_avro_read_bytes(cursor, &bytes);
        break;
    case WEIR_AVRO_UNION:
        WEIR_TRY(read_branch(type, cursor, &number, err));
        return skip_value(type->children[number], cursor, err);
    case WEIR_AVRO_ARRAY:
    case WEIR_AVRO_MAP:
        return skip_list(type, cursor, err);
    case WEIR_AVRO_RECORD:
        for (int32_t i = 0; i < type->count; i++) {
            WEIR_TRY(skip_value(type->children[i], cursor, err));
        }
        break;
    }
    return complete ? WEIR_OK : corrupt(cursor, "a value is cut off", err);
}

/* ---- the records of a block ---- */

static bool is_plain(const weir_avro_node *node)
{
    return node->op == WEIR_AVRO_OP_INT32 || node->op == WEIR_AVRO_OP_INT64 || node->op == WEIR_AVRO_OP_BYTES;
}

/* Whether the file's first fields are those that the choice is made by, and none of them can be NULL. */
static bool leads(const weir_avro_node *program, int32_t leading)
{
    bool is_led = leading <= program->step_count;
    for (int32_t i = 0; is_led && i < leading; i++) {
        const weir_avro_step *step = &program->steps[i];
        is_led = step->node != NULL && step->column < leading && is_plain(step->node);
    }
    return is_led;
}

/* What stands before each record of a file whose schema is a union. */
static int enter_record(const weir_avro_node *program, weir_avro_cursor *cursor, weir_error *err)
{
    int64_t branch;
    if (program->around == NULL) {
        return WEIR_OK;
    }
    WEIR_TRY(read_branch(program->around, cursor, &branch, err));
    return branch == program->record_branch ? WEIR_OK : corrupt(cursor, "null stands where a record should", err);
}

static int decode_chosen(const weir_avro_node *program, const weir_avro_choice *choice, weir_avro_cursor *cursor,
                         weir_vector *columns, int64_t *kept, weir_error *err)
{
    for (int32_t i = 0; i < choice->leading; i++) {
        const weir_avro_step *step = &program->steps[i];
        WEIR_TRY(decode_value(step->node, cursor, &columns[step->column], err));
    }
    if (choice->keeps(choice->context, columns, columns[0].length - 1)) {
        (*kept)++;
        return decode_steps(program, choice->leading, cursor, columns, err);
    }
    for (int32_t i = 0; i < choice->leading; i++) {
        columns[i].length--;
    }
    for (int32_t i = choice->leading; i < program->step_count; i++) {
        WEIR_TRY(skip_value(program->steps[i].type, cursor, err));
    }
    return WEIR_OK;
}

int weir_avro_decode(const weir_avro_node *program, weir_slice block, int64_t count, const char *path,
                     const weir_avro_choice *choice, weir_vector *columns, int64_t *out_kept, weir_error *err)
{
    weir_avro_cursor cursor = {block.data, block.data + block.size, path};
    uint64_t least = program->type->min_bytes > 0 ? program->type->min_bytes : 1;
    if (count < 0 || (uint64_t)count > block.size / least) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a block of %zu bytes cannot hold %" PRId64 " records", path,
                         block.size, count);
    }
    bool chooses = choice != NULL && leads(program, choice->leading);
    int64_t kept = chooses ? 0 : count;
    for (int32_t i = 0; i < program->step_count && !chooses; i++) {
        if (program->steps[i].node != NULL) {
            WEIR_TRY(weir_vector_reserve(&columns[program->steps[i].column], count, err));
        }
    }
    for (int64_t i = 0; i < count; i++) {
        WEIR_TRY(enter_record(program, &cursor, err));
        WEIR_TRY(chooses ? decode_chosen(program, choice, &cursor, columns, &kept, err)
                         : decode_steps(program, 0, &cursor, columns, err));
    }
    if (cursor.next != cursor.end) {
        return corrupt(&cursor, "bytes are left after its last record", err);
    }
    for (int32_t i = 0; i < program->missing_count; i++) {
        WEIR_TRY(weir_vector_append_nulls(&columns[program->missing[i]], kept, err));
    }
    *out_kept = kept;
    return WEIR_OK;
}
