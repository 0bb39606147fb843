/* Keys of the small side of a join, passed to the scan of the large one.
 *
 * Before a query runs, the side that is small is run by itself for its keys. As a list they leave out buckets, files,
 * pages and rows of the other side's table that can match nothing. The same planned scan is read both times, so that
 * the keys are those of the rows that will be joined. What goes wrong here is left to the query itself to tell. */
#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"

#define MOST_KEYS            1000    /* that are passed on */
#define MOST_SMALL_ROWS      50000   /* that the scans of the small side may give */
#define LEAST_CLUSTERED_ROWS 50000   /* of the large side: below, another query is not worth it, where files are … */
#define LEAST_SCATTERED_ROWS 2000000 /* … and where they are not made by that column */

/* A column of a plan's output, found again in a scan below. */
typedef struct origin {
    const weir_plan *scan;
    int32_t column; /* in the table */
} origin;

static const weir_expression *bare(const weir_expression *expression)
{
    expression = weir_expression_bare(expression);
    return expression->kind == WEIR_EXPRESSION_COLUMN && expression->column >= 0 ? expression : NULL;
}

/* Through nodes that look at each row by itself, and joins that give no row of that side without looking at it. */
static bool find_origin(const weir_plan *plan, int32_t column, origin *out)
{
    while (plan->kind != WEIR_PLAN_SCAN) {
        if (plan->kind == WEIR_PLAN_PROJECT) {
            const weir_expression *below = bare(plan->expressions[column]);
            if (below == NULL) {
                return false;
            }
            column = below->column;
            plan = plan->inputs[0];
        } else if (plan->kind == WEIR_PLAN_FILTER) {
            plan = plan->inputs[0];
        } else if (plan->kind == WEIR_PLAN_JOIN && plan->join == WEIR_JOIN_INNER) {
            int32_t split = plan->inputs[0]->field_count;
            bool is_right = column >= split;
            column -= is_right ? split : 0;
            plan = plan->inputs[is_right ? 1 : 0];
        } else {
            return false;
        }
    }
    *out = (origin){plan, plan->columns[column]};
    return true;
}

/* Whether a side gives the same rows whenever it is run, and how many its scans may read; -1: not, or too many. */
static int64_t rows_of_side(const weir_running *running, const weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_SCAN) {
        const weir_sql_scan *scan = running->scans[plan->scan_index].scan;
        return plan->table->summarize != NULL && scan != NULL ? scan->estimated_rows : -1;
    }
    bool simple = plan->kind == WEIR_PLAN_PROJECT || plan->kind == WEIR_PLAN_FILTER ||
                  (plan->kind == WEIR_PLAN_JOIN && plan->join == WEIR_JOIN_INNER);
    bool changes = plan->predicate != NULL && weir_expression_is_volatile(plan->predicate);
    for (int32_t i = 0; plan->kind == WEIR_PLAN_PROJECT && i < plan->expression_count; i++) {
        changes = changes || weir_expression_is_volatile(plan->expressions[i]);
    }
    int64_t rows = 0;
    for (int32_t i = 0; i < plan->input_count && rows >= 0; i++) {
        int64_t below = rows_of_side(running, plan->inputs[i]);
        rows = below < 0 || rows + below > MOST_SMALL_ROWS ? -1 : rows + below;
    }
    return simple && !changes ? rows : -1;
}

/* --- the keys ---------------------------------------------------------------------------------------------------- */

