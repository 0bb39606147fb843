/* Rows as bytes and back, for all types; and bytes that are no rows. */
#include "stream/state/row_codec.h"

#include "stream/state/state.h"
#include "vector/compare.h"
#include "vector/rows.h"

static const char *const all_types =
    "BOOLEAN, TINYINT, SMALLINT NOT NULL, INT, BIGINT, FLOAT, DOUBLE NOT NULL, DECIMAL(9,2), DECIMAL(38,2), CHAR(3), "
    "STRING NOT NULL, BYTES, DATE, TIME(3), TIMESTAMP(3), TIMESTAMP(9), TIMESTAMP(6) WITH LOCAL TIME ZONE, "
    "ARRAY<INT>, ARRAY<ARRAY<STRING NOT NULL>>, MAP<STRING, DOUBLE>, MULTISET<INT>, ROW<a INT, b ARRAY<ROW<c STRING>>>";
static const char *const plain_types = "BOOLEAN, TINYINT, SMALLINT, INT, INT NOT NULL, BIGINT NOT NULL, DOUBLE, FLOAT, "
                                       "DECIMAL(38,2), STRING, BYTES NOT NULL, TIMESTAMP(9)";

static bool rows_equal(const weir_batch *a, int64_t row_a, const weir_batch *b, int64_t row_b)
{
    for (int32_t c = 0; c < a->column_count; c++) {
        if (a->columns[c].type->id == WEIR_MAP || a->columns[c].type->id == WEIR_MULTISET) {
            continue; /* random ones may have a key twice, and then are equal to nothing */
        }
        bool null_a = weir_vector_is_null(&a->columns[c], row_a);
        bool null_b = weir_vector_is_null(&b->columns[c], row_b);
        if (null_a != null_b || (!null_a && !weir_vector_values_equal(&a->columns[c], row_a, &b->columns[c], row_b))) {
            return false;
        }
    }
    return true;
}

static void check_types(const char *types, random_state *random)
{
    weir_error err;
    test_rows rows;
    test_rows back;
    rows_start(&rows, types);
    rows_start(&back, types);
    rows_add_random(&rows, random, 300);
    weir_buffer all = {0};
    weir_buffer one = {0};
    uint32_t offsets[301];
    weir_buffer_append_text(&all, "before");
    check_ok(weir_rows_encode(&rows.batch, NULL, 0, &all, offsets, &err), &err);
    assert_int_equal(offsets[0], 6);
    assert_int_equal(offsets[300], all.size);
    for (int64_t i = 0; i < 300; i++) {
        weir_slice bytes = weir_slice_of(all.data + offsets[i], offsets[i + 1] - offsets[i]);
        weir_buffer_clear(&one);
        check_ok(weir_row_encode(&rows.batch, NULL, 0, i, &one, &err), &err);
        assert_true(weir_slice_equal(weir_buffer_slice(&one), bytes));
        check_ok(weir_row_decode(bytes, &back.batch, 0, back.column_count, &err), &err);
        back.batch.length++;
        assert_true(rows_equal(&rows.batch, i, &back.batch, i));
        weir_buffer_clear(&one);
        check_ok(weir_row_encode(&back.batch, NULL, 0, i, &one, &err), &err);
        assert_true(weir_slice_equal(weir_buffer_slice(&one), bytes));
    }
    weir_buffer_free(&all);
    weir_buffer_free(&one);
    rows_free(&rows);
    rows_free(&back);
}

static void rows_of_any_type_come_back_from_their_bytes(void **unused)
{
    (void)unused;
    random_state random = random_start();
    check_types(all_types, &random);
    check_types(plain_types, &random);
    check_types("STRING", &random);
}

static weir_buffer encode_one(const char *types, const char *json)
{
    weir_error err;
    test_rows rows;
    weir_buffer out = {0};
    rows_start(&rows, types);
    rows_add(&rows, json);
    check_ok(weir_row_encode(&rows.batch, NULL, 0, 0, &out, &err), &err);
    rows_free(&rows);
    return out;
}

static void maps_with_equal_entries_have_equal_bytes(void **unused)
{
    (void)unused;
    weir_buffer a = encode_one("MAP<STRING, INT>", "[[[['x', 1], ['yy', 2], ['z', null]]]]");
    weir_buffer b = encode_one("MAP<STRING, INT>", "[[[['z', null], ['yy', 2], ['x', 1]]]]");
    assert_true(weir_slice_equal(weir_buffer_slice(&a), weir_buffer_slice(&b)));
    weir_buffer_free(&a);
    weir_buffer_free(&b);
}

