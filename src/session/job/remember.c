/* Statements and the journal.
 *
 * What changes something that outlives the session (rows, tables of a Paimon catalog) is counted and written into the
 * journal; what makes the session what it is (settings, catalogs, temporary tables) runs in every run, and so does what
 * only reads. An INSERT that runs on as a job is never done: its own state says where it is.
 *
 * A statement that was interrupted may have been committed without the journal knowing: it commits under a user that
 * stands there before it begins, so that its commit can be looked for (change.c). */
#include "session/job/remember.h"

#include "base/clock.h"
#include "sql/parser.h"

/* ---- which statements are counted ---- */

static bool is_of_paimon(const weir_session *session, const weir_ast_name *name)
{
    weir_object_path path;
    return weir_catalogs_table_path(&session->catalogs, name, &path, NULL) == WEIR_OK && path.catalog->paimon != NULL &&
           weir_catalogs_temporary(&session->catalogs, &path) == NULL;
}

static bool is_database_of_paimon(const weir_session *session, const weir_ast_name *name)
{
    weir_object_path path;
    return weir_catalogs_database_path(&session->catalogs, name, &path, NULL) == WEIR_OK &&
           path.catalog->paimon != NULL;
}

static bool is_counted(const weir_session *session, const weir_ast_statement *statement)
{
    switch (statement->kind) {
    case WEIR_AST_INSERT:
    case WEIR_AST_STATEMENT_SET:
    case WEIR_AST_DELETE:
    case WEIR_AST_UPDATE:
    case WEIR_AST_TRUNCATE:
    case WEIR_AST_CALL_PROCEDURE:
    case WEIR_AST_ANALYZE:
        return true;
    case WEIR_AST_CREATE_TABLE:
        return !statement->create_table->temporary && is_of_paimon(session, &statement->create_table->name);
    case WEIR_AST_CREATE_DATABASE:
        return is_database_of_paimon(session, &statement->create->name);
    case WEIR_AST_ALTER_TABLE:
        return is_of_paimon(session, &statement->alter->name);
    case WEIR_AST_DROP:
        return !statement->drop->temporary &&
               ((statement->drop->object == WEIR_AST_OBJECT_TABLE && is_of_paimon(session, &statement->drop->name)) ||
                (statement->drop->object == WEIR_AST_OBJECT_DATABASE &&
                 is_database_of_paimon(session, &statement->drop->name)));
    default:
        return false;
    }
}

/* ---- the folder ---- */

/* Who has no folder to write to can still run a script, as long as nobody else is in the way. */
int weir_session_state_folder(weir_session *session, weir_state_folder **out, weir_error *err)
{
    const weir_session_options *options = &session->options;
    weir_error reason = {0};
    if (session->state == NULL && options->state_folder != NULL && !session->has_no_state) {
        int code = weir_state_folder_open(options->state_folder, options->fresh, &session->state, &reason);
        session->has_no_state = options->optional_state && (code == WEIR_DENIED || code == WEIR_IO);
        if (code != WEIR_OK && !session->has_no_state) {
            *err = reason;
            return code;
        }
    }
    *out = session->state;
    return WEIR_OK;
}

bool weir_session_goes_on(const weir_session *session) { return session->state != NULL && session->state->is_resumed; }

/* ---- comparing ---- */

const char *weir_session_statement_text(const weir_session *session, const weir_ast_statement *statement,
                                        weir_arena *arena)
{
    const weir_position *position = &statement->position;
    weir_buffer shown = {0};
    weir_sql_append_without_secrets(weir_slice_of(session->text + position->begin, position->end - position->begin),
                                    false, &shown);
    const char *text = weir_arena_strndup(arena, weir_buffer_text(&shown), shown.size);
    weir_buffer_free(&shown);
    return text;
}

/* The same but for blanks and line ends. */
static bool is_same_text(const char *a, const char *b)
{
    static const char blanks[] = " \t\r\n";
    for (;;) {
        size_t blanks_a = strspn(a, blanks), blanks_b = strspn(b, blanks);
        a += blanks_a;
        b += blanks_b;
        if (*a != *b || (*a != '\0' && (blanks_a > 0) != (blanks_b > 0))) {
            return false;
        }
        if (*a == '\0') {
            return true;
        }
        a++;
        b++;
    }
}

