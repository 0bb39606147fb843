/* Power loss in memory: what was synced stays, what was not is gone. */
#include "base/pool.h"
#include "cmocka_all.h"
#include "fs/fault.h"
#include "random.h"

static int set_up(void **state)
{
    *state = weir_fs_memory();
    return 0;
}

static int tear_down(void **state)
{
    weir_fs_close(*state);
    return 0;
}

static void write_file(weir_fs *fs, const char *path, const char *text, bool sync)
{
    weir_output *output;
    assert_int_equal(weir_fs_create(fs, path, &output, NULL), WEIR_OK);
    assert_int_equal(weir_output_write(output, text, strlen(text), NULL), WEIR_OK);
    assert_int_equal(weir_output_finish(output, sync, NULL), WEIR_OK);
}

static bool exists(weir_fs *fs, const char *path)
{
    bool found = false;
    assert_int_equal(weir_fs_exists(fs, path, &found, NULL), WEIR_OK);
    return found;
}

static void assert_holds(weir_fs *fs, const char *path, const char *text)
{
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(fs, path, &bytes, NULL), WEIR_OK);
    assert_string_equal(weir_buffer_text(&bytes), text);
    weir_buffer_free(&bytes);
}

static void a_file_survives_with_its_bytes_and_its_name_synced(void **state)
{
    weir_fs *fs = *state;
    write_file(fs, "/t/both", "both", true);
    assert_int_equal(weir_fs_sync_directory(fs, "/t", NULL), WEIR_OK);
    write_file(fs, "/t/bytes-only", "x", true);
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/t/both", "both");
    assert_false(exists(fs, "/t/bytes-only"));
}

static void a_synced_name_without_synced_bytes_is_an_empty_file(void **state)
{
    weir_fs *fs = *state;
    write_file(fs, "/t/a", "never synced", false);
    assert_int_equal(weir_fs_sync_directory(fs, "/t", NULL), WEIR_OK);
    assert_holds(fs, "/t/a", "never synced");
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/t/a", "");
}

