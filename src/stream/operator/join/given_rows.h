/* What a lookup join gave beside each row of its left input, so that it can be taken back as it was. */
#ifndef WEIR_STREAM_GIVEN_ROWS_H
#define WEIR_STREAM_GIVEN_ROWS_H

#include "stream/operator/operator.h"

/* Keyed state: left row -> sets of rows, one for each time that the row came. */
typedef struct weir_given_rows {
    weir_value_state *sets;
    weir_state_slot *slots; /* of the rows of the batch at hand */
    size_t capacity;
    int32_t *columns; /* that tell left rows apart */
    int32_t column_count;
    weir_sort_keys keys;
} weir_given_rows;

/* By the left input's key where it has one; otherwise by the whole row without what the clock says. In `arena`. */
int weir_given_rows_open(weir_given_rows *self, const weir_operator_context *context, const weir_stream_node *node,
                         weir_arena *arena, weir_error *err);
void weir_given_rows_close(weir_given_rows *self);

int weir_given_rows_fetch(weir_given_rows *self, const weir_batch *batch, weir_error *err);

/* Appends a row to a set that is being made. */
void weir_given_rows_append(weir_buffer *set, weir_slice row);

/* Adds a set, which may be empty; takes the one that was added last. *out_found false: there is none. */
int weir_given_rows_push(weir_given_rows *self, int64_t row, weir_slice set, weir_error *err);
int weir_given_rows_pop(weir_given_rows *self, int64_t row, weir_buffer *out_set, bool *out_found, weir_error *err);

/* Takes the first row off a set; false when it is empty. */
bool weir_given_rows_take(weir_slice *set, weir_slice *out);

#endif
