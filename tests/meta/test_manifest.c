/* Manifests: all those of golden tables; and written ones, described and merged as Java does it. */
#include "base/pool.h"
#include "format/avro/avro.h"
#include "meta/manifest_record.h"
#include "meta_fixture.h"
#include "vector/compare.h"

static int snapshots_counted;

static int64_t count_rows(const weir_manifest_entries *entries)
{
    int64_t rows = 0;
    for (size_t i = 0; i < entries->count; i++) {
        assert_int_equal(entries->items[i].kind, WEIR_FILE_ADD);
        rows += entries->items[i].file->row_count;
    }
    return rows;
}

/* ---- every snapshot of every golden table ---- */

static void check_snapshots(const char *table)
{
    weir_error err;
    weir_arena arena;
    weir_schema *schema = NULL;
    int64_t id;
    int64_t latest;
    weir_arena_init(&arena);
    weir_table_paths paths = weir_table_paths_of(&arena, golden_table(&arena, table), NULL);
    check_ok(weir_schema_read_latest(weir_fs_local(), paths.root, &arena, &schema, &err), &err);
    check_ok(weir_snapshot_earliest_id(weir_fs_local(), paths.root, &id, &err), &err);
    check_ok(weir_snapshot_latest_id(weir_fs_local(), paths.root, &latest, &err), &err);
    for (; id > 0 && id <= latest; id++) {
        weir_snapshot *snapshot = NULL;
        weir_manifest_entries entries = {0};
        check_ok(weir_snapshot_read(weir_fs_local(), paths.root, id, &arena, &snapshot, &err), &err);
        check_ok(weir_snapshot_files(weir_fs_local(), &paths, schema, snapshot, NULL, NULL, &arena, &entries, &err),
                 &err);
        if (count_rows(&entries) != snapshot->total_record_count) {
            fail_msg("%s snapshot %d: %d rows", table, (int)id, (int)count_rows(&entries));
        }
        snapshots_counted++;
        weir_manifest_entries_free(&entries);
    }
    weir_arena_free(&arena);
}

static void the_files_of_every_snapshot_hold_its_rows(void **state)
{
    (void)state;
    if (golden_available()) {
        each_golden_table(check_snapshots);
        assert_true(snapshots_counted > 200);
    }
}

/* ---- writing what Java wrote ---- */

static void check_same_bytes(weir_slice a, weir_slice b)
{
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
}

static void check_same_stats(const weir_stats_row *a, const weir_stats_row *b)
{
    check_same_bytes(a->min_values, b->min_values);
    check_same_bytes(a->max_values, b->max_values);
    assert_int_equal(a->null_count_length, b->null_count_length);
    assert_int_equal(a->null_counts == NULL, b->null_counts == NULL);
    for (int32_t i = 0; i < a->null_count_length; i++) {
        assert_int_equal(a->null_counts[i], b->null_counts[i]);
    }
}

static void check_same_description(const weir_manifest_file *ours, const weir_manifest_file *theirs)
{
    assert_int_equal(ours->added_files, theirs->added_files);
    assert_int_equal(ours->deleted_files, theirs->deleted_files);
    assert_int_equal(ours->schema_id, theirs->schema_id);
    check_same_stats(&ours->partition_stats, &theirs->partition_stats);
    if (theirs->has_buckets) {
        assert_int_equal(ours->min_bucket, theirs->min_bucket);
        assert_int_equal(ours->max_bucket, theirs->max_bucket);
        assert_int_equal(ours->min_level, theirs->min_level);
        assert_int_equal(ours->max_level, theirs->max_level);
        assert_int_equal(ours->min_row_id, theirs->min_row_id);
        assert_int_equal(ours->max_row_id, theirs->max_row_id);
    }
}

static void read_file(weir_fs *fs, const char *path, const weir_field *fields, int32_t count, weir_batch *batch)
{
    weir_error err;
    weir_buffer bytes = {0};
    check_ok(weir_fs_read_all(fs, path, &bytes, &err), &err);
    check_ok(weir_avro_read_all(weir_buffer_slice(&bytes), path, fields, count, batch, &err), &err);
    weir_buffer_free(&bytes);
}

static void check_same_records(const weir_batch *ours, const weir_batch *theirs)
{
    assert_int_equal(ours->length, theirs->length);
    for (int32_t column = 0; column < ours->column_count; column++) {
        for (int64_t row = 0; row < ours->length; row++) {
            assert_true(weir_vector_values_equal(&ours->columns[column], row, &theirs->columns[column], row));
        }
    }
}

