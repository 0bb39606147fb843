/* Merging in two phases: this file opens a merge, turns the groups of phase one into a window of output rows, and gives
 * their columns.
 *
 * Phase one is key_groups.c, what becomes of a group merge_engine.c, phase two selection.c. */
#include "merge/merge_reader.h"

#include <stdlib.h>

#include "base/clock.h"
#include "merge/key_groups.h"
#include "merge/key_range.h"
#include "merge/merge_steps.h"
#include "merge/older_rows.h"
#include "merge/record_expire.h"
#include "merge/selection.h"

/* Rows whose keys are held by all runs together, and the least and most of one run. */
#define ROWS_IN_BLOCKS     ((int64_t)1 << 18)
#define LEAST_BLOCK_ROWS   1024
#define MOST_BLOCK_ROWS    65536
#define ROW_BYTES_IN_BLOCK 64 /* of a usual key; for small budgets */

typedef struct merge_reader {
    weir_merge_reader base;
    weir_arena arena;
    weir_spill *spill; /* what the runs lie in when there were too many; NULL: where they always were */
    weir_merge_source source;
    weir_merge_engine engine;
    weir_fold fold; /* for engines that fold */
    bool keep_deletes;
    bool want_previous;
    int32_t previous_level;
    weir_record_expire expire;
    int64_t now_seconds;
    weir_older_rows older;    /* .older NULL: none are looked up */
    int32_t *value_of_column; /* the value field of each column of the schema that has one */
    int32_t run_count;
    weir_run_cursor *cursors;
    weir_key_groups groups;
    int64_t *picks;
    uint32_t *positions;    /* of the groups that are left */
    size_t window_capacity; /* rows that the window's arrays can hold */
    weir_selection selected;
    weir_selection previous;
} merge_reader;

/* --- opening --- */

/* The columns that files are opened for: those that were asked for, then those that merging needs. */
typedef struct value_plan {
    int32_t *columns;
    int32_t count;
} value_plan;

static bool has_column(const int32_t *columns, int32_t count, int32_t column)
{
    for (int32_t i = 0; i < count; i++) {
        if (columns[i] == column) {
            return true;
        }
    }
    return false;
}

static void add_columns(value_plan *plan, const int32_t *columns, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        if (!has_column(plan->columns, plan->count, columns[i])) {
            plan->columns[plan->count++] = columns[i];
        }
    }
}

/* Versions of the sequence groups that columns are asked of, or that remove rows. */
static void add_versions(value_plan *plan, const weir_merge_engine *engine, int32_t asked)
{
    for (int32_t g = 0; g < engine->group_count; g++) {
        bool is_needed = engine->groups[g].removes_record;
        for (int32_t i = 0; i < asked; i++) {
            is_needed |= engine->columns[plan->columns[i]].group == g;
        }
        if (is_needed) {
            add_columns(plan, engine->groups[g].order_columns, engine->groups[g].order_count);
        }
    }
}

static void plan_values(merge_reader *merge, const int32_t *columns, int32_t column_count)
{
    const weir_schema *schema = merge->source.context->schema;
    weir_merge_source *source = &merge->source;
    value_plan plan = {WEIR_NEW_ARRAY(&merge->arena, int32_t, column_count + schema->field_count + 1), column_count};
    memcpy(plan.columns, columns, (size_t)column_count * sizeof *columns);
    add_versions(&plan, &merge->engine, column_count);
    if (merge->expire.column >= 0) {
        add_columns(&plan, &merge->expire.column, 1);
    }
    if (merge->older.older != NULL) {
        add_columns(&plan, source->order.columns, source->order.count);
    }
    weir_field *values = WEIR_NEW_ARRAY(&merge->arena, weir_field, plan.count + 1);
    merge->value_of_column = WEIR_NEW_ARRAY(&merge->arena, int32_t, schema->field_count + 1);
    for (int32_t i = plan.count - 1; i >= 0; i--) {
        values[i] = schema->fields[plan.columns[i]];
        merge->value_of_column[plan.columns[i]] = i;
    }
    source->value_fields = values;
    source->value_columns = plan.columns;
    source->value_field_count = plan.count;
}

