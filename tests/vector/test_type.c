/* Types: SQL text and the JSON of schema files, both ways. */
#include "vector/type.h"

#include "base/json.h"
#include "golden.h"
#include "rows.h"

typedef struct text_case {
    const char *text;
    const char *expected; /* as formatted; NULL: the same */
} text_case;

static void type_text_is_read_and_written(void **state)
{
    (void)state;
    static const text_case cases[] = {
        {"BOOLEAN", NULL},
        {"TINYINT NOT NULL", NULL},
        {"SMALLINT", NULL},
        {"INT", NULL},
        {"integer", "INT"},
        {"BIGINT NULL", "BIGINT"},
        {"FLOAT", NULL},
        {"DOUBLE", NULL},
        {"double  precision not null", "DOUBLE NOT NULL"},
        {"DECIMAL", "DECIMAL(10, 0)"},
        {"DEC(4)", "DECIMAL(4, 0)"},
        {"numeric ( 38 , 38 )", "DECIMAL(38, 38)"},
        {"DECIMAL(1,0)", "DECIMAL(1, 0)"},
        {"CHAR", "CHAR(1)"},
        {"CHAR(2147483647)", NULL},
        {"VARCHAR(7)", NULL},
        {"VARCHAR", "STRING"},
        {"VARCHAR(2147483647)", "STRING"},
        {"STRING NOT NULL", NULL},
        {"BINARY", "BINARY(1)"},
        {"BINARY(16)", NULL},
        {"VARBINARY(3)", NULL},
        {"VARBINARY(2147483647)", "BYTES"},
        {"BYTES", NULL},
        {"DATE", NULL},
        {"TIME", "TIME(0)"},
        {"TIME(3) WITHOUT TIME ZONE", "TIME(3)"},
        {"TIMESTAMP", "TIMESTAMP(6)"},
        {"TIMESTAMP(9) WITHOUT TIME ZONE NOT NULL", "TIMESTAMP(9) NOT NULL"},
        {"TIMESTAMP WITH LOCAL TIME ZONE", "TIMESTAMP(6) WITH LOCAL TIME ZONE"},
        {"TIMESTAMP(3) WITH LOCAL TIME ZONE NOT NULL", NULL},
        {"TIMESTAMP_LTZ(0)", "TIMESTAMP(0) WITH LOCAL TIME ZONE"},
        {"VARIANT", NULL},
        {"BLOB", NULL},
        {"NULL", NULL},
        {"ARRAY<INT NOT NULL> NOT NULL", NULL},
        {"INT ARRAY", "ARRAY<INT>"},
        {"INT NOT NULL ARRAY NOT NULL MULTISET", "MULTISET<ARRAY<INT NOT NULL> NOT NULL>"},
        {"MAP<STRING NOT NULL, ARRAY<DECIMAL(10, 2)>>", NULL},
        {"multiset<string>", "MULTISET<STRING>"},
        {"ROW<>", NULL},
        {"ROW<a INT, b STRING NOT NULL>", "ROW<`a` INT, `b` STRING NOT NULL>"},
        {"ROW(a INT, `b c` INT)", "ROW<`a` INT, `b c` INT>"},
        {"ROW<`a``b` INT 'it''s'>", NULL},
        {"ROW<a INT COMMENT 'x', date DATE>", "ROW<`a` INT 'x', `date` DATE>"},
        {"ROW<r ROW<x MAP<INT,ROW<y INT>>>>", "ROW<`r` ROW<`x` MAP<INT, ROW<`y` INT>>>>"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected = cases[i].expected != NULL ? cases[i].expected : cases[i].text;
        const weir_type *type = parse_type(&arena, cases[i].text);
        assert_string_equal(weir_type_text(&arena, type), expected);
        assert_true(weir_type_equal(type, parse_type(&arena, expected), false));
    }
    weir_arena_free(&arena);
}

static void wrong_type_text_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *message; /* a part of it */
    } cases[] = {
        {"", "a type is missing at the end"},
        {"INTT", "there is no type \"INTT\"; did you mean INT?"},
        {"XYZZY", "there is no type \"XYZZY\""},
        {"DECIMAL(39)", "the precision at position 9 must be from 1 to 38"},
        {"DECIMAL(0)", "the precision"},
        {"DECIMAL(4,5)", "the scale at position 11 must be from 0 to 4"},
        {"DECIMAL(4,", "the scale is missing at the end"},
        {"TIMESTAMP(10)", "must be from 0 to 9"},
        {"TIME(99999999999999999999)", "must be from 0 to 9"},
        {"CHAR(0)", "the length"},
        {"CHAR(2147483648)", "the length"},
        {"INT NOT", "NULL is missing"},
        {"INT,", "expected the end, not \",\" at position 4"},
        {"ARRAY", "\"<\" is missing"},
        {"ARRAY<INT", "\">\" is missing"},
        {"MAP<INT>", "expected \",\""},
        {"ROW<a>", "expected a type"},
        {"ROW<a INT b INT>", "expected \",\""},
        {"ROW<a INT,>", "expected the name of a field"},
        {"ROW<a INT, a STRING>", "the field \"a\" is there twice"},
        {"ROW<`a INT>", "is not closed"},
        {"ROW<`a \xb4` INT>", "is not UTF-8"},
        {"ROW<a INT COMMENT b>", "the comment in single quotes"},
        {"TIMESTAMP WITH TIME ZONE", "use WITH LOCAL TIME ZONE"},
        {"TIMESTAMP_LTZ WITH LOCAL TIME ZONE", "expected the end"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weir_type *type = NULL;
        weir_error err = {0};
        assert_int_not_equal(weir_type_parse(cases[i].text, &arena, &type, &err), WEIR_OK);
        assert_null(type);
        if (strstr(err.message, cases[i].message) == NULL) {
            fail_msg("\"%s\" gave: %s", cases[i].text, err.message);
        }
    }
    weir_arena_free(&arena);
}

