/* Predicates: rows against a model of three-valued logic, and statistics against rows. */
#include "vector/predicate.h"

#include "rows.h"
#include "vector/compare.h"

/* --- a model: a value at a time, with 1 true, 0 false, -1 unknown --- */

/* Comparing as SQL does: 0.0 and -0.0 are equal. */
static int model_compare(const weir_type *type, const weir_literal *a, const weir_literal *b)
{
    if ((type->id == WEIR_DOUBLE && a->float64 == b->float64) || (type->id == WEIR_FLOAT && a->float32 == b->float32)) {
        return 0;
    }
    return weir_literal_compare(type, a, b);
}

static int model_in(const weir_predicate *leaf, const weir_literal *value)
{
    int answer = 0;
    for (int32_t i = 0; i < leaf->literal_count; i++) {
        if (leaf->literals[i].is_null) {
            answer = answer == 1 ? 1 : -1;
        } else if (model_compare(leaf->type, value, &leaf->literals[i]) == 0) {
            answer = 1;
        }
    }
    return answer;
}

static int model_leaf(const weir_predicate *leaf, const weir_batch *batch, int64_t row)
{
    weir_literal value = weir_literal_of(&batch->columns[leaf->column], row);
    if (leaf->kind == WEIR_PREDICATE_IS_NULL || leaf->kind == WEIR_PREDICATE_IS_NOT_NULL) {
        return value.is_null == (leaf->kind == WEIR_PREDICATE_IS_NULL);
    }
    if (value.is_null) {
        return -1;
    }
    if (leaf->kind == WEIR_PREDICATE_IN) {
        return model_in(leaf, &value);
    }
    if (leaf->literals[0].is_null) {
        return -1;
    }
    if (leaf->kind == WEIR_PREDICATE_STARTS_WITH) {
        weir_slice prefix = leaf->literals[0].bytes;
        return value.bytes.size >= prefix.size && memcmp(value.bytes.data, prefix.data, prefix.size) == 0;
    }
    int order = model_compare(leaf->type, &value, &leaf->literals[0]);
    switch (leaf->kind) {
    case WEIR_PREDICATE_EQUAL:
        return order == 0;
    case WEIR_PREDICATE_NOT_EQUAL:
        return order != 0;
    case WEIR_PREDICATE_LESS:
        return order < 0;
    case WEIR_PREDICATE_LESS_OR_EQUAL:
        return order <= 0;
    case WEIR_PREDICATE_GREATER:
        return order > 0;
    default:
        return order >= 0;
    }
}

static int model(const weir_predicate *predicate, const weir_batch *batch, int64_t row)
{
    bool is_and = predicate->kind == WEIR_PREDICATE_AND;
    if (!is_and && predicate->kind != WEIR_PREDICATE_OR) {
        return model_leaf(predicate, batch, row);
    }
    int answer = is_and;
    for (int32_t i = 0; i < predicate->child_count; i++) {
        int of_child = model(predicate->children[i], batch, row);
        if (of_child == !is_and) {
            return of_child;
        }
        answer = of_child == -1 ? -1 : answer;
    }
    return answer;
}

/* --- random predicates --- */

/* A literal that rows have, or a random one. */
static weir_literal any_literal(random_state *random, const weir_vector *column, uint8_t *space)
{
    if (random_below(random, 12) == 0) {
        return (weir_literal){.is_null = true};
    }
    if (column->length > 0 && random_below(random, 3) > 0) {
        return weir_literal_of(column, (int64_t)random_below(random, (uint64_t)column->length));
    }
    return random_literal(random, column->type, space);
}

