/* HDFS by WebHDFS, against name nodes and data nodes that take turns, lose answers and refuse. */
#include "fs/fs.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cmocka_all.h"
#include "random.h"
#include "support/webhdfs_server.h"

#define ROOT "hdfs://test"

typedef struct place {
    webhdfs_cluster *cluster;
    weir_fs *fs;
    weir_arena arena;
} place;

static int set_up(void **state)
{
    place *here = weir_alloc_zeroed(1, sizeof *here);
    here->cluster = webhdfs_start();
    here->fs = webhdfs_open(here->cluster, "hdfs.user", "ada");
    weir_arena_init(&here->arena);
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    place *here = *state;
    weir_fs_close(here->fs);
    webhdfs_stop(here->cluster);
    weir_arena_free(&here->arena);
    free(here);
    return 0;
}

static void assert_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

/* What the file system in memory holds, without going through WebHDFS. */
static void assert_stored(place *here, const char *path, const char *text)
{
    weir_buffer bytes = {0};
    weir_error err;
    assert_ok(weir_fs_read_all(here->cluster->memory, path, &bytes, &err), &err);
    assert_string_equal(weir_buffer_text(&bytes), text);
    weir_buffer_free(&bytes);
}

static void assert_names(place *here, const char *path, const char *expected)
{
    weir_file_info *entries;
    size_t count;
    weir_error err;
    weir_buffer names = {0};
    assert_ok(weir_fs_list(here->cluster->memory, path, &here->arena, &entries, &count, &err), &err);
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&names, "%s ", entries[i].name);
    }
    assert_string_equal(weir_buffer_text(&names), expected);
    weir_buffer_free(&names);
}

static void store(place *here, const char *path, weir_slice bytes)
{
    weir_error err;
    assert_ok(weir_fs_replace(here->cluster->memory, path, bytes, &err), &err);
}

static void write_through(place *here, const char *path, weir_slice bytes, size_t piece)
{
    weir_output *output;
    weir_error err;
    assert_ok(weir_fs_create(here->fs, path, &output, &err), &err);
    for (size_t done = 0; done < bytes.size; done += piece) {
        size_t size = bytes.size - done < piece ? bytes.size - done : piece;
        assert_ok(weir_output_write(output, bytes.data + done, size, &err), &err);
    }
    assert_ok(weir_output_finish(output, true, &err), &err);
}

static weir_buffer random_bytes(size_t size)
{
    random_state random = random_start();
    weir_buffer bytes = {0};
    weir_buffer_reserve(&bytes, size + 8);
    for (; bytes.size < size; bytes.size += 8) {
        weir_store_le64(bytes.data + bytes.size, random_next(&random));
    }
    bytes.size = size;
    return bytes;
}

/* ---- requests ---- */

static void requests_say_who_asks_and_escape_names(void **state)
{
    place *here = *state;
    weir_error err;
    assert_ok(weir_fs_publish(here->fs, ROOT "/dt=2024 %/ü&?", weir_slice_text("x"), &err), &err);
    assert_stored(here, "/dt=2024 %/ü&?", "x");
    assert_int_equal(webhdfs_count(here->cluster, "user.name=ada"), webhdfs_count(here->cluster, "/dt%3D2024%20%25/"));
    weir_fs *other = webhdfs_open(here->cluster, "hdfs.delegation-token", "t0k/en+=");
    weir_file_info info;
    assert_ok(weir_fs_stat(other, ROOT "/dt=2024 %", &info, &err), &err);
    weir_fs_close(other);
    assert_int_equal(webhdfs_count(here->cluster, "delegation=t0k%2Fen%2B%3D"), 1);
    assert_int_equal(webhdfs_count(here->cluster, "delegation=t0k%2Fen%2B%3D&user.name"), 0);
}

static void the_active_name_node_is_remembered(void **state)
{
    place *here = *state;
    weir_error err;
    weir_file_info info;
    here->cluster->active = 1;
    for (int i = 0; i < 3; i++) {
        assert_ok(weir_fs_stat(here->fs, ROOT "/", &info, &err), &err);
    }
    assert_int_equal(webhdfs_count(here->cluster, "n0 "), 1);
    assert_int_equal(webhdfs_count(here->cluster, "n1 "), 3);
    here->cluster->active = 0;
    assert_ok(weir_fs_stat(here->fs, ROOT "/", &info, &err), &err);
    assert_ok(weir_fs_stat(here->fs, ROOT "/", &info, &err), &err);
    assert_int_equal(webhdfs_count(here->cluster, "n1 "), 4);
}

