/* Rows to CSV, a line each, as Flink's csv format writes them. */
#include <stdlib.h>

#include "base/text.h"
#include "format/csv/csv.h"
#include "format/json/text.h"
#include "format/number_text.h"
#include "vector/literal.h"
#include "vector/time_text.h"

#define MAX_CHECKED 24 /* longer texts are put in quotes without looking at them, as Jackson does */

typedef struct csv_writer {
    weir_row_writer base;
    weir_csv_options options;
    int32_t field_count;
    uint8_t quoted_below; /* texts with a byte below it are put in quotes */
    weir_buffer field;
} csv_writer;

static void append_value(const csv_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out);

static void append_fraction(int32_t nanos, weir_buffer *out)
{
    if (nanos == 0) {
        return;
    }
    int digits = nanos % 1000000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9; /* as Java's ISO_LOCAL_TIME */
    char text[16];
    snprintf(text, sizeof text, ".%09d", (int)nanos);
    weir_buffer_append(out, text, (size_t)digits + 1);
}

static void append_timestamp(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_timestamp_nanos value = vector->layout == WEIR_LAYOUT_128
                                     ? WEIR_VALUES(vector, weir_timestamp_nanos)[row]
                                     : weir_timestamp_widen(WEIR_VALUES(vector, int64_t)[row], vector->type->precision);
    weir_timestamp_format(value, 0, out);
    append_fraction((int32_t)(weir_floor_mod(value.millis, 1000) * 1000000) + value.nanos_of_milli, out);
    weir_buffer_append_text(out, vector->type->id == WEIR_TIMESTAMP_LTZ ? "Z" : "");
}

static void append_element(const csv_writer *writer, const weir_vector *vector, int64_t row, bool first,
                           weir_buffer *out)
{
    weir_buffer_append_text(out, first ? "" : writer->options.array_delimiter);
    append_value(writer, vector, row, out);
}

static void append_list(const csv_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out)
{
    if (vector->type->id == WEIR_ROW) {
        for (int32_t i = 0; i < vector->child_count; i++) {
            append_element(writer, &vector->children[i], row, i == 0, out);
        }
        return;
    }
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        append_element(writer, &vector->children[0], i, i == vector->offsets[row], out);
    }
}

static void append_value(const csv_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(vector, row)) {
        weir_buffer_append_text(out, writer->options.null_literal == NULL ? "" : writer->options.null_literal);
        return;
    }
    weir_slice bytes;
    switch (vector->type->id) {
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        bytes = weir_vector_bytes(vector, row);
        weir_buffer_append(out, bytes.data, bytes.size);
        break;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        weir_json_base64_encode(weir_vector_bytes(vector, row), out);
        break;
    case WEIR_FLOAT:
        weir_format_float(WEIR_VALUES(vector, float)[row], out);
        break;
    case WEIR_DOUBLE:
        weir_format_double(WEIR_VALUES(vector, double)[row], out);
        break;
    case WEIR_DECIMAL:
        weir_decimal_format_short(vector->layout == WEIR_LAYOUT_128 ? WEIR_VALUES(vector, weir_int128)[row]
                                                                    : WEIR_VALUES(vector, int64_t)[row],
                                  vector->type->scale, !writer->options.plain_decimals, out);
        break;
    case WEIR_DATE:
        weir_date_format(WEIR_VALUES(vector, int32_t)[row], out);
        break;
    case WEIR_TIME:
        weir_time_format(WEIR_VALUES(vector, int32_t)[row], 0, out);
        append_fraction(WEIR_VALUES(vector, int32_t)[row] % 1000 * 1000000, out);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        append_timestamp(vector, row, out);
        break;
    case WEIR_ARRAY:
    case WEIR_ROW:
        append_list(writer, vector, row, out);
        break;
    default: /* BOOLEAN and whole numbers */
        weir_value_to_json(vector, row, out);
    }
}

/* ---- fields ---- */

static bool needs_quotes(const csv_writer *writer, weir_slice text)
{
    if (text.size > MAX_CHECKED) {
        return true;
    }
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte < writer->quoted_below) {
            return true;
        }
    }
    return false;
}

