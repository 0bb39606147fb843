/* The frame of Avro container files, both ways. What the records mean is not known here. */
#include "format/avro/container.h"

#include <zlib.h>

#include "format/avro/cursor.h"
#include "format/avro/encode.h"

/* Larger blocks are not written by anything that reads them again in a Java array of its own making; a block that
 * claims to unfold to more is taken for damage before it takes the memory. */
enum { MAX_BLOCK_BYTES = 1 << 28 };

static const weir_avro_codec codecs[] = {
    {"null", WEIR_COMPRESSION_NONE},      {"deflate", WEIR_COMPRESSION_DEFLATE}, {"snappy", WEIR_COMPRESSION_SNAPPY},
    {"zstandard", WEIR_COMPRESSION_ZSTD}, {"bzip2", WEIR_COMPRESSION_BZIP2},
};

int weir_avro_codec_find(const char *name, const char *path, const weir_avro_codec **out, weir_error *err)
{
    const char *own = strcmp(name, "zstd") == 0 ? "zstandard" : strcmp(name, "none") == 0 ? "null" : name;
    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (strcmp(codecs[i].name, own) == 0) {
            *out = &codecs[i];
            return WEIR_OK;
        }
    }
    return weir_fail(
        err, WEIR_UNSUPPORTED,
        "%s: the compression '%s' is not supported in Avro files; there are null, deflate, snappy, zstandard "
        "and bzip2",
        path, name);
}

static bool key_is(weir_slice key, const char *name) { return weir_slice_equal(key, weir_slice_text(name)); }

/* Reads the metadata map up to its end. False: cut off or malformed. */
static bool read_metadata(weir_avro_cursor *cursor, weir_slice *schema, weir_slice *codec)
{
    for (;;) {
        int64_t count;
        int64_t size;
        if (!weir_avro_read_long(cursor, &count)) {
            return false;
        }
        if (count == 0) {
            return true;
        }
        if (count < 0 && (count == INT64_MIN || !weir_avro_read_long(cursor, &size))) {
            return false;
        }
        for (int64_t i = count < 0 ? -count : count; i > 0; i--) {
            weir_slice key;
            weir_slice value;
            if (!weir_avro_read_bytes(cursor, &key) || !weir_avro_read_bytes(cursor, &value)) {
                return false;
            }
            if (key_is(key, "avro.schema")) {
                *schema = value;
            } else if (key_is(key, "avro.codec")) {
                *codec = value;
            }
        }
    }
}

int weir_avro_header_parse(weir_slice bytes, const char *path, weir_arena *arena, weir_avro_header *out,
                           bool *out_cut_off, weir_error *err)
{
    *out_cut_off = false;
    if (bytes.size < 4 || memcmp(bytes.data, "Obj\1", 4) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: not an Avro container file (it does not begin with Obj 1)", path);
    }
    weir_avro_cursor cursor = {bytes.data + 4, bytes.data + bytes.size, path};
    weir_slice schema = {0};
    weir_slice codec = weir_slice_text("null");
    if (!read_metadata(&cursor, &schema, &codec) || weir_avro_left(&cursor) < WEIR_AVRO_SYNC_BYTES) {
        *out_cut_off = true;
        return weir_fail(err, WEIR_CORRUPT, "%s: the Avro header does not end within %zu bytes", path, bytes.size);
    }
    if (schema.size == 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the Avro header has no avro.schema", path);
    }
    WEIR_TRY(
        weir_avro_codec_find(weir_arena_strndup(arena, (const char *)codec.data, codec.size), path, &out->codec, err));
    WEIR_TRY(weir_avro_schema_parse(schema, path, arena, &out->schema, err));
    memcpy(out->sync, cursor.next, WEIR_AVRO_SYNC_BYTES);
    out->size = (size_t)(cursor.next - bytes.data) + WEIR_AVRO_SYNC_BYTES;
    return WEIR_OK;
}

void weir_avro_header_write(weir_slice schema, const weir_avro_codec *codec, const uint8_t *sync, weir_buffer *out)
{
    weir_buffer_append(out, "Obj\1", 4);
    weir_avro_put_long(out, 2);
    weir_avro_put_bytes(out, weir_slice_text("avro.schema"));
    weir_avro_put_bytes(out, schema);
    weir_avro_put_bytes(out, weir_slice_text("avro.codec"));
    weir_avro_put_bytes(out, weir_slice_text(codec->name));
    weir_avro_put_long(out, 0);
    weir_buffer_append(out, sync, WEIR_AVRO_SYNC_BYTES);
}

