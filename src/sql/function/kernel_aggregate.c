/* Kernels around aggregates and windows: floats as bits (groups tell 0.0 from -0.0), times as milliseconds, and what is
 * made of a list of gathered values. */
#include <math.h>

#include "base/zone.h"
#include "sql/function/kernels.h"
#include "vector/compare.h"

/* --- Floats ---------------------------------------------------------------------------------------------------- */

/* All NaNs are one group. */
static void bits_of_doubles(const double *from, int64_t count, int64_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        double value = from[i] != from[i] ? (double)NAN : from[i];
        memcpy(&to[i], &value, sizeof value);
    }
}

static void bits_of_floats(const float *from, int64_t count, int32_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        float value = from[i] != from[i] ? NAN : from[i];
        memcpy(&to[i], &value, sizeof value);
    }
}

static int float_to_bits(weir_kernel_call *call, weir_error *err)
{
    (void)err;
    if (call->types[0]->id == WEIR_FLOAT) {
        bits_of_floats(call->data[0], call->length, call->result);
    } else {
        bits_of_doubles(call->data[0], call->length, call->result);
    }
    return WEIR_OK;
}

static int float_from_bits(weir_kernel_call *call, weir_error *err)
{
    (void)err;
    memcpy(call->result, call->data[0], (size_t)call->length * (call->type->id == WEIR_FLOAT ? 4 : 8));
    return WEIR_OK;
}

const weir_kernel weir_kernel_float_to_bits = {.name = "float_to_bits", .run = float_to_bits};
const weir_kernel weir_kernel_float_from_bits = {.name = "float_from_bits", .run = float_from_bits};

/* --- Times ----------------------------------------------------------------------------------------------------- */

static void millis_of_micros(const int64_t *from, int64_t count, int64_t *to)
{
    for (int64_t i = 0; i < count; i++) {
        to[i] = weir_floor_div(from[i], 1000);
    }
}

static int local_millis(weir_kernel_call *call, weir_error *err)
{
    if (call->option == NULL && call->types[0]->precision <= 6) {
        millis_of_micros(call->data[0], call->length, call->result);
        return WEIR_OK;
    }
    const weir_zone *zone = NULL;
    if (call->option != NULL) {
        WEIR_TRY(weir_kernel_zone(call, &zone, err));
    }
    for (int64_t i = 0; i < call->length; i++) {
        weir_timestamp_nanos time = weir_kernel_timestamp(call, 0, i);
        ((int64_t *)call->result)[i] = zone == NULL ? time.millis : weir_kernel_to_local(zone, time).millis;
    }
    return WEIR_OK;
}

/* option: the zone of a TIMESTAMP_LTZ, whose clock is read; none for a TIMESTAMP. */
const weir_kernel weir_kernel_local_millis = {.name = "local_millis", .run = local_millis};

/* --- Multisets ------------------------------------------------------------------------------------------------- */

static int compare_rows(const void *a, const void *b, void *values)
{
    return weir_vector_compare(values, *(const uint32_t *)a, values, *(const uint32_t *)b);
}

static void sort_rows(const weir_vector *values, uint32_t *rows, int64_t count)
{
    qsort_r(rows, (size_t)count, sizeof *rows, compare_rows, (void *)values);
}

static bool same_rows(const weir_vector *values, uint32_t a, uint32_t b)
{
    return weir_vector_compare(values, a, values, b) == 0;
}

/* Values `first` … of a list as a multiset's keys with their counts. */
static int append_counts(const weir_vector *values, int64_t first, int64_t count, uint32_t *rows, weir_vector *out,
                         weir_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (uint32_t)(first + i);
    }
    sort_rows(values, rows, count);
    for (int64_t i = 0; i < count;) {
        int64_t next = i + 1;
        while (next < count && same_rows(values, rows[i], rows[next])) {
            next++;
        }
        int32_t copies = (int32_t)(next - i);
        WEIR_TRY(weir_vector_append_rows(&out->children[0], values, &rows[i], 1, err));
        WEIR_TRY(weir_vector_append_raw(&out->children[1], &copies, sizeof copies, err));
        i = next;
    }
    return weir_vector_append_list(out, err);
}

