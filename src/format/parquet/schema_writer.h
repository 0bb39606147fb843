/* Paimon fields as a Parquet schema: the elements of the footer, and the leaf columns with the way to their values.
 *
 * What becomes of which type is org.apache.paimon.format.parquet.ParquetSchemaConverter. */
#ifndef WEIR_FORMAT_PARQUET_SCHEMA_WRITER_H
#define WEIR_FORMAT_PARQUET_SCHEMA_WRITER_H

#include "format/parquet/thrift_writer.h"
#include "vector/vector.h"

/* A node on the way from a top-level column to a leaf. */
typedef enum weir_write_step_kind {
    WEIR_WRITE_STEP_GROUP, /* a ROW or VARIANT: on to children[child] of the same row */
    WEIR_WRITE_STEP_LIST,  /* an ARRAY, MAP or MULTISET: on to the elements in children[child] */
    WEIR_WRITE_STEP_LEAF
} weir_write_step_kind;

typedef struct weir_write_step {
    weir_write_step_kind kind;
    bool optional; /* has a definition level of its own */
    int32_t child;
    uint8_t repetition_level; /* of a LIST: that of its second and later elements */
} weir_write_step;

/* A leaf column: what one column chunk a row group holds. */
typedef struct weir_write_leaf {
    const weir_type *type;
    weir_parquet_physical physical;
    int32_t type_length; /* of FIXED_LEN_BYTE_ARRAY */
    int32_t column;      /* top-level column */
    uint8_t max_definition;
    uint8_t max_repetition;
    const weir_write_step *steps;
    int32_t step_count;
    const char **path; /* names from the top-level column on, the groups "list" and "key_value" included */
    int32_t path_length;
} weir_write_leaf;

typedef struct weir_write_schema {
    weir_write_leaf *leaves; /* in the order of the schema */
    int32_t leaf_count;
    int32_t *first_leaf;   /* of each top-level column; column_count + 1 entries */
    int32_t element_count; /* the root included */
    weir_slice elements;   /* one thrift SchemaElement after the other */
} weir_write_schema;

/* Everything lies in `arena` or borrows from `fields`. Types that Parquet files do not hold are WEIR_UNSUPPORTED. */
int weir_write_schema_plan(const weir_field *fields, int32_t field_count, weir_arena *arena, weir_write_schema *out,
                           weir_error *err);

#endif
