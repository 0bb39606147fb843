/* Aggregate functions that look into values: maps by time, elements member by member, bitmaps. */
#include "cmocka_all.h"

#include <stdio.h>

#include "merge/merge_engine.h"
#include "table/table_fixture.h"

/* The value of column a after rows with the given values, by a table with options `options`. */
static void assert_value(const char *type, const char *options, const char *const *values, const char *expected)
{
    fixture table;
    weir_error err = {0};
    lines found = {0};
    char columns[160], all[300], row[300];
    snprintf(columns, sizeof columns, "k INT NOT NULL, a %s", type);
    snprintf(all, sizeof all, "bucket=1;merge-engine=aggregation;%s", options);
    fixture_create(&table, columns, "k", "", all);
    for (; *values != NULL; values++) {
        snprintf(row, sizeof row, "[[1, %s]]", *values);
        fixture_commit(&table, row, "+I");
    }
    must(table_rows(table.fs, FIXTURE_PATH, NULL, NULL, false, &found, &err), &err, "reading");
    snprintf(row, sizeof row, "[1,%s]", expected);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.items[0], row);
    lines_free(&found);
    fixture_free(&table);
}

#define VALUES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void of_each_key_of_a_map_the_later_value_stays(void **state)
{
    (void)state;
    const char *type = "MAP<STRING, ROW<v INT, t STRING>>";
    const char *options = "fields.a.aggregate-function=merge_map_with_keytime";
    assert_value(type, options,
                 VALUES("[[\"x\", [1, \"2\"]], [\"y\", [1, \"2\"]]]", "[[\"x\", [2, \"1\"]], [\"y\", [2, \"3\"]]]"),
                 "[[\"x\",[1,\"2\"]],[\"y\",[2,\"3\"]]]");
    /* Times are text; an equal one does not replace. */
    assert_value(type, options, VALUES("[[\"x\", [1, \"9\"]]]", "[[\"x\", [2, \"10\"]]]", "[[\"x\", [3, \"9\"]]]"),
                 "[[\"x\",[1,\"9\"]]]");
    /* NULL takes a key away, also one that came with no time; a value without a time does nothing. */
    assert_value(type, options,
                 VALUES("[[\"x\", [1, \"2\"]], [\"y\", [1, null]]]", "[[\"x\", null], [\"y\", [2, \"1\"]]]",
                        "[[\"z\", [3, null]]]", "null"),
                 "[[\"y\",[2,\"1\"]]]");
    /* Characters of two UTF-16 units come before U+FFFF, as in Java. */
    assert_value(type, options, VALUES("[[\"x\", [1, \"\xf0\x9f\x98\x80\"]]]", "[[\"x\", [2, \"\xef\xbf\xbf\"]]]"),
                 "[[\"x\",[2,\"\xef\xbf\xbf\"]]]");
    assert_value("MAP<INT, ROW<t STRING, v INT>>",
                 "fields.a.aggregate-function=merge_map_with_keytime;fields.a.ts-field=t",
                 VALUES("[[1, [\"5\", 1]]]", "[[1, [\"6\", 2]]]"), "[[1,[\"6\",2]]]");
}

static void elements_of_one_key_become_one_member_by_member(void **state)
{
    (void)state;
    const char *type = "ARRAY<ROW<k INT, a INT, b STRING>>";
    const char *options = "fields.a.aggregate-function=nested_partial_update;fields.a.nested-key=k";
    /* In the order of Java's hash table. */
    assert_value(type, options, VALUES("[[1, 1, null], [2, 5, \"u\"]]", "[[1, null, \"v\"], null, [2, 6, null]]"),
                 "[[2,6,\"u\"],[1,1,\"v\"]]");
    assert_value(type, options, VALUES("[[1, 1, null], null, [1, 2, \"w\"]]", "null"), "[[1,1,null],null,[1,2,\"w\"]]");
    assert_value(type, options, VALUES("[[1, 1, null], null, [1, 2, \"w\"]]", "[]"), "[[1,2,\"w\"]]");
    assert_value(type, options, VALUES("null", "null"), "null");
}

