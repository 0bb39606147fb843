/* What changes a plan gives, from its scans upwards, and what Flink refuses of it. Keys are in unique_keys.c, times and
 * windows in times.c, the words for nodes in flink_words.c. */
#include "stream/plan/flink_words.h"
#include "stream/plan/interval.h"
#include "stream/plan/rank.h"
#include "stream/plan/times.h"
#include "stream/plan/unique_keys.h"

static bool changes(const weir_stream_traits *traits) { return traits->updates || traits->deletes; }

const char *weir_stream_changes_text(const weir_stream_traits *traits)
{
    return traits->updates && traits->deletes ? "update and delete" : traits->updates ? "update" : "delete";
}

/* --- What changes ---------------------------------------------------------------------------------------------- */

static void take_changes(const weir_stream_traits *from, weir_stream_traits *out)
{
    out->updates = out->updates || from->updates;
    out->deletes = out->deletes || from->deletes;
    out->unbounded = out->unbounded || from->unbounded;
    out->changes_from = out->changes_from == NULL ? from->changes_from : out->changes_from;
}

/* The node itself makes the changes of its result. */
static void make_changes(bool updates, bool deletes, weir_stream_traits *out)
{
    out->updates = updates;
    out->deletes = deletes;
    out->changes_from = NULL;
}

static void scan_changes(const weir_plan *scan, weir_stream_traits *out)
{
    make_changes(scan->table->has_row_kinds, scan->table->has_row_kinds, out);
    out->unbounded = scan->table->unbounded;
}

/* A group follows its rows. Over windows that close, rows only come. */
static void aggregate_changes(const weir_plan *plan, const weir_stream_traits *from, weir_stream_traits *out)
{
    if (weir_stream_is_window_aggregate(plan, from)) {
        make_changes(false, false, out);
    } else {
        make_changes(plan->kind == WEIR_PLAN_AGGREGATE && plan->aggregate_count > 0, changes(from), out);
    }
}

static void rank_changes(const weir_rank *rank, const weir_stream_traits *from, weir_stream_traits *out)
{
    bool stays = weir_rank_only_inserts(rank) && !changes(from);
    make_changes(!stays, !stays, out);
}

/* Rows that stood alone, or without a match, may find one. */
static void join_changes(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    bool matches = plan->kind == WEIR_PLAN_JOIN ? plan->join == WEIR_JOIN_INNER || plan->join == WEIR_JOIN_SEMI
                                                : plan->kind == WEIR_PLAN_INTERSECT;
    bool follows = changes(inputs[0]) || changes(inputs[1]);
    make_changes(!matches || follows, !matches || follows, out);
}

static bool is_joined(const weir_plan *plan)
{
    return plan->kind == WEIR_PLAN_JOIN || plan->kind == WEIR_PLAN_INTERSECT || plan->kind == WEIR_PLAN_EXCEPT;
}

static void changes_of(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                       weir_stream_traits *out)
{
    weir_stream_interval interval;
    if (plan->as_of != NULL) { /* the second input only adds columns */
        take_changes(inputs[0], out);
        return;
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        take_changes(inputs[i], out);
    }
    if (rank != NULL) {
        rank_changes(rank, inputs[0], out);
    } else if (plan->kind == WEIR_PLAN_SCAN) {
        scan_changes(plan, out);
    } else if (plan->kind == WEIR_PLAN_AGGREGATE || plan->kind == WEIR_PLAN_DISTINCT) {
        aggregate_changes(plan, inputs[0], out);
    } else if (is_joined(plan) && !weir_stream_is_window_join(plan, inputs[0], inputs[1]) &&
               !weir_stream_interval_of(plan, inputs[0], inputs[1], &interval)) {
        join_changes(plan, inputs, out);
    }
}

/* --- What Flink refuses ---------------------------------------------------------------------------------------- */

/* In Flink's words, which people search for, and what to do. */
static int refuse_changes(const weir_plan *plan, const char *node, const weir_stream_traits *input, weir_error *err)
{
    const char *what_to_do =
        plan->kind == WEIR_PLAN_SORT
            ? "in a stream ORDER BY sorts changes with a LIMIT only; add one, or sort the whole in "
              "batch: SET 'execution.runtime-mode' = 'batch'"
            : "it needs rows that only come, as from an append table";
    return weir_fail_at(err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column,
                        "%s doesn't support consuming %s changes which is produced by node %s; %s", node,
                        weir_stream_changes_text(input), input->changes_from, what_to_do);
}

