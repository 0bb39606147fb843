/* What is known about a row because of the message it is in: the METADATA columns of Kafka tables. */
#ifndef WEIR_CONNECT_KAFKA_METADATA_H
#define WEIR_CONNECT_KAFKA_METADATA_H

#include "connect/kafka/library.h"
#include "vector/vector.h"

/* NULL after the last. */
extern const char *const weir_kafka_metadata_keys[];

/* The type of a key such as 'offset'; NULL: none of these. Static. */
const weir_type *weir_kafka_metadata_type(const char *key);

/* Whether rows that are written can say it of their messages. */
bool weir_kafka_metadata_is_written(const char *key);

/* Appends a value for each of the messages, of the type that belongs to the key. */
int weir_kafka_metadata_append(const weir_kafka_library *kafka, const char *key, rd_kafka_message_t *const *messages,
                               int64_t count, weir_vector *out, weir_error *err);

#endif
