/* Gathering the selected rows of a merge; see the header. */
#include "merge/selection.h"

#include <stdlib.h>

void weir_selection_init(weir_selection *selection, int32_t run_count, weir_older_rows *older)
{
    run_count += older != NULL;
    *selection = (weir_selection){.run_count = run_count, .older = older};
    selection->run_starts = weir_alloc_zeroed((size_t)run_count + 1, sizeof *selection->run_starts);
    selection->piece_starts = weir_alloc_zeroed((size_t)run_count + 1, sizeof *selection->piece_starts);
    selection->scratch = weir_alloc_zeroed((size_t)run_count + 1, sizeof *selection->scratch);
}

static void free_scratch(weir_selection *selection)
{
    for (int32_t r = 0; selection->scratch_type != NULL && r < selection->run_count; r++) {
        weir_vector_free(&selection->scratch[r]);
    }
    selection->scratch_type = NULL;
}

static void free_rows(weir_selection *selection)
{
    free(selection->runs);
    free(selection->run_rows);
    free(selection->rows);
    selection->runs = NULL;
    selection->run_rows = NULL;
    selection->rows = NULL;
    selection->capacity = 0;
}

void weir_selection_free(weir_selection *selection)
{
    if (selection->scratch != NULL) {
        free_scratch(selection);
    }
    free_rows(selection);
    free(selection->scratch);
    free(selection->run_starts);
    free(selection->piece_starts);
    free(selection->pieces);
    *selection = (weir_selection){0};
}

int weir_selection_reserve(weir_selection *selection, int64_t count, weir_error *err)
{
    size_t needed = (size_t)count;
    if (needed <= selection->capacity) {
        return WEIR_OK;
    }
    free_rows(selection);
    WEIR_TRY(weir_alloc_checked(needed, sizeof *selection->runs, (void **)&selection->runs, err));
    WEIR_TRY(weir_alloc_checked(needed, sizeof *selection->run_rows, (void **)&selection->run_rows, err));
    WEIR_TRY(weir_alloc_checked(needed, sizeof *selection->rows, (void **)&selection->rows, err));
    selection->capacity = needed;
    return WEIR_OK;
}

/* Where the file that holds `run_row` stands among those that the cursor keeps. */
static size_t file_of_row(const weir_run_cursor *cursor, int64_t run_row)
{
    size_t file = cursor->file_count - 1;
    while (file > 0 && cursor->files[file].first_row > run_row) {
        file--;
    }
    return file;
}

static weir_selection_piece *begin_piece(weir_selection *selection, const weir_run_cursor *cursor, int64_t run_row,
                                         int64_t first)
{
    weir_run_file *file = &cursor->files[file_of_row(cursor, run_row)];
    WEIR_GROW(selection->pieces, selection->piece_capacity, selection->piece_count + 1);
    weir_selection_piece *piece = &selection->pieces[selection->piece_count++];
    *piece = (weir_selection_piece){.file = file, .base = run_row - file->first_row, .first = first};
    return piece;
}

static bool is_older_run(const weir_selection *selection, int32_t run)
{
    return selection->older != NULL && run == selection->run_count - 1;
}

/* Rows that were looked up lie in no file. */
static void take_older(weir_selection *selection, const int64_t *ordered, int64_t first, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        selection->rows[first + i] = (uint32_t)ordered[i];
    }
}

/* Cuts one run's rows into pieces of one file each. `ordered` are its rows, as run rows. */
static void cut_pieces(weir_selection *selection, const weir_run_cursor *cursor, const int64_t *ordered, int64_t first,
                       int64_t count)
{
    weir_selection_piece *piece = NULL;
    int64_t piece_start = 0; /* as a run row */
    int64_t piece_limit = 0; /* the first run row that is beyond the file or the reach of 32 bits */
    for (int64_t i = 0; i < count; i++) {
        int64_t run_row = ordered[i];
        if (piece == NULL || run_row >= piece_limit) {
            piece = begin_piece(selection, cursor, run_row, first + i);
            piece_start = run_row;
            piece_limit = run_row - piece->base + piece->file->file->row_count;
            if (piece_limit - piece_start > (int64_t)UINT32_MAX) {
                piece_limit = piece_start + (int64_t)UINT32_MAX;
            }
        }
        selection->rows[first + i] = (uint32_t)(run_row - piece_start);
        piece->count++;
    }
}