static void a_name_node_that_starts_is_waited_for(void **state)
{
    place *here = *state;
    weir_error err;
    static const struct {
        const char *exception;
        const char *message;
    } cases[] = {
        {"SafeModeException", "Cannot create directory /d. Name node is in safe mode.\nSafe mode will be turned off "
                              "automatically once the thresholds have been reached."},
        {"RetriableException", "still loading"},
        {NULL, "starting"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        here->cluster->fault = (webhdfs_fault){.operation = "MKDIRS",
                                               .times = 2,
                                               .kind = WEBHDFS_REFUSES,
                                               .status = 503,
                                               .exception = cases[i].exception,
                                               .message = cases[i].message};
        assert_ok(weir_fs_make_directories(here->fs, ROOT "/d", &err), &err);
        assert_int_equal(here->cluster->fault.times, 0);
    }
}

static void refusals_say_what_to_do(void **state)
{
    place *here = *state;
    static const struct {
        int status;
        const char *exception;
        const char *message;
        int code;
        const char *words;
    } cases[] = {
        {403, "AccessControlException",
         "Permission denied: user=ada, access=WRITE, inode=\"/\":root:g:drwxr-xr-x\n\tat x", WEIR_DENIED,
         ROOT "/d: MKDIRS: Permission denied: user=ada, access=WRITE, inode=\"/\":root:g:drwxr-xr-x"},
        {403, "AccessControlException", "/a (is not a directory)", WEIR_EXISTS, "there is a file: /a (is not"},
        {403, "SafeModeException", "Cannot create directory /d. Name node is in safe mode.\nIt was turned on manually.",
         WEIR_IO, "`hdfs dfsadmin -safemode leave` ends it"},
        {403, "NSQuotaExceededException", "The NameSpace quota of directory /d is exceeded: quota=1", WEIR_IO,
         "quota of names is used up: The NameSpace quota"},
        {403, "DSQuotaExceededException", "The DiskSpace quota", WEIR_IO, "quota of space is used up"},
        {401, "AccessControlException", "Authentication required", WEIR_DENIED, "Authentication required"},
        {401, NULL, "<html>401</html>", WEIR_DENIED, "'hdfs.delegation-token'"},
        {403, "InvalidToken", "token (…) can't be found in cache", WEIR_DENIED, "the delegation token is not valid"},
        {400, "IllegalArgumentException", "Invalid value", WEIR_INVALID, "MKDIRS: Invalid value"},
        {403, "SomeException", "some reason", WEIR_IO, "SomeException: some reason"},
        {404, NULL, "<html>", WEIR_IO, "there is no WebHDFS at this address"},
        {200, NULL, "<html>", WEIR_IO, "the answer is not WebHDFS's"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        here->cluster->fault = (webhdfs_fault){.operation = "MKDIRS",
                                               .times = 1,
                                               .kind = WEBHDFS_REFUSES,
                                               .status = cases[i].status,
                                               .exception = cases[i].exception,
                                               .message = cases[i].message};
        assert_int_equal(weir_fs_make_directories(here->fs, ROOT "/d", &err), cases[i].code);
        if (strstr(err.message, cases[i].words) == NULL || strchr(err.message, '\n') != NULL) {
            fail_msg("%s", err.message);
        }
    }
}

static void an_address_without_a_server_is_told_and_no_token(void **state)
{
    (void)state;
    webhdfs_cluster *cluster = webhdfs_start();
    weir_fs *fs = webhdfs_open(cluster, "hdfs.delegation-token", "s3cret");
    int port = cluster->names[1].server->port;
    webhdfs_stop(cluster);
    weir_error err;
    weir_file_info info;
    char address[32];
    snprintf(address, sizeof address, "127.0.0.1:%d", port);
    assert_int_equal(weir_fs_stat(fs, ROOT "/a", &info, &err), WEIR_IO);
    if (strstr(err.message, address) == NULL || strstr(err.message, "s3cret") != NULL ||
        strstr(err.message, "option 'hdfs.webhdfs.address'") == NULL) {
        fail_msg("%s", err.message);
    }
    weir_fs_close(fs);
}

/* ---- lost answers ---- */

static void a_publish_whose_answer_was_lost_has_happened(void **state)
{
    place *here = *state;
    weir_error err;
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_ANSWER};
    assert_ok(weir_fs_publish(here->fs, ROOT "/s/snapshot-1", weir_slice_text("mine"), &err), &err);
    assert_stored(here, "/s/snapshot-1", "mine");
    assert_names(here, "/s", "snapshot-1 ");
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_ANSWER};
    assert_ok(weir_fs_replace(here->fs, ROOT "/s/LATEST", weir_slice_text("1"), &err), &err);
    assert_stored(here, "/s/LATEST", "1");
    assert_names(here, "/s", "LATEST snapshot-1 ");
}