static void endless_nesting_is_refused(void **state)
{
    (void)state;
    static const char *const pieces[] = {"ARRAY<", "ROW<a ", "MAP<INT,"};
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        weir_buffer text = {0};
        for (int depth = 0; depth < 100000; depth++) {
            weir_buffer_append_text(&text, pieces[i]);
        }
        const weir_type *type = NULL;
        assert_int_equal(weir_type_parse(weir_buffer_text(&text), &arena, &type, NULL), WEIR_INVALID);
        weir_buffer_free(&text);
    }
    weir_buffer suffixes = {0};
    weir_buffer_append_text(&suffixes, "INT");
    for (int depth = 0; depth < 100000; depth++) {
        weir_buffer_append_text(&suffixes, " ARRAY");
    }
    const weir_type *type = NULL;
    assert_int_equal(weir_type_parse(weir_buffer_text(&suffixes), &arena, &type, NULL), WEIR_INVALID);
    weir_buffer_free(&suffixes);
    weir_arena_free(&arena);
}

static void types_with_parts_are_objects_in_json(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *text;
    } cases[] = {
        {"'INT NOT NULL'", "INT NOT NULL"},
        {"'DECIMAL(10, 2)'", "DECIMAL(10, 2)"},
        {"'TIMESTAMP(3) WITH LOCAL TIME ZONE'", "TIMESTAMP(3) WITH LOCAL TIME ZONE"},
        {"{'type':'ARRAY NOT NULL','element':'INT'}", "ARRAY<INT> NOT NULL"},
        {"{'type':'MULTISET','element':'STRING'}", "MULTISET<STRING>"},
        {"{'type':'MAP','key':'STRING NOT NULL','value':{'type':'ARRAY','element':'INT'}}",
         "MAP<STRING NOT NULL, ARRAY<INT>>"},
        {"{'type':'ROW','fields':[{'id':7,'name':'a','type':'INT','description':'d'},"
         "{'id':8,'name':'b','type':'STRING','defaultValue':'x'}]}",
         "ROW<`a` INT 'd', `b` STRING>"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        const weir_type *type = NULL;
        json_t *json = parse_json(cases[i].json);
        check_ok(weir_type_from_json(json, "schema-0", &arena, &type, &err), &err);
        assert_string_equal(weir_type_text(&arena, type), cases[i].text);
        json_t *written = weir_type_to_json(type);
        assert_true(json_equal(json, written));
        json_decref(written);
        json_decref(json);
    }
    weir_arena_free(&arena);
}

static void damaged_json_types_are_corrupt(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "1",
        "null",
        "'INTT'",
        "{'type':'ARRAY'}",
        "{'type':'ARRAYS','element':'INT'}",
        "{'type':'MAP','key':'INT'}",
        "{'type':'ROW'}",
        "{'type':'ROW','fields':[1]}",
        "{'type':'ROW','fields':[{'id':99999999999,'name':'a','type':'INT'}]}",
        "{'type':'ROW','fields':[{'id':1,'name':'a'}]}",
        "{'type':'ROW','fields':[{'id':1,'type':'INT'}]}",
        "{'element':'INT'}",
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err = {0};
        const weir_type *type = NULL;
        json_t *json = parse_json(cases[i]);
        assert_int_equal(weir_type_from_json(json, "schema-0", &arena, &type, &err), WEIR_CORRUPT);
        assert_int_equal(err.code, WEIR_CORRUPT);
        assert_non_null(strstr(err.message, "schema-0"));
        json_decref(json);
    }
    weir_arena_free(&arena);
}

