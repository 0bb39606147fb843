/* Values as row events pack them, and as text. */
#include "connect/mysql/value.h"

#include <stdlib.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "format/compression.h"
#include "vector/decimal.h"

#define MICROS_PER_SECOND ((int64_t)1000000)

/* ---- numbers ---- */

static void take_integer(weir_byte_reader *reader, size_t size, bool is_unsigned, weir_mysql_value *out)
{
    uint64_t number = weir_take_number(reader, size);
    int unused = 64 - (int)size * 8;
    out->kind = is_unsigned ? WEIR_MYSQL_UNSIGNED : WEIR_MYSQL_SIGNED;
    out->number = is_unsigned ? (int64_t)number : (int64_t)(number << unused) >> unused;
}

static void take_float(weir_byte_reader *reader, weir_mysql_value *out)
{
    uint32_t bits = weir_take_u32(reader);
    float number;
    memcpy(&number, &bits, sizeof number);
    out->kind = WEIR_MYSQL_REAL;
    out->real = (double)number;
}

static void take_double(weir_byte_reader *reader, weir_mysql_value *out)
{
    uint64_t bits = weir_take_u64(reader);
    out->kind = WEIR_MYSQL_REAL;
    memcpy(&out->real, &bits, sizeof out->real);
}

/* Nine digits take four bytes, fewer digits fewer. */
static const uint8_t bytes_of_digits[10] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 4};

static size_t decimal_size(int precision, int scale)
{
    int whole = precision - scale;
    return (size_t)(whole / 9 * 4 + bytes_of_digits[whole % 9] + scale / 9 * 4 + bytes_of_digits[scale % 9]);
}

typedef void take_digits_function(void *state, uint32_t digits, int count);

/* Hands over the digits, from the first, in groups. Of negative numbers all bits are turned over, of all numbers the
 * first bit. False: cut off. */
static bool take_digit_groups(weir_byte_reader *reader, int precision, int scale, take_digits_function *take,
                              void *state, bool *out_negative)
{
    weir_slice bytes = weir_take_bytes(reader, decimal_size(precision, scale));
    if (reader->failed || bytes.size == 0) {
        return false;
    }
    uint8_t mask = bytes.data[0] & 0x80 ? 0 : 0xFF;
    size_t at = 0;
    int whole = precision - scale;
    int left[2] = {whole % 9, scale % 9};
    int groups[2] = {whole / 9, scale / 9};
    for (int part = 0; part < 2; part++) {
        int full = groups[part];
        /* The short group stands first before the point, and last after it. */
        for (int i = 0; i < full + 1; i++) {
            int digits = i == (part == 0 ? 0 : full) ? left[part] : 9;
            uint32_t number = 0;
            for (int j = 0; j < bytes_of_digits[digits]; j++) {
                uint8_t byte = (uint8_t)(bytes.data[at] ^ mask ^ (at == 0 ? 0x80 : 0));
                number = number << 8 | byte;
                at++;
            }
            take(state, number, digits);
        }
    }
    *out_negative = mask != 0;
    return true;
}

static void add_digits(void *state, uint32_t digits, int count)
{
    weir_int128 *number = state;
    *number = *number * (weir_int128)weir_powers_of_ten[count] + digits;
}

bool weir_take_decimal(weir_byte_reader *reader, int precision, int scale, weir_int128 *out)
{
    bool is_negative;
    weir_int128 number = 0;
    if (precision < 1 || precision > WEIR_MAX_DECIMAL_PRECISION || scale > precision || scale < 0 ||
        !take_digit_groups(reader, precision, scale, add_digits, &number, &is_negative)) {
        weir_byte_reader_fail(reader);
        return false;
    }
    *out = is_negative ? -number : number;
    return true;
}

static void append_digits(void *state, uint32_t digits, int count)
{
    if (count > 0) {
        weir_buffer_append_format(state, "%0*u", count, digits);
    }
}

/* More digits than a number holds: text, without zeros in front. */
static void take_long_decimal(weir_byte_reader *reader, int precision, int scale, weir_buffer *scratch,
                              weir_mysql_value *out)
{
    bool is_negative = false;
    weir_buffer digits = {0};
    if (precision > 65 || scale > precision || scale > 30 ||
        !take_digit_groups(reader, precision, scale, append_digits, &digits, &is_negative)) {
        weir_byte_reader_fail(reader);
        weir_buffer_free(&digits);
        return;
    }
    size_t whole = digits.size - (size_t)scale;
    size_t zeros = 0;
    while (zeros + 1 < whole && digits.data[zeros] == '0') {
        zeros++;
    }
    size_t start = scratch->size;
    weir_buffer_append_text(scratch, is_negative ? "-" : "");
    weir_buffer_append(scratch, digits.data + zeros, whole - zeros);
    if (scale > 0) {
        weir_buffer_append_text(scratch, ".");
        weir_buffer_append(scratch, digits.data + whole, (size_t)scale);
    }
    out->kind = WEIR_MYSQL_BYTES;
    out->bytes = weir_slice_of(scratch->data + start, scratch->size - start);
    weir_buffer_free(&digits);
}