/* Reads a manifest of Java's, writes its entries again, and compares description and records. */
static void rewrite_manifest(const weir_table_paths *paths, const weir_schema *schema, const weir_manifest_file *theirs)
{
    weir_error err;
    weir_arena arena;
    weir_fs *fs = weir_fs_memory();
    weir_table_paths out_paths = {"/t", "/t"};
    weir_manifest_entries entries = {0};
    weir_manifest_files files = {0};
    weir_manifest_writer writer;
    weir_batch ours;
    weir_batch records;
    weir_arena_init(&arena);
    check_ok(weir_manifest_read(weir_fs_local(), paths, theirs->name, NULL, &arena, &entries, &err), &err);
    weir_manifest_writer_init(&writer, fs, &out_paths, schema, &arena);
    check_ok(weir_manifest_writer_write(&writer, entries.items, entries.count, &files, &err), &err);
    assert_int_equal(files.count, 1);
    check_same_description(&files.items[0], theirs);
    weir_batch_init(&ours, weir_entry_fields, WEIR_ENTRY_COLUMNS);
    weir_batch_init(&records, weir_entry_fields, WEIR_ENTRY_COLUMNS);
    read_file(weir_fs_local(), weir_manifest_path(&arena, paths, theirs->name), weir_entry_fields, WEIR_ENTRY_COLUMNS,
              &records);
    read_file(fs, weir_manifest_path(&arena, &out_paths, files.items[0].name), weir_entry_fields, WEIR_ENTRY_COLUMNS,
              &ours);
    check_same_records(&ours, &records);
    weir_file_info info;
    check_ok(weir_fs_stat(fs, weir_manifest_path(&arena, &out_paths, files.items[0].name), &info, &err), &err);
    assert_int_equal(info.size_bytes, files.items[0].size_bytes);
    weir_batch_free(&ours);
    weir_batch_free(&records);
    weir_manifest_writer_free(&writer);
    weir_manifest_files_free(&files);
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
    weir_fs_close(fs);
}

static void rewrite_table(const char *table)
{
    weir_error err;
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_snapshot *snapshot = NULL;
    weir_manifest_files files = {0};
    int64_t latest;
    if (strcmp(table, "manifest-fmt-orc") == 0) { /* ORC is not written */
        return;
    }
    weir_arena_init(&arena);
    weir_table_paths paths = weir_table_paths_of(&arena, golden_table(&arena, table), NULL);
    check_ok(weir_schema_read_latest(weir_fs_local(), paths.root, &arena, &schema, &err), &err);
    check_ok(weir_snapshot_latest_id(weir_fs_local(), paths.root, &latest, &err), &err);
    if (latest > 0) {
        check_ok(weir_snapshot_read(weir_fs_local(), paths.root, latest, &arena, &snapshot, &err), &err);
        check_ok(weir_manifest_list_read(weir_fs_local(), &paths, snapshot->base_manifest_list, &arena, &files, &err),
                 &err);
        check_ok(weir_manifest_list_read(weir_fs_local(), &paths, snapshot->delta_manifest_list, &arena, &files, &err),
                 &err);
    }
    for (size_t i = 0; i < files.count; i++) {
        rewrite_manifest(&paths, schema, &files.items[i]);
    }
    weir_manifest_files_free(&files);
    weir_arena_free(&arena);
}

static void manifests_of_java_are_written_again_record_by_record(void **state)
{
    (void)state;
    if (golden_available()) {
        each_golden_table(rewrite_table);
    }
}

/* The text of avro.schema, up to the key that follows it. */
static weir_slice header_schema(weir_slice bytes)
{
    const uint8_t *begin = memmem(bytes.data, bytes.size, "{\"type\"", 7);
    const uint8_t *end = memmem(bytes.data, bytes.size, "avro.codec", 10);
    assert_true(begin != NULL && end > begin);
    return weir_slice_of(begin, (size_t)(end - begin));
}

