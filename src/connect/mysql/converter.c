/* One function a target type; what may become what is in `converter_for`. */
#include "connect/mysql/converter.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/text.h"
#include "connect/mysql/geometry.h"
#include "connect/mysql/json_text.h"
#include "vector/decimal.h"
#include "vector/time_text.h"

#define MICROS_PER_SECOND ((int64_t)1000000)

/* ---- text ---- */

static weir_timestamp_nanos timestamp_of(int64_t micros)
{
    return (weir_timestamp_nanos){.millis = weir_floor_div(micros, 1000),
                                  .nanos_of_milli = (int32_t)(weir_floor_mod(micros, 1000) * 1000)};
}

/* hh:mm:ss, hours beyond 23 and a sign as the server prints them. */
static void format_duration(int64_t micros, int digits, weir_buffer *out)
{
    int64_t size = micros < 0 ? -micros : micros;
    int64_t seconds = size / MICROS_PER_SECOND;
    weir_buffer_append_format(out, "%s%02" PRId64 ":%02" PRId64 ":%02" PRId64, micros < 0 ? "-" : "", seconds / 3600,
                              seconds / 60 % 60, seconds % 60);
    if (digits > 0) {
        char fraction[16];
        snprintf(fraction, sizeof fraction, "%06" PRId64, size % MICROS_PER_SECOND);
        weir_buffer_append_format(out, ".%.*s", digits, fraction);
    }
}

static int format_label(const weir_mysql_column *column, int64_t number, weir_buffer *out, weir_error *err)
{
    if (number == 0) {
        return WEIR_OK; /* the empty text of a value that was refused when it was written */
    }
    if (number > column->label_count) {
        return weir_fail(err, WEIR_CORRUPT, "value %" PRId64 " of an ENUM with %u labels", number, column->label_count);
    }
    weir_buffer_append_text(out, column->labels[number - 1]);
    return WEIR_OK;
}

static void format_labels(const weir_mysql_column *column, uint64_t bits, weir_buffer *out)
{
    size_t start = out->size;
    for (uint32_t i = 0; i < column->label_count && i < 64; i++) {
        if (bits >> i & 1) {
            weir_buffer_append_text(out, out->size == start ? "" : ",");
            weir_buffer_append_text(out, column->labels[i]);
        }
    }
}

static void format_hex(weir_slice bytes, weir_buffer *out)
{
    for (size_t i = 0; i < bytes.size; i++) {
        weir_buffer_append_format(out, "%02x", bytes.data[i]);
    }
}

/* MariaDB stores the parts of most UUIDs from the last to the first, so that those made one after the other are near
 * each other; not those of versions that are in order already, which their ninth byte tells. */
static void format_uuid(const uint8_t bytes[16], weir_buffer *out)
{
    static const uint8_t from_back[16] = {12, 13, 14, 15, 10, 11, 8, 9, 6, 7, 0, 1, 2, 3, 4, 5};
    bool is_in_order = bytes[8] >= 0x80;
    for (size_t i = 0; i < 16; i++) {
        weir_buffer_append_format(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                  bytes[is_in_order ? i : from_back[i]]);
    }
}

static void format_address(int family, const uint8_t bytes[16], weir_buffer *out)
{
    char text[INET6_ADDRSTRLEN];
    weir_buffer_append_text(out, inet_ntop(family, bytes, text, sizeof text));
}

/* Trailing zeros are not in the binlog. */
static void format_padded(weir_slice bytes, size_t size, weir_buffer *out)
{
    weir_buffer_append(out, bytes.data, bytes.size);
    if (bytes.size < size) {
        weir_buffer_append_zeros(out, size - bytes.size);
    }
}

