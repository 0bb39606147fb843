/* ROW_NUMBER, RANK, DENSE_RANK and LAG over rows that come in order, key by key. */
#ifndef WEIR_STREAM_OVER_PLACES_H
#define WEIR_STREAM_OVER_PLACES_H

#include "stream/operator/operator.h"
#include "stream/plan/over.h"

typedef struct weir_over_places weir_over_places;

/* The calls of the WINDOW that weir_over_is_place says of; *out NULL: there are none. */
int weir_over_places_create(const weir_operator_context *context, const weir_stream_node *node, weir_over_places **out,
                            weir_error *err);
void weir_over_places_free(weir_over_places *places); /* NULL is fine */

/* Appends the calls' values for the rows of a batch, which are next in the order of their keys, to the columns of `out`
 * from `first` on, each call to its own. times[i]: what row i is ordered by. */
int weir_over_places_run(weir_over_places *places, const weir_batch *rows, const weir_sort_keys *keys,
                         const int64_t *times, weir_batch *out, int32_t first, weir_error *err);

#endif
