/* Comparing values, equality of any type, minima and maxima. */
#include "vector/compare.h"

#include "rows.h"

/* Values of each column in ascending order, no two equal; NULL is first. */
static const struct {
    const char *type;
    const char *ascending;
} orders[] = {
    {"BOOLEAN", "[null, false, true]"},
    {"TINYINT", "[null, -128, -1, 0, 127]"},
    {"SMALLINT", "[null, -32768, 0, 32767]"},
    {"INT", "[null, -2147483648, -1, 0, 1, 2147483647]"},
    {"BIGINT", "[null, -9223372036854775808, -1, 0, 9223372036854775807]"},
    {"FLOAT", "[null, '-Infinity', -3.4e38, -1.4E-45, -0.0, 0.0, 1.4E-45, 1, 'Infinity', 'NaN']"},
    {"DOUBLE", "[null, '-Infinity', -1e308, -4.9E-324, -0.0, 0.0, 4.9E-324, 1, 'Infinity', 'NaN']"},
    {"DECIMAL(10,2)", "[null, '-99999999.99', '-0.01', '0.00', '0.01', '99999999.99']"},
    {"DECIMAL(38,0)", "[null, '-99999999999999999999999999999999999999', '-18446744073709551616', '-1', '0', '1', "
                      "'18446744073709551616', '99999999999999999999999999999999999999']"},
    {"STRING",
     "[null, '', '\\u0000', '\\u0000a', 'A', 'a', 'a\\u0000', 'ab', 'abcdefgh', 'abcdefgh\\u0000', 'abcdefghi', "
     "'abcdefgi', 'b', '\xc3\xa9', '\xef\xbd\x9e', '\xf0\x9f\x98\x80']"},
    {"BYTES", "[null, '', '00', '0000', '7f', '80', 'ff', 'ffff']"},
    {"DATE", "[null, '0001-01-01', '1969-12-31', '1970-01-01', '9999-12-31']"},
    {"TIME(3)", "[null, '00:00:00', '23:59:59.999']"},
    {"TIMESTAMP(3)", "[null, '0001-01-01 00:00:00', '1969-12-31 23:59:59.999', '1970-01-01 00:00:00']"},
    {"TIMESTAMP(6)", "[null, '1969-12-31 23:59:59.999999', '1970-01-01 00:00:00', '9999-12-31 23:59:59.999999']"},
    {"TIMESTAMP(9)", "[null, '0001-01-01 00:00:00', '1969-12-31 23:59:59.999999998', '1969-12-31 23:59:59.999999999', "
                     "'1970-01-01 00:00:00', '1970-01-01 00:00:00.000000001', '9999-12-31 23:59:59.999999999']"},
};

#define ORDER_COUNT (sizeof orders / sizeof *orders)

static void fill(weir_vector *vector, const char *json_values)
{
    json_t *json = parse_json(json_values);
    for (size_t i = 0; i < json_array_size(json); i++) {
        append_json(vector, json_array_get(json, i));
    }
    json_decref(json);
}

static int sign(int64_t value) { return (value > 0) - (value < 0); }

static void values_have_the_order_of_their_type(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        weir_vector vector;
        weir_vector_init(&vector, parse_type(&arena, orders[i].type));
        fill(&vector, orders[i].ascending);
        for (int64_t a = 0; a < vector.length; a++) {
            for (int64_t b = 0; b < vector.length; b++) {
                assert_int_equal(sign(weir_vector_compare(&vector, a, &vector, b)), sign(a - b));
                assert_int_equal(weir_vector_values_equal(&vector, a, &vector, b), a == b);
            }
        }
        weir_vector_free(&vector);
    }
    weir_arena_free(&arena);
}

static void all_nans_are_the_same(void **state)
{
    (void)state;
    static const uint64_t nans[] = {0x7ff8000000000000, 0xfff8000000000000, 0x7ff0000000000001};
    weir_error err;
    weir_vector vector;
    weir_vector_init(&vector, weir_type_simple(WEIR_DOUBLE, true));
    for (size_t i = 0; i < 3; i++) {
        check_ok(weir_vector_append_raw(&vector, &nans[i], 8, &err), &err);
        assert_int_equal(weir_vector_compare(&vector, 0, &vector, (int64_t)i), 0);
    }
    weir_vector_free(&vector);
}