static int check_input(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *input, weir_error *err)
{
    if (input == NULL || !changes(input)) {
        return WEIR_OK;
    }
    if (rank != NULL && rank->by_time != WEIR_TIME_NONE) {
        return refuse_changes(plan, "StreamPhysicalDeduplicate", input, err);
    }
    if (rank == NULL && plan->kind == WEIR_PLAN_WINDOW) {
        return refuse_changes(
            plan, weir_stream_is_window_rank(plan, input) ? "StreamPhysicalWindowRank" : "StreamPhysicalOverAggregate",
            input, err);
    }
    if (rank == NULL && plan->kind == WEIR_PLAN_SORT) {
        return refuse_changes(plan, "StreamPhysicalTemporalSort", input, err);
    }
    return WEIR_OK;
}

/* --- All ------------------------------------------------------------------------------------------------------- */

static int node_traits(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                       weir_arena *arena, const weir_stream_traits **out, weir_error *err)
{
    weir_stream_traits *traits = WEIR_NEW(arena, weir_stream_traits);
    traits->has_before = true;
    WEIR_TRY(check_input(plan, rank, plan->input_count > 0 ? inputs[0] : NULL, err));
    changes_of(plan, rank, inputs, traits);
    if (changes(traits) && traits->changes_from == NULL) {
        traits->changes_from = weir_flink_words(plan, rank, inputs, arena);
    }
    weir_unique_keys_of(plan, rank, inputs, arena, traits);
    WEIR_TRY(weir_stream_times_of(plan, inputs, arena, traits, err));
    *out = traits;
    return WEIR_OK;
}

/* Whether a node is a Top-N: what stands over it says so, `top` being the uppermost PROJECT or FILTER of them. */
static int find_rank(const weir_plan *plan, const weir_plan *top, const weir_stream_traits *input, weir_arena *arena,
                     weir_rank *out, bool *out_found, weir_error *err)
{
    *out_found = false;
    if (plan->kind == WEIR_PLAN_SORT) {
        return weir_rank_of_sort(plan, out, out_found, err);
    }
    if (plan->kind != WEIR_PLAN_WINDOW || top == NULL || weir_stream_is_window_rank(plan, input)) {
        return WEIR_OK;
    }
    weir_flat_plan flat;
    weir_plan_flatten(top, arena, &flat);
    return flat.bottom == plan ? weir_rank_of_window(&flat, input, out, out_found, err) : WEIR_OK;
}

static int traits_below(const weir_plan *plan, const weir_plan *top, weir_arena *arena, const weir_stream_traits **out,
                        weir_error *err)
{
    weir_rank rank;
    bool is_rank = false;
    const weir_stream_traits **inputs = WEIR_NEW_ARRAY(arena, const weir_stream_traits *, plan->input_count + 1);
    bool is_row_wise = plan->kind == WEIR_PLAN_PROJECT || plan->kind == WEIR_PLAN_FILTER;
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(traits_below(plan->inputs[i], !is_row_wise ? NULL : top == NULL ? plan : top, arena, &inputs[i], err));
    }
    if (plan->input_count > 0) {
        WEIR_TRY(find_rank(plan, top, inputs[0], arena, &rank, &is_rank, err));
    }
    return node_traits(plan, is_rank ? &rank : NULL, inputs, arena, out, err);
}

int weir_stream_traits_of(const weir_plan *plan, weir_arena *arena, const weir_stream_traits **out, weir_error *err)
{
    return traits_below(plan, NULL, arena, out, err);
}

int weir_stream_rank_of(const weir_flat_plan *flat, const weir_plan *sort, weir_arena *arena, weir_rank *out,
                        bool *out_found, const weir_stream_traits **out_traits, weir_error *err)
{
    const weir_plan *plan = sort != NULL ? sort : flat->bottom;
    const weir_stream_traits *input;
    *out_found = false;
    if (plan->kind != WEIR_PLAN_SORT && plan->kind != WEIR_PLAN_WINDOW) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_stream_traits_of(plan->inputs[0], arena, &input, err));
    if (plan->kind == WEIR_PLAN_SORT) {
        WEIR_TRY(weir_rank_of_sort(plan, out, out_found, err));
    } else if (!weir_stream_is_window_rank(plan, input)) {
        WEIR_TRY(weir_rank_of_window(flat, input, out, out_found, err));
    }
    return *out_found ? node_traits(plan, out, &input, arena, out_traits, err) : WEIR_OK;
}
