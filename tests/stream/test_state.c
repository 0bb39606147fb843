/* Keyed state in memory: value state and map state against plain arrays, and single facts. */
#include "stream/state/state.h"

#include "state_fixture.h"

typedef struct fixture {
    weir_state_backend *backend;
    weir_budget budget;
    weir_error err;
} fixture;

#define CHECK(test, call) check_ok((call), &(test)->err)

static void start(fixture *test)
{
    memset(test, 0, sizeof *test);
    weir_budget_init(&test->budget, "test", NULL, INT64_MAX);
    weir_state_backend_options options = {.budget = &test->budget};
    CHECK(test, weir_state_backend_open(&options, &test->backend, &test->err));
}

static void end(fixture *test)
{
    assert_int_equal(weir_state_backend_memory(test->backend), 0);
    assert_int_equal(atomic_load(&test->budget.used_bytes), 0);
    weir_state_backend_close(test->backend);
}

static weir_value_state *open_values(fixture *test, int64_t ttl_ms)
{
    weir_value_state *state = NULL;
    weir_state_options options = {.uid = "op", .name = "values", .ttl_ms = ttl_ms};
    CHECK(test, weir_value_state_open(test->backend, &options, &state, &test->err));
    return state;
}

static weir_map_state *open_maps(fixture *test, int64_t ttl_ms)
{
    weir_map_state *state = NULL;
    weir_state_options options = {.uid = "op", .name = "maps", .ttl_ms = ttl_ms};
    CHECK(test, weir_map_state_open(test->backend, &options, &state, &test->err));
    return state;
}

static weir_state_slot value_slot(fixture *test, weir_value_state *state, uint32_t number)
{
    weir_sort_keys keys = {0};
    weir_state_slot slot = 0;
    make_keys(&keys, true, &number, 1);
    CHECK(test, weir_value_state_fetch(state, &keys, &slot, &test->err));
    weir_sort_keys_free(&keys);
    return slot;
}

static void set_value(fixture *test, weir_value_state *state, weir_state_slot slot, model_value value)
{
    uint8_t *bytes = NULL;
    CHECK(test, weir_value_state_edit(state, slot, (size_t)value.size, &bytes, &test->err));
    assert_int_equal((uintptr_t)bytes % 8, 0);
    memset(bytes, value.fill, (size_t)value.size);
}

/* --- value state ------------------------------------------------------------------------------------------------- */

static void values_are_what_was_set_last(void **unused)
{
    (void)unused;
    random_state random = random_start();
    for (int round = 0; round < 8; round++) {
        static model_value model[KEY_LIMIT];
        memset(model, 0, sizeof model);
        fixture test;
        start(&test);
        bool whole = round % 2 == 0;
        int64_t ttl_ms = round % 4 < 2 ? 0 : 5000;
        weir_value_state *state = open_values(&test, ttl_ms);
        weir_sort_keys keys = {0};
        int64_t now = 1000000;
        for (int step = 0; step < 300; step++) {
            now += (int64_t)random_below(&random, 200);
            weir_state_backend_set_time(test.backend, now);
            uint32_t numbers[200];
            weir_state_slot slots[200];
            int64_t count = (int64_t)random_below(&random, 200);
            uint64_t range = random_below(&random, 400) + 1;
            for (int64_t i = 0; i < count; i++) {
                numbers[i] = (uint32_t)random_below(&random, range);
            }
            make_keys(&keys, whole, numbers, count);
            CHECK(&test, weir_value_state_fetch(state, &keys, slots, &test.err));
            for (int64_t i = 0; i < count; i++) {
                model_value *expected = &model[numbers[i]];
                if (ttl_ms > 0 && now - expected->time >= ttl_ms) {
                    expected->size = 0;
                }
                if (!model_matches(*expected, weir_value_state_get(state, slots[i]))) {
                    fail_msg("round %d, step %d: key %u is not what it was", round, step, numbers[i]);
                }
                if (random_below(&random, 4) == 0) {
                    weir_value_state_remove(state, slots[i]);
                    expected->size = 0;
                } else if (random_below(&random, 3) > 0) {
                    int32_t size = (int32_t)random_below(&random, random_below(&random, 20) == 0 ? 20000 : 60);
                    *expected = (model_value){size, (uint8_t)random_next(&random), now};
                    set_value(&test, state, slots[i], *expected);
                }
            }
        }
        weir_sort_keys_free(&keys);
        weir_value_state_close(state);
        end(&test);
    }
}

