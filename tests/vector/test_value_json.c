/* Values as JSON, both ways, and against all rows that the Java tool printed of the golden tables. */
#include "base/json.h"

#include "golden.h"
#include "rows.h"
#include "vector/variant.h"

static void values_are_written_as_they_were_read(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *json;
        const char *expected; /* NULL: the same, quotes being single */
    } cases[] = {
        {"BOOLEAN", "true", NULL},
        {"BOOLEAN", "null", NULL},
        {"TINYINT", "-128", NULL},
        {"SMALLINT", "32767", NULL},
        {"INT", "'7'", "7"},
        {"BIGINT", "-9223372036854775808", NULL},
        {"FLOAT", "3.4028235E38", NULL},
        {"FLOAT", "1", "1.0"},
        {"FLOAT", "'NaN'", NULL},
        {"DOUBLE", "1e10", "1.0E10"},
        {"DOUBLE", "-0.0", NULL},
        {"DOUBLE", "'-Infinity'", NULL},
        {"DECIMAL(10,2)", "'-1.50'", NULL},
        {"DECIMAL(10,2)", "7", "'7.00'"},
        {"DECIMAL(10,2)", "1.1", "'1.10'"},
        {"DECIMAL(38,0)", "'99999999999999999999999999999999999999'", NULL},
        {"CHAR(4)", "'ab'", NULL},
        {"STRING", "''", NULL},
        {"STRING", "'h\xc3\xa9llo \xf0\x9f\x98\x80'", NULL},
        {"STRING", "'\\u0000\\b\\f\\n\\r\\t\\u001f\\u007f\\\\'", "'\\u0000\\u0008\\u000c\\n\\r\\t\\u001f\\u007f\\\\'"},
        {"STRING", "'a/b\\u0022'", "'a/b\\''"},
        {"BYTES", "'00FFab'", "'00ffab'"},
        {"BINARY(2)", "''", NULL},
        {"DATE", "'2024-02-29'", NULL},
        {"DATE", "-1", "'1969-12-31'"},
        {"DATE", "'+10000-01-01'", NULL},
        {"DATE", "'-0001-12-31'", NULL},
        {"TIME(0)", "'23:59:59.999'", NULL},
        {"TIME(3)", "'12:34'", "'12:34:00.000'"},
        {"TIME(3)", "1", "'00:00:00.001'"},
        {"TIMESTAMP(0)", "'1969-12-31 23:59:59'", NULL},
        {"TIMESTAMP(1)", "'2024-02-29 12:34:56.7'", NULL},
        {"TIMESTAMP(3)", "'2024-02-29T12:34:56.789'", "'2024-02-29 12:34:56.789'"},
        {"TIMESTAMP(6)", "'0001-01-01 00:00:00.000001'", NULL},
        {"TIMESTAMP(9)", "'1677-01-01 00:00:00.000000001'", NULL},
        {"TIMESTAMP(9)", "'9999-12-31 23:59:59.999999999'", NULL},
        {"TIMESTAMP_LTZ(3)", "'2024-02-29 12:34:56.789Z'", NULL},
        {"TIMESTAMP_LTZ(9)", "'1969-12-31 23:59:59.999999999Z'", NULL},
        {"ARRAY<INT>", "[]", NULL},
        {"ARRAY<INT>", "[1,null,-3]", NULL},
        {"ARRAY<ARRAY<STRING>>", "[['a',null],[],null]", NULL},
        {"MAP<STRING,INT>", "[['b',2],['a',null]]", "[['a',null],['b',2]]"},
        {"MAP<INT,ROW<x INT>>", "[[9,[1]],[10,null]]", "[[10,null],[9,[1]]]"},
        {"MULTISET<STRING>", "[['b',2],['a',1]]", "[['a',1],['b',2]]"},
        {"ROW<a INT, b ROW<c STRING, d MAP<STRING, ARRAY<INT>>>>", "[1,['x',[['k',[1,2]]]]]", NULL},
        {"ROW<a INT>", "null", NULL},
        {"ROW<>", "[]", NULL},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_vector vector;
        json_t *json = parse_json(cases[i].json);
        char *expected = weir_strdup(cases[i].expected != NULL ? cases[i].expected : cases[i].json);
        for (char *c = expected; *c != 0; c++) {
            *c = *c == '\'' ? '"' : *c;
        }
        weir_vector_init(&vector, parse_type(&arena, cases[i].type));
        append_json(&vector, json);
        assert_string_equal(json_text(&vector, 0), expected);
        weir_vector_free(&vector);
        free(expected);
        json_decref(json);
    }
    weir_arena_free(&arena);
}

