/* Aggregates of all values: LISTAGG, ARRAY_AGG, COLLECT, JSON_ARRAYAGG, JSON_OBJECTAGG, PERCENTILE, and SINGLE_VALUE,
 * whose list may not become longer than one.
 *
 * The tail is the list in order of arrival, an element: | size: 4 | value and what it is ordered by, as row_codec.h
 * writes them |. A retraction takes the first element that is equal, as in Flink. What is given is made by the kernels
 * that make it in batch. */
#include <math.h>
#include <stdlib.h>

#include "base/map.h"
#include "sql/function/kernels.h"
#include "stream/operator/aggregate/accumulator_value.h"
#include "stream/state/row_codec.h"
#include "vector/compare.h"

/* --- Changing lists -------------------------------------------------------------------------------------------- */

/* The entries of a batch by rows, with their elements. */
typedef struct sorted_entries {
    uint32_t *begins; /* of each row, into order; one more at the end */
    uint32_t *order;
    weir_buffer bytes; /* of all values */
    uint32_t *offsets;
} sorted_entries;

static void free_sorted(sorted_entries *sorted)
{
    free(sorted->begins);
    free(sorted->order);
    free(sorted->offsets);
    weir_buffer_free(&sorted->bytes);
}

static bool is_passed_over(const weir_cell *cell, const weir_entries *entries, const weir_batch *computed, int64_t i)
{
    return cell->skips_nulls && weir_vector_is_null(&computed->columns[cell->column], entries->values[i]);
}

static int sort_entries(const weir_cell *cell, const weir_accumulator_rows *rows, const weir_entries *entries,
                        const weir_batch *computed, sorted_entries *out, weir_error *err)
{
    int32_t columns[1 + WEIR_MOST_ORDER_KEYS] = {cell->column};
    for (int32_t i = 0; i < cell->order_count; i++) {
        columns[i + 1] = cell->order_column + i;
    }
    out->begins = weir_alloc_zeroed((size_t)rows->count + 2, sizeof *out->begins);
    out->order = weir_alloc_zeroed((size_t)entries->count + 1, sizeof *out->order);
    out->offsets = weir_alloc_zeroed((size_t)computed->length + 1, sizeof *out->offsets);
    WEIR_TRY(weir_rows_encode(computed, columns, 1 + cell->order_count, &out->bytes, out->offsets, err));
    for (int64_t i = 0; i < entries->count; i++) {
        out->begins[entries->rows[i] + 2] += !is_passed_over(cell, entries, computed, i);
    }
    for (int64_t i = 0; i < rows->count; i++) {
        out->begins[i + 2] += out->begins[i + 1];
    }
    for (int64_t i = 0; i < entries->count; i++) {
        if (!is_passed_over(cell, entries, computed, i)) {
            out->order[out->begins[entries->rows[i] + 1]++] = (uint32_t)i;
        }
    }
    return WEIR_OK;
}

static weir_slice element_of(const sorted_entries *sorted, const weir_entries *entries, uint32_t entry)
{
    uint32_t value = entries->values[entry];
    return weir_slice_of(sorted->bytes.data + sorted->offsets[value],
                         sorted->offsets[value + 1] - sorted->offsets[value]);
}

static void append_element(weir_buffer *list, weir_slice element)
{
    uint32_t size = (uint32_t)element.size;
    weir_buffer_append(list, &size, sizeof size);
    weir_buffer_append(list, element.data, element.size);
}

/* The element at *at, which is advanced; false at the end. */
static bool next_element(weir_slice list, size_t *at, weir_slice *out)
{
    if (list.size - *at < 4) {
        return false;
    }
    uint32_t size = weir_load_le32(list.data + *at);
    if (size > list.size - *at - 4) {
        return false;
    }
    *out = weir_slice_of(list.data + *at + 4, size);
    *at += 4 + (size_t)size;
    return true;
}

/* Elements that are to go -> how often. */
typedef struct removal_counts {
    weir_map counts;
    int64_t *numbers;
    size_t used;
} removal_counts;

static void remove_later(removal_counts *removals, weir_slice element)
{
    int64_t *count = weir_map_get(&removals->counts, element);
    if (count == NULL) {
        count = &removals->numbers[removals->used++];
        weir_map_put(&removals->counts, element, count);
    }
    (*count)++;
}

static bool is_removed(const removal_counts *removals, weir_slice element)
{
    int64_t *count = removals->used == 0 ? NULL : weir_map_get(&removals->counts, element);
    if (count == NULL || *count == 0) {
        return false;
    }
    (*count)--;
    return true;
}

