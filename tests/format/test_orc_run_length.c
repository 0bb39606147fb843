/* ORC's run-length encodings: the examples of its specification, and what they do not show. */
#include "format/orc/run_length.h"

#include "vector/rows.h"

/* A stream over bytes in memory. */
typedef struct byte_stream {
    weir_fs *fs;
    weir_file *file;
    weir_orc_source source;
    weir_orc_stream stream;
} byte_stream;

static void open_bytes(byte_stream *bytes, weir_slice content)
{
    weir_error err;
    weir_output *output = NULL;
    memset(bytes, 0, sizeof *bytes);
    bytes->fs = weir_fs_memory();
    check_ok(weir_fs_create(bytes->fs, "/bytes", &output, &err), &err);
    check_ok(weir_output_write(output, content.data, content.size, &err), &err);
    check_ok(weir_output_finish(output, false, &err), &err);
    check_ok(weir_fs_open_file(bytes->fs, "/bytes", &bytes->file, &err), &err);
    check_ok(weir_orc_source_open(&bytes->source, bytes->file, NULL, &err), &err);
    bytes->source.block_bytes = 1 << 18;
    weir_orc_stream_open(&bytes->stream, &bytes->source, 0, content.size, "column c", "DATA stream");
}

static void close_bytes(byte_stream *bytes)
{
    weir_orc_stream_close(&bytes->stream);
    weir_orc_source_close(&bytes->source);
    weir_file_close(bytes->file);
    weir_fs_close(bytes->fs);
}

/* ---- integers ---- */

typedef enum sequence { STEPS, LISTED } sequence;

typedef struct integer_case {
    const char *bytes;
    size_t size;
    bool is_signed;
    bool is_version_2;
    int64_t count;
    sequence sequence;
    int64_t values[24]; /* STEPS: the first one and the step */
} integer_case;

#define BYTES(text) (text), sizeof(text) - 1

static const integer_case integer_cases[] = {
    {BYTES("\x61\x00\x07"), false, false, 100, STEPS, {7, 0}},
    {BYTES("\x61\xff\x64"), false, false, 100, STEPS, {100, -1}},
    {BYTES("\xfb\x02\x03\x06\x07\x0b"), false, false, 5, LISTED, {2, 3, 6, 7, 11}},
    {BYTES("\xfe\x01\x02"), true, false, 2, LISTED, {-1, 1}},
    {BYTES("\x0a\x27\x10"), false, true, 5, STEPS, {10000, 0}},
    {BYTES("\x5e\x03\x5c\xa1\xab\x1e\xde\xad\xbe\xef"), false, true, 4, LISTED, {23713, 43806, 57005, 48879}},
    {BYTES("\x8e\x13\x2b\x21\x07\xd0\x1e\x00\x14\x70\x28\x32\x3c\x46\x50\x5a\x64\x6e\x78\x82\x8c\x96\xa0\xaa\xb4\xbe"
           "\xfc\xe8"),
     false,
     true,
     20,
     LISTED,
     {2030, 2000, 2020, 1000000, 2040, 2050, 2060, 2070, 2080, 2090,
      2100, 2110, 2120, 2130,    2140, 2150, 2160, 2170, 2180, 2190}},
    {BYTES("\xc6\x09\x02\x02\x22\x42\x42\x46"), false, true, 10, LISTED, {2, 3, 5, 7, 11, 13, 17, 19, 23, 29}},
    {BYTES("\xc0\x04\x14\x03"), true, true, 5, STEPS, {10, -2}},           /* a delta of width 0 */
    {BYTES("\xc2\x03\x14\x03\x60"), true, true, 4, LISTED, {10, 8, 7, 5}}, /* steps take the sign of the first one */
    {BYTES("\x7e\x00\xff\xff\xff\xff\xff\xff\xff\xff"), true, true, 1, LISTED, {INT64_MIN}},
    {BYTES("\x0a\x27\x10\x0a\x27\x10"), false, true, 10, STEPS, {10000, 0}},
};

static void integers_of_the_specification_decode(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof integer_cases / sizeof *integer_cases; i++) {
        const integer_case *wanted = &integer_cases[i];
        weir_error err;
        byte_stream bytes;
        weir_orc_integers integers = {0};
        int64_t found[128];
        open_bytes(&bytes, weir_slice_of(wanted->bytes, wanted->size));
        weir_orc_integers_begin(&integers, &bytes.stream, wanted->is_signed, wanted->is_version_2);
        check_ok(weir_orc_integers_read(&integers, found, 1, &err), &err); /* in two parts */
        check_ok(weir_orc_integers_read(&integers, found + 1, wanted->count - 1, &err), &err);
        for (int64_t k = 0; k < wanted->count; k++) {
            int64_t value = wanted->sequence == LISTED ? wanted->values[k] : wanted->values[0] + k * wanted->values[1];
            assert_int_equal(found[k], value);
        }
        assert_int_equal(weir_orc_integers_read(&integers, found, 1, &err), WEIR_CORRUPT); /* nothing is left */
        assert_non_null(strstr(err.message, "/bytes: column c, DATA stream: it ends before its last value"));
        close_bytes(&bytes);
    }
}

