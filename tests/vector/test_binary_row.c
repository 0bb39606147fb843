/* BinaryRow: bytes as Java lays them out, round trips of every type, and bytes that are damaged. */
#include "vector/binary_row.h"

#include "rows.h"
#include "vector/compare.h"

static const char every_type[] =
    "BOOLEAN, TINYINT, SMALLINT, INT, BIGINT, FLOAT, DOUBLE, DECIMAL(9,2), DECIMAL(18,0), DECIMAL(19,3), "
    "DECIMAL(38,10), CHAR(5), VARCHAR(30), STRING, BINARY(4), VARBINARY(30), BYTES, DATE, TIME(3), TIMESTAMP(0), "
    "TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP(9), TIMESTAMP(3) WITH LOCAL TIME ZONE, TIMESTAMP(6) WITH LOCAL TIME ZONE, "
    "TIMESTAMP(9) WITH LOCAL TIME ZONE";

static const char nested_types[] =
    "ARRAY<INT>, ARRAY<BOOLEAN>, ARRAY<SMALLINT NOT NULL>, ARRAY<STRING>, ARRAY<DECIMAL(30,2)>, ARRAY<TIMESTAMP(6)>, "
    "ARRAY<TIMESTAMP(9)>, ARRAY<ARRAY<BIGINT>>, MAP<INT NOT NULL, STRING>, MAP<STRING NOT NULL, DOUBLE>, "
    "MULTISET<STRING NOT NULL>, ROW<a INT, b STRING, c ROW<d DECIMAL(20,1), e BOOLEAN>>, ARRAY<ROW<x INT, y BYTES>>, "
    "MAP<INT NOT NULL, ARRAY<MAP<BIGINT NOT NULL, DATE>>>, VARIANT";

static void to_hex(weir_slice bytes, char *out)
{
    for (size_t i = 0; i < bytes.size; i++) {
        sprintf(out + i * 2, "%02x", bytes.data[i]);
    }
    out[bytes.size * 2] = '\0';
}

/* Blanks in `expected` set words apart. */
static void check_hex(weir_slice bytes, const char *expected)
{
    char hex[2048];
    char plain[2048];
    to_hex(bytes, hex);
    size_t size = 0;
    for (; *expected != '\0'; expected++) {
        if (*expected != ' ') {
            plain[size++] = *expected;
        }
    }
    plain[size] = '\0';
    assert_string_equal(hex, plain);
}

static void check_row(const char *types, const char *json, const char *expected)
{
    test_rows rows;
    rows_start(&rows, types);
    rows_add(&rows, json);
    weir_buffer row = {0};
    weir_error err;
    check_ok(weir_binary_row_write(&rows.batch, all_columns, rows.column_count, 0, &row, &err), &err);
    check_hex(weir_buffer_slice(&row), expected);
    weir_buffer_free(&row);
    rows_free(&rows);
}

static void values_lie_in_little_endian_slots(void **state)
{
    (void)state;
    check_row("INT", "[[1]]", "0000000000000000 0100000000000000");
    check_row("INT, BIGINT", "[[-1, -2]]", "0000000000000000 ffffffff00000000 feffffffffffffff");
    check_row("BOOLEAN, TINYINT, SMALLINT", "[[true, -1, 258]]",
              "0000000000000000 0100000000000000 ff00000000000000 0201000000000000");
    check_row("DOUBLE, FLOAT", "[[1.5, 1.5]]", "0000000000000000 000000000000f83f 0000c03f00000000");
    check_row("DATE, TIME(3)", "[['1970-01-02', '00:00:00.258']]",
              "0000000000000000 0100000000000000 0201000000000000");
    check_row("DECIMAL(10,2), TIMESTAMP(3)", "[['1.00', '1970-01-01 00:00:00.001']]",
              "0000000000000000 6400000000000000 0100000000000000");
}

static void the_null_bit_stands_eight_bits_after_the_kind(void **state)
{
    (void)state;
    check_row("INT, INT, INT", "[[null, 5, null]]",
              "0005000000000000 0000000000000000 0500000000000000 0000000000000000");
}

