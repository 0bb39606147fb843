/* Variants as JSON text.
 *
 *   | header: 1 | primitive: 0..17, or text |
 *   | header: 1 | count: 1 or 4 | key ids (objects) | offsets: count + 1 | values |
 *
 * The bytes come from files, so every number in them is checked before it is used. Values may overlap in damaged ones;
 * a count of the values seen keeps that from becoming work without end. */
#include "base/json.h"
#include "base/text.h"
#include "vector/decimal.h"
#include "vector/java_text.h"
#include "vector/time_text.h"
#include "vector/variant.h"

#define MAX_JSON_SIZE ((size_t)1 << 30)

typedef struct printer {
    weir_slice value;
    weir_slice metadata;
    weir_buffer *out;
    weir_error *err;
    size_t limit; /* of out->size */
    size_t seen;  /* values */
    int depth;
} printer;

static int malformed(const printer *p) { return weir_fail(p->err, WEIR_CORRUPT, "a VARIANT value is malformed"); }

/* A little-endian number of `width` bytes (1..4) at `at`. */
static int read_unsigned(const printer *p, weir_slice bytes, size_t at, size_t width, uint32_t *out)
{
    if (width > bytes.size || at > bytes.size - width) {
        return malformed(p);
    }
    uint32_t number = 0;
    for (size_t i = 0; i < width; i++) {
        number |= (uint32_t)bytes.data[at + i] << (8 * i);
    }
    if (number > INT32_MAX) {
        return malformed(p);
    }
    *out = number;
    return WEIR_OK;
}

/* `size` bytes at `at` of the value. */
static int read_bytes(const printer *p, size_t at, size_t size, const uint8_t **out)
{
    if (size > p->value.size || at > p->value.size - size) {
        return malformed(p);
    }
    *out = p->value.data + at;
    return WEIR_OK;
}

static void append_quoted(printer *p, weir_slice text)
{
    weir_buffer valid = {0};
    weir_java_text_append(text, &valid);
    weir_json_write_string(weir_buffer_slice(&valid), p->out);
    weir_buffer_free(&valid);
}

/* Entry `id` of the dictionary: | version and width: 1 | count | offsets: count + 1 | keys |. */
static int append_key(printer *p, uint32_t id)
{
    size_t width = (size_t)(p->metadata.data[0] >> 6) + 1;
    uint32_t count;
    uint32_t begin;
    uint32_t end;
    WEIR_TRY(read_unsigned(p, p->metadata, 1, width, &count));
    if (id >= count) {
        return malformed(p);
    }
    size_t keys = 1 + width * ((size_t)count + 2);
    WEIR_TRY(read_unsigned(p, p->metadata, 1 + width * ((size_t)id + 1), width, &begin));
    WEIR_TRY(read_unsigned(p, p->metadata, 1 + width * ((size_t)id + 2), width, &end));
    if (begin > end || keys > p->metadata.size || end > p->metadata.size - keys) {
        return malformed(p);
    }
    append_quoted(p, weir_slice_of(p->metadata.data + keys + begin, end - begin));
    return WEIR_OK;
}

static int append_value(printer *p, size_t at);

static int append_container(printer *p, size_t at, bool object)
{
    unsigned info = p->value.data[at] >> 2;
    size_t offset_width = (info & 3) + 1;
    size_t id_width = object ? ((info >> 2) & 3) + 1 : 0;
    size_t count_width = (object ? info >> 4 : info >> 2) & 1 ? 4 : 1;
    uint32_t count;
    WEIR_TRY(read_unsigned(p, p->value, at + 1, count_width, &count));
    size_t ids = at + 1 + count_width;
    size_t offsets = ids + id_width * (size_t)count;
    size_t values = offsets + offset_width * ((size_t)count + 1);
    if (++p->depth > WEIR_VARIANT_MAX_DEPTH) {
        return malformed(p);
    }
    weir_buffer_append_byte(p->out, object ? '{' : '[');
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id;
        uint32_t offset;
        if (i > 0) {
            weir_buffer_append_byte(p->out, ',');
        }
        if (object) {
            WEIR_TRY(read_unsigned(p, p->value, ids + id_width * i, id_width, &id));
            WEIR_TRY(append_key(p, id));
            weir_buffer_append_byte(p->out, ':');
        }
        WEIR_TRY(read_unsigned(p, p->value, offsets + offset_width * i, offset_width, &offset));
        WEIR_TRY(append_value(p, values + offset));
    }
    weir_buffer_append_byte(p->out, object ? '}' : ']');
    p->depth--;
    return WEIR_OK;
}