static void json_of_another_type_is_refused_with_the_value(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        const char *json;
    } cases[] = {
        {"BOOLEAN", "1"},
        {"TINYINT", "128"},
        {"INT", "1.5"},
        {"INT", "'x'"},
        {"INT", "[1]"},
        {"BIGINT", "{}"},
        {"DOUBLE", "true"},
        {"DECIMAL(3,1)", "'100'"},
        {"STRING", "1"},
        {"BYTES", "'0'"},
        {"BYTES", "'0g'"},
        {"BYTES", "1"},
        {"DATE", "'2024-02-30'"},
        {"DATE", "2147483648"},
        {"DATE", "'10000-01-01'"},
        {"TIME(3)", "'25:00'"},
        {"TIMESTAMP(3)", "'2024-02-29'"},
        {"TIMESTAMP(3)", "1"},
        {"TIMESTAMP(6)", "'+999999999-01-01 00:00:00'"},
        {"ARRAY<INT>", "1"},
        {"ARRAY<INT>", "['x']"},
        {"MAP<INT,INT>", "[[1]]"},
        {"MAP<INT,INT>", "[1]"},
        {"ROW<a INT>", "[1,2]"},
        {"ROW<a INT>", "{'a':1}"},
        {"VARIANT", "'{'"},
        {"NULL", "1"},
    };
    weir_arena arena;
    weir_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_vector vector;
        weir_error err = {0};
        json_t *json = parse_json(cases[i].json);
        weir_vector_init(&vector, parse_type(&arena, cases[i].type));
        assert_int_equal(weir_vector_append_json(&vector, json, &err), WEIR_INVALID);
        assert_int_equal(vector.length, 0);
        assert_true(strlen(err.message) > 10);
        weir_vector_free(&vector);
        json_decref(json);
    }
    weir_arena_free(&arena);
}

/* Java sorts by UTF-16 units, in which U+1F600 (d83d de00) comes before U+FF5E. */
static void map_entries_are_sorted_as_java_sorts_strings(void **state)
{
    (void)state;
    test_rows rows;
    rows_start(&rows, "MAP<STRING, INT>");
    rows_add(&rows, "[[[['\xef\xbd\x9e',1],['\xf0\x9f\x98\x80',2],['\xee\x80\x80',3],['z',4],['',5]]]]");
    assert_string_equal(json_text(&rows.batch.columns[0], 0),
                        "[[\"\",5],[\"z\",4],[\"\xf0\x9f\x98\x80\",2],[\"\xee\x80\x80\",3],[\"\xef\xbd\x9e\",1]]");
    rows_free(&rows);
}

static void bytes_in_text_that_are_no_utf8_are_replaced(void **state)
{
    (void)state;
    weir_error err;
    weir_vector vector;
    weir_vector_init(&vector, weir_type_simple(WEIR_VARCHAR, true));
    check_ok(weir_vector_append_raw(&vector, "a\xff\"\n", 4, &err), &err);
    assert_string_equal(json_text(&vector, 0), "\"a\xef\xbf\xbd\\\"\\n\"");
    weir_vector_free(&vector);
}

/* ---- VARIANT ---- */

