/* The writer of a primary-key bucket: what a commit message holds, and which files stay. */
#include "lsm_fixture.h"

#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "base/pool.h"
#include "merge/sorted_run.h"

/* Level-0 files until the third one starts a compaction. */
#define OPTIONS ",'num-sorted-run.compaction-trigger':'3','num-levels':'6'"

static void what_was_written_and_what_was_compacted_are_told_apart(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message first = lsm_commit(&test, writer, "[['+I',1,'a'],['+I',2,'b']]");
    assert_string_equal(lsm_list_text(&test, &first.new_files), "0:+I[1,\"a\"] 1:+I[2,\"b\"]");
    assert_int_equal(first.new_files.files[0]->level, 0);
    assert_int_equal(first.compact_before.count + first.compact_after.count, 0);
    weir_commit_message second = lsm_commit(&test, writer, "[['-D',1,'a']]");
    assert_int_equal(second.compact_after.count, 0);
    weir_commit_message third = lsm_commit(&test, writer, "[['+I',3,'c'],['+U',2,'bb']]");
    assert_string_equal(lsm_list_text(&test, &third.new_files), "4:+U[2,\"bb\"] 3:+I[3,\"c\"]");
    assert_int_equal(third.compact_before.count, 3);
    assert_int_equal(third.compact_after.count, 1);
    assert_int_equal(third.compact_after.files[0]->level, 5);
    /* The highest level keeps no deletes. */
    assert_string_equal(lsm_list_text(&test, &third.compact_after), "4:+U[2,\"bb\"] 3:+I[3,\"c\"]");
    assert_int_equal(third.total_buckets, 1);
    lsm_message_free(&first);
    lsm_message_free(&second);
    lsm_message_free(&third);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void deletes_stay_while_something_older_lies_below(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_batch batch;
    int64_t numbers[2000] = {0};
    lsm_many_rows(&test, &batch, 0, 1, 2000);
    written_files base = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 5, &batch, numbers);
    weir_bucket_writer *writer = lsm_writer(&test, base.files, base.count);
    weir_commit_message first = lsm_commit(&test, writer, "[['-D',1,'x']]");
    weir_commit_message second = lsm_commit(&test, writer, "[['-D',2,'x']]");
    assert_int_equal(first.compact_after.count, 0);
    assert_int_equal(second.compact_after.count, 1);
    assert_int_equal(second.compact_after.files[0]->level, 4);
    assert_string_equal(lsm_list_text(&test, &second.compact_after), "1:-D[1,\"x\"] 2:-D[2,\"x\"]");
    assert_int_equal(second.compact_after.files[0]->delete_row_count, 2);
    lsm_message_free(&first);
    lsm_message_free(&second);
    writer->ops->close(writer);
    weir_batch_free(&batch);
    free(base.files);
    fixture_end(&test);
}

