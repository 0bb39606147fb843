/* Which rows pruning leaves out, and that it never leaves out one that matches. */
#include "parquet_files.h"
#include "parquet_fixture.h"

#define ROWS      100
#define PAGE_ROWS 10

/* Fixtures whose columns are not nested, with and without page indexes and statistics. */
static const char *const flat_fixtures[] = {
    "flat-plain-v2-zstd-index.parquet",  "flat-dictionary-v1-snappy.parquet", "flat-split-v2-none-groups.parquet",
    "sparse-dictionary-v1-none.parquet", "sparse-delta-v2-none.parquet",      "old-dictionary.parquet",
};

static bool in_ranges(const weir_row_ranges *ranges, int64_t row)
{
    for (size_t i = 0; i < ranges->count; i++) {
        if (row >= ranges->ranges[i].first && row < ranges->ranges[i].first + ranges->ranges[i].count) {
            return true;
        }
    }
    return false;
}

static const weir_predicate *random_leaf(weir_arena *arena, const weir_batch *batch, random_state *random)
{
    static const weir_predicate_kind kinds[] = {
        WEIR_PREDICATE_EQUAL,   WEIR_PREDICATE_NOT_EQUAL,        WEIR_PREDICATE_LESS,    WEIR_PREDICATE_LESS_OR_EQUAL,
        WEIR_PREDICATE_GREATER, WEIR_PREDICATE_GREATER_OR_EQUAL, WEIR_PREDICATE_IS_NULL, WEIR_PREDICATE_IS_NOT_NULL,
    };
    int32_t column = (int32_t)random_below(random, (uint64_t)batch->column_count);
    const weir_vector *values = &batch->columns[column];
    int64_t row = (int64_t)random_below(random, (uint64_t)batch->length);
    weir_predicate_kind kind = kinds[random_below(random, 8)];
    if (weir_vector_is_null(values, row)) {
        kind = random_below(random, 2) == 0 ? WEIR_PREDICATE_IS_NULL : WEIR_PREDICATE_IS_NOT_NULL;
    }
    weir_literal literal = weir_literal_of(values, row);
    bool with_literal = kind != WEIR_PREDICATE_IS_NULL && kind != WEIR_PREDICATE_IS_NOT_NULL;
    return weir_predicate_leaf(arena, kind, column, values->type, &literal, with_literal ? 1 : 0);
}

static void no_matching_row_is_left_out(void **state)
{
    (void)state;
    random_state random = random_start();
    for (size_t i = 0; i < sizeof flat_fixtures / sizeof *flat_fixtures; i++) {
        open_file file;
        uint32_t rows[ROWS];
        open_path(&file, fixture_path(flat_fixtures[i]));
        read_rows_of(&file, 0, file.reader->row_count);
        for (int round = 0; round < 400; round++) {
            weir_error err = {0};
            weir_row_ranges ranges = {0};
            const weir_predicate *leaves[2];
            leaves[0] = random_leaf(&file.arena, &file.batch, &random);
            leaves[1] = random_leaf(&file.arena, &file.batch, &random);
            const weir_predicate *predicate =
                weir_predicate_combine(&file.arena, round % 2 == 0 ? WEIR_PREDICATE_AND : WEIR_PREDICATE_OR, leaves, 2);
            check_ok(file.reader->ops->prune(file.reader, predicate, &ranges, &err), &err);
            int64_t count = weir_predicate_select(predicate, &file.batch, rows);
            for (int64_t row = 0; row < count; row++) {
                if (!in_ranges(&ranges, rows[row])) {
                    fail_msg("%s: row %u matches column %d, kind %d (and column %d, kind %d), but is left out",
                             flat_fixtures[i], rows[row], leaves[0]->column, (int)leaves[0]->kind, leaves[1]->column,
                             (int)leaves[1]->kind);
                }
            }
            weir_row_ranges_free(&ranges);
        }
        close_parquet(&file);
    }
}

/* --- what is left out ----------------------------------------------------------------------------------------------
 */

/* Rows 0..99 in two row groups of 50 and pages of ten: their number, and a text that is null below 50. */
static void write_numbers(test_file *file, test_rows *rows)
{
    weir_error err;
    weir_format_write_options options = {.page_rows = PAGE_ROWS};
    rows_start(rows, "INT NOT NULL, STRING, ARRAY<INT>");
    for (int32_t i = 0; i < ROWS; i++) {
        weir_vector *columns = rows->batch.columns;
        char text[32];
        snprintf(text, sizeof text, "text-%03d", i);
        check_ok(weir_vector_append_raw(&columns[0], &i, sizeof i, &err), &err);
        if (i < 50) {
            check_ok(weir_vector_append_nulls(&columns[1], 1, &err), &err);
        } else {
            check_ok(weir_vector_append_raw(&columns[1], text, strlen(text), &err), &err);
        }
        check_ok(weir_vector_append_nulls(&columns[2], 1, &err), &err);
    }
    rows->batch.length = ROWS;
    file_start(file, rows, &options);
    for (int64_t first = 0; first < ROWS; first += 50) {
        for (int32_t column = 0; column < 3; column++) {
            file_append(file, column, first, 50);
        }
        file_flush(file);
    }
    file_finish(file);
}

typedef struct pruning_case {
    weir_predicate_kind kind;
    int32_t column;
    int64_t number;
    const char *text;
    const char *ranges;
} pruning_case;

