/* What compress.c and decompress.c share. */
#ifndef WEIR_FORMAT_COMPRESSION_INTERNAL_H
#define WEIR_FORMAT_COMPRESSION_INTERNAL_H

#include <zstd.h>

#include "format/compression.h"

/* The contexts of zstd, one pair a thread, because making one costs more than decompressing a small page. They are made
 * when first asked for and freed when the thread ends. */
ZSTD_CCtx *weir_zstd_compressor(void);
ZSTD_DCtx *weir_zstd_decompressor(void);

const char *weir_compression_name(weir_compression codec);

#endif
