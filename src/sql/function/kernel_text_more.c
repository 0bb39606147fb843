/* More functions over text: TRANSLATE, ELT and PRINTF. */
#include <math.h>
#include <stdlib.h>

#include "sql/function/code_points.h"
#include "sql/function/kernels.h"
#include "vector/java_text.h"

/* The place of a code point within a set, in code points; -1: it isn't there. */
static int64_t place_in(weir_slice set, weir_slice text, size_t offset, size_t width)
{
    int64_t place = 0;
    for (size_t i = 0; i < set.size; i += weir_width_at(set, i), place++) {
        if (weir_width_at(set, i) == width && memcmp(set.data + i, text.data + offset, width) == 0) {
            return place;
        }
    }
    return -1;
}

/* TRANSLATE(text, from, to): characters without a counterpart are left out. */
static int translate(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    weir_slice from = weir_kernel_text(call, 1, row);
    weir_slice to = weir_kernel_text(call, 2, row);
    size_t width;
    for (size_t i = 0; i < text.size; i += width) {
        width = weir_width_at(text, i);
        int64_t place = place_in(from, text, i, width);
        weir_slice by = place < 0 ? weir_slice_of(text.data + i, width) : weir_code_points(to, place, 1);
        weir_buffer_append(&call->scratch, by.data, by.size);
    }
    return weir_kernel_put_scratch(call, row);
}

/* ELT(index, text, …): NULL outside. */
static int elt(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    if (weir_kernel_is_null(call, 0, row)) {
        return weir_kernel_put_null(call, row);
    }
    int64_t index = weir_kernel_integer(call, 0, row);
    if (index < 1 || index >= call->argument_count || weir_kernel_is_null(call, (int32_t)index, row)) {
        return weir_kernel_put_null(call, row);
    }
    return weir_kernel_put_text(call, row, weir_kernel_text(call, (int32_t)index, row));
}

const weir_kernel weir_kernel_translate = {.name = "translate", .row = translate};
const weir_kernel weir_kernel_elt = {.name = "elt", .row = elt, .sees_nulls = true};

/* --- PRINTF ---------------------------------------------------------------------------------------------------- */

/* %[index$][flags][width][.precision]conversion of java.util.Formatter. */
typedef struct specifier {
    int64_t index; /* from 1; 0: the next argument */
    bool left, plus, space, zero, comma, parenthesis, alternative, upper;
    int64_t width;     /* -1: none */
    int64_t precision; /* -1: none */
    char conversion;
} specifier;

enum { widest_field = 1 << 20, most_digits = 400 };

static const char *read_number(const char *at, const char *end, int64_t *out)
{
    *out = 0;
    while (at < end && *at >= '0' && *at <= '9' && *out < INT32_MAX / 10) {
        *out = *out * 10 + (*at++ - '0');
    }
    return at;
}

/* Reads what stands behind a %; NULL when it is none. */
static const char *read_specifier(const char *at, const char *end, specifier *out)
{
    *out = (specifier){.width = -1, .precision = -1};
    int64_t number;
    const char *behind = read_number(at, end, &number);
    if (behind > at && behind < end && *behind == '$') {
        out->index = number;
        at = behind + 1;
    }
    for (; at < end && strchr("-+ 0,(#", *at) != NULL; at++) {
        out->left = out->left || *at == '-';
        out->plus = out->plus || *at == '+';
        out->space = out->space || *at == ' ';
        out->zero = out->zero || *at == '0';
        out->comma = out->comma || *at == ',';
        out->parenthesis = out->parenthesis || *at == '(';
        out->alternative = out->alternative || *at == '#';
    }
    behind = read_number(at, end, &number);
    out->width = behind > at ? number : -1;
    at = behind;
    if (at < end && *at == '.') {
        behind = read_number(at + 1, end, &number);
        if (behind == at + 1) {
            return NULL;
        }
        out->precision = number;
        at = behind;
    }
    if (at == end || out->width > widest_field || out->precision > widest_field) {
        return NULL;
    }
    out->upper = *at >= 'A' && *at <= 'Z';
    out->conversion = (char)(*at | 0x20);
    return at + 1;
}

