/* Names and places of a table's files. */
#include "meta/path.h"

#include "meta/partition.h"

weir_table_paths weir_table_paths_of(weir_arena *arena, const char *table_path, const char *branch)
{
    weir_table_paths paths;
    paths.table = weir_arena_strdup(arena, table_path);
    paths.root = paths.table;
    if (branch != NULL && strcmp(branch, "main") != 0) {
        paths.root = weir_arena_format(arena, "%s/branch/branch-%s", table_path, branch);
    }
    return paths;
}

const char *weir_manifest_path(weir_arena *arena, const weir_table_paths *paths, const char *name)
{
    return weir_arena_format(arena, "%s/manifest/%s", paths->table, name);
}

int weir_bucket_path(weir_arena *arena, const weir_table_paths *paths, const weir_schema *schema, weir_slice partition,
                     int32_t bucket, const char **out, weir_error *err)
{
    const char *folder = NULL;
    const char *partition_folder = NULL;
    WEIR_TRY(weir_options_text(&schema->options, "data-file.path-directory", &folder, err));
    WEIR_TRY(weir_partition_path(schema, partition, arena, &partition_folder, err));
    weir_buffer path = {0};
    weir_buffer_append_text(&path, paths->table);
    if (folder != NULL && folder[0] != '\0') {
        weir_buffer_append_format(&path, "/%s", folder);
    }
    if (partition_folder[0] != '\0') {
        weir_buffer_append_format(&path, "/%s", partition_folder);
    }
    if (bucket == WEIR_POSTPONED_BUCKET) {
        weir_buffer_append_text(&path, "/bucket-postpone");
    } else {
        weir_buffer_append_format(&path, "/bucket-%" PRId32, bucket);
    }
    *out = weir_arena_strdup(arena, weir_buffer_text(&path));
    weir_buffer_free(&path);
    return WEIR_OK;
}

const char *weir_data_file_path(weir_arena *arena, const char *bucket_path, const weir_data_file *file)
{
    if (file->external_path != NULL) {
        return file->external_path;
    }
    return weir_arena_format(arena, "%s/%s", bucket_path, file->name);
}

const char *weir_data_file_name(weir_arena *arena, const weir_schema *schema, const char *prefix, const char *uuid,
                                int64_t n, const char *format, const char *compression)
{
    bool with_compression = false;
    /* A malformed value has been refused when the table was opened for writing. */
    (void)weir_options_bool(&schema->options, "file.suffix.include.compression", &with_compression, NULL);
    if (with_compression && compression != NULL) {
        return weir_arena_format(arena, "%s%s-%" PRId64 ".%s.%s", prefix, uuid, n, compression, format);
    }
    return weir_arena_format(arena, "%s%s-%" PRId64 ".%s", prefix, uuid, n, format);
}

const char *weir_data_file_format(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot == NULL ? "" : dot + 1;
}
