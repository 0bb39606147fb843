/* Scripts with expected rows: running them in a session of their own, and comparing rows by value.
 *
 * Trailing zeros of fractions of a second do not count, an object equals the list of its pairs, "-0.0" equals the
 * number, and floats have seven digits. */
#ifndef WEIR_TEST_SCRIPT_FIXTURE_H
#define WEIR_TEST_SCRIPT_FIXTURE_H

#include "cmocka_all.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/json.h"
#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"
#include "support/shared_files.h"
#include "vector/literal.h"

typedef struct script_fixture {
    char folder[4200]; /* of the script */
    char warehouse[64];
    weir_session *session;
    FILE *print_to;
    weir_buffer script;
    weir_buffer expected;
    weir_buffer found;      /* rows of all its queries, but not what CALL prints */
    size_t last_query_from; /* where those of the last one begin */
    size_t failed_at;       /* where the last statement begins in the script */
} script_fixture;

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

static int compare_row_texts(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

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
    qsort(pairs, count, sizeof *pairs, compare_row_texts);
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
static char *normalize_rows(const char *lines, bool is_ordered)
{
    char *rows[4096];
    size_t count = 0;
    char *copy = weir_strdup(lines);
    char *rest = NULL;
    for (char *line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        json_t *row = json_loads(line, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        weir_buffer text = {0};
        assert_non_null(row);
        assert_true(count < 4096);
        append_value(row, &text);
        rows[count++] = weir_strdup(weir_buffer_text(&text));
        weir_buffer_free(&text);
        json_decref(row);
    }
    free(copy);
    if (!is_ordered) {
        qsort(rows, count, sizeof *rows, compare_row_texts);
    }
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

static void append_replaced(const script_fixture *self, const char *text, weir_buffer *out)
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

static int run_script(script_fixture *self, weir_error *err)
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
        self->failed_at = script.offset + strspn(text + script.offset, " \n");
        code = weir_script_next(&script, &arena, &statement, err);
        if (code == WEIR_OK) {
            code = weir_session_execute(self->session, statement, text, &result, err);
        }
        if (code == WEIR_OK && result->kind == WEIR_RESULT_ROWS && statement->kind != WEIR_AST_CALL_PROCEDURE) {
            self->last_query_from = self->found.size;
            code = append_rows(result, &self->found, err);
        }
        weir_result_free(result);
        weir_arena_free(&arena);
    }
    return code == WEIR_END ? WEIR_OK : code;
}

/* The text of one of the script's files; empty when there is none. */
static void read_script_file(const script_fixture *self, const char *name, weir_buffer *out)
{
    char path[4300];
    snprintf(path, sizeof path, "%s/%s", self->folder, name);
    if (weir_fs_read_all(weir_fs_local(), path, out, NULL) != WEIR_OK) {
        weir_buffer_clear(out);
    }
}

/* A session and a warehouse (a copy of the script's own, where it has one) for ROOT/NAME/script.sql. */
static script_fixture *open_script(const char *root, const char *name)
{
    script_fixture *self = weir_alloc_zeroed(1, sizeof *self);
    char command[9000];
    weir_buffer text = {0};
    snprintf(self->folder, sizeof self->folder, "%s/%s", root, name);
    snprintf(self->warehouse, sizeof self->warehouse, "/tmp/weir-case-XXXXXX");
    self->print_to = tmpfile();
    assert_true(self->print_to != NULL && mkdtemp(self->warehouse) != NULL);
    snprintf(command, sizeof command, "[ ! -d '%s/warehouse' ] || cp -r '%s/warehouse/.' '%s'", self->folder,
             self->folder, self->warehouse);
    assert_int_equal(system(command), 0);
    read_script_file(self, "script.sql", &text);
    read_script_file(self, "expected.jsonl", &self->expected);
    weir_buffer_append_text(&self->script, "SET 'execution.runtime-mode' = 'batch';\n");
    append_replaced(self, weir_buffer_text(&text), &self->script);
    weir_buffer_free(&text);
    weir_session_options options = {.print_to = self->print_to, .threads = 2, .memory_bytes = 512 << 20};
    assert_int_equal(weir_session_create(&options, &self->session, NULL), WEIR_OK);
    return self;
}

static void close_script(script_fixture *self)
{
    weir_session_free(self->session);
    weir_fs_remove_recursively(weir_fs_local(), self->warehouse, NULL);
    fclose(self->print_to);
    weir_buffer_free(&self->script);
    weir_buffer_free(&self->expected);
    weir_buffer_free(&self->found);
    free(self);
}

#endif
