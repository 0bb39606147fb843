/* Batches through the Arrow C data interface: there and back, and arrays as others make them. */
#include "vector/arrow.h"

#include "rows.h"
#include "vector/compare.h"

static const char all_types[] =
    "BOOLEAN, TINYINT, SMALLINT, INT NOT NULL, BIGINT, FLOAT, DOUBLE, DECIMAL(10,2), DECIMAL(38,10), CHAR(10), STRING, "
    "BYTES, BINARY(3), DATE, TIME(3), TIMESTAMP(0), TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP_LTZ(3), TIMESTAMP_LTZ(6), "
    "TIMESTAMP(9), TIMESTAMP_LTZ(9), ARRAY<INT>, ARRAY<ARRAY<STRING>>, MAP<STRING NOT NULL, BIGINT>, MULTISET<INT NOT "
    "NULL>, ROW<a INT, b STRING, c ARRAY<BOOLEAN>>";

/* Nanoseconds that Arrow has room for: 1800 to 2200. */
static void tame_timestamps(test_rows *rows)
{
    for (int32_t column = 0; column < rows->column_count; column++) {
        weir_vector *vector = &rows->batch.columns[column];
        if (vector->layout == WEIR_LAYOUT_128 && vector->type->id != WEIR_DECIMAL) {
            for (int64_t i = 0; i < vector->length; i++) {
                WEIR_VALUES(vector, weir_timestamp_nanos)[i].millis %= 5000000000000;
            }
        }
    }
}

static void check_same_rows(const weir_batch *a, const weir_batch *b)
{
    assert_int_equal(a->length, b->length);
    for (int32_t column = 0; column < a->column_count; column++) {
        assert_int_equal(a->columns[column].length, a->length);
        assert_int_equal(a->columns[column].null_count, b->columns[column].null_count);
        for (int64_t row = 0; row < a->length; row++) {
            if (!weir_vector_values_equal(&a->columns[column], row, &b->columns[column], row)) {
                char *found = weir_strdup(json_text(&a->columns[column], row));
                fail_msg("column %d, row %d: %s, not %s", column, (int)row, found, json_text(&b->columns[column], row));
            }
        }
    }
    for (int64_t row = 0; row < a->length; row++) {
        assert_int_equal(weir_batch_kind(a, row), weir_batch_kind(b, row));
    }
}

static void a_batch_comes_back_as_it_was(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int64_t count = 0; count < 200; count = count * 2 + 1) {
        weir_error err;
        test_rows rows;
        test_rows copy;
        test_rows back;
        struct ArrowSchema schema;
        struct ArrowArray array;
        rows_start(&rows, all_types);
        rows_start(&copy, all_types);
        rows_start(&back, all_types);
        rows_add_random(&rows, &random, count);
        tame_timestamps(&rows);
        check_ok(weir_batch_append_range(&copy.batch, &rows.batch, 0, count, &err), &err);
        check_ok(weir_arrow_export_schema(rows.fields, rows.column_count, &schema, &err), &err);
        check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
        assert_int_equal(rows.batch.length, 0);
        assert_int_equal(array.length, count);
        check_ok(weir_arrow_import_batch(&schema, &array, &back.batch, &err), &err);
        check_same_rows(&back.batch, &copy.batch);
        check_ok(weir_arrow_import_batch(&schema, &array, &back.batch, &err), &err); /* appends */
        assert_int_equal(back.batch.length, 2 * count);
        rows_add_random(&rows, &random, 3); /* the emptied batch can be filled again */
        array.release(&array);
        schema.release(&schema);
        assert_null(array.release);
        assert_null(schema.release);
        rows_free(&rows);
        rows_free(&copy);
        rows_free(&back);
    }
}

