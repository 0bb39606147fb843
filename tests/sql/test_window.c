/* Groups and windows: the types that Flink gives, plans that compute no more than is asked for, and windows of time
 * over random rows against the definition, row by row. */
#include "memory_table.h"
#include "random.h"
#include "vector/time_text.h"

typedef struct fixture {
    memory_table orders;
    memory_table events;
    memory_resolver resolver;
    weir_bind_context context;
    weir_sql_engine *engine;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    weir_error err = {0};
    memset(&f, 0, sizeof f);
    memory_orders(&f.orders);
    f.resolver = (memory_resolver){.resolver = {memory_resolve}, .tables = {&f.orders, &f.events}};
    memory_table_start(&f.events, "events", "id INT NOT NULL, k INT, ts TIMESTAMP(3)");
    f.events.batch_rows = 13;
    f.context = (weir_bind_context){.resolver = &f.resolver.resolver};
    weir_sql_engine_options options = {.threads = 2};
    check_code(weir_sql_engine_create(&options, &f.engine, &err), &err);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    weir_sql_engine_free(f->engine);
    memory_table_free(&f->orders);
    memory_table_free(&f->events);
    return 0;
}

static weir_bound *bind(fixture *f, const char *text)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_ast_statement *statement;
    weir_bound *bound = NULL;
    weir_error err = {0};
    int code = weir_parse_statement(text, &arena, &statement, &err);
    if (code == WEIR_OK) {
        code = weir_bind_query(&f->context, statement->query, &bound, &err);
    }
    weir_arena_free(&arena);
    if (code != WEIR_OK) {
        fail_msg("%s\n%s (column %d)", text, err.message, err.column);
    }
    return bound;
}

/* --- Types ----------------------------------------------------------------------------------------------------- */

typedef struct type_case {
    const char *text;
    const char *type;
} type_case;

static void check_types(fixture *f, const type_case *cases, size_t count, const char *rest)
{
    for (size_t i = 0; i < count; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_bound *bound = bind(f, weir_arena_format(&arena, "SELECT %s FROM orders%s", cases[i].text, rest));
        const char *type = weir_sql_type_text(&arena, bound->plan->fields[0].type);
        if (strcmp(type, cases[i].type) != 0) {
            fail_msg("%s%s is %s, not %s", cases[i].text, rest, type, cases[i].type);
        }
        weir_bound_free(bound);
        weir_arena_free(&arena);
    }
}

#define CHECK_TYPES(f, cases, rest) check_types(f, cases, sizeof cases / sizeof cases[0], rest)

static void aggregates_of_groups_are_null_only_where_values_may_be(void **state)
{
    static const type_case grouped[] = {
        {"SUM(id)", "INT NOT NULL"},
        {"SUM(user_id)", "BIGINT"},
        {"SUM(id) FILTER (WHERE paid)", "INT"},
        {"AVG(id)", "INT NOT NULL"},
        {"MIN(id)", "INT NOT NULL"},
        {"SUM(DISTINCT id)", "INT NOT NULL"},
        {"STDDEV_POP(id)", "INT NOT NULL"},
        {"VAR_SAMP(id)", "INT"}, /* of one row */
        {"STDDEV_SAMP(price)", "DECIMAL(38, 6)"},
        {"FIRST_VALUE(id)", "INT NOT NULL"},
        {"LAST_VALUE(item)", "STRING"},
        {"ARRAY_AGG(id)", "ARRAY<INT NOT NULL> NOT NULL"},
        {"ARRAY_AGG(user_id)", "ARRAY<BIGINT>"},
        {"COLLECT(id)", "MULTISET<INT NOT NULL> NOT NULL"},
        {"LISTAGG(item)", "STRING"},
        {"COUNT(item)", "BIGINT NOT NULL"},
        {"APPROX_COUNT_DISTINCT(item)", "BIGINT NOT NULL"},
        {"PERCENTILE(id, 0.5)", "DOUBLE NOT NULL"},
        {"GROUPING(paid)", "BIGINT NOT NULL"},
    };
    static const type_case all[] = {
        {"SUM(id)", "INT"},
        {"FIRST_VALUE(id)", "INT"},
        {"AVG(price)", "DECIMAL(38, 6)"},
        {"ARRAY_AGG(id)", "ARRAY<INT NOT NULL>"},
        {"COUNT(*)", "BIGINT NOT NULL"},
        {"COLLECT(item)", "MULTISET<STRING> NOT NULL"},
    };
    static const type_case sets[] = {
        {"id", "INT"},
        {"GROUPING_ID(id, paid)", "BIGINT NOT NULL"},
        {"GROUP_ID()", "BIGINT NOT NULL"},
        {"SUM(id)", "INT NOT NULL"},
    };
    CHECK_TYPES(*state, grouped, " GROUP BY paid");
    CHECK_TYPES(*state, all, "");
    CHECK_TYPES(*state, sets, " GROUP BY CUBE (id, paid)");
}

