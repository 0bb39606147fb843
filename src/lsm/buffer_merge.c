/* Groups of a sorted buffer, a chunk at a time; what becomes of them is the engine's (merge_engine.h, group_fold.h). */
#include "lsm/buffer_merge.h"

#include <stdlib.h>

/* Rows merged and written at a time, and those of the last key: bounds the memory of what is made of them. */
#define CHUNK_ROWS 131072

int weir_buffer_merge_init(weir_buffer_merge *merge, const weir_schema *schema, weir_error *err)
{
    *merge = (weir_buffer_merge){0};
    weir_arena_init(&merge->arena);
    WEIR_TRY(weir_merge_engine_of(schema, &merge->arena, &merge->engine, err));
    WEIR_TRY(weir_age_order_of(schema, &merge->arena, &merge->order, err));
    weir_fold_init(&merge->fold, &merge->engine);
    return WEIR_OK;
}

void weir_buffer_merge_free(weir_buffer_merge *merge)
{
    weir_fold_free(&merge->fold);
    weir_arena_free(&merge->arena);
}

bool weir_buffer_merge_keeps_last(const weir_buffer_merge *merge)
{
    return merge->engine.kind == WEIR_MERGE_DEDUPLICATE && merge->order.count == 0 && !merge->engine.ignore_delete;
}

/* The end of the rows that have the key of row `first` of the sorted ones. */
static int64_t end_of_key(const weir_sorted_buffer *buffer, int64_t first)
{
    int64_t end = first + 1;
    while (end < buffer->count &&
           weir_sort_keys_compare(buffer->keys, buffer->sorted[first], buffer->keys, buffer->sorted[end]) == 0) {
        end++;
    }
    return end;
}

/* --- the order of age --- */

typedef struct age_comparison {
    const weir_age_order *order;
    const weir_batch *rows;
} age_comparison;

static int compare_ages(const void *left, const void *right, void *context)
{
    const age_comparison *comparison = context;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    for (int32_t i = 0; i < comparison->order->count; i++) {
        const weir_vector *values = &comparison->rows->columns[comparison->order->columns[i]];
        int order = weir_age_order_compare(comparison->order, values, a, values, b);
        if (order != 0) {
            return order;
        }
    }
    return (a > b) - (a < b); /* by arrival */
}

void weir_buffer_merge_order(const weir_buffer_merge *merge, const weir_sorted_buffer *buffer)
{
    age_comparison comparison = {&merge->order, buffer->rows};
    for (int64_t first = 0, end; merge->order.count > 0 && first < buffer->count; first = end) {
        end = end_of_key(buffer, first);
        if (end - first > 1) {
            qsort_r(buffer->sorted + first, (size_t)(end - first), sizeof *buffer->sorted, compare_ages, &comparison);
        }
    }
}

/* --- merging --- */

/* Some keys of the buffer. */
typedef struct buffer_chunk {
    const weir_sorted_buffer *buffer;
    weir_buffer_merge *merge;
    const uint32_t *rows; /* those of the groups, in order */
    weir_merge_groups groups;
    /* Of engines that pick: the rows that stay. */
    uint32_t *picked;
    int64_t picked_count;
    int8_t *kinds; /* of the rows to be written */
    int64_t *sequence_numbers;
    int64_t *picks;
    size_t capacity;
} buffer_chunk;

static void free_chunk(buffer_chunk *chunk)
{
    weir_merge_groups_free(&chunk->groups);
    free(chunk->picked);
    free(chunk->kinds);
    free(chunk->sequence_numbers);
    free(chunk->picks);
}

