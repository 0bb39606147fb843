/* Reading the footer: FileMetaData of parquet.thrift, at the end of the file:
 *
 *   | "PAR1" | column chunks, page indexes … | FileMetaData: size | size: 4, little-endian | "PAR1" |
 *
 * Only what reading needs is kept. Everything that later code allocates or reads by is checked here once: the schema is
 * a tree, each row group has a chunk a leaf, chunks lie inside the file, rows don't overflow. Page headers and page
 * indexes are read in page_header.c and page_index.c. */
#include "format/parquet/footer.h"

#include "format/parquet/statistics.h"
#include "format/parquet/thrift_reader.h"

#define MAGIC_SIZE 4
#define TAIL_SIZE  8 /* the footer's size and the magic */

/* The fewest bytes that an element of these lists takes, so that a count can be held against the bytes left. */
#define MIN_ELEMENT_BYTES   3
#define MIN_ROW_GROUP_BYTES 4
#define MIN_CHUNK_BYTES     4

/* More than any sum of sizes or rows in a real file, and far from overflow. */
#define MAX_ROWS ((int64_t)1 << 55)

/* --- the schema ------------------------------------------------------------------------------------------------- */

static weir_parquet_unit read_unit(weir_thrift_reader *reader, weir_thrift_field outer)
{
    weir_parquet_unit unit = WEIR_PARQUET_MILLIS;
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        if (field.id >= WEIR_PARQUET_MILLIS && field.id <= WEIR_PARQUET_NANOS) {
            unit = (weir_parquet_unit)field.id;
        }
        weir_thrift_skip(reader, field);
    }
    return unit;
}