static void append_from_hex(const char *hex, weir_buffer *out)
{
    for (size_t i = 0; hex[i] != 0; i += 2) {
        unsigned byte;
        assert_int_equal(sscanf(hex + i, "%2x", &byte), 1);
        weir_buffer_append_byte(out, (uint8_t)byte);
    }
}

static void check_variant(const char *value_hex, const char *metadata_hex, const char *json)
{
    weir_buffer value = {0};
    weir_buffer metadata = {0};
    weir_buffer text = {0};
    weir_error err;
    append_from_hex(value_hex, &value);
    append_from_hex(metadata_hex, &metadata);
    int code = weir_variant_to_json(weir_buffer_slice(&value), weir_buffer_slice(&metadata), &text, &err);
    if (json == NULL) {
        assert_int_equal(code, WEIR_CORRUPT);
    } else {
        check_ok(code, &err);
        assert_string_equal(weir_buffer_text(&text), json);
    }
    weir_buffer_free(&value);
    weir_buffer_free(&metadata);
    weir_buffer_free(&text);
}

static void variants_of_every_primitive_read_as_json(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        const char *json;
    } cases[] = {
        {"00", "null"},
        {"04", "true"},
        {"08", "false"},
        {"0cff", "-1"},
        {"100080", "-32768"},
        {"14ffffff7f", "2147483647"},
        {"180000000000000080", "-9223372036854775808"},
        {"1c000000000000f83f", "1.5"},
        {"1c000000000000f07f", "\"Infinity\""},
        {"2002eeffffff", "-0.18"},
        {"2404ffffffffffffffff", "-0.0001"},
        {"280a00000000000000000100000000000000", "1844674407.3709551616"},
        {"2cffffffff", "\"1969-12-31\""},
        {"30ffffffffffffffff", "\"1969-12-31 23:59:59.999999+00:00\""},
        {"34a086010000000000", "\"1970-01-01 00:00:00.1\""},
        {"340000000000000000", "\"1970-01-01 00:00:00\""},
        {"380000c07f", "\"NaN\""},
        {"380000c03f", "1.5"},
        {"3c0400000001020304", "\"AQIDBA==\""},
        {"3c03000000010203", "\"AQID\""},
        {"4003000000610a62", "\"a\\nb\""},
        {"0d616263", "\"abc\""},
        {"50000102030405060708090a0b0c0d0e0f", "\"00010203-0405-0607-0809-0a0b0c0d0e0f\""},
        {"0303000204060c010c020c03", "[1,2,3]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_variant(cases[i].value, "010000", cases[i].json);
    }
}

static void damaged_variants_are_corrupt(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        const char *metadata;
    } cases[] = {
        {"", "010000"},                   /* nothing */
        {"00", ""},                       /* no version */
        {"00", "020000"},                 /* another version */
        {"0c", "010000"},                 /* a number without its byte */
        {"0d6162", "010000"},             /* a text cut short */
        {"40ffffff7f61", "010000"},       /* a text of 2 GB */
        {"4c", "010000"},                 /* no primitive */
        {"202700000000", "010000"},       /* a scale of 39 */
        {"0203", "010000"},               /* an object without fields */
        {"02010000010c01", "010000"},     /* a key that is not there */
        {"02010000020c01", "0101000561"}, /* a key that ends beyond the metadata */
        {"0301ff0100", "010000"},         /* an offset beyond the end */
        {"13ffffff7f0000", "010000"},     /* two thousand million elements */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_variant(cases[i].value, cases[i].metadata, NULL);
    }
    check_variant("030200000100", "010000", "[null,null]"); /* values may overlap */
}

