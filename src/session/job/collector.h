/* The end of a job whose rows somebody pulls: a sink for the job's thread, batches for another one.
 *
 * Only so many rows wait in between: then the job waits until they are taken. */
#ifndef WEIR_SESSION_COLLECTOR_H
#define WEIR_SESSION_COLLECTOR_H

#include "stream/sink/sink.h"

typedef struct weir_collector weir_collector;

/* `fields` are borrowed. */
weir_collector *weir_collector_create(const weir_field *fields, int32_t count);
void weir_collector_free(weir_collector *collector); /* after the job */

/* The sink, which the job closes; it takes changes of every kind. */
weir_stream_sink *weir_collector_sink(weir_collector *collector);

/* Takes a batch, whose columns are swapped with those of `out`; false: none came within `wait_ms`. */
bool weir_collector_take(weir_collector *collector, int64_t wait_ms, weir_batch *out);

/* Nothing will be taken any more: the job's writes fail with WEIR_CANCELLED. */
void weir_collector_leave(weir_collector *collector);

/* What is left of rows and their changes, when all have come: those that were not retracted, in the order in which they
 * came. */
typedef struct weir_table_view weir_table_view;

weir_table_view *weir_table_view_create(const weir_field *fields, int32_t count);
void weir_table_view_free(weir_table_view *view); /* NULL is fine */
int weir_table_view_apply(weir_table_view *view, const weir_batch *batch, weir_error *err);
size_t weir_table_view_memory(const weir_table_view *view);

/* Fills `out` with the next rows, or gives WEIR_END. */
int weir_table_view_next(weir_table_view *view, weir_batch *out, weir_error *err);

#endif
