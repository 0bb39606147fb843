/* Flink's type rules, beyond what the vector room's types say: intervals, texts, common types, casts.
 *
 * Source of truth: org.apache.flink.table.types.logical.utils.LogicalTypeCasts and LogicalTypeMerging, and the
 * answers of a running Flink. */
#ifndef WEIR_SQL_TYPE_H
#define WEIR_SQL_TYPE_H

#include "vector/type.h"

/* Intervals exist in expressions only: no table stores them, and a query's result shows them as text. As types they
 * have these ids; a year-month interval is a number of months (INT), a day-time one of milliseconds (BIGINT).
 * `precision` and `scale` are those of Flink's text: INTERVAL SECOND(3), INTERVAL MONTH. */
#define WEIR_INTERVAL_MONTHS ((weir_type_id)64)
#define WEIR_INTERVAL_MILLIS ((weir_type_id)65)

static inline bool weir_type_is_interval(const weir_type *type)
{
    return type->id == WEIR_INTERVAL_MONTHS || type->id == WEIR_INTERVAL_MILLIS;
}

static inline bool weir_type_is_integer(const weir_type *type)
{
    return type->id >= WEIR_TINYINT && type->id <= WEIR_BIGINT;
}

static inline bool weir_type_is_exact(const weir_type *type)
{
    return (type->id >= WEIR_TINYINT && type->id <= WEIR_BIGINT) || type->id == WEIR_DECIMAL;
}

static inline bool weir_type_is_approximate(const weir_type *type)
{
    return type->id == WEIR_FLOAT || type->id == WEIR_DOUBLE;
}

static inline bool weir_type_is_numeric(const weir_type *type)
{
    return weir_type_is_exact(type) || weir_type_is_approximate(type);
}

static inline bool weir_type_is_timestamp(const weir_type *type)
{
    return type->id == WEIR_TIMESTAMP || type->id == WEIR_TIMESTAMP_LTZ;
}

static inline bool weir_type_is_temporal(const weir_type *type)
{
    return type->id == WEIR_DATE || type->id == WEIR_TIME || weir_type_is_timestamp(type);
}

/* Appends the type as Flink prints it: `TIMESTAMP_LTZ(3) NOT NULL`, `ROW<`a` INT>`, `INTERVAL SECOND(3)`; STRING and
 * BYTES for the longest texts and bytes. */
void weir_sql_type_format(const weir_type *type, weir_buffer *out);
const char *weir_sql_type_text(weir_arena *arena, const weir_type *type);

/* Equality that knows intervals too. */
bool weir_sql_type_equal(const weir_type *a, const weir_type *b, bool ignore_nullability);

/* The type that all of the given ones can be read as without an explicit cast (branches of CASE, columns of VALUES and
 * UNION, elements of ARRAY), nullable when one of them is; NULL when there is none. */
const weir_type *weir_sql_common_type(weir_arena *arena, const weir_type *const *types, int32_t count);

typedef enum weir_cast_rule {
    WEIR_CAST_REFUSED,  /* there is no CAST between these */
    WEIR_CAST_EXPLICIT, /* by CAST alone */
    WEIR_CAST_IMPLICIT  /* INSERT adds it where it is needed */
} weir_cast_rule;

/* Whether and how values of one type become values of another. Nullability plays no part. */
weir_cast_rule weir_sql_cast_rule(const weir_type *from, const weir_type *to);

/* Decimal result types of + - (the same), *, / and % over DECIMAL(p1, s1) and DECIMAL(p2, s2). */
const weir_type *weir_sql_decimal_result(weir_arena *arena, char operation, const weir_type *a, const weir_type *b,
                                         bool nullable);

/* The DECIMAL that holds every value of an integer or decimal type. */
const weir_type *weir_sql_decimal_of(weir_arena *arena, const weir_type *type);

#endif