static int format_bytes(weir_mysql_converter *converter, weir_slice bytes, weir_buffer *out, weir_error *err)
{
    const weir_mysql_column *column = converter->column;
    switch (column->type) {
    case WEIR_MYSQL_BINARY:
        format_padded(bytes, column->length, out);
        return WEIR_OK;
    case WEIR_MYSQL_GEOMETRY:
        return weir_mysql_geometry_format(bytes, out, err);
    case WEIR_MYSQL_JSON:
        if (!converter->conversion->json_has_blanks) {
            weir_mysql_json_compact(bytes, out);
            return WEIR_OK;
        }
        break;
    case WEIR_MYSQL_UUID:
    case WEIR_MYSQL_INET6:
    case WEIR_MYSQL_INET4:
        if (!converter->is_text && bytes.size <= 16) {
            uint8_t padded[16] = {0};
            if (bytes.size > 0) {
                memcpy(padded, bytes.data, bytes.size);
            }
            if (column->type == WEIR_MYSQL_UUID) {
                format_uuid(padded, out);
            } else {
                format_address(column->type == WEIR_MYSQL_INET4 ? AF_INET : AF_INET6, padded, out);
            }
            return WEIR_OK;
        }
        break;
    default:
        if (converter->charset != NULL) {
            weir_charset_convert(converter->charset, bytes, out);
            return WEIR_OK;
        }
        break;
    }
    weir_buffer_append(out, bytes.data, bytes.size);
    return WEIR_OK;
}

static int fraction_digits(const weir_mysql_column *column) { return column->length > 6 ? 6 : (int)column->length; }

/* 2024-05-00, and of DATETIME the time too. */
static void format_no_date(const weir_mysql_column *column, int64_t number, weir_buffer *out)
{
    int64_t day = number / WEIR_MYSQL_MICROS_PER_DAY;
    weir_buffer_append_format(out, "%04d-%02d-%02d", (int)(day / 10000), (int)(day / 100 % 100), (int)(day % 100));
    if (column->type != WEIR_MYSQL_DATE) {
        weir_buffer_append_byte(out, ' ');
        format_duration(number % WEIR_MYSQL_MICROS_PER_DAY, fraction_digits(column), out);
    }
}

int weir_mysql_converter_text(weir_mysql_converter *converter, const weir_mysql_value *value, weir_buffer *out,
                              weir_error *err)
{
    const weir_mysql_column *column = converter->column;
    switch (value->kind) {
    case WEIR_MYSQL_SIGNED:
        weir_buffer_append_format(out, "%" PRId64, value->number);
        break;
    case WEIR_MYSQL_UNSIGNED:
        weir_buffer_append_format(out, "%" PRIu64, (uint64_t)value->number);
        break;
    case WEIR_MYSQL_REAL:
        if (column->type == WEIR_MYSQL_FLOAT) {
            weir_format_float((float)value->real, out);
        } else {
            weir_format_double(value->real, out);
        }
        break;
    case WEIR_MYSQL_NUMERIC:
        weir_decimal_format(value->numeric, value->scale, out);
        break;
    case WEIR_MYSQL_BYTES:
        return format_bytes(converter, value->bytes, out, err);
    case WEIR_MYSQL_PACKED: {
        weir_buffer unpacked = {0};
        int code = weir_mysql_value_unpack(value->bytes, &unpacked, err);
        code = code == WEIR_OK ? format_bytes(converter, weir_buffer_slice(&unpacked), out, err) : code;
        weir_buffer_free(&unpacked);
        return code;
    }
    case WEIR_MYSQL_BITS:
        weir_buffer_append(out, value->bytes.data, value->bytes.size);
        break;
    case WEIR_MYSQL_DAYS:
        weir_date_format(value->number, out);
        break;
    case WEIR_MYSQL_DURATION:
        format_duration(value->number, fraction_digits(column), out);
        break;
    case WEIR_MYSQL_CLOCK:
    case WEIR_MYSQL_INSTANT:
        weir_timestamp_format(timestamp_of(value->number), fraction_digits(column), out);
        weir_buffer_append_text(out, value->kind == WEIR_MYSQL_INSTANT ? "Z" : "");
        break;
    case WEIR_MYSQL_NO_DATE:
        format_no_date(column, value->number, out);
        break;
    case WEIR_MYSQL_LABEL:
        return format_label(column, value->number, out, err);
    case WEIR_MYSQL_LABELS:
        format_labels(column, (uint64_t)value->number, out);
        break;
    case WEIR_MYSQL_DOCUMENT:
        return weir_mysql_json_format(value->bytes, converter->conversion->json_has_blanks, out, err);
    case WEIR_MYSQL_NULL:
        break;
    }
    return WEIR_OK;
}

