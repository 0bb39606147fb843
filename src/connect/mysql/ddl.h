/* Statements of the binlog that change tables: what they do to which tables. Not their syntax as a whole: just enough
 * to know whether a table that is read is concerned. */
#ifndef WEIR_MYSQL_DDL_H
#define WEIR_MYSQL_DDL_H

#include "base/base.h"

typedef enum weir_ddl_kind {
    WEIR_DDL_NONE, /* nothing that matters */
    WEIR_DDL_BEGIN,
    WEIR_DDL_COMMIT,    /* or ROLLBACK: the end of a transaction */
    WEIR_DDL_SAVEPOINT, /* within a transaction, without meaning here */
    WEIR_DDL_ALTER,     /* the table's definition may be another one now */
    WEIR_DDL_CREATE,
    WEIR_DDL_DROP,
    WEIR_DDL_TRUNCATE,
    WEIR_DDL_RENAME,
    WEIR_DDL_DROP_DATABASE,
    WEIR_DDL_CHANGE,         /* INSERT, UPDATE, DELETE, …: rows are changed without events for them */
    WEIR_DDL_DROP_PARTITION, /* or TRUNCATE of it */
    WEIR_DDL_EXCHANGE        /* of a partition or tablespace: rows come and go without events for them */
} weir_ddl_kind;

typedef struct weir_ddl_table {
    const char *database; /* NULL: the statement's default */
    const char *table;
} weir_ddl_table;

typedef struct weir_ddl {
    weir_ddl_kind kind;
    weir_ddl_table *tables; /* of RENAME in pairs: from, to; of DROP DATABASE one without a table */
    size_t table_count;
    bool moves_columns; /* of ALTER: columns that were there may be elsewhere, or of another type */
} weir_ddl;

/* What a statement does. Everything is in the arena. */
void weir_ddl_parse(weir_slice statement, weir_arena *arena, weir_ddl *out);

#endif
