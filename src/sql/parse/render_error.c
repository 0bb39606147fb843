/* Showing an error with the line of SQL that it points at, and a caret. */
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

void weir_sql_render_error(const char *text, size_t size, const weir_error *err, weir_buffer *out)
{
    if (err->line <= 0) {
        weir_buffer_append_format(out, "%s\n", err->message);
        return;
    }
    weir_buffer_append_format(out, "line %d, column %d: %s\n", err->line, err->column, err->message);
    weir_slice line = find_line(text, size, err->line);
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
    weir_buffer_append(out, line.data + from, to - from);
    weir_buffer_append_text(out, "\n  ");
    for (size_t i = from; i < before; i++) {
        if (line.data[i] == '\t') {
            weir_buffer_append_byte(out, '\t');
        } else if ((line.data[i] & 0xC0) != 0x80) {
            weir_buffer_append_byte(out, ' ');
        }
    }
    weir_buffer_append_text(out, "^\n");
}
