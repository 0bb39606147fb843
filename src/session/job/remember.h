/* Which statements of a script a run passes over, because an earlier one has done them. */
#ifndef WEIR_SESSION_REMEMBER_H
#define WEIR_SESSION_REMEMBER_H

#include "session/job/state_folder.h"
#include "session/state.h"

/* The session's state folder, opened on first use; NULL: there is none. */
int weir_session_state_folder(weir_session *session, weir_state_folder **out, weir_error *err);

/* Executes a statement, by weir_session_dispatch, unless it is done already. */
int weir_session_remember(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err);

/* The source of the statement that runs, in `arena`, to be kept and shown: without its secrets. A statement whose
 * secrets have changed is the same one. */
const char *weir_session_statement_text(const weir_session *session, const weir_ast_statement *statement,
                                        weir_arena *arena);

#endif
