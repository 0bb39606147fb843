/* Tables as queries see them: what the resolver gives to the binder. */
#ifndef WEIR_SESSION_SQL_TABLE_H
#define WEIR_SESSION_SQL_TABLE_H

#include "connect/source.h"
#include "session/state.h"
#include "table/system/system_table.h"

typedef enum weir_session_table_kind {
    WEIR_SESSION_PAIMON_TABLE,
    WEIR_SESSION_SYSTEM_TABLE, /* what a Paimon table tells about itself: t$snapshots, t$files, … */
    WEIR_SESSION_CONNECTOR_TABLE
} weir_session_table_kind;

typedef struct weir_session_table {
    weir_sql_table base; /* first */
    weir_session_table_kind kind;
    weir_session *session;
    weir_arena arena;
    weir_position position; /* where the statement names it */
    weir_description description;

    /* Paimon */
    weir_table *table;
    weir_fs *owned_fs;               /* NULL: a catalog's */
    bool audit_log;                  /* t$audit_log: the kind of each row is its first column */
    bool read_optimized;             /* t$ro: only what compactions have put into the highest level */
    const weir_system_table *system; /* of a system table */

    /* Connectors */
    weir_definition *definition; /* kept */
    weir_options options;        /* those of hints included */
    const weir_source *source;   /* that is being read; for progress */
} weir_session_table;

/* What is asked for by a name of a Paimon table: t, t$snapshots, t$branch_b, t$branch_b$audit_log. */
typedef struct weir_paimon_name {
    const char *table;
    const char *branch; /* NULL: main */
    bool audit_log;
    bool read_optimized;
    const weir_system_table *system; /* NULL: none */
} weir_paimon_name;

int weir_paimon_name_parse(const weir_object_path *path, weir_arena *arena, weir_paimon_name *out, weir_error *err);

/* Opens the table in a folder. `options`: dynamic ones, checked already. */
typedef struct weir_paimon_open {
    weir_fs *fs;
    bool owns_fs; /* the table closes it, also when opening fails */
    const char *folder;
    weir_paimon_name name;
    const weir_options *options;
} weir_paimon_open;

int weir_paimon_table_open(weir_session *session, const weir_object_path *path, const weir_paimon_open *open,
                           weir_session_table **out, weir_error *err);

/* Single rows of it, where that is better than taking in the whole: open_lookup of weir_sql_table. */
int weir_paimon_lookup_open(weir_sql_table *table, const weir_scan_request *request, const char *folder,
                            weir_sql_lookup **out, weir_error *err);

/* Where each column of the table stands in the schema: the kind's column and those that are not stored stand nowhere.
 * In `arena`. */
int32_t *weir_session_schema_places(const weir_session_table *table, weir_arena *arena);

/* Whether rows can be written to it: a Paimon table itself, not a view of one. */
static inline bool weir_session_table_is_plain(const weir_session_table *table)
{
    return table->kind == WEIR_SESSION_PAIMON_TABLE && !table->audit_log && !table->read_optimized;
}

/* Makes the opened Paimon table `table` into one of its system tables. */
void weir_session_table_make_system(weir_session_table *table, const weir_system_table *system);

int weir_connector_table_open(weir_session *session, const weir_object_path *path, weir_definition *definition,
                              const weir_options *hints, weir_session_table **out, weir_error *err);

/* The common part: names and columns from table->description, whose memory lives in table->arena. */
weir_session_table *weir_session_table_new(weir_session *session, weir_session_table_kind kind,
                                           const weir_object_path *path);
void weir_session_table_set_columns(weir_session_table *table);

#endif
