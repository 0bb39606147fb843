/* Putting nested columns together from the levels of their leaves. */
#ifndef WEIR_FORMAT_PARQUET_ASSEMBLE_H
#define WEIR_FORMAT_PARQUET_ASSEMBLE_H

#include "format/parquet/column_reader.h"
#include "format/parquet/schema.h"

/* The leaves' places have been appended to the innermost children of `out`, and their levels are in `readers` (by the
 * leaf's position in the projection). Appends the same rows to `out` and the children in between. */
int weir_parquet_assemble(const weir_parquet_column *column, weir_parquet_column_reader *const *readers,
                          weir_vector *out, const char *path, weir_error *err);

#endif
