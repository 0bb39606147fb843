/* What operators of Top-N have in common: the keys of rows, and a counter that goes on across runs. */
#ifndef WEIR_STREAM_RANK_KEYS_H
#define WEIR_STREAM_RANK_KEYS_H

#include "stream/operator/operator.h"
#include "stream/plan/rank.h"

typedef struct weir_rank_keys {
    weir_sql_compute *compute;
    weir_batch values; /* partition keys, then sort keys */
    int32_t *columns;  /* 0, 1, …: the first of them are the partition keys */
    char counter_name[96];
} weir_rank_keys;

/* The keys are to be closed also after a failure. `out_counter`: where it stands. */
int weir_rank_keys_open(const weir_operator_context *context, const weir_rank *rank, const char *uid,
                        weir_rank_keys *keys, uint64_t *out_counter, weir_error *err);
void weir_rank_keys_close(weir_rank_keys *keys);

/* The keys of a batch, into keys->values. */
int weir_rank_keys_compute(weir_rank_keys *keys, const weir_batch *batch, weir_error *err);

int weir_rank_counter_keep(weir_state_backend *backend, const weir_rank_keys *keys, uint64_t counter, weir_error *err);

#endif