static void a_published_file_survives_alone(void **state)
{
    weir_fs *fs = *state;
    write_file(fs, "/t/data", "x", true);
    assert_int_equal(weir_fs_publish(fs, "/t/snapshot-1", weir_slice_text("one"), NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/t/snapshot-1", "one");
    assert_false(exists(fs, "/t/data"));
}

static void folders_survive_when_they_are_made(void **state)
{
    weir_fs *fs = *state;
    assert_int_equal(weir_fs_make_directories(fs, "/a/b/c", NULL), WEIR_OK);
    write_file(fs, "/d/e/file", "x", true);
    weir_fs_memory_lose_unsynced(fs);
    assert_true(exists(fs, "/a/b/c"));
    assert_true(exists(fs, "/d/e"));
    assert_false(exists(fs, "/d/e/file"));
}

static void a_removal_that_was_not_synced_is_undone(void **state)
{
    weir_fs *fs = *state;
    write_file(fs, "/t/a", "a", true);
    write_file(fs, "/t/b", "b", true);
    assert_int_equal(weir_fs_sync_directory(fs, "/t", NULL), WEIR_OK);
    assert_int_equal(weir_fs_remove(fs, "/t/a", NULL), WEIR_OK);
    assert_int_equal(weir_fs_sync_directory(fs, "/t", NULL), WEIR_OK);
    assert_int_equal(weir_fs_remove(fs, "/t/b", NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_false(exists(fs, "/t/a"));
    assert_holds(fs, "/t/b", "b");
}

static void a_rename_that_was_not_synced_is_undone(void **state)
{
    weir_fs *fs = *state;
    write_file(fs, "/from/a", "a", true);
    assert_int_equal(weir_fs_sync_directory(fs, "/from", NULL), WEIR_OK);
    assert_int_equal(weir_fs_rename(fs, "/from/a", "/to/a", NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/from/a", "a");
    assert_false(exists(fs, "/to/a"));
    assert_int_equal(weir_fs_rename(fs, "/from/a", "/to/a", NULL), WEIR_OK);
    assert_int_equal(weir_fs_sync_directory(fs, "/from", NULL), WEIR_OK);
    assert_int_equal(weir_fs_sync_directory(fs, "/to", NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/to/a", "a");
    assert_false(exists(fs, "/from/a"));
}

static void a_replacement_that_was_not_synced_gives_way_to_what_was_before(void **state)
{
    weir_fs *fs = *state;
    assert_int_equal(weir_fs_publish(fs, "/t/LATEST", weir_slice_text("1"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_replace(fs, "/t/LATEST", weir_slice_text("2"), NULL), WEIR_OK);
    assert_holds(fs, "/t/LATEST", "2");
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/t/LATEST", "1");
}

static void only_a_synced_replacement_is_whole_after_a_loss(void **state)
{
    weir_fs *fs = *state;
    assert_int_equal(weir_fs_replace(fs, "/t/hint", weir_slice_text("12"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_replace_synced(fs, "/t/consumer", weir_slice_text("12"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_sync_directory(fs, "/t", NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_holds(fs, "/t/hint", "");
    assert_holds(fs, "/t/consumer", "12");
}

static void an_output_open_at_the_loss_does_no_harm(void **state)
{
    weir_fs *fs = *state;
    weir_output *output;
    assert_int_equal(weir_fs_create(fs, "/t/a", &output, NULL), WEIR_OK);
    assert_int_equal(weir_output_write(output, "x", 1, NULL), WEIR_OK);
    weir_fs_memory_lose_unsynced(fs);
    assert_int_equal(weir_output_write(output, "y", 1, NULL), WEIR_OK);
    write_file(fs, "/t/a", "another", true);
    weir_output_abandon(output); /* removes only what is its own */
    assert_holds(fs, "/t/a", "another");
}

typedef struct user {
    weir_fs *fs;
    random_state random;
} user;

static int use_at_random(void *argument, weir_error *err)
{
    user *self = argument;
    weir_fs *fs = self->fs;
    random_state random = self->random;
    for (int i = 0; i < 2000; i++) {
        char path[32];
        snprintf(path, sizeof path, "/d%d/f%d", (int)random_below(&random, 3), (int)random_below(&random, 5));
        weir_buffer bytes = {0};
        int code = WEIR_OK;
        switch (random_below(&random, 6)) {
        case 0:
            code = weir_fs_publish(fs, path, weir_slice_text("published"), err);
            break;
        case 1:
            code = weir_fs_replace(fs, path, weir_slice_text("replaced!"), err);
            break;
        case 2:
            code = weir_fs_remove(fs, path, err);
            break;
        case 3:
            path[3] = 0;
            code = weir_fs_sync_directory(fs, path, err);
            break;
        case 4:
            path[3] = 0;
            code = weir_fs_rename(fs, path, "/d3", err);
            break;
        default:
            code = weir_fs_read_all(fs, path, &bytes, err);
            if (code == WEIR_OK && bytes.size != 9) {
                code = weir_fail(err, WEIR_CORRUPT, "%s: a part of a file", path);
            }
            break;
        }
        weir_buffer_free(&bytes);
        if (code != WEIR_OK && code != WEIR_EXISTS && code != WEIR_NOT_FOUND) {
            return code;
        }
    }
    return WEIR_OK;
}

static void many_threads_share_it(void **state)
{
    weir_pool *pool;
    weir_task_group group;
    assert_int_equal(weir_pool_create(4, "fs", &pool, NULL), WEIR_OK);
    weir_task_group_init(&group, pool);
    random_state random = random_start();
    user users[4];
    for (int i = 0; i < 4; i++) {
        users[i] = (user){*state, {random_next(&random)}};
        weir_task_group_run(&group, use_at_random, &users[i]);
    }
    weir_error err;
    if (weir_task_group_wait(&group, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    weir_task_group_free(&group);
    weir_pool_free(pool);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_survives_with_its_bytes_and_its_name_synced),
        TEST(a_synced_name_without_synced_bytes_is_an_empty_file),
        TEST(a_published_file_survives_alone),
        TEST(folders_survive_when_they_are_made),
        TEST(a_removal_that_was_not_synced_is_undone),
        TEST(a_rename_that_was_not_synced_is_undone),
        TEST(a_replacement_that_was_not_synced_gives_way_to_what_was_before),
        TEST(only_a_synced_replacement_is_whole_after_a_loss),
        TEST(an_output_open_at_the_loss_does_no_harm),
        TEST(many_threads_share_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
