/* The ORC reader on files that Java Paimon wrote, whole, in pieces, and damaged. */
#include "orc_fixture.h"

static void check_lines(orc_file *orc, const char *wanted)
{
    weir_error err;
    weir_buffer found = {0};
    check_ok(read_orc(orc, 0, orc->reader->row_count, &err), &err);
    for (int64_t row = 0; row < orc->reader->row_count; row++) {
        orc_line(orc, row, &found);
    }
    assert_string_equal(weir_buffer_text(&found), wanted);
    weir_buffer_free(&found);
}

static void every_type_reads_as_in_java(void **state)
{
    (void)state;
    weir_error err;
    orc_file orc;
    weir_buffer wanted = {0};
    check_ok(weir_fs_read_all(weir_fs_local(), "tests/format/fixtures/types-orc.jsonl", &wanted, &err), &err);
    open_orc_fixture(&orc, "tests/format/fixtures/types.orc", TYPES_FIELDS);
    check_lines(&orc, weir_buffer_text(&wanted));
    close_orc(&orc);
    weir_buffer_free(&wanted);
}

static void nested_columns_have_nulls_at_every_depth(void **state)
{
    (void)state;
    orc_file orc;
    open_orc_fixture(&orc, "tests/format/fixtures/nested.orc", NESTED_FIELDS);
    check_lines(&orc,
                "[1,[1,null,3],[\"a\",null,\"\"],[[\"k1\",1],[\"k2\",null]],[[1,[\"x\",\"y\"]],[2,[]],[3,null]],[1,"
                "\"y\",\"1.50\"],[[1,[\"s\",\"2024-01-01 00:00:00.123\"]],null,[null,null]],[[1,2],[[\"k\",[5]],"
                "[\"n\",null]]],[[1,2],[],null,[null]]]\n"
                "[2,[],[],[],[],[null,null,null],[],[[],[]],[]]\n"
                "[3,null,null,null,null,null,null,null,null]\n"
                "[4,[7],[\"é\"],[[\"\",0]],[[-1,[null]]],[9,null,\"-0.01\"],[[2,[null,null]]],[null,null],"
                "[[9223372036854775807]]]\n");
    close_orc(&orc);
}

static void columns_and_members_come_in_any_order_and_number(void **state)
{
    (void)state;
    orc_file orc;
    open_orc_fixture(&orc, "tests/format/fixtures/nested.orc", "r ROW<z DECIMAL(10, 2), x INT>, id INT");
    check_lines(&orc, "[[\"1.50\",1],1]\n"
                      "[[null,null],2]\n"
                      "[null,3]\n"
                      "[[\"-0.01\",9],4]\n");
    close_orc(&orc);
}

#define ZONE_FIELDS                                                                                                    \
    "id INT, ts3 TIMESTAMP(3), ts9 TIMESTAMP(9), ltz3 TIMESTAMP(3) WITH LOCAL TIME ZONE, "                             \
    "ltz6 TIMESTAMP(6) WITH LOCAL TIME ZONE"

