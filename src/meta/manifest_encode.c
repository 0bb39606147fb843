/* From manifest entries and manifest descriptions to columns of the written layout. */
#include "meta/manifest_record.h"

/* ---- values of a column ---- */

static int put_int(weir_vector *column, int32_t value, weir_error *err)
{
    return weir_vector_append_raw(column, &value, sizeof value, err);
}

static int put_long(weir_vector *column, int64_t value, weir_error *err)
{
    return weir_vector_append_raw(column, &value, sizeof value, err);
}

static int put_int_if(weir_vector *column, bool given, int32_t value, weir_error *err)
{
    return given ? put_int(column, value, err) : weir_vector_append_nulls(column, 1, err);
}

static int put_long_if(weir_vector *column, bool given, int64_t value, weir_error *err)
{
    return given ? put_long(column, value, err) : weir_vector_append_nulls(column, 1, err);
}

static int put_bytes(weir_vector *column, weir_slice value, weir_error *err)
{
    return weir_vector_append_raw(column, value.data, value.size, err);
}

static int put_text(weir_vector *column, const char *text, weir_error *err)
{
    return text == NULL ? weir_vector_append_nulls(column, 1, err) : put_bytes(column, weir_slice_text(text), err);
}

static int put_texts(weir_vector *column, bool given, const char *const *texts, int32_t count, weir_error *err)
{
    if (!given) {
        return weir_vector_append_nulls(column, 1, err);
    }
    for (int32_t i = 0; i < count; i++) {
        WEIR_TRY(put_text(&column->children[0], texts[i], err));
    }
    return weir_vector_append_list(column, err);
}

/* Statistics that were never collected are written as rows without columns. */
static int put_stats(weir_vector *column, const weir_stats_row *stats, weir_error *err)
{
    static const uint8_t empty[12];
    weir_slice none = weir_slice_of(empty, sizeof empty);
    weir_vector *counts = &column->children[2];
    WEIR_TRY(put_bytes(&column->children[0], stats->min_values.size == 0 ? none : stats->min_values, err));
    WEIR_TRY(put_bytes(&column->children[1], stats->max_values.size == 0 ? none : stats->max_values, err));
    if (stats->null_counts == NULL && stats->min_values.size > sizeof empty) {
        WEIR_TRY(weir_vector_append_nulls(counts, 1, err));
    } else {
        for (int32_t i = 0; i < stats->null_count_length; i++) {
            WEIR_TRY(put_long_if(&counts->children[0], stats->null_counts[i] >= 0, stats->null_counts[i], err));
        }
        WEIR_TRY(weir_vector_append_list(counts, err));
    }
    return weir_vector_append_struct(column, err);
}

/* ---- records ---- */

static int put_optional_fields(const weir_data_file *file, weir_vector *columns, weir_error *err)
{
    WEIR_TRY(put_long_if(&columns[WEIR_FILE_CREATION_TIME], file->creation_time_ms != INT64_MIN, file->creation_time_ms,
                         err));
    WEIR_TRY(
        put_long_if(&columns[WEIR_FILE_DELETE_ROW_COUNT], file->delete_row_count >= 0, file->delete_row_count, err));
    if (file->has_embedded_index) {
        WEIR_TRY(put_bytes(&columns[WEIR_FILE_EMBEDDED_INDEX], file->embedded_index, err));
    } else {
        WEIR_TRY(weir_vector_append_nulls(&columns[WEIR_FILE_EMBEDDED_INDEX], 1, err));
    }
    WEIR_TRY(put_int_if(&columns[WEIR_FILE_SOURCE], file->file_source >= 0, file->file_source, err));
    WEIR_TRY(put_texts(&columns[WEIR_FILE_VALUE_STATS_COLUMNS], file->has_value_stats_columns,
                       file->value_stats_columns, file->value_stats_column_count, err));
    WEIR_TRY(put_text(&columns[WEIR_FILE_EXTERNAL_PATH], file->external_path, err));
    WEIR_TRY(put_long_if(&columns[WEIR_FILE_FIRST_ROW_ID], file->first_row_id >= 0, file->first_row_id, err));
    return put_texts(&columns[WEIR_FILE_WRITE_COLUMNS], file->has_write_columns, file->write_columns,
                     file->write_column_count, err);
}

