/* ORC files that Java Paimon wrote (tests/format/fixtures), and any bytes as one. */
#ifndef WEIR_TESTS_FORMAT_ORC_FIXTURE_H
#define WEIR_TESTS_FORMAT_ORC_FIXTURE_H

#include "format/orc/orc.h"
#include "vector/rows.h"

#define TYPES_FIELDS                                                                                                   \
    "id INT, t_bool BOOLEAN, t_tiny TINYINT, t_small SMALLINT, t_int INT, t_big BIGINT, t_float FLOAT, "               \
    "t_double DOUBLE, d5 DECIMAL(5, 2), d18 DECIMAL(18, 4), d38 DECIMAL(38, 10), t_char CHAR(4), "                     \
    "t_varchar VARCHAR(10), t_str STRING, t_bin BINARY(4), t_vbin VARBINARY(10), t_bytes BYTES, t_date DATE, "         \
    "t_time TIME(3), ts0 TIMESTAMP(0), ts3 TIMESTAMP(3), ts6 TIMESTAMP(6), ts9 TIMESTAMP(9), "                         \
    "ltz3 TIMESTAMP(3) WITH LOCAL TIME ZONE, ltz6 TIMESTAMP(6) WITH LOCAL TIME ZONE"

#define NESTED_FIELDS                                                                                                  \
    "id INT, a ARRAY<INT>, astr ARRAY<STRING>, m MAP<STRING, INT>, mi MAP<INT, ARRAY<STRING>>, "                       \
    "r ROW<x INT, y STRING, z DECIMAL(10, 2)>, ar ARRAY<ROW<p INT, q ROW<s STRING, t TIMESTAMP(3)>>>, "                \
    "rr ROW<a ARRAY<INT>, m MAP<STRING, ROW<u INT>>>, aa ARRAY<ARRAY<BIGINT>>"

#define WORDS_FIELDS "k INT, s STRING, d DOUBLE, l BIGINT, a ARRAY<STRING>"

#define STRIPES_FIELDS "id INT, s STRING, dt DATE, d DOUBLE"

typedef struct orc_fixture {
    const char *path;
    const char *fields;
} orc_fixture;

static const orc_fixture orc_fixtures[] = {
    {"tests/format/fixtures/types.orc", TYPES_FIELDS},      {"tests/format/fixtures/nested.orc", NESTED_FIELDS},
    {"tests/format/fixtures/stripes.orc", STRIPES_FIELDS},  {"tests/format/fixtures/words-none.orc", WORDS_FIELDS},
    {"tests/format/fixtures/words-zlib.orc", WORDS_FIELDS},
};
enum { ORC_FIXTURES = sizeof orc_fixtures / sizeof *orc_fixtures };

typedef struct orc_file {
    weir_arena arena;
    weir_budget budget;
    const weir_type *row;
    weir_format_reader *reader; /* NULL: it could not be opened */
    weir_batch batch;
} orc_file;

/* Opens the file, which it then owns; what close_orc closes is there even after a failure. */
static inline int open_orc_with(orc_file *orc, weir_file *file, const char *fields,
                                const weir_format_read_options *options, int64_t budget_bytes, weir_error *err)
{
    memset(orc, 0, sizeof *orc);
    weir_arena_init(&orc->arena);
    weir_budget_init(&orc->budget, "test", NULL, budget_bytes);
    orc->row = parse_type(&orc->arena, weir_arena_format(&orc->arena, "ROW<%s>", fields));
    weir_batch_init(&orc->batch, orc->row->fields, orc->row->field_count);
    int code =
        weir_orc_open_reader(file, orc->row->fields, orc->row->field_count, options, &orc->budget, &orc->reader, err);
    if (code != WEIR_OK) {
        weir_file_close(file);
    }
    return code;
}

static inline int open_orc(orc_file *orc, weir_file *file, const char *fields, int64_t budget_bytes, weir_error *err)
{
    return open_orc_with(orc, file, fields, NULL, budget_bytes, err);
}

static inline void close_orc(orc_file *orc)
{
    if (orc->reader != NULL) {
        orc->reader->ops->close(orc->reader);
    }
    assert_int_equal(orc->budget.used_bytes, 0);
    weir_batch_free(&orc->batch);
    weir_arena_free(&orc->arena);
}

static inline void open_orc_fixture(orc_file *orc, const char *path, const char *fields)
{
    weir_error err;
    weir_file *file = NULL;
    check_ok(weir_fs_open_file(weir_fs_local(), path, &file, &err), &err);
    check_ok(open_orc(orc, file, fields, INT64_MAX, &err), &err);
}

/* Fills the batch with rows first .. first + count - 1. */
static inline int read_orc(orc_file *orc, int64_t first, int64_t count, weir_error *err)
{
    weir_batch_clear(&orc->batch);
    for (int32_t i = 0; i < orc->row->field_count; i++) {
        WEIR_TRY(orc->reader->ops->read(orc->reader, i, first, count, &orc->batch.columns[i], err));
    }
    orc->batch.length = count;
    return WEIR_OK;
}

/* A row of the batch as JSON. */
static inline void orc_line(const orc_file *orc, int64_t row, weir_buffer *out)
{
    for (int32_t i = 0; i < orc->batch.column_count; i++) {
        weir_buffer_append_text(out, i == 0 ? "[" : ",");
        weir_value_to_json(&orc->batch.columns[i], row, out);
    }
    weir_buffer_append_text(out, "]\n");
}

#endif