static void equal_keys_have_one_slot(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_value_state *state = open_values(&test, 0);
    for (int whole = 0; whole < 2; whole++) {
        weir_sort_keys keys = {0};
        uint32_t numbers[] = {5, 7, 5, 5, 7, 0};
        weir_state_slot slots[6];
        make_keys(&keys, whole, numbers, 6);
        CHECK(&test, weir_value_state_fetch(state, &keys, slots, &test.err));
        assert_int_equal(slots[0], slots[2]);
        assert_int_equal(slots[0], slots[3]);
        assert_int_equal(slots[1], slots[4]);
        assert_int_not_equal(slots[0], slots[1]);
        assert_int_not_equal(slots[0], slots[5]);
        weir_sort_keys_free(&keys);
    }
    weir_value_state_close(state);
    end(&test);
}

static void editing_keeps_old_bytes_and_zeroes_new_ones(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_value_state *state = open_values(&test, 0);
    weir_state_slot slot = value_slot(&test, state, 1);
    size_t sizes[] = {3, 8, 2, 30, 5000, 20, 100000, 7};
    uint8_t *bytes = NULL;
    size_t kept = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        CHECK(&test, weir_value_state_edit(state, slot, sizes[i], &bytes, &test.err));
        kept = kept < sizes[i] ? kept : sizes[i];
        for (size_t b = 0; b < sizes[i]; b++) {
            assert_int_equal(bytes[b], b < kept ? 0xaa : 0);
        }
        memset(bytes, 0xaa, sizes[i]);
        kept = sizes[i];
        assert_int_equal(weir_value_state_get(state, slot).size, sizes[i]);
    }
    weir_value_state_close(state);
    end(&test);
}

static void keys_without_bytes_cost_nothing(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_value_state *state = open_values(&test, 0);
    value_slot(&test, state, 0);
    int64_t before = weir_state_backend_memory(test.backend);
    for (uint32_t i = 0; i < 20000; i++) {
        weir_state_slot slot = value_slot(&test, state, i);
        if (i % 2 == 0) {
            set_value(&test, state, slot, (model_value){40, 1, 0});
            weir_value_state_remove(state, slot);
        }
    }
    assert_true(weir_state_backend_memory(test.backend) <= before + 2 * 65536);
    weir_value_state_close(state);
    end(&test);
}

static void entries_past_their_time_are_gone_and_freed(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_value_state *state = open_values(&test, 1000);
    weir_state_backend_set_time(test.backend, 5000);
    for (uint32_t i = 0; i < 20000; i++) {
        set_value(&test, state, value_slot(&test, state, i), (model_value){40, 1, 0});
    }
    int64_t full = weir_state_backend_memory(test.backend);
    weir_state_backend_set_time(test.backend, 5999);
    assert_int_equal(weir_value_state_get(state, value_slot(&test, state, 7)).size, 40);
    weir_state_backend_set_time(test.backend, 6000);
    assert_int_equal(weir_value_state_get(state, value_slot(&test, state, 7)).size, 0);
    for (int i = 0; i < 1000; i++) {
        value_slot(&test, state, 100000);
    }
    assert_true(weir_state_backend_memory(test.backend) < full / 2);
    weir_value_state_close(state);
    end(&test);
}

static void a_budget_that_is_full_is_an_error(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    test.budget.limit_bytes = 1 << 20;
    weir_value_state *state = open_values(&test, 0);
    weir_sort_keys keys = {0};
    int code = WEIR_OK;
    for (uint32_t i = 0; i < 100000 && code == WEIR_OK; i++) {
        weir_state_slot slot = 0;
        uint8_t *bytes = NULL;
        make_keys(&keys, true, &i, 1);
        code = weir_value_state_fetch(state, &keys, &slot, &test.err);
        if (code == WEIR_OK) {
            code = weir_value_state_edit(state, slot, 64, &bytes, &test.err);
        }
    }
    assert_int_equal(code, WEIR_NO_MEMORY);
    weir_sort_keys_free(&keys);
    weir_value_state_close(state);
    end(&test);
}

