/* Rows as spans, on their way from messages to columns. */
#ifndef WEIR_FORMAT_JSON_ROWS_H
#define WEIR_FORMAT_JSON_ROWS_H

#include "format/json/json.h"
#include "format/json/names.h"

typedef struct weir_json_rows {
    int32_t width; /* spans of a row */
    int64_t count;
    weir_json_span *spans;
    size_t span_capacity;
    int8_t *kinds;
    size_t kind_capacity;
} weir_json_rows;

/* One more row, its spans not set. Pointers to spans are good until the next one is added. */
weir_json_span *weir_json_rows_add(weir_json_rows *rows, weir_row_kind kind);
void weir_json_rows_remove_first(weir_json_rows *rows, int64_t count);
void weir_json_rows_free(weir_json_rows *rows);

#endif
