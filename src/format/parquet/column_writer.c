/* Column chunks.
 *
 * Rows come in slices small enough that what is computed from them stays in the cache: nulls and levels first, then the
 * values without nulls, whose least and greatest are found and which become PLAIN bytes or numbers of the dictionary.
 * A page ends at 20 000 rows or before 1 MB, always between rows, so that the page index can name its first row.
 *
 * A dictionary is tried on the first 4096 values and given up when more than half of them are distinct, later when it
 * grows beyond 1 MB; pages that are finished by then keep their numbers, the others become PLAIN. */
#include "format/parquet/column_writer.h"

#include <stdlib.h>

#include "format/parquet/encoding_writer.h"
#include "vector/bits.h"

#define SLICE_ROWS         2048
#define SLICE_SLOTS        8192 /* of nested columns */
#define SLICES_OF_PAGE     8    /* a slice has at most this part of a page's bytes */
#define TRIED_VALUES       4096
#define LARGEST_DICTIONARY ((size_t)1 << 20)
#define LARGEST_STATISTICS 4096 /* of min and max together, as Java limits them */

#define MILLIS_OF_DAY INT64_C(86400000)

void weir_column_context_free(weir_column_context *context)
{
    weir_page_codec_free(&context->codec);
    weir_dense_scratch_free(&context->scratch);
    weir_levels_free(&context->levels);
    weir_buffer_free(&context->dictionary_page);
}

void weir_column_writer_init(weir_column_writer *writer, const weir_write_leaf *leaf)
{
    *writer = (weir_column_writer){.leaf = leaf, .is_flat = leaf->step_count == 1};
    weir_column_index_init(&writer->index);
}

void weir_column_writer_free(weir_column_writer *writer)
{
    weir_buffer_free(&writer->page.validity);
    weir_buffer_free(&writer->page.definition);
    weir_buffer_free(&writer->page.repetition);
    weir_buffer_free(&writer->page.plain);
    weir_buffer_free(&writer->page.numbers);
    weir_value_range_free(&writer->page.range);
    weir_dictionary_free(&writer->dictionary);
    weir_buffer_free(&writer->pages);
    weir_column_index_free(&writer->index);
    weir_value_range_free(&writer->chunk_range);
    weir_value_range_free(&writer->file_range);
}

/* --- pages -------------------------------------------------------------------------------------------------------- */

static void clear_page(weir_open_page *page)
{
    page->row_count = 0;
    page->level_count = 0;
    page->value_count = 0;
    page->plain_size = 0;
    page->has_nulls = false;
    weir_buffer_clear(&page->validity);
    weir_buffer_clear(&page->definition);
    weir_buffer_clear(&page->repetition);
    weir_buffer_clear(&page->plain);
    weir_buffer_clear(&page->numbers);
    weir_value_range_clear(&page->range);
}

/* INT96 has 32 bits for the day. */
static int check_days(const weir_column_writer *writer, weir_error *err)
{
    const weir_value_range *range = &writer->page.range;
    if (writer->leaf->physical != WEIR_PARQUET_INT96 || !range->has_value) {
        return WEIR_OK;
    }
    int64_t limit = (INT64_C(1) << 30) * MILLIS_OF_DAY;
    if (range->min.nanos.millis < -limit || range->max.nanos.millis > limit) {
        return weir_fail(err, WEIR_INVALID, "column %s: a TIMESTAMP(%d) is too far from 1970 for a Parquet file",
                         writer->leaf->path[0], writer->leaf->type->precision);
    }
    return WEIR_OK;
}

