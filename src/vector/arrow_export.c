/* Batches as Arrow arrays: memory is moved where the layouts are the same, which is everywhere but for decimals of 64
 * bits and timestamps in nanoseconds. */
#include <stdlib.h>

#include "vector/arrow.h"

/* What one array owns. Its children own theirs, for a consumer may move each of them away. */
typedef struct exported {
    const void *buffers[3];
    weir_vector vector; /* without children; its type is not looked at any more */
    void *converted;    /* values in Arrow's layout where they are not the vector's own */
} exported;

static void release_array(struct ArrowArray *array)
{
    exported *owned = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++) {
        if (array->children[i]->release != NULL) {
            array->children[i]->release(array->children[i]);
        }
        free(array->children[i]);
    }
    free(array->children);
    weir_vector_free(&owned->vector);
    free(owned->converted);
    free(owned);
    array->release = NULL;
}

static exported *init_array(struct ArrowArray *array, int64_t length, int64_t null_count, int64_t buffers,
                            int64_t children)
{
    exported *owned = weir_alloc_zeroed(1, sizeof *owned);
    *array = (struct ArrowArray){
        .length = length,
        .null_count = null_count,
        .n_buffers = buffers,
        .n_children = children,
        .buffers = owned->buffers,
        .children = children > 0 ? weir_alloc((size_t)children * sizeof(struct ArrowArray *)) : NULL,
        .release = release_array,
        .private_data = owned,
    };
    for (int64_t i = 0; i < children; i++) {
        array->children[i] = weir_alloc_zeroed(1, sizeof(struct ArrowArray));
    }
    return owned;
}

static bool is_borrowed(const weir_vector *vector)
{
    if ((vector->data != NULL && vector->data_capacity == 0) ||
        (vector->offsets != NULL && vector->offsets_capacity == 0) ||
        (vector->validity != NULL && vector->validity_capacity == 0)) {
        return true;
    }
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (is_borrowed(&vector->children[i])) {
            return true;
        }
    }
    return false;
}

static int widen_decimals(exported *owned, weir_error *err)
{
    const int64_t *values = WEIR_VALUES(&owned->vector, const int64_t);
    int64_t count = owned->vector.length;
    WEIR_TRY(weir_alloc_checked((size_t)count, sizeof(weir_int128), &owned->converted, err));
    weir_int128 *wide = owned->converted;
    for (int64_t i = 0; i < count; i++) {
        wide[i] = values[i];
    }
    return WEIR_OK;
}

static int join_nanos(exported *owned, weir_error *err)
{
    const weir_timestamp_nanos *values = WEIR_VALUES(&owned->vector, const weir_timestamp_nanos);
    int64_t count = owned->vector.length;
    WEIR_TRY(weir_alloc_checked((size_t)count, sizeof(int64_t), &owned->converted, err));
    int64_t *nanos = owned->converted;
    bool overflow = false;
    for (int64_t i = 0; i < count; i++) {
        overflow |= __builtin_mul_overflow(values[i].millis, 1000000, &nanos[i]);
        overflow |= __builtin_add_overflow(nanos[i], values[i].nanos_of_milli, &nanos[i]);
    }
    if (overflow) {
        return weir_fail(
            err, WEIR_INVALID,
            "a timestamp with nanoseconds lies outside of 1677-09-21 to 2262-04-11, which is all that Arrow "
            "has for them; cast the column to TIMESTAMP(6)");
    }
    return WEIR_OK;
}

static int export_vector(weir_vector *vector, struct ArrowArray *out, weir_error *err);

static int export_children(weir_vector *children, int32_t count, struct ArrowArray *out, weir_error *err)
{
    int code = WEIR_OK;
    for (int32_t i = 0; i < count && code == WEIR_OK; i++) {
        code = export_vector(&children[i], out->children[i], err);
    }
    for (int32_t i = 0; i < count; i++) { /* what was moved is empty, what was not is dropped */
        weir_vector_free(&children[i]);
    }
    return code;
}

