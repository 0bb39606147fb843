/* Conditions and expressions batch by batch, row kinds kept.
 *
 * Bare columns are gathered and constants repeated; conjuncts that compare columns with constants are tested by the
 * vector room. Only what is left runs in DuckDB: a statement prepared once, over the columns that it reads and the
 * rows' numbers. Running it costs 22 µs, whatever the rows. */
#include <stdatomic.h>

#include "sql/bind/binder_internal.h"
#include "sql/engine/bridge.h"
#include "sql/engine/engine_internal.h"

typedef enum output_kind { OUTPUT_COLUMN, OUTPUT_LITERAL, OUTPUT_COMPUTED } output_kind;

/* How often a constant is kept, so that it is given out in pieces rather than row by row. */
enum { REPEATED_ROWS = 256 };

typedef struct output {
    output_kind kind;
    int32_t column; /* of the input, or of the statement's result */
    const weir_expression *expression;
    weir_vector repeated; /* the constant; empty until it is asked for */
} output;

struct weir_sql_compute {
    weir_sql_engine *engine;
    weir_sql_compute_options options;
    weir_arena arena;
    output *outputs;
    int32_t output_count;
    const weir_predicate *tested; /* NULL: none */
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

static bool is_bare(const weir_expression *expression, int32_t *column)
{
    const weir_expression *bare = weir_expression_bare(expression);
    *column = bare->column;
    return bare->kind == WEIR_EXPRESSION_COLUMN && same_vectors(bare->type, expression->type);
}

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

/* An expression with its columns at other places. */
static weir_expression *move_columns(weir_arena *arena, const weir_expression *expression, const int32_t *places)
{
    weir_expression *copy = weir_arena_copy(arena, expression, sizeof *expression);
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        copy->column = places[expression->column];
    }
    copy->arguments = WEIR_NEW_ARRAY(arena, weir_expression *, expression->argument_count + 1);
    for (int32_t i = 0; i < expression->argument_count; i++) {
        copy->arguments[i] = move_columns(arena, expression->arguments[i], places);
    }
    return copy;
}

/* What is left for the statement. */
typedef struct work {
    weir_expression **expressions;
    int32_t count;
    weir_expression *const *conditions;
    int32_t condition_count;
} work;

/* The statement's scan: the columns that the work reads, then the rows' numbers. places[i]: where column i is in it. */
static weir_plan *plan_input(weir_sql_compute *compute, const work *todo, int32_t *places)
{
    weir_arena *arena = &compute->arena;
    const weir_sql_compute_options *options = &compute->options;
    bool *used = WEIR_NEW_ARRAY(arena, bool, options->field_count + 1);
    for (int32_t i = 0; i < todo->count; i++) {
        weir_expression_mark(todo->expressions[i], used);
    }
    for (int32_t i = 0; i < todo->condition_count; i++) {
        weir_expression_mark(todo->conditions[i], used);
    }
    weir_plan *input = new_plan(arena, WEIR_PLAN_SCAN, NULL);
    input->fields = WEIR_NEW_ARRAY(arena, weir_field, options->field_count + 1);
    compute->read_columns = WEIR_NEW_ARRAY(arena, int32_t, options->field_count + 1);
    for (int32_t i = 0; i < options->field_count; i++) {
        if (used[i]) {
            places[i] = input->field_count;
            compute->read_columns[input->field_count] = i;
            input->fields[input->field_count++] = options->fields[i];
        }
    }
    compute->read_count = input->field_count;
    input->fields[input->field_count++] =
        (weir_field){.id = -1, .name = "number", .type = weir_type_simple(WEIR_BIGINT, false)};
    weir_batch_init(&compute->read, input->fields, compute->read_count);
    return input;
}

