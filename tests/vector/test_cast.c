/* Casts: against the values of tables that Java altered, and nested values. */
#include "vector/cast.h"

#include "cast_cases.h"
#include "rows.h"
#include "vector/compare.h"

/* Casts one value; `expected` is JSON, or "!" for an error. */
static void check_value(const weir_type *from_type, const weir_type *to_type, const json_t *value,
                        const json_t *expected, const cast_case *what)
{
    weir_vector from;
    weir_vector to;
    weir_vector wanted;
    weir_vector_init(&from, from_type);
    weir_vector_init(&to, to_type);
    weir_vector_init(&wanted, to_type);
    append_json(&from, value);
    weir_error err;
    char source[256];
    snprintf(source, sizeof source, "%.200s", json_text(&from, 0));
    int code = weir_vector_cast(&from, &to, &err);
    if (json_is_string(expected) && strcmp(json_string_value(expected), "!") == 0) {
        if (code != WEIR_INVALID) {
            fail_msg("%s from %s to %s is %s, not an error", source, what->from, what->to, json_text(&to, 0));
        }
    } else {
        append_json(&wanted, expected);
        check_ok(code, &err);
        assert_int_equal(to.length, 1);
        if (!weir_vector_values_equal(&to, 0, &wanted, 0)) {
            fail_msg("%s from %s to %s is %s", source, what->from, what->to, json_text(&to, 0));
        }
    }
    weir_vector_free(&from);
    weir_vector_free(&to);
    weir_vector_free(&wanted);
}

static void values_are_cast_as_java_casts_them(void **state)
{
    (void)state;
    json_t *values = NULL;
    for (size_t c = 0; c < sizeof cast_cases / sizeof *cast_cases; c++) {
        const cast_case *one = &cast_cases[c];
        if (one->to == NULL) {
            json_decref(values);
            values = parse_json(one->values);
            continue;
        }
        weir_arena arena;
        weir_arena_init(&arena);
        const weir_type *from = parse_type(&arena, one->from);
        const weir_type *to = parse_type(&arena, one->to);
        assert_true(weir_cast_allowed(from, to));
        json_t *expected = parse_json(one->values);
        assert_int_equal(json_array_size(expected), json_array_size(values));
        for (size_t i = 0; i < json_array_size(values); i++) {
            check_value(from, to, json_array_get(values, i), json_array_get(expected, i), one);
        }
        json_decref(expected);
        weir_arena_free(&arena);
    }
    json_decref(values);
}

static void some_casts_are_not_allowed(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        bool allowed;
    } cases[] = {
        {"BOOLEAN", "BYTES", false},
        {"BOOLEAN", "DATE", false},
        {"TINYINT", "TIMESTAMP(3)", false},
        {"BIGINT", "TIMESTAMP(3)", true},
        {"INT", "DATE", false},
        {"FLOAT", "BOOLEAN", false},
        {"DECIMAL(10,2)", "BOOLEAN", false},
        {"DECIMAL(10,2)", "TIMESTAMP(3)", false},
        {"BYTES", "INT", false},
        {"DATE", "INT", false},
        {"DATE", "TIME(0)", false},
        {"TIME(3)", "TIME(0)", false},
        {"TIMESTAMP(3)", "SMALLINT", false},
        {"TIMESTAMP(3)", "DOUBLE", false},
        {"TIMESTAMP(3)", "BYTES", false},
        {"INT", "INT NOT NULL", true},
        {"ARRAY<INT>", "ARRAY<BIGINT>", true},
        {"ARRAY<INT>", "ARRAY<DATE>", false},
        {"ARRAY<INT>", "MAP<INT, INT>", false},
        {"ARRAY<INT>", "STRING", true},
        {"STRING", "ARRAY<INT>", false},
        {"MAP<INT, INT>", "MAP<INT, STRING>", true},
        {"MAP<INT, INT>", "MAP<BIGINT, INT>", false},
        {"MULTISET<INT>", "STRING", false},
        {"MULTISET<INT>", "MULTISET<INT>", true},
        {"VARIANT", "STRING", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        const weir_type *from = parse_type(&arena, cases[i].from);
        const weir_type *to = parse_type(&arena, cases[i].to);
        if (weir_cast_allowed(from, to) != cases[i].allowed) {
            fail_msg("%s to %s should%s be allowed", cases[i].from, cases[i].to, cases[i].allowed ? "" : " not");
        }
        weir_vector source;
        weir_vector target;
        weir_vector_init(&source, from);
        weir_vector_init(&target, to);
        weir_error err;
        assert_int_equal(weir_vector_cast(&source, &target, &err), cases[i].allowed ? WEIR_OK : WEIR_UNSUPPORTED);
        weir_vector_free(&source);
        weir_vector_free(&target);
        weir_arena_free(&arena);
    }
}

