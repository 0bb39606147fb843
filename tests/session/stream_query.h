/* SELECTs of scripts in streaming mode as jobs: their changes are applied strictly, and what is left is the answer. */
#ifndef WEIR_TEST_STREAM_QUERY_H
#define WEIR_TEST_STREAM_QUERY_H

#include "cmocka_all.h"

#include <stdlib.h>

#include "session/session.h"
#include "session/state.h"
#include "stream/stream.h"
#include "vector/literal.h"

/* Rows as JSON texts. */
typedef struct stream_answer {
    char **rows;
    size_t count, capacity;
} stream_answer;

typedef struct stream_answer_sink {
    weir_stream_sink base;
    stream_answer *answer;
} stream_answer_sink;

static inline int stream_answer_apply(stream_answer *answer, int8_t kind, const char *row, weir_error *err)
{
    if (!weir_row_kind_is_retract(kind)) {
        WEIR_GROW(answer->rows, answer->capacity, answer->count + 1);
        answer->rows[answer->count++] = weir_strdup(row);
        return WEIR_OK;
    }
    for (size_t i = answer->count; i > 0; i--) {
        if (strcmp(answer->rows[i - 1], row) == 0) {
            free(answer->rows[i - 1]);
            memmove(answer->rows + i - 1, answer->rows + i, (answer->count - i) * sizeof *answer->rows);
            answer->count--;
            return WEIR_OK;
        }
    }
    return weir_fail(err, WEIR_CORRUPT, "%s of a row that is not there: %s", weir_row_kind_text(kind), row);
}

static inline int stream_answer_write(weir_stream_sink *base, const weir_batch *batch, weir_error *err)
{
    stream_answer *answer = ((stream_answer_sink *)base)->answer;
    weir_buffer row = {0};
    int code = WEIR_OK;
    for (int64_t i = 0; i < batch->length && code == WEIR_OK; i++) {
        weir_buffer_clear(&row);
        for (int32_t c = 0; c < batch->column_count; c++) {
            weir_buffer_append_text(&row, c == 0 ? "[" : ",");
            weir_value_to_json(&batch->columns[c], i, &row);
        }
        weir_buffer_append_text(&row, "]");
        code = stream_answer_apply(answer, weir_batch_kind(batch, i), weir_buffer_text(&row), err);
    }
    weir_buffer_free(&row);
    return code;
}

static inline int stream_answer_prepare(weir_stream_sink *base, int64_t checkpoint, bool last, weir_buffer *out,
                                        weir_error *err)
{
    (void)base;
    (void)checkpoint;
    (void)last;
    (void)out;
    (void)err;
    return WEIR_OK;
}

static inline void stream_answer_close(weir_stream_sink *base) { free(base); }

static inline weir_stream_sink *stream_answer_open(stream_answer *answer)
{
    stream_answer_sink *sink = weir_alloc_zeroed(1, sizeof *sink);
    sink->base = (weir_stream_sink){.write = stream_answer_write,
                                    .prepare = stream_answer_prepare,
                                    .close = stream_answer_close,
                                    .takes = WEIR_SINK_ALL,
                                    .description = "the answer"};
    sink->answer = answer;
    return &sink->base;
}

/* The table that a job is told it writes. */
static inline void stream_answer_table(weir_bound *bound, weir_sql_table *out)
{
    int32_t count = bound->plan->field_count;
    weir_sql_column *columns = WEIR_NEW_ARRAY(&bound->arena, weir_sql_column, count + 1);
    bound->sink_columns = WEIR_NEW_ARRAY(&bound->arena, int32_t, count + 1);
    for (int32_t i = 0; i < count; i++) {
        columns[i] = (weir_sql_column){.name = bound->plan->fields[i].name, .type = bound->plan->fields[i].type};
        bound->sink_columns[i] = i;
    }
    *out = (weir_sql_table){
        .catalog = "", .database = "", .name = "the answer", .columns = columns, .column_count = count};
    bound->sink = out;
    bound->sink_column_count = count;
}

static inline int stream_query_run(weir_bound *bound, const char *time_zone, stream_answer *answer, weir_error *err)
{
    weir_job *job;
    const weir_job_options options = {
        .name = "answer", .memory_bytes = 128 << 20, .checkpoint_interval_ms = 100, .time_zone = time_zone};
    WEIR_TRY(weir_job_create(&options, &job, err));
    int code = weir_job_add(job, bound, stream_answer_open(answer), err);
    code = code == WEIR_OK ? weir_job_start(job, err) : code;
    if (code == WEIR_OK) {
        weir_job_status status;
        weir_job_wait(job, -1);
        weir_job_status_of(job, &status);
        if (status.phase == WEIR_JOB_FAILED) {
            *err = weir_job_error(job);
            code = err->code;
        }
    }
    weir_job_free(job);
    return code;
}

/* Appends the rows that a query ends with, a JSON array a line. */
static inline int stream_query(weir_session *session, const weir_ast_query *query, weir_buffer *out, weir_error *err)
{
    weir_session_resolver resolver;
    session->streams = true;
    weir_bind_context context = weir_session_bind_context(session, &resolver);
    weir_bound *bound;
    weir_sql_table table;
    stream_answer answer = {0};
    context.streaming = true;
    int code = weir_bind_query(&context, query, &bound, err);
    session->streams = false;
    if (code != WEIR_OK) {
        return code;
    }
    stream_answer_table(bound, &table);
    code = stream_query_run(bound, bound->time_zone, &answer, err);
    for (size_t i = 0; i < answer.count; i++) {
        weir_buffer_append_format(out, "%s\n", answer.rows[i]);
        free(answer.rows[i]);
    }
    free(answer.rows);
    bound->sink = NULL;
    weir_bound_free(bound);
    return code;
}

#endif
