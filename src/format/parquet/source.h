/* The bytes of one Parquet file: the file itself, and its tail kept in memory, where footer and page indexes lie. */
#ifndef WEIR_FORMAT_PARQUET_SOURCE_H
#define WEIR_FORMAT_PARQUET_SOURCE_H

#include "base/budget.h"
#include "fs/fs.h"

/* Zeroed by nobody, but there: bytes after the end of every scratch area that loops may load, and store to. */
#define WEIR_PARQUET_PADDING 64

/* Memory whose size comes from the file: counted in the budget, grown without keeping its content. */
typedef struct weir_parquet_scratch {
    uint8_t *data;
    size_t capacity; /* without the padding */
} weir_parquet_scratch;

/* A piece of the file in memory. */
typedef struct weir_parquet_window {
    weir_parquet_scratch bytes;
    uint64_t start;
    size_t size;
} weir_parquet_window;

typedef struct weir_parquet_source {
    weir_file *file;
    weir_budget *budget;
    const char *path;
    weir_parquet_window tail;
    weir_parquet_window page; /* what was read last, for whichever column: compressed pages pass through here */
} weir_parquet_source;

/* Reads the file's last bytes into the tail. */
int weir_parquet_source_open(weir_parquet_source *source, weir_file *file, weir_budget *budget, weir_error *err);
void weir_parquet_source_close(weir_parquet_source *source); /* frees its windows, not the file */

/* Reads `size` bytes at `offset`, from the tail where they are there. Past the end of the file is WEIR_CORRUPT. */
int weir_parquet_source_read(weir_parquet_source *source, uint64_t offset, void *out, size_t size, weir_error *err);

/* Makes room for `size` bytes; what was there is kept when `keep` bytes are named. */
int weir_parquet_scratch_reserve(weir_parquet_source *source, weir_parquet_scratch *scratch, size_t size, size_t keep,
                                 weir_error *err);
void weir_parquet_scratch_free(weir_parquet_source *source, weir_parquet_scratch *scratch);

#endif
