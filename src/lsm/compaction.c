/* Planning the pieces of a compaction, running them as tasks, and gathering what they made.
 *
 * Files that overlap with nothing else move to the output level as they are, unless they are small (then they are
 * rewritten with their neighbours) or hold deletes that must go, or rows that have expired. What is rewritten is cut by
 * key range. */
#include "lsm/compaction.h"

#include <stdlib.h>

#include "base/clock.h"
#include "lsm/compaction_piece.h"
#include "lsm/expired_files.h"
#include "merge/merge_reader.h"

/* A key range smaller than this is not worth a task of its own. */
#define LEAST_PIECE_BYTES ((int64_t)4 << 20)

struct weir_compaction {
    weir_arena arena;
    const weir_table_context *context;
    weir_compaction_request request;
    weir_lsm_options options;
    const char *bucket_path;
    int64_t started_ns;
    int32_t told_level;
    const weir_sorted_run *older_runs;
    int32_t older_run_count;
    weir_data_file **files; /* all that are compacted, in key order of the sections */
    size_t file_count;
    weir_compaction_piece **pieces;
    size_t piece_count;
    size_t piece_capacity;
    weir_file_list moved; /* to the output level as they are */
    weir_file_list rewritten;
    weir_task_group group;
};

/* Rows in levels below this one have not been told of; 0: no changelog is made. */
static int32_t told_level(const weir_compaction_request *request)
{
    int32_t highest = request->levels->level_count - 1;
    switch (request->options->changelog_producer) {
    case WEIR_CHANGELOG_LOOKUP:
        return 1;
    case WEIR_CHANGELOG_FULL_COMPACTION:
        return request->output_level == highest ? highest : 0;
    default:
        return 0;
    }
}

/* Whether a row of level 0 may be older than one below the compaction: sequence numbers of one writer ascend, those of
 * several do not. */
static bool may_be_outdated(const weir_compaction *compaction, const weir_data_file *file)
{
    for (int32_t r = 0; r < compaction->older_run_count; r++) {
        for (int32_t f = 0; f < compaction->older_runs[r].file_count; f++) {
            if (compaction->older_runs[r].files[f]->max_sequence_number >= file->min_sequence_number) {
                return true;
            }
        }
    }
    return false;
}

/* Whether rows of a file may not stay as they are when it goes up from level 0: what lies below the level it goes to
 * changes them, and is not looked at once they are there. */
static bool must_be_merged(const weir_compaction *compaction, const weir_data_file *file)
{
    if (file->level > 0 || !compaction->options.looks_up) {
        return false;
    }
    if (compaction->options.folds_rows && file->delete_row_count != 0) {
        return true;
    }
    if (compaction->older_run_count == 0) {
        return false;
    }
    return !compaction->options.keeps_newest || may_be_outdated(compaction, file);
}

static weir_compaction_piece *add_piece(weir_compaction *compaction, const weir_sorted_run *runs, int32_t run_count,
                                        bool rewrites)
{
    weir_compaction_piece *piece = WEIR_NEW(&compaction->arena, weir_compaction_piece);
    bool has_new = false;
    int64_t least_new = INT64_MAX; /* sequence number of level 0 */
    for (int32_t i = 0; i < run_count; i++) {
        for (int32_t f = 0; f < runs[i].file_count; f++) {
            const weir_data_file *file = runs[i].files[f];
            has_new |= file->level < compaction->told_level;
            if (file->level == 0 && file->min_sequence_number < least_new) {
                least_new = file->min_sequence_number;
            }
        }
    }
    bool looks_up = compaction->options.looks_up && least_new < INT64_MAX;
    *piece = (weir_compaction_piece){
        .context = compaction->context,
        .options = &compaction->options,
        .partition = compaction->request.partition,
        .bucket = compaction->request.bucket,
        .runs = runs,
        .run_count = run_count,
        .output_level = compaction->request.output_level,
        .drop_deletes = compaction->request.drop_deletes,
        .rewrites = rewrites,
        .folds_lone_rows = rewrites && looks_up,
        .makes_changelog = has_new,
        .told_level = compaction->told_level,
        .older_runs = compaction->older_runs,
        .older_run_count = looks_up ? compaction->older_run_count : 0,
        .exact_from = compaction->options.keeps_newest ? least_new : 0,
        .index_cache = compaction->request.index_cache,
    };
    weir_arena_init(&piece->arena);
    WEIR_GROW(compaction->pieces, compaction->piece_capacity, compaction->piece_count + 1);
    compaction->pieces[compaction->piece_count++] = piece;
    return piece;
}