static const pruning_case cases[] = {
    {WEIR_PREDICATE_EQUAL, 0, 42, NULL, "40+10"},
    {WEIR_PREDICATE_LESS, 0, 20, NULL, "0+20"},
    {WEIR_PREDICATE_LESS_OR_EQUAL, 0, 20, NULL, "0+30"},
    {WEIR_PREDICATE_GREATER_OR_EQUAL, 0, 45, NULL, "40+60"},
    {WEIR_PREDICATE_GREATER, 0, 99, NULL, ""},
    {WEIR_PREDICATE_NOT_EQUAL, 0, 5, NULL, "0+100"},
    {WEIR_PREDICATE_IS_NULL, 0, 0, NULL, ""},
    {WEIR_PREDICATE_IS_NULL, 1, 0, NULL, "0+50"},
    {WEIR_PREDICATE_IS_NOT_NULL, 1, 0, NULL, "50+50"},
    {WEIR_PREDICATE_EQUAL, 1, 0, "text-077", "70+10"},
    {WEIR_PREDICATE_STARTS_WITH, 1, 0, "text-06", "60+10"},
    {WEIR_PREDICATE_STARTS_WITH, 1, 0, "other", ""},
    {WEIR_PREDICATE_IS_NOT_NULL, 2, 0, NULL, "0+100"}, /* nothing is known of nested columns */
};

static const weir_predicate *predicate_of(const pruning_case *pruned, test_rows *rows)
{
    weir_literal literal = {.integer = pruned->number};
    if (pruned->text != NULL) {
        literal.bytes = weir_slice_text(pruned->text);
    }
    bool with_literal = pruned->kind != WEIR_PREDICATE_IS_NULL && pruned->kind != WEIR_PREDICATE_IS_NOT_NULL;
    return weir_predicate_leaf(&rows->arena, pruned->kind, pruned->column, rows->fields[pruned->column].type, &literal,
                               with_literal ? 1 : 0);
}

static void check_ranges(weir_format_reader *reader, const weir_predicate *predicate, const char *wanted)
{
    weir_error err;
    weir_row_ranges ranges = {0};
    weir_buffer text = {0};
    check_ok(reader->ops->prune(reader, predicate, &ranges, &err), &err);
    for (size_t i = 0; i < ranges.count; i++) {
        weir_buffer_append_format(&text, "%s%" PRId64 "+%" PRId64, i == 0 ? "" : " ", ranges.ranges[i].first,
                                  ranges.ranges[i].count);
    }
    assert_string_equal(weir_buffer_text(&text), wanted);
    weir_buffer_free(&text);
    weir_row_ranges_free(&ranges);
}

static void pages_and_row_groups_without_a_match_are_left_out(void **state)
{
    (void)state;
    test_rows rows;
    test_file file;
    write_numbers(&file, &rows);
    weir_format_reader *reader = file_open(&file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_ranges(reader, predicate_of(&cases[i], &rows), cases[i].ranges);
    }
    check_ranges(reader, NULL, "0+100");
    reader->ops->close(reader);
    file_free(&file);
    rows_free(&rows);
}

static void conjuncts_and_alternatives_are_weighed_together(void **state)
{
    (void)state;
    static const pruning_case low = {WEIR_PREDICATE_LESS, 0, 20, NULL, NULL};
    static const pruning_case high = {WEIR_PREDICATE_GREATER_OR_EQUAL, 0, 90, NULL, NULL};
    static const pruning_case text = {WEIR_PREDICATE_EQUAL, 1, 0, "text-063", NULL};
    test_rows rows;
    test_file file;
    write_numbers(&file, &rows);
    weir_format_reader *reader = file_open(&file);
    const weir_predicate *parts[] = {predicate_of(&low, &rows), predicate_of(&high, &rows), predicate_of(&text, &rows)};
    check_ranges(reader, weir_predicate_combine(&rows.arena, WEIR_PREDICATE_AND, parts, 2), "");
    check_ranges(reader, weir_predicate_combine(&rows.arena, WEIR_PREDICATE_OR, parts, 2), "0+20 90+10");
    check_ranges(reader, weir_predicate_combine(&rows.arena, WEIR_PREDICATE_OR, parts, 3), "0+20 60+10 90+10");
    check_ranges(reader, weir_predicate_combine(&rows.arena, WEIR_PREDICATE_AND, parts + 1, 2), "");
    reader->ops->close(reader);
    file_free(&file);
    rows_free(&rows);
}

static void a_column_that_is_not_requested_is_refused(void **state)
{
    (void)state;
    weir_error err;
    weir_row_ranges ranges = {0};
    test_rows rows;
    test_file file;
    write_numbers(&file, &rows);
    weir_format_reader *reader = file_open(&file);
    const weir_predicate *predicate =
        weir_predicate_leaf(&rows.arena, WEIR_PREDICATE_IS_NULL, 7, rows.fields[0].type, NULL, 0);
    assert_int_equal(reader->ops->prune(reader, predicate, &ranges, &err), WEIR_INVALID);
    reader->ops->close(reader);
    file_free(&file);
    rows_free(&rows);
}

static void neighbouring_ranges_become_one(void **state)
{
    (void)state;
    weir_row_ranges ranges = {0};
    weir_row_ranges_append(&ranges, 0, 0);
    weir_row_ranges_append(&ranges, 5, 5);
    weir_row_ranges_append(&ranges, 10, 1);
    weir_row_ranges_append(&ranges, 12, 3);
    assert_int_equal(ranges.count, 2);
    assert_int_equal(ranges.ranges[0].count, 6);
    assert_int_equal(ranges.ranges[1].first, 12);
    weir_row_ranges_free(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_matching_row_is_left_out),
        cmocka_unit_test(pages_and_row_groups_without_a_match_are_left_out),
        cmocka_unit_test(conjuncts_and_alternatives_are_weighed_together),
        cmocka_unit_test(a_column_that_is_not_requested_is_refused),
        cmocka_unit_test(neighbouring_ranges_become_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
