/* Decompressing with every codec: into a size that is known, as Parquet has it, or into what comes out, for Avro. */
#include <brotli/decode.h>
#include <bzlib.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>

#include "format/compression_internal.h"

#define RAW_DEFLATE_WINDOW_BITS (-15)

/* When inflating, 32 more lets zlib find out whether the header is gzip's or zlib's: both occur under GZIP. */
#define ANY_HEADER_WINDOW_BITS (15 + 32)

static int corrupt(weir_compression codec, const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: damaged %s data", path, weir_compression_name(codec));
}

static int wrong_size(weir_compression codec, size_t found, size_t expected, const char *path, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "%s: %s data hold %zu bytes where %zu were expected", path,
                     weir_compression_name(codec), found, expected);
}

/* --- decompressing to a known size ------------------------------------------------------------------------------ */

static int decompress_zstd(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    size_t size = ZSTD_decompressDCtx(weir_zstd_decompressor(), out, out_size, in.data, in.size);
    if (ZSTD_isError(size)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: damaged zstd data (%s)", path, ZSTD_getErrorName(size));
    }
    return size == out_size ? WEIR_OK : wrong_size(WEIR_COMPRESSION_ZSTD, size, out_size, path, err);
}

static int decompress_snappy(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    size_t size = 0;
    if (snappy_uncompressed_length((const char *)in.data, in.size, &size) != SNAPPY_OK) {
        return corrupt(WEIR_COMPRESSION_SNAPPY, path, err);
    }
    if (size != out_size) {
        return wrong_size(WEIR_COMPRESSION_SNAPPY, size, out_size, path, err);
    }
    if (snappy_uncompress((const char *)in.data, in.size, (char *)out, &size) != SNAPPY_OK) {
        return corrupt(WEIR_COMPRESSION_SNAPPY, path, err);
    }
    return WEIR_OK;
}

/* One stream after another until the input ends: gzip files may be concatenated, and some writers do that. */
static int inflate_all(z_stream *stream, weir_compression codec, const char *path, weir_error *err)
{
    for (;;) {
        int result = inflate(stream, Z_FINISH);
        if (result == Z_MEM_ERROR) {
            return weir_fail(err, WEIR_NO_MEMORY, "%s: no memory to inflate", path);
        }
        if (result != Z_STREAM_END) {
            return corrupt(codec, path, err);
        }
        if (codec != WEIR_COMPRESSION_GZIP || stream->avail_in == 0 || stream->avail_out == 0) {
            return WEIR_OK;
        }
        inflateReset(stream);
    }
}

static int decompress_zlib(weir_compression codec, weir_slice in, uint8_t *out, size_t out_size, const char *path,
                           weir_error *err)
{
    uint8_t nothing; /* zlib wants a place to write to even when nothing comes */
    if (in.size > UINT32_MAX || out_size > UINT32_MAX) {
        return corrupt(codec, path, err);
    }
    z_stream stream = {0};
    if (inflateInit2(&stream, codec == WEIR_COMPRESSION_GZIP ? ANY_HEADER_WINDOW_BITS : RAW_DEFLATE_WINDOW_BITS) !=
        Z_OK) {
        return weir_fail(err, WEIR_NO_MEMORY, "%s: no memory to inflate", path);
    }
    stream.next_in = (Bytef *)(uintptr_t)in.data;
    stream.avail_in = (uInt)in.size;
    stream.next_out = out_size == 0 ? &nothing : out;
    stream.avail_out = (uInt)(out_size == 0 ? 1 : out_size);
    int code = inflate_all(&stream, codec, path, err);
    size_t left = out_size == 0 ? (stream.avail_out == 1 ? 0 : 1) : stream.avail_out;
    inflateEnd(&stream);
    if (code == WEIR_OK && left != 0) {
        return wrong_size(codec, out_size - left, out_size, path, err);
    }
    return code;
}

static int decompress_brotli(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    size_t size = out_size;
    if (BrotliDecoderDecompress(in.size, in.data, &size, out) != BROTLI_DECODER_RESULT_SUCCESS) {
        return corrupt(WEIR_COMPRESSION_BROTLI, path, err);
    }
    return size == out_size ? WEIR_OK : wrong_size(WEIR_COMPRESSION_BROTLI, size, out_size, path, err);
}

