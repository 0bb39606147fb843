/* Tables in Kafka's topics: connectors kafka and upsert-kafka, over librdkafka.
 *
 *   table.h         the options of a table, read and checked
 *   library.h       librdkafka, opened on first use
 *   properties.h    properties of Kafka's Java clients for it
 *   client.h        a client, and what it says of failures
 *   discovery.h     which partitions there are, from where to where; a thread of its own
 *   message_rows.h  messages as rows; metadata.h what is known of a message
 *   source.c        the source
 *   row_messages.h  rows as messages
 *   producer.h      producing them, also in transactions
 *   sink.c          the sinks */
#ifndef WEIR_CONNECT_KAFKA_H
#define WEIR_CONNECT_KAFKA_H

#include "connect/sink.h"
#include "connect/source.h"

int weir_kafka_source_open(const weir_source_options *options, weir_source **out, weir_error *err);
int weir_kafka_sink_open(const weir_sink_options *options, weir_sink **out, weir_error *err);

/* As the functions of connect/source.h, which call these for Kafka's tables. */
int weir_kafka_check(const weir_options *options, const weir_connector_schema *schema, weir_error *err);
int weir_kafka_metadata(const weir_options *options, const char *key, const weir_type **out, bool *out_cast,
                        weir_error *err);
bool weir_kafka_never_ends(const weir_options *options);
bool weir_kafka_gives_changes(const weir_options *options);

#endif
