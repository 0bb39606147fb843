/* The text format that Prometheus scrapes.
 *
 * Source of truth: "Exposition formats" in Prometheus's documentation, text format 0.0.4. */
#ifndef WEIR_SERVER_EXPOSITION_H
#define WEIR_SERVER_EXPOSITION_H

#include "base/buffer.h"
#include "base/histogram.h"

#define WEIR_EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

/* Labels of a sample: names and values in turn, ended by NULL; NULL: none. */
typedef const char *const *weir_labels;

/* What is said once of a metric, before its samples. `type`: "gauge", "counter" or "histogram". */
void weir_exposition_describe(weir_buffer *out, const char *metric, const char *type, const char *help);

/* Append one value of a metric, a line each: as it is, and milliseconds as seconds. */
void weir_exposition_integer(weir_buffer *out, const char *metric, weir_labels labels, int64_t value);
void weir_exposition_seconds(weir_buffer *out, const char *metric, weir_labels labels, int64_t ms);
void weir_exposition_number(weir_buffer *out, const char *metric, weir_labels labels, double value);

/* All samples of a histogram, in seconds. */
void weir_exposition_histogram(weir_buffer *out, const char *metric, weir_labels labels,
                               const weir_histogram *histogram);

#endif
