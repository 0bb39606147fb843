/* Vectors: their memory, and appending one value or some nulls.
 *
 * Appending from other vectors is in vector_append.c, batches are in batch.c. All memory is of realloc, so that large
 * arrays grow in place where the allocator can; capacities are multiples of 64 bytes. */
#include "vector/vector.h"

#include <stdlib.h>

#include "vector/bits.h"

/* So many rows that no product with a width overflows; far more than any machine holds. */
#define MAX_ROWS ((int64_t)1 << 48)

static const size_t layout_widths[] = {
    [WEIR_LAYOUT_BIT] = 0,    [WEIR_LAYOUT_8] = 1,    [WEIR_LAYOUT_16] = 2,    [WEIR_LAYOUT_32] = 4,
    [WEIR_LAYOUT_64] = 8,     [WEIR_LAYOUT_128] = 16, [WEIR_LAYOUT_BYTES] = 0, [WEIR_LAYOUT_LIST] = 0,
    [WEIR_LAYOUT_STRUCT] = 0, [WEIR_LAYOUT_NONE] = 0,
};

weir_layout weir_layout_of(const weir_type *type)
{
    switch (type->id) {
    case WEIR_BOOLEAN:
        return WEIR_LAYOUT_BIT;
    case WEIR_TINYINT:
        return WEIR_LAYOUT_8;
    case WEIR_SMALLINT:
        return WEIR_LAYOUT_16;
    case WEIR_INT:
    case WEIR_FLOAT:
    case WEIR_DATE:
    case WEIR_TIME:
        return WEIR_LAYOUT_32;
    case WEIR_BIGINT:
    case WEIR_DOUBLE:
        return WEIR_LAYOUT_64;
    case WEIR_DECIMAL:
        return type->precision <= 18 ? WEIR_LAYOUT_64 : WEIR_LAYOUT_128;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        return type->precision <= 6 ? WEIR_LAYOUT_64 : WEIR_LAYOUT_128;
    case WEIR_CHAR:
    case WEIR_VARCHAR:
    case WEIR_BINARY:
    case WEIR_VARBINARY:
    case WEIR_BLOB:
        return WEIR_LAYOUT_BYTES;
    case WEIR_ARRAY:
    case WEIR_MAP:
    case WEIR_MULTISET:
        return WEIR_LAYOUT_LIST;
    case WEIR_ROW:
    case WEIR_VARIANT:
        return WEIR_LAYOUT_STRUCT;
    case WEIR_NULL:
        break;
    }
    return WEIR_LAYOUT_NONE;
}

size_t weir_layout_width(weir_layout layout) { return layout_widths[layout]; }

static void init_children(weir_vector *vector, int32_t count)
{
    vector->child_count = count;
    vector->children = weir_alloc_zeroed((size_t)count, sizeof *vector->children);
}

void weir_vector_init(weir_vector *vector, const weir_type *type)
{
    memset(vector, 0, sizeof *vector);
    vector->type = type;
    vector->layout = weir_layout_of(type);
    if (vector->layout == WEIR_LAYOUT_BYTES || vector->layout == WEIR_LAYOUT_LIST) {
        vector->offsets = weir_alloc_zeroed(1, 64);
        vector->offsets_capacity = 64;
    }
    switch (type->id) {
    case WEIR_ARRAY:
        init_children(vector, 1);
        weir_vector_init(&vector->children[0], type->element);
        break;
    case WEIR_MAP:
    case WEIR_MULTISET:
        init_children(vector, 2);
        weir_vector_init(&vector->children[0], type->key);
        weir_vector_init(&vector->children[1], type->element);
        break;
    case WEIR_VARIANT:
        init_children(vector, 2);
        weir_vector_init(&vector->children[0], weir_type_simple(WEIR_VARBINARY, false));
        weir_vector_init(&vector->children[1], weir_type_simple(WEIR_VARBINARY, false));
        break;
    case WEIR_ROW:
        init_children(vector, type->field_count);
        for (int32_t i = 0; i < type->field_count; i++) {
            weir_vector_init(&vector->children[i], type->fields[i].type);
        }
        break;
    default:
        break;
    }
}

void weir_vector_free(weir_vector *vector)
{
    if (vector == NULL) {
        return;
    }
    for (int32_t i = 0; i < vector->child_count; i++) {
        weir_vector_free(&vector->children[i]);
    }
    free(vector->children);
    if (vector->validity_capacity > 0) {
        free(vector->validity);
    }
    if (vector->data_capacity > 0) {
        free(vector->data);
    }
    if (vector->offsets_capacity > 0) {
        free(vector->offsets);
    }
    memset(vector, 0, sizeof *vector);
}

void weir_vector_clear(weir_vector *vector)
{
    vector->length = 0;
    vector->null_count = 0;
    weir_vector_drop_validity(vector);
    if (vector->data_capacity == 0) {
        vector->data = NULL;
    }
    if (vector->offsets != NULL && vector->offsets_capacity == 0) {
        vector->offsets = weir_alloc_zeroed(1, 64);
        vector->offsets_capacity = 64;
    }
    for (int32_t i = 0; i < vector->child_count; i++) {
        weir_vector_clear(&vector->children[i]);
    }
}