static int append_decimal(printer *p, size_t at, size_t width)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, 1 + width, &bytes));
    if (bytes[0] > WEIR_MAX_DECIMAL_PRECISION) {
        return malformed(p);
    }
    weir_int128 unscaled = 0;
    if (width == 4) {
        unscaled = (int32_t)weir_load_le32(bytes + 1);
    } else if (width == 8) {
        unscaled = (int64_t)weir_load_le64(bytes + 1);
    } else {
        memcpy(&unscaled, bytes + 1, sizeof unscaled);
    }
    weir_decimal_format(unscaled, bytes[0], p->out);
    return WEIR_OK;
}

/* As Java's ISO_LOCAL_TIME: no more digits of the fraction than it has. */
static int append_timestamp(printer *p, size_t at, const char *zone)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, 8, &bytes));
    int64_t micros = (int64_t)weir_load_le64(bytes);
    int64_t fraction = weir_floor_mod(micros, 1000000);
    int digits = 6;
    while (digits > 0 && fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    weir_buffer_append_byte(p->out, '"');
    weir_timestamp_format(weir_timestamp_widen(micros, 6), digits, p->out);
    weir_buffer_append_text(p->out, zone);
    weir_buffer_append_byte(p->out, '"');
    return WEIR_OK;
}

static int append_date(printer *p, size_t at)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, 4, &bytes));
    weir_buffer_append_byte(p->out, '"');
    weir_date_format((int32_t)weir_load_le32(bytes), p->out);
    weir_buffer_append_byte(p->out, '"');
    return WEIR_OK;
}

/* NaN and the infinities are quoted, for JSON has no numbers for them. */
static int append_float(printer *p, size_t at, size_t width)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, width, &bytes));
    double wide = 0;
    float narrow = 0;
    if (width == 8) {
        memcpy(&wide, bytes, sizeof wide);
    } else {
        memcpy(&narrow, bytes, sizeof narrow);
        wide = narrow;
    }
    const char *quote = wide - wide == 0 ? "" : "\"";
    weir_buffer_append_text(p->out, quote);
    if (width == 8) {
        weir_format_double(wide, p->out);
    } else {
        weir_format_float(narrow, p->out);
    }
    weir_buffer_append_text(p->out, quote);
    return WEIR_OK;
}

static int append_integer(printer *p, size_t at, size_t width)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, width, &bytes));
    int64_t number = 0;
    memcpy(&number, bytes, width);
    int unused_bits = 64 - 8 * (int)width;
    weir_decimal_format((int64_t)((uint64_t)number << unused_bits) >> unused_bits, 0, p->out);
    return WEIR_OK;
}

static int append_text(printer *p, size_t at)
{
    uint32_t size;
    const uint8_t *bytes;
    WEIR_TRY(read_unsigned(p, p->value, at, 4, &size));
    WEIR_TRY(read_bytes(p, at + 4, size, &bytes));
    append_quoted(p, weir_slice_of(bytes, size));
    return WEIR_OK;
}

static int append_base64(printer *p, size_t at)
{
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t size;
    const uint8_t *bytes;
    WEIR_TRY(read_unsigned(p, p->value, at, 4, &size));
    WEIR_TRY(read_bytes(p, at + 4, size, &bytes));
    weir_buffer_append_byte(p->out, '"');
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned word = (unsigned)bytes[i] << 16;
        word |= left > 1 ? (unsigned)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? bytes[i + 2] : 0;
        char group[4] = {alphabet[word >> 18], alphabet[(word >> 12) & 63], left > 1 ? alphabet[(word >> 6) & 63] : '=',
                         left > 2 ? alphabet[word & 63] : '='};
        weir_buffer_append(p->out, group, sizeof group);
    }
    weir_buffer_append_byte(p->out, '"');
    return WEIR_OK;
}

