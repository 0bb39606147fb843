/* Gathering a join's rows: they are noted as pairs of row numbers, and copied column by column when there are enough.
 */
#include "stream/operator/join/join_output.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "stream/state/row_codec.h"

#define MOST_ROWS        8192
#define MOST_BYTES       ((size_t)16 << 20)
#define MOST_OTHER_ROWS  4096
#define MOST_OTHER_BYTES ((size_t)4 << 20)

void weir_join_output_init(weir_join_output *self, weir_operator *owner, const weir_plan *plan)
{
    *self = (weir_join_output){.owner = owner, .split = plan->inputs[0]->field_count};
    weir_batch_init(&self->batch, plan->fields, plan->field_count);
    for (int i = 0; i < 2; i++) {
        weir_batch_init(&self->others[i], plan->inputs[i]->fields, plan->inputs[i]->field_count);
    }
}

void weir_join_output_free(weir_join_output *self)
{
    weir_batch_free(&self->batch);
    weir_batch_free(&self->others[0]);
    weir_batch_free(&self->others[1]);
    free(self->own_rows);
    free(self->other_rows);
    free(self->kinds);
}

void weir_join_output_begin(weir_join_output *self, int32_t side, const weir_batch *batch)
{
    self->side = side;
    self->own = batch;
}

/* --- sending ----------------------------------------------------------------------------------------------------- */

/* Runs of rows that are there, and of those that are not. */
static int gather(weir_vector *to, const weir_vector *from, const uint32_t *rows, size_t length, weir_error *err)
{
    for (size_t first = 0, end; first < length; first = end) {
        bool missing = rows[first] == WEIR_JOIN_NO_ROW;
        for (end = first + 1; end < length && (rows[end] == WEIR_JOIN_NO_ROW) == missing; end++) {
        }
        if (missing) {
            WEIR_TRY(weir_vector_append_nulls(to, (int64_t)(end - first), err));
        } else {
            WEIR_TRY(weir_vector_append_rows(to, from, rows + first, (int64_t)(end - first), err));
        }
    }
    return WEIR_OK;
}

static int send_waiting(weir_join_output *self, weir_error *err)
{
    weir_batch *batch = &self->batch;
    if (self->length == 0) {
        return WEIR_OK;
    }
    weir_batch_clear(batch);
    for (int32_t i = 0; i < batch->column_count; i++) {
        int32_t side = i < self->split ? 0 : 1;
        bool own = side == self->side;
        const weir_batch *from = own ? self->own : &self->others[side];
        WEIR_TRY(gather(&batch->columns[i], &from->columns[i - side * self->split],
                        own ? self->own_rows : self->other_rows, self->length, err));
    }
    weir_batch_reserve_kinds(batch, (int64_t)self->length);
    memcpy(batch->kinds, self->kinds, self->length);
    batch->length = (int64_t)self->length;
    self->length = 0;
    self->bytes = 0;
    return weir_output_send(self->owner, batch, err);
}

int weir_join_output_settle(weir_join_output *self, weir_error *err)
{
    WEIR_TRY(send_waiting(self, err));
    weir_batch_clear(&self->others[1 - self->side]);
    self->other_bytes = 0;
    return WEIR_OK;
}

bool weir_join_output_has_room(const weir_join_output *self, int64_t rows)
{
    return self->others[1 - self->side].length + rows <= MOST_OTHER_ROWS && self->other_bytes < MOST_OTHER_BYTES;
}

int weir_join_output_decode(weir_join_output *self, weir_slice row, uint32_t *out, weir_error *err)
{
    if (!weir_join_output_has_room(self, 1)) {
        WEIR_TRY(weir_join_output_settle(self, err));
    }
    return weir_join_output_append(self, row, out, err);
}

int weir_join_output_append(weir_join_output *self, weir_slice row, uint32_t *out, weir_error *err)
{
    weir_batch *others = &self->others[1 - self->side];
    *out = (uint32_t)others->length;
    WEIR_TRY(weir_row_decode(row, others, 0, others->column_count, err));
    others->length++;
    self->other_bytes += row.size;
    return WEIR_OK;
}

/* --- adding ------------------------------------------------------------------------------------------------------ */

int weir_join_output_row(weir_join_output *self, int8_t kind, uint32_t own, uint32_t other, size_t bytes,
                         weir_error *err)
{
    size_t at = self->length++;
    WEIR_GROW(self->own_rows, self->own_capacity, self->length);
    WEIR_GROW(self->other_rows, self->other_capacity, self->length);
    WEIR_GROW(self->kinds, self->kinds_capacity, self->length);
    self->own_rows[at] = own;
    self->other_rows[at] = other;
    self->kinds[at] = kind;
    self->bytes += bytes;
    /* a -U and its +U stay in one batch */
    bool full = (self->length >= MOST_ROWS || self->bytes >= MOST_BYTES) && kind != WEIR_UPDATE_BEFORE;
    return full ? send_waiting(self, err) : WEIR_OK;
}

int weir_join_output_change(weir_join_output *self, const weir_join_change *change, uint32_t other, uint64_t times,
                            size_t bytes, weir_error *err)
{
    bool both = change->before >= 0 && change->after >= 0;
    for (uint64_t i = 0; i < times; i++) {
        if (change->before >= 0) {
            int8_t kind = both ? WEIR_UPDATE_BEFORE : WEIR_DELETE;
            WEIR_TRY(weir_join_output_row(self, kind, (uint32_t)change->before, other, bytes, err));
        }
        if (change->after >= 0) {
            int8_t kind = both ? WEIR_UPDATE_AFTER : WEIR_INSERT;
            WEIR_TRY(weir_join_output_row(self, kind, (uint32_t)change->after, other, bytes, err));
        }
    }
    return WEIR_OK;
}

int weir_join_output_other(weir_join_output *self, int8_t kind, uint32_t other, uint64_t times, size_t bytes,
                           weir_error *err)
{
    for (uint64_t i = 0; i < times; i++) {
        WEIR_TRY(weir_join_output_row(self, kind, WEIR_JOIN_NO_ROW, other, bytes, err));
    }
    return WEIR_OK;
}

int weir_join_output_all(weir_join_output *self, int8_t kind, weir_join_rows *rows, weir_state_slot slot,
                         weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice row;
    weir_join_entry entry;
    WEIR_TRY(weir_join_rows_walk(rows, slot, (weir_slice){0}, &cursor, err));
    int code;
    while ((code = weir_join_rows_next(rows, cursor, &row, &entry, err)) == WEIR_OK) {
        uint32_t other;
        WEIR_GO(weir_join_output_decode(self, row, &other, err));
        WEIR_GO(weir_join_output_other(self, kind, other, entry.count, row.size, err));
    }
    code = code == WEIR_END ? WEIR_OK : code;
done:
    weir_map_cursor_close(cursor);
    return code;
}
