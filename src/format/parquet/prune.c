/* Leaving out row groups and pages by their statistics.
 *
 * Pages of different columns end at different rows, so a row group is walked in segments: from one row at which a page
 * of any column of the predicate ends to the next. Within a segment each column has the statistics of one page, or of
 * its whole chunk where there is no page index. */
#include <stdlib.h>

#include "format/parquet/page_index.h"
#include "format/parquet/reader.h"
#include "format/parquet/statistics.h"

/* A column that the predicate names, in the row group at hand. */
typedef struct pruned_column {
    int32_t column;
    const weir_parquet_leaf *leaf; /* NULL: nested, nothing is known of it */
    weir_column_stats chunk_stats;
    weir_parquet_page_location *locations; /* NULL: no page index; owned */
    weir_parquet_statistics *pages;
    size_t page_count;
    size_t page; /* the one at the walk's row */
} pruned_column;

typedef struct pruning_state {
    weir_parquet_reader *reader;
    const weir_predicate *predicate;
    weir_arena *arena; /* of this call */
    pruned_column *columns;
    int32_t column_count;
    weir_column_stats *stats; /* one a requested column */
} pruning_state;

static int add_column(pruning_state *state, int32_t column, weir_error *err)
{
    const weir_parquet_projection *projection = &state->reader->projection;
    if (column < 0 || column >= projection->column_count) {
        return weir_fail(err, WEIR_INVALID, "%s: a predicate names column %d of %d", state->reader->source.path, column,
                         projection->column_count);
    }
    for (int32_t i = 0; i < state->column_count; i++) {
        if (state->columns[i].column == column) {
            return WEIR_OK;
        }
    }
    const weir_parquet_column *requested = &projection->columns[column];
    const weir_parquet_leaf *leaf = requested->child_count == 0 ? &projection->leaves[requested->leaf] : NULL;
    state->columns[state->column_count++] = (pruned_column){.column = column, .leaf = leaf};
    return WEIR_OK;
}

static int collect_columns(pruning_state *state, const weir_predicate *predicate, weir_error *err)
{
    if (predicate->kind != WEIR_PREDICATE_AND && predicate->kind != WEIR_PREDICATE_OR) {
        return add_column(state, predicate->column, err);
    }
    for (int32_t i = 0; i < predicate->child_count; i++) {
        WEIR_TRY(collect_columns(state, predicate->children[i], err));
    }
    return WEIR_OK;
}

/* --- one row group ---------------------------------------------------------------------------------------------- */

static void use_chunk_stats(pruning_state *state, const weir_parquet_row_group *group)
{
    for (int32_t i = 0; i < state->column_count; i++) {
        pruned_column *column = &state->columns[i];
        column->chunk_stats = (weir_column_stats){.null_count = -1, .row_count = group->row_count};
        if (column->leaf != NULL) {
            column->chunk_stats = weir_parquet_column_stats(
                column->leaf, &group->chunks[column->leaf->index].statistics, group->row_count);
        }
        state->stats[column->column] = column->chunk_stats;
    }
}

static int load_page_index(pruning_state *state, pruned_column *column, const weir_parquet_row_group *group,
                           weir_error *err)
{
    weir_parquet_source *source = &state->reader->source;
    column->page = 0;
    if (column->leaf == NULL) {
        return WEIR_OK;
    }
    const weir_parquet_chunk *chunk = &group->chunks[column->leaf->index];
    if (chunk->offset_index_size == 0 || chunk->column_index_size == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(
        weir_parquet_offset_index_read(source, chunk, group->row_count, &column->locations, &column->page_count, err));
    return weir_parquet_column_index_read(source, chunk, column->page_count, state->arena, &column->pages, err);
}

static void free_page_indexes(pruning_state *state)
{
    for (int32_t i = 0; i < state->column_count; i++) {
        free(state->columns[i].locations);
        state->columns[i].locations = NULL;
        state->columns[i].pages = NULL;
    }
}

/* The row behind the column's current page. */
static int64_t page_end(const pruned_column *column, const weir_parquet_row_group *group)
{
    if (column->pages == NULL || column->page + 1 >= column->page_count) {
        return group->row_count;
    }
    return column->locations[column->page + 1].first_row;
}

/* Puts the statistics of each column at `row` in place; returns the row behind those they are about. */
static int64_t use_page_stats(pruning_state *state, const weir_parquet_row_group *group, int64_t row)
{
    int64_t end = group->row_count;
    for (int32_t i = 0; i < state->column_count; i++) {
        pruned_column *column = &state->columns[i];
        if (column->pages == NULL) {
            continue;
        }
        while (page_end(column, group) <= row) {
            column->page++;
        }
        weir_parquet_statistics statistics = column->pages[column->page];
        int64_t rows = page_end(column, group) - column->locations[column->page].first_row;
        if (statistics.null_count == INT64_MAX) { /* nothing but nulls */
            statistics.null_count = rows;
        }
        state->stats[column->column] = weir_parquet_column_stats(column->leaf, &statistics, rows);
        end = page_end(column, group) < end ? page_end(column, group) : end;
    }
    return end;
}

static int prune_row_group(pruning_state *state, const weir_parquet_row_group *group, weir_row_ranges *out,
                           weir_error *err)
{
    use_chunk_stats(state, group);
    if (!weir_predicate_may_match(state->predicate, state->stats)) {
        return WEIR_OK;
    }
    for (int32_t i = 0; i < state->column_count; i++) {
        WEIR_TRY(load_page_index(state, &state->columns[i], group, err));
    }
    for (int64_t row = 0, end; row < group->row_count; row = end) {
        end = use_page_stats(state, group, row);
        if (weir_predicate_may_match(state->predicate, state->stats)) {
            weir_row_ranges_append(out, group->first_row + row, end - row);
        }
    }
    return WEIR_OK;
}

/* The row behind the last range. */
static int64_t row_end(const weir_row_ranges *ranges)
{
    const weir_row_range *last = &ranges->ranges[ranges->count - 1];
    return last->first + last->count;
}

int weir_parquet_prune(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out, weir_error *err)
{
    weir_parquet_reader *reader = (weir_parquet_reader *)(void *)base;
    if (predicate == NULL) {
        weir_row_ranges_append(out, 0, base->row_count);
        return WEIR_OK;
    }
    weir_arena arena;
    weir_arena_init(&arena);
    int32_t column_count = reader->projection.column_count;
    pruning_state state = {
        .reader = reader,
        .predicate = predicate,
        .arena = &arena,
        .columns = WEIR_NEW_ARRAY(&arena, pruned_column, column_count),
        .stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, column_count),
    };
    int code = collect_columns(&state, predicate, err);
    for (int32_t i = 0; i < reader->footer->row_group_count && code == WEIR_OK; i++) {
        int64_t end = out->count == 0 ? 0 : row_end(out);
        code = prune_row_group(&state, &reader->footer->row_groups[i], out, err);
        base->row_groups++;
        base->row_groups_kept += out->count > 0 && row_end(out) > end;
        free_page_indexes(&state);
    }
    weir_arena_free(&arena);
    return code;
}
