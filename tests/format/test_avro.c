/* Avro container files: those that Java wrote, and the way there and back. */
#include "avro_fixture.h"

/* ---- files that Java wrote ---- */

/* One row of a batch as a JSON array, columns from `first` on. */
static void row_to_json(const weir_batch *batch, int32_t first, int64_t row, weir_buffer *out)
{
    weir_buffer_append_byte(out, '[');
    for (int32_t column = first; column < batch->column_count; column++) {
        if (column > first) {
            weir_buffer_append_byte(out, ',');
        }
        weir_value_to_json(&batch->columns[column], row, out);
    }
    weir_buffer_append_byte(out, ']');
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Rows as the lines of expected.jsonl, sorted. */
static void check_lines(const char *table, const weir_batch *batch, int32_t first_column)
{
    weir_buffer text = {0};
    char **lines = weir_alloc_zeroed((size_t)batch->length + 1, sizeof *lines);
    assert_true(golden_read(golden_path(table, "expected.jsonl"), &text));
    for (int64_t row = 0; row < batch->length; row++) {
        weir_buffer line = {0};
        row_to_json(batch, first_column, row, &line);
        lines[row] = weir_strdup(weir_buffer_text(&line));
        weir_buffer_free(&line);
    }
    qsort(lines, (size_t)batch->length, sizeof *lines, compare_lines);
    int64_t row = 0;
    for (char *line = strtok((char *)(uintptr_t)weir_buffer_text(&text), "\n"); line != NULL;
         line = strtok(NULL, "\n")) {
        assert_true(row < batch->length);
        assert_string_equal(lines[row], line);
        free(lines[row++]);
    }
    assert_int_equal(row, batch->length);
    free(lines);
    weir_buffer_free(&text);
}

static void files_of_java_read_as_java_reads_them(void **state)
{
    (void)state;
    static const char *const tables[] = {"types-avro-append", "nested-avro-append", "multiset-avro"};
    for (size_t i = 0; golden_available() && i < sizeof tables / sizeof *tables; i++) {
        weir_error err;
        weir_arena arena;
        weir_batch batch;
        weir_buffer bytes = {0};
        int32_t count;
        weir_arena_init(&arena);
        const weir_field *fields = golden_fields(tables[i], "table/schema/schema-0", &arena, &count);
        weir_batch_init(&batch, fields, count);
        assert_true(golden_read(golden_file(tables[i], "data-"), &bytes));
        check_ok(weir_avro_read_all(weir_buffer_slice(&bytes), tables[i], fields, count, &batch, &err), &err);
        check_lines(tables[i], &batch, strcmp(fields[0].name, "_KEY_id") == 0 ? 3 : 0);
        weir_batch_free(&batch);
        weir_buffer_free(&bytes);
        weir_arena_free(&arena);
    }
}

typedef struct codec_case {
    const weir_field *fields;
    int32_t count;
    weir_batch batch;
} codec_case;

static void read_file_of_case(const char *path, void *context)
{
    codec_case *self = context;
    weir_error err;
    weir_buffer bytes = {0};
    assert_true(golden_read(path, &bytes));
    check_ok(weir_avro_read_all(weir_buffer_slice(&bytes), path, self->fields, self->count, &self->batch, &err), &err);
    weir_buffer_free(&bytes);
}

static void every_codec_of_java_is_read(void **state)
{
    (void)state;
    static const char *const tables[] = {"fmt-avro-null", "fmt-avro-snappy", "fmt-avro-bzip2", "fmt-avro-zstd"};
    for (size_t i = 0; golden_available() && i < sizeof tables / sizeof *tables; i++) {
        weir_arena arena;
        codec_case self;
        weir_arena_init(&arena);
        self.fields = golden_fields(tables[i], "table/schema/schema-0", &arena, &self.count);
        weir_batch_init(&self.batch, self.fields, self.count);
        golden_walk(golden_path(tables[i], "table"), "data-", read_file_of_case, &self);
        assert_int_equal(self.batch.length, 850); /* 600 rows, 250 of them written twice */
        weir_batch_free(&self.batch);
        weir_arena_free(&arena);
    }
}

/* The text of avro.schema in a file's header. */
static weir_slice schema_text(weir_slice bytes)
{
    static const char key[] = "avro.schema";
    const uint8_t *found = memmem(bytes.data, bytes.size, key, sizeof key - 1);
    assert_non_null(found);
    const uint8_t *next = found + sizeof key - 1;
    uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
        size |= (uint64_t)(*next & 0x7F) << shift;
        if (*next++ < 0x80) {
            break;
        }
    }
    return weir_slice_of(next, (size_t)(size >> 1));
}

