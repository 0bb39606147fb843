/* From columns to manifest entries and manifest descriptions. The bytes go into the caller's arena, entry by entry, so
 * that entries which a filter leaves out cost nothing. */
#include <stdlib.h>

#include "meta/manifest_record.h"

void weir_manifest_entries_append(weir_manifest_entries *entries, weir_manifest_entry entry)
{
    WEIR_GROW(entries->items, entries->capacity, entries->count + 1);
    entries->items[entries->count++] = entry;
}

static int compare_buckets(const weir_manifest_entry *first, const weir_manifest_entry *second)
{
    int order = weir_slice_compare(first->partition, second->partition);
    return order != 0 ? order : (first->bucket > second->bucket) - (first->bucket < second->bucket);
}

static int compare_entries(const void *a, const void *b)
{
    const weir_manifest_entry *first = a, *second = b;
    int order = compare_buckets(first, second);
    if (order == 0 && first->file->min_sequence_number != second->file->min_sequence_number) {
        order = first->file->min_sequence_number < second->file->min_sequence_number ? -1 : 1;
    }
    return order != 0 ? order : strcmp(first->file->name, second->file->name);
}

void weir_manifest_entries_sort(weir_manifest_entries *entries)
{
    if (entries->count > 1) {
        qsort(entries->items, entries->count, sizeof *entries->items, compare_entries);
    }
}

typedef struct placed_entry {
    weir_manifest_entry entry;
    size_t place;
} placed_entry;

static int compare_placed(const void *a, const void *b)
{
    const placed_entry *first = a, *second = b;
    int order = compare_buckets(&first->entry, &second->entry);
    return order != 0 ? order : (first->place > second->place) - (first->place < second->place);
}

void weir_manifest_entries_group(weir_manifest_entries *entries)
{
    placed_entry *placed = weir_alloc((entries->count + 1) * sizeof *placed);
    for (size_t i = 0; i < entries->count; i++) {
        placed[i] = (placed_entry){entries->items[i], i};
    }
    qsort(placed, entries->count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < entries->count; i++) {
        entries->items[i] = placed[i].entry;
    }
    free(placed);
}

void weir_manifest_entries_free(weir_manifest_entries *entries)
{
    free(entries->items);
    *entries = (weir_manifest_entries){0};
}

void weir_manifest_files_append(weir_manifest_files *files, weir_manifest_file file)
{
    WEIR_GROW(files->items, files->capacity, files->count + 1);
    files->items[files->count++] = file;
}

void weir_manifest_files_free(weir_manifest_files *files)
{
    free(files->items);
    *files = (weir_manifest_files){0};
}

/* ---- values of a column ---- */

static int32_t get_int(const weir_vector *column, int64_t row) { return WEIR_VALUES(column, int32_t)[row]; }

static int64_t get_long(const weir_vector *column, int64_t row) { return WEIR_VALUES(column, int64_t)[row]; }

static int64_t get_long_or(const weir_vector *column, int64_t row, int64_t otherwise)
{
    return weir_vector_is_null(column, row) ? otherwise : get_long(column, row);
}

static int32_t get_int_or(const weir_vector *column, int64_t row, int32_t otherwise)
{
    return weir_vector_is_null(column, row) ? otherwise : get_int(column, row);
}

static weir_slice get_bytes(const weir_vector *column, int64_t row, weir_arena *arena)
{
    weir_slice bytes = weir_vector_bytes(column, row);
    return weir_slice_of(weir_arena_copy(arena, bytes.data, bytes.size), bytes.size);
}

static const char *get_text(const weir_vector *column, int64_t row, weir_arena *arena)
{
    if (weir_vector_is_null(column, row)) {
        return NULL;
    }
    weir_slice text = weir_vector_bytes(column, row);
    return weir_arena_strndup(arena, (const char *)text.data, text.size);
}

static const char **get_texts(const weir_vector *column, int64_t row, weir_arena *arena, int32_t *out_count)
{
    int32_t first = column->offsets[row];
    int32_t count = column->offsets[row + 1] - first;
    const char **texts = count == 0 ? NULL : WEIR_NEW_ARRAY(arena, const char *, count);
    for (int32_t i = 0; i < count; i++) {
        texts[i] = get_text(&column->children[0], first + i, arena);
    }
    *out_count = count;
    return texts;
}

