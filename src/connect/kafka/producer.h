/* Producing messages, and transactions that also note a number under the name of a group. */
#ifndef WEIR_CONNECT_KAFKA_PRODUCER_H
#define WEIR_CONNECT_KAFKA_PRODUCER_H

#include "connect/kafka/client.h"
#include "connect/kafka/table.h"

typedef struct weir_kafka_producer weir_kafka_producer;

/* `table` is borrowed. `transactional_id`: NULL: no transactions. */
int weir_kafka_producer_open(const weir_kafka_table *table, const char *transactional_id, weir_kafka_producer **out,
                             weir_error *err);
void weir_kafka_producer_close(weir_kafka_producer *producer); /* drops what is not delivered; NULL is passed over */

/* Hands over messages (row_messages.h); waits while too many are on their way. Fails when an earlier one could not be
 * delivered. */
int weir_kafka_producer_send(weir_kafka_producer *producer, weir_slice messages, weir_error *err);

/* Waits until all are delivered; or, once the thread's stop is raised, as long as brokers take some. */
int weir_kafka_producer_flush(weir_kafka_producer *producer, weir_error *err);

/* Transactions whose messages are sent one after the other. */
int weir_kafka_producer_begin(weir_kafka_producer *producer, weir_error *err);
int weir_kafka_producer_commit(weir_kafka_producer *producer, weir_error *err);

/* All messages in one transaction, with the number as an offset of the group. What stops it and may pass is tried
 * again, as a whole. */
int weir_kafka_producer_deliver(weir_kafka_producer *producer, const char *group, int64_t number, weir_slice messages,
                                weir_error *err);

/* The number noted for the group; 0: none. No earlier transaction of the id is under way after that. */
int weir_kafka_producer_find_number(weir_kafka_producer *producer, const char *group, int64_t *out, weir_error *err);

#endif
