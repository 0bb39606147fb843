/* The file system of S3 over a bucket in memory: what it asks for, and what it makes of faults. */
#include "base/pool.h"
#include "support/fake_s3.h"

typedef struct place {
    fake_s3 *s3;
    weir_fs *fs;
    weir_arena arena;
    weir_error err;
} place;

static int set_up(void **state)
{
    place *here = weir_alloc_zeroed(1, sizeof *here);
    here->s3 = fake_s3_start();
    here->fs = fake_s3_open(here->s3);
    weir_arena_init(&here->arena);
    *state = here;
    return 0;
}

static int tear_down(void **state)
{
    place *here = *state;
    weir_fs_close(here->fs);
    fake_s3_stop(here->s3);
    weir_arena_free(&here->arena);
    free(here);
    return 0;
}

static const char *at(place *here, const char *name) { return weir_arena_format(&here->arena, "s3://bucket/%s", name); }

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != WEIR_OK) {                                                                                       \
            fail_msg("%s", here->err.message);                                                                         \
        }                                                                                                              \
    } while (0)

static void write_bytes(place *here, const char *name, const void *data, size_t size)
{
    weir_output *output;
    OK(weir_fs_create(here->fs, at(here, name), &output, &here->err));
    OK(weir_output_write(output, data, size, &here->err));
    OK(weir_output_finish(output, true, &here->err));
}

static void write_file(place *here, const char *name, const char *text) { write_bytes(here, name, text, strlen(text)); }

static void assert_holds(place *here, const char *name, const char *text)
{
    weir_buffer bytes = {0};
    OK(weir_fs_read_all(here->fs, at(here, name), &bytes, &here->err));
    assert_string_equal(weir_buffer_text(&bytes), text);
    weir_buffer_free(&bytes);
}

static void assert_lists(place *here, const char *name, const char *expected)
{
    weir_file_info *entries;
    size_t count;
    weir_buffer names = {0};
    OK(weir_fs_list(here->fs, at(here, name), &here->arena, &entries, &count, &here->err));
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&names, "%s%s ", entries[i].name, entries[i].is_directory ? "/" : "");
    }
    assert_string_equal(weir_buffer_text(&names), expected);
    weir_buffer_free(&names);
}

static uint8_t byte_at(uint64_t offset) { return (uint8_t)(offset * 31 + (offset >> 8) * 7 + (offset >> 16) * 3); }

static uint8_t *pattern(size_t size)
{
    uint8_t *bytes = weir_alloc(size);
    for (size_t i = 0; i < size; i++) {
        bytes[i] = byte_at(i);
    }
    return bytes;
}

/* ---- files ---- */

static void a_small_file_is_one_request(void **state)
{
    place *here = *state;
    write_file(here, "t/bucket-0/data a+b.parquet", "hello");
    assert_int_equal(here->s3->requests, 1);
    assert_holds(here, "t/bucket-0/data a+b.parquet", "hello");
    assert_int_equal(here->s3->requests, 2);
    assert_memory_equal(here->s3->last_authorization, "AWS4-HMAC-SHA256 Credential=somebody/", 37);
    write_file(here, "empty", "");
    assert_holds(here, "empty", "");
}

static void files_and_folders_are_told_apart(void **state)
{
    place *here = *state;
    weir_file_info info;
    bool exists;
    weir_file *file;
    write_file(here, "t/a/b", "hello");
    OK(weir_fs_stat(here->fs, at(here, "t/a/b"), &info, &here->err));
    assert_false(info.is_directory);
    assert_int_equal(info.size_bytes, 5);
    assert_int_equal(info.modified_ms, 1767323045000);
    OK(weir_fs_stat(here->fs, at(here, "t/a"), &info, &here->err));
    assert_true(info.is_directory);
    OK(weir_fs_stat(here->fs, "s3://bucket", &info, &here->err));
    assert_true(info.is_directory);
    assert_int_equal(weir_fs_stat(here->fs, at(here, "t/x"), &info, &here->err), WEIR_NOT_FOUND);
    assert_string_equal(here->err.message, "s3://bucket/t/x: there is no such file");
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "t/a"), &file, &here->err), WEIR_INVALID);
    assert_int_equal(weir_fs_open_file(here->fs, at(here, "t/x"), &file, &here->err), WEIR_NOT_FOUND);
    int heads = here->s3->heads;
    int lists = here->s3->lists;
    OK(weir_fs_file_exists(here->fs, at(here, "t/x"), &exists, &here->err));
    assert_false(exists);
    assert_int_equal(here->s3->heads - heads, 1);
    assert_int_equal(here->s3->lists - lists, 0);
}