/* --- map state --------------------------------------------------------------------------------------------------- */

static void check_walk(fixture *test, weir_map_state *state, weir_state_slot slot, const model_value *model,
                       uint32_t from)
{
    uint8_t space[600];
    weir_map_cursor *cursor = NULL;
    weir_slice subkey;
    weir_slice value;
    CHECK(test, weir_map_cursor_open(state, slot, make_subkey(from, space), &cursor, &test->err));
    for (uint32_t number = from; number < SUBKEY_LIMIT; number++) {
        if (model[number].size < 0) {
            continue;
        }
        CHECK(test, weir_map_cursor_next(cursor, &subkey, &value, &test->err));
        assert_true(weir_slice_equal(subkey, make_subkey(number, space)));
        assert_true(model_matches(model[number], value));
    }
    assert_int_equal(weir_map_cursor_next(cursor, &subkey, &value, &test->err), WEIR_END);
    weir_map_cursor_close(cursor);
}

static void change_map(fixture *test, random_state *random, weir_map_state *state, weir_state_slot slot,
                       model_value *model, uint32_t range, int64_t now)
{
    uint8_t space[600];
    uint32_t number = (uint32_t)random_below(random, range);
    weir_slice subkey = make_subkey(number, space);
    weir_slice value;
    bool found = false;
    CHECK(test, weir_map_state_get(state, slot, subkey, &found, &value, &test->err));
    assert_int_equal(found, model[number].size >= 0);
    assert_true(!found || model_matches(model[number], value));
    if (random_below(random, 3) == 0) {
        CHECK(test, weir_map_state_remove(state, slot, subkey, &test->err));
        model[number].size = -1;
    } else {
        static uint8_t bytes[10000];
        int32_t size = (int32_t)random_below(random, random_below(random, 50) == 0 ? sizeof bytes : 30);
        model[number] = (model_value){size, (uint8_t)random_next(random), now};
        memset(bytes, model[number].fill, (size_t)size);
        CHECK(test, weir_map_state_put(state, slot, subkey, weir_slice_of(bytes, (size_t)size), &test->err));
    }
}

static void maps_hold_what_was_put_last_in_order(void **unused)
{
    (void)unused;
    random_state random = random_start();
    for (int round = 0; round < 8; round++) {
        static model_value model[20][SUBKEY_LIMIT];
        for (size_t i = 0; i < 20 * SUBKEY_LIMIT; i++) {
            model[i / SUBKEY_LIMIT][i % SUBKEY_LIMIT] = (model_value){.size = -1};
        }
        fixture test;
        start(&test);
        int64_t ttl_ms = round % 2 == 0 ? 0 : 3000;
        weir_map_state *state = open_maps(&test, ttl_ms);
        weir_sort_keys keys = {0};
        int64_t now = 1000000;
        for (int step = 0; step < 300; step++) {
            now += (int64_t)random_below(&random, 100);
            weir_state_backend_set_time(test.backend, now);
            uint32_t numbers[20];
            weir_state_slot slots[20];
            for (uint32_t i = 0; i < 20; i++) {
                numbers[i] = i;
            }
            make_keys(&keys, round % 4 < 2, numbers, 20);
            CHECK(&test, weir_map_state_fetch(state, &keys, slots, &test.err));
            for (size_t i = 0; ttl_ms > 0 && i < 20 * SUBKEY_LIMIT; i++) {
                model_value *at = &model[i / SUBKEY_LIMIT][i % SUBKEY_LIMIT];
                at->size = now - at->time >= ttl_ms ? -1 : at->size;
            }
            for (int change = 0; change < 60; change++) {
                uint32_t key = (uint32_t)random_below(&random, 20);
                change_map(&test, &random, state, slots[key], model[key], key % 4 == 0 ? SUBKEY_LIMIT : key + 1, now);
            }
            uint32_t key = (uint32_t)random_below(&random, 20);
            check_walk(&test, state, slots[key], model[key], (uint32_t)random_below(&random, SUBKEY_LIMIT));
            check_walk(&test, state, slots[key], model[key], 0);
        }
        weir_sort_keys_free(&keys);
        weir_map_state_close(state);
        end(&test);
    }
}

