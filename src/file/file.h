/* file: the data files of a table, read under any schema version and written with rolling and statistics.
 *
 *   table_context.h     what is needed to touch a table's files: file system, paths, schema versions, threads, memory
 *   data_file_reader.h  a data file as columns of the current schema (mapping and casting in this one place)
 *   live_rows.h         its rows without those that are deleted
 *   column_group_reader.h  files with different columns of the same rows, as one
 *   data_file_writer.h  rolling writers of key-value, changelog and append files
 *   stats.h             column statistics as manifests hold them: modes, truncation, dense store; decoding them
 *
 * Threading: a table context is shared by threads; a reader or writer belongs to one thread at a time. */
#ifndef WEIR_FILE_H
#define WEIR_FILE_H

#include "file/column_group_reader.h"
#include "file/data_file_reader.h"
#include "file/data_file_writer.h"
#include "file/stats.h"
#include "file/table_context.h"

#endif
