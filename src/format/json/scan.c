/* The tokenizer of JSON: see scan.h.
 *
 * As Flink has Jackson read it: control characters may stand in strings as they are, everything else is strict. */
#include "format/json/scan.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LOW_BITS  0x0101010101010101u
#define HIGH_BITS 0x8080808080808080u

bool weir_json_fail(weir_json_cursor *cursor, const char *expected)
{
    if (cursor->outcome == WEIR_JSON_FINE) {
        cursor->outcome = cursor->at >= cursor->end ? WEIR_JSON_CUT : WEIR_JSON_WRONG;
        cursor->expected = expected;
    }
    return false;
}

/* ---- strings ---- */

/* The first quote or backslash at or after `at`; beyond `end` when there is none. Sets *others when a byte before it
 * is not ASCII. The text is read in steps of 16 bytes, into its padding. */
#if defined(__SSE2__)
static inline const uint8_t *find_quote(const uint8_t *at, const uint8_t *end, uint8_t *others)
{
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; at < end; at += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i hits = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
        unsigned mask = (unsigned)_mm_movemask_epi8(hits);
        unsigned high = (unsigned)_mm_movemask_epi8(bytes);
        if (mask != 0) {
            *others |= (high & (mask ^ (mask - 1))) != 0;
            return at + __builtin_ctz(mask);
        }
        *others |= high != 0;
    }
    return at;
}
#else
/* A high bit in every byte of `bytes` that equals `byte`; those above the first such byte may be wrong. */
static inline uint64_t equal_bytes(uint64_t bytes, uint8_t byte)
{
    uint64_t differences = bytes ^ (LOW_BITS * byte);
    return (differences - LOW_BITS) & ~differences & HIGH_BITS;
}

static inline const uint8_t *find_quote(const uint8_t *at, const uint8_t *end, uint8_t *others)
{
    for (; at < end; at += 8) {
        uint64_t bytes = weir_load_le64(at);
        uint64_t mask = equal_bytes(bytes, '"') | equal_bytes(bytes, '\\');
        uint64_t high = bytes & HIGH_BITS;
        if (mask != 0) {
            *others |= (high & (mask ^ (mask - 1))) != 0;
            return at + __builtin_ctzll(mask) / 8;
        }
        *others |= high != 0;
    }
    return at;
}
#endif

static inline bool is_hex(uint8_t byte)
{
    uint8_t lower = byte | 0x20;
    return (byte >= '0' && byte <= '9') || (lower >= 'a' && lower <= 'f');
}

/* Moves over the escape whose backslash is at `at`. */
static bool skip_escape(weir_json_cursor *cursor)
{
    cursor->at++;
    switch (*cursor->at) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        cursor->at++;
        return true;
    case 'u':
        cursor->at++;
        for (int i = 0; i < 4; i++, cursor->at++) {
            if (!is_hex(*cursor->at)) {
                return weir_json_fail(cursor, "four hexadecimal digits after \\u");
            }
        }
        return true;
    default:
        return weir_json_fail(cursor, "one of \" \\ / b f n r t u after a backslash");
    }
}

/* Takes the string whose opening quote is at `at`. False: a failure. */
static bool take_string(weir_json_cursor *cursor, weir_json_span *out)
{
    const uint8_t *start = ++cursor->at;
    *out = (weir_json_span){.token = WEIR_JSON_STRING};
    for (;;) {
        cursor->at = find_quote(cursor->at, cursor->end, &out->has_others);
        if (cursor->at >= cursor->end) {
            cursor->at = cursor->end;
            return weir_json_fail(cursor, "a closing quote");
        }
        if (*cursor->at == '"') {
            break;
        }
        out->has_escapes = 1;
        if (!skip_escape(cursor)) {
            return false;
        }
    }
    out->offset = (uint32_t)(start - cursor->base);
    out->size = (uint32_t)(cursor->at - start);
    cursor->at++;
    return true;
}

/* ---- numbers and literals ---- */

static inline bool is_digit(uint8_t byte) { return (uint8_t)(byte - '0') < 10; }

static inline const uint8_t *skip_digits(const uint8_t *at)
{
    while (is_digit(*at)) {
        at++;
    }
    return at;
}

