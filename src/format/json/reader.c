/* A reader of JSON: records out of text, rows into a batch.
 *
 * Records are taken as spans, a few hundred rows at a time so that their text and spans stay in the nearest cache, and
 * then converted column by column. A record is an object; records follow each other with or without blanks and lines
 * between them, or stand in arrays. null is passed over, as are empty lines.
 *
 * A record that is no JSON is an error, or, with ignore_parse_errors, everything up to the end of the line that it
 * begins in is passed over. */
#include <stdlib.h>

#include "base/text.h"
#include "format/json/event.h"

#define ROWS_AT_ONCE 512

#define IN_ARRAY 1 /* of weir_row_reader.state */

typedef struct json_reader {
    weir_row_reader base;
    weir_json_read_options options;
    weir_json_column *columns;
    int32_t column_count;
    weir_json_names names;
    weir_json_events events;
    weir_json_rows rows;
    weir_json_conversion conversion;
    bool (*take_event)(weir_json_events *events, weir_json_cursor *cursor, weir_json_rows *rows); /* NULL: plain rows */
} json_reader;

/* ---- errors ---- */

#define SHOWN_BYTES 60 /* of the text that was found */

static int64_t line_of(const weir_row_text *text, const uint8_t *at)
{
    int64_t line = text->first_line;
    for (const uint8_t *next = text->data; (next = memchr(next, '\n', (size_t)(at - next))) != NULL; next++) {
        line++;
    }
    return line;
}

/* Bytes and, where they were cut off, "…"; whole characters. */
static void append_shortened(weir_slice found, weir_buffer *out)
{
    size_t shown = found.size;
    if (shown > SHOWN_BYTES) {
        for (shown = SHOWN_BYTES; shown > 0 && (found.data[shown] & 0xC0) == 0x80; shown--) {
        }
    }
    weir_buffer_append(out, found.data, shown);
    weir_buffer_append_text(out, shown < found.size ? "…" : "");
}

/* The rest of the line at `at`, as text for a message. */
static void append_found(const weir_row_text *text, const uint8_t *at, weir_buffer *out)
{
    const uint8_t *end = text->data + text->size;
    if (at >= end) {
        weir_buffer_append_text(out, "the end of the text");
        return;
    }
    const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));
    const uint8_t *stop = newline == NULL ? end : newline;
    if (stop == at) {
        weir_buffer_append_text(out, "the end of the line");
        return;
    }
    weir_buffer_append_byte(out, '\'');
    append_shortened(weir_slice_of(at, (size_t)(stop - at)), out);
    weir_buffer_append_byte(out, '\'');
}

static int fail_syntax(const weir_row_text *text, const weir_json_cursor *cursor, weir_error *err)
{
    const uint8_t *line_start = cursor->at;
    while (line_start > text->data && line_start[-1] != '\n') {
        line_start--;
    }
    weir_buffer found = {0};
    append_found(text, cursor->at, &found);
    size_t column = weir_utf8_length(weir_slice_of(line_start, (size_t)(cursor->at - line_start))) + 1;
    int code = weir_fail(err, WEIR_CORRUPT, "%s: line %" PRId64 ", column %zu: expected %s, found %s", text->path,
                         line_of(text, cursor->at), column, cursor->expected, weir_buffer_text(&found));
    weir_buffer_free(&found);
    return code;
}

/* What the text of a type looks like, for those types where that is not plain. */
static const char *hint_of(const json_reader *reader, const weir_type *type)
{
    static const char *const timestamps[] = {
        "; expected 2024-02-29 12:34:56.789 ('timestamp-format.standard' is SQL)",
        "; expected 2024-02-29T12:34:56.789 (by 'timestamp-format.standard')",
        "; expected 2024-02-29T12:34:56.789+00:00 (by 'timestamp-format.standard')"};
    static const char *const zoned[] = {"; expected 2024-02-29 12:34:56.789Z ('timestamp-format.standard' is SQL)",
                                        "; expected 2024-02-29T12:34:56.789Z (by 'timestamp-format.standard')",
                                        "; expected 2024-02-29T12:34:56.789+00:00 (by 'timestamp-format.standard')"};
    switch (type->id) {
    case WEIR_DATE:
        return "; expected 2024-02-29";
    case WEIR_TIME:
        return "; expected 12:34:56.789";
    case WEIR_TIMESTAMP:
        return timestamps[reader->options.time_format];
    case WEIR_TIMESTAMP_LTZ:
        return zoned[reader->options.time_format];
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return "; expected base64";
    default:
        return "";
    }
}

