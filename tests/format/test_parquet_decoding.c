/* The decoders under the Parquet reader, each against a plain reading of its format. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "format/parquet/bit_unpack.h"
#include "format/parquet/encoding_delta.h"
#include "format/parquet/encoding_rle.h"
#include "format/parquet/leaf.h"
#include "format/parquet/source.h"
#include "format/parquet/thrift_reader.h"
#include "random.h"
#include "vector/bits.h"

#define VALUES 1000

/* Bytes with the padding that decoders may load. */
typedef struct padded {
    uint8_t bytes[16 * VALUES + WEIR_PARQUET_PADDING];
    size_t size;
} padded;

static void put(padded *out, uint64_t value, uint32_t width, size_t *bit)
{
    for (uint32_t i = 0; i < width; i++, ++*bit) {
        out->bytes[*bit / 8] |= (uint8_t)((value >> i & 1) << *bit % 8);
    }
    out->size = (*bit + 7) / 8;
}

static uint64_t mask_of(uint32_t width) { return width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1; }

static void every_width_is_unpacked_from_any_position(void **state)
{
    (void)state;
    random_state random = random_start();
    uint64_t values[VALUES];
    uint32_t out[VALUES];
    for (uint32_t width = 0; width <= 32; width++) {
        padded packed = {0};
        size_t bit = 0;
        for (int i = 0; i < VALUES; i++) {
            values[i] = random_next(&random) & mask_of(width);
            put(&packed, values[i], width, &bit);
        }
        for (int round = 0; round < 20; round++) {
            uint64_t first = random_below(&random, VALUES);
            size_t count = (size_t)random_below(&random, VALUES - first + 1);
            weir_parquet_unpack_32(packed.bytes, width, first, count, out);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(out[i], values[first + i]);
            }
        }
    }
}

static void wide_values_reach_into_a_ninth_byte(void **state)
{
    (void)state;
    random_state random = random_start();
    for (uint32_t width = 0; width <= 64; width++) {
        padded packed = {0};
        uint64_t values[32];
        uint64_t out[32];
        size_t bit = 0;
        for (int i = 0; i < 32; i++) {
            values[i] = random_next(&random) & mask_of(width);
            put(&packed, values[i], width, &bit);
        }
        weir_parquet_unpack_64(packed.bytes, width, out);
        assert_memory_equal(out, values, sizeof values);
    }
}

/* --- runs -------------------------------------------------------------------------------------------------------- */

static void put_varint(padded *out, uint64_t value)
{
    do {
        out->bytes[out->size++] = (uint8_t)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value > 0);
}

/* Random runs of both kinds; returns the number of values. */
static int64_t make_runs(padded *out, uint32_t width, uint32_t *values, random_state *random)
{
    int64_t count = 0;
    while (count < VALUES - 100) {
        if (random_below(random, 2) == 0) {
            uint64_t groups = 1 + random_below(random, 8);
            put_varint(out, groups << 1 | 1);
            size_t bit = out->size * 8;
            for (uint64_t i = 0; i < groups * 8; i++) {
                values[count] = (uint32_t)(random_next(random) & mask_of(width));
                put(out, values[count++], width, &bit);
            }
        } else {
            uint64_t length = 1 + random_below(random, 60);
            uint32_t value = (uint32_t)(random_next(random) & mask_of(width));
            put_varint(out, length << 1);
            memcpy(out->bytes + out->size, &value, (width + 7) / 8);
            out->size += (width + 7) / 8;
            for (uint64_t i = 0; i < length; i++) {
                values[count++] = value;
            }
        }
    }
    return count;
}

static void runs_are_read_and_skipped_alike(void **state)
{
    (void)state;
    random_state random = random_start();
    for (uint32_t width = 0; width <= 32; width++) {
        padded packed = {0};
        uint32_t values[VALUES + 100];
        uint32_t out[VALUES + 100];
        int64_t count = make_runs(&packed, width, values, &random);
        weir_parquet_rle rle;
        weir_parquet_rle_init(&rle, weir_slice_of(packed.bytes, packed.size), width);
        for (int64_t at = 0; at < count;) {
            int64_t size = 1 + (int64_t)random_below(&random, 90);
            size = size < count - at ? size : count - at;
            if (random_below(&random, 3) == 0) {
                assert_true(weir_parquet_rle_skip(&rle, size));
            } else {
                assert_true(weir_parquet_rle_read(&rle, size, out));
                assert_memory_equal(out, values + at, (size_t)size * sizeof *out);
            }
            at += size;
        }
        assert_false(weir_parquet_rle_read(&rle, 1, out));
        assert_false(weir_parquet_rle_skip(&rle, 1));
    }
}

