/* Keys and counters of Top-N (rank_keys.h). */
#include "stream/operator/rank/rank_keys.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"

static int open_compute(const weir_operator_context *context, const weir_rank *rank, weir_rank_keys *keys,
                        weir_error *err)
{
    const weir_plan *input = rank->plan->inputs[0];
    int32_t count = rank->partition_key_count + rank->sort_key_count;
    weir_expression **expressions = weir_alloc_zeroed((size_t)count + 1, sizeof *expressions);
    weir_field *fields = weir_alloc_zeroed((size_t)count + 1, sizeof *fields);
    keys->columns = weir_alloc(((size_t)count + 1) * sizeof *keys->columns);
    for (int32_t i = 0; i < count; i++) {
        int32_t sort_key = i - rank->partition_key_count;
        expressions[i] = sort_key < 0 ? rank->partition_keys[i] : rank->sort_keys[sort_key].expression;
        fields[i] = (weir_field){.name = "", .type = expressions[i]->type};
        keys->columns[i] = i;
    }
    weir_batch_init(&keys->values, fields, count);
    const weir_sql_compute_options options = {.fields = input->fields,
                                              .field_count = input->field_count,
                                              .expressions = expressions,
                                              .expression_count = count};
    int code = weir_sql_compute_create(context->engine, &options, &keys->compute, err);
    free(expressions);
    free(fields);
    return code;
}

int weir_rank_keys_open(const weir_operator_context *context, const weir_rank *rank, const char *uid,
                        weir_rank_keys *keys, uint64_t *out_counter, weir_error *err)
{
    weir_buffer stored = {0};
    WEIR_TRY(open_compute(context, rank, keys, err));
    snprintf(keys->counter_name, sizeof keys->counter_name, "%s.counter", uid);
    int code = weir_state_backend_get(context->state, keys->counter_name, &stored, err);
    if (code == WEIR_OK && stored.size == sizeof *out_counter) {
        memcpy(out_counter, stored.data, sizeof *out_counter);
    }
    weir_buffer_free(&stored);
    return code == WEIR_NOT_FOUND ? WEIR_OK : code;
}

void weir_rank_keys_close(weir_rank_keys *keys)
{
    weir_sql_compute_free(keys->compute);
    weir_batch_free(&keys->values);
    free(keys->columns);
}

int weir_rank_keys_compute(weir_rank_keys *keys, const weir_batch *batch, weir_error *err)
{
    return weir_sql_compute_run(keys->compute, batch, &keys->values, NULL, err);
}

int weir_rank_counter_keep(weir_state_backend *backend, const weir_rank_keys *keys, uint64_t counter, weir_error *err)
{
    return weir_state_backend_put(backend, keys->counter_name, weir_slice_of(&counter, sizeof counter), err);
}