static void the_schema_is_written_as_java_writes_it(void **state)
{
    (void)state;
    static const char *const tables[] = {"types-avro-append", "types-avro-pk", "nested-avro-append", "multiset-avro",
                                         "fmt-avro-zstd"};
    for (size_t i = 0; golden_available() && i < sizeof tables / sizeof *tables; i++) {
        weir_error err;
        weir_arena arena;
        weir_buffer bytes = {0};
        weir_buffer written = {0};
        int32_t count;
        weir_arena_init(&arena);
        const weir_field *fields = golden_fields(tables[i], "table/schema/schema-0", &arena, &count);
        assert_true(golden_read(golden_file(tables[i], "data-"), &bytes));
        weir_slice theirs = schema_text(weir_buffer_slice(&bytes));
        check_ok(weir_avro_schema_write(fields, count, tables[i], &written, &err), &err);
        assert_string_equal(weir_buffer_text(&written),
                            weir_arena_strndup(&arena, (const char *)theirs.data, theirs.size));
        weir_buffer_free(&written);
        weir_buffer_free(&bytes);
        weir_arena_free(&arena);
    }
}

/* ---- there and back ---- */

#define ALL_TYPES                                                                                                      \
    "BOOLEAN, TINYINT, SMALLINT NOT NULL, INT, BIGINT NOT NULL, FLOAT, DOUBLE, DECIMAL(9, 2), DECIMAL(38, 10) NOT "    \
    "NULL, "                                                                                                           \
    "CHAR(5), STRING NOT NULL, STRING, BYTES, DATE, TIME(3), TIMESTAMP(3), TIMESTAMP(6) NOT NULL, "                    \
    "TIMESTAMP(0) WITH LOCAL TIME ZONE, TIMESTAMP(6) WITH LOCAL TIME ZONE, ARRAY<INT>, ARRAY<STRING NOT NULL>, "       \
    "MAP<STRING NOT NULL, BIGINT>, MAP<INT, ARRAY<DOUBLE>>, MULTISET<STRING NOT NULL>, MULTISET<INT>, "                \
    "ROW<a INT, b ROW<c STRING, d DECIMAL(20, 3)> NOT NULL>, ARRAY<ROW<x INT NOT NULL, y MAP<STRING NOT NULL, DATE>>>"

static void every_type_comes_back_through_every_codec(void **state)
{
    (void)state;
    static const char *const codecs[] = {"null", "zstandard", "zstd", "snappy", "deflate", "bzip2", "none"};
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows, ALL_TYPES);
    rows_add_random(&rows, &random, 700);
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        weir_error err;
        weir_batch back;
        weir_buffer file = {0};
        weir_batch_init(&back, rows.fields, rows.column_count);
        check_ok(weir_avro_write_all(&rows.batch, rows.fields, rows.column_count, codecs[i], 0, &file, &err), &err);
        check_ok(weir_avro_read_all(weir_buffer_slice(&file), codecs[i], rows.fields, rows.column_count, &back, &err),
                 &err);
        check_same_rows(&rows.batch, &back);
        weir_batch_free(&back);
        weir_buffer_free(&file);
    }
    rows_free(&rows);
}

static bool is_even(void *context, const weir_vector *columns, int64_t row)
{
    (*(int *)context)++;
    return WEIR_VALUES(&columns[0], int64_t)[row] % 2 == 0;
}

/* Reads rows 0, 1, 2 … of a file with a choice of even ones; returns how many came. */
static int64_t read_even(const test_rows *rows, const weir_field *fields, int32_t leading, int *asked)
{
    weir_error err;
    weir_batch back;
    weir_buffer file = {0};
    weir_avro_choice choice = {.leading = leading, .keeps = is_even, .context = asked};
    *asked = 0;
    weir_batch_init(&back, fields, rows->column_count);
    check_ok(weir_avro_write_all(&rows->batch, rows->fields, rows->column_count, "zstd", 1, &file, &err), &err);
    check_ok(weir_avro_read_chosen(weir_buffer_slice(&file), "f", fields, rows->column_count, &choice, &back, &err),
             &err);
    int64_t length = back.length;
    for (int32_t c = 0; c < back.column_count; c++) {
        assert_int_equal(back.columns[c].length, length);
    }
    for (int64_t i = 0; *asked > 0 && i < length; i++) {
        assert_int_equal(WEIR_VALUES(&back.columns[0], int64_t)[i], 2 * i);
        assert_int_equal(weir_vector_bytes(&back.columns[1], i).size, 2 * i % 7);
        assert_int_equal(weir_vector_is_null(&back.columns[2], i), i % 2 == 0);
    }
    weir_buffer_free(&file);
    weir_batch_free(&back);
    return length;
}

static void records_are_left_out_by_their_first_fields(void **state)
{
    (void)state;
    int asked;
    test_rows rows;
    rows_start(&rows, "BIGINT NOT NULL, BYTES NOT NULL, INT, ARRAY<INT>");
    for (int i = 0; i < 1000; i++) {
        char row[64];
        snprintf(row, sizeof row, "[[%d, \"%.*s\", %s, [%d, null]]]", i, 2 * (i % 7), "00112233445566",
                 i % 4 == 0 ? "null" : "7", i);
        rows_add(&rows, row);
    }
    assert_int_equal(read_even(&rows, rows.fields, 1, &asked), 500);
    assert_int_equal(asked, 1000);
    assert_int_equal(read_even(&rows, rows.fields, 2, &asked), 500);
    assert_int_equal(read_even(&rows, rows.fields, 3, &asked), 1000); /* the third may be NULL: no choice is made */
    assert_int_equal(asked, 0);
    weir_field swapped[4] = {rows.fields[1], rows.fields[0], rows.fields[2], rows.fields[3]};
    assert_int_equal(read_even(&rows, swapped, 1, &asked), 1000); /* the file begins with another field */
    rows_free(&rows);
}

