/* Text: UTF-8, whole numbers, sizes, durations, and suggestions for misspelt names. Floating-point numbers are in
 * text_float.c. */
#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"

/* --- UTF-8 ---------------------------------------------------------------------------------------------------- */

static bool is_continuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* The size of the valid sequence at `p`, which is not ASCII; 0 when it is not valid: overlong forms, surrogates and
 * code points past U+10FFFF are not. */
static size_t sequence_size(const uint8_t *p, size_t left)
{
    uint8_t lead = p[0];
    if (lead >= 0xC2 && lead <= 0xDF) {
        return left >= 2 && is_continuation(p[1]) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        uint8_t low = lead == 0xE0 ? 0xA0 : 0x80;
        uint8_t high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && p[1] >= low && p[1] <= high && is_continuation(p[2]) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        uint8_t low = lead == 0xF0 ? 0x90 : 0x80;
        uint8_t high = lead == 0xF4 ? 0x8F : 0xBF;
        return left >= 4 && p[1] >= low && p[1] <= high && is_continuation(p[2]) && is_continuation(p[3]) ? 4 : 0;
    }
    return 0;
}

bool weir_utf8_valid(weir_slice text)
{
    size_t i = 0;
    while (i < text.size) {
        while (text.size - i >= 8 && (weir_load_le64(text.data + i) & 0x8080808080808080U) == 0) {
            i += 8;
        }
        if (i == text.size) {
            break;
        }
        size_t size = text.data[i] < 0x80 ? 1 : sequence_size(text.data + i, text.size - i);
        if (size == 0) {
            return false;
        }
        i += size;
    }
    return true;
}

size_t weir_utf8_length(weir_slice text)
{
    size_t length = 0;
    for (size_t i = 0; i < text.size; i++) {
        length += !is_continuation(text.data[i]);
    }
    return length;
}

size_t weir_utf8_prefix(weir_slice text, size_t code_points)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!is_continuation(text.data[i])) {
            if (code_points == 0) {
                return i;
            }
            code_points--;
        }
    }
    return text.size;
}

/* --- numbers, sizes, durations -------------------------------------------------------------------------------- */

bool weir_parse_int64(weir_slice text, int64_t *out)
{
    size_t i = 0;
    bool negative = text.size > 0 && text.data[0] == '-';
    if (negative || (text.size > 0 && text.data[0] == '+')) {
        i = 1;
    }
    if (i == text.size) {
        return false;
    }
    int64_t value = 0; /* gathered below zero, where there is one more number */
    for (; i < text.size; i++) {
        unsigned digit = (unsigned)text.data[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, (int64_t)digit, &value)) {
            return false;
        }
    }
    if (!negative && value == INT64_MIN) {
        return false;
    }
    *out = negative ? value : -value;
    return true;
}

/* Splits " 12 kb " into 12 and "kb" (empty when there is no unit); false when there is no number. */
static bool split_number_and_unit(const char *text, int64_t *number, weir_slice *unit)
{
    while (isspace((unsigned char)*text)) {
        text++;
    }
    size_t digits = strspn(text, "0123456789");
    if (!weir_parse_int64(weir_slice_of(text, digits), number)) {
        return false;
    }
    const char *rest = text + digits;
    while (isspace((unsigned char)*rest)) {
        rest++;
    }
    size_t size = strlen(rest);
    while (size > 0 && isspace((unsigned char)rest[size - 1])) {
        size--;
    }
    *unit = weir_slice_of(rest, size);
    return true;
}

typedef struct unit {
    const char *name; /* lower case */
    int64_t factor;
} unit;

static const unit *find_unit(const unit *units, size_t count, weir_slice name)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(units[i].name) == name.size && strncasecmp(units[i].name, (const char *)name.data, name.size) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

bool weir_parse_size(const char *text, int64_t *out_bytes)
{
    static const unit units[] = {
        {"", 1},          {"b", 1},          {"bytes", 1},
        {"k", 1LL << 10}, {"kb", 1LL << 10}, {"kibibytes", 1LL << 10},
        {"m", 1LL << 20}, {"mb", 1LL << 20}, {"mebibytes", 1LL << 20},
        {"g", 1LL << 30}, {"gb", 1LL << 30}, {"gibibytes", 1LL << 30},
        {"t", 1LL << 40}, {"tb", 1LL << 40}, {"tebibytes", 1LL << 40},
    };
    int64_t number;
    weir_slice name;
    if (!split_number_and_unit(text, &number, &name)) {
        return false;
    }
    const unit *found = find_unit(units, sizeof units / sizeof *units, name);
    return found && !__builtin_mul_overflow(number, found->factor, out_bytes);
}