static void text_up_to_seven_bytes_lies_in_its_slot(void **state)
{
    (void)state;
    check_row("STRING", "[['']]", "0000000000000000 0000000000000080");
    check_row("STRING", "[['a']]", "0000000000000000 6100000000000081");
    check_row("STRING", "[['1234567']]", "0000000000000000 3132333435363787");
    check_row("STRING", "[['12345678']]", "0000000000000000 0800000010000000 3132333435363738");
    check_row("STRING, BYTES", "[['123456789', '000102030405060708']]",
              "0000000000000000 0900000018000000 0900000028000000 3132333435363738 3900000000000000 "
              "0001020304050607 0800000000000000");
}

static void wide_decimals_are_the_fewest_big_endian_bytes_in_sixteen(void **state)
{
    (void)state;
    check_row("DECIMAL(20,2)", "[['0.00']]", "0000000000000000 0100000010000000 0000000000000000 0000000000000000");
    check_row("DECIMAL(20,2)", "[['1.28']]", "0000000000000000 0200000010000000 0080000000000000 0000000000000000");
    check_row("DECIMAL(20,2)", "[['-1.28']]", "0000000000000000 0100000010000000 8000000000000000 0000000000000000");
    check_row("DECIMAL(20,2)", "[['-1.29']]", "0000000000000000 0200000010000000 ff7f000000000000 0000000000000000");
}

static void a_null_decimal_still_reserves_its_sixteen_bytes(void **state)
{
    (void)state;
    check_row("DECIMAL(20,2), INT", "[[null, 1]]",
              "0001000000000000 0000000018000000 0100000000000000 0000000000000000 0000000000000000");
}

static void a_null_timestamp_still_reserves_its_eight_bytes(void **state)
{
    (void)state;
    check_row("TIMESTAMP(6)", "[[null]]", "0001000000000000 0000000010000000 0000000000000000");
    check_row("TIMESTAMP(3)", "[[null]]", "0001000000000000 0000000000000000");
}

static void the_nanoseconds_of_a_timestamp_stand_in_the_slot(void **state)
{
    (void)state;
    check_row("TIMESTAMP(6)", "[['1970-01-01 00:00:00.001002']]", "0000000000000000 d007000010000000 0100000000000000");
    check_row("TIMESTAMP(6)", "[['1969-12-31 23:59:59.999999']]", "0000000000000000 583e0f0010000000 ffffffffffffffff");
    check_row("TIMESTAMP(9)", "[['1970-01-01 00:00:00.000000007']]",
              "0000000000000000 0700000010000000 0000000000000000");
}

static void a_null_in_an_array_reserves_nothing(void **state)
{
    (void)state;
    check_row("ARRAY<TIMESTAMP(6)>", "[[[null]]]",
              "0000000000000000 1000000010000000 0100000001000000 0000000000000000");
    check_row("ARRAY<INT>", "[[[1, null, 3]]]",
              "0000000000000000 1800000010000000 0300000002000000 0100000000000000 0300000000000000");
}

static void a_map_is_two_arrays_after_the_size_of_the_first(void **state)
{
    (void)state;
    check_row("MAP<INT, INT>", "[[[[1, 2]]]]",
              "0000000000000000 2400000010000000 10000000 0100000000000000 0100000000000000 "
              "0100000000000000 0200000000000000 00000000");
}

static void a_nested_row_has_its_own_offsets(void **state)
{
    (void)state;
    check_row("ROW<a STRING, b INT>", "[[['12345678', 7]]]",
              "0000000000000000 2000000010000000 0000000000000000 0800000018000000 0700000000000000 3132333435363738");
}

static void a_row_of_no_fields_is_eight_zero_bytes(void **state)
{
    (void)state;
    weir_buffer row = {0};
    weir_binary_row_serialize(NULL, NULL, 0, &row);
    check_hex(weir_buffer_slice(&row), "00000000 0000000000000000");
    weir_error err;
    weir_arena arena;
    weir_arena_init(&arena);
    check_ok(weir_binary_row_deserialize(weir_buffer_slice(&row), NULL, 0, "partition", &arena, NULL, &err), &err);
    weir_arena_free(&arena);
    weir_buffer_free(&row);
}