static void calls_over_windows_have_the_types_that_flink_gives_them(void **state)
{
    static const type_case cases[] = {
        {"ROW_NUMBER() OVER (ORDER BY id)", "BIGINT NOT NULL"},
        {"RANK() OVER (ORDER BY id)", "BIGINT NOT NULL"},
        {"DENSE_RANK() OVER (ORDER BY id)", "BIGINT NOT NULL"},
        {"PERCENT_RANK() OVER (ORDER BY id)", "DOUBLE NOT NULL"},
        {"CUME_DIST() OVER (ORDER BY id)", "DOUBLE NOT NULL"},
        {"NTILE(2) OVER (ORDER BY id)", "BIGINT NOT NULL"},
        {"LAG(id) OVER (ORDER BY id)", "INT"},
        {"LAG(id, 1, 0) OVER (ORDER BY id)", "INT NOT NULL"},
        {"LEAD(id, 1, user_id) OVER (ORDER BY id)", "BIGINT"},
        {"FIRST_VALUE(id) OVER (ORDER BY id)", "INT NOT NULL"},
        {"SUM(id) OVER (ORDER BY id)", "INT NOT NULL"},
        {"SUM(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING)", "INT"},
        {"SUM(id) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)", "INT NOT NULL"},
        {"COUNT(*) OVER ()", "BIGINT NOT NULL"},
        {"AVG(price) OVER (PARTITION BY item)", "DECIMAL(38, 6)"},
        {"STDDEV_POP(id) OVER (PARTITION BY item)", "INT NOT NULL"},
    };
    CHECK_TYPES(*state, cases, "");
}

static void windows_of_time_add_their_bounds(void **state)
{
    fixture *f = *state;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_bound *bound = bind(f, "SELECT * FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' DAY))");
    const weir_field *fields = bound->plan->fields + bound->plan->field_count - 3;
    static const char *const names[] = {"window_start", "window_end", "window_time"};
    for (int i = 0; i < 3; i++) {
        assert_string_equal(fields[i].name, names[i]);
        assert_string_equal(weir_sql_type_text(&arena, fields[i].type), "TIMESTAMP(3) NOT NULL");
    }
    weir_bound_free(bound);
    weir_arena_free(&arena);
}

/* --- Plans ----------------------------------------------------------------------------------------------------- */

