/* What a caller wants to read, resolved against a table. Used by the files of this room. */
#ifndef WEIR_API_READ_REQUEST_H
#define WEIR_API_READ_REQUEST_H

#include "table/read/read.h"

typedef struct weir_resolved_request {
    int32_t *columns; /* to read: those asked for, then those that only conditions look at */
    int32_t column_count;
    int32_t visible_count;           /* of them come out */
    const weir_predicate *predicate; /* over the schema's columns; NULL: none */
    const weir_predicate *filter;    /* the same over `columns` */
    bool with_kinds;
    int64_t batch_rows;
} weir_resolved_request; /* in the arena given */

/* `request` NULL: everything. WEIR_NOT_FOUND suggests a column; WEIR_INVALID names a value and its type. */
int weir_read_request_resolve(const weir_schema *schema, const weir_read_request *request, weir_arena *arena,
                              weir_resolved_request *out, weir_error *err);

/* A column by name, with a suggestion where there is none. */
int weir_read_request_column(const weir_schema *schema, const char *name, int32_t *out, weir_error *err);

/* A value given as text. */
int weir_read_request_value(const weir_field *field, const char *text, weir_arena *arena, weir_literal *out,
                            weir_error *err);

#endif