/* ---- numbers ---- */

static int fail_fit(weir_mysql_converter *converter, const weir_mysql_value *value, weir_error *err)
{
    weir_buffer shown = {0};
    weir_buffer type = {0};
    int code = weir_mysql_converter_text(converter, value, &shown, err);
    if (code == WEIR_OK) {
        weir_type_format(converter->type, &type);
        code = (weir_fail)(err, WEIR_INVALID, "the value %.100s of a column %s does not fit %s",
                           weir_buffer_text(&shown), converter->column->definition, weir_buffer_text(&type));
    }
    weir_buffer_free(&shown);
    weir_buffer_free(&type);
    return code;
}

/* Any exact number, rescaled half up; false: it is none, or does not fit. */
static bool exact_number(weir_mysql_converter *converter, const weir_mysql_value *value, int precision, int scale,
                         weir_int128 *out)
{
    switch (value->kind) {
    case WEIR_MYSQL_SIGNED:
    case WEIR_MYSQL_UNSIGNED:
    case WEIR_MYSQL_BITS:
    case WEIR_MYSQL_NUMERIC: {
        weir_int128 number = value->kind == WEIR_MYSQL_SIGNED     ? value->number
                             : value->kind == WEIR_MYSQL_UNSIGNED ? (weir_int128)(uint64_t)value->number
                             : value->kind == WEIR_MYSQL_BITS     ? (weir_int128)weir_mysql_bits_number(value->bytes)
                                                                  : value->numeric;
        int from = value->kind == WEIR_MYSQL_NUMERIC ? value->scale : 0;
        if (from > scale) {
            weir_int128 unit = weir_power_of_ten(from - scale);
            weir_int128 rest = number % unit;
            number = number / unit + (rest * 2 >= unit) - (rest * -2 >= unit);
        } else if (from < scale) {
            if (!weir_decimal_fits(number, WEIR_MAX_DECIMAL_PRECISION - (scale - from))) {
                return false;
            }
            number *= weir_power_of_ten(scale - from);
        }
        *out = number;
        return weir_decimal_fits(number, precision);
    }
    default:
        weir_buffer_clear(&converter->text);
        return weir_mysql_converter_text(converter, value, &converter->text, NULL) == WEIR_OK &&
               weir_decimal_parse(weir_buffer_slice(&converter->text), precision, scale, out);
    }
}

static int append_integer(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                          weir_error *err)
{
    weir_int128 wide;
    int64_t number = value->number;
    size_t width = weir_layout_width(out->layout);
    int unused = 64 - (int)width * 8;
    if (value->kind != WEIR_MYSQL_SIGNED) {
        bool has_fraction = value->kind == WEIR_MYSQL_NUMERIC && value->numeric % weir_power_of_ten(value->scale) != 0;
        if (has_fraction || !exact_number(converter, value, 20, 0, &wide) || wide > INT64_MAX || wide < INT64_MIN) {
            return fail_fit(converter, value, err);
        }
        number = (int64_t)wide;
    }
    if ((int64_t)((uint64_t)number << unused) >> unused != number) {
        return fail_fit(converter, value, err);
    }
    return weir_vector_append_raw(out, &number, width, err); /* little-endian */
}

/* As Flink CDC: of numbers only 1 is true, of texts only "true". */
static int append_boolean(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                          weir_error *err)
{
    uint8_t bit;
    if (value->kind == WEIR_MYSQL_BITS) {
        bit = weir_mysql_bits_number(value->bytes) != 0;
    } else if (value->kind == WEIR_MYSQL_SIGNED || value->kind == WEIR_MYSQL_UNSIGNED) {
        bit = value->number == 1;
    } else {
        weir_buffer_clear(&converter->text);
        WEIR_TRY(weir_mysql_converter_text(converter, value, &converter->text, err));
        bit = weir_text_equal_ignore_case(weir_buffer_text(&converter->text), "true");
    }
    return weir_vector_append_raw(out, &bit, 1, err);
}

