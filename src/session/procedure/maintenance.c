/* Procedures that keep a table in order: compacting, expiring, dropping partitions, removing orphans, consumers. */
#include "base/clock.h"
#include "base/map.h"
#include "base/text.h"
#include "session/dml/delete_partitions.h"
#include "session/procedure/procedure.h"
#include "sql/parser.h"
#include "table/commit/commit.h"
#include "table/maintenance/expire.h"
#include "table/maintenance/orphan_files.h"
#include "table/maintenance/partition_done.h"
#include "table/scan/scan.h"
#include "table/write/compact.h"
#include "table/write/table_write.h"

/* ---- compact ---- */

/* Which partitions are compacted. */
typedef struct partition_choice {
    const weir_schema *schema;
    const weir_literal *const *const *specs; /* NULL: all */
    int32_t spec_count;
    weir_map *busy; /* that were written to lately; NULL: it does not matter */
} partition_choice;

static bool takes_partition(void *context, weir_slice partition)
{
    const partition_choice *self = context;
    if (self->busy != NULL && weir_map_get(self->busy, partition) != NULL) {
        return false;
    }
    if (self->specs == NULL) {
        return true;
    }
    for (int32_t i = 0; i < self->spec_count; i++) {
        if (weir_partition_matches(self->schema, self->specs[i], partition)) {
            return true;
        }
    }
    return false;
}

/* The partitions with a file younger than `idle_ms`. */
static int find_busy(const weir_procedure_call *call, int64_t idle_ms, weir_map *out, weir_error *err)
{
    const weir_table *table = call->table;
    weir_manifest_filter filter = {.bucket = -1, .min_level = -1, .without_stats = true};
    weir_manifest_entries entries = {0};
    weir_snapshot *snapshot = NULL;
    WEIR_TRY(weir_scan_snapshot(table, call->arena, &snapshot, err));
    if (snapshot == NULL) {
        return WEIR_OK;
    }
    int code = weir_snapshot_files(table->context.fs, &table->context.paths, table->schema, snapshot, &filter,
                                   table->context.pool, call->arena, &entries, err);
    int64_t since = weir_local_now_ms() - idle_ms;
    for (size_t i = 0; i < entries.count && code == WEIR_OK; i++) {
        if (entries.items[i].file->creation_time_ms > since) {
            weir_map_put(out, entries.items[i].partition, out);
        }
    }
    weir_manifest_entries_free(&entries);
    return code;
}

/* Somebody else may compact the same files: then once more, from what that has left. */
static int run_compaction(weir_procedure_call *call, const weir_compactor_options *options, weir_error *err)
{
    enum { MOST_TRIES = 5 };
    weir_compactor *compactor = NULL;
    weir_compactor_round round = {.dropped = true};
    int code = weir_compactor_open(call->table, options, &compactor, err);
    for (int tries = 0; code == WEIR_OK && round.dropped && tries < MOST_TRIES; tries++) {
        code = weir_compactor_run(compactor, &round, err);
    }
    weir_compactor_close(compactor);
    WEIR_TRY(code);
    return round.dropped
               ? weir_fail(err, WEIR_CONFLICT, "%s: others compact the same files all the time; their results stand",
                           call->table->path)
               : WEIR_OK;
}

/* The partitions that match the argument `where`, a condition on partition columns: what DELETE would make of it. */
static int choose_by_condition(weir_procedure_call *call, partition_choice *out, weir_error *err)
{
    const weir_sql_table *table = &call->opened->base;
    const char *text = weir_arena_format(call->arena, "DELETE FROM `%s`.`%s`.`%s` WHERE %s", table->catalog,
                                         table->database, table->name, weir_call_text(call, 5));
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(call->session, &resolver);
    weir_script script;
    weir_ast_statement *statement = NULL;
    weir_bound *bound = NULL;
    int code;
    weir_script_init(&script, text, strlen(text));
    WEIR_GO(weir_script_next(&script, call->arena, &statement, err));
    WEIR_GO(weir_bind_delete(&context, statement->modify, &bound, err));
    if (!weir_delete_is_of_partitions(bound)) {
        WEIR_GO(weir_fail(err, WEIR_INVALID, "the condition must look at partition columns alone"));
    }
    WEIR_GO(weir_partitions_of_condition(call->session, bound, call->arena, &out->specs, &out->spec_count, err));
done:
    weir_bound_free(bound);
    if (code != WEIR_OK && err != NULL) {
        err->line = 0; /* of the text made above */
    }
    return weir_call_error(call, 5, err, code);
}

static int choose_partitions(weir_procedure_call *call, partition_choice *out, weir_map *busy, weir_error *err)
{
    int64_t idle_ms = 0;
    *out = (partition_choice){.schema = call->table->schema};
    if (call->given[1]) {
        WEIR_TRY(weir_call_partitions(call, 1, &out->specs, &out->spec_count, err));
    }
    if (call->given[5]) {
        if (call->given[1]) {
            return weir_call_error(call, 5, err,
                                   weir_fail(err, WEIR_INVALID, "give `partitions` or `where`, not both"));
        }
        WEIR_TRY(choose_by_condition(call, out, err));
    }
    WEIR_TRY(weir_call_duration(call, 6, -1, &idle_ms, err));
    if (idle_ms >= 0) {
        WEIR_TRY(find_busy(call, idle_ms, busy, err));
        out->busy = busy;
    }
    return WEIR_OK;
}

