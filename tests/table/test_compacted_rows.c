/* What compactions make of rows that nothing is merged with: some expire, some are folded all the same. */
#include "cmocka_all.h"

#include <stdio.h>

#include "table/table_fixture.h"

static void compact(fixture *table)
{
    weir_error err = {0};
    weir_compactor *compactor = NULL;
    weir_compactor_round round;
    const weir_compactor_options options = {.full = true};
    must(weir_compactor_open(table->table, &options, &compactor, &err), &err, "opening a compactor");
    must(weir_compactor_run(compactor, &round, &err), &err, "compacting");
    weir_compactor_close(compactor);
}

static void assert_rows(const fixture *table, const char *expected)
{
    weir_error err = {0};
    lines found = {0};
    weir_buffer text = {0};
    must(table_rows(table->fs, FIXTURE_PATH, NULL, NULL, false, &found, &err), &err, "reading");
    lines_sort(&found);
    for (size_t i = 0; i < found.count; i++) {
        weir_buffer_append_format(&text, "%s%s", i > 0 ? " " : "", found.items[i]);
    }
    assert_string_equal(weir_buffer_text(&text), expected);
    weir_buffer_free(&text);
    lines_free(&found);
}

static void expired_rows_go_with_a_file_that_could_only_move(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k INT NOT NULL, t INT", "k", "",
                   "bucket=1;record-level.expire-time=1 d;record-level.time-field=t");
    fixture_commit(&table, "[[1, 1000], [2, 2147000000], [3, null]]", "+I");
    assert_rows(&table, "[1,1000] [2,2147000000] [3,null]");
    compact(&table);
    assert_rows(&table, "[2,2147000000] [3,null]");
    fixture_free(&table);
}

static void rows_expire_in_the_highest_level_too(void **state)
{
    static const char *const types[] = {"INT", "BIGINT", "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)"};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        fixture table;
        char columns[60];
        bool is_number = i < 2;
        snprintf(columns, sizeof columns, "k INT NOT NULL, t %s", types[i]);
        fixture_create(&table, columns, "k", "", "bucket=1;record-level.time-field=t;file.format=parquet");
        fixture_commit(&table, is_number ? "[[1, 1000], [2, null]]" : "[[1, \"1971-01-01 00:00:00\"], [2, null]]",
                       "+I");
        compact(&table);
        fixture_close(&table);
        fixture_set_option(&table, "record-level.expire-time", "1 d");
        fixture_open(&table);
        compact(&table);
        assert_rows(&table, "[2,null]");
        fixture_free(&table);
    }
}

/* As in Java, only a compaction that looks for older rows makes a sum of a row that was taken back before it came. */
static void a_lone_retraction_becomes_a_row_where_older_rows_are_looked_up(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k INT NOT NULL, a INT", "k", "",
                   "bucket=1;merge-engine=aggregation;fields.a.aggregate-function=sum;changelog-producer=lookup");
    fixture_commit(&table, "[[1, 5]]", "-D");
    assert_rows(&table, "[1,-5]");
    fixture_commit(&table, "[[1, 7]]", "+I");
    assert_rows(&table, "[1,2]");
    fixture_free(&table);

    fixture_create(&table, "k INT NOT NULL, a INT", "k", "",
                   "bucket=1;merge-engine=aggregation;fields.a.aggregate-function=sum");
    fixture_commit(&table, "[[1, 5]]", "-D");
    compact(&table);
    assert_rows(&table, "");
    fixture_free(&table);
}

static void a_lone_row_without_a_version_loses_its_groups_values_where_older_rows_are_looked_up(void **state)
{
    (void)state;
    fixture table;
    fixture_create(
        &table, "k INT NOT NULL, g INT, a INT, l ARRAY<INT>", "k", "",
        "bucket=1;merge-engine=partial-update;fields.g.sequence-group=a,l;fields.l.aggregate-function=collect;"
        "fields.l.distinct=true;changelog-producer=lookup");
    fixture_commit(&table, "[[1, 4, 8, [1]]]", "+I");
    fixture_commit(&table, "[[2, null, 8, [1]], [3, 4, 9, [2, 2, 3]], [4, 1, 1, null]]", "+I");
    assert_rows(&table, "[1,4,8,[1]] [2,null,null,null] [3,4,9,[2,3]] [4,1,1,null]");
    fixture_free(&table);
}

/* collect keeps the order in which rows came, whatever their versions; but not where ignore-retract wraps it, as in
 * Java. */
static void collect_puts_an_older_version_first_only_where_it_ignores_retractions(void **state)
{
    (void)state;
    fixture table;
    fixture_create(
        &table, "k INT NOT NULL, g INT, a ARRAY<INT>, b ARRAY<INT>", "k", "",
        "bucket=1;merge-engine=partial-update;fields.g.sequence-group=a,b;fields.a.aggregate-function=collect;"
        "fields.b.aggregate-function=collect;fields.b.ignore-retract=true");
    fixture_commit(&table, "[[1, 4, [1], [1]]]", "+I");
    fixture_commit(&table, "[[1, 3, [2], [2]]]", "+I");
    assert_rows(&table, "[1,4,[1,2],[2,1]]");
    fixture_free(&table);
}

/* Java leaves level 0 out where it reads the changelog of a first-row table incrementally. */
static void the_changelog_of_a_compaction_is_of_the_level_it_made(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    fixture_create(&table, "k INT NOT NULL, a INT", "k", "",
                   "bucket=1;merge-engine=first-row;changelog-producer=lookup");
    fixture_write(&table, "[[1, 5]]", "+I");
    fixture_prepare(&table, &prepared);
    assert_int_equal(prepared.messages.count, 1);
    const weir_commit_message *message = &prepared.messages.items[0];
    assert_int_equal(message->compact_changelog_files.count, 1);
    assert_int_equal(message->compact_changelog_files.files[0]->level, message->compact_after.files[0]->level);
    assert_true(message->compact_changelog_files.files[0]->level > 0);
    fixture_commit_prepared(&table, &prepared);
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expired_rows_go_with_a_file_that_could_only_move),
        cmocka_unit_test(rows_expire_in_the_highest_level_too),
        cmocka_unit_test(a_lone_retraction_becomes_a_row_where_older_rows_are_looked_up),
        cmocka_unit_test(a_lone_row_without_a_version_loses_its_groups_values_where_older_rows_are_looked_up),
        cmocka_unit_test(the_changelog_of_a_compaction_is_of_the_level_it_made),
        cmocka_unit_test(collect_puts_an_older_version_first_only_where_it_ignores_retractions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
