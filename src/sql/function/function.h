/* The one table of functions: names, what arguments they take, what type they give, and how they are computed. Scalar
 * functions are computed by kernels, or bound to expressions by a rule of their own; aggregates are told apart by
 * weir_aggregate_kind, which batch and stream carry out each in their way. */
#ifndef WEIR_SQL_FUNCTION_FUNCTION_H
#define WEIR_SQL_FUNCTION_FUNCTION_H

#include "sql/function/kernel.h"
#include "sql/plan.h"

typedef enum weir_function_kind {
    WEIR_FUNCTION_SCALAR,
    WEIR_FUNCTION_AGGREGATE,
    WEIR_FUNCTION_WINDOW, /* over a window only: OVER (…) */
    WEIR_FUNCTION_GROUP,  /* tells about grouping sets: GROUPING(…) */
    WEIR_FUNCTION_KNOWN /* Flink has it, this version does not: refused by name */
} weir_function_kind;

typedef enum weir_aggregate_kind {
    WEIR_AGGREGATE_NONE,
    WEIR_AGGREGATE_COUNT,
    WEIR_AGGREGATE_SUM,
    WEIR_AGGREGATE_MIN,
    WEIR_AGGREGATE_MAX,
    WEIR_AGGREGATE_AVG,
    WEIR_AGGREGATE_STDDEV_POP,
    WEIR_AGGREGATE_STDDEV_SAMP,
    WEIR_AGGREGATE_VAR_POP,
    WEIR_AGGREGATE_VAR_SAMP,
    WEIR_AGGREGATE_FIRST_VALUE,
    WEIR_AGGREGATE_LAST_VALUE,
    WEIR_AGGREGATE_COLLECT,
    WEIR_AGGREGATE_ARRAY_AGG,
    WEIR_AGGREGATE_LISTAGG,
    WEIR_AGGREGATE_JSON_ARRAYAGG,
    WEIR_AGGREGATE_JSON_OBJECTAGG,
    WEIR_AGGREGATE_APPROX_COUNT_DISTINCT,
    WEIR_AGGREGATE_PERCENTILE,
    WEIR_AGGREGATE_SINGLE_VALUE,
    WEIR_AGGREGATE_GROUPING, /* a bit for each argument: 1 where it is not grouped by */
    WEIR_AGGREGATE_GROUP_ID,
    WEIR_AGGREGATE_ROW_NUMBER, /* from here on of WINDOW only */
    WEIR_AGGREGATE_RANK,
    WEIR_AGGREGATE_DENSE_RANK,
    WEIR_AGGREGATE_PERCENT_RANK,
    WEIR_AGGREGATE_CUME_DIST,
    WEIR_AGGREGATE_NTILE,
    WEIR_AGGREGATE_LAG,
    WEIR_AGGREGATE_LEAD
} weir_aggregate_kind;

typedef const weir_type *(*weir_result_rule)(weir_arena *arena, const weir_type *const *arguments, int32_t count,
                                             bool nullable);

struct weir_binder;

/* Functions whose arguments depend on each other, or that are no kernel at all. `arguments` are bound and may be
 * replaced. */
typedef int (*weir_bind_rule)(struct weir_binder *binder, const weir_ast_expression *call, weir_expression **arguments,
                              int32_t count, weir_expression **out);

/* One letter for each parameter:
 *   s text   y bytes   x text or bytes   n number   i integer, taken as INT   l integer, taken as BIGINT
 *   d number, taken as DOUBLE   b BOOLEAN   t TIMESTAMP or LTZ   p text, number or BOOLEAN
 *   e text or integer   a anything
 * ? before the first one that may be left out, * after the last one when it may be repeated. */
typedef struct weir_function {
    const char *name;
    weir_function_kind kind;
    const char *parameters;
    weir_result_rule result;
    bool nullable; /* the result may be NULL though no argument is */
    const weir_kernel *kernel;
    weir_bind_rule bind; /* instead of the three before */
    weir_aggregate_kind aggregate;
    const char *signature;
} weir_function;

extern const weir_function weir_functions[];
extern const size_t weir_function_count;

const weir_function *weir_function_find(const char *name); /* in any case; NULL: unknown */
const char *weir_function_suggest(const char *name);       /* the function probably meant, or NULL */

#endif
