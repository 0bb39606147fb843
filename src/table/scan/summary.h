/* What metadata tell of a table's rows without reading them: their number, and of columns how many values there are,
 * the least and the greatest. */
#ifndef WEIR_TABLE_SUMMARY_H
#define WEIR_TABLE_SUMMARY_H

#include "table/scan/scan.h"

typedef enum weir_summary_kind {
    WEIR_SUMMARY_ROWS,   /* BIGINT */
    WEIR_SUMMARY_VALUES, /* BIGINT: those that are not NULL */
    WEIR_SUMMARY_MIN,    /* of the column's type, NULL when there is no value */
    WEIR_SUMMARY_MAX
} weir_summary_kind;

typedef struct weir_summary {
    weir_summary_kind kind;
    int32_t column;     /* of the schema; not of ROWS */
    weir_literal value; /* out; of types without bytes */
} weir_summary;

/* Fills in the values of all summaries, for the rows that match the predicate (NULL: all), or sets *out_known to false
 * where files would have to be read: rows to be merged, statistics that are not there, predicates on other columns than
 * those of the partition. */
int weir_table_summarize(const weir_table *table, const weir_predicate *predicate, weir_summary *summaries,
                         int32_t count, bool *out_known, weir_error *err);

#endif
