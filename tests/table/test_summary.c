/* Counts and bounds from metadata: exact, or not known. */
#include "cmocka_all.h"

#include "table/scan/summary.h"
#include "table/table_fixture.h"

/* "rows, values of v, min(v), max(v)", or "unknown". */
static const char *summary_text(fixture *table, const weir_predicate *predicate)
{
    weir_error err = {0};
    int32_t v = weir_schema_column(table->table->schema, "v");
    weir_summary summaries[] = {
        {.kind = WEIR_SUMMARY_ROWS, .column = -1},
        {.kind = WEIR_SUMMARY_VALUES, .column = v},
        {.kind = WEIR_SUMMARY_MIN, .column = v},
        {.kind = WEIR_SUMMARY_MAX, .column = v},
    };
    bool known = false;
    weir_buffer text = {0};
    must(weir_table_summarize(table->table, predicate, summaries, 4, &known, &err), &err, "summarizing");
    for (int i = 0; i < 4 && known; i++) {
        weir_buffer_append_text(&text, i == 0 ? "" : " ");
        if (summaries[i].value.is_null) {
            weir_buffer_append_text(&text, "NULL");
        } else {
            weir_buffer_append_format(&text, "%lld", (long long)summaries[i].value.integer);
        }
    }
    const char *result = known ? weir_arena_strdup(&table->arena, weir_buffer_text(&text)) : "unknown";
    weir_buffer_free(&text);
    return result;
}

static const weir_predicate *equals(fixture *table, const char *column, const char *value)
{
    int32_t position = weir_schema_column(table->table->schema, column);
    const weir_type *type = table->table->schema->fields[position].type;
    weir_literal literal;
    weir_error err = {0};
    must(weir_literal_parse(type, weir_slice_text(value), &table->arena, &literal, &err), &err, "a literal");
    return weir_predicate_leaf(&table->arena, WEIR_PREDICATE_EQUAL, position, type, &literal, 1);
}

static void append_tables_are_summed_up(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p STRING, v INT, s STRING", "", "p", "bucket=-1");
    assert_string_equal(summary_text(&table, NULL), "0 0 NULL NULL");
    fixture_commit(&table, "[[\"a\",5,\"x\"],[\"a\",null,\"y\"],[\"b\",-7,null]]", "+I");
    fixture_commit(&table, "[[\"b\",9,null],[\"c\",null,null]]", "+I");
    assert_string_equal(summary_text(&table, NULL), "5 3 -7 9");
    assert_string_equal(summary_text(&table, equals(&table, "p", "a")), "2 1 5 5");
    assert_string_equal(summary_text(&table, equals(&table, "p", "c")), "1 0 NULL NULL");
    assert_string_equal(summary_text(&table, equals(&table, "p", "d")), "0 0 NULL NULL");
    assert_string_equal(summary_text(&table, equals(&table, "v", "5")), "unknown");
    fixture_free(&table);
}

static void keys_are_counted_where_nothing_is_to_be_merged(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "k", "", "bucket=1;write-only=true");
    fixture_commit(&table, "[[1,5],[2,7]]", "+I");
    assert_string_equal(summary_text(&table, NULL), "2 2 5 7");
    fixture_commit(&table, "[[10,1],[11,2]]", "+I"); /* other keys, so that each file stands alone */
    assert_string_equal(summary_text(&table, NULL), "4 4 1 7");
    fixture_commit(&table, "[[2,9]]", "+I");
    assert_string_equal(summary_text(&table, NULL), "unknown");
    fixture_free(&table);
}

static void a_delete_is_no_row(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "k", "", "bucket=1;write-only=true");
    fixture_commit(&table, "[[1,5]]", "+I");
    fixture_commit(&table, "[[7,5]]", "-D");
    assert_string_equal(summary_text(&table, NULL), "unknown");
    fixture_free(&table);
}

static void columns_without_statistics_are_not_known(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "", "", "bucket=-1;metadata.stats-mode=none");
    fixture_commit(&table, "[[1,5]]", "+I");
    assert_string_equal(summary_text(&table, NULL), "unknown");
    fixture_free(&table);
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "", "", "bucket=-1");
    fixture_commit(&table, "[[1,\"a text that statistics truncate\"]]", "+I");
    assert_string_equal(summary_text(&table, NULL), "unknown");
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(append_tables_are_summed_up),
        cmocka_unit_test(keys_are_counted_where_nothing_is_to_be_merged),
        cmocka_unit_test(a_delete_is_no_row),
        cmocka_unit_test(columns_without_statistics_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
