/* Finding rows of a column without nesting: reading ranges, and gathering selected rows. */
#include "format/parquet/column_reader.h"

#include <stdlib.h>

#include "vector/bits.h"

/* Gathering decodes everything between wanted rows that are nearer than this; farther ones are skipped to. */
#define NEAR_ROWS 64

void weir_parquet_column_reader_init(weir_parquet_column_reader *reader, weir_parquet_source *source,
                                     const weir_parquet_footer *footer, const weir_parquet_leaf *leaf)
{
    memset(reader, 0, sizeof *reader);
    reader->leaf = leaf;
    reader->values.source = source;
    reader->values.leaf = leaf;
    weir_parquet_chunk_reader_init(&reader->chunk, source, footer, leaf);
    weir_vector_init(&reader->picked, leaf->type);
}

void weir_parquet_column_reader_free(weir_parquet_column_reader *reader)
{
    weir_parquet_source *source = reader->chunk.source;
    weir_parquet_values_free(&reader->values);
    weir_parquet_scratch_free(source, &reader->dictionary.values);
    weir_parquet_scratch_free(source, &reader->levels.definitions);
    weir_parquet_scratch_free(source, &reader->levels.repetitions);
    weir_parquet_chunk_reader_free(&reader->chunk);
    free(reader->block);
    weir_vector_free(&reader->picked);
}

int weir_parquet_column_damaged(const weir_parquet_column_reader *reader, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: column %s, row group %d: %s", reader->chunk.source->path,
                     reader->leaf->name, reader->chunk.row_group, what);
}

