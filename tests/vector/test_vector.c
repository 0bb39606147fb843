/* Vectors and batches: appending in every way against a model that keeps each row's JSON. */
#include "vector/vector.h"

#include "rows.h"
#include "vector/bits.h"

/* One of each layout, and nested ones. */
static const char *const all_types[] = {
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DECIMAL(10,2)",
    "DECIMAL(38,10)",
    "CHAR(10)",
    "STRING",
    "BYTES",
    "DATE",
    "TIME(3)",
    "TIMESTAMP(3)",
    "TIMESTAMP(6)",
    "TIMESTAMP(9)",
    "TIMESTAMP_LTZ(9)",
    "INT NOT NULL",
    "STRING NOT NULL",
    "NULL",
    "ARRAY<INT>",
    "ARRAY<STRING NOT NULL> NOT NULL",
    "ARRAY<ARRAY<BOOLEAN>>",
    "MAP<STRING NOT NULL, BIGINT>",
    "MULTISET<INT>",
    "ROW<a INT, b STRING>",
    "ROW<a ARRAY<ROW<x TIMESTAMP(9), y MAP<INT NOT NULL, STRING>>>, b BOOLEAN>",
};

#define TYPE_COUNT (sizeof all_types / sizeof *all_types)

/* ---- the model ---- */

typedef struct model {
    char **rows;
    size_t count;
    size_t capacity;
} model;

static void model_add(model *rows, const char *json)
{
    WEIR_GROW(rows->rows, rows->capacity, rows->count + 1);
    rows->rows[rows->count++] = weir_strdup(json);
}

static void model_clear(model *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->rows[i]);
    }
    rows->count = 0;
}

static void model_free(model *rows)
{
    model_clear(rows);
    free(rows->rows);
}

/* What vector.h says about a vector's memory. */
static void check_shape(const weir_vector *vector)
{
    int64_t nulls = 0;
    size_t width = weir_layout_width(vector->layout);
    assert_true((vector->validity == NULL) == (vector->null_count == 0 || vector->layout == WEIR_LAYOUT_NONE));
    if (vector->offsets != NULL) {
        assert_int_equal(vector->offsets[0], 0);
    }
    for (int64_t i = 0; i < vector->length; i++) {
        if (!weir_vector_is_null(vector, i)) {
            continue;
        }
        nulls++;
        static const uint8_t zeros[16];
        if (width > 0) {
            assert_memory_equal(vector->data + (size_t)i * width, zeros, width);
        } else if (vector->layout == WEIR_LAYOUT_BIT) {
            assert_false(weir_bit_get(vector->data, i));
        } else if (vector->offsets != NULL) {
            assert_int_equal(vector->offsets[i], vector->offsets[i + 1]);
        }
    }
    assert_int_equal(vector->null_count, nulls);
    for (int32_t i = 0; i < vector->child_count; i++) {
        if (vector->layout == WEIR_LAYOUT_STRUCT) {
            assert_int_equal(vector->children[i].length, vector->length);
        } else {
            assert_int_equal(vector->children[i].length, vector->offsets[vector->length]);
        }
        check_shape(&vector->children[i]);
    }
}

static void check_rows(const weir_vector *vector, const model *expected)
{
    assert_int_equal(vector->length, expected->count);
    for (size_t i = 0; i < expected->count; i++) {
        assert_string_equal(json_text(vector, (int64_t)i), expected->rows[i]);
    }
    check_shape(vector);
}

static void append_random_value(weir_vector *vector, random_state *random)
{
    if (vector->layout == WEIR_LAYOUT_NONE) {
        weir_error err;
        check_ok(weir_vector_append_nulls(vector, 1, &err), &err);
    } else {
        append_random(vector, random);
    }
}

static void fill_random(weir_vector *vector, random_state *random, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        append_random_value(vector, random);
    }
}

/* ---- one operation each ---- */

static void append_a_range(weir_vector *vector, const weir_vector *from, model *expected, random_state *random)
{
    weir_error err;
    int64_t first = (int64_t)random_below(random, (uint64_t)from->length + 1);
    int64_t count = (int64_t)random_below(random, (uint64_t)(from->length - first) + 1);
    check_ok(weir_vector_append_range(vector, from, first, count, &err), &err);
    for (int64_t i = first; i < first + count; i++) {
        model_add(expected, json_text(from, i));
    }
}

