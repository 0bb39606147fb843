/* collect, merge_map, merge_map_with_keytime and nested_update: lists of elements.
 *
 * All elements of a result stand in the values that are folded already, so what is folded is a list of their places.
 * The maps and nested_update have one element a key, collect with `distinct` one a value; they find it by hash.
 *
 * Java keeps such elements in hash tables and gives them out in the order of their slots. That order is kept where it
 * is told by what stays the same from release to release: that of BinaryRow, of text, and of whole numbers. Elsewhere
 * they stand in the order in which they came. */
#include <stdlib.h>

#include "merge/aggregate_fold.h"
#include "vector/bucket.h"
#include "vector/compare.h"

/* Places of elements, and where to find the place of an element with a hash. */
typedef struct element_list {
    uint32_t *items;
    size_t count;
    size_t capacity;
    uint32_t *slots;   /* position in items + 1; 0: free */
    size_t slot_count; /* a power of two */
    bool has_value;
    bool is_merged; /* by more than taking over one row's list */
} element_list;

/* What is the same for all groups. */
typedef struct list_fold {
    const weir_field_aggregate *aggregate;
    const weir_vector *values;
    bool is_keyed;           /* one element a key */
    const weir_vector *keys; /* of the elements: what tells them apart */
    int32_t key_count;
    int32_t *hashes; /* of the elements, by their keys; NULL where none are asked for */
    element_list list;
    element_list other; /* the row's elements, where they come first or are taken back */
} list_fold;

static bool same_key(const list_fold *fold, uint32_t a, uint32_t b)
{
    for (int32_t k = 0; k < fold->key_count; k++) {
        if (!weir_vector_values_equal(&fold->keys[k], a, &fold->keys[k], b)) {
            return false;
        }
    }
    return true;
}

/* --- lists --- */

static void clear_list(element_list *list)
{
    list->count = 0;
    list->has_value = list->is_merged = false;
    if (list->slots != NULL) {
        memset(list->slots, 0, list->slot_count * sizeof *list->slots);
    }
}

static void free_list(element_list *list)
{
    free(list->items);
    free(list->slots);
}

static void append_item(element_list *list, uint32_t item)
{
    WEIR_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = item;
}

/* The slot in which the element stands, or the free one where it belongs. */
static size_t find_slot(const list_fold *fold, const element_list *list, uint32_t item)
{
    size_t slot = (uint32_t)fold->hashes[item] & (list->slot_count - 1);
    while (list->slots[slot] != 0) {
        uint32_t other = list->items[list->slots[slot] - 1];
        if (fold->hashes[other] == fold->hashes[item] && same_key(fold, other, item)) {
            break;
        }
        slot = (slot + 1) & (list->slot_count - 1);
    }
    return slot;
}

/* Makes slots for `count` elements and puts those of the list into them. */
static void make_slots(const list_fold *fold, element_list *list, size_t count)
{
    size_t slot_count = 16;
    while (slot_count < 2 * count) {
        slot_count *= 2;
    }
    if (slot_count > list->slot_count) {
        free(list->slots);
        list->slots = weir_alloc_zeroed(slot_count, sizeof *list->slots);
        list->slot_count = slot_count;
    } else {
        memset(list->slots, 0, list->slot_count * sizeof *list->slots);
    }
    for (size_t i = 0; i < list->count; i++) {
        list->slots[find_slot(fold, list, list->items[i])] = (uint32_t)i + 1;
    }
}

/* Adds an element, or puts it in the place of the one of its key. */
static void put_item(const list_fold *fold, element_list *list, uint32_t item)
{
    if (2 * (list->count + 1) > list->slot_count) {
        make_slots(fold, list, 2 * (list->count + 1));
    }
    size_t slot = find_slot(fold, list, item);
    if (list->slots[slot] != 0) {
        list->items[list->slots[slot] - 1] = item;
        return;
    }
    append_item(list, item);
    list->slots[slot] = (uint32_t)list->count;
}

/* Adds an element unless there is one of its value. */
static void put_new_item(const list_fold *fold, element_list *list, uint32_t item)
{
    if (2 * (list->count + 1) > list->slot_count) {
        make_slots(fold, list, 2 * (list->count + 1));
    }
    size_t slot = find_slot(fold, list, item);
    if (list->slots[slot] == 0) {
        append_item(list, item);
        list->slots[slot] = (uint32_t)list->count;
    }
}

/* --- rows --- */

static void set_list(const list_fold *fold, int64_t row, element_list *list)
{
    list->count = 0;
    list->is_merged = false;
    list->has_value = !weir_vector_is_null(fold->values, row);
    for (int32_t i = fold->values->offsets[row]; list->has_value && i < fold->values->offsets[row + 1]; i++) {
        append_item(list, (uint32_t)i);
    }
}

