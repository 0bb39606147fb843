/* connect: where rows come from and go to, other than lake tables: sources, sinks, and the formats of change events.
 *
 *   source.h       the interface of sources, and the table of kinds
 *   sink.h         the interface of sinks, and the table of kinds
 *   connect_options.h, option_table.c  the options of every connector and format, in one table
 *   row_format.h   text to rows and back: csv, json, debezium-json, canal-json, maxwell-json
 *   filesystem_*.c files in a folder
 *   file_rows.h    the rows of one file: text_rows.c in blocks of text, columnar_rows.c Parquet and Avro
 *   kafka/         Kafka's topics
 *   outbox.h       for sinks that cannot find a prepared write again
 *   print.c        rows as text to standard output or standard error
 *   blackhole.c    rows to nowhere
 *   datagen*.c     rows out of nowhere
 *   mysql/         rows of MySQL and MariaDB, and their changes from the binlog
 *
 * Threading: a source or sink belongs to one thread at a time. */
#ifndef WEIR_CONNECT_H
#define WEIR_CONNECT_H

#include "connect/sink.h"
#include "connect/source.h"

#endif