static weir_data_page describe_page(const weir_column_writer *writer)
{
    const weir_open_page *page = &writer->page;
    return (weir_data_page){
        .level_count = page->level_count,
        .max_definition = writer->leaf->max_definition,
        .max_repetition = writer->leaf->max_repetition,
        .definition = writer->is_flat || writer->leaf->max_definition == 0 ? NULL : page->definition.data,
        .repetition = page->repetition.data,
        .validity = page->has_nulls ? page->validity.data : NULL,
        .uses_dictionary = page->numbers.size > 0,
        .numbers = (const uint32_t *)(const void *)page->numbers.data,
        .number_count = page->value_count,
        .number_width = weir_rle_width(writer->dictionary.count == 0 ? 0 : (uint32_t)writer->dictionary.count - 1),
        .plain = weir_buffer_slice(&page->plain),
    };
}

static int write_page(weir_column_writer *writer, weir_column_context *context, weir_error *err)
{
    weir_open_page *page = &writer->page;
    weir_column_chunk *chunk = &writer->chunk;
    size_t offset = writer->pages.size;
    uint64_t uncompressed_size;
    WEIR_TRY(check_days(writer, err));
    weir_data_page description = describe_page(writer);
    WEIR_TRY_CTX(weir_page_write_data(&context->codec, &description, &writer->pages, &uncompressed_size, err), err,
                 "column %s", writer->leaf->path[0]);
    size_t compressed_size = writer->pages.size - offset;
    weir_page_entry entry = {
        .offset = offset,
        .size = (uint32_t)compressed_size,
        .first_row = writer->row_count - page->row_count,
        .null_count = (int64_t)(page->level_count - page->value_count),
    };
    weir_column_index_add(&writer->index, writer->leaf, entry, &page->range);
    weir_value_range_merge(&writer->chunk_range, weir_value_form_of(writer->leaf), &page->range);
    chunk->level_count += (int64_t)page->level_count;
    chunk->null_count += entry.null_count;
    chunk->uncompressed_size += uncompressed_size;
    chunk->dictionary_coded_pages += description.uses_dictionary;
    chunk->plain_pages += !description.uses_dictionary;
    writer->file_compressed_size += compressed_size;
    writer->file_uncompressed_size += uncompressed_size;
    clear_page(page);
    return WEIR_OK;
}

/* Goes on in PLAIN. Numbers of the open page become values again, unless they then made a page too large. */
static int give_dictionary_up(weir_column_writer *writer, weir_column_context *context, weir_error *err)
{
    weir_open_page *page = &writer->page;
    writer->dictionary_use = WEIR_DICTIONARY_UNUSED;
    if (page->plain_size > context->page_bytes) {
        return write_page(writer, context, err);
    }
    weir_dictionary_expand(&writer->dictionary, writer->leaf, (const uint32_t *)(const void *)page->numbers.data,
                           page->value_count, &context->scratch, &page->plain);
    weir_buffer_clear(&page->numbers);
    if (writer->chunk.dictionary_coded_pages == 0) {
        weir_dictionary_clear(&writer->dictionary);
    }
    return WEIR_OK;
}

/* After each slice, when the levels and the values of the open page agree. */
static int judge_dictionary(weir_column_writer *writer, weir_column_context *context, bool page_ends, weir_error *err)
{
    const weir_open_page *page = &writer->page;
    if (writer->dictionary_use == WEIR_DICTIONARY_UNUSED || page->value_count == 0) {
        return WEIR_OK;
    }
    if (writer->dictionary.values.size > LARGEST_DICTIONARY) {
        return give_dictionary_up(writer, context, err);
    }
    if (writer->dictionary_use == WEIR_DICTIONARY_TRIED && (page_ends || page->value_count >= TRIED_VALUES)) {
        if (2 * writer->dictionary.count > page->value_count) {
            return give_dictionary_up(writer, context, err);
        }
        writer->dictionary_use = WEIR_DICTIONARY_USED;
    }
    return WEIR_OK;
}

static int finish_page(weir_column_writer *writer, weir_column_context *context, weir_error *err)
{
    WEIR_TRY(judge_dictionary(writer, context, true, err));
    return writer->page.level_count == 0 ? WEIR_OK : write_page(writer, context, err);
}

