/* Scripts whose answers were worked out with Flink and Java Paimon: $WEIR_SHARED/cases (default ../shared/cases), each
 * with script.sql, expected.jsonl and maybe a warehouse. A checkout need not have them.
 *
 * Rows are compared as a multiset and by value: trailing zeros of fractions of a second do not count, an object equals
 * the list of its pairs, "-0.0" equals the number, and floats have seven digits. */
#include "cmocka_all.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"
#include "vector/literal.h"

/* Those whose statements this version offers. */
static const char *const cases[] = {
    "07-null-empty-odd-partitions", "08-typed-partition-keys",    "13-key-order-differs-from-columns",
    "14-debezium-odd-messages",     "18-parquet-pages-by-others",
};

typedef struct fixture {
    char folder[4096]; /* of the case */
    char warehouse[64];
    weir_session *session;
    FILE *print_to;
    weir_buffer script;
    weir_buffer expected;
    weir_buffer found;
} fixture;

/* ---- values ---- */

static void append_value(const json_t *value, weir_buffer *out);

/* "2024-01-01 00:00:00.500" as "2024-01-01 00:00:00.5", with or without a Z behind. */
static void append_text(const char *text, size_t length, weir_buffer *out)
{
    int year, month, day, hour, minute, second, size = 0;
    if (strcmp(text, "-0.0") == 0) {
        weir_buffer_append_text(out, "0");
        return;
    }
    if (sscanf(text, "%4d-%2d-%2d %2d:%2d:%2d%n", &year, &month, &day, &hour, &minute, &second, &size) != 6 ||
        text[size] != '.') {
        weir_json_write_string(weir_slice_of(text, length), out);
        return;
    }
    size_t end = (size_t)size + 1 + strspn(text + size + 1, "0123456789");
    const char *rest = text + end;
    while (text[end - 1] == '0' || text[end - 1] == '.') {
        end--;
        if (text[end] == '.') {
            break;
        }
    }
    weir_buffer_append_format(out, "\"%.*s%s\"", (int)end, text, rest);
}

static int compare_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void append_object(const json_t *object, weir_buffer *out)
{
    char *pairs[256];
    size_t count = 0;
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)object, key, member)
    {
        weir_buffer pair = {0};
        weir_buffer_append_byte(&pair, '[');
        append_text(key, strlen(key), &pair);
        weir_buffer_append_byte(&pair, ',');
        append_value(member, &pair);
        weir_buffer_append_byte(&pair, ']');
        assert_true(count < 256);
        pairs[count++] = weir_strdup(weir_buffer_text(&pair));
        weir_buffer_free(&pair);
    }
    qsort(pairs, count, sizeof *pairs, compare_texts);
    weir_buffer_append_byte(out, '[');
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ",", pairs[i]);
        free(pairs[i]);
    }
    weir_buffer_append_byte(out, ']');
}

static void append_value(const json_t *value, weir_buffer *out)
{
    switch (json_typeof(value)) {
    case JSON_STRING:
        append_text(json_string_value(value), json_string_length(value), out);
        break;
    case JSON_REAL:
        weir_buffer_append_format(out, "%.7g", json_real_value(value) == 0 ? 0.0 : json_real_value(value));
        break;
    case JSON_INTEGER:
        weir_buffer_append_format(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_OBJECT:
        append_object(value, out);
        break;
    case JSON_ARRAY:
        weir_buffer_append_byte(out, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            weir_buffer_append_text(out, i == 0 ? "" : ",");
            append_value(json_array_get(value, i), out);
        }
        weir_buffer_append_byte(out, ']');
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        weir_buffer_append_text(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "null");
        break;
    }
}

/* JSON lines as text that is equal when the rows are. */
static char *normalize(weir_buffer *lines)
{
    char *rows[4096];
    size_t count = 0;
    char *rest = NULL;
    for (char *line = strtok_r((char *)weir_buffer_text(lines), "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        json_t *row = json_loads(line, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        weir_buffer text = {0};
        assert_non_null(row);
        assert_true(count < 4096);
        append_value(row, &text);
        rows[count++] = weir_strdup(weir_buffer_text(&text));
        weir_buffer_free(&text);
        json_decref(row);
    }
    qsort(rows, count, sizeof *rows, compare_texts);
    weir_buffer all = {0};
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(&all, "%s\n", rows[i]);
        free(rows[i]);
    }
    char *result = weir_strdup(weir_buffer_text(&all));
    weir_buffer_free(&all);
    return result;
}

/* ---- running ---- */

static void append_replaced(const fixture *self, const char *text, weir_buffer *out)
{
    while (*text != '\0') {
        size_t size = strcspn(text, "$");
        weir_buffer_append(out, text, size);
        text += size;
        if (strncmp(text, "${WAREHOUSE}", 12) == 0) {
            weir_buffer_append_text(out, self->warehouse);
            text += 12;
        } else if (strncmp(text, "${CASE_DIR}", 11) == 0) {
            weir_buffer_append_text(out, self->folder);
            text += 11;
        } else if (*text != '\0') {
            weir_buffer_append_byte(out, (uint8_t)*text++);
        }
    }
}

static int append_rows(weir_result *result, weir_buffer *out, weir_error *err)
{
    weir_batch batch;
    int code;
    weir_batch_init(&batch, result->fields, result->field_count);
    while ((code = result->next(result, &batch, err)) == WEIR_OK) {
        for (int64_t row = 0; row < batch.length; row++) {
            for (int32_t c = 0; c < batch.column_count; c++) {
                weir_buffer_append_text(out, c == 0 ? "[" : ",");
                weir_value_to_json(&batch.columns[c], row, out);
            }
            weir_buffer_append_text(out, "]\n");
        }
    }
    weir_batch_free(&batch);
    return code == WEIR_END ? WEIR_OK : code;
}

static int run_script(fixture *self, weir_error *err)
{
    weir_script script;
    const char *text = weir_buffer_text(&self->script);
    int code = WEIR_OK;
    weir_script_init(&script, text, self->script.size);
    while (code == WEIR_OK) {
        weir_arena arena;
        weir_ast_statement *statement = NULL;
        weir_result *result = NULL;
        weir_arena_init(&arena);
        code = weir_script_next(&script, &arena, &statement, err);
        if (code == WEIR_OK) {
            code = weir_session_execute(self->session, statement, text, &result, err);
        }
        if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS) {
            code = append_rows(result, &self->found, err);
        }
        weir_result_free(result);
        weir_arena_free(&arena);
    }
    return code == WEIR_END ? WEIR_OK : code;
}