static int export_values(exported *owned, weir_vector *children, struct ArrowArray *out, weir_error *err)
{
    const weir_vector *vector = &owned->vector;
    owned->buffers[0] = vector->validity;
    switch (vector->layout) {
    case WEIR_LAYOUT_NONE:
        return WEIR_OK;
    case WEIR_LAYOUT_BYTES:
        owned->buffers[1] = vector->offsets;
        owned->buffers[2] = vector->data;
        return WEIR_OK;
    case WEIR_LAYOUT_LIST:
        owned->buffers[1] = vector->offsets;
        if (vector->type->id == WEIR_ARRAY) {
            return export_children(children, 1, out, err);
        }
        init_array(out->children[0], children[0].length, 0, 1, 2);
        return export_children(children, 2, out->children[0], err);
    case WEIR_LAYOUT_STRUCT:
        return export_children(children, (int32_t)out->n_children, out, err);
    default:
        if (vector->type->id == WEIR_DECIMAL && vector->layout == WEIR_LAYOUT_64) {
            WEIR_TRY(widen_decimals(owned, err));
        } else if (vector->layout == WEIR_LAYOUT_128 && vector->type->id != WEIR_DECIMAL) {
            WEIR_TRY(join_nanos(owned, err));
        }
        owned->buffers[1] = owned->converted != NULL ? owned->converted : vector->data;
        return WEIR_OK;
    }
}

/* Leaves the vector freed, whether it fails or not; `out` is there to be released in both cases. */
static int export_vector(weir_vector *vector, struct ArrowArray *out, weir_error *err)
{
    static const int64_t buffer_counts[] = {
        [WEIR_LAYOUT_BIT] = 2,    [WEIR_LAYOUT_8] = 2,    [WEIR_LAYOUT_16] = 2,    [WEIR_LAYOUT_32] = 2,
        [WEIR_LAYOUT_64] = 2,     [WEIR_LAYOUT_128] = 2,  [WEIR_LAYOUT_BYTES] = 3, [WEIR_LAYOUT_LIST] = 2,
        [WEIR_LAYOUT_STRUCT] = 1, [WEIR_LAYOUT_NONE] = 0,
    };
    bool map = vector->type->id == WEIR_MAP || vector->type->id == WEIR_MULTISET;
    exported *owned = init_array(out, vector->length, vector->null_count, buffer_counts[vector->layout],
                                 map ? 1 : vector->child_count);
    weir_vector *children = vector->children;
    owned->vector = *vector;
    owned->vector.children = NULL;
    owned->vector.child_count = 0;
    memset(vector, 0, sizeof *vector);
    int code = export_values(owned, children, out, err);
    free(children);
    return code;
}

static int export_column(weir_vector *column, struct ArrowArray *out, weir_error *err)
{
    const weir_type *type = column->type;
    weir_vector copy;
    int code = WEIR_OK;
    if (is_borrowed(column)) {
        weir_vector_init(&copy, type);
        code = weir_vector_append_range(&copy, column, 0, column->length, err);
        weir_vector_free(column);
        *column = copy;
    }
    if (code == WEIR_OK) {
        code = export_vector(column, out, err);
    }
    weir_vector_free(column);
    weir_vector_init(column, type);
    return code;
}

static void export_kinds(weir_batch *batch, struct ArrowArray *out)
{
    exported *owned = init_array(out, batch->length, 0, 2, 0);
    if (batch->kinds_capacity == 0) {
        int8_t *copy = weir_alloc((size_t)batch->length);
        memcpy(copy, batch->kinds, (size_t)batch->length);
        batch->kinds = copy;
    }
    owned->converted = batch->kinds;
    owned->buffers[1] = batch->kinds;
    batch->kinds = NULL;
    batch->kinds_capacity = 0;
}

int weir_arrow_export_batch(weir_batch *batch, struct ArrowArray *out, weir_error *err)
{
    bool kinds = batch->kinds != NULL;
    struct ArrowArray rows;
    int code = WEIR_OK;
    init_array(&rows, batch->length, 0, 1, batch->column_count + (kinds ? 1 : 0));
    for (int32_t i = 0; i < batch->column_count && code == WEIR_OK; i++) {
        code = export_column(&batch->columns[i], rows.children[i], err);
    }
    if (kinds && code == WEIR_OK) {
        export_kinds(batch, rows.children[batch->column_count]);
    }
    weir_batch_clear(batch);
    if (code != WEIR_OK) {
        release_array(&rows);
        return code;
    }
    *out = rows;
    return WEIR_OK;
}