static int changed_statement(const weir_session *session, const weir_ast_statement *statement,
                             const weir_journal_entry *entry, weir_error *err)
{
    return weir_fail_at(err, WEIR_INVALID, statement->position.line, statement->position.column,
                        "another statement stood here when an earlier run of the script got this far, as '%s' tells: "
                        "%.300s%s; put it back, or give --fresh to begin with the first statement again",
                        session->state->path, entry->text, strlen(entry->text) > 300 ? "…" : "");
}

/* ---- running ---- */

/* The statement's beginning. */
static const char *first_words(const char *text, weir_arena *arena)
{
    size_t size = strcspn(text, "\r\n(");
    return weir_arena_strndup(arena, text, size < 60 ? size : 60);
}

static int run_counted(weir_session *session, const weir_ast_statement *statement, const char *text, weir_result **out,
                       weir_error *err)
{
    weir_journal *journal = session->state->journal;
    const weir_journal_entry *entry = weir_journal_find(journal, session->statement_number);
    char user[WEIR_UUID_SIZE];
    weir_uuid(user);
    /* What an earlier statement in this place may have committed is not what this one is to commit. */
    session->was_interrupted = entry != NULL && is_same_text(entry->text, text);
    session->commit_user = weir_arena_strdup(&session->statement_arena, session->was_interrupted ? entry->user : user);
    WEIR_TRY(weir_journal_begin(journal, session->statement_number, text, session->commit_user, err));
    int failed = weir_session_dispatch(session, statement, out, err);
    if (failed == WEIR_NOT_FOUND && session->state->is_resumed && err != NULL) {
        return (weir_error_context)(err, failed, "what an earlier run has done was passed over (--fresh begins anew)");
    }
    WEIR_TRY(failed);
    if ((*out)->kind == WEIR_RESULT_JOB) {
        return WEIR_OK;
    }
    int code =
        weir_journal_done(journal, session->statement_number, (*out)->changes.rows, (*out)->changes.commits, err);
    if (code == WEIR_OK) {
        code = weir_state_folder_forget(session->state, session->job_key, err);
    }
    if (code != WEIR_OK) {
        weir_result_free(*out);
    }
    return code;
}

/* Uses of one pipeline.name are told apart by their order. */
static void set_job_key(weir_session *session)
{
    const char *name = weir_settings_get(&session->settings, "pipeline.name");
    int32_t uses = 1;
    if (name == NULL) {
        session->job_key = weir_arena_format(&session->statement_arena, "statement-%d", (int)session->statement_number);
        return;
    }
    for (int32_t i = 0; i < session->used_name_count; i++) {
        uses += strcmp(session->used_names[i], name) == 0;
    }
    WEIR_GROW(session->used_names, session->used_name_capacity, session->used_name_count + 1);
    session->used_names[session->used_name_count++] = weir_strdup(name);
    session->job_key = uses == 1 ? weir_arena_strdup(&session->statement_arena, name)
                                 : weir_arena_format(&session->statement_arena, "%s %d", name, (int)uses);
}

int weir_session_remember(weir_session *session, const weir_ast_statement *statement, weir_result **out,
                          weir_error *err)
{
    weir_state_folder *state = NULL;
    session->commit_user = NULL;
    session->was_interrupted = false;
    if (session->options.state_folder == NULL || !is_counted(session, statement)) {
        return weir_session_dispatch(session, statement, out, err);
    }
    WEIR_TRY(weir_session_state_folder(session, &state, err));
    if (state == NULL) {
        return weir_session_dispatch(session, statement, out, err);
    }
    const char *text = weir_session_statement_text(session, statement, &session->statement_arena);
    session->statement_number++;
    if (statement->kind == WEIR_AST_INSERT || statement->kind == WEIR_AST_STATEMENT_SET) {
        set_job_key(session);
    }
    const weir_journal_entry *entry = weir_journal_find(state->journal, session->statement_number);
    if (entry == NULL || !entry->is_done) {
        return run_counted(session, statement, text, out, err);
    }
    if (!is_same_text(entry->text, text)) {
        return changed_statement(session, statement, entry, err);
    }
    WEIR_TRY(weir_state_folder_forget(state, session->job_key, err));
    *out = weir_result_done("%s: done by an earlier run", first_words(text, &session->statement_arena));
    return WEIR_OK;
}
