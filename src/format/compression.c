/* What every codec needs: its name, and zstd's contexts for each thread. Compressing is in compress.c, decompressing in
 * decompress.c. */
#include <pthread.h>
#include <stdlib.h>

#include "format/compression_internal.h"

typedef struct zstd_contexts {
    ZSTD_CCtx *compress;
    ZSTD_DCtx *decompress;
} zstd_contexts;

static pthread_key_t contexts_key;
static pthread_once_t contexts_once = PTHREAD_ONCE_INIT;
static _Thread_local zstd_contexts *thread_contexts;

static void free_contexts(void *pointer)
{
    zstd_contexts *contexts = pointer;
    ZSTD_freeCCtx(contexts->compress);
    ZSTD_freeDCtx(contexts->decompress);
    free(contexts);
    thread_contexts = NULL;
}

/* Thread-exit destructors do not run for the main thread when the program ends. */
static void free_last_contexts(void)
{
    if (thread_contexts != NULL) {
        pthread_setspecific(contexts_key, NULL);
        free_contexts(thread_contexts);
    }
}

static void make_contexts_key(void)
{
    pthread_key_create(&contexts_key, free_contexts);
    atexit(free_last_contexts);
}

static zstd_contexts *contexts_of_thread(void)
{
    if (thread_contexts == NULL) {
        pthread_once(&contexts_once, make_contexts_key);
        thread_contexts = weir_alloc_zeroed(1, sizeof *thread_contexts);
        pthread_setspecific(contexts_key, thread_contexts);
    }
    return thread_contexts;
}

ZSTD_CCtx *weir_zstd_compressor(void)
{
    zstd_contexts *contexts = contexts_of_thread();
    if (contexts->compress == NULL) {
        contexts->compress = ZSTD_createCCtx();
    }
    return contexts->compress;
}

ZSTD_DCtx *weir_zstd_decompressor(void)
{
    zstd_contexts *contexts = contexts_of_thread();
    if (contexts->decompress == NULL) {
        contexts->decompress = ZSTD_createDCtx();
    }
    return contexts->decompress;
}

const char *weir_compression_name(weir_compression codec)
{
    switch (codec) {
    case WEIR_COMPRESSION_NONE:
        return "uncompressed";
    case WEIR_COMPRESSION_SNAPPY:
        return "snappy";
    case WEIR_COMPRESSION_GZIP:
        return "gzip";
    case WEIR_COMPRESSION_DEFLATE:
        return "deflate";
    case WEIR_COMPRESSION_BROTLI:
        return "brotli";
    case WEIR_COMPRESSION_LZ4_RAW:
        return "lz4_raw";
    case WEIR_COMPRESSION_LZ4_HADOOP:
        return "lz4";
    case WEIR_COMPRESSION_ZSTD:
        return "zstd";
    case WEIR_COMPRESSION_BZIP2:
        return "bzip2";
    }
    return "unknown";
}
