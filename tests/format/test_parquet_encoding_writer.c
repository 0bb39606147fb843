/* Encodings and bounds that the Parquet writer makes, checked by decoders written here for nothing but that. */
#include "format/parquet/column_index.h"
#include "format/parquet/dictionary_builder.h"
#include "format/parquet/encoding_writer.h"
#include "vector/rows.h"

static uint64_t read_varint(const weir_buffer *bytes, size_t *at)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(*at < bytes->size);
        uint8_t byte = bytes->data[(*at)++];
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
}

static uint32_t read_bits(const weir_buffer *bytes, size_t at, size_t first_bit, int width)
{
    uint32_t value = 0;
    for (int bit = 0; bit < width; bit++) {
        size_t position = first_bit + (size_t)bit;
        assert_true(at + position / 8 < bytes->size);
        value |= (uint32_t)((bytes->data[at + position / 8] >> (position % 8)) & 1) << bit;
    }
    return value;
}

/* The format's definition, bit by bit. Checks that all bytes are used; returns how many runs there are. */
static size_t decode_runs(const weir_buffer *bytes, int width, uint32_t *out, size_t count)
{
    size_t at = 0;
    size_t done = 0;
    size_t runs = 0;
    while (done < count) {
        uint64_t head = read_varint(bytes, &at);
        uint64_t length = head & 1 ? (head >> 1) * 8 : head >> 1;
        for (uint64_t i = 0; i < length && done < count; i++) {
            out[done++] = read_bits(bytes, at, head & 1 ? i * (uint64_t)width : 0, width);
        }
        at += head & 1 ? (head >> 1) * (size_t)width : ((size_t)width + 7) / 8;
        runs++;
    }
    assert_int_equal(at, bytes->size);
    return runs;
}

static void runs_decode_to_what_was_encoded(void **state)
{
    (void)state;
    random_state random = random_start();
    uint32_t values[2000];
    uint32_t decoded[2000];
    for (int round = 0; round < 2000; round++) {
        int width = 1 + (int)random_below(&random, 32);
        size_t count = 1 + random_below(&random, round % 10 == 0 ? 2000 : 70);
        uint32_t value = 0;
        uint64_t repeats = random_below(&random, 40);
        for (size_t i = 0; i < count; i++) {
            if (repeats-- == 0) {
                value = (uint32_t)(random_next(&random) & (UINT64_MAX >> (64 - width)));
                repeats = random_below(&random, 3) == 0 ? random_below(&random, 60) : 0;
            }
            values[i] = value;
        }
        weir_buffer bytes = {0};
        weir_rle_append(values, count, width, &bytes);
        decode_runs(&bytes, width, decoded, count);
        assert_memory_equal(values, decoded, count * sizeof *values);
        weir_buffer_free(&bytes);
    }
}

static void bitmaps_decode_to_what_was_encoded(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 1000; round++) {
        size_t count = 1 + random_below(&random, 1500);
        uint8_t bits[200] = {0};
        uint32_t decoded[1500];
        for (size_t i = 0; i < count;) {
            size_t run = random_below(&random, 4) == 0 ? random_below(&random, 300) : 1;
            bool value = random_below(&random, 2) == 1;
            for (; run > 0 && i < count; run--, i++) {
                if (value) {
                    weir_bit_set(bits, (int64_t)i);
                }
            }
        }
        weir_buffer bytes = {0};
        weir_rle_append_bits(bits, count, &bytes);
        decode_runs(&bytes, 1, decoded, count);
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(decoded[i], weir_bit_get(bits, (int64_t)i));
        }
        weir_buffer_free(&bytes);
    }
}

static void equal_numbers_take_one_run(void **state)
{
    (void)state;
    uint32_t values[1000] = {0};
    uint32_t decoded[1000];
    weir_buffer bytes = {0};
    weir_rle_append(values, 1000, 5, &bytes);
    assert_int_equal(decode_runs(&bytes, 5, decoded, 1000), 1);
    assert_int_equal(bytes.size, 3);
    weir_buffer_free(&bytes);
}

