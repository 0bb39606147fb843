/* How wide text is on a terminal. */
#ifndef WEIR_BASE_DISPLAY_H
#define WEIR_BASE_DISPLAY_H

#include "base/buffer.h"

/* Columns that the text takes: two for East Asian wide characters and emoji, none for combining marks. */
int weir_display_width(weir_slice text);

/* Appends the text, cut with … when it is wider than `width`, and filled with blanks to it. */
void weir_display_pad(weir_slice text, int width, bool align_right, weir_buffer *out);

/* Appends the text with control characters escaped (\n, \t, \x1b), so that a cell stays in its line and a terminal is
 * not told anything by it. */
void weir_display_escape(weir_slice text, weir_buffer *out);

#endif
