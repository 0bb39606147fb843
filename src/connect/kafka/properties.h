/* The properties of Kafka's Java clients, as tables set them, for librdkafka. */
#ifndef WEIR_CONNECT_KAFKA_PROPERTIES_H
#define WEIR_CONNECT_KAFKA_PROPERTIES_H

#include "connect/kafka/library.h"
#include "meta/options.h"

/* Sets all options properties.* of a table. A property that neither client knows is WEIR_INVALID. Values that may be
 * secret are in no message. */
int weir_kafka_properties_set(const weir_kafka_library *kafka, const weir_options *options, bool produces,
                              rd_kafka_conf_t *conf, weir_error *err);

/* The same for one setting that is not of the table. */
int weir_kafka_property_set(const weir_kafka_library *kafka, rd_kafka_conf_t *conf, const char *key, const char *value,
                            weir_error *err);

#endif
