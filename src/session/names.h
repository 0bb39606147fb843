/* Names that are known to a session, for completion. What can't be read has no names: nothing here fails. */
#ifndef WEIR_SESSION_NAMES_H
#define WEIR_SESSION_NAMES_H

#include "session/session.h"

typedef struct weir_names {
    const char **items; /* in the arena */
    size_t count;
    size_t capacity;
    weir_arena *arena;
} weir_names;

void weir_session_catalog_names(const weir_session *session, weir_names *out);

/* `catalog` and `database` NULL: the current ones. */
void weir_session_database_names(const weir_session *session, const char *catalog, weir_names *out);
void weir_session_table_names(const weir_session *session, const char *catalog, const char *database, weir_names *out);

/* The columns of a table that is named by one to three parts. */
void weir_session_column_names(weir_session *session, const char *const *parts, int32_t count, weir_names *out);

#endif
