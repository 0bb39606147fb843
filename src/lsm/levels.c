/* The files of one bucket by level. Source of truth for the order: org.apache.paimon.mergetree.Levels. */
#include "lsm/levels.h"

#include <stdlib.h>

#include "base/map.h"

/* Level 0 is read newest first; among equals the order is settled by what else tells files apart. */
static int compare_newest_first(const weir_data_file *a, const weir_data_file *b)
{
    if (a->max_sequence_number != b->max_sequence_number) {
        return a->max_sequence_number > b->max_sequence_number ? -1 : 1;
    }
    if (a->min_sequence_number != b->min_sequence_number) {
        return a->min_sequence_number > b->min_sequence_number ? -1 : 1;
    }
    if (a->creation_time_ms != b->creation_time_ms) {
        return a->creation_time_ms > b->creation_time_ms ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}

static void ensure_level(weir_bucket_levels *levels, int32_t level)
{
    if (level < levels->level_count) {
        return;
    }
    levels->levels = weir_realloc(levels->levels, sizeof(weir_file_list) * (size_t)(level + 1));
    for (int32_t i = levels->level_count; i <= level; i++) {
        levels->levels[i] = (weir_file_list){0};
    }
    levels->level_count = level + 1;
}

void weir_bucket_levels_init(weir_bucket_levels *levels, const weir_schema *schema, int32_t level_count, weir_data_file *const *files,
                      size_t file_count)
{
    *levels = (weir_bucket_levels){.schema = schema};
    ensure_level(levels, level_count - 1);
    for (size_t i = 0; i < file_count; i++) {
        weir_bucket_levels_add(levels, files[i]);
    }
}

void weir_bucket_levels_free(weir_bucket_levels *levels)
{
    for (int32_t i = 0; i < levels->level_count; i++) {
        weir_file_list_free(&levels->levels[i]);
    }
    free(levels->levels);
    *levels = (weir_bucket_levels){0};
}

/* Whether `a` stands before `b` in a level. */
static bool stands_before(const weir_bucket_levels *levels, int32_t level, const weir_data_file *a, const weir_data_file *b)
{
    if (level == 0) {
        return compare_newest_first(a, b) < 0;
    }
    return weir_key_compare(levels->schema, a->min_key, b->min_key) < 0;
}

void weir_bucket_levels_add(weir_bucket_levels *levels, weir_data_file *file)
{
    ensure_level(levels, file->level);
    weir_file_list *list = &levels->levels[file->level];
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (stands_before(levels, file->level, file, list->files[middle])) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    weir_file_list_append(list, file);
    memmove(&list->files[low + 1], &list->files[low], sizeof(*list->files) * (list->count - 1 - low));
    list->files[low] = file;
}

static void remove_file(weir_file_list *list, const weir_data_file *file)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->files[i]->name, file->name) == 0) {
            memmove(&list->files[i], &list->files[i + 1], sizeof(*list->files) * (list->count - 1 - i));
            list->count--;
            return;
        }
    }
}

void weir_bucket_levels_replace(weir_bucket_levels *levels, const weir_file_list *before, const weir_file_list *after)
{
    for (size_t i = 0; i < before->count; i++) {
        remove_file(&levels->levels[before->files[i]->level], before->files[i]);
    }
    for (size_t i = 0; i < after->count; i++) {
        weir_bucket_levels_add(levels, after->files[i]);
    }
}

int32_t weir_bucket_levels_run_count(const weir_bucket_levels *levels)
{
    int32_t count = (int32_t)levels->levels[0].count;
    for (int32_t i = 1; i < levels->level_count; i++) {
        count += levels->levels[i].count > 0;
    }
    return count;
}

int32_t weir_bucket_levels_highest_nonempty(const weir_bucket_levels *levels)
{
    for (int32_t i = levels->level_count - 1; i >= 0; i--) {
        if (levels->levels[i].count > 0) {
            return i;
        }
    }
    return -1;
}

int64_t weir_bucket_levels_max_sequence_number(const weir_bucket_levels *levels)
{
    int64_t max = -1;
    for (int32_t i = 0; i < levels->level_count; i++) {
        for (size_t j = 0; j < levels->levels[i].count; j++) {
            int64_t number = levels->levels[i].files[j]->max_sequence_number;
            max = number > max ? number : max;
        }
    }
    return max;
}

uint64_t weir_levels_add_file(uint64_t fingerprint, const weir_data_file *file)
{
    if (file->level == 0) {
        return fingerprint;
    }
    uint64_t sum = fingerprint + weir_hash_bytes(weir_slice_text(file->name)) * (2 * (uint64_t)file->level + 1);
    return sum != 0 ? sum : WEIR_LEVELS_EMPTY;
}

uint64_t weir_bucket_levels_fingerprint(const weir_bucket_levels *levels)
{
    uint64_t fingerprint = WEIR_LEVELS_EMPTY;
    for (int32_t level = 1; level < levels->level_count; level++) {
        for (size_t i = 0; i < levels->levels[level].count; i++) {
            fingerprint = weir_levels_add_file(fingerprint, levels->levels[level].files[i]);
        }
    }
    return fingerprint;
}

void weir_bucket_levels_runs(const weir_bucket_levels *levels, weir_arena *arena, weir_sorted_run **out, int32_t *out_count)
{
    weir_sorted_run *runs = WEIR_NEW_ARRAY(arena, weir_sorted_run, weir_bucket_levels_run_count(levels));
    int32_t count = 0;
    for (size_t i = 0; i < levels->levels[0].count; i++) {
        weir_data_file **file = weir_arena_copy(arena, &levels->levels[0].files[i], sizeof *file);
        runs[count++] = (weir_sorted_run){.files = file, .file_count = 1, .level = 0};
    }
    for (int32_t i = 1; i < levels->level_count; i++) {
        const weir_file_list *list = &levels->levels[i];
        if (list->count > 0) {
            runs[count++] = (weir_sorted_run){
                .files = weir_arena_copy(arena, list->files, sizeof(*list->files) * list->count),
                .file_count = (int32_t)list->count,
                .level = i,
            };
        }
    }
    *out = runs;
    *out_count = count;
}