static void append_left(const removal_counts *removals, weir_slice list, weir_buffer *out)
{
    weir_slice element;
    if (removals->used == 0) {
        weir_buffer_append(out, list.data, list.size);
        return;
    }
    for (size_t at = 0; next_element(list, &at, &element);) {
        if (!is_removed(removals, element)) {
            append_element(out, element);
        }
    }
}

/* What a row's entries make of its list: of equal elements the first ones go, as they would one after the other. */
static void change_list(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, const weir_entries *entries,
                        const sorted_entries *sorted, weir_buffer *list)
{
    uint32_t begin = sorted->begins[row];
    uint32_t end = sorted->begins[row + 1];
    removal_counts removals = {
        .numbers = entries->signs == NULL ? NULL : weir_alloc_zeroed((size_t)(end - begin) + 1, sizeof(int64_t))};
    for (uint32_t i = begin; i < end && entries->signs != NULL; i++) {
        if (entries->signs[sorted->order[i]] < 0) {
            remove_later(&removals, element_of(sorted, entries, sorted->order[i]));
        }
    }
    weir_buffer_clear(list);
    append_left(&removals, weir_tail_get(rows, row, cell->tail), list);
    for (uint32_t i = begin; i < end; i++) {
        weir_slice element = element_of(sorted, entries, sorted->order[i]);
        if (weir_entry_sign(entries, sorted->order[i]) > 0 && !is_removed(&removals, element)) {
            append_element(list, element);
        }
    }
    weir_tail_set(rows, row, cell->tail, weir_buffer_slice(list));
    weir_map_free(&removals.counts);
    free(removals.numbers);
}

static int apply_list(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                      const weir_batch *computed, weir_error *err)
{
    sorted_entries sorted = {0};
    weir_buffer list = {0};
    int code = sort_entries(cell, rows, entries, computed, &sorted, err);
    for (int64_t row = 0; row < rows->count && code == WEIR_OK; row++) {
        if (sorted.begins[row] < sorted.begins[row + 1]) {
            change_list(cell, rows, row, entries, &sorted, &list);
        }
    }
    weir_buffer_free(&list);
    free_sorted(&sorted);
    return code;
}

static int merge_list(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    (void)err;
    weir_buffer list = {0};
    weir_slice first = weir_tail_get(rows, to, cell->tail);
    weir_slice second = weir_tail_get(rows, from, cell->tail);
    weir_buffer_append(&list, first.data, first.size);
    weir_buffer_append(&list, second.data, second.size);
    weir_tail_set(rows, to, cell->tail, weir_buffer_slice(&list));
    weir_buffer_free(&list);
    return WEIR_OK;
}

const weir_cell_kind weir_cell_list = {.name = "list", .apply = apply_list, .merge = merge_list};

/* --- Reading them ---------------------------------------------------------------------------------------------- */

/* The elements of all rows as columns: the value, then what it is ordered by. */
typedef struct list_elements {
    weir_batch batch;
    weir_field *fields;
    uint32_t *begins; /* of each row, and one more at the end */
    uint32_t *order;  /* of the elements of each row */
} list_elements;

static void free_elements(list_elements *elements)
{
    weir_batch_free(&elements->batch);
    free(elements->fields);
    free(elements->begins);
    free(elements->order);
}

static int decode_lists(const weir_cell *cell, const weir_accumulator_rows *rows, list_elements *out, weir_error *err)
{
    for (int64_t i = 0; i < rows->count; i++) {
        weir_slice list = weir_tail_get(rows, i, cell->tail);
        weir_slice element;
        for (size_t at = 0; next_element(list, &at, &element);) {
            WEIR_TRY(weir_row_decode(element, &out->batch, 0, 1 + cell->order_count, err));
        }
        out->begins[i + 1] = (uint32_t)out->batch.columns[0].length;
    }
    return WEIR_OK;
}

typedef struct element_ordering {
    const weir_cell *cell;
    const weir_batch *batch;
} element_ordering;

static int compare_key(const weir_sort_key *key, const weir_vector *column, uint32_t a, uint32_t b)
{
    bool a_null = weir_vector_is_null(column, a);
    bool b_null = weir_vector_is_null(column, b);
    if (a_null || b_null) {
        int order = (int)b_null - (int)a_null; /* NULL first */
        return key->nulls_first ? order : -order;
    }
    int order = weir_vector_compare(column, a, column, b);
    return key->descending ? -order : order;
}

