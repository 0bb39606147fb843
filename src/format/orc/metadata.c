/* Reading the metadata of an ORC file, which are Protocol Buffers messages, from the file's end:
 *
 *   | stripes | stripe statistics | footer, compressed | postscript, never compressed | its size: 1 |
 *
 * Names of fields are those of the format's orc_proto.proto. Whatever is used later as a place or a size is checked
 * here. */
#include "format/orc/metadata.h"

#include "format/orc/protobuf.h"
#include "format/orc/stream.h"

#define MAX_FOOTER_BYTES    ((size_t)64 << 20)
#define MAX_BLOCK_BYTES     ((uint64_t)1 << 23) /* the head of a chunk has no room for more */
#define DEFAULT_BLOCK_BYTES (256 << 10)
#define MAX_DECIMAL_SCALE   38

static const char *const kind_names[] = {"boolean",
                                         "tinyint",
                                         "smallint",
                                         "int",
                                         "bigint",
                                         "float",
                                         "double",
                                         "string",
                                         "binary",
                                         "timestamp",
                                         "list",
                                         "map",
                                         "struct",
                                         "union",
                                         "decimal",
                                         "date",
                                         "varchar",
                                         "char",
                                         "timestamp with local time zone",
                                         "type of an unknown number"};

const char *weir_orc_kind_name(weir_orc_kind kind) { return kind_names[kind]; }

/* Reads the message of `size` stored bytes at `offset` into `out`. */
static int read_message(const weir_orc_source *source, uint64_t offset, uint64_t size, const char *what,
                        weir_buffer *out, weir_error *err)
{
    weir_orc_stream stream = {0};
    weir_orc_stream_open(&stream, source, offset, size, "metadata", what);
    weir_buffer_reserve(out, 1);
    int code = weir_orc_stream_read_all(&stream, MAX_FOOTER_BYTES, out, err);
    weir_orc_stream_close(&stream);
    return code;
}

int weir_orc_message_read(const weir_orc_source *source, uint64_t offset, uint64_t size, const char *what,
                          weir_arena *arena, weir_slice *out, weir_error *err)
{
    weir_buffer bytes = {0};
    int code = read_message(source, offset, size, what, &bytes, err);
    if (code == WEIR_OK) {
        *out = weir_slice_of(weir_arena_copy(arena, bytes.data, bytes.size), bytes.size);
    }
    weir_buffer_free(&bytes);
    return code;
}

static int damaged(const weir_orc_source *source, const char *what, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: the %s is damaged", source->path, what);
}

/* ---- the postscript ---- */

typedef struct postscript {
    uint64_t footer_size;
    uint64_t compression;
    uint64_t block_bytes;
    uint64_t statistics_size;
    uint64_t writer_version;
} postscript;

static int set_codec(weir_orc_source *source, const postscript *from, weir_error *err)
{
    static const weir_compression codecs[] = {
        WEIR_COMPRESSION_NONE,    WEIR_COMPRESSION_DEFLATE, WEIR_COMPRESSION_SNAPPY, WEIR_COMPRESSION_NONE,
        WEIR_COMPRESSION_LZ4_RAW, WEIR_COMPRESSION_ZSTD,    WEIR_COMPRESSION_BROTLI,
    };
    enum { LZO = 3 };
    if (from->compression == LZO || from->compression >= sizeof codecs / sizeof *codecs) {
        return weir_fail(err, WEIR_UNSUPPORTED,
                         "%s: ORC compression %" PRIu64 "%s is not read; there are none, zlib, snappy, lz4, zstd and "
                         "brotli",
                         source->path, from->compression, from->compression == LZO ? " (LZO)" : "");
    }
    if (from->block_bytes == 0 || from->block_bytes > MAX_BLOCK_BYTES) {
        return weir_fail(err, WEIR_CORRUPT, "%s: its compression blocks have %" PRIu64 " bytes, more than there can be",
                         source->path, from->block_bytes);
    }
    source->codec = codecs[from->compression];
    source->block_bytes = (size_t)from->block_bytes;
    return WEIR_OK;
}