/* Rows given as JSON, cast, and the result as JSON; ids of ROW fields are given in the order of the fields. */
static void check_nested(const weir_type *from_type, const weir_type *to_type, const char *values, const char *expected)
{
    weir_vector from;
    weir_vector to;
    weir_vector_init(&from, from_type);
    weir_vector_init(&to, to_type);
    json_t *in = parse_json(values);
    json_t *out = parse_json(expected);
    for (size_t i = 0; i < json_array_size(in); i++) {
        append_json(&from, json_array_get(in, i));
    }
    weir_error err;
    for (int round = 0; round < 2; round++) { /* the second time behind the first */
        check_ok(weir_vector_cast(&from, &to, &err), &err);
        assert_int_equal(to.length, from.length * (round + 1));
        for (size_t i = 0; i < json_array_size(out); i++) {
            weir_vector wanted;
            weir_vector_init(&wanted, to_type);
            append_json(&wanted, json_array_get(out, i));
            if (!weir_vector_values_equal(&to, from.length * round + (int64_t)i, &wanted, 0)) {
                fail_msg("value %zu of %s becomes %s", i, values, json_text(&to, (int64_t)i));
            }
            weir_vector_free(&wanted);
        }
    }
    json_decref(in);
    json_decref(out);
    weir_vector_free(&from);
    weir_vector_free(&to);
}

static void arrays_and_maps_are_cast_by_their_elements(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        const char *values;
        const char *expected;
    } cases[] = {
        {"ARRAY<INT>", "ARRAY<STRING>", "[[1, null], null, [], [3]]", "[['1', null], null, [], ['3']]"},
        {"ARRAY<ARRAY<INT>>", "ARRAY<ARRAY<BIGINT>>", "[[[1], null], null]", "[[[1], null], null]"},
        {"MAP<INT, FLOAT>", "MAP<INT, DOUBLE>", "[[[1, 1.5], [2, null]], null, []]",
         "[[[1, 1.5], [2, null]], null, []]"},
        {"MAP<INT, DECIMAL(5,2)>", "MAP<INT, DECIMAL(3,1)>", "[[[1, '1.25'], [2, '999.99']]]",
         "[[[1, '1.3'], [2, null]]]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        check_nested(parse_type(&arena, cases[i].from), parse_type(&arena, cases[i].to), cases[i].values,
                     cases[i].expected);
        weir_arena_free(&arena);
    }
}

static const weir_type *row_type(weir_arena *arena, int32_t count, const int32_t *ids, const char *const *types)
{
    weir_field *fields = WEIR_NEW_ARRAY(arena, weir_field, count);
    for (int32_t i = 0; i < count; i++) {
        fields[i] = (weir_field){.id = ids[i], .name = "field", .type = parse_type(arena, types[i])};
    }
    return weir_type_row(arena, fields, count, true);
}

static void rows_are_cast_by_the_ids_of_their_fields(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *from =
        row_type(&arena, 3, (int32_t[]){1, 2, 3}, (const char *const[]){"INT", "STRING", "BOOLEAN"});
    const weir_type *to =
        row_type(&arena, 4, (int32_t[]){3, 9, 1, 2}, (const char *const[]){"BOOLEAN", "DATE", "BIGINT", "VARCHAR(2)"});
    check_nested(from, to, "[[7, 'abc', true], null, [null, null, null]]",
                 "[[true, null, 7, 'ab'], null, [null, null, null, null]]");
    check_nested(weir_type_array(&arena, from, true), weir_type_array(&arena, to, true),
                 "[[[7, 'abc', true], null], null, []]", "[[[true, null, 7, 'ab'], null], null, []]");
    weir_arena_free(&arena);
}