static int compare_elements(const void *a, const void *b, void *context)
{
    const element_ordering *ordering = context;
    uint32_t first = *(const uint32_t *)a;
    uint32_t second = *(const uint32_t *)b;
    for (int32_t i = 0; i < ordering->cell->order_count; i++) {
        int order = compare_key(&ordering->cell->order[i], &ordering->batch->columns[1 + i], first, second);
        if (order != 0) {
            return order;
        }
    }
    return (first > second) - (first < second); /* by arrival */
}

static int read_elements(const weir_cell *cell, const weir_accumulator_rows *rows, list_elements *out, weir_error *err)
{
    out->fields = weir_alloc_zeroed((size_t)cell->order_count + 1, sizeof *out->fields);
    out->fields[0].type = cell->type;
    for (int32_t i = 0; i < cell->order_count; i++) {
        out->fields[1 + i].type = cell->order[i].expression->type;
    }
    weir_batch_init(&out->batch, out->fields, 1 + cell->order_count);
    out->begins = weir_alloc_zeroed((size_t)rows->count + 1, sizeof *out->begins);
    WEIR_TRY(decode_lists(cell, rows, out, err));
    size_t count = (size_t)out->batch.columns[0].length;
    out->order = weir_alloc_zeroed(count + 1, sizeof *out->order);
    for (size_t i = 0; i < count; i++) {
        out->order[i] = (uint32_t)i;
    }
    element_ordering ordering = {cell, &out->batch};
    for (int64_t i = 0; i < rows->count && cell->order_count > 0; i++) {
        qsort_r(out->order + out->begins[i], out->begins[i + 1] - out->begins[i], sizeof *out->order, compare_elements,
                &ordering);
    }
    return WEIR_OK;
}

/* --- What they give -------------------------------------------------------------------------------------------- */

static int append_texts(const weir_aggregate *aggregate, const list_elements *elements, int64_t row, weir_buffer *text,
                        weir_vector *out, weir_error *err)
{
    weir_slice separator = weir_slice_of(",", 1);
    if (aggregate->argument_count > 1) {
        separator = aggregate->arguments[1]->literal.bytes;
    }
    if (elements->begins[row] == elements->begins[row + 1]) {
        return weir_vector_append_nulls(out, 1, err);
    }
    weir_buffer_clear(text);
    for (uint32_t i = elements->begins[row]; i < elements->begins[row + 1]; i++) {
        weir_slice value = weir_vector_bytes(&elements->batch.columns[0], elements->order[i]);
        if (i > elements->begins[row]) {
            weir_buffer_append(text, separator.data, separator.size);
        }
        weir_buffer_append(text, value.data, value.size);
    }
    return weir_vector_append_raw(out, text->data == NULL ? (const uint8_t *)"" : text->data, text->size, err);
}

static int give_texts(const weir_aggregate *aggregate, const list_elements *elements, int64_t count, weir_vector *out,
                      weir_error *err)
{
    weir_buffer text = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < count && code == WEIR_OK; i++) {
        code = append_texts(aggregate, elements, i, &text, out, err);
    }
    weir_buffer_free(&text);
    return code;
}

/* An ARRAY for each row, NULL of no elements. */
static int give_arrays(const list_elements *elements, int64_t count, weir_vector *out, weir_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t begin = elements->begins[i];
        uint32_t end = elements->begins[i + 1];
        if (begin == end) {
            WEIR_TRY(weir_vector_append_nulls(out, 1, err));
            continue;
        }
        WEIR_TRY(weir_vector_append_rows(&out->children[0], &elements->batch.columns[0], elements->order + begin,
                                         end - begin, err));
        WEIR_TRY(weir_vector_append_list(out, err));
    }
    return WEIR_OK;
}

/* What a kernel makes of each row's ARRAY. */
static int give_by_kernel(const weir_kernel *kernel, const weir_cell *cell, const list_elements *elements,
                          int64_t count, weir_vector *out, weir_error *err)
{
    weir_vector arrays;
    weir_type type = {.id = WEIR_ARRAY, .nullable = true, .element = cell->type};
    const weir_type *types[1] = {&type};
    weir_kernel_call call = {.length = count, .argument_count = 1, .types = types, .type = out->type};
    weir_vector_init(&arrays, &type);
    int code = give_arrays(elements, count, &arrays, err);
    if (code == WEIR_OK) {
        code = kernel->nested(&call, &arrays, out, err);
    }
    weir_vector_free(&arrays);
    return code;
}

