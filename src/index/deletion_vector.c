/* Reading deletion vectors.
 *
 * One vector in an index file:
 *
 *   | length of magic and bitmap: 4, big-endian | magic: 4 | bitmap | crc32 of magic and bitmap: 4, big-endian |
 *
 *   version 1: magic 0x5E43F2D0, big-endian; one 32-bit bitmap. The manifest's length is that of magic and bitmap
 *   version 2: magic 0x6439D3D1, little-endian; | bitmaps: 8 | each: high 32 bits: 4 | 32-bit bitmap |, little-endian.
 *              The manifest's length counts the first and the last four bytes, too
 *
 * A 32-bit bitmap is in the portable form of the roaring format, little-endian:
 *
 *   | 12346: 4 | containers: 4 |                 or | 12347: 2 | containers - 1: 2 | a bit a container: does it hold
 * runs | | each container: high 16 bits: 2 | values - 1: 2 | | each container: its offset: 4 |            not where
 * there are runs and fewer than 4 containers containers:  runs | number: 2 | each: first: 2 | values after it: 2 | at
 * most 4096 values | each: 2 |,   more | 65536 bits |
 *
 * It is decoded here, straight into the bits of the file's rows, because the library for it (CRoaring as Debian has it)
 * trusts its bytes: a container whose bits do not agree with its number of values makes it write past its memory. */
#include "index/deletion_vector.h"

#include <zlib.h>

#include "base/byte_reader.h"

#define MAGIC_32        0x5E43F2D0u
#define MAGIC_64        0x6439D3D1u
#define COOKIE          12346u
#define COOKIE_OF_RUNS  12347u
#define FRAME_BYTES     12 /* length, magic, crc */
#define LEAST_OFFSETS   4
#define MOST_IN_ARRAY   4096u
#define BITSET_BYTES    8192
#define MOST_CONTAINERS 65536u

typedef struct row_bits {
    uint8_t *bits;
    uint64_t row_count;
    int64_t set;
    bool beyond; /* a row was named that the file does not have */
} row_bits;

static inline void set_row(row_bits *rows, uint64_t row)
{
    if (row >= rows->row_count) {
        rows->beyond = true;
        return;
    }
    uint8_t bit = (uint8_t)(1u << (row & 7));
    rows->set += (rows->bits[row >> 3] & bit) == 0;
    rows->bits[row >> 3] |= bit;
}

static uint16_t take_u16(weir_byte_reader *reader) { return (uint16_t)weir_take_number(reader, 2); }

static void decode_runs(weir_byte_reader *reader, uint64_t base, row_bits *rows)
{
    uint32_t count = take_u16(reader);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        uint32_t first = take_u16(reader), after = take_u16(reader);
        reader->failed |= first + after > UINT16_MAX;
        for (uint32_t value = first; value <= first + after && !reader->failed && !rows->beyond; value++) {
            set_row(rows, base | value);
        }
    }
}

static void decode_array(weir_byte_reader *reader, uint64_t base, uint32_t count, row_bits *rows)
{
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        set_row(rows, base | take_u16(reader));
    }
}

static void decode_bitset(weir_byte_reader *reader, uint64_t base, row_bits *rows)
{
    weir_slice bytes = weir_take_bytes(reader, BITSET_BYTES);
    for (size_t i = 0; i < bytes.size; i++) {
        for (uint32_t bit = 0; bit < 8 && bytes.data[i] != 0; bit++) {
            if (bytes.data[i] >> bit & 1) {
                set_row(rows, base | (i * 8 + bit));
            }
        }
    }
}

/* One 32-bit bitmap; `high` are the bits above those 32. */
static void decode_bitmap(weir_byte_reader *reader, uint64_t high, row_bits *rows)
{
    uint32_t cookie = weir_take_u32(reader);
    bool has_runs = (cookie & 0xFFFF) == COOKIE_OF_RUNS;
    uint32_t count = has_runs ? (cookie >> 16) + 1 : weir_take_u32(reader);
    if (reader->failed || (!has_runs && cookie != COOKIE) || count > MOST_CONTAINERS) {
        weir_byte_reader_fail(reader);
        return;
    }
    weir_slice run_bits = has_runs ? weir_take_bytes(reader, (count + 7) / 8) : (weir_slice){0};
    weir_slice heads = weir_take_bytes(reader, (size_t)count * 4);
    if (!has_runs || count >= LEAST_OFFSETS) {
        (void)weir_take_bytes(reader, (size_t)count * 4);
    }
    for (uint32_t i = 0; i < count && !reader->failed && !rows->beyond; i++) {
        const uint8_t *head = heads.data + (size_t)i * 4;
        uint64_t base = high << 32 | (uint64_t)(uint32_t)(head[0] | head[1] << 8) << 16;
        uint32_t values = (uint32_t)(head[2] | head[3] << 8) + 1;
        if (has_runs && (run_bits.data[i / 8] >> (i % 8) & 1)) {
            decode_runs(reader, base, rows);
        } else if (values <= MOST_IN_ARRAY) {
            decode_array(reader, base, values, rows);
        } else {
            decode_bitset(reader, base, rows);
        }
    }
}

