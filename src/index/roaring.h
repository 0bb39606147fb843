/* Roaring bitmaps of 32-bit numbers in the portable form of the roaring format (drawn in deletion_vector.c). */
#ifndef WEIR_INDEX_ROARING_H
#define WEIR_INDEX_ROARING_H

#include "base/base.h"
#include "base/buffer.h"

/* Appends the numbers that are in either bitmap, in the bytes that Java's RoaringBitmap makes of them (or, runOptimize,
 * serialize). WEIR_INVALID when one is damaged. */
int weir_roaring_union(weir_slice a, weir_slice b, weir_buffer *out, weir_error *err);

#endif