static void plan_keys(merge_reader *merge)
{
    const weir_schema *schema = merge->source.context->schema;
    weir_merge_source *source = &merge->source;
    source->key_count = schema->key_column_count;
    source->key_field_count = source->key_count + 2 + source->order.count;
    weir_field *keys = WEIR_NEW_ARRAY(&merge->arena, weir_field, source->key_field_count);
    source->identity = WEIR_NEW_ARRAY(&merge->arena, int32_t, source->key_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < source->key_count; i++) {
        source->identity[i] = i;
        keys[count++] = schema->fields[schema->key_columns[i]];
    }
    keys[count++] = *weir_sequence_number_field();
    keys[count++] = *weir_value_kind_field();
    for (int32_t i = 0; i < source->order.count; i++) {
        keys[count++] = schema->fields[source->order.columns[i]];
    }
    source->key_fields = keys;
}

static int64_t choose_block_rows(const weir_budget *budget, int32_t run_count)
{
    int64_t rows = ROWS_IN_BLOCKS / (run_count > 0 ? run_count : 1);
    if (budget != NULL) {
        /* An eighth of what is left may go into keys. */
        int64_t affordable = weir_budget_left(budget) / 8 / ROW_BYTES_IN_BLOCK / (run_count > 0 ? run_count : 1);
        rows = affordable < rows ? affordable : rows;
    }
    return rows < LEAST_BLOCK_ROWS ? LEAST_BLOCK_ROWS : rows > MOST_BLOCK_ROWS ? MOST_BLOCK_ROWS : rows;
}

/* The key column that each of the columns asked for is, or -1. */
static int32_t *key_positions(merge_reader *merge)
{
    const weir_merge_source *source = &merge->source;
    int32_t *positions = WEIR_NEW_ARRAY(&merge->arena, int32_t, source->value_field_count + 1);
    for (int32_t i = 0; i < source->value_field_count; i++) {
        positions[i] = -1;
        for (int32_t k = 0; k < source->key_count; k++) {
            if (source->key_fields[k].id == source->value_fields[i].id) {
                positions[i] = k;
            }
        }
    }
    return positions;
}

/* What the engine and the options ask for beside the runs. */
static int plan_merge(merge_reader *merge, const weir_merge_options *options, weir_error *err)
{
    const weir_schema *schema = merge->source.context->schema;
    merge->keep_deletes = options->keep_deletes;
    merge->want_previous = options->want_previous;
    merge->previous_level = options->previous_level > 0 ? options->previous_level : 1;
    merge->source.lower_key = options->lower_key;
    merge->source.upper_key = options->upper_key;
    merge->expire.column = -1;
    WEIR_TRY(weir_merge_engine_of(schema, &merge->arena, &merge->engine, err));
    WEIR_TRY(weir_age_order_of(schema, &merge->arena, &merge->source.order, err));
    if (options->drop_expired && merge->spill == NULL) { /* steps have done it with the rows as they were */
        WEIR_TRY(weir_record_expire_of(schema, &merge->expire, err));
        merge->now_seconds = weir_now_ms() / 1000;
    }
    weir_fold_init(&merge->fold, &merge->engine);
    merge->fold.folds_lone_rows = options->folds_lone_rows;
    return WEIR_OK;
}

static int open_merge(merge_reader *merge, weir_merge_input input, const int32_t *columns, int32_t column_count,
                      const weir_merge_options *options, weir_error *err)
{
    if (options->max_runs > 0 && input.run_count > options->max_runs) {
        WEIR_TRY(weir_merge_steps(&input, columns, options, &merge->arena, &merge->spill, err));
    }
    weir_merge_source *source = &merge->source;
    int32_t run_count = input.run_count;
    source->context = input.context;
    source->block_rows = choose_block_rows(input.context->budget, run_count);
    WEIR_TRY(weir_bucket_path(&merge->arena, &input.context->paths, input.context->schema, input.partition,
                              input.bucket, &source->bucket_path, err));
    WEIR_TRY(plan_merge(merge, options, err));
    if (options->older != NULL) {
        weir_older_rows_init(&merge->older, options->older, input.context->schema, run_count);
    }
    plan_keys(merge);
    plan_values(merge, columns, column_count);
    WEIR_TRY(weir_key_range_find_shared(source, input.runs, run_count, &merge->arena, err));
    if (options->key_predicate != NULL) {
        source->predicate = weir_predicate_map(&merge->arena, options->key_predicate, key_positions(merge));
    }
    merge->cursors = WEIR_NEW_ARRAY(&merge->arena, weir_run_cursor, run_count + 1);
    weir_key_groups_init(&merge->groups, source, merge->cursors, run_count);
    merge->groups.want_levels =
        merge->want_previous || options->older != NULL || weir_merge_engine_needs_levels(&merge->engine);
    for (int32_t r = 0; r < run_count; r++) {
        weir_run_cursor_init(&merge->cursors[r], source, &input.runs[r], (uint32_t)r);
    }
    merge->run_count = run_count;
    weir_older_rows *older = options->older != NULL ? &merge->older : NULL;
    weir_selection_init(&merge->selected, run_count, older);
    weir_selection_init(&merge->previous, run_count, older);
    return WEIR_OK;
}

