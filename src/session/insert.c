/* INSERT: binds the statement and chooses how it commits.
 *
 * Batch mode and INSERT OVERWRITE make one commit at the end; otherwise commits are made as rows come. */
#include "session/change.h"

int weir_session_bind_insert(weir_session *session, const weir_ast_insert *insert, weir_bound **out_bound,
                             weir_change *out_change, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    if (insert->overwrite && weir_session_mode(session) == WEIR_RUNTIME_STREAMING) {
        return weir_fail_at(err, WEIR_INVALID, insert->position.line, insert->position.column,
                            "INSERT OVERWRITE runs in batch mode only: SET 'execution.runtime-mode' = 'batch'");
    }
    WEIR_TRY(weir_bind_insert(&context, insert, out_bound, err));
    *out_change = (weir_change){
        .what = insert->overwrite ? "INSERT OVERWRITE" : "INSERT INTO",
        .bound = *out_bound,
        .table = (*out_bound)->sink->owner,
        .kind = WEIR_INSERT,
        .one_commit = insert->overwrite || weir_session_mode(session) == WEIR_RUNTIME_BATCH,
    };
    return WEIR_OK;
}

int weir_session_insert(weir_session *session, const weir_ast_insert *insert, weir_result **out, weir_error *err)
{
    weir_bound *bound = NULL;
    weir_change change;
    WEIR_TRY(weir_session_bind_insert(session, insert, &bound, &change, err));
    session->streaming_input = weir_session_mode(session) != WEIR_RUNTIME_BATCH;
    int code = weir_change_run(session, &change, out, err);
    weir_bound_free(bound);
    return code;
}
