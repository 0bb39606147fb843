/* Reading small binary documents: what is there, and what is not. */
#include "base/byte_reader.h"

#include "cmocka_all.h"

static void what_was_put_is_taken(void **state)
{
    (void)state;
    weir_buffer bytes = {0};
    weir_put_u8(&bytes, 200);
    weir_put_u32(&bytes, 4000000000u);
    weir_put_u64(&bytes, UINT64_MAX - 1);
    weir_put_number(&bytes, 0x123456, 3);
    weir_byte_reader reader = weir_byte_reader_of(weir_buffer_slice(&bytes));
    assert_int_equal(weir_take_u8(&reader), 200);
    assert_true(weir_take_u32(&reader) == 4000000000u);
    assert_true(weir_take_u64(&reader) == UINT64_MAX - 1);
    assert_false(weir_byte_reader_is_done(&reader));
    assert_int_equal(weir_take_number(&reader, 3), 0x123456);
    assert_true(weir_byte_reader_is_done(&reader));
    weir_buffer_free(&bytes);
}

static void what_is_not_there_is_zero_and_the_end(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {1, 2, 3};
    weir_byte_reader reader = weir_byte_reader_of(weir_slice_of(bytes, sizeof bytes));
    assert_int_equal(weir_take_u32(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(reader.left.size, 0);
    assert_int_equal(weir_take_u8(&reader), 0);
    assert_false(weir_byte_reader_is_done(&reader));
}

static void a_count_that_the_bytes_cannot_hold_fails(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {2, 0, 0, 0, 9, 9, 9, 9};
    weir_byte_reader reader = weir_byte_reader_of(weir_slice_of(bytes, sizeof bytes));
    assert_int_equal(weir_take_count(&reader, 2), 2);
    reader = weir_byte_reader_of(weir_slice_of(bytes, sizeof bytes));
    assert_int_equal(weir_take_count(&reader, 3), 0);
    assert_true(reader.failed);
    assert_int_equal(reader.left.size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_put_is_taken),
        cmocka_unit_test(what_is_not_there_is_zero_and_the_end),
        cmocka_unit_test(a_count_that_the_bytes_cannot_hold_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
