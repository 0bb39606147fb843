/* DELETE, UPDATE and TRUNCATE: rows of a primary-key table written again as -D or +U, and an empty state.
 *
 * They run as one commit in every mode. */
#include "base/clock.h"
#include "merge/merge_engine.h"
#include "session/dml/change.h"
#include "session/dml/delete_partitions.h"
#include "table/commit/commit.h"

static int check_paimon(const weir_session_table *table, const char *statement, weir_error *err)
{
    if (table->kind != WEIR_SESSION_CONNECTOR_TABLE && !weir_session_table_is_plain(table)) {
        return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                            "system tables such as '%s' are read only", table->base.name);
    }
    if (table->kind != WEIR_SESSION_PAIMON_TABLE) {
        return weir_fail_at(err, WEIR_INVALID, table->position.line, table->position.column,
                            "%s works on Paimon tables, and '%s' is none", statement, table->base.name);
    }
    return WEIR_OK;
}

static int check_primary_key(const weir_session_table *table, const char *statement, weir_error *err)
{
    WEIR_TRY(check_paimon(table, statement, err));
    if (!weir_table_has_primary_key(table->table)) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, table->position.line, table->position.column,
                            "%s needs a table with a primary key, and '%s' has none%s", statement, table->base.name,
                            strcmp(statement, "DELETE") == 0 && table->base.partition_key_count > 0
                                ? "; without one, rows go by whole partitions: a condition on partition columns alone"
                                : "");
    }
    return WEIR_OK;
}

static int fail_engine(const weir_session_table *table, const char *reason, weir_error *err)
{
    const char *engine = weir_options_get(&table->table->schema->options, "merge-engine");
    return weir_fail_at(err, WEIR_UNSUPPORTED, table->position.line, table->position.column, "Merge engine %s %s",
                        engine, reason);
}

/* Of a DELETE only engines make something that can remove the whole row. */
static int check_deletable(const weir_session_table *table, weir_error *err)
{
    weir_arena arena;
    weir_merge_engine engine;
    weir_arena_init(&arena);
    int code = weir_merge_engine_of(table->table->schema, &arena, &engine, err);
    bool removes = engine.remove_record_on_delete;
    for (int32_t g = 0; code == WEIR_OK && g < engine.group_count; g++) {
        removes |= engine.groups[g].removes_record;
    }
    weir_arena_free(&arena);
    WEIR_TRY(code);
    if (engine.kind == WEIR_MERGE_DEDUPLICATE || removes) {
        return WEIR_OK;
    }
    if (engine.kind == WEIR_MERGE_FIRST_ROW) {
        return fail_engine(table, "can not support batch delete.", err);
    }
    return fail_engine(table,
                       engine.kind == WEIR_MERGE_AGGREGATION
                           ? "doesn't support batch delete by default. To support batch delete, please set "
                             "'aggregation.remove-record-on-delete' to true."
                           : "doesn't support batch delete by default. To support batch delete, please set "
                             "'partial-update.remove-record-on-delete' to true when there is no sequence-group or set "
                             "'partial-update.remove-record-on-sequence-group'.",
                       err);
}

/* An UPDATE writes whole new rows, which aggregation would add to the old ones and first-row leave out. */
static int check_updatable(const weir_session_table *table, weir_error *err)
{
    const char *engine = weir_options_get(&table->table->schema->options, "merge-engine");
    bool rewrites = engine == NULL || strcmp(engine, "deduplicate") == 0 || strcmp(engine, "partial-update") == 0;
    return rewrites ? WEIR_OK : fail_engine(table, "can not support batch update.", err);
}

static int truncate(const weir_session_table *table, weir_result **out, weir_error *err)
{
    weir_table_commit *commit = NULL;
    weir_change_summary summary = {0};
    char user[WEIR_UUID_SIZE];
    int64_t start = weir_monotonic_ns();
    WEIR_TRY(weir_schema_check_writable(table->table->schema, err));
    weir_uuid(user);
    WEIR_TRY(weir_table_commit_open(table->table, user, &commit, err));
    int code = weir_table_commit_truncate(commit, WEIR_BATCH_COMMIT_IDENTIFIER, &summary.last_snapshot, err);
    weir_table_commit_close(commit);
    WEIR_TRY(code);
    summary.commits = summary.last_snapshot > 0;
    summary.elapsed_ns = weir_monotonic_ns() - start;
    *out = weir_change_result("TRUNCATE TABLE", table, &summary);
    return WEIR_OK;
}

int weir_session_delete(weir_session *session, const weir_ast_modify *modify, weir_result **out, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound *bound = NULL;
    WEIR_TRY(weir_bind_delete(&context, modify, &bound, err));
    weir_session_table *table = bound->sink->owner;
    int code = WEIR_OK;
    if (weir_session_table_is_plain(table) && weir_table_has_primary_key(table->table)) {
        WEIR_GO(check_deletable(table, err));
    }
    if (bound->whole_table && weir_session_table_is_plain(table)) {
        WEIR_GO(truncate(table, out, err));
    } else if (weir_session_table_is_plain(table) && !weir_table_has_primary_key(table->table) &&
               weir_delete_is_of_partitions(bound)) {
        WEIR_GO(weir_delete_partitions(session, bound, out, err));
    } else {
        WEIR_GO(check_primary_key(table, "DELETE", err));
        weir_change change = {.what = "DELETE FROM", .bound = bound, .table = table, .kind = WEIR_DELETE};
        WEIR_GO(weir_change_run(session, &change, out, err));
    }
done:
    weir_bound_free(bound);
    return code;
}

int weir_session_update(weir_session *session, const weir_ast_modify *modify, weir_result **out, weir_error *err)
{
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound *bound = NULL;
    WEIR_TRY(weir_bind_update(&context, modify, &bound, err));
    weir_session_table *table = bound->sink->owner;
    weir_change change = {.what = "UPDATE", .bound = bound, .table = table, .kind = WEIR_UPDATE_AFTER};
    int code = WEIR_OK;
    WEIR_GO(check_primary_key(table, "UPDATE", err));
    WEIR_GO(check_updatable(table, err));
    WEIR_GO(weir_change_run(session, &change, out, err));
done:
    weir_bound_free(bound);
    return code;
}

int weir_session_truncate(weir_session *session, const weir_ast_name *name, weir_result **out, weir_error *err)
{
    weir_arena arena;
    weir_sql_table *table = NULL;
    int code = WEIR_OK;
    weir_arena_init(&arena);
    WEIR_GO(weir_session_open_table(session, name, &arena, &table, err));
    WEIR_GO(check_paimon(table->owner, "TRUNCATE TABLE", err));
    WEIR_GO(truncate(table->owner, out, err));
done:
    if (table != NULL && table->close != NULL) {
        table->close(table);
    }
    weir_arena_free(&arena);
    return code;
}
