/* The state folder of a run: its journal, its lock, the places of jobs. */
#include "cmocka_all.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fs/fs.h"
#include "session/job/state_folder.h"

typedef struct fixture {
    char folder[64];
    char path[80]; /* of the state folder */
    weir_error err;
} fixture;

static int set_up(void **state)
{
    fixture *self = weir_alloc_zeroed(1, sizeof *self);
    snprintf(self->folder, sizeof self->folder, "/tmp/weir-state-XXXXXX");
    *state = self;
    if (mkdtemp(self->folder) == NULL) {
        return -1;
    }
    snprintf(self->path, sizeof self->path, "%s/run", self->folder);
    return 0;
}

static int tear_down(void **state)
{
    fixture *self = *state;
    int code = weir_fs_remove_recursively(weir_fs_local(), self->folder, NULL);
    free(self);
    return code == WEIR_OK ? 0 : -1;
}

static weir_state_folder *open_folder(fixture *self, bool fresh)
{
    weir_state_folder *folder = NULL;
    if (weir_state_folder_open(self->path, fresh, &folder, &self->err) != WEIR_OK) {
        fail_msg("%s", self->err.message);
    }
    return folder;
}

static void append_file(fixture *self, const char *name, const char *text)
{
    char *path = weir_format("%s/%s", self->path, name);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    free(path);
}

/* ---- the journal ---- */

static void a_statement_that_is_done_is_known_by_the_next_run(void **state)
{
    fixture *self = *state;
    weir_state_folder *folder = open_folder(self, false);
    assert_false(folder->is_resumed);
    assert_true(weir_journal_is_empty(folder->journal));
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT INTO t\nVALUES ('\"')", "user-1", NULL), WEIR_OK);
    assert_int_equal(weir_journal_done(folder->journal, 1, 7, 2, NULL), WEIR_OK);
    assert_int_equal(weir_journal_begin(folder->journal, 2, "INSERT INTO u", "user-2", NULL), WEIR_OK);
    weir_state_folder_close(folder);

    folder = open_folder(self, false);
    assert_true(folder->is_resumed);
    const weir_journal_entry *first = weir_journal_find(folder->journal, 1);
    assert_non_null(first);
    assert_string_equal(first->text, "INSERT INTO t\nVALUES ('\"')");
    assert_true(first->is_done);
    assert_int_equal(first->rows, 7);
    assert_int_equal(first->commits, 2);
    const weir_journal_entry *second = weir_journal_find(folder->journal, 2);
    assert_non_null(second);
    assert_string_equal(second->user, "user-2");
    assert_false(second->is_done);
    assert_null(weir_journal_find(folder->journal, 3));
    weir_state_folder_close(folder);
}

static void a_line_that_was_cut_off_is_as_not_written(void **state)
{
    fixture *self = *state;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
    weir_state_folder_close(folder);
    append_file(self, "journal.jsonl", "{\"statement\":1,\"ro");

    folder = open_folder(self, false);
    assert_false(weir_journal_find(folder->journal, 1)->is_done);
    assert_int_equal(weir_journal_done(folder->journal, 1, 3, 1, NULL), WEIR_OK);
    weir_state_folder_close(folder);

    folder = open_folder(self, false);
    assert_true(weir_journal_find(folder->journal, 1)->is_done);
    weir_state_folder_close(folder);
}

