/* What changes leave: rows in the order in which they came, without those that were retracted. Equal rows are found by
 * their bytes; of several the latest goes first. */
#include <stdlib.h>

#include "base/base.h"
#include "base/map.h"
#include "session/job/collector.h"
#include "stream/state/state.h"

#define GIVEN_ROWS 4096

struct weir_table_view {
    weir_batch rows; /* all that came */
    bool *is_gone;
    int64_t *previous; /* of equal rows that are there: the one before; -1: none */
    size_t gone_capacity, previous_capacity;
    weir_map latest; /* bytes → number of the row and 1 */
    weir_sort_keys keys;
    int32_t *columns;
    int64_t given; /* up to this row */
};

weir_table_view *weir_table_view_create(const weir_field *fields, int32_t count)
{
    weir_table_view *view = weir_alloc_zeroed(1, sizeof *view);
    weir_batch_init(&view->rows, fields, count);
    view->columns = weir_alloc_zeroed((size_t)count + 1, sizeof *view->columns);
    for (int32_t i = 0; i < count; i++) {
        view->columns[i] = i;
    }
    return view;
}

void weir_table_view_free(weir_table_view *view)
{
    if (view == NULL) {
        return;
    }
    weir_batch_free(&view->rows);
    weir_map_free(&view->latest);
    weir_sort_keys_free(&view->keys);
    free(view->is_gone);
    free(view->previous);
    free(view->columns);
    free(view);
}

size_t weir_table_view_memory(const weir_table_view *view)
{
    return weir_batch_memory(&view->rows) + (size_t)view->rows.length * (sizeof(int64_t) + 64);
}

static void add_row(weir_table_view *view, weir_slice key, int64_t row)
{
    int64_t before = (int64_t)(intptr_t)weir_map_get(&view->latest, key) - 1;
    view->is_gone[row] = false;
    view->previous[row] = before;
    weir_map_put(&view->latest, key, (void *)(intptr_t)(row + 1));
}

static int retract_row(weir_table_view *view, weir_slice key, int64_t row, weir_error *err)
{
    int64_t found = (int64_t)(intptr_t)weir_map_get(&view->latest, key) - 1;
    view->is_gone[row] = true; /* the retraction itself is no row */
    if (found < 0) {
        return weir_fail(err, WEIR_CORRUPT, "a row of the result is retracted that was not given");
    }
    view->is_gone[found] = true;
    if (view->previous[found] >= 0) {
        weir_map_put(&view->latest, key, (void *)(intptr_t)(view->previous[found] + 1));
    } else {
        weir_map_remove(&view->latest, key);
    }
    return WEIR_OK;
}

static weir_slice key_of(const weir_sort_keys *keys, int64_t row)
{
    if (keys->whole) {
        return weir_slice_of(&keys->prefixes[row], sizeof keys->prefixes[row]);
    }
    return weir_slice_of(keys->bytes + keys->offsets[row], (size_t)(keys->offsets[row + 1] - keys->offsets[row]));
}

int weir_table_view_apply(weir_table_view *view, const weir_batch *batch, weir_error *err)
{
    int64_t first = view->rows.length;
    WEIR_TRY(weir_batch_append_range(&view->rows, batch, 0, batch->length, err));
    WEIR_GROW(view->is_gone, view->gone_capacity, view->rows.length + 1);
    WEIR_GROW(view->previous, view->previous_capacity, view->rows.length + 1);
    weir_sort_keys_clear(&view->keys);
    WEIR_TRY(weir_state_keys_append(&view->keys, batch, view->columns, batch->column_count, err));
    for (int64_t i = 0; i < batch->length; i++) {
        weir_slice key = key_of(&view->keys, i);
        if (weir_row_kind_is_retract(weir_batch_kind(batch, i))) {
            WEIR_TRY(retract_row(view, key, first + i, err));
        } else {
            add_row(view, key, first + i);
        }
    }
    return WEIR_OK;
}

int weir_table_view_next(weir_table_view *view, weir_batch *out, weir_error *err)
{
    uint32_t rows[GIVEN_ROWS];
    int64_t count = 0;
    weir_batch_clear(out);
    for (; view->given < view->rows.length && count < GIVEN_ROWS; view->given++) {
        rows[count] = (uint32_t)view->given;
        count += !view->is_gone[view->given];
    }
    WEIR_TRY(weir_batch_append_rows(out, &view->rows, rows, count, err));
    return count > 0 ? WEIR_OK : WEIR_END;
}
