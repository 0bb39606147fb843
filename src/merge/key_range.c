/* The key ranges of data files, as sort keys; see the header. */
#include "merge/key_range.h"

static int append_key_row(weir_batch *batch, weir_slice serialized, const weir_data_file *file, weir_error *err)
{
    if (serialized.size < 4 || weir_load_be32(serialized.data) != (uint32_t)batch->column_count) {
        return weir_fail(err, WEIR_CORRUPT,
                         "data file %s: its least or greatest key does not have the %d columns of "
                         "the table's key",
                         file->name, (int)batch->column_count);
    }
    return weir_binary_row_read(weir_slice_of(serialized.data + 4, serialized.size - 4), batch, "key of a data file",
                                err);
}

int weir_key_range_of_file(const weir_merge_source *source, const weir_data_file *file, weir_sort_keys *out,
                           weir_error *err)
{
    weir_batch range;
    weir_batch_init(&range, source->key_fields, source->key_count);
    int code;
    WEIR_GO(append_key_row(&range, file->min_key, file, err));
    WEIR_GO(append_key_row(&range, file->max_key, file, err));
    WEIR_GO(weir_sort_keys_append(out, &range, source->identity, source->key_count, err));
done:
    weir_batch_free(&range);
    return code;
}

static size_t common_prefix(weir_slice a, weir_slice b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    size_t common = 0;
    while (common < size && a.data[common] == b.data[common]) {
        common++;
    }
    return common;
}

static weir_slice key_bytes(const weir_sort_keys *keys, int64_t i)
{
    return weir_slice_of(keys->bytes + keys->offsets[i], (size_t)(keys->offsets[i + 1] - keys->offsets[i]));
}

int weir_key_range_find_shared(weir_merge_source *source, const weir_sorted_run *runs, int32_t run_count,
                               weir_arena *arena, weir_error *err)
{
    weir_sort_keys keys = {0};
    int code = WEIR_OK;
    for (int32_t r = 0; r < run_count; r++) {
        for (int32_t f = 0; f < runs[r].file_count; f++) {
            WEIR_GO(weir_key_range_of_file(source, runs[r].files[f], &keys, err));
            if (keys.whole) {
                goto done; /* nothing to gain: they are compared as one number */
            }
        }
    }
    if (keys.length > 0) {
        size_t shared = keys.offsets[1] - keys.offsets[0];
        for (int64_t i = 1; i < keys.length; i++) {
            size_t common = common_prefix(key_bytes(&keys, 0), key_bytes(&keys, i));
            shared = common < shared ? common : shared;
        }
        source->shared = weir_arena_copy(arena, keys.bytes, shared);
        source->shared_size = shared;
    }
done:
    weir_sort_keys_free(&keys);
    return code;
}
