/* Bound plans: relations over expressions, every name resolved to a column number, every expression with its type.
 *
 * Plans live in the arena of the bound statement. They say what is computed and not how: the same plan becomes DuckDB's
 * SQL for a batch and operators for a stream. */
#ifndef WEIR_SQL_PLAN_H
#define WEIR_SQL_PLAN_H

#include "sql/ast.h"
#include "sql/scan.h"
#include "vector/literal.h"

typedef struct weir_expression weir_expression;
typedef struct weir_plan weir_plan;
struct weir_kernel;
struct weir_function;

/* What an expression does. Those with a meaning of their own are here, because pushing down, folding and the fast
 * paths look at them; every other function is a CALL of a kernel. */
typedef enum weir_expression_kind {
    WEIR_EXPRESSION_COLUMN,  /* column: position in the fields of the input(s), those of the second after the first's */
    WEIR_EXPRESSION_LITERAL, /* literal */
    WEIR_EXPRESSION_AND,
    WEIR_EXPRESSION_OR,
    WEIR_EXPRESSION_NOT,
    WEIR_EXPRESSION_EQUAL, /* comparisons: both sides of one carried type */
    WEIR_EXPRESSION_NOT_EQUAL,
    WEIR_EXPRESSION_LESS,
    WEIR_EXPRESSION_LESS_OR_EQUAL,
    WEIR_EXPRESSION_GREATER,
    WEIR_EXPRESSION_GREATER_OR_EQUAL,
    WEIR_EXPRESSION_DISTINCT, /* IS DISTINCT FROM */
    WEIR_EXPRESSION_NOT_DISTINCT,
    WEIR_EXPRESSION_IN, /* arguments: value, then literals and expressions */
    WEIR_EXPRESSION_IS_NULL,
    WEIR_EXPRESSION_IS_NOT_NULL,
    WEIR_EXPRESSION_IS_TRUE,
    WEIR_EXPRESSION_IS_NOT_TRUE,
    WEIR_EXPRESSION_IS_FALSE,
    WEIR_EXPRESSION_IS_NOT_FALSE,
    WEIR_EXPRESSION_CASE, /* arguments: when, then, …, else */
    WEIR_EXPRESSION_COALESCE,
    WEIR_EXPRESSION_SAME, /* arguments[0], read as another type that is carried alike (nullability, length) */
    WEIR_EXPRESSION_ROW,  /* a ROW of the arguments */
    WEIR_EXPRESSION_ARRAY,
    WEIR_EXPRESSION_MAP,   /* arguments: key, value, … */
    WEIR_EXPRESSION_FIELD, /* column: which field of arguments[0] */
    WEIR_EXPRESSION_CALL,  /* kernel over arguments */
    WEIR_EXPRESSION_OUTER  /* column: of the query `level` queries further out; only while a query is bound */
} weir_expression_kind;

struct weir_expression {
    weir_expression_kind kind;
    weir_position position;
    const weir_type *type;
    int32_t column;
    int32_t level;
    weir_literal literal; /* bytes in the plan's arena */
    const struct weir_kernel *kernel;
    const char *kernel_option; /* a text that the kernel also needs (a time zone, a format); NULL: none */
    weir_expression **arguments;
    int32_t argument_count;
};

/* What is under casts that change nothing but nullability or length. */
const weir_expression *weir_expression_bare(const weir_expression *expression);
/* Whether both are the same computation; never so where it may give something else each time. */
bool weir_expression_equal(const weir_expression *a, const weir_expression *b);
/* Whether it may give something else each time: RAND() and its like. */
bool weir_expression_is_volatile(const weir_expression *expression);
/* Whether two expressions over the same fields always give the same. */
bool weir_expression_equal(const weir_expression *a, const weir_expression *b);
/* Sets used[i] for each column i that it names. */
void weir_expression_mark(const weir_expression *expression, bool *used);

typedef struct weir_sort_key {
    weir_expression *expression;
    bool descending;
    bool nulls_first;
} weir_sort_key;

/* Where a frame of OVER ends on one side. PRECEDING and FOLLOWING have a constant distance: rows, or what RANGE adds to
 * the one sort key (a number, or an interval for times). */