static void the_arity_of_a_serialized_row_is_big_endian(void **state)
{
    (void)state;
    weir_buffer row = {0};
    const weir_type *types[] = {weir_type_simple(WEIR_INT, true), weir_type_simple(WEIR_VARCHAR, true)};
    weir_literal values[] = {{.integer = 7}, {.is_null = true}};
    weir_binary_row_serialize(types, values, 2, &row);
    check_hex(weir_buffer_slice(&row), "00000002 0002000000000000 0700000000000000 0000000000000000");
    weir_buffer_free(&row);
}

/* --- round trips --- */

static void check_round_trip(const char *types, random_state *random)
{
    test_rows rows;
    test_rows read;
    rows_start(&rows, types);
    rows_start(&read, types);
    rows_add_random(&rows, random, 200);
    weir_buffer row = {0};
    weir_error err;
    for (int64_t i = 0; i < rows.batch.length; i++) {
        weir_buffer_clear(&row);
        check_ok(weir_binary_row_write(&rows.batch, all_columns, rows.column_count, i, &row, &err), &err);
        assert_int_equal(row.size % 8, 0);
        check_ok(weir_binary_row_read(weir_buffer_slice(&row), &read.batch, "row", &err), &err);
    }
    assert_int_equal(read.batch.length, rows.batch.length);
    for (int32_t column = 0; column < rows.column_count; column++) {
        for (int64_t i = 0; i < rows.batch.length; i++) {
            if (!weir_vector_values_equal(&rows.batch.columns[column], i, &read.batch.columns[column], i)) {
                fail_msg("row %" PRId64 ", column %" PRId32 ": %s came back otherwise", i, column,
                         json_text(&rows.batch.columns[column], i));
            }
        }
    }
    weir_buffer_free(&row);
    rows_free(&rows);
    rows_free(&read);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    random_state random = random_start();
    check_round_trip(every_type, &random);
    check_round_trip(nested_types, &random);
}

static void literals_come_back_and_are_copied(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, every_type);
    rows_add_random(&rows, &random, 100);
    const weir_type *types[MAX_TEST_COLUMNS];
    for (int32_t i = 0; i < rows.column_count; i++) {
        types[i] = rows.fields[i].type;
    }
    for (int64_t row = 0; row < rows.batch.length; row++) {
        weir_literal values[MAX_TEST_COLUMNS];
        weir_literal read[MAX_TEST_COLUMNS];
        for (int32_t i = 0; i < rows.column_count; i++) {
            values[i] = weir_literal_of(&rows.batch.columns[i], row);
        }
        weir_buffer bytes = {0};
        weir_error err;
        weir_binary_row_serialize(types, values, rows.column_count, &bytes);
        check_ok(weir_binary_row_deserialize(weir_buffer_slice(&bytes), types, rows.column_count, "row", &rows.arena,
                                             read, &err),
                 &err);
        weir_buffer_free(&bytes); /* what was read does not stand in it */
        for (int32_t i = 0; i < rows.column_count; i++) {
            assert_int_equal(weir_literal_compare(types[i], &values[i], &read[i]), 0);
        }
    }
    rows_free(&rows);
}

static void a_literal_row_and_a_batch_row_have_the_same_bytes(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, every_type);
    rows_add_random(&rows, &random, 50);
    for (int64_t row = 0; row < rows.batch.length; row++) {
        weir_literal values[MAX_TEST_COLUMNS];
        const weir_type *types[MAX_TEST_COLUMNS];
        for (int32_t i = 0; i < rows.column_count; i++) {
            types[i] = rows.fields[i].type;
            values[i] = weir_literal_of(&rows.batch.columns[i], row);
        }
        weir_buffer of_batch = {0};
        weir_buffer of_literals = {0};
        weir_error err;
        check_ok(weir_binary_row_write(&rows.batch, all_columns, rows.column_count, row, &of_batch, &err), &err);
        weir_binary_row_serialize(types, values, rows.column_count, &of_literals);
        assert_true(
            weir_slice_equal(weir_buffer_slice(&of_batch), weir_slice_of(of_literals.data + 4, of_literals.size - 4)));
        weir_buffer_free(&of_batch);
        weir_buffer_free(&of_literals);
    }
    rows_free(&rows);
}

