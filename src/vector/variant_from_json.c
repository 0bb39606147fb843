/* JSON text as variants: read once from front to back, containers getting their header when they end.
 *
 * Numbers become the smallest integer that holds them, else a decimal of at most 38 digits, else (with an exponent or
 * more digits) a double. */
#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "vector/decimal.h"
#include "vector/java_text.h"
#include "vector/variant.h"

typedef struct builder {
    weir_slice text;
    size_t at;
    weir_buffer *value;
    size_t value_start; /* what stood in *value before */
    weir_map ids;       /* key to id + 1 */
    weir_buffer keys;
    weir_buffer key_ends; /* uint32_t, of each id */
    uint32_t key_count;
    int depth;
    weir_error *err;
} builder;

/* A member of an object that is being read. Its key is in a scratch buffer of the object. */
typedef struct member {
    size_t key_begin;
    size_t key_size;
    const uint8_t *key;
    uint32_t id;
    uint32_t offset;
} member;

static int malformed(const builder *b, const char *expected)
{
    return weir_fail(b->err, WEIR_INVALID, "not valid JSON for a VARIANT: %s expected at byte %zu", expected,
                     b->at + 1);
}

static int peek(const builder *b) { return b->at < b->text.size ? b->text.data[b->at] : -1; }

static void skip_blanks(builder *b)
{
    int c = peek(b);
    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        b->at++;
        c = peek(b);
    }
}

static bool take(builder *b, int byte)
{
    skip_blanks(b);
    if (peek(b) != byte) {
        return false;
    }
    b->at++;
    return true;
}

static void append_unsigned(weir_buffer *out, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    weir_store_le64(bytes, number);
    weir_buffer_append(out, bytes, width);
}

/* Bytes that hold every number up to `greatest`. */
static size_t width_of(uint64_t greatest)
{
    if (greatest <= 0xff) {
        return 1;
    }
    if (greatest <= 0xffff) {
        return 2;
    }
    return greatest <= 0xffffff ? 3 : 4;
}

static void append_header(builder *b, weir_variant_primitive type)
{
    weir_buffer_append_byte(b->value, (uint8_t)(type << 2));
}

/* ---- strings ---- */

static int read_hex4(builder *b, uint32_t *out)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int c = peek(b);
        int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
        if (digit < 0) {
            return malformed(b, "a hexadecimal digit");
        }
        unit = unit * 16 + (uint32_t)digit;
        b->at++;
    }
    *out = unit;
    return WEIR_OK;
}

static void append_code_point(weir_buffer *out, uint32_t point)
{
    if (point < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)point);
    } else if (point < 0x800) {
        uint8_t bytes[] = {(uint8_t)(0xc0 | point >> 6), (uint8_t)(0x80 | (point & 63))};
        weir_buffer_append(out, bytes, sizeof bytes);
    } else if (point < 0x10000) {
        uint8_t bytes[] = {(uint8_t)(0xe0 | point >> 12), (uint8_t)(0x80 | (point >> 6 & 63)),
                           (uint8_t)(0x80 | (point & 63))};
        weir_buffer_append(out, bytes, sizeof bytes);
    } else {
        uint8_t bytes[] = {(uint8_t)(0xf0 | point >> 18), (uint8_t)(0x80 | (point >> 12 & 63)),
                           (uint8_t)(0x80 | (point >> 6 & 63)), (uint8_t)(0x80 | (point & 63))};
        weir_buffer_append(out, bytes, sizeof bytes);
    }
}

/* After \u. A surrogate without its other half becomes a question mark, as when Java encodes it. */
static int read_unicode_escape(builder *b, weir_buffer *out)
{
    uint32_t unit;
    WEIR_TRY(read_hex4(b, &unit));
    if (unit >= 0xd800 && unit < 0xdc00 && b->at + 1 < b->text.size && b->text.data[b->at] == '\\' &&
        b->text.data[b->at + 1] == 'u') {
        size_t before = b->at;
        uint32_t low;
        b->at += 2;
        WEIR_TRY(read_hex4(b, &low));
        if (low >= 0xdc00 && low < 0xe000) {
            append_code_point(out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            return WEIR_OK;
        }
        b->at = before;
    }
    append_code_point(out, unit >= 0xd800 && unit < 0xe000 ? '?' : unit);
    return WEIR_OK;
}

static int read_escape(builder *b, weir_buffer *out)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    int c = peek(b);
    b->at++;
    if (c == 'u') {
        return read_unicode_escape(b, out);
    }
    const char *letter = c > 0 ? strchr(letters, c) : NULL;
    if (letter == NULL) {
        return malformed(b, "an escape");
    }
    weir_buffer_append_byte(out, (uint8_t)meanings[letter - letters]);
    return WEIR_OK;
}

