/* UNNEST: a row for each element of a list, by DuckDB's unnest() in a select list, which is no join. */
#include "sql/generate/generate.h"
#include "sql/type.h"

/* The list as an SQL text: elements of a MULTISET as often as it counts them; with `outer`, one NULL instead of none.
 */
static int list_text(weir_generator *generator, const weir_plan *plan, const char **out)
{
    weir_generated *generated = generator->out;
    const weir_expression *list = plan->expressions[0];
    weir_buffer before = generated->sql;
    generated->sql = (weir_buffer){0};
    int code = weir_generate_expression(generator, list);
    const char *text = weir_arena_strdup(&generated->arena, weir_buffer_text(&generated->sql));
    weir_buffer_free(&generated->sql);
    generated->sql = before;
    if (list->type->id == WEIR_MULTISET) {
        text = weir_arena_format(&generated->arena,
                                 "flatten(list_transform(%s, lambda e: repeat([struct_extract(e, 'f0')], "
                                 "CAST(struct_extract(e, 'f1') AS BIGINT))))",
                                 text);
    }
    *out = text;
    return code;
}

/* How many of the node's fields an element makes, without its number. */
static int32_t element_width(const weir_plan *plan)
{
    return plan->field_count - plan->inputs[0]->field_count - plan->ordinality;
}

static bool is_spread(const weir_type *type)
{
    return type->id == WEIR_MAP || (type->id == WEIR_MULTISET ? type->key : type->element)->id == WEIR_ROW;
}

static void generate_elements(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = &generator->out->sql;
    int32_t first = plan->inputs[0]->field_count;
    bool spread = is_spread(plan->expressions[0]->type);
    for (int32_t i = 0; i < element_width(plan); i++) {
        weir_buffer_append_text(sql, first + i == 0 ? "" : ", ");
        if (spread) {
            weir_buffer_append_format(sql, "struct_extract(t.e, 'f%d') AS c%d", i, first + i);
        } else {
            weir_buffer_append_format(sql, "t.e AS c%d", first + i);
        }
    }
    if (plan->ordinality) {
        weir_buffer_append_format(sql, ", CAST(t.o AS INTEGER) AS c%d", plan->field_count - 1);
    }
}

/* unnest() of what belongs to the list's elements; with `outer`, one NULL where there are none. */
static void append_unnested(weir_buffer *sql, const weir_plan *plan, const char *list, const char *values,
                            const char *name)
{
    if (plan->outer) {
        weir_buffer_append_format(sql, "unnest(CASE WHEN len(%s) > 0 THEN %s ELSE [NULL] END) AS %s", list, values,
                                  name);
    } else {
        weir_buffer_append_format(sql, "unnest(%s) AS %s", values, name);
    }
}

int weir_generate_unnest(weir_generator *generator, const weir_plan *plan)
{
    weir_buffer *sql = &generator->out->sql;
    int32_t count = plan->inputs[0]->field_count;
    weir_source source;
    const char *list;
    WEIR_TRY(weir_generate_source(generator, plan->inputs[0], &source));
    generator->places = source.places;
    WEIR_TRY(list_text(generator, plan, &list));
    weir_buffer_append_text(sql, "SELECT ");
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_format(sql, "%st.c%d", i == 0 ? "" : ", ", i);
    }
    generate_elements(generator, plan);
    weir_buffer_append_text(sql, " FROM (SELECT ");
    for (int32_t i = 0; i < count; i++) {
        weir_generate_column(generator, i);
        weir_buffer_append_format(sql, " AS c%d, ", i);
    }
    append_unnested(sql, plan, list, list, "e");
    if (plan->ordinality) {
        weir_buffer_append_text(sql, ", ");
        append_unnested(sql, plan, list, weir_arena_format(&generator->out->arena, "range(1, len(%s) + 1)", list), "o");
    }
    weir_buffer_append_format(sql, " FROM %s%s%s) AS t", source.from, source.where[0] == '\0' ? "" : " WHERE ",
                              source.where);
    return WEIR_OK;
}
