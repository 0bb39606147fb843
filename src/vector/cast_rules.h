/* The families of casts, and what they share. Each rule appends all values of `from` to `out`; NULLs stay NULL.
 *
 * Only for the files cast*.c. */
#ifndef WEIR_VECTOR_CAST_RULES_H
#define WEIR_VECTOR_CAST_RULES_H

#include "vector/cast.h"
#include "vector/literal.h"

static inline bool weir_type_is_integer(const weir_type *type)
{
    return type->id == WEIR_TINYINT || type->id == WEIR_SMALLINT || type->id == WEIR_INT || type->id == WEIR_BIGINT;
}

static inline bool weir_type_is_float(const weir_type *type)
{
    return type->id == WEIR_FLOAT || type->id == WEIR_DOUBLE;
}

static inline bool weir_type_is_timestamp(const weir_type *type)
{
    return type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
}

int weir_cast_numbers(const weir_vector *from, weir_vector *out,
                      weir_error *err); /* BOOLEAN, integers, floats, DECIMAL */
int weir_cast_times(const weir_vector *from, weir_vector *out, weir_error *err); /* DATE, TIME, timestamps, integers */
int weir_cast_to_text(const weir_vector *from, weir_vector *out, weir_error *err);   /* any type to CHAR and VARCHAR */
int weir_cast_to_bytes(const weir_vector *from, weir_vector *out, weir_error *err);  /* text and bytes to bytes */
int weir_cast_from_text(const weir_vector *from, weir_vector *out, weir_error *err); /* text to values */

/* Room in `out` for the values of `from`; the caller writes them to its arrays, from out->length on, NULL slots too,
 * and then calls weir_cast_end, which takes over the NULLs and the length. */
int weir_cast_begin(const weir_vector *from, weir_vector *out, weir_error *err);
void weir_cast_end(const weir_vector *from, weir_vector *out);

/* Appends an unscaled decimal that has `scale` digits after the point to a DECIMAL vector, rounding half up; one that
 * does not fit its precision becomes NULL. */
int weir_cast_append_decimal(weir_vector *out, weir_int128 unscaled, int32_t scale, weir_error *err);

#endif
