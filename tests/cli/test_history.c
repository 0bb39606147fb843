/* The file of past statements. */
#include "cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/history.h"
#include "fs/fs.h"

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/weir-history-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    setenv("XDG_STATE_HOME", folder, 1);
    unsetenv("WEIR_HISTORY");
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
    return 0;
}

static void add(const char *statement)
{
    weir_past past;
    weir_past_open(&past);
    weir_past_add(&past, statement);
    weir_past_close(&past);
}

static void statements_of_several_lines_come_back(void **state)
{
    weir_past past;
    (void)state;
    add("SELECT 1");
    add("SELECT 'a\\nb',\n  2");
    weir_past_open(&past);
    assert_int_equal(past.count, 2);
    assert_string_equal(past.statements[0], "SELECT 1");
    assert_string_equal(past.statements[1], "SELECT 'a\\nb',\n  2");
    weir_past_close(&past);
}

static void a_repeated_statement_is_offered_once_where_it_came_last(void **state)
{
    weir_past past;
    (void)state;
    add("SELECT 1");
    add("SELECT 2");
    add("SELECT 1");
    weir_past_open(&past);
    assert_int_equal(past.count, 2);
    assert_string_equal(past.statements[0], "SELECT 2");
    assert_string_equal(past.statements[1], "SELECT 1");
    weir_past_close(&past);
}

static void secrets_do_not_reach_the_file_but_stay_in_the_shell(void **state)
{
    static const char *const secrets[] = {
        "CREATE TABLE t (a INT) WITH ('connector' = 'jdbc', 'password' = 'x')",
        "SET 'fs.s3a.secret.key' = 'x'",
        "SELECT 1 /* PassWord */",
        " SELECT 'begins with a blank'",
    };
    weir_past past, again;
    (void)state;
    weir_past_open(&past);
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        weir_past_add(&past, secrets[i]);
        assert_int_equal(past.count, i + 1);
    }
    weir_past_close(&past);
    weir_past_open(&again);
    assert_int_equal(again.count, 0);
    weir_past_close(&again);
}

static void the_file_is_for_its_owner_alone_and_stays_small(void **state)
{
    struct stat status;
    char path[96], text[32];
    weir_past past;
    (void)state;
    weir_past_open(&past);
    for (int i = 0; i < 2500; i++) {
        snprintf(text, sizeof text, "SELECT %d", i);
        weir_past_add(&past, text);
    }
    assert_int_equal(past.count, 1000);
    weir_past_close(&past);
    snprintf(path, sizeof path, "%s/weir/history", folder);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    off_t before = status.st_size;
    weir_past_open(&past); /* drops the oldest */
    assert_int_equal(past.count, 1000);
    assert_string_equal(past.statements[999], "SELECT 2499");
    weir_past_close(&past);
    assert_int_equal(stat(path, &status), 0);
    assert_true(status.st_size < before);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void no_file_is_kept_when_the_environment_says_so(void **state)
{
    char path[96];
    (void)state;
    setenv("WEIR_HISTORY", "", 1);
    add("SELECT 1");
    snprintf(path, sizeof path, "%s/weir", folder);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        TEST(statements_of_several_lines_come_back),
        TEST(a_repeated_statement_is_offered_once_where_it_came_last),
        TEST(secrets_do_not_reach_the_file_but_stay_in_the_shell),
        TEST(the_file_is_for_its_owner_alone_and_stays_small),
        TEST(no_file_is_kept_when_the_environment_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
