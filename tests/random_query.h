/* Random queries with joins and nested, correlated subqueries over tables a, b and c of columns k and v, both INT. */
#ifndef WEIR_TESTS_RANDOM_QUERY_H
#define WEIR_TESTS_RANDOM_QUERY_H

#include "base/base.h"
#include "random.h"

typedef struct random_query {
    random_state *random;
    int aliases;
    weir_buffer sql;
    bool for_streams; /* an aggregate of nothing is no row there: queries don't depend on it */
} random_query;

/* Relations that a part of a query sees, one scope after the other. */
typedef struct query_scopes {
    int first[8]; /* alias numbers of a scope */
    int count[8];
    int depth;
} query_scopes;

static inline int query_pick(random_query *q, int below) { return (int)random_below(q->random, (uint64_t)below); }

static inline bool query_chance(random_query *q, int percent) { return query_pick(q, 100) < percent; }

static inline const char *query_one_of(random_query *q, const char *const *texts, int count)
{
    return texts[query_pick(q, count)];
}

static inline void query_put(random_query *q, const char *text) { weir_buffer_append_text(&q->sql, text); }

static void query_put_predicate(random_query *q, const query_scopes *around, int depth);
static void query_put_scalar(random_query *q, const query_scopes *around, int depth);

/* ---- pieces of a query ---- */

static inline void query_put_column(random_query *q, const query_scopes *around)
{
    int scope = query_chance(q, 60) ? around->depth - 1 : query_pick(q, around->depth);
    int alias = around->first[scope] + query_pick(q, around->count[scope]);
    weir_buffer_append_format(&q->sql, "t%d.%c", alias, "kv"[query_pick(q, 2)]);
}

static inline const char *query_table(random_query *q)
{
    static const char *const tables[] = {"a", "b", "c"};
    return query_one_of(q, tables, 3);
}

