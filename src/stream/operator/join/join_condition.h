/* The condition of a join taken apart, and the keys of its inputs' rows. */
#ifndef WEIR_STREAM_JOIN_CONDITION_H
#define WEIR_STREAM_JOIN_CONDITION_H

#include "stream/operator/operator.h"

enum { WEIR_JOIN_LEFT_SIDE = 0, WEIR_JOIN_RIGHT_SIDE = 1 };

/* key = key AND … AND conditions of one side AND what is left. */
typedef struct weir_join_condition {
    weir_expression **keys[2]; /* of each side, over the fields of that input; sides alike in type */
    bool *null_safe;           /* IS NOT DISTINCT FROM: NULL meets NULL */
    int32_t key_count;
    weir_expression **own[2]; /* what the condition says of one side alone, over that input */
    int32_t own_count[2];
    weir_expression **rest; /* over the fields of both */
    int32_t rest_count;
} weir_join_condition;

/* Takes plan->predicate apart, in `arena`. Rows that do not fulfil the conditions of their own side match nothing, as
 * those with a NULL in their key. */
void weir_join_condition_split(const weir_plan *plan, weir_arena *arena, weir_join_condition *out);

/* Keeps only the keys of these numbers, in this order; the others become part of the rest. `split`: fields of the first
 * input. */
void weir_join_condition_keep_keys(weir_join_condition *self, weir_arena *arena, int32_t split, const int32_t *kept,
                                   int32_t count);

/* Keys of one side's rows, a batch at a time. */
typedef struct weir_join_keys weir_join_keys;

/* Keys of input `side` as the condition has them; it and the plan of that input outlive them. */
int weir_join_keys_create(weir_sql_engine *engine, const weir_join_condition *condition, int32_t side,
                          const weir_plan *input, weir_join_keys **out, weir_error *err);
void weir_join_keys_free(weir_join_keys *keys); /* NULL is fine */

/* Both are good until the next run: the keys, and for each row whether it can match at all. */
int weir_join_keys_run(weir_join_keys *keys, const weir_batch *batch, const weir_sort_keys **out_keys,
                       const uint8_t **out_can_match, weir_error *err);

/* The keys themselves, a column each, of the last run's batch: a view, good until the next run. */
weir_batch weir_join_keys_columns(const weir_join_keys *keys);

#endif
