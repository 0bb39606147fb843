/* Figures as people read them: appended to a text. */
#ifndef WEIR_CLI_FIGURES_H
#define WEIR_CLI_FIGURES_H

#include <inttypes.h>

#include "base/buffer.h"

void weir_append_number(int64_t value, weir_buffer *out);                                   /* 1,234,567 */
void weir_append_count(int64_t value, const char *one, const char *many, weir_buffer *out); /* 1 row; 2 rows */
void weir_append_seconds(int64_t elapsed_ns, weir_buffer *out);                             /* 0.123 s; 12.3 s */
void weir_append_rate(int64_t rows, int64_t elapsed_ns, weir_buffer *out);                  /* 1,234 rows/s; nothing of 0 */
void weir_append_duration(int64_t seconds, weir_buffer *out);                               /* 12 s; 3 min 4 s; 1 h 2 min */
void weir_append_bytes(int64_t bytes, weir_buffer *out);                                    /* 812 B; 1.2 MB */
void weir_append_lag(int64_t ms, weir_buffer *out);                                         /* 12 ms; 1.5 s; 3 min 4 s */

#endif
