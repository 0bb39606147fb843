/* Cutting splits into smaller ones: plain files by rows, merges by ranges of keys.
 *
 * A piece opens its files anew, and a cut inside a page decodes that page twice, so that pieces are never small. Merges
 * are cut by sampled keys (merge_reader.h), as compactions are. */
#include "table/scan/split_divide.h"

#include <stdlib.h>

#include "merge/merge_reader.h"

/* What a piece holds at least. */
#define LEAST_RAW_BYTES   ((int64_t)1 << 20)
#define LEAST_MERGE_BYTES ((int64_t)4 << 20)

/* Pieces of plain files for each thread: they differ in what their rows cost. */
#define RAW_PIECES_PER_THREAD 3

typedef struct division {
    const weir_table *table;
    weir_table_plan *plan;
    weir_split *pieces;
    size_t count;
    size_t capacity;
    int64_t raw_bytes; /* about so many a piece */
    int64_t merge_bytes;
} division;

static weir_split *add_piece(division *work, const weir_split *like)
{
    WEIR_GROW(work->pieces, work->capacity, work->count + 1);
    weir_split *piece = &work->pieces[work->count++];
    *piece = *like;
    return piece;
}

static int64_t pieces_of(int64_t size_bytes, int64_t piece_bytes)
{
    return (size_bytes + piece_bytes / 2) / piece_bytes;
}

/* --- plain files ------------------------------------------------------------------------------------------------- */

/* Only Parquet files can be entered in the middle. */
static bool can_be_entered(const weir_data_file *file)
{
    return strcmp(weir_data_file_format(file->name), "parquet") == 0;
}

static void add_files(division *work, const weir_split *split, int32_t first, int32_t end)
{
    if (first == end) {
        return;
    }
    weir_split *piece = add_piece(work, split);
    piece->files = split->files + first;
    piece->file_count = end - first;
    piece->row_count = piece->size_bytes = 0;
    for (int32_t i = first; i < end; i++) {
        piece->row_count += split->files[i]->row_count;
        piece->size_bytes += split->files[i]->size_bytes;
    }
}

static void cut_file(division *work, const weir_split *split, int32_t number, int64_t parts)
{
    const weir_data_file *file = split->files[number];
    for (int64_t i = 0; i < parts; i++) {
        int64_t first = file->row_count / parts * i;
        int64_t end = i + 1 == parts ? file->row_count : file->row_count / parts * (i + 1);
        if (first == end) {
            continue;
        }
        weir_split *piece = add_piece(work, split);
        piece->files = split->files + number;
        piece->file_count = 1;
        piece->first_row = first;
        piece->row_count = piece->row_limit = end - first;
        piece->size_bytes = file->size_bytes / parts;
    }
}

/* Files that are large themselves are cut, small ones packed together. */
static void divide_files(division *work, const weir_split *split)
{
    int32_t first = 0;
    int64_t packed_bytes = 0;
    for (int32_t i = 0; i < split->file_count; i++) {
        int64_t size_bytes = split->files[i]->size_bytes;
        int64_t parts = pieces_of(size_bytes, work->raw_bytes);
        if (parts > 1 && can_be_entered(split->files[i])) {
            add_files(work, split, first, i);
            cut_file(work, split, i, parts);
            first = i + 1;
            packed_bytes = 0;
        } else if ((packed_bytes += size_bytes) >= work->raw_bytes) {
            add_files(work, split, first, i + 1);
            first = i + 1;
            packed_bytes = 0;
        }
    }
    add_files(work, split, first, split->file_count);
}

/* --- merges ------------------------------------------------------------------------------------------------------ */

static int divide_merge(division *work, const weir_split *split, weir_error *err)
{
    int64_t parts = pieces_of(split->size_bytes, work->merge_bytes);
    if (parts < 2) {
        add_piece(work, split);
        return WEIR_OK;
    }
    const weir_table *table = split->table != NULL ? split->table : work->table;
    weir_slice *bounds = NULL;
    int32_t bound_count = 0;
    WEIR_TRY(weir_merge_split_keys(&table->context, split->partition, split->bucket, split->runs, split->run_count,
                                   (int32_t)parts, &work->plan->arena, &bounds, &bound_count, err));
    for (int32_t i = 0; i <= bound_count; i++) {
        weir_split *piece = add_piece(work, split);
        piece->lower_key = i == 0 ? (weir_slice){0} : bounds[i - 1];
        piece->upper_key = i == bound_count ? (weir_slice){0} : bounds[i];
        piece->row_count = split->row_count / (bound_count + 1);
        piece->size_bytes = split->size_bytes / (bound_count + 1);
    }
    return WEIR_OK;
}

/* Whether few keys are asked for: a merge for their sake is short, whatever the size of its files. */
static bool names_keys(const weir_schema *schema, const weir_predicate *predicate)
{
    if (predicate == NULL || predicate->kind == WEIR_PREDICATE_OR) {
        return false;
    }
    if (predicate->kind == WEIR_PREDICATE_AND) {
        bool found = false;
        for (int32_t i = 0; i < predicate->child_count; i++) {
            found = found || names_keys(schema, predicate->children[i]);
        }
        return found;
    }
    return (predicate->kind == WEIR_PREDICATE_EQUAL || predicate->kind == WEIR_PREDICATE_IN) &&
           schema->key_column_count > 0 && predicate->column == schema->key_columns[0];
}

/* --- all --------------------------------------------------------------------------------------------------------- */

static int64_t at_least(int64_t value, int64_t least) { return value > least ? value : least; }

int weir_table_plan_divide(const weir_table *table, const weir_predicate *predicate, int32_t threads,
                           weir_table_plan *plan, weir_error *err)
{
    int64_t total_bytes = 0;
    for (size_t i = 0; i < plan->split_count; i++) {
        total_bytes += plan->splits[i].size_bytes;
    }
    if (threads < 2 || plan->split_count >= (size_t)threads * 4) {
        return WEIR_OK;
    }
    division work = {
        .table = table,
        .plan = plan,
        .raw_bytes = at_least(total_bytes / (threads * RAW_PIECES_PER_THREAD), LEAST_RAW_BYTES),
        .merge_bytes = at_least(total_bytes / threads, LEAST_MERGE_BYTES),
    };
    bool few_keys = names_keys(table->schema, predicate);
    int code = WEIR_OK;
    for (size_t i = 0; i < plan->split_count && code == WEIR_OK; i++) {
        const weir_split *split = &plan->splits[i];
        if (split->kind == WEIR_SPLIT_RAW) {
            divide_files(&work, split);
        } else if (split->kind == WEIR_SPLIT_MERGE && !few_keys) {
            code = divide_merge(&work, split, err);
        } else {
            add_piece(&work, split);
        }
    }
    if (code != WEIR_OK) {
        free(work.pieces);
        return weir_error_context(err, code, "planning %s", table->path);
    }
    free(plan->splits);
    plan->splits = work.pieces;
    plan->split_count = work.count;
    return WEIR_OK;
}
