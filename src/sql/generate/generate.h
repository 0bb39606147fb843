/* Plans to DuckDB's SQL.
 *
 * Every relation's columns are called c0, c1 … and every row's fields f0, f1 …, so that DuckDB never sees a user's name
 * (it would take `a` and `A` for the same). Every literal carries its type. Functions are those listed in
 * generate_*.c and our kernels; nothing else can come out. */
#ifndef WEIR_SQL_GENERATE_H
#define WEIR_SQL_GENERATE_H

#include "sql/function/kernel.h"
#include "sql/plan.h"

/* A kernel as the SQL calls it: one name for one combination of kernel, types and option. */
typedef struct weir_kernel_use {
    const char *name;
    const weir_kernel *kernel;
    const weir_type **types;
    int32_t argument_count;
    const weir_type *type;
    const char *option;
} weir_kernel_use;

typedef struct weir_generated {
    weir_arena arena;
    weir_buffer sql;
    weir_kernel_use *uses;
    int32_t use_count;
    const weir_plan **scans; /* by scan_index; NULL entries: not in this plan */
    int32_t scan_count;
} weir_generated;

/* `source` is what stands for a scan in FROM, with the scan's number put in: "weir_scan(7, %d)". */
int weir_generate(const weir_plan *plan, const char *source, weir_generated *out, weir_error *err);
void weir_generated_free(weir_generated *generated);

/* Appends DuckDB's name of the type that carries a Flink type. */
void weir_generate_type(const weir_type *type, weir_buffer *out);

/* Pieces, for the files of this folder. */

/* A column as SQL names it: t<leaf>.c<column>. */
typedef struct weir_place {
    int32_t leaf;
    int32_t column;
} weir_place;

typedef struct weir_generator {
    weir_generated *out;
    const char *source;
    weir_error *err;
    const weir_place *places; /* where the columns of expressions are; NULL: t.c0, t.c1 … */
    bool repeated_sets;       /* in an aggregation with repeated grouping sets: t.copy tells which one a row is for */
} weir_generator;

/* What stands in FROM and WHERE for a relation. */
typedef struct weir_source {
    const char *from;
    const char *where; /* empty: none */
    const weir_place *places;
} weir_source;

/* FROM and WHERE of a relation; the FROM of an UNNEST; and a relation as a whole SELECT, appended to the SQL. */
int weir_generate_source(weir_generator *generator, const weir_plan *plan, weir_source *out);
int weir_generate_unnest(weir_generator *generator, const weir_plan *plan);
int weir_generate_select(weir_generator *generator, const weir_plan *plan);
void weir_generate_from(weir_generator *generator, const weir_source *source); /* " FROM … WHERE …" */
void weir_generate_columns(weir_generator *generator, int32_t count);          /* "… AS c0, … AS c1" */

/* Relations of their own files. */
int weir_generate_aggregation(weir_generator *generator, const weir_plan *plan);
int weir_generate_distinct(weir_generator *generator, const weir_plan *plan);
int weir_generate_window(weir_generator *generator, const weir_plan *plan);
int weir_generate_assign(weir_generator *generator, const weir_plan *plan);

/* Append one column, expression or call of an aggregate to the SQL. */
void weir_generate_column(weir_generator *generator, int32_t column);
int weir_generate_expression(weir_generator *generator, const weir_expression *expression);
int weir_generate_aggregate(weir_generator *generator, const weir_aggregate *aggregate);
/* What a group, a partition or DISTINCT is told apart by: floats by their bits, since 0.0 and -0.0 differ for Flink. */
int weir_generate_key(weir_generator *generator, const weir_expression *expression);
int weir_generate_sort_keys(weir_generator *generator, const char *before, const weir_sort_key *keys, int32_t count);
/* " OVER (…)", with its frame or without. */
int weir_generate_over(weir_generator *generator, const weir_window *window, bool with_frame);
/* The name by which SQL calls a kernel with these types. */
const char *weir_generate_kernel(weir_generator *generator, const weir_kernel *kernel, const char *option,
                                 const weir_type *const *types, int32_t count, const weir_type *type);

#endif