int32_t weir_parquet_find_row_group(const weir_parquet_footer *footer, int64_t row)
{
    int32_t from = 0;
    int32_t to = footer->row_group_count;
    while (to - from > 1) {
        int32_t middle = from + (to - from) / 2;
        if (footer->row_groups[middle].first_row <= row) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

/* --- pages ------------------------------------------------------------------------------------------------------ */

static int begin_indexes(weir_parquet_column_reader *reader, weir_error *err)
{
    weir_slice bytes = reader->chunk.values;
    if (!reader->chunk.dictionary_loaded || reader->dictionary.load != reader->chunk.dictionary_loads) {
        WEIR_TRY(weir_parquet_dictionary_build(&reader->dictionary, &reader->chunk, err));
    }
    uint8_t width = bytes.size > 0 ? bytes.data[0] : 0; /* a page of nulls may have nothing here */
    if (width > 32) {
        return weir_parquet_column_damaged(reader, "dictionary indexes have more than 32 bits", err);
    }
    size_t head = bytes.size > 0 ? 1 : 0;
    weir_parquet_rle_init(&reader->indexes, weir_slice_of(bytes.data + head, bytes.size - head), width);
    return WEIR_OK;
}

int weir_parquet_column_begin_page(weir_parquet_column_reader *reader, weir_error *err)
{
    const weir_parquet_chunk_reader *chunk = &reader->chunk;
    const weir_parquet_leaf *leaf = reader->leaf;
    weir_parquet_encoding encoding = chunk->header.encoding;
    weir_parquet_rle_init(&reader->repetitions, chunk->repetitions, weir_parquet_level_bits(leaf->max_repetition));
    weir_parquet_rle_init(&reader->definitions, chunk->definitions, weir_parquet_level_bits(leaf->max_definition));
    reader->all_valid = leaf->max_definition == 0 ||
                        weir_parquet_rle_is_run(&reader->definitions, chunk->header.value_count, leaf->max_definition);
    reader->uses_dictionary = encoding == WEIR_PARQUET_PLAIN_DICTIONARY || encoding == WEIR_PARQUET_RLE_DICTIONARY;
    if (reader->uses_dictionary) {
        return begin_indexes(reader, err);
    }
    if (chunk->values.size == 0) { /* a page of nulls: some encodings would miss their heads */
        return weir_parquet_values_begin(&reader->values, WEIR_PARQUET_PLAIN, chunk->values, err);
    }
    return weir_parquet_values_begin(&reader->values, encoding, chunk->values, err);
}

static int load_page_of(weir_parquet_column_reader *reader, int64_t row, weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &reader->chunk;
    size_t page;
    bool known;
    WEIR_TRY(weir_parquet_chunk_find_page(chunk, row, &page, &known, err));
    WEIR_TRY(weir_parquet_chunk_load_page(chunk, page, err));
    reader->page_first = chunk->pages[page].first_row;
    reader->page_end = weir_parquet_chunk_page_end(chunk, page);
    if (chunk->header.value_count != reader->page_end - reader->page_first) {
        return weir_parquet_column_damaged(reader, "a page has another number of rows than its place says", err);
    }
    return WEIR_OK;
}

/* Makes the page with `row` (of the file) the current one; *out is the row in its row group. The decoder may stand
 * anywhere in the page. */
static int enter_page_of(weir_parquet_column_reader *reader, int64_t row, int64_t *out, weir_error *err)
{
    weir_parquet_chunk_reader *chunk = &reader->chunk;
    int32_t group = chunk->row_group;
    if (group < 0 || row < chunk->group->first_row || row >= chunk->group->first_row + chunk->group->row_count) {
        group = weir_parquet_find_row_group(chunk->footer, row);
        WEIR_TRY(weir_parquet_chunk_enter(chunk, group, err));
    }
    int64_t in_group = row - chunk->group->first_row;
    *out = in_group;
    if (!chunk->loaded || in_group < reader->page_first || in_group >= reader->page_end) {
        chunk->loaded = false;
        WEIR_TRY(load_page_of(reader, in_group, err));
        WEIR_TRY(weir_parquet_column_begin_page(reader, err));
        reader->row = reader->page_first;
    }
    return WEIR_OK;
}

/* Moves the decoder to `row` (of the row group) in the current page. */
static int move_in_page(weir_parquet_column_reader *reader, int64_t row, weir_error *err)
{
    if (row < reader->row) {
        WEIR_TRY(weir_parquet_column_begin_page(reader, err));
        reader->row = reader->page_first;
    }
    int64_t skipped = row - reader->row;
    if (skipped == 0) {
        return WEIR_OK;
    }
    int64_t valid = 0;
    if (reader->all_valid) {
        valid = skipped;
    } else if (!weir_parquet_rle_skip_bits(&reader->definitions, skipped, &valid)) {
        return weir_parquet_column_damaged(reader, "a page ends too early", err);
    }
    WEIR_TRY(weir_parquet_skip_values(reader, valid, err));
    reader->row = row;
    return WEIR_OK;
}

/* --- reading ---------------------------------------------------------------------------------------------------- */

/* Appends the next `count` rows of the current page. */
static int append_rows(weir_parquet_column_reader *reader, int64_t count, weir_vector *out, weir_error *err)
{
    int64_t valid = count;
    if (!reader->all_valid) {
        valid = 0;
        WEIR_TRY(weir_vector_reserve_validity(out, count, err));
        if (!weir_parquet_rle_read_bits(&reader->definitions, count, out->validity, out->length, &valid)) {
            return weir_parquet_column_damaged(reader, "a page ends too early", err);
        }
    }
    WEIR_TRY(weir_parquet_append_values(reader, count, valid, out, err));
    reader->row += count;
    return WEIR_OK;
}

static int read_rows(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                     weir_error *err)
{
    while (count > 0) {
        int64_t row;
        WEIR_TRY(enter_page_of(reader, first, &row, err));
        WEIR_TRY(move_in_page(reader, row, err));
        int64_t left = reader->page_end - row;
        int64_t size = count < left ? count : left;
        WEIR_TRY(append_rows(reader, size, out, err));
        first += size;
        count -= size;
    }
    weir_vector_drop_validity(out);
    return WEIR_OK;
}

int weir_parquet_column_read(weir_parquet_column_reader *reader, int64_t first, int64_t count, weir_vector *out,
                             weir_error *err)
{
    int code = read_rows(reader, first, count, out, err);
    if (code != WEIR_OK) {
        reader->chunk.loaded = false; /* where the decoder stands is no longer known */
    }
    return code;
}

/* --- gathering -------------------------------------------------------------------------------------------------- */

#define DEFINE_GATHER(name, ctype)                                                                                     \
    static void name(const ctype *restrict values, int64_t first, const uint32_t *restrict rows, int64_t count,        \
                     ctype *restrict out)                                                                              \
    {                                                                                                                  \
        for (int64_t i = 0; i < count; i++) {                                                                          \
            memcpy(&out[i], (const char *)values + (first + rows[i]) * (int64_t)sizeof(ctype), sizeof(ctype));         \
        }                                                                                                              \
    }

DEFINE_GATHER(gather_32, uint32_t)
DEFINE_GATHER(gather_64, uint64_t)

/* Numbers that lie in the page as they lie in memory need no decoding. */
static bool can_gather_in_place(const weir_parquet_column_reader *reader)
{
    return reader->all_valid && !reader->uses_dictionary && reader->values.encoding == WEIR_PARQUET_PLAIN &&
           reader->leaf->conversion == WEIR_PARQUET_CONVERT_NONE;
}

/* `shift` makes a row of the page of one in `rows`. */
static int gather_in_place(weir_parquet_column_reader *reader, int64_t shift, const uint32_t *rows, int64_t count,
                           weir_vector *out, weir_error *err)
{
    size_t width = (size_t)reader->leaf->width;
    size_t page_rows = (size_t)(reader->page_end - reader->page_first);
    if (reader->chunk.values.size / width < page_rows) {
        return weir_parquet_column_damaged(reader, "a page ends too early", err);
    }
    WEIR_TRY(weir_vector_reserve(out, count, err));
    const void *values = reader->chunk.values.data;
    if (width == 4) {
        gather_32(values, shift, rows, count, WEIR_VALUES(out, uint32_t) + out->length);
    } else {
        gather_64(values, shift, rows, count, WEIR_VALUES(out, uint64_t) + out->length);
    }
    if (out->validity != NULL) {
        weir_bits_fill(out->validity, out->length, count, true);
    }
    out->length += count;
    return WEIR_OK;
}

/* How many of `rows` lie near enough to each other to be decoded together. */
static int64_t near_rows(const uint32_t *rows, int64_t count)
{
    int64_t size = 1;
    while (size < count && size < WEIR_PARQUET_LEVEL_BLOCK && rows[size] - rows[0] < WEIR_PARQUET_LEVEL_BLOCK &&
           rows[size] - rows[size - 1] <= NEAR_ROWS) {
        size++;
    }
    return size;
}

/* Appends `count` rows of the current page that lie near each other; the decoder stands at the first. */
static int gather_near(weir_parquet_column_reader *reader, const uint32_t *rows, int64_t count, weir_vector *out,
                       weir_error *err)
{
    uint32_t picks[WEIR_PARQUET_LEVEL_BLOCK];
    int64_t span = (int64_t)rows[count - 1] - rows[0] + 1;
    bool dense = true;
    for (int64_t i = 0; i < count; i++) {
        picks[i] = rows[i] - rows[0];
        dense &= picks[i] == i;
    }
    if (dense) {
        return append_rows(reader, count, out, err);
    }
    if (reader->all_valid && (reader->uses_dictionary || reader->leaf->conversion == WEIR_PARQUET_CONVERT_BYTES)) {
        WEIR_TRY(weir_parquet_append_picked(reader, span, picks, count, out, err));
        reader->row += span;
        return WEIR_OK;
    }
    weir_vector_clear(&reader->picked);
    WEIR_TRY(append_rows(reader, span, &reader->picked, err));
    return weir_vector_append_rows(out, &reader->picked, picks, count, err);
}

static int gather_decoding(weir_parquet_column_reader *reader, int64_t base, const uint32_t *rows, int64_t count,
                           weir_vector *out, weir_error *err)
{
    for (int64_t done = 0; done < count;) {
        int64_t size = near_rows(rows + done, count - done);
        WEIR_TRY(move_in_page(reader, base + rows[done] - reader->chunk.group->first_row, err));
        WEIR_TRY(gather_near(reader, rows + done, size, out, err));
        done += size;
    }
    return WEIR_OK;
}

/* How many of the ascending `rows` are below `end`. */
static int64_t count_below(const uint32_t *rows, int64_t count, int64_t end)
{
    int64_t from = 0;
    while (from < count) {
        int64_t middle = from + (count - from) / 2;
        if (rows[middle] < end) {
            from = middle + 1;
        } else {
            count = middle;
        }
    }
    return from;
}

static int gather_rows(weir_parquet_column_reader *reader, int64_t base, const uint32_t *rows, int64_t count,
                       weir_vector *out, weir_error *err)
{
    while (count > 0) {
        int64_t row;
        WEIR_TRY(enter_page_of(reader, base + rows[0], &row, err));
        int64_t page_end = reader->chunk.group->first_row + reader->page_end;
        int64_t size = count_below(rows, count, page_end - base);
        if (can_gather_in_place(reader)) {
            int64_t shift = base - reader->chunk.group->first_row - reader->page_first;
            WEIR_TRY(gather_in_place(reader, shift, rows, size, out, err));
        } else {
            WEIR_TRY(gather_decoding(reader, base, rows, size, out, err));
        }
        rows += size;
        count -= size;
    }
    weir_vector_drop_validity(out);
    return WEIR_OK;
}

int weir_parquet_column_gather(weir_parquet_column_reader *reader, int64_t base, const uint32_t *rows, int64_t count,
                               weir_vector *out, weir_error *err)
{
    int code = gather_rows(reader, base, rows, count, out, err);
    if (code != WEIR_OK) {
        reader->chunk.loaded = false;
    }
    return code;
}
