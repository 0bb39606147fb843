/* A Paimon table as the source of a job: its state and then its changes, snapshot after snapshot. */
#ifndef WEIR_STREAM_PAIMON_SOURCE_H
#define WEIR_STREAM_PAIMON_SOURCE_H

#include "stream/source/source.h"
#include "table/table.h"
#include "vector/predicate.h"

/* All of it is borrowed until the source is closed, as is the table. */
typedef struct weir_paimon_source_options {
    const int32_t *columns; /* positions in the schema, in the order of the batches; may be none */
    int32_t column_count;
    bool audit_log; /* kinds are values: a column WEIR_KIND_COLUMN has them as text, and all rows are +I */
    const weir_predicate *predicate; /* over the schema's columns; NULL: none. Rows that don't match may still come */
    int64_t batch_rows;              /* 0: the default */
    const char *description;         /* for people */
} weir_paimon_source_options;

enum { WEIR_KIND_COLUMN = -1 }; /* in the place of a position in the schema */

/* What a stream over a table gives, by its key and its changelog producer. */
typedef struct weir_paimon_changes {
    bool has_row_kinds; /* not only +I */
    bool has_upserts;   /* +U without -U before it, and -D perhaps with the key alone */
    bool is_bounded;
} weir_paimon_changes;

int weir_paimon_changes_of(const weir_table *table, weir_paimon_changes *out, weir_error *err);

/* Where to start follows from the table's options (table/scan/stream_scan.h) and its consumer. Opened `for_stream`. */
int weir_paimon_source_open(const weir_table *table, const weir_paimon_source_options *options,
                            weir_stream_source **out, weir_error *err);

#endif