static void values_may_be_changed_while_a_map_is_walked(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_map_state *state = open_maps(&test, 0);
    weir_state_slot slot = 0;
    CHECK(&test, weir_map_state_fetch_one(state, weir_slice_text(""), &slot, &test.err));
    for (uint32_t i = 0; i < 1000; i++) {
        uint8_t subkey[4];
        weir_store_be32(subkey, i);
        CHECK(&test, weir_map_state_put(state, slot, weir_slice_of(subkey, 4), weir_slice_of(&i, 4), &test.err));
    }
    for (uint32_t round = 0; round < 2; round++) {
        weir_map_cursor *cursor = NULL;
        CHECK(&test, weir_map_cursor_open(state, slot, weir_slice_text(""), &cursor, &test.err));
        for (uint32_t i = 0; i < 1000; i++) {
            weir_slice subkey;
            weir_slice value;
            CHECK(&test, weir_map_cursor_next(cursor, &subkey, &value, &test.err));
            assert_int_equal(weir_load_le32(value.data), i + round);
            uint32_t next = i + round + 1;
            CHECK(&test, weir_map_state_put(state, slot, subkey, weir_slice_of(&next, 4), &test.err));
        }
        weir_map_cursor_close(cursor);
    }
    weir_map_state_close(state);
    end(&test);
}

/* --- the backend ------------------------------------------------------------------------------------------------- */

static void names_hold_what_was_put_last(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    weir_buffer out = {0};
    assert_int_equal(weir_state_backend_get(test.backend, "a", &out, &test.err), WEIR_NOT_FOUND);
    CHECK(&test, weir_state_backend_put(test.backend, "a", weir_slice_text("one"), &test.err));
    CHECK(&test, weir_state_backend_put(test.backend, "b", weir_slice_text(""), &test.err));
    CHECK(&test, weir_state_backend_put(test.backend, "a", weir_slice_text("two"), &test.err));
    CHECK(&test, weir_state_backend_get(test.backend, "a", &out, &test.err));
    CHECK(&test, weir_state_backend_get(test.backend, "b", &out, &test.err));
    assert_string_equal(weir_buffer_text(&out), "two");
    weir_state_backend_remove(test.backend, "a");
    weir_state_backend_remove(test.backend, "never there");
    assert_int_equal(weir_state_backend_get(test.backend, "a", &out, &test.err), WEIR_NOT_FOUND);
    weir_buffer_free(&out);
    end(&test);
}

static void checkpoints_ascend(void **unused)
{
    (void)unused;
    fixture test;
    start(&test);
    assert_int_equal(weir_state_backend_last_checkpoint(test.backend), 0);
    CHECK(&test, weir_state_backend_checkpoint(test.backend, 3, &test.err));
    assert_int_equal(weir_state_backend_last_checkpoint(test.backend), 3);
    assert_int_equal(weir_state_backend_checkpoint(test.backend, 3, &test.err), WEIR_INVALID);
    end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_what_was_set_last),
        cmocka_unit_test(equal_keys_have_one_slot),
        cmocka_unit_test(editing_keeps_old_bytes_and_zeroes_new_ones),
        cmocka_unit_test(keys_without_bytes_cost_nothing),
        cmocka_unit_test(entries_past_their_time_are_gone_and_freed),
        cmocka_unit_test(a_budget_that_is_full_is_an_error),
        cmocka_unit_test(maps_hold_what_was_put_last_in_order),
        cmocka_unit_test(values_may_be_changed_while_a_map_is_walked),
        cmocka_unit_test(names_hold_what_was_put_last),
        cmocka_unit_test(checkpoints_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
