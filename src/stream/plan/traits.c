/* What changes a plan gives, from its scans upwards. */
#include "stream/plan/traits.h"

#include "sql/function/kernels.h"

static weir_stream_traits *new_traits(weir_arena *arena, const weir_plan *plan)
{
    weir_stream_traits *traits = WEIR_NEW(arena, weir_stream_traits);
    traits->has_before = true;
    traits->times = WEIR_NEW_ARRAY(arena, weir_field_time, plan->field_count + 1);
    traits->window_start = traits->window_end = traits->window_time = -1;
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
    for (int32_t i = 0; i < project->expression_count; i++) {
        const weir_expression *bare = weir_expression_bare(project->expressions[i]);
        if (bare->kind == WEIR_EXPRESSION_COLUMN) {
            out->times[i] = from->times[bare->column];
        } else if (bare->kind == WEIR_EXPRESSION_CALL && bare->kernel == &weir_kernel_proctime) {
            out->times[i] = WEIR_TIME_PROCTIME;
        }
    }
    out->windowed = from->windowed;
    out->window_start = find_column(project, from->window_start);
    out->window_end = find_column(project, from->window_end);
    out->window_time = find_column(project, from->window_time);
}

static void watermark_traits(weir_arena *arena, const weir_plan *plan, const weir_stream_traits *from,
                             weir_stream_traits *out)
{
    *out = *from;
    out->times = weir_arena_copy(arena, from->times, sizeof *from->times * (size_t)plan->field_count);
    out->times[plan->time_column] = WEIR_TIME_ROWTIME;
}

static void assign_traits(weir_arena *arena, const weir_plan *plan, const weir_stream_traits *from,
                          weir_stream_traits *out)
{
    weir_field_time *times = out->times;
    int32_t first = plan->inputs[0]->field_count;
    (void)arena;
    take_changes(from, out);
    memcpy(times, from->times, sizeof *times * (size_t)first);
    times[first + 2] = from->times[plan->assigner->column];
    out->windowed = true;
    out->window_start = first;
    out->window_end = first + 1;
    out->window_time = first + 2;
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
    if (!from->windowed) {
        out->updates = plan->aggregate_count > 0;
        out->deletes = from->updates || from->deletes;
        out->changes_from = out->updates || out->deletes ? "GroupAggregate" : NULL;
    }
}

static void distinct_traits(weir_arena *arena, const weir_plan *plan, const weir_stream_traits *from,
                            weir_stream_traits *out)
{
    out->unbounded = from->unbounded;
    out->deletes = from->updates || from->deletes;
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
    for (int32_t i = 0; i < plan->field_count; i++) {
        weir_field_time time = inputs[0]->times[i];
        for (int32_t j = 1; j < plan->input_count; j++) {
            time = inputs[j]->times[i] == time ? time : WEIR_TIME_NONE;
        }
        out->times[i] = time;
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
    weir_stream_traits *traits = new_traits(arena, plan);
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
        *traits = *inputs[0];
        break;
    case WEIR_PLAN_WATERMARK:
        watermark_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_ASSIGN:
        assign_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_AGGREGATE:
        aggregate_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_DISTINCT:
        distinct_traits(arena, plan, inputs[0], traits);
        break;
    case WEIR_PLAN_WINDOW:
        changed_by("OverAggregate", inputs[0], traits);
        break;
    case WEIR_PLAN_SORT:
        changed_by("Rank", inputs[0], traits);
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
    *out = traits;
    return WEIR_OK;
}
