/* The values of a leaf column without its nulls, in a few forms, so that statistics, dictionaries and encodings know
 * neither Paimon's types nor nulls nor nesting. */
#ifndef WEIR_FORMAT_PARQUET_DENSE_VALUES_H
#define WEIR_FORMAT_PARQUET_DENSE_VALUES_H

#include "format/parquet/schema_writer.h"

typedef enum weir_value_form {
    WEIR_FORM_BOOLEAN, /* bits, from bit 0 on */
    WEIR_FORM_INT32,   /* int32_t: TINYINT, SMALLINT, INT, DATE, TIME, DECIMAL(p <= 9) */
    WEIR_FORM_INT64,   /* int64_t: BIGINT, TIMESTAMP(p <= 6), DECIMAL(p <= 18) */
    WEIR_FORM_FLOAT,   /* float */
    WEIR_FORM_DOUBLE,  /* double */
    WEIR_FORM_INT128,  /* weir_int128: DECIMAL(p > 18), FIXED_LEN_BYTE_ARRAY in the file */
    WEIR_FORM_NANOS,   /* weir_timestamp_nanos: TIMESTAMP(p > 6), INT96 in the file */
    WEIR_FORM_BYTES    /* text and bytes */
} weir_value_form;

typedef struct weir_bytes_ref {
    uint32_t from;
    uint32_t size;
} weir_bytes_ref;

typedef struct weir_dense_values {
    weir_value_form form;
    size_t count;
    const void *fixed;          /* of every form but BYTES */
    const weir_bytes_ref *refs; /* of BYTES: into `bytes` */
    const uint8_t *bytes;
    size_t bytes_size;  /* that may be read */
    size_t plain_size;  /* bytes in the encoding PLAIN; not of BOOLEAN */
    int64_t true_count; /* of BOOLEAN */
} weir_dense_values;

/* Memory that the values may lie in; one for many columns. Zero-initialized is empty. */
typedef struct weir_dense_scratch {
    weir_buffer fixed;
    weir_bytes_ref *refs;
    size_t ref_capacity;
} weir_dense_scratch;

void weir_dense_scratch_free(weir_dense_scratch *scratch);

weir_value_form weir_value_form_of(const weir_write_leaf *leaf);
size_t weir_value_form_width(weir_value_form form);         /* in memory; 0 for BOOLEAN and BYTES */
size_t weir_value_plain_width(const weir_write_leaf *leaf); /* in the file; 0 for BOOLEAN and BYTE_ARRAY */

/* Values `first` .. `first + count - 1` of a leaf's vector, or those at `rows` when it is not NULL; none of them is
 * null. Valid until the scratch is used again or the vector changes. */
void weir_dense_values_take(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first, const uint32_t *rows,
                            size_t count, weir_dense_scratch *scratch, weir_dense_values *out);

#endif
