/* Late reading: a predicate is tested as soon as its own columns are there, and the values of other columns are decoded
 * for the rows that passed only.
 *
 * What a predicate says is implied by the reader's condition, so that nothing is lost; the reader still filters. */
#include "table/read/row_test.h"

#include <stdlib.h>

void weir_row_test_init(weir_row_test *test, const weir_predicate *predicate, int32_t column_count, weir_arena *arena)
{
    *test = (weir_row_test){.predicate = predicate, .column_count = column_count};
    test->tested = WEIR_NEW_ARRAY(arena, bool, column_count + 1);
    test->scratch = WEIR_NEW_ARRAY(arena, weir_vector, column_count + 1);
    weir_predicate_columns(predicate, test->tested);
}

void weir_row_test_free(weir_row_test *test)
{
    for (int32_t i = 0; i < test->column_count; i++) {
        if (test->scratch[i].type != NULL) {
            weir_vector_free(&test->scratch[i]);
        }
    }
    free(test->rows);
}

/* Tests the rows of the columns that have been read; returns how many passed. */
static int64_t select_rows(weir_row_test *test, weir_batch *batch, int64_t count)
{
    WEIR_GROW(test->rows, test->row_capacity, count);
    batch->length = count;
    return weir_predicate_select(test->predicate, batch, test->rows);
}

/* Leaves of a tested column the rows that passed. */
static int compact_column(weir_row_test *test, int32_t column, int64_t passed, weir_batch *batch, weir_error *err)
{
    weir_vector *whole = &test->scratch[column];
    weir_vector *values = &batch->columns[column];
    if (whole->type == NULL) {
        weir_vector_init(whole, values->type);
    }
    weir_vector swap = *whole;
    *whole = *values;
    *values = swap;
    weir_vector_clear(values);
    return weir_vector_append_rows(values, whole, test->rows, passed, err);
}

static int compact_tested(weir_row_test *test, int64_t passed, weir_batch *batch, weir_error *err)
{
    for (int32_t c = 0; c < test->column_count; c++) {
        if (test->tested[c]) {
            WEIR_TRY(compact_column(test, c, passed, batch, err));
        }
    }
    return WEIR_OK;
}

/* Where nearly all rows pass it is cheaper to take them all. */
static bool is_worth_it(int64_t passed, int64_t count) { return passed < count - count / 8; }

int weir_row_test_read(weir_row_test *test, weir_format_reader *file, int64_t first, int64_t count, weir_batch *batch,
                       weir_error *err)
{
    const weir_format_reader_ops *ops = file->ops;
    for (int32_t c = 0; c < test->column_count; c++) {
        if (test->predicate == NULL || test->tested[c]) {
            WEIR_TRY(ops->read(file, c, first, count, &batch->columns[c], err));
        }
    }
    batch->length = count;
    if (test->predicate == NULL) {
        return WEIR_OK;
    }
    int64_t passed = select_rows(test, batch, count);
    bool chosen = is_worth_it(passed, count);
    if (passed == 0) {
        weir_batch_clear(batch);
        return WEIR_OK;
    }
    for (int32_t c = 0; c < test->column_count; c++) {
        weir_vector *values = &batch->columns[c];
        if (!test->tested[c]) {
            WEIR_TRY(chosen ? ops->gather(file, c, first, test->rows, passed, values, err)
                            : ops->read(file, c, first, count, values, err));
        }
    }
    batch->length = chosen ? passed : count;
    return chosen ? compact_tested(test, passed, batch, err) : WEIR_OK;
}

int weir_row_test_read_window(weir_row_test *test, weir_merge_reader *merge, weir_batch *batch, weir_error *err)
{
    for (int32_t c = 0; c < test->column_count; c++) {
        if (test->predicate == NULL || test->tested[c]) {
            WEIR_TRY(weir_merge_column(merge, c, &batch->columns[c], err));
        }
    }
    if (test->predicate != NULL) {
        int64_t passed = select_rows(test, batch, merge->row_count);
        if (is_worth_it(passed, merge->row_count)) {
            WEIR_TRY(weir_merge_keep(merge, test->rows, passed, err));
            WEIR_TRY(compact_tested(test, passed, batch, err));
        }
    }
    batch->length = merge->row_count;
    for (int32_t c = 0; c < test->column_count && test->predicate != NULL && merge->row_count > 0; c++) {
        if (!test->tested[c]) {
            WEIR_TRY(weir_merge_column(merge, c, &batch->columns[c], err));
        }
    }
    return WEIR_OK;
}