/* `out_end`: where the postscript begins and the footer ends. */
static int read_postscript(const weir_orc_source *source, postscript *out, uint64_t *out_end, weir_error *err)
{
    size_t tail = source->tail.size;
    size_t size = tail == 0 ? 0 : source->tail.data[tail - 1];
    if (size == 0 || size > tail - 1) {
        return weir_fail(err, WEIR_CORRUPT, "%s: not an ORC file (%" PRIu64 " bytes without a postscript at the end)",
                         source->path, source->size);
    }
    weir_orc_message message = weir_orc_message_of(weir_slice_of(source->tail.data + tail - 1 - size, size));
    weir_orc_field field;
    bool has_magic = false;
    *out = (postscript){.block_bytes = DEFAULT_BLOCK_BYTES};
    while (weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 1: /* footerLength */
            out->footer_size = field.value;
            break;
        case 2: /* compression */
            out->compression = field.value;
            break;
        case 3: /* compressionBlockSize */
            out->block_bytes = field.value;
            break;
        case 5: /* metadataLength */
            out->statistics_size = field.value;
            break;
        case 6: /* writerVersion */
            out->writer_version = field.value;
            break;
        case 8000: /* magic */
            has_magic = weir_slice_equal(field.bytes, weir_slice_text("ORC"));
            break;
        default:
            break;
        }
    }
    *out_end = source->size - 1 - size;
    if (message.failed || !has_magic || out->footer_size > *out_end ||
        out->statistics_size > *out_end - out->footer_size) {
        return weir_fail(err, WEIR_CORRUPT, "%s: not an ORC file (no postscript with the letters ORC at the end)",
                         source->path);
    }
    return WEIR_OK;
}

/* ---- types ---- */

/* Repeated numbers come packed into bytes, or one a field. */
static void append_children(weir_orc_type *type, const weir_orc_field *field, bool *failed)
{
    weir_orc_message packed = weir_orc_message_of(field->bytes);
    uint64_t child = field->value;
    while (!field->is_bytes || (packed.next < packed.end && weir_orc_message_varint(&packed, &child))) {
        *failed = *failed || child > UINT32_MAX;
        type->children[type->child_count++] = (uint32_t)child;
        if (!field->is_bytes) {
            break;
        }
    }
    *failed = *failed || packed.failed;
}

/* At most how many children the message names. */
static size_t most_children(weir_slice bytes)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    size_t count = 0;
    while (weir_orc_message_next(&message, &field)) {
        count += field.number != 2 ? 0 : field.is_bytes ? field.bytes.size : 1;
    }
    return count;
}

static int read_type(const weir_orc_source *source, weir_slice bytes, weir_arena *arena, weir_orc_type *out,
                     weir_error *err)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    bool failed = false;
    size_t name_count = 0;
    out->children = WEIR_NEW_ARRAY(arena, uint32_t, most_children(bytes));
    out->names = WEIR_NEW_ARRAY(arena, const char *, weir_orc_message_count(bytes, 3));
    while (weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 1: /* kind */
            out->kind = field.value < WEIR_ORC_UNKNOWN_KIND ? (weir_orc_kind)field.value : WEIR_ORC_UNKNOWN_KIND;
            break;
        case 2: /* subtypes */
            append_children(out, &field, &failed);
            break;
        case 3: /* fieldNames */
            out->names[name_count++] = weir_arena_strndup(arena, (const char *)field.bytes.data, field.bytes.size);
            break;
        case 6: /* scale */
            failed = failed || field.value > MAX_DECIMAL_SCALE;
            out->scale = (uint32_t)field.value;
            break;
        default:
            break;
        }
    }
    bool is_struct = out->kind == WEIR_ORC_STRUCT;
    if (failed || message.failed || (is_struct && name_count != out->child_count)) {
        return damaged(source, "footer's list of types", err);
    }
    return WEIR_OK;
}

