/* Joining small files of append buckets: which, and that rows and their order stay. */
#include "lsm_fixture.h"

#include "lsm/append_compaction.h"

typedef struct pick_case {
    const char *what;
    const char *sizes;
    bool full;
    size_t first;
    size_t count;
} pick_case;

/* A file is small below 70 bytes, 100 are a full one, four small ones are worth joining. */
static void neighbours_that_are_small_are_joined(void **state)
{
    (void)state;
    static const pick_case cases[] = {
        {"nothing there", "", false, 0, 0},
        {"too few", "1 1 1", false, 0, 0},
        {"enough", "1 1 1 1", false, 0, 4},
        {"the first ones that are enough", "1 1 1 1 1 1", false, 0, 4},
        {"large ones part them", "1 1 100 1 1", false, 0, 0},
        {"behind a large one", "100 1 1 1 1 100", false, 1, 4},
        {"together as large as a full one", "69 69", false, 0, 2},
        {"one alone is never joined", "69 100 69", false, 0, 0},
        {"nothing there, asked for all", "", true, 0, 0},
        {"two are enough when asked for all", "1 1", true, 0, 2},
        {"one is not", "1", true, 0, 0},
        {"one among large ones is not", "100 1 100", true, 0, 0},
        {"the first group of at least two", "1 100 1 1 1 100 1 1", true, 2, 3},
        {"a group ends when it is large", "60 60 60 60", true, 0, 2},
        {"large ones only", "100 100 70", true, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_data_file files[16] = {0}, *pointers[16];
        weir_lsm_options options = {.target_file_bytes = 100, .small_file_bytes = 70, .append_min_file_count = 4};
        size_t count = 0, first = 99, picked = 99;
        for (const char *text = cases[i].sizes; *text != '\0'; text += strcspn(text, " "), text += *text == ' ') {
            files[count].size_bytes = atoi(text);
            pointers[count] = &files[count];
            count++;
        }
        weir_append_pick(&options, pointers, count, cases[i].full, &first, &picked);
        if (picked != cases[i].count || (picked > 0 && first != cases[i].first)) {
            fail_msg("%s (%s): %zu from %zu on expected, %zu from %zu on picked", cases[i].what, cases[i].sizes,
                     cases[i].count, cases[i].first, picked, first);
        }
    }
}

static void files_stand_in_the_order_of_their_sequence_numbers(void **state)
{
    (void)state;
    weir_data_file files[] = {
        {.name = "c", .min_sequence_number = 20},
        {.name = "b", .min_sequence_number = 10, .creation_time_ms = 5},
        {.name = "a", .min_sequence_number = 10, .creation_time_ms = 5},
        {.name = "z", .min_sequence_number = 10, .creation_time_ms = 1},
        {.name = "first", .min_sequence_number = 0, .creation_time_ms = 9},
    };
    weir_data_file *pointers[] = {&files[0], &files[1], &files[2], &files[3], &files[4]};
    static const char *const expected[] = {"first", "z", "a", "b", "c"};
    weir_append_sort(pointers, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(pointers[i]->name, expected[i]);
    }
}

static void rewritten_files_hold_the_rows_in_their_order(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_APPEND_SCHEMA(""));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message messages[] = {
        lsm_commit(&test, writer, "[['+I',5,'e'],['+I',1,'a']]"),
        lsm_commit(&test, writer, "[['+I',3,null]]"),
        lsm_commit(&test, writer, "[['+I',1,'a'],['+I',null,'n']]"),
    };
    weir_data_file *files[3];
    for (int i = 0; i < 3; i++) {
        files[i] = messages[i].new_files.files[0];
    }
    weir_file_list after = {0};
    CHECK(&test,
          weir_append_rewrite(&test.context, weir_partition_none(), 0, files, 3, &test.arena, &after, &test.err));
    assert_int_equal(after.count, 1);
    assert_string_equal(lsm_text(&test, after.files, 1, false), "[5,\"e\"] [1,\"a\"] [3,null] [1,\"a\"] [null,\"n\"]");
    assert_int_equal(after.files[0]->min_sequence_number, 0);
    assert_int_equal(after.files[0]->max_sequence_number, 4);
    assert_int_equal(after.files[0]->row_count, 5);
    assert_int_equal(after.files[0]->file_source, WEIR_FILE_SOURCE_COMPACT);
    weir_file_list_free(&after);
    for (int i = 0; i < 3; i++) {
        lsm_message_free(&messages[i]);
    }
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_bucket_joins_its_small_files_by_itself(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_APPEND_SCHEMA(",'compaction.min.file-num':'3'"));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message first = lsm_commit(&test, writer, "[['+I',1,'a']]");
    weir_commit_message second = lsm_commit(&test, writer, "[['+I',2,'b']]");
    assert_int_equal(first.compact_before.count + second.compact_before.count, 0);
    weir_commit_message third = lsm_commit(&test, writer, "[['+I',3,'c']]");
    assert_int_equal(third.new_files.count, 1);
    assert_int_equal(third.compact_before.count, 3);
    assert_int_equal(third.compact_after.count, 1);
    assert_string_equal(lsm_text(&test, third.compact_after.files, 1, false), "[1,\"a\"] [2,\"b\"] [3,\"c\"]");
    weir_commit_message nothing = lsm_prepare(&test, writer);
    assert_true(weir_commit_message_is_empty(&nothing));
    /* The next writer goes on behind the last row. */
    weir_bucket_writer *next = lsm_writer(&test, third.compact_after.files, 1);
    weir_commit_message fourth = lsm_commit(&test, next, "[['+I',4,'d']]");
    assert_int_equal(fourth.new_files.files[0]->min_sequence_number, 3);
    lsm_message_free(&first);
    lsm_message_free(&second);
    lsm_message_free(&third);
    lsm_message_free(&fourth);
    writer->ops->close(writer);
    next->ops->close(next);
    fixture_end(&test);
}

