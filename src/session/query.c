/* SELECT; in streaming mode as a job (job/stream_query.c). A query of the engine is pulled; expressions over a source
 * of changes run batch by batch and show the kind of each row in a first column `op`. */
#include <stdlib.h>

#include "session/dml/row_feed.h"
#include "session/job/jobs.h"

typedef struct query_result {
    weir_result base; /* first */
    weir_bound *bound;
    weir_row_feed *feed;
    bool with_kinds;
    weir_batch inner; /* with kinds: the rows without `op` */
} query_result;

static int append_kinds(const weir_batch *from, weir_vector *out, weir_error *err)
{
    weir_vector_clear(out);
    for (int64_t i = 0; i < from->length; i++) {
        WEIR_TRY(weir_vector_append_raw(out, weir_row_kind_text(weir_batch_kind(from, i)), 2, err));
    }
    return WEIR_OK;
}

static int next_rows(weir_result *self, weir_batch *out, weir_error *err)
{
    query_result *result = (query_result *)self;
    if (!result->with_kinds) {
        return weir_row_feed_next(result->feed, out, err);
    }
    WEIR_TRY(weir_row_feed_next(result->feed, &result->inner, err));
    weir_batch_clear(out);
    WEIR_TRY(append_kinds(&result->inner, &out->columns[0], err));
    for (int32_t i = 0; i < result->inner.column_count; i++) {
        weir_vector column = out->columns[i + 1];
        out->columns[i + 1] = result->inner.columns[i];
        result->inner.columns[i] = column;
    }
    out->length = result->inner.length;
    return WEIR_OK;
}

static void close_query(weir_result *self)
{
    query_result *result = (query_result *)self;
    if (result->with_kinds) {
        weir_batch_free(&result->inner);
    }
    weir_row_feed_close(result->feed);
    weir_bound_free(result->bound);
}

static void set_fields(query_result *result)
{
    weir_arena *arena = &result->base.arena;
    int32_t count = 0;
    const weir_field *fields = weir_row_feed_fields(result->feed, &count);
    if (!result->with_kinds) {
        result->base.fields = fields;
        result->base.field_count = count;
        return;
    }
    weir_field *with_kind = WEIR_NEW_ARRAY(arena, weir_field, count + 1);
    with_kind[0] = (weir_field){.name = "op", .type = weir_type_simple(WEIR_VARCHAR, false)};
    memcpy(with_kind + 1, fields, sizeof *fields * (size_t)count);
    result->base.fields = with_kind;
    result->base.field_count = count + 1;
    weir_batch_init(&result->inner, fields, count);
}

int weir_session_query(weir_session *session, const weir_ast_query *query, weir_result **out, weir_error *err)
{
    if (weir_session_mode(session) == WEIR_RUNTIME_STREAMING) {
        return weir_session_stream_query(session, query, out, err);
    }
    weir_session_resolver resolver;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound *bound = NULL;
    weir_row_feed *feed = NULL;
    WEIR_TRY(weir_bind_query(&context, query, &bound, err));
    weir_bound_number_names(bound);
    int code = weir_row_feed_open(session, bound, &feed, err);
    if (code != WEIR_OK) {
        weir_bound_free(bound);
        return code;
    }
    query_result *result = weir_alloc_zeroed(1, sizeof *result);
    weir_result_init(&result->base, WEIR_RESULT_ROWS);
    result->base.time_zone = weir_arena_strdup(&result->base.arena, bound->time_zone);
    result->base.next = next_rows;
    result->base.close = close_query;
    result->bound = bound;
    result->feed = feed;
    result->with_kinds = weir_plan_changes_table(bound->plan) != NULL;
    set_fields(result);
    *out = &result->base;
    return WEIR_OK;
}