/* ---- times ---- */

static void set_date(int64_t year, int month, int day, weir_mysql_value *out)
{
    bool is_date = month >= 1 && month <= 12 && day >= 1 && day <= 31;
    out->kind = is_date ? WEIR_MYSQL_DAYS : WEIR_MYSQL_NO_DATE;
    out->number = is_date ? weir_days_from_civil(year, month, day)
                          : ((year * 100 + month) * 100 + day) * WEIR_MYSQL_MICROS_PER_DAY;
}

static void set_clock(int64_t year, int month, int day, int64_t micros_of_day, weir_mysql_value *out)
{
    set_date(year, month, day, out);
    if (out->kind == WEIR_MYSQL_DAYS) {
        out->kind = WEIR_MYSQL_CLOCK;
        out->number *= WEIR_MYSQL_MICROS_PER_DAY;
    }
    out->number += micros_of_day;
}

static int64_t micros_of(int64_t hours, int64_t minutes, int64_t seconds, int64_t micros)
{
    return ((hours * 60 + minutes) * 60 + seconds) * MICROS_PER_SECOND + micros;
}

/* | year: 15 bits | month: 4 | day: 5 |, little-endian */
static void take_date(weir_byte_reader *reader, weir_mysql_value *out)
{
    uint32_t packed = (uint32_t)weir_take_number(reader, 3);
    set_date(packed >> 9, packed >> 5 & 15, packed & 31, out);
}

/* A fraction of `digits` in the fewest bytes, as microseconds. */
static int64_t take_fraction(weir_byte_reader *reader, int digits)
{
    switch ((digits + 1) / 2) {
    case 0:
        return 0;
    case 1:
        return (int64_t)weir_take_u8(reader) * 10000;
    case 2:
        return (int64_t)weir_take_big(reader, 2) * 100;
    default:
        return (int64_t)weir_take_big(reader, 3);
    }
}

/* | 1: 1 bit | year * 13 + month: 17 | day: 5 | hour: 5 | minute: 6 | second: 6 |, big-endian, and the fraction */
static void take_datetime2(weir_byte_reader *reader, int digits, weir_mysql_value *out)
{
    uint64_t packed = weir_take_big(reader, 5) & 0x7FFFFFFFFFu;
    int64_t micros = take_fraction(reader, digits);
    uint64_t month = packed >> 22;
    set_clock((int64_t)(month / 13), (int)(month % 13), (int)(packed >> 17 & 31),
              micros_of(packed >> 12 & 31, packed >> 6 & 63, packed & 63, micros), out);
}

static void take_timestamp2(weir_byte_reader *reader, int digits, weir_mysql_value *out)
{
    int64_t seconds = (int64_t)weir_take_big(reader, 4);
    int64_t micros = take_fraction(reader, digits);
    out->kind = seconds == 0 && micros == 0 ? WEIR_MYSQL_NO_DATE : WEIR_MYSQL_INSTANT;
    out->number = seconds * MICROS_PER_SECOND + micros;
}

/* | 1, or 0 when negative: 1 bit | unused: 1 | hour: 10 | minute: 6 | second: 6 | fraction |: one big-endian number,
 * which is the two's complement of a negative time's */
static void take_time2(weir_byte_reader *reader, int digits, weir_mysql_value *out)
{
    static const int64_t units[] = {0, 10000, 100, 1};
    size_t fraction_size = (size_t)(digits + 1) / 2;
    if (fraction_size > 3) {
        weir_byte_reader_fail(reader);
        return;
    }
    int64_t packed = (int64_t)weir_take_big(reader, 3 + fraction_size);
    packed -= (int64_t)1 << (23 + fraction_size * 8);
    int64_t size = packed < 0 ? -packed : packed;
    int64_t whole = size >> fraction_size * 8;
    int64_t fraction = size & (((int64_t)1 << fraction_size * 8) - 1);
    int64_t micros = micros_of(whole >> 12 & 1023, whole >> 6 & 63, whole & 63, fraction * units[fraction_size]);
    out->kind = WEIR_MYSQL_DURATION;
    out->number = packed < 0 ? -micros : micros;
}

