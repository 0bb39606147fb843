/* Reading ORC files behind the interface of format.h: rows are found in their stripes, and each requested column goes
 * through a stripe on its own, so that only its streams are read. */
#include <stdlib.h>

#include "format/orc/metadata.h"
#include "format/orc/orc.h"
#include "format/orc/project.h"
#include "format/orc/statistics.h"

/* Rows that are decoded together when single ones of them are wanted. */
#define SPAN_ROWS 4096

/* How far a column has come. */
typedef struct position {
    const weir_orc_stripe *stripe; /* NULL: nowhere */
    int64_t row;                   /* of the stripe, the next one */
    weir_vector scratch;           /* rows that were decoded on the way to wanted ones */
} position;

typedef struct reader {
    weir_format_reader base;
    weir_orc_source source;
    weir_arena arena;
    int64_t arena_bytes; /* of it, taken from the budget */
    weir_orc_metadata metadata;
    weir_orc_statistics statistics;
    bool has_statistics; /* they were read */
    weir_orc_column *columns;
    position *positions;
    int32_t column_count;
} reader;

static reader *reader_of(weir_format_reader *base) { return (reader *)(void *)base; }

/* The stripe that holds a row. */
static weir_orc_stripe *stripe_of(const reader *self, int64_t row)
{
    size_t low = 0;
    size_t high = self->metadata.stripe_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (self->metadata.stripes[middle].first_row <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &self->metadata.stripes[low];
}

static int enter_stripe(reader *self, int32_t column, weir_orc_stripe *stripe, weir_error *err)
{
    position *at = &self->positions[column];
    at->stripe = NULL;
    WEIR_TRY(weir_orc_stripe_read(&self->source, &self->arena, stripe, err));
    WEIR_TRY(weir_orc_source_settle(&self->source, self->arena.total_bytes, &self->arena_bytes, err));
    WEIR_TRY(weir_orc_column_enter(&self->columns[column], stripe, err));
    at->stripe = stripe;
    at->row = 0;
    return WEIR_OK;
}

/* Decodes up to a row of the current stripe, keeping nothing. */
static int skip_to(reader *self, int32_t column, int64_t row, weir_error *err)
{
    position *at = &self->positions[column];
    while (at->row < row) {
        int64_t piece = row - at->row < SPAN_ROWS ? row - at->row : SPAN_ROWS;
        weir_vector_clear(&at->scratch);
        WEIR_TRY(weir_orc_column_read(&self->columns[column], piece, NULL, &at->scratch, err));
        at->row += piece;
    }
    return WEIR_OK;
}

/* Makes a row of a stripe the next one of a column. */
static int go_to(reader *self, int32_t column, weir_orc_stripe *stripe, int64_t row, weir_error *err)
{
    position *at = &self->positions[column];
    if (at->stripe != stripe || at->row > row) {
        WEIR_TRY(enter_stripe(self, column, stripe, err));
    }
    int code = skip_to(self, column, row, err);
    if (code != WEIR_OK) { /* streams stand somewhere between rows */
        at->stripe = NULL;
    }
    return code;
}

static int read_rows(reader *self, int32_t column, int64_t first, int64_t count, weir_vector *out, weir_error *err)
{
    for (int64_t row = first; row < first + count;) {
        weir_orc_stripe *stripe = stripe_of(self, row);
        int64_t there = stripe->first_row + stripe->row_count - row;
        int64_t piece = first + count - row < there ? first + count - row : there;
        WEIR_TRY(go_to(self, column, stripe, row - stripe->first_row, err));
        int code = weir_orc_column_read(&self->columns[column], piece, NULL, out, err);
        if (code != WEIR_OK) {
            self->positions[column].stripe = NULL;
            return code;
        }
        self->positions[column].row += piece;
        row += piece;
    }
    return WEIR_OK;
}

/* ---- operations ---- */

static int check_rows(const reader *self, int32_t column, int64_t first, int64_t count, weir_error *err)
{
    if (column < 0 || column >= self->column_count || first < 0 || count < 0 || first > self->base.row_count - count) {
        return weir_fail(err, WEIR_INVALID, "%s: rows %" PRId64 " to %" PRId64 " of column %d do not exist",
                         self->source.path, first, first + count, column);
    }
    return WEIR_OK;
}

static int reader_read(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    reader *self = reader_of(base);
    WEIR_TRY(check_rows(self, column, first, count, err));
    return read_rows(self, column, first, count, out, err);
}

/* Wanted rows near each other are decoded with those between, and picked. */
static int reader_gather(weir_format_reader *base, int32_t column, int64_t first, const uint32_t *rows, int64_t count,
                         weir_vector *out, weir_error *err)
{
    reader *self = reader_of(base);
    uint32_t picks[SPAN_ROWS];
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(check_rows(self, column, first + rows[0], (int64_t)rows[count - 1] - rows[0] + 1, err));
    for (int64_t done = 0; done < count;) {
        const uint32_t *wanted = rows + done;
        int64_t size = 0;
        while (done + size < count && wanted[size] - wanted[0] < SPAN_ROWS) {
            picks[size] = wanted[size] - wanted[0];
            size++;
        }
        /* A skip on the way uses the scratch too: it must be over before the picked rows are in it. */
        int64_t from = first + wanted[0];
        weir_orc_stripe *stripe = stripe_of(self, from);
        WEIR_TRY(go_to(self, column, stripe, from - stripe->first_row, err));
        weir_vector *scratch = &self->positions[column].scratch;
        weir_vector_clear(scratch);
        WEIR_TRY(read_rows(self, column, from, (int64_t)picks[size - 1] + 1, scratch, err));
        WEIR_TRY(weir_vector_append_rows(out, scratch, picks, size, err));
        done += size;
    }
    return WEIR_OK;
}

/* The stripes in which a row may match, by the statistics of the columns that are named. */
static int prune_stripes(reader *self, const weir_predicate *predicate, const bool *named, weir_column_stats *stats,
                         weir_row_ranges *out, weir_error *err)
{
    for (size_t i = 0; i < self->metadata.stripe_count; i++) {
        const weir_orc_stripe *stripe = &self->metadata.stripes[i];
        for (int32_t k = 0; k < self->column_count; k++) {
            if (named[k]) {
                WEIR_TRY(
                    weir_orc_statistics_of(&self->statistics, &self->metadata, i, &self->columns[k], &stats[k], err));
            }
        }
        self->base.row_groups++;
        if (stripe->row_count > 0 && weir_predicate_may_match(predicate, stats)) {
            self->base.row_groups_kept++;
            weir_row_ranges_append(out, stripe->first_row, stripe->row_count);
        }
    }
    return WEIR_OK;
}

static int reader_prune(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out,
                        weir_error *err)
{
    reader *self = reader_of(base);
    if (predicate == NULL) {
        weir_row_ranges_append(out, 0, base->row_count);
        return WEIR_OK;
    }
    if (!self->has_statistics) {
        WEIR_TRY(weir_orc_statistics_read(&self->source, &self->metadata, &self->arena, &self->statistics, err));
        self->has_statistics = true;
        WEIR_TRY(weir_orc_source_settle(&self->source, self->arena.total_bytes, &self->arena_bytes, err));
    }
    weir_arena arena;
    weir_arena_init(&arena);
    bool *named = WEIR_NEW_ARRAY(&arena, bool, self->column_count);
    weir_column_stats *stats = WEIR_NEW_ARRAY(&arena, weir_column_stats, self->column_count);
    weir_predicate_columns(predicate, named);
    int code = prune_stripes(self, predicate, named, stats, out, err);
    weir_arena_free(&arena);
    return code;
}

static int reader_prefetch(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    (void)base; /* streams read ahead of themselves */
    (void)first;
    (void)count;
    (void)err;
    return WEIR_OK;
}

/* What the reader holds beside the file. */
static void release(reader *self)
{
    for (int32_t i = 0; self->positions != NULL && i < self->column_count; i++) {
        weir_orc_column_close(&self->columns[i]);
        weir_vector_free(&self->positions[i].scratch);
    }
    weir_budget_give(self->source.budget, self->arena_bytes);
    weir_orc_source_close(&self->source);
    weir_arena_free(&self->arena);
    free(self);
}

static void reader_close(weir_format_reader *base)
{
    reader *self = reader_of(base);
    weir_file *file = self->source.file;
    release(self);
    weir_file_close(file);
}

static const weir_format_reader_ops reader_ops = {
    .read = reader_read,
    .gather = reader_gather,
    .prune = reader_prune,
    .prefetch = reader_prefetch,
    .close = reader_close,
};

static int open_reader(reader *self, const weir_field *fields, int32_t field_count,
                       const weir_orc_projection_rules *rules, weir_error *err)
{
    WEIR_TRY(weir_orc_metadata_read(&self->source, &self->arena, &self->metadata, err));
    WEIR_TRY(weir_orc_project(&self->source, &self->metadata, fields, field_count, rules, &self->arena, &self->columns,
                              err));
    self->positions = WEIR_NEW_ARRAY(&self->arena, position, field_count);
    self->column_count = field_count;
    for (int32_t i = 0; i < field_count; i++) {
        weir_vector_init(&self->positions[i].scratch, fields[i].type);
    }
    self->base.ops = &reader_ops;
    self->base.row_count = self->metadata.row_count;
    return weir_orc_source_settle(&self->source, self->arena.total_bytes, &self->arena_bytes, err);
}

int weir_orc_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                         const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                         weir_error *err)
{
    reader *self = weir_alloc_zeroed(1, sizeof *self);
    weir_arena_init(&self->arena);
    weir_orc_projection_rules rules = {.instants_are_true = options != NULL && options->instants_are_true};
    int code = weir_orc_source_open(&self->source, file, budget, err);
    if (code == WEIR_OK) {
        code = open_reader(self, fields, field_count, &rules, err);
    }
    if (code != WEIR_OK) {
        release(self);
        return code;
    }
    *out = &self->base;
    return WEIR_OK;
}