/* A slice of an array is the same array with another offset and length. */
static void slices_give_their_rows_alone(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_error err;
    test_rows rows;
    test_rows copy;
    test_rows expected;
    test_rows back;
    struct ArrowSchema schema;
    struct ArrowArray array;
    rows_start(&rows, all_types);
    rows_start(&copy, all_types);
    rows_start(&expected, all_types);
    rows_start(&back, all_types);
    rows_add_random(&rows, &random, 100);
    tame_timestamps(&rows);
    check_ok(weir_batch_append_range(&copy.batch, &rows.batch, 0, 100, &err), &err);
    check_ok(weir_arrow_export_schema(rows.fields, rows.column_count, &schema, &err), &err);
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    for (int round = 0; round < 30; round++) {
        int64_t first = (int64_t)random_below(&random, 101);
        int64_t count = (int64_t)random_below(&random, (uint64_t)(101 - first));
        int64_t in_columns = (int64_t)random_below(&random, (uint64_t)first + 1); /* the rest in the struct */
        array.length = count;
        array.offset = first - in_columns;
        for (int64_t i = 0; i < array.n_children; i++) {
            array.children[i]->offset = in_columns;
            array.children[i]->length = 100 - in_columns;
        }
        weir_batch_clear(&back.batch);
        weir_batch_clear(&expected.batch);
        check_ok(weir_batch_append_range(&expected.batch, &copy.batch, first, count, &err), &err);
        check_ok(weir_arrow_import_batch(&schema, &array, &back.batch, &err), &err);
        check_same_rows(&back.batch, &expected.batch);
    }
    array.release(&array);
    schema.release(&schema);
    rows_free(&rows);
    rows_free(&copy);
    rows_free(&expected);
    rows_free(&back);
}

static void every_type_has_its_arrow_format(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *format;
    } cases[] = {
        {"BOOLEAN", "b"},
        {"TINYINT", "c"},
        {"SMALLINT", "s"},
        {"INT", "i"},
        {"BIGINT", "l"},
        {"FLOAT", "f"},
        {"DOUBLE", "g"},
        {"DECIMAL(10,2)", "d:10,2"},
        {"DECIMAL(38,0)", "d:38,0"},
        {"CHAR(3)", "u"},
        {"STRING", "u"},
        {"BINARY(3)", "z"},
        {"BYTES", "z"},
        {"BLOB", "z"},
        {"DATE", "tdD"},
        {"TIME(0)", "ttm"},
        {"TIMESTAMP(0)", "tsm:"},
        {"TIMESTAMP(3)", "tsm:"},
        {"TIMESTAMP(6)", "tsu:"},
        {"TIMESTAMP(9)", "tsn:"},
        {"TIMESTAMP_LTZ(3)", "tsm:UTC"},
        {"TIMESTAMP_LTZ(6)", "tsu:UTC"},
        {"TIMESTAMP_LTZ(9)", "tsn:UTC"},
        {"ARRAY<INT>", "+l"},
        {"MAP<INT,INT>", "+m"},
        {"MULTISET<INT>", "+m"},
        {"ROW<a INT>", "+s"},
        {"VARIANT", "+s"},
        {"NULL", "n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        test_rows rows;
        struct ArrowSchema schema;
        rows_start(&rows, cases[i].type);
        check_ok(weir_arrow_export_schema(rows.fields, 1, &schema, &err), &err);
        assert_string_equal(schema.format, "+s");
        assert_string_equal(schema.children[0]->format, cases[i].format);
        assert_string_equal(schema.children[0]->name, "c0");
        assert_int_equal(schema.children[0]->flags, ARROW_FLAG_NULLABLE);
        schema.release(&schema);
        rows_free(&rows);
    }
}

static void a_map_is_a_list_of_entries_with_keys_that_are_not_null(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    struct ArrowSchema schema;
    struct ArrowArray array;
    rows_start(&rows, "MAP<STRING, INT> NOT NULL");
    rows_add(&rows, "[[[['a',1],['b',null]]], [[]]]");
    check_ok(weir_arrow_export_schema(rows.fields, 1, &schema, &err), &err);
    const struct ArrowSchema *entries = schema.children[0]->children[0];
    assert_int_equal(schema.children[0]->flags, 0);
    assert_string_equal(entries->format, "+s");
    assert_int_equal(entries->flags, 0);
    assert_int_equal(entries->n_children, 2);
    assert_int_equal(entries->children[0]->flags, 0);
    assert_int_equal(entries->children[1]->flags, ARROW_FLAG_NULLABLE);
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    assert_int_equal(array.children[0]->length, 2);
    assert_int_equal(array.children[0]->children[0]->length, 2);
    assert_int_equal(array.children[0]->children[0]->children[1]->null_count, 1);
    array.release(&array);
    schema.release(&schema);
    rows_free(&rows);
}