static void the_width_holds_the_greatest_number(void **state)
{
    (void)state;
    static const uint32_t cases[][2] = {{0, 1}, {1, 1}, {2, 2}, {3, 2}, {4, 3}, {255, 8}, {256, 9}, {UINT32_MAX, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(weir_rle_width(cases[i][0]), cases[i][1]);
    }
}

static void instants_before_1970_have_days_of_their_own(void **state)
{
    (void)state;
    static const struct {
        weir_timestamp_nanos instant;
        int64_t nanos_of_day;
        int32_t julian_day;
    } cases[] = {
        {{0, 0, 0}, 0, 2440588},
        {{0, 1, 0}, 1, 2440588},
        {{-1, 999999, 0}, 86399999999999, 2440587},
        {{-86400000, 0, 0}, 0, 2440587},
        {{-86400001, 0, 0}, 86399999000000, 2440586},
        {{86400000, 5, 0}, 5, 2440589},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t bytes[12];
        weir_plain_encode_int96(&cases[i].instant, 1, bytes);
        assert_int_equal((int64_t)weir_load_le64(bytes), cases[i].nanos_of_day);
        assert_int_equal((int32_t)weir_load_le32(bytes + 8), cases[i].julian_day);
    }
}

/* --- dictionaries --- */

static void a_dictionary_numbers_each_distinct_value_once(void **state)
{
    (void)state;
    static const char *const types[] = {"INT", "BIGINT", "DOUBLE", "DECIMAL(38, 0)", "TIMESTAMP(9)", "STRING"};
    random_state random = random_start();
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        test_rows rows;
        rows_start(&rows, types[i]);
        weir_type *type = weir_type_new(&rows.arena, rows.fields[0].type->id, false);
        *type = *rows.fields[0].type;
        type->nullable = false;
        rows.fields[0].type = type;
        weir_batch_free(&rows.batch);
        weir_batch_init(&rows.batch, rows.fields, 1);
        rows_add_random(&rows, &random, 20000);
        weir_write_schema schema;
        weir_error err;
        check_ok(weir_write_schema_plan(rows.fields, 1, &rows.arena, &schema, &err), &err);
        weir_dictionary dictionary = {0};
        weir_dense_scratch scratch = {0};
        weir_buffer numbers = {0};
        weir_buffer plain = {0};
        weir_buffer expanded = {0};
        for (int64_t first = 0; first < 20000; first += 2000) {
            weir_dense_values values;
            weir_dense_values_take(schema.leaves, &rows.batch.columns[0], first, NULL, 2000, &scratch, &values);
            weir_dictionary_add(&dictionary, &values, &numbers);
            weir_plain_append(schema.leaves, &values, 0, &plain);
        }
        const uint32_t *all = (const uint32_t *)(const void *)numbers.data;
        weir_dictionary_expand(&dictionary, schema.leaves, all, 20000, &scratch, &expanded);
        assert_int_equal(expanded.size, plain.size);
        assert_memory_equal(expanded.data, plain.data, plain.size);
        uint32_t next = 0;
        for (size_t row = 0; row < 20000; row++) {
            assert_true(all[row] <= next);
            next += all[row] == next;
        }
        assert_int_equal(next, dictionary.count);
        weir_buffer_free(&numbers);
        weir_buffer_free(&plain);
        weir_buffer_free(&expanded);
        weir_dense_scratch_free(&scratch);
        weir_dictionary_free(&dictionary);
        rows_free(&rows);
    }
}

/* --- bounds --- */

