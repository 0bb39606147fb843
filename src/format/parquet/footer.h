/* The footer of a Parquet file: its schema and where every column chunk lies. Everything is in the caller's arena;
 * slices point into the footer's bytes there. */
#ifndef WEIR_FORMAT_PARQUET_FOOTER_H
#define WEIR_FORMAT_PARQUET_FOOTER_H

#include "format/parquet/format_enums.h"
#include "format/parquet/source.h"

/* A node of the schema, in depth-first order. */
typedef struct weir_parquet_element {
    const char *name;
    bool is_leaf;
    weir_parquet_physical physical;
    int32_t type_length; /* of FIXED_LEN_BYTE_ARRAY */
    weir_parquet_repetition repetition;
    int32_t child_count;
    weir_parquet_converted converted;
    weir_parquet_logical logical;
    weir_parquet_unit unit; /* of the logical TIME and TIMESTAMP */
    bool adjusted_to_utc;
    int8_t integer_bits; /* of the logical INTEGER */
    bool integer_signed;
    int32_t precision; /* of decimals */
    int32_t scale;
    int32_t field_id; /* -1: none */
} weir_parquet_element;

/* Bounds and nulls of a chunk or page; their bytes are plain-encoded values. */
typedef struct weir_parquet_statistics {
    bool has_min; /* by the order of the column's type */
    bool has_max;
    weir_slice min;
    weir_slice max;
    bool has_old_min; /* of old writers: by signed comparison whatever the type, so not for all types good */
    bool has_old_max;
    weir_slice old_min;
    weir_slice old_max;
    int64_t null_count; /* -1: unknown */
} weir_parquet_statistics;

typedef struct weir_parquet_chunk {
    weir_parquet_physical physical;
    weir_parquet_codec codec;
    int64_t value_count; /* with nulls, and of all list elements */
    uint64_t start;      /* where its pages lie, the dictionary page first */
    uint64_t size;
    uint64_t data_start; /* of its first data page, as the footer says */
    uint64_t offset_index_start;
    uint32_t offset_index_size; /* 0: none */
    uint64_t column_index_start;
    uint32_t column_index_size; /* 0: none */
    weir_parquet_statistics statistics;
} weir_parquet_chunk;

typedef struct weir_parquet_row_group {
    int64_t first_row;
    int64_t row_count;
    weir_parquet_chunk *chunks; /* one a leaf of the schema, in its order */
} weir_parquet_row_group;

typedef struct weir_parquet_footer {
    weir_parquet_element *elements; /* [0] is the root */
    int32_t element_count;
    int32_t leaf_count;
    weir_parquet_row_group *row_groups;
    int32_t row_group_count;
    int64_t row_count;
} weir_parquet_footer;

/* Reads and checks the footer: every chunk lies inside the file, every row group has a chunk a leaf. */
int weir_parquet_footer_read(weir_parquet_source *source, weir_arena *arena, weir_parquet_footer **out,
                             weir_error *err);

#endif
