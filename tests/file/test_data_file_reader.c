/* Data files read through schemas newer than their own. */
#include "file_fixture.h"

static const char *const formats[] = {"avro", "parquet"};
#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

#define OLD_FIELDS                                                                                                     \
    "{'id':0,'name':'k','type':'INT NOT NULL'},{'id':1,'name':'a','type':'SMALLINT'},"                                 \
    "{'id':2,'name':'b','type':'STRING'},"                                                                             \
    "{'id':3,'name':'r','type':{'type':'ROW','fields':[{'id':4,'name':'x','type':'INT'},"                              \
    "{'id':5,'name':'y','type':'STRING'}]}}"

/* k stays; a has become BIGINT; b has given way to another column of the same name; r is renamed, its x dropped and
 * another x added, its y kept; n is new. */
#define NEW_FIELDS                                                                                                     \
    "{'id':8,'name':'n','type':'DOUBLE'},{'id':1,'name':'a','type':'BIGINT'},{'id':6,'name':'b','type':'STRING'},"     \
    "{'id':3,'name':'s','type':{'type':'ROW','fields':[{'id':7,'name':'x','type':'INT'},"                              \
    "{'id':5,'name':'y','type':'STRING'}]}},{'id':0,'name':'k','type':'INT NOT NULL'}"

static const char *schema_text(fixture *test, int id, const char *fields, const char *format)
{
    return weir_arena_format(&test->arena,
                             "{'version':3,'id':%d,'fields':[%s],'highestFieldId':9,'partitionKeys':[],"
                             "'primaryKeys':['k'],'options':{'bucket':'1','file.format':'%s'},'timeMillis':0}",
                             id, fields, format);
}

static void start_table(fixture *test, const char *format)
{
    char json[1024];
    snprintf(json, sizeof json,
             "{'version':3,'id':0,'fields':[%s],'highestFieldId':9,'partitionKeys':[],'primaryKeys':['k'],"
             "'options':{'bucket':'1','file.format':'%s'},'timeMillis':0}",
             OLD_FIELDS, format);
    fixture_start(test, json);
}

/* Rows 0 .. 9: [i, i * 3, "b<i>", [i * 5, "y<i>"]]; nulls where i is 4. */
static weir_data_file *write_old_file(fixture *test)
{
    weir_batch batch;
    weir_batch_init(&batch, test->context.schema->fields, test->context.schema->field_count);
    weir_batch_reserve_kinds(&batch, 10);
    int64_t sequence_numbers[10];
    for (int i = 0; i < 10; i++) {
        fixture_add_row(test, &batch,
                        i == 4 ? "[4,null,null,null]"
                               : weir_arena_format(&test->arena, "[%d,%d,'b%d',[%d,'y%d']]", i, i * 3, i, i * 5, i));
        batch.kinds[i] = (int8_t)(i == 7 ? WEIR_DELETE : WEIR_INSERT);
        sequence_numbers[i] = 100 + i;
    }
    written_files written = fixture_write(test, WEIR_DATA_FILE_KEY_VALUE, 0, &batch, sequence_numbers);
    weir_data_file *file = written.files[0];
    free(written.files);
    weir_batch_free(&batch);
    return file;
}

static weir_format_reader *open_file(fixture *test, const weir_data_file *file, const weir_field *fields, int32_t count)
{
    weir_format_reader *reader = NULL;
    CHECK(test,
          weir_data_file_open(&test->context, fixture_bucket_path(test), file, fields, count, &reader, &test->err));
    return reader;
}

static void columns_are_found_by_id_cast_and_null_where_they_did_not_exist(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        fixture test;
        start_table(&test, formats[f]);
        weir_data_file *file = write_old_file(&test);
        const weir_schema *schema = fixture_schema(&test, schema_text(&test, 1, NEW_FIELDS, formats[f]));
        weir_format_reader *reader = open_file(&test, file, schema->fields, schema->field_count);
        assert_int_equal(reader->row_count, 10);
        weir_batch all;
        weir_batch some;
        weir_batch_init(&all, schema->fields, schema->field_count);
        weir_batch_init(&some, schema->fields, schema->field_count);
        const uint32_t rows[] = {0, 2, 5};
        for (int32_t i = 0; i < schema->field_count; i++) {
            CHECK(&test, reader->ops->read(reader, i, 2, 8, &all.columns[i], &test.err));
            CHECK(&test, reader->ops->gather(reader, i, 2, rows, 3, &some.columns[i], &test.err));
        }
        assert_string_equal(fixture_row_text(&test, all.columns, 5, 0), "[null,6,null,[null,\"y2\"],2]");
        assert_string_equal(fixture_row_text(&test, all.columns, 5, 2), "[null,null,null,null,4]");
        assert_string_equal(fixture_row_text(&test, all.columns, 5, 7), "[null,27,null,[null,\"y9\"],9]");
        for (int64_t i = 0; i < 3; i++) {
            assert_string_equal(fixture_row_text(&test, some.columns, 5, i),
                                fixture_row_text(&test, all.columns, 5, rows[i]));
        }
        weir_batch_free(&all);
        weir_batch_free(&some);
        reader->ops->close(reader);
        fixture_end(&test);
    }
}