/* The specification lets a consumer move a child out and release the rest. */
static void a_child_may_be_moved_away(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    struct ArrowSchema schema;
    struct ArrowArray array;
    rows_start(&rows, "INT, STRING");
    rows_add(&rows, "[[1,'a'],[2,'b']]");
    check_ok(weir_arrow_export_schema(rows.fields, 2, &schema, &err), &err);
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    struct ArrowArray text = *array.children[1];
    struct ArrowSchema text_schema = *schema.children[1];
    array.children[1]->release = NULL;
    schema.children[1]->release = NULL;
    array.release(&array);
    schema.release(&schema);
    rows_free(&rows);
    assert_string_equal(text_schema.format, "u");
    assert_memory_equal(text.buffers[2], "ab", 2);
    text.release(&text);
    text_schema.release(&text_schema);
}

static void kinds_travel_as_a_column(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    test_rows back;
    struct ArrowSchema schema;
    struct ArrowArray array;
    rows_start(&rows, "INT");
    rows_start(&back, "INT");
    rows_add(&rows, "[[1],[2]]");
    weir_batch_reserve_kinds(&rows.batch, 2);
    rows.batch.kinds[1] = WEIR_DELETE;
    weir_field fields[] = {rows.fields[0],
                           {.id = -1, .name = WEIR_ARROW_ROW_KIND, .type = weir_type_simple(WEIR_TINYINT, false)}};
    check_ok(weir_arrow_export_schema(fields, 2, &schema, &err), &err);
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    assert_int_equal(array.n_children, 2);
    rows_add(&back, "[[0]]");
    check_ok(weir_arrow_import_batch(&schema, &array, &back.batch, &err), &err);
    assert_int_equal(back.batch.length, 3);
    assert_int_equal(weir_batch_kind(&back.batch, 0), WEIR_INSERT);
    assert_int_equal(weir_batch_kind(&back.batch, 1), WEIR_INSERT);
    assert_int_equal(weir_batch_kind(&back.batch, 2), WEIR_DELETE);
    *(int8_t *)array.children[1]->buffers[1] = 4;
    assert_int_equal(weir_arrow_import_batch(&schema, &array, &back.batch, &err), WEIR_INVALID);
    array.release(&array);
    schema.release(&schema);
    rows_free(&rows);
    rows_free(&back);
}

static void borrowed_memory_is_copied(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    struct ArrowArray array;
    int32_t values[] = {1, 2, 3};
    rows_start(&rows, "INT");
    rows.batch.columns[0].data = (uint8_t *)values;
    rows.batch.columns[0].length = 3;
    rows.batch.length = 3;
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    assert_ptr_not_equal(array.children[0]->buffers[1], values);
    assert_memory_equal(array.children[0]->buffers[1], values, sizeof values);
    array.release(&array);
    rows_free(&rows);
}

static void nanoseconds_beyond_arrows_range_are_an_error(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    struct ArrowArray array;
    rows_start(&rows, "STRING, TIMESTAMP(9), ARRAY<TIMESTAMP(9)>");
    rows_add(&rows, "[['a','9999-12-31 00:00:00',null]]");
    assert_int_equal(weir_arrow_export_batch(&rows.batch, &array, &err), WEIR_INVALID);
    assert_int_equal(rows.batch.length, 0);
    rows_add(&rows, "[['a',null,['0001-01-01 00:00:00']]]");
    assert_int_equal(weir_arrow_export_batch(&rows.batch, &array, &err), WEIR_INVALID);
    rows_add(&rows, "[['a','2262-04-11 23:47:16.854775807',['1677-09-21 00:12:44']]]");
    check_ok(weir_arrow_export_batch(&rows.batch, &array, &err), &err);
    assert_int_equal(*(const int64_t *)array.children[1]->buffers[1], INT64_MAX);
    array.release(&array);
    rows_free(&rows);
}

/* ---- arrays made by others ---- */

typedef struct foreign {
    struct ArrowSchema schema;
    struct ArrowArray array;
    struct ArrowSchema column_schema;
    struct ArrowArray column;
    struct ArrowSchema *schemas[1];
    struct ArrowArray *arrays[1];
    const void *buffers[3];
    const void *no_buffers[1];
} foreign;

/* One column of `length` rows over the caller's memory. */
static void foreign_column(foreign *rows, const char *format, int64_t length, const void *validity, const void *first,
                           const void *second)
{
    memset(rows, 0, sizeof *rows);
    rows->schemas[0] = &rows->column_schema;
    rows->arrays[0] = &rows->column;
    rows->buffers[0] = validity;
    rows->buffers[1] = first;
    rows->buffers[2] = second;
    rows->schema = (struct ArrowSchema){.format = "+s", .name = "", .n_children = 1, .children = rows->schemas};
    rows->array = (struct ArrowArray){
        .length = length, .n_buffers = 1, .n_children = 1, .buffers = rows->no_buffers, .children = rows->arrays};
    rows->column_schema = (struct ArrowSchema){.format = format, .name = "x"};
    rows->column = (struct ArrowArray){
        .length = length, .null_count = -1, .n_buffers = second != NULL ? 3 : 2, .buffers = rows->buffers};
}

