/* The engines that pick a row, and leaving out rows of levels that a lower one has taken in. What options ask for is
 * read by engine_options.c, rows are folded by group_fold.c. */
#include "merge/merge_engine.h"

#include <stdlib.h>

static void pick_newest(const weir_merge_groups *groups, int64_t *out_picks)
{
    for (int64_t g = 0; g < groups->group_count; g++) {
        out_picks[g] = groups->group_starts[g + 1] - 1;
    }
}

/* The newest row that is no delete. */
static void pick_newest_add(const weir_merge_groups *groups, int64_t *out_picks)
{
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t start = groups->group_starts[g];
        int64_t pick = groups->group_starts[g + 1] - 1;
        while (pick >= start && weir_row_kind_is_retract(groups->kinds[pick])) {
            pick--;
        }
        out_picks[g] = pick >= start ? pick : -1;
    }
}

/* Whether every function of an aggregation can take a row back. */
static int check_functions(const weir_merge_engine *engine, weir_error *err)
{
    for (int32_t c = 0; c < engine->schema->field_count; c++) {
        const weir_field_aggregate *aggregate = &engine->columns[c].aggregate;
        if (!weir_field_aggregate_retracts(aggregate)) {
            return weir_error_context(err, weir_field_aggregate_fail_retraction(aggregate, err), "column '%s'",
                                      engine->schema->fields[c].name);
        }
    }
    return WEIR_OK;
}

int weir_merge_engine_check_retraction(const weir_merge_engine *engine, int8_t kind, weir_error *err)
{
    switch (engine->kind) {
    case WEIR_MERGE_FIRST_ROW:
        return weir_fail(err, WEIR_INVALID,
                         "By default, First row merge engine can not accept DELETE/UPDATE_BEFORE records. You can "
                         "config 'ignore-delete' to ignore the DELETE/UPDATE_BEFORE records.");
    case WEIR_MERGE_PARTIAL_UPDATE:
        if (engine->group_count > 0 || engine->remove_record_on_delete) {
            return WEIR_OK;
        }
        return weir_fail(
            err, WEIR_INVALID,
            "By default, Partial update can not accept delete records, you can choose one of the following "
            "solutions: 1. Configure 'ignore-delete' to ignore delete records. 2. Configure "
            "'partial-update.remove-record-on-delete' to remove the whole row when receiving delete records. 3. "
            "Configure 'sequence-group's to retract partial columns. Also configure "
            "'partial-update.remove-record-on-sequence-group' to remove the whole row when receiving deleted records "
            "of `specified sequence group`.");
    case WEIR_MERGE_AGGREGATION:
        return engine->remove_record_on_delete && kind == WEIR_DELETE ? WEIR_OK : check_functions(engine, err);
    default:
        return WEIR_OK;
    }
}

/* The row of a group that lies above level 0: it was the first to get there, and has been told. Of several writers one
 * may come with a lesser sequence number later. -1: there is none. */
static int64_t find_told(const weir_merge_groups *groups, int64_t start, int64_t end)
{
    for (int64_t row = start; row < end && groups->levels != NULL; row++) {
        if (groups->levels[row] > 0 && !weir_row_kind_is_retract(groups->kinds[row])) {
            return row;
        }
    }
    return -1;
}

static int pick_oldest_add(const weir_merge_engine *engine, const weir_merge_groups *groups, int64_t *out_picks,
                           weir_error *err)
{
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t start = groups->group_starts[g];
        int64_t end = groups->group_starts[g + 1];
        out_picks[g] = find_told(groups, start, end);
        if (out_picks[g] >= 0) {
            continue;
        }
        for (int64_t row = end - 1; row >= start; row--) {
            if (!weir_row_kind_is_retract(groups->kinds[row]) || (end - start == 1 && !engine->ignore_delete)) {
                out_picks[g] = row;
            } else if (!engine->ignore_delete) {
                return weir_merge_engine_check_retraction(engine, groups->kinds[row], err);
            }
        }
    }
    return WEIR_OK;
}

int weir_merge_engine_pick(const weir_merge_engine *engine, const weir_merge_groups *groups, int64_t *out_picks,
                           weir_error *err)
{
    if (engine->kind == WEIR_MERGE_FIRST_ROW) {
        return pick_oldest_add(engine, groups, out_picks, err);
    }
    if (engine->ignore_delete) {
        pick_newest_add(groups, out_picks);
    } else {
        pick_newest(groups, out_picks);
    }
    return WEIR_OK;
}

/* The row of the least level above 0 among rows first .. end - 1, or -1. */
static int64_t least_level_row(const weir_merge_groups *groups, int64_t first, int64_t end)
{
    int64_t least = -1;
    for (int64_t row = first; row < end; row++) {
        if (groups->levels[row] > 0 && (least < 0 || groups->levels[row] < groups->levels[least])) {
            least = row;
        }
    }
    return least;
}

void weir_merge_groups_reserve(weir_merge_groups *groups, size_t rows, bool with_levels)
{
    if (rows <= groups->row_capacity) {
        return;
    }
    size_t capacity = groups->row_capacity * 2 > rows ? groups->row_capacity * 2 : rows;
    groups->runs = weir_realloc(groups->runs, capacity * sizeof *groups->runs);
    groups->rows = weir_realloc(groups->rows, capacity * sizeof *groups->rows);
    groups->sequence_numbers = weir_realloc(groups->sequence_numbers, capacity * sizeof *groups->sequence_numbers);
    groups->kinds = weir_realloc(groups->kinds, capacity * sizeof *groups->kinds);
    if (with_levels) {
        groups->levels = weir_realloc(groups->levels, capacity * sizeof *groups->levels);
    }
    groups->row_capacity = capacity;
}

void weir_merge_groups_free(weir_merge_groups *groups)
{
    free(groups->group_starts);
    free(groups->runs);
    free(groups->rows);
    free(groups->sequence_numbers);
    free(groups->kinds);
    free(groups->levels);
    *groups = (weir_merge_groups){0};
}

void weir_merge_groups_move_row(weir_merge_groups *groups, int64_t from, int64_t to)
{
    groups->runs[to] = groups->runs[from];
    groups->rows[to] = groups->rows[from];
    groups->sequence_numbers[to] = groups->sequence_numbers[from];
    groups->kinds[to] = groups->kinds[from];
    if (groups->levels != NULL) {
        groups->levels[to] = groups->levels[from];
    }
}

void weir_merge_groups_leave_one_level(weir_merge_groups *groups)
{
    int64_t kept = 0;
    int64_t start = 0;
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t end = groups->group_starts[g + 1];
        int64_t least = least_level_row(groups, start, end);
        for (int64_t row = start; row < end; row++) {
            if (groups->levels[row] <= 0 || row == least) {
                weir_merge_groups_move_row(groups, row, kept++);
            }
        }
        start = end;
        groups->group_starts[g + 1] = kept;
    }
    groups->row_count = kept;
}
