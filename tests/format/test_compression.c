/* Every codec, both ways, and what damaged or lying data give. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "format/compression.h"
#include "random.h"

#define LARGE_BYTES 700000 /* more than two of Hadoop's blocks */

static const weir_compression codecs[] = {
    WEIR_COMPRESSION_NONE,    WEIR_COMPRESSION_SNAPPY, WEIR_COMPRESSION_GZIP,
    WEIR_COMPRESSION_DEFLATE, WEIR_COMPRESSION_BROTLI, WEIR_COMPRESSION_LZ4_RAW,
    WEIR_COMPRESSION_ZSTD,    WEIR_COMPRESSION_BZIP2,  WEIR_COMPRESSION_LZ4_HADOOP,
};
#define CODEC_COUNT (sizeof codecs / sizeof *codecs)

/* Text that compresses well, with a random part that does not. */
static void fill(uint8_t *bytes, size_t size, random_state *random)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = i % 1000 < 50 ? (uint8_t)random_next(random) : (uint8_t)("weir paimon flink "[i % 18]);
    }
}

static void check_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

static void check_both_ways(weir_compression codec, weir_slice bytes)
{
    weir_error err = {0};
    weir_buffer packed = {0};
    weir_buffer unpacked = {0};
    uint8_t *exact = malloc(bytes.size + 1);
    check_ok(weir_compress(codec, 0, bytes, &packed, &err), &err);
    check_ok(weir_decompress(codec, weir_buffer_slice(&packed), exact, bytes.size, "test", &err), &err);
    assert_memory_equal(exact, bytes.data, bytes.size);
    check_ok(weir_decompress_unknown(codec, weir_buffer_slice(&packed), bytes.size, &unpacked, "test", &err), &err);
    assert_int_equal(unpacked.size, bytes.size);
    assert_true(weir_slice_equal(weir_buffer_slice(&unpacked), bytes));
    free(exact);
    weir_buffer_free(&packed);
    weir_buffer_free(&unpacked);
}

static void every_codec_gives_back_what_it_got(void **state)
{
    (void)state;
    random_state random = random_start();
    static const size_t sizes[] = {0, 1, 100, 5000, LARGE_BYTES};
    uint8_t *bytes = malloc(LARGE_BYTES);
    fill(bytes, LARGE_BYTES, &random);
    for (size_t codec = 0; codec < CODEC_COUNT; codec++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            check_both_ways(codecs[codec], weir_slice_of(bytes, sizes[i]));
        }
    }
    free(bytes);
}

static void compressing_appends_to_what_is_there(void **state)
{
    (void)state;
    weir_error err = {0};
    for (size_t codec = 0; codec < CODEC_COUNT; codec++) {
        weir_buffer out = {0};
        uint8_t back[5];
        weir_buffer_append_text(&out, "before");
        check_ok(weir_compress(codecs[codec], 0, weir_slice_text("12345"), &out, &err), &err);
        assert_memory_equal(out.data, "before", 6);
        check_ok(weir_decompress(codecs[codec], weir_slice_of(out.data + 6, out.size - 6), back, 5, "test", &err),
                 &err);
        assert_memory_equal(back, "12345", 5);
        weir_buffer_free(&out);
    }
}

static void another_size_than_expected_is_corrupt(void **state)
{
    (void)state;
    uint8_t out[200];
    for (size_t codec = 0; codec < CODEC_COUNT; codec++) {
        weir_error err = {0};
        weir_buffer packed = {0};
        check_ok(weir_compress(codecs[codec], 0, weir_slice_text("a text of twenty-six bytes"), &packed, &err), &err);
        weir_slice bytes = weir_buffer_slice(&packed);
        assert_int_equal(weir_decompress(codecs[codec], bytes, out, 25, "a.file", &err), WEIR_CORRUPT);
        assert_non_null(strstr(err.message, "a.file"));
        assert_int_equal(weir_decompress(codecs[codec], bytes, out, 27, "a.file", &err), WEIR_CORRUPT);
        weir_buffer unknown = {0};
        assert_int_equal(weir_decompress_unknown(codecs[codec], bytes, 20, &unknown, "a.file", &err), WEIR_CORRUPT);
        weir_buffer_free(&unknown);
        weir_buffer_free(&packed);
    }
}

static void damaged_bytes_never_crash(void **state)
{
    (void)state;
    random_state random = random_start();
    uint8_t bytes[3000];
    uint8_t out[3000];
    fill(bytes, sizeof bytes, &random);
    for (size_t codec = 0; codec < CODEC_COUNT; codec++) {
        weir_buffer packed = {0};
        weir_compress(codecs[codec], 0, weir_slice_of(bytes, sizeof bytes), &packed, NULL);
        for (int round = 0; round < 300; round++) {
            weir_buffer damaged = {0};
            weir_buffer unknown = {0};
            size_t size = round % 3 == 0 ? (size_t)random_below(&random, packed.size) : packed.size;
            weir_buffer_append(&damaged, packed.data, size);
            for (int i = 0; i < 3 && size > 0; i++) {
                damaged.data[random_below(&random, size)] = (uint8_t)random_next(&random);
            }
            weir_decompress(codecs[codec], weir_buffer_slice(&damaged), out, sizeof out, "test", NULL);
            weir_decompress_unknown(codecs[codec], weir_buffer_slice(&damaged), 1 << 20, &unknown, "test", NULL);
            weir_buffer_free(&damaged);
            weir_buffer_free(&unknown);
        }
        weir_buffer_free(&packed);
    }
}

