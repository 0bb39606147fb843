/* What the files of the binder share. */
#ifndef WEIR_SQL_BIND_BINDER_INTERNAL_H
#define WEIR_SQL_BIND_BINDER_INTERNAL_H

#include "sql/binder.h"
#include "sql/function/function.h"
#include "sql/type.h"

/* Columns that names can mean, in the order of the input's fields. */
typedef struct weir_scope_column {
    const char *relation; /* the table's name or alias; NULL: none */
    const char *name;
    const weir_type *type;
    bool hidden; /* seen with the relation's name before it only: merged with another column by USING */
} weir_scope_column;

typedef struct weir_scope {
    weir_scope_column *columns;
    int32_t count;
} weir_scope;

/* The window that GROUP BY TUMBLE(time, …) and its like made of a SELECT's rows: two of its groups. */
typedef struct weir_group_window {
    weir_expression *time; /* what it was made of; NULL: there is none */
    weir_assigner assigner;
    int32_t start, end; /* which groups */
    int32_t last;       /* …holds its last moment, a time that streams know; -1: none, in batch */
} weir_group_window;

/* What an aggregating SELECT has gathered: expressions over it see the groups and aggregates as columns. */
typedef struct weir_grouping {
    weir_expression **groups;
    const weir_type **types; /* of the groups: nullable where some set leaves them out */
    int32_t group_count;
    uint64_t *sets; /* NULL: one set, of all groups */
    int32_t set_count;
    weir_aggregate *aggregates;
    int32_t aggregate_count;
    bool binding_argument; /* inside an aggregate's arguments: plain columns again */
    weir_group_window window;
    struct weir_attachments *attachments; /* subqueries in these arguments */
} weir_grouping;

/* What the OVER calls of a SELECT have gathered. Until their number is known, call i is column
 * WEIR_WINDOW_COLUMN + i. */
enum { WEIR_WINDOW_COLUMN = 1 << 24 };

typedef struct weir_windowing {
    const weir_ast_select *select; /* for the windows it names */
    weir_aggregate *calls;
    int32_t call_count;
    bool inside; /* of a window or a call over one */
} weir_windowing;

/* Subqueries of expressions, that wait to be joined (subquery.h). */
typedef struct weir_attachments weir_attachments;

/* A condition: what it says of rows, and the subqueries in it. */
typedef struct weir_bound_filter {
    weir_expression *predicate; /* NULL: nothing besides subqueries */
    weir_attachments *attachments;
} weir_bound_filter;

typedef struct weir_cte_scope {
    const weir_ast_cte *cte;
    struct weir_cte_scope *outer;
} weir_cte_scope;

typedef struct weir_binder {
    const weir_bind_context *context;
    weir_bound *bound;
    weir_arena *arena; /* the bound statement's */
    weir_error *err;
    const weir_scope *scope;
    weir_grouping *grouping;   /* NULL: no aggregation here */
    weir_windowing *windowing; /* NULL: no OVER here */
    weir_cte_scope *ctes;
    int64_t now_ms;
    int32_t depth;
    const char *clause;              /* where aggregates are not allowed: "WHERE"; NULL where they are */
    const struct weir_binder *outer; /* the query around, whose columns this one may name; NULL: none */
    const weir_ast_hints *hints;     /* of the SELECT whose FROM is bound; NULL: none */
    weir_attachments *attachments;   /* where subqueries of expressions are gathered; NULL: they can't stand here */
} weir_binder;

/* Making and finishing bound statements (binder.c). */
weir_bound *weir_bound_new(const weir_bind_context *context);
weir_binder weir_binder_new(const weir_bind_context *context, weir_bound *bound, weir_error *err);
void weir_binder_finish(weir_binder *binder, weir_plan *plan);
int weir_binder_constant(weir_binder *binder, const weir_ast_expression *ast, const weir_type *type,
                         weir_expression **out); /* a LITERAL */