/* Each array's elements all are the next array: the JSON of 64 bytes would be endless. */
static void variants_that_fan_out_are_corrupt(void **state)
{
    (void)state;
    weir_buffer value = {0};
    weir_buffer text = {0};
    for (int depth = 0; depth < 40; depth++) {
        weir_buffer_append(&value, "\x03\x02\x00\x00\x00", 5);
    }
    weir_buffer_append_byte(&value, 0);
    assert_int_equal(weir_variant_to_json(weir_buffer_slice(&value), weir_slice_of("\x01\0\0", 3), &text, NULL),
                     WEIR_CORRUPT);
    weir_buffer_free(&value);
    weir_buffer_free(&text);
}

static void damage_anywhere_in_a_variant_is_survived(void **state)
{
    (void)state;
    static const char json[] =
        "{\"a\":[1,2.5,1e9,\"text\",null,{\"b\":true,\"c\":[]}],\"long\":\"0123456789012345678901234567890123"
        "4567890123456789012345678901234567890123456789\",\"n\":123456789012345678901234567890}";
    random_state random = random_start();
    weir_error err;
    weir_buffer value = {0};
    weir_buffer metadata = {0};
    check_ok(weir_variant_from_json(weir_slice_text(json), &value, &metadata, &err), &err);
    for (int round = 0; round < 20000; round++) {
        uint8_t *damaged_value = malloc(value.size); /* of its own size, so that reading beyond it is seen */
        uint8_t *damaged_metadata = malloc(metadata.size);
        weir_buffer text = {0};
        memcpy(damaged_value, value.data, value.size);
        memcpy(damaged_metadata, metadata.data, metadata.size);
        for (uint64_t i = random_below(&random, 4); i > 0; i--) {
            damaged_value[random_below(&random, value.size)] = (uint8_t)random_next(&random);
        }
        damaged_metadata[random_below(&random, metadata.size)] ^= (uint8_t)(random_below(&random, 8) == 0 ? 0x40 : 0);
        size_t size = random_below(&random, 8) == 0 ? random_below(&random, value.size) : value.size;
        weir_variant_to_json(weir_slice_of(damaged_value, size), weir_slice_of(damaged_metadata, metadata.size), &text,
                             NULL);
        weir_buffer_free(&text);
        free(damaged_value);
        free(damaged_metadata);
    }
    weir_buffer_free(&value);
    weir_buffer_free(&metadata);
}

static void json_becomes_the_variant_that_java_makes(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        const char *value;
        const char *metadata;
    } cases[] = {
        {"{\"a\":1,\"b\":[true,null,\"x\"],\"c\":{\"d\":1.5}}",
         "020300010200020c170c0103030001020404000578020103000620010f000000", "0104000102030461626364"},
        {" [ ] ", "030000", "010000"},
        {"\"str\"", "0d737472", "010000"},
        {"12345678901234", "18f22fce733a0b0000", "010000"},
        {"1.25", "20027d000000", "010000"},
        {"{}", "020000", "010000"},
        {"{\"b\":1,\"a\":2}", "020201000200040c010c02", "01020001026261"},
        {"1e3", "1c0000000000408f40", "010000"},
        {"-0", "0c00", "010000"},
        {"128", "108000", "010000"},
        {"9223372036854775808", "280000000000000000800000000000000000", "010000"},
        {"\"\\u00e9\\ud83d\\ude00\\ud83d\\n\"", "21c3a9f09f98803f0a", "010000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_error err;
        weir_buffer value = {0};
        weir_buffer metadata = {0};
        weir_buffer expected_value = {0};
        weir_buffer expected_metadata = {0};
        check_ok(weir_variant_from_json(weir_slice_text(cases[i].json), &value, &metadata, &err), &err);
        append_from_hex(cases[i].value, &expected_value);
        append_from_hex(cases[i].metadata, &expected_metadata);
        assert_int_equal(value.size, expected_value.size);
        assert_memory_equal(value.data, expected_value.data, value.size);
        assert_int_equal(metadata.size, expected_metadata.size);
        assert_memory_equal(metadata.data, expected_metadata.data, metadata.size);
        weir_buffer_free(&value);
        weir_buffer_free(&metadata);
        weir_buffer_free(&expected_value);
        weir_buffer_free(&expected_metadata);
    }
}

