/* The filesystem catalog: databases and tables as folders. */
#include "catalog/catalog.h"
#include "cmocka_all.h"
#include "fs/fault.h"

static void check_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

typedef struct fixture {
    weir_fs *fs;
    weir_catalog *catalog;
    weir_arena arena;
    weir_schema *schema;
    weir_error err;
} fixture;

static void start(fixture *self)
{
    static const weir_field fields[] = {{.name = "a", .type = NULL}};
    weir_field field = fields[0];
    field.type = weir_type_simple(WEIR_INT, true);
    memset(self, 0, sizeof *self);
    self->fs = weir_fs_memory();
    weir_arena_init(&self->arena);
    check_ok(weir_catalog_on_filesystem(self->fs, "/warehouse//", &self->catalog, &self->err), &self->err);
    check_ok(
        weir_schema_create(&self->arena, &field, 1, NULL, 0, NULL, 0, NULL, "a comment", &self->schema, &self->err),
        &self->err);
}

static void end(fixture *self)
{
    weir_catalog_close(self->catalog);
    weir_arena_free(&self->arena);
    weir_fs_close(self->fs);
}

static int create_database(fixture *self, const char *database)
{
    return self->catalog->ops->create_database(self->catalog, database, &self->err);
}

static int create_table(fixture *self, const char *database, const char *table)
{
    return self->catalog->ops->create_table(self->catalog, database, table, self->schema, &self->err);
}

static void databases_are_folders_that_end_in_db(void **state)
{
    (void)state;
    fixture self;
    const char **names = NULL;
    size_t count = 0;
    bool exists = false;
    start(&self);
    check_ok(create_database(&self, "sales"), &self.err);
    check_ok(create_database(&self, "hr"), &self.err);
    check_ok(weir_fs_make_directories(self.fs, "/warehouse/not-a-database", &self.err), &self.err);
    check_ok(self.catalog->ops->list_databases(self.catalog, &self.arena, &names, &count, &self.err), &self.err);
    assert_int_equal(count, 2);
    assert_string_equal(names[0], "hr");
    assert_string_equal(names[1], "sales");
    assert_int_equal(create_database(&self, "sales"), WEIR_EXISTS);
    check_ok(weir_fs_exists(self.fs, "/warehouse/sales.db", &exists, &self.err), &self.err);
    assert_true(exists);
    check_ok(self.catalog->ops->database_exists(self.catalog, "saless", &exists, &self.err), &self.err);
    assert_false(exists);
    end(&self);
}

static void names_that_are_no_folders_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ".", "..", "a/b", "/"};
    fixture self;
    start(&self);
    check_ok(create_database(&self, "db"), &self.err);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(create_database(&self, bad[i]), WEIR_INVALID);
        assert_int_equal(create_table(&self, "db", bad[i]), WEIR_INVALID);
    }
    assert_int_equal(create_table(&self, "db", "t$snapshots"), WEIR_INVALID);
    assert_int_equal(create_database(&self, "sys"), WEIR_INVALID);
    end(&self);
}

static void a_table_is_there_when_its_schema_is(void **state)
{
    (void)state;
    fixture self;
    const char **names = NULL;
    const char *path = NULL;
    size_t count = 0;
    bool exists = true;
    weir_schema *schema = NULL;
    start(&self);
    check_ok(create_database(&self, "db"), &self.err);
    check_ok(weir_fs_make_directories(self.fs, "/warehouse/db.db/folder/schema", &self.err), &self.err);
    check_ok(self.catalog->ops->table_exists(self.catalog, "db", "folder", &exists, &self.err), &self.err);
    assert_false(exists);
    check_ok(create_table(&self, "db", "t"), &self.err);
    assert_int_equal(create_table(&self, "db", "t"), WEIR_EXISTS);
    assert_non_null(strstr(self.err.message, "'db.t'"));
    check_ok(self.catalog->ops->table_exists(self.catalog, "db", "t", &exists, &self.err), &self.err);
    assert_true(exists);
    check_ok(self.catalog->ops->list_tables(self.catalog, "db", &self.arena, &names, &count, &self.err), &self.err);
    assert_int_equal(count, 1);
    assert_string_equal(names[0], "t");
    check_ok(self.catalog->ops->table_path(self.catalog, "db", "t", &self.arena, &path, &self.err), &self.err);
    assert_string_equal(path, "/warehouse/db.db/t");
    check_ok(self.catalog->ops->read_schema(self.catalog, "db", "t", &self.arena, &schema, &self.err), &self.err);
    assert_string_equal(schema->comment, "a comment");
    end(&self);
}

