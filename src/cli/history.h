/* What was typed before: statements in a file, one a line, the oldest first.
 *
 * Several shells may share the file: each appends its statements as they are run. Statements that name a password or
 * the like, and those that begin with a blank, never reach it. */
#ifndef WEIR_CLI_HISTORY_H
#define WEIR_CLI_HISTORY_H

#include "base/base.h"

typedef struct weir_past {
    char *path; /* NULL: there is no file */
    char **statements;
    size_t count;
    size_t capacity;
} weir_past;

/* Reads $WEIR_HISTORY (empty: no file), or weir/history in $XDG_STATE_HOME or ~/.local/state. */
void weir_past_open(weir_past *past);
void weir_past_close(weir_past *past);

/* A statement that was entered. */
void weir_past_add(weir_past *past, const char *statement);

#endif
