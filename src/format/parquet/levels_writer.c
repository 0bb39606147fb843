/* Shredding nested vectors.
 *
 * The way from the column to the leaf is walked one level at a time over all rows: a list of slots, each with its place
 * in the vector of that level and its levels so far, becomes the list of the level below. A slot that is null, or an
 * empty list, has no place below and keeps the definition level that it had reached. Only lists make slots more. */
#include "format/parquet/levels_writer.h"

#include <stdlib.h>

struct weir_level_slot {
    uint32_t place; /* in the vector of this level */
    uint8_t definition;
    uint8_t repetition;
    bool alive;
};

void weir_levels_free(weir_levels *levels)
{
    free(levels->definition);
    free(levels->repetition);
    free(levels->rows);
    free(levels->slots[0]);
    free(levels->slots[1]);
    *levels = (weir_levels){0};
}

weir_leaf_extent weir_levels_extent(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first,
                                    int64_t count)
{
    int64_t ended = 0; /* a list that is empty or null takes a slot without a value */
    for (int32_t i = 0; i < leaf->step_count && count > 0; i++) {
        const weir_write_step *step = &leaf->steps[i];
        if (step->kind == WEIR_WRITE_STEP_LEAF) {
            break;
        }
        if (step->kind == WEIR_WRITE_STEP_LIST) {
            ended += count;
            int64_t end = vector->offsets[first + count];
            first = vector->offsets[first];
            count = end - first;
        }
        vector = &vector->children[step->child];
    }
    return (weir_leaf_extent){vector, first, count, count + ended};
}

static int null_in_required(const weir_write_leaf *leaf, weir_error *err)
{
    weir_buffer where = {0};
    for (int32_t i = 0; i < leaf->path_length; i++) {
        weir_buffer_append_text(&where, i == 0 ? "" : ".");
        weir_buffer_append_text(&where, leaf->path[i]);
    }
    int code =
        weir_fail(err, WEIR_INVALID, "column %s: a NULL where the schema says NOT NULL", weir_buffer_text(&where));
    weir_buffer_free(&where);
    return code;
}

/* Slots whose value is null end here; the others of an optional level are one definition level further. */
static bool end_nulls(const weir_vector *vector, bool optional, weir_level_slot *slots, size_t count)
{
    uint8_t defined = optional ? 1 : 0;
    bool has_nulls = vector->validity != NULL;
    bool legal = true;
    for (size_t i = 0; i < count; i++) {
        weir_level_slot *slot = &slots[i];
        if (slot->alive && has_nulls && !weir_bit_get(vector->validity, slot->place)) {
            slot->alive = false;
            legal = optional;
            if (!legal) {
                break;
            }
        } else if (slot->alive) {
            slot->definition = (uint8_t)(slot->definition + defined);
        }
    }
    return legal;
}

static size_t expanded_count(const int32_t *offsets, const weir_level_slot *slots, size_t count)
{
    size_t expanded = 0;
    for (size_t i = 0; i < count; i++) {
        int32_t length = slots[i].alive ? offsets[slots[i].place + 1] - offsets[slots[i].place] : 0;
        expanded += length > 0 ? (size_t)length : 1;
    }
    return expanded;
}

/* One slot for each element; one that has ended, or is an empty list, stays one. */
static void expand_lists(const int32_t *offsets, uint8_t repetition_level, const weir_level_slot *slots, size_t count,
                         weir_level_slot *out)
{
    for (size_t i = 0; i < count; i++) {
        weir_level_slot slot = slots[i];
        int32_t from = slot.alive ? offsets[slot.place] : 0;
        int32_t to = slot.alive ? offsets[slot.place + 1] : 0;
        if (from == to) {
            slot.alive = false;
            *out++ = slot;
            continue;
        }
        slot.definition++;
        for (int32_t place = from; place < to; place++) {
            slot.place = (uint32_t)place;
            *out++ = slot;
            slot.repetition = repetition_level;
        }
    }
}

static void put_levels(const weir_level_slot *slots, size_t count, weir_levels *levels)
{
    if (count > levels->capacity) {
        levels->capacity = 2 * count;
        levels->definition = weir_realloc(levels->definition, levels->capacity);
        levels->repetition = weir_realloc(levels->repetition, levels->capacity);
        levels->rows = weir_realloc(levels->rows, levels->capacity * sizeof *levels->rows);
    }
    size_t row_count = 0;
    for (size_t i = 0; i < count; i++) {
        levels->definition[i] = slots[i].definition;
        levels->repetition[i] = slots[i].repetition;
        levels->rows[row_count] = slots[i].place;
        row_count += slots[i].alive;
    }
    levels->count = count;
    levels->row_count = row_count;
    levels->null_count = count - row_count;
}

int weir_levels_shred(const weir_write_leaf *leaf, const weir_vector *vector, int64_t first, int64_t count,
                      weir_levels *levels, weir_error *err)
{
    size_t slot_count = (size_t)count;
    int current = 0;
    WEIR_GROW(levels->slots[0], levels->slot_capacity[0], slot_count);
    for (size_t i = 0; i < slot_count; i++) {
        levels->slots[0][i] = (weir_level_slot){.place = (uint32_t)(first + (int64_t)i), .alive = true};
    }
    for (int32_t i = 0; i < leaf->step_count; i++) {
        const weir_write_step *step = &leaf->steps[i];
        if (!end_nulls(vector, step->optional, levels->slots[current], slot_count)) {
            return null_in_required(leaf, err);
        }
        if (step->kind == WEIR_WRITE_STEP_LEAF) {
            break;
        }
        if (step->kind == WEIR_WRITE_STEP_LIST) {
            int below = 1 - current;
            size_t expanded = expanded_count(vector->offsets, levels->slots[current], slot_count);
            WEIR_GROW(levels->slots[below], levels->slot_capacity[below], expanded);
            expand_lists(vector->offsets, step->repetition_level, levels->slots[current], slot_count,
                         levels->slots[below]);
            slot_count = expanded;
            current = below;
        }
        vector = &vector->children[step->child];
    }
    put_levels(levels->slots[current], slot_count, levels);
    levels->leaf_vector = vector;
    return WEIR_OK;
}
