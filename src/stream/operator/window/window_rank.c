/* WINDOW of ROW_NUMBER, RANK or DENSE_RANK in each window of time: rows wait until their window closes, and then come
 * out with their numbers, once. Rows of windows that have closed are late, and dropped.
 *
 * They wait in the order in which they are numbered:
 *
 *   when the window is due | size of what follows: 4 | what rows are partitioned by | their order | number of the row
 */
#include <stdlib.h>

#include "sql/function/function.h"
#include "stream/operator/operators.h"
#include "stream/operator/order_key.h"
#include "stream/operator/time_queue.h"
#include "stream/operator/window/window_clock.h"
#include "stream/operator/window/window_operator.h"
#include "stream/state/row_codec.h"

enum { size_bytes = 4, most_rows = 16384 };

typedef struct window_rank {
    weir_window_operator window; /* first */
    const weir_plan *plan;
    const weir_window *over;
    int32_t window_end; /* field of the input */
    const weir_zone *zone;
    weir_sql_compute *compute; /* partition keys, then sort keys */
    weir_batch computed;
    int32_t *partition_columns; /* 0, 1, … */
    weir_order_keys order;
    weir_time_queue *waiting;
    weir_batch result;
    weir_buffer key;
    weir_buffer last_key; /* of the row before */
    int64_t row_number, rank, dense_rank;
} window_rank;

/* --- Rows that come -------------------------------------------------------------------------------------------- */

static int build_key(window_rank *self, int64_t row, weir_error *err)
{
    uint8_t size[size_bytes] = {0};
    weir_buffer_clear(&self->key);
    weir_buffer_append(&self->key, size, sizeof size);
    WEIR_TRY(weir_row_encode(&self->computed, self->partition_columns, self->over->partition_key_count, row, &self->key,
                             err));
    weir_store_be32(self->key.data, (uint32_t)(self->key.size - sizeof size));
    weir_slice order = weir_order_key(&self->order, row);
    weir_buffer_append(&self->key, order.data, order.size);
    return WEIR_OK;
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    window_rank *self = (window_rank *)base;
    const weir_vector *ends = &batch->columns[self->window_end];
    int64_t late = 0;
    (void)input;
    WEIR_TRY(weir_sql_compute_run(self->compute, batch, &self->computed, NULL, err));
    WEIR_TRY(weir_order_keys_build(&self->order, &self->computed, self->over->partition_key_count,
                                   self->over->sort_keys, self->over->sort_key_count, err));
    for (int64_t row = 0; row < batch->length; row++) {
        int64_t due = weir_window_due(self->zone, weir_time_millis(ends, row) - 1);
        if (!self->window.by_clock && due <= self->window.closed) {
            late++;
            continue;
        }
        WEIR_TRY(build_key(self, row, err));
        WEIR_TRY(weir_time_queue_put_row(self->waiting, due, weir_buffer_slice(&self->key), batch, row, err));
    }
    atomic_fetch_add(self->window.context->late_rows, late);
    return WEIR_OK;
}

/* --- Windows that close ---------------------------------------------------------------------------------------- */

/* Numbers a row after the one before it. */
static int64_t number_row(window_rank *self, weir_slice key)
{
    weir_slice last = weir_buffer_slice(&self->last_key);
    size_t partition = size_bytes + weir_load_be32(key.data);
    bool same_partition = last.size >= partition && memcmp(last.data, key.data, partition) == 0;
    bool equal = same_partition && weir_slice_equal(last, key);
    self->row_number = same_partition ? self->row_number + 1 : 1;
    self->rank = equal ? self->rank : self->row_number;
    self->dense_rank = equal ? self->dense_rank : same_partition ? self->dense_rank + 1 : 1;
    weir_buffer_clear(&self->last_key);
    weir_buffer_append(&self->last_key, key.data, key.size);
    switch (self->plan->aggregates[0].function->aggregate) {
    case WEIR_AGGREGATE_ROW_NUMBER:
        return self->row_number;
    case WEIR_AGGREGATE_RANK:
        return self->rank;
    default:
        return self->dense_rank;
    }
}