static void a_row_keeps_its_kind(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT");
    weir_error err;
    uint8_t bytes[16] = {0};
    check_ok(weir_binary_row_read(weir_slice_of(bytes, 16), &rows.batch, "row", &err), &err);
    bytes[0] = WEIR_DELETE;
    check_ok(weir_binary_row_read(weir_slice_of(bytes, 16), &rows.batch, "row", &err), &err);
    assert_int_equal(weir_batch_kind(&rows.batch, 0), WEIR_INSERT);
    assert_int_equal(weir_batch_kind(&rows.batch, 1), WEIR_DELETE);
    bytes[0] = 4;
    assert_int_equal(weir_binary_row_read(weir_slice_of(bytes, 16), &rows.batch, "row", &err), WEIR_CORRUPT);
    rows_free(&rows);
}

/* --- damage --- */

/* Reads a copy that ends where the row ends, so that a sanitizer sees the first byte too many. */
static void read_damaged(weir_slice bytes, test_rows *into)
{
    uint8_t *copy = weir_alloc(bytes.size);
    memcpy(copy, bytes.data, bytes.size);
    weir_error err;
    int code = weir_binary_row_read(weir_slice_of(copy, bytes.size), &into->batch, "row", &err);
    assert_true(code == WEIR_OK || code == WEIR_CORRUPT);
    weir_batch_clear(&into->batch);
    free(copy);
}

static void damage(weir_buffer *row, random_state *random)
{
    for (uint64_t more = random_below(random, 4) + 1; more > 0 && row->size > 0; more--) {
        size_t at = random_below(random, row->size);
        switch (random_below(random, 4)) {
        case 0:
            row->data[at] = (uint8_t)random_next(random);
            break;
        case 1:
            row->data[at] ^= (uint8_t)(1u << random_below(random, 8));
            break;
        case 2:
            row->data[at] = 0xff;
            break;
        default:
            row->size = random_below(random, 8) == 0 ? at : row->size;
            break;
        }
    }
}

static void check_damage(const char *types, random_state *random)
{
    test_rows rows;
    test_rows into;
    rows_start(&rows, types);
    rows_start(&into, types);
    rows_add_random(&rows, random, 100);
    weir_buffer row = {0};
    for (int round = 0; round < 3000; round++) {
        weir_error err;
        weir_buffer_clear(&row);
        int64_t which = (int64_t)random_below(random, (uint64_t)rows.batch.length);
        check_ok(weir_binary_row_write(&rows.batch, all_columns, rows.column_count, which, &row, &err), &err);
        damage(&row, random);
        read_damaged(weir_buffer_slice(&row), &into);
    }
    weir_buffer_free(&row);
    rows_free(&rows);
    rows_free(&into);
}

static void damaged_rows_are_never_read_beyond_their_end(void **state)
{
    (void)state;
    random_state random = random_start();
    check_damage(every_type, &random);
    check_damage(nested_types, &random);
    check_damage("STRING, DECIMAL(38,2), TIMESTAMP(9), ARRAY<STRING>, MAP<STRING NOT NULL, INT>, VARIANT", &random);
}

static void damaged_serialized_rows_are_never_read_beyond_their_end(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, every_type);
    rows_add_random(&rows, &random, 50);
    for (int round = 0; round < 3000; round++) {
        int64_t which = (int64_t)random_below(&random, (uint64_t)rows.batch.length);
        weir_literal values[MAX_TEST_COLUMNS];
        const weir_type *types[MAX_TEST_COLUMNS];
        for (int32_t i = 0; i < rows.column_count; i++) {
            types[i] = rows.fields[i].type;
            values[i] = weir_literal_of(&rows.batch.columns[i], which);
        }
        weir_buffer bytes = {0};
        weir_binary_row_serialize(types, values, rows.column_count, &bytes);
        damage(&bytes, &random);
        weir_arena arena;
        weir_arena_init(&arena);
        weir_error err;
        uint8_t *copy = weir_alloc(bytes.size);
        memcpy(copy, bytes.data, bytes.size);
        int code = weir_binary_row_deserialize(weir_slice_of(copy, bytes.size), types, rows.column_count, "row", &arena,
                                               values, &err);
        assert_true(code == WEIR_OK || code == WEIR_CORRUPT);
        weir_arena_free(&arena);
        weir_buffer_free(&bytes);
        free(copy);
    }
    rows_free(&rows);
}

