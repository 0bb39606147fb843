/* The functions that make new values, by what they make. Used by aggregate.c, as weir_field_aggregate_fold. */
#ifndef WEIR_MERGE_AGGREGATE_FOLD_H
#define WEIR_MERGE_AGGREGATE_FOLD_H

#include "merge/aggregate.h"

int weir_field_aggregate_fold_numbers(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                      const weir_vector *values, weir_vector *out, weir_error *err); /* sum, product */
int weir_field_aggregate_fold_texts(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                    const weir_vector *values, weir_vector *out, weir_error *err); /* listagg */
int weir_field_aggregate_fold_lists(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                    const weir_vector *values, weir_vector *out,
                                    weir_error *err); /* collect, merge_map (with key time), nested_update */
int weir_field_aggregate_fold_elements(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                       const weir_vector *values, weir_vector *out,
                                       weir_error *err); /* nested_partial_update */
int weir_field_aggregate_fold_bitmaps(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                      const weir_vector *values, weir_vector *out, weir_error *err); /* rbm32 */

/* Puts items into the order in which a hash table of Java's gives them out, after they were put into it as they stand;
 * hashes[i] is what Java takes for the hash of items[i]. */
void weir_order_as_java(const uint32_t *hashes, uint32_t *items, size_t count);

/* What a row does, where every row of a group may add. */
static inline weir_fold_step weir_fold_step_of(const weir_fold_rows *rows, int64_t group, int64_t row)
{
    if (!rows->only_adds) {
        return (weir_fold_step)rows->steps[row];
    }
    bool is_lone = !rows->folds_lone_rows && rows->group_starts[group + 1] - rows->group_starts[group] == 1;
    return is_lone ? WEIR_STEP_SET : WEIR_STEP_ADD;
}

/* Bytes or text that is being folded, or NULL. Zero-initialized is NULL; the buffer is the owner's to free. */
typedef struct weir_fold_bytes {
    weir_buffer bytes;
    bool has_value;
} weir_fold_bytes;

static inline void weir_fold_bytes_clear(weir_fold_bytes *folded)
{
    folded->has_value = false;
    folded->bytes.size = 0;
}

static inline void weir_fold_bytes_set(weir_fold_bytes *folded, const weir_vector *values, int64_t row)
{
    weir_fold_bytes_clear(folded);
    folded->has_value = !weir_vector_is_null(values, row);
    if (folded->has_value) {
        weir_slice bytes = weir_vector_bytes(values, row);
        weir_buffer_append(&folded->bytes, bytes.data, bytes.size);
    }
}

static inline int weir_fold_bytes_append_to(weir_fold_bytes *folded, weir_vector *out, weir_error *err)
{
    return folded->has_value ? weir_vector_append_raw(out, weir_buffer_text(&folded->bytes), folded->bytes.size, err)
                             : weir_vector_append_nulls(out, 1, err);
}

#endif