static void check_foreign(const foreign *from, const char *type, const char *const *expected)
{
    weir_error err;
    test_rows rows;
    rows_start(&rows, type);
    check_ok(weir_arrow_import_batch(&from->schema, &from->array, &rows.batch, &err), &err);
    for (int64_t i = 0; i < rows.batch.length; i++) {
        assert_string_equal(json_text(&rows.batch.columns[0], i), expected[i]);
    }
    rows_free(&rows);
}

static void check_refused(const foreign *from, const char *type)
{
    weir_error err = {0};
    test_rows rows;
    rows_start(&rows, type);
    assert_int_equal(weir_arrow_import_batch(&from->schema, &from->array, &rows.batch, &err), WEIR_INVALID);
    assert_true(strlen(err.message) > 10);
    rows_free(&rows);
}

static void other_units_of_time_are_taken_when_nothing_is_lost(void **state)
{
    (void)state;
    static const int64_t instants[] = {-1000000, 0, 1500000000};
    static const int64_t odd[] = {1};
    static const int64_t far[] = {INT64_MAX};
    foreign rows;
    foreign_column(&rows, "tsu:UTC", 3, NULL, instants, NULL);
    check_foreign(&rows, "TIMESTAMP(3)",
                  (const char *const[]){"\"1969-12-31 23:59:59.000\"", "\"1970-01-01 00:00:00.000\"",
                                        "\"1970-01-01 00:25:00.000\""});
    foreign_column(&rows, "tsn:", 3, NULL, instants, NULL);
    check_foreign(&rows, "TIMESTAMP_LTZ(6)",
                  (const char *const[]){"\"1969-12-31 23:59:59.999000Z\"", "\"1970-01-01 00:00:00.000000Z\"",
                                        "\"1970-01-01 00:00:01.500000Z\""});
    foreign_column(&rows, "tss:", 3, NULL, instants, NULL);
    check_foreign(&rows, "TIMESTAMP(9)",
                  (const char *const[]){"\"1969-12-20 10:13:20.000000000\"", "\"1970-01-01 00:00:00.000000000\"",
                                        "\"2017-07-14 02:40:00.000000000\""});
    foreign_column(&rows, "tsn:", 1, NULL, odd, NULL);
    check_refused(&rows, "TIMESTAMP(6)");
    check_foreign(&rows, "TIMESTAMP(9)", (const char *const[]){"\"1970-01-01 00:00:00.000000001\""});
    foreign_column(&rows, "tss:", 1, NULL, far, NULL);
    check_refused(&rows, "TIMESTAMP(3)");
    foreign_column(&rows, "tsm:", 1, NULL, far, NULL);
    check_refused(&rows, "TIMESTAMP(6)");
    foreign_column(&rows, "tdD", 1, NULL, odd, NULL);
    check_refused(&rows, "TIMESTAMP(6)");
}

static void other_units_of_the_day_are_taken_when_nothing_is_lost(void **state)
{
    (void)state;
    static const int32_t seconds[] = {86399};
    static const int64_t micros[] = {86399999000};
    static const int64_t nanos[] = {1};
    static const int32_t beyond[] = {86400};
    foreign rows;
    foreign_column(&rows, "tts", 1, NULL, seconds, NULL);
    check_foreign(&rows, "TIME(0)", (const char *const[]){"\"23:59:59.000\""});
    foreign_column(&rows, "ttu", 1, NULL, micros, NULL);
    check_foreign(&rows, "TIME(3)", (const char *const[]){"\"23:59:59.999\""});
    foreign_column(&rows, "ttn", 1, NULL, nanos, NULL);
    check_refused(&rows, "TIME(3)");
    foreign_column(&rows, "tts", 1, NULL, beyond, NULL);
    check_refused(&rows, "TIME(0)");
}

