/* vector: columns of values in Arrow layout, and what is done with them.
 *
 *   type.h        Paimon's types
 *   vector.h      vectors and batches (this file)
 *   arrow.h       handing batches over through the Arrow C data interface
 *   cast.h        casting a vector to another type, for schema evolution and SQL
 *   compare.h     comparing values; min and max
 *   sort_key.h    memcmp-comparable keys, and sorting by them
 *   binary_row.h  Paimon's BinaryRow, both ways
 *   bucket.h      Paimon's bucket functions
 *   literal.h     single values, and values as JSON and text
 *   predicate.h   conjuncts over columns, and testing them against statistics
 *   decimal.h     decimals as text, and their limits
 *   time_text.h   dates and times as text
 *   variant.h     VARIANT as JSON, both ways
 *   bits.h        ranges of bits
 *
 * Threading: a vector is used by one thread at a time. */
#ifndef WEIR_VECTOR_H
#define WEIR_VECTOR_H

#include "base/base.h"
#include "vector/type.h"

/* How the values of a type lie in memory:
 *
 *   BOOLEAN                          one bit a value, least significant bit first
 *   TINYINT, SMALLINT, INT, BIGINT   int8_t, int16_t, int32_t, int64_t
 *   FLOAT, DOUBLE                    float, double
 *   DATE                             int32_t, days since 1970-01-01
 *   TIME(p)                          int32_t, milliseconds of the day
 *   TIMESTAMP(0..3), LTZ             int64_t, milliseconds since 1970-01-01
 *   TIMESTAMP(4..6), LTZ             int64_t, microseconds
 *   TIMESTAMP(7..9), LTZ             weir_timestamp_nanos, 16 bytes
 *   DECIMAL(p <= 18)                 int64_t, unscaled
 *   DECIMAL(p > 18)                  weir_int128, unscaled
 *   CHAR, VARCHAR, *BINARY, BLOB     int32_t offsets[length + 1] into `data`
 *   ARRAY                            int32_t offsets[length + 1] into children[0]
 *   MAP, MULTISET                    int32_t offsets[length + 1] into children[0] (keys) and children[1] (values)
 *   ROW                              children[i] of the same length
 *   VARIANT                          children[0] value, children[1] metadata, as BYTES */
typedef enum weir_layout {
    WEIR_LAYOUT_BIT,
    WEIR_LAYOUT_8,
    WEIR_LAYOUT_16,
    WEIR_LAYOUT_32,
    WEIR_LAYOUT_64,
    WEIR_LAYOUT_128,
    WEIR_LAYOUT_BYTES,  /* offsets and bytes */
    WEIR_LAYOUT_LIST,   /* offsets and children */
    WEIR_LAYOUT_STRUCT, /* children */
    WEIR_LAYOUT_NONE    /* WEIR_NULL: nothing */
} weir_layout;

__extension__ typedef __int128 weir_int128;

typedef struct weir_timestamp_nanos {
    int64_t millis;         /* floor of the instant */
    int32_t nanos_of_milli; /* 0..999999 */
    int32_t zero;
} weir_timestamp_nanos;

typedef struct weir_vector {
    const weir_type *type;
    weir_layout layout;
    int64_t length;
    int64_t null_count;
    uint8_t *validity; /* one bit a value, 1: valid; NULL when null_count is 0. Slots of nulls hold zeros */
    uint8_t *data;
    int32_t *offsets; /* offsets[0] is 0 */
    struct weir_vector *children;
    int32_t child_count;
    /* Owned memory, in bytes; 0 with a non-NULL pointer means borrowed: such a vector cannot grow. */
    size_t validity_capacity;
    size_t data_capacity;
    size_t offsets_capacity;
} weir_vector;

weir_layout weir_layout_of(const weir_type *type);
/* Bytes of a value in a fixed-width layout; 0 for BIT, BYTES, LIST, STRUCT and NONE. */
size_t weir_layout_width(weir_layout layout);

/* An empty vector. `type` is borrowed and must outlive it. */
void weir_vector_init(weir_vector *vector, const weir_type *type);
void weir_vector_free(weir_vector *vector);  /* its memory, children included; init it again before another use */
void weir_vector_clear(weir_vector *vector); /* length 0, memory kept */
size_t weir_vector_memory(const weir_vector *vector); /* bytes owned */
/* Bytes that values first .. first + count - 1 take, without their validity. */
int64_t weir_vector_range_bytes(const weir_vector *vector, int64_t first, int64_t count);

/* Room for `rows` more values (of the vector itself, not of list children), and for `bytes` more bytes of text.
 * WEIR_INVALID when a text column would pass 2 GB. */
int weir_vector_reserve(weir_vector *vector, int64_t rows, weir_error *err);
int weir_vector_reserve_bytes(weir_vector *vector, size_t bytes, weir_error *err);