/* 300 values of 1 bit above a base of -5; those at 0 and 256 have a high bit: the gap between is more than 255. */
static void a_gap_of_patches_may_be_longer_than_its_bits(void **state)
{
    (void)state;
    weir_error err;
    byte_stream bytes;
    weir_buffer content = {0};
    weir_orc_integers integers = {0};
    int64_t found[300];
    static const uint8_t head[] = {0x81, 0x2b, 0x00, 0xe3, 0x85}; /* 300 of 1 bit; base 1 byte, patch 1, gap 8; -5 */
    weir_buffer_append(&content, head, sizeof head);
    weir_buffer_append_zeros(&content, 38);
    uint32_t packed = (uint32_t)(1 << 18 | 255 << 10 | (1 << 1 | 1)) << 5; /* 9 bits each: (0, 1), (255, 0), (1, 1) */
    uint8_t encoded[4];
    weir_store_be32(encoded, packed);
    weir_buffer_append(&content, encoded, 4);
    open_bytes(&bytes, weir_buffer_slice(&content));
    weir_orc_integers_begin(&integers, &bytes.stream, true, true);
    check_ok(weir_orc_integers_read(&integers, found, 300, &err), &err);
    for (int32_t i = 0; i < 300; i++) {
        assert_int_equal(found[i], i == 0 || i == 256 ? -3 : -5);
    }
    close_bytes(&bytes);
    weir_buffer_free(&content);
}

static void a_patch_outside_of_its_run_is_corrupt(void **state)
{
    (void)state;
    weir_error err;
    byte_stream bytes;
    weir_orc_integers integers = {0};
    int64_t found[20];
    open_bytes(&bytes, weir_slice_of(BYTES("\x8e\x02\x2b\x21\x07\xd0\x1e\x00\x14\xfc\xe8"))); /* place 3 of 3 */
    weir_orc_integers_begin(&integers, &bytes.stream, false, true);
    assert_int_equal(weir_orc_integers_read(&integers, found, 3, &err), WEIR_CORRUPT);
    close_bytes(&bytes);
}

/* ---- bytes and bits ---- */

static void runs_of_bytes_and_bits_decode(void **state)
{
    (void)state;
    weir_error err;
    byte_stream bytes;
    weir_orc_byte_runs runs;
    weir_orc_bit_runs bits;
    uint8_t found[102];
    open_bytes(&bytes, weir_slice_of(BYTES("\x61\x00\xfe\x44\x45")));
    weir_orc_byte_runs_begin(&runs, &bytes.stream);
    check_ok(weir_orc_byte_runs_read(&runs, found, 99, &err), &err);
    check_ok(weir_orc_byte_runs_read(&runs, found + 99, 3, &err), &err);
    for (int32_t i = 0; i < 100; i++) {
        assert_int_equal(found[i], 0);
    }
    assert_int_equal(found[100], 0x44);
    assert_int_equal(found[101], 0x45);
    assert_int_equal(weir_orc_byte_runs_read(&runs, found, 1, &err), WEIR_CORRUPT);
    close_bytes(&bytes);
    open_bytes(&bytes, weir_slice_of(BYTES("\xff\x80")));
    weir_orc_bit_runs_begin(&bits, &bytes.stream);
    check_ok(weir_orc_bit_runs_read(&bits, found, 8, &err), &err);
    for (int32_t i = 0; i < 8; i++) {
        assert_int_equal(found[i], i == 0);
    }
    close_bytes(&bytes);
}

/* Whatever the bytes are, they give numbers or an error. */
static void random_bytes_never_pass_their_end(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int32_t round = 0; round < 20000; round++) {
        weir_error err;
        byte_stream bytes;
        weir_orc_integers integers = {0};
        uint8_t content[64];
        int64_t found[100];
        size_t size = (size_t)random_below(&random, sizeof content) + 1;
        for (size_t i = 0; i < size; i++) {
            content[i] = (uint8_t)random_next(&random);
        }
        open_bytes(&bytes, weir_slice_of(content, size));
        weir_orc_integers_begin(&integers, &bytes.stream, round % 2 == 0, round % 4 < 3);
        int code = WEIR_OK;
        for (int32_t i = 0; i < 1000 && code == WEIR_OK; i++) {
            code = weir_orc_integers_read(&integers, found, 100, &err);
        }
        assert_int_equal(code, WEIR_CORRUPT);
        close_bytes(&bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers_of_the_specification_decode),
        cmocka_unit_test(a_gap_of_patches_may_be_longer_than_its_bits),
        cmocka_unit_test(a_patch_outside_of_its_run_is_corrupt),
        cmocka_unit_test(runs_of_bytes_and_bits_decode),
        cmocka_unit_test(random_bytes_never_pass_their_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
