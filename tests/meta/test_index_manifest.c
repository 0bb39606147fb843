/* Index manifests: those that Java wrote, and ours beside them. */
#include "meta_fixture.h"

typedef struct latest_indexes {
    weir_arena arena;
    weir_table_paths paths;
    weir_schema *schema;
    const char *manifest; /* NULL: none */
    weir_index_entries entries;
} latest_indexes;

static void read_latest(const char *table, latest_indexes *out)
{
    weir_error err = {0};
    int64_t id = 0;
    weir_snapshot *snapshot = NULL;
    *out = (latest_indexes){0};
    weir_arena_init(&out->arena);
    out->paths = weir_table_paths_of(&out->arena, golden_table(&out->arena, table), NULL);
    check_ok(weir_schema_read_latest(weir_fs_local(), out->paths.root, &out->arena, &out->schema, &err), &err);
    check_ok(weir_snapshot_latest_id(weir_fs_local(), out->paths.root, &id, &err), &err);
    if (id == 0) {
        return;
    }
    check_ok(weir_snapshot_read(weir_fs_local(), out->paths.root, id, &out->arena, &snapshot, &err), &err);
    out->manifest = snapshot->index_manifest;
    if (out->manifest != NULL) {
        check_ok(
            weir_index_manifest_read(weir_fs_local(), &out->paths, out->manifest, &out->arena, &out->entries, &err),
            &err);
    }
}

static void free_latest(latest_indexes *latest)
{
    weir_index_entries_free(&latest->entries);
    weir_arena_free(&latest->arena);
}

static int checked;

/* What an entry says of its file is so: it is there, with its size, and a hash index has 4 bytes a key. */
static void check_files(const char *table)
{
    latest_indexes latest;
    weir_error err = {0};
    read_latest(table, &latest);
    for (size_t i = 0; i < latest.entries.count; i++) {
        const weir_index_entry *entry = &latest.entries.items[i];
        const char *path = NULL;
        weir_file_info info;
        check_ok(weir_index_file_path(&latest.arena, &latest.paths, latest.schema, entry, &path, &err), &err);
        check_ok(weir_fs_stat(weir_fs_local(), path, &info, &err), &err);
        assert_int_equal(info.size_bytes, entry->file->size_bytes);
        if (strcmp(entry->file->type, WEIR_HASH_INDEX) == 0) {
            assert_int_equal(entry->file->row_count * 4, entry->file->size_bytes);
            assert_false(entry->file->has_ranges);
        } else if (strcmp(entry->file->type, WEIR_DELETION_VECTORS_INDEX) == 0) {
            assert_true(entry->file->has_ranges);
            assert_int_equal(entry->file->row_count, entry->file->range_count);
        }
        checked++;
    }
    free_latest(&latest);
}

static void entries_of_golden_tables_describe_their_files(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    checked = 0;
    each_golden_table(check_files);
    assert_true(checked >= 10);
}