static int send(window_rank *self, weir_error *err)
{
    int code = weir_output_send(&self->window.base, &self->result, err);
    weir_batch_clear(&self->result);
    return code;
}

static int close_due(weir_window_operator *base, int64_t moment, weir_error *err)
{
    window_rank *self = (window_rank *)base;
    const weir_time_entry *entries;
    int32_t before = self->plan->inputs[0]->field_count;
    int64_t count;
    do {
        WEIR_TRY(weir_time_queue_take(self->waiting, moment, &entries, &count, err));
        weir_buffer_clear(&self->last_key);
        for (int64_t i = 0; i < count; i++) {
            int64_t number = number_row(self, weir_time_entry_row_key(&entries[i]));
            WEIR_TRY(weir_row_decode(entries[i].value, &self->result, 0, before, err));
            WEIR_TRY(weir_vector_append_raw(&self->result.columns[before], &number, sizeof number, err));
            if (++self->result.length == most_rows) {
                WEIR_TRY(send(self, err));
            }
        }
    } while (count > 0);
    return send(self, err);
}

/* --- The operator ---------------------------------------------------------------------------------------------- */

static void close_operator(weir_operator *base)
{
    window_rank *self = (window_rank *)base;
    weir_sql_compute_free(self->compute);
    weir_time_queue_close(self->waiting);
    weir_batch_free(&self->computed);
    weir_batch_free(&self->result);
    weir_order_keys_free(&self->order);
    weir_buffer_free(&self->key);
    weir_buffer_free(&self->last_key);
    free(self->partition_columns);
    free(self);
}

static int open_keys(window_rank *self, weir_error *err)
{
    const weir_window *window = self->over;
    const weir_plan *input = self->plan->inputs[0];
    int32_t partitions = window->partition_key_count;
    int32_t count = partitions + window->sort_key_count;
    weir_field *fields = weir_alloc_zeroed((size_t)count, sizeof *fields);
    weir_expression **expressions = weir_alloc_zeroed((size_t)count, sizeof(weir_expression *));
    self->partition_columns = weir_alloc_zeroed((size_t)count, sizeof *self->partition_columns);
    for (int32_t i = 0; i < count; i++) {
        expressions[i] = i < partitions ? window->partition_keys[i] : window->sort_keys[i - partitions].expression;
        fields[i].type = expressions[i]->type;
        self->partition_columns[i] = i;
    }
    const weir_sql_compute_options options = {.fields = input->fields,
                                              .field_count = input->field_count,
                                              .expressions = expressions,
                                              .expression_count = count};
    weir_batch_init(&self->computed, fields, count);
    int code = weir_sql_compute_create(self->window.context->engine, &options, &self->compute, err);
    free(expressions);
    free(fields);
    return code;
}

int weir_window_rank_operator_create(const weir_operator_context *context, const weir_stream_node *node,
                                     weir_operator **out, weir_error *err)
{
    const weir_plan *plan = node->plan;
    window_rank *self = weir_alloc_zeroed(1, sizeof *self);
    int code = WEIR_OK;
    self->window.base.process = process;
    self->window.base.close = close_operator;
    self->window.close_due = close_due;
    weir_window_operator_init(&self->window, "WindowRank", 1, context, node->uid, node->inputs[0]->window_clock);
    self->plan = plan;
    self->over = plan->aggregates[0].window;
    self->window_end = node->inputs[0]->window_end;
    self->zone = weir_window_zone(node->inputs[0]->window_zone);
    weir_batch_init(&self->result, plan->fields, plan->field_count);
    WEIR_GO(open_keys(self, err));
    WEIR_GO(weir_time_queue_open(self->window.context, node->uid, "waiting", &self->waiting, err));
    WEIR_GO(weir_window_operator_restore(&self->window, err));
done:
    return weir_operator_created(&self->window.base, code, out);
}
