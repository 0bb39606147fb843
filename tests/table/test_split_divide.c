/* Splits that are cut for several threads give the rows that they gave before, in the same order. */
#include "cmocka_all.h"

#include "random.h"
#include "table/scan/split_divide.h"
#include "table/table_fixture.h"

#define ROWS_OF_A_COMMIT 12000
#define TEXT_BYTES       300

/* Commits rows whose texts do not compress, so that the files are large. */
static void commit_rows(fixture *table, random_state *random, int64_t keys)
{
    weir_error err = {0};
    weir_batch batch;
    weir_batch_init(&batch, table->table->schema->fields, table->table->schema->field_count);
    for (int64_t i = 0; i < ROWS_OF_A_COMMIT; i++) {
        int64_t key = (int64_t)random_below(random, (uint64_t)keys);
        char text[TEXT_BYTES];
        for (int c = 0; c < TEXT_BYTES; c++) {
            text[c] = (char)('#' + random_below(random, 90));
        }
        must(weir_vector_append_raw(&batch.columns[0], &key, sizeof key, &err), &err, "a key");
        must(weir_vector_append_raw(&batch.columns[1], text, sizeof text, &err), &err, "a text");
        batch.length++;
    }
    must(weir_table_write_batch(table->write, &batch, &err), &err, "writing");
    weir_batch_free(&batch);
    fixture_prepared prepared;
    fixture_prepare(table, &prepared);
    fixture_commit_prepared(table, &prepared);
}

/* The keys that a plan gives, split after split; the caller frees them. */
static int64_t *keys_of(fixture *table, const weir_table_plan *plan, int64_t *out_count)
{
    static const int32_t columns[] = {0};
    weir_read_options options = {.columns = columns, .column_count = 1};
    weir_error err = {0};
    weir_batch batch;
    int64_t *keys = NULL;
    *out_count = 0;
    weir_batch_init(&batch, table->table->schema->fields, 1);
    for (size_t i = 0; i < plan->split_count; i++) {
        weir_split_reader *reader = NULL;
        int code;
        must(weir_split_open(table->table, &plan->splits[i], &options, &reader, &err), &err, "opening a split");
        while ((code = weir_split_next(reader, &batch, &err)) == WEIR_OK) {
            keys = weir_realloc(keys, sizeof(int64_t) * (size_t)(*out_count + batch.length));
            memcpy(keys + *out_count, batch.columns[0].data, sizeof(int64_t) * (size_t)batch.length);
            *out_count += batch.length;
        }
        if (code != WEIR_END) {
            fail_msg("reading: %s", err.message);
        }
        weir_split_close(reader);
    }
    weir_batch_free(&batch);
    return keys;
}

/* Plans, divides and compares; returns the number of pieces. */
static size_t compare_divided(fixture *table, int threads)
{
    weir_error err = {0};
    weir_table_plan *whole = NULL, *divided = NULL;
    must(weir_scan_plan(table->table, NULL, &whole, &err), &err, "planning");
    must(weir_scan_plan(table->table, NULL, &divided, &err), &err, "planning");
    must(weir_table_plan_divide(table->table, NULL, threads, divided, &err), &err, "dividing");
    int64_t whole_count = 0, divided_count = 0;
    int64_t *expected = keys_of(table, whole, &whole_count);
    int64_t *keys = keys_of(table, divided, &divided_count);
    assert_int_equal(divided_count, whole_count);
    assert_memory_equal(keys, expected, sizeof(int64_t) * (size_t)whole_count);
    size_t pieces = divided->split_count;
    free(expected);
    free(keys);
    weir_table_plan_free(whole);
    weir_table_plan_free(divided);
    return pieces;
}

static void plain_files_are_cut_by_rows(void **state)
{
    (void)state;
    fixture table;
    random_state random = random_start();
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "", "", "bucket=-1;file.compression=none");
    commit_rows(&table, &random, 1000000);
    commit_rows(&table, &random, 1000000);
    assert_int_equal(compare_divided(&table, 1), 1);
    assert_in_range(compare_divided(&table, 2), 5, 8);
    assert_in_range(compare_divided(&table, 64), 6, 10); /* pieces are never small */
    fixture_free(&table);
}

static void merges_are_cut_by_keys(void **state)
{
    (void)state;
    fixture table;
    random_state random = random_start();
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1;file.compression=none;write-only=true");
    for (int i = 0; i < 4; i++) {
        commit_rows(&table, &random, 20000);
    }
    assert_int_equal(compare_divided(&table, 1), 1);
    assert_int_equal(compare_divided(&table, 2), 2);
    assert_int_equal(compare_divided(&table, 3), 3);
    fixture_free(&table);
}

static void a_row_format_is_cut_between_files_only(void **state)
{
    (void)state;
    fixture table;
    random_state random = random_start();
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "", "", "bucket=-1;file.format=avro;file.compression=none");
    commit_rows(&table, &random, 1000000);
    commit_rows(&table, &random, 1000000);
    commit_rows(&table, &random, 1000000);
    assert_int_equal(compare_divided(&table, 2), 3);
    fixture_free(&table);
}

static void small_tables_stay_whole(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"], [2, \"b\"]]", "+I");
    fixture_commit(&table, "[[1, \"c\"]]", "+U");
    assert_int_equal(compare_divided(&table, 16), 1);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files_are_cut_by_rows),
        cmocka_unit_test(merges_are_cut_by_keys),
        cmocka_unit_test(a_row_format_is_cut_between_files_only),
        cmocka_unit_test(small_tables_stay_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
