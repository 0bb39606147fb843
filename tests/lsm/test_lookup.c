/* Older values of keys: which row is found, in which run, and what its columns hold. */
#include "lsm_fixture.h"

#include "lsm/lookup.h"

/* The keys to look for, ascending, as sort keys. */
static void make_keys(fixture *test, const int64_t *wanted, int64_t count, weir_sort_keys *out)
{
    weir_batch batch;
    const int32_t column = 0;
    weir_batch_init(&batch, test->context.schema->fields, 1);
    for (int64_t i = 0; i < count; i++) {
        CHECK(test, weir_vector_append_raw(&batch.columns[0], &wanted[i], sizeof *wanted, &test->err));
    }
    batch.length = count;
    *out = (weir_sort_keys){0};
    CHECK(test, weir_sort_keys_append(out, &batch, &column, 1, &test->err));
    weir_batch_free(&batch);
}

/* "key=value" of each key found, "key!" of the others, joined by blanks. */
static const char *look_up(fixture *test, weir_lookup *lookup, const int64_t *wanted, int64_t count)
{
    weir_sort_keys keys;
    uint32_t positions[32];
    bool found[32];
    int8_t kinds[32];
    weir_vector values;
    weir_buffer text = {0};
    make_keys(test, wanted, count, &keys);
    for (int64_t i = 0; i < count; i++) {
        positions[i] = (uint32_t)i;
    }
    CHECK(test, weir_lookup_find(lookup, &keys, positions, count, found, &test->err));
    weir_vector_init(&values, test->context.schema->fields[1].type);
    CHECK(test, weir_lookup_column(lookup, 1, &values, &test->err));
    weir_lookup_kinds(lookup, kinds);
    int64_t row = 0;
    for (int64_t i = 0; i < count; i++) {
        weir_buffer_append_format(&text, "%s%lld", i > 0 ? " " : "", (long long)wanted[i]);
        if (found[i]) {
            weir_buffer_append_text(&text, kinds[row] == WEIR_DELETE ? "-" : "=");
            weir_value_to_json(&values, row++, &text);
        } else {
            weir_buffer_append_byte(&text, '!');
        }
    }
    assert_int_equal(values.length, row);
    const char *copy = weir_arena_strdup(&test->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    weir_vector_free(&values);
    weir_sort_keys_free(&keys);
    return copy;
}

#define LOOK_UP(test, lookup, ...)                                                                                     \
    look_up(test, lookup, (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

typedef struct tree {
    weir_sorted_run runs[2];
    weir_data_file *newer[2];
    weir_data_file *older[1];
} tree;

/* Level 3 of two files with a gap between them, above one file of level 5. */
static void make_tree(fixture *test, tree *out)
{
    out->newer[0] = lsm_file(test, 3, 10, "[['+I',1,'new 1'],['-D',3,'gone'],['+U',5,null]]");
    out->newer[1] = lsm_file(test, 3, 20, "[['+I',20,'new 20'],['+I',22,'new 22']]");
    out->older[0] = lsm_file(test, 5, 0, "[['+I',1,'old 1'],['+I',3,'old 3'],['+I',10,'old 10'],['+I',22,'old 22']]");
    out->runs[0] = (weir_sorted_run){.files = out->newer, .file_count = 2, .level = 3};
    out->runs[1] = (weir_sorted_run){.files = out->older, .file_count = 1, .level = 5};
}

static void the_newest_run_with_the_key_decides(void **state)
{
    (void)state;
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
    assert_string_equal(LOOK_UP(&test, lookup, 1, 3, 5, 10, 20, 22),
                        "1=\"new 1\" 3-\"gone\" 5=null 10=\"old 10\" 20=\"new 20\" 22=\"new 22\"");
    /* Before, between, behind, and nothing at all. */
    assert_string_equal(LOOK_UP(&test, lookup, -7, 0, 2, 4, 6, 19, 21, 23), "-7! 0! 2! 4! 6! 19! 21! 23!");
    assert_string_equal(look_up(&test, lookup, NULL, 0), "");
    assert_string_equal(LOOK_UP(&test, lookup, 22), "22=\"new 22\"");
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

static void wanted_positions_choose_among_the_keys(void **state)
{
    (void)state;
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    weir_sort_keys keys;
    const int64_t all[] = {1, 3, 5, 10, 20, 22};
    const uint32_t wanted[] = {2, 3, 5};
    bool found[3];
    weir_vector values;
    weir_buffer text = {0};
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
    make_keys(&test, all, 6, &keys);
    CHECK(&test, weir_lookup_find(lookup, &keys, wanted, 3, found, &test.err));
    assert_true(found[0] && found[1] && found[2]);
    weir_vector_init(&values, test.context.schema->fields[0].type);
    CHECK(&test, weir_lookup_column(lookup, 0, &values, &test.err));
    for (int64_t i = 0; i < values.length; i++) {
        weir_value_to_json(&values, i, &text);
        weir_buffer_append_byte(&text, ' ');
    }
    assert_string_equal(weir_buffer_text(&text), "5 10 22 ");
    weir_buffer_free(&text);
    weir_vector_free(&values);
    weir_sort_keys_free(&keys);
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

static void every_key_of_a_large_file_is_found(void **state)
{
    (void)state;
    fixture test;
    weir_batch batch;
    weir_lookup *lookup = NULL;
    enum { ROWS = 5000 };
    fixture_start(&test, LSM_SCHEMA(",'parquet.page.size':'1024'"));
    lsm_many_rows(&test, &batch, 0, 3, ROWS);
    int64_t *numbers = weir_alloc_zeroed(ROWS, sizeof *numbers);
    written_files written = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 5, &batch, numbers);
    weir_sorted_run run = {.files = written.files, .file_count = (int32_t)written.count, .level = 5};
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, &run, 1, cache, &lookup, &test.err));
    weir_sort_keys keys;
    int64_t *all = weir_alloc(sizeof(int64_t) * ROWS * 3);
    uint32_t *wanted = weir_alloc(sizeof(uint32_t) * ROWS * 3);
    bool *found = weir_alloc(sizeof(bool) * ROWS * 3);
    for (int i = 0; i < ROWS * 3; i++) {
        all[i] = i;
        wanted[i] = (uint32_t)i;
    }
    make_keys(&test, all, ROWS * 3, &keys);
    CHECK(&test, weir_lookup_find(lookup, &keys, wanted, ROWS * 3, found, &test.err));
    for (int i = 0; i < ROWS * 3; i++) {
        assert_int_equal(found[i], i % 3 == 0);
    }
    weir_vector values;
    weir_vector_init(&values, test.context.schema->fields[1].type);
    CHECK(&test, weir_lookup_column(lookup, 1, &values, &test.err));
    assert_int_equal(values.length, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_true(weir_slice_equal(weir_vector_bytes(&values, i), weir_vector_bytes(&batch.columns[1], i)));
    }
    weir_vector_free(&values);
    weir_sort_keys_free(&keys);
    free(all);
    free(wanted);
    free(found);
    free(numbers);
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    weir_batch_free(&batch);
    free(written.files);
    fixture_end(&test);
}

static void indexes_stay_in_the_cache_until_their_files_or_the_room_are_gone(void **state)
{
    (void)state;
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
    assert_int_equal(weir_key_index_cache_memory(cache), 0);
    LOOK_UP(&test, lookup, 1, 10, 22);
    int64_t all = weir_key_index_cache_memory(cache);
    assert_true(all > 0);
    LOOK_UP(&test, lookup, 1, 10, 22);
    assert_int_equal(weir_key_index_cache_memory(cache), all);
    weir_lookup_close(lookup);

    weir_key_index_cache_retain(cache, made.runs, 2, INT64_MAX);
    assert_int_equal(weir_key_index_cache_memory(cache), all);
    weir_key_index_cache_retain(cache, made.runs, 1, INT64_MAX); /* the file of level 5 is gone */
    int64_t newer = weir_key_index_cache_memory(cache);
    assert_true(newer > 0 && newer < all);
    weir_key_index_cache_retain(cache, made.runs, 1, newer - 1);
    assert_true(weir_key_index_cache_memory(cache) < newer);
    weir_key_index_cache_retain(cache, made.runs, 1, 0);
    assert_int_equal(weir_key_index_cache_memory(cache), 0);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

static int64_t memory_of_all_indexes(fixture *test, tree *made)
{
    weir_lookup *lookup = NULL;
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(test, weir_lookup_open(&test->context, weir_partition_none(), 0, made->runs, 2, cache, &lookup, &test->err));
    LOOK_UP(test, lookup, 1, 10, 22);
    int64_t bytes = weir_key_index_cache_memory(cache);
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    return bytes;
}

static void indexes_take_half_of_the_budget_at_most(void **state)
{
    (void)state;
    fixture test;
    tree made;
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    int64_t all = memory_of_all_indexes(&test, &made);
    const int64_t limits[] = {2 * all, 2 * all - 2, 1};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        weir_budget budget;
        weir_lookup *lookup = NULL;
        weir_budget_init(&budget, "test", NULL, limits[i]);
        weir_key_index_cache *cache = weir_key_index_cache_create(&budget);
        CHECK(&test,
              weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
        for (int round = 0; round < 2; round++) {
            assert_string_equal(LOOK_UP(&test, lookup, 1, 10, 22), "1=\"new 1\" 10=\"old 10\" 22=\"new 22\"");
            int64_t held = weir_key_index_cache_memory(cache);
            assert_int_equal(held, budget.used_bytes);
            assert_true(held <= limits[i] / 2);
            assert_true(i != 0 || held == all);
            assert_true(i != 1 || held > 0);
        }
        weir_lookup_close(lookup);
        weir_key_index_cache_free(cache);
        assert_int_equal(budget.used_bytes, 0);
    }
    fixture_end(&test);
}

static void files_without_a_wanted_key_are_not_opened(void **state)
{
    (void)state;
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    const char *path = weir_data_file_path(&test.arena, fixture_bucket_path(&test), made.newer[1]);
    CHECK(&test, weir_fs_remove(test.fs, path, &test.err));
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
    assert_string_equal(LOOK_UP(&test, lookup, 1, 10), "1=\"new 1\" 10=\"old 10\"");
    weir_sort_keys keys;
    const uint32_t wanted = 0;
    bool found = false;
    make_keys(&test, (const int64_t[]){20}, 1, &keys);
    assert_int_equal(weir_lookup_find(lookup, &keys, &wanted, 1, &found, &test.err), WEIR_NOT_FOUND);
    weir_sort_keys_free(&keys);
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

/* In make_tree level 3 has 10 to 12 and 20, 21 in two files, level 5 has 0 to 3. */
static void sequence_numbers_are_exact_where_they_may_matter(void **state)
{
    (void)state;
    static const struct {
        int64_t exact_from;
        int64_t numbers[6];
    } cases[] = {
        {0, {10, 11, 12, 2, 20, 21}},
        {12, {10, 11, 12, 3, 20, 21}},
        {13, {12, 12, 12, 3, 20, 21}},
        {22, {12, 12, 12, 3, 21, 21}},
    };
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    weir_sort_keys keys;
    const int64_t all[] = {1, 3, 5, 10, 20, 22};
    const uint32_t wanted[] = {0, 1, 2, 3, 4, 5};
    bool found[6];
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    CHECK(&test, weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err));
    make_keys(&test, all, 6, &keys);
    CHECK(&test, weir_lookup_find(lookup, &keys, wanted, 6, found, &test.err));
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t numbers[6];
        CHECK(&test, weir_lookup_sequence_numbers(lookup, cases[c].exact_from, numbers, &test.err));
        for (int i = 0; i < 6; i++) {
            assert_true(found[i]);
            assert_int_equal(numbers[i], cases[c].numbers[i]);
        }
    }
    weir_sort_keys_free(&keys);
    weir_lookup_close(lookup);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

static void an_empty_key_range_in_a_manifest_is_corrupt(void **state)
{
    (void)state;
    fixture test;
    tree made;
    weir_lookup *lookup = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    make_tree(&test, &made);
    made.older[0]->min_key = (weir_slice){0};
    weir_key_index_cache *cache = weir_key_index_cache_create(NULL);
    assert_int_equal(weir_lookup_open(&test.context, weir_partition_none(), 0, made.runs, 2, cache, &lookup, &test.err),
                     WEIR_CORRUPT);
    weir_key_index_cache_free(cache);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_run_with_the_key_decides),
        cmocka_unit_test(wanted_positions_choose_among_the_keys),
        cmocka_unit_test(every_key_of_a_large_file_is_found),
        cmocka_unit_test(indexes_stay_in_the_cache_until_their_files_or_the_room_are_gone),
        cmocka_unit_test(indexes_take_half_of_the_budget_at_most),
        cmocka_unit_test(files_without_a_wanted_key_are_not_opened),
        cmocka_unit_test(sequence_numbers_are_exact_where_they_may_matter),
        cmocka_unit_test(an_empty_key_range_in_a_manifest_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
