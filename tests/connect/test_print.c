/* Rows as Flink's print connector shows them; the expected lines are a running Flink's. */
#include "connect/connect_fixture.h"

static char *printed(const char *columns, const char *options, const char *rows, const int8_t *kinds)
{
    test_table table;
    char *text = NULL;
    size_t size = 0;
    weir_error err;
    FILE *stream = open_memstream(&text, &size);
    table_start(&table, columns, options, "");
    weir_sink *sink = open_sink(&table, stream, false);
    assert_true(sink->takes_changes);
    write_rows(sink, &table, rows, kinds);
    check_ok(weir_sink_show(sink, &err), &err);
    sink->close(sink);
    table_end(&table);
    fclose(stream);
    return text;
}

static void check_printed(const char *columns, const char *options, const char *rows, const int8_t *kinds,
                          const char *expected)
{
    char *text = printed(columns, options, rows, kinds);
    assert_string_equal(text, expected);
    free(text);
}

static void values_look_as_java_prints_them(void **state)
{
    (void)state;
    check_printed("s STRING, i INT, b BOOLEAN, d DECIMAL(10, 2), y BYTES, t TIMESTAMP(9), tm TIME(3), dt DATE, "
                  "a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>, l TIMESTAMP_LTZ(3)",
                  "connector=print",
                  "[['x', 1, false, '1.10', '01ff', '2024-01-01 12:00:00.123456700', '12:34:56.000', '2024-02-29', "
                  "[1, null, 3], [['k', 2]], [1, 'z'], '2024-01-01 12:00:00.000Z'], "
                  "[null, null, null, null, null, '2024-01-01 12:00:00.000000000', '10:11:00.000', null, [], [], "
                  "[null, null], '2024-01-01 00:00:00.123Z']]",
                  NULL,
                  "+I[x, 1, false, 1.10, [1, -1], 2024-01-01T12:00:00.123456700, 12:34:56, 2024-02-29, [1, null, 3], "
                  "{k=2}, +I[1, z], 2024-01-01T12:00:00Z]\n"
                  "+I[null, null, null, null, null, 2024-01-01T12:00, 10:11, null, [], {}, +I[null, null], "
                  "2024-01-01T00:00:00.123Z]\n");
    check_printed("f FLOAT, d DOUBLE, x DECIMAL(10, 2), t TIMESTAMP(3), y TINYINT",
                  "connector=print;print-identifier=PID", "[[1.5, 1e10, '100', '2024-01-01 12:00:00.500', 1]]", NULL,
                  "PID> +I[1.5, 1.0E10, 100.00, 2024-01-01T12:00:00.500, 1]\n");
}

static void every_row_shows_its_kind(void **state)
{
    (void)state;
    static const int8_t kinds[] = {WEIR_INSERT, WEIR_UPDATE_BEFORE, WEIR_UPDATE_AFTER, WEIR_DELETE};
    check_printed("a INT", "connector=print", "[[1], [1], [2], [2]]", kinds, "+I[1]\n-U[1]\n+U[2]\n-D[2]\n");
}

static void rows_can_go_to_standard_error_or_nowhere(void **state)
{
    (void)state;
    check_printed("a INT", "connector=print;standard-error=true", "[[1]]", NULL, "");
    check_printed("a INT", "connector=blackhole", "[[1]]", NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_look_as_java_prints_them),
        cmocka_unit_test(every_row_shows_its_kind),
        cmocka_unit_test(rows_can_go_to_standard_error_or_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
