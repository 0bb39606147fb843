/* Fuzzes the readers of metadata files. The first byte says what the others are: a schema, a snapshot, a manifest, a
 * manifest list, an option's value. What a manifest holds is decoded as planning does it. */
#include <stdlib.h>

#include "file/stats.h"
#include "meta/meta.h"

static void must(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fprintf(stderr, "%s\n", err->message);
        abort();
    }
}

/* A schema that can be read can be written, and reads as itself. */
static void read_schema(weir_slice text, weir_arena *arena)
{
    weir_error err = {0};
    weir_schema *schema = NULL;
    weir_schema *again = NULL;
    weir_buffer written = {0};
    weir_buffer rewritten = {0};
    if (weir_schema_parse(text, "fuzz", arena, &schema, NULL) == WEIR_OK) {
        (void)weir_schema_check_writable(schema, NULL);
        weir_schema_format(schema, &written);
        must(weir_schema_parse(weir_buffer_slice(&written), "written", arena, &again, &err), &err);
        weir_schema_format(again, &rewritten);
        if (!weir_slice_equal(weir_buffer_slice(&written), weir_buffer_slice(&rewritten))) {
            abort();
        }
    }
    weir_buffer_free(&written);
    weir_buffer_free(&rewritten);
}

static void read_snapshot(weir_slice text, weir_arena *arena)
{
    weir_error err = {0};
    weir_snapshot *snapshot = NULL;
    weir_snapshot *again = NULL;
    weir_buffer written = {0};
    if (weir_snapshot_parse(text, "fuzz", arena, &snapshot, NULL) == WEIR_OK) {
        weir_snapshot_format(snapshot, &written);
        must(weir_snapshot_parse(weir_buffer_slice(&written), "written", arena, &again, &err), &err);
    }
    weir_buffer_free(&written);
}

/* The table whose manifests these are. */
static weir_schema *make_schema(weir_arena *arena)
{
    weir_error err = {0};
    const weir_type *row = NULL;
    weir_schema *schema = NULL;
    static const char *const keys[] = {"dt", "id"};
    weir_options options = {0};
    weir_options_set(&options, arena, "bucket", "2");
    must(weir_type_parse("ROW<dt STRING, id BIGINT, v DECIMAL(20, 2), t TIMESTAMP(9), n INT, s STRING>", arena, &row,
                         &err),
         &err);
    must(weir_schema_create(arena, row->fields, row->field_count, keys, 2, keys, 1, &options, NULL, &schema, &err),
         &err);
    return schema;
}

static void use_entry(const weir_table_context *context, const weir_manifest_entry *entry, weir_arena *arena)
{
    static const int32_t columns[] = {0, 1, 2, 3, 4, 5};
    const char *text = NULL;
    weir_literal partition = {0};
    weir_column_stats stats[6];
    (void)weir_partition_decode(context->schema, entry->partition, arena, &partition, NULL);
    (void)weir_partition_text(context->schema, entry->partition, arena, &text, NULL);
    if (weir_bucket_path(arena, &context->paths, context->schema, entry->partition, entry->bucket, &text, NULL) ==
        WEIR_OK) {
        (void)weir_data_file_path(arena, text, entry->file);
    }
    (void)weir_data_file_format(entry->file->name);
    (void)weir_stats_decode(context, entry->file, columns, 6, arena, stats, NULL);
    (void)weir_stats_decode_keys(context, entry->file, arena, stats, NULL);
}

static void read_manifest(weir_slice bytes, bool is_list, weir_arena *arena)
{
    weir_error err = {0};
    weir_fs *fs = weir_fs_memory();
    weir_table_context context = {.fs = fs, .paths = weir_table_paths_of(arena, "/t", NULL)};
    context.schema = make_schema(arena);
    context.schemas = weir_schema_cache_create(fs, "/t");
    must(weir_fs_publish(fs, "/t/manifest/m", bytes, &err), &err);
    weir_manifest_entries entries = {0};
    weir_manifest_files files = {0};
    weir_manifest_filter filter = {.bucket = 1, .min_level = 1, .without_stats = true};
    if (is_list) {
        (void)weir_manifest_list_read(fs, &context.paths, "m", arena, &files, NULL);
    } else if (weir_manifest_read(fs, &context.paths, "m", NULL, arena, &entries, NULL) == WEIR_OK) {
        for (size_t i = 0; i < entries.count && i < 64; i++) {
            use_entry(&context, &entries.items[i], arena);
        }
        (void)weir_manifest_entries_fold(&entries, false, NULL);
        (void)weir_manifest_entries_fold(&entries, true, NULL);
        (void)weir_manifest_read(fs, &context.paths, "m", &filter, arena, &entries, NULL);
    }
    weir_manifest_entries_free(&entries);
    weir_manifest_files_free(&files);
    weir_schema_cache_free(context.schemas);
    weir_fs_close(fs);
}

/* "key=value" */
static void read_option(weir_slice text, weir_arena *arena)
{
    char *key = weir_arena_strndup(arena, (const char *)text.data, text.size);
    char *value = strchr(key, '=');
    if (value == NULL) {
        return;
    }
    *value++ = '\0';
    weir_options options = {0};
    weir_options_set(&options, arena, key, value);
    int64_t number = 0;
    bool boolean = false;
    const char *found = NULL;
    (void)weir_option_check(key, value, NULL);
    (void)weir_options_bool(&options, key, &boolean, NULL);
    (void)weir_options_int(&options, key, &number, NULL);
    (void)weir_options_size(&options, key, &number, NULL);
    (void)weir_options_duration(&options, key, &number, NULL);
    (void)weir_options_text(&options, key, &found, NULL);
    (void)weir_options_check_writable(&options, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    weir_arena arena;
    weir_slice bytes = weir_slice_of(data + 1, size - 1);
    weir_arena_init(&arena);
    switch (data[0]) {
    case 'S':
        read_schema(bytes, &arena);
        break;
    case 'N':
        read_snapshot(bytes, &arena);
        break;
    case 'M':
    case 'L':
        read_manifest(bytes, data[0] == 'L', &arena);
        break;
    case 'O':
        read_option(bytes, &arena);
        break;
    default:
        break;
    }
    weir_arena_free(&arena);
    return 0;
}
