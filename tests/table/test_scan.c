/* Planning: which snapshot is read, and which files are left out. */
#include "cmocka_all.h"

#include "table/scan/measure.h"
#include "table/table_fixture.h"

static const weir_predicate *leaf(fixture *table, weir_predicate_kind kind, const char *column, const char *value)
{
    int32_t position = weir_schema_column(table->table->schema, column);
    const weir_type *type = table->table->schema->fields[position].type;
    weir_literal literal;
    weir_error err = {0};
    must(weir_literal_parse(type, weir_slice_text(value), &table->arena, &literal, &err), &err, "a literal");
    return weir_predicate_leaf(&table->arena, kind, position, type, &literal, 1);
}

static int64_t files_kept(fixture *table, const weir_predicate *predicate)
{
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    weir_scan_options options = {.predicate = predicate, .limit = -1};
    must(weir_scan_plan(table->table, &options, &plan, &err), &err, "planning");
    int64_t kept = plan->files_kept;
    weir_table_plan_free(plan);
    return kept;
}

static void options_choose_the_snapshot(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    assert_string_equal(fixture_rows(&table, ""), "");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[1, \"b\"]]", "+U");
    assert_string_equal(fixture_rows(&table, ""), "[1,\"b\"]");
    assert_string_equal(fixture_rows(&table, "scan.snapshot-id=1"), "[1,\"a\"]");
    assert_string_equal(fixture_rows(&table, "scan.version=1"), "[1,\"a\"]");
    assert_string_equal(fixture_rows(&table, "scan.timestamp=9999-12-31 00:00:00"), "[1,\"b\"]");
    assert_non_null(strstr(fixture_rows(&table, "scan.snapshot-id=7"), "there are 1 to 2"));
    assert_non_null(strstr(fixture_rows(&table, "scan.timestamp-millis=5"), "earlier than or equal to timestamp 5"));
    assert_non_null(strstr(fixture_rows(&table, "scan.tag-name=t1"), "no tag 't1'"));
    fixture_free(&table);
}

static void a_start_that_is_not_offered_or_not_told_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *message;
    } cases[] = {
        {"scan.mode=from-creation-timestamp", "scan.mode 'from-creation-timestamp' is not supported"},
        {"scan.mode=from-file-creation-time", "scan.mode 'from-file-creation-time' is not supported"},
        {"scan.creation-time-millis=0", "'scan.creation-time-millis' = '0' changes which rows a read gives"},
        {"scan.file-creation-time-millis=0", "'scan.file-creation-time-millis' = '0' changes which rows a read gives"},
        {"scan.partitions=p=1", "'scan.partitions' = 'p=1' changes which rows a read gives"},
        {"incremental-between=1,1;batch-scan-mode=compact", "'batch-scan-mode' = 'compact' changes"},
        {"chain-table.enabled=true", "'chain-table.enabled' = 'true' cannot be read yet"},
        {"scan.mode=from-timestamp", "needs scan.timestamp-millis"},
        {"scan.mode=from-snapshot", "needs scan.snapshot-id"},
        {"scan.mode=from-snapshot-full", "needs scan.snapshot-id"},
        {"scan.mode=incremental", "needs incremental-between"},
    };
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_non_null(strstr(fixture_rows(&table, cases[i].options), cases[i].message));
    }
    fixture_free(&table);
}

static void partitions_buckets_and_keys_leave_files_out(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p STRING NOT NULL, k BIGINT NOT NULL, v INT", "p,k", "p", "bucket=4");
    fixture_commit(&table, "[[\"a\",1,1],[\"a\",2,1],[\"a\",3,1],[\"a\",4,1],[\"a\",5,1],[\"a\",6,1],[\"b\",1,1]]",
                   "+I");
    int64_t all = files_kept(&table, NULL);
    assert_true(all >= 3);
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_EQUAL, "p", "b")), 1);
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_EQUAL, "p", "c")), 0);
    const weir_predicate *both[] = {leaf(&table, WEIR_PREDICATE_EQUAL, "p", "a"),
                                    leaf(&table, WEIR_PREDICATE_EQUAL, "k", "3")};
    assert_int_equal(files_kept(&table, weir_predicate_combine(&table.arena, WEIR_PREDICATE_AND, both, 2)), 1);
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_GREATER, "k", "100")), 0);
    fixture_free(&table);
}

/* ALTER TABLE … SET ('bucket' = …), after which partitions that are not rewritten keep the buckets they have. */
static void change_buckets(fixture *table, const char *count)
{
    weir_error err = {0};
    weir_schema schema = *table->table->schema;
    weir_options options = {0};
    weir_options_merge(&table->arena, &schema.options, &(weir_options){0}, &options);
    weir_options_set(&options, &table->arena, "bucket", count);
    schema.id++;
    schema.options = options;
    must(weir_schema_publish(table->fs, FIXTURE_PATH, &schema, &err), &err, "altering");
    fixture_close(table);
    fixture_open(table);
}

