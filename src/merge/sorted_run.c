/* Comparing keys of data files, and cutting files into sections of overlapping key ranges. */
#include "merge/sorted_run.h"

#include <stdlib.h>

#include "vector/compare.h"

static const weir_type **key_types(const weir_schema *schema, weir_arena *arena)
{
    const weir_type **types = WEIR_NEW_ARRAY(arena, const weir_type *, schema->key_column_count + 1);
    for (int32_t i = 0; i < schema->key_column_count; i++) {
        types[i] = schema->fields[schema->key_columns[i]].type;
    }
    return types;
}

static int compare_values(const weir_type *const *types, const weir_literal *a, const weir_literal *b, int32_t count)
{
    for (int32_t i = 0; i < count; i++) {
        int order = weir_literal_compare(types[i], &a[i], &b[i]);
        if (order != 0) {
            return order;
        }
    }
    return 0;
}

int weir_key_compare(const weir_schema *schema, weir_slice a, weir_slice b)
{
    weir_arena arena;
    weir_arena_init(&arena);
    int32_t count = schema->key_column_count;
    const weir_type **types = key_types(schema, &arena);
    weir_literal *values_a = WEIR_NEW_ARRAY(&arena, weir_literal, count + 1);
    weir_literal *values_b = WEIR_NEW_ARRAY(&arena, weir_literal, count + 1);
    int order;
    if (weir_binary_row_deserialize(a, types, count, "key", &arena, values_a, NULL) == WEIR_OK &&
        weir_binary_row_deserialize(b, types, count, "key", &arena, values_b, NULL) == WEIR_OK) {
        order = compare_values(types, values_a, values_b, count);
    } else {
        /* Keys that cannot be read have some order all the same; reading the files will say what is wrong. */
        order = weir_slice_compare(a, b);
    }
    weir_arena_free(&arena);
    return order;
}

/* --- sections --- */

/* A file with its key range decoded. */
typedef struct ranged_file {
    weir_data_file *file;
    const weir_literal *min;
    const weir_literal *max;
    size_t position; /* in the input, for ties */
} ranged_file;

typedef struct key_order {
    const weir_type **types;
    int32_t count;
} key_order;

static int compare_ranges(const void *left, const void *right, void *context)
{
    const ranged_file *a = left;
    const ranged_file *b = right;
    const key_order *order = context;
    int by_min = compare_values(order->types, a->min, b->min, order->count);
    if (by_min != 0) {
        return by_min;
    }
    int by_max = compare_values(order->types, a->max, b->max, order->count);
    return by_max != 0 ? by_max : (a->position > b->position) - (a->position < b->position);
}

static int decode_ranges(const key_order *order, weir_data_file *const *files, size_t count, weir_arena *scratch,
                         ranged_file *out, weir_error *err)
{
    for (size_t i = 0; i < count; i++) {
        weir_literal *min = WEIR_NEW_ARRAY(scratch, weir_literal, order->count + 1);
        weir_literal *max = WEIR_NEW_ARRAY(scratch, weir_literal, order->count + 1);
        WEIR_TRY_CTX(
            weir_binary_row_deserialize(files[i]->min_key, order->types, order->count, "least key", scratch, min, err),
            err, "data file %s", files[i]->name);
        WEIR_TRY_CTX(weir_binary_row_deserialize(files[i]->max_key, order->types, order->count, "greatest key", scratch,
                                                 max, err),
                     err, "data file %s", files[i]->name);
        out[i] = (ranged_file){files[i], min, max, i};
    }
    return WEIR_OK;
}

/* Runs being filled: a heap of their numbers, the run whose last key is least on top. */
typedef struct open_runs {
    const key_order *order;
    const weir_literal **last_keys; /* by number */
    int32_t *heap;
    int32_t count;
} open_runs;

static int compare_last(const open_runs *runs, int32_t a, int32_t b)
{
    int order = compare_values(runs->order->types, runs->last_keys[a], runs->last_keys[b], runs->order->count);
    return order != 0 ? order : (a > b) - (a < b);
}

