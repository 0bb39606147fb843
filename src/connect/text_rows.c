/* The rows of a file of text, read in blocks.
 *
 * The buffer holds what the row reader has not used up yet. It is filled again when the reader needs more for the next
 * record, and grows only for a record that is longer than a block. */
#include <stdlib.h>

#include "connect/file_rows.h"

#define BLOCK_BYTES ((size_t)1 << 20)

typedef struct text_rows {
    weir_file_rows base;
    weir_file *file;
    weir_row_reader *reader; /* borrowed */
    weir_budget *budget;
    uint8_t *buffer; /* of `capacity` bytes and padding */
    size_t capacity;
    size_t start; /* of what is unread in the buffer; it begins at the position */
    size_t end;
} text_rows;

static uint64_t read_offset(const text_rows *rows) { return rows->base.position.offset + (rows->end - rows->start); }

static int grow_buffer(text_rows *rows, size_t capacity, weir_error *err)
{
    if (capacity > WEIR_ROW_TEXT_LIMIT) {
        return weir_fail(err, WEIR_CORRUPT, "%s: line %" PRId64 ": a record of more than %zu MB; is this the format?",
                         rows->file->path, rows->base.position.line, WEIR_ROW_TEXT_LIMIT >> 20);
    }
    WEIR_TRY(weir_budget_take(rows->budget, (int64_t)(capacity - rows->capacity), err));
    uint8_t *grown = realloc(rows->buffer, capacity + WEIR_ROW_TEXT_PADDING);
    if (grown == NULL) {
        weir_budget_give(rows->budget, (int64_t)(capacity - rows->capacity));
        return weir_fail(err, WEIR_NO_MEMORY, "%s: no memory for a record of %zu bytes", rows->file->path, capacity);
    }
    rows->buffer = grown;
    rows->capacity = capacity;
    return WEIR_OK;
}

/* Moves the unread text to the front and reads as much behind it as there is room for. */
static int fill_buffer(text_rows *rows, weir_error *err)
{
    if (rows->start > 0) {
        memmove(rows->buffer, rows->buffer + rows->start, rows->end - rows->start);
        rows->end -= rows->start;
        rows->start = 0;
    }
    if (rows->end == rows->capacity) {
        WEIR_TRY(grow_buffer(rows, rows->capacity == 0 ? BLOCK_BYTES : rows->capacity * 2, err));
    }
    uint64_t left = rows->file->size - read_offset(rows);
    size_t room = rows->capacity - rows->end;
    size_t size = left < room ? (size_t)left : room;
    if (size > 0) {
        WEIR_TRY(weir_file_read_at(rows->file, read_offset(rows), rows->buffer + rows->end, size, err));
    }
    rows->end += size;
    memset(rows->buffer + rows->end, 0, WEIR_ROW_TEXT_PADDING);
    return WEIR_OK;
}

static int64_t count_lines(const uint8_t *text, size_t size)
{
    int64_t lines = 0;
    const uint8_t *end = text + size;
    while (text < end && (text = memchr(text, '\n', (size_t)(end - text))) != NULL) {
        lines++;
        text++;
    }
    return lines;
}

static int next_rows(weir_file_rows *self, int64_t most_rows, weir_batch *batch, weir_error *err)
{
    text_rows *rows = (text_rows *)self;
    for (;;) {
        bool is_end = read_offset(rows) >= rows->file->size;
        weir_row_text text = {.path = rows->file->path,
                              .data = rows->buffer + rows->start,
                              .size = rows->end - rows->start,
                              .first_line = self->position.line,
                              .is_end = is_end && !self->may_grow};
        size_t used = 0;
        if (text.size > 0) {
            rows->reader->state = self->position.state;
            WEIR_TRY(rows->reader->read(rows->reader, &text, most_rows, batch, &used, err));
            self->position.line += count_lines(text.data, used);
            self->position.offset += used;
            self->position.state = rows->reader->state;
            rows->start += used;
        }
        if (batch->length >= most_rows) {
            return WEIR_OK;
        }
        if (is_end) {
            return WEIR_END;
        }
        if (used >= BLOCK_BYTES / 2) {
            return WEIR_OK; /* a good deal; the caller may have enough */
        }
        WEIR_TRY(fill_buffer(rows, err));
    }
}

static void close_rows(weir_file_rows *self)
{
    if (self != NULL) {
        text_rows *rows = (text_rows *)self;
        weir_budget_give(rows->budget, (int64_t)rows->capacity);
        free(rows->buffer);
        weir_file_close(rows->file);
        free(rows);
    }
}

int weir_text_rows_open(weir_file *file, weir_row_reader *reader, weir_file_position position, weir_budget *budget,
                        weir_file_rows **out, weir_error *err)
{
    if (position.offset > file->size) {
        int code = weir_fail(err, WEIR_INVALID,
                             "%s: cannot go on after byte %" PRIu64 ": the file now has %" PRIu64
                             " bytes; was it written anew?",
                             file->path, position.offset, file->size);
        weir_file_close(file);
        return code;
    }
    text_rows *rows = weir_alloc_zeroed(1, sizeof *rows);
    rows->base = (weir_file_rows){.next = next_rows, .close = close_rows, .position = position};
    rows->file = file;
    rows->reader = reader;
    rows->budget = budget;
    *out = &rows->base;
    return WEIR_OK;
}
