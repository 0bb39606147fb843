/* Data files of tables that Java Paimon wrote: read, written again, and described as Java described them. */
#include <dirent.h>

#include "file_fixture.h"
#include "golden.h"
#include "vector/compare.h"

/* One table: its own files, and a file system in memory to write to. */
typedef struct golden_table {
    const char *name;
    weir_arena arena;
    weir_table_context context;
    weir_table_context copy; /* the same table in memory */
    weir_fs *memory;
    weir_schema_cache *schemas;
    weir_error err;
    int compared;
} golden_table;

#define TRY(table, call)                                                                                               \
    do {                                                                                                               \
        if ((call) != WEIR_OK) {                                                                                       \
            fail_msg("%s: %s: %s", (table)->name, #call, (table)->err.message);                                        \
        }                                                                                                              \
    } while (0)

static void open_table(golden_table *table, const char *name)
{
    memset(table, 0, sizeof *table);
    table->name = name;
    weir_arena_init(&table->arena);
    table->context.fs = weir_fs_local();
    char resolved[4096];
    assert_non_null(realpath(golden_path(name, "table"), resolved));
    table->context.paths = weir_table_paths_of(&table->arena, resolved, NULL);
    table->schemas = weir_schema_cache_create(table->context.fs, table->context.paths.root);
    table->context.schemas = table->schemas;
    weir_schema *schema = NULL;
    TRY(table,
        weir_schema_read_latest(table->context.fs, table->context.paths.root, &table->arena, &schema, &table->err));
    table->context.schema = schema;
    table->memory = weir_fs_memory();
    table->copy = table->context;
    table->copy.fs = table->memory;
}

static void close_table(golden_table *table)
{
    weir_schema_cache_free(table->schemas);
    weir_fs_close(table->memory);
    weir_arena_free(&table->arena);
}

#define POSTPONED_BUCKET (-2)

/* Formats and features that are read elsewhere or not at all. Files of a postponed bucket have no statistics; files
 * with row ids get their sequence numbers from the commit. */
static bool is_readable(const weir_manifest_entry *entry)
{
    const weir_data_file *file = entry->file;
    const char *format = weir_data_file_format(file->name);
    return (strcmp(format, "parquet") == 0 || strcmp(format, "avro") == 0) && !file->has_write_columns &&
           file->external_path == NULL && file->first_row_id < 0 && entry->bucket != POSTPONED_BUCKET;
}

/* Reads all rows of a file, with sequence numbers and kinds behind the columns where it is a key-value file. */
static void read_file(golden_table *table, const weir_manifest_entry *entry, const weir_schema *schema, weir_batch *out)
{
    bool has_keys = schema->primary_key_count > 0;
    int32_t count = schema->field_count + (has_keys ? 2 : 0);
    weir_field *fields = WEIR_NEW_ARRAY(&table->arena, weir_field, count);
    memcpy(fields, schema->fields, (size_t)schema->field_count * sizeof *fields);
    if (has_keys) {
        fields[schema->field_count] = *weir_sequence_number_field();
        fields[schema->field_count + 1] = *weir_value_kind_field();
    }
    weir_batch_init(out, fields, count);
    const char *bucket_path = NULL;
    TRY(table, weir_bucket_path(&table->arena, &table->context.paths, schema, entry->partition, entry->bucket,
                                &bucket_path, &table->err));
    weir_format_reader *reader = NULL;
    TRY(table, weir_data_file_open(&table->context, bucket_path, entry->file, fields, count, &reader, &table->err));
    for (int32_t i = 0; i < count; i++) {
        TRY(table, reader->ops->read(reader, i, 0, reader->row_count, &out->columns[i], &table->err));
    }
    out->length = reader->row_count;
    reader->ops->close(reader);
}

static weir_data_file *write_again(golden_table *table, const weir_manifest_entry *entry, const weir_schema *schema,
                                   const weir_batch *rows)
{
    bool has_keys = schema->primary_key_count > 0;
    weir_data_file_writer_options options = {
        .kind = has_keys ? WEIR_DATA_FILE_KEY_VALUE : WEIR_DATA_FILE_APPEND,
        .partition = entry->partition,
        .bucket = entry->bucket,
        .level = entry->file->level,
        .source = entry->file->file_source,
    };
    weir_data_file_writer *writer = NULL;
    TRY(table, weir_data_file_writer_create(&table->copy, &options, &writer, &table->err));
    weir_data_file_writer_set_sequence(writer, entry->file->min_sequence_number);
    const int64_t *sequence_numbers = has_keys ? WEIR_VALUES(&rows->columns[schema->field_count], int64_t) : NULL;
    const int8_t *kinds = has_keys ? WEIR_VALUES(&rows->columns[schema->field_count + 1], int8_t) : NULL;
    TRY(table, weir_data_file_writer_write_batch(writer, rows, 0, rows->length, sequence_numbers, kinds, &table->err));
    weir_data_file **files = NULL;
    size_t count = 0;
    size_t capacity = 0;
    TRY(table, weir_data_file_writer_finish(writer, &table->arena, &files, &count, &capacity, &table->err));
    weir_data_file_writer_close(writer);
    assert_int_equal(count, 1);
    weir_data_file *file = files[0];
    free(files);
    return file;
}

/* The columns that a file's value statistics list. */
static int32_t listed_types(golden_table *table, const weir_data_file *file, const weir_schema *schema,
                            const weir_type ***out)
{
    int32_t count = file->has_value_stats_columns ? file->value_stats_column_count : schema->field_count;
    *out = WEIR_NEW_ARRAY(&table->arena, const weir_type *, count + 1);
    for (int32_t i = 0; i < count; i++) {
        int32_t column = file->has_value_stats_columns ? weir_schema_column(schema, file->value_stats_columns[i]) : i;
        (*out)[i] = schema->fields[column].type;
    }
    return count;
}

/* Our bounds are Java's. Where Java has none (of TIMESTAMP(7..9) in Parquet files) we may have some. */
static void check_bounds(golden_table *table, const weir_data_file *file, const weir_type *const *types, int32_t count,
                         weir_slice ours, weir_slice java)
{
    weir_literal *our_values = WEIR_NEW_ARRAY(&table->arena, weir_literal, count + 1);
    weir_literal *java_values = WEIR_NEW_ARRAY(&table->arena, weir_literal, count + 1);
    TRY(table, weir_binary_row_deserialize(ours, types, count, "bounds", &table->arena, our_values, &table->err));
    TRY(table, weir_binary_row_deserialize(java, types, count, "bounds", &table->arena, java_values, &table->err));
    for (int32_t i = 0; i < count; i++) {
        bool differs = weir_literal_compare(types[i], &our_values[i], &java_values[i]) != 0;
        if (differs && !(java_values[i].is_null && types[i]->precision > 6)) {
            fail_msg("%s: %s: statistics of column %d (%s) have other bounds than Java's", table->name, file->name,
                     (int)i, weir_type_text(&table->arena, types[i]));
        }
    }
}

static void check_stats(golden_table *table, const weir_data_file *file, const weir_type *const *types, int32_t count,
                        const weir_stats_row *ours, const weir_stats_row *java)
{
    check_bounds(table, file, types, count, ours->min_values, java->min_values);
    check_bounds(table, file, types, count, ours->max_values, java->max_values);
    assert_int_equal(ours->null_count_length, java->null_count_length);
    for (int32_t i = 0; i < ours->null_count_length; i++) {
        assert_int_equal(ours->null_counts[i], java->null_counts[i]);
    }
}

static void check_file(golden_table *table, const weir_manifest_entry *entry)
{
    const weir_data_file *java = entry->file;
    const weir_schema *schema = NULL;
    TRY(table, weir_schema_cache_get(table->schemas, java->schema_id, &schema, &table->err));
    table->context.schema = schema;
    table->copy.schema = schema;
    weir_batch rows;
    read_file(table, entry, schema, &rows);
    const weir_data_file *ours = write_again(table, entry, schema, &rows);
    weir_batch_free(&rows);
    assert_int_equal(ours->row_count, java->row_count);
    assert_true(weir_slice_equal(ours->min_key, java->min_key));
    assert_true(weir_slice_equal(ours->max_key, java->max_key));
    assert_int_equal(ours->min_sequence_number, java->min_sequence_number);
    assert_int_equal(ours->max_sequence_number, java->max_sequence_number);
    assert_int_equal(ours->delete_row_count, java->delete_row_count);
    assert_int_equal(ours->schema_id, java->schema_id);
    assert_int_equal(ours->level, java->level);
    assert_int_equal(ours->has_value_stats_columns, java->has_value_stats_columns);
    assert_int_equal(ours->value_stats_column_count, java->value_stats_column_count);
    for (int32_t i = 0; i < ours->value_stats_column_count; i++) {
        assert_string_equal(ours->value_stats_columns[i], java->value_stats_columns[i]);
    }
    assert_true(weir_slice_equal(ours->key_stats.min_values, java->key_stats.min_values));
    assert_true(weir_slice_equal(ours->key_stats.max_values, java->key_stats.max_values));
    const weir_type **types = NULL;
    int32_t count = listed_types(table, java, schema, &types);
    check_stats(table, java, types, count, &ours->value_stats, &java->value_stats);
    table->compared++;
}

static int check_table(const char *name)
{
    golden_table table;
    open_table(&table, name);
    const char *root = table.context.paths.root;
    int64_t id = 0;
    TRY(&table, weir_snapshot_latest_id(table.context.fs, root, &id, &table.err));
    if (id > 0) {
        weir_snapshot *snapshot = NULL;
        TRY(&table, weir_snapshot_read(table.context.fs, root, id, &table.arena, &snapshot, &table.err));
        weir_manifest_filter filter = {.bucket = -1, .min_level = -1};
        weir_manifest_entries entries = {0};
        int code = weir_snapshot_files(table.context.fs, &table.context.paths, table.context.schema, snapshot, &filter,
                                       NULL, &table.arena, &entries, &table.err);
        TRY(&table, code);
        for (size_t i = 0; i < entries.count; i++) {
            if (is_readable(&entries.items[i])) {
                check_file(&table, &entries.items[i]);
            }
        }
        weir_manifest_entries_free(&entries);
    }
    int compared = table.compared;
    close_table(&table);
    return compared;
}

static void files_written_again_are_described_as_java_did(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    const char *only = getenv("WEIR_GOLDEN");
    struct dirent **entries;
    int count = scandir(golden_root(), &entries, NULL, alphasort);
    int compared = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        if (name[0] != '.' && access(golden_path(name, "table/schema"), R_OK) == 0 &&
            (only == NULL || strcmp(only, name) == 0)) {
            compared += check_table(name);
        }
        free(entries[i]);
    }
    free(entries);
    printf("%d files compared\n", compared);
    assert_true(only != NULL || compared > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_written_again_are_described_as_java_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
