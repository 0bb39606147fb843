/* Handing batches over through the Arrow C data interface (https://arrow.apache.org/docs/format/CDataInterface.html).
 *
 * DECIMAL becomes decimal128, TIMESTAMP(7..9) timestamp[ns] (a value outside int64 nanoseconds is an error), TIME
 * time32[ms], MULTISET map<element, int32>, VARIANT struct<value, metadata>. The kinds of rows, where a batch has them,
 * travel as its last column `_ROW_KIND` of int8. */
#ifndef WEIR_VECTOR_ARROW_H
#define WEIR_VECTOR_ARROW_H

#include "vector/vector.h"

#define WEIR_ARROW_ROW_KIND "_ROW_KIND"

/* The schema of rows as a struct; the caller releases it. For batches with kinds the fields end with one of that name. */
int weir_arrow_export_schema(const weir_field *fields, int32_t count, struct ArrowSchema *out, weir_error *err);

/* Moves a batch into an Arrow array that owns its memory from now on (borrowed memory is copied); the batch is empty
 * afterwards, after an error too. */
int weir_arrow_export_batch(weir_batch *batch, struct ArrowArray *out, weir_error *err);

/* Appends an Arrow struct array to a batch whose columns it must fit by position (integers of the same width, decimal128
 * of the same scale, times and timestamps of any unit that is not lossy, text and lists with 32-bit or 64-bit offsets).
 * A column named _ROW_KIND becomes the kinds, wherever it stands. Released by the caller. After an error the batch is to
 * be cleared. */
int weir_arrow_import_batch(const struct ArrowSchema *schema, const struct ArrowArray *array, weir_batch *batch,
                            weir_error *err);

#endif
