/* A reader of CSV.
 *
 * The fields of some hundred records are copied, quotes and escapes resolved, into one buffer of text, and are then
 * strings of JSON as far as the converters of columns are concerned. */
#include <stdlib.h>

#include "base/json.h"
#include "base/text.h"
#include "format/csv/csv.h"
#include "format/json/column.h"
#include "format/json/rows.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ROWS_AT_ONCE 512
#define TEXT_AT_ONCE ((size_t)1 << 28) /* so that offsets into the text stay within 32 bits */

#define FIRST_LINE_SKIPPED 1 /* of weir_row_reader.state */

typedef struct csv_reader {
    weir_row_reader base;
    weir_csv_options options;
    weir_json_read_options json_options;
    weir_json_column *columns;
    int32_t column_count;
    weir_json_rows rows;
    weir_buffer texts; /* of the rows' fields */
    size_t *starts;    /* where in the text each row begins */
    size_t start_capacity;
    weir_json_conversion conversion;
    weir_buffer scratch;
} csv_reader;

/* Where a record is being read. */
typedef struct csv_cursor {
    const uint8_t *at;
    const uint8_t *end;
    bool cut;          /* the text ends within the record */
    const char *wrong; /* what is wrong with the record; NULL: nothing */
} csv_cursor;

/* ---- fields ---- */

static bool has_high_bytes(const uint8_t *text, size_t size)
{
    uint8_t bits = 0;
    for (size_t i = 0; i < size; i++) {
        bits |= text[i];
    }
    return bits >= 0x80;
}

/* Copies bytes up to the first one that may end an unquoted field, or up to `end`; tells whether there was one above
 * 0x7F. Sixteen bytes at a time, which may run over the end of both. */
static const uint8_t *copy_field(csv_reader *reader, const uint8_t *at, const uint8_t *end, bool *has_others)
{
    const char delimiter = reader->options.delimiter;
    const char escape = reader->options.escape;
    weir_buffer *to = &reader->texts;
#if defined(__SSE2__)
    const __m128i delimiters = _mm_set1_epi8(delimiter);
    const __m128i escapes = _mm_set1_epi8(escape == 0 ? '\n' : escape);
    const __m128i newlines = _mm_set1_epi8('\n');
    const __m128i returns = _mm_set1_epi8('\r');
    for (;;) {
        if (to->capacity - to->size < 16) {
            weir_buffer_reserve(to, 16);
        }
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i hits = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, delimiters), _mm_cmpeq_epi8(bytes, escapes)),
                                    _mm_or_si128(_mm_cmpeq_epi8(bytes, newlines), _mm_cmpeq_epi8(bytes, returns)));
        _mm_storeu_si128((__m128i *)(void *)(to->data + to->size), bytes);
        unsigned hit = (unsigned)_mm_movemask_epi8(hits);
        unsigned high = (unsigned)_mm_movemask_epi8(bytes);
        size_t size = hit == 0 ? 16 : (size_t)__builtin_ctz(hit);
        size = size < (size_t)(end - at) ? size : (size_t)(end - at);
        *has_others |= (high & ((1u << size) - 1)) != 0;
        to->size += size;
        at += size;
        if (size < 16) {
            return at;
        }
    }
#else
    const uint8_t *start = at;
    while (at < end && *at != (uint8_t)delimiter && *at != '\n' && *at != '\r' &&
           (escape == 0 || *at != (uint8_t)escape)) {
        at++;
    }
    weir_buffer_append(to, start, (size_t)(at - start));
    *has_others |= has_high_bytes(start, (size_t)(at - start));
    return at;
#endif
}

/* What an escaped byte stands for. */
static uint8_t unescape(uint8_t byte)
{
    switch (byte) {
    case '0':
        return '\0';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return byte;
    }
}

/* Takes the byte after an escape, whose position is `at`. */
static bool take_escaped(csv_reader *reader, csv_cursor *cursor)
{
    cursor->at++;
    if (cursor->at >= cursor->end) {
        cursor->cut = true;
        return false;
    }
    weir_buffer_append_byte(&reader->texts, unescape(*cursor->at++));
    return true;
}

