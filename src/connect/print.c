/* The print sink: rows as Flink's print connector shows them, `+I[1, a, null]`, a line each.
 *
 * Values are those of Java's classes that stand for them outside of Flink: LocalDateTime leaves out what is zero at its
 * end, bytes are an array of signed numbers, a nested row has a kind as well. Source of truth:
 * org.apache.flink.types.Row.toString.
 *
 * Rows that are held back until a commit are the text that is prepared: after a crash it is printed again. */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "connect/connect_options.h"
#include "connect/print.h"
#include "vector/literal.h"
#include "vector/time_text.h"

#define BUFFER_BYTES (64 << 10) /* rows are handed to the stream when there is so much of them */
#define HELD_BYTES   (4 << 20)  /* so much of them should not be held back for long */

typedef struct print_sink {
    weir_sink base;
    FILE *out;
    const char *identifier; /* NULL: none */
    int32_t field_count;
    bool holds_back;
    weir_buffer text; /* of rows not printed yet */
} print_sink;

static void print_value(const weir_vector *vector, int64_t row, weir_buffer *out);

/* ---- values ---- */

/* `12:34`, `12:34:56`, and the fraction in thousands: `12:34:56.789`, as Java's LocalTime. */
static void print_clock(int64_t nanos_of_day, weir_buffer *out)
{
    int64_t seconds = nanos_of_day / 1000000000;
    int32_t nanos = (int32_t)(nanos_of_day % 1000000000);
    weir_buffer_append_format(out, "%02d:%02d", (int)(seconds / 3600), (int)(seconds / 60 % 60));
    if (seconds % 60 != 0 || nanos != 0) {
        weir_buffer_append_format(out, ":%02d", (int)(seconds % 60));
    }
    if (nanos != 0) {
        int digits = nanos % 1000000 == 0 ? 3 : nanos % 1000 == 0 ? 6 : 9;
        char text[16];
        snprintf(text, sizeof text, ".%09d", (int)nanos);
        weir_buffer_append(out, text, (size_t)digits + 1);
    }
}

/* Java's LocalDateTime, and Instant, which always shows its seconds. */
static void print_timestamp(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_timestamp_nanos value = vector->layout == WEIR_LAYOUT_128
                                     ? WEIR_VALUES(vector, weir_timestamp_nanos)[row]
                                     : weir_timestamp_widen(WEIR_VALUES(vector, int64_t)[row], vector->type->precision);
    int64_t millis_of_day = weir_floor_mod(value.millis, WEIR_MILLIS_PER_DAY);
    int64_t nanos_of_day = millis_of_day * 1000000 + value.nanos_of_milli;
    weir_date_format(weir_floor_div(value.millis, WEIR_MILLIS_PER_DAY), out);
    weir_buffer_append_byte(out, 'T');
    print_clock(nanos_of_day, out);
    if (vector->type->id == WEIR_TIMESTAMP_LTZ) {
        weir_buffer_append_text(out, nanos_of_day % 60000000000 == 0 ? ":00Z" : "Z");
    }
}

static void print_bytes(weir_slice bytes, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (size_t i = 0; i < bytes.size; i++) {
        weir_buffer_append_format(out, i == 0 ? "%d" : ", %d", (int)(int8_t)bytes.data[i]);
    }
    weir_buffer_append_byte(out, ']');
}

static void print_array(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        weir_buffer_append_text(out, i == vector->offsets[row] ? "" : ", ");
        print_value(&vector->children[0], i, out);
    }
    weir_buffer_append_byte(out, ']');
}

static void print_map(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '{');
    for (int32_t i = vector->offsets[row]; i < vector->offsets[row + 1]; i++) {
        weir_buffer_append_text(out, i == vector->offsets[row] ? "" : ", ");
        print_value(&vector->children[0], i, out);
        weir_buffer_append_byte(out, '=');
        print_value(&vector->children[1], i, out);
    }
    weir_buffer_append_byte(out, '}');
}

static void print_row(const weir_vector *columns, int32_t count, int64_t row, int8_t kind, weir_buffer *out)
{
    weir_buffer_append_text(out, weir_row_kind_text(kind));
    weir_buffer_append_byte(out, '[');
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        print_value(&columns[i], row, out);
    }
    weir_buffer_append_byte(out, ']');
}

