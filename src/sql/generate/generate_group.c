/* Groups: GROUP BY with its sets, DISTINCT, and the keys by which rows are told apart. */
#include "sql/function/kernels.h"
#include "sql/generate/generate.h"

static weir_buffer *sql_of(weir_generator *generator) { return &generator->out->sql; }

/* --- Keys ------------------------------------------------------------------------------------------------------ */

/* NULL for types whose values DuckDB tells apart as Flink does. */
static const weir_type *bits_type(const weir_type *type)
{
    if (!weir_type_is_approximate(type)) {
        return NULL;
    }
    return weir_type_simple(type->id == WEIR_FLOAT ? WEIR_INT : WEIR_BIGINT, type->nullable);
}

int weir_generate_key(weir_generator *generator, const weir_expression *expression)
{
    const weir_type *bits = bits_type(expression->type);
    if (bits == NULL) {
        return weir_generate_expression(generator, expression);
    }
    weir_buffer_append_format(
        sql_of(generator), "%s(",
        weir_generate_kernel(generator, &weir_kernel_float_to_bits, NULL, &expression->type, 1, bits));
    WEIR_TRY(weir_generate_expression(generator, expression));
    weir_buffer_append_byte(sql_of(generator), ')');
    return WEIR_OK;
}

/* The value that a key of weir_generate_key stands for. */
static int generate_key_value(weir_generator *generator, const weir_expression *expression)
{
    const weir_type *bits = bits_type(expression->type);
    if (bits == NULL) {
        return weir_generate_expression(generator, expression);
    }
    weir_buffer_append_format(
        sql_of(generator), "%s(",
        weir_generate_kernel(generator, &weir_kernel_float_from_bits, NULL, &bits, 1, expression->type));
    WEIR_TRY(weir_generate_key(generator, expression));
    weir_buffer_append_byte(sql_of(generator), ')');
    return WEIR_OK;
}

int weir_generate_sort_keys(weir_generator *generator, const char *before, const weir_sort_key *keys, int32_t count)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(sql, i == 0 ? before : ", ");
        WEIR_TRY(weir_generate_expression(generator, keys[i].expression));
        weir_buffer_append_text(sql, keys[i].descending ? " DESC" : " ASC");
        weir_buffer_append_text(sql, keys[i].nulls_first ? " NULLS FIRST" : " NULLS LAST");
    }
    return WEIR_OK;
}

static int generate_keys(weir_generator *generator, weir_expression *const *groups, int32_t count, uint64_t set)
{
    bool first = true;
    for (int32_t i = 0; i < count; i++) {
        if (count > 63 || set >> i & 1) {
            weir_buffer_append_text(sql_of(generator), first ? "" : ", ");
            WEIR_TRY(weir_generate_key(generator, groups[i]));
            first = false;
        }
    }
    return WEIR_OK;
}

/* --- Sets of groups -------------------------------------------------------------------------------------------- */

/* How often set number `index` stands in the list, and whether it is the first of its like. */
static int32_t set_copies(const weir_plan *plan, int32_t index, bool *first)
{
    int32_t copies = 0;
    *first = true;
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        if (plan->grouping_sets[i] == plan->grouping_sets[index]) {
            copies++;
            *first = *first && i >= index;
        }
    }
    return copies;
}

static int32_t most_copies(const weir_plan *plan)
{
    int32_t most = 1;
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        bool first;
        int32_t copies = set_copies(plan, i, &first);
        most = copies > most ? copies : most;
    }
    return most;
}

/* What GROUPING of all groups gives in a set: a bit for each group left out, the first group's being the highest. */
static uint64_t grouping_number(const weir_plan *plan, uint64_t set)
{
    uint64_t number = 0;
    for (int32_t i = 0; i < plan->expression_count; i++) {
        number = number << 1 | (set >> i & 1 ? 0 : 1);
    }
    return number;
}

/* Repeated sets: every row comes once for each copy (t.copy), and of the groups of a set those stay whose copy there
 * is. */
static int generate_copies(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    weir_buffer_append_text(sql, " HAVING t.copy < ");
    if (plan->expression_count == 0) {
        weir_buffer_append_format(sql, "%d", plan->grouping_set_count);
        return WEIR_OK;
    }
    weir_buffer_append_text(sql, "CASE GROUPING(");
    WEIR_TRY(generate_keys(generator, plan->expressions, plan->expression_count, UINT64_MAX));
    weir_buffer_append_byte(sql, ')');
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        bool first;
        int32_t copies = set_copies(plan, i, &first);
        if (first) {
            weir_buffer_append_format(sql, " WHEN %" PRIu64 " THEN %d", grouping_number(plan, plan->grouping_sets[i]),
                                      copies);
        }
    }
    weir_buffer_append_text(sql, " END");
    return WEIR_OK;
}