/* --- values and levels -------------------------------------------------------------------------------------------- */

static void add_values(weir_column_writer *writer, weir_column_context *context, const weir_vector *vector,
                       int64_t first, const uint32_t *rows, size_t count)
{
    weir_open_page *page = &writer->page;
    weir_dense_values values;
    weir_dense_values_take(writer->leaf, vector, first, rows, count, &context->scratch, &values);
    weir_value_range_add(&page->range, &values);
    if (writer->dictionary_use == WEIR_DICTIONARY_UNUSED) {
        weir_plain_append(writer->leaf, &values, page->value_count, &page->plain);
    } else {
        weir_dictionary_add(&writer->dictionary, &values, &page->numbers);
    }
    page->value_count += count;
    page->plain_size += values.plain_size;
}

/* The numbers of the bits that are set, of first .. first + count - 1. */
static void list_valid(const uint8_t *validity, int64_t first, int64_t count, uint32_t *out)
{
    size_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        out[found] = (uint32_t)(first + i);
        found += weir_bit_get(validity, first + i);
    }
}

/* The page's bitmap begins with its first null. */
static void add_validity(weir_open_page *page, const uint8_t *validity, int64_t first, int64_t count, bool has_nulls)
{
    if (!has_nulls && !page->has_nulls) {
        return;
    }
    int64_t before = (int64_t)page->level_count;
    size_t size = weir_bits_size(before + count);
    if (size > page->validity.size) {
        weir_buffer_append_zeros(&page->validity, size - page->validity.size);
    }
    if (!page->has_nulls) {
        weir_bits_fill(page->validity.data, 0, before, true);
        page->has_nulls = true;
    }
    if (has_nulls) {
        weir_bits_copy(page->validity.data, before, validity, first, count);
    } else {
        weir_bits_fill(page->validity.data, before, count, true);
    }
}

static int append_flat(weir_column_writer *writer, weir_column_context *context, const weir_vector *vector,
                       int64_t first, int64_t count, weir_error *err)
{
    uint32_t rows[SLICE_ROWS];
    weir_open_page *page = &writer->page;
    int64_t valid = vector->validity == NULL ? count : weir_bits_count(vector->validity, first, count);
    bool has_nulls = valid < count;
    if (has_nulls && writer->leaf->max_definition == 0) {
        return weir_fail(err, WEIR_INVALID, "column %s: a NULL where the schema says NOT NULL", writer->leaf->path[0]);
    }
    add_validity(page, vector->validity, first, count, has_nulls);
    if (has_nulls) {
        list_valid(vector->validity, first, count, rows);
    }
    add_values(writer, context, vector, first, has_nulls ? rows : NULL, (size_t)valid);
    page->level_count += (size_t)count;
    return WEIR_OK;
}

static int append_nested(weir_column_writer *writer, weir_column_context *context, const weir_vector *vector,
                         int64_t first, int64_t count, weir_error *err)
{
    weir_open_page *page = &writer->page;
    weir_levels *levels = &context->levels;
    WEIR_TRY(weir_levels_shred(writer->leaf, vector, first, count, levels, err));
    weir_buffer_append(&page->definition, levels->definition, levels->count);
    weir_buffer_append(&page->repetition, levels->repetition, levels->count);
    for (size_t done = 0; done < levels->row_count;) {
        size_t piece = levels->row_count - done < SLICE_ROWS ? levels->row_count - done : SLICE_ROWS;
        add_values(writer, context, levels->leaf_vector, 0, levels->rows + done, piece);
        done += piece;
    }
    page->level_count += levels->count;
    return WEIR_OK;
}

/* --- slices ------------------------------------------------------------------------------------------------------- */

