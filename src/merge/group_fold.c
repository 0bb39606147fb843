/* What the rows of each key do, and folding columns by it; see the header.
 *
 * partial-update's rules, as org.apache.paimon.mergetree.compact.PartialUpdateMergeFunction has them:
 * - A key whose first row is a -U or -D begins with that row's values, also where the row is ignored otherwise.
 * - A row changes a sequence group when its version has a value and is not older than the group's. Of an older row only
 *   functions take notice. A row without a version leaves the group alone.
 * - A -U or -D that is not older takes the version, makes plain columns NULL and is retracted from functions. Outside
 * of groups it does nothing. */
#include "merge/group_fold.h"

#include <stdlib.h>

#include "vector/compare.h"

/* What rows do to the columns of one sequence group, or to those outside of all. */
struct weir_step_list {
    bool is_ready;
    bool only_adds; /* steps are not filled in: all rows add */
    uint8_t *steps;
    size_t capacity;
};

void weir_fold_init(weir_fold *fold, const weir_merge_engine *engine)
{
    *fold = (weir_fold){.engine = engine, .list_count = 1 + engine->group_count};
    fold->lists = weir_alloc_zeroed((size_t)fold->list_count, sizeof *fold->lists);
}

void weir_fold_free(weir_fold *fold)
{
    for (int32_t i = 0; i < fold->list_count; i++) {
        free(fold->lists[i].steps);
    }
    free(fold->lists);
    free(fold->kinds);
    free(fold->sequence_numbers);
    free(fold->resets);
    if (fold->values.type != NULL) {
        weir_vector_free(&fold->values);
    }
    *fold = (weir_fold){0};
}

/* Whether the group's row stays as it is. */
static bool is_lone(const weir_fold *fold, const weir_merge_groups *groups, int64_t group)
{
    return !fold->folds_lone_rows && groups->group_starts[group + 1] - groups->group_starts[group] == 1;
}

/* --- versions of sequence groups --- */

typedef struct version_columns {
    weir_vector *vectors;
    int32_t count;
} version_columns;

static void free_versions(version_columns *versions)
{
    for (int32_t i = 0; i < versions->count; i++) {
        weir_vector_free(&versions->vectors[i]);
    }
    free(versions->vectors);
    *versions = (version_columns){0};
}

/* Reads the version of every row. On failure too what is there must be freed. */
static int read_versions(const weir_fold *fold, const weir_group_rows *rows, int32_t group, version_columns *out,
                         weir_error *err)
{
    const weir_sequence_group *sequence = &fold->engine->groups[group];
    *out = (version_columns){.vectors = weir_alloc_zeroed((size_t)sequence->order_count, sizeof(weir_vector))};
    for (int32_t i = 0; i < sequence->order_count; i++) {
        int32_t column = sequence->order_columns[i];
        weir_vector_init(&out->vectors[i], fold->engine->schema->fields[column].type);
        out->count++;
        WEIR_TRY(rows->read(rows->context, column, &out->vectors[i], err));
    }
    return WEIR_OK;
}

static bool has_version(const version_columns *versions, int64_t row)
{
    for (int32_t i = 0; i < versions->count; i++) {
        if (!weir_vector_is_null(&versions->vectors[i], row)) {
            return true;
        }
    }
    return false;
}

/* Whether the row's version is not older than that of row `current` (-1: there is none yet). */
static bool is_not_older(const version_columns *versions, int64_t row, int64_t current)
{
    for (int32_t i = 0; i < versions->count && current >= 0; i++) {
        int order = weir_vector_compare(&versions->vectors[i], row, &versions->vectors[i], current);
        if (order != 0) {
            return order > 0;
        }
    }
    return true;
}

/* --- rows with which a key begins anew --- */

/* The sequence groups whose -D removes the row. */
typedef struct removing_groups {
    version_columns *versions;
    int64_t *current; /* the row whose version each has; -1: none */
    int32_t count;
} removing_groups;

static void set_current(removing_groups *removing, int64_t row)
{
    for (int32_t i = 0; i < removing->count; i++) {
        removing->current[i] = row;
    }
}