/* Makes the groups of the keys from row `first` on; returns where the next chunk begins. */
static int64_t fill_chunk(buffer_chunk *chunk, int64_t first)
{
    const weir_sorted_buffer *buffer = chunk->buffer;
    weir_merge_groups *groups = &chunk->groups;
    int64_t end = first;
    groups->group_count = 0;
    WEIR_GROW(groups->group_starts, groups->group_capacity, 1);
    groups->group_starts[0] = 0;
    while (end < buffer->count && end - first < CHUNK_ROWS) {
        end = end_of_key(buffer, end);
        WEIR_GROW(groups->group_starts, groups->group_capacity, groups->group_count + 2);
        groups->group_starts[++groups->group_count] = end - first;
    }
    groups->row_count = end - first;
    weir_merge_groups_reserve(groups, (size_t)groups->row_count, false);
    chunk->rows = buffer->sorted + first;
    for (int64_t i = 0; i < groups->row_count; i++) {
        uint32_t row = chunk->rows[i];
        groups->runs[i] = 0;
        groups->rows[i] = row;
        groups->sequence_numbers[i] = buffer->sequence_numbers[row];
        groups->kinds[i] = buffer->rows->kinds[row];
    }
    return end;
}

static void reserve_rows(buffer_chunk *chunk, size_t count)
{
    if (count <= chunk->capacity) {
        return;
    }
    chunk->picked = weir_realloc(chunk->picked, count * sizeof *chunk->picked);
    chunk->kinds = weir_realloc(chunk->kinds, count * sizeof *chunk->kinds);
    chunk->sequence_numbers = weir_realloc(chunk->sequence_numbers, count * sizeof *chunk->sequence_numbers);
    chunk->picks = weir_realloc(chunk->picks, count * sizeof *chunk->picks);
    chunk->capacity = count;
}

static int picked_column(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    const buffer_chunk *chunk = argument;
    return weir_vector_append_rows(out, &chunk->buffer->rows->columns[column], chunk->picked, chunk->picked_count, err);
}

static int write_picked(buffer_chunk *chunk, weir_data_file_writer *writer, weir_error *err)
{
    const weir_merge_groups *groups = &chunk->groups;
    reserve_rows(chunk, (size_t)groups->group_count);
    WEIR_TRY(weir_merge_engine_pick(&chunk->merge->engine, groups, chunk->picks, err));
    chunk->picked_count = 0;
    for (int64_t g = 0; g < groups->group_count; g++) {
        int64_t pick = chunk->picks[g];
        if (pick >= 0) {
            chunk->kinds[chunk->picked_count] = groups->kinds[pick];
            chunk->sequence_numbers[chunk->picked_count] = groups->sequence_numbers[pick];
            chunk->picked[chunk->picked_count++] = (uint32_t)groups->rows[pick];
        }
    }
    return chunk->picked_count == 0
               ? WEIR_OK
               : weir_data_file_writer_write_columns(writer, chunk->picked_count, chunk->sequence_numbers, chunk->kinds,
                                                     picked_column, chunk, err);
}

/* weir_group_rows: a column of all rows of the groups. */
static int group_column(void *context, int32_t column, weir_vector *out, weir_error *err)
{
    const buffer_chunk *chunk = context;
    return weir_vector_append_rows(out, &chunk->buffer->rows->columns[column], chunk->rows, chunk->groups.row_count,
                                   err);
}

static int folded_column(void *argument, int32_t column, weir_vector *out, weir_error *err)
{
    buffer_chunk *chunk = argument;
    weir_group_rows rows = {group_column, chunk};
    return weir_fold_column(&chunk->merge->fold, &chunk->groups, &rows, column, out, err);
}

static int write_folded(buffer_chunk *chunk, weir_data_file_writer *writer, weir_error *err)
{
    weir_fold *fold = &chunk->merge->fold;
    weir_group_rows rows = {group_column, chunk};
    WEIR_TRY(weir_fold_groups(fold, &chunk->groups, &rows, err));
    return weir_data_file_writer_write_columns(writer, chunk->groups.group_count, fold->sequence_numbers, fold->kinds,
                                               folded_column, chunk, err);
}

int weir_buffer_merge_write(weir_buffer_merge *merge, const weir_sorted_buffer *buffer, weir_data_file_writer *writer,
                            weir_error *err)
{
    buffer_chunk chunk = {.buffer = buffer, .merge = merge};
    bool picks = weir_merge_engine_picks(&merge->engine);
    int code = WEIR_OK;
    for (int64_t first = 0; first < buffer->count && code == WEIR_OK;) {
        first = fill_chunk(&chunk, first);
        code = picks ? write_picked(&chunk, writer, err) : write_folded(&chunk, writer, err);
    }
    free_chunk(&chunk);
    return code;
}
