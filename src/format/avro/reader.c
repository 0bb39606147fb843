/* Reading Avro container files: whole ones from memory, and data files behind the interface of format.h.
 *
 * Avro lays out rows one after the other, so that reading one column costs as much as reading all. The reader of data
 * files therefore decodes the requested columns of a block together and keeps the rows it was last asked for, whole
 * blocks of them, as its window: the other columns of the same rows are then copied from there. */
#include <stdlib.h>

#include "format/avro/avro.h"
#include "format/avro/container.h"
#include "format/avro/resolve.h"

/* Files up to this size are read at once when they are opened. */
#define WHOLE_FILE_BYTES ((uint64_t)4 << 20)
/* Schemas of wide tables make long headers; they are read by eightfold steps up to this. */
#define FIRST_HEADER_BYTES ((uint64_t)64 << 10)
#define MAX_HEADER_BYTES   ((uint64_t)32 << 20)

typedef struct reader {
    weir_format_reader base;
    weir_file *file;
    weir_arena arena;
    weir_budget *budget;
    int64_t taken_bytes; /* from the budget */
    weir_avro_header header;
    const weir_avro_node *program;
    weir_buffer held; /* the whole file, when it is small */
    bool whole;
    weir_avro_block *blocks;
    size_t block_count;
    size_t block_capacity;
    int64_t *first_rows; /* of each block, and the end */
    weir_batch window;
    weir_batch spare; /* takes the window's place when it moves */
    int64_t window_first;
    size_t window_end_block; /* the first block after the window */
    weir_buffer stored;
    weir_buffer scratch;
    uint32_t *positions;
    size_t position_capacity;
} reader;

int weir_avro_read_all(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                       weir_batch *out, weir_error *err)
{
    return weir_avro_read_chosen(bytes, path, fields, field_count, NULL, out, err);
}

int weir_avro_read_chosen(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                          const weir_avro_choice *choice, weir_batch *out, weir_error *err)
{
    weir_arena arena;
    weir_buffer scratch = {0};
    weir_avro_header header;
    const weir_avro_node *program = NULL;
    bool cut_off;
    int code;
    weir_arena_init(&arena);
    WEIR_GO(weir_avro_header_parse(bytes, path, &arena, &header, &cut_off, err));
    WEIR_GO(weir_avro_resolve(header.schema, fields, field_count, false, path, &arena, &program, err));
    size_t offset = header.size;
    while (offset < bytes.size) {
        weir_avro_block block;
        weir_slice records;
        weir_slice rest = weir_slice_of(bytes.data + offset, bytes.size - offset);
        WEIR_GO(weir_avro_block_parse(rest, offset, bytes.size, path, &block, err));
        weir_slice stored = weir_slice_of(bytes.data + block.offset, (size_t)block.size + WEIR_AVRO_SYNC_BYTES);
        WEIR_GO(weir_avro_block_unpack(&header, stored, &scratch, &records, path, err));
        int64_t kept = 0;
        WEIR_GO(weir_avro_decode(program, records, block.record_count, path, choice, out->columns, &kept, err));
        out->length += kept;
        offset = (size_t)block.offset + stored.size;
    }
done:
    weir_buffer_free(&scratch);
    weir_arena_free(&arena);
    return code;
}

/* ---- opening ---- */

/* Bytes of the file: from memory when it is held whole, else read into `into`. */
static int fetch(reader *self, uint64_t offset, size_t size, weir_buffer *into, weir_slice *out, weir_error *err)
{
    if (self->whole) {
        *out = weir_slice_of(self->held.data + offset, size);
        return WEIR_OK;
    }
    weir_buffer_clear(into);
    weir_buffer_reserve(into, size + 1); /* an empty file has an address too */
    WEIR_TRY(weir_file_read_at(self->file, offset, into->data, size, err));
    into->size = size;
    *out = weir_buffer_slice(into);
    return WEIR_OK;
}

/* Makes what was taken from the budget what is held now. */
static int settle_budget(reader *self, weir_error *err)
{
    int64_t now = (int64_t)(self->held.capacity + self->stored.capacity + self->scratch.capacity +
                            weir_batch_memory(&self->window) + weir_batch_memory(&self->spare));
    if (now > self->taken_bytes) {
        WEIR_TRY(weir_budget_take(self->budget, now - self->taken_bytes, err));
    } else if (self->budget != NULL) {
        weir_budget_give(self->budget, self->taken_bytes - now);
    }
    self->taken_bytes = now;
    return WEIR_OK;
}

