/* Text: UTF-8, numbers, sizes and durations as people write them, and suggestions for misspelt names. */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include "base/buffer.h"
#include "base/error.h"

/* Whether bytes are UTF-8: without surrogates, overlong forms, or what cannot be a code point. */
bool weir_utf8_valid(weir_slice text);
size_t weir_utf8_length(weir_slice text);                     /* code points */
size_t weir_utf8_prefix(weir_slice text, size_t code_points); /* bytes of the first code points */

/* Whole decimal numbers: false when empty, malformed or out of range. */
bool weir_parse_int64(weir_slice text, int64_t *out);

/* 10^0 to 10^19. */
extern const uint64_t weir_powers_of_ten[20];

/* DOUBLE and FLOAT as Java prints them (shortest text that reads back: 1.0, 1.0E10, NaN, Infinity). Appends. */
void weir_format_double(double value, weir_buffer *out);
void weir_format_float(float value, weir_buffer *out);

/* Sizes such as "128 mb", "64kb", "1g" (Paimon's MemorySize) and durations such as "1 h", "10s", "7d" (milliseconds).
 */
bool weir_parse_size(const char *text, int64_t *out_bytes);
bool weir_parse_duration(const char *text, int64_t *out_ms);

/* The candidate nearest to `word` (Damerau-Levenshtein, case-insensitive), or NULL when none is near enough to be what
 * was meant. */
const char *weir_suggest(const char *word, const char *const *candidates, size_t count);

/* Appends `text` between two `quote`s, those inside doubled. */
void weir_append_quoted(const char *text, char quote, weir_buffer *out);

/* Compares letters of ASCII in any case, everything else byte by byte. */
bool weir_text_equal_ignore_case(const char *a, const char *b);

#endif
