/* What a running statement does, and what it did, on standard error. */
#ifndef WEIR_CLI_PROGRESS_H
#define WEIR_CLI_PROGRESS_H

#include <pthread.h>
#include <stdio.h>

#include "cli/output.h"
#include "session/session.h"

/* A line that is rewritten while a statement runs, by a thread of its own; and lines that somebody else rewrites. */
typedef struct weir_cli_progress {
    weir_session *session;
    bool is_live; /* standard error is a terminal, and nobody asked for quiet */
    bool is_quiet;
    bool has_colors;
    /* Of the thread, while a statement runs. */
    bool is_running;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t ended;
    bool ends;
    int lines; /* how many stand there now */
    int64_t start_ns;
} weir_cli_progress;

void weir_cli_progress_init(weir_cli_progress *progress, bool is_quiet, bool has_colors);

/* Around the running of a statement. The line comes when it takes long, and goes with end, which may be called before
 * the statement has ended, and again. */
void weir_cli_progress_begin(weir_cli_progress *progress, weir_session *session);
void weir_cli_progress_end(weir_cli_progress *progress);

/* Shows lines (parted by line ends, cut to the terminal) in place of those that stand there; clear takes them away. */
void weir_cli_progress_show(weir_cli_progress *progress, const char *text);
void weir_cli_progress_clear(weir_cli_progress *progress);

/* A stream to `to` that takes the lines away before it writes, for what other threads print. The caller closes it. */
FILE *weir_cli_progress_stream(weir_cli_progress *progress, FILE *to);

/* The line after a statement: its message, what it wrote, or how many rows it gave. */
void weir_cli_progress_done(weir_cli_progress *progress, const weir_result *result, const weir_output_summary *output,
                            int64_t elapsed_ns);

#endif