int weir_merge_open(const weir_table_context *context, weir_slice partition, int32_t bucket,
                    const weir_sorted_run *runs, int32_t run_count, const int32_t *columns, int32_t column_count,
                    const weir_merge_options *options, weir_merge_reader **out, weir_error *err)
{
    static const weir_merge_options no_options = {0};
    if (run_count > WEIR_LOSER_TREE_MAX_RUNS) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%d sorted runs are more than one merge can take (%d): compact the "
                         "table",
                         (int)run_count, WEIR_LOSER_TREE_MAX_RUNS);
    }
    merge_reader *merge = weir_alloc_zeroed(1, sizeof *merge);
    weir_arena_init(&merge->arena);
    weir_merge_input input = {context, partition, bucket, runs, run_count};
    int code = open_merge(merge, input, columns, column_count, options == NULL ? &no_options : options, err);
    if (code != WEIR_OK) {
        weir_merge_close(&merge->base);
        return code;
    }
    *out = &merge->base;
    return WEIR_OK;
}

void weir_merge_close(weir_merge_reader *base)
{
    if (base == NULL) {
        return;
    }
    merge_reader *merge = (merge_reader *)base;
    for (int32_t r = 0; r < merge->run_count; r++) {
        weir_run_cursor_close(&merge->cursors[r]);
    }
    weir_key_groups_free(&merge->groups);
    weir_selection_free(&merge->selected);
    weir_selection_free(&merge->previous);
    weir_older_rows_free(&merge->older);
    weir_fold_free(&merge->fold);
    free(merge->picks);
    free(merge->positions);
    free(base->sequence_numbers);
    free(base->kinds);
    free(base->from_level_zero);
    free(base->met_above_level_zero);
    free(base->has_previous);
    weir_spill_free(merge->spill);
    weir_arena_free(&merge->arena);
    free(merge);
}

/* --- the window --- */

/* Room for `groups` output rows and `rows` rows that they are made of. */
static int reserve_window(merge_reader *merge, int64_t groups, int64_t rows, weir_error *err)
{
    weir_merge_reader *base = &merge->base;
    size_t needed = (size_t)groups;
    WEIR_TRY(weir_selection_reserve(&merge->selected, rows, err));
    if (merge->want_previous) {
        WEIR_TRY(weir_selection_reserve(&merge->previous, groups, err));
    }
    if (needed <= merge->window_capacity) {
        return WEIR_OK;
    }
    merge->picks = weir_realloc(merge->picks, needed * sizeof *merge->picks);
    merge->positions = weir_realloc(merge->positions, needed * sizeof *merge->positions);
    base->sequence_numbers = weir_realloc(base->sequence_numbers, needed * sizeof *base->sequence_numbers);
    base->kinds = weir_realloc(base->kinds, needed * sizeof *base->kinds);
    if (merge->want_previous) {
        base->from_level_zero = weir_realloc(base->from_level_zero, needed * sizeof(bool));
        base->met_above_level_zero = weir_realloc(base->met_above_level_zero, needed * sizeof(bool));
        base->has_previous = weir_realloc(base->has_previous, needed * sizeof(bool));
    }
    merge->window_capacity = needed;
    return WEIR_OK;
}

/* Makes all rows of the groups the selection. */
static int select_groups(merge_reader *merge, weir_error *err)
{
    const weir_merge_groups *groups = &merge->groups.groups;
    WEIR_TRY(weir_selection_reserve(&merge->selected, groups->row_count, err));
    memcpy(merge->selected.runs, groups->runs, (size_t)groups->row_count * sizeof *groups->runs);
    memcpy(merge->selected.run_rows, groups->rows, (size_t)groups->row_count * sizeof *groups->rows);
    merge->selected.count = groups->row_count;
    weir_selection_build(&merge->selected, merge->cursors);
    return WEIR_OK;
}

/* weir_group_rows: a column of the rows selected. */
static int read_selected(void *context, int32_t column, weir_vector *out, weir_error *err)
{
    merge_reader *merge = context;
    return weir_selection_gather(&merge->selected, &merge->source, merge->value_of_column[column], out, err);
}

