/* What is known about a row because of the file it is in: the METADATA columns of filesystem tables. */
#ifndef WEIR_CONNECT_FILE_METADATA_H
#define WEIR_CONNECT_FILE_METADATA_H

#include "connect/folder_files.h"

/* The type of a key such as 'file.path'; others are WEIR_INVALID with a suggestion. */
int weir_file_metadata_find(const char *key, const weir_type **out, weir_error *err);

/* Appends the values of `fields`, which are named by their keys, for `count` rows of a file to columns[0], … */
int weir_file_metadata_append(const weir_field *fields, int32_t field_count, const weir_folder_file *file,
                              int64_t count, weir_vector *columns, weir_error *err);

#endif