/* Leaves each element once: the last of a key, the first of a value. */
static void make_distinct(const list_fold *fold, element_list *list)
{
    size_t count = list->count;
    list->count = 0;
    make_slots(fold, list, count + 1);
    for (size_t i = 0; i < count; i++) {
        if (fold->is_keyed) {
            put_item(fold, list, list->items[i]);
        } else {
            put_new_item(fold, list, list->items[i]);
        }
    }
}

static void swap_lists(list_fold *fold)
{
    element_list swap = fold->list;
    fold->list = fold->other;
    fold->other = swap;
}

static bool is_null_element(const list_fold *fold, uint32_t item)
{
    return weir_vector_is_null(&fold->values->children[0], item);
}

/* nested_update has no elements that are NULL. */
static void drop_null_elements(const list_fold *fold, element_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!is_null_element(fold, list->items[i])) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
}

/* As Java compares text: by UTF-16 units, so that characters of two units come before U+E000 to U+FFFF. */
static int compare_as_java(weir_slice a, weir_slice b)
{
    size_t at = 0;
    size_t size = a.size < b.size ? a.size : b.size;
    while (at < size && a.data[at] == b.data[at]) {
        at++;
    }
    if (at == size) {
        return (a.size > b.size) - (a.size < b.size);
    }
    bool a_has_two_units = a.data[at] >= 0xF0;
    bool b_has_two_units = b.data[at] >= 0xF0;
    if (a_has_two_units != b_has_two_units && a.data[at] >= 0xEE && b.data[at] >= 0xEE) {
        return a_has_two_units ? -1 : 1;
    }
    return a.data[at] > b.data[at] ? 1 : -1;
}

/* Of two elements of merge_map_with_keytime. */
static bool is_later(const list_fold *fold, uint32_t item, uint32_t than)
{
    const weir_vector *times = &fold->values->children[1].children[fold->aggregate->time_member];
    return compare_as_java(weir_vector_bytes(times, item), weir_vector_bytes(times, than)) > 0;
}

static bool has_time(const list_fold *fold, uint32_t item)
{
    const weir_vector *values = &fold->values->children[1];
    return !weir_vector_is_null(values, item) &&
           !weir_vector_is_null(&values->children[fold->aggregate->time_member], item);
}

/* merge_map_with_keytime: of each key the value with the later time. A value that is NULL takes its key away, one
 * without a time does nothing. */