static bool row_removes(const removing_groups *removing, int64_t row)
{
    for (int32_t i = 0; i < removing->count; i++) {
        if (has_version(&removing->versions[i], row) &&
            is_not_older(&removing->versions[i], row, removing->current[i])) {
            return true;
        }
    }
    return false;
}

static void take_versions(removing_groups *removing, int64_t row)
{
    for (int32_t i = 0; i < removing->count; i++) {
        if (has_version(&removing->versions[i], row) &&
            is_not_older(&removing->versions[i], row, removing->current[i])) {
            removing->current[i] = row;
        }
    }
}

static void mark_resets(const weir_merge_groups *groups, removing_groups *removing, uint8_t *resets)
{
    for (int64_t g = 0; g < groups->group_count; g++) {
        set_current(removing, -1);
        int64_t start = groups->group_starts[g];
        if (weir_row_kind_is_retract(groups->kinds[start])) {
            set_current(removing, start);
        }
        for (int64_t row = start; row < groups->group_starts[g + 1]; row++) {
            resets[row] = groups->kinds[row] == WEIR_DELETE && row_removes(removing, row);
            if (resets[row]) {
                set_current(removing, row);
            } else {
                take_versions(removing, row);
            }
        }
    }
}

static int find_resets(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows, weir_error *err)
{
    const weir_merge_engine *engine = fold->engine;
    removing_groups removing = {
        .versions = weir_alloc_zeroed((size_t)engine->group_count + 1, sizeof(version_columns)),
        .current = weir_alloc_zeroed((size_t)engine->group_count + 1, sizeof(int64_t)),
    };
    int code = WEIR_OK;
    for (int32_t g = 0; g < engine->group_count; g++) {
        if (engine->groups[g].removes_record) {
            WEIR_GO(read_versions(fold, rows, g, &removing.versions[removing.count++], err));
        }
    }
    if (removing.count > 0) {
        fold->resets = weir_realloc(fold->resets, (size_t)groups->row_count + 1);
        mark_resets(groups, &removing, fold->resets);
    }
done:
    for (int32_t i = 0; i < removing.count; i++) {
        free_versions(&removing.versions[i]);
    }
    free(removing.versions);
    free(removing.current);
    return code;
}

/* --- steps --- */

static uint8_t *reserve_steps(struct weir_step_list *list, int64_t rows)
{
    WEIR_GROW(list->steps, list->capacity, rows + 1);
    list->is_ready = true;
    list->only_adds = false;
    return list->steps;
}

/* One key of several rows: its kind, its sequence number, and what its rows do outside of sequence groups. */
static int fold_updates(weir_fold *fold, const weir_merge_groups *groups, int64_t group, uint8_t *steps,
                        weir_error *err)
{
    const weir_merge_engine *engine = fold->engine;
    bool has_begun = false;
    bool has_add = false;
    bool is_deleted = false;
    for (int64_t row = groups->group_starts[group]; row < groups->group_starts[group + 1]; row++) {
        bool is_retraction = weir_row_kind_is_retract(groups->kinds[row]);
        if (is_retraction && !engine->ignore_delete) {
            WEIR_TRY(weir_merge_engine_check_retraction(engine, groups->kinds[row], err));
        }
        is_deleted = (fold->resets != NULL && fold->resets[row]) ||
                     (engine->remove_record_on_delete && groups->kinds[row] == WEIR_DELETE);
        steps[row] = !is_retraction ? WEIR_STEP_ADD : is_deleted || !has_begun ? WEIR_STEP_SET : WEIR_STEP_NONE;
        if (!is_retraction || !engine->ignore_delete) {
            fold->sequence_numbers[group] = groups->sequence_numbers[row];
        }
        has_begun = true;
        has_add |= !is_retraction;
    }
    fold->kinds[group] = is_deleted || !has_add ? WEIR_DELETE : WEIR_INSERT;
    return WEIR_OK;
}

