/* What every file system must do: the same cases on the local disk, in memory, through the one with faults (which has
 * none here), and on stores, which are given by servers of the tests. And how a URI is taken apart.
 *
 * With a URI and settings ("key=value") as its arguments, the program runs the cases there instead. */
#include "fs/fs.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/pool.h"
#include "cmocka_all.h"
#include "fs/fault.h"
#include "random.h"
#include "support/webhdfs_server.h"

typedef struct place {
    weir_fs *fs;
    weir_fs *inner;           /* of the one with faults */
    webhdfs_cluster *cluster; /* of WebHDFS */
    char *root;
    weir_arena arena;
} place;

static const char *at(place *here, const char *name)
{
    return weir_arena_format(&here->arena, "%s/%s", here->root, name);
}

static place *new_place(weir_fs *fs, weir_fs *inner, char *root)
{
    place *here = weir_alloc_zeroed(1, sizeof *here);
    here->fs = fs;
    here->inner = inner;
    here->root = root;
    weir_arena_init(&here->arena);
    return here;
}

static int set_up_local(void **state)
{
    char *root = weir_strdup("/tmp/weir-test-XXXXXX");
    assert_non_null(mkdtemp(root));
    *state = new_place(weir_fs_local(), NULL, root);
    return 0;
}

static int set_up_memory(void **state)
{
    *state = new_place(weir_fs_memory(), NULL, weir_strdup("/warehouse"));
    return 0;
}

static int set_up_fault(void **state)
{
    weir_fs *inner = weir_fs_memory();
    *state = new_place(weir_fs_fault(inner, (weir_fault_options){0}), inner, weir_strdup("/warehouse"));
    return 0;
}

static int set_up_webhdfs(void **state)
{
    webhdfs_cluster *cluster = webhdfs_start();
    place *here = new_place(webhdfs_open(cluster, "hdfs.user", "ada"), NULL, weir_strdup("hdfs://test/warehouse"));
    here->cluster = cluster;
    *state = here;
    return 0;
}

/* A URI and settings, "key=value": the tests run there when the program is given them. */
static const char *const *store_words;