static void the_headers_of_manifests_are_those_of_java(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_snapshot *snapshot = NULL;
    weir_manifest_files files = {0};
    weir_buffer theirs = {0};
    weir_buffer ours = {0};
    weir_batch batch;
    weir_arena_init(&arena);
    if (golden_available()) {
        weir_table_paths paths = weir_table_paths_of(&arena, golden_table(&arena, "pk-b4-l0"), NULL);
        check_ok(weir_snapshot_read(weir_fs_local(), paths.root, 1, &arena, &snapshot, &err), &err);
        check_ok(weir_manifest_list_read(weir_fs_local(), &paths, snapshot->delta_manifest_list, &arena, &files, &err),
                 &err);
        const struct {
            const char *name;
            const weir_field *fields;
            int32_t count;
        } kinds[] = {{snapshot->delta_manifest_list, weir_list_fields, WEIR_LIST_COLUMNS},
                     {files.items[0].name, weir_entry_fields, WEIR_ENTRY_COLUMNS}};
        for (size_t i = 0; i < 2; i++) {
            weir_buffer_clear(&theirs);
            weir_buffer_clear(&ours);
            assert_true(golden_read(weir_manifest_path(&arena, &paths, kinds[i].name), &theirs));
            weir_batch_init(&batch, kinds[i].fields, kinds[i].count);
            check_ok(weir_avro_write_all(&batch, kinds[i].fields, kinds[i].count, "zstd", 1, &ours, &err), &err);
            check_same_bytes(header_schema(weir_buffer_slice(&ours)), header_schema(weir_buffer_slice(&theirs)));
            weir_batch_free(&batch);
        }
    }
    weir_buffer_free(&theirs);
    weir_buffer_free(&ours);
    weir_manifest_files_free(&files);
    weir_arena_free(&arena);
}

/* ---- made-up entries ---- */

static uint8_t stats_of_one_null[] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static weir_manifest_entry make_entry(weir_arena *arena, weir_file_kind kind, int32_t bucket, int32_t level, int number)
{
    weir_data_file *file = WEIR_NEW(arena, weir_data_file);
    weir_slice one_null = weir_slice_of(stats_of_one_null, sizeof stats_of_one_null);
    static int64_t unknown[] = {-1};
    *file = (weir_data_file){.name = weir_arena_format(arena, "data-%08d.parquet", number),
                             .row_count = number,
                             .size_bytes = 1000,
                             .min_key = weir_partition_none(),
                             .max_key = weir_partition_none(),
                             .key_stats = {weir_partition_none(), weir_partition_none(), NULL, 0},
                             .value_stats = {one_null, one_null, unknown, 1},
                             .level = level,
                             .creation_time_ms = INT64_MIN,
                             .delete_row_count = -1,
                             .file_source = -1,
                             .first_row_id = -1};
    return (weir_manifest_entry){kind, weir_partition_none(), bucket, 4, file};
}

typedef struct made_table {
    weir_arena arena;
    weir_fs *fs;
    weir_table_paths paths;
    weir_schema *schema;
    weir_manifest_writer writer;
    weir_manifest_files manifests;
} made_table;

static void start_table(made_table *table, const char *options)
{
    *table = (made_table){.fs = weir_fs_memory(), .paths = {"/t", "/t"}};
    weir_arena_init(&table->arena);
    table->schema = make_schema(&table->arena,
                                (test_schema){.columns = "k INT, v STRING", .primary_keys = "k", .options = options});
    weir_manifest_writer_init(&table->writer, table->fs, &table->paths, table->schema, &table->arena);
}

static void end_table(made_table *table)
{
    weir_manifest_writer_free(&table->writer);
    weir_manifest_files_free(&table->manifests);
    weir_arena_free(&table->arena);
    weir_fs_close(table->fs);
}

/* Adds a manifest with the files first .. last of a kind. */
static void add_manifest(made_table *table, weir_file_kind kind, int first, int last)
{
    weir_error err;
    weir_manifest_entries entries = {0};
    for (int i = first; i <= last; i++) {
        weir_manifest_entries_append(&entries, make_entry(&table->arena, kind, i % 4, 0, i));
    }
    check_ok(weir_manifest_writer_write(&table->writer, entries.items, entries.count, &table->manifests, &err), &err);
    weir_manifest_entries_free(&entries);
}

/* The rows of all live files, which are their numbers; and how many manifests there are. */
static void check_live(made_table *table, const weir_manifest_files *manifests, int64_t rows, size_t manifest_count)
{
    weir_error err;
    weir_manifest_entries entries = {0};
    assert_int_equal(manifests->count, manifest_count);
    for (size_t i = 0; i < manifests->count; i++) {
        check_ok(
            weir_manifest_read(table->fs, &table->paths, manifests->items[i].name, NULL, &table->arena, &entries, &err),
            &err);
    }
    check_ok(weir_manifest_entries_fold(&entries, false, &err), &err);
    assert_int_equal(count_rows(&entries), rows);
    weir_manifest_entries_free(&entries);
}

