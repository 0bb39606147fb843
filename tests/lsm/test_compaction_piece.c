/* Pieces of a compaction for which memory is short. */
#include "lsm_fixture.h"

#define RUNS     40
#define RUN_ROWS 100

/* Files of level 0 that all overlap; every second one has the keys of the one before. */
static void make_runs(fixture *test, weir_file_list *out)
{
    for (int64_t run = 0; run < RUNS; run++) {
        weir_batch batch;
        int64_t sequence_numbers[RUN_ROWS];
        for (int64_t i = 0; i < RUN_ROWS; i++) {
            sequence_numbers[i] = run * RUN_ROWS + i;
        }
        lsm_many_rows(test, &batch, run / 2, RUNS / 2, RUN_ROWS);
        written_files written = fixture_write(test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, sequence_numbers);
        weir_file_list_append(out, written.files[0]);
        free(written.files);
        weir_batch_free(&batch);
    }
}

/* Compacts the files with so much memory; gives the most that was taken. */
static int64_t compact_within(fixture *test, const weir_file_list *files, int64_t limit_bytes)
{
    test->budget.limit_bytes = limit_bytes;
    atomic_store(&test->budget.peak_bytes, 0);
    weir_bucket_writer *writer = lsm_writer(test, files->files, files->count);
    CHECK(test, writer->ops->compact(writer, true, &test->err));
    weir_commit_message message = lsm_prepare(test, writer);
    assert_int_equal(message.compact_before.count, RUNS);
    assert_int_equal(message.compact_after.count, 1);
    const weir_data_file *file = message.compact_after.files[0];
    assert_int_equal(file->row_count, RUNS / 2 * RUN_ROWS);
    assert_int_equal(file->min_sequence_number, RUN_ROWS); /* the first run is the older one of a pair */
    assert_int_equal(file->max_sequence_number, RUNS * RUN_ROWS - 1);
    lsm_message_free(&message);
    writer->ops->close(writer);
    return atomic_load(&test->budget.peak_bytes);
}

static void runs_that_memory_is_short_for_are_merged_in_steps(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, LSM_SCHEMA(""));
    weir_file_list files = {0};
    make_runs(&test, &files);
    size_t file_count = lsm_count_files(&test);
    int64_t needed = compact_within(&test, &files, INT64_MAX);
    assert_true(compact_within(&test, &files, needed * 2 / 3) <= needed * 2 / 3);
    assert_int_equal(lsm_count_files(&test), file_count + 2); /* what failed attempts wrote is gone */
    weir_file_list_free(&files);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_that_memory_is_short_for_are_merged_in_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
