/* How many rows there are of each key, in keyed state. */
#ifndef WEIR_STREAM_KEY_COUNTS_H
#define WEIR_STREAM_KEY_COUNTS_H

#include "stream/operator/operator.h"

typedef struct weir_key_counts {
    weir_value_state *counts;
    weir_state_slot *slots; /* of the rows of the batch at hand, by their keys */
    size_t capacity;
} weir_key_counts;

int weir_key_counts_open(weir_key_counts *self, const weir_operator_context *context, const char *uid, const char *name,
                         weir_error *err);
void weir_key_counts_close(weir_key_counts *self);

/* Finds the places of a batch's keys; `slots` are good until the next fetch. */
int weir_key_counts_fetch(weir_key_counts *self, const weir_sort_keys *keys, weir_error *err);

uint64_t weir_key_counts_get(const weir_key_counts *self, weir_state_slot slot);

/* Adds to a count, which does not go below 0: with a time to live, rows may be forgotten. */
int weir_key_counts_add(weir_key_counts *self, weir_state_slot slot, int64_t by, uint64_t *out_after, weir_error *err);

#endif
