/* The rows of one side of a join in keyed state: join key -> row as bytes -> how often it is there, and, where somebody
 * asks, how many rows of the other side match it. */
#ifndef WEIR_STREAM_JOIN_ROWS_H
#define WEIR_STREAM_JOIN_ROWS_H

#include "stream/operator/operator.h"

typedef struct weir_join_rows {
    weir_map_state *map;
    weir_state_slot *slots; /* of the rows of the batch at hand, by their keys */
    size_t capacity;
    bool is_pair; /* the other side's rows are in the map too: those of each have its number before them */
    uint8_t side;
    weir_buffer subkey;
} weir_join_rows;

typedef struct weir_join_entry {
    uint64_t count; /* 0: the row is not there */
    uint64_t matches;
} weir_join_entry;

/* Opens one side's rows under the operator's uid. What is open when it fails goes with the close. */
int weir_join_rows_open(weir_join_rows *self, const weir_operator_context *context, const char *uid, const char *name,
                        weir_error *err);
/* Both sides of a join in one map, so that what is there of a key is found and read together; in two where hints say
 * that they are kept for different times. */
int weir_join_rows_open_pair(weir_join_rows pair[2], const weir_operator_context *context, const weir_stream_node *node,
                             weir_error *err);
void weir_join_rows_close(weir_join_rows *self);
void weir_join_rows_close_pair(weir_join_rows pair[2]);

/* Finds the places of a batch's keys; `slots` are good until the next fetch. Of a pair both have them. */
int weir_join_rows_fetch(weir_join_rows *self, const weir_sort_keys *keys, weir_error *err);
int weir_join_rows_fetch_pair(weir_join_rows pair[2], const weir_sort_keys *keys, weir_error *err);

/* A row of the key at `slot` as it is kept (count 0: it is not), and what is kept instead; count 0 removes it. */
int weir_join_rows_get(weir_join_rows *self, weir_state_slot slot, weir_slice row, weir_join_entry *out,
                       weir_error *err);
int weir_join_rows_set(weir_join_rows *self, weir_state_slot slot, weir_slice row, const weir_join_entry *entry,
                       weir_error *err);

/* One more or one less. A row that is not there stays so: with a time to live it may be forgotten. */
int weir_join_rows_add(weir_join_rows *self, weir_state_slot slot, weir_slice row, uint64_t matches, weir_error *err);
int weir_join_rows_remove(weir_join_rows *self, weir_state_slot slot, weir_slice row, weir_error *err);

/* Where only the number of rows of a key matters: all are one row of no bytes. */
int weir_join_rows_count(weir_join_rows *self, weir_state_slot slot, uint64_t *out, weir_error *err);
int weir_join_rows_count_change(weir_join_rows *self, weir_state_slot slot, bool comes, uint64_t *out_before,
                                uint64_t *out_after, weir_error *err);

/* Whether no row of a key is there. */
int weir_join_rows_is_empty(weir_join_rows *self, weir_state_slot slot, bool *out, weir_error *err);

/* Walks the rows of a key, from `from` on (empty: the first). */
int weir_join_rows_walk(weir_join_rows *self, weir_state_slot slot, weir_slice from, weir_map_cursor **out,
                        weir_error *err);
int weir_join_rows_next(const weir_join_rows *self, weir_map_cursor *cursor, weir_slice *out_row,
                        weir_join_entry *out_entry, weir_error *err); /* WEIR_END after the last */

/* An entry as it is in `map`. */
int weir_join_entry_decode(weir_slice value, weir_join_entry *out, weir_error *err);

/* --- the batch at hand ------------------------------------------------------------------------------------------- */

/* A key as the state has it; `space` may hold it. */
static inline weir_slice weir_join_key_bytes(const weir_sort_keys *keys, int64_t row, uint8_t space[8])
{
    if (keys->whole) {
        weir_store_be64(space, keys->prefixes[row]);
        return weir_slice_of(space, 8);
    }
    return weir_slice_of(keys->bytes + keys->offsets[row], (size_t)(keys->offsets[row + 1] - keys->offsets[row]));
}

/* A batch's rows as bytes. */
typedef struct weir_encoded_rows {
    weir_buffer bytes;
    uint32_t *offsets;
    size_t capacity;
} weir_encoded_rows;

/* Makes bytes of all rows of a batch, in the place of those before. */
int weir_encoded_rows_fill(weir_encoded_rows *self, const weir_batch *batch, weir_error *err);
void weir_encoded_rows_free(weir_encoded_rows *self);

static inline weir_slice weir_encoded_row(const weir_encoded_rows *self, int64_t row)
{
    return weir_slice_of(self->bytes.data + self->offsets[row], self->offsets[row + 1] - self->offsets[row]);
}

/* A row of a batch, or two that are one change: a -U with its +U of the same key. -1: there is none. */
typedef struct weir_join_change {
    int64_t before, after;
} weir_join_change;

/* Its row that goes, or where none does, the one that comes. */
static inline int64_t weir_join_change_row(const weir_join_change *change)
{
    return change->before >= 0 ? change->before : change->after;
}

/* Takes out the row that goes, and puts in the one that comes: all of them of one key, `encoded` those of the batch. */
int weir_join_rows_apply(weir_join_rows *self, weir_state_slot slot, const weir_join_change *change,
                         const weir_encoded_rows *encoded, weir_error *err);

/* The change that begins at row *row, which is advanced past it. */
weir_join_change weir_join_next_change(const weir_batch *batch, const weir_sort_keys *keys, const uint8_t *can_match,
                                       int64_t *row);

/* Whether it changes nothing that the join looks at. */
static inline bool weir_join_change_is_none(const weir_join_change *change, const weir_encoded_rows *rows)
{
    return change->before >= 0 && change->after >= 0 &&
           weir_slice_equal(weir_encoded_row(rows, change->before), weir_encoded_row(rows, change->after));
}

#endif
