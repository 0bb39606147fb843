/* A session with the place where its results go: running statements of a text, and showing what they give. */
#ifndef WEIR_CLI_CONSOLE_H
#define WEIR_CLI_CONSOLE_H

#include "cli/arguments.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "server/http_server.h"

typedef struct weir_cli_console {
    weir_session *session;
    weir_output_format format;
    weir_cli_progress progress;
    FILE *output;   /* of results: standard output, or a file */
    FILE *print_to; /* of print sinks, where that is not the output itself; NULL: none */
    bool has_colors;
    bool pages;
    int64_t until_idle_ms; /* jobs are asked to end once they have had nothing to do for so long; -1: they are not */
    weir_http_server *metrics_server; /* NULL: nobody asked for one */
    weir_http_page metrics_page;
} weir_cli_console;

/* Options that `weir run` and `weir sql` share. */
typedef struct weir_cli_session_options {
    const char *format;
    const char *output;
    const char *color;
    const char *warehouse;
    bool needs_warehouse; /* that there is such a folder */
    int64_t memory_bytes;
    int64_t threads;
    weir_options settings;
    bool quiet;
    int64_t until_idle_ms;       /* -1: jobs run on */
    int64_t timeout_ms;          /* 0: none */
    const char *metrics_address; /* where figures are served; NULL: nowhere */
    const char *state;           /* where a script's state is kept; NULL: nowhere */
    bool optional_state;         /* of `state` */
    bool fresh;
} weir_cli_session_options;

#define WEIR_CLI_SESSION_OPTIONS(options)                                                                              \
    {"--format", NULL, WEIR_CLI_TEXT, &(options).format}, {"--output", "-o", WEIR_CLI_TEXT, &(options).output},        \
        {"--color", NULL, WEIR_CLI_TEXT, &(options).color},                                                            \
        {"--warehouse", NULL, WEIR_CLI_TEXT, &(options).warehouse},                                                    \
        {"--memory", NULL, WEIR_CLI_SIZE, &(options).memory_bytes},                                                    \
        {"--threads", NULL, WEIR_CLI_NUMBER, &(options).threads},                                                      \
        {"--set", "-D", WEIR_CLI_PAIRS, &(options).settings},                                                          \
        {"--until-idle", NULL, WEIR_CLI_SECONDS, &(options).until_idle_ms},                                            \
        {"--timeout", NULL, WEIR_CLI_SECONDS, &(options).timeout_ms},                                                  \
        {"--metrics-port", NULL, WEIR_CLI_TEXT, &(options).metrics_address},                                           \
    {                                                                                                                  \
        "--quiet", "-q", WEIR_CLI_FLAG, &(options).quiet                                                               \
    }

/* Opens what `command` runs in. WEIR_CLI_DONE; or, after saying why not, WEIR_CLI_USAGE where the command line is wrong
 * and WEIR_CLI_FAILED where the machine or a store does not let it. `out` is to be closed in any case. */
int weir_cli_console_open(const weir_cli_command *command, const weir_cli_session_options *options,
                          weir_cli_console *out);

/* Returns false, after saying why, when results could not be written to their file. */
bool weir_cli_console_close(weir_cli_console *console);

/* Where results go from now on; NULL: standard output. Errors: of the file before, or of the new one; results go to
 * standard output then. */
int weir_cli_console_redirect(weir_cli_console *console, const char *path, weir_error *err);

/* Runs all statements; stops at the first that fails, after showing why. `name`: of the source, for messages; NULL:
 * none. Returns an exit status. */
int weir_cli_run_text(weir_cli_console *console, const char *name, const char *text, size_t size);

/* Counts how many jobs a text may start, for memory to be divided among them. */
void weir_cli_expect_jobs(weir_cli_console *console, const char *text, size_t size);

/* Reads a file, or standard input for "-", and runs it. */
int weir_cli_run_file(weir_cli_console *console, const char *path);

#endif
