/* A backend as its tables see it. */
#ifndef WEIR_STREAM_BACKEND_H
#define WEIR_STREAM_BACKEND_H

#include "base/map.h"
#include "stream/state/table.h"

struct weir_state_backend {
    weir_budget *budget;
    int64_t memory_bytes;
    int64_t now_ms;
    int64_t last_checkpoint;
    weir_state_table *tables;
    weir_map named; /* name -> weir_buffer */
};

/* Takes memory of the budget for state, and gives it back. */
int weir_state_take(weir_state_backend *backend, int64_t bytes, weir_error *err);
void weir_state_give(weir_state_backend *backend, int64_t bytes);

#endif
