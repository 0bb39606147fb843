/* Rows out of messages: many texts at once, each for itself. */
#include "format/csv/csv.h"
#include "format/json/json.h"
#include "format/raw/raw.h"
#include "format/row_text_fixture.h"

enum { MOST = 1500 };

typedef struct test_messages {
    weir_row_messages base;
    uint8_t *data;
    uint32_t starts[MOST + 1];
    uint8_t is_null[MOST];
    int32_t row_counts[MOST];
} test_messages;

static void append_number(void *owner, int64_t message, weir_buffer *out)
{
    (void)owner;
    weir_buffer_append_format(out, "message %d", (int)message);
}

/* NULL is a message without text. */
static void put_messages(test_messages *messages, const char *const *texts, int64_t count)
{
    weir_buffer all = {0};
    for (int64_t i = 0; i < count; i++) {
        messages->starts[i] = (uint32_t)all.size;
        messages->is_null[i] = texts[i] == NULL;
        messages->row_counts[i] = -1;
        weir_buffer_append_text(&all, texts[i] == NULL ? "" : texts[i]);
        weir_buffer_append_byte(&all, 0);
    }
    messages->starts[count] = (uint32_t)all.size;
    messages->data = padded_copy((const char *)all.data, all.size);
    messages->base = (weir_row_messages){.data = messages->data,
                                         .starts = messages->starts,
                                         .is_null = messages->is_null,
                                         .count = count,
                                         .row_counts = messages->row_counts,
                                         .append_name = append_number};
    weir_buffer_free(&all);
}

/* Reads them, and closes the reader. */
static int read_all(weir_row_reader *reader, const test_columns *columns, test_messages *messages, weir_buffer *out,
                    weir_error *err)
{
    weir_batch batch;
    weir_batch_init(&batch, columns->fields, columns->count);
    int code = reader->read_messages(reader, &messages->base, &batch, err);
    if (code == WEIR_OK) {
        check_batch(&batch);
        append_rows_as_text(&batch, out);
    }
    weir_batch_free(&batch);
    reader->close(reader);
    free(messages->data);
    return code;
}

static weir_row_reader *open_json(const test_columns *columns, const weir_json_read_options *options)
{
    weir_error err;
    weir_row_reader *reader;
    check_ok(weir_json_open_reader(columns->fields, columns->count, options, &reader, &err), &err);
    return reader;
}

static void a_message_makes_as_many_rows_as_it_has(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "{\"a\":1}", NULL, "{ \"a\" :\n 2 }\n", "null", "[{\"a\":3},{\"a\":4}]", "[]", "{\"a\":\"5\"}", "{}"};
    static const int32_t counts[] = {1, 0, 1, 0, 2, 0, 1, 1};
    test_columns columns;
    test_messages messages;
    weir_buffer rows = {0};
    weir_error err;
    columns_start(&columns, "a INT");
    put_messages(&messages, texts, 8);
    const weir_json_read_options options = {0};
    check_ok(read_all(open_json(&columns, &options), &columns, &messages, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), "+I[1]\n+I[2]\n+I[3]\n+I[4]\n+I[5]\n+I[null]\n");
    assert_memory_equal(messages.row_counts, counts, sizeof counts);
    weir_buffer_free(&rows);
    weir_arena_free(&columns.arena);
}

static void events_come_from_messages_and_tombstones_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {"{\"before\":null,\"after\":{\"a\":1},\"op\":\"c\"}", NULL, "",
                                        "{\"before\":{\"a\":1},\"after\":{\"a\":2},\"op\":\"u\"}"};
    static const int32_t counts[] = {1, 0, 0, 2};
    test_columns columns;
    test_messages messages;
    weir_buffer rows = {0};
    weir_error err;
    columns_start(&columns, "a INT");
    put_messages(&messages, texts, 4);
    const weir_json_read_options options = {.kind = WEIR_JSON_DEBEZIUM};
    check_ok(read_all(open_json(&columns, &options), &columns, &messages, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), "+I[1]\n-U[1]\n+U[2]\n");
    assert_memory_equal(messages.row_counts, counts, sizeof counts);
    weir_buffer_free(&rows);
    weir_arena_free(&columns.arena);
}

typedef struct bad_case {
    const char *text;
    const char *message;
} bad_case;