static bool real_number(weir_mysql_converter *converter, const weir_mysql_value *value, double *out)
{
    char *end;
    switch (value->kind) {
    case WEIR_MYSQL_REAL:
        *out = value->real;
        return true;
    case WEIR_MYSQL_SIGNED:
        *out = (double)value->number;
        return true;
    case WEIR_MYSQL_UNSIGNED:
        *out = (double)(uint64_t)value->number;
        return true;
    default:
        weir_buffer_clear(&converter->text);
        if (weir_mysql_converter_text(converter, value, &converter->text, NULL) != WEIR_OK ||
            converter->text.size == 0) {
            return false;
        }
        *out = strtod(weir_buffer_text(&converter->text), &end);
        return *end == '\0';
    }
}

static int append_real(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                       weir_error *err)
{
    double number;
    if (!real_number(converter, value, &number)) {
        return fail_fit(converter, value, err);
    }
    float single = (float)number;
    return converter->type->id == WEIR_FLOAT ? weir_vector_append_raw(out, &single, sizeof single, err)
                                             : weir_vector_append_raw(out, &number, sizeof number, err);
}

static int append_decimal(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                          weir_error *err)
{
    weir_int128 number;
    if (!exact_number(converter, value, converter->type->precision, converter->type->scale, &number)) {
        return fail_fit(converter, value, err);
    }
    int64_t narrow = (int64_t)number;
    return out->layout == WEIR_LAYOUT_64 ? weir_vector_append_raw(out, &narrow, sizeof narrow, err)
                                         : weir_vector_append_raw(out, &number, sizeof number, err);
}

/* ---- times ---- */

static int append_date(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                       weir_error *err)
{
    (void)converter;
    int32_t days = value->kind == WEIR_MYSQL_NO_DATE ? 0 : (int32_t)value->number;
    return weir_vector_append_raw(out, &days, sizeof days, err);
}

static int append_time(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                       weir_error *err)
{
    int32_t millis = (int32_t)(value->number / 1000);
    if (value->number < 0 || value->number >= (int64_t)WEIR_MILLIS_PER_DAY * 1000) {
        return fail_fit(converter, value, err);
    }
    return weir_vector_append_raw(out, &millis, sizeof millis, err);
}

static int append_micros(const weir_type *type, int64_t micros, weir_vector *out, weir_error *err)
{
    int64_t narrow = 0;
    weir_timestamp_nanos value = timestamp_of(micros);
    if (out->layout == WEIR_LAYOUT_128) {
        return weir_vector_append_raw(out, &value, sizeof value, err);
    }
    (void)weir_timestamp_narrow(value, type->precision, &narrow); /* years up to 9999 fit */
    return weir_vector_append_raw(out, &narrow, sizeof narrow, err);
}

static int append_instant(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                          weir_error *err)
{
    return append_micros(converter->type, value->kind == WEIR_MYSQL_NO_DATE ? 0 : value->number, out, err);
}

/* What the server's clock showed. */
static int append_timestamp(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                            weir_error *err)
{
    int64_t micros = value->kind == WEIR_MYSQL_NO_DATE ? 0 : value->number;
    const weir_zone *zone = converter->conversion->zone;
    if (value->kind == WEIR_MYSQL_INSTANT) {
        int64_t seconds = weir_floor_div(micros, MICROS_PER_SECOND);
        int64_t local = zone != NULL ? seconds + weir_zone_offset(zone, seconds) : weir_local_ms(seconds * 1000) / 1000;
        micros += (local - seconds) * MICROS_PER_SECOND;
    }
    return append_micros(converter->type, micros, out, err);
}

/* ---- texts and bytes ---- */

static bool is_binary(const weir_mysql_column *column)
{
    return column->type == WEIR_MYSQL_BINARY || column->type == WEIR_MYSQL_VARBINARY ||
           column->type == WEIR_MYSQL_BLOB || column->type == WEIR_MYSQL_BIT;
}