typedef struct weir_frame_bound {
    weir_ast_bound_kind kind;
    weir_expression *distance; /* NULL where the kind needs none */
} weir_frame_bound;

/* What OVER says: which rows belong together, their order, and which of them a call sees. */
typedef struct weir_window {
    weir_expression **partition_keys;
    int32_t partition_key_count;
    weir_sort_key *sort_keys;
    int32_t sort_key_count;
    bool rows; /* the frame counts ROWS rather than values */
    weir_frame_bound lower, upper;
} weir_window;

/* An aggregate over the input of an AGGREGATE, or a function over a window of the input of a WINDOW. */
typedef struct weir_aggregate {
    const struct weir_function *function;
    weir_position position;
    const weir_type *type;
    weir_expression **arguments; /* none: COUNT(*) */
    int32_t argument_count;
    bool distinct;
    bool ignore_nulls;       /* of LAG, LEAD; aggregates that look at values only are so by themselves */
    weir_expression *filter; /* NULL: none */
    weir_sort_key *order;    /* WITHIN GROUP */
    int32_t order_count;
    const weir_window *window; /* of WINDOW; NULL in AGGREGATE */
} weir_aggregate;

/* Window table functions: each row in the windows that its time falls into. All numbers are milliseconds. */
typedef enum weir_assigner_kind {
    WEIR_ASSIGN_TUMBLE,
    WEIR_ASSIGN_HOP,      /* step: from one start to the next */
    WEIR_ASSIGN_CUMULATE, /* step: from one end to the next */
    WEIR_ASSIGN_SESSION   /* size: the gap */
} weir_assigner_kind;

typedef struct weir_assigner {
    weir_assigner_kind kind;
    int32_t column; /* the time, TIMESTAMP or TIMESTAMP_LTZ; rows without one are in no window */
    int64_t size, step, offset;
    weir_expression **partition_keys; /* of SESSION */
    int32_t partition_key_count;
    const char *zone; /* the session's: windows of TIMESTAMP_LTZ follow its clock; NULL: those of TIMESTAMP */
    bool of_group_by; /* the older form: GROUP BY TUMBLE(time, size) */
} weir_assigner;

typedef enum weir_plan_kind {
    WEIR_PLAN_SCAN,      /* fields: the columns read */
    WEIR_PLAN_VALUES,    /* rows of expressions without columns; one row of no fields for a SELECT without FROM */
    WEIR_PLAN_PROJECT,   /* fields: expressions */
    WEIR_PLAN_FILTER,    /* fields: those of the input */
    WEIR_PLAN_AGGREGATE, /* fields: groups, then aggregates */
    WEIR_PLAN_WINDOW,    /* fields: those of the input, then aggregates, each over its window */
    WEIR_PLAN_WATERMARK, /* fields: those of the input. In streams alone */
    WEIR_PLAN_ASSIGN,    /* fields: those of the input, then window_start, window_end, window_time */
    WEIR_PLAN_DISTINCT,  /* fields: those of the input */
    WEIR_PLAN_SORT,      /* fields: those of the input; also LIMIT and OFFSET, with or without keys */
    WEIR_PLAN_UNION,     /* ALL; inputs of equal types */
    WEIR_PLAN_INTERSECT, /* rows of both inputs, of equal types; without `all` each once */
    WEIR_PLAN_EXCEPT,    /* rows of the first input without those of the second; without `all` each once */
    WEIR_PLAN_UNNEST,    /* fields: those of the input, then of an element, then its number if `ordinality` */
    WEIR_PLAN_JOIN       /* fields: those of both inputs (SEMI and ANTI: of the first) */
} weir_plan_kind;

typedef enum weir_join_kind {
    WEIR_JOIN_INNER,
    WEIR_JOIN_LEFT,
    WEIR_JOIN_RIGHT,
    WEIR_JOIN_FULL,
    WEIR_JOIN_SEMI,           /* rows of the first that have a match */
    WEIR_JOIN_ANTI,           /* rows of the first that have none */
    WEIR_JOIN_ANTI_NULL_AWARE /* NOT IN: rows of the first for which the predicate, equalities of a side each, is false
                                 with every row of the second: unknown counts as a match */
} weir_join_kind;

