/* The two ways of a plan's rows: projection batch by batch, or a query of the engine. */
#include "session/dml/row_feed.h"

#include <stdlib.h>

#include "session/table/sql_table.h"

struct weir_row_feed {
    weir_session *session;
    const weir_bound *bound;
    const weir_field *fields;
    int32_t field_count;
    /* Batch by batch. */
    weir_sql_compute *compute;
    weir_arena arena;
    weir_sql_table *table;
    weir_sql_scan *scan;
    weir_sql_split *split; /* NULL: the next one is to be opened */
    int64_t next_split;
    weir_batch input;
    bool has_input; /* `input` was made */
    /* As a query. */
    weir_sql_result *result;
};

const weir_sql_table *weir_plan_changes_table(const weir_plan *plan)
{
    if (plan->kind == WEIR_PLAN_SCAN) {
        return plan->table->has_row_kinds ? plan->table : NULL;
    }
    for (int32_t i = 0; i < plan->input_count; i++) {
        const weir_sql_table *table = weir_plan_changes_table(plan->inputs[i]);
        if (table != NULL) {
            return table;
        }
    }
    return NULL;
}

static int open_projection(weir_row_feed *feed, const weir_flat_plan *flat, weir_error *err)
{
    weir_sql_engine *engine = NULL;
    const weir_plan *scan = flat->bottom;
    WEIR_TRY(weir_session_engine(feed->session, false, &engine, err));
    const weir_sql_compute_options options = {.fields = scan->fields,
                                              .field_count = scan->field_count,
                                              .conditions = flat->conditions,
                                              .condition_count = flat->condition_count,
                                              .expressions = flat->expressions,
                                              .expression_count = flat->expression_count};
    const weir_scan_request request = {.columns = scan->columns,
                                       .column_count = scan->field_count,
                                       .predicate = scan->pushed,
                                       .limit = scan->scan_limit};
    WEIR_TRY(weir_sql_compute_create(engine, &options, &feed->compute, err));
    feed->table = scan->table;
    feed->fields = feed->bound->plan->fields;
    feed->field_count = feed->bound->plan->field_count;
    weir_batch_init(&feed->input, scan->fields, scan->field_count);
    feed->has_input = true;
    WEIR_TRY(scan->table->open(scan->table, &request, &feed->scan, err));
    atomic_store(&feed->session->counters.total_splits, feed->scan->split_count);
    if (feed->scan->estimated_rows > 0) {
        atomic_store(&feed->session->counters.total_rows, feed->scan->estimated_rows);
    }
    return WEIR_OK;
}

static int open_query(weir_row_feed *feed, weir_error *err)
{
    weir_sql_engine *engine = NULL;
    WEIR_TRY(weir_session_engine(feed->session, true, &engine, err));
    WEIR_TRY(weir_sql_query_start(engine, feed->bound, &feed->result, err));
    feed->fields = weir_sql_result_fields(feed->result, &feed->field_count);
    weir_session_set_running(feed->session, feed->result);
    return WEIR_OK;
}

int weir_row_feed_open(weir_session *session, const weir_bound *bound, weir_row_feed **out, weir_error *err)
{
    weir_row_feed *feed = weir_alloc_zeroed(1, sizeof *feed);
    feed->session = session;
    feed->bound = bound;
    weir_arena_init(&feed->arena);
    weir_flat_plan flat;
    weir_plan_flatten(bound->plan, &feed->arena, &flat);
    int code = flat.bottom->kind == WEIR_PLAN_SCAN ? open_projection(feed, &flat, err) : open_query(feed, err);
    if (code != WEIR_OK) {
        weir_row_feed_close(feed);
        return code;
    }
    *out = feed;
    return WEIR_OK;
}

const weir_field *weir_row_feed_fields(const weir_row_feed *feed, int32_t *out_count)
{
    *out_count = feed->field_count;
    return feed->fields;
}

/* The next batch of the source, split after split. */
static int next_input(weir_row_feed *feed, weir_error *err)
{
    for (;;) {
        if (feed->split == NULL) {
            if (feed->next_split == feed->scan->split_count) {
                return WEIR_END;
            }
            WEIR_TRY(feed->scan->open_split(feed->scan, feed->next_split++, &feed->split, err));
        }
        int code = feed->split->next(feed->split, &feed->input, err);
        if (code != WEIR_END) {
            return code;
        }
        feed->split->close(feed->split);
        feed->split = NULL;
        atomic_fetch_add(&feed->session->counters.splits_read, 1);
    }
}

/* What others see of a source that is read. */
static void note_progress(weir_row_feed *feed)
{
    weir_session_counters *counters = &feed->session->counters;
    const weir_session_table *table = feed->table->owner;
    atomic_fetch_add(&counters->rows_read, feed->input.length);
    if (table != NULL && table->source != NULL) {
        atomic_store(&counters->done_bytes, table->source->done_bytes);
        atomic_store(&counters->total_bytes, table->source->total_bytes > 0 ? table->source->total_bytes : 0);
    }
}

static int next_rows(weir_row_feed *feed, weir_batch *out, weir_error *err)
{
    WEIR_TRY(weir_session_check_cancelled(feed->session, err));
    if (feed->result != NULL) {
        return weir_sql_result_next(feed->result, out, err);
    }
    WEIR_TRY(next_input(feed, err));
    note_progress(feed);
    return weir_sql_compute_run(feed->compute, &feed->input, out, NULL, err);
}

int weir_row_feed_next(weir_row_feed *feed, weir_batch *out, weir_error *err)
{
    weir_stop *before = weir_stop_enter(&feed->session->stop);
    int code = next_rows(feed, out, err);
    (void)weir_stop_enter(before);
    return code;
}

void weir_row_feed_close(weir_row_feed *feed)
{
    if (feed == NULL) {
        return;
    }
    if (feed->split != NULL) {
        feed->split->close(feed->split);
    }
    if (feed->scan != NULL) {
        feed->scan->close(feed->scan);
    }
    if (feed->has_input) {
        weir_batch_free(&feed->input);
    }
    weir_sql_compute_free(feed->compute);
    if (feed->result != NULL) {
        weir_session_set_running(feed->session, NULL);
        weir_sql_result_free(feed->result);
    }
    weir_arena_free(&feed->arena);
    free(feed);
}