static int count_values(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    const weir_vector *lists = &arguments[0];
    int64_t all = lists->children[0].length;
    uint32_t *rows = weir_alloc_zeroed((size_t)all + 1, sizeof *rows);
    int code = WEIR_OK;
    for (int64_t i = 0; i < call->length && code == WEIR_OK; i++) {
        bool none = weir_vector_is_null(lists, i);
        int32_t first = none ? 0 : lists->offsets[i];
        int32_t count = none ? 0 : lists->offsets[i + 1] - first;
        code = append_counts(&lists->children[0], first, count, rows, out, err);
    }
    free(rows);
    return code;
}

const weir_kernel weir_kernel_count_values = {.name = "count_values", .nested = count_values, .sees_nulls = true};

/* --- JSON ------------------------------------------------------------------------------------------------------ */

static void append_json(const weir_vector *texts, int64_t row, weir_buffer *out)
{
    if (weir_vector_is_null(texts, row)) {
        weir_buffer_append_text(out, "null");
    } else {
        weir_slice text = weir_vector_bytes(texts, row);
        weir_buffer_append(out, text.data, text.size);
    }
}

static int json_array_of(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    const weir_vector *lists = &arguments[0];
    weir_buffer text = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < call->length && code == WEIR_OK; i++) {
        bool none = weir_vector_is_null(lists, i);
        weir_buffer_clear(&text);
        weir_buffer_append_byte(&text, '[');
        for (int32_t j = none ? 0 : lists->offsets[i]; !none && j < lists->offsets[i + 1]; j++) {
            weir_buffer_append_text(&text, j == lists->offsets[i] ? "" : ",");
            append_json(&lists->children[0], j, &text);
        }
        weir_buffer_append_byte(&text, ']');
        code = weir_vector_append_raw(out, text.data, text.size, err);
    }
    weir_buffer_free(&text);
    return code;
}

/* Members in the order of their keys, as Flink writes them. */
static int append_members(const weir_vector *pairs, uint32_t *rows, int64_t count, weir_buffer *text, weir_error *err)
{
    const weir_vector *keys = &pairs->children[0];
    sort_rows(keys, rows, count);
    for (int64_t i = 0; i < count; i++) {
        if (i > 0 && same_rows(keys, rows[i - 1], rows[i])) {
            weir_slice key = weir_vector_bytes(keys, rows[i]);
            return weir_fail(err, WEIR_INVALID, "JSON_OBJECTAGG has the key %.*s twice", (int)key.size, key.data);
        }
        weir_buffer_append_text(text, i == 0 ? "" : ",");
        append_json(keys, rows[i], text);
        weir_buffer_append_byte(text, ':');
        append_json(&pairs->children[1], rows[i], text);
    }
    return WEIR_OK;
}

static int append_object(const weir_vector *lists, int64_t row, uint32_t *rows, weir_buffer *text, weir_error *err)
{
    bool none = weir_vector_is_null(lists, row);
    int32_t first = none ? 0 : lists->offsets[row];
    int32_t count = none ? 0 : lists->offsets[row + 1] - first;
    for (int32_t i = 0; i < count; i++) {
        rows[i] = (uint32_t)(first + i);
        if (weir_vector_is_null(&lists->children[0].children[0], first + i)) {
            return weir_fail(err, WEIR_INVALID, "a key of JSON_OBJECTAGG is NULL; leave such rows out by FILTER");
        }
    }
    weir_buffer_append_byte(text, '{');
    WEIR_TRY(append_members(&lists->children[0], rows, count, text, err));
    weir_buffer_append_byte(text, '}');
    return WEIR_OK;
}

static int json_object_of(const weir_kernel_call *call, const weir_vector *arguments, weir_vector *out, weir_error *err)
{
    const weir_vector *lists = &arguments[0];
    uint32_t *rows = weir_alloc_zeroed((size_t)lists->children[0].length + 1, sizeof *rows);
    weir_buffer text = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < call->length && code == WEIR_OK; i++) {
        weir_buffer_clear(&text);
        code = append_object(lists, i, rows, &text, err);
        if (code == WEIR_OK) {
            code = weir_vector_append_raw(out, text.data, text.size, err);
        }
    }
    weir_buffer_free(&text);
    free(rows);
    return code;
}

const weir_kernel weir_kernel_json_array_of = {.name = "json_array_of", .nested = json_array_of, .sees_nulls = true};
const weir_kernel weir_kernel_json_object_of = {.name = "json_object_of", .nested = json_object_of, .sees_nulls = true};
