/* MIN and MAX. Where nothing is retracted the value alone is kept, in its place of the row.
 *
 * Otherwise there is a map beside it: values, the extreme one first -> how often each is there. Values that come move
 * the place as before; the map is looked at only when the value in the place has gone. */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator_value.h"
#include "vector/float_order.h"

/* --- The value in its place ------------------------------------------------------------------------------------ */

/* Moves the places by the values that come; those that go are passed over. `rank` makes what is compared. */
#define EXTREME_LOOP(ctype, rank)                                                                                      \
    for (int64_t i = 0; i < entries->count; i++) {                                                                     \
        if (weir_vector_is_null(column, entries->values[i]) || weir_entry_sign(entries, i) < 0) {                      \
            continue;                                                                                                  \
        }                                                                                                              \
        uint8_t *row = rows->bytes[entries->rows[i]];                                                                  \
        ctype value = ((const ctype *)(const void *)column->data)[entries->values[i]];                                 \
        ctype held;                                                                                                    \
        memcpy(&held, row + place->offset, sizeof held);                                                               \
        if (row[place->flag] == 0 || (last ? rank(value) > rank(held) : rank(value) < rank(held))) {                   \
            memcpy(row + place->offset, &value, sizeof value);                                                         \
            row[place->flag] = 1;                                                                                      \
        }                                                                                                              \
    }

#define ITSELF(value) (value)

static inline weir_int128 nanos_rank(weir_timestamp_nanos time)
{
    return (weir_int128)time.millis * 1000000 + time.nanos_of_milli;
}

static void move_by_words(const weir_place *place, bool last, weir_accumulator_rows *rows, const weir_entries *entries,
                          const weir_vector *column)
{
    if (column->type->id == WEIR_DOUBLE) {
        EXTREME_LOOP(double, weir_double_rank)
    } else {
        EXTREME_LOOP(int64_t, ITSELF)
    }
}

static void move_by_halves(const weir_place *place, bool last, weir_accumulator_rows *rows, const weir_entries *entries,
                           const weir_vector *column)
{
    if (column->type->id == WEIR_FLOAT) {
        EXTREME_LOOP(float, weir_float_rank)
    } else {
        EXTREME_LOOP(int32_t, ITSELF)
    }
}

static void move_by_wide(const weir_place *place, bool last, weir_accumulator_rows *rows, const weir_entries *entries,
                         const weir_vector *column)
{
    if (column->type->id == WEIR_DECIMAL) {
        EXTREME_LOOP(weir_int128, ITSELF)
    } else {
        EXTREME_LOOP(weir_timestamp_nanos, nanos_rank)
    }
}

