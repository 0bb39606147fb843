/* OVER in streams: which windows run, in Flink's words for those that do not. */
#ifndef WEIR_STREAM_OVER_H
#define WEIR_STREAM_OVER_H

#include "stream/plan/traits.h"

typedef enum weir_over_frame {
    WEIR_OVER_ALL_BEFORE, /* UNBOUNDED PRECEDING */
    WEIR_OVER_ROWS,       /* `distance` rows */
    WEIR_OVER_TIME        /* `distance` milliseconds */
} weir_over_frame;

/* What a WINDOW does: all its calls see the same rows, which end with the current one. */
typedef struct weir_over {
    const weir_window *window;
    int32_t time_column;
    bool by_clock;   /* ordered by processing time: by arrival */
    bool row_by_row; /* rows of one time do not see each other's end, as RANGE has it */
    weir_over_frame frame;
    int64_t distance;
} weir_over;

/* Whether a call looks at places in the order alone, or at rows so far before: ROW_NUMBER, RANK, LAG. */
bool weir_over_is_place(const weir_aggregate *call);

int weir_over_of(const weir_plan *plan, const weir_stream_traits *input, weir_over *out, weir_error *err);

#endif
