/* Reading the thrift compact protocol, in which Parquet's footer, page headers and indexes are written.
 *
 * Errors stick: after the first one every call returns zeros and the end of the struct or list, so that the code that
 * reads a struct stays a plain switch; weir_thrift_check() tells at the end. Nothing is copied: binaries are borrowed
 * from the input. */
#ifndef WEIR_FORMAT_PARQUET_THRIFT_READER_H
#define WEIR_FORMAT_PARQUET_THRIFT_READER_H

#include "base/base.h"
#include "format/parquet/format_enums.h"

typedef struct weir_thrift_reader {
    const uint8_t *start;
    const uint8_t *next;
    const uint8_t *end;
    const char *problem; /* of the first error; static memory, NULL: none */
    size_t problem_offset;
    bool truncated; /* the problem is that the bytes end too early */
    int depth;      /* of structs and lists that are being read */
} weir_thrift_reader;

typedef struct weir_thrift_field {
    int16_t id;
    weir_thrift_type type;
} weir_thrift_field; /* zero-initialize before the first field of a struct */

void weir_thrift_init(weir_thrift_reader *reader, weir_slice bytes);

/* Moves on to the next field of a struct; false at its end. The value must be read or skipped before the next call. */
bool weir_thrift_next(weir_thrift_reader *reader, weir_thrift_field *field);

/* The value of a field; a field of another type is an error. */
bool weir_thrift_bool(weir_thrift_reader *reader, weir_thrift_field field);
int8_t weir_thrift_i8(weir_thrift_reader *reader, weir_thrift_field field);
int32_t weir_thrift_i32(weir_thrift_reader *reader, weir_thrift_field field);
int64_t weir_thrift_i64(weir_thrift_reader *reader, weir_thrift_field field);
weir_slice weir_thrift_binary(weir_thrift_reader *reader, weir_thrift_field field);
void weir_thrift_struct(weir_thrift_reader *reader, weir_thrift_field field); /* checks; then read its fields */
void weir_thrift_skip(weir_thrift_reader *reader, weir_thrift_field field);

/* The length of a list whose elements have the type `element`; no more than the bytes left can hold, at
 * `element_bytes` each. Elements are read by the functions above with WEIR_THRIFT_ELEMENT(type). */
uint32_t weir_thrift_list(weir_thrift_reader *reader, weir_thrift_field field, weir_thrift_type element,
                          uint32_t element_bytes);
#define WEIR_THRIFT_ELEMENT(element_type) ((weir_thrift_field){.id = -1, .type = (element_type)})

/* Records an error found by the caller. */
void weir_thrift_fail(weir_thrift_reader *reader, const char *problem);

/* WEIR_CORRUPT when an error has happened; `what` says what was read, such as "footer". */
int weir_thrift_check(const weir_thrift_reader *reader, const char *path, const char *what, weir_error *err);

#endif