/* The bad one stands among a thousand good ones, so that it is not the first that is looked at. */
static void what_is_wrong_is_told_with_its_message(void **state)
{
    (void)state;
    static const bad_case cases[] = {
        {"{\"a\":1", "message 1111: line 1, column 7: expected ',' or '}', found the end of the text"},
        {"{\"a\":\"x\"}", "message 1111: line 1: field 'a': 'x' is no INT"},
        {"{\"a\":\"no end", "message 1111: line 1, column 13: expected a closing quote"},
        {"{\"a\":1}}", "message 1111: line 1, column 8: expected an object"},
        {"\n{\"a\":\n@}", "message 1111: line 3, column 1: expected a value"},
        {"7", "message 1111: line 1, column 1: expected an object"},
        {"", "message 1111: line 1, column 1: expected an object"},
        {"{\"a\":1\\", "message 1111: line 1, column 7"},
        {"{\"a\":12345678901}", "message 1111: line 1: field 'a': '12345678901' is no INT"},
    };
    static const char *texts[MOST];
    test_columns columns;
    columns_start(&columns, "a INT");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_messages *messages = weir_alloc_zeroed(1, sizeof *messages);
        weir_buffer rows = {0};
        weir_error err = {0};
        for (int k = 0; k < MOST; k++) {
            texts[k] = k == 1111 ? cases[i].text : "{\"a\":1}";
        }
        weir_json_read_options options = {0};
        put_messages(messages, texts, MOST);
        int code = read_all(open_json(&columns, &options), &columns, messages, &rows, &err);
        if (code != WEIR_CORRUPT || strstr(err.message, cases[i].message) == NULL) {
            fail_msg("%d: %s\nnot: %s", code, err.message, cases[i].message);
        }
        options.ignore_parse_errors = true;
        put_messages(messages, texts, MOST);
        check_ok(read_all(open_json(&columns, &options), &columns, messages, &rows, &err), &err);
        assert_true(messages->row_counts[1111] <= 1);
        assert_int_equal(messages->row_counts[1112], 1);
        weir_buffer_free(&rows);
        free(messages);
    }
    weir_arena_free(&columns.arena);
}

static void a_line_of_csv_is_a_message(void **state)
{
    (void)state;
    static const char *const texts[] = {"1,\"a\nb\"", NULL, "2,c\nnot looked at", "# no", "3,"};
    static const int32_t counts[] = {1, 0, 1, 0, 1};
    static const char *const bad[] = {"1,a", "2,\"b", "3,c"};
    static const char *const value[] = {"1,a", "2,b", "x,c"};
    test_columns columns;
    test_messages messages;
    weir_buffer rows = {0};
    weir_error err = {0};
    weir_row_reader *reader;
    weir_csv_options options = {.allow_comments = true};
    columns_start(&columns, "a INT, b STRING");
    check_ok(weir_csv_open_reader(columns.fields, columns.count, &options, &reader, &err), &err);
    put_messages(&messages, texts, 5);
    check_ok(read_all(reader, &columns, &messages, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), "+I[1,\"a\\nb\"]\n+I[2,\"c\"]\n+I[3,\"\"]\n");
    assert_memory_equal(messages.row_counts, counts, sizeof counts);

    check_ok(weir_csv_open_reader(columns.fields, columns.count, &options, &reader, &err), &err);
    put_messages(&messages, bad, 3);
    assert_int_equal(read_all(reader, &columns, &messages, &rows, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "message 1: line 1: a quote that is not closed"));
    check_ok(weir_csv_open_reader(columns.fields, columns.count, &options, &reader, &err), &err);
    put_messages(&messages, value, 3);
    assert_int_equal(read_all(reader, &columns, &messages, &rows, &err), WEIR_CORRUPT);
    assert_non_null(strstr(err.message, "message 2: line 1: field 'a': 'x' is no INT"));
    weir_buffer_free(&rows);
    weir_arena_free(&columns.arena);
}

typedef struct raw_case {
    const char *column;
    bool little_endian;
    const char *bytes;
    size_t size;
    const char *row;
} raw_case;

