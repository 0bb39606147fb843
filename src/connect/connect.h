/* connect: where rows come from and go to, other than lake tables: sources, sinks, and the formats of change events.
 *
 *   source.h       the interface of sources, and the table of kinds
 *   sink.h         the interface of sinks, and the table of kinds
 *   connect_options.h  the options of every connector and format, in one table
 *   row_format.h   bytes to rows and back: csv, json, debezium-json, canal-json, …
 *   filesystem.c   files in a folder, bounded or followed
 *   print.c        rows as text to standard output or standard error
 *   blackhole.c    rows to nowhere
 *   datagen.c      rows out of nowhere
 *
 * Threading: a source or sink belongs to one thread at a time. */
#ifndef WEIR_CONNECT_H
#define WEIR_CONNECT_H

#include "connect/sink.h"
#include "connect/source.h"

#endif
