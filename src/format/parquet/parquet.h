/* Parquet files: reader and writer behind the interfaces of format.h.
 *
 * Reads everything that Java Paimon, Arrow, Spark and DuckDB write (plain, dictionary, RLE, delta encodings, byte
 * stream split, data page v1 and v2, every codec but LZO, nested columns by definition and repetition levels); writes
 * pages of at most 20 000 rows, page indexes, statistics, field ids, and dictionaries where they pay. */
#ifndef WEIR_FORMAT_PARQUET_H
#define WEIR_FORMAT_PARQUET_H

#include "format/format.h"

/* A reader and a writer as format.h describes them, which their callers close; `fields` are borrowed. */
int weir_parquet_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                             const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                             weir_error *err);
int weir_parquet_open_writer(weir_output *output, const weir_field *fields, int32_t field_count,
                             const weir_format_write_options *options, weir_format_writer **out, weir_error *err);

/* The schema of a Parquet file as Paimon types, for files outside of tables. Field ids are those of the file, or -1. */
int weir_parquet_read_fields(weir_file *file, weir_arena *arena, weir_field **out, int32_t *out_count, weir_error *err);

#endif
