/* Single values, and values as people and other programs read them.
 *
 * A literal is used where a value stands alone: statistics, predicates, partition values, defaults. */
#ifndef WEIR_VECTOR_LITERAL_H
#define WEIR_VECTOR_LITERAL_H

#include "vector/vector.h"

/* One value of a type that is not nested. The member in use follows from the type's layout. */
typedef struct weir_literal {
    bool is_null;
    union {
        bool boolean;
        int64_t integer; /* TINYINT..BIGINT, DATE, TIME, TIMESTAMP(<=6), DECIMAL(<=18) */
        float float32;
        double float64;
        weir_int128 decimal; /* DECIMAL(>18) */
        weir_timestamp_nanos nanos;
        weir_slice bytes; /* borrowed, or in the arena it was read into */
    };
} weir_literal;

/* Value `row` of a vector that is not nested; bytes are borrowed from it. */
weir_literal weir_literal_of(const weir_vector *vector, int64_t row);
int weir_vector_append_literal(weir_vector *vector, const weir_literal *literal, weir_error *err);
weir_literal weir_literal_copy(weir_arena *arena, const weir_type *type, const weir_literal *literal);

/* Reads text as a value of `type`, by Flink SQL's rules of CAST (dates, timestamps with or without fraction, numbers; a
 * DATE of four digits alone is a year). Timestamps with local time zone are read in UTC. Text and bytes are taken as they
 * are, neither padded nor cut. WEIR_INVALID names the text and the type. */
int weir_literal_parse(const weir_type *type, weir_slice text, weir_arena *arena, weir_literal *out, weir_error *err);

/* Appends value `row` as JSON, in the notation of the dump command: numbers as Java prints them, DECIMAL as a string
 * with its full scale, bytes as lower-case hex, DATE "2024-02-29", TIME "23:59:59.999", TIMESTAMP(p) with p digits,
 * LTZ the same in UTC with "Z", ARRAY [..], MAP [[key, value], ..] sorted by their JSON text, ROW [..], VARIANT
 * {"json", "value", "metadata"}. */
void weir_value_to_json(const weir_vector *vector, int64_t row, weir_buffer *out);

/* Appends value `row` as Flink SQL's CAST to STRING gives it (TRUE, LTZ in UTC, TIME without its fraction); nested values
 * as Flink prints them: [a, b], {k=v}, (a, b). NULL is "NULL". */
void weir_value_to_text(const weir_vector *vector, int64_t row, weir_buffer *out);
void weir_literal_to_text(const weir_type *type, const weir_literal *literal, weir_buffer *out);

/* Reads a JSON value in the notation of weir_value_to_json into the end of a vector of any type. After an error the
 * vector's children may be longer than it: clear it. */
int weir_vector_append_json(weir_vector *vector, const json_t *json, weir_error *err);

#endif
