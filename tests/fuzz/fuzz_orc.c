/* Fuzzes the ORC readers: any bytes as a data file of a mixed table, read piece by piece and pruned, and as records of
 * a manifest. Whatever they say must end in rows or an error, and the budget must get everything back. */
#include "format/orc/orc.h"

#define BUDGET_BYTES (64 << 20)
#define MOST_ROWS    20000
#define STEP_ROWS    997

static const char *const types[] = {
    "ROW<_VERSION INT NOT NULL, _FILE_NAME STRING, _PARTITION BYTES, _PARTITION_STATS ROW<_MIN_VALUES BYTES, "
    "_NULL_COUNTS ARRAY<BIGINT>>, _FILE ROW<_FILE_NAME STRING, _EXTRA_FILES ARRAY<STRING>, _CREATION_TIME "
    "TIMESTAMP(3)>>",
    "ROW<id INT, a ARRAY<INT>, astr ARRAY<STRING>, m MAP<STRING, INT>, mi MAP<INT, ARRAY<STRING>>, r ROW<x INT, y "
    "STRING, z DECIMAL(10, 2)>, ar ARRAY<ROW<p INT, q ROW<s STRING, t TIMESTAMP(3)>>>, aa ARRAY<ARRAY<BIGINT>>>",
    "ROW<id INT, t_bool BOOLEAN, t_tiny TINYINT, t_big BIGINT, t_float FLOAT, t_double DOUBLE, d38 DECIMAL(38, 10), "
    "t_char CHAR(4), t_str STRING, t_bytes BYTES, t_date DATE, t_time TIME(3), ts9 TIMESTAMP(9), ltz3 TIMESTAMP(3) "
    "WITH LOCAL TIME ZONE>",
    "ROW<k INT, s STRING, d DOUBLE, l BIGINT, a ARRAY<STRING>>",
    "ROW<id INT, s STRING, dt DATE, d DOUBLE>",
};
enum { TYPES = sizeof types / sizeof *types };

static int file_of_bytes(weir_fs *fs, const uint8_t *data, size_t size, weir_file **out)
{
    weir_output *output;
    WEIR_TRY(weir_fs_remove(fs, "/fuzz.orc", NULL));
    WEIR_TRY(weir_fs_create(fs, "/fuzz.orc", &output, NULL));
    int code = weir_output_write(output, data, size, NULL);
    if (code != WEIR_OK) {
        weir_output_abandon(output);
        return code;
    }
    WEIR_TRY(weir_output_finish(output, false, NULL));
    return weir_fs_open_file(fs, "/fuzz.orc", out, NULL);
}

static void read_column(weir_format_reader *reader, int32_t column, const weir_type *type, weir_arena *arena)
{
    weir_error err = {0};
    weir_vector values;
    weir_row_ranges ranges = {0};
    weir_vector_init(&values, type);
    int64_t end = reader->row_count < MOST_ROWS ? reader->row_count : MOST_ROWS;
    for (int64_t row = 0; row < end; row += STEP_ROWS) {
        int64_t count = end - row < STEP_ROWS ? end - row : STEP_ROWS;
        weir_vector_clear(&values);
        if (reader->ops->read(reader, column, row, count, &values, &err) != WEIR_OK) {
            break;
        }
    }
    reader->ops->prune(reader, weir_predicate_leaf(arena, WEIR_PREDICATE_IS_NULL, column, type, NULL, 0), &ranges,
                       &err);
    weir_row_ranges_free(&ranges);
    weir_vector_free(&values);
}

static void read_as(weir_fs *fs, const uint8_t *data, size_t size, const weir_type *row, weir_arena *arena)
{
    weir_file *file;
    weir_batch batch;
    weir_budget budget;
    weir_format_reader *reader;
    weir_budget_init(&budget, "fuzzing", NULL, BUDGET_BYTES);
    weir_batch_init(&batch, row->fields, row->field_count);
    (void)weir_orc_read_all(weir_slice_of(data, size), "fuzz", row->fields, row->field_count, &batch, NULL);
    weir_batch_free(&batch);
    if (file_of_bytes(fs, data, size, &file) != WEIR_OK) {
        return;
    }
    if (weir_orc_open_reader(file, row->fields, row->field_count, NULL, &budget, &reader, NULL) != WEIR_OK) {
        weir_file_close(file);
    } else {
        for (int32_t i = 0; i < row->field_count; i++) {
            read_column(reader, i, row->fields[i].type, arena);
        }
        reader->ops->close(reader);
    }
    if (budget.used_bytes != 0) {
        __builtin_trap();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    weir_fs *fs = weir_fs_memory();
    for (int32_t i = 0; i < TYPES; i++) {
        weir_arena arena;
        const weir_type *row;
        weir_arena_init(&arena);
        if (weir_type_parse(types[i], &arena, &row, NULL) == WEIR_OK) {
            read_as(fs, data, size, row, &arena);
        }
        weir_arena_free(&arena);
    }
    weir_fs_close(fs);
    return 0;
}
