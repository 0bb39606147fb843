/* JSON documents: reading members, writing as Jackson's pretty printer does. */
#include "base/json.h"

#include "cmocka_all.h"
#include "golden.h"

static json_t *parse(const char *text)
{
    json_t *document = NULL;
    weir_error err;
    if (weir_json_parse(weir_slice_text(text), "test.json", &document, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    return document;
}

static void documents_print_as_jackson_does(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *pretty;
    } cases[] = {
        {"{}", "{ }"},
        {"[]", "[ ]"},
        {"[1,2,[]]", "[ 1, 2, [ ] ]"},
        {"{\"a\":1,\"b\":[1,2]}", "{\n  \"a\" : 1,\n  \"b\" : [ 1, 2 ]\n}"},
        {"{\"b\":{\"a\":{}}}", "{\n  \"b\" : {\n    \"a\" : { }\n  }\n}"},
        {"{\"f\":[{\"id\":0},{\"id\":1}]}", "{\n  \"f\" : [ {\n    \"id\" : 0\n  }, {\n    \"id\" : 1\n  } ]\n}"},
        {"[true,false,null,-9223372036854775808]", "[ true, false, null, -9223372036854775808 ]"},
        {"[1.0,1e10,0.1]", "[ 1.0, 1.0E10, 0.1 ]"},
        {"\"a\\u001fb\\n\\t\\\\\\\"\\/\"", "\"a\\u001Fb\\n\\t\\\\\\\"/\""},
        {"\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *document = parse(cases[i].text);
        weir_buffer out = {0};
        weir_json_write_pretty(document, &out);
        assert_string_equal(weir_buffer_text(&out), cases[i].pretty);
        weir_buffer_free(&out);
        json_decref(document);
    }
}

static void strings_escape_controls_only(void **state)
{
    (void)state;
    weir_buffer out = {0};
    weir_json_write_string(weir_slice_of("a\0\b\f\r\x7f'<", 8), &out);
    assert_string_equal(weir_buffer_text(&out), "\"a\\u0000\\b\\f\\r\x7f'<\"");
    weir_buffer_clear(&out);
    weir_json_write_string((weir_slice){0}, &out);
    assert_string_equal(weir_buffer_text(&out), "\"\"");
    weir_buffer_free(&out);
}

static void members_are_read_by_type(void **state)
{
    (void)state;
    json_t *document = parse("{\"s\":\"x\",\"n\":-5,\"a\":[1],\"o\":{},\"z\":null}");
    const char *text = NULL;
    int64_t number = 0;
    json_t *array = NULL;
    json_t *object = NULL;
    assert_int_equal(weir_json_get_string(document, "s", true, "f", &text, NULL), WEIR_OK);
    assert_int_equal(weir_json_get_int64(document, "n", true, "f", &number, NULL), WEIR_OK);
    assert_int_equal(weir_json_get_array(document, "a", true, "f", &array, NULL), WEIR_OK);
    assert_int_equal(weir_json_get_object(document, "o", true, "f", &object, NULL), WEIR_OK);
    assert_string_equal(text, "x");
    assert_int_equal(number, -5);
    assert_int_equal(json_array_size(array), 1);
    assert_non_null(object);
    json_decref(document);
}

static void optional_members_leave_the_default(void **state)
{
    (void)state;
    json_t *document = parse("{\"z\":null}");
    int64_t number = 42;
    const char *text = "default";
    assert_int_equal(weir_json_get_int64(document, "absent", false, "f", &number, NULL), WEIR_OK);
    assert_int_equal(weir_json_get_int64(document, "z", false, "f", &number, NULL), WEIR_OK);
    assert_int_equal(weir_json_get_string(document, "z", false, "f", &text, NULL), WEIR_OK);
    assert_int_equal(number, 42);
    assert_string_equal(text, "default");
    json_decref(document);
}

static void wrong_members_name_the_file_and_the_member(void **state)
{
    (void)state;
    json_t *document = parse("{\"s\":\"x\",\"r\":1.5,\"z\":null}");
    weir_error err;
    int64_t number = 0;
    json_t *value = NULL;
    assert_int_equal(weir_json_get_int64(document, "id", true, "schema-0", &number, &err), WEIR_CORRUPT);
    assert_string_equal(err.message, "schema-0: the member \"id\" is missing");
    assert_int_equal(weir_json_get_int64(document, "z", true, "schema-0", &number, &err), WEIR_CORRUPT);
    assert_int_equal(weir_json_get_int64(document, "s", false, "schema-0", &number, &err), WEIR_CORRUPT);
    assert_string_equal(err.message, "schema-0: the member \"s\" should be a whole number but is a string");
    assert_int_equal(weir_json_get_int64(document, "r", true, "schema-0", &number, &err), WEIR_CORRUPT);
    assert_int_equal(weir_json_get_array(document, "s", true, "schema-0", &value, &err), WEIR_CORRUPT);
    assert_int_equal(weir_json_get_object(document, "s", true, "schema-0", &value, &err), WEIR_CORRUPT);
    assert_int_equal(weir_json_get_int64(json_object_get(document, "s"), "id", false, "schema-0", &number, &err),
                     WEIR_CORRUPT);
    assert_int_equal(weir_json_get_int64(NULL, "id", true, "schema-0", &number, &err), WEIR_CORRUPT);
    json_decref(document);
}

static void malformed_documents_are_corrupt(void **state)
{
    (void)state;
    static const char *const cases[] = {"", "{", "{\"a\":}", "[1,]", "{\"a\":1} x", "\"\xff\"", "99999999999999999999"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *document = NULL;
        weir_error err;
        assert_int_equal(weir_json_parse(weir_slice_text(cases[i]), "snapshot-1", &document, &err), WEIR_CORRUPT);
        assert_memory_equal(err.message, "snapshot-1: ", 12);
        assert_null(strstr(err.message, "line -1")); /* jansson's, of texts without a byte */
        assert_null(document);
    }
}

static void nesting_without_end_is_corrupt(void **state)
{
    (void)state;
    weir_buffer text = {0};
    for (int i = 0; i < 1000000; i++) {
        weir_buffer_append_byte(&text, '[');
    }
    json_t *document = NULL;
    assert_int_equal(weir_json_parse(weir_buffer_slice(&text), "deep", &document, NULL), WEIR_CORRUPT);
    weir_buffer_free(&text);
}

static void print_again(const char *path, void *context)
{
    weir_buffer text = {0};
    weir_buffer printed = {0};
    json_t *document = NULL;
    weir_error err;
    assert_true(golden_read(path, &text));
    if (weir_json_parse(weir_buffer_slice(&text), path, &document, &err) != WEIR_OK) {
        fail_msg("%s", err.message);
    }
    weir_json_write_pretty(document, &printed);
    if (!weir_slice_equal(weir_buffer_slice(&text), weir_buffer_slice(&printed))) {
        fail_msg("%s prints as\n%s", path, weir_buffer_text(&printed));
    }
    json_decref(document);
    weir_buffer_free(&text);
    weir_buffer_free(&printed);
    ++*(int *)context;
}

static void metadata_files_print_as_they_were(void **state)
{
    (void)state;
    if (!golden_available()) {
        return;
    }
    int count = 0;
    golden_walk(golden_root(), "snapshot-", print_again, &count);
    golden_walk(golden_root(), "schema-", print_again, &count);
    golden_walk(golden_root(), "tag-", print_again, &count);
    assert_true(count > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_print_as_jackson_does),
        cmocka_unit_test(strings_escape_controls_only),
        cmocka_unit_test(members_are_read_by_type),
        cmocka_unit_test(optional_members_leave_the_default),
        cmocka_unit_test(wrong_members_name_the_file_and_the_member),
        cmocka_unit_test(malformed_documents_are_corrupt),
        cmocka_unit_test(nesting_without_end_is_corrupt),
        cmocka_unit_test(metadata_files_print_as_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
