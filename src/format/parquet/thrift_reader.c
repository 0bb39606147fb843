/* The thrift compact protocol, for reading.
 *
 * Numbers are varints, zigzag unless they are lengths. A struct is its fields and a zero byte:
 *
 *   | id delta: 4 bits | type: 4 bits | [id: zigzag varint, when the delta is 0] | value |
 *
 * and a list is
 *
 *   | length: 4 bits, 15: a varint follows | type: 4 bits | [length] | values | */
#include "format/parquet/thrift_reader.h"

/* The structs of Parquet nest less than ten deep; skipped ones of later versions get some room. */
#define MAX_DEPTH 32

void weir_thrift_init(weir_thrift_reader *reader, weir_slice bytes)
{
    *reader = (weir_thrift_reader){.start = bytes.data, .next = bytes.data, .end = bytes.data + bytes.size};
}

void weir_thrift_fail(weir_thrift_reader *reader, const char *problem)
{
    if (reader->problem == NULL) {
        reader->problem = problem;
        reader->problem_offset = (size_t)(reader->next - reader->start);
    }
    reader->next = reader->end;
}

static void fail_truncated(weir_thrift_reader *reader)
{
    if (reader->problem == NULL) {
        reader->truncated = true;
    }
    weir_thrift_fail(reader, "it ends too early");
}

int weir_thrift_check(const weir_thrift_reader *reader, const char *path, const char *what, weir_error *err)
{
    if (reader->problem == NULL) {
        return WEIR_OK;
    }
    return weir_fail(err, WEIR_CORRUPT, "%s: damaged %s: %s (at its byte %zu)", path, what, reader->problem,
                     reader->problem_offset);
}

static uint8_t read_byte(weir_thrift_reader *reader)
{
    if (reader->next == reader->end) {
        fail_truncated(reader);
        return 0;
    }
    return *reader->next++;
}

static uint64_t read_varint(weir_thrift_reader *reader)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        uint8_t byte = read_byte(reader);
        value |= shift == 63 ? (uint64_t)(byte & 1) << 63 : (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    weir_thrift_fail(reader, "a number has more than ten bytes");
    return 0;
}

