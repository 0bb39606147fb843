/* Seeds of rows: BinaryRows, and Avro files of every type and codec. */
#include "cmocka_all.h"

#include "format/avro/avro.h"
#include "fuzz/binary_row_types.h"
#include "fuzz/seeds.h"
#include "vector/binary_row.h"
#include "vector/rows.h"

#define ROWS 6

/* The second type of fuzz_avro, but for keys, which must not be NULL when they are written. */
static const char avro_type[] =
    "ROW<id INT, a ARRAY<INT>, m MAP<STRING NOT NULL, INT>, mi MAP<INT NOT NULL, ARRAY<STRING>>, r ROW<x INT, y "
    "STRING, z DECIMAL(10, 2)>, "
    "t_bool BOOLEAN, t_tiny TINYINT, t_float FLOAT, t_double DOUBLE, d38 DECIMAL(38, 10), t_date DATE, t_time TIME(3), "
    "ts6 TIMESTAMP(6), ltz3 TIMESTAMP(3) WITH LOCAL TIME ZONE, ms MULTISET<STRING NOT NULL>>";

static void make_rows(const char *text, weir_arena *arena, const weir_type **out_type, weir_batch *out)
{
    random_state random = {1};
    *out_type = parse_type(arena, text);
    weir_batch_init(out, (*out_type)->fields, (*out_type)->field_count);
    for (int row = 0; row < ROWS; row++) {
        for (int32_t column = 0; column < out->column_count; column++) {
            append_random(&out->columns[column], &random);
        }
        out->length++;
    }
}

static void add_binary_rows(uint8_t number)
{
    weir_arena arena;
    weir_batch batch;
    const weir_type *type = NULL;
    weir_error err = {0};
    weir_arena_init(&arena);
    make_rows(binary_row_types[number], &arena, &type, &batch);
    for (int64_t row = 0; row < batch.length; row++) {
        weir_buffer bytes = {0};
        weir_buffer_append_byte(&bytes, number);
        seeds_must(weir_binary_row_write(&batch, all_columns, batch.column_count, row, &bytes, &err), &err, "a row");
        add_seed("binary_row", weir_arena_format(&arena, "row-%d-%d", number, (int)row), weir_buffer_slice(&bytes));
        weir_buffer_free(&bytes);
    }
    weir_batch_free(&batch);
    weir_arena_free(&arena);
}

static void add_avro_file(const char *codec)
{
    weir_arena arena;
    weir_batch batch;
    const weir_type *type = NULL;
    weir_error err = {0};
    weir_buffer bytes = {0};
    weir_arena_init(&arena);
    make_rows(avro_type, &arena, &type, &batch);
    seeds_must(weir_avro_write_all(&batch, type->fields, type->field_count, codec, 1, &bytes, &err), &err, codec);
    add_seed("avro", weir_arena_format(&arena, "every-type-%s.avro", codec), weir_buffer_slice(&bytes));
    weir_buffer_free(&bytes);
    weir_batch_free(&batch);
    weir_arena_free(&arena);
}

void add_row_seeds(void)
{
    static const char *const codecs[] = {"null", "zstandard", "snappy", "deflate", "bzip2"};
    for (size_t i = 0; i < BINARY_ROW_TYPES; i++) {
        add_binary_rows((uint8_t)i);
    }
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        add_avro_file(codecs[i]);
    }
}