/* A field that was dropped and added again under its name is another field. */
static void a_field_of_the_same_name_with_another_id_is_null(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *from = row_type(&arena, 1, (int32_t[]){1}, (const char *const[]){"INT"});
    const weir_type *to = row_type(&arena, 1, (int32_t[]){2}, (const char *const[]){"INT"});
    check_nested(from, to, "[[7]]", "[[null]]");
    check_nested(weir_type_array(&arena, from, true), weir_type_array(&arena, to, true), "[[[7]]]", "[[[null]]]");
    weir_arena_free(&arena);
}

static void rows_without_ids_are_cast_by_position(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    check_nested(parse_type(&arena, "ROW<a INT, b INT>"), parse_type(&arena, "ROW<x BIGINT, y STRING, z INT>"),
                 "[[1, 2]]", "[[1, '2', null]]");
    weir_arena_free(&arena);
}

static void nested_values_become_text_in_braces(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *value;
        const char *expected;
    } cases[] = {
        {"ARRAY<INT>", "[[1, null, 3]]", "['[1, null, 3]']"},
        {"ARRAY<STRING>", "[[]]", "['[]']"},
        {"MAP<INT, STRING>", "[[[1, 'a'], [2, null]]]", "['{1 -> a, 2 -> null}']"},
        {"ROW<a INT, b BOOLEAN, c ARRAY<DATE>>", "[[1, true, ['2024-02-29']]]", "['{1, true, [2024-02-29]}']"},
        {"ROW<a TIME(3), b TIMESTAMP(3)>", "[['01:02:03.450', '2024-01-01 00:00:00.000']]",
         "['{01:02:03.45, 2024-01-01 00:00:00.000}']"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        check_nested(parse_type(&arena, cases[i].from), weir_type_simple(WEIR_VARCHAR, true), cases[i].value,
                     cases[i].expected);
        weir_arena_free(&arena);
    }
}

/* More than one block, with NULLs, appended behind values that had none. */
static void nulls_stay_null_in_long_vectors(void **state)
{
    (void)state;
    static const char *const types[] = {"BOOLEAN", "TINYINT", "INT",           "BIGINT",
                                        "FLOAT",   "DOUBLE",  "DECIMAL(20,2)", "STRING"};
    random_state random = random_start();
    weir_error err;
    for (size_t t = 0; t < 8; t++) {
        test_rows rows;
        rows_start(&rows, "INT");
        rows_add_random(&rows, &random, 3000);
        const weir_vector *from = &rows.batch.columns[0];
        weir_vector to;
        weir_vector_init(&to, parse_type(&rows.arena, types[t]));
        check_ok(weir_vector_cast(from, &to, &err), &err);
        check_ok(weir_vector_cast(from, &to, &err), &err);
        assert_int_equal(to.length, 6000);
        assert_int_equal(to.null_count, 2 * from->null_count);
        for (int64_t i = 0; i < 6000; i++) {
            assert_int_equal(weir_vector_is_null(&to, i), weir_vector_is_null(from, i % 3000));
        }
        weir_vector_free(&to);
        rows_free(&rows);
    }
}

