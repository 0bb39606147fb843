/* Aggregates over frames: of each row, in the order of its key, over the rows before it that its frame reaches to. */
#ifndef WEIR_STREAM_OVER_FRAMES_H
#define WEIR_STREAM_OVER_FRAMES_H

#include "stream/operator/operator.h"
#include "stream/plan/over.h"

typedef struct weir_over_frames weir_over_frames;

/* The calls of the WINDOW that are aggregates; *out NULL: there are none. */
int weir_over_frames_create(const weir_operator_context *context, const weir_stream_node *node, const weir_over *over,
                            weir_over_frames **out, weir_error *err);
void weir_over_frames_free(weir_over_frames *frames); /* NULL is fine */

/* Appends the aggregates for the rows of a batch, as weir_over_places_run does. Rows of one key and time stand
 * together. */
int weir_over_frames_run(weir_over_frames *frames, const weir_batch *rows, const weir_sort_keys *keys,
                         const int64_t *times, weir_batch *out, int32_t first, weir_error *err);

#endif
