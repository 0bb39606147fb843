/* Column statistics: what modes keep, how text is cut, and how old statistics look through a newer schema. */
#include "file_fixture.h"

#define FIELDS                                                                                                         \
    "'fields':[{'id':0,'name':'k','type':'INT NOT NULL'},{'id':1,'name':'t','type':'STRING'},"                         \
    "{'id':2,'name':'b','type':'BYTES'},{'id':3,'name':'d','type':'DOUBLE'},"                                          \
    "{'id':4,'name':'l','type':{'type':'ARRAY','element':'INT'}}],'highestFieldId':4,"

#define SCHEMA(options)                                                                                                \
    "{'version':3,'id':0," FIELDS "'partitionKeys':[],'primaryKeys':['k'],'options':{'bucket':'1'" options             \
    "},'timeMillis':0}"

static weir_written_stats integer_stats(int64_t min, int64_t max, int64_t nulls)
{
    return (weir_written_stats){
        .has_min_max = true, .min = {.integer = min}, .max = {.integer = max}, .null_count = nulls};
}

static weir_written_stats text_stats(const char *min, const char *max, int64_t nulls)
{
    return (weir_written_stats){.has_min_max = true,
                                .min = {.bytes = weir_slice_text(min)},
                                .max = {.bytes = weir_slice_text(max)},
                                .null_count = nulls};
}

/* Encodes statistics of a file of 100 rows with these values in column t. */
static weir_data_file *encode(fixture *test, const char *min, const char *max)
{
    const weir_schema *schema = test->context.schema;
    weir_written_stats stats[] = {
        integer_stats(-5, 70, 0),
        text_stats(min, max, 3),
        {.has_min_max = true, .min = {.bytes = weir_slice_text("a")}, .max = {.bytes = weir_slice_text("b")}},
        {.has_min_max = true, .min = {.float64 = -1.5}, .max = {.float64 = 2.5}, .null_count = 1},
        {.null_count = 9},
    };
    weir_data_file *file = WEIR_NEW(&test->arena, weir_data_file);
    file->name = "data.parquet";
    file->row_count = 100;
    CHECK(test, weir_stats_encode_values(schema, NULL, schema->fields, schema->field_count, stats, &test->arena, file,
                                         &test->err));
    return file;
}

static void decode(fixture *test, const weir_data_file *file, weir_column_stats *out)
{
    int32_t columns[16];
    for (int32_t i = 0; i < test->context.schema->field_count; i++) {
        columns[i] = i;
    }
    CHECK(test, weir_stats_decode(&test->context, file, columns, test->context.schema->field_count, &test->arena, out,
                                  &test->err));
}

static void text_bounds_are_cut_so_that_they_stay_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *min, *max;
        const char *cut_min, *cut_max; /* NULL: not known */
    } cases[] = {
        {"a", "b", "a", "b"},
        {"aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb"},
        {"aaaaaaaaaaaaaaaaZ", "bbbbbbbbbbbbbbbbZ", "aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbc"},
        {"", "äääääääääääääääää", "", "äääääääääääääääå"},
        /* The last code point cannot grow: the one before it does, the rest goes. */
        {"a", "aaaaaaaaaaaaaa\xC3\xA4\xF4\x8F\xBF\xBF!", "a", "aaaaaaaaaaaaaa\xC3\xA5"},
        /* U+D7FF is followed by surrogates, which are no text: U+E000 is next. */
        {"a", "aaaaaaaaaaaaaaa\xED\x9F\xBF!", "a", "aaaaaaaaaaaaaaa\xEE\x80\x80"},
        /* One of each width grows into the next width. */
        {"a", "aaaaaaaaaaaaaaa\x7F!", "a", "aaaaaaaaaaaaaaa\xC2\x80"},
        {"a", "aaaaaaaaaaaaaaa\xDF\xBF!", "a", "aaaaaaaaaaaaaaa\xE0\xA0\x80"},
        {"a", "aaaaaaaaaaaaaaa\xEF\xBF\xBF!", "a", "aaaaaaaaaaaaaaa\xF0\x90\x80\x80"},
        /* No text is greater than sixteen of the greatest code point. */
        {"a",
         "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF"
         "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF"
         "\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF\xF4\x8F\xBF\xBF!",
         NULL, NULL},
    };
    fixture test;
    fixture_start(&test, SCHEMA(""));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_column_stats stats[5];
        decode(&test, encode(&test, cases[i].min, cases[i].max), stats);
        assert_int_equal(stats[1].has_min_max, cases[i].cut_min != NULL);
        assert_int_equal(stats[1].null_count, 3);
        if (cases[i].cut_min != NULL) {
            assert_true(weir_slice_equal(stats[1].min.bytes, weir_slice_text(cases[i].cut_min)));
            assert_true(weir_slice_equal(stats[1].max.bytes, weir_slice_text(cases[i].cut_max)));
        }
    }
    fixture_end(&test);
}

