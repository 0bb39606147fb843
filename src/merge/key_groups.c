/* Phase one of a merge; see the header.
 *
 * The loop pops the least row of all runs from the loser tree until the key changes. Within a group rows are put in the
 * order of their age: by the values of sequence.field where the table has one, then by sequence number, then by the
 * order of the runs. A merge of one run needs no tree: its block is the window. */
#include "merge/key_groups.h"

#include <stdlib.h>

#define PREFETCH_ROWS 16

void weir_key_groups_init(weir_key_groups *groups, const weir_merge_source *source, weir_run_cursor *cursors,
                          int32_t run_count)
{
    *groups = (weir_key_groups){.source = source, .cursors = cursors, .run_count = run_count};
    weir_batch_init(&groups->order_copies, weir_merge_source_order_fields(source), source->order.count);
}

void weir_key_groups_free(weir_key_groups *groups)
{
    weir_loser_tree_free(&groups->tree);
    weir_merge_groups_free(&groups->groups);
    free(groups->order_rows);
    weir_sort_keys_free(&groups->keys);
    weir_batch_free(&groups->order_copies);
}

/* --- keys of the window --- */

static void reserve_keys(weir_sort_keys *keys, size_t count)
{
    if (count <= keys->length_capacity) {
        return;
    }
    keys->prefixes = weir_realloc(keys->prefixes, count * sizeof *keys->prefixes);
    if (!keys->whole) {
        keys->offsets = weir_realloc(keys->offsets, (count + 1) * sizeof *keys->offsets);
        keys->offsets[0] = 0;
    }
    keys->length_capacity = count;
}

/* Appends keys first .. first + count - 1 of `from`; room for the prefixes is there. */
static void append_keys(weir_sort_keys *to, const weir_sort_keys *from, int64_t first, int64_t count)
{
    memcpy(to->prefixes + to->length, from->prefixes + first, (size_t)count * sizeof *to->prefixes);
    if (!to->whole) {
        uint64_t start = from->offsets[first];
        uint64_t used = to->offsets[to->length];
        uint64_t size = from->offsets[first + count] - start;
        WEIR_GROW(to->bytes, to->bytes_capacity, used + size);
        memcpy(to->bytes + used, from->bytes + start, size);
        for (int64_t i = 1; i <= count; i++) {
            to->offsets[to->length + i] = used + from->offsets[first + i] - start;
        }
    }
    to->length += count;
}

/* --- rows of the window --- */

static void clear_window(weir_key_groups *state, int64_t max_groups)
{
    WEIR_GROW(state->groups.group_starts, state->groups.group_capacity, max_groups + 1);
    weir_merge_groups_reserve(&state->groups, (size_t)max_groups + (size_t)state->run_count, state->want_levels);
    reserve_keys(&state->keys, (size_t)max_groups);
    state->groups.group_count = 0;
    state->groups.row_count = 0;
    state->groups.group_starts[0] = 0;
    state->keys.length = 0;
}

/* Appends the cursor's current row. */
static inline void append_row(weir_key_groups *state, const weir_run_cursor *cursor)
{
    weir_merge_groups *groups = &state->groups;
    if ((size_t)groups->row_count == groups->row_capacity) {
        weir_merge_groups_reserve(groups, groups->row_capacity + 1, state->want_levels);
    }
    int64_t at = groups->row_count++;
    groups->runs[at] = (uint16_t)cursor->number;
    groups->rows[at] = cursor->first_row + cursor->position;
    groups->sequence_numbers[at] = WEIR_VALUES(&cursor->sequence_numbers, int64_t)[cursor->position];
    groups->kinds[at] = WEIR_VALUES(&cursor->kinds, int8_t)[cursor->position];
    if (groups->levels != NULL) {
        groups->levels[at] = cursor->level;
    }
}

/* --- the age of rows --- */

/* Notes where the sequence.field values of the row just appended are. The last row of a block is copied: the block is
 * gone when the group is put in order. */
static int note_order_values(weir_key_groups *state, const weir_run_cursor *cursor, weir_error *err)
{
    size_t in_group = (size_t)(state->groups.row_count - 1 - state->groups.group_starts[state->groups.group_count]);
    WEIR_GROW(state->order_rows, state->order_row_capacity, in_group + 1);
    if (in_group == 0) {
        weir_batch_clear(&state->order_copies);
    }
    state->order_rows[in_group] = cursor->position;
    if (cursor->position + 1 == cursor->length) {
        state->order_rows[in_group] = -1 - state->order_copies.length;
        return weir_batch_append_range(&state->order_copies, &cursor->order_columns, cursor->position, 1, err);
    }
    return WEIR_OK;
}

static const weir_vector *order_value(const weir_key_groups *state, uint16_t run, int64_t place, int32_t column,
                                      int64_t *out_row)
{
    *out_row = place >= 0 ? place : -1 - place;
    return place >= 0 ? &state->cursors[run].order_columns.columns[column] : &state->order_copies.columns[column];
}

