/* Gathering candidates, and settling what has gathered. */
#include "stream/operator/join/join_pending.h"

#include <stdlib.h>

#include "base/alloc.h"

void weir_join_pending_free(weir_join_pending *self)
{
    weir_join_pair_test_free(&self->test);
    weir_buffer_free(&self->candidate_bytes);
    free(self->changes);
    free(self->candidates);
}

weir_pending_change *weir_join_pending_add(weir_join_pending *self, const weir_join_change *rows)
{
    WEIR_GROW(self->changes, self->change_capacity, self->change_count + 1);
    weir_pending_change *change = &self->changes[self->change_count++];
    *change = (weir_pending_change){.rows = *rows, .candidates_end = self->candidate_count};
    return change;
}

int weir_join_pending_add_candidate(weir_join_pending *self, weir_join_output *output, const weir_join_change *rows,
                                    weir_slice row, uint64_t count, weir_error *err)
{
    const int64_t own[2] = {rows->before, rows->after};
    weir_join_candidate added = {.begin = self->candidate_bytes.size, .size = row.size, .count = count};
    bool is_first = true;
    for (int i = 0; i < 2; i++) {
        uint32_t pair;
        if (own[i] >= 0) {
            WEIR_TRY(weir_join_output_append(output, row, &pair, err));
            weir_join_pair_test_pair(&self->test, pair, own[i]);
            added.pair = is_first ? pair : added.pair;
            is_first = false;
        }
    }
    WEIR_GROW(self->candidates, self->candidate_capacity, self->candidate_count + 1);
    self->candidates[self->candidate_count++] = added;
    weir_buffer_append(&self->candidate_bytes, row.data, row.size);
    return WEIR_OK;
}

void weir_join_pending_end_candidates(weir_join_pending *self, bool is_whole)
{
    weir_pending_change *change = &self->changes[self->change_count - 1];
    change->candidates_end = self->candidate_count;
    change->is_whole = is_whole;
}

int weir_join_pending_settle(weir_join_pending *self, weir_join_output *output, weir_join_settle settle, void *owner,
                             weir_error *err)
{
    size_t first = 0;
    if (self->candidate_count > 0) {
        WEIR_TRY(weir_join_pair_test_run(&self->test, output, err));
    }
    for (size_t i = 0; i < self->change_count; i++) {
        WEIR_TRY(settle(owner, &self->changes[i], first, err));
        first = self->changes[i].candidates_end;
    }
    bool goes_on = self->change_count > 0 && !self->changes[self->change_count - 1].is_whole;
    if (goes_on) {
        self->changes[0] = self->changes[self->change_count - 1];
        self->changes[0].candidates_end = 0;
    }
    self->change_count = goes_on ? 1 : 0;
    self->candidate_count = 0;
    weir_buffer_clear(&self->candidate_bytes);
    return weir_join_output_settle(output, err);
}