static int decompress_lz4(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    if (in.size > INT32_MAX || out_size > INT32_MAX) {
        return corrupt(WEIR_COMPRESSION_LZ4_RAW, path, err);
    }
    if (in.size == 0 && out_size == 0) {
        return WEIR_OK;
    }
    int size = LZ4_decompress_safe((const char *)in.data, (char *)out, (int)in.size, (int)out_size);
    if (size < 0) {
        return corrupt(WEIR_COMPRESSION_LZ4_RAW, path, err);
    }
    return (size_t)size == out_size ? WEIR_OK : wrong_size(WEIR_COMPRESSION_LZ4_RAW, (size_t)size, out_size, path, err);
}

/* One frame; what its header says may be split further: an uncompressed size is followed by as many blocks, each with
 * its compressed size, as it takes to fill it. Returns false when the bytes are not framed like that. */
static bool decompress_hadoop_frame(weir_slice *in, uint8_t *out, size_t out_size, size_t *filled)
{
    size_t frame_left = weir_load_be32(in->data);
    in->data += 4;
    in->size -= 4;
    if (frame_left > out_size - *filled) {
        return false;
    }
    do {
        if (in->size < 4) {
            return false;
        }
        size_t block = weir_load_be32(in->data);
        in->data += 4;
        in->size -= 4;
        if (block > in->size || block > INT32_MAX || out_size - *filled > INT32_MAX) {
            return false;
        }
        int size = block == 0 ? 0
                              : LZ4_decompress_safe((const char *)in->data, (char *)out + *filled, (int)block,
                                                    (int)frame_left);
        if (size < 0 || (size == 0 && frame_left > 0)) {
            return false;
        }
        *filled += (size_t)size;
        frame_left -= (size_t)size;
        in->data += block;
        in->size -= block;
    } while (frame_left > 0);
    return true;
}

static bool decompress_hadoop_frames(weir_slice in, uint8_t *out, size_t out_size)
{
    size_t filled = 0;
    while (in.size >= 8) {
        if (!decompress_hadoop_frame(&in, out, out_size, &filled)) {
            return false;
        }
    }
    return in.size == 0 && filled == out_size;
}

/* Several writers put plain LZ4 blocks under the number of the Hadoop format; frames are tried first. */
static int decompress_lz4_hadoop(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    if (decompress_hadoop_frames(in, out, out_size)) {
        return WEIR_OK;
    }
    return decompress_lz4(in, out, out_size, path, err);
}

static int decompress_bzip2(weir_slice in, uint8_t *out, size_t out_size, const char *path, weir_error *err)
{
    uint8_t nothing;
    if (in.size > UINT32_MAX || out_size > UINT32_MAX) {
        return corrupt(WEIR_COMPRESSION_BZIP2, path, err);
    }
    unsigned size = (unsigned)(out_size == 0 ? 1 : out_size);
    int result = BZ2_bzBuffToBuffDecompress((char *)(out_size == 0 ? &nothing : out), &size, (char *)(uintptr_t)in.data,
                                            (unsigned)in.size, 0, 0);
    if (result != BZ_OK) {
        return corrupt(WEIR_COMPRESSION_BZIP2, path, err);
    }
    return size == out_size ? WEIR_OK : wrong_size(WEIR_COMPRESSION_BZIP2, size, out_size, path, err);
}

int weir_decompress(weir_compression codec, weir_slice in, uint8_t *out, size_t out_size, const char *path,
                    weir_error *err)
{
    if (in.data == NULL) {
        in = weir_slice_of("", 0);
    }
    switch (codec) {
    case WEIR_COMPRESSION_NONE:
        if (in.size != out_size) {
            return wrong_size(codec, in.size, out_size, path, err);
        }
        if (out_size > 0) {
            memcpy(out, in.data, out_size);
        }
        return WEIR_OK;
    case WEIR_COMPRESSION_SNAPPY:
        return decompress_snappy(in, out, out_size, path, err);
    case WEIR_COMPRESSION_GZIP:
    case WEIR_COMPRESSION_DEFLATE:
        return decompress_zlib(codec, in, out, out_size, path, err);
    case WEIR_COMPRESSION_BROTLI:
        return decompress_brotli(in, out, out_size, path, err);
    case WEIR_COMPRESSION_LZ4_RAW:
        return decompress_lz4(in, out, out_size, path, err);
    case WEIR_COMPRESSION_LZ4_HADOOP:
        return decompress_lz4_hadoop(in, out, out_size, path, err);
    case WEIR_COMPRESSION_ZSTD:
        return decompress_zstd(in, out, out_size, path, err);
    case WEIR_COMPRESSION_BZIP2:
        return decompress_bzip2(in, out, out_size, path, err);
    }
    return weir_fail(err, WEIR_INVALID, "no compression has the number %d", (int)codec);
}

/* --- decompressing to a size that comes out --------------------------------------------------------------------- */

