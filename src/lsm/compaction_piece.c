/* Rewriting one key range of some runs, with or without a changelog.
 *
 * Without a changelog rows go column by column from the merge into the file (weir_merge_write). With one, a window of
 * rows is held in memory, since each row is needed up to twice: in the data file, and beside its older value in the
 * changelog. */
#include "lsm/compaction_piece.h"

#include <stdlib.h>

#include "lsm/compaction_changelog.h"
#include "merge/spill.h"

#define CHANGELOG_ROWS 16384

static int create_writer(const weir_compaction_piece *piece, weir_data_file_kind kind, weir_data_file_writer **out,
                         weir_error *err)
{
    weir_data_file_writer_options options = {
        .kind = kind,
        .partition = piece->partition,
        .bucket = piece->bucket,
        /* Of changelogs too, as in Java, whose incremental reads of first-row see no level 0. */
        .level = piece->output_level,
        .source = kind == WEIR_DATA_FILE_CHANGELOG ? WEIR_FILE_SOURCE_APPEND : WEIR_FILE_SOURCE_COMPACT,
    };
    return weir_data_file_writer_create(piece->context, &options, out, err);
}

/* --- older rows --- */

/* The lookup of a piece as what a merge asks for older rows. */
typedef struct older_rows {
    weir_lookup *lookup; /* NULL: nothing lies below */
    int64_t exact_from;
    weir_merge_older as_older;
} older_rows;

static int find_older(void *context, const weir_sort_keys *keys, const uint32_t *wanted, int64_t count, bool *found,
                      int8_t *out_kinds, int64_t *out_sequence_numbers, weir_error *err)
{
    const older_rows *older = context;
    WEIR_TRY(weir_lookup_find(older->lookup, keys, wanted, count, found, err));
    weir_lookup_kinds(older->lookup, out_kinds);
    return weir_lookup_sequence_numbers(older->lookup, older->exact_from, out_sequence_numbers, err);
}

static int older_column(void *context, int32_t column, weir_vector *out, weir_error *err)
{
    return weir_lookup_column(((const older_rows *)context)->lookup, column, out, err);
}

static int open_older(const weir_compaction_piece *piece, older_rows *out, weir_error *err)
{
    out->exact_from = piece->exact_from;
    out->as_older = (weir_merge_older){.context = out, .find = find_older, .column = older_column};
    if (piece->older_run_count == 0) {
        return WEIR_OK;
    }
    return weir_lookup_open(piece->context, piece->partition, piece->bucket, piece->older_runs, piece->older_run_count,
                            piece->index_cache, &out->lookup, err);
}

/* --- merging --- */

static int open_merge(const weir_compaction_piece *piece, int32_t max_runs, const older_rows *older, int32_t *columns,
                      weir_merge_reader **out, weir_error *err)
{
    int32_t column_count = piece->context->schema->field_count;
    for (int32_t i = 0; i < column_count; i++) {
        columns[i] = i;
    }
    weir_merge_options options = {
        .keep_deletes = !piece->drop_deletes || piece->makes_changelog,
        .want_previous = piece->makes_changelog,
        .previous_level = piece->told_level,
        .folds_lone_rows = piece->folds_lone_rows,
        .drop_expired = true,
        .older = older->lookup != NULL ? &older->as_older : NULL,
        .lower_key = piece->lower_key,
        .upper_key = piece->upper_key,
        .max_runs = max_runs,
    };
    return weir_merge_open(piece->context, piece->partition, piece->bucket, piece->runs, piece->run_count, columns,
                           column_count, &options, out, err);
}

static bool is_left_out(const weir_compaction_piece *piece, const weir_merge_reader *merge, int64_t row)
{
    return piece->drop_deletes && weir_row_kind_is_retract(merge->kinds[row]);
}

