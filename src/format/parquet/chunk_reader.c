/* Walking the pages of a column chunk, reading and decompressing them.
 *
 * Where there is an offset index, pages are known at once. Otherwise they are found from header to header; a header
 * tells the page's rows unless the column repeats and the page is of version 1: then only its repetition levels do. */
#include "format/parquet/chunk_reader.h"

#include <stdlib.h>

#include "format/compression.h"

/* How much is read at a time while a column is read in order. */
#define READ_AHEAD_BYTES (128 * 1024)

/* Enough for most headers when a page of unknown size begins. */
#define HEADER_BYTES 1024

/* A page claims to be larger than its compressed bytes by at most this factor; zstd and brotli can pack zeros very
 * tightly, so small pages are let through in any case. */
#define MAX_COMPRESSION_RATIO 65536
#define ALWAYS_ALLOWED_BYTES  (32u << 20)

void weir_parquet_chunk_reader_init(weir_parquet_chunk_reader *reader, weir_parquet_source *source,
                                    const weir_parquet_footer *footer, const weir_parquet_leaf *leaf)
{
    *reader = (weir_parquet_chunk_reader){.source = source, .footer = footer, .leaf = leaf, .row_group = -1};
}

void weir_parquet_chunk_reader_free(weir_parquet_chunk_reader *reader)
{
    free(reader->pages);
    weir_parquet_scratch_free(reader->source, &reader->window.bytes);
    weir_parquet_scratch_free(reader->source, &reader->body);
    weir_parquet_scratch_free(reader->source, &reader->levels);
    weir_parquet_scratch_free(reader->source, &reader->dictionary_body);
}

static int damaged(const weir_parquet_chunk_reader *reader, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: column %s, row group %d: %s", reader->source->path, reader->leaf->name,
                     reader->row_group, what);
}