static inline bool weir_join_keeps_both(weir_join_kind kind) { return kind < WEIR_JOIN_SEMI; }

struct weir_plan {
    weir_plan_kind kind;
    weir_position position;
    weir_field *fields; /* what it gives: names are for people, types are Flink's */
    int32_t field_count;
    weir_plan **inputs;
    int32_t input_count;

    /* SCAN */
    weir_sql_table *table;
    int32_t *columns;             /* field i is table->columns[columns[i]] */
    const weir_predicate *pushed; /* NULL: none */
    int64_t scan_limit;           /* -1: none */
    int32_t scan_index;           /* numbers the scans of a plan from 0 */

    /* PROJECT: the expressions; AGGREGATE: the groups; VALUES: row after row; UNNEST: the one ARRAY (its element's
     * fields if that is a ROW), MAP (key and value) or MULTISET (its elements as often as it counts them); WATERMARK:
     * the one moment that no row is expected before any more, once this one has come */
    weir_expression **expressions;
    int32_t expression_count;
    int64_t row_count; /* of VALUES */

    weir_expression *predicate; /* FILTER; JOIN, over the fields of both inputs (NULL: all pairs) */
    weir_join_kind join;
    weir_expression *as_of; /* JOIN in streams: a time of the first input, as of which its rows see the second, which is
                               a table read row by row; NULL: they see all that it will hold. Only INNER and LEFT */
    bool looks_up;          /* JOIN in batch: the same, of bounded rows, which see the table as it is */

    const int64_t *state_ttls_ms; /* JOIN, AGGREGATE in streams: how long the rows of each input are remembered that are
                                     not written to; -1: as a setting says. NULL: that is so of all */

    bool outer;      /* UNNEST: a row of NULLs for each input row that has no elements */
    bool ordinality; /* UNNEST */

    bool all; /* INTERSECT, EXCEPT: rows count as often as they come */

    weir_aggregate *aggregates; /* AGGREGATE, WINDOW */
    int32_t aggregate_count;
    bool global;             /* AGGREGATE without GROUP BY: one row even over no rows */
    uint64_t *grouping_sets; /* a bit for each group that a set groups by; NULL: one set, of all groups. The same set
                                may come twice, and GROUP_ID tells which time it is */
    int32_t grouping_set_count;

    weir_assigner *assigner; /* ASSIGN */
    int32_t time_column;     /* WATERMARK: the field that holds the time of events */

    weir_sort_key *sort_keys; /* SORT */
    int32_t sort_key_count;
    int64_t limit;  /* -1: none */
    int64_t offset; /* 0: none */
};

/* The one scan under a plan of PROJECT and FILTER alone (what can run batch after batch, keeping row kinds), or NULL.
 */
const weir_plan *weir_plan_row_wise_scan(const weir_plan *plan);

/* The PROJECTs and FILTERs on top of a plan as one: what the rows of `bottom` must fulfil, all of it, and what the
 * fields of the plan are, as expressions over the fields of `bottom`. Made in `arena`, around parts of the plan. A
 * projection stays below when its volatile expressions are named more than once, or when the whole would grow large. */
typedef struct weir_flat_plan {
    const weir_plan *bottom;
    weir_expression **conditions;
    int32_t condition_count;
    weir_expression **expressions;
    int32_t expression_count;
} weir_flat_plan;

void weir_plan_flatten(const weir_plan *plan, weir_arena *arena, weir_flat_plan *out);

/* Appends in words: an expression over the fields of `input`; an aggregate over those; what a JOIN asks for. */
void weir_expression_show(const weir_expression *expression, const weir_plan *input, weir_buffer *out);
void weir_aggregate_show(const weir_aggregate *aggregate, const weir_plan *input, weir_buffer *out);
void weir_join_predicate_show(const weir_plan *join, weir_buffer *out);

/* Appends one node in words, without its inputs. */
void weir_plan_show_node(const weir_plan *plan, weir_buffer *out);

/* Appends the plan in readable form, a node a line, inputs indented: for tests. EXPLAIN is sql/explain.h. */
void weir_plan_explain(const weir_plan *plan, weir_buffer *out);

#endif