/* Takes the field in quotes whose opening quote is at `at`, and the blanks after it. */
static bool take_quoted(csv_reader *reader, csv_cursor *cursor)
{
    uint8_t quote = (uint8_t)reader->options.quote;
    uint8_t escape = (uint8_t)reader->options.escape;
    cursor->at++;
    for (;;) {
        const uint8_t *start = cursor->at;
        while (cursor->at < cursor->end && *cursor->at != quote && (escape == 0 || *cursor->at != escape)) {
            cursor->at++;
        }
        weir_buffer_append(&reader->texts, start, (size_t)(cursor->at - start));
        if (cursor->at >= cursor->end) {
            cursor->cut = true;
            return false;
        }
        if (*cursor->at != quote) {
            if (!take_escaped(reader, cursor)) {
                return false;
            }
        } else if (cursor->at[1] == quote) {
            weir_buffer_append_byte(&reader->texts, quote);
            cursor->at += 2;
        } else {
            break;
        }
    }
    cursor->at++;
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t') &&
           *cursor->at != (uint8_t)reader->options.delimiter) {
        cursor->at++;
    }
    return true;
}

static inline bool take_unquoted(csv_reader *reader, csv_cursor *cursor, bool *has_others)
{
    for (;;) {
        cursor->at = copy_field(reader, cursor->at, cursor->end, has_others);
        if (cursor->at == cursor->end || reader->options.escape == 0 ||
            *cursor->at != (uint8_t)reader->options.escape) {
            return true;
        }
        *has_others = true;
        if (!take_escaped(reader, cursor)) {
            return false;
        }
    }
}

/* ---- fields of arrays and rows ---- */

/* Makes of the text from `start` on, which is a list of elements, a JSON array of strings, or the object of a row. */
static void make_list(csv_reader *reader, const weir_json_column *column, size_t start)
{
    const char *delimiter = reader->options.array_delimiter;
    const char *null_literal = reader->options.null_literal;
    bool is_row = column->type->id == WEIR_ROW;
    weir_buffer *list = &reader->scratch;
    weir_buffer_clear(list);
    weir_buffer_append_byte(list, is_row ? '{' : '[');
    const uint8_t *at = reader->texts.data + start;
    const uint8_t *end = reader->texts.data + reader->texts.size;
    for (int32_t i = 0; at < end && (!is_row || i < column->child_count); i++) {
        const uint8_t *stop = memmem(at, (size_t)(end - at), delimiter, strlen(delimiter));
        weir_slice element = weir_slice_of(at, (size_t)((stop == NULL ? end : stop) - at));
        weir_buffer_append_text(list, i == 0 ? "" : ",");
        if (is_row) {
            weir_json_write_string(weir_slice_text(column->children[i].name), list);
            weir_buffer_append_byte(list, ':');
        }
        if (null_literal != NULL && weir_slice_equal(element, weir_slice_text(null_literal))) {
            weir_buffer_append_text(list, "null");
        } else {
            weir_json_write_string(element, list);
        }
        at = stop == NULL ? end : stop + strlen(delimiter);
    }
    weir_buffer_append_byte(list, is_row ? '}' : ']');
    reader->texts.size = start;
    weir_buffer_append(&reader->texts, list->data, list->size);
}

/* The span of the field whose text begins at `start` of reader->texts. */
static weir_json_span finish_field(csv_reader *reader, const weir_json_column *column, size_t start, bool has_others)
{
    const char *null_literal = reader->options.null_literal;
    size_t size = reader->texts.size - start;
    const uint8_t *text = reader->texts.data + start;
    weir_json_span span = {
        .offset = (uint32_t)start, .size = (uint32_t)size, .token = WEIR_JSON_STRING, .has_others = has_others};
    if (null_literal != NULL && size == strlen(null_literal) && memcmp(text, null_literal, size) == 0) {
        span.token = WEIR_JSON_NULL;
    } else if (weir_type_is_nested(column->type)) {
        make_list(reader, column, start);
        span.token = column->type->id == WEIR_ROW ? WEIR_JSON_OBJECT : WEIR_JSON_ARRAY;
        span.size = (uint32_t)(reader->texts.size - start);
        span.has_others = false;
    }
    return span;
}

/* ---- records ---- */

/* Moves over the end of the line at `at`, if there is one. */
static void skip_line_end(csv_cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '\r') {
        cursor->at++;
    }
    if (cursor->at < cursor->end && *cursor->at == '\n') {
        cursor->at++;
    }
}

static bool at_line_end(const csv_cursor *cursor)
{
    return cursor->at >= cursor->end || *cursor->at == '\n' || *cursor->at == '\r';
}

