/* Building: from the scans upwards, each node gets the operator that its kind asks for.
 *
 * The table `creators` says which; PROJECT and FILTER are taken together. State is kept under the words that describe
 * what is below a node (describe.c), so that it is found again wherever the node stands. */
#include "stream/plan/graph.h"

#include <stdlib.h>

#include "sql/type.h"
#include "stream/operator/operators.h"
#include "stream/plan/current_watermark.h"
#include "stream/plan/graph_internal.h"
#include "stream/plan/sink_changes.h"
#include "stream/plan/times.h"
#include "stream/source/values_source.h"

struct weir_graph {
    weir_operator_context context;
    const weir_bound *bound;
    weir_map *uids;
    weir_arena arena;
    weir_operator **operators; /* inputs before what reads them */
    int32_t operator_count;
    size_t operator_capacity;
    weir_graph_source *sources;
    int32_t source_count;
    weir_stream_sink *sink;
    const weir_plan *passed_on; /* a scan whose upserts the sink takes as they are; NULL: none */
    weir_sink_keys sink_keys;
};

typedef int (*creator)(const weir_operator_context *context, const weir_stream_node *node, weir_operator **out,
                       weir_error *err);

static const creator creators[] = {
    [WEIR_PLAN_AGGREGATE] = weir_aggregate_operator_create, [WEIR_PLAN_DISTINCT] = weir_aggregate_operator_create,
    [WEIR_PLAN_UNION] = weir_union_operator_create,         [WEIR_PLAN_UNNEST] = weir_unnest_operator_create,
    [WEIR_PLAN_WATERMARK] = weir_watermark_operator_create, [WEIR_PLAN_ASSIGN] = weir_assign_operator_create,
    [WEIR_PLAN_WINDOW] = weir_over_operator_create,         [WEIR_PLAN_SORT] = weir_sort_operator_create,
    [WEIR_PLAN_INTERSECT] = weir_set_operator_create,       [WEIR_PLAN_EXCEPT] = weir_set_operator_create,
    [WEIR_PLAN_JOIN] = weir_join_operator_create,
};

/* What the kind of a node asks for, or what it is in windows. NULL: nothing runs it. */
static creator choose_creator(const weir_stream_node *node)
{
    size_t kind = (size_t)node->plan->kind;
    if (node->plan->input_count == 1 && weir_stream_is_window_aggregate(node->plan, node->inputs[0])) {
        return weir_plan_is_session_aggregate(node->plan) ? weir_session_aggregate_operator_create
               : weir_plan_is_slice_aggregate(node->plan) ? weir_slice_aggregate_operator_create
                                                          : weir_window_aggregate_operator_create;
    }
    if (node->plan->input_count == 1 && weir_stream_is_window_rank(node->plan, node->inputs[0])) {
        return weir_window_rank_operator_create;
    }
    if (node->plan->input_count == 2 && weir_stream_is_window_join(node->plan, node->inputs[0], node->inputs[1])) {
        return weir_window_join_operator_create;
    }
    return kind < sizeof creators / sizeof creators[0] ? creators[kind] : NULL;
}

static int build(weir_graph *graph, const weir_plan *plan, weir_operator_output **out, weir_error *err);

/* --- Nodes ----------------------------------------------------------------------------------------------------- */

static int fail_at(const weir_plan *plan, weir_error *err, const char *message)
{
    return weir_fail_at(err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column, "%s", message);
}

/* A hash of the words (`more` are some that the plan does not say), and which of the equal ones it is. */
static const char *make_uid(weir_graph *graph, const weir_plan *plan, const char *more)
{
    weir_buffer words = {0};
    weir_graph_describe_plan(plan, 0, &words);
    weir_buffer_append_text(&words, more);
    uint64_t hash = weir_graph_hash(weir_buffer_slice(&words));
    weir_buffer_free(&words);
    weir_slice key = weir_slice_of(&hash, sizeof hash);
    intptr_t number = (intptr_t)weir_map_get(graph->uids, key);
    weir_map_put(graph->uids, key, (void *)(number + 1)); /* how many there are */
    return weir_arena_format(&graph->arena, "%016" PRIx64 "-%d", hash, (int)number);
}