/* SELECT DISTINCT column FROM side LIMIT: one more than may be passed on. */
static const weir_plan *keys_of(weir_arena *arena, const weir_plan *side, int32_t column)
{
    weir_plan *project = WEIR_NEW(arena, weir_plan);
    weir_plan *distinct = WEIR_NEW(arena, weir_plan);
    weir_plan *limit = WEIR_NEW(arena, weir_plan);
    weir_expression *key = WEIR_NEW(arena, weir_expression);
    *key = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = side->fields[column].type, .column = column};
    *project = (weir_plan){.kind = WEIR_PLAN_PROJECT, .fields = side->fields + column, .field_count = 1};
    project->expressions = weir_arena_copy(arena, &key, sizeof key);
    project->expression_count = 1;
    project->limit = distinct->limit = -1;
    project->inputs = weir_arena_copy(arena, &side, sizeof side);
    project->input_count = 1;
    *distinct = (weir_plan){.kind = WEIR_PLAN_DISTINCT, .fields = project->fields, .field_count = 1, .limit = -1};
    distinct->inputs = weir_arena_copy(arena, &project, sizeof project);
    distinct->input_count = 1;
    *limit = (weir_plan){.kind = WEIR_PLAN_SORT, .fields = project->fields, .field_count = 1, .limit = MOST_KEYS + 1};
    limit->inputs = weir_arena_copy(arena, &distinct, sizeof distinct);
    limit->input_count = 1;
    return limit;
}

