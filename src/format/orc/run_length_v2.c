/* Runs of integers, version 2. The two highest bits of the first byte tell the kind; numbers are big-endian and packed
 * from the highest bit on:
 *
 *   short repeat  | 0:2 width-1:3 count-3:3 | value: width bytes |
 *   direct        | 1:2 width:5 count-1:9 | values: count times width bits |
 *   patched base  | 2:2 width:5 count-1:9 | base width-1:3 patch width:5 | gap width-1:3 patches:5 |
 *                 | base: sign and magnitude | values | patches: gap and patch |
 *   delta         | 3:2 width:5 count-1:9 | first: varint | second - first: varint | further steps: width bits |
 *
 * Arithmetic wraps around, as in Java, which wrote the numbers. */
#include "format/orc/run_length_v2.h"

enum { SHORT_REPEAT, DIRECT, PATCHED_BASE, DELTA };

/* Packed bits of a run, and eight bytes that unpacking may load after them. */
#define PACKED_BYTES (WEIR_ORC_MAX_RUN * 8)
#define PADDING      16

typedef struct run_head {
    int32_t width; /* bits */
    int32_t count;
} run_head;

static int32_t width_of_code(uint32_t code)
{
    static const uint8_t wide[] = {26, 28, 30, 32, 40, 48, 56, 64};
    return code < 24 ? (int32_t)code + 1 : wide[code - 24];
}

/* The least width that has a code and is not below `bits`, 1 to 64. */
static int32_t width_at_least(int32_t bits)
{
    uint32_t code = 0;
    while (width_of_code(code) < bits) {
        code++;
    }
    return width_of_code(code);
}

/* `in` may be read eight bytes past the last value. */
static void unpack(const uint8_t *in, int32_t width, int32_t count, uint64_t *out)
{
    size_t position = 0;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *at = in + position / 8;
        int32_t shift = (int32_t)(position % 8);
        uint64_t bits = weir_load_be64(at) << shift;
        bits |= shift == 0 ? 0 : at[8] >> (8 - shift);
        out[i] = bits >> (64 - width);
        position += (size_t)width;
    }
}

static int read_packed(weir_orc_integers *integers, int32_t width, int32_t count, uint64_t *out, weir_error *err)
{
    uint8_t packed[PACKED_BYTES + PADDING];
    size_t size = ((size_t)width * (size_t)count + 7) / 8;
    WEIR_TRY(weir_orc_stream_read(integers->stream, packed, size, err));
    memset(packed + size, 0, PADDING);
    unpack(packed, width, count, out);
    return WEIR_OK;
}

static int read_big_endian(weir_orc_integers *integers, int32_t bytes, uint64_t *out, weir_error *err)
{
    uint8_t encoded[8] = {0};
    WEIR_TRY(weir_orc_stream_read(integers->stream, encoded + 8 - bytes, (size_t)bytes, err));
    *out = weir_load_be64(encoded);
    return WEIR_OK;
}

/* The rest of the head that all kinds but short repeat have. */
static int read_head(weir_orc_integers *integers, uint8_t first, run_head *out, weir_error *err)
{
    uint8_t second;
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &second, err));
    out->width = width_of_code((first >> 1) & 0x1F);
    out->count = ((first & 1) << 8 | second) + 1;
    return WEIR_OK;
}

static int read_short_repeat(weir_orc_integers *integers, uint8_t first, weir_error *err)
{
    uint64_t number;
    WEIR_TRY(read_big_endian(integers, ((first >> 3) & 7) + 1, &number, err));
    integers->count = (first & 7) + 3;
    for (int32_t i = 0; i < integers->count; i++) {
        integers->run[i] = integers->is_signed ? weir_orc_unzigzag(number) : (int64_t)number;
    }
    return WEIR_OK;
}

static int read_direct(weir_orc_integers *integers, uint8_t first, weir_error *err)
{
    uint64_t values[WEIR_ORC_MAX_RUN];
    run_head head;
    WEIR_TRY(read_head(integers, first, &head, err));
    WEIR_TRY(read_packed(integers, head.width, head.count, values, err));
    for (int32_t i = 0; i < head.count; i++) {
        integers->run[i] = integers->is_signed ? weir_orc_unzigzag(values[i]) : (int64_t)values[i];
    }
    integers->count = head.count;
    return WEIR_OK;
}