/* Children come after their parents, so that there is no circle. */
static int check_types(const weir_orc_source *source, const weir_orc_metadata *metadata, weir_error *err)
{
    if (metadata->type_count == 0 || metadata->types[0].kind != WEIR_ORC_STRUCT) {
        return weir_fail(err, WEIR_CORRUPT, "%s: its rows are no struct", source->path);
    }
    for (uint32_t i = 0; i < metadata->type_count; i++) {
        const weir_orc_type *type = &metadata->types[i];
        for (uint32_t k = 0; k < type->child_count; k++) {
            if (type->children[k] <= i || type->children[k] >= metadata->type_count) {
                return damaged(source, "footer's tree of types", err);
            }
        }
    }
    return WEIR_OK;
}

/* ---- the footer ---- */

static int read_stripe_place(const weir_orc_source *source, weir_slice bytes, int64_t first_row, weir_orc_stripe *out,
                             weir_error *err)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    uint64_t rows = 0;
    while (weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 1: /* offset */
            out->offset = field.value;
            break;
        case 2: /* indexLength */
            out->index_size = field.value;
            break;
        case 3: /* dataLength */
            out->data_size = field.value;
            break;
        case 4: /* footerLength */
            out->footer_size = field.value;
            break;
        case 5: /* numberOfRows */
            rows = field.value;
            break;
        default:
            break;
        }
    }
    uint64_t end;
    if (message.failed || __builtin_add_overflow(out->offset, out->index_size, &end) ||
        __builtin_add_overflow(end, out->data_size, &end) || __builtin_add_overflow(end, out->footer_size, &end) ||
        end > source->size) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a stripe at %" PRIu64 " lies outside of the file (%" PRIu64 " bytes)",
                         source->path, out->offset, source->size);
    }
    if (rows > (uint64_t)(INT64_MAX / 2 - first_row)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: its stripes claim more rows than a file can have", source->path);
    }
    out->first_row = first_row;
    out->row_count = (int64_t)rows;
    return WEIR_OK;
}

static int read_footer(const weir_orc_source *source, weir_slice bytes, weir_arena *arena, weir_orc_metadata *out,
                       weir_error *err)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    uint64_t row_count = 0;
    out->types = WEIR_NEW_ARRAY(arena, weir_orc_type, weir_orc_message_count(bytes, 4));
    out->stripes = WEIR_NEW_ARRAY(arena, weir_orc_stripe, weir_orc_message_count(bytes, 3));
    while (weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 3: /* stripes */
            WEIR_TRY(read_stripe_place(source, field.bytes, out->row_count, &out->stripes[out->stripe_count], err));
            out->row_count += out->stripes[out->stripe_count++].row_count;
            break;
        case 4: /* types */
            WEIR_TRY(read_type(source, field.bytes, arena, &out->types[out->type_count++], err));
            break;
        case 6: /* numberOfRows */
            row_count = field.value;
            break;
        case 10: /* encryption */
            return weir_fail(err, WEIR_UNSUPPORTED, "%s: encrypted ORC files are not read", source->path);
        default:
            break;
        }
    }
    if (message.failed) {
        return damaged(source, "footer", err);
    }
    if ((uint64_t)out->row_count != row_count) {
        return weir_fail(err, WEIR_CORRUPT, "%s: its footer speaks of %" PRIu64 " rows, its stripes of %" PRId64,
                         source->path, row_count, out->row_count);
    }
    return check_types(source, out, err);
}

int weir_orc_metadata_read(weir_orc_source *source, weir_arena *arena, weir_orc_metadata *out, weir_error *err)
{
    postscript tail;
    uint64_t end;
    weir_buffer footer = {0};
    *out = (weir_orc_metadata){0};
    WEIR_TRY(read_postscript(source, &tail, &end, err));
    WEIR_TRY(set_codec(source, &tail, err));
    int code;
    WEIR_GO(read_message(source, end - tail.footer_size, tail.footer_size, "footer", &footer, err));
    WEIR_GO(read_footer(source, weir_buffer_slice(&footer), arena, out, err));
    out->writer_version = tail.writer_version;
    out->statistics_size = tail.statistics_size;
    out->statistics_offset = end - tail.footer_size - tail.statistics_size;
done:
    weir_buffer_free(&footer);
    return code;
}