static int set_up_there(void **state)
{
    weir_arena arena;
    weir_arena_init(&arena);
    const char *keys[16], *values[16];
    weir_fs_settings settings = {keys, values, 0};
    for (const char *const *word = store_words + 1; *word != NULL && settings.count < 16; word++) {
        keys[settings.count] = weir_arena_strndup(&arena, *word, strcspn(*word, "="));
        values[settings.count++] = strchr(*word, '=') + 1;
    }
    weir_fs *fs;
    const char *path;
    weir_error err;
    if (weir_fs_open(store_words[0], &settings, &arena, &fs, &path, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    char uuid[WEIR_UUID_SIZE];
    weir_uuid(uuid);
    *state = new_place(fs, NULL, weir_format("%s/test-%s", path, uuid));
    weir_arena_free(&arena);
    return 0;
}

static int tear_down(void **state)
{
    place *here = *state;
    weir_error err;
    if (weir_fs_remove_recursively(here->fs, here->root, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    bool exists = true;
    assert_int_equal(weir_fs_exists(here->fs, here->root, &exists, NULL), WEIR_OK);
    assert_false(exists);
    weir_fs_close(here->fs);
    weir_fs_close(here->inner);
    if (here->cluster != NULL) {
        webhdfs_stop(here->cluster);
    }
    weir_arena_free(&here->arena);
    free(here->root);
    free(here);
    return 0;
}

static void write_file(place *here, const char *name, const char *text)
{
    weir_error err;
    weir_output *output;
    if (weir_fs_create(here->fs, at(here, name), &output, &err) != WEIR_OK ||
        weir_output_write(output, text, strlen(text), &err) != WEIR_OK ||
        weir_output_finish(output, true, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
}

static void assert_holds(place *here, const char *name, const char *text)
{
    weir_error err;
    weir_buffer bytes = {0};
    if (weir_fs_read_all(here->fs, at(here, name), &bytes, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    assert_string_equal(weir_buffer_text(&bytes), text);
    weir_buffer_free(&bytes);
}

static void assert_absent(place *here, const char *name)
{
    bool exists = true;
    assert_int_equal(weir_fs_exists(here->fs, at(here, name), &exists, NULL), WEIR_OK);
    assert_false(exists);
}

static void assert_lists(place *here, const char *name, const char *expected)
{
    weir_file_info *entries;
    size_t count;
    weir_error err;
    weir_buffer names = {0};
    if (weir_fs_list(here->fs, at(here, name), &here->arena, &entries, &count, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&names, "%s%s ", entries[i].name, entries[i].is_directory ? "/" : "");
    }
    assert_string_equal(weir_buffer_text(&names), expected);
    weir_buffer_free(&names);
}

/* --- reading and writing -------------------------------------------------------------------------------------- */

static void a_new_file_gets_its_folders_and_reads_back(void **state)
{
    place *here = *state;
    write_file(here, "t/bucket-0/data-1.parquet", "hello");
    assert_holds(here, "t/bucket-0/data-1.parquet", "hello");
    weir_file_info info;
    assert_int_equal(weir_fs_stat(here->fs, at(here, "t/bucket-0/data-1.parquet"), &info, NULL), WEIR_OK);
    assert_false(info.is_directory);
    assert_int_equal(info.size_bytes, 5);
    assert_true(llabs(info.modified_ms - weir_now_ms()) < 600000);
    assert_int_equal(weir_fs_stat(here->fs, at(here, "t/bucket-0"), &info, NULL), WEIR_OK);
    assert_true(info.is_directory);
}

static void a_taken_path_is_not_created_again(void **state)
{
    place *here = *state;
    write_file(here, "a", "first");
    weir_output *output = NULL;
    weir_error err;
    assert_int_equal(weir_fs_create(here->fs, at(here, "a"), &output, &err), WEIR_EXISTS);
    assert_non_null(strstr(err.message, at(here, "a")));
    assert_null(output);
    assert_holds(here, "a", "first");
}

static void a_file_cannot_be_a_folder(void **state)
{
    place *here = *state;
    write_file(here, "a", "x");
    weir_output *output = NULL;
    int code = weir_fs_create(here->fs, at(here, "a/b"), &output, NULL);
    assert_int_not_equal(code == WEIR_OK ? weir_output_finish(output, true, NULL) : code, WEIR_OK);
    assert_int_not_equal(weir_fs_make_directories(here->fs, at(here, "a/b"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "a"), NULL), WEIR_EXISTS);
    assert_absent(here, "a/b");
    weir_file_info *entries;
    size_t count;
    assert_int_not_equal(weir_fs_list(here->fs, at(here, "a"), &here->arena, &entries, &count, NULL), WEIR_OK);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    place *here = *state;
    weir_output *output;
    assert_int_equal(weir_fs_create(here->fs, at(here, "d/a"), &output, NULL), WEIR_OK);
    assert_int_equal(weir_output_write(output, "x", 1, NULL), WEIR_OK);
    weir_output_abandon(output);
    weir_output_abandon(NULL);
    assert_absent(here, "d/a");
    write_file(here, "d/a", "again");
    assert_holds(here, "d/a", "again");
}

static void missing_files_are_not_found(void **state)
{
    place *here = *state;
    weir_file *file = NULL;
    weir_file_info info;
    weir_buffer bytes = {0};
    weir_error err;
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "no/such"), &file, &err), WEIR_NOT_FOUND);
    assert_non_null(strstr(err.message, "no/such"));
    assert_int_equal(weir_fs_read_all(here->fs, at(here, "no"), &bytes, &err), WEIR_NOT_FOUND);
    assert_int_equal(weir_fs_stat(here->fs, at(here, "no"), &info, &err), WEIR_NOT_FOUND);
    assert_null(file);
    weir_file_close(NULL);
    write_file(here, "a", "x");
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "a/b"), &file, &err), WEIR_NOT_FOUND);
}

static void a_missing_folder_is_not_synced(void **state)
{
    place *here = *state;
    assert_int_equal(weir_fs_sync_directory(here->fs, at(here, "no"), NULL), WEIR_NOT_FOUND);
}

static void a_folder_is_not_opened_as_a_file(void **state)
{
    place *here = *state;
    weir_file *file = NULL;
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "d"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "d"), &file, NULL), WEIR_INVALID);
    assert_null(file);
}

