/* The Parquet writer behind format.h.
 *
 *   | PAR1 | row groups: column chunks: [dictionary page] data pages | column indexes | offset indexes | footer |
 *   | size of the footer: 4 | PAR1 |
 *
 * This file checks what it is given and puts the parts in order; the work is done a leaf column at a time
 * (column_writer.c). The caller decides when a row group ends. */
#include <stdlib.h>

#include "base/text.h"
#include "format/parquet/footer_writer.h"
#include "format/parquet/parquet.h"
#include "vector/bits.h"

#define MAGIC              "PAR1"
#define DEFAULT_PAGE_ROWS  20000
#define DEFAULT_PAGE_BYTES (1 << 20)

typedef struct parquet_writer {
    weir_format_writer base;
    weir_output *output; /* NULL after finish */
    uint64_t finished_size;
    weir_field *fields; /* in the arena, with all they name */
    int32_t field_count;
    bool no_stats;
    weir_arena arena; /* schema and row groups */
    weir_write_schema schema;
    weir_column_context context;
    weir_column_writer *columns; /* one a leaf */
    int64_t *null_counts;        /* of the top-level columns */
    weir_written_row_group *row_groups;
    size_t row_group_count;
    size_t row_group_capacity;
    weir_buffer column_indexes;
    weir_buffer offset_indexes;
} parquet_writer;

static const struct {
    const char *name;
    weir_compression compression;
    weir_parquet_codec codec;
} codecs[] = {
    {"zstd", WEIR_COMPRESSION_ZSTD, WEIR_PARQUET_ZSTD},
    {"none", WEIR_COMPRESSION_NONE, WEIR_PARQUET_UNCOMPRESSED},
    {"uncompressed", WEIR_COMPRESSION_NONE, WEIR_PARQUET_UNCOMPRESSED},
    {"snappy", WEIR_COMPRESSION_SNAPPY, WEIR_PARQUET_SNAPPY},
    {"lz4", WEIR_COMPRESSION_LZ4_HADOOP, WEIR_PARQUET_LZ4},
    {"lz4_raw", WEIR_COMPRESSION_LZ4_RAW, WEIR_PARQUET_LZ4_RAW},
    {"gzip", WEIR_COMPRESSION_GZIP, WEIR_PARQUET_GZIP},
    {"brotli", WEIR_COMPRESSION_BROTLI, WEIR_PARQUET_BROTLI},
};

static int set_codec(weir_page_codec *codec, const weir_format_write_options *options, weir_error *err)
{
    const char *name = options->compression == NULL ? "zstd" : options->compression;
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        if (weir_text_equal_ignore_case(codecs[i].name, name)) {
            codec->compression = codecs[i].compression;
            codec->codec = codecs[i].codec;
            codec->level = codec->codec == WEIR_PARQUET_ZSTD ? options->zstd_level : 0;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_UNSUPPORTED,
                     "Parquet files are not compressed by '%s'; use one of zstd, none, snappy, lz4, "
                     "lz4_raw, gzip, brotli",
                     name);
}

/* Whether the vector lies in memory as the type says. */
static bool fits(const weir_vector *vector, const weir_type *type)
{
    if (vector->layout != weir_layout_of(type)) {
        return false;
    }
    switch (type->id) {
    case WEIR_ROW:
        for (int32_t i = 0; i < type->field_count; i++) {
            if (i >= vector->child_count || !fits(&vector->children[i], type->fields[i].type)) {
                return false;
            }
        }
        return true;
    case WEIR_ARRAY:
        return vector->child_count == 1 && fits(&vector->children[0], type->element);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return vector->child_count == 2 && fits(&vector->children[0], type->key) &&
               fits(&vector->children[1], type->element);
    default:
        return true;
    }
}

static void count_nulls(const weir_vector *vector, int64_t first, int64_t count, int64_t *null_count)
{
    if (vector->validity != NULL) {
        *null_count += count - weir_bits_count(vector->validity, first, count);
    }
}

