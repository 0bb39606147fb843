/* One face over the compression libraries. Thread-safe: each call uses its own or a thread's context. */
#ifndef WEIR_FORMAT_COMPRESSION_H
#define WEIR_FORMAT_COMPRESSION_H

#include "base/base.h"

typedef enum weir_compression {
    WEIR_COMPRESSION_NONE,
    WEIR_COMPRESSION_SNAPPY,
    WEIR_COMPRESSION_GZIP,
    WEIR_COMPRESSION_DEFLATE,    /* raw, as Avro has it */
    WEIR_COMPRESSION_BROTLI,
    WEIR_COMPRESSION_LZ4_RAW,    /* one block */
    WEIR_COMPRESSION_LZ4_HADOOP, /* blocks framed by two big-endian lengths, Parquet's deprecated LZ4 */
    WEIR_COMPRESSION_ZSTD,
    WEIR_COMPRESSION_BZIP2
} weir_compression;

/* Appends the compressed form. `level` matters to zstd, gzip, deflate, brotli; 0: the codec's default (zstd: 1). */
int weir_compress(weir_compression codec, int level, weir_slice in, weir_buffer *out, weir_error *err);

/* Decompresses into exactly `out_size` bytes; anything else is WEIR_CORRUPT. */
int weir_decompress(weir_compression codec, weir_slice in, uint8_t *out, size_t out_size, const char *path,
                    weir_error *err);

/* Decompresses when the size is not known beforehand (Avro blocks): appends; at most `limit` bytes. */
int weir_decompress_unknown(weir_compression codec, weir_slice in, size_t limit, weir_buffer *out, const char *path,
                            weir_error *err);

#endif
