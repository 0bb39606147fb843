/* rbm32: sets of numbers as serialized roaring bitmaps, whose union is the result. A single value stays as it is. */
#include "index/roaring.h"
#include "merge/aggregate_fold.h"

static int add_row(weir_fold_bytes *set, const weir_vector *values, int64_t row, bool is_older, weir_error *err)
{
    if (weir_vector_is_null(values, row)) {
        return WEIR_OK;
    }
    if (!set->has_value) {
        weir_fold_bytes_set(set, values, row);
        return WEIR_OK;
    }
    weir_slice had = weir_buffer_slice(&set->bytes);
    weir_slice came = weir_vector_bytes(values, row);
    weir_buffer both = {0};
    int code = is_older ? weir_roaring_union(came, had, &both, err) : weir_roaring_union(had, came, &both, err);
    if (code == WEIR_OK) {
        weir_buffer_free(&set->bytes);
        set->bytes = both;
    } else {
        weir_buffer_free(&both);
    }
    return code;
}

static int take_step(const weir_field_aggregate *aggregate, weir_fold_step step, const weir_vector *values, int64_t row,
                     weir_fold_bytes *set, weir_error *err)
{
    if (step == WEIR_STEP_ADD || step == WEIR_STEP_ADD_OLDER) {
        return add_row(set, values, row, step == WEIR_STEP_ADD_OLDER, err);
    }
    if (step == WEIR_STEP_SET || step == WEIR_STEP_SET_RETRACT) {
        weir_fold_bytes_set(set, values, row);
    }
    return step < WEIR_STEP_RETRACT || aggregate->ignore_retract ? WEIR_OK
                                                                 : weir_field_aggregate_fail_retraction(aggregate, err);
}

int weir_field_aggregate_fold_bitmaps(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                      const weir_vector *values, weir_vector *out, weir_error *err)
{
    weir_fold_bytes set = {0};
    int code = WEIR_OK;
    for (int64_t g = 0; g < rows->group_count; g++) {
        weir_fold_bytes_clear(&set);
        for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {
            WEIR_GO(take_step(aggregate, weir_fold_step_of(rows, g, row), values, row, &set, err));
        }
        WEIR_GO(weir_fold_bytes_append_to(&set, out, err));
    }
done:
    weir_buffer_free(&set.bytes);
    return code;
}
