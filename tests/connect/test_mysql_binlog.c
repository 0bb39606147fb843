/* Binlogs as bytes: files that servers wrote, and events as MySQL 8 writes them, which are made here. */
#include "connect/binlog_text.h"

#include "connect/connect_fixture.h"
#include "format/compression.h"

static const char *const columns[] = {"id int",        "u bigint unsigned", "d decimal(10,2)",
                                      "s varchar(20)", "e enum('a','b')",   "ts timestamp(3)",
                                      "tm time(2)",    "b bit(9)",          "y year"};

static const char row[] =
    "ROW<id INT, u DECIMAL(20, 0), d DECIMAL(10, 2), s STRING, e STRING, ts TIMESTAMP(3), tm STRING, "
    "b BYTES, y INT>";

static void check_log(weir_slice file, const char *const *definitions, uint32_t count, const char *type_text,
                      const char *expected, int expected_code)
{
    weir_arena arena;
    weir_mysql_table table;
    const weir_type *type = NULL;
    weir_buffer out = {0};
    weir_error err = {0};
    weir_arena_init(&arena);
    declare_table(&arena, definitions, count, &table);
    check_ok(weir_type_parse(type_text, &arena, &type, &err), &err);
    int code = binlog_to_text(file, &table, type->fields, type->field_count, &out, &err);
    if (code != expected_code) {
        print_error("%s\n", err.message);
    }
    assert_int_equal(code, expected_code);
    assert_string_equal(weir_buffer_text(&out), expected);
    weir_buffer_free(&out);
    weir_arena_free(&arena);
}

static void check_file(const char *path, const char *expected)
{
    weir_buffer file = {0};
    weir_error err;
    check_ok(weir_fs_read_all(weir_fs_local(), path, &file, &err), &err);
    check_log(weir_buffer_slice(&file), columns, sizeof columns / sizeof *columns, row, expected, WEIR_OK);
    weir_buffer_free(&file);
}

#define CREATED                                                                                                        \
    "query 5 of 1 tables: CREATE TABLE fx.t (id INT PRIMARY KEY, u BIGINT UNSIGNED, d DECIMAL(10,2), s VARCHAR(20), "  \
    "e ENUM('a','b'), ts TIMESTAMP(3) NULL, tm TIME(2), b BIT(9), y YEAR)\n"
#define ROWS                                                                                                           \
    "insert [1, \"18446744073709551615\", \"-12.34\", \"h\xc3\xa9\xc3\xa9\", \"b\", \"2024-02-29 12:34:56.789\", "     \
    "\"-01:02:03.45\", \"0101\", 2024]\n"                                                                              \
    "insert [2, null, null, null, null, null, null, null, null]\n"
#define UPDATED(s)                                                                                                     \
    "update [1, \"18446744073709551615\", \"-12.34\", \"" s "\", \"b\", \"2024-02-29 12:34:56.789\", "                 \
    "\"-01:02:03.45\", \"0101\", 2024]\n"

static void a_file_of_mariadb_says_what_was_done(void **state)
{
    (void)state;
    check_file("tests/connect/fixtures/mariadb-10.11.binlog",
               "before 0-1-558\n"
               "gtid 0-1-559 alone\nquery 9 of 1 tables: DROP DATABASE IF EXISTS fx\n"
               "gtid 0-1-560 alone\nquery 0 of 0 tables: CREATE DATABASE fx\n"
               "gtid 0-1-561 alone\n" CREATED "gtid 0-1-562\ntable fx.t, 9 columns with names\n" ROWS
               "commit\ngtid 0-1-563\ntable fx.t, 9 columns with names\n" UPDATED("h\xc3\xa9\xc3\xa9")
                   UPDATED("x") "commit\ngtid 0-1-564\ntable fx.t, 9 columns with names\n"
                                "delete [2, null, null, null, null, null, null, null, null]\n"
                                "commit\nrotate binlog.000004:4\n");
}

#define GTID(number) "gtid 0bc7a2b4-ec6a-11f1-9323-02fc00000001:" number "\n"
#define BEGUN        "query 1 of 0 tables: BEGIN\ntable fx.t, 9 columns\n"

static void a_file_of_mysql_says_what_was_done(void **state)
{
    (void)state;
    check_file("tests/connect/fixtures/mysql-5.6.binlog",
               "before 0bc7a2b4-ec6a-11f1-9323-02fc00000001:1-498\n" GTID(
                   "499") "query 9 of 1 tables: DROP DATABASE IF EXISTS fx\n" GTID("500") "query 0 of 0 tables: CREATE "
                                                                                          "DATABASE fx\n" GTID("501")
                                                                                              CREATED GTID("502")
                                                                                                  BEGUN ROWS
               "commit\n" GTID("503") BEGUN UPDATED("h\xc3\xa9\xc3\xa9") UPDATED("x") "commit\n" GTID("504") BEGUN
               "delete [2, null, null, null, null, null, null, null, null]\ncommit\nrotate binlog.000004:4\n");
}