size_t weir_vector_memory(const weir_vector *vector)
{
    size_t bytes = vector->validity_capacity + vector->data_capacity + vector->offsets_capacity;
    for (int32_t i = 0; i < vector->child_count; i++) {
        bytes += sizeof(weir_vector) + weir_vector_memory(&vector->children[i]);
    }
    return bytes;
}

int64_t weir_vector_range_bytes(const weir_vector *vector, int64_t first, int64_t count)
{
    int64_t bytes = 0;
    switch (vector->layout) {
    case WEIR_LAYOUT_BYTES:
        return vector->offsets[first + count] - vector->offsets[first] + count * 4;
    case WEIR_LAYOUT_LIST: {
        int64_t from = vector->offsets[first];
        int64_t elements = vector->offsets[first + count] - from;
        for (int32_t i = 0; i < vector->child_count; i++) {
            bytes += weir_vector_range_bytes(&vector->children[i], from, elements);
        }
        return bytes + count * 4;
    }
    case WEIR_LAYOUT_STRUCT:
        for (int32_t i = 0; i < vector->child_count; i++) {
            bytes += weir_vector_range_bytes(&vector->children[i], first, count);
        }
        return bytes;
    case WEIR_LAYOUT_BIT:
        return count / 8;
    default:
        return count * (int64_t)weir_layout_width(vector->layout);
    }
}

/* Makes *memory hold at least `needed` bytes, doubling so that appending one by one stays linear. */
static int grow(void **memory, size_t *capacity, size_t needed, weir_error *err)
{
    if (needed <= *capacity) {
        return WEIR_OK;
    }
    if (*memory != NULL && *capacity == 0) {
        return weir_fail(err, WEIR_INVALID, "a vector over borrowed memory cannot grow; copy it first");
    }
    size_t size = needed > *capacity * 2 ? needed : *capacity * 2;
    size = (size + 63) & ~(size_t)63;
    void *grown = realloc(*memory, size);
    if (grown == NULL) {
        return weir_fail(err, WEIR_NO_MEMORY, "no memory for a vector of %zu bytes", size);
    }
    *memory = grown;
    *capacity = size;
    return WEIR_OK;
}

static int grow_data(weir_vector *vector, size_t needed, weir_error *err)
{
    void *memory = vector->data;
    WEIR_TRY(grow(&memory, &vector->data_capacity, needed, err));
    vector->data = memory;
    return WEIR_OK;
}

static int grow_offsets(weir_vector *vector, int64_t rows, weir_error *err)
{
    void *memory = vector->offsets;
    WEIR_TRY(grow(&memory, &vector->offsets_capacity, ((size_t)rows + 1) * sizeof(int32_t), err));
    vector->offsets = memory;
    return WEIR_OK;
}

static int grow_validity(weir_vector *vector, int64_t rows, weir_error *err)
{
    void *memory = vector->validity;
    WEIR_TRY(grow(&memory, &vector->validity_capacity, weir_bits_size(rows), err));
    vector->validity = memory;
    return WEIR_OK;
}

int weir_vector_reserve(weir_vector *vector, int64_t rows, weir_error *err)
{
    if (rows < 0 || rows > MAX_ROWS - vector->length) {
        return weir_fail(err, WEIR_NO_MEMORY, "no vector can hold %" PRId64 " more rows", rows);
    }
    int64_t needed = vector->length + rows;
    if (vector->validity != NULL) {
        WEIR_TRY(grow_validity(vector, needed, err));
    }
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        return grow_data(vector, weir_bits_size(needed), err);
    case WEIR_LAYOUT_BYTES:
        WEIR_TRY(grow_data(vector, 1, err)); /* so that empty texts have an address */
        return grow_offsets(vector, needed, err);
    case WEIR_LAYOUT_LIST:
        return grow_offsets(vector, needed, err);
    case WEIR_LAYOUT_STRUCT:
        for (int32_t i = 0; i < vector->child_count; i++) {
            int64_t missing = needed - vector->children[i].length;
            WEIR_TRY(weir_vector_reserve(&vector->children[i], missing > 0 ? missing : 0, err));
        }
        return WEIR_OK;
    case WEIR_LAYOUT_NONE:
        return WEIR_OK;
    default:
        return grow_data(vector, (size_t)needed * layout_widths[vector->layout], err);
    }
}

int weir_vector_reserve_bytes(weir_vector *vector, size_t bytes, weir_error *err)
{
    if (vector->layout != WEIR_LAYOUT_BYTES) {
        return weir_fail(err, WEIR_INVALID, "only vectors of text and bytes have bytes to reserve");
    }
    size_t used = (size_t)vector->offsets[vector->length];
    if (bytes > INT32_MAX - used) {
        return weir_fail(err, WEIR_INVALID,
                         "a column of one batch would pass 2 GB of text (%zu bytes and %zu more); use smaller batches",
                         used, bytes);
    }
    return grow_data(vector, used + bytes, err);
}

