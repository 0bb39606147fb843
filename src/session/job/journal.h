/* What of a script is done: a file of lines, so that a run after a crash passes over it.
 *
 * Lines are JSON objects, each synced before the next step is taken:
 *
 *   {"statement":2,"text":"INSERT INTO t …","user":"3f0c…"}   statement 2 begins; who commits its rows
 *   {"statement":2,"rows":3,"commits":1}                      it is done
 *   {"end":true}                                              the script was through: the next run begins anew
 *
 * A last line that was cut off counts as not written. Statements have numbers from 1; only those that change something
 * outside of the session are counted (remember.c). */
#ifndef WEIR_SESSION_JOURNAL_H
#define WEIR_SESSION_JOURNAL_H

#include "base/base.h"

typedef struct weir_journal weir_journal;

typedef struct weir_journal_entry {
    int32_t statement;
    const char *text;
    const char *user; /* under which it commits */
    bool is_done;
    int64_t rows, commits;
} weir_journal_entry;

/* Reads the file, which may be missing. After the end of a script it counts as empty. */
int weir_journal_open(const char *path, weir_journal **out, weir_error *err);
void weir_journal_close(weir_journal *journal); /* NULL is fine */

/* What is known of a statement; NULL: nothing. Good until the next change. */
const weir_journal_entry *weir_journal_find(const weir_journal *journal, int32_t statement);
bool weir_journal_is_empty(const weir_journal *journal);

/* Write one of the lines above, synced: a statement begins (its texts are copied), it is done, the script is through.
 */
int weir_journal_begin(weir_journal *journal, int32_t statement, const char *text, const char *user, weir_error *err);
int weir_journal_done(weir_journal *journal, int32_t statement, int64_t rows, int64_t commits, weir_error *err);
int weir_journal_end(weir_journal *journal, weir_error *err);

#endif
