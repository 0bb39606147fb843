/* Fuzzes the reader of CSV. The first byte is options, the others the text of a file; read whole and in pieces it must
 * give the same rows. */
#include "format/csv/csv.h"
#include "fuzz/row_text.h"

static const char row_type[] = "ROW<id BIGINT, name STRING, price DECIMAL(10, 2), flag BOOLEAN, d DOUBLE, `day` DATE, "
                               "ts TIMESTAMP(3), b BYTES, a ARRAY<INT>, r ROW<x INT, y STRING>>";

static weir_csv_options options_of(uint8_t bits)
{
    return (weir_csv_options){
        .delimiter = bits & 1 ? ';' : 0,
        .quote = bits & 2 ? '\'' : 0,
        .no_quote = (bits & 6) == 4,
        .escape = bits & 8 ? '\\' : 0,
        .allow_comments = bits & 16,
        .ignore_parse_errors = bits & 32,
        .ignore_first_line = bits & 64,
        .array_delimiter = bits & 1 ? "|" : NULL,
        .null_literal = bits & 128 ? "n/a" : NULL,
    };
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    weir_arena arena;
    weir_error err = {0};
    const weir_type *row = NULL;
    weir_row_reader *reader = NULL;
    weir_csv_options options = options_of(data[0]);
    weir_arena_init(&arena);
    if (weir_type_parse(row_type, &arena, &row, &err) != WEIR_OK ||
        weir_csv_open_reader(row->fields, row->field_count, &options, &reader, &err) != WEIR_OK) {
        fprintf(stderr, "%s\n", err.message);
        abort();
    }
    row_text_check(reader, row->fields, row->field_count, weir_slice_of(data + 1, size - 1));
    reader->close(reader);
    weir_arena_free(&arena);
    return 0;
}
