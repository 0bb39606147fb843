/* The binder: types by Flink's rules, names, what is pushed to scans, and errors with their places. */
#include "memory_table.h"

typedef struct fixture {
    memory_table orders;
    memory_table sink;
    memory_resolver resolver;
    weir_bind_context context;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    memory_orders(&f->orders);
    memory_table_start(
        &f->sink, "sink",
        "id BIGINT NOT NULL, dt STRING NOT NULL, amount DECIMAL(12, 4), note VARCHAR(5), at TIMESTAMP(6)");
    static const int32_t key[] = {0, 1};
    static const int32_t partition[] = {1};
    f->sink.table.primary_key = key;
    f->sink.table.primary_key_count = 2;
    f->sink.table.partition_keys = partition;
    f->sink.table.partition_key_count = 1;
    f->resolver = (memory_resolver){.resolver = {memory_resolve}, .tables = {&f->orders, &f->sink}};
    f->resolver.view_name = "cheap";
    f->resolver.view_query = "SELECT id, price FROM orders WHERE price < 2";
    f->context = (weir_bind_context){.resolver = &f->resolver.resolver, .now_ms = 1700000000123};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    memory_table_free(&f->orders);
    memory_table_free(&f->sink);
    free(f);
    return 0;
}

static int bind(fixture *f, const char *text, weir_bound **out, weir_error *err)
{
    weir_arena arena; /* freed before the bound statement is looked at, which owns all that it needs */
    weir_arena_init(&arena);
    weir_ast_statement *statement;
    memset(err, 0, sizeof *err);
    int code = weir_parse_statement(text, &arena, &statement, err);
    if (code == WEIR_OK) {
        switch (statement->kind) {
        case WEIR_AST_QUERY:
            code = weir_bind_query(&f->context, statement->query, out, err);
            break;
        case WEIR_AST_INSERT:
            code = weir_bind_insert(&f->context, statement->insert, out, err);
            break;
        case WEIR_AST_DELETE:
            code = weir_bind_delete(&f->context, statement->modify, out, err);
            break;
        default:
            code = weir_bind_update(&f->context, statement->modify, out, err);
            break;
        }
    }
    weir_arena_free(&arena);
    return code;
}

static weir_bound *bind_well(fixture *f, const char *text)
{
    weir_bound *bound = NULL;
    weir_error err;
    if (bind(f, text, &bound, &err) != WEIR_OK) {
        fail_msg("%s\n%s (column %d)", text, err.message, err.column);
    }
    return bound;
}

/* --- Types ----------------------------------------------------------------------------------------------------- */

typedef struct text_case {
    const char *text;
    const char *expected;
} text_case;

