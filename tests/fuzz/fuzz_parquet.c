/* Fuzzes the Parquet reader: any bytes are a file. Whatever they say, opening, reading, gathering and pruning must end
 * in rows or an error. */
#include "format/parquet/parquet.h"

/* Enough for any real page; a file that asks for more is refused by the budget. */
#define BUDGET_BYTES (64 << 20)
#define ROWS_READ    512
#define BATCH_ROWS   97

static int file_of_bytes(weir_fs *fs, const uint8_t *data, size_t size, weir_file **out, weir_error *err)
{
    weir_output *output;
    WEIR_TRY(weir_fs_create(fs, "/fuzz.parquet", &output, err));
    int code = weir_output_write(output, data, size, err);
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    WEIR_TRY(weir_output_finish(output, false, err));
    return weir_fs_open_file(fs, "/fuzz.parquet", out, err);
}

static void read_some(weir_format_reader *reader, int32_t column, const weir_type *type)
{
    weir_error err = {0};
    weir_vector values;
    int64_t end = reader->row_count < ROWS_READ ? reader->row_count : ROWS_READ;
    weir_vector_init(&values, type);
    for (int64_t row = 0; row < end; row += BATCH_ROWS) {
        int64_t count = end - row < BATCH_ROWS ? end - row : BATCH_ROWS;
        weir_vector_clear(&values);
        if (reader->ops->read(reader, column, row, count, &values, &err) != WEIR_OK) {
            break;
        }
    }
    weir_vector_clear(&values);
    if (end > 0) {
        uint32_t rows[] = {0, (uint32_t)end / 3 + 1, (uint32_t)end / 2 + 2, (uint32_t)end - 1};
        int64_t count = end > 12 ? 4 : 1;
        reader->ops->gather(reader, column, 0, rows, count, &values, &err);
    }
    weir_vector_free(&values);
}

static void prune_some(weir_format_reader *reader, int32_t column, const weir_type *type)
{
    weir_arena arena;
    weir_row_ranges ranges = {0};
    weir_arena_init(&arena);
    weir_literal zero = {0};
    zero.bytes = weir_slice_of("", 0);
    weir_predicate_kind kind =
        type->id == WEIR_BIGINT || type->id == WEIR_INT ? WEIR_PREDICATE_GREATER : WEIR_PREDICATE_IS_NOT_NULL;
    const weir_predicate *predicate =
        weir_predicate_leaf(&arena, kind, column, type, &zero, kind == WEIR_PREDICATE_GREATER ? 1 : 0);
    reader->ops->prune(reader, predicate, &ranges, NULL);
    weir_row_ranges_free(&ranges);
    weir_arena_free(&arena);
}

static void read_file(weir_file *file, weir_arena *arena)
{
    weir_error err = {0};
    weir_budget budget;
    weir_field *fields;
    int32_t field_count;
    weir_format_reader *reader;
    weir_budget_init(&budget, "fuzzing", NULL, BUDGET_BYTES);
    if (weir_parquet_read_fields(file, arena, &fields, &field_count, &err) != WEIR_OK ||
        weir_parquet_open_reader(file, fields, field_count, NULL, &budget, &reader, &err) != WEIR_OK) {
        weir_file_close(file);
        return;
    }
    for (int32_t i = 0; i < field_count; i++) {
        read_some(reader, i, fields[i].type);
        prune_some(reader, i, fields[i].type);
    }
    reader->ops->prefetch(reader, 0, reader->row_count < 10 ? reader->row_count : 10, &err);
    reader->ops->close(reader);
    if (budget.used_bytes != 0) {
        __builtin_trap(); /* the budget must get everything back */
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_error err = {0};
    weir_file *file;
    weir_arena arena;
    weir_fs *fs = weir_fs_memory();
    weir_arena_init(&arena);
    if (file_of_bytes(fs, data, size, &file, &err) == WEIR_OK) {
        read_file(file, &arena);
    }
    weir_arena_free(&arena);
    weir_fs_close(fs);
    return 0;
}
