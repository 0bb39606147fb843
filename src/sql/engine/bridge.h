/* Between our vectors and DuckDB's, in both directions. */
#ifndef WEIR_SQL_ENGINE_BRIDGE_H
#define WEIR_SQL_ENGINE_BRIDGE_H

#include <duckdb.h>

#include "vector/vector.h"

/* The DuckDB type that carries a Flink type; the caller destroys it. */
duckdb_logical_type weir_bridge_type(const weir_type *type);

/* Fills the first `count` rows of a DuckDB vector with rows `first` … of ours. Texts longer than 12 bytes are not
 * copied: they stay borrowed from `from`, which must live until DuckDB has passed the chunk through its pipeline
 * (operators that keep rows copy them). */
int weir_bridge_fill(const weir_vector *from, int64_t first, int64_t count, duckdb_vector to, weir_error *err);

/* Appends the first `count` rows of a flat DuckDB vector to ours. */
int weir_bridge_append(duckdb_vector from, int64_t count, weir_vector *to, weir_error *err);

#endif
