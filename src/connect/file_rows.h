/* The rows of one file, from a position on. */
#ifndef WEIR_CONNECT_FILE_ROWS_H
#define WEIR_CONNECT_FILE_ROWS_H

#include "base/budget.h"
#include "connect/row_format.h"
#include "fs/fs.h"

/* Where in a file we are: after the last row given out. */
typedef struct weir_file_position {
    uint64_t offset; /* in bytes, of text; in rows, of formats that are read column by column */
    int64_t line;    /* of text: the number of the line at the offset, from 1 */
    uint8_t state;   /* of text: weir_row_reader.state */
} weir_file_position;

#define WEIR_FILE_START ((weir_file_position){.line = 1})

typedef struct weir_file_rows weir_file_rows;

struct weir_file_rows {
    /* Appends rows until `batch` holds `most_rows`, or fewer of them when it has read a good deal of text. WEIR_END:
     * the file is through; rows may have been appended. */
    int (*next)(weir_file_rows *self, int64_t most_rows, weir_batch *batch, weir_error *err);
    void (*close)(weir_file_rows *self);
    weir_file_position position;
    bool may_grow; /* set by the caller: of text, what has no end of line behind it yet is left, also at the file's end */
};

/* Rows in text. `reader` is borrowed and serves one file at a time; the file is owned, also after a
 * failure. */
int weir_text_rows_open(weir_file *file, weir_row_reader *reader, weir_file_position position, weir_budget *budget,
                        weir_file_rows **out, weir_error *err);

/* Rows of a Parquet or Avro file. Columns are found by name; those that the file lacks are NULL, those of another type
 * are cast where Paimon's schema evolution would. `fields` are borrowed; the file is owned, also
 * after a failure. */
int weir_columnar_rows_open(const char *format, weir_file *file, const weir_field *fields, int32_t field_count,
                            weir_file_position position, weir_budget *budget, weir_file_rows **out, weir_error *err);

#endif