static void few_small_manifests_are_left_alone(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4");
    for (int i = 1; i <= 29; i++) {
        add_manifest(&table, WEIR_FILE_ADD, i, i);
    }
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    check_live(&table, &merged, 29 * 30 / 2, 29);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

static void thirty_small_manifests_become_one(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4");
    for (int i = 1; i <= 30; i++) {
        add_manifest(&table, WEIR_FILE_ADD, i, i);
    }
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    check_live(&table, &merged, 30 * 31 / 2, 1);
    assert_int_equal(merged.items[0].added_files, 30);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

static void neighbours_are_joined_when_they_reach_the_target(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4;manifest.target-file-size=7kb");
    for (int i = 1; i <= 9; i++) {
        add_manifest(&table, WEIR_FILE_ADD, i, i);
    }
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    assert_true(merged.count < 9);
    check_live(&table, &merged, 45, merged.count);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

static void a_full_merge_leaves_no_deletions(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4;manifest.full-compaction-threshold-size=1kb");
    add_manifest(&table, WEIR_FILE_ADD, 1, 100);
    add_manifest(&table, WEIR_FILE_DELETE, 1, 90);
    add_manifest(&table, WEIR_FILE_ADD, 101, 102);
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    check_live(&table, &merged, 955 + 203, 1);
    assert_int_equal(merged.items[0].deleted_files, 0);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

/* Manifests at the target size are rewritten only when something in them was deleted. */
static void a_full_merge_keeps_large_manifests_that_nothing_touches(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4;manifest.full-compaction-threshold-size=1kb;manifest.target-file-size=3kb;"
                        "manifest.compression=null");
    for (int i = 0; i < 3; i++) {
        weir_manifest_entries entries = {0};
        for (int k = 1; k <= 50; k++) {
            weir_manifest_entries_append(&entries, make_entry(&table.arena, WEIR_FILE_ADD, i, 0, i * 50 + k));
        }
        check_ok(weir_manifest_writer_write(&table.writer, entries.items, entries.count, &table.manifests, &err), &err);
        weir_manifest_entries_free(&entries);
    }
    weir_manifest_entry deletion = make_entry(&table.arena, WEIR_FILE_DELETE, 1, 0, 77);
    check_ok(weir_manifest_writer_write(&table.writer, &deletion, 1, &table.manifests, &err), &err);
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    check_live(&table, &merged, 150 * 151 / 2 - 77, 3);
    assert_string_equal(merged.items[0].name, table.manifests.items[0].name);
    assert_string_equal(merged.items[1].name, table.manifests.items[2].name);
    assert_int_equal(merged.items[2].added_files, 49);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

static void a_full_merge_rewrites_large_manifests_of_deletions(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_files merged = {0};
    start_table(&table, "bucket=4;manifest.full-compaction-threshold-size=1kb;manifest.target-file-size=1kb;"
                        "manifest.compression=null");
    add_manifest(&table, WEIR_FILE_ADD, 1, 50);
    add_manifest(&table, WEIR_FILE_DELETE, 1, 50);
    check_ok(weir_manifest_merge(&table.writer, &table.manifests, &merged, &err), &err);
    check_live(&table, &merged, 0, 0);
    weir_manifest_files_free(&merged);
    end_table(&table);
}

static void the_least_target_size_still_makes_progress(void **state)
{
    (void)state;
    made_table table;
    start_table(&table, "bucket=4;manifest.target-file-size=1b");
    add_manifest(&table, WEIR_FILE_ADD, 1, 5000);
    assert_true(table.manifests.count > 1);
    check_live(&table, &table.manifests, (int64_t)5000 * 5001 / 2, table.manifests.count);
    end_table(&table);
}

static void a_deletion_without_its_addition_is_corrupt_unless_kept(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_manifest_entries entries = {0};
    weir_arena_init(&arena);
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 0, 0, 1));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_DELETE, 0, 0, 2));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_DELETE, 0, 0, 1));
    assert_int_equal(weir_manifest_entries_fold(&entries, false, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "data-00000002"));
    check_ok(weir_manifest_entries_fold(&entries, true, &err), &err);
    assert_int_equal(entries.count, 1);
    assert_int_equal(entries.items[0].kind, WEIR_FILE_DELETE);
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
}