/* Intervals are values of expressions, which no row holds. */
static int check_fields(const weir_plan *plan, weir_error *err)
{
    for (int32_t i = 0; i < plan->field_count; i++) {
        if (weir_type_is_interval(plan->fields[i].type)) {
            return fail_at(plan, err, "columns of intervals do not run as a stream in this version");
        }
    }
    return WEIR_OK;
}

static int make_node(weir_graph *graph, const weir_plan *plan, weir_stream_node *out, weir_error *err)
{
    WEIR_TRY(check_fields(plan, err));
    *out = (weir_stream_node){.plan = plan, .uid = make_uid(graph, plan, "")};
    WEIR_TRY(weir_stream_traits_of(plan, &graph->arena, &out->output, err));
    for (int32_t i = 0; i < plan->input_count && i < 2; i++) {
        WEIR_TRY(weir_stream_traits_of(plan->inputs[i], &graph->arena, &out->inputs[i], err));
    }
    return WEIR_OK;
}

static void add_operator(weir_graph *graph, weir_operator *added)
{
    WEIR_GROW(graph->operators, graph->operator_capacity, graph->operator_count + 1);
    graph->operators[graph->operator_count++] = added;
}

static void connect(weir_operator_output *from, weir_operator *to, int32_t input)
{
    *from = (weir_operator_output){to, input};
}

static weir_operator_output *append_operator(weir_graph *graph, weir_operator_output *below, weir_operator *made)
{
    add_operator(graph, made);
    connect(below, made, 0);
    return &made->output;
}

typedef int (*rank_maker)(const weir_operator_context *context, const weir_stream_node *node, const weir_rank *what,
                          weir_operator **out, weir_error *err);

static rank_maker rank_creator(const weir_rank *rank, const weir_stream_traits *input)
{
    if (input->updates || input->deletes) {
        return weir_rank_operator_create;
    }
    if (rank->plan->kind == WEIR_PLAN_SORT && rank->sort_key_count == 0) {
        return weir_limit_operator_create;
    }
    bool keeps_one = rank->first == 1 && rank->last == 1;
    return keeps_one ? weir_deduplicate_operator_create : weir_rank_operator_create;
}

/* Top-N: of a chain the WINDOW at its bottom, or a SORT. *out NULL: it is none. */
static int build_rank(weir_graph *graph, const weir_flat_plan *flat, const weir_plan *sort, weir_operator_output **out,
                      weir_error *err)
{
    weir_stream_node node = {0};
    weir_operator *made;
    weir_rank *rank = WEIR_NEW(&graph->arena, weir_rank);
    bool found;
    *out = NULL;
    WEIR_TRY(weir_stream_rank_of(flat, sort, &graph->arena, rank, &found, &node.output, err));
    if (!found) {
        return WEIR_OK;
    }
    WEIR_TRY(build(graph, rank->plan->inputs[0], out, err));
    WEIR_TRY(weir_stream_traits_of(rank->plan->inputs[0], &graph->arena, &node.inputs[0], err));
    node.plan = rank->plan;
    node.uid = make_uid(graph, rank->plan,
                        weir_arena_format(&graph->arena, "rows %" PRId64 " to %" PRId64, rank->first, rank->last));
    WEIR_TRY(rank_creator(rank, node.inputs[0])(&graph->context, &node, rank, &made, err));
    *out = append_operator(graph, *out, made);
    return WEIR_OK;
}

