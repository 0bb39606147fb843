/* Unions of roaring bitmaps: their values, the bytes that Java makes of them, and damaged bytes. */
#include "cmocka_all.h"

#include "index/roaring.h"
#include "random.h"

/* Bytes of text in hexadecimal digits, blanks left out. */
static weir_buffer bytes_of(const char *text)
{
    weir_buffer out = {0};
    for (const char *at = text; *at != '\0'; at++) {
        if (*at != ' ') {
            const char digits[] = {at[0], at[1], '\0'};
            weir_buffer_append_byte(&out, (uint8_t)strtoul(digits, NULL, 16));
            at++;
        }
    }
    return out;
}

static void assert_union(const char *a, const char *b, const char *expected)
{
    weir_error err = {0};
    weir_buffer left = bytes_of(a), right = bytes_of(b), wanted = bytes_of(expected), found = {0};
    if (weir_roaring_union(weir_buffer_slice(&left), weir_buffer_slice(&right), &found, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    assert_int_equal(found.size, wanted.size);
    assert_memory_equal(found.data, wanted.data, wanted.size);
    weir_buffer_free(&left);
    weir_buffer_free(&right);
    weir_buffer_free(&wanted);
    weir_buffer_free(&found);
}

#define EMPTY          "3a300000 00000000"
#define ONE            "3a300000 01000000 0000 0000 10000000 0100"           /* 1 */
#define TWO_AND_THREE  "3a300000 01000000 0000 0100 10000000 0200 0300"      /* 2, 3 */
#define ONE_TO_THREE   "3a300000 01000000 0000 0200 10000000 0100 0200 0300" /* as an array */
#define RUN_FROM_ONE   "3b300000 01 0000 0200 0100 0100 0200"                /* 1 to 3 as a run */
#define HIGHER         "3a300000 01000000 0100 0000 10000000 0500"           /* 65541 */
#define RUN_AND_HIGHER "3b300100 01 0000 0200 0100 0000 0100 0100 0200 0500" /* 1 to 3, 65541 */
#define ONE_TO_FOUR    "3b300000 01 0000 0300 0100 0100 0300"                /* a run is shorter */
#define FOUR           "3a300000 01000000 0000 0000 10000000 0400"           /* 4 */

static void values_of_both_are_written_as_java_writes_them(void **state)
{
    (void)state;
    assert_union(EMPTY, EMPTY, EMPTY);
    assert_union(EMPTY, ONE, ONE);
    assert_union(ONE, TWO_AND_THREE, ONE_TO_THREE);
    assert_union(RUN_FROM_ONE, ONE, RUN_FROM_ONE); /* as short as an array: runs stay runs, arrays arrays */
    assert_union(ONE, RUN_FROM_ONE, RUN_FROM_ONE);
    assert_union(HIGHER, RUN_FROM_ONE, RUN_AND_HIGHER);
    assert_union(ONE_TO_THREE, FOUR, ONE_TO_FOUR);
}

/* A bitmap of one container of many values, every second number from `first` on. */
static weir_buffer every_second(uint32_t first, uint32_t count)
{
    weir_buffer out = bytes_of("3a300000 01000000 0000");
    weir_buffer_append(&out, (const uint8_t[]){(uint8_t)(count - 1), (uint8_t)((count - 1) >> 8), 16, 0, 0, 0}, 6);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = first + 2 * i;
        weir_buffer_append(&out, (const uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
    }
    return out;
}

static void more_than_4096_values_of_a_container_become_bits(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer low = every_second(0, 4000), high = every_second(8000, 4000), both = {0}, all = {0};
    assert_int_equal(weir_roaring_union(weir_buffer_slice(&low), weir_buffer_slice(&high), &both, &err), WEIR_OK);
    assert_int_equal(both.size, 16 + 8192);
    assert_int_equal(both.data[16], 0x55);
    assert_int_equal(both.data[16 + 1999], 0x55);
    assert_int_equal(both.data[16 + 2000], 0);
    assert_int_equal(weir_roaring_union(weir_buffer_slice(&both), weir_buffer_slice(&low), &all, &err), WEIR_OK);
    assert_int_equal(all.size, both.size);
    assert_memory_equal(all.data, both.data, both.size);
    weir_buffer_free(&low);
    weir_buffer_free(&high);
    weir_buffer_free(&both);
    weir_buffer_free(&all);
}

static void damaged_bytes_are_refused_or_bear_any_result(void **state)
{
    (void)state;
    random_state random = random_start();
    static const char *const texts[] = {ONE, RUN_FROM_ONE, RUN_AND_HIGHER, ONE_TO_THREE, EMPTY};
    weir_error err = {0};
    weir_buffer one = bytes_of(ONE), nothing = {0}, out = {0};
    assert_int_equal(weir_roaring_union(weir_buffer_slice(&nothing), weir_buffer_slice(&one), &out, &err),
                     WEIR_INVALID);
    assert_non_null(strstr(err.message, "0 bytes are no roaring bitmap"));
    for (int round = 0; round < 3000; round++) {
        weir_buffer bytes = bytes_of(texts[random_below(&random, sizeof texts / sizeof *texts)]);
        for (uint64_t i = random_below(&random, 4); i > 0; i--) {
            bytes.data[random_below(&random, bytes.size)] = (uint8_t)random_next(&random);
        }
        bytes.size -= random_below(&random, 3) == 0 ? random_below(&random, bytes.size) : 0;
        weir_slice exact = weir_slice_of(bytes.data, bytes.size);
        err = (weir_error){0};
        out.size = 0;
        int code = weir_roaring_union(exact, weir_buffer_slice(&one), &out, &err);
        assert_true(code == WEIR_OK || code == WEIR_INVALID);
        weir_buffer_free(&bytes);
    }
    weir_buffer_free(&one);
    weir_buffer_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_both_are_written_as_java_writes_them),
        cmocka_unit_test(more_than_4096_values_of_a_container_become_bits),
        cmocka_unit_test(damaged_bytes_are_refused_or_bear_any_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
