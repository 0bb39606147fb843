/* CURRENT_WATERMARK(time) in the select list and in WHERE: a column that is added below them. */
#ifndef WEIR_STREAM_CURRENT_WATERMARK_H
#define WEIR_STREAM_CURRENT_WATERMARK_H

#include "stream/plan/traits.h"

bool weir_current_watermark_is_asked(const weir_flat_plan *flat);

/* Puts a column in the place of each call, the first after the fields of the chain's bottom, and gives the bottom with
 * it. WEIR_INVALID, in Flink's words, over what is no time of events. `input`: of the bottom. */
int weir_current_watermark_replace(weir_flat_plan *flat, const weir_stream_traits *input, weir_arena *arena,
                                   const weir_plan **out_bottom, weir_error *err);

#endif