static int64_t bytes_of(const weir_sorted_run *runs, int32_t run_count)
{
    int64_t bytes = 0;
    for (int32_t i = 0; i < run_count; i++) {
        for (int32_t f = 0; f < runs[i].file_count; f++) {
            bytes += runs[i].files[f]->size_bytes;
        }
    }
    return bytes;
}

/* One piece for each key range; as many as there are threads to run them, unless they would be small. */
static int add_rewrite(weir_compaction *compaction, const weir_sorted_run *runs, int32_t run_count, weir_error *err)
{
    int64_t parts = bytes_of(runs, run_count) / LEAST_PIECE_BYTES;
    int64_t threads = compaction->context->pool != NULL ? weir_pool_threads(compaction->context->pool) : 1;
    parts = parts < threads ? parts : threads;
    weir_slice *bounds = NULL;
    int32_t bound_count = 0;
    if (parts > 1) {
        WEIR_TRY(weir_merge_split_keys(compaction->context, compaction->request.partition, compaction->request.bucket,
                                       runs, run_count, (int32_t)parts, &compaction->arena, &bounds, &bound_count,
                                       err));
    }
    for (int32_t i = 0; i <= bound_count; i++) {
        weir_compaction_piece *piece = add_piece(compaction, runs, run_count, true);
        piece->lower_key = i > 0 ? bounds[i - 1] : (weir_slice){0};
        piece->upper_key = i < bound_count ? bounds[i] : (weir_slice){0};
    }
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            weir_file_list_append(&compaction->rewritten, runs[r].files[f]);
        }
    }
    return WEIR_OK;
}

static int add_single_rewrite(weir_compaction *compaction, weir_data_file *file, weir_error *err)
{
    weir_sorted_run *run = WEIR_NEW(&compaction->arena, weir_sorted_run);
    weir_data_file **files = weir_arena_copy(&compaction->arena, &file, sizeof(file));
    *run = (weir_sorted_run){.files = files, .file_count = 1, .level = file->level};
    return add_rewrite(compaction, run, 1, err);
}

/* Moves a file to the output level. With deletes in it that must go, or rows that must not stay or have expired, it is
 * rewritten instead. */
static int add_move(weir_compaction *compaction, weir_data_file *file, weir_error *err)
{
    bool may_hold_deletes = file->delete_row_count != 0;
    bool has_expired = false;
    WEIR_TRY(weir_file_has_expired_rows(compaction->context, file, &has_expired, err));
    if ((compaction->request.drop_deletes && may_hold_deletes) || must_be_merged(compaction, file) || has_expired) {
        return add_single_rewrite(compaction, file, err);
    }
    if (file->level == compaction->request.output_level) {
        return WEIR_OK;
    }
    weir_file_list_append(&compaction->moved, file);
    if (file->level < compaction->told_level) {
        weir_sorted_run *run = WEIR_NEW(&compaction->arena, weir_sorted_run);
        weir_data_file **files = weir_arena_copy(&compaction->arena, &file, sizeof(file));
        *run = (weir_sorted_run){.files = files, .file_count = 1, .level = file->level};
        add_piece(compaction, run, 1, false);
    }
    return WEIR_OK;
}

/* Runs that wait to be rewritten together: neighbouring sections joined run by run, since they do not overlap. */
typedef struct candidate {
    weir_file_list *runs;
    int32_t run_count;
    int32_t section_count;
} candidate;

static void add_to_candidate(candidate *waiting, const weir_sorted_run *runs, int32_t run_count)
{
    if (run_count > waiting->run_count) {
        waiting->runs = weir_realloc(waiting->runs, sizeof(weir_file_list) * (size_t)run_count);
        for (int32_t i = waiting->run_count; i < run_count; i++) {
            waiting->runs[i] = (weir_file_list){0};
        }
        waiting->run_count = run_count;
    }
    for (int32_t i = 0; i < run_count; i++) {
        for (int32_t f = 0; f < runs[i].file_count; f++) {
            weir_file_list_append(&waiting->runs[i], runs[i].files[f]);
        }
    }
    waiting->section_count++;
}