static int give_single(const list_elements *elements, int64_t count, weir_vector *out, weir_error *err)
{
    for (int64_t i = 0; i < count; i++) {
        uint32_t begin = elements->begins[i];
        uint32_t values = elements->begins[i + 1] - begin;
        if (values > 1) {
            return weir_fail(err, WEIR_INVALID,
                             "a subquery used as a value gave more than one row; MAX, MIN or LIMIT 1 make it one");
        }
        WEIR_TRY(values == 0 ? weir_vector_append_nulls(out, 1, err)
                             : weir_vector_append_range(out, &elements->batch.columns[0], begin, 1, err));
    }
    return WEIR_OK;
}

/* --- Percentiles ----------------------------------------------------------------------------------------------- */

static double number_at(const weir_vector *column, uint32_t row)
{
    weir_literal value = weir_literal_of(column, row);
    const weir_type *type = column->type;
    if (type->id == WEIR_FLOAT) {
        return (double)value.float32;
    }
    if (type->id == WEIR_DOUBLE) {
        return value.float64;
    }
    if (type->id == WEIR_DECIMAL) {
        weir_int128 unscaled = column->layout == WEIR_LAYOUT_128 ? value.decimal : value.integer;
        return (double)unscaled / (double)weir_power_of_ten(type->scale);
    }
    return (double)value.integer;
}

static int compare_numbers(const void *a, const void *b)
{
    double first = *(const double *)a;
    double second = *(const double *)b;
    if (first != first || second != second) { /* NaN after all others */
        return (first != first) - (second != second);
    }
    return (first > second) - (first < second);
}

/* Between the two values that stand around the share. */
static double percentile_of(double *values, size_t count, double share)
{
    qsort(values, count, sizeof *values, compare_numbers);
    double place = share * (double)(count - 1);
    size_t below = (size_t)floor(place);
    size_t above = (size_t)ceil(place);
    double part = place - (double)below;
    return values[below] * (1 - part) + values[above] * part;
}

static int give_percentiles(const weir_aggregate *aggregate, const list_elements *elements, int64_t count,
                            weir_vector *out, weir_error *err)
{
    double share = aggregate->arguments[1]->literal.float64;
    double *values = weir_alloc_zeroed((size_t)elements->batch.columns[0].length + 1, sizeof *values);
    int code = WEIR_OK;
    for (int64_t i = 0; i < count && code == WEIR_OK; i++) {
        size_t n = elements->begins[i + 1] - elements->begins[i];
        for (size_t j = 0; j < n; j++) {
            values[j] = number_at(&elements->batch.columns[0], elements->begins[i] + (uint32_t)j);
        }
        double value = n == 0 ? 0 : percentile_of(values, n, share);
        code = n == 0 ? weir_vector_append_nulls(out, 1, err) : weir_vector_append_raw(out, &value, sizeof value, err);
    }
    free(values);
    return code;
}

static int give_elements(const weir_aggregate_output *output, const list_elements *elements, int64_t count,
                         weir_vector *out, weir_error *err)
{
    switch (output->aggregate->function->aggregate) {
    case WEIR_AGGREGATE_LISTAGG:
        return give_texts(output->aggregate, elements, count, out, err);
    case WEIR_AGGREGATE_ARRAY_AGG:
        return give_arrays(elements, count, out, err);
    case WEIR_AGGREGATE_COLLECT:
        return give_by_kernel(&weir_kernel_count_values, output->cell, elements, count, out, err);
    case WEIR_AGGREGATE_JSON_ARRAYAGG:
        return give_by_kernel(&weir_kernel_json_array_of, output->cell, elements, count, out, err);
    case WEIR_AGGREGATE_JSON_OBJECTAGG:
        return give_by_kernel(&weir_kernel_json_object_of, output->cell, elements, count, out, err);
    case WEIR_AGGREGATE_PERCENTILE:
        return give_percentiles(output->aggregate, elements, count, out, err);
    default:
        return give_single(elements, count, out, err);
    }
}

int weir_give_list(const weir_aggregate_output *output, const weir_accumulator_rows *rows, weir_vector *out,
                   weir_error *err)
{
    list_elements elements = {0};
    int code = read_elements(output->cell, rows, &elements, err);
    if (code == WEIR_OK) {
        code = give_elements(output, &elements, rows->count, out, err);
    }
    free_elements(&elements);
    return code;
}