static int put_file(const weir_data_file *file, weir_vector *column, weir_error *err)
{
    weir_vector *columns = column->children;
    WEIR_TRY(put_text(&columns[WEIR_FILE_NAME], file->name, err));
    WEIR_TRY(put_long(&columns[WEIR_FILE_SIZE], file->size_bytes, err));
    WEIR_TRY(put_long(&columns[WEIR_FILE_ROW_COUNT], file->row_count, err));
    WEIR_TRY(put_bytes(&columns[WEIR_FILE_MIN_KEY], file->min_key, err));
    WEIR_TRY(put_bytes(&columns[WEIR_FILE_MAX_KEY], file->max_key, err));
    WEIR_TRY(put_stats(&columns[WEIR_FILE_KEY_STATS], &file->key_stats, err));
    WEIR_TRY(put_stats(&columns[WEIR_FILE_VALUE_STATS], &file->value_stats, err));
    WEIR_TRY(put_long(&columns[WEIR_FILE_MIN_SEQUENCE], file->min_sequence_number, err));
    WEIR_TRY(put_long(&columns[WEIR_FILE_MAX_SEQUENCE], file->max_sequence_number, err));
    WEIR_TRY(put_long(&columns[WEIR_FILE_SCHEMA_ID], file->schema_id, err));
    WEIR_TRY(put_int(&columns[WEIR_FILE_LEVEL], file->level, err));
    WEIR_TRY(put_texts(&columns[WEIR_FILE_EXTRA_FILES], true, file->extra_files, file->extra_file_count, err));
    WEIR_TRY(put_optional_fields(file, columns, err));
    return weir_vector_append_struct(column, err);
}

int weir_entry_append(const weir_manifest_entry *entry, weir_batch *batch, weir_error *err)
{
    weir_vector *columns = batch->columns;
    WEIR_TRY(put_int(&columns[WEIR_ENTRY_VERSION], WEIR_MANIFEST_VERSION, err));
    WEIR_TRY(put_int(&columns[WEIR_ENTRY_KIND], entry->kind, err));
    WEIR_TRY(put_bytes(&columns[WEIR_ENTRY_PARTITION], entry->partition, err));
    WEIR_TRY(put_int(&columns[WEIR_ENTRY_BUCKET], entry->bucket, err));
    WEIR_TRY(put_int(&columns[WEIR_ENTRY_TOTAL_BUCKETS], entry->total_buckets, err));
    WEIR_TRY(put_file(entry->file, &columns[WEIR_ENTRY_FILE], err));
    batch->length++;
    return WEIR_OK;
}

int weir_manifest_file_append(const weir_manifest_file *file, weir_batch *batch, weir_error *err)
{
    weir_vector *columns = batch->columns;
    WEIR_TRY(put_int(&columns[WEIR_LIST_VERSION], WEIR_MANIFEST_VERSION, err));
    WEIR_TRY(put_text(&columns[WEIR_LIST_FILE_NAME], file->name, err));
    WEIR_TRY(put_long(&columns[WEIR_LIST_FILE_SIZE], file->size_bytes, err));
    WEIR_TRY(put_long(&columns[WEIR_LIST_ADDED_FILES], file->added_files, err));
    WEIR_TRY(put_long(&columns[WEIR_LIST_DELETED_FILES], file->deleted_files, err));
    WEIR_TRY(put_stats(&columns[WEIR_LIST_PARTITION_STATS], &file->partition_stats, err));
    WEIR_TRY(put_long(&columns[WEIR_LIST_SCHEMA_ID], file->schema_id, err));
    WEIR_TRY(put_int_if(&columns[WEIR_LIST_MIN_BUCKET], file->has_buckets, file->min_bucket, err));
    WEIR_TRY(put_int_if(&columns[WEIR_LIST_MAX_BUCKET], file->has_buckets, file->max_bucket, err));
    WEIR_TRY(put_int_if(&columns[WEIR_LIST_MIN_LEVEL], file->has_levels, file->min_level, err));
    WEIR_TRY(put_int_if(&columns[WEIR_LIST_MAX_LEVEL], file->has_levels, file->max_level, err));
    WEIR_TRY(put_long_if(&columns[WEIR_LIST_MIN_ROW_ID], file->min_row_id >= 0, file->min_row_id, err));
    WEIR_TRY(put_long_if(&columns[WEIR_LIST_MAX_ROW_ID], file->max_row_id >= 0, file->max_row_id, err));
    batch->length++;
    return WEIR_OK;
}
