/* MySQL's binary JSON documents as text. */
#ifndef WEIR_MYSQL_JSON_TEXT_H
#define WEIR_MYSQL_JSON_TEXT_H

#include "base/base.h"

/* Appends a document of a row event as text; with blanks after commas and colons as the server prints it, or without.
 * No bytes are JSON's null. WEIR_CORRUPT: they are damaged, or nested deeper than the server allows. */
int weir_mysql_json_format(weir_slice document, bool has_blanks, weir_buffer *out, weir_error *err);

/* Appends JSON text of the server without its blanks. */
void weir_mysql_json_compact(weir_slice text, weir_buffer *out);

void weir_mysql_base64_append(weir_slice bytes, weir_buffer *out);

/* Appends a number with the fewest digits that read back. */
void weir_mysql_real_format(double number, weir_buffer *out);

#endif