static void a_large_file_goes_in_parts(void **state)
{
    place *here = *state;
    size_t size = ((size_t)50 << 20) + 12345;
    uint8_t *bytes = pattern(size);
    weir_output *output;
    OK(weir_fs_create(here->fs, at(here, "large"), &output, &here->err));
    for (size_t done = 0; done < size;) {
        size_t piece = done % 3 == 0 ? 1 << 20 : 12345678;
        piece = piece < size - done ? piece : size - done;
        OK(weir_output_write(output, bytes + done, piece, &here->err));
        done += piece;
    }
    OK(weir_output_finish(output, true, &here->err));
    assert_int_equal(here->s3->puts, 7);
    assert_int_equal(here->s3->posts, 2);
    weir_buffer back = {0};
    OK(weir_fs_read_all(here->fs, at(here, "large"), &back, &here->err));
    assert_int_equal(back.size, size);
    assert_memory_equal(back.data, bytes, size);
    assert_int_equal(here->s3->gets, 1 + 6);
    weir_buffer_free(&back);
    free(bytes);
}

static void an_abandoned_file_leaves_nothing(void **state)
{
    place *here = *state;
    size_t size = (size_t)20 << 20;
    uint8_t *bytes = pattern(size);
    weir_output *output;
    OK(weir_fs_create(here->fs, at(here, "large"), &output, &here->err));
    OK(weir_output_write(output, bytes, size, &here->err));
    weir_output_abandon(output);
    assert_int_equal(here->s3->count, 0);
    OK(weir_fs_create(here->fs, at(here, "small"), &output, &here->err));
    OK(weir_output_write(output, bytes, 100, &here->err));
    weir_output_abandon(output);
    assert_int_equal(here->s3->count, 0);
    free(bytes);
}

static void a_completion_whose_answer_is_lost_is_recognized(void **state)
{
    place *here = *state;
    size_t size = (size_t)9 << 20;
    uint8_t *bytes = pattern(size);
    weir_output *output;
    OK(weir_fs_create(here->fs, at(here, "large"), &output, &here->err));
    OK(weir_output_write(output, bytes, size, &here->err));
    here->s3->lost = 2; /* of the last part, and of the completion */
    OK(weir_output_finish(output, true, &here->err));
    assert_int_equal(here->s3->lost, 0);
    assert_int_equal(here->s3->count, 1);
    free(bytes);
}

static void ranges_that_lie_close_become_one_request(void **state)
{
    place *here = *state;
    size_t size = (size_t)30 << 20;
    uint8_t *bytes = pattern(size);
    uint8_t *space = weir_alloc(size);
    weir_file *file;
    write_bytes(here, "f", bytes, size);
    OK(weir_fs_open_sized_file(here->fs, at(here, "f"), size, &file, &here->err));
    int before = here->s3->requests;
    weir_read_range near[] = {
        {1000, 5000, space}, {100000, 10, space + 5000}, {0, 10, space + 5010}, {5990, 20, space + 5020}, {7, 0, space}};
    OK(weir_file_read_many(file, near, 5, &here->err));
    assert_int_equal(here->s3->requests - before, 1);
    assert_string_equal(here->s3->last_range, "bytes=0-100009");
    for (size_t i = 0; i < 5; i++) {
        assert_memory_equal(near[i].data, bytes + near[i].offset, near[i].size);
    }
    before = here->s3->requests;
    weir_read_range far[] = {{20 << 20, 9 << 20, space}, {1, 2, space + (9 << 20)}, {(19 << 20) - 5, 7, space + (10 << 20)}};
    OK(weir_file_read_many(file, far, 3, &here->err));
    assert_int_equal(here->s3->requests - before, 4);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(far[i].data, bytes + far[i].offset, far[i].size);
    }
    assert_int_equal(weir_file_read_at(file, size - 1, space, 2, &here->err), WEIR_CORRUPT);
    weir_file_close(file);
    OK(weir_fs_open_sized_file(here->fs, at(here, "f"), size + 10, &file, &here->err));
    assert_int_equal(weir_file_read_at(file, size - 1, space, 2, &here->err), WEIR_CORRUPT);
    assert_int_equal(weir_file_read_at(file, size, space, 2, &here->err), WEIR_CORRUPT);
    weir_file_close(file);
    free(space);
    free(bytes);
}

/* Reads a part of the file in pieces, and checks them. */
typedef struct part_reader {
    uint64_t at, end;
    size_t piece;
} part_reader;

