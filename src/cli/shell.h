/* weir sql on a terminal.
 *
 *   shell.c          asks for statements and runs them
 *   shell_command.c  QUIT, CLEAR, HELP as in Flink's client, and commands that begin with a backslash
 *   editor.h         how they are typed;  history.h  what was typed before;  complete.h  what may be meant */
#ifndef WEIR_CLI_SHELL_H
#define WEIR_CLI_SHELL_H

#include "cli/console.h"
#include "cli/editor.h"

/* Asks for statements until the end of input. Returns an exit status. */
int weir_cli_shell(weir_cli_console *console);

typedef struct weir_shell {
    weir_cli_console *console;
    weir_buffer last;    /* the last statement, for \e */
    weir_buffer initial; /* what the next prompt begins with */
    bool leaves;
} weir_shell;

/* Whether a text is a command of the shell, complete or not. */
bool weir_shell_is_command(const char *text, size_t size);
void weir_shell_run_command(weir_shell *shell, const char *text);

/* Candidates for a text that begins with a backslash. */
void weir_shell_complete_command(weir_slice text, size_t cursor, weir_candidates *out);

#endif
