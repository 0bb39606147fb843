/* Casting vectors, as Paimon's schema evolution does (org.apache.paimon.casting.CastExecutors): widening and narrowing
 * numbers, decimals, to and from text, dates and timestamps of other precision, nested values by their fields' ids. */
#ifndef WEIR_VECTOR_CAST_H
#define WEIR_VECTOR_CAST_H

#include "vector/vector.h"

/* Whether a column of type `from` can be read as `to` after ALTER TABLE: what Paimon allows, and nothing more. */
bool weir_cast_allowed(const weir_type *from, const weir_type *to);

/* Appends all values of `from` cast to the type of `out`. Text that is no number and the like: WEIR_INVALID with the
 * value; integers out of range wrap as in Java; a decimal that does not fit becomes NULL. ROW fields are mapped by
 * their ids (by position where they have none); those that `from` lacks become NULL. A cast that is not allowed:
 * WEIR_UNSUPPORTED. After a failure `out` is only good for clearing. Timestamps with local time zone are cast in UTC.
 */
int weir_vector_cast(const weir_vector *from, weir_vector *out, weir_error *err);

#endif