static void no_rows_make_a_file_without_blocks(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer file = {0};
    test_rows rows;
    rows_start(&rows, "INT, STRING");
    check_ok(weir_avro_write_all(&rows.batch, rows.fields, 2, "zstd", 0, &file, &err), &err);
    check_ok(weir_avro_read_all(weir_buffer_slice(&file), "empty", rows.fields, 2, &rows.batch, &err), &err);
    assert_int_equal(rows.batch.length, 0);
    weir_buffer_free(&file);
    rows_free(&rows);
}

static void what_avro_cannot_hold_is_refused_before_the_file_begins(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        int code;
    } cases[] = {
        {"a TIMESTAMP(9)", WEIR_UNSUPPORTED},
        {"a TIME(9)", WEIR_UNSUPPORTED},
        {"`two words` INT", WEIR_UNSUPPORTED},
        {"`1st` INT", WEIR_UNSUPPORTED},
        {"a ROW<`b_c` ROW<x INT>>, `a_b` ROW<c ROW<x INT>>", WEIR_CORRUPT}, /* both would be record_a_b_c */
        {"`größe` INT", WEIR_OK},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_arena arena;
        weir_batch batch;
        weir_buffer file = {0};
        weir_arena_init(&arena);
        const weir_type *row = parse_fields(&arena, cases[i].fields);
        weir_batch_init(&batch, row->fields, row->field_count);
        int code = weir_avro_write_all(&batch, row->fields, row->field_count, "null", 0, &file, &err);
        assert_int_equal(code, cases[i].code);
        assert_true(code == WEIR_OK || file.size == 0);
        weir_buffer_free(&file);
        weir_batch_free(&batch);
        weir_arena_free(&arena);
    }
}

static void an_unknown_codec_names_those_there_are(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer file = {0};
    test_rows rows;
    rows_start(&rows, "INT");
    assert_int_equal(weir_avro_write_all(&rows.batch, rows.fields, 1, "xz", 0, &file, &err), WEIR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "zstandard"));
    weir_buffer_free(&file);
    rows_free(&rows);
}

/* ---- damage ---- */

static void no_damaged_file_does_harm(void **state)
{
    (void)state;
    random_state random = random_start();
    test_rows rows;
    rows_start(&rows,
               "INT, STRING, ARRAY<ROW<a INT, b DECIMAL(20, 3)>>, MAP<STRING NOT NULL, BIGINT>, DOUBLE NOT NULL");
    rows_add_random(&rows, &random, 20);
    weir_error err;
    weir_buffer file = {0};
    check_ok(weir_avro_write_all(&rows.batch, rows.fields, rows.column_count, "null", 0, &file, &err), &err);
    for (int round = 0; round < 3000; round++) {
        weir_batch back;
        weir_batch_init(&back, rows.fields, rows.column_count);
        size_t size = round % 2 == 0 ? random_below(&random, file.size) : file.size;
        uint8_t *bytes = weir_alloc(size);
        memcpy(bytes, file.data, size);
        for (uint64_t flips = random_below(&random, 4); flips > 0 && size > 0; flips--) {
            bytes[random_below(&random, size)] ^= (uint8_t)(1u << random_below(&random, 8));
        }
        int code =
            weir_avro_read_all(weir_slice_of(bytes, size), "damaged", rows.fields, rows.column_count, &back, &err);
        assert_true(code == WEIR_OK || code == WEIR_CORRUPT || code == WEIR_UNSUPPORTED);
        free(bytes);
        weir_batch_free(&back);
    }
    weir_buffer_free(&file);
    rows_free(&rows);
}

static void a_snappy_block_with_a_wrong_checksum_is_corrupt(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer file = {0};
    test_rows rows;
    rows_start(&rows, "INT");
    rows_add(&rows, "[[1], [2], [3]]");
    check_ok(weir_avro_write_all(&rows.batch, rows.fields, 1, "snappy", 0, &file, &err), &err);
    file.data[file.size - 17] ^= 1;
    assert_int_equal(weir_avro_read_all(weir_buffer_slice(&file), "f", rows.fields, 1, &rows.batch, &err),
                     WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "checksum"));
    weir_buffer_free(&file);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_java_read_as_java_reads_them),
        cmocka_unit_test(every_codec_of_java_is_read),
        cmocka_unit_test(the_schema_is_written_as_java_writes_it),
        cmocka_unit_test(every_type_comes_back_through_every_codec),
        cmocka_unit_test(records_are_left_out_by_their_first_fields),
        cmocka_unit_test(no_rows_make_a_file_without_blocks),
        cmocka_unit_test(what_avro_cannot_hold_is_refused_before_the_file_begins),
        cmocka_unit_test(an_unknown_codec_names_those_there_are),
        cmocka_unit_test(no_damaged_file_does_harm),
        cmocka_unit_test(a_snappy_block_with_a_wrong_checksum_is_corrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
