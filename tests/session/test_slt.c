/* Runs the SQL tests, the files tests/sql/NAME.slt, each in a session and a warehouse of its own.
 *
 * A file is a row of records, parted by blank lines; lines that begin with # are comments:
 *
 *   statement ok              the SQL below runs (one statement or several, with semicolons)
 *   statement error TEXT      it fails, with TEXT in "line L, column C: message"
 *   query [sorted]            it gives the rows after ----, as weir_value_to_json writes them; sorted: in any order
 *   printed                   what print sinks printed since the last record of this kind: the lines after ----
 *
 * In SQL, ${WAREHOUSE} is an empty folder, ${FILES} is tests/sql/files. Sessions begin in batch mode: what an INSERT
 * reads ends, and it is one commit. Files about streams set the mode that they are about. */
#include "cmocka_all.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fs/fs.h"
#include "session/session.h"
#include "sql/parser.h"
#include "vector/literal.h"

#define FOLDER "tests/sql"

typedef struct runner {
    const char *path;
    int line; /* of the record */
    char warehouse[64];
    weir_session *session;
    FILE *print_to;
    long print_offset; /* what was looked at already */
    weir_buffer text;  /* of the file */
    const char *at;    /* rest of the file */
    int next_line;
} runner;

/* ---- reading records ---- */

static bool next_text_line(runner *self, weir_slice *out)
{
    if (*self->at == '\0') {
        return false;
    }
    size_t size = strcspn(self->at, "\n");
    *out = weir_slice_of(self->at, size);
    self->at += size + (self->at[size] == '\n');
    self->next_line++;
    return true;
}

static bool begins_with(weir_slice line, const char *text)
{
    return line.size >= strlen(text) && memcmp(line.data, text, strlen(text)) == 0;
}

static void append_replaced(const runner *self, weir_slice line, weir_buffer *out)
{
    for (size_t i = 0; i < line.size; i++) {
        weir_slice rest = weir_slice_of(line.data + i, line.size - i);
        if (begins_with(rest, "${WAREHOUSE}")) {
            weir_buffer_append_text(out, self->warehouse);
            i += strlen("${WAREHOUSE}") - 1;
        } else if (begins_with(rest, "${FILES}")) {
            weir_buffer_append_text(out, FOLDER "/files");
            i += strlen("${FILES}") - 1;
        } else {
            weir_buffer_append_byte(out, line.data[i]);
        }
    }
    weir_buffer_append_byte(out, '\n');
}

/* The lines up to a blank one, in `first` until ---- and in `second` after it. */
static void read_record(runner *self, weir_buffer *first, weir_buffer *second)
{
    weir_slice line;
    weir_buffer *out = first;
    while (next_text_line(self, &line) && line.size > 0) {
        if (line.size == 4 && memcmp(line.data, "----", 4) == 0) {
            out = second;
        } else {
            append_replaced(self, line, out);
        }
    }
}

/* ---- running ---- */

static void append_rows(weir_result *result, weir_buffer *out, int *code, weir_error *err)
{
    weir_batch batch;
    weir_batch_init(&batch, result->fields, result->field_count);
    while ((*code = result->next(result, &batch, err)) == WEIR_OK) {
        for (int64_t row = 0; row < batch.length; row++) {
            for (int32_t c = 0; c < batch.column_count; c++) {
                weir_buffer_append_text(out, c == 0 ? "[" : ",");
                weir_value_to_json(&batch.columns[c], row, out);
            }
            weir_buffer_append_text(out, "]\n");
        }
    }
    weir_batch_free(&batch);
    *code = *code == WEIR_END ? WEIR_OK : *code;
}

/* All statements of the text; rows of queries are appended to `out`. */
static int run_sql(runner *self, const char *text, weir_buffer *out, weir_error *err)
{
    weir_script script;
    int code = WEIR_OK;
    weir_script_init(&script, text, strlen(text));
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
            append_rows(result, out, &code, err);
        }
        weir_result_free(result);
        weir_arena_free(&arena);
    }
    return code == WEIR_END ? WEIR_OK : code;
}

static void check(const runner *self, bool holds, const char *what, const char *found)
{
    if (!holds) {
        fail_msg("%s:%d: %s, but there was:\n%s", self->path, self->line, what, found);
    }
}