static void a_large_file_alone_moves_up_without_being_rewritten(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'target-file-size':'1 kb'"));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    lsm_write_many(&test, writer, 0, 1, 2000);
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    weir_commit_message message = lsm_prepare(&test, writer);
    assert_int_equal(message.new_files.count, 1);
    assert_int_equal(message.compact_before.count, 1);
    assert_int_equal(message.compact_after.count, 1);
    assert_string_equal(message.compact_after.files[0]->name, message.new_files.files[0]->name);
    assert_int_equal(message.compact_before.files[0]->level, 0);
    assert_int_equal(message.compact_after.files[0]->level, 5);
    assert_int_equal(lsm_count_files(&test), 1);
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_file_with_deletes_is_rewritten_for_the_highest_level(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    lsm_write(&test, writer, "[['+I',1,'a'],['-D',2,'b']]");
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    weir_commit_message message = lsm_prepare(&test, writer);
    assert_string_equal(lsm_list_text(&test, &message.new_files), "0:+I[1,\"a\"] 1:-D[2,\"b\"]");
    assert_string_equal(lsm_list_text(&test, &message.compact_after), "0:+I[1,\"a\"]");
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_bucket_of_deletes_alone_becomes_empty(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    lsm_write(&test, writer, "[['-D',1,'a'],['-D',2,'b']]");
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    weir_commit_message message = lsm_prepare(&test, writer);
    assert_int_equal(message.compact_before.count, 1);
    assert_int_equal(message.compact_after.count, 0);
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void files_made_and_used_up_between_two_commits_are_never_told(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    for (int i = 0; i < 3; i++) {
        lsm_write(&test, writer, "[['+U',1,'a'],['+U',2,'b']]");
        CHECK(&test, writer->ops->compact(writer, true, &test.err));
    }
    weir_commit_message message = lsm_prepare(&test, writer);
    assert_int_equal(message.new_files.count, 3);
    assert_int_equal(message.compact_before.count, 3);
    assert_int_equal(message.compact_after.count, 1);
    assert_string_equal(lsm_list_text(&test, &message.compact_after), "4:+U[1,\"a\"] 5:+U[2,\"b\"]");
    /* On disk: the three that were written and the last result. */
    assert_int_equal(lsm_count_files(&test), 4);
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_small_bucket_is_kept_compacted_where_options_ask_for_it(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(",'compaction.total-size-threshold':'1 mb'"));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message message = lsm_commit(&test, writer, "[['+I',1,'a']]");
    lsm_message_free(&message);
    message = lsm_commit(&test, writer, "[['+I',2,'b']]");
    assert_int_equal(message.compact_after.count, 1);
    assert_int_equal(message.compact_after.files[0]->level, 5);
    assert_int_equal(message.compact_after.files[0]->row_count, 2);
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void sequence_numbers_go_on_behind_the_restored_files(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_data_file *files[] = {lsm_file(&test, 5, 100, "[['+I',1,'a'],['+I',2,'b']]"),
                               lsm_file(&test, 0, 90, "[['+I',1,'older than its level, but newer by place']]")};
    weir_bucket_writer *writer = lsm_writer(&test, files, 2);
    weir_commit_message message = lsm_commit(&test, writer, "[['+U',2,'c']]");
    assert_string_equal(lsm_list_text(&test, &message.new_files), "102:+U[2,\"c\"]");
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_writer_that_is_given_up_leaves_the_restored_files_alone(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'changelog-producer':'lookup'"));
    weir_data_file *files[] = {lsm_file(&test, 5, 0, "[['+I',1,'a'],['+I',2,'b']]"),
                               lsm_file(&test, 0, 10, "[['+U',1,'c']]")};
    weir_bucket_writer *writer = lsm_writer(&test, files, 2);
    lsm_write(&test, writer, "[['+U',2,'d']]");
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    lsm_write(&test, writer, "[['+U',3,'e']]");
    assert_true(writer->ops->is_busy(writer));
    assert_true(writer->ops->memory_bytes(writer) > 0);
    writer->ops->close(writer);
    assert_int_equal(lsm_count_files(&test), 2);
    fixture_end(&test);
}

static void a_write_only_bucket_compacts_when_asked_for_all_only(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_bucket_writer *writer = NULL;
    weir_bucket_writer_options options = {
        .partition = weir_partition_none(), .total_buckets = 1, .write_only = true, .write_buffer_bytes = 1 << 20};
    CHECK(&test, weir_merge_tree_writer_create(&test.context, &options, &writer, &test.err));
    for (int i = 0; i < 6; i++) {
        weir_commit_message message = lsm_commit(&test, writer, "[['+U',1,'a']]");
        assert_int_equal(message.new_files.count, 1);
        assert_int_equal(message.compact_before.count, 0);
        lsm_message_free(&message);
    }
    CHECK(&test, writer->ops->compact(writer, false, &test.err));
    weir_commit_message nothing = lsm_prepare(&test, writer);
    assert_true(weir_commit_message_is_empty(&nothing));
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    weir_commit_message all = lsm_prepare(&test, writer);
    assert_int_equal(all.compact_before.count, 6);
    assert_int_equal(all.compact_after.count, 1);
    lsm_message_free(&all);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void an_input_changelog_holds_every_row_as_it_came(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'changelog-producer':'input'"));
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    weir_commit_message message = lsm_commit(&test, writer, "[['+I',1,'a'],['-U',1,'a'],['+U',1,'b'],['-D',2,'z']]");
    assert_string_equal(lsm_list_text(&test, &message.changelog_files),
                        "0:+I[1,\"a\"] 1:-U[1,\"a\"] 2:+U[1,\"b\"] 3:-D[2,\"z\"]");
    assert_string_equal(lsm_list_text(&test, &message.new_files), "2:+U[1,\"b\"] 3:-D[2,\"z\"]");
    lsm_message_free(&message);
    writer->ops->close(writer);
    fixture_end(&test);
}

/* One bucket's compaction is cut by key range when there are threads for it. */
static void pieces_of_a_compaction_make_one_run(void **state)
{
    (void)state;
    fixture test;
    weir_pool *pool = NULL;
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'file.compression':'none'"));
    CHECK(&test, weir_pool_create(3, "test", &pool, &test.err));
    test.context.pool = pool;
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    enum { ROWS = 120000 };
    lsm_write_many(&test, writer, 0, 2, ROWS);
    weir_commit_message first = lsm_prepare(&test, writer);
    lsm_write_many(&test, writer, 1, 2, ROWS);
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    weir_commit_message second = lsm_prepare(&test, writer);
    assert_true(second.compact_after.count > 1);
    int64_t rows = 0;
    for (size_t i = 0; i < second.compact_after.count; i++) {
        const weir_data_file *file = second.compact_after.files[i];
        rows += file->row_count;
        for (size_t j = 0; j < i; j++) {
            const weir_data_file *other = second.compact_after.files[j];
            assert_true(weir_key_compare(test.context.schema, other->max_key, file->min_key) < 0 ||
                        weir_key_compare(test.context.schema, file->max_key, other->min_key) < 0);
        }
    }
    assert_int_equal(rows, 2 * ROWS);
    lsm_message_free(&first);
    lsm_message_free(&second);
    writer->ops->close(writer);
    test.context.pool = NULL;
    weir_pool_free(pool);
    fixture_end(&test);
}

/* A pool of one thread that does nothing until it is let go. */
typedef struct held_pool {
    weir_pool *pool;
    weir_task_group group;
    sem_t let_go;
    pthread_t helper;
} held_pool;

static int be_held(void *argument, weir_error *err)
{
    held_pool *held = argument;
    (void)err;
    sem_wait(&held->let_go);
    return WEIR_OK;
}

static void hold_pool(fixture *test, held_pool *held)
{
    CHECK(test, weir_pool_create(1, "test", &held->pool, &test->err));
    weir_task_group_init(&held->group, held->pool);
    sem_init(&held->let_go, 0, 0);
    weir_task_group_run(&held->group, be_held, held);
    test->context.pool = held->pool;
}

static void *let_go_later(void *argument)
{
    held_pool *held = argument;
    usleep(100000); /* who does not wait is done by then */
    sem_post(&held->let_go);
    return NULL;
}

static void free_pool(fixture *test, held_pool *held)
{
    CHECK(test, weir_task_group_wait(&held->group, &test->err));
    weir_task_group_free(&held->group);
    weir_pool_free(held->pool);
    sem_destroy(&held->let_go);
    test->context.pool = NULL;
}

static void with_too_many_runs_a_flush_waits_for_the_compaction(void **state)
{
    (void)state;
    fixture test;
    held_pool held;
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'num-sorted-run.stop-trigger':'4'"));
    hold_pool(&test, &held);
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    for (int i = 0; i < 5; i++) {
        lsm_write(&test, writer, "[['+I',1,'a']]");
        CHECK(&test, writer->ops->flush(writer, &test.err));
    }
    assert_int_equal(lsm_count_files(&test), 5); /* a compaction has been due since the third */
    pthread_create(&held.helper, NULL, let_go_later, &held);
    lsm_write(&test, writer, "[['+I',1,'a']]");
    CHECK(&test, writer->ops->flush(writer, &test.err));
    assert_true(lsm_count_files(&test) > 6);
    pthread_join(held.helper, NULL);
    writer->ops->close(writer);
    free_pool(&test, &held);
    fixture_end(&test);
}

static void a_commit_waits_for_the_lookup_changelog_of_its_last_rows(void **state)
{
    (void)state;
    fixture test;
    held_pool held;
    weir_commit_message message = {0};
    fixture_start(&test, LSM_SCHEMA(OPTIONS ",'changelog-producer':'lookup'"));
    hold_pool(&test, &held);
    weir_bucket_writer *writer = lsm_writer(&test, NULL, 0);
    lsm_write(&test, writer, "[['+I',1,'a']]");
    CHECK(&test, writer->ops->flush(writer, &test.err)); /* its compaction knows the first row only */
    lsm_write(&test, writer, "[['+I',2,'b']]");
    pthread_create(&held.helper, NULL, let_go_later, &held);
    CHECK(&test, writer->ops->prepare_commit(writer, false, &test.arena, &message, &test.err));
    assert_string_equal(lsm_list_text(&test, &message.compact_changelog_files), "0:+I[1,\"a\"] 1:+I[2,\"b\"]");
    pthread_join(held.helper, NULL);
    lsm_message_free(&message);
    writer->ops->close(writer);
    free_pool(&test, &held);
    fixture_end(&test);
}

static void a_compaction_that_fails_is_told_by_the_commit_and_leaves_no_file(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(OPTIONS));
    weir_data_file *files[] = {lsm_file(&test, 5, 0, "[['+I',1,'a']]"), lsm_file(&test, 0, 10, "[['+U',1,'c']]")};
    const char *path = weir_data_file_path(&test.arena, fixture_bucket_path(&test), files[0]);
    CHECK(&test, weir_fs_remove(test.fs, path, &test.err));
    weir_bucket_writer *writer = lsm_writer(&test, files, 2);
    weir_commit_message message = {0};
    CHECK(&test, writer->ops->compact(writer, true, &test.err));
    assert_int_equal(writer->ops->prepare_commit(writer, true, &test.arena, &message, &test.err), WEIR_NOT_FOUND);
    assert_non_null(strstr(test.err.message, "compacting"));
    lsm_message_free(&message);
    writer->ops->close(writer);
    assert_int_equal(lsm_count_files(&test), 1);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_and_what_was_compacted_are_told_apart),
        cmocka_unit_test(deletes_stay_while_something_older_lies_below),
        cmocka_unit_test(a_large_file_alone_moves_up_without_being_rewritten),
        cmocka_unit_test(a_file_with_deletes_is_rewritten_for_the_highest_level),
        cmocka_unit_test(a_bucket_of_deletes_alone_becomes_empty),
        cmocka_unit_test(files_made_and_used_up_between_two_commits_are_never_told),
        cmocka_unit_test(a_small_bucket_is_kept_compacted_where_options_ask_for_it),
        cmocka_unit_test(sequence_numbers_go_on_behind_the_restored_files),
        cmocka_unit_test(a_writer_that_is_given_up_leaves_the_restored_files_alone),
        cmocka_unit_test(a_write_only_bucket_compacts_when_asked_for_all_only),
        cmocka_unit_test(an_input_changelog_holds_every_row_as_it_came),
        cmocka_unit_test(pieces_of_a_compaction_make_one_run),
        cmocka_unit_test(with_too_many_runs_a_flush_waits_for_the_compaction),
        cmocka_unit_test(a_commit_waits_for_the_lookup_changelog_of_its_last_rows),
        cmocka_unit_test(a_compaction_that_fails_is_told_by_the_commit_and_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