static void reading_past_the_end_is_corrupt(void **state)
{
    place *here = *state;
    write_file(here, "a", "0123456789");
    weir_file *file;
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "a"), &file, NULL), WEIR_OK);
    assert_int_equal(file->size, 10);
    static const struct {
        uint64_t offset;
        size_t size;
        int code;
    } cases[] = {
        {0, 10, WEIR_OK},
        {10, 0, WEIR_OK},
        {3, 4, WEIR_OK},
        {0, 11, WEIR_CORRUPT},
        {11, 0, WEIR_CORRUPT},
        {UINT64_MAX, 1, WEIR_CORRUPT},
        {1, SIZE_MAX, WEIR_CORRUPT},
        {9, 2, WEIR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t data[16];
        weir_error err;
        assert_int_equal(weir_file_read_at(file, cases[i].offset, data, cases[i].size, &err), cases[i].code);
        if (cases[i].code == WEIR_OK) {
            assert_memory_equal(data, "0123456789" + cases[i].offset, cases[i].size);
        }
    }
    weir_file_close(file);
}

static void an_empty_file_is_a_file(void **state)
{
    place *here = *state;
    write_file(here, "_SUCCESS", "");
    assert_holds(here, "_SUCCESS", "");
    assert_lists(here, "", "_SUCCESS ");
}

#define RANDOM_FILE_SIZE 300000

static uint8_t byte_at(uint64_t offset) { return (uint8_t)(offset * 31 + (offset >> 8) * 7); }

static void write_random_pieces(place *here, random_state *random)
{
    static uint8_t content[RANDOM_FILE_SIZE];
    for (size_t i = 0; i < RANDOM_FILE_SIZE; i++) {
        content[i] = byte_at(i);
    }
    weir_output *output;
    assert_int_equal(weir_fs_create(here->fs, at(here, "big"), &output, NULL), WEIR_OK);
    size_t written = 0;
    while (written < RANDOM_FILE_SIZE) {
        size_t size = random_below(random, random_below(random, 8) == 0 ? 100000 : 2000);
        size = size < RANDOM_FILE_SIZE - written ? size : RANDOM_FILE_SIZE - written;
        assert_int_equal(weir_output_write(output, content + written, size, NULL), WEIR_OK);
        written += size;
        assert_int_equal(output->size, written);
    }
    assert_int_equal(weir_output_finish(output, false, NULL), WEIR_OK);
}

/* Some ranges touch, some lie near each other, some far, some overlap or go back. */
static size_t random_ranges(random_state *random, weir_read_range *ranges, size_t most, uint8_t *space)
{
    size_t count = 1 + random_below(random, most);
    uint64_t offset = random_below(random, RANDOM_FILE_SIZE);
    for (size_t i = 0; i < count; i++) {
        static const uint64_t gaps[] = {0, 1, 100, 4096, 4097, 50000};
        offset = random_below(random, 5) == 0 ? random_below(random, RANDOM_FILE_SIZE)
                                              : offset + gaps[random_below(random, 6)];
        offset = offset < RANDOM_FILE_SIZE ? offset : RANDOM_FILE_SIZE;
        size_t size = random_below(random, 6) == 0 ? 0 : random_below(random, 3000);
        size = size < RANDOM_FILE_SIZE - offset ? size : (size_t)(RANDOM_FILE_SIZE - offset);
        ranges[i] = (weir_read_range){offset, size, space};
        space += size;
        offset += size;
    }
    return count;
}

static void many_ranges_are_read_as_one_by_one(void **state)
{
    place *here = *state;
    random_state random = random_start();
    write_random_pieces(here, &random);
    weir_file *file;
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "big"), &file, NULL), WEIR_OK);
    assert_int_equal(file->size, RANDOM_FILE_SIZE);
    enum { MOST = 200 };
    static uint8_t space[MOST * 3000];
    static weir_read_range ranges[MOST];
    for (int round = 0; round < 50; round++) {
        size_t count = random_ranges(&random, ranges, MOST, space);
        memset(space, 0xEE, sizeof space);
        weir_error err;
        if (weir_file_read_many(file, ranges, count, &err) != WEIR_OK) {
            fail_msg("%s", err.message);
        }
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < ranges[i].size; k++) {
                assert_int_equal(ranges[i].data[k], byte_at(ranges[i].offset + k));
            }
        }
    }
    assert_int_equal(weir_file_read_many(file, NULL, 0, NULL), WEIR_OK);
    weir_file_close(file);
}

/* --- publish and replace -------------------------------------------------------------------------------------- */