static void another_publishes(void *context) { store(context, "/s/snapshot-1", weir_slice_text("theirs")); }

static void a_publish_whose_request_was_lost_may_lose_to_another(void **state)
{
    place *here = *state;
    weir_error err;
    here->cluster->fault = (webhdfs_fault){
        .operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_REQUEST, .before = another_publishes, .context = here};
    assert_int_equal(weir_fs_publish(here->fs, ROOT "/s/snapshot-1", weir_slice_text("mine"), &err), WEIR_EXISTS);
    assert_stored(here, "/s/snapshot-1", "theirs");
    assert_names(here, "/s", "snapshot-1 ");
}

static void refuse_the_second(void *context)
{
    webhdfs_fault *fault = &((place *)context)->cluster->fault;
    fault->kind = fault->times == 0 ? WEBHDFS_REFUSES : fault->kind;
}

/* Who is told WEIR_DENIED would remove the files of a snapshot that stands. */
static void a_refusal_after_a_lost_answer_is_no_proof_that_nothing_was_published(void **state)
{
    place *here = *state;
    weir_error err;
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME",
                                           .times = 2,
                                           .kind = WEBHDFS_LOSES_ANSWER,
                                           .status = 403,
                                           .exception = "AccessControlException",
                                           .message = "Permission denied",
                                           .before = refuse_the_second,
                                           .context = here};
    assert_int_equal(weir_fs_publish(here->fs, ROOT "/s/snapshot-1", weir_slice_text("mine"), &err), WEIR_IO);
    assert_stored(here, "/s/snapshot-1", "mine");
    here->cluster->fault.times = 1;
    assert_int_equal(weir_fs_publish(here->fs, ROOT "/s/snapshot-2", weir_slice_text("mine"), &err), WEIR_DENIED);
}

static void a_write_whose_answer_was_lost_is_done_again(void **state)
{
    place *here = *state;
    static const webhdfs_fault_kind kinds[] = {WEBHDFS_LOSES_REQUEST, WEBHDFS_LOSES_ANSWER};
    for (size_t i = 0; i < 2; i++) {
        here->cluster->fault =
            (webhdfs_fault){.operation = "CREATE", .at_data_node = true, .times = 2, .kind = kinds[i]};
        char path[32];
        snprintf(path, sizeof path, ROOT "/d/%zu", i);
        write_through(here, path, weir_slice_text("whole"), 2);
        assert_stored(here, path + strlen(ROOT), "whole");
    }
    /* Without a lost answer another one's file stays. */
    weir_output *output;
    weir_error err;
    assert_ok(weir_fs_create(here->fs, ROOT "/d/c", &output, &err), &err);
    store(here, "/d/c", weir_slice_text("theirs"));
    assert_int_equal(weir_output_finish(output, true, &err), WEIR_EXISTS);
    assert_stored(here, "/d/c", "theirs");
}

