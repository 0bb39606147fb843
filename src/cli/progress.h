/* What a running statement does, and what it did, on standard error. */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include "session/session.h"

typedef struct weir_cli_progress {
    bool is_live;  /* a line that is rewritten while a statement runs: on a terminal */
    bool is_quiet; /* nothing at all */
    bool has_line; /* one stands there now */
} weir_cli_progress;

void weir_cli_progress_init(weir_cli_progress *progress, bool is_quiet);

/* For weir_session_options.progress; the context is a weir_cli_progress. */
void weir_cli_progress_show(void *context, const weir_progress *progress);
void weir_cli_progress_clear(weir_cli_progress *progress);

/* The line after a statement: its message, what it wrote, or how many rows it gave. */
void weir_cli_progress_done(weir_cli_progress *progress, const weir_result *result, int64_t rows, int64_t elapsed_ns);

#endif