/* Moves key `from` of the window to `to`, which is not behind it. */
static void move_key(weir_sort_keys *keys, int64_t from, int64_t to)
{
    if (from == to) {
        return;
    }
    keys->prefixes[to] = keys->prefixes[from];
    if (!keys->whole) {
        uint64_t size = keys->offsets[from + 1] - keys->offsets[from];
        memmove(keys->bytes + keys->offsets[to], keys->bytes + keys->offsets[from], size);
        keys->offsets[to + 1] = keys->offsets[to] + size;
    }
}

/* Leaves out rows that have expired, and keys of which no row is left. The groups' rows are selected. */
static int drop_expired(merge_reader *merge, weir_error *err)
{
    weir_merge_groups *groups = &merge->groups.groups;
    weir_vector times;
    weir_vector_init(&times, merge->source.context->schema->fields[merge->expire.column].type);
    int code = read_selected(merge, merge->expire.column, &times, err);
    int64_t kept_groups = 0, kept_rows = 0, start = 0;
    for (int64_t g = 0; g < groups->group_count && code == WEIR_OK; g++) {
        int64_t end = groups->group_starts[g + 1];
        int64_t first_kept = kept_rows;
        for (int64_t row = start; row < end; row++) {
            int64_t seconds = 0;
            if (!weir_record_expire_seconds(&times, row, &seconds) ||
                !weir_record_expire_is_over(&merge->expire, seconds, merge->now_seconds)) {
                weir_merge_groups_move_row(groups, row, kept_rows++);
            }
        }
        start = end;
        if (kept_rows > first_kept) {
            move_key(&merge->groups.keys, g, kept_groups);
            groups->group_starts[++kept_groups] = kept_rows;
        }
    }
    weir_vector_free(&times);
    WEIR_TRY(code);
    groups->group_count = merge->groups.keys.length = kept_groups;
    groups->row_count = kept_rows;
    return WEIR_OK;
}

/* Takes rows out of the groups, and others in, that the runs alone do not tell of. */
static int settle_groups(merge_reader *merge, weir_error *err)
{
    weir_merge_groups *groups = &merge->groups.groups;
    if (merge->expire.column >= 0) {
        WEIR_TRY(select_groups(merge, err));
        WEIR_TRY(drop_expired(merge, err));
    }
    if (merge->older.older != NULL) {
        if (merge->source.order.count > 0) {
            WEIR_TRY(select_groups(merge, err));
        }
        weir_group_rows read = {read_selected, merge};
        WEIR_TRY(weir_older_rows_join(&merge->older, groups, &merge->groups.keys, &merge->source.order, &read, err));
    }
    if (merge->engine.reads_one_level && groups->row_count > groups->group_count) {
        weir_merge_groups_leave_one_level(groups);
    }
    return WEIR_OK;
}

/* Tells of output row `to`, whose key is group `group`, what stands in level 0 and above. */
static void note_previous(merge_reader *merge, int64_t group, int64_t to)
{
    const weir_merge_groups *groups = &merge->groups.groups;
    weir_merge_reader *base = &merge->base;
    int64_t above = -1;
    bool from_level_zero = false;
    for (int64_t row = groups->group_starts[group]; row < groups->group_starts[group + 1]; row++) {
        if (groups->levels[row] < merge->previous_level) {
            from_level_zero = true;
        } else {
            above = row;
        }
    }
    base->from_level_zero[to] = from_level_zero;
    base->met_above_level_zero[to] = above >= 0;
    base->has_previous[to] = from_level_zero && above >= 0 && !weir_row_kind_is_retract(groups->kinds[above]);
    if (base->has_previous[to]) {
        int64_t at = merge->previous.count++;
        merge->previous.runs[at] = groups->runs[above];
        merge->previous.run_rows[at] = groups->rows[above];
    }
}

/* Puts the row of group `group` behind those of the window. */
static void add_row(merge_reader *merge, int64_t group, int8_t kind, int64_t sequence_number)
{
    weir_merge_reader *base = &merge->base;
    int64_t to = base->row_count++;
    base->sequence_numbers[to] = sequence_number;
    base->kinds[to] = kind;
    if (merge->want_previous) {
        note_previous(merge, group, to);
    }
    move_key(&merge->groups.keys, group, to);
}

static bool is_left_out(const merge_reader *merge, int8_t kind)
{
    return !merge->keep_deletes && weir_row_kind_is_retract(kind);
}

/* Of a first-row table nothing comes of a key that older levels have already. */
static bool is_known(const merge_reader *merge, int64_t pick)
{
    return merge->engine.kind == WEIR_MERGE_FIRST_ROW && merge->older.older != NULL &&
           merge->groups.groups.runs[pick] == merge->older.run;
}

