/* Random queries made of relations over relations, each of two columns k and v (both INT), for streams: over tables a,
 * b, c (changes without a key), p (with one: id, k, v, s, d, f, t, o), u (upserts: id, k, v) and i (inserts alone: k,
 * v). Where rows are ranked they are ordered by all columns, so that the answer does not depend on the rows' arrival.
 */
#ifndef WEIR_TESTS_STREAM_RANDOM_RELATION_H
#define WEIR_TESTS_STREAM_RANDOM_RELATION_H

#include "random_query.h"

static inline void relation_put(random_query *q, int depth);

static inline void relation_table(random_query *q)
{
    static const char *const tables[] = {"a", "b", "c", "p", "u", "i"};
    weir_buffer_append_format(&q->sql, "(SELECT k, v FROM %s)", query_one_of(q, tables, 6));
}

/* A condition on k and v behind `prefix` ("x." or ""). */
static inline void relation_condition(random_query *q, const char *prefix)
{
    static const char *const forms[] = {
        "%sv > 2",       "%sk = 1",       "%sv IS NULL",         "%sk < %sv",       "%sk IN (0, 3)",
        "NOT (%sv = 1)", "%sk + %sv < 6", "%sk <> 2 OR %sv > 1", "%sv IS NOT NULL", "%sk IS NOT DISTINCT FROM %sv"};
    for (const char *at = query_one_of(q, forms, 10); *at != '\0'; at++) {
        if (at[0] == '%') {
            query_put(q, prefix);
            at++;
        } else {
            weir_buffer_append_byte(&q->sql, (uint8_t)*at);
        }
    }
}

static inline void relation_filter(random_query *q, int depth)
{
    query_put(q, "(SELECT k, v FROM ");
    relation_put(q, depth - 1);
    query_put(q, " AS x WHERE ");
    relation_condition(q, "");
    query_put(q, ")");
}

static inline void relation_project(random_query *q, int depth)
{
    static const char *const lists[] = {"v AS k, k AS v", "k, v + 1 AS v", "v AS k, v", "k + v AS k, 1 AS v",
                                        "COALESCE(k, 0) AS k, CASE WHEN v > 2 THEN k ELSE v END AS v"};
    weir_buffer_append_format(&q->sql, "(SELECT %s FROM ", query_one_of(q, lists, 5));
    relation_put(q, depth - 1);
    query_put(q, " AS x)");
}

