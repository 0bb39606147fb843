/* Committing: idempotence, conflicts, retries, lost commits, overwrites. */
#include "cmocka_all.h"

#include <stdio.h>

#include "base/log.h"
#include "support/table_files.h"
#include "table/model.h"
#include "table/table_fixture.h"

static void create(table_model *model)
{
    uint64_t seed = 1;
    do {
        model_create(model, (random_state){seed++});
        if (!model->partitioned && strcmp(model->producer, "none") == 0) {
            return;
        }
        model_free(model);
    } while (true);
}

static void commit_some(table_model *model)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    bool prepared = false;
    model_must(model_write(model, &err), &err, "writing");
    model_must(model_commit(model, true, &arena, &messages, &prepared, &err), &err, "committing");
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
}

/* Copies everything below a folder, replacing what is there. */
static void copy_tree(weir_fs *from, weir_fs *to, const char *path)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_file_info *entries = NULL;
    size_t count = 0;
    weir_error err = {0};
    model_must(weir_fs_list(from, path, &arena, &entries, &count, &err), &err, "listing");
    for (size_t i = 0; i < count; i++) {
        const char *child = weir_arena_format(&arena, "%s/%s", path, entries[i].name);
        if (entries[i].is_directory) {
            copy_tree(from, to, child);
        } else {
            weir_buffer bytes = {0};
            model_must(weir_fs_read_all(from, child, &bytes, &err), &err, "reading");
            model_must(weir_fs_make_directories(to, path, &err), &err, "making a folder");
            model_must(weir_fs_replace(to, child, weir_buffer_slice(&bytes), &err), &err, "copying");
            weir_buffer_free(&bytes);
        }
    }
    weir_arena_free(&arena);
}

static void a_commit_that_was_written_over_is_made_again(void **state)
{
    (void)state;
    weir_log_set_level(WEIR_LOG_ERROR);
    table_model ours, theirs;
    create(&ours);
    create(&theirs);
    weir_error err = {0};
    /* Both start from nothing and make snapshot 1, with other rows; then theirs is written over ours. */
    theirs.next_version = 1000;
    theirs.random.state += 12345;
    commit_some(&ours);
    commit_some(&theirs);
    copy_tree(theirs.memory, ours.memory, MODEL_PATH);
    model_must(weir_table_commit_verify(ours.commit, &err), &err, "verifying");
    model_must(weir_table_commit_verify(ours.commit, &err), &err, "verifying again");

    int64_t latest = 0;
    model_must(weir_snapshot_latest_id(ours.memory, MODEL_PATH, &latest, &err), &err, "latest");
    assert_int_equal(latest, 2);
    lines actual = {0};
    model_must(table_rows(ours.memory, MODEL_PATH, NULL, NULL, false, &actual, &err), &err, "reading");
    assert_true(actual.count > 0);
    for (int32_t p = 0; p < MODEL_PARTITIONS; p++) {
        for (int64_t k = 0; k < MODEL_KEYS; k++) {
            if (ours.committed.versions[p][k] != 0 && theirs.committed.versions[p][k] == 0) {
                char start[64];
                snprintf(start, sizeof start, "[%d,%lld,", (int)p, (long long)k);
                bool found = false;
                for (size_t i = 0; i < actual.count; i++) {
                    found |= strncmp(actual.items[i], start, strlen(start)) == 0;
                }
                assert_true(found);
            }
        }
    }
    lines_free(&actual);
    model_free(&ours);
    model_free(&theirs);
}

