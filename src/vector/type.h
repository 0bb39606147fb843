/* Paimon's types.
 *
 * A weir_type is immutable and lives in an arena (or is one of the static ones below); types are compared with
 * weir_type_equal. Source of truth for the texts: org.apache.paimon.types.DataTypeJsonParser. */
#ifndef WEIR_VECTOR_TYPE_H
#define WEIR_VECTOR_TYPE_H

#include <jansson.h>

#include "base/base.h"

typedef enum weir_type_id {
    WEIR_BOOLEAN,
    WEIR_TINYINT,
    WEIR_SMALLINT,
    WEIR_INT,
    WEIR_BIGINT,
    WEIR_FLOAT,
    WEIR_DOUBLE,
    WEIR_DECIMAL,   /* precision 1..38, scale */
    WEIR_CHAR,      /* length */
    WEIR_VARCHAR,   /* length; WEIR_MAX_LENGTH is STRING */
    WEIR_BINARY,    /* length */
    WEIR_VARBINARY, /* length; WEIR_MAX_LENGTH is BYTES */
    WEIR_DATE,
    WEIR_TIME,          /* precision 0..9, stored in milliseconds */
    WEIR_TIMESTAMP,     /* precision 0..9 */
    WEIR_TIMESTAMP_LTZ, /* precision 0..9 */
    WEIR_ARRAY,         /* element */
    WEIR_MAP,           /* key, element (the value) */
    WEIR_MULTISET,      /* key (the element), element is INT NOT NULL (the count) */
    WEIR_ROW,           /* fields */
    WEIR_VARIANT,       /* physically ROW<value BYTES NOT NULL, metadata BYTES NOT NULL> */
    WEIR_BLOB,
    WEIR_NULL /* the type of a bare NULL, in SQL only */
} weir_type_id;

#define WEIR_MAX_LENGTH     2147483647
#define WEIR_MAX_TYPE_DEPTH 100 /* of nesting, as far as parsed types go */

typedef struct weir_type weir_type;

typedef struct weir_field {
    int32_t id;
    const char *name;
    const weir_type *type;
    const char *description;   /* NULL: none */
    const char *default_value; /* NULL: none */
} weir_field;

struct weir_type {
    weir_type_id id;
    bool nullable;
    int32_t precision; /* of DECIMAL, TIME, TIMESTAMP*; the length of CHAR, VARCHAR, BINARY, VARBINARY */
    int32_t scale;     /* of DECIMAL */
    const weir_type *key;
    const weir_type *element;
    const weir_field *fields;
    int32_t field_count;
};

/* Nullable types without parameters, indexed by weir_type_id (parametrized ones have Flink's defaults: DECIMAL(10,0),
 * TIMESTAMP(6), TIME(0), CHAR(1), BINARY(1), STRING, BYTES). NULL for ARRAY, MAP, MULTISET and ROW. */
const weir_type *weir_type_simple(weir_type_id id, bool nullable);

weir_type *weir_type_new(weir_arena *arena, weir_type_id id, bool nullable); /* with the defaults above */
const weir_type *weir_type_decimal(weir_arena *arena, int precision, int scale, bool nullable);
const weir_type *weir_type_with_length(weir_arena *arena, weir_type_id id, int length_or_precision, bool nullable);
const weir_type *weir_type_array(weir_arena *arena, const weir_type *element, bool nullable);
const weir_type *weir_type_map(weir_arena *arena, const weir_type *key, const weir_type *value, bool nullable);
const weir_type *weir_type_multiset(weir_arena *arena, const weir_type *element, bool nullable);
const weir_type *weir_type_row(weir_arena *arena, const weir_field *fields, int count,
                               bool nullable); /* borrows fields */
const weir_type *weir_type_nullable(weir_arena *arena, const weir_type *type,
                                    bool nullable); /* `type` if it is so already */

/* Deep copy into an arena. */
const weir_type *weir_type_copy(weir_arena *arena, const weir_type *type);

/* Whether two types are the same, with all their parts; `ignore_nullability` at every depth. */
bool weir_type_equal(const weir_type *a, const weir_type *b, bool ignore_nullability);

/* Whether a type is nested deeper than WEIR_MAX_TYPE_DEPTH, so that neither its text nor its JSON would be read again.
 */
bool weir_type_is_too_deep(const weir_type *type);

static inline bool weir_type_is_nested(const weir_type *type)
{
    return type->id == WEIR_ARRAY || type->id == WEIR_MAP || type->id == WEIR_MULTISET || type->id == WEIR_ROW ||
           type->id == WEIR_VARIANT;
}

static inline bool weir_type_is_text(const weir_type *type)
{
    return type->id == WEIR_CHAR || type->id == WEIR_VARCHAR;
}

static inline bool weir_type_is_bytes(const weir_type *type)
{
    return type->id == WEIR_BINARY || type->id == WEIR_VARBINARY || type->id == WEIR_BLOB;
}

/* Appends the type as SQL text: `DECIMAL(10, 2) NOT NULL`, `ARRAY<INT>`, ROW<`a` INT, `b` STRING>. */
void weir_type_format(const weir_type *type, weir_buffer *out);
/* The same as arena text. */
const char *weir_type_text(weir_arena *arena, const weir_type *type);

/* Parses SQL type text (also `INT NOT NULL`, `DEC(4,2)`, `TIMESTAMP(3) WITH LOCAL TIME ZONE`, `ROW<a INT 'comment'>`,
 * `INT ARRAY`). Nested ROW fields get the id -1. */
int weir_type_parse(const char *text, weir_arena *arena, const weir_type **out, weir_error *err);

/* To and from the JSON of Paimon's schema files: a string, or an object for nested types. `path` names the file in
 * errors, which are WEIR_CORRUPT. A field without an id gets -1. */
int weir_type_from_json(const json_t *json, const char *path, weir_arena *arena, const weir_type **out,
                        weir_error *err);
json_t *weir_type_to_json(const weir_type *type);
int weir_field_from_json(const json_t *json, const char *path, weir_arena *arena, weir_field *out, weir_error *err);
json_t *weir_field_to_json(const weir_field *field);

#endif