static void publishing_happens_once(void **state)
{
    place *here = *state;
    weir_error err;
    const char *path = at(here, "t/snapshot/snapshot-1");
    assert_int_equal(weir_fs_publish(here->fs, path, weir_slice_text("mine"), &err), WEIR_OK);
    assert_int_equal(weir_fs_publish(here->fs, path, weir_slice_text("theirs"), &err), WEIR_EXISTS);
    assert_holds(here, "t/snapshot/snapshot-1", "mine");
    assert_lists(here, "t/snapshot", "snapshot-1 "); /* no temporary file stays */
}

typedef struct publisher {
    place *here;
    _Atomic int *won;
    int number;
} publisher;

static int publish_many(void *argument, weir_error *err)
{
    const publisher *self = argument;
    for (int i = 0; i < 30; i++) {
        char path[256];
        char text[32];
        snprintf(path, sizeof path, "%s/snapshot/snapshot-%d", self->here->root, i);
        snprintf(text, sizeof text, "publisher %d", self->number);
        int code = weir_fs_publish(self->here->fs, path, weir_slice_text(text), err);
        if (code == WEIR_OK) {
            atomic_fetch_add(&self->won[i], 1);
        } else if (code != WEIR_EXISTS) {
            return code;
        }
    }
    return WEIR_OK;
}

static void of_many_publishers_one_wins(void **state)
{
    place *here = *state;
    weir_pool *pool;
    weir_task_group group;
    _Atomic int won[30] = {0};
    publisher publishers[4];
    assert_int_equal(weir_pool_create(4, "publish", &pool, NULL), WEIR_OK);
    weir_task_group_init(&group, pool);
    for (int i = 0; i < 4; i++) {
        publishers[i] = (publisher){here, won, i};
        weir_task_group_run(&group, publish_many, &publishers[i]);
    }
    weir_error err;
    if (weir_task_group_wait(&group, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    weir_task_group_free(&group);
    weir_pool_free(pool);
    for (int i = 0; i < 30; i++) {
        assert_int_equal(won[i], 1);
    }
    weir_file_info *entries;
    size_t count;
    assert_int_equal(weir_fs_list(here->fs, at(here, "snapshot"), &here->arena, &entries, &count, NULL), WEIR_OK);
    assert_int_equal(count, 30);
}

static void replacing_changes_what_later_readers_see(void **state)
{
    place *here = *state;
    const char *path = at(here, "snapshot/LATEST");
    assert_int_equal(weir_fs_replace(here->fs, path, weir_slice_text("1"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_replace(here->fs, path, weir_slice_text("22"), NULL), WEIR_OK);
    assert_holds(here, "snapshot/LATEST", "22");
    assert_lists(here, "snapshot", "LATEST ");
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "d"), NULL), WEIR_OK);
    assert_int_not_equal(weir_fs_replace(here->fs, at(here, "d"), weir_slice_text("x"), NULL), WEIR_OK);
    assert_lists(here, "", "d/ snapshot/ ");
}

/* --- names ---------------------------------------------------------------------------------------------------- */

static void a_replaced_file_reads_on_while_it_is_open(void **state)
{
    place *here = *state;
    const char *path = at(here, "snapshot/LATEST");
    assert_int_equal(weir_fs_replace(here->fs, path, weir_slice_text("1"), NULL), WEIR_OK);
    weir_file *file;
    assert_int_equal(weir_fs_open_file(here->fs, path, &file, NULL), WEIR_OK);
    assert_int_equal(weir_fs_replace(here->fs, path, weir_slice_text("22"), NULL), WEIR_OK);
    char byte;
    assert_int_equal(weir_file_read_at(file, 0, &byte, 1, NULL), WEIR_OK);
    assert_int_equal(byte, '1');
    weir_file_close(file);
}

static void a_folder_lists_its_entries_in_byte_order(void **state)
{
    place *here = *state;
    assert_lists(here, "no/such", "");
    write_file(here, "t/b", "");
    write_file(here, "t/a-10", "");
    write_file(here, "t/a-9", "");
    write_file(here, "t/B", "");
    write_file(here, "t/d/x", "");
    write_file(here, "t/\xc3\xa9", "");
    assert_lists(here, "t", "B a-10 a-9 b d/ \xc3\xa9 ");
}

static void making_folders_again_is_fine(void **state)
{
    place *here = *state;
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "a/b/c"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "a/b/c"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "a"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_make_directories(here->fs, "/", NULL), WEIR_OK);
    assert_lists(here, "a", "b/ ");
    assert_int_equal(weir_fs_sync_directory(here->fs, at(here, "a"), NULL), WEIR_OK);
}

