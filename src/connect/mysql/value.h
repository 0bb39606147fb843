/* One value of a row at the server, as it comes in the binlog or in the text of a result. */
#ifndef WEIR_MYSQL_VALUE_H
#define WEIR_MYSQL_VALUE_H

#include "connect/mysql/event_bytes.h"
#include "connect/mysql/table_map.h"
#include "vector/vector.h"

typedef enum weir_mysql_kind {
    WEIR_MYSQL_NULL,
    WEIR_MYSQL_SIGNED,   /* number */
    WEIR_MYSQL_UNSIGNED, /* number, as uint64_t */
    WEIR_MYSQL_REAL,     /* real */
    WEIR_MYSQL_NUMERIC,  /* numeric, with `scale` */
    WEIR_MYSQL_BYTES,    /* bytes: texts in the column's character set, blobs, and everything that came as text */
    WEIR_MYSQL_DAYS,     /* number: days since 1970-01-01 */
    WEIR_MYSQL_DURATION, /* number: microseconds */
    WEIR_MYSQL_CLOCK,    /* number: microseconds since 1970-01-01 00:00:00 on the clock */
    WEIR_MYSQL_INSTANT,  /* number: microseconds since 1970-01-01 00:00:00 UTC */
    WEIR_MYSQL_NO_DATE,  /* 0000-00-00, and others without a day or a month: number: YYYYMMDD days and microseconds */
    WEIR_MYSQL_BITS,     /* bytes, big-endian */
    WEIR_MYSQL_LABEL,    /* number: of an ENUM's labels, from 1 */
    WEIR_MYSQL_LABELS,   /* number: a bit for each of a SET's labels */
    WEIR_MYSQL_DOCUMENT, /* bytes: binary JSON */
    WEIR_MYSQL_PACKED    /* bytes: of a COMPRESSED column, as they are stored */
} weir_mysql_kind;

#define WEIR_MYSQL_MICROS_PER_DAY ((int64_t)86400 * 1000000)

typedef struct weir_mysql_value {
    weir_mysql_kind kind;
    int32_t scale;
    union {
        int64_t number;
        double real;
        weir_int128 numeric;
        weir_slice bytes; /* borrowed */
    };
} weir_mysql_value;

/* How a column's values are taken from a row event. */
typedef struct weir_row_column {
    uint8_t type; /* as in weir_binlog_column */
    uint16_t extra;
    uint8_t scale;
    bool is_unsigned;
} weir_row_column;

/* Takes a value that is not NULL off the reader, which has failed afterwards when the bytes end. Decimals of more than
 * 38 digits become text in `scratch`, which is appended to and must not move before the value is used.
 *
 * WEIR_UNSUPPORTED: a type that is not read. */
int weir_row_value_take(weir_byte_reader *reader, const weir_row_column *column, weir_buffer *scratch,
                        weir_mysql_value *out, weir_error *err);

/* The number that a WEIR_MYSQL_BITS value is. */
uint64_t weir_mysql_bits_number(weir_slice bytes);

/* Appends what a WEIR_MYSQL_PACKED value holds. */
int weir_mysql_value_unpack(weir_slice packed, weir_buffer *out, weir_error *err);

/* Reads the text of a result as a value of a column declared like this; text itself stays WEIR_MYSQL_BYTES. False: it
 * is none. */
bool weir_mysql_value_parse(weir_slice text, const weir_mysql_column *column, weir_mysql_value *out);

/* A decimal of at most 38 digits as the binlog and JSON documents pack it; false: cut off or too long. */
bool weir_take_decimal(weir_byte_reader *reader, int precision, int scale, weir_int128 *out);

#endif
