/* How the files of one writer are to be written: what the table's options say for a kind of file and a level. */
#ifndef WEIR_FILE_WRITER_SETTINGS_H
#define WEIR_FILE_WRITER_SETTINGS_H

#include "file/data_file_writer.h"

typedef struct weir_writer_settings {
    const char *format;
    const char *prefix;     /* of file names */
    const char *stats_mode; /* NULL: metadata.stats-mode */
    int64_t target_file_bytes;
    bool thin; /* key-value files without _KEY_ columns */
    weir_format_write_options format_options;
} weir_writer_settings; /* texts are borrowed from the schema or live in the arena */

/* What the options of a schema say of files of one kind and level. WEIR_INVALID, WEIR_UNSUPPORTED: an option has a
 * value that is wrong, or that this version does not follow. */
int weir_writer_settings_read(const weir_schema *schema, weir_data_file_kind kind, int32_t level, weir_arena *arena,
                              weir_writer_settings *out, weir_error *err);

#endif
