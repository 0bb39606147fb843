/* Reading a split: batches of the columns asked for. */
#ifndef WEIR_TABLE_READ_H
#define WEIR_TABLE_READ_H

#include "table/scan/scan.h"

typedef struct weir_split_reader weir_split_reader;

typedef struct weir_read_options {
    const int32_t *columns; /* positions in the schema; NULL: all */
    int32_t column_count;
    const weir_predicate *predicate; /* over the schema's columns: leaves out row groups and pages; rows that do not match
                                        may still come out. NULL: none */
    bool with_kinds;                 /* rows of every kind, batch.kinds set; otherwise deletes are left out */
    bool with_stored_kinds; /* as an audit log: the rows of a state have the kinds that the files hold for them, and keys
                               whose newest row is a delete come too. With with_kinds only */
    int64_t batch_rows;              /* 0: the default of 16 384 */
} weir_read_options;

/* `table`, `split` and `options` must outlive the reader. */
int weir_split_open(const weir_table *table, const weir_split *split, const weir_read_options *options,
                    weir_split_reader **out, weir_error *err);

/* Fills `batch` (made by the caller with weir_batch_init of the chosen fields); WEIR_END when through. */
int weir_split_next(weir_split_reader *reader, weir_batch *batch, weir_error *err);
void weir_split_close(weir_split_reader *reader);

/* The fields that a reader of `options` gives, in arena. */
const weir_field *weir_read_fields(const weir_table *table, const weir_read_options *options, weir_arena *arena,
                                   int32_t *out_count);

#endif
