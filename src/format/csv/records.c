/* Finding where fields and records end, and resolving their quotes and escapes. */
#include "format/csv/records.h"

#include "base/json.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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
static const uint8_t *copy_field(weir_csv_records *records, const uint8_t *at, const uint8_t *end, bool *has_others)
{
    const char delimiter = records->options.delimiter;
    const char escape = records->options.escape;
    weir_buffer *to = &records->texts;
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
static bool take_escaped(weir_csv_records *records, weir_csv_cursor *cursor)
{
    cursor->at++;
    if (cursor->at >= cursor->end) {
        cursor->cut = true;
        return false;
    }
    weir_buffer_append_byte(&records->texts, unescape(*cursor->at++));
    return true;
}

/* Takes the field in quotes whose opening quote is at `at`, and the blanks after it. */
static bool take_quoted(weir_csv_records *records, weir_csv_cursor *cursor)
{
    uint8_t quote = (uint8_t)records->options.quote;
    uint8_t escape = (uint8_t)records->options.escape;
    cursor->at++;
    for (;;) {
        const uint8_t *start = cursor->at;
        while (cursor->at < cursor->end && *cursor->at != quote && (escape == 0 || *cursor->at != escape)) {
            cursor->at++;
        }
        weir_buffer_append(&records->texts, start, (size_t)(cursor->at - start));
        if (cursor->at >= cursor->end) {
            cursor->cut = true;
            return false;
        }
        if (*cursor->at != quote) {
            if (!take_escaped(records, cursor)) {
                return false;
            }
        } else if (cursor->at[1] == quote) {
            weir_buffer_append_byte(&records->texts, quote);
            cursor->at += 2;
        } else {
            break;
        }
    }
    cursor->at++;
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t') &&
           *cursor->at != (uint8_t)records->options.delimiter) {
        cursor->at++;
    }
    return true;
}

static inline bool take_unquoted(weir_csv_records *records, weir_csv_cursor *cursor, bool *has_others)
{
    for (;;) {
        cursor->at = copy_field(records, cursor->at, cursor->end, has_others);
        if (cursor->at == cursor->end || records->options.escape == 0 ||
            *cursor->at != (uint8_t)records->options.escape) {
            return true;
        }
        *has_others = true;
        if (!take_escaped(records, cursor)) {
            return false;
        }
    }
}

/* ---- fields of arrays and rows ---- */

/* Makes of the text from `start` on, which is a list of elements, a JSON array of strings, or the object of a row. */
static void make_list(weir_csv_records *records, const weir_json_column *column, size_t start)
{
    const char *delimiter = records->options.array_delimiter;
    const char *null_literal = records->options.null_literal;
    bool is_row = column->type->id == WEIR_ROW;
    weir_buffer *list = &records->list;
    weir_buffer_clear(list);
    weir_buffer_append_byte(list, is_row ? '{' : '[');
    const uint8_t *at = records->texts.data + start;
    const uint8_t *end = records->texts.data + records->texts.size;
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
    records->texts.size = start;
    weir_buffer_append(&records->texts, list->data, list->size);
}

/* The span of the field whose text begins at `start` of records->texts. */
static weir_json_span finish_field(weir_csv_records *records, const weir_json_column *column, size_t start,
                                   bool has_others)
{
    const char *null_literal = records->options.null_literal;
    size_t size = records->texts.size - start;
    const uint8_t *text = records->texts.data + start;
    weir_json_span span = {
        .offset = (uint32_t)start, .size = (uint32_t)size, .token = WEIR_JSON_STRING, .has_others = has_others};
    if (null_literal != NULL && size == strlen(null_literal) && memcmp(text, null_literal, size) == 0) {
        span.token = WEIR_JSON_NULL;
    } else if (weir_type_is_nested(column->type)) {
        make_list(records, column, start);
        span.token = column->type->id == WEIR_ROW ? WEIR_JSON_OBJECT : WEIR_JSON_ARRAY;
        span.size = (uint32_t)(records->texts.size - start);
        span.has_others = false;
    }
    return span;
}

/* ---- records ---- */

/* Moves over the end of the line at `at`, if there is one. */
static void skip_line_end(weir_csv_cursor *cursor)
{
    if (cursor->at < cursor->end && *cursor->at == '\r') {
        cursor->at++;
    }
    if (cursor->at < cursor->end && *cursor->at == '\n') {
        cursor->at++;
    }
}

static bool at_line_end(const weir_csv_cursor *cursor)
{
    return cursor->at >= cursor->end || *cursor->at == '\n' || *cursor->at == '\r';
}

/* Takes the fields of one record and its line end, into a new row. False: it is cut or wrong. */
static bool take_fields(weir_csv_records *records, weir_csv_cursor *cursor)
{
    weir_json_span *spans = weir_json_rows_add(&records->rows, WEIR_INSERT);
    int32_t count = 0;
    for (;;) {
        size_t start = records->texts.size;
        bool has_others = false;
        bool is_quoted =
            !records->options.no_quote && cursor->at < cursor->end && *cursor->at == (uint8_t)records->options.quote;
        if (!(is_quoted ? take_quoted(records, cursor) : take_unquoted(records, cursor, &has_others))) {
            return false;
        }
        if (is_quoted) {
            has_others = has_high_bytes(records->texts.data + start, records->texts.size - start);
        }
        bool is_last = at_line_end(cursor);
        if (!is_last && *cursor->at != (uint8_t)records->options.delimiter) {
            cursor->wrong = "text after a closing quote";
            return false;
        }
        if (count < records->column_count) {
            spans[count] = finish_field(records, &records->columns[count], start, has_others);
            count++;
        } else if (!is_last || records->texts.size > start) { /* a delimiter may end a record */
            cursor->wrong = "more fields than the table has columns";
            return false;
        }
        if (is_last) {
            break;
        }
        cursor->at++;
    }
    if (count < records->column_count && !records->options.ignore_parse_errors) {
        cursor->wrong = "fewer fields than the table has columns";
        return false;
    }
    for (; count < records->column_count; count++) {
        spans[count] = (weir_json_span){.token = WEIR_JSON_NULL};
    }
    skip_line_end(cursor);
    return true;
}

/* A record that reaches up to the end of the text may go on after it. */
static bool is_whole(const weir_csv_cursor *cursor)
{
    return cursor->at < cursor->end || cursor->is_end || cursor->at[-1] == '\n';
}

bool weir_csv_take_record(weir_csv_records *records, weir_csv_cursor *cursor)
{
    size_t texts = records->texts.size;
    cursor->cut = false;
    cursor->wrong = NULL;
    bool taken = take_fields(records, cursor);
    if (cursor->cut) {
        cursor->wrong = "a quote that is not closed";
    } else if (!is_whole(cursor)) {
        cursor->cut = true;
        taken = false;
    }
    if (!taken) {
        records->rows.count--;
        records->texts.size = texts;
    }
    return taken;
}

void weir_csv_records_clear(weir_csv_records *records)
{
    records->rows.count = 0;
    weir_buffer_clear(&records->texts);
}

void weir_csv_records_free(weir_csv_records *records)
{
    weir_json_rows_free(&records->rows);
    weir_buffer_free(&records->texts);
    weir_buffer_free(&records->list);
}