/* Decimal digits: HHMMSS and YYYYMMDDHHMMSS. */
static void take_old_time(weir_byte_reader *reader, weir_mysql_value *out)
{
    int64_t packed = (int64_t)(weir_take_number(reader, 3) << 40) >> 40;
    int64_t size = packed < 0 ? -packed : packed;
    int64_t micros = micros_of(size / 10000, size / 100 % 100, size % 100, 0);
    out->kind = WEIR_MYSQL_DURATION;
    out->number = packed < 0 ? -micros : micros;
}

static void take_old_datetime(weir_byte_reader *reader, weir_mysql_value *out)
{
    uint64_t packed = weir_take_u64(reader);
    uint64_t date = packed / 1000000;
    uint64_t time = packed % 1000000;
    if (date > 99999999) {
        weir_byte_reader_fail(reader);
        return;
    }
    set_clock((int64_t)(date / 10000), (int)(date / 100 % 100), (int)(date % 100),
              micros_of((int64_t)(time / 10000), (int64_t)(time / 100 % 100), (int64_t)(time % 100), 0), out);
}

static void take_old_timestamp(weir_byte_reader *reader, weir_mysql_value *out)
{
    int64_t seconds = weir_take_u32(reader);
    out->kind = seconds == 0 ? WEIR_MYSQL_NO_DATE : WEIR_MYSQL_INSTANT;
    out->number = seconds * MICROS_PER_SECOND;
}

/* ---- bytes ---- */

static void take_sized(weir_byte_reader *reader, size_t size_bytes, weir_mysql_kind kind, weir_mysql_value *out)
{
    if (size_bytes > 4) {
        weir_byte_reader_fail(reader);
        return;
    }
    out->kind = kind;
    out->bytes = weir_take_bytes(reader, (size_t)weir_take_number(reader, size_bytes));
}

static void take_counted(weir_byte_reader *reader, size_t size, weir_mysql_kind kind, weir_mysql_value *out)
{
    out->kind = kind;
    out->number = (int64_t)weir_take_number(reader, size <= 8 ? size : 8);
}

int weir_row_value_take(weir_byte_reader *reader, const weir_row_column *column, weir_buffer *scratch,
                        weir_mysql_value *out, weir_error *err)
{
    switch (column->type) {
    case WEIR_BINLOG_TINY:
        take_integer(reader, 1, column->is_unsigned, out);
        break;
    case WEIR_BINLOG_SHORT:
        take_integer(reader, 2, column->is_unsigned, out);
        break;
    case WEIR_BINLOG_INT24:
        take_integer(reader, 3, column->is_unsigned, out);
        break;
    case WEIR_BINLOG_LONG:
        take_integer(reader, 4, column->is_unsigned, out);
        break;
    case WEIR_BINLOG_LONGLONG:
        take_integer(reader, 8, column->is_unsigned, out);
        break;
    case WEIR_BINLOG_FLOAT:
        take_float(reader, out);
        break;
    case WEIR_BINLOG_DOUBLE:
        take_double(reader, out);
        break;
    case WEIR_BINLOG_DECIMAL:
        if (column->extra > WEIR_MAX_DECIMAL_PRECISION) {
            take_long_decimal(reader, column->extra, column->scale, scratch, out);
        } else {
            out->kind = WEIR_MYSQL_NUMERIC;
            out->scale = column->scale;
            weir_take_decimal(reader, column->extra, column->scale, &out->numeric);
        }
        break;
    case WEIR_BINLOG_YEAR: {
        uint8_t year = weir_take_u8(reader);
        out->kind = WEIR_MYSQL_SIGNED;
        out->number = year == 0 ? 0 : 1900 + year;
        break;
    }
    case WEIR_BINLOG_DATE:
        take_date(reader, out);
        break;
    case WEIR_BINLOG_TIME:
        take_old_time(reader, out);
        break;
    case WEIR_BINLOG_TIME2:
        take_time2(reader, column->extra, out);
        break;
    case WEIR_BINLOG_DATETIME:
        take_old_datetime(reader, out);
        break;
    case WEIR_BINLOG_DATETIME2:
        take_datetime2(reader, column->extra, out);
        break;
    case WEIR_BINLOG_TIMESTAMP:
        take_old_timestamp(reader, out);
        break;
    case WEIR_BINLOG_TIMESTAMP2:
        take_timestamp2(reader, column->extra, out);
        break;
    case WEIR_BINLOG_VARCHAR:
    case WEIR_BINLOG_STRING:
    case WEIR_BINLOG_VAR_STRING:
        take_sized(reader, column->extra > 255 ? 2 : 1, WEIR_MYSQL_BYTES, out);
        break;
    case WEIR_BINLOG_VARCHAR_COMPRESSED:
        take_sized(reader, column->extra > 255 ? 2 : 1, WEIR_MYSQL_PACKED, out);
        break;
    case WEIR_BINLOG_BLOB_COMPRESSED:
        take_sized(reader, column->extra, WEIR_MYSQL_PACKED, out);
        break;
    case WEIR_BINLOG_BLOB:
    case WEIR_BINLOG_GEOMETRY:
        take_sized(reader, column->extra, WEIR_MYSQL_BYTES, out);
        break;
    case WEIR_BINLOG_JSON:
        take_sized(reader, column->extra, WEIR_MYSQL_DOCUMENT, out);
        break;
    case WEIR_BINLOG_BIT:
        out->kind = WEIR_MYSQL_BITS;
        out->bytes = weir_take_bytes(reader, ((size_t)column->extra + 7) / 8);
        break;
    case WEIR_BINLOG_ENUM:
        take_counted(reader, column->extra, WEIR_MYSQL_LABEL, out);
        break;
    case WEIR_BINLOG_SET:
        take_counted(reader, column->extra, WEIR_MYSQL_LABELS, out);
        break;
    default:
        return weir_fail(err, WEIR_UNSUPPORTED, "values of type %u of the binlog are not read", column->type);
    }
    return WEIR_OK;
}