static weir_stats_row get_stats(const weir_vector *column, int64_t row, weir_arena *arena)
{
    weir_stats_row stats = {0};
    if (weir_vector_is_null(column, row)) {
        return stats;
    }
    stats.min_values = get_bytes(&column->children[0], row, arena);
    stats.max_values = get_bytes(&column->children[1], row, arena);
    const weir_vector *counts = &column->children[2];
    if (!weir_vector_is_null(counts, row)) {
        int32_t first = counts->offsets[row];
        stats.null_count_length = counts->offsets[row + 1] - first;
        stats.null_counts = WEIR_NEW_ARRAY(arena, int64_t, stats.null_count_length);
        for (int32_t i = 0; i < stats.null_count_length; i++) {
            stats.null_counts[i] = get_long_or(&counts->children[0], first + i, -1);
        }
    }
    return stats;
}

/* ---- entries ---- */

static weir_data_file *get_file(const weir_vector *columns, int64_t row, weir_arena *arena)
{
    weir_data_file *file = WEIR_NEW(arena, weir_data_file);
    file->name = get_text(&columns[WEIR_FILE_NAME], row, arena);
    file->size_bytes = get_long(&columns[WEIR_FILE_SIZE], row);
    file->row_count = get_long(&columns[WEIR_FILE_ROW_COUNT], row);
    file->min_key = get_bytes(&columns[WEIR_FILE_MIN_KEY], row, arena);
    file->max_key = get_bytes(&columns[WEIR_FILE_MAX_KEY], row, arena);
    file->key_stats = get_stats(&columns[WEIR_FILE_KEY_STATS], row, arena);
    file->value_stats = get_stats(&columns[WEIR_FILE_VALUE_STATS], row, arena);
    file->min_sequence_number = get_long(&columns[WEIR_FILE_MIN_SEQUENCE], row);
    file->max_sequence_number = get_long(&columns[WEIR_FILE_MAX_SEQUENCE], row);
    file->schema_id = get_long(&columns[WEIR_FILE_SCHEMA_ID], row);
    file->level = get_int(&columns[WEIR_FILE_LEVEL], row);
    file->extra_files = get_texts(&columns[WEIR_FILE_EXTRA_FILES], row, arena, &file->extra_file_count);
    file->creation_time_ms = get_long_or(&columns[WEIR_FILE_CREATION_TIME], row, INT64_MIN);
    file->delete_row_count = get_long_or(&columns[WEIR_FILE_DELETE_ROW_COUNT], row, -1);
    file->has_embedded_index = !weir_vector_is_null(&columns[WEIR_FILE_EMBEDDED_INDEX], row);
    if (file->has_embedded_index) {
        file->embedded_index = get_bytes(&columns[WEIR_FILE_EMBEDDED_INDEX], row, arena);
    }
    file->file_source = get_int_or(&columns[WEIR_FILE_SOURCE], row, -1);
    file->has_value_stats_columns = !weir_vector_is_null(&columns[WEIR_FILE_VALUE_STATS_COLUMNS], row);
    file->value_stats_columns =
        get_texts(&columns[WEIR_FILE_VALUE_STATS_COLUMNS], row, arena, &file->value_stats_column_count);
    file->external_path = get_text(&columns[WEIR_FILE_EXTERNAL_PATH], row, arena);
    file->first_row_id = get_long_or(&columns[WEIR_FILE_FIRST_ROW_ID], row, -1);
    file->has_write_columns = !weir_vector_is_null(&columns[WEIR_FILE_WRITE_COLUMNS], row);
    file->write_columns = get_texts(&columns[WEIR_FILE_WRITE_COLUMNS], row, arena, &file->write_column_count);
    return file;
}

static bool are_complete(const char **texts, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* A writer's schema may allow NULL where none may be; counts may be anything. */
static int check_file(const weir_data_file *file, const char *path, weir_error *err)
{
    if (file->name == NULL || file->name[0] == '\0') {
        return weir_fail(err, WEIR_CORRUPT, "%s: an entry without a file name", path);
    }
    if (!are_complete(file->extra_files, file->extra_file_count) ||
        !are_complete(file->value_stats_columns, file->value_stats_column_count) ||
        !are_complete(file->write_columns, file->write_column_count)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the entry of %s has a list with a NULL in it", path, file->name);
    }
    if (file->row_count < 0 || file->size_bytes < 0 || file->level < 0) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: the entry of %s has %" PRId64 " rows, %" PRId64 " bytes, level %d; none may be negative",
                         path, file->name, file->row_count, file->size_bytes, file->level);
    }
    return WEIR_OK;
}

static bool passes(const weir_manifest_filter *filter, int32_t bucket, int32_t total_buckets, int32_t level,
                   weir_slice partition)
{
    if (filter == NULL) {
        return true;
    }
    return weir_manifest_filter_bucket_passes(filter, bucket, total_buckets) &&
           (filter->min_level < 0 || level >= filter->min_level) &&
           (filter->partition_matches == NULL || filter->partition_matches(filter->partition_context, partition));
}