static void merge_by_time(const list_fold *fold, element_list *list, const element_list *other)
{
    make_distinct(fold, list);
    uint8_t *gone = weir_alloc_zeroed(list->count + other->count + 1, 1);
    for (size_t i = 0; i < other->count; i++) {
        uint32_t item = other->items[i];
        if (2 * (list->count + 1) > list->slot_count) {
            make_slots(fold, list, 2 * (list->count + 1));
        }
        uint32_t *slot = &list->slots[find_slot(fold, list, item)];
        if (weir_vector_is_null(&fold->values->children[1], item)) {
            if (*slot != 0) {
                gone[*slot - 1] = 1;
            }
        } else if (has_time(fold, item) && *slot == 0) {
            append_item(list, item);
            *slot = (uint32_t)list->count;
        } else if (has_time(fold, item)) {
            uint32_t *there = &list->items[*slot - 1];
            bool replaces = gone[*slot - 1] || !has_time(fold, *there) || is_later(fold, item, *there);
            *there = replaces ? item : *there;
            gone[*slot - 1] = 0;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (!gone[i]) {
            list->items[kept++] = list->items[i];
        }
    }
    list->count = kept;
    list->is_merged = true;
    free(gone);
}

/* list = list and other, one behind the other, of other at most `limit` elements. */
static void concatenate(const list_fold *fold, element_list *list, const element_list *other, size_t limit)
{
    for (size_t i = 0; i < other->count && limit > 0; i++, limit--) {
        append_item(list, other->items[i]);
    }
    if (fold->hashes != NULL) {
        make_distinct(fold, list);
    }
    list->is_merged = true;
}

/* Takes other's elements into the list; both have a value. */
static void merge_lists(list_fold *fold)
{
    element_list *list = &fold->list;
    size_t limit = SIZE_MAX;
    if (fold->aggregate->kind == WEIR_FIELD_MERGE_MAP_WITH_KEYTIME) {
        merge_by_time(fold, list, &fold->other);
        return;
    }
    if (fold->aggregate->kind == WEIR_FIELD_NESTED_UPDATE) {
        size_t most = (size_t)fold->aggregate->count_limit;
        if (list->count >= most) {
            return;
        }
        limit = most - list->count; /* counted with the elements that are NULL */
        drop_null_elements(fold, list);
        drop_null_elements(fold, &fold->other);
    }
    concatenate(fold, list, &fold->other, limit);
}

static void add_row(list_fold *fold, int64_t row, bool is_older)
{
    bool distinct = fold->aggregate->kind == WEIR_FIELD_COLLECT && fold->aggregate->distinct;
    set_list(fold, row, &fold->other);
    if (!fold->list.has_value) {
        swap_lists(fold);
        if (distinct && fold->list.has_value) {
            make_distinct(fold, &fold->list);
            fold->list.is_merged = true;
        }
        return;
    }
    if (!fold->other.has_value) {
        if (distinct) {
            make_distinct(fold, &fold->list);
            fold->list.is_merged = true;
        }
        return;
    }
    /* collect keeps no order, except where ignore-retract wraps it, as in Java. */
    if (is_older && (fold->aggregate->kind != WEIR_FIELD_COLLECT || fold->aggregate->ignore_retract)) {
        swap_lists(fold);
    }
    merge_lists(fold);
}

/* --- taking rows back --- */

/* Whether the element stands among those of `other`; it is taken out there. */
static bool take_out(const list_fold *fold, element_list *other, uint32_t item)
{
    const weir_vector *elements = &fold->values->children[0];
    for (size_t i = 0; i < other->count; i++) {
        if (weir_vector_values_equal(elements, other->items[i], elements, item)) {
            memmove(other->items + i, other->items + i + 1, (other->count - i - 1) * sizeof *other->items);
            other->count--;
            return true;
        }
    }
    return false;
}

static bool has_key(const list_fold *fold, const element_list *other, uint32_t item)
{
    if (fold->hashes != NULL) {
        return other->slots[find_slot(fold, other, item)] != 0;
    }
    for (size_t i = 0; i < other->count; i++) {
        if (same_key(fold, other->items[i], item)) {
            return true;
        }
    }
    return false;
}

static void retract_row(list_fold *fold, int64_t row)
{
    element_list *list = &fold->list;
    element_list *other = &fold->other;
    bool is_nested = fold->aggregate->kind == WEIR_FIELD_NESTED_UPDATE;
    set_list(fold, row, other);
    if (!list->has_value || !other->has_value || (other->count == 0 && !is_nested)) {
        return;
    }
    bool counts = fold->aggregate->kind == WEIR_FIELD_COLLECT;
    if (is_nested) {
        drop_null_elements(fold, list);
        drop_null_elements(fold, other);
    }
    if (fold->hashes != NULL && !counts) {
        make_slots(fold, other, other->count + 1);
    }
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        uint32_t item = list->items[i];
        if (!(counts ? take_out(fold, other, item) : has_key(fold, other, item))) {
            list->items[kept++] = item;
        }
    }
    list->count = kept;
    if (fold->is_keyed) {
        make_distinct(fold, list);
        list->is_merged = true;
    }
}

static int take_step(list_fold *fold, weir_fold_step step, int64_t row, weir_error *err)
{
    if (step == WEIR_STEP_SET || step == WEIR_STEP_SET_RETRACT) {
        set_list(fold, row, &fold->list);
    }
    if (step == WEIR_STEP_ADD || step == WEIR_STEP_ADD_OLDER) {
        add_row(fold, row, step == WEIR_STEP_ADD_OLDER);
    } else if (step >= WEIR_STEP_RETRACT && !fold->aggregate->ignore_retract) {
        if (!weir_field_aggregate_retracts(fold->aggregate)) {
            return weir_field_aggregate_fail_retraction(fold->aggregate, err);
        }
        retract_row(fold, row);
    }
    return WEIR_OK;
}

/* --- the order of Java's hash tables --- */

static uint32_t hash_text(weir_slice text)
{
    uint32_t hash = 42;
    for (size_t i = 0; i < text.size;) {
        bool is_word = text.size - i >= 4;
        uint32_t word = is_word ? weir_load_le32(text.data + i) : (uint32_t)(int32_t)(int8_t)text.data[i];
        word *= 0xcc9e2d51u;
        word = word << 15 | word >> 17;
        hash ^= word * 0x1b873593u;
        hash = hash << 13 | hash >> 19;
        hash = hash * 5 + 0xe6546b64u;
        i += is_word ? 4 : 1;
    }
    hash ^= (uint32_t)text.size;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    return hash ^ hash >> 16;
}

