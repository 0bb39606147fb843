/* What joins give: rows of the batch at hand beside rows of the other side, or beside NULLs. */
#ifndef WEIR_STREAM_JOIN_OUTPUT_H
#define WEIR_STREAM_JOIN_OUTPUT_H

#include "stream/operator/join/join_condition.h"
#include "stream/operator/join/join_rows.h"

#define WEIR_JOIN_NO_ROW UINT32_MAX /* NULLs instead */

typedef struct weir_join_output {
    weir_operator *owner;
    weir_batch batch;      /* of the join's fields */
    int32_t split;         /* fields of the left input; SEMI and ANTI give no others */
    const weir_batch *own; /* the batch at hand … */
    int32_t side;          /* … of this input */
    weir_batch others[2];  /* rows of a side, decoded to stand beside those of a batch of the other one */
    size_t other_bytes;
    uint32_t *own_rows, *other_rows; /* what waits to be sent: numbers of rows in both */
    int8_t *kinds;
    size_t length;
    size_t own_capacity, other_capacity, kinds_capacity;
    size_t bytes; /* about what it will take */
} weir_join_output;

void weir_join_output_init(weir_join_output *self, weir_operator *owner, const weir_plan *plan);
void weir_join_output_free(weir_join_output *self);

/* Makes `batch` the batch at hand, which came in by input `side` and stays the caller's. */
void weir_join_output_begin(weir_join_output *self, int32_t side, const weir_batch *batch);

/* Makes a row of the other side out of its bytes; the number is good until the next one is made, since what waits is
 * settled when there are many. */
int weir_join_output_decode(weir_join_output *self, weir_slice row, uint32_t *out, weir_error *err);

/* The same without settling: for those who have asked for room, and number what they make themselves. */
int weir_join_output_append(weir_join_output *self, weir_slice row, uint32_t *out, weir_error *err);

/* Whether there is room for so many more of about the size of those before. */
bool weir_join_output_has_room(const weir_join_output *self, int64_t rows);

/* Adds what a change makes, `times` times: a -U and a +U where both its rows are there, otherwise a -D or a +I.
 * `other`: the row beside it, or none. `bytes` is about its size. */
int weir_join_output_change(weir_join_output *self, const weir_join_change *change, uint32_t other, uint64_t times,
                            size_t bytes, weir_error *err);
/* Adds one row. */
int weir_join_output_row(weir_join_output *self, int8_t kind, uint32_t own, uint32_t other, size_t bytes,
                         weir_error *err);
/* Adds a row of the other side alone, beside NULLs where the join gives both. */
int weir_join_output_other(weir_join_output *self, int8_t kind, uint32_t other, uint64_t times, size_t bytes,
                           weir_error *err);

/* Gives all rows that the other side has of a key alone. */
int weir_join_output_all(weir_join_output *self, int8_t kind, weir_join_rows *rows, weir_state_slot slot,
                         weir_error *err);

/* Sends what waits, and forgets the decoded rows. Called at the end of each batch too. */
int weir_join_output_settle(weir_join_output *self, weir_error *err);

#endif
