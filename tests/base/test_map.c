/* The hash map against a plain model. */
#include "base/map.h"

#include "cmocka_all.h"
#include "random.h"

#define KEYS 300

static weir_slice key_of(uint64_t number, char *space)
{
    /* Key 0 is empty; some hold zero bytes; some are long. */
    size_t size = number == 0 ? 0 : 1 + number % 40;
    memset(space, 0, 64);
    for (size_t i = 0; i < size; i++) {
        space[i] = (char)(i < 2 ? number >> (8 * i) : number);
    }
    return weir_slice_of(space, size < 3 && number ? 3 : size);
}

/* The model: for each key its value and when it was put. */
typedef struct model {
    void *values[KEYS];
    uint64_t put_at[KEYS];
    size_t size;
    uint64_t now;
} model;

static void check_order(const weir_map *map, const model *expected)
{
    uint64_t last = 0;
    size_t seen = 0;
    for (size_t i = 0; i < map->entry_count; i++) {
        const weir_map_entry *entry = &map->entries[i];
        if (!entry->value) {
            continue;
        }
        size_t key = (uintptr_t)entry->value % KEYS;
        char space[64];
        assert_true(weir_slice_equal(entry->key, key_of(key, space)));
        assert_true(expected->put_at[key] > last || seen == 0);
        last = expected->put_at[key];
        seen++;
    }
    assert_int_equal(seen, expected->size);
}

/* Never NULL, never dereferenced; tells its key. */
static void *value_of(uint64_t key, uint64_t version) { return (void *)(uintptr_t)(key + KEYS * (version + 1)); }

static void step(weir_map *map, model *expected, random_state *random)
{
    uint64_t key = random_below(random, KEYS);
    char space[64];
    weir_slice name = key_of(key, space);
    expected->now++;
    switch (random_below(random, 4)) {
    case 0:
    case 1: {
        void *value = value_of(key, random_below(random, 1000));
        weir_map_put(map, name, value);
        if (!expected->values[key]) {
            expected->put_at[key] = expected->now;
            expected->size++;
        }
        expected->values[key] = value;
        break;
    }
    case 2:
        assert_ptr_equal(weir_map_remove(map, name), expected->values[key]);
        expected->size -= expected->values[key] != NULL;
        expected->values[key] = NULL;
        break;
    default:
        assert_ptr_equal(weir_map_get(map, name), expected->values[key]);
        break;
    }
    assert_int_equal(map->size, expected->size);
}

static void random_operations_agree_with_a_model(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 10; round++) {
        weir_map map = {0};
        static model expected;
        expected = (model){0};
        for (int i = 0; i < 5000; i++) {
            step(&map, &expected, &random);
            if (i % 500 == 0) {
                check_order(&map, &expected);
            }
        }
        check_order(&map, &expected);
        weir_map_free(&map);
    }
}

static void an_empty_map_answers(void **state)
{
    (void)state;
    weir_map map = {0};
    assert_null(weir_map_get(&map, weir_slice_text("a")));
    assert_null(weir_map_remove(&map, weir_slice_text("a")));
    weir_map_free(&map);
}

static void keys_are_copied(void **state)
{
    (void)state;
    weir_map map = {0};
    char key[] = "dt=1";
    int value = 7;
    weir_map_put(&map, weir_slice_text(key), &value);
    key[3] = '2';
    assert_null(weir_map_get(&map, weir_slice_text(key)));
    assert_ptr_equal(weir_map_get(&map, weir_slice_text("dt=1")), &value);
    weir_map_free(&map);
    assert_int_equal(map.size, 0);
}

static void putting_and_removing_for_long_does_not_grow_the_map(void **state)
{
    (void)state;
    weir_map map = {0};
    int value;
    for (uint64_t i = 0; i < 20000; i++) {
        weir_map_put(&map, weir_slice_of(&i, sizeof i), &value);
        assert_ptr_equal(weir_map_remove(&map, weir_slice_of(&i, sizeof i)), &value);
    }
    assert_true(map.slot_count <= 64);
    assert_true(map.entry_capacity <= 64);
    weir_map_free(&map);
}

static void a_large_map_finds_all_its_keys(void **state)
{
    (void)state;
    weir_map map = {0};
    enum { COUNT = 100000 };
    for (uint64_t i = 1; i <= COUNT; i++) {
        weir_map_put(&map, weir_slice_of(&i, sizeof i), value_of(i, 0));
    }
    for (uint64_t i = 1; i <= COUNT; i++) {
        assert_ptr_equal(weir_map_get(&map, weir_slice_of(&i, sizeof i)), value_of(i, 0));
    }
    assert_int_equal(map.size, COUNT);
    weir_map_free(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_operations_agree_with_a_model),
        cmocka_unit_test(an_empty_map_answers),
        cmocka_unit_test(keys_are_copied),
        cmocka_unit_test(putting_and_removing_for_long_does_not_grow_the_map),
        cmocka_unit_test(a_large_map_finds_all_its_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