/* SELECT computed …, number FROM the input WHERE the rest of the conditions. */
static void plan_statement(weir_sql_compute *compute, const work *todo)
{
    weir_arena *arena = &compute->arena;
    int32_t *places = WEIR_NEW_ARRAY(arena, int32_t, compute->options.field_count + 1);
    weir_plan *plan = plan_input(compute, todo, places);
    weir_field number = plan->fields[compute->read_count];
    for (int32_t i = 0; i < todo->condition_count; i++) {
        plan = new_plan(arena, WEIR_PLAN_FILTER, plan);
        plan->predicate = move_columns(arena, todo->conditions[i], places);
    }
    weir_plan *top = new_plan(arena, WEIR_PLAN_PROJECT, plan);
    top->expressions = WEIR_NEW_ARRAY(arena, weir_expression *, todo->count + 1);
    top->fields = WEIR_NEW_ARRAY(arena, weir_field, todo->count + 1);
    top->expression_count = top->field_count = todo->count + 1;
    for (int32_t i = 0; i < todo->count; i++) {
        top->expressions[i] = move_columns(arena, todo->expressions[i], places);
        top->fields[i] = (weir_field){.id = -1, .name = "computed", .type = todo->expressions[i]->type};
    }
    top->expressions[todo->count] = new_column(arena, compute->read_count, number.type);
    top->fields[todo->count] = number;
    compute->statement_plan = top;
}

static int prepare_statement(weir_sql_compute *compute, weir_error *err)
{
    weir_sql_engine *engine = compute->engine;
    WEIR_TRY(weir_engine_open(engine, err));
    WEIR_TRY(weir_running_create(engine, &compute->running, err));
    char source[64];
    snprintf(source, sizeof source, "weir_scan(%" PRId64 ", ", compute->running->id);
    weir_generated generated;
    WEIR_TRY(weir_generate(compute->statement_plan, source, &generated, err));
    int code;
    compute->running->scans = weir_alloc_zeroed(1, sizeof *compute->running->scans);
    compute->running->scan_count = 1;
    compute->running->scans[0] = (weir_running_scan){.plan = generated.scans[0],
                                                     .fields = generated.scans[0]->fields,
                                                     .running = compute->running,
                                                     .is_direct = true,
                                                     .direct = &compute->read};
    WEIR_GO(weir_engine_register(engine, &generated, err));
    if (duckdb_connect(engine->database, &compute->connection) != DuckDBSuccess) {
        WEIR_GO(weir_fail(err, WEIR_IO, "DuckDB takes no connection"));
    }
    if (duckdb_prepare(compute->connection, weir_buffer_text(&generated.sql), &compute->statement) != DuckDBSuccess) {
        WEIR_GO(weir_engine_fail(compute->running, duckdb_prepare_error(compute->statement), err));
    }
done:
    weir_generated_free(&generated);
    return code;
}

/* --- Creating -------------------------------------------------------------------------------------------------- */

/* The leading conditions that the vector room can test exactly. Those after the first other one wait for it, because it
 * may guard them. */
static int32_t split_tests(weir_sql_compute *compute)
{
    weir_arena *arena = &compute->arena;
    const weir_sql_compute_options *options = &compute->options;
    const weir_predicate **tests = WEIR_NEW_ARRAY(arena, const weir_predicate *, options->condition_count + 1);
    int32_t count = 0;
    while (count < options->condition_count) {
        bool exact = true;
        const weir_predicate *test =
            weir_condition_predicate(arena, options->conditions[count], options->fields, &exact);
        if (test == NULL || !exact) {
            break;
        }
        tests[count++] = test;
    }
    if (count > 0) {
        compute->tested = count == 1 ? tests[0] : weir_predicate_combine(arena, WEIR_PREDICATE_AND, tests, count);
    }
    return count;
}

