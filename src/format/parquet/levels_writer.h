/* Rows of a column as the definition and repetition levels of one of its leaves (Dremel's shredding). */
#ifndef WEIR_FORMAT_PARQUET_LEVELS_WRITER_H
#define WEIR_FORMAT_PARQUET_LEVELS_WRITER_H

#include "format/parquet/schema_writer.h"

typedef struct weir_level_slot weir_level_slot;

/* The levels of some rows, and which values of the leaf's vector are there. Used again and again; zero-initialized is
 * empty. */
typedef struct weir_levels {
    uint8_t *definition; /* one a slot: a value, or a null on some level, or an empty list */
    uint8_t *repetition;
    size_t count;
    size_t null_count; /* slots without a value */
    uint32_t *rows;    /* of the leaf's vector, one a value */
    size_t row_count;
    const weir_vector *leaf_vector;
    weir_level_slot *slots[2]; /* while the way down is walked: of the level above, of the level below */
    size_t capacity;           /* of the arrays of levels and rows */
    size_t slot_capacity[2];
} weir_levels;

void weir_levels_free(weir_levels *levels);

/* The levels of rows first .. first + count - 1. A null where the schema says NOT NULL is WEIR_INVALID. */
int weir_levels_shred(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first, int64_t count,
                      weir_levels *levels, weir_error *err);

/* What rows of the column are in the leaf's vector: values first .. first + count - 1, and at most `slots` levels. */
typedef struct weir_leaf_extent {
    const weir_vector *vector;
    int64_t first;
    int64_t count;
    int64_t slots;
} weir_leaf_extent;

weir_leaf_extent weir_levels_extent(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first,
                                    int64_t count);

#endif
