/* Records of index manifests as columns, both ways. */
#include "meta/index_manifest.h"

#include <stdlib.h>

#include "base/clock.h"
#include "meta/manifest_record.h"

enum { RECORD_VERSION = 1 };

typedef enum entry_column {
    ENTRY_VERSION,
    ENTRY_KIND,
    ENTRY_PARTITION,
    ENTRY_BUCKET,
    ENTRY_TYPE,
    ENTRY_NAME,
    ENTRY_SIZE,
    ENTRY_ROWS,
    ENTRY_RANGES,
    ENTRY_EXTERNAL_PATH,
    ENTRY_GLOBAL,
    ENTRY_COLUMNS
} entry_column;

enum { RANGE_FILE, RANGE_OFFSET, RANGE_LENGTH, RANGE_CARDINALITY, RANGE_COLUMNS };
enum {
    GLOBAL_START,
    GLOBAL_END,
    GLOBAL_FIELD,
    GLOBAL_EXTRA,
    GLOBAL_META,
    GLOBAL_COLUMNS,
    GLOBAL_SOURCE_META = GLOBAL_COLUMNS
};

static const weir_type int_type = {.id = WEIR_INT};
static const weir_type long_type = {.id = WEIR_BIGINT};
static const weir_type nullable_long = {.id = WEIR_BIGINT, .nullable = true};
static const weir_type text_type = {.id = WEIR_VARCHAR, .precision = WEIR_MAX_LENGTH};
static const weir_type nullable_text = {.id = WEIR_VARCHAR, .nullable = true, .precision = WEIR_MAX_LENGTH};
static const weir_type bytes_type = {.id = WEIR_VARBINARY, .precision = WEIR_MAX_LENGTH};
static const weir_type nullable_bytes = {.id = WEIR_VARBINARY, .nullable = true, .precision = WEIR_MAX_LENGTH};
static const weir_type nullable_ints = {.id = WEIR_ARRAY, .nullable = true, .element = &int_type};

static const weir_field range_fields[RANGE_COLUMNS] = {
    [RANGE_FILE] = {.name = "f0", .type = &text_type},
    [RANGE_OFFSET] = {.name = "f1", .type = &int_type},
    [RANGE_LENGTH] = {.name = "f2", .type = &int_type},
    [RANGE_CARDINALITY] = {.name = "_CARDINALITY", .type = &nullable_long},
};
static const weir_type range_type = {
    .id = WEIR_ROW, .nullable = true, .fields = range_fields, .field_count = RANGE_COLUMNS};
static const weir_type ranges_type = {.id = WEIR_ARRAY, .nullable = true, .element = &range_type};

#define GLOBAL_FIELDS                                                                                                  \
    [GLOBAL_START] = {.name = "_ROW_RANGE_START", .type = &long_type},                                                 \
    [GLOBAL_END] = {.name = "_ROW_RANGE_END", .type = &long_type},                                                     \
    [GLOBAL_FIELD] = {.name = "_INDEX_FIELD_ID", .type = &int_type},                                                   \
    [GLOBAL_EXTRA] = {.name = "_EXTRA_FIELD_IDS", .type = &nullable_ints},                                             \
    [GLOBAL_META] = {.name = "_INDEX_META", .type = &nullable_bytes}

static const weir_field global_fields[] = {GLOBAL_FIELDS};
static const weir_type global_type = {
    .id = WEIR_ROW, .nullable = true, .fields = global_fields, .field_count = GLOBAL_COLUMNS};
/* A later Paimon adds a field. It is looked for, since an index manifest without it would be another one. */
static const weir_field global_fields_to_read[] = {
    GLOBAL_FIELDS,
    [GLOBAL_SOURCE_META] = {.name = "_SOURCE_META", .type = &nullable_bytes},
};
static const weir_type global_type_to_read = {
    .id = WEIR_ROW, .nullable = true, .fields = global_fields_to_read, .field_count = GLOBAL_COLUMNS + 1};