static void raw_bytes_are_values_both_ways(void **state)
{
    (void)state;
    static const raw_case cases[] = {
        {"a STRING", false, "x\ny", 3, "+I[\"x\\ny\"]\n"},
        {"a STRING", false, "", 0, "+I[\"\"]\n"},
        {"a BYTES", false, "\1\2", 2, "+I[\"0102\"]\n"},
        {"a BOOLEAN", false, "\1", 1, "+I[true]\n"},
        {"a TINYINT", false, "\xff", 1, "+I[-1]\n"},
        {"a SMALLINT", false, "\1\2", 2, "+I[258]\n"},
        {"a SMALLINT", true, "\1\2", 2, "+I[513]\n"},
        {"a INT", false, "\0\0\1\0", 4, "+I[256]\n"},
        {"a BIGINT", false, "\0\0\0\0\0\0\1\0", 8, "+I[256]\n"},
        {"a BIGINT", true, "\0\1\0\0\0\0\0\0", 8, "+I[256]\n"},
        {"a FLOAT", false, "\x3f\x80\0\0", 4, "+I[1.0]\n"},
        {"a DOUBLE", true, "\0\0\0\0\0\0\xf0\x3f", 8, "+I[1.0]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_columns columns;
        weir_error err;
        weir_row_reader *reader;
        weir_row_writer *writer;
        weir_buffer rows = {0};
        weir_buffer text = {0};
        weir_batch batch;
        const uint32_t starts[] = {0, (uint32_t)cases[i].size + 1};
        int32_t count;
        columns_start(&columns, cases[i].column);
        uint8_t *data = padded_copy(cases[i].bytes, cases[i].size);
        const weir_row_messages messages = {
            .data = data, .starts = starts, .count = 1, .row_counts = &count, .append_name = append_number};
        check_ok(weir_raw_open_reader(columns.fields, 1, cases[i].little_endian, &reader, &err), &err);
        check_ok(weir_raw_open_writer(columns.fields, 1, cases[i].little_endian, &writer, &err), &err);
        weir_batch_init(&batch, columns.fields, 1);
        check_ok(reader->read_messages(reader, &messages, &batch, &err), &err);
        append_rows_as_text(&batch, &rows);
        assert_string_equal(weir_buffer_text(&rows), cases[i].row);
        check_ok(writer->write(writer, &batch, 0, 1, &text, &err), &err);
        assert_int_equal(text.size, cases[i].size + 1);
        assert_memory_equal(text.data, cases[i].bytes, cases[i].size);
        weir_batch_free(&batch);
        reader->close(reader);
        writer->close(writer);
        weir_buffer_free(&rows);
        weir_buffer_free(&text);
        weir_arena_free(&columns.arena);
        free(data);
    }
}

static void raw_values_have_their_size_and_nulls(void **state)
{
    (void)state;
    static const char *const texts[] = {NULL, "abc"};
    test_columns columns;
    test_messages messages;
    weir_buffer rows = {0};
    weir_error err = {0};
    weir_row_reader *reader = NULL;
    columns_start(&columns, "a INT");
    check_ok(weir_raw_open_reader(columns.fields, 1, false, &reader, &err), &err);
    put_messages(&messages, texts, 1);
    check_ok(read_all(reader, &columns, &messages, &rows, &err), &err);
    assert_string_equal(weir_buffer_text(&rows), "+I[null]\n");
    check_ok(weir_raw_open_reader(columns.fields, 1, false, &reader, &err), &err);
    put_messages(&messages, texts, 2);
    assert_int_equal(read_all(reader, &columns, &messages, &rows, &err), WEIR_CORRUPT);
    assert_non_null(
        strstr(err.message, "message 1: Size of data received for deserializing INT type is not 4: 3 bytes"));
    weir_arena_free(&columns.arena);
    columns_start(&columns, "a INT, b INT");
    assert_int_equal(weir_raw_open_reader(columns.fields, 2, false, &reader, &err), WEIR_INVALID);
    assert_non_null(strstr(err.message, "only supports single physical column"));
    weir_arena_free(&columns.arena);
    columns_start(&columns, "a DATE");
    assert_int_equal(weir_raw_open_reader(columns.fields, 1, false, &reader, &err), WEIR_INVALID);
    weir_arena_free(&columns.arena);
    weir_buffer_free(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_makes_as_many_rows_as_it_has),
        cmocka_unit_test(events_come_from_messages_and_tombstones_are_none),
        cmocka_unit_test(what_is_wrong_is_told_with_its_message),
        cmocka_unit_test(a_line_of_csv_is_a_message),
        cmocka_unit_test(raw_bytes_are_values_both_ways),
        cmocka_unit_test(raw_values_have_their_size_and_nulls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
