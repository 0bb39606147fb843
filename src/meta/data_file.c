/* Copies of data file descriptions. */
#include "meta/data_file.h"

static weir_slice copy_slice(weir_arena *arena, weir_slice slice)
{
    return weir_slice_of(weir_arena_copy(arena, slice.data, slice.size), slice.size);
}

static weir_stats_row copy_stats(weir_arena *arena, const weir_stats_row *stats)
{
    weir_stats_row copy = *stats;
    copy.min_values = copy_slice(arena, stats->min_values);
    copy.max_values = copy_slice(arena, stats->max_values);
    if (stats->null_counts != NULL) {
        copy.null_counts =
            weir_arena_copy(arena, stats->null_counts, (size_t)stats->null_count_length * sizeof *stats->null_counts);
    }
    return copy;
}

static const char **copy_names(weir_arena *arena, const char *const *names, int32_t count)
{
    const char **copies = WEIR_NEW_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        copies[i] = weir_arena_strdup(arena, names[i]);
    }
    return copies;
}

weir_data_file *weir_data_file_copy(weir_arena *arena, const weir_data_file *file)
{
    weir_data_file *copy = weir_arena_copy(arena, file, sizeof *file);
    copy->name = weir_arena_strdup(arena, file->name);
    copy->min_key = copy_slice(arena, file->min_key);
    copy->max_key = copy_slice(arena, file->max_key);
    copy->key_stats = copy_stats(arena, &file->key_stats);
    copy->value_stats = copy_stats(arena, &file->value_stats);
    copy->extra_files = copy_names(arena, file->extra_files, file->extra_file_count);
    copy->embedded_index = copy_slice(arena, file->embedded_index);
    copy->value_stats_columns = copy_names(arena, file->value_stats_columns, file->value_stats_column_count);
    copy->external_path = weir_arena_strdup(arena, file->external_path);
    copy->write_columns = copy_names(arena, file->write_columns, file->write_column_count);
    if (file->deletion != NULL) {
        weir_deletion *deletion = weir_arena_copy(arena, file->deletion, sizeof *deletion);
        deletion->path = weir_arena_strdup(arena, file->deletion->path);
        copy->deletion = deletion;
    }
    return copy;
}
