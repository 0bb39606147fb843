/* Records of CSV taken apart into fields.
 *
 * The fields of some hundred records are copied, quotes and escapes resolved, into one buffer of text, and are then
 * strings of JSON as far as the converters of columns (format/json/column.h) are concerned. */
#ifndef WEIR_FORMAT_CSV_RECORDS_H
#define WEIR_FORMAT_CSV_RECORDS_H

#include "format/csv/csv.h"
#include "format/json/column.h"
#include "format/json/rows.h"

/* The records taken; zero-initialized but for options, columns, column_count and rows.width. */
typedef struct weir_csv_records {
    weir_csv_options options;  /* without the zeros that stand for defaults */
    weir_json_column *columns; /* borrowed */
    int32_t column_count;
    weir_json_rows rows;
    weir_buffer texts; /* of the rows' fields */
    weir_buffer list;  /* a nested field as JSON, while it is made */
} weir_csv_records;

/* Where a record is being read. */
typedef struct weir_csv_cursor {
    const uint8_t *at;
    const uint8_t *end; /* behind it WEIR_ROW_TEXT_PADDING bytes can be read */
    bool is_end;        /* nothing comes after `end` */
    bool cut;           /* the text ends within the record, or may */
    const char *wrong;  /* what is wrong with the record, for people; NULL: nothing */
} weir_csv_cursor;

/* Takes the record at the cursor, its line end included. False: it is cut or wrong, as the cursor says then, and no row
 * was added. */
bool weir_csv_take_record(weir_csv_records *records, weir_csv_cursor *cursor);

/* Forgets the records taken. */
void weir_csv_records_clear(weir_csv_records *records);

/* All but the borrowed columns. */
void weir_csv_records_free(weir_csv_records *records);

#endif