static int append_uuid(printer *p, size_t at)
{
    const uint8_t *bytes;
    WEIR_TRY(read_bytes(p, at, 16, &bytes));
    weir_buffer_append_byte(p->out, '"');
    for (int i = 0; i < 16; i++) {
        weir_buffer_append_format(p->out, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", bytes[i]);
    }
    weir_buffer_append_byte(p->out, '"');
    return WEIR_OK;
}

static int append_primitive(printer *p, weir_variant_primitive type, size_t at)
{
    switch (type) {
    case WEIR_VARIANT_NULL:
        weir_buffer_append_text(p->out, "null");
        return WEIR_OK;
    case WEIR_VARIANT_TRUE:
        weir_buffer_append_text(p->out, "true");
        return WEIR_OK;
    case WEIR_VARIANT_FALSE:
        weir_buffer_append_text(p->out, "false");
        return WEIR_OK;
    case WEIR_VARIANT_INT8:
        return append_integer(p, at, 1);
    case WEIR_VARIANT_INT16:
        return append_integer(p, at, 2);
    case WEIR_VARIANT_INT32:
        return append_integer(p, at, 4);
    case WEIR_VARIANT_INT64:
        return append_integer(p, at, 8);
    case WEIR_VARIANT_DOUBLE:
        return append_float(p, at, 8);
    case WEIR_VARIANT_FLOAT:
        return append_float(p, at, 4);
    case WEIR_VARIANT_DECIMAL4:
        return append_decimal(p, at, 4);
    case WEIR_VARIANT_DECIMAL8:
        return append_decimal(p, at, 8);
    case WEIR_VARIANT_DECIMAL16:
        return append_decimal(p, at, 16);
    case WEIR_VARIANT_DATE:
        return append_date(p, at);
    case WEIR_VARIANT_TIMESTAMP:
        return append_timestamp(p, at, "+00:00");
    case WEIR_VARIANT_TIMESTAMP_NTZ:
        return append_timestamp(p, at, "");
    case WEIR_VARIANT_BINARY:
        return append_base64(p, at);
    case WEIR_VARIANT_LONG_STRING:
        return append_text(p, at);
    case WEIR_VARIANT_UUID:
        return append_uuid(p, at);
    }
    return malformed(p);
}

static int append_value(printer *p, size_t at)
{
    const uint8_t *header;
    WEIR_TRY(read_bytes(p, at, 1, &header));
    if (++p->seen > p->value.size || p->out->size > p->limit) {
        return malformed(p);
    }
    switch ((weir_variant_basic)(*header & 3)) {
    case WEIR_VARIANT_PRIMITIVE:
        return append_primitive(p, (weir_variant_primitive)(*header >> 2), at + 1);
    case WEIR_VARIANT_SHORT_STRING: {
        const uint8_t *text;
        WEIR_TRY(read_bytes(p, at + 1, *header >> 2, &text));
        append_quoted(p, weir_slice_of(text, *header >> 2));
        return WEIR_OK;
    }
    case WEIR_VARIANT_OBJECT:
        return append_container(p, at, true);
    case WEIR_VARIANT_ARRAY:
        return append_container(p, at, false);
    }
    return malformed(p);
}

int weir_variant_to_json(weir_slice value, weir_slice metadata, weir_buffer *out, weir_error *err)
{
    printer p = {.value = value, .metadata = metadata, .out = out, .err = err, .limit = out->size + MAX_JSON_SIZE};
    if (metadata.size == 0 || (metadata.data[0] & 15) != WEIR_VARIANT_VERSION || value.size > WEIR_VARIANT_SIZE_LIMIT ||
        metadata.size > WEIR_VARIANT_SIZE_LIMIT) {
        return malformed(&p);
    }
    return append_value(&p, 0);
}
