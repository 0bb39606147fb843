/* Writing Avro container files: whole ones into memory, and data files behind the interface of format.h.
 *
 * Columns arrive one by one, Avro wants rows: they wait in a batch until all columns have the same number of rows, and
 * then become records. Blocks are cut where Java cuts them, at 64 000 bytes of records. */
#include <stdlib.h>
#include <sys/random.h>

#include "base/clock.h"
#include "format/avro/avro.h"
#include "format/avro/container.h"
#include "format/avro/encode.h"
#include "vector/compare.h"

enum {
    BLOCK_BYTES = 64000,
    ROWS_TO_ENCODE = 1024,     /* so many waiting rows are worth a pass over the columns */
    OUTPUT_BYTES = 256 * 1024, /* written to the file at a time */
    DEFAULT_ZSTD_LEVEL = 1
};

/* Records on their way into blocks. */
typedef struct encoder {
    const weir_field *fields;
    int32_t field_count;
    const char *path;
    const weir_avro_codec *codec;
    int level;
    uint8_t sync[WEIR_AVRO_SYNC_BYTES];
    weir_buffer records; /* of the block that is being filled */
    int64_t record_count;
    weir_buffer out;
} encoder;

/* Sixteen bytes that the records will not contain by accident. */
static void make_sync(uint8_t *sync)
{
    if (getrandom(sync, WEIR_AVRO_SYNC_BYTES, 0) != WEIR_AVRO_SYNC_BYTES) {
        char uuid[WEIR_UUID_SIZE];
        weir_uuid(uuid);
        memcpy(sync, uuid, WEIR_AVRO_SYNC_BYTES);
    }
}

static int encoder_begin(encoder *self, const char *codec, int level, weir_error *err)
{
    weir_buffer schema = {0};
    weir_arena arena;
    const weir_avro_type *parsed = NULL;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_avro_codec_find(codec, self->path, &self->codec, err));
    self->level = level == 0 && self->codec->compression == WEIR_COMPRESSION_ZSTD ? DEFAULT_ZSTD_LEVEL : level;
    WEIR_GO(weir_avro_schema_write(self->fields, self->field_count, self->path, &schema, err));
    /* Names of nested records can collide (a ROW `a` with a field `b_c` beside a ROW `a_b` with a field `c`): such a
     * file could be read by nobody, so it is not begun. */
    WEIR_GO(weir_avro_schema_parse(weir_buffer_slice(&schema), self->path, &arena, &parsed, err));
    make_sync(self->sync);
    weir_avro_header_write(weir_buffer_slice(&schema), self->codec, self->sync, &self->out);
done:
    weir_arena_free(&arena);
    weir_buffer_free(&schema);
    return code;
}

static int encoder_end_block(encoder *self, weir_error *err)
{
    if (self->record_count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_avro_block_write(self->codec, self->level, self->sync, self->record_count,
                                   weir_buffer_slice(&self->records), &self->out, err));
    weir_buffer_clear(&self->records);
    self->record_count = 0;
    return WEIR_OK;
}

static int encoder_add(encoder *self, const weir_vector *columns, int64_t row_count, weir_error *err)
{
    for (int64_t row = 0; row < row_count; row++) {
        WEIR_TRY(weir_avro_encode_row(self->fields, columns, self->field_count, row, self->path, &self->records, err));
        self->record_count++;
        if (self->records.size >= BLOCK_BYTES) {
            WEIR_TRY(encoder_end_block(self, err));
        }
    }
    return WEIR_OK;
}

static void encoder_free(encoder *self)
{
    weir_buffer_free(&self->records);
    weir_buffer_free(&self->out);
}

int weir_avro_write_all(const weir_batch *batch, const weir_field *fields, int32_t field_count, const char *codec,
                        int level, weir_buffer *out, weir_error *err)
{
    encoder self = {.fields = fields, .field_count = field_count, .path = "an Avro file", .out = *out};
    size_t size = out->size;
    int code;
    WEIR_GO(encoder_begin(&self, codec, level, err));
    WEIR_GO(encoder_add(&self, batch->columns, batch->length, err));
    WEIR_GO(encoder_end_block(&self, err));
done:
    *out = self.out;
    self.out = (weir_buffer){0};
    encoder_free(&self);
    if (code != WEIR_OK) {
        out->size = size;
    }
    return code;
}

/* ---- data files ---- */

/* The extremes of one column so far. Bytes of text lie in `min_bytes` and `max_bytes`. */
typedef struct column_stats {
    weir_literal min;
    weir_literal max;
    bool has_value;
    int64_t null_count;
    weir_buffer min_bytes;
    weir_buffer max_bytes;
} column_stats;

typedef struct writer {
    weir_format_writer base;
    weir_output *output; /* NULL once finished */
    uint64_t finished_bytes;
    encoder encoder;
    bool no_stats;
    weir_batch waiting;
    column_stats *stats;
} writer;

/* Keeps a literal that points into a caller's vector. */
static void keep(const weir_field *field, weir_literal *literal, weir_buffer *bytes)
{
    if (!weir_type_is_text(field->type) && !weir_type_is_bytes(field->type)) {
        return;
    }
    if (literal->bytes.data == bytes->data && bytes->data != NULL) {
        return;
    }
    weir_buffer_clear(bytes);
    weir_buffer_append(bytes, literal->bytes.data, literal->bytes.size);
    literal->bytes = weir_slice_of(weir_buffer_text(bytes), literal->bytes.size);
}

