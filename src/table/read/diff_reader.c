/* Walking two merged states of one bucket side by side, in key order, and comparing rows of equal keys. */
#include "table/read/diff_reader.h"

#include <stdlib.h>

#include "merge/merge_reader.h"
#include "vector/compare.h"

#define WINDOW_ROWS 16384

/* One state: the merge and its current window with all columns. */
typedef struct state {
    weir_merge_reader *merge; /* NULL: the state is empty */
    weir_batch rows;
    int64_t at;
    bool ended;
} state;

struct weir_diff_reader {
    const weir_table *table;
    state before;
    state after;
    const int32_t *columns; /* that go out */
    int32_t column_count;
    bool with_before; /* updates as two rows */
};

static int open_state(const weir_table *table, const weir_split *split, const weir_sorted_run *runs, int32_t run_count,
                      state *out, weir_error *err)
{
    const weir_schema *schema = table->schema;
    weir_batch_init(&out->rows, schema->fields, schema->field_count);
    if (run_count == 0) {
        out->ended = true;
        return WEIR_OK;
    }
    int32_t *all = weir_alloc(sizeof(int32_t) * (size_t)schema->field_count);
    for (int32_t i = 0; i < schema->field_count; i++) {
        all[i] = i;
    }
    weir_merge_options options = {.keep_deletes = true};
    int code = weir_merge_open(&table->context, split->partition, split->bucket, runs, run_count, all,
                               schema->field_count, &options, &out->merge, err);
    free(all);
    return code;
}

int weir_diff_reader_open(const weir_table *table, const weir_split *split, const int32_t *columns,
                          int32_t column_count, weir_diff_reader **out, weir_error *err)
{
    weir_diff_reader *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->table = table;
    reader->columns = columns;
    reader->column_count = column_count;
    reader->with_before = split->with_before;
    int code = open_state(table, split, split->before, split->before_count, &reader->before, err);
    if (code == WEIR_OK) {
        code = open_state(table, split, split->runs, split->run_count, &reader->after, err);
    }
    if (code != WEIR_OK) {
        weir_diff_reader_close(reader);
        return code;
    }
    *out = reader;
    return WEIR_OK;
}

void weir_diff_reader_close(weir_diff_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    weir_merge_close(reader->before.merge);
    weir_merge_close(reader->after.merge);
    weir_batch_free(&reader->before.rows);
    weir_batch_free(&reader->after.rows);
    free(reader);
}

/* Makes sure that there is a current row, or that the state has ended. */
static int fill(state *side, weir_error *err)
{
    while (!side->ended && side->at == side->rows.length) {
        weir_batch_clear(&side->rows);
        side->at = 0;
        int code = weir_merge_next(side->merge, WINDOW_ROWS, err);
        if (code == WEIR_END) {
            side->ended = true;
            return WEIR_OK;
        }
        WEIR_TRY(code);
        for (int32_t c = 0; c < side->rows.column_count; c++) {
            WEIR_TRY(weir_merge_column(side->merge, c, &side->rows.columns[c], err));
        }
        side->rows.length = side->merge->row_count;
    }
    return WEIR_OK;
}

static int emit(const weir_diff_reader *reader, const state *side, int8_t kind, weir_batch *batch, weir_error *err)
{
    for (int32_t c = 0; c < reader->column_count; c++) {
        WEIR_TRY(weir_vector_append_range(&batch->columns[c], &side->rows.columns[reader->columns[c]], side->at, 1,
                                          err));
    }
    batch->kinds[batch->length++] = kind;
    return WEIR_OK;
}

static bool rows_equal(const state *a, const state *b)
{
    if (weir_row_kind_is_retract(a->merge->kinds[a->at]) != weir_row_kind_is_retract(b->merge->kinds[b->at])) {
        return false;
    }
    for (int32_t c = 0; c < a->rows.column_count; c++) {
        if (!weir_vector_values_equal(&a->rows.columns[c], a->at, &b->rows.columns[c], b->at)) {
            return false;
        }
    }
    return true;
}

/* One key as a change of what readers know: a state's deletes are no rows. */
static int emit_change(const weir_diff_reader *reader, bool was, bool is, weir_batch *batch, weir_error *err)
{
    const state *before = &reader->before, *after = &reader->after;
    if (was && (!is || !rows_equal(before, after))) {
        WEIR_TRY(emit(reader, before, is ? WEIR_UPDATE_BEFORE : WEIR_DELETE, batch, err));
    }
    if (is && (!was || !rows_equal(before, after))) {
        WEIR_TRY(emit(reader, after, was ? WEIR_UPDATE_AFTER : WEIR_INSERT, batch, err));
    }
    return WEIR_OK;
}

static bool has_row(const state *side) { return !weir_row_kind_is_retract(side->merge->kinds[side->at]); }

/* One key: emits at most two rows and steps on. */
static int step(weir_diff_reader *reader, weir_batch *batch, weir_error *err)
{
    state *before = &reader->before, *after = &reader->after;
    int order = before->ended ? 1 : -1;
    if (!before->ended && !after->ended) {
        order = weir_sort_keys_compare(&before->merge->keys, before->at, &after->merge->keys, after->at);
    }
    if (reader->with_before) {
        WEIR_TRY(emit_change(reader, order <= 0 && has_row(before), order >= 0 && has_row(after), batch, err));
    } else if (order < 0 && has_row(before)) {
        WEIR_TRY(emit(reader, before, WEIR_DELETE, batch, err));
    } else if (order > 0 || (order == 0 && !rows_equal(before, after))) {
        WEIR_TRY(emit(reader, after, after->merge->kinds[after->at], batch, err));
    }
    before->at += order <= 0;
    after->at += order >= 0;
    return WEIR_OK;
}

int weir_diff_reader_next(weir_diff_reader *reader, weir_batch *batch, int64_t max_rows, weir_error *err)
{
    weir_batch_reserve_kinds(batch, max_rows + 1);
    while (batch->length < max_rows) {
        WEIR_TRY(fill(&reader->before, err));
        WEIR_TRY(fill(&reader->after, err));
        if (reader->before.ended && reader->after.ended) {
            break;
        }
        WEIR_TRY(step(reader, batch, err));
    }
    return batch->length > 0 ? WEIR_OK : WEIR_END;
}
