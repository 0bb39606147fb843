#include "connect/mysql/event.h"

#include <zlib.h>

#include "connect/mysql/event_bytes.h"
#include "format/compression.h"

#define HEADER_BYTES     19
#define CHECKSUM_BYTES   4
#define LARGEST_UNPACKED ((uint64_t)1 << 31) /* of a compressed transaction, query or rows */

static int fail_short(const weir_binlog_event *event, weir_error *err)
{
    return weir_fail(err, WEIR_CORRUPT, "binlog: an event of type %u with %zu bytes is cut off or damaged", event->type,
                     event->body.size);
}

/* ---- the frame ---- */

static void parse_header(weir_slice bytes, weir_binlog_event *out)
{
    *out = (weir_binlog_event){
        .timestamp_s = weir_load_le32(bytes.data),
        .type = bytes.data[4],
        .server_id = weir_load_le32(bytes.data + 5),
        .next_position = weir_load_le32(bytes.data + 13),
        .flags = weir_load_le16(bytes.data + 17),
        .body = weir_slice_of(bytes.data + HEADER_BYTES, bytes.size - HEADER_BYTES),
    };
}

static bool checksum_is_right(weir_slice bytes)
{
    size_t size = bytes.size - CHECKSUM_BYTES;
    return crc32(0, bytes.data, (uInt)size) == weir_load_le32(bytes.data + size);
}

/* A format description has room for a checksum in any case, and says itself whether it is one; an event that stands
 * before the first of them is looked at. */
static bool has_checksum(weir_slice bytes, const weir_binlog_event *event, const weir_binlog_format *format)
{
    if (event->type == WEIR_BINLOG_ROTATE) {
        return event->body.size > CHECKSUM_BYTES && checksum_is_right(bytes);
    }
    return format->has_checksums;
}

int weir_binlog_event_parse(weir_slice bytes, const weir_binlog_format *format, weir_binlog_event *out, weir_error *err)
{
    if (bytes.size < HEADER_BYTES || weir_load_le32(bytes.data + 9) != bytes.size) {
        return weir_fail(err, WEIR_CORRUPT, "binlog: %zu bytes are no event", bytes.size);
    }
    parse_header(bytes, out);
    bool is_format = out->type == WEIR_BINLOG_FORMAT;
    if (!is_format && !has_checksum(bytes, out, format)) {
        return WEIR_OK;
    }
    if (out->body.size < CHECKSUM_BYTES + (size_t)is_format) {
        return fail_short(out, err);
    }
    out->body.size -= CHECKSUM_BYTES;
    bool is_checked = !is_format || out->body.data[out->body.size - 1] == 1;
    if (is_checked && !checksum_is_right(bytes)) {
        return weir_fail(err, WEIR_CORRUPT, "binlog: an event of type %u has a wrong checksum", out->type);
    }
    return WEIR_OK;
}

/* | version: 2 | server's version: 50 | created: 4 | header size: 1 | fixed size of each type: 1 each | checksums: 1 |
 */
int weir_binlog_parse_format(const weir_binlog_event *event, weir_binlog_format *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    uint64_t version = weir_take_number(&reader, 2);
    weir_slice server = weir_take_bytes(&reader, 50);
    weir_take_bytes(&reader, 4);
    uint8_t header_size = weir_take_u8(&reader);
    if (reader.failed || reader.left.size < 2) {
        return fail_short(event, err);
    }
    if (version != 4 || header_size != HEADER_BYTES) {
        return weir_fail(err, WEIR_UNSUPPORTED, "binlog: format %u with headers of %u bytes is not read",
                         (unsigned)version, header_size);
    }
    size_t count = reader.left.size - 1;
    *out = (weir_binlog_format){.has_checksums = reader.left.data[count] == 1,
                                .is_mariadb = memmem(server.data, server.size, "MariaDB", 7) != NULL};
    for (size_t i = 0; i < count && i + 1 < 256; i++) {
        out->fixed_sizes[i + 1] = reader.left.data[i];
    }
    return WEIR_OK;
}

/* ---- positions ---- */

