/* The syntax tree of queries: names, options and hints, expressions, and what stands in a SELECT. Statements are in
 * ast.h.
 *
 * Nodes live in the arena that was given to the parser and borrow from it. Every node knows where it stands, so that
 * later stages can point at it; `begin` and `end` are byte offsets, for quoting the source text. */
#ifndef WEIR_SQL_AST_QUERY_H
#define WEIR_SQL_AST_QUERY_H

#include "vector/type.h"

typedef struct weir_position {
    int32_t line;   /* from 1 */
    int32_t column; /* in characters, from 1 */
    uint32_t begin; /* byte offset of the first byte */
    uint32_t end;   /* byte offset after the last one */
} weir_position;

/* A name such as catalog.database.table; parts are as written, without backquotes. */
typedef struct weir_ast_part {
    weir_position position;
    const char *text;
    bool quoted;
} weir_ast_part;

typedef struct weir_ast_name {
    weir_position position;
    weir_ast_part *parts;
    int32_t count;
} weir_ast_name;

typedef struct weir_ast_names {
    weir_ast_part *items;
    int32_t count;
} weir_ast_names;

/* 'key' = 'value' pairs of WITH (…), OPTIONS(…) hints, SET (…) and PARTITION specifications. */
typedef struct weir_ast_option {
    weir_position position; /* of the key */
    const char *key;
    weir_position value_position;
    const char *value;
} weir_ast_option;

typedef struct weir_ast_options {
    weir_ast_option *items;
    int32_t count;
} weir_ast_options;

typedef struct weir_ast_expression weir_ast_expression;
typedef struct weir_ast_query weir_ast_query;
typedef struct weir_ast_from weir_ast_from;

typedef struct weir_ast_expressions {
    weir_ast_expression **items;
    int32_t count;
} weir_ast_expressions;

/* A hint such as OPTIONS('k'='v'), LOOKUP('table'='d'), BROADCAST(t). */
typedef struct weir_ast_hint {
    weir_position position;
    const char *name;         /* upper case */
    weir_ast_options options; /* key-value form */
    weir_ast_names arguments; /* list form */
} weir_ast_hint;

typedef struct weir_ast_hints {
    weir_ast_hint *items;
    int32_t count;
} weir_ast_hints;

/* --- Expressions ----------------------------------------------------------------------------------------------- */

typedef enum weir_ast_expression_kind {
    WEIR_AST_NULL,
    WEIR_AST_BOOLEAN,    /* operation: 0 or 1 */
    WEIR_AST_NUMBER,     /* text: as written */
    WEIR_AST_STRING,     /* text, text_size: unescaped UTF-8 */
    WEIR_AST_BYTES,      /* text, text_size: the bytes of x'…' */
    WEIR_AST_DATE,       /* text */
    WEIR_AST_TIME,       /* text */
    WEIR_AST_TIMESTAMP,  /* text */
    WEIR_AST_INTERVAL,   /* text; interval; negated: INTERVAL -'1' */
    WEIR_AST_COLUMN,     /* name: column, table.column, column.field … */
    WEIR_AST_STAR,       /* name: its qualifier, count 0 for a bare one */
    WEIR_AST_UNARY,      /* operation; arguments[0] */
    WEIR_AST_BINARY,     /* operation; arguments: two, or two and more of AND and OR; interval: of (a - b) DAY */
    WEIR_AST_BETWEEN,    /* arguments: value, low, high; negated; operation 1: SYMMETRIC */
    WEIR_AST_IN,         /* arguments: value, then the list; or value and query; negated */
    WEIR_AST_QUANTIFIED, /* arguments: value; operation: a comparison; query; negated: with ALL rather than ANY */
    WEIR_AST_EXISTS,     /* query */
    WEIR_AST_LIKE,       /* arguments: value, pattern, escape if given; operation: LIKE or SIMILAR; negated */
    WEIR_AST_IS,         /* operation: weir_ast_is; arguments[0] (and [1] of DISTINCT FROM); negated */
    WEIR_AST_CASE,       /* arguments: [operand] when then … [else]; operation: WEIR_AST_CASE_* bits */
    WEIR_AST_CAST,       /* arguments[0]; type, its units in interval; operation 1: TRY_CAST */
    WEIR_AST_CALL,       /* text: the function's name as written; arguments; call */
    WEIR_AST_ROW,        /* ROW(…) or (a, b): arguments */
    WEIR_AST_ARRAY,      /* ARRAY[…]: arguments; or ARRAY(query) */
    WEIR_AST_MAP,        /* MAP[k, v, …]: arguments */
    WEIR_AST_MULTISET,   /* MULTISET[…] */
    WEIR_AST_ITEM,       /* arguments[0][arguments[1]] */
    WEIR_AST_FIELD,      /* arguments[0].text */
    WEIR_AST_SUBQUERY,   /* query, as a scalar */
    WEIR_AST_UNIT,       /* text: a time unit or keyword argument (DAY, LEADING…), upper case */
    WEIR_AST_TABLE,      /* TABLE t as an argument: name; call->partition_by */
    WEIR_AST_DESCRIPTOR, /* DESCRIPTOR(a, b): names in arguments as COLUMN */
    WEIR_AST_NAMED       /* name => value: text, arguments[0] */
} weir_ast_expression_kind;