static void slots_of_nulls_may_hold_anything(void **state)
{
    (void)state;
    static const uint8_t validity[] = {5}; /* the second of three is null */
    static const int32_t numbers[] = {1, 99, 3};
    static const int64_t times[] = {1000, 1, 3000};
    static const int32_t offsets[] = {0, 1, 3, 4};
    foreign rows;
    weir_error err;
    test_rows integers;
    foreign_column(&rows, "i", 3, validity, numbers, NULL);
    check_foreign(&rows, "INT", (const char *const[]){"1", "null", "3"});
    rows_start(&integers, "INT");
    check_ok(weir_arrow_import_batch(&rows.schema, &rows.array, &integers.batch, &err), &err);
    assert_int_equal(WEIR_VALUES(&integers.batch.columns[0], int32_t)[1], 0);
    rows_free(&integers);
    foreign_column(&rows, "ttu", 3, validity, times, NULL);
    check_foreign(&rows, "TIME(3)", (const char *const[]){"\"00:00:00.001\"", "null", "\"00:00:00.003\""});
    foreign_column(&rows, "u", 3, validity, offsets, "abcd");
    check_foreign(&rows, "STRING", (const char *const[]){"\"a\"", "null", "\"d\""});
    foreign_column(&rows, "w:2", 3, validity, "aaxxcc", NULL);
    check_foreign(&rows, "BINARY(2)", (const char *const[]){"\"6161\"", "null", "\"6363\""});
    foreign_column(&rows, "n", 3, NULL, NULL, NULL);
    rows.column.n_buffers = 0;
    check_foreign(&rows, "STRING", (const char *const[]){"null", "null", "null"});
}

static void large_offsets_are_taken(void **state)
{
    (void)state;
    static const int64_t offsets[] = {0, 1, 1, 3};
    foreign rows;
    foreign_column(&rows, "U", 3, NULL, offsets, "abc");
    check_foreign(&rows, "STRING", (const char *const[]){"\"a\"", "\"\"", "\"bc\""});
    foreign_column(&rows, "Z", 3, NULL, offsets, "abc");
    check_foreign(&rows, "BYTES", (const char *const[]){"\"61\"", "\"\"", "\"6263\""});
}

static void columns_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    static const int64_t numbers[] = {1, 2, 3, 4};
    static const weir_int128 decimals[] = {1000};
    static const int32_t back[] = {2, 0, 2};
    static const int64_t huge[] = {0, (int64_t)1 << 31};
    foreign rows;
    foreign_column(&rows, "l", 1, NULL, numbers, NULL);
    check_refused(&rows, "INT");
    check_refused(&rows, "STRING");
    check_refused(&rows, "ARRAY<INT>");
    check_refused(&rows, "INT, INT");
    foreign_column(&rows, "I", 1, NULL, numbers, NULL);
    check_refused(&rows, "INT");
    foreign_column(&rows, "d:10,2", 1, NULL, decimals, NULL);
    check_refused(&rows, "DECIMAL(10,3)");
    check_refused(&rows, "DECIMAL(3,2)");
    check_foreign(&rows, "DECIMAL(4,2)", (const char *const[]){"\"10.00\""});
    foreign_column(&rows, "d:10,2,256", 1, NULL, decimals, NULL);
    check_refused(&rows, "DECIMAL(10,2)");
    foreign_column(&rows, "u", 2, NULL, back, "ab");
    check_refused(&rows, "STRING");
    foreign_column(&rows, "U", 1, NULL, huge, "ab");
    check_refused(&rows, "STRING");
    foreign_column(&rows, "i", 2, NULL, numbers, NULL);
    rows.column.length = 1;
    check_refused(&rows, "INT");
    foreign_column(&rows, "i", 1, NULL, numbers, NULL);
    rows.column.n_buffers = 1;
    check_refused(&rows, "INT");
    rows.schema.format = "i";
    check_refused(&rows, "INT");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_comes_back_as_it_was),
        cmocka_unit_test(slices_give_their_rows_alone),
        cmocka_unit_test(every_type_has_its_arrow_format),
        cmocka_unit_test(a_map_is_a_list_of_entries_with_keys_that_are_not_null),
        cmocka_unit_test(a_child_may_be_moved_away),
        cmocka_unit_test(kinds_travel_as_a_column),
        cmocka_unit_test(borrowed_memory_is_copied),
        cmocka_unit_test(nanoseconds_beyond_arrows_range_are_an_error),
        cmocka_unit_test(other_units_of_time_are_taken_when_nothing_is_lost),
        cmocka_unit_test(other_units_of_the_day_are_taken_when_nothing_is_lost),
        cmocka_unit_test(slots_of_nulls_may_hold_anything),
        cmocka_unit_test(large_offsets_are_taken),
        cmocka_unit_test(columns_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