static void a_rename_whose_answer_was_lost_has_happened(void **state)
{
    place *here = *state;
    weir_error err;
    store(here, "/d/a", weir_slice_text("x"));
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_ANSWER};
    assert_ok(weir_fs_rename(here->fs, ROOT "/d/a", ROOT "/d/b", &err), &err);
    assert_names(here, "/d", "b ");
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_REQUEST};
    assert_ok(weir_fs_rename(here->fs, ROOT "/d/b", ROOT "/new/folder/c", &err), &err);
    assert_stored(here, "/new/folder/c", "x");
    here->cluster->fault = (webhdfs_fault){.operation = "RENAME", .times = 1, .kind = WEBHDFS_LOSES_REQUEST};
    assert_int_equal(weir_fs_rename(here->fs, ROOT "/d/b", ROOT "/d/e", &err), WEIR_NOT_FOUND);
}

/* ---- listing ---- */

static void large_folders_are_listed_in_parts(void **state)
{
    place *here = *state;
    here->cluster->page_size = 3;
    for (int count = 0; count <= 7; count++) {
        weir_file_info *entries;
        size_t found;
        weir_error err;
        assert_ok(weir_fs_list(here->fs, ROOT "/d", &here->arena, &entries, &found, &err), &err);
        assert_int_equal(found, count);
        for (int i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "a &%d", i);
            assert_string_equal(entries[i].name, name);
            assert_int_equal(entries[i].size_bytes, i);
        }
        char path[32];
        snprintf(path, sizeof path, "/d/a &%d", count);
        store(here, path, weir_slice_of("0123456789", (size_t)count));
    }
}

/* ---- bytes ---- */

static void assert_reads(place *here, const char *path, weir_slice expected)
{
    random_state random = random_start();
    weir_file *file;
    weir_error err;
    assert_ok(weir_fs_open_file(here->fs, path, &file, &err), &err);
    assert_int_equal(file->size, expected.size);
    uint8_t *bytes = weir_alloc(expected.size);
    for (int round = 0; round < 20; round++) {
        weir_read_range ranges[6];
        size_t count = 1 + random_below(&random, 6), used = 0;
        uint64_t at = random_below(&random, expected.size / 2);
        for (size_t i = 0; i < count; i++) {
            size_t size = random_below(&random, round % 2 ? 100000 : 400);
            size = size > expected.size - at ? (size_t)(expected.size - at) : size;
            ranges[i] = (weir_read_range){at, size, bytes + used};
            used += size;
            at += size + random_below(&random, round % 3 ? 1000 : 100000);
            at = at > expected.size ? expected.size : at;
        }
        used = 0;
        assert_ok(weir_file_read_many(file, ranges, count, &err), &err);
        for (size_t i = 0; i < count; i++) {
            assert_memory_equal(bytes + used, expected.data + ranges[i].offset, ranges[i].size);
            used += ranges[i].size;
        }
    }
    weir_file_close(file);
    free(bytes);
}

static void large_files_are_sent_while_they_are_written(void **state)
{
    place *here = *state;
    weir_buffer bytes = random_bytes(((size_t)9 << 20) + 17);
    write_through(here, ROOT "/t/large", weir_buffer_slice(&bytes), 700001);
    assert_int_equal(webhdfs_count(here->cluster, "CREATE /t/large"), 2);
    assert_reads(here, ROOT "/t/large", weir_buffer_slice(&bytes));
    weir_output *output;
    weir_error err;
    assert_ok(weir_fs_create(here->fs, ROOT "/t/left", &output, &err), &err);
    assert_ok(weir_output_write(output, bytes.data, bytes.size, &err), &err);
    weir_output_abandon(output);
    assert_names(here, "/t", "large ");
    /* Another one's file of that name stays. */
    assert_ok(weir_fs_create(here->fs, ROOT "/t/taken", &output, &err), &err);
    store(here, "/t/taken", weir_slice_text("theirs"));
    assert_ok(weir_output_write(output, bytes.data, bytes.size, &err), &err);
    assert_int_equal(weir_output_finish(output, true, &err), WEIR_EXISTS);
    assert_stored(here, "/t/taken", "theirs");
    weir_buffer_free(&bytes);
}

static void files_are_read_in_ranges_and_whole(void **state)
{
    place *here = *state;
    weir_buffer bytes = random_bytes(((size_t)3 << 20) + 1);
    store(here, "/t/a", weir_buffer_slice(&bytes));
    assert_reads(here, ROOT "/t/a", weir_buffer_slice(&bytes));
    weir_buffer whole = {0};
    weir_error err;
    assert_ok(weir_fs_read_all(here->fs, ROOT "/t/a", &whole, &err), &err);
    assert_true(weir_slice_equal(weir_buffer_slice(&whole), weir_buffer_slice(&bytes)));
    weir_buffer_free(&whole);
    weir_buffer_free(&bytes);
}

