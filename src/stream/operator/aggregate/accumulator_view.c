/* Views: which rows of an update a cell sees. View 0 has all rows; FILTER picks of them; DISTINCT passes a row on when
 * it brings the first copy of a value, or takes the last one. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator_value.h"
#include "stream/state/row_codec.h"

static void add_entry(weir_view *view, uint32_t value, uint32_t row, int8_t sign)
{
    size_t count = (size_t)view->entries.count;
    WEIR_GROW(view->values, view->values_capacity, count + 1);
    WEIR_GROW(view->rows, view->rows_capacity, count + 1);
    WEIR_GROW(view->signs, view->signs_capacity, count + 1);
    view->values[count] = value;
    view->rows[count] = row;
    view->signs[count] = sign;
    view->entries.count++;
}

/* `has_signs`: some entry may be a retraction. */
static void finish_entries(weir_view *view, bool has_signs)
{
    view->entries.values = view->values;
    view->entries.rows = view->rows;
    view->entries.signs = has_signs ? view->signs : NULL;
}

/* --- DISTINCT -------------------------------------------------------------------------------------------------- */

/* Adds to the copies of a value; *out_change: 1 when it has come, -1 when it has gone, else 0. */
static int count_copies(weir_map_state *map, weir_state_slot slot, weir_slice value, int64_t copies, int8_t *out_change,
                        weir_error *err)
{
    bool found = false;
    int64_t held = 0;
    weir_slice bytes;
    *out_change = 0;
    WEIR_TRY(weir_map_state_get(map, slot, value, &found, &bytes, err));
    if (found) {
        WEIR_TRY(weir_map_count(bytes, &held, err));
    }
    int64_t left = held + copies;
    if (left <= 0) {
        *out_change = found ? -1 : 0;
        return found ? weir_map_state_remove(map, slot, value, err) : WEIR_OK;
    }
    *out_change = found ? 0 : 1;
    return weir_map_state_put(map, slot, value, weir_slice_of(&left, sizeof left), err);
}

static bool passes(const weir_view *view, const weir_batch *computed, uint32_t value)
{
    if (view->filter < 0) {
        return true;
    }
    const weir_vector *filter = &computed->columns[view->filter];
    return !weir_vector_is_null(filter, value) && weir_bit_get(filter->data, value);
}

static int fill_distinct(weir_accumulators *accumulators, weir_view *view, const weir_accumulator_rows *rows,
                         const weir_entries *all, weir_buffer *bytes, uint32_t *offsets, weir_error *err)
{
    const weir_batch *computed = &accumulators->computed;
    weir_map_state *map = accumulators->maps[view->map];
    const weir_state_slot *slots = rows->map_slots + (int64_t)view->map * rows->count;
    WEIR_TRY(weir_rows_encode(computed, &view->distinct, 1, bytes, offsets, err));
    for (int64_t i = 0; i < all->count; i++) {
        uint32_t value = all->values[i];
        int8_t change;
        if (!passes(view, computed, value)) {
            continue;
        }
        weir_slice key = weir_slice_of(bytes->data + offsets[value], offsets[value + 1] - offsets[value]);
        WEIR_TRY(count_copies(map, slots[all->rows[i]], key, weir_entry_sign(all, i), &change, err));
        if (change != 0) {
            add_entry(view, value, all->rows[i], change);
        }
    }
    return WEIR_OK;
}

/* --- FILTER ---------------------------------------------------------------------------------------------------- */

static void fill_filtered(const weir_accumulators *accumulators, weir_view *view, const weir_entries *all)
{
    for (int64_t i = 0; i < all->count; i++) {
        if (passes(view, &accumulators->computed, all->values[i])) {
            add_entry(view, all->values[i], all->rows[i], (int8_t)weir_entry_sign(all, i));
        }
    }
}

int weir_views_fill(weir_accumulators *accumulators, weir_accumulator_rows *rows, weir_error *err)
{
    const weir_entries *all = &accumulators->views[0].entries;
    weir_buffer bytes = {0};
    uint32_t *offsets = NULL;
    size_t offsets_capacity = 0;
    int code = WEIR_OK;
    for (int32_t i = 1; i < accumulators->view_count && code == WEIR_OK; i++) {
        weir_view *view = &accumulators->views[i];
        view->entries.count = 0;
        if (view->distinct >= 0) {
            WEIR_GROW(offsets, offsets_capacity, accumulators->computed.length + 1);
            weir_buffer_clear(&bytes);
            code = fill_distinct(accumulators, view, rows, all, &bytes, offsets, err);
        } else {
            fill_filtered(accumulators, view, all);
        }
        finish_entries(view, all->signs != NULL);
    }
    free(offsets);
    weir_buffer_free(&bytes);
    return code;
}

/* --- Merging --------------------------------------------------------------------------------------------------- */

/* The values of one row's map come to another's; those that it lacked are appended to a column and become entries. */
static int merge_copies(const weir_accumulators *accumulators, weir_view *view, const weir_accumulator_rows *rows,
                        int64_t from, int64_t to, weir_batch *computed, weir_error *err)
{
    weir_map_state *map = accumulators->maps[view->map];
    const weir_state_slot *slots = rows->map_slots + (int64_t)view->map * rows->count;
    weir_map_copy copy = {0};
    int64_t copies;
    int8_t change = 0;
    int code = weir_map_copy_read(map, slots[from], &copy, err);
    for (size_t i = 0; i < copy.count && code == WEIR_OK; i++) {
        WEIR_GO(weir_map_count(weir_map_copy_value(&copy, i), &copies, err));
        WEIR_GO(count_copies(map, slots[to], weir_map_copy_key(&copy, i), copies, &change, err));
        if (change != 0) {
            add_entry(view, (uint32_t)computed->columns[view->distinct].length, (uint32_t)to, change);
            WEIR_GO(weir_row_decode(weir_map_copy_key(&copy, i), computed, view->distinct, 1, err));
        }
    }
done:
    weir_map_copy_free(&copy);
    return code;
}

/* `computed` is for the values of this view alone: its other columns stay empty. */
static int merge_view(weir_accumulators *accumulators, int32_t index, weir_accumulator_rows *rows, int64_t from,
                      int64_t to, weir_batch *computed, weir_error *err)
{
    weir_view *view = &accumulators->views[index];
    view->entries.count = 0;
    WEIR_TRY(merge_copies(accumulators, view, rows, from, to, computed, err));
    finish_entries(view, false);
    computed->length = computed->columns[view->distinct].length;
    for (int32_t i = 0; i < accumulators->cell_count; i++) {
        weir_cell *cell = accumulators->cells[i];
        if (cell->view == index) {
            WEIR_TRY(cell->kind->apply(cell, rows, &view->entries, computed, err));
        }
    }
    accumulators->arrivals += view->entries.count;
    return WEIR_OK;
}

int weir_views_merge(weir_accumulators *accumulators, weir_accumulator_rows *rows, int64_t from, int64_t to,
                     weir_error *err)
{
    int code = WEIR_OK;
    for (int32_t i = 1; i < accumulators->view_count && code == WEIR_OK; i++) {
        if (accumulators->views[i].distinct >= 0) {
            weir_batch computed;
            weir_batch_init(&computed, accumulators->computed_fields, accumulators->expression_count);
            code = merge_view(accumulators, i, rows, from, to, &computed, err);
            weir_batch_free(&computed);
        }
    }
    return code;
}
