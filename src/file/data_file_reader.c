/* A data file as columns of the schema that is asked for; see the header.
 *
 * Every requested field becomes one of three: a column that the file holds in just this type, one that is cast from the
 * file's type, or one that the file's schema did not have yet, which is NULL. The bytes are the format's business. */
#include "file/data_file_reader.h"

#include <stdlib.h>

#include "file/live_rows.h"
#include "vector/cast.h"

typedef enum column_source { COLUMN_DIRECT, COLUMN_CAST, COLUMN_ABSENT } column_source;

typedef struct mapped_column {
    column_source source;
    int32_t inner;       /* position among the columns asked of the format reader */
    weir_vector scratch; /* of COLUMN_CAST: values as the file has them */
} mapped_column;

typedef struct data_file_reader {
    weir_format_reader base;
    weir_format_reader *inner; /* NULL when the file has none of the requested columns */
    mapped_column *columns;
    int32_t column_count;
    weir_field *inner_fields; /* what is asked of the format reader, as the file's schema has it */
    int32_t inner_count;
    weir_arena arena;
} data_file_reader;

static const weir_type sequence_number_type = {.id = WEIR_BIGINT};
static const weir_type value_kind_type = {.id = WEIR_TINYINT};

static const weir_field sequence_number_field = {
    .id = WEIR_SEQUENCE_NUMBER_FIELD_ID, .name = WEIR_SEQUENCE_NUMBER_FIELD, .type = &sequence_number_type};
static const weir_field value_kind_field = {
    .id = WEIR_VALUE_KIND_FIELD_ID, .name = WEIR_VALUE_KIND_FIELD, .type = &value_kind_type};

const weir_field *weir_sequence_number_field(void) { return &sequence_number_field; }

const weir_field *weir_value_kind_field(void) { return &value_kind_field; }

/* The field of the file's schema that holds `field`, or NULL. */
static const weir_field *find_in_file(const weir_schema *schema, const weir_data_file *file, const weir_field *field)
{
    if (field->id == WEIR_SEQUENCE_NUMBER_FIELD_ID) {
        return &sequence_number_field;
    }
    if (field->id == WEIR_VALUE_KIND_FIELD_ID) {
        return &value_kind_field;
    }
    int32_t column = weir_schema_column_by_id(schema, field->id);
    if (column < 0) {
        return NULL;
    }
    const weir_field *found = &schema->fields[column];
    if (!file->has_write_columns) {
        return found;
    }
    for (int32_t i = 0; i < file->write_column_count; i++) {
        if (strcmp(file->write_columns[i], found->name) == 0) {
            return found;
        }
    }
    return NULL;
}

static bool ids_equal(const weir_type *a, const weir_type *b)
{
    if ((a->key != NULL && !ids_equal(a->key, b->key)) || (a->element != NULL && !ids_equal(a->element, b->element))) {
        return false;
    }
    for (int32_t i = 0; i < a->field_count; i++) {
        if (a->fields[i].id != b->fields[i].id || !ids_equal(a->fields[i].type, b->fields[i].type)) {
            return false;
        }
    }
    return true;
}

/* A nested field that was dropped and added again under its old name is another field: its id tells. */
static bool is_same_type(const weir_type *a, const weir_type *b)
{
    return weir_type_equal(a, b, true) && ids_equal(a, b);
}

/* The place of a field among those asked of the format reader, each of which is asked for once. */
static int32_t add_inner_field(data_file_reader *reader, const weir_field *field)
{
    for (int32_t i = 0; i < reader->inner_count; i++) {
        if (reader->inner_fields[i].id == field->id) {
            return i;
        }
    }
    reader->inner_fields[reader->inner_count] = *field;
    return reader->inner_count++;
}

static void map_columns(data_file_reader *reader, const weir_schema *schema, const weir_data_file *file,
                        const weir_field *fields)
{
    for (int32_t i = 0; i < reader->column_count; i++) {
        mapped_column *column = &reader->columns[i];
        const weir_field *found = find_in_file(schema, file, &fields[i]);
        if (found == NULL) {
            column->source = COLUMN_ABSENT;
            continue;
        }
        column->inner = add_inner_field(reader, found);
        column->source = is_same_type(found->type, fields[i].type) ? COLUMN_DIRECT : COLUMN_CAST;
        weir_vector_init(&column->scratch, found->type);
    }
}

/* Appends the scratch values, cast, to `out`. */
static int cast_scratch(data_file_reader *reader, mapped_column *column, weir_vector *out, weir_error *err)
{
    WEIR_TRY_CTX(weir_vector_cast(&column->scratch, out, err), err, "column %s of an older schema",
                 reader->inner_fields[column->inner].name);
    return WEIR_OK;
}

static int read_column(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    data_file_reader *reader = (data_file_reader *)base;
    mapped_column *mapped = &reader->columns[column];
    switch (mapped->source) {
    case COLUMN_ABSENT:
        return weir_vector_append_nulls(out, count, err);
    case COLUMN_DIRECT:
        return reader->inner->ops->read(reader->inner, mapped->inner, first, count, out, err);
    case COLUMN_CAST:
        break;
    }
    weir_vector_clear(&mapped->scratch);
    WEIR_TRY(reader->inner->ops->read(reader->inner, mapped->inner, first, count, &mapped->scratch, err));
    return cast_scratch(reader, mapped, out, err);
}

