/* cli: the program `weir`.
 *
 *   main.c        the table of commands, --help, --version
 *   arguments.h   options and operands of a command line
 *   dump.c        `weir dump`: rows, changelogs and streams of a table as JSON lines
 *   compact.c     `weir compact`: dedicated compaction, once or beside writers
 *   console.h     a session, and where its results go
 *   script.c      `weir run` and `weir sql`: statements from files, pipes and the command line
 *   shell.h       `weir sql` on a terminal
 *   output.h      rows as table, csv, json or jsonl
 *   progress.h    what a running statement does, on standard error
 *   jobs.h        jobs that run beside statements: waiting for them, live lines
 *   completion.c  `weir completion SHELL`
 *
 * Only result rows go to standard output; messages, timings and progress go to standard error. Exit status: 0 done,
 * 1 a statement or a job failed, 2 the command line is wrong, 124 out of time, 130 and 143 interrupted. */
#ifndef WEIR_CLI_H
#define WEIR_CLI_H

#include "base/base.h"

enum { WEIR_CLI_DONE = 0, WEIR_CLI_FAILED = 1, WEIR_CLI_USAGE = 2, WEIR_CLI_INTERRUPTED = 130 };

typedef struct weir_cli_command {
    const char *name;
    const char *arguments; /* for the overview */
    const char *summary;
    const char *help;         /* of `weir COMMAND --help`, after its first line */
    const char *const *words; /* its options, for completion; NULL after the last */
    int (*run)(const struct weir_cli_command *command, int count, char **words); /* the exit status */
} weir_cli_command;

extern const weir_cli_command weir_cli_commands[];
extern const size_t weir_cli_command_count;

/* Says what is wrong with the command line and where help is; returns WEIR_CLI_USAGE. */
int weir_cli_usage_error(const weir_cli_command *command, const weir_error *err);

/* The commands: `words` are those after the command's name. Each returns the exit status. */
int weir_cli_dump(const weir_cli_command *command, int count, char **words);
int weir_cli_run(const weir_cli_command *command, int count, char **words);
int weir_cli_sql(const weir_cli_command *command, int count, char **words);
int weir_cli_compact(const weir_cli_command *command, int count, char **words);
int weir_cli_completion(const weir_cli_command *command, int count, char **words);

#endif
