/* Tables that Java Paimon wrote, merged file by file: the rows are those that Java reads. */
#include "file_fixture.h"
#include "golden.h"
#include "merge/merge.h"

static const char *const tables[] = {
    "pk-b1-l0",          "pk-b1-full",       "pk-b1-levels",        "pk-b4-full-l0", "pk-b4-l0",
    "pk-composite",      "pk-dup-in-commit", "pk-levels-multifile", "seq-field",     "seq-field-desc",
    "ignore-delete",     "thin-mode",        "evo-parquet-pk",      "evo-avro-pk",   "types-parquet-pk",
    "nested-parquet-pk", "flink-dml",        "cl-lookup",           "cl-input",
};

typedef struct golden_merge {
    const char *name;
    weir_arena arena;
    weir_table_context context;
    weir_budget budget;
    weir_error err;
    const char **rows;
    size_t row_count;
    size_t row_capacity;
} golden_merge;

#define TRY(merge, call)                                                                                               \
    do {                                                                                                               \
        if ((call) != WEIR_OK) {                                                                                       \
            fail_msg("%s: %s: %s", (merge)->name, #call, (merge)->err.message);                                        \
        }                                                                                                              \
    } while (0)

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_rows(golden_merge *table, const weir_batch *batch)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer text = {0};
        for (int32_t i = 0; i < batch->column_count; i++) {
            weir_buffer_append_byte(&text, i == 0 ? '[' : ',');
            weir_value_to_json(&batch->columns[i], row, &text);
        }
        weir_buffer_append_byte(&text, ']');
        WEIR_GROW(table->rows, table->row_capacity, table->row_count + 1);
        table->rows[table->row_count++] = weir_arena_strndup(&table->arena, (const char *)text.data, text.size);
        weir_buffer_free(&text);
    }
}

static void merge_section(golden_merge *table, const weir_manifest_entry *entry, const weir_section *section)
{
    const weir_schema *schema = table->context.schema;
    int32_t *columns = WEIR_NEW_ARRAY(&table->arena, int32_t, schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        columns[i] = i;
    }
    weir_merge_reader *merge = NULL;
    TRY(table, weir_merge_open(&table->context, entry->partition, entry->bucket, section->runs, section->run_count,
                               columns, schema->field_count, NULL, &merge, &table->err));
    weir_batch batch;
    weir_batch_init(&batch, schema->fields, schema->field_count);
    int code;
    while ((code = weir_merge_next(merge, 7, &table->err)) == WEIR_OK) {
        weir_batch_clear(&batch);
        for (int32_t i = 0; i < schema->field_count; i++) {
            TRY(table, weir_merge_column(merge, i, &batch.columns[i], &table->err));
        }
        batch.length = merge->row_count;
        add_rows(table, &batch);
    }
    if (code != WEIR_END) {
        fail_msg("%s: %s", table->name, table->err.message);
    }
    weir_batch_free(&batch);
    weir_merge_close(merge);
}

/* Merges the files of the bucket of entry `first`, unless an entry before it was of that bucket. */
static void merge_bucket(golden_merge *table, const weir_manifest_entries *entries, size_t first)
{
    const weir_manifest_entry *entry = &entries->items[first];
    weir_data_file **files = WEIR_NEW_ARRAY(&table->arena, weir_data_file *, entries->count);
    size_t count = 0;
    for (size_t i = 0; i < entries->count; i++) {
        const weir_manifest_entry *other = &entries->items[i];
        if (other->bucket == entry->bucket && weir_slice_equal(other->partition, entry->partition)) {
            if (i < first) {
                return;
            }
            files[count++] = other->file;
        }
    }
    weir_section *sections = NULL;
    size_t section_count = 0;
    TRY(table,
        weir_sections_of(table->context.schema, files, count, &table->arena, &sections, &section_count, &table->err));
    for (size_t s = 0; s < section_count; s++) {
        merge_section(table, entry, &sections[s]);
    }
}

static void merge_table(golden_merge *table)
{
    weir_table_context *context = &table->context;
    const char *root = context->paths.root;
    weir_schema *schema = NULL;
    TRY(table, weir_schema_read_latest(context->fs, root, &table->arena, &schema, &table->err));
    context->schema = schema;
    int64_t id = 0;
    weir_snapshot *snapshot = NULL;
    TRY(table, weir_snapshot_latest_id(context->fs, root, &id, &table->err));
    TRY(table, weir_snapshot_read(context->fs, root, id, &table->arena, &snapshot, &table->err));
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
    weir_manifest_entries entries = {0};
    TRY(table, weir_snapshot_files(context->fs, &context->paths, schema, snapshot, &filter, NULL, &table->arena,
                                   &entries, &table->err));
    for (size_t i = 0; i < entries.count; i++) {
        merge_bucket(table, &entries, i);
    }
    weir_manifest_entries_free(&entries);
}

static void check_rows(golden_merge *table)
{
    weir_buffer expected = {0};
    assert_true(golden_read(golden_path(table->name, "expected.jsonl"), &expected));
    qsort(table->rows, table->row_count, sizeof *table->rows, compare_texts);
    size_t row = 0;
    char *rest = NULL;
    for (char *line = strtok_r((char *)(uintptr_t)weir_buffer_text(&expected), "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest), row++) {
        if (row >= table->row_count || strcmp(line, table->rows[row]) != 0) {
            fail_msg("%s: expected %s, came %s", table->name, line,
                     row < table->row_count ? table->rows[row] : "nothing");
        }
    }
    assert_int_equal(row, table->row_count);
    weir_buffer_free(&expected);
}

static void golden_tables_merge_to_the_rows_that_java_reads(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        golden_merge table = {.name = tables[i]};
        char path[4096];
        assert_non_null(realpath(golden_path(tables[i], "table"), path));
        weir_arena_init(&table.arena);
        weir_budget_init(&table.budget, "test", NULL, INT64_MAX);
        table.context.fs = weir_fs_local();
        table.context.paths = weir_table_paths_of(&table.arena, path, NULL);
        table.context.schemas = weir_schema_cache_create(table.context.fs, path);
        table.context.budget = &table.budget;
        merge_table(&table);
        check_rows(&table);
        assert_int_equal(atomic_load(&table.budget.used_bytes), 0);
        weir_schema_cache_free(table.context.schemas);
        free(table.rows);
        weir_arena_free(&table.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_tables_merge_to_the_rows_that_java_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