/* Runs of rows that stay are written as ranges of the window. */
static int write_window(const weir_compaction_piece *piece, const weir_merge_reader *merge, const weir_batch *rows,
                        weir_data_file_writer *writer, weir_error *err)
{
    int64_t first = 0;
    while (first < merge->row_count) {
        bool skip = is_left_out(piece, merge, first);
        int64_t end = first + 1;
        while (end < merge->row_count && is_left_out(piece, merge, end) == skip) {
            end++;
        }
        if (!skip) {
            WEIR_TRY(weir_data_file_writer_write_batch(writer, rows, first, end - first,
                                                       merge->sequence_numbers + first, merge->kinds + first, err));
        }
        first = end;
    }
    return WEIR_OK;
}

static int rewrite_with_changelog(const weir_compaction_piece *piece, weir_merge_reader *merge,
                                  weir_data_file_writer *writer, weir_data_file_writer *changelog_writer,
                                  weir_error *err)
{
    weir_compaction_changelog changelog;
    int code = WEIR_OK;
    weir_compaction_changelog_init(&changelog, piece->context->schema, piece->options, merge);
    for (;;) {
        code = weir_merge_next(merge, CHANGELOG_ROWS, err);
        if (code != WEIR_OK) {
            code = code == WEIR_END ? WEIR_OK : code;
            break;
        }
        WEIR_GO(weir_compaction_changelog_make(&changelog, err));
        if (writer != NULL) {
            WEIR_GO(write_window(piece, merge, &changelog.rows, writer, err));
        }
        WEIR_GO(weir_data_file_writer_write_batch(changelog_writer, &changelog.changes, 0, changelog.changes.length,
                                                  changelog.sequence_numbers, changelog.changes.kinds, err));
    }
done:
    weir_compaction_changelog_free(&changelog);
    return code;
}

static int finish(weir_data_file_writer *writer, weir_arena *arena, weir_file_list *out, weir_error *err)
{
    return weir_data_file_writer_finish(writer, arena, &out->files, &out->count, &out->capacity, err);
}

/* Merges at most `max_runs` runs at a time (0: all). */
static int run_piece(weir_compaction_piece *piece, int32_t max_runs, weir_error *err)
{
    int code = WEIR_OK;
    weir_merge_reader *merge = NULL;
    weir_data_file_writer *writer = NULL;
    weir_data_file_writer *changelog_writer = NULL;
    older_rows older = {0};
    int32_t *columns = weir_alloc(sizeof(int32_t) * (size_t)piece->context->schema->field_count);

    WEIR_GO(open_older(piece, &older, err));
    WEIR_GO(open_merge(piece, max_runs, &older, columns, &merge, err));
    if (piece->rewrites) {
        WEIR_GO(create_writer(piece, WEIR_DATA_FILE_KEY_VALUE, &writer, err));
    }
    if (piece->makes_changelog) {
        WEIR_GO(create_writer(piece, WEIR_DATA_FILE_CHANGELOG, &changelog_writer, err));
        WEIR_GO(rewrite_with_changelog(piece, merge, writer, changelog_writer, err));
        WEIR_GO(finish(changelog_writer, &piece->arena, &piece->changelog_files, err));
    } else {
        WEIR_GO(weir_merge_write(merge, writer, err));
    }
    if (writer != NULL) {
        WEIR_GO(finish(writer, &piece->arena, &piece->data_files, err));
    }
done:
    weir_data_file_writer_close(writer);
    weir_data_file_writer_close(changelog_writer);
    weir_merge_close(merge);
    weir_lookup_close(older.lookup);
    free(columns);
    return code;
}

/* Where memory is short, fewer runs are merged at a time; what a failed attempt wrote is gone by then. */
int weir_compaction_piece_run(void *argument, weir_error *err)
{
    weir_compaction_piece *piece = argument;
    int code = run_piece(piece, 0, err);
    for (int32_t runs = piece->run_count; code == WEIR_NO_MEMORY && runs > 2 && piece->changelog_files.count == 0;) {
        runs = runs / 4 < 2 ? 2 : runs / 4;
        code = run_piece(piece, runs, err);
    }
    return code;
}
