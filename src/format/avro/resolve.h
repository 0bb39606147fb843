/* How the records of one Avro file become columns: a program compiled once a file and run for every record. */
#ifndef WEIR_FORMAT_AVRO_RESOLVE_H
#define WEIR_FORMAT_AVRO_RESOLVE_H

#include "format/avro/avro.h"
#include "format/avro/schema.h"
#include "vector/vector.h"

typedef enum weir_avro_op {
    WEIR_AVRO_OP_NULL, /* a NULL that takes no bytes */
    WEIR_AVRO_OP_BOOLEAN,
    WEIR_AVRO_OP_INT8, /* a number of one to ten bytes, checked against the width of the column */
    WEIR_AVRO_OP_INT16,
    WEIR_AVRO_OP_INT32,
    WEIR_AVRO_OP_INT64,
    WEIR_AVRO_OP_FLOAT,
    WEIR_AVRO_OP_DOUBLE,
    WEIR_AVRO_OP_DOUBLE_FROM_FLOAT,
    WEIR_AVRO_OP_FLOAT_FROM_LONG,
    WEIR_AVRO_OP_DOUBLE_FROM_LONG,
    WEIR_AVRO_OP_BYTES,
    WEIR_AVRO_OP_FIXED,
    WEIR_AVRO_OP_ENUM,      /* its symbol as text */
    WEIR_AVRO_OP_DECIMAL64, /* big-endian two's complement, from bytes or fixed */
    WEIR_AVRO_OP_DECIMAL128,
    WEIR_AVRO_OP_TIME,     /* a long divided by `factor`, in 32 bits */
    WEIR_AVRO_OP_MULTIPLY, /* a timestamp in a coarser unit than the column's */
    WEIR_AVRO_OP_DIVIDE,   /* … in a finer one: rounded down */
    WEIR_AVRO_OP_NANOS,    /* … into milliseconds and nanoseconds; `factor` units are a millisecond */
    WEIR_AVRO_OP_OPTIONAL, /* a union of null and one other type */
    WEIR_AVRO_OP_UNION,
    WEIR_AVRO_OP_ARRAY,
    WEIR_AVRO_OP_MAP,         /* keys are text */
    WEIR_AVRO_OP_MAP_ENTRIES, /* an array of records of a key and a value */
    WEIR_AVRO_OP_ROW,
    WEIR_AVRO_OP_UNREADABLE /* a branch that the column cannot hold; an error only when a value has it */
} weir_avro_op;

typedef struct weir_avro_node weir_avro_node;

/* One field of a record, in the order of the file. */
typedef struct weir_avro_step {
    const weir_avro_type *type; /* for skipping */
    const weir_avro_node *node; /* NULL: nobody asked for the field */
    int32_t column;
} weir_avro_step;

struct weir_avro_node {
    weir_avro_op op;
    const weir_avro_type *type;      /* what the file holds */
    int64_t factor;                  /* of TIME, MULTIPLY, DIVIDE, NANOS */
    int32_t null_branch;             /* of OPTIONAL */
    const weir_avro_node **children; /* UNION: branches; OPTIONAL, ARRAY, MAP: one; MAP_ENTRIES: key, value */
    weir_avro_step *steps;           /* of ROW */
    int32_t step_count;
    int32_t *missing; /* of ROW: columns that the file lacks */
    int32_t missing_count;
    const char *column_name; /* for messages */
    /* Of a file whose records are a branch of a union with null, as some writers have it; NULL: of others. */
    const weir_avro_type *around;
    int32_t record_branch;
};

/* The program for reading `fields` from records of type `record`; it lives in `arena` and borrows `record`. A field
 * that the file lacks reads as NULL; when it is NOT NULL, or `complete` is set, that is WEIR_CORRUPT. */
int weir_avro_resolve(const weir_avro_type *record, const weir_field *fields, int32_t field_count, bool complete,
                      const char *path, weir_arena *arena, const weir_avro_node **out, weir_error *err);

/* Appends those of the `count` records that `block` holds to `columns` which `choice` (NULL: all) keeps. After a
 * failure the columns are of unequal length and must be cleared. */
int weir_avro_decode(const weir_avro_node *program, weir_slice block, int64_t count, const char *path,
                     const weir_avro_choice *choice, weir_vector *columns, int64_t *out_kept, weir_error *err);

#endif
