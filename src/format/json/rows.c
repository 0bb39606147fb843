/* Rows as spans. */
#include "format/json/rows.h"

#include <stdlib.h>

weir_json_span *weir_json_rows_add(weir_json_rows *rows, weir_row_kind kind)
{
    size_t width = (size_t)rows->width;
    size_t row = (size_t)rows->count++;
    WEIR_GROW(rows->kinds, rows->kind_capacity, row + 1);
    WEIR_GROW(rows->spans, rows->span_capacity, (row + 1) * width + 1);
    rows->kinds[row] = (int8_t)kind;
    return rows->spans + row * width;
}

void weir_json_rows_remove_first(weir_json_rows *rows, int64_t count)
{
    size_t width = (size_t)rows->width;
    size_t left = (size_t)(rows->count - count);
    if (left > 0) {
        memmove(rows->spans, rows->spans + (size_t)count * width, left * width * sizeof *rows->spans);
        memmove(rows->kinds, rows->kinds + count, left);
    }
    rows->count -= count;
}

void weir_json_rows_free(weir_json_rows *rows)
{
    free(rows->spans);
    free(rows->kinds);
    *rows = (weir_json_rows){0};
}