/* An upgrade moves a file to another level under its name: DELETE at the old one, ADD at the new one. */
static void the_same_file_at_two_levels_is_two_entries(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_manifest_entries entries = {0};
    weir_arena_init(&arena);
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 0, 0, 1));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_DELETE, 0, 0, 1));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 0, 5, 1));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 1, 0, 1));
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 0, 0, 1)); /* comes back */
    check_ok(weir_manifest_entries_fold(&entries, false, &err), &err);
    assert_int_equal(entries.count, 3);
    weir_manifest_entries_append(&entries, make_entry(&arena, WEIR_FILE_ADD, 0, 5, 1));
    assert_int_equal(weir_manifest_entries_fold(&entries, false, &err), WEIR_CORRUPT);
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
}

static bool no_partition_matches(void *context, weir_slice partition)
{
    (void)partition;
    (*(int *)context)++;
    return false;
}

static void filters_leave_out_entries(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    int asked = 0;
    const struct {
        weir_manifest_filter filter;
        size_t count;
    } cases[] = {
        {{.bucket = -1, .min_level = -1}, 40},
        {{.bucket = 2, .min_level = -1}, 10},
        {{.bucket = 7, .min_level = -1}, 0},
        {{.bucket = -1, .min_level = 1}, 0},
        {{.bucket = -1, .min_level = -1, .without_stats = true}, 40},
        {{.bucket = -1, .min_level = -1, .partition_matches = no_partition_matches, .partition_context = &asked}, 0},
    };
    start_table(&table, "bucket=4");
    add_manifest(&table, WEIR_FILE_ADD, 1, 40);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_manifest_entries entries = {0};
        check_ok(weir_manifest_read(table.fs, &table.paths, table.manifests.items[0].name, &cases[i].filter,
                                    &table.arena, &entries, &err),
                 &err);
        assert_int_equal(entries.count, cases[i].count);
        for (size_t k = 0; k < entries.count; k++) {
            assert_int_equal(entries.items[k].file->value_stats.null_count_length,
                             cases[i].filter.without_stats ? 0 : 1);
            assert_string_equal(entries.items[k].file->name, weir_arena_format(&table.arena, "data-%08d.parquet",
                                                                               (int)entries.items[k].file->row_count));
        }
        weir_manifest_entries_free(&entries);
    }
    assert_int_equal(asked, 1); /* neighbours of one partition are asked for once */
    end_table(&table);
}

