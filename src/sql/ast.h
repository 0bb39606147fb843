/* The syntax tree: what the text says, before any name means anything. Here are statements, in ast_query.h the parts
 * that queries are made of. */
#ifndef WEIR_SQL_AST_H
#define WEIR_SQL_AST_H

#include "sql/ast_query.h"

typedef enum weir_ast_statement_kind {
    WEIR_AST_QUERY,
    WEIR_AST_INSERT,
    WEIR_AST_STATEMENT_SET,
    WEIR_AST_DELETE,
    WEIR_AST_UPDATE,
    WEIR_AST_TRUNCATE,
    WEIR_AST_CREATE_CATALOG,
    WEIR_AST_CREATE_DATABASE,
    WEIR_AST_CREATE_TABLE,
    WEIR_AST_CREATE_VIEW,
    WEIR_AST_CREATE_FUNCTION,
    WEIR_AST_DROP,
    WEIR_AST_ALTER_TABLE,
    WEIR_AST_ALTER_VIEW,
    WEIR_AST_ALTER_DATABASE,
    WEIR_AST_USE,
    WEIR_AST_SHOW,
    WEIR_AST_DESCRIBE,
    WEIR_AST_EXPLAIN,
    WEIR_AST_SET,
    WEIR_AST_RESET,
    WEIR_AST_CALL_PROCEDURE,
    WEIR_AST_ANALYZE,
    WEIR_AST_STOP_JOB,
    WEIR_AST_DESCRIBE_JOB,
    WEIR_AST_ADD_JAR, /* and REMOVE JAR */
    WEIR_AST_LOAD_MODULE,
    WEIR_AST_UNLOAD_MODULE
} weir_ast_statement_kind;

typedef enum weir_ast_object {
    WEIR_AST_OBJECT_CATALOG,
    WEIR_AST_OBJECT_DATABASE,
    WEIR_AST_OBJECT_TABLE,
    WEIR_AST_OBJECT_VIEW,
    WEIR_AST_OBJECT_FUNCTION,
    WEIR_AST_OBJECT_MODULES
} weir_ast_object;

typedef enum weir_ast_column_kind {
    WEIR_AST_PHYSICAL_COLUMN,
    WEIR_AST_METADATA_COLUMN, /* type METADATA [FROM 'key'] [VIRTUAL] */
    WEIR_AST_COMPUTED_COLUMN  /* AS expression */
} weir_ast_column_kind;

typedef struct weir_ast_column {
    weir_ast_column_kind kind;
    weir_ast_part name;
    const weir_type *type; /* NULL for computed columns */
    weir_position type_position;
    const char *comment;
    bool primary_key;         /* PRIMARY KEY NOT ENFORCED written at the column */
    const char *metadata_key; /* NULL: the column's own name */
    bool is_virtual;
    weir_ast_expression *expression; /* of computed columns */
    const char *expression_text;     /* of a column that was there before the statement; NULL: it is in the statement */
    int8_t place;                    /* of ALTER: 0 none, 1 FIRST, 2 AFTER `after` */
    weir_ast_part after;
} weir_ast_column;

typedef struct weir_ast_watermark {
    weir_position position;
    weir_ast_name column;
    weir_ast_expression *expression;
    const char *expression_text; /* as of a column */
} weir_ast_watermark;

typedef struct weir_ast_like {
    weir_ast_name name;
    weir_ast_names choices; /* texts such as "INCLUDING OPTIONS", in order */
} weir_ast_like;

typedef struct weir_ast_create_table {
    weir_ast_name name;
    bool temporary;
    bool if_not_exists;
    bool or_replace;
    weir_ast_column *columns;
    int32_t column_count;
    weir_ast_watermark *watermark; /* NULL: none */
    bool has_primary_key;
    weir_position primary_key_position;
    weir_ast_names primary_key;
    const char *comment;
    weir_ast_names partitioned_by;
    bool distributed;
    const char *distribution; /* "HASH", "RANGE" or NULL */
    weir_ast_names distributed_by;
    int32_t bucket_count; /* 0: not said */
    weir_ast_options options;
    weir_ast_like *like;   /* NULL: none */
    weir_ast_query *query; /* AS SELECT; NULL: none */
} weir_ast_create_table;

typedef struct weir_ast_create { /* catalogs, databases, views, functions */
    weir_ast_name name;
    bool temporary;
    bool system;
    bool if_not_exists;
    bool or_replace;
    const char *comment;
    weir_ast_options options;
    weir_ast_names columns;       /* of a view */
    weir_ast_query *query;        /* of a view */
    weir_position query_position; /* the text of the view's query */
    const char *class_name;       /* of a function */
} weir_ast_create;

typedef struct weir_ast_drop {
    weir_ast_object object;
    weir_ast_name name;
    bool temporary;
    bool if_exists;
    bool cascade;
} weir_ast_drop;

typedef enum weir_ast_alter_kind {
    WEIR_AST_ALTER_SET_OPTIONS,
    WEIR_AST_ALTER_RESET_OPTIONS, /* keys in names */
    WEIR_AST_ALTER_RENAME_TABLE,  /* new_name */
    WEIR_AST_ALTER_RENAME_COLUMN, /* names[0] to new_name */
    WEIR_AST_ALTER_ADD,           /* columns, primary_key, watermark */
    WEIR_AST_ALTER_MODIFY,        /* columns, primary_key, watermark */
    WEIR_AST_ALTER_DROP_COLUMNS,  /* names */
    WEIR_AST_ALTER_DROP_PRIMARY_KEY,
    WEIR_AST_ALTER_DROP_WATERMARK,
    WEIR_AST_ALTER_ADD_PARTITIONS,  /* partitions */
    WEIR_AST_ALTER_DROP_PARTITIONS, /* partitions */
    WEIR_AST_ALTER_AS               /* of a view: query */
} weir_ast_alter_kind;

