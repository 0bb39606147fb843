/* The rows of a file that are not deleted, as if they were all of it. */
#ifndef WEIR_FILE_LIVE_ROWS_H
#define WEIR_FILE_LIVE_ROWS_H

#include "file/table_context.h"
#include "format/format.h"

/* A reader without the rows that `file->deletion` marks: rows are counted without them. Owns `inner` after success. */
int weir_live_rows_open(const weir_table_context *context, const weir_data_file *file, weir_format_reader *inner,
                        weir_format_reader **out, weir_error *err);

#endif