/* Bytes of rows in PLAIN, at most. */
static size_t plain_size(const weir_write_leaf *leaf, const weir_leaf_extent *extent)
{
    if (extent->count == 0) {
        return 0;
    }
    if (leaf->physical == WEIR_PARQUET_BYTE_ARRAY) {
        const int32_t *offsets = extent->vector->offsets + extent->first;
        return (size_t)(offsets[extent->count] - offsets[0]) + sizeof(uint32_t) * (size_t)extent->count;
    }
    return (size_t)extent->count * weir_value_plain_width(leaf);
}

/* Bytes of so many levels, packed. */
static size_t levels_size(const weir_write_leaf *leaf, size_t count)
{
    int bits = leaf->max_definition > 0 ? weir_rle_width(leaf->max_definition) : 0;
    bits += leaf->max_repetition > 0 ? weir_rle_width(leaf->max_repetition) : 0;
    return count * (size_t)bits / 8;
}

/* Bytes that the open page would have now, before compression. */
static size_t open_page_size(const weir_column_writer *writer)
{
    const weir_open_page *page = &writer->page;
    size_t size = levels_size(writer->leaf, page->level_count) + page->plain.size;
    if (page->numbers.size > 0) {
        size += page->value_count * (size_t)weir_rle_width((uint32_t)writer->dictionary.count) / 8;
    }
    return size;
}

/* How many of the next rows make a slice; *out_size are their bytes, at most. */
static int64_t slice_rows(const weir_column_writer *writer, const weir_column_context *context,
                          const weir_vector *vector, int64_t first, int64_t count, size_t *out_size)
{
    int64_t rows = context->page_rows - writer->page.row_count;
    rows = rows < count ? rows : count;
    rows = rows < SLICE_ROWS ? rows : SLICE_ROWS;
    for (;;) {
        weir_leaf_extent extent = weir_levels_extent(writer->leaf, vector, first, rows);
        *out_size = plain_size(writer->leaf, &extent) + levels_size(writer->leaf, (size_t)extent.slots);
        bool fits = *out_size <= context->page_bytes / SLICES_OF_PAGE && extent.slots <= SLICE_SLOTS;
        if (fits || rows == 1) {
            return rows;
        }
        rows /= 2;
    }
}

int weir_column_writer_append(weir_column_writer *writer, weir_column_context *context, const weir_vector *vector,
                              int64_t first, int64_t count, weir_error *err)
{
    if (writer->row_count == 0) {
        bool tries = !context->no_dictionary && writer->leaf->physical != WEIR_PARQUET_BOOLEAN;
        writer->dictionary_use = tries ? WEIR_DICTIONARY_TRIED : WEIR_DICTIONARY_UNUSED;
    }
    while (count > 0) {
        size_t size;
        int64_t rows = slice_rows(writer, context, vector, first, count, &size);
        weir_open_page *page = &writer->page;
        if (page->row_count > 0 && open_page_size(writer) + size > context->page_bytes) {
            WEIR_TRY(finish_page(writer, context, err));
        }
        WEIR_TRY(writer->is_flat ? append_flat(writer, context, vector, first, rows, err)
                                 : append_nested(writer, context, vector, first, rows, err));
        page->row_count += rows;
        writer->row_count += rows;
        WEIR_TRY(judge_dictionary(writer, context, false, err));
        if (page->row_count == context->page_rows) {
            WEIR_TRY(finish_page(writer, context, err));
        }
        first += rows;
        count -= rows;
    }
    return WEIR_OK;
}

/* --- the chunk ---------------------------------------------------------------------------------------------------- */

uint64_t weir_column_writer_pending(const weir_column_writer *writer)
{
    uint64_t open = open_page_size(writer) + writer->dictionary.values.size;
    if (writer->file_uncompressed_size > 0) {
        double ratio = (double)writer->file_compressed_size / (double)writer->file_uncompressed_size;
        open = (uint64_t)((double)open * ratio);
    }
    return writer->pages.size + open;
}