static void keys_are_found_in_partitions_with_another_number_of_buckets(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p STRING NOT NULL, k BIGINT NOT NULL, v INT", "p,k", "p", "bucket=2");
    fixture_commit(&table, "[[\"a\",1,1],[\"a\",2,1],[\"a\",3,1],[\"a\",4,1],[\"a\",5,1],[\"a\",6,1]]", "+I");
    change_buckets(&table, "7");
    fixture_commit(&table, "[[\"b\",1,1],[\"b\",2,1],[\"b\",3,1],[\"b\",4,1],[\"b\",5,1],[\"b\",6,1]]", "+I");
    static const char *const keys[] = {"1", "2", "3", "4", "5", "6"};
    for (int i = 0; i < 6; i++) {
        const weir_predicate *of_a[] = {leaf(&table, WEIR_PREDICATE_EQUAL, "p", "a"),
                                        leaf(&table, WEIR_PREDICATE_EQUAL, "k", keys[i])};
        const weir_predicate *of_b[] = {leaf(&table, WEIR_PREDICATE_EQUAL, "p", "b"),
                                        leaf(&table, WEIR_PREDICATE_EQUAL, "k", keys[i])};
        assert_in_range(files_kept(&table, weir_predicate_combine(&table.arena, WEIR_PREDICATE_AND, of_a, 2)), 1, 2);
        assert_int_equal(files_kept(&table, weir_predicate_combine(&table.arena, WEIR_PREDICATE_AND, of_b, 2)), 1);
    }
    fixture_free(&table);
}

static const weir_predicate *in(fixture *table, const char *column, const char *const *values, int32_t count)
{
    weir_literal literals[8];
    const weir_predicate *one = NULL;
    for (int32_t i = 0; i < count; i++) {
        one = leaf(table, WEIR_PREDICATE_EQUAL, column, values[i]);
        literals[i] = one->literals[0];
    }
    return weir_predicate_leaf(&table->arena, WEIR_PREDICATE_IN, one->column, one->type, literals, count);
}

static void a_list_of_keys_names_their_buckets(void **state)
{
    (void)state;
    static const char *const keys[] = {"1", "2", "1000"};
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, l STRING NOT NULL, v INT", "k,l", "", "bucket=16");
    fixture_commit(&table,
                   "[[1,\"a\",1],[2,\"a\",1],[3,\"a\",1],[4,\"a\",1],[5,\"a\",1],[6,\"b\",1],[7,\"b\",1],[8,\"b\",1]]",
                   "+I");
    int64_t all = files_kept(&table, NULL);
    const weir_predicate *both[] = {in(&table, "k", keys, 3), leaf(&table, WEIR_PREDICATE_EQUAL, "l", "a")};
    assert_true(all > 3);
    assert_in_range(files_kept(&table, weir_predicate_combine(&table.arena, WEIR_PREDICATE_AND, both, 2)), 1, 2);
    assert_true(files_kept(&table, both[0]) <= all); /* one column of two names no bucket */
    fixture_free(&table);
}

static size_t splits_for(fixture *table, int64_t limit)
{
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    weir_scan_options options = {.limit = limit};
    must(weir_scan_plan(table->table, &options, &plan, &err), &err, "planning");
    size_t count = plan->split_count;
    weir_table_plan_free(plan);
    return count;
}

static void a_limit_needs_no_more_splits_than_hold_it(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "p INT, v INT", "", "p", "bucket=-1");
    fixture_commit(&table, "[[1,1],[1,2],[2,1],[2,2],[3,1],[3,2]]", "+I");
    assert_int_equal(splits_for(&table, -1), 3);
    assert_int_equal(splits_for(&table, 0), 0);
    assert_int_equal(splits_for(&table, 2), 1);
    assert_int_equal(splits_for(&table, 3), 2);
    fixture_free(&table);
}

