/* Writing the thrift compact protocol, as far as Parquet's headers and footers need it.
 *
 * Field numbers within a struct must ascend, so that every field takes one byte of header. */
#ifndef WEIR_FORMAT_PARQUET_THRIFT_WRITER_H
#define WEIR_FORMAT_PARQUET_THRIFT_WRITER_H

#include "base/buffer.h"
#include "format/parquet/format_enums.h"

#define WEIR_THRIFT_WRITER_DEPTH 16

typedef struct weir_thrift_writer {
    weir_buffer *out;
    int depth; /* of the struct being written; the outermost is 0 */
    int16_t last_field[WEIR_THRIFT_WRITER_DEPTH];
} weir_thrift_writer;

/* Begins an outermost struct, which ends with weir_thrift_write_end. Appends to `out`. */
void weir_thrift_writer_init(weir_thrift_writer *writer, weir_buffer *out);

/* Fields of the struct at hand. A binary is copied. */
void weir_thrift_write_bool(weir_thrift_writer *writer, int16_t field, bool value);
void weir_thrift_write_byte(weir_thrift_writer *writer, int16_t field, int8_t value);
void weir_thrift_write_i16(weir_thrift_writer *writer, int16_t field, int16_t value);
void weir_thrift_write_i32(weir_thrift_writer *writer, int16_t field, int32_t value);
void weir_thrift_write_i64(weir_thrift_writer *writer, int16_t field, int64_t value);
void weir_thrift_write_binary(weir_thrift_writer *writer, int16_t field, weir_slice value);

/* A struct as a field, or (begin_element) as an element of a list. Both end with weir_thrift_write_end. */
void weir_thrift_write_begin(weir_thrift_writer *writer, int16_t field);
void weir_thrift_write_begin_element(weir_thrift_writer *writer);
void weir_thrift_write_end(weir_thrift_writer *writer);

/* A field that is a struct without fields, such as the members of the union LogicalType. */
void weir_thrift_write_empty(weir_thrift_writer *writer, int16_t field);

/* The head of a list; `count` elements follow. */
void weir_thrift_write_list(weir_thrift_writer *writer, int16_t field, weir_thrift_type element, size_t count);
void weir_thrift_write_bool_element(weir_thrift_writer *writer, bool value);
void weir_thrift_write_i32_element(weir_thrift_writer *writer, int32_t value);
void weir_thrift_write_i64_element(weir_thrift_writer *writer, int64_t value);
void weir_thrift_write_binary_element(weir_thrift_writer *writer, weir_slice value);

#endif
