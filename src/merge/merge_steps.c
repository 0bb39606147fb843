/* Merging in steps; see the header. */
#include "merge/merge_steps.h"

/* Adds the files of a run that are in level 0, or those that are not, as a run. */
static void add_part(weir_arena *arena, const weir_sorted_run *run, bool level_zero, weir_sorted_run *runs,
                     int32_t *count)
{
    weir_sorted_run part = {.files = WEIR_NEW_ARRAY(arena, weir_data_file *, run->file_count),
                            .level = level_zero ? 0 : 1};
    for (int32_t f = 0; f < run->file_count; f++) {
        if ((run->files[f]->level == 0) == level_zero) {
            part.files[part.file_count++] = run->files[f];
        }
    }
    if (part.file_count > 0) {
        runs[(*count)++] = part;
    }
}

/* Those above level 0 first: which of two runs stands first decides among rows of one sequence number alone. */
static void separate_levels(weir_arena *arena, weir_merge_input *input)
{
    weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, 2 * (size_t)input->run_count);
    int32_t count = 0;
    for (int level_zero = 0; level_zero < 2; level_zero++) {
        for (int32_t r = 0; r < input->run_count; r++) {
            add_part(arena, &input->runs[r], level_zero == 1, runs, &count);
        }
    }
    input->runs = runs;
    input->run_count = count;
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
    code = weir_spill_add(spill, writer, input->runs[first].level, err);
    writer = NULL;
done:
    weir_data_file_writer_close(writer);
    weir_merge_close(merge);
    return code;
}

/* The number of runs from `first` on that make a group. */
static int32_t group_size(const weir_merge_input *input, int32_t first, bool by_level, int32_t max_runs)
{
    int32_t count = 1;
    while (count < max_runs && first + count < input->run_count &&
           (!by_level || input->runs[first + count].level == input->runs[first].level)) {
        count++;
    }
    return count;
}

static int take_step(const weir_merge_input *input, const weir_merge_options *options, bool by_level, int32_t max_runs,
                     const int32_t *all_columns, weir_spill **out, weir_error *err)
{
    weir_spill *spill = NULL;
    int code = WEIR_OK;
    WEIR_TRY(weir_spill_create(input->context, &spill, err));
    for (int32_t first = 0; first < input->run_count;) {
        int32_t count = group_size(input, first, by_level, max_runs);
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
    weir_merge_options step = {.keep_deletes = true, .lower_key = options->lower_key, .upper_key = options->upper_key};
    if (options->key_predicate != NULL) {
        step.key_predicate = weir_predicate_map(arena, options->key_predicate, columns);
    }
    bool by_level = options->want_previous;
    int32_t max_runs = options->max_runs < 2 ? 2 : options->max_runs;
    if (by_level) {
        separate_levels(arena, input);
    }
    weir_spill *spill = NULL;
    int32_t before = INT32_MAX;
    while (input->run_count > max_runs && input->run_count < before) {
        weir_spill *next = NULL;
        before = input->run_count;
        int code = take_step(input, &step, by_level, max_runs, all_columns, &next, err);
        weir_spill_free(spill);
        if (code != WEIR_OK) {
            return code;
        }
        spill = next;
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
