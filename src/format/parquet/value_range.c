/* Ranges of values.
 *
 * Numbers are compared in loops that the compiler can vectorize. Text is compared by its first eight bytes as a
 * big-endian number, and only where these are equal byte by byte. */
#include "format/parquet/value_range.h"

#include <math.h>

#include "format/parquet/encoding_writer.h"
#include "vector/float_order.h"

void weir_value_range_free(weir_value_range *range)
{
    weir_buffer_free(&range->min_bytes);
    weir_buffer_free(&range->max_bytes);
    *range = (weir_value_range){0};
}

void weir_value_range_clear(weir_value_range *range) { range->has_value = false; }

/* --- kernels: the least and greatest of at least one value ------------------------------------------------------- */

#define MIN_MAX(name, type)                                                                                            \
    static void name(const type *values, size_t count, type *out_min, type *out_max)                                   \
    {                                                                                                                  \
        type min = values[0];                                                                                          \
        type max = values[0];                                                                                          \
        for (size_t i = 1; i < count; i++) {                                                                           \
            min = values[i] < min ? values[i] : min;                                                                   \
            max = values[i] > max ? values[i] : max;                                                                   \
        }                                                                                                              \
        *out_min = min;                                                                                                \
        *out_max = max;                                                                                                \
    }

MIN_MAX(min_max_int32, int32_t)
MIN_MAX(min_max_int64, int64_t)
MIN_MAX(min_max_int128, weir_int128)

static void min_max_float(const float *values, size_t count, float *out_min, float *out_max)
{
    int32_t min = weir_float_rank(values[0]);
    int32_t max = min;
    for (size_t i = 1; i < count; i++) {
        int32_t rank = weir_float_rank(values[i]);
        min = rank < min ? rank : min;
        max = rank > max ? rank : max;
    }
    *out_min = weir_float_of_rank(min);
    *out_max = weir_float_of_rank(max);
}

static void min_max_double(const double *values, size_t count, double *out_min, double *out_max)
{
    int64_t min = weir_double_rank(values[0]);
    int64_t max = min;
    for (size_t i = 1; i < count; i++) {
        int64_t rank = weir_double_rank(values[i]);
        min = rank < min ? rank : min;
        max = rank > max ? rank : max;
    }
    *out_min = weir_double_of_rank(min);
    *out_max = weir_double_of_rank(max);
}

static inline bool nanos_before(const weir_timestamp_nanos *a, const weir_timestamp_nanos *b)
{
    return a->millis != b->millis ? a->millis < b->millis : a->nanos_of_milli < b->nanos_of_milli;
}

static void min_max_nanos(const weir_timestamp_nanos *values, size_t count, weir_timestamp_nanos *out_min,
                          weir_timestamp_nanos *out_max)
{
    const weir_timestamp_nanos *min = &values[0];
    const weir_timestamp_nanos *max = &values[0];
    for (size_t i = 1; i < count; i++) {
        min = nanos_before(&values[i], min) ? &values[i] : min;
        max = nanos_before(max, &values[i]) ? &values[i] : max;
    }
    *out_min = *min;
    *out_max = *max;
}

/* The first eight bytes as a number that orders as they do, shorter text filled with zeros. */
static inline uint64_t prefix_of(const weir_dense_values *values, weir_bytes_ref ref)
{
    if ((size_t)ref.from + 8 <= values->bytes_size) {
        uint64_t prefix = weir_load_be64(values->bytes + ref.from);
        return ref.size >= 8 ? prefix : ref.size == 0 ? 0 : prefix & (~UINT64_C(0) << (64 - 8 * ref.size));
    }
    uint8_t bytes[8] = {0};
    memcpy(bytes, values->bytes + ref.from, ref.size < 8 ? ref.size : 8);
    return weir_load_be64(bytes);
}

static inline weir_slice slice_of(const weir_dense_values *values, weir_bytes_ref ref)
{
    return weir_slice_of(values->bytes + ref.from, ref.size);
}

/* Of two values with the same prefix. */
static inline int compare_rest(const weir_dense_values *values, weir_bytes_ref a, weir_bytes_ref b)
{
    if (a.size <= 8 && a.size == b.size) {
        return 0;
    }
    return weir_slice_compare(slice_of(values, a), slice_of(values, b));
}

static void min_max_bytes(const weir_dense_values *values, weir_slice *out_min, weir_slice *out_max)
{
    weir_bytes_ref min = values->refs[0];
    weir_bytes_ref max = min;
    uint64_t min_prefix = prefix_of(values, min);
    uint64_t max_prefix = min_prefix;
    for (size_t i = 1; i < values->count; i++) {
        weir_bytes_ref ref = values->refs[i];
        uint64_t prefix = prefix_of(values, ref);
        if (prefix < min_prefix || (prefix == min_prefix && compare_rest(values, ref, min) < 0)) {
            min = ref;
            min_prefix = prefix;
        }
        if (prefix > max_prefix || (prefix == max_prefix && compare_rest(values, ref, max) > 0)) {
            max = ref;
            max_prefix = prefix;
        }
    }
    *out_min = slice_of(values, min);
    *out_max = slice_of(values, max);
}

