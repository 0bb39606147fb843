/* Byte strings in each of their encodings, as views: into the page where it holds a value in one piece, into memory of
 * the decoder where it does not. */
#include "format/parquet/values_internal.h"

/* Room for values that are put together; a longer value gets what it needs. */
#define ASSEMBLED_BYTES (64 * 1024)

/* --- PLAIN: | size: 4, little-endian | bytes |, or bytes alone for a fixed length ------------------------------- */

static int plain_views(weir_parquet_values *values, int64_t count, weir_parquet_view *out, weir_error *err)
{
    const uint8_t *next = values->next;
    const uint8_t *end = values->end;
    for (int64_t i = 0; i < count; i++) {
        if ((size_t)(end - next) < 4) {
            return weir_parquet_values_too_short(values, err);
        }
        uint32_t size = weir_load_le32(next);
        next += 4;
        if (size > (size_t)(end - next)) {
            return weir_parquet_values_too_short(values, err);
        }
        out[i] = (weir_parquet_view){next, size};
        next += size;
    }
    values->next = next;
    return WEIR_OK;
}

int weir_parquet_skip_plain_bytes(weir_parquet_values *values, int64_t count, weir_error *err)
{
    const uint8_t *next = values->next;
    const uint8_t *end = values->end;
    for (int64_t i = 0; i < count; i++) {
        if ((size_t)(end - next) < 4 || weir_load_le32(next) > (size_t)(end - next) - 4) {
            return weir_parquet_values_too_short(values, err);
        }
        next += 4 + (size_t)weir_load_le32(next);
    }
    values->next = next;
    return WEIR_OK;
}

static int fixed_views(weir_parquet_values *values, int64_t count, weir_parquet_view *out, weir_error *err)
{
    size_t width = (size_t)values->leaf->width;
    if ((size_t)count > (size_t)(values->end - values->next) / width) {
        return weir_parquet_values_too_short(values, err);
    }
    for (int64_t i = 0; i < count; i++) {
        out[i] = (weir_parquet_view){values->next + (size_t)i * width, (uint32_t)width};
    }
    values->next += (size_t)count * width;
    return WEIR_OK;
}

/* --- BYTE_STREAM_SPLIT of a fixed length ------------------------------------------------------------------------ */

static int split_views(weir_parquet_values *values, int64_t *count, weir_parquet_view *out, weir_error *err)
{
    size_t width = (size_t)values->leaf->width;
    int64_t fitting = width < ASSEMBLED_BYTES ? (int64_t)(ASSEMBLED_BYTES / width) : 1;
    if (*count > fitting) {
        *count = fitting;
    }
    if (*count > values->count - values->position) { /* before memory is taken for them */
        return weir_parquet_values_too_short(values, err);
    }
    WEIR_TRY(weir_parquet_scratch_reserve(values->source, &values->assembled, (size_t)*count * width, 0, err));
    WEIR_TRY(weir_parquet_join_streams(values, *count, values->assembled.data, err));
    for (int64_t i = 0; i < *count; i++) {
        out[i] = (weir_parquet_view){values->assembled.data + (size_t)i * width, (uint32_t)width};
    }
    return WEIR_OK;
}

/* --- DELTA_LENGTH_BYTE_ARRAY: | lengths, delta-packed | all the bytes | ----------------------------------------- */

int weir_parquet_begin_delta_length(weir_parquet_values *values, weir_slice bytes, weir_error *err)
{
    if (!weir_parquet_delta_init(&values->delta, bytes) ||
        !weir_parquet_delta_find_end(&values->delta, &values->next)) {
        return weir_parquet_values_too_short(values, err);
    }
    return WEIR_OK;
}

static int delta_length_views(weir_parquet_values *values, int64_t count, weir_parquet_view *out, weir_error *err)
{
    uint32_t sizes[WEIR_PARQUET_VIEW_BLOCK];
    if (!weir_parquet_delta_read_32(&values->delta, count, sizes)) {
        return weir_parquet_values_too_short(values, err);
    }
    for (int64_t i = 0; i < count; i++) {
        if (sizes[i] > (size_t)(values->end - values->next)) {
            return weir_parquet_values_too_short(values, err);
        }
        out[i] = (weir_parquet_view){values->next, sizes[i]};
        values->next += sizes[i];
    }
    return WEIR_OK;
}

/* --- DELTA_BYTE_ARRAY: | sizes of prefixes | sizes of suffixes | suffixes |, both sizes delta-packed ------------- */