static bool stands_in_transactions(const weir_binlog_event *event)
{
    switch (event->type) {
    case WEIR_BINLOG_FORMAT:
    case WEIR_BINLOG_PREVIOUS_GTIDS:
    case WEIR_BINLOG_HEARTBEAT:
    case WEIR_BINLOG_HEARTBEAT_2:
    case WEIR_BINLOG_MARIADB_CHECKPOINT:
    case WEIR_BINLOG_MARIADB_GTID_LIST:
    case WEIR_BINLOG_MARIADB_ENCRYPTION:
        return false;
    default:
        return event->next_position != 0 && (event->flags & WEIR_BINLOG_ARTIFICIAL) == 0;
    }
}

uint64_t weir_binlog_position_after(const weir_binlog_event *event, uint64_t position)
{
    if (!stands_in_transactions(event)) {
        return position;
    }
    uint64_t after = (position & ~(uint64_t)UINT32_MAX) | event->next_position;
    return after < position ? after + ((uint64_t)1 << 32) : after;
}

int weir_binlog_parse_rotate(const weir_binlog_event *event, weir_slice *out_file, uint64_t *out_position,
                             weir_error *err)
{
    if (event->body.size <= 8) {
        return fail_short(event, err);
    }
    *out_position = weir_load_le64(event->body.data);
    *out_file = weir_slice_of(event->body.data + 8, event->body.size - 8);
    return WEIR_OK;
}

int weir_binlog_parse_heartbeat(const weir_binlog_event *event, weir_slice *out_file, uint64_t *out_position,
                                weir_error *err)
{
    enum { FILE_NAME = 1, POSITION = 2 };
    *out_file = event->body;
    *out_position = event->next_position;
    if (event->type == WEIR_BINLOG_HEARTBEAT) {
        return WEIR_OK;
    }
    *out_file = (weir_slice){0};
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    while (reader.left.size > 0) {
        uint64_t type = weir_take_packed(&reader);
        if (type == 0) {
            break;
        }
        weir_slice value = weir_take_packed_bytes(&reader);
        weir_byte_reader number = weir_byte_reader_of(value);
        if (type == FILE_NAME) {
            *out_file = value;
        } else if (type == POSITION) {
            *out_position = weir_take_packed(&number);
        }
    }
    return reader.failed ? fail_short(event, err) : WEIR_OK;
}

/* MySQL: | flags: 1 | uuid: 16 | number: 8 | …; MariaDB: | number: 8 | domain: 4 | flags: 1 | … */
int weir_binlog_parse_gtid(const weir_binlog_event *event, weir_binlog_gtid *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    *out = (weir_binlog_gtid){0};
    if (event->type == WEIR_BINLOG_MARIADB_GTID) {
        out->number = weir_take_u64(&reader);
        out->domain = weir_take_u32(&reader);
        uint8_t flags = weir_take_u8(&reader);
        out->is_alone = flags & 1;
        out->is_prepared = flags & 64;
    } else {
        weir_take_u8(&reader);
        weir_slice uuid = weir_take_bytes(&reader, sizeof out->uuid);
        if (uuid.size > 0) {
            memcpy(out->uuid, uuid.data, sizeof out->uuid);
        }
        out->number = weir_take_u64(&reader);
    }
    return reader.failed || out->number > INT64_MAX ? fail_short(event, err) : WEIR_OK;
}

/* | one phase: 1 | id | */
int weir_binlog_parse_xa_prepare(const weir_binlog_event *event, bool *out_commits, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    *out_commits = weir_take_u8(&reader) != 0;
    return reader.failed ? fail_short(event, err) : WEIR_OK;
}

/* ---- compression ---- */

/* MariaDB: | mark and, in its low bits, n: 1 | unpacked size, big-endian: n | zlib | */
static int inflate_mariadb(const weir_binlog_event *event, weir_slice packed, weir_buffer *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(packed);
    uint8_t mark = weir_take_u8(&reader);
    uint64_t size = weir_take_big(&reader, mark & 7);
    if (reader.failed || (mark & 0xF0) != 0x80 || size > LARGEST_UNPACKED || size / 1100 > packed.size) {
        return fail_short(event, err);
    }
    weir_buffer_clear(out);
    weir_buffer_reserve(out, size + 1);
    uLongf unpacked = (uLongf)size;
    if (uncompress(out->data, &unpacked, reader.left.data, (uLong)reader.left.size) != Z_OK || unpacked != size) {
        return fail_short(event, err);
    }
    out->size = size;
    return WEIR_OK;
}

