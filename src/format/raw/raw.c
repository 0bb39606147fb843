/* Raw values to a column and back.
 *
 * Source of truth: org.apache.flink.formats.raw.RawFormatDeserializationSchema: text is UTF-8, a BOOLEAN a byte that is
 * not zero, numbers have the bytes of their type. */
#include "format/raw/raw.h"

#include <stdlib.h>

typedef struct raw_reader {
    weir_row_reader base;
    const weir_field *field;
    bool little_endian;
} raw_reader;

typedef struct raw_writer {
    weir_row_writer base;
    bool little_endian;
} raw_writer;

static bool is_supported(const weir_type *type)
{
    switch (type->id) {
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BOOLEAN:
    case WEIR_TINYINT:
    case WEIR_SMALLINT:
    case WEIR_INT:
    case WEIR_BIGINT:
    case WEIR_FLOAT:
    case WEIR_DOUBLE:
        return true;
    default:
        return false;
    }
}

static int check_fields(const weir_field *fields, int32_t field_count, weir_error *err)
{
    if (field_count != 1) {
        weir_buffer names = {0};
        for (int32_t i = 0; i < field_count; i++) {
            weir_buffer_append_format(&names, "%s%s", i == 0 ? "" : ", ", fields[i].name);
        }
        int code =
            weir_fail(err, WEIR_INVALID,
                      "The 'raw' format only supports single physical column. However the defined schema contains "
                      "multiple physical columns: [%s]",
                      weir_buffer_text(&names));
        weir_buffer_free(&names);
        return code;
    }
    if (!is_supported(fields[0].type)) {
        weir_buffer type = {0};
        weir_type_format(fields[0].type, &type);
        int code = weir_fail(err, WEIR_INVALID, "The 'raw' format doesn't supports '%s' as column type.",
                             weir_buffer_text(&type));
        weir_buffer_free(&type);
        return code;
    }
    return WEIR_OK;
}

/* ---- numbers ---- */

/* Turns the order of the bytes of a number around, where it is not the machine's. */
static void order_bytes(uint8_t *bytes, size_t width, bool little_endian)
{
    for (size_t i = 0; i < width / 2 && !little_endian; i++) {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[width - 1 - i];
        bytes[width - 1 - i] = byte;
    }
}

/* ---- reading ---- */

static int append_value(const raw_reader *reader, weir_slice bytes, const char *name, weir_vector *out, weir_error *err)
{
    uint8_t number[8];
    size_t width = out->layout == WEIR_LAYOUT_BIT ? 1 : weir_layout_width(out->layout);
    if (width == 0) {
        return weir_vector_append_raw(out, bytes.data, bytes.size, err);
    }
    if (bytes.size != width) {
        weir_buffer type = {0};
        weir_type_format(reader->field->type, &type);
        int code =
            weir_fail(err, WEIR_CORRUPT, "%s: Size of data received for deserializing %s type is not %zu: %zu bytes",
                      name, weir_buffer_text(&type), width, bytes.size);
        weir_buffer_free(&type);
        return code;
    }
    memcpy(number, bytes.data, width);
    order_bytes(number, width, reader->little_endian);
    if (out->layout == WEIR_LAYOUT_BIT) {
        number[0] = number[0] != 0;
    }
    return weir_vector_append_raw(out, number, width, err);
}

static int read_lines(weir_row_reader *self, const weir_row_text *text, int64_t most_rows, weir_batch *batch,
                      size_t *out_used, weir_error *err)
{
    const raw_reader *reader = (const raw_reader *)self;
    size_t at = 0;
    while (batch->length < most_rows && at < text->size) {
        const uint8_t *newline = memchr(text->data + at, '\n', text->size - at);
        if (newline == NULL && !text->is_end) {
            break;
        }
        size_t size = newline == NULL ? text->size - at : (size_t)(newline - text->data) - at;
        WEIR_TRY(append_value(reader, weir_slice_of(text->data + at, size), text->path, &batch->columns[0], err));
        batch->length++;
        at += size + (newline != NULL);
    }
    *out_used = at;
    return WEIR_OK;
}

static int fail_message(const raw_reader *reader, const weir_row_messages *messages, int64_t i, weir_vector *out,
                        weir_error *err)
{
    weir_buffer name = {0};
    messages->append_name(messages->owner, i, &name);
    int code =
        append_value(reader, weir_slice_of(messages->data + messages->starts[i], weir_row_message_size(messages, i)),
                     weir_buffer_text(&name), out, err);
    weir_buffer_free(&name);
    return code;
}

static int read_messages(weir_row_reader *self, const weir_row_messages *messages, weir_batch *batch, weir_error *err)
{
    const raw_reader *reader = (const raw_reader *)self;
    weir_vector *out = &batch->columns[0];
    for (int64_t i = 0; i < messages->count; i++) {
        weir_slice bytes = weir_slice_of(messages->data + messages->starts[i], weir_row_message_size(messages, i));
        messages->row_counts[i] = 1;
        if (weir_row_message_is_null(messages, i)) {
            WEIR_TRY(weir_vector_append_nulls(out, 1, err));
        } else if (append_value(reader, bytes, "", out, NULL) != WEIR_OK) {
            return fail_message(reader, messages, i, out, err);
        }
    }
    batch->length += messages->count;
    return WEIR_OK;
}

static void close_reader(weir_row_reader *self) { free(self); }

int weir_raw_open_reader(const weir_field *fields, int32_t field_count, bool little_endian, weir_row_reader **out,
                         weir_error *err)
{
    WEIR_TRY(check_fields(fields, field_count, err));
    raw_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->base = (weir_row_reader){.read = read_lines, .read_messages = read_messages, .close = close_reader};
    reader->field = fields;
    reader->little_endian = little_endian;
    *out = &reader->base;
    return WEIR_OK;
}

/* ---- writing ---- */

static int write_rows(weir_row_writer *self, const weir_batch *batch, int64_t first, int64_t count, weir_buffer *out,
                      weir_error *err)
{
    const raw_writer *writer = (const raw_writer *)self;
    const weir_vector *column = &batch->columns[0];
    size_t width = weir_layout_width(column->layout);
    (void)err;
    for (int64_t row = first; row < first + count; row++) {
        if (weir_vector_is_null(column, row)) {
            /* nothing stands for it */
        } else if (column->layout == WEIR_LAYOUT_BIT) {
            weir_buffer_append_byte(out, weir_bit_get(column->data, row));
        } else if (width == 0) {
            weir_slice bytes = weir_vector_bytes(column, row);
            weir_buffer_append(out, bytes.data, bytes.size);
        } else {
            weir_buffer_append(out, column->data + (size_t)row * width, width);
            order_bytes(out->data + out->size - width, width, writer->little_endian);
        }
        weir_buffer_append_byte(out, '\n');
    }
    return WEIR_OK;
}

static void close_writer(weir_row_writer *self) { free(self); }

int weir_raw_open_writer(const weir_field *fields, int32_t field_count, bool little_endian, weir_row_writer **out,
                         weir_error *err)
{
    WEIR_TRY(check_fields(fields, field_count, err));
    raw_writer *writer = weir_alloc_zeroed(1, sizeof *writer);
    writer->base = (weir_row_writer){.write = write_rows, .close = close_writer, .null_is_no_message = true};
    writer->little_endian = little_endian;
    *out = &writer->base;
    return WEIR_OK;
}
