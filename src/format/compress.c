/* Compressing with every codec. The bounds that the libraries give are reserved, so that each call is one step. */
#include <brotli/encode.h>
#include <bzlib.h>
#include <lz4.h>
#include <snappy-c.h>
#include <zlib.h>

#include "format/compression_internal.h"

/* Raw deflate, as Avro has it; adding 16 to the window bits asks zlib for gzip's header. */
#define RAW_DEFLATE_WINDOW_BITS (-15)
#define GZIP_WINDOW_BITS        (15 + 16)

/* Hadoop cuts its input into blocks of this size at most. */
#define HADOOP_BLOCK_BYTES (256 * 1024)

static int compression_failed(weir_compression codec, weir_error *err)
{
    return weir_fail(err, WEIR_NO_MEMORY, "%s could not compress a block", weir_compression_name(codec));
}

static int too_large(weir_compression codec, size_t size, weir_error *err)
{
    return weir_fail(err, WEIR_INVALID, "%zu bytes are too many for one block of %s", size,
                     weir_compression_name(codec));
}

static int compress_zstd(int level, weir_slice in, weir_buffer *out, weir_error *err)
{
    size_t bound = ZSTD_compressBound(in.size);
    weir_buffer_reserve(out, bound);
    size_t size = ZSTD_compressCCtx(weir_zstd_compressor(), out->data + out->size, bound, in.data, in.size,
                                    level == 0 ? 1 : level);
    if (ZSTD_isError(size)) {
        return compression_failed(WEIR_COMPRESSION_ZSTD, err);
    }
    out->size += size;
    return WEIR_OK;
}

static int compress_snappy(weir_slice in, weir_buffer *out, weir_error *err)
{
    size_t size = snappy_max_compressed_length(in.size);
    weir_buffer_reserve(out, size);
    if (snappy_compress((const char *)in.data, in.size, (char *)out->data + out->size, &size) != SNAPPY_OK) {
        return compression_failed(WEIR_COMPRESSION_SNAPPY, err);
    }
    out->size += size;
    return WEIR_OK;
}

static int compress_zlib(weir_compression codec, int level, weir_slice in, weir_buffer *out, weir_error *err)
{
    if (in.size > UINT32_MAX) {
        return too_large(codec, in.size, err);
    }
    int window_bits = codec == WEIR_COMPRESSION_GZIP ? GZIP_WINDOW_BITS : RAW_DEFLATE_WINDOW_BITS;
    z_stream stream = {0};
    if (deflateInit2(&stream, level == 0 ? Z_DEFAULT_COMPRESSION : level, Z_DEFLATED, window_bits, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return compression_failed(codec, err);
    }
    size_t bound = deflateBound(&stream, in.size) + 32; /* and the header and trailer of gzip */
    weir_buffer_reserve(out, bound);
    stream.next_in = (Bytef *)(uintptr_t)in.data;
    stream.avail_in = (uInt)in.size;
    stream.next_out = out->data + out->size;
    stream.avail_out = (uInt)(bound > UINT32_MAX ? UINT32_MAX : bound);
    int result = deflate(&stream, Z_FINISH);
    size_t size = stream.total_out;
    deflateEnd(&stream);
    if (result != Z_STREAM_END) {
        return compression_failed(codec, err);
    }
    out->size += size;
    return WEIR_OK;
}

static int compress_brotli(int level, weir_slice in, weir_buffer *out, weir_error *err)
{
    size_t size = BrotliEncoderMaxCompressedSize(in.size);
    if (size == 0 && in.size > 0) {
        return too_large(WEIR_COMPRESSION_BROTLI, in.size, err);
    }
    weir_buffer_reserve(out, size + 16);
    size += 16;
    if (!BrotliEncoderCompress(level == 0 ? 1 : level, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, in.size, in.data,
                               &size, out->data + out->size)) {
        return compression_failed(WEIR_COMPRESSION_BROTLI, err);
    }
    out->size += size;
    return WEIR_OK;
}

static int compress_lz4(weir_compression codec, weir_slice in, weir_buffer *out, weir_error *err)
{
    if (in.size > LZ4_MAX_INPUT_SIZE) {
        return too_large(codec, in.size, err);
    }
    int bound = LZ4_compressBound((int)in.size);
    weir_buffer_reserve(out, (size_t)bound);
    int size = LZ4_compress_default((const char *)in.data, (char *)out->data + out->size, (int)in.size, bound);
    if (size <= 0) {
        return compression_failed(codec, err);
    }
    out->size += (size_t)size;
    return WEIR_OK;
}

/* A frame for each piece of at most 256 KB:
 *
 *   | uncompressed size: 4, big-endian | compressed size: 4, big-endian | LZ4 block | */
static int compress_lz4_hadoop(weir_slice in, weir_buffer *out, weir_error *err)
{
    size_t from = 0;
    do { /* nothing at all still takes one frame */
        size_t size = in.size - from < HADOOP_BLOCK_BYTES ? in.size - from : HADOOP_BLOCK_BYTES;
        size_t frame = out->size;
        weir_buffer_append_zeros(out, 8);
        WEIR_TRY(compress_lz4(WEIR_COMPRESSION_LZ4_HADOOP, weir_slice_of(in.data + from, size), out, err));
        weir_store_be32(out->data + frame, (uint32_t)size);
        weir_store_be32(out->data + frame + 4, (uint32_t)(out->size - frame - 8));
        from += size;
    } while (from < in.size);
    return WEIR_OK;
}

static int compress_bzip2(int level, weir_slice in, weir_buffer *out, weir_error *err)
{
    if (in.size > UINT32_MAX / 2) {
        return too_large(WEIR_COMPRESSION_BZIP2, in.size, err);
    }
    unsigned size = (unsigned)(in.size + in.size / 100 + 601); /* the bound that bzlib's manual gives */
    weir_buffer_reserve(out, size);
    if (BZ2_bzBuffToBuffCompress((char *)out->data + out->size, &size, (char *)(uintptr_t)in.data, (unsigned)in.size,
                                 level < 1 || level > 9 ? 9 : level, 0, 0) != BZ_OK) {
        return compression_failed(WEIR_COMPRESSION_BZIP2, err);
    }
    out->size += size;
    return WEIR_OK;
}

int weir_compress(weir_compression codec, int level, weir_slice in, weir_buffer *out, weir_error *err)
{
    if (in.data == NULL) {
        in = weir_slice_of("", 0); /* some of the libraries refuse NULL even for nothing */
    }
    switch (codec) {
    case WEIR_COMPRESSION_NONE:
        weir_buffer_append(out, in.data, in.size);
        return WEIR_OK;
    case WEIR_COMPRESSION_SNAPPY:
        return compress_snappy(in, out, err);
    case WEIR_COMPRESSION_GZIP:
    case WEIR_COMPRESSION_DEFLATE:
        return compress_zlib(codec, level, in, out, err);
    case WEIR_COMPRESSION_BROTLI:
        return compress_brotli(level, in, out, err);
    case WEIR_COMPRESSION_LZ4_RAW:
        return compress_lz4(codec, in, out, err);
    case WEIR_COMPRESSION_LZ4_HADOOP:
        return compress_lz4_hadoop(in, out, err);
    case WEIR_COMPRESSION_ZSTD:
        return compress_zstd(level, in, out, err);
    case WEIR_COMPRESSION_BZIP2:
        return compress_bzip2(level, in, out, err);
    }
    return weir_fail(err, WEIR_INVALID, "no compression has the number %d", (int)codec);
}