static void fold_aggregates(weir_fold *fold, const weir_merge_groups *groups, int64_t group, uint8_t *steps)
{
    int64_t newest = groups->group_starts[group + 1] - 1;
    bool removes = fold->engine->remove_record_on_delete;
    for (int64_t row = groups->group_starts[group]; row <= newest; row++) {
        int8_t kind = groups->kinds[row];
        steps[row] = !weir_row_kind_is_retract(kind)  ? WEIR_STEP_ADD
                     : removes && kind == WEIR_DELETE ? WEIR_STEP_SET
                                                      : WEIR_STEP_RETRACT;
    }
    fold->kinds[group] = removes && groups->kinds[newest] == WEIR_DELETE ? WEIR_DELETE : WEIR_INSERT;
}

static bool has_retractions(const weir_merge_groups *groups)
{
    bool found = false;
    for (int64_t row = 0; row < groups->row_count; row++) {
        found |= weir_row_kind_is_retract(groups->kinds[row]);
    }
    return found;
}

/* Where nothing is retracted: what the newest row says is all there is to say. */
static void fold_plainly(weir_fold *fold, const weir_merge_groups *groups)
{
    fold->lists[0].is_ready = fold->lists[0].only_adds = true;
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t newest = groups->group_starts[g + 1] - 1;
        fold->kinds[g] = is_lone(fold, groups, g) ? groups->kinds[newest] : (int8_t)WEIR_INSERT;
        fold->sequence_numbers[g] = groups->sequence_numbers[newest];
    }
}

int weir_fold_groups(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows, weir_error *err)
{
    if ((size_t)groups->group_count > fold->group_capacity) {
        fold->group_capacity = (size_t)groups->group_count;
        fold->kinds = weir_realloc(fold->kinds, fold->group_capacity);
        fold->sequence_numbers = weir_realloc(fold->sequence_numbers, fold->group_capacity * sizeof(int64_t));
    }
    for (int32_t i = 0; i < fold->list_count; i++) {
        fold->lists[i].is_ready = false;
    }
    free(fold->resets);
    fold->resets = NULL;
    if (!has_retractions(groups)) {
        fold_plainly(fold, groups);
        return WEIR_OK;
    }
    WEIR_TRY(find_resets(fold, groups, rows, err));
    uint8_t *steps = reserve_steps(&fold->lists[0], groups->row_count);
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t newest = groups->group_starts[g + 1] - 1;
        fold->sequence_numbers[g] = groups->sequence_numbers[newest];
        if (is_lone(fold, groups, g)) {
            fold->kinds[g] = groups->kinds[newest];
            steps[newest] = WEIR_STEP_SET;
        } else if (fold->engine->kind == WEIR_MERGE_AGGREGATION) {
            fold_aggregates(fold, groups, g, steps);
        } else {
            WEIR_TRY(fold_updates(fold, groups, g, steps, err));
        }
    }
    return WEIR_OK;
}

/* What one row does to a sequence group whose version is that of row *current. */
static uint8_t group_step(const weir_fold *fold, const weir_merge_groups *groups, const version_columns *versions,
                          int64_t row, bool is_first, int64_t *current)
{
    bool is_retraction = weir_row_kind_is_retract(groups->kinds[row]);
    bool begins = is_retraction && is_first;
    if (begins || (fold->resets != NULL && fold->resets[row])) {
        *current = row;
    }
    if (fold->resets != NULL && fold->resets[row]) {
        return WEIR_STEP_SET;
    }
    if ((is_retraction && fold->engine->ignore_delete) || !has_version(versions, row)) {
        return begins ? WEIR_STEP_SET : WEIR_STEP_NONE;
    }
    if (!is_not_older(versions, row, *current)) {
        return is_retraction ? WEIR_STEP_RETRACT_OLDER : WEIR_STEP_ADD_OLDER;
    }
    *current = row;
    return !is_retraction ? WEIR_STEP_ADD : begins ? WEIR_STEP_SET_RETRACT : WEIR_STEP_RETRACT;
}

