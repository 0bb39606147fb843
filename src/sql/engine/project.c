/* INSERT … SELECT of expressions and WHERE, batch by batch, row kinds kept.
 *
 * The plan is flattened to one condition and a list of expressions over the scan's columns. Bare columns are gathered
 * and constants repeated; conjuncts that compare columns with constants are tested by the vector room. Only what is
 * left runs in DuckDB: a statement prepared once, over the columns that it reads and the rows' numbers. */
#include <stdatomic.h>

#include "sql/bind/binder_internal.h"
#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"

typedef enum output_kind { OUTPUT_COLUMN, OUTPUT_LITERAL, OUTPUT_COMPUTED } output_kind;

typedef struct output {
    output_kind kind;
    int32_t column; /* of the input, or of the statement's result */
    const weir_expression *expression;
} output;

struct weir_sql_project {
    weir_sql_engine *engine;
    const weir_plan *plan;
    const weir_plan *scan;
    weir_scan_request request;
    weir_arena arena;
    output *outputs;
    const weir_predicate *tested; /* over input columns; NULL: none */
    uint32_t *rows;               /* room for the rows of a batch */
    size_t row_capacity;

    /* What DuckDB computes; NULL statement: nothing */
    weir_running *running;
    duckdb_connection connection;
    duckdb_prepared_statement statement;
    weir_plan *statement_plan;
    int32_t *read_columns; /* of the input */
    int32_t read_count;
    weir_batch read; /* those columns of the rows that passed the tests */
};

/* --- Flattening ------------------------------------------------------------------------------------------------ */

typedef struct flat {
    weir_expression **expressions;
    int32_t count;
    weir_expression **conjuncts;
    int32_t conjunct_count;
} flat;

/* An expression over a node's fields as one over the scan's: columns are replaced by what they stand for. */
static weir_expression *substitute(weir_arena *arena, const weir_expression *expression,
                                   weir_expression *const *columns)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return columns[expression->column];
    }
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, expression->argument_count + 1);
    for (int32_t i = 0; i < expression->argument_count; i++) {
        copy->arguments[i] = substitute(arena, expression->arguments[i], columns);
    }
    return copy;
}

static void add_conjuncts(weir_arena *arena, weir_expression *condition, flat *out)
{
    if (condition->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < condition->argument_count; i++) {
            add_conjuncts(arena, condition->arguments[i], out);
        }
        return;
    }
    weir_expression **grown = WEIR_NEW_ARRAY(arena, weir_expression *, out->conjunct_count + 1);
    if (out->conjunct_count > 0) {
        memcpy(grown, out->conjuncts, sizeof *grown * (size_t)out->conjunct_count);
    }
    grown[out->conjunct_count++] = condition;
    out->conjuncts = grown;
}

static void flatten(weir_arena *arena, const weir_plan *plan, flat *out)
{
    if (plan->kind == WEIR_PLAN_SCAN) {
        out->count = plan->field_count;
        out->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->field_count + 1);
        for (int32_t i = 0; i < plan->field_count; i++) {
            out->expressions[i] = WEIR_NEW(arena, weir_expression);
            *out->expressions[i] =
                (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = plan->fields[i].type, .column = i};
        }
        return;
    }
    flatten(arena, plan->inputs[0], out);
    if (plan->kind == WEIR_PLAN_FILTER) {
        add_conjuncts(arena, substitute(arena, plan->predicate, out->expressions), out);
        return;
    }
    weir_expression **expressions = WEIR_NEW_ARRAY(arena, weir_expression *, plan->expression_count + 1);
    for (int32_t i = 0; i < plan->expression_count; i++) {
        expressions[i] = substitute(arena, plan->expressions[i], out->expressions);
    }
    out->expressions = expressions;
    out->count = plan->expression_count;
}

/* --- What needs DuckDB ----------------------------------------------------------------------------------------- */

/* Whether a vector of one type holds its values as one of the other does. */
static bool same_vectors(const weir_type *a, const weir_type *b)
{
    if (weir_layout_of(a) != weir_layout_of(b)) {
        return false;
    }
    if (a->id == WEIR_TIMESTAMP || a->id == WEIR_TIMESTAMP_LTZ) {
        return (a->precision <= 3) == (b->precision <= 3);
    }
    return !weir_type_is_nested(a) || weir_sql_type_equal(a, b, true);
}

static bool is_bare(const weir_expression *expression, const weir_type *type, int32_t *column)
{
    expression = weir_expression_bare(expression);
    *column = expression->column;
    return expression->kind == WEIR_EXPRESSION_COLUMN && same_vectors(expression->type, type);
}

