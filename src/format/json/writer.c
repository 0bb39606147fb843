/* Rows to JSON, a line each, as Flink's json, debezium-json, canal-json and maxwell-json formats write them. */
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "format/json/json.h"
#include "format/json/text.h"
#include "format/number_text.h"
#include "vector/literal.h"
#include "vector/time_text.h"

typedef struct json_writer {
    weir_row_writer base;
    weir_json_write_options options;
    const weir_field *fields;
    int32_t field_count;
    weir_buffer *names; /* `"name":`, ready to be copied */
} json_writer;

static int write_value(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out,
                       weir_error *err);

/* ---- values ---- */

static void write_fraction(int32_t nanos, weir_buffer *out)
{
    if (nanos == 0) {
        return;
    }
    char digits[16];
    int size = snprintf(digits, sizeof digits, ".%09d", (int)nanos);
    while (digits[size - 1] == '0') {
        size--;
    }
    weir_buffer_append(out, digits, (size_t)size);
}

static void write_timestamp(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_timestamp_nanos value = vector->layout == WEIR_LAYOUT_128
                                     ? WEIR_VALUES(vector, weir_timestamp_nanos)[row]
                                     : weir_timestamp_widen(WEIR_VALUES(vector, int64_t)[row], vector->type->precision);
    weir_buffer_append_byte(out, '"');
    size_t start = out->size;
    weir_timestamp_format(value, 0, out);
    if (writer->options.time_format != WEIR_JSON_TIME_SQL) {
        uint8_t *blank = memchr(out->data + start, ' ', out->size - start);
        *blank = 'T';
    }
    write_fraction((int32_t)(weir_floor_mod(value.millis, 1000) * 1000000) + value.nanos_of_milli, out);
    weir_buffer_append_text(out, vector->type->id == WEIR_TIMESTAMP_LTZ ? "Z\"" : "\"");
}

static void write_time(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    int32_t millis = WEIR_VALUES(vector, int32_t)[row];
    weir_buffer_append_byte(out, '"');
    weir_time_format(millis, 0, out);
    write_fraction(millis % 1000 * 1000000, out);
    weir_buffer_append_byte(out, '"');
}

static void write_date(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '"');
    weir_date_format(WEIR_VALUES(vector, int32_t)[row], out);
    weir_buffer_append_byte(out, '"');
}

/* NaN and the infinities have no form in JSON but text, which is what Jackson writes. */
static void write_double(double value, bool is_float, weir_buffer *out)
{
    bool is_number = value - value == 0;
    weir_buffer_append_text(out, is_number ? "" : "\"");
    if (is_float) {
        weir_format_float((float)value, out);
    } else {
        weir_format_double(value, out);
    }
    weir_buffer_append_text(out, is_number ? "" : "\"");
}

static void write_decimal(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_int128 unscaled =
        vector->layout == WEIR_LAYOUT_128 ? WEIR_VALUES(vector, weir_int128)[row] : WEIR_VALUES(vector, int64_t)[row];
    weir_decimal_format_short(unscaled, vector->type->scale, !writer->options.plain_decimals, out);
}

static void write_bytes(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '"');
    weir_json_base64_encode(weir_vector_bytes(vector, row), out);
    weir_buffer_append_byte(out, '"');
}

/* ---- nested values ---- */

static int write_array(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out,
                       weir_error *err)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        weir_buffer_append_text(out, i == vector->offsets[row] ? "" : ",");
        WEIR_TRY(write_value(writer, &vector->children[0], i, out, err));
    }
    weir_buffer_append_byte(out, ']');
    return WEIR_OK;
}

static int write_map(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out,
                     weir_error *err)
{
    const char *separator = "";
    weir_buffer_append_byte(out, '{');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        weir_slice key = weir_slice_text(writer->options.null_key_literal);
        if (!weir_vector_is_null(&vector->children[0], i)) {
            key = weir_vector_bytes(&vector->children[0], i);
        } else if (writer->options.null_key == WEIR_JSON_NULL_KEY_DROP) {
            continue;
        } else if (writer->options.null_key == WEIR_JSON_NULL_KEY_FAIL) {
            return weir_fail(err, WEIR_INVALID,
                             "a MAP has NULL as a key, which JSON has no form for; set 'json.map-null-key.mode' to "
                             "DROP or LITERAL");
        }
        weir_buffer_append_text(out, separator);
        separator = ",";
        weir_json_write_string(key, out);
        weir_buffer_append_byte(out, ':');
        WEIR_TRY(write_value(writer, &vector->children[1], i, out, err));
    }
    weir_buffer_append_byte(out, '}');
    return WEIR_OK;
}

static int write_row(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out,
                     weir_error *err)
{
    const char *separator = "";
    weir_buffer_append_byte(out, '{');
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (writer->options.leave_nulls_out && weir_vector_is_null(&vector->children[i], row)) {
            continue;
        }
        weir_buffer_append_text(out, separator);
        separator = ",";
        weir_json_write_string(weir_slice_text(vector->type->fields[i].name), out);
        weir_buffer_append_byte(out, ':');
        WEIR_TRY(write_value(writer, &vector->children[i], row, out, err));
    }
    weir_buffer_append_byte(out, '}');
    return WEIR_OK;
}