static void expressions_have_the_types_that_flink_gives_them(void **state)
{
    static const text_case cases[] = {
        {"id", "INT NOT NULL"},
        {"id + 1", "INT NOT NULL"},
        {"id + user_id", "BIGINT"},
        {"id / 2", "INT NOT NULL"},
        {"user_id % id", "INT"},
        {"price * 2", "DECIMAL(21, 2)"},
        {"price / 3", "DECIMAL(21, 13)"},
        {"price + rate", "DOUBLE"},
        {"0.05", "DECIMAL(3, 2) NOT NULL"},
        {"1e0", "DOUBLE NOT NULL"},
        {"'abc'", "CHAR(3) NOT NULL"},
        {"'a' || 'bc'", "CHAR(3) NOT NULL"},
        {"item || 'x'", "STRING"},
        {"x'0a0b'", "BINARY(2) NOT NULL"},
        {"at + INTERVAL '1' DAY", "TIMESTAMP(3)"},
        {"INTERVAL '1' DAY", "INTERVAL SECOND(3) NOT NULL"},
        {"price > 1", "BOOLEAN"},
        {"price IS NULL", "BOOLEAN NOT NULL"},
        {"id IN (1, 2)", "BOOLEAN NOT NULL"},
        {"CASE WHEN paid THEN 1 ELSE 2.5 END", "DECIMAL(11, 1) NOT NULL"},
        {"CASE WHEN paid THEN 1 END", "INT"},
        {"CAST(id AS STRING)", "STRING NOT NULL"},
        {"TRY_CAST('1' AS INT)", "INT"},
        {"COALESCE(user_id, 0)", "BIGINT NOT NULL"},
        {"NULLIF(id, 1)", "INT"},
        {"IF(paid, 'a', 'bcd')", "VARCHAR(3)"},
        {"UPPER(item)", "STRING"},
        {"SUBSTRING('abc', 1)", "VARCHAR(3)"},
        {"CHAR_LENGTH(item)", "INT"},
        {"CONCAT('a', 'b')", "STRING NOT NULL"},
        {"ROUND(price, 1)", "DECIMAL(10, 1)"},
        {"FLOOR(price)", "DECIMAL(9, 0)"},
        {"EXTRACT(DAY FROM at)", "BIGINT"},
        {"CURRENT_TIMESTAMP", "TIMESTAMP_LTZ(3) NOT NULL"},
        {"LOCALTIMESTAMP", "TIMESTAMP(3) NOT NULL"},
        {"ARRAY[1, 2]", "ARRAY<INT NOT NULL> NOT NULL"},
        {"ROW(1, 'a')", "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` CHAR(1) NOT NULL> NOT NULL"},
        {"MAP['a', 1]", "MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL"},
        {"COUNT(*)", "BIGINT NOT NULL"},
        {"SUM(id)", "INT"},
        {"SUM(price)", "DECIMAL(38, 2)"},
        {"AVG(price)", "DECIMAL(38, 6)"},
        {"AVG(id)", "INT"},
        {"MAX(at)", "TIMESTAMP(3)"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "SELECT %s FROM orders", cases[i].text);
        weir_bound *bound = bind_well(f, text);
        const char *type = weir_sql_type_text(&bound->arena, bound->plan->fields[0].type);
        if (strcmp(type, cases[i].expected) != 0) {
            fail_msg("%s is %s, not %s", cases[i].text, type, cases[i].expected);
        }
        weir_bound_free(bound);
    }
}

/* --- Plans ----------------------------------------------------------------------------------------------------- */