static void ranges_that_lie_together_are_one_request(void **state)
{
    place *here = *state;
    weir_buffer bytes = random_bytes((size_t)3 << 20);
    store(here, "/t/a", weir_buffer_slice(&bytes));
    weir_file *file;
    weir_error err;
    assert_ok(weir_fs_open_file(here->fs, ROOT "/t/a", &file, &err), &err);
    uint8_t data[300];
    weir_read_range ranges[] = {{10, 100, data}, {110, 100, data + 100}, {5000, 100, data + 200}};
    assert_ok(weir_file_read_many(file, ranges, 3, &err), &err);
    assert_memory_equal(data, bytes.data + 10, 200);
    assert_memory_equal(data + 200, bytes.data + 5000, 100);
    assert_ok(weir_file_read_at(file, 999, data, 7, &err), &err);
    assert_int_equal(webhdfs_count(here->cluster, "d0 OPEN") + webhdfs_count(here->cluster, "d1 OPEN"), 2);
    assert_int_equal(webhdfs_count(here->cluster, "n0 OPEN"), 1); /* the data node of a block is asked for once */
    weir_file_close(file);
    weir_buffer_free(&bytes);
}

static void what_follows_is_read_in_advance(void **state)
{
    place *here = *state;
    weir_buffer bytes = random_bytes(((size_t)2 << 20) + 12345);
    store(here, "/t/a", weir_buffer_slice(&bytes));
    weir_file *file;
    weir_error err;
    assert_ok(weir_fs_open_file(here->fs, ROOT "/t/a", &file, &err), &err);
    const size_t block = 128 << 10;
    uint8_t *data = weir_alloc(block);
    for (size_t at = 0; at < bytes.size; at += block) {
        size_t size = bytes.size - at < block ? bytes.size - at : block;
        assert_ok(weir_file_read_at(file, at, data, size, &err), &err);
        assert_memory_equal(data, bytes.data + at, size);
    }
    assert_int_equal(webhdfs_count(here->cluster, "d0 OPEN") + webhdfs_count(here->cluster, "d1 OPEN"), 17);
    /* What was read in advance and is not wanted does no harm. */
    assert_ok(weir_file_read_at(file, 0, data, block, &err), &err);
    assert_ok(weir_file_read_at(file, block, data, block, &err), &err);
    weir_file_close(file);
    free(data);
    weir_buffer_free(&bytes);
}