static bool take_number(weir_json_cursor *cursor, weir_json_span *out)
{
    const uint8_t *start = cursor->at;
    cursor->at += *cursor->at == '-';
    if (!is_digit(*cursor->at)) {
        return weir_json_fail(cursor, "a digit");
    }
    bool is_zero = *cursor->at == '0';
    cursor->at = is_zero ? cursor->at + 1 : skip_digits(cursor->at);
    if (is_zero && is_digit(*cursor->at)) {
        return weir_json_fail(cursor, "no digits after a leading zero");
    }
    out->token = WEIR_JSON_INTEGER;
    if (*cursor->at == '.') {
        out->token = WEIR_JSON_NUMBER;
        cursor->at++;
        if (!is_digit(*cursor->at)) {
            return weir_json_fail(cursor, "a digit after the point");
        }
        cursor->at = skip_digits(cursor->at);
    }
    if ((*cursor->at | 0x20) == 'e') {
        out->token = WEIR_JSON_NUMBER;
        cursor->at++;
        cursor->at += *cursor->at == '-' || *cursor->at == '+';
        if (!is_digit(*cursor->at)) {
            return weir_json_fail(cursor, "a digit in the exponent");
        }
        cursor->at = skip_digits(cursor->at);
    }
    out->offset = (uint32_t)(start - cursor->base);
    out->size = (uint32_t)(cursor->at - start);
    return true;
}

static bool take_literal(weir_json_cursor *cursor, const char *word, weir_json_token token, weir_json_span *out)
{
    out->token = (uint8_t)token;
    out->offset = (uint32_t)(cursor->at - cursor->base);
    out->size = (uint32_t)strlen(word);
    for (; *word != '\0'; word++, cursor->at++) {
        if (*cursor->at != (uint8_t)*word) {
            return weir_json_fail(cursor, "a value (text in quotes, a number, true, false, null, { or [)");
        }
    }
    return true;
}

/* ---- objects and arrays ---- */

bool weir_json_enter(weir_json_cursor *cursor, char closing)
{
    if (cursor->depth == WEIR_JSON_MAX_DEPTH) {
        return weir_json_fail(cursor, "no more than 1000 levels of nesting");
    }
    cursor->at++;
    weir_json_skip_blanks(cursor);
    if (*cursor->at == (uint8_t)closing) {
        cursor->at++;
        return false;
    }
    cursor->depth++;
    return true;
}

bool weir_json_next(weir_json_cursor *cursor, char closing)
{
    if (cursor->outcome != WEIR_JSON_FINE) {
        return false;
    }
    weir_json_skip_blanks(cursor);
    if (*cursor->at == ',') {
        cursor->at++;
        return true;
    }
    if (*cursor->at == (uint8_t)closing) {
        cursor->at++;
        cursor->depth--;
        return false;
    }
    return weir_json_fail(cursor, closing == '}' ? "',' or '}'" : "',' or ']'");
}

bool weir_json_take_name(weir_json_cursor *cursor, weir_json_span *out)
{
    weir_json_skip_blanks(cursor);
    if (*cursor->at != '"') {
        return weir_json_fail(cursor, "a name in quotes");
    }
    if (!take_string(cursor, out)) {
        return false;
    }
    if (*cursor->at != ':') {
        weir_json_skip_blanks(cursor);
        if (*cursor->at != ':') {
            return weir_json_fail(cursor, "':'");
        }
    }
    cursor->at++;
    return true;
}

static bool take_object(weir_json_cursor *cursor)
{
    weir_json_span member;
    for (bool more = weir_json_enter(cursor, '}'); more; more = weir_json_next(cursor, '}')) {
        if (!weir_json_take_name(cursor, &member) || !weir_json_take_value(cursor, &member)) {
            return false;
        }
    }
    return cursor->outcome == WEIR_JSON_FINE;
}

static bool take_array(weir_json_cursor *cursor)
{
    weir_json_span element;
    for (bool more = weir_json_enter(cursor, ']'); more; more = weir_json_next(cursor, ']')) {
        if (!weir_json_take_value(cursor, &element)) {
            return false;
        }
    }
    return cursor->outcome == WEIR_JSON_FINE;
}

static bool take_container(weir_json_cursor *cursor, weir_json_token token, weir_json_span *out)
{
    const uint8_t *start = cursor->at;
    if (token == WEIR_JSON_OBJECT ? !take_object(cursor) : !take_array(cursor)) {
        return false;
    }
    *out = (weir_json_span){
        .offset = (uint32_t)(start - cursor->base), .size = (uint32_t)(cursor->at - start), .token = (uint8_t)token};
    return true;
}

bool weir_json_take_value(weir_json_cursor *cursor, weir_json_span *out)
{
    weir_json_skip_blanks(cursor);
    switch (*cursor->at) {
    case '"':
        return take_string(cursor, out);
    case '{':
        return take_container(cursor, WEIR_JSON_OBJECT, out);
    case '[':
        return take_container(cursor, WEIR_JSON_ARRAY, out);
    case 't':
        return take_literal(cursor, "true", WEIR_JSON_TRUE, out);
    case 'f':
        return take_literal(cursor, "false", WEIR_JSON_FALSE, out);
    case 'n':
        return take_literal(cursor, "null", WEIR_JSON_NULL, out);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return take_number(cursor, out);
    default:
        return weir_json_fail(cursor, "a value (text in quotes, a number, true, false, null, { or [)");
    }
}