static void a_replayed_commit_changes_nothing(void **state)
{
    (void)state;
    table_model model;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    bool prepared = false;
    int64_t before = 0, after = 0, made = -1;
    create(&model);
    model_must(model_write(&model, &err), &err, "writing");
    model_must(model_commit(&model, true, &arena, &messages, &prepared, &err), &err, "committing");
    model_must(weir_snapshot_latest_id(model.memory, MODEL_PATH, &before, &err), &err, "latest");
    weir_committable committable = {
        .identifier = model.next_identifier - 1, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    model_must(weir_table_commit_replay(model.commit, &committable, &made, &err), &err, "replaying");
    model_must(weir_snapshot_latest_id(model.memory, MODEL_PATH, &after, &err), &err, "latest");
    assert_int_equal(made, 0);
    assert_int_equal(before, after);
    model_check_snapshots(&model);
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    model_free(&model);
}

static void a_compaction_of_files_that_are_gone_is_dropped_and_the_rows_stay(void **state)
{
    (void)state;
    weir_log_set_level(WEIR_LOG_ERROR);
    table_model model;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages first = {0}, second = {0};
    weir_error err = {0};
    int64_t snapshot_id = 0;
    create(&model);
    commit_some(&model);
    commit_some(&model);
    weir_table_write_reset(model.write);
    /* Two compactors work from the same snapshot; the second one comes too late. */
    model_must(weir_table_compact(model.table, true, NULL, &arena, &first, &err), &err, "compacting");
    model_must(weir_table_compact(model.table, true, NULL, &arena, &second, &err), &err, "compacting again");
    assert_true(first.count > 0 && second.count > 0);
    weir_committable one = {.identifier = 100, .watermark = WEIR_NO_WATERMARK, .messages = &first};
    weir_committable two = {.identifier = 101, .watermark = WEIR_NO_WATERMARK, .messages = &second};
    model_must(weir_table_commit_run(model.commit, &one, &snapshot_id, &err), &err, "committing the first");
    model_remember(&model, snapshot_id, true);
    assert_false(weir_table_commit_dropped_compaction(model.commit));
    model_must(weir_table_commit_run(model.commit, &two, &snapshot_id, &err), &err, "committing the second");
    assert_int_equal(snapshot_id, 0);
    assert_true(weir_table_commit_dropped_compaction(model.commit));
    model_check_snapshots(&model);
    weir_commit_messages_free(&first);
    weir_commit_messages_free(&second);
    weir_arena_free(&arena);
    model_free(&model);
}

static void writing_another_number_of_buckets_into_a_partition_is_refused(void **state)
{
    (void)state;
    table_model model;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err = {0};
    create(&model);
    commit_some(&model);
    weir_schema *altered = weir_arena_copy(&arena, model.table->schema, sizeof *altered);
    weir_options changed = {0};
    weir_options_set(&changed, &arena, "bucket", "7");
    weir_options_merge(&arena, &model.table->schema->options, &changed, &altered->options);
    altered->id = 1;
    model_must(weir_schema_publish(model.memory, MODEL_PATH, altered, &err), &err, "altering");
    model_close(&model);
    model_open(&model);
    assert_int_equal(model_write(&model, &err), WEIR_CONFLICT);
    assert_non_null(strstr(err.message, "INSERT OVERWRITE"));
    weir_arena_free(&arena);
    model_free(&model);
}

/* A commit during which operation `point` fails, and that is repeated when it failed. Returns false when it was over
 * before that operation came. */
static bool commit_with_fault(uint64_t point, bool answer_lost)
{
    table_model model;
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    int64_t latest = 0;
    create(&model);
    commit_some(&model);
    model_must(model_write(&model, &err), &err, "writing");
    model_must(weir_table_write_prepare(model.write, true, &arena, &messages, &err), &err, "preparing");
    weir_committable committable = {
        .identifier = model.next_identifier, .watermark = WEIR_NO_WATERMARK, .messages = &messages};
    weir_fs_fault_set_options(model.fs,
                              (weir_fault_options){.stop_at = point, .fail_once = true, .answer_lost = answer_lost});
    int code = weir_table_commit_run(model.commit, &committable, NULL, &err);
    bool failed_publishing = code != WEIR_OK && strstr(err.message, "publishing") != NULL;
    bool over = weir_fs_fault_operations(model.fs) < point;
    assert_false(failed_publishing && answer_lost); /* one look at what stands there tells whose it is */
    if (code != WEIR_OK) {
        model_must(weir_table_commit_replay(model.commit, &committable, NULL, &err), &err, "committing again");
    }
    model.committed = model.pending;
    model_must(weir_snapshot_latest_id(model.memory, MODEL_PATH, &latest, &err), &err, "latest");
    model_remember(&model, latest, true);
    model_check_snapshots(&model);
    if (!failed_publishing) { /* then nobody knows whether the snapshot will be seen, and its manifests stay */
        check_no_file_is_left_over(model.memory, MODEL_PATH, model.table->schema);
    }
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    model_free(&model);
    return !over;
}

static void a_commit_that_failed_once_is_repeated_and_leaves_nothing(void **state)
{
    (void)state;
    weir_log_set_level(WEIR_LOG_ERROR);
    for (int answer_lost = 0; answer_lost < 2; answer_lost++) {
        uint64_t point = 1;
        while (commit_with_fault(point, answer_lost)) {
            point++;
        }
        assert_in_range(point, 10, 1000);
    }
}

/* Commits some rows with a watermark (negative: none) and returns that of the snapshot; INT64_MIN: it has none. */
static int64_t commit_with_watermark(table_model *model, int64_t watermark)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_commit_messages messages = {0};
    weir_error err = {0};
    weir_snapshot *snapshot = NULL;
    int64_t id = 0;
    model_must(model_write(model, &err), &err, "writing");
    model_must(weir_table_write_prepare(model->write, true, &arena, &messages, &err), &err, "preparing");
    weir_committable committable = {.identifier = model->next_identifier++,
                                    .watermark = watermark,
                                    .has_watermark = watermark >= 0,
                                    .messages = &messages};
    model_must(weir_table_commit_run(model->commit, &committable, &id, &err), &err, "committing");
    model_must(weir_snapshot_read(model->memory, MODEL_PATH, id, &arena, &snapshot, &err), &err, "the snapshot");
    int64_t found = snapshot->has_watermark ? snapshot->watermark : INT64_MIN;
    weir_commit_messages_free(&messages);
    weir_arena_free(&arena);
    return found;
}

