#include "connect/mysql/offset.h"

#include <stdlib.h>

void weir_binlog_offset_free(weir_binlog_offset *offset)
{
    weir_gtid_set_free(&offset->gtids);
    *offset = (weir_binlog_offset){0};
}

void weir_binlog_offset_copy(const weir_binlog_offset *from, weir_binlog_offset *out)
{
    *out = *from;
    weir_gtid_set_copy(&from->gtids, &out->gtids);
}

/* binlog.999999 is followed by binlog.1000000. */
static int compare_files(const char *a, const char *b)
{
    size_t a_size = strlen(a);
    size_t b_size = strlen(b);
    return a_size != b_size ? (a_size < b_size ? -1 : 1) : strcmp(a, b);
}

int weir_binlog_offset_compare(const weir_binlog_offset *a, const weir_binlog_offset *b)
{
    int files = compare_files(a->file, b->file);
    return files != 0 ? files : a->position < b->position ? -1 : a->position > b->position;
}

bool weir_binlog_offset_set_file(weir_binlog_offset *offset, weir_slice name)
{
    if (name.size >= sizeof offset->file) {
        return false;
    }
    if (name.size > 0) {
        memcpy(offset->file, name.data, name.size);
    }
    offset->file[name.size] = '\0';
    return true;
}

void weir_binlog_offset_encode(const weir_binlog_offset *offset, weir_buffer *out)
{
    weir_put_slice(out, weir_slice_text(offset->file));
    weir_put_u64(out, offset->position);
    weir_put_u64(out, offset->skip_rows);
    weir_put_u8(out, offset->has_gtids);
    weir_put_u32(out, (uint32_t)offset->gtids.server_count);
    for (size_t i = 0; i < offset->gtids.server_count; i++) {
        const weir_gtid_server *server = &offset->gtids.servers[i];
        weir_buffer_append(out, server->uuid, sizeof server->uuid);
        weir_put_u32(out, (uint32_t)server->count);
        for (size_t j = 0; j < server->count; j++) {
            weir_put_u64(out, server->intervals[j].first);
            weir_put_u64(out, server->intervals[j].last);
        }
    }
    weir_put_u32(out, (uint32_t)offset->gtids.domain_count);
    for (size_t i = 0; i < offset->gtids.domain_count; i++) {
        weir_put_u32(out, offset->gtids.domains[i].domain);
        weir_put_u32(out, offset->gtids.domains[i].server_id);
        weir_put_u64(out, offset->gtids.domains[i].sequence);
    }
}

static void take_server(weir_byte_reader *reader, weir_gtid_set *out)
{
    weir_slice uuid = weir_take_bytes(reader, 16);
    uint32_t count = weir_take_count(reader, 16);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        uint64_t first = weir_take_u64(reader);
        uint64_t last = weir_take_u64(reader);
        reader->failed = reader->failed || first == 0 || last < first || last > INT64_MAX;
        if (!reader->failed) {
            weir_gtid_set_add_interval(out, uuid.data, (weir_gtid_interval){first, last});
        }
    }
}

void weir_binlog_offset_decode(weir_byte_reader *reader, weir_binlog_offset *out)
{
    *out = (weir_binlog_offset){0};
    weir_slice file = weir_take_slice(reader);
    reader->failed = reader->failed || !weir_binlog_offset_set_file(out, file);
    out->position = weir_take_u64(reader);
    out->skip_rows = weir_take_u64(reader);
    out->has_gtids = weir_take_u8(reader) != 0;
    uint32_t servers = weir_take_count(reader, 20);
    for (uint32_t i = 0; i < servers && !reader->failed; i++) {
        take_server(reader, &out->gtids);
    }
    uint32_t domains = weir_take_count(reader, 16);
    for (uint32_t i = 0; i < domains && !reader->failed; i++) {
        weir_gtid_domain domain = {.domain = weir_take_u32(reader)};
        domain.server_id = weir_take_u32(reader);
        domain.sequence = weir_take_u64(reader);
        weir_gtid_set_add_domain(&out->gtids, domain);
    }
}

void weir_binlog_offset_format(const weir_binlog_offset *offset, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s:%" PRIu64, offset->file[0] == '\0' ? "(first file)" : offset->file,
                              offset->position);
}