static int read_string(builder *b, weir_buffer *out)
{
    if (!take(b, '"')) {
        return malformed(b, "a string");
    }
    size_t plain = b->at;
    for (;;) {
        int c = peek(b);
        if (c < ' ') { /* the end, too */
            return malformed(b, "the end of a string");
        }
        if (c == '"' || c == '\\') {
            weir_buffer_append(out, b->text.data + plain, b->at - plain);
            b->at++;
            if (c == '"') {
                return WEIR_OK;
            }
            WEIR_TRY(read_escape(b, out));
            plain = b->at;
        } else {
            b->at++;
        }
    }
}

static int append_string(builder *b)
{
    weir_buffer text = {0};
    int code = read_string(b, &text);
    if (code == WEIR_OK) {
        if (text.size <= WEIR_VARIANT_MAX_SHORT_STRING) {
            weir_buffer_append_byte(b->value, (uint8_t)(text.size << 2 | WEIR_VARIANT_SHORT_STRING));
        } else {
            append_header(b, WEIR_VARIANT_LONG_STRING);
            append_unsigned(b->value, text.size, 4);
        }
        weir_buffer_append(b->value, text.data, text.size);
    }
    weir_buffer_free(&text);
    return code;
}

/* ---- numbers ---- */

static void append_integer(builder *b, int64_t number)
{
    if (number == (int8_t)number) {
        append_header(b, WEIR_VARIANT_INT8);
        append_unsigned(b->value, (uint64_t)number, 1);
    } else if (number == (int16_t)number) {
        append_header(b, WEIR_VARIANT_INT16);
        append_unsigned(b->value, (uint64_t)number, 2);
    } else if (number == (int32_t)number) {
        append_header(b, WEIR_VARIANT_INT32);
        append_unsigned(b->value, (uint64_t)number, 4);
    } else {
        append_header(b, WEIR_VARIANT_INT64);
        append_unsigned(b->value, (uint64_t)number, 8);
    }
}

static void append_decimal(builder *b, weir_int128 unscaled, int scale)
{
    if (weir_decimal_fits(unscaled, 9) && scale <= 9) {
        append_header(b, WEIR_VARIANT_DECIMAL4);
        weir_buffer_append_byte(b->value, (uint8_t)scale);
        append_unsigned(b->value, (uint64_t)unscaled, 4);
    } else if (weir_decimal_fits(unscaled, 18) && scale <= 18) {
        append_header(b, WEIR_VARIANT_DECIMAL8);
        weir_buffer_append_byte(b->value, (uint8_t)scale);
        append_unsigned(b->value, (uint64_t)unscaled, 8);
    } else {
        append_header(b, WEIR_VARIANT_DECIMAL16);
        weir_buffer_append_byte(b->value, (uint8_t)scale);
        weir_buffer_append(b->value, &unscaled, sizeof unscaled);
    }
}

static bool take_digits(builder *b)
{
    size_t begin = b->at;
    while (peek(b) >= '0' && peek(b) <= '9') {
        b->at++;
    }
    return b->at > begin;
}

/* Moves past a number by JSON's grammar, telling how it is written. */
static int scan_number(builder *b, int *scale, bool *exponent)
{
    if (peek(b) == '-') {
        b->at++;
    }
    size_t whole = b->at;
    if (!take_digits(b) || (b->text.data[whole] == '0' && b->at > whole + 1)) {
        return malformed(b, "a number");
    }
    if (peek(b) == '.') {
        size_t point = b->at++;
        if (!take_digits(b)) {
            return malformed(b, "a digit");
        }
        size_t digits = b->at - point - 1;
        *scale = digits < 1000 ? (int)digits : 1000;
    }
    if (peek(b) == 'e' || peek(b) == 'E') {
        *exponent = true;
        b->at++;
        if (peek(b) == '+' || peek(b) == '-') {
            b->at++;
        }
        if (!take_digits(b)) {
            return malformed(b, "a digit");
        }
    }
    return WEIR_OK;
}