static void pages_that_are_left_out_are_counted(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_buffer rows = {0};
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "", "", "bucket=-1");
    for (int i = 0; i < 50000; i++) {
        weir_buffer_append_format(&rows, "%s[%d,%d]", i == 0 ? "[" : ",", i, i % 7);
    }
    weir_buffer_append_text(&rows, "]");
    fixture_commit(&table, weir_buffer_text(&rows), "+I");
    fixture_commit(&table, "[[100000,1]]", "+I");
    weir_table_plan *plan = NULL;
    weir_scan_counts counts;
    weir_read_options read = {.predicate = leaf(&table, WEIR_PREDICATE_EQUAL, "k", "1500")};
    weir_scan_options options = {.predicate = read.predicate, .limit = -1};
    must(weir_scan_plan(table.table, &options, &plan, &err), &err, "planning");
    must(weir_table_plan_measure(table.table, plan, &read, &counts, &err), &err, "measuring");
    assert_int_equal(counts.snapshot_id, 2);
    assert_int_equal(counts.files, 2);
    assert_int_equal(counts.files_kept, 1);
    assert_int_equal(counts.splits, 1);
    assert_int_equal(counts.merges, 0);
    assert_int_equal(counts.row_groups, 1);
    assert_int_equal(counts.row_groups_kept, 1);
    assert_int_equal(counts.rows, 50000);
    assert_in_range(counts.rows_kept, 1, 20000);
    weir_table_plan_free(plan);
    weir_buffer_free(&rows);
    fixture_free(&table);
}

/* Removes the manifests that snapshot `id` added. */
static void lose_manifests(fixture *table, int64_t id)
{
    weir_error err = {0};
    weir_snapshot *snapshot = NULL;
    weir_manifest_files manifests = {0};
    const weir_table_context *context = &table->table->context;
    must(weir_snapshot_read(table->fs, context->paths.root, id, &table->arena, &snapshot, &err), &err, "a snapshot");
    must(weir_manifest_list_read(table->fs, &context->paths, snapshot->delta_manifest_list, &table->arena, &manifests,
                                 &err),
         &err, "a manifest list");
    for (size_t i = 0; i < manifests.count; i++) {
        const char *path = weir_manifest_path(&table->arena, &context->paths, manifests.items[i].name);
        must(weir_fs_remove(table->fs, path, &err), &err, "losing a manifest");
    }
    weir_manifest_files_free(&manifests);
}

static void manifests_of_other_partitions_are_not_read(void **state)
{
    (void)state;
    static const struct {
        const char *column;
        weir_predicate_kind kind;
        const char *value;
        bool works;
    } cases[] = {
        {"p", WEIR_PREDICATE_EQUAL, "5", true},
        {"p", WEIR_PREDICATE_GREATER, "1", true},
        {"p", WEIR_PREDICATE_GREATER_OR_EQUAL, "1", false},
        {"p", WEIR_PREDICATE_LESS, "5", false},
        {"q", WEIR_PREDICATE_EQUAL, "b", true},
        {"q", WEIR_PREDICATE_LESS, "b", false},
        {"p", WEIR_PREDICATE_IS_NULL, "0", true},
        {"p", WEIR_PREDICATE_IS_NOT_NULL, "0", false},
    };
    fixture table;
    fixture_create(&table, "p INT, q STRING NOT NULL, k BIGINT NOT NULL", "", "p,q", "bucket=-1");
    fixture_commit(&table, "[[1,\"a\",1]]", "+I");
    fixture_commit(&table, "[[5,\"b\",1]]", "+I");
    fixture_commit(&table, "[[null,\"b\",1]]", "+I");
    lose_manifests(&table, 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        weir_table_plan *plan = NULL;
        const weir_predicate *predicate = leaf(&table, cases[i].kind, cases[i].column, cases[i].value);
        weir_scan_options options = {.predicate = predicate, .limit = -1};
        int code = weir_scan_plan(table.table, &options, &plan, &err);
        assert_int_equal(code, cases[i].works ? WEIR_OK : WEIR_NOT_FOUND);
        weir_table_plan_free(plan);
    }
    fixture_free(&table);
}

static void values_leave_out_only_files_whose_rows_stand_alone(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v INT", "k", "", "bucket=1;write-only=true");
    fixture_commit(&table, "[[1, 10], [5, 10]]", "+I");
    fixture_commit(&table, "[[2, 20], [6, 20]]", "+U"); /* overlaps the first file */
    fixture_commit(&table, "[[7, 30], [9, 30]]", "+I"); /* stands alone */
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_EQUAL, "v", "10")), 2);
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_EQUAL, "v", "30")), 3);
    fixture_free(&table);

    fixture_create(&table, "k BIGINT, v INT", "", "", "bucket=-1");
    fixture_commit(&table, "[[1, 10]]", "+I");
    fixture_commit(&table, "[[1, 20]]", "+I");
    assert_int_equal(files_kept(&table, leaf(&table, WEIR_PREDICATE_EQUAL, "v", "10")), 1);
    fixture_free(&table);
}