int weir_vector_reserve_validity(weir_vector *vector, int64_t rows, weir_error *err)
{
    WEIR_TRY(weir_vector_reserve(vector, rows, err));
    if (vector->validity == NULL) {
        WEIR_TRY(grow_validity(vector, vector->length + rows, err));
        weir_bits_fill(vector->validity, 0, vector->length, true);
    }
    return WEIR_OK;
}

void weir_vector_drop_validity(weir_vector *vector)
{
    if (vector->null_count == 0) {
        if (vector->validity_capacity > 0) {
            free(vector->validity);
        }
        vector->validity = NULL;
        vector->validity_capacity = 0;
    }
}

int weir_vector_append_nulls(weir_vector *vector, int64_t count, weir_error *err)
{
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_vector_reserve(vector, count, err));
    int64_t length = vector->length;
    if (vector->layout != WEIR_LAYOUT_NONE) {
        WEIR_TRY(weir_vector_reserve_validity(vector, count, err));
        weir_bits_fill(vector->validity, length, count, false);
    }
    size_t width = layout_widths[vector->layout];
    switch (vector->layout) {
    case WEIR_LAYOUT_BIT:
        weir_bits_fill(vector->data, length, count, false);
        break;
    case WEIR_LAYOUT_BYTES:
    case WEIR_LAYOUT_LIST:
        for (int64_t i = 0; i < count; i++) {
            vector->offsets[length + 1 + i] = vector->offsets[length];
        }
        break;
    case WEIR_LAYOUT_STRUCT:
        for (int32_t i = 0; i < vector->child_count; i++) {
            WEIR_TRY(weir_vector_append_nulls(&vector->children[i], length + count - vector->children[i].length, err));
        }
        break;
    case WEIR_LAYOUT_NONE:
        break;
    default:
        memset(vector->data + (size_t)length * width, 0, (size_t)count * width);
    }
    vector->length += count;
    vector->null_count += count;
    return WEIR_OK;
}

/* Counts the row that was just written as one that is not null. */
static inline void finish_valid_row(weir_vector *vector)
{
    if (vector->validity != NULL) {
        weir_bit_set(vector->validity, vector->length);
    }
    vector->length++;
}

int weir_vector_append_raw(weir_vector *vector, const void *value, size_t size, weir_error *err)
{
    WEIR_TRY(weir_vector_reserve(vector, 1, err));
    size_t width = layout_widths[vector->layout];
    if (width > 0 && size == width) {
        memcpy(vector->data + (size_t)vector->length * width, value, width);
    } else if (vector->layout == WEIR_LAYOUT_BIT && size == 1) {
        weir_bits_fill(vector->data, vector->length, 1, *(const uint8_t *)value != 0);
    } else if (vector->layout == WEIR_LAYOUT_BYTES) {
        WEIR_TRY(weir_vector_reserve_bytes(vector, size, err));
        int32_t from = vector->offsets[vector->length];
        if (size > 0) {
            memcpy(vector->data + from, value, size);
        }
        vector->offsets[vector->length + 1] = from + (int32_t)size;
    } else {
        return weir_fail(err, WEIR_INVALID, "a value of %zu bytes does not fit a vector of layout %d", size,
                         (int)vector->layout);
    }
    finish_valid_row(vector);
    return WEIR_OK;
}

int weir_vector_append_list(weir_vector *vector, weir_error *err)
{
    if (vector->layout != WEIR_LAYOUT_LIST) {
        return weir_fail(err, WEIR_INVALID, "only vectors of arrays, maps and multisets take lists");
    }
    int64_t end = vector->children[0].length;
    if (end > INT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "a column of one batch would pass 2^31 elements; use smaller batches");
    }
    if (end < vector->offsets[vector->length] || (vector->child_count == 2 && vector->children[1].length != end)) {
        return weir_fail(err, WEIR_INVALID, "the children of a list vector do not have the length of its new list");
    }
    WEIR_TRY(weir_vector_reserve(vector, 1, err));
    vector->offsets[vector->length + 1] = (int32_t)end;
    finish_valid_row(vector);
    return WEIR_OK;
}

int weir_vector_append_struct(weir_vector *vector, weir_error *err)
{
    if (vector->layout != WEIR_LAYOUT_STRUCT) {
        return weir_fail(err, WEIR_INVALID, "only vectors of rows take structs");
    }
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (vector->children[i].length != vector->length + 1) {
            return weir_fail(err, WEIR_INVALID, "field %d of a row vector has %" PRId64 " values, not %" PRId64, i,
                             vector->children[i].length, vector->length + 1);
        }
    }
    WEIR_TRY(weir_vector_reserve(vector, 1, err));
    finish_valid_row(vector);
    return WEIR_OK;
}
