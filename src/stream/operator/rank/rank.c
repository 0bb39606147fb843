/* Top-N, and ORDER BY with LIMIT: of each partition the rows first .. last in their order.
 *
 * The rows of a batch are taken partition by partition: each one's list (top_list.h) is read once, takes all changes,
 * and what differs afterwards is sent. Over inserts the state holds no more than `last` rows a partition, otherwise all
 * of them. What is simpler over inserts alone, is elsewhere: one row a partition in deduplicate.c, LIMIT without an
 * order in limit.c. */
#include <stdlib.h>

#include "base/alloc.h"
#include "stream/operator/operators.h"
#include "stream/operator/order_key.h"
#include "stream/operator/rank/rank_keys.h"
#include "stream/operator/rank/top_list.h"
#include "stream/state/row_codec.h"

#define SEND_ROWS 8192

typedef struct rank {
    weir_operator base;
    weir_rank what;
    weir_state_backend *backend;
    uint64_t sequence;  /* counts rows, for those that are equal in order */
    int32_t row_fields; /* of the input */

    weir_rank_keys keys;
    weir_sort_keys partitions;
    weir_order_keys order;
    weir_state_slot *slots;
    uint32_t *rows;   /* of the batch, partition by partition */
    uint32_t *groups; /* where those of a partition begin in `rows`, by their first row */
    uint32_t group_count;
    uint32_t *scratch; /* for two of them */
    uint64_t *numbers;
    size_t row_capacity;

    weir_top_list list;
    weir_buffer subkey, row;
    bool *cancelled; /* of those that come into the list, while it is compared */
    size_t cancelled_capacity;
    weir_batch result;
} rank;

/* --- What has changed ------------------------------------------------------------------------------------------ */

static int give(rank *self, const weir_top_entry *entry, int8_t kind, int64_t number, weir_error *err)
{
    weir_batch *result = &self->result;
    WEIR_TRY(weir_row_decode(weir_top_row(&self->list, entry), result, 0, self->row_fields, err));
    if (result->column_count > self->row_fields) {
        WEIR_TRY(weir_vector_append_raw(&result->columns[self->row_fields], &number, sizeof number, err));
    }
    weir_batch_reserve_kinds(result, result->length + 1);
    result->kinds[result->length++] = kind;
    return WEIR_OK;
}

static bool same_row(const rank *self, const weir_top_entry *a, const weir_top_entry *b)
{
    return weir_slice_equal(weir_top_row(&self->list, a), weir_top_row(&self->list, b));
}

/* Place by place: the row with a number is what changes. */
static int give_by_number(rank *self, weir_error *err)
{
    const weir_top_list *list = &self->list;
    for (size_t i = (size_t)self->what.first - 1; i < list->before_count || i < list->count; i++) {
        const weir_top_entry *before = i < list->before_count ? &list->before[i] : NULL;
        const weir_top_entry *after = i < list->count ? &list->entries[i] : NULL;
        int64_t number = self->what.gives_number ? (int64_t)i + 1 : self->what.first;
        if (before != NULL && after != NULL && same_row(self, before, after)) {
            continue;
        }
        if (before != NULL) {
            WEIR_TRY(give(self, before, after != NULL ? WEIR_UPDATE_BEFORE : WEIR_DELETE, number, err));
        }
        if (after != NULL) {
            WEIR_TRY(give(self, after, before != NULL ? WEIR_UPDATE_AFTER : WEIR_INSERT, number, err));
        }
    }
    return WEIR_OK;
}

/* Which of two entries, one of each list, comes first. */
static int compare_entries(const rank *self, size_t a, size_t b)
{
    const weir_top_list *list = &self->list;
    if (a >= list->before_count || b >= list->count) {
        return a >= list->before_count ? 1 : -1;
    }
    return weir_slice_compare(weir_top_subkey(list, &list->before[a]), weir_top_subkey(list, &list->entries[b]));
}

/* Whether an equal row came as this one went; it then stays unsaid as well. */
static bool came_again(rank *self, const weir_top_entry *gone, size_t from)
{
    size_t before = from, after = from;
    while (before < self->list.before_count || after < self->list.count) {
        int order = compare_entries(self, before, after);
        if (order > 0 && !self->cancelled[after] && same_row(self, gone, &self->list.entries[after])) {
            self->cancelled[after] = true;
            return true;
        }
        before += order <= 0;
        after += order >= 0;
    }
    return false;
}