static void append_padded(const specifier *spec, weir_slice text, weir_buffer *out)
{
    int64_t missing = spec->width - (int64_t)weir_utf8_length(text);
    for (int64_t i = 0; i < missing && !spec->left; i++) {
        weir_buffer_append_byte(out, ' ');
    }
    for (size_t i = 0; i < text.size; i++) {
        uint8_t c = text.data[i];
        weir_buffer_append_byte(out, spec->upper && c >= 'a' && c <= 'z' ? c & 0xDFu : c);
    }
    for (int64_t i = 0; i < missing && spec->left; i++) {
        weir_buffer_append_byte(out, ' ');
    }
}

/* Sign, grouping and zeros around the digits of a number, which may have a fraction. */
static void append_number(const specifier *spec, bool negative, const char *digits, weir_buffer *out)
{
    const char *before = negative ? (spec->parenthesis ? "(" : "-") : spec->plus ? "+" : spec->space ? " " : "";
    const char *after = negative && spec->parenthesis ? ")" : "";
    size_t whole = strspn(digits, "0123456789");
    weir_buffer text = {0};
    for (size_t i = 0; digits[i] != '\0'; i++) {
        if (spec->comma && i > 0 && i < whole && (whole - i) % 3 == 0) {
            weir_buffer_append_byte(&text, ',');
        }
        weir_buffer_append_byte(&text, (uint8_t)digits[i]);
    }
    weir_buffer full = {0};
    weir_buffer_append_text(&full, before);
    int64_t zeros = spec->zero ? spec->width - (int64_t)(strlen(before) + text.size + strlen(after)) : 0;
    for (int64_t i = 0; i < zeros; i++) {
        weir_buffer_append_byte(&full, '0');
    }
    weir_buffer_append(&full, text.data, text.size);
    weir_buffer_append_text(&full, after);
    append_padded(spec, weir_buffer_slice(&full), out);
    weir_buffer_free(&text);
    weir_buffer_free(&full);
}

static bool print_integer(const specifier *spec, weir_kernel_call *call, int32_t argument, int64_t row)
{
    if (!weir_type_is_integer(call->types[argument])) {
        return false;
    }
    int64_t value = weir_kernel_integer(call, argument, row);
    char digits[32];
    if (spec->conversion == 'd') {
        uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
        snprintf(digits, sizeof digits, "%" PRIu64, magnitude);
        append_number(spec, value < 0, digits, &call->scratch);
        return true;
    }
    static const uint64_t masks[] = {0xFF, 0xFFFF, 0xFFFFFFFF, UINT64_MAX};
    uint64_t bits = (uint64_t)value & masks[call->types[argument]->id - WEIR_TINYINT];
    snprintf(digits, sizeof digits, spec->conversion == 'x' ? "%s%" PRIx64 : "%s%" PRIo64,
             !spec->alternative        ? ""
             : spec->conversion == 'x' ? "0x"
                                       : "0",
             bits);
    specifier plain = *spec;
    plain.comma = false;
    append_number(&plain, false, digits, &call->scratch);
    return true;
}

static bool print_real(const specifier *spec, weir_kernel_call *call, int32_t argument, int64_t row)
{
    const weir_type *type = call->types[argument];
    double value;
    if (type->id == WEIR_DECIMAL) {
        weir_buffer text = {0};
        weir_decimal_format(weir_kernel_decimal(call, argument, row), type->scale, &text);
        value = strtod(weir_buffer_text(&text), NULL);
        weir_buffer_free(&text);
    } else if (weir_type_is_approximate(type)) {
        value = weir_kernel_double(call, argument, row);
    } else {
        return false;
    }
    if (!isfinite(value)) {
        const char *word = isnan(value)        ? "NaN"
                           : value > 0         ? "Infinity"
                           : spec->parenthesis ? "(Infinity)"
                                               : "-Infinity";
        append_padded(spec, weir_slice_text(word), &call->scratch);
        return true;
    }
    char digits[most_digits + 400];
    int precision = spec->precision < 0 ? 6 : spec->precision > most_digits ? most_digits : (int)spec->precision;
    if (spec->conversion == 'f') {
        snprintf(digits, sizeof digits, "%.*f", precision, fabs(value));
    } else if (spec->conversion == 'e') {
        snprintf(digits, sizeof digits, "%.*e", precision, fabs(value));
    } else {
        return false;
    }
    append_number(spec, signbit(value) != 0, digits, &call->scratch);
    return true;
}