static void scans_read_what_is_needed_and_get_what_they_can_use(void **state)
{
    static const text_case cases[] = {
        {"SELECT COUNT(*) FROM orders", "Project [aggregate0]\n  Aggregate [COUNT(*)] by []\n    Scan orders []\n"},
        {"SELECT id FROM orders WHERE id = 1 AND item LIKE 'a%'",
         "Project [id]\n  Filter ((id = 1) AND like_pattern(item, 'a%'))\n"
         "    Scan orders [id, item] pushed: (id = 1 AND item STARTS WITH 'a')\n"},
        {"SELECT id FROM orders WHERE id IN (1, 3) OR item = 'x'",
         "Project [id]\n  Filter (IN(id, 1, 3) OR (item = 'x'))\n"
         "    Scan orders [id, item] pushed: (id IN 1, 3 OR item = 'x')\n"},
        {"SELECT id FROM orders WHERE id = 1 OR CHAR_LENGTH(item) = 2",
         "Project [id]\n  Filter ((id = 1) OR (char_length(item) = 2))\n    Scan orders [id, item]\n"},
        {"SELECT id FROM orders WHERE NOT id < 3 AND 5 >= id AND item IS NOT NULL",
         "Project [id]\n  Filter (NOT((id < 3)) AND (5 >= id) AND IS NOT NULL(item))\n"
         "    Scan orders [id, item] pushed: (id >= 3 AND id <= 5 AND item IS NOT NULL)\n"},
        {"SELECT day FROM orders WHERE day = '2024-01-01'",
         "Project [day]\n  Filter (day = '2024-01-01')\n    Scan orders [day] pushed: day = '2024-01-01'\n"},
        {"SELECT id FROM orders WHERE id = CAST('7' AS INT) + 1",
         "Project [id]\n  Filter (id = 8)\n    Scan orders [id] pushed: id = 8\n"},
        {"SELECT id FROM orders WHERE id > 1.5",
         "Project [id]\n  Filter (cast(id) > 1.5)\n    Scan orders [id] pushed: id > 1\n"},
        {"SELECT id FROM orders WHERE rate > 0", "Project [id]\n  Filter (rate > 0.0)\n    Scan orders [id, rate]\n"},
        {"SELECT id FROM orders LIMIT 3", "Limit 3\n  Project [id]\n    Scan orders [id] limit: 3\n"},
        {"SELECT id FROM orders ORDER BY price DESC LIMIT 3",
         "Project [id]\n  Sort [price DESC] limit 3\n    Project [id, price]\n      Scan orders [id, price]\n"},
        {"SELECT x.id FROM (SELECT id, price * 2 AS twice FROM orders) AS x WHERE x.id = 2",
         "Project [id]\n  Filter (id = 2)\n    Project [id]\n      Scan orders [id] pushed: id = 2\n"},
        {"SELECT id FROM cheap WHERE id = 1",
         "Project [id]\n  Filter (id = 1)\n    Project [id]\n      Filter (price < 2.00)\n"
         "        Scan orders [id, price] pushed: (id = 1 AND price < 2.00)\n"},
        {"VALUES (1, 'a'), (2, 'bcd')", "Values of 2 rows\n"},
        {"SELECT 1 + 2", "Values of 1 row\n"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_bound *bound = bind_well(f, cases[i].text);
        weir_buffer plan = {0};
        weir_plan_explain(bound->plan, &plan);
        if (strcmp(weir_buffer_text(&plan), cases[i].expected) != 0) {
            fail_msg("%s\n%s", cases[i].text, weir_buffer_text(&plan));
        }
        weir_buffer_free(&plan);
        weir_bound_free(bound);
    }
}

static void hints_reach_the_resolver(void **state)
{
    fixture *f = *state;
    weir_bound *bound = bind_well(f, "SELECT id FROM orders /*+ OPTIONS('a'='1', 'a'='2', 'b'='3') */");
    assert_int_equal(f->resolver.hint_count, 2);
    weir_bound_free(bound);
}

/* --- INSERT, DELETE, UPDATE ------------------------------------------------------------------------------------ */

static void insert_casts_what_flink_casts_and_fills_the_rest_with_null(void **state)
{
    fixture *f = *state;
    weir_bound *bound = bind_well(f, "INSERT INTO sink (dt, id) SELECT item, id FROM orders WHERE item IS NOT NULL");
    assert_ptr_equal(bound->sink, &f->sink.table);
    assert_int_equal(bound->sink_column_count, 5);
    assert_true(bound->assigned[0] && bound->assigned[1] && !bound->assigned[2]);
    for (int32_t i = 0; i < 5; i++) {
        assert_true(weir_type_equal(bound->plan->fields[i].type, f->sink.table.columns[i].type, false));
    }
    weir_bound_free(bound);
    bound = bind_well(f, "INSERT OVERWRITE sink PARTITION (dt = '2024-01-01') SELECT 1, 2, 'x', at FROM orders");
    assert_true(bound->overwrite && bound->has_partition);
    assert_int_equal(bound->partition_count, 1);
    assert_int_equal(bound->partition_columns[0], 1);
    assert_int_equal(bound->partition_values[0].bytes.size, 10);
    weir_bound_free(bound);
}

static void inserted_values_are_literals_of_the_columns_types(void **state)
{
    fixture *f = *state;
    weir_bound *bound = bind_well(f, "INSERT INTO sink VALUES (1, 'a', 2.5, NULL, TIMESTAMP '2024-01-01 00:00:00')");
    assert_int_equal(bound->plan->kind, WEIR_PLAN_VALUES);
    for (int32_t i = 0; i < 5; i++) {
        assert_int_equal(bound->plan->expressions[i]->kind, WEIR_EXPRESSION_LITERAL);
    }
    assert_int_equal(bound->plan->expressions[2]->literal.integer, 25000);
    assert_int_equal(bound->plan->expressions[4]->literal.integer, 1704067200000000);
    weir_bound_free(bound);
}

static void delete_gives_whole_rows_and_what_was_said_of_them(void **state)
{
    fixture *f = *state;
    weir_bound *bound = bind_well(f, "DELETE FROM orders WHERE id = 3 AND CHAR_LENGTH(item) > 2");
    assert_int_equal(bound->plan->field_count, 8);
    assert_non_null(bound->pushed);
    assert_false(bound->whole_table);
    weir_bound_free(bound);
    bound = bind_well(f, "DELETE FROM orders");
    assert_true(bound->whole_table);
    weir_bound_free(bound);
    bound = bind_well(f, "UPDATE orders SET price = price + 1, item = 'x' WHERE id = 1");
    assert_true(bound->assigned[2] && bound->assigned[3] && !bound->assigned[0]);
    weir_bound_free(bound);
}

/* --- CREATE TABLE ---------------------------------------------------------------------------------------------- */

static int bind_columns(fixture *f, const char *text, weir_arena *arena, weir_bound_columns *out, weir_error *err)
{
    weir_ast_statement *statement;
    memset(err, 0, sizeof *err);
    WEIR_TRY(weir_parse_statement(text, arena, &statement, err));
    return weir_bind_create_table(&f->context, statement->create_table, text, arena, out, err);
}

static void created_columns_know_their_types_and_keys(void **state)
{
    const char *text = "CREATE TABLE t (id INT, dt STRING, price DECIMAL(10, 2), total AS price * 2, at TIMESTAMP(3), "
                       "WATERMARK FOR at AS at - INTERVAL '5' SECOND, PRIMARY KEY (id, dt) NOT ENFORCED) "
                       "PARTITIONED BY (dt)";
    weir_arena arena;
    weir_arena_init(&arena);
    weir_bound_columns columns;
    weir_error err;
    check_code(bind_columns(*state, text, &arena, &columns, &err), &err);
    assert_int_equal(columns.column_count, 5);
    assert_false(columns.columns[0].type->nullable);
    assert_int_equal(columns.columns[3].kind, WEIR_SQL_COMPUTED_COLUMN);
    assert_string_equal(columns.columns[3].expression, "price * 2");
    assert_string_equal(weir_sql_type_text(&arena, columns.columns[3].type), "DECIMAL(21, 2)");
    assert_int_equal(columns.watermark_column, 4);
    assert_string_equal(columns.watermark_expression, "at - INTERVAL '5' SECOND");
    assert_int_equal(columns.partition_keys[0], 1);
    weir_arena_free(&arena);
}

typedef struct error_case {
    const char *text;
    int column;
    const char *message;
} error_case;

static void wrong_tables_are_refused_with_a_reason(void **state)
{
    static const error_case cases[] = {
        {"CREATE TABLE t (a INT, a STRING)", 24, "column 'a' is defined twice"},
        {"CREATE TABLE t (a INT, PRIMARY KEY (b) NOT ENFORCED)", 37,
         "the PRIMARY KEY names 'b', which is no column of the table"},
        {"CREATE TABLE t (a INT, b AS a || 'x')", 31, "|| does not take INT and CHAR(1) NOT NULL; cast one of them"},
        {"CREATE TABLE t (a ARRAY<INT>, PRIMARY KEY (a) NOT ENFORCED)", 44,
         "the PRIMARY KEY names 'a', which is ARRAY<INT>; nested types are not allowed there"},
        {"CREATE TABLE t (a INT, WATERMARK FOR a AS a)", 38,
         "the time column 'a' of WATERMARK is INT; it must be TIMESTAMP(3) or TIMESTAMP_LTZ(3)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_bound_columns columns;
        weir_error err;
        assert_int_equal(bind_columns(*state, cases[i].text, &arena, &columns, &err), WEIR_INVALID);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.column, cases[i].column);
        weir_arena_free(&arena);
    }
}

/* --- Errors ---------------------------------------------------------------------------------------------------- */

static void mistakes_are_placed_and_named(void **state)
{
    static const error_case cases[] = {
        {"SELECT pric FROM orders", 8, "unknown column 'pric'; did you mean 'price'?"},
        {"SELECT ID FROM orders", 8, "unknown column 'ID'; did you mean 'id'? (names are case-sensitive)"},
        {"SELECT o.idd FROM orders AS o", 10, "unknown column 'idd'; did you mean 'id'?"},
        {"SELECT x.id FROM orders", 8, "unknown table or column 'x'"},
        {"SELECT a", 8, "unknown column 'a'; there are no columns here (text is written in ' quotes)"},
        {"SELECT 1 FROM nothing", 15, "table 'nothing' does not exist"},
        {"SELECT UPER(item) FROM orders", 8, "there is no function UPER; did you mean UPPER?"},
        {"SELECT UPPER(id) FROM orders", 8, "UPPER does not take (INT NOT NULL); it is UPPER(text)"},
        {"SELECT UPPER() FROM orders", 8, "UPPER does not take 0 arguments; it is UPPER(text)"},
        {"SELECT item + 1 FROM orders", 13, "+ does not take STRING and INT NOT NULL; cast one of them"},
        {"SELECT 1 WHERE id = 1", 16, "unknown column 'id'; there are no columns here (text is written in ' quotes)"},
        {"SELECT 1 FROM orders WHERE id", 28, "WHERE takes a condition, but this is INT NOT NULL"},
        {"SELECT item = 1 FROM orders", 13,
         "= compares STRING with INT NOT NULL, which Flink does not convert; cast one of them"},
        {"SELECT day < at FROM orders", 12, "< does not take DATE and TIMESTAMP(3); cast one of them"},
        {"SELECT CAST(at AS INT) FROM orders", 8,
         "there is no CAST from TIMESTAMP(3) to INT; use UNIX_TIMESTAMP or EXTRACT"},
        {"SELECT item, COUNT(*) FROM orders", 8,
         "column 'item' stands neither in GROUP BY nor inside of an aggregate such as MAX(item)"},
        {"SELECT COUNT(*) FROM orders WHERE COUNT(*) > 1", 35,
         "the aggregate COUNT can't stand in WHERE; conditions over groups go into HAVING"},
        {"SELECT SUM(COUNT(*)) FROM orders", 12, "the aggregate COUNT can't stand inside of another aggregate"},
        {"SELECT SUM(item) FROM orders", 12, "SUM does not take STRING; it is SUM([DISTINCT] number)"},
        {"SELECT * FROM orders GROUP BY id", 8, "* can't stand beside aggregates or GROUP BY; name the columns"},
        {"SELECT id FROM orders ORDER BY 2", 32, "ORDER BY 2 names no column; there are 1"},
        {"SELECT id FROM orders LIMIT -1", 29, "LIMIT takes a whole number that is not negative"},
        {"SELECT 9223372036854775808", 8,
         "the number 9223372036854775808 is out of the range of BIGINT; write 9223372036854775808.0 for a DECIMAL"},
        {"SELECT 1 + NULL", 12, "an untyped NULL is not allowed here; write CAST(NULL AS type)"},
        {"SELECT DATE '2024-13-01'", 8, "DATE '2024-13-01' is no date; it is written as DATE '2024-02-29'"},
        {"SELECT INTERVAL 'x' DAY", 8, "'x' is no interval of DAY"},
        {"SELECT CASE WHEN TRUE THEN 1 ELSE 'a' END", 8,
         "the branches of CASE have no common type: INT NOT NULL and CHAR(1) NOT NULL; cast one of them"},
        {"VALUES (1), (1, 2)", 14, "row 2 of VALUES has 2 values, but the first has 1"},
        {"SELECT 1 UNION SELECT 1, 2", 10, "UNION of 1 and 2 columns"},
        {"SELECT id FROM orders INTERSECT SELECT id, id FROM orders", 23, "INTERSECT of 1 and 2 columns"},
        {"SELECT id FROM orders WHERE id IN (SELECT 1, 2)", 32, "IN compares 1 value with a query of 2 columns"},
        {"INSERT INTO sink SELECT 1, 'a'", 18,
         "table sink takes 5 columns (id, dt, amount, note, at), but the query gives 2"},
        {"INSERT INTO sink (id, dt) SELECT item, item FROM orders", 34,
         "column 'id' of table sink is BIGINT NOT NULL, but the query gives STRING; write a CAST"},
        {"INSERT INTO sink (id, dtt) SELECT 1, 'a'", 23, "table sink has no column 'dtt'; did you mean 'dt'?"},
        {"INSERT INTO sink (id) SELECT 1", 1, "column 'dt' of table sink is NOT NULL and gets no value"},
        {"INSERT INTO sink PARTITION (id = 1) SELECT 'a', 1, 'b', at FROM orders", 29,
         "column 'id' is no partition column of table sink"},
        {"UPDATE sink SET id = 2", 17, "column 'id' belongs to the primary key and can't be updated"},
        {"UPDATE orders SET pric = 2", 19, "unknown column 'pric'; did you mean 'price'?"},
        {"DELETE FROM cheap", 13, "a view can't be changed"},
    };
    fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_bound *bound = NULL;
        weir_error err;
        if (bind(f, cases[i].text, &bound, &err) == WEIR_OK) {
            fail_msg("not refused: %s", cases[i].text);
        }
        if (strcmp(err.message, cases[i].message) != 0 || err.column != cases[i].column) {
            fail_msg("%s\n%s (column %d)", cases[i].text, err.message, err.column);
        }
    }
}