static const weir_predicate *random_leaf(random_state *random, test_rows *rows)
{
    int32_t column = (int32_t)random_below(random, (uint64_t)rows->column_count);
    const weir_type *type = rows->fields[column].type;
    bool has_prefixes = weir_type_is_text(type) || weir_type_is_bytes(type);
    weir_predicate_kind kind =
        (weir_predicate_kind)(WEIR_PREDICATE_EQUAL + random_below(random, has_prefixes ? 10 : 9));
    weir_literal literals[20];
    uint8_t space[20][64];
    int32_t count = kind == WEIR_PREDICATE_IN ? (int32_t)random_below(random, 20) : 1;
    for (int32_t i = 0; i < count; i++) {
        literals[i] = any_literal(random, &rows->batch.columns[column], space[i]);
    }
    if (kind == WEIR_PREDICATE_STARTS_WITH && !literals[0].is_null && literals[0].bytes.size > 3) {
        literals[0].bytes.size -= random_below(random, 4);
    }
    return weir_predicate_leaf(&rows->arena, kind, column, type, literals, count);
}

static const weir_predicate *random_predicate(random_state *random, test_rows *rows, int depth)
{
    if (depth == 0 || random_below(random, 3) == 0) {
        return random_leaf(random, rows);
    }
    const weir_predicate *children[3];
    int32_t count = 1 + (int32_t)random_below(random, 3);
    for (int32_t i = 0; i < count; i++) {
        children[i] = random_predicate(random, rows, depth - 1);
    }
    weir_predicate_kind kind = random_below(random, 2) ? WEIR_PREDICATE_AND : WEIR_PREDICATE_OR;
    return weir_predicate_combine(&rows->arena, kind, children, count);
}

static const char *const column_types[] = {
    "TINYINT, SMALLINT, INT, BIGINT NOT NULL, BOOLEAN",
    "FLOAT, DOUBLE, FLOAT NOT NULL",
    "DECIMAL(9,2), DECIMAL(30,2), DATE, TIME(3)",
    "TIMESTAMP(3), TIMESTAMP(6), TIMESTAMP(9), TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "STRING, BYTES, CHAR(5), STRING NOT NULL",
    "INT, STRING, DOUBLE, BIGINT"};

#define TYPES_COUNT (sizeof column_types / sizeof *column_types)

static void check_selection(const weir_predicate *predicate, const weir_batch *batch)
{
    uint32_t *selected = weir_alloc_zeroed((size_t)batch->length + 1, sizeof *selected);
    int64_t count = weir_predicate_select(predicate, batch, selected);
    int64_t next = 0;
    for (int64_t row = 0; row < batch->length; row++) {
        bool expected = model(predicate, batch, row) == 1;
        bool got = next < count && selected[next] == row;
        assert_int_equal(got, expected);
        next += got;
    }
    assert_int_equal(next, count);
    free(selected);
}

static void rows_are_selected_where_the_predicate_is_true(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 120; round++) {
        test_rows rows;
        rows_start(&rows, column_types[(size_t)round % TYPES_COUNT]);
        rows_add_random(&rows, &random, (int64_t)random_below(&random, 1300));
        for (int i = 0; i < 5; i++) {
            check_selection(random_predicate(&random, &rows, 3), &rows.batch);
        }
        rows_free(&rows);
    }
}

/* --- statistics --- */

static void statistics_of(const test_rows *rows, weir_column_stats *stats)
{
    for (int32_t i = 0; i < rows->column_count; i++) {
        stats[i] = (weir_column_stats){.row_count = rows->batch.length};
        weir_vector_min_max(&rows->batch.columns[i], 0, rows->batch.length, &stats[i].min, &stats[i].max,
                            &stats[i].has_min_max, &stats[i].null_count);
    }
}

/* Wider bounds and unknown counts, as files have them. */
static void blur(weir_column_stats *stats, const weir_type *type, random_state *random)
{
    if (random_below(random, 4) == 0) {
        stats->null_count = -1;
    }
    if (random_below(random, 4) == 0) {
        stats->row_count = -1;
    }
    if (random_below(random, 6) == 0) {
        stats->has_min_max = false;
    }
    if (stats->has_min_max && weir_type_is_text(type) && stats->min.bytes.size > 2 && random_below(random, 2)) {
        stats->min.bytes.size -= random_below(random, 3);
    }
}

