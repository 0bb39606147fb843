/* One leaf column that is read: where it is in the file, its levels, and how its physical values become values in the
 * layout of the requested type. */
#ifndef WEIR_FORMAT_PARQUET_LEAF_H
#define WEIR_FORMAT_PARQUET_LEAF_H

#include "format/parquet/format_enums.h"
#include "vector/vector.h"

/* How a physical value becomes one in memory. */
typedef enum weir_parquet_conversion {
    WEIR_PARQUET_CONVERT_NONE, /* the same bytes */
    WEIR_PARQUET_CONVERT_BITS, /* BOOLEAN */
    WEIR_PARQUET_CONVERT_INT32_TO_8,
    WEIR_PARQUET_CONVERT_INT32_TO_16,
    WEIR_PARQUET_CONVERT_INT32_TO_64,
    WEIR_PARQUET_CONVERT_UINT32_TO_64,
    WEIR_PARQUET_CONVERT_INT32_TO_128,
    WEIR_PARQUET_CONVERT_INT64_TO_128,
    WEIR_PARQUET_CONVERT_UINT64_TO_128,
    WEIR_PARQUET_CONVERT_INT64_MULTIPLY, /* by `factor` */
    WEIR_PARQUET_CONVERT_INT64_DIVIDE,   /* by `factor`, towards minus infinity */
    WEIR_PARQUET_CONVERT_INT64_TO_TIME,  /* the same, into 32 bits */
    WEIR_PARQUET_CONVERT_INT64_TO_NANOS, /* `factor` units a millisecond, into weir_timestamp_nanos */
    WEIR_PARQUET_CONVERT_INT96_TO_64,    /* `factor` nanoseconds a unit */
    WEIR_PARQUET_CONVERT_INT96_TO_NANOS,
    WEIR_PARQUET_CONVERT_FLOAT_TO_DOUBLE,
    WEIR_PARQUET_CONVERT_HALF_TO_FLOAT,
    WEIR_PARQUET_CONVERT_BYTES_TO_64, /* big-endian decimals */
    WEIR_PARQUET_CONVERT_BYTES_TO_128,
    WEIR_PARQUET_CONVERT_BYTES /* text and bytes */
} weir_parquet_conversion;

typedef struct weir_parquet_leaf {
    const char *name; /* dotted path in the file, for messages */
    int32_t index;    /* among the leaves of the schema */
    weir_parquet_physical physical;
    int32_t width; /* bytes of a physical value; 0: BOOLEAN and BYTE_ARRAY */
    bool is_unsigned;
    bool is_decimal;
    const weir_type *type;
    weir_layout layout;
    weir_parquet_conversion conversion;
    int64_t factor;
    uint8_t max_definition;
    uint8_t max_repetition;
    uint8_t slot_definition; /* an entry with a lower definition level has no place in the vector: an empty list's */
} weir_parquet_leaf;

/* Bytes borrowed from a page or a dictionary; never longer than 2^31. */
typedef struct weir_parquet_view {
    const uint8_t *data;
    uint32_t size;
} weir_parquet_view;

/* Whether the leaf's physical values are byte strings, which decoders give as views, rather than numbers. */
static inline bool weir_parquet_leaf_is_bytes(const weir_parquet_leaf *leaf)
{
    return leaf->physical == WEIR_PARQUET_BYTE_ARRAY || leaf->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY;
}

/* Bits of a level between 0 and `max_level`. */
static inline uint32_t weir_parquet_level_bits(uint8_t max_level)
{
    return max_level == 0 ? 0 : 32 - (uint32_t)__builtin_clz(max_level);
}

/* Converts `count` numbers, lying at `width` bytes each, into values of the layout. BOOLEAN and CONVERT_NONE are not
 * converted. A value that the type cannot hold is WEIR_CORRUPT. */
int weir_parquet_convert(const weir_parquet_leaf *leaf, const uint8_t *values, int64_t count, void *out,
                         const char *path, weir_error *err);

/* The same for byte strings that become numbers. */
int weir_parquet_convert_views(const weir_parquet_leaf *leaf, const weir_parquet_view *values, int64_t count, void *out,
                               const char *path, weir_error *err);

#endif
