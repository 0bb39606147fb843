/* Sinks: rows go out, and become visible in two steps, so that a checkpoint can stand between them. */
#ifndef WEIR_CONNECT_SINK_H
#define WEIR_CONNECT_SINK_H

#include <stdio.h>

#include "meta/options.h"
#include "vector/vector.h"

typedef struct weir_sink weir_sink;

struct weir_sink {
    int (*write)(weir_sink *self, const weir_batch *batch, weir_error *err);
    /* Puts everything written since the last time where it survives, and appends what commit() needs to show it. */
    int (*prepare)(weir_sink *self, weir_buffer *out, weir_error *err);
    /* Shows what was prepared. */
    int (*commit)(weir_sink *self, weir_slice prepared, weir_error *err);
    /* The same of an earlier run, of which it is not known how far it came. */
    int (*recover)(weir_sink *self, weir_slice prepared, weir_error *err);
    void (*close)(weir_sink *self);   /* what is not prepared is dropped where the sink can */
    bool (*is_full)(weir_sink *self); /* rows are held back, and there are many; NULL: never */
    /* Called now and then, for what is due by the clock; NULL: nothing is. */
    int (*tick)(weir_sink *self, weir_error *err);
    bool takes_changes; /* rows of every kind; otherwise only +I may come */
    bool takes_upserts; /* …by the primary key: -U means nothing to it */
};

/* All of it is borrowed for the lifetime of the sink. */
typedef struct weir_sink_options {
    const weir_options *options;
    const weir_field *fields;
    int32_t field_count;
    const char *const *partition_keys;
    int32_t partition_key_count;
    const char *const *primary_keys;
    int32_t primary_key_count;
    const weir_field *metadata; /* columns that say something of a row to the connector: their names are its keys */
    int32_t metadata_count;
    const int32_t *places; /* of the fields, and then the metadata, among the columns of batches; NULL: in this order */
    FILE *print_to;        /* where a print sink prints */
    const char *owner;     /* the same for all runs of one job, and only for them; NULL: there are no others */
    bool overwrite;        /* INSERT OVERWRITE */
    bool holds_back; /* rows are not to be seen before the commit; otherwise a sink that has no reason to wait shows
                        them at once */
} weir_sink_options;

/* Checks the options of a table and opens its sink, which the caller closes. WEIR_INVALID, WEIR_UNSUPPORTED: an option,
 * or a column, that does not go with the connector. */
int weir_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);

/* Whether the connector can write what is given under a METADATA key. */
bool weir_sink_writes_metadata(const weir_options *options, const char *key);

/* Prepares and commits in one. */
int weir_sink_show(weir_sink *sink, weir_error *err);

#endif