static int append_text(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                       weir_error *err)
{
    bool is_plain = value->kind == WEIR_MYSQL_BYTES && converter->charset == NULL &&
                    weir_mysql_type_is_text(converter->column->type);
    if (is_plain) {
        return weir_vector_append_raw(out, value->bytes.data, value->bytes.size, err);
    }
    weir_buffer_clear(&converter->text);
    WEIR_TRY(weir_mysql_converter_text(converter, value, &converter->text, err));
    return weir_vector_append_raw(out, converter->text.data, converter->text.size, err);
}

static int append_binary_text(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                              weir_error *err)
{
    weir_buffer bytes = {0};
    int code = weir_mysql_converter_text(converter, value, &bytes, err);
    if (code == WEIR_OK) {
        weir_buffer_clear(&converter->text);
        if (converter->conversion->binary_mode == WEIR_MYSQL_BINARY_AS_HEX) {
            format_hex(weir_buffer_slice(&bytes), &converter->text);
        } else {
            weir_mysql_base64_append(weir_buffer_slice(&bytes), &converter->text);
        }
        code = weir_vector_append_raw(out, converter->text.data, converter->text.size, err);
    }
    weir_buffer_free(&bytes);
    return code;
}

/* BIT(n) in bytes of which the first holds the lowest bits. */
static int append_bits(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                       weir_error *err)
{
    uint8_t bytes[8];
    size_t size = value->bytes.size;
    (void)converter;
    if (size > sizeof bytes) {
        return weir_fail(err, WEIR_CORRUPT, "a BIT value of %zu bytes", size);
    }
    for (size_t i = 0; i < size; i++) {
        bytes[i] = value->bytes.data[size - 1 - i];
    }
    return weir_vector_append_raw(out, bytes, size, err);
}

/* The labels of a SET; of an empty one a single empty text, as Java splits it. */
static int append_set(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out, weir_error *err)
{
    weir_buffer_clear(&converter->text);
    WEIR_TRY(weir_mysql_converter_text(converter, value, &converter->text, err));
    weir_slice left = weir_buffer_slice(&converter->text);
    for (;;) {
        const uint8_t *comma = left.size == 0 ? NULL : memchr(left.data, ',', left.size);
        size_t size = comma == NULL ? left.size : (size_t)(comma - left.data);
        WEIR_TRY(
            weir_vector_append_raw(&out->children[0], left.size == 0 ? (const uint8_t *)"" : left.data, size, err));
        if (comma == NULL) {
            return weir_vector_append_list(out, err);
        }
        left = weir_slice_of(comma + 1, left.size - size - 1);
    }
}

/* ---- which for what ---- */

static bool is_number(weir_mysql_type type) { return type <= WEIR_MYSQL_DECIMAL || type == WEIR_MYSQL_YEAR; }

static weir_mysql_append_function *converter_for(const weir_mysql_conversion *conversion,
                                                 const weir_mysql_column *column, const weir_type *type)
{
    bool is_text = weir_mysql_type_is_text(column->type) || column->type == WEIR_MYSQL_ENUM;
    bool is_exact = is_number(column->type) && column->type != WEIR_MYSQL_FLOAT && column->type != WEIR_MYSQL_DOUBLE;
    switch (type->id) {
    case WEIR_BOOLEAN:
        return is_exact || is_text || column->type == WEIR_MYSQL_BIT ? append_boolean : NULL;
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
        return is_exact || is_text || column->type == WEIR_MYSQL_BIT ? append_integer : NULL;
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return is_number(column->type) || is_text ? append_real : NULL;
    case WEIR_DECIMAL:
        return is_number(column->type) || is_text || column->type == WEIR_MYSQL_BIT ? append_decimal : NULL;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return !is_binary(column)                                      ? append_text
               : conversion->binary_mode == WEIR_MYSQL_BINARY_AS_BYTES ? NULL
                                                                       : append_binary_text;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
        return column->type == WEIR_MYSQL_BIT                                               ? append_bits
               : is_binary(column) && conversion->binary_mode != WEIR_MYSQL_BINARY_AS_BYTES ? append_binary_text
               : is_binary(column) || is_text || column->type == WEIR_MYSQL_JSON            ? append_text
                                                                                            : NULL;
    case WEIR_DATE:
        return column->type == WEIR_MYSQL_DATE ? append_date : NULL;
    case WEIR_TIME:
        return column->type == WEIR_MYSQL_TIME ? append_time : NULL;
    case WEIR_TIMESTAMP:
        return column->type == WEIR_MYSQL_DATETIME || column->type == WEIR_MYSQL_TIMESTAMP ? append_timestamp : NULL;
    case WEIR_TIMESTAMP_LTZ:
        return column->type == WEIR_MYSQL_TIMESTAMP ? append_instant : NULL;
    case WEIR_ARRAY:
        return column->type == WEIR_MYSQL_SET && weir_type_is_text(type->element) ? append_set : NULL;
    default:
        return NULL;
    }
}

