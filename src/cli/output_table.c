/* Results as a table in a box:
 *
 *   ┌────┬───────┐
 *   │ id │ name  │
 *   ├────┼───────┤
 *   │  1 │ Ada   │
 *   │  2 │ <NULL>│   numbers to the right, the rest to the left
 *   └────┴───────┘
 *
 * The first rows are kept to find the widths of the columns; later ones are printed as they come, cut to these. A
 * single text of several lines (SHOW CREATE TABLE, EXPLAIN) is printed as it is. */
#include <stdlib.h>

#include "cli/display.h"
#include "cli/output.h"

#define ROWS_FOR_WIDTHS 1000
#define LEAST_WIDTH     5
#define NULL_TEXT       "<NULL>"

typedef struct table_printer {
    weir_result *result;
    FILE *to;
    int terminal_width; /* 0: any */
    int32_t column_count;
    int *widths;
    bool *right;
    /* Cells of the rows that are kept. */
    weir_buffer cells;
    size_t *ends;
    size_t cell_count;
    size_t cell_capacity;
    weir_buffer out;
    weir_buffer raw; /* a cell before it is escaped */
} table_printer;

static bool is_right_aligned(const weir_type *type) { return (type->id >= WEIR_TINYINT && type->id <= WEIR_DECIMAL); }

static void append_cell(table_printer *printer, const weir_vector *column, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(column, row)) {
        weir_buffer_append_text(out, NULL_TEXT);
        return;
    }
    weir_buffer_clear(&printer->raw);
    weir_output_cell(column, row, printer->result->time_zone, &printer->raw);
    weir_display_escape(weir_buffer_slice(&printer->raw), out);
}

/* ---- lines ---- */

static void append_rule(table_printer *printer, const char *left, const char *middle, const char *right)
{
    weir_buffer *out = &printer->out;
    for (int32_t c = 0; c < printer->column_count; c++) {
        weir_buffer_append_text(out, c == 0 ? left : middle);
        for (int i = 0; i < printer->widths[c] + 2; i++) {
            weir_buffer_append_text(out, "─");
        }
    }
    weir_buffer_append_format(out, "%s\n", right);
}

static void append_field(table_printer *printer, int32_t column, weir_slice text, bool right)
{
    weir_buffer_append_text(&printer->out, column == 0 ? "│ " : " │ ");
    weir_display_pad(text, printer->widths[column], right, &printer->out);
    if (column == printer->column_count - 1) {
        weir_buffer_append_text(&printer->out, " │\n");
    }
}

static void append_header(table_printer *printer)
{
    append_rule(printer, "┌", "┬", "┐");
    for (int32_t c = 0; c < printer->column_count; c++) {
        append_field(printer, c, weir_slice_text(printer->result->fields[c].name), printer->right[c]);
    }
    append_rule(printer, "├", "┼", "┤");
}

static void flush_lines(table_printer *printer)
{
    if (printer->out.size > 0) {
        fwrite(printer->out.data, 1, printer->out.size, printer->to);
        weir_buffer_clear(&printer->out);
    }
}

/* ---- widths ---- */

static int total_width(const table_printer *printer)
{
    int total = 1;
    for (int32_t c = 0; c < printer->column_count; c++) {
        total += printer->widths[c] + 3;
    }
    return total;
}

/* Takes from the widest column until the table fits, or nothing is left to take. */
static void fit_terminal(table_printer *printer)
{
    while (printer->terminal_width > 0 && total_width(printer) > printer->terminal_width) {
        int32_t widest = 0;
        for (int32_t c = 1; c < printer->column_count; c++) {
            widest = printer->widths[c] > printer->widths[widest] ? c : widest;
        }
        if (printer->widths[widest] <= LEAST_WIDTH) {
            break;
        }
        printer->widths[widest]--;
    }
}

static weir_slice kept_cell(const table_printer *printer, size_t cell)
{
    size_t begin = cell == 0 ? 0 : printer->ends[cell - 1];
    return weir_slice_of(printer->cells.data + begin, printer->ends[cell] - begin);
}