/* --- Streams --------------------------------------------------------------------------------------------------- */

static void expect_plan(fixture *f, const char *text, const char *expected)
{
    weir_buffer shown = {0};
    weir_bound *bound = bind_well(f, text);
    weir_plan_explain(bound->plan, &shown);
    assert_string_equal(weir_buffer_text(&shown), expected);
    weir_buffer_free(&shown);
    weir_bound_free(bound);
}

static void streams_keep_the_time_of_events_and_what_its_watermarks_are_made_of(void **state)
{
    fixture *f = *state;
    f->orders.table.watermark_column = 6;
    f->orders.table.watermark_expression = "`at` - INTERVAL '5' SECOND";
    expect_plan(f, "SELECT id FROM orders WHERE id > 1",
                "Project [id]\n  Filter (id > 1)\n    Scan orders [id] pushed: id > 1\n");
    f->context.streaming = true;
    expect_plan(f, "SELECT id FROM orders WHERE id > 1",
                "Project [id]\n  Filter (id > 1)\n    Watermark for at as add_millis(at, INTERVAL -5000 ms)\n"
                "      Scan orders [id, at]\n");
    expect_plan(f, "SELECT TUMBLE_ROWTIME(`at`, INTERVAL '1' DAY) FROM orders GROUP BY TUMBLE(`at`, INTERVAL '1' DAY)",
                "Project [group2]\n  Aggregate [] by [window_start, window_end, window_time]\n"
                "    Windows tumble of at, size 86400000 ms\n"
                "      Watermark for at as add_millis(at, INTERVAL -5000 ms)\n        Scan orders [at]\n");
}

