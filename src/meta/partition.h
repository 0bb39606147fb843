/* Partition values: serialized BinaryRows in manifests, folders `key=value` in paths. */
#ifndef WEIR_META_PARTITION_H
#define WEIR_META_PARTITION_H

#include "meta/schema.h"
#include "vector/literal.h"

/* Serialized row of arity 0: the partition of an unpartitioned table. Static memory. */
weir_slice weir_partition_none(void);

/* Decodes a serialized partition into literals, one a partition key, in `arena`. */
int weir_partition_decode(const weir_schema *schema, weir_slice partition, weir_arena *arena, weir_literal *out,
                          weir_error *err);

/* Appends the serialized partition of these values. */
void weir_partition_encode(const weir_schema *schema, const weir_literal *values, weir_buffer *out);

/* Appends the serialized partition of a row of a batch that has the schema's columns. */
int weir_partition_append_row(const weir_schema *schema, const weir_batch *batch, int64_t row, weir_buffer *out,
                              weir_error *err);
/* Whether two rows of such a batch are of one partition. */
bool weir_partition_rows_equal(const weir_schema *schema, const weir_batch *batch, int64_t a, int64_t b);

/* The relative folder of a partition, "dt=2024-01-01/hr=7", escaped, or "" for an unpartitioned table. Follows the
 * options partition.default-name and partition.legacy-name. */
int weir_partition_path(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                        weir_error *err);

/* Whether a serialized partition has the values of `spec`: a literal for each partition key, or NULL for any value. */
bool weir_partition_matches(const weir_schema *schema, const weir_literal *const *spec, weir_slice partition);

/* Appends a value as Java prints its internal form of it: days for a DATE, milliseconds for a TIME, ISO-8601 for
 * timestamps; other types as their CAST to STRING. Not NULL. */
int weir_append_java_value(const weir_type *type, const weir_literal *value, weir_buffer *out, weir_error *err);

/* For people: "dt=2024-01-01, hr=7". */
int weir_partition_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                        weir_error *err);

/* As the row cast to STRING: "{2024-01-01, 7}". */
int weir_partition_row_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                            weir_error *err);

/* "dt=2024-01-01/hr=7", not escaped; NULLs and blank texts are partition.default-name. */
int weir_partition_spec_text(const weir_schema *schema, weir_slice partition, weir_arena *arena, const char **out,
                             weir_error *err);

#endif