/* The hash by which Java places a collected element; false: not told. */
static bool java_hash(const weir_vector *elements, uint32_t item, uint32_t *out)
{
    if (weir_vector_is_null(elements, item)) {
        *out = 0;
        return !weir_type_is_nested(elements->type);
    }
    switch (elements->type->id) {
    case WEIR_TINYINT:
        *out = (uint32_t)(int32_t)WEIR_VALUES(elements, int8_t)[item];
        return true;
    case WEIR_SMALLINT:
        *out = (uint32_t)(int32_t)WEIR_VALUES(elements, int16_t)[item];
        return true;
    case WEIR_INT:
    case WEIR_DATE:
    case WEIR_TIME:
        *out = (uint32_t)WEIR_VALUES(elements, int32_t)[item];
        return true;
    case WEIR_BIGINT: {
        uint64_t value = (uint64_t)WEIR_VALUES(elements, int64_t)[item];
        *out = (uint32_t)(value ^ value >> 32);
        return true;
    }
    case WEIR_CHAR:
    case WEIR_VARCHAR:
        *out = hash_text(weir_vector_bytes(elements, item));
        return true;
    default:
        return false;
    }
}

static bool slot_hash(const list_fold *fold, uint32_t item, uint32_t *out)
{
    if (fold->aggregate->kind == WEIR_FIELD_NESTED_UPDATE) {
        *out = (uint32_t)fold->hashes[item];
        return true;
    }
    return fold->aggregate->kind == WEIR_FIELD_COLLECT && java_hash(&fold->values->children[0], item, out);
}

static void order_as_java(const list_fold *fold, element_list *list)
{
    uint32_t *hashes = weir_alloc((list->count + 1) * sizeof *hashes);
    bool is_told = true;
    for (size_t i = 0; i < list->count && is_told; i++) {
        is_told = slot_hash(fold, list->items[i], &hashes[i]);
    }
    if (is_told) {
        weir_order_as_java(hashes, list->items, list->count);
    }
    free(hashes);
}

/* --- folding --- */

static int append_list(const list_fold *fold, weir_vector *out, weir_error *err)
{
    if (!fold->list.has_value) {
        return weir_vector_append_nulls(out, 1, err);
    }
    for (int32_t c = 0; c < out->child_count; c++) {
        WEIR_TRY(weir_vector_append_rows(&out->children[c], &fold->values->children[c], fold->list.items,
                                         (int64_t)fold->list.count, err));
    }
    return weir_vector_append_list(out, err);
}

static int fold_groups(list_fold *fold, const weir_fold_rows *rows, weir_vector *out, weir_error *err)
{
    for (int64_t g = 0; g < rows->group_count; g++) {
        clear_list(&fold->list);
        for (int64_t row = rows->group_starts[g]; row < rows->group_starts[g + 1]; row++) {
            WEIR_TRY(take_step(fold, weir_fold_step_of(rows, g, row), row, err));
        }
        if (fold->list.is_merged && fold->hashes != NULL) {
            order_as_java(fold, &fold->list);
        }
        WEIR_TRY(append_list(fold, out, err));
    }
    return WEIR_OK;
}

/* Hashes all elements by what tells them apart. */
static int hash_elements(list_fold *fold, weir_error *err)
{
    int64_t count = fold->values->children[0].length;
    weir_batch keys = {
        .length = count, .columns = (weir_vector *)(uintptr_t)fold->keys, .column_count = fold->key_count};
    int32_t *positions = weir_alloc((size_t)fold->key_count * sizeof *positions + 1);
    for (int32_t k = 0; k < fold->key_count; k++) {
        positions[k] = k;
    }
    int code = weir_alloc_checked((size_t)count + 1, sizeof *fold->hashes, (void **)&fold->hashes, err);
    if (code == WEIR_OK) {
        code = weir_batch_hash(&keys, positions, fold->key_count, fold->hashes, err);
    }
    free(positions);
    return code;
}

int weir_field_aggregate_fold_lists(const weir_field_aggregate *aggregate, const weir_fold_rows *rows,
                                    const weir_vector *values, weir_vector *out, weir_error *err)
{
    const weir_vector *elements = &values->children[0];
    bool has_nested_key = aggregate->nested_count > 0;
    list_fold fold = {
        .aggregate = aggregate,
        .values = values,
        .is_keyed = aggregate->kind == WEIR_FIELD_MERGE_MAP || aggregate->kind == WEIR_FIELD_MERGE_MAP_WITH_KEYTIME ||
                    has_nested_key,
        .key_count = has_nested_key ? aggregate->nested_count : 1,
    };
    weir_vector *keys = weir_alloc_zeroed((size_t)fold.key_count, sizeof *keys); /* borrowed */
    for (int32_t k = 0; k < fold.key_count; k++) {
        keys[k] = has_nested_key ? elements->children[aggregate->nested[k]] : *elements;
    }
    fold.keys = keys;
    int code = WEIR_OK;
    if (fold.is_keyed || (aggregate->kind == WEIR_FIELD_COLLECT && aggregate->distinct)) {
        WEIR_GO(hash_elements(&fold, err));
    }
    WEIR_GO(fold_groups(&fold, rows, out, err));
done:
    free(keys);
    free(fold.hashes);
    free_list(&fold.list);
    free_list(&fold.other);
    return code;
}
