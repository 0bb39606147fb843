/* Operators: batches of changes in, batches of changes out, at a cost of O(changes).
 *
 * An operator is pushed to: process() takes one batch of one input and sends what follows from it to its output. What
 * it has to remember lies in keyed state (state/state.h), which a checkpoint writes by itself; barrier() is for those
 * that keep something else. What goes out is always a valid changelog: a row that is retracted was given before, its -U
 * comes right before its +U where both are of one key.
 *
 * Threading: an operator belongs to the thread of its job. */
#ifndef WEIR_STREAM_OPERATOR_H
#define WEIR_STREAM_OPERATOR_H

#include "sql/engine.h"
#include "stream/plan/traits.h"
#include "stream/state/state.h"

#define WEIR_WATERMARK_NONE INT64_MIN /* nothing is known yet */
#define WEIR_WATERMARK_END  INT64_MAX /* nothing more will come */

/* Not times but what else flows where watermarks do; weir_operator_watermark handles them, operators never see them. An
 * idle input holds back nothing until rows come again, before which it is said to be active. */
#define WEIR_WATERMARK_IDLE   (INT64_MIN + 1)
#define WEIR_WATERMARK_ACTIVE (INT64_MIN + 2)

typedef struct weir_operator weir_operator;

/* Where results go; `to` NULL: nowhere. */
typedef struct weir_operator_output {
    weir_operator *to;
    int32_t input;
} weir_operator_output;

struct weir_operator {
    const char *name; /* for people: "GroupAggregate", "Join" */
    weir_operator_output output;

    /* Takes a batch, which stays the sender's and has the columns of that input's plan. */
    int (*process)(weir_operator *self, int32_t input, const weir_batch *batch, weir_error *err);

    /* No row whose time is below `watermark` (milliseconds) is expected on this input any more, for windows to be
     * closed. Ascends. Is to be noted by weir_operator_note_watermark, and what
     * follows for all inputs passed on by weir_output_watermark, after the rows that it makes. NULL: only that. */
    int (*watermark)(weir_operator *self, int32_t input, int64_t watermark, weir_error *err);

    /* Called now and then (at least each 100 ms when it is not NULL) with the clock's milliseconds. */
    int (*tick)(weir_operator *self, int64_t now_ms, weir_error *err);

    /* Before a checkpoint: what is not in keyed state is put where it will be found again. NULL: there is nothing. */
    int (*barrier)(weir_operator *self, weir_error *err);

    void (*close)(weir_operator *self);

    /* What the functions below keep for it. */
    int32_t input_count;
    int64_t *input_watermarks;
    bool *input_idle;
    int64_t output_watermark;
    int64_t rows_in, rows_out;
};

/* Whether a sink with a primary key gets an operator before it that keeps all rows of a key
 * (table.exec.sink.upsert-materialize). */
typedef enum weir_upsert_materialize {
    WEIR_MATERIALIZE_AUTO, /* where rows of several keys of the query may meet on one of the sink's */
    WEIR_MATERIALIZE_NONE,
    WEIR_MATERIALIZE_FORCE
} weir_upsert_materialize;

/* What an operator is made with; all of it outlives the operator. */
typedef struct weir_operator_context {
    weir_sql_engine *engine; /* for expressions; one thread */
    weir_state_backend *state;
    weir_budget *budget;
    const char *time_zone; /* the session's; never NULL */
    int64_t state_ttl_ms;  /* table.exec.state.ttl; 0: kept for ever */
    weir_upsert_materialize upsert_materialize;
    int64_t (*clock_ms)(void); /* processing time */
    const char *temp_folder;   /* for what need not outlive the job; NULL: nowhere */
    const int64_t *moment; /* of the source below a WATERMARK (stream/source/source.h); NULL: its rows have an order */
    _Atomic int64_t *late_rows; /* rows that came after their window was closed; for people */
} weir_operator_context;

/* One node of the plan with what is known about it. */
typedef struct weir_stream_node {
    const weir_plan *plan;
    const char *uid; /* of its state */
    const weir_stream_traits *output;
    const weir_stream_traits *inputs[2];
} weir_stream_node;

/* For creators: `self` zeroed but for its functions. */
void weir_operator_init(weir_operator *self, const char *name, int32_t input_count);
void weir_operator_close(weir_operator *self); /* NULL is fine */

/* Ends a creator, whose code this returns: gives the operator, or closes it where a part of it could not be opened. */
int weir_operator_created(weir_operator *self, int code, weir_operator **out);

/* Sends a batch on, if it has rows. */
int weir_output_send(weir_operator *self, const weir_batch *batch, weir_error *err);

/* Notes a watermark of an input; gives the least of all inputs that are not idle. */
int64_t weir_operator_note_watermark(weir_operator *self, int32_t input, int64_t watermark);
/* Sends a watermark on where it is above the last one. */
int weir_output_watermark(weir_operator *self, int64_t watermark, weir_error *err);

/* Gives a batch, or a watermark, to an operator's input. */
int weir_operator_process(weir_operator *to, int32_t input, const weir_batch *batch, weir_error *err);
int weir_operator_watermark(weir_operator *to, int32_t input, int64_t watermark, weir_error *err);

#endif
