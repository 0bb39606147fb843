/* PageHeader of parquet.thrift. Checksums are not looked at: the file systems and codecs have their own. */
#include "format/parquet/page_header.h"

#include "format/parquet/thrift_reader.h"

static void read_data_page(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_page_header *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->value_count = weir_thrift_i32(reader, field);
            break;
        case 2:
            out->encoding = (weir_parquet_encoding)weir_thrift_i32(reader, field);
            break;
        case 3:
            out->definition_encoding = (weir_parquet_encoding)weir_thrift_i32(reader, field);
            break;
        case 4:
            out->repetition_encoding = (weir_parquet_encoding)weir_thrift_i32(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_data_page_v2(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_page_header *out)
{
    int32_t definition_bytes = 0;
    int32_t repetition_bytes = 0;
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->value_count = weir_thrift_i32(reader, field);
            break;
        case 2:
            out->null_count = weir_thrift_i32(reader, field);
            break;
        case 3:
            out->row_count = weir_thrift_i32(reader, field);
            break;
        case 4:
            out->encoding = (weir_parquet_encoding)weir_thrift_i32(reader, field);
            break;
        case 5:
            definition_bytes = weir_thrift_i32(reader, field);
            break;
        case 6:
            repetition_bytes = weir_thrift_i32(reader, field);
            break;
        case 7:
            out->is_compressed = weir_thrift_bool(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (definition_bytes < 0 || repetition_bytes < 0 || out->row_count < 0 || out->row_count > out->value_count) {
        weir_thrift_fail(reader, "a size is wrong");
    }
    out->definition_bytes = (uint32_t)definition_bytes;
    out->repetition_bytes = (uint32_t)repetition_bytes;
}

static void read_dictionary_page(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_page_header *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->value_count = weir_thrift_i32(reader, field);
            break;
        case 2:
            out->encoding = (weir_parquet_encoding)weir_thrift_i32(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_page_header(weir_thrift_reader *reader, weir_parquet_page_header *out)
{
    int32_t type = -1, compressed_size = -1, uncompressed_size = -1;
    weir_thrift_field field = {0};
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            type = weir_thrift_i32(reader, field);
            break;
        case 2:
            uncompressed_size = weir_thrift_i32(reader, field);
            break;
        case 3:
            compressed_size = weir_thrift_i32(reader, field);
            break;
        case 5:
            read_data_page(reader, field, out);
            break;
        case 7:
            read_dictionary_page(reader, field, out);
            break;
        case 8:
            read_data_page_v2(reader, field, out);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (type < 0 || compressed_size < 0 || uncompressed_size < 0) {
        weir_thrift_fail(reader, "its type or size is missing");
    }
    out->type = (weir_parquet_page)type;
    out->compressed_size = (uint32_t)compressed_size;
    out->uncompressed_size = (uint32_t)uncompressed_size;
    if (type != WEIR_PARQUET_INDEX_PAGE && out->value_count < 0) {
        weir_thrift_fail(reader, "its number of values is missing");
    }
    if (type == WEIR_PARQUET_DATA_PAGE_V2) {
        if (out->row_count < 0) {
            weir_thrift_fail(reader, "its number of rows is missing");
        }
    } else {
        out->row_count = out->null_count = -1;
    }
}

int weir_parquet_page_header_read(weir_slice bytes, bool more_follows, const char *path, weir_parquet_page_header *out,
                                  bool *needs_more, weir_error *err)
{
    weir_thrift_reader reader;
    *out = (weir_parquet_page_header){.value_count = -1, .row_count = -1, .null_count = -1, .is_compressed = true};
    *needs_more = false;
    weir_thrift_init(&reader, bytes);
    read_page_header(&reader, out);
    if (reader.problem != NULL && reader.truncated && more_follows) {
        *needs_more = true;
        return WEIR_OK;
    }
    out->header_size = (uint32_t)(reader.next - reader.start);
    return weir_thrift_check(&reader, path, "page header", err);
}