int weir_binlog_unpack_transaction(const weir_binlog_event *event, weir_buffer *out, weir_error *err)
{
    enum { END = 0, PAYLOAD_SIZE = 1, COMPRESSION = 2, UNPACKED_SIZE = 3, ZSTD = 0, NO_COMPRESSION = 255 };
    uint64_t compression = NO_COMPRESSION;
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    for (;;) {
        uint64_t type = weir_take_packed(&reader);
        if (reader.failed) {
            return fail_short(event, err);
        }
        if (type == END) {
            break;
        }
        weir_byte_reader value = weir_byte_reader_of(weir_take_packed_bytes(&reader));
        if (type == COMPRESSION) {
            compression = weir_take_packed(&value);
        }
    }
    if (compression == NO_COMPRESSION) {
        weir_buffer_append(out, reader.left.data, reader.left.size);
        return WEIR_OK;
    }
    if (compression != ZSTD) {
        return weir_fail(err, WEIR_UNSUPPORTED, "binlog: a transaction with compression %" PRIu64 " is not read",
                         compression);
    }
    WEIR_TRY_CTX(weir_decompress_unknown(WEIR_COMPRESSION_ZSTD, reader.left, LARGEST_UNPACKED, out, "binlog", err), err,
                 "a compressed transaction (binlog_transaction_compression), which may have 2 GB unpacked");
    return WEIR_OK;
}

int weir_binlog_next_packed(weir_slice *events, weir_binlog_event *out, weir_error *err)
{
    uint32_t size = events->size < HEADER_BYTES ? 0 : weir_load_le32(events->data + 9);
    if (size < HEADER_BYTES || size > events->size) {
        return weir_fail(err, WEIR_CORRUPT, "binlog: a compressed transaction ends within an event");
    }
    parse_header(weir_slice_of(events->data, size), out);
    *events = weir_slice_of(events->data + size, events->size - size);
    return WEIR_OK;
}

/* ---- queries ---- */

/* That of the client, among what stands before it: | 0: 1, flags: 4 | 1: 1, mode: 8 | 3: 1, 4 | 6: 1, length: 1,
 * catalog | 4: 1, client: 2, … | …; 0: it is not there. */
static uint32_t find_collation(weir_slice variables)
{
    enum { FLAGS = 0, MODE = 1, INCREMENT = 3, CLIENT = 4, CATALOG = 6 };
    weir_byte_reader reader = weir_byte_reader_of(variables);
    while (reader.left.size > 0 && !reader.failed) {
        switch (weir_take_u8(&reader)) {
        case FLAGS:
        case INCREMENT:
            weir_take_bytes(&reader, 4);
            break;
        case MODE:
            weir_take_bytes(&reader, 8);
            break;
        case CATALOG:
            weir_take_bytes(&reader, weir_take_u8(&reader));
            break;
        case CLIENT:
            return (uint32_t)weir_take_number(&reader, 2);
        default:
            return 0;
        }
    }
    return 0;
}

/* | thread: 4 | seconds: 4 | database's length: 1 | error: 2 | variables' size: 2 | of LOAD DATA: 13 | variables |
 * database \0 | text | */
int weir_binlog_parse_query(const weir_binlog_event *event, weir_buffer *scratch, weir_binlog_query *out,
                            weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    weir_take_bytes(&reader, 8);
    uint8_t database_size = weir_take_u8(&reader);
    weir_take_bytes(&reader, 2);
    size_t variables_size = (size_t)weir_take_number(&reader, 2);
    weir_take_bytes(&reader, event->type == WEIR_BINLOG_LOAD_QUERY ? 13 : 0);
    weir_slice variables = weir_take_bytes(&reader, variables_size);
    out->database = weir_take_bytes(&reader, database_size);
    weir_take_u8(&reader);
    if (reader.failed) {
        return fail_short(event, err);
    }
    out->collation = find_collation(variables);
    out->text = reader.left;
    if (event->type == WEIR_BINLOG_MARIADB_QUERY_COMPRESSED) {
        WEIR_TRY(inflate_mariadb(event, reader.left, scratch, err));
        out->text = weir_buffer_slice(scratch);
    }
    return WEIR_OK;
}