static void a_file_with_matching_rows_is_never_left_out(void **state)
{
    (void)state;
    random_state random = random_start();
    int left_out = 0;
    for (int round = 0; round < 3000; round++) {
        test_rows rows;
        rows_start(&rows, column_types[(size_t)round % TYPES_COUNT]);
        rows_add_random(&rows, &random, (int64_t)random_below(&random, 4));
        weir_column_stats stats[MAX_TEST_COLUMNS];
        statistics_of(&rows, stats);
        for (int32_t i = 0; i < rows.column_count; i++) {
            blur(&stats[i], rows.fields[i].type, &random);
        }
        const weir_predicate *predicate = random_predicate(&random, &rows, 2);
        uint32_t selected[8];
        int64_t matching = weir_predicate_select(predicate, &rows.batch, selected);
        bool may = weir_predicate_may_match(predicate, stats);
        assert_true(may || matching == 0);
        left_out += !may;
        rows_free(&rows);
    }
    assert_true(left_out > 300); /* or the test says nothing */
}

/* One INT column with values 10 to 20, of 100 rows 5 NULL, where the case does not say otherwise. */
static void statistics_decide_as_far_as_they_can(void **state)
{
    (void)state;
    static const struct {
        weir_predicate_kind kind;
        int64_t literal;
        bool may;
    } cases[] = {
        {WEIR_PREDICATE_EQUAL, 9, false},
        {WEIR_PREDICATE_EQUAL, 10, true},
        {WEIR_PREDICATE_EQUAL, 20, true},
        {WEIR_PREDICATE_EQUAL, 21, false},
        {WEIR_PREDICATE_NOT_EQUAL, 10, true},
        {WEIR_PREDICATE_LESS, 10, false},
        {WEIR_PREDICATE_LESS, 11, true},
        {WEIR_PREDICATE_LESS_OR_EQUAL, 9, false},
        {WEIR_PREDICATE_LESS_OR_EQUAL, 10, true},
        {WEIR_PREDICATE_GREATER, 20, false},
        {WEIR_PREDICATE_GREATER, 19, true},
        {WEIR_PREDICATE_GREATER_OR_EQUAL, 20, true},
        {WEIR_PREDICATE_GREATER_OR_EQUAL, 21, false},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *type = weir_type_simple(WEIR_INT, true);
    weir_column_stats stats = {
        .has_min_max = true, .min = {.integer = 10}, .max = {.integer = 20}, .null_count = 5, .row_count = 100};
    weir_column_stats all_null = {.null_count = 100, .row_count = 100};
    weir_column_stats unknown = {.null_count = -1, .row_count = -1};
    weir_column_stats empty = {.null_count = 0, .row_count = 0};
    weir_column_stats constant = stats;
    constant.max.integer = 10;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_literal literal = {.integer = cases[i].literal};
        const weir_predicate *leaf = weir_predicate_leaf(&arena, cases[i].kind, 0, type, &literal, 1);
        assert_int_equal(weir_predicate_may_match(leaf, &stats), cases[i].may);
        assert_false(weir_predicate_may_match(leaf, &all_null));
        assert_true(weir_predicate_may_match(leaf, &unknown));
        assert_false(weir_predicate_may_match(leaf, &empty));
    }
    weir_literal ten = {.integer = 10};
    const weir_predicate *not_ten = weir_predicate_leaf(&arena, WEIR_PREDICATE_NOT_EQUAL, 0, type, &ten, 1);
    assert_false(weir_predicate_may_match(not_ten, &constant));
    const weir_predicate *is_null = weir_predicate_leaf(&arena, WEIR_PREDICATE_IS_NULL, 0, type, NULL, 0);
    const weir_predicate *is_not_null = weir_predicate_leaf(&arena, WEIR_PREDICATE_IS_NOT_NULL, 0, type, NULL, 0);
    assert_true(weir_predicate_may_match(is_null, &stats));
    assert_true(weir_predicate_may_match(is_not_null, &stats));
    assert_true(weir_predicate_may_match(is_null, &all_null));
    assert_false(weir_predicate_may_match(is_not_null, &all_null));
    assert_true(weir_predicate_may_match(is_null, &unknown));
    assert_true(weir_predicate_may_match(is_not_null, &unknown));
    stats.null_count = 0;
    assert_false(weir_predicate_may_match(is_null, &stats));
    assert_true(weir_predicate_may_match(NULL, &stats));
    weir_arena_free(&arena);
}

