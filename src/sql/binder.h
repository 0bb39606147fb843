/* Statements to bound plans: names to columns and functions, expressions to types, by Flink's rules.
 *
 * Independent of how the plan runs: nothing here asks whether a query is batch or stream. Errors carry the place in the
 * text; unknown names come with the likely one. What the grammar has and this version lacks is WEIR_UNSUPPORTED and
 * named. */
#ifndef WEIR_SQL_BINDER_H
#define WEIR_SQL_BINDER_H

#include "sql/ast.h"
#include "sql/plan.h"

/* How names become tables. `resolve` gets a name of one to three parts and the pairs of an OPTIONS hint (count 0:
 * none), and gives a table for this statement alone. WEIR_NOT_FOUND (with a message that suggests the likely table, and
 * name->position as its place) when there is none. A view is given as its query text: set *out_view, in `arena`, rather
 * than *out; the binder binds it in place of the table. */
typedef struct weir_resolver weir_resolver;
struct weir_resolver {
    int (*resolve)(weir_resolver *self, const weir_ast_name *name, const weir_ast_options *hints, weir_arena *arena,
                   weir_sql_table **out, const char **out_view, weir_error *err);
};

/* Pieces of a statement's text that stand for longer ones: names of tables without their catalog and database, and *.
 * The binder fills it as it meets them. */
typedef struct weir_expansion {
    uint32_t begin, end; /* in the text */
    const char *text;
} weir_expansion;

typedef struct weir_expansions {
    weir_arena *arena;
    weir_expansion *items;
    int32_t count;
} weir_expansions;

/* The piece of the text at `position` with everything written out. */
const char *weir_expand_text(const weir_expansions *expansions, const char *text, const weir_position *position,
                             weir_arena *arena);

typedef struct weir_bind_context {
    weir_resolver *resolver;
    const char *time_zone; /* session zone, such as "UTC" or "Asia/Shanghai"; NULL: UTC */
    bool streaming;        /* the plan will run as a stream: times of events keep their watermarks, and joins FOR
                              SYSTEM_TIME AS OF a column stay lookups */
    int64_t now_ms;        /* what CURRENT_TIMESTAMP and its like give: one moment a statement; 0: the clock now */
    const char *current_catalog;
    const char *current_database;
    weir_expansions *expansions; /* NULL: nobody asks */
} weir_bind_context;

/* A bound query, insert or delete; owns its memory and its tables. */
typedef struct weir_bound {
    weir_arena arena;
    weir_plan *plan;
    weir_sql_table **tables; /* all that were resolved */
    int32_t table_count;
    int32_t scan_count;
    const char *time_zone; /* never NULL */

    /* INSERT, DELETE, UPDATE: the table written. INSERT: the plan gives exactly its columns that can be written
     * (physical, and metadata that is not virtual), in its order; columns that the statement doesn't name are NULL. */
    weir_sql_table *sink;
    int32_t *sink_columns; /* positions of the plan's fields in sink->columns */
    int32_t sink_column_count;
    bool *assigned; /* for each of sink_columns: named by the statement (or its PARTITION) */
    bool overwrite;
    bool has_partition;             /* PARTITION (k = v) */
    int32_t *partition_columns;     /* positions in sink->columns of the static ones */
    weir_literal *partition_values; /* of the column's type */
    int32_t partition_count;

    /* DELETE: what was said after WHERE, as far as a scan can use it; NULL: all rows, or nothing of it can be used */
    const weir_predicate *pushed;
    bool whole_table; /* DELETE without WHERE */
} weir_bound;

int weir_bind_query(const weir_bind_context *context, const weir_ast_query *query, weir_bound **out, weir_error *err);
/* Columns of a shown result that would have one name are numbered, as in Flink: id, id0, id1. */
void weir_bound_number_names(weir_bound *bound);

/* INSERT: checks column count and types (what Flink doesn't cast by itself is refused), adds the casts. */
int weir_bind_insert(const weir_bind_context *context, const weir_ast_insert *insert, weir_bound **out,
                     weir_error *err);

/* DELETE: the plan gives all physical columns of the rows to delete (as they are before). */
int weir_bind_delete(const weir_bind_context *context, const weir_ast_modify *modify, weir_bound **out,
                     weir_error *err);

/* UPDATE: the plan gives all physical columns of the changed rows, with their new values. */
int weir_bind_update(const weir_bind_context *context, const weir_ast_modify *modify, weir_bound **out,
                     weir_error *err);

void weir_bound_free(weir_bound *bound);

/* The columns of CREATE TABLE as a table will have them: computed ones with their types (from binding them over the
 * others), key columns NOT NULL. Checks duplicates, the key's and the partitions' columns, and the watermark's types.
 * All in `arena`; `text` is the statement's source, from which expressions are quoted. */
typedef struct weir_bound_columns {
    weir_sql_column *columns;
    int32_t column_count;
    int32_t *primary_key; /* positions */
    int32_t primary_key_count;
    int32_t *partition_keys; /* positions */
    int32_t partition_key_count;
    int32_t watermark_column;         /* position; -1: none */
    const char *watermark_expression; /* SQL text */
} weir_bound_columns;

int32_t weir_bound_columns_find(const weir_bound_columns *columns, const char *name); /* -1: none */

int weir_bind_create_table(const weir_bind_context *context, const weir_ast_create_table *create, const char *text,
                           weir_arena *arena, weir_bound_columns *out, weir_error *err);

/* A constant expression (CALL's arguments, PARTITION values) as a literal: of `type`, cast as INSERT would, or of its
 * own type when `type` is NULL. */
int weir_bind_constant(const weir_bind_context *context, const weir_ast_expression *expression, const weir_type *type,
                       weir_arena *arena, const weir_type **out_type, weir_literal *out, weir_error *err);

/* Names of all functions and aggregates, for SHOW FUNCTIONS and completion. */
size_t weir_sql_function_count(void); /* of those that are offered */
const char *weir_sql_function_name(size_t index);

#endif