static int generate_sets(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    bool any_empty = false;
    weir_buffer_append_text(sql, " GROUP BY GROUPING SETS (");
    for (int32_t i = 0; i < plan->grouping_set_count; i++) {
        bool first;
        uint64_t set = plan->grouping_sets[i];
        set_copies(plan, i, &first);
        if (!first) {
            continue;
        }
        weir_buffer_append_text(sql, i == 0 ? "(" : ", (");
        WEIR_TRY(generate_keys(generator, plan->expressions, plan->expression_count, set));
        if (generator->repeated_sets) {
            weir_buffer_append_text(sql, set == 0 ? "t.copy" : ", t.copy");
        }
        weir_buffer_append_byte(sql, ')');
        any_empty = any_empty || set == 0;
    }
    weir_buffer_append_byte(sql, ')');
    if (generator->repeated_sets) {
        return generate_copies(generator, plan);
    }
    /* Of no rows Flink makes no groups, not even the one of (). */
    weir_buffer_append_text(sql, any_empty ? " HAVING count(*) > 0" : "");
    return WEIR_OK;
}

/* --- Relations ------------------------------------------------------------------------------------------------- */

static int generate_outputs(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < plan->expression_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(generate_key_value(generator, plan->expressions[i]));
        weir_buffer_append_format(sql, " AS c%d", i);
    }
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_buffer_append_text(sql, i + plan->expression_count == 0 ? "" : ", ");
        WEIR_TRY(weir_generate_aggregate(generator, &plan->aggregates[i]));
        weir_buffer_append_format(sql, " AS c%d", plan->expression_count + i);
    }
    if (plan->field_count == 0) { /* one row that nobody looks into */
        weir_buffer_append_text(sql, "count(*) AS c0");
    }
    return WEIR_OK;
}

/* Repeated sets: the input with every row once for each copy. */
static void generate_copied_source(weir_generator *generator, const weir_plan *plan, const weir_source *source,
                                   int32_t copies)
{
    weir_buffer *sql = sql_of(generator);
    generator->places = source->places;
    weir_buffer_append_text(sql, " FROM (SELECT ");
    weir_generate_columns(generator, plan->inputs[0]->field_count);
    weir_buffer_append_format(sql, ", unnest(range(%d)) AS copy", copies);
    weir_generate_from(generator, source);
    weir_buffer_append_text(sql, ") AS t");
    generator->places = NULL;
}

static int generate_grouped(weir_generator *generator, const weir_plan *plan, const weir_source *source, int32_t copies)
{
    generator->places = copies > 1 ? NULL : source->places;
    weir_buffer_append_text(sql_of(generator), "SELECT ");
    WEIR_TRY(generate_outputs(generator, plan));
    if (copies > 1) {
        generate_copied_source(generator, plan, source, copies);
    } else {
        weir_generate_from(generator, source);
    }
    if (plan->grouping_sets != NULL) {
        return generate_sets(generator, plan);
    }
    if (plan->expression_count > 0) {
        weir_buffer_append_text(sql_of(generator), " GROUP BY ");
        return generate_keys(generator, plan->expressions, plan->expression_count, UINT64_MAX);
    }
    return WEIR_OK;
}

int weir_generate_aggregation(weir_generator *generator, const weir_plan *plan)
{
    weir_source source;
    int32_t copies = most_copies(plan);
    WEIR_TRY(weir_generate_source(generator, plan->inputs[0], &source));
    bool outer = generator->repeated_sets;
    generator->repeated_sets = copies > 1;
    int code = generate_grouped(generator, plan, &source, copies);
    generator->repeated_sets = outer;
    return code;
}

/* DISTINCT, or GROUP BY all columns where some of them are floats. */
int weir_generate_distinct(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    weir_source source;
    weir_expression column = {.kind = WEIR_EXPRESSION_COLUMN};
    bool floats = false;
    for (int32_t i = 0; i < plan->field_count; i++) {
        floats = floats || weir_type_is_approximate(plan->fields[i].type);
    }
    WEIR_TRY(weir_generate_source(generator, plan->inputs[0], &source));
    generator->places = source.places;
    weir_buffer_append_text(sql, floats ? "SELECT " : "SELECT DISTINCT ");
    for (int32_t i = 0; i < plan->field_count && floats; i++) {
        column.column = i;
        column.type = plan->fields[i].type;
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(generate_key_value(generator, &column));
        weir_buffer_append_format(sql, " AS c%d", i);
    }
    if (!floats) {
        weir_generate_columns(generator, plan->field_count);
    }
    weir_generate_from(generator, &source);
    for (int32_t i = 0; i < plan->field_count && floats; i++) {
        column.column = i;
        column.type = plan->fields[i].type;
        weir_buffer_append_text(sql, i == 0 ? " GROUP BY " : ", ");
        WEIR_TRY(weir_generate_key(generator, &column));
    }
    return WEIR_OK;
}
