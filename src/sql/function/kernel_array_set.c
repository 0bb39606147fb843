/* Arrays as sets: ARRAY_DISTINCT, ARRAY_UNION, ARRAY_INTERSECT, ARRAY_EXCEPT. The first of equal elements stays, in its
 * place. */
#include "sql/function/kernels.h"
#include "sql/function/nested_rows.h"

/* Appends the elements of an argument that are not in `set` yet, and that are, or are not, in `other`. */
static int take_new(weir_nested_rows *rows, int32_t argument, int64_t row, bool only_in_other, bool not_in_other,
                    weir_error *err)
{
    const weir_vector *elements = &rows->arguments[argument].children[0];
    weir_list_span span = weir_list_at(&rows->arguments[argument], row);
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        bool there = (only_in_other || not_in_other) && weir_value_set_has(&rows->other, elements, i);
        if ((only_in_other && !there) || (not_in_other && there)) {
            continue;
        }
        size_t before = rows->set.count;
        if (weir_value_set_add(&rows->set, elements, i) == before) {
            WEIR_TRY(weir_vector_append_range(&rows->out->children[0], elements, i, 1, err));
        }
    }
    return WEIR_OK;
}

static void fill_other(weir_nested_rows *rows, int64_t row)
{
    weir_list_span span = weir_list_at(&rows->arguments[1], row);
    weir_value_set_clear(&rows->other);
    for (int64_t i = span.first; i < span.first + span.count; i++) {
        weir_value_set_add(&rows->other, &rows->arguments[1].children[0], i);
    }
}

static int distinct(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_value_set_clear(&rows->set);
    WEIR_TRY(take_new(rows, 0, row, false, false, err));
    return weir_vector_append_list(rows->out, err);
}

static int unite(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_value_set_clear(&rows->set);
    WEIR_TRY(take_new(rows, 0, row, false, false, err));
    WEIR_TRY(take_new(rows, 1, row, false, false, err));
    return weir_vector_append_list(rows->out, err);
}

static int intersect(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_value_set_clear(&rows->set);
    fill_other(rows, row);
    WEIR_TRY(take_new(rows, 0, row, true, false, err));
    return weir_vector_append_list(rows->out, err);
}

static int except(weir_nested_rows *rows, int64_t row, weir_error *err)
{
    weir_value_set_clear(&rows->set);
    fill_other(rows, row);
    WEIR_TRY(take_new(rows, 0, row, false, true, err));
    return weir_vector_append_list(rows->out, err);
}

WEIR_DEFINE_NESTED(run_distinct, 0, distinct)
WEIR_DEFINE_NESTED(run_unite, 0, unite)
WEIR_DEFINE_NESTED(run_intersect, 0, intersect)
WEIR_DEFINE_NESTED(run_except, 0, except)

const weir_kernel weir_kernel_array_distinct = {.name = "array_distinct", .nested = run_distinct};
const weir_kernel weir_kernel_array_union = {.name = "array_union", .nested = run_unite};
const weir_kernel weir_kernel_array_intersect = {.name = "array_intersect", .nested = run_intersect};
const weir_kernel weir_kernel_array_except = {.name = "array_except", .nested = run_except};
