/* BinaryRow: Paimon's row bytes, for partitions, keys, statistics and bucket hashes.
 *
 *   | kind: 1 | null bits: rest of W | slots: 8 × arity | variable part, in chunks of 8 bytes |
 *   W = ((arity + 63 + 8) / 64) * 8; the null bit of field i is bit i + 8. All little-endian.
 *
 * In manifests a row is preceded by its arity as four big-endian bytes ("serialized row").
 * Source of truth: org.apache.paimon.data.BinaryRow and BinaryRowWriter; a NULL DECIMAL(p > 18) or TIMESTAMP(p > 3)
 * still reserves its bytes in the variable part, because bucket hashes cover them. */
#ifndef WEIR_VECTOR_BINARY_ROW_H
#define WEIR_VECTOR_BINARY_ROW_H

#include "vector/literal.h"

/* Appends the BinaryRow of the given columns of one row of a batch (no arity). Any type, nested too. */
int weir_binary_row_write(const weir_batch *batch, const int32_t *columns, int32_t column_count, int64_t row,
                          weir_buffer *out, weir_error *err);

/* Appends the serialized row (with arity) of `count` literals; nested types must be NULL. */
void weir_binary_row_serialize(const weir_type *const *types, const weir_literal *values, int32_t count,
                               weir_buffer *out);

/* Reads a serialized row (with arity) into literals, bytes copied into `arena`. Nested fields are given as NULL, and so
 * are those that have no type here, which are not looked at. WEIR_CORRUPT when the arity is not `count` or the bytes do
 * not add up; `what` names the row in the message. */
int weir_binary_row_deserialize(weir_slice bytes, const weir_type *const *types, int32_t count, const char *what,
                                weir_arena *arena, weir_literal *out, weir_error *err);

/* Appends field values of one BinaryRow (no arity) to the columns of a batch, any type, and its row kind where it is
 * not +I; the batch's length grows by 1. After a failure the batch is only good for clearing. */
int weir_binary_row_read(weir_slice bytes, weir_batch *out, const char *what, weir_error *err);

#endif