static bool same_texts(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static void check_equal_files(const weir_index_file *was, const weir_index_file *is)
{
    assert_string_equal(is->type, was->type);
    assert_string_equal(is->name, was->name);
    assert_int_equal(is->size_bytes, was->size_bytes);
    assert_int_equal(is->row_count, was->row_count);
    assert_int_equal(is->has_ranges, was->has_ranges);
    assert_int_equal(is->range_count, was->range_count);
    assert_true(same_texts(is->external_path, was->external_path));
    for (int32_t i = 0; i < was->range_count; i++) {
        assert_string_equal(is->ranges[i].data_file, was->ranges[i].data_file);
        assert_int_equal(is->ranges[i].offset, was->ranges[i].offset);
        assert_int_equal(is->ranges[i].length, was->ranges[i].length);
        assert_int_equal(is->ranges[i].cardinality, was->ranges[i].cardinality);
    }
    assert_int_equal(is->global == NULL, was->global == NULL);
    if (was->global != NULL) {
        assert_int_equal(is->global->row_range_end, was->global->row_range_end);
        assert_int_equal(is->global->extra_field_count, was->global->extra_field_count);
        assert_true(weir_slice_equal(is->global->meta, was->global->meta));
    }
}

/* Writes the entries to a memory file system; gives the name. */
static const char *write_again(latest_indexes *latest, weir_fs *fs, const weir_index_entries *entries)
{
    weir_error err = {0};
    weir_manifest_writer writer;
    const char *name = NULL;
    weir_manifest_writer_init(&writer, fs, &latest->paths, latest->schema, &latest->arena);
    check_ok(weir_manifest_writer_write_index(&writer, entries, &name, &err), &err);
    weir_manifest_writer_free(&writer);
    return name;
}

static weir_slice avro_schema(weir_fs *fs, latest_indexes *latest, const char *name)
{
    weir_error err = {0};
    weir_buffer bytes = {0};
    check_ok(weir_fs_read_all(fs, weir_manifest_path(&latest->arena, &latest->paths, name), &bytes, &err), &err);
    const uint8_t *from = memmem(bytes.data, bytes.size, "{\"type\":\"record\"", 16);
    const uint8_t *to = memmem(bytes.data, bytes.size, "avro.codec", 10);
    to = to == NULL || to < from ? bytes.data + bytes.size : to;
    assert_non_null(from);
    size_t size = 0;
    for (int depth = 0; size == 0 || depth > 0; size++) { /* up to the brace that closes the first */
        assert_true(from + size < bytes.data + bytes.size);
        depth += (from[size] == '{') - (from[size] == '}');
    }
    weir_slice schema = weir_slice_of(weir_arena_copy(&latest->arena, from, size), size);
    weir_buffer_free(&bytes);
    return schema;
}

static void what_java_wrote_is_written_again_the_same(const char *table)
{
    latest_indexes latest;
    weir_error err = {0};
    read_latest(table, &latest);
    weir_fs *fs = weir_fs_memory();
    weir_index_entries again = {0};
    const char *name = write_again(&latest, fs, &latest.entries);
    check_ok(weir_index_manifest_read(fs, &latest.paths, name, &latest.arena, &again, &err), &err);
    assert_int_equal(again.count, latest.entries.count);
    for (size_t i = 0; i < again.count; i++) {
        assert_true(weir_slice_equal(again.items[i].partition, latest.entries.items[i].partition));
        assert_int_equal(again.items[i].bucket, latest.entries.items[i].bucket);
        check_equal_files(latest.entries.items[i].file, again.items[i].file);
    }
    weir_slice ours = avro_schema(fs, &latest, name), java = avro_schema(weir_fs_local(), &latest, latest.manifest);
    assert_int_equal(ours.size, java.size);
    assert_memory_equal(ours.data, java.data, java.size);
    weir_index_entries_free(&again);
    weir_fs_close(fs);
    free_latest(&latest);
}

static void schema_and_entries_are_those_of_java(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    what_java_wrote_is_written_again_the_same("dyn-bucket");
    what_java_wrote_is_written_again_the_same("dv-pk");
}

static void all_that_an_entry_may_have_comes_back(void **state)
{
    (void)state;
    weir_error err = {0};
    latest_indexes made = {0};
    weir_index_entries again = {0};
    weir_arena_init(&made.arena);
    test_schema wanted = {.columns = "k INT NOT NULL", .primary_keys = "k", .options = "bucket=1"};
    check_ok(create_schema(&made.arena, &wanted, &made.schema, &err), &err);
    made.paths = weir_table_paths_of(&made.arena, "/t", NULL);
    int32_t extra[] = {4, 5};
    weir_deletion_range ranges[] = {{"data-1.parquet", 1, 44, 10}, {"data-2.parquet", 53, 60, -1}};
    weir_global_index global = {.row_range_start = 1,
                                .row_range_end = 99,
                                .field_id = 2,
                                .has_extra_fields = true,
                                .extra_fields = extra,
                                .extra_field_count = 2,
                                .has_meta = true,
                                .meta = weir_slice_text("meta")};
    weir_index_file files[] = {
        {.type = WEIR_HASH_INDEX, .name = "index-a-0", .size_bytes = 8, .row_count = 2},
        {.type = WEIR_DELETION_VECTORS_INDEX,
         .name = "index-b-0",
         .size_bytes = 120,
         .row_count = 2,
         .has_ranges = true,
         .ranges = ranges,
         .range_count = 2,
         .external_path = "/elsewhere/index-b-0"},
        {.type = "btree", .name = "index-c-0", .size_bytes = 1, .row_count = 99, .global = &global},
    };
    for (int i = 0; i < 3; i++) {
        weir_index_entries_append(&made.entries,
                                  (weir_index_entry){.partition = weir_partition_none(),
                                                     .bucket = i,
                                                     .file = weir_index_file_copy(&made.arena, &files[i])});
    }
    weir_fs *fs = weir_fs_memory();
    const char *name = write_again(&made, fs, &made.entries);
    check_ok(weir_index_manifest_read(fs, &made.paths, name, &made.arena, &again, &err), &err);
    assert_int_equal(again.count, 3);
    for (int i = 0; i < 3; i++) {
        check_equal_files(&files[i], again.items[i].file);
    }
    weir_index_entries_free(&again);
    weir_fs_close(fs);
    free_latest(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_of_golden_tables_describe_their_files),
        cmocka_unit_test(schema_and_entries_are_those_of_java),
        cmocka_unit_test(all_that_an_entry_may_have_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
