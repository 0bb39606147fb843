/* Rolling writers: what a file's description says, when files end, and what remains of a writer that fails. */
#include "base/clock.h"
#include "file_fixture.h"
#include "fs/fault.h"

#define SCHEMA(options)                                                                                                \
    "{'version':3,'id':0,'fields':[{'id':0,'name':'k','type':'BIGINT NOT NULL'},{'id':1,'name':'v','type':'STRING'}]," \
    "'highestFieldId':1,'partitionKeys':[],'primaryKeys':['k'],'options':{'bucket':'1'" options "},'timeMillis':0}"
#define APPEND_SCHEMA                                                                                                  \
    "{'version':3,'id':0,'fields':[{'id':0,'name':'k','type':'BIGINT'},{'id':1,'name':'v','type':'STRING'}],"          \
    "'highestFieldId':1,'partitionKeys':[],'primaryKeys':[],'options':{'bucket':'-1'},'timeMillis':0}"

static void fill(fixture *test, weir_batch *batch, int64_t first, int64_t count)
{
    weir_batch_init(batch, test->context.schema->fields, 2);
    weir_batch_reserve_kinds(batch, count);
    for (int64_t i = first; i < first + count; i++) {
        fixture_add_row(test, batch, weir_arena_format(&test->arena, "[%d,'value %d']", (int)i, (int)i * 7));
        batch->kinds[batch->length - 1] = (int8_t)(i % 4);
    }
}

static int64_t key_number(fixture *test, weir_slice key)
{
    const weir_type *type = test->context.schema->fields[0].type;
    weir_literal value;
    CHECK(test, weir_binary_row_deserialize(key, &type, 1, "key", &test->arena, &value, &test->err));
    return value.integer;
}

/* How many files the bucket's folder holds. */
static size_t count_files(fixture *test)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    CHECK(test, weir_fs_list(test->fs, fixture_bucket_path(test), &test->arena, &entries, &count, &test->err));
    return count;
}

static void a_description_tells_keys_sequence_numbers_and_deletes(void **state)
{
    (void)state;
    static const char *const options[] = {"", ",'data-file.thin-mode':'true'", ",'file.format':'avro'"};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        fixture test;
        char json[1024];
        snprintf(json, sizeof json, SCHEMA("%s"), options[i]);
        fixture_start(&test, json);
        weir_batch batch;
        fill(&test, &batch, -3, 10);
        int64_t sequence_numbers[] = {9, 8, 21, 4, 5, 6, 7, 3, 1, 2};
        int64_t before = weir_local_now_ms();
        written_files written = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, sequence_numbers);
        assert_int_equal(written.count, 1);
        const weir_data_file *file = written.files[0];
        assert_int_equal(file->row_count, 10);
        assert_int_equal(key_number(&test, file->min_key), -3);
        assert_int_equal(key_number(&test, file->max_key), 6);
        assert_int_equal(file->min_sequence_number, 1);
        assert_int_equal(file->max_sequence_number, 21);
        assert_int_equal(file->delete_row_count, 5); /* kinds of -3, -1, 1, 3, 5 are -U or -D */
        assert_int_equal(file->level, 0);
        assert_int_equal(file->file_source, WEIR_FILE_SOURCE_APPEND);
        assert_int_equal(file->first_row_id, -1);
        assert_in_range(file->creation_time_ms, before, before + 60000);
        weir_file_info info;
        const char *path = weir_data_file_path(&test.arena, fixture_bucket_path(&test), file);
        CHECK(&test, weir_fs_stat(test.fs, path, &info, &test.err));
        assert_int_equal(info.size_bytes, file->size_bytes);
        assert_int_equal(strncmp(file->name, "data-", 5), 0);
        weir_column_stats stats[1];
        CHECK(&test, weir_stats_decode_keys(&test.context, file, &test.arena, stats, &test.err));
        assert_int_equal(stats[0].min.integer, -3);
        weir_batch_free(&batch);
        free(written.files);
        fixture_end(&test);
    }
}

static void an_append_file_has_no_keys_and_counts_its_sequence_numbers_on(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, APPEND_SCHEMA);
    weir_batch batch;
    fill(&test, &batch, 0, 5);
    weir_data_file_writer *writer = fixture_writer(&test, WEIR_DATA_FILE_APPEND, 0);
    weir_data_file_writer_set_sequence(writer, 40);
    CHECK(&test, weir_data_file_writer_write_batch(writer, &batch, 0, 3, NULL, NULL, &test.err));
    CHECK(&test, weir_data_file_writer_write_batch(writer, &batch, 3, 2, NULL, NULL, &test.err));
    written_files written = {0};
    CHECK(&test, weir_data_file_writer_finish(writer, &test.arena, &written.files, &written.count, &written.capacity,
                                              &test.err));
    weir_data_file_writer_close(writer);
    assert_int_equal(written.count, 1);
    assert_int_equal(written.files[0]->row_count, 5);
    assert_int_equal(written.files[0]->min_sequence_number, 40);
    assert_int_equal(written.files[0]->max_sequence_number, 44);
    assert_int_equal(written.files[0]->delete_row_count, 0);
    assert_true(weir_slice_equal(written.files[0]->min_key, weir_partition_none()));
    assert_int_equal(written.files[0]->key_stats.null_count_length, 0);
    weir_batch_free(&batch);
    free(written.files);
    fixture_end(&test);
}