static void plans_compute_what_is_asked_for(void **state)
{
    static const type_case cases[] = {
        {"SELECT id FROM (SELECT id, SUM(price) OVER (PARTITION BY item) AS unused, RANK() OVER (ORDER BY id) AS r "
         "FROM "
         "orders) WHERE r = 1",
         "Window [RANK() OVER (ORDER BY id RANGE UNBOUNDED PRECEDING TO CURRENT ROW)]"},
        {"SELECT SUM(id) + SUM(id), COUNT(id), COUNT(*) FROM orders", "Aggregate [SUM(id), COUNT(*)] by []"},
        {"SELECT window_start, COUNT(*) FROM TABLE(HOP(TABLE orders, DESCRIPTOR(at), INTERVAL '1' DAY, INTERVAL '2' "
         "DAY)) GROUP BY window_start, window_end",
         "Scan orders [at]"},
        {"SELECT * FROM (SELECT item, id, RANK() OVER (PARTITION BY item ORDER BY id) AS r FROM orders) WHERE item = "
         "'pear' "
         "AND id > 1 AND r = 1",
         "pushed: item = 'pear'\n"},
        {"SELECT item, id FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(at), INTERVAL '1' DAY)) WHERE item = 'pear' AND "
         "id > 1",
         "pushed: (item = 'pear' AND id > 1)\n"},
        {"SELECT item, id FROM TABLE(SESSION(TABLE orders PARTITION BY item, DESCRIPTOR(at), INTERVAL '1' DAY)) WHERE "
         "item "
         "= 'pear' AND id > 1",
         "pushed: item = 'pear'\n"},
        {"SELECT * FROM (SELECT item, id, COUNT(*) FROM orders GROUP BY item, ROLLUP (id)) WHERE item = 'pear' AND id "
         "IS "
         "NULL",
         "pushed: item = 'pear'\n"},
        {"SELECT COUNT(*) FROM orders GROUP BY ROLLUP (item, id)", "sets [(item, id), (item), ()]"},
        {"SELECT item, COUNT(*) FROM orders GROUP BY SESSION(at, INTERVAL '1' HOUR), item",
         "Windows session of at, size 3600000 ms by [item]"},
        {"SELECT LISTAGG(item) WITHIN GROUP (ORDER BY id DESC) FILTER (WHERE paid) FROM orders",
         "LISTAGG(item) WITHIN GROUP (ORDER BY id DESC) FILTER (WHERE paid)"},
        {"SELECT SUM(id) OVER (ORDER BY at ROWS BETWEEN 2 PRECEDING AND UNBOUNDED FOLLOWING) FROM orders",
         "ROWS 2 PRECEDING TO UNBOUNDED FOLLOWING"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_bound *bound = bind(*state, cases[i].text);
        weir_buffer shown = {0};
        weir_plan_explain(bound->plan, &shown);
        if (strstr(weir_buffer_text(&shown), cases[i].type) == NULL) {
            fail_msg("%s\nis planned as\n%swithout %s", cases[i].text, weir_buffer_text(&shown), cases[i].type);
        }
        weir_buffer_free(&shown);
        weir_bound_free(bound);
    }
}

/* --- Windows of time against their definition ------------------------------------------------------------------ */

enum { event_count = 120 };

typedef struct event {
    int32_t id, key;
    int64_t millis;
    bool timed;
} event;

/* A window of a row. */
typedef struct placed {
    int32_t id;
    int64_t start, end;
} placed;

typedef struct placed_list {
    placed items[event_count * 16];
    int count;
} placed_list;

static void add_events(fixture *f, random_state *random, event *events)
{
    weir_buffer row = {0};
    for (int32_t i = 0; i < event_count; i++) {
        event *e = &events[i];
        *e = (event){.id = i, .key = (int32_t)random_below(random, 3), .timed = random_below(random, 10) > 0};
        e->millis = ((int64_t)random_below(random, 2000) - 1000) * 50; /* some at the same moment */
        weir_buffer_clear(&row);
        weir_buffer_append_format(&row, "[%d, %d, ", e->id, e->key);
        if (e->timed) {
            weir_buffer_append_byte(&row, '\'');
            weir_timestamp_format((weir_timestamp_nanos){e->millis, 0, 0}, 3, &row);
            weir_buffer_append_text(&row, "']");
        } else {
            weir_buffer_append_text(&row, "null]");
        }
        memory_table_add(&f->events, weir_buffer_text(&row));
    }
    weir_buffer_free(&row);
}

static void place(placed_list *list, int32_t id, int64_t start, int64_t end)
{
    assert_true(list->count < event_count * 16);
    list->items[list->count++] = (placed){id, start, end};
}

/* Every window [start, start + size) with start = offset + i * step that holds the row. */
static void place_sliding(const event *e, int64_t step, int64_t size, int64_t offset, placed_list *out)
{
    for (int64_t i = -20000; i <= 20000; i++) {
        int64_t start = offset + i * step;
        if (start <= e->millis && e->millis < start + size) {
            place(out, e->id, start, start + size);
        }
    }
}

static void place_cumulating(const event *e, int64_t step, int64_t size, int64_t offset, placed_list *out)
{
    for (int64_t i = -20000; i <= 20000; i++) {
        int64_t start = offset + i * size;
        for (int64_t end = start + step; end <= start + size && start <= e->millis; end += step) {
            if (e->millis < end) {
                place(out, e->id, start, end);
            }
        }
    }
}

/* A session grows by every row of the key that is within the gap of one of its rows, until none is. */
static void place_session(const event *events, const event *e, int64_t gap, placed_list *out)
{
    int64_t first = e->millis;
    int64_t last = e->millis;
    for (bool grown = true; grown;) {
        grown = false;
        for (int32_t i = 0; i < event_count; i++) {
            const event *other = &events[i];
            bool near =
                other->timed && other->key == e->key && other->millis >= first - gap && other->millis <= last + gap;
            if (near && (other->millis < first || other->millis > last)) {
                first = other->millis < first ? other->millis : first;
                last = other->millis > last ? other->millis : last;
                grown = true;
            }
        }
    }
    place(out, e->id, first, last + gap);
}

static int compare_placed(const void *a, const void *b)
{
    const placed *x = a;
    const placed *y = b;
    return x->id != y->id         ? (x->id > y->id) - (x->id < y->id)
           : x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                  : (x->end > y->end) - (x->end < y->end);
}

static void check_windows(fixture *f, const char *text, placed_list *wanted)
{
    weir_bound *bound = bind(f, text);
    weir_sql_result *result;
    weir_error err = {0};
    weir_batch batch;
    int32_t count;
    int64_t at = 0;
    int code;
    qsort(wanted->items, (size_t)wanted->count, sizeof wanted->items[0], compare_placed);
    check_code(weir_sql_query_start(f->engine, bound, &result, &err), &err);
    const weir_field *fields = weir_sql_result_fields(result, &count);
    weir_batch_init(&batch, fields, count);
    while ((code = weir_sql_result_next(result, &batch, &err)) == WEIR_OK) {
        for (int64_t i = 0; i < batch.length; i++, at++) {
            placed got = {WEIR_VALUES(&batch.columns[0], int32_t)[i], WEIR_VALUES(&batch.columns[1], int64_t)[i],
                          WEIR_VALUES(&batch.columns[2], int64_t)[i]};
            if (at >= wanted->count || compare_placed(&got, &wanted->items[at]) != 0) {
                fail_msg("%s\nputs row %d into %" PRId64 " … %" PRId64, text, got.id, got.start, got.end);
            }
        }
    }
    assert_int_equal(code, WEIR_END);
    assert_int_equal(at, wanted->count);
    weir_batch_free(&batch);
    weir_sql_result_free(result);
    weir_bound_free(bound);
}

static void interval(weir_buffer *text, int64_t millis)
{
    weir_buffer_append_format(text, ", INTERVAL '%s%" PRId64 ".%03d' SECOND(6, 3)", millis < 0 ? "-" : "",
                              (millis < 0 ? -millis : millis) / 1000, (int)((millis < 0 ? -millis : millis) % 1000));
}

static void random_rows_are_in_the_windows_that_hold_them(void **state)
{
    fixture *f = *state;
    static event events[event_count];
    static placed_list wanted;
    static const char *const names[] = {"TUMBLE", "HOP", "CUMULATE", "SESSION"};
    random_state random = random_start();
    add_events(f, &random, events);
    for (int round = 0; round < 24; round++) {
        weir_assigner_kind kind = (weir_assigner_kind)(round % 4);
        int64_t step = 20 + (int64_t)random_below(&random, 5000);
        int64_t size = step * (int64_t)(1 + random_below(&random, 6));
        int64_t offset = (int64_t)random_below(&random, 20000) - 10000;
        weir_buffer text = {0};
        weir_buffer_append_format(&text,
                                  "SELECT id, window_start, window_end FROM TABLE(%s(TABLE events%s, "
                                  "DESCRIPTOR(ts)",
                                  names[kind], kind == WEIR_ASSIGN_SESSION ? " PARTITION BY k" : "");
        if (kind == WEIR_ASSIGN_HOP || kind == WEIR_ASSIGN_CUMULATE) {
            interval(&text, step);
        }
        interval(&text, kind == WEIR_ASSIGN_SESSION ? step : size);
        if (kind != WEIR_ASSIGN_SESSION) {
            interval(&text, offset);
        }
        weir_buffer_append_text(&text, ")) ORDER BY id, window_start, window_end");
        wanted.count = 0;
        for (int32_t i = 0; i < event_count; i++) {
            if (!events[i].timed) {
                continue;
            }
            if (kind == WEIR_ASSIGN_SESSION) {
                place_session(events, &events[i], step, &wanted);
            } else if (kind == WEIR_ASSIGN_CUMULATE) {
                place_cumulating(&events[i], step, size, offset, &wanted);
            } else {
                place_sliding(&events[i], kind == WEIR_ASSIGN_HOP ? step : size, size, offset, &wanted);
            }
        }
        check_windows(f, weir_buffer_text(&text), &wanted);
        weir_buffer_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(aggregates_of_groups_are_null_only_where_values_may_be, set_up, tear_down),
        cmocka_unit_test_setup_teardown(calls_over_windows_have_the_types_that_flink_gives_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(windows_of_time_add_their_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(plans_compute_what_is_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_rows_are_in_the_windows_that_hold_them, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
