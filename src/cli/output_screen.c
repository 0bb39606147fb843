/* What tables and vertical rows share: cells as they are shown, colours, the pager. */
#include "cli/output.h"

#include "base/display.h"

#define NULL_TEXT "<NULL>"

void weir_screen_open(weir_screen *screen, const weir_output_options *options, const weir_result *result)
{
    *screen = (weir_screen){
        .options = options, .to = options->to, .has_colors = options->has_colors, .time_zone = result->time_zone};
}

void weir_screen_close(weir_screen *screen)
{
    weir_pager_close(&screen->pager);
    weir_buffer_free(&screen->out);
    weir_buffer_free(&screen->raw);
}

void weir_screen_expect(weir_screen *screen, int64_t lines)
{
    const weir_output_options *options = screen->options;
    if (options->before != NULL) {
        options->before(options->context);
    }
    fflush(options->to);
    /* The prompt and the line after the result want room, too. */
    bool is_long = options->height > 0 && lines > options->height - 3;
    if (options->pages && is_long && weir_pager_open(&screen->pager)) {
        screen->to = screen->pager.to;
        screen->has_colors = screen->has_colors && screen->pager.takes_colors;
    }
}

bool weir_screen_flush(weir_screen *screen)
{
    bool written = true;
    if (screen->out.size > 0) {
        written = weir_output_put(screen->to, screen->out.data, screen->out.size);
        weir_buffer_clear(&screen->out);
    }
    return written && (screen->pager.to == NULL || fflush(screen->to) == 0);
}

void weir_screen_cell(weir_screen *screen, const weir_vector *column, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(column, row)) {
        weir_buffer_append_text(out, NULL_TEXT);
        return;
    }
    weir_buffer_clear(&screen->raw);
    weir_output_cell(column, row, screen->time_zone, &screen->raw);
    weir_display_escape(weir_buffer_slice(&screen->raw), out);
}

void weir_screen_pad(weir_screen *screen, weir_slice text, int width, bool right, const char *color)
{
    bool has_color = screen->has_colors;
    if (has_color && color == NULL && weir_slice_equal(text, weir_slice_text(NULL_TEXT))) {
        color = WEIR_OUTPUT_DIM;
    }
    has_color = has_color && color != NULL;
    weir_buffer_append_text(&screen->out, has_color ? color : "");
    weir_display_pad(text, width, right, &screen->out);
    weir_buffer_append_text(&screen->out, has_color ? WEIR_OUTPUT_PLAIN : "");
}

/* ---- pages ---- */

/* Line by line, so that nothing in it controls the terminal. */
static void append_page(weir_screen *screen, weir_slice text)
{
    int64_t lines = 0;
    for (size_t i = 0; i < text.size; i++) {
        lines += text.data[i] == '\n' ? 1 : 0;
    }
    weir_screen_expect(screen, lines);
    for (size_t at = 0; at < text.size;) {
        const uint8_t *newline = memchr(text.data + at, '\n', text.size - at);
        size_t end = newline == NULL ? text.size : (size_t)(newline - text.data);
        weir_display_escape(weir_slice_of(text.data + at, end - at), &screen->out);
        weir_buffer_append_byte(&screen->out, '\n');
        at = end + 1;
    }
}

int weir_output_page(weir_result *result, const weir_output_options *options, weir_output_summary *out, weir_error *err)
{
    weir_screen screen;
    weir_batch batch;
    weir_screen_open(&screen, options, result);
    weir_batch_init(&batch, result->fields, result->field_count);
    int code = result->next(result, &batch, err);
    if (code == WEIR_OK) {
        out->rows = 1;
        append_page(&screen, weir_vector_bytes(batch.columns, 0));
        out->was_left = !weir_screen_flush(&screen);
    }
    weir_batch_free(&batch);
    weir_screen_close(&screen);
    return code;
}