/* Takes one record, its line end included. False: it is cut or wrong. */
static bool take_record(csv_reader *reader, csv_cursor *cursor)
{
    weir_json_span *spans = weir_json_rows_add(&reader->rows, WEIR_INSERT);
    int32_t count = 0;
    for (;;) {
        size_t start = reader->texts.size;
        bool has_others = false;
        bool is_quoted =
            !reader->options.no_quote && cursor->at < cursor->end && *cursor->at == (uint8_t)reader->options.quote;
        if (!(is_quoted ? take_quoted(reader, cursor) : take_unquoted(reader, cursor, &has_others))) {
            return false;
        }
        if (is_quoted) {
            has_others = has_high_bytes(reader->texts.data + start, reader->texts.size - start);
        }
        bool is_last = at_line_end(cursor);
        if (!is_last && *cursor->at != (uint8_t)reader->options.delimiter) {
            cursor->wrong = "text after a closing quote";
            return false;
        }
        if (count < reader->column_count) {
            spans[count] = finish_field(reader, &reader->columns[count], start, has_others);
            count++;
        } else if (!is_last || reader->texts.size > start) { /* a delimiter may end a record */
            cursor->wrong = "more fields than the table has columns";
            return false;
        }
        if (is_last) {
            break;
        }
        cursor->at++;
    }
    if (count < reader->column_count && !reader->options.ignore_parse_errors) {
        cursor->wrong = "fewer fields than the table has columns";
        return false;
    }
    for (; count < reader->column_count; count++) {
        spans[count] = (weir_json_span){.token = WEIR_JSON_NULL};
    }
    skip_line_end(cursor);
    return true;
}

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
    while (row + 1 < reader->rows.count && reader->rows.spans[(row + 1) * reader->column_count].offset <= span.offset) {
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
                  (const char *)reader->texts.data + span.offset, weir_buffer_text(&type));
    weir_buffer_free(&type);
    return code;
}

/* ---- reading ---- */

static bool has_bad_value(const csv_reader *reader)
{
    return reader->conversion.bad_column != NULL && !reader->options.ignore_parse_errors;
}

/* Converts the rows taken. `path`: for messages. */
static int convert_rows(csv_reader *reader, const char *path, weir_batch *batch, weir_error *err)
{
    int64_t count = reader->rows.count;
    weir_buffer_append_zeros(&reader->texts, WEIR_ROW_TEXT_PADDING);
    reader->conversion.base = reader->texts.data;
    reader->conversion.bad_column = NULL;
    for (int32_t i = 0; i < reader->column_count && count > 0; i++) {
        WEIR_TRY_CTX(weir_json_convert(&reader->conversion, &reader->columns[i], reader->rows.spans + i,
                                       reader->column_count, count, &batch->columns[i], err),
                     err, "%s: field '%s'", path, reader->columns[i].name);
    }
    batch->length += count;
    return WEIR_OK;
}

static void forget_rows(csv_reader *reader)
{
    reader->rows.count = 0;
    weir_buffer_clear(&reader->texts);
}

static int flush_rows(csv_reader *reader, const weir_row_text *text, weir_batch *batch, weir_error *err)
{
    WEIR_TRY(convert_rows(reader, text->path, batch, err));
    if (has_bad_value(reader)) {
        return fail_value(reader, text, text->data + bad_record_start(reader), err);
    }
    forget_rows(reader);
    return WEIR_OK;
}

/* Moves past the line at `at`; false: its end is not in the text yet. */
static bool skip_line(const weir_row_text *text, csv_cursor *cursor)
{
    const uint8_t *newline = memchr(cursor->at, '\n', (size_t)(cursor->end - cursor->at));
    if (newline == NULL && !text->is_end) {
        return false;
    }
    cursor->at = newline == NULL ? cursor->end : newline + 1;
    return true;
}

/* Passes over comments and a first line that is to be ignored; false: more text is needed. */
static bool skip_other_lines(csv_reader *reader, const weir_row_text *text, csv_cursor *cursor)
{
    if (reader->options.ignore_first_line && (reader->base.state & FIRST_LINE_SKIPPED) == 0) {
        if (!skip_line(text, cursor)) {
            return false;
        }
        reader->base.state |= FIRST_LINE_SKIPPED;
    }
    while (reader->options.allow_comments && cursor->at < cursor->end && *cursor->at == '#') {
        if (!skip_line(text, cursor)) {
            return false;
        }
    }
    return cursor->at < cursor->end;
}

/* A record that reaches up to the end of the text may go on after it. */
static bool is_whole(const weir_row_text *text, const csv_cursor *cursor)
{
    return cursor->at < cursor->end || text->is_end || cursor->at[-1] == '\n';
}

