/* Figures for people. */
#include "cli/figures.h"

#include <stdio.h>

void weir_append_number(int64_t value, weir_buffer *out)
{
    char digits[32];
    int count = snprintf(digits, sizeof digits, "%" PRId64, value);
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0 && digits[i - 1] != '-') {
            weir_buffer_append_byte(out, ',');
        }
        weir_buffer_append_byte(out, (uint8_t)digits[i]);
    }
}

void weir_append_count(int64_t value, const char *one, const char *many, weir_buffer *out)
{
    weir_append_number(value, out);
    weir_buffer_append_format(out, " %s", value == 1 ? one : many);
}

void weir_append_seconds(int64_t elapsed_ns, weir_buffer *out)
{
    double seconds = (double)elapsed_ns / 1e9;
    weir_buffer_append_format(out, seconds < 10 ? "%.3f s" : "%.1f s", seconds);
}

void weir_append_rate(int64_t rows, int64_t elapsed_ns, weir_buffer *out)
{
    if (elapsed_ns > 0 && rows > 0) {
        weir_append_number((int64_t)((double)rows * 1e9 / (double)elapsed_ns), out);
        weir_buffer_append_text(out, " rows/s");
    }
}

void weir_append_duration(int64_t seconds, weir_buffer *out)
{
    if (seconds >= 3600) {
        weir_buffer_append_format(out, "%d h %d min", (int)(seconds / 3600), (int)(seconds % 3600 / 60));
    } else if (seconds >= 60) {
        weir_buffer_append_format(out, "%d min %d s", (int)(seconds / 60), (int)(seconds % 60));
    } else {
        weir_buffer_append_format(out, "%d s", (int)seconds);
    }
}

void weir_append_bytes(int64_t bytes, weir_buffer *out)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    weir_buffer_append_format(out, unit > 0 && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void weir_append_lag(int64_t ms, weir_buffer *out)
{
    if (ms < 1000) {
        weir_buffer_append_format(out, "%" PRId64 " ms", ms);
    } else if (ms < 60000) {
        weir_buffer_append_format(out, "%.1f s", (double)ms / 1000);
    } else {
        weir_append_duration(ms / 1000, out);
    }
}
