/* A reader of CSV: records (records.h) to columns, by the converters of JSON, and what is said of those that do not
 * fit.
 */
#include <stdlib.h>

#include "base/text.h"
#include "format/csv/records.h"

#define ROWS_AT_ONCE 512
#define TEXT_AT_ONCE ((size_t)1 << 28) /* so that offsets into the text stay within 32 bits */

#define FIRST_LINE_SKIPPED 1 /* of weir_row_reader.state */

typedef struct csv_reader {
    weir_row_reader base;
    weir_json_read_options json_options;
    weir_json_column *columns;
    weir_csv_records records;
    size_t *starts; /* where in the text each row begins */
    size_t start_capacity;
    weir_json_conversion conversion;
} csv_reader;

/* ---- errors ---- */

static int64_t count_lines(const uint8_t *from, const uint8_t *to)
{
    int64_t lines = 0;
    while (from < to && (from = memchr(from, '\n', (size_t)(to - from))) != NULL) {
        lines++;
        from++;
    }
    return lines;
}

static int shown_size(size_t size) { return size > 60 ? 60 : (int)size; }

static int fail_record(const weir_row_text *text, const uint8_t *record, const char *wrong, int32_t columns,
                       weir_error *err)
{
    const uint8_t *end = text->data + text->size;
    const uint8_t *newline = memchr(record, '\n', (size_t)(end - record));
    int shown = shown_size((size_t)((newline == NULL ? end : newline) - record));
    return weir_fail(err, WEIR_CORRUPT,
                     "%s: line %" PRId64 ": %s (%d): '%.*s'; 'csv.ignore-parse-errors' = 'true' would pass over it",
                     text->path, text->first_line + count_lines(text->data, record), wrong, columns, shown,
                     (const char *)record);
}

/* Where the record with the value that does not fit begins in the text. */
static size_t bad_record_start(const csv_reader *reader)
{
    weir_json_span span = reader->conversion.bad_span;
    int64_t row = 0;
    while (row + 1 < reader->records.rows.count &&
           reader->records.rows.spans[(row + 1) * reader->records.column_count].offset <= span.offset) {
        row++;
    }
    return reader->starts[row];
}

static int fail_value(const csv_reader *reader, const weir_row_text *text, const uint8_t *record, weir_error *err)
{
    const weir_json_column *column = reader->conversion.bad_column;
    weir_json_span span = reader->conversion.bad_span;
    weir_buffer type = {0};
    weir_type_format(column->type, &type);
    int code =
        weir_fail(err, WEIR_CORRUPT,
                  "%s: line %" PRId64 ": field '%s': '%.*s' is no %s; 'csv.ignore-parse-errors' = 'true' would "
                  "make it NULL",
                  text->path, text->first_line + count_lines(text->data, record), column->name, shown_size(span.size),
                  (const char *)reader->records.texts.data + span.offset, weir_buffer_text(&type));
    weir_buffer_free(&type);
    return code;
}

/* ---- reading ---- */

static bool has_bad_value(const csv_reader *reader)
{
    return reader->conversion.bad_column != NULL && !reader->records.options.ignore_parse_errors;
}

/* The next row begins here, in the text or in that of all messages. */
static void note_start(csv_reader *reader, size_t start)
{
    WEIR_GROW(reader->starts, reader->start_capacity, reader->records.rows.count + 1);
    reader->starts[reader->records.rows.count] = start;
}

/* Whether the rows taken are to be converted before more are. */
static bool is_full(const csv_reader *reader)
{
    return reader->records.rows.count >= ROWS_AT_ONCE || reader->records.texts.size >= TEXT_AT_ONCE;
}

/* Converts the rows taken. `path`: for messages. */
static int convert_rows(csv_reader *reader, const char *path, weir_batch *batch, weir_error *err)
{
    int64_t count = reader->records.rows.count;
    weir_buffer_append_zeros(&reader->records.texts, WEIR_ROW_TEXT_PADDING);
    reader->conversion.base = reader->records.texts.data;
    reader->conversion.bad_column = NULL;
    for (int32_t i = 0; i < reader->records.column_count && count > 0; i++) {
        WEIR_TRY_CTX(weir_json_convert(&reader->conversion, &reader->columns[i], reader->records.rows.spans + i,
                                       reader->records.column_count, count, &batch->columns[i], err),
                     err, "%s: field '%s'", path, reader->columns[i].name);
    }
    batch->length += count;
    return WEIR_OK;
}