static int write_value(const json_writer *writer, const weir_vector *vector, int64_t row, weir_buffer *out,
                       weir_error *err)
{
    if (weir_vector_is_null(vector, row)) {
        weir_buffer_append_text(out, "null");
        return WEIR_OK;
    }
    switch (vector->type->id) {
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        weir_json_write_string(weir_vector_bytes(vector, row), out);
        break;
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        write_bytes(vector, row, out);
        break;
    case WEIR_FLOAT:
        write_double(WEIR_VALUES(vector, float)[row], true, out);
        break;
    case WEIR_DOUBLE:
        write_double(WEIR_VALUES(vector, double)[row], false, out);
        break;
    case WEIR_DECIMAL:
        write_decimal(writer, vector, row, out);
        break;
    case WEIR_DATE:
        write_date(vector, row, out);
        break;
    case WEIR_TIME:
        write_time(vector, row, out);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        write_timestamp(writer, vector, row, out);
        break;
    case WEIR_ARRAY:
        return write_array(writer, vector, row, out, err);
    case WEIR_MAP:
    case WEIR_MULTISET:
        return write_map(writer, vector, row, out, err);
    case WEIR_ROW:
        return write_row(writer, vector, row, out, err);
    default: /* BOOLEAN and whole numbers */
        weir_value_to_json(vector, row, out);
    }
    return WEIR_OK;
}

/* ---- rows ---- */

static int write_object(const json_writer *writer, const weir_batch *batch, int64_t row, weir_buffer *out,
                        weir_error *err)
{
    bool first = true;
    weir_buffer_append_byte(out, '{');
    for (int32_t i = 0; i < writer->field_count; i++) {
        if (writer->options.leave_nulls_out && weir_vector_is_null(&batch->columns[i], row)) {
            continue;
        }
        weir_buffer_append_text(out, first ? "" : ",");
        first = false;
        weir_buffer_append(out, writer->names[i].data, writer->names[i].size);
        WEIR_TRY_CTX(write_value(writer, &batch->columns[i], row, out, err), err, "column '%s'",
                     writer->fields[i].name);
    }
    weir_buffer_append_byte(out, '}');
    return WEIR_OK;
}

/* Change events know only rows that come and rows that go: an update is a delete and an insert. */
static int write_event(const json_writer *writer, const weir_batch *batch, int64_t row, weir_buffer *out,
                       weir_error *err)
{
    static const char *const heads[][2] = {
        [WEIR_JSON_ROWS] = {"", ""},
        [WEIR_JSON_DEBEZIUM] = {"{\"before\":null,\"after\":", "{\"before\":"},
        [WEIR_JSON_CANAL] = {"{\"data\":[", "{\"data\":["},
        [WEIR_JSON_MAXWELL] = {"{\"data\":", "{\"data\":"},
    };
    static const char *const tails[][2] = {
        [WEIR_JSON_ROWS] = {"", ""},
        [WEIR_JSON_DEBEZIUM] = {",\"op\":\"c\"}", ",\"after\":null,\"op\":\"d\"}"},
        [WEIR_JSON_CANAL] = {"],\"type\":\"INSERT\"}", "],\"type\":\"DELETE\"}"},
        [WEIR_JSON_MAXWELL] = {",\"type\":\"insert\"}", ",\"type\":\"delete\"}"},
    };
    int which = weir_row_kind_is_retract(weir_batch_kind(batch, row));
    weir_buffer_append_text(out, heads[writer->options.kind][which]);
    WEIR_TRY(write_object(writer, batch, row, out, err));
    weir_buffer_append_text(out, tails[writer->options.kind][which]);
    weir_buffer_append_byte(out, '\n');
    return WEIR_OK;
}

static int write_rows(weir_row_writer *self, const weir_batch *batch, int64_t first, int64_t count, weir_buffer *out,
                      weir_error *err)
{
    const json_writer *writer = (const json_writer *)self;
    for (int64_t row = first; row < first + count; row++) {
        WEIR_TRY(write_event(writer, batch, row, out, err));
    }
    return WEIR_OK;
}

static void close_writer(weir_row_writer *self)
{
    if (self == NULL) {
        return;
    }
    json_writer *writer = (json_writer *)self;
    for (int32_t i = 0; i < writer->field_count; i++) {
        weir_buffer_free(&writer->names[i]);
    }
    free(writer->names);
    free(writer);
}

static int check_type(const char *column, const weir_type *type, weir_error *err)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return check_type(column, type->element, err);
    case WEIR_MAP:
    case WEIR_MULTISET:
        if (!weir_type_is_text(type->key)) {
            return weir_fail(err, WEIR_UNSUPPORTED,
                             "column '%s': the keys of JSON objects are text, so a MAP or MULTISET needs STRING there",
                             column);
        }
        return check_type(column, type->element, err);
    case WEIR_ROW:
        for (int32_t i = 0; i < type->field_count; i++) {
            WEIR_TRY(check_type(column, type->fields[i].type, err));
        }
        return WEIR_OK;
    case WEIR_VARIANT:
        return weir_fail(err, WEIR_UNSUPPORTED, "column '%s': VARIANT cannot be written as JSON; cast it to STRING",
                         column);
    default:
        return WEIR_OK;
    }
}

int weir_json_open_writer(const weir_field *fields, int32_t field_count, const weir_json_write_options *options,
                          weir_row_writer **out, weir_error *err)
{
    for (int32_t i = 0; i < field_count; i++) {
        WEIR_TRY(check_type(fields[i].name, fields[i].type, err));
    }
    json_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base.write = write_rows;
    writer->base.close = close_writer;
    writer->base.takes_changes = options->kind != WEIR_JSON_ROWS;
    writer->options = *options;
    writer->options.null_key_literal = options->null_key_literal == NULL ? "null" : options->null_key_literal;
    writer->fields = fields;
    writer->field_count = field_count;
    writer->names = weir_alloc_zeroed((size_t)field_count, sizeof *writer->names);
    for (int32_t i = 0; i < field_count; i++) {
        weir_json_write_string(weir_slice_text(fields[i].name), &writer->names[i]);
        weir_buffer_append_byte(&writer->names[i], ':');
    }
    *out = &writer->base;
    return WEIR_OK;
}
