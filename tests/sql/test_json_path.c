/* JSON texts as trees, and paths through them. */
#include "cmocka_all.h"
#include "random.h"
#include "sql/function/json_path.h"

/* What a path gives, as JSON; "error" for the path's errors, "nothing" when it finds nothing. */
static char *follow(const char *text, const char *path_text)
{
    weir_arena arena;
    weir_arena_init(&arena);
    weir_error err = {0};
    weir_json_path path;
    weir_dom_node *document;
    weir_dom_node *found = NULL;
    weir_buffer out = {0};
    if (weir_json_path_parse(weir_slice_text(path_text), &arena, &path, &err) != WEIR_OK) {
        weir_buffer_append_text(&out, "unsupported");
    } else if (!weir_dom_parse(weir_slice_text(text), &arena, &document)) {
        weir_buffer_append_text(&out, "no JSON");
    } else if (!path.valid || !weir_json_path_find(&path, document, &arena, &found)) {
        weir_buffer_append_text(&out, "error");
    } else if (found == NULL) {
        weir_buffer_append_text(&out, "nothing");
    } else {
        weir_dom_write(found, &out);
    }
    char *copy = strdup(weir_buffer_text(&out));
    weir_buffer_free(&out);
    weir_arena_free(&arena);
    return copy;
}

