/* The text format that Prometheus scrapes: see exposition.h. */
#include "server/exposition.h"

#include <inttypes.h>
#include <stdio.h>

void weir_exposition_describe(weir_buffer *out, const char *metric, const char *type, const char *help)
{
    weir_buffer_append_text(out, "# HELP ");
    weir_buffer_append_text(out, metric);
    weir_buffer_append_text(out, " ");
    weir_buffer_append_text(out, help);
    weir_buffer_append_text(out, "\n# TYPE ");
    weir_buffer_append_text(out, metric);
    weir_buffer_append_text(out, " ");
    weir_buffer_append_text(out, type);
    weir_buffer_append_text(out, "\n");
}

static void append_escaped(weir_buffer *out, const char *value)
{
    for (; *value != '\0'; value++) {
        if (*value == '\n') {
            weir_buffer_append_text(out, "\\n");
        } else {
            if (*value == '"' || *value == '\\') {
                weir_buffer_append_text(out, "\\");
            }
            weir_buffer_append(out, value, 1);
        }
    }
}

/* `bound`: of a bucket; NULL: no such label. */
static void append_labels(weir_buffer *out, weir_labels labels, const char *bound)
{
    const char *separator = "{";
    for (; labels != NULL && *labels != NULL; labels += 2) {
        weir_buffer_append_text(out, separator);
        weir_buffer_append_text(out, labels[0]);
        weir_buffer_append_text(out, "=\"");
        append_escaped(out, labels[1]);
        weir_buffer_append_text(out, "\"");
        separator = ",";
    }
    if (bound != NULL) {
        weir_buffer_append_text(out, separator);
        weir_buffer_append_text(out, "le=\"");
        weir_buffer_append_text(out, bound);
        weir_buffer_append_text(out, "\"");
        separator = ",";
    }
    weir_buffer_append_text(out, *separator == ',' ? "} " : " ");
}

static void append_name(weir_buffer *out, const char *metric, const char *suffix)
{
    weir_buffer_append_text(out, metric);
    weir_buffer_append_text(out, suffix);
}

static void append_value(weir_buffer *out, double value)
{
    char text[64];
    snprintf(text, sizeof text, "%.15g\n", value);
    weir_buffer_append_text(out, text);
}

static void append_integer(weir_buffer *out, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRId64 "\n", value);
    weir_buffer_append_text(out, text);
}

void weir_exposition_integer(weir_buffer *out, const char *metric, weir_labels labels, int64_t value)
{
    append_name(out, metric, "");
    append_labels(out, labels, NULL);
    append_integer(out, value);
}

void weir_exposition_number(weir_buffer *out, const char *metric, weir_labels labels, double value)
{
    append_name(out, metric, "");
    append_labels(out, labels, NULL);
    append_value(out, value);
}

void weir_exposition_seconds(weir_buffer *out, const char *metric, weir_labels labels, int64_t ms)
{
    weir_exposition_number(out, metric, labels, (double)ms / 1000);
}

void weir_exposition_histogram(weir_buffer *out, const char *metric, weir_labels labels,
                               const weir_histogram *histogram)
{
    /* Others add meanwhile: the count is made to fit what the buckets were. */
    int64_t buckets[WEIR_HISTOGRAM_BUCKETS], sum_ms = atomic_load(&histogram->sum_ms), below = 0;
    for (int i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        buckets[i] = atomic_load(&histogram->buckets[i]);
    }
    int64_t count = atomic_load(&histogram->count);
    for (int i = 0; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        char bound[32];
        snprintf(bound, sizeof bound, "%.15g", (double)weir_histogram_bounds_ms[i] / 1000);
        below += buckets[i];
        count = count < below ? below : count;
        append_name(out, metric, "_bucket");
        append_labels(out, labels, bound);
        append_integer(out, below);
    }
    append_name(out, metric, "_bucket");
    append_labels(out, labels, "+Inf");
    append_integer(out, count);
    append_name(out, metric, "_sum");
    append_labels(out, labels, NULL);
    append_value(out, (double)sum_ms / 1000);
    append_name(out, metric, "_count");
    append_labels(out, labels, NULL);
    append_integer(out, count);
}
