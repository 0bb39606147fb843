/* A client of Kafka's brokers: its configuration out of a table's options, and what it has to say of failures. */
#ifndef WEIR_CONNECT_KAFKA_CLIENT_H
#define WEIR_CONNECT_KAFKA_CLIENT_H

#include <pthread.h>

#include "connect/kafka/library.h"
#include "meta/options.h"

typedef struct weir_kafka_client {
    const weir_kafka_library *kafka;
    rd_kafka_t *handle;
    pthread_mutex_t mutex; /* of what follows */
    rd_kafka_resp_err_t last_code;
    char last_text[256]; /* the last failure that its threads spoke of */
    bool refused;        /* the brokers do not let it in: there is no use in waiting */
} weir_kafka_client;

/* A setting of librdkafka that the connector makes. */
typedef struct weir_kafka_setting {
    const char *key;
    const char *value; /* NULL: leave it */
} weir_kafka_setting;

typedef struct weir_kafka_client_options {
    const weir_options *options;        /* of the table: properties.* */
    const weir_kafka_setting *defaults; /* before those of the table; one that this librdkafka lacks is left out */
    size_t default_count;
    const weir_kafka_setting *settings; /* after them: what must be so */
    size_t setting_count;
    bool produces;
    void *owner; /* of the callbacks */
    void (*delivered)(rd_kafka_t *handle, const rd_kafka_message_t *message, void *owner);
    void (*committed)(rd_kafka_t *handle, rd_kafka_resp_err_t code, rd_kafka_topic_partition_list_t *list, void *owner);
} weir_kafka_client_options;

/* Makes it; it is not connected then, and says nothing of brokers that are not there. The opaque of its callbacks is a
 * weir_kafka_owner. */
int weir_kafka_client_open(const weir_kafka_client_options *options, weir_kafka_client **out, weir_error *err);
void weir_kafka_client_close(weir_kafka_client *client);

/* The last failure that its threads spoke of, in parentheses with a blank before it; or nothing. */
void weir_kafka_client_append_failure(weir_kafka_client *client, weir_buffer *out);
bool weir_kafka_client_is_refused(weir_kafka_client *client);

/* What a table sets for a property of Kafka's clients, as "group.id"; NULL: nothing. */
const char *weir_kafka_property(const weir_options *options, const char *key);

/* Brokers, for messages. */
const char *weir_kafka_brokers(const weir_options *options);

#endif