static void rows_that_were_never_committed_leave_no_file(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_APPEND_SCHEMA(""));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    lsm_write(&test, writer, "[['+I',1,'a']]");
    CHECK(&test, writer->ops->flush(writer, &test.err));
    lsm_write(&test, writer, "[['+I',2,'b']]");
    assert_true(lsm_count_files(&test) > 0);
    writer->ops->close(writer);
    assert_int_equal(lsm_count_files(&test), 0);
    fixture_end(&test);
}

static void a_missing_file_fails_the_compaction_and_leaves_nothing(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_APPEND_SCHEMA(""));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message first = lsm_commit(&test, writer, "[['+I',1,'a']]");
    weir_commit_message second = lsm_commit(&test, writer, "[['+I',2,'b']]");
    weir_data_file *files[] = {first.new_files.files[0], second.new_files.files[0]};
    const char *path = weir_data_file_path(&test.arena, fixture_bucket_path(&test), files[1]);
    CHECK(&test, weir_fs_remove(test.fs, path, &test.err));
    weir_file_list after = {0};
    assert_int_equal(
        weir_append_rewrite(&test.context, weir_partition_none(), 0, files, 2, &test.arena, &after, &test.err),
        WEIR_NOT_FOUND);
    assert_non_null(strstr(test.err.message, "compacting"));
    assert_int_equal(after.count, 0);
    assert_int_equal(lsm_count_files(&test), 1);
    weir_file_list_free(&after);
    lsm_message_free(&first);
    lsm_message_free(&second);
    writer->ops->close(writer);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_that_are_small_are_joined),
        cmocka_unit_test(files_stand_in_the_order_of_their_sequence_numbers),
        cmocka_unit_test(rewritten_files_hold_the_rows_in_their_order),
        cmocka_unit_test(a_bucket_joins_its_small_files_by_itself),
        cmocka_unit_test(rows_that_were_never_committed_leave_no_file),
        cmocka_unit_test(a_missing_file_fails_the_compaction_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