static void a_watermark_never_goes_back(void **state)
{
    (void)state;
    table_model model;
    create(&model);
    assert_int_equal(commit_with_watermark(&model, -1), INT64_MIN);
    assert_int_equal(commit_with_watermark(&model, 100), 100);
    assert_int_equal(commit_with_watermark(&model, 50), 100);
    assert_int_equal(commit_with_watermark(&model, -1), 100);
    assert_int_equal(commit_with_watermark(&model, 200), 200);
    model_free(&model);
}

/* Overwrites with the rows that are prepared; `partition` is the value of the first partition key, or NULL. */
static int overwrite_prepared(fixture *table, const fixture_prepared *prepared, const int32_t *partition,
                              weir_error *err)
{
    weir_literal value = {.integer = partition != NULL ? *partition : 0};
    const weir_literal *values[] = {&value, NULL};
    weir_committable committable = fixture_committable(prepared);
    return weir_table_commit_overwrite(table->commit, &committable, partition != NULL ? values : NULL, NULL, err);
}

static void open_to_overwrite(fixture *table)
{
    weir_error err = {0};
    weir_table_write_options options = {.overwrite = true};
    weir_table_write_close(table->write);
    must(weir_table_write_open(table->table, &options, &table->write, &err), &err, "opening to overwrite");
}

static void an_overwrite_replaces_the_named_partitions_and_no_others(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    const int32_t one = 1;
    fixture_create(&table, "p INT NOT NULL, q INT NOT NULL, k INT NOT NULL", "p,q,k", "p,q", "bucket=1");
    fixture_commit(&table, "[[1, 1, 10], [1, 2, 20], [2, 1, 30]]", "+I");
    open_to_overwrite(&table);
    fixture_write(&table, "[[1, 2, 21]]", "+I");
    fixture_prepare(&table, &prepared);
    must(overwrite_prepared(&table, &prepared, NULL, &err), &err, "overwriting what is touched");
    fixture_prepared_free(&prepared);
    assert_string_equal(fixture_rows(&table, ""), "[1,1,10] [1,2,21] [2,1,30]");
    open_to_overwrite(&table);
    fixture_write(&table, "[[1, 3, 40]]", "+I");
    fixture_prepare(&table, &prepared);
    must(overwrite_prepared(&table, &prepared, &one, &err), &err, "overwriting p=1");
    fixture_prepared_free(&prepared);
    assert_string_equal(fixture_rows(&table, ""), "[1,3,40] [2,1,30]");
    fixture_free(&table);
}

/* The levels of the live files, ascending: "055". */
static const char *levels_of(fixture *table)
{
    weir_error err = {0};
    weir_manifest_entries entries = {0};
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
    weir_snapshot *snapshot = NULL;
    const weir_table_context *context = &table->table->context;
    must(weir_scan_snapshot(table->table, &table->arena, &snapshot, &err), &err, "the latest snapshot");
    must(weir_snapshot_files(context->fs, &context->paths, context->schema, snapshot, &filter, NULL, &table->arena,
                             &entries, &err),
         &err, "its files");
    char *text = WEIR_NEW_ARRAY(&table->arena, char, entries.count + 1);
    size_t at = 0;
    for (char level = '0'; level <= '9'; level++) {
        for (size_t i = 0; i < entries.count; i++) {
            if ('0' + entries.items[i].file->level == level) {
                text[at++] = level;
            }
        }
    }
    weir_manifest_entries_free(&entries);
    return text;
}

