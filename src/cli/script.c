/* weir run and weir sql: statements from files, pipes, the command line and terminals. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/console.h"
#include "cli/jobs.h"
#include "cli/shell.h"

/* What a failed write to the file of results makes of a status. */
static int close_console(weir_cli_console *console, int status)
{
    bool written = weir_cli_console_close(console);
    return status == WEIR_CLI_DONE && !written ? WEIR_CLI_FAILED : status;
}

/* Beside the script, where nothing else is said; a script that comes through a pipe has no such place. */
static void choose_state(weir_cli_session_options *session, const char *path, weir_arena *arena)
{
    if (session->state == NULL && strcmp(path, "-") != 0) {
        session->state = weir_arena_format(arena, "%s.weir", path);
        session->optional_state = true;
    }
}

int weir_cli_run(const weir_cli_command *command, int count, char **words)
{
    weir_cli_session_options session = {.until_idle_ms = -1};
    const weir_cli_option options[] = {
        WEIR_CLI_SESSION_OPTIONS(session),
        {"--state", NULL, WEIR_CLI_TEXT, &session.state},
        {"--fresh", NULL, WEIR_CLI_FLAG, &session.fresh},
    };
    weir_cli_console console = {.output = stdout};
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
        choose_state(&session, operands.items[0], &arena);
        status = weir_cli_console_open(command, &session, &console);
    } else {
        status = weir_cli_usage_error(command, &err);
    }
    if (status == WEIR_CLI_DONE) {
        status = weir_cli_wait_for_jobs(&console, weir_cli_run_file(&console, operands.items[0]));
    }
    status = close_console(&console, status);
    free(operands.items);
    weir_arena_free(&arena);
    return status;
}

/* Where the statements of weir sql come from. */
typedef struct sources {
    weir_cli_texts statements; /* -e */
    const char *file;          /* -f */
    const char *init;          /* -i */
} sources;

static int run_sources(weir_cli_console *console, const sources *from)
{
    int status = WEIR_CLI_DONE;
    if (from->init != NULL) {
        status = weir_cli_run_file(console, from->init);
    }
    if (from->statements.count == 0 && from->file == NULL && status == WEIR_CLI_DONE) {
        bool is_shell = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
        return is_shell ? weir_cli_shell(console) : weir_cli_run_file(console, "-");
    }
    if (from->file != NULL && status == WEIR_CLI_DONE) {
        status = weir_cli_run_file(console, from->file);
    }
    for (size_t i = 0; i < from->statements.count; i++) {
        weir_cli_expect_jobs(console, from->statements.items[i], strlen(from->statements.items[i]));
    }
    for (size_t i = 0; i < from->statements.count && status == WEIR_CLI_DONE; i++) {
        status = weir_cli_run_text(console, NULL, from->statements.items[i], strlen(from->statements.items[i]));
    }
    return status;
}

int weir_cli_sql(const weir_cli_command *command, int count, char **words)
{
    weir_cli_session_options session = {.until_idle_ms = -1};
    weir_cli_texts operands = {0};
    sources from = {0};
    const weir_cli_option options[] = {
        WEIR_CLI_SESSION_OPTIONS(session),
        {"--execute", "-e", WEIR_CLI_TEXTS, &from.statements},
        {"--file", "-f", WEIR_CLI_TEXT, &from.file},
        {"--init", "-i", WEIR_CLI_TEXT, &from.init},
    };
    weir_cli_console console = {.output = stdout};
    weir_error err = {0};
    weir_arena arena;
    weir_arena_init(&arena);
    int code = weir_cli_parse(count, words, options, sizeof options / sizeof *options, &arena, &operands, &err);
    if (code == WEIR_OK && operands.count > 0) {
        code = weir_fail(&err, WEIR_INVALID, "'%s': give statements with -e, a file with -f", operands.items[0]);
    }
    int status = code == WEIR_OK ? weir_cli_console_open(command, &session, &console)
                                 : weir_cli_usage_error(command, &err);
    if (status == WEIR_CLI_DONE) {
        status = weir_cli_wait_for_jobs(&console, run_sources(&console, &from));
    }
    status = close_console(&console, status);
    free(from.statements.items);
    free(operands.items);
    weir_arena_free(&arena);
    return status;
}
