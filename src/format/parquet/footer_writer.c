/* Footers. Field numbers are those of parquet.thrift. */
#include "format/parquet/footer_writer.h"

/* Readers know "<application> version <version>"; some look for known mistakes of known applications by it. */
#define CREATED_BY "weir version " WEIR_VERSION

static void write_statistics(const weir_column_chunk *chunk, weir_thrift_writer *writer)
{
    weir_thrift_write_begin(writer, 12);
    weir_thrift_write_i64(writer, 3, chunk->null_count);
    if (chunk->has_bounds) {
        weir_thrift_write_binary(writer, 5, chunk->max);
        weir_thrift_write_binary(writer, 6, chunk->min);
        weir_thrift_write_bool(writer, 7, true); /* both are exact */
        weir_thrift_write_bool(writer, 8, true);
    }
    weir_thrift_write_end(writer);
}

static void write_page_encoding(weir_parquet_page page, weir_parquet_encoding encoding, size_t count,
                                weir_thrift_writer *writer)
{
    weir_thrift_write_begin_element(writer);
    weir_thrift_write_i32(writer, 1, page);
    weir_thrift_write_i32(writer, 2, encoding);
    weir_thrift_write_i32(writer, 3, (int32_t)count);
    weir_thrift_write_end(writer);
}

/* From these a reader learns whether a dictionary has all values of the chunk. */
static void write_page_encodings(const weir_column_chunk *chunk, weir_thrift_writer *writer)
{
    size_t coded = chunk->dictionary_coded_pages;
    size_t plain = chunk->plain_pages;
    size_t count = (size_t)chunk->has_dictionary + (coded > 0) + (plain > 0);
    weir_thrift_write_list(writer, 13, WEIR_THRIFT_STRUCT, count);
    if (chunk->has_dictionary) {
        write_page_encoding(WEIR_PARQUET_DICTIONARY_PAGE, WEIR_PARQUET_PLAIN, 1, writer);
    }
    if (coded > 0) {
        write_page_encoding(WEIR_PARQUET_DATA_PAGE, WEIR_PARQUET_RLE_DICTIONARY, coded, writer);
    }
    if (plain > 0) {
        write_page_encoding(WEIR_PARQUET_DATA_PAGE, WEIR_PARQUET_PLAIN, plain, writer);
    }
}

static void write_encodings(const weir_column_chunk *chunk, weir_thrift_writer *writer)
{
    weir_thrift_write_list(writer, 2, WEIR_THRIFT_I32, chunk->has_dictionary ? 3 : 2);
    weir_thrift_write_i32_element(writer, WEIR_PARQUET_PLAIN);
    weir_thrift_write_i32_element(writer, WEIR_PARQUET_RLE);
    if (chunk->has_dictionary) {
        weir_thrift_write_i32_element(writer, WEIR_PARQUET_RLE_DICTIONARY);
    }
}

static void write_column_metadata(const weir_footer_content *content, const weir_write_leaf *leaf,
                                  const weir_column_chunk *chunk, weir_thrift_writer *writer)
{
    weir_thrift_write_begin(writer, 3);
    weir_thrift_write_i32(writer, 1, leaf->physical);
    write_encodings(chunk, writer);
    weir_thrift_write_list(writer, 3, WEIR_THRIFT_BINARY, (size_t)leaf->path_length);
    for (int32_t i = 0; i < leaf->path_length; i++) {
        weir_thrift_write_binary_element(writer, weir_slice_text(leaf->path[i]));
    }
    weir_thrift_write_i32(writer, 4, content->codec);
    weir_thrift_write_i64(writer, 5, chunk->level_count);
    weir_thrift_write_i64(writer, 6, (int64_t)chunk->uncompressed_size);
    weir_thrift_write_i64(writer, 7, (int64_t)chunk->compressed_size);
    weir_thrift_write_i64(writer, 9, (int64_t)chunk->data_page_offset);
    if (chunk->has_dictionary) {
        weir_thrift_write_i64(writer, 11, (int64_t)chunk->dictionary_page_offset);
    }
    write_statistics(chunk, writer);
    write_page_encodings(chunk, writer);
    weir_thrift_write_end(writer);
}

