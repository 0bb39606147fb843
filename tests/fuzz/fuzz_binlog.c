/* Fuzzes the parser of binlogs: any bytes as a file of one, its rows decoded to the columns of a table; and the same
 * bytes as a JSON document, a geometry, a list of transactions, a statement. Built with -DWEIR_FUZZ=ON (libFuzzer).
 *
 * Seeds: files of binlogs. */
#include "connect/binlog_text.h"
#include "connect/mysql/geometry.h"
#include "connect/mysql/json_text.h"

static const char *const columns[] = {
    "id int",          "u bigint unsigned", "d decimal(10,2)", "s varchar(20)",    "e enum('a','b')",
    "ts timestamp(3)", "tm time(2)",        "b bit(9)",        "y year",           "j json",
    "g geometry",      "x set('a','b')",    "n binary(5)",     "l decimal(65,30)", "t text"};

static const char row[] =
    "ROW<id INT, u DECIMAL(20, 0), d DECIMAL(10, 2), s STRING, e STRING, ts TIMESTAMP(3), tm STRING, b BYTES, y INT, "
    "j STRING, g STRING, x ARRAY<STRING>, n BYTES, l STRING, t STRING>";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_arena arena;
    weir_mysql_table table;
    const weir_type *type = NULL;
    weir_buffer out = {0};
    weir_slice bytes = weir_slice_of(data, size);
    weir_arena_init(&arena);
    declare_table(&arena, columns, sizeof columns / sizeof *columns, &table);
    if (weir_type_parse(row, &arena, &type, NULL) != WEIR_OK) {
        abort();
    }
    (void)binlog_to_text(bytes, &table, type->fields, type->field_count, &out, NULL);
    weir_buffer_clear(&out);
    (void)weir_mysql_json_format(bytes, false, &out, NULL);
    weir_buffer_clear(&out);
    (void)weir_mysql_geometry_format(bytes, &out, NULL);
    weir_gtid_set set;
    for (int is_mariadb = 0; is_mariadb < 2; is_mariadb++) {
        if (weir_gtid_set_parse_event(bytes, is_mariadb != 0, &set, NULL) == WEIR_OK) {
            weir_gtid_set_free(&set);
        }
    }
    weir_ddl ddl;
    weir_ddl_parse(bytes, &arena, &ddl);
    weir_byte_reader reader = weir_byte_reader_of(bytes);
    weir_mysql_table decoded;
    weir_mysql_table_decode(&reader, &arena, &decoded);
    weir_buffer_free(&out);
    weir_arena_free(&arena);
    return 0;
}