static void a_line_that_could_not_be_written_leaves_nothing(void **state)
{
    fixture *self = *state;
    struct rlimit before, little;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
    char *path = weir_format("%s/journal.jsonl", self->path);
    weir_file_info info;
    assert_int_equal(weir_fs_stat(weir_fs_local(), path, &info, NULL), WEIR_OK);
    free(path);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = (struct rlimit){info.size_bytes + 10, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    int code = weir_journal_done(folder->journal, 1, 3, 1, &self->err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(code, WEIR_IO);
    assert_int_equal(weir_journal_done(folder->journal, 1, 3, 1, NULL), WEIR_OK);
    weir_state_folder_close(folder);

    folder = open_folder(self, false);
    assert_true(weir_journal_find(folder->journal, 1)->is_done);
    weir_state_folder_close(folder);
}

static void a_damaged_line_is_told_with_its_file(void **state)
{
    fixture *self = *state;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
    weir_state_folder_close(folder);
    append_file(self, "journal.jsonl", "{\"statement\":\"one\"}\n");
    folder = NULL;
    assert_int_equal(weir_state_folder_open(self->path, false, &folder, &self->err), WEIR_CORRUPT);
    assert_non_null(strstr(self->err.message, "journal.jsonl"));
    assert_null(folder);
}

static void after_the_end_statements_begin_anew(void **state)
{
    fixture *self = *state;
    weir_job_place place;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_state_folder_job(folder, "kept", "INSERT", &place, NULL), WEIR_OK);
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
    assert_int_equal(weir_journal_done(folder->journal, 1, 3, 1, NULL), WEIR_OK);
    assert_int_equal(weir_journal_end(folder->journal, NULL), WEIR_OK);
    weir_state_folder_close(folder);

    for (int run = 0; run < 3; run++) {
        folder = open_folder(self, false);
        assert_true(weir_journal_is_empty(folder->journal));
        assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
        assert_int_equal(weir_journal_end(folder->journal, NULL), WEIR_OK);
        weir_state_folder_close(folder);
    }
    char *path = weir_format("%s/journal.jsonl", self->path);
    weir_file_info info;
    assert_int_equal(weir_fs_stat(weir_fs_local(), path, &info, NULL), WEIR_OK);
    assert_true(info.size_bytes < 200); /* of one run, not of all */
    free(path);
}

/* ---- the folder ---- */

static void a_folder_that_nothing_needs_goes_away(void **state)
{
    fixture *self = *state;
    bool exists = true;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_journal_begin(folder->journal, 1, "INSERT", "u", NULL), WEIR_OK);
    assert_int_equal(weir_journal_done(folder->journal, 1, 3, 1, NULL), WEIR_OK);
    assert_int_equal(weir_journal_end(folder->journal, NULL), WEIR_OK);
    weir_state_folder_close(folder);
    assert_int_equal(weir_fs_exists(weir_fs_local(), self->path, &exists, NULL), WEIR_OK);
    assert_false(exists);
}

static void a_second_process_is_refused(void **state)
{
    fixture *self = *state;
    weir_state_folder *folder = open_folder(self, false);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        weir_state_folder *other = NULL;
        weir_error err = {0};
        bool refused = weir_state_folder_open(self->path, true, &other, &err) == WEIR_CONFLICT;
        _exit(refused && strstr(err.message, "--state") != NULL ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    weir_state_folder_close(folder);
}

static void a_folder_of_somebody_else_is_refused(void **state)
{
    fixture *self = *state;
    weir_state_folder *folder = NULL;
    assert_int_equal(weir_fs_make_directories(weir_fs_local(), self->path, NULL), WEIR_OK);
    append_file(self, "letter.txt", "dear");
    assert_int_equal(weir_state_folder_open(self->path, true, &folder, &self->err), WEIR_INVALID);
    assert_non_null(strstr(self->err.message, "letter.txt"));
}

static void a_job_finds_its_place_again_until_it_is_forgotten(void **state)
{
    fixture *self = *state;
    weir_job_place first, again, other;
    weir_state_folder *folder = open_folder(self, false);
    assert_int_equal(weir_state_folder_job(folder, "orders to stats", "INSERT", &first, NULL), WEIR_OK);
    assert_int_equal(weir_state_folder_job(folder, "orders_to_stats", "INSERT", &other, NULL), WEIR_OK);
    assert_false(first.is_resumed);
    assert_string_not_equal(first.folder, other.folder);
    weir_state_folder_close(folder);

    folder = open_folder(self, false);
    assert_int_equal(weir_state_folder_job(folder, "orders to stats", "INSERT", &again, NULL), WEIR_OK);
    assert_true(again.is_resumed);
    assert_int_equal(weir_state_folder_forget(folder, "orders to stats", NULL), WEIR_OK);
    assert_int_equal(weir_state_folder_job(folder, "orders to stats", "INSERT", &again, NULL), WEIR_OK);
    assert_false(again.is_resumed);
    weir_state_folder_close(folder);

    folder = open_folder(self, true);
    assert_int_equal(weir_state_folder_job(folder, "orders_to_stats", "INSERT", &again, NULL), WEIR_OK);
    assert_false(again.is_resumed);
    weir_state_folder_close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_statement_that_is_done_is_known_by_the_next_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_that_was_cut_off_is_as_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_line_that_could_not_be_written_leaves_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_damaged_line_is_told_with_its_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(after_the_end_statements_begin_anew, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_nothing_needs_goes_away, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_second_process_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_folder_of_somebody_else_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_job_finds_its_place_again_until_it_is_forgotten, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
