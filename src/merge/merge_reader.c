/* Merging in two phases: this file opens a merge, turns the groups of phase one into a window of output rows, and gives
 * their columns.
 *
 * Phase one is key_groups.c, what becomes of a group merge_engine.c, phase two selection.c. */
#include "merge/merge_reader.h"

#include <stdlib.h>
#include <strings.h>

#include "merge/key_groups.h"
#include "merge/key_range.h"
#include "merge/merge_steps.h"
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
    bool keep_deletes;
    bool want_previous;
    bool order_descending; /* of sequence.field */
    int32_t run_count;
    weir_run_cursor *cursors;
    weir_key_groups groups;
    int64_t *picks;
    size_t window_capacity; /* rows that the window's arrays can hold */
    weir_selection selected;
    weir_selection previous;
} merge_reader;

/* --- opening --- */

/* The columns of sequence.field. */
static int read_order_columns(const weir_schema *schema, weir_arena *arena, int32_t **out, int32_t *out_count,
                              bool *out_descending, weir_error *err)
{
    *out_count = 0;
    *out = WEIR_NEW_ARRAY(arena, int32_t, schema->field_count + 1);
    const char *text = weir_options_get(&schema->options, "sequence.field");
    char *names = weir_arena_strdup(arena, text);
    char *rest = NULL;
    for (char *name = names == NULL ? NULL : strtok_r(names, ", ", &rest); name != NULL;
         name = strtok_r(NULL, ", ", &rest)) {
        int32_t column = weir_schema_column(schema, name);
        if (column < 0 || *out_count == schema->field_count) {
            return weir_fail(err, WEIR_INVALID, "sequence.field = '%s': the table has no column '%s'", text, name);
        }
        (*out)[(*out_count)++] = column;
    }
    const char *order = weir_options_get(&schema->options, "sequence.field.sort-order");
    *out_descending = order != NULL && strcasecmp(order, "descending") == 0;
    return WEIR_OK;
}

