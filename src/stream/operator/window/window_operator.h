/* What operators share that hold rows back until their window closes: when that is, and that it is known after a
 * restart. Such an operator has this struct as its first member. */
#ifndef WEIR_STREAM_WINDOW_OPERATOR_H
#define WEIR_STREAM_WINDOW_OPERATOR_H

#include "stream/operator/operator.h"

typedef struct weir_window_operator weir_window_operator;

struct weir_window_operator {
    weir_operator base; /* first */
    const weir_operator_context *context;
    const char *uid;
    bool by_clock;  /* windows of the clock close by it alone, or when there will be nothing more */
    int64_t closed; /* the watermark up to which windows have closed */

    /* Gives what windows hold that end at or before `moment`, and forgets it. */
    int (*close_due)(weir_window_operator *self, int64_t moment, weir_error *err);
};

/* For creators: `self` zeroed but for close_due, and base.process and base.close. `time`: what the windows go by. */
void weir_window_operator_init(weir_window_operator *self, const char *name, int32_t input_count,
                               const weir_operator_context *context, const char *uid, weir_field_time time);

/* Finds what an earlier run had closed. */
int weir_window_operator_restore(weir_window_operator *self, weir_error *err);

#endif