/* weir_vector_reserve, and `validity` an array with room for them, the values so far being valid. For those that write
 * values into the arrays themselves: they set the new bits, zero the slots of nulls, and add to length and null_count.
 * Where none turned out null, call weir_vector_drop_validity. */
int weir_vector_reserve_validity(weir_vector *vector, int64_t rows, weir_error *err);
void weir_vector_drop_validity(weir_vector *vector); /* when null_count is 0 */

/* Appends `count` nulls; or one value. The raw form takes the bytes of the layout (for BIT one byte 0 or 1; for BYTES
 * the text itself). Nested vectors are appended to through their children: append to the children, then call
 * weir_vector_append_list (the offset becomes the children's length) or weir_vector_append_struct. */
int weir_vector_append_nulls(weir_vector *vector, int64_t count, weir_error *err);
int weir_vector_append_raw(weir_vector *vector, const void *value, size_t size, weir_error *err);
int weir_vector_append_list(weir_vector *vector, weir_error *err);
int weir_vector_append_struct(weir_vector *vector, weir_error *err);

/* Appends values `first` .. `first + count - 1` of `from`, or those at `rows`. The layouts must be equal. Any type. */
int weir_vector_append_range(weir_vector *vector, const weir_vector *from, int64_t first, int64_t count,
                             weir_error *err);
int weir_vector_append_rows(weir_vector *vector, const weir_vector *from, const uint32_t *rows, int64_t count,
                            weir_error *err);

/* Interleaves: value i comes from sources[source_of[i]], which are read in order from their `cursors` on (advanced).
 * This is how a merge gathers one column from its runs. */
int weir_vector_interleave(weir_vector *vector, weir_vector *const *sources, int64_t *cursors,
                           const uint16_t *source_of, int64_t count, weir_error *err);

static inline bool weir_bit_get(const uint8_t *bits, int64_t i) { return (bits[i >> 3] >> (i & 7)) & 1; }
static inline void weir_bit_set(uint8_t *bits, int64_t i) { bits[i >> 3] |= (uint8_t)(1u << (i & 7)); }
static inline void weir_bit_clear(uint8_t *bits, int64_t i) { bits[i >> 3] &= (uint8_t)~(1u << (i & 7)); }

static inline bool weir_vector_is_null(const weir_vector *vector, int64_t i)
{
    return vector->layout == WEIR_LAYOUT_NONE || (vector->validity != NULL && !weir_bit_get(vector->validity, i));
}

static inline weir_slice weir_vector_bytes(const weir_vector *vector, int64_t i)
{
    int32_t from = vector->offsets[i];
    return weir_slice_of(vector->data + from, (size_t)(vector->offsets[i + 1] - from));
}

#define WEIR_VALUES(vector, ctype) ((ctype *)(void *)(vector)->data)

/* Row kinds, as Paimon and Flink number them. */
typedef enum weir_row_kind {
    WEIR_INSERT = 0,
    WEIR_UPDATE_BEFORE = 1,
    WEIR_UPDATE_AFTER = 2,
    WEIR_DELETE = 3
} weir_row_kind;

static inline bool weir_row_kind_is_retract(int8_t kind) { return kind == WEIR_UPDATE_BEFORE || kind == WEIR_DELETE; }
const char *weir_row_kind_text(int8_t kind); /* "+I", "-U", "+U", "-D" */
bool weir_row_kind_parse(weir_slice text, int8_t *out);

/* Rows: columns of equal length, and the kind of each row. A batch is filled, used and cleared again by its owner; a
 * function that "fills" a batch clears it first. */
typedef struct weir_batch {
    int64_t length;
    weir_vector *columns;
    int32_t column_count;
    int8_t *kinds; /* of `length`; NULL: all +I */
    size_t kinds_capacity;
} weir_batch;

void weir_batch_init(weir_batch *batch, const weir_field *fields, int32_t count); /* types are borrowed */
void weir_batch_free(weir_batch *batch);
void weir_batch_clear(weir_batch *batch);
size_t weir_batch_memory(const weir_batch *batch);

/* Makes `kinds` an array with room for `rows` rows in all; those up to length that had none become +I. */
void weir_batch_reserve_kinds(weir_batch *batch, int64_t rows);

int weir_batch_append_range(weir_batch *batch, const weir_batch *from, int64_t first, int64_t count, weir_error *err);
int weir_batch_append_rows(weir_batch *batch, const weir_batch *from, const uint32_t *rows, int64_t count,
                           weir_error *err);

static inline int8_t weir_batch_kind(const weir_batch *batch, int64_t row)
{
    return batch->kinds == NULL ? (int8_t)WEIR_INSERT : batch->kinds[row];
}

#endif
