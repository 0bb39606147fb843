/* The bytes of one ORC file: its last part is kept in memory, and streams read theirs through here. */
#ifndef WEIR_FORMAT_ORC_SOURCE_H
#define WEIR_FORMAT_ORC_SOURCE_H

#include "base/budget.h"
#include "format/compression.h"
#include "fs/fs.h"

typedef struct weir_orc_source {
    weir_file *file;     /* NULL: the tail is all of it */
    weir_budget *budget; /* NULL: unlimited */
    const char *path;
    weir_slice tail;        /* the last bytes, up to all of them */
    weir_buffer held;       /* their memory; empty where they are borrowed */
    uint64_t size;          /* of the file */
    weir_compression codec; /* of streams and metadata, but for the postscript */
    size_t block_bytes;     /* what a chunk holds at most when it is decompressed */
} weir_orc_source;

/* A file that lies in memory; the bytes and the path are borrowed. */
void weir_orc_source_open_bytes(weir_orc_source *source, weir_slice bytes, const char *path);

/* Reads the file's last bytes; the codec is set by who reads the postscript. The file stays the caller's. */
int weir_orc_source_open(weir_orc_source *source, weir_file *file, weir_budget *budget, weir_error *err);
void weir_orc_source_close(weir_orc_source *source); /* also of a zeroed one */

/* Appends `size` bytes at `offset` to `out`. Past the end of the file is WEIR_CORRUPT. */
int weir_orc_source_read(const weir_orc_source *source, uint64_t offset, size_t size, weir_buffer *out,
                         weir_error *err);

/* Makes what was taken from the budget, `*taken`, what is held now. */
int weir_orc_source_settle(const weir_orc_source *source, size_t held, int64_t *taken, weir_error *err);

#endif
