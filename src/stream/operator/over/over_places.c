/* What is kept of a key:
 *
 *   value   rows so far: 8 | time of the last: 8 | its RANK: 8 | its DENSE_RANK: 8
 *   map     number of the row, big-endian: 8 -> the row of what LAG gives, for as many rows as it looks back */
#include "stream/operator/over/over_places.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/function/function.h"
#include "stream/operator/byte_keys.h"
#include "stream/state/row_codec.h"

typedef struct counts {
    int64_t rows, time, rank, dense_rank;
} counts;

/* A call: what it gives, and for LAG where its value and its default are among what is computed. */
typedef struct place {
    const weir_aggregate *call;
    int32_t column; /* of the plan's calls */
    int32_t value, otherwise;
    int64_t distance;
} place;

struct weir_over_places {
    place *places;
    int32_t count;
    weir_value_state *counted;
    weir_map_state *before;    /* NULL: no LAG */
    weir_sql_compute *compute; /* values and defaults of LAG */
    weir_batch computed;
    weir_batch looked_up;
    int64_t farthest;
    weir_state_slot *slots;
    size_t slots_capacity;
    weir_buffer row;
};

/* --- LAG ------------------------------------------------------------------------------------------------------- */

static weir_slice number_bytes(int64_t number, uint8_t bytes[8])
{
    weir_store_be64(bytes, (uint64_t)number);
    return weir_slice_of(bytes, 8);
}

/* The value so many rows before row `number` of the key (from 1); *out_found false: there are not so many. It is the
 * first row of looked_up. */
static int look_back(weir_over_places *self, weir_state_slot slot, int64_t number, int64_t distance, bool *out_found,
                     weir_error *err)
{
    uint8_t bytes[8];
    weir_slice value;
    *out_found = false;
    if (distance >= number) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_map_state_get(self->before, slot, number_bytes(number - distance, bytes), out_found, &value, err));
    weir_batch_clear(&self->looked_up);
    return *out_found ? weir_row_decode(value, &self->looked_up, 0, self->looked_up.column_count, err) : WEIR_OK;
}

static int append_lag(weir_over_places *self, const place *lag, weir_state_slot slot, int64_t number, int64_t row,
                      weir_vector *out, weir_error *err)
{
    bool found = false;
    if (lag->distance == 0) {
        return weir_vector_append_range(out, &self->computed.columns[lag->value], row, 1, err);
    }
    WEIR_TRY(look_back(self, slot, number, lag->distance, &found, err));
    if (found) {
        return weir_vector_append_range(out, &self->looked_up.columns[lag->value], 0, 1, err);
    }
    return lag->otherwise < 0 ? weir_vector_append_nulls(out, 1, err)
                              : weir_vector_append_range(out, &self->computed.columns[lag->otherwise], row, 1, err);
}

/* Keeps what LAG gives of this row, and forgets what no later one looks back to. */
static int remember(weir_over_places *self, weir_state_slot slot, int64_t number, int64_t row, weir_error *err)
{
    uint8_t bytes[8];
    weir_buffer_clear(&self->row);
    WEIR_TRY(weir_row_encode(&self->computed, NULL, 0, row, &self->row, err));
    WEIR_TRY(weir_map_state_put(self->before, slot, number_bytes(number, bytes), weir_buffer_slice(&self->row), err));
    return number <= self->farthest
               ? WEIR_OK
               : weir_map_state_remove(self->before, slot, number_bytes(number - self->farthest, bytes), err);
}

/* --- Rows ------------------------------------------------------------------------------------------------------ */

static void count_row(counts *kept, int64_t time)
{
    bool same_time = kept->rows > 0 && kept->time == time;
    kept->rows++;
    kept->rank = same_time ? kept->rank : kept->rows;
    kept->dense_rank += !same_time;
    kept->time = time;
}

static int append_number(weir_vector *out, weir_aggregate_kind kind, const counts *kept, weir_error *err)
{
    int64_t number = kind == WEIR_AGGREGATE_ROW_NUMBER ? kept->rows
                     : kind == WEIR_AGGREGATE_RANK     ? kept->rank
                                                       : kept->dense_rank;
    return weir_vector_append_raw(out, &number, sizeof number, err);
}

static int run_row(weir_over_places *self, weir_slice key, weir_state_slot counted, int64_t row, int64_t time,
                   weir_batch *out, int32_t first, weir_error *err)
{
    uint8_t *bytes;
    counts kept;
    weir_state_slot before = 0;
    WEIR_TRY(weir_value_state_edit(self->counted, counted, sizeof kept, &bytes, err));
    memcpy(&kept, bytes, sizeof kept);
    count_row(&kept, time);
    memcpy(bytes, &kept, sizeof kept);
    if (self->before != NULL) {
        WEIR_TRY(weir_map_state_fetch_one(self->before, key, &before, err));
    }
    for (int32_t i = 0; i < self->count; i++) {
        const place *each = &self->places[i];
        weir_vector *column = &out->columns[first + each->column];
        weir_aggregate_kind kind = each->call->function->aggregate;
        WEIR_TRY(kind == WEIR_AGGREGATE_LAG ? append_lag(self, each, before, kept.rows, row, column, err)
                                            : append_number(column, kind, &kept, err));
    }
    return self->before != NULL ? remember(self, before, kept.rows, row, err) : WEIR_OK;
}