/* Both files were written in Asia/Shanghai; that zone has local mean time before 1901, which Java does not know. */
static void timestamps_are_those_of_the_writers_zone(void **state)
{
    (void)state;
    static const char wanted[] =
        "[0,\"2024-07-01 12:00:00.123\",\"2024-07-01 12:00:00.123456789\",\"2024-07-01 12:00:00.123Z\","
        "\"2024-07-01 12:00:00.123456Z\"]\n"
        "[1,\"1969-12-31 20:00:00.500\",\"1969-12-31 20:00:00.500456789\",\"1969-12-31 20:00:00.500Z\","
        "\"1969-12-31 20:00:00.500456Z\"]\n"
        "[2,\"1950-06-01 00:00:00.001\",\"1950-06-01 00:00:00.001456789\",\"1950-06-01 00:00:00.001Z\","
        "\"1950-06-01 00:00:00.001456Z\"]\n"
        "[3,\"2024-03-10 02:30:00.000\",\"2024-03-10 02:30:00.000456789\",\"2024-03-10 02:30:00.000Z\","
        "\"2024-03-10 02:30:00.000456Z\"]\n"
        "[4,\"2024-11-03 01:30:00.000\",\"2024-11-03 01:30:00.000456789\",\"2024-11-03 01:30:00.000Z\","
        "\"2024-11-03 01:30:00.000456Z\"]\n"
        "[5,\"2015-01-01 00:00:00.000\",\"2015-01-01 00:00:00.000456789\",\"2015-01-01 00:00:00.000Z\","
        "\"2015-01-01 00:00:00.000456Z\"]\n"
        "[6,\"1900-01-01 00:00:00.000\",\"1900-01-01 00:00:00.000456789\",\"1900-01-01 00:00:00.000Z\","
        "\"1900-01-01 00:00:00.000456Z\"]\n";
    static const char *const paths[] = {"tests/format/fixtures/zone-legacy.orc",
                                        "tests/format/fixtures/zone-instants.orc"};
    for (int32_t i = 0; i < 2; i++) {
        weir_error err;
        orc_file orc;
        weir_file *file = NULL;
        weir_format_read_options options = {.instants_are_true = i == 1};
        check_ok(weir_fs_open_file(weir_fs_local(), paths[i], &file, &err), &err);
        check_ok(open_orc_with(&orc, file, ZONE_FIELDS, &options, INT64_MAX, &err), &err);
        check_lines(&orc, wanted);
        close_orc(&orc);
    }
}

/* ---- stripes ---- */

typedef struct prune_case {
    weir_predicate_kind kind;
    int32_t column;
    const char *literal; /* NULL: the predicate has none */
    int64_t first_stripe;
    int64_t stripes;
} prune_case;

/* Three stripes of 1024 rows: ids ascending; s k00 to k02, NULL, k20 to k22; dt 2010, 2011, 2012; d half the id. */
#define STRIPE_ROWS 1024

static const prune_case prune_cases[] = {
    {WEIR_PREDICATE_EQUAL, 0, "1500", 1, 1},
    {WEIR_PREDICATE_GREATER, 0, "1023", 1, 2},
    {WEIR_PREDICATE_GREATER, 0, "3071", 0, 0},
    {WEIR_PREDICATE_LESS, 0, "1024", 0, 1},
    {WEIR_PREDICATE_EQUAL, 1, "k01", 0, 1},
    {WEIR_PREDICATE_GREATER, 1, "k1", 2, 1},
    {WEIR_PREDICATE_IS_NULL, 1, NULL, 1, 1},
    {WEIR_PREDICATE_EQUAL, 2, "2011-01-01", 1, 1},
    {WEIR_PREDICATE_IS_NOT_NULL, 2, NULL, 0, 3},
    {WEIR_PREDICATE_LESS, 3, "-1", 0, 3}, /* bounds of floating-point numbers are not trusted */
};

static void stripes_that_cannot_match_are_left_out(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof prune_cases / sizeof *prune_cases; i++) {
        const prune_case *wanted = &prune_cases[i];
        weir_error err;
        orc_file orc;
        weir_literal literal = {0};
        weir_row_ranges ranges = {0};
        open_orc_fixture(&orc, "tests/format/fixtures/stripes.orc", STRIPES_FIELDS);
        const weir_type *type = orc.row->fields[wanted->column].type;
        if (wanted->literal != NULL) {
            check_ok(weir_literal_parse(type, weir_slice_text(wanted->literal), &orc.arena, &literal, &err), &err);
        }
        const weir_predicate *predicate = weir_predicate_leaf(&orc.arena, wanted->kind, wanted->column, type, &literal,
                                                              wanted->literal == NULL ? 0 : 1);
        check_ok(orc.reader->ops->prune(orc.reader, predicate, &ranges, &err), &err);
        assert_int_equal(orc.reader->row_groups, 3);
        assert_int_equal(orc.reader->row_groups_kept, wanted->stripes);
        assert_int_equal(ranges.count, wanted->stripes > 0);
        if (wanted->stripes > 0) {
            assert_int_equal(ranges.ranges[0].first, wanted->first_stripe * STRIPE_ROWS);
            assert_int_equal(ranges.ranges[0].count, wanted->stripes * STRIPE_ROWS);
        }
        weir_row_ranges_free(&ranges);
        close_orc(&orc);
    }
}