static void mark_dense_pieces(weir_selection *selection)
{
    for (size_t i = 0; i < selection->piece_count; i++) {
        weir_selection_piece *piece = &selection->pieces[i];
        piece->is_dense = selection->rows[piece->first + piece->count - 1] == (uint64_t)(piece->count - 1);
    }
}

void weir_selection_build(weir_selection *selection, const weir_run_cursor *cursors)
{
    int32_t run_count = selection->run_count;
    int64_t *starts = selection->run_starts;
    memset(starts, 0, ((size_t)run_count + 1) * sizeof *starts);
    for (int64_t i = 0; i < selection->count; i++) {
        starts[selection->runs[i] + 1]++;
    }
    for (int32_t r = 0; r < run_count; r++) {
        starts[r + 1] += starts[r];
    }
    int64_t *ordered = weir_alloc((size_t)selection->count * sizeof *ordered);
    int64_t *next = weir_alloc((size_t)run_count * sizeof *next);
    memcpy(next, starts, (size_t)run_count * sizeof *next);
    for (int64_t i = 0; i < selection->count; i++) {
        ordered[next[selection->runs[i]]++] = selection->run_rows[i];
    }
    selection->piece_count = 0;
    for (int32_t r = 0; r < run_count; r++) {
        selection->piece_starts[r] = selection->piece_count;
        if (is_older_run(selection, r)) {
            take_older(selection, ordered + starts[r], starts[r], starts[r + 1] - starts[r]);
        } else {
            cut_pieces(selection, &cursors[r], ordered + starts[r], starts[r], starts[r + 1] - starts[r]);
        }
    }
    selection->piece_starts[run_count] = selection->piece_count;
    mark_dense_pieces(selection);
    free(ordered);
    free(next);
}

static int gather_run(const weir_selection *selection, const weir_merge_source *source, int32_t run, int32_t column,
                      weir_vector *out, weir_error *err)
{
    if (is_older_run(selection, run)) {
        const weir_vector *values = NULL;
        int64_t first = selection->run_starts[run];
        WEIR_TRY(weir_older_rows_column(selection->older, source->value_columns[column], &values, err));
        return weir_vector_append_rows(out, values, selection->rows + first, selection->run_starts[run + 1] - first,
                                       err);
    }
    for (size_t i = selection->piece_starts[run]; i < selection->piece_starts[run + 1]; i++) {
        const weir_selection_piece *piece = &selection->pieces[i];
        weir_format_reader *reader = NULL;
        WEIR_TRY(weir_run_file_values(source, piece->file, &reader, err));
        if (piece->is_dense) {
            WEIR_TRY(reader->ops->read(reader, column, piece->base, piece->count, out, err));
        } else {
            WEIR_TRY(reader->ops->gather(reader, column, piece->base, selection->rows + piece->first, piece->count, out,
                                         err));
        }
    }
    return WEIR_OK;
}

static void prepare_scratch(weir_selection *selection, const weir_type *type)
{
    if (selection->scratch_type != type) {
        free_scratch(selection);
        for (int32_t r = 0; r < selection->run_count; r++) {
            weir_vector_init(&selection->scratch[r], type);
        }
        selection->scratch_type = type;
    }
    for (int32_t r = 0; r < selection->run_count; r++) {
        weir_vector_clear(&selection->scratch[r]);
    }
}

int weir_selection_gather(weir_selection *selection, const weir_merge_source *source, int32_t column, weir_vector *out,
                          weir_error *err)
{
    int32_t run_count = selection->run_count;
    for (int32_t r = 0; r < run_count; r++) {
        if (selection->run_starts[r + 1] - selection->run_starts[r] == selection->count) {
            return gather_run(selection, source, r, column, out, err); /* all of one run: nothing to interleave */
        }
    }
    prepare_scratch(selection, source->value_fields[column].type);
    weir_vector **sources = weir_alloc((size_t)run_count * sizeof *sources);
    int64_t *cursors = weir_alloc_zeroed((size_t)run_count, sizeof *cursors);
    int code = WEIR_OK;
    for (int32_t r = 0; r < run_count; r++) {
        sources[r] = &selection->scratch[r];
        WEIR_GO(gather_run(selection, source, r, column, sources[r], err));
    }
    WEIR_GO(weir_vector_interleave(out, sources, cursors, selection->runs, selection->count, err));
done:
    free(sources);
    free(cursors);
    return code;
}
