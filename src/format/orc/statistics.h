/* What an ORC file says of the values of each stripe. */
#ifndef WEIR_FORMAT_ORC_STATISTICS_H
#define WEIR_FORMAT_ORC_STATISTICS_H

#include "format/orc/column.h"
#include "vector/predicate.h"

typedef struct weir_orc_statistics {
    weir_slice *stripes; /* one message a stripe; NULL: the file has none */
} weir_orc_statistics;

/* Reads the messages; they live in `arena`. */
int weir_orc_statistics_read(const weir_orc_source *source, const weir_orc_metadata *metadata, weir_arena *arena,
                             weir_orc_statistics *out, weir_error *err);

/* What is known of a top-level column in a stripe: of whole numbers, dates and texts their bounds, of every column the
 * number of NULLs. `source` is for messages. */
int weir_orc_statistics_of(const weir_orc_statistics *statistics, const weir_orc_metadata *metadata, size_t stripe,
                           const weir_orc_column *column, weir_column_stats *out, weir_error *err);

#endif