static void only_columns_with_statistics_are_listed(void **state)
{
    (void)state;
    static const struct {
        const char *schema;
        int32_t listed; /* -1: all, without a list */
        bool k_bounds, t_bounds, d_counts;
    } cases[] = {
        {SCHEMA(""), 4, true, true, true}, /* the nested column has none */
        {SCHEMA(",'metadata.stats-mode':'none'"), 0, false, false, false},
        {SCHEMA(",'metadata.stats-mode':'counts'"), 4, false, false, true},
        {SCHEMA(",'metadata.stats-mode':'FULL'"), 4, true, true, true},
        {SCHEMA(",'metadata.stats-mode':'none','fields.t.stats-mode':'full'"), 1, false, true, false},
        {SCHEMA(",'fields.t.stats-mode':'none'"), 3, true, false, true},
        {SCHEMA(",'metadata.stats-keep-first-n-columns':'2'"), 2, true, true, false},
        {SCHEMA(",'metadata.stats-dense-store':'false'"), -1, true, true, true},
        {SCHEMA(",'metadata.stats-mode':'none','data-file.thin-mode':'true'"), 1, true, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fixture test;
        fixture_start(&test, cases[i].schema);
        weir_data_file *file = encode(&test, "some", "text");
        assert_int_equal(file->has_value_stats_columns ? file->value_stats_column_count : -1, cases[i].listed);
        weir_column_stats stats[5];
        decode(&test, file, stats);
        assert_int_equal(stats[0].has_min_max, cases[i].k_bounds);
        assert_int_equal(stats[1].has_min_max, cases[i].t_bounds);
        assert_int_equal(stats[3].null_count, cases[i].d_counts ? 1 : -1);
        assert_false(stats[2].has_min_max); /* bytes */
        assert_false(stats[4].has_min_max); /* nested */
        if (stats[0].has_min_max) {
            assert_int_equal(stats[0].min.integer, -5);
            assert_int_equal(stats[0].max.integer, 70);
        }
        fixture_end(&test);
    }
}

static void a_malformed_mode_is_refused(void **state)
{
    (void)state;
    static const char *const modes[] = {"some", "truncate", "truncate()", "truncate(0)", "truncate(x)", "truncate(3"};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        fixture test;
        fixture_start(&test, SCHEMA(""));
        weir_data_file file = {0};
        weir_written_stats stats[5] = {0};
        const weir_schema *schema = test.context.schema;
        assert_int_equal(weir_stats_encode_values(schema, modes[i], schema->fields, schema->field_count, stats,
                                                  &test.arena, &file, &test.err),
                         WEIR_INVALID);
        assert_non_null(strstr(test.err.message, "truncate(n)"));
        fixture_end(&test);
    }
}

