/* Columns that spans of JSON are converted to. The type is looked at when a column is made; after that whole columns
 * are converted by one call, nested ones level by level. */
#ifndef WEIR_FORMAT_JSON_COLUMN_H
#define WEIR_FORMAT_JSON_COLUMN_H

#include "format/json/json.h"
#include "format/json/names.h"

/* What a producer made of values that JSON has no form for, as the schema beside its events says. */
typedef enum weir_json_encoding {
    WEIR_JSON_PLAIN,            /* nothing: as Flink's json format has it */
    WEIR_JSON_DECIMAL_BYTES,    /* base64 of a big-endian two's complement number; the scale is encoding_scale */
    WEIR_JSON_DECIMAL_VARIABLE, /* {"scale": 2, "value": the same} */
    WEIR_JSON_EPOCH_DAYS,       /* a number of days since 1970-01-01 */
    WEIR_JSON_EPOCH_MILLIS,     /* of milliseconds, since then or since midnight */
    WEIR_JSON_EPOCH_MICROS,
    WEIR_JSON_EPOCH_NANOS,
    WEIR_JSON_ZONED_TEXT, /* ISO 8601 with an offset */
    WEIR_JSON_LOOSE_TEXT  /* as java.sql.Date and Timestamp read it, which Flink's csv format uses: 2024-1-5 */
} weir_json_encoding;

typedef struct weir_json_span_list {
    weir_json_span *spans;
    int64_t count;
    size_t capacity;
} weir_json_span_list;

typedef struct weir_json_column weir_json_column;
typedef struct weir_json_conversion weir_json_conversion;

/* Appends `count` values: spans[0], spans[stride], … */
typedef int weir_json_convert_function(weir_json_conversion *conversion, weir_json_column *column,
                                       const weir_json_span *spans, int64_t stride, int64_t count, weir_vector *out,
                                       weir_error *err);

struct weir_json_column {
    const char *name;
    const weir_type *type;
    weir_json_convert_function *convert;
    weir_json_encoding encoding;
    int32_t encoding_scale;

    weir_json_column *children; /* of a ROW its fields, of an ARRAY its elements, of a MAP its keys and values */
    int32_t child_count;
    weir_json_names names;              /* of a ROW */
    weir_json_span_list child_spans[2]; /* while a column is converted */
    uint8_t *nulls;                     /* a byte a value, of the column that is being converted */
    size_t null_capacity;
};

struct weir_json_conversion {
    const weir_json_read_options *options;
    const uint8_t *base; /* the text */
    weir_buffer scratch;
    /* The first value that does not fit its column; NULL: all fit. */
    const weir_json_column *bad_column;
    weir_json_span bad_span;
};

/* WEIR_UNSUPPORTED: JSON cannot hold values of this type. */
int weir_json_column_init(weir_json_column *column, const char *name, const weir_type *type, weir_error *err);
void weir_json_column_free(weir_json_column *column);

/* Converts a column. Values that do not fit become NULL and are noted in the conversion. */
int weir_json_convert(weir_json_conversion *conversion, weir_json_column *column, const weir_json_span *spans,
                      int64_t stride, int64_t count, weir_vector *out, weir_error *err);

#endif
