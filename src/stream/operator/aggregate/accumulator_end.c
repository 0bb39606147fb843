/* FIRST_VALUE and LAST_VALUE: the value that is not NULL and came first or last, or that stands first or last by the
 * ORDER BY of its call, those that are equal there by arrival.
 *
 * The row holds the value in its place, when it came, and in a tail what it is ordered by. Where rows may be retracted,
 * a map holds all values twice: once in order, so that the next one is found when the value in the place has gone, and
 * once by themselves, so that the one to retract is found, which of equal ones is the oldest, as in Flink:
 *
 *   'o' | order | arrival: 8             -> the value    (all after 'o' with its bits flipped for LAST_VALUE)
 *   'v' | value and order | arrival: 8   -> nothing      (as row_codec.h writes them) */
#include <stdlib.h>

#include "stream/operator/aggregate/accumulator_value.h"
#include "stream/state/row_codec.h"

static int64_t arrival_of(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row)
{
    int64_t arrival;
    memcpy(&arrival, rows->bytes[row] + cell->offset, sizeof arrival);
    return arrival;
}

static void set_arrival(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, int64_t arrival)
{
    memcpy(rows->bytes[row] + cell->offset, &arrival, sizeof arrival);
}

static int compare_slices(weir_slice a, weir_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size == 0 ? 0 : memcmp(a.data, b.data, size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

/* Whether a value with this order and arrival takes the place. */
static bool is_further(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row, weir_slice order,
                       int64_t arrival)
{
    if (!weir_place_is_set(rows, row, &cell->place)) {
        return true;
    }
    int64_t held = arrival_of(cell, rows, row);
    int by_order = cell->tail < 0 ? 0 : compare_slices(order, weir_tail_get(rows, row, cell->tail));
    int compared = by_order != 0 ? by_order : (arrival > held) - (arrival < held);
    return cell->last ? compared > 0 : compared < 0;
}

static void take_place(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, weir_slice value,
                       weir_slice order, int64_t arrival)
{
    weir_place_set(rows, row, &cell->place, value);
    set_arrival(cell, rows, row, arrival);
    if (cell->tail >= 0) {
        weir_tail_set(rows, row, cell->tail, order);
    }
}

/* What is made of one value. */
typedef struct value_scratch {
    weir_buffer order, value, key, encoded;
} value_scratch;

static void free_scratch(value_scratch *scratch)
{
    weir_buffer_free(&scratch->order);
    weir_buffer_free(&scratch->value);
    weir_buffer_free(&scratch->key);
    weir_buffer_free(&scratch->encoded);
}

/* A value that comes, into its place if it belongs there. */
static int come(const weir_cell *cell, weir_accumulator_rows *rows, uint32_t row, const weir_batch *computed,
                uint32_t value, int64_t arrival, value_scratch *scratch, weir_error *err)
{
    weir_slice bytes;
    weir_buffer_clear(&scratch->order);
    weir_order_key_append(cell, computed, value, &scratch->order);
    weir_slice order = weir_buffer_slice(&scratch->order);
    if (is_further(cell, rows, row, order, arrival)) {
        WEIR_TRY(weir_place_bytes(computed, cell->column, value, &scratch->value, &bytes, err));
        take_place(cell, rows, row, bytes, order, arrival);
    }
    return WEIR_OK;
}

static int apply_end(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                     const weir_batch *computed, weir_error *err)
{
    const weir_vector *column = &computed->columns[cell->column];
    value_scratch scratch = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < entries->count && code == WEIR_OK; i++) {
        if (!weir_vector_is_null(column, entries->values[i])) {
            code = come(cell, rows, entries->rows[i], computed, entries->values[i], cell->owner->arrivals + i, &scratch,
                        err);
        }
    }
    free_scratch(&scratch);
    return code;
}

static int merge_end(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    (void)err;
    if (!weir_place_is_set(rows, from, &cell->place)) {
        return WEIR_OK;
    }
    weir_slice order = cell->tail < 0 ? (weir_slice){0} : weir_tail_get(rows, from, cell->tail);
    if (is_further(cell, rows, to, order, arrival_of(cell, rows, from))) {
        /* Setting a tail may move the others that were set. */
        weir_buffer value = {0};
        weir_buffer order_copy = {0};
        weir_slice bytes = weir_place_get(rows, from, &cell->place);
        weir_buffer_append(&value, bytes.data, bytes.size);
        weir_buffer_append(&order_copy, order.data, order.size);
        take_place(cell, rows, to, weir_buffer_slice(&value), weir_buffer_slice(&order_copy),
                   arrival_of(cell, rows, from));
        weir_buffer_free(&value);
        weir_buffer_free(&order_copy);
    }
    return WEIR_OK;
}

const weir_cell_kind weir_cell_end = {.name = "end", .apply = apply_end, .merge = merge_end};

/* --- With a map of all values ---------------------------------------------------------------------------------- */

enum { place_is_stale = 2 }; /* a flag: the value in the place has gone, and the map tells which one is next */

static void append_arrival(weir_buffer *out, int64_t arrival)
{
    uint8_t bytes[8];
    weir_store_be64(bytes, (uint64_t)arrival);
    weir_buffer_append(out, bytes, sizeof bytes);
}

/* The key of a value in order. */
static void order_key(const weir_cell *cell, weir_slice order, int64_t arrival, weir_buffer *out)
{
    weir_buffer_clear(out);
    weir_buffer_append_byte(out, 'o');
    weir_buffer_append(out, order.data, order.size);
    append_arrival(out, arrival);
    for (size_t i = 1; i < out->size && cell->last; i++) {
        out->data[i] = (uint8_t)~out->data[i];
    }
}

/* The key of a value by itself, without its arrival. */
static int value_key(const weir_cell *cell, const weir_batch *computed, uint32_t value, weir_buffer *out,
                     weir_error *err)
{
    int32_t columns[1 + WEIR_MOST_ORDER_KEYS] = {cell->column};
    for (int32_t i = 0; i < cell->order_count; i++) {
        columns[i + 1] = cell->order_column + i;
    }
    weir_buffer_clear(out);
    weir_buffer_append_byte(out, 'v');
    return weir_row_encode(computed, columns, 1 + cell->order_count, value, out, err);
}

static int put_value(const weir_cell *cell, const weir_accumulator_rows *rows, uint32_t row, const weir_batch *computed,
                     uint32_t value, int64_t arrival, value_scratch *scratch, weir_error *err)
{
    weir_map_state *map = weir_cell_map(cell);
    weir_state_slot slot = weir_cell_map_slot(cell, rows, row);
    weir_slice bytes;
    WEIR_TRY(value_key(cell, computed, value, &scratch->key, err));
    append_arrival(&scratch->key, arrival);
    WEIR_TRY(weir_map_state_put(map, slot, weir_buffer_slice(&scratch->key), weir_slice_of("", 0), err));
    weir_buffer_clear(&scratch->order);
    weir_order_key_append(cell, computed, value, &scratch->order);
    order_key(cell, weir_buffer_slice(&scratch->order), arrival, &scratch->key);
    WEIR_TRY(weir_place_bytes(computed, cell->column, value, &scratch->value, &bytes, err));
    return weir_map_state_put(map, slot, weir_buffer_slice(&scratch->key), bytes, err);
}

/* When the oldest of the values equal to this one came; false: there is none. */
static int find_oldest(const weir_cell *cell, weir_state_slot slot, weir_slice key, int64_t *out_arrival,
                       bool *out_found, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice found;
    weir_slice nothing;
    *out_found = false;
    WEIR_TRY(weir_map_cursor_open(weir_cell_map(cell), slot, key, &cursor, err));
    int code = weir_map_cursor_next(cursor, &found, &nothing, err);
    if (code == WEIR_OK && found.size == key.size + 8 && memcmp(found.data, key.data, key.size) == 0) {
        *out_arrival = (int64_t)weir_load_be64(found.data + key.size);
        *out_found = true;
    }
    weir_map_cursor_close(cursor);
    return code == WEIR_END ? WEIR_OK : code;
}

static int take_value(const weir_cell *cell, weir_accumulator_rows *rows, uint32_t row, const weir_batch *computed,
                      uint32_t value, value_scratch *scratch, weir_error *err)
{
    weir_map_state *map = weir_cell_map(cell);
    weir_state_slot slot = weir_cell_map_slot(cell, rows, row);
    int64_t arrival;
    bool found;
    WEIR_TRY(value_key(cell, computed, value, &scratch->key, err));
    WEIR_TRY(find_oldest(cell, slot, weir_buffer_slice(&scratch->key), &arrival, &found, err));
    if (!found) {
        return WEIR_OK;
    }
    append_arrival(&scratch->key, arrival);
    WEIR_TRY(weir_map_state_remove(map, slot, weir_buffer_slice(&scratch->key), err));
    weir_buffer_clear(&scratch->order);
    weir_order_key_append(cell, computed, value, &scratch->order);
    order_key(cell, weir_buffer_slice(&scratch->order), arrival, &scratch->key);
    if (arrival == arrival_of(cell, rows, row) && weir_place_is_set(rows, row, &cell->place)) {
        rows->bytes[row][cell->place.flag] = place_is_stale;
    }
    return weir_map_state_remove(map, slot, weir_buffer_slice(&scratch->key), err);
}

/* The place is set anew from what the map has first in order. */
static int set_from_key(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, weir_slice key,
                        weir_slice value, weir_error *err)
{
    weir_buffer order = {0};
    if (key.size < 9 || (cell->place.tail < 0 && value.size != (size_t)cell->place.width)) {
        return weir_fail(err, WEIR_CORRUPT, "state of an aggregate: a value of %zu bytes under a key of %zu",
                         value.size, key.size);
    }
    weir_buffer_append(&order, key.data + 1, key.size - 1);
    for (size_t i = 0; i < order.size && cell->last; i++) {
        order.data[i] = (uint8_t)~order.data[i];
    }
    int64_t arrival = (int64_t)weir_load_be64(order.data + order.size - 8);
    take_place(cell, rows, row, value, weir_slice_of(order.data, order.size - 8), arrival);
    weir_buffer_free(&order);
    return WEIR_OK;
}

static int read_end(const weir_cell *cell, weir_accumulator_rows *rows, int64_t row, weir_error *err)
{
    weir_map_cursor *cursor;
    weir_slice key;
    weir_slice value;
    WEIR_TRY(weir_map_cursor_open(weir_cell_map(cell), weir_cell_map_slot(cell, rows, row), weir_slice_of("o", 1),
                                  &cursor, err));
    int code = weir_map_cursor_next(cursor, &key, &value, err);
    if (code == WEIR_OK && key.data[0] == 'o') {
        code = set_from_key(cell, rows, row, key, value, err);
    } else if (code == WEIR_OK || code == WEIR_END) {
        weir_place_clear(rows, row, &cell->place);
        code = WEIR_OK;
    }
    weir_map_cursor_close(cursor);
    return code;
}

static int change_map(const weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                      const weir_batch *computed, value_scratch *scratch, weir_error *err)
{
    const weir_vector *column = &computed->columns[cell->column];
    for (int64_t i = 0; i < entries->count; i++) {
        uint32_t row = entries->rows[i];
        uint32_t value = entries->values[i];
        int64_t arrival = cell->owner->arrivals + i;
        if (weir_vector_is_null(column, value)) {
            continue;
        }
        if (weir_entry_sign(entries, i) < 0) {
            WEIR_TRY(take_value(cell, rows, row, computed, value, scratch, err));
            continue;
        }
        WEIR_TRY(put_value(cell, rows, row, computed, value, arrival, scratch, err));
        if (rows->bytes[row][cell->place.flag] != place_is_stale) {
            WEIR_TRY(come(cell, rows, row, computed, value, arrival, scratch, err));
        }
    }
    return WEIR_OK;
}

static int apply_end_map(weir_cell *cell, weir_accumulator_rows *rows, const weir_entries *entries,
                         const weir_batch *computed, weir_error *err)
{
    value_scratch scratch = {0};
    int code = change_map(cell, rows, entries, computed, &scratch, err);
    free_scratch(&scratch);
    for (int64_t i = 0; i < rows->count && code == WEIR_OK; i++) {
        if (rows->bytes[i][cell->place.flag] == place_is_stale) {
            code = read_end(cell, rows, i, err);
        }
    }
    return code;
}

/* Arrivals differ in the whole set, so that no key of one map is in the other. */
static int merge_end_map(weir_cell *cell, weir_accumulator_rows *rows, int64_t from, int64_t to, weir_error *err)
{
    weir_map_copy copy = {0};
    int code = weir_map_copy_read(weir_cell_map(cell), weir_cell_map_slot(cell, rows, from), &copy, err);
    for (size_t i = 0; i < copy.count && code == WEIR_OK; i++) {
        code = weir_map_state_put(weir_cell_map(cell), weir_cell_map_slot(cell, rows, to), weir_map_copy_key(&copy, i),
                                  weir_map_copy_value(&copy, i), err);
    }
    weir_map_copy_free(&copy);
    return code == WEIR_OK ? merge_end(cell, rows, from, to, err) : code;
}

const weir_cell_kind weir_cell_end_map = {.name = "end of all", .apply = apply_end_map, .merge = merge_end_map};