static void runs_of_bits_are_counted_as_they_are_read(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 50; round++) {
        padded packed = {0};
        uint32_t values[VALUES + 100];
        uint8_t bits[VALUES / 4] = {0};
        int64_t count = make_runs(&packed, 1, values, &random);
        int64_t first = (int64_t)random_below(&random, 100);
        int64_t ones = 0;
        int64_t wanted = 0;
        weir_parquet_rle rle;
        weir_parquet_rle_init(&rle, weir_slice_of(packed.bytes, packed.size), 1);
        assert_true(weir_parquet_rle_skip_bits(&rle, first, &ones));
        assert_true(weir_parquet_rle_read_bits(&rle, count - first, bits, 3, &ones));
        for (int64_t i = 0; i < count; i++) {
            wanted += values[i];
            assert_int_equal(i < first ? values[i] : weir_bit_get(bits, 3 + i - first), values[i]);
        }
        assert_int_equal(ones, wanted);
    }
}

static void a_run_over_all_values_is_known_without_reading(void **state)
{
    (void)state;
    padded packed = {0};
    weir_parquet_rle rle;
    put_varint(&packed, 500 << 1);
    packed.bytes[packed.size++] = 1;
    weir_parquet_rle_init(&rle, weir_slice_of(packed.bytes, packed.size), 1);
    assert_true(weir_parquet_rle_is_run(&rle, 500, 1));
    assert_true(weir_parquet_rle_is_run(&rle, 20, 1));
    assert_false(weir_parquet_rle_is_run(&rle, 501, 1));
    assert_false(weir_parquet_rle_is_run(&rle, 500, 0));
}

/* --- deltas ------------------------------------------------------------------------------------------------------ */

static void put_zigzag(padded *out, uint64_t value) { put_varint(out, value << 1 ^ (0 - (value >> 63))); }

/* Encodes with blocks of 128 in 4 miniblocks, the last one unpadded when `cut`. */
static void make_deltas(padded *out, const uint64_t *values, int64_t count, bool cut)
{
    put_varint(out, 128);
    put_varint(out, 4);
    put_varint(out, (uint64_t)count);
    put_zigzag(out, count > 0 ? values[0] : 0);
    for (int64_t block = 1; block < count; block += 128) {
        uint64_t least = UINT64_MAX >> 1;
        int64_t end = block + 128 < count ? block + 128 : count;
        for (int64_t i = block; i < end; i++) {
            uint64_t delta = values[i] - values[i - 1];
            least = (int64_t)delta < (int64_t)least ? delta : least;
        }
        put_zigzag(out, least);
        uint8_t *widths = out->bytes + out->size;
        out->size += 4;
        for (int64_t mini = block; mini < end; mini += 32) {
            int64_t mini_end = mini + 32 < end ? mini + 32 : end;
            uint64_t all = 0;
            for (int64_t i = mini; i < mini_end; i++) {
                all |= values[i] - values[i - 1] - least;
            }
            uint32_t width = all == 0 ? 0 : 64 - (uint32_t)__builtin_clzll(all);
            widths[(mini - block) / 32] = (uint8_t)width;
            size_t begin = out->size;
            size_t bit = begin * 8;
            for (int64_t i = mini; i < mini_end; i++) {
                put(out, values[i] - values[i - 1] - least, width, &bit);
            }
            out->size = cut && mini_end == count ? (bit + 7) / 8 : begin + (size_t)width * 4;
        }
    }
}

static void deltas_of_every_width_come_back_in_pieces(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 128; round++) {
        padded packed = {0};
        uint64_t values[VALUES];
        uint64_t out[VALUES];
        int64_t count = (int64_t)random_below(&random, VALUES + 1);
        for (int64_t i = 0; i < count; i++) {
            values[i] =
                (i > 0 ? values[i - 1] : 0) + (random_next(&random) >> round / 2) - (UINT64_MAX >> round / 2 >> 1);
        }
        make_deltas(&packed, values, count, round % 2 == 0);
        weir_parquet_delta delta;
        const uint8_t *end;
        assert_true(weir_parquet_delta_init(&delta, weir_slice_of(packed.bytes, packed.size)));
        assert_true(weir_parquet_delta_find_end(&delta, &end));
        assert_ptr_equal(end, packed.bytes + packed.size);
        for (int64_t at = 0; at < count;) {
            int64_t size = 1 + (int64_t)random_below(&random, 200);
            size = size < count - at ? size : count - at;
            if (random_below(&random, 3) == 0) {
                assert_true(weir_parquet_delta_skip(&delta, size));
            } else {
                assert_true(weir_parquet_delta_read(&delta, size, out));
                assert_memory_equal(out, values + at, (size_t)size * sizeof *out);
            }
            at += size;
        }
        assert_false(weir_parquet_delta_read(&delta, 1, out));
    }
}

