/* Temporary folders: one a process, gone with their last user; those of the dead are found. */
#include "cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "fs/fs.h"
#include "fs/temporary.h"

static char base[] = "/tmp/weir-base-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    snprintf(base, sizeof base, "/tmp/weir-base-XXXXXX");
    return mkdtemp(base) != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return weir_fs_remove_recursively(weir_fs_local(), base, NULL) == WEIR_OK ? 0 : -1;
}

static size_t count_entries(void)
{
    weir_arena arena;
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    assert_int_equal(weir_fs_list(weir_fs_local(), base, &arena, &entries, &count, NULL), WEIR_OK);
    weir_arena_free(&arena);
    return count;
}

static char *make(const char *purpose)
{
    char *folder = NULL;
    weir_error err = {0};
    if (weir_temporary_make(base, purpose, &folder, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    return folder;
}

static bool exists(const char *path)
{
    bool found = false;
    assert_int_equal(weir_fs_exists(weir_fs_local(), path, &found, NULL), WEIR_OK);
    return found;
}

static void folders_of_a_process_lie_in_one_that_goes_with_the_last(void **state)
{
    (void)state;
    char *first = make("state"), *second = make("spill");
    assert_string_not_equal(first, second);
    assert_true(exists(first) && exists(second));
    assert_int_equal(count_entries(), 1);
    weir_temporary_remove(first);
    assert_true(exists(second));
    weir_temporary_remove(second);
    assert_int_equal(count_entries(), 0);
    weir_temporary_remove(make("state"));
    assert_int_equal(count_entries(), 0);
}

/* A process that makes a folder, and waits to be killed. */
static pid_t start_user(void)
{
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t process = fork();
    if (process == 0) {
        char *folder = NULL;
        bool made = weir_temporary_make(base, "state", &folder, NULL) == WEIR_OK;
        char *file = weir_format("%s/file", folder != NULL ? folder : base);
        made = made && weir_fs_replace(weir_fs_local(), file, weir_slice_text("x"), NULL) == WEIR_OK;
        if (write(ready[1], made ? "y" : "n", 1) == 1) {
            pause();
        }
        _exit(1);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 'y');
    close(ready[0]);
    close(ready[1]);
    return process;
}

static void end(pid_t process)
{
    int status;
    assert_int_equal(kill(process, SIGKILL), 0);
    assert_int_equal(waitpid(process, &status, 0), process);
}

static void what_the_dead_have_left_is_removed_and_nothing_else(void **state)
{
    (void)state;
    char *foreign = weir_format("%s/weir-notes", base);
    assert_int_equal(weir_fs_make_directories(weir_fs_local(), foreign, NULL), WEIR_OK);
    pid_t dead = start_user();
    pid_t living = start_user();
    end(dead);
    assert_int_equal(count_entries(), 3);
    char *folder = make("state");
    assert_int_equal(count_entries(), 3); /* the foreign one, that of the living, our own */
    assert_true(exists(foreign));
    weir_temporary_remove(folder);
    assert_int_equal(count_entries(), 2);
    end(living);
    free(foreign);
}

static void a_base_that_cannot_be_written_is_named(void **state)
{
    (void)state;
    char *folder = NULL;
    weir_error err = {0};
    assert_int_not_equal(weir_temporary_make("/proc/no-such-folder", "state", &folder, &err), WEIR_OK);
    assert_non_null(strstr(err.message, "TMPDIR"));
    assert_null(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folders_of_a_process_lie_in_one_that_goes_with_the_last, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_the_dead_have_left_is_removed_and_nothing_else, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_base_that_cannot_be_written_is_named, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