static int fail_value(const json_reader *reader, const weir_row_text *text, weir_error *err)
{
    const weir_json_column *column = reader->conversion.bad_column;
    weir_json_span span = reader->conversion.bad_span;
    const uint8_t *at = text->data + span.offset;
    if (span.token == WEIR_JSON_MISSING) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: line %" PRId64 ": field '%s' is missing ('fail-on-missing-field' is true)", text->path,
                         line_of(text, at), column->name);
    }
    weir_buffer found = {0};
    weir_buffer type = {0};
    append_shortened(weir_slice_of(at, span.size), &found);
    weir_type_format(column->type, &type);
    int code = weir_fail(err, WEIR_CORRUPT,
                         "%s: line %" PRId64 ": field '%s': '%s' is no %s%s; 'ignore-parse-errors' = 'true' would make "
                         "it NULL",
                         text->path, line_of(text, at), column->name, weir_buffer_text(&found), weir_buffer_text(&type),
                         hint_of(reader, column->type));
    weir_buffer_free(&found);
    weir_buffer_free(&type);
    return code;
}

/* ---- records ---- */

/* Takes what is at `at`, up to the end of a record: rows of it, or none. */
static bool take_record(json_reader *reader, weir_json_cursor *cursor)
{
    weir_json_span value;
    if (*cursor->at == '{') {
        return reader->take_event != NULL
                   ? reader->take_event(&reader->events, cursor, &reader->rows)
                   : weir_json_take_members(cursor, &reader->names, weir_json_rows_add(&reader->rows, WEIR_INSERT));
    }
    if (*cursor->at == '[' && reader->take_event == NULL && (reader->base.state & IN_ARRAY) == 0) {
        reader->base.state |= IN_ARRAY;
        cursor->at++;
        return true;
    }
    if (*cursor->at == 'n') {
        return weir_json_take_value(cursor, &value);
    }
    return weir_json_fail(cursor, "an object ({…}) as a row");
}

/* Moves to the next record; false: the text ends before it. Files may begin with a byte order mark. */
static bool find_record(json_reader *reader, const weir_row_text *text, weir_json_cursor *cursor)
{
    weir_json_skip_blanks(cursor);
    if (cursor->at[0] == 0xEF && cursor->end - cursor->at < 3 && !text->is_end) {
        return false;
    }
    if (cursor->at[0] == 0xEF && cursor->at[1] == 0xBB && cursor->at[2] == 0xBF) {
        cursor->at += 3;
        weir_json_skip_blanks(cursor);
    }
    while ((reader->base.state & IN_ARRAY) != 0 && (*cursor->at == ',' || *cursor->at == ']')) {
        if (*cursor->at == ']') {
            reader->base.state &= (uint8_t)~IN_ARRAY;
        }
        cursor->at++;
        weir_json_skip_blanks(cursor);
    }
    return cursor->at < cursor->end;
}

/* Moves past the line that `record` begins in; false: its end is not in the text yet. */
static bool skip_line(const weir_row_text *text, const uint8_t *record, weir_json_cursor *cursor)
{
    const uint8_t *newline = memchr(record, '\n', (size_t)(cursor->end - record));
    if (newline == NULL && !text->is_end) {
        return false;
    }
    cursor->at = newline == NULL ? cursor->end : newline + 1;
    cursor->depth = 0;
    cursor->outcome = WEIR_JSON_FINE;
    return true;
}

static bool has_bad_value(const json_reader *reader)
{
    return reader->conversion.bad_column != NULL && !reader->options.ignore_parse_errors;
}

/* Converts the first `count` of the rows taken. `path`: for messages. */
static int convert_rows(json_reader *reader, const char *path, int64_t count, weir_batch *batch, weir_error *err)
{
    weir_json_conversion *conversion = &reader->conversion;
    conversion->bad_column = NULL;
    for (int32_t i = 0; i < reader->column_count && count > 0; i++) {
        WEIR_TRY_CTX(weir_json_convert(conversion, &reader->columns[i], reader->rows.spans + i, reader->column_count,
                                       count, &batch->columns[i], err),
                     err, "%s: field '%s'", path, reader->columns[i].name);
    }
    if (reader->base.gives_changes && count > 0) {
        weir_batch_reserve_kinds(batch, batch->length + count);
        memcpy(batch->kinds + batch->length, reader->rows.kinds, (size_t)count);
    }
    batch->length += count;
    weir_json_rows_remove_first(&reader->rows, count);
    return WEIR_OK;
}

static int flush_rows(json_reader *reader, const weir_row_text *text, int64_t count, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(convert_rows(reader, text->path, count, batch, err));
    return has_bad_value(reader) ? fail_value(reader, text, err) : WEIR_OK;
}

/* After a record was taken: converts rows when there are enough of them, or when the meaning of the columns changes
 * with the last record, whose rows begin at `first`. */
