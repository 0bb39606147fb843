/* The schema in an Avro file's header, as a graph of types.
 *
 * A named type that is used twice is one node with two parents; recursive types are refused, so the graph has no
 * cycles and everything that walks it ends. */
#ifndef WEIR_FORMAT_AVRO_SCHEMA_H
#define WEIR_FORMAT_AVRO_SCHEMA_H

#include "base/base.h"

typedef enum weir_avro_kind {
    WEIR_AVRO_NULL,
    WEIR_AVRO_BOOLEAN,
    WEIR_AVRO_INT,
    WEIR_AVRO_LONG,
    WEIR_AVRO_FLOAT,
    WEIR_AVRO_DOUBLE,
    WEIR_AVRO_BYTES,
    WEIR_AVRO_STRING,
    WEIR_AVRO_FIXED,
    WEIR_AVRO_ENUM,
    WEIR_AVRO_RECORD,
    WEIR_AVRO_ARRAY,
    WEIR_AVRO_MAP,
    WEIR_AVRO_UNION
} weir_avro_kind;

/* The unit of a number that means a time; the two families of timestamps (with and without "local-") count as one,
 * because Paimon swaps them. Unknown logical types are no logical type, as the Avro specification demands. */
typedef enum weir_avro_logical {
    WEIR_AVRO_PLAIN,
    WEIR_AVRO_DECIMAL,
    WEIR_AVRO_DATE,
    WEIR_AVRO_MILLIS,
    WEIR_AVRO_MICROS,
    WEIR_AVRO_NANOS
} weir_avro_logical;

typedef struct weir_avro_type {
    weir_avro_kind kind;
    weir_avro_logical logical;
    int32_t scale;                          /* of DECIMAL */
    int64_t size;                           /* of FIXED */
    const char **names;                     /* the fields of RECORD, the symbols of ENUM */
    const struct weir_avro_type **children; /* RECORD: fields; UNION: branches; ARRAY: items; MAP: values */
    int32_t count;                          /* of names or children */
    uint64_t min_bytes;                     /* the fewest bytes that a value takes */
    uint64_t weight; /* nodes when shared ones are counted at every use: bounds the work of skipping a value */
} weir_avro_type;

/* Parses the JSON of a schema; the types live in `arena`. `path` is for messages. */
int weir_avro_schema_parse(weir_slice json, const char *path, weir_arena *arena, const weir_avro_type **out,
                           weir_error *err);

/* "long", "record", … */
const char *weir_avro_kind_name(weir_avro_kind kind);

#endif