static int give_numbers(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    int64_t *first = argument;
    for (int64_t i = *first; i < *first + 4; i++) {
        if (column == 0) {
            WEIR_TRY(weir_vector_append_raw(out, &i, sizeof i, err));
        } else {
            WEIR_TRY(weir_vector_append_raw(out, "xyz", 3, err));
        }
    }
    return WEIR_OK;
}

static void a_file_that_has_reached_its_size_ends_before_the_next_rows(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(",'target-file-size':'1 b'"));
    weir_data_file_writer *writer = fixture_writer(&test, WEIR_DATA_FILE_KEY_VALUE, 3);
    int64_t sequence_numbers[] = {1, 2, 3, 4};
    for (int64_t first = 0; first < 12; first += 4) {
        CHECK(&test,
              weir_data_file_writer_write_columns(writer, 4, sequence_numbers, NULL, give_numbers, &first, &test.err));
    }
    written_files written = {0};
    CHECK(&test, weir_data_file_writer_finish(writer, &test.arena, &written.files, &written.count, &written.capacity,
                                              &test.err));
    weir_data_file_writer_close(writer);
    assert_int_equal(written.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(key_number(&test, written.files[i]->min_key), 4 * i);
        assert_int_equal(key_number(&test, written.files[i]->max_key), 4 * i + 3);
        assert_int_equal(written.files[i]->level, 3);
        assert_int_equal(written.files[i]->row_count, 4);
        /* One UUID a writer, and a number a file. */
        assert_int_equal(strncmp(written.files[i]->name, written.files[0]->name, strlen("data-") + 36), 0);
        assert_non_null(strstr(written.files[i]->name, weir_arena_format(&test.arena, "-%d.parquet", (int)i)));
    }
    assert_int_equal(count_files(&test), 3);
    free(written.files);
    fixture_end(&test);
}

static void a_writer_that_is_closed_unfinished_leaves_no_files(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(",'target-file-size':'1 b'"));
    weir_batch batch;
    fill(&test, &batch, 0, 9);
    int64_t sequence_numbers[9] = {0};
    weir_data_file_writer *writer = fixture_writer(&test, WEIR_DATA_FILE_KEY_VALUE, 0);
    for (int64_t i = 0; i < 3; i++) {
        CHECK(&test,
              weir_data_file_writer_write_batch(writer, &batch, 3 * i, 3, sequence_numbers, batch.kinds, &test.err));
    }
    assert_true(count_files(&test) >= 2);
    weir_data_file_writer_close(writer);
    assert_int_equal(count_files(&test), 0);
    weir_batch_free(&batch);
    fixture_end(&test);
}

static void a_writer_without_rows_makes_no_file(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(""));
    weir_batch batch;
    fill(&test, &batch, 0, 0);
    written_files written = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, NULL);
    assert_int_equal(written.count, 0);
    assert_int_equal(count_files(&test), 0);
    weir_batch_free(&batch);
    free(written.files);
    fixture_end(&test);
}

static void options_of_levels_and_changelogs_decide_about_format_and_name(void **state)
{
    (void)state;
    static const struct {
        weir_data_file_kind kind;
        int32_t level;
        const char *prefix, *suffix;
    } cases[] = {
        {WEIR_DATA_FILE_KEY_VALUE, 0, "p-", ".zstd.avro"},
        {WEIR_DATA_FILE_KEY_VALUE, 3, "p-", ".snappy.parquet"},
        {WEIR_DATA_FILE_KEY_VALUE, 5, "p-", ".zstd.parquet"},
        {WEIR_DATA_FILE_CHANGELOG, 0, "c-", ".none.parquet"},
    };
    fixture test;
    fixture_start(&test,
                  SCHEMA(",'file.format.per.level':'0:avro, 5:parquet','file.compression.per.level':'3:snappy',"
                         "'data-file.prefix':'p-','changelog-file.prefix':'c-','changelog-file.format':'parquet',"
                         "'changelog-file.compression':'none','file.suffix.include.compression':'true'"));
    weir_batch batch;
    fill(&test, &batch, 0, 2);
    int64_t sequence_numbers[] = {1, 2};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        written_files written = fixture_write(&test, cases[i].kind, cases[i].level, &batch, sequence_numbers);
        const char *name = written.files[0]->name;
        assert_int_equal(strncmp(name, cases[i].prefix, 2), 0);
        assert_string_equal(name + strlen(name) - strlen(cases[i].suffix), cases[i].suffix);
        free(written.files);
    }
    weir_batch_free(&batch);
    fixture_end(&test);
}