/* ---- the footer of a stripe ---- */

static bool read_stream_place(weir_slice bytes, weir_orc_stream_place *out)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    while (weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 1: /* kind */
            out->kind = field.value;
            break;
        case 2: /* column */
            out->column = field.value;
            break;
        case 3: /* length */
            out->size = field.value;
            break;
        default:
            break;
        }
    }
    return !message.failed;
}

static bool read_encoding(weir_slice bytes, weir_orc_encoding *out)
{
    enum { DIRECT, DICTIONARY, DIRECT_V2, DICTIONARY_V2 };
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    uint64_t kind = DIRECT;
    while (weir_orc_message_next(&message, &field)) {
        if (field.number == 1) {
            kind = field.value;
        } else if (field.number == 2) { /* dictionarySize */
            out->dictionary_size = field.value;
        }
    }
    out->is_dictionary = kind == DICTIONARY || kind == DICTIONARY_V2;
    out->is_version_2 = kind == DIRECT_V2 || kind == DICTIONARY_V2;
    return !message.failed && kind <= DICTIONARY_V2;
}

/* Streams lie one after the other from the stripe's beginning on. */
static bool place_streams(weir_orc_layout *layout, const weir_orc_stripe *stripe)
{
    uint64_t offset = stripe->offset;
    uint64_t left = stripe->index_size + stripe->data_size;
    for (size_t i = 0; i < layout->stream_count; i++) {
        weir_orc_stream_place *stream = &layout->streams[i];
        if (stream->size > left) {
            return false;
        }
        stream->offset = offset;
        offset += stream->size;
        left -= stream->size;
    }
    return true;
}

static bool read_layout(weir_slice bytes, const weir_orc_stripe *stripe, weir_arena *arena, weir_orc_layout *out)
{
    weir_orc_message message = weir_orc_message_of(bytes);
    weir_orc_field field;
    bool is_right = true;
    out->streams = WEIR_NEW_ARRAY(arena, weir_orc_stream_place, weir_orc_message_count(bytes, 1));
    out->encodings = WEIR_NEW_ARRAY(arena, weir_orc_encoding, weir_orc_message_count(bytes, 2));
    out->zone = "";
    while (is_right && weir_orc_message_next(&message, &field)) {
        switch (field.number) {
        case 1: /* streams */
            is_right = read_stream_place(field.bytes, &out->streams[out->stream_count++]);
            break;
        case 2: /* columns */
            is_right = read_encoding(field.bytes, &out->encodings[out->encoding_count++]);
            break;
        case 3: /* writerTimezone */
            out->zone = weir_arena_strndup(arena, (const char *)field.bytes.data, field.bytes.size);
            break;
        default:
            break;
        }
    }
    return is_right && !message.failed && place_streams(out, stripe);
}

int weir_orc_stripe_read(const weir_orc_source *source, weir_arena *arena, weir_orc_stripe *stripe, weir_error *err)
{
    if (stripe->layout != NULL) {
        return WEIR_OK;
    }
    weir_buffer bytes = {0};
    int code;
    uint64_t offset = stripe->offset + stripe->index_size + stripe->data_size;
    weir_orc_layout *layout = WEIR_NEW(arena, weir_orc_layout);
    WEIR_GO(read_message(source, offset, stripe->footer_size, "footer of a stripe", &bytes, err));
    if (!read_layout(weir_buffer_slice(&bytes), stripe, arena, layout)) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: the footer of the stripe at %" PRIu64 " is damaged", source->path,
                         stripe->offset);
        goto done;
    }
    stripe->layout = layout;
done:
    weir_buffer_free(&bytes);
    return code;
}
