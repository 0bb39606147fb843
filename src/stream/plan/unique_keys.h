/* Fields that no two rows of a plan's result share, node by node. */
#ifndef WEIR_STREAM_UNIQUE_KEYS_H
#define WEIR_STREAM_UNIQUE_KEYS_H

#include "stream/plan/rank.h"
#include "stream/plan/traits.h"

/* Sets the keys of `out`. `rank` NULL: the plan is no Top-N. */
void weir_unique_keys_of(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                         weir_arena *arena, weir_stream_traits *out);

#endif
