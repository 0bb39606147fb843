/* Small maps as bytes. They may come from a database, so sizes are checked. */
#include "stream/state/map_block.h"

#include "stream/state/row_layout.h"

int weir_map_block_read(weir_slice block, size_t at, bool has_time, weir_map_block_entry *out, weir_error *err)
{
    if (at >= block.size) {
        return WEIR_END;
    }
    weir_slice rest = weir_slice_of(block.data + at, block.size - at);
    uint32_t subkey_size = 0;
    uint32_t value_size = 0;
    size_t time_size = has_time ? 8 : 0;
    if (!weir_row_take_length(&rest, &subkey_size) || !weir_row_take_length(&rest, &value_size) ||
        rest.size < time_size || rest.size - time_size < subkey_size ||
        rest.size - time_size - subkey_size < value_size) {
        return weir_fail(err, WEIR_CORRUPT, "a map in state ends too soon");
    }
    out->time = has_time ? (int64_t)weir_load_le64(rest.data) : 0;
    out->subkey = weir_slice_of(rest.data + time_size, subkey_size);
    out->value = weir_slice_of(out->subkey.data + subkey_size, value_size);
    out->begin = at;
    out->end = (size_t)(out->value.data + value_size - block.data);
    return WEIR_OK;
}

int weir_map_block_find(weir_slice block, weir_slice subkey, bool has_time, weir_map_block_entry *out, bool *out_equal,
                        weir_error *err)
{
    size_t at = 1;
    *out_equal = false;
    for (;; at = out->end) {
        int code = weir_map_block_read(block, at, has_time, out, err);
        if (code != WEIR_OK) {
            out->begin = out->end = at;
            return code;
        }
        int order = weir_slice_compare(out->subkey, subkey);
        if (order >= 0) {
            *out_equal = order == 0;
            return WEIR_OK;
        }
    }
}

size_t weir_map_block_entry_bytes(weir_slice subkey, weir_slice value, bool has_time)
{
    return weir_row_length_bytes((uint32_t)subkey.size) + weir_row_length_bytes((uint32_t)value.size) +
           (has_time ? 8 : 0) + subkey.size + value.size;
}

void weir_map_block_write(uint8_t *to, weir_slice subkey, weir_slice value, bool has_time, int64_t time)
{
    to = weir_row_put_length(to, (uint32_t)subkey.size);
    to = weir_row_put_length(to, (uint32_t)value.size);
    if (has_time) {
        weir_store_le64(to, (uint64_t)time);
        to += 8;
    }
    if (subkey.size > 0) {
        memcpy(to, subkey.data, subkey.size);
    }
    if (value.size > 0) {
        memcpy(to + subkey.size, value.data, value.size);
    }
}
