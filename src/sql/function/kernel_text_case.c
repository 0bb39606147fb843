/* Upper and lower case as Java has them, and what kinds of characters a text consists of. Classes of characters are the
 * C library's for UTF-8. */
#include <locale.h>
#include <pthread.h>
#include <wctype.h>

#include "sql/function/code_points.h"
#include "sql/function/kernels.h"

void weir_append_code_point(weir_buffer *out, uint32_t code)
{
    if (code < 0x80) {
        weir_buffer_append_byte(out, (uint8_t)code);
    } else if (code < 0x800) {
        weir_buffer_append_byte(out, (uint8_t)(0xC0 | code >> 6));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else if (code < 0x10000) {
        weir_buffer_append_byte(out, (uint8_t)(0xE0 | code >> 12));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    } else {
        weir_buffer_append_byte(out, (uint8_t)(0xF0 | code >> 18));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 12 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code >> 6 & 0x3F)));
        weir_buffer_append_byte(out, (uint8_t)(0x80 | (code & 0x3F)));
    }
}

/* --- Upper and lower case -------------------------------------------------------------------------------------- */

static locale_t utf8_locale;

static void open_locale(void) { utf8_locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

static locale_t case_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_locale);
    return utf8_locale;
}

static uint32_t to_upper(uint32_t code)
{
    if (code < 0x80) {
        return code >= 'a' && code <= 'z' ? code - 32 : code;
    }
    return case_locale() == (locale_t)0 ? code : (uint32_t)towupper_l((wint_t)code, case_locale());
}

static uint32_t to_lower(uint32_t code)
{
    if (code < 0x80) {
        return code >= 'A' && code <= 'Z' ? code + 32 : code;
    }
    return case_locale() == (locale_t)0 ? code : (uint32_t)towlower_l((wint_t)code, case_locale());
}

/* Upper case that is longer than one code point, as in Unicode's SpecialCasing. */
static const struct {
    uint32_t code;
    const char *upper;
} long_upper[] = {
    {0xDF, "SS"},    {0x149, "\xCA\xBCN"}, {0x1F0, "J\xCC\x8C"}, {0x587, "\xD4\xB5\xD5\x92"},
    {0xFB00, "FF"},  {0xFB01, "FI"},       {0xFB02, "FL"},       {0xFB03, "FFI"},
    {0xFB04, "FFL"}, {0xFB05, "ST"},       {0xFB06, "ST"},
};

static bool is_ascii(weir_slice text)
{
    uint8_t all = 0;
    for (size_t i = 0; i < text.size; i++) {
        all |= text.data[i];
    }
    return all < 0x80;
}

/* ASCII letters from `first` on (26 of them) change their case. */
static int put_ascii(weir_kernel_call *call, int64_t row, weir_slice text, uint8_t first)
{
    weir_buffer *out = &call->scratch;
    weir_buffer_reserve(out, text.size + 1);
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        out->data[i] = byte ^ (uint8_t)((uint8_t)(byte - first) < 26 ? 0x20 : 0);
    }
    out->size = text.size;
    return weir_kernel_put_scratch(call, row);
}

static int upper(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    if (is_ascii(text)) {
        return put_ascii(call, row, text, 'a');
    }
    size_t width;
    for (size_t i = 0; i < text.size; i += width) {
        uint32_t code = weir_decode_at(text, i, &width);
        const char *longer = NULL;
        for (size_t j = 0; code >= 0x80 && j < sizeof long_upper / sizeof long_upper[0]; j++) {
            longer = long_upper[j].code == code ? long_upper[j].upper : longer;
        }
        if (longer != NULL) {
            weir_buffer_append_text(&call->scratch, longer);
        } else {
            weir_append_code_point(&call->scratch, to_upper(code));
        }
    }
    return weir_kernel_put_scratch(call, row);
}

static bool is_letter(uint32_t code)
{
    return code < 0x80 ? (code | 0x20) >= 'a' && (code | 0x20) <= 'z'
                       : case_locale() != (locale_t)0 && iswalpha_l((wint_t)code, case_locale()) != 0;
}

