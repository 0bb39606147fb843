/* weir run and weir sql: texts of statements from files, pipes and the command line. */
#include "cli/script.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/interrupt.h"
#include "sql/parser.h"

/* ---- one statement ---- */

/* Columns of the terminal that results are printed to; 0: it is none. */
static int terminal_width(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) {
        return 0;
    }
    return size.ws_col;
}

static int run_statement(weir_cli_console *console, const weir_ast_statement *statement, const char *text,
                         weir_error *err)
{
    weir_result *result = NULL;
    int64_t start = weir_monotonic_ns();
    int64_t rows = 0;
    WEIR_TRY(weir_session_execute(console->session, statement, text, &result, err));
    int code = WEIR_OK;
    if (result->kind == WEIR_RESULT_ROWS) {
        code = weir_output_rows(result, console->format, terminal_width(), stdout, &rows, err);
        fflush(stdout);
    }
    if (code == WEIR_OK) {
        weir_cli_progress_done(&console->progress, result, rows, weir_monotonic_ns() - start);
    }
    weir_result_free(result);
    return code;
}

static void show_error(const weir_cli_console *console, const char *name, const char *text, size_t size,
                       const weir_error *err)
{
    weir_buffer message = {0};
    (void)console;
    weir_sql_render_error(text, size, err, &message);
    if (message.size > 0 && message.data[message.size - 1] == '\n') {
        message.size--;
    }
    fprintf(stderr, "%s%s%s\n", name == NULL ? "" : name, name == NULL ? "" : ": ", weir_buffer_text(&message));
    weir_buffer_free(&message);
}

int weir_cli_run_text(weir_cli_console *console, const char *name, const char *text, size_t size)
{
    weir_script script;
    int code = WEIR_OK;
    weir_error err = {0};
    weir_script_init(&script, text, size);
    while (code == WEIR_OK) {
        weir_arena arena;
        weir_ast_statement *statement = NULL;
        weir_arena_init(&arena);
        code = weir_script_next(&script, &arena, &statement, &err);
        if (code == WEIR_OK) {
            weir_interrupt_watch(console->session);
            code = run_statement(console, statement, text, &err);
            weir_interrupt_watch(NULL);
        }
        weir_arena_free(&arena);
    }
    if (code == WEIR_END) {
        return WEIR_CLI_DONE;
    }
    weir_cli_progress_clear(&console->progress);
    fflush(stdout);
    show_error(console, name, text, size, &err);
    return WEIR_CLI_FAILED;
}

int weir_cli_run_file(weir_cli_console *console, const char *path)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "weir: %s: %s\n", path, strerror(errno));
        return WEIR_CLI_FAILED;
    }
    weir_buffer text = {0};
    char piece[16384];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0) {
        weir_buffer_append(&text, piece, size);
    }
    bool failed = ferror(file) != 0;
    if (!is_input) {
        fclose(file);
    }
    int status = WEIR_CLI_FAILED;
    if (failed) {
        fprintf(stderr, "weir: %s: cannot be read: %s\n", path, strerror(errno));
    } else {
        const char *whole = weir_buffer_text(&text);
        status = weir_cli_run_text(console, is_input ? NULL : path, whole, text.size);
    }
    weir_buffer_free(&text);
    return status;
}

/* ---- the console ---- */

int weir_cli_console_open(const weir_cli_session_options *options, weir_cli_console *out, weir_error *err)
{
    *out = (weir_cli_console){0};
    if (options->format != NULL && !weir_output_format_parse(options->format, &out->format)) {
        return weir_fail(err, WEIR_INVALID, "--format %s: expected table, csv, json or jsonl", options->format);
    }
    if (options->threads < 0 || options->threads > 1024) {
        return weir_fail(err, WEIR_INVALID, "--threads: expected a number from 1 to 1024");
    }
    weir_cli_progress_init(&out->progress, options->quiet);
    weir_interrupt_init();
    weir_session_options session = {
        .memory_bytes = options->memory_bytes,
        .threads = (int)options->threads,
        .warehouse = options->warehouse,
        /* Programs that read jsonl want nothing but result rows. */
        .print_to = out->format == WEIR_OUTPUT_JSONL ? stderr : stdout,
        .progress = weir_cli_progress_show,
        .progress_context = &out->progress,
    };
    return weir_session_create(&session, &out->session, err);
}

void weir_cli_console_close(weir_cli_console *console)
{
    weir_session_free(console->session);
    console->session = NULL;
}

/* ---- the commands ---- */

int weir_cli_run(const weir_cli_command *command, int count, char **words)
{
    weir_cli_session_options session = {0};
    const weir_cli_option options[] = {WEIR_CLI_SESSION_OPTIONS(session)};
    weir_cli_console console = {0};
    weir_cli_texts operands = {0};
    weir_error err = {0};
    weir_arena arena;
    int status;
    weir_arena_init(&arena);
    int code = weir_cli_parse(count, words, options, sizeof options / sizeof *options, &arena, &operands, &err);
    if (code == WEIR_OK && operands.count != 1) {
        code = weir_fail(&err, WEIR_INVALID, "one file is needed, %zu were given", operands.count);
    }
    if (code == WEIR_OK) {
        code = weir_cli_console_open(&session, &console, &err);
    }
    status = code == WEIR_OK ? weir_cli_run_file(&console, operands.items[0]) : weir_cli_usage_error(command, &err);
    weir_cli_console_close(&console);
    free(operands.items);
    weir_arena_free(&arena);
    return status;
}

static int run_sources(weir_cli_console *console, const weir_cli_texts *statements, const char *file)
{
    if (statements->count == 0 && file == NULL) {
        return isatty(STDIN_FILENO) ? weir_cli_shell(console) : weir_cli_run_file(console, "-");
    }
    int status = file != NULL ? weir_cli_run_file(console, file) : WEIR_CLI_DONE;
    for (size_t i = 0; i < statements->count && status == WEIR_CLI_DONE; i++) {
        status = weir_cli_run_text(console, NULL, statements->items[i], strlen(statements->items[i]));
    }
    return status;
}

int weir_cli_sql(const weir_cli_command *command, int count, char **words)
{
    weir_cli_session_options session = {0};
    weir_cli_texts statements = {0}, operands = {0};
    const char *file = NULL;
    const weir_cli_option options[] = {
        WEIR_CLI_SESSION_OPTIONS(session),
        {"--execute", "-e", WEIR_CLI_TEXTS, &statements},
        {"--file", "-f", WEIR_CLI_TEXT, &file},
    };
    weir_cli_console console = {0};
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_cli_parse(count, words, options, sizeof options / sizeof *options, &arena, &operands, &err);
    if (code == WEIR_OK && operands.count > 0) {
        code = weir_fail(&err, WEIR_INVALID, "'%s': give statements with -e, a file with -f", operands.items[0]);
    }
    if (code == WEIR_OK) {
        code = weir_cli_console_open(&session, &console, &err);
    }
    int status = code == WEIR_OK ? run_sources(&console, &statements, file) : weir_cli_usage_error(command, &err);
    weir_cli_console_close(&console);
    free(statements.items);
    free(operands.items);
    weir_arena_free(&arena);
    return status;
}
