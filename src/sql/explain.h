/* EXPLAIN: plans as trees, with what their scans would read. */
#ifndef WEIR_SQL_EXPLAIN_H
#define WEIR_SQL_EXPLAIN_H

#include "sql/plan.h"

typedef struct weir_explain_options {
    bool costs;          /* about how many rows each node gives */
    bool changelog_mode; /* which kinds of rows */
    /* Appends them for a plan that runs as a stream, such as "I,UB,UA,D". NULL: it runs in batch. */
    void (*append_kinds)(const weir_plan *plan, weir_buffer *out);
} weir_explain_options;

/* Appends the plan as a tree under `root`, a line that stands above it (NULL: none). Scans are planned, so that they
 * can say what they read. */
int weir_explain_tree(const weir_plan *plan, const char *root, const weir_explain_options *options, weir_buffer *out,
                      weir_error *err);

/* Appends the plan's nodes as Flink's JSON of an execution plan has them, inputs before what reads them. */
void weir_explain_json(const weir_plan *plan, const char *root, weir_buffer *out);

/* Appends advice, a line each; says so where there is none. */
void weir_explain_advice(const weir_plan *plan, weir_buffer *out);

#endif