static void a_field_without_a_type_is_not_looked_at(void **state)
{
    (void)state;
    /* The text of field 1 would lie far outside of the row. */
    static const uint8_t bytes[] = {0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0,
                                    0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0x10};
    const weir_type *types[] = {weir_type_simple(WEIR_INT, true), NULL};
    weir_literal values[2];
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err;
    weir_slice row = weir_slice_of(bytes, sizeof bytes);
    check_ok(weir_binary_row_deserialize(row, types, 2, "_MIN_VALUES", &arena, values, &err), &err);
    assert_int_equal(values[0].integer, 7);
    assert_true(values[1].is_null);
    types[1] = weir_type_with_length(&arena, WEIR_VARCHAR, WEIR_MAX_LENGTH, true);
    assert_int_equal(weir_binary_row_deserialize(row, types, 2, "_MIN_VALUES", &arena, values, &err), WEIR_CORRUPT);
    weir_arena_free(&arena);
}

static void a_row_of_another_arity_is_corrupt(void **state)
{
    (void)state;
    static const uint8_t bytes[20] = {0, 0, 0, 2};
    const weir_type *types[] = {weir_type_simple(WEIR_INT, true), weir_type_simple(WEIR_INT, true)};
    weir_literal values[2];
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err;
    assert_int_equal(weir_binary_row_deserialize(weir_slice_of(bytes, 20), types, 1, "_MIN_KEY", &arena, values, &err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "_MIN_KEY"));
    assert_int_equal(weir_binary_row_deserialize(weir_slice_of(bytes, 20), types, 2, "_MIN_KEY", &arena, values, &err),
                     WEIR_CORRUPT); /* two fields need 24 bytes */
    assert_int_equal(weir_binary_row_deserialize(weir_slice_of(bytes, 3), types, 2, "_MIN_KEY", &arena, values, &err),
                     WEIR_CORRUPT);
    weir_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_lie_in_little_endian_slots),
        cmocka_unit_test(the_null_bit_stands_eight_bits_after_the_kind),
        cmocka_unit_test(text_up_to_seven_bytes_lies_in_its_slot),
        cmocka_unit_test(wide_decimals_are_the_fewest_big_endian_bytes_in_sixteen),
        cmocka_unit_test(a_null_decimal_still_reserves_its_sixteen_bytes),
        cmocka_unit_test(a_null_timestamp_still_reserves_its_eight_bytes),
        cmocka_unit_test(the_nanoseconds_of_a_timestamp_stand_in_the_slot),
        cmocka_unit_test(a_null_in_an_array_reserves_nothing),
        cmocka_unit_test(a_map_is_two_arrays_after_the_size_of_the_first),
        cmocka_unit_test(a_nested_row_has_its_own_offsets),
        cmocka_unit_test(a_row_of_no_fields_is_eight_zero_bytes),
        cmocka_unit_test(the_arity_of_a_serialized_row_is_big_endian),
        cmocka_unit_test(what_is_written_is_read_again),
        cmocka_unit_test(literals_come_back_and_are_copied),
        cmocka_unit_test(a_literal_row_and_a_batch_row_have_the_same_bytes),
        cmocka_unit_test(a_row_keeps_its_kind),
        cmocka_unit_test(damaged_rows_are_never_read_beyond_their_end),
        cmocka_unit_test(damaged_serialized_rows_are_never_read_beyond_their_end),
        cmocka_unit_test(a_field_without_a_type_is_not_looked_at),
        cmocka_unit_test(a_row_of_another_arity_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
