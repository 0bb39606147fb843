/* Rows to where they are written: Paimon tables and sinks of connectors, with commits. */
#ifndef WEIR_SESSION_ROW_WRITER_H
#define WEIR_SESSION_ROW_WRITER_H

#include "connect/sink.h"
#include "session/table/sql_table.h"

typedef struct weir_row_writer weir_row_writer;

struct weir_row_writer {
    int (*write)(weir_row_writer *self, const weir_batch *batch, weir_error *err);
    /* Makes what was written visible; `last`: nothing more will come. */
    int (*commit)(weir_row_writer *self, bool last, weir_error *err);
    /* Whether its commit stands already, made by a run that was interrupted. NULL: nobody knows. */
    int (*find_commit)(weir_row_writer *self, bool *out, weir_error *err);
    /* Without a commit before it, what was written since the last one is dropped. */
    void (*close)(weir_row_writer *self);
    weir_change_summary summary; /* rows, commits, snapshots and files so far */
};

typedef struct weir_row_writer_options {
    const weir_bound *bound; /* of INSERT: overwrite and PARTITION; NULL: plain writing */
    const char *commit_user; /* NULL: a new one */
    bool takes_changes;      /* rows of every kind will come */
} weir_row_writer_options;

/* Refuses what cannot be written before anything is. */
int weir_row_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                         weir_error *err);

/* Refuses system tables and other views of a table. */
int weir_session_table_check_writable(const weir_session_table *table, weir_error *err);

/* What the sink of a connector's table is opened with; and whether it can be opened for its columns. */
int weir_sink_writer_check(const weir_session_table *table, weir_error *err);
void weir_sink_writer_options(const weir_session_table *table, weir_arena *arena, weir_sink_options *out);

/* The two kinds. */
int weir_paimon_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                            weir_error *err);
int weir_sink_writer_open(weir_session_table *table, const weir_row_writer_options *options, weir_row_writer **out,
                          weir_error *err);

#endif
