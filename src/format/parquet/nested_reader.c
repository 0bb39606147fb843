/* Reading the leaves of nested columns: entries with their levels, as many as belong to the asked rows.
 *
 * A row is the entries from one with repetition level 0 up to the next such one. Pages begin with a row, but for those
 * of version 1 without an offset index: there a row may go on in the next page, so its end is known only when the next
 * row begins or the pages end. */
#include <stdlib.h>

#include "format/parquet/column_reader.h"
#include "vector/bits.h"

static int begin_page(weir_parquet_column_reader *reader, weir_error *err)
{
    WEIR_TRY(weir_parquet_column_begin_page(reader, err));
    reader->entries_left = reader->chunk.header.value_count;
    reader->block->position = reader->block->count = 0;
    return WEIR_OK;
}

static bool pages_begin_with_rows(const weir_parquet_column_reader *reader)
{
    return reader->chunk.indexed || reader->chunk.header.type == WEIR_PARQUET_DATA_PAGE_V2 ||
           reader->leaf->max_repetition == 0;
}

static uint8_t greatest_of(const uint8_t *levels, int32_t count)
{
    uint8_t greatest = 0;
    for (int32_t i = 0; i < count; i++) {
        greatest = levels[i] > greatest ? levels[i] : greatest;
    }
    return greatest;
}

static bool read_levels(weir_parquet_rle *rle, int32_t count, uint8_t max_level, uint8_t *out)
{
    if (max_level == 0) {
        memset(out, 0, (size_t)count);
        return true;
    }
    return weir_parquet_rle_read_bytes(rle, count, out) && greatest_of(out, count) <= max_level;
}

/* Decodes the levels of the next entries of the page, of which there are some. */
static int load_block(weir_parquet_column_reader *reader, weir_error *err)
{
    weir_parquet_level_block *block = reader->block;
    int32_t count =
        reader->entries_left < WEIR_PARQUET_LEVEL_BLOCK ? (int32_t)reader->entries_left : WEIR_PARQUET_LEVEL_BLOCK;
    if (!read_levels(&reader->repetitions, count, reader->leaf->max_repetition, block->repetitions) ||
        !read_levels(&reader->definitions, count, reader->leaf->max_definition, block->definitions)) {
        return weir_parquet_column_damaged(reader, "the levels of a page are damaged", err);
    }
    bool first = reader->entries_left == reader->chunk.header.value_count;
    if (first && pages_begin_with_rows(reader) && block->repetitions[0] != 0) {
        return weir_parquet_column_damaged(reader, "a page begins in the middle of a row", err);
    }
    reader->entries_left -= count;
    block->position = 0;
    block->count = count;
    return WEIR_OK;
}

/* Goes on to the next page; *found is false behind the last. */
static int next_page(weir_parquet_column_reader *reader, bool *found, weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &reader->chunk;
    size_t page = chunk->page + 1;
    if (!chunk->indexed && chunk->walk_row < 0 && page == chunk->page_count) {
        chunk->walk_row = reader->row;
    }
    WEIR_TRY(weir_parquet_chunk_has_page(chunk, page, found, err));
    if (!*found) {
        return WEIR_OK;
    }
    if (chunk->pages[page].first_row != reader->row) {
        return weir_parquet_column_damaged(reader, "a page has another number of rows than its place says", err);
    }
    WEIR_TRY(weir_parquet_chunk_load_page(chunk, page, err));
    return begin_page(reader, err);
}

/* --- entries ---------------------------------------------------------------------------------------------------- */

/* Room for `count` more levels, doubling. */
static int reserve_levels(weir_parquet_column_reader *reader, weir_parquet_scratch *scratch, int64_t count,
                          weir_error *err)
{
    size_t used = (size_t)reader->levels.count;
    size_t needed = used + (size_t)count;
    if (scratch->data != NULL && needed <= scratch->capacity) {
        return WEIR_OK;
    }
    return weir_parquet_scratch_reserve(reader->chunk.source, scratch, needed < used * 2 ? used * 2 : needed, used,
                                        err);
}

static int keep_levels(weir_parquet_column_reader *reader, int32_t count, weir_error *err)
{
    const weir_parquet_level_block *block = reader->block;
    weir_parquet_levels *levels = &reader->levels;
    WEIR_TRY(reserve_levels(reader, &levels->definitions, count, err));
    memcpy(levels->definitions.data + levels->count, block->definitions + block->position, (size_t)count);
    if (reader->leaf->max_repetition > 0) {
        WEIR_TRY(reserve_levels(reader, &levels->repetitions, count, err));
        memcpy(levels->repetitions.data + levels->count, block->repetitions + block->position, (size_t)count);
    }
    levels->count += count;
    return WEIR_OK;
}

