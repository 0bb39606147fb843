/* Finding Top-N in plans (rank.h). */
#include "stream/plan/rank.h"

#include "sql/function/function.h"

static int refuse(const weir_plan *plan, weir_error *err, const char *message)
{
    return weir_fail_at(err, WEIR_UNSUPPORTED, plan->position.line, plan->position.column, "%s", message);
}

/* --- The range of numbers -------------------------------------------------------------------------------------- */

static bool is_column(const weir_expression *expression, int32_t column)
{
    const weir_expression *bare = weir_expression_bare(expression);
    return bare->kind == WEIR_EXPRESSION_COLUMN && bare->column == column;
}

static bool is_whole_number(const weir_expression *expression)
{
    const weir_expression *bare = weir_expression_bare(expression);
    return bare->kind == WEIR_EXPRESSION_LITERAL && !bare->literal.is_null && bare->type->id >= WEIR_TINYINT &&
           bare->type->id <= WEIR_BIGINT;
}

static weir_expression_kind mirrored(weir_expression_kind kind)
{
    switch (kind) {
    case WEIR_EXPRESSION_LESS:
        return WEIR_EXPRESSION_GREATER;
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        return WEIR_EXPRESSION_GREATER_OR_EQUAL;
    case WEIR_EXPRESSION_GREATER:
        return WEIR_EXPRESSION_LESS;
    case WEIR_EXPRESSION_GREATER_OR_EQUAL:
        return WEIR_EXPRESSION_LESS_OR_EQUAL;
    default:
        return kind;
    }
}

static void narrow(weir_rank *rank, weir_expression_kind kind, int64_t number)
{
    int64_t first = rank->first, last = rank->last;
    switch (kind) {
    case WEIR_EXPRESSION_EQUAL:
        first = last = number;
        break;
    case WEIR_EXPRESSION_LESS:
        last = number == INT64_MIN ? number : number - 1;
        break;
    case WEIR_EXPRESSION_LESS_OR_EQUAL:
        last = number;
        break;
    case WEIR_EXPRESSION_GREATER:
        first = number == INT64_MAX ? number : number + 1;
        break;
    default:
        first = number;
        break;
    }
    rank->first = first > rank->first ? first : rank->first;
    rank->last = last < rank->last ? last : rank->last;
}

/* Whether a condition only bounds the number; narrows the range by it. */
static bool take_bound(weir_rank *rank, const weir_expression *condition, int32_t number)
{
    if (condition->kind == WEIR_EXPRESSION_AND) {
        bool all = true;
        for (int32_t i = 0; i < condition->argument_count; i++) {
            all = take_bound(rank, condition->arguments[i], number) && all;
        }
        return all;
    }
    bool compares = condition->kind == WEIR_EXPRESSION_EQUAL ||
                    (condition->kind >= WEIR_EXPRESSION_LESS && condition->kind <= WEIR_EXPRESSION_GREATER_OR_EQUAL);
    if (!compares) {
        return false;
    }
    const weir_expression *a = condition->arguments[0], *b = condition->arguments[1];
    if (is_column(a, number) && is_whole_number(b)) {
        narrow(rank, condition->kind, weir_expression_bare(b)->literal.integer);
        return true;
    }
    if (is_column(b, number) && is_whole_number(a)) {
        narrow(rank, mirrored(condition->kind), weir_expression_bare(a)->literal.integer);
        return true;
    }
    return false;
}

static bool names(const weir_expression *expression, int32_t column)
{
    if (expression->kind == WEIR_EXPRESSION_COLUMN) {
        return expression->column == column;
    }
    bool found = false;
    for (int32_t i = 0; i < expression->argument_count && !found; i++) {
        found = names(expression->arguments[i], column);
    }
    return found;
}

/* --- Kinds of Top-N -------------------------------------------------------------------------------------------- */

/* An order by one time attribute. */
static weir_field_time time_of_order(const weir_rank *rank, const weir_stream_traits *input)
{
    const weir_expression *key = rank->sort_key_count == 1 ? weir_expression_bare(rank->sort_keys[0].expression) : NULL;
    return key != NULL && key->kind == WEIR_EXPRESSION_COLUMN ? input->times[key->column] : WEIR_TIME_NONE;
}

