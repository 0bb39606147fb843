/* Functions over arrays: finding, cutting, ordering, joining. Those that treat arrays as sets are in
 * kernel_array_set.c. */
#include <stdlib.h>

#include "sql/function/kernels.h"
#include "sql/function/nested_rows.h"

/* --- Looking --------------------------------------------------------------------------------------------------- */

static int put_integer(weir_nested_rows *rows, int32_t value, weir_error *err)
{
    return weir_vector_append_raw(rows->out, &value, sizeof value, err);
}

static int put_element(weir_nested_rows *rows, const weir_vector *elements, int64_t at, weir_error *err)
{
    return weir_vector_append_range(rows->out, elements, at, 1, err);
}

static int cardinality(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    return put_integer(rows, (int32_t)weir_list_at(&rows->arguments[0], row).count, err);
}

/* Where a value stands in an array, from 0; -1: nowhere. */
static int64_t find_in(const weir_vector *array, int64_t row, const weir_vector *values, int64_t value)
{
    weir_list_span span = weir_list_at(array, row);
    for (int64_t i = 0; i < span.count; i++) {
        if (weir_vector_values_equal(&array->children[0], span.first + i, values, value)) {
            return i;
        }
    }
    return -1;
}

static int contains(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    uint8_t found = find_in(&rows->arguments[0], row, &rows->arguments[1], row) >= 0;
    return weir_vector_append_raw(rows->out, &found, 1, err);
}

static int position(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    return put_integer(rows, (int32_t)find_in(&rows->arguments[0], row, &rows->arguments[1], row) + 1, err);
}

/* array[i], from 1; NULL outside. */
static int item(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    int64_t index = weir_nested_integer(&rows->arguments[1], row);
    if (index < 1 || index > span.count) {
        return weir_vector_append_nulls(rows->out, 1, err);
    }
    return put_element(rows, &rows->arguments[0].children[0], span.first + index - 1, err);
}

static int element(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    if (span.count > 1) {
        return weir_fail(err, WEIR_INVALID, "ELEMENT takes an array of one element, and this one has %" PRId64,
                         span.count);
    }
    return span.count == 0 ? weir_vector_append_nulls(rows->out, 1, err)
                           : put_element(rows, &rows->arguments[0].children[0], span.first, err);
}

/* The least or greatest element that is not NULL. */
static int extreme(weir_nested_rows *rows, int64_t row, int sign, weir_error *err)
{
    const weir_vector *elements = &rows->arguments[0].children[0];
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    int64_t best = -1;
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        if (weir_vector_is_null(elements, i)) {
            continue;
        }
        if (best < 0 || weir_vector_compare(elements, i, elements, best) * sign > 0) {
            best = i;
        }
    }
    return best < 0 ? weir_vector_append_nulls(rows->out, 1, err) : put_element(rows, elements, best, err);
}

static int greatest(weir_nested_rows *rows, int64_t row, weir_error *err) { return extreme(rows, row, 1, err); }

static int least(weir_nested_rows *rows, int64_t row, weir_error *err) { return extreme(rows, row, -1, err); }

/* ARRAY_JOIN(array, delimiter[, for NULLs]): NULLs are left out when nothing stands for them. */
static int join(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    const weir_vector *elements = &rows->arguments[0].children[0];
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    weir_slice delimiter = weir_vector_bytes(&rows->arguments[1], row);
    bool has_substitute = rows->call->argument_count > 2;
    bool first = true;
    weir_buffer_clear(&rows->text);
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        bool null = weir_vector_is_null(elements, i);
        if (null && !has_substitute) {
            continue;
        }
        weir_slice text = null ? weir_vector_bytes(&rows->arguments[2], row) : weir_vector_bytes(elements, i);
        weir_buffer_append(&rows->text, delimiter.data, first ? 0 : delimiter.size);
        weir_buffer_append(&rows->text, text.data, text.size);
        first = false;
    }
    return weir_vector_append_raw(rows->out, rows->text.size == 0 ? (const void *)"" : rows->text.data, rows->text.size,
                                  err);
}

WEIR_DEFINE_NESTED(run_cardinality, 0, cardinality)
WEIR_DEFINE_NESTED(run_contains, 2, contains)
WEIR_DEFINE_NESTED(run_position, 0, position)
WEIR_DEFINE_NESTED(run_item, 0, item)
WEIR_DEFINE_NESTED(run_element, 0, element)
WEIR_DEFINE_NESTED(run_greatest, 0, greatest)
WEIR_DEFINE_NESTED(run_least, 0, least)
WEIR_DEFINE_NESTED(run_join, 0, join)

const weir_kernel weir_kernel_cardinality = {.name = "cardinality", .nested = run_cardinality};
const weir_kernel weir_kernel_array_contains = {.name = "array_contains", .nested = run_contains};
const weir_kernel weir_kernel_array_position = {.name = "array_position", .nested = run_position};
const weir_kernel weir_kernel_array_item = {.name = "array_item", .nested = run_item};
const weir_kernel weir_kernel_element = {.name = "element", .nested = run_element};
const weir_kernel weir_kernel_array_max = {.name = "array_max", .nested = run_greatest};
const weir_kernel weir_kernel_array_min = {.name = "array_min", .nested = run_least};
const weir_kernel weir_kernel_array_join = {.name = "array_join", .nested = run_join};

/* --- Arrays of arrays ------------------------------------------------------------------------------------------ */

/* Appends elements of an argument to the array that is being made. */
static int take(weir_nested_rows *rows, int32_t argument, int64_t first, int64_t count, weir_error *err)
{
    return weir_vector_append_range(&rows->out->children[0], &rows->arguments[argument].children[0], first, count, err);
}

