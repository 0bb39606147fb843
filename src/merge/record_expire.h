/* Rows that are older than record-level.expire-time: compactions leave them out. */
#ifndef WEIR_MERGE_RECORD_EXPIRE_H
#define WEIR_MERGE_RECORD_EXPIRE_H

#include "meta/schema.h"
#include "vector/vector.h"

typedef struct weir_record_expire {
    int32_t column;         /* record-level.time-field; -1: rows do not expire */
    int64_t expire_seconds; /* since the time in it */
} weir_record_expire;

/* WEIR_INVALID when the time field is missing or of a type that tells no time. */
int weir_record_expire_of(const weir_schema *schema, weir_record_expire *out, weir_error *err);

/* The time that value `row` of the time field tells, in seconds since 1970; false: NULL, such rows stay for ever. */
bool weir_record_expire_seconds(const weir_vector *values, int64_t row, int64_t *out_seconds);

/* Whether a row of that time has expired. */
static inline bool weir_record_expire_is_over(const weir_record_expire *expire, int64_t seconds, int64_t now_seconds)
{
    return now_seconds - expire->expire_seconds > seconds;
}

#endif
