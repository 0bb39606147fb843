/* Deletion vectors: bitmaps of every kind of container, both versions, and damaged bytes. */
#include "cmocka_all.h"

#include <zlib.h>

#include "base/byte_reader.h"
#include "index/deletion_vector.h"
#include "random.h"

#define ROWS 300000

typedef enum container_kind { AS_ARRAY, AS_BITSET, AS_RUNS, CONTAINER_KINDS } container_kind;

static void put_u16(weir_buffer *out, uint32_t value) { weir_put_number(out, value, 2); }

/* Random values of one container: none in the rest, so that every kind can hold them. */
static void fill(random_state *random, bool *values, container_kind kind)
{
    memset(values, 0, 65536);
    if (kind == AS_RUNS) {
        for (uint64_t i = 1 + random_below(random, 20); i > 0; i--) {
            uint64_t first = random_below(random, 60000);
            memset(values + first, 1, 1 + random_below(random, 300));
        }
        return;
    }
    for (uint64_t i = kind == AS_ARRAY ? 1 + random_below(random, 500) : 9000; i > 0; i--) {
        values[random_below(random, 65536)] = true;
    }
}

static uint32_t count(const bool *values)
{
    uint32_t number = 0;
    for (int i = 0; i < 65536; i++) {
        number += values[i];
    }
    return number;
}

static void put_runs(const bool *values, weir_buffer *out)
{
    weir_buffer runs = {0};
    uint32_t number = 0;
    for (int i = 0; i < 65536; i++) {
        if (values[i]) {
            int first = i;
            while (i + 1 < 65536 && values[i + 1]) {
                i++;
            }
            put_u16(&runs, (uint32_t)first);
            put_u16(&runs, (uint32_t)(i - first));
            number++;
        }
    }
    put_u16(out, number);
    weir_buffer_append(out, runs.data, runs.size);
    weir_buffer_free(&runs);
}

static void put_container(const bool *values, container_kind kind, weir_buffer *out)
{
    if (kind == AS_RUNS) {
        put_runs(values, out);
        return;
    }
    size_t at = out->size;
    if (kind == AS_BITSET) {
        weir_buffer_append_zeros(out, 8192);
    }
    for (uint32_t i = 0; i < 65536; i++) {
        if (values[i] && kind == AS_ARRAY) {
            put_u16(out, i);
        } else if (values[i]) {
            out->data[at + i / 8] |= (uint8_t)(1u << (i % 8));
        }
    }
}

/* A bitmap with containers at 0, 2 and so on, and its values in `expected`. */
static void put_bitmap(random_state *random, int containers, bool *expected, weir_buffer *out)
{
    static bool values[65536];
    container_kind kinds[8];
    weir_buffer heads = {0}, bodies = {0};
    uint32_t run_bits = 0;
    for (int i = 0; i < containers; i++) {
        kinds[i] = (container_kind)random_below(random, CONTAINER_KINDS);
        fill(random, values, kinds[i]);
        run_bits |= kinds[i] == AS_RUNS ? 1u << i : 0;
        put_u16(&heads, (uint32_t)i * 2);
        put_u16(&heads, count(values) - 1);
        put_container(values, kinds[i], &bodies);
        memcpy(expected + (size_t)i * 2 * 65536, values, 65536);
    }
    if (run_bits != 0) {
        weir_put_u32(out, 12347u | (uint32_t)(containers - 1) << 16);
        weir_put_u8(out, (uint8_t)run_bits);
    } else {
        weir_put_u32(out, 12346);
        weir_put_u32(out, (uint32_t)containers);
    }
    weir_buffer_append(out, heads.data, heads.size);
    if (run_bits == 0 || containers >= 4) {
        weir_buffer_append_zeros(out, (size_t)containers * 4);
    }
    weir_buffer_append(out, bodies.data, bodies.size);
    weir_buffer_free(&heads);
    weir_buffer_free(&bodies);
}

/* The frame around magic and bitmap. */
static void frame(weir_slice body, weir_buffer *out)
{
    uint8_t number[4];
    weir_store_be32(number, (uint32_t)body.size);
    weir_buffer_append(out, number, sizeof number);
    weir_buffer_append(out, body.data, body.size);
    weir_store_be32(number, (uint32_t)crc32(0, body.data, (uInt)body.size));
    weir_buffer_append(out, number, sizeof number);
}

static void make_vector(random_state *random, bool is_64, int containers, bool *expected, weir_buffer *out)
{
    static const uint8_t magic_32[] = {0x5e, 0x43, 0xf2, 0xd0}, magic_64[] = {0xd1, 0xd3, 0x39, 0x64};
    weir_buffer body = {0};
    weir_buffer_append(&body, is_64 ? magic_64 : magic_32, 4);
    if (is_64) {
        weir_put_u64(&body, 1);
        weir_put_u32(&body, 0);
    }
    put_bitmap(random, containers, expected, &body);
    frame(weir_buffer_slice(&body), out);
    weir_buffer_free(&body);
}