/* What an attempt gives instead of a size. Damage must not be taken for a lack of room: it would cost all the memory
 * that the limit allows before it is told. */
#define ATTEMPT_DAMAGED SIZE_MAX
#define ATTEMPT_NO_ROOM (SIZE_MAX - 1)

/* LZ4 does not tell damage from a lack of room; a byte of it gives 255 at most. */
static size_t most_bytes(weir_compression codec, size_t in_size, size_t limit)
{
    limit = limit < INT32_MAX ? limit : INT32_MAX - 1; /* no block of these codecs is larger */
    return codec == WEIR_COMPRESSION_LZ4_RAW && in_size < limit / 256 ? in_size * 256 : limit;
}

/* A guess doubled until the data fit, for codecs without a streaming face worth its code. */
static int decompress_by_doubling(weir_compression codec, weir_slice in, size_t limit, weir_buffer *out,
                                  size_t (*attempt)(weir_slice in, uint8_t *out, size_t room), const char *path,
                                  weir_error *err)
{
    size_t room = in.size < 1024 ? 4096 : in.size * 4;
    limit = most_bytes(codec, in.size, limit);
    for (;;) {
        room = room < limit ? room : limit;
        weir_buffer_reserve(out, room + 1); /* zlib wants a place to write to even when nothing comes */
        size_t size = attempt(in, out->data + out->size, room + 1);
        if (size <= limit) {
            out->size += size;
            return WEIR_OK;
        }
        if (size != ATTEMPT_NO_ROOM || room == limit) {
            return corrupt(codec, path, err);
        }
        room *= 2;
    }
}

static size_t attempt_lz4(weir_slice in, uint8_t *out, size_t room)
{
    if (in.size > INT32_MAX || room > INT32_MAX) {
        return ATTEMPT_DAMAGED;
    }
    int size = LZ4_decompress_safe((const char *)in.data, (char *)out, (int)in.size, (int)room);
    return size < 0 ? ATTEMPT_NO_ROOM : (size_t)size;
}

static size_t attempt_brotli(weir_slice in, uint8_t *out, size_t room)
{
    size_t size = 0;
    size_t room_left = room;
    BrotliDecoderState *state = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (state == NULL) {
        return ATTEMPT_DAMAGED;
    }
    BrotliDecoderResult result = BrotliDecoderDecompressStream(state, &in.size, &in.data, &room_left, &out, &size);
    BrotliDecoderDestroyInstance(state);
    return result == BROTLI_DECODER_RESULT_SUCCESS             ? size
           : result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT ? ATTEMPT_NO_ROOM
                                                               : ATTEMPT_DAMAGED;
}

static size_t attempt_bzip2(weir_slice in, uint8_t *out, size_t room)
{
    unsigned size = (unsigned)(room > UINT32_MAX ? UINT32_MAX : room);
    if (in.size > UINT32_MAX) {
        return ATTEMPT_DAMAGED;
    }
    int result = BZ2_bzBuffToBuffDecompress((char *)out, &size, (char *)(uintptr_t)in.data, (unsigned)in.size, 0, 0);
    return result == BZ_OK ? size : result == BZ_OUTBUFF_FULL ? ATTEMPT_NO_ROOM : ATTEMPT_DAMAGED;
}

static size_t attempt_zlib(weir_slice in, uint8_t *out, size_t room, int window_bits)
{
    z_stream stream = {0};
    if (in.size > UINT32_MAX || room > UINT32_MAX || inflateInit2(&stream, window_bits) != Z_OK) {
        return ATTEMPT_DAMAGED;
    }
    stream.next_in = (Bytef *)(uintptr_t)in.data;
    stream.avail_in = (uInt)in.size;
    stream.next_out = out;
    stream.avail_out = (uInt)room;
    int result = inflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    inflateEnd(&stream);
    bool is_full = result == Z_BUF_ERROR && stream.avail_out == 0;
    return result == Z_STREAM_END ? size : is_full ? ATTEMPT_NO_ROOM : ATTEMPT_DAMAGED;
}

static size_t attempt_deflate(weir_slice in, uint8_t *out, size_t room)
{
    return attempt_zlib(in, out, room, RAW_DEFLATE_WINDOW_BITS);
}

static size_t attempt_gzip(weir_slice in, uint8_t *out, size_t room)
{
    return attempt_zlib(in, out, room, ANY_HEADER_WINDOW_BITS);
}

