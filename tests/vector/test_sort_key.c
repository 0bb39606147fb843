/* Sort keys: their order against that of the values, and sorting against qsort. */
#include "vector/sort_key.h"

#include "rows.h"
#include "vector/compare.h"

static const char *const key_types[] = {"BOOLEAN",
                                        "TINYINT",
                                        "SMALLINT NOT NULL",
                                        "INT",
                                        "INT NOT NULL",
                                        "BIGINT",
                                        "BIGINT NOT NULL",
                                        "FLOAT NOT NULL",
                                        "FLOAT",
                                        "DOUBLE",
                                        "DOUBLE NOT NULL",
                                        "DECIMAL(9,2)",
                                        "DECIMAL(18,2) NOT NULL",
                                        "DECIMAL(38,2)",
                                        "DATE",
                                        "TIME(3)",
                                        "TIMESTAMP(3)",
                                        "TIMESTAMP(6) NOT NULL",
                                        "TIMESTAMP(9)",
                                        "TIMESTAMP(6) WITH LOCAL TIME ZONE",
                                        "STRING",
                                        "STRING NOT NULL",
                                        "BYTES",
                                        "CHAR(8) NOT NULL",
                                        "INT NOT NULL, INT NOT NULL",
                                        "INT, SMALLINT",
                                        "BIGINT NOT NULL, STRING NOT NULL",
                                        "STRING, BIGINT",
                                        "STRING, STRING, STRING",
                                        "DECIMAL(30,2), BYTES, BOOLEAN",
                                        "TINYINT NOT NULL, BOOLEAN NOT NULL, SMALLINT NOT NULL",
                                        "DOUBLE, TIMESTAMP(9), STRING"};

#define KEY_TYPE_COUNT (sizeof key_types / sizeof *key_types)

static int compare_rows(const test_rows *rows, int64_t a, int64_t b)
{
    for (int32_t column = 0; column < rows->column_count; column++) {
        int order = weir_vector_compare(&rows->batch.columns[column], a, &rows->batch.columns[column], b);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

static int sign(int order) { return (order > 0) - (order < 0); }

static void append_keys(weir_sort_keys *keys, const test_rows *rows)
{
    weir_error err;
    check_ok(weir_sort_keys_append(keys, &rows->batch, all_columns, rows->column_count, &err), &err);
}

static void keys_compare_as_their_rows_do(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t t = 0; t < KEY_TYPE_COUNT; t++) {
        test_rows rows;
        rows_start(&rows, key_types[t]);
        rows_add_random(&rows, &random, 200);
        weir_sort_keys keys = {0};
        append_keys(&keys, &rows);
        assert_int_equal(keys.length, 200);
        for (int64_t i = 0; i < keys.length; i++) {
            for (int64_t j = 0; j < keys.length; j++) {
                if (sign(weir_sort_keys_compare(&keys, i, &keys, j)) != sign(compare_rows(&rows, i, j))) {
                    fail_msg("%s: rows %" PRId64 " and %" PRId64 " compare otherwise than their keys", key_types[t], i,
                             j);
                }
            }
        }
        weir_sort_keys_free(&keys);
        rows_free(&rows);
    }
}

static void types_alone_decide_whether_keys_are_whole(void **state)
{
    (void)state;
    static const struct {
        const char *types;
        bool whole;
    } cases[] = {
        {"BIGINT NOT NULL", true},
        {"BIGINT", false},
        {"INT", true},
        {"INT NOT NULL, INT NOT NULL", true},
        {"INT, INT", false},
        {"STRING NOT NULL", false},
        {"DECIMAL(18,0) NOT NULL", true},
        {"DECIMAL(19,0) NOT NULL", false},
        {"BOOLEAN, TINYINT, SMALLINT", true},
    };
    random_state random = {1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_rows rows;
        rows_start(&rows, cases[i].types);
        rows_add_random(&rows, &random, 3);
        weir_sort_keys keys = {0};
        append_keys(&keys, &rows);
        assert_int_equal(keys.whole, cases[i].whole);
        weir_sort_keys_free(&keys);
        rows_free(&rows);
    }
}

/* --- sorting --- */

/* qsort is made stable by comparing row numbers last. */
static int by_key(const void *a, const void *b, void *rows)
{
    uint32_t row_a = *(const uint32_t *)a;
    uint32_t row_b = *(const uint32_t *)b;
    int order = compare_rows(rows, row_a, row_b);
    return order != 0 ? order : (row_a > row_b) - (row_a < row_b);
}

static void check_order(test_rows *rows, const char *what)
{
    size_t count = (size_t)rows->batch.length;
    weir_sort_keys keys = {0};
    append_keys(&keys, rows);
    uint32_t *order = weir_alloc_zeroed(count, sizeof *order);
    uint32_t *expected = weir_alloc_zeroed(count, sizeof *expected);
    weir_error err;
    check_ok(weir_sort_keys_order(&keys, order, &err), &err);
    for (size_t i = 0; i < count; i++) {
        expected[i] = (uint32_t)i;
    }
    qsort_r(expected, count, sizeof *expected, by_key, rows);
    for (size_t i = 0; i < count; i++) {
        if (order[i] != expected[i]) {
            fail_msg("%s, %zu rows: place %zu has row %" PRIu32 " and should have %" PRIu32, what, count, i, order[i],
                     expected[i]);
        }
    }
    free(order);
    free(expected);
    weir_sort_keys_free(&keys);
}

static void sorting_agrees_with_qsort_and_is_stable(void **state)
{
    (void)state;
    static const int64_t lengths[] = {0, 1, 2, 47, 48, 49, 300, 3000};
    random_state random = random_start();
    for (size_t t = 0; t < KEY_TYPE_COUNT; t++) {
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            test_rows rows;
            rows_start(&rows, key_types[t]);
            rows_add_random(&rows, &random, lengths[l]);
            check_order(&rows, key_types[t]);
            rows_free(&rows);
        }
    }
}

