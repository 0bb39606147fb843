/* FROM and WHERE: joins of joins, with the filters between them, become one flat FROM over leaves t0, t1 …, so that
 * DuckDB is free to order them. What else stands below is a leaf: a scan, or a query in parentheses.
 *
 * Projections that only rename columns disappear: their columns are those of the leaves. */
#include "sql/generate/generate.h"
#include "sql/type.h"

typedef struct source_walk {
    weir_generator *generator;
    int32_t leaf_count;
    weir_buffer where;
} source_walk;

static int walk(source_walk *self, const weir_plan *plan, bool filters_rise, weir_place **out);

static weir_place *new_places(source_walk *self, int32_t count)
{
    return WEIR_NEW_ARRAY(&self->generator->out->arena, weir_place, count + 1);
}

/* --- Leaves ---------------------------------------------------------------------------------------------------- */

static void add_scan(weir_generated *out, const weir_plan *scan)
{
    if (scan->scan_index >= out->scan_count) {
        const weir_plan **grown = WEIR_NEW_ARRAY(&out->arena, const weir_plan *, scan->scan_index + 8);
        if (out->scan_count > 0) {
            memcpy(grown, out->scans, sizeof *grown * (size_t)out->scan_count);
        }
        out->scans = grown;
        out->scan_count = scan->scan_index + 1;
    }
    out->scans[scan->scan_index] = scan;
}

static int walk_leaf(source_walk *self, const weir_plan *plan, weir_place **out)
{
    weir_generator *generator = self->generator;
    weir_buffer *sql = &generator->out->sql;
    int32_t leaf = self->leaf_count++;
    if (plan->kind == WEIR_PLAN_SCAN) {
        add_scan(generator->out, plan);
        weir_buffer_append_format(sql, "%s%d)", generator->source, plan->scan_index);
    } else {
        weir_buffer_append_byte(sql, '(');
        WEIR_TRY(weir_generate_select(generator, plan));
        weir_buffer_append_byte(sql, ')');
    }
    weir_buffer_append_format(sql, " AS t%d", leaf);
    *out = new_places(self, plan->field_count);
    for (int32_t i = 0; i < plan->field_count; i++) {
        (*out)[i] = (weir_place){leaf, i};
    }
    return WEIR_OK;
}

/* --- What disappears ------------------------------------------------------------------------------------------- */

static const weir_expression *bare(const weir_expression *expression)
{
    expression = weir_expression_bare(expression);
    return expression->kind == WEIR_EXPRESSION_COLUMN ? expression : NULL;
}