/* The type that Flink CDC maps a column to. */
static const char *fitting_type(const weir_mysql_column *column)
{
    switch (column->type) {
    case WEIR_MYSQL_TINYINT:
        return column->is_boolean ? "BOOLEAN or TINYINT" : column->is_unsigned ? "SMALLINT" : "TINYINT";
    case WEIR_MYSQL_SMALLINT:
        return column->is_unsigned ? "INT" : "SMALLINT";
    case WEIR_MYSQL_MEDIUMINT:
    case WEIR_MYSQL_INT:
        return column->is_unsigned ? "BIGINT" : "INT";
    case WEIR_MYSQL_BIGINT:
        return column->is_unsigned ? "DECIMAL(20, 0)" : "BIGINT";
    case WEIR_MYSQL_FLOAT:
        return "FLOAT";
    case WEIR_MYSQL_DOUBLE:
        return "DOUBLE";
    case WEIR_MYSQL_DECIMAL:
        return "DECIMAL of the same precision and scale, or STRING beyond 38 digits";
    case WEIR_MYSQL_BIT:
        return column->length == 1 ? "BOOLEAN" : "BYTES";
    case WEIR_MYSQL_YEAR:
        return "INT";
    case WEIR_MYSQL_DATE:
        return "DATE";
    case WEIR_MYSQL_TIME:
        return "TIME";
    case WEIR_MYSQL_DATETIME:
        return "TIMESTAMP";
    case WEIR_MYSQL_TIMESTAMP:
        return "TIMESTAMP or TIMESTAMP_LTZ";
    case WEIR_MYSQL_BINARY:
    case WEIR_MYSQL_VARBINARY:
    case WEIR_MYSQL_BLOB:
        return "BYTES (or STRING with 'debezium.binary.handling.mode' = 'base64' or 'hex')";
    case WEIR_MYSQL_SET:
        return "ARRAY<STRING> or STRING";
    default:
        return "STRING";
    }
}

static int fail_pair(const weir_mysql_column *column, const weir_type *type, weir_error *err)
{
    weir_buffer text = {0};
    weir_type_format(type, &text);
    int code = weir_fail(err, WEIR_INVALID, "a column %s cannot be read as %s; declare it as %s", column->definition,
                         weir_buffer_text(&text), fitting_type(column));
    weir_buffer_free(&text);
    return code;
}

int weir_mysql_converter_init(weir_mysql_converter *converter, const weir_mysql_conversion *conversion,
                              const weir_mysql_column *column, const weir_type *type, bool is_text, weir_error *err)
{
    *converter = (weir_mysql_converter){.conversion = conversion, .column = column, .type = type, .is_text = is_text};
    if (column->type == WEIR_MYSQL_OTHER) {
        return weir_fail(err, WEIR_UNSUPPORTED, "columns of type %s are not read by this version", column->definition);
    }
    if (type != NULL) {
        converter->append = converter_for(conversion, column, type);
        if (converter->append == NULL) {
            return fail_pair(column, type, err);
        }
    }
    if (!is_text && weir_mysql_type_is_text(column->type) && column->charset != NULL) {
        return weir_charset_open(column->charset, &converter->charset, err);
    }
    return WEIR_OK;
}

void weir_mysql_converter_free(weir_mysql_converter *converter)
{
    weir_charset_close(converter->charset);
    weir_buffer_free(&converter->text);
}