static uint64_t chunk_end(const weir_parquet_chunk_reader *reader)
{
    return reader->chunk->start + reader->chunk->size;
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static bool covers(const weir_parquet_window *window, uint64_t offset, size_t size)
{
    return offset >= window->start && offset + size <= window->start + window->size;
}

/* Makes the window begin at `offset` and hold `size` bytes. What it has of them is moved, not read again. */
static int fill_window(weir_parquet_source *source, weir_parquet_window *window, uint64_t offset, size_t size,
                       weir_error *err)
{
    uint64_t window_end = window->start + window->size;
    size_t kept = offset >= window->start && offset < window_end ? (size_t)(window_end - offset) : 0;
    if (kept > 0) {
        memmove(window->bytes.data, window->bytes.data + (offset - window->start), kept);
    }
    window->start = offset;
    window->size = kept;
    WEIR_TRY(weir_parquet_scratch_reserve(source, &window->bytes, size, kept, err));
    if (size > kept) {
        WEIR_TRY(weir_parquet_source_read(source, offset + kept, window->bytes.data + kept, size - kept, err));
        window->size = size;
    }
    return WEIR_OK;
}

/* The same for a chunk without an index, which is read ahead as long as it is read in order. */
static int fill_own_window(weir_parquet_chunk_reader *reader, uint64_t offset, size_t size, weir_error *err)
{
    const weir_parquet_window *window = &reader->window;
    bool in_order = window->size > 0 && offset >= window->start && offset <= window->start + window->size;
    uint64_t left = chunk_end(reader) - offset;
    if (size < READ_AHEAD_BYTES && (in_order || offset == reader->chunk->start)) {
        size = left < READ_AHEAD_BYTES ? (size_t)left : READ_AHEAD_BYTES;
    }
    if (reader->in_window) {
        reader->loaded = false;
    }
    return fill_window(reader->source, &reader->window, offset, size, err);
}

/* The bytes at `offset`, in one of the windows. They stay until the next call, of any column. */
static int read_bytes(weir_parquet_chunk_reader *reader, uint64_t offset, size_t size, const uint8_t **out,
                      weir_error *err)
{
    weir_parquet_window *window = &reader->window;
    if (offset < reader->chunk->start || offset > chunk_end(reader) || size > chunk_end(reader) - offset) {
        return damaged(reader, "a page reaches over the end of its column chunk", err);
    }
    if (!covers(window, offset, size)) {
        if (reader->indexed) {
            window = &reader->source->page;
            if (!covers(window, offset, size)) {
                WEIR_TRY(fill_window(reader->source, window, offset, size, err));
            }
        } else {
            WEIR_TRY(fill_own_window(reader, offset, size, err));
        }
    }
    *out = window->bytes.data + (offset - window->start);
    return WEIR_OK;
}

/* Reads the header at `offset`; `page_size` is that of header and body, or 0. */
static int read_header(weir_parquet_chunk_reader *reader, uint64_t offset, uint32_t page_size,
                       weir_parquet_page_header *out, weir_error *err)
{
    if (offset >= chunk_end(reader)) {
        return damaged(reader, "its pages end too early", err);
    }
    uint64_t left = chunk_end(reader) - offset;
    size_t size = page_size > 0 ? page_size : HEADER_BYTES;
    for (;; size *= 2) {
        const uint8_t *bytes;
        bool needs_more;
        size = size < left ? size : (size_t)left;
        WEIR_TRY(read_bytes(reader, offset, size, &bytes, err));
        WEIR_TRY(weir_parquet_page_header_read(weir_slice_of(bytes, size), size < left, reader->source->path, out,
                                               &needs_more, err));
        if (!needs_more) {
            break;
        }
    }
    if ((uint64_t)out->header_size + out->compressed_size > left) {
        return damaged(reader, "a page reaches over the end of its column chunk", err);
    }
    return WEIR_OK;
}

/* --- the pages of a chunk --------------------------------------------------------------------------------------- */

static int use_index(weir_parquet_chunk_reader *reader, weir_error *err)
{
    free(reader->pages);
    reader->pages = NULL;
    reader->page_capacity = 0;
    WEIR_TRY(weir_parquet_offset_index_read(reader->source, reader->chunk, reader->group->row_count, &reader->pages,
                                            &reader->page_count, err));
    reader->page_capacity = reader->page_count;
    reader->indexed = true;
    if (reader->page_count > 0 && reader->pages[0].offset > reader->chunk->start) {
        reader->has_dictionary = true;
        reader->dictionary_offset = reader->chunk->start;
    }
    return WEIR_OK;
}

int weir_parquet_chunk_enter(weir_parquet_chunk_reader *reader, int32_t row_group, weir_error *err)
{
    if (reader->row_group == row_group) {
        return WEIR_OK;
    }
    reader->row_group = -1;
    reader->group = &reader->footer->row_groups[row_group];
    reader->chunk = &reader->group->chunks[reader->leaf->index];
    reader->loaded = false;
    reader->page_count = 0;
    reader->has_dictionary = false;
    reader->dictionary_loaded = false;
    reader->window.size = 0;
    if (reader->chunk->physical != reader->leaf->physical) {
        return damaged(reader, "the column chunk has another type than the schema", err);
    }
    if (reader->chunk->offset_index_size > 0) {
        WEIR_TRY(use_index(reader, err));
    } else {
        reader->indexed = false;
        reader->walk_row = 0;
        reader->walk_offset = reader->chunk->start;
    }
    weir_file_expect(reader->source->file, reader->chunk->start, reader->chunk->size);
    reader->row_group = row_group;
    return WEIR_OK;
}

static void remember_page(weir_parquet_chunk_reader *reader, const weir_parquet_page_header *header)
{
    WEIR_GROW(reader->pages, reader->page_capacity, reader->page_count + 1);
    reader->pages[reader->page_count++] =
        (weir_parquet_page_location){.offset = reader->walk_offset,
                                     .size = header->header_size + header->compressed_size,
                                     .first_row = reader->walk_row};
    if (reader->leaf->max_repetition == 0) {
        reader->walk_row += header->value_count;
    } else if (header->type == WEIR_PARQUET_DATA_PAGE_V2) {
        reader->walk_row += header->row_count;
    } else {
        reader->walk_row = -1;
    }
}

/* Steps over headers up to the next data page; *found is false at the end of the chunk. */
static int walk(weir_parquet_chunk_reader *reader, bool *found, weir_error *err)
{
    *found = false;
    while (!*found && reader->walk_offset < chunk_end(reader)) {
        weir_parquet_page_header header;
        WEIR_TRY(read_header(reader, reader->walk_offset, 0, &header, err));
        if (header.type == WEIR_PARQUET_DICTIONARY_PAGE && reader->page_count == 0) {
            reader->has_dictionary = true;
            reader->dictionary_offset = reader->walk_offset;
        } else if (header.type == WEIR_PARQUET_DATA_PAGE || header.type == WEIR_PARQUET_DATA_PAGE_V2) {
            remember_page(reader, &header);
            *found = true;
        }
        reader->walk_offset += header.header_size + (uint64_t)header.compressed_size;
    }
    return WEIR_OK;
}

/* The last known page that begins at or before `row`. */
static size_t search_page(const weir_parquet_chunk_reader *reader, int64_t row)
{
    size_t from = 0;
    size_t to = reader->page_count;
    while (to - from > 1) {
        size_t middle = from + (to - from) / 2;
        if (reader->pages[middle].first_row <= row) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

int weir_parquet_chunk_find_page(weir_parquet_chunk_reader *reader, int64_t row, size_t *out, bool *out_known,
                                 weir_error *err)
{
    bool found = true;
    while (!reader->indexed && found && reader->walk_row >= 0 && reader->walk_row <= row) {
        WEIR_TRY(walk(reader, &found, err));
    }
    if (reader->page_count == 0 || (!reader->indexed && !found)) {
        return damaged(reader, "its pages have fewer rows than the row group", err);
    }
    *out = search_page(reader, row);
    *out_known = reader->indexed || *out + 1 < reader->page_count || reader->walk_row >= 0;
    return WEIR_OK;
}

int weir_parquet_chunk_has_page(weir_parquet_chunk_reader *reader, size_t page, bool *out, weir_error *err)
{
    *out = page < reader->page_count;
    if (!*out && !reader->indexed) {
        return walk(reader, out, err);
    }
    return WEIR_OK;
}

int64_t weir_parquet_chunk_page_end(const weir_parquet_chunk_reader *reader, size_t page)
{
    if (page + 1 < reader->page_count) {
        return reader->pages[page + 1].first_row;
    }
    return reader->indexed ? reader->group->row_count : reader->walk_row;
}

/* --- the body of a page ----------------------------------------------------------------------------------------- */

static int compression_of(const weir_parquet_chunk_reader *reader, weir_compression *out, weir_error *err)
{
    switch (reader->chunk->codec) {
    case WEIR_PARQUET_UNCOMPRESSED:
        *out = WEIR_COMPRESSION_NONE;
        return WEIR_OK;
    case WEIR_PARQUET_SNAPPY:
        *out = WEIR_COMPRESSION_SNAPPY;
        return WEIR_OK;
    case WEIR_PARQUET_GZIP:
        *out = WEIR_COMPRESSION_GZIP;
        return WEIR_OK;
    case WEIR_PARQUET_BROTLI:
        *out = WEIR_COMPRESSION_BROTLI;
        return WEIR_OK;
    case WEIR_PARQUET_LZ4:
        *out = WEIR_COMPRESSION_LZ4_HADOOP;
        return WEIR_OK;
    case WEIR_PARQUET_ZSTD:
        *out = WEIR_COMPRESSION_ZSTD;
        return WEIR_OK;
    case WEIR_PARQUET_LZ4_RAW:
        *out = WEIR_COMPRESSION_LZ4_RAW;
        return WEIR_OK;
    case WEIR_PARQUET_LZO:
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: column %s is compressed with LZO, which is not supported",
                         reader->source->path, reader->leaf->name);
    }
    return damaged(reader, "it has an unknown compression", err);
}

/* Decompresses a page behind its first `plain` bytes, which are copied as they are; all of it into `out`, or it is left
 * where it is (*out_bytes) when nothing is compressed and it may stay `in_place`. */
static int decompress(weir_parquet_chunk_reader *reader, const weir_parquet_page_header *header, const uint8_t *body,
                      uint32_t plain, weir_parquet_scratch *out, bool in_place, const uint8_t **out_bytes,
                      weir_error *err)
{
    weir_compression codec;
    WEIR_TRY(compression_of(reader, &codec, err));
    if (!header->is_compressed) {
        codec = WEIR_COMPRESSION_NONE;
    }
    if (codec == WEIR_COMPRESSION_NONE && header->compressed_size != header->uncompressed_size) {
        return damaged(reader, "an uncompressed page has two sizes", err);
    }
    if (codec == WEIR_COMPRESSION_NONE && in_place) {
        *out_bytes = body;
        return WEIR_OK;
    }
    if (header->uncompressed_size > ALWAYS_ALLOWED_BYTES &&
        header->uncompressed_size / MAX_COMPRESSION_RATIO > header->compressed_size) {
        return damaged(reader, "a page claims to be far larger than its bytes allow", err);
    }
    WEIR_TRY(weir_parquet_scratch_reserve(reader->source, out, header->uncompressed_size, 0, err));
    memcpy(out->data, body, plain);
    if (header->uncompressed_size > plain) { /* some writers leave out the bytes of an empty compressed part */
        WEIR_TRY(weir_decompress(codec, weir_slice_of(body + plain, header->compressed_size - plain), out->data + plain,
                                 header->uncompressed_size - plain, reader->source->path, err));
    }
    *out_bytes = out->data;
    return WEIR_OK;
}

/* Levels in the old packing, most significant bit first, become one run of the packing that encoding_rle.c reads. */
static int repack_levels(weir_parquet_chunk_reader *reader, weir_slice *values, uint8_t max_level, size_t at,
                         weir_slice *out, weir_error *err)
{
    uint32_t width = weir_parquet_level_bits(max_level);
    uint64_t count = (uint64_t)reader->header.value_count;
    size_t size = (size_t)((count * width + 7) / 8);
    if (size > values->size) {
        return damaged(reader, "the levels of a page are longer than it", err);
    }
    size_t head = 10; /* room for the longest varint */
    size_t packed = (size_t)((count + 7) / 8 * width);
    WEIR_TRY(weir_parquet_scratch_reserve(reader->source, &reader->levels, at + head + packed, at, err));
    uint8_t *to = reader->levels.data + at;
    memset(to, 0, head + packed);
    uint64_t run = (count + 7) / 8 << 1 | 1;
    for (size_t i = 0; i < head - 1; i++) { /* a varint of full length: leading zeros are allowed */
        to[i] = (uint8_t)((run & 0x7f) | (i + 2 < head ? 0x80 : 0));
        run >>= 7;
    }
    for (uint64_t bit = 0; bit < count * width; bit++) {
        uint64_t target = bit / width * width + (width - 1 - bit % width);
        to[head - 1 + target / 8] |= (uint8_t)((values->data[bit / 8] >> (7 - bit % 8) & 1) << target % 8);
    }
    *out = weir_slice_of(to, head - 1 + packed);
    *values = weir_slice_of(values->data + size, values->size - size);
    return WEIR_OK;
}

/* Takes levels off the front of a page of version 1: RLE with its size before it, or the old packing. */
static int take_levels(weir_parquet_chunk_reader *reader, weir_slice *values, uint8_t max_level,
                       weir_parquet_encoding encoding, size_t at, weir_slice *out, weir_error *err)
{
    *out = weir_slice_of(values->data, 0);
    if (max_level == 0) {
        return WEIR_OK;
    }
    if (encoding == WEIR_PARQUET_BIT_PACKED) {
        return repack_levels(reader, values, max_level, at, out, err);
    }
    if (values->size < 4 || weir_load_le32(values->data) > values->size - 4) {
        return damaged(reader, "the levels of a page are longer than it", err);
    }
    uint32_t size = weir_load_le32(values->data);
    *out = weir_slice_of(values->data + 4, size);
    *values = weir_slice_of(values->data + 4 + size, values->size - 4 - size);
    return WEIR_OK;
}

static int take_apart(weir_parquet_chunk_reader *reader, const uint8_t *bytes, weir_error *err)
{
    const weir_parquet_page_header *header = &reader->header;
    weir_slice values = weir_slice_of(bytes, header->uncompressed_size);
    if (header->type == WEIR_PARQUET_DATA_PAGE_V2) {
        uint32_t levels = header->repetition_bytes + header->definition_bytes;
        reader->repetitions = weir_slice_of(bytes, header->repetition_bytes);
        reader->definitions = weir_slice_of(bytes + header->repetition_bytes, header->definition_bytes);
        reader->values = weir_slice_of(bytes + levels, header->uncompressed_size - levels);
        return WEIR_OK;
    }
    /* The definition levels, packed the old way, go behind the repetition levels in the same memory: take them apart
     * in two steps, so that growing it for the second does not move the first. */
    WEIR_TRY(take_levels(reader, &values, reader->leaf->max_repetition, header->repetition_encoding, 0,
                         &reader->repetitions, err));
    bool repacked = reader->leaf->max_repetition > 0 && header->repetition_encoding == WEIR_PARQUET_BIT_PACKED;
    size_t kept = repacked ? reader->repetitions.size : 0;
    WEIR_TRY(take_levels(reader, &values, reader->leaf->max_definition, header->definition_encoding, kept,
                         &reader->definitions, err));
    if (repacked) {
        reader->repetitions.data = reader->levels.data;
    }
    reader->values = values;
    return WEIR_OK;
}

static int load_dictionary(weir_parquet_chunk_reader *reader, weir_error *err)
{
    weir_parquet_page_header *header = &reader->dictionary_header;
    const uint8_t *bytes;
    uint64_t size = reader->indexed ? reader->pages[0].offset - reader->dictionary_offset : 0;
    WEIR_TRY(read_header(reader, reader->dictionary_offset, size > UINT32_MAX ? 0 : (uint32_t)size, header, err));
    if (header->type != WEIR_PARQUET_DICTIONARY_PAGE) {
        reader->has_dictionary = false; /* something else lies before the first data page */
        return WEIR_OK;
    }
    WEIR_TRY(read_bytes(reader, reader->dictionary_offset + header->header_size, header->compressed_size, &bytes, err));
    WEIR_TRY(decompress(reader, header, bytes, 0, &reader->dictionary_body, false, &bytes, err));
    reader->dictionary_loaded = true;
    reader->dictionary_loads++;
    return WEIR_OK;
}

/* The levels of a page of version 2 are never compressed. */
static int plain_bytes(const weir_parquet_chunk_reader *reader, uint32_t *out, weir_error *err)
{
    const weir_parquet_page_header *header = &reader->header;
    *out = 0;
    if (header->type == WEIR_PARQUET_DATA_PAGE_V2) {
        uint64_t levels = (uint64_t)header->repetition_bytes + header->definition_bytes;
        if (levels > header->uncompressed_size || levels > header->compressed_size) {
            return damaged(reader, "the levels of a page are longer than it", err);
        }
        *out = (uint32_t)levels;
    }
    return WEIR_OK;
}

int weir_parquet_chunk_load_page(weir_parquet_chunk_reader *reader, size_t page, weir_error *err)
{
    const weir_parquet_page_location *location = &reader->pages[page];
    weir_parquet_page_header *header = &reader->header;
    const uint8_t *bytes;
    uint32_t plain;
    reader->loaded = false;
    if (reader->has_dictionary && !reader->dictionary_loaded) {
        WEIR_TRY(load_dictionary(reader, err));
    }
    WEIR_TRY(read_header(reader, location->offset, location->size, header, err));
    if (header->type != WEIR_PARQUET_DATA_PAGE && header->type != WEIR_PARQUET_DATA_PAGE_V2) {
        return damaged(reader, "a page is not the data page that the offset index says", err);
    }
    WEIR_TRY(plain_bytes(reader, &plain, err));
    WEIR_TRY(read_bytes(reader, location->offset + header->header_size, header->compressed_size, &bytes, err));
    reader->in_window = covers(&reader->window, location->offset + header->header_size, header->compressed_size);
    WEIR_TRY(decompress(reader, header, bytes, plain, &reader->body, reader->in_window, &bytes, err));
    WEIR_TRY(take_apart(reader, bytes, err));
    reader->in_window = reader->in_window && bytes != reader->body.data;
    reader->page = page;
    reader->loaded = true;
    return WEIR_OK;
}

void weir_parquet_chunk_byte_range(const weir_parquet_chunk_reader *reader, int64_t first, int64_t count,
                                   uint64_t *out_start, size_t *out_size)
{
    *out_start = reader->chunk->start;
    *out_size = (size_t)reader->chunk->size;
    if (!reader->indexed || reader->page_count == 0) {
        return;
    }
    size_t from = search_page(reader, first);
    size_t to = search_page(reader, first + count - 1);
    uint64_t end = reader->pages[to].offset + reader->pages[to].size;
    *out_start = from == 0 ? reader->chunk->start : reader->pages[from].offset;
    *out_size = (size_t)(end - *out_start);
}

int weir_parquet_chunk_open_window(weir_parquet_chunk_reader *reader, uint64_t start, size_t size, uint8_t **out,
                                   weir_error *err)
{
    weir_parquet_window *window = &reader->window;
    if (reader->in_window) {
        reader->loaded = false;
    }
    window->size = 0;
    WEIR_TRY(weir_parquet_scratch_reserve(reader->source, &window->bytes, size, 0, err));
    window->start = start;
    window->size = size;
    *out = window->bytes.data;
    return WEIR_OK;
}