/* Takes the picked rows over into the window, without those that are deletes. */
static int pick_rows(merge_reader *merge, weir_error *err)
{
    const weir_merge_groups *groups = &merge->groups.groups;
    weir_selection *selected = &merge->selected;
    WEIR_TRY(weir_merge_engine_pick(&merge->engine, groups, merge->picks, err));
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t pick = merge->picks[g];
        if (pick < 0 || is_left_out(merge, groups->kinds[pick]) || is_known(merge, pick)) {
            continue;
        }
        selected->runs[merge->base.row_count] = groups->runs[pick];
        selected->run_rows[merge->base.row_count] = groups->rows[pick];
        add_row(merge, g, groups->kinds[pick], groups->sequence_numbers[pick]);
    }
    selected->count = merge->base.row_count;
    weir_selection_build(selected, merge->cursors);
    return WEIR_OK;
}

/* The same of engines that fold: the groups' rows stay selected. */
static int fold_rows(merge_reader *merge, weir_error *err)
{
    weir_merge_groups *groups = &merge->groups.groups;
    weir_group_rows read = {read_selected, merge};
    WEIR_TRY(select_groups(merge, err));
    WEIR_TRY(weir_fold_groups(&merge->fold, groups, &read, err));
    for (int64_t g = 0; g < groups->group_count; g++) {
        if (!is_left_out(merge, merge->fold.kinds[g])) {
            merge->positions[merge->base.row_count] = (uint32_t)g;
            add_row(merge, g, merge->fold.kinds[g], merge->fold.sequence_numbers[g]);
        }
    }
    if (merge->base.row_count < groups->group_count) {
        weir_fold_keep(&merge->fold, groups, merge->positions, merge->base.row_count);
        WEIR_TRY(select_groups(merge, err));
    }
    return WEIR_OK;
}

int weir_merge_next(weir_merge_reader *base, int64_t max_rows, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    base->row_count = 0;
    if (max_rows <= 0) {
        return weir_fail(err, WEIR_INVALID, "a merge cannot give windows of %" PRId64 " rows", max_rows);
    }
    bool picks = weir_merge_engine_picks(&merge->engine);
    merge->groups.most_rows = picks ? 0 : max_rows;
    WEIR_TRY(reserve_window(merge, max_rows, max_rows, err));
    while (base->row_count == 0) {
        WEIR_TRY(weir_key_groups_next(&merge->groups, max_rows, err));
        WEIR_TRY(settle_groups(merge, err));
        merge->previous.count = 0;
        WEIR_TRY(picks ? pick_rows(merge, err) : fold_rows(merge, err));
    }
    merge->groups.keys.length = base->row_count;
    base->keys = merge->groups.keys;
    if (merge->want_previous) {
        weir_selection_build(&merge->previous, merge->cursors);
    }
    return WEIR_OK;
}

int weir_merge_keep(weir_merge_reader *base, const uint32_t *rows, int64_t count, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    weir_selection *selected = &merge->selected;
    for (int64_t i = 0; i < count; i++) {
        base->kinds[i] = base->kinds[rows[i]];
    }
    base->row_count = count;
    if (!weir_merge_engine_picks(&merge->engine)) {
        weir_fold_keep(&merge->fold, &merge->groups.groups, rows, count);
        return select_groups(merge, err);
    }
    for (int64_t i = 0; i < count; i++) {
        selected->runs[i] = selected->runs[rows[i]];
        selected->run_rows[i] = selected->run_rows[rows[i]];
    }
    selected->count = count;
    weir_selection_build(selected, merge->cursors);
    return WEIR_OK;
}

int weir_merge_column(weir_merge_reader *base, int32_t column, weir_vector *out, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    if (weir_merge_engine_picks(&merge->engine)) {
        WEIR_TRY_CTX(weir_selection_gather(&merge->selected, &merge->source, column, out, err), err, "column '%s'",
                     merge->source.value_fields[column].name);
        return WEIR_OK;
    }
    weir_group_rows read = {read_selected, merge};
    return weir_fold_column(&merge->fold, &merge->groups.groups, &read, merge->source.value_columns[column], out, err);
}

int weir_merge_previous_column(weir_merge_reader *base, int32_t column, weir_vector *out, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    WEIR_TRY_CTX(weir_selection_gather(&merge->previous, &merge->source, column, out, err), err, "column '%s'",
                 merge->source.value_fields[column].name);
    return WEIR_OK;
}
