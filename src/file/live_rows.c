/* A reader in front of another one that leaves out deleted rows.
 *
 * It keeps the positions of all rows that are left, 4 bytes each: then a piece without gaps is read as it is, any other
 * is gathered. */
#include "file/live_rows.h"

#include <stdlib.h>

#include "index/deletion_vector.h"
#include "vector/bits.h"

typedef struct live_rows {
    weir_format_reader base;
    weir_format_reader *inner;
    weir_budget *budget;
    int64_t held_bytes;
    uint32_t *rows; /* in the file, ascending */
    uint32_t *scratch;
    size_t scratch_capacity;
    weir_row_ranges ranges; /* of the file */
} live_rows;

static int read_live(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                     weir_error *err)
{
    live_rows *reader = (live_rows *)base;
    const uint32_t *rows = reader->rows + first;
    if (count == 0) {
        return WEIR_OK;
    }
    if ((int64_t)(rows[count - 1] - rows[0]) == count - 1) {
        return reader->inner->ops->read(reader->inner, column, rows[0], count, out, err);
    }
    return reader->inner->ops->gather(reader->inner, column, 0, rows, count, out, err);
}

static int gather_live(weir_format_reader *base, int32_t column, int64_t row_base, const uint32_t *rows, int64_t count,
                       weir_vector *out, weir_error *err)
{
    live_rows *reader = (live_rows *)base;
    WEIR_GROW(reader->scratch, reader->scratch_capacity, count + 1);
    for (int64_t i = 0; i < count; i++) {
        reader->scratch[i] = reader->rows[row_base + rows[i]];
    }
    return reader->inner->ops->gather(reader->inner, column, 0, reader->scratch, count, out, err);
}

/* How many live rows lie before a row of the file. */
static int64_t count_before(const live_rows *reader, int64_t row)
{
    int64_t low = 0, high = reader->base.row_count;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (reader->rows[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int prune_live(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out, weir_error *err)
{
    live_rows *reader = (live_rows *)base;
    reader->ranges.count = 0;
    WEIR_TRY(reader->inner->ops->prune(reader->inner, predicate, &reader->ranges, err));
    for (size_t i = 0; i < reader->ranges.count; i++) {
        const weir_row_range *range = &reader->ranges.ranges[i];
        int64_t first = count_before(reader, range->first), end = count_before(reader, range->first + range->count);
        if (end > first) {
            weir_row_ranges_append(out, first, end - first);
        }
    }
    base->row_groups = reader->inner->row_groups;
    base->row_groups_kept = reader->inner->row_groups_kept;
    return WEIR_OK;
}

static int prefetch_live(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    live_rows *reader = (live_rows *)base;
    if (count == 0) {
        return WEIR_OK;
    }
    int64_t from = reader->rows[first], to = reader->rows[first + count - 1];
    return reader->inner->ops->prefetch(reader->inner, from, to - from + 1, err);
}

static void close_live(weir_format_reader *base)
{
    live_rows *reader = (live_rows *)base;
    if (reader->inner != NULL) {
        reader->inner->ops->close(reader->inner);
    }
    weir_budget_give(reader->budget, reader->held_bytes);
    weir_row_ranges_free(&reader->ranges);
    free(reader->scratch);
    free(reader->rows);
    free(reader);
}

static const weir_format_reader_ops live_rows_ops = {
    .read = read_live,
    .gather = gather_live,
    .prune = prune_live,
    .prefetch = prefetch_live,
    .close = close_live,
};

static int read_deletion(const weir_table_context *context, const weir_data_file *file, live_rows *reader,
                         weir_error *err)
{
    const weir_deletion *deletion = file->deletion;
    int64_t deleted = 0, live = 0;
    void *bits = NULL, *rows = NULL;
    int code;
    if (file->row_count > UINT32_MAX) {
        return weir_fail(err, WEIR_UNSUPPORTED, "a data file of %" PRId64 " rows with deleted ones; there may be %u",
                         file->row_count, UINT32_MAX);
    }
    WEIR_TRY(weir_alloc_checked((size_t)file->row_count / 8 + 8, 1, &bits, err));
    memset(bits, 0, (size_t)file->row_count / 8 + 8);
    WEIR_GO(weir_deletion_vector_read(context->fs, deletion->path, deletion->offset, deletion->length, file->row_count,
                                      bits, &deleted, err));
    live = file->row_count - deleted;
    WEIR_GO(weir_budget_take(context->budget, live * (int64_t)sizeof(uint32_t), err));
    reader->held_bytes = live * (int64_t)sizeof(uint32_t);
    WEIR_GO(weir_alloc_checked((size_t)live + 1, sizeof(uint32_t), &rows, err));
    reader->rows = rows;
    for (int64_t i = 0; i < file->row_count; i++) {
        if (!weir_bit_get(bits, i)) {
            reader->rows[reader->base.row_count++] = (uint32_t)i;
        }
    }
done:
    free(bits);
    return code;
}

int weir_live_rows_open(const weir_table_context *context, const weir_data_file *file, weir_format_reader *inner,
                        weir_format_reader **out, weir_error *err)
{
    live_rows *reader = weir_alloc_zeroed(1, sizeof *reader);
    reader->base.ops = &live_rows_ops;
    reader->budget = context->budget;
    int code = read_deletion(context, file, reader, err);
    if (code != WEIR_OK) {
        close_live(&reader->base);
        return code;
    }
    reader->inner = inner;
    *out = &reader->base;
    return WEIR_OK;
}