/* The bounds that a page with one value gets. */
static void bounds_of(const char *type, weir_slice value, weir_slice *min, weir_slice *max, weir_arena *arena)
{
    weir_error err;
    weir_field field = {.name = "c", .type = parse_type(arena, type)};
    weir_write_schema schema;
    check_ok(weir_write_schema_plan(&field, 1, arena, &schema, &err), &err);
    weir_column_index index;
    weir_column_index_init(&index);
    weir_literal literal = {.bytes = value};
    weir_value_range range = {.has_value = true, .min = literal, .max = literal};
    weir_column_index_add(&index, schema.leaves, (weir_page_entry){0}, &range);
    assert_true(index.has_bounds);
    *min = index.pages[0].min.bytes;
    *max = index.pages[0].max.bytes;
    *min = weir_slice_of(weir_arena_copy(arena, min->data, min->size), min->size);
    *max = weir_slice_of(weir_arena_copy(arena, max->data, max->size), max->size);
    weir_column_index_free(&index);
}

static bool is_text(weir_slice text)
{
    weir_buffer quoted = {0};
    weir_buffer_append_byte(&quoted, '"');
    weir_buffer_append(&quoted, text.data, text.size);
    weir_buffer_append_byte(&quoted, '"');
    json_t *json = json_loadb((const char *)quoted.data, quoted.size, JSON_DECODE_ANY, NULL);
    weir_buffer_free(&quoted);
    json_decref(json);
    return json != NULL;
}

static void bounds_of_long_text_are_short_and_are_text(void **state)
{
    (void)state;
    /* The first and last of each length in UTF-8, and those beside the surrogates. */
    static const char *const characters[] = {"a",
                                             "\x7F",
                                             "\xC2\x80",
                                             "\xDF\xBF",
                                             "\xE0\xA0\x80",
                                             "\xED\x9F\xBF",
                                             "\xEF\xBF\xBF",
                                             "\xF0\x90\x80\x80",
                                             "\xF4\x8F\xBF\xBF",
                                             "z"};
    random_state random = random_start();
    for (int round = 0; round < 5000; round++) {
        weir_arena arena;
        weir_arena_init(&arena);
        weir_buffer text = {0};
        uint64_t kinds = 1 + random_below(&random, 10);
        while (text.size < 70) {
            weir_buffer_append_text(&text, characters[(round + random_below(&random, kinds)) % 10]);
        }
        weir_slice min;
        weir_slice max;
        weir_slice value = weir_buffer_slice(&text);
        bounds_of("STRING", value, &min, &max, &arena);
        assert_true(weir_slice_compare(min, value) <= 0);
        assert_true(weir_slice_compare(max, value) >= 0);
        assert_true(min.size <= 64 && is_text(min));
        assert_true((max.size <= 64 || weir_slice_equal(max, value)) && is_text(max));
        bounds_of("BYTES", value, &min, &max, &arena);
        assert_int_equal(min.size, 64);
        assert_true(max.size <= 64);
        assert_true(weir_slice_compare(max, value) > 0);
        weir_buffer_free(&text);
        weir_arena_free(&arena);
    }
}

static void a_value_that_nothing_follows_is_its_own_upper_bound(void **state)
{
    (void)state;
    uint8_t bytes[100];
    memset(bytes, 0xFF, sizeof bytes);
    weir_arena arena;
    weir_arena_init(&arena);
    weir_slice min;
    weir_slice max;
    bounds_of("BYTES", weir_slice_of(bytes, sizeof bytes), &min, &max, &arena);
    assert_int_equal(min.size, 64);
    assert_int_equal(max.size, 100);
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_decode_to_what_was_encoded),
        cmocka_unit_test(bitmaps_decode_to_what_was_encoded),
        cmocka_unit_test(equal_numbers_take_one_run),
        cmocka_unit_test(the_width_holds_the_greatest_number),
        cmocka_unit_test(instants_before_1970_have_days_of_their_own),
        cmocka_unit_test(a_dictionary_numbers_each_distinct_value_once),
        cmocka_unit_test(bounds_of_long_text_are_short_and_are_text),
        cmocka_unit_test(a_value_that_nothing_follows_is_its_own_upper_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