/* Damage is told at once: memory up to the limit would be taken if it passed for a lack of room. */
static void damage_does_not_cost_the_memory_of_the_limit(void **state)
{
    (void)state;
    random_state random = random_start();
    uint8_t bytes[4000];
    fill(bytes, sizeof bytes, &random);
    for (size_t codec = 0; codec < CODEC_COUNT; codec++) {
        weir_error err = {0};
        weir_buffer packed = {0};
        weir_buffer out = {0};
        check_ok(weir_compress(codecs[codec], 0, weir_slice_of(bytes, sizeof bytes), &packed, &err), &err);
        for (size_t i = packed.size / 4; i < packed.size; i++) {
            packed.data[i] ^= 0x5a;
        }
        (void)weir_decompress_unknown(codecs[codec], weir_buffer_slice(&packed), (size_t)1 << 28, &out, "test", &err);
        assert_in_range(out.capacity, 0, 8 << 20);
        weir_buffer_free(&packed);
        weir_buffer_free(&out);
    }
}

static void plain_lz4_is_read_where_hadoop_frames_should_be(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer packed = {0};
    uint8_t out[26];
    check_ok(weir_compress(WEIR_COMPRESSION_LZ4_RAW, 0, weir_slice_text("a text of twenty-six bytes"), &packed, &err),
             &err);
    check_ok(weir_decompress(WEIR_COMPRESSION_LZ4_HADOOP, weir_buffer_slice(&packed), out, sizeof out, "test", &err),
             &err);
    assert_memory_equal(out, "a text of twenty-six bytes", sizeof out);
    weir_buffer_free(&packed);
}

static void one_hadoop_frame_may_hold_several_blocks(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer packed = {0};
    uint8_t out[12];
    weir_buffer_append(&packed, "\0\0\0\014", 4);
    for (int i = 0; i < 2; i++) {
        size_t at = packed.size;
        weir_buffer_append_zeros(&packed, 4);
        check_ok(
            weir_compress(WEIR_COMPRESSION_LZ4_RAW, 0, weir_slice_text(i == 0 ? "first." : "second"), &packed, &err),
            &err);
        weir_store_be32(packed.data + at, (uint32_t)(packed.size - at - 4));
    }
    check_ok(weir_decompress(WEIR_COMPRESSION_LZ4_HADOOP, weir_buffer_slice(&packed), out, sizeof out, "test", &err),
             &err);
    assert_memory_equal(out, "first.second", sizeof out);
    weir_buffer_free(&packed);
}

static void gzip_members_may_follow_each_other(void **state)
{
    (void)state;
    weir_error err = {0};
    weir_buffer packed = {0};
    uint8_t out[6];
    check_ok(weir_compress(WEIR_COMPRESSION_GZIP, 0, weir_slice_text("one"), &packed, &err), &err);
    check_ok(weir_compress(WEIR_COMPRESSION_GZIP, 0, weir_slice_text("two"), &packed, &err), &err);
    check_ok(weir_decompress(WEIR_COMPRESSION_GZIP, weir_buffer_slice(&packed), out, sizeof out, "test", &err), &err);
    assert_memory_equal(out, "onetwo", sizeof out);
    weir_buffer_free(&packed);
}

static void a_higher_level_packs_tighter(void **state)
{
    (void)state;
    random_state random = {42};
    uint8_t *bytes = malloc(LARGE_BYTES);
    fill(bytes, LARGE_BYTES, &random);
    weir_buffer low = {0};
    weir_buffer high = {0};
    weir_compress(WEIR_COMPRESSION_ZSTD, 1, weir_slice_of(bytes, LARGE_BYTES), &low, NULL);
    weir_compress(WEIR_COMPRESSION_ZSTD, 15, weir_slice_of(bytes, LARGE_BYTES), &high, NULL);
    assert_true(high.size < low.size);
    weir_buffer_free(&low);
    weir_buffer_free(&high);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_codec_gives_back_what_it_got),
        cmocka_unit_test(compressing_appends_to_what_is_there),
        cmocka_unit_test(another_size_than_expected_is_corrupt),
        cmocka_unit_test(damaged_bytes_never_crash),
        cmocka_unit_test(damage_does_not_cost_the_memory_of_the_limit),
        cmocka_unit_test(plain_lz4_is_read_where_hadoop_frames_should_be),
        cmocka_unit_test(one_hadoop_frame_may_hold_several_blocks),
        cmocka_unit_test(gzip_members_may_follow_each_other),
        cmocka_unit_test(a_higher_level_packs_tighter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