static void print_value(const weir_vector *vector, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(vector, row)) {
        weir_buffer_append_text(out, "null");
        return;
    }
    switch (vector->type->id) {
    case WEIR_CHAR:
    case WEIR_VARCHAR: {
        weir_slice text = weir_vector_bytes(vector, row);
        weir_buffer_append(out, text.data, text.size);
        break;
    }
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        print_bytes(weir_vector_bytes(vector, row), out);
        break;
    case WEIR_FLOAT:
        weir_format_float(WEIR_VALUES(vector, float)[row], out);
        break;
    case WEIR_DOUBLE:
        weir_format_double(WEIR_VALUES(vector, double)[row], out);
        break;
    case WEIR_BOOLEAN:
        weir_buffer_append_text(out, weir_bit_get(vector->data, row) ? "true" : "false");
        break;
    case WEIR_TIME:
        print_clock((int64_t)WEIR_VALUES(vector, int32_t)[row] * 1000000, out);
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        print_timestamp(vector, row, out);
        break;
    case WEIR_ARRAY:
        print_array(vector, row, out);
        break;
    case WEIR_MAP:
    case WEIR_MULTISET:
        print_map(vector, row, out);
        break;
    case WEIR_ROW:
        print_row(vector->children, vector->child_count, row, WEIR_INSERT, out);
        break;
    default:
        weir_value_to_text(vector, row, out);
    }
}

/* ---- the sink ---- */

static int print_text(print_sink *sink, weir_slice text, weir_error *err)
{
    if (text.size > 0 && fwrite(text.data, 1, text.size, sink->out) != text.size) {
        return weir_fail_errno(err, errno, "printing rows", "print");
    }
    return WEIR_OK;
}

static int hand_over(print_sink *sink, weir_error *err)
{
    WEIR_TRY(print_text(sink, weir_buffer_slice(&sink->text), err));
    weir_buffer_clear(&sink->text);
    return WEIR_OK;
}

static int write_batch(weir_sink *self, const weir_batch *batch, weir_error *err)
{
    print_sink *sink = (print_sink *)self;
    for (int64_t row = 0; row < batch->length; row++) {
        if (sink->identifier != NULL) {
            weir_buffer_append_text(&sink->text, sink->identifier);
            weir_buffer_append_text(&sink->text, "> ");
        }
        print_row(batch->columns, sink->field_count, row, weir_batch_kind(batch, row), &sink->text);
        weir_buffer_append_byte(&sink->text, '\n');
        if (sink->text.size >= BUFFER_BYTES && !sink->holds_back) {
            WEIR_TRY(hand_over(sink, err));
        }
    }
    return sink->holds_back ? WEIR_OK : hand_over(sink, err);
}

static int prepare(weir_sink *self, weir_buffer *out, weir_error *err)
{
    print_sink *sink = (print_sink *)self;
    (void)err;
    weir_buffer_append(out, sink->text.data, sink->text.size);
    weir_buffer_clear(&sink->text);
    return WEIR_OK;
}

static int commit(weir_sink *self, weir_slice prepared, weir_error *err)
{
    print_sink *sink = (print_sink *)self;
    WEIR_TRY(print_text(sink, prepared, err));
    return fflush(sink->out) == 0 ? WEIR_OK : weir_fail_errno(err, errno, "printing rows", "print");
}

static bool is_full(weir_sink *self) { return ((const print_sink *)self)->text.size >= HELD_BYTES; }

static void close_sink(weir_sink *self)
{
    if (self != NULL) {
        weir_buffer_free(&((print_sink *)self)->text);
        free(self);
    }
}

int weir_print_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err)
{
    const weir_connect_kind *connector;
    WEIR_TRY(weir_connector_of(options->options, &connector, err));
    print_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->base = (weir_sink){.write = write_batch,
                             .prepare = prepare,
                             .commit = commit,
                             .recover = commit,
                             .close = close_sink,
                             .is_full = is_full,
                             .takes_changes = true};
    sink->holds_back = options->holds_back;
    bool to_error = weir_connect_bool(connector, options->options, "standard-error");
    sink->out = to_error || options->print_to == NULL ? stderr : options->print_to;
    sink->identifier = weir_connect_text(connector, options->options, "print-identifier");
    sink->field_count = options->field_count;
    *out = &sink->base;
    return WEIR_OK;
}