static void an_entry_that_cannot_be_is_corrupt(void **state)
{
    (void)state;
    static const char *no_texts[] = {NULL};
    const struct {
        const char *message;
        weir_data_file file;
    } cases[] = {
        {"without a file name", {.name = NULL}},
        {"without a file name", {.name = ""}},
        {"-1 rows", {.name = "data", .row_count = -1}},
        {"-1 bytes", {.name = "data", .size_bytes = -1}},
        {"level -1", {.name = "data", .level = -1}},
        {"a NULL in it", {.name = "data", .extra_files = no_texts, .extra_file_count = 1}},
        {"a NULL in it",
         {.name = "data", .has_write_columns = true, .write_columns = no_texts, .write_column_count = 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        weir_arena arena;
        weir_batch batch;
        weir_manifest_entries entries = {0};
        weir_data_file file = cases[i].file;
        weir_manifest_entry entry = {.partition = weir_partition_none(), .file = &file};
        weir_arena_init(&arena);
        weir_batch_init(&batch, weir_entry_fields, WEIR_ENTRY_COLUMNS);
        check_ok(weir_entry_append(&entry, &batch, &err), &err);
        assert_int_equal(weir_entries_from_batch(&batch, NULL, "manifest", &arena, &entries, &err), WEIR_CORRUPT);
        assert_non_null(strstr(err.message, cases[i].message));
        weir_manifest_entries_free(&entries);
        weir_batch_free(&batch);
        weir_arena_free(&arena);
    }
}

static void manifests_are_read_in_parallel_in_their_order(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_pool *pool = NULL;
    weir_manifest_files none = {0};
    weir_manifest_entries entries = {0};
    weir_snapshot snapshot = {.id = 1};
    int64_t size;
    start_table(&table, "bucket=4");
    for (int i = 0; i < 20; i++) {
        add_manifest(&table, WEIR_FILE_ADD, i * 10, i * 10 + 9);
    }
    check_ok(
        weir_manifest_writer_write_list(&table.writer, &table.manifests, &snapshot.base_manifest_list, &size, &err),
        &err);
    check_ok(weir_manifest_writer_write_list(&table.writer, &none, &snapshot.delta_manifest_list, &size, &err), &err);
    check_ok(weir_pool_create(3, "test", &pool, &err), &err);
    check_ok(
        weir_snapshot_files(table.fs, &table.paths, table.schema, &snapshot, NULL, pool, &table.arena, &entries, &err),
        &err);
    assert_int_equal(entries.count, 200);
    for (size_t i = 0; i < entries.count; i++) {
        assert_int_equal(entries.items[i].file->row_count, i);
    }
    weir_pool_free(pool);
    weir_manifest_entries_free(&entries);
    end_table(&table);
}

static void a_failed_commit_leaves_nothing(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_file_info *files = NULL;
    size_t count = 0;
    const char *name = NULL;
    int64_t size;
    start_table(&table, "bucket=4");
    add_manifest(&table, WEIR_FILE_ADD, 1, 5);
    check_ok(weir_manifest_writer_write_list(&table.writer, &table.manifests, &name, &size, &err), &err);
    check_ok(weir_fs_list(table.fs, "/t/manifest", &table.arena, &files, &count, &err), &err);
    assert_int_equal(count, 2);
    weir_manifest_writer_abandon(&table.writer);
    check_ok(weir_fs_list(table.fs, "/t/manifest", &table.arena, &files, &count, &err), &err);
    assert_int_equal(count, 0);
    end_table(&table);
}

static void statistics_of_deleted_files_may_be_left_out(void **state)
{
    (void)state;
    weir_error err;
    made_table table;
    weir_manifest_entries entries = {0};
    start_table(&table, "bucket=4;manifest.delete-file-drop-stats=true");
    add_manifest(&table, WEIR_FILE_ADD, 1, 1);
    add_manifest(&table, WEIR_FILE_DELETE, 1, 1);
    for (size_t i = 0; i < 2; i++) {
        check_ok(weir_manifest_read(table.fs, &table.paths, table.manifests.items[i].name, NULL, &table.arena, &entries,
                                    &err),
                 &err);
    }
    assert_int_equal(entries.items[0].file->value_stats.null_count_length, 1);
    assert_false(entries.items[0].file->has_value_stats_columns);
    assert_int_equal(entries.items[1].file->value_stats.null_count_length, 0);
    assert_true(entries.items[1].file->has_value_stats_columns);
    weir_manifest_entries_free(&entries);
    end_table(&table);
}

static void many_entries_are_rolled_into_several_manifests(void **state)
{
    (void)state;
    made_table table;
    start_table(&table, "bucket=4;manifest.target-file-size=200kb;manifest.compression=null");
    add_manifest(&table, WEIR_FILE_ADD, 1, 5000);
    assert_true(table.manifests.count >= 2);
    check_live(&table, &table.manifests, 5000 * 5001 / 2, table.manifests.count);
    end_table(&table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_of_every_snapshot_hold_its_rows),
        cmocka_unit_test(manifests_of_java_are_written_again_record_by_record),
        cmocka_unit_test(the_headers_of_manifests_are_those_of_java),
        cmocka_unit_test(few_small_manifests_are_left_alone),
        cmocka_unit_test(thirty_small_manifests_become_one),
        cmocka_unit_test(neighbours_are_joined_when_they_reach_the_target),
        cmocka_unit_test(a_full_merge_leaves_no_deletions),
        cmocka_unit_test(a_full_merge_keeps_large_manifests_that_nothing_touches),
        cmocka_unit_test(a_full_merge_rewrites_large_manifests_of_deletions),
        cmocka_unit_test(the_least_target_size_still_makes_progress),
        cmocka_unit_test(a_deletion_without_its_addition_is_corrupt_unless_kept),
        cmocka_unit_test(the_same_file_at_two_levels_is_two_entries),
        cmocka_unit_test(filters_leave_out_entries),
        cmocka_unit_test(an_entry_that_cannot_be_is_corrupt),
        cmocka_unit_test(manifests_are_read_in_parallel_in_their_order),
        cmocka_unit_test(a_failed_commit_leaves_nothing),
        cmocka_unit_test(statistics_of_deleted_files_may_be_left_out),
        cmocka_unit_test(many_entries_are_rolled_into_several_manifests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