static int compare_slices(weir_slice a, weir_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size == 0 ? 0 : memcmp(a.data, b.data, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Texts, and bits as bytes of 0 and 1. */
static int move_by_bytes(const weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                         const weir_batch *computed, weir_error *err)
{
    const weir_vector *column = &computed->columns[cell->column];
    weir_buffer scratch = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < entries->count && code == WEIR_OK; i++) {
        uint32_t row = entries->rows[i];
        weir_slice value = {0};
        if (weir_vector_is_null(column, entries->values[i]) || weir_entry_sign(entries, i) < 0) {
            continue;
        }
        code = weir_place_bytes(computed, cell->column, entries->values[i], &scratch, &value, err);
        int order = compare_slices(value, weir_place_get(rows, row, &cell->place));
        if (!weir_place_is_set(rows, row, &cell->place) || (cell->last ? order > 0 : order < 0)) {
            weir_place_set(rows, row, &cell->place, value);
        }
    }
    weir_buffer_free(&scratch);
    return code;
}

static int apply_extreme(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                         const weir_batch *computed, weir_error *err)
{
    const weir_vector *column = &computed->columns[cell->column];
    const weir_place *place = &cell->place;
    const bool last = cell->last;
    switch (column->layout) {
    case WEIR_LAYOUT_8:
        EXTREME_LOOP(int8_t, ITSELF)
        return WEIR_OK;
    case WEIR_LAYOUT_16:
        EXTREME_LOOP(int16_t, ITSELF)
        return WEIR_OK;
    case WEIR_LAYOUT_32:
        move_by_halves(place, last, rows, entries, column);
        return WEIR_OK;
    case WEIR_LAYOUT_64:
        move_by_words(place, last, rows, entries, column);
        return WEIR_OK;
    case WEIR_LAYOUT_128:
        move_by_wide(place, last, rows, entries, column);
        return WEIR_OK;
    default:
        return move_by_bytes(cell, rows, entries, computed, err);
    }
}

/* The place of a row as a column of one value, for the loops above. */
static int merge_extreme(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    weir_slice bytes = weir_place_get(rows, from, &cell->place);
    if (!weir_place_is_set(rows, from, &cell->place)) {
        return WEIR_OK;
    }
    weir_vector value;
    weir_vector_init(&value, cell->type);
    weir_cell alone = *cell;
    alone.column = 0;
    weir_batch computed = {.length = 1, .columns = &value, .column_count = 1};
    uint32_t first = 0;
    uint32_t row = (uint32_t)to;
    weir_entries entry = {.count = 1, .values = &first, .rows = &row};
    int code = weir_vector_append_raw(&value, bytes.data, bytes.size, err);
    if (code == WEIR_OK) {
        code = apply_extreme(&alone, rows, &entry, &computed, err);
    }
    weir_vector_free(&value);
    return code;
}

const weir_cell_kind weir_cell_extreme = {.name = "extreme", .apply = apply_extreme, .merge = merge_extreme};

/* --- With a map of all values ---------------------------------------------------------------------------------- */

enum { place_is_stale = 2 }; /* a flag: the value in the place has gone, and the map tells which one is next */

/* Adds to the count of a value; *out_gone: the last of it has gone. */
static int add_to_count(weir_map_state *map, weir_state_slot slot, weir_slice key, int64_t count, bool *out_gone,
                        weir_error *err)
{
    bool found = false;
    int64_t held = 0;
    weir_slice value;
    *out_gone = false;
    WEIR_TRY(weir_map_state_get(map, slot, key, &found, &value, err));
    if (found) {
        WEIR_TRY(weir_map_count(value, &held, err));
    }
    held += count;
    if (held > 0) {
        return weir_map_state_put(map, slot, key, weir_slice_of(&held, sizeof held), err);
    }
    *out_gone = found;
    return found ? weir_map_state_remove(map, slot, key, err) : WEIR_OK;
}

/* The place is set anew from what the map has first. */
static int read_extreme(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice key;
    weir_slice count;
    weir_buffer value = {0};
    WEIR_TRY(
        weir_map_cursor_open(weir_cell_map(cell), weir_cell_map_slot(cell, rows, row), (weir_slice){0}, &cursor, err));
    int code = weir_map_cursor_next(cursor, &key, &count, err);
    if (code == WEIR_OK) {
        code = weir_ordered_read(cell->type, key, cell->last, &value, err);
        if (code == WEIR_OK) {
            weir_place_set(rows, row, &cell->place, weir_buffer_slice(&value));
        }
    } else if (code == WEIR_END) {
        weir_place_clear(rows, row, &cell->place);
        code = WEIR_OK;
    }
    weir_map_cursor_close(cursor);
    weir_buffer_free(&value);
    return code;
}

/* Whether the value in a row's place is the one with these bytes. */
static int holds(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row, weir_slice key, bool *out,
                 weir_error *err)
{
    *out = false;
    if (!weir_place_is_set(rows, row, &cell->place)) {
        return WEIR_OK;
    }
    weir_vector value;
    weir_buffer bytes = {0};
    weir_slice held = weir_place_get(rows, row, &cell->place);
    weir_vector_init(&value, cell->type);
    int code = weir_vector_append_raw(&value, held.data, held.size, err);
    if (code == WEIR_OK) {
        weir_ordered_append(&value, 0, cell->last, &bytes);
        *out = compare_slices(weir_buffer_slice(&bytes), key) == 0;
    }
    weir_buffer_free(&bytes);
    weir_vector_free(&value);
    return code;
}

/* All values go into the map, or out of it; then the places whose value has gone are set anew. */
static int count_in_map(const weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                        const weir_vector *column, weir_buffer *key, weir_error *err)
{
    weir_map_state *map = weir_cell_map(cell);
    for (int64_t i = 0; i < entries->count; i++) {
        uint32_t row = entries->rows[i];
        bool gone;
        bool held = false;
        if (weir_vector_is_null(column, entries->values[i])) {
            continue;
        }
        weir_buffer_clear(key);
        weir_ordered_append(column, entries->values[i], cell->last, key);
        WEIR_TRY(add_to_count(map, weir_cell_map_slot(cell, rows, row), weir_buffer_slice(key),
                              weir_entry_sign(entries, i), &gone, err));
        if (gone) {
            WEIR_TRY(holds(cell, rows, row, weir_buffer_slice(key), &held, err));
        }
        if (held) {
            rows->bytes[row][cell->place.flag] = place_is_stale;
        }
    }
    return WEIR_OK;
}

static int read_stale(const weir_cell *cell, weir_accumulator_rows *rows, weir_error *err)
{
    for (int64_t i = 0; i < rows->count; i++) {
        if (rows->bytes[i][cell->place.flag] == place_is_stale) {
            WEIR_TRY(read_extreme(cell, rows, i, err));
        }
    }
    return WEIR_OK;
}

static int apply_extreme_map(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                             const weir_batch *computed, weir_error *err)
{
    weir_buffer key = {0};
    int code = apply_extreme(cell, rows, entries, computed, err);
    if (code == WEIR_OK) {
        code = count_in_map(cell, rows, entries, &computed->columns[cell->column], &key, err);
    }
    weir_buffer_free(&key);
    return code == WEIR_OK && entries->signs != NULL ? read_stale(cell, rows, err) : code;
}

static int merge_extreme_map(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    weir_map_copy copy = {0};
    int64_t count;
    bool gone;
    int code = weir_map_copy_read(weir_cell_map(cell), weir_cell_map_slot(cell, rows, from), &copy, err);
    for (size_t i = 0; i < copy.count && code == WEIR_OK; i++) {
        WEIR_GO(weir_map_count(weir_map_copy_value(&copy, i), &count, err));
        code = add_to_count(weir_cell_map(cell), weir_cell_map_slot(cell, rows, to), weir_map_copy_key(&copy, i), count,
                            &gone, err);
    }
done:
    weir_map_copy_free(&copy);
    return code == WEIR_OK ? merge_extreme(cell, rows, from, to, err) : code;
}

const weir_cell_kind weir_cell_extreme_map = {
    .name = "extreme of all", .apply = apply_extreme_map, .merge = merge_extreme_map};
