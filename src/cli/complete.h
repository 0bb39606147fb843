/* Completion of SQL: what may stand where the cursor is.
 *
 *   complete.c          which kind of word is wanted: a keyword, a name, an option, and the candidates for it
 *   complete_names.c    the tables that a statement names, and their columns
 *   complete_options.c  keys and values of WITH, OPTIONS and SET, and names of files */
#ifndef WEIR_CLI_COMPLETE_H
#define WEIR_CLI_COMPLETE_H

#include "cli/editor.h"
#include "cli/sql_text.h"
#include "session/names.h"

/* For weir_editor_options.complete; the context is a weir_session. */
void weir_complete_sql(void *session, weir_slice text, size_t cursor, weir_candidates *out);

/* Names of files that begin with `prefix`, which ends where the cursor is. */
void weir_complete_files(const char *prefix, const char *suffix, weir_candidates *out);

/* ---- shared by the files above ---- */

/* A table in FROM, JOIN, INTO, UPDATE and the like, or a common table expression (without parts). */
typedef struct weir_named_table {
    const char *parts[3];
    int32_t part_count;
    const char *alias; /* NULL: none */
} weir_named_table;

/* One statement around the cursor, in pieces without blanks and comments. */
typedef struct weir_completion {
    weir_session *session;
    weir_slice text;
    weir_piece *pieces; /* malloc'd */
    size_t count;
    size_t at; /* the piece that holds the cursor or ends there, or the first one after it */
    size_t cursor;
    bool has_word;            /* the piece `at` is a word or name that ends at the cursor, which is to be completed */
    const char *word;         /* the part of it before the cursor, without an opening quote */
    bool lower;               /* keywords are written in lower case here */
    weir_named_table *tables; /* malloc'd */
    size_t table_count;
    size_t table_capacity;
    weir_candidates *out;
} weir_completion;

/* Adds a candidate when it begins with the word, in any case, and is not there yet. */
void weir_completion_add(weir_completion *self, const char *text, const char *suffix);
/* The same for a name, which is put in backquotes where that is needed. */
void weir_completion_add_name(weir_completion *self, const char *name, const char *suffix);

bool weir_completion_is(const weir_completion *self, size_t piece, const char *word); /* in any case */
/* The text of a name, without its backquotes, in the arena of the candidates. */
const char *weir_completion_name(const weir_completion *self, size_t piece);

void weir_completion_find_tables(weir_completion *self);
/* Columns of all tables of the statement, with the aliases before them. */
void weir_completion_add_columns(weir_completion *self);
/* What may follow `parts` and a dot: columns of a table of the statement, tables, databases. */
void weir_completion_add_members(weir_completion *self, const char *const *parts, int32_t count);
void weir_completion_add_tables(weir_completion *self);

/* When the cursor is in a string: its candidates. False: it is in none. */
bool weir_completion_in_string(weir_completion *self);

#endif
