/* Rows that were looked up in older levels, as one more run of a merge. Used by merge_reader.c and selection.c. */
#ifndef WEIR_MERGE_OLDER_ROWS_H
#define WEIR_MERGE_OLDER_ROWS_H

#include "merge/group_fold.h"
#include "merge/merge_reader.h"
#include "merge/run_cursor.h"

typedef struct weir_older_rows {
    const weir_merge_older *older;
    const weir_schema *schema;
    uint16_t run; /* the number it has among the runs */
    /* Of the window: */
    int64_t count;
    uint32_t *groups; /* of each, the position of its key */
    size_t group_capacity;
    int64_t *sequence_numbers;
    int8_t *kinds;
    bool *found;
    weir_vector *columns; /* one a column of the schema, read when it is asked for */
    bool *is_read;
} weir_older_rows;

void weir_older_rows_init(weir_older_rows *rows, const weir_merge_older *older, const weir_schema *schema, int32_t run);
void weir_older_rows_free(weir_older_rows *rows);

/* Looks up the window's keys that have rows in level 0 alone, and puts what is found into their groups. `order` tells
 * the columns of sequence.field, `read` their values in the groups as they are. */
int weir_older_rows_join(weir_older_rows *rows, weir_merge_groups *groups, const weir_sort_keys *keys,
                         const weir_age_order *order, const weir_group_rows *read, weir_error *err);

/* The values of column `column` of the schema of the window's rows; valid until the next join. */
int weir_older_rows_column(weir_older_rows *rows, int32_t column, const weir_vector **out, weir_error *err);

#endif