/* TIME and TIMESTAMP: { 1: isAdjustedToUTC, 2: unit } */
static void read_logical_time(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_element *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->adjusted_to_utc = weir_thrift_bool(reader, field);
            break;
        case 2:
            out->unit = read_unit(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_logical_decimal(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_element *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->scale = weir_thrift_i32(reader, field);
            break;
        case 2:
            out->precision = weir_thrift_i32(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_logical_integer(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_element *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            out->integer_bits = weir_thrift_i8(reader, field);
            break;
        case 2:
            out->integer_signed = weir_thrift_bool(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_logical(weir_thrift_reader *reader, weir_thrift_field outer, weir_parquet_element *out)
{
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        out->logical = (weir_parquet_logical)field.id;
        switch (field.id) {
        case WEIR_PARQUET_LOGICAL_DECIMAL:
            read_logical_decimal(reader, field, out);
            break;
        case WEIR_PARQUET_LOGICAL_TIME:
        case WEIR_PARQUET_LOGICAL_TIMESTAMP:
            read_logical_time(reader, field, out);
            break;
        case WEIR_PARQUET_LOGICAL_INTEGER:
            read_logical_integer(reader, field, out);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
}

static void read_element(weir_thrift_reader *reader, weir_arena *arena, weir_parquet_element *out)
{
    weir_thrift_field field = {0};
    int32_t number;
    *out = (weir_parquet_element){.converted = WEIR_PARQUET_CONVERTED_NONE, .field_id = -1};
    weir_thrift_struct(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_STRUCT));
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            number = weir_thrift_i32(reader, field);
            if (number < WEIR_PARQUET_BOOLEAN || number > WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY) {
                weir_thrift_fail(reader, "a column has an unknown physical type");
            }
            out->physical = (weir_parquet_physical)number;
            out->is_leaf = true;
            break;
        case 2:
            out->type_length = weir_thrift_i32(reader, field);
            break;
        case 3:
            number = weir_thrift_i32(reader, field);
            if (number < WEIR_PARQUET_REQUIRED || number > WEIR_PARQUET_REPEATED) {
                weir_thrift_fail(reader, "a column has an unknown repetition");
            }
            out->repetition = (weir_parquet_repetition)number;
            break;
        case 4: {
            weir_slice name = weir_thrift_binary(reader, field);
            out->name = weir_arena_strndup(arena, (const char *)name.data, name.size);
            break;
        }
        case 5:
            out->child_count = weir_thrift_i32(reader, field);
            break;
        case 6:
            out->converted = (weir_parquet_converted)weir_thrift_i32(reader, field);
            break;
        case 7:
            out->scale = weir_thrift_i32(reader, field);
            break;
        case 8:
            out->precision = weir_thrift_i32(reader, field);
            break;
        case 9:
            out->field_id = weir_thrift_i32(reader, field);
            break;
        case 10:
            read_logical(reader, field, out);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (out->name == NULL) {
        weir_thrift_fail(reader, "a column has no name");
    }
}

static void read_schema(weir_thrift_reader *reader, weir_thrift_field field, weir_arena *arena,
                        weir_parquet_footer *footer)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_STRUCT, MIN_ELEMENT_BYTES);
    if (footer->elements != NULL) {
        weir_thrift_fail(reader, "there are two schemas");
        return;
    }
    footer->elements = WEIR_NEW_ARRAY(arena, weir_parquet_element, count);
    for (uint32_t i = 0; i < count && reader->problem == NULL; i++) {
        weir_parquet_element *element = &footer->elements[i];
        read_element(reader, arena, element);
        if (element->is_leaf ? element->child_count > 0 : element->child_count < 0) {
            weir_thrift_fail(reader, "a column has a wrong number of children");
        }
        if (element->physical == WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY && element->type_length <= 0) {
            weir_thrift_fail(reader, "a column of fixed length has none");
        }
        footer->leaf_count += element->is_leaf;
        footer->element_count++;
    }
}

/* --- row groups ------------------------------------------------------------------------------------------------- */

static void check_range(weir_thrift_reader *reader, int64_t start, int64_t size, uint64_t file_size,
                        const char *problem)
{
    if (start < 0 || size < 0 || (uint64_t)start > file_size || (uint64_t)size > file_size - (uint64_t)start) {
        weir_thrift_fail(reader, problem);
    }
}

/* ColumnMetaData; `out` also gets what ColumnChunk has beside it. */
static void read_chunk_meta(weir_thrift_reader *reader, weir_thrift_field outer, uint64_t file_size,
                            weir_parquet_chunk *out)
{
    int64_t data_start = -1, dictionary_start = -1, size = -1;
    int32_t physical = -1, codec = -1;
    weir_thrift_field field = {0};
    weir_thrift_struct(reader, outer);
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            physical = weir_thrift_i32(reader, field);
            break;
        case 4:
            codec = weir_thrift_i32(reader, field);
            break;
        case 5:
            out->value_count = weir_thrift_i64(reader, field);
            break;
        case 7:
            size = weir_thrift_i64(reader, field);
            break;
        case 9:
            data_start = weir_thrift_i64(reader, field);
            break;
        case 11:
            dictionary_start = weir_thrift_i64(reader, field);
            break;
        case 12:
            weir_parquet_statistics_read(reader, field, &out->statistics);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    /* Some writers leave a 0 where there is no dictionary. */
    int64_t start = dictionary_start > 0 && dictionary_start < data_start ? dictionary_start : data_start;
    check_range(reader, start, size, file_size, "a column chunk lies outside of the file");
    if (physical < WEIR_PARQUET_BOOLEAN || physical > WEIR_PARQUET_FIXED_LEN_BYTE_ARRAY || out->value_count < 0) {
        weir_thrift_fail(reader, "a column chunk has a wrong type or number of values");
    }
    out->physical = (weir_parquet_physical)physical;
    out->codec = (weir_parquet_codec)codec;
    out->start = (uint64_t)start;
    out->size = (uint64_t)size;
    out->data_start = (uint64_t)data_start;
}

static void read_chunk(weir_thrift_reader *reader, uint64_t file_size, weir_parquet_chunk *out)
{
    int64_t offset_index_start = 0, column_index_start = 0;
    int32_t offset_index_size = 0, column_index_size = 0;
    bool has_meta = false;
    weir_thrift_field field = {0};
    out->statistics.null_count = -1;
    weir_thrift_struct(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_STRUCT));
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            weir_thrift_fail(reader, "a column chunk lies in another file");
            break;
        case 3:
            read_chunk_meta(reader, field, file_size, out);
            has_meta = true;
            break;
        case 4:
            offset_index_start = weir_thrift_i64(reader, field);
            break;
        case 5:
            offset_index_size = weir_thrift_i32(reader, field);
            break;
        case 6:
            column_index_start = weir_thrift_i64(reader, field);
            break;
        case 7:
            column_index_size = weir_thrift_i32(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (!has_meta) {
        weir_thrift_fail(reader, "a column chunk has no metadata (an encrypted file?)");
    }
    check_range(reader, offset_index_start, offset_index_size, file_size, "an offset index lies outside of the file");
    check_range(reader, column_index_start, column_index_size, file_size, "a column index lies outside of the file");
    out->offset_index_start = (uint64_t)offset_index_start;
    out->offset_index_size = (uint32_t)offset_index_size;
    out->column_index_start = (uint64_t)column_index_start;
    out->column_index_size = (uint32_t)column_index_size;
}

static void read_chunks(weir_thrift_reader *reader, weir_thrift_field field, weir_arena *arena, uint64_t file_size,
                        const weir_parquet_footer *footer, weir_parquet_row_group *out)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_STRUCT, MIN_CHUNK_BYTES);
    if (count != (uint32_t)footer->leaf_count || out->chunks != NULL) {
        weir_thrift_fail(reader, "a row group has another number of columns than the schema");
        return;
    }
    out->chunks = WEIR_NEW_ARRAY(arena, weir_parquet_chunk, count);
    for (uint32_t i = 0; i < count && reader->problem == NULL; i++) {
        read_chunk(reader, file_size, &out->chunks[i]);
    }
}

static void read_row_group(weir_thrift_reader *reader, weir_arena *arena, uint64_t file_size,
                           weir_parquet_footer *footer, weir_parquet_row_group *out)
{
    weir_thrift_field field = {0};
    out->row_count = -1;
    weir_thrift_struct(reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_STRUCT));
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 1:
            read_chunks(reader, field, arena, file_size, footer, out);
            break;
        case 3:
            out->row_count = weir_thrift_i64(reader, field);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (out->row_count < 0 || out->row_count > MAX_ROWS - footer->row_count ||
        (out->chunks == NULL && footer->leaf_count > 0)) {
        weir_thrift_fail(reader, "a row group has a wrong number of rows or no columns");
        return;
    }
    out->first_row = footer->row_count;
    footer->row_count += out->row_count;
}

static void read_row_groups(weir_thrift_reader *reader, weir_thrift_field field, weir_arena *arena, uint64_t file_size,
                            weir_parquet_footer *footer)
{
    uint32_t count = weir_thrift_list(reader, field, WEIR_THRIFT_STRUCT, MIN_ROW_GROUP_BYTES);
    if (footer->elements == NULL || footer->row_groups != NULL) {
        weir_thrift_fail(reader, "row groups come before the schema, or twice");
        return;
    }
    footer->row_groups = WEIR_NEW_ARRAY(arena, weir_parquet_row_group, count);
    for (uint32_t i = 0; i < count && reader->problem == NULL; i++) {
        read_row_group(reader, arena, file_size, footer, &footer->row_groups[i]);
        footer->row_group_count++;
    }
}

/* FileMetaData. Field 3, the number of rows, is taken from the row groups instead, which readers go by. */
static void read_file_meta(weir_thrift_reader *reader, weir_arena *arena, uint64_t file_size,
                           weir_parquet_footer *footer)
{
    weir_thrift_field field = {0};
    while (weir_thrift_next(reader, &field)) {
        switch (field.id) {
        case 2:
            read_schema(reader, field, arena, footer);
            break;
        case 4:
            read_row_groups(reader, field, arena, file_size, footer);
            break;
        default:
            weir_thrift_skip(reader, field);
        }
    }
    if (footer->element_count == 0) {
        weir_thrift_fail(reader, "there is no schema");
    }
}

/* Finds the footer's bytes and copies them into the arena. */
static int load_footer(weir_parquet_source *source, weir_arena *arena, weir_slice *out, weir_error *err)
{
    uint64_t file_size = source->file->size;
    if (file_size < MAGIC_SIZE + TAIL_SIZE) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %" PRIu64 " bytes are too few for a Parquet file", source->path,
                         file_size);
    }
    uint8_t tail[TAIL_SIZE];
    WEIR_TRY(weir_parquet_source_read(source, file_size - TAIL_SIZE, tail, sizeof tail, err));
    if (memcmp(tail + 4, "PARE", 4) == 0) {
        return weir_fail(err, WEIR_UNSUPPORTED, "%s: an encrypted Parquet file, which is not supported", source->path);
    }
    if (memcmp(tail + 4, "PAR1", 4) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: not a Parquet file (no PAR1 at the end)", source->path);
    }
    uint32_t size = weir_load_le32(tail);
    if (size > file_size - MAGIC_SIZE - TAIL_SIZE) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a footer of %u bytes in a file of %" PRIu64, source->path, size,
                         file_size);
    }
    uint8_t *bytes = weir_arena_alloc(arena, size);
    WEIR_TRY(weir_parquet_source_read(source, file_size - TAIL_SIZE - size, bytes, size, err));
    *out = weir_slice_of(bytes, size);
    return WEIR_OK;
}

int weir_parquet_footer_read(weir_parquet_source *source, weir_arena *arena, weir_parquet_footer **out, weir_error *err)
{
    weir_slice bytes;
    weir_thrift_reader reader;
    WEIR_TRY(load_footer(source, arena, &bytes, err));
    weir_parquet_footer *footer = WEIR_NEW(arena, weir_parquet_footer);
    weir_thrift_init(&reader, bytes);
    read_file_meta(&reader, arena, source->file->size, footer);
    WEIR_TRY(weir_thrift_check(&reader, source->path, "footer", err));
    *out = footer;
    return WEIR_OK;
}