static void old_statistics_are_seen_through_the_new_schema(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(""));
    weir_data_file *file = encode(&test, "some", "text");
    /* t is renamed, d has become text, b is gone, n is new, and the order is another. */
    fixture_schema(&test, "{'version':3,'id':1,'fields':[{'id':5,'name':'t','type':'INT'},"
                          "{'id':1,'name':'title','type':'STRING'},{'id':3,'name':'d','type':'STRING'},"
                          "{'id':0,'name':'k','type':'INT NOT NULL'}],'highestFieldId':5,'partitionKeys':[],"
                          "'primaryKeys':['k'],'options':{'bucket':'1'},'timeMillis':0}");
    weir_column_stats stats[4];
    decode(&test, file, stats);
    assert_int_equal(stats[0].null_count, 100); /* did not exist: all null */
    assert_int_equal(stats[0].row_count, 100);
    assert_false(stats[0].has_min_max);
    assert_true(stats[1].has_min_max);
    assert_true(weir_slice_equal(stats[1].max.bytes, weir_slice_text("text")));
    assert_false(stats[2].has_min_max);
    assert_int_equal(stats[2].null_count, -1);
    assert_int_equal(stats[3].min.integer, -5);
    fixture_end(&test);
}

static void statistics_that_cannot_be_read_are_an_error_and_absent_ones_unknown(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, SCHEMA(""));
    int32_t column = 0;
    weir_column_stats stats;

    weir_data_file *file = encode(&test, "some", "text");
    file->value_stats.max_values.size -= 9;
    assert_int_equal(weir_stats_decode(&test.context, file, &column, 1, &test.arena, &stats, &test.err), WEIR_CORRUPT);

    file = encode(&test, "some", "text");
    file->value_stats_columns[1] = "nobody";
    assert_int_equal(weir_stats_decode(&test.context, file, &column, 1, &test.arena, &stats, &test.err), WEIR_CORRUPT);
    assert_non_null(strstr(test.err.message, "nobody"));

    file = encode(&test, "some", "text");
    file->value_stats = (weir_stats_row){.min_values = weir_partition_none(), .max_values = weir_partition_none()};
    CHECK(&test, weir_stats_decode(&test.context, file, &column, 1, &test.arena, &stats, &test.err));
    assert_false(stats.has_min_max);
    assert_int_equal(stats.null_count, -1);
    fixture_end(&test);
}

static void a_later_key_column_is_bounded_by_statistics_not_by_the_first_and_last_row(void **state)
{
    (void)state;
    fixture test;
    fixture_start(&test, "{'version':3,'id':0,'fields':[{'id':0,'name':'a','type':'INT NOT NULL'},"
                         "{'id':1,'name':'b','type':'INT NOT NULL'}],'highestFieldId':1,'partitionKeys':[],"
                         "'primaryKeys':['b','a'],'options':{'bucket':'1'},'timeMillis':0}");
    weir_batch batch;
    weir_batch_init(&batch, test.context.schema->fields, 2);
    fixture_add_row(&test, &batch, "[5,1]");
    fixture_add_row(&test, &batch, "[9,1]");
    fixture_add_row(&test, &batch, "[2,2]");
    fixture_add_row(&test, &batch, "[7,3]");
    int64_t sequence_numbers[] = {3, 1, 2, 4};
    written_files written = fixture_write(&test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, sequence_numbers);
    weir_column_stats stats[2];
    CHECK(&test, weir_stats_decode_keys(&test.context, written.files[0], &test.arena, stats, &test.err));
    assert_int_equal(stats[0].min.integer, 1); /* b */
    assert_int_equal(stats[0].max.integer, 3);
    assert_int_equal(stats[1].min.integer, 2); /* a */
    assert_int_equal(stats[1].max.integer, 9);
    weir_batch_free(&batch);
    free(written.files);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_bounds_are_cut_so_that_they_stay_bounds),
        cmocka_unit_test(only_columns_with_statistics_are_listed),
        cmocka_unit_test(a_malformed_mode_is_refused),
        cmocka_unit_test(old_statistics_are_seen_through_the_new_schema),
        cmocka_unit_test(statistics_that_cannot_be_read_are_an_error_and_absent_ones_unknown),
        cmocka_unit_test(a_later_key_column_is_bounded_by_statistics_not_by_the_first_and_last_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