static void append_quoted(const csv_writer *writer, weir_slice text, weir_buffer *out)
{
    uint8_t quote = (uint8_t)writer->options.quote;
    uint8_t escape = (uint8_t)writer->options.escape;
    weir_buffer_append_byte(out, quote);
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        if (byte == quote) {
            weir_buffer_append_byte(out, escape == 0 ? quote : escape);
        } else if (escape != 0 && byte == escape) {
            weir_buffer_append_byte(out, escape);
        }
        weir_buffer_append_byte(out, byte);
    }
    weir_buffer_append_byte(out, quote);
}

static int append_unquoted(const csv_writer *writer, weir_slice text, weir_buffer *out, weir_error *err)
{
    uint8_t escape = (uint8_t)writer->options.escape;
    for (size_t i = 0; i < text.size; i++) {
        uint8_t byte = text.data[i];
        bool is_special = byte == (uint8_t)writer->options.delimiter || byte == '\n' || byte == '\r';
        if (is_special && escape == 0) {
            return weir_fail(err, WEIR_INVALID,
                             "the text '%.*s' holds a delimiter or line end; set 'csv.escape-character', or allow "
                             "quotes ('csv.disable-quote-character')",
                             (int)(text.size > 60 ? 60 : text.size), (const char *)text.data);
        }
        if (is_special || (escape != 0 && byte == escape)) {
            weir_buffer_append_byte(out, escape);
            byte = byte == '\n' ? 'n' : byte == '\r' ? 'r' : byte;
        }
        weir_buffer_append_byte(out, byte);
    }
    return WEIR_OK;
}

static int append_field(csv_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out, weir_error *err)
{
    bool is_plain =
        !weir_vector_is_null(vector, row) && weir_layout_width(vector->layout) > 0 && vector->type->id <= WEIR_DOUBLE;
    if (is_plain) {
        append_value(writer, vector, row, out);
        return WEIR_OK;
    }
    weir_buffer_clear(&writer->field);
    append_value(writer, vector, row, &writer->field);
    weir_slice text = weir_buffer_slice(&writer->field);
    if (writer->options.no_quote) {
        return append_unquoted(writer, text, out, err);
    }
    if (!weir_vector_is_null(vector, row) && needs_quotes(writer, text)) {
        append_quoted(writer, text, out);
    } else {
        weir_buffer_append(out, text.data, text.size);
    }
    return WEIR_OK;
}

static int write_rows(weir_row_writer *self, const weir_batch *batch, int64_t first, int64_t count, weir_buffer *out,
                      weir_error *err)
{
    csv_writer *writer = (csv_writer *)self;
    for (int64_t row = first; row < first + count; row++) {
        for (int32_t i = 0; i < writer->field_count; i++) {
            if (i > 0) {
                weir_buffer_append_byte(out, (uint8_t)writer->options.delimiter);
            }
            WEIR_TRY(append_field(writer, &batch->columns[i], row, out, err));
        }
        weir_buffer_append_byte(out, '\n');
    }
    return WEIR_OK;
}

static void close_writer(weir_row_writer *self)
{
    if (self != NULL) {
        weir_buffer_free(&((csv_writer *)self)->field);
        free(self);
    }
}

int weir_csv_open_writer(const weir_field *fields, int32_t field_count, const weir_csv_options *options,
                         weir_row_writer **out, weir_error *err)
{
    weir_row_reader *reader; /* what cannot be read is not written either */
    WEIR_TRY(weir_csv_open_reader(fields, field_count, options, &reader, err));
    reader->close(reader);
    csv_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.write = write_rows;
    writer->base.close = close_writer;
    writer->options = *options;
    writer->options.delimiter = options->delimiter == 0 ? ',' : options->delimiter;
    writer->options.quote = options->quote == 0 ? '"' : options->quote;
    writer->options.array_delimiter = options->array_delimiter == NULL ? ";" : options->array_delimiter;
    uint8_t highest = (uint8_t)writer->options.delimiter;
    highest = (uint8_t)writer->options.quote > highest ? (uint8_t)writer->options.quote : highest;
    highest = (uint8_t)options->escape > highest ? (uint8_t)options->escape : highest;
    writer->quoted_below = (uint8_t)(highest + 1);
    writer->field_count = field_count;
    *out = &writer->base;
    return WEIR_OK;
}