static bool read_piece(weir_file *file, part_reader *part, const uint8_t *bytes)
{
    uint8_t data[100000];
    weir_error err;
    size_t size = part->end - part->at < part->piece ? (size_t)(part->end - part->at) : part->piece;
    if (size == 0) {
        return false;
    }
    if (weir_file_read_at(file, part->at, data, size, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    assert_memory_equal(data, bytes + part->at, size);
    part->at += size;
    return true;
}

static void parts_that_are_read_in_order_are_fetched_ahead(void **state)
{
    place *here = *state;
    size_t size = (size_t)12 << 20;
    uint8_t *bytes = pattern(size);
    part_reader parts[] = {{0, 1 << 20, 10000}, {1 << 20, 9 << 20, 81234}, {9 << 20, (9 << 20) + 50000, 7}};
    weir_file *file;
    write_bytes(here, "f", bytes, size);
    OK(weir_fs_open_sized_file(here->fs, at(here, "f"), size, &file, &here->err));
    for (size_t i = 0; i < 3; i++) {
        weir_file_expect(file, parts[i].at, parts[i].end - parts[i].at);
    }
    int before = here->s3->gets;
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (size_t i = 0; i < 3; i++) {
            goes_on |= read_piece(file, &parts[i], bytes);
        }
    }
    assert_in_range(here->s3->gets - before, 9, 24);
    weir_file_close(file);
    free(bytes);
}

static void what_is_read_here_and_there_is_fetched_alone(void **state)
{
    place *here = *state;
    size_t size = (size_t)4 << 20;
    uint8_t *bytes = pattern(size);
    weir_file *file;
    write_bytes(here, "f", bytes, size);
    OK(weir_fs_open_sized_file(here->fs, at(here, "f"), size, &file, &here->err));
    for (uint64_t i = 0; i < 300; i++) {
        part_reader part = {i * 7919 * 131 % (size - 5000), size, 5000};
        assert_true(read_piece(file, &part, bytes));
    }
    assert_in_range(here->s3->gets, 280, 300); /* a few happen to follow others */
    here->s3->fault = (test_answer){.status = 403};
    here->s3->broken = 1;
    uint8_t data[10];
    assert_int_equal(weir_file_read_at(file, 3, data, 10, &here->err), WEIR_DENIED);
    OK(weir_file_read_at(file, 3, data, 10, &here->err));
    weir_file_close(file);
    free(bytes);
}

static void faults_in_passing_do_not_show(void **state)
{
    place *here = *state;
    static const test_answer faults[] = {
        {.status = 503}, {.status = 500}, {.status = 429}, {.resets = true}, {.status = 200, .cut_after = 2}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char name[16];
        snprintf(name, sizeof name, "t/f%zu", i);
        here->s3->fault = faults[i];
        here->s3->broken = 1;
        write_file(here, name, "hello");
        here->s3->broken = 1;
        assert_holds(here, name, "hello");
        here->s3->broken = 1;
        assert_int_equal(weir_fs_publish(here->fs, at(here, weir_arena_format(&here->arena, "t/s%zu", i)),
                                         weir_slice_text("x"), &here->err),
                         WEIR_OK);
    }
    here->s3->broken = 1;
    assert_lists(here, "t", "f0 f1 f2 f3 f4 s0 s1 s2 s3 s4 ");
}

/* ---- publishing ---- */

static void publishing_happens_once(void **state)
{
    place *here = *state;
    const char *path = at(here, "t/snapshot/snapshot-1");
    OK(weir_fs_publish(here->fs, path, weir_slice_text("mine"), &here->err));
    assert_int_equal(here->s3->requests, 4); /* the probe takes three, once */
    assert_int_equal(weir_fs_publish(here->fs, path, weir_slice_text("theirs"), &here->err), WEIR_EXISTS);
    assert_int_equal(weir_fs_publish(here->fs, path, weir_slice_text("mine"), &here->err), WEIR_EXISTS);
    assert_int_equal(here->s3->requests, 6);
    assert_holds(here, "t/snapshot/snapshot-1", "mine");
    assert_lists(here, "t/snapshot", "snapshot-1 ");
}

static void an_own_publication_is_known_when_its_answer_was_lost(void **state)
{
    place *here = *state;
    OK(weir_fs_publish(here->fs, at(here, "s/1"), weir_slice_text("x"), &here->err));
    here->s3->lost = 1;
    OK(weir_fs_publish(here->fs, at(here, "s/2"), weir_slice_text("mine"), &here->err));
    assert_holds(here, "s/2", "mine");
    here->s3->lost = 1;
    assert_int_equal(weir_fs_publish(here->fs, at(here, "s/2"), weir_slice_text("theirs"), &here->err), WEIR_EXISTS);
    assert_holds(here, "s/2", "mine");
}

/* Who is told WEIR_DENIED would remove the files of a snapshot that stands. */
static void a_refusal_after_a_lost_answer_is_no_proof_that_nothing_was_published(void **state)
{
    place *here = *state;
    OK(weir_fs_publish(here->fs, at(here, "s/1"), weir_slice_text("x"), &here->err));
    here->s3->fault = (test_answer){.status = 403};
    here->s3->lost = 1;
    here->s3->broken_after_lost = 1;
    assert_int_equal(weir_fs_publish(here->fs, at(here, "s/2"), weir_slice_text("mine"), &here->err), WEIR_IO);
    assert_holds(here, "s/2", "mine");
    here->s3->broken = 1;
    assert_int_equal(weir_fs_publish(here->fs, at(here, "s/3"), weir_slice_text("mine"), &here->err), WEIR_DENIED);
}

typedef struct publisher {
    place *here;
    int number;
    int won;
    weir_error err;
} publisher;

static int publish_many(void *argument, weir_error *err)
{
    publisher *self = argument;
    for (int i = 0; i < 20; i++) {
        char path[64];
        char text[32];
        snprintf(path, sizeof path, "s3://bucket/s/%d", i);
        snprintf(text, sizeof text, "%d", self->number);
        int code = weir_fs_publish(self->here->fs, path, weir_slice_text(text), err);
        self->won += code == WEIR_OK;
        if (code != WEIR_OK && code != WEIR_EXISTS) {
            return code;
        }
    }
    return WEIR_OK;
}

static void of_many_publishers_one_wins_also_when_answers_are_lost(void **state)
{
    place *here = *state;
    weir_pool *pool;
    weir_task_group group;
    publisher publishers[4];
    here->s3->lose_every = 5;
    assert_int_equal(weir_pool_create(4, "publish", &pool, NULL), WEIR_OK);
    weir_task_group_init(&group, pool);
    for (int i = 0; i < 4; i++) {
        publishers[i] = (publisher){.here = here, .number = i};
        weir_task_group_run(&group, publish_many, &publishers[i]);
    }
    OK(weir_task_group_wait(&group, &here->err));
    weir_task_group_free(&group);
    weir_pool_free(pool);
    assert_int_equal(publishers[0].won + publishers[1].won + publishers[2].won + publishers[3].won, 20);
    int wins[4] = {0};
    for (int i = 0; i < 20; i++) {
        weir_buffer text = {0};
        OK(weir_fs_read_all(here->fs, at(here, weir_arena_format(&here->arena, "s/%d", i)), &text, &here->err));
        wins[atoi(weir_buffer_text(&text))]++;
        weir_buffer_free(&text);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(wins[i], publishers[i].won);
    }
}

static void a_store_without_conditions_is_not_written_to(void **state)
{
    place *here = *state;
    here->s3->ignores_conditions = true;
    assert_int_equal(weir_fs_publish(here->fs, at(here, "s/1"), weir_slice_text("x"), &here->err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(here->err.message, "'s3.conditional-writes' = 'single-writer'"));
    assert_int_equal(here->s3->count, 0);
}

static void a_store_that_refuses_the_condition_is_told_from_one_that_refuses_the_request(void **state)
{
    place *here = *state;
    static const struct {
        int status;
        const char *name;
        weir_code code;
        const char *part;
    } cases[] = {
        {501, "", WEIR_UNSUPPORTED, "does not honour If-None-Match"},
        {501, "NotImplemented", WEIR_UNSUPPORTED, "does not honour If-None-Match"},
        {400, "InvalidArgument", WEIR_UNSUPPORTED, "does not honour If-None-Match"},
        {400, "ExpiredToken", WEIR_DENIED, "answers 400 ExpiredToken (so it is)"},
        {400, "AuthorizationHeaderMalformed", WEIR_DENIED, "check 's3.region'"},
        {400, "InvalidBucketName", WEIR_IO, "answers 400 InvalidBucketName (so it is)"},
        {403, "AccessDenied", WEIR_DENIED, "answers 403 AccessDenied (so it is)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_fs *fs;
        const char *path;
        const char *keys[] = {"s3.endpoint", "s3.access-key", "s3.secret-key", "s3.region"};
        const char *values[] = {weir_arena_format(&here->arena, "http://127.0.0.1:%d", here->s3->server->port), "somebody",
                                "geheim", weir_arena_format(&here->arena, "region-%zu", i)};
        weir_fs_settings settings = {keys, values, 4};
        OK(weir_fs_open("s3://bucket/s", &settings, &here->arena, &fs, &path, &here->err)); /* one that has not probed */
        here->s3->fault = (test_answer){.status = cases[i].status};
        here->s3->fault_code = cases[i].name;
        here->s3->broken = 1;
        assert_int_equal(weir_fs_publish(fs, "s3://bucket/s/1", weir_slice_text("x"), &here->err), cases[i].code);
        if (strstr(here->err.message, cases[i].part) == NULL) {
            fail_msg("'%s' is not in: %s", cases[i].part, here->err.message);
        }
        assert_int_equal(here->s3->count, 0);
        weir_fs_close(fs);
    }
}

static void a_single_writer_needs_no_conditions(void **state)
{
    place *here = *state;
    char endpoint[64];
    weir_fs *fs;
    const char *path;
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", here->s3->server->port);
    const char *keys[] = {"fs.s3a.endpoint", "fs.s3a.access.key", "fs.s3a.secret.key", "s3.conditional-writes"};
    const char *values[] = {endpoint, "somebody", "geheim", "single-writer"};
    weir_fs_settings settings = {keys, values, 4};
    here->s3->ignores_conditions = true;
    OK(weir_fs_open("s3a://bucket/s", &settings, &here->arena, &fs, &path, &here->err));
    OK(weir_fs_publish(fs, "s3a://bucket/s/1", weir_slice_text("x"), &here->err));
    assert_int_equal(weir_fs_publish(fs, "s3a://bucket/s/1", weir_slice_text("y"), &here->err), WEIR_EXISTS);
    weir_fs_close(fs);
    assert_holds(here, "s/1", "x");
}

static void replacing_is_one_request(void **state)
{
    place *here = *state;
    OK(weir_fs_replace(here->fs, at(here, "s/LATEST"), weir_slice_text("1"), &here->err));
    OK(weir_fs_replace(here->fs, at(here, "s/LATEST"), weir_slice_text("22"), &here->err));
    assert_int_equal(here->s3->requests, 2);
    assert_holds(here, "s/LATEST", "22");
}

/* ---- folders ---- */

static void a_folder_lists_its_entries_over_many_pages(void **state)
{
    place *here = *state;
    static const char *const names[] = {"t/b", "t/a-10", "t/a-9", "t/B", "t/d/x", "t/d/y", "t/e/z", "t/\xc3\xa9 &<+", "u"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        write_file(here, names[i], "x");
    }
    for (int page = 1; page < 10; page++) {
        here->s3->page = page;
        assert_lists(here, "t", "B a-10 a-9 b d/ e/ \xc3\xa9 &<+ ");
    }
    assert_lists(here, "no/such", "");
    assert_lists(here, "", "t/ u ");
}

static void names_may_have_any_characters(void **state)
{
    place *here = *state;
    static const char *const names[] = {"a b",    "a+b",  "a%20b", "50%",       "a&b<c>d", "it's \"so\"", "\xc3\xa9\xe6\x97\xa5",
                                        "x=y;z,w", "a?b#c", "~a@b:c!$*()", "2024-01-01 00:00:00", "a\\b"};
    enum { COUNT = sizeof names / sizeof *names };
    const char *paths[COUNT];
    for (int encodes = 0; encodes < 2; encodes++) {
        here->s3->encodes_keys = encodes;
        for (size_t i = 0; i < COUNT; i++) {
            const char *name = weir_arena_format(&here->arena, "t/dt=%s/%s", names[i], names[i]);
            weir_file_info *entries;
            size_t count;
            paths[i] = at(here, name);
            write_file(here, name, names[i]);
            assert_holds(here, name, names[i]);
            OK(weir_fs_list(here->fs, at(here, weir_arena_format(&here->arena, "t/dt=%s", names[i])), &here->arena, &entries,
                            &count, &here->err));
            assert_int_equal(count, 1);
            assert_string_equal(entries[0].name, names[i]);
        }
        OK(weir_fs_rename(here->fs, at(here, "t"), at(here, "u +"), &here->err));
        OK(weir_fs_copy(here->fs, at(here, "u +"), at(here, "t"), &here->err));
        OK(weir_fs_remove_many(here->fs, paths, COUNT, &here->err));
        assert_lists(here, "t", "");
        OK(weir_fs_remove_recursively(here->fs, at(here, "u +"), &here->err));
        assert_int_equal(here->s3->count, 0);
    }
}

static void listings_of_strange_servers_end(void **state)
{
    place *here = *state;
    weir_file_info *entries;
    size_t count;
    fake_put(here->s3, "t//x", weir_slice_text("x"), false); /* paths have no such name */
    fake_put(here->s3, "t/a", weir_slice_text("x"), false);
    assert_lists(here, "t", "a ");
    here->s3->repeats_token = true;
    assert_int_equal(weir_fs_list(here->fs, at(here, "t"), &here->arena, &entries, &count, &here->err), WEIR_CORRUPT);
    assert_non_null(strstr(here->err.message, "there is more to list, but not where"));
}

static void errors_behind_a_success_are_asked_about_again(void **state)
{
    place *here = *state;
    size_t size = (size_t)9 << 20;
    uint8_t *bytes = pattern(size);
    weir_output *output;
    OK(weir_fs_create(here->fs, at(here, "large"), &output, &here->err));
    OK(weir_output_write(output, bytes, size, &here->err));
    here->s3->late_errors = 1; /* after it was done: it is not there again */
    OK(weir_output_finish(output, true, &here->err));
    assert_int_equal(here->s3->late_errors, 0);
    write_file(here, "a", "x");
    here->s3->late_errors = 2;
    OK(weir_fs_rename(here->fs, at(here, "a"), at(here, "b"), &here->err));
    assert_int_equal(here->s3->late_errors, 0);
    assert_holds(here, "b", "x");
    free(bytes);
}

static void a_clock_that_is_wrong_is_told(void **state)
{
    place *here = *state;
    weir_file_info info;
    here->s3->clock_ahead_ms = 20 * 60000 + 5000;
    assert_int_equal(weir_fs_stat(here->fs, at(here, "a"), &info, &here->err), WEIR_DENIED);
    assert_non_null(strstr(here->err.message, "this machine's clock is 20 minutes behind the server's"));
    here->s3->clock_ahead_ms = -3600000;
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(here->fs, at(here, "a"), &bytes, &here->err), WEIR_DENIED);
    assert_non_null(strstr(here->err.message, "this machine's clock is 60 minutes ahead of the server's"));
}

static void a_part_of_another_place_is_not_taken(void **state)
{
    place *here = *state;
    weir_file *file;
    weir_buffer bytes = {0};
    uint8_t data[4];
    write_file(here, "f", "0123456789");
    here->s3->lies_about_ranges = true;
    OK(weir_fs_open_sized_file(here->fs, at(here, "f"), 10, &file, &here->err));
    assert_int_equal(weir_file_read_at(file, 3, data, 4, &here->err), WEIR_IO);
    assert_non_null(strstr(here->err.message, "bytes at 3 were asked for, those at 4 came"));
    weir_file_close(file);
    assert_int_equal(weir_fs_read_all(here->fs, at(here, "f"), &bytes, &here->err), WEIR_IO);
    weir_buffer_free(&bytes);
}

static void a_bucket_elsewhere_is_told_with_its_region(void **state)
{
    place *here = *state;
    weir_file_info info;
    here->s3->fault = (test_answer){.status = 301};
    weir_buffer_append_text(&here->s3->fault.headers, "x-amz-bucket-region: eu-north-1\r\n");
    here->s3->broken = 1;
    assert_int_equal(weir_fs_stat(here->fs, at(here, "a"), &info, &here->err), WEIR_INVALID);
    assert_non_null(strstr(here->err.message, "set 's3.region' or 's3.endpoint' to the bucket's; the bucket is in region eu-north-1"));
}

static void an_empty_folder_is_there(void **state)
{
    place *here = *state;
    bool exists;
    OK(weir_fs_make_directories(here->fs, at(here, "wh/shop.db"), &here->err));
    OK(weir_fs_make_directories(here->fs, at(here, "wh/shop.db"), &here->err));
    assert_lists(here, "wh", "shop.db/ ");
    assert_lists(here, "wh/shop.db", "");
    OK(weir_fs_exists(here->fs, at(here, "wh/shop.db"), &exists, &here->err));
    assert_true(exists);
    OK(weir_fs_remove_recursively(here->fs, at(here, "wh/shop.db"), &here->err));
    OK(weir_fs_exists(here->fs, at(here, "wh/shop.db"), &exists, &here->err));
    assert_false(exists);
    write_file(here, "file", "x");
    assert_int_equal(weir_fs_make_directories(here->fs, at(here, "file"), &here->err), WEIR_EXISTS);
}

static void removing_goes_in_batches(void **state)
{
    place *here = *state;
    const char *paths[3000];
    for (int i = 0; i < 2500; i++) {
        fake_put(here->s3, weir_arena_format(&here->arena, "t/p=%d/f", i / 100), weir_slice_text("x"), false);
        fake_put(here->s3, weir_arena_format(&here->arena, "t/p=%d/f%d", i / 100, i), weir_slice_text("x"), false);
    }
    write_file(here, "t2", "keep");
    int before = here->s3->requests;
    OK(weir_fs_remove_recursively(here->fs, at(here, "t"), &here->err));
    assert_int_equal(here->s3->requests - before, 6);
    assert_int_equal(here->s3->count, 1);
    OK(weir_fs_remove_recursively(here->fs, at(here, "t"), &here->err));
    OK(weir_fs_remove_recursively(here->fs, at(here, "t2"), &here->err));
    assert_int_equal(here->s3->count, 0);
    for (int i = 0; i < 1500; i++) {
        paths[i] = at(here, weir_arena_format(&here->arena, "u/%d", i));
        fake_put(here->s3, weir_arena_format(&here->arena, "u/%d", i), weir_slice_text("x"), false);
    }
    before = here->s3->requests;
    OK(weir_fs_remove_many(here->fs, paths, 1400, &here->err));
    assert_int_equal(here->s3->requests - before, 2);
    assert_int_equal(here->s3->count, 100);
    OK(weir_fs_remove(here->fs, paths[1450], &here->err));
    OK(weir_fs_remove(here->fs, paths[1450], &here->err));
    assert_int_equal(here->s3->count, 99);
}

static void keys_that_are_refused_are_told_when_all_others_are_gone(void **state)
{
    place *here = *state;
    const char *paths[2500];
    for (int i = 0; i < 2500; i++) {
        const char *name = weir_arena_format(&here->arena, "u/%s%d", i % 1000 == 7 ? "held-" : "", i);
        paths[i] = at(here, name);
        fake_put(here->s3, name, weir_slice_text("x"), false);
    }
    here->s3->refused_keys = "u/held-";
    here->s3->refused_code = "AccessDenied";
    here->s3->refusals = 1000;
    assert_int_equal(weir_fs_remove_many(here->fs, paths, 2500, &here->err), WEIR_DENIED);
    assert_non_null(strstr(here->err.message, "3 of 2500 files were not removed; of 'u/held-7'"));
    assert_non_null(strstr(here->err.message, "says AccessDenied: so it is"));
    assert_int_equal(here->s3->count, 3);
    here->s3->refused_code = "SlowDown";
    here->s3->refusals = 5; /* all three, and two of them again */
    OK(weir_fs_remove_many(here->fs, paths, 2500, &here->err));
    assert_int_equal(here->s3->count, 0);
}

static void a_key_that_is_refused_without_its_name_is_not_tried_again(void **state)
{
    place *here = *state;
    const char *paths[] = {at(here, "u/held-1"), at(here, "u/2")};
    write_file(here, "u/held-1", "x");
    write_file(here, "u/2", "x");
    here->s3->refused_keys = "u/held-";
    here->s3->refused_code = "SlowDown";
    here->s3->refuses_namelessly = true;
    here->s3->refusals = 1000;
    assert_int_equal(weir_fs_remove_many(here->fs, paths, 2, &here->err), WEIR_IO);
    assert_non_null(strstr(here->err.message, "1 of 2 files were not removed; of '?'"));
    assert_int_equal(here->s3->count, 1);
}

static void a_store_that_cannot_remove_many_removes_each(void **state)
{
    place *here = *state;
    write_file(here, "t/a", "x");
    write_file(here, "t/b", "x");
    here->s3->lacks_delete_many = true;
    OK(weir_fs_remove_recursively(here->fs, at(here, "t"), &here->err));
    assert_int_equal(here->s3->count, 0);
}

static void renaming_copies_and_can_be_done_again(void **state)
{
    place *here = *state;
    write_file(here, "a", "a");
    write_file(here, "b", "b");
    for (int i = 0; i < 40; i++) {
        write_file(here, weir_arena_format(&here->arena, "d/p %d/f", i), "x");
    }
    assert_int_equal(weir_fs_rename(here->fs, at(here, "a"), at(here, "b"), &here->err), WEIR_EXISTS);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "no"), at(here, "c"), &here->err), WEIR_NOT_FOUND);
    assert_int_equal(weir_fs_rename(here->fs, at(here, "d"), at(here, "d/inside"), &here->err), WEIR_INVALID);
    OK(weir_fs_rename(here->fs, at(here, "d"), at(here, "e"), &here->err));
    assert_lists(here, "", "a b e/ ");
    assert_holds(here, "e/p 7/f", "x");
    write_file(here, "c", "a"); /* as if the copy had been made, and then the machine died */
    OK(weir_fs_rename(here->fs, at(here, "a"), at(here, "c"), &here->err));
    assert_lists(here, "", "b c e/ ");
    OK(weir_fs_make_directories(here->fs, at(here, "g"), &here->err));
    assert_int_equal(weir_fs_rename(here->fs, at(here, "e"), at(here, "g"), &here->err), WEIR_EXISTS);
}