static void sequence_numbers_and_kinds_are_columns_too_and_a_column_may_be_asked_for_twice(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMAT_COUNT; f++) {
        fixture test;
        start_table(&test, formats[f]);
        weir_data_file *file = write_old_file(&test);
        const weir_field fields[] = {*weir_value_kind_field(), test.context.schema->fields[0],
                                     *weir_sequence_number_field(), test.context.schema->fields[0]};
        weir_format_reader *reader = open_file(&test, file, fields, 4);
        weir_batch batch;
        weir_batch_init(&batch, fields, 4);
        for (int32_t i = 0; i < 4; i++) {
            CHECK(&test, reader->ops->read(reader, i, 6, 2, &batch.columns[i], &test.err));
        }
        assert_string_equal(fixture_row_text(&test, batch.columns, 4, 0), "[0,6,106,6]");
        assert_string_equal(fixture_row_text(&test, batch.columns, 4, 1), "[3,7,107,7]");
        weir_batch_free(&batch);
        reader->ops->close(reader);
        fixture_end(&test);
    }
}

static void a_file_with_none_of_the_columns_gives_nulls(void **state)
{
    (void)state;
    fixture test;
    start_table(&test, "avro");
    weir_data_file *file = write_old_file(&test);
    const weir_schema *schema = fixture_schema(&test, schema_text(&test, 1, NEW_FIELDS, "avro"));
    weir_format_reader *reader = open_file(&test, file, schema->fields, 1);
    weir_vector values;
    weir_vector_init(&values, schema->fields[0].type);
    CHECK(&test, reader->ops->read(reader, 0, 0, 10, &values, &test.err));
    assert_int_equal(values.length, 10);
    assert_int_equal(values.null_count, 10);
    weir_row_ranges ranges = {0};
    CHECK(&test, reader->ops->prune(reader, NULL, &ranges, &test.err));
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges.ranges[0].count, 10);
    weir_row_ranges_free(&ranges);
    weir_vector_free(&values);
    reader->ops->close(reader);
    fixture_end(&test);
}

static const weir_predicate *equals(fixture *test, int32_t column, const weir_type *type, int64_t number)
{
    weir_literal literal = {.integer = number};
    return weir_predicate_leaf(&test->arena, WEIR_PREDICATE_EQUAL, column, type, &literal, 1);
}

static int64_t rows_left(fixture *test, weir_format_reader *reader, const weir_predicate *predicate)
{
    weir_row_ranges ranges = {0};
    CHECK(test, reader->ops->prune(reader, predicate, &ranges, &test->err));
    int64_t rows = 0;
    for (size_t i = 0; i < ranges.count; i++) {
        rows += ranges.ranges[i].count;
    }
    weir_row_ranges_free(&ranges);
    return rows;
}

static void predicates_on_cast_or_absent_columns_rule_out_nothing(void **state)
{
    (void)state;
    fixture test;
    start_table(&test, "parquet");
    weir_data_file *file = write_old_file(&test);
    const weir_schema *schema = fixture_schema(&test, schema_text(&test, 1, NEW_FIELDS, "parquet"));
    weir_format_reader *reader = open_file(&test, file, schema->fields, schema->field_count);
    const weir_predicate *on_cast = equals(&test, 1, schema->fields[1].type, 1000);
    const weir_predicate *on_key = equals(&test, 4, schema->fields[4].type, 1000);
    const weir_predicate *both[] = {on_cast, on_key};
    assert_int_equal(rows_left(&test, reader, on_cast), 10);
    assert_int_equal(rows_left(&test, reader, on_key), 0);
    assert_int_equal(rows_left(&test, reader, weir_predicate_combine(&test.arena, WEIR_PREDICATE_AND, both, 2)), 0);
    assert_int_equal(rows_left(&test, reader, weir_predicate_combine(&test.arena, WEIR_PREDICATE_OR, both, 2)), 10);
    reader->ops->close(reader);
    fixture_end(&test);
}

static void what_is_wrong_with_a_file_is_said_with_its_name(void **state)
{
    (void)state;
    fixture test;
    start_table(&test, "avro");
    weir_data_file *file = write_old_file(&test);
    const weir_field *fields = test.context.schema->fields;
    weir_format_reader *reader = NULL;
    const char *bucket_path = fixture_bucket_path(&test);

    weir_data_file changed = *file;
    changed.row_count = 11;
    assert_int_equal(weir_data_file_open(&test.context, bucket_path, &changed, fields, 1, &reader, &test.err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(test.err.message, file->name));

    changed = *file;
    changed.schema_id = 7;
    assert_int_equal(weir_data_file_open(&test.context, bucket_path, &changed, fields, 1, &reader, &test.err),
                     WEIR_NOT_FOUND);
    assert_non_null(strstr(test.err.message, file->name));

    changed = *file;
    changed.name = "data-1-0.avro";
    assert_int_equal(weir_data_file_open(&test.context, bucket_path, &changed, fields, 1, &reader, &test.err),
                     WEIR_NOT_FOUND);

    changed.name = "data";
    assert_int_equal(weir_data_file_open(&test.context, bucket_path, &changed, fields, 1, &reader, &test.err),
                     WEIR_CORRUPT);
    fixture_end(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_id_cast_and_null_where_they_did_not_exist),
        cmocka_unit_test(sequence_numbers_and_kinds_are_columns_too_and_a_column_may_be_asked_for_twice),
        cmocka_unit_test(a_file_with_none_of_the_columns_gives_nulls),
        cmocka_unit_test(predicates_on_cast_or_absent_columns_rule_out_nothing),
        cmocka_unit_test(what_is_wrong_with_a_file_is_said_with_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
