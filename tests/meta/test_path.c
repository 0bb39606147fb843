/* Partition folders and file names: where Java put the files of golden tables, and single values. */
#include "meta_fixture.h"

static int files_found;

/* Every live data file must lie where its partition, bucket and name say. */
static void find_files(const char *table)
{
    weir_error err;
    weir_arena arena;
    weir_schema *schema = NULL;
    weir_snapshot *snapshot = NULL;
    weir_manifest_entries entries = {0};
    int64_t latest;
    weir_arena_init(&arena);
    weir_table_paths paths = weir_table_paths_of(&arena, golden_table(&arena, table), NULL);
    check_ok(weir_schema_read_latest(weir_fs_local(), paths.root, &arena, &schema, &err), &err);
    check_ok(weir_snapshot_latest_id(weir_fs_local(), paths.root, &latest, &err), &err);
    if (latest > 0) {
        check_ok(weir_snapshot_read(weir_fs_local(), paths.root, latest, &arena, &snapshot, &err), &err);
        check_ok(weir_snapshot_files(weir_fs_local(), &paths, schema, snapshot, NULL, NULL, &arena, &entries, &err),
                 &err);
    }
    for (size_t i = 0; i < entries.count; i++) {
        const weir_manifest_entry *entry = &entries.items[i];
        const char *bucket = NULL;
        bool exists = false;
        check_ok(weir_bucket_path(&arena, &paths, schema, entry->partition, entry->bucket, &bucket, &err), &err);
        const char *path = weir_data_file_path(&arena, bucket, entry->file);
        check_ok(weir_fs_exists(weir_fs_local(), path, &exists, &err), &err);
        if (!exists) {
            fail_msg("%s: no %s", table, path);
        }
        files_found++;
    }
    weir_manifest_entries_free(&entries);
    weir_arena_free(&arena);
}

static void every_data_file_of_java_is_found_where_it_should_be(void **state)
{
    (void)state;
    if (golden_available()) {
        each_golden_table(find_files);
        assert_true(files_found > 300);
    }
}

typedef struct folder_case {
    const char *type;
    const char *value;
    const char *legacy;
    const char *plain;
} folder_case;

static const char *folder_of(weir_arena *arena, const char *type, const char *value, const char *option)
{
    weir_error err;
    weir_literal literal = {.is_null = true};
    weir_buffer row = {0};
    const char *folder = NULL;
    weir_schema *schema = make_schema(arena, (test_schema){.columns = weir_arena_format(arena, "v INT, p %s", type),
                                                           .partition_keys = "p",
                                                           .options = option});
    if (value != NULL) {
        check_ok(weir_literal_parse(schema->fields[1].type, weir_slice_text(value), arena, &literal, &err), &err);
    }
    weir_partition_encode(schema, &literal, &row);
    check_ok(weir_partition_path(schema, weir_buffer_slice(&row), arena, &folder, &err), &err);
    weir_buffer_free(&row);
    return folder;
}

