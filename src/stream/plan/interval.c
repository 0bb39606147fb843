/* Finding the distance of times that a join's condition allows: of a.t BETWEEN b.t - INTERVAL … AND b.t + INTERVAL …,
 * in whatever form it is written. The condition itself stays: what is found here only says what can be forgotten. */
#include "stream/plan/interval.h"

#include "sql/function/kernels.h"
#include "sql/type.h"

#define MOST_DISTANCE ((int64_t)1 << 52) /* so that sums with times do not overflow */

/* A column with something added: milliseconds. */
typedef struct moved_time {
    int32_t column;
    int64_t by;
} moved_time;

static bool read_millis(const weir_expression *expression, int64_t *out)
{
    expression = weir_expression_bare(expression);
    if (expression->kind == WEIR_EXPRESSION_CALL && expression->kernel == &weir_kernel_negate) {
        return read_millis(expression->arguments[0], out) && *out > -MOST_DISTANCE && *out < MOST_DISTANCE &&
               ((*out = -*out), true);
    }
    *out = expression->literal.integer;
    return expression->kind == WEIR_EXPRESSION_LITERAL && !expression->literal.is_null &&
           expression->type->id == WEIR_INTERVAL_MILLIS && *out > -MOST_DISTANCE && *out < MOST_DISTANCE;
}

static bool read_time(const weir_expression *expression, moved_time *out)
{
    int64_t by;
    expression = weir_expression_bare(expression);
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        *out = (moved_time){expression->column, 0};
        return true;
    }
    if (expression->kind != WEIR_EXPRESSION_CALL || expression->kernel != &weir_kernel_add_millis ||
        !read_time(expression->arguments[0], out) || !read_millis(expression->arguments[1], &by)) {
        return false;
    }
    out->by += by;
    return out->by > -MOST_DISTANCE && out->by < MOST_DISTANCE;
}

typedef struct search {
    int32_t split;
    const weir_stream_traits *inputs[2];
    weir_stream_interval *found;
    bool has_times, has_low, has_high;
} search;

static bool is_rowtime(const search *self, int32_t column)
{
    int side = column < self->split ? 0 : 1;
    return self->inputs[side]->times[column - (side == 0 ? 0 : self->split)] == WEIR_TIME_ROWTIME;
}

static void note_low(search *self, int64_t low)
{
    self->found->low = self->has_low && self->found->low > low ? self->found->low : low;
    self->has_low = true;
}

static void note_high(search *self, int64_t high)
{
    self->found->high = self->has_high && self->found->high < high ? self->found->high : high;
    self->has_high = true;
}

/* Of l.t + x <kind> r.t + y: r.t - l.t <kind, mirrored> x - y. */
static void note_comparison(search *self, const weir_expression *comparison)
{
    moved_time a, b;
    if (!read_time(comparison->arguments[0], &a) || !read_time(comparison->arguments[1], &b) ||
        (a.column < self->split) == (b.column < self->split) || !is_rowtime(self, a.column) ||
        !is_rowtime(self, b.column)) {
        return;
    }
    bool mirrored = a.column >= self->split;
    const moved_time *left = mirrored ? &b : &a, *right = mirrored ? &a : &b;
    int32_t right_field = right->column - self->split;
    if (self->has_times && (self->found->left != left->column || self->found->right != right_field)) {
        return; /* other times than those found before */
    }
    weir_expression_kind kind = comparison->kind;
    bool less = kind == WEIR_EXPRESSION_LESS || kind == WEIR_EXPRESSION_LESS_OR_EQUAL;
    bool greater = kind == WEIR_EXPRESSION_GREATER || kind == WEIR_EXPRESSION_GREATER_OR_EQUAL;
    bool equal = kind == WEIR_EXPRESSION_EQUAL;
    if (!less && !greater && !equal) {
        return;
    }
    self->found->left = left->column;
    self->found->right = right_field;
    self->has_times = true;
    if (equal || less != mirrored) {
        note_low(self, left->by - right->by);
    }
    if (equal || greater != mirrored) {
        note_high(self, left->by - right->by);
    }
}

static void search_condition(search *self, const weir_expression *condition)
{
    if (condition->kind == WEIR_EXPRESSION_AND) {
        for (int32_t i = 0; i < condition->argument_count; i++) {
            search_condition(self, condition->arguments[i]);
        }
    } else if (condition->argument_count == 2) {
        note_comparison(self, condition);
    }
}

static bool only_inserts(const weir_stream_traits *traits) { return !traits->updates && !traits->deletes; }

bool weir_stream_interval_of(const weir_plan *plan, const weir_stream_traits *left, const weir_stream_traits *right,
                             weir_stream_interval *out)
{
    search self = {.split = 0, .inputs = {left, right}, .found = out};
    if (plan->kind != WEIR_PLAN_JOIN || plan->as_of != NULL || plan->predicate == NULL ||
        !weir_join_keeps_both(plan->join) || !only_inserts(left) || !only_inserts(right)) {
        return false;
    }
    self.split = plan->inputs[0]->field_count;
    *out = (weir_stream_interval){0};
    search_condition(&self, plan->predicate);
    return self.has_low && self.has_high && out->low <= out->high;
}