static int compare_order_values(const weir_key_groups *state, uint16_t run_a, int64_t place_a, uint16_t run_b,
                                int64_t place_b)
{
    for (int32_t i = 0; i < state->source->order.count; i++) {
        int64_t row_a;
        int64_t row_b;
        const weir_vector *a = order_value(state, run_a, place_a, i, &row_a);
        const weir_vector *b = order_value(state, run_b, place_b, i, &row_b);
        int order = weir_age_order_compare(&state->source->order, a, row_a, b, row_b);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

/* Whether row `a` of the window is older than row `b`. */
static bool is_older(const weir_key_groups *state, int64_t group_start, int64_t a, int64_t b)
{
    const weir_merge_groups *groups = &state->groups;
    if (state->source->order.count > 0) {
        int order = compare_order_values(state, groups->runs[a], state->order_rows[a - group_start], groups->runs[b],
                                         state->order_rows[b - group_start]);
        if (order != 0) {
            return order < 0;
        }
    }
    if (groups->sequence_numbers[a] != groups->sequence_numbers[b]) {
        return groups->sequence_numbers[a] < groups->sequence_numbers[b];
    }
    return groups->runs[a] < groups->runs[b];
}

static void swap_rows(weir_key_groups *state, int64_t group_start, int64_t a, int64_t b)
{
#define SWAP(type, array)                                                                                              \
    do {                                                                                                               \
        type held = (array)[a];                                                                                        \
        (array)[a] = (array)[b];                                                                                       \
        (array)[b] = held;                                                                                             \
    } while (0)
    weir_merge_groups *groups = &state->groups;
    SWAP(uint16_t, groups->runs);
    SWAP(int64_t, groups->rows);
    SWAP(int64_t, groups->sequence_numbers);
    SWAP(int8_t, groups->kinds);
    if (groups->levels != NULL) {
        SWAP(int32_t, groups->levels);
    }
    if (state->source->order.count > 0) {
        SWAP(int64_t, state->order_rows - group_start);
    }
#undef SWAP
}

/* Puts the rows from `group_start` on into the order of their age. Groups are small. */
static void order_group(weir_key_groups *state, int64_t group_start)
{
    for (int64_t i = group_start + 1; i < state->groups.row_count; i++) {
        for (int64_t j = i; j > group_start && is_older(state, group_start, j, j - 1); j--) {
            swap_rows(state, group_start, j - 1, j);
        }
    }
}

/* --- the loop --- */

/* Asks for the cache lines that the run's rows will be in some rows later. The processor's own prefetching follows a
 * few streams, not three of each of fifty runs: without this, half of the loop's time goes into waiting for these
 * lines. */
static inline void prefetch_rows(const weir_run_cursor *cursor, bool whole)
{
    int64_t ahead = cursor->position + PREFETCH_ROWS;
    ahead = ahead < cursor->length ? ahead : cursor->length - 1;
    if (whole) {
        __builtin_prefetch(cursor->keys.prefixes + ahead);
    } else {
        __builtin_prefetch(cursor->entries + ahead);
        __builtin_prefetch(cursor->keys.prefixes + ahead);
        __builtin_prefetch(cursor->keys.offsets + ahead);
    }
    __builtin_prefetch(WEIR_VALUES(&cursor->sequence_numbers, int64_t) + ahead);
    __builtin_prefetch(WEIR_VALUES(&cursor->kinds, int8_t) + ahead);
}

/* Moves the run that stands first to its next row. */
static inline int advance(weir_key_groups *state, weir_run_cursor *cursor, bool whole, weir_error *err)
{
    weir_loser_entry entry = WEIR_LOSER_TREE_END;
    if (__builtin_expect(++cursor->position == cursor->length, 0)) {
        int code = weir_run_cursor_next_block(cursor, err);
        if (code != WEIR_OK && code != WEIR_END) {
            return code;
        }
    }
    if (cursor->position < cursor->length) {
        entry = weir_run_cursor_entry(cursor, whole);
        prefetch_rows(cursor, whole);
    }
    if (whole) {
        weir_loser_tree_replace_whole(&state->tree, cursor->number, entry);
    } else {
        weir_loser_tree_replace(&state->tree, cursor->number, entry);
    }
    return WEIR_OK;
}

/* Whether `entry` is the first of another key than the window's last. */
static inline bool starts_group(const weir_key_groups *state, weir_loser_entry entry, weir_loser_entry group,
                                bool whole)
{
    if (!weir_loser_entry_same_key(entry, group) || entry == WEIR_LOSER_TREE_END) {
        return true;
    }
    if (whole) {
        return false;
    }
    const weir_run_cursor *cursor = &state->cursors[weir_loser_entry_run(entry)];
    return weir_sort_keys_compare(&cursor->keys, cursor->position, &state->keys, state->keys.length - 1) != 0;
}

/* Rows of equal keys come in the order of their runs, so two of one run stand next to each other. */
static int fail_repeated_key(const weir_run_cursor *cursor, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "data file %s, or the one before it in its sorted run, has two rows of one key",
                     cursor->run->files[cursor->next_file - 1]->name);
}

/* Collects groups from all runs. Inlined twice, so that the case of whole keys has no trace of the other. */
static inline __attribute__((always_inline)) int collect(weir_key_groups *state, int64_t max_groups, bool whole,
                                                         weir_error *err)
{
    weir_merge_groups *groups = &state->groups;
    bool has_order = state->source->order.count > 0;
    int64_t most_rows = state->most_rows > 0 ? state->most_rows : INT64_MAX;
    while (groups->group_count < max_groups && groups->row_count < most_rows &&
           state->tree.nodes[0] != WEIR_LOSER_TREE_END) {
        weir_loser_entry group = state->tree.nodes[0];
        weir_loser_entry entry = group;
        int64_t group_start = groups->row_count;
        weir_run_cursor *cursor = &state->cursors[weir_loser_entry_run(entry)];
        append_keys(&state->keys, &cursor->keys, cursor->position, 1);
        do {
            cursor = &state->cursors[weir_loser_entry_run(entry)];
            if (groups->row_count > group_start && groups->runs[groups->row_count - 1] == cursor->number) {
                return fail_repeated_key(cursor, err);
            }
            append_row(state, cursor);
            if (has_order) {
                WEIR_TRY(note_order_values(state, cursor, err));
            }
            WEIR_TRY(advance(state, cursor, whole, err));
            entry = state->tree.nodes[0];
        } while (!starts_group(state, entry, group, whole));
        if (groups->row_count - group_start > 1) {
            order_group(state, group_start);
        }
        groups->group_starts[++groups->group_count] = groups->row_count;
    }
    return WEIR_OK;
}

/* The same of a single run: as much of its block as fits. */
static int collect_single(weir_key_groups *state, int64_t max_groups, weir_error *err)
{
    weir_merge_groups *groups = &state->groups;
    weir_run_cursor *cursor = &state->cursors[0];
    if (cursor->position == cursor->length) {
        WEIR_TRY(weir_run_cursor_next_block(cursor, err));
    }
    int64_t left = cursor->length - cursor->position;
    int64_t count = left < max_groups ? left : max_groups;
    append_keys(&state->keys, &cursor->keys, cursor->position, count);
    memset(groups->runs, 0, (size_t)count * sizeof *groups->runs);
    memcpy(groups->sequence_numbers, WEIR_VALUES(&cursor->sequence_numbers, int64_t) + cursor->position,
           (size_t)count * sizeof *groups->sequence_numbers);
    memcpy(groups->kinds, WEIR_VALUES(&cursor->kinds, int8_t) + cursor->position, (size_t)count);
    for (int64_t i = 0; i < count; i++) {
        groups->rows[i] = cursor->first_row + cursor->position + i;
        groups->group_starts[i + 1] = i + 1;
    }
    for (int64_t i = 0; groups->levels != NULL && i < count; i++) {
        groups->levels[i] = cursor->level;
    }
    groups->row_count = count;
    groups->group_count = count;
    cursor->position += count;
    return WEIR_OK;
}

static int compare_rest(void *context, uint32_t run_a, uint32_t run_b)
{
    const weir_run_cursor *cursors = context;
    return weir_run_cursor_compare_rest(&cursors[run_a], &cursors[run_b]);
}

/* Loads the first block of every run and builds the tree. */
static int start(weir_key_groups *state, weir_error *err)
{
    weir_loser_entry *entries = weir_alloc_zeroed((size_t)state->run_count, sizeof *entries);
    int code;
    for (int32_t r = 0; r < state->run_count; r++) {
        code = weir_run_cursor_next_block(&state->cursors[r], err);
        if (code != WEIR_OK && code != WEIR_END) {
            goto done;
        }
        entries[r] = WEIR_LOSER_TREE_END;
        if (code == WEIR_OK) {
            state->whole = state->cursors[r].keys.whole;
            entries[r] = weir_run_cursor_entry(&state->cursors[r], state->whole);
        }
    }
    code = WEIR_OK;
    state->keys.whole = state->whole;
    state->tree.compare = state->whole ? NULL : compare_rest;
    state->tree.context = state->cursors;
    weir_loser_tree_build(&state->tree, entries, (uint32_t)state->run_count);
    state->started = true;
done:
    free(entries);
    return code;
}

int weir_key_groups_next(weir_key_groups *state, int64_t max_groups, weir_error *err)
{
    if (state->run_count == 0) {
        return WEIR_END;
    }
    if (!state->started) {
        WEIR_TRY(start(state, err));
    }
    for (int32_t r = 0; r < state->run_count; r++) {
        weir_run_cursor_release(&state->cursors[r]);
    }
    clear_window(state, max_groups);
    if (state->run_count == 1) {
        WEIR_TRY(collect_single(state, max_groups, err));
    } else if (state->whole) {
        WEIR_TRY(collect(state, max_groups, true, err));
    } else {
        WEIR_TRY(collect(state, max_groups, false, err));
    }
    return state->groups.group_count == 0 ? WEIR_END : WEIR_OK;
}
