/* What a column of a table at the server is: as it was declared, and as the binlog has it. */
#ifndef WEIR_MYSQL_COLUMN_H
#define WEIR_MYSQL_COLUMN_H

#include "base/base.h"

/* Types as declared. */
typedef enum weir_mysql_type {
    WEIR_MYSQL_TINYINT,
    WEIR_MYSQL_SMALLINT,
    WEIR_MYSQL_MEDIUMINT,
    WEIR_MYSQL_INT,
    WEIR_MYSQL_BIGINT,
    WEIR_MYSQL_FLOAT,
    WEIR_MYSQL_DOUBLE,
    WEIR_MYSQL_DECIMAL,
    WEIR_MYSQL_BIT,
    WEIR_MYSQL_YEAR,
    WEIR_MYSQL_DATE,
    WEIR_MYSQL_TIME,
    WEIR_MYSQL_DATETIME,
    WEIR_MYSQL_TIMESTAMP,
    WEIR_MYSQL_CHAR,
    WEIR_MYSQL_VARCHAR,
    WEIR_MYSQL_TEXT, /* of any size */
    WEIR_MYSQL_BINARY,
    WEIR_MYSQL_VARBINARY,
    WEIR_MYSQL_BLOB, /* of any size */
    WEIR_MYSQL_ENUM,
    WEIR_MYSQL_SET,
    WEIR_MYSQL_JSON,
    WEIR_MYSQL_GEOMETRY, /* of any kind */
    WEIR_MYSQL_UUID,     /* of MariaDB, as are the two below */
    WEIR_MYSQL_INET4,
    WEIR_MYSQL_INET6,
    WEIR_MYSQL_OTHER /* that is not read */
} weir_mysql_type;

typedef struct weir_mysql_column {
    const char *name; /* UTF-8 */
    weir_mysql_type type;
    bool is_unsigned;
    bool is_nullable;
    bool is_boolean;       /* TINYINT(1) */
    uint32_t length;       /* in brackets: bytes of BINARY, digits of a fraction of a second; 0: not there */
    const char *charset;   /* of texts; NULL: none, or UTF-8 */
    const char *collation; /* of texts; NULL: not known */
    const char **labels;   /* of ENUM and SET, UTF-8 */
    uint32_t label_count;
    int32_t key_place;      /* in the primary key, from 0; -1: not in it */
    const char *definition; /* "int(10) unsigned", for messages and comparison */
} weir_mysql_column;

/* A table as its server declares it. */
typedef struct weir_mysql_table {
    const char *database;
    const char *name;
    weir_mysql_column *columns;
    uint32_t column_count;
    uint32_t key_count;    /* columns of the primary key; 0: it has none */
    const uint32_t *key;   /* their places, in the order of the key */
    bool key_has_prefixes; /* and so its order is that of prefixes */
} weir_mysql_table;

/* Reads a definition, such as "int(10) unsigned" (COLUMN_TYPE of information_schema): type, sign, length, labels. */
void weir_mysql_column_define(weir_arena *arena, const char *definition, weir_mysql_column *out);

static inline bool weir_mysql_type_is_text(weir_mysql_type type)
{
    return type == WEIR_MYSQL_CHAR || type == WEIR_MYSQL_VARCHAR || type == WEIR_MYSQL_TEXT;
}

/* The column of this name, ignoring case as MySQL does; -1: none. */
int32_t weir_mysql_table_find(const weir_mysql_table *table, const char *name);

#endif
