/* format: data files as vectors.
 *
 *   parquet/   reader and writer
 *   avro/      container files: data files, and the records of manifests
 *   orc/       reader
 *   row_text.h the interface of rows in text, which comes in pieces:
 *   json/      JSON rows and change events (debezium, canal, maxwell)
 *   csv/       CSV
 *   compression.h  one face over zstd, lz4, snappy, brotli, zlib, bzip2
 *
 * A reader gives top-level columns of one file by row position; a writer takes columns and makes one file. Schema
 * evolution (mapping and casting columns of older files) is not done here but in file/data_file_reader.h: here a
 * column has the type of the file's own Paimon schema.
 *
 * Threading: a reader or writer is used by one thread at a time; several readers may share a weir_file. */
#ifndef WEIR_FORMAT_H
#define WEIR_FORMAT_H

#include "base/budget.h"
#include "fs/fs.h"
#include "vector/predicate.h"
#include "vector/vector.h"

/* Rows first .. first + count - 1 of a file. */
typedef struct weir_row_range {
    int64_t first;
    int64_t count;
} weir_row_range;

typedef struct weir_row_ranges {
    weir_row_range *ranges; /* ascending, not overlapping */
    size_t count;
    size_t capacity;
} weir_row_ranges;

void weir_row_ranges_append(weir_row_ranges *ranges, int64_t first, int64_t count); /* joins neighbours */
void weir_row_ranges_free(weir_row_ranges *ranges);

typedef struct weir_format_reader weir_format_reader;

typedef struct weir_format_reader_ops {
    /* Appends `count` values of requested column `column` from row `first` on. Fastest when rows are asked in ascending
     * order per column; any order is right. */
    int (*read)(weir_format_reader *reader, int32_t column, int64_t first, int64_t count, weir_vector *out,
                weir_error *err);
    /* Appends the values at `rows` (ascending, relative to `base`). Pages without any of them are not decoded. */
    int (*gather)(weir_format_reader *reader, int32_t column, int64_t base, const uint32_t *rows, int64_t count,
                  weir_vector *out, weir_error *err);
    /* The rows that may match, by statistics of row groups and pages; columns of the predicate are requested columns.
     * A format without statistics answers: all rows. */
    int (*prune)(weir_format_reader *reader, const weir_predicate *predicate, weir_row_ranges *out, weir_error *err);
    /* Tells that rows first .. first + count - 1 of all requested columns come next, so that their bytes can be fetched
     * together. May do nothing. */
    int (*prefetch)(weir_format_reader *reader, int64_t first, int64_t count, weir_error *err);
    void (*close)(weir_format_reader *reader);
} weir_format_reader_ops;

struct weir_format_reader {
    const weir_format_reader_ops *ops;
    int64_t row_count;
    /* What prune() found: row groups, or what else the format has of the kind, and those in which a row may match. */
    int64_t row_groups;
    int64_t row_groups_kept;
};

/* Statistics of a written column. */
typedef struct weir_written_stats {
    bool has_min_max;
    weir_literal min; /* untruncated, in the writer's arena */
    weir_literal max;
    int64_t null_count;
} weir_written_stats;

typedef struct weir_format_writer weir_format_writer;

typedef struct weir_format_writer_ops {
    /* Appends values first .. first + count - 1 of `values` to column `column`. Columns may be written in any order
     * and in pieces; at flush all must have the same number of rows. */
    int (*append)(weir_format_writer *writer, int32_t column, const weir_vector *values, int64_t first, int64_t count,
                  weir_error *err);
    /* Ends the row group (or block). Called with no rows since the last one it does nothing. */
    int (*flush)(weir_format_writer *writer, weir_error *err);
    /* Bytes of the file so far, those that wait for a flush estimated. */
    uint64_t (*size)(const weir_format_writer *writer);
    /* Flushes, writes the footer and finishes the output; `stats` has an entry a column (min and max are not set for
     * nested columns, or when the writer was told to collect none), valid until close. */
    int (*finish)(weir_format_writer *writer, bool sync, weir_written_stats *stats, weir_error *err);
    void (*close)(weir_format_writer *writer); /* without finish before it: removes the file */
} weir_format_writer_ops;

struct weir_format_writer {
    const weir_format_writer_ops *ops;
};

/* How to write. Zero-initialized fields mean: the default. */
typedef struct weir_format_write_options {
    const char *compression; /* "zstd" (default), "none", "snappy", "lz4", "lz4_raw", "gzip", "brotli"; avro: also
                                "null", "deflate", "bzip2", "zstandard" */
    int32_t zstd_level;      /* default 1 */
    int64_t row_group_bytes; /* default 128 MB; of uncompressed data */
    int32_t page_rows;       /* default 20 000 */
    int64_t page_bytes;      /* default 1 MB */
    bool no_dictionary;
    bool no_stats; /* of columns, for the manifest */
} weir_format_write_options;

/* How to read. Zero-initialized fields mean: the default. */
typedef struct weir_format_read_options {
    /* ORC: a TIMESTAMP_LTZ is the instant that is stored. Else Paimon's legacy holds: what is stored is the instant at
     * which clocks in the writer's zone showed what clocks in UTC do at the one that was meant. */
    bool instants_are_true;
} weir_format_read_options;

/* Opens a data file. `format` is "parquet", "avro", …; `fields` are the requested columns as the file's own schema has
 * them (name, id, type); they are found in the file by name. Fields and types are borrowed for the reader's lifetime. A
 * column that the file lacks is WEIR_CORRUPT. `options` NULL: the defaults. The reader owns `file` after success. */
int weir_format_open_reader(const char *format, weir_file *file, const weir_field *fields, int32_t field_count,
                            const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                            weir_error *err);

/* Starts a data file of the given columns. The writer owns `output` after success. */
int weir_format_open_writer(const char *format, weir_output *output, const weir_field *fields, int32_t field_count,
                            const weir_format_write_options *options, weir_format_writer **out, weir_error *err);

#endif