static int check_version(const weir_vector *versions, int64_t row, const char *path, weir_error *err)
{
    int32_t version = get_int(versions, row);
    if (version != WEIR_MANIFEST_VERSION) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: records of version %d; version %d is known", path, version,
                         (int)WEIR_MANIFEST_VERSION);
    }
    return WEIR_OK;
}

int weir_entries_from_batch(const weir_batch *batch, const weir_manifest_filter *filter, const char *path,
                            weir_arena *arena, weir_manifest_entries *out, weir_error *err)
{
    const weir_vector *columns = batch->columns;
    const weir_vector *levels = &columns[WEIR_ENTRY_FILE].children[WEIR_FILE_LEVEL];
    weir_slice last = {0};
    for (int64_t row = 0; row < batch->length; row++) {
        WEIR_TRY(check_version(&columns[WEIR_ENTRY_VERSION], row, path, err));
        int32_t kind = get_int(&columns[WEIR_ENTRY_KIND], row);
        if (kind != WEIR_FILE_ADD && kind != WEIR_FILE_DELETE) {
            return weir_fail(err, WEIR_CORRUPT, "%s: an entry of kind %d is neither ADD nor DELETE", path, kind);
        }
        weir_slice partition = weir_vector_bytes(&columns[WEIR_ENTRY_PARTITION], row);
        int32_t bucket = get_int(&columns[WEIR_ENTRY_BUCKET], row);
        int32_t total_buckets = get_int(&columns[WEIR_ENTRY_TOTAL_BUCKETS], row);
        if (!passes(filter, bucket, total_buckets, get_int(levels, row), partition)) {
            continue;
        }
        /* Neighbours are mostly of the same partition and can share its bytes. */
        if (last.data == NULL || !weir_slice_equal(last, partition)) {
            last = weir_slice_of(weir_arena_copy(arena, partition.data, partition.size), partition.size);
        }
        weir_manifest_entry entry = {.kind = (weir_file_kind)kind,
                                     .partition = last,
                                     .bucket = bucket,
                                     .total_buckets = total_buckets,
                                     .file = get_file(columns[WEIR_ENTRY_FILE].children, row, arena)};
        WEIR_TRY(check_file(entry.file, path, err));
        weir_manifest_entries_append(out, entry);
    }
    return WEIR_OK;
}

int weir_manifest_files_from_batch(const weir_batch *batch, const char *path, weir_arena *arena,
                                   weir_manifest_files *out, weir_error *err)
{
    const weir_vector *columns = batch->columns;
    for (int64_t row = 0; row < batch->length; row++) {
        WEIR_TRY(check_version(&columns[WEIR_LIST_VERSION], row, path, err));
        weir_manifest_file file = {.name = get_text(&columns[WEIR_LIST_FILE_NAME], row, arena),
                                   .size_bytes = get_long(&columns[WEIR_LIST_FILE_SIZE], row),
                                   .added_files = get_long(&columns[WEIR_LIST_ADDED_FILES], row),
                                   .deleted_files = get_long(&columns[WEIR_LIST_DELETED_FILES], row),
                                   .partition_stats = get_stats(&columns[WEIR_LIST_PARTITION_STATS], row, arena),
                                   .schema_id = get_long(&columns[WEIR_LIST_SCHEMA_ID], row),
                                   .min_bucket = get_int_or(&columns[WEIR_LIST_MIN_BUCKET], row, -1),
                                   .max_bucket = get_int_or(&columns[WEIR_LIST_MAX_BUCKET], row, -1),
                                   .min_level = get_int_or(&columns[WEIR_LIST_MIN_LEVEL], row, -1),
                                   .max_level = get_int_or(&columns[WEIR_LIST_MAX_LEVEL], row, -1),
                                   .min_row_id = get_long_or(&columns[WEIR_LIST_MIN_ROW_ID], row, -1),
                                   .max_row_id = get_long_or(&columns[WEIR_LIST_MAX_ROW_ID], row, -1)};
        file.has_buckets = !weir_vector_is_null(&columns[WEIR_LIST_MIN_BUCKET], row) &&
                           !weir_vector_is_null(&columns[WEIR_LIST_MAX_BUCKET], row);
        file.has_levels = !weir_vector_is_null(&columns[WEIR_LIST_MIN_LEVEL], row) &&
                          !weir_vector_is_null(&columns[WEIR_LIST_MAX_LEVEL], row);
        if (file.name == NULL || file.name[0] == '\0') {
            return weir_fail(err, WEIR_CORRUPT, "%s: a manifest without a name", path);
        }
        weir_manifest_files_append(out, file);
    }
    return WEIR_OK;
}