/* The statement's plan: SELECT number, computed … FROM the read columns and numbers WHERE the rest of the condition. */
typedef struct computing {
    weir_expression **expressions;
    int32_t count;
    weir_expression **conditions;
    int32_t condition_count;
} computing;

static weir_plan *new_plan(weir_arena *arena, weir_plan_kind kind, weir_plan *input)
{
    weir_plan *plan = WEIR_NEW(arena, weir_plan);
    plan->kind = kind;
    plan->limit = -1;
    plan->scan_limit = -1;
    if (input != NULL) {
        plan->inputs = WEIR_NEW(arena, weir_plan *);
        plan->inputs[0] = input;
        plan->input_count = 1;
        plan->fields = input->fields;
        plan->field_count = input->field_count;
    }
    return plan;
}

static weir_expression *new_column(weir_arena *arena, int32_t column, const weir_type *type)
{
    weir_expression *expression = WEIR_NEW(arena, weir_expression);
    *expression = (weir_expression){.kind = WEIR_EXPRESSION_COLUMN, .type = type, .column = column};
    return expression;
}

static void plan_statement(weir_sql_project *project, const computing *work)
{
    weir_arena *arena = &project->arena;
    const weir_plan *scan = project->scan;
    bool *used = WEIR_NEW_ARRAY(arena, bool, scan->field_count + 1);
    for (int32_t i = 0; i < work->count; i++) {
        weir_expression_mark(work->expressions[i], used);
    }
    for (int32_t i = 0; i < work->condition_count; i++) {
        weir_expression_mark(work->conditions[i], used);
    }
    weir_expression **columns = WEIR_NEW_ARRAY(arena, weir_expression *, scan->field_count + 1);
    weir_plan *input = new_plan(arena, WEIR_PLAN_SCAN, NULL);
    input->fields = WEIR_NEW_ARRAY(arena, weir_field, scan->field_count + 1);
    project->read_columns = WEIR_NEW_ARRAY(arena, int32_t, scan->field_count + 1);
    for (int32_t i = 0; i < scan->field_count; i++) {
        if (used[i]) {
            columns[i] = new_column(arena, input->field_count, scan->fields[i].type);
            project->read_columns[input->field_count] = i;
            input->fields[input->field_count++] = scan->fields[i];
        }
    }
    project->read_count = input->field_count;
    const weir_type *number = weir_type_simple(WEIR_BIGINT, false);
    input->fields[input->field_count++] = (weir_field){.id = -1, .name = "number", .type = number};
    weir_plan *plan = input;
    for (int32_t i = 0; i < work->condition_count; i++) {
        plan = new_plan(arena, WEIR_PLAN_FILTER, plan);
        plan->predicate = substitute(arena, work->conditions[i], columns);
    }
    weir_plan *top = new_plan(arena, WEIR_PLAN_PROJECT, plan);
    top->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, work->count + 1);
    top->fields = WEIR_NEW_ARRAY(arena, weir_field, work->count + 1);
    top->expression_count = top->field_count = work->count + 1;
    for (int32_t i = 0; i < work->count; i++) {
        top->expressions[i] = substitute(arena, work->expressions[i], columns);
        top->fields[i] = (weir_field){.id = -1, .name = "computed", .type = work->expressions[i]->type};
    }
    top->expressions[work->count] = new_column(arena, project->read_count, number);
    top->fields[work->count] = input->fields[project->read_count];
    project->statement_plan = top;
    weir_batch_init(&project->read, input->fields, project->read_count);
}

static int prepare_statement(weir_sql_project *project, weir_error *err)
{
    weir_sql_engine *engine = project->engine;
    WEIR_TRY(weir_engine_open(engine, err));
    WEIR_TRY(weir_running_create(engine, &project->running, err));
    char source[64];
    snprintf(source, sizeof source, "weir_scan(%" PRId64 ", ", project->running->id);
    weir_generated generated;
    WEIR_TRY(weir_generate(project->statement_plan, source, &generated, err));
    int code;
    project->running->scans = weir_alloc_zeroed(1, sizeof *project->running->scans);
    project->running->scan_count = 1;
    project->running->scans[0] = (weir_running_scan){.plan = generated.scans[0],
                                                     .fields = generated.scans[0]->fields,
                                                     .running = project->running,
                                                     .is_direct = true,
                                                     .direct = &project->read};
    WEIR_GO(weir_engine_register(engine, &generated, err));
    if (duckdb_connect(engine->database, &project->connection) != DuckDBSuccess) {
        WEIR_GO(weir_fail(err, WEIR_IO, "DuckDB takes no connection"));
    }
    if (duckdb_prepare(project->connection, weir_buffer_text(&generated.sql), &project->statement) != DuckDBSuccess) {
        WEIR_GO(weir_engine_fail(project->running, duckdb_prepare_error(project->statement), err));
    }
done:
    weir_generated_free(&generated);
    return code;
}