/* Avro's Java writers stream into zstd, so the frame does not say its size. */
static int decompress_zstd_unknown(weir_slice in, size_t limit, weir_buffer *out, const char *path, weir_error *err)
{
    ZSTD_DCtx *context = weir_zstd_decompressor();
    ZSTD_DCtx_reset(context, ZSTD_reset_session_only);
    size_t start = out->size;
    ZSTD_inBuffer input = {in.data, in.size, 0};
    for (size_t hint = 1; hint != 0 || input.pos < input.size;) {
        if (out->capacity - out->size < 4096) {
            weir_buffer_reserve(out, in.size * 2 + ZSTD_DStreamOutSize());
        }
        size_t room = out->capacity - out->size;
        size_t left = limit - (out->size - start);
        ZSTD_outBuffer output = {out->data + out->size, room < left + 1 ? room : left + 1, 0};
        size_t read_before = input.pos;
        hint = ZSTD_decompressStream(context, &output, &input);
        out->size += output.pos;
        if (ZSTD_isError(hint) || out->size - start > limit) {
            return corrupt(WEIR_COMPRESSION_ZSTD, path, err);
        }
        if (hint != 0 && input.pos == input.size && output.pos < output.size && input.pos == read_before) {
            return weir_fail(err, WEIR_CORRUPT, "%s: zstd data end too early", path);
        }
    }
    return WEIR_OK;
}

static int decompress_snappy_unknown(weir_slice in, size_t limit, weir_buffer *out, const char *path, weir_error *err)
{
    size_t size = 0;
    /* No snappy element of three bytes gives more than 64, so a larger claim is not worth memory. */
    if (snappy_uncompressed_length((const char *)in.data, in.size, &size) != SNAPPY_OK || size > limit ||
        size / 32 > in.size) {
        return corrupt(WEIR_COMPRESSION_SNAPPY, path, err);
    }
    weir_buffer_reserve(out, size);
    WEIR_TRY(decompress_snappy(in, out->data + out->size, size, path, err));
    out->size += size;
    return WEIR_OK;
}

static int copy_unknown(weir_slice in, size_t limit, weir_buffer *out, const char *path, weir_error *err)
{
    if (in.size > limit) {
        return wrong_size(WEIR_COMPRESSION_NONE, in.size, limit, path, err);
    }
    weir_buffer_append(out, in.data, in.size);
    return WEIR_OK;
}

/* The frames say their sizes. */
static int decompress_hadoop_unknown(weir_slice in, size_t limit, weir_buffer *out, const char *path, weir_error *err)
{
    while (in.size >= 8) {
        size_t size = weir_load_be32(in.data);
        size_t filled = 0;
        if (size > limit) {
            return corrupt(WEIR_COMPRESSION_LZ4_HADOOP, path, err);
        }
        weir_buffer_reserve(out, size);
        if (!decompress_hadoop_frame(&in, out->data + out->size, size, &filled)) {
            return corrupt(WEIR_COMPRESSION_LZ4_HADOOP, path, err);
        }
        out->size += size;
        limit -= size;
    }
    return in.size == 0 ? WEIR_OK : corrupt(WEIR_COMPRESSION_LZ4_HADOOP, path, err);
}

int weir_decompress_unknown(weir_compression codec, weir_slice in, size_t limit, weir_buffer *out, const char *path,
                            weir_error *err)
{
    if (in.data == NULL) {
        in = weir_slice_of("", 0);
    }
    switch (codec) {
    case WEIR_COMPRESSION_NONE:
        return copy_unknown(in, limit, out, path, err);
    case WEIR_COMPRESSION_SNAPPY:
        return decompress_snappy_unknown(in, limit, out, path, err);
    case WEIR_COMPRESSION_GZIP:
        return decompress_by_doubling(codec, in, limit, out, attempt_gzip, path, err);
    case WEIR_COMPRESSION_DEFLATE:
        return decompress_by_doubling(codec, in, limit, out, attempt_deflate, path, err);
    case WEIR_COMPRESSION_BROTLI:
        return decompress_by_doubling(codec, in, limit, out, attempt_brotli, path, err);
    case WEIR_COMPRESSION_LZ4_RAW:
        return decompress_by_doubling(codec, in, limit, out, attempt_lz4, path, err);
    case WEIR_COMPRESSION_LZ4_HADOOP:
        return decompress_hadoop_unknown(in, limit, out, path, err);
    case WEIR_COMPRESSION_ZSTD:
        return decompress_zstd_unknown(in, limit, out, path, err);
    case WEIR_COMPRESSION_BZIP2:
        return decompress_by_doubling(codec, in, limit, out, attempt_bzip2, path, err);
    }
    return weir_fail(err, WEIR_INVALID, "no compression has the number %d", (int)codec);
}
