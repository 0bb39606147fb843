/* The rows of the files of a filesystem table, a file at a time, as batches of the table: with the values in the names of
 * folders and what is known about a file. */
#ifndef WEIR_CONNECT_FOLDER_READER_H
#define WEIR_CONNECT_FOLDER_READER_H

#include "connect/file_rows.h"
#include "connect/filesystem.h"
#include "connect/folder_files.h"

typedef struct weir_folder_reader {
    weir_arena arena;
    weir_folder_table table;
    int64_t batch_rows; /* most rows of a batch */
    const weir_connect_kind *format;
    weir_budget *budget;
    weir_file_columns columns;
    const weir_field *fields; /* of the table */
    int32_t field_count;
    const weir_field *metadata; /* columns behind those */
    int32_t metadata_count;
    weir_field *known;      /* those of them that the format gives */
    int32_t *known_columns; /* their places in a batch */
    int32_t known_count;
    weir_row_reader *text_reader; /* NULL: the format is read column by column */
    weir_batch view;              /* the columns of a batch that are in the files */
    const weir_folder_file *file; /* that is open; NULL: none */
    weir_file_rows *rows;         /* of it */
    uint64_t opened_size;         /* what it had when it was opened */
} weir_folder_reader;

/* `reader` is only good for freeing after a failure. Does not look at the folder yet. */
int weir_folder_reader_init(weir_folder_reader *reader, const weir_source_options *options, weir_error *err);
void weir_folder_reader_free(weir_folder_reader *reader);

/* `file` stays the caller's while it is open. `may_grow`: of text, what follows the last line's end is left for later. */
int weir_folder_reader_open(weir_folder_reader *reader, const weir_folder_file *file, weir_file_position position,
                            bool may_grow, weir_error *err);
void weir_folder_reader_close_file(weir_folder_reader *reader);

/* Appends rows of the open file. WEIR_END: it is through; rows may have been appended. */
int weir_folder_reader_append(weir_folder_reader *reader, weir_batch *batch, weir_error *err);

#endif