static void a_short_budget_ends_row_groups_early(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(""));
    test.budget.limit_bytes = 1000;
    weir_batch batch;
    fill(&test, &batch, 0, 2000);
    int64_t *sequence_numbers = weir_alloc_zeroed(2000, sizeof *sequence_numbers);
    weir_data_file_writer *writer = fixture_writer(&test, WEIR_DATA_FILE_KEY_VALUE, 0);
    for (int64_t i = 0; i < 20; i++) {
        CHECK(&test,
              weir_data_file_writer_write_batch(writer, &batch, 100 * i, 100, sequence_numbers, NULL, &test.err));
        assert_true(atomic_load(&test.budget.used_bytes) <= 1000);
    }
    written_files written = {0};
    CHECK(&test, weir_data_file_writer_finish(writer, &test.arena, &written.files, &written.count, &written.capacity,
                                              &test.err));
    weir_data_file_writer_close(writer);
    assert_int_equal(written.count, 1);
    assert_int_equal(written.files[0]->row_count, 2000);
    free(sequence_numbers);
    free(written.files);
    weir_batch_free(&batch);
    fixture_end(&test);
}

/* Writes two files on a file system that fails once at operation `stop_at`; false when nothing failed. */
static bool write_with_fault(fixture *test, const weir_batch *batch, const int64_t *sequence_numbers, uint64_t stop_at)
{
    weir_fs *faulty = weir_fs_fault(test->fs, (weir_fault_options){.stop_at = stop_at, .fail_once = true});
    test->context.fs = faulty;
    weir_data_file_writer *writer = fixture_writer(test, WEIR_DATA_FILE_KEY_VALUE, 0);
    written_files written = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < 2 && code == WEIR_OK; i++) {
        code = weir_data_file_writer_write_batch(writer, batch, 4 * i, 4, sequence_numbers, batch->kinds, &test->err);
    }
    if (code == WEIR_OK) {
        code = weir_data_file_writer_finish(writer, &test->arena, &written.files, &written.count, &written.capacity,
                                            &test->err);
    }
    weir_data_file_writer_close(writer);
    free(written.files);
    test->context.fs = test->fs;
    weir_fs_close(faulty);
    assert_int_equal(atomic_load(&test->budget.used_bytes), 0);
    if (code != WEIR_OK) {
        assert_int_equal(code, WEIR_IO);
        assert_int_equal(count_files(test), 0);
    }
    return code != WEIR_OK;
}

static void a_file_system_that_fails_leaves_an_error_and_no_files(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(",'target-file-size':'1 b'"));
    weir_batch batch;
    fill(&test, &batch, 0, 8);
    int64_t sequence_numbers[] = {1, 2, 3, 4};
    uint64_t stop_at = 1;
    while (write_with_fault(&test, &batch, sequence_numbers, stop_at)) {
        stop_at++;
    }
    assert_true(stop_at > 6);
    weir_batch_free(&batch);
    fixture_end(&test);
}

static void key_value_files_without_sequence_numbers_are_refused(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(""));
    weir_batch batch;
    fill(&test, &batch, 0, 2);
    weir_data_file_writer *writer = fixture_writer(&test, WEIR_DATA_FILE_KEY_VALUE, 0);
    assert_int_equal(weir_data_file_writer_write_batch(writer, &batch, 0, 2, NULL, NULL, &test.err), WEIR_INVALID);
    weir_data_file_writer_close(writer);
    weir_batch_free(&batch);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_description_tells_keys_sequence_numbers_and_deletes),
        cmocka_unit_test(an_append_file_has_no_keys_and_counts_its_sequence_numbers_on),
        cmocka_unit_test(a_file_that_has_reached_its_size_ends_before_the_next_rows),
        cmocka_unit_test(a_writer_that_is_closed_unfinished_leaves_no_files),
        cmocka_unit_test(a_writer_without_rows_makes_no_file),
        cmocka_unit_test(options_of_levels_and_changelogs_decide_about_format_and_name),
        cmocka_unit_test(a_short_budget_ends_row_groups_early),
        cmocka_unit_test(a_file_system_that_fails_leaves_an_error_and_no_files),
        cmocka_unit_test(key_value_files_without_sequence_numbers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