#define ENTRY_FIELDS(type_of_global)                                                                                   \
    {                                                                                                                  \
        [ENTRY_VERSION] = {.name = "_VERSION", .type = &int_type},                                                     \
        [ENTRY_KIND] = {.name = "_KIND", .type = &int_type},                                                           \
        [ENTRY_PARTITION] = {.name = "_PARTITION", .type = &bytes_type},                                               \
        [ENTRY_BUCKET] = {.name = "_BUCKET", .type = &int_type},                                                       \
        [ENTRY_TYPE] = {.name = "_INDEX_TYPE", .type = &text_type},                                                    \
        [ENTRY_NAME] = {.name = "_FILE_NAME", .type = &text_type},                                                     \
        [ENTRY_SIZE] = {.name = "_FILE_SIZE", .type = &long_type},                                                     \
        [ENTRY_ROWS] = {.name = "_ROW_COUNT", .type = &long_type},                                                     \
        [ENTRY_RANGES] = {.name = "_DELETIONS_VECTORS_RANGES", .type = &ranges_type},                                  \
        [ENTRY_EXTERNAL_PATH] = {.name = "_EXTERNAL_PATH", .type = &nullable_text},                                    \
        [ENTRY_GLOBAL] = {.name = "_GLOBAL_INDEX", .type = &(type_of_global)},                                         \
    }

static const weir_field written_fields[ENTRY_COLUMNS] = ENTRY_FIELDS(global_type);
static const weir_field read_fields[ENTRY_COLUMNS] = ENTRY_FIELDS(global_type_to_read);

/* ---- lists ---- */

void weir_index_entries_append(weir_index_entries *entries, weir_index_entry entry)
{
    WEIR_GROW(entries->items, entries->capacity, entries->count + 1);
    entries->items[entries->count++] = entry;
}

void weir_index_entries_free(weir_index_entries *entries)
{
    free(entries->items);
    *entries = (weir_index_entries){0};
}

static weir_slice copy_slice(weir_arena *arena, weir_slice bytes)
{
    return weir_slice_of(weir_arena_copy(arena, bytes.data, bytes.size), bytes.size);
}

static weir_global_index *copy_global(weir_arena *arena, const weir_global_index *global)
{
    weir_global_index *copy = WEIR_NEW(arena, weir_global_index);
    *copy = *global;
    copy->extra_fields =
        weir_arena_copy(arena, global->extra_fields, sizeof *global->extra_fields * (size_t)global->extra_field_count);
    copy->meta = copy_slice(arena, global->meta);
    return copy;
}

weir_index_file *weir_index_file_copy(weir_arena *arena, const weir_index_file *file)
{
    weir_index_file *copy = WEIR_NEW(arena, weir_index_file);
    *copy = *file;
    copy->type = weir_arena_strdup(arena, file->type);
    copy->name = weir_arena_strdup(arena, file->name);
    copy->external_path = file->external_path == NULL ? NULL : weir_arena_strdup(arena, file->external_path);
    copy->ranges = WEIR_NEW_ARRAY(arena, weir_deletion_range, file->range_count);
    for (int32_t i = 0; i < file->range_count; i++) {
        copy->ranges[i] = file->ranges[i];
        copy->ranges[i].data_file = weir_arena_strdup(arena, file->ranges[i].data_file);
    }
    copy->global = file->global == NULL ? NULL : copy_global(arena, file->global);
    return copy;
}

int weir_index_file_path(weir_arena *arena, const weir_table_paths *paths, const weir_schema *schema,
                         const weir_index_entry *entry, const char **out, weir_error *err)
{
    bool beside_data = false;
    if (entry->file->external_path != NULL) {
        *out = entry->file->external_path;
        return WEIR_OK;
    }
    WEIR_TRY(weir_options_bool(&schema->options, "index-file-in-data-file-dir", &beside_data, err));
    const char *folder = weir_arena_format(arena, "%s/index", paths->table);
    if (beside_data) {
        WEIR_TRY(weir_bucket_path(arena, paths, schema, entry->partition, entry->bucket, &folder, err));
    }
    *out = weir_arena_format(arena, "%s/%s", folder, entry->file->name);
    return WEIR_OK;
}

