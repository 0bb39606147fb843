/* Decimals as Flink's text formats write them. */
#ifndef WEIR_FORMAT_NUMBER_TEXT_H
#define WEIR_FORMAT_NUMBER_TEXT_H

#include "vector/decimal.h"

/* Appends the number without zeros at its end; `scientific`: as Java's BigDecimal then prints it, 100.00 as 1E+2 and
 * 0.00000001 as 1E-8. */
void weir_decimal_format_short(weir_int128 unscaled, int scale, bool scientific, weir_buffer *out);

#endif
