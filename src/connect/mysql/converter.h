/* Values of the server's columns to values of the table's columns, as Flink CDC has them. */
#ifndef WEIR_MYSQL_CONVERTER_H
#define WEIR_MYSQL_CONVERTER_H

#include "base/zone.h"
#include "connect/mysql/charset.h"
#include "connect/mysql/value.h"

typedef enum weir_mysql_binary_mode {
    WEIR_MYSQL_BINARY_AS_BYTES,
    WEIR_MYSQL_BINARY_AS_BASE64,
    WEIR_MYSQL_BINARY_AS_HEX
} weir_mysql_binary_mode;

typedef struct weir_mysql_conversion {
    const weir_zone *zone; /* of the server's clock, for TIMESTAMPs; NULL: that of this machine */
    bool json_has_blanks;
    weir_mysql_binary_mode binary_mode; /* of binary columns that become text */
} weir_mysql_conversion;

typedef struct weir_mysql_converter weir_mysql_converter;

/* Appends a value. WEIR_INVALID: it does not fit. */
typedef int weir_mysql_append_function(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                                       weir_error *err);

struct weir_mysql_converter {
    const weir_mysql_conversion *conversion;
    const weir_mysql_column *column;
    const weir_type *type;
    weir_mysql_append_function *append; /* not called for WEIR_MYSQL_NULL */
    bool is_text;                       /* values come as the server prints them */
    weir_charset *charset;              /* NULL: texts are UTF-8 */
    weir_buffer text;
};

/* A converter from `column` to `type` (NULL: only for weir_mysql_converter_text); all is borrowed. `is_text`: values
 * come as the server prints them, in UTF-8, and as row events have them otherwise.
 *
 * WEIR_INVALID: such a column cannot become such a type; the message says which one to declare. */
int weir_mysql_converter_init(weir_mysql_converter *converter, const weir_mysql_conversion *conversion,
                              const weir_mysql_column *column, const weir_type *type, bool is_text, weir_error *err);
void weir_mysql_converter_free(weir_mysql_converter *converter);

/* Appends a value as text, as the server prints it (binary columns as they are). */
int weir_mysql_converter_text(weir_mysql_converter *converter, const weir_mysql_value *value, weir_buffer *out,
                              weir_error *err);

/* Appends a value of a key as text that is the same wherever it comes from, and that its order can be told from:
 * numbers of ENUM, SET and BIT, all digits of FLOAT and DOUBLE, and otherwise the text above. */
int weir_mysql_converter_key(weir_mysql_converter *converter, const weir_mysql_value *value, weir_buffer *out,
                             weir_error *err);

/* Appends a value, or NULL. Dates that are none (0000-00-00) are NULL, or 1970-01-01 where the server's column is NOT
 * NULL. */
static inline int weir_mysql_convert(weir_mysql_converter *converter, const weir_mysql_value *value, weir_vector *out,
                                     weir_error *err)
{
    if (value->kind == WEIR_MYSQL_NULL || (value->kind == WEIR_MYSQL_NO_DATE && converter->column->is_nullable)) {
        return weir_vector_append_nulls(out, 1, err);
    }
    return converter->append(converter, value, out, err);
}

#endif
