/* Rows of a result on their way to a person or a program. */
#ifndef WEIR_CLI_OUTPUT_H
#define WEIR_CLI_OUTPUT_H

#include <stdio.h>

#include "session/result.h"

typedef enum weir_output_format {
    WEIR_OUTPUT_TABLE,
    WEIR_OUTPUT_CSV,
    WEIR_OUTPUT_JSON,
    WEIR_OUTPUT_JSONL
} weir_output_format;

bool weir_output_format_parse(const char *text, weir_output_format *out);

/* Pulls all rows of a result and prints them. `width`: of the terminal, to which a table is fitted; 0: any. */
int weir_output_rows(weir_result *result, weir_output_format format, int width, FILE *to, int64_t *out_rows,
                     weir_error *err);

/* Appends value `row` as people read it: text bare, bytes as x'…' , TIMESTAMP_LTZ in `time_zone` (NULL: UTC). */
void weir_output_cell(const weir_vector *column, int64_t row, const char *time_zone, weir_buffer *out);

/* One batch in a format without layout. */
void weir_output_csv_header(const weir_field *fields, int32_t count, weir_buffer *out);
void weir_output_csv(const weir_batch *batch, const char *time_zone, weir_buffer *out);
void weir_output_json(const weir_batch *batch, const weir_field *fields, bool is_first, weir_buffer *out);
void weir_output_jsonl(const weir_batch *batch, weir_buffer *out);

/* A table in a box. The widths of its columns follow from the first rows. */
int weir_output_table(weir_result *result, int width, FILE *to, int64_t *out_rows, weir_error *err);

#endif
