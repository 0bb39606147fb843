/* Sinks: rows go out. */
#ifndef WEIR_CONNECT_SINK_H
#define WEIR_CONNECT_SINK_H

#include <stdio.h>

#include "meta/options.h"
#include "vector/vector.h"

typedef struct weir_sink weir_sink;

struct weir_sink {
    int (*write)(weir_sink *self, const weir_batch *batch, weir_error *err);
    /* Makes everything written so far visible. */
    int (*commit)(weir_sink *self, weir_error *err);
    void (*close)(weir_sink *self); /* without commit before it, what was written since the last one is dropped where
                                       the sink can */
    bool takes_changes;             /* rows of every kind; otherwise only +I may come */
};

/* All of it is borrowed for the lifetime of the sink. */
typedef struct weir_sink_options {
    const weir_options *options;
    const weir_field *fields;
    int32_t field_count;
    const char *const *partition_keys;
    int32_t partition_key_count;
    FILE *print_to; /* where a print sink prints */
    bool overwrite; /* INSERT OVERWRITE */
} weir_sink_options;

int weir_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);

#endif