static void clear_candidate(candidate *waiting)
{
    for (int32_t i = 0; i < waiting->run_count; i++) {
        weir_file_list_free(&waiting->runs[i]);
    }
    free(waiting->runs);
    *waiting = (candidate){0};
}

/* Plans what waits: a lone file is moved, everything else rewritten. */
static int settle_candidate(weir_compaction *compaction, candidate *waiting, weir_error *err)
{
    int code = WEIR_OK;
    if (waiting->section_count == 1 && waiting->run_count == 1) {
        for (size_t f = 0; f < waiting->runs[0].count && code == WEIR_OK; f++) {
            code = add_move(compaction, waiting->runs[0].files[f], err);
        }
    } else if (waiting->section_count > 0) {
        weir_sorted_run *runs = WEIR_NEW_ARRAY(&compaction->arena, weir_sorted_run, waiting->run_count);
        for (int32_t i = 0; i < waiting->run_count; i++) {
            const weir_file_list *list = &waiting->runs[i];
            runs[i] = (weir_sorted_run){
                .files = weir_arena_copy(&compaction->arena, list->files, sizeof(*list->files) * list->count),
                .file_count = (int32_t)list->count,
                .level = -1,
            };
        }
        code = add_rewrite(compaction, runs, waiting->run_count, err);
    }
    clear_candidate(waiting);
    return code;
}

static int plan_section(weir_compaction *compaction, const weir_section *section, candidate *waiting, weir_error *err)
{
    if (section->run_count > 1) {
        add_to_candidate(waiting, section->runs, section->run_count);
        return WEIR_OK;
    }
    const weir_sorted_run *run = &section->runs[0];
    for (int32_t f = 0; f < run->file_count; f++) {
        weir_data_file *file = run->files[f];
        if (file->size_bytes < compaction->options.small_file_bytes) {
            weir_sorted_run single = {.files = &run->files[f], .file_count = 1, .level = file->level};
            add_to_candidate(waiting, &single, 1);
        } else {
            WEIR_TRY(settle_candidate(compaction, waiting, err));
            WEIR_TRY(add_move(compaction, file, err));
        }
    }
    return WEIR_OK;
}

static int plan(weir_compaction *compaction, weir_error *err)
{
    weir_section *sections = NULL;
    size_t section_count = 0;
    const weir_schema *schema = compaction->context->schema;
    WEIR_TRY(weir_sections_of(schema, compaction->files, compaction->file_count, &compaction->arena, &sections,
                              &section_count, err));
    candidate waiting = {0};
    int code = WEIR_OK;
    for (size_t i = 0; i < section_count && code == WEIR_OK; i++) {
        code = plan_section(compaction, &sections[i], &waiting, err);
    }
    if (code == WEIR_OK) {
        code = settle_candidate(compaction, &waiting, err);
    }
    clear_candidate(&waiting);
    return code;
}

/* Own copies of the files: the levels may change while the tasks run. */
static void copy_runs(weir_compaction *compaction)
{
    weir_sorted_run *runs = NULL;
    int32_t run_count = 0;
    weir_bucket_levels_runs(compaction->request.levels, &compaction->arena, &runs, &run_count);
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            runs[r].files[f] = weir_data_file_copy(&compaction->arena, runs[r].files[f]);
            compaction->file_count += r < compaction->request.run_count;
        }
    }
    compaction->files = WEIR_NEW_ARRAY(&compaction->arena, weir_data_file *, compaction->file_count);
    size_t at = 0;
    for (int32_t r = 0; r < compaction->request.run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            compaction->files[at++] = runs[r].files[f];
        }
    }
    compaction->older_runs = runs + compaction->request.run_count;
    compaction->older_run_count = run_count - compaction->request.run_count;
}

static void free_compaction(weir_compaction *compaction)
{
    weir_task_group_free(&compaction->group);
    for (size_t i = 0; i < compaction->piece_count; i++) {
        weir_file_list_free(&compaction->pieces[i]->data_files);
        weir_file_list_free(&compaction->pieces[i]->changelog_files);
        weir_arena_free(&compaction->pieces[i]->arena);
    }
    free(compaction->pieces);
    weir_file_list_free(&compaction->moved);
    weir_file_list_free(&compaction->rewritten);
    weir_arena_free(&compaction->arena);
    free(compaction);
}

