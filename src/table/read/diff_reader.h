/* The difference of two states of one bucket. Used by read.c only. */
#ifndef WEIR_TABLE_DIFF_READER_H
#define WEIR_TABLE_DIFF_READER_H

#include "table/read/read.h"

typedef struct weir_diff_reader weir_diff_reader;

/* Rows come out with their kinds: those of the later state where it differs, and a -D for each key that is gone; or, for
 * a split `with_before`, as a changelog. A batch may hold one row more than `max_rows`. */
int weir_diff_reader_open(const weir_table *table, const weir_split *split, const int32_t *columns,
                          int32_t column_count, weir_diff_reader **out, weir_error *err);
int weir_diff_reader_next(weir_diff_reader *reader, weir_batch *batch, int64_t max_rows, weir_error *err);
void weir_diff_reader_close(weir_diff_reader *reader);

#endif
