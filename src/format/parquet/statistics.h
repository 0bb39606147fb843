/* Statistics of chunks and pages as literals that predicates can be tested with. */
#ifndef WEIR_FORMAT_PARQUET_STATISTICS_H
#define WEIR_FORMAT_PARQUET_STATISTICS_H

#include "format/parquet/footer.h"
#include "format/parquet/leaf.h"
#include "format/parquet/thrift_reader.h"
#include "vector/predicate.h"

/* Reads a struct Statistics. */
void weir_parquet_statistics_read(weir_thrift_reader *reader, weir_thrift_field field, weir_parquet_statistics *out);

/* The bounds that `statistics` give for `row_count` values of the leaf; bytes stay borrowed. What cannot be relied on
 * (an order that does not fit the type, a NaN, a truncated number) comes out as "no bounds". */
weir_column_stats weir_parquet_column_stats(const weir_parquet_leaf *leaf, const weir_parquet_statistics *statistics,
                                            int64_t row_count);

#endif