/* %s of any argument: numbers and truth values as Java prints them. */
static bool print_text(const specifier *spec, weir_kernel_call *call, int32_t argument, int64_t row)
{
    const weir_type *type = call->types[argument];
    weir_buffer text = {0};
    if (weir_kernel_is_null(call, argument, row)) {
        weir_buffer_append_text(&text, "null");
    } else if (weir_type_is_text(type)) {
        weir_slice value = weir_kernel_text(call, argument, row);
        weir_buffer_append(&text, value.data, value.size);
    } else if (type->id == WEIR_BOOLEAN) {
        weir_buffer_append_text(&text, weir_kernel_boolean(call, argument, row) ? "true" : "false");
    } else if (type->id == WEIR_DOUBLE) {
        weir_format_double(weir_kernel_double(call, argument, row), &text);
    } else if (type->id == WEIR_FLOAT) {
        weir_format_float((float)weir_kernel_double(call, argument, row), &text);
    } else {
        weir_decimal_format(weir_kernel_decimal(call, argument, row), type->id == WEIR_DECIMAL ? type->scale : 0,
                            &text);
    }
    if (spec->precision >= 0) {
        text.size = weir_utf8_prefix(weir_buffer_slice(&text), (size_t)spec->precision);
    }
    append_padded(spec, weir_buffer_slice(&text), &call->scratch);
    weir_buffer_free(&text);
    return true;
}

static bool print_argument(const specifier *spec, weir_kernel_call *call, int32_t argument, int64_t row)
{
    bool null = weir_kernel_is_null(call, argument, row);
    specifier plain = *spec;
    switch (spec->conversion) {
    case 's':
        return print_text(spec, call, argument, row);
    case 'b':
        plain.precision = spec->precision;
        if (call->types[argument]->id != WEIR_BOOLEAN || null) {
            append_padded(&plain, weir_slice_text(null ? "false" : "true"), &call->scratch);
            return true;
        }
        return print_text(&plain, call, argument, row);
    case 'd':
    case 'x':
    case 'o':
        return null ? print_text(spec, call, argument, row) : print_integer(spec, call, argument, row);
    case 'f':
    case 'e':
        return null ? print_text(spec, call, argument, row) : print_real(spec, call, argument, row);
    default:
        return false;
    }
}

/* PRINTF(format, …): NULL when the format is NULL, or does not go with the arguments. */
static int printf_row(weir_kernel_call *call, int64_t row, weir_error *err)
{
    if (weir_kernel_is_null(call, 0, row)) {
        return weir_kernel_put_null(call, row);
    }
    weir_slice format = weir_kernel_text(call, 0, row);
    const char *at = (const char *)format.data;
    const char *end = at + format.size;
    int64_t next = 1;
    while (at < end) {
        if (*at != '%') {
            weir_buffer_append_byte(&call->scratch, (uint8_t)*at++);
            continue;
        }
        specifier spec;
        at = read_specifier(at + 1, end, &spec);
        bool literal = at != NULL && (spec.conversion == 'n' || at[-1] == '%');
        int64_t argument = spec.index > 0 || literal ? spec.index : next++;
        if (at != NULL && spec.width > 0) {
            WEIR_TRY(weir_kernel_charge(call, (size_t)spec.width, err));
        }
        if (literal) {
            append_padded(&spec, weir_slice_text(at[-1] == '%' ? "%" : "\n"), &call->scratch);
        } else if (at == NULL || argument >= call->argument_count ||
                   !print_argument(&spec, call, (int32_t)argument, row)) {
            weir_buffer_clear(&call->scratch);
            return weir_kernel_put_null(call, row);
        }
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_printf = {.name = "printf", .row = printf_row, .sees_nulls = true};