/* ---- errors ---- */

static void errors_say_what_to_do_and_no_secrets(void **state)
{
    place *here = *state;
    weir_file_info *entries;
    size_t count;
    here->s3->fault = (test_answer){.status = 403};
    here->s3->broken = 1;
    weir_buffer bytes = {0};
    assert_int_equal(weir_fs_read_all(here->fs, at(here, "a"), &bytes, &here->err), WEIR_DENIED);
    assert_non_null(strstr(here->err.message, "s3://bucket/a: 127.0.0.1:"));
    assert_non_null(strstr(here->err.message, "answers 403 SlowDown (so it is)"));
    assert_null(strstr(here->err.message, "geheim"));
    weir_fs *other;
    const char *path;
    char endpoint[64];
    snprintf(endpoint, sizeof endpoint, "http://127.0.0.1:%d", here->s3->server->port);
    const char *keys[] = {"s3.endpoint", "s3.access-key", "s3.secret-key"};
    const char *values[] = {endpoint, "somebody", "geheim"};
    weir_fs_settings settings = {keys, values, 3};
    OK(weir_fs_open("s3://other", &settings, &here->arena, &other, &path, &here->err));
    assert_int_equal(weir_fs_list(other, "s3://other/x", &here->arena, &entries, &count, &here->err), WEIR_NOT_FOUND);
    assert_non_null(strstr(here->err.message, "NoSuchBucket"));
    assert_non_null(strstr(here->err.message, "create the bucket"));
    weir_fs_close(other);
}

