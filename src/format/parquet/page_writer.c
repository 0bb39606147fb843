/* Pages of a column chunk.
 *
 *   data page        | PageHeader | compressed: repetition levels, definition levels, values |
 *   levels           | size: 4 | RLE/bit-packed |, left out where the greatest level is 0
 *   dictionary page  | PageHeader | compressed: values in PLAIN |
 *
 * Pages have no checksum: the codec and the readers' own checks find damage, and a CRC of all bytes would cost more
 * than encoding them. */
#include "format/parquet/page_writer.h"

#include "format/parquet/encoding_writer.h"

/* Sizes are 32-bit numbers in the file, also those that count the header. */
#define LARGEST_PAGE ((size_t)INT32_MAX - 64)

void weir_page_codec_free(weir_page_codec *codec)
{
    weir_buffer_free(&codec->body);
    weir_buffer_free(&codec->wide_levels);
    weir_buffer_free(&codec->compressed);
}

/* Levels have their size before them, known afterwards. */
static size_t begin_levels(weir_buffer *body)
{
    weir_buffer_append_zeros(body, sizeof(uint32_t));
    return body->size;
}

static void end_levels(weir_buffer *body, size_t from)
{
    weir_store_le32(body->data + from - sizeof(uint32_t), (uint32_t)(body->size - from));
}

/* The encoder takes 32-bit numbers; nested columns are rare enough to widen their levels. */
static void append_levels(weir_page_codec *codec, const uint8_t *levels, size_t count, uint8_t max)
{
    weir_buffer_clear(&codec->wide_levels);
    weir_buffer_reserve(&codec->wide_levels, count * sizeof(uint32_t));
    uint32_t *wide = (uint32_t *)(void *)codec->wide_levels.data;
    for (size_t i = 0; i < count; i++) {
        wide[i] = levels[i];
    }
    size_t from = begin_levels(&codec->body);
    weir_rle_append(wide, count, weir_rle_width(max), &codec->body);
    end_levels(&codec->body, from);
}

static void append_validity(const uint8_t *validity, size_t count, weir_buffer *body)
{
    size_t from = begin_levels(body);
    if (validity == NULL) {
        weir_rle_append_run(1, count, 1, body);
    } else {
        weir_rle_append_bits(validity, count, body);
    }
    end_levels(body, from);
}

static void build_body(weir_page_codec *codec, const weir_data_page *page)
{
    weir_buffer *body = &codec->body;
    weir_buffer_clear(body);
    if (page->max_repetition > 0) {
        append_levels(codec, page->repetition, page->level_count, page->max_repetition);
    }
    if (page->definition != NULL) {
        append_levels(codec, page->definition, page->level_count, page->max_definition);
    } else if (page->max_definition > 0) {
        append_validity(page->validity, page->level_count, body);
    }
    if (page->uses_dictionary) {
        weir_buffer_append_byte(body, (uint8_t)page->number_width);
        weir_rle_append(page->numbers, page->number_count, page->number_width, body);
    } else {
        weir_buffer_append(body, page->plain.data, page->plain.size);
    }
}

static int begin_page(weir_page_codec *codec, weir_slice body, weir_parquet_page kind, weir_thrift_writer *header,
                      weir_buffer *out, weir_error *err)
{
    weir_buffer_clear(&codec->compressed);
    if (body.size > LARGEST_PAGE) {
        return weir_fail(err, WEIR_INVALID,
                         "a page of %zu bytes is too large for a Parquet file: a value must be smaller "
                         "than 2 GB",
                         body.size);
    }
    WEIR_TRY(weir_compress(codec->compression, codec->level, body, &codec->compressed, err));
    if (codec->compressed.size > LARGEST_PAGE) {
        return weir_fail(err, WEIR_INVALID, "a compressed page of %zu bytes is too large for a Parquet file",
                         codec->compressed.size);
    }
    weir_thrift_writer_init(header, out);
    weir_thrift_write_i32(header, 1, kind);
    weir_thrift_write_i32(header, 2, (int32_t)body.size);
    weir_thrift_write_i32(header, 3, (int32_t)codec->compressed.size);
    return WEIR_OK;
}

static void end_page(weir_page_codec *codec, size_t page_begin, size_t body_size, weir_buffer *out,
                     uint64_t *uncompressed_size)
{
    *uncompressed_size = out->size - page_begin + body_size;
    weir_buffer_append(out, codec->compressed.data, codec->compressed.size);
}

int weir_page_write_data(weir_page_codec *codec, const weir_data_page *page, weir_buffer *out,
                         uint64_t *uncompressed_size, weir_error *err)
{
    build_body(codec, page);
    size_t begin = out->size;
    weir_thrift_writer header;
    WEIR_TRY(begin_page(codec, weir_buffer_slice(&codec->body), WEIR_PARQUET_DATA_PAGE, &header, out, err));
    weir_thrift_write_begin(&header, 5);
    weir_thrift_write_i32(&header, 1, (int32_t)page->level_count);
    weir_thrift_write_i32(&header, 2, page->uses_dictionary ? WEIR_PARQUET_RLE_DICTIONARY : WEIR_PARQUET_PLAIN);
    weir_thrift_write_i32(&header, 3, WEIR_PARQUET_RLE);
    weir_thrift_write_i32(&header, 4, WEIR_PARQUET_RLE);
    weir_thrift_write_end(&header);
    weir_thrift_write_end(&header);
    end_page(codec, begin, codec->body.size, out, uncompressed_size);
    return WEIR_OK;
}

int weir_page_write_dictionary(weir_page_codec *codec, weir_slice plain, size_t value_count, weir_buffer *out,
                               uint64_t *uncompressed_size, weir_error *err)
{
    size_t begin = out->size;
    weir_thrift_writer header;
    WEIR_TRY(begin_page(codec, plain, WEIR_PARQUET_DICTIONARY_PAGE, &header, out, err));
    weir_thrift_write_begin(&header, 7);
    weir_thrift_write_i32(&header, 1, (int32_t)value_count);
    weir_thrift_write_i32(&header, 2, WEIR_PARQUET_PLAIN);
    weir_thrift_write_end(&header);
    weir_thrift_write_end(&header);
    end_page(codec, begin, plain.size, out, uncompressed_size);
    return WEIR_OK;
}