static void misspelt_names_are_corrected(void **state)
{
    (void)state;
    fixture self;
    weir_schema *schema = NULL;
    start(&self);
    check_ok(create_database(&self, "sales"), &self.err);
    check_ok(create_table(&self, "sales", "orders"), &self.err);
    assert_int_equal(self.catalog->ops->read_schema(self.catalog, "sales", "order", &self.arena, &schema, &self.err),
                     WEIR_NOT_FOUND);
    assert_non_null(strstr(self.err.message, "did you mean 'sales.orders'"));
    assert_int_equal(create_table(&self, "saels", "t"), WEIR_NOT_FOUND);
    assert_non_null(strstr(self.err.message, "did you mean 'sales'"));
    assert_int_equal(self.catalog->ops->drop_table(self.catalog, "sales", "customers", &self.err), WEIR_NOT_FOUND);
    assert_null(strstr(self.err.message, "did you mean"));
    assert_int_equal(self.catalog->ops->drop_database(self.catalog, "nowhere", false, &self.err), WEIR_NOT_FOUND);
    end(&self);
}

/* Whatever fails, the table is there to be dropped again, or one made in its place is empty. */
static void a_table_that_was_dropped_in_part_leaves_no_snapshots_to_another(void **state)
{
    static const char *const files[] = {"/w/db.db/t/snapshot/snapshot-1", "/w/db.db/t/snapshot/LATEST",
                                        "/w/db.db/t/bucket-0/data-1", "/w/db.db/t/manifest/manifest-1"};
    (void)state;
    bool failed = true;
    for (uint64_t point = 1; failed; point++) {
        fixture self;
        weir_catalog *catalog = NULL;
        bool exists = true;
        start(&self);
        weir_fs *fs = weir_fs_fault(self.fs, (weir_fault_options){0});
        check_ok(weir_catalog_on_filesystem(fs, "/w", &catalog, &self.err), &self.err);
        check_ok(catalog->ops->create_database(catalog, "db", &self.err), &self.err);
        check_ok(catalog->ops->create_table(catalog, "db", "t", self.schema, &self.err), &self.err);
        for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
            check_ok(weir_fs_replace(fs, files[i], weir_slice_text("x"), &self.err), &self.err);
        }
        weir_fs_fault_set_options(fs, (weir_fault_options){.stop_at = point, .fail_once = true});
        int code = catalog->ops->drop_table(catalog, "db", "t", NULL);
        failed = weir_fs_fault_operations(fs) >= point;
        weir_fs_fault_set_options(fs, (weir_fault_options){0});
        check_ok(catalog->ops->table_exists(catalog, "db", "t", &exists, &self.err), &self.err);
        assert_true(!exists || code != WEIR_OK);
        if (!exists) {
            check_ok(weir_fs_exists(fs, files[0], &exists, &self.err), &self.err);
            assert_false(exists);
        } else {
            check_ok(catalog->ops->drop_table(catalog, "db", "t", &self.err), &self.err);
        }
        weir_catalog_close(catalog);
        weir_fs_close(fs);
        end(&self);
    }
}

static void dropping_a_table_removes_its_folder(void **state)
{
    (void)state;
    fixture self;
    bool exists = true;
    start(&self);
    check_ok(create_database(&self, "db"), &self.err);
    check_ok(create_table(&self, "db", "t"), &self.err);
    check_ok(weir_fs_replace(self.fs, "/warehouse/db.db/t/bucket-0/data-1.parquet", weir_slice_text("x"), &self.err),
             &self.err);
    assert_int_equal(self.catalog->ops->drop_database(self.catalog, "db", false, &self.err), WEIR_INVALID);
    assert_non_null(strstr(self.err.message, "CASCADE"));
    check_ok(self.catalog->ops->drop_table(self.catalog, "db", "t", &self.err), &self.err);
    check_ok(weir_fs_exists(self.fs, "/warehouse/db.db/t", &exists, &self.err), &self.err);
    assert_false(exists);
    check_ok(create_table(&self, "db", "t"), &self.err);
    check_ok(self.catalog->ops->drop_database(self.catalog, "db", true, &self.err), &self.err);
    check_ok(weir_fs_exists(self.fs, "/warehouse/db.db", &exists, &self.err), &self.err);
    assert_false(exists);
    end(&self);
}