static void paths_find_what_jsonpath_finds(void **state)
{
    (void)state;
    static const char *const store =
        "{\"a\":[{\"b\":1,\"c\":\"x\"},{\"b\":2.5},{\"b\":null}],\"a b\":{\"k\":[1,[2,3]]},\"n\":null}";
    static const struct {
        const char *path, *found;
    } cases[] = {
        {"$.n", "null"},
        {"a[0].c", "\"x\""},
        {"$['a b'].k[1][-1]", "3"},
        {"$[\"a b\"].*", "[[1,[2,3]]]"},
        {"$.a[*].b", "[1,2.5,null]"},
        {"$.a[0,2].b", "[1,null]"},
        {"$.a[:2].b", "[1,2.5]"},
        {"$.a[-2:].b", "[2.5,null]"},
        {"$.a[1:99].b", "[2.5,null]"},
        {"$..b", "[1,2.5,null]"},
        {"$..[0]", "[{\"b\":1,\"c\":\"x\"},1,2]"},
        {"$.a[0]['b','c']", "{\"b\":1,\"c\":\"x\"}"},
        {"$.a[?(@.b > 1)]", "[{\"b\":2.5}]"},
        {"$.a[?(@.c == 'x' || @.b == 2.5)].b", "[1,2.5]"},
        {"$.a[?(!(@.c))].b", "[2.5,null]"},
        {"$.a[?(@.b in [1, 7])].c", "[\"x\"]"},
        {"$.a[?(@.b == $.a[0].b)].c", "[\"x\"]"},
        {"$.a.length()", "3"},
        {"$.a[0].keys()", "[\"b\",\"c\"]"},
        {"$.zz", "error"},
        {"lax $.zz", "nothing"},
        {"LAX  $.zz[*]", "[]"},
        {"strict $.a", "[{\"b\":1,\"c\":\"x\"},{\"b\":2.5},{\"b\":null}]"},
        {"$.a[9]", "error"},
        {"$.a.b", "error"},
        {"$.a[*].zz", "[]"},
        {"$.zz[*]", "error"},
        {"$.", "error"},
        {"$.a[", "error"},
        {"$.a[x]", "error"},
        {"$.a b", "error"},
        {"", "error"},
        {"$.a[?(@.b =~ /x/)]", "unsupported"},
        {"$.a.concat('x')", "unsupported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *found = follow(store, cases[i].path);
        if (strcmp(found, cases[i].found) != 0) {
            fail_msg("%s gave %s, not %s", cases[i].path, found, cases[i].found);
        }
        free(found);
    }
}

static void texts_are_read_as_jackson_reads_them(void **state)
{
    (void)state;
    static const struct {
        const char *text, *written;
    } cases[] = {
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}"},
        {" [ 1 , -0 , -0.0 , 1.50 , 1e3 , 12345678901234567890 ] tail", "[1,0,-0.0,1.5,1000.0,12345678901234567890]"},
        {"\"\\u0041\\ud83d\\ude00\\ud800\\n\\/\"", "\"A\xF0\x9F\x98\x80?\\n/\""},
        {"\"\x7F\"", "\"\x7F\""},
        {"01", "no JSON"},
        {"1.", "no JSON"},
        {"-", "no JSON"},
        {"NaN", "no JSON"},
        {"tru", "no JSON"},
        {"trues", "no JSON"},
        {"[1,]", "no JSON"},
        {"{\"a\" 1}", "no JSON"},
        {"{a:1}", "no JSON"},
        {"\"\\x\"", "no JSON"},
        {"\"a\nb\"", "no JSON"},
        {"\"\\u12\"", "no JSON"},
        {"\"", "no JSON"},
        {"", "no JSON"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *written = follow(cases[i].text, "$");
        if (strcmp(written, cases[i].written) != 0) {
            fail_msg("%s became %s, not %s", cases[i].text, written, cases[i].written);
        }
        free(written);
    }
}

static void nesting_without_end_is_refused(void **state)
{
    (void)state;
    enum { depth = 100000 };
    char *text = malloc(depth + 1);
    memset(text, '[', depth);
    text[depth] = '\0';
    char *found = follow(text, "$");
    assert_string_equal(found, "no JSON");
    free(found);
    for (int i = 0; i + 1 < depth; i += 2) {
        memcpy(text + i, "!(", 2);
    }
    weir_buffer path = {0};
    weir_buffer_append_format(&path, "$[?(%s", text);
    found = follow("[1]", weir_buffer_text(&path));
    assert_string_equal(found, "error");
    free(found);
    weir_buffer_free(&path);
    free(text);
}

static void paths_that_multiply_what_they_visit_give_up(void **state)
{
    (void)state;
    enum { depth = 400 };
    char text[depth * 2 + 2];
    memset(text, '[', depth);
    text[depth] = '1';
    memset(text + depth + 1, ']', depth);
    text[depth * 2 + 1] = '\0';
    char *found = follow(text, "$..*..*..*..*..*..*");
    assert_string_equal(found, "error");
    free(found);
}

/* Objects with many members are looked up by another way than those with few. */
static void repeated_members_of_large_objects_keep_the_last_value(void **state)
{
    (void)state;
    weir_buffer text = {0};
    weir_buffer_append_byte(&text, '{');
    for (int i = 0; i < 3000; i++) {
        weir_buffer_append_format(&text, "%s\"k%d\":%d", i == 0 ? "" : ",", i % 1000, i);
    }
    weir_buffer_append_byte(&text, '}');
    char *found = follow(weir_buffer_text(&text), "$.k7");
    assert_string_equal(found, "2007");
    free(found);
    found = follow(weir_buffer_text(&text), "$.length()");
    assert_string_equal(found, "1000");
    free(found);
    weir_buffer_free(&text);
}

/* Any bytes: an answer of some kind, and no sanitizer's complaint. */
static void random_texts_and_paths_do_no_harm(void **state)
{
    (void)state;
    static const char *const pieces[] = {"{",    "}",    "[",     "]",  ",", ":",        "\"a\"", "1", "-1.5e3",
                                         "true", "null", "\\u12", "$",  ".", "..",       "*",     "a", "[?(",
                                         "@.a",  ")",    "==",    "&&", "'", "\xC3\xA9", "()"};
    random_state random = random_start();
    for (int i = 0; i < 20000; i++) {
        weir_buffer parts[2] = {{0}, {0}};
        for (int part = 0; part < 2; part++) {
            weir_buffer_append_text(&parts[part], part == 1 ? "$" : "");
            for (uint64_t left = random_below(&random, 12); left > 0; left--) {
                weir_buffer_append_text(&parts[part], pieces[random_below(&random, sizeof pieces / sizeof *pieces)]);
            }
        }
        free(follow(weir_buffer_text(&parts[0]), weir_buffer_text(&parts[1])));
        free(follow("{\"a\":[1,{\"a\":\"x\"}]}", weir_buffer_text(&parts[1])));
        weir_buffer_free(&parts[0]);
        weir_buffer_free(&parts[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_find_what_jsonpath_finds),
        cmocka_unit_test(texts_are_read_as_jackson_reads_them),
        cmocka_unit_test(nesting_without_end_is_refused),
        cmocka_unit_test(paths_that_multiply_what_they_visit_give_up),
        cmocka_unit_test(repeated_members_of_large_objects_keep_the_last_value),
        cmocka_unit_test(random_texts_and_paths_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