/* ---- events that are made here ---- */

static void add_event(weir_buffer *log, uint8_t type, const weir_buffer *body, bool has_checksum)
{
    size_t start = log->size;
    weir_put_u32(log, 1700000000);
    weir_put_u8(log, type);
    weir_put_u32(log, 7);
    weir_put_u32(log, (uint32_t)(19 + body->size + (has_checksum ? 4 : 0)));
    weir_put_u32(log, (uint32_t)(start + 19 + body->size));
    weir_put_number(log, 0, 2);
    weir_buffer_append(log, body->data, body->size);
    if (has_checksum) {
        uint32_t crc = ~0u;
        for (size_t i = start; i < log->size; i++) {
            crc ^= log->data[i];
            for (int bit = 0; bit < 8; bit++) {
                crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
            }
        }
        weir_put_u32(log, ~crc);
    }
}

static weir_buffer bytes_of(const char *hex)
{
    weir_buffer out = {0};
    for (; *hex != '\0'; hex += hex[0] == ' ' ? 1 : 2) {
        unsigned byte;
        if (*hex != ' ') {
            assert_int_equal(sscanf(hex, "%2x", &byte), 1);
            weir_buffer_append_byte(&out, (uint8_t)byte);
        }
    }
    return out;
}

static void add_hex(weir_buffer *log, uint8_t type, const char *hex, bool has_checksum)
{
    weir_buffer body = bytes_of(hex);
    add_event(log, type, &body, has_checksum);
    weir_buffer_free(&body);
}

static void start_log(weir_buffer *log, bool has_checksums)
{
    weir_buffer body = {0};
    weir_buffer_append(log,
                       "\xfe"
                       "bin",
                       4);
    weir_put_number(&body, 4, 2);
    weir_buffer_append(&body, "8.0.36", 6);
    weir_buffer_append_zeros(&body, 44 + 4);
    weir_put_u8(&body, 19);
    for (int type = 1; type <= 42; type++) {
        weir_put_u8(&body, type == WEIR_BINLOG_TABLE_MAP ? 8 : type == WEIR_BINLOG_WRITE_ROWS_2 ? 10 : 0);
    }
    weir_put_u8(&body, has_checksums);
    add_event(log, WEIR_BINLOG_FORMAT, &body, true);
    weir_buffer_free(&body);
}

/* A table with names, signs, collations and labels in its map: id INT UNSIGNED, j JSON, e ENUM, t VARCHAR(20). */
#define MAP_8                                                                                                          \
    "5d0000000000 0100 02 6678 00 01 74 00 04 03f5fe0f 05 04 f701 5000 0e "                                            \
    "01 01 80 02 03 fcff00 04 09 02 6964 01 6a 01 65 01 74 06 05 02 01 78 01 79 08 01 00"
static const char *const columns_8[] = {"id int", "j json", "e enum('old')", "t varchar(20)"};
static const char row_8[] = "ROW<id BIGINT, j STRING, e STRING, t STRING>";

/* id 4294967295, j {"a": [1, true, "x"]}, e 2, t 'hi' */
#define ROW_8                                                                                                          \
    "5d0000000000 0100 0200 04 ff 00 ffffffff 1c000000 "                                                               \
    "00 0100 1b00 0b00 0100 02 0c00 61 0300 0f00 05 0100 04 0100 0c 0d00 01 78 02 02 6869"

static void a_compressed_transaction_of_mysql_8_is_unpacked(void **state)
{
    (void)state;
    weir_buffer log = {0}, inner = {0}, packed = {0}, body = {0};
    weir_error err;
    start_log(&log, true);
    add_hex(&log, WEIR_BINLOG_GTID, "00 3e11fa4771ca11e19e33c80aa9429562 1700000000000000 02 0000000000000000 00",
            true);
    add_hex(&inner, WEIR_BINLOG_TABLE_MAP, MAP_8, false);
    add_hex(&inner, WEIR_BINLOG_XID, "0100000000000000", false);
    check_ok(weir_compress(WEIR_COMPRESSION_ZSTD, 3, weir_buffer_slice(&inner), &packed, &err), &err);
    weir_buffer_append(&body, "\x02\x01\x00\x00", 4);
    weir_buffer_append(&body, packed.data, packed.size);
    add_event(&log, WEIR_BINLOG_TRANSACTION_PAYLOAD, &body, true);
    add_hex(&log, WEIR_BINLOG_HEARTBEAT_2, "01 0d 62696e6c6f672e303030303037 02 04 fd000001 00", true);
    check_log(weir_buffer_slice(&log), columns_8, 4, row_8,
              "gtid 3e11fa47-71ca-11e1-9e33-c80aa9429562:23\ntable fx.t, 4 columns with names\ncommit\n"
              "heartbeat binlog.000007:65536\n",
              WEIR_OK);
    weir_buffer_free(&log);
    weir_buffer_free(&inner);
    weir_buffer_free(&packed);
    weir_buffer_free(&body);
}