static void add_stats(writer *self, int32_t column, const weir_vector *values, int64_t first, int64_t count)
{
    column_stats *stats = &self->stats[column];
    if (self->no_stats || weir_type_is_nested(values->type)) {
        for (int64_t i = first; values->validity != NULL && i < first + count; i++) {
            stats->null_count += !weir_bit_get(values->validity, i);
        }
        return;
    }
    weir_vector_min_max(values, first, count, &stats->min, &stats->max, &stats->has_value, &stats->null_count);
    if (stats->has_value) {
        keep(&self->encoder.fields[column], &stats->min, &stats->min_bytes);
        keep(&self->encoder.fields[column], &stats->max, &stats->max_bytes);
    }
}

/* Whether all columns have the same number of rows; if so, that is the length of the batch. */
static bool columns_are_even(writer *self)
{
    weir_batch *waiting = &self->waiting;
    for (int32_t i = 1; i < waiting->column_count; i++) {
        if (waiting->columns[i].length != waiting->columns[0].length) {
            return false;
        }
    }
    waiting->length = waiting->column_count > 0 ? waiting->columns[0].length : 0;
    return true;
}

static int write_out(writer *self, size_t at_least, weir_error *err)
{
    weir_buffer *out = &self->encoder.out;
    if (out->size == 0 || out->size < at_least) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_output_write(self->output, out->data, out->size, err));
    weir_buffer_clear(out);
    return WEIR_OK;
}

static int encode_waiting(writer *self, weir_error *err)
{
    WEIR_TRY(encoder_add(&self->encoder, self->waiting.columns, self->waiting.length, err));
    weir_batch_clear(&self->waiting);
    return write_out(self, OUTPUT_BYTES, err);
}

static int writer_append(weir_format_writer *base, int32_t column, const weir_vector *values, int64_t first,
                         int64_t count, weir_error *err)
{
    writer *self = (writer *)base;
    WEIR_TRY(weir_vector_append_range(&self->waiting.columns[column], values, first, count, err));
    add_stats(self, column, values, first, count);
    if (self->waiting.columns[column].length >= ROWS_TO_ENCODE && columns_are_even(self)) {
        return encode_waiting(self, err);
    }
    return WEIR_OK;
}

static int writer_flush(weir_format_writer *base, weir_error *err)
{
    writer *self = (writer *)base;
    if (!columns_are_even(self)) {
        return weir_fail(err, WEIR_INVALID, "%s: its columns have been given different numbers of rows",
                         self->encoder.path);
    }
    WEIR_TRY(encode_waiting(self, err));
    WEIR_TRY(encoder_end_block(&self->encoder, err));
    return write_out(self, 0, err);
}

static uint64_t writer_size(const weir_format_writer *base)
{
    const writer *self = (const writer *)base;
    if (self->output == NULL) {
        return self->finished_bytes;
    }
    uint64_t size = self->output->size + self->encoder.out.size;
    uint64_t open = self->encoder.records.size;
    for (int32_t i = 0; i < self->waiting.column_count; i++) {
        const weir_vector *column = &self->waiting.columns[i];
        open += column->layout == WEIR_LAYOUT_BYTES
                    ? (uint64_t)column->offsets[column->length] + (uint64_t)column->length
                    : (uint64_t)column->length * 4;
    }
    /* Compressed records take a third to a half of their bytes in most tables. */
    return size + (self->encoder.codec->compression == WEIR_COMPRESSION_NONE ? open : open / 2);
}

static int writer_finish(weir_format_writer *base, bool sync, weir_written_stats *stats, weir_error *err)
{
    writer *self = (writer *)base;
    WEIR_TRY(writer_flush(base, err));
    weir_output *output = self->output;
    self->finished_bytes = output->size;
    self->output = NULL;
    WEIR_TRY(weir_output_finish(output, sync, err));
    for (int32_t i = 0; i < self->encoder.field_count; i++) {
        const column_stats *column = &self->stats[i];
        stats[i] = (weir_written_stats){
            .has_min_max = column->has_value, .min = column->min, .max = column->max, .null_count = column->null_count};
    }
    return WEIR_OK;
}

/* What the writer holds beside the output. */
static void release(writer *self)
{
    for (int32_t i = 0; i < self->encoder.field_count; i++) {
        weir_buffer_free(&self->stats[i].min_bytes);
        weir_buffer_free(&self->stats[i].max_bytes);
    }
    free(self->stats);
    weir_batch_free(&self->waiting);
    encoder_free(&self->encoder);
    free((char *)self->encoder.path);
    free(self);
}

static void writer_close(weir_format_writer *base)
{
    writer *self = (writer *)base;
    if (self->output != NULL) {
        weir_output_abandon(self->output);
    }
    release(self);
}

static const weir_format_writer_ops writer_ops = {
    .append = writer_append,
    .flush = writer_flush,
    .size = writer_size,
    .finish = writer_finish,
    .close = writer_close,
};

int weir_avro_open_writer(weir_output *output, const weir_field *fields, int32_t field_count,
                          const weir_format_write_options *options, weir_format_writer **out, weir_error *err)
{
    static const weir_format_write_options defaults;
    if (options == NULL) {
        options = &defaults;
    }
    writer *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.ops = &writer_ops;
    self->encoder.fields = fields;
    self->encoder.field_count = field_count;
    self->encoder.path = weir_strdup(output->path); /* outlives the output, which finish() frees */
    self->no_stats = options->no_stats;
    self->stats = weir_alloc_zeroed((size_t)field_count, sizeof *self->stats);
    weir_batch_init(&self->waiting, fields, field_count);
    int code = encoder_begin(&self->encoder, options->compression == NULL ? "zstd" : options->compression,
                             options->zstd_level, err);
    if (code != WEIR_OK) {
        release(self);
        return code;
    }
    self->output = output;
    *out = &self->base;
    return WEIR_OK;
}
