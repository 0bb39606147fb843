/* What changes a plan gives, from its scans upwards. What is said of times and windows is in times.c. */
#include "stream/plan/times.h"

static weir_stream_traits *new_traits(weir_arena *arena)
{
    weir_stream_traits *traits = WEIR_NEW(arena, weir_stream_traits);
    traits->has_before = true;
    return traits;
}

/* --- Leaves ---------------------------------------------------------------------------------------------------- */

/* The fields of a scan that are its table's primary key, where all of it is read. */
static void set_key_of_table(weir_arena *arena, const weir_plan *scan, weir_stream_traits *out)
{
    const weir_sql_table *table = scan->table;
    int32_t *key = WEIR_NEW_ARRAY(arena, int32_t, table->primary_key_count + 1);
    for (int32_t i = 0; i < table->primary_key_count; i++) {
        int32_t field = 0;
        while (field < scan->field_count && scan->columns[field] != table->primary_key[i]) {
            field++;
        }
        if (field == scan->field_count) {
            return;
        }
        key[i] = field;
    }
    if (table->primary_key != NULL && table->primary_key_count > 0) {
        out->key = key;
        out->key_count = table->primary_key_count;
    }
}

static void scan_traits(weir_arena *arena, const weir_plan *scan, weir_stream_traits *out)
{
    const weir_sql_table *table = scan->table;
    out->updates = out->deletes = table->has_row_kinds;
    out->has_before = !table->has_upserts;
    out->unbounded = table->unbounded;
    if (table->has_row_kinds) {
        out->changes_from = weir_arena_format(arena, "TableSourceScan(table=[[%s, %s, %s]])", table->catalog,
                                              table->database, table->name);
    }
    set_key_of_table(arena, scan, out);
}

/* --- Nodes over one input -------------------------------------------------------------------------------------- */

static void take_changes(const weir_stream_traits *from, weir_stream_traits *out)
{
    out->updates = from->updates;
    out->deletes = from->deletes;
    out->has_before = from->has_before;
    out->unbounded = from->unbounded;
    out->changes_from = from->changes_from;
}

/* Where the input's field is among the expressions; -1: nowhere. */
static int32_t find_column(const weir_plan *project, int32_t column)
{
    for (int32_t i = 0; i < project->expression_count && column >= 0; i++) {
        const weir_expression *bare = weir_expression_bare(project->expressions[i]);
        if (bare->kind == WEIR_EXPRESSION_COLUMN && bare->column == column) {
            return i;
        }
    }
    return -1;
}

static void project_traits(weir_arena *arena, const weir_plan *project, const weir_stream_traits *from,
                           weir_stream_traits *out)
{
    take_changes(from, out);
    bool keeps_key = from->key != NULL;
    out->key = WEIR_NEW_ARRAY(arena, int32_t, from->key_count + 1);
    out->key_count = from->key_count;
    for (int32_t i = 0; i < from->key_count && keeps_key; i++) {
        out->key[i] = find_column(project, from->key[i]);
        keeps_key = out->key[i] >= 0;
    }
    if (!keeps_key) {
        out->key = NULL;
        out->key_count = 0;
    }
}

/* One row a group, which follows its input. Over windows that close, rows only come. */
static void aggregate_traits(weir_arena *arena, const weir_plan *plan, const weir_stream_traits *from,
                             weir_stream_traits *out)
{
    out->unbounded = from->unbounded;
    out->key = WEIR_NEW_ARRAY(arena, int32_t, plan->expression_count + 1);
    for (int32_t i = 0; i < plan->expression_count; i++) {
        out->key[i] = i;
    }
    out->key_count = plan->expression_count;
    if (!weir_stream_is_window_aggregate(plan, from)) {
        out->updates = plan->aggregate_count > 0;
        out->deletes = from->updates || from->deletes;
        out->changes_from = out->updates || out->deletes ? "GroupAggregate" : NULL;
    }
}

static void distinct_traits(weir_arena *arena, const weir_plan *plan, const weir_stream_traits *from,
                            weir_stream_traits *out)
{
    out->unbounded = from->unbounded;
    out->deletes = !weir_stream_is_window_aggregate(plan, from) && (from->updates || from->deletes);
    out->changes_from = out->deletes ? "GroupAggregate" : NULL;
    out->key = WEIR_NEW_ARRAY(arena, int32_t, plan->field_count + 1);
    for (int32_t i = 0; i < plan->field_count; i++) {
        out->key[i] = i;
    }
    out->key_count = plan->field_count;
}

/* --- Nodes over several ---------------------------------------------------------------------------------------- */

static void add_changes(const weir_stream_traits *from, weir_stream_traits *out)
{
    out->updates = out->updates || from->updates;
    out->deletes = out->deletes || from->deletes;
    out->has_before = out->has_before && from->has_before;
    out->unbounded = out->unbounded || from->unbounded;
    out->changes_from = out->changes_from == NULL ? from->changes_from : out->changes_from;
}

static void union_traits(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        add_changes(inputs[i], out);
    }
}

static void join_traits(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_stream_traits *out)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        add_changes(inputs[i], out);
    }
    if (plan->kind == WEIR_PLAN_JOIN && (plan->join == WEIR_JOIN_INNER || plan->join == WEIR_JOIN_SEMI)) {
        return;
    }
    if (plan->kind == WEIR_PLAN_INTERSECT) {
        return;
    }
    out->deletes = true; /* rows that stood alone, or without a match, may find one */
    out->changes_from = plan->kind == WEIR_PLAN_JOIN ? "Join" : "Except";
}

/* --- All ------------------------------------------------------------------------------------------------------- */

static void changed_by(const char *node, const weir_stream_traits *from, weir_stream_traits *out)
{
    out->unbounded = from->unbounded;
    out->updates = out->deletes = true;
    out->changes_from = node;
}

int weir_stream_traits_of(const weir_plan *plan, weir_arena *arena, const weir_stream_traits **out, weir_error *err)
{
    const weir_stream_traits **inputs = WEIR_NEW_ARRAY(arena, const weir_stream_traits *, plan->input_count + 1);
    weir_stream_traits *traits = new_traits(arena);
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(weir_stream_traits_of(plan->inputs[i], arena, &inputs[i], err));
    }
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        scan_traits(arena, plan, traits);
        break;
    case WEIR_PLAN_VALUES:
        break;
    case WEIR_PLAN_PROJECT:
        project_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_FILTER:
    case WEIR_PLAN_WATERMARK:
        *traits = *inputs[0];
        break;
    case WEIR_PLAN_ASSIGN:
        take_changes(inputs[0], traits);
        break;
    case WEIR_PLAN_AGGREGATE:
        aggregate_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_DISTINCT:
        distinct_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_WINDOW:
        take_changes(inputs[0], traits);
        break;
    case WEIR_PLAN_SORT:
        if (plan->limit < 0 && plan->offset == 0) {
            take_changes(inputs[0], traits);
        } else {
            changed_by("Rank", inputs[0], traits);
        }
        break;
    case WEIR_PLAN_UNNEST:
        take_changes(inputs[0], traits);
        break;
    case WEIR_PLAN_UNION:
        union_traits(plan, inputs, traits);
        break;
    case WEIR_PLAN_INTERSECT:
    case WEIR_PLAN_EXCEPT:
    case WEIR_PLAN_JOIN:
        join_traits(plan, inputs, traits);
        break;
    }
    WEIR_TRY(weir_stream_times_of(plan, inputs, arena, traits, err));
    *out = traits;
    return WEIR_OK;
}
