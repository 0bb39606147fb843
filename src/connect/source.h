/* Sources: batches of rows with their kinds.
 *
 * A source owns splits, each with its position. next() never blocks; position() and restore() speak of everything given
 * out so far, so that a job that was stopped goes on after the last batch it committed. */
#ifndef WEIR_CONNECT_SOURCE_H
#define WEIR_CONNECT_SOURCE_H

#include "base/budget.h"
#include "meta/options.h"
#include "vector/vector.h"

typedef struct weir_source weir_source;

struct weir_source {
    /* Fills `batch` (made for the fields the source was opened with), kinds included. WEIR_END: bounded and through.
     * WEIR_IDLE: nothing now. */
    int (*next)(weir_source *self, weir_batch *batch, weir_error *err);
    /* Appends what restore() needs to go on after the last batch. */
    int (*position)(weir_source *self, weir_buffer *out, weir_error *err);
    int (*restore)(weir_source *self, weir_slice position, weir_error *err);
    /* What was given out up to this position is where it survives, and need not be read again: others may be told, such
     * as a broker of a group's offsets. It does not wait for them. NULL: nobody is told. */
    int (*committed)(weir_source *self, weir_slice position, weir_error *err);
    /* How old the last row given out was by then, or how far behind the source is in another way, in milliseconds; -1:
     * unknown. NULL: never known. */
    int64_t (*lag_ms)(weir_source *self);
    void (*close)(weir_source *self);

    bool is_bounded;
    int64_t poll_interval_ms; /* after WEIR_IDLE it need not be asked earlier; 0: as often as one likes */
    bool is_waiting; /* by the last WEIR_IDLE: it has seen something that it gives before long though nothing is added */
    int64_t total_bytes; /* of bounded input, for progress; -1: unknown */
    int64_t done_bytes;
};

/* All of it is borrowed for the lifetime of the source. */
typedef struct weir_source_options {
    const weir_options *options; /* of WITH (…) and hints */
    const weir_field *fields;    /* the physical columns, all of them */
    int32_t field_count;
    const weir_field *metadata; /* columns of what is known about a row: their names are keys of the connector. Batches
                                   have them after the physical ones */
    int32_t metadata_count;
    const char *const *partition_keys; /* of a filesystem table: their values are in the folder names */
    int32_t partition_key_count;
    const char *const *primary_keys; /* with them, change events may lack the old row of an update */
    int32_t primary_key_count;
    bool whole_changes; /* … and then they may not */
    const char *time_zone; /* session zone; NULL: UTC */
    weir_budget *budget;   /* NULL: unbounded */
    int64_t batch_rows;    /* most rows of a batch, or a few more where one message makes several; 0: 65 536 */
} weir_source_options;

/* Opens the source of a table by its 'connector' option. An unknown connector, format or option is refused with a
 * suggestion; what is there and can only be written says so. */
int weir_source_open(const weir_source_options *options, weir_source **out, weir_error *err);

/* What a table looks like to its connector. Borrowed. */
typedef struct weir_connector_schema {
    const char *table; /* its whole name, for messages; NULL: it has none */
    const weir_field *fields;
    int32_t field_count;
    const char *const *primary_keys;
    int32_t primary_key_count;
} weir_connector_schema;

/* Checks connector, format and option names and values of a table's WITH clause, and the columns against the format,
 * before anything is read or written: for CREATE TABLE. */
int weir_connector_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err);

/* The type of what the connector or its format knows about a row under this key. WEIR_INVALID names what there is.
 * *out_cast: it is given in any type that it can be cast to; otherwise in types of the same kind. */
int weir_connector_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                            weir_error *err);

/* Whether a source of these options goes on for ever. */
bool weir_source_never_ends(const weir_options *options);

/* What a source of these options gives: only inserts, or changes of every kind; or, of the latter, upserts by the
 * primary key: +U without the -U before it, -D with the key alone. */
bool weir_source_gives_changes(const weir_options *options);
bool weir_source_gives_upserts(const weir_options *options);

#endif