/* What an overwrite wrote has nothing below it: it is compacted, unless its files overlap or it shall not be. */
static void what_an_overwrite_wrote_stands_in_the_highest_level(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *first_rows, *second_rows; /* written to files of their own */
        const char *levels;
    } cases[] = {
        {"", "[[1, 1], [2, 1]]", NULL, "5"},
        {"", "[[1, 1], [2, 1]]", "[[3, 1]]", "55"},
        {"", "[[1, 1], [3, 1]]", "[[2, 1]]", "00"},
        {";overwrite-upgrade=false", "[[1, 1], [2, 1]]", NULL, "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture table;
        fixture_prepared prepared, second;
        weir_error err = {0};
        char options[160];
        snprintf(options, sizeof options, "bucket=1%s", cases[i].options);
        fixture_create(&table, "k INT NOT NULL, v INT", "k", "", options);
        fixture_commit(&table, "[[1, 0], [9, 0]]", "+I");
        open_to_overwrite(&table);
        fixture_write(&table, cases[i].first_rows, "+I");
        fixture_prepare(&table, &prepared);
        if (cases[i].second_rows != NULL) {
            fixture_write(&table, cases[i].second_rows, "+I");
            fixture_prepare(&table, &second);
            weir_file_list_append(&prepared.messages.items[0].new_files, second.messages.items[0].new_files.files[0]);
        }
        must(overwrite_prepared(&table, &prepared, NULL, &err), &err, "overwriting");
        assert_string_equal(levels_of(&table), cases[i].levels);
        fixture_prepared_free(&prepared);
        if (cases[i].second_rows != NULL) {
            fixture_prepared_free(&second);
        }
        fixture_free(&table);
    }
}

static void an_overwrite_takes_no_rows_of_other_partitions(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    const int32_t one = 1;
    fixture_create(&table, "p INT NOT NULL, k INT NOT NULL, v INT", "p,k", "p", "bucket=1");
    fixture_commit(&table, "[[1, 1, 1], [2, 1, 1]]", "+I");
    fixture_commit(&table, "[[2, 1, 2]]", "+U");
    open_to_overwrite(&table);
    fixture_write(&table, "[[1, 1, 5], [2, 1, 6]]", "+I");
    fixture_prepare(&table, &prepared);
    assert_int_equal(overwrite_prepared(&table, &prepared, &one, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "p=2"));
    assert_string_equal(fixture_rows(&table, ""), "[1,1,1] [2,1,2]");
    must(weir_table_commit_abort(table.commit, &prepared.messages, &err), &err, "aborting");
    fixture_prepared_free(&prepared);
    fixture_free(&table);
}

static void a_compaction_of_a_table_that_was_made_anew_is_dropped(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    weir_log_set_level(WEIR_LOG_ERROR);
    fixture_create(&table, "k INT NOT NULL", "k", "", "bucket=1");
    fixture_commit(&table, "[[1]]", "+I");
    must(weir_table_write_compact(table.write, weir_partition_none(), 0, true, &err), &err, "compacting");
    fixture_prepare(&table, &prepared);
    must(weir_fs_remove_recursively(table.fs, FIXTURE_PATH "/snapshot", &err), &err, "dropping");
    assert_int_equal(fixture_commit_prepared(&table, &prepared), 0);
    assert_true(weir_table_commit_dropped_compaction(table.commit));
    assert_string_equal(fixture_rows(&table, ""), "");
    fixture_free(&table);
}

/* Two compactors of different files, which no file that both remove would tell. */
static void a_compaction_into_keys_that_another_one_has_filled_is_dropped(void **state)
{
    (void)state;
    fixture table;
    fixture_prepared first, second;
    weir_error err = {0};
    weir_log_set_level(WEIR_LOG_ERROR);
    fixture_create(&table, "k INT NOT NULL", "k", "", "bucket=1");
    fixture_commit(&table, "[[1], [5]]", "+I");
    must(weir_table_write_compact(table.write, weir_partition_none(), 0, true, &err), &err, "compacting");
    fixture_prepare(&table, &first);
    assert_true(fixture_commit_prepared(&table, &first) > 0);

    fixture_commit(&table, "[[3], [4]]", "+I");
    must(weir_table_write_compact(table.write, weir_partition_none(), 0, true, &err), &err, "compacting");
    fixture_prepare(&table, &second);
    weir_file_list *before = &second.messages.items[0].compact_before;
    size_t kept = 0;
    for (size_t i = 0; i < before->count; i++) {
        if (before->files[i]->level == 0) { /* as if the writer had not known the first one's file */
            before->files[kept++] = before->files[i];
        }
    }
    assert_int_equal(kept, before->count - 1);
    before->count = kept;
    assert_int_equal(fixture_commit_prepared(&table, &second), 0);
    assert_true(weir_table_commit_dropped_compaction(table.commit));
    assert_string_equal(fixture_rows(&table, ""), "[1] [3] [4] [5]");
    fixture_free(&table);
}

