/* Jobs that run beside statements, as the program shows them and waits for them.
 *
 *   jobs.c       waiting for their end, and what ends them: nothing to do, a signal, a timeout
 *   job_lines.c  the live lines, and the table at the end */
#ifndef WEIR_CLI_JOBS_H
#define WEIR_CLI_JOBS_H

#include "cli/console.h"

/* Tells of jobs that have ended since it was asked last; false: one of them failed. */
bool weir_cli_tell_ended_jobs(weir_cli_console *console);

/* Waits until no job runs any more. `status`: of the statements; when it is not WEIR_CLI_DONE, the jobs are stopped.
 * Returns the exit status of all. */
int weir_cli_wait_for_jobs(weir_cli_console *console, int status);

/* What moves from one look at the jobs to the next. */
typedef struct weir_job_lines {
    int64_t looked_ns; /* 0: never */
    int64_t *rows_in;  /* of each job, at that time */
    int64_t *rows_out;
    int32_t count;
    int32_t shown; /* lines that stand on the terminal now */
} weir_job_lines;

/* Rows per second, lag, state, age of the checkpoint: one line for all, or where there is room one a job; each with a
 * line end but the last. */
void weir_job_lines_append(weir_job_lines *lines, weir_session *session, int width, int height, weir_buffer *out);
void weir_job_lines_free(weir_job_lines *lines);

/* A table of what all jobs did. */
void weir_job_table_append(weir_session *session, weir_buffer *out);

#endif
