/* What a join whose condition is tested pair by pair does for one that forgets rows when their time has passed. */
#ifndef WEIR_STREAM_JOIN_TESTED_H
#define WEIR_STREAM_JOIN_TESTED_H

#include "stream/operator/time_queue.h"

/* From now on rows without a match are given when they are forgotten. */
void weir_join_tested_defer(weir_operator *tested);

/* The keys of the batch that it was given last, and which of its rows are kept. */
const weir_sort_keys *weir_join_tested_keys(const weir_operator *tested, const uint8_t **out_can_match);

/* Forgets rows of a side: one for each key. */
int weir_join_tested_forget(weir_operator *tested, int32_t side, const weir_sort_keys *keys,
                            const weir_time_entry *rows, weir_error *err);

#endif