static void a_map_tells_more_than_the_declaration(void **state)
{
    (void)state;
    weir_buffer log = {0};
    start_log(&log, false);
    add_hex(&log, WEIR_BINLOG_TABLE_MAP, MAP_8, false);
    add_hex(&log, WEIR_BINLOG_WRITE_ROWS_2, ROW_8, false);
    check_log(weir_buffer_slice(&log), columns_8, 4, row_8,
              "table fx.t, 4 columns with names\n"
              "insert [4294967295, \"{\\\"a\\\":[1,true,\\\"x\\\"]}\", \"y\", \"hi\"]\n",
              WEIR_OK);
    weir_buffer_free(&log);
}

/* A log without checksums has them in format descriptions even so, and what they are must not matter. */
static void the_checksum_of_a_format_says_nothing_of_others(void **state)
{
    (void)state;
    weir_buffer log = {0};
    start_log(&log, false);
    memset(log.data + log.size - 4, 1, 4);
    add_hex(&log, WEIR_BINLOG_XID, "0100000000000000", false);
    check_log(weir_buffer_slice(&log), columns, 9, row, "commit\n", WEIR_OK);
    weir_buffer_free(&log);
}

static void positions_go_on_beyond_32_bits(void **state)
{
    const uint64_t four_gb = (uint64_t)1 << 32;
    static const struct {
        uint8_t type;
        uint16_t flags;
        uint32_t next_position;
        uint64_t before, after; /* from 4 GB on */
    } cases[] = {
        {WEIR_BINLOG_XID, 0, 200, 100, 200},
        {WEIR_BINLOG_XID, 0, 50, UINT32_MAX, ((uint64_t)1 << 32) + 50},
        {WEIR_BINLOG_XID, WEIR_BINLOG_ARTIFICIAL, 50, 100, 100},
        {WEIR_BINLOG_XID, 0, 0, 100, 100},
        /* What a server sends from the beginning of a file before it goes on in its middle. */
        {WEIR_BINLOG_FORMAT, 0, 120, 5000, 5000},
        {WEIR_BINLOG_PREVIOUS_GTIDS, 0, 190, 5000, 5000},
        {WEIR_BINLOG_MARIADB_GTID_LIST, 0, 300, 5000, 5000},
        {WEIR_BINLOG_HEARTBEAT, 0, 300, 5000, 5000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_binlog_event event = {
            .type = cases[i].type, .flags = cases[i].flags, .next_position = cases[i].next_position};
        assert_int_equal(weir_binlog_position_after(&event, cases[i].before), cases[i].after);
        assert_int_equal(weir_binlog_position_after(&event, four_gb + cases[i].before), four_gb + cases[i].after);
    }
}

static void damage_is_an_error(void **state)
{
    (void)state;
    weir_buffer log = {0};
    start_log(&log, true);
    size_t start = log.size;
    add_hex(&log, WEIR_BINLOG_XID, "0100000000000000", true);
    log.data[start + 20] ^= 1;
    check_log(weir_buffer_slice(&log), columns, 9, row, "", WEIR_CORRUPT);
    weir_buffer_free(&log);
    start_log(&log, false); /* the mode among the variables of a statement is cut off: they are passed over */
    add_hex(&log, WEIR_BINLOG_QUERY, "0100000000000000 01 0000 0300 010203 6400 78", false);
    check_log(weir_buffer_slice(&log), columns, 9, row, "query 0 of 0 tables: x\n", WEIR_OK);
    weir_buffer_free(&log);
    start_log(&log, false);
    add_hex(&log, WEIR_BINLOG_TABLE_MAP, "5d00000000000100 02667800 017400 09 0303", false);
    check_log(weir_buffer_slice(&log), columns, 9, row, "", WEIR_CORRUPT);
    weir_buffer_free(&log);
}

static void rows_without_all_columns_are_refused(void **state)
{
    (void)state;
    weir_buffer log = {0};
    start_log(&log, false);
    add_hex(&log, WEIR_BINLOG_WRITE_ROWS_2, "5d00000000000100 0200 04 07 00 ffffffff", false);
    check_log(weir_buffer_slice(&log), columns_8, 4, row_8, "", WEIR_UNSUPPORTED);
    weir_buffer_free(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_mariadb_says_what_was_done),
        cmocka_unit_test(a_file_of_mysql_says_what_was_done),
        cmocka_unit_test(a_compressed_transaction_of_mysql_8_is_unpacked),
        cmocka_unit_test(a_map_tells_more_than_the_declaration),
        cmocka_unit_test(the_checksum_of_a_format_says_nothing_of_others),
        cmocka_unit_test(positions_go_on_beyond_32_bits),
        cmocka_unit_test(damage_is_an_error),
        cmocka_unit_test(rows_without_all_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
