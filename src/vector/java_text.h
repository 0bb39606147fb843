/* Text as Java sees it: what it makes of bytes that are no UTF-8, and its order of strings. */
#ifndef WEIR_VECTOR_JAVA_TEXT_H
#define WEIR_VECTOR_JAVA_TEXT_H

#include "base/buffer.h"

/* Appends UTF-8 with U+FFFD wherever `new String(bytes, UTF_8)` puts one. */
void weir_java_text_append(weir_slice bytes, weir_buffer *out);

/* String.compareTo, which goes by UTF-16 units: other than by bytes, code points past U+FFFF come before U+E000. */
int weir_java_text_compare(weir_slice a, weir_slice b);

#endif
