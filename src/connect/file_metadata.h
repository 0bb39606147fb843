/* What is known about a row because of the file it is in: the METADATA columns of filesystem tables. */
#ifndef WEIR_CONNECT_FILE_METADATA_H
#define WEIR_CONNECT_FILE_METADATA_H

#include "connect/folder_files.h"

/* The type of a key such as 'file.path'; NULL: none of these. */
const weir_type *weir_file_metadata_type(const char *key);

/* NULL after the last. */
extern const char *const weir_file_metadata_keys[];

/* Appends the value of a field, which is named by its key, for `count` rows of a file. */
int weir_file_metadata_append(const weir_field *field, const weir_folder_file *file, int64_t count, weir_vector *column,
                              weir_error *err);

#endif
