/* The file system that fails on purpose. */
#include "fs/fault.h"

#include "cmocka_all.h"

/* Two operations before the end of the first file, then one for each of the others: nine in all. */
static int run_scenario(weir_fs *fs, weir_error *err)
{
    weir_output *output;
    WEIR_TRY(weir_fs_make_directories(fs, "/t", err));           /* 1 */
    WEIR_TRY(weir_fs_create(fs, "/t/a", &output, err));          /* 2 */
    int code = weir_output_write(output, "0123456789", 10, err); /* 3 */
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    WEIR_TRY(weir_output_finish(output, true, err));                       /* 4 */
    WEIR_TRY(weir_fs_sync_directory(fs, "/t", err));                       /* 5 */
    WEIR_TRY(weir_fs_publish(fs, "/t/s-1", weir_slice_text("one"), err));  /* 6 */
    WEIR_TRY(weir_fs_replace(fs, "/t/LATEST", weir_slice_text("1"), err)); /* 7 */
    WEIR_TRY(weir_fs_rename(fs, "/t/a", "/t/b", err));                     /* 8 */
    return weir_fs_remove(fs, "/t/b", err);                                /* 9 */
}

#define OPERATIONS 9

static void list_names(weir_fs *fs, const char *path, weir_buffer *out)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries;
    size_t count;
    assert_int_equal(weir_fs_list(fs, path, &arena, &entries, &count, NULL), WEIR_OK);
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(out, "%s:%d ", entries[i].name, (int)entries[i].size_bytes);
    }
    weir_arena_free(&arena);
}

static void the_machine_dies_at_each_operation_in_turn(void **state)
{
    (void)state;
    static const char *const left_behind[OPERATIONS + 2] = {
        [1] = "",
        [2] = "",
        [3] = "a:0 ",
        [4] = "a:10 ",
        [5] = "a:10 ",
        [6] = "a:10 ",
        [7] = "a:10 s-1:3 ",
        [8] = "LATEST:1 a:10 s-1:3 ",
        [9] = "LATEST:1 b:10 s-1:3 ",
        [10] = "LATEST:1 s-1:3 ",
    };
    for (uint64_t stop_at = 1; stop_at <= OPERATIONS + 1; stop_at++) {
        weir_fs *memory = weir_fs_memory();
        weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){.stop_at = stop_at});
        weir_error err;
        int code = run_scenario(fs, &err);
        bool died = stop_at <= OPERATIONS;
        assert_int_equal(code, died ? WEIR_IO : WEIR_OK);
        if (died) {
            assert_non_null(strstr(err.message, "simulated crash"));
            bool exists;
            assert_int_equal(weir_fs_exists(fs, "/t", &exists, NULL), WEIR_IO);
            assert_int_equal(weir_fs_make_directories(fs, "/u", NULL), WEIR_IO);
        }
        assert_int_equal(weir_fs_fault_operations(fs), died ? stop_at : OPERATIONS);
        weir_buffer names = {0};
        list_names(memory, "/t", &names);
        assert_string_equal(weir_buffer_text(&names), left_behind[stop_at]);
        weir_buffer_free(&names);
        weir_fs_close(fs);
        weir_fs_close(memory);
    }
}

static void a_torn_write_leaves_a_first_part(void **state)
{
    (void)state;
    weir_fs *memory = weir_fs_memory();
    weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){.stop_at = 3, .torn = true});
    assert_int_equal(run_scenario(fs, NULL), WEIR_IO);
    weir_buffer names = {0};
    list_names(memory, "/t", &names);
    assert_string_equal(weir_buffer_text(&names), "a:5 ");
    weir_buffer_free(&names);
    weir_fs_close(fs);
    weir_fs_close(memory);
}

static void a_passing_error_fails_one_operation_only(void **state)
{
    (void)state;
    for (uint64_t stop_at = 1; stop_at <= OPERATIONS; stop_at++) {
        weir_fs *memory = weir_fs_memory();
        weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){.stop_at = stop_at, .fail_once = true});
        assert_int_equal(run_scenario(fs, NULL), WEIR_IO);
        bool exists = false;
        assert_int_equal(weir_fs_exists(fs, "/t/a", &exists, NULL), WEIR_OK);
        assert_int_equal(exists, stop_at > 4 && stop_at < 9); /* a file that failed to be written is removed */
        assert_int_equal(weir_fs_remove_recursively(fs, "/t", NULL), WEIR_OK);
        assert_int_equal(run_scenario(fs, NULL), WEIR_OK);
        weir_fs_close(fs);
        weir_fs_close(memory);
    }
}

static void a_lost_answer_leaves_what_was_published(void **state)
{
    (void)state;
    weir_fs *memory = weir_fs_memory();
    weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){.stop_at = 1, .fail_once = true, .answer_lost = true});
    assert_int_equal(weir_fs_publish(fs, "/t/a", weir_slice_text("text"), NULL), WEIR_IO);
    assert_int_equal(weir_fs_publish(fs, "/t/a", weir_slice_text("text"), NULL), WEIR_EXISTS);
    weir_fs_close(fs);
    weir_fs_close(memory);
}

static void reads_are_counted_when_asked(void **state)
{
    (void)state;
    weir_fs *memory = weir_fs_memory();
    assert_int_equal(weir_fs_publish(memory, "/a", weir_slice_text("x"), NULL), WEIR_OK);
    weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){0});
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(fs, "/a", &bytes, NULL), WEIR_OK);
    assert_int_equal(weir_fs_fault_operations(fs), 0);
    weir_fs_fault_set_options(fs, (weir_fault_options){.stop_at = 2, .reads_count = true});
    assert_int_equal(weir_fs_read_all(fs, "/a", &bytes, NULL), WEIR_IO); /* opened, not read */
    assert_int_equal(weir_fs_fault_operations(fs), 2);
    weir_fs_fault_set_options(fs, (weir_fault_options){.reads_count = true});
    bool exists;
    assert_int_equal(weir_fs_exists(fs, "/a", &exists, NULL), WEIR_OK);
    assert_int_equal(weir_fs_fault_operations(fs), 1);
    weir_buffer_free(&bytes);
    weir_fs_close(fs);
    weir_fs_close(memory);
}

static void new_options_revive_the_machine(void **state)
{
    (void)state;
    weir_fs *memory = weir_fs_memory();
    weir_fs *fs = weir_fs_fault(memory, (weir_fault_options){.stop_at = 6});
    assert_int_equal(run_scenario(fs, NULL), WEIR_IO);
    weir_fs_fault_set_options(fs, (weir_fault_options){0});
    assert_int_equal(weir_fs_fault_operations(fs), 0);
    weir_fs_memory_lose_unsynced(memory);
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(fs, "/t/a", &bytes, NULL), WEIR_OK);
    assert_string_equal(weir_buffer_text(&bytes), "0123456789");
    weir_buffer_free(&bytes);
    weir_fs_close(fs);
    weir_fs_close(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_machine_dies_at_each_operation_in_turn),
        cmocka_unit_test(a_torn_write_leaves_a_first_part),
        cmocka_unit_test(a_passing_error_fails_one_operation_only),
        cmocka_unit_test(a_lost_answer_leaves_what_was_published),
        cmocka_unit_test(reads_are_counted_when_asked),
        cmocka_unit_test(new_options_revive_the_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