static void removing_takes_files_and_empty_folders(void **state)
{
    place *here = *state;
    write_file(here, "d/a", "x");
    weir_error err;
    assert_int_equal(weir_fs_remove(here->fs, at(here, "d"), &err), WEIR_IO);
    assert_holds(here, "d/a", "x");
    assert_int_equal(weir_fs_remove(here->fs, at(here, "d/a"), &err), WEIR_OK);
    assert_int_equal(weir_fs_remove(here->fs, at(here, "d/a"), &err), WEIR_OK);
    assert_int_equal(weir_fs_remove(here->fs, at(here, "d"), &err), WEIR_OK);
    assert_int_equal(weir_fs_remove(here->fs, at(here, "d/a"), &err), WEIR_OK);
    assert_absent(here, "d");
}

static void removing_recursively_takes_everything_below(void **state)
{
    place *here = *state;
    write_file(here, "t/p=1/bucket-0/a", "x");
    write_file(here, "t/p=1/bucket-1/b", "x");
    write_file(here, "t/p=2/bucket-0/c", "x");
    write_file(here, "u/keep", "x");
    assert_int_equal(weir_fs_remove_recursively(here->fs, at(here, "t"), NULL), WEIR_OK);
    assert_int_equal(weir_fs_remove_recursively(here->fs, at(here, "t"), NULL), WEIR_OK);
    assert_lists(here, "", "u/ ");
    assert_int_equal(weir_fs_remove_recursively(here->fs, at(here, "u/keep"), NULL), WEIR_OK);
    assert_lists(here, "u", "");
}

static void renaming_moves_files_and_folders_but_never_over_others(void **state)
{
    place *here = *state;
    write_file(here, "a", "a");
    write_file(here, "b", "b");
    write_file(here, "d/x", "x");
    weir_error err;
    assert_int_equal(weir_fs_rename(here->fs, at(here, "a"), at(here, "b"), &err), WEIR_EXISTS);
    assert_holds(here, "b", "b");
    assert_int_equal(weir_fs_rename(here->fs, at(here, "no"), at(here, "c"), &err), WEIR_NOT_FOUND);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "no"), at(here, "new/c"), &err), WEIR_NOT_FOUND);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "d"), at(here, "d/inside"), &err), WEIR_IO);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "a"), at(here, "new/folder/a"), &err), WEIR_OK);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "d"), at(here, "e"), &err), WEIR_OK);
    assert_holds(here, "new/folder/a", "a");
    assert_holds(here, "e/x", "x");
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "empty"), &err), WEIR_OK);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "e"), at(here, "empty"), &err), WEIR_EXISTS);
    assert_lists(here, "", "b e/ empty/ new/ ");
}

static void a_removed_file_reads_on_while_it_is_open(void **state)
{
    place *here = *state;
    write_file(here, "a", "still here");
    weir_file *file;
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "a"), &file, NULL), WEIR_OK);
    assert_int_equal(weir_fs_remove(here->fs, at(here, "a"), NULL), WEIR_OK);
    char data[10];
    assert_int_equal(weir_file_read_at(file, 0, data, sizeof data, NULL), WEIR_OK);
    assert_memory_equal(data, "still here", 10);
    weir_file_close(file);
}

/* --- URIs ----------------------------------------------------------------------------------------------------- */

