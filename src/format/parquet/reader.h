/* The Parquet reader behind weir_format_reader. */
#ifndef WEIR_FORMAT_PARQUET_READER_H
#define WEIR_FORMAT_PARQUET_READER_H

#include "format/format.h"
#include "format/parquet/column_reader.h"
#include "format/parquet/schema.h"

typedef struct weir_parquet_reader {
    weir_format_reader base;
    weir_parquet_source source;
    weir_arena arena;    /* the footer and what follows from it */
    int64_t arena_bytes; /* of it, taken from the budget */
    weir_parquet_footer *footer;
    weir_parquet_projection projection;
    weir_parquet_column_reader **columns; /* one a leaf; NULL before its first use */
    weir_vector **picked;                 /* one a requested column: of nested gathers; NULL before */
} weir_parquet_reader;

/* prune.c */
int weir_parquet_prune(weir_format_reader *base, const weir_predicate *predicate, weir_row_ranges *out,
                       weir_error *err);

#endif
