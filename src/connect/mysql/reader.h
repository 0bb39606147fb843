/* The thread that reads a server, and the queue between it and the source. */
#ifndef WEIR_MYSQL_READER_H
#define WEIR_MYSQL_READER_H

#include "connect/mysql/settings.h"

typedef struct weir_mysql_reader weir_mysql_reader;

/* Starts reading from a position (of weir_mysql_reader_next; empty: as the options say). Takes what `settings` owns. */
int weir_mysql_reader_start(weir_mysql_settings *settings, weir_slice position, weir_mysql_reader **out,
                            weir_error *err);

/* Exchanges the next batch for `batch`, which may come without rows, and replaces `position` by the one behind it.
 * Never waits: WEIR_IDLE. WEIR_END: a bounded table is through. Other codes: it has failed for good. */
int weir_mysql_reader_next(weir_mysql_reader *reader, weir_batch *batch, weir_buffer *position, weir_error *err);

/* How old the last change was when it was given out, in milliseconds; 0: there is nothing more; -1: not known. */
int64_t weir_mysql_reader_lag_ms(weir_mysql_reader *reader);

/* Ends it. What waits for a server that does not answer is left behind and ends by itself. */
void weir_mysql_reader_stop(weir_mysql_reader *reader);

#endif