static int settle_rows(json_reader *reader, const weir_row_text *text, int64_t first, weir_batch *batch,
                       weir_error *err)
{
    if (reader->events.new_schema.size > 0) {
        WEIR_TRY(flush_rows(reader, text, first, batch, err));
        WEIR_TRY(
            weir_json_apply_schema(&reader->events, text->data, text->path, reader->columns, reader->names.count, err));
    }
    if (reader->rows.count >= ROWS_AT_ONCE) {
        WEIR_TRY(flush_rows(reader, text, reader->rows.count, batch, err));
    }
    return WEIR_OK;
}

/* What became of an attempt to read one record. */
typedef enum record_outcome {
    RECORD_READ, /* or passed over */
    RECORD_CUT,  /* it is not whole: stop before it */
    RECORD_WRONG
} record_outcome;

static record_outcome read_record(json_reader *reader, const weir_row_text *text, weir_json_cursor *cursor)
{
    const uint8_t *record = cursor->at;
    int64_t first = reader->rows.count;
    if (take_record(reader, cursor)) {
        if (reader->options.metadata_count > 0) {
            weir_json_events_fill_metadata(&reader->events, cursor->base, &reader->rows, first);
        }
        return RECORD_READ;
    }
    reader->rows.count = first;
    reader->events.new_schema = (weir_json_span){0};
    bool is_cut = cursor->outcome == WEIR_JSON_CUT && !text->is_end;
    if (!is_cut && !reader->options.ignore_parse_errors) {
        return RECORD_WRONG;
    }
    if (!is_cut && skip_line(text, record, cursor)) {
        return RECORD_READ;
    }
    cursor->at = record;
    return RECORD_CUT;
}

static int read_rows(weir_row_reader *self, const weir_row_text *text, int64_t most_rows, weir_batch *batch,
                     size_t *out_used, weir_error *err)
{
    json_reader *reader = (json_reader *)self;
    weir_json_cursor cursor = {.base = text->data, .at = text->data, .end = text->data + text->size};
    reader->rows.count = 0;
    reader->conversion.base = text->data;
    while (batch->length + reader->rows.count < most_rows && find_record(reader, text, &cursor)) {
        int64_t first = reader->rows.count;
        record_outcome outcome = read_record(reader, text, &cursor);
        if (outcome == RECORD_WRONG) {
            return fail_syntax(text, &cursor, err);
        }
        if (outcome == RECORD_CUT) {
            break;
        }
        WEIR_TRY(settle_rows(reader, text, first, batch, err));
    }
    WEIR_TRY(flush_rows(reader, text, reader->rows.count, batch, err));
    *out_used = (size_t)(cursor.at - text->data);
    return WEIR_OK;
}

/* ---- messages ---- */

/* A message as a text with its name, for messages of errors. */
static weir_row_text text_of_message(const weir_row_messages *messages, int64_t message, weir_buffer *name)
{
    messages->append_name(messages->owner, message, name);
    return (weir_row_text){.path = weir_buffer_text(name),
                           .data = messages->data + messages->starts[message],
                           .size = weir_row_message_size(messages, message),
                           .first_line = 1,
                           .is_end = true};
}

/* `cursor`: where the text is wrong; NULL: a value does not fit its column. */
static int fail_message(json_reader *reader, const weir_row_messages *messages, const weir_json_cursor *cursor,
                        weir_error *err)
{
    weir_buffer name = {0};
    int code;
    if (cursor != NULL) {
        weir_row_text text =
            text_of_message(messages, weir_row_message_at(messages, (size_t)(cursor->at - messages->data)), &name);
        code = fail_syntax(&text, cursor, err);
    } else {
        weir_json_span *span = &reader->conversion.bad_span;
        int64_t message = weir_row_message_at(messages, span->offset);
        weir_row_text text = text_of_message(messages, message, &name);
        span->offset -= messages->starts[message];
        code = fail_value(reader, &text, err);
    }
    weir_buffer_free(&name);
    return code;
}

/* Spans count from the first message; a failure is told of the one it is in. */
static int flush_messages(json_reader *reader, const weir_row_messages *messages, int64_t count, weir_batch *batch,
                          weir_error *err)
{
    WEIR_TRY(convert_rows(reader, "messages", count, batch, err));
    return has_bad_value(reader) ? fail_message(reader, messages, NULL, err) : WEIR_OK;
}

/* As settle_rows. */
static int settle_message(json_reader *reader, const weir_row_messages *messages, int64_t first, weir_batch *batch,
                          weir_error *err)
{
    if (reader->events.new_schema.size > 0) {
        WEIR_TRY(flush_messages(reader, messages, first, batch, err));
        WEIR_TRY(weir_json_apply_schema(&reader->events, messages->data, "the schema of a message", reader->columns,
                                        reader->names.count, err));
    }
    return reader->rows.count >= ROWS_AT_ONCE ? flush_messages(reader, messages, reader->rows.count, batch, err)
                                              : WEIR_OK;
}

/* The records of one message: one, as a rule. With ignore_parse_errors what is wrong takes the rest of its message with
 * it. An empty message of events is a tombstone. */