int weir_parquet_begin_front_coding(weir_parquet_values *values, weir_slice bytes, weir_error *err)
{
    if (values->front == NULL) {
        values->front = weir_alloc(sizeof *values->front);
    }
    weir_parquet_front_coding *front = values->front;
    const uint8_t *next;
    front->position = front->count = 0;
    front->previous = (weir_parquet_view){bytes.data, 0};
    if (!weir_parquet_delta_init(&front->prefixes, bytes) || !weir_parquet_delta_find_end(&front->prefixes, &next) ||
        !weir_parquet_delta_init(&front->suffixes, weir_slice_of(next, (size_t)(values->end - next))) ||
        !weir_parquet_delta_find_end(&front->suffixes, &values->next)) {
        return weir_parquet_values_too_short(values, err);
    }
    return WEIR_OK;
}

/* Decodes the sizes of up to `count` values more. */
static int read_sizes_ahead(weir_parquet_values *values, int64_t count, weir_error *err)
{
    weir_parquet_front_coding *front = values->front;
    if (!weir_parquet_delta_read_32(&front->prefixes, count, front->prefix_sizes) ||
        !weir_parquet_delta_read_32(&front->suffixes, count, front->suffix_sizes)) {
        return weir_parquet_values_too_short(values, err);
    }
    front->position = 0;
    front->count = (uint32_t)count;
    return WEIR_OK;
}

/* Makes room for a value of `size` bytes as the first of a block; the value before moves along. */
static int make_room(weir_parquet_values *values, size_t size, size_t *used, weir_error *err)
{
    weir_parquet_front_coding *front = values->front;
    size_t kept = front->previous.size;
    size_t needed = kept + size < ASSEMBLED_BYTES ? ASSEMBLED_BYTES : kept + size;
    if (needed > values->assembled.capacity || values->assembled.data == NULL) {
        weir_parquet_scratch grown = {0};
        WEIR_TRY(weir_parquet_scratch_reserve(values->source, &grown, needed, 0, err));
        memcpy(grown.data, front->previous.data, kept);
        weir_parquet_scratch_free(values->source, &values->assembled);
        values->assembled = grown;
    } else {
        memmove(values->assembled.data, front->previous.data, kept);
    }
    front->previous.data = values->assembled.data;
    *used = kept;
    return WEIR_OK;
}

static int front_coded_views(weir_parquet_values *values, int64_t *count, weir_parquet_view *out, weir_error *err)
{
    weir_parquet_front_coding *front = values->front;
    if (front->position == front->count) {
        WEIR_TRY(read_sizes_ahead(values, *count, err));
    }
    int64_t available = front->count - front->position;
    int64_t wanted = *count < available ? *count : available;
    size_t used = 0;
    *count = 0;
    while (*count < wanted) {
        size_t prefix = front->prefix_sizes[front->position];
        size_t suffix = front->suffix_sizes[front->position];
        if (prefix > front->previous.size || suffix > (size_t)(values->end - values->next) ||
            prefix + suffix > INT32_MAX) {
            return weir_parquet_values_too_short(values, err);
        }
        weir_parquet_view view = {values->next, (uint32_t)suffix};
        if (prefix > 0) {
            if (*count == 0) {
                WEIR_TRY(make_room(values, prefix + suffix, &used, err));
            } else if (used == 0 || prefix + suffix > values->assembled.capacity - used) {
                break; /* the views given so far must stay: go on in the next call */
            }
            view = (weir_parquet_view){values->assembled.data + used, (uint32_t)(prefix + suffix)};
            memcpy(values->assembled.data + used, front->previous.data, prefix);
            memcpy(values->assembled.data + used + prefix, values->next, suffix);
            used += prefix + suffix;
        }
        front->previous = view;
        values->next += suffix;
        front->position++;
        out[(*count)++] = view;
    }
    return WEIR_OK;
}

int weir_parquet_values_views(weir_parquet_values *values, int64_t max, weir_parquet_view *out, int64_t *out_count,
                              weir_error *err)
{
    *out_count = max < WEIR_PARQUET_VIEW_BLOCK ? max : WEIR_PARQUET_VIEW_BLOCK;
    switch (values->encoding) {
    case WEIR_PARQUET_PLAIN:
        return values->leaf->width > 0 ? fixed_views(values, *out_count, out, err)
                                       : plain_views(values, *out_count, out, err);
    case WEIR_PARQUET_BYTE_STREAM_SPLIT:
        return split_views(values, out_count, out, err);
    case WEIR_PARQUET_DELTA_LENGTH_BYTE_ARRAY:
        return delta_length_views(values, *out_count, out, err);
    case WEIR_PARQUET_DELTA_BYTE_ARRAY:
        return front_coded_views(values, out_count, out, err);
    default:
        return weir_parquet_values_too_short(values, err);
    }
}

int weir_parquet_skip_views(weir_parquet_values *values, int64_t count, weir_error *err)
{
    weir_parquet_view views[WEIR_PARQUET_VIEW_BLOCK];
    while (count > 0) {
        int64_t skipped;
        WEIR_TRY(weir_parquet_values_views(values, count, views, &skipped, err));
        count -= skipped;
    }
    return WEIR_OK;
}