/* --- Creating -------------------------------------------------------------------------------------------------- */

/* The leading conjuncts that the vector room can test exactly. Those after the first other one wait for it, because it
 * may guard them. */
static int32_t split_tests(weir_sql_project *project, const flat *flattened)
{
    weir_arena *arena = &project->arena;
    const weir_predicate **tests = WEIR_NEW_ARRAY(arena, const weir_predicate *, flattened->conjunct_count + 1);
    int32_t count = 0;
    while (count < flattened->conjunct_count) {
        bool exact = true;
        const weir_predicate *test = weir_push_predicate(arena, flattened->conjuncts[count], project->scan, &exact);
        if (test == NULL || !exact) {
            break;
        }
        tests[count++] = test;
    }
    if (count > 0) {
        int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, project->scan->table->column_count + 1);
        for (int32_t i = 0; i < project->scan->field_count; i++) {
            places[project->scan->columns[i]] = i;
        }
        const weir_predicate *all =
            count == 1 ? tests[0] : weir_predicate_combine(arena, WEIR_PREDICATE_AND, tests, count);
        project->tested = weir_predicate_map(arena, all, places);
    }
    return count;
}

static int plan_outputs(weir_sql_project *project, weir_error *err)
{
    weir_arena *arena = &project->arena;
    flat flattened = {0};
    flatten(arena, project->plan, &flattened);
    int32_t tested = split_tests(project, &flattened);
    computing work = {.expressions = WEIR_NEW_ARRAY(arena, weir_expression *, flattened.count + 1),
                      .conditions = flattened.conjuncts + tested,
                      .condition_count = flattened.conjunct_count - tested};
    if (flattened.conjunct_count == 0) {
        work.conditions = NULL;
    }
    project->outputs = WEIR_NEW_ARRAY(arena, output, flattened.count + 1);
    for (int32_t i = 0; i < flattened.count; i++) {
        weir_expression *expression = flattened.expressions[i];
        output *target = &project->outputs[i];
        target->expression = expression;
        if (is_bare(expression, project->plan->fields[i].type, &target->column)) {
            target->kind = OUTPUT_COLUMN;
        } else if (expression->kind == WEIR_EXPRESSION_LITERAL) {
            target->kind = OUTPUT_LITERAL;
        } else {
            target->kind = OUTPUT_COMPUTED;
            target->column = work.count;
            work.expressions[work.count++] = expression;
        }
    }
    if (work.count == 0 && work.condition_count == 0) {
        return WEIR_OK;
    }
    plan_statement(project, &work);
    return prepare_statement(project, err);
}

int weir_sql_project_create(weir_sql_engine *engine, const weir_bound *bound, weir_sql_project **out, weir_error *err)
{
    const weir_plan *scan = weir_plan_row_wise_scan(bound->plan);
    if (scan == NULL) {
        return weir_fail(err, WEIR_INVALID, "only SELECT of expressions with WHERE over one table runs batch by batch");
    }
    weir_sql_project *project = weir_alloc_zeroed(1, sizeof *project);
    weir_arena_init(&project->arena);
    project->engine = engine;
    project->plan = bound->plan;
    project->scan = scan;
    project->request = (weir_scan_request){.columns = scan->columns,
                                           .column_count = scan->field_count,
                                           .predicate = scan->pushed,
                                           .limit = scan->scan_limit};
    int code = plan_outputs(project, err);
    if (code != WEIR_OK) {
        weir_sql_project_free(project);
        return code;
    }
    *out = project;
    return WEIR_OK;
}

const weir_scan_request *weir_sql_project_request(const weir_sql_project *project) { return &project->request; }

void weir_sql_project_free(weir_sql_project *project)
{
    if (project == NULL) {
        return;
    }
    if (project->statement != NULL) {
        duckdb_destroy_prepare(&project->statement);
    }
    if (project->connection != NULL) {
        duckdb_disconnect(&project->connection);
    }
    if (project->statement_plan != NULL) {
        weir_batch_free(&project->read);
    }
    weir_running_free(project->engine, project->running);
    free(project->rows);
    weir_arena_free(&project->arena);
    free(project);
}

