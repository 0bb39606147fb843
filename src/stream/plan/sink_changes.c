/* A query's changes and its sink (sink_changes.h). */
#include "stream/plan/sink_changes.h"

static bool changes(const weir_stream_traits *traits) { return traits->updates || traits->deletes; }

int weir_sink_check(const weir_bound *bound, const weir_stream_sink *sink, weir_arena *arena, weir_error *err)
{
    const weir_plan *plan = bound->plan;
    const weir_stream_traits *query;
    WEIR_TRY(weir_stream_traits_of(plan, arena, &query, err));
    if (sink->takes != WEIR_SINK_INSERTS || !changes(query)) {
        return WEIR_OK;
    }
    const weir_sql_table *table = bound->sink;
    const char *name = table == NULL
                           ? sink->description
                           : weir_arena_format(arena, "%s.%s.%s", table->catalog, table->database, table->name);
    return weir_fail_at(err, WEIR_INVALID, plan->position.line, plan->position.column,
                        "Table sink '%s' doesn't support consuming %s changes which is produced by node %s; write to a "
                        "table with a PRIMARY KEY, or run the query in batch mode: SET 'execution.runtime-mode' = "
                        "'batch'",
                        name, weir_stream_changes_text(query), query->changes_from);
}

/* --- Keys ------------------------------------------------------------------------------------------------------ */

static bool contains(const int32_t *fields, int32_t count, int32_t field)
{
    bool found = false;
    for (int32_t i = 0; i < count && !found; i++) {
        found = fields[i] == field;
    }
    return found;
}

static bool is_within(const weir_unique_key *key, const weir_stream_sink *sink)
{
    bool all = true;
    for (int32_t i = 0; i < key->count && all; i++) {
        all = contains(sink->key, sink->key_count, key->fields[i]);
    }
    return all;
}

weir_sink_keys weir_sink_keys_of(const weir_stream_traits *query, const weir_stream_sink *sink,
                                 weir_upsert_materialize mode)
{
    if (sink->key == NULL || sink->takes == WEIR_SINK_INSERTS || mode == WEIR_MATERIALIZE_NONE) {
        return WEIR_SINK_KEYS_AGREE;
    }
    if (mode == WEIR_MATERIALIZE_FORCE) {
        return WEIR_SINK_KEYS_MEET;
    }
    weir_sink_keys best = changes(query) ? WEIR_SINK_KEYS_MEET : WEIR_SINK_KEYS_AGREE;
    for (int32_t i = 0; i < query->unique_key_count && best != WEIR_SINK_KEYS_AGREE; i++) {
        if (is_within(&query->unique_keys[i], sink)) {
            bool same = query->unique_keys[i].count == sink->key_count;
            best = same ? WEIR_SINK_KEYS_AGREE : WEIR_SINK_KEYS_MOVE;
        }
    }
    return best;
}

const weir_plan *weir_sink_upserts_scan(const weir_plan *plan, const weir_stream_sink *sink, weir_arena *arena,
                                        weir_upsert_materialize mode)
{
    const weir_stream_traits *query;
    if (sink->takes != WEIR_SINK_UPSERTS || sink->key == NULL ||
        weir_stream_traits_of(plan, arena, &query, NULL) != WEIR_OK ||
        weir_sink_keys_of(query, sink, mode) != WEIR_SINK_KEYS_AGREE || query->key_count != sink->key_count) {
        return NULL;
    }
    while (plan->kind == WEIR_PLAN_PROJECT) {
        plan = plan->inputs[0];
    }
    return plan->kind == WEIR_PLAN_SCAN && plan->table->has_upserts ? plan : NULL;
}
