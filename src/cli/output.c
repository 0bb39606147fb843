/* Results as csv, json and jsonl; the layouts for people are in output_table.c and output_vertical.c. */
#include "cli/output.h"

#include <errno.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "base/zone.h"
#include "vector/literal.h"
#include "vector/time_text.h"

#define FLUSH_BYTES 65536

const char *const weir_output_format_names[] = {
    [WEIR_OUTPUT_TABLE] = "table", [WEIR_OUTPUT_CSV] = "csv",           [WEIR_OUTPUT_JSON] = "json",
    [WEIR_OUTPUT_JSONL] = "jsonl", [WEIR_OUTPUT_VERTICAL] = "vertical", NULL,
};
const size_t weir_output_format_count = sizeof weir_output_format_names / sizeof *weir_output_format_names - 1;

bool weir_output_format_parse(const char *text, weir_output_format *out)
{
    for (int i = 0; weir_output_format_names[i] != NULL; i++) {
        if (weir_text_equal_ignore_case(text, weir_output_format_names[i])) {
            *out = (weir_output_format)i;
            return true;
        }
    }
    return false;
}

const char *weir_output_format_name(weir_output_format format) { return weir_output_format_names[format]; }

/* ---- cells ---- */

static void append_zoned(const weir_vector *column, int64_t row, const char *time_zone, weir_buffer *out)
{
    int precision = column->type->precision;
    weir_literal value = weir_literal_of(column, row);
    weir_timestamp_nanos instant = precision > 6 ? value.nanos : weir_timestamp_widen(value.integer, precision);
    const weir_zone *zone = weir_zone_find(time_zone);
    if (zone != NULL) {
        instant.millis += (int64_t)weir_zone_offset(zone, weir_floor_div(instant.millis, 1000)) * 1000;
    }
    weir_timestamp_format(instant, precision, out);
}

static void append_hex(weir_slice bytes, weir_buffer *out)
{
    for (size_t i = 0; i < bytes.size; i++) {
        weir_buffer_append_format(out, "%02x", bytes.data[i]);
    }
}

void weir_output_cell(const weir_vector *column, int64_t row, const char *time_zone, weir_buffer *out)
{
    if (column->type->id == WEIR_TIMESTAMP_LTZ && time_zone != NULL) {
        append_zoned(column, row, time_zone, out);
    } else if (weir_type_is_bytes(column->type)) {
        weir_buffer_append_text(out, "x'");
        append_hex(weir_vector_bytes(column, row), out);
        weir_buffer_append_byte(out, '\'');
    } else {
        weir_value_to_text(column, row, out);
    }
}

/* ---- csv: RFC 4180, with line feeds ---- */

/* Quotes what a reader would otherwise split or take for NULL. */
static void append_csv_field(weir_slice text, weir_buffer *out)
{
    bool is_plain = text.size > 0;
    for (size_t i = 0; i < text.size && is_plain; i++) {
        uint8_t c = text.data[i];
        is_plain = c != ',' && c != '"' && c != '\n' && c != '\r';
    }
    if (is_plain) {
        weir_buffer_append(out, text.data, text.size);
        return;
    }
    weir_buffer_append_byte(out, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] == '"') {
            weir_buffer_append_byte(out, '"');
        }
        weir_buffer_append_byte(out, text.data[i]);
    }
    weir_buffer_append_byte(out, '"');
}

void weir_output_csv_header(const weir_field *fields, int32_t count, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ",");
        append_csv_field(weir_slice_text(fields[i].name), out);
    }
    weir_buffer_append_byte(out, '\n');
}

void weir_output_csv(const weir_batch *batch, const char *time_zone, weir_buffer *out)
{
    weir_buffer cell = {0};
    for (int64_t row = 0; row < batch->length; row++) {
        for (int32_t c = 0; c < batch->column_count; c++) {
            const weir_vector *column = &batch->columns[c];
            weir_buffer_append_text(out, c == 0 ? "" : ",");
            if (weir_vector_is_null(column, row)) {
                continue;
            }
            weir_buffer_clear(&cell);
            if (weir_type_is_bytes(column->type)) {
                append_hex(weir_vector_bytes(column, row), &cell);
            } else {
                weir_output_cell(column, row, time_zone, &cell);
            }
            append_csv_field(weir_buffer_slice(&cell), out);
        }
        weir_buffer_append_byte(out, '\n');
    }
    weir_buffer_free(&cell);
}

/* ---- json ---- */

