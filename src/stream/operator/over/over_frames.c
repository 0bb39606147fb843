/* Rows are taken in rounds: in each one step of every key that has one left, so that accumulators work on many keys at
 * once. A step is a row, or with RANGE all rows of one time, which have the same frame. What a step's frame no longer
 * reaches to is taken back from the accumulators; for that the rows of bounded frames are kept:
 *
 *   map     time, ascending as bytes: 8 | number, big-endian: 8 -> row
 *   value   how many: 8 | number of the next: 8 */
#include "stream/operator/over/over_frames.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/function/function.h"
#include "stream/operator/aggregate/accumulator.h"
#include "stream/operator/byte_keys.h"
#include "stream/state/row_codec.h"

enum { subkey_size = 16, kept_size = 16 };

/* Rows first .. end - 1 of one key, which have one result. */
typedef struct step {
    int64_t first, end;
    int64_t round;
} step;

struct weir_over_frames {
    const weir_over *over;
    int32_t *columns; /* of each aggregate: which call of the plan */
    weir_aggregate *aggregates;
    int32_t count;
    weir_accumulators *accumulators;
    weir_map_state *kept; /* NULL: frames reach back to the first row */
    weir_value_state *counted;
    step *steps;
    int64_t step_count;
    size_t step_capacity;
    int64_t *order; /* steps, round by round */
    size_t order_capacity;
    weir_batch round;          /* rows taken back and rows that come */
    weir_sort_keys round_keys; /* of each of them */
    weir_sort_keys step_keys;  /* of each step */
    weir_state_slot *slots;    /* …among those counted */
    size_t slots_capacity;
    weir_batch values;  /* of steps, in `order` */
    uint32_t *value_of; /* of each row: which */
    size_t value_capacity;
    weir_buffer gone; /* subkeys of rows that are taken back */
    weir_buffer row;
};

/* --- Steps and rounds ------------------------------------------------------------------------------------------ */

/* Which step of its key a step is. */
static int64_t next_round(weir_map *rounds, weir_slice key)
{
    intptr_t before = (intptr_t)weir_map_get(rounds, key);
    weir_map_put(rounds, key, (void *)(before + 1));
    return before;
}

static void make_steps(weir_over_frames *self, const weir_sort_keys *keys, const int64_t *times)
{
    weir_map rounds = {0};
    self->step_count = 0;
    for (int64_t row = 0; row < keys->length;) {
        int64_t end = row + 1;
        while (!self->over->row_by_row && end < keys->length && times[end] == times[row] &&
               weir_slice_equal(weir_byte_key(keys, end), weir_byte_key(keys, row))) {
            end++;
        }
        WEIR_GROW(self->steps, self->step_capacity, self->step_count + 1);
        self->steps[self->step_count++] = (step){row, end, next_round(&rounds, weir_byte_key(keys, row))};
        row = end;
    }
    weir_map_free(&rounds);
}

/* Steps by round; those of a round in the order of their rows. Returns the number of rounds. */
static int64_t order_steps(weir_over_frames *self)
{
    int64_t rounds = 0;
    for (int64_t i = 0; i < self->step_count; i++) {
        rounds = self->steps[i].round >= rounds ? self->steps[i].round + 1 : rounds;
    }
    int64_t *begins = weir_alloc_zeroed((size_t)rounds + 1, sizeof *begins);
    for (int64_t i = 0; i < self->step_count; i++) {
        begins[self->steps[i].round + 1]++;
    }
    for (int64_t i = 0; i < rounds; i++) {
        begins[i + 1] += begins[i];
    }
    WEIR_GROW(self->order, self->order_capacity, self->step_count);
    for (int64_t i = 0; i < self->step_count; i++) {
        self->order[begins[self->steps[i].round]++] = i;
    }
    free(begins);
    return rounds;
}

/* --- Rows that leave the frame --------------------------------------------------------------------------------- */

static void build_subkey(int64_t time, uint64_t number, uint8_t out[subkey_size])
{
    weir_store_be64(out, (uint64_t)time ^ (UINT64_C(1) << 63));
    weir_store_be64(out + 8, number);
}

/* Whether the oldest row is out of the frame that `coming` rows at a time make. */
static bool is_gone(const weir_over *over, weir_slice subkey, int64_t kept, int64_t time)
{
    int64_t row_time = (int64_t)(weir_load_be64(subkey.data) ^ (UINT64_C(1) << 63));
    return over->frame == WEIR_OVER_ROWS ? kept > over->distance : row_time < time - over->distance;
}