static int read_rows(weir_row_reader *self, const weir_row_text *text, int64_t most_rows, weir_batch *batch,
                     size_t *out_used, weir_error *err)
{
    csv_reader *reader = (csv_reader *)self;
    csv_cursor cursor = {.at = text->data, .end = text->data + text->size};
    reader->rows.count = 0;
    weir_buffer_clear(&reader->texts);
    while (batch->length + reader->rows.count < most_rows && skip_other_lines(reader, text, &cursor)) {
        const uint8_t *record = cursor.at;
        size_t texts = reader->texts.size;
        WEIR_GROW(reader->starts, reader->start_capacity, reader->rows.count + 1);
        reader->starts[reader->rows.count] = (size_t)(record - text->data);
        cursor.cut = false;
        cursor.wrong = NULL;
        bool taken = take_record(reader, &cursor);
        if (!is_whole(text, &cursor)) {
            taken = false;
            cursor.cut = true;
        }
        if (taken) {
            if (reader->rows.count >= ROWS_AT_ONCE || reader->texts.size >= TEXT_AT_ONCE) {
                WEIR_TRY(flush_rows(reader, text, batch, err));
            }
            continue;
        }
        reader->rows.count--;
        reader->texts.size = texts;
        if (cursor.cut && !text->is_end) {
            cursor.at = record;
            break;
        }
        if (!reader->options.ignore_parse_errors) {
            return fail_record(text, record, cursor.cut ? "a quote that is not closed" : cursor.wrong,
                               reader->column_count, err);
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
    int code = wrong != NULL ? fail_record(&text, text.data, wrong, reader->column_count, err)
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
    forget_rows(reader);
    return WEIR_OK;
}

/* A message is a record; what follows a line end in it is not looked at, as in Flink. */
static int read_message(csv_reader *reader, const weir_row_messages *messages, int64_t i, weir_error *err)
{
    const uint8_t *start = messages->data + messages->starts[i];
    csv_cursor cursor = {.at = start, .end = start + weir_row_message_size(messages, i)};
    size_t texts = reader->texts.size;
    if (reader->options.allow_comments && *start == '#') {
        return WEIR_OK;
    }
    WEIR_GROW(reader->starts, reader->start_capacity, reader->rows.count + 1);
    reader->starts[reader->rows.count] = messages->starts[i];
    if (take_record(reader, &cursor)) {
        messages->row_counts[i] = 1;
        return WEIR_OK;
    }
    reader->rows.count--;
    reader->texts.size = texts;
    return reader->options.ignore_parse_errors
               ? WEIR_OK
               : fail_message(reader, messages, i, cursor.cut ? "a quote that is not closed" : cursor.wrong, err);
}

static int read_messages(weir_row_reader *self, const weir_row_messages *messages, weir_batch *batch, weir_error *err)
{
    csv_reader *reader = (csv_reader *)self;
    forget_rows(reader);
    for (int64_t i = 0; i < messages->count; i++) {
        messages->row_counts[i] = 0;
        if (weir_row_message_is_null(messages, i)) {
            continue;
        }
        WEIR_TRY(read_message(reader, messages, i, err));
        if (reader->rows.count >= ROWS_AT_ONCE || reader->texts.size >= TEXT_AT_ONCE) {
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
    for (int32_t i = 0; i < reader->column_count; i++) {
        weir_json_column_free(&reader->columns[i]);
    }
    free(reader->columns);
    free(reader->starts);
    weir_json_rows_free(&reader->rows);
    weir_buffer_free(&reader->texts);
    weir_buffer_free(&reader->scratch);
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
    for (int32_t i = 0; i < reader->column_count; i++) {
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
    reader->options = *options;
    reader->options.delimiter = options->delimiter == 0 ? ',' : options->delimiter;
    reader->options.quote = options->quote == 0 ? '"' : options->quote;
    reader->options.array_delimiter = options->array_delimiter == NULL ? ";" : options->array_delimiter;
    reader->columns = weir_alloc_zeroed((size_t)field_count, sizeof *reader->columns);
    reader->column_count = field_count;
    reader->rows.width = field_count;
    reader->conversion.options = &reader->json_options;
    int code = init_columns(reader, fields, err);
    if (code != WEIR_OK) {
        close_reader(&reader->base);
        return code;
    }
    *out = &reader->base;
    return WEIR_OK;
}
