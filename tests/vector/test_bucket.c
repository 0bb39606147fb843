/* Bucket functions: against the buckets of tables that Java wrote, and the fast hashes against that of the row. */
#include "vector/bucket.h"

#include "bucket_cases.h"
#include "rows.h"
#include "vector/binary_row.h"

static void rows_go_to_the_buckets_that_java_gave_them(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof bucket_cases / sizeof *bucket_cases; c++) {
        const bucket_case *expected = &bucket_cases[c];
        test_rows rows;
        rows_start(&rows, expected->types);
        rows_add(&rows, expected->rows);
        int32_t buckets[64];
        char digits[64] = "";
        weir_error err;
        check_ok(weir_batch_buckets(expected->function, &rows.batch, all_columns, rows.column_count,
                                    expected->bucket_count, buckets, &err),
                 &err);
        for (int64_t i = 0; i < rows.batch.length; i++) {
            digits[i] = (char)('0' + buckets[i]);
        }
        if (strcmp(digits, expected->buckets) != 0) {
            fail_msg("function %d of %s: buckets %s, expected %s", (int)expected->function, expected->types, digits,
                     expected->buckets);
        }
        rows_free(&rows);
    }
}

/* 58 INT columns need two words of null bits. */
static void a_key_of_58_columns_has_sixteen_bytes_of_header(void **state)
{
    (void)state;
    weir_buffer types = {0};
    weir_buffer json = {0};
    weir_buffer_append_text(&json, "[[0");
    weir_buffer_append_text(&types, "INT");
    for (int i = 1; i < 58; i++) {
        weir_buffer_append_text(&types, ", INT");
        weir_buffer_append_format(&json, ", %d", i);
    }
    weir_buffer_append_text(&json, "], [null");
    for (int i = 1; i < 58; i++) {
        weir_buffer_append_text(&json, ", null");
    }
    weir_buffer_append_text(&json, "]]");
    test_rows rows;
    rows_start(&rows, weir_buffer_text(&types));
    rows_add(&rows, weir_buffer_text(&json));
    int32_t buckets[2];
    weir_error err;
    check_ok(weir_batch_buckets(WEIR_BUCKET_DEFAULT, &rows.batch, all_columns, 58, 7, buckets, &err), &err);
    assert_int_equal(buckets[0], 5); /* as Java */
    assert_int_equal(buckets[1], 4);
    rows_free(&rows);
    weir_buffer_free(&types);
    weir_buffer_free(&json);
}

static void check_hashes(const test_rows *rows, const char *types)
{
    weir_error err;
    int32_t *hashes = weir_alloc_zeroed((size_t)rows->batch.length, sizeof *hashes);
    check_ok(weir_batch_hash(&rows->batch, all_columns, rows->column_count, hashes, &err), &err);
    weir_buffer row = {0};
    for (int64_t i = 0; i < rows->batch.length; i++) {
        weir_buffer_clear(&row);
        check_ok(weir_binary_row_write(&rows->batch, all_columns, rows->column_count, i, &row, &err), &err);
        if (hashes[i] != weir_binary_row_hash(weir_buffer_slice(&row))) {
            fail_msg("row %" PRId64 " of %s: hash %" PRId32 " is not that of its row", i, types, hashes[i]);
        }
    }
    weir_buffer_free(&row);
    free(hashes);
}

static void the_hash_of_a_batch_is_the_hash_of_its_rows(void **state)
{
    (void)state;
    static const char *const types[] = {"BIGINT",
                                        "INT NOT NULL",
                                        "STRING",
                                        "STRING NOT NULL",
                                        "BYTES",
                                        "BOOLEAN",
                                        "FLOAT",
                                        "DOUBLE",
                                        "DECIMAL(18,2)",
                                        "DECIMAL(30,2)",
                                        "TIMESTAMP(3)",
                                        "TIMESTAMP(6)",
                                        "TIMESTAMP(9)",
                                        "TIME",
                                        "TINYINT, SMALLINT, INT, BIGINT, BOOLEAN",
                                        "BIGINT, STRING",
                                        "FLOAT, DOUBLE, DATE",
                                        "ARRAY<INT>, INT",
                                        "INT, ROW<a INT, b STRING>"};
    random_state random = random_start();
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        test_rows rows;
        rows_start(&rows, types[t]);
        rows_add_random(&rows, &random, 2100); /* more than two blocks */
        check_hashes(&rows, types[t]);
        rows_free(&rows);
    }
}

static void an_empty_batch_has_no_buckets(void **state)
{
    (void)state;
    static const char *const types[] = {"BIGINT", "STRING", "BIGINT, STRING"};
    for (size_t t = 0; t < 3; t++) {
        test_rows rows;
        rows_start(&rows, types[t]);
        int32_t bucket = -7;
        weir_error err;
        check_ok(weir_batch_buckets(WEIR_BUCKET_DEFAULT, &rows.batch, all_columns, rows.column_count, 4, &bucket, &err),
                 &err);
        assert_int_equal(bucket, -7);
        rows_free(&rows);
    }
}

static void functions_refuse_keys_they_do_not_know(void **state)
{
    (void)state;
    static const struct {
        weir_bucket_function function;
        const char *types;
        int32_t bucket_count;
        int code;
    } cases[] = {
        {WEIR_BUCKET_MOD, "STRING", 4, WEIR_INVALID},          {WEIR_BUCKET_MOD, "SMALLINT", 4, WEIR_INVALID},
        {WEIR_BUCKET_MOD, "INT, INT", 4, WEIR_INVALID},        {WEIR_BUCKET_HIVE, "TIMESTAMP(3)", 4, WEIR_UNSUPPORTED},
        {WEIR_BUCKET_HIVE, "ARRAY<INT>", 4, WEIR_UNSUPPORTED}, {WEIR_BUCKET_DEFAULT, "INT", 0, WEIR_INVALID},
        {WEIR_BUCKET_DEFAULT, "INT", -1, WEIR_INVALID},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_rows rows;
        rows_start(&rows, cases[i].types);
        random_state random = {i};
        rows_add_random(&rows, &random, 1);
        int32_t bucket;
        weir_error err;
        assert_int_equal(weir_batch_buckets(cases[i].function, &rows.batch, all_columns, rows.column_count,
                                            cases[i].bucket_count, &bucket, &err),
                         cases[i].code);
        rows_free(&rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_go_to_the_buckets_that_java_gave_them),
        cmocka_unit_test(a_key_of_58_columns_has_sixteen_bytes_of_header),
        cmocka_unit_test(the_hash_of_a_batch_is_the_hash_of_its_rows),
        cmocka_unit_test(an_empty_batch_has_no_buckets),
        cmocka_unit_test(functions_refuse_keys_they_do_not_know),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