static void all_nans_are_one_and_zeros_are_two(void **unused)
{
    (void)unused;
    weir_error err;
    test_rows rows;
    rows_start(&rows, "FLOAT, DOUBLE");
    uint32_t float_bits[] = {0x7fc00000, 0xffc00001, 0, 0x80000000};
    uint64_t double_bits[] = {0x7ff8000000000000, 0xfff8000000000001, 0, 0x8000000000000000};
    for (int i = 0; i < 4; i++) {
        check_ok(weir_vector_append_raw(&rows.batch.columns[0], &float_bits[i], 4, &err), &err);
        check_ok(weir_vector_append_raw(&rows.batch.columns[1], &double_bits[i], 8, &err), &err);
        rows.batch.length++;
    }
    weir_buffer out = {0};
    uint32_t offsets[5];
    check_ok(weir_rows_encode(&rows.batch, NULL, 0, &out, offsets, &err), &err);
    assert_memory_equal(out.data + offsets[0], out.data + offsets[1], offsets[1] - offsets[0]);
    assert_memory_not_equal(out.data + offsets[2], out.data + offsets[3], offsets[3] - offsets[2]);
    weir_buffer_free(&out);
    rows_free(&rows);
}

/* Decoding must end with an error or a row, whatever the bytes are. */
static void decode_anyhow(weir_slice bytes, const char *types)
{
    weir_error err;
    test_rows back;
    rows_start(&back, types);
    void *copy = weir_alloc(bytes.size + 1); /* so that a sanitizer sees reads past the end */
    memcpy(copy, bytes.data, bytes.size);
    copy = weir_realloc(copy, bytes.size == 0 ? 1 : bytes.size);
    int code = weir_row_decode(weir_slice_of(copy, bytes.size), &back.batch, 0, back.column_count, &err);
    assert_true(code == WEIR_OK || code == WEIR_CORRUPT);
    free(copy);
    rows_free(&back);
}

static void bytes_that_are_no_row_are_an_error(void **unused)
{
    (void)unused;
    weir_error err;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, all_types);
    rows_add_random(&rows, &random, 60);
    weir_buffer bytes = {0};
    for (int64_t i = 0; i < 60; i++) {
        weir_buffer_clear(&bytes);
        check_ok(weir_row_encode(&rows.batch, NULL, 0, i, &bytes, &err), &err);
        for (int round = 0; round < 60; round++) {
            size_t at = random_below(&random, bytes.size);
            uint8_t old = bytes.data[at];
            bytes.data[at] = (uint8_t)random_next(&random);
            decode_anyhow(weir_buffer_slice(&bytes), all_types);
            bytes.data[at] = old;
            decode_anyhow(weir_slice_of(bytes.data, random_below(&random, bytes.size)), all_types);
        }
    }
    weir_buffer_free(&bytes);
    rows_free(&rows);
}

static void a_row_that_is_cut_off_or_too_long_is_an_error(void **unused)
{
    (void)unused;
    weir_error err;
    weir_buffer bytes = encode_one("INT, STRING", "[[7, 'text']]");
    test_rows back;
    rows_start(&back, "INT, STRING");
    weir_buffer_append_byte(&bytes, 0);
    assert_int_equal(weir_row_decode(weir_buffer_slice(&bytes), &back.batch, 0, 2, &err), WEIR_CORRUPT);
    for (size_t size = 0; size + 1 < bytes.size; size++) {
        weir_batch_clear(&back.batch);
        assert_int_equal(weir_row_decode(weir_slice_of(bytes.data, size), &back.batch, 0, 2, &err), WEIR_CORRUPT);
    }
    weir_buffer_free(&bytes);
    rows_free(&back);
}

/* --- keys -------------------------------------------------------------------------------------------------------- */

static void keys_of_nested_columns_are_equal_when_their_rows_are(void **unused)
{
    (void)unused;
    weir_error err;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, "ARRAY<TINYINT>, BOOLEAN");
    weir_sort_keys keys = {0};
    rows_add_random(&rows, &random, 150);
    check_ok(weir_state_keys_append(&keys, &rows.batch, all_columns, 2, &err), &err);
    check_ok(weir_state_keys_append(&keys, &rows.batch, all_columns, 2, &err), &err);
    assert_int_equal(keys.length, 300);
    assert_false(keys.whole);
    for (int64_t i = 0; i < 300; i++) {
        for (int64_t j = 0; j < 150; j++) {
            assert_int_equal(weir_sort_keys_compare(&keys, i, &keys, j) == 0,
                             rows_equal(&rows.batch, i % 150, &rows.batch, j));
        }
    }
    weir_sort_keys_free(&keys);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_any_type_come_back_from_their_bytes),
        cmocka_unit_test(maps_with_equal_entries_have_equal_bytes),
        cmocka_unit_test(all_nans_are_one_and_zeros_are_two),
        cmocka_unit_test(bytes_that_are_no_row_are_an_error),
        cmocka_unit_test(a_row_that_is_cut_off_or_too_long_is_an_error),
        cmocka_unit_test(keys_of_nested_columns_are_equal_when_their_rows_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