static void append_integer(test_rows *rows, int64_t value)
{
    weir_error err;
    check_ok(weir_vector_append_raw(&rows->batch.columns[0], &value, sizeof value, &err), &err);
    rows->batch.length++;
}

/* Ranges from a few values, where key and row number fit into a word, to all 64 bits, where they do not. */
static void integers_of_any_range_are_sorted(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int bits = 1; bits <= 64; bits += 3) {
        for (int count = 100; count <= 20000; count *= 200) {
            test_rows rows;
            rows_start(&rows, "BIGINT NOT NULL");
            for (int i = 0; i < count; i++) {
                append_integer(&rows, (int64_t)(random_next(&random) >> (64 - bits)) - 17);
            }
            check_order(&rows, "BIGINT NOT NULL");
            rows_free(&rows);
        }
    }
}

static void append_text(test_rows *rows, const char *text, size_t size)
{
    weir_error err;
    check_ok(weir_vector_append_raw(&rows->batch.columns[0], text, size, &err), &err);
    rows->batch.length++;
}

/* Common prefixes of many words, few different values, and keys that end inside of a word with zeros after them. */
static void texts_that_agree_in_many_words_are_sorted(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t prefix = 0; prefix <= 400; prefix += 50) {
        test_rows rows;
        rows_start(&rows, "STRING NOT NULL");
        char text[512];
        memset(text, 'x', sizeof text);
        for (int i = 0; i < 2000; i++) {
            uint64_t kind = random_below(&random, 4);
            int size = kind == 0   ? 0
                       : kind == 1 ? (int)random_below(&random, 12)
                                   : sprintf(text + prefix, "%d", (int)random_below(&random, 500));
            if (kind == 1) {
                memset(text + prefix, 0, (size_t)size);
            }
            append_text(&rows, text, prefix + (size_t)size);
        }
        check_order(&rows, "STRING with a common prefix");
        rows_free(&rows);
    }
}

