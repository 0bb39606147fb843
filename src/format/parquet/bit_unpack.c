/* Bit unpacking: one loop for each width, so that all shifts are constants. Eight values of any width take whole bytes;
 * a step of eight is three instructions a value, about 0.4 ns. */
#include "format/parquet/bit_unpack.h"

#include "base/buffer.h"

typedef void unpack_8_groups(const uint8_t *in, size_t groups, uint32_t *out);

static inline __attribute__((always_inline)) void unpack_groups(const uint8_t *in, size_t groups, uint32_t *out,
                                                                const uint32_t width)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    for (size_t group = 0; group < groups; group++) {
        for (uint32_t i = 0; i < 8; i++) {
            out[i] = (uint32_t)(weir_load_le64(in + i * width / 8) >> (i * width % 8) & mask);
        }
        in += width;
        out += 8;
    }
}

#define DEFINE_UNPACK(width)                                                                                           \
    static void unpack_##width(const uint8_t *in, size_t groups, uint32_t *out)                                        \
    {                                                                                                                  \
        unpack_groups(in, groups, out, width);                                                                         \
    }

#define FOR_EACH_WIDTH(X)                                                                                              \
    X(0)                                                                                                               \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)     \
        X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31) X(32)

FOR_EACH_WIDTH(DEFINE_UNPACK)

#define UNPACK_ENTRY(width) unpack_##width,
static unpack_8_groups *const unpack_of_width[] = {FOR_EACH_WIDTH(UNPACK_ENTRY)};

static inline uint32_t unpack_one(const uint8_t *in, uint32_t width, uint64_t index)
{
    uint64_t bit = index * width;
    return (uint32_t)(weir_load_le64(in + bit / 8) >> (bit % 8) & ((UINT64_C(1) << width) - 1));
}

void weir_parquet_unpack_32(const uint8_t *in, uint32_t width, uint64_t first, size_t count, uint32_t *out)
{
    for (; first % 8 != 0 && count > 0; count--) {
        *out++ = unpack_one(in, width, first++);
    }
    size_t groups = count / 8;
    unpack_of_width[width](in + first / 8 * width, groups, out);
    for (size_t i = groups * 8; i < count; i++) {
        out[i] = unpack_one(in, width, first + i);
    }
}

/* Widths up to 57 bits lie in one word whatever their first bit. */
static void unpack_in_words(const uint8_t *in, uint32_t width, uint64_t *out)
{
    uint64_t mask = (UINT64_C(1) << width) - 1;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t bit = i * width;
        out[i] = weir_load_le64(in + bit / 8) >> (bit % 8) & mask;
    }
}

/* Wider ones may reach into a ninth byte. */
static void unpack_wide(const uint8_t *in, uint32_t width, uint64_t *out)
{
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t bit = i * width;
        uint64_t value = weir_load_le64(in + bit / 8) >> (bit % 8);
        if (bit % 8 != 0) {
            value |= (uint64_t)in[bit / 8 + 8] << (64 - bit % 8);
        }
        out[i] = value & mask;
    }
}

void weir_parquet_unpack_64(const uint8_t *in, uint32_t width, uint64_t out[32])
{
    if (width <= 32) {
        uint32_t narrow[32];
        unpack_of_width[width](in, 4, narrow);
        for (uint32_t i = 0; i < 32; i++) {
            out[i] = narrow[i];
        }
    } else if (width <= 57) {
        unpack_in_words(in, width, out);
    } else {
        unpack_wide(in, width, out);
    }
}
