/* Appending rows of system tables. */
#include "table/system/system_rows.h"

const weir_type weir_system_bigint = {.id = WEIR_BIGINT};
const weir_type weir_system_bigint_null = {.id = WEIR_BIGINT, .nullable = true};
const weir_type weir_system_int = {.id = WEIR_INT};
const weir_type weir_system_text = {.id = WEIR_VARCHAR, .precision = WEIR_MAX_LENGTH};
const weir_type weir_system_text_null = {.id = WEIR_VARCHAR, .nullable = true, .precision = WEIR_MAX_LENGTH};
const weir_type weir_system_time = {.id = WEIR_TIMESTAMP, .precision = 3};
const weir_type weir_system_time_null = {.id = WEIR_TIMESTAMP, .nullable = true, .precision = 3};
const weir_type weir_system_texts_null = {.id = WEIR_ARRAY, .nullable = true, .element = &weir_system_text_null};

static weir_vector *next_column(weir_system_rows *rows) { return &rows->batch->columns[rows->column++]; }

static void put_raw(weir_system_rows *rows, const void *value, size_t size)
{
    weir_vector *column = next_column(rows);
    if (rows->code == WEIR_OK) {
        rows->code = weir_vector_append_raw(column, value, size, rows->err);
    }
}

void weir_system_put_null(weir_system_rows *rows)
{
    weir_vector *column = next_column(rows);
    if (rows->code == WEIR_OK) {
        rows->code = weir_vector_append_nulls(column, 1, rows->err);
    }
}

void weir_system_put_bigint(weir_system_rows *rows, int64_t value) { put_raw(rows, &value, sizeof value); }

void weir_system_put_count(weir_system_rows *rows, int64_t value)
{
    if (value < 0) {
        weir_system_put_null(rows);
    } else {
        weir_system_put_bigint(rows, value);
    }
}

void weir_system_put_int(weir_system_rows *rows, int32_t value) { put_raw(rows, &value, sizeof value); }

void weir_system_put_text(weir_system_rows *rows, const char *value)
{
    if (value == NULL) {
        weir_system_put_null(rows);
    } else {
        put_raw(rows, value, strlen(value));
    }
}

void weir_system_put_buffer(weir_system_rows *rows, const weir_buffer *value)
{
    put_raw(rows, value->size == 0 ? "" : (const char *)value->data, value->size);
}

void weir_system_put_time(weir_system_rows *rows, int64_t ms) { put_raw(rows, &ms, sizeof ms); }

void weir_system_put_texts(weir_system_rows *rows, const char *const *values, int32_t count)
{
    weir_vector *column = next_column(rows);
    for (int32_t i = 0; i < count && rows->code == WEIR_OK; i++) {
        rows->code = weir_vector_append_raw(&column->children[0], values[i], strlen(values[i]), rows->err);
    }
    if (rows->code == WEIR_OK) {
        rows->code = weir_vector_append_list(column, rows->err);
    }
}

int weir_system_end_row(weir_system_rows *rows)
{
    rows->batch->length++;
    rows->column = 0;
    return rows->code;
}