static void the_clock_is_read_row_by_row_in_streams_alone(void **state)
{
    fixture *f = *state;
    weir_bound *bound = bind_well(f, "SELECT PROCTIME(), CURRENT_DATE, UNIX_TIMESTAMP() FROM orders");
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(bound->plan->expressions[i]->kind, WEIR_EXPRESSION_LITERAL);
    }
    weir_bound_free(bound);
    f->context.streaming = true;
    bound = bind_well(f, "SELECT PROCTIME(), CURRENT_DATE, UNIX_TIMESTAMP() FROM orders");
    for (int32_t i = 0; i < 3; i++) {
        assert_true(weir_expression_is_volatile(bound->plan->expressions[i]));
    }
    weir_bound_free(bound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(expressions_have_the_types_that_flink_gives_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scans_read_what_is_needed_and_get_what_they_can_use, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hints_reach_the_resolver, set_up, tear_down),
        cmocka_unit_test_setup_teardown(insert_casts_what_flink_casts_and_fills_the_rest_with_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inserted_values_are_literals_of_the_columns_types, set_up, tear_down),
        cmocka_unit_test_setup_teardown(delete_gives_whole_rows_and_what_was_said_of_them, set_up, tear_down),
        cmocka_unit_test_setup_teardown(created_columns_know_their_types_and_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_tables_are_refused_with_a_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mistakes_are_placed_and_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streams_keep_the_time_of_events_and_what_its_watermarks_are_made_of, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(the_clock_is_read_row_by_row_in_streams_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
