/* Reading a group of files column by column: each column goes to the one file that holds its newest values. */
#include "file/column_group_reader.h"

#include <stdlib.h>

/* Where a requested column comes from. */
typedef struct column_place {
    int32_t file;   /* -1: no file wrote it, all rows are NULL */
    int32_t column; /* among the columns asked of that file */
} column_place;

typedef struct column_group_reader {
    weir_format_reader base;
    weir_arena arena;
    weir_format_reader **readers; /* of each file; NULL: nothing is read from it */
    int32_t file_count;
    column_place *places;
    int32_t field_count;
} column_group_reader;

static int read_column(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    const column_group_reader *reader = (const column_group_reader *)base;
    column_place place = reader->places[column];
    if (place.file < 0) {
        return weir_vector_append_nulls(out, count, err);
    }
    weir_format_reader *file = reader->readers[place.file];
    return file->ops->read(file, place.column, first, count, out, err);
}

static int gather_column(weir_format_reader *base, int32_t column, int64_t first, const uint32_t *rows, int64_t count,
                         weir_vector *out, weir_error *err)
{
    const column_group_reader *reader = (const column_group_reader *)base;
    column_place place = reader->places[column];
    if (place.file < 0) {
        return weir_vector_append_nulls(out, count, err);
    }
    weir_format_reader *file = reader->readers[place.file];
    return file->ops->gather(file, place.column, first, rows, count, out, err);
}

/* Row groups of the files need not lie alike, so nothing is left out. */
static int keep_all_rows(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out,
                         weir_error *err)
{
    (void)predicate;
    (void)err;
    if (base->row_count > 0) {
        weir_row_ranges_append(out, 0, base->row_count);
    }
    return WEIR_OK;
}

static int prefetch(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    const column_group_reader *reader = (const column_group_reader *)base;
    for (int32_t i = 0; i < reader->file_count; i++) {
        if (reader->readers[i] != NULL) {
            WEIR_TRY(reader->readers[i]->ops->prefetch(reader->readers[i], first, count, err));
        }
    }
    return WEIR_OK;
}

static void close_reader(weir_format_reader *base)
{
    column_group_reader *reader = (column_group_reader *)base;
    for (int32_t i = 0; i < reader->file_count; i++) {
        if (reader->readers[i] != NULL) {
            reader->readers[i]->ops->close(reader->readers[i]);
        }
    }
    weir_arena_free(&reader->arena);
    free(reader);
}

static const weir_format_reader_ops column_group_ops = {
    .read = read_column,
    .gather = gather_column,
    .prune = keep_all_rows,
    .prefetch = prefetch,
    .close = close_reader,
};

/* Whether the file holds values of the field: under the name that the field had when the file was written. */
static int file_writes(const weir_table_context *context, const weir_data_file *file, const weir_field *field,
                       bool *out, weir_error *err)
{
    const weir_schema *schema = NULL;
    *out = false;
    WEIR_TRY(weir_table_context_schema(context, file->schema_id, &schema, err));
    int32_t column = weir_schema_column_by_id(schema, field->id);
    if (column < 0) {
        return WEIR_OK;
    }
    *out = !file->has_write_columns;
    for (int32_t i = 0; i < file->write_column_count && !*out; i++) {
        *out = strcmp(file->write_columns[i], schema->fields[column].name) == 0;
    }
    return WEIR_OK;
}

/* Finds for each field the newest file that wrote it. */
static int place_columns(column_group_reader *reader, const weir_table_context *context,
                         weir_data_file *const *files, const weir_field *fields, int32_t *asked, weir_error *err)
{
    for (int32_t c = 0; c < reader->field_count; c++) {
        reader->places[c] = (column_place){-1, 0};
        for (int32_t f = 0; f < reader->file_count; f++) {
            bool writes = false;
            int32_t best = reader->places[c].file;
            WEIR_TRY(file_writes(context, files[f], &fields[c], &writes, err));
            if (writes && (best < 0 || files[f]->max_sequence_number > files[best]->max_sequence_number)) {
                reader->places[c].file = f;
            }
        }
        if (reader->places[c].file >= 0) {
            reader->places[c].column = asked[reader->places[c].file]++;
        }
    }
    return WEIR_OK;
}

static int open_file(column_group_reader *reader, const weir_table_context *context, const char *bucket_path,
                     const weir_data_file *file, int32_t f, const weir_field *fields, int32_t asked, weir_error *err)
{
    weir_field *wanted = WEIR_NEW_ARRAY(&reader->arena, weir_field, asked);
    for (int32_t c = 0; c < reader->field_count; c++) {
        if (reader->places[c].file == f) {
            wanted[reader->places[c].column] = fields[c];
        }
    }
    WEIR_TRY(weir_data_file_open(context, bucket_path, file, wanted, asked, &reader->readers[f], err));
    if (reader->readers[f]->row_count != reader->base.row_count) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s/%s: it has %" PRId64 " rows, the other files with columns of these rows have %" PRId64,
                         bucket_path, file->name, reader->readers[f]->row_count, reader->base.row_count);
    }
    return WEIR_OK;
}

int weir_column_group_open(const weir_table_context *context, const char *bucket_path, weir_data_file *const *files,
                           int32_t file_count, const weir_field *fields, int32_t field_count, weir_format_reader **out,
                           weir_error *err)
{
    column_group_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    weir_arena_init(&reader->arena);
    reader->base = (weir_format_reader){.ops = &column_group_ops, .row_count = files[0]->row_count};
    reader->file_count = file_count;
    reader->field_count = field_count;
    reader->readers = WEIR_NEW_ARRAY(&reader->arena, weir_format_reader *, file_count);
    reader->places = WEIR_NEW_ARRAY(&reader->arena, column_place, field_count);
    int32_t *asked = WEIR_NEW_ARRAY(&reader->arena, int32_t, file_count);
    int code = place_columns(reader, context, files, fields, asked, err);
    for (int32_t f = 0; f < file_count && code == WEIR_OK; f++) {
        if (asked[f] > 0) {
            code = open_file(reader, context, bucket_path, files[f], f, fields, asked[f], err);
        }
    }
    if (code != WEIR_OK) {
        close_reader(&reader->base);
        return code;
    }
    *out = &reader->base;
    return WEIR_OK;
}