static int plan_fields(merge_reader *merge, const int32_t *columns, int32_t column_count, weir_error *err)
{
    const weir_schema *schema = merge->source.context->schema;
    weir_merge_source *source = &merge->source;
    int32_t *order_columns = NULL;
    WEIR_TRY(
        read_order_columns(schema, &merge->arena, &order_columns, &source->order_count, &merge->order_descending, err));
    source->key_count = schema->key_column_count;
    source->key_field_count = source->key_count + 2 + source->order_count;
    weir_field *keys = WEIR_NEW_ARRAY(&merge->arena, weir_field, source->key_field_count);
    source->identity = WEIR_NEW_ARRAY(&merge->arena, int32_t, source->key_count + 1);
    int32_t count = 0;
    for (int32_t i = 0; i < source->key_count; i++) {
        source->identity[i] = i;
        keys[count++] = schema->fields[schema->key_columns[i]];
    }
    keys[count++] = *weir_sequence_number_field();
    keys[count++] = *weir_value_kind_field();
    for (int32_t i = 0; i < source->order_count; i++) {
        keys[count++] = schema->fields[order_columns[i]];
    }
    source->key_fields = keys;
    weir_field *values = WEIR_NEW_ARRAY(&merge->arena, weir_field, column_count + 1);
    for (int32_t i = 0; i < column_count; i++) {
        values[i] = schema->fields[columns[i]];
    }
    source->value_fields = values;
    source->value_field_count = column_count;
    return WEIR_OK;
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

static void take_options(merge_reader *merge, const weir_merge_options *options)
{
    merge->keep_deletes = options->keep_deletes;
    merge->want_previous = options->want_previous;
    merge->source.lower_key = options->lower_key;
    merge->source.upper_key = options->upper_key;
    if (options->key_predicate != NULL) {
        merge->source.predicate = weir_predicate_map(&merge->arena, options->key_predicate, key_positions(merge));
    }
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
    WEIR_TRY(plan_fields(merge, columns, column_count, err));
    WEIR_TRY(weir_key_range_find_shared(source, input.runs, run_count, &merge->arena, err));
    take_options(merge, options);
    merge->cursors = WEIR_NEW_ARRAY(&merge->arena, weir_run_cursor, run_count + 1);
    weir_key_groups_init(&merge->groups, source, merge->cursors, run_count);
    merge->groups.order_descending = merge->order_descending;
    merge->groups.want_levels = merge->want_previous;
    for (int32_t r = 0; r < run_count; r++) {
        weir_run_cursor_init(&merge->cursors[r], source, &input.runs[r], (uint32_t)r);
    }
    merge->run_count = run_count;
    weir_selection_init(&merge->selected, run_count);
    weir_selection_init(&merge->previous, run_count);
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
    int code = weir_merge_engine_of(context->schema, &merge->engine, err);
    if (code == WEIR_OK) {
        code = open_merge(merge, input, columns, column_count, options == NULL ? &no_options : options, err);
    }
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
    free(merge->picks);
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

static int reserve_window(merge_reader *merge, int64_t rows, weir_error *err)
{
    weir_merge_reader *base = &merge->base;
    WEIR_TRY(weir_selection_reserve(&merge->selected, rows, err));
    size_t needed = (size_t)rows;
    if (merge->want_previous) {
        WEIR_TRY(weir_selection_reserve(&merge->previous, rows, err));
    }
    if (needed <= merge->window_capacity) {
        return WEIR_OK;
    }
    merge->picks = weir_realloc(merge->picks, needed * sizeof *merge->picks);
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

/* Tells of output row `to`, whose key is group `group`, what stands in level 0 and above. */
static void note_previous(merge_reader *merge, int64_t group, int64_t to)
{
    const weir_merge_groups *groups = &merge->groups.groups;
    weir_merge_reader *base = &merge->base;
    int64_t newest_above = -1;
    bool from_level_zero = false;
    for (int64_t row = groups->group_starts[group]; row < groups->group_starts[group + 1]; row++) {
        if (groups->in_level_zero[row]) {
            from_level_zero = true;
        } else {
            newest_above = row;
        }
    }
    base->from_level_zero[to] = from_level_zero;
    base->met_above_level_zero[to] = newest_above >= 0;
    base->has_previous[to] =
        from_level_zero && newest_above >= 0 && !weir_row_kind_is_retract(groups->kinds[newest_above]);
    if (base->has_previous[to]) {
        int64_t at = merge->previous.count++;
        merge->previous.runs[at] = groups->runs[newest_above];
        merge->previous.run_rows[at] = groups->rows[newest_above];
    }
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

/* Takes the picked rows over into the window, without those that are deletes. */
static void fill_window(merge_reader *merge)
{
    const weir_merge_groups *groups = &merge->groups.groups;
    weir_merge_reader *base = &merge->base;
    weir_sort_keys *keys = &merge->groups.keys;
    weir_selection *selected = &merge->selected;
    int64_t count = 0;
    merge->previous.count = 0;
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t pick = merge->picks[g];
        if (pick < 0 || (!merge->keep_deletes && weir_row_kind_is_retract(groups->kinds[pick]))) {
            continue;
        }
        selected->runs[count] = groups->runs[pick];
        selected->run_rows[count] = groups->rows[pick];
        base->sequence_numbers[count] = groups->sequence_numbers[pick];
        base->kinds[count] = groups->kinds[pick];
        if (merge->want_previous) {
            note_previous(merge, g, count);
        }
        move_key(keys, g, count);
        count++;
    }
    keys->length = count;
    selected->count = count;
    base->row_count = count;
    base->keys = *keys;
}

int weir_merge_next(weir_merge_reader *base, int64_t max_rows, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    base->row_count = 0;
    if (max_rows <= 0) {
        return weir_fail(err, WEIR_INVALID, "a merge cannot give windows of %" PRId64 " rows", max_rows);
    }
    WEIR_TRY(reserve_window(merge, max_rows, err));
    while (base->row_count == 0) {
        WEIR_TRY(weir_key_groups_next(&merge->groups, max_rows, err));
        merge->engine.pick(&merge->engine, &merge->groups.groups, merge->picks);
        fill_window(merge);
    }
    weir_selection_build(&merge->selected, merge->cursors);
    if (merge->want_previous) {
        weir_selection_build(&merge->previous, merge->cursors);
    }
    return WEIR_OK;
}

void weir_merge_keep(weir_merge_reader *base, const uint32_t *rows, int64_t count)
{
    merge_reader *merge = (merge_reader *)base;
    weir_selection *selected = &merge->selected;
    for (int64_t i = 0; i < count; i++) {
        selected->runs[i] = selected->runs[rows[i]];
        selected->run_rows[i] = selected->run_rows[rows[i]];
        base->kinds[i] = base->kinds[rows[i]];
    }
    selected->count = count;
    base->row_count = count;
    weir_selection_build(selected, merge->cursors);
}

static int gather_column(merge_reader *merge, weir_selection *selection, int32_t column, weir_vector *out,
                         weir_error *err)
{
    WEIR_TRY_CTX(weir_selection_gather(selection, &merge->source, column, out, err), err, "column '%s'",
                 merge->source.value_fields[column].name);
    return WEIR_OK;
}

int weir_merge_column(weir_merge_reader *base, int32_t column, weir_vector *out, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    return gather_column(merge, &merge->selected, column, out, err);
}

int weir_merge_previous_column(weir_merge_reader *base, int32_t column, weir_vector *out, weir_error *err)
{
    merge_reader *merge = (merge_reader *)base;
    return gather_column(merge, &merge->previous, column, out, err);
}
