/* Merging in steps; see the header. */
#include "merge/merge_steps.h"

#include <stdlib.h>

#include "merge/merge_engine.h"

/* How runs may be put together. Where several rows make one, only neighbours in age may be merged before others, so
 * runs are cut anew then: one a file of level 0, one a level above. */
typedef struct step_plan {
    bool by_age;
    int32_t boundary; /* runs below this level are not mixed with those from it on; 0: there is no such level */
} step_plan;

/* Adds the files of a run that are below the level, or those that are not, as a run. */
static void add_part(weir_arena *arena, const weir_sorted_run *run, int32_t boundary, bool below, weir_sorted_run *runs,
                     int32_t *count)
{
    weir_sorted_run part = {.files = WEIR_NEW_ARRAY(arena, weir_data_file *, run->file_count),
                            .level = below ? 0 : boundary};
    for (int32_t f = 0; f < run->file_count; f++) {
        if ((run->files[f]->level < boundary) == below) {
            part.files[part.file_count++] = run->files[f];
        }
    }
    if (part.file_count > 0) {
        runs[(*count)++] = part;
    }
}

/* Those above first: which of two runs stands first decides among rows of one sequence number alone. */
static void separate_levels(weir_arena *arena, int32_t boundary, weir_merge_input *input)
{
    weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, 2 * (size_t)input->run_count);
    int32_t count = 0;
    for (int below = 0; below < 2; below++) {
        for (int32_t r = 0; r < input->run_count; r++) {
            add_part(arena, &input->runs[r], boundary, below == 1, runs, &count);
        }
    }
    input->runs = runs;
    input->run_count = count;
}

/* The oldest first: from the highest level down, each in key order; then the files of level 0 by their numbers. */
static int compare_ages(const void *left, const void *right, void *context)
{
    const weir_data_file *a = *(weir_data_file *const *)left;
    const weir_data_file *b = *(weir_data_file *const *)right;
    if (a->level != b->level) {
        return a->level > b->level ? -1 : 1;
    }
    if (a->level > 0) {
        return weir_key_compare(context, a->min_key, b->min_key);
    }
    return (a->max_sequence_number > b->max_sequence_number) - (a->max_sequence_number < b->max_sequence_number);
}

static void cut_by_age(weir_arena *arena, weir_merge_input *input)
{
    size_t file_count = 0;
    for (int32_t r = 0; r < input->run_count; r++) {
        file_count += (size_t)input->runs[r].file_count;
    }
    weir_data_file **files = WEIR_NEW_ARRAY(arena, weir_data_file *, file_count + 1);
    size_t at = 0;
    for (int32_t r = 0; r < input->run_count; r++) {
        memcpy(files + at, input->runs[r].files, (size_t)input->runs[r].file_count * sizeof *files);
        at += (size_t)input->runs[r].file_count;
    }
    qsort_r(files, file_count, sizeof *files, compare_ages, (void *)(uintptr_t)input->context->schema);
    weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, file_count + 1);
    int32_t count = 0;
    for (size_t f = 0; f < file_count; f++) {
        if (count == 0 || files[f]->level == 0 || files[f]->level != runs[count - 1].level) {
            runs[count++] = (weir_sorted_run){.files = files + f, .level = files[f]->level};
        }
        runs[count - 1].file_count++;
    }
    input->runs = runs;
    input->run_count = count;
}

static int plan_steps(weir_merge_input *input, const weir_merge_options *options, weir_arena *arena, step_plan *out,
                      weir_error *err)
{
    weir_merge_engine engine;
    WEIR_TRY(weir_merge_engine_of(input->context->schema, arena, &engine, err));
    *out = (step_plan){.by_age = !weir_merge_engine_picks(&engine)};
    if (options->want_previous) {
        out->boundary = options->previous_level > 1 ? options->previous_level : 1;
    } else if (weir_merge_engine_needs_levels(&engine)) {
        out->boundary = 1;
    }
    if (out->by_age) {
        cut_by_age(arena, input);
    } else if (out->boundary > 0) {
        separate_levels(arena, out->boundary, input);
    }
    return WEIR_OK;
}

/* Merges some runs into one of the spill. */
static int merge_group(const weir_merge_input *input, int32_t first, int32_t count, const weir_merge_options *options,
                       const int32_t *all_columns, weir_spill *spill, weir_error *err)
{
    weir_merge_reader *merge = NULL;
    weir_data_file_writer *writer = NULL;
    int code = WEIR_OK;
    WEIR_GO(weir_merge_open(input->context, input->partition, input->bucket, input->runs + first, count, all_columns,
                            input->context->schema->field_count, options, &merge, err));
    WEIR_GO(weir_spill_writer(spill, &writer, err));
    WEIR_GO(weir_merge_write(merge, writer, err));
    code = weir_spill_add(spill, writer, input->runs[first + count - 1].level, err);
    writer = NULL;
done:
    weir_data_file_writer_close(writer);
    weir_merge_close(merge);
    return code;
}

/* The number of runs from `first` on that make a group. */
static int32_t group_size(const weir_merge_input *input, int32_t first, int32_t boundary, int32_t max_runs)
{
    int32_t count = 1;
    while (count < max_runs && first + count < input->run_count &&
           (input->runs[first + count].level < boundary) == (input->runs[first].level < boundary)) {
        count++;
    }
    return count;
}

static int take_step(const weir_merge_input *input, const weir_merge_options *options, int32_t boundary,
                     int32_t max_runs, const int32_t *all_columns, weir_spill **out, weir_error *err)
{
    weir_spill *spill = NULL;
    int code = WEIR_OK;
    WEIR_TRY(weir_spill_create(input->context, &spill, err));
    for (int32_t first = 0; first < input->run_count;) {
        int32_t count = group_size(input, first, boundary, max_runs);
        WEIR_GO(merge_group(input, first, count, options, all_columns, spill, err));
        first += count;
    }
    *out = spill;
    return WEIR_OK;
done:
    weir_spill_free(spill);
    return code;
}

int weir_merge_steps(weir_merge_input *input, const int32_t *columns, const weir_merge_options *options,
                     weir_arena *arena, weir_spill **out_spill, weir_error *err)
{
    int32_t field_count = input->context->schema->field_count;
    int32_t *all_columns = WEIR_NEW_ARRAY(arena, int32_t, field_count);
    for (int32_t i = 0; i < field_count; i++) {
        all_columns[i] = i;
    }
    weir_merge_options step = {.keep_deletes = true,
                               .drop_expired = options->drop_expired,
                               .lower_key = options->lower_key,
                               .upper_key = options->upper_key};
    if (options->key_predicate != NULL) {
        step.key_predicate = weir_predicate_map(arena, options->key_predicate, columns);
    }
    step_plan plan;
    WEIR_TRY(plan_steps(input, options, arena, &plan, err));
    int32_t max_runs = options->max_runs < 2 ? 2 : options->max_runs;
    weir_spill *spill = NULL;
    int32_t before = INT32_MAX;
    while (input->run_count > max_runs && input->run_count < before) {
        weir_spill *next = NULL;
        before = input->run_count;
        int code = take_step(input, &step, plan.boundary, max_runs, all_columns, &next, err);
        weir_spill_free(spill);
        if (code != WEIR_OK) {
            return code;
        }
        spill = next;
        step.drop_expired = false;
        weir_sorted_run *runs = NULL;
        input->run_count = weir_spill_runs(spill, &runs);
        input->runs = runs;
        input->context = weir_spill_context(spill);
        input->partition = weir_partition_none();
        input->bucket = 0;
    }
    *out_spill = spill;
    return WEIR_OK;
}
