/* The write buffer: rows in the order of arrival in, one row a key in key order out, spilled or not. */
#include "lsm_fixture.h"

#include "lsm/write_buffer.h"

/* Flushes into a new file, and into a changelog file when asked; both as text. */
static void flush(fixture *test, weir_write_buffer *buffer, const char **data_text, const char **changelog_text)
{
    weir_data_file_writer *data = fixture_writer(test, WEIR_DATA_FILE_KEY_VALUE, 0);
    weir_data_file_writer *changelog =
        changelog_text != NULL ? fixture_writer(test, WEIR_DATA_FILE_CHANGELOG, 0) : NULL;
    CHECK(test, weir_write_buffer_flush(buffer, data, changelog, &test->err));
    assert_false(weir_write_buffer_is_empty(buffer)); /* until its rows are safe */
    weir_write_buffer_clear(buffer);
    written_files written = {0};
    CHECK(test, weir_data_file_writer_finish(data, &test->arena, &written.files, &written.count, &written.capacity,
                                             &test->err));
    *data_text = lsm_text(test, written.files, written.count, true);
    written.count = 0;
    if (changelog != NULL) {
        CHECK(test, weir_data_file_writer_finish(changelog, &test->arena, &written.files, &written.count,
                                                 &written.capacity, &test->err));
        *changelog_text = lsm_text(test, written.files, written.count, true);
    }
    free(written.files);
    weir_data_file_writer_close(data);
    weir_data_file_writer_close(changelog);
}

static void append(fixture *test, weir_write_buffer *buffer, const char *rows, int64_t *next_sequence)
{
    weir_batch batch;
    lsm_rows(test, &batch, rows);
    CHECK(test, weir_write_buffer_append(buffer, &batch, NULL, batch.length, next_sequence, &test->err));
    weir_batch_free(&batch);
}

static void the_last_row_of_each_key_is_written_in_key_order(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    int64_t next = 7;
    const char *data = NULL, *changelog = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    assert_true(weir_write_buffer_is_empty(&buffer));
    append(&test, &buffer, "[['+I',3,'c'],['+I',-1,'x'],['-U',3,'c'],['+U',3,'d']]", &next);
    append(&test, &buffer, "[['-D',-1,'x'],['+I',2,null]]", &next);
    assert_false(weir_write_buffer_is_empty(&buffer));
    assert_int_equal(next, 13);
    flush(&test, &buffer, &data, &changelog);
    assert_string_equal(data, "11:-D[-1,\"x\"] 12:+I[2,null] 10:+U[3,\"d\"]");
    assert_string_equal(changelog,
                        "8:+I[-1,\"x\"] 11:-D[-1,\"x\"] 12:+I[2,null] 7:+I[3,\"c\"] 9:-U[3,\"c\"] 10:+U[3,\"d\"]");
    assert_true(weir_write_buffer_is_empty(&buffer));
    assert_int_equal(weir_write_buffer_bytes(&buffer), 0);
    weir_write_buffer_free(&buffer);
    fixture_end(&test);
}

static void only_the_chosen_rows_are_taken(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    weir_batch batch;
    int64_t next = 0;
    const char *data = NULL;
    const uint32_t rows[] = {3, 0};
    fixture_start(&test, LSM_SCHEMA(""));
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    lsm_rows(&test, &batch, "[['+I',1,'a'],['+I',2,'b'],['+I',3,'c'],['-D',1,'z']]");
    CHECK(&test, weir_write_buffer_append(&buffer, &batch, rows, 2, &next, &test.err));
    weir_batch_free(&batch);
    flush(&test, &buffer, &data, NULL);
    assert_string_equal(data, "1:+I[1,\"a\"]"); /* the later one in the order of the choice */
    weir_write_buffer_free(&buffer);
    fixture_end(&test);
}

/* The folders of spills below TMPDIR. */
static size_t count_spill_folders(fixture *test, const char *folder)
{
    weir_file_info *entries = NULL;
    size_t count = 0;
    CHECK(test, weir_fs_list(weir_fs_local(), folder, &test->arena, &entries, &count, &test->err));
    return count;
}