static int flush_rows(csv_reader *reader, const weir_row_text *text, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(convert_rows(reader, text->path, batch, err));
    if (has_bad_value(reader)) {
        return fail_value(reader, text, text->data + bad_record_start(reader), err);
    }
    weir_csv_records_clear(&reader->records);
    return WEIR_OK;
}

/* Moves past the line at `at`; false: its end is not in the text yet. */
static bool skip_line(const weir_row_text *text, weir_csv_cursor *cursor)
{
    const uint8_t *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    if (newline == NULL && !text->is_end) {
        return false;
    }
    cursor->at = newline == NULL ? cursor->end : newline + 1;
    return true;
}

/* Passes over comments and a first line that is to be ignored; false: more text is needed. */
static bool skip_other_lines(csv_reader *reader, const weir_row_text *text, weir_csv_cursor *cursor)
{
    if (reader->records.options.ignore_first_line && (reader->base.state & FIRST_LINE_SKIPPED) == 0) {
        if (!skip_line(text, cursor)) {
            return false;
        }
        reader->base.state |= FIRST_LINE_SKIPPED;
    }
    while (reader->records.options.allow_comments && cursor->at < cursor->end && *cursor->at == '#') {
        if (!skip_line(text, cursor)) {
            return false;
        }
    }
    return cursor->at < cursor->end;
}

static int read_rows(weir_row_reader *self, const weir_row_text *text, int64_t most_rows, weir_batch *batch,
                     size_t *out_used, weir_error *err)
{
    csv_reader *reader = (csv_reader *)self;
    weir_csv_cursor cursor = {.at = text->data, .end = text->data + text->size, .is_end = text->is_end};
    weir_csv_records_clear(&reader->records);
    while (batch->length + reader->records.rows.count < most_rows && skip_other_lines(reader, text, &cursor)) {
        const uint8_t *record = cursor.at;
        note_start(reader, (size_t)(record - text->data));
        if (weir_csv_take_record(&reader->records, &cursor)) {
            if (is_full(reader)) {
                WEIR_TRY(flush_rows(reader, text, batch, err));
            }
            continue;
        }
        if (cursor.cut && !text->is_end) {
            cursor.at = record;
            break;
        }
        if (!reader->records.options.ignore_parse_errors) {
            return fail_record(text, record, cursor.wrong, reader->records.column_count, err);
        }
        cursor.at = record;
        if (!skip_line(text, &cursor)) {
            break;
        }
    }
    WEIR_TRY(flush_rows(reader, text, batch, err));
    *out_used = (size_t)(cursor.at - text->data);
    return WEIR_OK;
}

/* ---- messages ---- */

/* `wrong`: what is wrong with the record; NULL: a value does not fit its column. */
static int fail_message(csv_reader *reader, const weir_row_messages *messages, int64_t message, const char *wrong,
                        weir_error *err)
{
    weir_buffer name = {0};
    messages->append_name(messages->owner, message, &name);
    const weir_row_text text = {.path = weir_buffer_text(&name),
                                .data = messages->data + messages->starts[message],
                                .size = weir_row_message_size(messages, message),
                                .first_line = 1,
                                .is_end = true};
    int code = wrong != NULL ? fail_record(&text, text.data, wrong, reader->records.column_count, err)
                             : fail_value(reader, &text, text.data, err);
    weir_buffer_free(&name);
    return code;
}

static int flush_messages(csv_reader *reader, const weir_row_messages *messages, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(convert_rows(reader, "messages", batch, err));
    if (has_bad_value(reader)) {
        return fail_message(reader, messages, weir_row_message_at(messages, bad_record_start(reader)), NULL, err);
    }
    weir_csv_records_clear(&reader->records);
    return WEIR_OK;
}

