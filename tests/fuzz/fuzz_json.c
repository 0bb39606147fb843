/* Fuzzes the readers of JSON rows and change events. The first two bytes are options, the others the text of a file;
 * read whole and in pieces it must give the same rows. */
#include "format/json/json.h"
#include "fuzz/row_text.h"

static const char row_type[] =
    "ROW<id BIGINT NOT NULL, name STRING, price DECIMAL(10, 2), big DECIMAL(38, 10), flag BOOLEAN, tiny TINYINT, "
    "f FLOAT, d DOUBLE, `day` DATE, t TIME(3), ts TIMESTAMP(3), ts9 TIMESTAMP(9), ltz TIMESTAMP(3) WITH LOCAL TIME "
    "ZONE, "
    "b BYTES, a ARRAY<INT>, m MAP<STRING, DOUBLE>, r ROW<x INT, y ARRAY<STRING>>>";

static const char *const keys[] = {"id"};

static weir_json_read_options options_of(uint8_t kind, uint8_t bits)
{
    return (weir_json_read_options){
        .kind = (weir_json_kind)(kind % 4),
        .ignore_parse_errors = bits & 1,
        .fail_on_missing_field = (bits & 3) == 2,
        .time_format = (weir_json_time_format)((bits >> 2) % 3),
        .schema_include = bits & 16,
        .primary_keys = bits & 32 ? keys : NULL,
        .primary_key_count = bits & 32 ? 1 : 0,
        .database_include = bits & 64 ? "^sh.p$" : NULL,
        .table_include = bits & 64 ? "orders|us.*" : NULL,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    weir_arena arena;
    weir_error err = {0};
    const weir_type *row = NULL;
    weir_row_reader *reader = NULL;
    weir_json_read_options options = options_of(data[0], data[1]);
    weir_arena_init(&arena);
    if (weir_type_parse(row_type, &arena, &row, &err) != WEIR_OK ||
        weir_json_open_reader(row->fields, row->field_count, &options, &reader, &err) != WEIR_OK) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    row_text_check(reader, row->fields, row->field_count, weir_slice_of(data + 2, size - 2));
    reader->close(reader);
    weir_arena_free(&arena);
    return 0;
}
