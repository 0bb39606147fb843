/* Handing batches over through the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html).
 *
 * DECIMAL becomes decimal128, TIMESTAMP(7..9) timestamp[ns] (a value outside int64 nanoseconds is an error), TIME
 * time32[ms], MULTISET map<element, int32>. The row kind, where there is one, travels as a column `_ROW_KIND` of int8. */
#ifndef WEIR_VECTOR_ARROW_H
#define WEIR_VECTOR_ARROW_H

#include "vector/vector.h"

struct ArrowSchema;
struct ArrowArray;

/* The schema of rows as a struct; the caller releases it. */
int weir_arrow_export_schema(const weir_field *fields, int32_t count, struct ArrowSchema *out, weir_error *err);

/* Moves a batch into an Arrow array that owns its memory from now on; the batch is empty afterwards. */
int weir_arrow_export_batch(weir_batch *batch, struct ArrowArray *out, weir_error *err);

/* Appends an Arrow struct array to a batch whose types it must fit (integers of the same width, decimal128, timestamps
 * of any unit that is not lossy). Released by the caller. */
int weir_arrow_import_batch(const struct ArrowSchema *schema, const struct ArrowArray *array, weir_batch *batch,
                            weir_error *err);

#endif