int weir_procedure_compact(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const char *strategy = weir_call_text(call, 7);
    weir_map busy = {0};
    partition_choice chosen;
    bool full = strategy == NULL || weir_text_equal_ignore_case(strategy, "full");
    int code;
    if (!full && !weir_text_equal_ignore_case(strategy, "minor")) {
        return weir_call_error(call, 7, err,
                               weir_fail(err, WEIR_INVALID,
                                         "'%s' is no strategy of compacting; there are 'full' and "
                                         "'minor'",
                                         strategy));
    }
    WEIR_GO(weir_schema_check_writable(call->table->schema, err));
    WEIR_GO(choose_partitions(call, &chosen, &busy, err));
    const weir_compact_choice choice = {.takes = takes_partition, .context = &chosen};
    const weir_compactor_options options = {.choice = &choice, .full = full};
    WEIR_GO(run_compaction(call, &options, err));
    WEIR_GO(weir_call_success(out, err));
done:
    weir_map_free(&busy);
    return code;
}

/* ---- expire_snapshots ---- */

int weir_procedure_expire_snapshots(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    weir_expire_options options = {
        .retain_max = weir_call_integer(call, 1, -1),
        .retain_min = weir_call_integer(call, 2, -1),
        .limit = weir_call_integer(call, 4, 0),
    };
    int64_t expired = 0;
    for (int32_t argument = 1; argument <= 4; argument++) {
        if (argument != 3 && call->given[argument] && call->values[argument].integer < 1) {
            return weir_call_error(
                call, argument, err,
                weir_fail(err, WEIR_INVALID, "%s must be at least 1", call->procedure->arguments[argument].name));
        }
    }
    WEIR_TRY(weir_call_time(call, 3, INT64_MIN, &options.older_than_ms, err));
    int code = weir_table_expire(call->table, &options, &expired, err);
    if (code != WEIR_OK) {
        return weir_call_error(call, call->given[1] ? 1 : 0, err, code);
    }
    return weir_call_text_result(weir_arena_format(call->arena, "%" PRId64, expired), out, err);
}

/* ---- partitions ---- */

int weir_procedure_drop_partition(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    char user[WEIR_UUID_SIZE];
    const weir_literal *const *const *specs = NULL;
    int32_t count = 0;
    weir_table_commit *commit = NULL;
    WEIR_TRY(weir_schema_check_writable(call->table->schema, err));
    WEIR_TRY(weir_call_partitions(call, 1, &specs, &count, err));
    weir_uuid(user);
    WEIR_TRY(weir_table_commit_open(call->table, user, &commit, err));
    int code = weir_table_commit_drop_partitions(commit, specs, count, WEIR_BATCH_COMMIT_IDENTIFIER, NULL, err);
    weir_table_commit_close(commit);
    return code == WEIR_OK ? weir_call_success(out, err) : code;
}

int weir_procedure_mark_partition_done(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const weir_schema *schema = call->table->schema;
    const weir_literal *const *const *specs = NULL;
    int32_t count = 0;
    WEIR_TRY(weir_call_partitions(call, 1, &specs, &count, err));
    for (int32_t i = 0; i < count; i++) {
        weir_literal *values = WEIR_NEW_ARRAY(call->arena, weir_literal, schema->partition_key_count);
        for (int32_t k = 0; k < schema->partition_key_count; k++) {
            if (specs[i][k] == NULL) {
                return weir_call_error(call, 1, err,
                                       weir_fail(err, WEIR_INVALID,
                                                 "a partition is marked by all of its keys, and '%s' is not named",
                                                 schema->partition_keys[k]));
            }
            values[k] = *specs[i][k];
        }
        WEIR_TRY(weir_table_mark_partition_done(call->table, values, err));
    }
    return weir_call_success(out, err);
}

/* ---- orphans and consumers ---- */

int weir_procedure_remove_orphan_files(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    static const char *const columns[] = {"result"};
    int64_t older_than_ms = 0;
    weir_orphans orphans;
    WEIR_TRY(weir_call_time(call, 1, weir_now_ms() - WEIR_ORPHAN_AGE_MS, &older_than_ms, err));
    int code = weir_table_remove_orphans(call->table, older_than_ms, weir_call_boolean(call, 2, false), call->arena,
                                         &orphans, err);
    if (code != WEIR_OK) {
        return weir_call_error(call, call->given[1] ? 1 : 0, err, code);
    }
    weir_memory_result *result = weir_text_result_create(columns, 1);
    const char *const rows[] = {weir_arena_format(call->arena, "%zu", orphans.count),
                                weir_arena_format(call->arena, "%" PRId64, orphans.bytes)};
    for (int i = 0; i < 2 && code == WEIR_OK; i++) {
        code = weir_text_result_add(result, &rows[i], err);
    }
    if (code != WEIR_OK) {
        weir_result_free(&result->result);
        return code;
    }
    *out = &result->result;
    return WEIR_OK;
}

int weir_procedure_reset_consumer(weir_procedure_call *call, weir_result **out, weir_error *err)
{
    const weir_table_context *context = &call->table->context;
    const char *id = weir_call_text(call, 1);
    int64_t next = weir_call_integer(call, 2, 0), latest = 0;
    if (id[0] == '\0' || strchr(id, '/') != NULL) {
        return weir_call_error(call, 1, err, weir_fail(err, WEIR_INVALID, "'%s' cannot be a consumer's id", id));
    }
    if (!call->given[2]) {
        WEIR_TRY(weir_consumer_remove(context->fs, context->paths.root, id, err));
        return weir_call_success(out, err);
    }
    WEIR_TRY(weir_snapshot_latest_id(context->fs, context->paths.root, &latest, err));
    if (next < 1 || next > latest + 1) {
        return weir_call_error(call, 2, err,
                               weir_fail(err, WEIR_INVALID,
                                         "snapshot %" PRId64 " cannot come next: the latest is %" PRId64, next,
                                         latest));
    }
    WEIR_TRY(weir_consumer_write(context->fs, context->paths.root, id, next, err));
    return weir_call_success(out, err);
}
