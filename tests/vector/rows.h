/* Batches for tests of the vector room: from JSON text, and random ones of any type.
 *
 * JSON is written with single quotes here, so that rows can stand in C strings. */
#ifndef WEIR_TESTS_VECTOR_ROWS_H
#define WEIR_TESTS_VECTOR_ROWS_H

#include <math.h>

#include "cmocka_all.h"
#include "random.h"
#include "vector/literal.h"

#define MAX_TEST_COLUMNS 64

typedef struct test_rows {
    weir_arena arena;
    weir_field fields[MAX_TEST_COLUMNS];
    int32_t column_count;
    weir_batch batch;
} test_rows;

static const int32_t all_columns[MAX_TEST_COLUMNS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                                      16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                                      32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                                      48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

static inline void check_ok(int code, const weir_error *err)
{
    if (code != WEIR_OK) {
        fail_msg("%s", err->message);
    }
}

static inline const weir_type *parse_type(weir_arena *arena, const char *text)
{
    weir_error err;
    const weir_type *type = NULL;
    check_ok(weir_type_parse(text, arena, &type, &err), &err);
    return type;
}

/* Starts an empty batch with columns of these types, written as the fields of a ROW: "BIGINT NOT NULL, STRING". */
static inline void rows_start(test_rows *rows, const char *types)
{
    memset(rows, 0, sizeof *rows);
    weir_arena_init(&rows->arena);
    weir_buffer text = {0};
    weir_buffer_append_text(&text, "ROW<");
    int depth = 0;
    int32_t column = 0;
    weir_buffer_append_format(&text, "c%d ", column);
    for (const char *next = types; *next != '\0'; next++) {
        depth += *next == '(' || *next == '<' ? 1 : *next == ')' || *next == '>' ? -1 : 0;
        weir_buffer_append_byte(&text, (uint8_t)*next);
        if (*next == ',' && depth == 0) {
            weir_buffer_append_format(&text, " c%d ", ++column);
        }
    }
    weir_buffer_append_byte(&text, '>');
    const weir_type *row = parse_type(&rows->arena, weir_buffer_text(&text));
    weir_buffer_free(&text);
    rows->column_count = row->field_count;
    assert_true(rows->column_count <= MAX_TEST_COLUMNS);
    for (int32_t i = 0; i < row->field_count; i++) {
        rows->fields[i] = row->fields[i];
        rows->fields[i].id = i;
    }
    weir_batch_init(&rows->batch, rows->fields, rows->column_count);
}

static inline void rows_free(test_rows *rows)
{
    weir_batch_free(&rows->batch);
    weir_arena_free(&rows->arena);
}

static inline json_t *parse_json(const char *text)
{
    char *quoted = weir_strdup(text);
    for (char *next = quoted; *next != '\0'; next++) {
        *next = *next == '\'' ? '"' : *next;
    }
    json_error_t error;
    json_t *json = json_loads(quoted, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (json == NULL) {
        fail_msg("%s in %s", error.text, quoted);
    }
    free(quoted);
    return json;
}

static inline void append_json(weir_vector *vector, const json_t *json)
{
    weir_error err;
    check_ok(weir_vector_append_json(vector, json, &err), &err);
}

/* Appends rows given as "[[1, 'a'], [2, null]]". */
static inline void rows_add(test_rows *rows, const char *json_rows)
{
    json_t *json = parse_json(json_rows);
    for (size_t i = 0; i < json_array_size(json); i++) {
        const json_t *row = json_array_get(json, i);
        assert_int_equal(json_array_size(row), rows->column_count);
        for (int32_t column = 0; column < rows->column_count; column++) {
            append_json(&rows->batch.columns[column], json_array_get(row, (size_t)column));
        }
        rows->batch.length++;
    }
    json_decref(json);
}

/* The value as JSON text, in static memory. */
static inline const char *json_text(const weir_vector *vector, int64_t row)
{
    static char text[65536];
    weir_buffer out = {0};
    weir_value_to_json(vector, row, &out);
    snprintf(text, sizeof text, "%s", weir_buffer_text(&out));
    weir_buffer_free(&out);
    return text;
}

/* --- random values --- */

/* Few different values of few magnitudes, so that equal ones, prefixes and signs all occur. */
static inline int64_t random_integer(random_state *random)
{
    static const int64_t edges[] = {0, 1, -1, 127, -128, 32767, -32768, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
    switch (random_below(random, 4)) {
    case 0:
        return edges[random_below(random, sizeof edges / sizeof *edges)];
    case 1:
        return (int64_t)random_below(random, 20) - 10;
    case 2:
        return (int64_t)random_below(random, 2000000) - 1000000;
    default:
        return (int64_t)random_next(random);
    }
}

static inline double random_double(random_state *random)
{
    static const double edges[] = {0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN, 1e300, -1e-300, 0.1};
    return random_below(random, 2) == 0 ? edges[random_below(random, sizeof edges / sizeof *edges)]
                                        : (double)random_integer(random) / 8;
}

static inline weir_int128 random_decimal(random_state *random, int precision)
{
    weir_int128 limit = 1;
    for (int i = 0; i < precision; i++) {
        limit *= 10;
    }
    weir_int128 value = random_integer(random);
    if (precision > 18 && random_below(random, 2) == 0) {
        value = value * 1000000007 + random_integer(random);
    }
    return value % limit;
}

/* Printable characters of one to three bytes, with zeros here and there and prefixes in common. */
static inline weir_slice random_text(random_state *random, size_t longest, uint8_t *space)
{
    static const char *const starts[] = {"", "user_", "user_0000000", "abcdefgh", "abcdefghabcdefgh"};
    static const char *const pieces[] = {"a", "b", "z", "0", "\xc3\xa9", "\xe6\x97\xa5", "~", " "};
    const char *start = starts[random_below(random, 5)];
    size_t size = strlen(start) < longest ? strlen(start) : 0;
    memcpy(space, start, size);
    for (uint64_t more = random_below(random, 6); more > 0; more--) {
        const char *piece = pieces[random_below(random, 8)];
        if (size + strlen(piece) > longest) {
            break;
        }
        memcpy(space + size, piece, strlen(piece));
        size += strlen(piece);
    }
    if (size < longest && random_below(random, 8) == 0) {
        space[size++] = 0;
    }
    return weir_slice_of(space, size);
}

static inline weir_literal random_literal(random_state *random, const weir_type *type, uint8_t space[64])
{
    weir_literal value = {0};
    int64_t integer = random_integer(random);
    switch (type->id) {
    case WEIR_BOOLEAN:
        value.boolean = random_below(random, 2) == 1;
        break;
    case WEIR_TINYINT:
        value.integer = (int8_t)integer;
        break;
    case WEIR_SMALLINT:
        value.integer = (int16_t)integer;
        break;
    case WEIR_INT:
        value.integer = (int32_t)integer;
        break;
    case WEIR_DATE:
        value.integer = (int32_t)integer % 700000;
        break;
    case WEIR_TIME:
        value.integer = (int64_t)((uint64_t)integer % 86400000);
        break;
    case WEIR_FLOAT:
        value.float32 = (float)random_double(random);
        break;
    case WEIR_DOUBLE:
        value.float64 = random_double(random);
        break;
    case WEIR_DECIMAL:
        value.decimal = random_decimal(random, type->precision);
        if (type->precision <= 18) {
            value.integer = (int64_t)value.decimal;
        }
        break;
    case WEIR_TIMESTAMP:
    case WEIR_TIMESTAMP_LTZ:
        if (type->precision > 6) {
            value.nanos = (weir_timestamp_nanos){integer % 100000000000000, (int32_t)random_below(random, 1000000), 0};
        } else {
            value.integer = integer % 100000000000000;
        }
        break;
    case WEIR_BIGINT:
        value.integer = integer;
        break;
    default:
        value.bytes = random_text(random, 30, space);
        break;
    }
    return value;
}

static inline void append_random(weir_vector *vector, random_state *random);

static inline void append_random_list(weir_vector *vector, random_state *random)
{
    weir_error err;
    uint64_t count = random_below(random, 10) == 0 ? 70 : random_below(random, 4);
    for (uint64_t i = 0; i < count; i++) {
        for (int32_t child = 0; child < vector->child_count; child++) {
            append_random(&vector->children[child], random);
        }
    }
    check_ok(weir_vector_append_list(vector, &err), &err);
}

/* A value of any type; NULL now and then where the type allows it. */
static inline void append_random(weir_vector *vector, random_state *random)
{
    weir_error err;
    if (vector->type->nullable && random_below(random, 5) == 0) {
        check_ok(weir_vector_append_nulls(vector, 1, &err), &err);
    } else if (vector->layout == WEIR_LAYOUT_LIST) {
        append_random_list(vector, random);
    } else if (vector->layout == WEIR_LAYOUT_STRUCT) {
        for (int32_t child = 0; child < vector->child_count; child++) {
            append_random(&vector->children[child], random);
        }
        check_ok(weir_vector_append_struct(vector, &err), &err);
    } else {
        uint8_t space[64];
        weir_literal value = random_literal(random, vector->type, space);
        check_ok(weir_vector_append_literal(vector, &value, &err), &err);
    }
}

static inline void rows_add_random(test_rows *rows, random_state *random, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        for (int32_t column = 0; column < rows->column_count; column++) {
            append_random(&rows->batch.columns[column], random);
        }
        rows->batch.length++;
    }
}

#endif
