/* Sets of transactions, and places in binlogs. */
#include "cmocka_all.h"

#include <stdlib.h>

#include "connect/mysql/gtid.h"
#include "connect/mysql/offset.h"

#define A "3e11fa47-71ca-11e1-9e33-c80aa9429562"
#define B "4e11fa47-71ca-11e1-9e33-c80aa9429562"

static void check_parsed(const char *text, bool is_mariadb, const char *expected)
{
    weir_gtid_set set;
    weir_buffer out = {0};
    weir_error err = {0};
    int code = weir_gtid_set_parse(text, is_mariadb, &set, &err);
    assert_int_equal(code, expected == NULL ? WEIR_INVALID : WEIR_OK);
    if (expected != NULL) {
        weir_gtid_set_format(&set, &out);
        assert_string_equal(weir_buffer_text(&out), expected);
    }
    weir_gtid_set_free(&set);
    weir_buffer_free(&out);
}

static void sets_are_read_and_joined(void **state)
{
    (void)state;
    check_parsed("", false, "");
    check_parsed(A ":1-5", false, A ":1-5");
    check_parsed(A ":7:1-5:6,\n " B ":3", false, A ":1-7," B ":3");
    check_parsed("3E11FA4771CA11E19E33C80AA9429562:2", false, A ":2");
    check_parsed(B ":9-10:1:5-7," A ":1", false, A ":1," B ":1:5-7:9-10");
    check_parsed(A ":0", false, NULL);
    check_parsed(A ":5-1", false, NULL);
    check_parsed(A ":tag:1", false, NULL);
    check_parsed("0-1-5", false, NULL);
    check_parsed("1-2-7,0-1-5", true, "0-1-5,1-2-7");
    check_parsed("0-1-5,0-2-9", true, "0-2-9");
    check_parsed("0-1", true, NULL);
}

static weir_gtid_set set_of(const char *text, bool is_mariadb)
{
    weir_gtid_set set;
    assert_int_equal(weir_gtid_set_parse(text, is_mariadb, &set, NULL), WEIR_OK);
    return set;
}

static void a_set_contains_its_parts(void **state)
{
    static const struct {
        const char *set, *part;
        bool is_mariadb, contains;
    } cases[] = {
        {A ":1-9", A ":3-4", false, true}, {A ":1-9", A ":3-10", false, false},    {A ":1-9", B ":1", false, false},
        {A ":1-9", "", false, true},       {A ":1-3:5-9", A ":3-5", false, false}, {"0-1-9", "0-2-8", true, true},
        {"0-1-9", "0-1-10", true, false},  {"0-1-9", "1-1-1", true, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_gtid_set set = set_of(cases[i].set, cases[i].is_mariadb);
        weir_gtid_set part = set_of(cases[i].part, cases[i].is_mariadb);
        assert_int_equal(weir_gtid_set_contains(&set, &part), cases[i].contains);
        weir_gtid_set_free(&set);
        weir_gtid_set_free(&part);
    }
}

/* Transactions added one by one, in any order, are one interval in the end. */
static void gaps_close(void **state)
{
    static const uint64_t order[] = {5, 1, 3, 9, 2, 8, 4, 7, 6};
    weir_gtid_set set = {0};
    weir_buffer out = {0};
    (void)state;
    weir_gtid_set names = set_of(A ":1", false);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        weir_gtid_set_add(&set, names.servers[0].uuid, order[i]);
    }
    weir_gtid_set_format(&set, &out);
    assert_string_equal(weir_buffer_text(&out), A ":1-9");
    weir_gtid_set_free(&set);
    weir_gtid_set_free(&names);
    weir_buffer_free(&out);
}

static void a_place_survives_being_stored(void **state)
{
    weir_binlog_offset offset = {.position = 5000000000, .has_gtids = true, .skip_rows = 7};
    weir_binlog_offset read;
    weir_buffer bytes = {0}, before = {0}, after = {0};
    (void)state;
    assert_true(weir_binlog_offset_set_file(&offset, weir_slice_text("binlog.000999")));
    offset.gtids = set_of(A ":1-5:8," B ":2", false);
    weir_binlog_offset_encode(&offset, &bytes);
    weir_byte_reader reader = weir_byte_reader_of(weir_buffer_slice(&bytes));
    weir_binlog_offset_decode(&reader, &read);
    assert_true(weir_byte_reader_is_done(&reader));
    assert_int_equal(weir_binlog_offset_compare(&offset, &read), 0);
    assert_int_equal(read.skip_rows, 7);
    weir_gtid_set_format(&offset.gtids, &before);
    weir_gtid_set_format(&read.gtids, &after);
    assert_string_equal(weir_buffer_text(&before), weir_buffer_text(&after));
    for (size_t size = 0; size < bytes.size; size++) {
        weir_binlog_offset cut;
        reader = weir_byte_reader_of(weir_slice_of(bytes.data, size));
        weir_binlog_offset_decode(&reader, &cut);
        assert_true(reader.failed);
        weir_binlog_offset_free(&cut);
    }
    weir_binlog_offset_free(&offset);
    weir_binlog_offset_free(&read);
    weir_buffer_free(&bytes);
    weir_buffer_free(&before);
    weir_buffer_free(&after);
}

static void the_millionth_file_comes_after_the_one_before(void **state)
{
    weir_binlog_offset a = {.position = 900}, b = {.position = 4};
    (void)state;
    weir_binlog_offset_set_file(&a, weir_slice_text("binlog.999999"));
    weir_binlog_offset_set_file(&b, weir_slice_text("binlog.1000000"));
    assert_true(weir_binlog_offset_compare(&a, &b) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_are_read_and_joined),
        cmocka_unit_test(a_set_contains_its_parts),
        cmocka_unit_test(gaps_close),
        cmocka_unit_test(a_place_survives_being_stored),
        cmocka_unit_test(the_millionth_file_comes_after_the_one_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