/* Gives a chain that asks for the watermark its column. */
static int add_watermark(weir_graph *graph, weir_flat_plan *flat, weir_operator_output **below, weir_error *err)
{
    const weir_stream_traits *traits;
    if (!weir_current_watermark_is_asked(flat)) {
        return WEIR_OK;
    }
    WEIR_TRY(weir_stream_traits_of(flat->bottom, &graph->arena, &traits, err));
    WEIR_TRY(weir_current_watermark_replace(flat, traits, &graph->arena, &flat->bottom, err));
    *below = append_operator(graph, *below, weir_watermark_column_operator_create(flat->bottom));
    return WEIR_OK;
}

static int build_chain(weir_graph *graph, const weir_plan *plan, weir_operator_output **out, weir_error *err)
{
    weir_stream_node node;
    weir_operator_output *below;
    weir_operator *made;
    weir_flat_plan *flat = WEIR_NEW(&graph->arena, weir_flat_plan);
    weir_plan_flatten(plan, &graph->arena, flat);
    WEIR_TRY(build_rank(graph, flat, NULL, &below, err));
    if (below == NULL) {
        WEIR_TRY(build(graph, flat->bottom, &below, err));
    }
    WEIR_TRY(add_watermark(graph, flat, &below, err));
    WEIR_TRY(make_node(graph, plan, &node, err));
    WEIR_TRY(weir_project_operator_create(&graph->context, &node, flat, &made, err));
    *out = append_operator(graph, below, made);
    return WEIR_OK;
}

/* How many inputs come as streams: a lookup join reads its table by itself. */
static int32_t count_inputs(const weir_stream_node *node)
{
    const weir_plan *plan = node->plan;
    bool looks_up = plan->as_of != NULL && node->inputs[0]->times[plan->as_of->column] == WEIR_TIME_PROCTIME;
    return looks_up ? 1 : plan->input_count;
}

static int32_t count_sources(const weir_plan *plan)
{
    int32_t count = plan->kind == WEIR_PLAN_SCAN || plan->kind == WEIR_PLAN_VALUES;
    for (int32_t i = 0; i < plan->input_count; i++) {
        count += count_sources(plan->inputs[i]);
    }
    return count;
}

/* The one source of what stands below a node that is being built; NULL: there are several. */
static const weir_stream_source *source_below(const weir_graph *graph, const weir_plan *plan)
{
    return count_sources(plan) == 1 ? graph->sources[graph->source_count - 1].source : NULL;
}

/* A hint may say how long groups are kept. (What it says of joins goes by sides.) A WATERMARK looks at its source. */
static const weir_operator_context *context_of(weir_graph *graph, const weir_plan *plan)
{
    bool has_ttl = plan->kind == WEIR_PLAN_AGGREGATE && plan->state_ttls_ms != NULL;
    const weir_stream_source *source = plan->kind == WEIR_PLAN_WATERMARK ? source_below(graph, plan) : NULL;
    if (!has_ttl && source == NULL) {
        return &graph->context;
    }
    weir_operator_context *own = weir_arena_copy(&graph->arena, &graph->context, sizeof graph->context);
    own->state_ttl_ms = has_ttl ? plan->state_ttls_ms[0] : own->state_ttl_ms;
    own->moment = source != NULL && source->moment > 0 ? &source->moment : NULL;
    return own;
}

static int build_node(weir_graph *graph, const weir_plan *plan, weir_operator_output **out, weir_error *err)
{
    weir_stream_node node;
    weir_operator *made;
    weir_operator_output **below = WEIR_NEW_ARRAY(&graph->arena, weir_operator_output *, plan->input_count + 1);
    WEIR_TRY(make_node(graph, plan, &node, err));
    creator create = choose_creator(&node);
    if (create == NULL) {
        return fail_at(plan, err, "this part of the query does not run as a stream in this version");
    }
    bool fused = weir_plan_is_session_aggregate(plan) || weir_plan_is_slice_aggregate(plan); /* with its ASSIGN */
    const weir_plan *inputs_of = fused ? plan->inputs[0] : plan;
    int32_t input_count = count_inputs(&node);
    for (int32_t i = 0; i < input_count; i++) {
        WEIR_TRY(build(graph, inputs_of->inputs[i], &below[i], err));
    }
    WEIR_TRY(create(context_of(graph, plan), &node, &made, err));
    add_operator(graph, made);
    for (int32_t i = 0; i < input_count; i++) {
        connect(below[i], made, i);
    }
    *out = &made->output;
    return WEIR_OK;
}