static int plan_outputs(weir_sql_compute *compute, weir_error *err)
{
    weir_arena *arena = &compute->arena;
    const weir_sql_compute_options *options = &compute->options;
    int32_t tested = split_tests(compute);
    work todo = {.expressions = WEIR_NEW_ARRAY(arena, weir_expression *, options->expression_count + 1),
                 .conditions = tested == 0 ? options->conditions : options->conditions + tested,
                 .condition_count = options->condition_count - tested};
    compute->outputs = WEIR_NEW_ARRAY(arena, output, options->expression_count + 1);
    for (int32_t i = 0; i < options->expression_count; i++) {
        weir_expression *expression = options->expressions[i];
        output *target = &compute->outputs[compute->output_count++];
        target->expression = expression;
        weir_vector_init(&target->repeated, expression->type);
        if (is_bare(expression, &target->column)) {
            target->kind = OUTPUT_COLUMN;
        } else if (expression->kind == WEIR_EXPRESSION_LITERAL) {
            target->kind = OUTPUT_LITERAL;
        } else {
            target->kind = OUTPUT_COMPUTED;
            target->column = todo.count;
            todo.expressions[todo.count++] = expression;
        }
    }
    if (todo.count == 0 && todo.condition_count == 0) {
        return WEIR_OK;
    }
    plan_statement(compute, &todo);
    return prepare_statement(compute, err);
}

int weir_sql_compute_create(weir_sql_engine *engine, const weir_sql_compute_options *options, weir_sql_compute **out,
                            weir_error *err)
{
    weir_sql_compute *compute = weir_alloc_zeroed(1, sizeof *compute);
    weir_arena_init(&compute->arena);
    compute->engine = engine;
    compute->options = *options;
    int code = plan_outputs(compute, err);
    if (code != WEIR_OK) {
        weir_sql_compute_free(compute);
        return code;
    }
    *out = compute;
    return WEIR_OK;
}

void weir_sql_compute_free(weir_sql_compute *compute)
{
    if (compute == NULL) {
        return;
    }
    if (compute->statement != NULL) {
        duckdb_destroy_prepare(&compute->statement);
    }
    if (compute->connection != NULL) {
        duckdb_disconnect(&compute->connection);
    }
    if (compute->statement_plan != NULL) {
        weir_batch_free(&compute->read);
    }
    for (int32_t i = 0; i < compute->output_count; i++) {
        weir_vector_free(&compute->outputs[i].repeated);
    }
    weir_running_free(compute->engine, compute->running);
    free(compute->rows);
    weir_arena_free(&compute->arena);
    free(compute);
}

/* --- Running --------------------------------------------------------------------------------------------------- */

/* Takes a chunk of the statement's result: the numbers of its rows, and what was computed. */
static int take_chunk(weir_sql_compute *compute, duckdb_data_chunk chunk, int64_t *kept, weir_batch *out,
                      weir_error *err)
{
    int64_t rows = (int64_t)duckdb_data_chunk_get_size(chunk);
    int32_t numbers = compute->statement_plan->field_count - 1;
    const int64_t *number = duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, (idx_t)numbers));
    for (int64_t i = 0; i < rows; i++) {
        compute->rows[(*kept)++] = (uint32_t)number[i];
    }
    for (int32_t i = 0; i < compute->options.expression_count; i++) {
        if (compute->outputs[i].kind == OUTPUT_COMPUTED) {
            duckdb_vector column = duckdb_data_chunk_get_vector(chunk, (idx_t)compute->outputs[i].column);
            WEIR_TRY(weir_bridge_append(column, rows, &out->columns[i], err));
        }
    }
    return WEIR_OK;
}