static void the_same_settings_share_a_file_system(void **state)
{
    place *here = *state;
    weir_fs *again = fake_s3_open(here->s3);
    assert_ptr_equal(again, here->fs);
    weir_fs_close(again);
    write_file(here, "a", "still open");
}

#define ON_S3(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_S3(a_small_file_is_one_request),
        ON_S3(files_and_folders_are_told_apart),
        ON_S3(a_large_file_goes_in_parts),
        ON_S3(an_abandoned_file_leaves_nothing),
        ON_S3(a_completion_whose_answer_is_lost_is_recognized),
        ON_S3(ranges_that_lie_close_become_one_request),
        ON_S3(parts_that_are_read_in_order_are_fetched_ahead),
        ON_S3(what_is_read_here_and_there_is_fetched_alone),
        ON_S3(faults_in_passing_do_not_show),
        ON_S3(publishing_happens_once),
        ON_S3(an_own_publication_is_known_when_its_answer_was_lost),
        ON_S3(a_refusal_after_a_lost_answer_is_no_proof_that_nothing_was_published),
        ON_S3(of_many_publishers_one_wins_also_when_answers_are_lost),
        ON_S3(a_store_without_conditions_is_not_written_to),
        ON_S3(a_store_that_refuses_the_condition_is_told_from_one_that_refuses_the_request),
        ON_S3(a_single_writer_needs_no_conditions),
        ON_S3(replacing_is_one_request),
        ON_S3(a_folder_lists_its_entries_over_many_pages),
        ON_S3(names_may_have_any_characters),
        ON_S3(listings_of_strange_servers_end),
        ON_S3(errors_behind_a_success_are_asked_about_again),
        ON_S3(a_clock_that_is_wrong_is_told),
        ON_S3(a_part_of_another_place_is_not_taken),
        ON_S3(a_bucket_elsewhere_is_told_with_its_region),
        ON_S3(an_empty_folder_is_there),
        ON_S3(removing_goes_in_batches),
        ON_S3(keys_that_are_refused_are_told_when_all_others_are_gone),
        ON_S3(a_key_that_is_refused_without_its_name_is_not_tried_again),
        ON_S3(a_store_that_cannot_remove_many_removes_each),
        ON_S3(renaming_copies_and_can_be_done_again),
        ON_S3(errors_say_what_to_do_and_no_secrets),
        ON_S3(the_same_settings_share_a_file_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
