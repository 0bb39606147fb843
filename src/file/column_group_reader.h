/* Files that hold different columns of the same rows, read as one.
 *
 * Tables with data evolution write new values of some columns as a file of their own beside the files that hold the other
 * columns: all of them start at the same row id and have as many rows. A column is read from the newest file that wrote
 * it. Source of truth: org.apache.paimon.operation.DataEvolutionSplitRead. */
#ifndef WEIR_FILE_COLUMN_GROUP_READER_H
#define WEIR_FILE_COLUMN_GROUP_READER_H

#include "file/data_file_reader.h"

/* `files` are borrowed, as are `fields`; the result is read like a single data file (weir_data_file_open). */
int weir_column_group_open(const weir_table_context *context, const char *bucket_path, weir_data_file *const *files,
                           int32_t file_count, const weir_field *fields, int32_t field_count, weir_format_reader **out,
                           weir_error *err);

#endif