/* Runs the statement over the rows in compute->rows; they become those that its conditions keep. */
static int run_statement(weir_sql_compute *compute, const weir_batch *in, int64_t *row_count, weir_batch *out,
                         weir_error *err)
{
    weir_batch_clear(&compute->read);
    for (int32_t i = 0; i < compute->read_count; i++) {
        WEIR_TRY(weir_vector_append_rows(&compute->read.columns[i], &in->columns[compute->read_columns[i]],
                                         compute->rows, *row_count, err));
    }
    compute->read.length = *row_count;
    compute->running->scans[0].direct_rows = compute->rows;
    compute->running->error = (weir_error){0};
    duckdb_result result;
    if (duckdb_execute_prepared(compute->statement, &result) != DuckDBSuccess) {
        int code = weir_engine_fail(compute->running, duckdb_result_error(&result), err);
        duckdb_destroy_result(&result);
        return code;
    }
    int64_t kept = 0;
    int code = WEIR_OK;
    duckdb_data_chunk chunk;
    while (code == WEIR_OK && (chunk = duckdb_fetch_chunk(result)) != NULL) {
        code = take_chunk(compute, chunk, &kept, out, err);
        duckdb_destroy_data_chunk(&chunk);
    }
    duckdb_destroy_result(&result);
    *row_count = kept;
    return code;
}

static int append_literal(output *source, int64_t count, weir_vector *out, weir_error *err)
{
    const weir_literal *literal = &source->expression->literal;
    if (literal->is_null) {
        return weir_vector_append_nulls(out, count, err);
    }
    while (source->repeated.length < count && source->repeated.length < REPEATED_ROWS) {
        WEIR_TRY(weir_vector_append_literal(&source->repeated, literal, err));
    }
    for (int64_t left = count; left > 0; left -= REPEATED_ROWS) {
        int64_t piece = left < REPEATED_ROWS ? left : REPEATED_ROWS;
        WEIR_TRY(weir_vector_append_range(out, &source->repeated, 0, piece, err));
    }
    return WEIR_OK;
}

static int append_outputs(const weir_sql_compute *compute, const weir_batch *in, int64_t row_count, weir_batch *out,
                          weir_error *err)
{
    bool all = row_count == in->length;
    for (int32_t i = 0; i < compute->options.expression_count; i++) {
        output *source = &compute->outputs[i];
        weir_vector *target = &out->columns[i];
        if (source->kind == OUTPUT_COLUMN && all) {
            WEIR_TRY(weir_vector_append_range(target, &in->columns[source->column], 0, row_count, err));
        } else if (source->kind == OUTPUT_COLUMN) {
            WEIR_TRY(weir_vector_append_rows(target, &in->columns[source->column], compute->rows, row_count, err));
        } else if (source->kind == OUTPUT_LITERAL) {
            WEIR_TRY(append_literal(source, row_count, target, err));
        }
    }
    return WEIR_OK;
}

static void carry_kinds(const weir_sql_compute *compute, const weir_batch *in, int64_t row_count, weir_batch *out)
{
    if (in->kinds == NULL) {
        return;
    }
    weir_batch_reserve_kinds(out, row_count);
    for (int64_t i = 0; i < row_count; i++) {
        out->kinds[i] = in->kinds[compute->rows[i]];
    }
}

int weir_sql_compute_run(weir_sql_compute *compute, const weir_batch *in, weir_batch *out, const uint32_t **out_rows,
                         weir_error *err)
{
    weir_batch_clear(out);
    if (in->length > UINT32_MAX) {
        return weir_fail(err, WEIR_INVALID, "a batch of %" PRId64 " rows is too large", in->length);
    }
    WEIR_GROW(compute->rows, compute->row_capacity, in->length + 1);
    int64_t row_count;
    if (compute->tested != NULL) {
        row_count = weir_predicate_select(compute->tested, in, compute->rows);
    } else {
        row_count = in->length;
        for (int64_t i = 0; i < row_count; i++) {
            compute->rows[i] = (uint32_t)i;
        }
    }
    if (compute->statement != NULL && row_count > 0) {
        WEIR_TRY(run_statement(compute, in, &row_count, out, err));
    }
    WEIR_TRY(append_outputs(compute, in, row_count, out, err));
    carry_kinds(compute, in, row_count, out);
    out->length = row_count;
    if (out_rows != NULL) {
        *out_rows = compute->rows;
    }
    return WEIR_OK;
}
