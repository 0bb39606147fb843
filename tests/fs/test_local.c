/* What only a real disk has: links, pipes, files that change while they are read. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmocka_all.h"
#include "fs/fs.h"

static char *root;

static int set_up(void **state)
{
    (void)state;
    root = weir_strdup("/tmp/weir-test-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int code = weir_fs_remove_recursively(weir_fs_local(), root, NULL);
    free(root);
    return code;
}

static const char *at(const char *name)
{
    static char paths[4][512];
    static int next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", root, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    assert_int_equal(weir_fs_replace(weir_fs_local(), at(name), weir_slice_text(text), NULL), WEIR_OK);
}

/* What was synced, in order: these stand before the C library's functions of the same names. */
static weir_buffer synced;

static int note_and_sync(int descriptor, long call)
{
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t size = readlink(link, path, sizeof path - 1);
    path[size > 0 ? size : 0] = '\0';
    const char *inside = strncmp(path, root, strlen(root)) == 0 ? path + strlen(root) : path;
    bool is_temporary = size > 4 && strcmp(path + size - 4, ".tmp") == 0;
    weir_buffer_append_format(&synced, "%s%s", synced.size > 0 ? " " : "",
                              is_temporary        ? "temporary"
                              : inside[0] == '\0' ? "/"
                                                  : inside);
    return (int)syscall(call, descriptor);
}

int fsync(int descriptor) { return note_and_sync(descriptor, SYS_fsync); }

int fdatasync(int descriptor) { return note_and_sync(descriptor, SYS_fdatasync); }

static void check_synced(const char *expected)
{
    assert_string_equal(weir_buffer_text(&synced), expected);
    weir_buffer_clear(&synced);
}

static bool exists(const char *name) { return access(at(name), F_OK) == 0; }

static void removing_recursively_does_not_follow_links(void **state)
{
    (void)state;
    write_file("keep/precious", "x");
    write_file("t/a", "x");
    assert_int_equal(symlink(at("keep"), at("t/link")), 0);
    assert_int_equal(symlink(at("nowhere"), at("t/dangling")), 0);
    assert_int_equal(symlink(at("keep"), at("link")), 0);
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), at("t"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_remove_recursively(weir_fs_local(), at("link"), NULL), WEIR_OK);
    assert_false(exists("t"));
    assert_true(exists("keep/precious"));
}

static void links_are_read_as_what_they_lead_to(void **state)
{
    (void)state;
    write_file("d/a", "content");
    assert_int_equal(symlink(at("d"), at("link")), 0);
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(weir_fs_local(), at("link/a"), &bytes, NULL), WEIR_OK);
    assert_string_equal(weir_buffer_text(&bytes), "content");
    weir_buffer_free(&bytes);
    weir_file_info info;
    assert_int_equal(weir_fs_stat(weir_fs_local(), at("link"), &info, NULL), WEIR_OK);
    assert_true(info.is_directory);
    write_file("link/b", "x");
    assert_true(exists("d/b"));
}

static void bytes_are_synced_before_their_name_and_names_with_their_folder(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_local();
    weir_output *output = NULL;
    weir_buffer_clear(&synced);
    assert_int_equal(weir_fs_publish(fs, at("d/snapshot-1"), weir_slice_text("x"), NULL), WEIR_OK);
    check_synced("/ temporary /d"); /* the name of `d` itself comes first */
    for (int sync = 0; sync < 2; sync++) {
        assert_int_equal(weir_fs_create(fs, at("d/data"), &output, NULL), WEIR_OK);
        assert_int_equal(weir_output_write(output, "x", 1, NULL), WEIR_OK);
        assert_int_equal(weir_output_finish(output, sync == 1, NULL), WEIR_OK);
        check_synced(sync == 1 ? "/d/data" : "");
        assert_int_equal(weir_fs_remove(fs, at("d/data"), NULL), WEIR_OK);
    }
    assert_int_equal(weir_fs_sync_directory(fs, at("d"), NULL), WEIR_OK);
    check_synced("/d");
    assert_int_equal(weir_fs_replace(fs, at("d/LATEST"), weir_slice_text("1"), NULL), WEIR_OK);
    check_synced(""); /* a hint may be lost */
    weir_buffer_free(&synced);
}

