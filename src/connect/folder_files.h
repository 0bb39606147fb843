/* The files of a table in a folder. */
#ifndef WEIR_CONNECT_FOLDER_FILES_H
#define WEIR_CONNECT_FOLDER_FILES_H

#include "connect/source.h"
#include "format/name_pattern.h"
#include "fs/fs.h"

typedef struct weir_folder_file {
    const char *path;
    const char *name; /* the path from the table's folder on */
    uint64_t size;
    int64_t modified_ms;
    const char **partition; /* the value of each partition key, as text; NULL: NULL */
} weir_folder_file;

typedef struct weir_folder_table {
    weir_fs *fs;
    const char *path; /* a folder, or one file */
    const char *const *partition_keys;
    int32_t partition_key_count;
    const char *default_partition; /* the folder name that stands for NULL */
    weir_name_pattern *pattern;    /* of whole paths; NULL: all */
} weir_folder_table;

/* A folder as it was just before it was listed: what is added to it or taken from it changes its time. */
typedef struct weir_folder_state {
    const char *path;
    int64_t modified_ms;
} weir_folder_state;

typedef struct weir_folder_listing {
    weir_folder_file *files; /* in byte order of their names */
    size_t file_count;
    weir_folder_state *folders; /* that were walked; none when the path is a file */
    size_t folder_count;
} weir_folder_listing;

/* All files whose names begin neither with '.' nor '_', in folders of any depth whose names do not either; partition
 * values are those in folders `key=value`. WEIR_NOT_FOUND when the path is not there. */
int weir_folder_files_list(const weir_folder_table *table, weir_arena *arena, weir_folder_listing *out,
                           weir_error *err);

/* What stands at the table's path; WEIR_NOT_FOUND: nothing. */
int weir_folder_table_look(const weir_folder_table *table, weir_file_info *out, weir_error *err);

/* One file of those by its path, as it is now. */
int weir_folder_file_look(const weir_folder_table *table, weir_arena *arena, const char *path, weir_folder_file *out,
                          weir_error *err);

/* Appends a partition value as a folder's name has it, special characters as %XX; and back. */
void weir_partition_value_escape(weir_slice value, weir_buffer *out);
const char *weir_partition_value_unescape(weir_arena *arena, weir_slice text);

#endif