/* Fail at a place of the statement: with WEIR_INVALID and a message, and with WEIR_UNSUPPORTED for `what`. */
int weir_binder_fail(weir_binder *binder, const weir_position *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int weir_binder_unsupported(weir_binder *binder, const weir_position *at, const char *what);

/* As with weir_fail: compilers see that these fail. */
#define weir_binder_fail(binder, at, ...) weir_code_given((weir_binder_fail)((binder), (at), __VA_ARGS__), WEIR_INVALID)
#define weir_binder_unsupported(binder, at, what)                                                                      \
    weir_code_given((weir_binder_unsupported)((binder), (at), (what)), WEIR_UNSUPPORTED)

/* Whether INSERT and UPDATE give a value to a column of this kind. */
static inline bool weir_column_is_written(const weir_sql_column *column)
{
    return column->kind == WEIR_SQL_PHYSICAL_COLUMN ||
           (column->kind == WEIR_SQL_METADATA_COLUMN && !column->is_virtual);
}

/* Notes what stands in the text for something longer, where somebody asks (expansion.c). `chosen`: the columns of the
 * scope that a * means. */
void weir_binder_expand_name(const weir_binder *binder, const weir_ast_name *name);
void weir_binder_expand_star(const weir_binder *binder, const weir_ast_expression *star, const weir_scope *scope,
                             const bool *chosen);

/* Building expressions (expression.c). */
weir_expression *weir_expression_new(weir_binder *binder, weir_expression_kind kind, const weir_type *type,
                                     const weir_position *at, int32_t argument_count);
weir_expression *weir_expression_column(weir_binder *binder, int32_t column, const weir_type *type,
                                        const weir_position *at);
weir_expression *weir_expression_literal(weir_binder *binder, const weir_type *type, weir_literal literal,
                                         const weir_position *at);
weir_expression *weir_expression_null(weir_binder *binder, const weir_type *type, const weir_position *at);
weir_expression *weir_expression_call(weir_binder *binder, const weir_kernel *kernel, const char *option,
                                      const weir_type *type, const weir_position *at, weir_expression **arguments,
                                      int32_t argument_count);
weir_expression *weir_expression_two(weir_binder *binder, weir_expression_kind kind, const weir_type *type,
                                     const weir_position *at, weir_expression *a, weir_expression *b);
bool weir_expression_constant(const weir_expression *expression); /* names no column of its query */
const weir_type *weir_binder_boolean(bool nullable);
const weir_type *weir_binder_nullable(weir_binder *binder, const weir_type *type, bool nullable);

/* Computes calls over literals; what fails stays as it is (fold.c). */
weir_expression *weir_fold(weir_binder *binder, weir_expression *expression, weir_error *reason);

/* Casts (cast.c). `weir_binder_cast` is for types that weir_sql_cast_rule allows. */
int weir_binder_cast(weir_binder *binder, weir_expression *expression, const weir_type *type, bool try_cast,
                     weir_expression **out);
int weir_binder_common(weir_binder *binder, const weir_position *at, const char *what, weir_expression **expressions,
                       int32_t count, const weir_type **out);
int weir_binder_typed(weir_binder *binder, const weir_expression *expression); /* refuses an untyped NULL */

/* Expressions (bind_expression.c, bind_literal.c, bind_operator.c, bind_call.c). */
int weir_bind_expression(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_condition(weir_binder *binder, const weir_ast_expression *ast, const char *clause, weir_expression **out);
int weir_bind_literal(weir_binder *binder, const weir_ast_expression *ast, bool negated, weir_expression **out);
int weir_bind_unary(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_binary(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_comparison(weir_binder *binder, weir_expression_kind kind, const weir_position *at, weir_expression *a,
                         weir_expression *b, weir_expression **out);
int weir_bind_arithmetic(weir_binder *binder, weir_ast_operator operation, const weir_position *at, weir_expression *a,
                         weir_expression *b, weir_expression **out);
int weir_bind_not(weir_binder *binder, const weir_position *at, weir_expression *operand, weir_expression **out);
int weir_bind_time_arithmetic(weir_binder *binder, weir_ast_operator operation, const weir_position *at,
                              weir_expression *a, weir_expression *b, weir_expression **out);
int weir_bind_difference(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_interval_cast(weir_binder *binder, const weir_ast_expression *ast, weir_expression *operand,
                            const weir_type *type, weir_expression **out);
int64_t weir_unit_worth(const char *unit, bool *months); /* in months or milliseconds; 0: no unit of intervals */
int weir_bind_overlaps(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_call(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                        weir_expression **out);
int weir_bind_is_json(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out); /* rule_json.c */
int weir_bind_item(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out); /* rule_collection.c */
bool weir_ast_has_aggregate(const weir_ast_expression *ast);
bool weir_ast_has_over(const weir_ast_expression *ast);
bool weir_function_takes(const char *parameters, int32_t count); /* as many arguments, by the letters of function.h */

/* Groups (bind_group.c), OVER (bind_window.c), windows of time (bind_assign.c). */
int weir_bind_groups(weir_binder *binder, const weir_ast_select *select, weir_grouping *grouping, weir_plan **plan);
int weir_bind_group_function(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                             weir_expression **out);
weir_plan *weir_plan_aggregate(weir_binder *binder, const weir_grouping *grouping, const weir_position *at,
                               weir_plan *input);
/* An aggregation whose groups are those of another, and then more, takes over its grouping sets; what was added is in
 * all of them. False: too many groups. */
bool weir_plan_take_sets(weir_binder *binder, const weir_plan *from, weir_plan *to);
int weir_bind_over(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function,
                   weir_expression **out);
weir_plan *weir_plan_window(weir_binder *binder, const weir_windowing *windowing, const weir_position *at,
                            weir_plan *input);
void weir_place_window_columns(weir_expression *expression, int32_t first);
int weir_bind_window_table(weir_binder *binder, const weir_ast_from *from, weir_plan **out);
bool weir_ast_is_group_window(const weir_ast_expression *ast); /* TUMBLE(…), HOP(…), SESSION(…) */
int weir_bind_group_window(weir_binder *binder, const weir_ast_expression *ast, weir_group_window *window,
                           weir_plan **plan, weir_expression *bounds[3]); /* start, end, time */
int weir_is_group_window(weir_binder *binder, const weir_ast_expression *ast, const weir_group_window *window,
                         bool *out); /* by the arguments of TUMBLE_START(…) and its like */
int weir_bind_window_time(weir_binder *binder, weir_expression *end, const weir_type *type, const weir_position *at,
                          weir_expression **out);

/* The steps of binding an aggregate, over groups or over a window (bind_aggregate.c): the number of its arguments; the
 * arguments, FILTER and order; its type (of what may be computed over no rows); its column. */
int weir_check_aggregate(weir_binder *binder, const weir_ast_expression *ast, const weir_function *function);
int weir_bind_aggregate_parts(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate);
int weir_bind_json_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate);
int weir_type_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                        bool may_be_empty);
weir_expression *weir_add_aggregate(weir_binder *binder, const weir_aggregate *aggregate);
int weir_bind_sort_keys(weir_binder *binder, const weir_ast_sort_keys *keys, weir_sort_key **out);
int weir_finish_aggregate(weir_binder *binder, const weir_ast_expression *ast, weir_aggregate *aggregate,
                          weir_expression **out);
int weir_bind_name(weir_binder *binder, const weir_ast_name *name, weir_expression **out);
int weir_bind_field(weir_binder *binder, weir_expression *row, const char *name, const weir_position *at,
                    weir_expression **out);

/* Subqueries (bind_subquery.c). A condition that may have them is bound first and planned later. */
bool weir_ast_has_subquery(const weir_ast_expression *ast);
int weir_bind_scalar_subquery(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_exists(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_quantified(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
weir_expression_kind weir_operator_kind(weir_ast_operator operation);
int weir_bind_in_subquery(weir_binder *binder, const weir_ast_expression *ast, weir_expression **out);
int weir_bind_filter(weir_binder *binder, const weir_ast_expression *ast, const char *clause, weir_bound_filter *out);
void weir_plan_bound_filter(weir_binder *binder, const weir_bound_filter *filter, weir_plan **plan);

/* Queries (bind_query.c, bind_select.c, bind_table.c, bind_join.c). */
int weir_bind_plan(weir_binder *binder, const weir_ast_query *query, weir_plan **out);
/* A query inside of another: it sees none of the columns around it but those of `outer` (NULL: none). */
int weir_bind_nested(weir_binder *binder, const weir_ast_query *query, weir_cte_scope *ctes, const weir_binder *outer,
                     weir_plan **out);
/* Whether rows can be ordered by values of a type; an error at `at` where not. */
int weir_check_order(weir_binder *binder, const weir_position *at, const weir_type *type);
/* A key of ORDER BY with its bound expression. */
weir_sort_key weir_sort_key_of(const weir_ast_sort_key *key, weir_expression *expression);
/* Puts ORDER BY, LIMIT and OFFSET of a query over its plan; `expressions`: those of the keys, bound over the plan. */
int weir_plan_order(weir_binder *binder, const weir_ast_query *query, weir_expression *const *expressions,
                    weir_plan **plan);
int weir_bind_select(weir_binder *binder, const weir_ast_query *query, weir_plan **out);
int weir_bind_from(weir_binder *binder, const weir_ast_from *from, weir_plan **out, weir_scope *scope);
int weir_bind_join(weir_binder *binder, const weir_ast_from *join, weir_plan **out, weir_scope *scope);
/* The table's hints with what FOR SYSTEM_TIME AS OF asks for. */
int weir_bind_system_time(weir_binder *binder, const weir_ast_from *from, weir_ast_hints *out);
/* What STATE_TTL says of the relations that are the inputs of a plan (NULL: there is no second one); NULL: nothing. */
const int64_t *weir_hinted_state_ttls(const weir_binder *binder, const weir_ast_from *first,
                                      const weir_ast_from *second);
int weir_check_query_hints(weir_binder *binder, const weir_ast_hints *hints, const weir_ast_from *from);
int weir_check_table_hints(weir_binder *binder, const weir_ast_hints *hints);
int weir_rename_columns(weir_binder *binder, const weir_ast_names *names, weir_plan *plan);
/* What sees the relations before it: both are extended (bind_lateral.c). */
int weir_bind_unnest(weir_binder *binder, const weir_ast_from *from, bool outer, weir_plan **plan, weir_scope *scope);
int weir_bind_lateral(weir_binder *binder, const weir_ast_from *from, bool outer, weir_plan **plan, weir_scope *scope);
int weir_bind_table(weir_binder *binder, const weir_ast_name *name, const weir_ast_hints *hints, weir_sql_table **out,
                    const char **out_view);
int weir_bind_scan(weir_binder *binder, weir_sql_table *table, const weir_position *at, weir_plan **out);
weir_plan *weir_plan_new(weir_binder *binder, weir_plan_kind kind, const weir_position *at, weir_plan *input);
weir_plan *weir_plan_project(weir_binder *binder, weir_plan *input, weir_expression **expressions, weir_field *fields,
                             int32_t count);
weir_plan *weir_plan_join(weir_binder *binder, weir_join_kind kind, const weir_position *at, weir_plan *left,
                          weir_plan *right, weir_expression *predicate);
weir_plan *weir_plan_filter(weir_binder *binder, weir_plan *input, weir_expression *predicate);
void weir_scope_add(weir_binder *binder, weir_scope *scope, const char *relation, const char *name,
                    const weir_type *type);
weir_scope weir_scope_of_fields(weir_binder *binder, const char *relation, const weir_plan *plan);

/* PROJECT over VALUES to VALUES (collapse.c). */
weir_plan *weir_collapse_values(weir_binder *binder, weir_plan *plan);

/* Has rows of batch lookups come out as they went in; for INSERT into a table that the last row of a key wins in
 * (keep_order.c). */
weir_plan *weir_keep_order(weir_binder *binder, weir_plan *plan);

/* Moving work towards the scans, after binding (move_filters.c, push.c, prune.c). */
weir_plan *weir_move_filters(weir_binder *binder, weir_plan *plan);
void weir_push_down(weir_arena *arena, weir_plan *plan);
/* What a condition over rows of these fields says of single ones, in their positions (NULL: nothing), and the same in
 * the positions of a scan's table. *out_exact turns false where it says less than the condition. */
const weir_predicate *weir_condition_predicate(weir_arena *arena, const weir_expression *condition,
                                               const weir_field *fields, bool *out_exact);
const weir_predicate *weir_push_predicate(weir_arena *arena, const weir_expression *condition, const weir_plan *scan,
                                          bool *out_exact);
void weir_prune_columns(weir_arena *arena, weir_plan *plan);

#endif