/* What the rows do to sequence group `group`. */
static int find_group_steps(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows,
                            int32_t group, weir_error *err)
{
    version_columns versions = {0};
    int code = read_versions(fold, rows, group, &versions, err);
    if (code != WEIR_OK) {
        free_versions(&versions);
        return code;
    }
    struct weir_step_list *list = &fold->lists[1 + group];
    uint8_t *steps = reserve_steps(list, groups->row_count);
    uint8_t others = 0; /* than ADD */
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t start = groups->group_starts[g];
        int64_t current = -1;
        if (is_lone(fold, groups, g)) {
            steps[start] = WEIR_STEP_SET;
            continue;
        }
        for (int64_t row = start; row < groups->group_starts[g + 1]; row++) {
            steps[row] = group_step(fold, groups, &versions, row, row == start, &current);
            others |= steps[row] ^ WEIR_STEP_ADD;
        }
    }
    list->only_adds = others == 0;
    free_versions(&versions);
    return WEIR_OK;
}

/* --- leaving some, and columns --- */

void weir_fold_keep(weir_fold *fold, weir_merge_groups *groups, const uint32_t *positions, int64_t count)
{
    int64_t kept_rows = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t group = positions[i];
        int64_t end = groups->group_starts[group + 1];
        for (int64_t row = groups->group_starts[group]; row < end; row++, kept_rows++) {
            weir_merge_groups_move_row(groups, row, kept_rows);
            for (int32_t l = 0; l < fold->list_count; l++) {
                const struct weir_step_list *list = &fold->lists[l];
                if (list->is_ready && !list->only_adds) {
                    list->steps[kept_rows] = list->steps[row];
                }
            }
            if (fold->resets != NULL) {
                fold->resets[kept_rows] = fold->resets[row];
            }
        }
        groups->group_starts[i + 1] = kept_rows;
        fold->kinds[i] = fold->kinds[group];
        fold->sequence_numbers[i] = fold->sequence_numbers[group];
    }
    groups->group_count = count;
    groups->row_count = kept_rows;
}

static weir_vector *prepare_values(weir_fold *fold, const weir_type *type)
{
    if (fold->values.type != type) {
        if (fold->values.type != NULL) {
            weir_vector_free(&fold->values);
        }
        weir_vector_init(&fold->values, type);
    }
    weir_vector_clear(&fold->values);
    return &fold->values;
}

/* Whether a column of lone rows is what it was, were they folded or not. */
static bool lone_values_stay(const weir_fold *fold, const weir_column_merge *merge)
{
    if (!fold->folds_lone_rows) {
        return true;
    }
    weir_field_aggregate_kind kind = merge->aggregate.kind;
    bool makes_distinct = kind == WEIR_FIELD_COLLECT || kind == WEIR_FIELD_MERGE_MAP || kind == WEIR_FIELD_NESTED_UPDATE;
    return merge->group < 0 && fold->lists[0].only_adds && !makes_distinct;
}

int weir_fold_column(weir_fold *fold, const weir_merge_groups *groups, const weir_group_rows *rows, int32_t column,
                     weir_vector *out, weir_error *err)
{
    const weir_column_merge *merge = &fold->engine->columns[column];
    if (groups->row_count == groups->group_count && lone_values_stay(fold, merge)) {
        return rows->read(rows->context, column, out, err);
    }
    struct weir_step_list *list = &fold->lists[1 + merge->group];
    if (!list->is_ready) {
        WEIR_TRY(find_group_steps(fold, groups, rows, merge->group, err));
    }
    const weir_field *field = &fold->engine->schema->fields[column];
    weir_vector *values = prepare_values(fold, field->type);
    WEIR_TRY(rows->read(rows->context, column, values, err));
    weir_fold_rows folded = {groups->group_count, groups->group_starts, list->steps, list->only_adds,
                             fold->folds_lone_rows};
    WEIR_TRY_CTX(weir_field_aggregate_fold(&merge->aggregate, &folded, values, out, err), err, "column '%s'",
                 field->name);
    return WEIR_OK;
}
