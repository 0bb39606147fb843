/* Fuzzes the Avro readers: any bytes as a container file, read whole as records of a manifest and as a mixed table, and
 * piece by piece through the reader of data files. Built with -DWEIR_FUZZ=ON (libFuzzer).
 *
 * Seeds: manifests and .avro files of any table. */
#include <stdlib.h>

#include "format/avro/avro.h"

static const char *const types[] = {
    "ROW<_FILE_NAME STRING, _FILE_SIZE BIGINT, _PARTITION_STATS ROW<_MIN_VALUES BYTES, _NULL_COUNTS ARRAY<BIGINT>>, "
    "_FILE ROW<_FILE_NAME STRING, _MIN_KEY BYTES, _EXTRA_FILES ARRAY<STRING>, _CREATION_TIME TIMESTAMP(3)>>",
    "ROW<id INT, a ARRAY<INT>, m MAP<STRING, INT>, mi MAP<INT, ARRAY<STRING>>, r ROW<x INT, y STRING, z DECIMAL(10, "
    "2)>, "
    "t_bool BOOLEAN, t_tiny TINYINT, t_float FLOAT, t_double DOUBLE, d38 DECIMAL(38, 10), t_date DATE, t_time TIME(3), "
    "ts6 TIMESTAMP(6), ltz3 TIMESTAMP(3) WITH LOCAL TIME ZONE, ms MULTISET<STRING>>",
};

static void read_whole(weir_slice bytes, const weir_type *row)
{
    weir_batch batch;
    weir_batch_init(&batch, row->fields, row->field_count);
    (void)weir_avro_read_all(bytes, "fuzz", row->fields, row->field_count, &batch, NULL);
    weir_batch_free(&batch);
}

static void read_column(weir_format_reader *reader, int32_t column, const weir_type *type)
{
    weir_vector out;
    weir_vector_init(&out, type);
    int64_t step = reader->row_count > 10000 ? 10000 : 7;
    for (int64_t first = 0; first < reader->row_count && first < 100000; first += step) {
        int64_t left = reader->row_count - first;
        weir_vector_clear(&out);
        if (reader->ops->read(reader, column, first, left < step ? left : step, &out, NULL) != WEIR_OK) {
            break;
        }
    }
    weir_vector_free(&out);
}

/* Reads one column, if the file has it: which one follows from the size. */
static void read_in_pieces(weir_slice bytes, const weir_type *row)
{
    weir_fs *fs = weir_fs_memory();
    weir_file *file = NULL;
    weir_format_reader *reader = NULL;
    const weir_field *field = &row->fields[bytes.size % (size_t)row->field_count];
    if (weir_fs_publish(fs, "/fuzz.avro", bytes, NULL) != WEIR_OK ||
        weir_fs_open_file(fs, "/fuzz.avro", &file, NULL) != WEIR_OK) {
        abort();
    }
    if (weir_avro_open_reader(file, field, 1, NULL, NULL, &reader, NULL) == WEIR_OK) {
        read_column(reader, 0, field->type);
        reader->ops->close(reader);
    } else {
        weir_file_close(file);
    }
    weir_fs_close(fs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        weir_arena arena;
        const weir_type *row = NULL;
        weir_arena_init(&arena);
        if (weir_type_parse(types[i], &arena, &row, NULL) != WEIR_OK) {
            abort();
        }
        read_whole(weir_slice_of(data, size), row);
        read_in_pieces(weir_slice_of(data, size), row);
        weir_arena_free(&arena);
    }
    return 0;
}
