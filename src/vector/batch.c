/* Batches: columns of equal length, and the kinds of their rows. */
#include <stdlib.h>

#include "vector/vector.h"

static const char *const kind_texts[] = {"+I", "-U", "+U", "-D"};

const char *weir_row_kind_text(int8_t kind) { return kind_texts[kind & 3]; }

bool weir_row_kind_parse(weir_slice text, int8_t *out)
{
    for (int8_t kind = 0; kind < 4; kind++) {
        if (weir_slice_equal(text, weir_slice_text(kind_texts[kind]))) {
            *out = kind;
            return true;
        }
    }
    return false;
}

void weir_batch_init(weir_batch *batch, const weir_field *fields, int32_t count)
{
    memset(batch, 0, sizeof *batch);
    batch->column_count = count;
    batch->columns = weir_alloc_zeroed((size_t)count, sizeof *batch->columns);
    for (int32_t i = 0; i < count; i++) {
        weir_vector_init(&batch->columns[i], fields[i].type);
    }
}

/* Kinds are dropped rather than kept by clear: rows appended later without kinds must be +I. */
static void drop_kinds(weir_batch *batch)
{
    if (batch->kinds_capacity > 0) {
        free(batch->kinds);
    }
    batch->kinds = NULL;
    batch->kinds_capacity = 0;
}

void weir_batch_free(weir_batch *batch)
{
    if (batch == NULL) {
        return;
    }
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_vector_free(&batch->columns[i]);
    }
    free(batch->columns);
    drop_kinds(batch);
    memset(batch, 0, sizeof *batch);
}

void weir_batch_clear(weir_batch *batch)
{
    for (int32_t i = 0; i < batch->column_count; i++) {
        weir_vector_clear(&batch->columns[i]);
    }
    drop_kinds(batch);
    batch->length = 0;
}

size_t weir_batch_memory(const weir_batch *batch)
{
    size_t bytes = batch->kinds_capacity;
    for (int32_t i = 0; i < batch->column_count; i++) {
        bytes += sizeof(weir_vector) + weir_vector_memory(&batch->columns[i]);
    }
    return bytes;
}

void weir_batch_reserve_kinds(weir_batch *batch, int64_t rows)
{
    if (rows < batch->length) {
        rows = batch->length;
    }
    if (batch->kinds != NULL && (size_t)rows <= batch->kinds_capacity) {
        return;
    }
    size_t capacity = batch->kinds_capacity * 2 > (size_t)rows ? batch->kinds_capacity * 2 : (size_t)rows;
    capacity = capacity > 0 ? capacity : 1;
    int8_t *kinds = weir_alloc_zeroed(capacity, 1);
    if (batch->kinds != NULL) {
        memcpy(kinds, batch->kinds, (size_t)batch->length);
    }
    drop_kinds(batch);
    batch->kinds = kinds;
    batch->kinds_capacity = capacity;
}

static int check_columns(const weir_batch *batch, const weir_batch *from, weir_error *err)
{
    if (batch->column_count != from->column_count) {
        return weir_fail(err, WEIR_INVALID, "rows of %d columns do not fit a batch of %d", from->column_count,
                         batch->column_count);
    }
    return WEIR_OK;
}

int weir_batch_append_range(weir_batch *batch, const weir_batch *from, int64_t first, int64_t count, weir_error *err)
{
    WEIR_TRY(check_columns(batch, from, err));
    for (int32_t i = 0; i < batch->column_count; i++) {
        WEIR_TRY(weir_vector_append_range(&batch->columns[i], &from->columns[i], first, count, err));
    }
    if (from->kinds != NULL && count > 0) {
        weir_batch_reserve_kinds(batch, batch->length + count);
        memcpy(batch->kinds + batch->length, from->kinds + first, (size_t)count);
    } else if (batch->kinds != NULL) {
        weir_batch_reserve_kinds(batch, batch->length + count);
        memset(batch->kinds + batch->length, WEIR_INSERT, (size_t)count);
    }
    batch->length += count;
    return WEIR_OK;
}

int weir_batch_append_rows(weir_batch *batch, const weir_batch *from, const uint32_t *rows, int64_t count,
                           weir_error *err)
{
    WEIR_TRY(check_columns(batch, from, err));
    for (int32_t i = 0; i < batch->column_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&batch->columns[i], &from->columns[i], rows, count, err));
    }
    if (from->kinds != NULL) {
        weir_batch_reserve_kinds(batch, batch->length + count);
        for (int64_t i = 0; i < count; i++) {
            batch->kinds[batch->length + i] = from->kinds[rows[i]];
        }
    } else if (batch->kinds != NULL) {
        weir_batch_reserve_kinds(batch, batch->length + count);
        memset(batch->kinds + batch->length, WEIR_INSERT, (size_t)count);
    }
    batch->length += count;
    return WEIR_OK;
}
