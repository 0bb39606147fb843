/* Table maps: what the binlog says of a table before it has rows of it. */
#ifndef WEIR_MYSQL_TABLE_MAP_H
#define WEIR_MYSQL_TABLE_MAP_H

#include "connect/mysql/column.h"
#include "connect/mysql/event.h"

/* How a value lies in a row: numbers of the protocol. */
typedef enum weir_binlog_type {
    WEIR_BINLOG_TINY = 1,
    WEIR_BINLOG_SHORT = 2,
    WEIR_BINLOG_LONG = 3,
    WEIR_BINLOG_FLOAT = 4,
    WEIR_BINLOG_DOUBLE = 5,
    WEIR_BINLOG_NULL = 6,
    WEIR_BINLOG_TIMESTAMP = 7,
    WEIR_BINLOG_LONGLONG = 8,
    WEIR_BINLOG_INT24 = 9,
    WEIR_BINLOG_DATE = 10,
    WEIR_BINLOG_TIME = 11,
    WEIR_BINLOG_DATETIME = 12,
    WEIR_BINLOG_YEAR = 13,
    WEIR_BINLOG_VARCHAR = 15,
    WEIR_BINLOG_BIT = 16,
    WEIR_BINLOG_TIMESTAMP2 = 17,
    WEIR_BINLOG_DATETIME2 = 18,
    WEIR_BINLOG_TIME2 = 19,
    WEIR_BINLOG_TYPED_ARRAY = 20,
    WEIR_BINLOG_BLOB_COMPRESSED = 140,
    WEIR_BINLOG_VARCHAR_COMPRESSED = 141,
    WEIR_BINLOG_VECTOR = 242,
    WEIR_BINLOG_JSON = 245,
    WEIR_BINLOG_DECIMAL = 246,
    WEIR_BINLOG_ENUM = 247,
    WEIR_BINLOG_SET = 248,
    WEIR_BINLOG_BLOB = 252,
    WEIR_BINLOG_VAR_STRING = 253,
    WEIR_BINLOG_STRING = 254,
    WEIR_BINLOG_GEOMETRY = 255
} weir_binlog_type;

typedef struct weir_binlog_column {
    uint8_t type;   /* a weir_binlog_type; of STRING the real one is told here: ENUM, SET or STRING */
    uint16_t extra; /* bytes of a string at most, bytes of a length or an ENUM, digits of a fraction, bits */
    uint8_t scale;  /* of DECIMAL, whose precision is `extra` */

    /* Where the server logs more than it must (binlog_row_metadata): */
    bool has_sign;
    bool is_unsigned;
    uint32_t collation;  /* number; 0: not told */
    const char *name;    /* NULL: not told */
    const char **labels; /* in the column's character set */
    uint32_t label_count;
    bool has_labels;
} weir_binlog_column;

typedef struct weir_table_map {
    uint64_t table_id;
    const char *database;
    const char *table;
    weir_binlog_column *columns;
    uint32_t column_count;
    bool has_names; /* of all columns */
} weir_table_map;

/* The id alone, for tables that are not wanted. */
int weir_table_map_parse_id(const weir_binlog_event *event, const weir_binlog_format *format, uint64_t *out,
                            weir_error *err);

/* Everything, in the arena. */
int weir_table_map_parse(const weir_binlog_event *event, const weir_binlog_format *format, weir_arena *arena,
                         weir_table_map *out, weir_error *err);

#endif