static int read_header(reader *self, weir_error *err)
{
    uint64_t size = self->file->size;
    if (size <= WHOLE_FILE_BYTES) {
        weir_slice all;
        WEIR_TRY(fetch(self, 0, (size_t)size, &self->held, &all, err));
        self->whole = true;
    }
    for (uint64_t probe = FIRST_HEADER_BYTES;; probe *= 8) {
        weir_slice bytes;
        bool cut_off = false;
        bool last = self->whole || probe >= size || probe >= MAX_HEADER_BYTES;
        WEIR_TRY(fetch(self, 0, (size_t)(self->whole || probe > size ? size : probe), &self->stored, &bytes, err));
        int code = weir_avro_header_parse(bytes, self->file->path, &self->arena, &self->header, &cut_off, err);
        if (code == WEIR_OK || !cut_off || last) {
            return code;
        }
    }
}

/* Finds all blocks, by their heads alone. */
static int index_blocks(reader *self, weir_error *err)
{
    uint64_t size = self->file->size;
    uint64_t offset = self->header.size;
    int64_t rows = 0;
    while (offset < size) {
        weir_slice head;
        uint64_t left = size - offset;
        size_t head_size = left < WEIR_AVRO_BLOCK_HEAD_BYTES ? (size_t)left : WEIR_AVRO_BLOCK_HEAD_BYTES;
        WEIR_GROW(self->blocks, self->block_capacity, self->block_count + 1);
        weir_avro_block *block = &self->blocks[self->block_count];
        WEIR_TRY(fetch(self, offset, head_size, &self->stored, &head, err));
        WEIR_TRY(weir_avro_block_parse(head, offset, size, self->file->path, block, err));
        if (__builtin_add_overflow(rows, block->record_count, &rows) || rows > INT64_MAX / 2) {
            return weir_fail(err, WEIR_CORRUPT, "%s: its blocks claim more records than a file can have",
                             self->file->path);
        }
        offset = block->offset + block->size + WEIR_AVRO_SYNC_BYTES;
        if (block->record_count > 0) {
            self->block_count++;
        }
    }
    self->base.row_count = rows;
    self->first_rows = weir_alloc_zeroed(self->block_count + 1, sizeof *self->first_rows);
    for (size_t i = 0; i < self->block_count; i++) {
        self->first_rows[i + 1] = self->first_rows[i] + self->blocks[i].record_count;
    }
    return WEIR_OK;
}

/* ---- the window ---- */

static int64_t window_end(const reader *self) { return self->window_first + self->window.length; }

