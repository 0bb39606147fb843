/* ORC files: a reader behind the interface of format.h.
 *
 * Reads what Java Paimon, Hive and others write by version 1 of the format's specification (file versions 0.11 and
 * 0.12): every compression but LZO, both generations of run-length encodings, texts with and without dictionaries,
 * nested columns. Unions and encrypted columns are refused. Nothing is written. */
#ifndef WEIR_FORMAT_ORC_H
#define WEIR_FORMAT_ORC_H

#include "format/format.h"

/* A reader as format.h describes it, which its caller closes; `fields` are borrowed. */
int weir_orc_open_reader(weir_file *file, const weir_field *fields, int32_t field_count,
                         const weir_format_read_options *options, weir_budget *budget, weir_format_reader **out,
                         weir_error *err);

/* Reads a whole file held in `bytes` into `out` (appends): the records of a manifest. Columns of `out` are the fields
 * by name. A nullable field that the file lacks becomes NULL; a NOT NULL one that it lacks, or has a NULL of, is
 * WEIR_CORRUPT. `path` is for messages. */
int weir_orc_read_all(weir_slice bytes, const char *path, const weir_field *fields, int32_t field_count,
                      weir_batch *out, weir_error *err);

#endif
