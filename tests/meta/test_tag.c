/* Tags: what they hold beside their snapshot. */
#include "meta_fixture.h"

#define SNAPSHOT                                                                                                       \
    "{\"version\":3,\"id\":1,\"schemaId\":0,\"baseManifestList\":\"b\",\"deltaManifestList\":\"d\","                   \
    "\"commitUser\":\"u\",\"commitIdentifier\":1,\"commitKind\":\"APPEND\",\"timeMillis\":5,\"future\":[1,2]%s}"

static weir_fs *with_snapshot(const char *more)
{
    weir_fs *fs = weir_fs_memory();
    weir_error err = {0};
    char text[512];
    snprintf(text, sizeof text, SNAPSHOT, more);
    check_ok(weir_fs_publish(fs, "/t/snapshot/snapshot-1", weir_slice_text(text), &err), &err);
    return fs;
}

static void a_tag_keeps_every_member_of_its_snapshot(void **state)
{
    (void)state;
    weir_fs *fs = with_snapshot("");
    weir_error err = {0};
    weir_tag_lifetime none = {0}, read;
    weir_buffer text = {0};
    check_ok(weir_tag_publish(fs, "/t", "a", "/t/snapshot/snapshot-1", &none, false, &err), &err);
    check_ok(weir_fs_read_all(fs, "/t/tag/tag-a", &text, &err), &err);
    assert_non_null(strstr(weir_buffer_text(&text), "\"future\" : [ 1, 2 ]"));
    check_ok(weir_tag_read_lifetime(fs, "/t", "a", &read, &err), &err);
    assert_false(read.is_given);
    assert_int_equal(weir_tag_publish(fs, "/t", "a", "/t/snapshot/snapshot-1", &none, false, &err), WEIR_EXISTS);
    assert_int_equal(weir_tag_publish(fs, "/t", "b", "/t/snapshot/snapshot-2", &none, false, &err), WEIR_NOT_FOUND);
    weir_buffer_free(&text);
    weir_fs_close(fs);
}

static void lifetimes_are_read_as_they_were_written(void **state)
{
    static const int64_t times[][2] = {{0, 0}, {1709210096123, 86400000}, {-1, 1500}, {86400000, 90000}};
    (void)state;
    weir_fs *fs = with_snapshot("");
    weir_error err = {0};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        weir_tag_lifetime written = {.is_given = true, .created_local_ms = times[i][0], .retained_ms = times[i][1]};
        weir_tag_lifetime read;
        char name[16];
        snprintf(name, sizeof name, "t%zu", i);
        check_ok(weir_tag_publish(fs, "/t", name, "/t/snapshot/snapshot-1", &written, false, &err), &err);
        check_ok(weir_tag_read_lifetime(fs, "/t", name, &read, &err), &err);
        assert_true(read.is_given);
        assert_int_equal(read.created_local_ms, times[i][0]);
        assert_int_equal(read.retained_ms, times[i][1]);
    }
    weir_fs_close(fs);
}

static void java_leaves_out_the_zeros_at_the_end_of_a_time(void **state)
{
    (void)state;
    weir_fs *fs = with_snapshot(",\"tagCreateTime\":[2024,2,29,12,34],\"tagTimeRetained\":90.500000000");
    weir_error err = {0};
    weir_arena arena;
    weir_buffer text = {0};
    weir_tag_lifetime read;
    weir_arena_init(&arena);
    check_ok(weir_fs_read_all(fs, "/t/snapshot/snapshot-1", &text, &err), &err);
    check_ok(weir_fs_publish(fs, weir_tag_path(&arena, "/t", "a"), weir_buffer_slice(&text), &err), &err);
    check_ok(weir_tag_read_lifetime(fs, "/t", "a", &read, &err), &err);
    assert_int_equal(read.created_local_ms, 1709210040000);
    assert_int_equal(read.retained_ms, 90500);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

static void times_that_are_none_are_corrupt(void **state)
{
    static const char *const bad[] = {
        ",\"tagCreateTime\":[2024],\"tagTimeRetained\":1",
        ",\"tagCreateTime\":[2024,13,1,0,0],\"tagTimeRetained\":1",
        ",\"tagCreateTime\":[2024,1,1,0,\"x\"],\"tagTimeRetained\":1",
        ",\"tagCreateTime\":[2024,1,1,0,0,0,0,0],\"tagTimeRetained\":1",
        ",\"tagCreateTime\":[2024,1,1,0,0],\"tagTimeRetained\":1e300",
        ",\"tagCreateTime\":\"yesterday\",\"tagTimeRetained\":1",
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        weir_fs *fs = with_snapshot(bad[i]);
        weir_error err = {0};
        weir_tag_lifetime read;
        weir_buffer text = {0};
        check_ok(weir_fs_read_all(fs, "/t/snapshot/snapshot-1", &text, &err), &err);
        check_ok(weir_fs_publish(fs, "/t/tag/tag-a", weir_buffer_slice(&text), &err), &err);
        assert_int_equal(weir_tag_read_lifetime(fs, "/t", "a", &read, &err), WEIR_CORRUPT);
        weir_buffer_free(&text);
        weir_fs_close(fs);
    }
}

static void consumers_are_listed_with_what_they_need_next(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_memory();
    weir_error err = {0};
    weir_arena arena;
    weir_consumer *consumers = NULL;
    size_t count = 0;
    weir_arena_init(&arena);
    check_ok(weir_consumer_write(fs, "/t", "b", 7, &err), &err);
    check_ok(weir_consumer_write(fs, "/t", "a", 9, &err), &err);
    check_ok(weir_consumer_write(fs, "/t", "b", 8, &err), &err);
    check_ok(weir_consumer_list(fs, "/t", &arena, &consumers, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_string_equal(consumers[0].id, "a");
    assert_int_equal(consumers[1].next_snapshot, 8);
    check_ok(weir_consumer_remove(fs, "/t", "b", &err), &err);
    check_ok(weir_consumer_list(fs, "/t", &arena, &consumers, &count, &err), &err);
    assert_int_equal(count, 1);
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_keeps_every_member_of_its_snapshot),
        cmocka_unit_test(lifetimes_are_read_as_they_were_written),
        cmocka_unit_test(java_leaves_out_the_zeros_at_the_end_of_a_time),
        cmocka_unit_test(times_that_are_none_are_corrupt),
        cmocka_unit_test(consumers_are_listed_with_what_they_need_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
