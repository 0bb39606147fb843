/* Keys that are due at moments, many at each: what a window that closes has to tell of. Cheaper than a time_queue.h
 * entry for each, and in no order within a moment. */
#ifndef WEIR_STREAM_DUE_LIST_H
#define WEIR_STREAM_DUE_LIST_H

#include "stream/operator/operator.h"

typedef struct weir_due_list weir_due_list;

int weir_due_list_open(const weir_operator_context *context, const char *uid, weir_due_list **out, weir_error *err);
void weir_due_list_close(weir_due_list *list); /* NULL is fine */

/* Adds a key; the caller sees to it that it is not there yet. It may wait in memory until weir_due_list_flush, which is
 * to be called before the operator gives back control. */
void weir_due_list_add(weir_due_list *list, int64_t due, weir_slice key);
int weir_due_list_flush(weir_due_list *list, weir_error *err);

/* Takes keys out that are due up to a moment, some at a time; none: there are no more. Good until the next take. */
int weir_due_list_take(weir_due_list *list, int64_t moment, const weir_slice **out, int64_t *out_count,
                       weir_error *err);

#endif
