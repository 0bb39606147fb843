/* Messages as rows: keys and values are read by their formats, and put together with what is known of each message. */
#ifndef WEIR_CONNECT_KAFKA_MESSAGE_ROWS_H
#define WEIR_CONNECT_KAFKA_MESSAGE_ROWS_H

#include "connect/kafka/library.h"
#include "connect/kafka/table.h"

typedef struct weir_kafka_message_rows weir_kafka_message_rows;

/* `options` and `table` are borrowed. */
int weir_kafka_message_rows_open(const weir_kafka_library *kafka, const weir_kafka_table *table,
                                 const weir_source_options *options, weir_kafka_message_rows **out, weir_error *err);

/* Appends the rows of some messages to `batch`, whose columns are those of the table and, after them, its metadata. */
int weir_kafka_message_rows_append(weir_kafka_message_rows *rows, rd_kafka_message_t *const *messages, int64_t count,
                                   weir_batch *batch, weir_error *err);

void weir_kafka_message_rows_close(weir_kafka_message_rows *rows); /* NULL is passed over */

#endif
