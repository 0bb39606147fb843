/* The union of two roaring bitmaps.
 *
 * Containers that only one bitmap has keep their values and may change their kind; those of both are put together as
 * bits. Of what kind a container is written follows Java's rules to the byte, for tables are compared by bytes: runs
 * where they are shorter, and, where they are as short as an array, if one of the containers had runs already. */
#include "index/roaring.h"

#include <stdlib.h>
#include <string.h>

#include "base/byte_reader.h"

#define COOKIE          12346u
#define COOKIE_OF_RUNS  12347u
#define LEAST_OFFSETS   4 /* with runs, fewer containers are written without their offsets */
#define MOST_IN_ARRAY   4096u
#define BITSET_BYTES    8192u
#define MOST_CONTAINERS 65536u

typedef enum container_kind { ARRAY, BITSET, RUNS } container_kind;

/* A container as it stands in its bitmap. */
typedef struct container {
    uint16_t high; /* the upper 16 bits of its values */
    container_kind kind;
    weir_slice bytes;
} container;

/* The containers of one bitmap, by their upper bits. */
typedef struct bitmap {
    container *containers;
    uint32_t count;
} bitmap;

static uint16_t load_u16(const uint8_t *bytes) { return (uint16_t)(bytes[0] | bytes[1] << 8); }

/* --- reading --- */

static weir_slice take_container(weir_byte_reader *reader, container_kind kind, uint32_t values)
{
    if (kind == ARRAY) {
        return weir_take_bytes(reader, (size_t)values * 2);
    }
    if (kind == BITSET) {
        return weir_take_bytes(reader, BITSET_BYTES);
    }
    return weir_take_bytes(reader, weir_take_number(reader, 2) * 4);
}

static bool read_containers(weir_byte_reader *reader, bitmap *out)
{
    uint32_t cookie = weir_take_u32(reader);
    bool has_runs = (cookie & 0xFFFF) == COOKIE_OF_RUNS;
    uint32_t count = has_runs ? (cookie >> 16) + 1 : weir_take_u32(reader);
    if (reader->failed || (!has_runs && cookie != COOKIE) || count > MOST_CONTAINERS) {
        return false;
    }
    weir_slice run_bits = has_runs ? weir_take_bytes(reader, (count + 7) / 8) : (weir_slice){0};
    weir_slice heads = weir_take_bytes(reader, (size_t)count * 4);
    if (!has_runs || count >= LEAST_OFFSETS) {
        (void)weir_take_bytes(reader, (size_t)count * 4);
    }
    if (reader->failed) {
        return false;
    }
    out->containers = weir_alloc_zeroed(count + 1, sizeof *out->containers);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        container *one = &out->containers[out->count++];
        uint32_t values = (uint32_t)load_u16(heads.data + (size_t)i * 4 + 2) + 1;
        bool is_runs = has_runs && (run_bits.data[i / 8] >> (i % 8) & 1);
        one->high = load_u16(heads.data + (size_t)i * 4);
        one->kind = is_runs ? RUNS : values <= MOST_IN_ARRAY ? ARRAY : BITSET;
        one->bytes = take_container(reader, one->kind, values);
        if (i > 0 && one->high <= out->containers[i - 1].high) {
            return false;
        }
    }
    return !reader->failed;
}

static int read_bitmap(weir_slice bytes, bitmap *out, weir_error *err)
{
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    if (!read_containers(&reader, out)) {
        return weir_fail(err, WEIR_INVALID, "%zu bytes are no roaring bitmap of 32-bit numbers", bytes.size);
    }
    return WEIR_OK;
}

static void set_bit(uint8_t *bits, uint32_t value) { bits[value >> 3] |= (uint8_t)(1u << (value & 7)); }

static void add_values(const container *one, uint8_t *bits)
{
    if (one->kind == BITSET) {
        for (size_t i = 0; i < BITSET_BYTES; i++) {
            bits[i] |= one->bytes.data[i];
        }
        return;
    }
    for (size_t at = 0; at < one->bytes.size; at += one->kind == ARRAY ? 2 : 4) {
        uint32_t first = load_u16(one->bytes.data + at);
        uint32_t last = one->kind == ARRAY ? first : first + load_u16(one->bytes.data + at + 2);
        for (uint32_t value = first; value <= last && value <= UINT16_MAX; value++) {
            set_bit(bits, value);
        }
    }
}

/* --- writing --- */

/* The values of a container to be written, and what is written of it before its bytes. */
typedef struct head {
    uint16_t high;
    container_kind kind;
    uint32_t count;
    uint32_t run_count;
} head;

static bool has_bit(const uint8_t *bits, uint32_t value) { return bits[value >> 3] >> (value & 7) & 1; }

static void count_values(const uint8_t *bits, head *out)
{
    uint64_t last_bit = 0; /* of the word before */
    for (size_t at = 0; at < BITSET_BYTES; at += 8) {
        uint64_t word = weir_load_le64(bits + at);
        out->count += (uint32_t)__builtin_popcountll(word);
        out->run_count += (uint32_t)__builtin_popcountll(word & ~(word << 1 | last_bit));
        last_bit = word >> 63;
    }
}