/* A commit fails at one operation, and the caller cleans up, as it should not after WEIR_IO. */
static bool abort_after_failure(uint64_t point)
{
    fixture table;
    fixture_prepared prepared;
    weir_error err = {0};
    weir_fs *memory = weir_fs_memory();
    weir_fs *faulty = weir_fs_fault(memory, (weir_fault_options){0});
    fixture_create_on(&table, faulty, "k INT NOT NULL", "k", "", "bucket=1");
    fixture_commit(&table, "[[1], [9]]", "+I");
    fixture_write(&table, "[[1], [2]]", "+I");
    must(weir_table_write_compact_written(table.write, &err), &err, "compacting");
    fixture_prepare(&table, &prepared);
    weir_committable committable = fixture_committable(&prepared);
    weir_fs_fault_set_options(faulty, (weir_fault_options){.stop_at = point, .fail_once = true});
    int code = weir_table_commit_run(table.commit, &committable, NULL, &err);
    bool over = weir_fs_fault_operations(faulty) < point;
    weir_fs_fault_set_options(faulty, (weir_fault_options){0});
    bool stands = code == WEIR_OK || strstr(err.message, "the rows are committed") != NULL;
    assert_true(code == WEIR_OK || code == WEIR_IO);
    if (code != WEIR_OK) {
        must(weir_table_commit_abort(table.commit, &prepared.messages, &err), &err, "aborting");
    }
    assert_string_equal(fixture_rows(&table, ""), stands ? "[1] [2] [9]" : "[1] [9]");
    size_t files = fixture_count_files(&table, FIXTURE_PATH "/bucket-0");
    assert_int_equal(files, code == WEIR_OK ? 3 : stands ? 2 : 1);
    fixture_prepared_free(&prepared);
    fixture_free(&table);
    weir_fs_close(memory);
    return over;
}

static void aborting_takes_no_file_of_rows_that_stand(void **state)
{
    (void)state;
    weir_log_set_level(WEIR_LOG_ERROR);
    uint64_t point = 1;
    while (!abort_after_failure(point)) {
        point++;
    }
    assert_true(point > 10);
}

static void a_lost_commit_is_not_forgotten_when_making_it_again_fails(void **state)
{
    (void)state;
    fixture ours, theirs;
    weir_error err = {0};
    weir_fs *memory = weir_fs_memory();
    weir_fs *faulty = weir_fs_fault(memory, (weir_fault_options){0});
    weir_log_set_level(WEIR_LOG_ERROR);
    fixture_create_on(&ours, faulty, "k INT NOT NULL", "k", "", "bucket=1");
    fixture_create(&theirs, "k INT NOT NULL", "k", "", "bucket=1");
    fixture_commit(&ours, "[[1]]", "+I");
    fixture_commit(&theirs, "[[2]]", "+I");
    copy_tree(theirs.fs, memory, FIXTURE_PATH);
    weir_fs_fault_set_options(faulty, (weir_fault_options){.stop_at = 1, .fail_once = true});
    assert_int_equal(weir_table_commit_verify(ours.commit, &err), WEIR_IO);
    must(weir_table_commit_verify(ours.commit, &err), &err, "verifying again");
    assert_string_equal(fixture_rows(&ours, ""), "[1] [2]");
    fixture_free(&ours);
    fixture_free(&theirs);
    weir_fs_close(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_commit_that_was_written_over_is_made_again),
        cmocka_unit_test(a_replayed_commit_changes_nothing),
        cmocka_unit_test(a_compaction_of_files_that_are_gone_is_dropped_and_the_rows_stay),
        cmocka_unit_test(a_commit_that_failed_once_is_repeated_and_leaves_nothing),
        cmocka_unit_test(a_watermark_never_goes_back),
        cmocka_unit_test(an_overwrite_replaces_the_named_partitions_and_no_others),
        cmocka_unit_test(what_an_overwrite_wrote_stands_in_the_highest_level),
        cmocka_unit_test(an_overwrite_takes_no_rows_of_other_partitions),
        cmocka_unit_test(a_compaction_of_a_table_that_was_made_anew_is_dropped),
        cmocka_unit_test(a_compaction_into_keys_that_another_one_has_filled_is_dropped),
        cmocka_unit_test(aborting_takes_no_file_of_rows_that_stand),
        cmocka_unit_test(a_lost_commit_is_not_forgotten_when_making_it_again_fails),
        cmocka_unit_test(writing_another_number_of_buckets_into_a_partition_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
