/* The outbox of a sink whose target cannot find a prepared write again after a crash: the rows themselves are what is
 * prepared, and so lie in the job's state; commit() delivers them in one step, together with a number that the target
 * keeps. Recovery asks for that number, and delivers what it does not cover. */
#ifndef WEIR_CONNECT_OUTBOX_H
#define WEIR_CONNECT_OUTBOX_H

#include "connect/sink.h"

typedef struct weir_outbox_target weir_outbox_target;

struct weir_outbox_target {
    /* Appends rows as they will be delivered. */
    int (*append)(weir_outbox_target *self, const weir_batch *batch, weir_buffer *out, weir_error *err);
    /* Appends what append() has kept for later, since a checkpoint is made. NULL: it keeps nothing. */
    void (*drain)(weir_outbox_target *self, weir_buffer *out);
    /* Delivers what was appended, and notes the number under the name: both or neither. */
    int (*deliver)(weir_outbox_target *self, const char *name, int64_t number, weir_slice rows, weir_error *err);
    /* The number that is noted under the name; 0: none. No earlier delivery is under way after that. */
    int (*find_number)(weir_outbox_target *self, const char *name, int64_t *out, weir_error *err);
    void (*close)(weir_outbox_target *self);
};

/* A sink that takes the target over. `prefix`: of the names. What rows it takes is the caller's to
 * set. */
weir_sink *weir_outbox_sink_create(weir_outbox_target *target, const char *prefix);

#endif