static void rows_in_order_and_in_reverse_are_sorted(void **state)
{
    (void)state;
    for (int step = -1; step <= 1; step++) {
        test_rows rows;
        rows_start(&rows, "BIGINT NOT NULL");
        for (int i = 0; i < 5000; i++) {
            append_integer(&rows, (int64_t)i * step);
        }
        check_order(&rows, "ascending, descending or equal rows");
        rows_free(&rows);
    }
}

/* --- appending --- */

static void keys_of_several_batches_stand_behind_each_other(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t t = 0; t < KEY_TYPE_COUNT; t++) {
        test_rows all;
        rows_start(&all, key_types[t]);
        weir_sort_keys keys = {0};
        weir_error err;
        for (int piece = 0; piece < 5; piece++) {
            test_rows rows;
            rows_start(&rows, key_types[t]);
            rows_add_random(&rows, &random, (int64_t)random_below(&random, 1500));
            append_keys(&keys, &rows);
            check_ok(weir_batch_append_range(&all.batch, &rows.batch, 0, rows.batch.length, &err), &err);
            rows_free(&rows);
        }
        weir_sort_keys at_once = {0};
        append_keys(&at_once, &all);
        assert_int_equal(keys.length, at_once.length);
        for (int64_t i = 0; i < keys.length; i++) {
            assert_int_equal(weir_sort_keys_compare(&keys, i, &at_once, i), 0);
        }
        weir_sort_keys_free(&at_once);
        weir_sort_keys_free(&keys);
        rows_free(&all);
    }
}

static void cleared_keys_are_used_again(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_sort_keys keys = {0};
    for (size_t t = 0; t < KEY_TYPE_COUNT; t++) {
        test_rows rows;
        rows_start(&rows, key_types[t]);
        rows_add_random(&rows, &random, 100);
        weir_sort_keys_clear(&keys);
        append_keys(&keys, &rows);
        assert_int_equal(keys.length, 100);
        assert_true(weir_sort_keys_memory(&keys) >= 100 * sizeof(uint64_t));
        for (int64_t i = 1; i < 100; i++) {
            assert_int_equal(sign(weir_sort_keys_compare(&keys, i - 1, &keys, i)), sign(compare_rows(&rows, i - 1, i)));
        }
        rows_free(&rows);
    }
    weir_sort_keys_free(&keys);
}

static void columns_that_cannot_be_sorted_by_are_refused(void **state)
{
    (void)state;
    static const char *const types[] = {"ARRAY<INT>", "MAP<INT, INT>", "ROW<a INT>", "INT, ARRAY<INT>"};
    for (size_t t = 0; t < 4; t++) {
        test_rows rows;
        rows_start(&rows, types[t]);
        weir_sort_keys keys = {0};
        weir_error err;
        assert_int_equal(weir_sort_keys_append(&keys, &rows.batch, all_columns, rows.column_count, &err), WEIR_INVALID);
        weir_sort_keys_free(&keys);
        rows_free(&rows);
    }
}

static void a_null_in_a_not_null_key_is_refused(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT NOT NULL");
    weir_error err;
    check_ok(weir_vector_append_nulls(&rows.batch.columns[0], 1, &err), &err);
    rows.batch.length = 1;
    weir_sort_keys keys = {0};
    assert_int_equal(weir_sort_keys_append(&keys, &rows.batch, all_columns, 1, &err), WEIR_INVALID);
    weir_sort_keys_free(&keys);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_compare_as_their_rows_do),
        cmocka_unit_test(types_alone_decide_whether_keys_are_whole),
        cmocka_unit_test(sorting_agrees_with_qsort_and_is_stable),
        cmocka_unit_test(integers_of_any_range_are_sorted),
        cmocka_unit_test(texts_that_agree_in_many_words_are_sorted),
        cmocka_unit_test(rows_in_order_and_in_reverse_are_sorted),
        cmocka_unit_test(keys_of_several_batches_stand_behind_each_other),
        cmocka_unit_test(cleared_keys_are_used_again),
        cmocka_unit_test(columns_that_cannot_be_sorted_by_are_refused),
        cmocka_unit_test(a_null_in_a_not_null_key_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
