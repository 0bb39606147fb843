/* Relations: SELECT … FROM … WHERE … GROUP BY … ORDER BY … LIMIT, nested as the plan is. */
#include "sql/generate/generate.h"

static weir_buffer *sql_of(weir_generator *generator) { return &generator->out->sql; }

/* --- Clauses --------------------------------------------------------------------------------------------------- */

static int generate_list(weir_generator *generator, weir_expression **expressions, int32_t count, bool named)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        WEIR_TRY(weir_generate_expression(generator, expressions[i]));
        if (named) {
            weir_buffer_append_format(sql, " AS c%d", i);
        }
    }
    if (count == 0 && named) {
        weir_buffer_append_text(sql, "true AS c0"); /* rows that nobody looks into still count */
    }
    return WEIR_OK;
}

void weir_generate_columns(weir_generator *generator, int32_t count)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "" : ", ");
        weir_generate_column(generator, i);
        weir_buffer_append_format(sql, " AS c%d", i);
    }
    if (count == 0) {
        weir_buffer_append_text(sql, "true AS c0");
    }
}

void weir_generate_from(weir_generator *generator, const weir_source *source)
{
    weir_buffer *sql = sql_of(generator);
    weir_buffer_append_format(sql, " FROM %s", source->from);
    if (source->where[0] != '\0') {
        weir_buffer_append_format(sql, " WHERE %s", source->where);
    }
}

static int generate_order(weir_generator *generator, const weir_plan *sort)
{
    weir_buffer *sql = sql_of(generator);
    WEIR_TRY(weir_generate_sort_keys(generator, " ORDER BY ", sort->sort_keys, sort->sort_key_count));
    if (sort->limit >= 0) {
        weir_buffer_append_format(sql, " LIMIT %" PRId64, sort->limit);
    }
    if (sort->offset > 0) {
        weir_buffer_append_format(sql, " OFFSET %" PRId64, sort->offset);
    }
    return WEIR_OK;
}

/* --- Relations ------------------------------------------------------------------------------------------------- */

/* PROJECT over SORT over joins and filters make one SELECT, so that ORDER BY stays the outermost thing. */
static int generate_block(weir_generator *generator, const weir_plan *plan)
{
    const weir_plan *project = NULL;
    const weir_plan *sort = NULL;
    weir_source source;
    if (plan->kind == WEIR_PLAN_PROJECT) {
        project = plan;
        plan = plan->inputs[0];
    }
    if (plan->kind == WEIR_PLAN_SORT) {
        sort = plan;
        plan = plan->inputs[0];
    }
    WEIR_TRY(weir_generate_source(generator, plan, &source));
    generator->places = source.places;
    weir_buffer_append_text(sql_of(generator), "SELECT ");
    if (project != NULL) {
        WEIR_TRY(generate_list(generator, project->expressions, project->expression_count, true));
    } else {
        weir_generate_columns(generator, plan->field_count);
    }
    weir_generate_from(generator, &source);
    return sort == NULL ? WEIR_OK : generate_order(generator, sort);
}

static int generate_values(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = sql_of(generator);
    int32_t width = plan->field_count;
    weir_buffer_append_text(sql, "SELECT ");
    weir_generate_columns(generator, width);
    weir_buffer_append_text(sql, " FROM (VALUES ");
    for (int64_t row = 0; row < plan->row_count; row++) {
        weir_buffer_append_text(sql, row == 0 ? "(" : ", (");
        if (width == 0) {
            weir_buffer_append_text(sql, "true");
        }
        WEIR_TRY(generate_list(generator, plan->expressions + row * width, width, false));
        weir_buffer_append_byte(sql, ')');
    }
    weir_buffer_append_text(sql, ") AS t(");
    for (int32_t i = 0; i < width || i == 0; i++) {
        weir_buffer_append_format(sql, "%sc%d", i == 0 ? "" : ", ", i);
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_set(weir_generator *generator, const weir_plan *plan, const char *between)
{
    weir_buffer *sql = sql_of(generator);
    for (int32_t i = 0; i < plan->input_count; i++) {
        weir_buffer_append_text(sql, i == 0 ? "(" : between);
        WEIR_TRY(weir_generate_select(generator, plan->inputs[i]));
    }
    weir_buffer_append_byte(sql, ')');
    return WEIR_OK;
}

static int generate_relation(weir_generator *generator, const weir_plan *plan)
{
    switch (plan->kind) {
    case WEIR_PLAN_VALUES:
        return generate_values(generator, plan);
    case WEIR_PLAN_AGGREGATE:
        return weir_generate_aggregation(generator, plan);
    case WEIR_PLAN_WINDOW:
        return weir_generate_window(generator, plan);
    case WEIR_PLAN_ASSIGN:
        return weir_generate_assign(generator, plan);
    case WEIR_PLAN_UNNEST:
        return weir_generate_unnest(generator, plan);
    case WEIR_PLAN_UNION:
        return generate_set(generator, plan, ") UNION ALL (");
    case WEIR_PLAN_INTERSECT:
        return generate_set(generator, plan, plan->all ? ") INTERSECT ALL (" : ") INTERSECT (");
    case WEIR_PLAN_EXCEPT:
        return generate_set(generator, plan, plan->all ? ") EXCEPT ALL (" : ") EXCEPT (");
    case WEIR_PLAN_DISTINCT:
        return weir_generate_distinct(generator, plan);
    default:
        return generate_block(generator, plan);
    }
}

int weir_generate_select(weir_generator *generator, const weir_plan *plan)
{
    const weir_place *outer = generator->places;
    generator->places = NULL;
    int code = generate_relation(generator, plan);
    generator->places = outer;
    return code;
}

int weir_generate(const weir_plan *plan, const char *source, weir_generated *out, weir_error *err)
{
    *out = (weir_generated){0};
    weir_arena_init(&out->arena);
    weir_generator generator = {.out = out, .source = source, .err = err};
    int code = weir_generate_select(&generator, plan);
    if (code != WEIR_OK) {
        weir_generated_free(out);
    }
    return code;
}

void weir_generated_free(weir_generated *generated)
{
    weir_buffer_free(&generated->sql);
    weir_arena_free(&generated->arena);
    *generated = (weir_generated){0};
}