static int lower(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    if (is_ascii(text)) {
        return put_ascii(call, row, text, 'A');
    }
    size_t width;
    bool after_letter = false;
    for (size_t i = 0; i < text.size; i += width) {
        uint32_t code = weir_decode_at(text, i, &width);
        size_t next_width;
        bool before_letter = i + width < text.size && is_letter(weir_decode_at(text, i + width, &next_width));
        if (code == 0x130) { /* I with a dot keeps its dot */
            weir_buffer_append_text(&call->scratch, "i\xCC\x87");
        } else if (code == 0x3A3 && after_letter && !before_letter) { /* sigma at the end of a word */
            weir_append_code_point(&call->scratch, 0x3C2);
        } else {
            weir_append_code_point(&call->scratch, to_lower(code));
        }
        after_letter = is_letter(code);
    }
    return weir_kernel_put_scratch(call, row);
}

/* Only ASCII letters change, and only they and digits make words. */
static int initcap(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    weir_slice text = weir_kernel_text(call, 0, row);
    bool in_word = false;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        bool letter = (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z';
        if (letter) {
            byte = in_word ? byte | 0x20 : byte & (uint8_t)~0x20;
        }
        in_word = letter || (byte >= '0' && byte <= '9');
        weir_buffer_append_byte(&call->scratch, byte);
    }
    return weir_kernel_put_scratch(call, row);
}

const weir_kernel weir_kernel_upper = {.name = "upper", .row = upper};
const weir_kernel weir_kernel_lower = {.name = "lower", .row = lower};
const weir_kernel weir_kernel_initcap = {.name = "initcap", .row = initcap};

/* --- What text consists of ------------------------------------------------------------------------------------- */

static int put_all(weir_kernel_call *call, int64_t row, bool (*test)(uint32_t code))
{
    bool all = !weir_kernel_is_null(call, 0, row);
    weir_slice text = all ? weir_kernel_text(call, 0, row) : weir_slice_of(NULL, 0);
    all = all && text.size > 0;
    size_t width;
    for (size_t i = 0; i < text.size && all; i += width) {
        all = test(weir_decode_at(text, i, &width));
    }
    return weir_kernel_put_boolean(call, row, all);
}

/* Java's Character.isDigit: the decimal digits of any script (blocks of ten). */
static bool is_digit(uint32_t code)
{
    static const uint32_t zeros[] = {0x30,  0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66,  0xAE6,  0xB66,  0xBE6,
                                     0xC66, 0xCE6, 0xD66, 0xE50, 0xED0, 0xF20, 0x1040, 0x17E0, 0x1810, 0xFF10};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++) {
        if (code >= zeros[i] && code < zeros[i] + 10) {
            return true;
        }
    }
    return false;
}

static int is_alpha(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_all(call, row, is_letter);
}

static int is_digits(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    return put_all(call, row, is_digit);
}

static int is_decimal(weir_kernel_call *call, int64_t row, weir_error *err)
{
    (void)err;
    bool number = false;
    if (!weir_kernel_is_null(call, 0, row)) {
        weir_slice text = weir_kernel_text(call, 0, row);
        size_t i = text.size > 0 && (text.data[0] == '-' || text.data[0] == '+');
        size_t digits = 0;
        bool point = false;
        for (; i < text.size; i++) {
            if (text.data[i] == '.' && !point) {
                point = true;
            } else if (text.data[i] >= '0' && text.data[i] <= '9') {
                digits++;
            } else {
                break;
            }
        }
        if (digits > 0 && i + 1 < text.size && (text.data[i] | 0x20) == 'e') {
            i += 1 + (text.data[i + 1] == '-' || text.data[i + 1] == '+');
            digits = 0;
            while (i < text.size && text.data[i] >= '0' && text.data[i] <= '9') {
                i++;
                digits++;
            }
        }
        number = digits > 0 && i == text.size;
    }
    return weir_kernel_put_boolean(call, row, number);
}

const weir_kernel weir_kernel_is_alpha = {.name = "is_alpha", .row = is_alpha, .sees_nulls = true};
const weir_kernel weir_kernel_is_digit = {.name = "is_digit", .row = is_digits, .sees_nulls = true};
const weir_kernel weir_kernel_is_decimal = {.name = "is_decimal", .row = is_decimal, .sees_nulls = true};