/* ---- rows ---- */

bool weir_binlog_is_rows(uint8_t type)
{
    return (type >= WEIR_BINLOG_WRITE_ROWS_1 && type <= WEIR_BINLOG_DELETE_ROWS_1) ||
           (type >= WEIR_BINLOG_WRITE_ROWS_2 && type <= WEIR_BINLOG_DELETE_ROWS_2) ||
           (type >= WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_1 &&
            type <= WEIR_BINLOG_MARIADB_DELETE_ROWS_COMPRESSED_2);
}

/* The kinds come in threes. */
static weir_binlog_change change_of(uint8_t type)
{
    uint8_t first = type >= WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_1 ? WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_1
                    : type >= WEIR_BINLOG_WRITE_ROWS_2                  ? WEIR_BINLOG_WRITE_ROWS_2
                                                                        : WEIR_BINLOG_WRITE_ROWS_1;
    return (weir_binlog_change)((type - first) % 3);
}

static bool has_extra(uint8_t type)
{
    return (type >= WEIR_BINLOG_WRITE_ROWS_2 && type <= WEIR_BINLOG_DELETE_ROWS_2) ||
           type >= WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_2;
}

/* One bit a column, all of which must be set. */
static int take_bitmap(const weir_binlog_event *event, weir_byte_reader *reader, uint32_t column_count, weir_error *err)
{
    weir_slice bitmap = weir_take_bytes(reader, (column_count + 7) / 8);
    if (reader->failed) {
        return fail_short(event, err);
    }
    for (uint32_t i = 0; i < column_count; i++) {
        if ((bitmap.data[i / 8] >> i % 8 & 1) == 0) {
            return weir_fail(
                err, WEIR_UNSUPPORTED,
                "the binlog has rows without all of their columns: set binlog_row_image = FULL at the server "
                "(and in its sessions), and start over");
        }
    }
    return WEIR_OK;
}

static uint64_t take_table_id(weir_byte_reader *reader, const weir_binlog_event *event,
                              const weir_binlog_format *format)
{
    return weir_take_number(reader, format->fixed_sizes[event->type] == 6 ? 4 : 6);
}

int weir_binlog_parse_rows_table(const weir_binlog_event *event, const weir_binlog_format *format, uint64_t *out,
                                 weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    *out = take_table_id(&reader, event, format);
    return reader.failed ? fail_short(event, err) : WEIR_OK;
}

/* | table: 6 | flags: 2 | version 2: size of what follows, itself included: 2, extra | columns: packed | bitmap, of
 * updates two | rows | */
int weir_binlog_parse_rows(const weir_binlog_event *event, const weir_binlog_format *format, weir_buffer *scratch,
                           weir_binlog_rows *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(event->body);
    out->change = change_of(event->type);
    take_table_id(&reader, event, format);
    weir_take_bytes(&reader, 2);
    if (has_extra(event->type)) {
        uint64_t size = weir_take_number(&reader, 2);
        weir_take_bytes(&reader, size < 2 ? SIZE_MAX : (size_t)size - 2);
    }
    uint64_t column_count = weir_take_packed(&reader);
    if (reader.failed || column_count == 0 || column_count > 4096) {
        return fail_short(event, err);
    }
    out->column_count = (uint32_t)column_count;
    WEIR_TRY(take_bitmap(event, &reader, out->column_count, err));
    if (out->change == WEIR_BINLOG_UPDATE) {
        WEIR_TRY(take_bitmap(event, &reader, out->column_count, err));
    }
    out->rows = reader.left;
    if (event->type >= WEIR_BINLOG_MARIADB_WRITE_ROWS_COMPRESSED_1) {
        WEIR_TRY(inflate_mariadb(event, reader.left, scratch, err));
        out->rows = weir_buffer_slice(scratch);
    }
    return WEIR_OK;
}