/* With an order by the clock, rows come in that order: their arrival says more than their milliseconds. */
static void look_at_time(weir_rank *rank, const weir_stream_traits *input)
{
    weir_field_time time = time_of_order(rank, input);
    bool descending = time != WEIR_TIME_NONE && rank->sort_keys[0].descending;
    bool keeps_one = rank->first == 1 && rank->last == 1 && !rank->gives_number;
    rank->by_time = keeps_one ? time : WEIR_TIME_NONE;
    rank->later_first = descending && (keeps_one || time == WEIR_TIME_PROCTIME);
    if (time == WEIR_TIME_PROCTIME) {
        rank->sort_key_count = 0;
    }
}

static bool is_rank_function(const weir_aggregate *aggregate)
{
    return aggregate->function->aggregate >= WEIR_AGGREGATE_ROW_NUMBER &&
           aggregate->function->aggregate <= WEIR_AGGREGATE_DENSE_RANK;
}

int weir_rank_of_window(const weir_flat_plan *flat, const weir_stream_traits *input, weir_rank *out, bool *out_found,
                        weir_error *err)
{
    const weir_plan *window = flat->bottom;
    *out_found = false;
    if (window->kind != WEIR_PLAN_WINDOW || window->aggregate_count != 1 || !is_rank_function(&window->aggregates[0])) {
        return WEIR_OK;
    }
    const weir_aggregate *aggregate = &window->aggregates[0];
    int32_t number = window->field_count - 1;
    weir_rank rank = {.plan = window,
                      .partition_keys = aggregate->window->partition_keys,
                      .partition_key_count = aggregate->window->partition_key_count,
                      .sort_keys = aggregate->window->sort_keys,
                      .sort_key_count = aggregate->window->sort_key_count,
                      .first = INT64_MIN,
                      .last = INT64_MAX};
    for (int32_t i = 0; i < flat->condition_count; i++) {
        bool bounds = take_bound(&rank, flat->conditions[i], number);
        rank.gives_number = rank.gives_number || (!bounds && names(flat->conditions[i], number));
    }
    if (rank.first == INT64_MIN && rank.last == INT64_MAX) {
        return WEIR_OK;
    }
    if (rank.last == INT64_MAX) {
        return refuse(window, err,
                      "Rank end is not specified. Currently rank only support TopN, which means the rank "
                      "end must be specified; add a condition such as row_number <= 10");
    }
    if (aggregate->function->aggregate != WEIR_AGGREGATE_ROW_NUMBER) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, aggregate->position.line, aggregate->position.column,
                            "%s() on streaming table is not supported currently; use ROW_NUMBER()",
                            aggregate->function->name);
    }
    if (rank.last <= 0) {
        return weir_fail_at(err, WEIR_UNSUPPORTED, window->position.line, window->position.column,
                            "Rank end should not less than zero, but now is %" PRId64, rank.last);
    }
    rank.first = rank.first < 1 ? 1 : rank.first;
    for (int32_t i = 0; i < flat->expression_count; i++) {
        rank.gives_number = rank.gives_number || (rank.first != rank.last && names(flat->expressions[i], number));
    }
    look_at_time(&rank, input);
    *out = rank;
    *out_found = true;
    return WEIR_OK;
}

int weir_rank_of_sort(const weir_plan *sort, weir_rank *out, bool *out_found, weir_error *err)
{
    *out_found = false;
    if (sort->limit < 0) {
        return sort->offset == 0 ? WEIR_OK
                                 : refuse(sort, err,
                                          "FETCH is missed, which on streaming table is not supported "
                                          "currently; add LIMIT to OFFSET");
    }
    bool endless = sort->limit > INT64_MAX - sort->offset;
    *out = (weir_rank){.plan = sort,
                       .sort_keys = sort->sort_keys,
                       .sort_key_count = sort->sort_key_count,
                       .first = sort->offset + 1,
                       .last = endless ? INT64_MAX : sort->offset + sort->limit};
    *out_found = true;
    return WEIR_OK;
}

bool weir_rank_only_inserts(const weir_rank *rank) { return rank->sort_key_count == 0 && !rank->later_first; }