static void large_containers_get_wide_numbers(void **state)
{
    (void)state;
    weir_error err;
    weir_buffer json = {0};
    weir_buffer value = {0};
    weir_buffer metadata = {0};
    weir_buffer back = {0};
    weir_buffer_append_byte(&json, '{');
    for (int i = 0; i < 70000; i++) {
        weir_buffer_append_format(&json, "%s\"key%05d\":[%d,\"%080d\"]", i > 0 ? "," : "", i, i, i);
    }
    weir_buffer_append_byte(&json, '}');
    check_ok(weir_variant_from_json(weir_buffer_slice(&json), &value, &metadata, &err), &err);
    check_ok(weir_variant_to_json(weir_buffer_slice(&value), weir_buffer_slice(&metadata), &back, &err), &err);
    assert_true(weir_slice_equal(weir_buffer_slice(&json), weir_buffer_slice(&back)));
    weir_buffer_free(&json);
    weir_buffer_free(&value);
    weir_buffer_free(&metadata);
    weir_buffer_free(&back);
}

static void text_that_is_no_json_makes_no_variant(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",         " ",          "nul",    "tru",  "{",
        "[",        "[1",         "[1,]",   "[,1]", "{\"a\"}",
        "{\"a\":}", "{\"a\":1,}", "{a:1}",  "01",   "1.",
        ".5",       "-",          "1e",     "+1",   "\"",
        "\"\\x\"",  "\"\\u12\"",  "\"\t\"", "1 2",  "{\"a\":1,\"a\":2}",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        weir_buffer value = {0};
        weir_buffer metadata = {0};
        assert_int_equal(weir_variant_from_json(weir_slice_text(cases[i]), &value, &metadata, NULL), WEIR_INVALID);
        weir_buffer_free(&value);
        weir_buffer_free(&metadata);
    }
    weir_buffer deep = {0};
    weir_buffer value = {0};
    weir_buffer metadata = {0};
    for (int i = 0; i < 100000; i++) {
        weir_buffer_append_byte(&deep, '[');
    }
    assert_int_equal(weir_variant_from_json(weir_buffer_slice(&deep), &value, &metadata, NULL), WEIR_INVALID);
    weir_buffer_free(&deep);
    weir_buffer_free(&value);
    weir_buffer_free(&metadata);
}

static void variants_in_vectors_are_printed_with_their_bytes(void **state)
{
    (void)state;
    weir_error err;
    test_rows rows;
    rows_start(&rows, "VARIANT");
    rows_add(&rows, "[[1.25], ['[1]'], [{'json':'{}'}], [{'x':null}], [null]]");
    static const char *const expected[] = {
        "{\"json\":\"1.25\",\"value\":\"20027d000000\",\"metadata\":\"010000\"}",
        "{\"json\":\"[1]\",\"value\":\"030100020c01\",\"metadata\":\"010000\"}",
        "{\"json\":\"{}\",\"value\":\"020000\",\"metadata\":\"010000\"}",
        "{\"json\":\"{\\\"x\\\":null}\",\"value\":\"020100000100\",\"metadata\":\"0101000178\"}",
        "null",
    };
    weir_vector *column = &rows.batch.columns[0];
    for (int64_t i = 0; i < 5; i++) {
        assert_string_equal(json_text(column, i), expected[i]);
    }
    check_ok(weir_vector_append_raw(&column->children[0], "\xff", 1, &err), &err);
    check_ok(weir_vector_append_raw(&column->children[1], "\x01", 1, &err), &err);
    check_ok(weir_vector_append_struct(column, &err), &err);
    assert_string_equal(json_text(column, 5), "{\"json\":null,\"value\":\"ff\",\"metadata\":\"01\"}");
    rows_free(&rows);
}

/* ---- golden tables ---- */