static void odd_delta_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t block, miniblocks;
    } cases[] = {{0, 1}, {128, 0}, {128, 3}, {100, 4}, {128, 8}, {UINT64_C(1) << 40, 4}, {128, UINT64_C(1) << 40}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        padded packed = {0};
        weir_parquet_delta delta;
        put_varint(&packed, cases[i].block);
        put_varint(&packed, cases[i].miniblocks);
        put_varint(&packed, 10);
        put_varint(&packed, 0);
        assert_false(weir_parquet_delta_init(&delta, weir_slice_of(packed.bytes, packed.size)));
    }
}

/* --- thrift --------------------------------------------------------------------------------------------------------
 */

static void unknown_fields_of_every_type_are_skipped(void **state)
{
    (void)state;
    /* 1: true, 2: byte, 3: i16, 4: double, 5: binary, 6: list of booleans, 7: map of i32 to binary, 8: struct { 1: i64
     * }, 9: set of i32, 20 (by its full id): i32 7 */
    static const uint8_t bytes[] = {0x11, 0x13, 0x7f, 0x14, 0x02, 0x17, 0,    1, 2, 3,    4,    5,    6,    7,
                                    0x18, 0x02, 'a',  'b',  0x19, 0x31, 1,    2, 1, 0x1b, 0x01, 0x58, 0x02, 0x01,
                                    'x',  0x1c, 0x16, 0x04, 0x00, 0x1a, 0x25, 2, 4, 0x05, 0x28, 0x0e, 0x00};
    weir_thrift_reader reader;
    weir_thrift_field field = {0};
    int32_t found = 0;
    int fields = 0;
    weir_thrift_init(&reader, weir_slice_of(bytes, sizeof bytes));
    while (weir_thrift_next(&reader, &field)) {
        fields++;
        if (field.id == 20) {
            found = weir_thrift_i32(&reader, field);
        } else {
            weir_thrift_skip(&reader, field);
        }
    }
    assert_null(reader.problem);
    assert_int_equal(fields, 10);
    assert_int_equal(found, 7);
    assert_ptr_equal(reader.next, reader.end);
}

static void damaged_structs_are_told_with_their_place(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[12];
        size_t size;
    } cases[] = {
        {{0x15}, 1},                                     /* an i32 that is not there */
        {{0x18, 0x7f, 'a'}, 3},                          /* 127 bytes, of which there is one */
        {{0x19, 0xf5, 0xff, 0xff, 0xff, 0xff, 0x0f}, 7}, /* four thousand million elements */
        {{0x1f, 0x00}, 2},                               /* a type that there is not */
        {{0x16, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 12}, /* a number without end */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        weir_thrift_reader reader;
        weir_thrift_field field = {0};
        weir_thrift_init(&reader, weir_slice_of(cases[i].bytes, cases[i].size));
        while (weir_thrift_next(&reader, &field)) {
            weir_thrift_skip(&reader, field);
        }
        assert_int_equal(weir_thrift_check(&reader, "a.parquet", "footer", &err), WEIR_CORRUPT);
        assert_non_null(strstr(err.message, "a.parquet"));
    }
}

static void structs_do_not_nest_without_end(void **state)
{
    (void)state;
    uint8_t bytes[100000];
    weir_thrift_reader reader;
    memset(bytes, 0x1c, sizeof bytes);
    weir_thrift_init(&reader, weir_slice_of(bytes, sizeof bytes));
    weir_thrift_skip(&reader, WEIR_THRIFT_ELEMENT(WEIR_THRIFT_STRUCT));
    assert_non_null(reader.problem);
}

/* --- conversions ---------------------------------------------------------------------------------------------------
 */