static void run_statement(runner *self, const char *sql, const char *expected_error)
{
    weir_buffer rows = {0};
    weir_error err = {0};
    char message[WEIR_ERROR_MESSAGE_SIZE + 64];
    int code = run_sql(self, sql, &rows, &err);
    snprintf(message, sizeof message, "line %d, column %d: %s", err.line, err.column, err.message);
    if (expected_error == NULL) {
        check(self, code == WEIR_OK, "the statement should run", message);
    } else {
        check(self, code != WEIR_OK, "the statement should fail", "no error");
        char what[1024];
        snprintf(what, sizeof what, "the error should contain \"%s\"", expected_error);
        check(self, strstr(message, expected_error) != NULL, what, message);
    }
    weir_buffer_free(&rows);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The lines of `text` in byte order; `text` is taken apart. */
static void sort_lines(weir_buffer *text)
{
    char *lines[4096];
    size_t count = 0;
    char *copy = weir_strdup(weir_buffer_text(text));
    for (char *rest = NULL, *line = strtok_r(copy, "\n", &rest); line != NULL && count < 4096;
         line = strtok_r(NULL, "\n", &rest)) {
        lines[count++] = line;
    }
    qsort(lines, count, sizeof *lines, compare_lines);
    weir_buffer_clear(text);
    for (size_t i = 0; i < count; i++) {
        weir_buffer_append_format(text, "%s\n", lines[i]);
    }
    free(copy);
}

static void run_query(runner *self, const char *sql, weir_buffer *expected, bool is_sorted)
{
    weir_buffer rows = {0};
    weir_error err = {0};
    char message[WEIR_ERROR_MESSAGE_SIZE + 64];
    int code = run_sql(self, sql, &rows, &err);
    snprintf(message, sizeof message, "line %d, column %d: %s", err.line, err.column, err.message);
    check(self, code == WEIR_OK, "the query should run", message);
    if (is_sorted) {
        sort_lines(&rows);
        sort_lines(expected);
    }
    check(self, weir_slice_equal(weir_buffer_slice(&rows), weir_buffer_slice(expected)), weir_buffer_text(expected),
          weir_buffer_text(&rows));
    weir_buffer_free(&rows);
}

static void check_printed(runner *self, weir_buffer *expected)
{
    weir_buffer printed = {0};
    char piece[4096];
    size_t size;
    fflush(self->print_to);
    fseek(self->print_to, self->print_offset, SEEK_SET);
    while ((size = fread(piece, 1, sizeof piece, self->print_to)) > 0) {
        weir_buffer_append(&printed, piece, size);
    }
    self->print_offset = ftell(self->print_to);
    check(self, weir_slice_equal(weir_buffer_slice(&printed), weir_buffer_slice(expected)), weir_buffer_text(expected),
          weir_buffer_text(&printed));
    weir_buffer_free(&printed);
}

static void run_record(runner *self, weir_slice head)
{
    weir_buffer sql = {0}, expected = {0};
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)head.size, (const char *)head.data);
    self->line = self->next_line;
    read_record(self, &sql, &expected);
    const char *text = weir_buffer_text(&sql);
    if (strcmp(line, "statement ok") == 0) {
        run_statement(self, text, NULL);
    } else if (strncmp(line, "statement error ", 16) == 0) {
        run_statement(self, text, line + 16);
    } else if (strcmp(line, "query") == 0 || strcmp(line, "query sorted") == 0) {
        run_query(self, text, &expected, line[5] != '\0');
    } else if (strcmp(line, "printed") == 0) {
        check_printed(self, &expected);
    } else {
        check(self, false, "a record begins with statement, query or printed", line);
    }
    weir_buffer_free(&sql);
    weir_buffer_free(&expected);
}

/* ---- files ---- */

/* The path comes in as the initial state and is replaced by the runner. */
static int open_runner(void **state)
{
    runner *self = weir_alloc_zeroed(1, sizeof *self);
    weir_error err = {0};
    self->path = *state;
    *state = self;
    snprintf(self->warehouse, sizeof self->warehouse, "/tmp/weir-slt-XXXXXX");
    self->print_to = tmpfile();
    if (self->print_to == NULL || mkdtemp(self->warehouse) == NULL) {
        return -1;
    }
    weir_session_options options = {.print_to = self->print_to, .threads = 2, .memory_bytes = 512 << 20};
    if (weir_session_create(&options, &self->session, &err) != WEIR_OK) {
        return -1;
    }
    weir_buffer rows = {0};
    int code = run_sql(self, "SET 'execution.runtime-mode' = 'batch'", &rows, &err);
    weir_buffer_free(&rows);
    return code == WEIR_OK && weir_fs_read_all(weir_fs_local(), self->path, &self->text, &err) == WEIR_OK ? 0 : -1;
}

static void run_file(void **state)
{
    runner *self = *state;
    weir_slice line;
    self->at = weir_buffer_text(&self->text);
    while (next_text_line(self, &line)) {
        if (line.size > 0 && line.data[0] != '#') {
            run_record(self, line);
        }
    }
}

static int close_runner(void **state)
{
    runner *self = *state;
    weir_error err = {0};
    weir_session_free(self->session);
    fclose(self->print_to);
    weir_buffer_free(&self->text);
    int code = weir_fs_remove_recursively(weir_fs_local(), self->warehouse, &err);
    free(self);
    return code == WEIR_OK ? 0 : -1;
}

static int is_test(const struct dirent *entry)
{
    size_t size = strlen(entry->d_name);
    return size > 4 && strcmp(entry->d_name + size - 4, ".slt") == 0;
}

int main(int count, char **words)
{
    struct CMUnitTest tests[256];
    struct dirent **entries = NULL;
    int found = scandir(FOLDER, &entries, is_test, alphasort);
    size_t chosen = 0;
    for (int i = 0; i < found && chosen < 256; i++) {
        char *path = weir_format(FOLDER "/%s", entries[i]->d_name);
        if (count < 2 || strstr(path, words[1]) != NULL) {
            tests[chosen++] = (struct CMUnitTest){path, run_file, open_runner, close_runner, path};
        } else {
            free(path);
        }
        free(entries[i]);
    }
    free(entries);
    int failed = _cmocka_run_group_tests("sql", tests, chosen, NULL, NULL);
    for (size_t i = 0; i < chosen; i++) {
        free(tests[i].initial_state);
    }
    return found <= 0 ? 1 : failed;
}