static void in_asks_for_the_first_literal_in_the_range(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *type = weir_type_simple(WEIR_BIGINT, true);
    weir_column_stats stats = {
        .has_min_max = true, .min = {.integer = 10}, .max = {.integer = 20}, .null_count = 0, .row_count = 9};
    weir_literal outside[] = {{.integer = 30}, {.integer = 5}, {.is_null = true}, {.integer = -1}};
    weir_literal inside[] = {{.integer = 30}, {.integer = 5}, {.integer = 15}};
    weir_literal only_null = {.is_null = true};
    assert_false(weir_predicate_may_match(weir_predicate_leaf(&arena, WEIR_PREDICATE_IN, 0, type, outside, 4), &stats));
    assert_true(weir_predicate_may_match(weir_predicate_leaf(&arena, WEIR_PREDICATE_IN, 0, type, inside, 3), &stats));
    assert_false(
        weir_predicate_may_match(weir_predicate_leaf(&arena, WEIR_PREDICATE_IN, 0, type, &only_null, 1), &stats));
    assert_false(weir_predicate_may_match(weir_predicate_leaf(&arena, WEIR_PREDICATE_IN, 0, type, NULL, 0), &stats));
    weir_arena_free(&arena);
}

/* Bounds cut to a few characters still bound: the max is cut upwards. */
static void prefixes_are_looked_for_between_cut_bounds(void **state)
{
    (void)state;
    static const struct {
        const char *min;
        const char *max;
        const char *prefix;
        bool may;
    } cases[] = {
        {"abc", "abd", "abc", true}, {"abc", "abd", "abcdef", true}, {"abc", "abd", "ab", true},
        {"abc", "abd", "ac", false}, {"abc", "abd", "aa", false},    {"abc", "abd", "", true},
        {"abcx", "zz", "abc", true}, {"b", "c", "a", false},         {"b", "c", "d", false},
        {"b", "c", "c", true},       {"b", "c", "cc", false},        {"abc", "abd", "abb", false},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_type *type = weir_type_simple(WEIR_VARCHAR, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_column_stats stats = {.has_min_max = true,
                                   .min = {.bytes = weir_slice_text(cases[i].min)},
                                   .max = {.bytes = weir_slice_text(cases[i].max)},
                                   .row_count = 5};
        weir_literal prefix = {.bytes = weir_slice_text(cases[i].prefix)};
        const weir_predicate *leaf = weir_predicate_leaf(&arena, WEIR_PREDICATE_STARTS_WITH, 0, type, &prefix, 1);
        if (weir_predicate_may_match(leaf, &stats) != cases[i].may) {
            fail_msg("LIKE '%s%%' between %s and %s", cases[i].prefix, cases[i].min, cases[i].max);
        }
    }
    weir_arena_free(&arena);
}

static void zero_equals_minus_zero_and_nan_is_greatest(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "DOUBLE");
    rows_add(&rows, "[[0.0], [-0.0], ['NaN'], ['Infinity'], [-1.5], [null]]");
    static const struct {
        weir_predicate_kind kind;
        double literal;
        int64_t count;
    } cases[] = {
        {WEIR_PREDICATE_EQUAL, 0.0, 2},   {WEIR_PREDICATE_EQUAL, -0.0, 2},       {WEIR_PREDICATE_EQUAL, NAN, 1},
        {WEIR_PREDICATE_LESS, 0.0, 1},    {WEIR_PREDICATE_GREATER, INFINITY, 1}, {WEIR_PREDICATE_LESS, NAN, 4},
        {WEIR_PREDICATE_NOT_EQUAL, 0, 3}, {WEIR_PREDICATE_IN, -0.0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_literal literal = {.float64 = cases[i].literal};
        uint32_t selected[6];
        const weir_predicate *leaf =
            weir_predicate_leaf(&rows.arena, cases[i].kind, 0, rows.fields[0].type, &literal, 1);
        assert_int_equal(weir_predicate_select(leaf, &rows.batch, selected), cases[i].count);
    }
    weir_column_stats stats = {
        .has_min_max = true, .min = {.float64 = -0.0}, .max = {.float64 = -0.0}, .null_count = 0, .row_count = 1};
    weir_literal zero = {.float64 = 0.0};
    assert_true(weir_predicate_may_match(
        weir_predicate_leaf(&rows.arena, WEIR_PREDICATE_EQUAL, 0, rows.fields[0].type, &zero, 1), &stats));
    rows_free(&rows);
}

/* --- trees --- */

static const weir_predicate *equals(weir_arena *arena, int32_t column, int64_t value)
{
    weir_literal literal = {.integer = value};
    return weir_predicate_leaf(arena, WEIR_PREDICATE_EQUAL, column, weir_type_simple(WEIR_INT, true), &literal, 1);
}

static void nested_ands_are_flattened(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_predicate *leaves[] = {equals(&arena, 0, 1), equals(&arena, 1, 2)};
    const weir_predicate *inner = weir_predicate_combine(&arena, WEIR_PREDICATE_AND, leaves, 2);
    const weir_predicate *outer_children[] = {inner, equals(&arena, 2, 3)};
    const weir_predicate *outer = weir_predicate_combine(&arena, WEIR_PREDICATE_AND, outer_children, 2);
    assert_int_equal(outer->child_count, 3);
    const weir_predicate *mixed = weir_predicate_combine(&arena, WEIR_PREDICATE_OR, outer_children, 2);
    assert_int_equal(mixed->child_count, 2);
    assert_ptr_equal(weir_predicate_combine(&arena, WEIR_PREDICATE_OR, leaves, 1), leaves[0]);
    weir_arena_free(&arena);
}

static void mapping_drops_what_has_no_column(void **state)
{
    (void)state;
    weir_arena arena;
    weir_arena_init(&arena);
    const weir_predicate *leaves[] = {equals(&arena, 0, 1), equals(&arena, 1, 2)};
    const weir_predicate *both = weir_predicate_combine(&arena, WEIR_PREDICATE_AND, leaves, 2);
    const weir_predicate *either = weir_predicate_combine(&arena, WEIR_PREDICATE_OR, leaves, 2);
    static const int32_t swapped[] = {7, 3};
    static const int32_t first_gone[] = {-1, 3};
    static const int32_t all_gone[] = {-1, -1};
    const weir_predicate *mapped = weir_predicate_map(&arena, both, swapped);
    assert_int_equal(mapped->children[0]->column, 7);
    assert_int_equal(mapped->children[1]->column, 3);
    assert_int_equal(leaves[0]->column, 0);
    mapped = weir_predicate_map(&arena, both, first_gone);
    assert_int_equal(mapped->kind, WEIR_PREDICATE_EQUAL);
    assert_int_equal(mapped->column, 3);
    assert_null(weir_predicate_map(&arena, both, all_gone));
    assert_null(weir_predicate_map(&arena, either, first_gone));
    assert_non_null(weir_predicate_map(&arena, either, swapped));
    assert_null(weir_predicate_map(&arena, leaves[0], first_gone));
    assert_null(weir_predicate_map(&arena, NULL, swapped));
    weir_arena_free(&arena);
}

static void no_predicate_selects_every_row(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "INT");
    rows_add(&rows, "[[1], [null], [3]]");
    uint32_t selected[3];
    assert_int_equal(weir_predicate_select(NULL, &rows.batch, selected), 3);
    assert_int_equal(selected[2], 2);
    rows_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_selected_where_the_predicate_is_true),
        cmocka_unit_test(a_file_with_matching_rows_is_never_left_out),
        cmocka_unit_test(statistics_decide_as_far_as_they_can),
        cmocka_unit_test(in_asks_for_the_first_literal_in_the_range),
        cmocka_unit_test(prefixes_are_looked_for_between_cut_bounds),
        cmocka_unit_test(zero_equals_minus_zero_and_nan_is_greatest),
        cmocka_unit_test(nested_ands_are_flattened),
        cmocka_unit_test(mapping_drops_what_has_no_column),
        cmocka_unit_test(no_predicate_selects_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