/* ---- records ---- */

#define ENTRY_FIELDS                                                                                                   \
    "_VERSION INT NOT NULL, _KIND INT NOT NULL, _PARTITION BYTES NOT NULL, _BUCKET INT NOT NULL, "                     \
    "later INT, _FILE ROW<_FILE_NAME STRING NOT NULL, _ROW_COUNT BIGINT NOT NULL, later ARRAY<INT>> NOT NULL"

/* Reads the bytes as records of ROW<fields>. */
static int read_records(weir_slice bytes, const char *fields, weir_arena *arena, weir_batch *out, weir_error *err)
{
    const weir_type *row = parse_type(arena, weir_arena_format(arena, "ROW<%s>", fields));
    weir_batch_init(out, row->fields, row->field_count);
    return weir_orc_read_all(bytes, "manifest.orc", row->fields, row->field_count, out, err);
}

static void records_lack_what_came_later_but_nothing_that_is_not_null(void **state)
{
    (void)state;
    weir_error err;
    weir_arena arena;
    weir_buffer bytes = {0};
    weir_batch batch;
    weir_arena_init(&arena);
    check_ok(weir_fs_read_all(weir_fs_local(), "tests/format/fixtures/manifest.orc", &bytes, &err), &err);
    check_ok(read_records(weir_buffer_slice(&bytes), ENTRY_FIELDS, &arena, &batch, &err), &err);
    assert_true(batch.length > 0);
    assert_int_equal(batch.columns[4].null_count, batch.length);
    assert_int_equal(batch.columns[5].null_count, 0);
    assert_int_equal(batch.columns[5].children[2].null_count, batch.length);
    weir_slice name = weir_vector_bytes(&batch.columns[5].children[0], 0);
    assert_memory_equal(name.data, "data-", 5);
    weir_batch_free(&batch);
    assert_int_equal(read_records(weir_buffer_slice(&bytes), "later INT NOT NULL", &arena, &batch, &err), WEIR_CORRUPT);
    assert_string_equal(err.message, "manifest.orc: the file has no column later");
    weir_batch_free(&batch);
    weir_buffer_free(&bytes);
    weir_arena_free(&arena);
}

/* Pieces, going back, and picked rows give what reading all at once gives. */
static void rows_read_in_any_order_are_the_same(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int32_t i = 0; i < ORC_FIXTURES; i++) {
        weir_error err;
        orc_file orc;
        orc_file other;
        open_orc_fixture(&orc, orc_fixtures[i].path, orc_fixtures[i].fields);
        open_orc_fixture(&other, orc_fixtures[i].path, orc_fixtures[i].fields);
        int64_t rows = orc.reader->row_count;
        check_ok(read_orc(&orc, 0, rows, &err), &err);
        for (int32_t round = 0; round < 50; round++) {
            int64_t first = (int64_t)random_below(&random, (uint64_t)rows);
            int64_t count = (int64_t)random_below(&random, (uint64_t)(rows - first)) + 1;
            uint32_t picks[] = {0, (uint32_t)count / 2, (uint32_t)count - 1};
            int64_t picked = count > 2 ? 3 : 1;
            check_ok(read_orc(&other, first, count, &err), &err);
            for (int32_t column = 0; column < orc.row->field_count; column++) {
                check_ok(other.reader->ops->gather(other.reader, column, first, picks, picked,
                                                   &other.batch.columns[column], &err),
                         &err);
            }
            for (int64_t row = 0; row < count + picked; row++) {
                weir_buffer wanted = {0};
                weir_buffer found = {0};
                orc_line(&orc, first + (row < count ? row : picks[row - count]), &wanted);
                orc_line(&other, row, &found);
                assert_string_equal(weir_buffer_text(&found), weir_buffer_text(&wanted));
                weir_buffer_free(&wanted);
                weir_buffer_free(&found);
            }
        }
        close_orc(&orc);
        close_orc(&other);
    }
}

