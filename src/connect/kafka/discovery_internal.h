/* What discovery.c and discovery_ask.c have of each other: the state of a discovery, and what brokers are asked. */
#ifndef WEIR_CONNECT_KAFKA_DISCOVERY_INTERNAL_H
#define WEIR_CONNECT_KAFKA_DISCOVERY_INTERNAL_H

#include "base/stop.h"
#include "connect/kafka/discovery.h"
#include "format/name_pattern.h"

struct weir_kafka_discovery {
    weir_kafka_client *client;
    const weir_kafka_table *table;
    const weir_stop *job;       /* of who reads: once it is raised nobody needs more partitions; NULL: none */
    weir_name_pattern *pattern; /* NULL: topics are listed */
    weir_kafka_split *known;    /* of the thread: all that it has given */
    size_t known_count;
    size_t known_capacity;
    bool resumes;
    int64_t deadline_ms; /* monotonic: of the first look */
    bool has_told;       /* that brokers do not answer */

    pthread_t thread;
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t changed;
    bool stop;
    bool nudge;
    weir_kafka_split *lost; /* whose next offsets are not there */
    size_t lost_count;
    size_t lost_capacity;
    bool ready;
    int code; /* of the thread's end */
    weir_error error;
    weir_kafka_split *found;
    size_t found_count;
    size_t found_capacity;
};

typedef struct weir_kafka_topic_partitions {
    char *topic;
    int32_t count;
} weir_kafka_topic_partitions;

typedef struct weir_kafka_topics {
    weir_kafka_topic_partitions *items;
    size_t count;
    size_t capacity;
} weir_kafka_topics;

typedef struct weir_kafka_watermarks {
    int64_t low;  /* the oldest offset that is there */
    int64_t high; /* behind the newest one */
} weir_kafka_watermarks;

/* Questions, asked by the discovery's thread until its deadline, or until it is to stop: then they fail with what the
 * last attempt said. */

/* Adds the topic with the number of its partitions. WEIR_NOT_FOUND: there is none of this name. */
int weir_kafka_ask_topic(weir_kafka_discovery *self, const char *topic, weir_kafka_topics *out, weir_error *err);

/* Adds all topics that match the pattern, but for those that Kafka keeps for itself. */
int weir_kafka_ask_all_topics(weir_kafka_discovery *self, weir_kafka_topics *out, weir_error *err);
void weir_kafka_topics_free(weir_kafka_topics *topics);

int weir_kafka_ask_watermarks(weir_kafka_discovery *self, const weir_kafka_split *split, weir_kafka_watermarks *out,
                              weir_error *err);

/* Of one partition the offset at a time, or (`time_ms` NULL) that of the group; negative: there is none. */
int weir_kafka_ask_offset(weir_kafka_discovery *self, const weir_kafka_split *split, const int64_t *time_ms,
                          int64_t *out, weir_error *err);

#endif