static void a_table_can_be_renamed_but_not_over_another(void **state)
{
    (void)state;
    fixture self;
    bool exists = false;
    start(&self);
    check_ok(create_database(&self, "db"), &self.err);
    check_ok(create_table(&self, "db", "a"), &self.err);
    check_ok(create_table(&self, "db", "b"), &self.err);
    assert_int_equal(self.catalog->ops->rename_table(self.catalog, "db", "a", "b", &self.err), WEIR_EXISTS);
    assert_int_equal(self.catalog->ops->rename_table(self.catalog, "db", "c", "d", &self.err), WEIR_NOT_FOUND);
    check_ok(self.catalog->ops->rename_table(self.catalog, "db", "a", "c", &self.err), &self.err);
    check_ok(self.catalog->ops->table_exists(self.catalog, "db", "c", &exists, &self.err), &self.err);
    assert_true(exists);
    end(&self);
}

static int alter(fixture *self, const char *table, const weir_schema_change *changes, int32_t count, int32_t *failed)
{
    return self->catalog->ops->alter_table(self->catalog, "db", table, changes, count, failed, &self->err);
}

static void an_altered_table_has_one_schema_more_or_none(void **state)
{
    (void)state;
    fixture self;
    weir_schema *schema = NULL;
    int32_t failed = 0;
    const weir_schema_change changes[] = {
        {.kind = WEIR_CHANGE_ADD_COLUMN, .name = "b", .type = weir_type_simple(WEIR_VARCHAR, true)},
        {.kind = WEIR_CHANGE_COMMENT, .text = "another comment"},
        {.kind = WEIR_CHANGE_DROP_COLUMN, .name = "c"},
    };
    start(&self);
    check_ok(create_database(&self, "db"), &self.err);
    check_ok(create_table(&self, "db", "t"), &self.err);
    check_ok(alter(&self, "t", changes, 2, &failed), &self.err);
    assert_int_equal(alter(&self, "t", changes + 1, 2, &failed), WEIR_INVALID);
    assert_int_equal(failed, 1); /* all or nothing */
    assert_int_equal(alter(&self, "tt", changes, 1, &failed), WEIR_NOT_FOUND);
    assert_non_null(strstr(self.err.message, "did you mean 'db.t'"));
    check_ok(self.catalog->ops->read_schema(self.catalog, "db", "t", &self.arena, &schema, &self.err), &self.err);
    assert_int_equal(schema->id, 1);
    assert_int_equal(schema->field_count, 2);
    assert_string_equal(schema->comment, "another comment");
    end(&self);
}

static void an_unknown_scheme_is_refused(void **state)
{
    (void)state;
    weir_error err;
    weir_catalog *catalog = NULL;
    assert_int_equal(weir_catalog_open_filesystem("nosuch://host/path", NULL, &catalog, &err), WEIR_UNSUPPORTED);
    weir_catalog_close(catalog);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(databases_are_folders_that_end_in_db),
        cmocka_unit_test(names_that_are_no_folders_are_refused),
        cmocka_unit_test(a_table_is_there_when_its_schema_is),
        cmocka_unit_test(misspelt_names_are_corrected),
        cmocka_unit_test(dropping_a_table_removes_its_folder),
        cmocka_unit_test(a_table_that_was_dropped_in_part_leaves_no_snapshots_to_another),
        cmocka_unit_test(a_table_can_be_renamed_but_not_over_another),
        cmocka_unit_test(an_altered_table_has_one_schema_more_or_none),
        cmocka_unit_test(an_unknown_scheme_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
