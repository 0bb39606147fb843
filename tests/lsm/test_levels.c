/* The files of a bucket by level. */
#include "lsm_fixture.h"

#include "lsm/levels.h"

static const char *names_of(fixture *test, const weir_bucket_levels *levels)
{
    weir_buffer text = {0};
    weir_sorted_run *runs = NULL;
    int32_t count = 0;
    weir_bucket_levels_runs(levels, &test->arena, &runs, &count);
    for (int32_t r = 0; r < count; r++) {
        weir_buffer_append_format(&text, "%s%d(", r > 0 ? " " : "", runs[r].level);
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            weir_buffer_append_format(&text, "%s%s", f > 0 ? "," : "", runs[r].files[f]->name);
        }
        weir_buffer_append_text(&text, ")");
    }
    const char *copy = weir_arena_strdup(&test->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    return copy;
}

/* A description with the key range of a file that holds one row. */
static weir_data_file *described(fixture *test, const char *name, int32_t level, int64_t key, int64_t sequence)
{
    char rows[64];
    snprintf(rows, sizeof rows, "[['+I',%lld,'v']]", (long long)key);
    weir_data_file *file = lsm_file(test, level, sequence, rows);
    file->name = name;
    return file;
}

static void level_zero_is_newest_first_and_levels_are_in_key_order(void **state)
{
    (void)state;
    fixture test;
    weir_bucket_levels levels;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_data_file *files[] = {
        described(&test, "old", 0, 1, 3),    described(&test, "new", 0, 1, 9),   described(&test, "middle", 0, 1, 5),
        described(&test, "right", 3, 50, 1), described(&test, "left", 3, -2, 2), described(&test, "base", 5, 7, 0),
    };
    weir_bucket_levels_init(&levels, test.context.schema, 6, files, sizeof files / sizeof *files);
    assert_string_equal(names_of(&test, &levels), "0(new) 0(middle) 0(old) 3(left,right) 5(base)");
    assert_int_equal(weir_bucket_levels_run_count(&levels), 5);
    assert_int_equal(weir_bucket_levels_highest_nonempty(&levels), 5);
    assert_int_equal(weir_bucket_levels_max_sequence_number(&levels), 9);
    weir_bucket_levels_free(&levels);
    fixture_end(&test);
}

static void level_zero_files_of_equal_numbers_keep_a_stable_order(void **state)
{
    (void)state;
    fixture test;
    weir_bucket_levels levels;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_data_file *files[] = {
        described(&test, "b", 0, 1, 4),
        described(&test, "a", 0, 1, 4),
        described(&test, "later", 0, 1, 4),
    };
    files[0]->creation_time_ms = files[1]->creation_time_ms = 1000;
    files[2]->creation_time_ms = 2000;
    weir_bucket_levels_init(&levels, test.context.schema, 6, files, 3);
    assert_string_equal(names_of(&test, &levels), "0(later) 0(a) 0(b)");
    weir_bucket_levels_free(&levels);
    fixture_end(&test);
}

static void an_empty_bucket_has_no_runs(void **state)
{
    (void)state;
    fixture test;
    weir_bucket_levels levels;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_bucket_levels_init(&levels, test.context.schema, 6, NULL, 0);
    assert_string_equal(names_of(&test, &levels), "");
    assert_int_equal(weir_bucket_levels_run_count(&levels), 0);
    assert_int_equal(weir_bucket_levels_highest_nonempty(&levels), -1);
    assert_int_equal(weir_bucket_levels_max_sequence_number(&levels), -1);
    weir_bucket_levels_free(&levels);
    fixture_end(&test);
}

static void a_file_above_the_option_makes_room_for_its_level(void **state)
{
    (void)state;
    fixture test;
    weir_bucket_levels levels;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_data_file *file = described(&test, "high", 9, 1, 0);
    weir_bucket_levels_init(&levels, test.context.schema, 3, &file, 1);
    assert_int_equal(levels.level_count, 10);
    assert_int_equal(weir_bucket_levels_highest_nonempty(&levels), 9);
    weir_bucket_levels_free(&levels);
    fixture_end(&test);
}

static void what_a_compaction_used_up_is_replaced_by_what_it_made(void **state)
{
    (void)state;
    fixture test;
    weir_bucket_levels levels;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_data_file *files[] = {described(&test, "a", 0, 1, 3), described(&test, "b", 0, 5, 4),
                               described(&test, "c", 5, 9, 0)};
    weir_bucket_levels_init(&levels, test.context.schema, 6, files, 3);
    /* "a" moves up under its own name, "b" is rewritten. */
    weir_data_file *moved = weir_data_file_copy(&test.arena, files[0]);
    moved->level = 4;
    weir_file_list before = {0}, after = {0};
    weir_file_list_append(&before, files[0]);
    weir_file_list_append(&before, files[1]);
    weir_file_list_append(&after, described(&test, "b2", 4, 5, 4));
    weir_file_list_append(&after, moved);
    weir_bucket_levels_replace(&levels, &before, &after);
    assert_string_equal(names_of(&test, &levels), "4(a,b2) 5(c)");
    weir_file_list_free(&before);
    weir_file_list_free(&after);
    weir_bucket_levels_free(&levels);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_zero_is_newest_first_and_levels_are_in_key_order),
        cmocka_unit_test(level_zero_files_of_equal_numbers_keep_a_stable_order),
        cmocka_unit_test(an_empty_bucket_has_no_runs),
        cmocka_unit_test(a_file_above_the_option_makes_room_for_its_level),
        cmocka_unit_test(what_a_compaction_used_up_is_replaced_by_what_it_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
