/* nested_partial_update: elements of one key become one, member by member the newest that is not NULL.
 *
 * Members of a result stand in the values that are folded already, in different elements. So what is folded is, of each
 * key, the element that each member comes from. A row's list that meets no other stays as it is, with elements that are
 * NULL or of one key. */
#include <stdlib.h>

#include "merge/aggregate_fold.h"
#include "vector/bucket.h"
#include "vector/compare.h"

/* What is the same for all groups. */
typedef struct element_fold {
    const weir_field_aggregate *aggregate;
    const weir_vector *values;
    const weir_vector *elements; /* rows */
    int32_t *hashes;             /* of the elements, by their keys */
    /* Of the group: */
    uint32_t *items; /* the elements of the lists that meet, in their order */
    size_t item_count, item_capacity;
    int list_count;
    uint32_t *firsts; /* of each key the first element */
    uint32_t *places; /* and of each of its members the element that it comes from */
    size_t key_count, first_capacity, place_capacity;
    uint32_t *slots; /* position in firsts + 1; 0: free */
    size_t slot_count, slot_capacity;
} element_fold;

static int32_t member_count(const element_fold *fold) { return fold->elements->child_count; }

/* --- lists --- */

static void add_list(element_fold *fold, int64_t row, bool comes_first)
{
    const int32_t *offsets = fold->values->offsets;
    if (weir_vector_is_null(fold->values, row)) {
        return;
    }
    size_t count = (size_t)(offsets[row + 1] - offsets[row]);
    WEIR_GROW(fold->items, fold->item_capacity, fold->item_count + count + 1);
    uint32_t *to = fold->items + fold->item_count;
    if (comes_first) {
        memmove(fold->items + count, fold->items, fold->item_count * sizeof *fold->items);
        to = fold->items;
    }
    for (size_t i = 0; i < count; i++) {
        to[i] = (uint32_t)offsets[row] + (uint32_t)i;
    }
    fold->item_count += count;
    fold->list_count++;
}

static int take_step(element_fold *fold, weir_fold_step step, int64_t row, weir_error *err)
{
    if (step == WEIR_STEP_SET || step == WEIR_STEP_SET_RETRACT) {
        fold->item_count = 0;
        fold->list_count = 0;
    }
    if (step != WEIR_STEP_NONE && step != WEIR_STEP_RETRACT && step != WEIR_STEP_RETRACT_OLDER) {
        add_list(fold, row, step == WEIR_STEP_ADD_OLDER);
    }
    return step < WEIR_STEP_RETRACT || fold->aggregate->ignore_retract
               ? WEIR_OK
               : weir_field_aggregate_fail_retraction(fold->aggregate, err);
}

/* --- elements of one key --- */

static bool same_key(const element_fold *fold, uint32_t a, uint32_t b)
{
    for (int32_t k = 0; k < fold->aggregate->nested_count; k++) {
        const weir_vector *member = &fold->elements->children[fold->aggregate->nested[k]];
        if (!weir_vector_values_equal(member, a, member, b)) {
            return false;
        }
    }
    return true;
}

/* The position of the element's key in `firsts`; a new one starts with the element. */
static size_t key_of(element_fold *fold, uint32_t item)
{
    size_t slot = (uint32_t)fold->hashes[item] & (fold->slot_count - 1);
    while (fold->slots[slot] != 0) {
        uint32_t first = fold->firsts[fold->slots[slot] - 1];
        if (fold->hashes[first] == fold->hashes[item] && same_key(fold, first, item)) {
            return fold->slots[slot] - 1;
        }
        slot = (slot + 1) & (fold->slot_count - 1);
    }
    size_t key = fold->key_count++;
    fold->slots[slot] = (uint32_t)fold->key_count;
    fold->firsts[key] = item;
    for (int32_t m = 0; m < member_count(fold); m++) {
        fold->places[key * (size_t)member_count(fold) + (size_t)m] = item;
    }
    return key;
}

