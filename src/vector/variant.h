/* VARIANT: JSON in binary, as value and metadata (the dictionary of keys).
 *
 * Source of truth: the Variant encoding of Parquet's specification; org.apache.paimon.data.variant.GenericVariant for
 * how it reads as JSON and GenericVariantBuilder for what JSON becomes. */
#ifndef WEIR_VECTOR_VARIANT_H
#define WEIR_VECTOR_VARIANT_H

#include "base/base.h"

/* Appends a variant as JSON text, timestamps in UTC. WEIR_CORRUPT when the bytes are no variant; what was appended by
 * then stays, so that callers who pass no error get a readable beginning. */
int weir_variant_to_json(weir_slice value, weir_slice metadata, weir_buffer *out, weir_error *err);

/* Appends the value and the metadata of JSON text. WEIR_INVALID when it is no JSON or an object has a key twice. */
int weir_variant_from_json(weir_slice text, weir_buffer *value, weir_buffer *metadata, weir_error *err);

/* The codes of the encoding. A value begins with one byte: basic type in the lower two bits, above them the primitive
 * type, the size of a short string, or the widths of a container's numbers. */
typedef enum weir_variant_basic {
    WEIR_VARIANT_PRIMITIVE,
    WEIR_VARIANT_SHORT_STRING,
    WEIR_VARIANT_OBJECT,
    WEIR_VARIANT_ARRAY
} weir_variant_basic;

typedef enum weir_variant_primitive {
    WEIR_VARIANT_NULL = 0,
    WEIR_VARIANT_TRUE = 1,
    WEIR_VARIANT_FALSE = 2,
    WEIR_VARIANT_INT8 = 3,
    WEIR_VARIANT_INT16 = 4,
    WEIR_VARIANT_INT32 = 5,
    WEIR_VARIANT_INT64 = 6,
    WEIR_VARIANT_DOUBLE = 7,
    WEIR_VARIANT_DECIMAL4 = 8,
    WEIR_VARIANT_DECIMAL8 = 9,
    WEIR_VARIANT_DECIMAL16 = 10,
    WEIR_VARIANT_DATE = 11,
    WEIR_VARIANT_TIMESTAMP = 12,
    WEIR_VARIANT_TIMESTAMP_NTZ = 13,
    WEIR_VARIANT_FLOAT = 14,
    WEIR_VARIANT_BINARY = 15,
    WEIR_VARIANT_LONG_STRING = 16,
    WEIR_VARIANT_UUID = 20
} weir_variant_primitive;

#define WEIR_VARIANT_VERSION          1
#define WEIR_VARIANT_MAX_SHORT_STRING 63
#define WEIR_VARIANT_SIZE_LIMIT       ((size_t)128 << 20) /* of value and of metadata */
#define WEIR_VARIANT_MAX_DEPTH        1000

#endif