/* A message is a record; what follows a line end in it is not looked at, as in Flink. */
static int read_message(csv_reader *reader, const weir_row_messages *messages, int64_t i, weir_error *err)
{
    const uint8_t *start = messages->data + messages->starts[i];
    weir_csv_cursor cursor = {.at = start, .end = start + weir_row_message_size(messages, i), .is_end = true};
    if (reader->records.options.allow_comments && *start == '#') {
        return WEIR_OK;
    }
    note_start(reader, messages->starts[i]);
    if (weir_csv_take_record(&reader->records, &cursor)) {
        messages->row_counts[i] = 1;
        return WEIR_OK;
    }
    return reader->records.options.ignore_parse_errors ? WEIR_OK : fail_message(reader, messages, i, cursor.wrong, err);
}

static int read_messages(weir_row_reader *self, const weir_row_messages *messages, weir_batch *batch, weir_error *err)
{
    csv_reader *reader = (csv_reader *)self;
    weir_csv_records_clear(&reader->records);
    for (int64_t i = 0; i < messages->count; i++) {
        messages->row_counts[i] = 0;
        if (weir_row_message_is_null(messages, i)) {
            continue;
        }
        WEIR_TRY(read_message(reader, messages, i, err));
        if (is_full(reader)) {
            WEIR_TRY(flush_messages(reader, messages, batch, err));
        }
    }
    return flush_messages(reader, messages, batch, err);
}

/* ---- making and freeing ---- */

static void close_reader(weir_row_reader *self)
{
    if (self == NULL) {
        return;
    }
    csv_reader *reader = (csv_reader *)self;
    for (int32_t i = 0; i < reader->records.column_count; i++) {
        weir_json_column_free(&reader->columns[i]);
    }
    free(reader->columns);
    free(reader->starts);
    weir_csv_records_free(&reader->records);
    weir_buffer_free(&reader->conversion.scratch);
    free(reader);
}

/* Whether CSV has a form for the type: a value, or a list of values. */
static bool is_supported(const weir_type *type, bool nested)
{
    switch (type->id) {
    case WEIR_ARRAY:
        return !nested && is_supported(type->element, true);
    case WEIR_ROW:
        for (int32_t i = 0; !nested && i < type->field_count; i++) {
            if (!is_supported(type->fields[i].type, true)) {
                return false;
            }
        }
        return !nested;
    case WEIR_MAP:
    case WEIR_MULTISET:
    case WEIR_VARIANT:
    case WEIR_NULL:
        return false;
    default:
        return true;
    }
}

static void set_encodings(weir_json_column *column)
{
    column->encoding = WEIR_JSON_LOOSE_TEXT;
    for (int32_t i = 0; i < column->child_count; i++) {
        set_encodings(&column->children[i]);
    }
}

static int init_columns(csv_reader *reader, const weir_field *fields, weir_error *err)
{
    for (int32_t i = 0; i < reader->records.column_count; i++) {
        if (!is_supported(fields[i].type, false)) {
            weir_buffer type = {0};
            weir_type_format(fields[i].type, &type);
            int code = weir_fail(err, WEIR_UNSUPPORTED, "column '%s': CSV has no form for %s; use format json",
                                 fields[i].name, weir_buffer_text(&type));
            weir_buffer_free(&type);
            return code;
        }
        WEIR_TRY(weir_json_column_init(&reader->columns[i], fields[i].name, fields[i].type, err));
        set_encodings(&reader->columns[i]);
    }
    return WEIR_OK;
}

int weir_csv_open_reader(const weir_field *fields, int32_t field_count, const weir_csv_options *options,
                         weir_row_reader **out, weir_error *err)
{
    csv_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->base.read = read_rows;
    reader->base.read_messages = read_messages;
    reader->base.close = close_reader;
    weir_csv_records *records = &reader->records;
    reader->columns = weir_alloc_zeroed((size_t)field_count, sizeof *reader->columns);
    records->columns = reader->columns;
    records->column_count = field_count;
    records->rows.width = field_count;
    records->options = *options;
    records->options.delimiter = options->delimiter == 0 ? ',' : options->delimiter;
    records->options.quote = options->quote == 0 ? '"' : options->quote;
    records->options.array_delimiter = options->array_delimiter == NULL ? ";" : options->array_delimiter;
    reader->conversion.options = &reader->json_options;
    int code = init_columns(reader, fields, err);
    if (code != WEIR_OK) {
        close_reader(&reader->base);
        return code;
    }
    *out = &reader->base;
    return WEIR_OK;
}