/* Puts the patches, the high bits of a few values, into place. A gap too wide for its bits is told by patches that
 * change nothing. */
static int apply_patches(const weir_orc_integers *integers, const run_head *head, const uint64_t *patches,
                         int32_t patch_count, int32_t patch_width, uint64_t *values, weir_error *err)
{
    uint64_t mask = ((uint64_t)1 << patch_width) - 1; /* narrower than 64: a gap stands before the patch */
    uint64_t position = 0;
    for (int32_t i = 0; i < patch_count; i++) {
        uint64_t patch = patches[i] & mask;
        position += patches[i] >> patch_width;
        if (patch == 0) {
            continue;
        }
        if (position >= (uint64_t)head->count || head->width >= 64) {
            return weir_orc_stream_corrupt(integers->stream, "a patch lies outside of its run", err);
        }
        values[position] |= patch << head->width;
    }
    return WEIR_OK;
}

static int read_patched_base(weir_orc_integers *integers, uint8_t first, weir_error *err)
{
    uint64_t values[WEIR_ORC_MAX_RUN];
    uint64_t patches[32];
    uint64_t base;
    run_head head;
    uint8_t widths;
    uint8_t gaps;
    WEIR_TRY(read_head(integers, first, &head, err));
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &widths, err));
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &gaps, err));
    int32_t base_bytes = (widths >> 5) + 1;
    int32_t patch_width = width_of_code(widths & 0x1F);
    int32_t entry_width = patch_width + (gaps >> 5) + 1;
    int32_t patch_count = gaps & 0x1F;
    if (entry_width > 64) {
        return weir_orc_stream_corrupt(integers->stream, "the patches of a run are wider than 64 bits", err);
    }
    WEIR_TRY(read_big_endian(integers, base_bytes, &base, err));
    WEIR_TRY(read_packed(integers, head.width, head.count, values, err));
    WEIR_TRY(read_packed(integers, width_at_least(entry_width), patch_count, patches, err));
    WEIR_TRY(apply_patches(integers, &head, patches, patch_count, patch_width, values, err));
    uint64_t sign = (uint64_t)1 << (base_bytes * 8 - 1);
    base = (base & sign) != 0 ? 0 - (base & ~sign) : base;
    for (int32_t i = 0; i < head.count; i++) {
        integers->run[i] = (int64_t)(base + values[i]);
    }
    integers->count = head.count;
    return WEIR_OK;
}

static int read_delta(weir_orc_integers *integers, uint8_t first, weir_error *err)
{
    uint64_t steps[WEIR_ORC_MAX_RUN];
    uint64_t number;
    uint64_t encoded_step;
    run_head head;
    bool is_fixed = ((first >> 1) & 0x1F) == 0; /* width 0: every step is the first one */
    WEIR_TRY(read_head(integers, first, &head, err));
    WEIR_TRY(weir_orc_stream_varint(integers->stream, &number, err));
    WEIR_TRY(weir_orc_stream_varint(integers->stream, &encoded_step, err));
    int64_t first_step = weir_orc_unzigzag(encoded_step);
    if (!is_fixed && head.count > 2) {
        WEIR_TRY(read_packed(integers, head.width, head.count - 2, steps, err));
    }
    uint64_t value = integers->is_signed ? (uint64_t)weir_orc_unzigzag(number) : number;
    for (int32_t i = 0; i < head.count; i++) {
        integers->run[i] = (int64_t)value;
        uint64_t step = is_fixed || i == 0 ? (uint64_t)first_step : i + 1 < head.count ? steps[i - 1] : 0;
        value += is_fixed || i == 0 || first_step >= 0 ? step : 0 - step;
    }
    integers->count = head.count;
    return WEIR_OK;
}

int weir_orc_read_run_v2(weir_orc_integers *integers, weir_error *err)
{
    uint8_t first;
    WEIR_TRY(weir_orc_stream_byte(integers->stream, &first, err));
    switch (first >> 6) {
    case SHORT_REPEAT:
        return read_short_repeat(integers, first, err);
    case DIRECT:
        return read_direct(integers, first, err);
    case PATCHED_BASE:
        return read_patched_base(integers, first, err);
    default:
        return read_delta(integers, first, err);
    }
}