static void a_copy_is_equal_and_outlives_the_original(void **state)
{
    (void)state;
    static const char text[] =
        "ROW<`a` MAP<STRING NOT NULL, DECIMAL(38, 2)> 'about a', `b` ARRAY<ROW<`c` TIME(3)>> NOT NULL>";
    weir_arena first;
    weir_arena second;
    weir_arena_init(&first);
    weir_arena_init(&second);
    const weir_type *type = parse_type(&first, text);
    const weir_type *copy = weir_type_copy(&second, type);
    assert_true(weir_type_equal(type, copy, false));
    weir_arena_free(&first);
    assert_string_equal(weir_type_text(&second, copy), text);
    weir_arena_free(&second);
}

static void equality_looks_at_parts_and_can_ignore_nullability(void **state)
{
    (void)state;
    static const struct {
        const char *a;
        const char *b;
        bool equal;
        bool equal_but_nullability;
    } cases[] = {
        {"INT", "INT", true, true},
        {"INT", "INT NOT NULL", false, true},
        {"ARRAY<INT NOT NULL>", "ARRAY<INT>", false, true},
        {"INT", "BIGINT", false, false},
        {"CHAR(2)", "CHAR(3)", false, false},
        {"DECIMAL(5,2)", "DECIMAL(5,1)", false, false},
        {"MAP<INT, INT>", "MAP<INT, STRING>", false, false},
        {"MAP<INT, INT>", "MULTISET<INT>", false, false},
        {"ROW<a INT>", "ROW<b INT>", false, false},
        {"ROW<a INT>", "ROW<a INT, b INT>", false, false},
        {"ROW<a INT NOT NULL>", "ROW<a INT>", false, true},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const weir_type *a = parse_type(&arena, cases[i].a);
        const weir_type *b = parse_type(&arena, cases[i].b);
        assert_int_equal(weir_type_equal(a, b, false), cases[i].equal);
        assert_int_equal(weir_type_equal(a, b, true), cases[i].equal_but_nullability);
    }
    weir_arena_free(&arena);
}

static void simple_types_have_the_defaults_of_sql(void **state)
{
    (void)state;
    static const struct {
        weir_type_id id;
        const char *text;
    } cases[] = {
        {WEIR_DECIMAL, "DECIMAL(10, 0)"}, {WEIR_CHAR, "CHAR(1)"},    {WEIR_VARCHAR, "STRING"},
        {WEIR_BINARY, "BINARY(1)"},       {WEIR_VARBINARY, "BYTES"}, {WEIR_TIME, "TIME(0)"},
        {WEIR_TIMESTAMP, "TIMESTAMP(6)"}, {WEIR_VARIANT, "VARIANT"}, {WEIR_NULL, "NULL"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(weir_type_text(&arena, weir_type_simple(cases[i].id, true)), cases[i].text);
        assert_false(weir_type_simple(cases[i].id, false)->nullable);
        assert_true(
            weir_type_equal(weir_type_simple(cases[i].id, true), weir_type_new(&arena, cases[i].id, true), false));
    }
    assert_null(weir_type_simple(WEIR_ARRAY, true));
    assert_null(weir_type_simple(WEIR_ROW, true));
    const weir_type *type = weir_type_simple(WEIR_INT, true);
    assert_ptr_equal(weir_type_nullable(&arena, type, true), type);
    assert_string_equal(weir_type_text(&arena, weir_type_nullable(&arena, type, false)), "INT NOT NULL");
    weir_arena_free(&arena);
}

static void check_schema_file(const char *path, void *context)
{
    weir_error err;
    weir_arena arena;
    weir_buffer text = {0};
    json_t *schema = NULL;
    weir_arena_init(&arena);
    assert_true(golden_read(path, &text));
    check_ok(weir_json_parse(weir_buffer_slice(&text), path, &schema, &err), &err);
    const json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        weir_field field;
        check_ok(weir_field_from_json(json_array_get(fields, i), path, &arena, &field, &err), &err);
        json_t *written = weir_field_to_json(&field);
        assert_true(json_equal(written, json_array_get(fields, i)));
        json_decref(written);
        ++*(int *)context;
    }
    json_decref(schema);
    weir_buffer_free(&text);
    weir_arena_free(&arena);
}

static void fields_of_all_golden_schemas_are_written_as_they_were_read(void **state)
{
    (void)state;
    int fields = 0;
    if (golden_available()) {
        golden_walk(golden_root(), "schema-", check_schema_file, &fields);
        assert_true(fields > 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_text_is_read_and_written),
        cmocka_unit_test(wrong_type_text_is_refused_with_its_place),
        cmocka_unit_test(endless_nesting_is_refused),
        cmocka_unit_test(types_with_parts_are_objects_in_json),
        cmocka_unit_test(damaged_json_types_are_corrupt),
        cmocka_unit_test(a_copy_is_equal_and_outlives_the_original),
        cmocka_unit_test(equality_looks_at_parts_and_can_ignore_nullability),
        cmocka_unit_test(simple_types_have_the_defaults_of_sql),
        cmocka_unit_test(fields_of_all_golden_schemas_are_written_as_they_were_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
