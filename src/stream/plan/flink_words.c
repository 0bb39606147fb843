/* Flink's words for nodes (flink_words.h): GroupAggregate, Join, Rank and so on, with what they work on. */
#include "stream/plan/flink_words.h"

static void put_fields(const weir_plan *plan, weir_buffer *out)
{
    for (int32_t i = 0; i < plan->field_count; i++) {
        weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ", ", plan->fields[i].name);
    }
}

static void put_expressions(weir_expression *const *expressions, int32_t count, const weir_plan *input,
                            weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_expression_show(expressions[i], input, out);
    }
}

static void put_order(const weir_sort_key *keys, int32_t count, const weir_plan *input, weir_buffer *out)
{
    for (int32_t i = 0; i < count; i++) {
        weir_buffer_append_text(out, i == 0 ? "" : ", ");
        weir_expression_show(keys[i].expression, input, out);
        weir_buffer_append_text(out, keys[i].descending ? " DESC" : " ASC");
    }
}

static void put_scan(const weir_plan *plan, weir_buffer *out)
{
    const weir_sql_table *table = plan->table;
    if (table->has_upserts) {
        weir_buffer_append_text(out, "ChangelogNormalize(key=[");
        for (int32_t i = 0; i < table->primary_key_count; i++) {
            weir_buffer_append_format(out, "%s%s", i == 0 ? "" : ", ", table->columns[table->primary_key[i]].name);
        }
        weir_buffer_append_text(out, "])");
        return;
    }
    weir_buffer_append_format(out, "TableSourceScan(table=[[%s, %s, %s]], fields=[", table->catalog, table->database,
                              table->name);
    put_fields(plan, out);
    weir_buffer_append_text(out, "])");
}

static void put_aggregate(const weir_plan *plan, weir_buffer *out)
{
    const weir_plan *input = plan->inputs[0];
    weir_buffer_append_text(out, "GroupAggregate(");
    if (plan->kind == WEIR_PLAN_DISTINCT) {
        weir_buffer_append_text(out, "groupBy=[");
        put_fields(plan, out);
        weir_buffer_append_text(out, "], select=[");
        put_fields(plan, out);
        weir_buffer_append_text(out, "])");
        return;
    }
    if (plan->expression_count > 0) {
        weir_buffer_append_text(out, "groupBy=[");
        put_expressions(plan->expressions, plan->expression_count, input, out);
        weir_buffer_append_text(out, "], ");
    }
    weir_buffer_append_text(out, "select=[");
    put_expressions(plan->expressions, plan->expression_count, input, out);
    for (int32_t i = 0; i < plan->aggregate_count; i++) {
        weir_buffer_append_text(out, i + plan->expression_count == 0 ? "" : ", ");
        weir_aggregate_show(&plan->aggregates[i], input, out);
    }
    weir_buffer_append_text(out, "])");
}

static const char *key_text(const weir_stream_traits *input)
{
    return input->unique_key_count > 0 ? "HasUniqueKey" : "NoUniqueKey";
}

static void put_join(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_buffer *out)
{
    static const char *const names[] = {"InnerJoin",    "LeftOuterJoin", "RightOuterJoin", "FullOuterJoin",
                                        "LeftSemiJoin", "LeftAntiJoin",  "LeftAntiJoin"};
    weir_buffer_append_format(out, "Join(joinType=[%s], where=[", names[plan->join]);
    weir_join_predicate_show(plan, out);
    weir_buffer_append_text(out, "], select=[");
    put_fields(plan, out);
    weir_buffer_append_format(out, "], leftInputSpec=[%s], rightInputSpec=[%s])", key_text(inputs[0]),
                              key_text(inputs[1]));
}

static void put_set(const char *name, const weir_plan *plan, weir_buffer *out)
{
    weir_buffer_append_format(out, "%s(all=[%s], select=[", name, plan->all ? "true" : "false");
    put_fields(plan, out);
    weir_buffer_append_text(out, "])");
}

/* --- Top-N ----------------------------------------------------------------------------------------------------- */

static void put_deduplicate(const weir_rank *rank, weir_buffer *out)
{
    weir_buffer_append_format(out, "Deduplicate(keep=[%sRow], key=[", rank->later_first ? "Last" : "First");
    put_expressions(rank->partition_keys, rank->partition_key_count, rank->plan->inputs[0], out);
    weir_buffer_append_format(out, "], order=[%s])", rank->by_time == WEIR_TIME_PROCTIME ? "PROCTIME" : "ROWTIME");
}

static void put_limit(const weir_rank *rank, weir_buffer *out)
{
    const weir_plan *sort = rank->plan;
    weir_buffer_append_text(out, sort->sort_key_count > 0 ? "SortLimit(orderBy=[" : "Limit(");
    if (sort->sort_key_count > 0) {
        put_order(sort->sort_keys, sort->sort_key_count, sort->inputs[0], out);
        weir_buffer_append_text(out, "], ");
    }
    weir_buffer_append_format(out, "offset=[%" PRId64 "], fetch=[%" PRId64 "])", sort->offset, sort->limit);
}

static void put_rank(const weir_rank *rank, weir_buffer *out)
{
    const weir_plan *window = rank->plan;
    const weir_window *over = window->aggregates[0].window;
    weir_buffer_append_format(
        out, "Rank(rankType=[ROW_NUMBER], rankRange=[rankStart=%" PRId64 ", rankEnd=%" PRId64 "], partitionBy=[",
        rank->first, rank->last);
    put_expressions(rank->partition_keys, rank->partition_key_count, window->inputs[0], out);
    weir_buffer_append_text(out, "], orderBy=[");
    put_order(over->sort_keys, over->sort_key_count, window->inputs[0], out);
    weir_buffer_append_text(out, "], select=[");
    put_fields(rank->gives_number ? window : window->inputs[0], out);
    weir_buffer_append_text(out, "])");
}

/* --- All ------------------------------------------------------------------------------------------------------- */

static void put_node(const weir_plan *plan, const weir_stream_traits *const *inputs, weir_buffer *out)
{
    switch (plan->kind) {
    case WEIR_PLAN_SCAN:
        put_scan(plan, out);
        break;
    case WEIR_PLAN_AGGREGATE:
    case WEIR_PLAN_DISTINCT:
        put_aggregate(plan, out);
        break;
    case WEIR_PLAN_JOIN:
        put_join(plan, inputs, out);
        break;
    case WEIR_PLAN_INTERSECT:
        put_set("Intersect", plan, out);
        break;
    case WEIR_PLAN_EXCEPT:
        put_set("Except", plan, out);
        break;
    default:
        weir_plan_show_node(plan, out);
        break;
    }
}

const char *weir_flink_words(const weir_plan *plan, const weir_rank *rank, const weir_stream_traits *const *inputs,
                             weir_arena *arena)
{
    weir_buffer words = {0};
    if (rank == NULL) {
        put_node(plan, inputs, &words);
    } else if (rank->by_time != WEIR_TIME_NONE) {
        put_deduplicate(rank, &words);
    } else if (plan->kind == WEIR_PLAN_SORT) {
        put_limit(rank, &words);
    } else {
        put_rank(rank, &words);
    }
    const char *text = weir_arena_format(arena, "%s", weir_buffer_text(&words));
    weir_buffer_free(&words);
    return text;
}
