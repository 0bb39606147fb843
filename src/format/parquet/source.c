/* Reading the bytes of a Parquet file, and memory that the budget knows of. */
#include "format/parquet/source.h"

#include <stdlib.h>

#include "base/base.h"

/* Enough for the footer and the page indexes of most files, so that opening one is a single read. */
#define TAIL_BYTES (48 * 1024)

int weir_parquet_source_open(weir_parquet_source *source, weir_file *file, weir_budget *budget, weir_error *err)
{
    *source = (weir_parquet_source){.file = file, .budget = budget, .path = file->path};
    size_t size = file->size < TAIL_BYTES ? (size_t)file->size : TAIL_BYTES;
    WEIR_TRY(weir_parquet_scratch_reserve(source, &source->tail.bytes, size, 0, err));
    int code = weir_file_read_at(file, file->size - size, source->tail.bytes.data, size, err);
    if (code != WEIR_OK) {
        weir_parquet_source_close(source);
        return code;
    }
    source->tail.start = file->size - size;
    source->tail.size = size;
    return WEIR_OK;
}

void weir_parquet_source_close(weir_parquet_source *source)
{
    weir_parquet_scratch_free(source, &source->tail.bytes);
    weir_parquet_scratch_free(source, &source->page.bytes);
    source->tail.size = source->page.size = 0;
}

int weir_parquet_source_read(weir_parquet_source *source, uint64_t offset, void *out, size_t size, weir_error *err)
{
    uint64_t file_size = source->file->size;
    if (offset > file_size || size > file_size - offset) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes at %" PRIu64 " lie outside of the file (%" PRIu64 " bytes)",
                         source->path, size, offset, file_size);
    }
    if (source->tail.size > 0 && offset >= source->tail.start) {
        memcpy(out, source->tail.bytes.data + (offset - source->tail.start), size);
        return WEIR_OK;
    }
    return weir_file_read_at(source->file, offset, out, size, err);
}

int weir_parquet_scratch_reserve(weir_parquet_source *source, weir_parquet_scratch *scratch, size_t size, size_t keep,
                                 weir_error *err)
{
    if (size <= scratch->capacity && scratch->data != NULL) {
        return WEIR_OK;
    }
    /* A little more than asked, so that pages of nearly equal size do not make it grow each time. */
    size_t capacity = size + size / 8;
    void *data = NULL;
    WEIR_TRY(weir_budget_take(source->budget, (int64_t)capacity + WEIR_PARQUET_PADDING, err));
    int code = weir_alloc_checked(capacity + WEIR_PARQUET_PADDING, 1, &data, err);
    if (code != WEIR_OK) {
        weir_budget_give(source->budget, (int64_t)capacity + WEIR_PARQUET_PADDING);
        return weir_error_context(err, code, "%s", source->path);
    }
    if (keep > 0) {
        memcpy(data, scratch->data, keep);
    }
    weir_parquet_scratch_free(source, scratch);
    scratch->data = data;
    scratch->capacity = capacity;
    return WEIR_OK;
}

void weir_parquet_scratch_free(weir_parquet_source *source, weir_parquet_scratch *scratch)
{
    if (scratch->data != NULL) {
        weir_budget_give(source->budget, (int64_t)scratch->capacity + WEIR_PARQUET_PADDING);
        free(scratch->data);
    }
    *scratch = (weir_parquet_scratch){0};
}