static void append_some_rows(weir_vector *vector, const weir_vector *from, model *expected, random_state *random)
{
    weir_error err;
    uint32_t rows[100];
    int64_t count = from->length == 0 ? 0 : (int64_t)random_below(random, 100);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (uint32_t)random_below(random, (uint64_t)from->length);
        model_add(expected, json_text(from, rows[i]));
    }
    check_ok(weir_vector_append_rows(vector, from, rows, count, &err), &err);
}

#define SOURCES 4

static void interleave_some(weir_vector *vector, weir_vector *const *sources, model *expected, random_state *random)
{
    weir_error err;
    int64_t cursors[SOURCES];
    int64_t expected_cursors[SOURCES];
    uint16_t source_of[200];
    int64_t count = 0;
    for (int s = 0; s < SOURCES; s++) {
        cursors[s] = (int64_t)random_below(random, (uint64_t)sources[s]->length + 1);
        expected_cursors[s] = cursors[s];
    }
    for (int tries = 0; tries < 200; tries++) {
        uint16_t source = (uint16_t)random_below(random, SOURCES);
        if (expected_cursors[source] < sources[source]->length) {
            model_add(expected, json_text(sources[source], expected_cursors[source]++));
            source_of[count++] = source;
        }
    }
    check_ok(weir_vector_interleave(vector, sources, cursors, source_of, count, &err), &err);
    for (int s = 0; s < SOURCES; s++) {
        assert_int_equal(cursors[s], expected_cursors[s]);
    }
}

static void do_something(weir_vector *vector, weir_vector *const *sources, model *expected, random_state *random)
{
    weir_error err;
    const weir_vector *from = sources[random_below(random, SOURCES)];
    switch (random_below(random, 8)) {
    case 0:
    case 1:
        append_a_range(vector, from, expected, random);
        break;
    case 2:
    case 3:
        append_some_rows(vector, from, expected, random);
        break;
    case 4:
    case 5:
        interleave_some(vector, sources, expected, random);
        break;
    case 6: {
        int64_t nulls = vector->type->nullable ? (int64_t)random_below(random, 20) : 0;
        check_ok(weir_vector_append_nulls(vector, nulls, &err), &err);
        for (int64_t i = 0; i < nulls; i++) {
            model_add(expected, "null");
        }
        break;
    }
    default:
        append_random_value(vector, random);
        model_add(expected, json_text(vector, vector->length - 1));
    }
}

static void appending_in_any_way_gives_the_rows_of_the_model(void **state)
{
    (void)state;
    random_state random = random_start();
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        const weir_type *type = parse_type(&arena, all_types[i]);
        weir_vector vector;
        weir_vector storage[SOURCES];
        weir_vector *sources[SOURCES];
        model expected = {0};
        weir_vector_init(&vector, type);
        for (int s = 0; s < SOURCES; s++) {
            sources[s] = &storage[s];
            weir_vector_init(sources[s], type);
            fill_random(sources[s], &random, s == 0 ? 0 : (int64_t)random_below(&random, 150));
        }
        for (int round = 0; round < 4; round++) {
            for (int operation = 0; operation < 8; operation++) {
                do_something(&vector, sources, &expected, &random);
            }
            check_rows(&vector, &expected);
            weir_vector_clear(&vector);
            model_clear(&expected);
            check_shape(&vector);
        }
        for (int s = 0; s < SOURCES; s++) {
            weir_vector_free(sources[s]);
        }
        weir_vector_free(&vector);
        model_free(&expected);
    }
    weir_arena_free(&arena);
}

static void bit_ranges_agree_with_single_bits(void **state)
{
    (void)state;
    random_state random = random_start();
    for (int round = 0; round < 2000; round++) {
        uint8_t from[40];
        uint8_t to[40];
        uint8_t expected[40];
        for (size_t i = 0; i < sizeof from; i++) {
            from[i] = (uint8_t)random_next(&random);
            to[i] = (uint8_t)random_next(&random);
        }
        memcpy(expected, to, sizeof to);
        int64_t from_first = (int64_t)random_below(&random, 100);
        int64_t to_first = (int64_t)random_below(&random, 100);
        int64_t count = (int64_t)random_below(&random, 200);
        int64_t set = 0;
        for (int64_t i = 0; i < count; i++) {
            bool bit = weir_bit_get(from, from_first + i);
            set += bit;
            if (bit) {
                weir_bit_set(expected, to_first + i);
            } else {
                weir_bit_clear(expected, to_first + i);
            }
        }
        weir_bits_copy(to, to_first, from, from_first, count);
        assert_memory_equal(to, expected, sizeof to);
        assert_int_equal(weir_bits_count(from, from_first, count), set);
        weir_bits_fill(to, to_first, count, true);
        assert_int_equal(weir_bits_count(to, to_first, count), count);
    }
}