bool weir_parse_duration(const char *text, int64_t *out_ms)
{
    /* Factors in nanoseconds; an out-of-range product is not a duration that anybody meant. */
    static const unit units[] = {
        {"", 1000000},
        {"ns", 1},
        {"nano", 1},
        {"nanos", 1},
        {"nanosecond", 1},
        {"nanoseconds", 1},
        {"\xc2\xb5s", 1000},
        {"micro", 1000},
        {"micros", 1000},
        {"microsecond", 1000},
        {"microseconds", 1000},
        {"ms", 1000000},
        {"milli", 1000000},
        {"millis", 1000000},
        {"millisecond", 1000000},
        {"milliseconds", 1000000},
        {"s", 1000000000},
        {"sec", 1000000000},
        {"secs", 1000000000},
        {"second", 1000000000},
        {"seconds", 1000000000},
        {"m", 60000000000},
        {"min", 60000000000},
        {"minute", 60000000000},
        {"minutes", 60000000000},
        {"h", 3600000000000},
        {"hour", 3600000000000},
        {"hours", 3600000000000},
        {"d", 86400000000000},
        {"day", 86400000000000},
        {"days", 86400000000000},
    };
    int64_t number;
    weir_slice name;
    if (!split_number_and_unit(text, &number, &name)) {
        return false;
    }
    const unit *found = find_unit(units, sizeof units / sizeof *units, name);
    if (!found) {
        return false;
    }
    if (found->factor < 1000000) {
        *out_ms = number / (1000000 / found->factor);
        return true;
    }
    return !__builtin_mul_overflow(number, found->factor / 1000000, out_ms);
}

/* --- suggestions ---------------------------------------------------------------------------------------------- */

void weir_append_quoted(const char *text, char quote, weir_buffer *out)
{
    weir_buffer_append_byte(out, (uint8_t)quote);
    for (; *text != '\0'; text++) {
        if (*text == quote) {
            weir_buffer_append_byte(out, (uint8_t)quote);
        }
        weir_buffer_append_byte(out, (uint8_t)*text);
    }
    weir_buffer_append_byte(out, (uint8_t)quote);
}

bool weir_text_equal_ignore_case(const char *a, const char *b) { return strcasecmp(a, b) == 0; }

#define LONGEST_WORD 64

static int least(int a, int b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours that make `b` of `a`. Both are at most LONGEST_WORD. */
static int edit_distance(const char *a, size_t a_size, const char *b, size_t b_size)
{
    int rows[3][LONGEST_WORD + 1]; /* of the table of distances between prefixes: this row and the two before */
    for (size_t j = 0; j <= b_size; j++) {
        rows[0][j] = (int)j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        int *row = rows[i % 3];
        const int *above = rows[(i + 2) % 3];
        const int *above_that = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= b_size; j++) {
            int x = tolower((unsigned char)a[i - 1]);
            int y = tolower((unsigned char)b[j - 1]);
            row[j] = least(least(above[j] + 1, row[j - 1] + 1), above[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) && y == tolower((unsigned char)a[i - 2])) {
                row[j] = least(row[j], above_that[j - 2] + 1);
            }
        }
    }
    return rows[a_size % 3][b_size];
}

const char *weir_suggest(const char *word, const char *const *candidates, size_t count)
{
    size_t size = strlen(word);
    if (size > LONGEST_WORD) {
        return NULL;
    }
    const char *nearest = NULL;
    int nearest_distance = (int)(size + 2) / 3 + 1; /* one slip in three letters is still a slip */
    for (size_t i = 0; i < count; i++) {
        size_t candidate_size = strlen(candidates[i]);
        int difference = abs((int)size - (int)candidate_size); /* no distance is less */
        if (candidate_size > LONGEST_WORD || difference >= nearest_distance) {
            continue;
        }
        int distance = edit_distance(word, size, candidates[i], candidate_size);
        if (distance < nearest_distance && (size_t)distance < candidate_size) {
            nearest = candidates[i];
            nearest_distance = distance;
        }
    }
    return nearest;
}
