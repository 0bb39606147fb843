/* Lines about jobs in the state folder: log/weir.log, and weir.log.1 before it; no more than 2 MB together. */
#ifndef WEIR_SESSION_JOB_LOG_H
#define WEIR_SESSION_JOB_LOG_H

#include "session/state.h"

/* Appends a line with the time before it. Without a state folder there is no log, and a log that can't be written is
 * done without. From the session's thread. */
void weir_job_log(weir_session *session, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