static void a_name_taken_by_a_dangling_link_is_taken(void **state)
{
    (void)state;
    assert_int_equal(symlink(at("nowhere"), at("snapshot-1")), 0);
    assert_int_equal(weir_fs_publish(weir_fs_local(), at("snapshot-1"), weir_slice_text("x"), NULL), WEIR_EXISTS);
    assert_false(exists("nowhere"));
}

static void a_pipe_is_not_opened_as_a_file(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(at("pipe"), 0600), 0);
    weir_file *file;
    weir_error err;
    assert_int_equal(weir_fs_open_file(weir_fs_local(), at("pipe"), &file, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "pipe"));
}

static void a_file_cut_off_while_open_is_corrupt(void **state)
{
    (void)state;
    write_file("a", "0123456789");
    weir_file *file;
    assert_int_equal(weir_fs_open_file(weir_fs_local(), at("a"), &file, NULL), WEIR_OK);
    assert_int_equal(truncate(at("a"), 4), 0);
    char data[10];
    weir_error err;
    assert_int_equal(weir_file_read_at(file, 0, data, sizeof data, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "ends at 4"));
    assert_int_equal(weir_file_read_at(file, 0, data, 4, &err), WEIR_OK);
    weir_file_close(file);
}

static void a_long_name_still_has_a_temporary_file(void **state)
{
    (void)state;
    char name[256];
    memset(name, 'n', sizeof name - 1);
    name[255] = 0;
    assert_int_equal(weir_fs_publish(weir_fs_local(), at(name), weir_slice_text("x"), NULL), WEIR_OK);
    assert_true(exists(name));
}

static void a_folder_without_permission_is_denied(void **state)
{
    (void)state;
    if (geteuid() == 0) {
        printf("skipped: root may write anywhere\n");
        return;
    }
    assert_int_equal(mkdir(at("locked"), 0500), 0);
    weir_output *output;
    assert_int_equal(weir_fs_create(weir_fs_local(), at("locked/a"), &output, NULL), WEIR_DENIED);
    assert_int_equal(weir_fs_publish(weir_fs_local(), at("locked/a"), weir_slice_text("x"), NULL), WEIR_DENIED);
}

/* A limit on the size of files stands for a full disk: the first bytes fit, the others do not. */
static void a_file_that_cannot_be_written_is_removed(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    static const size_t sizes[] = {5000, 500000}; /* gathered until the end, and written at once */
    for (size_t i = 0; i < 2; i++) {
        uint8_t *data = weir_alloc_zeroed(1, sizes[i]);
        weir_output *output;
        weir_error err;
        assert_int_equal(weir_fs_create(weir_fs_local(), at("a"), &output, NULL), WEIR_OK);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){1000, before.rlim_max});
        int code = weir_output_write(output, data, sizes[i], &err);
        if (code == WEIR_OK) {
            code = weir_output_finish(output, true, &err);
        } else {
            weir_output_abandon(output);
        }
        int publish_code = weir_fs_publish(weir_fs_local(), at("b"), weir_slice_of(data, sizes[i]), NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(code, WEIR_IO);
        assert_int_equal(publish_code, WEIR_IO);
        assert_int_equal(rmdir(root), 0); /* nothing is left, not even a temporary file */
        assert_int_equal(mkdir(root, 0700), 0);
        free(data);
    }
    signal(SIGXFSZ, SIG_DFL);
}

static void the_local_file_system_is_one_and_stays_open(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_local();
    weir_fs_close(fs);
    assert_ptr_equal(weir_fs_local(), fs);
    assert_string_equal(fs->scheme, "file");
    write_file("a", "x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(removing_recursively_does_not_follow_links),
        TEST(links_are_read_as_what_they_lead_to),
        TEST(bytes_are_synced_before_their_name_and_names_with_their_folder),
        TEST(a_name_taken_by_a_dangling_link_is_taken),
        TEST(a_pipe_is_not_opened_as_a_file),
        TEST(a_file_cut_off_while_open_is_corrupt),
        TEST(a_long_name_still_has_a_temporary_file),
        TEST(a_folder_without_permission_is_denied),
        TEST(a_file_that_cannot_be_written_is_removed),
        TEST(the_local_file_system_is_one_and_stays_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
