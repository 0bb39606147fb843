/* Running statements of a text in a session, with their results printed. */
#ifndef WEIR_CLI_SCRIPT_H
#define WEIR_CLI_SCRIPT_H

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/progress.h"

typedef struct weir_cli_console {
    weir_session *session;
    weir_output_format format;
    weir_cli_progress progress;
} weir_cli_console;

/* Options that `weir run` and `weir sql` share. */
typedef struct weir_cli_session_options {
    const char *format;
    const char *warehouse;
    int64_t memory_bytes;
    int64_t threads;
    bool quiet;
} weir_cli_session_options;

#define WEIR_CLI_SESSION_OPTIONS(options)                                                                              \
    {"--format", NULL, WEIR_CLI_TEXT, &(options).format}, {"--warehouse", NULL, WEIR_CLI_TEXT, &(options).warehouse},  \
        {"--memory", NULL, WEIR_CLI_SIZE, &(options).memory_bytes},                                                    \
        {"--threads", NULL, WEIR_CLI_NUMBER, &(options).threads},                                                      \
    {                                                                                                                  \
        "--quiet", "-q", WEIR_CLI_FLAG, &(options).quiet                                                               \
    }

/* WEIR_INVALID: the command line is wrong; other errors come from the session. */
int weir_cli_console_open(const weir_cli_session_options *options, weir_cli_console *out, weir_error *err);
void weir_cli_console_close(weir_cli_console *console);

/* Runs all statements; stops at the first that fails, after showing why. `name`: of the source, for messages; NULL:
 * none. Returns an exit status. */
int weir_cli_run_text(weir_cli_console *console, const char *name, const char *text, size_t size);

/* Reads a file, or standard input for "-", and runs it. */
int weir_cli_run_file(weir_cli_console *console, const char *path);

/* Asks for statements until the end of input. */
int weir_cli_shell(weir_cli_console *console);

#endif