static void bitmaps_become_their_union(void **state)
{
    (void)state;
    const char *options = "fields.a.aggregate-function=rbm32";
    assert_value("BYTES", options,
                 VALUES("\"3a300000010000000000000010000000"
                        "0100\"",
                        "null",
                        "\"3a300000010000000000000010000000"
                        "0700\""),
                 "\"3a300000010000000000010010000000"
                 "01000700\"");
    assert_value("BYTES", options, VALUES("\"00\""), "\"00\""); /* alone it is not looked at */
}

static void what_the_functions_need_is_told(void **state)
{
    static const struct {
        const char *columns, *options, *message;
    } cases[] = {
        {"a MAP<STRING, INT>", "fields.a.aggregate-function=merge_map_with_keytime", "is for MAP of ROW"},
        {"a MAP<STRING, ROW<v INT, t INT>>", "fields.a.aggregate-function=merge_map_with_keytime", "'t' is INT"},
        {"a MAP<STRING, ROW<v INT, t STRING>>",
         "fields.a.aggregate-function=merge_map_with_keytime;fields.a.ts-field=u", "Timestamp field 'u' not found"},
        {"a ARRAY<ROW<k INT, v INT>>", "fields.a.aggregate-function=nested_partial_update",
         "needs 'fields.a.nested-key'"},
        {"a ARRAY<ROW<k INT, v INT>>", "fields.a.aggregate-function=nested_partial_update;fields.a.nested-key=x",
         "names 'x', which its rows do not have"},
        {"a INT", "fields.a.aggregate-function=rbm32", "is for VARBINARY"},
        {"a BYTES", "fields.a.aggregate-function=rbm64", "does not have the aggregate function 'rbm64'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_error err = {0};
        weir_schema *schema = NULL;
        const weir_type *row = NULL;
        const char *keys[] = {"k"};
        weir_options options = {0};
        weir_arena_init(&arena);
        must(
            weir_type_parse(weir_arena_format(&arena, "ROW<k INT NOT NULL, %s>", cases[i].columns), &arena, &row, &err),
            &err, "columns");
        fixture_options(&arena, weir_arena_format(&arena, "bucket=1;merge-engine=aggregation;%s", cases[i].options),
                        &options);
        int code =
            weir_schema_create(&arena, row->fields, row->field_count, keys, 1, NULL, 0, &options, NULL, &schema, &err);
        if (code == WEIR_OK) {
            code = weir_merge_check_options(schema, &err);
        }
        assert_int_not_equal(code, WEIR_OK);
        if (strstr(err.message, cases[i].message) == NULL) {
            fail_msg("case %zu: %s", i, err.message);
        }
        weir_arena_free(&arena);
    }
}

static void bytes_that_are_no_bitmap_name_their_column(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    lines found = {0};
    fixture_create(&table, "k INT NOT NULL, a BYTES", "k", "",
                   "bucket=1;merge-engine=aggregation;fields.a.aggregate-function=rbm32");
    fixture_commit(&table, "[[1, \"0102\"]]", "+I");
    fixture_commit(&table, "[[1, \"0102\"]]", "+I");
    assert_int_equal(table_rows(table.fs, FIXTURE_PATH, NULL, NULL, false, &found, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "column 'a'"));
    assert_non_null(strstr(err.message, "2 bytes are no roaring bitmap"));
    lines_free(&found);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_each_key_of_a_map_the_later_value_stays),
        cmocka_unit_test(elements_of_one_key_become_one_member_by_member),
        cmocka_unit_test(bitmaps_become_their_union),
        cmocka_unit_test(what_the_functions_need_is_told),
        cmocka_unit_test(bytes_that_are_no_bitmap_name_their_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