/* The block that holds a row. */
static size_t block_of(const reader *self, int64_t row)
{
    size_t low = 0;
    size_t high = self->block_count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (self->first_rows[middle] <= row) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static int decode_block(reader *self, const weir_avro_block *block, weir_error *err)
{
    weir_slice stored;
    weir_slice records;
    const char *path = self->file->path;
    WEIR_TRY(fetch(self, block->offset, (size_t)block->size + WEIR_AVRO_SYNC_BYTES, &self->stored, &stored, err));
    WEIR_TRY(weir_avro_block_unpack(&self->header, stored, &self->scratch, &records, path, err));
    int64_t kept;
    WEIR_TRY(
        weir_avro_decode(self->program, records, block->record_count, path, NULL, self->window.columns, &kept, err));
    self->window.length += block->record_count;
    return settle_budget(self, err);
}

/* Begins a new window at `first`. Rows that the old one has from there on are kept: they are the part of its last block
 * that a reader going through the file asks for next. */
static int move_window(reader *self, int64_t first, weir_error *err)
{
    weir_batch_clear(&self->spare);
    if (first >= self->window_first && first < window_end(self)) {
        WEIR_TRY(weir_batch_append_range(&self->spare, &self->window, first - self->window_first,
                                         window_end(self) - first, err));
        self->window_first = first;
    } else {
        self->window_end_block = block_of(self, first);
        self->window_first = self->first_rows[self->window_end_block];
    }
    weir_batch old = self->window;
    self->window = self->spare;
    self->spare = old;
    return WEIR_OK;
}

static int fill_window(reader *self, int64_t first, int64_t end, weir_error *err)
{
    if (first < self->window_first || end > window_end(self)) {
        WEIR_TRY(move_window(self, first, err));
    }
    while (window_end(self) < end) {
        WEIR_TRY(decode_block(self, &self->blocks[self->window_end_block], err));
        self->window_end_block++;
    }
    return WEIR_OK;
}

/* Makes the window cover rows first .. end - 1. */
static int cover(reader *self, int64_t first, int64_t end, weir_error *err)
{
    if (first < 0 || end < first || end > self->base.row_count) {
        return weir_fail(err, WEIR_INVALID, "%s: rows %" PRId64 " to %" PRId64 " of a file of %" PRId64,
                         self->file->path, first, end, self->base.row_count);
    }
    int code = fill_window(self, first, end, err);
    if (code != WEIR_OK) { /* columns may be of unequal length: forget them */
        weir_batch_clear(&self->window);
        self->window_first = 0;
        self->window_end_block = 0;
    }
    return code;
}

/* ---- operations ---- */

static int reader_read(weir_format_reader *base, int32_t column, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    reader *self = (reader *)base;
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(cover(self, first, first + count, err));
    return weir_vector_append_range(out, &self->window.columns[column], first - self->window_first, count, err);
}

static int reader_gather(weir_format_reader *base, int32_t column, int64_t first, const uint32_t *rows, int64_t count,
                         weir_vector *out, weir_error *err)
{
    reader *self = (reader *)base;
    if (count == 0) {
        return WEIR_OK;
    }
    WEIR_TRY(cover(self, first + rows[0], first + rows[count - 1] + 1, err));
    const weir_vector *from = &self->window.columns[column];
    int64_t shift = first - self->window_first;
    if (shift == 0) {
        return weir_vector_append_rows(out, from, rows, count, err);
    }
    WEIR_GROW(self->positions, self->position_capacity, count);
    for (int64_t i = 0; i < count; i++) {
        self->positions[i] = (uint32_t)(rows[i] + shift);
    }
    return weir_vector_append_rows(out, from, self->positions, count, err);
}

static int reader_prune(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out,
                        weir_error *err)
{
    (void)predicate; /* Avro files have no statistics */
    (void)err;
    if (base->row_count > 0) {
        weir_row_ranges_append(out, 0, base->row_count);
    }
    return WEIR_OK;
}

static int reader_prefetch(weir_format_reader *base, int64_t first, int64_t count, weir_error *err)
{
    (void)base;
    (void)first;
    (void)count;
    (void)err;
    return WEIR_OK;
}

/* What the reader holds beside the file. */
static void release(reader *self)
{
    if (self->budget != NULL) {
        weir_budget_give(self->budget, self->taken_bytes);
    }
    weir_batch_free(&self->window);
    weir_batch_free(&self->spare);
    weir_buffer_free(&self->held);
    weir_buffer_free(&self->stored);
    weir_buffer_free(&self->scratch);
    free(self->positions);
    free(self->blocks);
    free(self->first_rows);
    weir_arena_free(&self->arena);
    free(self);
}

static void reader_close(weir_format_reader *base)
{
    reader *self = (reader *)base;
    weir_file_close(self->file);
    release(self);
}

static const weir_format_reader_ops reader_ops = {
    .read = reader_read,
    .gather = reader_gather,
    .prune = reader_prune,
    .prefetch = reader_prefetch,
    .close = reader_close,
};

int weir_avro_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                          const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                          weir_error *err)
{
    (void)options; /* nothing of this format is meant */
    reader *self = weir_alloc_zeroed(1, sizeof *self);
    int code;
    self->base.ops = &reader_ops;
    self->file = file;
    self->budget = budget;
    weir_arena_init(&self->arena);
    weir_batch_init(&self->window, fields, field_count);
    weir_batch_init(&self->spare, fields, field_count);
    WEIR_GO(read_header(self, err));
    WEIR_GO(weir_avro_resolve(self->header.schema, fields, field_count, true, file->path, &self->arena, &self->program,
                              err));
    WEIR_GO(index_blocks(self, err));
    WEIR_GO(settle_budget(self, err));
    *out = &self->base;
    return WEIR_OK;
done:
    release(self);
    return code;
}