/* --- Sources --------------------------------------------------------------------------------------------------- */

static int open_source(weir_graph *graph, const weir_plan *plan, weir_stream_source **out, weir_error *err)
{
    if (plan->kind == WEIR_PLAN_VALUES) {
        *out = weir_values_source_create(graph->context.engine, plan);
        return WEIR_OK;
    }
    if (plan->table->open_stream == NULL) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column,
                            "table '%s.%s.%s' can't be read as a stream", plan->table->catalog, plan->table->database,
                            plan->table->name);
    }
    bool is_direct = weir_plan_row_wise_scan(graph->bound->plan) == plan && graph->sink->takes == WEIR_SINK_UPSERTS;
    const weir_scan_request request = {
        .columns = plan->columns,
        .column_count = plan->field_count,
        .predicate = plan->pushed,
        .limit = -1,
        .whole_changes = !is_direct,
    };
    return plan->table->open_stream(plan->table, &request, out, err);
}

static int normalize(weir_graph *graph, const weir_plan *scan, weir_operator_output **out, weir_error *err)
{
    weir_stream_node node;
    weir_operator *made;
    WEIR_TRY(make_node(graph, scan, &node, err));
    if (node.output->key == NULL) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, scan->position.line, scan->position.column,
                            "table '%s.%s.%s' gives upserts, and so needs a PRIMARY KEY", scan->table->catalog,
                            scan->table->database, scan->table->name);
    }
    WEIR_TRY(
        weir_normalize_operator_create(&graph->context, &node, node.output->key, node.output->key_count, &made, err));
    *out = append_operator(graph, *out, made);
    return WEIR_OK;
}

static int build_source(weir_graph *graph, const weir_plan *plan, weir_operator_output **out, weir_error *err)
{
    weir_stream_source *source;
    WEIR_TRY(open_source(graph, plan, &source, err));
    weir_graph_source *added = &graph->sources[graph->source_count++];
    added->scan = plan;
    added->source = source;
    added->uid = make_uid(graph, plan, "");
    weir_batch_init(&added->batch, plan->fields, plan->field_count);
    *out = &added->output;
    bool upserts = plan->kind == WEIR_PLAN_SCAN && plan->table->has_upserts;
    return upserts && plan != graph->passed_on ? normalize(graph, plan, out, err) : WEIR_OK;
}

static int build(weir_graph *graph, const weir_plan *plan, weir_operator_output **out, weir_error *err)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
    case WEIR_PLAN_VALUES:
        return build_source(graph, plan, out, err);
    case WEIR_PLAN_PROJECT:
    case WEIR_PLAN_FILTER:
        return build_chain(graph, plan, out, err);
    case WEIR_PLAN_SORT:
        WEIR_TRY(build_rank(graph, NULL, plan, out, err));
        return *out != NULL ? WEIR_OK : build_node(graph, plan, out, err);
    default:
        return build_node(graph, plan, out, err);
    }
}

/* --- The whole ------------------------------------------------------------------------------------------------- */