static inline void relation_set(random_query *q, int depth)
{
    static const char *const sets[] = {"UNION ALL", "UNION", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"};
    query_put(q, "(SELECT k, v FROM ");
    relation_put(q, depth - 1);
    weir_buffer_append_format(&q->sql, " AS x %s SELECT k, v FROM ", query_one_of(q, sets, 6));
    relation_put(q, depth - 1);
    query_put(q, " AS y)");
}

static inline const char *relation_aggregate_call(random_query *q)
{
    static const char *const calls[] = {"SUM(v)",
                                        "CAST(COUNT(*) AS INT)",
                                        "CAST(COUNT(v) AS INT)",
                                        "MIN(v)",
                                        "MAX(v)",
                                        "CAST(COUNT(DISTINCT v) AS INT)",
                                        "SUM(DISTINCT v)",
                                        "AVG(v)",
                                        "SUM(v) FILTER (WHERE v > 1)",
                                        "CAST(COUNT(*) FILTER (WHERE v IS NULL) AS INT)",
                                        "MAX(v) FILTER (WHERE v < 4)"};
    return query_one_of(q, calls, 11);
}

static inline void relation_aggregate(random_query *q, int depth)
{
    static const char *const groups[] = {"GROUP BY k", "GROUP BY k", "GROUP BY k", "GROUP BY GROUPING SETS ((k), ())",
                                         "GROUP BY ROLLUP (k)"};
    static const char *const having[] = {"", "", " HAVING COUNT(*) > 1", " HAVING SUM(v) > 3", " HAVING k IS NOT NULL"};
    weir_buffer_append_format(&q->sql, "(SELECT k, %s AS v FROM ", relation_aggregate_call(q));
    relation_put(q, depth - 1);
    int kind = query_pick(q, 5);
    weir_buffer_append_format(&q->sql, " AS x %s%s)", groups[kind],
                              kind < 3 ? query_one_of(q, having, 5) : " HAVING COUNT(*) > 0");
}

static inline void relation_global(random_query *q, int depth)
{
    weir_buffer_append_format(&q->sql, "(SELECT CAST(COUNT(*) AS INT) AS k, %s AS v FROM ", relation_aggregate_call(q));
    relation_put(q, depth - 1);
    query_put(q, " AS x HAVING COUNT(*) > 0)");
}

static inline void relation_distinct(random_query *q, int depth)
{
    query_put(q, "(SELECT DISTINCT k, v FROM ");
    relation_put(q, depth - 1);
    query_put(q, " AS x)");
}

static inline void relation_join(random_query *q, int depth)
{
    static const char *const joins[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
    static const char *const lists[] = {"x.k, y.v", "x.v AS k, y.v", "y.k, x.v", "COALESCE(x.k, y.k) AS k, x.v"};
    static const char *const conditions[] = {"x.k = y.k", "x.k = y.k", "x.k = y.v", "x.k = y.k AND x.v < y.v",
                                             "x.k = y.k AND x.v = y.v"};
    weir_buffer_append_format(&q->sql, "(SELECT %s FROM ", query_one_of(q, lists, 4));
    relation_put(q, depth - 1);
    weir_buffer_append_format(&q->sql, " AS x %s ", query_one_of(q, joins, 4));
    relation_put(q, depth - 1);
    weir_buffer_append_format(&q->sql, " AS y ON %s)", query_one_of(q, conditions, 5));
}

static inline void relation_subquery(random_query *q, int depth)
{
    int kind = query_pick(q, 4);
    query_put(q, "(SELECT k, v FROM ");
    relation_put(q, depth - 1);
    query_put(q, kind == 0   ? " AS x WHERE k IN (SELECT k FROM "
                 : kind == 1 ? " AS x WHERE v NOT IN (SELECT k FROM "
                 : kind == 2 ? " AS x WHERE EXISTS (SELECT 1 FROM "
                             : " AS x WHERE NOT EXISTS (SELECT 1 FROM ");
    relation_put(q, depth - 1);
    query_put(q, " AS y");
    if (kind >= 2) {
        query_put(q, " WHERE y.k = x.k");
        query_put(q, query_chance(q, 40) ? " AND y.v > x.v" : "");
    }
    query_put(q, "))");
}

static inline const char *relation_order(random_query *q)
{
    static const char *const orders[] = {"v, k", "v DESC, k", "k, v DESC", "v DESC NULLS FIRST, k NULLS LAST",
                                         "v + k DESC, k, v"};
    return query_one_of(q, orders, 5);
}

static inline void relation_top(random_query *q, int depth)
{
    static const char *const partitions[] = {"PARTITION BY k ", "PARTITION BY k ", "", "PARTITION BY v "};
    static const char *const ranges[] = {"rn <= 2",           "rn = 1", "rn < 4", "rn BETWEEN 2 AND 3",
                                         "rn <= 3 AND v > 1", "rn = 2"};
    weir_buffer_append_format(&q->sql, "(SELECT k, %s FROM (SELECT k, v, ROW_NUMBER() OVER (%sORDER BY %s) AS rn FROM ",
                              query_chance(q, 40) ? "CAST(rn AS INT) AS v" : "v", query_one_of(q, partitions, 4),
                              relation_order(q));
    relation_put(q, depth - 1);
    weir_buffer_append_format(&q->sql, " AS x) AS y WHERE %s)", query_one_of(q, ranges, 6));
}

static inline void relation_limit(random_query *q, int depth)
{
    query_put(q, "(SELECT k, v FROM ");
    relation_put(q, depth - 1);
    weir_buffer_append_format(&q->sql, " AS x ORDER BY %s LIMIT %d", relation_order(q), 1 + query_pick(q, 4));
    if (query_chance(q, 30)) {
        weir_buffer_append_format(&q->sql, " OFFSET %d", query_pick(q, 3));
    }
    query_put(q, ")");
}

/* Appends a relation in brackets. */
static inline void relation_put(random_query *q, int depth)
{
    static void (*const makers[])(random_query *, int) = {
        relation_filter,   relation_project, relation_set,  relation_aggregate, relation_aggregate, relation_global,
        relation_distinct, relation_join,    relation_join, relation_subquery,  relation_top,       relation_limit};
    if (depth <= 0 || query_chance(q, 15)) {
        relation_table(q);
    } else {
        makers[query_pick(q, 12)](q, depth);
    }
}

/* --- Whole queries --------------------------------------------------------------------------------------------- */

/* Aggregates of all types over p. */
static inline void relation_make_wide(random_query *q)
{
    static const char *const calls[] = {"COUNT(*)",
                                        "SUM(d)",
                                        "AVG(d)",
                                        "MIN(s)",
                                        "MAX(s)",
                                        "SUM(f)",
                                        "AVG(f)",
                                        "MAX(t)",
                                        "MIN(d)",
                                        "COUNT(DISTINCT s)",
                                        "COUNT(DISTINCT d) FILTER (WHERE v > 1)",
                                        "SUM(DISTINCT d)",
                                        "MIN(f)",
                                        "STDDEV_POP(v)",
                                        "VAR_SAMP(f)",
                                        "MAX(o)",
                                        "SUM(v)",
                                        "AVG(DISTINCT v)",
                                        "COUNT(t)"};
    static const char *const groups[] = {"s", "d", "o", "t", "k", "f", "s, k", "o, v"};
    const char *group = query_one_of(q, groups, 8);
    bool global = query_chance(q, 15);
    query_put(q, "SELECT ");
    if (!global) {
        weir_buffer_append_format(&q->sql, "%s, ", group);
    }
    for (int i = 1 + query_pick(q, 4); i >= 0; i--) {
        weir_buffer_append_format(&q->sql, "%s AS c%d%s", query_one_of(q, calls, 19), i, i > 0 ? ", " : "");
    }
    query_put(q, " FROM p");
    if (query_chance(q, 40)) {
        query_put(q, " WHERE ");
        relation_condition(q, "");
    }
    if (global) {
        query_put(q, " HAVING COUNT(*) > 0");
    } else {
        weir_buffer_append_format(&q->sql, " GROUP BY %s", group);
    }
}

/* Rows of p as they are, by themselves or joined: to one row or several, by its key or not. */
static inline void relation_make_rows(random_query *q)
{
    static const char *const alone[] = {
        "p",
        "p WHERE s LIKE '%b%'",
        "p WHERE d = (SELECT MAX(d) FROM p)",
        "p WHERE s IN (SELECT s FROM p WHERE o)",
        "p WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.id = p.v AND u.v > 1)",
        "(SELECT *, ROW_NUMBER() OVER (PARTITION BY s ORDER BY d DESC, id) AS rn FROM p) WHERE rn <= 2",
        "(SELECT *, ROW_NUMBER() OVER (PARTITION BY o, t ORDER BY f, id) AS rn FROM p) WHERE rn = 1",
    };
    static const char *const joined[] = {
        "p JOIN u ON p.id = u.id",
        "p JOIN u ON p.v = u.id",
        "p LEFT JOIN u ON p.v = u.id",
        "p LEFT JOIN u ON p.k = u.id AND u.v < 4",
        "p LEFT JOIN u ON p.k = u.k AND p.v > u.v",
        "u LEFT JOIN p ON p.id = u.id",
        "u LEFT JOIN p ON p.id = u.k",
        "p FULL JOIN u ON p.id = u.id",
        "p JOIN u ON p.id < u.id",
    };
    if (query_chance(q, 60)) {
        weir_buffer_append_format(&q->sql, "SELECT p.id, p.s, p.d, p.f, p.t, p.o, u.id AS uid, u.v FROM %s",
                                  query_one_of(q, joined, 9));
    } else {
        weir_buffer_append_format(&q->sql, "SELECT id, UPPER(s) AS s, d * 2 AS d, f, t, o, k FROM %s",
                                  query_one_of(q, alone, 7));
    }
}

/* Joins and groups by columns of all types. */
static inline void relation_make_typed(random_query *q)
{
    static const char *const joins[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
    static const char *const columns[] = {"s", "d", "f", "t", "o", "v"};
    static const char *const queries[] = {
        "SELECT DISTINCT %s, %s AS y FROM p",
        "SELECT %s AS x, COUNT(*) AS n, COUNT(DISTINCT %s) AS m FROM p GROUP BY %s",
        "SELECT %s AS x FROM p INTERSECT SELECT %s FROM p WHERE id > 2",
        "SELECT %s AS x FROM p EXCEPT ALL SELECT %s FROM p WHERE o",
    };
    const char *column = query_one_of(q, columns, 6);
    int kind = query_pick(q, 6);
    switch (kind) {
    case 0:
        weir_buffer_append_format(&q->sql, queries[0], column, query_one_of(q, columns, 6));
        break;
    case 1:
        weir_buffer_append_format(&q->sql, queries[1], column, query_one_of(q, columns, 6), column);
        break;
    case 2:
    case 3:
        weir_buffer_append_format(&q->sql, queries[kind], column, column);
        break;
    case 4:
        weir_buffer_append_format(&q->sql, "SELECT x.id, x.%s AS c, y.id AS yid FROM p AS x %s p AS y ON x.%s = y.%s",
                                  column, query_one_of(q, joins, 4), column, column);
        break;
    default:
        weir_buffer_append_format(&q->sql, "SELECT id, e FROM p CROSS JOIN UNNEST(ARRAY[%s, %s]) AS e (e)", column,
                                  column);
        break;
    }
}

/* --- Windows --------------------------------------------------------------------------------------------------- */

static inline const char *relation_window(random_query *q)
{
    static const char *const windows[] = {
        "TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '10' SECOND))",
        "TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '7' SECOND))",
        "TABLE(HOP(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '15' SECOND))",
        "TABLE(CUMULATE(TABLE w, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '20' SECOND))",
        "TABLE(SESSION(TABLE w PARTITION BY k, DESCRIPTOR(ts), INTERVAL '5' SECOND))",
        "TABLE(SESSION(TABLE w, DESCRIPTOR(ts), INTERVAL '4' SECOND))",
    };
    return query_one_of(q, windows, 6);
}

static inline void relation_make_window_aggregate(random_query *q)
{
    static const char *const groups[] = {"k", "k", "v", "k + v"};
    const char *group = query_one_of(q, groups, 4);
    weir_buffer_append_format(&q->sql, "SELECT window_start, window_end, %s AS g, %s AS c, %s AS d FROM %s", group,
                              relation_aggregate_call(q), relation_aggregate_call(q), relation_window(q));
    if (query_chance(q, 30)) {
        query_put(q, " WHERE ");
        relation_condition(q, "");
    }
    weir_buffer_append_format(&q->sql, " GROUP BY window_start, window_end, %s%s", group,
                              query_chance(q, 20) ? " HAVING COUNT(*) > 1" : "");
}

static inline void relation_make_group_window(random_query *q)
{
    static const char *const windows[] = {"TUMBLE(ts, INTERVAL '10' SECOND)",
                                          "HOP(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
                                          "SESSION(ts, INTERVAL '4' SECOND)"};
    static const char *const starts[] = {"TUMBLE_START(ts, INTERVAL '10' SECOND)",
                                         "HOP_START(ts, INTERVAL '5' SECOND, INTERVAL '10' SECOND)",
                                         "SESSION_START(ts, INTERVAL '4' SECOND)"};
    int kind = query_pick(q, 3);
    weir_buffer_append_format(&q->sql, "SELECT k, %s AS s, %s AS c FROM w GROUP BY k, %s", starts[kind],
                              relation_aggregate_call(q), windows[kind]);
}

static inline void relation_make_window_rank(random_query *q)
{
    static const char *const orders[] = {"v, ts", "ts", "ts DESC", "v DESC, ts DESC"};
    static const char *const ranges[] = {"rn = 1", "rn <= 2", "rn BETWEEN 2 AND 3"};
    weir_buffer_append_format(&q->sql,
                              "SELECT k, v, ts, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY "
                              "window_start, window_end, k ORDER BY %s) AS rn FROM %s) WHERE %s",
                              query_one_of(q, orders, 4), relation_window(q), query_one_of(q, ranges, 3));
}

static inline void relation_make_over(random_query *q)
{
    static const char *const calls[] = {"SUM(v)", "COUNT(*)", "MIN(v)", "MAX(v)", "COUNT(v)", "AVG(v)"};
    static const char *const frames[] = {"", " ROWS BETWEEN 2 PRECEDING AND CURRENT ROW",
                                         " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
                                         " RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW"};
    weir_buffer_append_format(&q->sql,
                              "SELECT k, v, ts, %s OVER x AS c, %s OVER x AS d FROM w WINDOW x AS (%sORDER BY ts%s)",
                              query_one_of(q, calls, 6), query_one_of(q, calls, 6),
                              query_chance(q, 70) ? "PARTITION BY k " : "", query_one_of(q, frames, 4));
}

/* Windows that are joined, ranked again, joined by time, or aggregated once more. */
static inline void relation_make_over_windows(random_query *q)
{
    static const char *const queries[] = {
        "SELECT l.k, l.v, r.v AS rv, l.window_end FROM (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL "
        "'10' SECOND))) AS l JOIN (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '10' SECOND))) AS r ON "
        "l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end",
        "SELECT l.k, l.v, r.v AS rv FROM (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '10' SECOND))) "
        "AS l LEFT JOIN (SELECT * FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '10' SECOND))) AS r ON l.k = r.v "
        "AND l.window_start = r.window_start AND l.window_end = r.window_end",
        "SELECT x.k, x.v, y.v AS yv FROM w AS x JOIN w AS y ON x.k = y.k AND x.ts BETWEEN y.ts - INTERVAL '5' SECOND "
        "AND y.ts + INTERVAL '5' SECOND",
        "SELECT window_start, window_end, SUM(n) AS n FROM (SELECT window_start, window_end, window_time, k, "
        "CAST(COUNT(*) AS INT) AS n FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY "
        "window_start, window_end, window_time, k) GROUP BY window_start, window_end",
        "SELECT k, SUM(n) AS n FROM (SELECT k, CAST(COUNT(*) AS INT) AS n FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(ts), "
        "INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k) GROUP BY k",
        "SELECT w.k, w.v, p.s FROM w LEFT JOIN p ON w.k = p.k",
    };
    query_put(q, query_one_of(q, queries, 6));
}

/* A query that tells of its rows when time has passed: its answer is known at the end. */
static inline void relation_make_timed(random_query *q)
{
    static void (*const makers[])(random_query *) = {relation_make_window_aggregate,
                                                     relation_make_window_aggregate,
                                                     relation_make_group_window,
                                                     relation_make_window_rank,
                                                     relation_make_over,
                                                     relation_make_over_windows};
    weir_buffer_clear(&q->sql);
    q->aliases = 0;
    makers[query_pick(q, 6)](q);
}

static inline void relation_make(random_query *q)
{
    int kind = query_pick(q, 10);
    weir_buffer_clear(&q->sql);
    q->aliases = 0;
    if (kind < 5) {
        query_put(q, "SELECT k, v FROM ");
        relation_put(q, 1 + query_pick(q, 3));
        query_put(q, " AS z");
    } else if (kind < 7) {
        query_make_nested(q, 1 + query_pick(q, 3));
    } else if (kind < 8) {
        relation_make_wide(q);
    } else if (kind < 9) {
        relation_make_rows(q);
    } else {
        relation_make_typed(q);
    }
}

#endif
