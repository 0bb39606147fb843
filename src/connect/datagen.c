/* The datagen source, by the rules of Flink's: dates and times are those of now, random timestamps reach back from it.
 * What each column is to be is read in datagen_options.c.
 *
 * Rows come at the rate of rows-per-second, in slices of a tenth of a second. */
#include "connect/datagen_options.h"

#include <stdlib.h>

#include "base/clock.h"
#include "connect/connect_options.h"
#include "vector/time_text.h"

#define DEFAULT_BATCH_ROWS 65536
#define SLICES_PER_SECOND  10

typedef struct datagen_source {
    weir_source base;
    weir_datagen_column *columns;
    int32_t column_count;
    int64_t batch_rows;
    int64_t row_count; /* in all; INT64_MAX: no end */
    int64_t rows_per_second;
    int64_t made;        /* rows so far */
    int64_t made_before; /* of those, the rows that were made before `started_ns` */
    int64_t started_ns;  /* 0: not yet */
    uint64_t random;
    weir_buffer text;
} datagen_source;

/* ---- randomness ---- */

/* SplitMix64. */
static uint64_t next_random(datagen_source *source)
{
    uint64_t z = source->random += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

/* From 0 up to, but not, 1. */
static double next_fraction(datagen_source *source) { return (double)(next_random(source) >> 11) * 0x1p-53; }

static int64_t next_between(datagen_source *source, int64_t least, int64_t most)
{
    uint64_t span = (uint64_t)most - (uint64_t)least + 1; /* 0: all of them */
    uint64_t random = next_random(source);
    return (int64_t)((uint64_t)least + (span == 0 ? random : random % span));
}

/* ---- values ---- */

static int append_text(datagen_source *source, const weir_datagen_column *column, bool is_hex, weir_vector *vector,
                       weir_error *err)
{
    size_t length = (size_t)(column->varies_in_length && column->length > 1 ? next_between(source, 1, column->length)
                                                                            : column->length);
    weir_buffer_clear(&source->text);
    for (size_t i = 0; i < length; i++) {
        uint8_t byte = (uint8_t)(next_random(source) >> 56);
        weir_buffer_append_byte(&source->text, is_hex ? (uint8_t)"0123456789abcdef"[byte & 15] : byte);
    }
    return weir_vector_append_raw(vector, source->text.data, length, err);
}

/* A whole number as the column's type has it. */
static int append_number(const weir_type *type, int64_t number, weir_vector *vector, weir_error *err)
{
    char text[24];
    double real = (double)number;
    float single = (float)number;
    weir_int128 wide = number;
    switch (vector->layout) {
    case WEIR_LAYOUT_BYTES:
        return weir_vector_append_raw(vector, text, (size_t)snprintf(text, sizeof text, "%" PRId64, number), err);
    case WEIR_LAYOUT_128:
        return weir_vector_append_raw(vector, &wide, sizeof wide, err);
    default:
        break;
    }
    if (type->id == WEIR_DOUBLE) {
        return weir_vector_append_raw(vector, &real, sizeof real, err);
    }
    if (type->id == WEIR_FLOAT) {
        return weir_vector_append_raw(vector, &single, sizeof single, err);
    }
    return weir_vector_append_raw(vector, &number, weir_layout_width(vector->layout), err); /* little-endian */
}

static int append_timestamp(datagen_source *source, const weir_datagen_column *column, int64_t now_ms,
                            weir_vector *vector, weir_error *err)
{
    weir_timestamp_nanos value = {.millis =
                                      now_ms - (column->past_ms > 0 ? next_between(source, 0, column->past_ms) : 0)};
    int precision = column->field->type->precision;
    int64_t narrow = 0;
    if (precision < 3) {
        value.millis -= weir_floor_mod(value.millis, precision == 0 ? 1000 : precision == 1 ? 100 : 10);
    }
    if (vector->layout == WEIR_LAYOUT_128) {
        return weir_vector_append_raw(vector, &value, sizeof value, err);
    }
    (void)weir_timestamp_narrow(value, precision, &narrow); /* this age fits */
    return weir_vector_append_raw(vector, &narrow, sizeof narrow, err);
}

static int append_random(datagen_source *source, const weir_datagen_column *column, int64_t now_ms, weir_vector *vector,
                         weir_error *err)
{
    const weir_type *type = column->field->type;
    uint8_t bit;
    double real;
    float single;
    switch (type->id) {
    case WEIR_BOOLEAN:
        bit = next_random(source) >> 63;
        return weir_vector_append_raw(vector, &bit, 1, err);
    case WEIR_FLOAT:
        single = (float)(column->least_double + next_fraction(source) * (column->most_double - column->least_double));
        return weir_vector_append_raw(vector, &single, sizeof single, err);
    case WEIR_DOUBLE:
        real = next_fraction(source);
        real = column->least_double * (1 - real) + column->most_double * real;
        return weir_vector_append_raw(vector, &real, sizeof real, err);
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        return append_text(source, column, true, vector, err);
    case WEIR_BINARY:
    case WEIR_VARBINARY:
        return append_text(source, column, false, vector, err);
    case WEIR_DATE:
        return append_number(type, weir_floor_div(now_ms, WEIR_MILLIS_PER_DAY), vector, err);
    case WEIR_TIME:
        return append_number(type, weir_floor_mod(now_ms, WEIR_MILLIS_PER_DAY), vector, err);
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return append_timestamp(source, column, now_ms, vector, err);
    default:
        return append_number(type, next_between(source, column->least, column->most), vector, err);
    }
}

static int append_column(datagen_source *source, const weir_datagen_column *column, int64_t count, int64_t now_ms,
                         weir_vector *vector, weir_error *err)
{
    WEIR_TRY(weir_vector_reserve(vector, count, err));
    for (int64_t i = 0; i < count; i++) {
        if (column->is_sequence) {
            WEIR_TRY(
                append_number(column->field->type, (column->start + source->made + i) * column->unit, vector, err));
        } else if (column->null_rate > 0 && next_fraction(source) < column->null_rate) {
            WEIR_TRY(weir_vector_append_nulls(vector, 1, err));
        } else {
            WEIR_TRY(append_random(source, column, now_ms, vector, err));
        }
    }
    return WEIR_OK;
}

/* ---- the source ---- */

/* How many rows may have come by now. */
static int64_t count_due(datagen_source *source)
{
    int64_t now_ns = weir_monotonic_ns();
    if (source->started_ns == 0) {
        source->started_ns = now_ns;
        source->made_before = source->made;
    }
    int64_t slices = (now_ns - source->started_ns) / (1000000000 / SLICES_PER_SECOND) + 1;
    double due = (double)source->made_before + (double)slices * (double)source->rows_per_second / SLICES_PER_SECOND;
    int64_t rows = due < 0x1p62 ? (int64_t)due : INT64_MAX;
    return rows > 0 ? rows : 1;
}

static int next_batch(weir_source *self, weir_batch *batch, weir_error *err)
{
    datagen_source *source = (datagen_source *)self;
    weir_batch_clear(batch);
    if (source->made >= source->row_count) {
        return WEIR_END;
    }
    int64_t due = count_due(source);
    int64_t count = (due < source->row_count ? due : source->row_count) - source->made;
    if (count <= 0) {
        return WEIR_IDLE;
    }
    count = count < source->batch_rows ? count : source->batch_rows;
    int64_t now_ms = weir_now_ms();
    for (int32_t i = 0; i < source->column_count; i++) {
        WEIR_TRY(append_column(source, &source->columns[i], count, now_ms, &batch->columns[i], err));
    }
    batch->length = count;
    source->made += count;
    return WEIR_OK;
}

static int write_position(weir_source *self, weir_buffer *out, weir_error *err)
{
    uint8_t encoded[8];
    (void)err;
    weir_store_le64(encoded, (uint64_t)((datagen_source *)self)->made);
    weir_buffer_append(out, encoded, sizeof encoded);
    return WEIR_OK;
}

static int restore_position(weir_source *self, weir_slice position, weir_error *err)
{
    datagen_source *source = (datagen_source *)self;
    if (position.size != 8 || weir_load_le64(position.data) > INT64_MAX) {
        return weir_fail(err, WEIR_CORRUPT, "datagen: the stored position is damaged");
    }
    source->made = (int64_t)weir_load_le64(position.data);
    source->started_ns = 0;
    return WEIR_OK;
}

static void close_source(weir_source *self)
{
    if (self != NULL) {
        datagen_source *source = (datagen_source *)self;
        free(source->columns);
        weir_buffer_free(&source->text);
        free(source);
    }
}

int weir_datagen_source_open(const weir_source_options *options, weir_source **out, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    datagen_source *source = weir_alloc_zeroed(1, sizeof *source);
    source->columns = weir_alloc_zeroed((size_t)options->field_count, sizeof *source->columns);
    source->column_count = options->field_count;
    source->batch_rows = options->batch_rows > 0 ? options->batch_rows : DEFAULT_BATCH_ROWS;
    source->rows_per_second = weir_connect_int(connector, options->options, "rows-per-second");
    source->row_count = weir_options_get(options->options, "number-of-rows") == NULL
                            ? INT64_MAX
                            : weir_connect_int(connector, options->options, "number-of-rows");
    source->random = (uint64_t)weir_monotonic_ns();
    for (int32_t i = 0; i < options->field_count; i++) {
        weir_datagen_column *column = &source->columns[i];
        int code = weir_datagen_column_read(options->options, &options->fields[i], column, err);
        if (code != WEIR_OK) {
            close_source(&source->base);
            return code;
        }
        int64_t rows = column->is_sequence ? column->end - column->start + 1 : INT64_MAX;
        source->row_count = rows < source->row_count ? rows : source->row_count;
    }
    source->base = (weir_source){.next = next_batch,
                                 .position = write_position,
                                 .restore = restore_position,
                                 .close = close_source,
                                 .is_bounded = source->row_count < INT64_MAX,
                                 .total_bytes = -1};
    *out = &source->base;
    return WEIR_OK;
}