/* Puts the sink, and what it needs before it, above `top`. */
static int build_sink(weir_graph *graph, weir_operator_output *top, weir_error *err)
{
    weir_operator *made;
    weir_stream_sink *sink = graph->sink;
    weir_stream_node node;
    const weir_plan *plan = graph->bound->plan;
    WEIR_TRY(make_node(graph, plan, &node, err));
    graph->sink_keys = weir_sink_keys_of(node.output, sink, graph->context.upsert_materialize);
    if (graph->sink_keys == WEIR_SINK_KEYS_MEET) {
        WEIR_TRY(
            weir_upsert_materialize_operator_create(&graph->context, &node, sink->key, sink->key_count, &made, err));
        top = append_operator(graph, top, made);
    }
    append_operator(graph, top, weir_sink_operator_create(plan, sink, graph->sink_keys == WEIR_SINK_KEYS_MOVE));
    return WEIR_OK;
}

static int build_all(weir_graph *graph, weir_error *err)
{
    weir_operator_output *top;
    const weir_plan *plan = graph->bound->plan;
    graph->sources = WEIR_NEW_ARRAY(&graph->arena, weir_graph_source, count_sources(plan) + 1);
    WEIR_TRY(weir_sink_check(graph->bound, graph->sink, &graph->arena, err));
    graph->passed_on = weir_sink_upserts_scan(plan, graph->sink, &graph->arena, graph->context.upsert_materialize);
    WEIR_TRY(build(graph, plan, &top, err));
    return build_sink(graph, top, err);
}

int weir_graph_create(const weir_operator_context *context, const weir_bound *bound, weir_stream_sink *sink,
                      weir_map *uids, weir_graph **out, weir_error *err)
{
    weir_graph *graph = weir_alloc_zeroed(1, sizeof *graph);
    weir_arena_init(&graph->arena);
    graph->context = *context;
    graph->bound = bound;
    graph->sink = sink;
    graph->uids = uids;
    int code = build_all(graph, err);
    if (code != WEIR_OK) {
        weir_graph_free(graph);
        return code;
    }
    *out = graph;
    return WEIR_OK;
}

void weir_graph_free(weir_graph *graph)
{
    if (graph == NULL) {
        return;
    }
    for (int32_t i = 0; i < graph->operator_count; i++) {
        weir_operator_close(graph->operators[i]);
    }
    for (int32_t i = 0; i < graph->source_count; i++) {
        graph->sources[i].source->close(graph->sources[i].source);
        weir_batch_free(&graph->sources[i].batch);
    }
    graph->sink->close(graph->sink);
    free(graph->operators);
    weir_arena_free(&graph->arena);
    free(graph);
}

void weir_graph_describe_sink(const weir_graph *graph, weir_buffer *out)
{
    weir_buffer_append_text(out, graph->passed_on != NULL ? "  The sink takes the table's upserts as they are\n" : "");
    weir_buffer_append_text(out, graph->sink_keys == WEIR_SINK_KEYS_MEET
                                     ? "  Rows that meet on a key of the sink are all kept\n"
                                     : "");
}

weir_graph_source *weir_graph_sources(weir_graph *graph, int32_t *out_count)
{
    *out_count = graph->source_count;
    return graph->sources;
}

weir_stream_sink *weir_graph_sink(weir_graph *graph) { return graph->sink; }

const weir_operator *weir_graph_end(const weir_graph *graph) { return graph->operators[graph->operator_count - 1]; }

bool weir_graph_keeps_sink_rows(const weir_graph *graph)
{
    return graph->sink_keys == WEIR_SINK_KEYS_MEET;
}

int weir_graph_tick(weir_graph *graph, int64_t now_ms, weir_error *err)
{
    for (int32_t i = 0; i < graph->operator_count; i++) {
        weir_operator *each = graph->operators[i];
        if (each->tick != NULL) {
            WEIR_TRY(each->tick(each, now_ms, err));
        }
    }
    return WEIR_OK;
}

int weir_graph_barrier(weir_graph *graph, weir_error *err)
{
    for (int32_t i = 0; i < graph->operator_count; i++) {
        weir_operator *each = graph->operators[i];
        if (each->barrier != NULL) {
            WEIR_TRY(each->barrier(each, err));
        }
    }
    return WEIR_OK;
}