uint64_t weir_mysql_bits_number(weir_slice bytes)
{
    uint64_t number = 0;
    for (size_t i = 0; i < bytes.size && i < 8; i++) {
        number = number << 8 | bytes.data[i];
    }
    return number;
}

/* | mark: 1 | bytes as they are | or | mark and, in its low bits, n: 1 | unpacked size, big-endian: n | deflated bytes
 * |, with a bit that says that they have no frame. An empty text has no mark. */
int weir_mysql_value_unpack(weir_slice packed, weir_buffer *out, weir_error *err)
{
    enum { AS_IS = 0, DEFLATED = 8, WITHOUT_FRAME = 8, MOST_RATIO = 1100 };
    weir_byte_reader reader = weir_byte_reader_of(packed);
    uint8_t mark = packed.size == 0 ? AS_IS : weir_take_u8(&reader);
    uint64_t size = mark == AS_IS ? reader.left.size : weir_take_big(&reader, mark & 7);
    if (reader.failed || (mark != AS_IS && mark >> 4 != DEFLATED) || size / MOST_RATIO > packed.size) {
        return weir_fail(err, WEIR_CORRUPT, "a compressed value of %zu bytes is damaged", packed.size);
    }
    if (mark == AS_IS) {
        weir_buffer_append(out, reader.left.data, reader.left.size);
        return WEIR_OK;
    }
    weir_buffer_reserve(out, (size_t)size + 1);
    uint8_t *to = out->data + out->size;
    uLongf unpacked = (uLongf)size;
    if ((mark & WITHOUT_FRAME) != 0) {
        WEIR_TRY(weir_decompress(WEIR_COMPRESSION_DEFLATE, reader.left, to, (size_t)size, "a COMPRESSED column", err));
    } else if (uncompress(to, &unpacked, reader.left.data, (uLong)reader.left.size) != Z_OK || unpacked != size) {
        return weir_fail(err, WEIR_CORRUPT, "a compressed value of %zu bytes is damaged", packed.size);
    }
    out->size += (size_t)size;
    return WEIR_OK;
}

/* ---- text ---- */

/* Digits up to a mark, which is passed over. */
static bool take_part(weir_slice *text, char mark, int64_t *out)
{
    size_t i = 0;
    int64_t number = 0;
    while (i < text->size && text->data[i] >= '0' && text->data[i] <= '9' && i < 9) {
        number = number * 10 + (text->data[i++] - '0');
    }
    if (i == 0 || (i < text->size ? text->data[i] != (uint8_t)mark : mark != '\0')) {
        return false;
    }
    i += i < text->size;
    *text = weir_slice_of(text->data + i, text->size - i);
    *out = number;
    return true;
}

/* h:m:s[.fraction] as microseconds. */
static bool parse_micros(weir_slice text, int64_t *out)
{
    int64_t hours, minutes, seconds;
    int64_t micros = 0;
    bool has_fraction = memchr(text.data, '.', text.size) != NULL;
    if (!take_part(&text, ':', &hours) || !take_part(&text, ':', &minutes) ||
        !take_part(&text, has_fraction ? '.' : '\0', &seconds) || text.size > 6) {
        return false;
    }
    for (size_t i = 0; i < 6; i++) {
        micros = micros * 10 + (i < text.size ? text.data[i] - '0' : 0);
    }
    *out = micros_of(hours, minutes, seconds, micros);
    return true;
}