static int append_number(builder *b)
{
    size_t begin = b->at;
    int scale = -1; /* no point */
    bool exponent = false;
    WEIR_TRY(scan_number(b, &scale, &exponent));
    weir_slice text = weir_slice_of(b->text.data + begin, b->at - begin);
    int64_t whole;
    weir_int128 unscaled;
    if (scale < 0 && !exponent && weir_parse_int64(text, &whole)) {
        append_integer(b, whole);
    } else if (!exponent && scale <= WEIR_MAX_DECIMAL_PRECISION &&
               weir_decimal_parse(text, WEIR_MAX_DECIMAL_PRECISION, scale < 0 ? 0 : scale, &unscaled)) {
        append_decimal(b, unscaled, scale < 0 ? 0 : scale);
    } else {
        char *copy = weir_strndup((const char *)text.data, text.size);
        double number = strtod(copy, NULL);
        free(copy);
        append_header(b, WEIR_VARIANT_DOUBLE);
        weir_buffer_append(b->value, &number, sizeof number);
    }
    return WEIR_OK;
}

/* ---- containers ---- */

static int append_value(builder *b);

static uint32_t id_of_key(builder *b, weir_slice key)
{
    uintptr_t known = (uintptr_t)weir_map_get(&b->ids, key);
    if (known == 0) {
        weir_buffer_append(&b->keys, key.data, key.size);
        append_unsigned(&b->key_ends, b->keys.size, 4);
        known = ++b->key_count;
        weir_map_put(&b->ids, key, (void *)known); /* NOLINT(performance-no-int-to-ptr): an id, no address */
    }
    return (uint32_t)known - 1;
}

static int compare_members(const void *a, const void *b)
{
    const member *x = a;
    const member *y = b;
    return weir_java_text_compare(weir_slice_of(x->key, x->key_size), weir_slice_of(y->key, y->key_size));
}

/* Puts a container's header before its values, which lie from `start` on. Arrays have no ids. */
static void finish_container(builder *b, size_t start, const member *members, size_t count, bool object)
{
    size_t data_size = b->value->size - start;
    uint32_t greatest_id = 0;
    for (size_t i = 0; i < count; i++) {
        greatest_id = members[i].id > greatest_id ? members[i].id : greatest_id;
    }
    bool large = count > 255;
    size_t id_width = width_of(greatest_id);
    size_t offset_width = width_of(data_size);
    weir_buffer header = {0};
    if (object) {
        weir_buffer_append_byte(&header, (uint8_t)((unsigned)large << 6 | (id_width - 1) << 4 |
                                                   (offset_width - 1) << 2 | WEIR_VARIANT_OBJECT));
    } else {
        weir_buffer_append_byte(&header,
                                (uint8_t)((unsigned)large << 4 | (offset_width - 1) << 2 | WEIR_VARIANT_ARRAY));
    }
    append_unsigned(&header, count, large ? 4 : 1);
    for (size_t i = 0; object && i < count; i++) {
        append_unsigned(&header, members[i].id, id_width);
    }
    for (size_t i = 0; i < count; i++) {
        append_unsigned(&header, members[i].offset, offset_width);
    }
    append_unsigned(&header, data_size, offset_width);
    weir_buffer_append_zeros(b->value, header.size);
    memmove(b->value->data + start + header.size, b->value->data + start, data_size);
    memcpy(b->value->data + start, header.data, header.size);
    weir_buffer_free(&header);
}

static int sort_members(const builder *b, member *members, size_t count, const weir_buffer *keys)
{
    for (size_t i = 0; i < count; i++) {
        members[i].key = keys->data + members[i].key_begin;
    }
    if (count > 1) {
        qsort(members, count, sizeof *members, compare_members);
    }
    for (size_t i = 1; i < count; i++) {
        if (compare_members(&members[i - 1], &members[i]) == 0) {
            return weir_fail(b->err, WEIR_INVALID, "JSON for a VARIANT has the key \"%.*s\" twice in one object",
                             (int)(members[i].key_size < 100 ? members[i].key_size : 100),
                             (const char *)members[i].key);
        }
    }
    return WEIR_OK;
}

