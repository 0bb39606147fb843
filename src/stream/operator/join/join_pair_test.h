/* What a join asks for beyond equal keys, tested for many pairs of rows at once. */
#ifndef WEIR_STREAM_JOIN_PAIR_TEST_H
#define WEIR_STREAM_JOIN_PAIR_TEST_H

#include "stream/operator/join/join_output.h"

/* A pair is a row of the batch at hand of a weir_join_output, and a row that it has decoded to stand beside one. */
typedef struct weir_join_pair_test {
    weir_sql_compute *compute; /* NULL: not opened; equal keys are enough */
    bool *tested_columns;      /* of both inputs */
    weir_batch own[2];         /* rows of the batch at hand, by its side: one for each pair */
    weir_batch pairs;          /* these beside the other side's rows: borrowed columns */
    weir_batch nothing;        /* what is computed */
    uint32_t *rows;            /* of the batch at hand, for each decoded row */
    uint8_t *passes;           /* for each decoded row: whether the pair passes */
    size_t rows_capacity, passes_capacity;
} weir_join_pair_test;

/* Makes the batches; nothing is tested yet. */
void weir_join_pair_test_init(weir_join_pair_test *self, const weir_plan *join);
/* The test of condition->rest, which outlives it. */
int weir_join_pair_test_open(weir_join_pair_test *self, weir_sql_engine *engine, const weir_plan *join,
                             const weir_join_condition *condition, weir_arena *arena, weir_error *err);
void weir_join_pair_test_free(weir_join_pair_test *self);

/* The decoded row is to stand beside this row of the batch. Every decoded row needs one. */
void weir_join_pair_test_pair(weir_join_pair_test *self, uint32_t decoded, int64_t row);

/* Tests all pairs, into `passes`. */
int weir_join_pair_test_run(weir_join_pair_test *self, const weir_join_output *output, weir_error *err);

#endif
