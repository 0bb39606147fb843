/* The rows of a Parquet or Avro file outside of lake tables. */
#include <stdlib.h>

#include "connect/file_rows.h"
#include "format/format.h"
#include "format/parquet/parquet.h"
#include "vector/cast.h"

#define ROWS_AT_ONCE 16384

typedef struct columnar_rows {
    weir_file_rows base;
    weir_format_reader *reader;
    weir_arena arena;
    int32_t column_count;
    int32_t *sources;   /* of each column: the column of the reader, or -1 */
    bool *is_cast;      /* its type in the file is another one */
    weir_vector *files; /* then: the values as the file has them */
} columnar_rows;

static int read_column(columnar_rows *rows, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    int32_t source = rows->sources[column];
    if (source < 0) {
        return weir_vector_append_nulls(out, count, err);
    }
    if (!rows->is_cast[column]) {
        return rows->reader->ops->read(rows->reader, source, first, count, out, err);
    }
    weir_vector *values = &rows->files[column];
    weir_vector_clear(values);
    WEIR_TRY(rows->reader->ops->read(rows->reader, source, first, count, values, err));
    return weir_vector_cast(values, out, err);
}

static int next_rows(weir_file_rows *self, int64_t most_rows, weir_batch *batch, weir_error *err)
{
    columnar_rows *rows = (columnar_rows *)self;
    int64_t first = (int64_t)self->position.offset;
    int64_t left = rows->reader->row_count - first;
    int64_t room = most_rows - batch->length;
    int64_t count = left < room ? left : room;
    count = count < ROWS_AT_ONCE ? count : ROWS_AT_ONCE;
    if (count > 0) {
        WEIR_TRY(rows->reader->ops->prefetch(rows->reader, first, count, err));
        for (int32_t i = 0; i < rows->column_count; i++) {
            WEIR_TRY(read_column(rows, i, first, count, &batch->columns[i], err));
        }
        batch->length += count;
        self->position.offset += (uint64_t)count;
    }
    return count == left ? WEIR_END : WEIR_OK;
}

static void close_rows(weir_file_rows *self)
{
    if (self == NULL) {
        return;
    }
    columnar_rows *rows = (columnar_rows *)self;
    for (int32_t i = 0; i < rows->column_count; i++) {
        if (rows->is_cast[i]) {
            weir_vector_free(&rows->files[i]);
        }
    }
    if (rows->reader != NULL) {
        rows->reader->ops->close(rows->reader);
    }
    weir_arena_free(&rows->arena);
    free(rows);
}

/* The field of a file with this name, or NULL. */
static const weir_field *find_field(const weir_field *fields, int32_t count, const char *name)
{
    for (int32_t i = 0; i < count; i++) {
        if (strcmp(fields[i].name, name) == 0) {
            return &fields[i];
        }
    }
    return NULL;
}

/* How a column comes out of the file: not at all, as it is, or by a cast. */
static int map_column(columnar_rows *rows, const char *path, int32_t column, const weir_field *field,
                      const weir_field *in_file, weir_error *err)
{
    if (in_file == NULL || weir_type_equal(in_file->type, field->type, true)) {
        return WEIR_OK;
    }
    if (!weir_cast_allowed(in_file->type, field->type)) {
        return weir_fail(err, WEIR_INVALID, "%s: column '%s' is %s in the file, which cannot be read as %s", path,
                         field->name, weir_type_text(&rows->arena, in_file->type),
                         weir_type_text(&rows->arena, field->type));
    }
    rows->is_cast[column] = true;
    weir_vector_init(&rows->files[column], in_file->type);
    return WEIR_OK;
}

/* Makes the requested columns of those that the file has. An Avro file is read as the table's columns say, as its own
 * schema is resolved to them by name. */
static int map_columns(columnar_rows *rows, const char *format, weir_file *file, const weir_field *fields,
                       weir_field **out, int32_t *out_count, weir_error *err)
{
    weir_field *in_file = NULL;
    int32_t in_file_count = 0;
    bool has_schema = strcmp(format, "parquet") == 0;
    if (has_schema) {
        WEIR_TRY(weir_parquet_read_fields(file, &rows->arena, &in_file, &in_file_count, err));
    }
    weir_field *requested = WEIR_NEW_ARRAY(&rows->arena, weir_field, rows->column_count);
    int32_t count = 0;
    for (int32_t i = 0; i < rows->column_count; i++) {
        const weir_field *source = has_schema ? find_field(in_file, in_file_count, fields[i].name) : &fields[i];
        WEIR_TRY(map_column(rows, file->path, i, &fields[i], source, err));
        rows->sources[i] = source == NULL ? -1 : count;
        if (source != NULL) {
            requested[count] = rows->is_cast[i] ? *source : fields[i];
            requested[count++].id = source->id;
        }
    }
    *out = requested;
    *out_count = count;
    return WEIR_OK;
}

static int open_reader(columnar_rows *rows, const char *format, weir_file *file, const weir_field *fields,
                       weir_budget *budget, weir_error *err)
{
    weir_field *requested;
    int32_t count;
    int code = map_columns(rows, format, file, fields, &requested, &count, err);
    if (code == WEIR_OK) {
        code = weir_format_open_reader(format, file, requested, count, NULL, budget, &rows->reader, err);
    }
    if (code != WEIR_OK) {
        weir_file_close(file);
    }
    return code;
}

int weir_columnar_rows_open(const char *format, weir_file *file, const weir_field *fields, int32_t field_count,
                            weir_file_position position, weir_budget *budget, weir_file_rows **out, weir_error *err)
{
    columnar_rows *rows = weir_alloc_zeroed(1, sizeof *rows);
    rows->base = (weir_file_rows){.next = next_rows, .close = close_rows, .position = position};
    weir_arena_init(&rows->arena);
    rows->column_count = field_count;
    rows->sources = WEIR_NEW_ARRAY(&rows->arena, int32_t, field_count);
    rows->is_cast = WEIR_NEW_ARRAY(&rows->arena, bool, field_count);
    rows->files = WEIR_NEW_ARRAY(&rows->arena, weir_vector, field_count);
    int code = open_reader(rows, format, file, fields, budget, err);
    if (code == WEIR_OK && position.offset > (uint64_t)rows->reader->row_count) {
        code = weir_fail(err, WEIR_INVALID,
                         "cannot go on after row %" PRIu64 " of a file with %" PRId64 " rows; was it written anew?",
                         position.offset, rows->reader->row_count);
    }
    if (code != WEIR_OK) {
        close_rows(&rows->base);
        return code;
    }
    *out = &rows->base;
    return WEIR_OK;
}