static int gather_column(weir_format_reader *base, int32_t column, int64_t row_base, const uint32_t *rows,
                         int64_t count, weir_vector *out, weir_error *err)
{
    data_file_reader *reader = (data_file_reader *)base;
    mapped_column *mapped = &reader->columns[column];
    switch (mapped->source) {
    case COLUMN_ABSENT:
        return weir_vector_append_nulls(out, count, err);
    case COLUMN_DIRECT:
        return reader->inner->ops->gather(reader->inner, mapped->inner, row_base, rows, count, out, err);
    case COLUMN_CAST:
        break;
    }
    weir_vector_clear(&mapped->scratch);
    WEIR_TRY(reader->inner->ops->gather(reader->inner, mapped->inner, row_base, rows, count, &mapped->scratch, err));
    return cast_scratch(reader, mapped, out, err);
}

static int prune_rows(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out, weir_error *err)
{
    data_file_reader *reader = (data_file_reader *)base;
    weir_arena arena;
    weir_arena_init(&arena);
    /* Statistics speak of the file's own values: a leaf on a column that is cast or absent cannot be asked of them. */
    int32_t *positions = WEIR_NEW_ARRAY(&arena, int32_t, reader->column_count + 1);
    for (int32_t i = 0; i < reader->column_count; i++) {
        positions[i] = reader->columns[i].source == COLUMN_DIRECT ? reader->columns[i].inner : -1;
    }
    const weir_predicate *mapped = predicate == NULL ? NULL : weir_predicate_map(&arena, predicate, positions);
    int code = WEIR_OK;
    if (mapped == NULL || reader->inner == NULL) {
        weir_row_ranges_append(out, 0, base->row_count);
    } else {
        code = reader->inner->ops->prune(reader->inner, mapped, out, err);
        base->row_groups = reader->inner->row_groups;
        base->row_groups_kept = reader->inner->row_groups_kept;
    }
    weir_arena_free(&arena);
    return code;
}

static int prefetch_rows(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    data_file_reader *reader = (data_file_reader *)base;
    return reader->inner == NULL ? WEIR_OK : reader->inner->ops->prefetch(reader->inner, first, count, err);
}

static void close_reader(weir_format_reader *base)
{
    data_file_reader *reader = (data_file_reader *)base;
    if (reader->inner != NULL) {
        reader->inner->ops->close(reader->inner);
    }
    for (int32_t i = 0; i < reader->column_count; i++) {
        if (reader->columns[i].source != COLUMN_ABSENT) {
            weir_vector_free(&reader->columns[i].scratch);
        }
    }
    weir_arena_free(&reader->arena);
    free(reader);
}

static const weir_format_reader_ops data_file_reader_ops = {
    .read = read_column,
    .gather = gather_column,
    .prune = prune_rows,
    .prefetch = prefetch_rows,
    .close = close_reader,
};

static int open_inner(data_file_reader *reader, const weir_table_context *context, const char *bucket_path,
                      const weir_data_file *file, weir_error *err)
{
    const char *path = weir_data_file_path(&reader->arena, bucket_path, file);
    const char *format = weir_data_file_format(file->name);
    if (format[0] == '\0') {
        return weir_fail(err, WEIR_CORRUPT, "%s: the name does not end in a file format", path);
    }
    bool is_legacy = true;
    WEIR_TRY(weir_options_bool(&context->schema->options, "orc.timestamp-ltz.legacy.type", &is_legacy, err));
    weir_format_read_options options = {.instants_are_true = !is_legacy};
    weir_file *handle = NULL;
    WEIR_TRY(weir_fs_open_sized_file(context->fs, path, (uint64_t)file->size_bytes, &handle, err));
    int code = weir_format_open_reader(format, handle, reader->inner_fields, reader->inner_count, &options,
                                       context->budget, &reader->inner, err);
    if (code != WEIR_OK) {
        weir_file_close(handle);
        return code;
    }
    if (reader->inner->row_count != file->row_count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the file has %" PRId64 " rows, its manifest entry says %" PRId64, path,
                         reader->inner->row_count, file->row_count);
    }
    return WEIR_OK;
}

int weir_data_file_open(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                        const weir_field *fields, int32_t field_count, weir_format_reader **out, weir_error *err)
{
    const weir_schema *schema = NULL;
    WEIR_TRY_CTX(weir_table_context_schema(context, file->schema_id, &schema, err), err, "data file %s", file->name);
    data_file_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->base.ops = &data_file_reader_ops;
    reader->base.row_count = file->row_count;
    weir_arena_init(&reader->arena);
    reader->columns = WEIR_NEW_ARRAY(&reader->arena, mapped_column, field_count + 1);
    reader->inner_fields = WEIR_NEW_ARRAY(&reader->arena, weir_field, field_count + 1);
    reader->column_count = field_count;
    map_columns(reader, schema, file, fields);
    if (reader->inner_count > 0) {
        int code = open_inner(reader, context, bucket_path, file, err);
        if (code != WEIR_OK) {
            close_reader(&reader->base);
            return code;
        }
    }
    int code = file->deletion == NULL ? WEIR_OK : weir_live_rows_open(context, file, &reader->base, out, err);
    if (code != WEIR_OK) {
        close_reader(&reader->base);
        return weir_error_context(err, code, "data file %s", file->name);
    }
    *out = file->deletion == NULL ? &reader->base : *out;
    return WEIR_OK;
}