int weir_over_places_run(weir_over_places *self, const weir_batch *rows, const weir_sort_keys *keys,
                         const int64_t *times, weir_batch *out, int32_t first, weir_error *err)
{
    WEIR_GROW(self->slots, self->slots_capacity, keys->length);
    WEIR_TRY(weir_value_state_fetch(self->counted, keys, self->slots, err));
    if (self->compute != NULL) {
        WEIR_TRY(weir_sql_compute_run(self->compute, rows, &self->computed, NULL, err));
    }
    for (int64_t row = 0; row < rows->length; row++) {
        WEIR_TRY(run_row(self, weir_byte_key(keys, row), self->slots[row], row, times[row], out, first, err));
    }
    return WEIR_OK;
}

/* --- Making ---------------------------------------------------------------------------------------------------- */

/* The calls, and what LAG needs computed. */
static int32_t list_places(weir_over_places *self, const weir_plan *plan, weir_expression **expressions)
{
    int32_t computed = 0;
    self->places = weir_alloc_zeroed((size_t)plan->aggregate_count + 1, sizeof *self->places);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        const weir_aggregate *call = &plan->aggregates[i];
        if (!weir_over_is_place(call)) {
            continue;
        }
        place *added = &self->places[self->count++];
        *added = (place){.call = call, .column = i, .otherwise = -1, .distance = 1};
        if (call->function->aggregate == WEIR_AGGREGATE_LAG) {
            added->value = computed;
            expressions[computed++] = call->arguments[0];
            added->distance = call->argument_count > 1 ? call->arguments[1]->literal.integer : 1;
            self->farthest = added->distance > self->farthest ? added->distance : self->farthest;
        }
        if (call->function->aggregate == WEIR_AGGREGATE_LAG && call->argument_count > 2) {
            added->otherwise = computed;
            expressions[computed++] = call->arguments[2];
        }
    }
    return computed;
}

static int open_lag(weir_over_places *self, const weir_operator_context *context, const weir_stream_node *node,
                    weir_expression **expressions, int32_t count, weir_error *err)
{
    const weir_plan *input = node->plan->inputs[0];
    const weir_state_options before = {.uid = node->uid, .name = "before", .ttl_ms = context->state_ttl_ms};
    const weir_sql_compute_options options = {.fields = input->fields,
                                              .field_count = input->field_count,
                                              .expressions = expressions,
                                              .expression_count = count};
    weir_field *fields = weir_alloc_zeroed((size_t)count, sizeof *fields);
    for (int32_t i = 0; i < count; i++) {
        fields[i].type = expressions[i]->type;
    }
    weir_batch_init(&self->computed, fields, count);
    weir_batch_init(&self->looked_up, fields, count);
    free(fields);
    WEIR_TRY(weir_map_state_open(context->state, &before, &self->before, err));
    return weir_sql_compute_create(context->engine, &options, &self->compute, err);
}

int weir_over_places_create(const weir_operator_context *context, const weir_stream_node *node, weir_over_places **out,
                            weir_error *err)
{
    weir_over_places *self = weir_alloc_zeroed(1, sizeof *self);
    weir_expression **expressions =
        weir_alloc_zeroed(2 * (size_t)node->plan->aggregate_count + 1, sizeof(weir_expression *));
    int32_t computed = list_places(self, node->plan, expressions);
    const weir_state_options counted = {.uid = node->uid, .name = "counted", .ttl_ms = context->state_ttl_ms};
    int code = WEIR_OK;
    if (self->count > 0) {
        WEIR_GO(weir_value_state_open(context->state, &counted, &self->counted, err));
    }
    if (computed > 0) {
        WEIR_GO(open_lag(self, context, node, expressions, computed, err));
    }
done:
    free(expressions);
    if (code != WEIR_OK || self->count == 0) {
        weir_over_places_free(self);
        self = NULL;
    }
    *out = self;
    return code;
}

void weir_over_places_free(weir_over_places *self)
{
    if (self == NULL) {
        return;
    }
    if (self->counted != NULL) {
        weir_value_state_close(self->counted);
    }
    if (self->before != NULL) {
        weir_map_state_close(self->before);
        weir_batch_free(&self->computed);
        weir_batch_free(&self->looked_up);
    }
    weir_sql_compute_free(self->compute);
    weir_buffer_free(&self->row);
    free(self->places);
    free(self->slots);
    free(self);
}