/* Rows that left, then rows that came. */
static int give_by_row(rank *self, weir_error *err)
{
    const weir_top_list *list = &self->list;
    size_t first = (size_t)self->what.first - 1;
    WEIR_GROW(self->cancelled, self->cancelled_capacity, list->count + 1);
    memset(self->cancelled, 0, list->count + 1);
    for (size_t a = first, b = first; a < list->before_count || b < list->count;) {
        int order = compare_entries(self, a, b);
        if (order < 0 && !came_again(self, &list->before[a], first)) {
            WEIR_TRY(give(self, &list->before[a], WEIR_DELETE, self->what.first, err));
        }
        a += order <= 0;
        b += order >= 0;
    }
    for (size_t a = first, b = first; b < list->count;) {
        int order = compare_entries(self, a, b);
        if (order > 0 && !self->cancelled[b]) {
            WEIR_TRY(give(self, &list->entries[b], WEIR_INSERT, self->what.first, err));
        }
        a += order <= 0;
        b += order >= 0;
    }
    return WEIR_OK;
}

static int settle(rank *self, weir_error *err)
{
    bool changed;
    WEIR_TRY(weir_top_list_settle(&self->list, &changed, err));
    if (!changed) {
        return WEIR_OK;
    }
    bool by_number = self->what.gives_number || self->what.first == self->what.last;
    WEIR_TRY(by_number ? give_by_number(self, err) : give_by_row(self, err));
    if (self->result.length >= SEND_ROWS) {
        WEIR_TRY(weir_output_send(&self->base, &self->result, err));
        weir_batch_clear(&self->result);
    }
    return WEIR_OK;
}

/* --- Rows come in ---------------------------------------------------------------------------------------------- */

static int take_row(rank *self, const weir_batch *batch, uint32_t row, weir_error *err)
{
    uint8_t arrival[8];
    weir_slice order = weir_order_key(&self->order, row);
    weir_buffer_clear(&self->row);
    weir_buffer_clear(&self->subkey);
    WEIR_TRY(weir_row_encode(batch, NULL, batch->column_count, row, &self->row, err));
    weir_buffer_append_byte(&self->subkey, 1);
    weir_buffer_append(&self->subkey, order.data, order.size);
    if (weir_row_kind_is_retract(weir_batch_kind(batch, row))) {
        return weir_top_list_remove(&self->list, weir_buffer_slice(&self->subkey), weir_buffer_slice(&self->row), err);
    }
    uint64_t sequence = self->sequence++;
    weir_store_be64(arrival, self->what.later_first ? ~sequence : sequence);
    weir_buffer_append(&self->subkey, arrival, sizeof arrival);
    return weir_top_list_insert(&self->list, weir_buffer_slice(&self->subkey), weir_buffer_slice(&self->row), err);
}

/* Sorts 0 .. length - 1 by numbers, equal ones staying in order. */
static int sort_by(const rank *self, const uint32_t *numbers, int64_t length, uint32_t *out, weir_error *err)
{
    weir_sort_keys keys = {.length = length, .whole = true, .prefixes = self->numbers};
    for (int64_t i = 0; i < length; i++) {
        self->numbers[i] = (uint64_t)numbers[i] << 32;
    }
    return weir_sort_keys_order(&keys, out, err);
}

/* Rows by partition, in their order there; partitions in the order of their first rows. */
static int group_rows(rank *self, int64_t length, weir_error *err)
{
    uint32_t *starts = self->scratch, *first_rows = self->scratch + length;
    uint32_t count = 0;
    WEIR_TRY(sort_by(self, self->slots, length, self->rows, err));
    for (int64_t i = 0; i < length; i++) {
        if (i == 0 || self->slots[self->rows[i]] != self->slots[self->rows[i - 1]]) {
            starts[count] = (uint32_t)i;
            first_rows[count++] = self->rows[i];
        }
    }
    WEIR_TRY(sort_by(self, first_rows, count, self->groups, err));
    for (uint32_t i = 0; i < count; i++) {
        self->groups[i] = starts[self->groups[i]];
    }
    self->group_count = count;
    return WEIR_OK;
}

static void make_room(rank *self, int64_t length)
{
    size_t room = self->row_capacity;
    WEIR_GROW(self->rows, self->row_capacity, length + 1);
    if (self->row_capacity != room) {
        self->slots = weir_realloc(self->slots, self->row_capacity * sizeof *self->slots);
        self->groups = weir_realloc(self->groups, self->row_capacity * sizeof *self->groups);
        self->scratch = weir_realloc(self->scratch, 2 * self->row_capacity * sizeof *self->scratch);
        self->numbers = weir_realloc(self->numbers, self->row_capacity * sizeof *self->numbers);
    }
}