static void values_become_folders_as_java_names_them(void **state)
{
    (void)state;
    static const folder_case cases[] = {
        {"STRING", "plain", "p=plain", "p=plain"},
        {"STRING", "a b~!@$&()+,;ü", "p=a b~!@$&()+,;ü", "p=a b~!@$&()+,;ü"},
        {"STRING", "\"#%'*/:=?\\{}[]^\x7f", "p=%22%23%25%27%2A%2F%3A%3D%3F%5C%7B%7D%5B%5D%5E%7F", NULL},
        {"STRING", "a\tb", "p=a%09b", "p=a%09b"},
        {"STRING", "", "p=__DEFAULT_PARTITION__", "p=__DEFAULT_PARTITION__"},
        {"STRING", "  \t", "p=__DEFAULT_PARTITION__", "p=__DEFAULT_PARTITION__"},
        {"STRING", "\xE3\x80\x80", "p=__DEFAULT_PARTITION__", "p=__DEFAULT_PARTITION__"},
        {"STRING", "\xC2\xA0", "p=\xC2\xA0", "p=\xC2\xA0"}, /* a no-break space is no blank */
        {"STRING", NULL, "p=__DEFAULT_PARTITION__", "p=__DEFAULT_PARTITION__"},
        {"INT", NULL, "p=__DEFAULT_PARTITION__", "p=__DEFAULT_PARTITION__"},
        {"BOOLEAN", "true", "p=true", "p=true"},
        {"BIGINT", "-7", "p=-7", "p=-7"},
        {"DECIMAL(10, 2)", "1.50", "p=1.50", "p=1.50"},
        {"DATE", "2024-01-01", "p=19723", "p=2024-01-01"},
        {"DATE", "1969-12-31", "p=-1", "p=1969-12-31"},
        {"TIMESTAMP(3)", "2024-01-01 00:00:00", "p=2024-01-01T00%3A00", "p=2024-01-01 00%3A00%3A00.000"},
        {"TIMESTAMP(3)", "2024-01-01 01:02:03.004", "p=2024-01-01T01%3A02%3A03.004", "p=2024-01-01 01%3A02%3A03.004"},
        {"TIMESTAMP(6)", "1969-12-31 23:59:59.999999", "p=1969-12-31T23%3A59%3A59.999999", NULL},
        {"TIMESTAMP(9)", "2024-01-01 01:02:03.000000001", "p=2024-01-01T01%3A02%3A03.000000001", NULL},
        {"TIME(3)", "00:00:01", "p=1000", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_arena arena;
        weir_arena_init(&arena);
        assert_string_equal(folder_of(&arena, cases[i].type, cases[i].value, NULL), cases[i].legacy);
        if (cases[i].plain != NULL) {
            assert_string_equal(folder_of(&arena, cases[i].type, cases[i].value, "partition.legacy-name=false"),
                                cases[i].plain);
        }
        weir_arena_free(&arena);
    }
}

static void the_default_name_can_be_chosen(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    assert_string_equal(folder_of(&arena, "INT", NULL, "partition.default-name=none"), "p=none");
    weir_arena_free(&arena);
}

static void a_binary_partition_has_no_folder(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_literal null = {.is_null = true};
    weir_buffer row = {0};
    const char *folder = NULL;
    weir_arena_init(&arena);
    weir_schema *schema = make_schema(&arena, (test_schema){.columns = "v INT, p BYTES", .partition_keys = "p"});
    weir_partition_encode(schema, &null, &row);
    assert_int_equal(weir_partition_path(schema, weir_buffer_slice(&row), &arena, &folder, &err), WEIR_UNSUPPORTED);
    weir_buffer_free(&row);
    weir_arena_free(&arena);
}

static void partitions_are_printed_for_people(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_buffer row = {0};
    const char *text = NULL;
    weir_arena_init(&arena);
    weir_schema *schema =
        make_schema(&arena, (test_schema){.columns = "hr INT, v INT, dt STRING", .partition_keys = "dt,hr"});
    weir_literal values[] = {{.bytes = weir_slice_text("2024-01-01")}, {.is_null = true}};
    weir_literal back[2];
    weir_partition_encode(schema, values, &row);
    check_ok(weir_partition_text(schema, weir_buffer_slice(&row), &arena, &text, &err), &err);
    assert_string_equal(text, "dt=2024-01-01, hr=NULL");
    check_ok(weir_partition_decode(schema, weir_buffer_slice(&row), &arena, back, &err), &err);
    assert_true(weir_slice_equal(back[0].bytes, values[0].bytes) && back[1].is_null);
    assert_int_equal(weir_partition_path(schema, weir_partition_none(), &arena, &text, &err), WEIR_CORRUPT);
    weir_buffer_free(&row);
    weir_arena_free(&arena);
}

static void names_follow_the_options(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    const char *path = NULL;
    weir_arena_init(&arena);
    weir_schema *plain = make_schema(&arena, (test_schema){.columns = "a INT"});
    weir_schema *special = make_schema(&arena, (test_schema){.columns = "a INT",
                                                             .options = "file.suffix.include.compression=true;"
                                                                        "data-file.path-directory=data"});
    weir_table_paths paths = weir_table_paths_of(&arena, "/w/db.db/t", NULL);
    weir_table_paths branch = weir_table_paths_of(&arena, "/w/db.db/t", "b1");
    assert_string_equal(branch.root, "/w/db.db/t/branch/branch-b1");
    assert_string_equal(branch.table, paths.table);
    assert_string_equal(weir_table_paths_of(&arena, "/t", "main").root, "/t");
    assert_string_equal(weir_manifest_path(&arena, &branch, "m"), "/w/db.db/t/manifest/m");
    assert_string_equal(weir_data_file_name(&arena, plain, "data-", "u", 7, "parquet", "zstd"), "data-u-7.parquet");
    assert_string_equal(weir_data_file_name(&arena, special, "data-", "u", 7, "parquet", "zstd"),
                        "data-u-7.zstd.parquet");
    check_ok(weir_bucket_path(&arena, &paths, special, weir_partition_none(), 3, &path, &err), &err);
    assert_string_equal(path, "/w/db.db/t/data/bucket-3");
    check_ok(weir_bucket_path(&arena, &paths, plain, weir_partition_none(), -2, &path, &err), &err);
    assert_string_equal(path, "/w/db.db/t/bucket-postpone");
    assert_string_equal(weir_data_file_format("data-u-7.zstd.parquet"), "parquet");
    assert_string_equal(weir_data_file_format("data"), "");
    weir_data_file file = {.name = "f.avro"};
    assert_string_equal(weir_data_file_path(&arena, "/b", &file), "/b/f.avro");
    file.external_path = "/else/where/f.avro";
    assert_string_equal(weir_data_file_path(&arena, "/b", &file), "/else/where/f.avro");
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_data_file_of_java_is_found_where_it_should_be),
        cmocka_unit_test(values_become_folders_as_java_names_them),
        cmocka_unit_test(the_default_name_can_be_chosen),
        cmocka_unit_test(a_binary_partition_has_no_folder),
        cmocka_unit_test(partitions_are_printed_for_people),
        cmocka_unit_test(names_follow_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
