/* Nodes of a plan as Flink's messages name them. */
#ifndef WEIR_STREAM_FLINK_WORDS_H
#define WEIR_STREAM_FLINK_WORDS_H

#include "stream/plan/rank.h"
#include "stream/plan/traits.h"

/* A node that makes updates or deletes, such as "GroupAggregate(groupBy=[k], select=[k, COUNT(*)])", in `arena`. `rank`
 * NULL: it is no Top-N. */
const char *weir_flink_words(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                             weir_arena *arena);

#endif