static void an_empty_vector_has_offsets_and_no_validity(void **state)
{
    (void)state;
    weir_vector vector;
    weir_vector_init(&vector, weir_type_simple(WEIR_VARCHAR, true));
    assert_int_equal(vector.offsets[0], 0);
    assert_null(vector.validity);
    weir_error err;
    check_ok(weir_vector_append_raw(&vector, "", 0, &err), &err);
    assert_int_equal(weir_vector_bytes(&vector, 0).size, 0);
    assert_non_null(weir_vector_bytes(&vector, 0).data);
    weir_vector_free(&vector);
    weir_vector_free(&vector);
    weir_vector_free(NULL);
}

static void impossible_sizes_are_refused(void **state)
{
    (void)state;
    weir_vector numbers;
    weir_vector texts;
    weir_vector_init(&numbers, weir_type_simple(WEIR_INT, true));
    weir_vector_init(&texts, weir_type_simple(WEIR_VARCHAR, true));
    assert_int_equal(weir_vector_reserve(&numbers, INT64_MAX, NULL), WEIR_NO_MEMORY);
    assert_int_equal(weir_vector_reserve(&numbers, -1, NULL), WEIR_NO_MEMORY);
    assert_int_equal(weir_vector_reserve_bytes(&texts, (size_t)1 << 31, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_reserve_bytes(&numbers, 1, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_append_raw(&numbers, "12345", 5, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_append_list(&numbers, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_append_struct(&numbers, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_append_range(&numbers, &texts, 0, 0, NULL), WEIR_INVALID);
    assert_int_equal(weir_vector_append_range(&numbers, &numbers, 0, 1, NULL), WEIR_INVALID);
    assert_int_equal(numbers.length, 0);
    weir_vector_free(&numbers);
    weir_vector_free(&texts);
}

static void lists_and_structs_need_children_of_their_length(void **state)
{
    (void)state;
    weir_arena arena;
    weir_vector map;
    weir_vector row;
    int32_t one = 1;
    weir_error err;
    weir_arena_init(&arena);
    weir_vector_init(&map, parse_type(&arena, "MAP<INT, INT>"));
    weir_vector_init(&row, parse_type(&arena, "ROW<a INT, b INT>"));
    check_ok(weir_vector_append_raw(&map.children[0], &one, 4, &err), &err);
    assert_int_equal(weir_vector_append_list(&map, NULL), WEIR_INVALID);
    check_ok(weir_vector_append_raw(&map.children[1], &one, 4, &err), &err);
    check_ok(weir_vector_append_list(&map, &err), &err);
    check_ok(weir_vector_append_raw(&row.children[0], &one, 4, &err), &err);
    assert_int_equal(weir_vector_append_struct(&row, NULL), WEIR_INVALID);
    weir_vector_free(&map);
    weir_vector_free(&row);
    weir_arena_free(&arena);
}

static void a_vector_over_borrowed_memory_is_read_but_does_not_grow(void **state)
{
    (void)state;
    int32_t values[] = {1, 2, 3};
    weir_error err;
    weir_vector borrowed;
    weir_vector owned;
    weir_vector_init(&borrowed, weir_type_simple(WEIR_INT, true));
    weir_vector_init(&owned, weir_type_simple(WEIR_INT, true));
    borrowed.data = (uint8_t *)values;
    borrowed.length = 3;
    assert_int_equal(weir_vector_append_nulls(&borrowed, 100, NULL), WEIR_INVALID);
    check_ok(weir_vector_append_range(&owned, &borrowed, 1, 2, &err), &err);
    assert_int_equal(WEIR_VALUES(&owned, int32_t)[1], 3);
    weir_vector_clear(&borrowed);
    check_ok(weir_vector_append_raw(&borrowed, &values[2], 4, &err), &err);
    assert_int_equal(WEIR_VALUES(&borrowed, int32_t)[0], 3);
    assert_true(weir_vector_memory(&borrowed) >= 4);
    weir_vector_free(&borrowed);
    weir_vector_free(&owned);
}

static void reserved_validity_begins_valid(void **state)
{
    (void)state;
    int64_t value = 5;
    weir_error err;
    weir_vector vector;
    weir_vector_init(&vector, weir_type_simple(WEIR_BIGINT, true));
    check_ok(weir_vector_append_raw(&vector, &value, 8, &err), &err);
    check_ok(weir_vector_reserve_validity(&vector, 100, &err), &err);
    assert_true(vector.validity_capacity * 8 >= 101);
    assert_false(weir_vector_is_null(&vector, 0));
    weir_vector_drop_validity(&vector);
    assert_null(vector.validity);
    weir_vector_free(&vector);
}

/* ---- batches ---- */

static void check_kinds(const weir_batch *batch, const char *kinds)
{
    assert_int_equal(batch->length * 2, strlen(kinds));
    for (int64_t i = 0; i < batch->length; i++) {
        assert_memory_equal(weir_row_kind_text(weir_batch_kind(batch, i)), kinds + 2 * i, 2);
    }
}

static void kinds_follow_their_rows(void **state)
{
    (void)state;
    static const uint32_t rows[] = {2, 1};
    weir_error err;
    test_rows plain;
    test_rows changes;
    test_rows all;
    rows_start(&plain, "INT");
    rows_start(&changes, "INT");
    rows_start(&all, "INT");
    rows_add(&plain, "[[1], [2], [3]]");
    rows_add(&changes, "[[4], [5], [6]]");
    weir_batch_reserve_kinds(&changes.batch, 10);
    changes.batch.kinds[1] = WEIR_UPDATE_AFTER;
    changes.batch.kinds[2] = WEIR_DELETE;
    check_ok(weir_batch_append_range(&all.batch, &plain.batch, 0, 2, &err), &err);
    assert_null(all.batch.kinds);
    check_ok(weir_batch_append_range(&all.batch, &changes.batch, 0, 2, &err), &err);
    check_ok(weir_batch_append_rows(&all.batch, &changes.batch, rows, 2, &err), &err);
    check_ok(weir_batch_append_rows(&all.batch, &plain.batch, rows, 1, &err), &err);
    check_ok(weir_batch_append_range(&all.batch, &plain.batch, 0, 1, &err), &err);
    check_kinds(&all.batch, "+I+I+I+U-D+U+I+I");
    assert_int_equal(WEIR_VALUES(&all.batch.columns[0], int32_t)[4], 6);
    assert_true(weir_batch_memory(&all.batch) > 0);
    weir_batch_clear(&all.batch);
    check_ok(weir_batch_append_range(&all.batch, &plain.batch, 0, 1, &err), &err);
    check_kinds(&all.batch, "+I");
    rows_free(&plain);
    rows_free(&changes);
    rows_free(&all);
}

static void batches_of_other_columns_are_refused(void **state)
{
    (void)state;
    test_rows one;
    test_rows two;
    rows_start(&one, "INT");
    rows_start(&two, "INT, INT");
    assert_int_equal(weir_batch_append_range(&one.batch, &two.batch, 0, 0, NULL), WEIR_INVALID);
    assert_int_equal(weir_batch_append_rows(&one.batch, &two.batch, NULL, 0, NULL), WEIR_INVALID);
    rows_free(&one);
    rows_free(&two);
    weir_batch_free(NULL);
}

static void row_kinds_are_read_from_their_text(void **state)
{
    (void)state;
    for (int8_t kind = WEIR_INSERT; kind <= WEIR_DELETE; kind++) {
        int8_t read = -1;
        assert_true(weir_row_kind_parse(weir_slice_text(weir_row_kind_text(kind)), &read));
        assert_int_equal(read, kind);
    }
    int8_t read;
    assert_false(weir_row_kind_parse(weir_slice_text("+D"), &read));
    assert_false(weir_row_kind_parse(weir_slice_text(""), &read));
    assert_true(weir_row_kind_is_retract(WEIR_DELETE));
    assert_false(weir_row_kind_is_retract(WEIR_UPDATE_AFTER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(appending_in_any_way_gives_the_rows_of_the_model),
        cmocka_unit_test(bit_ranges_agree_with_single_bits),
        cmocka_unit_test(an_empty_vector_has_offsets_and_no_validity),
        cmocka_unit_test(impossible_sizes_are_refused),
        cmocka_unit_test(lists_and_structs_need_children_of_their_length),
        cmocka_unit_test(a_vector_over_borrowed_memory_is_read_but_does_not_grow),
        cmocka_unit_test(reserved_validity_begins_valid),
        cmocka_unit_test(kinds_follow_their_rows),
        cmocka_unit_test(batches_of_other_columns_are_refused),
        cmocka_unit_test(row_kinds_are_read_from_their_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