static const weir_type *golden_row_type(weir_arena *arena, const char *about_path)
{
    weir_error err;
    weir_buffer text = {0};
    json_t *about = NULL;
    assert_true(golden_read(about_path, &text));
    check_ok(weir_json_parse(weir_buffer_slice(&text), about_path, &about, &err), &err);
    const json_t *fields = json_object_get(json_object_get(about, "schema"), "fields");
    int count = (int)json_array_size(fields);
    weir_field *row_fields = WEIR_NEW_ARRAY(arena, weir_field, count);
    for (int i = 0; i < count; i++) {
        check_ok(weir_field_from_json(json_array_get(fields, (size_t)i), about_path, arena, &row_fields[i], &err),
                 &err);
    }
    json_decref(about);
    weir_buffer_free(&text);
    return weir_type_row(arena, row_fields, count, true);
}

static int check_golden_line(weir_vector *vector, const char *path, weir_slice line)
{
    weir_error err;
    json_error_t problem;
    weir_buffer written = {0};
    json_t *json = json_loadb((const char *)line.data, line.size, JSON_ALLOW_NUL, &problem);
    assert_non_null(json);
    check_ok(weir_vector_append_json(vector, json, &err), &err);
    weir_value_to_json(vector, vector->length - 1, &written);
    if (!weir_slice_equal(line, weir_buffer_slice(&written))) {
        fail_msg("%s\nexpected %.*s\nwritten  %s", path, (int)line.size, (const char *)line.data,
                 weir_buffer_text(&written));
    }
    weir_buffer_free(&written);
    json_decref(json);
    return 1;
}

static void check_golden_rows(const char *about_path, void *context)
{
    weir_arena arena;
    weir_vector vector;
    weir_buffer lines = {0};
    char path[4096];
    weir_arena_init(&arena);
    weir_vector_init(&vector, golden_row_type(&arena, about_path));
    snprintf(path, sizeof path, "%.*sexpected.jsonl", (int)(strlen(about_path) - strlen("about.json")), about_path);
    golden_read(path, &lines);
    for (size_t begin = 0; begin < lines.size;) {
        const uint8_t *end = memchr(lines.data + begin, '\n', lines.size - begin);
        size_t size = end == NULL ? lines.size - begin : (size_t)(end - (lines.data + begin));
        *(int *)context += check_golden_line(&vector, path, weir_slice_of(lines.data + begin, size));
        begin += size + 1;
        if (vector.length == 1000) {
            weir_vector_clear(&vector);
        }
    }
    weir_buffer_free(&lines);
    weir_vector_free(&vector);
    weir_arena_free(&arena);
}

static void rows_of_all_golden_tables_are_written_as_java_writes_them(void **state)
{
    (void)state;
    int rows = 0;
    if (golden_available()) {
        golden_walk(golden_root(), "about.json", check_golden_rows, &rows);
        printf("%d rows\n", rows);
        assert_true(rows > 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_written_as_they_were_read),
        cmocka_unit_test(json_of_another_type_is_refused_with_the_value),
        cmocka_unit_test(map_entries_are_sorted_as_java_sorts_strings),
        cmocka_unit_test(bytes_in_text_that_are_no_utf8_are_replaced),
        cmocka_unit_test(variants_of_every_primitive_read_as_json),
        cmocka_unit_test(damaged_variants_are_corrupt),
        cmocka_unit_test(variants_that_fan_out_are_corrupt),
        cmocka_unit_test(damage_anywhere_in_a_variant_is_survived),
        cmocka_unit_test(json_becomes_the_variant_that_java_makes),
        cmocka_unit_test(large_containers_get_wide_numbers),
        cmocka_unit_test(text_that_is_no_json_makes_no_variant),
        cmocka_unit_test(variants_in_vectors_are_printed_with_their_bytes),
        cmocka_unit_test(rows_of_all_golden_tables_are_written_as_java_writes_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