void weir_output_json(const weir_batch *batch, const weir_field *fields, bool is_first, weir_buffer *out)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_append_text(out, is_first && row == 0 ? "\n{" : ",\n{");
        for (int32_t c = 0; c < batch->column_count; c++) {
            weir_buffer_append_text(out, c == 0 ? "" : ",");
            weir_json_write_string(weir_slice_text(fields[c].name), out);
            weir_buffer_append_byte(out, ':');
            weir_value_to_json(&batch->columns[c], row, out);
        }
        weir_buffer_append_byte(out, '}');
    }
}

void weir_output_jsonl(const weir_batch *batch, weir_buffer *out)
{
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer_append_byte(out, '[');
        for (int32_t c = 0; c < batch->column_count; c++) {
            weir_buffer_append_text(out, c == 0 ? "" : ",");
            weir_value_to_json(&batch->columns[c], row, out);
        }
        weir_buffer_append_text(out, "]\n");
    }
}

/* ---- whole results ---- */

/* Why writing results failed, by errno: streams remember that it did, not why. Results are written by one thread. */
static int failure = EIO;

bool weir_output_put(FILE *to, const void *data, size_t size)
{
    bool failed_before = ferror(to) != 0;
    fwrite(data, 1, size, to);
    if (ferror(to) && !failed_before) {
        failure = errno;
    }
    return !ferror(to);
}

int weir_output_check(FILE *to, weir_error *err)
{
    return ferror(to) ? weir_fail_errno(err, failure, "writing", "the results") : WEIR_OK;
}

int weir_output_flush(FILE *to, weir_error *err)
{
    bool failed_before = ferror(to) != 0;
    if (fflush(to) != 0 && !failed_before) {
        failure = errno;
    }
    return weir_output_check(to, err);
}

/* Writes what has come together. */
static int write_out(weir_buffer *out, const weir_output_options *options, size_t more_than, weir_error *err)
{
    if (out->size <= more_than) {
        return WEIR_OK;
    }
    weir_output_put(options->to, out->data, out->size);
    weir_buffer_clear(out);
    return weir_output_check(options->to, err);
}

static int print_batches(weir_result *result, const weir_output_options *options, weir_buffer *out, int64_t *rows,
                         weir_error *err)
{
    weir_batch batch;
    int code;
    bool is_announced = options->before == NULL;
    weir_batch_init(&batch, result->fields, result->field_count);
    while ((code = result->next(result, &batch, err)) == WEIR_OK) {
        if (options->format == WEIR_OUTPUT_CSV) {
            weir_output_csv(&batch, result->time_zone, out);
        } else if (options->format == WEIR_OUTPUT_JSON) {
            weir_output_json(&batch, result->fields, *rows == 0, out);
        } else {
            weir_output_jsonl(&batch, out);
        }
        *rows += batch.length;
        if (!is_announced) {
            options->before(options->context);
            is_announced = true;
        }
        if ((code = write_out(out, options, result->comes_slowly ? 0 : FLUSH_BYTES, err)) != WEIR_OK) {
            break;
        }
        if (result->comes_slowly) {
            fflush(options->to);
        }
    }
    weir_batch_free(&batch);
    return code == WEIR_END ? WEIR_OK : code;
}

static int print_plain(weir_result *result, const weir_output_options *options, weir_output_summary *summary,
                       weir_error *err)
{
    weir_buffer out = {0};
    if (options->format == WEIR_OUTPUT_CSV) {
        weir_output_csv_header(result->fields, result->field_count, &out);
    } else if (options->format == WEIR_OUTPUT_JSON) {
        weir_buffer_append_byte(&out, '[');
    }
    int code = print_batches(result, options, &out, &summary->rows, err);
    if (options->format == WEIR_OUTPUT_JSON && code == WEIR_OK) {
        weir_buffer_append_text(&out, summary->rows == 0 ? "]\n" : "\n]\n");
    }
    if (options->before != NULL && summary->rows == 0) {
        options->before(options->context);
    }
    int written = write_out(&out, options, 0, code == WEIR_OK ? err : NULL);
    weir_buffer_free(&out);
    return code != WEIR_OK ? code : written;
}

int weir_output_rows(weir_result *result, const weir_output_options *options, weir_output_summary *out, weir_error *err)
{
    *out = (weir_output_summary){0};
    switch (options->format) {
    case WEIR_OUTPUT_TABLE:
        return result->is_page ? weir_output_page(result, options, out, err)
                               : weir_output_table(result, options, out, err);
    case WEIR_OUTPUT_VERTICAL:
        return result->is_page ? weir_output_page(result, options, out, err)
                               : weir_output_vertical(result, options, out, err);
    case WEIR_OUTPUT_CSV:
    case WEIR_OUTPUT_JSON:
    case WEIR_OUTPUT_JSONL:
        break;
    }
    return print_plain(result, options, out, err);
}