static void a_value_that_the_type_cannot_hold_is_corrupt(void **state)
{
    (void)state;
    static const struct {
        weir_parquet_conversion conversion;
        int64_t factor;
        int64_t value;
        int code;
    } cases[] = {
        {WEIR_PARQUET_CONVERT_INT32_TO_8, 0, 127, WEIR_OK},
        {WEIR_PARQUET_CONVERT_INT32_TO_8, 0, 128, WEIR_CORRUPT},
        {WEIR_PARQUET_CONVERT_INT32_TO_16, 0, -32768, WEIR_OK},
        {WEIR_PARQUET_CONVERT_INT32_TO_16, 0, -32769, WEIR_CORRUPT},
        {WEIR_PARQUET_CONVERT_INT64_MULTIPLY, 1000, INT64_MAX / 1000, WEIR_OK},
        {WEIR_PARQUET_CONVERT_INT64_MULTIPLY, 1000, INT64_MAX / 1000 + 1, WEIR_CORRUPT},
        {WEIR_PARQUET_CONVERT_INT64_MULTIPLY, 1000, INT64_MIN, WEIR_CORRUPT},
        {WEIR_PARQUET_CONVERT_INT64_TO_TIME, 1000, INT64_C(86399999999), WEIR_OK},
        {WEIR_PARQUET_CONVERT_INT64_TO_TIME, 1000, INT64_C(86400000000), WEIR_CORRUPT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_parquet_leaf leaf = {.name = "c", .conversion = cases[i].conversion, .factor = cases[i].factor};
        weir_error err = {0};
        int64_t out;
        assert_int_equal(weir_parquet_convert(&leaf, (const uint8_t *)&cases[i].value, 1, &out, "f", &err),
                         cases[i].code);
    }
}

static void instants_far_out_keep_their_nanoseconds(void **state)
{
    (void)state;
    weir_parquet_leaf leaf = {.name = "c", .conversion = WEIR_PARQUET_CONVERT_INT96_TO_NANOS};
    weir_error err = {0};
    weir_timestamp_nanos out;
    uint8_t value[12] = {0};
    weir_store_le64(value, (uint64_t)INT64_MIN); /* nanoseconds of the day */
    weir_store_le32(value + 8, 2440588);
    assert_int_equal(weir_parquet_convert(&leaf, value, 1, &out, "f", &err), WEIR_OK);
    assert_true(out.millis == INT64_C(-9223372036855) && out.nanos_of_milli == 224192);
}

static void big_endian_decimals_of_any_length_are_read(void **state)
{
    (void)state;
    static const struct {
        uint8_t bytes[20];
        uint32_t size;
        bool fits;
        int64_t value;
    } cases[] = {
        {{0}, 0, true, 0},
        {{0xff}, 1, true, -1},
        {{0x7f}, 1, true, 127},
        {{0x80, 0x00}, 2, true, -32768},
        {{0x00, 0xff}, 2, true, 255},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe},
         18,
         true,
         -2},
        {{0x00, 0x80, 0, 0, 0, 0, 0, 0, 0}, 9, false, 0},
        {{0x01, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 17, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_parquet_leaf leaf = {.name = "c", .conversion = WEIR_PARQUET_CONVERT_BYTES_TO_64};
        weir_parquet_view view = {cases[i].bytes, cases[i].size};
        weir_error err = {0};
        int64_t out = 0;
        int code = weir_parquet_convert_views(&leaf, &view, 1, &out, "f", &err);
        assert_int_equal(code, cases[i].fits ? WEIR_OK : WEIR_CORRUPT);
        if (cases[i].fits) {
            assert_true(out == cases[i].value);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_width_is_unpacked_from_any_position),
        cmocka_unit_test(wide_values_reach_into_a_ninth_byte),
        cmocka_unit_test(runs_are_read_and_skipped_alike),
        cmocka_unit_test(runs_of_bits_are_counted_as_they_are_read),
        cmocka_unit_test(a_run_over_all_values_is_known_without_reading),
        cmocka_unit_test(deltas_of_every_width_come_back_in_pieces),
        cmocka_unit_test(odd_delta_headers_are_refused),
        cmocka_unit_test(unknown_fields_of_every_type_are_skipped),
        cmocka_unit_test(damaged_structs_are_told_with_their_place),
        cmocka_unit_test(structs_do_not_nest_without_end),
        cmocka_unit_test(a_value_that_the_type_cannot_hold_is_corrupt),
        cmocka_unit_test(instants_far_out_keep_their_nanoseconds),
        cmocka_unit_test(big_endian_decimals_of_any_length_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
