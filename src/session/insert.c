/* INSERT: binds the statement and chooses how it commits.
 *
 * Batch mode and INSERT OVERWRITE make one commit at the end; otherwise commits are made as rows come. */
#include "session/change.h"

int weir_session_insert(weir_session *session, const weir_ast_insert *insert, weir_result **out, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound *bound = NULL;
    if (insert->overwrite && weir_session_mode(session) == WEIR_RUNTIME_STREAMING) {
        return weir_fail_at(err, WEIR_INVALID, insert->position.line, insert->position.column,
                            "INSERT OVERWRITE runs in batch mode only: SET 'execution.runtime-mode' = 'batch'");
    }
    WEIR_TRY(weir_bind_insert(&context, insert, &bound, err));
    weir_change change = {
        .what = insert->overwrite ? "INSERT OVERWRITE" : "INSERT INTO",
        .bound = bound,
        .table = bound->sink->owner,
        .kind = WEIR_INSERT,
        .one_commit = insert->overwrite || weir_session_mode(session) == WEIR_RUNTIME_BATCH,
    };
    session->streaming_input = weir_session_mode(session) != WEIR_RUNTIME_BATCH;
    int code = weir_change_run(session, &change, out, err);
    weir_bound_free(bound);
    return code;
}