static int reverse(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    for (int64_t i = span.count; i-- > 0;) {
        WEIR_TRY(take(rows, 0, span.first + i, 1, err));
    }
    return weir_vector_append_list(rows->out, err);
}

/* ARRAY_SLICE(array, from[, to]): both count from 1, negative ones from the end; 0 is read as 1. */
static int slice(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    int64_t from = weir_nested_integer(&rows->arguments[1], row);
    int64_t to = rows->call->argument_count > 2 ? weir_nested_integer(&rows->arguments[2], row) : span.count;
    from = from < 0 ? span.count + from + 1 : from == 0 ? 1 : from;
    to = to < 0 ? span.count + to + 1 : to == 0 ? 1 : to;
    from = from < 1 ? 1 : from;
    to = to > span.count ? span.count : to;
    if (from <= to) {
        WEIR_TRY(take(rows, 0, span.first + from - 1, to - from + 1, err));
    }
    return weir_vector_append_list(rows->out, err);
}

static int remove_value(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    const weir_vector *elements = &rows->arguments[0].children[0];
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        if (!weir_vector_values_equal(elements, i, &rows->arguments[1], row)) {
            WEIR_TRY(take(rows, 0, i, 1, err));
        }
    }
    return weir_vector_append_list(rows->out, err);
}

static int concat(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    for (int32_t i = 0; i < rows->call->argument_count; i++) {
        weir_list_span span = weir_list_at(&rows->arguments[i], row);
        WEIR_TRY(take(rows, i, span.first, span.count, err));
    }
    return weir_vector_append_list(rows->out, err);
}

static int extend(weir_nested_rows *rows, int64_t row, bool in_front, weir_error *err)
{
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    weir_vector *elements = &rows->out->children[0];
    if (in_front) {
        WEIR_TRY(weir_vector_append_range(elements, &rows->arguments[1], row, 1, err));
    }
    WEIR_TRY(take(rows, 0, span.first, span.count, err));
    if (!in_front) {
        WEIR_TRY(weir_vector_append_range(elements, &rows->arguments[1], row, 1, err));
    }
    return weir_vector_append_list(rows->out, err);
}

static int append(weir_nested_rows *rows, int64_t row, weir_error *err) { return extend(rows, row, false, err); }

static int prepend(weir_nested_rows *rows, int64_t row, weir_error *err) { return extend(rows, row, true, err); }

/* --- Sorting --------------------------------------------------------------------------------------------------- */

typedef struct order {
    const weir_vector *elements;
    bool descending;
    bool nulls_first;
} order;

static int compare(const void *a, const void *b, void *context)
{
    const order *by = context;
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    bool null_x = weir_vector_is_null(by->elements, x);
    bool null_y = weir_vector_is_null(by->elements, y);
    int result = 0;
    if (null_x != null_y) {
        return null_x == by->nulls_first ? -1 : 1;
    }
    if (!null_x) {
        result = weir_vector_compare(by->elements, x, by->elements, y);
    }
    result = by->descending ? -result : result;
    return result != 0 ? result : (x > y) - (x < y); /* equal ones keep their order */
}

/* ARRAY_SORT(array[, ascending[, NULLs first]]): NULLs stand first when ascending, unless said otherwise. */
static int sort(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    const weir_vector *elements = &rows->arguments[0].children[0];
    weir_list_span span = weir_list_at(&rows->arguments[0], row);
    int32_t count = rows->call->argument_count;
    bool ascending = count < 2 || weir_literal_of(&rows->arguments[1], row).boolean;
    order by = {elements, !ascending, count < 3 ? ascending : weir_literal_of(&rows->arguments[2], row).boolean};
    weir_buffer_clear(&rows->text);
    weir_buffer_append_zeros(&rows->text, (size_t)span.count * sizeof(uint32_t));
    uint32_t *indexes = (uint32_t *)(void *)rows->text.data;
    for (int64_t i = 0; i < span.count; i++) {
        indexes[i] = (uint32_t)(span.first + i);
    }
    if (span.count > 0) {
        qsort_r(indexes, (size_t)span.count, sizeof *indexes, compare, &by);
        WEIR_TRY(weir_vector_append_rows(&rows->out->children[0], elements, indexes, span.count, err));
    }
    return weir_vector_append_list(rows->out, err);
}

WEIR_DEFINE_NESTED(run_reverse, 0, reverse)
WEIR_DEFINE_NESTED(run_slice, 0, slice)
WEIR_DEFINE_NESTED(run_remove, 2, remove_value)
WEIR_DEFINE_NESTED(run_concat, 0, concat)
WEIR_DEFINE_NESTED(run_append, 2, append)
WEIR_DEFINE_NESTED(run_prepend, 2, prepend)
WEIR_DEFINE_NESTED(run_sort, 0, sort)

const weir_kernel weir_kernel_array_reverse = {.name = "array_reverse", .nested = run_reverse};
const weir_kernel weir_kernel_array_slice = {.name = "array_slice", .nested = run_slice};
const weir_kernel weir_kernel_array_remove = {.name = "array_remove", .nested = run_remove};
const weir_kernel weir_kernel_array_concat = {.name = "array_concat", .nested = run_concat};
const weir_kernel weir_kernel_array_append = {.name = "array_append", .nested = run_append};
const weir_kernel weir_kernel_array_prepend = {.name = "array_prepend", .nested = run_prepend};
const weir_kernel weir_kernel_array_sort = {.name = "array_sort", .nested = run_sort};