/* ---- reading ---- */

static const char *get_text(const weir_vector *column, int64_t row, weir_arena *arena)
{
    weir_slice text = weir_vector_bytes(column, row);
    return weir_vector_is_null(column, row) ? NULL : weir_arena_strndup(arena, (const char *)text.data, text.size);
}

static void get_ranges(const weir_vector *column, int64_t row, weir_arena *arena, weir_index_file *out)
{
    out->has_ranges = !weir_vector_is_null(column, row);
    if (!out->has_ranges) {
        return;
    }
    int32_t first = column->offsets[row];
    const weir_vector *fields = column->children[0].children;
    out->range_count = column->offsets[row + 1] - first;
    out->ranges = WEIR_NEW_ARRAY(arena, weir_deletion_range, out->range_count);
    for (int32_t i = 0; i < out->range_count; i++) {
        int64_t at = first + i;
        const char *name = get_text(&fields[RANGE_FILE], at, arena);
        bool counted = !weir_vector_is_null(&fields[RANGE_CARDINALITY], at);
        out->ranges[i] = (weir_deletion_range){
            .data_file = name != NULL ? name : "",
            .offset = WEIR_VALUES(&fields[RANGE_OFFSET], int32_t)[at],
            .length = WEIR_VALUES(&fields[RANGE_LENGTH], int32_t)[at],
            .cardinality = counted ? WEIR_VALUES(&fields[RANGE_CARDINALITY], int64_t)[at] : -1,
        };
    }
}

static void get_global(const weir_vector *column, int64_t row, weir_arena *arena, weir_index_file *out)
{
    if (weir_vector_is_null(column, row)) {
        return;
    }
    const weir_vector *fields = column->children;
    weir_global_index *global = WEIR_NEW(arena, weir_global_index);
    global->row_range_start = WEIR_VALUES(&fields[GLOBAL_START], int64_t)[row];
    global->row_range_end = WEIR_VALUES(&fields[GLOBAL_END], int64_t)[row];
    global->field_id = WEIR_VALUES(&fields[GLOBAL_FIELD], int32_t)[row];
    global->has_extra_fields = !weir_vector_is_null(&fields[GLOBAL_EXTRA], row);
    if (global->has_extra_fields) {
        int32_t first = fields[GLOBAL_EXTRA].offsets[row];
        global->extra_field_count = fields[GLOBAL_EXTRA].offsets[row + 1] - first;
        global->extra_fields = weir_arena_copy(arena, WEIR_VALUES(&fields[GLOBAL_EXTRA].children[0], int32_t) + first,
                                               sizeof(int32_t) * (size_t)global->extra_field_count);
    }
    global->has_meta = !weir_vector_is_null(&fields[GLOBAL_META], row);
    global->meta = copy_slice(arena, weir_vector_bytes(&fields[GLOBAL_META], row));
    global->has_source = !weir_vector_is_null(&fields[GLOBAL_SOURCE_META], row);
    out->global = global;
}

