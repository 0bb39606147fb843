/* UNNEST: each row once for each element of a list. An element is the value of an ARRAY (its fields where it is a ROW),
 * key and value of a MAP, or a value of a MULTISET as often as it counts it.
 *
 * The elements of a row before and after an update do not belong together one by one: those leave and these come. */
#include <stdlib.h>

#include "stream/operator/operators.h"

enum { most_rows = 65536 }; /* of a batch, but for the last list in it */

typedef struct unnest {
    weir_operator base;
    const weir_plan *plan;
    weir_sql_compute *compute;
    weir_field list_field;
    weir_batch lists;
    weir_batch result;
    uint32_t *rows;     /* of the input, for each row that goes out */
    uint32_t *elements; /* of the list's children; UINT32_MAX: none (`outer`) */
    int32_t *numbers;   /* of the element in its list, from 1 */
    size_t rows_capacity, elements_capacity, numbers_capacity;
} unnest;

static void add_element(unnest *self, int64_t row, uint32_t element, int32_t number)
{
    size_t count = (size_t)self->result.length++;
    WEIR_GROW(self->rows, self->rows_capacity, count + 1);
    WEIR_GROW(self->elements, self->elements_capacity, count + 1);
    WEIR_GROW(self->numbers, self->numbers_capacity, count + 1);
    self->rows[count] = (uint32_t)row;
    self->elements[count] = element;
    self->numbers[count] = number;
}

/* How often element i of a list counts. */
static int32_t copies_of(const weir_vector *list, int32_t element)
{
    return list->type->id == WEIR_MULTISET ? WEIR_VALUES(&list->children[1], int32_t)[element] : 1;
}

/* Takes lists from `first` on until there are rows enough for a batch; returns where to go on. */
static int64_t spread(unnest *self, const weir_vector *list, int64_t first)
{
    int64_t row;
    for (row = first; row < list->length && self->result.length < most_rows; row++) {
        int32_t number = 0;
        int32_t end = weir_vector_is_null(list, row) ? 0 : list->offsets[row + 1];
        for (int32_t i = end == 0 ? 0 : list->offsets[row]; i < end; i++) {
            for (int32_t copies = copies_of(list, i); copies > 0; copies--) {
                add_element(self, row, (uint32_t)i, ++number);
            }
        }
        if (number == 0 && self->plan->outer) {
            add_element(self, row, UINT32_MAX, 0);
        }
    }
    return row;
}

/* One column of the elements; NULL where there is none, or where the ROW that it is a field of is NULL. */
static int gather_elements(const unnest *self, const weir_vector *from, const weir_vector *row, weir_vector *to,
                           weir_error *err)
{
    int64_t count = self->result.length;
    for (int64_t i = 0; i < count;) {
        int64_t next = i;
        while (next < count && self->elements[next] != UINT32_MAX &&
               (row == NULL || !weir_vector_is_null(row, self->elements[next]))) {
            next++;
        }
        WEIR_TRY(weir_vector_append_rows(to, from, self->elements + i, next - i, err));
        if (next < count) {
            WEIR_TRY(weir_vector_append_nulls(to, 1, err));
        }
        i = next + 1;
    }
    return WEIR_OK;
}

static int gather_list(unnest *self, const weir_vector *list, weir_error *err)
{
    weir_vector *to = self->result.columns + self->plan->inputs[0]->field_count;
    const weir_vector *first = &list->children[0];
    if (list->type->id == WEIR_MAP) {
        WEIR_TRY(gather_elements(self, first, NULL, &to[0], err));
        return gather_elements(self, &list->children[1], NULL, &to[1], err);
    }
    if (first->type->id != WEIR_ROW) {
        return gather_elements(self, first, NULL, &to[0], err);
    }
    for (int32_t i = 0; i < first->child_count; i++) {
        WEIR_TRY(gather_elements(self, &first->children[i], first, &to[i], err));
    }
    return WEIR_OK;
}

static int gather_numbers(const unnest *self, weir_vector *to, weir_error *err)
{
    for (int64_t i = 0; i < self->result.length; i++) {
        WEIR_TRY(self->numbers[i] == 0 ? weir_vector_append_nulls(to, 1, err)
                                       : weir_vector_append_raw(to, &self->numbers[i], sizeof self->numbers[i], err));
    }
    return WEIR_OK;
}

static int send_rows(unnest *self, const weir_batch *batch, weir_error *err)
{
    weir_batch *result = &self->result;
    for (int32_t i = 0; i < self->plan->inputs[0]->field_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&result->columns[i], &batch->columns[i], self->rows, result->length, err));
    }
    WEIR_TRY(gather_list(self, &self->lists.columns[0], err));
    if (self->plan->ordinality) {
        WEIR_TRY(gather_numbers(self, &result->columns[self->plan->field_count - 1], err));
    }
    if (batch->kinds != NULL) {
        int64_t length = result->length;
        result->length = 0;
        weir_batch_reserve_kinds(result, length);
        for (int64_t i = 0; i < length; i++) {
            bool leaves = weir_row_kind_is_retract(batch->kinds[self->rows[i]]);
            result->kinds[i] = leaves ? WEIR_DELETE : WEIR_INSERT;
        }
        result->length = length;
    }
    return weir_output_send(&self->base, result, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    unnest *self = (unnest *)base;
    int64_t row = 0;
    (void)input;
    WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->lists, NULL, err));
    while (row < batch->length) {
        weir_batch_clear(&self->result);
        row = spread(self, &self->lists.columns[0], row);
        WEIR_TRY(send_rows(self, batch, err));
    }
    return WEIR_OK;
}

static void close_unnest(weir_operator *base)
{
    unnest *self = (unnest *)base;
    weir_sql_compute_free(self->compute);
    weir_batch_free(&self->lists);
    weir_batch_free(&self->result);
    free(self->rows);
    free(self->elements);
    free(self->numbers);
    free(self);
}

int weir_unnest_operator_create(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                                weir_error *err)
{
    const weir_plan *plan = node->plan;
    unnest *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.close = close_unnest;
    weir_operator_init(&self->base, "Correlate", 1);
    self->plan = plan;
    self->list_field = (weir_field){.id = -1, .name = "", .type = plan->expressions[0]->type};
    weir_batch_init(&self->lists, &self->list_field, 1);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    const weir_sql_compute_options options = {.fields = plan->inputs[0]->fields,
                                              .field_count = plan->inputs[0]->field_count,
                                              .expressions = plan->expressions,
                                              .expression_count = 1};
    int code = weir_sql_compute_create(context->engine, &options, &self->compute, err);
    return weir_operator_created(&self->base, code, out);
}