static container_kind choose_kind(const head *one, bool had_runs)
{
    uint32_t as_runs = 2 + 4 * one->run_count;
    bool fits_array = one->count <= MOST_IN_ARRAY;
    uint32_t otherwise = fits_array ? 2 * one->count + (had_runs ? 2 : 0) : BITSET_BYTES;
    bool is_shorter = had_runs ? as_runs <= otherwise : as_runs < otherwise;
    return is_shorter ? RUNS : fits_array ? ARRAY : BITSET;
}

static void append_u16(weir_buffer *out, uint32_t value)
{
    weir_buffer_append(out, (const uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

static void append_u32(weir_buffer *out, uint32_t value)
{
    append_u16(out, value & 0xFFFF);
    append_u16(out, value >> 16);
}

static void append_container(const head *one, const uint8_t *bits, weir_buffer *out)
{
    if (one->kind == BITSET) {
        weir_buffer_append(out, bits, BITSET_BYTES);
        return;
    }
    if (one->kind == RUNS) {
        append_u16(out, one->run_count);
    }
    for (uint32_t value = 0; value <= UINT16_MAX; value++) {
        if (value % 64 == 0 && weir_load_le64(bits + value / 8) == 0) { /* most words are empty in a sparse container */
            value += 63;
            continue;
        }
        if (!has_bit(bits, value)) {
            continue;
        }
        append_u16(out, value);
        uint32_t first = value;
        while (one->kind == RUNS && value < UINT16_MAX && has_bit(bits, value + 1)) {
            value++;
        }
        if (one->kind == RUNS) {
            append_u16(out, value - first);
        }
    }
}

static uint32_t size_of(const head *one)
{
    return one->kind == RUNS ? 2 + 4 * one->run_count : one->kind == ARRAY ? 2 * one->count : BITSET_BYTES;
}

static void append_heads(const head *heads, uint32_t count, weir_buffer *out)
{
    bool has_runs = false;
    for (uint32_t i = 0; i < count; i++) {
        has_runs |= heads[i].kind == RUNS;
    }
    size_t start = out->size;
    append_u32(out, has_runs ? COOKIE_OF_RUNS | (count - 1) << 16 : COOKIE);
    if (!has_runs) {
        append_u32(out, count);
    }
    for (uint32_t i = 0; has_runs && i < count; i += 8) {
        uint8_t flags = 0;
        for (uint32_t bit = 0; bit < 8 && i + bit < count; bit++) {
            flags |= (uint8_t)((heads[i + bit].kind == RUNS) << bit);
        }
        weir_buffer_append_byte(out, flags);
    }
    for (uint32_t i = 0; i < count; i++) {
        append_u16(out, heads[i].high);
        append_u16(out, heads[i].count - 1);
    }
    if (!has_runs || count >= LEAST_OFFSETS) {
        uint32_t offset = (uint32_t)(out->size - start) + 4 * count;
        for (uint32_t i = 0; i < count; i++) {
            append_u32(out, offset);
            offset += size_of(&heads[i]);
        }
    }
}

/* --- both --- */

/* Takes the containers of the least upper bits that are left, of one bitmap or of both. */
static head merge_next(const bitmap *a, uint32_t *at_a, const bitmap *b, uint32_t *at_b, uint8_t *bits)
{
    const container *left = *at_a < a->count ? &a->containers[*at_a] : NULL;
    const container *right = *at_b < b->count ? &b->containers[*at_b] : NULL;
    if (left != NULL && right != NULL && left->high != right->high) {
        *(left->high < right->high ? &right : &left) = NULL;
    }
    *at_a += left != NULL;
    *at_b += right != NULL;
    memset(bits, 0, BITSET_BYTES);
    bool had_bits = false;
    bool had_runs = false;
    head merged = {.high = left != NULL ? left->high : right->high};
    for (int side = 0; side < 2; side++) {
        const container *one = side == 0 ? left : right;
        if (one != NULL) {
            had_bits |= one->kind == BITSET;
            had_runs |= one->kind == RUNS;
            add_values(one, bits);
        }
    }
    count_values(bits, &merged);
    merged.kind = choose_kind(&merged, had_runs && !had_bits);
    return merged;
}

int weir_roaring_union(weir_slice a, weir_slice b, weir_buffer *out, weir_error *err)
{
    bitmap left = {0};
    bitmap right = {0};
    head *heads = NULL;
    weir_buffer bodies = {0};
    uint8_t bits[BITSET_BYTES];
    uint32_t count = 0, at_left = 0, at_right = 0;
    int code = WEIR_OK;
    WEIR_GO(read_bitmap(a, &left, err));
    WEIR_GO(read_bitmap(b, &right, err));
    heads = weir_alloc((left.count + right.count + 1) * sizeof *heads);
    while (at_left < left.count || at_right < right.count) {
        heads[count] = merge_next(&left, &at_left, &right, &at_right, bits);
        if (heads[count].count > 0) { /* an array of runs may hold none */
            append_container(&heads[count], bits, &bodies);
            count++;
        }
    }
    append_heads(heads, count, out);
    weir_buffer_append(out, bodies.data, bodies.size);
done:
    free(left.containers);
    free(right.containers);
    free(heads);
    weir_buffer_free(&bodies);
    return code;
}