static void min_max_of(const weir_dense_values *values, weir_literal *min, weir_literal *max)
{
    int32_t min32;
    int32_t max32;
    switch (values->form) {
    case WEIR_FORM_BOOLEAN:
        min->boolean = values->true_count == (int64_t)values->count;
        max->boolean = values->true_count > 0;
        break;
    case WEIR_FORM_INT32:
        min_max_int32(values->fixed, values->count, &min32, &max32);
        min->integer = min32;
        max->integer = max32;
        break;
    case WEIR_FORM_INT64:
        min_max_int64(values->fixed, values->count, &min->integer, &max->integer);
        break;
    case WEIR_FORM_FLOAT:
        min_max_float(values->fixed, values->count, &min->float32, &max->float32);
        break;
    case WEIR_FORM_DOUBLE:
        min_max_double(values->fixed, values->count, &min->float64, &max->float64);
        break;
    case WEIR_FORM_INT128:
        min_max_int128(values->fixed, values->count, &min->decimal, &max->decimal);
        break;
    case WEIR_FORM_NANOS:
        min_max_nanos(values->fixed, values->count, &min->nanos, &max->nanos);
        break;
    case WEIR_FORM_BYTES:
        min_max_bytes(values, &min->bytes, &max->bytes);
        break;
    }
}

/* --- ranges ------------------------------------------------------------------------------------------------------- */

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

int weir_value_compare(weir_value_form form, const weir_literal *a, const weir_literal *b)
{
    switch (form) {
    case WEIR_FORM_BOOLEAN:
        return ORDER(a->boolean, b->boolean);
    case WEIR_FORM_INT32:
    case WEIR_FORM_INT64:
        return ORDER(a->integer, b->integer);
    case WEIR_FORM_FLOAT:
        return ORDER(weir_float_rank(a->float32), weir_float_rank(b->float32));
    case WEIR_FORM_DOUBLE:
        return ORDER(weir_double_rank(a->float64), weir_double_rank(b->float64));
    case WEIR_FORM_INT128:
        return ORDER(a->decimal, b->decimal);
    case WEIR_FORM_NANOS:
        return nanos_before(&b->nanos, &a->nanos) - nanos_before(&a->nanos, &b->nanos);
    case WEIR_FORM_BYTES:
        break;
    }
    return weir_slice_compare(a->bytes, b->bytes);
}

static void set_bound(weir_literal *bound, weir_buffer *bytes, weir_value_form form, const weir_literal *value)
{
    *bound = *value;
    if (form == WEIR_FORM_BYTES) {
        weir_buffer_clear(bytes);
        weir_buffer_append(bytes, value->bytes.data, value->bytes.size);
        bound->bytes = weir_buffer_slice(bytes);
    }
}

static void widen(weir_value_range *range, weir_value_form form, const weir_literal *min, const weir_literal *max)
{
    if (!range->has_value || weir_value_compare(form, min, &range->min) < 0) {
        set_bound(&range->min, &range->min_bytes, form, min);
    }
    if (!range->has_value || weir_value_compare(form, max, &range->max) > 0) {
        set_bound(&range->max, &range->max_bytes, form, max);
    }
    range->has_value = true;
}

void weir_value_range_add(weir_value_range *range, const weir_dense_values *values)
{
    if (values->count == 0) {
        return;
    }
    weir_literal min = {0};
    weir_literal max = {0};
    min_max_of(values, &min, &max);
    widen(range, values->form, &min, &max);
}

void weir_value_range_merge(weir_value_range *range, weir_value_form form, const weir_value_range *from)
{
    if (from->has_value) {
        widen(range, form, &from->min, &from->max);
    }
}

bool weir_value_range_bounds(const weir_value_range *range, weir_value_form form, weir_literal *min, weir_literal *max)
{
    if (!range->has_value || form == WEIR_FORM_NANOS) {
        return false;
    }
    *min = range->min;
    *max = range->max;
    if (form == WEIR_FORM_FLOAT) {
        min->float32 = min->float32 == 0 ? -0.0f : min->float32;
        max->float32 = max->float32 == 0 ? 0.0f : max->float32;
        return !isnan(range->max.float32);
    }
    if (form == WEIR_FORM_DOUBLE) {
        min->float64 = min->float64 == 0 ? -0.0 : min->float64;
        max->float64 = max->float64 == 0 ? 0.0 : max->float64;
        return !isnan(range->max.float64);
    }
    return true;
}

weir_slice weir_value_statistic(const weir_write_leaf *leaf, weir_value_form form, const weir_literal *value,
                                uint8_t room[WEIR_STATISTIC_ROOM])
{
    switch (form) {
    case WEIR_FORM_BOOLEAN:
        room[0] = value->boolean;
        return weir_slice_of(room, 1);
    case WEIR_FORM_INT32:
        weir_store_le32(room, (uint32_t)value->integer);
        return weir_slice_of(room, 4);
    case WEIR_FORM_INT64:
        weir_store_le64(room, (uint64_t)value->integer);
        return weir_slice_of(room, 8);
    case WEIR_FORM_FLOAT:
        memcpy(room, &value->float32, 4);
        return weir_slice_of(room, 4);
    case WEIR_FORM_DOUBLE:
        memcpy(room, &value->float64, 8);
        return weir_slice_of(room, 8);
    case WEIR_FORM_INT128:
        weir_plain_encode_int128(&value->decimal, 1, (size_t)leaf->type_length, room);
        return weir_slice_of(room, (size_t)leaf->type_length);
    case WEIR_FORM_NANOS:
        weir_plain_encode_int96(&value->nanos, 1, room);
        return weir_slice_of(room, 12);
    case WEIR_FORM_BYTES:
        break;
    }
    return value->bytes;
}
