/* Aggregate functions of columns: what a column's values in the rows of one key become.
 *
 * A fold walks the rows of a key from the oldest to the newest. What each row does to a column is a step (group_fold.h
 * makes them from kinds and sequence groups); this file turns steps and values into one value a key. */
#ifndef WEIR_MERGE_AGGREGATE_H
#define WEIR_MERGE_AGGREGATE_H

#include "meta/schema.h"
#include "vector/vector.h"

typedef enum weir_field_aggregate_kind {
    /* What partial-update does without a function. */
    WEIR_FIELD_GROUP_VALUE,    /* in a sequence group: the value of the newest version, NULL too */
    WEIR_FIELD_GROUP_SEQUENCE, /* a version's own column */
    /* Functions that options name. */
    WEIR_FIELD_PRIMARY_KEY,
    WEIR_FIELD_LAST_VALUE,
    WEIR_FIELD_LAST_NON_NULL_VALUE,
    WEIR_FIELD_FIRST_VALUE,
    WEIR_FIELD_FIRST_NON_NULL_VALUE,
    WEIR_FIELD_MAX, /* and bool_or */
    WEIR_FIELD_MIN, /* and bool_and */
    WEIR_FIELD_SUM,
    WEIR_FIELD_PRODUCT,
    WEIR_FIELD_LISTAGG,
    WEIR_FIELD_COLLECT,
    WEIR_FIELD_MERGE_MAP,
    WEIR_FIELD_MERGE_MAP_WITH_KEYTIME,
    WEIR_FIELD_NESTED_UPDATE,
    WEIR_FIELD_NESTED_PARTIAL_UPDATE,
    WEIR_FIELD_BITMAP, /* rbm32 */
} weir_field_aggregate_kind;

typedef struct weir_field_aggregate {
    weir_field_aggregate_kind kind;
    const char *name;
    bool ignore_retract;
    bool distinct;        /* of listagg and collect */
    weir_slice delimiter; /* of listagg */
    /* Of nested_update and nested_partial_update: the members of the element that are its key; none, of nested_update:
     * elements have no key. */
    const int32_t *nested;
    int32_t nested_count;
    int32_t time_member; /* of merge_map_with_keytime: the member of its values that tells the time */
    int64_t count_limit; /* of nested_update: elements that a value may have */
} weir_field_aggregate;

/* The function that options name for a column, in `arena`. WEIR_INVALID for one that there is not, or not for the
 * column's type; WEIR_UNSUPPORTED for one that this version does not have. */
int weir_field_aggregate_of(const weir_schema *schema, int32_t column, const char *function, weir_arena *arena,
                            weir_field_aggregate *out, weir_error *err);

/* Whether the function can take a row back, or leaves it. */
bool weir_field_aggregate_retracts(const weir_field_aggregate *aggregate);
/* The error for a function that cannot: WEIR_INVALID. */
int weir_field_aggregate_fail_retraction(const weir_field_aggregate *aggregate, weir_error *err);

/* What a row of a key does to a column. */
typedef enum weir_fold_step {
    WEIR_STEP_NONE,
    WEIR_STEP_ADD,
    WEIR_STEP_ADD_OLDER, /* a row whose version is older than the group's */
    WEIR_STEP_SET,       /* the key begins anew with this row */
    WEIR_STEP_RETRACT,
    WEIR_STEP_RETRACT_OLDER,
    WEIR_STEP_SET_RETRACT, /* begins anew, and is retracted itself */
} weir_fold_step;

/* Groups and steps of one column. */
typedef struct weir_fold_rows {
    int64_t group_count;
    const int64_t *group_starts; /* group_count + 1 */
    const uint8_t *steps;        /* of each row, weir_fold_step */
    bool only_adds;              /* every row of a group of several is WEIR_STEP_ADD, lone ones are ADD or SET */
    bool folds_lone_rows;        /* with only_adds: lone ones are ADD */
} weir_fold_rows;

/* Appends one value a group to `out`. `values` has the column's value of each row; it may get further values behind. */
int weir_field_aggregate_fold(const weir_field_aggregate *aggregate, const weir_fold_rows *rows, weir_vector *values,
                              weir_vector *out, weir_error *err);

#endif
