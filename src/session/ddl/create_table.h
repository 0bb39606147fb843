/* What the files of CREATE TABLE share. */
#ifndef WEIR_SESSION_CREATE_TABLE_H
#define WEIR_SESSION_CREATE_TABLE_H

#include "session/state.h"

/* LIKE: the statement with the other table's definition merged into it, in `arena`. `is_kept`: the session keeps the
 * new table itself. */
int weir_create_like(weir_session *session, const weir_ast_create_table *create, bool is_kept, weir_arena *arena,
                     weir_ast_create_table **out, weir_error *err);

/* AS SELECT: makes the table, or (OR REPLACE) a new one in its place, and inserts the query's rows. */
int weir_create_as(weir_session *session, const weir_ast_create_table *create, weir_result **out, weir_error *err);

/* Makes one table of a statement that has no AS SELECT (any more). *out_exists: it was there already, and IF NOT
 * EXISTS was said. */
int weir_create_table(weir_session *session, const weir_ast_create_table *create, bool *out_exists, weir_error *err);

/* That the connector knows what METADATA columns ask for, and that it can be given in their types. */
int weir_check_metadata(const weir_ast_create_table *create, const weir_description *description, weir_arena *arena,
                        weir_error *err);

/* Whether an option of a Paimon table is kept with it. Those that say how a store is reached are not: the catalog has
 * them, and every reader of the table would see its keys. A notice says so. */
bool weir_option_is_kept(const char *key);

/* Where an option no longer exists, a notice says what does its work today. */
void weir_tell_successor(const char *key);

#endif