static int append(weir_format_writer *base, int32_t column, const weir_vector *values, int64_t first, int64_t count,
                  weir_error *err)
{
    parquet_writer *writer = (parquet_writer *)base;
    const weir_field *field = &writer->fields[column];
    if (!fits(values, field->type)) {
        return weir_fail(err, WEIR_INVALID, "%s: column %s is given values of another type", writer->output->path,
                         field->name);
    }
    if (first + count > UINT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "%s: column %s is given more than 4 billion rows at once",
                         writer->output->path, field->name);
    }
    count_nulls(values, first, count, &writer->null_counts[column]);
    for (int32_t i = writer->schema.first_leaf[column]; i < writer->schema.first_leaf[column + 1]; i++) {
        WEIR_TRY_CTX(weir_column_writer_append(&writer->columns[i], &writer->context, values, first, count, err), err,
                     "%s", writer->output->path);
    }
    return WEIR_OK;
}

static int check_row_counts(const parquet_writer *writer, weir_error *err)
{
    for (int32_t i = 1; i < writer->schema.leaf_count; i++) {
        const weir_column_writer *column = &writer->columns[i];
        if (column->row_count != writer->columns[0].row_count) {
            return weir_fail(err, WEIR_INVALID, "%s: column %s was given %" PRId64 " rows and column %s %" PRId64,
                             writer->output->path, writer->fields[0].name, writer->columns[0].row_count,
                             column->leaf->path[0], column->row_count);
        }
    }
    return WEIR_OK;
}

static int flush(weir_format_writer *base, weir_error *err)
{
    parquet_writer *writer = (parquet_writer *)base;
    int32_t leaf_count = writer->schema.leaf_count;
    WEIR_TRY(check_row_counts(writer, err));
    if (leaf_count == 0 || writer->columns[0].row_count == 0) {
        return WEIR_OK;
    }
    weir_written_row_group group = {
        .row_count = writer->columns[0].row_count,
        .chunks = WEIR_NEW_ARRAY(&writer->arena, weir_column_chunk, leaf_count),
    };
    for (int32_t i = 0; i < leaf_count; i++) {
        WEIR_TRY(weir_column_writer_flush(&writer->columns[i], &writer->context, writer->output,
                                          &writer->column_indexes, &writer->offset_indexes, &writer->arena,
                                          &group.chunks[i], err));
    }
    WEIR_GROW(writer->row_groups, writer->row_group_capacity, writer->row_group_count + 1);
    writer->row_groups[writer->row_group_count++] = group;
    return WEIR_OK;
}

static uint64_t size(const weir_format_writer *base)
{
    const parquet_writer *writer = (const parquet_writer *)base;
    if (writer->output == NULL) {
        return writer->finished_size;
    }
    uint64_t bytes = writer->output->size + writer->column_indexes.size + writer->offset_indexes.size;
    for (int32_t i = 0; i < writer->schema.leaf_count; i++) {
        bytes += weir_column_writer_pending(&writer->columns[i]);
    }
    return bytes;
}

static int write_footer(parquet_writer *writer, weir_error *err)
{
    weir_output *output = writer->output;
    weir_footer_content content = {
        .schema = &writer->schema,
        .row_groups = writer->row_groups,
        .row_group_count = writer->row_group_count,
        .codec = writer->context.codec.codec,
        .column_indexes_at = output->size,
        .offset_indexes_at = output->size + writer->column_indexes.size,
    };
    WEIR_TRY(weir_output_write(output, writer->column_indexes.data, writer->column_indexes.size, err));
    WEIR_TRY(weir_output_write(output, writer->offset_indexes.data, writer->offset_indexes.size, err));
    weir_buffer *footer = &writer->offset_indexes;
    weir_buffer_clear(footer);
    weir_footer_write(&content, footer);
    if (footer->size > INT32_MAX) {
        return weir_fail(err, WEIR_INVALID,
                         "%s: a footer of %zu bytes is too large for a Parquet file: write fewer row "
                         "groups",
                         output->path, footer->size);
    }
    uint8_t footer_size[4];
    weir_store_le32(footer_size, (uint32_t)footer->size);
    weir_buffer_append(footer, footer_size, sizeof footer_size);
    weir_buffer_append(footer, MAGIC, 4);
    return weir_output_write(output, footer->data, footer->size, err);
}