static bool parse_time(weir_slice text, weir_mysql_value *out)
{
    bool is_negative = text.size > 0 && text.data[0] == '-';
    if (text.size < 5 || !parse_micros(weir_slice_of(text.data + is_negative, text.size - is_negative), &out->number)) {
        return false;
    }
    out->kind = WEIR_MYSQL_DURATION;
    out->number = is_negative ? -out->number : out->number;
    return true;
}

static bool parse_clock(weir_slice text, bool is_date, weir_mysql_value *out)
{
    int64_t year, month, day;
    int64_t micros = 0;
    if (!take_part(&text, '-', &year) || !take_part(&text, '-', &month) ||
        !take_part(&text, is_date ? '\0' : ' ', &day) || (!is_date && !parse_micros(text, &micros))) {
        return false;
    }
    if (is_date) {
        set_date(year, (int)month, (int)day, out);
    } else {
        set_clock(year, (int)month, (int)day, micros, out);
    }
    return true;
}

static bool parse_integer(weir_slice text, bool is_unsigned, weir_mysql_value *out)
{
    weir_int128 number;
    if (!weir_decimal_parse(text, 20, 0, &number) || number > (weir_int128)UINT64_MAX || number < INT64_MIN) {
        return false;
    }
    out->kind = is_unsigned ? WEIR_MYSQL_UNSIGNED : WEIR_MYSQL_SIGNED;
    out->number = (int64_t)number;
    return is_unsigned ? number >= 0 : number <= INT64_MAX;
}

static bool parse_real(weir_slice text, weir_mysql_value *out)
{
    char copy[64];
    char *end;
    if (text.size == 0 || text.size >= sizeof copy) {
        return false;
    }
    memcpy(copy, text.data, text.size);
    copy[text.size] = '\0';
    out->kind = WEIR_MYSQL_REAL;
    out->real = strtod(copy, &end);
    return *end == '\0';
}

static int scale_of(weir_slice text)
{
    const uint8_t *point = text.size == 0 ? NULL : memchr(text.data, '.', text.size);
    return point == NULL ? 0 : (int)(text.data + text.size - point - 1);
}

bool weir_mysql_value_parse(weir_slice text, const weir_mysql_column *column, weir_mysql_value *out)
{
    int64_t plain;
    out->kind = WEIR_MYSQL_BYTES;
    switch (column->type) {
    case WEIR_MYSQL_TINYINT:
    case WEIR_MYSQL_SMALLINT:
    case WEIR_MYSQL_MEDIUMINT:
    case WEIR_MYSQL_INT:
    case WEIR_MYSQL_BIGINT:
        if (weir_parse_int64(text, &plain)) {
            out->kind = column->is_unsigned ? WEIR_MYSQL_UNSIGNED : WEIR_MYSQL_SIGNED;
            out->number = plain;
            return true;
        }
        return parse_integer(text, column->is_unsigned, out);
    case WEIR_MYSQL_YEAR:
        return parse_integer(text, false, out);
    case WEIR_MYSQL_FLOAT:
    case WEIR_MYSQL_DOUBLE:
        return parse_real(text, out);
    case WEIR_MYSQL_DECIMAL: {
        weir_int128 number;
        int scale = scale_of(text);
        if (scale <= WEIR_MAX_DECIMAL_PRECISION &&
            weir_decimal_parse(text, WEIR_MAX_DECIMAL_PRECISION, scale, &number)) {
            *out = (weir_mysql_value){.kind = WEIR_MYSQL_NUMERIC, .scale = scale, .numeric = number};
        } else {
            out->bytes = text;
        }
        return true;
    }
    case WEIR_MYSQL_DATE:
        return parse_clock(text, true, out);
    case WEIR_MYSQL_TIME:
        return parse_time(text, out);
    case WEIR_MYSQL_DATETIME:
        return parse_clock(text, false, out);
    case WEIR_MYSQL_TIMESTAMP: {
        bool parsed = parse_clock(text, false, out);
        out->kind = out->kind == WEIR_MYSQL_CLOCK ? WEIR_MYSQL_INSTANT : out->kind;
        return parsed;
    }
    case WEIR_MYSQL_BIT:
        out->kind = WEIR_MYSQL_BITS;
        out->bytes = text;
        return true;
    default:
        out->bytes = text;
        return true;
    }
}
