/* The writer of a bucket: when it makes files. */
#include "lsm/bucket_writer.h"

#include "file_fixture.h"

static const char schema_json[] =
    "{'version': 3, 'id': 0, 'fields': [{'id': 0, 'name': 'k', 'type': 'BIGINT NOT NULL'},"
    "{'id': 1, 'name': 'v', 'type': 'STRING'}], 'highestFieldId': 1, 'partitionKeys': [], 'primaryKeys': ['k'],"
    "'options': {'bucket': '1'}, 'timeMillis': 0}";

#define BATCH_ROWS 100
#define ROW_BYTES  37 /* key 8, sequence number 8, kind 1, text 16 and its offset 4 */

static weir_bucket_writer *open_writer(fixture *test, int64_t buffer_bytes, bool write_only)
{
    weir_bucket_writer_options options = {
        .partition = weir_partition_none(),
        .total_buckets = 1,
        .write_only = write_only,
        .write_buffer_bytes = buffer_bytes,
    };
    weir_bucket_writer *writer = NULL;
    CHECK(test, weir_merge_tree_writer_create(&test->context, &options, &writer, &test->err));
    return writer;
}

static void write_batch(fixture *test, weir_bucket_writer *writer, int64_t first_key)
{
    weir_batch batch;
    weir_batch_init(&batch, test->context.schema->fields, 2);
    for (int64_t i = 0; i < BATCH_ROWS; i++) {
        fixture_add_row(test, &batch,
                        weir_arena_format(&test->arena, "[%" PRId64 ", '0123456789abcdef']", first_key + i));
    }
    CHECK(test, writer->ops->write(writer, &batch, NULL, batch.length, &test->err));
    weir_batch_free(&batch);
}

static weir_commit_message *commit(fixture *test, weir_bucket_writer *writer, weir_commit_messages *messages)
{
    weir_commit_message *message = weir_commit_messages_add(messages, weir_partition_none(), 0, 1);
    CHECK(test, writer->ops->prepare_commit(writer, true, &test->arena, message, &test->err));
    return message;
}

/* A buffer that was emptied once keeps its memory; it must not look full from then on. */
static void each_flush_waits_for_a_full_buffer(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, schema_json);
    weir_bucket_writer *writer = open_writer(&test, 10 * BATCH_ROWS * ROW_BYTES, true);
    weir_commit_messages messages = {0};
    for (int64_t i = 0; i < 100; i++) {
        write_batch(&test, writer, i * BATCH_ROWS);
    }
    weir_commit_message *message = commit(&test, writer, &messages);
    assert_int_equal(message->new_files.count, 10);
    for (size_t i = 0; i < message->new_files.count; i++) {
        assert_int_equal(message->new_files.files[i]->row_count, 10 * BATCH_ROWS);
    }
    weir_commit_messages_free(&messages);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void a_commit_leaves_no_rows_in_memory(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, schema_json);
    weir_bucket_writer *writer = open_writer(&test, 1 << 20, true);
    weir_commit_messages messages = {0};
    assert_int_equal(writer->ops->memory_bytes(writer), 0);
    write_batch(&test, writer, 0);
    assert_int_equal(writer->ops->memory_bytes(writer), BATCH_ROWS * ROW_BYTES);
    assert_int_equal(commit(&test, writer, &messages)->new_files.count, 1);
    assert_int_equal(writer->ops->memory_bytes(writer), 0);
    assert_int_equal(commit(&test, writer, &messages)->new_files.count, 0);
    weir_commit_messages_free(&messages);
    writer->ops->close(writer);
    fixture_end(&test);
}

static void the_fifth_run_starts_a_compaction(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, schema_json);
    weir_bucket_writer *writer = open_writer(&test, 1 << 20, false);
    weir_commit_messages messages = {0};
    for (int64_t run = 1; run <= 5; run++) {
        write_batch(&test, writer, 0);
        weir_commit_message *message = commit(&test, writer, &messages);
        assert_int_equal(message->new_files.count, 1);
        assert_int_equal(message->compact_before.count, run == 5 ? 5 : 0);
        assert_int_equal(message->compact_after.count, run == 5 ? 1 : 0);
    }
    weir_commit_messages_free(&messages);
    writer->ops->close(writer);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_flush_waits_for_a_full_buffer),
        cmocka_unit_test(a_commit_leaves_no_rows_in_memory),
        cmocka_unit_test(the_fifth_run_starts_a_compaction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
