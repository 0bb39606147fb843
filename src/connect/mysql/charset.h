/* Texts of other character sets as UTF-8. */
#ifndef WEIR_MYSQL_CHARSET_H
#define WEIR_MYSQL_CHARSET_H

#include "base/base.h"

typedef struct weir_charset weir_charset;

/* The conversion from a character set of the server by its name; *out NULL: texts are UTF-8 already.
 * WEIR_UNSUPPORTED: there is none. */
int weir_charset_open(const char *name, weir_charset **out, weir_error *err);
void weir_charset_close(weir_charset *charset);

/* Appends a text as UTF-8; what is no character becomes U+FFFD. */
void weir_charset_convert(weir_charset *charset, weir_slice text, weir_buffer *out);

#endif