static void fill_stats(const parquet_writer *writer, weir_written_stats *stats)
{
    for (int32_t i = 0; i < writer->field_count; i++) {
        const weir_column_writer *column = &writer->columns[writer->schema.first_leaf[i]];
        stats[i] = (weir_written_stats){.null_count = writer->null_counts[i]};
        if (column->is_flat && !writer->no_stats && column->file_range.has_value) {
            stats[i].has_min_max = true;
            stats[i].min = column->file_range.min;
            stats[i].max = column->file_range.max;
        }
    }
}

static int finish(weir_format_writer *base, bool sync, weir_written_stats *stats, weir_error *err)
{
    parquet_writer *writer = (parquet_writer *)base;
    WEIR_TRY(flush(base, err));
    WEIR_TRY(write_footer(writer, err));
    weir_output *output = writer->output;
    writer->finished_size = output->size;
    writer->output = NULL;
    WEIR_TRY(weir_output_finish(output, sync, err));
    fill_stats(writer, stats);
    return WEIR_OK;
}

static void free_writer(parquet_writer *writer)
{
    for (int32_t i = 0; writer->columns != NULL && i < writer->schema.leaf_count; i++) {
        weir_column_writer_free(&writer->columns[i]);
    }
    weir_column_context_free(&writer->context);
    weir_buffer_free(&writer->column_indexes);
    weir_buffer_free(&writer->offset_indexes);
    free(writer->columns);
    free(writer->null_counts);
    free(writer->row_groups);
    weir_arena_free(&writer->arena);
    free(writer);
}

static void close_writer(weir_format_writer *base)
{
    parquet_writer *writer = (parquet_writer *)base;
    if (writer->output != NULL) {
        weir_output_abandon(writer->output);
    }
    free_writer(writer);
}

static const weir_format_writer_ops writer_ops = {
    .append = append,
    .flush = flush,
    .size = size,
    .finish = finish,
    .close = close_writer,
};

static weir_field *copy_fields(weir_arena *arena, const weir_field *fields, int32_t field_count)
{
    weir_field *copy = WEIR_NEW_ARRAY(arena, weir_field, field_count);
    for (int32_t i = 0; i < field_count; i++) {
        copy[i].id = fields[i].id;
        copy[i].name = weir_arena_strdup(arena, fields[i].name);
        copy[i].type = weir_type_copy(arena, fields[i].type);
    }
    return copy;
}

int weir_parquet_open_writer(weir_output *output, const weir_field *fields, int32_t field_count,
                             const weir_format_write_options *options, weir_format_writer **out, weir_error *err)
{
    static const weir_format_write_options defaults = {0};
    options = options == NULL ? &defaults : options;
    int code = WEIR_OK;
    parquet_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.ops = &writer_ops;
    writer->field_count = field_count;
    writer->no_stats = options->no_stats;
    writer->context.page_rows = options->page_rows > 0 ? options->page_rows : DEFAULT_PAGE_ROWS;
    writer->context.page_bytes = options->page_bytes > 0 ? (size_t)options->page_bytes : DEFAULT_PAGE_BYTES;
    writer->context.no_dictionary = options->no_dictionary;
    weir_arena_init(&writer->arena);
    writer->fields = copy_fields(&writer->arena, fields, field_count);
    WEIR_GO(set_codec(&writer->context.codec, options, err));
    WEIR_GO(weir_write_schema_plan(writer->fields, field_count, &writer->arena, &writer->schema, err));
    WEIR_GO(weir_output_write(output, MAGIC, 4, err));
    writer->columns = weir_alloc_zeroed((size_t)writer->schema.leaf_count, sizeof *writer->columns);
    writer->null_counts = weir_alloc_zeroed((size_t)field_count, sizeof *writer->null_counts);
    for (int32_t i = 0; i < writer->schema.leaf_count; i++) {
        weir_column_writer_init(&writer->columns[i], &writer->schema.leaves[i]);
    }
    writer->output = output;
    *out = &writer->base;
done:
    if (code != WEIR_OK) {
        free_writer(writer);
    }
    return code;
}