int weir_avro_block_parse(weir_slice head, uint64_t offset, uint64_t file_size, const char *path, weir_avro_block *out,
                          weir_error *err)
{
    weir_avro_cursor cursor = {head.data, head.data + head.size, path};
    int64_t count;
    int64_t size;
    if (!weir_avro_read_long(&cursor, &count) || !weir_avro_read_long(&cursor, &size) || count < 0 || size < 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: no block of records at byte %" PRIu64, path, offset);
    }
    out->record_count = count;
    out->size = (uint64_t)size;
    out->offset = offset + (uint64_t)(cursor.next - head.data);
    if (out->offset > file_size || file_size - out->offset < WEIR_AVRO_SYNC_BYTES ||
        out->size > file_size - out->offset - WEIR_AVRO_SYNC_BYTES) {
        return weir_fail(err, WEIR_CORRUPT,
                         "%s: the block at byte %" PRIu64 " is cut off (%" PRId64 " bytes, the file has %" PRIu64 ")",
                         path, offset, size, file_size);
    }
    return WEIR_OK;
}

/* Avro follows a snappy block by the CRC-32 of the records, big-endian. */
static int unpack_snappy(weir_slice stored, weir_buffer *scratch, const char *path, weir_error *err)
{
    if (stored.size < 4) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a snappy block without its checksum", path);
    }
    stored.size -= 4;
    WEIR_TRY(weir_decompress_unknown(WEIR_COMPRESSION_SNAPPY, stored, MAX_BLOCK_BYTES, scratch, path, err));
    uint32_t expected = weir_load_be32(stored.data + stored.size);
    uint32_t found = (uint32_t)crc32_z(0, scratch->data, scratch->size);
    if (found != expected) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a block has the checksum %08" PRIx32 ", its records %08" PRIx32, path,
                         expected, found);
    }
    return WEIR_OK;
}

int weir_avro_block_unpack(const weir_avro_header *header, weir_slice stored, weir_buffer *scratch, weir_slice *out,
                           const char *path, weir_error *err)
{
    if (stored.size < WEIR_AVRO_SYNC_BYTES ||
        memcmp(stored.data + stored.size - WEIR_AVRO_SYNC_BYTES, header->sync, WEIR_AVRO_SYNC_BYTES) != 0) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a block does not end with the file's sync marker", path);
    }
    stored.size -= WEIR_AVRO_SYNC_BYTES;
    if (header->codec->compression == WEIR_COMPRESSION_NONE) {
        *out = stored;
        return WEIR_OK;
    }
    weir_buffer_clear(scratch);
    if (header->codec->compression == WEIR_COMPRESSION_SNAPPY) {
        WEIR_TRY(unpack_snappy(stored, scratch, path, err));
    } else {
        WEIR_TRY(weir_decompress_unknown(header->codec->compression, stored, MAX_BLOCK_BYTES, scratch, path, err));
    }
    *out = weir_buffer_slice(scratch);
    return WEIR_OK;
}

int weir_avro_block_write(const weir_avro_codec *codec, int level, const uint8_t *sync, int64_t record_count,
                          weir_slice records, weir_buffer *out, weir_error *err)
{
    weir_buffer packed = {0};
    weir_slice stored = records;
    if (codec->compression != WEIR_COMPRESSION_NONE) {
        int code = weir_compress(codec->compression, level, records, &packed, err);
        if (code != WEIR_OK) {
            weir_buffer_free(&packed);
            return code;
        }
        if (codec->compression == WEIR_COMPRESSION_SNAPPY) {
            uint8_t checksum[4];
            weir_store_be32(checksum, (uint32_t)crc32_z(0, records.data, records.size));
            weir_buffer_append(&packed, checksum, sizeof checksum);
        }
        stored = weir_buffer_slice(&packed);
    }
    weir_avro_put_long(out, record_count);
    weir_avro_put_bytes(out, stored);
    weir_buffer_append(out, sync, WEIR_AVRO_SYNC_BYTES);
    weir_buffer_free(&packed);
    return WEIR_OK;
}
