/* A data file as columns of the schema that is asked for.
 *
 * The file's columns are those of its own schema version; they are found there by name, mapped to the requested fields
 * by id, and cast. A requested field that the file's schema lacks is NULL. This is the only place where schema
 * evolution of data happens, and where rows that a deletion vector marks are left out: rows are counted without them. */
#ifndef WEIR_FILE_DATA_FILE_READER_H
#define WEIR_FILE_DATA_FILE_READER_H

#include "file/table_context.h"
#include "format/format.h"

/* Opens `file` for the given fields: fields of the context's schema (or with its ids), and for key-value files also
 * those of weir_sequence_number_field() and weir_value_kind_field(). Key columns need not be asked for as _KEY_x: the
 * value columns hold them. The result has the operations of a format reader, in the order of `fields`, which are
 * borrowed. Predicates given to prune() are mapped, and weakened where a cast is in the way. */
int weir_data_file_open(const weir_table_context *context, const char *bucket_path, const weir_data_file *file,
                        const weir_field *fields, int32_t field_count, weir_format_reader **out, weir_error *err);

const weir_field *weir_sequence_number_field(void); /* BIGINT NOT NULL; static */
const weir_field *weir_value_kind_field(void);      /* TINYINT NOT NULL; static */

#endif
