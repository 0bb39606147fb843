/* Reading only the rows that match: the columns of the predicate first, of the others what is left. Used by read.c. */
#ifndef WEIR_TABLE_ROW_TEST_H
#define WEIR_TABLE_ROW_TEST_H

#include "format/format.h"
#include "merge/merge_reader.h"

typedef struct weir_row_test {
    const weir_predicate *predicate; /* over positions in the columns that are read; NULL: every row passes */
    int32_t column_count;
    bool *tested;         /* the columns that the predicate names */
    weir_vector *scratch; /* one a tested column, made when it is needed */
    uint32_t *rows;       /* that passed */
    size_t row_capacity;
} weir_row_test;

void weir_row_test_init(weir_row_test *test, const weir_predicate *predicate, int32_t column_count, weir_arena *arena);
void weir_row_test_free(weir_row_test *test);

/* Fills the cleared batch with those of rows first .. first + count - 1 of the file that match; none is fine. */
int weir_row_test_read(weir_row_test *test, weir_format_reader *file, int64_t first, int64_t count, weir_batch *batch,
                       weir_error *err);

/* The same of the merge's window, which is left with the rows that match. */
int weir_row_test_read_window(weir_row_test *test, weir_merge_reader *merge, weir_batch *batch, weir_error *err);

#endif
