/* Reading the bytes of an ORC file, from its tail in memory where they lie there. */
#include "format/orc/source.h"

/* Small files are read at once; of others this is enough for the footer of most. */
#define TAIL_BYTES ((uint64_t)256 << 10)

void weir_orc_source_open_bytes(weir_orc_source *source, weir_slice bytes, const char *path)
{
    *source = (weir_orc_source){.path = path, .tail = bytes, .size = bytes.size};
}

int weir_orc_source_open(weir_orc_source *source, weir_file *file, weir_budget *budget, weir_error *err)
{
    *source = (weir_orc_source){.file = file, .budget = budget, .path = file->path, .size = file->size};
    size_t size = (size_t)(file->size < TAIL_BYTES ? file->size : TAIL_BYTES);
    WEIR_TRY(weir_budget_take(budget, (int64_t)size, err));
    weir_buffer_reserve(&source->held, size + 1); /* an empty file has an address too */
    source->held.size = size;
    source->tail = weir_buffer_slice(&source->held);
    return weir_file_read_at(file, file->size - size, source->held.data, size, err);
}

void weir_orc_source_close(weir_orc_source *source)
{
    weir_budget_give(source->budget, (int64_t)source->held.size);
    weir_buffer_free(&source->held);
    source->held.size = 0;
}

int weir_orc_source_read(const weir_orc_source *source, uint64_t offset, size_t size, weir_buffer *out, weir_error *err)
{
    uint64_t tail_start = source->size - source->tail.size;
    if (offset > source->size || size > source->size - offset) {
        return weir_fail(err, WEIR_CORRUPT, "%s: %zu bytes at %" PRIu64 " lie outside of the file (%" PRIu64 " bytes)",
                         source->path, size, offset, source->size);
    }
    if (offset >= tail_start) {
        weir_buffer_append(out, source->tail.data + (offset - tail_start), size);
        return WEIR_OK;
    }
    weir_buffer_reserve(out, size);
    WEIR_TRY(weir_file_read_at(source->file, offset, out->data + out->size, size, err));
    out->size += size;
    return WEIR_OK;
}

int weir_orc_source_settle(const weir_orc_source *source, size_t held, int64_t *taken, weir_error *err)
{
    int64_t now = (int64_t)held;
    if (now > *taken) {
        WEIR_TRY(weir_budget_take(source->budget, now - *taken, err));
    } else {
        weir_budget_give(source->budget, *taken - now);
    }
    *taken = now;
    return WEIR_OK;
}
