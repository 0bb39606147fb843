/* Subqueries as joins: what the files of the binder share about them.
 *
 * A subquery is bound like any query; columns of queries around it are OUTER expressions in its plan, with the number
 * of queries between as their level. weir_decorrelate takes those of level 1 out of the plan: what is left is a plan of
 * its own, and conditions that say which of its rows belong to which row around. The subquery then is a join to the
 * plan of the query around it. Joins are gathered while expressions are bound, because the plan that they go to may
 * come later (that of groups and aggregates is known when all aggregates are): until then, expressions name their
 * columns by numbers from WEIR_PENDING_COLUMN on. */
#ifndef WEIR_SQL_BIND_SUBQUERY_H
#define WEIR_SQL_BIND_SUBQUERY_H

#include "sql/bind/binder_internal.h"

#define WEIR_PENDING_COLUMN (1 << 28)

/* A place in a plan where the distinct values of some columns of the plan around it belong: a PROJECT without its input
 * so far. */
typedef struct weir_hole {
    weir_plan *project;
    struct weir_hole *next;
} weir_hole;

typedef struct weir_decorrelated {
    weir_plan *plan;
    weir_expression **outputs; /* for each field of the subquery: over the plan's columns, and OUTER ones of level 1 */
    weir_expression **conjuncts; /* the same; all hold for rows that belong together */
    int32_t conjunct_count;
    bool one_row; /* every row around has one: where none is found, outputs over NULLs say what it gives */
    weir_hole *holes;
} weir_decorrelated;

/* A subquery of the binder's query: `plan` is taken apart. */
int weir_decorrelate(weir_binder *binder, weir_plan *plan, weir_decorrelated *out);
/* The same by joining the values that it depends on into it; all conjuncts are IS NOT DISTINCT FROM then. */
int weir_decorrelate_by_values(weir_binder *binder, weir_plan *plan, weir_decorrelated *out);
/* A plan of one row, an aggregate over everything, as a row that may be missing: a stream has none before the first row
 * of its input. False: it is not of that form. */
bool weir_decorrelate_row(weir_binder *binder, weir_plan *plan, weir_decorrelated *out);
/* What an aggregate gives where there is no group: NULL, and COUNT 0. */
weir_expression *weir_or_empty(weir_binder *binder, weir_expression *column);
static inline bool weir_aggregate_has_empty(const weir_aggregate *aggregate)
{
    return aggregate->type->nullable || aggregate->type->id == WEIR_BIGINT;
}
/* An equality between what only the plan's columns say and what only columns around say. */
bool weir_split_key(const weir_expression *conjunct, weir_expression **inner, weir_expression **outer);

/* A join that waits for its plan. */
typedef struct weir_attachment {
    weir_join_kind kind;
    weir_plan *right;
    weir_expression *predicate; /* over the plan's columns and pending ones; NULL: all pairs */
    int32_t first;              /* number of the right side's first column, counted from WEIR_PENDING_COLUMN */
    weir_hole *holes;
    weir_position position;
} weir_attachment;

struct weir_attachments {
    weir_attachment *items;
    int32_t count;
    int32_t column_count;
    int32_t *places; /* of pending columns, once joined */
};

/* Registers a join to the rows of a decorrelated subquery on its conjuncts. `outputs` become expressions of the query
 * around. */
int weir_attach(weir_binder *binder, weir_join_kind kind, weir_decorrelated *subquery, int32_t output_count,
                const weir_position *at);
/* Joins what was gathered: those that only filter (SEMI, ANTI), or the others. */
void weir_attachments_join(weir_binder *binder, weir_attachments *attachments, bool filters, weir_plan **plan);
/* Pending columns as columns of the plan. */
weir_expression *weir_attachments_resolve(weir_binder *binder, const weir_attachments *attachments,
                                          weir_expression *expression);

void weir_attachments_resolve_call(weir_binder *binder, const weir_attachments *attachments, weir_aggregate *call);

/* Copies of plans and expressions (rewrite.c). A rule gives what stands in place of a COLUMN or OUTER expression. */
typedef weir_expression *(*weir_leaf_rule)(weir_binder *binder, const weir_expression *leaf, const void *state);
weir_expression *weir_expression_rewrite(weir_binder *binder, const weir_expression *expression, weir_leaf_rule rule,
                                         const void *state);
void weir_aggregate_rewrite(weir_binder *binder, weir_aggregate *call, weir_leaf_rule rule, const void *state);
void weir_plan_rewrite(weir_binder *binder, weir_plan *plan, weir_leaf_rule rule, const void *state);
/* A copy whose scans are scans of their own; copied holes are added to the list. */
weir_plan *weir_plan_copy(weir_binder *binder, const weir_plan *plan, weir_hole **holes);
bool weir_expression_uses_outer(const weir_expression *expression); /* of level 1 */
bool weir_plan_uses_outer(const weir_plan *plan);                   /* of level 1 */
bool weir_aggregate_uses_outer(const weir_aggregate *call);         /* of level 1 */
bool weir_plan_uses_any_outer(const weir_plan *plan);

/* Nodes that the files about subqueries make. */
weir_expression *weir_and(weir_binder *binder, weir_expression *const *conjuncts, int32_t count,
                          const weir_position *at); /* NULL of none */
weir_plan *weir_plan_grouped(weir_binder *binder, weir_plan *input, weir_expression **groups, int32_t group_count,
                             weir_aggregate *aggregates, int32_t aggregate_count);
weir_plan *weir_plan_columns(weir_binder *binder, weir_plan *plan, const int32_t *columns, int32_t count);

#endif