int weir_compaction_start(const weir_table_context *context, const weir_compaction_request *request,
                          weir_compaction **out, weir_error *err)
{
    weir_compaction *compaction = weir_alloc_zeroed(1, sizeof *compaction);
    weir_arena_init(&compaction->arena);
    weir_task_group_init(&compaction->group, context->pool);
    compaction->context = context;
    compaction->started_ns = weir_monotonic_ns();
    compaction->request = *request;
    compaction->options = *request->options;
    compaction->told_level = told_level(request);
    copy_runs(compaction);
    int code = weir_bucket_path(&compaction->arena, &context->paths, context->schema, request->partition,
                                request->bucket, &compaction->bucket_path, err);
    if (code == WEIR_OK) {
        code = plan(compaction, err);
    }
    if (code != WEIR_OK) {
        free_compaction(compaction);
        return code;
    }
    weir_table_metrics_add(context->metrics, WEIR_TABLE_COMPACTIONS_RUNNING, 1);
    for (size_t i = 0; i < compaction->piece_count; i++) {
        weir_task_group_run(&compaction->group, weir_compaction_piece_run, compaction->pieces[i]);
    }
    *out = compaction;
    return WEIR_OK;
}

bool weir_compaction_is_done(weir_compaction *compaction) { return weir_task_group_done(&compaction->group); }

static void remove_files(const weir_compaction *compaction, const weir_file_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        weir_table_context_remove_file(compaction->context, compaction->bucket_path, list->files[i]);
    }
}

static void copy_files(weir_arena *arena, const weir_file_list *from, weir_file_list *to)
{
    for (size_t i = 0; i < from->count; i++) {
        weir_file_list_append(to, weir_data_file_copy(arena, from->files[i]));
    }
}

static int64_t total_bytes(weir_data_file *const *files, size_t count)
{
    int64_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += files[i]->size_bytes;
    }
    return bytes;
}

void weir_compaction_report(const weir_table_context *context, int64_t started_ns, weir_data_file *const *before,
                            size_t before_count, const weir_file_list *after)
{
    weir_table_metrics *metrics = context->metrics;
    weir_table_metrics_add(metrics, WEIR_TABLE_COMPACTIONS_COMPLETED, 1);
    weir_table_metrics_add(metrics, WEIR_TABLE_COMPACTION_INPUT, total_bytes(before, before_count));
    weir_table_metrics_add(metrics, WEIR_TABLE_COMPACTION_OUTPUT, total_bytes(after->files, after->count));
    weir_table_metrics_time(metrics, WEIR_TABLE_COMPACTION_DURATION, (weir_monotonic_ns() - started_ns) / 1000000);
}

int weir_compaction_finish(weir_compaction *compaction, weir_arena *arena, weir_compaction_result *out, weir_error *err)
{
    int code = weir_task_group_wait(&compaction->group, err);
    weir_table_metrics_add(compaction->context->metrics, WEIR_TABLE_COMPACTIONS_RUNNING, -1);
    if (code != WEIR_OK) {
        for (size_t i = 0; i < compaction->piece_count; i++) {
            remove_files(compaction, &compaction->pieces[i]->data_files);
            remove_files(compaction, &compaction->pieces[i]->changelog_files);
        }
        free_compaction(compaction);
        return code;
    }
    weir_compaction_result result = {0};
    copy_files(arena, &compaction->rewritten, &result.before);
    for (size_t i = 0; i < compaction->piece_count; i++) {
        copy_files(arena, &compaction->pieces[i]->data_files, &result.after);
        copy_files(arena, &compaction->pieces[i]->changelog_files, &result.changelog);
    }
    for (size_t i = 0; i < compaction->moved.count; i++) {
        weir_data_file *before = weir_data_file_copy(arena, compaction->moved.files[i]);
        weir_data_file *after = weir_data_file_copy(arena, before);
        after->level = compaction->request.output_level;
        weir_file_list_append(&result.before, before);
        weir_file_list_append(&result.after, after);
    }
    weir_compaction_report(compaction->context, compaction->started_ns, result.before.files, result.before.count,
                           &result.after);
    free_compaction(compaction);
    *out = result;
    return WEIR_OK;
}

void weir_compaction_result_free(weir_compaction_result *result)
{
    weir_file_list_free(&result->before);
    weir_file_list_free(&result->after);
    weir_file_list_free(&result->changelog);
}