static void all_containers_of_both_versions_are_read(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 60; round++) {
        weir_error err = {0};
        weir_buffer bytes = {0};
        int containers = 1 + round % 5;
        int64_t rows = (int64_t)containers * 2 * 65536, found = 0, number = 0;
        bool *expected = weir_alloc_zeroed((size_t)rows, 1);
        uint8_t *bits = weir_alloc_zeroed((size_t)rows / 8, 1);
        make_vector(&random, round % 2 == 1, containers, expected, &bytes);
        assert_int_equal(weir_deletion_vector_decode(weir_buffer_slice(&bytes), "f", rows, bits, &found, &err),
                         WEIR_OK);
        for (int64_t i = 0; i < rows; i++) {
            number += expected[i];
            assert_int_equal(bits[i / 8] >> (i % 8) & 1, expected[i]);
        }
        assert_int_equal(found, number);
        free(expected);
        free(bits);
        weir_buffer_free(&bytes);
    }
}

static void a_vector_is_found_at_its_place_in_a_file(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int version = 0; version < 2; version++) {
        weir_error err = {0};
        weir_buffer file = {0}, vector = {0};
        int64_t found = 0;
        bool *expected = weir_alloc_zeroed(2 * 65536, 1);
        uint8_t *bits = weir_alloc_zeroed(2 * 65536 / 8, 1);
        weir_fs *fs = weir_fs_memory();
        make_vector(&random, version == 1, 1, expected, &vector);
        weir_buffer_append_zeros(&file, 7);
        weir_buffer_append(&file, vector.data, vector.size);
        assert_int_equal(weir_fs_replace(fs, "/index", weir_buffer_slice(&file), &err), WEIR_OK);
        int32_t length = (int32_t)vector.size - (version == 0 ? 8 : 0);
        assert_int_equal(weir_deletion_vector_read(fs, "/index", 7, length, 2 * 65536, bits, &found, &err), WEIR_OK);
        assert_true(found > 0);
        assert_int_equal(weir_deletion_vector_read(fs, "/index", 7, length + 1, 2 * 65536, bits, &found, &err),
                         WEIR_CORRUPT);
        assert_int_equal(weir_deletion_vector_read(fs, "/index", 1000000, length, 2 * 65536, bits, &found, &err),
                         WEIR_CORRUPT);
        assert_int_equal(weir_deletion_vector_read(fs, "/index", 7, length, 10, bits, &found, &err), WEIR_CORRUPT);
        free(expected);
        free(bits);
        weir_buffer_free(&file);
        weir_buffer_free(&vector);
        weir_fs_close(fs);
    }
}

static void damaged_bytes_do_no_harm(void **state)
{
    (void)state;
    random_state random = random_start();
    bool *expected = weir_alloc_zeroed(10 * 65536, 1);
    uint8_t *bits = weir_alloc_zeroed(ROWS / 8 + 1, 1);
    for (int round = 0; round < 1000; round++) {
        weir_error err = {0};
        weir_buffer bytes = {0}, framed = {0};
        int64_t found = 0;
        make_vector(&random, round % 2 == 1, 1 + (int)random_below(&random, 3), expected, &bytes);
        size_t cut = random_below(&random, 3) == 0 ? random_below(&random, bytes.size - 12) : bytes.size - 8;
        for (uint64_t i = random_below(&random, 6); i > 0; i--) {
            bytes.data[4 + random_below(&random, 60) % (bytes.size - 8)] = (uint8_t)random_next(&random);
        }
        frame(weir_slice_of(bytes.data + 4, cut < 4 ? 4 : cut), &framed); /* with the right checksum */
        memset(bits, 0, ROWS / 8 + 1);
        int code = weir_deletion_vector_decode(weir_buffer_slice(&framed), "f", ROWS, bits, &found, &err);
        assert_true(code == WEIR_OK || code == WEIR_CORRUPT);
        weir_buffer_free(&bytes);
        weir_buffer_free(&framed);
    }
    free(expected);
    free(bits);
}

static void a_wrong_checksum_is_noticed(void **state)
{
    (void)state;
    weir_error err = {0};
    random_state random = random_start();
    weir_buffer bytes = {0};
    int64_t found = 0;
    bool *expected = weir_alloc_zeroed(2 * 65536, 1);
    uint8_t *bits = weir_alloc_zeroed(2 * 65536 / 8, 1);
    make_vector(&random, false, 1, expected, &bytes);
    bytes.data[bytes.size - 1] ^= 1;
    assert_int_equal(weir_deletion_vector_decode(weir_buffer_slice(&bytes), "f", 2 * 65536, bits, &found, &err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "checksum"));
    free(expected);
    free(bits);
    weir_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_containers_of_both_versions_are_read),
        cmocka_unit_test(a_vector_is_found_at_its_place_in_a_file),
        cmocka_unit_test(damaged_bytes_do_no_harm),
        cmocka_unit_test(a_wrong_checksum_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