static const char *make_temporary_folder(fixture *test)
{
    char pattern[] = "/tmp/weir-test-XXXXXX";
    assert_non_null(mkdtemp(pattern));
    setenv("TMPDIR", pattern, 1);
    return weir_arena_strdup(&test->arena, pattern);
}

static void spilled_pieces_come_out_as_one_run(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    int64_t next = 0;
    const char *data = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    const char *folder = make_temporary_folder(&test);
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    append(&test, &buffer, "[['+I',5,'first'],['+I',1,'first'],['+I',9,'first']]", &next);
    CHECK(&test, weir_write_buffer_spill(&buffer, &test.err));
    assert_int_equal(weir_write_buffer_bytes(&buffer), 0);
    assert_false(weir_write_buffer_is_empty(&buffer));
    append(&test, &buffer, "[['-D',1,'second'],['+I',2,'second']]", &next);
    CHECK(&test, weir_write_buffer_spill(&buffer, &test.err));
    CHECK(&test, weir_write_buffer_spill(&buffer, &test.err)); /* nothing to spill */
    assert_int_equal(count_spill_folders(&test, folder), 1);
    append(&test, &buffer, "[['+U',5,'third']]", &next);
    flush(&test, &buffer, &data, NULL);
    assert_string_equal(data, "3:-D[1,\"second\"] 4:+I[2,\"second\"] 5:+U[5,\"third\"] 2:+I[9,\"first\"]");
    assert_true(weir_write_buffer_is_empty(&buffer));
    assert_int_equal(count_spill_folders(&test, folder), 0);
    weir_write_buffer_free(&buffer);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
    fixture_end(&test);
}

static void a_buffer_that_is_given_up_removes_what_it_spilled(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    int64_t next = 0;
    fixture_start(&test, LSM_SCHEMA(""));
    const char *folder = make_temporary_folder(&test);
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    append(&test, &buffer, "[['+I',5,'first']]", &next);
    CHECK(&test, weir_write_buffer_spill(&buffer, &test.err));
    weir_write_buffer_free(&buffer);
    assert_int_equal(count_spill_folders(&test, folder), 0);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
    fixture_end(&test);
}

static void where_nothing_can_be_spilled_the_message_names_tmpdir(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    int64_t next = 0;
    fixture_start(&test, LSM_SCHEMA(""));
    const char *folder = make_temporary_folder(&test);
    setenv("TMPDIR", "/proc/no-such-folder", 1);
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    append(&test, &buffer, "[['+I',5,'first']]", &next);
    assert_int_not_equal(weir_write_buffer_spill(&buffer, &test.err), WEIR_OK);
    assert_non_null(strstr(test.err.message, "TMPDIR"));
    weir_write_buffer_free(&buffer);
    setenv("TMPDIR", folder, 1);
    weir_fs_remove_recursively(weir_fs_local(), folder, NULL);
    fixture_end(&test);
}

static void released_memory_is_made_again_by_the_next_rows(void **state)
{
    (void)state;
    fixture test;
    weir_write_buffer buffer;
    int64_t next = 0;
    const char *data = NULL;
    fixture_start(&test, LSM_SCHEMA(""));
    CHECK(&test, weir_write_buffer_init(&buffer, &test.context, &test.err));
    append(&test, &buffer, "[['+I',5,'a']]", &next);
    flush(&test, &buffer, &data, NULL);
    weir_write_buffer_release(&buffer);
    append(&test, &buffer, "[['+I',6,'b']]", &next);
    assert_true(weir_write_buffer_bytes(&buffer) > 0);
    flush(&test, &buffer, &data, NULL);
    assert_string_equal(data, "1:+I[6,\"b\"]");
    weir_write_buffer_free(&buffer);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_row_of_each_key_is_written_in_key_order),
        cmocka_unit_test(only_the_chosen_rows_are_taken),
        cmocka_unit_test(spilled_pieces_come_out_as_one_run),
        cmocka_unit_test(a_buffer_that_is_given_up_removes_what_it_spilled),
        cmocka_unit_test(where_nothing_can_be_spilled_the_message_names_tmpdir),
        cmocka_unit_test(released_memory_is_made_again_by_the_next_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