static void nested_values_are_equal_part_by_part(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *a;
        const char *b;
        bool equal;
    } cases[] = {
        {"ARRAY<INT>", "[1,2]", "[1,2]", true},
        {"ARRAY<INT>", "[1,2]", "[2,1]", false},
        {"ARRAY<INT>", "[1,2]", "[1]", false},
        {"ARRAY<INT>", "[null]", "[null]", true},
        {"ARRAY<INT>", "[null]", "[0]", false},
        {"ARRAY<INT>", "[]", "null", false},
        {"ARRAY<INT>", "null", "null", true},
        {"ARRAY<DOUBLE>", "['NaN']", "['NaN']", true},
        {"ARRAY<DOUBLE>", "[0.0]", "[-0.0]", false},
        {"MAP<STRING,INT>", "[['a',1],['b',2]]", "[['b',2],['a',1]]", true},
        {"MAP<STRING,INT>", "[['a',1],['b',2]]", "[['b',1],['a',2]]", false},
        {"MAP<STRING,INT>", "[['a',1]]", "[['b',1]]", false},
        {"MAP<STRING,INT>", "[['a',1]]", "[['a',null]]", false},
        {"MULTISET<INT>", "[[1,2]]", "[[1,2]]", true},
        {"ROW<a INT, b ARRAY<STRING>>", "[1,['x']]", "[1,['x']]", true},
        {"ROW<a INT, b ARRAY<STRING>>", "[1,['x']]", "[1,['y']]", false},
        {"ROW<a INT, b ARRAY<STRING>>", "[null,null]", "null", false},
        {"VARIANT", "'[1]'", "'[1]'", true},
        {"VARIANT", "'[1]'", "'[2]'", false},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_vector a;
        weir_vector b;
        json_t *json_a = parse_json(cases[i].a);
        json_t *json_b = parse_json(cases[i].b);
        weir_vector_init(&a, parse_type(&arena, cases[i].type));
        weir_vector_init(&b, a.type);
        append_json(&a, json_a);
        append_json(&b, json_b);
        assert_int_equal(weir_vector_values_equal(&a, 0, &b, 0), cases[i].equal);
        assert_int_equal(weir_vector_values_equal(&b, 0, &a, 0), cases[i].equal);
        weir_vector_free(&a);
        weir_vector_free(&b);
        json_decref(json_a);
        json_decref(json_b);
    }
    weir_arena_free(&arena);
}

/* ---- min and max ---- */

typedef struct range {
    weir_literal min;
    weir_literal max;
    bool has_value;
    int64_t null_count;
} range;

static void widen_by_model(range *expected, const weir_vector *vector, int64_t row)
{
    weir_literal value = weir_literal_of(vector, row);
    if (value.is_null) {
        expected->null_count++;
        return;
    }
    if (!expected->has_value || weir_literal_compare(vector->type, &value, &expected->min) < 0) {
        expected->min = value;
    }
    if (!expected->has_value || weir_literal_compare(vector->type, &value, &expected->max) > 0) {
        expected->max = value;
    }
    expected->has_value = true;
}

static void check_range(const weir_vector *vector, const range *found, const range *expected)
{
    assert_int_equal(found->null_count, expected->null_count);
    assert_int_equal(found->has_value, expected->has_value);
    if (found->has_value) {
        assert_int_equal(weir_literal_compare(vector->type, &found->min, &expected->min), 0);
        assert_int_equal(weir_literal_compare(vector->type, &found->max, &expected->max), 0);
    }
}

static void minima_and_maxima_are_those_of_the_model(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_arena arena;
    weir_arena_init(&arena);
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < ORDER_COUNT; i++) {
            weir_vector vector;
            bool nullable = random_below(&random, 2) == 0;
            weir_vector_init(&vector, weir_type_nullable(&arena, parse_type(&arena, orders[i].type), nullable));
            for (uint64_t rows = random_below(&random, 200); rows > 0; rows--) {
                append_random(&vector, &random);
            }
            range found = {0};
            range expected = {0};
            for (int64_t first = 0; first < vector.length;) { /* piece by piece, as pages are written */
                int64_t count = (int64_t)random_below(&random, (uint64_t)(vector.length - first)) + 1;
                weir_vector_min_max(&vector, first, count, &found.min, &found.max, &found.has_value, &found.null_count);
                for (int64_t row = first; row < first + count; row++) {
                    widen_by_model(&expected, &vector, row);
                }
                check_range(&vector, &found, &expected);
                first += count;
            }
            weir_vector_free(&vector);
        }
    }
    weir_arena_free(&arena);
}

static void extremes_of_each_type_are_found(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < ORDER_COUNT; i++) {
        weir_vector vector;
        weir_vector_init(&vector, parse_type(&arena, orders[i].type));
        fill(&vector, orders[i].ascending);
        for (int64_t first = 0; first < 2; first++) { /* with the null and without */
            range found = {0};
            weir_literal least = weir_literal_of(&vector, 1);
            weir_literal greatest = weir_literal_of(&vector, vector.length - 1);
            range expected = {least, greatest, true, 1 - first};
            weir_vector_min_max(&vector, first, vector.length - first, &found.min, &found.max, &found.has_value,
                                &found.null_count);
            check_range(&vector, &found, &expected);
        }
        weir_vector_free(&vector);
    }
    weir_arena_free(&arena);
}

static void of_nulls_and_nested_values_only_the_nulls_are_counted(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *values;
        int64_t null_count;
    } cases[] = {
        {"INT", "[]", 0},
        {"INT", "[null, null]", 2},
        {"STRING", "[null]", 1},
        {"NULL", "[null, null, null]", 3},
        {"ARRAY<INT>", "[[1], null]", 1},
        {"ROW<a INT>", "[[1], null, [null]]", 1},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_vector vector;
        range found = {0};
        weir_vector_init(&vector, parse_type(&arena, cases[i].type));
        fill(&vector, cases[i].values);
        weir_vector_min_max(&vector, 0, vector.length, &found.min, &found.max, &found.has_value, &found.null_count);
        assert_false(found.has_value);
        assert_int_equal(found.null_count, cases[i].null_count);
        weir_vector_free(&vector);
    }
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_the_order_of_their_type),
        cmocka_unit_test(all_nans_are_the_same),
        cmocka_unit_test(nested_values_are_equal_part_by_part),
        cmocka_unit_test(minima_and_maxima_are_those_of_the_model),
        cmocka_unit_test(extremes_of_each_type_are_found),
        cmocka_unit_test(of_nulls_and_nested_values_only_the_nulls_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
