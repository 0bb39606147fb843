/* The strings of JSON as text and as bytes, and values of any kind as text. */
#ifndef WEIR_FORMAT_JSON_TEXT_H
#define WEIR_FORMAT_JSON_TEXT_H

#include "format/json/scan.h"

/* Appends what a string says: escapes resolved, UTF-16 surrogates put together ("?" for one that stands alone, as Java
 * encodes it). Never more bytes than the span has. */
void weir_json_text_append(const uint8_t *base, weir_json_span span, weir_buffer *out);

/* The same into memory that has room for span.size bytes; returns how many were written. */
size_t weir_json_text_write(const uint8_t *base, weir_json_span span, uint8_t *out);

/* Appends a value without blanks between its tokens, strings with the escapes they need and no others. Numbers keep
 * their digits. */
void weir_json_compact(const uint8_t *base, weir_json_span span, weir_buffer *out);

/* Decodes base64 into memory that has room for 3/4 of `size` bytes, rounded up; the padding at the end may be missing.
 * False when it is none. */
bool weir_json_base64_decode(const uint8_t *text, size_t size, uint8_t *out, size_t *out_size);
void weir_json_base64_encode(weir_slice bytes, weir_buffer *out);

#endif