static void take_bounds(const weir_column_writer *writer, weir_arena *arena, weir_column_chunk *chunk)
{
    weir_value_form form = weir_value_form_of(writer->leaf);
    weir_literal min;
    weir_literal max;
    uint8_t min_room[WEIR_STATISTIC_ROOM];
    uint8_t max_room[WEIR_STATISTIC_ROOM];
    if (!weir_value_range_bounds(&writer->chunk_range, form, &min, &max)) {
        return;
    }
    weir_slice min_bytes = weir_value_statistic(writer->leaf, form, &min, min_room);
    weir_slice max_bytes = weir_value_statistic(writer->leaf, form, &max, max_room);
    if (min_bytes.size + max_bytes.size > LARGEST_STATISTICS) {
        return;
    }
    chunk->has_bounds = true;
    chunk->min = weir_slice_of(weir_arena_copy(arena, min_bytes.data, min_bytes.size), min_bytes.size);
    chunk->max = weir_slice_of(weir_arena_copy(arena, max_bytes.data, max_bytes.size), max_bytes.size);
}

static int write_dictionary(weir_column_writer *writer, weir_column_context *context, weir_output *output,
                            weir_column_chunk *chunk, weir_error *err)
{
    weir_buffer *plain = &writer->page.plain; /* empty between pages */
    uint64_t uncompressed_size;
    weir_dictionary_write(&writer->dictionary, writer->leaf, plain);
    weir_buffer_clear(&context->dictionary_page);
    int code = weir_page_write_dictionary(&context->codec, weir_buffer_slice(plain), writer->dictionary.count,
                                          &context->dictionary_page, &uncompressed_size, err);
    weir_buffer_clear(plain);
    WEIR_TRY(code);
    chunk->has_dictionary = true;
    chunk->dictionary_page_offset = output->size;
    chunk->uncompressed_size += uncompressed_size;
    chunk->compressed_size += context->dictionary_page.size;
    return weir_output_write(output, context->dictionary_page.data, context->dictionary_page.size, err);
}

static void write_indexes(const weir_column_writer *writer, weir_buffer *column_indexes, weir_buffer *offset_indexes,
                          weir_column_chunk *chunk)
{
    chunk->column_index_offset = column_indexes->size;
    weir_column_index_write(&writer->index, writer->leaf, column_indexes);
    chunk->column_index_size = column_indexes->size - chunk->column_index_offset;
    chunk->offset_index_offset = offset_indexes->size;
    weir_offset_index_write(&writer->index, chunk->data_page_offset, offset_indexes);
    chunk->offset_index_size = offset_indexes->size - chunk->offset_index_offset;
}

static void clear_chunk(weir_column_writer *writer)
{
    weir_dictionary_clear(&writer->dictionary);
    weir_buffer_clear(&writer->pages);
    weir_column_index_clear(&writer->index);
    weir_value_range_clear(&writer->chunk_range);
    writer->chunk = (weir_column_chunk){0};
    writer->row_count = 0;
}

int weir_column_writer_flush(weir_column_writer *writer, weir_column_context *context, weir_output *output,
                             weir_buffer *column_indexes, weir_buffer *offset_indexes, weir_arena *arena,
                             weir_column_chunk *out, weir_error *err)
{
    WEIR_TRY(finish_page(writer, context, err));
    weir_column_chunk chunk = writer->chunk;
    if (chunk.dictionary_coded_pages > 0) {
        WEIR_TRY(write_dictionary(writer, context, output, &chunk, err));
    }
    chunk.data_page_offset = output->size;
    chunk.compressed_size += writer->pages.size;
    WEIR_TRY(weir_output_write(output, writer->pages.data, writer->pages.size, err));
    take_bounds(writer, arena, &chunk);
    write_indexes(writer, column_indexes, offset_indexes, &chunk);
    weir_value_range_merge(&writer->file_range, weir_value_form_of(writer->leaf), &writer->chunk_range);
    writer->file_null_count += chunk.null_count;
    clear_chunk(writer);
    *out = chunk;
    return WEIR_OK;
}