typedef struct refusal_case {
    const char *fields;
    int code;
    const char *message;
} refusal_case;

static const refusal_case refusal_cases[] = {
    {"x INT", WEIR_CORRUPT, "the file has no column x"},
    {"r ROW<w INT>", WEIR_CORRUPT, "the file has no column r.w"},
    {"a INT", WEIR_UNSUPPORTED, "column a is list in the file, which cannot be read as INT"},
    {"m MAP<STRING, ARRAY<INT>>", WEIR_UNSUPPORTED, "column m.value is int in the file"},
    {"id STRING", WEIR_UNSUPPORTED, "column id is int in the file"},
};

static void what_a_file_cannot_give_is_refused_by_its_column(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusal_cases / sizeof *refusal_cases; i++) {
        weir_error err;
        orc_file orc;
        weir_file *file = NULL;
        check_ok(weir_fs_open_file(weir_fs_local(), "tests/format/fixtures/nested.orc", &file, &err), &err);
        assert_int_equal(open_orc(&orc, file, refusal_cases[i].fields, INT64_MAX, &err), refusal_cases[i].code);
        assert_non_null(strstr(err.message, "tests/format/fixtures/nested.orc: "));
        assert_non_null(strstr(err.message, refusal_cases[i].message));
        close_orc(&orc);
    }
}

static void a_budget_that_is_too_small_is_told(void **state)
{
    (void)state;
    weir_error err;
    orc_file orc;
    weir_file *file = NULL;
    check_ok(weir_fs_open_file(weir_fs_local(), "tests/format/fixtures/types.orc", &file, &err), &err);
    assert_int_equal(open_orc(&orc, file, TYPES_FIELDS, 8192, &err), WEIR_NO_MEMORY);
    close_orc(&orc);
}

/* ---- damage ---- */

static weir_file *file_of(weir_fs *fs, weir_slice bytes)
{
    weir_error err;
    weir_output *output = NULL;
    weir_file *file = NULL;
    check_ok(weir_fs_remove(fs, "/f.orc", &err), &err);
    check_ok(weir_fs_create(fs, "/f.orc", &output, &err), &err);
    check_ok(weir_output_write(output, bytes.data, bytes.size, &err), &err);
    check_ok(weir_output_finish(output, false, &err), &err);
    check_ok(weir_fs_open_file(fs, "/f.orc", &file, &err), &err);
    return file;
}

/* Reads what the bytes give: rows, or an error that names the file. */
static void read_damaged(weir_fs *fs, weir_slice bytes, const char *fields)
{
    weir_error err;
    orc_file orc;
    int code = open_orc(&orc, file_of(fs, bytes), fields, 64 << 20, &err);
    if (code == WEIR_OK && orc.reader->row_count > 0) {
        int64_t rows = orc.reader->row_count < 1000 ? orc.reader->row_count : 1000;
        uint32_t last = (uint32_t)rows - 1;
        weir_row_ranges ranges = {0};
        const weir_type *type = orc.row->fields[0].type;
        code = orc.reader->ops->prune(
            orc.reader, weir_predicate_leaf(&orc.arena, WEIR_PREDICATE_IS_NOT_NULL, 0, type, NULL, 0), &ranges, &err);
        weir_row_ranges_free(&ranges);
        code = code == WEIR_OK ? read_orc(&orc, 0, rows, &err) : code;
        for (int32_t i = 0; i < orc.row->field_count && code == WEIR_OK; i++) {
            code = orc.reader->ops->gather(orc.reader, i, 0, &last, 1, &orc.batch.columns[i], &err);
        }
    }
    if (code != WEIR_OK && code != WEIR_NO_MEMORY) {
        assert_true(code == WEIR_CORRUPT || code == WEIR_UNSUPPORTED);
        assert_non_null(strstr(err.message, "/f.orc: "));
    }
    close_orc(&orc);
}