/* Sets the validity of the places that these entries have. */
static void set_validity(const weir_parquet_leaf *leaf, const uint8_t *definitions, int32_t count, weir_vector *out)
{
    int64_t at = out->length;
    for (int32_t i = 0; i < count; i++) {
        if (definitions[i] >= leaf->slot_definition) {
            if (definitions[i] == leaf->max_definition) {
                weir_bit_set(out->validity, at);
            } else {
                weir_bit_clear(out->validity, at);
            }
            at++;
        }
    }
}

/* Takes the next `count` entries of the block: into `out`, or nowhere when it is NULL. */
static int take_entries(weir_parquet_column_reader *reader, int32_t count, weir_vector *out, weir_error *err)
{
    const weir_parquet_leaf *leaf = reader->leaf;
    const uint8_t *definitions = reader->block->definitions + reader->block->position;
    int64_t slots = 0;
    int64_t valid = 0;
    for (int32_t i = 0; i < count; i++) {
        slots += definitions[i] >= leaf->slot_definition;
        valid += definitions[i] == leaf->max_definition;
    }
    if (out == NULL) {
        WEIR_TRY(weir_parquet_skip_values(reader, valid, err));
    } else {
        WEIR_TRY(keep_levels(reader, count, err));
        if (valid < slots) {
            WEIR_TRY(weir_vector_reserve_validity(out, slots, err));
            set_validity(leaf, definitions, count, out);
        }
        WEIR_TRY(weir_parquet_append_values(reader, slots, valid, out, err));
    }
    reader->block->position += count;
    return WEIR_OK;
}

/* How many entries of the block come before the row behind `rows` more rows begins; counts those that begin. */
static int32_t entries_of_rows(const weir_parquet_column_reader *reader, int64_t rows, int64_t *begun)
{
    const weir_parquet_level_block *block = reader->block;
    int32_t at = block->position;
    for (; at < block->count; at++) {
        if (block->repetitions[at] == 0) {
            if (*begun == rows) {
                break;
            }
            ++*begun;
        }
    }
    return at - block->position;
}

/* Takes all entries up to where the row behind `rows` more rows begins. With 0 rows: the rest of a row that began in an
 * earlier page. */
static int take_rows(weir_parquet_column_reader *reader, int64_t rows, weir_vector *out, weir_error *err)
{
    int64_t begun = 0;
    for (;;) {
        if (reader->block->position == reader->block->count) {
            bool found = true;
            if (reader->entries_left == 0) {
                if (begun == rows && pages_begin_with_rows(reader)) {
                    return WEIR_OK;
                }
                WEIR_TRY(next_page(reader, &found, err));
            }
            if (!found) {
                return begun == rows
                           ? WEIR_OK
                           : weir_parquet_column_damaged(reader, "its pages have fewer rows than the row group", err);
            }
            if (reader->entries_left == 0) {
                continue; /* an empty page */
            }
            WEIR_TRY(load_block(reader, err));
        }
        int64_t before = begun;
        WEIR_TRY(take_entries(reader, entries_of_rows(reader, rows, &begun), out, err));
        reader->row += begun - before;
        if (reader->block->position < reader->block->count) {
            return WEIR_OK;
        }
    }
}

/* Moves to the beginning of `row` of the current row group. */
static int seek(weir_parquet_column_reader *reader, int64_t row, weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &reader->chunk;
    int64_t page_end = chunk->loaded ? weir_parquet_chunk_page_end(chunk, chunk->page) : -1;
    bool ahead_in_page = chunk->loaded && row >= reader->row && (page_end < 0 || row < page_end);
    if (!ahead_in_page && !(chunk->loaded && row == reader->row)) {
        size_t page;
        bool known;
        WEIR_TRY(weir_parquet_chunk_find_page(chunk, row, &page, &known, err));
        WEIR_TRY(weir_parquet_chunk_load_page(chunk, page, err));
        WEIR_TRY(begin_page(reader, err));
        reader->row = chunk->pages[page].first_row;
        WEIR_TRY(take_rows(reader, 0, NULL, err));
    }
    return row > reader->row ? take_rows(reader, row - reader->row, NULL, err) : WEIR_OK;
}

static int read_nested(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                       weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &reader->chunk;
    while (count > 0) {
        WEIR_TRY(weir_parquet_chunk_enter(chunk, weir_parquet_find_row_group(chunk->footer, first), err));
        int64_t row = first - chunk->group->first_row;
        int64_t left = chunk->group->row_count - row;
        int64_t size = count < left ? count : left;
        WEIR_TRY(seek(reader, row, err));
        WEIR_TRY(take_rows(reader, size, out, err));
        first += size;
        count -= size;
    }
    weir_vector_drop_validity(out);
    return WEIR_OK;
}

int weir_parquet_nested_read(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                             weir_error *err)
{
    if (reader->block == NULL) {
        reader->block = weir_alloc_zeroed(1, sizeof *reader->block);
    }
    reader->levels.count = 0;
    int code = read_nested(reader, first, count, out, err);
    if (code != WEIR_OK) {
        reader->chunk.loaded = false;
    }
    return code;
}
