/* The folder that a script's run keeps its state in, so that the same command goes on after a crash:
 *
 *   lock            held by the process that runs
 *   journal.jsonl   statements that are done (journal.h)
 *   jobs/NAME/      of each job that may go on: job.json (what it is), state/ (keyed state, positions)
 *   log/            weir.log, and weir.log.1 before it
 *
 * A job's NAME is its pipeline.name, or the number of its statement. */
#ifndef WEIR_SESSION_STATE_FOLDER_H
#define WEIR_SESSION_STATE_FOLDER_H

#include "session/job/journal.h"

typedef struct weir_state_folder {
    weir_arena arena;
    const char *path;
    int lock;
    bool is_resumed; /* an earlier run has left something */
    weir_journal *journal;
} weir_state_folder;

/* Makes the folder where it is missing, and locks it. `fresh`: what earlier runs have left goes. WEIR_CONFLICT: another
 * process has it. WEIR_INVALID: other files lie in it. */
int weir_state_folder_open(const char *path, bool fresh, weir_state_folder **out, weir_error *err);

/* Unlocks it. When nothing is in it that a later run could go on from, it is removed. NULL is fine. */
void weir_state_folder_close(weir_state_folder *folder);

/* Where the state of one job is, in the folder's arena. */
typedef struct weir_job_place {
    const char *folder;       /* the job's */
    const char *state_folder; /* of weir_job_options */
    const char *id;  /* of all its runs and of no other job's: a word at random; NULL: an older run gave none */
    bool is_resumed; /* an earlier run has left something in it */
} weir_job_place;

/* Finds or makes it. `text`: of the statement, for people. */
int weir_state_folder_job(weir_state_folder *folder, const char *name, const char *text, weir_job_place *out,
                          weir_error *err);

/* The job of this name has come to its end: there is nothing to go on from. NULL, or a name that no job has: nothing is
 * done. */
int weir_state_folder_forget(weir_state_folder *folder, const char *name, weir_error *err);

#endif
