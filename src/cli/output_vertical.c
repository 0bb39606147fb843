/* Results with a line a value, for rows that are too wide for a table:
 *
 *   ── row 1 ──
 *     id: 1
 *   name: Ada
 */
#include "base/clock.h"
#include "base/display.h"
#include "cli/output.h"

static int widest_name(const weir_result *result)
{
    int width = 0;
    for (int32_t c = 0; c < result->field_count; c++) {
        int one = weir_display_width(weir_slice_text(result->fields[c].name));
        width = one > width ? one : width;
    }
    return width;
}

static void append_row(weir_screen *screen, const weir_result *result, const weir_batch *batch, int64_t row,
                       int64_t number)
{
    int width = widest_name(result);
    weir_buffer cell = {0};
    weir_buffer_append_format(&cell, "── row %" PRId64 " ──", number);
    weir_screen_pad(screen, weir_buffer_slice(&cell), weir_display_width(weir_buffer_slice(&cell)), false,
                    WEIR_OUTPUT_DIM);
    weir_buffer_append_byte(&screen->out, '\n');
    for (int32_t c = 0; c < result->field_count; c++) {
        weir_screen_pad(screen, weir_slice_text(result->fields[c].name), width, true, WEIR_OUTPUT_BOLD);
        weir_buffer_append_text(&screen->out, ": ");
        weir_buffer_clear(&cell);
        weir_screen_cell(screen, &batch->columns[c], row, &cell);
        weir_screen_pad(screen, weir_buffer_slice(&cell), weir_display_width(weir_buffer_slice(&cell)), false, NULL);
        weir_buffer_append_byte(&screen->out, '\n');
    }
    weir_buffer_free(&cell);
}

static int print_result(weir_screen *screen, weir_result *result, weir_batch *batch, weir_output_summary *out,
                        weir_error *err)
{
    int64_t most = screen->options->most_rows;
    int code;
    while ((code = result->next(result, batch, err)) == WEIR_OK) {
        if (out->rows == 0) {
            weir_screen_expect(screen, batch->length * (result->field_count + 1));
        }
        for (int64_t row = 0; row < batch->length; row++) {
            out->rows++;
            if (most == 0 || out->rows <= most) {
                append_row(screen, result, batch, row, out->rows);
            } else {
                out->hidden_rows++;
            }
        }
        if (!weir_screen_flush(screen)) {
            out->was_left = true;
            return WEIR_OK;
        }
    }
    return code == WEIR_END ? WEIR_OK : code;
}

int weir_output_vertical(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                         weir_error *err)
{
    weir_screen screen;
    weir_batch batch;
    weir_screen_open(&screen, options, result);
    weir_batch_init(&batch, result->fields, result->field_count);
    int code = print_result(&screen, result, &batch, out, err);
    out->ended_ns = weir_monotonic_ns();
    weir_batch_free(&batch);
    weir_screen_close(&screen);
    return code;
}
