/* Results as a table in a box:
 *
 *   ┌────┬───────┐
 *   │ id │ name  │
 *   ├────┼───────┤
 *   │  1 │ Ada   │
 *   │  2 │ <NULL>│   numbers to the right, the rest to the left
 *   └────┴───────┘
 *
 * The first rows are kept to find the widths of the columns; later ones are printed as they come. On a terminal what is
 * too wide is cut: texts first; then columns in the middle are left out. Numbers are never cut, and in a file nothing
 * is. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/display.h"
#include "cli/output.h"

#define ROWS_FOR_WIDTHS 1000
#define SLOW_WIDTH      16 /* of columns whose rows come one after the other, at least */
#define LEAST_WIDTH     8  /* to which texts are cut before columns are left out */

typedef struct column {
    int width;
    int least; /* it is not made narrower than that */
    bool right;
    bool whole; /* its cells are not cut */
    bool hidden;
} column;

typedef struct table_printer {
    weir_screen screen;
    weir_result *result;
    column *columns;
    int32_t count;
    int32_t first_hidden; /* -1: none */
    /* Cells of the rows that are kept. */
    weir_buffer cells;
    size_t *ends;
    size_t cell_count;
    size_t cell_capacity;
    weir_buffer cell;
} table_printer;

/* ---- lines ---- */

static bool is_shown(const table_printer *printer, int32_t c)
{
    return !printer->columns[c].hidden || c == printer->first_hidden;
}

static int width_of(const table_printer *printer, int32_t c)
{
    return c == printer->first_hidden ? 1 : printer->columns[c].width;
}

static void append_rule(table_printer *printer, const char *left, const char *middle, const char *right)
{
    weir_buffer *out = &printer->screen.out;
    for (int32_t c = 0; c < printer->count; c++) {
        if (!is_shown(printer, c)) {
            continue;
        }
        weir_buffer_append_text(out, c == 0 ? left : middle);
        for (int i = 0; i < width_of(printer, c) + 2; i++) {
            weir_buffer_append_text(out, "─");
        }
    }
    weir_buffer_append_format(out, "%s\n", right);
}

/* The width of a cell: what came after the widths were found, and is not to be cut, goes beyond its column. */
static int cell_width(const table_printer *printer, int32_t c, weir_slice text)
{
    int width = width_of(printer, c);
    int actual = printer->columns[c].whole && !printer->columns[c].hidden ? weir_display_width(text) : 0;
    return actual > width ? actual : width;
}

static void append_field(table_printer *printer, int32_t c, weir_slice text, int width, const char *color)
{
    weir_buffer *out = &printer->screen.out;
    if (is_shown(printer, c)) {
        weir_buffer_append_text(out, c == 0 ? "│ " : " │ ");
        weir_screen_pad(&printer->screen, c == printer->first_hidden ? weir_slice_text("…") : text, width,
                        printer->columns[c].right, color);
    }
    if (c == printer->count - 1) {
        weir_buffer_append_text(out, " │\n");
    }
}

static void append_value(table_printer *printer, int32_t c, weir_slice text)
{
    append_field(printer, c, text, cell_width(printer, c, text), NULL);
}

static void append_header(table_printer *printer)
{
    append_rule(printer, "┌", "┬", "┐");
    for (int32_t c = 0; c < printer->count; c++) {
        weir_buffer_clear(&printer->cell);
        weir_display_escape(weir_slice_text(printer->result->fields[c].name), &printer->cell);
        append_field(printer, c, weir_buffer_slice(&printer->cell), width_of(printer, c), WEIR_OUTPUT_BOLD);
    }
    append_rule(printer, "├", "┼", "┤");
}

/* ---- widths ---- */

static int total_width(const table_printer *printer, bool least)
{
    int total = 1;
    for (int32_t c = 0; c < printer->count; c++) {
        if (is_shown(printer, c)) {
            total += (c == printer->first_hidden ? 1
                      : least                    ? printer->columns[c].least
                                                 : printer->columns[c].width) +
                     3;
        }
    }
    return total;
}

/* Leaves out columns in the middle until the others fit when they are cut; two always stay. */
static void hide_columns(table_printer *printer, int width)
{
    int32_t shown = printer->count;
    int32_t after = (printer->count + 1) / 2; /* the first column after those that are left out */
    int32_t before = after;                   /* the first one that is left out */
    while (shown > 2 && total_width(printer, true) > width) {
        bool takes_left = before > printer->count - after;
        int32_t c = takes_left ? --before : after++;
        printer->columns[c].hidden = true;
        printer->first_hidden = before;
        shown--;
    }
}

/* Takes from the widest column that may get narrower until the table fits. */
static void cut_columns(table_printer *printer, int width)
{
    while (total_width(printer, false) > width) {
        column *widest = NULL;
        for (int32_t c = 0; c < printer->count; c++) {
            column *one = &printer->columns[c];
            if (!one->hidden && one->width > one->least && (widest == NULL || one->width > widest->width)) {
                widest = one;
            }
        }
        if (widest == NULL) {
            break;
        }
        widest->width--;
    }
}

static weir_slice kept_cell(const table_printer *printer, size_t cell)
{
    size_t begin = cell == 0 ? 0 : printer->ends[cell - 1];
    return weir_slice_of(printer->cells.data + begin, printer->ends[cell] - begin);
}

