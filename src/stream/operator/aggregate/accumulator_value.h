/* Values as cells keep them: in a place of the row, and in maps as bytes in the values' order. */
#ifndef WEIR_STREAM_ACCUMULATOR_VALUE_H
#define WEIR_STREAM_ACCUMULATOR_VALUE_H

#include "stream/operator/aggregate/accumulator_cell.h"

/* --- Places ---------------------------------------------------------------------------------------------------- */

/* A place of row `row`: whether it holds a value; that it holds none any more; the value's bytes, where it holds one,
 * which are good until the next set in that row; and a copy of bytes as its value. */
bool weir_place_is_set(const weir_accumulator_rows *rows, int64_t row, const weir_place *place);
void weir_place_clear(weir_accumulator_rows *rows, int64_t row, const weir_place *place);
weir_slice weir_place_get(const weir_accumulator_rows *rows, int64_t row, const weir_place *place);
void weir_place_set(weir_accumulator_rows *rows, int64_t row, const weir_place *place, weir_slice bytes);

/* A value that is not NULL as a place holds it: borrowed from its column, or made in `scratch`. */
int weir_place_bytes(const weir_batch *computed, int32_t column, uint32_t row, weir_buffer *scratch, weir_slice *out,
                     weir_error *err);

/* --- Columns that are given ------------------------------------------------------------------------------------ */

/* Room for `count` more values of fixed width, all of them valid until weir_given_null is called for some. The caller
 * writes them behind the ones that are there. */
int weir_given_open(weir_vector *out, int64_t count, weir_error *err);
void weir_given_close(weir_vector *out, int64_t count);

/* Value i of those that are being written. */
static inline void weir_given_null(weir_vector *out, int64_t i)
{
    size_t width = weir_layout_width(out->layout);
    weir_bit_clear(out->validity, out->length + i);
    memset(out->data + width * (size_t)(out->length + i), 0, width);
    out->null_count++;
}

/* --- Bytes in order -------------------------------------------------------------------------------------------- */

/* Appends a value that is not NULL, and not nested. */
void weir_ordered_append(const weir_vector *vector, int64_t row, bool descending, weir_buffer *out);
/* What was appended, as a place holds it. */
int weir_ordered_read(const weir_type *type, weir_slice bytes, bool descending, weir_buffer *out, weir_error *err);

/* Appends what the ORDER BY of a cell's aggregate compares. */
void weir_order_key_append(const weir_cell *cell, const weir_batch *computed, int64_t row, weir_buffer *out);

/* --- Maps ------------------------------------------------------------------------------------------------------ */

static inline weir_map_state *weir_cell_map(const weir_cell *cell) { return cell->owner->maps[cell->map]; }

static inline weir_state_slot weir_cell_map_slot(const weir_cell *cell, const weir_accumulator_rows *rows, int64_t row)
{
    return rows->map_slots[(int64_t)cell->map * rows->count + row];
}

/* The count that an entry of a map holds. */
int weir_map_count(weir_slice value, int64_t *out, weir_error *err);

/* All entries of a map at one time, so that maps can be changed meanwhile. */
typedef struct weir_map_copy {
    weir_buffer bytes;
    size_t *offsets; /* of keys and values in turn, 2 * count + 1 */
    size_t offsets_capacity;
    size_t count;
} weir_map_copy; /* zero-initialized is empty */

/* Adds the entries of a map to `out`, in the order of their keys. */
int weir_map_copy_read(weir_map_state *map, weir_state_slot slot, weir_map_copy *out, weir_error *err);
/* Entry i; borrowed from the copy. */
weir_slice weir_map_copy_key(const weir_map_copy *copy, size_t i);
weir_slice weir_map_copy_value(const weir_map_copy *copy, size_t i);
void weir_map_copy_free(weir_map_copy *copy);

/* Removes all that a map holds. */
int weir_map_clear(weir_map_state *map, weir_state_slot slot, weir_error *err);

#endif
