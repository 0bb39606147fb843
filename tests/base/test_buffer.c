/* Buffers, slices, numbers in bytes. */
#include "base/buffer.h"

#include "cmocka_all.h"

static void slices_compare_as_unsigned_bytes_and_then_by_size(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        int order;
    } cases[] = {
        {"", "", 0},    {"", "a", -1},          {"a", "", 1},   {"a", "b", -1},
        {"ab", "a", 1}, {"a\x7f", "a\x80", -1}, {"b", "aa", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_slice a = weir_slice_text(cases[i].a);
        weir_slice b = weir_slice_text(cases[i].b);
        assert_int_equal(weir_slice_compare(a, b), cases[i].order);
        assert_int_equal(weir_slice_compare(b, a), -cases[i].order);
        assert_int_equal(weir_slice_equal(a, b), cases[i].order == 0);
    }
    assert_true(weir_slice_equal((weir_slice){0}, weir_slice_text("")));
    assert_int_equal(weir_slice_compare((weir_slice){0}, weir_slice_text("")), 0);
}

static void a_buffer_takes_bytes_text_zeros_and_formats(void **state)
{
    (void)state;
    weir_buffer buffer = {0};
    weir_buffer_append(&buffer, NULL, 0);
    assert_string_equal(weir_buffer_text(&buffer), "");
    weir_buffer_append_text(&buffer, "ab");
    weir_buffer_append_byte(&buffer, 'c');
    weir_buffer_append_format(&buffer, "%d", 42);
    weir_buffer_append(&buffer, "xyz", 2);
    assert_string_equal(weir_buffer_text(&buffer), "abc42xy");
    assert_int_equal(buffer.size, 7);
    weir_buffer_append_zeros(&buffer, 3);
    assert_int_equal(buffer.size, 10);
    assert_memory_equal(buffer.data + 7, "\0\0\0", 3);
    weir_buffer_clear(&buffer);
    weir_buffer_append_format(&buffer, "%5000d", 1); /* longer than the room that there is */
    assert_int_equal(buffer.size, 5000);
    assert_int_equal(buffer.data[4999], '1');
    weir_buffer_free(&buffer);
    assert_null(buffer.data);
    weir_buffer_free(NULL);
}

static void a_buffer_grows_without_losing_bytes(void **state)
{
    (void)state;
    weir_buffer buffer = {0};
    for (int i = 0; i < 100000; i++) {
        weir_buffer_append_byte(&buffer, (uint8_t)i);
    }
    for (int i = 0; i < 100000; i++) {
        assert_int_equal(buffer.data[i], (uint8_t)i);
    }
    weir_buffer_reserve(&buffer, 1 << 20);
    assert_true(buffer.capacity - buffer.size >= 1 << 20);
    weir_buffer_free(&buffer);
}

static void numbers_load_and_store_at_any_address(void **state)
{
    (void)state;
    uint8_t bytes[16] = {0};
    weir_store_be32(bytes + 1, 0x01020304);
    assert_memory_equal(bytes + 1, "\x01\x02\x03\x04", 4);
    assert_int_equal(weir_load_be32(bytes + 1), 0x01020304);
    assert_int_equal(weir_load_le32(bytes + 1), 0x04030201);
    weir_store_le16(bytes + 3, 0xABCD);
    assert_memory_equal(bytes + 3, "\xCD\xAB", 2);
    assert_int_equal(weir_load_be16(bytes + 3), 0xCDAB);
    weir_store_be64(bytes + 5, 0x0102030405060708U);
    assert_int_equal(weir_load_le64(bytes + 5), 0x0807060504030201U);
    assert_int_equal(weir_load_be64(bytes + 5), 0x0102030405060708U);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_compare_as_unsigned_bytes_and_then_by_size),
        cmocka_unit_test(a_buffer_takes_bytes_text_zeros_and_formats),
        cmocka_unit_test(a_buffer_grows_without_losing_bytes),
        cmocka_unit_test(numbers_load_and_store_at_any_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