static int shorter(int a, int b) { return a < b ? a : b; }

/* Whether a column holds the kinds of changes. */
static bool is_kind(const table_printer *printer, int32_t c)
{
    return c == 0 && strcmp(printer->result->fields[0].name, "op") == 0;
}

static void measure(table_printer *printer)
{
    bool is_terminal = printer->screen.options->width > 0;
    for (int32_t c = 0; c < printer->count; c++) {
        const weir_field *field = &printer->result->fields[c];
        column *self = &printer->columns[c];
        self->right = field->type->id >= WEIR_TINYINT && field->type->id <= WEIR_DECIMAL;
        self->whole = self->right || !is_terminal;
        self->width = 0;
    }
    for (size_t i = 0; i < printer->cell_count; i++) {
        int width = weir_display_width(kept_cell(printer, i));
        column *self = &printer->columns[i % (size_t)printer->count];
        self->width = width > self->width ? width : self->width;
    }
    for (int32_t c = 0; c < printer->count; c++) {
        column *self = &printer->columns[c];
        int name = weir_display_width(weir_slice_text(printer->result->fields[c].name));
        self->least = self->whole ? self->width : shorter(self->width, LEAST_WIDTH);
        self->least = self->least < shorter(name, LEAST_WIDTH) ? shorter(name, LEAST_WIDTH) : self->least;
        self->width = name > self->width ? name : self->width;
        if (printer->result->comes_slowly && !is_kind(printer, c) && self->width < SLOW_WIDTH) {
            self->width = SLOW_WIDTH; /* longer values may come */
        }
    }
    if (is_terminal) {
        hide_columns(printer, printer->screen.options->width);
        cut_columns(printer, printer->screen.options->width);
    }
}

/* ---- rows ---- */

static void keep_rows(table_printer *printer, const weir_batch *batch, int64_t count)
{
    for (int64_t row = 0; row < count; row++) {
        WEIR_GROW(printer->ends, printer->cell_capacity, printer->cell_count + (size_t)printer->count);
        for (int32_t c = 0; c < printer->count; c++) {
            weir_screen_cell(&printer->screen, &batch->columns[c], row, &printer->cells);
            printer->ends[printer->cell_count++] = printer->cells.size;
        }
    }
}

static bool print_kept(table_printer *printer)
{
    measure(printer);
    weir_screen_expect(&printer->screen, (int64_t)(printer->cell_count / (size_t)printer->count) + 4);
    append_header(printer);
    for (size_t i = 0; i < printer->cell_count; i++) {
        append_value(printer, (int32_t)(i % (size_t)printer->count), kept_cell(printer, i));
    }
    return weir_screen_flush(&printer->screen);
}

static bool print_rows(table_printer *printer, const weir_batch *batch, int64_t count)
{
    for (int64_t row = 0; row < count; row++) {
        for (int32_t c = 0; c < printer->count; c++) {
            weir_buffer_clear(&printer->cell);
            weir_screen_cell(&printer->screen, &batch->columns[c], row, &printer->cell);
            append_value(printer, c, weir_buffer_slice(&printer->cell));
        }
    }
    return weir_screen_flush(&printer->screen);
}

/* ---- the whole ---- */

static int print_result(table_printer *printer, weir_batch *batch, weir_output_summary *out, weir_error *err)
{
    int64_t most = printer->screen.options->most_rows;
    int64_t printed = 0;
    bool has_header = false, reads_on = true;
    int code;
    while ((code = printer->result->next(printer->result, batch, err)) == WEIR_OK) {
        out->rows += batch->length;
        int64_t wanted = most > 0 && batch->length > most - printed ? most - printed : batch->length;
        printed += wanted;
        if (has_header) {
            reads_on = print_rows(printer, batch, wanted);
        } else {
            keep_rows(printer, batch, wanted);
            if (printed >= ROWS_FOR_WIDTHS || printer->result->comes_slowly) {
                reads_on = print_kept(printer);
                has_header = true;
            }
        }
        if (!reads_on) {
            out->was_left = true;
            return WEIR_OK;
        }
    }
    if (code != WEIR_END) {
        return code;
    }
    if (!has_header) {
        print_kept(printer);
    }
    append_rule(printer, "└", "┴", "┘");
    weir_screen_flush(&printer->screen);
    out->hidden_rows = out->rows - printed;
    for (int32_t c = 0; c < printer->count; c++) {
        out->hidden_columns += printer->columns[c].hidden ? 1 : 0;
    }
    return WEIR_OK;
}

int weir_output_table(weir_result *result, const weir_output_options *options, weir_output_summary *out,
                      weir_error *err)
{
    table_printer printer = {.result = result, .count = result->field_count, .first_hidden = -1};
    weir_batch batch;
    printer.columns = weir_alloc_zeroed((size_t)result->field_count, sizeof *printer.columns);
    weir_screen_open(&printer.screen, options, result);
    weir_batch_init(&batch, result->fields, result->field_count);
    int code = print_result(&printer, &batch, out, err);
    out->ended_ns = weir_monotonic_ns();
    weir_batch_free(&batch);
    weir_screen_close(&printer.screen);
    free(printer.columns);
    free(printer.ends);
    weir_buffer_free(&printer.cells);
    weir_buffer_free(&printer.cell);
    return code;
}