typedef enum weir_ast_operator {
    WEIR_AST_OR = 1,
    WEIR_AST_AND,
    WEIR_AST_NOT,
    WEIR_AST_EQUAL,
    WEIR_AST_NOT_EQUAL,
    WEIR_AST_LESS,
    WEIR_AST_LESS_OR_EQUAL,
    WEIR_AST_GREATER,
    WEIR_AST_GREATER_OR_EQUAL,
    WEIR_AST_PLUS,
    WEIR_AST_MINUS,
    WEIR_AST_MULTIPLY,
    WEIR_AST_DIVIDE,
    WEIR_AST_MODULO,
    WEIR_AST_CONCAT,
    WEIR_AST_OVERLAPS,
    WEIR_AST_SIMILAR,
    WEIR_AST_LIKE_OPERATOR
} weir_ast_operator;

typedef enum weir_ast_is {
    WEIR_AST_IS_NULL = 1,
    WEIR_AST_IS_TRUE,
    WEIR_AST_IS_FALSE,
    WEIR_AST_IS_UNKNOWN,
    WEIR_AST_IS_DISTINCT_FROM,
    WEIR_AST_IS_JSON, /* IS JSON [VALUE] */
    WEIR_AST_IS_JSON_OBJECT,
    WEIR_AST_IS_JSON_ARRAY,
    WEIR_AST_IS_JSON_SCALAR
} weir_ast_is;

enum { WEIR_AST_CASE_OPERAND = 1, WEIR_AST_CASE_ELSE = 2 };

/* The units of an INTERVAL literal or type, upper case; `to` is NULL for a single unit. -1: no precision given. */
typedef struct weir_ast_interval {
    const char *from;
    const char *to;
    int32_t leading_precision;
    int32_t fraction_precision;
} weir_ast_interval;

typedef struct weir_ast_sort_key {
    weir_ast_expression *expression;
    bool descending;
    int8_t nulls; /* 0: not said, 1: FIRST, 2: LAST */
} weir_ast_sort_key;

typedef struct weir_ast_sort_keys {
    weir_ast_sort_key *items;
    int32_t count;
} weir_ast_sort_keys;

typedef enum weir_ast_bound_kind {
    WEIR_AST_UNBOUNDED_PRECEDING,
    WEIR_AST_PRECEDING,
    WEIR_AST_CURRENT_ROW,
    WEIR_AST_FOLLOWING,
    WEIR_AST_UNBOUNDED_FOLLOWING
} weir_ast_bound_kind;

typedef struct weir_ast_window {
    weir_position position;
    const char *reference; /* OVER w, or the base of (w …); NULL: none */
    weir_ast_expressions partition_by;
    weir_ast_sort_keys order_by;
    bool has_frame;
    bool rows; /* ROWS rather than RANGE */
    weir_ast_bound_kind lower, upper;
    weir_ast_expression *lower_value, *upper_value; /* of PRECEDING and FOLLOWING */
} weir_ast_window;

/* JSON_VALUE and its like: what to do ON EMPTY and ON ERROR. */
typedef enum weir_ast_json_behaviour {
    WEIR_AST_JSON_UNSET,
    WEIR_AST_JSON_NULL,
    WEIR_AST_JSON_ERROR,
    WEIR_AST_JSON_DEFAULT, /* with the expression */
    WEIR_AST_JSON_EMPTY_ARRAY,
    WEIR_AST_JSON_EMPTY_OBJECT,
    WEIR_AST_JSON_TRUE,
    WEIR_AST_JSON_FALSE,
    WEIR_AST_JSON_UNKNOWN
} weir_ast_json_behaviour;

/* What a call has besides its arguments. */
typedef struct weir_ast_call {
    bool star; /* COUNT(*) */
    bool distinct;
    bool no_parentheses; /* CURRENT_DATE */
    int8_t nulls;        /* 0, 1: IGNORE NULLS, 2: RESPECT NULLS */
    weir_ast_expression *filter;
    weir_ast_sort_keys within_group;
    weir_ast_window *over;
    weir_ast_expressions partition_by; /* of a TABLE argument */
    /* JSON functions */
    const weir_type *returning;
    weir_ast_json_behaviour on_empty, on_error;
    weir_ast_expression *empty_default, *error_default;
    int8_t wrapper; /* 0 unset, 1 WITHOUT, 2 WITH UNCONDITIONAL, 3 WITH CONDITIONAL */
    int8_t on_null; /* 0 unset, 1 NULL ON NULL, 2 ABSENT ON NULL */
} weir_ast_call;