static int append_object(builder *b)
{
    size_t start = b->value->size;
    weir_buffer keys = {0};
    member *members = NULL;
    size_t capacity = 0;
    size_t count = 0;
    int code = WEIR_OK;
    while (!take(b, '}')) {
        if (count > 0 && !take(b, ',')) {
            code = malformed(b, "a comma or the end of an object");
            goto done;
        }
        size_t key_begin = keys.size;
        WEIR_GO(read_string(b, &keys));
        if (!take(b, ':')) {
            code = malformed(b, "a colon");
            goto done;
        }
        WEIR_GROW(members, capacity, count + 1);
        weir_slice key = weir_slice_of(keys.data + key_begin, keys.size - key_begin);
        members[count++] = (member){.key_begin = key_begin,
                                    .key_size = key.size,
                                    .id = id_of_key(b, key),
                                    .offset = (uint32_t)(b->value->size - start)};
        WEIR_GO(append_value(b));
    }
    WEIR_GO(sort_members(b, members, count, &keys));
    finish_container(b, start, members, count, true);
done:
    weir_buffer_free(&keys);
    free(members);
    return code;
}

static int append_array(builder *b)
{
    size_t start = b->value->size;
    member *members = NULL;
    size_t capacity = 0;
    size_t count = 0;
    int code = WEIR_OK;
    while (!take(b, ']')) {
        if (count > 0 && !take(b, ',')) {
            code = malformed(b, "a comma or the end of an array");
            goto done;
        }
        WEIR_GROW(members, capacity, count + 1);
        members[count++] = (member){.offset = (uint32_t)(b->value->size - start)};
        WEIR_GO(append_value(b));
    }
    finish_container(b, start, members, count, false);
done:
    free(members);
    return code;
}

static bool take_word(builder *b, const char *word)
{
    size_t size = strlen(word);
    if (b->text.size - b->at < size || memcmp(b->text.data + b->at, word, size) != 0) {
        return false;
    }
    b->at += size;
    return true;
}

static int append_container(builder *b, bool object)
{
    if (++b->depth > WEIR_VARIANT_MAX_DEPTH) {
        return weir_fail(b->err, WEIR_INVALID, "JSON for a VARIANT is nested more than %d deep",
                         WEIR_VARIANT_MAX_DEPTH);
    }
    int code = object ? append_object(b) : append_array(b);
    b->depth--;
    return code;
}

static int append_value(builder *b)
{
    skip_blanks(b);
    if (take(b, '{')) {
        return append_container(b, true);
    }
    if (take(b, '[')) {
        return append_container(b, false);
    }
    if (peek(b) == '"') {
        return append_string(b);
    }
    if (take_word(b, "null")) {
        append_header(b, WEIR_VARIANT_NULL);
    } else if (take_word(b, "true")) {
        append_header(b, WEIR_VARIANT_TRUE);
    } else if (take_word(b, "false")) {
        append_header(b, WEIR_VARIANT_FALSE);
    } else {
        return append_number(b);
    }
    return WEIR_OK;
}

static void append_metadata(const builder *b, weir_buffer *metadata)
{
    size_t width = width_of(b->keys.size > b->key_count ? b->keys.size : b->key_count);
    weir_buffer_append_byte(metadata, (uint8_t)((width - 1) << 6 | WEIR_VARIANT_VERSION));
    append_unsigned(metadata, b->key_count, width);
    append_unsigned(metadata, 0, width);
    for (uint32_t i = 0; i < b->key_count; i++) {
        append_unsigned(metadata, weir_load_le32(b->key_ends.data + 4 * (size_t)i), width);
    }
    weir_buffer_append(metadata, b->keys.data, b->keys.size);
}

int weir_variant_from_json(weir_slice text, weir_buffer *value, weir_buffer *metadata, weir_error *err)
{
    builder b = {.text = text, .value = value, .value_start = value->size, .err = err};
    if (text.size > WEIR_VARIANT_SIZE_LIMIT) {
        return weir_fail(err, WEIR_INVALID, "JSON of %zu bytes is too large for a VARIANT (128 MB)", text.size);
    }
    int code = append_value(&b);
    if (code == WEIR_OK) {
        skip_blanks(&b);
        if (b.at < text.size) {
            code = malformed(&b, "the end");
        } else if (value->size - b.value_start > WEIR_VARIANT_SIZE_LIMIT) {
            code = weir_fail(err, WEIR_INVALID, "a VARIANT cannot be larger than 128 MB");
        } else {
            append_metadata(&b, metadata);
        }
    }
    weir_map_free(&b.ids);
    weir_buffer_free(&b.keys);
    weir_buffer_free(&b.key_ends);
    return code;
}
