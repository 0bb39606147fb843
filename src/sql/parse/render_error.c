/* Showing an error with the line of SQL that it points at, and a caret. Secrets are not shown (secrets.c). */
#include "base/display.h"
#include "base/text.h"
#include "sql/parser.h"

/* The bytes of a line, without its end. */
static weir_slice find_line(const char *text, size_t size, int32_t line)
{
    const char *from = text;
    const char *end = text + size;
    for (int32_t i = 1; i < line; i++) {
        const char *newline = memchr(from, '\n', (size_t)(end - from));
        if (newline == NULL) {
            return weir_slice_of(end, 0);
        }
        from = newline + 1;
    }
    const char *newline = memchr(from, '\n', (size_t)(end - from));
    const char *to = newline == NULL ? end : newline;
    if (to > from && to[-1] == '\r') {
        to--;
    }
    return weir_slice_of(from, (size_t)(to - from));
}

/* A piece of the text as a terminal can be told it: a script may hold anything. Tabs stay. */
static void append_piece(weir_slice text, weir_buffer *out)
{
    for (size_t at = 0; at < text.size;) {
        const uint8_t *tab = memchr(text.data + at, '\t', text.size - at);
        size_t end = tab == NULL ? text.size : (size_t)(tab - text.data);
        weir_display_escape(weir_slice_of(text.data + at, end - at), out);
        weir_buffer_append_text(out, tab == NULL ? "" : "\t");
        at = end + (tab != NULL);
    }
}

/* Blanks as wide as what stands above them. */
static void append_blanks(weir_slice shown, weir_buffer *out)
{
    for (size_t at = 0; at < shown.size;) {
        const uint8_t *tab = memchr(shown.data + at, '\t', shown.size - at);
        size_t end = tab == NULL ? shown.size : (size_t)(tab - shown.data);
        int width = weir_display_width(weir_slice_of(shown.data + at, end - at));
        weir_buffer_append_format(out, "%*s%s", width, "", tab == NULL ? "" : "\t");
        at = end + (tab != NULL);
    }
}

/* Messages have lines of their own, and quote what was found. */
static void append_message(const char *message, weir_buffer *out)
{
    const char *line = message;
    for (;;) {
        size_t size = strcspn(line, "\n");
        append_piece(weir_slice_of(line, size), out);
        weir_buffer_append_byte(out, '\n');
        if (line[size] == '\0') {
            return;
        }
        line += size + 1;
    }
}

static void append_line(weir_slice line, const weir_error *err, weir_buffer *out)
{
    size_t before = weir_utf8_prefix(line, (size_t)(err->column > 0 ? err->column - 1 : 0));
    /* A long line is cut to what surrounds the caret. */
    enum { shown_before = 100, shown_after = 60 };
    size_t from = 0;
    if (before > shown_before) {
        from = before - shown_before;
        while (from < before && (line.data[from] & 0xC0) == 0x80) {
            from++;
        }
    }
    weir_slice after = weir_slice_of(line.data + before, line.size - before);
    size_t to = before + weir_utf8_prefix(after, shown_after);
    weir_buffer_append_text(out, "  ");
    size_t shown_from = out->size;
    append_piece(weir_slice_of(line.data + from, before - from), out);
    size_t shown_before_size = out->size - shown_from;
    append_piece(weir_slice_of(line.data + before, to - before), out);
    weir_buffer_append_text(out, "\n  ");
    weir_buffer blanks = {0};
    append_blanks(weir_slice_of(out->data + shown_from, shown_before_size), &blanks);
    weir_buffer_append(out, blanks.data, blanks.size);
    weir_buffer_append_text(out, "^\n");
    weir_buffer_free(&blanks);
}

void weir_sql_render_error(const char *text, size_t size, const weir_error *err, weir_buffer *out)
{
    if (err->line <= 0) {
        append_message(err->message, out);
        return;
    }
    weir_buffer_append_format(out, "line %d, column %d: ", err->line, err->column);
    append_message(err->message, out);
    weir_buffer shown = {0};
    weir_sql_append_without_secrets(weir_slice_of(text, size), true, &shown);
    append_line(find_line(weir_buffer_text(&shown), shown.size, err->line), err, out);
    weir_buffer_free(&shown);
}
