/* Deletion vectors: which rows of a data file are gone, as roaring bitmaps of their positions.
 *
 * Format: spec "Index files: DELETION_VECTORS"; source of truth org.apache.paimon.deletionvectors.*. */
#ifndef WEIR_INDEX_DELETION_VECTOR_H
#define WEIR_INDEX_DELETION_VECTOR_H

#include "base/base.h"
#include "fs/fs.h"

/* Sets the bits of deleted rows in `bits`, which has one for each of `row_count` rows, all zero; *out_count is their
 * number. The vector lies at `offset` in the file, where its length stands; `length` is what the index manifest says
 * of it. WEIR_CORRUPT when it is damaged, or speaks of rows that the file does not have. */
int weir_deletion_vector_read(weir_fs *fs, const char *path, int64_t offset, int32_t length, int64_t row_count,
                              uint8_t *bits, int64_t *out_count, weir_error *err);

/* The same of the bytes from the length on; `path` is for messages. */
int weir_deletion_vector_decode(weir_slice bytes, const char *path, int64_t row_count, uint8_t *bits,
                                int64_t *out_count, weir_error *err);

#endif