struct weir_ast_expression {
    weir_ast_expression_kind kind;
    weir_position position; /* begin … end: the whole expression; line and column: where it begins, of an operator
                               where the operator stands */
    int32_t operation;
    bool negated;
    bool parenthesized;
    const char *text;
    size_t text_size;
    weir_ast_expression **arguments;
    int32_t argument_count;
    weir_ast_name name;
    const weir_type *type;
    weir_position type_position;
    weir_ast_interval interval;
    weir_ast_query *query;
    weir_ast_call *call; /* of CALL: never NULL */
};

/* --- Queries --------------------------------------------------------------------------------------------------- */

typedef struct weir_ast_alias {
    weir_position position;
    const char *name; /* NULL: none */
    weir_ast_names columns;
} weir_ast_alias;

typedef struct weir_ast_item {
    weir_ast_expression *expression;
    weir_ast_part alias; /* text NULL: none */
} weir_ast_item;

typedef enum weir_ast_grouping_kind {
    WEIR_AST_GROUP_EXPRESSION, /* expressions: one, or none for () */
    WEIR_AST_GROUP_SETS,       /* elements */
    WEIR_AST_GROUP_ROLLUP,     /* elements */
    WEIR_AST_GROUP_CUBE,       /* elements */
    WEIR_AST_GROUP_LIST        /* (a, b) inside of the above */
} weir_ast_grouping_kind;

typedef struct weir_ast_grouping {
    weir_ast_grouping_kind kind;
    weir_position position;
    weir_ast_expressions expressions;
    struct weir_ast_grouping *elements;
    int32_t element_count;
} weir_ast_grouping;

typedef struct weir_ast_named_window {
    const char *name;
    weir_ast_window *window;
} weir_ast_named_window;

typedef struct weir_ast_select {
    weir_position position;
    bool distinct;
    weir_ast_hints hints;
    weir_ast_item *items;
    int32_t item_count;
    weir_ast_from *from; /* NULL: none */
    weir_ast_expression *where;
    bool grouped; /* has GROUP BY */
    bool group_distinct;
    weir_ast_grouping *groups;
    int32_t group_count;
    weir_ast_expression *having;
    weir_ast_expression *qualify;
    weir_ast_named_window *windows;
    int32_t window_count;
} weir_ast_select;

typedef enum weir_ast_query_kind {
    WEIR_AST_SELECT,
    WEIR_AST_VALUES,        /* rows */
    WEIR_AST_SET_OPERATION, /* left, right, set_operator, all */
    WEIR_AST_NESTED         /* (query): left */
} weir_ast_query_kind;

typedef enum weir_ast_set_operator { WEIR_AST_UNION, WEIR_AST_INTERSECT, WEIR_AST_EXCEPT } weir_ast_set_operator;

typedef struct weir_ast_cte {
    weir_ast_part name;
    weir_ast_names columns;
    weir_ast_query *query;
} weir_ast_cte;

struct weir_ast_query {
    weir_ast_query_kind kind;
    weir_position position;
    weir_ast_cte *ctes;
    int32_t cte_count;
    weir_ast_select *select;
    weir_ast_expressions *rows; /* of VALUES */
    int32_t row_count;
    weir_ast_set_operator set_operator;
    bool all;
    weir_ast_query *left, *right;
    weir_ast_sort_keys order_by;
    weir_ast_expression *limit;  /* NULL: none */
    weir_ast_expression *offset; /* NULL: none */
};

typedef enum weir_ast_from_kind {
    WEIR_AST_FROM_TABLE,    /* name, hints, system_time */
    WEIR_AST_FROM_QUERY,    /* query */
    WEIR_AST_FROM_FUNCTION, /* TABLE(f(…)): expression is the CALL */
    WEIR_AST_FROM_UNNEST,   /* expression */
    WEIR_AST_FROM_JOIN,     /* left, right, join, condition or using */
    WEIR_AST_FROM_MATCH     /* MATCH_RECOGNIZE over left: recognized, and refused by the binder */
} weir_ast_from_kind;

typedef enum weir_ast_join {
    WEIR_AST_JOIN_INNER,
    WEIR_AST_JOIN_LEFT,
    WEIR_AST_JOIN_RIGHT,
    WEIR_AST_JOIN_FULL,
    WEIR_AST_JOIN_CROSS /* CROSS JOIN, or a comma */
} weir_ast_join;

struct weir_ast_from {
    weir_ast_from_kind kind;
    weir_position position;
    weir_ast_alias alias;
    weir_ast_name name;
    weir_ast_hints hints;
    weir_ast_expression *system_time; /* FOR SYSTEM_TIME AS OF */
    bool lateral;
    bool ordinality; /* UNNEST … WITH ORDINALITY */
    weir_ast_query *query;
    weir_ast_expression *expression;
    weir_ast_join join;
    bool natural;
    weir_ast_from *left, *right;
    weir_ast_expression *condition;
    weir_ast_names using;
    const char *sample; /* TABLESAMPLE: BERNOULLI or SYSTEM */
    weir_ast_expression *sample_percent;
};

#endif