static bool only_renames(const weir_plan *plan)
{
    for (int32_t i = 0; i < plan->expression_count; i++) {
        if (bare(plan->expressions[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static int walk_renaming(source_walk *self, const weir_plan *plan, bool filters_rise, weir_place **out)
{
    weir_place *places;
    WEIR_TRY(walk(self, plan->inputs[0], filters_rise, &places));
    *out = new_places(self, plan->expression_count);
    for (int32_t i = 0; i < plan->expression_count; i++) {
        (*out)[i] = places[bare(plan->expressions[i])->column];
    }
    return WEIR_OK;
}

/* An expression over columns at `places`, in the query's SQL. */
static int append_over(source_walk *self, const weir_expression *expression, const weir_place *places)
{
    const weir_place *outer = self->generator->places;
    self->generator->places = places;
    int code = weir_generate_expression(self->generator, expression);
    self->generator->places = outer;
    return code;
}

/* SQL that belongs to WHERE is made in the buffer of the SQL, and both change places meanwhile. */
static void swap_with_where(source_walk *self)
{
    weir_buffer sql = self->generator->out->sql;
    self->generator->out->sql = self->where;
    self->where = sql;
}

static int append_filter(source_walk *self, const weir_expression *predicate, const weir_place *places)
{
    swap_with_where(self);
    weir_buffer *where = &self->generator->out->sql;
    weir_buffer_append_text(where, where->size == 0 ? "" : " AND ");
    int code = append_over(self, predicate, places);
    swap_with_where(self);
    return code;
}

/* --- Joins ----------------------------------------------------------------------------------------------------- */

/* The conjuncts that compare floats are no equality to DuckDB, because the comparison is ours; its own, which holds
 * whenever ours does, lets it hash them. */
static int append_float_keys(source_walk *self, const weir_expression *predicate, const weir_place *places)
{
    weir_buffer *sql = &self->generator->out->sql;
    if (predicate->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < predicate->argument_count; i++) {
            WEIR_TRY(append_float_keys(self, predicate->arguments[i], places));
        }
    } else if (predicate->kind == WEIR_EXPRESSION_EQUAL && weir_type_is_approximate(predicate->arguments[0]->type)) {
        weir_buffer_append_text(sql, " AND ");
        WEIR_TRY(append_over(self, predicate->arguments[0], places));
        weir_buffer_append_text(sql, " = ");
        WEIR_TRY(append_over(self, predicate->arguments[1], places));
    }
    return WEIR_OK;
}

/* NOT IN stands in WHERE: (x) NOT IN (SELECT y …), or of several columns as NOT EXISTS. */
static int append_not_in(source_walk *self, const weir_plan *plan, const weir_place *left)
{
    weir_generator *generator = self->generator;
    weir_buffer *sql = &generator->out->sql;
    const weir_expression *predicate = plan->predicate;
    const weir_expression *right = predicate->arguments[1];
    weir_source source;
    WEIR_TRY(append_over(self, predicate->arguments[0], left));
    weir_buffer_append_text(sql, " NOT IN (SELECT ");
    WEIR_TRY(weir_generate_source(generator, plan->inputs[1], &source));
    int32_t split = plan->inputs[0]->field_count;
    weir_place *places = new_places(self, split + plan->inputs[1]->field_count);
    memcpy(places + split, source.places, sizeof *places * (size_t)plan->inputs[1]->field_count);
    WEIR_TRY(append_over(self, right, places));
    weir_buffer_append_format(sql, " FROM %s%s%s)", source.from, source.where[0] == '\0' ? "" : " WHERE ",
                              source.where);
    return WEIR_OK;
}

static const char *join_words(const weir_plan *plan)
{
    static const char *const words[] = {" JOIN ",      " LEFT JOIN ", " RIGHT JOIN ",
                                        " FULL JOIN ", " SEMI JOIN ", " ANTI JOIN "};
    return plan->predicate == NULL && plan->join == WEIR_JOIN_INNER ? " CROSS JOIN " : words[plan->join];
}

static int walk_join(source_walk *self, const weir_plan *plan, bool filters_rise, weir_place **out)
{
    weir_buffer *sql = &self->generator->out->sql;
    const weir_plan *right = plan->inputs[1];
    int32_t split = plan->inputs[0]->field_count;
    weir_place *left_places;
    weir_place *right_places;
    bool left_rises = filters_rise && plan->join != WEIR_JOIN_RIGHT && plan->join != WEIR_JOIN_FULL;
    WEIR_TRY(walk(self, plan->inputs[0], left_rises, &left_places));
    weir_buffer_append_text(sql, join_words(plan));
    size_t before = sql->size;
    int32_t leaves = self->leaf_count;
    weir_buffer_append_byte(sql, '(');
    WEIR_TRY(walk(self, right, filters_rise && plan->join == WEIR_JOIN_INNER, &right_places));
    if (self->leaf_count - leaves > 1) {
        weir_buffer_append_byte(sql, ')');
    } else {
        memmove(sql->data + before, sql->data + before + 1, --sql->size - before);
    }
    *out = new_places(self, split + right->field_count);
    memcpy(*out, left_places, sizeof **out * (size_t)split);
    memcpy(*out + split, right_places, sizeof **out * (size_t)right->field_count);
    if (plan->predicate == NULL) {
        weir_buffer_append_text(sql, plan->join == WEIR_JOIN_INNER ? "" : " ON true");
        return WEIR_OK;
    }
    weir_buffer_append_text(sql, " ON ");
    WEIR_TRY(append_over(self, plan->predicate, *out));
    return append_float_keys(self, plan->predicate, *out);
}

static int walk_not_in(source_walk *self, const weir_plan *plan, weir_place **out)
{
    WEIR_TRY(walk(self, plan->inputs[0], true, out));
    swap_with_where(self);
    weir_buffer *where = &self->generator->out->sql;
    weir_buffer_append_text(where, where->size == 0 ? "" : " AND ");
    int code = append_not_in(self, plan, *out);
    swap_with_where(self);
    return code;
}

static int walk(source_walk *self, const weir_plan *plan, bool filters_rise, weir_place **out)
{
    switch (plan->kind) {
    case WEIR_PLAN_FILTER:
        if (!filters_rise) {
            return walk_leaf(self, plan, out);
        }
        WEIR_TRY(walk(self, plan->inputs[0], true, out));
        return append_filter(self, plan->predicate, *out);
    case WEIR_PLAN_PROJECT:
        return only_renames(plan) ? walk_renaming(self, plan, filters_rise, out) : walk_leaf(self, plan, out);
    case WEIR_PLAN_JOIN:
        if (plan->join != WEIR_JOIN_ANTI_NULL_AWARE) {
            return walk_join(self, plan, filters_rise, out);
        }
        return filters_rise ? walk_not_in(self, plan, out) : walk_leaf(self, plan, out);
    default:
        return walk_leaf(self, plan, out);
    }
}

int weir_generate_source(weir_generator *generator, const weir_plan *plan, weir_source *out)
{
    weir_generated *generated = generator->out;
    source_walk self = {.generator = generator};
    weir_buffer before = generated->sql;
    generated->sql = (weir_buffer){0};
    weir_place *places = NULL;
    int code = walk(&self, plan, true, &places);
    out->from = weir_arena_strdup(&generated->arena, weir_buffer_text(&generated->sql));
    out->where = weir_arena_strdup(&generated->arena, weir_buffer_text(&self.where));
    out->places = places;
    weir_buffer_free(&generated->sql);
    weir_buffer_free(&self.where);
    generated->sql = before;
    return code;
}
