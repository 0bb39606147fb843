/* CSV as Flink's csv format has it: no header, quotes doubled in quotes, arrays and rows as text with a delimiter of
 * their own.
 *
 *   records.c   records to fields
 *   reader.c    fields to columns (by the converters of format/json: a field is a string there)
 *   writer.c    rows to records
 *
 * Source of truth: org.apache.flink.formats.csv.CsvToRowDataConverters, and Jackson's CsvDecoder for what a field is.
 */
#ifndef WEIR_FORMAT_CSV_H
#define WEIR_FORMAT_CSV_H

#include "format/row_text.h"

typedef struct weir_csv_options {
    char delimiter;              /* 0: ',' */
    char quote;                  /* 0: '"' */
    bool no_quote;               /* there are no quotes */
    char escape;                 /* 0: none */
    bool allow_comments;         /* lines that begin with # are passed over */
    bool ignore_parse_errors;    /* records that are no CSV are left out, fields that do not fit become NULL */
    bool ignore_first_line;      /* of each file */
    const char *array_delimiter; /* between elements of an array or fields of a row; NULL: ";" */
    const char *null_literal;    /* the text that stands for NULL; NULL: none does */
    bool plain_decimals;         /* written 100 instead of Flink's 1E+2 */
} weir_csv_options;

/* `fields` and the texts of the options are borrowed. MAP, MULTISET and types nested deeper than once are
 * WEIR_UNSUPPORTED. */
int weir_csv_open_reader(const weir_field *fields, int32_t field_count, const weir_csv_options *options,
                         weir_row_reader **out, weir_error *err);
int weir_csv_open_writer(const weir_field *fields, int32_t field_count, const weir_csv_options *options,
                         weir_row_writer **out, weir_error *err);

#endif
