/* Arenas and allocation. */
#include "base/alloc.h"
#include "base/arena.h"

#include <stdlib.h>

#include "cmocka_all.h"
#include "random.h"

static void pieces_are_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_arena arena;
    weir_arena_init(&arena);
    enum { COUNT = 3000 };
    static uint8_t *pieces[COUNT];
    static size_t sizes[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        sizes[i] = random_below(&random, random_below(&random, 20) == 0 ? 20000 : 100);
        pieces[i] = weir_arena_alloc(&arena, sizes[i]);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % 16, 0);
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(pieces[i][k], 0);
        }
        memset(pieces[i], (int)(i & 0xFF), sizes[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t k = 0; k < sizes[i]; k++) {
            assert_int_equal(pieces[i][k], i & 0xFF);
        }
    }
    assert_true(arena.total_bytes > 0);
    weir_arena_free(&arena);
    assert_int_equal(arena.total_bytes, 0);
    assert_non_null(weir_arena_alloc(&arena, 1)); /* as after init */
    weir_arena_free(&arena);
}

static void a_large_piece_does_not_waste_the_open_block(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_arena_alloc(&arena, 16);
    size_t left = arena.left;
    weir_arena_alloc(&arena, 1 << 20);
    assert_int_equal(arena.left, left);
    weir_arena_free(&arena);
}

static void copies_and_formatted_text_are_terminated(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    assert_null(weir_arena_strdup(&arena, NULL));
    assert_string_equal(weir_arena_strdup(&arena, "bucket-0"), "bucket-0");
    assert_string_equal(weir_arena_strndup(&arena, "bucket-0", 6), "bucket");
    assert_string_equal(weir_arena_strndup(&arena, NULL, 0), "");
    assert_string_equal(weir_arena_format(&arena, "%s/%05d", "a", 42), "a/00042");
    assert_string_equal(weir_arena_format(&arena, "%s", ""), "");
    assert_int_equal(strlen(weir_arena_format(&arena, "%10000d", 1)), 10000);
    assert_memory_equal(weir_arena_copy(&arena, "\0x\0", 3), "\0x\0", 3);
    assert_non_null(weir_arena_copy(&arena, NULL, 0));
    weir_arena_free(&arena);
}

static void text_is_allocated_by_size_or_format(void **state)
{
    (void)state;
    char *text = weir_strndup("abcdef", 3);
    assert_string_equal(text, "abc");
    free(text);
    text = weir_format("%d-%s", 7, "x");
    assert_string_equal(text, "7-x");
    free(text);
    free(weir_alloc(0));
    free(weir_alloc_zeroed(0, 8));
    free(weir_realloc(NULL, 0));
}

static void a_checked_allocation_is_aligned_or_refused(void **state)
{
    (void)state;
    weir_error err;
    void *memory = NULL;
    assert_int_equal(weir_alloc_checked(3, 5, &memory, &err), WEIR_OK);
    assert_int_equal((uintptr_t)memory % 64, 0);
    free(memory);
    assert_int_equal(weir_alloc_checked(0, 8, &memory, &err), WEIR_OK);
    free(memory);
    memory = NULL;
    assert_int_equal(weir_alloc_checked(SIZE_MAX / 2, 3, &memory, &err), WEIR_NO_MEMORY);
    assert_int_equal(weir_alloc_checked(SIZE_MAX, 1, &memory, &err), WEIR_NO_MEMORY);
    assert_null(memory);
}

static void a_grown_array_doubles(void **state)
{
    (void)state;
    int *items = NULL;
    size_t capacity = 0;
    for (int i = 0; i < 1000; i++) {
        WEIR_GROW(items, capacity, i + 1);
        items[i] = i;
    }
    assert_int_equal(capacity, 1024);
    assert_int_equal(items[999], 999);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_zeroed_aligned_and_apart),
        cmocka_unit_test(a_large_piece_does_not_waste_the_open_block),
        cmocka_unit_test(copies_and_formatted_text_are_terminated),
        cmocka_unit_test(text_is_allocated_by_size_or_format),
        cmocka_unit_test(a_checked_allocation_is_aligned_or_refused),
        cmocka_unit_test(a_grown_array_doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