static int64_t read_zigzag(weir_thrift_reader *reader)
{
    uint64_t value = read_varint(reader);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static bool expect(weir_thrift_reader *reader, weir_thrift_field field, weir_thrift_type type)
{
    if (reader->problem != NULL) {
        return false;
    }
    if (field.type != type) {
        weir_thrift_fail(reader, "a field has an unexpected type");
        return false;
    }
    return true;
}

bool weir_thrift_next(weir_thrift_reader *reader, weir_thrift_field *field)
{
    if (reader->problem != NULL) {
        return false;
    }
    uint8_t head = read_byte(reader);
    field->type = (weir_thrift_type)(head & 0x0f);
    if (field->type == WEIR_THRIFT_STOP) {
        reader->depth--;
        return false;
    }
    if (head >> 4 == 0) {
        field->id = (int16_t)read_zigzag(reader);
    } else {
        field->id = (int16_t)(field->id + (head >> 4));
    }
    return reader->problem == NULL;
}

bool weir_thrift_bool(weir_thrift_reader *reader, weir_thrift_field field)
{
    if (field.type == WEIR_THRIFT_TRUE) {
        /* An element of a list has a byte of its own; a field is its type. */
        return field.id == -1 ? read_byte(reader) == WEIR_THRIFT_TRUE : true;
    }
    expect(reader, field, WEIR_THRIFT_FALSE);
    return false;
}

int8_t weir_thrift_i8(weir_thrift_reader *reader, weir_thrift_field field)
{
    return expect(reader, field, WEIR_THRIFT_BYTE) ? (int8_t)read_byte(reader) : 0;
}

static int64_t read_bounded(weir_thrift_reader *reader, int64_t min, int64_t max)
{
    int64_t value = read_zigzag(reader);
    if (value < min || value > max) {
        weir_thrift_fail(reader, "a number is out of range");
        return 0;
    }
    return value;
}

int32_t weir_thrift_i32(weir_thrift_reader *reader, weir_thrift_field field)
{
    return expect(reader, field, WEIR_THRIFT_I32) ? (int32_t)read_bounded(reader, INT32_MIN, INT32_MAX) : 0;
}

int64_t weir_thrift_i64(weir_thrift_reader *reader, weir_thrift_field field)
{
    return expect(reader, field, WEIR_THRIFT_I64) ? read_zigzag(reader) : 0;
}

weir_slice weir_thrift_binary(weir_thrift_reader *reader, weir_thrift_field field)
{
    if (!expect(reader, field, WEIR_THRIFT_BINARY)) {
        return weir_slice_of("", 0);
    }
    uint64_t size = read_varint(reader);
    if (size > (uint64_t)(reader->end - reader->next)) {
        fail_truncated(reader);
        return weir_slice_of("", 0);
    }
    weir_slice bytes = weir_slice_of(reader->next, (size_t)size);
    reader->next += size;
    return bytes;
}

static void enter(weir_thrift_reader *reader)
{
    if (++reader->depth > MAX_DEPTH) {
        weir_thrift_fail(reader, "structs nest too deep");
    }
}

void weir_thrift_struct(weir_thrift_reader *reader, weir_thrift_field field)
{
    if (expect(reader, field, WEIR_THRIFT_STRUCT)) {
        enter(reader);
    }
}

static uint64_t read_list_head(weir_thrift_reader *reader, weir_thrift_type *element)
{
    uint8_t head = read_byte(reader);
    *element = (weir_thrift_type)(head & 0x0f);
    return head >> 4 == 15 ? read_varint(reader) : (uint64_t)(head >> 4);
}

uint32_t weir_thrift_list(weir_thrift_reader *reader, weir_thrift_field field, weir_thrift_type element,
                          uint32_t element_bytes)
{
    weir_thrift_type found;
    if (!expect(reader, field, WEIR_THRIFT_LIST)) {
        return 0;
    }
    uint64_t length = read_list_head(reader, &found);
    /* Booleans may be announced by either of their types. */
    bool both_boolean = element == WEIR_THRIFT_TRUE && found == WEIR_THRIFT_FALSE;
    if (length > 0 && found != element && !both_boolean) {
        weir_thrift_fail(reader, "a list has elements of an unexpected type");
        return 0;
    }
    if (length > (uint64_t)(reader->end - reader->next) / element_bytes) {
        weir_thrift_fail(reader, "a list is longer than its bytes allow");
        return 0;
    }
    return (uint32_t)length;
}

static void skip_elements(weir_thrift_reader *reader, weir_thrift_type type, uint64_t count)
{
    if (count > (uint64_t)(reader->end - reader->next)) {
        weir_thrift_fail(reader, "a list is longer than its bytes allow");
        return;
    }
    for (uint64_t i = 0; i < count && reader->problem == NULL; i++) {
        weir_thrift_skip(reader, WEIR_THRIFT_ELEMENT(type));
    }
}

static void skip_map(weir_thrift_reader *reader)
{
    uint64_t count = read_varint(reader);
    if (count == 0) {
        return;
    }
    uint8_t types = read_byte(reader);
    for (uint64_t i = 0; i < count && reader->problem == NULL; i++) {
        weir_thrift_skip(reader, WEIR_THRIFT_ELEMENT((weir_thrift_type)(types >> 4)));
        weir_thrift_skip(reader, WEIR_THRIFT_ELEMENT((weir_thrift_type)(types & 0x0f)));
    }
}

static void skip_bytes(weir_thrift_reader *reader, size_t size)
{
    if (size > (size_t)(reader->end - reader->next)) {
        fail_truncated(reader);
        return;
    }
    reader->next += size;
}

static void skip_list(weir_thrift_reader *reader)
{
    weir_thrift_type element;
    enter(reader);
    uint64_t count = read_list_head(reader, &element);
    skip_elements(reader, element, count);
    reader->depth--;
}

static void skip_struct(weir_thrift_reader *reader)
{
    weir_thrift_field inner = {0};
    enter(reader);
    while (weir_thrift_next(reader, &inner)) {
        weir_thrift_skip(reader, inner);
    }
}

void weir_thrift_skip(weir_thrift_reader *reader, weir_thrift_field field)
{
    if (reader->problem != NULL) {
        return;
    }
    switch (field.type) {
    case WEIR_THRIFT_TRUE:
    case WEIR_THRIFT_FALSE:
        skip_bytes(reader, field.id == -1 ? 1 : 0);
        return;
    case WEIR_THRIFT_BYTE:
        skip_bytes(reader, 1);
        return;
    case WEIR_THRIFT_I16:
    case WEIR_THRIFT_I32:
    case WEIR_THRIFT_I64:
        read_varint(reader);
        return;
    case WEIR_THRIFT_DOUBLE:
        skip_bytes(reader, 8);
        return;
    case WEIR_THRIFT_UUID:
        skip_bytes(reader, 16);
        return;
    case WEIR_THRIFT_BINARY:
        weir_thrift_binary(reader, field);
        return;
    case WEIR_THRIFT_LIST:
    case WEIR_THRIFT_SET:
        skip_list(reader);
        return;
    case WEIR_THRIFT_STRUCT:
        skip_struct(reader);
        return;
    case WEIR_THRIFT_MAP:
        enter(reader);
        skip_map(reader);
        reader->depth--;
        return;
    case WEIR_THRIFT_STOP:
        break;
    }
    weir_thrift_fail(reader, "a field has an unknown type");
}