static int get_entry(const weir_batch *batch, int64_t row, const char *path, weir_arena *arena, weir_index_entry *out,
                     weir_error *err)
{
    const weir_vector *columns = batch->columns;
    int32_t version = WEIR_VALUES(&columns[ENTRY_VERSION], int32_t)[row];
    int32_t kind = WEIR_VALUES(&columns[ENTRY_KIND], int32_t)[row];
    if (version != RECORD_VERSION) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: an index manifest entry of version %d; this version knows %d",
                         path, version, RECORD_VERSION);
    }
    if (kind != WEIR_FILE_ADD) {
        return weir_fail(err, WEIR_CORRUPT, "%s: an index manifest entry of kind %d; only 0 (ADD) is kept", path, kind);
    }
    weir_index_file *file = WEIR_NEW(arena, weir_index_file);
    file->type = get_text(&columns[ENTRY_TYPE], row, arena);
    file->name = get_text(&columns[ENTRY_NAME], row, arena);
    file->size_bytes = WEIR_VALUES(&columns[ENTRY_SIZE], int64_t)[row];
    file->row_count = WEIR_VALUES(&columns[ENTRY_ROWS], int64_t)[row];
    file->external_path = get_text(&columns[ENTRY_EXTERNAL_PATH], row, arena);
    get_ranges(&columns[ENTRY_RANGES], row, arena, file);
    get_global(&columns[ENTRY_GLOBAL], row, arena, file);
    *out = (weir_index_entry){
        .kind = WEIR_FILE_ADD,
        .partition = copy_slice(arena, weir_vector_bytes(&columns[ENTRY_PARTITION], row)),
        .bucket = WEIR_VALUES(&columns[ENTRY_BUCKET], int32_t)[row],
        .file = file,
    };
    return WEIR_OK;
}

int weir_index_manifest_read(weir_fs *fs, const weir_table_paths *paths, const char *name, weir_arena *arena,
                             weir_index_entries *out, weir_error *err)
{
    const char *path = weir_manifest_path(arena, paths, name);
    weir_buffer bytes = {0};
    weir_batch batch;
    int code;
    weir_batch_init(&batch, read_fields, ENTRY_COLUMNS);
    WEIR_GO(weir_fs_read_all(fs, path, &bytes, err));
    WEIR_GO(weir_manifest_records_read(weir_buffer_slice(&bytes), path, read_fields, ENTRY_COLUMNS, NULL, &batch, err));
    for (int64_t i = 0; i < batch.length; i++) {
        weir_index_entry entry;
        WEIR_GO(get_entry(&batch, i, path, arena, &entry, err));
        weir_index_entries_append(out, entry);
    }
done:
    weir_batch_free(&batch);
    weir_buffer_free(&bytes);
    return code;
}

/* ---- writing ---- */

static int put_int(weir_vector *column, int32_t value, weir_error *err)
{
    return weir_vector_append_raw(column, &value, sizeof value, err);
}

static int put_long(weir_vector *column, int64_t value, weir_error *err)
{
    return weir_vector_append_raw(column, &value, sizeof value, err);
}

static int put_bytes(weir_vector *column, weir_slice value, weir_error *err)
{
    return weir_vector_append_raw(column, value.data, value.size, err);
}

static int put_ranges(weir_vector *column, const weir_index_file *file, weir_error *err)
{
    if (!file->has_ranges) {
        return weir_vector_append_nulls(column, 1, err);
    }
    weir_vector *range = &column->children[0], *fields = range->children;
    for (int32_t i = 0; i < file->range_count; i++) {
        const weir_deletion_range *from = &file->ranges[i];
        WEIR_TRY(put_bytes(&fields[RANGE_FILE], weir_slice_text(from->data_file), err));
        WEIR_TRY(put_int(&fields[RANGE_OFFSET], from->offset, err));
        WEIR_TRY(put_int(&fields[RANGE_LENGTH], from->length, err));
        WEIR_TRY(from->cardinality < 0 ? weir_vector_append_nulls(&fields[RANGE_CARDINALITY], 1, err)
                                       : put_long(&fields[RANGE_CARDINALITY], from->cardinality, err));
        WEIR_TRY(weir_vector_append_struct(range, err));
    }
    return weir_vector_append_list(column, err);
}