static void decode_64(weir_byte_reader *reader, row_bits *rows)
{
    uint64_t count = weir_take_u64(reader);
    for (uint64_t i = 0; i < count && !reader->failed && !rows->beyond; i++) {
        uint32_t high = weir_take_u32(reader);
        decode_bitmap(reader, high, rows);
    }
}

int weir_deletion_vector_decode(weir_slice bytes, const char *path, int64_t row_count, uint8_t *bits,
                                int64_t *out_count, weir_error *err)
{
    row_bits rows = {.bits = bits, .row_count = (uint64_t)row_count};
    if (bytes.size < FRAME_BYTES || weir_load_be32(bytes.data) != bytes.size - 8) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a deletion vector of %zu bytes has another length than it says", path,
                         bytes.size);
    }
    weir_slice body = weir_slice_of(bytes.data + 4, bytes.size - 8);
    if ((uint32_t)crc32(0, body.data, (uInt)body.size) != weir_load_be32(bytes.data + bytes.size - 4)) {
        return weir_fail(err, WEIR_CORRUPT, "%s: the checksum of a deletion vector is wrong", path);
    }
    bool is_64 = weir_load_be32(body.data) != MAGIC_32;
    weir_byte_reader reader = weir_byte_reader_of(weir_slice_of(body.data + 4, body.size - 4));
    if (is_64 && weir_load_le32(body.data) != MAGIC_64) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a deletion vector begins with none of the numbers that mark one",
                         path);
    }
    if (is_64) {
        decode_64(&reader, &rows);
    } else {
        decode_bitmap(&reader, 0, &rows);
    }
    if (rows.beyond) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a deletion vector names a row beyond the %" PRId64 " of its data file",
                         path, row_count);
    }
    if (reader.failed) {
        return weir_fail(err, WEIR_CORRUPT, "%s: a deletion vector is damaged", path);
    }
    *out_count = rows.set;
    return WEIR_OK;
}

int weir_deletion_vector_read(weir_fs *fs, const char *path, int64_t offset, int32_t length, int64_t row_count,
                              uint8_t *bits, int64_t *out_count, weir_error *err)
{
    weir_file *file = NULL;
    weir_buffer bytes = {0};
    uint8_t head[8];
    int code;
    WEIR_TRY(weir_fs_open_file(fs, path, &file, err));
    if (offset < 0 || length < 4 || (uint64_t)offset + 8 > file->size) {
        code = weir_fail(err, WEIR_CORRUPT, "%s: no deletion vector can lie at %" PRId64, path, offset);
        goto done;
    }
    WEIR_GO(weir_file_read_at(file, (uint64_t)offset, head, sizeof head, err));
    uint64_t size = (uint64_t)weir_load_be32(head) + 8;
    uint64_t told = (uint64_t)length + (weir_load_be32(head + 4) == MAGIC_32 ? 8 : 0);
    if (size != told || size > file->size - (uint64_t)offset) {
        code =
            weir_fail(err, WEIR_CORRUPT,
                      "%s: the deletion vector at %" PRId64 " has %" PRIu64 " bytes, the index manifest says %" PRIu64,
                      path, offset, size, told);
        goto done;
    }
    weir_buffer_append_zeros(&bytes, (size_t)size);
    WEIR_GO(weir_file_read_at(file, (uint64_t)offset, bytes.data, (size_t)size, err));
    WEIR_GO(weir_deletion_vector_decode(weir_buffer_slice(&bytes), path, row_count, bits, out_count, err));
done:
    weir_buffer_free(&bytes);
    weir_file_close(file);
    return code;
}