static void clear_keys(element_fold *fold)
{
    size_t count = fold->item_count + 1;
    fold->key_count = 0;
    fold->slot_count = 16;
    while (fold->slot_count < 2 * count) {
        fold->slot_count *= 2;
    }
    WEIR_GROW(fold->firsts, fold->first_capacity, count);
    WEIR_GROW(fold->places, fold->place_capacity, count * (size_t)member_count(fold));
    WEIR_GROW(fold->slots, fold->slot_capacity, fold->slot_count);
    memset(fold->slots, 0, fold->slot_count * sizeof *fold->slots);
}

static void merge_items(element_fold *fold)
{
    clear_keys(fold);
    for (size_t i = 0; i < fold->item_count; i++) {
        uint32_t item = fold->items[i];
        if (weir_vector_is_null(fold->elements, item)) {
            continue;
        }
        uint32_t *places = fold->places + key_of(fold, item) * (size_t)member_count(fold);
        for (int32_t m = 0; m < member_count(fold); m++) {
            places[m] = weir_vector_is_null(&fold->elements->children[m], item) ? places[m] : item;
        }
    }
}

/* --- results --- */

/* The keys of the group, in the order of Java's hash table. */
static uint32_t *ordered_keys(const element_fold *fold)
{
    uint32_t *keys = weir_alloc((fold->key_count + 1) * sizeof *keys);
    uint32_t *hashes = weir_alloc((fold->key_count + 1) * sizeof *hashes);
    for (size_t k = 0; k < fold->key_count; k++) {
        keys[k] = (uint32_t)k;
        hashes[k] = (uint32_t)fold->hashes[fold->firsts[k]];
    }
    weir_order_as_java(hashes, keys, fold->key_count);
    free(hashes);
    return keys;
}

/* The element of one key, whose members come from the elements at `places`. */
static int append_element(const element_fold *fold, const uint32_t *places, weir_vector *out, weir_error *err)
{
    for (int32_t m = 0; m < member_count(fold); m++) {
        WEIR_TRY(weir_vector_append_rows(&out->children[m], &fold->elements->children[m], &places[m], 1, err));
    }
    return weir_vector_append_struct(out, err);
}

static int append_merged(const element_fold *fold, weir_vector *out, weir_error *err)
{
    uint32_t *keys = ordered_keys(fold);
    int code = WEIR_OK;
    for (size_t k = 0; k < fold->key_count; k++) {
        const uint32_t *places = fold->places + keys[k] * (size_t)member_count(fold);
        WEIR_GO(append_element(fold, places, &out->children[0], err));
    }
    code = weir_vector_append_list(out, err);
done:
    free(keys);
    return code;
}

static int append_result(element_fold *fold, weir_vector *out, weir_error *err)
{
    if (fold->list_count == 0) {
        return weir_vector_append_nulls(out, 1, err);
    }
    if (fold->list_count == 1) {
        WEIR_TRY(
            weir_vector_append_rows(&out->children[0], fold->elements, fold->items, (int64_t)fold->item_count, err));
        return weir_vector_append_list(out, err);
    }
    merge_items(fold);
    return append_merged(fold, out, err);
}

static int hash_elements(element_fold *fold, weir_error *err)
{
    int64_t count = fold->elements->length;
    weir_batch rows = {.length = count,
                       .columns = (weir_vector *)(uintptr_t)fold->elements->children,
                       .column_count = member_count(fold)};
    WEIR_TRY(weir_alloc_checked((size_t)count + 1, sizeof *fold->hashes, (void **)&fold->hashes, err));
    return weir_batch_hash(&rows, fold->aggregate->nested, fold->aggregate->nested_count, fold->hashes, err);
}

int weir_field_aggregate_fold_elements(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                       const weir_vector *values, weir_vector *out, weir_error *err)
{
    element_fold fold = {.aggregate = aggregate, .values = values, .elements = &values->children[0]};
    int code = WEIR_OK;
    WEIR_GO(hash_elements(&fold, err));
    for (int64_t g = 0; g < rows->group_count; g++) {
        fold.item_count = 0;
        fold.list_count = 0;
        for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {
            WEIR_GO(take_step(&fold, weir_fold_step_of(rows, g, row), row, err));
        }
        WEIR_GO(append_result(&fold, out, err));
    }
done:
    free(fold.hashes);
    free(fold.items);
    free(fold.firsts);
    free(fold.places);
    free(fold.slots);
    return code;
}