/* Puts the rows that leave into the round, as retractions, and forgets them. */
static int take_back(weir_over_frames *self, weir_slice key, weir_state_slot slot, int64_t time, int64_t *kept,
                     weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice subkey;
    weir_slice value;
    int code;
    weir_buffer_clear(&self->gone);
    WEIR_TRY(weir_map_cursor_open(self->kept, slot, weir_slice_of(NULL, 0), &cursor, err));
    while ((code = weir_map_cursor_next(cursor, &subkey, &value, err)) == WEIR_OK &&
           is_gone(self->over, subkey, *kept, time)) {
        code = weir_row_decode(value, &self->round, 0, self->round.column_count, err);
        if (code != WEIR_OK) {
            break;
        }
        weir_batch_reserve_kinds(&self->round, self->round.length + 1);
        self->round.kinds[self->round.length++] = WEIR_DELETE;
        weir_byte_keys_add(&self->round_keys, key);
        weir_buffer_append(&self->gone, subkey.data, subkey.size);
        --*kept;
    }
    weir_map_cursor_close(cursor);
    if (code != WEIR_OK && code != WEIR_END) {
        return code;
    }
    for (size_t at = 0; at < self->gone.size; at += subkey_size) {
        WEIR_TRY(weir_map_state_remove(self->kept, slot, weir_slice_of(self->gone.data + at, subkey_size), err));
    }
    return WEIR_OK;
}

/* Keeps the rows of a step. */
static int keep_rows(weir_over_frames *self, weir_state_slot slot, const weir_batch *rows, const step *at, int64_t time,
                     uint64_t *number, weir_error *err)
{
    for (int64_t row = at->first; row < at->end; row++) {
        uint8_t subkey[subkey_size];
        build_subkey(time, (*number)++, subkey);
        weir_buffer_clear(&self->row);
        WEIR_TRY(weir_row_encode(rows, NULL, 0, row, &self->row, err));
        WEIR_TRY(weir_map_state_put(self->kept, slot, weir_slice_of(subkey, sizeof subkey),
                                    weir_buffer_slice(&self->row), err));
    }
    return WEIR_OK;
}

/* Before ROWS n PRECEDING and the current row are n + 1 rows: of those kept so far n stay. */
static int move_frame(weir_over_frames *self, const weir_batch *rows, const step *at, weir_slice key,
                      weir_state_slot counted, int64_t time, weir_error *err)
{
    weir_state_slot slot;
    uint8_t *bytes;
    WEIR_TRY(weir_map_state_fetch_one(self->kept, key, &slot, err));
    WEIR_TRY(weir_value_state_edit(self->counted, counted, kept_size, &bytes, err));
    int64_t kept = (int64_t)weir_load_le64(bytes);
    uint64_t number = weir_load_le64(bytes + 8);
    WEIR_TRY(take_back(self, key, slot, time, &kept, err));
    WEIR_TRY(keep_rows(self, slot, rows, at, time, &number, err));
    weir_store_le64(bytes, (uint64_t)(kept + at->end - at->first));
    weir_store_le64(bytes + 8, number);
    return WEIR_OK;
}

/* --- Running --------------------------------------------------------------------------------------------------- */

static int add_step(weir_over_frames *self, const weir_batch *rows, const weir_sort_keys *keys, const step *at,
                    weir_error *err)
{
    int64_t before = self->round.length;
    WEIR_TRY(weir_batch_append_range(&self->round, rows, at->first, at->end - at->first, err));
    if (self->round.kinds != NULL) {
        weir_batch_reserve_kinds(&self->round, self->round.length);
        memset(self->round.kinds + before, WEIR_INSERT, (size_t)(self->round.length - before));
    }
    for (int64_t row = at->first; row < at->end; row++) {
        weir_byte_keys_add(&self->round_keys, weir_byte_key(keys, row));
    }
    return WEIR_OK;
}

/* Steps order[first] … order[end - 1]. */
static int run_round(weir_over_frames *self, const weir_batch *rows, const weir_sort_keys *keys, const int64_t *times,
                     int64_t first, int64_t end, weir_error *err)
{
    const weir_batch *computed;
    weir_batch_clear(&self->round);
    weir_sort_keys_clear(&self->round_keys);
    weir_sort_keys_clear(&self->step_keys);
    for (int64_t i = first; i < end; i++) {
        weir_byte_keys_add(&self->step_keys, weir_byte_key(keys, self->steps[self->order[i]].first));
    }
    if (self->kept != NULL) {
        WEIR_GROW(self->slots, self->slots_capacity, self->step_keys.length);
        WEIR_TRY(weir_value_state_fetch(self->counted, &self->step_keys, self->slots, err));
    }
    for (int64_t i = first; i < end; i++) {
        const step *at = &self->steps[self->order[i]];
        if (self->kept != NULL) {
            WEIR_TRY(move_frame(self, rows, at, weir_byte_key(keys, at->first), self->slots[i - first],
                                times[at->first], err));
        }
        WEIR_TRY(add_step(self, rows, keys, at, err));
        for (int64_t row = at->first; row < at->end; row++) {
            self->value_of[row] = (uint32_t)i;
        }
    }
    WEIR_TRY(weir_accumulators_compute(self->accumulators, &self->round, &computed, err));
    WEIR_TRY(weir_accumulators_update(self->accumulators, &self->round_keys, NULL, NULL, err));
    WEIR_TRY(weir_accumulators_values(self->accumulators, &self->step_keys, &self->values, 0, NULL, err));
    self->values.length = end;
    return WEIR_OK;
}