static int find_partitions(rank *self, int64_t length, weir_error *err)
{
    if (self->what.partition_key_count == 0) {
        weir_state_slot slot;
        WEIR_TRY(weir_map_state_fetch_one(self->list.state, weir_slice_text(""), &slot, err));
        for (int64_t i = 0; i < length; i++) {
            self->slots[i] = slot;
            self->rows[i] = (uint32_t)i;
        }
        self->groups[0] = 0;
        self->group_count = 1;
        return WEIR_OK;
    }
    weir_sort_keys_clear(&self->partitions);
    WEIR_TRY(weir_state_keys_append(&self->partitions, &self->keys.values, self->keys.columns,
                                    self->what.partition_key_count, err));
    WEIR_TRY(weir_map_state_fetch(self->list.state, &self->partitions, self->slots, err));
    return group_rows(self, length, err);
}

static int process(weir_operator *base, int32_t input, const weir_batch *batch, weir_error *err)
{
    rank *self = (rank *)base;
    (void)input;
    if (self->what.last < self->what.first || batch->length == 0) {
        return WEIR_OK;
    }
    make_room(self, batch->length);
    WEIR_TRY(weir_rank_keys_compute(&self->keys, batch, err));
    WEIR_TRY(find_partitions(self, batch->length, err));
    WEIR_TRY(weir_order_keys_build(&self->order, &self->keys.values, self->what.partition_key_count,
                                   self->what.sort_keys, self->what.sort_key_count, err));
    weir_batch_clear(&self->result);
    for (uint32_t group = 0; group < self->group_count; group++) {
        int64_t i = self->groups[group];
        weir_state_slot slot = self->slots[self->rows[i]];
        WEIR_TRY(weir_top_list_open(&self->list, slot, err));
        for (; i < batch->length && self->slots[self->rows[i]] == slot; i++) {
            WEIR_TRY(take_row(self, batch, self->rows[i], err));
        }
        WEIR_TRY(settle(self, err));
    }
    return weir_output_send(base, &self->result, err);
}

static int barrier(weir_operator *base, weir_error *err)
{
    rank *self = (rank *)base;
    return weir_rank_counter_keep(self->backend, &self->keys, self->sequence, err);
}

/* --- Making one ------------------------------------------------------------------------------------------------ */

static void close_rank(weir_operator *base)
{
    rank *self = (rank *)base;
    weir_rank_keys_close(&self->keys);
    weir_batch_free(&self->result);
    weir_sort_keys_free(&self->partitions);
    weir_order_keys_free(&self->order);
    weir_top_list_free(&self->list);
    if (self->list.state != NULL) {
        weir_map_state_close(self->list.state);
    }
    weir_buffer_free(&self->subkey);
    weir_buffer_free(&self->row);
    free(self->cancelled);
    free(self->slots);
    free(self->rows);
    free(self->groups);
    free(self->scratch);
    free(self->numbers);
    free(self);
}

static int open_state(rank *self, const weir_operator_context *context, const weir_stream_node *node, weir_error *err)
{
    weir_state_options options = {.uid = node->uid, .name = "rows", .ttl_ms = context->state_ttl_ms};
    self->list.last = self->what.last;
    self->list.keeps_rest = node->inputs[0]->updates || node->inputs[0]->deletes;
    self->list.expires = context->state_ttl_ms > 0;
    WEIR_TRY(weir_rank_keys_open(context, &self->what, node->uid, &self->keys, &self->sequence, err));
    return weir_map_state_open(self->backend, &options, &self->list.state, err);
}

int weir_rank_operator_create(const weir_operator_context *context, const weir_stream_node *node, const weir_rank *what,
                              weir_operator **out, weir_error *err)
{
    rank *self = weir_alloc_zeroed(1, sizeof *self);
    self->base.process = process;
    self->base.barrier = barrier;
    self->base.close = close_rank;
    weir_operator_init(&self->base, "Rank", 1);
    self->what = *what;
    self->row_fields = node->plan->inputs[0]->field_count;
    weir_batch_init(&self->result, node->plan->fields, node->plan->field_count);
    self->backend = context->state;
    int code = open_state(self, context, node, err);
    return weir_operator_created(&self->base, code, out);
}
