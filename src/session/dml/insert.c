/* INSERT: what it reads as it is now, in one commit; in streaming mode, and without a mode, as a job. */
#include "session/dml/change.h"
#include "session/job/jobs.h"

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
    };
    return WEIR_OK;
}

int weir_session_insert_batch(weir_session *session, const weir_ast_insert *insert, weir_result **out, weir_error *err)
{
    weir_bound *bound = NULL;
    weir_change change;
    WEIR_TRY(weir_session_bind_insert(session, insert, &bound, &change, err));
    int code = weir_change_run(session, &change, out, err);
    weir_bound_free(bound);
    return code;
}

int weir_session_insert(weir_session *session, const weir_ast_statement *statement, weir_result **out, weir_error *err)
{
    weir_ast_insert *insert = statement->insert;
    return insert->overwrite || weir_session_mode(session) == WEIR_RUNTIME_BATCH
               ? weir_session_insert_batch(session, insert, out, err)
               : weir_session_run_job(session, statement, &insert, 1, out, err);
}
