/* Places of keys: in memory, and on disk where the budget does not allow for that. */
#include "cmocka_all.h"

#include "index/key_places.h"
#include "random.h"

#define KEYS 60000

static weir_key_fingerprint key_of(int n)
{
    char text[32];
    int size = snprintf(text, sizeof text, "key %d", n);
    return weir_key_fingerprint_of(weir_slice_of(text, (size_t)size));
}

/* Random places of random keys, beside an array of the same. */
static void check_places(weir_key_places *places)
{
    weir_error err = {0};
    random_state random = random_start();
    int32_t *buckets = weir_alloc_zeroed(KEYS, sizeof *buckets); /* 0: the key is not there */
    int64_t count = 0;
    for (int i = 0; i < KEYS * 3; i++) {
        int key = (int)random_below(&random, KEYS);
        int32_t bucket = 1 + (int32_t)random_below(&random, 1000);
        count += buckets[key] == 0;
        buckets[key] = bucket;
        assert_int_equal(weir_key_places_put(places, key_of(key), bucket * 2, bucket, &err), WEIR_OK);
    }
    assert_int_equal(weir_key_places_count(places), count);
    for (int key = 0; key < KEYS; key++) {
        int32_t partition = -1, bucket = -1;
        bool found = weir_key_places_get(places, key_of(key), &partition, &bucket);
        assert_int_equal(found, buckets[key] != 0);
        if (found) {
            assert_int_equal(bucket, buckets[key]);
            assert_int_equal(partition, buckets[key] * 2);
        }
    }
    free(buckets);
}

static void keys_are_found_where_they_were_put(void **state)
{
    (void)state;
    weir_key_places *places = weir_key_places_create(NULL);
    int32_t partition = 0, bucket = 0;
    assert_false(weir_key_places_get(places, key_of(1), &partition, &bucket));
    check_places(places);
    assert_false(weir_key_places_on_disk(places));
    weir_key_places_free(places);
}

static void what_the_budget_does_not_allow_goes_to_the_disk(void **state)
{
    (void)state;
    weir_budget budget;
    weir_budget_init(&budget, "test", NULL, 200000);
    weir_key_places *places = weir_key_places_create(&budget);
    check_places(places);
    assert_true(weir_key_places_on_disk(places));
    assert_int_equal(budget.used_bytes, 0);
    weir_key_places_free(places);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_budget budget;
    weir_budget_init(&budget, "test", NULL, INT64_MAX);
    weir_key_places *places = weir_key_places_create(&budget);
    assert_int_equal(weir_key_places_put(places, key_of(1), 0, 0, &err), WEIR_OK);
    assert_true(budget.used_bytes > 0);
    weir_key_places_free(places);
    assert_int_equal(budget.used_bytes, 0);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_budget budget;
    weir_budget_init(&budget, "test", NULL, 0);
    const char *before = getenv("TMPDIR");
    char *kept = before != NULL ? weir_strdup(before) : NULL;
    setenv("TMPDIR", "/no/such/folder", 1);
    weir_key_places *places = weir_key_places_create(&budget);
    assert_int_equal(weir_key_places_put(places, key_of(1), 0, 0, &err), WEIR_IO);
    assert_non_null(strstr(err.message, "/no/such/folder"));
    weir_key_places_free(places);
    if (kept != NULL) {
        setenv("TMPDIR", kept, 1);
    } else {
        unsetenv("TMPDIR");
    }
    free(kept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_found_where_they_were_put),
        cmocka_unit_test(what_the_budget_does_not_allow_goes_to_the_disk),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
