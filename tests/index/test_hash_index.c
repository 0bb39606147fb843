/* Hashes and their buckets, in memory and in files. */
#include "cmocka_all.h"

#include "index/hash_index.h"
#include "random.h"

static void every_hash_is_found_with_its_bucket(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_budget budget;
    random_state random = random_start();
    weir_budget_init(&budget, "test", NULL, INT64_MAX);
    weir_hash_buckets map = {.budget = &budget};
    enum { KEYS = 50000 };
    int32_t *hashes = weir_alloc_zeroed(KEYS, sizeof *hashes);
    assert_int_equal(weir_hash_buckets_get(&map, 7), -1);
    for (int i = 0; i < KEYS; i++) {
        hashes[i] = i % 3 == 0 ? i * 64 : (int32_t)random_next(&random); /* some with the same low bits */
        if (weir_hash_buckets_get(&map, hashes[i]) < 0) {
            assert_int_equal(weir_hash_buckets_add(&map, hashes[i], (uint32_t)hashes[i] % 32767, &err), WEIR_OK);
        }
    }
    for (int i = 0; i < KEYS; i++) {
        assert_int_equal(weir_hash_buckets_get(&map, hashes[i]), (uint32_t)hashes[i] % 32767);
    }
    assert_true(budget.used_bytes > 0);
    weir_hash_buckets_free(&map);
    assert_int_equal(budget.used_bytes, 0);
    free(hashes);
}

static void what_the_budget_does_not_allow_is_an_error(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_budget budget;
    weir_budget_init(&budget, "test", NULL, 4096);
    weir_hash_buckets map = {.budget = &budget};
    int code = WEIR_OK;
    int32_t hash = 0;
    while (code == WEIR_OK) {
        code = weir_hash_buckets_add(&map, hash++, 0, &err);
    }
    assert_int_equal(code, WEIR_NO_MEMORY);
    assert_non_null(strstr(err.message, "the index of"));
    assert_int_equal(weir_hash_buckets_get(&map, 0), 0); /* what was there stays */
    weir_hash_buckets_free(&map);
    assert_int_equal(budget.used_bytes, 0);
}

static void a_file_holds_the_numbers_with_the_high_byte_first(void **state)
{
    (void)state;
    static const uint8_t written[] = {0x76, 0x5d, 0xe9, 0xc8, 0xff, 0xff, 0xff, 0xff};
    weir_error err = {0};
    weir_buffer read = {0};
    weir_fs *fs = weir_fs_memory();
    assert_int_equal(weir_hash_index_write(fs, "/t/index/index-a-0", weir_slice_of(written, sizeof written), &err),
                     WEIR_OK);
    assert_int_equal(weir_hash_index_read(fs, "/t/index/index-a-0", &read, &err), WEIR_OK);
    assert_int_equal(read.size, sizeof written);
    assert_int_equal((int32_t)weir_load_be32(read.data), 0x765de9c8);
    assert_int_equal((int32_t)weir_load_be32(read.data + 4), -1);
    weir_buffer_free(&read);
    weir_fs_close(fs);
}

static void a_file_of_no_whole_numbers_is_corrupt(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer read = {0};
    weir_fs *fs = weir_fs_memory();
    assert_int_equal(weir_fs_replace(fs, "/t/index/index-a-0", weir_slice_text("12345"), &err), WEIR_OK);
    assert_int_equal(weir_hash_index_read(fs, "/t/index/index-a-0", &read, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "index-a-0"));
    weir_buffer_free(&read);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_hash_is_found_with_its_bucket),
        cmocka_unit_test(what_the_budget_does_not_allow_is_an_error),
        cmocka_unit_test(a_file_holds_the_numbers_with_the_high_byte_first),
        cmocka_unit_test(a_file_of_no_whole_numbers_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
