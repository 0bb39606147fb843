/* Results of which some are of groups that retractions have left without rows: those are not sent. */
#ifndef WEIR_STREAM_EXISTING_ROWS_H
#define WEIR_STREAM_EXISTING_ROWS_H

#include "stream/operator/operator.h"

typedef struct weir_existing_rows {
    bool *exists; /* for the caller to fill, one a row of the result */
    uint32_t *rows;
    size_t exists_capacity, rows_capacity;
    weir_batch chosen;
} weir_existing_rows;

void weir_existing_rows_init(weir_existing_rows *self, const weir_plan *plan);
void weir_existing_rows_free(weir_existing_rows *self);
/* Makes room in `exists` for `count` rows. */
void weir_existing_rows_reserve(weir_existing_rows *self, int64_t count);
/* Sends the rows of `result` that exist, as what comes out of `from`. */
int weir_existing_rows_send(weir_existing_rows *self, weir_operator *from, const weir_batch *result, weir_error *err);

#endif
