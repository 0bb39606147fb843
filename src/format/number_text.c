/* Decimals as Flink's text formats write them. */
#include "format/number_text.h"

void weir_decimal_format_short(weir_int128 unscaled, int scale, bool scientific, weir_buffer *out)
{
    if (unscaled == 0) {
        scale = 0;
    }
    while (unscaled != 0 && unscaled % 10 == 0 && (scale > 0 || scientific)) {
        unscaled /= 10;
        scale--;
    }
    weir_buffer digits = {0};
    weir_decimal_format(unscaled < 0 ? -unscaled : unscaled, 0, &digits);
    int exponent = (int)digits.size - 1 - scale; /* of the first digit */
    if (!scientific || (scale >= 0 && exponent >= -6)) {
        weir_decimal_format(unscaled, scale, out);
    } else {
        weir_buffer_append_text(out, unscaled < 0 ? "-" : "");
        weir_buffer_append(out, digits.data, 1);
        if (digits.size > 1) {
            weir_buffer_append_byte(out, '.');
            weir_buffer_append(out, digits.data + 1, digits.size - 1);
        }
        weir_buffer_append_format(out, "E%+d", exponent);
    }
    weir_buffer_free(&digits);
}