static void uris_are_split_into_file_system_and_path(void **state)
{
    (void)state;
    char *folder = getcwd(NULL, 0);
    weir_arena arena;
    weir_arena_init(&arena);
    const struct {
        const char *uri;
        const char *path;
    } cases[] = {
        {"/a/b", "/a/b"},
        {"/a//b/./c/", "/a/b/c"},
        {"/", "/"},
        {"//", "/"},
        {"file:/a/b", "/a/b"},
        {"file:///a/b/", "/a/b"},
        {"file://localhost/a", "/a"},
        {"file:///", "/"},
        {"file://", "/"},
        {"a/b", weir_arena_format(&arena, "%s/a/b", folder)},
        {"./a", weir_arena_format(&arena, "%s/a", folder)},
        {".", folder},
        {".hidden", weir_arena_format(&arena, "%s/.hidden", folder)},
        {"a:b", weir_arena_format(&arena, "%s/a:b", folder)},
        {"/a/..b/../c", "/a/..b/../c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_fs *fs = NULL;
        const char *path = NULL;
        assert_int_equal(weir_fs_open(cases[i].uri, NULL, &arena, &fs, &path, NULL), WEIR_OK);
        assert_ptr_equal(fs, weir_fs_local());
        assert_string_equal(path, cases[i].path);
    }
    weir_arena_free(&arena);
    free(folder);
}

static void strange_uris_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *uri;
        int code;
        const char *part;
    } cases[] = {
        {"gopher://host/a", WEIR_UNSUPPORTED, "'gopher:'; there is: "},
        {"memory:/a", WEIR_UNSUPPORTED, "'memory:'"},
        {"file://otherhost/a", WEIR_INVALID, "another host"},
        {"file:lake", WEIR_INVALID, "expected file:///path"},
        {"~/lake", WEIR_INVALID, "only shells know ~"},
        {"~", WEIR_INVALID, "only shells know ~"},
        {"", WEIR_INVALID, "empty"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_fs *fs = NULL;
        const char *path = NULL;
        weir_error err;
        assert_int_equal(weir_fs_open(cases[i].uri, NULL, &arena, &fs, &path, &err), cases[i].code);
        assert_non_null(strstr(err.message, cases[i].part));
        assert_null(fs);
    }
    weir_arena_free(&arena);
}

#define ON(kind, test)   {#test " (" #kind ")", test, set_up_##kind, tear_down, NULL}
#define EVERYWHERE(test) ON(local, test), ON(memory, test), ON(fault, test)

/* What stores keep of the promises: an open file may end when it is removed or replaced, and folders need not be
 * synced. */
#define STORE_TESTS(kind)                                                                                              \
    ON(kind, a_new_file_gets_its_folders_and_reads_back), ON(kind, a_taken_path_is_not_created_again),                 \
        ON(kind, a_file_cannot_be_a_folder), ON(kind, an_abandoned_file_leaves_nothing),                               \
        ON(kind, missing_files_are_not_found), ON(kind, a_folder_is_not_opened_as_a_file),                             \
        ON(kind, reading_past_the_end_is_corrupt), ON(kind, an_empty_file_is_a_file),                                  \
        ON(kind, many_ranges_are_read_as_one_by_one), ON(kind, publishing_happens_once),                               \
        ON(kind, of_many_publishers_one_wins), ON(kind, replacing_changes_what_later_readers_see),                     \
        ON(kind, a_folder_lists_its_entries_in_byte_order), ON(kind, making_folders_again_is_fine),                    \
        ON(kind, removing_takes_files_and_empty_folders), ON(kind, removing_recursively_takes_everything_below),       \
        ON(kind, renaming_moves_files_and_folders_but_never_over_others)

static int run_there(void)
{
    const struct CMUnitTest tests[] = {STORE_TESTS(there)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int count, char **words)
{
    if (count > 1) {
        store_words = (const char *const *)words + 1;
        return run_there();
    }
    const struct CMUnitTest tests[] = {
        EVERYWHERE(a_new_file_gets_its_folders_and_reads_back),
        EVERYWHERE(a_taken_path_is_not_created_again),
        EVERYWHERE(a_file_cannot_be_a_folder),
        EVERYWHERE(an_abandoned_file_leaves_nothing),
        EVERYWHERE(missing_files_are_not_found),
        EVERYWHERE(a_missing_folder_is_not_synced),
        EVERYWHERE(a_folder_is_not_opened_as_a_file),
        EVERYWHERE(reading_past_the_end_is_corrupt),
        EVERYWHERE(an_empty_file_is_a_file),
        EVERYWHERE(many_ranges_are_read_as_one_by_one),
        EVERYWHERE(publishing_happens_once),
        EVERYWHERE(of_many_publishers_one_wins),
        EVERYWHERE(replacing_changes_what_later_readers_see),
        EVERYWHERE(a_replaced_file_reads_on_while_it_is_open),
        EVERYWHERE(a_folder_lists_its_entries_in_byte_order),
        EVERYWHERE(making_folders_again_is_fine),
        EVERYWHERE(removing_takes_files_and_empty_folders),
        EVERYWHERE(removing_recursively_takes_everything_below),
        EVERYWHERE(renaming_moves_files_and_folders_but_never_over_others),
        EVERYWHERE(a_removed_file_reads_on_while_it_is_open),
        STORE_TESTS(webhdfs),
        cmocka_unit_test(uris_are_split_into_file_system_and_path),
        cmocka_unit_test(strange_uris_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