static void a_plan_without_merging_knows_its_rows(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_table_plan *plan = NULL;
    fixture_create(&table, "k BIGINT, v INT", "", "", "bucket=-1");
    fixture_commit(&table, "[[1, 10], [2, 20]]", "+I");
    fixture_commit(&table, "[[3, 10]]", "+I");
    must(weir_scan_plan(table.table, NULL, &plan, &err), &err, "planning");
    assert_int_equal(plan->exact_row_count, 3);
    weir_table_plan_free(plan);
    fixture_free(&table);
}

static void incremental_reads_check_their_range(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    fixture_commit(&table, "[[1, \"a\"]]", "-D");
    assert_string_equal(fixture_rows(&table, "incremental-between=0,2"), "[1,\"a\"] [2,\"b\"]");
    assert_string_equal(fixture_rows(&table, "incremental-between=1,3"), "[2,\"b\"]");
    assert_string_equal(fixture_rows(&table, "incremental-between=1,3;incremental-between-scan-mode=diff"),
                        "[2,\"b\"]");
    assert_non_null(strstr(fixture_rows(&table, "incremental-between=2,9"), "there are 1 to 3"));
    assert_non_null(strstr(fixture_rows(&table, "incremental-between=3,1"), "after its end"));
    assert_non_null(strstr(fixture_rows(&table, "incremental-between=3"), "a start and an end"));
    assert_non_null(strstr(fixture_rows(&table, "incremental-between=x,y"), "neither two snapshot ids nor two tags"));
    fixture_free(&table);
}

static void a_difference_by_times_begins_with_the_earliest_snapshot(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    fixture_commit(&table, "[[1, \"a\"]]", "+I");
    fixture_commit(&table, "[[2, \"b\"]]", "+I");
    const char *times = "incremental-between-timestamp=5,99999999999999;incremental-between-scan-mode";
    assert_string_equal(fixture_rows(&table, weir_arena_format(&table.arena, "%s=delta", times)),
                        "[1,\"a\"] [2,\"b\"]");
    assert_string_equal(fixture_rows(&table, weir_arena_format(&table.arena, "%s=diff", times)), "[2,\"b\"]");
    assert_string_equal(fixture_rows(&table, "incremental-between-timestamp=5,6;incremental-between-scan-mode=diff"),
                        "");
    fixture_free(&table);
}

/* A file that moved merges with others in its new level, as it did not before. */
static void a_file_in_another_level_is_another_one_for_a_difference(void **state)
{
    (void)state;
    fixture table;
    weir_error err = {0};
    weir_compactor *compactor = NULL;
    weir_compactor_round round;
    const weir_compactor_options full = {.full = true};
    fixture_create(&table, "k BIGINT NOT NULL, a INT, b INT", "k", "", "bucket=1;merge-engine=partial-update");
    fixture_commit(&table, "[[1, 1, null]]", "+I");
    must(weir_compactor_open(table.table, &full, &compactor, &err), &err, "opening a compactor");
    must(weir_compactor_run(compactor, &round, &err), &err, "compacting");
    weir_compactor_close(compactor);
    must(weir_table_write_reload(table.write, &err), &err, "reloading");
    fixture_commit(&table, "[[1, null, 2]]", "+I");
    assert_string_equal(fixture_rows(&table, "incremental-between=1,3;incremental-between-scan-mode=diff"), "[1,1,2]");
    fixture_free(&table);
}

static void dynamic_options_cannot_change_the_layout(void **state)
{
    (void)state;
    fixture table;
    fixture_create(&table, "k BIGINT NOT NULL, v STRING", "k", "", "bucket=1");
    assert_non_null(strstr(fixture_rows(&table, "bucket=2"), "cannot be set for one statement"));
    assert_non_null(strstr(fixture_rows(&table, "scan.snapshotid=1"), "scan.snapshot-id"));
    fixture_free(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_choose_the_snapshot),
        cmocka_unit_test(a_start_that_is_not_offered_or_not_told_is_refused),
        cmocka_unit_test(partitions_buckets_and_keys_leave_files_out),
        cmocka_unit_test(keys_are_found_in_partitions_with_another_number_of_buckets),
        cmocka_unit_test(a_list_of_keys_names_their_buckets),
        cmocka_unit_test(pages_that_are_left_out_are_counted),
        cmocka_unit_test(a_limit_needs_no_more_splits_than_hold_it),
        cmocka_unit_test(manifests_of_other_partitions_are_not_read),
        cmocka_unit_test(values_leave_out_only_files_whose_rows_stand_alone),
        cmocka_unit_test(a_plan_without_merging_knows_its_rows),
        cmocka_unit_test(incremental_reads_check_their_range),
        cmocka_unit_test(a_difference_by_times_begins_with_the_earliest_snapshot),
        cmocka_unit_test(a_file_in_another_level_is_another_one_for_a_difference),
        cmocka_unit_test(dynamic_options_cannot_change_the_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