static const char *root(void)
{
    static char path[4000];
    const char *shared = getenv("WEIR_SHARED");
    snprintf(path, sizeof path, "%s/cases", shared == NULL ? "../shared" : shared);
    return path;
}

static int open_fixture(void **state)
{
    const char *name = *state;
    fixture *self = weir_alloc_zeroed(1, sizeof *self);
    char command[9000], path[4200];
    weir_buffer text = {0};
    *state = self;
    snprintf(self->folder, sizeof self->folder, "%s/%s", root(), name);
    snprintf(self->warehouse, sizeof self->warehouse, "/tmp/weir-case-XXXXXX");
    self->print_to = tmpfile();
    if (self->print_to == NULL || mkdtemp(self->warehouse) == NULL) {
        return -1;
    }
    snprintf(command, sizeof command, "[ ! -d '%s/warehouse' ] || cp -r '%s/warehouse/.' '%s'", self->folder,
             self->folder, self->warehouse);
    snprintf(path, sizeof path, "%s/script.sql", self->folder);
    if (system(command) != 0 || weir_fs_read_all(weir_fs_local(), path, &text, NULL) != WEIR_OK) {
        return -1;
    }
    weir_buffer_append_text(&self->script, "SET 'execution.runtime-mode' = 'batch';\n");
    append_replaced(self, weir_buffer_text(&text), &self->script);
    weir_buffer_free(&text);
    snprintf(path, sizeof path, "%s/expected.jsonl", self->folder);
    weir_session_options options = {.print_to = self->print_to, .threads = 2, .memory_bytes = 512 << 20};
    return weir_fs_read_all(weir_fs_local(), path, &self->expected, NULL) == WEIR_OK &&
                   weir_session_create(&options, &self->session, NULL) == WEIR_OK
               ? 0
               : -1;
}

static int close_fixture(void **state)
{
    fixture *self = *state;
    weir_session_free(self->session);
    weir_fs_remove_recursively(weir_fs_local(), self->warehouse, NULL);
    fclose(self->print_to);
    weir_buffer_free(&self->script);
    weir_buffer_free(&self->expected);
    weir_buffer_free(&self->found);
    free(self);
    return 0;
}

static void gives_the_expected_rows(void **state)
{
    fixture *self = *state;
    weir_error err = {0};
    int code = run_script(self, &err);
    assert_string_equal(err.message, "");
    assert_int_equal(code, WEIR_OK);
    char *expected = normalize(&self->expected);
    char *found = normalize(&self->found);
    assert_string_equal(found, expected);
    free(expected);
    free(found);
}

int main(void)
{
    struct CMUnitTest tests[sizeof cases / sizeof *cases];
    size_t count = sizeof cases / sizeof *cases;
    if (access(root(), R_OK) != 0) {
        printf("skipped: no %s\n", root());
        return 0;
    }
    for (size_t i = 0; i < count; i++) {
        tests[i] =
            (struct CMUnitTest){cases[i], gives_the_expected_rows, open_fixture, close_fixture, (void *)cases[i]};
    }
    return _cmocka_run_group_tests("cases", tests, count, NULL, NULL);
}