static void another_data_node_reads_what_one_failed_to_give(void **state)
{
    place *here = *state;
    weir_buffer bytes = random_bytes((size_t)1 << 20);
    store(here, "/t/a", weir_buffer_slice(&bytes));
    static const webhdfs_fault faults[] = {
        {.operation = "OPEN", .at_data_node = true, .times = 3, .kind = WEBHDFS_LOSES_REQUEST},
        {.operation = "OPEN", .at_data_node = true, .times = 3, .kind = WEBHDFS_CUTS_ANSWER},
        {.operation = "OPEN",
         .at_data_node = true,
         .times = 2,
         .kind = WEBHDFS_REFUSES,
         .status = 403,
         .exception = "InvalidToken",
         .message = "expired"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        here->cluster->fault = faults[i];
        assert_reads(here, ROOT "/t/a", weir_buffer_slice(&bytes));
        assert_int_equal(here->cluster->fault.times, 0);
        here->cluster->fault = faults[i];
        weir_buffer whole = {0};
        weir_error err;
        if (faults[i].kind != WEBHDFS_REFUSES) {
            assert_ok(weir_fs_read_all(here->fs, ROOT "/t/a", &whole, &err), &err);
            assert_true(weir_slice_equal(weir_buffer_slice(&whole), weir_buffer_slice(&bytes)));
        }
        weir_buffer_free(&whole);
        here->cluster->fault = (webhdfs_fault){0};
    }
    weir_buffer_free(&bytes);
}

static void data_nodes_that_are_away_are_waited_for(void **state)
{
    place *here = *state;
    weir_buffer whole = {0};
    weir_error err;
    store(here, "/t/a", weir_slice_text("0123456789"));
    webhdfs_fault away = {.operation = "OPEN", .at_data_node = true, .times = 12, .kind = WEBHDFS_LOSES_REQUEST};
    here->cluster->fault = away;
    assert_reads(here, ROOT "/t/a", weir_slice_text("0123456789"));
    here->cluster->fault = away;
    assert_ok(weir_fs_read_all(here->fs, ROOT "/t/a", &whole, &err), &err);
    assert_int_equal(here->cluster->fault.times, 0);
    here->cluster->fault = (webhdfs_fault){.operation = "OPEN", .at_data_node = true, .times = 100,
                                           .kind = WEBHDFS_REFUSES, .status = 403, .exception = "IOException",
                                           .message = "the block is lost"};
    weir_buffer_clear(&whole);
    assert_int_equal(weir_fs_read_all(here->fs, ROOT "/t/a", &whole, &err), WEIR_IO); /* not for long */
    assert_int_equal(here->cluster->fault.times, 95);
    here->cluster->fault = (webhdfs_fault){0};
    weir_buffer_free(&whole);
}

static void a_file_that_became_shorter_is_noticed(void **state)
{
    place *here = *state;
    store(here, "/t/a", weir_slice_text("0123456789"));
    weir_file *file;
    weir_error err;
    assert_ok(weir_fs_open_file(here->fs, ROOT "/t/a", &file, &err), &err);
    store(here, "/t/a", weir_slice_text("01234"));
    char data[10];
    assert_int_equal(weir_file_read_at(file, 0, data, 10, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, ROOT "/t/a: the file ends at 5"));
    weir_file_close(file);
}

static void old_name_nodes_are_understood(void **state)
{
    place *here = *state;
    here->cluster->is_old = true;
    weir_buffer bytes = random_bytes((size_t)5 << 20);
    write_through(here, ROOT "/t/large", weir_buffer_slice(&bytes), 100000);
    write_through(here, ROOT "/t/small", weir_slice_text("x"), 1);
    assert_reads(here, ROOT "/t/large", weir_buffer_slice(&bytes));
    assert_stored(here, "/t/small", "x");
    weir_file_info *entries;
    size_t count;
    weir_error err;
    assert_ok(weir_fs_list(here->fs, ROOT "/t", &here->arena, &entries, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_string_equal(entries[1].name, "small");
    assert_ok(weir_fs_list(here->fs, ROOT "/missing", &here->arena, &entries, &count, &err), &err);
    assert_int_equal(count, 0);
    weir_buffer_free(&bytes);
}

#define IN_CLUSTER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_CLUSTER(requests_say_who_asks_and_escape_names),
        IN_CLUSTER(the_active_name_node_is_remembered),
        IN_CLUSTER(a_name_node_that_starts_is_waited_for),
        IN_CLUSTER(refusals_say_what_to_do),
        cmocka_unit_test(an_address_without_a_server_is_told_and_no_token),
        IN_CLUSTER(a_publish_whose_answer_was_lost_has_happened),
        IN_CLUSTER(a_publish_whose_request_was_lost_may_lose_to_another),
        IN_CLUSTER(a_refusal_after_a_lost_answer_is_no_proof_that_nothing_was_published),
        IN_CLUSTER(a_write_whose_answer_was_lost_is_done_again),
        IN_CLUSTER(a_rename_whose_answer_was_lost_has_happened),
        IN_CLUSTER(large_folders_are_listed_in_parts),
        IN_CLUSTER(large_files_are_sent_while_they_are_written),
        IN_CLUSTER(files_are_read_in_ranges_and_whole),
        IN_CLUSTER(ranges_that_lie_together_are_one_request),
        IN_CLUSTER(what_follows_is_read_in_advance),
        IN_CLUSTER(another_data_node_reads_what_one_failed_to_give),
        IN_CLUSTER(data_nodes_that_are_away_are_waited_for),
        IN_CLUSTER(a_file_that_became_shorter_is_noticed),
        IN_CLUSTER(old_name_nodes_are_understood),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
