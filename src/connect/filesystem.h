/* Tables in folders: reading and writing. */
#ifndef WEIR_CONNECT_FILESYSTEM_H
#define WEIR_CONNECT_FILESYSTEM_H

#include "connect/connect_options.h"
#include "connect/sink.h"
#include "connect/source.h"

/* Opens a source as weir_source_open does (source.h); its options are checked. The caller closes it. */
int weir_filesystem_source_open(const weir_source_options *options, weir_source **out, weir_error *err);
/* The same of a folder that is followed: source.monitor-interval. */
int weir_following_source_open(const weir_source_options *options, weir_source **out, weir_error *err);
int weir_filesystem_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);

/* Whether all columns can be read from and written to files of the format. */
int weir_filesystem_check(const weir_options *options, const weir_connect_kind *format, const weir_field *fields,
                          int32_t field_count, weir_error *err);

/* Which columns are in the files, and which are in the names of their folders. */
typedef struct weir_file_columns {
    weir_field *fields; /* of the files, in the table's order */
    int32_t *columns;   /* their positions in the table */
    int32_t count;
    int32_t *partition_columns; /* the position in the table of each partition key */
    int32_t partition_count;
} weir_file_columns;

int weir_file_columns_of(const weir_field *fields, int32_t field_count, const char *const *partition_keys,
                         int32_t partition_key_count, weir_arena *arena, weir_file_columns *out, weir_error *err);

#endif
