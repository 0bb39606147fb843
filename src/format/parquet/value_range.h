/* The least and the greatest of many values: of a page, a column chunk, a file.
 *
 * The order is Paimon's (compare.h): NaN is the greatest, -0.0 before 0.0. Parquet's statistics agree with it but for
 * those two, which weir_value_range_bounds settles. */
#ifndef WEIR_FORMAT_PARQUET_VALUE_RANGE_H
#define WEIR_FORMAT_PARQUET_VALUE_RANGE_H

#include "format/parquet/dense_values.h"
#include "vector/literal.h"

typedef struct weir_value_range {
    bool has_value;
    weir_literal min;
    weir_literal max;
    weir_buffer min_bytes; /* what min and max of text point to */
    weir_buffer max_bytes;
} weir_value_range; /* zero-initialized is empty */

void weir_value_range_free(weir_value_range *range);
void weir_value_range_clear(weir_value_range *range);

/* Widens a range by values, and by another range of the same form. Bytes are copied. */
void weir_value_range_add(weir_value_range *range, const weir_dense_values *values);
void weir_value_range_merge(weir_value_range *range, weir_value_form form, const weir_value_range *from);

/* Below 0, 0 or above 0, in the order of the ranges. */
int weir_value_compare(weir_value_form form, const weir_literal *a, const weir_literal *b);

/* Min and max as a Parquet file's statistics may have them: false when there are none, because there is no value, or a
 * NaN among them (readers disagree on those), or the type has no order (INT96). A zero becomes -0.0 as min and 0.0 as
 * max. */
bool weir_value_range_bounds(const weir_value_range *range, weir_value_form form, weir_literal *min, weir_literal *max);

/* Min or max as statistics hold it: PLAIN, text without its length. Fixed-width ones are put into `room`. */
#define WEIR_STATISTIC_ROOM 16
weir_slice weir_value_statistic(const weir_write_leaf *leaf, weir_value_form form, const weir_literal *value,
                                uint8_t room[WEIR_STATISTIC_ROOM]);

#endif