typedef struct weir_ast_alter {
    weir_ast_alter_kind kind;
    weir_ast_name name;
    bool if_exists;     /* ALTER TABLE IF EXISTS */
    bool if_not_exists; /* ADD IF NOT EXISTS PARTITION */
    weir_ast_options options;
    weir_ast_names names;
    weir_ast_name new_name;
    weir_ast_column *columns;
    int32_t column_count;
    weir_ast_watermark *watermark;
    bool has_primary_key;
    weir_ast_names primary_key;
    weir_ast_options *partitions;
    int32_t partition_count;
    weir_ast_query *query;
    weir_position query_position;
} weir_ast_alter;

typedef struct weir_ast_insert {
    weir_position position;
    weir_ast_name table;
    weir_ast_hints hints;
    bool overwrite;
    bool has_partition;
    weir_ast_part *partition_columns;       /* PARTITION (k = v, …) */
    weir_ast_expression **partition_values; /* NULL entries: a dynamic column */
    int32_t partition_count;
    bool has_columns;
    weir_ast_names columns;
    weir_ast_query *query;
} weir_ast_insert;

typedef struct weir_ast_modify { /* DELETE and UPDATE */
    weir_ast_name table;
    weir_ast_hints hints;
    weir_ast_alias alias;
    weir_ast_part *columns; /* of UPDATE */
    weir_ast_expression **values;
    int32_t column_count;
    weir_ast_expression *where; /* NULL: all rows */
} weir_ast_modify;

typedef enum weir_ast_show_kind {
    WEIR_AST_SHOW_CATALOGS,
    WEIR_AST_SHOW_CURRENT_CATALOG,
    WEIR_AST_SHOW_DATABASES,
    WEIR_AST_SHOW_CURRENT_DATABASE,
    WEIR_AST_SHOW_TABLES,
    WEIR_AST_SHOW_VIEWS,
    WEIR_AST_SHOW_COLUMNS,
    WEIR_AST_SHOW_PARTITIONS,
    WEIR_AST_SHOW_CREATE_TABLE,
    WEIR_AST_SHOW_CREATE_VIEW,
    WEIR_AST_SHOW_CREATE_CATALOG,
    WEIR_AST_SHOW_FUNCTIONS,
    WEIR_AST_SHOW_PROCEDURES,
    WEIR_AST_SHOW_JOBS,
    WEIR_AST_SHOW_MODULES,
    WEIR_AST_SHOW_JARS
} weir_ast_show_kind;

typedef struct weir_ast_show {
    weir_ast_show_kind kind;
    weir_ast_name name; /* FROM …, or the table; count 0: none */
    bool negated;       /* NOT LIKE */
    bool ignore_case;   /* ILIKE */
    const char *like;   /* NULL: none */
    weir_ast_options partition;
    bool user; /* SHOW USER FUNCTIONS */
    bool full; /* SHOW FULL MODULES */
} weir_ast_show;

typedef struct weir_ast_statement weir_ast_statement;

struct weir_ast_statement {
    weir_ast_statement_kind kind;
    weir_position position; /* begin … end: its text, without the semicolon */
    union {
        weir_ast_query *query; /* QUERY */
        weir_ast_insert *insert;
        struct {
            weir_ast_insert **items;
            int32_t count;
        } statement_set;
        weir_ast_modify *modify; /* DELETE, UPDATE */
        weir_ast_create_table *create_table;
        weir_ast_create *create; /* CREATE_CATALOG, _DATABASE, _VIEW, _FUNCTION */
        weir_ast_drop *drop;
        weir_ast_alter *alter; /* ALTER_TABLE, _VIEW, _DATABASE */
        weir_ast_show *show;
        struct {
            weir_ast_object object; /* CATALOG, DATABASE or MODULES */
            weir_ast_name name;
            weir_ast_names modules;
        } use;
        weir_ast_part module; /* LOAD_MODULE, UNLOAD_MODULE */
        struct {
            weir_ast_object object; /* TABLE, DATABASE or CATALOG */
            weir_ast_name name;
            bool extended;
        } describe;
        struct {
            weir_ast_statement *statement;
            weir_ast_names details; /* ESTIMATED_COST, CHANGELOG_MODE … */
        } explain;
        struct {
            const char *key; /* NULL: list all, or reset all */
            weir_position key_position;
            const char *value; /* of SET; NULL: show this one */
            weir_position value_position;
        } set; /* SET and RESET */
        struct {
            weir_ast_name name;
            weir_ast_expressions arguments; /* NAMED ones by name */
        } call;
        struct {
            weir_ast_name table;
            weir_ast_options partition;
            bool has_partition;
            bool all_columns;
            weir_ast_names columns;
        } analyze;
        weir_ast_name truncate;
        struct {
            const char *id;
            bool with_savepoint;
            bool with_drain;
        } job;           /* STOP_JOB, DESCRIBE_JOB */
        const char *jar; /* ADD_JAR */
    };
};

#endif