static void files_cut_off_anywhere_are_told(void **state)
{
    (void)state;
    weir_fs *fs = weir_fs_memory();
    for (int32_t i = 0; i < ORC_FIXTURES; i++) {
        weir_error err;
        weir_buffer bytes = {0};
        check_ok(weir_fs_read_all(weir_fs_local(), orc_fixtures[i].path, &bytes, &err), &err);
        for (size_t size = 0; size < bytes.size; size += 3) {
            orc_file orc;
            int code =
                open_orc(&orc, file_of(fs, weir_slice_of(bytes.data, size)), orc_fixtures[i].fields, INT64_MAX, &err);
            assert_true(code == WEIR_CORRUPT || code == WEIR_UNSUPPORTED);
            close_orc(&orc);
        }
        weir_buffer_free(&bytes);
    }
    weir_fs_close(fs);
}

/* Mostly one to four bytes changed, anywhere or, where lengths and offsets are, near the end. */
static void damage(weir_buffer *bytes, random_state *random)
{
    uint64_t changes = random_below(random, 4) + 1;
    for (uint64_t i = 0; i < changes; i++) {
        bool is_near_end = random_below(random, 2) == 0;
        size_t back = (size_t)random_below(random, is_near_end && bytes->size > 700 ? 700 : bytes->size);
        uint8_t *byte = &bytes->data[bytes->size - 1 - back];
        switch (random_below(random, 3)) {
        case 0:
            *byte ^= (uint8_t)(1u << random_below(random, 8));
            break;
        case 1:
            *byte = (uint8_t)random_next(random);
            break;
        default:
            *byte = random_below(random, 2) == 0 ? 0xFF : 0;
            break;
        }
    }
}

static void damaged_files_give_rows_or_an_error(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_fs *fs = weir_fs_memory();
    for (int32_t i = 0; i < ORC_FIXTURES; i++) {
        weir_error err;
        weir_buffer whole = {0};
        check_ok(weir_fs_read_all(weir_fs_local(), orc_fixtures[i].path, &whole, &err), &err);
        for (int32_t round = 0; round < 3000; round++) {
            weir_buffer bytes = {0};
            weir_buffer_append(&bytes, whole.data, whole.size);
            damage(&bytes, &random);
            read_damaged(fs, weir_buffer_slice(&bytes), orc_fixtures[i].fields);
            weir_buffer_free(&bytes);
        }
        weir_buffer_free(&whole);
    }
    weir_fs_close(fs);
}

static void damaged_records_give_rows_or_an_error(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer whole = {0};
    random_state random = random_start();
    check_ok(weir_fs_read_all(weir_fs_local(), "tests/format/fixtures/manifest.orc", &whole, &err), &err);
    for (int32_t round = 0; round < 3000; round++) {
        weir_arena arena;
        weir_batch batch;
        weir_buffer bytes = {0};
        weir_arena_init(&arena);
        weir_buffer_append(&bytes, whole.data, whole.size);
        damage(&bytes, &random);
        int code = read_records(weir_buffer_slice(&bytes), ENTRY_FIELDS, &arena, &batch, &err);
        assert_true(code == WEIR_OK || code == WEIR_CORRUPT || code == WEIR_UNSUPPORTED);
        assert_true(code == WEIR_OK || strstr(err.message, "manifest.orc: ") != NULL);
        weir_batch_free(&batch);
        weir_buffer_free(&bytes);
        weir_arena_free(&arena);
    }
    weir_buffer_free(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_reads_as_in_java),
        cmocka_unit_test(nested_columns_have_nulls_at_every_depth),
        cmocka_unit_test(columns_and_members_come_in_any_order_and_number),
        cmocka_unit_test(timestamps_are_those_of_the_writers_zone),
        cmocka_unit_test(stripes_that_cannot_match_are_left_out),
        cmocka_unit_test(records_lack_what_came_later_but_nothing_that_is_not_null),
        cmocka_unit_test(rows_read_in_any_order_are_the_same),
        cmocka_unit_test(what_a_file_cannot_give_is_refused_by_its_column),
        cmocka_unit_test(a_budget_that_is_too_small_is_told),
        cmocka_unit_test(files_cut_off_anywhere_are_told),
        cmocka_unit_test(damaged_files_give_rows_or_an_error),
        cmocka_unit_test(damaged_records_give_rows_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