static int put_global(weir_vector *column, const weir_index_file *file, weir_error *err)
{
    const weir_global_index *global = file->global;
    if (global == NULL) {
        return weir_vector_append_nulls(column, 1, err);
    }
    if (global->has_source) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "index file %s tells what it was made from (_SOURCE_META), which this version does not write; "
                         "drop the table's global indexes first",
                         file->name);
    }
    weir_vector *fields = column->children;
    WEIR_TRY(put_long(&fields[GLOBAL_START], global->row_range_start, err));
    WEIR_TRY(put_long(&fields[GLOBAL_END], global->row_range_end, err));
    WEIR_TRY(put_int(&fields[GLOBAL_FIELD], global->field_id, err));
    for (int32_t i = 0; i < global->extra_field_count; i++) {
        WEIR_TRY(put_int(&fields[GLOBAL_EXTRA].children[0], global->extra_fields[i], err));
    }
    WEIR_TRY(global->has_extra_fields ? weir_vector_append_list(&fields[GLOBAL_EXTRA], err)
                                      : weir_vector_append_nulls(&fields[GLOBAL_EXTRA], 1, err));
    WEIR_TRY(global->has_meta ? put_bytes(&fields[GLOBAL_META], global->meta, err)
                              : weir_vector_append_nulls(&fields[GLOBAL_META], 1, err));
    return weir_vector_append_struct(column, err);
}

static int put_entry(const weir_index_entry *entry, weir_batch *batch, weir_error *err)
{
    weir_vector *columns = batch->columns;
    const weir_index_file *file = entry->file;
    WEIR_TRY(put_int(&columns[ENTRY_VERSION], RECORD_VERSION, err));
    WEIR_TRY(put_int(&columns[ENTRY_KIND], WEIR_FILE_ADD, err));
    WEIR_TRY(put_bytes(&columns[ENTRY_PARTITION], entry->partition, err));
    WEIR_TRY(put_int(&columns[ENTRY_BUCKET], entry->bucket, err));
    WEIR_TRY(put_bytes(&columns[ENTRY_TYPE], weir_slice_text(file->type), err));
    WEIR_TRY(put_bytes(&columns[ENTRY_NAME], weir_slice_text(file->name), err));
    WEIR_TRY(put_long(&columns[ENTRY_SIZE], file->size_bytes, err));
    WEIR_TRY(put_long(&columns[ENTRY_ROWS], file->row_count, err));
    WEIR_TRY(put_ranges(&columns[ENTRY_RANGES], file, err));
    WEIR_TRY(file->external_path == NULL
                 ? weir_vector_append_nulls(&columns[ENTRY_EXTERNAL_PATH], 1, err)
                 : put_bytes(&columns[ENTRY_EXTERNAL_PATH], weir_slice_text(file->external_path), err));
    WEIR_TRY(put_global(&columns[ENTRY_GLOBAL], file, err));
    batch->length++;
    return WEIR_OK;
}

int weir_manifest_writer_write_index(weir_manifest_writer *writer, const weir_index_entries *entries,
                                     const char **out_name, weir_error *err)
{
    char uuid[WEIR_UUID_SIZE];
    weir_batch batch;
    weir_format_writer *records = NULL;
    weir_written_stats stats[ENTRY_COLUMNS];
    int code;
    weir_uuid(uuid);
    const char *name = weir_arena_format(writer->arena, "index-manifest-%s-0", uuid);
    weir_batch_init(&batch, written_fields, ENTRY_COLUMNS);
    for (size_t i = 0; i < entries->count; i++) {
        WEIR_GO(put_entry(&entries->items[i], &batch, err));
    }
    WEIR_GO(weir_manifest_writer_open_records(writer, weir_manifest_path(writer->arena, writer->paths, name),
                                              written_fields, ENTRY_COLUMNS, &records, err));
    WEIR_GO(weir_manifest_records_append(records, &batch, err));
    WEIR_GO(records->ops->finish(records, true, stats, err));
    *out_name = name;
done:
    if (records != NULL) {
        records->ops->close(records);
    }
    weir_batch_free(&batch);
    return code;
}