/* --- Running --------------------------------------------------------------------------------------------------- */

/* Runs the statement over the rows in project->rows; they become those that its condition keeps. */
static int run_statement(weir_sql_project *project, const weir_batch *in, int64_t *row_count, weir_batch *out,
                         weir_error *err)
{
    weir_batch_clear(&project->read);
    for (int32_t i = 0; i < project->read_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&project->read.columns[i], &in->columns[project->read_columns[i]],
                                         project->rows, *row_count, err));
    }
    project->read.length = *row_count;
    project->running->scans[0].direct_rows = project->rows;
    project->running->error = (weir_error){0};
    duckdb_result result;
    if (duckdb_execute_prepared(project->statement, &result) != DuckDBSuccess) {
        int code = weir_engine_fail(project->running, duckdb_result_error(&result), err);
        duckdb_destroy_result(&result);
        return code;
    }
    int64_t kept = 0;
    int code = WEIR_OK;
    int32_t numbers = project->statement_plan->field_count - 1;
    duckdb_data_chunk chunk;
    while (code == WEIR_OK && (chunk = duckdb_fetch_chunk(result)) != NULL) {
        int64_t rows = (int64_t)duckdb_data_chunk_get_size(chunk);
        const int64_t *number = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, (idx_t)numbers));
        for (int64_t i = 0; i < rows; i++) { /* never ahead of what is still to be read: rows only get fewer */
            project->rows[kept++] = (uint32_t)number[i];
        }
        for (int32_t i = 0; i < project->plan->field_count && code == WEIR_OK; i++) {
            if (project->outputs[i].kind == OUTPUT_COMPUTED) {
                duckdb_vector column = duckdb_data_chunk_get_vector(chunk, (idx_t)project->outputs[i].column);
                code = weir_bridge_append(column, rows, &out->columns[i], err);
            }
        }
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    *row_count = kept;
    return code;
}

static int append_literal(const weir_expression *expression, int64_t count, weir_vector *out, weir_error *err)
{
    if (expression->literal.is_null) {
        return weir_vector_append_nulls(out, count, err);
    }
    for (int64_t i = 0; i < count; i++) {
        WEIR_TRY(weir_vector_append_literal(out, &expression->literal, err));
    }
    return WEIR_OK;
}

static int append_outputs(const weir_sql_project *project, const weir_batch *in, int64_t row_count, weir_batch *out,
                          weir_error *err)
{
    bool all = row_count == in->length;
    for (int32_t i = 0; i < project->plan->field_count; i++) {
        const output *source = &project->outputs[i];
        weir_vector *target = &out->columns[i];
        if (source->kind == OUTPUT_COLUMN && all) {
            WEIR_TRY(weir_vector_append_range(target, &in->columns[source->column], 0, row_count, err));
        } else if (source->kind == OUTPUT_COLUMN) {
            WEIR_TRY(weir_vector_append_rows(target, &in->columns[source->column], project->rows, row_count, err));
        } else if (source->kind == OUTPUT_LITERAL) {
            WEIR_TRY(append_literal(source->expression, row_count, target, err));
        }
    }
    return WEIR_OK;
}

static void carry_kinds(const weir_sql_project *project, const weir_batch *in, int64_t row_count, weir_batch *out)
{
    if (in->kinds == NULL) {
        return;
    }
    weir_batch_reserve_kinds(out, row_count);
    for (int64_t i = 0; i < row_count; i++) {
        out->kinds[i] = in->kinds[project->rows[i]];
    }
}

int weir_sql_project_run(weir_sql_project *project, const weir_batch *in, weir_batch *out, weir_error *err)
{
    weir_batch_clear(out);
    if (in->length > UINT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "a batch of %" PRId64 " rows is too large", in->length);
    }
    WEIR_GROW(project->rows, project->row_capacity, in->length + 1);
    int64_t row_count;
    if (project->tested != NULL) {
        row_count = weir_predicate_select(project->tested, in, project->rows);
    } else {
        row_count = in->length;
        for (int64_t i = 0; i < row_count; i++) {
            project->rows[i] = (uint32_t)i;
        }
    }
    if (project->statement != NULL && row_count > 0) {
        WEIR_TRY(run_statement(project, in, &row_count, out, err));
    }
    WEIR_TRY(append_outputs(project, in, row_count, out, err));
    carry_kinds(project, in, row_count, out);
    out->length = row_count;
    return WEIR_OK;
}