int weir_over_frames_run(weir_over_frames *self, const weir_batch *rows, const weir_sort_keys *keys,
                         const int64_t *times, weir_batch *out, int32_t first, weir_error *err)
{
    make_steps(self, keys, times);
    int64_t rounds = order_steps(self);
    int64_t at = 0;
    weir_batch_clear(&self->values);
    WEIR_GROW(self->value_of, self->value_capacity, rows->length);
    for (int64_t round = 0; round < rounds; round++) {
        int64_t end = at;
        while (end < self->step_count && self->steps[self->order[end]].round == round) {
            end++;
        }
        WEIR_TRY(run_round(self, rows, keys, times, at, end, err));
        at = end;
    }
    for (int32_t i = 0; i < self->count; i++) {
        WEIR_TRY(weir_vector_append_rows(&out->columns[first + self->columns[i]], &self->values.columns[i],
                                         self->value_of, rows->length, err));
    }
    return WEIR_OK;
}

/* --- Making ---------------------------------------------------------------------------------------------------- */

static void list_aggregates(weir_over_frames *self, const weir_plan *plan)
{
    weir_field *fields = weir_alloc_zeroed((size_t)plan->aggregate_count + 1, sizeof *fields);
    self->columns = weir_alloc_zeroed((size_t)plan->aggregate_count + 1, sizeof *self->columns);
    self->aggregates = weir_alloc_zeroed((size_t)plan->aggregate_count + 1, sizeof *self->aggregates);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        if (!weir_over_is_place(&plan->aggregates[i])) {
            fields[self->count].type = plan->aggregates[i].type;
            self->columns[self->count] = i;
            self->aggregates[self->count++] = plan->aggregates[i];
        }
    }
    weir_batch_init(&self->values, fields, self->count);
    weir_batch_init(&self->round, plan->inputs[0]->fields, plan->inputs[0]->field_count);
    free(fields);
}

static int open_state(weir_over_frames *self, const weir_operator_context *context, const weir_stream_node *node,
                      weir_error *err)
{
    const weir_plan *input = node->plan->inputs[0];
    const weir_accumulators_options options = {.context = context,
                                               .uid = node->uid,
                                               .fields = input->fields,
                                               .field_count = input->field_count,
                                               .aggregates = self->aggregates,
                                               .aggregate_count = self->count,
                                               .retracts = self->over->frame != WEIR_OVER_ALL_BEFORE};
    const weir_state_options kept = {.uid = node->uid, .name = "kept", .ttl_ms = context->state_ttl_ms};
    const weir_state_options counted = {.uid = node->uid, .name = "kept count", .ttl_ms = context->state_ttl_ms};
    WEIR_TRY(weir_accumulators_create(&options, &self->accumulators, err));
    if (self->over->frame == WEIR_OVER_ALL_BEFORE) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_map_state_open(context->state, &kept, &self->kept, err));
    return weir_value_state_open(context->state, &counted, &self->counted, err);
}

int weir_over_frames_create(const weir_operator_context *context, const weir_stream_node *node, const weir_over *over,
                            weir_over_frames **out, weir_error *err)
{
    weir_over_frames *self = weir_alloc_zeroed(1, sizeof *self);
    int code = WEIR_OK;
    self->over = over;
    list_aggregates(self, node->plan);
    if (self->count > 0) {
        code = open_state(self, context, node, err);
    }
    if (code != WEIR_OK || self->count == 0) {
        weir_over_frames_free(self);
        self = NULL;
    }
    *out = self;
    return code;
}

void weir_over_frames_free(weir_over_frames *self)
{
    if (self == NULL) {
        return;
    }
    weir_accumulators_free(self->accumulators);
    if (self->kept != NULL) {
        weir_map_state_close(self->kept);
    }
    if (self->counted != NULL) {
        weir_value_state_close(self->counted);
    }
    weir_batch_free(&self->round);
    weir_batch_free(&self->values);
    weir_sort_keys_free(&self->round_keys);
    weir_sort_keys_free(&self->step_keys);
    weir_buffer_free(&self->gone);
    weir_buffer_free(&self->row);
    free(self->columns);
    free(self->aggregates);
    free(self->steps);
    free(self->order);
    free(self->value_of);
    free(self->slots);
    free(self);
}