/* FROM: adds a scope with what it names. */
static inline void query_put_from(random_query *q, query_scopes *inner, int depth)
{
    static const char *const joins[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
    static const char *const sets[] = {"UNION", "UNION ALL", "INTERSECT", "EXCEPT"};
    int first = q->aliases++;
    int kind = query_pick(q, 10);
    inner->first[inner->depth] = first;
    inner->count[inner->depth] = 1;
    if (kind < 3) {
        q->aliases++;
        inner->count[inner->depth] = 2;
        weir_buffer_append_format(&q->sql, "%s AS t%d %s %s AS t%d ON t%d.k = t%d.%c", query_table(q), first,
                                  query_one_of(q, joins, 4), query_table(q), first + 1, first, first + 1,
                                  "kv"[query_pick(q, 2)]);
    } else if (kind == 3 && depth > 0) {
        weir_buffer_append_format(&q->sql, "(SELECT k, COUNT(*) AS v FROM %s GROUP BY k) AS t%d", query_table(q),
                                  first);
    } else if (kind == 4) {
        weir_buffer_append_format(&q->sql, "(SELECT k, v FROM %s %s SELECT v, k FROM %s) AS t%d", query_table(q),
                                  query_one_of(q, sets, 4), query_table(q), first);
    } else {
        weir_buffer_append_format(&q->sql, "%s AS t%d", query_table(q), first);
    }
    inner->depth++;
}

/* FROM and maybe WHERE of a subquery, in whose scopes the caller goes on. */
static inline void query_put_from_and_where(random_query *q, query_scopes *inner, int depth)
{
    query_put(q, " FROM ");
    query_put_from(q, inner, depth);
    if (query_chance(q, 85)) {
        query_put(q, " WHERE ");
        query_put_predicate(q, inner, depth - 1);
    }
}

static void query_put_scalar(random_query *q, const query_scopes *around, int depth)
{
    static const char *const aggregates[] = {"(SELECT MAX(", "(SELECT MIN(", "(SELECT COUNT(", "(SELECT SUM("};
    query_scopes inner = *around;
    query_put(q, query_one_of(q, aggregates, 4));
    weir_buffer_append_format(&q->sql, "t%d.v)%s", q->aliases, query_chance(q, 20) ? " + 1" : "");
    query_put_from_and_where(q, &inner, depth);
    query_put(q, query_chance(q, 10) ? " HAVING COUNT(*) > 1)" : q->for_streams ? " HAVING COUNT(*) > 0)" : ")");
}

static inline void query_put_operand(random_query *q, const query_scopes *around, int depth)
{
    if (query_chance(q, 25)) {
        weir_buffer_append_format(&q->sql, "%d", query_pick(q, 5));
    } else if (depth > 0 && around->depth < 6 && query_chance(q, 30)) {
        query_put_scalar(q, around, depth - 1);
    } else {
        query_put_column(q, around);
    }
}

static inline void query_put_comparison(random_query *q, const query_scopes *around, int depth)
{
    static const char *const signs[] = {" = ", " = ", " < ", " > ", " <> ", " <= ", " >= "};
    query_put_column(q, around);
    query_put(q, query_one_of(q, signs, 7));
    query_put_operand(q, around, depth);
}

/* EXISTS, IN, ANY and ALL. (Not rows IN a query: this DuckDB takes rows with NULLs to be unknown altogether.) */
static inline void query_put_subquery_predicate(random_query *q, const query_scopes *around, int depth)
{
    static const char *const quantifiers[] = {" < ANY ", " >= ALL ", " = ANY ", " <> ALL "};
    query_scopes inner = *around;
    int kind = query_pick(q, 10);
    if (kind < 3) {
        query_put(q, query_chance(q, 50) ? "EXISTS (SELECT 1" : "NOT EXISTS (SELECT 1");
    } else {
        query_put_column(q, around);
        query_put(q, kind < 7 ? " IN " : kind < 9 ? " NOT IN " : query_one_of(q, quantifiers, 4));
        weir_buffer_append_format(&q->sql, "(SELECT t%d.%c", q->aliases, "kv"[query_pick(q, 2)]);
    }
    query_put_from_and_where(q, &inner, depth);
    query_put(q, ")");
}

static void query_put_predicate(random_query *q, const query_scopes *around, int depth)
{
    int kind = depth <= 0 ? 0 : query_pick(q, 10);
    if (kind < 4) {
        query_put_comparison(q, around, depth - 1);
    } else if (kind == 4) {
        query_put_column(q, around);
        query_put(q, query_chance(q, 50) ? " IS NULL" : " IS NOT NULL");
    } else if (kind < 7) {
        query_put(q, query_chance(q, 20) ? "NOT (" : "(");
        query_put_predicate(q, around, depth - 1);
        query_put(q, query_chance(q, 60) ? " AND " : " OR ");
        query_put_predicate(q, around, depth - 1);
        query_put(q, ")");
    } else if (around->depth < 6) {
        query_put_subquery_predicate(q, around, depth - 1);
    } else {
        query_put_comparison(q, around, 0);
    }
}

/* A whole query into q->sql. The select list comes first in the text, but what it names is known after FROM: it is made
 * there and moved. `depth` 3 nests subqueries well. */
static inline void query_make_nested(random_query *q, int depth)
{
    query_scopes all = {0};
    weir_buffer rest = {0};
    q->aliases = 0;
    weir_buffer_clear(&q->sql);
    query_put_from_and_where(q, &all, depth);
    rest = q->sql;
    q->sql = (weir_buffer){0};
    query_put(q, "SELECT ");
    query_put_column(q, &all);
    query_put(q, ", ");
    query_put_operand(q, &all, 2);
    if (query_chance(q, 30)) {
        query_put(q, ", ");
        query_put_predicate(q, &all, 2);
    }
    weir_buffer_append_text(&q->sql, weir_buffer_text(&rest));
    weir_buffer_free(&rest);
}

#endif