static void measure(table_printer *printer)
{
    for (int32_t c = 0; c < printer->column_count; c++) {
        printer->widths[c] = weir_display_width(weir_slice_text(printer->result->fields[c].name));
        printer->right[c] = is_right_aligned(printer->result->fields[c].type);
    }
    for (size_t i = 0; i < printer->cell_count; i++) {
        int width = weir_display_width(kept_cell(printer, i));
        int *column = &printer->widths[i % (size_t)printer->column_count];
        *column = width > *column ? width : *column;
    }
    fit_terminal(printer);
}

/* ---- rows ---- */

static void keep_rows(table_printer *printer, const weir_batch *batch)
{
    for (int64_t row = 0; row < batch->length; row++) {
        WEIR_GROW(printer->ends, printer->cell_capacity, printer->cell_count + (size_t)printer->column_count);
        for (int32_t c = 0; c < printer->column_count; c++) {
            append_cell(printer, &batch->columns[c], row, &printer->cells);
            printer->ends[printer->cell_count++] = printer->cells.size;
        }
    }
}

static void print_kept(table_printer *printer)
{
    measure(printer);
    append_header(printer);
    for (size_t i = 0; i < printer->cell_count; i++) {
        int32_t column = (int32_t)(i % (size_t)printer->column_count);
        append_field(printer, column, kept_cell(printer, i), printer->right[column]);
    }
    flush_lines(printer);
}

static void print_rows(table_printer *printer, const weir_batch *batch)
{
    weir_buffer cell = {0};
    for (int64_t row = 0; row < batch->length; row++) {
        for (int32_t c = 0; c < printer->column_count; c++) {
            weir_buffer_clear(&cell);
            append_cell(printer, &batch->columns[c], row, &cell);
            append_field(printer, c, weir_buffer_slice(&cell), printer->right[c]);
        }
    }
    weir_buffer_free(&cell);
    flush_lines(printer);
}

/* A text of several lines that stands alone. */
static bool is_page(const weir_batch *batch, int64_t rows_before)
{
    if (rows_before > 0 || batch->length != 1 || batch->column_count != 1 || weir_vector_is_null(batch->columns, 0) ||
        !weir_type_is_text(batch->columns[0].type)) {
        return false;
    }
    weir_slice text = weir_vector_bytes(batch->columns, 0);
    return memchr(text.data, '\n', text.size) != NULL;
}

static void print_page(const weir_batch *batch, FILE *to)
{
    weir_slice text = weir_vector_bytes(batch->columns, 0);
    fwrite(text.data, 1, text.size, to);
    if (text.data[text.size - 1] != '\n') {
        fputc('\n', to);
    }
}

static int print_result(table_printer *printer, weir_batch *batch, int64_t *rows, weir_error *err)
{
    bool has_header = false;
    for (;;) {
        int code = printer->result->next(printer->result, batch, err);
        if (code == WEIR_END) {
            break;
        }
        WEIR_TRY(code);
        if (is_page(batch, *rows)) {
            print_page(batch, printer->to);
            *rows = 1;
            return WEIR_OK;
        }
        *rows += batch->length;
        if (!has_header) {
            keep_rows(printer, batch);
            if (*rows >= ROWS_FOR_WIDTHS) {
                print_kept(printer);
                has_header = true;
            }
        } else {
            print_rows(printer, batch);
        }
    }
    if (!has_header) {
        print_kept(printer);
    }
    append_rule(printer, "└", "┴", "┘");
    flush_lines(printer);
    return WEIR_OK;
}

int weir_output_table(weir_result *result, int width, FILE *to, int64_t *out_rows, weir_error *err)
{
    table_printer printer = {.result = result, .to = to, .terminal_width = width, .column_count = result->field_count};
    weir_batch batch;
    printer.widths = weir_alloc_zeroed((size_t)result->field_count, sizeof *printer.widths);
    printer.right = weir_alloc_zeroed((size_t)result->field_count, sizeof *printer.right);
    weir_batch_init(&batch, result->fields, result->field_count);
    int code = print_result(&printer, &batch, out_rows, err);
    weir_batch_free(&batch);
    free(printer.widths);
    free(printer.right);
    free(printer.ends);
    weir_buffer_free(&printer.cells);
    weir_buffer_free(&printer.out);
    weir_buffer_free(&printer.raw);
    return code;
}
