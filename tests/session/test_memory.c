/* The one number for memory and its shares. */
#include "cmocka_all.h"

#include "session/memory.h"

static void the_shares_never_pass_the_number(void **state)
{
    (void)state;
    weir_memory memory;
    weir_memory_init(&memory, 256 << 20);
    assert_int_equal(memory.total_bytes, 256 << 20);
    assert_true(memory.tables.limit_bytes + memory.sources.limit_bytes <= memory.total_bytes);
    int64_t engine = weir_memory_share_with_engine(&memory);
    assert_true(engine > 0);
    assert_true(engine + memory.tables.limit_bytes + memory.sources.limit_bytes <= memory.total_bytes);
}

static void tables_have_the_engines_share_until_it_is_opened(void **state)
{
    (void)state;
    weir_memory memory;
    weir_memory_init(&memory, 1 << 30);
    int64_t alone = memory.tables.limit_bytes;
    weir_memory_share_with_engine(&memory);
    assert_true(memory.tables.limit_bytes < alone);
    assert_true(memory.tables.limit_bytes > 0);
}

static void without_a_number_it_is_a_part_of_the_machine(void **state)
{
    (void)state;
    weir_memory memory;
    weir_memory_init(&memory, 0);
    assert_true(memory.total_bytes > 0);
}

static void a_full_share_says_whose_it_is(void **state)
{
    (void)state;
    weir_memory memory;
    weir_error err = {0};
    weir_memory_init(&memory, 1 << 20);
    assert_int_equal(weir_budget_take(&memory.tables, 1 << 20, &err), WEIR_NO_MEMORY);
    assert_non_null(strstr(err.message, "--memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shares_never_pass_the_number),
        cmocka_unit_test(tables_have_the_engines_share_until_it_is_opened),
        cmocka_unit_test(without_a_number_it_is_a_part_of_the_machine),
        cmocka_unit_test(a_full_share_says_whose_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