static int read_message(json_reader *reader, const weir_row_messages *messages, int64_t i, weir_batch *batch,
                        weir_error *err)
{
    const uint8_t *start = messages->data + messages->starts[i];
    const weir_row_text text = {
        .path = "", .data = start, .size = weir_row_message_size(messages, i), .first_line = 1, .is_end = true};
    weir_json_cursor cursor = {.base = messages->data, .at = start, .end = start + text.size};
    bool found = false;
    reader->base.state = 0;
    while (find_record(reader, &text, &cursor)) {
        int64_t first = reader->rows.count;
        found = true;
        if (!take_record(reader, &cursor)) {
            reader->rows.count = first;
            reader->events.new_schema = (weir_json_span){0};
            return reader->options.ignore_parse_errors ? WEIR_OK : fail_message(reader, messages, &cursor, err);
        }
        if (reader->options.metadata_count > 0) {
            weir_json_events_fill_metadata(&reader->events, cursor.base, &reader->rows, first);
        }
        messages->row_counts[i] += (int32_t)(reader->rows.count - first);
        WEIR_TRY(settle_message(reader, messages, first, batch, err));
    }
    if (!found && reader->take_event == NULL && !reader->options.ignore_parse_errors) {
        cursor.at = start;
        cursor.expected = "an object ({…}) as a row";
        return fail_message(reader, messages, &cursor, err);
    }
    return WEIR_OK;
}

static int read_messages(weir_row_reader *self, const weir_row_messages *messages, weir_batch *batch, weir_error *err)
{
    json_reader *reader = (json_reader *)self;
    reader->rows.count = 0;
    reader->conversion.base = messages->data;
    for (int64_t i = 0; i < messages->count; i++) {
        messages->row_counts[i] = 0;
        if (!weir_row_message_is_null(messages, i)) {
            WEIR_TRY(read_message(reader, messages, i, batch, err));
        }
    }
    return flush_messages(reader, messages, reader->rows.count, batch, err);
}

/* ---- making and freeing ---- */

static void close_reader(weir_row_reader *self)
{
    if (self == NULL) {
        return;
    }
    json_reader *reader = (json_reader *)self;
    for (int32_t i = 0; i < reader->column_count; i++) {
        weir_json_column_free(&reader->columns[i]);
    }
    free(reader->columns);
    weir_json_events_free(&reader->events);
    weir_json_names_free(&reader->names);
    weir_json_rows_free(&reader->rows);
    weir_buffer_free(&reader->conversion.scratch);
    free((char *)reader->options.database_include);
    free((char *)reader->options.table_include);
    free(reader);
}

/* Columns of metadata come behind the others; times in it are milliseconds since 1970-01-01. */
static int init_reader(json_reader *reader, const weir_field *fields, weir_error *err)
{
    int32_t field_count = reader->names.count;
    for (int32_t i = 0; i < reader->column_count; i++) {
        const weir_field *field = i < field_count ? &fields[i] : &reader->options.metadata[i - field_count];
        WEIR_TRY(weir_json_column_init(&reader->columns[i], field->name, field->type, err));
        if (i >= field_count) {
            reader->columns[i].encoding = WEIR_JSON_EPOCH_MILLIS;
        }
    }
    return reader->take_event == NULL
               ? WEIR_OK
               : weir_json_events_init(&reader->events, &reader->options, &reader->names, reader->column_count, err);
}

int weir_json_open_reader(const weir_field *fields, int32_t field_count, const weir_json_read_options *options,
                          weir_row_reader **out, weir_error *err)
{
    json_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->base.read = read_rows;
    reader->base.read_messages = read_messages;
    reader->base.close = close_reader;
    reader->base.gives_changes = options->kind != WEIR_JSON_ROWS;
    reader->options = *options;
    reader->options.database_include =
        options->database_include == NULL ? NULL : weir_strdup(options->database_include);
    reader->options.table_include = options->table_include == NULL ? NULL : weir_strdup(options->table_include);
    reader->take_event = options->kind == WEIR_JSON_DEBEZIUM  ? weir_json_take_debezium
                         : options->kind == WEIR_JSON_CANAL   ? weir_json_take_canal
                         : options->kind == WEIR_JSON_MAXWELL ? weir_json_take_maxwell
                                                              : NULL;
    reader->column_count = field_count + options->metadata_count;
    reader->columns = weir_alloc_zeroed((size_t)reader->column_count, sizeof *reader->columns);
    reader->rows.width = reader->column_count;
    reader->conversion.options = &reader->options;
    weir_json_names_of_fields(&reader->names, fields, field_count);
    int code = init_reader(reader, fields, err);
    if (code != WEIR_OK) {
        close_reader(&reader->base);
        return code;
    }
    *out = &reader->base;
    return WEIR_OK;
}