/* Widening and narrowing back gives the value again. */
static void widening_loses_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *narrow;
        const char *wide;
    } cases[] = {
        {"TINYINT", "SMALLINT"},
        {"INT", "BIGINT"},
        {"INT", "DOUBLE"},
        {"FLOAT", "DOUBLE"},
        {"BIGINT", "DECIMAL(19,0)"},
        {"DECIMAL(9,2)", "DECIMAL(38,10)"},
        {"INT", "STRING"},
        {"DOUBLE", "STRING"},
        {"DECIMAL(38,10)", "STRING"},
        {"DATE", "TIMESTAMP(6)"},
        {"TIMESTAMP(3)", "TIMESTAMP(9)"},
        {"TIMESTAMP(6)", "TIMESTAMP(9)"},
        {"STRING", "BYTES"},
        {"BOOLEAN", "STRING"},
        {"TIMESTAMP(6)", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
    };
    random_state random = random_start();
    weir_error err;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        test_rows rows;
        rows_start(&rows, cases[c].narrow);
        rows_add_random(&rows, &random, 500);
        const weir_vector *from = &rows.batch.columns[0];
        weir_vector wide;
        weir_vector back;
        weir_vector_init(&wide, parse_type(&rows.arena, cases[c].wide));
        weir_vector_init(&back, rows.fields[0].type);
        check_ok(weir_vector_cast(from, &wide, &err), &err);
        if (weir_cast_allowed(wide.type, back.type)) {
            check_ok(weir_vector_cast(&wide, &back, &err), &err);
            for (int64_t i = 0; i < from->length; i++) {
                if (!weir_vector_values_equal(from, i, &back, i)) {
                    fail_msg("%s, through %s: %s", cases[c].narrow, cases[c].wide, json_text(from, i));
                }
            }
        }
        weir_vector_free(&wide);
        weir_vector_free(&back);
        rows_free(&rows);
    }
}

static void a_timestamp_beyond_microseconds_is_an_error(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "BIGINT");
    rows_add(&rows, "[[9223372036854775]]"); /* seconds */
    weir_vector to;
    weir_vector_init(&to, parse_type(&rows.arena, "TIMESTAMP(6)"));
    weir_error err;
    assert_int_equal(weir_vector_cast(&rows.batch.columns[0], &to, &err), WEIR_INVALID);
    weir_vector_free(&to);
    rows_free(&rows);
}

/* Text of any kind is a value or an error, and never read beyond its end. */
static void any_text_is_a_value_or_an_error(void **state)
{
    (void)state;
    static const char *const types[] = {"BOOLEAN",
                                        "TINYINT",
                                        "BIGINT",
                                        "FLOAT",
                                        "DOUBLE",
                                        "DECIMAL(9,2)",
                                        "DECIMAL(38,38)",
                                        "DATE",
                                        "TIME(3)",
                                        "TIMESTAMP(0)",
                                        "TIMESTAMP(6)",
                                        "TIMESTAMP(9)",
                                        "TIMESTAMP(3) WITH LOCAL TIME ZONE",
                                        "CHAR(3)",
                                        "BINARY(3)"};
    static const char characters[] = "0123456789+-.eE: TtfFNaInity";
    random_state random = random_start();
    for (int round = 0; round < 20000; round++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_vector from;
        weir_vector to;
        weir_vector_init(&from, weir_type_simple(WEIR_VARCHAR, true));
        weir_vector_init(&to, parse_type(&arena, types[round % 15]));
        char text[50];
        size_t size = random_below(&random, random_below(&random, 10) == 0 ? 50 : 12);
        for (size_t i = 0; i < size; i++) {
            text[i] = characters[random_below(&random, random_below(&random, 2) ? 10 : sizeof characters - 1)];
        }
        weir_error err;
        check_ok(weir_vector_append_raw(&from, text, size, &err), &err);
        int code = weir_vector_cast(&from, &to, &err);
        assert_true(code == WEIR_OK || code == WEIR_INVALID);
        assert_true(code != WEIR_OK || to.length == 1);
        weir_vector_free(&from);
        weir_vector_free(&to);
        weir_arena_free(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_cast_as_java_casts_them),
        cmocka_unit_test(some_casts_are_not_allowed),
        cmocka_unit_test(arrays_and_maps_are_cast_by_their_elements),
        cmocka_unit_test(rows_are_cast_by_the_ids_of_their_fields),
        cmocka_unit_test(a_field_of_the_same_name_with_another_id_is_null),
        cmocka_unit_test(rows_without_ids_are_cast_by_position),
        cmocka_unit_test(nested_values_become_text_in_braces),
        cmocka_unit_test(nulls_stay_null_in_long_vectors),
        cmocka_unit_test(widening_loses_nothing),
        cmocka_unit_test(a_timestamp_beyond_microseconds_is_an_error),
        cmocka_unit_test(any_text_is_a_value_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