static void sift_down(open_runs *runs)
{
    int32_t moving = runs->heap[0];
    int32_t at = 0;
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child + 1 < runs->count && compare_last(runs, runs->heap[child + 1], runs->heap[child]) < 0) {
            child++;
        }
        if (child >= runs->count || compare_last(runs, moving, runs->heap[child]) <= 0) {
            break;
        }
        runs->heap[at] = runs->heap[child];
        at = child;
    }
    runs->heap[at] = moving;
}

static void push_run(open_runs *runs, int32_t number)
{
    int32_t at = runs->count++;
    while (at > 0 && compare_last(runs, number, runs->heap[(at - 1) / 2]) < 0) {
        runs->heap[at] = runs->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    runs->heap[at] = number;
}

/* Gives each file, in key order, the run that can take it and ends first. Returns the number of runs: the greatest
 * number of files that overlap in one key, which is the least possible. */
static int32_t assign_runs(const key_order *order, const ranged_file *files, size_t count, weir_arena *scratch,
                           int32_t *run_of)
{
    open_runs runs = {
        .order = order,
        .last_keys = WEIR_NEW_ARRAY(scratch, const weir_literal *, count),
        .heap = WEIR_NEW_ARRAY(scratch, int32_t, count),
    };
    for (size_t i = 0; i < count; i++) {
        int32_t top = runs.count == 0 ? -1 : runs.heap[0];
        if (top >= 0 && compare_values(order->types, files[i].min, runs.last_keys[top], order->count) > 0) {
            run_of[i] = top;
            runs.last_keys[top] = files[i].max;
            sift_down(&runs);
        } else {
            run_of[i] = runs.count;
            runs.last_keys[runs.count] = files[i].max;
            push_run(&runs, runs.count);
        }
    }
    return runs.count;
}

static weir_section make_section(const key_order *order, const ranged_file *files, size_t count, weir_arena *arena,
                                 weir_arena *scratch)
{
    int32_t *run_of = WEIR_NEW_ARRAY(scratch, int32_t, count);
    weir_section section = {.run_count = assign_runs(order, files, count, scratch, run_of)};
    section.runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, section.run_count);
    for (size_t i = 0; i < count; i++) {
        section.runs[run_of[i]].file_count++;
    }
    for (int32_t r = 0; r < section.run_count; r++) {
        section.runs[r].files = WEIR_NEW_ARRAY(arena, weir_data_file *, section.runs[r].file_count);
        section.runs[r].file_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        weir_sorted_run *run = &section.runs[run_of[i]];
        int32_t level = files[i].file->level;
        run->level = run->file_count == 0 || run->level == level ? level : -1;
        run->files[run->file_count++] = files[i].file;
    }
    return section;
}

static int cut_sections(const weir_schema *schema, weir_data_file *const *files, size_t count, weir_arena *arena,
                        weir_arena *scratch, weir_section **out, size_t *out_count, weir_error *err)
{
    key_order order = {key_types(schema, scratch), schema->key_column_count};
    ranged_file *ranged = WEIR_NEW_ARRAY(scratch, ranged_file, count + 1);
    WEIR_TRY(decode_ranges(&order, files, count, scratch, ranged, err));
    qsort_r(ranged, count, sizeof *ranged, compare_ranges, &order);
    weir_section *sections = WEIR_NEW_ARRAY(arena, weir_section, count + 1);
    size_t section_count = 0;
    for (size_t first = 0; first < count;) {
        const weir_literal *bound = ranged[first].max;
        size_t end = first + 1;
        while (end < count && compare_values(order.types, ranged[end].min, bound, order.count) <= 0) {
            if (compare_values(order.types, ranged[end].max, bound, order.count) > 0) {
                bound = ranged[end].max;
            }
            end++;
        }
        sections[section_count++] = make_section(&order, ranged + first, end - first, arena, scratch);
        first = end;
    }
    *out = sections;
    *out_count = section_count;
    return WEIR_OK;
}

int weir_sections_of(const weir_schema *schema, weir_data_file *const *files, size_t count, weir_arena *arena,
                     weir_section **out, size_t *out_count, weir_error *err)
{
    weir_arena scratch;
    weir_arena_init(&scratch);
    int code = cut_sections(schema, files, count, arena, &scratch, out, out_count, err);
    weir_arena_free(&scratch);
    return code;
}