/* Runs generated SQL of one column into `keys`; false when that fails. */
static bool run_keys(const weir_sql_engine *engine, weir_running *running, weir_generated *generated, weir_vector *keys)
{
    duckdb_connection connection;
    duckdb_result result;
    weir_error ignored = {0};
    if (duckdb_connect(engine->database, &connection) != DuckDBSuccess) {
        return false;
    }
    bool works = duckdb_query(connection, weir_buffer_text(&generated->sql), &result) == DuckDBSuccess;
    duckdb_data_chunk chunk;
    while (works && (chunk = duckdb_fetch_chunk(result)) != NULL) {
        works = weir_bridge_append(duckdb_data_chunk_get_vector(chunk, 0), (int64_t)duckdb_data_chunk_get_size(chunk),
                                   keys, &ignored) == WEIR_OK;
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    duckdb_disconnect(&connection);
    pthread_mutex_lock(&running->mutex);
    if (!works && running->error.code != WEIR_CANCELLED) {
        running->error = (weir_error){0}; /* the query comes to it again, or does not */
    }
    pthread_mutex_unlock(&running->mutex);
    return works;
}

static bool collect_keys(weir_sql_engine *engine, weir_running *running, const weir_plan *side, int32_t column,
                         weir_vector *keys)
{
    char source[64];
    weir_generated generated;
    weir_error ignored = {0};
    snprintf(source, sizeof source, "weir_scan(%" PRId64 ", ", running->id);
    if (weir_generate(keys_of(&running->arena, side, column), source, &generated, &ignored) != WEIR_OK) {
        return false;
    }
    bool works = weir_engine_register(engine, &generated, &ignored) == WEIR_OK &&
                 run_keys(engine, running, &generated, keys) && keys->length <= MOST_KEYS;
    weir_generated_free(&generated);
    return works;
}

/* Opens the large side's scan again, with the keys as one more condition. */
static int pass_keys(weir_running *running, const origin *target, const weir_vector *keys, weir_error *err)
{
    weir_arena *arena = &running->arena;
    weir_running_scan *scan = &running->scans[target->scan->scan_index];
    weir_literal *literals = WEIR_NEW_ARRAY(arena, weir_literal, keys->length + 1);
    for (int64_t i = 0; i < keys->length; i++) {
        literals[i] = weir_literal_of(keys, i);
    }
    const weir_predicate *both[2] = {weir_predicate_leaf(arena, WEIR_PREDICATE_IN, target->column,
                                                         target->scan->table->columns[target->column].type, literals,
                                                         (int32_t)keys->length),
                                     scan->predicate};
    scan->predicate = weir_predicate_combine(arena, WEIR_PREDICATE_AND, both, scan->predicate == NULL ? 1 : 2);
    scan->scan->close(scan->scan);
    scan->scan = NULL;
    return weir_running_open_scan(scan, err);
}

/* --- joins ------------------------------------------------------------------------------------------------------- */

static bool is_key_type(const weir_type *type)
{
    return !weir_type_is_nested(type) && !weir_type_is_approximate(type) && !weir_type_is_interval(type);
}

/* Whether a table's files hold what belongs together by this column: by partition, or by the key's first column. */
static bool is_clustered(const weir_sql_table *table, int32_t column)
{
    bool found = table->primary_key_count > 0 && table->primary_key[0] == column;
    for (int32_t i = 0; i < table->partition_key_count && !found; i++) {
        found = table->partition_keys[i] == column;
    }
    return found;
}

/* Passes keys from one side of an equality to the other, where sizes suggest it. */
static int pass_from(weir_sql_engine *engine, weir_running *running, const weir_plan *join, int from,
                     const int32_t columns[2], weir_error *err)
{
    origin target;
    const weir_plan *small = join->inputs[from];
    if (!find_origin(join->inputs[1 - from], columns[1 - from], &target) || target.scan->table->summarize == NULL) {
        return WEIR_OK;
    }
    const weir_sql_scan *large = running->scans[target.scan->scan_index].scan;
    const weir_type *type = target.scan->table->columns[target.column].type;
    const weir_type *key = small->fields[columns[from]].type;
    int64_t least = is_clustered(target.scan->table, target.column) ? LEAST_CLUSTERED_ROWS : LEAST_SCATTERED_ROWS;
    if (large->estimated_rows < least) {
        return WEIR_OK;
    }
    int64_t rows = rows_of_side(running, small);
    bool fits = weir_sql_type_equal(type, key, true) || (weir_type_is_text(type) && weir_type_is_text(key));
    if (rows < 0 || large->estimated_rows / 8 < rows || !fits || !is_key_type(type)) {
        return WEIR_OK;
    }
    weir_vector keys;
    weir_vector_init(&keys, key);
    int code = WEIR_OK;
    if (collect_keys(engine, running, small, columns[from], &keys)) {
        code = pass_keys(running, &target, &keys, err);
    }
    weir_vector_free(&keys);
    return code;
}

static int pass_equality(weir_sql_engine *engine, weir_running *running, const weir_plan *join,
                         const weir_expression *equality, weir_error *err)
{
    const weir_expression *a = bare(equality->arguments[0]), *b = bare(equality->arguments[1]);
    int32_t split = join->inputs[0]->field_count;
    if (a == NULL || b == NULL || (a->column < split) == (b->column < split)) {
        return WEIR_OK;
    }
    int32_t left = a->column < split ? a->column : b->column;
    int32_t right = (a->column < split ? b->column : a->column) - split;
    const int32_t columns[2] = {left, right};
    WEIR_TRY(pass_from(engine, running, join, 0, columns, err));
    return join->join == WEIR_JOIN_LEFT ? WEIR_OK : pass_from(engine, running, join, 1, columns, err);
}

int weir_running_pass_join_keys(weir_sql_engine *engine, weir_running *running, const weir_plan *plan, weir_error *err)
{
    for (int32_t i = 0; i < plan->input_count; i++) {
        WEIR_TRY(weir_running_pass_join_keys(engine, running, plan->inputs[i], err));
    }
    bool passes = plan->kind == WEIR_PLAN_JOIN && plan->predicate != NULL &&
                  (plan->join == WEIR_JOIN_INNER || plan->join == WEIR_JOIN_LEFT || plan->join == WEIR_JOIN_SEMI);
    const weir_expression *predicate = plan->predicate;
    bool several = passes && predicate->kind == WEIR_EXPRESSION_AND;
    for (int32_t i = 0; passes && i < (several ? predicate->argument_count : 1); i++) {
        const weir_expression *one = several ? predicate->arguments[i] : predicate;
        if (one->kind == WEIR_EXPRESSION_EQUAL) {
            WEIR_TRY(pass_equality(engine, running, plan, one, err));
        }
    }
    return WEIR_OK;
}