static uint64_t chunk_begin(const weir_column_chunk *chunk)
{
    return chunk->has_dictionary ? chunk->dictionary_page_offset : chunk->data_page_offset;
}

static void write_chunk(const weir_footer_content *content, const weir_write_leaf *leaf, const weir_column_chunk *chunk,
                        weir_thrift_writer *writer)
{
    weir_thrift_write_begin_element(writer);
    weir_thrift_write_i64(writer, 2, (int64_t)chunk_begin(chunk));
    write_column_metadata(content, leaf, chunk, writer);
    weir_thrift_write_i64(writer, 4, (int64_t)(content->offset_indexes_at + chunk->offset_index_offset));
    weir_thrift_write_i32(writer, 5, (int32_t)chunk->offset_index_size);
    if (chunk->column_index_size > 0) {
        weir_thrift_write_i64(writer, 6, (int64_t)(content->column_indexes_at + chunk->column_index_offset));
        weir_thrift_write_i32(writer, 7, (int32_t)chunk->column_index_size);
    }
    weir_thrift_write_end(writer);
}

static void write_row_group(const weir_footer_content *content, size_t number, weir_thrift_writer *writer)
{
    const weir_written_row_group *group = &content->row_groups[number];
    const weir_write_schema *schema = content->schema;
    uint64_t uncompressed_size = 0;
    uint64_t compressed_size = 0;
    weir_thrift_write_begin_element(writer);
    weir_thrift_write_list(writer, 1, WEIR_THRIFT_STRUCT, (size_t)schema->leaf_count);
    for (int32_t i = 0; i < schema->leaf_count; i++) {
        write_chunk(content, &schema->leaves[i], &group->chunks[i], writer);
        uncompressed_size += group->chunks[i].uncompressed_size;
        compressed_size += group->chunks[i].compressed_size;
    }
    weir_thrift_write_i64(writer, 2, (int64_t)uncompressed_size);
    weir_thrift_write_i64(writer, 3, group->row_count);
    weir_thrift_write_i64(writer, 5, (int64_t)chunk_begin(&group->chunks[0]));
    weir_thrift_write_i64(writer, 6, (int64_t)compressed_size);
    if (number <= INT16_MAX) {
        weir_thrift_write_i16(writer, 7, (int16_t)number);
    }
    weir_thrift_write_end(writer);
}

void weir_footer_write(const weir_footer_content *content, weir_buffer *out)
{
    const weir_write_schema *schema = content->schema;
    int64_t row_count = 0;
    for (size_t i = 0; i < content->row_group_count; i++) {
        row_count += content->row_groups[i].row_count;
    }
    weir_thrift_writer writer;
    weir_thrift_writer_init(&writer, out);
    weir_thrift_write_i32(&writer, 1, 1); /* version: readers of all ages take 1 */
    weir_thrift_write_list(&writer, 2, WEIR_THRIFT_STRUCT, (size_t)schema->element_count);
    weir_buffer_append(out, schema->elements.data, schema->elements.size);
    weir_thrift_write_i64(&writer, 3, row_count);
    weir_thrift_write_list(&writer, 4, WEIR_THRIFT_STRUCT, content->row_group_count);
    for (size_t i = 0; i < content->row_group_count; i++) {
        write_row_group(content, i, &writer);
    }
    weir_thrift_write_binary(&writer, 6, weir_slice_text(CREATED_BY));
    weir_thrift_write_list(&writer, 7, WEIR_THRIFT_STRUCT, (size_t)schema->leaf_count); /* orders as the types define */
    for (int32_t i = 0; i < schema->leaf_count; i++) {
        weir_thrift_write_begin_element(&writer);
        weir_thrift_write_empty(&writer, 1);
        weir_thrift_write_end(&writer);
    }
    weir_thrift_write_end(&writer);
}
